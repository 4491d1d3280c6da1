#!/bin/bash
# guard.sh - dependencies that leak: when an array has left Slurm's memory, those that waited for one of its failed tasks
# are let go. 30 members, two at a time, the 26th fails: its statistics must not be made, nor an ensemble with it. Jobs
# that come twice, or without their dependency, find nothing to do.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=1 FAKE_NAP=0.01
cluster_start MinJobAge=2 || exit 1
cd "$SLURM_TEST" || exit 1
mkdir orders
export FAKE_ORDERS=$PWD/orders
cat >leak.yaml <<'END'
campaign: leak
problem: sod
mesh: {cells: [64]}
time: {end: 0.2}
resources: {walltime: 60, retries: 0}
ensemble: {min: 2}
sweep: {seed: 1..30}
END
echo '65 1' >orders/0025.sim
sluice submit leak.yaml --throttle 2 || bad "submit"
drain
sluice status leak --offline
[ -e leak/members/0025/stats.h5 ] && bad "statistics of a run that failed"
grep -q '"member":"0025","stage":"stats"' leak/journal.jsonl && bad "an attempt at the statistics of a run that failed"
grep -qF 'all,29' leak/ensemble/summary.csv || bad "the ensemble does not have the other 29"
doubles=$(grep '"start"' leak/journal.jsonl | grep -o '"member":"[0-9]*","stage":"[a-z]*"' | sort | uniq -d)
[ -z "$doubles" ] || bad "begun twice: $doubles"

# the guard alone, without any dependency: a job for the statistics of the member that failed
job=$(sbatch --parsable --array=25 --output=direct.log leak/slots/batch.sh "$(command -v sluice)" 0 "$PWD/leak" stats 1)
drain
grep -q 'sim of member 0025 is not done' direct.log || { bad "job $job was not stopped by the guard"; cat direct.log; }
# and one for a member that is done: it sees that and leaves
cp leak/members/0003/attempts/stats.end.json before.json
sbatch --parsable --array=3 --output=direct3.log leak/slots/batch.sh "$(command -v sluice)" 0 "$PWD/leak" stats 1 >/dev/null
drain
cmp -s before.json leak/members/0003/attempts/stats.end.json || bad "done statistics were made again"

# a member that another attempt is at work on: the job waits for its end, and what follows the job goes on
sed 's/leak/twice/; s/1\.\.30/1..2/; s/walltime: 60/walltime: 600/' leak.yaml >twice.yaml
scontrol update nodename=n[1-4] state=drain reason=wait
sluice submit twice.yaml >/dev/null || bad "submit twice"
FAKE_STEPS=60 FAKE_NAP=0.2 sluice task twice sim 0000 >first.log 2>&1 &
wait_for 120 grep -q '"stage":"sim"' twice/journal.jsonl
scontrol update nodename=n[1-4] state=resume
drain
sluice status twice --json --offline | grep -q '"done": 2' || { bad "twice is not done"; tail -n 5 twice/logs/slurm/*.log; }
[ "$(grep -c '"what":"start".*"member":"0000","stage":"sim"' twice/journal.jsonl)" = 1 ] || bad "member 0000 was begun more than once"
exit $failed
