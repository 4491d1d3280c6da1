#!/bin/bash
# submit.sh - from `sluice submit` to the last job: chunks, limits, two at once, a CLI that is killed around every sbatch,
# answers that get lost, an environment full of options, recipes that would like to be commands. Every member runs each
# stage exactly once. The programs are stand-ins (tests/cli/fake/program); tests/slurm/restart.sh has the real ones.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start MaxArraySize=5 || exit 1
cd "$SLURM_TEST" || exit 1
mkdir orders
export FAKE_ORDERS=$PWD/orders

recipe() { # NAME MEMBERS LINES...
    { printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nresources: {walltime: 60}\nensemble: {min: 2}\nsweep: {seed: 1..%d}\n' "$1" "$2"
      printf '%s\n' "${@:3}"; } >"$1.yaml"
}
whole() { # CAMPAIGN MEMBERS: all done, each stage of each member begun exactly once, one ensemble with all
    local starts
    starts=$(grep '"start"' "$1/journal.jsonl" | grep -c '"member"')
    [ "$starts" = $((2 * $2)) ] || bad "$1: $starts attempts, not $((2 * $2))"
    ended "$@"
}
ended() { # CAMPAIGN MEMBERS: all done, one ensemble with all
    expect 0 sluice status "$1" --exit-code --offline
    grep -qF "all,$2" "$1/ensemble/summary.csv" || { bad "$1: the ensemble does not have $2 members"; cat "$1/ensemble/summary.csv"; }
    [ -f "$1/report/index.html" ] || bad "$1: no report"
}

# ---- the site, and what a plan shows of it
recipe chunks 12
expect 0 sluice site; shows 'max_array: 5'; shows 'mpi: "pmix"'; says 'partition short'; says 'written to'
expect 0 sluice site --show --json; shows '"max_array": 5'
sed -i 's/^doubt:.*/doubt: 2/' "$XDG_CONFIG_HOME/sluice/site.yaml"
expect 0 sluice site; shows 'doubt: 2'
chmod go+w "$XDG_CONFIG_HOME/sluice/site.yaml"; expect 78 sluice submit chunks.yaml; says 'writable by nobody else'; rm -rf chunks
chmod go-w "$XDG_CONFIG_HOME/sluice/site.yaml"
expect 0 sluice plan chunks.yaml; shows '--array=0-4 '; shows '--array=0-1 '; shows '--dependency=aftercorr:<sim-g3>'; shows 'afterany:<sim-g1>:<sim-g2>:<sim-g3>'
[ "$(grep -c 'sbatch --parsable' out)" = 7 ] || bad "a plan of 12 members in arrays of 5 has not 7 calls"
[ -e chunks ] && bad "a plan made a campaign"

# ---- one limit for all arrays: shared while it suffices, beyond that one array waits for another
limit() { sed -i "s/^throttle:.*/throttle: $1/" "$XDG_CONFIG_HOME/sluice/site.yaml"; }
limit 7; expect 0 sluice plan chunks.yaml; shows '--array=0-4%3 '; shows '--array=0-4%2 '; shows '--array=0-1 '
limit 2; expect 0 sluice plan chunks.yaml; shows '--array=0-4%1 '; shows '--dependency=afterany:<sim-g1>'
limit 0

# ---- chunks beyond MaxArraySize; two submits at once; a third while it runs. Nothing starts before both have looked
scontrol update nodename='n[1-4]' state=drain reason=wait
sluice submit chunks.yaml >one.out 2>&1 & one=$!
sluice submit chunks.yaml >two.out 2>&1 & two=$!
wait $one && wait $two || { bad "two at once"; cat one.out two.out; }
cat one.out two.out | grep -q '12 members submitted in 7 jobs' || { bad "12 members were not submitted in 7 jobs"; cat one.out two.out; }
cat one.out two.out | grep -q 'nothing to submit, 12 members are in the queue' || { bad "the second did not see the first"; cat one.out two.out; }
expect 0 sluice status chunks; shows 'queue:'
expect 0 sluice why chunks 11; shows 'is in the queue as'
scontrol update nodename='n[1-4]' state=resume

# ---- answers: killed before or after sbatch, timeouts after acceptance, noise, limits
mkdir bin
cat >bin/sbatch <<END
#!/bin/bash
calls=$PWD/calls.\$FAULT_OF # jobs of other campaigns have this sbatch on their PATH, too, and may call it at any time
n=\$(cat "\$calls" 2>/dev/null || echo 0)
n=\$((n + 1)); echo \$n >"\$calls"
[ "\$n" = "\$FAULT_AT" ] || exec $(command -v sbatch) "\$@"
case \$FAULT in
before) kill -KILL \$PPID; sleep 1 ;;
after) $(command -v sbatch) "\$@"; kill -KILL \$PPID; sleep 1 ;;
lost) $(command -v sbatch) "\$@" >/dev/null; echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1 ;;
noise) echo 'welcome to this site'; $(command -v sbatch) "\$@"; echo 'used 12 of 100 hours' ; echo 'warning 7' >&2 ;;
cancel) sluice cancel "\$FAULT_OF" >&2; exec $(command -v sbatch) "\$@" ;;
away) echo 'sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)' >&2; exit 1 ;;
again) $(command -v sbatch) "\$@" >/dev/null
    echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2
    echo 'sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)' >&2; exit 1 ;;
