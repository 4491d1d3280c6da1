#!/bin/bash
# target.sh - ensemble.target on a cluster: once the members that are done suffice, what waits leaves the queue, what is
# submitted later leaves it out, and the ensemble is made of those that ran. The programs are stand-ins
# (tests/cli/fake/program), for which three members suffice.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05 FAKE_ENOUGH=3
cluster_start MaxArraySize=13 || exit 1
cd "$SLURM_TEST" || exit 1
cat >enough.yaml <<'END'
campaign: enough
problem: sod
mesh: {cells: [64]}
time: {end: 0.2}
resources: {walltime: 60}
ensemble: {target: mach_rms, min: 2}
sweep: {seed: 1..24}
END
sluice site >/dev/null 2>&1
sluice submit enough.yaml --throttle 1 || bad "submit"
drain
count() { sluice status enough --json --offline | /usr/bin/python3 -c "import json, sys; print(json.load(sys.stdin)['counts'].get('$1', 0))"; }
ran=$(count done) surplus=$(count surplus)
# those that began while the question was asked end as well, however slow this machine is
[ "$ran" -ge 3 ] && [ "$ran" -lt 24 ] || bad "$ran members ran"
[ $((ran + surplus)) = 24 ] || { bad "$ran done and $surplus surplus are not 24"; sluice status enough --offline -m; }
[ "$(grep -c '"what":"target".*"code":1' enough/journal.jsonl)" = 1 ] || { bad "the target was not reached once"; grep target enough/journal.jsonl; }
# one at a time may run: a task that had looked, and had not begun, when the target was reached
began=$(grep '"what":"start"' enough/journal.jsonl | grep -c '"stage":"sim"')
[ "$began" -ge "$ran" ] && [ "$began" -le $((ran + 1)) ] || bad "$began members began, $ran ran"
grep -qF "all,$ran" enough/ensemble/summary.csv || { bad "the ensemble has not $ran members"; cat enough/ensemble/summary.csv; }
sluice submit enough | grep -q 'nothing to submit' || bad "a second submit wants surplus members"
sluice status enough --exit-code --offline >/dev/null || bad "the campaign is not at its end"
tail -n 3 enough/logs/slurm/*stats*.log | grep -q 'ensemble.target is reached' || bad "no job tells that the target was reached"
exit $failed
