#!/bin/bash
# answers.sh - controllers on their worst days, and people in a hurry. Answers of sbatch and squeue come late, get lost after
# the job was accepted, are bytes that are no text, or nothing at all, in random order; then two to eight commands race on one
# campaign. Submitting again ends it: one chain of jobs per member (placed.py), a journal without damage. Slurm is the
# stand-in of tests/slurm/fake.
#   SLUICE_SCHEDULES   random schedules of answers (default 16, with SLUICE_LONG 500)
#   SLUICE_ROUNDS      races (default 16, with SLUICE_LONG 1000)
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$SLUICE_TOP/tests/scratch.sh"
export PATH=$here/fake:$PATH XDG_CONFIG_HOME=$work/home
schedules=${SLUICE_SCHEDULES:-${SLUICE_LONG:+500}} rounds=${SLUICE_ROUNDS:-${SLUICE_LONG:+1000}}
RANDOM=${SLUICE_SEED:-$((SECONDS + $$))}
echo "SLUICE_SEED=$RANDOM"
mkdir -p "$work/home/sluice"
printf 'max_array: 5\ndoubt: 1\n' >"$work/home/sluice/site.yaml"
printf 'campaign: c\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nsweep: {seed: 1..7}\n' >"$work/c.yaml"
failed=0

pick() { # WORDS...: one of them
    shift $((RANDOM % $#))
    echo "$1"
}
some() { # N WORDS...
    local i n=$1
    shift
    for ((i = 0; i < n; i++)); do pick "$@"; done | tr '\n' ' '
}
enter() { # DIRECTORY: a place of its own with an own queue
    mkdir -p "$1/slurm"
    cp "$work/c.yaml" "$1/"
    cd "$1" || exit 1
    export FAKE_SLURM=$1/slurm
    : >slurm/queue
    : >slurm/depends
}
# ended WHAT: submits until all is handed over, and looks
ended() {
    local i
    for ((i = 1; i <= 24; i++)); do
        timeout 300 sluice submit c.yaml >again.out 2>again.err && break
        [ $i = 24 ] && echo "$1: $(cat again.err)"
    done
    "$here/placed.py" c slurm 2>placed.err || echo "$1: $(tail -n 1 placed.err)"
    sluice status c --json --offline | grep -q '"damaged_lines": 0' || echo "$1: damaged lines in the journal"
    cd /
}

# an answer that takes two minutes, as sbatch does while the queue is full, is waited for
if [ -n "${SLUICE_LONG:-}" ]; then
    {
        enter "$work/slow"
        FAKE_LATE=120 FAKE_SBATCH=late timeout 200 sluice submit c.yaml >slow.out 2>&1 || echo "an answer after 120 s: $(cat slow.out)"
        ended "an answer after 120 s"
    } >>"$work/bad.slow" &
fi
schedule() { # N SBATCH SQUEUE
    enter "$work/s$1"
    FAKE_SBATCH=$2 FAKE_SQUEUE=$3 ended "answers $2/ $3"
    rm -rf "$work/s$1"
}
for ((n = 1; n <= ${schedules:-16}; n++)); do
    sbatch=$(some $((RANDOM % 14 + 1)) ok ok ok noise late lost silent killed drop garbage limit refuse empty)
    squeue=$(some $((RANDOM % 6)) ok ok down empty hang)
    schedule $n "$sbatch" "$squeue" >>"$work/bad.$((n % 8))" &
    [ $((n % 8)) = 0 ] && wait
done
wait
echo "$((n - 1)) schedules of answers"

race() { # N COMMANDS...: lines of arguments
    local n=$1 words
    shift
    enter "$work/r$n"
    [ $((n % 2)) = 0 ] || sluice submit c.yaml >/dev/null 2>&1
    for words; do
        # shellcheck disable=SC2086
        timeout 300 sluice $words >>race.out 2>&1 &
    done
    wait
    sluice release c >>race.out 2>&1
    ended "race of $*"
    rm -rf "$work/r$n"
}
for ((n = 1; n <= ${rounds:-16}; n++)); do
    commands=()
    for ((k = RANDOM % 7 + 2; k > 0; k--)); do
        commands+=("$(pick 'submit c.yaml' 'submit c.yaml' 'submit c' 'cancel c' 'hold c' 'release c' 'throttle c 3' 'status c' 'why c' 'retry c' 'plan c' 'clean c')")
    done
    race $n "${commands[@]}" >>"$work/bad.$((n % 4))" &
    [ $((n % 4)) = 0 ] && wait
done
wait
echo "$((n - 1)) races"
cat "$work"/bad.* >"$work/bad"
[ ! -s "$work/bad" ] || { echo "FAIL:"; cat "$work/bad"; failed=1; }
exit $failed
