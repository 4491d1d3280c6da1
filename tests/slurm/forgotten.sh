#!/bin/bash
# forgotten.sh - a controller that forgot arrays which it had acknowledged, and a person who took some of them away with scancel:
# status, why and the last job say that members have nothing in the queue for what they lack, and `sluice submit` hands over just
# that, stage by stage. Slurm is the stand-in of tests/slurm/fake, where nothing ever runs; the last job is one by hand.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
cd "$work" || exit 1
export PATH=$here/fake:$PATH XDG_CONFIG_HOME=$work/home SLUICE_PROGRAMS=$SLUICE_TOP/tests/cli/fake
printf 'campaign: c\nproblem: turbulence\nturbulence: {mach: 2, kmax: 4}\nmesh: {cells: [16, 16, 16]}\nsweep: {seed: 1..4}\ntime: {end: 0.1}\n' >c.yaml
adrift='members are not at their end, and nothing is in the queue for what they lack'

enter() { # a campaign of four members, handed over: jobs 1, 2 and 3 are ic, sim and stats, 4 is the last one
    rm -rf c slurm
    mkdir slurm
    export FAKE_SLURM=$work/slurm
    : >slurm/queue
    : >slurm/depends
    expect 0 sluice submit c.yaml; shows '4 members submitted in 4 jobs'
}
# whole: each stage that a member needs has one task
whole() {
    /usr/bin/python3 - "$@" <<'END' || bad "$1: tasks of the members: $(cat slurm/queue)"
import collections
import glob
import sys

slots = {}
for g, p in enumerate(sorted(glob.glob("c/slots/slurm.*.tsv"))):
    slots[str(g + 1)] = [line.strip() for line in open(p) if line.strip() and not line.startswith("#")]
tasks = collections.Counter()
for line in open("slurm/queue"):
    job, array, _, _, _, name, _ = line.rstrip("\n").split("|")
    _, _, stage, generation = name.split("-")
    if stage == "ensemble":
        continue
    for part in array.split("%")[0].split(","):
        first, last = (part.split("-") + [part])[:2]
        for m in slots[generation[1:]][int(first):int(last) + 1]:
            tasks[m, stage] += 1
want = {(f"{m:04d}", s): 1 for m in range(4) for s in ("ic", "sim", "stats")}
assert dict(tasks) == want, (sorted(set(want) - set(tasks)), [k for k in tasks if tasks[k] > 1])
END
}
tells() { # NUMBER: status and why say how many members have nothing in the queue
    rm -f c/slots/queue.txt
    expect 0 sluice status c; shows "$1 $adrift"; shows 'to go on: sluice submit c'
    rm -f c/slots/queue.txt
    expect 0 sluice why c; shows "$1 $adrift"
    grep -qx 'no member is in trouble' out && bad "why finds nothing: $(cat out)"
    expect 0 sluice status c --json; shows '"id": "queue"'
}

enter
whole whole
expect 0 sluice status c; grep -qF "$adrift" out && bad "nothing is lacking: $(cat out)"
expect 0 sluice submit c; shows 'nothing to submit, 4 members are in the queue'

# ---- the arrays of the runs and of the statistics are forgotten, while ic waits or runs
for state in PENDING RUNNING; do
    enter
    sed -i '/^[23]|/d; s/^1|\([^|]*\)|PENDING/1|\1|'$state'/' slurm/queue
    tells 4
    expect 0 sluice submit c; shows '4 members submitted in 2 jobs'
    grep -qx '5 afterany:1' slurm/depends || bad "the runs do not wait for ic: $(cat slurm/depends)"
    grep -qx '6 aftercorr:5' slurm/depends || bad "statistics do not wait for the runs: $(cat slurm/depends)"
    whole $state
    expect 0 sluice submit c; shows 'nothing to submit, 4 members are in the queue'
done

# ---- statistics alone; two of four runs; a task that is just ending tells nothing yet
enter
sed -i '/^3|/d' slurm/queue
tells 4
expect 0 sluice submit c; shows '4 members submitted in 1 jobs'
grep -qx '5 afterany:2' slurm/depends || bad "statistics do not wait for the runs: $(cat slurm/depends)"
whole statistics
enter
sed -i 's/^2|0-3/2|0-1/; s/^3|0-3/3|0-1/' slurm/queue
tells 2
expect 0 sluice submit c; shows '2 members submitted in 2 jobs, 2 were in the queue'
whole two
enter
sed -i '/^[23]|/d; s/^1|\([^|]*\)|PENDING/1|\1|COMPLETING/' slurm/queue
expect 0 sluice submit c; shows 'nothing to submit, 4 members are in the queue'

# ---- ic is forgotten: what waits for it would never find what it needs, and leaves the queue
enter
sed -i '/^1|/d; s/^\(2|.*\)Dependency|/\1Priority|/' slurm/queue
tells 4
expect 0 sluice submit c; shows '4 members submitted in 3 jobs'
for job in 2 3; do
    for slot in 0 1 2 3; do grep -qx "scancel ${job}_$slot" slurm/cancelled || bad "${job}_$slot stays in the queue"; done
    sed -i "/^$job|/d" slurm/queue
done
whole ic

# ---- all of it: the last job says it, too
enter
sed -i '/^[123]|/d' slurm/queue
tells 4
sed -i '/^4|/d' slurm/queue
SLURM_JOB_ID=4 SLURM_JOB_NODELIST=n1 sluice job c ensemble 1 >out 2>err
shows 'without a task in the queue: 4; `sluice submit` goes on with them'
expect 0 sluice submit c; shows '4 members submitted in 4 jobs'
whole all

# ---- what is kept of the queue, damaged: Slurm is asked again; the table of a submission is named when it is damaged or gone
enter
expect 0 sluice status c
for how in ': >' 'truncate -s 30' 'printf garbage >'; do
    eval "$how c/slots/queue.txt"
    expect 0 sluice status c; grep -qF "$adrift" out && bad "$how: the queue is believed to be empty: $(cat out)"
    expect 0 sluice why c; shows 'no member is in trouble'
done
cp c/slots/slurm.0001.tsv whole
truncate -s 30 c/slots/slurm.0001.tsv
expect 65 sluice status c; says 'slots/slurm.0001.tsv is damaged'
rm c/slots/slurm.0001.tsv
for verb in status why submit; do expect 0 sluice $verb c; says 'slots/slurm.0001.tsv is missing: which of the jobs'; mv whole c/slots/slurm.0001.tsv; expect 0 sluice $verb c; [ ! -s err ] || bad "$verb: $(cat err)"; mv c/slots/slurm.0001.tsv whole; done

exit $failed
