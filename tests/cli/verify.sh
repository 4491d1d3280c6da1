#!/bin/bash
# verify.sh - the verification suite as a user sees it, with a simulation that says what the test wants: rows that hold,
# rows that miss, a run that fails, unknown names, JSON.
set -u
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 1
export TMPDIR=$top/tmp SLUICE_PROGRAMS=$top/bin
mkdir tmp bin
failed=0
bad() { echo "verify.sh: $*"; failed=1; }

cat >bin/sluice-sim <<'S'
#!/bin/bash
echo "$@" >>"$COUNT"
[ "$ANSWER" = crash ] && exit 70
printf '# variable\tL1\n%s\n' "$ANSWER" >verify.tsv
printf '# sluice history 1\n# time[code]\tstep[1]\tmass[code]\n0\t0\t1\n1\t7\t1\n' >history.tsv
S
chmod +x bin/sluice-sim
export COUNT=$top/count

ANSWER=$'entropy_jump\t0.01' sluice verify odd-even >out 2>err || bad "rows that hold: $(cat out err)"
grep -q '^ok .*odd-even .*0.01 <= 0.05' out || bad "no row: $(cat out)"
grep -q '^2 of 2 hold' out || bad "no count: $(cat out)"
[ "$(wc -l <count)" = 2 ] || bad 'two runs were expected'
grep -q 'run.yaml problem=odd_even .*fluid.riemann=llf' count || bad 'keys did not reach the run'
[ -z "$(ls tmp)" ] || bad 'a run that went well left its directory'

ANSWER=$'entropy_jump\t0.06' sluice verify odd-even >out 2>err && bad 'a row that misses was accepted'
[ $? = 0 ] || true
ANSWER=$'entropy_jump\t0.06' sluice verify odd-even >out 2>err
[ $? = 1 ] || bad 'a missed limit must end with 1'
grep -q '^FAIL .*odd-even' out || bad "no FAIL: $(cat out)"
grep -q '2 of 2 rows' err || bad "no message: $(cat err)"

ANSWER=$'something\t1' sluice verify odd-even >out 2>err
[ $? = 1 ] || bad 'a missing measure was accepted'
ANSWER=crash sluice verify odd-even >out 2>err
[ $? = 1 ] || bad 'a failed run was accepted'
grep -q 'logs of the runs: .*tmp/sluice-verify' err || bad "no place of the logs: $(cat err)"
rm -rf tmp/*

: >count # rows that look at the same run share it
ANSWER=$'density\t1\t2\nenergy\t1\t2' sluice verify axes >out 2>err || bad "axes: $(cat out err)"
[ "$(wc -l <count)" = 3 ] || bad "axes took $(wc -l <count) runs, not 3"
grep -q 'steps .* 0 <= 0' out || bad "history was not read: $(cat out)"

ANSWER=$'entropy_jump\t0.01' sluice verify odd-even --json >out 2>err || bad "json: $(cat err)"
python3 -c 'import json, sys
d = json.load(open("out"))
assert d["v"] == 1 and len(d["rows"]) == 2 and d["rows"][0]["passed"] and d["rows"][0]["measured"] == 0.01' || bad 'json'

sluice verify odd-even nonsense >out 2>err
[ $? = 2 ] || bad 'an unknown name must end with 2'
grep -q 'nonsense.*wave-1d' err || bad "the names are not told: $(cat err)"
exit $failed
