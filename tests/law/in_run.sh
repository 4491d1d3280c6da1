#!/bin/bash
# in_run.sh - statistics of particles in the run (statistics.in_run) have the bits of those by way of snapshots, all tables and numbers:
# on 1 and 3 ranks, in both precisions, from a device (an emulated one), after a stop and kills; a run may keep nothing of its start
# (output.start: false); what lies in the place of snapshots is known to verify, clean and inspect, is small, and is refused where it is
# damaged or of other keys.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: here
problem: cosmology
mesh: {cells: [24, 24, 24], block: [12], box: [[0, 50], [-10, 90], [5, 75]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96, normalise: sigma8, sigma8: 0.8}
ic: {redshift: 19, transfer: eisenstein_hu, species: dark_matter, order: 1}
fluid: {eos: none}
time: {end: 0, unit: redshift, steps: 8}
output: {redshift: [3, 1], history: 10}
statistics:
  matter: [particles, multipoles, correlation, bispectrum, counts]
  interlace: true
  haloes: 0.4
  halo_particles: 8
  halo_mass: 1e13
  spectra: [density]
  structure: [density]
YAML

# all that one h5 file of statistics holds beside what it says of its making
cat >same.py <<'PY'
import sys, h5py
def all_of(path):
    out = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, o: out.__setitem__(name, (o[()].tobytes() if isinstance(o, h5py.Dataset) else b'', str(dict(o.attrs)))))
    return out
a, b = map(all_of, sys.argv[1:3])
bad = [n for n in a.keys() | b.keys() if a.get(n) != b.get(n)]
sys.exit(f'{len(bad)} of {len(a)} differ: {sorted(bad)[:5]}' if bad or len(a) < 300 else 0)
PY
new() { mkdir "$1" && cp run.yaml "$1"; }
stats() { # DIR RANKS KEYS
    (cd "$1" && mpirun -n "$2" sluice-stats run.yaml "${@:3}") >log 2>&1 || bad "statistics, $1: $(tail -3 log)"
}
alike() { # WANTED GOT
    diff -r "$1/stats" "$2/stats" >log || bad "tables of $2 are not those of $1: $(head -5 log)"
    /usr/bin/python3 same.py "$1/stats.h5" "$2/stats.h5" 2>log || bad "numbers of $2 are not those of $1: $(cat log)"
}
here=statistics.in_run=true

# ---- the same bits ----
declare -A ranks_of=([sluice-sim]='1 3' [sluice-sim-f32]=3)
for sim in sluice-sim sluice-sim-f32; do
    keys=()
    [ $sim = sluice-sim-f32 ] && keys=(resources.precision=single)
    new $sim && (cd $sim && $sim run.yaml "${keys[@]}") >log 2>&1 || bad "$sim: $(tail -3 log)"
    stats $sim 1 "${keys[@]}"
    for ranks in ${ranks_of[$sim]}; do
        to=$sim-$ranks
        new $to && (cd $to && mpirun -n $ranks $sim run.yaml $here "${keys[@]}") >log 2>&1 || bad "$to: $(tail -3 log)"
        stats $to $((4 - ranks)) $here "${keys[@]}"
        alike $sim $to
        [ "$(cd $to/snapshots && echo *)" = "here_tables_0000.h5 here_tables_0001.h5 here_tables_0002.h5 here_tables_0003.h5" ] ||
            bad "in the place of snapshots: $(ls $to/snapshots)"
    done
done
[ "$(grep -vc '^#' sluice-sim/stats/haloes_0003.csv)" -gt 5 ] || bad 'hardly a halo'

# on other ranks snapshots have the same numbers, too
cp -r sluice-sim others && rm -r others/stats && stats others 3 && alike sluice-sim others

# particles that a device holds (tests/emulate)
for way in false true; do
    new device-$way
    (cd device-$way && "$SLUICE_TOP/build/emulate/sluice-sim" run.yaml statistics.in_run=$way) >log 2>&1 || bad "device: $(tail -3 log)"
    grep -q 'computes on cuda' log || bad "no device: $(cat log)"
    stats device-$way 1 statistics.in_run=$way
done
alike device-false device-true
# what measures stays for the run: that its device has no room for a spectrum is told once
new once
(cd once && EMULATED_MEMORY=650000 "$SLUICE_TOP/build/emulate/sluice-sim" run.yaml $here resources.backend=cuda) >log 2>&1 ||
    bad "once: $(tail -3 log)"
[ "$(grep -c '^stats: .* on the processor' log)" = 1 ] || bad "not once: $(cat log)"
[ "$(ls once/snapshots | wc -l)" = 4 ] || bad "not all moments: $(ls once/snapshots)"

