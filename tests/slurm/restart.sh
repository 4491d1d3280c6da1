#!/bin/bash
# restart.sh - attempts that end before their time: nodes that die, the wall-time limit, a controller that is away. Every
# member, an adaptive mesh, ends once, with the bits of an undisturbed run; at length also adaptive turbulence and a cloud.
#   SLUICE_KILLS   nodes killed (default 1), each under a member that got further than at its kill before, in as many campaigns
#                  as it takes
#   SLUICE_LONG    runs that last longer, so that each member reaches its wall-time limit ten times
set -u
. "$(dirname "$0")/cluster.sh"
bits=$(cd "$(dirname "$0")" && pwd)/bits.py
recipes=$(cd "$(dirname "$0")/../../recipes" && pwd)
export OMPI_MCA_mpi_yield_when_idle=1 # ranks that wait leave the processor to the others of a busy machine
cluster_start SlurmdTimeout=10 || exit 1
cd "$SLURM_TEST" || exit 1
end=0.15 least=1
[ -z "${SLUICE_LONG:-}" ] || end=0.8 least=10
cat >law.yaml <<END
campaign: law
problem: sod
sweep: {seed: 1..2}
mesh:
  cells: [384, 96]
  box: [[0, 1], [0, 0.25]]
  block: 32
  boundary: outflow
  levels: 1
  refine: [{by: gradient, of: density, above: 0.002}]
