#!/bin/bash
# slots.sh - the small tables of slots/: what follows from other files is done without, what does not is sealed and named when it is
# damaged; tables of an older sluice, which had no checksum, are read; a pair is an ensemble. The programs are stand-ins (tests/cli/fake/program).
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
export SLUICE_PROGRAMS=$SLUICE_TOP/tests/cli/fake FAKE_STEPS=2 FAKE_NAP=0
cd "$work" || exit 1
mkdir own
printf '#!/bin/sh\nseq 3 >one.csv\n' >own/one.sh
chmod +x own/one.sh
printf 'campaign: base\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nstages: {member: own/one.sh}\nsweep: {seed: 1..2}\n' >base.yaml
expect 0 sluice run base.yaml
expect 0 sluice set base resources.retries=7
new() { rm -rf c; cp -r base c; }
copy=$(cd base/inputs && ls)

# ---- which copy stands for which path: told by the copies where that table is gone or damaged
for how in gone damaged cut older empty garbage; do
    new
    case $how in
    gone) rm c/slots/inputs.tsv ;;
    damaged) sed -i "s/one.sh/two.sh/" c/slots/inputs.tsv ;;
    cut) sed -i '$d' c/slots/inputs.tsv ;;
    older) sed -i '/^#/d' c/slots/inputs.tsv ;;
    empty) : >c/slots/inputs.tsv ;;
    garbage) printf '\1\377x\tyz\n' >c/slots/inputs.tsv ;;
    esac
    expect 0 sluice status c; case $how in older) [ ! -s err ] ;; gone) says 'slots/inputs.tsv was missing and is made again' ;; *) says 'slots/inputs.tsv was damaged and is made again' ;; esac || bad "$how: $(cat err)"
    expect 0 sluice status c; [ ! -s err ] || bad "$how: damaged still: $(cat err)"
    expect 0 sluice clean c --damaged; [ "$(grep -c 'it will run again' out)" = 0 ] || bad "$how: members run again: $(cat out)"
    rm own/one.sh # what the campaign has is enough
    expect 0 sluice extend c seed=1..3; expect 0 sluice run c
    grep -q "inputs/$copy" c/members/0002/run.yaml || bad "$how: the new member has not the copy: $(grep stages c/members/0002/run.yaml)"
    [ -s c/members/0002/own/one.csv ] || bad "$how: the command did not run"
    cp "base/inputs/$copy" own/one.sh
done
new
cp "c/inputs/$copy" c/inputs/01234567-one.sh
echo x >>c/slots/inputs.tsv
rm c/members/0000/run.yaml c/members/0000/attempts/own.end.json
expect 65 sluice run c; grep -rqF 'inputs.tsv is damaged or gone, and inputs/ has several copies of one.sh' out err c/logs || bad "nothing says which table is damaged: $(cat out err)"

# ---- a copy that is damaged or gone is named once, though all members name it
for how in damaged gone; do
    new
    case $how in damaged) sed -i 's/3/4/' "c/inputs/$copy" ;; gone) rm "c/inputs/$copy" ;; esac
    expect 1 sluice verify c; shows "base inputs: "; shows "/c/inputs/$copy"; says 'an input of the campaign is lost'
    [ "$(grep -c "^base inputs:" out)" = 1 ] || bad "$how: $(cat out)"
    expect 1 sluice verify c --json; shows '"stage": "inputs"'
    cp "base/inputs/$copy" c/inputs/
    expect 0 sluice verify c
done

# ---- products of own commands are on disk, with their names, before the record that names them is
if strace -qq -o /dev/null true 2>/dev/null; then
    expect 0 strace -f -y -qq -e trace=fsync,rename -o calls sluice run base.yaml --dir synced
    /usr/bin/python3 - <<'PY' || bad "own products and their record: $(grep -n own calls | grep -v claim)"
import re
calls = [re.sub(r'^[0-9]+ +', '', l) for l in open('calls')]
where = lambda what: next(i for i, l in enumerate(calls) if re.search(what, l))
order = [r'fsync\(.*/0000/own\.part/one\.csv>', r'fsync\(.*/0000/own\.part>', r'rename\(".*/0000/own\.part", ".*/0000/own"']
order = [where(r) for r in order]
home = next(i for i, l in enumerate(calls) if i > order[-1] and re.search(r'fsync\(.*/0000>', l))
record = [where(r'fsync\(.*/0000/attempts/own\.end\.json'), where(r'rename\(".*", ".*/0000/attempts/own\.end\.json"')]
assert order + [home] + record == sorted(order + [home] + record), (order, home, record)
PY
else
    echo "SKIP: strace is not there, or may not trace here"