# places and density stay on a device where all that is asked for is made there; without room for that all goes by way of the host
cat >near.py <<'PY'
import sys, h5py, numpy as np
def all_of(path):
    out = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, o: out.__setitem__(name, o[()]) if isinstance(o, h5py.Dataset) and o.dtype.kind == 'f' else None)
    return out
a, b = map(all_of, sys.argv[1:3])
bad = [n for n in a.keys() | b.keys() if n not in a or n not in b or not np.allclose(a[n], b[n], rtol=1e-9, atol=1e-9 * np.nanmax(np.abs(a[n]), initial=0), equal_nan=True)]
sys.exit(f'{len(bad)} of {len(a)} differ: {sorted(bad)[:5]}' if bad or len(a) < 60 else 0)
PY
mock=('statistics.matter=[particles,multipoles]' statistics.interlace=false 'statistics.structure=[]')
new lent-snapshots && (cd lent-snapshots && sluice-sim run.yaml "${mock[@]}") >log 2>&1 || bad "snapshots: $(tail -3 log)"
stats lent-snapshots 1 "${mock[@]}"
for memory in 100000000 900000 750000 650000 560000; do
    to=lent-$memory
    new $to && (cd $to && EMULATED_MEMORY=$memory "$SLUICE_TOP/build/emulate/sluice-sim" run.yaml $here "${mock[@]}" resources.backend=cuda) >log 2>&1 ||
        bad "$to: $(tail -3 log)"
    told=$(grep -c '^stats: .* on the processor' log)
    [ "$(grep -c '^measured in [0-9.]* s: .*multipoles [0-9.]*' log)" = 4 ] || bad "$to, where time went: $(cat log)"
    [ "$((memory > 1000000))" = "$((told == 0))" ] || bad "$to, what is told: $(cat log)"
    stats $to 1 $here "${mock[@]}"
    /usr/bin/python3 near.py lent-snapshots/stats.h5 $to/stats.h5 2>log || bad "numbers of $to: $(cat log)"
    for t in haloes_0003 halo_mass_function_0003; do cmp lent-snapshots/stats/$t.csv $to/stats/$t.csv || bad "$t of $to"; done
done

# kills as soon as the next table is there, a stop with tables of its own end, other ranks
new killed
for table in 1 2; do
    [ ! -e killed/snapshots/here_tables_000$table.h5 ] || bad "table $table is there before"
    (cd killed && exec sluice-sim run.yaml $here output.checkpoint=0.001 >../log 2>&1) &
    until [ -e killed/snapshots/here_tables_000$table.h5 ] || ! kill -0 $! 2>/dev/null; do :; done
    kill -9 $! || bad "it ended by itself before table $table: $(tail -3 log)"
    wait $! 2>/dev/null
    [ $table = 1 ] || grep -q 'goes on from checkpoint' log || bad "does not go on before kill $table: $(tail -3 log)"
    [ ! -e killed/written.tsv ] && ! grep -q '"state":"done"' killed/progress.json || bad "done before kill $table"
done
(cd killed && sluice-sim run.yaml $here time.max_steps=7 output.checkpoint=0.001) >log 2>&1 || bad "stopped: $(tail -3 log)"
grep -q 'goes on from checkpoint' log || bad "does not go on after kills: $(tail -3 log)"
(cd killed && mpirun -n 2 sluice-sim run.yaml $here) >log 2>&1 || bad "after kills: $(tail -3 log)"
grep -q 'goes on from checkpoint' log || bad "does not go on after a stop: $(tail -3 log)"
stats killed 1 $here
alike sluice-sim killed

# ---- a measuring that takes long, and a state that goes bad ----
mpicc -D_GNU_SOURCE -shared -fPIC -O1 -Wall -Wextra -o measuring.so "$SLUICE_TOP/tests/law/preload/measuring.c" -ldl || exit 1
load="LD_PRELOAD=$work/measuring.so" # 2 s of 4 are left then, as long as the next measuring may take
new long && cd long || exit 1
expect 75 env "$load" MEASURING_SLEEP=2 sluice-sim run.yaml $here resources.walltime=4; says 'stopped before the wall-time limit at step 1'
[ "$(echo snapshots/*)" = snapshots/here_tables_0000.h5 ] || bad "measured beyond the wall time: $(ls snapshots)"
cd ..
# told to stop in a step whose end is to be measured, or in the last one: a checkpoint comes first, and the next attempt measures
short=(time.steps=3 output.history=0)
new whole && (cd whole && sluice-sim run.yaml $here "${short[@]}") >log 2>&1 || bad "whole: $(tail -3 log)"
new told && cd told || exit 1
for step in 1 3; do
    expect 75 env "$load" MEASURING_TERM=_tables_000$((step - 1)).h5 mpirun -n $step sluice-sim run.yaml $here "${short[@]}"
    says "stopped by a signal at step $step with a checkpoint"
    [ ! -e snapshots/here_tables_000$step.h5 ] || bad "measured before it stopped at step $step: $(ls snapshots)"
