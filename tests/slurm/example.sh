#!/bin/bash
# example.sh - the walk-through of examples/first-slurm-campaign on a private Slurm, with the node that dies.
# long: a minute.
set -u
. "$(dirname "$0")/cluster.sh"
example=$(cd "$(dirname "$0")/../../examples/first-slurm-campaign" && pwd)
build=$(dirname "$(command -v sluice)")
fail() { echo "FAIL: $*"; squeue; tail -n 5 "$SLURM_TEST"/tubes/logs/slurm/*; exit 1; }
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
cp "$example/recipe.yaml" .
ln -s "$build" build
commands() { awk -v s="^\`\`\`sh $1\$" '$0 ~ s { on = 1; next } /^```$/ { on = 0 } on' "$example/README.md"; }
commands run >run.sh
commands after >after.sh
[ "$(wc -l <run.sh)" = 4 ] && [ "$(wc -l <after.sh)" = 3 ] || fail "the page has lost commands"
bash -eu run.sh >run.log 2>&1 || { cat run.log; fail "a command of the page failed"; }
grep -q 'dependency=aftercorr:<sim-g1>' run.log || fail "the plan does not show its calls"
victim() { node=$(squeue -h -t R -o '%j %N' | sed -n 's/^slc.*-sim-g1 //p' | head -n 1) && [ -n "$node" ]; }
wait_for 30 victim || fail "nothing runs"
node_kill "$node"
echo "killed $node"
wait_for 800 queue_empty || fail "the queue does not get empty"
grep -q '"taken"' tubes/journal.jsonl || fail "no member was on the node that died"
bash -eu after.sh || fail "the campaign did not end as the page says"
