#!/bin/bash
# levels - a run with levels as a user meets it: it goes on from a checkpoint on other ranks with the same bits and the same
# history; where all of it is refined, its measures, samples and statistics are those of the finer grid; in single precision
# its totals are kept.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/blast.sh"
cd "$work" || exit 1

recipe() { # directory, mesh, more
    mkdir -p "$1"
    cat >"$1/run.yaml" <<YAML
campaign: tube
problem: sod
mesh: {box: [[0, 1], [0, 0.5]], block: [8], $2}
fluid: {scalars: 1}
time: {end: 0.05}
verify: true
output: {snapshot: 0.05, history: 0.01, precision: double, sample: [line, plane, radius]}
statistics: {joint: [speed], structure: [velocity, density]${3:-}}
YAML
}
run() { # ranks, directory, override...
    local n=$1 dir=$2
    shift 2
    mpirun -n "$n" sluice-sim "$dir/run.yaml" "$@" >out 2>err || fail "sluice-sim $dir"
}

# ---- a stop, and other ranks
rules='refine: [{by: gradient, of: density, above: 0.05}], regrid: 3'
recipe a "cells: [32, 16], levels: 2, $rules"
recipe b "cells: [32, 16], levels: 2, $rules"
run 1 a
want=$(tail -n 1 out)
mpirun -n 2 sluice-sim b/run.yaml time.max_steps=7 output.checkpoint=1e-9 >out 2>err || fail "a run of 7 steps"
[ "$(tail -n 1 out)" = "$want" ] && fail "a run of 7 steps ends as one of all"
rm b/progress.json b/verify.tsv b/sample_*
run 3 b
grep -q 'goes on from checkpoint' err || fail "it does not go on"
[ "$(tail -n 1 out)" = "$want" ] || fail "after a stop: $(tail -n 1 out), without: $want"
grep -v '^#' a/history.tsv | cut -f 2,4-12,20-22 | sort -u >want
grep -v '^#' b/history.tsv | cut -f 2,4-12,20-22 | sort -u | grep -Fxvf want | grep -v '^7	' >more
[ -s more ] && fail "the history differs after a stop: $(cat more)"
cmp a/verify.tsv b/verify.tsv || fail "the comparison differs after a stop"
head -n 1 a/history.tsv | grep -q 'cells_level_2' || fail "the history does not tell the cells of levels"
grep -q '"state":"done"' b/progress.json || fail "progress.json"

# ---- a disk that is full, for checkpoints or snapshots of levels: 73 and what has no room, nothing half written; with room again the same bits
if small 4m; then
    recipe small/f "cells: [32, 16], levels: 2, $rules"
    for pages in 0 100 180 300; do
        fill $pages
        sluice-sim small/f/run.yaml output.checkpoint=1e-9 output.snapshot=0.01 >out 2>err
        [ $? = 73 ] || fail "a full disk with $pages pages"
        grep -q 'error: \(no room in snapshots: [0-9]* bytes needed\|cannot write .*: No space left\)' err || fail "what has no room with $pages pages"
        find small -name '*tmp*' | grep . && fail "left behind with $pages pages"
        rm small/fill
    done
    run 2 small/f output.snapshot=0.01
    grep -q 'goes on from checkpoint [1-9]' err || fail "no checkpoint before the disk was full"
    [ "$(tail -n 1 out)" = "$want" ] || fail "after a full disk: $(tail -n 1 out), without: $want"
    cmp a/verify.tsv small/f/verify.tsv || fail "the comparison differs after a full disk"
    umount small
fi

# ---- what `sluice check` and `sluice plan` say of the start: the leaves that the run begins with
start() { # name, cells, override...: what check says, in out
    local name=$1 cells=$2
    shift 2
    cat >"$name.yaml" <<YAML
campaign: $name
problem: sod
mesh: {box: [[0, 1], [0, 0.5]], block: [8], cells: $cells, levels: 2}
mesh.refine:
  - {by: gradient, of: density, above: 0.05}
  - {by: value, of: density, above: 2}
time: {end: 0.05}
YAML
    sluice check "$name.yaml" "$@" >out 2>err || fail "sluice check $name"
}
start begin '[32, 16]'
grep -q 'note: begin.yaml:6:5: rule 2 of mesh.refine refines nothing at the start: no cell is above its `above`$' out ||
    fail "a rule that no cell meets: $(cat out)"
