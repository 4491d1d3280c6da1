#!/bin/bash
# verify.sh - the verification suite as a user sees it, with a simulation that says what the test wants: rows that hold,
# rows that miss, a run that fails, unknown names, JSON.
set -u
PATH=${PATH/"$SLUICE_TOP/tests/svg_alone:"/} # looks at PNG and PDF, too
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
export TMPDIR=$work/tmp SLUICE_PROGRAMS=$work/bin
mkdir tmp bin
. "$SLUICE_TOP/tests/check.sh"

cat >bin/sluice-sim <<'S'
#!/bin/bash
echo "$@" >>"$COUNT"
[ "$ANSWER" = crash ] && exit 70
printf '# variable\tL1\n%s\n' "$ANSWER" >verify.tsv
printf '# sluice history 1\n# time[code]\tstep[1]\tmass[code]\n0\t0\t1\n1\t7\t1\n' >history.tsv
S
chmod +x bin/sluice-sim
export COUNT=$work/count

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
sluice verify od-even >out 2>err && bad 'an unknown name was accepted'
grep -q 'did you mean odd-even?$' err || bad "nearest name: $(cat err)"
ANSWER=crash sluice verify odd-even >out 2>err
[ $? = 1 ] || bad 'a failed run was accepted'
grep -q 'logs of the runs: .*tmp/sluice-verify' err || bad "no place of the logs: $(cat err)"
rm -rf tmp/*

: >count # rows that look at the same run share it
ANSWER=$'density\t1\t2\nenergy\t1\t2' sluice verify axes >out 2>err || bad "axes: $(cat out err)"
[ -z "$(sort count | uniq -d)" ] || bad "axes made a run twice: $(sort count | uniq -d | head -n 1)"
grep -q 'steps .* 0 <= 0' out || bad "history was not read: $(cat out)"

ANSWER=$'entropy_jump\t0.01' sluice verify odd-even --json >out 2>err || bad "json: $(cat err)"
python3 -c 'import json, sys
d = json.load(open("out"))
assert d["v"] == 1 and len(d["rows"]) == 2 and d["rows"][0]["passed"] and d["rows"][0]["measured"] == 0.01' || bad 'json'

# a mean over seeds, its standard error, and a peer's figure that is or is not among them
cat >bin/sluice-sim <<'S'
#!/bin/bash
seed=${!#}
seed=${seed#seed=}
echo "$seed" >>"$COUNT"
printf '# variable\tL1\n' >verify.tsv
printf '# sluice history 1\n# time[code]\tmach_rms[1]\tvelocity_rms[code]\tenergy_kinetic[code]\tdriving_energy[code]\n1\t%s%s\t1\t1\t1\n' "$MACH" "$seed" >history.tsv
S
: >count
MACH=1.0 sluice verify driven >out 2>err || bad "among: $(cat out err)"
grep -q 't = 0.0215 .* 1.045 +- 0.0087 ~ 1.022 ' out || bad "no mean with its error: $(cat out)"
[ "$(sort count | grep -c '^[1-8]$')" = 8 ] || bad "not the seeds 1 to 8: $(cat count)"
MACH=1.1 sluice verify driven --json >out 2>err && bad 'a figure that is not among the runs was accepted'
python3 -c 'import json
r = [r for r in json.load(open("out"))["rows"] if r["seeds"]]
assert len(r) == 1 and r[0]["seeds"] == 8 and not r[0]["passed"] and r[0]["sense"] == "among"
assert abs(r[0]["error"] - 0.00866) < 1e-5' || bad "json: $(cat out)"

# one run serves several times: a value of a line of the history, and a change since one
cat >bin/sluice-sim <<'S'
#!/bin/bash
echo "$*" >>"$COUNT"
printf '# variable\tL1\n' >verify.tsv
printf '# sluice history 1\n# time[code]\tmach_rms[1]\tvelocity_rms[code]\tenergy_kinetic[code]\tmass[code]\n' >history.tsv
for ((i = 0; i <= LINES_MADE; i++)); do printf '%d\t%d.%s\t1\t1e%d\t1\n' $i $i "${!##seed=}" $((-i)) >>history.tsv; done
S
sed 's/echo/: &/' bin/sluice-sim >bin/sluice-ic
chmod +x bin/sluice-ic
export LINES_MADE=4
: >count
sluice verify decay >out 2>err
grep -q 'lost from 1 to 4, eta at least .* 0.999 >= 0.6922' out || bad "no change since a line: $(cat out err)"
[ "$(grep -c turbulence.spectrum=2 count)" = 1 ] || bad "not one run for two times: $(cat count)"
LINES_MADE=1 sluice verify decay >out 2>err
grep -q 'lost from 1 to 4, eta at least .* nan >= 0.6922' out || bad "a change since the last line: $(cat out err)"
sluice verify driven --all >out 2>err
grep -q 'to Mach 2.9: at t = 0.0645 .* 3.45 +- 0.087 ~' out || bad "no value of a line: $(cat out err)"
grep -q 'at t = 0.1720.* nan +- nan ~' out || bad "a line that is not there: $(cat out err)"
rm -rf tmp/*

# runs are made side by side where there are cores, one by one on a single one
cat >bin/sluice-sim <<'S'
#!/bin/bash
touch "$MEET/$$"
for i in {1..300}; do
    set -- "$MEET"/*
    [ $# -ge "$WANTED" ] && break
    sleep 0.1
done
echo $# >>"$COUNT"
sleep 0.2
rm "$MEET/$$"
printf 'entropy_jump\t0.01\n' >verify.tsv
S
export MEET=$work/meet WANTED
mkdir meet
if [ "$(nproc)" -gt 1 ]; then
    : >count
    WANTED=2 sluice verify odd-even >out 2>err || bad "two at a time: $(cat out err)"
    grep -qx 2 count || bad "no two runs at a time: $(tr '\n' ' ' <count)"
fi
: >count
WANTED=1 taskset -c "$(taskset -cp $$ | sed 's/.*[: ]\([0-9]*\).*/\1/')" sluice verify odd-even >out 2>err || bad "one core: $(cat out err)"
[ "$(tr '\n' ' ' <count)" = '1 1 ' ] || bad "not one at a time on one core: $(tr '\n' ' ' <count)"

