#!/bin/bash
# account.sh - a cluster that keeps accounts (slurmdbd): `sluice site` finds it and the limits of this user; campaigns beyond them
# go in piece by piece, whether the site file tells the limit or Slurm's refusal does; an account that is none is the recipe's
# fault; what sacct tells afterwards is what the journal tells; and when slurmdbd is away, nothing changes. The programs are
# stand-ins (tests/cli/fake/program). long: a minute and a half.
set -u
. "$(dirname "$0")/cluster.sh"
for program in slurmdbd mariadbd mariadb-install-db; do
    command -v $program >/dev/null || { echo "SKIP: $program is not installed (.ci/packages long)"; exit 0; }
done
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0.05
export CLUSTER_ACCOUNTS=1
cluster_start AccountingStorageType=accounting_storage/slurmdbd || exit 1
cd "$SLURM_TEST" || exit 1
mkdir orders
export FAKE_ORDERS=$PWD/orders
site=$XDG_CONFIG_HOME/sluice/site.yaml
recipe() { # NAME MEMBERS LINES...
    { printf 'campaign: %s\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nresources: {walltime: 60}\nensemble: {min: 2}\nsweep: {seed: 1..%d}\n' "$1" "$2"
      printf '%s\n' "${@:3}"; } >"$1.yaml"
}
whole() { # CAMPAIGN MEMBERS: done, each stage of each begun once, one ensemble with all
    all_done "$1" || { bad "$1 is not done"; sluice status "$1" --offline -m; }
    [ "$(grep '"start"' "$1/journal.jsonl" | grep -c '"member"')" = $((2 * $2)) ] || bad "$1: not one attempt per stage"
    grep -qF "all,$2" "$1/ensemble/summary.csv" || { bad "$1: the ensemble has not $2 members"; cat "$1/ensemble/summary.csv"; }
}
# piecewise CAMPAIGN: submits again while a rest is left
piecewise() {
    local i code
    for i in 1 2 3 4 5 6; do
        drain
        sluice submit "$1" >out 2>err
        code=$?
        [ $code = 0 ] && break
        [ $code = 75 ] || { bad "submit $1 again: exit $code"; cat out err; break; }
    done
    drain
}

# ---- no limit, then one
expect 0 sluice site; says 'sacct answers'; shows 'accounting: 1'; shows 'max_submit: 0'
sacctmgr -i modify user root set MaxSubmitJobs=9 >/dev/null || bad "sacctmgr"
expect 0 sluice site; says 'accounting lets 9 tasks be submitted'; shows 'max_submit: 9'
recipe known 6
expect 75 sluice submit known.yaml; says 'max_submit of the site: 9'
piecewise known
whole known 6

# ---- a limit that the site file does not know: Slurm refuses, the rest waits
sed -i 's/^max_submit:.*/max_submit: 0/' "$site"
recipe refused 6
expect 75 sluice submit refused.yaml; says 'goes on later'; says 'AssocMaxSubmitJobLimit'
piecewise refused
whole refused 6
sacctmgr -i modify user root set MaxSubmitJobs=-1 >/dev/null || bad "sacctmgr"
recipe nobody 2 'slurm: {account: nobody}'
expect 65 sluice submit nobody.yaml; says 'Invalid account'

# ---- what sacct tells is what the journal tells, with one that Slurm started twice
recipe books 3
echo '75 1' >orders/0001.sim
expect 0 sluice submit books.yaml
drain
all_done books || bad "books is not done"
name=$(sed -n 's/.*"what":"submitted".*"text":"\(slc-[^ ]*-sim-g1\) .*/\1/p' books/journal.jsonl)
runs() { sacct -n -X -P -D --name="$name" -o State,ExitCode | sort | uniq -c | sed 's/^ *//' | tr '\n' ' '; }
settled() { [ "$(runs)" = '3 COMPLETED|0:0 1 REQUEUED|0:0 ' ]; }
wait_for 30 settled || bad "sacct tells of $name: $(runs)"
[ "$(grep '"what":"start"' books/journal.jsonl | grep -c '"stage":"sim"')" = 4 ] || bad "not four attempts in the journal"

# ---- slurmdbd goes away while members run
recipe away 4
FAKE_STEPS=100 expect 0 sluice submit away.yaml
accounts_down
sacct -n >/dev/null 2>&1 && bad "sacct still answers"
expect 0 sluice status away; shows 'queue:'
expect 0 sluice why away 1
expect 0 sluice site; says 'sacct does not answer; not needed'
recipe later 2
expect 0 sluice submit later.yaml
drain
whole away 4
whole later 2
exit $failed
