#!/bin/bash
# numpy_structure.sh - structure functions of velocity and density along axes and diagonals against direct sums in numpy:
# three dimensions with cells that are not cubes, two dimensions; the same numbers on 1 and 3 ranks.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

# write_run CELLS BOX
write_run() {
    cat >run.yaml <<YAML
campaign: noise
problem: array
array: {file: fields.h5}
mesh: {cells: $1, box: $2}
time: {end: 0}
output: {precision: double}
statistics: {spectra: [], pdf: [], structure: [velocity, density, diagonals]}
YAML
    /usr/bin/python3 - "$1" <<'PY'
import h5py, json, numpy as np, sys
r = np.random.default_rng(6)
shape = json.loads(sys.argv[1])[::-1]
with h5py.File('fields.h5', 'w') as f:
    f['density'] = np.exp(0.7 * r.standard_normal(shape))
    f['pressure'] = 1 + r.random(shape)
    for i, c in enumerate('xyz'):
        f['velocity_' + c] = (i + 1) * r.standard_normal(shape) + 0.3
PY
    rm -rf snapshots stats
    sluice-sim run.yaml >out 2>err || bad "sluice-sim: $(cat err)"
    mpirun -n 3 sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"
    mv stats three
    sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"
    diff -r stats three >out || bad "other numbers on 1 rank than on 3: $(head -n 3 out)"
    rm -r three
}

# compare_run CELLS BOX
compare_run() {
    write_run "$1" "$2"
    /usr/bin/python3 - "$1" "$2" <<'PY' || failed=1
import h5py, itertools, json, numpy as np, sys
from check import check
def near(what, a, b, tol=1e-12):
    check(f'{what}: {a} is not {b}', abs(a - b) <= tol * abs(b))
n, box = json.loads(sys.argv[1]), json.loads(sys.argv[2])
dim = len(n)
L = np.array([b - a for a, b in box])
g, h = h5py.File('fields.h5', 'r'), h5py.File('stats.h5', 'r')
rho = g['density'][...] / g['density'][...].mean()
v = np.array([g['velocity_' + c][...] for c in 'xyz'[:dim]])
dx = L / n
def moved(f, cells):  # f(x + cells): axes of the array are z, y, x
    return np.roll(f, [-c for c in cells], axis=[f.ndim - 1 - d for d in range(dim)])
def across(e):
    """unit vectors across a direction, as the table says"""
    axes = [d for d in range(3) if e[d]]
    out = []
    if len(axes) == 1: out = [[float(d == a) for d in range(3)] for a in range(3) if a != axes[0]]
    if len(axes) == 2:
        other = [0.0] * 3
        other[axes[0]], other[axes[1]] = e[axes[0]], -e[axes[1]]
        out = [other] + [[float(d == a) for d in range(3)] for a in range(3) if not e[a]]
    if len(axes) == 3: out = [[e[0], -e[1], 0], [e[0], e[1], -2 * e[2]]]
    return [np.array(u)[:dim] / np.linalg.norm(u) for u in out if not any(u[dim:])]
tested = 0
for axes, end in (1, ''), (2, '_110'), (3, '_111'):
    name = 'structure_velocity' + end
    check(f'{name} is there if it can be', (name in {k[:-5] for k in h}) == (axes <= dim))
    if axes > dim: continue
    signs = [e for e in itertools.product((-1, 0, 1), repeat=dim) if sum(map(abs, e)) == axes]
    t, d = h[name + '_0000'], h['structure_density' + end + '_0000']
    check('lags of density and velocity', np.array_equal(t['lag'], d['lag']))
    for row, lag in enumerate(t['lag'][...]):
        long, trans, dense = [], [], []
        for e in signs:
            cells = lag / np.sqrt(axes) * np.abs(e) / dx
            whole = np.round(cells)
            if (abs(cells - whole) > 1e-6).any() or (2 * whole > n).any(): continue
            step = (whole * e).astype(int)
            dv = np.array([moved(c, step) - c for c in v])
            full = np.array(e + (0,) * (3 - dim), float)
            long.append(np.abs(np.tensordot(full[:dim] / np.sqrt(axes), dv, 1)))
            trans += [np.abs(np.tensordot(u, dv, 1)) for u in across(full)]
            dense.append(np.abs(moved(rho, step) - rho))
            tested += 1
        check('a direction for each lag', len(long) > 0)
        for p in range(1, 7):
            near(f'{name} S_{p} longitudinal at {lag}', t[f'long_{p}'][row], np.mean(np.array(long)**p))
            near(f'{name} S_{p} transverse at {lag}', t[f'trans_{p}'][row], np.mean(np.array(trans)**p))
            near(f'density{end} S_{p} at {lag}', d[f'order_{p}'][row], np.mean(np.array(dense)**p))
check(f'{tested} directions', tested >= 16)
PY
}
compare_run '[24, 20, 16]' '[[0, 1.2], [0, 2], [-1, 0.6]]'
compare_run '[16, 16, 16]' '[[0, 1], [0, 1], [0, 1]]'
compare_run '[16, 12]' '[[0, 4], [0, 6]]'
sluice-stats run.yaml 'statistics.structure=[diagonals]' 2>err && bad "diagonals of nothing were accepted"
grep -q 'velocity, diagonals' err || bad "no clear message: $(cat err)"
[ $failed = 0 ] && echo ok
exit $failed
