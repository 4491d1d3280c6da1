#!/bin/bash
# plan.sh - what a person sees before submitting: limits of the cluster, start and end, node hours, and the question on a
# terminal; and that a plan learns from campaigns that ran here. The programs are stand-ins (tests/cli/fake/program).
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start MaxArraySize=5 MaxJobCount=20 || exit 1
cd "$SLURM_TEST" || exit 1
lacks() { grep -qF -- "$1" out && { bad "'$1' in the output"; cat out; }; }
field() { sluice plan "$1" --json | python3 -c "import json, sys; print(json.load(sys.stdin)$2)"; }
asked() { wc -l <asked; }
mkdir bin
for c in sbatch squeue sinfo scontrol; do
    printf '#!/bin/bash\necho %s >>"%s/asked"\nexec %s "$@"\n' $c "$PWD" "$(command -v $c)" >bin/$c
    chmod +x bin/$c
done
export PATH=$PWD/bin:$PATH
recipe() { # NAME MEMBERS LINES...
    { printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nensemble: {min: 2}\nsweep: {seed: 1..%d}\n' "$1" "$2"
      printf '%s\n' "${@:3}"; } >"$1.yaml"
}
expect 0 sluice site

# ---- limits, start and end; three calls, or none
recipe small 4 'resources: {walltime: 600, ranks: 2}'
: >asked
expect 0 sluice plan small.yaml
[ "$(asked)" = 3 ] || bad "a plan asked $(asked) times: $(tr '\n' ' ' <asked)"
shows '9 tasks in 2 arrays of at most 5 (MaxArraySize)'; shows 'holds 20 jobs (MaxJobCount)'; shows 'partition short has 8 CPUs, 8 idle'
shows 'waits 6 s first'; shows 'up to 4 members side by side'; shows 'by sbatch --test-only'; shows '(P50)'; shows 'assumed until'; shows 'sbatch --parsable'
lacks EXCEEDED
: >asked
expect 0 sluice plan small.yaml --offline; shows 'not known: counted as now'; shows 'sbatch --parsable'
[ "$(asked)" = 0 ] || bad "an offline plan asked"
[ -z "$(squeue -h)" ] || bad "a plan submitted something"
python3 -c "
half, most, start = $(field small.yaml "['wall_s']"), $(field small.yaml "['wall_90_s']"), $(field small.yaml "['slurm']['start_s']")
assert 0 <= start < 60 and 0 < half < most, (half, most, start)" || bad "start and end"
recipe wide 11 'resources: {ranks: 12}'
expect 0 sluice plan wide.yaml; shows 'EXCEEDED: the controller holds 20 jobs'; shows 'EXCEEDED: partition short has 8 CPUs, 8 idle: fewer than a member wants'
scontrol update PartitionName=short MaxTime=5
expect 0 sluice plan small.yaml; shows 'EXCEEDED: partition short gives a job 0:05:00: resources.walltime is 0:10:00, such a job never starts'
expect 0 sluice plan small.yaml resources.walltime=240; lacks EXCEEDED
expect 0 sluice plan small.yaml resources.walltime=240 resources.ensemble.walltime=900; shows 'the last job of the campaign requests 0:15:00 (resources.ensemble.walltime'
scontrol update PartitionName=short MaxTime=INFINITE

# ---- a terminal is asked once; what is piped, and --yes, is not
terminal() { printf '%s\n' "$1" | script -qec "sluice submit small.yaml ${2:-}" /dev/null >out 2>&1; }
terminal n && bad "submit did not take no for an answer"
shows 'Submit? [y/N]'; shows 'sbatch --parsable'; shows '(P90)'; shows 'nothing was submitted'
[ -e small ] && bad "a campaign was made although nobody wanted it"
scontrol update nodename='n[1-4]' state=drain reason=wait # until the second submit has seen what the first did
terminal y || { bad "submit did not take yes"; cat out; }
[ "$(grep -o 'Submit?' out | wc -l)" = 1 ] || bad "asked more than once"
shows '4 members submitted in 3 jobs'
terminal n --yes || bad "asked although --yes was given"
lacks 'Submit?'; shows '4 members are in the queue'
scontrol update nodename='n[1-4]' state=resume
drain

# ---- a plan knows of what ran here: its own members, then other campaigns
expect 0 sluice status small --exit-code --offline
expect 0 sluice plan small; shows 'from 4 members of this campaign'; shows '4, 0 not done'
recipe next 3 'resources: {ranks: 2}'
expect 0 sluice plan next.yaml; shows 'from 4 members of other campaigns here'
[ "$(grep -c '^campaign' "$XDG_CONFIG_HOME/sluice/pace.tsv")" = 1 ] || bad "pace.tsv: $(cat "$XDG_CONFIG_HOME/sluice/pace.tsv")"
recipe field 3 'fluid: {mhd: glm, riemann: hlld}'
expect 0 sluice plan field.yaml; shows 'assumed until'

# ---- the controller is away: the plan is there, but for what only it knows
controller_kill
expect 0 sluice plan next.yaml; shows 'queue     not known'; shows 'sbatch --parsable'
# nor does it get anything: that is certain, and leaves no doubt to look into later
expect 69 sluice submit next.yaml; says 'nothing was submitted: the controller of Slurm cannot be reached (sbatch: error: '; says '`scontrol ping`'
expect 69 sluice submit next; says 'nothing was submitted: '
expect 69 sluice submit small; says 'nothing was submitted now: Slurm does not answer: '; says '`scontrol ping`'
controller_up || bad "the controller does not come back"
expect 0 sluice submit next; shows '3 members submitted in 3 jobs'; [ ! -s err ] || bad "a submission that did not happen is looked for: $(cat err)"
exit $failed
