#!/bin/bash
# pack.sh - several members in one task: each has its own attempts, logs and end; one that fails, stops at the wall-time limit
# or is cancelled does not harm the others of its task; nor do those that have their turns in one process. The programs are
# stand-ins (tests/cli/fake/program); what packed members see of the GPUs is in launch.sh. long: half a minute.
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

# ---- each of two processes does three members in turn: one is killed, one is refused, and the others do not notice
starts() { cat "$1"/members/*/attempts/sim.[0-9]*.json | grep -o '"token":"[^"]*"' | sort -u | wc -l; }
recipe turns 7 'resources: {walltime: 300, retries: 1, members_per_process: 3}'
echo '137 1' >orders/0001.sim
echo '65 1' >orders/0002.sim
sluice plan turns.yaml >plan.out || bad "plan"
grep -q -- '--array=0-1 .*--ntasks=2 --nodes=1 ' plan.out || { bad "the plan does not count turns"; cat plan.out; }
sluice submit turns.yaml >/dev/null || bad "submit turns"
drain
[ "$(state turns)" = 'done done failed done done done done' ] || { bad "turns: $(state turns)"; tail turns/logs/slurm/*; }
[ "$(grep -c '"start","member":"0001","stage":"sim"' turns/journal.jsonl)" = 2 ] || bad "turns: member 1 had no second attempt"
[ "$(starts turns)" -le 4 ] || bad "turns: $(starts turns) processes for the runs of 7 members"
# ---- what has no turn before the wall time goes on when the task starts again
recipe hand 4 'resources: {walltime: 6, members_per_process: 4}'
sed -i 's/pack: 2/pack: 1/' hand.yaml
FAKE_STEPS=40 sluice submit hand.yaml >/dev/null || bad "submit hand"
drain
[ "$(state hand)" = 'done done done done' ] || { bad "hand: $(state hand)"; tail hand/logs/slurm/*; }
grep -q 'restart [1-9]' hand/logs/slurm/*-sim-g1.0.log || bad "hand: Slurm did not start the task again"
# ---- a node that has no room for the second process of a task: its member goes on in the next job
cc -shared -fPIC -o no_fork.so "$tests/slurm/no_fork.c" -ldl || exit 1
recipe room 2 'resources: {walltime: 300}'
LD_PRELOAD=$PWD/no_fork.so NO_FORK=$PWD/refused sluice submit room.yaml >/dev/null || bad "submit room"
drain
[ -e refused ] && grep -q 'cannot start another process' room/logs/slurm/* || bad "room: the second process started"
[ "$(state room)" = 'done done' ] || { bad "room: $(state room)"; tail room/logs/slurm/*; }
for c in turns hand room; do once $c; done
exit $failed
