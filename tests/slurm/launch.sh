#!/bin/bash
# launch.sh - how ranks are started: srun by pmix within a node, by pmi2 across two (with stand-ins: Debian's Open MPI does not
# speak it, and two nodes of one machine are in each other's way with pmix), mpirun within a node and across two; what each rank
# sees of the GPUs with each binding (GPUs compute nothing here: what is tested is CUDA_VISIBLE_DEVICES); modules; and ranks that
# MPI does not join.
set -u
export CLUSTER_GPUS=2
. "$(dirname "$0")/cluster.sh"
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
unset SLUICE_PROGRAMS CUDA_VISIBLE_DEVICES
export OMPI_MCA_btl=self,tcp
site=$XDG_CONFIG_HOME/sluice/site.yaml
# try NAME "SITE LINES" KEY=VALUE...: a campaign of one member
try() {
    printf '%s\n' "$2" 'cores: 2' >"$1.site"
    printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64], block: 16}\ntime: {end: 0.02}\nresources: {walltime: 60, retries: 0}\n' "$1" >"$1.yaml"
    SLUICE_SITE=$PWD/$1.site sluice submit "$1.yaml" "${@:3}" >"$1.out" 2>&1 || { bad "submit $1"; cat "$1.out"; }
}
log() { cat "$1"/members/0000/logs/sim.*.log; }
logged() { log "$1" | grep -qF -- "$2" || { bad "$1: no '$2' in the log"; log "$1"; tail -n 5 "$1"/logs/slurm/*; }; }
ends() { sluice status "$1" --exit-code --offline >/dev/null 2>&1 || { bad "$1 did not end well"; tail -n 15 "$1"/members/*/logs/*.log "$1"/logs/slurm/*; }; }

sluice site >out 2>err || { bad "site"; cat out err; }
grep -q '^gpus: 2 ' out && grep -q '^cores: 2 ' out || { bad "site does not see 2 GPUs and 2 cores a node"; cat out; }
grep -q 'srun can use .*pmi2.*pmix' err || { bad "site does not see pmi2 and pmix"; cat err; }
sluice site --json >json || bad "site --json"
/usr/bin/python3 -c 'import json; s = json.load(open("json"))["site"]; assert s["gpus"] == 2 and s["mpi"] == "pmix", s' || bad "site --json"
echo 'gpu_bind: sideways' >"$site"; sluice plan --slurm x.yaml 2>err; sluice site --show 2>err
grep -q "gpu_bind: 'sideways' is none of all-visible per-task wrapper" err || { bad "a binding that is none"; cat err; }

# ---- launchers; modules as a site's shell function would load them
module() { echo "$*" >>"$MODULE_LOG"; }
export -f module
export MODULE_LOG=$PWD/modules.log
try pmix $'launch: srun\nmodules: "gcc/12 openmpi; touch $(echo canary)"' resources.ranks=2
try two 'launch: mpirun' resources.ranks=2 resources.nodes=2
try one 'launch: mpirun' resources.ranks=2
try alone $'launch: srun\nmpi: none' resources.ranks=2
mkdir pm
for p in ic sim stats; do
    printf '#!/bin/bash\necho "rank $PMI_RANK of $PMI_SIZE on $SLURMD_NODENAME"\nexec "%s/sluice-%s" "$@"\n' "$fake" $p >pm/sluice-$p
done
chmod +x pm/*
SLUICE_PROGRAMS=$PWD/pm try pmi2 $'launch: srun\nmpi: pmi2' resources.ranks=2 resources.nodes=2
# ---- GPUs
try all $'launch: srun\ngpu_bind: all-visible' resources.ranks=2 resources.gpus=2
try task $'launch: srun\ngpu_bind: per-task\ngpu_request: gres' resources.ranks=2 resources.gpus=2
try wrap $'launch: srun\ngpu_bind: wrapper' resources.ranks=2 resources.gpus=2
try wrapm $'launch: mpirun\ngpu_bind: wrapper' resources.ranks=2 resources.gpus=2
try across $'launch: mpirun\ngpu_bind: wrapper' resources.ranks=4 resources.gpus=2 resources.nodes=2
# each stage its own number of them
try stages $'launch: srun\ngpu_bind: all-visible\ngpu_request: gres' resources.gpus=2 resources.stats.gpus=1 mesh.cells=[1024,1024] mesh.block=64 time.end=1e-6
SLUICE_SITE=$PWD/stages.site sluice plan stages >out 2>err || { bad "plan of stages"; cat err; }
grep -q -- '--gres=gpu:2 .* sim [0-9]*$' out && grep -q -- '--gres=gpu:1 .* stats [0-9]*$' out && ! grep ' ensemble [0-9]*$' out | grep -q gpu || { bad "not each stage asks for its GPUs"; cat out; }
# statistics are measured on GPUs where the grid is large enough, else they ask for none; a node without one takes them, too
try large $'launch: srun\ngpu_bind: per-task' resources.ranks=2 resources.gpus=2 mesh.cells=[1024,1024] mesh.block=64 time.end=1e-6
mkdir blinded
ln -s "$(command -v sluice-ic)" "$(command -v sluice-sim)" blinded
printf '#!/bin/bash\nexport CUDA_VISIBLE_DEVICES=\nexec "%s" "$@"\n' "$(command -v sluice-stats)" >blinded/sluice-stats
chmod +x blinded/sluice-stats
SLUICE_PROGRAMS=$PWD/blinded try blind 'launch: mpirun' resources.gpus=1 mesh.cells=[1024,1024] mesh.block=64 time.end=1e-6
# two members in one task, each with a GPU of its own
try packm $'launch: mpirun\ngpus: 2' resources.gpus=1 slurm.pack=2 sweep.seed=1..2
try packs $'launch: srun\ngpus: 2' resources.gpus=1 slurm.pack=2 sweep.seed=1..2
drain
for c in pmix two one pmi2 all task wrap wrapm across stages large blind packm packs; do ends $c; done
[ "$(sort -u modules.log | tr '\n' ,)" = 'load $(echo,load canary),load gcc/12,load openmpi;,load touch,' ] || { bad "modules"; cat modules.log; }
[ -e canary ] || [ -e pmix/canary ] && bad "a list of modules ran a command"
hash=$(log one | sed -n 's/^hash //p')
[ -n "$hash" ] || bad "no hash"
for c in pmix two; do [ "$(log $c | sed -n 's/^hash //p')" = "$hash" ] || bad "$c has other bits than one"; done
logged pmix 'srun --ntasks=2 --nodes=1 --kill-on-bad-exit=1 --mpi=pmix'
logged pmi2 'srun --ntasks=2 --nodes=2 --kill-on-bad-exit=1 --mpi=pmi2'
[ "$(log pmi2 | grep -oE '^rank [01] of 2 on n[1-4]$' | sort -u -k2,2 | awk '{print $6}' | sort -u | wc -l)" = 2 ] || { bad "pmi2: not two ranks on two nodes"; log pmi2; }
log pmix | grep -qE 'preflight: 2 ranks, by node n[1-4]: 0 1$' || { bad "the map of pmix"; log pmix; }
log two | grep -qE 'preflight: 2 ranks, by node n[1-4]: 0; n[1-4]: 1$' || { bad "the map of two nodes"; log two; }
[ -e alone/members/0000/history.tsv ] && bad "ranks that were not joined began to compute"
sluice why alone | head -n 1 | grep -q "not built with SLURM's PMI" || { bad "why does not tell of the ranks"; sluice why alone; }
logged all '0 on GPU 0,1 1 on GPU 0,1'
logged task '0 on GPU 0 1 on GPU 1'
logged stages '0 on GPU 0,1'
grep -q 'preflight: .*0 on GPU [01]$' stages/members/0000/logs/stats.*.log || { bad "statistics have not one GPU"; cat stages/members/0000/logs/stats.*.log; }
grep -qF '0 on GPU 0 1 on GPU 1' large/members/0000/logs/stats.*.log || { bad "large statistics without GPUs"; cat large/members/0000/logs/stats.*.log; }
grep -q 'preflight: rank 0 on n[1-4] sees no GPU although 1 were requested' blind/members/0000/logs/stats.*.log || { bad "blind statistics do not tell"; cat blind/members/0000/logs/stats.*.log; }
for c in task packm packs; do
    grep -q 'preflight: .*GPU' $c/members/000?/logs/stats.*.log && { bad "$c: GPUs for small statistics"; cat $c/members/000?/logs/stats.*.log; }
done
logged wrap '0 on GPU 0 1 on GPU 1'
logged wrapm '0 on GPU 0 1 on GPU 1'
for c in packm packs; do
    for m in 0 1; do cat $c/members/000$m/logs/sim.1.log; done | grep -o 'on GPU .*' | sort | tr '\n' ' ' | grep -qx 'on GPU 0 on GPU 1 ' ||
        { bad "$c: not one GPU for each member"; grep preflight $c/members/*/logs/sim.1.log; }
done
log across | grep -qE 'n[1-4]: 0 on GPU 0 1 on GPU 1; n[1-4]: 2 on GPU 0 3 on GPU 1$' || { bad "the map of two nodes with GPUs"; log across; }
exit $failed
