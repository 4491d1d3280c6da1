#!/bin/bash
# kill.sh - SIGKILL to sluice, its tasks, mpirun or a rank at random moments, again and again: the campaign still ends, by
# itself or by the next `sluice run`, with the same bits as one that was left alone.
#   SLUICE_KILLS   how many kills (default 20)
#   SLUICE_SEED    of the random choices (default: printed)
set -u
kills=${SLUICE_KILLS:-20}
RANDOM=${SLUICE_SEED:=$((1 + $$ % 32000))}
echo "kills $kills, seed $SLUICE_SEED"
export OMPI_MCA_btl_base_warn_component_unused=0
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
cat >law.yaml <<'END'
campaign: law
problem: sod
sweep: {sod.x0: [0.4, 0.6]}
mesh: {cells: [128, 32], box: [[0, 1], [0, 0.25]], block: [32, 32], boundary: outflow}
time: {end: 0.2}
output: {snapshot: 0.05, history: 0, checkpoint: 0.2 s}
resources: {ranks: 2, retries: 1000}
END

# What the runs computed, but for provenance: histories without comments, data of all snapshots, statistics.
bits() {
    /usr/bin/python3 - "$1" <<'END'
import glob, hashlib, h5py, numpy, os, sys
total = hashlib.sha256()
files = 0
for path in sorted(glob.glob(sys.argv[1] + "/members/*/history.tsv")):
    total.update("".join(x for x in open(path) if not x.startswith("#")).encode())
for path in sorted(glob.glob(sys.argv[1] + "/members/*/snapshots/*_plt_cnt_????")):
    with h5py.File(path, "r") as f:
        for name in sorted(f):
            if isinstance(f[name], h5py.Dataset) and len(name) == 4:  # fields have names of four letters
                total.update(name.encode() + numpy.ascontiguousarray(f[name][...]).tobytes())
                files += 1
for path in sorted(glob.glob(sys.argv[1] + "/members/*/stats/*.csv")):
    total.update("".join(x for x in open(path) if not x.startswith("#")).encode())
assert files > 0, "no fields found"
print(total.hexdigest())
END
}
# Processes that were started here: sluice, its tasks, mpirun, ranks.
victims() {
    grep -lzs "^PWD=$work" /proc/[0-9]*/environ | while IFS=/ read -r _ _ p _; do
        { tr '\0' ' ' <"/proc/$p/cmdline"; } 2>/dev/null | grep -qE '(sluice (run|task)|mpirun|sluice-(sim|stats|ic)) ' && echo "$p"
    done
}

if ! sluice run law.yaml --dir quiet >quiet.out 2>&1; then
    cat quiet.out
    exit 1
fi
want=$(bits quiet)
failed=0 done_kills=0 round=0 starts=0
while [ $done_kills -lt "$kills" ]; do
    round=$((round + 1))
    c=round$round
    while :; do
        starts=$((starts + 1))
        sluice run law.yaml --dir $c >>$c.out 2>>$c.err &
        pid=$!
        while [ $done_kills -lt "$kills" ] && kill -0 $pid 2>/dev/null; do
            sleep "$((RANDOM % 2)).$(printf %03d $((RANDOM % 1000)))"
            mapfile -t list < <(victims)
            [ ${#list[@]} -gt 0 ] || continue
            # one kill in three hits sluice itself, and the next run has to find its way
            [ $((RANDOM % 3)) = 0 ] && victim=$pid || victim=${list[RANDOM % ${#list[@]}]}
            kill -KILL "$victim" 2>/dev/null && done_kills=$((done_kills + 1))
        done
        wait $pid 2>/dev/null
        code=$?
        [ $code = 0 ] && break
        if [ $code != 137 ]; then
            echo "FAIL: sluice run ended with $code"
            tail -n 5 $c.err
            sluice why $c
            exit 1
        fi
    done
    got=$(bits $c)
    [ "$got" = "$want" ] || { echo "FAIL: round $round ended with other bits: $got, not $want"; failed=1; }
    sluice verify $c >/dev/null || { echo "FAIL: round $round: products do not hold"; failed=1; }
done
for _ in $(seq 600); do [ -z "$(victims)" ] && break; sleep 0.1; done
[ -z "$(victims)" ] || { echo "FAIL: processes are left: $(victims)"; failed=1; }
attempts=$(cat round*/journal.jsonl | grep -c '"start"')
echo "$done_kills kills in $round campaigns, $starts runs, $attempts attempts: $([ $failed = 0 ] && echo same bits)"
exit $failed
