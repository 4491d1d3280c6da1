#!/bin/bash
# report.sh - the page of a report as a browser sees it: all figures there, nothing asked from outside, no complaint on the
# console, hostile texts harmless, no sideways scrolling on a phone; and what it says when something is missing.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "report.sh: $*"; exit 1; }
is() { # what, found, wanted
    [ "$2" = "$3" ] || fail "$1: $2, not $3"
}

# a full campaign, with a name and a cause that try to be markup
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$dir/c" --members 5 --fail --name '<script>alert(1)</script>"; `date`'
page=$(sluice report "$dir/c")
is "printed" "$page" "$dir/c/report/index.html"
"$SLUICE_TOP/tests/cli/browser.py" "$page" "$dir/shot" >"$dir/seen.json"
seen() { /usr/bin/python3 -c 'import json, sys; v = json.load(open(sys.argv[1]))[sys.argv[2]]; print(v if isinstance(v, int) else " ".join(v))' "$dir/seen.json" "$1"; }
is "complaints on the console" "$(seen console)" ""
is "asked from outside" "$(seen requests)" ""
is "figures" "$(seen svg)" 12
is "images" "$(seen img)" 24
is "images with a text" "$(seen alt)" 24
is "scripts" "$(seen scripts)" 0
is "width on a phone" "$(seen wide)" "$(seen screen)"
[ "$(seen colours)" -gt 100 ] || fail "the screenshot is blank"
[ -s "$dir/shot.pdf" ] && [ -s "$dir/shot-dark.png" ] || fail "no print or dark view"
grep -q 'Not drawn' "$page" && fail "$(grep -A3 'Not drawn' "$page")"
grep -q '&lt;at step 412&gt;' "$page" || fail "the cause of the failure is missing"
ids=$(grep -oE ' id=["'\''][^"'\'']*' "$page" | sort | uniq -d)
is "ids that occur twice" "$ids" ""
for f in "$dir/c/report/figures"/*.gp; do
    name=$(basename "$f" .gp)
    for kind in svg png csv; do
        [ "$name" = images ] || [ -s "$dir/c/report/figures/$name.$kind" ] || fail "no $name.$kind"
    done
done
grep -lE 'script|date' "$dir/c/report/figures"/*.gp && fail "a text of the user reached gnuplot"

# without gnuplot: a page that says so, with all its tables
PATH=$(dirname "$(command -v sluice)") sluice report "$dir/c" 2>"$dir/err" >/dev/null
grep -q gnuplot "$dir/err" || fail "nothing said of gnuplot"
grep -q 'apt-get install gnuplot-nox' "$page" && grep -q '&lt;at step 412&gt;' "$page" || fail "the page without gnuplot"

# one member: no error bars, and it says so; of two snapshots, a row for each kind of image
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$dir/one" --members 1
rm "$dir"/one/members/0000/stats/*_0001.csv
sluice report "$dir/one" >/dev/null
is "images of two snapshots" "$(grep -o '<img' "$dir/one/report/index.html" | wc -l)" 4
grep -q '"planes" style="grid-template-columns:repeat(2,1fr)"' "$dir/one/report/index.html" || fail "images of two snapshots in three columns"
grep -q '<p>First and last snapshot of each member' "$dir/one/report/index.html" || fail "a middle snapshot of two"
grep -q 'carry no error bars' "$dir/one/report/index.html" || fail "one member"
[ "$(grep -c '<svg' "$dir/one/report/index.html")" = 12 ] || fail "figures of one member"

# exponents of structure functions: slopes against order 3, of the mean and of one member, in the range of the spectra's fits
exponents() { # campaign, table, column of a moment, first and last shell
    /usr/bin/python3 - "$1/$2/structure_velocity_0002.csv" "$1/report/figures/structure_exponents.csv" "$3" "$4" "$5" <<'PY' || fail "exponents of $1"
import sys
import numpy as np
table, drawn = (np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True) for p in sys.argv[1:3])
cells = np.rint(32 * table['lag'])
use = (cells >= 32 / float(sys.argv[5])) & (cells <= 32 / float(sys.argv[4]))
for kind, name in ('along', 'long'), ('across', 'trans'):
    order = [np.log(table[f'{name}_{p}{sys.argv[3]}'][use]) for p in range(1, 7)]
    for p, y in enumerate(order):
        (slope, _), cov = np.polyfit(order[2], y, 1, cov=True)
        found = [drawn[kind + end][p] for end in ('', '_lo', '_hi')]
        assert np.allclose(found, slope + np.array([0, -1, 1]) * cov[0, 0]**0.5, rtol=1e-7), (kind, p + 1, found, slope, cov)
assert list(drawn['order']) == [1, 2, 3, 4, 5, 6]
PY
}
again() { # statistics.fit of the one member
    sed -i '/^statistics.fit/d' "$dir/one/members/0000/run.yaml"
    echo "statistics.fit: $1" >>"$dir/one/members/0000/run.yaml"
    sluice report "$dir/one" >/dev/null
}
exponents "$dir/c" ensemble _mean 3 4
exponents "$dir/one" members/0000/stats "" 3 4
again '[2, 8]'
exponents "$dir/one" members/0000/stats "" 2 8
again '[6, 8]'
grep -q '2 lags lie between 0.125 and 0.1667; exponents need 3' "$dir/one/report/index.html" || fail "exponents of two lags"
sed -i 's/^statistics.structure:.*/statistics.structure: [density]/' "$dir/one/members/0000/run.yaml"
sluice report "$dir/one" >/dev/null
grep -qE 'structure_exponents|exponents need' "$dir/one/report/index.html" && fail "exponents that nobody asked for"

# with a field: its energy against time, with the members and their mean
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$dir/mhd" --members 3 --mhd
sluice report "$dir/mhd" >/dev/null
grep -q '<figure id="figure-magnetic">' "$dir/mhd/report/index.html" || fail "no figure of the magnetic energy"
[ "$(head -n 1 "$dir/mhd/report/figures/magnetic.csv")" = time_unit,magnetic_energy_ratio,magnetic_energy_ratio_lo,magnetic_energy_ratio_hi ] ||
    fail "the numbers of the magnetic energy"
grep -q 'id="figure-magnetic"' "$dir/c/report/index.html" && fail "magnetic energy without a field"

# with a force: what it did and where it went, in place of the decay
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$dir/driven" --members 3 --driven
sluice report "$dir/driven" >/dev/null
grep -q '<figure id="figure-balance">' "$dir/driven/report/index.html" || fail "no figure of work and dissipation"
grep -qE 'id="figure-(decay|energy)"' "$dir/driven/report/index.html" && fail "the decay of what is driven"
grep -q 'id="figure-balance"' "$dir/c/report/index.html" && fail "work without a force"

# a sweep over more than the seed: figures of every group
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$dir/two" --members 2
mkdir "$dir/two/ensemble/group-1"
mv "$dir/two/ensemble"/*.csv "$dir/two/ensemble/group-1"
printf '# groups\ngroup,member,what\n1,0000,turbulence.mach: <5>\n2,0001,turbulence.mach: 7\n' >"$dir/two/ensemble/groups.csv"
sluice report "$dir/two" >/dev/null
page=$dir/two/report/index.html
is "figures of two groups" "$(grep -o '<svg' "$page" | wc -l)" 24
grep -q 'Group 1 .*turbulence.mach: &lt;5&gt;' "$page" || fail "the name of a group"
is "ids that occur twice" "$(grep -oE ' id=["'\''][^"'\'']*' "$page" | sort | uniq -d)" ""

# beside another ensemble: both means, their difference in standard errors of both, marked from 3 on; its curves
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$dir/ours" --members 3
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$dir/theirs" --members 4 --name 'theirs <&>'
numbers() { # mean and error of mach_rms_end, density_sigma
    for of in "mach_rms_end,$2,$3" "decay_exponent,$4,$5"; do
        sed -i "s/^${of%%,*},[^,]*,[^,]*,/$of,/" "$dir/$1/ensemble/summary.csv"
        grep -q "^$of," "$dir/$1/ensemble/summary.csv" || fail "no ${of%%,*} in $1"
    done
}
numbers ours 2.5 0.3 1.1 0.03
numbers theirs 2 0.4 1.3 0.04
page=$(sluice report "$dir/ours" --against "$dir/theirs")
/usr/bin/python3 - "$page" <<'PY' || fail "the comparison with another campaign"
import html, re, sys
page = open(sys.argv[1]).read()
table = re.search(r'All quantities against (.*?)</summary>(.*?)</table>', page, re.S)
assert html.unescape(table.group(1)) == 'theirs <&>', table.group(1)
rows = {}
for row in re.findall(r'<tr>(.*?)</tr>', table.group(2), re.S):
    cells = re.findall(r'<t[hd]([^>]*)>(.*?)</t[hd]>', row, re.S)
    rows[cells[0][1]] = [(c[1], 'bad' in c[0]) for c in cells[1:]]
assert rows['Quantity'][1][0] == 'theirs &lt;&amp;&gt;' and rows['Quantity'][2][0] == 'Difference', rows['Quantity']
assert rows['mach_rms_end'][2] == ('+1.0 σ', False), rows['mach_rms_end']
assert rows['decay_exponent'][2] == ('−4.0 σ', True), rows['decay_exponent']
PY
for f in energy spectrum pdf; do
    grep -q 'the other campaign' "$dir/ours/report/figures/$f.gp" && [ -s "$dir/ours/report/figures/${f}_against.csv" ] || fail "$f without the other's curve"
done
sluice report "$dir/ours" >/dev/null
grep -qE 'theirs|Difference' "$page" && fail "the other campaign was not forgotten"
code=0
sluice report "$dir/ours" --against "$dir/nowhere" >/dev/null 2>"$dir/err" || code=$?
[ $code != 0 ] && grep -q nowhere "$dir/err" || fail "a campaign that is not there: $code, $(cat "$dir/err")"

# nothing yet
mkdir "$dir/empty"
cp -r "$dir/c/recipe.yaml" "$dir/c/slots" "$dir/empty"
sluice report "$dir/empty" >/dev/null
grep -q '5 members: 0 finished, 5 not at the end yet' "$dir/empty/report/index.html" || fail "empty campaign"
code=0
sluice report "$dir" 2>"$dir/err" || code=$?
[ $code != 0 ] && [ -s "$dir/err" ] && [ ! -e "$dir/report" ] || fail "a directory that is no campaign gave $code"
