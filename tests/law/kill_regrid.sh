#!/bin/bash
# kill_regrid - one of two ranks gets a SIGKILL inside a regrid of a plane with two levels, which move every few steps: where the forest is copied, where it
# is shared out, and where the old one goes (tests/law/preload/regrid.c). Each attempt goes on from the checkpoint of the one
# before; the end has the hash and the history of the run that was never killed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$SLUICE_TOP/tests/scratch.sh"
mpicc -D_GNU_SOURCE -shared -fPIC -O1 -Wall -Wextra -o "$work/regrid.so" "$here/preload/regrid.c" -ldl || exit 1

for d in a b; do
    mkdir "$work/$d"
    cat >"$work/$d/run.yaml" <<YAML
campaign: kill
problem: sedov
mesh:
  cells: [32, 16]
  box: [[0, 1], [0, 0.5]]
  block: 8
  levels: 2
  regrid: 1
  buffer: 0
  derefine_after: 1
  boundary: periodic
  refine: [{by: gradient, of: density, above: 0.1}]
time: {end: 0.01, levels: one}
output: {snapshot: 0, history: 0.001}
YAML
done
run() { mpirun -n 2 sluice-sim "$work/$1/run.yaml" >"$work/out" 2>"$work/err"; }
die() { # RANK CALL PLACE
    mpirun -n 2 -x LD_PRELOAD="$work/regrid.so" -x REGRID_RANK="$1" -x REGRID_CALL="$2" -x REGRID_PLACE="$3" \
        sluice-sim "$work/b/run.yaml" output.checkpoint=1e-6s >"$work/out" 2>"$work/err" && fail "it was not killed in $3"
    grep -q "dies in $3" "$work/err" || fail "it was not killed in $3, but ended"
    ! grep -q damaged "$work/err" || fail "a damaged checkpoint after $3"
    [ "$2" = 5 ] || grep -q 'goes on from checkpoint' "$work/err" || fail "it begins again and dies in $3"
}
run a || fail "the run that is not killed"
want=$(tail -n 1 "$work/out")
die 1 5 p4est_partition
die 0 3 p4est_copy # going on shares forests out three times
die 1 4 p4est_partition
die 0 4 p4est_destroy
run b || fail "after the kills"
[ "$(tail -n 1 "$work/out")" = "$want" ] || fail "after the kills $(tail -n 1 "$work/out"), without $want"
cmp <(grep -v '^#' "$work/a/history.tsv") <(grep -v '^#' "$work/b/history.tsv") || fail "history.tsv differs"
echo "killed in four regrids, the same: $want"
