#!/bin/bash
# slurm.sh - what a big campaign costs on the login node: plan, submit, status and why of MEMBERS members on a private Slurm,
# and the same members submitted as one job each, in the same queue. The partition is down meanwhile, so that the numbers
# are those of the commands and the controller; then it is up for a while and status is measured again, with tasks that
# end, and at last with a journal in which all have.
#   usage: slurm.sh [MEMBERS [SINGLE]]   members (10000); of the jobs submitted one by one SINGLE are measured (500)
# Prints lines of name=value pairs; needs root, as the tests on a private Slurm do.
set -u
here=$(cd "$(dirname "$0")" && pwd)
PATH=$(cd "$here/../.." && pwd)/build:$PATH
. "$here/../slurm/cluster.sh"
members=${1:-10000} single=${2:-500}
export SLUICE_PROGRAMS=$here/../cli/fake FAKE_STEPS=1 FAKE_NAP=0
cluster_start MaxJobCount=100000 || exit 1
cd "$SLURM_TEST" || exit 1
printf 'campaign: big\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nresources: {walltime: 600}\nensemble: {min: 2}\nsweep: {seed: 1..%d}\n' "$members" >big.yaml
sluice site >/dev/null 2>&1
scontrol update PartitionName=short State=DOWN
mkdir bin
for c in sbatch squeue sinfo scontrol; do
    printf '#!/bin/sh\necho %s >>"%s/calls"\nexec %s "$@"\n' $c "$PWD" "$(command -v $c)" >bin/$c
    chmod +x bin/$c
done
# cost NAME COMMAND...: seconds by the clock and of the processor, calls of Slurm's commands
cost() {
    local name=$1 t
    shift
    : >calls
    TIMEFORMAT='%R %U %S'
    t=$({ time PATH=$PWD/bin:$PATH "$@" >out 2>err; } 2>&1) || { cat err >&2; exit 1; }
    # shellcheck disable=SC2086
    set -- $t
    echo "what=$name members=$members seconds=$1 cpu_s=$(awk "BEGIN {print $2 + $3}") sbatch=$(grep -c sbatch calls) squeue=$(grep -c squeue calls)"
}
cost plan sluice plan big.yaml --yes
cost submit sluice submit big.yaml --yes
cost status sluice status big
cost status-cached sluice status big
cost status-offline sluice status big --offline
cost status-json sluice status big --json
cost why sluice why big $((members - 1))
cost plan-of-campaign sluice plan big

# one job per member and stage, each the dependency of the next, by the same controller
one_by_one() {
    local i job
    for ((i = 0; i < single; i++)); do
        job=$(sbatch --parsable --job-name=one --time=10 --wrap=true) || return 1
        sbatch --parsable --job-name=one --time=10 --dependency=afterok:"$job" --wrap=true >/dev/null || return 1
    done
}
scancel --user="$(id -un)"
before=$members
members=$single cost one-job-per-member one_by_one
cost_one=$({ TIMEFORMAT=%R; time squeue -h --name=one -o %i >/dev/null; } 2>&1)
echo "what=squeue-of-single-jobs members=$single seconds=$cost_one"
members=$before
scancel --user="$(id -un)"
wait_for 120 queue_empty

# tasks that run: the arrays are split into records, and the journal grows
scontrol update PartitionName=short State=UP
sluice submit big >/dev/null
sleep "${SLUICE_PERF_RUN:-60}"
scontrol update PartitionName=short State=DOWN
sleep 3
rm -f big/slots/queue.txt
echo "what=ran members=$members facts=$(wc -l <big/journal.jsonl) lines_of_squeue=$(squeue -h | wc -l)"
cost status-running sluice status big
cost plan-running sluice plan big

# all done: the journal and the end-records of a campaign that has run
python3 - big <<'END'
import glob, json, os, sys
d = sys.argv[1]
with open(d + "/journal.jsonl", "a") as journal:
    for table in sorted(glob.glob(d + "/slots/0*.tsv")):
        for i, line in enumerate(l for l in open(table) if not l.startswith("#")):
            member = line.split("\t")[0]
            os.makedirs(f"{d}/members/{member}/attempts", exist_ok=True)
            for stage in ("sim", "stats"):
                fact = {"v": 1, "t": 2e9 + i, "what": "start", "member": member, "stage": stage, "n": 99}
                journal.write(json.dumps(fact, separators=(",", ":")) + "\n")
                fact.update(what="end", result="done", code=0, step=1, seconds=1.5, value=1e6)
                journal.write(json.dumps(fact, separators=(",", ":")) + "\n")
                open(f"{d}/members/{member}/attempts/{stage}.end.json", "a").close()
END
cost status-done sluice status big --offline
cost plan-done sluice plan big --offline
