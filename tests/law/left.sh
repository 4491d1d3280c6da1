#!/bin/bash
# left.sh - mpirun that outlives its ranks, as Open MPI 4.1 does where it locks up at their end (here it is stopped, and they are
# killed as they start): the attempt ends as failed, within a minute and a half, and the next one does the work.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
cat >left.yaml <<'END'
campaign: left
problem: sod
mesh: {cells: [32], boundary: outflow}
time: {end: 0.01}
resources: {retries: 1}
END
launcher() { pgrep -f "^mpirun .*$1 members/0000/run.yaml" | grep -xf <(grep -lzs "^PWD=$work" /proc/[0-9]*/environ | cut -d/ -f3); }
sluice run left.yaml resources.ranks=2 --oversubscribe >out 2>err &
run=$!
until pid=$(launcher sluice-sim) || ! kill -0 $run 2>/dev/null; do sleep 0.02; done
[ -n "$pid" ] || fail "no mpirun was seen"
until [ "$(pgrep -cP "$pid")" = 2 ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
kill -STOP "$pid"
pkill -KILL -P "$pid"
for _ in $(seq 90); do kill -0 $run 2>/dev/null || break; sleep 1; done
if kill -0 $run 2>/dev/null; then
    kill -CONT "$pid"
    wait $run
    fail "the attempt did not end"
fi
wait $run || fail "sluice run ended with $?"
[ "$(grep -c '"start".*"sim"' left/journal.jsonl)" = 2 ] || fail "not two attempts: $(cat left/journal.jsonl)"
grep '"end".*"sim".*"failed"' left/journal.jsonl | grep -q 'its ranks were gone' || fail "not for this reason: $(cat left/journal.jsonl)"
sluice verify left >out 2>err || fail "products do not hold"
[ -z "$(launcher sluice-)" ] || fail "an mpirun is left"
echo "mpirun without ranks was ended after $(grep -oE '"seconds":[0-9.]+' left/journal.jsonl | head -n 1 | cut -d: -f2) s"
