#!/bin/bash
# numpy_bispectrum.sh - bispectra of gas and particles against a sum over all triangles in numpy, in a box and on a grid that are not cubes;
# on 1 and 3 ranks; in the report.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: start
problem: cosmology
seed: 4
mesh: {cells: [16, 12, 16], box: [[-10, 90], [0, 75], [5, 105]]}
cosmology: {normalise: sigma8}
ic: {redshift: 9, order: 2}
time: {end: 0}
output: {precision: double}
statistics: {spectra: [], pdf: [], structure: [], deposit: cic, matter: [gas, particles, bispectrum, correlation]}
YAML
sluice-ic run.yaml >out 2>err || bad "sluice-ic: $(cat err)"
sluice-sim run.yaml >out 2>err || bad "sluice-sim: $(cat err)"
mpirun -n 3 sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"
cp stats/bispectrum_gas_0000.csv three.csv
sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"
cmp stats/bispectrum_gas_0000.csv three.csv || bad "other numbers on 1 rank than on 3"

/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np
from check import check, near
ic, h = h5py.File('ic.h5', 'r'), h5py.File('stats.h5', 'r')
shape, L, lo = np.array([16, 12, 16]), np.array([100., 75., 100.]), np.array([5., 0., -10.])   # z, y, x
n = np.array(np.meshgrid(*[np.fft.fftfreq(m, 1 / m).round().astype(int) for m in shape], indexing='ij'))
k = n * (2 * np.pi / L)[:, None, None, None]
kk = np.sqrt((k**2).sum(0))
unit = 2 * np.pi / L.max()
shell = np.floor(kk / unit + 0.5).astype(int)
def deposit(x):
    w = []
    for d in range(3):
        s = np.abs((x[d][:, None] - lo[d]) % L[d] / L[d] * shape[d] - (np.arange(shape[d]) + 0.5)[None, :])
        w.append(np.clip(1 - np.minimum(s, shape[d] - s), 0, None))
    return np.einsum('pi,pj,pk->ijk', *w, optimize=True)
rho = ic['density'][...]
dark = deposit([ic['particles/position_' + c][...].ravel() for c in 'zyx'])
window = np.prod([np.sinc(q * l / m / 2 / np.pi)**2 for q, l, m in zip(k, L, shape)], axis=0)
def triangles(f, a, b, c):
    """all pairs of waves of the first two shells; the third closes the triangle, modulo nothing"""
    p, q = np.argwhere(np.isin(shell, a)), np.argwhere(np.isin(shell, b))
    number = total = 0
    for i in p:
        third = -(n[:, i[0], i[1], i[2]][:, None] + n[:, q[:, 0], q[:, 1], q[:, 2]])
        inside = (np.abs(third) < shape[:, None] / 2).all(0)
        t = tuple(third[:, inside] % shape[:, None])
        good = np.isin(shell[t], c)
        number += good.sum()
        total += (f[tuple(i)] * f[tuple(q[inside][good].T)] * f[tuple(x[good] for x in t)]).sum().real
    return number, total / max(number, 1)
for name, field, w in ('gas', rho, 1), ('particles', dark, window):
    f = np.fft.fftn(field / field.mean() - 1) / field.size / w
    t = h[f'bispectrum_{name}_0000']
    power = np.array([(np.abs(f[shell == i])**2).mean() for i in range(1, 6)])
    check('shells up to two thirds of the Nyquist frequency', len(t['k']) == int(2 / 3 * 8 - 0.5))
    near(f'{name} k', t['k'][...], [kk[shell == i].mean() for i in range(1, len(t['k']) + 1)])
    long = np.isin(shell, (1, 2, 3))
    for i in range(1, len(t['k']) + 1):
        number, mean = triangles(f, [i], [i], [i])
        near(f'{name} triangles {i}', [t['triangles'][i - 1]], [number])
        check(f'{name} equilateral {i}', abs(t['equilateral'][i - 1] - mean * L.prod()**2) < 1e-9 * power[i - 1]**1.5 * L.prod()**2)
        check(f'{name} reduced {i}', abs(t['reduced'][i - 1] - mean / (3 * power[i - 1]**2)) < 1e-9 * power[i - 1]**-0.5)
        number, mean = triangles(f, [1, 2, 3], [i], [i])
        near(f'{name} squeezed triangles {i}', [t['squeezed_triangles'][i - 1]], [number])
        pl = (np.abs(f[long])**2).mean()
        check(f'{name} squeezed {i}', abs(t['squeezed'][i - 1] - mean * L.prod()**2) < 1e-9 * power[0]**1.5 * L.prod()**2)
        check(f'{name} squeezed reduced {i}', abs(t['squeezed_reduced'][i - 1] - mean / (power[i - 1]**2 + 2 * power[i - 1] * pl)) < 1e-9 * power[i - 1]**-0.5)
PY

sluice check run.yaml 'statistics.matter=[bispectrum]' >out 2>err && bad "a bispectrum of nothing was accepted"
grep -q 'nearest: \[gas, bispectrum\]' err || bad "no clear message: $(cat err)"

# the report draws it, of a mean over members
sed 's/^seed: 4/sweep: {seed: 1..2}/' run.yaml >campaign.yaml
sluice run campaign.yaml --dir campaign >out 2>&1 || bad "sluice run: $(cat out)"
grep -q '<figure id="figure-bispectrum">' campaign/report/index.html && [ -s campaign/report/figures/bispectrum.svg ] || bad "no figure of the bispectrum"
[ $failed = 0 ] && echo ok
exit $failed
