#!/bin/bash
# bench.sh - sluice bench as a person sees it: a table with ratios from what programs print, lines for scripts, failures
# reported. The programs are stand-ins beside a copy of sluice: nothing is measured here.
set -eu
top=${SLUICE_TOP:-$PWD}
. "$SLUICE_TOP/tests/scratch.sh"
mkdir -p "$work/tests/perf" "$work/aside"
cp "$top/build/sluice" "$work/"
echo "partition: short" > "$work/aside/site.yaml"
export SLUICE_SITE=$work/aside/site.yaml # what is measured here tells the plans of nobody
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
grep -q '1 of 3 cases failed' "$work/err" || fail "the failure is not reported"
# on a device: a stand-in for tests/perf/gpu, with more cases than fit 16 kB
refused() { # what it must say
    code=0; "$work/sluice" bench --gpu >/dev/null 2>"$work/err" || code=$?
    [ $code = 69 ] && grep -Eq "$1" "$work/err" || fail "exit code $code (not 69), not '$1': $(cat "$work/err")"
}
gpu() { printf '#!/bin/bash\n%s\n' "$1" >"$work/tests/perf/gpu"; chmod +x "$work/tests/perf/gpu"; }
refused '`make bench` builds what measures'
gpu true
refused 'no CUDA device here|built without CUDA'
gpu 'exit 127'
refused 'tests/perf/gpu --cases ends with 127'
cat > "$work/tests/perf/gpu" <<'SH'
#!/bin/bash
row="program=gpu scheme=%s precision=double cells=8,8,8 block=8,8,8 ranks=%d updates_per_s=%s copy_bytes_per_update=400 least_bytes_per_update=%d share_of_copy=%s copy_bytes_per_s=4e12 device=A_B driver=580.1 cuda=13.0 commit=123456789012\n"
case $* in
    --cases)
        printf '# 2001-01-01, 2 x A B, driver 580.1\n1 gpu one\n2 gpu pair\n'
        for i in {1..400}; do echo "1 gpu many fluid.eos=isothermal fluid.riemann=hlle $i"; done
        printf '1 gpu last\n# left out: 1 case\n1 fake good gpu\n' ;;
    one) printf "$row" plm+hllc+rk2 1 1e10 216 0.54 ;;
    pair) [ "${OMPI_COMM_WORLD_RANK:-0}" != 0 ] || printf "$row" plm+hllc+rk2 "${OMPI_COMM_WORLD_SIZE:-0}" 2e10 216 0.52 ;;
    last) printf "$row" last 1 5e9 432 0.25 ;;
esac
SH
chmod +x "$work/tests/perf/gpu"
table=$("$work/sluice" bench --gpu one)
echo "$table"
[ "$(echo "$table" | wc -l)" = 5 ] || fail "--gpu one: not two remarks, two lines of a head and a row"
echo "$table" | sed -n 1p | grep -qx '# 2001-01-01, 2 x A B, driver 580.1' || fail "the device is not named"
echo "$table" | sed -n 2p | grep -qx 'copy within the device: 4000 GB/s read and written' || fail "no bandwidth"
echo "$table" | sed -n 3p | grep -Eq 'Mupdates/s +ratio +least B +of the limit$' || fail "no head"
echo "$table" | sed -n 4p | grep -Eq '^plm\+hllc\+rk2 .* 1 +10000\.00 +1\.00 +216 +54\.0%$' || fail "no bytes or share"
echo "$table" | sed -n 5p | grep -qx '# left out: 1 case' || fail "what is left out is not named"
"$work/sluice" bench --gpu last | grep -Eq '^last .* 432 +25\.0%$' || fail "the last of many cases is not run"
"$work/sluice" bench --gpu pair | grep -Eq ' 2 +20000\.00 .* 52\.0%$' || fail "no case on two ranks"
code=0; "$work/sluice" bench --gpu good >/dev/null 2>&1 || code=$?
[ $code = 2 ] || fail "--gpu runs what other programs do"
"$work/sluice" bench --gpu one --json | python3 -c '
import json, sys
head, row, left = map(json.loads, sys.stdin)
assert head["line"].startswith("# 2001") and left["line"].startswith("# left out"), (head, left)
about = {k: row[k] for k in ("device", "driver", "cuda", "commit")}
assert about == {"device": "A_B", "driver": "580.1", "cuda": "13.0", "commit": "123456789012"}, about
assert row["share_of_copy"] == 0.54 and row["copy_bytes_per_update"] == 400' || fail "no JSON of a device"
"$work/sluice" bench half | grep -q '^#' && fail "remarks of a program that does not run"
gpu '[ "$1" = --cases ] && yes "1 gpu one" | head -n 9000'
code=0; "$work/sluice" bench --gpu >/dev/null 2>"$work/err" || code=$?
[ $code = 65 ] && grep -q 'wrote more than' "$work/err" || fail "cases that do not fit are left out without a word: $code"
rm "$work/tests/perf/gpu"

