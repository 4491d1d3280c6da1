#!/bin/bash
# numpy_spectrum.sh - spectra, distributions, structure functions and clumps of sluice-stats against plain estimators in
# numpy and scipy, for fields without any symmetry on a grid and in a box that are not cubes; also that the problem `array` brings the
# fields of a file into a run as they are, and that snapshots hold the potential of self-gravity.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: noise
problem: array
array: {file: fields.h5}
mesh: {cells: [24, 20, 16], box: [[0, 1.5], [0, 1], [-1, 1]]}
fluid: {gamma: 1.4}
time: {end: 0}
output: {precision: double, potential: true}
gravity: {four_pi_g: 3}
statistics:
  spectra: [velocity, density, energy, cascade, log_density]
  joint: [speed, temperature]
  clumps: 1.3
  clump_cells: 3
  maps: [density, pressure, temperature, speed, velocity_y, vorticity, divergence, potential]
  map_axes: [x, y, z]
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
from scipy import ndimage
from check import check, near
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
    return [p[s].sum() for s in shells], [c[s].sum() for s in shells], p, c
h = h5py.File('stats.h5', 'r')
for name, fields, weight in (('velocity', v, .5), ('density', [rho / rho.mean() - 1], 1), ('energy', np.sqrt(rho) * v, .5),
                             ('cascade', np.cbrt(rho) * v, .5), ('log_density', [np.log(rho / rho.mean())], 1)):
    s = h[f'spectrum_{name}_0000']
    total, comp, p, split = power(fields, weight)
    near(name + ' k', s['k'][...], np.arange(1, nshell + 1.0))
    near(name + ' modes', s['modes'][...], [float(m.sum()) for m in shells])
    near(name + ' k_mean', s['k_mean'][...], [kk[m].mean() for m in shells])
    near(name + ' total', s['total'][...], total)
    if len(fields) == 3:
        near(name + ' compressive', s['compressive'][...], comp)
        near(name + ' solenoidal', s['solenoidal'][...], np.array(total) - np.array(comp))
    even = np.arange(1, nshell + 1.0)**2 * 4 * np.pi * np.prod(L / L.max()) / [m.sum() for m in shells]
    near(name + ' even', s['even'][...], total * even)
    x, y = np.log(s['k'][2:nshell // 4]), np.log(total[2:nshell // 4])
    if len(x) >= 3: near(name + ' slope', s.attrs['slope'], np.polyfit(x, y, 1)[0])
    near(name + ' overflow', s.attrs['overflow'], p[kk >= nshell + .5].sum())
    near(name + ' Parseval', sum(total) + s.attrs['overflow'] + s.attrs['mean_mode'], weight * sum((f**2).mean() for f in fields))
    check(name + ' Parseval recorded', s.attrs['parseval_error'] < 1e-12)
    check(name + ' units', s['total'].attrs['units'] and s['total'].attrs['description'])
    of = {'velocity': 'velocity', 'energy': 'kinetic'}.get(name)
    if of:
        waves, pieces = p[kk > 0].sum(), np.concatenate([f.ravel() for f in fields])
        near(of + ' whole', h['energies/' + of][...], [weight * 3 * (pieces**2).mean()])
        near(of + ' compressive', h[f'energies/{of}_compressive'][...], [split[kk > 0].sum()])
        near(of + ' solenoidal', h[f'energies/{of}_solenoidal'][...], [waves - split[kk > 0].sum()])
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
pressure = g['pressure'][...]
for name, q in ('speed', np.sqrt((v**2).sum(0))), ('temperature', pressure / rho):
    j, e = h['joint_density_' + name + '_0000'], -4 + 0.1 * np.arange(81)
    share = np.histogram2d(np.log10(q / np.sqrt((q**2).mean())).ravel(), np.log10(rho / rho.mean()).ravel(), bins=(e, e))[0] / rho.size
    near('joint ' + name, j['map'][...], share)
    near('joint ' + name + ' all', j['map'][...].sum() + j.attrs['outside'], 1.0)
# clumps: joined over periodic faces by hand on what scipy labels in the open box
dense = rho > 1.3 * rho.mean()
label, count = ndimage.label(dense)
root = np.arange(count + 1)
for axis in range(3):
    for a, b in zip(label.take(0, axis).ravel(), label.take(-1, axis).ravel()):
        if a and b:
            a, b = (next(x for x in iter(lambda: root[y], None) if root[x] == x) if root[y] != y else y for y in (a, b))
            root[max(a, b)] = min(a, b)
for i in range(count + 1):
    while root[root[i]] != root[i]: root[i] = root[root[i]]
label = root[label]
names = [i for i in np.unique(label) if i and (label == i).sum() >= 3]
cell = dx.prod()
names.sort(key=lambda i: -rho[label == i].sum())
t = h['clumps_0000']
check(f"clumps: {len(t['mass'])} of {len(names)}", len(t['mass']) == len(names) > 5)
near('clump masses', t['mass'][...], [rho[label == i].sum() * cell for i in names])
near('clump volumes', t['volume'][...], [(label == i).sum() * cell for i in names])
near('clump peaks', t['peak'][...], [rho[label == i].max() for i in names])
mean = lambda q, i: np.average(q[label == i], weights=rho[label == i])
near('clump velocities', t['velocity_y'][...], [mean(v[1], i) for i in names])
spread = [np.sqrt(sum(mean(v[d]**2, i) - mean(v[d], i)**2 for d in range(3))) for i in names]
near('clump dispersions', t['dispersion'][...], spread)
angle = 2 * np.pi * (np.arange(nx) + 0.5) / nx + 0 * rho
near('clump x', t['x'][...], [np.angle(mean(np.exp(1j * angle), i)) / 2 / np.pi % 1 * L[0] for i in names])
near('clump counts', h['clump_masses_0000/clumps'][...].sum(), float(len(names)))
near('slice', h['slice_density_z_0000/map'][...], np.log10(rho[8]))
near('projection', h['projection_density_z_0000/map'][...], np.log10(rho.sum(0) * dx[2]))
slope = lambda f, a: (np.roll(f, -1, 2 - a) - np.roll(f, 1, 2 - a)) / 2 / dx[a]
curl = [slope(v[(a + 2) % 3], (a + 1) % 3) - slope(v[(a + 1) % 3], (a + 2) % 3) for a in range(3)]
p = g['pressure'][...]
# gravity.four_pi_g (rho - mean) over the eigenvalues of the 7-point operator
square = sum((2 * np.sin(np.pi * q * L[a] / L.max() / n) / dx[a])**2 for a, (q, n) in enumerate(zip((kx, ky, kz), (nx, ny, nz))))
potential = np.fft.ifftn(np.fft.fftn(rho - rho.mean()) * -3 / np.where(square > 0, square, 1)).real
maps = {'pressure': p, 'temperature': p / rho, 'speed': np.sqrt((v**2).sum(0)), 'velocity_y': v[1],
        'vorticity': np.sqrt(sum(c**2 for c in curl)), 'divergence': sum(slope(v[a], a) for a in range(3)),
        'potential': potential}
for a, axis in enumerate('xyz'):
    near('slice along ' + axis, h[f'slice_density_{axis}_0000/map'][...], np.log10(np.take(rho, rho.shape[2 - a] // 2, 2 - a)))
    near('integral along ' + axis, h[f'projection_density_{axis}_0000/map'][...], np.log10(rho.sum(2 - a) * dx[a]))
    for name, f in maps.items():
        near(f'{name} across {axis}', h[f'slice_{name}_{axis}_0000/map'][...], np.take(f, f.shape[2 - a] // 2, 2 - a))
        near(f'{name} along {axis}', h[f'projection_{name}_{axis}_0000/map'][...], (rho * f).sum(2 - a) / rho.sum(2 - a))
lines = [x for x in open('stats/spectrum_velocity_0000.csv') if x[0] != '#']
csv = np.genfromtxt(lines, delimiter=',', names=True)
near('CSV', csv['total'], h['spectrum_velocity_0000/total'][...], 1e-9)
PY
[ $failed = 0 ] && echo ok
exit $failed
