#!/bin/bash
# stop.sh - signals to a run at random moments. TERM and USR1, also twice, also to one rank of two alone, are heeded by all ranks:
# one checkpoint, exit code 75. INT and the kill of one rank of two end it with the code of the signal, and without a checkpoint.
# So does the wall-time limit, with one. What falls into the commit of a checkpoint leaves that or the one before. Each time the
# run goes on from the newest, and ends with the hash and the history of one that was left alone.
#   SLUICE_STOPS   how often each of the eight (default 1, with SLUICE_LONG 20)
#   SLUICE_SEED    of the random moments (default: printed)
set -u
. "$SLUICE_TOP/tests/scratch.sh"
stops=${SLUICE_STOPS:-${SLUICE_LONG:+20}}
stops=${stops:-1}
RANDOM=${SLUICE_SEED:=$$}
echo "SLUICE_SEED=$SLUICE_SEED"
export OMPI_MCA_mpi_yield_when_idle=1

for d in a fresh; do
    mkdir "$work/$d"
    cat >"$work/$d/run.yaml" <<YAML
campaign: stop
problem: kelvin_helmholtz
mesh: {cells: [96, 96], box: [[0, 1], [0, 1]], block: [16, 16]}
time: {end: 1.2}
output: {snapshot: 0, history: 0.02, checkpoint: 1 h}
YAML
done
want=$(mpirun -n 2 sluice-sim "$work/a/run.yaml" 2>"$work/err" | tail -n 1)
case $want in hash*) ;; *) fail "the run that was left alone printed: $want" ;; esac
again() { rm -rf "$work/b" && cp -r "$work/fresh" "$work/b"; }
newest() { # number of the newest checkpoint, -1 for none
    local n
    n=$(find "$work/b/checkpoints" -name MANIFEST ! -path '*.tmp/*' 2>/dev/null | sort | tail -n 1 | grep -oE '[0-9]+/MANIFEST')
    [ -n "$n" ] && echo $((10#${n%/MANIFEST})) || echo -1
}
same() { # what the run printed
    [ "$(tail -n 1 "$work/out")" = "$want" ] || fail "it ended with $(tail -n 1 "$work/out"), without stops with $want"
    cmp "$work/a/history.tsv" "$work/b/history.tsv" || fail "history.tsv differs"
}
start() { # RANKS ARGUMENTS...: in the background, until it steps
    local ranks=$1
    shift
    rm -f "$work/b/progress.json"
    if [ "$ranks" = 1 ]; then
        OMPI_MCA_btl=self env --default-signal=INT sluice-sim "$work/b/run.yaml" "$@" >"$work/out" 2>"$work/err" &
    else
        mpirun -n "$ranks" sluice-sim "$work/b/run.yaml" "$@" >"$work/out" 2>"$work/err" &
    fi
    job=$!
    until [ -e "$work/b/progress.json" ] || ! kill -0 $job 2>/dev/null; do sleep 0.02; done
}
one_rank() { pgrep -P "$job" | shuf -n 1; }
nap() { sleep 0.0$((RANDOM % 10))$((RANDOM % 10)); }
in_commit() { # waits for a checkpoint on its way
    until compgen -G "$work/b/checkpoints/*.tmp" >/dev/null || ! kill -0 $job 2>/dev/null; do :; done
}
# Sends what the kind says; the run has one rank or two.
send() {
    case $1 in
        term) kill -TERM $job ;;
        usr1) kill -USR1 $job ;;
        int) kill -INT $job ;;
        twice) kill -USR1 $job; sleep 0.00$((RANDOM % 10)); kill -TERM $job ;;
        one) kill -USR1 "$(one_rank)" ;;
        gone) kill -KILL "$(one_rank)" ;;
        commit) kill -"$signal" "$(one_rank)" ;;
        limit) ;; # by itself
    esac 2>/dev/null
}
# stop KIND: 1 when the run came to its end before it was stopped
stop() {
    local ranks=1 code before after options=() how=soft
    case $1 in one | gone | commit) ranks=2 ;; esac
    case $1 in int | gone) how=hard ;; esac
    [ "$1" = limit ] && options=("resources.walltime=1.$((RANDOM % 10))")
    [ "$1" = commit ] && options=(output.checkpoint=1e-6s) && signal=USR1 && [ $((RANDOM % 2)) = 0 ] && signal=KILL how=hard
    before=$(newest)
    start $ranks "${options[@]}"
    if [ "$1" = commit ]; then in_commit; else nap; fi
    send "$1"
    wait $job
    code=$?
    [ $code = 0 ] && return 1
    after=$(newest)
    case $how in
        soft) [ $code = 75 ] || fail "$1: exit code $code, not 75" ;;
        hard) [ $code -gt 128 ] || fail "$1: exit code $code is not that of a signal" ;;
    esac
    [ "$1" = int ] && [ $code != 130 ] && fail "INT: exit code $code, not 130"
    grep -q '"state":"checkpointed"' "$work/b/progress.json" && [ $how = hard ] && fail "$1: it says that it was stopped"
    case $1 in
        commit) ls -d "$work"/b/checkpoints/*.tmp >/dev/null 2>&1 && inside=$((inside + 1)) ;;
        int | gone) [ "$after" = "$before" ] || fail "$1: checkpoints from $before to $after, not none" ;;
        *) [ "$after" = $((before + 1)) ] || fail "$1: checkpoints from $before to $after, not one" ;;
    esac
    return 0
}
again
inside=0 done_stops=0 ends=0
for ((k = 0; k < stops; k++)); do
    for kind in term usr1 int twice one gone commit limit; do
        until stop $kind; do # a fast machine: once more from the start
            same
            again
            ends=$((ends + 1))
            [ $ends -le $((10 + stops)) ] || fail "$kind: it comes to its end instead"
        done
        done_stops=$((done_stops + 1))
    done
done
mpirun -n 2 sluice-sim "$work/b/run.yaml" >"$work/out" 2>"$work/err" || fail "it does not end: $?"
same
grep -q damaged "$work/err" && fail "a damaged checkpoint"
echo "$done_stops stops, $inside of them left a checkpoint half written, the same: $want"