done
expect 0 sluice-sim run.yaml $here "${short[@]}"; says 'goes on from checkpoint'
cd ..
diff <(grep -v '^#' whole/history.tsv) <(grep -v '^#' told/history.tsv) >log || bad "lines of the history: $(cat log)"
# an attempt that has no time at all takes a step, and measures what the one before left to do
new hasty && cd hasty || exit 1
for step in 1 2 3; do
    expect 75 sluice-sim run.yaml $here "${short[@]}" resources.walltime=1; says "stopped before the wall-time limit at step $step with a checkpoint"
done
expect 0 sluice-sim run.yaml $here "${short[@]}" resources.walltime=1
cd ..
for to in whole told hasty; do stats $to 1 $here "${short[@]}"; done
alike whole told
alike whole hasty
new diverged && cd diverged || exit 1
expect 70 env "$load" MEASURING_NAN=1 sluice-sim run.yaml $here; says 'sums over all particles are no finite numbers'
grep -q '"state":"diverged"' progress.json || bad "not diverged: $(cat progress.json)"
[ ! -e snapshots/here_tables_0001.h5 ] || bad 'a bad state is measured'
cd ..

# ---- memory that there is not ----
new memory && cd memory || exit 1
expect 71 sluice-sim run.yaml $here resources.memory='1 MB'
says '1728 particles and their mesh, with measuring them in the run (1.548 MB), take 1.958 MB, and there are 1 MB (resources.memory); '
says 'what helps: more memory (resources.memory, resources.nodes), or statistics.in_run: false, '
expect 0 sluice-sim run.yaml resources.memory='1 MB'
cd ..
# a lone rank's device keeps places and densities: the host has particles of haloes alone, which a processor beside them has not room
# for; what a device has no room for takes more of the host than was counted, which is told
few=($here "${mock[@]}" resources.backend=cuda resources.memory='600 kB')
new memory-there && cd memory-there || exit 1
expect 71 sluice-sim run.yaml "${few[@]}" resources.backend=cpu; says 'with measuring them in the run (1.'
expect 0 "$SLUICE_TOP/build/emulate/sluice-sim" run.yaml "${few[@]}"
! grep -q 'on the processor' err || bad "not on the device: $(cat err)"
expect 71 "$SLUICE_TOP/build/emulate/sluice-sim" run.yaml "${few[@]}" statistics.interlace=true; says 'with measuring them in the run (1.'
expect 71 mpirun -n 2 "$SLUICE_TOP/build/emulate/sluice-sim" run.yaml "${few[@]}"; says 'with measuring them in the run (1.'
cd ..
new memory-short && cd memory-short || exit 1
expect 0 env EMULATED_MEMORY=560000 "$SLUICE_TOP/build/emulate/sluice-sim" run.yaml "${few[@]}"
says 'on the processor: '; says ', which may take more memory of the host than there is (resources.memory, or that of the nodes)'
cd ..

# ---- nothing of the start ----
for way in false true; do
    new later-$way
    (cd later-$way && sluice-sim run.yaml statistics.in_run=$way output.start=false) >log 2>&1 || bad "no start: $(tail -3 log)"
    ls later-$way/snapshots | grep -q 0000 && bad "the start is there: $(ls later-$way/snapshots)"
    stats later-$way 1 statistics.in_run=$way output.start=false
done
alike later-false later-true
for table in sluice-sim/stats/*_000[1-3].csv; do cmp "$table" "later-true/stats/${table##*/}" || bad "without the start"; done
[ "$(grep -vc '^#' later-true/stats/growth.csv)" = 4 ] || bad "growth: $(cat later-true/stats/growth.csv)"

# ---- a run that goes on measures as it did ----
for first in false true; do
    new part-$first && cd part-$first || exit 1
    expect 0 sluice-sim run.yaml statistics.in_run=$first time.max_steps=5 output.checkpoint=0.001
    other=$([ $first = true ] && echo false || echo true)
    expect 78 sluice-sim run.yaml statistics.in_run=$other
    says "was written with statistics.in_run: $first, this run has $other, which may not change"
    says "nearest: $first, or another directory"
    [ $first = true ] && expect 78 sluice-sim run.yaml $here statistics.haloes=0.3 &&
        says "was written with 'statistics.haloes: 0.4', this run has 'statistics.haloes: 0.3', which may not change: go on with the former"
    [ $first = true ] || expect 0 sluice-sim run.yaml statistics.haloes=0.3
    cd ..
done

