#!/bin/bash
# wall.sh - members that need many times the wall-time limit, each stopped at another moment of its work: every attempt but the
# last ends by the warning, with its checkpoint, before Slurm ends it; Slurm starts it again; the end has the bits of a run
# without a limit. The programs are stand-ins (tests/cli/fake/program). long: a minute.
#   SLUICE_WALLS   stops in all, at least (default 16)
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
least=${SLUICE_WALLS:-16} members=8
each=$(((least + members - 1) / members)) # an attempt gets 3 s of 6; its steps take a quarter of a second, more or less
export FAKE_STEPS=$((12 * each + 14)) FAKE_NAP=0.237
cat >wall.yaml <<END
campaign: wall
problem: sod
mesh: {cells: [64]}
time: {end: 0.2}
resources: {walltime: 6}
ensemble: {min: 2}
sweep: {seed: 1..$members}
END
sluice site >/dev/null 2>&1
FAKE_NAP=0 sluice run wall.yaml resources.walltime=600 --dir quiet >quiet.out 2>&1 || { bad "sluice run"; cat quiet.out; }
sluice submit wall.yaml >/dev/null || bad "submit"
over() { all_done wall && queue_empty; }
wait_for $((60 + 30 * each)) over || { bad "it does not end"; squeue; sluice status wall -m; tail -n 4 wall/logs/slurm/*; }
count() { grep '"what":"end"' wall/journal.jsonl | grep '"stage":"sim"' | grep -c "\"result\":\"$1\""; }
echo "$(count stopped) stops at the limit, $(count "done") ends, of $(grep '"what":"end"' wall/journal.jsonl | grep -c '"stage":"sim"')"
[ "$(count stopped)" -ge "$least" ] || bad "only $(count stopped) stops at the limit, not $least"
[ "$(grep '"what":"end"' wall/journal.jsonl | grep -c '"stage":"sim"')" = $(($(count stopped) + members)) ] || { bad "attempts that ended otherwise"; grep '"what":"end"' wall/journal.jsonl | grep -v '"stopped"\|"done"'; }
[ "$(cat wall/members/*/history.tsv)" = "$(cat quiet/members/*/history.tsv)" ] || bad "other bits"
grep -qF "all,$members" wall/ensemble/summary.csv || bad "the ensemble has not $members members"
exit $failed
