#!/bin/bash
# numpy_spectrum.sh - spectra, distributions and structure functions of sluice-stats against a plain estimator in numpy,
# for fields without any symmetry on a grid and in a box that are not cubes; also that the problem `array` brings the
# fields of a file into a run as they are.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0
bad() { echo "FAIL: $*"; failed=1; }

cat >run.yaml <<'YAML'
campaign: noise
problem: array
array: {file: fields.h5}
mesh: {cells: [24, 20, 16], box: [[0, 1.5], [0, 1], [-1, 1]]}
fluid: {gamma: 1.4}
time: {end: 0}
output: {precision: double}
YAML
/usr/bin/python3 - <<'PY'
import h5py, numpy as np
r = np.random.default_rng(5)
shape = (16, 20, 24)
with h5py.File('fields.h5', 'w') as f:
    f['density'] = np.exp(0.7 * r.standard_normal(shape))
    f['pressure'] = 1 + r.random(shape)
    for i, c in enumerate('xyz'):
        f['velocity_' + c] = (i + 1) * r.standard_normal(shape) + 0.3
PY
sluice-sim run.yaml >out 2>err || bad "sluice-sim: $(cat err)"
mpirun -n 2 sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"

/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np, sys
def check(what, ok):
    if not ok: print('FAIL:', what); sys.exit(1)
def near(what, a, b, tol=1e-10):
    a, b = np.asarray(a), np.asarray(b)
    check(f'{what}: {np.abs(a - b).max()} of {np.abs(b).max()}', a.shape == b.shape and np.abs(a - b).max() <= tol * np.abs(b).max())
g = h5py.File('fields.h5', 'r')
rho = g['density'][...]
v = np.array([g['velocity_' + c][...] for c in 'xyz'])
nz, ny, nx = rho.shape
L = np.array([1.5, 1.0, 2.0])
k = [np.fft.fftfreq(n, 1 / n) * L.max() / l for n, l in zip((nx, ny, nz), L)]
kz, ky, kx = np.meshgrid(k[2], k[1], k[0], indexing='ij')
kk = np.sqrt(kx**2 + ky**2 + kz**2)
nshell = int(min(n / 2 * L.max() / l for n, l in zip((nx, ny, nz), L)) + 1e-9)
shells = [(kk >= n - .5) & (kk < n + .5) for n in range(1, nshell + 1)]
def power(fields, weight):
    f = np.array([np.fft.fftn(x) / x.size for x in fields])
    p = weight * (np.abs(f)**2).sum(0)
    c = np.zeros_like(p)
    if len(fields) == 3:
        # mean over both signs of every component that is at its Nyquist frequency
        safe = np.where(kk > 0, kk, 1)
        edge = [np.abs(q) == np.abs(q).max() for q in (kx, ky, kz)]
        for signs in np.ndindex(2, 2, 2):
            q = [np.where(e & (s == 1), -x, x) for e, s, x in zip(edge, signs, (kx, ky, kz))]
            c += weight * np.abs((q[0] * f[0] + q[1] * f[1] + q[2] * f[2]) / safe)**2 / 8
    return [p[s].sum() for s in shells], [c[s].sum() for s in shells], p
h = h5py.File('stats.h5', 'r')
for name, fields, weight in (('velocity', v, .5), ('density', [rho / rho.mean() - 1], 1), ('energy', np.sqrt(rho) * v, .5)):
    s = h[f'spectrum_{name}_0000']
    total, comp, p = power(fields, weight)
    near(name + ' k', s['k'][...], np.arange(1, nshell + 1.0))
    near(name + ' modes', s['modes'][...], [float(m.sum()) for m in shells])
    near(name + ' k_mean', s['k_mean'][...], [kk[m].mean() for m in shells])
    near(name + ' total', s['total'][...], total)
    if len(fields) == 3:
        near(name + ' compressive', s['compressive'][...], comp)
        near(name + ' solenoidal', s['solenoidal'][...], np.array(total) - np.array(comp))
    near(name + ' overflow', s.attrs['overflow'], p[kk >= nshell + .5].sum())
    near(name + ' Parseval', sum(total) + s.attrs['overflow'] + s.attrs['mean_mode'], weight * sum((f**2).mean() for f in fields))
    check(name + ' Parseval recorded', s.attrs['parseval_error'] < 1e-12)
    check(name + ' units', s['total'].attrs['units'] and s['total'].attrs['description'])
s = np.log(rho / rho.mean())
pdf = h['pdf_density_0000']
edges = -12 + 0.1 * np.arange(241)
near('pdf volume', pdf['volume'][...], np.histogram(s, edges)[0] / s.size / 0.1)
near('pdf mass', pdf['mass'][...], np.histogram(s, edges, weights=rho)[0] / rho.sum() / 0.1)
near('pdf sigma', pdf.attrs['s_sigma'], s.std())
f = h['structure_velocity_0000']
dx = L / np.array([nx, ny, nz])
for row, lag in enumerate(f['lag'][...]):
    along, across = [], []
    for axis in range(3):
        n = lag / dx[axis]
        if abs(n - round(n)) > 1e-6 or 2 * round(n) > rho.shape[2 - axis]: continue
        d = np.abs(np.roll(v, -round(n), axis=3 - axis) - v)
        along.append(d[axis])
        across += [d[c] for c in range(3) if c != axis]
    for p in range(1, 7):
        near(f'S_{p} longitudinal at {lag}', f[f'long_{p}'][row], np.mean(np.array(along)**p))
        near(f'S_{p} transverse at {lag}', f[f'trans_{p}'][row], np.mean(np.array(across)**p))
near('slice', h['slice_density_z_0000/map'][...], np.log10(rho[8]))
near('projection', h['projection_density_z_0000/map'][...], np.log10(rho.sum(0) * dx[2]))
lines = [x for x in open('stats/spectrum_velocity_0000.csv') if x[0] != '#']
csv = np.genfromtxt(lines, delimiter=',', names=True)
near('CSV', csv['total'], h['spectrum_velocity_0000/total'][...], 1e-9)
PY
[ $failed = 0 ] && echo ok
exit $failed