limit) echo 'sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user size and/or time limits)' >&2; exit 1 ;;
refuse) echo 'sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified' >&2; exit 1 ;;
esac
END
chmod +x bin/sbatch
fault() { rm -f "calls.$3"; FAULT=$1 FAULT_AT=$2 FAULT_OF=$3 PATH=$PWD/bin:$PATH sluice submit "$3.yaml" >out 2>err; }
for at in 1 2 3; do
    recipe before$at 2; fault before $at before$at; [ $? = 137 ] || bad "it was not killed before call $at"
    recipe after$at 2; fault after $at after$at; [ $? = 137 ] || bad "it was not killed after call $at"
    recipe lost$at 2; fault lost $at lost$at; [ $? = 69 ] || { bad "a lost answer $at"; cat err; }; says 'will find out'
done
for at in 1 2 3; do # a person cancels while the request is on its way
    recipe cancel$at 2; fault cancel $at cancel$at; [ $? = 130 ] || { bad "a cancel at call $at"; cat err; }; says 'was called meanwhile'
    left() { squeue -h -t PD,R -o %Z | grep -qx "$PWD/cancel$at"; }
    left && { bad "something of a cancelled submission stays in the queue"; squeue; }
done
recipe away 2; fault away 2 away; [ $? = 69 ] || bad "away"; says 'Slurm took 1 job, and then its controller could not be reached any more'
# a sbatch of the site that tried twice may have been heard the first time
recipe again 2; fault again 1 again; [ $? = 69 ] || bad "again"; says 'will find out'
recipe noise 2; fault noise 1 noise || { bad "noise"; cat err; }
recipe limit 2; fault limit 2 limit; [ $? = 75 ] || { bad "limit"; cat err; }; says 'goes on later'
recipe refuse 2; fault refuse 1 refuse; [ $? = 65 ] || bad "refuse"; says 'Invalid account'
for c in before1 before2 before3 after1 after2 after3 lost1 lost2 lost3 cancel1 cancel2 cancel3 away again limit refuse; do expect 0 sluice submit $c; done
drain
whole chunks 12
for c in before1 before2 before3 after1 after2 after3 lost1 lost2 lost3 away again noise limit refuse; do whole $c 2; done
for c in cancel1 cancel2 cancel3; do ended $c 2; done
expect 0 sluice submit chunks; shows 'nothing to submit'

# ---- the environment of a job must not reach its sbatch; names and texts that would like to be commands
printf 'slurm: {constraint: "x\\n#SBATCH --wrap=touch"}\n' >lines.yaml; cat noise.yaml >>lines.yaml
expect 65 sluice submit lines.yaml --dir lines; rm -rf lines
recipe hostile 2 "slurm: {account: \"\$(touch canary) \`touch canary\`; touch canary ' %j -x\"}"
d="./-a b'c\"d %j \$(touch canary) ;x"
SLURM_ARRAY_TASK_ID=7 SLURM_NTASKS=64 SBATCH_PARTITION=none SBATCH_TIMELIMIT=1 SLURM_MEM_PER_CPU=99999 SQUEUE_FORMAT=%i \
    SBATCH_EXCLUSIVE=1 SQUEUE_STATES=CD SLURM_HINT=x SBATCH_WRAP=x expect 0 sluice submit hostile.yaml --dir="$d"
expect 0 sluice plan "$d"
squeue -h -o %a | grep -qF 'touch canary' || bad "the account did not arrive as it was written"
expect 0 sluice status "$d"; shows 'queue:'
drain
whole "$d" 2
find "$SLURM_TEST" / -maxdepth 2 -xdev -name canary 2>/dev/null | grep . && bad "a recipe ran a command"
cmp -s "$d/slots/batch.sh" chunks/slots/batch.sh || bad "the batch script is not constant"

# ---- a member that fails: what waits for it is cleared away, the rest is reduced, retry mends it
recipe some 4
echo '65 1' >orders/0002.sluice-sim
mv orders/0002.sluice-sim orders/0002.sim
expect 0 sluice submit some.yaml
drain
expect 1 sluice status some --exit-code; shows 'F 0002'
grep -qF 'all,3' some/ensemble/summary.csv || bad "the ensemble without the failed member has not 3"
expect 0 sluice why some; shows 'sluice retry some 0002 && sluice submit some'
expect 0 sluice retry some; shows 'sluice submit some'
expect 0 sluice submit some; shows '1 members submitted in 3 jobs'
drain
expect 0 sluice status some --exit-code
grep -qF 'all,4' some/ensemble/summary.csv || bad "the ensemble after retry has not 4"
exit $failed
