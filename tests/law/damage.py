"""damage - see damage.sh. Makes a tiny campaign, copies it as it was after each of its stages, damages one file of a copy at
random and lets sluice go on. Usage: damage.py CASES"""
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import h5py

RECIPE = """campaign: tiny
problem: turbulence
sweep: {seed: 1..3}
turbulence: {mach: 2, kmin: 1, kmax: 2}
mesh: {cells: [16, 8, 8], box: [[0, 2], [0, 1], [0, 1]], block: 8, levels: 1, refine: [{by: box, lo: [0, 0, 0], hi: [0.9, 1, 1]}]}
time: {end: 0.2, unit: crossing}
output: {snapshot: 0.05, history: 0, sample: [radius], center: [0.5, 0.5, 0.5]}
statistics: {spectra: [density], structure: [], pdf: [density]}
"""
PATIENCE = int(os.environ.get("SLUICE_PATIENCE", "300"))  # seconds that a command may take
LAST = "0002"  # the member that has not got through yet
SAYS = re.compile(r"error|warning|damaged|missing|failed|blocked|refused", re.I)


def call(words, cwd, **more):
    return subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
                          errors="replace", **more)


def must(words, cwd, *codes):
    done = call(words, cwd)
    if done.returncode not in (codes or (0,)):
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")


# ---- what a campaign is made of ----

def files(top):
    found = (os.path.join(d, f) for d, _, names in os.walk(top) for f in names)
    return sorted(os.path.relpath(f, top) for f in found if not os.path.islink(f))


def kind(path):
    """Files of one kind are as likely to be hit as those of any other."""
    parts = path.split("/")
    if parts[0] != "members":
        return parts[0] if parts[0] != "slots" else path
    name = parts[2]
    return name + ("/csv" if name == "stats" else "") + (f"/{parts[-1]}" if name == "attempts" else "")


def product(path):
    """What users take out of a campaign. The page itself tells times and attempts; its numbers lie in report/figures."""
    name = path.split("/")[2] if path.startswith("members/") else path.split("/")[0]
    if name == "report":
        return path.startswith("report/figures/") and path.endswith(".csv")
    return name in ("ensemble", "history.tsv", "snapshots", "stats", "stats.h5", "ic.h5") and ".tmp" not in path


def fields(path):
    """The values of a snapshot, read as other clients do; its texts also tell the resources of the attempt that wrote it."""
    try:
        with h5py.File(path) as f:
            return b"".join(f[name][()].tobytes() for name in ("dens", "velx", "vely", "velz", "pres"))
    except Exception as why:  # whatever a client may meet in a damaged file
        return str(why).encode()


