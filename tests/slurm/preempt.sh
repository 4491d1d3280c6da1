#!/bin/bash
# preempt.sh - jobs of a partition that goes first take the nodes of members that run: at once, after a time of grace, with a
# warning to the job, with one to its ranks. The members stop with a checkpoint, wait, and go on; nobody has to submit anything.
# The programs are stand-ins (tests/cli/fake/program). long: two minutes.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=200 FAKE_NAP=0.1
CLUSTER_PARTITIONS='PartitionName=urgent Nodes=n[1-4] PriorityTier=9 PreemptMode=OFF State=UP
PartitionName=grace Nodes=n[1-4] GraceTime=6 State=UP
PartitionName=long Nodes=n[1-4] GraceTime=600 State=UP'
cluster_start PreemptType=preempt/partition_prio PreemptMode=REQUEUE || exit 1
cd "$SLURM_TEST" || exit 1
recipe() { # NAME MEMBERS
    printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nresources: {ranks: 2, walltime: 600}\nensemble: {min: 2}\nsweep: {seed: 1..%d}\n' "$1" "$2" >"$1.yaml"
}
until_true() { wait_for "$@" || { bad "after $1 s not yet: ${*:2}"; squeue; tail -n 4 ./*/logs/slurm/*; }; }
stepped() { [ "$(grep -l '"step":[1-9]' "$1"/members/*/progress.json 2>/dev/null | wc -l)" = 2 ]; }
ends() { grep '"what":"end"' "$1/journal.jsonl" | grep '"stage":"sim"' | grep -c "\"result\":\"$2\""; } # CAMPAIGN RESULT
# The urgent job runs when both members are off the nodes.
urgent() {
    local job
    job=$(sbatch --parsable -p urgent -N4 -n8 --output=/dev/null --wrap='sleep 600')
    runs() { [ "$(squeue -h -j "$job" -o %T)" = RUNNING ]; }
    until_true 300 runs
    scancel "$job"
}
bits() { cat "$1"/members/*/history.tsv; }
sluice site >/dev/null 2>&1
recipe quiet 2
FAKE_NAP=0 sluice run quiet.yaml >/dev/null 2>&1 || bad "sluice run"
# take NAME PARTITION RESULT: how the attempts end that were taken
take() {
    recipe "$1" 2
    sluice submit "$1.yaml" "slurm.partition=$2" >/dev/null || bad "submit $1"
    until_true 60 stepped "$1"
    urgent
    until_true 600 all_done "$1"
    until_true 60 queue_empty
    [ "$(bits "$1")" = "$(bits quiet)" ] || bad "$1: other bits"
    [ "$(ends "$1" "$3")" = 2 ] || { bad "$1: not both members were $3"; cat "$1/journal.jsonl"; tail -n 5 "$1"/logs/slurm/*; }
    [ "$(ends "$1" "done")" = 2 ] || bad "$1: not done exactly once each"
    grep -qF 'all,2' "$1/ensemble/summary.csv" || bad "$1: the ensemble has not 2 members"
}
take once short paused
take grace grace paused
# ranks that are a step of Slurm hear of it at the beginning of the time of grace
sed -i 's/^launch: .*/launch: srun/' "$XDG_CONFIG_HOME/sluice/site.yaml"
take ranks long stopped
sed -i 's/^launch: .*/launch: mpirun/' "$XDG_CONFIG_HOME/sluice/site.yaml"
# the job itself does so only where a site wants it
echo 'SlurmctldParameters=preempt_send_user_signal' >>"$SLURM_CONF"
scontrol reconfigure
take warned long stopped
exit $failed
