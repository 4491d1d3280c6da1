#!/bin/bash
# gravity.sh - what check tells of the gravity of a start: the free-fall time of the densest gas and the cells of a Jeans length,
# as uniform gas has them; of levels, of the root grid; nothing where gas does not attract itself, and of an expanding universe.
# What gravity took of the steps, over all attempts.
set -u
. "$(dirname "$0")/../scratch.sh"
. "$(dirname "$0")/../check.sh"
cd "$work" || exit 1
printf 'campaign: x\nproblem: jeans\nmesh: {cells: [32, 16, 16], block: 8, box: [[0, 1], [0, 1], [0, 1]]}\ngravity: {four_pi_g: 4*pi}\njeans: {density: 2, pressure: 0.3}\ntime: {end: 1.5}\n' >r.yaml
tells() { # OVERRIDES NUMBERS: densest gas, free-fall time, such times in the run, cells of a Jeans length
    # shellcheck disable=SC2086
    sluice check ${recipe:-r.yaml} $1 --json >out 2>err || { bad "check $1: $(cat err)"; return; }
    python3 - "$2" <<'END' || bad "check $1: $(cat diff)"
import json, math, sys
from math import pi, sqrt
have, want = json.load(open('out'))['gravity'], eval(sys.argv[1])
names = 'densest', 'free_fall_time', 'free_fall_times', 'jeans_cells'
good = have is want if want is None or have is None else all(math.isclose(have[n], w, rel_tol=1e-5) for n, w in zip(names, want))
open('diff', 'w').write(f'{have}, not {want}')
sys.exit(not good)
END
}
fall='sqrt(3 * pi / 64)'
tells jeans.amplitude=1e-9 "(2, $fall, 1.5 / $fall, 16 * sqrt(0.25 * pi / 2))"
tells 'jeans.amplitude=1e-9 fluid.gamma=1.2' "(2, $fall, 1.5 / $fall, 16 * sqrt(0.18 * pi / 2))"
{ cat r.yaml; echo 'mesh.levels: 1'; echo 'mesh.refine: [{by: jeans, cells: 4}]'; } >levels.yaml
recipe=levels.yaml tells jeans.amplitude=1e-9 "(2, $fall, 1.5 / $fall, 16 * sqrt(0.25 * pi / 2))"
tells 'problem=wave gravity.four_pi_g=0' None
tells 'problem=dust_collapse dust_collapse.density=3 time.unit=crossing time.end=0.9 mesh.boundary=outflow' '(3, 1, 0.9)'
sluice check r.yaml | grep -A2 '^gravity at the start$' | grep -q 'Jeans lengths have at least 10 cells of the root grid$' || bad "no text: $(sluice check r.yaml)"
sluice check r.yaml jeans.pressure=0.03 | grep -q 'at least 3.17 cells of the root grid, and gas breaks up by the mesh alone below 4$' || bad "no word of few cells"
# a start that is too large for a quick look is halved, and its cells still count
tells 'jeans.amplitude=1e-9 mesh.cells=[1024,512,512]' "(2, $fall, 1.5 / $fall, 512 * sqrt(0.25 * pi / 2))"
# fields of a file beside a recipe in another folder
mkdir beside
printf 'campaign: x\nproblem: array\narray: {file: f.h5}\nmesh: {cells: [16, 16, 16], block: 8}\ngravity: {four_pi_g: 4*pi}\ntime: {end: 1}\n' >beside/a.yaml
/usr/bin/python3 - <<'PY' || bad 'no fields'
import h5py, numpy as np
with h5py.File('beside/f.h5', 'w') as f:
    for n in 'density', 'pressure', 'velocity_x', 'velocity_y', 'velocity_z':
        f[n] = np.full((16, 16, 16), 2.0)
PY
recipe=beside/a.yaml tells '' "(2, $fall, 1 / $fall)"
printf 'campaign: x\nproblem: pancake\nmesh: {cells: [32]}\ntime: {unit: redshift, end: 5}\nic: {redshift: 20}\n' >r.yaml
tells '' None

# a run tells what gravity took of its steps; attempts that go on add to those before, one that begins anew does not
mkdir took
printf 'campaign: x\nproblem: jeans\nmesh: {cells: [16, 8, 8], block: 8}\ngravity: {four_pi_g: 4*pi}\ntime: {end: 9}\noutput: {checkpoint: 1e-6s, snapshot: 0}\n' >took/run.yaml
took() { # the least and the most of the steps before, of gravity before: since the last call
    /usr/bin/python3 - "$@" <<'END' || bad "$1: $(cat took/progress.json)"
import json, sys
have = json.load(open('took/progress.json'))
steps, gravity = have['steps_s'], have['gravity_s']
try: before = json.load(open('before.json'))
except OSError: before = (0, 0)
json.dump((steps, gravity), open('before.json', 'w'))
assert 0 < gravity < steps and (steps > before[0] and gravity > before[1]) == (sys.argv[2] == 'more'), (before, steps, gravity)
END
}
runs() { (cd took && sluice-sim run.yaml "$@") >out 2>err || bad "exit code $? of $*: $(cat err)"; }
runs time.max_steps=5
took 'the first attempt' more
grep -q 's of steps (gravity [0-9.e-]* s), ' err || bad "the log does not tell of gravity: $(cat err)"
sed -i 's/"steps_s":[^,]*,"gravity_s":[^,]*/"steps_s":10,"gravity_s":9/' took/progress.json
echo '[10, 9]' >before.json
runs time.max_steps=9
took 'an attempt that goes on' more
rm -r took/checkpoints took/snapshots took/history.tsv
runs time.max_steps=3
took 'a run that begins anew' less
exit $failed
