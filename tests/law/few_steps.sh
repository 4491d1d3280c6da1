#!/bin/bash
# few_steps.sh - a universe of particles in a number of steps, as a user runs it: the same bits on one and three ranks and after stops
# in the middle on other ranks; so many steps, of which snapshots end some at their redshifts; what `check` says of their accuracy;
# what is refused; seven steps end near where many of kdk do.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: few
problem: cosmology
mesh: {cells: [16, 16, 16], block: [8], box: [[0, 100], [0, 100], [0, 100]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96, normalise: sigma8, sigma8: 0.8}
ic: {redshift: 49, transfer: eisenstein_hu, species: dark_matter, order: 1}
fluid: {eos: none}
time: {end: 0.5, unit: redshift, steps: 7, stepping: bullfrog, begin: zero}
output: {redshift: [5, 1], history: 0}
YAML
run() { # DIR RANKS OPTIONS: the hash and the steps
    mkdir -p "$1"
    cp -n ic.h5 run.yaml "$1"
    (cd "$1" && mpirun -n "$2" sluice-sim run.yaml "${@:3}" 2>&1) | sed -n 's/^hash \([0-9a-f]* [0-9]*\) .*/\1/p'
}
sluice-ic run.yaml >log 2>&1 || bad "the start: $(cat log)"
want=$(run one 1)
[ "${want#* }" = 7 ] || bad "not seven steps: $want"
[ "$(run three 3)" = "$want" ] || bad 'other bits on three ranks'
for steps in 1 4; do run stops 3 time.max_steps=$steps output.checkpoint=0.001 >/dev/null; done
[ "$(run stops 2)" = "$want" ] || bad 'other bits after stops on other ranks'
run many 1 time.steps=adaptive time.stepping=kdk time.begin=start >/dev/null
/usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from check import check, near
def history(path):
    lines = open(path).read().split('\n')
    head = [n.split('[')[0] for n in lines[0].split('\t')]
    return dict(zip(head, np.array([l.split('\t') for l in lines[1:] if l and l[0] != '#'], float).T))
h, m = history('one/history.tsv'), history('many/history.tsv')
check('a line for each step', len(h['step']) == 8)
near('the start and the end', h['scale_factor'][[0, -1]], np.array([0.02, 1 / 1.5]), 1e-9)
check(f'steps grow and pass z = 5 and 1: {h["scale_factor"]}', np.all(np.diff(h['scale_factor']) > 0))
check(f'after the last step there is none: {h["particle_step"]}', h['particle_step'][-1] == 0 and np.all(h['particle_step'][1:-1] > 0.05))
check(f'but where steps are adaptive: {m["particle_step"][-1]}', m['particle_step'][-1] > 0.001)
for a in (1 / 6, 0.5):
    check(f'a step ends at a = {a}', np.abs(h['scale_factor'] / a - 1).min() < 1e-12)
for n, a in enumerate((0.02, 1 / 6, 0.5, 1 / 1.5)):
    with h5py.File(f'one/snapshots/few_hdf5_plt_cnt_{n:04d}') as f:
        g = f['sluice']
        near('scale factor', float(np.ravel(g['scale_factor'][...] if 'scale_factor' in g else g.attrs['scale_factor'])[0]), a, 1e-9)
# so coarse a mesh keeps no balance, in many steps neither: -0.19
for name, part in (('particle_energy_kinetic', 0.1), ('energy_potential', 0.1), ('energy_balance', 0.1)):
    near(name, h[name][-1], m[name][-1], part)
PY

# P(k) of 32^3 particles at z = 0, ten steps over a hundred of kdk: to a quarter of their Nyquist wave number bullfrog is nearly there
mkdir mocks
sed 's|^  seed: 1..8|  seed: [1]|' "$SLUICE_TOP/recipes/mocks.yaml" >mocks/recipe.yaml
power() { # DIR OPTIONS
    (cd mocks && sluice run recipe.yaml --dir "$1" statistics.haloes=0 "${@:2}") >log 2>&1 || bad "$1: $(tail -5 log)"
}
power frog
power few time.stepping=kdk time.begin=start
power many time.stepping=kdk time.begin=start time.steps=100
/usr/bin/python3 - <<'PY' || failed=1
import numpy as np
from check import check
read = lambda d: np.genfromtxt([l for l in open(f'mocks/{d}/members/0000/stats/matter_particles_0001.csv') if l[0] != '#'],
                               delimiter=',', names=True)
frog, few, many = read('frog')['power'], read('few')['power'], read('many')['power']
off = lambda p: np.abs(p[:4] / many[:4] - 1).max()
print(f'up to a quarter of the Nyquist wave number: bullfrog {off(frog):.4f}, kdk {off(few):.4f} off')
check(f'bullfrog {off(frog)}', off(frog) < 0.02)
check(f'kdk {off(few)}', off(few) > 0.1)
PY

cat >recipe.yaml <<YAML
$(cat run.yaml)
YAML
expect 0 sluice check recipe.yaml
shows '5 steps of bullfrog were measured: P(k) at z = 0 is within 2.1 %'
expect 0 sluice check recipe.yaml time.steps=3
shows 'so few steps (time.steps: 3) were never measured'
expect 65 sluice check recipe.yaml time.steps=2
says 'time.steps: 2: each of 3 snapshots after the start ends a step; nearest: 3'
expect 65 timeout 20 sluice check recipe.yaml time.end=49 output.redshift=[]
says 'time.end: 49 is the redshift of the start, ic.redshift, and time.steps asks for 7 steps between; nearest: 24.5, or time.steps: adaptive'
expect 65 timeout 20 sluice check recipe.yaml time.end=50 output.redshift=[]
says 'time.end: 50 is above the redshift of the start, ic.redshift; nearest: 24.5'
expect 65 sluice check recipe.yaml time.steps=adaptive time.begin=start
says 'time.stepping: bullfrog takes a number of steps, time.steps; nearest: kdk'
expect 65 sluice check recipe.yaml time.stepping=kdk
says 'zero goes by the growth, which time.stepping kdk does not; nearest: start'
expect 65 sluice check recipe.yaml time.spacing=expansion
says 'expansion: the scale factor at D = 0 has no logarithm; nearest: growth'
expect 65 sluice check recipe.yaml ic.order=2
says 'from D = 0 (time.begin: zero) straight lines lead to 1LPT alone; nearest: 1'
expect 65 sluice check recipe.yaml time.steps=100
says 'the first of 100 steps ends at redshift'
expect 65 sluice check recipe.yaml fluid.eos=ideal ic.species=one_fluid
says 'steps follow the gas where there is any; nearest: adaptive, or fluid.eos: none'
expect 0 sluice check recipe.yaml time.steps=adaptive time.begin=start time.stepping=kdk
exit $failed
