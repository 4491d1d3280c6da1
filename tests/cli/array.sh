#!/bin/bash
# array.sh - the problem `array`: fields of a file on the run's grid, on a finer and on a coarser one, and on the levels that are
# as fine as it is; a magnetic field at faces, on levels too; what bad files get, of a run and before there is one.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
cat >run.yaml <<'YAML'
campaign: a
problem: array
array: {file: same.h5}
mesh: {cells: [12, 8], box: [[0, 3], [0, 2]], block: 4}
fluid: {gamma: 1.4}
time: {end: 0}
output: {precision: double}
YAML
/usr/bin/python3 - <<'PY'
import h5py, numpy as np
r = np.random.default_rng(1)
def write(name, shape, drop=(), **change):
    f = {'density': 1 + r.random(shape), 'pressure': 1 + r.random(shape), 'velocity_x': r.standard_normal(shape), 'velocity_y': r.standard_normal(shape)}
    f.update(change)
    with h5py.File(name, 'w') as h:
        for k, v in f.items():
            if k not in drop: h[k] = v
write('same.h5', (8, 12))
write('single.h5', (1, 8, 12), velocity_x=np.ones((1, 8, 12), 'f4'), density=np.full((1, 8, 12), 2, 'i4'))
write('fine.h5', (16, 36))
write('coarse.h5', (4, 3))
write('mixed.h5', (4, 24))
write('odd.h5', (8, 13))
y, x = np.mgrid[:32, :32]
write('stripes.h5', (32, 32), density=1 + 0.3 * np.sin(np.pi * y / 8), pressure=0.01 + 0.001 * np.cos(np.pi * x / 16), velocity_x=5 * (-1.0)**x, velocity_y=3 * (-1.0)**y)
write('less.h5', (8, 12), drop=('pressure',))
write('novel.h5', (8, 12), drop=('velocity_y',))
write('vacuum.h5', (8, 12), density=np.where(np.arange(96).reshape(8, 12) == 27, 0.0, 1.0))
write('deep.h5', (2, 8, 12))
write('shapes.h5', (8, 12), pressure=np.ones((4, 12)))
write('text.h5', (8, 12), pressure=np.array([b'x'] * 96).reshape(8, 12))
write('empty.h5', (0, 12))
write('crossed.h5', (8, 12), **{'magnetic_field_' + axis: np.ones((8, 12)) for axis in 'xyz'})
for name, cells in (('wide.h5', 2049), ('vast.h5', 2048)): # without values, which are 0 then: only names and shapes are looked at
    with h5py.File(name, 'w') as h:
        for field in 'density', 'pressure', 'velocity_x', 'velocity_y':
            h.create_dataset(field, (2048, cells))
def faces(name, ny, nx, bent=0, **change):
    """the curl of a potential at corners"""
    x, y = np.meshgrid(np.linspace(0, 3, nx + 1), np.linspace(0, 2, ny + 1))
    a = np.sin(2 * np.pi * x / 3) * np.cos(np.pi * y)
    bx, by = np.diff(a, axis=0) / (2 / ny), -np.diff(a, axis=1) / (3 / nx)
    bx[0, 0] += bent
    write(name, (ny, nx), **{'magnetic_face_x': bx, 'magnetic_face_y': by, 'magnetic_field_z': np.full((ny, nx), 0.5), **change})
faces('faces.h5', 8, 12)
faces('faces_fine.h5', 24, 48)
faces('faces_bent.h5', 8, 12, bent=1e-6)
faces('faces_odd.h5', 8, 12, magnetic_face_y=np.ones((9, 13)))
def potential(name, ny, nx, **change):
    """of the same field, and of a uniform one"""
    x, y = np.meshgrid(np.linspace(0, 3, nx + 1), np.linspace(0, 2, ny + 1))
    a = np.sin(2 * np.pi * x / 3) * np.cos(np.pi * y) + 0.3 * y - 0.2 * x
    write(name, (ny, nx), **{'vector_potential_z': a, 'magnetic_field_z': np.full((ny, nx), 0.5), **change})
potential('edges.h5', 8, 12)
potential('edges_fine.h5', 24, 48)
potential('edges_odd.h5', 8, 12, vector_potential_z=np.ones((8, 13)))
q, n = np.random.default_rng(2), (4, 8, 12)
edge = lambda a: q.standard_normal([k + (2 - i != a) for i, k in enumerate(n)])
with h5py.File('edges_3d.h5', 'w') as h:
    for k in 'density', 'pressure', 'velocity_x', 'velocity_y', 'velocity_z': h[k] = np.ones(n)
    for i, k in enumerate('xyz'):
        v = edge(i)
        for a in range(3): # periodic
            if a != i: v[(slice(None),) * (2 - a) + (-1,)] = v[(slice(None),) * (2 - a) + (0,)]
        h['vector_potential_' + k] = v
