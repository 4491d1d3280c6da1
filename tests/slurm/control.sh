#!/bin/bash
# control.sh - a campaign in the queue and a person before it: hold, release, throttle, cancel, a cached queue, a controller
# that is away, and a site that does not let jobs be requeued. The programs are stand-ins
# (tests/cli/fake/program). long: two minutes.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
recipe() { # NAME MEMBERS LINES...
    { printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nensemble: {min: 2}\nsweep: {seed: 1..%d}\n' "$1" "$2"
      printf '%s\n' "${@:3}"; } >"$1.yaml"
}
throttles() { scontrol show job "$1" | grep -o 'ArrayTaskThrottle=[0-9]*' | sort -u; }

# ---- hold, throttle, cancel one, release
recipe hand 6
FAKE_STEPS=40 expect 0 sluice submit hand.yaml --throttle 1
expect 0 sluice hold hand
expect 0 sluice throttle hand 3; shows '2 arrays: 3 members'
[ "$(throttles 1)" = ArrayTaskThrottle=3 ] || bad "the throttle of the array is $(throttles 1)"
expect 2 sluice throttle hand many
expect 0 sluice cancel hand 4; shows '0004 (seed=5): cancelled'
expect 0 sluice status hand; shows 'held: `sluice release` lets it go on'
expect 0 sluice why hand 2; shows 'held'
expect 0 sluice status hand --json; shows '"known": true'; shows '"running":'
expect 0 sluice release hand
drain
expect 0 sluice status hand; shows '5/6 done'
[ -e hand/members/0004/stats.h5 ] && bad "a cancelled member was run"
expect 0 sluice retry hand 4; expect 0 sluice submit hand; drain
all_done hand || bad "the cancelled member does not end after retry"

# ---- one limit for two arrays; the share of the one that ends goes to the other
expect 0 sluice site
sed -i 's/^max_array:.*/max_array: 4/' "$XDG_CONFIG_HOME/sluice/site.yaml"
recipe share 7
FAKE_STEPS=20 expect 0 sluice submit share.yaml --throttle 3; shows '7 members submitted in 5 jobs'
jobs() { squeue -h -o '%F %j' | grep -- "-$1" | cut -d' ' -f1 | sort -un; }
first=$(jobs sim-g1) second=$(jobs sim-g2)
[ "$(throttles "$first")$(throttles "$second")" = ArrayTaskThrottle=2ArrayTaskThrottle=1 ] || bad "shares of 3: $(throttles "$first") $(throttles "$second")"
expect 0 sluice throttle share 2; shows '4 arrays: 2 members'
[ "$(throttles "$first")$(throttles "$second")" = ArrayTaskThrottle=1ArrayTaskThrottle=1 ] || bad "shares of 2: $(throttles "$first") $(throttles "$second")"
passed_on() { [ "$(throttles "$first" 2>/dev/null)" = ArrayTaskThrottle=2 ] || [ "$(throttles "$second" 2>/dev/null)" = ArrayTaskThrottle=2 ]; }
wait_for 60 passed_on || { bad "the share of the array that ended is not passed on"; squeue; tail -n 3 share/logs/slurm/*; }
drain
all_done share || bad "a limited campaign does not end"
rm "$XDG_CONFIG_HOME/sluice/site.yaml"

# ---- cancel all, with what runs writing its checkpoint; submit goes on from there
recipe all 2
FAKE_STEPS=60 expect 0 sluice submit all.yaml
running() { grep -q '"start"' all/journal.jsonl; }
wait_for 30 running || bad "it does not start"
sleep 2
expect 0 sluice cancel all; shows 'jobs cancelled; `sluice submit` goes on'
drain
grep -q '"result":"paused"' all/journal.jsonl || { bad "what ran was not asked to stop"; cat all/journal.jsonl; }
FAKE_STEPS=60 expect 0 sluice submit all; shows '2 members submitted'
drain
all_done all || bad "a cancelled campaign does not go on"

# ---- one squeue for many looks; the controller away: the queue is not known, nothing is concluded, nothing is lost
recipe away 2
FAKE_STEPS=60 expect 0 sluice submit away.yaml
expect 0 sluice status away; shows 'queue:'
mkdir bin; printf '#!/bin/bash\necho x >>"%s/asked"\nexec %s "$@"\n' "$PWD" "$(command -v squeue)" >bin/squeue; chmod +x bin/squeue
for _ in 1 2 3; do PATH=$PWD/bin:$PATH expect 0 sluice status away; done
[ -e asked ] && bad "squeue was asked although the last answer is fresh"
controller_kill
rm -f away/slots/queue.txt
expect 0 sluice status away; shows 'queue: not known'
expect 0 sluice status away --offline; shows 'was not asked'
expect 69 sluice submit away; says 'Slurm does not answer'
sleep 3
controller_up || bad "the controller does not come back"
drain
# a controller that is killed forgets what came in its last seconds; submitting again hands over what it forgot
expect 0 sluice submit away
drain
all_done away || bad "a campaign did not survive its controller"

# ---- jobs that may not be requeued: a successor takes over where the attempt stopped
expect 0 sluice site
sed -i 's/^requeue:.*/requeue: 0/' "$XDG_CONFIG_HOME/sluice/site.yaml"
recipe next 2 'resources: {walltime: 6}'
FAKE_STEPS=100 expect 0 sluice submit next.yaml
ended() { all_done next && queue_empty; }
wait_for 120 ended || { bad "no successor ends it"; squeue; cat next/journal.jsonl; tail -n 5 next/logs/slurm/*; }
grep -q '"result":"stopped"' next/journal.jsonl || bad "it never reached its limit"
grep -qF 'all,2' next/ensemble/summary.csv || bad "the ensemble of successors has not 2 members"
exit $failed
