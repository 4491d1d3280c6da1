#!/bin/bash
# recipes.sh - recipes that ship, handed to a private Slurm, give the bits of `sluice run`: decaying-turbulence as it is, and
# the ensemble of 32 members that was written for a cluster, made small. long: ten minutes and more.
set -u
. "$(dirname "$0")/cluster.sh"
here=$(cd "$(dirname "$0")" && pwd)
recipes=$here/../../recipes
export OMPI_MCA_mpi_yield_when_idle=1
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
both() { # NAME SECONDS RECIPE ARGUMENTS...: by the local executor and by Slurm
    local name=$1 seconds=$2 start=$SECONDS
    shift 2
    sluice run "$@" --dir "$name-run" >"$name.out" 2>&1 || { bad "sluice run $name"; tail "$name.out"; return; }
    echo "$name: sluice run took $((SECONDS - start)) s"
    start=$SECONDS
    sluice submit "$@" --dir "$name-slurm" || bad "sluice submit $name"
    wait_for "$seconds" queue_empty || { bad "$name: the queue does not get empty"; squeue; }
    echo "$name: Slurm took $((SECONDS - start)) s"
    sluice status "$name-slurm" --exit-code --offline || bad "$name is not done"
    sluice verify "$name-slurm" || bad "$name does not verify"
    local want have
    want=$(/usr/bin/python3 "$here/bits.py" "$name-run") have=$(/usr/bin/python3 "$here/bits.py" "$name-slurm")
    echo "$name: files and hash $have"
    [ -n "$want" ] && [ "$want" = "$have" ] || bad "$name has other bits than $want"
    [ -s "$name-slurm/report/index.html" ] || bad "$name: no report"
}
both ensemble 1200 "$recipes/turbulence-ensemble.yaml" 'mesh.cells=[32,32,32]' 'mesh.block=[16]' resources.ranks=1 resources.walltime=10min time.end=0.1
[ "$(find ensemble-slurm/members -name stats.h5 | wc -l)" = 32 ] || bad "not 32 members"
both turbulence 3600 "$recipes/decaying-turbulence.yaml"
exit $failed