# the page, of runs whose tables are invented: the figures of the problems asked for, on any screen and on paper
cat >bin/sluice-sim <<'S'
#!/bin/bash
case "$*" in *fluid.riemann=hlle*mesh.cells=\[100\]*|*mesh.cells=\[100\]*fluid.riemann=hlle*) [ -n "${LAME:-}" ] && exit 70 ;; esac
printf '# variable\tL1\nrms_l1\t0.001\ndensity\t1e-7\t1e-6\n' >verify.tsv
printf '# sluice history 1\n# time[code]\tstep[1]\tmass[code]\tmach_rms[1]\tenergy_magnetic[code]\ttime_unit[1]\n' >history.tsv
for i in 0 1 2 3; do printf '%s\t%s\t1\t%s\t%s\t%s\n' $i $i $((10 - i)) $i $i >>history.tsv; done
awk 'BEGIN { print "x,density,velocity_x,magnetic_y,exact_density"; for (i = 0; i < 50; i++) print i / 50, 1 + i % 7, i, i, 1 }' >sample_line.csv
awk 'BEGIN { print "radius,density,density_deviation,velocity,velocity_deviation,pressure,pressure_deviation,exact_density,exact_velocity,exact_pressure"
    for (i = 1; i < 50; i++) print i / 80, i, 1, i, 1, i, 1, i, i, i }' OFS=, >sample_radius.csv
