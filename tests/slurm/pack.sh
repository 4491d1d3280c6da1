#!/bin/bash
# pack.sh - several members in one task: each has its own attempts, logs and end; one that fails, stops at the wall-time limit
# or is cancelled does not harm the others of its task. The programs are stand-ins (tests/cli/fake/program); what packed
# members see of the GPUs is in launch.sh. long: half a minute.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
mkdir orders
export FAKE_ORDERS=$PWD/orders
recipe() { # NAME MEMBERS LINES...
    { printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nensemble: {min: 2}\nslurm: {pack: 2}\nsweep: {seed: 1..%d}\n' "$1" "$2"
      printf '%s\n' "${@:3}"; } >"$1.yaml"
}
state() { sluice status "$1" --json --offline | /usr/bin/python3 -c "import json, sys; print(*[m['state'] for m in json.load(sys.stdin)['list']])"; }
once() { # CAMPAIGN: no stage of a member was done twice
    doubles=$(grep '"result":"done"' "$1/journal.jsonl" | grep -o '"member":"[0-9]*","stage":"[a-z]*"' | sort | uniq -d)
    [ -z "$doubles" ] || bad "$1: done twice: $doubles"
}
sluice site >/dev/null 2>&1

# ---- five members in three tasks; one of them fails, and one is out of its time again and again
recipe five 5 'resources: {walltime: 60, retries: 0}'
echo '65 1' >orders/0002.sim
recipe wall 3 'resources: {walltime: 6}'
sluice plan five.yaml >plan.out || bad "plan"
grep -q -- '--array=0-2 .*--ntasks=2 --nodes=1 ' plan.out || { bad "the plan does not pack"; cat plan.out; }
sluice submit five.yaml >/dev/null || bad "submit five"
FAKE_STEPS=90 sluice submit wall.yaml >/dev/null || bad "submit wall"
# ---- one of two is cancelled while both run
recipe cut 2 'resources: {walltime: 300}'
FAKE_STEPS=300 sluice submit cut.yaml >/dev/null || bad "submit cut"
both() { [ "$(grep -c '"what":"start"' cut/journal.jsonl)" = 2 ]; }
wait_for 60 both || { bad "cut does not start"; squeue; }
sluice cancel cut 1 | grep -q '0001 (seed=2): cancelled' || bad "cancel"
drain
[ "$(state five)" = 'done done failed done done' ] || { bad "five: $(state five)"; tail five/logs/slurm/*; }
grep -qF 'all,4' five/ensemble/summary.csv || bad "the ensemble of five has not 4"
[ "$(state wall)" = 'done done done' ] || { bad "wall: $(state wall)"; tail wall/logs/slurm/*; }
[ "$(grep -c '"result":"stopped"' wall/journal.jsonl)" -ge 3 ] || { bad "wall: no stops"; cat wall/journal.jsonl; }
grep -q 'restart [1-9]' wall/logs/slurm/*-sim-g1.0.log || bad "wall: Slurm did not start the task again"
[ "$(state cut)" = 'done cancelled' ] || { bad "cut: $(state cut)"; tail cut/logs/slurm/*; }
for c in five wall cut; do once $c; done

# ---- what is left is packed anew; a member is found in its task
sluice retry five >/dev/null; sluice retry cut >/dev/null
sluice submit five | grep -q '1 members submitted in 3 jobs' || bad "submit five again"
sluice submit cut >/dev/null || bad "submit cut again"
drain
[ "$(state five)" = 'done done done done done' ] || bad "five after retry: $(state five)"
[ "$(state cut)" = 'done done' ] || bad "cut after retry: $(state cut)"
exit $failed