# an adaptive mesh: what the words say reaches the program of their backend and precision, and what it prints is shown
cat > "$work/tests/perf/amr" <<'SH'
#!/bin/bash
echo "$0 $*" >"$SAID"
echo "program=amr scheme=plm+hllc+rk2 precision=double backend=cpu cells=64,64,64 block=8,8,8 levels=3 time_levels=one ranks=1 leaves=1,2,3,4 leaf_cells=512,1024,1536,2048 steps=20 updates_per_s=6e6 regrid_share=0.125 mesh_share=0.05 ghost_share=0.07 match_share=0.03 bytes_per_cell=330 block_us=210.5,180,150 imbalance=1.25 uniform_updates_per_s=1.2e7 ratio=0.5"
SH
chmod +x "$work/tests/perf/amr"
cp "$work/tests/perf/amr" "$work/tests/perf/gpu_amr-f32"
export SAID=$work/said
table=$("$work/sluice" bench --amr mesh.cells=[64,64,64] mesh.block=[8] fluid.mhd=glm time.levels=one steps=20)
echo "$table"
for word in mesh.cells=[64,64,64] mesh.block=[8] mesh.levels=2 fluid.mhd=glm fluid.riemann=hlld time.levels=one steps=20 uniform=1; do
    grep -qF -- " $word" "$SAID" || fail "--amr does not hand on $word: $(cat "$SAID")"
done
[ "$(grep -oF 'mesh.cells=' "$SAID" | wc -l)" = 1 ] || fail "--amr gives mesh.cells twice"
echo "$table" | grep -q '^updates  *6e+06 per second' || fail "no rate of an adaptive mesh"
echo "$table" | grep -q 'ratio 0.5$' || fail "no ratio to the uniform mesh"
echo "$table" | grep -q '^time  *regrids 12.5 %, .* 5.0 %; ghost .* 7.0 %; fluxes .* 3.0 %$' || fail "no shares of the time"
echo "$table" | grep -q '^blocks  *210.5,180,150 us ' || fail "no time of a block of each level"
echo "$table" | grep -q '^ranks  *the slowest works 1.25 times ' || fail "no imbalance of the ranks"
"$work/sluice" bench --amr resources.backend=cuda resources.precision=single --json | python3 -c '
import json, sys
[row] = map(json.loads, sys.stdin)
assert row["v"] == 1 and row["updates_per_s"] == 6e6 and row["leaf_cells"] == "512,1024,1536,2048", row' || fail "no JSON of an adaptive mesh"
grep -q '/gpu_amr-f32 ' "$SAID" || fail "not the program of a device in single precision: $(cat "$SAID")"
code=0; "$work/sluice" bench --amr fast 2>/dev/null || code=$?
[ $code = 2 ] || fail "--amr takes a word that is no key=value"
rm "$work/tests/perf/amr" "$work/tests/perf/gpu_amr-f32"

