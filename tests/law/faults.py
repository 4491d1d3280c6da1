"""faults - see faults.sh. Usage: faults.py [all [PART OF PROGRAM:VERB] | PROGRAM[:VERB] CALL NUMBER HOW]"""
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
from damage import RECIPE, content, make, path_without_gnuplot, products

CALLS = ["write", "pwrite", "rename", "fsync", "link", "mkdir", "ftruncate", "fallocate", "copy_file_range", "fork", "open",
         "read", "symlink", "unlink", "unlinkat", "rmdir", "fdatasync", "mpi_open"]
HALVES = ("write", "pwrite", "copy_file_range")
STALE = ("write", "pwrite", "rename", "fsync", "link", "mkdir", "open", "read", "unlink", "unlinkat")
# what each program is tried on: a campaign before the stages that it makes; "": one that is not made yet
PLACES = {"sluice-ic": [""], "sluice-sim": ["ic", "midst"], "sluice-stats": ["sim", "stats"], "sluice": ["", "sim", "stats"]}
# verbs other than run, and what they are tried on
VERBS = {"set": (["set", "c", "resources.walltime=600"], "sim"), "retry": (["retry", "c", "1", "--from", "stats"], "done"),
         "clean": (["clean", "c", "--checkpoints"], "done"), "damaged": (["clean", "c", "--damaged"], "done"),
         "report": (["report", "c"], "done"), "verify": (["verify", "c"], "done"), "status": (["status", "c"], "sim"),
         "csv": (["export", "c", "--csv", "out.csv"], "done"), "json": (["export", "c", "--json", "out.json"], "done"),
         "sqlite": (["export", "c", "--sqlite", "out.sqlite"], "done"),
         "tables": (["export", "c", "--tables", "out"], "done")}
PLACES.update({f"sluice:{verb}": [state] for verb, (_, state) in VERBS.items()})
SAMPLE, PATIENCE = 4, 400
UNTIL = time.time() + float(os.environ.get("SLUICE_FAULT_SECONDS", "inf"))


def place(work, state):
    """A copy to work on: where it is, and the words that go on with it."""
    top = tempfile.mkdtemp(dir=work)
    if state:
        shutil.copytree(os.path.join(work, state), os.path.join(top, "c"), symlinks=True)
    shutil.copy(os.path.join(work, "recipe.yaml"), top)
    return top, ["sluice", "run"] + (["c"] if state else ["recipe.yaml", "--dir", "c"]) + ["--cores", "2"]


def tried(top, program, run_words):
    """The words that the fault strikes."""
    verb = program.partition(":")[2]
    if verb == "damaged":  # has something to do
        os.truncate(os.path.join(top, "c/members/0001/stats.h5"), 100)
    return ["sluice"] + VERBS[verb][0] if verb else run_words


def run(words, top, **env):
    return subprocess.run(words, cwd=top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=PATIENCE, env=dict(os.environ, **env))


def watched(top, program, **more):
    board = os.path.join(top, "board")
    with open(board, "wb") as f:
        f.write(bytes(4096))
    return board, dict(LD_PRELOAD=os.environ["SLUICE_FAULTS"], FAULTS_BOARD=board, FAULTS_PROGRAM=program.partition(":")[0],
                       **more)


def numbers_on(board):
    with open(board, "rb") as f:
        return struct.unpack(f"{len(CALLS) + 1}Q", f.read(8 * len(CALLS) + 8))


def count(work, program, state):
    """How often each call is made, and the files that a verb writes beside the campaign."""
    top, words = place(work, state)
    board, env = watched(top, program)
    done = run(tried(top, program, words), top, **env)
    if done.returncode != 0:
        sys.exit(f"{program}, undisturbed, ends with {done.returncode}\n{done.stdout}")
    numbers, beside = numbers_on(board), outputs(top)
    shutil.rmtree(top)
    return dict(zip(CALLS, numbers)), beside


def ways(call):
    return ["error", "late"] + (["short"] if call in HALVES else []) + (["stale"] if call in STALE else [])


def outputs(top):
    """What exports have written, but for hidden files."""
    found = (os.path.join(d, f) for d, _, names in os.walk(top) for f in names)
    return {os.path.relpath(p, top): content(p) for p in found if os.path.relpath(p, top).startswith("out")}


