#!/bin/bash
# thousand.sh - a long campaign of small members, with the programs as they are, from submit to ensemble: nodes die at random
# moments while it runs, tasks are many times the processors, and arrays more than one. Every stage of every member is done once, the
# ensemble has them all, and members drawn at random have the bits that `sluice run` gives them.
#   SLUICE_MEMBERS   how many (default 40)
#   SLUICE_SEED      of the deaths and of the members that are looked at (default: printed)
# And a campaign of 100,000 members is planned, submitted to a stand-in for Slurm, and shown.
# long: a minute; eleven for a thousand members on two processors (13 nodes died).
set -u
. "$(dirname "$0")/cluster.sh"
members=${SLUICE_MEMBERS:-40}
RANDOM=${SLUICE_SEED:=$((1 + $$ % 32000))}
bits=$tests/slurm/bits.py
echo "$members members, seed $SLUICE_SEED"
cluster_start SlurmdTimeout=10 MaxArraySize=401 || exit 1
cd "$SLURM_TEST" || exit 1
cat >long.yaml <<END
campaign: long
problem: sod
sweep: {seed: 1..$members}
mesh: {cells: [32], block: 16}
time: {end: 0.05}
output: {snapshot: 0, history: 0.01}
statistics: {spectra: [], structure: [], pdf: [density]}
resources: {walltime: 5 min}
ensemble: {min: 2}
END
sluice site >/dev/null 2>&1 || bad "site"
sed -i 's/^exclude_after:.*/exclude_after: 0/' "$XDG_CONFIG_HOME/sluice/site.yaml" # the same four nodes die again and again
expect 0 sluice submit long.yaml --yes

# ---- a node dies every now and then, and comes back once it is missed
over() { all_done long && queue_empty; }
deaths=0 begin=$SECONDS
while ! over && [ $((SECONDS - begin)) -lt $((600 + 20 * members)) ]; do
    sleep $((5 + RANDOM % 20))
    over && break
    node=n$((1 + RANDOM % 4))
    node_kill $node
    deaths=$((deaths + 1))
    wait_for 120 node_is $node 'down*' || bad "$node is not seen as down"
    node_up $node
    wait_for 60 node_is $node idle || true # or at work
    sluice status long --offline | head -n 3
done
echo "$deaths nodes died in $((SECONDS - begin)) s"
[ $deaths -gt 0 ] || bad "no node died while it ran"
over || { bad "it does not come to its end"; sluice status long; squeue | head; }

# ---- what came of it
expect 0 sluice status long --exit-code --offline
[ "$(wc -l <long/slots/ensemble.list)" = "$members" ] || bad "the ensemble does not have $members members"
doubles=$(grep '"end"' long/journal.jsonl | grep '"result":"done"' | grep '"member"' | sed 's/.*"member":"\([0-9]*\)","stage":"\([a-z]*\)".*/\1 \2/' | sort | uniq -d)
[ -z "$doubles" ] || bad "done twice: $doubles"
expect 0 sluice verify long
for i in 1 2 3 4; do
    seed=$((1 + RANDOM % members))
    sed "s/^sweep:.*/seed: $seed/" long.yaml >one.yaml
    expect 0 sluice run one.yaml --dir one.$seed
    mkdir -p some.$seed/members
    ln -sf "$PWD/long/members/$(printf %04d $((seed - 1)))" some.$seed/members/0000
    rm -rf one.$seed/ensemble some.$seed/ensemble
    [ "$(/usr/bin/python3 "$bits" one.$seed)" = "$(/usr/bin/python3 "$bits" some.$seed)" ] || bad "seed $seed has other bits"
done
cluster_stop

# ---- 100,000 members
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
export PATH=$tests/slurm/fake:$PATH XDG_CONFIG_HOME=$work/home FAKE_SLURM=$work/slurm FAKE_ARRAY=1001
mkdir -p home slurm
printf 'campaign: huge\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nsweep: {seed: 1..100000}\n' >huge.yaml
expect 0 sluice plan huge.yaml --yes; shows '100000 not done'
expect 0 sluice submit huge.yaml --yes; shows '100000 members submitted in 201 jobs'
expect 0 sluice status huge --offline; shows '0/100000 done'
expect 0 sluice status huge 99999 --offline; shows '99999'
expect 0 sluice plan huge; shows '100000 not done'
[ $failed = 0 ] && echo ok
exit $failed