# particles, likewise
cat > "$work/tests/perf/gpu_particles" <<'SH'
#!/bin/bash
echo "$0 $*" >"$SAID"
echo "program=particles kernel=cic boundary=periodic precision=double backend=cuda cells=128,128,128 block=32,32,32 particles=262144 clump=0.7 gas=yes ranks=1 steps=5 particle_steps_per_s=6e9 step_s=0.02 kick_s=0.004 drift_s=0.005 potential_s=0.007 bytes_per_particle=120"
SH
chmod +x "$work/tests/perf/gpu_particles"
table=$("$work/sluice" bench --particles --gpu particles=64 steps=5)
echo "$table"
for word in mesh.cells=[128,128,128] mesh.block=[32] particles=64 steps=5; do
    grep -qF -- " $word" "$SAID" || fail "--particles does not hand on $word: $(cat "$SAID")"
done
echo "$table" | grep -q '^steps  *6e+09 of a particle per second' || fail "no rate of particles"
echo "$table" | grep -q '^time  *0.02 s for a step: a kick with a drift 0.005 s, a kick 0.004 s, the potential 0.007 s$' || fail "no times of particles"
"$work/sluice" bench --particles --gpu --json | python3 -c '
import json, sys
[row] = map(json.loads, sys.stdin)
assert row["particle_steps_per_s"] == 6e9 and row["particles"] == 262144, row' || fail "no JSON of particles"
code=0; "$work/sluice" bench --particles --amr 2>/dev/null || code=$?
[ $code = 2 ] || fail "--particles and --amr at once"
rm "$work/tests/perf/gpu_particles"
# gravity, likewise: its cases one after the other, or one of them
cat > "$work/tests/perf/gravity" <<'SH'
#!/bin/bash
echo "$0 $*" >>"$SAID"
case=$(printf '%s\n' "$@" | grep '^case=') more=
case $case in case=levels) more=" solve_cycles=4 cycle_s=0.002 cycles=4.1" ;; esac
echo "program=gravity scheme=plm+hllc+rk2 precision=double backend=cpu cells=64,64,64 block=16,16,16 levels=2 ranks=1 $case leaf_cells=0,1024 steps=20 updates_per_s=2e6 without_updates_per_s=4e6 gravity_share=0.5 told_share=0.45 potential_s=0.006 kick_s=0.002 solve_s=0.008 solve_cells_per_s=3e7 transforms_s=0.004 ratio=1.5$more"
SH
chmod +x "$work/tests/perf/gravity"
cp "$work/tests/perf/gravity" "$work/tests/perf/gpu_gravity"
rm -f "$SAID" "$work/aside/pace.tsv"
table=$("$work/sluice" bench --gravity mesh.cells=[32,32,32] gravity.tolerance=1e-8 steps=20)
echo "$table"
[ "$(cut -d' ' -f2 "$SAID" | tr '\n' ' ')" = 'case=periodic case=isolated case=levels ' ] || fail "--gravity runs other cases: $(cat "$SAID")"
[ "$(grep -cF ' gravity.tolerance=1e-8 steps=20' "$SAID")" = 3 ] && [ "$(grep -oF 'mesh.cells=' "$SAID" | wc -l)" = 3 ] || fail "--gravity does not hand on words: $(cat "$SAID")"
[ "$(grep -c 'mesh.levels=2 mesh.refine=' "$SAID")" = 1 ] || fail "--gravity has other levels: $(cat "$SAID")"
echo "$table" | grep -q '^isolated  *64,64,64 cells in blocks of 16,16,16, ' || fail "no case of gravity"
echo "$table" | grep -q '^potential 6 ms from density to accelerations; with both kicks of a step 8 ms, 3e+07 cells per second$' || fail "no time of a potential"
echo "$table" | grep -q '^transform 4 ms .*: ratio 1.5$' || fail "no time of transforms"
[ "$(echo "$table" | grep -c '^cycles ')" = 1 ] && echo "$table" | grep -q '^cycles  *4 for that potential, 2 ms each; 4.1 for one of a step$' || fail "no cycles of levels alone"
echo "$table" | grep -q '^updates  *2e+06 per second, without gravity 4e+06: 50.0 % of the time, by what the run tells 45.0 %$' || fail "no share of gravity"
[ ! -e "$work/aside/pace.tsv" ] || fail "plans take a run with gravity for one of the usual scheme"
"$work/sluice" bench --gravity case=levels --gpu --json | python3 -c '
import json, sys
[row] = map(json.loads, sys.stdin)
assert row["v"] == 1 and row["case"] == "levels" and row["cycle_s"] == 2e-3 and row["gravity_share"] == 0.5, row' || fail "no JSON of gravity"
tail -n 1 "$SAID" | grep -q '/gpu_gravity .* case=levels$' || fail "not the program of a device: $(tail -n 1 "$SAID")"
for words in case=square '--amr'; do
    code=0; "$work/sluice" bench --gravity $words 2>/dev/null || code=$?
    [ $code = 2 ] || fail "--gravity takes $words"
