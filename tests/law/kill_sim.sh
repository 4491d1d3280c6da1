#!/bin/bash
# kill_sim - a hundred SIGKILLs at random moments, most of them inside the writing of a checkpoint, since one is written after
# every step, and in every other step inside a regrid of its levels. The run then ends with the hash and the history of the undisturbed one. SLUICE_SEED repeats the moments.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
export OMPI_MCA_btl=self # one rank: start quickly
RANDOM=${SLUICE_SEED:=$$}
echo "SLUICE_SEED=$SLUICE_SEED"

for d in a b; do
    mkdir "$work/$d"
    cat >"$work/$d/run.yaml" <<YAML
campaign: kill
problem: riemann
mesh:
  cells: [128]
  box: [[0, 1]]
  block: 16
  boundary: outflow
  levels: 2
  regrid: 2
  refine: [{by: gradient, of: density, above: 0.01}]
time: {end: 0.3}
output: {snapshot: 0, history: 0.001}
YAML
done
want=$(sluice-sim "$work/a/run.yaml" | tail -n 1)

kills=0 unfinished=0
while [ $kills -lt 100 ]; do
    rm -f "$work/b/progress.json"
    sluice-sim "$work/b/run.yaml" output.checkpoint=1e-6s >"$work/out" 2>"$work/err" &
    job=$!
    until [ -e "$work/b/progress.json" ] || ! kill -0 $job 2>/dev/null; do sleep 0.01; done
    sleep 0.0$((RANDOM % 6))$((RANDOM % 10))
    kill -KILL $job 2>/dev/null
    { wait $job; } 2>/dev/null
    code=$?
    if [ $code = 0 ]; then # a fast machine: once more from the start
        [ "$(tail -n 1 "$work/out")" = "$want" ] || fail "after $kills kills $(cat "$work/out"), without $want"
        rm -rf "$work"/b/{checkpoints,snapshots,history.tsv}
        continue
    fi
    [ $code = 137 ] || fail "after $kills kills the run ended by itself with $code"
    kills=$((kills + 1))
    grep -q 'damaged' "$work/err" && fail "a damaged checkpoint after kill $kills"
    ls -d "$work"/b/checkpoints/*.tmp >/dev/null 2>&1 && unfinished=$((unfinished + 1))
done
got=$(sluice-sim "$work/b/run.yaml" 2>"$work/err" | tail -n 1)
cat "$work/err"
[ "$got" = "$want" ] || fail "after $kills kills $got, without $want"
cmp "$work/a/history.tsv" "$work/b/history.tsv" || fail "history.tsv differs"
[ $unfinished -ge 5 ] || fail "only $unfinished kills fell into a write: the test tests nothing"
echo "$kills kills, $unfinished inside a write, the same: $got"