awk 'BEGIN { OFS = ","; print "x,y,density,pressure,current_z"; for (j = 0; j < 9; j++) for (i = 0; i < 9; i++) print i, j, i * j, 1, i - j }' >sample_plane.csv
sed -i 's/ \([0-9]\)/,\1/g' sample_line.csv sample_radius.csv
sed -i '1i # cells\n# time: 0.1\n# unit density: code density' sample_*.csv
S
cp bin/sluice-sim bin/sluice-ic
groups="sod brio-wu decay wave-3d sedov field-loop mhd-blast"
times=$SLUICE_TOP/examples/blast-on-gpus/times.txt
line='program=sedov scheme=%s+glm precision=double cells=%d,1,1 block=8 ranks=1 updates_per_s=1 seconds_per_step=%s\n'
{ # one size twice, and a larger one; what comes first counts
    sed '1s/NVIDIA H200/NVIDIA <H200>/' "$times"
    grep -h 'core+glm precision=double cells=256' "$times"
    printf "$line" core 512 40 device 512 0.1
    echo '#second file'
    printf 'program=sedov scheme=device+none precision=double cells=128,1,1 block=8 ranks=%d updates_per_s=1 seconds_per_step=%d\n' 1 4 8 2
} >times.txt
# shellcheck disable=SC2086
sluice verify $groups --report page --times times.txt >out 2>err
[ "$(tail -n 1 out)" = page/index.html ] || bad "no page: $(tail -n 3 out) $(cat err)"
"$SLUICE_TOP/tests/cli/browser.py" page/index.html shot >seen.json
python3 - <<'PY' || bad 'the page is not what it should be'
import json, re
seen, page = json.load(open("seen.json")), open("page/index.html", encoding="utf-8").read()
assert seen["console"] == [] and seen["requests"] == [] and seen["scripts"] == 0, seen
assert seen["svg"] == 16 and seen["wide"] == seen["screen"] and seen["colours"] > 100, seen
assert "Not drawn" not in page, page[page.index("Not drawn"):][:900]
rows = len(re.findall("<tr[ >]", page)) - 1  # but the head
held, missed = (int(re.search(f"<dt>{w}</dt><dd>(\\d+)", page)[1]) for w in ("held", "missed"))
assert held + missed == rows == int(re.search(r"<dt>limits</dt><dd>(\d+)", page)[1])
assert missed == page.count("MISSED") > 0 and held == page.count(">holds<") > 0
assert "<sup>3</sup>" in page and "Athena++" in page
ids = re.findall(r' id=["\'][^"\']*', page)
assert len(ids) == len(set(ids)), "ids that occur twice"
PY
[ -s shot-phone.png ] && [ -s shot.pdf ] || bad 'no view on a phone or on paper'
for f in page/figures/*.gp; do
    for kind in svg png csv; do [ -s "${f%.gp}.$kind" ] || bad "no ${f%.gp}.$kind"; done
done
[ "$(grep -c '<figcaption>.*Measured: 2026-11-2[0-9], .* NVIDIA &lt;H200&gt;.*; second file\.' page/index.html)" = 3 ] ||
    bad "captions of times do not say on what: $(grep -o 'Measured:.*' page/index.html)"
[ "$(grep -c '<desc.*NVIDIA &lt;H200&gt;.*</desc>' page/index.html)" = 3 ] || bad "descriptions do not say it as captions do"
time_of() { grep -h "scheme=$1+glm precision=double cells=256.* ranks=1 " "$times" | sed 's/.*=//'; }
row=$(awk -v c="$(time_of core)" -v d="$(time_of device)" 'BEGIN { printf "256,%.6g,%.6g,%.6g", c, d, c / d }')
grep -xF "$row" page/figures/figure_steps_field.csv >out
[ "$(grep -c . out)" = 1 ] || bad "times: $(cat page/figures/figure_steps_field.csv)"
grep -q '^8,2,' page/figures/figure_devices.csv || bad "devices beside one of another part: $(cat page/figures/figure_devices.csv)"
grep -q 'set xtics (32, 64, 128, 200, 256, 512)' page/figures/figure_steps_field.gp && ! grep -q xrange page/figures/figure_steps_field.gp ||
    bad "a grid that is not shown: $(cat page/figures/figure_steps_field.gp)"
for _ in 1 2 3 4 5 6; do cat "$times"; done >many.txt
sluice verify sod --report none --times many.txt >out 2>err
[ $? = 65 ] && grep -q 'more than 256' err && [ ! -e none ] || bad "too many times: $(cat out err)"
grep -qx '4,2.[0-9]*,2.[0-9]*' page/figures/figure_devices.csv || bad "devices: $(cat page/figures/figure_devices.csv)"
sluice verify sod --report none --times "$SLUICE_TOP/README.md" >out 2>err
[ $? = 65 ] && grep -q 'holds no line' err && [ ! -e none ] || bad "a file without times: $(cat out err)"
sluice verify sod --times "$SLUICE_TOP/README.md" >out 2>err
[ $? = 2 ] || bad '--times without a page must end with 2'
LAME=1 sluice verify sod --report lame >out 2>err
grep -q 'Not drawn' lame/index.html && grep -q 'its run failed (rk2 plm hlle)' lame/index.html || bad 'a figure that cannot be drawn'
mkdir few
for p in sluice awk sed; do ln -s "$(command -v $p)" few/; done
PATH=$work/few sluice verify brio-wu --report bare >out 2>err
grep -q 'gnuplot is not installed' bare/index.html || bad 'nothing said of gnuplot'
rm -rf tmp/*

# all schemes of a gas on its problems, over the default: errors that the integrator alone decides
cat >bin/sluice-sim <<'S'
#!/bin/bash
echo >>"$COUNT"
case "$*" in
*integrator=vl2*) e=0.5 ;;
*integrator=rk3*hlle*) exit 70 ;;
*) e=2 ;;
esac
for ((i = 0; i < ${#e} * 3000; i++)); do :; done
printf 'rms_l1\t%s\nrelative_l1\t%s\n' "$e" "$e" >verify.tsv
S
: >count
sluice verify --schemes isothermal --report schemes >out 2>err || bad "schemes: $(cat out err)"
[ "$(sed -n 2p schemes/figures/figure_schemes_isothermal.csv | cut -d, -f1,4,6-)" = "$(grep -m 1 '^vl2' schemes/figures/figure_schemes_isothermal.csv | cut -d, -f1,4,6-)" ] ||
    bad "the least error is not first: $(head -n 3 schemes/figures/figure_schemes_isothermal.csv)"
grep -q '^rk2 plm minmod hllc,plm,yes,[a-z]*,1,1,2,2,2,2,2,2$' schemes/figures/figure_schemes_isothermal.csv &&
    grep -q '^vl2 ppm llf,ppm,no,[a-z]*,[-0-9.e+]*,0.25,0.5,' schemes/figures/figure_schemes_isothermal.csv &&
    grep -q '^rk3 wenoz hlle,wenoz,no,no,-\?nan,-\?nan,-\?nan' schemes/figures/figure_schemes_isothermal.csv &&
    [ "$(grep -c '^tvd,' schemes/figures/figure_schemes_isothermal.csv)" = 1 ] ||
    bad "the table of the schemes: $(cat schemes/figures/figure_schemes_isothermal.csv)"
n=$(grep -vc '^scheme' schemes/figures/figure_schemes_isothermal.csv)
[ "$n" -gt 100 ] && [ "$(wc -l <count)" -le "$((7 * n + 1))" ] || bad "$n schemes and $(wc -l <count) runs"
grep -q '^isothermal gas: [0-9]* schemes' out && grep -q '^rk2 plm minmod hllc .* default$' out && ! grep -q ' hold' out || bad "schemes: $(cat out)"
[ -s schemes/figures/figure_schemes_isothermal.svg ] && ! grep -q 'Not drawn' schemes/index.html || bad 'no figure of the schemes'
sluice verify --schemes plasma >out 2>err
[ $? = 2 ] && grep -q 'gas, isothermal, mhd or all' err || bad "schemes of nothing: $(cat out err)"
rm -rf tmp/*

sluice verify odd-even nonsense >out 2>err
[ $? = 2 ] || bad 'an unknown name must end with 2'
grep -q 'nonsense.*wave-1d' err || bad "the names are not listed: $(cat err)"
[ "$(tr ' ' '\n' <err | grep -cx mhd-blast)" = 1 ] || bad "a name is listed twice: $(cat err)"
exit $failed