sluice check begin.yaml --json >begin.json || fail "JSON of a start"
mkdir begin && cp begin.yaml begin/run.yaml
mpirun -n 2 sluice-sim begin/run.yaml time.max_steps=1 >out 2>err || fail "a run of one step"
start big '[2048, 1024]'
grep -q 'from starts of member 0000 on coarser root grids, of 1024 x 512 x 1 cells' out || fail "a large start: $(cat out)"
sluice check big.yaml --json >big.json || fail "JSON of a large start"
sluice plan begin.yaml --json --offline >plan.json 2>err || fail "a plan"
sluice plan begin.yaml --offline >plan.txt
grep -q 'as at the start of member 0000' plan.txt || fail "the plan does not say what it is from"
grep -q 'nine cases of ten' plan.txt && fail "a chance where nobody knows what the levels will fill: $(grep ^time plan.txt)"
sluice run begin.yaml --dir ran >out 2>&1 || fail "a campaign: $(cat out)"
sluice plan ran --json --offline >ran.json 2>err || fail "a plan of a campaign"
/usr/bin/python3 - <<'PY' || fail "starts and plans"
import csv, json

def history(path):
    rows = list(csv.reader((x for x in open(path) if x[0] != "#"), delimiter="\t"))
    return [[float(c) for c in row[-3:]] for row in rows[1:]]

begin, big, plan, ran = (json.load(open(f"{x}.json")) for x in ("begin", "big", "plan", "ran"))
want = history("begin/history.tsv")[0]
got = begin["start"]
assert [x["cells"] for x in got["levels"]] == want and got["from"] == "start", (got, want)
assert abs(sum(x["share"] for x in got["levels"]) - 1) < 1e-12
assert plan["largest_member"]["levels"]["cells"] == want and plan["largest_member"]["cells"] == sum(want)
# a jump across x: a few rows of blocks along it on either side
start = big["start"]
assert start["from"] == "coarse_start" and start["memory_bytes"] > got["memory_bytes"]
along = 1024 / 8 # blocks of the root grid
for l in (1, 2):
    blocks = start["levels"][l]["blocks"] / (along * 2 ** l)
    assert 1 <= blocks <= 8, (l, start)
# after the run: means over its history
rows = history("ran/members/0000/history.tsv")
mean = [sum(r[l] for r in rows) / len(rows) for l in range(3)]
levels = ran["largest_member"]["levels"]
assert levels["from"] == "measured" and all(abs(a - b) <= 1e-6 * b for a, b in zip(levels["cells"], mean)), (levels, mean)
PY
# a like run on a finer root grid may state them: its plan, and what a node of a cluster must have, hold for the levels
sluice plan ran --offline | grep -q 'measured in 1 member$' || fail "a plan of a run that is done: $(sluice plan ran --offline)"
filling=$(sluice plan ran --offline | grep -o 'resources.filling: .*\]' | tr -d ' ' | tr : =)
sluice plan big.yaml --offline "$filling" --json >stated.json 2>err || fail "a plan with $filling"
sluice plan big.yaml --offline "$filling" >out || fail "a plan with $filling"
grep -q 'as resources.filling states; no member has run yet$' out || fail "what the plan is from: $(cat out)"
sluice check big.yaml 'resources.filling=[0.1,0.2]' >out 2>err
[ $? = 65 ] && grep -q 'resources.filling: 0.2 of the box after 0.1: finer cells lie within coarser ones, so numbers cannot grow; nearest: 0.1' err || fail "finer cells outside of coarser ones: $(cat err)"
rm ran/members/0000/attempts/sim.end.json # as if it still ran
sluice plan ran --offline | grep -q 'measured in 1 member on the way; what comes later is not known: ' || fail "a plan of a run on the way: $(sluice plan ran --offline)"
/usr/bin/python3 - <<'PY' || fail "a plan with stated levels"
import json

