#!/bin/bash
# memory.sh - what a recipe asks of Slurm beside ranks and time: memory where the site has jobs ask for it, in the site's words, and
# further options, of which those that would part a campaign from its jobs are refused before anything is made. The programs are
# stand-ins (tests/cli/fake/program).
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start SelectTypeParameters=CR_Core_Memory || exit 1
cd "$SLURM_TEST" || exit 1
site() { sed -i "s/^$1:.*/$1: $2/" "$XDG_CONFIG_HOME/sluice/site.yaml"; }
lacks() { ! grep -qF -- "$1" out || { bad "'$1' in the output"; cat out; }; }
recipe() { # NAME LINES...
    { printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nensemble: {min: 2}\nsweep: {seed: 1..3}\n' "$1"
      printf '%s\n' "${@:2}"; } >"$1.yaml"
}

# ---- memory: what the plan tells and half of it more, per processor or per node
recipe a 'resources: {walltime: 60, ranks: 2, nodes: 1}'
expect 0 sluice site; shows 'memory: "mem-per-cpu"'
expect 0 sluice plan a.yaml --json
rank=$(/usr/bin/python3 -c 'import math, re; print(math.ceil(1.5 * float(re.search(r"\"rank_memory_bytes\": *([0-9.]+)", open("out").read())[1]) / 2**20 + 256))')
[ "$rank" -ge 257 ] || bad "a plan of $rank MiB"
expect 0 sluice plan a.yaml; shows "--mem-per-cpu=${rank}M"; lacks '--mem='
[ "$(grep -o -- '--mem-per-cpu' out | wc -l)" = "$(grep -o -- '--ntasks=2' out | wc -l)" ] || bad "not one request for memory per array of members"
site memory mem; expect 0 sluice plan a.yaml; shows "--mem=$((2 * rank))M"; lacks '--mem-per-cpu'
expect 0 sluice plan a.yaml resources.nodes=2; shows "--mem=${rank}M"
expect 0 sluice plan a.yaml slurm.pack=2 resources.nodes=0 resources.ranks=1; shows "--mem=$((2 * rank))M"
site memory none; expect 0 sluice plan a.yaml; lacks '--mem'
expect 0 sluice plan a.yaml 'resources.memory=600 MiB'; shows '--mem-per-cpu=300M'
site memory mem-per-cpu
expect 0 sluice plan a.yaml resources.memory=0; lacks '--mem'
expect 65 sluice check a.yaml 'resources.memory=3 km'
expect 65 sluice submit a.yaml resources.memory=9TB; says 'Memory specification can not be satisfied'; rm -rf a

# ---- options: those of others are handed on, one list of nodes is left out
recipe b 'resources: {walltime: 60}' 'slurm: {options: "--nice=7 --exclude=n4 --mail-type=NONE --exclude=n3"}'
expect 0 sluice plan b.yaml; shows '--nice=7 --mail-type=NONE'; shows '--exclude=n4,n3'
for own in --job-name=x --comment=x --dependency=singleton --array=0 --output=x --no-requeue --time=5 --mem=1M '-J x'; do
    expect 65 sluice submit b.yaml "slurm.options=$own"; says "${own%%[= ]*}"
done
[ -e b ] && bad "a refused submission made a campaign"

# ---- they reach Slurm, and the chain holds
scontrol update nodename='n[1-4]' state=drain reason=wait
expect 0 sluice submit b.yaml
expect 0 sluice submit a.yaml
scontrol --oneliner show job >jobs
grep 'JobName=[^ ]*b[^ ]*' jobs | grep -q 'Nice=7 ' || { bad "no job of b with Nice=7"; cat jobs; }
[ "$(grep -c "MinMemoryCPU=${rank}M" jobs)" -ge 2 ] || { bad "jobs do not ask for ${rank}M"; cat jobs; }
[ "$(grep -c 'ExcNodeList=n\[3-4\]' jobs)" -ge 3 ] || { bad "n3 and n4 are not left out"; cat jobs; }
scontrol update nodename='n[1-4]' state=resume
drain
for c in a b; do
    expect 0 sluice status $c --exit-code --offline
    grep -qF 'all,3' $c/ensemble/summary.csv || bad "$c: the ensemble does not have 3 members"
done
grep -hE '"node":"n[34]"' b/journal.jsonl && bad "b ran on a node that is left out"
# ---- changed for what is still to run
expect 0 sluice set a 'resources.memory=500 MiB'
expect 0 sluice extend a seed=1..4; shows '1 member added'
expect 0 sluice plan a; shows '--mem-per-cpu=250M'
[ $failed = 0 ] && echo ok
exit $failed
