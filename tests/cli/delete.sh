#!/bin/bash
# delete.sh - output.delete: a member whose last stage is done keeps its tables and loses what the key names, and nothing before; the
# campaign verifies and goes on; a member that fails keeps all.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >r.yaml <<YAML
campaign: r
problem: riemann
sweep: {fluid.cfl: [0.3, 0.4]}
mesh: {cells: [128], boundary: outflow}
time: {end: 0.1}
output: {snapshot: 0.05, checkpoint: 1 h, delete: [snapshots, checkpoints, ic]}
statistics: {spectra: [], structure: []}
YAML
sluice run r.yaml >log 2>&1 || bad "sluice run: $(tail -n 3 log)"
for m in 0000 0001; do
    for gone in snapshots checkpoints; do [ -e "r/members/$m/$gone" ] && bad "$m still has $gone"; done
    for kept in history.tsv stats/summary.csv stats.h5 run.yaml; do [ -s "r/members/$m/$kept" ] || bad "$m has no $kept"; done
done
[ -s r/report/index.html ] || bad "no report"
sluice verify r >log 2>&1 || bad "sluice verify: $(cat log)"
sluice run r >log 2>&1 || bad "run again: $(tail -n 2 log)"
[ "$(ls r/members/0000/attempts/*.end.json | wc -l)" = 2 ] || bad "stages were done again: $(ls r/members/0000/attempts)"
sluice clean r --snapshots --dry-run | grep -q ' 0 files' || bad "files are left: $(sluice clean r --snapshots --dry-run)"

# statistics read them first; where a command of one's own fails, they stay
sluice run r.yaml --dir own 'stages.member=false' >log 2>&1 && bad "a command that fails"
[ -d own/members/0000/snapshots ] || bad "a member that failed has lost its snapshots"
sluice set own 'stages.member=cp {member}/snapshots/r.hdf.series found' >log 2>&1 && sluice retry own all >>log 2>&1 && sluice run own >>log 2>&1 ||
    bad "the command that finds snapshots: $(tail -n 3 log)"
[ -d own/members/0000/snapshots ] && bad "a member that is done has its snapshots"

sluice check r.yaml 'output.delete=[snapshot]' 2>err && bad "no such files"
grep -q 'did you mean snapshots' err || bad "message: $(cat err)"
exit $failed
