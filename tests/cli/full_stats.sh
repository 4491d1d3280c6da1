#!/bin/bash
# full_stats.sh - a disk that is full while statistics are written: one message that names the file, exit code 73, nothing
# half written, and the same bytes as ever when there is room again.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
small 24m || exit 0
cd "$work/small" || exit 1
. "$SLUICE_TOP/tests/check.sh"
cat >run.yaml <<'YAML'
campaign: start
problem: cosmology
mesh: {cells: [24, 24, 24], box: [[0, 50], [0, 50], [0, 50]]}
cosmology: {normalise: sigma8}
time: {end: 0}
statistics: {structure: [velocity, density, diagonals], matter: [gas, particles, cross, correlation], clumps: 1.02, tree: 1, tree_delta: 0.001}
YAML
sluice-ic run.yaml 2>err && sluice-sim run.yaml >out 2>err && sluice-stats run.yaml 2>err || { cat err; exit 1; }
all=$(find . | sort)
mv stats stats.h5 ..
files=$(cd ../stats && ls | wc -l)
first=$(($(stat -c %s ../stats.h5) / 4096 + 1)) tables=$(find ../stats -type f -size +0 -printf '%s\n' | awk '{n += int(($1 + 4095) / 4096)} END {print n}')
written=0 refused=0
# pages of 4 kB, for stats.h5 and the tables after it
for pages in 0 1 2 5 $((first / 2)) $((first - 1)) $(seq $first $((tables / 6 + 1)) $((first + tables + 8))) $((first + tables + 20)); do
    rm -rf stats stats.h5
    fill "$pages"
    mpirun -n 2 sluice-stats run.yaml >../out 2>../err
    code=$?
    rm fill
    left=$(find . | sort | comm -13 <(echo "$all") -)
    [ -z "$left" ] || bad "left behind with $pages pages: $left"
    for f in stats/*; do
        [ ! -e "$f" ] || cmp "$f" "../$f" || bad "half of $f with $pages pages"
    done
    [ ! -e stats.h5 ] || cmp stats.h5 ../stats.h5 || bad "half of stats.h5 with $pages pages"
    if [ $code = 0 ]; then
        written=$((written + 1))
        [ "$(ls stats | wc -l)" = "$files" ] || bad "not all tables with $pages pages"
    else
        refused=$((refused + 1))
        [ $code = 73 ] || bad "exit $code with $pages pages: $(cat ../err)"
        [ "$(grep -c 'No space left on device' ../err)" = 1 ] || bad "not one message with $pages pages: $(cat ../err)"
        grep 'No space left on device' ../err | grep -q 'stats' || bad "which file? $(cat ../err)"
        [ ! -e stats/summary.csv ] || bad "a summary of statistics that are not complete"
    fi
done
[ $refused -gt 4 ] && [ $written -gt 0 ] || bad "$refused times without room, $written times with"
[ $failed = 0 ] && echo ok
exit $failed