# ---- what is not to be taken ----
cp -r sluice-sim-1 again && cd again || exit 1
expect 65 sluice-stats run.yaml $here cosmology.sigma8=0.5 'mesh.cells=[48,48,48]' ic.redshift=49; says 'snapshots/here_tables_0000.h5: it was measured with '
for key in cosmology.sigma8=0.5 'mesh.cells=[48,48,48]' ic.redshift=49 seed=7; do
    expect 65 sluice-stats run.yaml $here "$key"; says "the recipe now says ${key%%=*}: "
done
expect 0 sluice-stats run.yaml $here output.keep=5
mv snapshots/here_tables_0003.h5 last
expect 65 sluice-stats run.yaml $here; says 'snapshots/here_tables_0003.h5, which the run has written (written.tsv), is missing'
mv last snapshots/here_tables_0003.h5
rm -rf checkpoints
expect 0 sluice-sim run.yaml $here output.redshift=[5]
expect 65 sluice-stats run.yaml $here output.redshift=[5]; says 'snapshots/here_tables_0003.h5 is not among what the last run'
rm snapshots/here_tables_0003.h5
expect 0 sluice-stats run.yaml $here output.redshift=[5]
cd ../sluice-sim-1 || exit 1
expect 65 sluice-stats run.yaml $here statistics.haloes=0.3; says 'was measured with statistics.haloes: 0.4, and the recipe now says statistics.haloes: 0.3'
expect 65 sluice-stats run.yaml; says 'snapshots holds no snapshot of here, but tables that the run measured; nearest: statistics.in_run: true'
cp snapshots/here_tables_0002.h5 whole
printf x | dd of=snapshots/here_tables_0002.h5 bs=1 seek=20000 conv=notrunc 2>/dev/null
expect 65 sluice-stats run.yaml $here; says 'snapshots/here_tables_0002.h5'
rm written.tsv
head -c 20000 whole >snapshots/here_tables_0002.h5
expect 65 sluice-stats run.yaml $here; says 'snapshots/here_tables_0002.h5'
cd ..
expect 65 sluice-stats sluice-sim/run.yaml $here; says 'nearest: false'

# ---- a campaign ----
sed -e 's/^campaign:.*/campaign: mocks\nsweep: {seed: [3, 4]}/' -e 's/^  haloes:/  in_run: true\n  haloes:/' \
    -e 's/^output:.*/output: {snapshot: 0, history: 10, start: false}/' run.yaml >recipe.yaml
expect 0 sluice check recipe.yaml
expect 0 sluice run recipe.yaml --dir mocks
expect 0 sluice verify mocks
expect 0 sluice status mocks; shows '2/2 done'
[ "$(ls mocks/members/0001/snapshots)" = mocks_tables_0001.h5 ] || bad "of a member: $(ls mocks/members/0001/snapshots)"
[ "$(stat -c %s mocks/members/0001/snapshots/mocks_tables_0001.h5)" -lt 200000 ] || bad 'the tables are large'
expect 0 sluice inspect mocks/members/0001/snapshots/mocks_tables_0001.h5; shows 'statistics of one moment of a run'; shows tables/haloes_0001
[ -s mocks/ensemble/covariance_matter_particles_0001.csv ] || bad "no covariance: $(ls mocks/ensemble)"
expect 65 sluice export mocks 0 --ic gadget --snapshot last; says 'has no snapshots'
printf x | dd of=mocks/members/0001/snapshots/mocks_tables_0001.h5 bs=1 seek=20000 conv=notrunc 2>/dev/null
expect 1 sluice verify mocks; shows 'mocks_tables_0001.h5 is damaged'
expect 0 sluice clean mocks --damaged && expect 0 sluice run mocks && expect 0 sluice verify mocks
expect 0 sluice clean mocks --snapshots; shows "2 files"; expect 0 sluice verify mocks
[ -e mocks/members/0000/snapshots ] && bad "left: $(ls mocks/members/0000/snapshots)"

# ---- what does not go ----
refused() { # TEXT OPTIONS
    expect 65 sluice check recipe.yaml "${@:2}"
    says "$1"
}
refused 'statistics.in_run: true is for particles alone (fluid.eos: none), and there is gas; nearest: false' fluid.eos=ideal time.steps=adaptive ic.species=auto
refused 'statistics.in_run: true does not go with statistics.progenitors, which needs the particles of two snapshots; nearest: false' statistics.progenitors=true
refused 'statistics.in_run: true leaves no snapshots, which stages.snapshot reads; nearest: false' stages.snapshot='cat {snapshot}'
cat >still.yaml <<'YAML'
campaign: still
problem: cosmology
mesh: {cells: [16, 16, 16], box: [[0, 100], [0, 100], [0, 100]]}
time: {end: 0}
output: {start: false}
statistics: {matter: [particles]}
YAML
expect 65 sluice check still.yaml; says 'output.start: false, but particles that do not move are measured at the start; nearest: true'
exit $failed