fi

# ---- what `sluice set` has changed follows from nothing
for how in 's/7/8/' '$d' '1d' 's/^# sl/# sm/'; do
    new
    sed -i "$how" c/slots/settings
    expect 65 sluice status c; says 'slots/settings is damaged'; says 'sluice set'
    expect 65 sluice run c; says 'slots/settings is damaged'
done
new
: >c/slots/settings
expect 65 sluice status c; says 'slots/settings is damaged'
printf '\1\377x=\nyz\n' >c/slots/settings
expect 65 sluice status c; says 'slots/settings is damaged'
rm c/slots/settings
expect 0 sluice status c; says 'slots/settings is missing: put it back'; [ "$(wc -l <err)" = 1 ] || bad "said more than once: $(cat err)"
new
sed -i '/^#/d' c/slots/settings
expect 0 sluice status c
sluice set c resources.retries=5 >out; grep -q 'resources.retries=5' c/slots/settings && grep -q '^# crc32c' c/slots/settings || bad "settings of an older sluice: $(cat c/slots/settings)"

# ---- the table of the members follows from the recipe beside it
for how in 's/seed=1/seed=9/' '$d' '1d' '3,$d'; do
    new
    expect 0 sluice extend c seed=1..3
    for table in 0001 0002; do
        cp c/slots/$table.tsv whole
        sed -i "$how" c/slots/$table.tsv
        cmp -s whole c/slots/$table.tsv && continue # no such line in it
        expect 0 sluice status c; says "slots/$table.tsv was damaged and is made again"
        cmp whole c/slots/$table.tsv || bad "$how: another table: $(cat c/slots/$table.tsv)"
        expect 0 sluice status c; [ ! -s err ] || bad "$how: damaged still: $(cat err)"
    done
done
new
: >c/slots/0001.tsv # recipe.yaml says that the recipe is the one
expect 0 sluice status c; says 'slots/0001.tsv was damaged and is made again'
new
sed -i 's/seed=1/seed=9/; s/^# recipe ./# recipe x/' c/slots/0001.tsv
echo '# changed' >>c/recipe.yaml
expect 65 sluice status c; says 'slots/0001.tsv is damaged'

# ---- and is made again where it is gone, and members are there that no other table lists
for table in 0001 0002; do
    new
    [ $table = 0001 ] || { expect 0 sluice extend c seed=1..3; expect 0 sluice run c; }
    mv c/slots/$table.tsv whole
    expect 0 sluice status c; says "slots/$table.tsv was missing and is made again"
    cmp whole c/slots/$table.tsv || bad "another table than the one that is gone: $(cat c/slots/$table.tsv)"
    expect 0 sluice verify c; [ ! -s err ] || bad "$table gone still: $(cat err)"
done
new
rm c/slots/0001.tsv
expect 0 sluice run base.yaml --dir c; says 'slots/0001.tsv was missing and is made again'
new
rm c/slots/0001.tsv
echo '# changed' >>c/recipe.yaml # nothing says that slots/0001.yaml is the recipe
expect 65 sluice status c; says 'slots/0001.tsv is missing; put it back from a copy'
new
rm -r c/slots/0001.tsv c/members # as a making that was cut leaves it
expect 2 sluice status c; says 'is not a campaign'

# ---- what a run said of itself: named, made again from its record, and costs no run and no report
for how in ': >' 'printf garbage >' 'truncate -s 20' rm; do
    for verb in 'clean c --damaged' 'report c' 'retry c 0000 --from own'; do
        new
        cp c/members/0000/progress.json whole
        eval "$how c/members/0000/progress.json"
        expect 1 sluice verify c; says '1 stages have products that are missing or damaged'
        # shellcheck disable=SC2086
        expect 0 sluice $verb; case $verb in retry*) ;; *) says 'and is made again from the record of the run' ;; esac
        expect 0 sluice run c
        [ ! -e c/members/0000/attempts/sim.2.json ] || bad "$how, $verb: the run was repeated"
        cmp whole c/members/0000/progress.json || bad "$how, $verb: progress.json is another"
        expect 0 sluice verify c
    done
done

