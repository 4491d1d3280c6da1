#!/bin/bash
# budget.sh - how often a member may begin again, by cause: a stop without progress twice, a failure as often as
# resources.retries says, a run that diverges or is refused not at all; what is requeued is the task alone, also that with the
# highest index, whose job has the number of the array. The programs are stand-ins (tests/cli/fake/program). long: 40 s.
#   SLUICE_BUDGETS   more members that use theirs up, each by a cause drawn at random (default 4)
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

# ---- many at once, each with a cause of its own; of some the answer to their requeue is lost, since Slurm ends all of the job
RANDOM=${SLUICE_SEED:=$$}
n=${SLUICE_BUDGETS:-4}
echo "SLUICE_SEED=$SLUICE_SEED, $n members"
sed "s/cost/many/; s/1\.\.7/1..$((n + 2))/" cost.yaml >many.yaml
rm orders/*
causes=('75 2 stalled' '1 3 failed' '73 3 failed' '134 3 failed' '70 1 diverged' '65 1 failed' '2 1 failed') # CODE ATTEMPTS STATE
declare -A cause
for ((k = 0; k < n; k++)); do
    m=$(printf %04d "$k")
    cause[$m]=${causes[RANDOM % ${#causes[@]}]}
    echo "${cause[$m]%% *} 99" >"orders/$m.sim"
done
mkdir bin
cat >bin/scontrol <<END
#!/bin/bash
[ "\$1" = requeue ] && [ \$((\${2##*_} % 2)) = 0 ] || exec $(command -v scontrol) "\$@"
$(command -v scontrol) "\$@" >/dev/null 2>&1
kill -KILL \$\$
END
chmod +x bin/scontrol
PATH=$PWD/bin:$PATH sluice submit many.yaml >/dev/null || bad "submit many"
wait_for $((120 + 6 * n)) queue_empty || { bad "the queue does not get empty"; squeue; }
sluice status many --json --offline >many.json
/usr/bin/python3 - <<'END' >many.tsv
import collections, json, sys
begun = collections.Counter()
for line in open("many/journal.jsonl", encoding="utf-8"):
    fact = json.loads(line)
    begun[fact.get("member")] += fact["what"] == "start" and fact.get("stage") == "sim"
for m in json.load(open("many.json", encoding="utf-8"))["list"]:
    print(m["id"], begun[m["id"]], m["state"])
END
while read -r m attempts state; do
    read -r code want ends <<<"${cause[$m]:-0 1 done}"
    [ "$attempts $state" = "$want $ends" ] || bad "many: member $m, which ends with $code: $attempts attempts, $state; not $want, $ends"
    [ "$ends" = "done" ] || sluice why many "$m" | grep -q 'ordered to end\|wall-time limit' || { bad "why does not tell of $m"; sluice why many "$m"; }
done <many.tsv
[ "$(find many/slots -name 'slurm.*.tsv' | wc -l)" = 1 ] || { bad "many: a successor beside a job that Slurm started again"; grep -l successor many/logs/slurm/*; }
[ "$(wc -l <many.tsv)" = $((n + 2)) ] || bad "not $((n + 2)) members"
for m in 3 4 5; do grep -q 'restart [1-9]' cost/logs/slurm/*-sim-g1.$m.log && bad "member $m was requeued"; done
grep -qF 'all,3' cost/ensemble/summary.csv || { bad "the ensemble has not the three that are done"; cat cost/ensemble/summary.csv; }
exit $failed
