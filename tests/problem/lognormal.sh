#!/bin/bash
# lognormal.sh - power and correlation function of log-normal fields, whose exact ones are known: of a Gaussian field with the
# correlation x(r), rho = exp(g - x(0) / 2) has the mean 1 and the correlation exp(x(r)) - 1. Eight realisations against the
# exact numbers, with the scatter of as many others as numpy needs to know it.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >fields.py <<'PY'
import numpy as np
n, L, realisations = 48, 6., 8
k = 2 * np.pi * np.fft.fftfreq(n, L / n)
kk = np.sqrt(sum(q**2 for q in np.meshgrid(k, k, k, indexing='ij')))
power = np.exp(-(kk / 15)**2)  # of the Gaussian field, up to a factor
x = np.fft.ifftn(power).real
power *= 0.5 / x[0, 0, 0]
x *= 0.5 / x[0, 0, 0]
def field(seed):
    white = np.random.default_rng(seed).standard_normal((n,) * 3)
    return np.exp(np.fft.ifftn(np.fft.fftn(white) * np.sqrt(power)).real - 0.25)
PY
cat >run.yaml <<'YAML'
campaign: noise
problem: array
array: {file: fields.h5}
mesh: {cells: [48, 48, 48], box: [[0, 6], [0, 6], [0, 6]]}
time: {end: 0}
output: {precision: double}
statistics: {spectra: [density], pdf: [], structure: [], matter: [gas, correlation]}
YAML
for seed in 1 2 3 4 5 6 7 8; do
    /usr/bin/python3 - $seed <<'PY'
import sys
sys.path.insert(0, '.')
import h5py, numpy as np
from fields import field, n
with h5py.File('fields.h5', 'w') as f:
    f['density'] = field(int(sys.argv[1]))
    for name in ('pressure', 'velocity_x', 'velocity_y', 'velocity_z'):
        f[name] = np.ones((n,) * 3)
PY
    rm -rf snapshots stats
    sluice-sim run.yaml >out 2>err || bad "sluice-sim: $(cat err)"
    sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"
    mv stats stats.$seed
done
/usr/bin/python3 - <<'PY' || failed=1
import sys
sys.path.insert(0, '.')
import numpy as np
from check import check
from fields import L, field, kk, n, realisations, x
def read(seed, table, column):
    t = np.genfromtxt([l for l in open(f'stats.{seed}/{table}_0000.csv') if l[0] != '#'], delimiter=',', names=True)
    return t[column]
xi = np.exp(x) - 1
exact = np.fft.fftn(xi).real / n**3  # <|d_k|^2>
shell = np.floor(kk * L / 2 / np.pi + 0.5).astype(int)
lag = np.minimum(np.arange(n), n - np.arange(n))
r = np.sqrt(sum(q**2 for q in np.meshgrid(lag, lag, lag, indexing='ij')))
bins = np.floor(r + 0.5).astype(int)
def means(f, of, last): return np.array([f[of == i].mean() for i in range(1, last + 1)])
def in_numpy(seed):
    p = np.abs(np.fft.fftn(field(seed)) / n**3)**2
    return means(p, shell, n // 2), means((np.fft.ifftn(p) * n**3).real - 1, bins, n // 2)
scatter = [np.std(q, 0, ddof=1) / np.sqrt(realisations) for q in zip(*[in_numpy(s) for s in range(100, 260)])]
seeds = range(1, realisations + 1)
mean = {s: field(s).mean() for s in seeds}  # contrasts are taken from the mean of each field, not from 1
counts = np.array([(shell == i).sum() for i in range(1, n // 2 + 1)])
found = {'power of density': (np.mean([read(s, 'spectrum_density', 'total') / counts * mean[s]**2 for s in seeds], 0), means(exact, shell, n // 2), scatter[0]),
         'power of matter': (np.mean([read(s, 'matter_gas', 'power') / L**3 * mean[s]**2 for s in seeds], 0), means(exact, shell, n // 2)[:-1], scatter[0][:-1]),
         'correlation': (np.mean([(1 + read(s, 'correlation_gas', 'xi')) * mean[s]**2 - 1 for s in seeds], 0), means(xi, bins, n // 2), scatter[1])}
for what, (a, want, error) in found.items():
    check(f'{what}: {len(a)} rows', len(a) == len(want))
    z = (a - want) / error
    check(f'{what}: {np.round(z, 1)} standard errors from the exact one', abs(z).max() < 4)  # shells and lags have much in common
    check(f'{what}: errors of {min(error / abs(want)):.3f}', min(error / abs(want)) < 0.05)
gauss = np.fft.fftn(x).real / n**3
check('a Gaussian field has another power', (abs(means(gauss, shell, n // 2) - found['power of density'][1]) > 3 * scatter[0]).sum() > 6)
PY
[ $failed = 0 ] && echo ok
exit $failed
