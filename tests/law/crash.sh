#!/bin/bash
# crash - every system call of one checkpoint, which holds a tree of levels, fails in turn, or the program is killed at it, or it
# claims to have written what it has not. Whatever happens, the next start finds a good checkpoint or none, and ends with the hash
# of the undisturbed run. A run that diverges keeps its history. Needs strace, which does the injecting.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
command -v strace >/dev/null || { echo "SKIP: strace is not installed"; exit 0; }
strace -qq -o /dev/null true 2>/dev/null || { echo "SKIP: strace may not trace here"; exit 0; }
export OMPI_MCA_btl=self # one rank: start quickly

mkdir "$work/a"
cat >"$work/a/run.yaml" <<YAML
campaign: crash
problem: sod
mesh:
  cells: [32]
  box: [[0, 1]]
  block: 16
  boundary: outflow
  levels: 1
  refine: [{by: gradient, of: density, above: 0.05}]
time: {end: 0.05}
output: {snapshot: 0, history: 0}
YAML
want=$(sluice-sim "$work/a/run.yaml" | tail -n 1)
cp -r "$work/a" "$work/fresh"
rm -rf "$work"/fresh/{history.tsv,progress.json,snapshots}
# a run with one good checkpoint behind it
sluice-sim "$work/fresh/run.yaml" resources.walltime=1 >/dev/null 2>&1
[ -f "$work/fresh/checkpoints/ckpt.000000/MANIFEST" ] || fail "no checkpoint to start from"

calls='pwrite64,fsync,rename,fallocate' # of these MPI makes only the last, on other files
stop() { # strace options...: one more step and checkpoint under injection
    rm -rf "$work/b"
    cp -r "$work/fresh" "$work/b"
    { timeout 300 strace -qq -f -o "$work/trace" "$@" sluice-sim "$work/b/run.yaml" resources.walltime=1 \
        >"$work/out" 2>"$work/err"; } 2>/dev/null
}
stop -e trace="$calls"
[ $? = 75 ] || fail "the undisturbed stop"
cp "$work/trace" "$work/trace.undisturbed"
cases=0
for call in ${calls//,/ }; do
    count=$(grep -c "$call(" "$work/trace.undisturbed")
    [ "$call" = fallocate ] && count=1
    for ((k = 1; k <= count; k++)); do
        modes='error=EIO signal=KILL'
        [ "$call" = pwrite64 ] && modes="$modes error=ENOSPC error=EINTR retval=8"
        [ "$call" = fallocate ] && modes="$modes error=ENOSPC error=EOPNOTSUPP"
        for mode in $modes; do
            only=()
            [ "$call" = fallocate ] && only=(-P "$work/b/checkpoints/ckpt.000001.tmp/data.00000")
            stop "${only[@]}" -e trace="$call" -e inject="$call:$mode:when=$k"
            code=$?
            cases=$((cases + 1))
            case "$mode $code" in
            # progress is written by the second: a slow run renames once more than a fast one, which this then was
            *KILL*) [ $code = 137 ] || { [ $code = 75 ] && [ "$(grep -c "$call(" "$work/trace")" -lt $k ]; } ||
                fail "$call $k $mode: exit code $code" ;;
            *) [ $code = 75 ] || [ $code = 73 ] || fail "$call $k $mode: exit code $code" ;;
            esac
            [ "$mode" = retval=8 ] && [ $code != 73 ] && fail "$call $k: bytes that were not written went unnoticed"
            got=$(timeout 300 sluice-sim "$work/b/run.yaml" 2>"$work/err" | tail -n 1)
            [ "$got" = "$want" ] || fail "$call $k $mode: then $got, not $want"
            find "$work/b" -name '*tmp*' ! -path '*/snapshots/*' | grep -q . && [ "$mode" != signal=KILL ] &&
                fail "$call $k $mode: leftovers"
        done
    done
done
[ $cases -ge 20 ] || fail "only $cases cases"
echo "$cases disturbed checkpoints, all ended with $want"

# a run that diverges leaves its history on the disk, too, before it says that it has
mkdir "$work/bad"
cat >"$work/bad/run.yaml" <<YAML
campaign: bad
problem: riemann
riemann: {left: [1e9, 1e10, 0, 0, 1e25], right: [1e9, 3e9, 0, 0, 1e25]}
mesh: {cells: [32], boundary: outflow}
time: {end: 1e-10}
output: {history: 0}
resources: {precision: single}
YAML
strace -qq -f -y -o "$work/trace" -e trace=write,fsync,rename sluice-sim-f32 "$work/bad/run.yaml" >"$work/out" 2>"$work/err"
[ $? = 70 ] || fail "it did not diverge: $(tail -n 1 "$work/err")"
awk '/ write\([0-9]+<[^>]*\/history.tsv>/ { open = 1 }
     / fsync\([0-9]+<[^>]*\/history.tsv>/ { open = 0; kept++ }
     / rename\(.*progress.json"/ { last = open } # the last one says so
     END { exit !kept || last }' "$work/trace" || fail "it says that it diverged before its history is on the disk"
