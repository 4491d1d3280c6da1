#!/bin/bash
# nodes.sh - a node that fails again and again: the journal names it as the cause, after the second time the campaign leaves
# it out, in what it submits and in what waits in the queue; a person sees that and lets it back in. A job that was only
# requeued is no node's fault. The programs are stand-ins (tests/cli/fake/program).
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=3000 FAKE_NAP=0.1
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
cat >hard.yaml <<'END'
campaign: hard
problem: sod
mesh: {cells: [64]}
time: {end: 0.2}
resources: {walltime: 300}
ensemble: {min: 2}
sweep: {seed: 1..3}
END
begun() { [ "$(grep -c '"what":"start","member":"0000","stage":"sim"' hard/journal.jsonl)" -ge "$1" ]; }
stepped() { grep -q '"step":[1-9]' hard/members/0000/progress.json; }
# the controller is told at once, instead of finding out after SlurmdTimeout
node_fails() {
    node_kill n1
    scontrol update nodename=n1 state=down reason=test
    node_up n1
    scontrol update nodename=n1 state=resume
}
until_true() { wait_for "$@" || { bad "after $1 s not yet: ${*:2}"; squeue; tail -n 3 hard/logs/slurm/*; tail -n 3 slurmctld.log; }; }
sluice site >/dev/null 2>&1
scontrol update nodename='n[2-4]' state=drain reason=test
sluice submit hard.yaml >/dev/null || bad "submit"
sluice hold hard 2 >/dev/null || bad "hold"
until_true 30 begun 1; until_true 10 stepped
sluice status hard --json | python3 -c '
import json, sys
s = json.load(sys.stdin)
c = s["checkpoints"]
assert c["every_s"] == 7 and c["write_s"] == 0.5 and c["runs_lost"] == 0 and s["left_out"] == [], s' || bad "the checkpoints in JSON"
# taken away, but its node is well: it has time for a checkpoint
scontrol requeue 1_0 || bad "requeue"
until_true 30 begun 2
# twice its node dies and comes back
node_fails
until_true 40 begun 3; sleep 1
node_fails
successor() { [ "$(grep -l 'a successor was submitted' hard/logs/slurm/*-sim-g1.[01].log | wc -l)" = 2 ]; }
until_true 40 successor
grep '"what":"end","member":"0000"' hard/journal.jsonl >ends
[ "$(grep -c '"node":"n1","result":"taken"' ends)" = 2 ] || { bad "not two attempts were taken by n1"; cat ends; }
[ "$(grep -c '"result":"paused"' ends)" = 1 ] || { bad "what was requeued was not asked to stop"; cat ends; }
grep -q 'node n1 failed' ends || { bad "the cause is not named"; cat ends; }
[ "$(squeue -h -o '%j %x' | grep -- '-sim-g[23]' | sed 's/.* //' | sort -u)" = n1 ] || { bad "the successors do not leave n1 out"; squeue -o '%A %j %T %r %x'; }
[ "$(squeue -h -j 1_2 -o %x)" = n1 ] || { bad "what waits in the queue does not leave n1 out"; squeue -o '%A %K %j %T %r %x'; }
sluice status hard >out || bad "status"
grep -qF 'nodes left out: n1 (2 failures, 24 h left)' out || { bad "status does not tell of the node"; cat out; }
sluice status hard --json | python3 -c '
import json, sys
s = json.load(sys.stdin)
(n,) = s["left_out"]
assert n["node"] == "n1" and n["failures"] == 2 and 86000 < n["left_s"] <= 86400 and s["checkpoints"]["runs_lost"] >= 2, s' ||
    bad "the node that is left out in JSON"
sluice why hard 0 | grep -q 'node n1 failed' || { bad "why does not tell of the node"; sluice why hard 0; }
# let back in
sluice readmit hard n7 2>err && bad "a node that is not left out was let in"
sluice readmit hard | grep -qx "n1: may be used again" || bad "readmit"
sluice status hard | grep -q 'left out' && bad "it is still left out"
excluded() { squeue -h -o %x | grep -q n1; }
excluded && { bad "the queue still leaves n1 out"; squeue -o '%A %j %T %r %x'; }
scancel --user="$(id -un)"
exit $failed
