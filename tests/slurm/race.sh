#!/bin/bash
# race.sh - two submits at once of a campaign that is not made yet, then two retries and two submits at once of the member that
# failed in it, again and again: each time one chain of jobs per member, every stage done once. The programs are stand-ins
# (tests/cli/fake/program). long: two minutes.
#   SLUICE_RACES   how often both (default 20)
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start || exit 1
cd "$SLURM_TEST" || exit 1
sluice site >/dev/null 2>&1
cat >r.yaml <<'END'
campaign: r
problem: sod
mesh: {cells: [64]}
time: {end: 0.2}
resources: {walltime: 60, retries: 0}
ensemble: {min: 2}
sweep: {seed: 1..3}
END
starts() { grep '"start"' "$1/journal.jsonl" | grep -c "\"member\":\"$2\",\"stage\":\"$3\""; } # CAMPAIGN MEMBER STAGE
arrays() { find "$1/slots" -name 'slurm.*.tsv' | wc -l; }                                         # CAMPAIGN
# race NAME: one of both kinds; says what went wrong
race() {
    local c=$1 i m
    mkdir "$c.orders"
    echo '65 1' >"$c.orders/0001.sim"
    export FAKE_ORDERS=$PWD/$c.orders
    for i in 1 2; do sluice submit r.yaml --dir "$c" >"$c.submit.$i" 2>&1 & done
    wait
    [ "$(cat "$c".submit.? | grep -c '3 members submitted in 3 jobs')" = 1 ] || { echo "$c: not submitted by one of two"; cat "$c".submit.?; }
    wait_for 200 failed "$c" || echo "$c: 0001 does not fail"
    wait_for 100 whole "$c" || echo "$c: no ensemble"
    for i in 1 2; do sluice retry "$c" >"$c.retry.$i" 2>&1 & done
    wait
    for i in 1 2; do sluice submit "$c" >"$c.again.$i" 2>&1 & done
    wait
    [ "$(cat "$c".again.? | grep -c '1 members submitted in [23] jobs')" = 1 ] || { echo "$c: the retry was not submitted by one of two"; cat "$c".retry.? "$c".again.?; }
    wait_for 200 all_done "$c" || echo "$c: it does not end"
    for m in 0000 0001 0002; do
        i=1
        [ $m = 0001 ] && i=2
        [ "$(starts "$c" $m sim)" = $i ] && [ "$(starts "$c" $m stats)" = 1 ] || echo "$c: member $m began $(starts "$c" $m sim) times, $(starts "$c" $m stats) statistics"
    done
    [ "$(arrays "$c")" = 2 ] || echo "$c: $(arrays "$c") generations, not 2"
}
failed() { sluice status "$1" --json --offline | grep -q '"failed": 1'; }
whole() { [ -s "$1/ensemble/summary.csv" ]; }
for ((n = 1; n <= ${SLUICE_RACES:-20}; n++)); do
    race "r$n" >"r$n.bad" &
    [ $((n % 4)) = 0 ] && wait
done
wait
drain
for ((k = 1; k < n; k++)); do
    [ "$(grep -h '^all,' "r$k/ensemble/summary.csv")" = 'all,3' ] || echo "r$k: the ensemble has not 3 members" >>"r$k.bad"
done
cat r*.bad >bad
[ ! -s bad ] || { bad "$((n - 1)) races"; cat bad; tail -n 4 r1/logs/slurm/*; }
echo "$((n - 1)) races of two submits, $((n - 1)) of two retries and two submits"
exit $failed
