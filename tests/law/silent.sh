#!/bin/bash
# silent.sh - a run that gives no sign of life for three times resources.hang is ended, and its next attempt does the work; one that
# was suspended for longer, with all that watches it, goes on. The programs are stand-ins (tests/cli/fake/program), and sluice is
# replaced while the first runs, as by make.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
export SLUICE_PROGRAMS=$SLUICE_TOP/tests/cli/fake
for c in silent asleep; do
    printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nresources: {retries: 1, hang: 4}\n' $c >$c.yaml
done
until_in() { for _ in $(seq 1200); do grep -q "$1" "$2" 2>/dev/null && return; sleep 0.05; done; fail "$1 never came into $2"; }
signal() { # NAME PATTERN: to processes of the second campaign
    for p in $(pgrep -f "$2"); do
        case $(readlink "/proc/$p/cwd") in $work | "$work"/asleep*) kill -"$1" "$p" ;; esac
    done
}
trap 'rm -f hold; signal CONT "mpirun|sluice"; wait; rm -rf "$work"' EXIT
touch hold
mkdir bin
install "$(command -v sluice)" bin
FAKE_HOLD=$work/hold bin/sluice run silent.yaml >silent.log 2>&1 & silent=$!
FAKE_STEPS=16 FAKE_NAP=0.5 sluice run asleep.yaml >asleep.log 2>&1 & asleep=$!
until_in '"step":2' asleep/members/0000/progress.json
signal STOP 'sluice (run|task) .*asleep'
signal STOP 'mpirun|sluice-sim'
install "$(command -v sluice)" bin # removes the old one first
until_in 'no sign of life for 12 s, killed' silent/journal.jsonl
rm hold
wait $silent || fail "the silent run ended with $?"
[ "$(grep -c '"start".*"sim"' silent/journal.jsonl)" = 2 ] || fail "not two attempts: $(cat silent/journal.jsonl)"
sleep 3 # more than 12 in all
signal CONT 'sluice (run|task) .*asleep'
sleep 2 # and looks, before the others can do anything
signal CONT 'mpirun|sluice-sim'
wait $asleep || fail "the suspended run ended with $?"
[ "$(grep -c '"start".*"sim"' asleep/journal.jsonl)" = 1 ] || fail "not one attempt: $(cat asleep/journal.jsonl)"
echo "silent for 12 s: ended; suspended for 15 s: not"
