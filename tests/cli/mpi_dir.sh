#!/bin/bash
# mpi_dir - starts of Open MPI beside each other: none needs the directory that all runs of a user share (here it cannot be
# made), and none leaves its own behind, not even when its ranks were killed.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
cd "$work" || exit 1
export OMPI_MCA_orte_tmpdir_base=$work/base
mkdir base
touch "base/ompi.$(hostname).$(id -u)" "base/ompi.$(hostname -s).$(id -u)"
mpirun -n 1 true >out 2>&1 && { echo "SKIP this mpirun makes its directory elsewhere"; exit 0; }
left() { ls base | grep -v '^ompi\.' && bad "$1 left something behind"; }

cat >r.yaml <<'END'
campaign: r
problem: sod
sweep: {seed: 1..8}
mesh: {cells: [64], block: 16}
time: {end: 0.02}
resources: {retries: 0}
ensemble: {target: mach_rms, relative_error: 0.5}
END
expect 0 sluice run r.yaml --cores 3
grep -q 'cannot be checked' err && bad "the check of the target: $(cat err)"
left "a campaign"
expect 1 sluice run r.yaml --dir killed --inject kill=1,seed=3 'mesh.cells=[2048]' mesh.block=256 time.end=0.2 # lasts beyond its kills
grep -q SIGKILL killed/journal* || bad "nothing was killed"
left "a killed one"
TMPDIR=$work/base expect 0 sluice verify sod
left "a verification"
exit $failed
