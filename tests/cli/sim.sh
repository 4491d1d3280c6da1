#!/bin/bash
# sim - sluice-sim as the campaign meets it: exit codes, files, wall-time limit, wrong input, full disk, two precisions.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1

recipe() { # directory
    mkdir -p "$1"
    cat >"$1/run.yaml" <<YAML
campaign: tube
problem: sod
mesh: {cells: [64, 64], box: [[0, 1], [0, 1]], block: [16, 16], boundary: [outflow, periodic]}
fluid: {gamma: 1.4}
time: {end: 0.1}
output: {snapshot: 0.05, history: 0.02}
YAML
}
expect() { # exit code, what stderr must say, command...
    local want=$1 say=$2 code
    shift 2
    "$@" >out 2>err
    code=$?
    [ $code = "$want" ] || fail "exit code $code, not $want: $*"
    [ -z "$say" ] || grep -q -- "$say" err || fail "stderr does not say '$say': $*"
}

recipe a
expect 0 '' sluice-sim a/run.yaml verify=true
tail -n 1 out | grep -Eq '^hash [0-9a-f]{16} [0-9]+ 0\.1' || fail "no hash: $(tail -n 1 out)"
hash=$(tail -n 1 out)
grep -q '^rms_l1' a/verify.tsv || fail "verify.tsv"
grep -q '"state":"done"' a/progress.json || fail "progress.json"
# written.tsv names what the run wrote, with its length, and nothing else
(cd a && stat -c '%s %n' history.tsv verify.tsv snapshots/*_plt_cnt_[0-9]*[0-9] snapshots/*.series) | sort >wrote
grep -v '^#' a/written.tsv | cut -f 1,3 --output-delimiter=' ' | sort | cmp - wrote || fail "written.tsv: $(cat a/written.tsv)"
/usr/bin/python3 -c "import json; p = json.load(open('a/progress.json')); assert p['v'] == 1 and p['time'] == p['end']" || fail json
/usr/bin/python3 - a <<'PY' || fail "tables that other programs do not read"
import csv, numpy as np, sys
for name, rows in (("history", 6), ("verify", None)):
    path = f"{sys.argv[1]}/{name}.tsv"
    lines = [l for l in open(path) if l[0] != "#"]  # as pandas.read_csv(sep="\t", comment="#") takes them
    table = list(csv.DictReader(lines, delimiter="\t"))
    assert all(None not in r and None not in r.values() for r in table), table[0]
    direct = np.genfromtxt(path, delimiter="\t", names=True, dtype=None, encoding=None)
    assert len(direct) == len(table), (len(direct), len(table))
    if rows:
        assert len(table) == rows and float(table[0]["time[code]"]) == 0 and direct["step1"][0] == 0, table[0]
    else:
        assert table[0]["variable"] == "density" and float(table[0]["L1"]) == direct["L1"][0] > 0, table[0]
PY
[ "$(grep -vc '^#' a/history.tsv)" = 7 ] || fail "history has not 6 lines"
awk -F'\t' 'NR > 1 && !/^#/ && NF != 19 { exit 1 }' a/history.tsv || fail "history columns"
[ "$(find a/snapshots -name 'tube_hdf5_plt_cnt_000[0-2]' | wc -l)" = 3 ] || fail "snapshots: $(ls a/snapshots)"
[ -e a/snapshots/tube_hdf5_plt_cnt_0002.vtkhdf ] || fail "no .vtkhdf name"
series() { # RUN: the list of its snapshots tells the time of each
    cmp "$1/snapshots/tube.vtkhdf.series" "$1/snapshots/tube.hdf.series" || fail "two lists"
    /usr/bin/python3 - "$1/snapshots" <<'PY' || fail "list of snapshots of $1"
import glob, json, os, sys
import h5py
with open(sys.argv[1] + "/tube.hdf.series") as f:
    files = json.load(f)["files"]
there = sorted(map(os.path.basename, glob.glob(sys.argv[1] + "/*_????")))
assert [x["name"] for x in files] == there, (files, there)
for x in files:
    with h5py.File(os.path.join(sys.argv[1], x["name"])) as f:
        assert f["sluice"].attrs["time"] == x["time"], x
PY
}
series a
find a -name '*tmp*' | grep . && fail "leftovers"

# the same bits on 3 ranks, in other blocks
recipe b
expect 0 '' mpirun -n 3 sluice-sim b/run.yaml
[ "$(tail -n 1 out)" = "$hash" ] || fail "3 ranks: $(tail -n 1 out), 1: $hash"
grep -v '^#' a/history.tsv | cmp - <(grep -v '^#' b/history.tsv) || fail "history on 3 ranks"
recipe c
expect 0 '' mpirun -n 2 sluice-sim c/run.yaml 'mesh.block=[32, 64]'
[ "$(tail -n 1 out)" = "$hash" ] || fail "other blocks: $(tail -n 1 out), $hash"

# stops before the wall-time limit, as often as needed, and goes on
recipe d
expect 75 'wall-time limit' sluice-sim d/run.yaml resources.walltime=1
grep -q '"state":"checkpointed"' d/progress.json || fail "progress.json of a stopped run"
rm d/snapshots/*.vtkhdf || fail "no .vtkhdf name before the limit"
expect 0 'goes on from checkpoint' sluice-sim d/run.yaml
[ "$(tail -n 1 out)" = "$hash" ] || fail "after the limit: $(tail -n 1 out), $hash"
for s in d/snapshots/tube_hdf5_plt_cnt_000[0-2]; do
    [ "$s.vtkhdf" -ef "$s" ] || fail "$s.vtkhdf was not made again"
done

# the interval between checkpoints that the run finds itself, within a quarter of the limit; or within the formula's
recipe auto
expect 75 'checkpoints every 1 s: a write takes .* a failure is expected every 6e+03 h' sluice-sim auto/run.yaml \
    'mesh.cells=[256, 256]' time.end=9 resources.walltime=4
grep -q '"checkpoint_every_s":1,"checkpoint_write_s":[0-9.e-]*[1-9]' auto/progress.json || fail "progress.json does not tell the interval"
# at most as long as failures are apart, however long a write takes
expect 75 'a failure is expected every 0.00025 h' sluice-sim auto/run.yaml 'mesh.cells=[256, 256]' time.end=9 resources.walltime=5 \
    run.mtbf=0.9
grep -Eq '"checkpoint_every_s":0\.' auto/progress.json || fail "failures every 0.9 s do not shorten the interval: $(cat auto/progress.json)"

# a checkpoint of other physics is refused by the key; what is written, and until when, may change
recipe m
expect 0 '' sluice-sim m/run.yaml time.max_steps=20 output.checkpoint=1e-6s
expect 78 "written with 'fluid.riemann: hllc', this run has 'fluid.riemann: roe'" sluice-sim m/run.yaml fluid.riemann=roe
expect 78 "'output.history: 0.02" sluice-sim m/run.yaml output.history=0.01
expect 78 "'sod.x0: 0.5'" sluice-sim m/run.yaml sod.x0=0.4
expect 0 'goes on from checkpoint' sluice-sim m/run.yaml time.end=0.05 fluid.cfl=0.2 output.keep=3
# an end that the newest checkpoint lies beyond: what is there stays
before=$(find m -type f -exec md5sum {} + | sort)
expect 78 'is of time 0\.0[0-9]*, beyond time.end, 0.001' mpirun -n 2 sluice-sim m/run.yaml time.end=0.001
expect 78 'is of step [0-9]*, beyond time.max_steps, 3' sluice-sim m/run.yaml time.max_steps=3
[ "$(find m -type f -exec md5sum {} + | sort)" = "$before" ] || fail "a run beyond its end changed its files"

# a run that ended between two outputs and goes on has the outputs of one that was that long from the start
recipe h
expect 0 '' sluice-sim h/run.yaml time.end=0.02 output.snapshot=0.008 output.history=0.003 output.checkpoint=1e-6s
expect 0 'goes on from checkpoint' sluice-sim h/run.yaml time.end=0.05 output.snapshot=0.008 output.history=0.003
recipe i
expect 0 '' sluice-sim i/run.yaml time.end=0.05 output.snapshot=0.008 output.history=0.003
times() { # directory
    cut -f1 "$1/history.tsv" | grep '^[0-9]'
    /usr/bin/python3 -c 'import h5py, sys; [print(h5py.File(f)["sluice"].attrs["time"]) for f in sys.argv[1:]]' "$1"/snapshots/*_????
}
[ "$(times h)" = "$(times i)" ] || fail "outputs: $(times h | tr '\n' ' ') not $(times i | tr '\n' ' ')"

# a damaged newest checkpoint: the one before is used, the end is the same
recipe e
expect 75 '' sluice-sim e/run.yaml resources.walltime=1
expect 75 '' sluice-sim e/run.yaml resources.walltime=1
[ "$(find e/checkpoints -name MANIFEST | wc -l)" = 2 ] || fail "checkpoints: $(ls e/checkpoints)"
printf X | dd of=e/checkpoints/ckpt.000001/data.00000 bs=1 seek=777 conv=notrunc 2>/dev/null
expect 0 'checkpoint 1 is damaged' sluice-sim e/run.yaml
[ "$(tail -n 1 out)" = "$hash" ] || fail "after damage: $(tail -n 1 out), $hash"
[ -d e/checkpoints/ckpt.000001.bad ] || fail "the damaged one is gone"

# single precision is another program
recipe f
expect 0 '' sluice-sim-f32 f/run.yaml resources.precision=single
expect 0 'computes in' sluice-sim-f32 f/run.yaml
expect 75 '' sluice-sim d/run.yaml resources.walltime=1 time.end=0.2
expect 78 'numbers of 8 bytes' sluice-sim-f32 d/run.yaml time.end=0.2 resources.precision=single

# numbers that leave the range of the arithmetic: a last snapshot, and no success
recipe k
expect 70 'step 0 at t = 0: the fluxes of [0-9]* cells leave the range of 32-bit numbers' mpirun -n 2 sluice-sim-f32 k/run.yaml resources.precision=single problem=riemann \
    'riemann.left=[1e9,1e10,0,0,1e25]' 'riemann.right=[1e9,3e9,0,0,1e25]' time.end=1e-10 output.history=0
grep -q '"state":"diverged"' k/progress.json || fail "progress.json of a run that diverged"
/usr/bin/python3 -c "import json; json.load(open('k/progress.json'))" || fail "progress.json is not JSON"
[ -e k/snapshots/tube_hdf5_plt_cnt_0001 ] || fail "no last snapshot"
series k

# wrong input
expect 2 'usage' sluice-sim
expect 69 'error: nobody gives orders at sluice-none' sluice-sim --orders sluice-none
expect 65 'nowhere' sluice-sim nowhere/run.yaml
expect 65 'fluid.gamm' sluice-sim a/run.yaml fluid.gamm=2
grep -q 'another build' err && fail "a word of the command line is taken for one of another build: $(cat err)"
sed '$a tomorrow.height: 1' a/run.yaml >a/other.yaml # as a sluice that knows a key more writes it
expect 65 "a/other.yaml: if nobody edited this file, it is from a sluice of another build" sluice-sim a/other.yaml
grep -q "unknown key 'tomorrow.height'" err || fail "the key is not named: $(cat err)"
expect 65 'no known answer to compare' sluice-sim a/run.yaml problem=divergence_peak fluid.mhd=glm mesh.boundary=periodic verify=true
periodic=(mesh.boundary=periodic fluid.gamma=5/3 verify=true)
without() { # KEYS PROBLEM CONFIG...
    local keys=$1 problem=$2
    shift 2
    expect 65 "solution of problem $problem holds only without $keys; nearest: false" sluice-sim a/run.yaml problem="$problem" "${periodic[@]}" "$@"
}
without 'gravity.four_pi_g or time.unit: redshift' wave gravity.four_pi_g=1
without 'gravity.four_pi_g or time.unit: redshift' wave time.unit=redshift
without gravity.acceleration wave 'gravity.acceleration=[1,0,0]'
without 'driving.*' wave driving.acceleration=1
without 'potential.*' wave potential.kind=harmonic potential.strength=1
without 'diffusion.*' wave diffusion.viscosity=1
without 'cooling.*' wave cooling.heating=1
without gravity.acceleration jeans gravity.four_pi_g=1 'gravity.acceleration=[1,0,0]'
expect 65 'solution of problem decay holds only with diffusion' sluice-sim a/run.yaml problem=decay "${periodic[@]}"
recipe g
expect 73 'checkpoints' sh -c 'touch g/checkpoints; exec sluice-sim g/run.yaml resources.walltime=1'
expect 73 'snapshots' sh -c 'rm -r g/checkpoints g/snapshots; touch g/snapshots; exec sluice-sim g/run.yaml'

# one rank hangs: the others end the job and say where
recipe j
mpirun -n 2 sluice-sim j/run.yaml time.end=1000 resources.hang=4 >out 2>err &
job=$!
for _ in $(seq 1200); do [ -e j/progress.json ] && break; sleep 0.1; done
kill -STOP "$(pgrep -P $job | tail -n 1)"
for _ in $(seq 1200); do kill -0 $job 2>/dev/null || break; sleep 0.1; done
if kill -0 $job 2>/dev/null; then kill -KILL "$job"; fail "a hung rank hangs the job"; fi
wait $job && fail "a hung rank, but exit code 0"
grep -q 'hung: "[a-z ]*" has taken' err || fail "stderr does not name the phase that hung"

# a disk that is full for snapshots, history or checkpoints: an error that names the file, no hang
if small 700k; then
    recipe small/h
    expect 73 'snapshot' timeout 300 mpirun -n 2 sluice-sim small/h/run.yaml output.snapshot=0.001 output.precision=double
    find small/h -name '*tmp*' | grep . && fail "leftovers on a full disk"
    head -c 2M /dev/zero >small/fill 2>/dev/null
    expect 73 'No space left\|no room' timeout 300 mpirun -n 2 sluice-sim small/h/run.yaml
    umount small
fi
echo "sluice-sim: ok"
