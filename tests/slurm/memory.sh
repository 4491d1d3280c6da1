#!/bin/bash
# memory.sh - what a recipe asks of Slurm: for each stage its own; memory where the site has jobs ask for it, in the site's words, by
# the plan, by what members took, and twice as much after one that ended for want of it; nodes that have so much; further options,
# of which those that would part a campaign from its jobs are refused before anything is made. And what notify.program hears. The
# programs are stand-ins (tests/cli/fake/program).
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
# a node has 1000 MiB: ranks go to more nodes where the recipe leaves that open; what none can have is refused before anything is made
expect 0 sluice site --show; shows 'node_memory: 1000'
expect 0 sluice plan a.yaml resources.memory=1800MiB resources.nodes=0; shows '--nodes=2'
expect 65 sluice submit a.yaml resources.memory=1800MiB; says '2 ranks of stage sim ask for 900 MiB each, but a node has 1000 MiB: that takes 2 nodes'
expect 65 sluice submit a.yaml resources.memory=9TB; says 'a node has 1000 MiB: give it more ranks (resources.sim.ranks)'
expect 65 sluice submit a.yaml resources.ensemble.memory=9TB; says 'or less (resources.ensemble.memory)'
[ -e a ] && bad "a refused submission made a campaign"
expect 0 sluice plan a.yaml resources.memory=9TB slurm.partition=other # of which the site file knows nothing
expect 0 sluice plan a.yaml resources.memory=1000MiB resources.ranks=1 slurm.pack=2; [ "$(grep -c 'array=0-2' out)" = 2 ] || bad "two members share a node that has memory for one"

# ---- each stage asks for its own
expect 0 sluice plan a.yaml resources.stats.ranks=1 resources.stats.walltime=120 'resources.sim.memory=300 MiB' resources.sim.nodes=2
grep -q -- '--ntasks=2 --nodes=2 --time=1 .*--mem-per-cpu=150M .* sim 1$' out || { bad "the run does not have its own resources"; cat out; }
grep -q -- "--ntasks=1 --nodes=1 --time=2 .*--mem-per-cpu=${rank}M .* stats 1\$" out || { bad "statistics do not have their own resources"; cat out; }
grep ' ensemble 1$' out | grep -q -- '--time=1 ' && ! grep ' ensemble 1$' out | grep -q -- --mem || { bad "the last job asks for what nobody named"; cat out; }
expect 0 sluice plan a.yaml resources.ensemble.walltime=180 'resources.ensemble.memory=200 MiB'
grep -q -- '--ntasks=1 --time=3 .*--mem-per-cpu=200M .* ensemble 1$' out || { bad "the last job does not have its own resources"; cat out; }
site memory mem; expect 0 sluice plan a.yaml 'resources.ensemble.memory=200 MiB'; shows '--mem=200M'; site memory mem-per-cpu

# ---- options: those of others are handed on, one list of nodes is left out
recipe b 'resources: {walltime: 60}' 'slurm: {options: "--nice=7 --exclude=n4 --mail-type=NONE --comment=ours --exclude=n3"}'
expect 0 sluice plan b.yaml; shows '--nice=7 --mail-type=NONE'; shows '--exclude=n4,n3'; shows '--comment=TOKEN ours'
for own in --job-name=x --dependency=singleton --array=0 --output=x --no-requeue --time=5 --mem=1M '-J x'; do
    expect 65 sluice submit b.yaml "slurm.options=$own"; says "${own%%[= ]*}"
done
[ -e b ] && bad "a refused submission made a campaign"

# ---- they reach Slurm, and the chain holds
scontrol update nodename='n[1-4]' state=drain reason=wait
expect 0 sluice submit b.yaml
expect 0 sluice submit a.yaml
scontrol --oneliner show job >jobs
grep 'JobName=[^ ]*b[^ ]*' jobs | grep -q 'Nice=7 ' || { bad "no job of b with Nice=7"; cat jobs; }
[ "$(grep -c 'Comment=[^ ]* ours ' jobs)" -ge 3 ] || { bad "no comment of the recipe"; cat jobs; }
[ "$(grep -c "MinMemoryCPU=${rank}M" jobs)" -ge 2 ] || { bad "jobs do not ask for ${rank}M"; cat jobs; }
[ "$(grep -c 'ExcNodeList=n\[3-4\]' jobs)" -ge 3 ] || { bad "n3 and n4 are not left out"; cat jobs; }
scontrol update nodename='n[1-4]' state=resume
drain
for c in a b; do
    expect 0 sluice status $c --exit-code --offline
    grep -qF 'all,3' $c/ensemble/summary.csv || bad "$c: the ensemble does not have 3 members"
