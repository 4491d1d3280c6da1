#!/bin/bash
# numpy_counts.sh - counts in cells of gas and particles against factorial moments in numpy; Poisson points have none; on 1 and 3
# ranks; the mean over members and the figure of the report.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: start
problem: cosmology
seed: 4
mesh: {cells: [16, 8, 12], box: [[-10, 90], [0, 50], [5, 80]]}
cosmology: {normalise: sigma8}
ic: {redshift: 4, order: 2}
time: {end: 0}
output: {precision: double}
statistics: {spectra: [], pdf: [], structure: [], deposit: cic, matter: [gas, particles, counts]}
YAML
sluice-ic run.yaml >out 2>err || bad "sluice-ic: $(cat err)"
/usr/bin/python3 - <<'PY' || bad "points"
import h5py, numpy as np
r = np.random.default_rng(5)
n = np.array([12, 8, 16])                               # z, y, x: points of which some cells have many, most none
clumps = np.clip(r.normal(0.5, 0.1, (1536, 3)), 0, 0.999)
with h5py.File('ic.h5', 'r+') as f:
    for d, (c, lo, side) in enumerate((('z', 5, 75), ('y', 0, 50), ('x', -10, 100))):
        x = f['particles/position_' + c]
        x[...] = (lo + side * clumps[:, d]).reshape(x.shape)
PY
sluice-sim run.yaml >out 2>err || bad "sluice-sim: $(cat err)"
mpirun -n 3 sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"
mkdir three && cp stats/counts_*.csv three
sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"
for kind in gas particles; do
    cmp "stats/counts_${kind}_0000.csv" "three/counts_${kind}_0000.csv" || bad "other numbers on 1 rank than on 3"
done

/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np
from check import check, near
ic, h = h5py.File('ic.h5', 'r'), h5py.File('stats.h5', 'r')
shape, L, lo = np.array([12, 8, 16]), np.array([75., 50., 100.]), np.array([5., 0., -10.])   # z, y, x
at = [((ic['particles/position_' + c][...].ravel() - lo[d]) / L[d] * shape[d]).astype(int) for d, c in enumerate('zyx')]
points = np.zeros(shape)
np.add.at(points, tuple(at), 1)
rho = ic['density'][...]
for name, field, discrete in ('gas', rho / rho.mean(), False), ('particles', points, True):
    t = h[f'counts_{name}_0000']
    near(f'{name} sides', t['side'][...], 6.25 * np.array([1, 2, 4]))
    for i, side in enumerate((1, 2, 4)):
        n = field.reshape(12 // side, side, 8 // side, side, 16 // side, side).sum((1, 3, 5)).ravel()
        d = n / n.mean() - 1
        near(f'{name} mean {side}', [t['mean'][i], t['cells'][i]], [n.mean(), n.size])
        fall = lambda p: np.prod([n - (q if discrete else 0) for q in range(p)], axis=0).mean() / n.mean()**p
        f2, f3, f4 = fall(2), fall(3), fall(4)
        c2, c3 = f2 - 1, f3 - 3 * f2 + 2
        c4 = f4 - 4 * f3 - 3 * f2**2 + 12 * f2 - 6
        got = [t[c][i] for c in ('raw', 'variance', 'third', 'fourth', 's3', 's4')]
        want = [(d**2).mean(), c2, c3, c4, c3 / c2**2, c4 / c2**3]
        scale = [1, 1, 1, 1, 1 / c2**2, 1 / c2**3] if name == 'gas' else want
        check(f'{name} of {side}: {got} {want}', np.allclose(np.array(got) / scale, np.array(want) / scale, rtol=1e-6, atol=1e-7))
PY

# Poisson points: the variance is the mean, less which nothing is left
mkdir poisson && cd poisson || exit 1
sed 's/cells:.*/cells: [32, 32, 32], box: [[0, 100], [0, 100], [0, 100]]}/; s/gas, //; s/redshift: 4/redshift: 99/' ../run.yaml >run.yaml
sluice-ic run.yaml >../out 2>../err || bad "sluice-ic: $(cat ../err)"
/usr/bin/python3 - <<'PY' || bad "Poisson points"
import h5py, numpy as np
r = np.random.default_rng(6)
with h5py.File('ic.h5', 'r+') as f:
    for c in 'xyz':
        x = f['particles/position_' + c]
        x[...] = 100 * r.random(x.shape)
PY
sluice-sim run.yaml >../out 2>../err || bad "sluice-sim: $(cat ../err)"
sluice-stats run.yaml >../out 2>../err || bad "sluice-stats: $(cat ../err)"
/usr/bin/python3 - <<'PY' || failed=1
import h5py
from check import check
t = h5py.File('stats.h5', 'r')['counts_particles_0000']
for i in range(3):
    m, cells = t['mean'][i], t['cells'][i]
    check(f'mean {m}', m == 8**i and cells == 32768 / m)
    check('Poisson variance', abs(t['raw'][i] * m - 1) < 5 * (3 / cells)**0.5 and abs(t['variance'][i]) < 5 * (3 / cells)**0.5 / m)
    check('Poisson third', abs(t['third'][i]) < 5 * (6 / cells / m**3)**0.5)
PY
cd ..

sluice check run.yaml 'statistics.matter=[counts]' >out 2>err && bad "counts of nothing were accepted"
grep -q 'nearest: \[gas, counts\]' err || bad "no clear message: $(cat err)"
sed 's/^seed: 4/sweep: {seed: 1..2}/' run.yaml >campaign.yaml
sluice run campaign.yaml --dir campaign >out 2>&1 || bad "sluice run: $(cat out)"
grep -q '<figure id="figure-counts">' campaign/report/index.html && [ -s campaign/report/figures/counts.svg ] || bad "no figure"
grep -q s3_mean campaign/ensemble/counts_gas_0000.csv || bad "no mean over members"
[ $failed = 0 ] && echo ok
exit $failed
