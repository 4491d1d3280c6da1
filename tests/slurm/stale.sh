#!/bin/bash
# stale.sh - a campaign on a file system that tells other nodes late what one has written, and that has no locks, as NFS
# (stale.c): a task that Slurm lets go waits until it sees what the one before it has made, and the ensemble has all members.
# The programs are stand-ins (tests/cli/fake/program). long: half a minute.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
cc -shared -fPIC -o stale.so "$tests/slurm/stale.c" -ldl || exit 1
cat >late.yaml <<'END'
campaign: late
problem: sod
mesh: {cells: [64]}
time: {end: 0.2}
resources: {walltime: 600}
ensemble: {min: 2}
sweep: {seed: 1..3}
END
sluice site >/dev/null 2>&1
LD_PRELOAD=$PWD/stale.so STALE=6 sluice submit late.yaml >/dev/null || bad "submit"
drain
all_done late || { bad "it is not done"; tail -n 4 late/logs/slurm/*; }
grep -qF 'all,3' late/ensemble/summary.csv || { bad "the ensemble has not 3 members"; cat late/ensemble/summary.csv; }
[ "$(grep '"what":"start"' late/journal.jsonl | grep -c '"member"')" = 6 ] || { bad "not one attempt per stage"; cat late/journal.jsonl; }
exit $failed