ran, stated = (json.load(open(f"{x}.json"))["largest_member"] for x in ("ran", "stated"))
filling = ran["levels"]["filling"]
assert stated["levels"]["from"] == "stated" and 1 >= filling[0] > filling[1] > 0, filling
root = 2048 * 1024
want = [root * (1 - filling[0]), 4 * root * (filling[0] - filling[1]), 16 * root * filling[1]]
assert all(abs(a - b) < 0.05 * b + 1 for a, b in zip(stated["levels"]["cells"], want)), (stated, want)
PY
printf 'node_memory: 1000\nmemory: mem\n' >site.yaml
chmod 600 site.yaml
for filling in '[0.9,0.9]' '[]'; do
    SLUICE_SITE=$PWD/site.yaml sluice check begin.yaml "resources.filling=$filling" mesh.cells=[512,256] >out 2>err || fail "check with a site file"
    grep -c '^note: sluice submit would refuse this recipe: a rank of stage sim requests .* MiB, but a node has 1000 MiB' out
done >refused
[ "$(tr '\n' ' ' <refused)" = '1 0 ' ] || fail "levels beyond the memory of a node: $(cat refused out)"
start none '[32, 16]' 'mesh.refine=[{"by":value,"of":density,"above":2,"level":1}]'
grep -q 'note: mesh.refine refines nothing at the start' out || fail "a start without levels: $(cat out)"
grep -q 'note: mesh.levels is 2, but no rule of mesh.refine refines beyond level 1' out || fail "levels of no use: $(cat out)"

# ---- a mesh that outgrows the memory: a stop with a checkpoint, from which the run goes on with more as if nothing had been
blast free
blast tight
run 1 free
want=$(tail -n 1 out)
for limit in 41 41.2; do # each is reached at a later regrid
    sluice-sim tight/run.yaml resources.memory="$limit MB" >out 2>err
    [ $? = 71 ] || fail "more memory is taken than resources.memory"
    grep -Eq 'stopped at step [0-9]+ with a checkpoint: .* MB \(resources.memory\)' err || fail "it does not say why it stopped"
    grep -q 'rule 2 of mesh.refine, \[{by: gradient' err || fail "it does not name the rule"
done
grep -q 'stopped at step 12 ' err && fail "no step was made with more memory"
run 2 tight
[ "$(tail -n 1 out)" = "$want" ] || fail "with memory again: $(tail -n 1 out), always: $want"
for d in free tight; do grep -v '^#' $d/history.tsv | cut -f 2,4-12,20-22 >$d/lines; done
cmp free/lines tight/lines || fail "the history differs after stops for want of memory"
blast none
sluice-sim none/run.yaml resources.memory='40.5 MB' >out 2>err
[ $? = 71 ] || fail "a start takes more memory than resources.memory"
grep -q 'rule 2 of mesh.refine' err || fail "it does not name the rule of the start"

# ---- what statistics tell of the levels
(cd a && sluice-stats run.yaml >../out 2>../err) || fail "sluice-stats a"
/usr/bin/python3 - <<'PY' || fail "tables of levels"
import csv

def table(path):
    rows = list(csv.reader(x for x in open(path) if x[0] != "#"))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]

names, levels = table("a/stats/levels.csv")
assert names == ["time_unit", "level_0", "level_1", "level_2"], names
history = list(csv.reader((x for x in open("a/history.tsv") if x[0] != "#"), delimiter="\t"))
assert [x[1:] for x in levels] == [[float(c) for c in row[-3:]] for row in history[1:]]
for snapshot, row in ((0, levels[0]), (1, levels[-1])):
    names, blocks = table(f"a/stats/blocks_z_{snapshot:04d}.csv")
    assert sum((x1 - x0) * (y1 - y0) for x0, x1, y0, y1, _ in blocks) == 128 * 64
    assert [64 * sum(b[4] == l for b in blocks) for l in range(3)] == row[1:], (snapshot, row)
PY

# ---- the grid that covers all leaves has their mass: its mean is that of the history, its moments by mass are those of the leaves
for level in 0 2; do
    mkdir -p cover$level && cp -r a/run.yaml a/history.tsv a/snapshots cover$level/
    (cd cover$level && mpirun -n 2 sluice-stats run.yaml statistics.level=$level statistics.clumps=0.5 >../out 2>../err) ||
        fail "sluice-stats on the grid of level $level"
done
/usr/bin/python3 - <<'PY' || fail "masses on covering grids"
import csv, glob, math
import h5py
import numpy as np