PY
for f in same single fine coarse mixed; do
    rm -rf snapshots history.tsv checkpoints
    mpirun -n 2 sluice-sim run.yaml array.file=$f.h5 >out 2>err || bad "$f.h5: $(cat err)"
    mv history.tsv $f.tsv
    mv snapshots/a_hdf5_plt_cnt_0000 $f.plt
done
/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np, sys
from check import check
def history(path):
    lines = open(path).read().split('\n')
    names = [x.split('[')[0] for x in [l for l in lines if l.startswith('time[')][0].split()]
    return dict(zip(names, map(float, [l for l in lines[1:] if l and l[0] != '#'][0].split())))
def fields(path):
    h = h5py.File(path, 'r')
    f = {k: h[k][...].astype(float).reshape(h[k].shape[-2:]) for k in h}
    f.setdefault('velocity_z', 0 * f['density'])
    rho, v2 = f['density'], f['velocity_x']**2 + f['velocity_y']**2
    return rho, rho * f['velocity_x'], rho * f['velocity_y'], f['pressure'] / 0.4 + 0.5 * rho * v2
def blocks(path):
    """the snapshot's density on the grid of the run"""
    h = h5py.File(path, 'r')
    out = np.zeros((8, 12))
    d, c, b = h['dens'][...], h['coordinates'][...], h['block size'][...]
    for i in range(len(d)):
        x, y = (int(round((c[i][a] - b[i][a] / 2) / 0.25)) for a in (0, 1))
        out[y:y + 4, x:x + 4] = d[i, 0]
    return out
