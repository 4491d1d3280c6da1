#!/bin/bash
# full_in_run.sh - a disk that is full while a run measures itself (statistics.in_run): one message that names the file, exit code 73,
# no half of a file of tables, and with room again the run goes on to the same files, from which statistics have the same bytes.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
small 8m || exit 0
cd "$work/small" || exit 1
. "$SLUICE_TOP/tests/check.sh"
cat >run.yaml <<'YAML'
campaign: here
problem: cosmology
mesh: {cells: [24, 24, 24], block: [12], box: [[0, 50], [0, 50], [0, 50]]}
cosmology: {normalise: sigma8}
ic: {redshift: 19, species: dark_matter, order: 1}
fluid: {eos: none}
time: {end: 0, unit: redshift, steps: 3}
output: {redshift: [3, 1], history: 10}
statistics: {matter: [particles], haloes: 0.4, halo_particles: 8, structure: [], in_run: true}
YAML
mkdir ../whole
cp run.yaml ../whole
(cd ../whole && sluice-sim run.yaml >out 2>err && sluice-stats run.yaml 2>err) || { cat ../whole/err; exit 1; }
# run NAME: what is in its place is whole; code is what it ended with
run() {
    mpirun -n 2 sluice-sim run.yaml >../out 2>../err
    code=$?
    for f in snapshots/*; do
        [ ! -e "$f" ] || cmp "$f" "../whole/$f" || bad "half of $f, or more than it, $1"
    done
}
one=$(($(stat -c %s ../whole/snapshots/here_tables_0001.h5) / 4096 + 1))
refused=0
# pages of 4 kB, for what there is beside the tables and for some of these
for pages in $(seq 4 $((one / 3)) $((3 * one))); do
    rm -rf history.tsv progress.json written.tsv snapshots checkpoints
    fill "$pages"
    run "with $pages pages"
    rm fill
    [ $code = 73 ] || bad "exit $code with $pages pages: $(cat ../err)"
    [ "$(grep -c '^error: .*No space left on device' ../err)" = 1 ] || bad "not one message with $pages pages: $(cat ../err)"
    refused=$((refused + $(grep -c 'cannot write snapshots/here_tables_000[0-3].h5.*No space left on device' ../err)))
    run "with room again after $pages pages"
    [ $code = 0 ] || bad "exit $code with room again after $pages pages: $(cat ../err)"
    [ "$(ls snapshots)" = "$(ls ../whole/snapshots)" ] || bad "after $pages pages: $(ls snapshots)"
done
[ $refused -gt 2 ] || bad "$refused times without room for tables"
expect 0 sluice-stats run.yaml
diff -r stats ../whole/stats || bad 'tables differ'
[ $failed = 0 ] && echo ok
exit $failed