done
grep -hE '"node":"n[34]"' b/journal.jsonl && bad "b ran on a node that is left out"
# ---- a reservation: every job is of it and runs on its nodes, and the chain holds
expect 0 scontrol create reservation reservationname=ours starttime=now duration=60 users=root nodes=n2
recipe e 'resources: {walltime: 60}' 'slurm: {options: "--reservation=ours"}'
expect 0 sluice submit e.yaml
[ "$(scontrol --oneliner show job | grep 'JobName=[^ ]*-e-' | grep -vc ' Reservation=ours ')" = 0 ] || { bad "a job of e is not of the reservation"; scontrol --oneliner show job; }
[ "$(scontrol --oneliner show job | grep -c ' Reservation=ours ')" -ge 3 ] || { bad "fewer than three jobs of the reservation"; scontrol --oneliner show job; }
drain
expect 0 sluice status e --exit-code --offline
[ "$(grep -oE '"node":"[^"]*"' e/journal.jsonl | sort -u)" = '"node":"n2"' ] || { bad "e ran beside its reservation"; grep -oE '"node":"[^"]*"' e/journal.jsonl | sort | uniq -c; }
expect 0 scontrol delete reservationname=ours
# ---- what members of the same size took: a quarter more is asked for, in a plan and in what is submitted
recipe c 'resources: {walltime: 60}' 'notify: {program: '"$PWD/notify"'}'
cat >notify <<END
#!/bin/sh
echo "\$SLUICE_EVENT \$SLUICE_CAMPAIGN \$SLUICE_DONE/\$SLUICE_MEMBERS \$SLUICE_FAILED \$SLUICE_MEMBER \$SLUICE_WHY" >>"$PWD/heard"
END
chmod +x notify
mkdir orders
export FAKE_ORDERS=$PWD/orders
# 0001 ends once because memory is short, 0002 again and again
echo '137 1 oom_kill' >orders/0001.sim
echo '137 9 oom_kill' >orders/0002.sim
one=$(sluice plan c.yaml | grep -o -- '--mem-per-cpu=[0-9]*' | head -n 1 | tr -dc 0-9)
FAKE_MEMORY=200 expect 0 sluice submit c.yaml
drain
said='the kernel ended it because memory was short'
expect 1 sluice status c --exit-code --offline
[ "$(grep -c '"result":"memory"' c/journal.jsonl)" = 3 ] || { bad "not three ends for want of memory"; cat c/journal.jsonl; }
grep '"member":"0001"' c/journal.jsonl | grep -q "$said ($one MiB were requested for each rank: the next attempt requests more)" || bad "0001 does not say that more is asked for"
grep -q "\"member\":\"0001\".*\"result\":\"done\".*\"asked\":$((2 * one * 1048576))" c/journal.jsonl || { bad "0001 did not get twice as much"; cat c/journal.jsonl; }
expect 0 sluice why c 2; shows "$said ($((2 * one)) MiB were requested for each rank)"; shows 'sluice set resources.memory'
expect 0 sluice status c --offline; shows 'of the memory sim'
expect 0 sluice status c --offline --json
/usr/bin/python3 -c 'import json, sys; u = json.load(open("out"))["use"]; sys.exit(not (0 < u["sim"]["memory"] < 1 and 0 < u["stats"]["time"] < 1 and u["sim"]["most_bytes"] == 200 * 2**20))' || { bad "the use of what was asked for"; cat out; }
sort heard >heard.sorted
printf 'end c 2/3 1  \nfailed c 1/3 1 0002 %s\n' "$said" | cmp -s - <(sed 's/ (.*//; s/failed c [0-9]/failed c 1/' heard.sorted) || { bad "what notify.program heard"; cat heard; }
rm orders/0002.sim
expect 0 sluice retry c 2
expect 0 sluice plan c --json
grep -q -- '--mem-per-cpu=250M' out || { bad "a plan does not ask for a quarter more than was used"; cat out; }
FAKE_MEMORY=200 expect 0 sluice submit c
drain
expect 0 sluice status c --exit-code --offline
tr -d '\n' <c/report/index.html | grep -q 'Used of asked.*Memory used, of that requested.*scope="row">sim</th><td class="n">[1-9][^%]*%</td><td class="n">200<' ||
    { bad "the report does not tell the use of what was asked for"; grep -A 20 'Used of asked' c/report/index.html; }
[ "$(grep -c '^end' heard)" = 2 ] || { bad "there was no second notice of the end"; cat heard; }
unset FAKE_ORDERS
# ---- Slurm ends a job with all that is in it (its word for that is put into its mouth): what is submitted next asks for more
recipe d 'resources: {walltime: 60}'
mkdir late
cat >late/scontrol <<END
#!/bin/sh
case "\$*" in *'show job'*) echo "JobId=1 JobState=OUT_OF_MEMORY MinMemoryCPU=${one}M"; exit 0 ;; esac
exec $(command -v scontrol) "\$@"
END
chmod +x late/scontrol
FAKE_STEPS=2000 expect 0 sluice submit d.yaml
begun() { grep -q '"step":[1-9]' d/members/0000/progress.json; }
wait_for 60 begun || bad "d does not begin"
for pid in $(pgrep -f "sluice job $PWD/d sim"); do
    tr '\0' '\n' <"/proc/$pid/environ" | grep -qx SLURM_ARRAY_TASK_ID=0 && kill -KILL "$pid"
done
gone() { ! squeue -h -o '%K %j' | grep -- '-sim-' | grep -q '^0 '; }
wait_for 60 gone || bad "the job that was killed stays"
expect 0 sluice cancel d
drain
PATH=$PWD/late:$PATH FAKE_STEPS=2 expect 0 sluice submit d
drain
expect 0 sluice status d --exit-code --offline
grep '"result":"memory"' d/journal.jsonl | grep -q "\"asked\":$((one * 1048576)).*Slurm ended its job because memory was short" || { bad "the end of the job is not reported"; cat d/journal.jsonl; }
grep -q "\"member\":\"0000\".*\"result\":\"done\".*\"asked\":$((2 * one * 1048576))" d/journal.jsonl || { bad "0000 did not get twice as much"; cat d/journal.jsonl; cat d/logs/slurm/*; }
# ---- changed for what is still to run
expect 0 sluice set a 'resources.memory=500 MiB'
expect 0 sluice extend a seed=1..4; shows '1 member added'
expect 0 sluice plan a; shows '--mem-per-cpu=250M'
[ $failed = 0 ] && echo ok
exit $failed
