#!/usr/bin/python3
"""placed.py CAMPAIGN FAKE_SLURM - what the queue of tests/slurm/fake holds of a campaign must be just one chain per member.

Every member has one task per stage (sim, stats) in jobs of the same generation, the second waiting for the first by
aftercorr; one job of the campaign waits for the first arrays of all generations by afterany; and nothing else is there.
"""
import collections
import glob
import sys

top, state = sys.argv[1], sys.argv[2]
members = [line.split("\t")[0] for p in sorted(glob.glob(top + "/slots/0*.tsv")) for line in open(p, encoding="utf-8") if not line.startswith("#")]
slots = {}
for g, p in enumerate(sorted(glob.glob(top + "/slots/slurm.*.tsv"))):
    slots[str(g + 1)] = [line.strip() for line in open(p, encoding="utf-8") if line.strip() and not line.startswith("#")]
depends = dict(line.rstrip("\n").split(" ", 1) for line in open(state + "/depends", encoding="utf-8"))
tasks = collections.Counter()
job_of, first_of, whole = {}, {}, []
for line in open(state + "/queue", encoding="utf-8", errors="replace"):
    job, array, _, _, _, name, _ = line.rstrip("\n").split("|")
    _, _, stage, generation = name.split("-")
    generation = generation[1:]
    if stage == "ensemble":
        whole.append(job)
        continue
    assert (stage, generation) not in job_of, "two arrays of one name: " + name
    job_of[stage, generation] = job
    first_of.setdefault(generation, job)
    first, end = array.split("%")[0].split("-")
    assert int(first) == 0 and int(end) == len(slots[generation]) - 1, "indices " + array
    for m in slots[generation]:
        tasks[m, stage] += 1
want = {(m, s): 1 for m in members for s in ("sim", "stats")}
assert dict(tasks) == want, "tasks: missing %s, more than once %s" % (sorted(set(want) - set(tasks)), [k for k in tasks if tasks[k] > 1])
for (stage, generation), job in job_of.items():
    expect = "aftercorr:" + job_of["sim", generation] if stage == "stats" else ""
    assert depends[job] == expect, "job %s waits for %s, not for %s" % (job, depends[job], expect)
assert len(whole) == 1, "jobs of the campaign: %s" % whole
assert set(depends[whole[0]].split(":")[1:]) >= set(first_of.values()), "the campaign's job waits for %s, not for all of %s" % (depends[whole[0]], first_of)