time: {end: $end}
output: {snapshot: 0.4, history: 0.01, checkpoint: 0.5 s}
resources: {ranks: 2, walltime: 5 min}
ensemble: {min: 2}
END
# until SECONDS COMMAND: fails loudly
until_true() { wait_for "$@" || { bad "after $1 s not yet: ${*:2}"; squeue; tail -n 3 ./*/logs/slurm/*.log; }; }
recipe=(law.yaml) members=2 # what is submitted
all_done() { sluice status "$1" --json --offline | grep -q "\"done\": $members"; }
once() { # CAMPAIGN: every stage ended as done exactly once
    local doubles
    doubles=$(grep '"end"' "$1/journal.jsonl" | grep '"done"' | sed 's/.*"member":"\([0-9]*\)","stage":"\([a-z]*\)".*/\1 \2/' | grep '^[0-9]' | sort | uniq -d)
    [ -z "$doubles" ] || bad "done twice: $doubles"
}
same() { # CAMPAIGN
    local have
    have=$(/usr/bin/python3 "$bits" "$1")
    [ "$have" = "$want" ] || bad "$1 has other bits: $have, not $want"
}

sluice site >/dev/null 2>&1 || bad "site"
sluice run law.yaml --dir quiet >quiet.out 2>&1 || { cat quiet.out; exit 1; }
want=$(/usr/bin/python3 "$bits" quiet)

# ---- the wall-time limit: an attempt gets a part of what an undisturbed run took, so that each run takes several however busy
# the machine is, and none is over before it has begun; Slurm starts them again
limit=$(grep '"what":"end".*"stage":"sim"' quiet/journal.jsonl | sed 's/.*"seconds":\([0-9.]*\).*/\1/' | sort -n |
    awk -v n=$((4 * least)) 'END { s = $1 / n; if (s < 3) s = 3; printf "%.1f", s < 5 ? 2 * s : s + 5 }')
echo "the limit of an attempt is $limit s"
sluice submit law.yaml resources.walltime="$limit" --dir wall >/dev/null || bad "submit wall"

# ---- nodes die under the run
newest() { find "$1/members/$2/checkpoints" -name MANIFEST ! -path "*.tmp/*" 2>/dev/null | sort | tail -n 1; } # CAMPAIGN MEMBER
member_of() { sed -n "$(($3 + 3))p" "$(printf '%s/slots/slurm.%04d.tsv' "$1" "${2##*-g}")"; }             # CAMPAIGN JOB-NAME SLOT
declare -A seen
victim() { # CAMPAIGN: node, member: one that runs where slurmd does, and has a checkpoint that it had not when it was last killed
    local name slot
    node=
    all_done "$1" && return
    while read -r name slot node; do
        member=$(member_of "$1" "$name" "$slot") now=$(newest "$1" "$member")
        [ -e "slurmd.$node.pid" ] && [ -n "$now" ] && [ "$now" != "${seen[$member]:-}" ] && return
    done < <(squeue -h -t R -o '%j %K %N' | grep "^$id-sim-g" | shuf)
    return 1
}
revive() { # NODE, once it is missed
    wait_for 120 node_is "$1" 'down*' || echo "FAIL: $1 is not seen as down"
    node_up "$1"
}
# kill_nodes CAMPAIGN: until there were enough, or it is done
kill_nodes() {
    sluice submit "${recipe[@]}" --dir "$1" || bad "submit"
    id=$(sluice status "$1" --json | sed -n 's/.*"name": "\(slc-[0-9a-f]*\)-sim.*/\1/p' | head -n 1)
    seen=()
    while [ $kills -lt "$want_kills" ] && wait_for 300 victim "$1" && [ -n "$node" ]; do
        echo "kill $node under member $member of $1: ${now##*checkpoints/}"
        seen[$member]=$now
        node_kill "$node"
        kills=$((kills + 1))
        revive "$node" >>revived 2>&1 &
    done
    wait
}
kills=0 want_kills=${SLUICE_KILLS:-1} campaigns=()
for round in 1 2 3 4 5 6 7 8; do
    [ $kills -lt "$want_kills" ] || break
    campaigns+=("nodes$round")
    kill_nodes nodes$round
    until_true "${SLUICE_LONG:+9}600" all_done nodes$round
done
echo "$kills kills in ${#campaigns[@]} campaigns"
[ $kills = "$want_kills" ] || bad "only $kills nodes were killed: the runs are too short"
[ -s revived ] && { cat revived; failed=1; }
ends_well() { # CAMPAIGN
    until_true "${SLUICE_LONG:+9}600" all_done "$1"
    until_true 60 test -f "$1/ensemble/summary.csv"
    once "$1"
    same "$1"
}
for c in "${campaigns[@]}"; do ends_well "$c"; done
stops_of() { grep '"result":"stopped"' "$wall/journal.jsonl" | grep -c "\"member\":\"$1\""; } # MEMBER
stopped() { [ "$(stops_of 0000)" -ge $least ] && [ "$(stops_of 0001)" -ge $least ]; }
# a machine that was quieter when it was timed gives attempts that get nowhere, one that was busier too few of them
stalled() { sluice status "$1" --offline | grep -q stalled; }
settled() { all_done "$1" || stalled "$1"; }
wall=wall
for again in 2 3 4; do
    until_true "${SLUICE_LONG:+9}600" settled $wall
    if all_done $wall; then
        ends_well $wall
        stopped && break
        factor=0.5
    else
        sluice cancel $wall >/dev/null 2>&1
        factor=2
    fi
    limit=$(awk "BEGIN { printf \"%.1f\", $limit * $factor }") wall=wall$again
    echo "the machine was as busy as not when it was timed: the limit of an attempt is $limit s"
    sluice submit law.yaml resources.walltime="$limit" --dir $wall >/dev/null || bad "submit $wall"
done
[ $wall = wall4 ] && ends_well $wall
until_true 60 queue_empty
grep -q '"taken"' nodes1/journal.jsonl || bad "the journal does not tell that a node failed"
for m in 0000 0001; do
    echo "$(stops_of $m) stops of member $m at the limit"
    [ "$(stops_of $m)" -ge $least ] || bad "member $m stopped $(stops_of $m) times at the limit, not $least times"
done
grep -q 'restart [1-9]' $wall/logs/slurm/*-sim-g1.0.log || bad "Slurm did not start it again"
# ---- adaptive runs, to their reports, under which a node dies
adaptive() { # CAMPAIGN MEMBERS, with the recipe
    members=$2 kills=0 want_kills=1
    sluice run "${recipe[@]}" --dir "calm-$1" >calm.out 2>&1 || { cat calm.out; bad "sluice run of $1"; }
    want=$(/usr/bin/python3 "$bits" "calm-$1")
    kill_nodes "$1"
    [ $kills = 1 ] || bad "no node was killed under $1"
    until_true 600 all_done "$1"
    until_true 120 test -f "$1/report/index.html"
    once "$1"
    same "$1"
    grep -q '"taken"' "$1/journal.jsonl" || bad "the journal does not tell that a node failed under $1"
}
[ -z "${SLUICE_LONG:-}" ] || {
    keys=('output.checkpoint=0.5 s' 'resources.walltime=5 min')
    recipe=("$recipes/decaying-turbulence-adaptive.yaml" 'mesh.cells=[32,32,32]' turbulence.kmax=4 time.end=0.4 "${keys[@]}")
    adaptive eddies 4
    recipe=("$recipes/cloud.yaml" 'mesh.cells=[16,16,16]' mesh.block=8 mesh.levels=2 resources.backend=cpu "${keys[@]}")
    adaptive cloud 1
}
exit $failed
