#!/bin/bash
# budget.sh - how often a member may begin again, by cause: a stop without progress twice, a failure as often as
# resources.retries says, a run that diverges or is refused not at all; what is requeued is the task alone, also that with the
# highest index, whose job has the number of the array. The programs are stand-ins (tests/cli/fake/program). long: 40 s.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
mkdir orders
export FAKE_ORDERS=$PWD/orders
cat >cost.yaml <<'END'
campaign: cost
problem: sod
mesh: {cells: [64]}
time: {end: 0.2}
resources: {walltime: 60, retries: 2}
ensemble: {min: 2}
sweep: {seed: 1..7}
END
echo '75 9' >orders/0000.sim # stops, and never has a newer checkpoint
echo '1 9' >orders/0001.sim  # fails each time
echo '1 2' >orders/0002.sim  # fails twice, which it may
echo '70 9' >orders/0003.sim # diverges
echo '65 9' >orders/0004.sim # is refused
echo '1 1' >orders/0006.sim  # fails once, in the task whose job has the number of the array
sluice site >/dev/null 2>&1
sluice submit cost.yaml >/dev/null || bad "submit"
wait_for 120 queue_empty || { bad "the queue does not get empty"; squeue; }
begun() { grep -c "\"what\":\"start\",\"member\":\"000$1\",\"stage\":\"sim\"" cost/journal.jsonl; }
ends() { # MEMBER ATTEMPTS STATE
    local state
    state=$(sluice status cost "$1" --json --offline | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["list"][0]["state"])')
    [ "$(begun "$1")" = "$2" ] && [ "$state" = "$3" ] || { bad "member $1: $(begun "$1") attempts, $state; not $2, $3"; tail -n 4 cost/logs/slurm/*-sim-g1."$1".log; }
}
ends 0 2 stalled
ends 1 3 failed
ends 2 3 done
ends 3 1 diverged
ends 4 1 failed
ends 5 1 "done"
ends 6 2 "done"
sluice why cost 0 | grep -q 'stalled at stage sim' || { bad "why does not tell that it stalled"; sluice why cost 0; }
sluice why cost 0 | grep -q 'resources.walltime' || bad "why does not tell what mends it"
sluice why cost 1 | grep -q 'ordered to end with 1' || { bad "why does not tell the cause"; sluice why cost 1; }
for m in 3 4 5; do grep -q 'restart [1-9]' cost/logs/slurm/*-sim-g1.$m.log && bad "member $m was requeued"; done
grep -qF 'all,3' cost/ensemble/summary.csv || { bad "the ensemble has not the three that are done"; cat cost/ensemble/summary.csv; }
exit $failed
