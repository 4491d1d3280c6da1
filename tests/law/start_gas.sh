#!/bin/bash
# start_gas.sh - a universe with gas begins with what its ranks make: the bits of the start that sluice-ic writes, of gas alone and with
# dark matter by one spectrum, by two and from a table of today, on 1 to 4 ranks, for either order, precision and spacing, with a
# field and on levels; after stops, kills and on other ranks; a campaign has no stage ic, no ic.h5, and the same statistics and report.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
. "$SLUICE_TOP/tests/start.sh"

data=$SLUICE_TOP/tests/data/cosmo
cat >run.yaml <<YAML
campaign: here
problem: cosmology
mesh: {cells: [16, 16, 24], block: [8], box: [[0, 50], [-10, 40], [5, 80]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96}
ic: {redshift: 49, transfer: eisenstein_hu, species: one_fluid}
fluid: {dual_energy: true}
time: {end: 20, unit: redshift, max_steps: 4}
output: {snapshot: 0, history: 10}
YAML
ranks_of='1 2 3 4' compare second
compare first ic.order=1 particles.spacing=1
compare single ic.precision=single ic.fixed=true ic.paired=true fluid.dual_energy=false
compare alone ic.species=baryons
compare distinct ic.transfer=table ic.species=distinct "ic.table=$data/camb13_transfer_z99.dat" ic.redshift=99
compare scaled ic.transfer=table ic.mode=back_scaled "ic.table=$data/camb_matterpower_z0.dat" cosmology.normalise=table
compare field ic.species=baryons fluid.mhd=ct fluid.riemann=hlld 'cosmology.field=[0, 1e-9, 0]'
compare levels ic.species=baryons mesh.levels=1 mesh.regrid=2 'mesh.refine=[{by: value, of: density, above: 1.05}]'
grep -q 'gas: .* K, power below half the Nyquist' second1/err || bad "the log says nothing of the start: $(cat second1/err)"
/usr/bin/python3 - levels2/history.tsv <<'PY' || bad 'the start was not refined'
import sys
head, *rows = [line.split('\t') for line in open(sys.argv[1]) if line[0] != '#']
column = next(i for i, name in enumerate(head) if name.startswith('cells_level_1'))
sys.exit(not (rows and all(float(r[column]) > 0 for r in rows)))
PY
bits() { sed -n 's/^hash \([0-9a-f]* [0-9]*\) .*/\1/p' "$1/out"; }
for other in first single alone distinct; do
    [ "$(bits $other)" != "$(bits second)" ] || bad "the same bits, $other"
done

# a file of that name, of whatever, is not read, but where it is asked for
mkdir beside && echo no >beside/ic.h5
[ "$(run beside 1)" = "$(bits second)" ] || bad 'another file beside the run'
run beside 1 ic.write=true >/dev/null
grep -q 'ic.h5' beside/err || bad "a damaged file is taken: $(cat beside/err)"
[ "$(run given 1 run.input=../second/ic.h5)" = "$(bits second)" ] || bad 'a file that is given'

# stops and kills: the start is made once, or again
for steps in 1 3; do run stops 3 time.max_steps=$steps output.checkpoint=1e-9 >/dev/null; done
[ "$(run stops 2)" = "$(bits second)" ] || bad 'other bits after stops on other ranks'
grep -q 'goes on from checkpoint' stops/err || bad "no checkpoint: $(cat stops/err)"
grep -q 'the start:' stops/err && bad 'a run that goes on makes its start again'
mkdir killed && cp run.yaml killed
for wait in 0.02 0.1 0.3; do
    (cd killed && exec sluice-sim run.yaml output.checkpoint=0.001 >/dev/null 2>&1) &
    sleep $wait
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
done
[ "$(run killed 2)" = "$(bits second)" ] || bad 'other bits after kills'

# a start that makes no sense is told as sluice-ic tells it
mkdir late && cp run.yaml late
expect 65 sluice-sim late/run.yaml ic.order=1 ic.redshift=2 time.end=1
says 'a larger ic.redshift is needed'

# what a recipe may ask for
{ sed 's/, max_steps: 4//' run.yaml; echo 'statistics: {matter: [gas, particles], structure: []}'; } >recipe.yaml
expect 0 sluice check recipe.yaml
expect 0 sluice check recipe.yaml ic.write=false
expect 65 sluice check recipe.yaml ic.write=false time.unit=code time.end=0
says 'ic.write: false: without time.unit: redshift the start is all there is'
expect 0 sluice check recipe.yaml ic.write=false ic.species=baryons ic.level=1 mesh.levels=1 'mesh.refine=[{by: value, of: density, above: 1.05}]' statistics.matter=[gas]
expect 65 sluice check recipe.yaml ic.write=maybe
says "'maybe' is none of auto, true, false"

# levels are looked at before there is a run, on a coarser root grid where that is large, and nothing is left behind
mkdir empty && cd empty || exit 1
sed "s/cells: .16, 16, 24./cells: [128, 128, 128], levels: 1, refine: [{by: value, of: density, above: 1.3}]/; s/one_fluid/baryons/" ../run.yaml >../levels.yaml
expect 0 sluice plan ../levels.yaml --offline
shows 'from starts of member 0000 on coarser root grids, of '
expect 0 sluice plan ../levels.yaml 'mesh.cells=[16, 16, 24]' --offline
shows 'as at the start of member 0000'
[ "$(echo *)" = 'err out' ] || bad "a plan leaves $(ls)"
cd ..

# a campaign
expect 0 sluice run recipe.yaml --dir here
expect 0 sluice run recipe.yaml --dir written ic.write=true
expect 0 sluice verify here
[ -e here/members/0000/ic.h5 ] && bad 'the member has ic.h5'
ls here/members/0000/attempts/ic* 2>/dev/null && bad 'the member has a stage ic'
[ -s written/members/0000/ic.h5 ] || bad 'no ic.h5 though ic.write asks for it'
for spectrum in spectrum_gas spectrum_dark_matter; do
    cmp here/members/0000/$spectrum.csv written/members/0000/$spectrum.csv || bad 'another spectrum of the start'
    grep -q $spectrum here/members/0000/attempts/sim.end.json || bad "$spectrum of the start is in no record"
    grep -q $spectrum written/members/0000/attempts/sim.end.json && bad "$spectrum of the start is in two records"
done
grep -q "8</sub> of the start" here/report/index.html || bad 'no amplitude of the start in the report'
for text in 'Power P(k) of the start' 'Temperature'; do
    [ "$(grep -c "$text" here/report/index.html)" = "$(grep -c "$text" written/report/index.html)" ] || bad "another report: $text"
done
expect 65 sluice export here 0 --ic gadget
says 'writes no initial fields (ic.write: true does); nearest: --snapshot 0'
/usr/bin/python3 - <<'PY' || failed=1
import numpy as np
from check import check, near
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
for table in 'matter_gas', 'matter_particles', 'spectrum_density':
    for n in 0, 1:
        a, b = (read(f'{d}/members/0000/stats/{table}_{n:04d}.csv') for d in ('here', 'written'))
        check(f'the columns of {table}', a.dtype.names == b.dtype.names)
        for name in a.dtype.names:
            near(f'{table} {n} {name}', a[name], b[name], 1e-9)
PY
exit $failed
