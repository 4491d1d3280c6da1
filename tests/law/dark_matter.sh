#!/bin/bash
# dark_matter.sh - gas and dark matter of a universe as a user runs them: from the start to redshift 5 on one and three ranks and
# over stops, the same bits; snapshots with all particles, in proper units, which yt reads; their P(k) grows; momentum of both
# together stays; particles of a file in a static box; what is refused.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: dark
problem: cosmology
mesh: {cells: [16, 16, 16], block: [8], box: [[0, 100], [0, 100], [0, 100]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96, normalise: sigma8, sigma8: 0.4}
ic: {redshift: 49, transfer: eisenstein_hu, species: one_fluid, fixed: true}
fluid: {dual_energy: true}
time: {end: 5, unit: redshift}
output: {redshift: [9, 5], history: 0.1}
statistics: {spectra: [density], matter: [gas, particles, cross], structure: [], haloes: 0.97, halo_particles: 4}
YAML
run() { # DIR RANKS OPTIONS: the hash
    mkdir -p "$1"
    cp -n ic.h5 run.yaml "$1"
    (cd "$1" && mpirun -n "$2" sluice-sim run.yaml "${@:3}" 2>&1) | sed -n 's/^hash \([0-9a-f]*\) .*/\1/p'
}
sluice-ic run.yaml >log 2>&1 || bad "the start: $(cat log)"
want=$(run one 1)
[ -n "$want" ] || bad 'no run'
[ "$(run three 3)" = "$want" ] || bad 'other bits on three ranks'
cmp one/snapshots/dark_hdf5_plt_cnt_0002 three/snapshots/dark_hdf5_plt_cnt_0002 >/dev/null || true # provenance differs
for steps in 20 50; do run stops 3 time.max_steps=$steps output.checkpoint=0.01 >/dev/null; done
[ "$(run stops 2)" = "$want" ] || bad 'other bits after stops on other ranks'
ls stops/checkpoints/*/parts.00000 >/dev/null 2>&1 || bad 'no particles in the checkpoints'
grep -q '^sluice checkpoint 3$' stops/checkpoints/*/MANIFEST || bad 'the format of a checkpoint with particles'
# a checkpoint whose particles are damaged does not count
run broken 1 time.max_steps=30 output.checkpoint=0.01 >/dev/null
for f in broken/checkpoints/*/parts.00000; do printf 'x' | dd of="$f" bs=1 seek=3000 conv=notrunc 2>/dev/null; done
[ "$(run broken 1)" = "$want" ] || bad 'a run after damage'
ls -d broken/checkpoints/*.bad >/dev/null 2>&1 || bad 'damage of the particles was not seen'

(cd one && sluice-stats run.yaml >log 2>&1) || bad "statistics: $(cat one/log)"
/usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from check import check, near
lines = open('one/history.tsv').read().split('\n')
head = [n.split('[')[0] for n in lines[0].split('\t')]
h = dict(zip(head, np.array([l.split('\t') for l in lines[1:] if l and l[0] != '#'], float).T))
for x in 'xyz':
    both = h['momentum_' + x] + h['particle_momentum_' + x]
    check(f'momentum along {x}: {both}', np.abs(both - both[0]).max() < 1e-9 * np.sqrt(h['particle_energy_kinetic'][-1] * 1e6))
check('the particles gain energy', h['particle_energy_kinetic'][-1] > 3 * h['particle_energy_kinetic'][0])
with h5py.File('ic.h5') as f:
    speed = np.array([f['particles/velocity_' + c][::2, ::2, ::2].ravel() for c in 'xyz']).T
    place = np.array([f['particles/position_' + c][::2, ::2, ::2].ravel() for c in 'xyz']).T
mpc = 3.0856775814913673e24 / 0.7
for n, a in ((0, 0.02), (2, 1 / 6)):
    with h5py.File(f'one/snapshots/dark_hdf5_plt_cnt_{n:04d}') as f, h5py.File(f'three/snapshots/dark_hdf5_plt_cnt_{n:04d}') as g:
        t = f['tracer particles'][...]
        check('the same particles from any ranks', np.array_equal(t, g['tracer particles'][...]))
        check('names', [s.decode() for s in f['particle names'][:, 0]] == 'posx posy posz velx vely velz mass tag blk'.split())
        near('those of blocks', np.bincount(t[:, 8].astype(int))[1:], f['localnp'][...])
        i = t[:, 7].astype(int)
        check('all ids once', np.array_equal(np.sort(i), np.arange(512)))
        check('in the box', t[:, :3].min() >= 0 and t[:, :3].max() <= 100 * mpc)
        # of all matter 85 % are particles
        critical = 1.87834e-29 * 0.49
        near('mass', t[:, 6].sum() / (0.3 * critical * (100 * mpc)**3), 0.85, 1e-4)
        moved = t[:, :3] / mpc - place[i]
        moved -= 100 * np.round(moved / 100)
        if n == 0:
            check('places of the start', np.abs(moved).max() < 1e-6)
            near('velocities of the start', t[:, 3:6] * a / 1e5, speed[i], 1e-9)
        else:
            r = (moved * speed[i]).sum() / np.sqrt((moved**2).sum() * (speed**2).sum())
            check(f'they go where they went: {r}', r > 0.98)
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
p = [read(f'one/stats/matter_particles_{n:04d}.csv') for n in range(3)]
ratio = np.sqrt(p[2]['power'][0] / p[0]['power'][0]) / np.sqrt(p[2]['input'][0] / p[0]['input'][0])
check(f'the longest wave grows linearly: {ratio}', abs(ratio - 1) < 0.05)
try:
    import yt
except ImportError:
    print('SKIP: yt is not here')
else:
    yt.set_log_level(40)
    d = yt.load('one/snapshots/dark_hdf5_plt_cnt_0000').all_data()
    i = d['all', 'particle_index'].astype(int)
    near('yt: places', d['all', 'particle_position_x'].to('Mpccm/h').d, place[i, 0] % 100, 1e-4)
    near('yt: velocities', d['all', 'particle_velocity_x'].to('km/s').d, speed[i, 0], 1e-6)
PY

# a static box, by a file of their own
/usr/bin/python3 - <<'PY'
import h5py
import numpy as np
r = np.random.default_rng(1)
with h5py.File('own.h5', 'w') as f:
    for c in 'xyz':
        f['position_' + c] = 0.3 + 0.4 * r.random(500)
        f['velocity_' + c] = 0.1 * r.standard_normal(500)
    f['mass'] = np.where(np.arange(500) % 2, 1e-3, 2e-3)
with h5py.File('out.h5', 'w') as f:
    for c in 'xyz':
        f['position_' + c] = np.array([0.5, 1.5])
        f['velocity_' + c] = np.zeros(2)
    f['mass'] = np.ones(2)
PY
cat >box.yaml <<'YAML'
campaign: box
problem: riemann
mesh: {cells: [16, 16, 16], block: [8], boundary: outflow}
riemann: {left: [1e-6, 0, 0, 0, 1e-12], right: [1e-6, 0, 0, 0, 1e-12]}
gravity: {four_pi_g: 3}
particles: {file: own.h5}
time: {end: 0.4}
output: {history: 0.2, snapshot: 0}
YAML
expect 0 sluice-sim box.yaml
awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^particle_energy_kinetic/) c = i } /^[0-9]/ { e[n++] = $c } END { exit !(n > 2 && e[n - 1] > 1.2 * e[0]) }' \
    history.tsv || bad "particles of a file do not fall together: $(cut -f1,22 history.tsv)"
rm -rf history.tsv checkpoints
expect 65 sluice-sim box.yaml particles.file=out.h5
says 'particle 1 is at position_x = 1.5'
expect 65 sluice-sim box.yaml particles.file=ic.h5
says 'the list position_x of particles is missing'
expect 65 sluice-sim box.yaml particles.kernel=cubic
says "none of ngp, cic, tsc, pcs"
expect 65 sluice-sim box.yaml gravity.four_pi_g=0 mesh.levels=1 'mesh.refine=[{by: loehner, of: density}]' mesh.block=8
says 'does not work with levels (mesh.levels); nearest: mesh.levels: 0'
expect 65 sluice-sim run.yaml ic.particles=false
says 'a run moves the particles of the start; nearest: true'
# haloes of the last snapshot are those of its particles, with their velocities (of any groups: the linking length is nearly the spacing)
/usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from check import check, near
t = np.atleast_1d(np.genfromtxt([l for l in open('one/stats/haloes_0002.csv') if l[0] != '#'], delimiter=',', names=True))
with h5py.File('one/snapshots/dark_hdf5_plt_cnt_0002') as f:
    p, g = f['tracer particles'][...], f['sluice']
    get = lambda name: float(np.ravel(g[name][...] if name in g else g.attrs[name])[0])
    x, v, a = p[:, :3] / get('cgs_length'), p[:, 3:6] / get('cgs_velocity') * 100 / get('scale_factor'), get('scale_factor')
check(f'redshift 5: a = {a}', abs(a * 6 - 1) < 1e-6)
n, number = len(x), p[:, 7].astype(int)
pairs = cKDTree(x % 100, boxsize=100).query_pairs(0.97 * 100 / n**(1 / 3), output_type='ndarray')
name = connected_components(coo_matrix((np.ones(len(pairs)), pairs.T), (n, n)), False)[1]
groups = sorted(((-(name == k).sum(), number[name == k].min(), k) for k in set(name) if (name == k).sum() >= 4))
check(f'{len(t)} groups, {len(groups)} by scipy', len(t) == len(groups) >= 2)
near('particles', t['particles'], np.array([-g[0] for g in groups], float))
near('ids', t['id'], np.array([g[1] for g in groups], float))
for row, g in zip(t, groups):
    near('velocity', np.array([row['velocity_' + k] for k in 'xyz']), v[name == g[2]].mean(0), 1e-4)
PY

# without gas: particles alone, from the recipe to P(k), haloes and maps; the same bits on any ranks and over stops
mkdir alone && cd alone || exit 1
sed -e 's/^fluid:.*/fluid: {eos: none}/' -e 's/species: one_fluid, //' \
    -e 's/^statistics:.*/statistics: {matter: [particles], haloes: 0.97, halo_particles: 4}/' ../run.yaml >run.yaml
sluice-ic run.yaml >log 2>&1 || bad "the start of particles alone: $(cat log)"
want=$(run one 1)
[ -n "$want" ] || bad 'no run of particles alone'
[ "$(run three 3)" = "$want" ] || bad 'other bits of particles alone on three ranks'
for steps in 20 50; do run stops 3 time.max_steps=$steps output.checkpoint=0.01 >/dev/null; done
[ "$(run stops 2)" = "$want" ] || bad 'other bits of particles alone after stops on other ranks'
for f in stops/checkpoints/*/blocks.00000; do [ -s "$f" ] && bad "$f holds gas"; done
cp one/run.yaml other.yaml
(cd one && sluice-sim ../other.yaml ic.write=true seed=6 >log 2>&1) && bad 'particles of another seed were taken'
(cd one && sluice-stats run.yaml >log 2>&1) || bad "statistics of particles alone: $(cat one/log)"
/usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from check import check, near
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
lines = open('one/history.tsv').read().split('\n')
head = [n.split('[')[0] for n in lines[0].split('\t')]
h = dict(zip(head, np.array([l.split('\t') for l in lines[1:] if l and l[0] != '#'], float).T))
check(f'no columns of gas: {head}', 'mass' not in head and 'pressure_min' not in head)
check('the particles gain energy', h['particle_energy_kinetic'][-1] > 3 * h['particle_energy_kinetic'][0])
check('momentum', max(np.abs(h['particle_momentum_' + x]).max() for x in 'xyz') < 1e-6)
p = [read(f'one/stats/matter_particles_{n:04d}.csv') for n in range(3)]
ratio = np.sqrt(p[2]['power'][0] / p[0]['power'][0]) / np.sqrt(p[2]['input'][0] / p[0]['input'][0])
check(f'the longest wave grows linearly: {ratio}', abs(ratio - 1) < 0.05)
g = read('one/stats/growth.csv')
near('growth of the power of particles', g['shell_1'][-1], np.sqrt(p[2]['power'][0] / p[0]['power'][0]), 1e-7)
with h5py.File('one/snapshots/dark_hdf5_plt_cnt_0002') as f, h5py.File('three/snapshots/dark_hdf5_plt_cnt_0002') as b:
    t = f['tracer particles'][...]
    check('the same particles from any ranks', np.array_equal(t, b['tracer particles'][...]))
    check('no field of gas', f['unknown names'].shape == (0, 1) and 'dens' not in f)
    mpc = 3.0856775814913673e24 / 0.7
    near('all matter', t[:, 6].sum() / (0.3 * 1.87834e-29 * 0.49 * (100 * mpc)**3), 1, 1e-4)
    x = t[:, :3] / (100 * mpc) * 16
m = 10**np.array([[float(v) for v in l.split(',')] for l in open('one/stats/projection_density_z_0002.csv') if l[0] not in '#m'])
near('the map holds all mass', m.mean(), 100, 1e-4)
own = np.zeros((16, 16))
c = np.floor(x).astype(int)
o = x - c - 0.5
w = np.array([0.5 * (0.5 - o)**2, 0.75 - o**2, 0.5 * (0.5 + o)**2])
for i in range(9):
    np.add.at(own, ((c[:, 1] + i // 3 - 1) % 16, (c[:, 0] + i % 3 - 1) % 16), w[i // 3, :, 1] * w[i % 3, :, 0])
near('the map is that of clouds of particles', m, 100 * own * 256 / 512, 1e-6)
check('empty cells have a number', 'inf' not in open('one/stats/slice_density_z_0002.csv').read())
PY
cd ..
# the file of the static box above, without gas: as fast, but for the pull of the gas
cat >none.yaml <<'YAML'
campaign: box
problem: nbody
mesh: {cells: [16, 16, 16], block: [8], boundary: outflow}
fluid: {eos: none}
gravity: {four_pi_g: 3}
particles: {file: own.h5}
time: {end: 0.4}
output: {history: 0.2, snapshot: 0}
YAML
rm -rf history.tsv checkpoints snapshots
expect 0 sluice-sim none.yaml
awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^particle_energy_kinetic/) c = i } /^[0-9]/ { e[n++] = $c } END { exit !(n > 2 && e[n - 1] > 1.2 * e[0]) }' \
    history.tsv || bad "particles alone do not fall together: $(cat history.tsv)"
rm -rf history.tsv checkpoints snapshots
expect 71 sluice-sim none.yaml resources.memory=64kB
says '500 particles and their mesh take '
says 'there are 64 kB (resources.memory)'
expect 65 sluice-sim none.yaml fluid.eos=ideal
says 'problem nbody has no gas; nearest: none'
expect 65 sluice-sim none.yaml fluid.scalars=1
says 'fluid.scalars: 1: there is no gas (fluid.eos: none); nearest: 0'
# a sphere of stars that the run makes itself: the same bits on any ranks, at rest; what is refused
cat >stars.yaml <<'YAML'
campaign: stars
problem: nbody
nbody: {profile: hernquist, particles: 999}
mesh: {cells: [16, 16, 16], block: [8], box: [[-8, 8], [-8, 8], [-8, 8]], boundary: outflow}
fluid: {eos: none}
gravity: {four_pi_g: 4*pi, boundary: isolated}
time: {end: 1}
output: {history: 0.5, snapshot: 0, checkpoint: 0}
YAML
stars() { # RANKS OPTIONS: the hash
    rm -rf history.tsv checkpoints snapshots
    mpirun -n "$1" sluice-sim stars.yaml "${@:2}" 2>&1 | sed -n 's/^hash \([0-9a-f]*\) .*/\1/p'
}
want=$(stars 1)
[ -n "$want" ] || bad 'no run of stars'
awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^particle_momentum/) c[i] } /^[0-9]/ { for (i in c) if ($i > 1e-6 || $i < -1e-6) bad = 1; n++ }
    END { exit bad || n < 3 }' history.tsv || bad "stars are not at rest: $(cat history.tsv)"
