#!/bin/bash
# pack.sh - several members in one start of a program. Of eight, one diverges and one is killed with its program:
# all others come through, in few starts, and each member has the files, logs, attempts and bits of a run of its own. A campaign that is
# stopped in the midst of a member, or loses its executor, or a member to `sluice cancel`, goes on; nothing is left running. What fails is
# tried alone.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
ours() { for p in $(pgrep "${1:-sluice|mpirun}"); do case $(readlink "/proc/$p/cwd") in "$work"*) echo "$p" ;; esac; done; }
trap 'for p in $(ours); do kill -KILL "$p"; done 2>/dev/null; wait; rm -rf "$work"' EXIT
cat >pack.yaml <<'END'
campaign: pack
problem: riemann
sweep:
  riemann.left: [[1, 0, 0, 0, 1], [1, 0, 0, 0, 2], [1, 0, 0, 0, 3], [1e9, 1e10, 0, 0, 1e25], [1, 0, 0, 0, 5], [1, 0, 0, 0, 6], [1, 0, 0, 0, 7], [1, 0, 0, 0, 8]]
riemann: {right: [0.125, 0, 0, 0, 0.1]}
mesh: {cells: [256, 96], boundary: [outflow, outflow, periodic, periodic]}
time: {end: 0.2}
output: {snapshot: 0.1, history: 0.01, checkpoint: 1 h}
resources: {precision: single, backend: cpu, members_per_process: 8}
END
run() { # CAMPAIGN WORDS...
    local name=$1
    shift
    sluice run pack.yaml --dir "$name" --cores 1 --oversubscribe "$@" >"$name.log" 2>&1
}
starts() { grep -c '"start".*"stage":"'"$2"'"' "$1/journal.jsonl"; } # attempts
launches() { cat "$1"/members/*/attempts/"$2".[0-9]*.json | grep -o '"token":"[^"]*"' | sort -u | wc -l; } # tasks
attempts() { grep -c '"start","member":"'"$2"'","stage":"sim"' "$1/journal.jsonl"; }
state() { sluice status "$1" --json | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["list"][int(sys.argv[1])]["state"])' "$2"; }
same() { # CAMPAIGN: the bits of members alone, and no file more
    for m in 0 1 2 4 5 6 7; do
        for f in history.tsv stats.h5 stats/summary.csv; do
            cmp "one/members/000$m/$f" "$1/members/000$m/$f" || fail "$1: $f of member $m differs from that of a run of its own"
        done
        [ "$(grep -h '^hash' one/members/000$m/logs/sim.*.log)" = "$(grep -h '^hash' "$1/members/000$m/logs/"sim.*.log)" ] || fail "$1: the state of member $m"
        [ "$(cd one/members/000$m && ls . snapshots stats)" = "$(cd "$1/members/000$m" && ls . snapshots stats | grep -vx checkpoints)" ] || fail "$1: files of member $m"
    done
    sluice verify "$1" >out 2>err || fail "$1: products do not hold"
    [ -z "$(ours 'sluice-s|mpirun')" ] || fail "$1: processes are left: $(ours)"
}

run one resources.members_per_process=1
[ $? = 1 ] || fail "a member diverges, and the campaign ended well"
[ "$(launches one sim)" = 8 ] || fail "not a start for each member: $(launches one sim)"
[ "$(state one 3)" = diverged ] || fail "member 3 is $(state one 3)"

# all in one start, but for what comes after the one that diverged
run all
[ $? = 1 ] || fail "a member diverges, and the campaign ended well"
[ "$(launches all sim)" = 1 ] && [ "$(launches all stats)" = 1 ] || fail "not one task: $(launches all sim) and $(launches all stats)"
[ "$(starts all sim)" = 8 ] && [ "$(starts all stats)" = 7 ] || fail "attempts: $(starts all sim) and $(starts all stats)"
[ "$(state all 3)" = diverged ] || fail "member 3 is $(state all 3)"
grep -q '^error: .*leave the range' all/members/0003/logs/sim.1.log || fail "the log of member 3 does not say why"
grep -q '"result":"diverged"' all/members/0003/attempts/sim.1.json || fail "nor its claim"
same all

# the program is killed in the midst of member 2: it alone has another attempt, by itself
run killed &
job=$!
until grep -qs '"state":"running"' killed/members/0002/progress.json || ! kill -0 $job; do sleep 0.01; done
victim=$(ours sluice-sim-f32 | tail -n 1)
kill -KILL "$victim"
wait $job
[ "$(attempts killed 0002)" = 2 ] || fail "member 2 had $(attempts killed 0002) attempts"
for m in 0 1 3 4 5 6 7; do [ "$(attempts killed 000$m)" = 1 ] || fail "member $m had $(attempts killed 000$m) attempts"; done
grep -q '"end","member":"0002".*killed by signal 9' killed/journal.jsonl || fail "not said that it was killed"
same killed

# stopped in the midst of member 4
run stopped &
job=$!
until grep -qs '"state":"running"' stopped/members/0004/progress.json || ! kill -0 $job; do sleep 0.01; done
sluice cancel stopped >out 2>err
wait $job
grep -q '"end","member":"0004".*"paused"' stopped/journal.jsonl || fail "member 4 was not asked to stop: $(tail -n 3 stopped/journal.jsonl)"
[ "$(attempts stopped 0005)" = 0 ] || fail "member 5 began after the stop"
[ -z "$(ours)" ] || fail "processes are left"
run stopped
same stopped

# the executor dies, all of it; then the task of a pack
run lost &
job=$!
until grep -qs '"state":"running"' lost/members/0001/progress.json || ! kill -0 $job; do sleep 0.01; done
for p in $(ours '^sluice$'); do kill -KILL "$p"; done 2>/dev/null
wait $job 2>/dev/null
run lost
same lost

# a member is cancelled that has not had its turn; the others go on
run less &
job=$!
until grep -qs '"state":"running"' less/members/0001/progress.json || ! kill -0 $job; do sleep 0.01; done
sluice cancel less 7 >out 2>err || fail "cancel"
wait $job
[ "$(attempts less 0007)" = 0 ] && [ "$(state less 7)" = cancelled ] || fail "member 7 is $(state less 7)"
for m in 0 1 2 4 5 6; do [ "$(state less $m)" = done ] || fail "member $m is $(state less $m)"; done

# rehearsed with kills of any process
run rehearsed --inject kill=0.4,seed=5 resources.retries=100
same rehearsed
echo "$(starts rehearsed sim) runs of 8 members in $(launches rehearsed sim) tasks"
