#!/bin/bash
# stages.sh - commands of one's own (stages.* of a recipe) on a cluster: an array of their own behind that of the statistics, with
# resources of their own; one that fails is followed by a successor, one that is killed with its node goes on elsewhere; the command
# of the campaign runs in the last job. The programs are stand-ins (tests/cli/fake/program). With SLUICE_LONG a command that is too slow.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start SlurmdTimeout=10 || exit 1
cd "$SLURM_TEST" || exit 1
cat >mine.sh <<'END'
#!/bin/bash
id=$(basename "$1")
echo half >half.csv
echo "$OMP_NUM_THREADS" >"$2/threads.$id"
if [ "$id" = 0001 ] && [ ! -e "$2/failed" ]; then touch "$2/failed"; echo 'no luck' >&2; exit 75; fi
while [ "$id" = 0002 ] && [ -e "$2/hold" ]; do echo "$SLURMD_NODENAME" >"$2/at"; sleep 0.2; done
rm half.csv
printf 'x,number\n1,%d\n' "$id" >number.csv
END
printf '#!/bin/bash\ncat "$1"/members/*/own/number.csv >numbers.csv\n' >all.sh
chmod +x mine.sh all.sh
cat >a.yaml <<'END'
campaign: a
problem: sod
mesh: {cells: [64]}
time: {end: 0.2}
sweep: {seed: 1..3}
ensemble: {min: 2}
stages:
  member: mine.sh {member} {campaign}
  campaign: ./all.sh {campaign}
resources: {walltime: 60, own: {ranks: 2, walltime: 120}}
END
expect 0 sluice site
expect 0 sluice plan a.yaml
own=$(grep -- '--job-name=[^ ]*-own-g1' out)
for t in '--array=0-2' '--ntasks=2' '--nodes=1' '--time=2' '--dependency=aftercorr:<stats-g1>'; do
    [[ $own == *"$t"* ]] || { bad "the array of the commands has no $t"; cat out; }
done
[ "$(grep -c 'sbatch --parsable' out)" = 4 ] || { bad "not four calls: sim, stats, own, ensemble"; cat out; }

# the node of member 0002 dies in the middle of its command
expect 0 sluice submit a.yaml
touch a/hold
wait_for 120 test -s a/at || { bad "the command of member 0002 does not run"; squeue; tail -n 4 a/logs/slurm/*; }
node=$(cat a/at)
[ -s a/members/0002/own.part/half.csv ] && [ ! -e a/members/0002/own ] || bad "half a product in its place"
node_kill "$node"
rm a/hold
wait_for 60 node_is "$node" 'down*'
node_up "$node"
drain
all_done a || { bad "not all is done"; sluice status a; tail -n 4 a/logs/slurm/* a/members/*/logs/own.*; }
for m in 0 1 2; do
    grep -q "\"job\": *\"[0-9]*_$m\"" a/members/000$m/attempts/own.1.json || { bad "member $m was no task of an array"; cat a/members/000$m/attempts/own.1.json; }
    [ "$(cat a/threads.000$m)" = 2 ] || bad "member $m had $(cat a/threads.000$m) threads"
    [ "$(ls a/members/000$m/own)" = number.csv ] || bad "products of member $m: $(ls a/members/000$m/own)"
done
expect 0 sluice why a 1; shows 'own attempt 1: failed'; shows 'stages.member: exit code 75: no luck'
expect 0 sluice why a 2; shows 'own attempt 1: taken'
[ "$(grep -c '^1,' a/summary/numbers.csv)" = 3 ] || { bad "the summary"; cat a/summary/numbers.csv; }
grep -q '^1,1,1$' a/ensemble/own/number.csv || { bad "the mean of 0, 1 and 2"; cat a/ensemble/own/number.csv; }
expect 0 sluice verify a
expect 0 sluice submit a.yaml; shows 'nothing to submit'

# a command of the campaign that gets no end within the wall time of the last job is tried again once, then it is stalled: in the
# same job, or in a successor where jobs may not be requeued
too_slow() { # CAMPAIGN REQUEUE
    sed -i "s/^requeue:.*/requeue: $2/" "$XDG_CONFIG_HOME/sluice/site.yaml"
    sed -e "s/^campaign: a/campaign: $1/" -e '/^  member:/d' -e 's/all.sh/slow.sh/' -e 's/own: .*/ensemble: {walltime: 60}}/' a.yaml >"$1.yaml"
    expect 0 sluice submit "$1.yaml"
    touch "$1/slow"
    drain
    expect 1 sluice status "$1" --exit-code --offline; says 'the summary stalled'
    [ "$(ls "$1"/attempts/summary.?.json | wc -l)" = 2 ] || { bad "$1: not two attempts"; cat "$1/journal.jsonl"; }
    [ -e "$1/report/index.html" ] || bad "$1 has no report"
    rm "$1/slow"
    expect 0 sluice retry "$1"; expect 0 sluice submit "$1"
    drain
    all_done "$1" || { bad "no summary after a retry"; sluice status "$1"; }
}
if [ -n "${SLUICE_LONG:-}" ]; then
    printf '#!/bin/bash\n[ ! -e "$1/slow" ] || sleep 600\necho >made\n' >slow.sh
    chmod +x slow.sh
    too_slow b 1
    too_slow c 0
fi
exit $failed
