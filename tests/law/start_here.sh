#!/bin/bash
# start_here.sh - a universe of particles alone begins with particles that its ranks make: the bits of the start that sluice-ic writes,
# on 1, 2 and 3 ranks, for either order, spacing and precision; after stops, a kill in the midst and other ranks; whatever lies beside
# it; a campaign has no stage ic, no ic.h5, and the same statistics and report.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
. "$SLUICE_TOP/tests/start.sh"

cat >run.yaml <<'YAML'
campaign: here
problem: cosmology
mesh: {cells: [16, 16, 16], block: [8], box: [[0, 50], [-10, 90], [5, 75]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96, normalise: sigma8, sigma8: 0.8}
ic: {redshift: 19, transfer: eisenstein_hu, species: dark_matter, order: 1}
fluid: {eos: none}
time: {end: 9, unit: redshift, steps: 4}
output: {snapshot: 0, history: 10}
YAML
ranks_of='1 2 3'
compare first
compare second ic.order=2
compare dense ic.order=2 particles.spacing=1
compare single ic.precision=single ic.fixed=true ic.paired=true
grep -q 'the start: 16 x 16 x 16 cells, order 1' first1/err || bad "the log says nothing of the start: $(cat first1/err)"
want=$(cat first/out | sed -n 's/^hash \([0-9a-f]* [0-9]*\) .*/\1/p')
[ "$(sed -n 's/^hash \([0-9a-f]* [0-9]*\) .*/\1/p' second/out)" != "$want" ] || bad 'both orders have the same bits'

# a file of that name, of whatever, is not read, but where it is asked for
mkdir beside && echo no >beside/ic.h5
[ "$(run beside 1)" = "$want" ] || bad 'another file beside the run'
run beside 1 ic.write=true >/dev/null
grep -q 'ic.h5' beside/err || bad "a damaged file is taken: $(cat beside/err)"

# stops and kills: the start is made once, or again
for steps in 1 3; do run stops 3 time.max_steps=$steps output.checkpoint=0.001 >/dev/null; done
[ "$(run stops 2)" = "$want" ] || bad 'other bits after stops on other ranks'
grep -q 'goes on from checkpoint' stops/err || bad "no checkpoint: $(cat stops/err)"
grep -q 'the start:' stops/err && bad 'a run that goes on makes its start again'
mkdir killed && cp run.yaml killed
for wait in 0.02 0.1 0.2; do
    (cd killed && exec sluice-sim run.yaml output.checkpoint=0.001 >/dev/null 2>&1) &
    sleep $wait
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
done
[ "$(run killed 2)" = "$want" ] || bad 'other bits after kills'

# a campaign
sed -e 's/^campaign:.*/campaign: mocks\nsweep: {seed: [3, 4]}/' run.yaml >recipe.yaml
cat >>recipe.yaml <<'YAML'
statistics: {matter: [particles], haloes: 0.97, halo_particles: 4, structure: []}
YAML
expect 0 sluice run recipe.yaml --dir mocks
expect 0 sluice run recipe.yaml --dir written ic.write=true
expect 0 sluice verify mocks
for m in 0000 0001; do
    [ -e mocks/members/$m/ic.h5 ] && bad "member $m has ic.h5"
    ls mocks/members/$m/attempts/ic* 2>/dev/null && bad "member $m has a stage ic"
    [ -s written/members/$m/ic.h5 ] || bad "member $m has no ic.h5 though ic.write asks for it"
    cmp mocks/members/$m/spectrum_dark_matter.csv written/members/$m/spectrum_dark_matter.csv || bad 'another spectrum of the start'
    grep -v '^#' written/members/$m/stats/haloes_0001.csv >haloes
    grep -v '^#' mocks/members/$m/stats/haloes_0001.csv | cmp - haloes || bad 'other haloes'
done
grep -q spectrum_dark_matter mocks/members/0000/attempts/sim.end.json || bad 'the spectrum of the start is in no record'
grep -q spectrum_dark_matter written/members/0000/attempts/sim.end.json && bad 'the spectrum of the start is in two records'
grep -q "8</sub> of the start" mocks/report/index.html || bad 'no amplitude of the start in the report'
expect 65 sluice export mocks 0 --ic gadget
says 'member 0000 writes no initial fields (ic.write: true does); nearest: --snapshot 0'
expect 0 sluice export mocks 0 --ic swift --snapshot 0
/usr/bin/python3 - <<'PY' || failed=1
import numpy as np
from check import check, near
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
for n in range(2):
    a, b = (read(f'{d}/members/0000/stats/matter_particles_{n:04d}.csv') for d in ('mocks', 'written'))
    check('the power of the input', np.all(a['input'] > 0))
    for name in a.dtype.names:
        near(name, a[name], b[name], 1e-9)
PY
exit $failed
