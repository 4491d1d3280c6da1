#!/bin/bash
# full.sh - a campaign on a disk that is full to the last byte: a run ends with 73 and says which file has no room, it
# leaves nothing of a campaign that it could not make, and with room again the next run finishes. The programs are stand-ins (tests/cli/fake/program).
set -u
fake=$(cd "$(dirname "$0")/fake" && pwd)
export SLUICE_PROGRAMS=$fake FAKE_STEPS=60 FAKE_NAP=0.02
. "$SLUICE_TOP/tests/scratch.sh"
small 1m || exit 0
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
# expect CODE COMMAND...: output in out, messages in err
printf 'campaign: c\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nsweep: {seed: 1..2}\n' >c.yaml

# ---- no room for a campaign: nothing is left of it, and a directory that was there stays
mkdir small/empty
for pages in 0 1; do # none for the claim of its making, none for its recipe
    fill $pages
    expect 73 sluice run c.yaml --dir small/c; says 'No space left on device'
    expect 73 sluice run c.yaml --dir small/empty
    [ "$(find small -mindepth 1 | sort | tr '\n' ' ')" = 'small/empty small/fill ' ] || bad "left behind: $(find small)"
    rm small/fill
done

# ---- a recipe that names files of another file system, as one at home on NFS whose campaign lies on scratch: they are copied, or,
# with no room for one of them, nothing is left, whatever was made before
printf '#!/bin/sh\nseq 3 >one.csv\n' >one.sh
{ printf '#!/bin/sh\nseq 5 >two.csv\n'; seq -f '# %06g' 2000; } >two.sh
chmod +x one.sh two.sh
{ cat c.yaml; printf 'stages: {member: ./one.sh, campaign: ./two.sh}\n'; } >own.yaml
for pages in 1 2 3 4 5 6 8 10; do
    fill $pages
    expect 73 sluice run own.yaml --dir small/deep/c
    expect 73 sluice run own.yaml --dir small/empty
    [ "$(find small -mindepth 1 | sort | tr '\n' ' ')" = 'small/empty small/fill ' ] || bad "left of scripts with $pages pages: $(find small)"
    rm -rf small/fill small/deep
done
expect 0 sluice run own.yaml --dir small/deep/c
cmp -s two.sh small/deep/c/inputs/*-two.sh && [ -s small/deep/c/members/0001/own/one.csv ] || bad "scripts of another file system: $(find small/deep)"
rm -rf small/deep small/empty/*

# interrupted DIR: a campaign there whose members both began and neither is near its end
interrupted() {
    FAKE_STEPS=6000 sluice run c.yaml --dir "$1" >out 2>err & pid=$!
    for m in 0000 0001; do
        for _ in $(seq 2400); do grep -q '"step":[1-9]' "$1/members/$m/progress.json" 2>/dev/null && break; sleep 0.05; done
    done
    kill -INT $pid
    wait $pid
    [ $? = 130 ] || bad "an interrupted run does not end with 130: $(cat err)"
}

# ---- no room when it is to go on; a member for which there is some goes on to its end
interrupted small/c
for pages in 0 1 2; do # none for the claim of the run, none for those of its attempts, room for one of them
    fill $pages
    expect 73 sluice run small/c; says 'No space left on device'; says "$work/small/c/"
    rm small/fill
done
expect 0 sluice run small/c
rm -r small/c

# ---- an attempt of another host that gives signs of life is waited for, however often that is looked at
interrupted small/c
held=small/c/members/0001/attempts/sim.1000.json
echo '{"v":1,"n":1000,"host":"elsewhere","boot":"b","space":"s","pid":7,"start":7,"token":"t","begin":1}' >$held
sluice run small/c >out 2>err & pid=$!
sleep 9
for _ in $(seq 600); do grep -q '0000 stats done' out && break; touch $held; sleep 0.2; done # a sign of life
kill -0 $pid 2>/dev/null || bad "the run did not wait for a held stage: $(cat out err)"
grep -q '0000 stats done' out || bad "the other member was not finished meanwhile: $(cat out err)"
rm $held
wait $pid || bad "the run failed: $(cat out err)"
expect 0 sluice status small/c; grep -q '2/2 done' out || bad "not all done: $(cat out)"

exit $failed