[ "$(stars 3)" = "$want" ] || bad 'other bits of stars on three ranks'
[ "$(stars 1 seed=2)" != "$want" ] || bad 'the same stars of another seed'
expect 65 sluice-sim stars.yaml nbody.radius=2
says 'nearest: 1.25'
expect 65 sluice-sim stars.yaml particles.file=own.h5
says 'makes particles, and particles.file has some; nearest: file'
expect 65 sluice-sim stars.yaml gravity.boundary=periodic mesh.boundary=periodic
says 'nbody.profile has nothing around it'
expect 65 sluice-sim none.yaml verify=true
says 'no known answer to compare with but of nbody.profile'
# dark matter that falls onto a point: the same bits on any ranks; what is refused
cat >infall.yaml <<'YAML'
campaign: infall
problem: bertschinger
mesh: {cells: [16, 16, 16], block: [8], box: [[-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5]]}
bertschinger: {radius: 0.06}
cosmology: {h: 0.5, omega_m: 1, omega_b: 0.06, t_cmb: 0}
ic: {redshift: 7}
fluid: {eos: none}
particles: {spacing: 1}
time: {end: 3, unit: redshift}
output: {history: 10, snapshot: 0, checkpoint: 0}
YAML
infall() { # RANKS: the hash
    rm -rf history.tsv checkpoints snapshots
    mpirun -n "$1" sluice-sim infall.yaml 2>&1 | sed -n 's/^hash \([0-9a-f]*\) .*/\1/p'
}
want=$(infall 1)
[ -n "$want" ] || bad 'no run of falling particles'
[ "$(infall 3)" = "$want" ] || bad 'other bits of falling particles on three ranks'
expect 65 sluice-sim infall.yaml bertschinger.overdensity=1
says 'particles begin with the flow, without a ball; nearest: 0'
exit $failed
