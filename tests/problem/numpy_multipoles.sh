#!/bin/bash
# numpy_multipoles.sh - multipoles of dark matter in redshift space against plain estimators in numpy, in a box and on a grid that are not
# cubes, with and without interlacing; beside Kaiser's of the input; on 1 and 3 ranks; in the report; refused where nothing moves.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: start
problem: cosmology
seed: 4
mesh: {cells: [16, 12, 16], box: [[-10, 190], [0, 150], [5, 205]], block: [8, 12, 8]}
cosmology: {normalise: sigma8, omega_m: 0.3, omega_k: 0, t_cmb: 0}
ic: {redshift: 19, fixed: true}
particles: {spacing: 1}
fluid: {dual_energy: true}
time: {unit: redshift, end: 3}
output: {snapshot: 9, precision: double}
statistics: {spectra: [], pdf: [], structure: [], matter: [multipoles]}
YAML
sluice-ic run.yaml >out 2>err || bad "sluice-ic: $(cat err)"
sluice-sim run.yaml >out 2>err || bad "sluice-sim: $(cat err)"
for scheme in cic tsc interlaced_tsc; do
    case $scheme in interlaced_*) interlace=true ;; *) interlace=false ;; esac
    mpirun -n 3 sluice-stats run.yaml statistics.deposit=${scheme#interlaced_} statistics.interlace=$interlace >out 2>err || bad "sluice-stats: $(cat err)"
    mv stats.h5 $scheme.h5
done
cp stats/multipoles_particles_0001.csv three.csv
sluice-stats run.yaml statistics.deposit=tsc statistics.interlace=true >out 2>err || bad "sluice-stats: $(cat err)"
cmp stats/multipoles_particles_0001.csv three.csv || bad "other numbers on 1 rank than on 3"

/usr/bin/python3 - <<'PY' || failed=1
import glob, h5py, numpy as np
from scipy.integrate import quad
from check import check, near
shape, L, lo = np.array([16, 12, 16]), np.array([200., 150., 200.]), np.array([-10., 0., 5.])
snapshot = h5py.File(sorted(glob.glob('snapshots/*0001*'))[0], 'r')
rows, head = snapshot['tracer particles'][...], snapshot['sluice'].attrs
x, v = rows[:, :3] / head['cgs_length'], rows[:, 3:6] / head['cgs_velocity']
a = 1 / (1 + h5py.File('tsc.h5', 'r')['multipoles_particles_0001'].attrs['redshift'])
check(f'a = {a}', abs(a - 0.25) < 1e-9)
E = lambda a: np.sqrt(0.3 / a**3 + 0.7)
# D = E int da / (a E)^3 of matter and a cosmological constant; f by its slope
D = lambda a: E(a) * quad(lambda b: (b * E(b))**-3, 0, a, epsabs=0, epsrel=1e-12)[0]
f = (np.log(D(a * 1.001)) - np.log(D(a / 1.001))) / (2 * np.log(1.001))
k = np.array(np.meshgrid(*[2 * np.pi * np.fft.fftfreq(m, l / m) for m, l in zip(shape, L)], indexing='ij'))
kk = np.sqrt((k**2).sum(0))
unit = 2 * np.pi / L.max()
shells = [(kk >= (i - .5) * unit) & (kk < (i + .5) * unit) for i in range(1, 8)]
def deposit(x, order):
    w = []
    for d in range(3):
        s = np.abs((x[:, d, None] - lo[d]) % L[d] / L[d] * shape[d] - (np.arange(shape[d]) + 0.5)[None, :])
        s = np.minimum(s, shape[d] - s)
        w.append(np.clip(1 - s, 0, None) if order == 2 else np.where(s < 0.5, 0.75 - s**2, np.where(s < 1.5, 0.5 * (1.5 - s)**2, 0)))
    n = np.einsum('pi,pj,pk->ijk', *w, optimize=True)
    return np.fft.fftn(n / n.mean() - 1) / n.size
turn = np.prod([np.where(np.abs(q) == np.abs(q).max(), 0, np.exp(0.5j * q * l / m)) for q, l, m in zip(k, L, shape)], axis=0)
for order, interlaced, scheme in (2, 0, 'cic'), (3, 0, 'tsc'), (3, 1, 'interlaced_tsc'):
    want = np.zeros((3, len(shells)))
    for sight in range(3):
        s = x.copy()
        s[:, sight] += v[:, sight] / (a**2 * E(a))     # the velocities of a run are a times the peculiar ones over 100 km/s
        p = deposit(s, order)
        if interlaced: p = (p + deposit(s + L / shape / 2, order) * turn) / 2
        power = np.abs(p)**2 / np.prod([np.sinc(q * l / m / 2 / np.pi) for q, l, m in zip(k, L, shape)], axis=0)**(2 * order) * L.prod()
        mu = k[sight] / np.where(kk > 0, kk, 1)
        for i, pole in enumerate((1, 2.5 * (3 * mu**2 - 1), 9 / 8 * (35 * mu**4 - 30 * mu**2 + 3))):
            want[i] += [(power * pole)[s].mean() / 3 for s in shells]
    t = h5py.File(scheme + '.h5', 'r')['multipoles_particles_0001']
    for i, name in enumerate(('monopole', 'quadrupole', 'hexadecapole')):
        off = np.abs(t[name][...] - want[i]).max() / want[0].max()
        check(f'{scheme} {name}: {off:.1e} of the largest power off', off < 1e-9)
    near(f'{scheme} k', t['k'][...], [kk[s].mean() for s in shells])
    linear = h5py.File(scheme + '.h5', 'r')['matter_particles_0001/input'][...]
    for name, part in ('theory_0', 1 + 2 * f / 3 + f**2 / 5), ('theory_2', 4 * f / 3 + 4 * f**2 / 7), ('theory_4', 8 * f**2 / 35):
        check(f'{name}', np.abs(t[name][...] / (part * linear) - 1).max() < 1e-4)
    # waves much longer than a cell grow by linear theory, seen along the line of sight as Kaiser has them
    first = [(t[n][:2] * t['modes'][:2]).sum() / (t['theory_0'][:2] * t['modes'][:2]).sum() / part for n, part in (('monopole', 1), ('quadrupole', (4 * f / 3 + 4 * f**2 / 7) / (1 + 2 * f / 3 + f**2 / 5)))]
    check(f'{scheme}: monopole and quadrupole of the longest waves over theory {first}', abs(first[0] - 1) < 0.25 and abs(first[1] / first[0] - 1) < 0.25)
PY

# the report draws the mean of members; those with fixed amplitudes have no covariance
sed 's/^seed: 4/sweep: {seed: 1..3}/' run.yaml >fixed.yaml
sed 's/, fixed: true//' fixed.yaml >campaign.yaml
for f in fixed campaign; do sluice run $f.yaml --dir $f >out 2>&1 || bad "sluice run: $(cat out)"; done
ls fixed/ensemble | grep -q '^multipoles_particles_0001.csv' || bad "no means of fixed amplitudes"
ls fixed/ensemble | grep 'covariance\|correlation_matrix' && bad "a covariance of fixed amplitudes"
/usr/bin/python3 - <<'PY' || failed=1
import numpy as np, sys
def read(path): return np.genfromtxt([l for l in open(path) if l[0] != '#'], delimiter=',', names=True)
members = [read(f'campaign/members/000{i}/stats/multipoles_particles_0001.csv') for i in range(3)]
def matrix(name): return np.array([[float(x) for x in l.split(',')] for l in open(f'campaign/ensemble/{name}_particles_0001.csv') if l[0] != '#'])
cov = matrix('covariance_quadrupole')
want = np.cov(np.array([m['quadrupole'] for m in members]).T)
drawn = read('campaign/report/figures/multipoles_2.csv')
if not np.allclose(cov, want, rtol=1e-6, atol=1e-9 * cov.max()): print('FAIL: the covariance of the quadrupole'); sys.exit(1)
scale = np.sqrt(np.outer(want.diagonal(), want.diagonal()))
if not np.allclose(matrix('correlation_matrix_quadrupole'), want / scale, atol=1e-6): print('FAIL: the correlation matrix'); sys.exit(1)
if not np.allclose(matrix('covariance_error_quadrupole'), np.sqrt((want**2 + scale**2) / 2), rtol=1e-6): print('FAIL: the error of the covariance'); sys.exit(1)
if not np.allclose(drawn['quadrupole'], np.mean([m['quadrupole'] for m in members], axis=0), rtol=1e-8): print('FAIL: the figure is not the mean'); sys.exit(1)
PY
grep -q '<figure id="figure-multipoles">' campaign/report/index.html && [ -s campaign/report/figures/multipoles.svg ] || bad "no figure of the multipoles"

# nothing moves
for key in time.end=0 ic.species=baryons; do
    sed 's/time: {.*/time: {end: 0}/' run.yaml >still.yaml
    sluice check still.yaml $key 2>err >out && bad "multipoles of what does not move were accepted"
    grep -q 'statistics.matter.*nearest: \[particles\]\|statistics.matter.*dark matter' err || bad "no clear message: $(cat err)"
done
[ $failed = 0 ] && echo ok
exit $failed
