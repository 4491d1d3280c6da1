#!/bin/bash
# left.sh - mpirun that outlives its ranks, as Open MPI 4.1 does where it locks up at their end (here it is stopped, and they are
# killed as they start): the attempt ends as failed, within a minute and a half, and the next one does the work. So does the
# question whether ensemble.target is reached, asked by a stand-in of sluice-stats, and the campaign goes on without an answer.
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
{ sed 's/: left/: asks/' left.yaml; echo 'sweep: {seed: 1..2}'; echo 'ensemble: {target: mach_rms, min: 2}'; } >asks.yaml
launcher() { for p in $(pgrep -x mpirun); do [ "$(readlink "/proc/$p/cwd")" = "$work/$1" ] && echo "$p"; done; }
trap 'for p in $(launcher left; launcher asks); do kill -KILL "$p"; done; wait; rm -rf "$work"' EXIT
ends() { # CAMPAIGN PID: within a minute and a half, with what exit code
    for _ in $(seq 90); do kill -0 "$2" 2>/dev/null || break; sleep 1; done
    kill -0 "$2" 2>/dev/null && for p in $(launcher "$1"); do kill -KILL "$p"; late=$1; done
    wait "$2"
    code=$?
    [ "${late:-}" != "$1" ] || fail "$1 did not end"
    [ $code = 0 ] || fail "$1 ended with $code"
}
SLUICE_PROGRAMS=$SLUICE_TOP/tests/cli/fake FAKE_GONE=1 FAKE_STEPS=1 sluice run asks.yaml >asks.log 2>&1 &
asks=$!
catch() { # a campaign whose mpirun has started ranks; false: it was too fast, and is over
    rm -rf left
    sluice run left.yaml resources.ranks=2 --oversubscribe >out 2>err &
    run=$! pid=
    until [ -n "$pid" ] || ! kill -0 $run 2>/dev/null; do pid=$(launcher left); done
    until [ "$(pgrep -cP "${pid:-0}")" = 2 ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
    grep -qs sluice-sim "/proc/$pid/cmdline" && kill -STOP "$pid" && return
    wait $run
    return 1
}
catch || catch || catch || fail "no mpirun was caught"
pkill -KILL -P "$pid"
ends left $run
[ "$(grep -c '"start".*"sim"' left/journal.jsonl)" = 2 ] || fail "not two attempts: $(cat left/journal.jsonl)"
grep '"end".*"sim".*"failed"' left/journal.jsonl | grep -q 'its ranks were gone' || fail "not for this reason: $(cat left/journal.jsonl)"
sluice verify left >out 2>err || fail "products do not hold"
ends asks $asks
grep -q 'ensemble.target cannot be checked: .* code 137' asks.log || fail "no word of the question"
[ -z "$(launcher left; launcher asks)" ] || fail "an mpirun is left"
echo "mpirun without ranks was ended after $(grep -oE '"seconds":[0-9.]+' left/journal.jsonl | head -n 1 | cut -d: -f2) s"
