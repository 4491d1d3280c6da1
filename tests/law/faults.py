"""faults - see faults.sh. Usage: faults.py [all | PROGRAM CALL NUMBER HOW]"""
import concurrent.futures
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from damage import RECIPE, make, path_without_gnuplot, products

CALLS = ["write", "pwrite", "rename", "fsync", "link", "mkdir", "ftruncate", "fallocate", "copy_file_range", "fork", "open",
         "read", "mpi_open"]
HALVES = ("write", "pwrite", "copy_file_range")
STALE = ("write", "pwrite", "rename", "fsync", "link", "mkdir", "open", "read")
# what each program is tried on: a campaign before the stages that it makes; "": one that is not made yet
PLACES = {"sluice-ic": [""], "sluice-sim": ["ic", "midst"], "sluice-stats": ["sim", "stats"], "sluice": ["", "sim", "stats"]}
SAMPLE, PATIENCE = 4, 400
UNTIL = time.time() + float(os.environ.get("SLUICE_FAULT_SECONDS", "inf"))


def place(work, state):
    """A copy to work on: where it is, and the words that go on with it."""
    top = tempfile.mkdtemp(dir=work)
    if state:
        shutil.copytree(os.path.join(work, state), os.path.join(top, "c"), symlinks=True)
    shutil.copy(os.path.join(work, "recipe.yaml"), top)
    return top, ["sluice", "run"] + (["c"] if state else ["recipe.yaml", "--dir", "c"]) + ["--cores", "2"]


def run(words, top, **env):
    return subprocess.run(words, cwd=top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=PATIENCE, env=dict(os.environ, **env))


def watched(top, program, **more):
    board = os.path.join(top, "board")
    with open(board, "wb") as f:
        f.write(bytes(4096))
    return board, dict(LD_PRELOAD=os.environ["SLUICE_FAULTS"], FAULTS_BOARD=board, FAULTS_PROGRAM=program, **more)


def count(work, program, state):
    """How often each call is made."""
    top, words = place(work, state)
    board, env = watched(top, program)
    done = run(words, top, **env)
    if done.returncode != 0:
        sys.exit(f"an undisturbed run ends with {done.returncode}\n{done.stdout}")
    with open(board, "rb") as f:
        numbers = struct.unpack(f"{len(CALLS)}Q", f.read(8 * len(CALLS)))
    shutil.rmtree(top)
    return dict(zip(CALLS, numbers))


def ways(call):
    return ["error", "late"] + (["short"] if call in HALVES else []) + (["stale"] if call in STALE else [])


def different(want, top):
    have = products(os.path.join(top, "c"))
    return sorted(p for p in want if have.get(p) != want[p]) + sorted(p for p in have if p not in want)


def judge(want, top, words, env):
    """What is wrong after one disturbed run and the next one; "" for nothing."""
    try:
        first = run(words, top, **env)
    except subprocess.TimeoutExpired:
        return "it hangs"
    if first.returncode < 0 or first.returncode > 128:
        return f"ended by a signal ({first.returncode}): {first.stdout[-300:]}"
    if first.returncode == 0 and (other := different(want, top)):
        return f"said to be done, but {len(other)} products differ, first {other[0]}"
    if first.returncode != 0 and "sluice: " not in first.stdout:
        return f"exit code {first.returncode} without a message: {first.stdout[-300:]}"
    try:
        again = run(words, top)
        check = run(["sluice", "verify", "c"], top) if again.returncode == 0 else again
    except subprocess.TimeoutExpired:
        return "the next run hangs"
    if again.returncode != 0:
        return f"the next run ends with {again.returncode}: {again.stdout[-500:]}"
    if check.returncode != 0:
        return f"verify afterwards: {check.stdout[-300:]}"
    if other := different(want, top):
        return f"after the next run {len(other)} products differ, first {other[0]}"
    return ""


def one(work, want, case):
    """None: there is no time left for it."""
    if time.time() > UNTIL:
        return None
    program, state, call, number, how = case
    top, words = place(work, state)
    try:
        _, env = watched(top, program, FAULTS_CALL=call, FAULTS_AT=str(number), FAULTS_HOW=how)
        return judge(want, top, words, env)
    finally:
        shutil.rmtree(top)


def cases_of(numbers):
    for (program, state), row in numbers.items():
        for call in CALLS:
            for number in range(1, row[call] + 1):
                for how in ways(call):
                    yield program, state, call, number, how


def main():
    seed = int(os.environ.get("SLUICE_SEED", time.time_ns() // 1000 % 10**9))
    dice = random.Random(seed)
    print(f"SLUICE_SEED={seed}", flush=True)
    words = sys.argv[1:]
    work = tempfile.mkdtemp()
    failed, ran = [], 0
    try:
        os.environ["PATH"] = path_without_gnuplot(work)
        _, want = make(work, RECIPE.replace("block: [8, 8, 8]", "block: [4, 8, 8]") + "resources: {ranks: 2}\n")
        if len(words) == 4:
            cases = [(words[0], state, words[1], int(words[2]), words[3]) for state in PLACES[words[0]]]
        else:
            pairs = [(p, s) for p in PLACES for s in PLACES[p]]
            if words != ["all"]:
                pairs = [dice.choice(pairs)]
            numbers = {pair: count(work, *pair) for pair in pairs}
            for (program, state), row in numbers.items():
                print(f"{program} {state or '-'}: {' '.join(f'{n} {c}' for c, n in row.items() if n)}", flush=True)
            cases = list(cases_of(numbers))
            dice.shuffle(cases)
            if words != ["all"]:
                kinds = sorted({(c[2], c[4]) for c in cases})  # a call that is rare is as likely as one that is not
                drawn = dice.sample(kinds, min(SAMPLE, len(kinds)))
                cases = [dice.choice([c for c in cases if (c[2], c[4]) == kind]) for kind in drawn]
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SLUICE_FAULT_PLACES", "2"))) as pool:
            for case, wrong in zip(cases, pool.map(lambda c: one(work, want, c), cases)):
                if wrong is None:
                    break
                ran += 1
                if wrong or os.environ.get("V"):
                    print(f"{' '.join(str(x) or '-' for x in case)}: {wrong or 'ok'}", flush=True)
                failed += [case] if wrong else []
    finally:
        shutil.rmtree(work)
    print(f"{ran} of {len(cases)} calls failed, {len(failed)} of them with harm")
    sys.exit(1 if failed or not ran else 0)


main()
