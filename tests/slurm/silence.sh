#!/bin/bash
# silence.sh - Slurm does not answer the jobs while they end: one that has to begin again, one that failed and whose
# followers must leave the queue, several in one task, the job that makes the ensemble, one that is heard only when Slurm is
# already ending it. Each waits until it is heard; no person has to do anything. The programs are stand-ins
# (tests/cli/fake/program). long: two minutes.
set -u
. "$(dirname "$0")/cluster.sh"
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
cluster_start KillWait=60 || exit 1
cd "$SLURM_TEST" || exit 1
mkdir bin orders
export FAKE_ORDERS=$PWD/orders
# While the file deaf.STAGE is there, commands that a job of this kind calls get no answer.
for c in squeue scancel scontrol sbatch; do
    cat >bin/$c <<END2
#!/bin/bash
case \${SLUICE_JOB:-} in *_*) stage=member ;; ?*) stage=whole ;; *) stage=person ;; esac
[ -e "$PWD/deaf.\$stage" ] || exec $(command -v $c) "\$@"
echo "\$SLUICE_JOB $c \$*" >>"$PWD/asked"
echo "$c: error: Unable to contact slurm controller (connect failure)" >&2
exit 1
END2
    chmod +x bin/$c
done
export PATH=$PWD/bin:$PATH
recipe() { # NAME MEMBERS LINES...
    { printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nresources: {walltime: 60, retries: 0}\nensemble: {min: 2}\nsweep: {seed: 1..%d}\n' "$1" "$2"
      printf '%s\n' "${@:3}"; } >"$1.yaml"
}
state() { sluice status "$1" --json --offline | /usr/bin/python3 -c "import json, sys; print(*[m['state'] for m in json.load(sys.stdin)['list']])"; }
tells() { [ "$(grep -l 'waiting for Slurm' "$1"/logs/slurm/* 2>/dev/null | wc -l)" = "$2" ]; } # CAMPAIGN TASKS
until_true() { wait_for "$@" || { bad "after $1 s not yet: ${*:2}"; squeue; tail -n 4 ./*/logs/slurm/*; }; }
sluice site >/dev/null 2>&1

recipe one 4
echo '75 1' >orders/0000.sim # stops once
echo '65 1' >orders/0001.sim # is refused: what follows it must go
touch deaf.member
sluice submit one.yaml >/dev/null || bad "submit one"
recipe two 4 'slurm: {pack: 2}'
mkdir packed
echo '75 1' >packed/0000.sim
echo '65 1' >packed/0002.sim; echo '65 1' >packed/0003.sim
FAKE_ORDERS=$PWD/packed sluice submit two.yaml >/dev/null || bad "submit two"
until_true 60 tells one 2; until_true 60 tells two 2
sleep 6 # and ask again
rm deaf.member
until_true 120 queue_empty
[ "$(state one)" = 'done failed done done' ] || bad "one: $(state one)"
[ "$(state two)" = 'done done failed failed' ] || bad "two: $(state two)"
grep -qF 'all,3' one/ensemble/summary.csv || bad "the ensemble of one has not 3 members"
grep -qF 'all,2' two/ensemble/summary.csv || bad "the ensemble of two has not 2 members"

# ---- the job that follows all members
recipe last 2
touch deaf.whole
sluice submit last.yaml >/dev/null || bad "submit last"
until_true 60 tells last 1
rm deaf.whole
until_true 60 queue_empty
grep -qF 'all,2' last/ensemble/summary.csv || bad "no ensemble of last"

# ---- a person takes out what waits: it ends, and nothing comes after it
recipe gone 2
rm orders/*
echo '75 1' >orders/0000.sim
touch deaf.member
sluice submit gone.yaml >/dev/null || bad "submit gone"
until_true 60 tells gone 1
sluice cancel gone >/dev/null || bad "cancel gone"
until_true 60 queue_empty
rm deaf.member
[ "$(find gone/slots -name 'slurm.*.tsv' | wc -l)" = 1 ] || bad "a successor of what was cancelled"
[ "$(state gone)" = 'stopped done' ] || bad "gone: $(state gone)"

# ---- silence until Slurm has ended the job at its limit: it is heard before the kill
recipe over 2
echo '75 1' >orders/0001.sim
touch deaf.member
sluice submit over.yaml >/dev/null || bad "submit over"
until_true 60 tells over 1
ending() { squeue -h -t CG -o %j | grep -q -- -sim-; }
until_true 240 ending
rm deaf.member
until_true 120 queue_empty
grep -q 'restart 1 ' over/logs/slurm/*-sim-g1.1.log || bad "over: Slurm did not start it again"
[ "$(state over)" = 'done done' ] || bad "over: $(state over)"
exit $failed