# ---- a journal that has lost lines: told, and no stage is repeated for it
for how in ': >' 'truncate -s 700' rm; do
    new
    eval "$how c/journal.jsonl"
    for verb in status why; do expect 0 sluice $verb c; shows 'journal.jsonl has lost lines'; shows 'to go on: sluice run c finds them'; done
    expect 0 sluice run c
    [ -z "$(find c/members -name 'sim.2.json' -o -name 'stats.2.json')" ] || bad "$how: a stage was repeated"
    expect 0 sluice status c; shows '2/2 done'; grep -q 'lost lines' out && bad "told still: $(cat out)"
done
new
expect 0 sluice status c; grep -q 'lost lines' out && bad "told of a journal that is whole"

# ---- a campaign that is done whose recipe is not what it was: named by whatever reads it or goes by it, and nothing is lost of it
for how in changed gone; do
    new
    if [ $how = gone ]; then rm c/slots/0001.yaml; else sed -i 's/0.2/0.3/' c/slots/0001.yaml; fi
    for verb in submit check 'clean --damaged'; do
        # shellcheck disable=SC2086
        FAKE_SLURM=$work expect 65 env PATH="$SLUICE_TOP/tests/slurm/fake:$PATH" sluice $verb c
        says 'put it back with `cp recipe.yaml slots/0001.yaml`'
    done
    for m in 0 1; do cmp base/members/000$m/run.yaml c/members/000$m/run.yaml || bad "clean took run.yaml of member $m"; done
    expect 65 sluice inspect c; shows 'put it back with `cp recipe.yaml slots/0001.yaml`'
    expect 1 sluice verify c; shows 'put it back with `cp recipe.yaml slots/0001.yaml`'; says 'a recipe of the campaign is lost'
    [ $how = gone ] && code=65 || code=0 # the page shows the recipe
    expect $code sluice report c; says 'put it back with `cp recipe.yaml slots/0001.yaml`'
    [ $how = gone ] || grep -q 'Not its recipe</dt><dd>[^<]*c/slots/0001.yaml is ' c/report/index.html || bad "the page does not say that its recipe is $how"
    cp base/slots/0001.yaml c/slots/
    expect 0 sluice report c; [ ! -s err ] || bad "of a whole recipe: $(cat err)"
    grep -q 'Not its recipe' c/report/index.html && bad "the page tells still"
    expect 0 sluice verify c; expect 0 sluice inspect c
done

# ---- the record of a run that is damaged is made again from written.tsv, and the run is not: at the next stage where it cannot be read,
# by clean where it says something else; where a file is not what the run wrote the reason is told, and it runs again (real programs)
printf 'campaign: real\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.1}\noutput: {snapshot: 0.05}\nverify: true\n' >real.yaml
real() { env -u SLUICE_PROGRAMS "$@"; }
expect 0 real sluice run real.yaml
record=c/members/0000/attempts/sim.end.json
runs() { grep -c '"start".*"sim"' c/journal.jsonl; }
for how in ': >' 'echo garbage >' 'truncate -s 100' "sed -i 's/\"size\": 3/\"size\": 2/'" 'sed -i s/history/histary/'; do
    rm -rf c; cp -a real c
    eval "$how $record"
    expect 1 sluice verify c; shows '0000 sim: '
    case $how in sed*) ;; *) expect 0 real sluice report c ;; esac
    expect 0 sluice clean c --damaged; grep -q 'run again' out && bad "$how: $(cat out)"
    expect 0 sluice verify c; expect 0 real sluice run c
    [ "$(runs)" = 1 ] || bad "$how: the run was made again"
done
rm -rf c; cp -a real c
echo garbage >$record; echo >>c/members/0000/sample_line.csv
expect 0 sluice clean c --damaged; says "sim.end.json is damaged, and cannot be made again: sample_line.csv is not what the run wrote"; shows 'it will run again'
expect 0 real sluice run c; [ "$(runs)" = 2 ] || bad "$(runs) runs, not two"
expect 0 sluice verify c; for f in history.tsv sample_line.csv; do cmp {real,c}/members/0000/$f || bad "another $f"; done

# ---- a pair of members is an ensemble: they differ in ic.paired alone
printf 'campaign: pair\nproblem: cosmology\nmesh: {cells: [16, 16, 16], box: [[0, 100], [0, 100], [0, 100]]}\nic: {fixed: true}\ntime: {end: 20, unit: redshift}\nsweep: {ic.paired: [false, true]}\n' >pair.yaml
expect 0 sluice run pair.yaml
[ "$(cat pair/slots/ensemble.list)" = 'members/0000
members/0001' ] && [ -s pair/ensemble/summary.csv ] || bad "no ensemble of a pair: $(cat pair/slots/ensemble.list)"

exit $failed
