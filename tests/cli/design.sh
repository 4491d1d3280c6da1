#!/bin/bash
# design.sh - a sample of parameters from the recipe to the report: its members, more of them, a file of points, the table of what
# results depend on, the training set.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
cd "$work" || exit 1
cat >recipe.yaml <<'YAML'
campaign: tubes
problem: sod
verify: true
mesh: {cells: [32], boundary: outflow}
time: {end: 0.2 / sqrt(fluid.gamma)}
sample: {design: sobol, points: 24, keys: {fluid.gamma: 1.2..1.8, fluid.cfl: 0.02..0.5 log}}
output: {snapshot: 0, history: 1}
YAML
expect 0 sluice check recipe.yaml
shows '24 members'
shows 'fluid.gamma=1.'
expect 0 sluice run recipe.yaml
page=tubes/report/index.html
for text in 'Results against parameters' 'What the results depend on' 'fluid.cfl</th>'; do
    grep -qF "$text" $page || bad "no '$text' on the page"
done
[ -s tubes/report/figures/scatter.svg ] && [ "$(grep -c relative_l1 tubes/report/figures/scatter.csv)" = 48 ] || bad 'the scatter of two parameters'
ls tubes/report/figures/across_* 2>/dev/null && bad 'points are joined by lines'
cp tubes/members/0007/run.yaml seven

# more points: those that are done stay
expect 0 sluice extend tubes sample.points=32
shows '8 members added, 24 stay'
cmp seven tubes/members/0007/run.yaml || bad 'a member has changed'
expect 78 sluice extend tubes sample.points=40 sample.design=latin
says 'a Latin hypercube of more points has other points'
expect 0 sluice run tubes

# a training set: parameters and results, a line per member
expect 0 sluice export tubes --csv set.csv
/usr/bin/python3 - <<'PY' || bad 'the training set'
import csv
rows = list(csv.DictReader(open("set.csv")))
assert len(rows) == 32, len(rows)
gamma = [float(r["fluid.gamma"]) for r in rows]
assert len(set(gamma)) == 32 and 1.2 <= min(gamma) and max(gamma) <= 1.8, gamma
assert all(float(r["density_sigma"]) > 0 for r in rows), rows[0]
PY

# a file of points, with which the campaign has no more to do once it is made
printf '# ours\nfluid.gamma,fluid.riemann\n1.4,hllc\n5/3,llf\n' >points.csv
sed 's/^sample:.*/sample: {file: points.csv}/; s/tubes/listed/' recipe.yaml >listed.yaml
mkdir elsewhere
cd elsewhere || exit 1
expect 0 sluice run ../listed.yaml # the path is from the recipe
rm ../points.csv
grep -q 'fluid.gamma: 1.6666666666666667' listed/members/0001/run.yaml && grep -q 'fluid.riemann: llf' listed/members/0001/run.yaml || bad 'the second point'
expect 0 sluice verify listed
cd ..
expect 65 sluice check listed.yaml
says 'points.csv'

# five parameters, 2000 points
cat >many.yaml <<'YAML'
campaign: many
problem: turbulence
mesh: {cells: [32, 32, 32]}
time: {end: 1, unit: crossing}
sample:
  design: latin
  points: 2000
  keys: {turbulence.mach: 0.5..8 log, turbulence.solenoidal: 0..1, turbulence.spectrum: -2.5..-1.5, fluid.cfl: 0.1..0.4, seed: 1..1000000}
YAML
expect 0 sluice plan many.yaml
shows '2000'
expect 0 sluice keys sample
shows 'sobol'
exit $failed
