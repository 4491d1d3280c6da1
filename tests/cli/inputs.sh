#!/bin/bash
# inputs.sh - a path in a recipe is relative to the recipe; the campaign keeps a copy, so that it may be moved and the
# original may go; a file that is not there is refused with its place before anything is made.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
mkdir recipes work
printf '1 1\n2 0.5\n4 0.1\n' >recipes/spectrum.txt
cat >recipes/table.yaml <<'END'
campaign: table
problem: turbulence
turbulence: {mach: 2, kmax: 4, table: spectrum.txt}
mesh: {cells: [16, 16, 16]}
time: {end: 0.01, unit: crossing}
statistics: {spectra: [], pdf: [], structure: []}
END
cd work || exit 1
sluice run ../recipes/table.yaml >out 2>&1 || { cat out; fail "the campaign did not run"; }
rm ../recipes/spectrum.txt
mv table moved
grep -q 'turbulence.table: .*\.\./\.\./inputs/[0-9a-f]*-spectrum.txt' moved/members/0000/run.yaml || fail "run.yaml does not name the copy"
rm -r moved/members/0000
sluice run moved >out 2>&1 || { cat out; fail "the moved campaign did not run without the original"; }
for verb in check run submit; do
    sluice $verb ../recipes/table.yaml >out 2>&1
    [ $? = 65 ] || fail "$verb: a file that is not there: exit code"
    grep -q 'table.yaml:3:[0-9]*: turbulence.table: cannot read .*spectrum.txt: No such file' out || { cat out; fail "$verb: message"; }
done
[ ! -e table ] || fail "a campaign was made without its input"
mkdir ../recipes/spectrum.txt
sluice run ../recipes/table.yaml >out 2>&1
[ $? = 65 ] && grep -q 'not a regular file' out || { cat out; fail "a directory as input"; }
echo ok
