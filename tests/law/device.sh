#!/bin/bash
# device - runs and a campaign with resources.backend cuda, on a processor that emulates a device (tests/emulate): the processor's
# files, on 1 and 2 ranks; a checkpoint of one backend that the other goes on from, also with levels that move; what was found is
# said; the campaign for devices from its recipe to the report.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/blast.sh"
top=$SLUICE_TOP
cd "$work" || exit 1
mkdir cpu device
cp "$top"/build/sluice* device/
cp "$top/build/emulate/sluice-sim" device/ || fail "it is not built"

mesh='cells: [64, 64], block: [16, 16]'
run() { # directory, code, program, keys...
    local dir=$1 want=$2 program=$3
    shift 3
    mkdir -p "$dir"
    cat >"$dir/run.yaml" <<YAML
campaign: eddies
problem: orszag_tang
mesh: {$mesh}
fluid: {mhd: ct, riemann: hlld}
time: {end: 0.1}
output: {snapshot: 0.05, history: 0.02}
YAML
    $program "$dir/run.yaml" "$@" >out 2>err
    local code=$?
    [ $code = "$want" ] || fail "exit code $code, not $want: $program $*"
}
# what was computed and written: all but heads, which name times and programs
outputs() {
    grep -hv '^#' "$1/history.tsv"
    /usr/bin/python3 - "$1"/snapshots/*plt_cnt_???? <<'P'
import h5py, hashlib, sys
for name in sys.argv[1:]:
    with h5py.File(name) as f:
        def each(path, x):
            if isinstance(x, h5py.Dataset) and x.dtype.kind == "f":
                print(path, hashlib.md5(x[...].tobytes()).hexdigest())
        f.visititems(each)
P
}

run a 0 sluice-sim resources.backend=cpu
hash=$(tail -n 1 out)
[[ $hash = hash* ]] || fail "no hash: $hash"
outputs a >a.outputs
grep -q 'dens' a.outputs || fail "snapshots hold no density: $(head -n 3 a.outputs)"
run b 0 device/sluice-sim resources.backend=auto
[ "$(tail -n 1 out)" = "$hash" ] || fail "a device: $(tail -n 1 out), the processor: $hash"
grep -q 'computes on cuda: 1 rank on 1 device' err || fail "auto does not say that it took the device"
outputs b | cmp - a.outputs || fail "other files by a device"
grep -q '"backend":"cuda"' b/progress.json || fail "progress.json does not name the backend"
run c 0 'mpirun -n 2 device/sluice-sim' resources.backend=cuda
[ "$(tail -n 1 out)" = "$hash" ] || fail "two ranks on a device: $(tail -n 1 out), the processor: $hash"
grep -q 'through the host' err || fail "messages of ranks that share a device"
outputs c | cmp - a.outputs || fail "other files by two ranks on a device"

# stops at once on one, as a limit of a second leaves no time, and goes on with the other
run d 75 device/sluice-sim resources.walltime=1
run d 0 sluice-sim resources.backend=cpu
grep -q 'goes on from checkpoint' err || fail "no checkpoint of the device"
[ "$(tail -n 1 out)" = "$hash" ] || fail "begun on a device: $(tail -n 1 out), $hash"
run e 75 sluice-sim resources.walltime=1
run e 0 device/sluice-sim resources.backend=cuda
grep -q 'goes on from checkpoint' err || fail "no checkpoint of the processor"
[ "$(tail -n 1 out)" = "$hash" ] || fail "begun on the processor: $(tail -n 1 out), $hash"

# likewise where the history measures sources before the first step
keys='potential.kind=point potential.strength=1 potential.softening=0.1 cooling.rate=0.1 time.max_steps=4 output.history=0'
# shellcheck disable=SC2086
{
    run i 0 sluice-sim resources.backend=cpu $keys
    hash=$(tail -n 1 out)
    outputs i >i.outputs
    run j 75 device/sluice-sim resources.walltime=1 $keys
    run j 0 device/sluice-sim resources.backend=cuda $keys
    grep -q 'goes on from checkpoint' err || fail "no checkpoint with sources"
    [ "$(tail -n 1 out)" = "$hash" ] || fail "sources on a device that goes on: $(tail -n 1 out), $hash"
    outputs j | cmp - i.outputs || fail "other files by a device that goes on with sources"
}

# likewise where levels have moved before the stop and move after it
mesh='cells: [32, 32], block: [8, 8], levels: 1, regrid: 2, buffer: 0, derefine_after: 1, refine: [{by: value, of: speed, above: 1.37}]'
keys='time.end=0.05 output.history=0'
half="$keys time.max_steps=7 output.checkpoint=1e-9"
levels_by() { awk -v from="$1" -v to="$2" '!/^#/ && $2 >= from && $2 <= to {print $NF}' f/history.tsv | sort -u | wc -l; }
# shellcheck disable=SC2086
{
    run f 0 sluice-sim resources.backend=cpu $keys
    hash=$(tail -n 1 out)
    [ "$(levels_by 0 6)" -ge 2 ] || fail "levels did not move before the stop"
    [ "$(levels_by 7 99)" -ge 2 ] || fail "levels did not move after the stop"
    run g 0 device/sluice-sim resources.backend=cuda $half
    run g 0 sluice-sim resources.backend=cpu $keys
    grep -q 'goes on from checkpoint' err || fail "no checkpoint of levels of the device"
    [ "$(tail -n 1 out)" = "$hash" ] || fail "levels begun on a device: $(tail -n 1 out), $hash"
    run h 0 sluice-sim resources.backend=cpu $half
    run h 0 device/sluice-sim resources.backend=cuda $keys
    grep -q 'goes on from checkpoint' err || fail "no checkpoint of levels of the processor"
    [ "$(tail -n 1 out)" = "$hash" ] || fail "levels begun on the processor: $(tail -n 1 out), $hash"
}

# a mesh that outgrows the memory of the device: a stop with a checkpoint, from which the run goes on where there is more
blast roomy
blast tight
device/sluice-sim roomy/run.yaml resources.backend=cuda >out 2>err || fail "a blast on levels of a device"
hash=$(tail -n 1 out)
for bytes in 1000000 1200000; do # each is reached at a later regrid
    EMULATED_MEMORY=$bytes device/sluice-sim tight/run.yaml resources.backend=cuda >out 2>err
    [ $? = 71 ] || fail "more is taken than the device has"
    grep -q 'stopped at step [0-9]* with a checkpoint: .* (the memory of the devices); most of the new blocks are for rule 2' err ||
        fail "it does not say why it stopped"
done
device/sluice-sim tight/run.yaml resources.backend=cuda >out 2>err || fail "it does not go on with more memory"
[ "$(tail -n 1 out)" = "$hash" ] || fail "with memory again: $(tail -n 1 out), always: $hash"

# devices with less shared memory (A100, V100, T4): kernels whose tiles do not fit it leave the work to others
mkdir small
cat >small/run.yaml <<'YAML'
campaign: small
problem: sedov
mesh: {cells: [34, 34, 16], block: [34, 34, 16]}
time: {end: 0.005}
output: {snapshot: 1}
YAML
hash_of() { # PROGRAM KEYS...
    rm -rf small/snapshots small/checkpoints small/history.tsv
    "$@" >out 2>err || fail "exit code $?: $*"
    tail -n 1 out
}
plasma='problem=mhd_blast fluid.riemann=hlld'
for keys in 'problem=sedov fluid.riemann=hllc fluid.reconstruct=ppm' "$plasma fluid.mhd=glm" "$plasma fluid.mhd=glm fluid.reconstruct=ppm" \
    "$plasma fluid.mhd=ct fluid.reconstruct=wenoz"; do
    # shellcheck disable=SC2086
    hash=$(hash_of sluice-sim small/run.yaml resources.backend=cpu $keys)
    for bytes in 232448 166912 98304 65536; do
        # shellcheck disable=SC2086
        got=$(EMULATED_SHARED=$bytes hash_of device/sluice-sim small/run.yaml resources.backend=cuda $keys)
        [ "$got" = "$hash" ] || fail "$keys with $bytes bytes of shared memory: $got, the processor: $hash; $(tail -n 1 err)"
    done
done

device/sluice run "$top/recipes/decaying-turbulence-gpu.yaml" 'sweep.mesh.cells=[[16,16,16],[32,32,32]]' 'mesh.block=[16,16,16]' \
    turbulence.kmax=4 time.end=0.1 output.snapshot=0.05 output.history=0.05 >out 2>err &
campaign=$! seen='' shown=''
while kill -0 $campaign 2>/dev/null; do # what is shown of a member while it runs
    device/sluice status decaying-turbulence-gpu --json 2>/dev/null | grep -q '"backend": *"cuda"' && seen=yes
    COLUMNS=160 device/sluice status decaying-turbulence-gpu 2>/dev/null | grep -q 'cells/s on cuda  ' && shown=yes
    sleep 0.1
done
wait $campaign || fail "the campaign for devices"
[ "$seen$shown" = yesyes ] || fail "sluice status never named a device: JSON '$seen', table '$shown'"
[ -s decaying-turbulence-gpu/report/index.html ] || fail "no report"
[ "$(grep -rl '"backend":"cuda"' decaying-turbulence-gpu --include=progress.json | wc -l)" = 2 ] ||
    fail "not both members ran on the device"
echo ok
