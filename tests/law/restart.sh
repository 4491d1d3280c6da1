#!/bin/bash
# restart - a run that is stopped ten times (asked to stop, killed outright, on 1, 2 or 3 ranks in turn) ends with the
# same hash, the same bytes of history and the same snapshots as one that is never stopped.
set -u
. "$SLUICE_TOP/tests/scratch.sh"

recipe() { # directory, end
    rm -rf "$1"
    mkdir -p "$1"
    cat >"$1/run.yaml" <<YAML
campaign: restart
problem: kelvin_helmholtz
mesh: {cells: [96, 96], box: [[0, 1], [0, 1]], block: [16, 16]}
time: {end: $2}
output: {snapshot: 0.4, history: 0.02, checkpoint: 0.1, precision: double}
YAML
}

# Starts the run on n ranks, and stops it by the signal once it runs; returns its exit code.
attempt() { # ranks, signal, seconds
    rm -f "$work/b/progress.json"
    mpirun -n "$1" sluice-sim "$work/b/run.yaml" >"$work/out" 2>"$work/err" &
    local job=$! waited=0
    until [ -e "$work/b/progress.json" ] || ! kill -0 $job 2>/dev/null; do
        sleep 0.02
        waited=$((waited + 1))
        [ $waited -gt 3000 ] && { kill -KILL $job; fail "no progress.json after a minute"; }
    done
    sleep "$3"
    if [ "$2" = KILL ]; then
        local ranks
        ranks=$(pgrep -P $job)
        # shellcheck disable=SC2086
        [ -n "$ranks" ] && kill -KILL $ranks 2>/dev/null
    else
        kill -"$2" $job 2>/dev/null
    fi
    wait $job
}

# Stops a run that ends at $1 ten times; not 0 when it ends by itself before that.
ten_stops() {
    recipe "$work/a" "$1"
    recipe "$work/b" "$1"
    want=$(mpirun -n 2 sluice-sim "$work/a/run.yaml" | tail -n 1)
    case $want in hash*) ;; *) fail "the uninterrupted run printed: $want" ;; esac
    for i in 1 2 3 4 5 6 7 8 9 10; do
        local signal=USR1 code
        [ $((i % 3)) = 0 ] && signal=KILL
        attempt $((1 + i % 3)) $signal 0.0$((RANDOM % 9))
        code=$?
        echo "attempt $i: $signal on $((1 + i % 3)) ranks, exit $code, $(grep -v '^-*$' "$work/err" | head -n 1)"
        [ $code = 0 ] && return 1
        [ $signal = KILL ] || [ $code = 75 ] || { cat "$work/err"; fail "exit code $code after $signal, not 75"; }
    done
}

# a machine that is too fast for a run gets one twice as long
for end in 1.2 2.4 4.8 9.6 none; do
    [ $end = none ] && fail "the run is too short for this machine"
    ten_stops $end && break
done
got=$(mpirun -n 2 sluice-sim "$work/b/run.yaml" 2>/dev/null | tail -n 1)
[ "$got" = "$want" ] || fail "after ten stops: $got, without: $want"
cmp "$work/a/history.tsv" "$work/b/history.tsv" || fail "history.tsv differs"
(cd "$work/a/snapshots" && ls) >"$work/la"
(cd "$work/b/snapshots" && ls) >"$work/lb"
cmp "$work/la" "$work/lb" || fail "other snapshots"
/usr/bin/python3 - "$work" <<'PY' || fail "snapshots differ"
import glob, os, sys
import h5py
top, bad = sys.argv[1], 0
names = sorted(glob.glob(top + "/a/snapshots/*[0-9]"))
for name in names:
    with h5py.File(name) as a, h5py.File(name.replace("/a/", "/b/")) as b:
        for field in ("dens", "velx", "vely", "velz", "pres"):
            bad += a[field][()].tobytes() != b[field][()].tobytes()
        bad += a["sluice"].attrs["state_hash"] != b["sluice"].attrs["state_hash"]
print(len(names), "snapshots compared")
sys.exit(bad or not names)
PY
echo "the same after ten stops: $got"