def different(want, top):
    have = products(os.path.join(top, "c"))
    return sorted(p for p in want if have.get(p) != want[p]) + sorted(p for p in have if p not in want)


def complaint(first):
    """What is wrong with how a command ended."""
    if first.returncode < 0 or first.returncode > 128:
        return f"ended by a signal ({first.returncode}): {first.stdout[-300:]}"
    if first.returncode != 0 and "sluice: " not in first.stdout and '{"v":1,"error":{"code":' not in first.stdout:
        return f"exit code {first.returncode} without a message: {first.stdout[-300:]}"
    return ""


def exported(first, beside, top):
    """What is wrong with the files that a verb was to write: after an error each is whole, or not there."""
    have = outputs(top)
    for name, sum in beside.items():
        if have.get(name, None if first.returncode else "") not in (sum, None):
            return f"exit code {first.returncode}, and {name} is {'not whole' if name in have else 'missing'}"
    return ""


def judge(want, beside, top, verb, words, env):
    """What is wrong after one disturbed command and the next one; "" for nothing. words: those of `sluice run`."""
    try:
        first = run(verb, top, **env)
        wrong = complaint(first) or exported(first, beside, top)
        if not wrong and first.returncode == 0 and verb == words and (other := different(want, top)):
            wrong = f"said to be done, but {len(other)} products differ, first {other[0]}"
    except subprocess.TimeoutExpired:
        wrong = "it hangs"
    if wrong:
        return wrong
    try:
        again = first if first.returncode == 0 else run(verb, top)
        if again.returncode == 0:
            wrong = exported(again, beside, top)
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
    return wrong


def one(work, want, beside, case):
    """What is wrong, and whether the call was met; None: there is no time left for it."""
    if time.time() > UNTIL:
        return None
    program, state, call, number, how = case
    top, words = place(work, state)
    try:
        verb = tried(top, program, words)
        board, env = watched(top, program, FAULTS_CALL=call, FAULTS_AT=str(number), FAULTS_HOW=how)
        wrong = judge(want, beside, top, verb, words, env)
        return wrong, numbers_on(board)[-1] > 0
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
    failed, ran, struck = [], 0, 0
    try:
        os.environ["PATH"] = path_without_gnuplot(work)
        _, want = make(work, RECIPE.replace("block: [8, 8, 8]", "block: [4, 8, 8]") + "resources: {ranks: 2}\n")
        if len(words) == 4:
            pairs = [(words[0], state) for state in PLACES[words[0]]]
            beside = {pair: count(work, *pair)[1] for pair in pairs}
            cases = [(*pair, words[1], int(words[2]), words[3]) for pair in pairs]
        else:
            pairs = [(p, s) for p in PLACES for s in PLACES[p] if p.find(words[1] if len(words) > 1 else "") >= 0]
            if words[:1] != ["all"]:
                pairs = [dice.choice(pairs)]
            counted = {pair: count(work, *pair) for pair in pairs}
            numbers, beside = ({pair: row[i] for pair, row in counted.items()} for i in (0, 1))
            for (program, state), row in numbers.items():
                print(f"{program} {state or '-'}: {' '.join(f'{n} {c}' for c, n in row.items() if n)}", flush=True)
            cases = list(cases_of(numbers))
            dice.shuffle(cases)
            if words[:1] != ["all"]:
                kinds = sorted({(c[2], c[4]) for c in cases})  # a call that is rare is as likely as one that is not
                drawn = dice.sample(kinds, min(SAMPLE, len(kinds)))
                cases = [dice.choice([c for c in cases if (c[2], c[4]) == kind]) for kind in drawn]
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SLUICE_FAULT_PLACES", "2"))) as pool:
            for case, end in zip(cases, pool.map(lambda c: one(work, want, beside[c[:2]], c), cases)):
                if end is None:
                    break
                wrong, met = end
                ran, struck = ran + 1, struck + met
                if wrong or os.environ.get("V"):
                    print(f"{' '.join(str(x) or '-' for x in case)}: {wrong or ('ok' if met else 'not met')}", flush=True)
                failed += [case] if wrong else []
    finally:
        shutil.rmtree(work)
    print(f"{struck} of {len(cases)} calls failed, {len(failed)} of them with harm; {ran - struck} were not met")
    sys.exit(1 if failed or not struck else 0)


main()