names, *rows = csv.reader((x for x in open("a/history.tsv") if x[0] != "#"), delimiter="\t")
column = [n.split("[")[0] for n in names].index("mass")
mass = {0: float(rows[0][column]), 1: float(rows[-1][column])}
for number, path in enumerate(sorted(glob.glob("a/snapshots/*_plt_cnt_*[0-9]"))):
    with h5py.File(path) as f:
        leaf = f["node type"][()] == 1 # as FLASH has them, the others are covered
        rho, level = f["dens"][()][leaf], f["sluice/level"][()][leaf]
    cell = (1 / 32 * 0.5 / 16) / 4.0 ** level[:, None, None, None]
    assert level.max() == 2 and len(set(level)) > 1 and abs((cell * np.ones_like(rho)).sum() - 0.5) < 1e-12
    assert abs((cell * rho).sum() / mass[number] - 1) < 1e-12, (number, (cell * rho).sum(), mass[number])
    s = np.log(rho / (mass[number] / 0.5))
    for grid in (0, 2):
        note = {}
        for line in open(f"cover{grid}/stats/pdf_density_{number:04d}.csv"):
            key, _, value = line.lstrip("# ").partition(": ")
            if line[0] == "#" and _:
                note[key] = value
        assert abs(float(note["mean_density"]) * 0.5 / mass[number] - 1) < 1e-12, (number, grid, note)
        # by mass: on the grid of the finest level every leaf counts as it is
        got, want = float(note["s_mean_mass"]), (cell * rho * s).sum() / mass[number]
        assert grid == 0 or abs(got - want) < 1e-11, (number, got, want)
# cells of more than half the mean density are in clumps, whatever level they are of
dense = rho > 0.5 * mass[1] / 0.5
share = (cell * rho * dense).sum() / mass[1]
for row in csv.reader(open("cover2/stats/summary.csv")):
    if row[0] == "clump_mass_share":
        assert 0.5 < share < 1 and abs(float(row[1]) - share) < 1e-11, (row, share)
        break
else:
    raise AssertionError("no clumps")
PY

# ---- maps are on the finest level up to 512 cells along a side, whatever grid statistics are on, in three dimensions, too
mkdir cube0
cat >cube0/run.yaml <<'YAML'
campaign: cube
problem: sedov
sedov: {energy: 0.85, radius: 0.3}
mesh: {cells: [16, 16, 16], block: 8, box: [[0, 1.2], [0, 1.2], [0, 1.2]], boundary: [reflecting, outflow, reflecting, outflow, periodic, periodic],
       levels: 1, refine: [{by: gradient, of: pressure, above: 0.3}]}
time: {end: 0.02}
statistics: {maps: [density, vorticity], map_axes: [x, y, z]}
YAML
run 1 cube0
cp -r cube0 cube1
for level in 0 1; do
    (cd cube$level && mpirun -n 2 sluice-stats run.yaml statistics.level=$level >../out 2>../err) || fail "sluice-stats of a cube: $(cat err)"
done
for map in cover{0,2}/stats/slice_density_z cube{0,1}/stats/{slice,projection}_{density,vorticity}_{x,y,z}; do
    case $map in cover0*) other=cover2 level=2 ;; cube0*) other=cube1 level=1 ;; *) continue ;; esac
    grep -qx "# level: $level" "${map}_0001.csv" || fail "${map}_0001.csv does not tell its level: $(grep '^#' "${map}_0001.csv")"
    diff <(grep -v '^#' "${map}_0001.csv") <(grep -v '^#' "$other/${map#*/}_0001.csv") >/dev/null || fail "$map is not on the finest level"
done

# ---- an ensemble of driven turbulence, refined where it shears, to its report
sluice run "$SLUICE_TOP/recipes/driven-turbulence-adaptive.yaml" mesh.cells=[32,32] time.end=0.3 --dir stirred >out 2>&1 || fail "an ensemble of driven turbulence: $(tail -n 5 out)"
grep -q 'cells_level_1' stirred/members/0002/history.tsv && [ -s stirred/report/figures/levels_2.csv ] || fail "no levels in the report of driven turbulence"
grep -q 'grid of level 1, the finest of this run' stirred/report/index.html && grep -q 'Statistics are measured on the root grid' stirred/report/index.html ||
    fail "the report does not say of what level its maps and statistics are"