def content(path):
    """A checksum of the bytes without the time of the attempt that wrote them."""
    if "/snapshots/" in path and not path.endswith(".series"):
        return hashlib.sha256(fields(path)).hexdigest()
    with open(path, "rb") as f:
        data = f.read()
    if data.startswith(b"\x89HDF"):
        data = re.sub(rb"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"", data)
    return hashlib.sha256(data).hexdigest()


def products(top):
    return {p: content(os.path.join(top, p)) for p in files(top) if product(p)}


# ---- the campaign after each stage ----

def drop(top, stage, member=""):
    """As it was before that stage of the member, or of the campaign."""
    home = os.path.join(top, "members", member) if member else top
    made = {"ensemble": ["ensemble"], "report": ["report"], "stats": ["stats", "stats.h5"], "ic": ["ic.h5"],
            "sim": ["history.tsv", "snapshots", "checkpoints", "progress.json", "written.tsv"]}[stage]
    for name in made:
        path = os.path.join(home, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
    for place in ("attempts", "logs"):
        for name in os.listdir(os.path.join(home, place)):
            if name.startswith(stage + "."):
                os.remove(os.path.join(home, place, name))
    journal = os.path.join(top, "journal.jsonl")
    with open(journal) as f:
        lines = [l for l in f if (json.loads(l).get("stage", ""), json.loads(l).get("member", "")) != (stage, member)]
    with open(journal, "w") as f:
        f.writelines(lines)


def path_without_gnuplot(work):
    """Drawing takes half of the time, and the numbers of the figures are there without it."""
    farm = os.path.join(work, "bin")
    os.mkdir(farm)
    for place in os.environ["PATH"].split(":"):
        for name in os.listdir(place) if os.path.isdir(place) else ():
            if name != "gnuplot" and not os.path.lexists(os.path.join(farm, name)):
                os.symlink(os.path.join(os.path.abspath(place), name), os.path.join(farm, name))
    return farm


def make(work, recipe=RECIPE):
    """The campaign after each of its stages, in directories of work: their names, and the products of the end."""
    with open(os.path.join(work, "recipe.yaml"), "w") as f:
        f.write(recipe)
    must(["sluice", "run", "recipe.yaml", "--dir", "done"], work)
    want = products(os.path.join(work, "done"))
    back = [("stats", [("report", ""), ("ensemble", "")]), ("sim", [("stats", LAST)]), ("ic", [("sim", LAST)])]
    before = "done"
    for name, stages in back:
        shutil.copytree(os.path.join(work, before), os.path.join(work, name), symlinks=True)
        for stage, member in stages:
            drop(os.path.join(work, name), stage, member)
        before = name
    # in the midst of the run: checkpoints of two steps, and a step that no checkpoint knows of
    shutil.copytree(os.path.join(work, "ic"), os.path.join(work, "midst"), symlinks=True)
    home = os.path.join(work, "midst", "members", LAST)
    for _ in range(8):
        must(["sluice-sim", "run.yaml", "resources.walltime=1"], home, 75)
    newest = sorted(os.listdir(os.path.join(home, "checkpoints")))[-1]
    shutil.rmtree(os.path.join(home, "checkpoints", newest))
    return ["done", "stats", "sim", "ic", "midst"], want


# ---- damage ----

def damage(top, path, how, dice):
    full = os.path.join(top, path)
    with open(full, "rb") as f:
        data = bytearray(f.read())
    if how == "delete" or not data:
        os.remove(full)
        return "deleted"
    at = dice.randrange(len(data))
    before = bytes(data)
    if how == "flip":
        data[at] ^= 1 << dice.randrange(8)
    elif how == "cut":
        data = data[:at]
    else:
        data[at:at + 512] = bytes(len(data[at:at + 512]))
    if bytes(data) == before:
        return None
    with open(full, "wb") as f:
        f.write(data)
    return f"{how} at byte {at}"


def one(work, want, states, seed):
    """What became of one damage: (name of the state, file, what, verdict)."""
    dice = random.Random(seed)
    state = dice.choice(states)
    top = tempfile.mkdtemp(dir=work)
    try:
        here = os.path.join(top, "c")
        shutil.copytree(os.path.join(work, state), here, symlinks=True)
        kinds = {}
        for path in files(here):
            if not path.endswith(".log"):
                kinds.setdefault(kind(path), []).append(path)
        if state in ("midst", "sim", "ic") and dice.random() < 0.5:  # where work goes on
            kinds = {k: mine for k, v in kinds.items() if (mine := [p for p in v if f"members/{LAST}/" in p])}
        path = dice.choice(kinds[dice.choice(sorted(kinds))])
        what = damage(here, path, dice.choice(["flip", "flip", "cut", "zero", "delete"]), dice)
        if what is None:
            return state, path, "nothing changed", "same"
        try:
            run = call(["sluice", "run", here, "--cores", "1"], top)
        except subprocess.TimeoutExpired as late:
            said = (late.stdout or b"").decode(errors="replace").strip().splitlines()
            return state, path, what, f"SILENT (run goes on for {late.timeout:.0f} s: {said[-1] if said else 'no word'})"
        check = call(["sluice", "verify", here], top)
        have = products(here)
        other = sorted(p for p in want if have.get(p) != want[p]) + sorted(p for p in have if p not in want)
        reported = run.returncode != 0 or check.returncode != 0 or SAYS.search(run.stdout)
        verdict = "same" if not other else "reported" if reported else "SILENT"
        more = f": {len(other)} products, first {other[0]}" if other else ""
        if run.returncode < 0 or run.returncode > 128:
            verdict = f"SILENT (run ended by signal: {run.returncode})"
        return state, path, what + more, verdict
    finally:
        shutil.rmtree(top)


def main():
    cases = int(sys.argv[1])
    first = int(os.environ.get("SLUICE_SEED", time.time_ns() // 1000 % 10**9))
    print(f"SLUICE_SEED={first}", flush=True)
    work = tempfile.mkdtemp()
    count, silent = {}, []
    try:
        os.environ["PATH"] = path_without_gnuplot(work)
        states, want = make(work)
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SLUICE_DAMAGE_PLACES", "2"))) as pool:
            begin = time.monotonic()
            for i, result in enumerate(pool.map(lambda k: one(work, want, states, first + k), range(cases))):
                verdict = result[3].split(" ")[0]
                count[verdict] = count.get(verdict, 0) + 1
                if verdict == "SILENT" or os.environ.get("V"):
                    print(f"SLUICE_SEED={first + i}: {' | '.join(result)}", flush=True)
                if (i + 1) % 200 == 0:
                    print(f"{i + 1} of {cases} after {time.monotonic() - begin:.0f} s: {count}", flush=True)
    finally:
        shutil.rmtree(work)
    print(f"{cases} damages: {count.get('same', 0)} without effect, {count.get('reported', 0)} reported, "
          f"{count.get('SILENT', 0)} silent")
    if cases > 10 and len(count) < 2:
        sys.exit("FAIL: all damages had the same end: the test does not see what it is for")
    sys.exit(1 if count.get("SILENT") else 0)


if __name__ == "__main__":
    main()