def regrid(q, shape=(8, 12)):
    for a in (0, 1):
        n, m = q.shape[a], shape[a]
        if n >= m: q = q.reshape(q.shape[:a] + (m, n // m) + q.shape[a + 1:]).mean(a + 1)
        else: q = np.repeat(q, m // n, a)
    return q
for name in ('same', 'single', 'fine', 'coarse', 'mixed'):
    h, f = history(name + '.tsv'), fields(name + '.h5')
    for key, q in zip(('mass', 'momentum_x', 'momentum_y', 'energy_total'), f):
        check(f'{name}: {key} is conserved, {h[key]} {6 * q.mean()}', abs(h[key] - 6 * q.mean()) < 1e-13 * 6 * np.abs(q).mean())
    check(name + ': density', np.allclose(blocks(name + '.plt'), regrid(f[0]), rtol=1e-14, atol=0))
PY
# cold gas whose velocity no coarser grid can hold: levels have what the file has, and finer ones no heat besides
all='mesh.refine=[{by: box, lo: [0, 0], hi: [3, 2]}]'
for levels in 1 2; do
    rm -rf snapshots history.tsv checkpoints
    mpirun -n 2 sluice-sim run.yaml array.file=stripes.h5 'mesh.cells=[16,16]' mesh.block=8 mesh.levels=$levels "$all" >out 2>err ||
        bad "stripes.h5: $(cat err)"
    mv snapshots/a_hdf5_plt_cnt_0000 stripes$levels.plt
    sluice check run.yaml array.file=stripes.h5 'mesh.cells=[16,16]' mesh.block=8 mesh.levels=$levels "$all" >out 2>&1 || bad "stripes: $(cat out)"
    told=$(grep -c 'the start is as fine as level 1, up to which each level has its own values: levels 2 to 2 begin' out)
    [ "$told" = $((levels - 1)) ] || bad "check of $levels levels says: $(cat out)"
done
/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np
from check import check
want = h5py.File('stripes.h5')
def leaves(path, level):
    h, n = h5py.File(path), 16 << level
    out, leaf = {k: np.zeros((n, n)) for k in ('dens', 'pres', 'velx')}, h['node type'][...] == 1
    check(f'{path}: all leaves are of level {level}', set(h['refine level'][...][leaf] - 1) == {level})
    for i in np.nonzero(leaf)[0]:
        x, y = (int(round((h['coordinates'][i][a] - h['block size'][i][a] / 2) / (3 - a) * n)) for a in (0, 1))
        for k in out: out[k][y:y + 8, x:x + 8] = h[k][i, 0]
    return out
got = leaves('stripes1.plt', 1)
for k, name in ('dens', 'density'), ('pres', 'pressure'), ('velx', 'velocity_x'):
    worst = np.abs(got[k] / want[name][...] - 1).max()
    check(f'level 1: {name} is that of the file to {worst}', worst < 1e-11)
fine, heat = leaves('stripes2.plt', 2), (want['pressure'][...] / want['density'][...]).max()
check('level 2: mass', abs(fine['dens'].mean() / want['density'][...].mean() - 1) < 1e-14)
most, mean = (fine['pres'] / fine['dens']).max(), fine['pres'].mean() / want['pressure'][...].mean()
check(f'level 2: no heat besides that of the file, {mean} of it, {most} for {heat} at most', 0 < fine['pres'].min() and mean < 1 + 1e-12 and most < 3 * heat)
PY
for f in faces faces_fine; do
    for levels in 0 1; do
        mesh=
        [ $f$levels = faces1 ] && continue # its cells are too large for a finer level
        [ $levels = 1 ] && mesh='mesh.cells=[12,12] mesh.block=6'
        rm -rf snapshots history.tsv checkpoints
        # shellcheck disable=SC2086
        mpirun -n 2 sluice-sim run.yaml fluid.mhd=ct array.file=$f.h5 mesh.levels=$levels $mesh \
            'mesh.refine=[{"by":gradient,"of":density,"above":0.3}]' time.end=0.02 >out 2>err || bad "$f.h5: $(cat err)"
        mv history.tsv $f$levels.tsv
    done
done
for f in edges edges_fine edges_3d; do
    mesh=
    [ $f = edges_3d ] && mesh='mesh.cells=[12,8,4] mesh.box=[[0,2],[0,2],[0,2]]'
    rm -rf snapshots history.tsv checkpoints
    # shellcheck disable=SC2086
    mpirun -n 2 sluice-sim run.yaml fluid.mhd=ct array.file=$f.h5 $mesh >out 2>err || bad "$f.h5: $(cat err)"
    mv history.tsv $f.tsv
done
/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np
from check import check
def first_line(name):
    lines = open(name + '.tsv').read().split('\n')
    return dict(zip([x.split('[')[0] for x in lines[0].split()], map(float, [l for l in lines[1:] if l and l[0] != '#'][0].split())))
for name in ('edges', 'edges_fine'): # the same with a uniform field beside it
    got, plain = first_line(name), first_line('faces0' if name == 'edges' else 'faces_fine0')
    check(f'{name}: no divergence, {got["divergence_max"]}', got['divergence_max'] < 1e-12)
    for axis, want in zip('xyz', (6 * 0.3, 6 * 0.2, 3)):
        check(f'{name}: flux along {axis}, {got["magnetic_flux_" + axis]}', abs(got['magnetic_flux_' + axis] - want) < 1e-12)
    more = 6 * (0.3**2 + 0.2**2) / 2
    check(f'{name}: energy, {got["energy_magnetic"]}', abs(got['energy_magnetic'] - plain['energy_magnetic'] - more) < 1e-12)
with h5py.File('edges_3d.h5') as h:
    a, d, want = [h["vector_potential_" + k][...] for k in "xyz"], (1 / 6, 0.25, 0.5), 0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        face = np.diff(a[k], axis=2 - j) / d[j] - np.diff(a[j], axis=2 - k) / d[k]
        face = np.moveaxis(face, 2 - i, 0)
        want += 8 * ((face[1:] + face[:-1])**2).mean() / 8
got = first_line('edges_3d')
check(f'3D: no divergence, {got["divergence_max"]}', got['divergence_max'] < 1e-11)
check(f'3D: energy {got["energy_magnetic"]}, not {want}', abs(got['energy_magnetic'] / want - 1) < 1e-12)
for name in ('faces0', 'faces_fine0', 'faces_fine1'):
    lines = open(name + '.tsv').read().split('\n')
    head = [x.split('[')[0] for x in lines[0].split()]
    first = dict(zip(head, map(float, [l for l in lines[1:] if l and l[0] != '#'][0].split())))
    check(f'{name}: no divergence, {first["divergence_max"]}', first['divergence_max'] < 1e-12)
    check(f'{name}: the flux along z', abs(first['magnetic_flux_z'] - 3) < 1e-13)
    with h5py.File(name[:-1] + '.h5') as h:
        bx, by = h['magnetic_face_x'][...], h['magnetic_face_y'][...]
        if name == 'faces_fine0': bx, by = bx[:, ::4].reshape(8, 3, 13).mean(1), by[::3].reshape(9, 12, 4).mean(2)
    cx, cy = (bx[:, 1:] + bx[:, :-1]) / 2, (by[1:] + by[:-1]) / 2
    energy = 6 * (cx**2 + 0.25).mean() / 2 + 6 * (cy**2).mean() / 2
    if name != 'faces_fine1': check(f'{name}: energy of the field {first["energy_magnetic"]}, not {energy}', abs(first['energy_magnetic'] / energy - 1) < 1e-13)
PY
refused() {
    local text=$1 got
    shift
    rm -rf snapshots history.tsv
    "$@" >out 2>err
    got=$?
    [ $got = 65 ] || bad "exit $got, not 65: $*"
    grep -qF -- "$text" err || bad "'$(head -n 1 err)' does not say '$text'"
    [ -e history.tsv ] && bad "a refused start left a history: $*"
}
refused '13 cells along axis 0, which neither divide nor refine the 12' sluice-sim run.yaml array.file=odd.h5
refused 'pressure is missing' sluice-sim run.yaml array.file=less.h5
refused 'velocity_y is missing' sluice-sim run.yaml array.file=novel.h5
refused 'density is 0 in cell x 3, y 2' sluice-sim run.yaml array.file=vacuum.h5
refused 'more axes' sluice-sim run.yaml array.file=deep.h5
refused 'pressure has 4 cells along axis 1, other datasets have 8' sluice-sim run.yaml array.file=shapes.h5
refused 'does not hold numbers' sluice-sim run.yaml array.file=text.h5
refused 'empty.h5 has 0 cells' sluice-sim run.yaml array.file=empty.h5
refused 'not an HDF5 file' sluice-sim run.yaml array.file=run.yaml
refused 'cannot read' sluice-sim run.yaml array.file=nowhere.h5
refused 'array.file' sluice-sim run.yaml array.file=
refused 'cannot read' mpirun -n 2 sluice-sim run.yaml array.file=nowhere.h5
refused 'has a divergence' sluice-sim run.yaml fluid.mhd=ct array.file=faces_bent.h5
refused 'magnetic_face_y has 13 values along axis 0' sluice-sim run.yaml fluid.mhd=ct array.file=faces_odd.h5
refused 'vector_potential_z has 8 values along axis 1' sluice-sim run.yaml fluid.mhd=ct array.file=edges_odd.h5
refused 'magnetic_field_x is missing' sluice-sim run.yaml fluid.mhd=ct array.file=same.h5
# before there is a campaign
known() { # TEXT key=value...
    local text=$1
    shift
    refused "$text" sluice check run.yaml "$@"
    grep -q '^sluice: command line:[0-9]*:1: array.file: ' err || bad "the place of the file: $(cat err)"
}
known "$PWD/odd.h5 has 13 cells along axis 0, which neither divide nor refine the 12" array.file=odd.h5
known 'density is 0 in cell x 3, y 2' array.file=vacuum.h5
known 'has a divergence' fluid.mhd=ct array.file=faces_bent.h5
crossed=(fluid.mhd=glm array.file=crossed.h5 'mesh.boundary=[conducting, conducting, periodic, periodic]')
refused 'crosses a conducting wall' sluice-sim run.yaml "${crossed[@]}"
said=$(sed -n 's/^error: //p' err)
known "$said" "${crossed[@]}"
refused 'pressure is missing' sluice run run.yaml array.file=less.h5
[ -e a ] && bad "a campaign of a start that is refused: $(ls a)"
refused 'array.file: '"$PWD/odd.h5" sluice check run.yaml 'sweep.array.file=[same.h5, odd.h5]'
turns=$(printf 'same.h5, fine.h5, %.0s' $(seq 16)) # each is looked at once
refused 'array.file: '"$PWD/odd.h5" sluice check run.yaml "zip.array.file=[${turns}odd.h5]"
known 'wide.h5 has 2049 cells along axis 0' array.file=wide.h5 'mesh.cells=[2048, 2048]' mesh.block=64
sluice check run.yaml array.file=vast.h5 'mesh.cells=[2048, 2048]' mesh.block=64 >out 2>err || bad "values of a start that is large: $(cat err)"
sluice check run.yaml >out 2>err || bad "a file that is right: $(cat err)"
sluice-sim run.yaml fluid.eos=isothermal array.file=less.h5 >out 2>err || bad "isothermal without pressure: $(cat err)"
[ $failed = 0 ] && echo ok
exit $failed