awk -F '\t' '/^[0-9]/ { most = $NF > most ? $NF : most } END { exit !(most > 0 && most < 4096) }' stirred/members/0002/history.tsv ||
    fail "where driven turbulence is refined: $(tail -n 1 stirred/members/0002/history.tsv)"

# ---- totals in single precision, while levels move
mkdir single
cat >single/run.yaml <<'YAML'
campaign: single
problem: orszag_tang
mesh: {cells: [32, 32], box: [[0.013, 1.013], [0.007, 1.007]], block: [8], levels: 2, regrid: 4, refine: [{by: gradient, of: pressure, above: 0.1}]}
fluid: {mhd: ct, riemann: hlld}
time: {end: 0.1}
resources: {precision: single}
output: {history: 0.01}
YAML
sluice-sim-f32 single/run.yaml >out 2>err || fail "a run in single precision"
/usr/bin/python3 - <<'PY' || fail "totals in single precision"
import csv, math

names, *rows = csv.reader((x for x in open("single/history.tsv") if x[0] != "#"), delimiter="\t")
names = [n.split("[")[0] for n in names]
rows = [dict(zip(names, map(float, row))) for row in rows]
first = rows[0]
assert len({r["cells_level_2"] for r in rows}) > 3, "the levels did not move"
scale = dict.fromkeys(("momentum_x", "momentum_y", "momentum_z"), math.sqrt(2 * first["mass"] * first["energy_kinetic"]))
scale |= {name: first[name] for name in ("mass", "energy_total")}
off = {name: max(abs(r[name] - first[name]) for r in rows) / scale[name] for name in scale}
assert all(x < 1e-6 for x in off.values()), off
PY

# ---- a checkpoint of another format
recipe old 'cells: [32, 16]'
mkdir -p old/checkpoints/ckpt.000003
/usr/bin/python3 - old/checkpoints/ckpt.000003/MANIFEST <<'PY'
import sys
text = b"sluice checkpoint 1\nrecipe x\n"
crc = 0xffffffff
for byte in text:
    crc ^= byte
    for _ in range(8):
        crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
open(sys.argv[1], "wb").write(text + b"crc32c %08x\n" % (crc ^ 0xffffffff))
PY
sluice-sim old/run.yaml >out 2>err && fail "a checkpoint of another format is taken"
grep -q 'another version of sluice' err || fail "it does not say so"
[ -d old/checkpoints/ckpt.000003 ] || fail "it was taken for damaged"

# ---- refined everywhere: the finer grid
recipe fine 'cells: [64, 32], boundary: periodic'
recipe all 'cells: [32, 16], levels: 1, refine: [{by: box, lo: [0, 0], hi: [1, 1]}], boundary: periodic' ', level: 1'
for d in fine all; do
    sed -i 's/^verify: true/verify: false/' $d/run.yaml # the exact tube is in no periodic box, which spectra need
    run 2 $d
    (cd $d && mpirun -n 2 sluice-stats run.yaml >../out 2>../err) || fail "sluice-stats $d"
done
/usr/bin/python3 - <<'PY' || fail "other numbers than on the finer grid"
import csv, glob, math, sys

def numbers(path):
    for line in csv.reader((x.replace("\t", ",") for x in open(path) if x[0] != "#")):
        for word in line[:19] if "history" in path else line:
            try:
                yield float(word)
            except ValueError:
                yield word

bad = 0
paths = ["history.tsv"] + [p[5:] for p in glob.glob("fine/sample_*") + glob.glob("fine/stats/*.csv")]
for path in paths:
    a, b = list(numbers("fine/" + path)), list(numbers("all/" + path))
    off = [(x, y) for x, y in zip(a, b) if x != y and not (isinstance(x, float) and isinstance(y, float) and
           (math.isnan(x) and math.isnan(y) or abs(x - y) <= 1e-9 * max(abs(x), abs(y)) + 2e-8))]
    if len(a) != len(b) or off:
        print(path, len(a), len(b), off[:3])
        bad += 1
print(len(paths), "tables")
sys.exit(bad > 0 or len(paths) < 19)
PY
sluice-stats all/run.yaml statistics.level=2 >out 2>err && fail "a level that the run has not"
grep -q 'statistics.level' err || fail "it does not say which key"
exit 0