done
rm "$work/tests/perf/gravity" "$work/tests/perf/gpu_gravity"
real=$top/build/tests/perf/gravity
if [ -x "$real" ]; then
    small=(mesh.cells=[16,16,16] mesh.block=[8] mesh.levels=1 'mesh.refine=[{"by":gradient,"of":pressure,"above":0.1}]' steps=2)
    times='steps=2 updates_per_s=[0-9.e+]+ without_updates_per_s=[0-9.e+]+ gravity_share=[0-9.e-]+ told_share=[0-9.e-]+ potential_s=[0-9.e-]+ kick_s=[0-9.e-]+ solve_s=[0-9.e-]+ '
    for case in periodic isolated levels; do
        "$real" "case=$case" "${small[@]}" >"$work/line" || fail "tests/perf/gravity: $case"
        grep -Eq " case=$case .*$times" "$work/line" || fail "tests/perf/gravity: $(cat "$work/line")"
    done
    grep -Eq ' levels=1 .* leaf_cells=[0-9]+,[1-9][0-9]* .* solve_cycles=[1-9][0-9.]* cycle_s=[0-9.e-]+ cycles=[1-9]' "$work/line" || fail "tests/perf/gravity: no cycles: $(cat "$work/line")"
    "$real" case=levels "${small[@]}" time.levels=each mesh.boundary=outflow >"$work/line" || fail "tests/perf/gravity with steps of each level"
    grep -q ' time_levels=each .* kick_s=0 ' "$work/line" || fail "tests/perf/gravity: $(cat "$work/line")"
else
    echo "SKIP: tests/perf/gravity is not built"
fi
real=$top/build/tests/perf/particles
if [ -x "$real" ]; then
    "$real" mesh.cells=[16,16,16] mesh.block=[8] particles=8 steps=2 >"$work/line" || fail "tests/perf/particles"
    grep -Eq ' particles=512 .* steps=2 particle_steps_per_s=[0-9.e+]+ ' "$work/line" || fail "tests/perf/particles: $(cat "$work/line")"
else
    echo "SKIP: tests/perf/particles is not built"
fi
real=$top/build/tests/perf/amr
if [ -x "$real" ]; then
    "$real" mesh.cells=[16,16] mesh.block=[8] mesh.levels=1 'mesh.refine=[{"by":gradient,"of":pressure,"above":0.1}]' steps=2 uniform=1 \
        seconds=0.1 >"$work/line" || fail "tests/perf/amr"
    grep -Eq ' leaves=[0-9]+,[0-9]+ .* steps=2 .* mesh_share=[0-9.e-]+ .* block_us=[0-9.]+,[0-9.]+ .*ratio=[0-9.]+$' "$work/line" || fail "tests/perf/amr: $(cat "$work/line")"
else
    echo "SKIP: tests/perf/amr is not built"
fi

mv "$work/tests" "$work/gone"
code=0; "$work/sluice" bench 2>"$work/err" || code=$?
[ $code = 69 ] && grep -q 'make bench' "$work/err" || fail "it does not say how to build the programs: $(cat "$work/err")"
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
