#!/bin/bash
# crash.sh - `sluice submit` is killed at every system call that changes something or waits for an answer, and every such
# call fails in turn; then it is submitted again. Whatever happened, the queue ends with just one chain of jobs per member
# (placed.py). Slurm is the stand-in of tests/slurm/fake: nothing runs, and no root is needed. strace does the injecting.
#   SLUICE_LONG   every call in every way; without it every third, beginning anywhere
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$SLUICE_TOP/tests/scratch.sh"
command -v strace >/dev/null || { echo "SKIP: strace is not installed"; exit 0; }
strace -qq -o /dev/null true 2>/dev/null || { echo "SKIP: strace may not trace here"; exit 0; }
export PATH=$here/fake:$PATH XDG_CONFIG_HOME=$work/home
mkdir -p "$work/home/sluice"
printf 'max_array: 5\ndoubt: 1\n' >"$work/home/sluice/site.yaml"
printf 'campaign: c\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nsweep: {seed: 1..7}\n' >"$work/c.yaml"

prepare() { # DIRECTORY
    mkdir -p "$1/slurm"
    cp "$work/c.yaml" "$1/"
}
# disturbed DIRECTORY strace options...: one submit under injection, as often again as it takes; a line of what went wrong
disturbed() {
    local dir=$1 i code
    shift
    prepare "$dir"
    cd "$dir" || return
    export FAKE_SLURM=$dir/slurm
    { timeout 300 strace -qq -o trace "$@" sluice submit c.yaml >first.out 2>first.err; } 2>/dev/null
    code=$?
    case "$* $code" in
    *KILL*' 137' | *error*' 0' | *error*' 69' | *error*' 71' | *error*' 73' | *error*' 75') ;;
    *) echo "exit code $code of $*: $(cat first.err)" ;;
    esac
    for i in 1 2 3; do
        timeout 300 sluice submit c.yaml >again.out 2>again.err && break
        [ $i = 3 ] && echo "after $*: $(cat again.err)"
    done
    "$here/placed.py" c slurm 2>placed.err || echo "after $*: $(tail -n 1 placed.err)"
    cd / && rm -rf "$dir"
}

prepare "$work/calm"
cd "$work/calm" || exit 1
export FAKE_SLURM=$work/calm/slurm
strace -qq -o trace sluice submit c.yaml || exit 1
"$here/placed.py" c slurm || exit 1
for call in write fsync mkdir rename link unlink clone read wait4; do
    for ((k = 1; k <= $(grep -c "^$call(" trace); k++)); do
        modes='signal=KILL'
        case $call in write | fsync | rename | link | mkdir) modes="$modes error=EIO error=ENOSPC" ;; esac
        [ $call = clone ] && modes="$modes error=EAGAIN"
        for mode in $modes; do
            echo "$call $k $mode"
        done
    done
done >"$work/all"
# the first reads are those of the loader: what they kill has not begun
grep -v '^read [0-9] ' "$work/all" >"$work/cases"
[ -n "${SLUICE_LONG:-}" ] || { awk -v r=$((RANDOM % 3)) 'NR % 3 == r' "$work/cases" >"$work/some" && mv "$work/some" "$work/cases"; }
n=0
while read -r call k mode; do
    n=$((n + 1))
    disturbed "$work/case$n" -e trace="$call" -e inject="$call:$mode:when=$k" >>"$work/bad.$((n % 8))" &
    [ $((n % 8)) = 0 ] && wait
done <"$work/cases"
wait
# a file system without locks
disturbed "$work/nolock" -e trace=fcntl -e inject=fcntl:error=ENOLCK >>"$work/bad.0"
echo "$n disturbed submissions"
[ $n -ge 50 ] || { echo "FAIL: only $n cases"; exit 1; }
cat "$work"/bad.* >"$work/bad"
[ ! -s "$work/bad" ] || { echo "FAIL:"; cat "$work/bad"; exit 1; }
