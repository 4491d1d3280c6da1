#!/bin/bash
# faults.sh - what goes wrong around jobs: two retries at once, a task of an array that starts itself again, a run that gets no
# further, a program that dies at once, a warning that is not heeded, a node that dies where nothing may be requeued, munge
# that is down, a lock of a host that is gone, members added when Slurm has forgotten the others. Every member ends once, or
# stops with its reason. The programs are stand-ins (tests/cli/fake/program). With SLUICE_LONG all of it, without it what takes
# seconds.
#   SLUICE_AWAY   seconds that munge and the controller are down (default 60)
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
away=${SLUICE_AWAY:-60}
cluster_start MinJobAge=4 || exit 1
cd "$SLURM_TEST" || exit 1
mkdir orders
export FAKE_ORDERS=$PWD/orders
recipe() { # NAME MEMBERS LINES...
    { printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nensemble: {min: 2}\nsweep: {seed: 1..%d}\n' "$1" "$2"
      printf '%s\n' "${@:3}"; } >"$1.yaml"
}
starts() { grep '"start"' "$1/journal.jsonl" | grep "\"member\":\"$2\",\"stage\":\"$3\"" | wc -l; }
once() { # CAMPAIGN: no stage of a member ended as done twice
    local doubles
    doubles=$(grep '"end"' "$1/journal.jsonl" | grep '"done"' | grep -o '"member":"[0-9]*","stage":"[a-z]*"' | sort | uniq -d)
    [ -z "$doubles" ] || bad "$1: done twice: $doubles"
}
munge_again() { # with the key that all know
    munged --force --key-file="$SLURM_TEST/munge/key" --socket="$SLURM_TEST/munge/socket" --pid-file="$SLURM_TEST/munge/pid" \
        --log-file="$SLURM_TEST/munge/log" --seed-file="$SLURM_TEST/munge/seed"
    wait_for 60 test -S "$SLURM_TEST/munge/socket"
}
bits() { cat "$1"/members/*/history.tsv; }
expect 0 sluice site
sed -i 's/^doubt:.*/doubt: 2/' "$XDG_CONFIG_HOME/sluice/site.yaml"

# ---- the placeholder: the id of an array is also the id of one of its tasks; that one starts itself again, and no other
recipe self 4 'resources: {walltime: 60}'
echo '75 1' >orders/0003.sim # it stops once as at the limit, with nothing done yet
echo '75 1' >orders/0000.sim
expect 0 sluice submit self.yaml
# ---- no progress twice, and a program that dies at once: both end with their reason
recipe stuck 2 'resources: {walltime: 60, retries: 2}'
(mkdir stuck-orders; echo '75 99' >stuck-orders/0001.sim)
FAKE_ORDERS=$PWD/stuck-orders expect 0 sluice submit stuck.yaml
recipe dies 2 'resources: {walltime: 60, retries: 2}'
(mkdir dies-orders; echo '73 99' >dies-orders/0001.sim)
FAKE_ORDERS=$PWD/dies-orders expect 0 sluice submit dies.yaml
drain
all_done self || { bad "a task that started itself again did not end"; cat self/journal.jsonl; }
once self
[ "$(starts self 0003 sim)" = 2 ] && [ "$(starts self 0000 sim)" = 2 ] || bad "the two that stopped did not start twice"
[ "$(starts self 0001 sim)" = 1 ] && [ "$(starts self 0002 sim)" = 1 ] || bad "tasks that had ended were started again"
expect 1 sluice status stuck --exit-code; shows 'S 0001'
[ "$(starts stuck 0001 sim)" = 2 ] || bad "$(starts stuck 0001 sim) attempts without getting further, not 2"
[ -e stuck/members/0001/stats.h5 ] && bad "statistics of a run that stalled"
expect 0 sluice why stuck; shows '0001 (seed=2) is stalled at stage sim'; shows 'resources.walltime'
expect 1 sluice status dies --exit-code; shows 'F 0001'
[ "$(starts dies 0001 sim)" = 3 ] || bad "$(starts dies 0001 sim) attempts of a program that dies, not 3"
expect 0 sluice why dies; shows 'ordered to end with 73'; shows 'sluice retry dies 0001 && sluice submit dies'

# ---- hold and release when some tasks of the arrays have ended: Slurm says no about those, and changes the others
recipe half 4
FAKE_STEPS=20 expect 0 sluice submit half.yaml --throttle 1
first_ended() { grep -q '"end","member":"0000","stage":"stats"' half/journal.jsonl; }
wait_for 120 first_ended || bad "half does not begin"
expect 0 sluice hold half
all_held() { [ "$(squeue -h -t PD -o %r | sort -u)" = JobHeldUser ]; }
wait_for 20 all_held || { bad "something that waits is not held"; squeue; }
expect 0 sluice release half
drain
all_done half && once half || { bad "half did not go on after release"; cat half/journal.jsonl; }

# ---- two retries and two submits at once, and members added, long after Slurm has forgotten the arrays
sleep 6
rm stuck-orders/* dies-orders/*
for i in 1 2; do sluice retry dies >retry.$i 2>&1 & done
wait
for i in 1 2; do sluice submit dies >submit.$i 2>&1 & done
wait
grep -hq '1 members submitted' submit.1 submit.2 || { bad "retry was not submitted"; cat retry.? submit.?; }
expect 0 sluice extend self seed=1..6; expect 0 sluice submit self; shows '2 members submitted'
drain
all_done dies || bad "retry did not mend it"
[ "$(starts dies 0001 sim)" = 4 ] || bad "two retries and two submits made $(($(starts dies 0001 sim) - 3)) attempts"
all_done self && once self && once dies || bad "members that were added did not end"
[ "$(starts self 0001 sim)" = 1 ] || bad "a done member was run again"
grep -qF 'all,6' self/ensemble/summary.csv || bad "the ensemble does not have the added members"

# ---- a lock whose owner is on a host that is gone
recipe lock 2
expect 0 sluice submit lock.yaml
drain
next=$(($(find lock/slots -name 'submit.*.json' | wc -l) + 1))
sed "s/\"host\":\"[^\"]*\"/\"host\":\"gone.example\"/; s/,\"end\":[0-9.]*//; s/\"n\":[0-9]*/\"n\":$next/" lock/slots/submit.1.json >lock/slots/submit.$next.json
touch -d '1 hour ago' lock/slots/submit.$next.json
expect 0 sluice extend lock seed=1..3; expect 0 timeout 60 sluice submit lock; shows '1 members submitted'

# ---- a campaign that is cancelled in its last seconds before the limit, or asks for its next start then, stays out
running() { grep -q '"start"' "$1/journal.jsonl"; }
cut() { # NAME
    recipe "$1" 2 'resources: {walltime: 40}'
    FAKE_STEPS=900 expect 0 sluice submit "$1.yaml"
    wait_for 120 running "$1" || bad "$1 does not start"
    sleep 1
    expect 0 sluice cancel "$1"; shows 'jobs cancelled; `sluice submit` goes on'
    drain
    [ "$(grep -c '"start"' "$1/journal.jsonl")" -le 2 ] && [ ! -e "$1/slots/slurm.0002.tsv" ] || { bad "$1 went on after cancel"; tail -n 5 "$1"/logs/slurm/*; }
    grep -q '"paused"' "$1/journal.jsonl" || { bad "what ran was not asked to stop"; cat "$1/journal.jsonl"; }
    # nor does the job of the campaign hand on, when what it waited for was cancelled before it
    sbatch --output="$1.log" "$1/slots/batch.sh" "$(command -v sluice)" 0 "$PWD/$1" ensemble 1 >/dev/null
    drain
    grep -q 'sluice cancel. was called' "$1.log" || { bad "the job of the campaign does not heed cancel"; cat "$1.log"; }
}
cut again
sed -i 's/^requeue:.*/requeue: 0/' "$XDG_CONFIG_HOME/sluice/site.yaml"
cut next
sed -i 's/^requeue:.*/requeue: 1/' "$XDG_CONFIG_HOME/sluice/site.yaml"
for c in again next; do FAKE_STEPS=2 expect 0 sluice submit $c; done
drain
for c in again next; do all_done $c || { bad "$c does not go on after cancel"; cat $c/journal.jsonl; }; once $c; done

[ -n "${SLUICE_LONG:-}" ] || exit $failed

# ---- a warning that comes too late to be heeded: the run ends within KillWait, or is killed, and goes on
recipe deaf 2 'resources: {walltime: 6}'
FAKE_STEPS=60 FAKE_NAP=0.1 FAKE_DEAF=1 expect 0 sluice submit deaf.yaml

# ---- the controller is down for a while, jobs end meanwhile and tell nobody
recipe away 3
FAKE_STEPS=100 FAKE_NAP=0.1 expect 0 sluice submit away.yaml
wait_for 120 running away || bad "it does not start"
kill_by_file "$SLURM_TEST/slurmctld.pid" TERM
expect 69 sluice submit away; says 'Slurm does not answer'
sleep "$away"
controller_up || bad "the controller does not come back"
drain
for c in away deaf; do all_done $c || { bad "$c is not done"; sluice status $c -m; cat $c/journal.jsonl; }; once $c; done
[ "$(starts away 0001 stats)" = 1 ] || bad "statistics were made $(starts away 0001 stats) times"

# ---- munge is down: nothing is known, nothing is concluded; jobs that run go on. Slurm takes its nodes for dead meanwhile, drains
# those that come back with the jobs that it had given away, and holds the jobs: a person lets the nodes go on, submit the rest
recipe guild 3
FAKE_STEPS=100 FAKE_NAP=0.1 expect 0 sluice submit guild.yaml
wait_for 120 running guild || bad "it does not start"
kill_by_file "$SLURM_TEST/munge/pid" TERM
recipe late 2
expect 69 sluice submit late.yaml; expect 69 sluice submit guild; says 'Slurm does not answer'
rm -f guild/slots/queue.txt
expect 0 sluice status guild; shows 'queue: not known'
expect 0 sluice why guild 1
expect 69 sluice hold guild
sleep "$away"
munge_again || bad "munged does not start again"
mended() {
    scontrol update NodeName=n1,n2,n3,n4 State=RESUME
    sluice submit late
    sluice submit guild
    sleep 2
    all_done late && all_done guild && queue_empty
}
wait_for 300 mended || { bad "they do not go on"; squeue; sinfo -N -o '%N %t %E'; sluice status guild -m; sluice status late -m; }
for c in guild late; do once $c; done

# ---- a node dies where nothing may be requeued: its members are free for the next submit, the others go on
sed -i 's/^requeue:.*/requeue: 0/' "$XDG_CONFIG_HOME/sluice/site.yaml"
recipe lost 4 'resources: {ranks: 2}'
FAKE_STEPS=100 FAKE_NAP=0.1 expect 0 sluice submit lost.yaml
four() { [ "$(grep -c '"start".*"stage":"sim"' lost/journal.jsonl)" = 4 ]; }
wait_for 120 four || bad "not all start"
sleep 1
node=$(squeue -h -t R -o %N | sort -u | head -n 1)
node_kill "$node"
done_now() { sluice status lost --json --offline | python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["counts"]["done"] != 3)'; }
wait_for 300 done_now || { bad "not 3 members are done after a node died"; sluice status lost -m; }
# what waited for its run would wait for ever, and the job of the campaign with it: that takes it out of the queue and makes
# the ensemble of the three
wait_for 180 queue_empty || { bad "what waited for the run of the dead node stays in the queue"; squeue; }
grep -qF 'all,3' lost/ensemble/summary.csv || bad "no ensemble of the members that are done"
node_up "$node"
wait_for 120 cluster_idle
FAKE_STEPS=100 FAKE_NAP=0.1 expect 0 sluice submit lost; shows '1 members submitted'
drain
all_done lost && once lost || { bad "the member of the dead node did not go on"; cat lost/journal.jsonl; }
FAKE_STEPS=100 FAKE_NAP=0 expect 0 sluice run lost.yaml --dir quiet
[ "$(bits lost)" = "$(bits quiet)" ] || bad "other bits after a node died"
exit $failed
