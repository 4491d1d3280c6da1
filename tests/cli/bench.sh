#!/bin/bash
# bench.sh - sluice bench as a person sees it: a table with ratios from what programs print, lines for scripts, failures
# told. The programs are stand-ins beside a copy of sluice: nothing is measured here.
set -eu
top=${SLUICE_TOP:-$PWD}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/perf"
cp "$top/build/sluice" "$work/"
cat > "$work/tests/perf/fake" <<'SH'
#!/bin/bash
case $1 in
    --cases) printf '1 fake good a=[1,2]\n1 fake half\n1 fake other\n'; [ -z "${FAKE_GPU:-}" ] || printf '1 fake device\n' ;;
    device) echo "program=gpu scheme=mhd+minmod+hlld+rk2 register=0 precision=double cells=256,256,256 block=$FAKE_GPU ranks=1 updates_per_s=1.8e9" ;;
    good) echo "program=fake scheme=plm+hllc+rk2 precision=double cells=8,8,8 block=8,8,8 ranks=1 updates_per_s=2e7 bytes_per_cell=99.6" ;;
    half) echo "program=fake scheme=plm+roe+rk2 precision=double cells=8,8,8 block=8,8,8 ranks=1 updates_per_s=1e7 bytes_per_cell=99.6" ;;
    other) echo '{"bench":"other"}'; exit "${FAKE_CODE:-0}" ;;
esac
SH
chmod +x "$work/tests/perf/fake"
cp "$work/tests/perf/fake" "$work/"
fail() { echo "bench.sh: $*"; exit 1; }

table=$("$work/sluice" bench)
echo "$table"
echo "$table" | grep -Eq '^plm\+hllc\+rk2 .* 20\.00 +1\.00 .* 100$' || fail "no row of the first case"
echo "$table" | grep -Eq '^plm\+roe\+rk2 .* 10\.00 +0\.50 ' || fail "no ratio to the first case"
echo "$table" | grep -q '"bench":"other"' || fail "other lines must be shown as they are"

"$work/sluice" bench half --lines | grep -q 'updates_per_s=1e7' || fail "no lines for scripts"
"$work/sluice" bench --json | python3 -c '
import json, sys
good, half, other = map(json.loads, sys.stdin)
assert good["v"] == other["v"] == 1 and good["updates_per_s"] == 2e7 and half["scheme"] == "plm+roe+rk2", (good, half)
assert other["line"] == "{\"bench\":\"other\"}", other' || fail "no JSON"
[ "$("$work/sluice" bench half | wc -l)" = 2 ] || fail "TEXT does not choose"

code=0; FAKE_CODE=3 "$work/sluice" bench >/dev/null 2>"$work/err" || code=$?
[ $code = 1 ] || fail "a failed case must give 1, not $code"
grep -q '1 of 3 cases failed' "$work/err" || fail "the failure is not told"
mv "$work/tests" "$work/gone"
code=0; "$work/sluice" bench 2>"$work/err" || code=$?
[ $code = 69 ] && grep -q 'make bench' "$work/err" || fail "it is not told how to build the programs: $(cat "$work/err")"
mv "$work/gone" "$work/tests"
code=0; "$work/sluice" bench nothing 2>/dev/null || code=$?
[ $code = 2 ] || fail "no such case must give 2, not $code"
rm -r "$work/tests"
code=0; "$work/sluice" bench 2>/dev/null || code=$?
[ $code = 69 ] || fail "programs that are not built must give 69, not $code"

# ---- a plan knows of what was measured, on devices and on processors; blocks of other sizes tell nothing
mkdir "$work/site" "$work/tests" "$work/tests/perf"
cp "$work/fake" "$work/tests/perf/"
echo "partition: short" > "$work/site/site.yaml"
export SLUICE_SITE=$work/site/site.yaml
printf 'campaign: c\nproblem: sod\nmesh.cells: [64]\ntime.end: 0.2\n' > "$work/c.yaml"
plan() { "$work/sluice" plan "$work/c.yaml" --offline --dir "$work/c" "$@" | grep 'cell updates/s'; }
FAKE_GPU=64,64,64 "$work/sluice" bench >/dev/null
plan | grep -q 'from 2e+07 .*sluice bench' || fail "a plan does not know of the bench: $(plan)"
mhd=(fluid.mhd=glm fluid.riemann=hlld resources.backend=cuda)
plan "${mhd[@]}" | grep -q 'assumed' || fail "a plan took what it should not: $(plan "${mhd[@]}")"
FAKE_GPU=32,32,32 "$work/sluice" bench >/dev/null
plan "${mhd[@]}" | grep -q 'from 1.8e+09 .*sluice bench' || fail "a plan for a device does not know of the bench: $(plan "${mhd[@]}")"
plan "${mhd[@]}" fluid.reconstruct=ppm | grep -q 'from 3.06e+08 ' || fail "another method has the rate of the usual one: $(plan "${mhd[@]}" fluid.reconstruct=ppm)"
plan | grep -q 'from 2e+07 ' || fail "a device tells of processors: $(plan)"
plan resources.backend=cuda | grep -q 'assumed' || fail "one field tells of another: $(plan resources.backend=cuda)"
