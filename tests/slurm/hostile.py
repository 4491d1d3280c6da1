#!/usr/bin/python3
"""hostile.py WORK - recipes, site files, names and words that would like to be commands, against `sluice submit`.

Every field that holds text x 60 payloads. A payload is refused with one of the usage and input codes, or it arrives at
sbatch as the one word that it was, between words that are those of a harmless campaign, with a batch script that is the same
to the byte. Nothing that it names is ever run: the canary never appears, neither here nor when the batch script runs.
Slurm is the stand-in of tests/slurm/fake; environment: FAKE_SLURM, SLUICE_PROGRAMS. SLUICE_LONG: every pair, not every eighth.
"""
import glob
import json
import os
import random
import shutil
import subprocess
import sys

work = os.path.realpath(sys.argv[1])
canary = work + "/canary"
touch = "touch " + canary
slurm = os.environ["FAKE_SLURM"]
payloads = [
    "x\n#SBATCH --wrap='%s'" % touch, "x\r\n#SBATCH --exclusive", "#SBATCH --array=0-9", "\n%s\n" % touch, "x\n\n%s" % touch,
    "$(%s)" % touch, "`%s`" % touch, "${IFS}$(%s)" % touch, "$((%s))" % "1+1", "$HOME", "~root", "${PATH:0:1}",
    "; %s" % touch, "& %s" % touch, "&& %s" % touch, "| %s" % touch, "|| %s" % touch, "> %s" % canary, ">> %s" % canary, "< /etc/passwd",
    "'; %s; '" % touch, '"; %s; "' % touch, "\\'; %s" % touch, "'", '"', "\\", "\\\\", "''", '""', "\\n" + touch,
    "-x", "--wrap=%s" % touch, "--", "-", "--export=NONE", "--get-user-env", "-o/etc/passwd", "--uid=0", "--chdir=/",
    "*", "?", "[a-z]", "{a,b}", "%j %x %A %a %u %%", "%s%s%s%n%n", "!!", "^x^y", "\t", " ", "a b  c",
    "\x1b[2J\x1b]0;x\x07", "\x7f", "\x01", "\u202exyz", "\ufeffx", "\u00e9\u00e8\u4e2d\U0001f600", "../../../etc/passwd", "/etc/passwd", "..", "a" * 255,
    "a" * 5000, "d/" * 150 + "end", "=", "a=b", "a,b;c:d", "1e999", "null", "yes", "&anchor", "*alias", "!!python/object:os.system", "<<: x", "? x", "- x", "# x"]
assert len(payloads) >= 60
keys = json.loads(subprocess.run(["sluice", "keys", "--json"], capture_output=True, check=True).stdout)["keys"]
texts = [k["key"] for k in keys if k["type"] in ("text", "name", "path") and not k["key"].startswith("run.")]
sites = ["account", "partition", "qos", "constraint", "modules", "mpi"]
base = "problem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nsweep: {seed: 1..2}\n"
cases = 0
bad = []


def fresh(site=""):
    shutil.rmtree(work + "/place", ignore_errors=True)
    shutil.rmtree(slurm, ignore_errors=True)
    os.makedirs(slurm)
    os.makedirs(work + "/place")
    os.makedirs(work + "/home/sluice", exist_ok=True)
    with open(work + "/home/sluice/site.yaml", "w", encoding="utf-8") as f:
        f.write("doubt: 1\n" + site)
    os.chmod(work + "/home/sluice/site.yaml", 0o600)


def sluice(*words, env=None):
    return subprocess.run(["sluice", *words], cwd=work + "/place", capture_output=True, timeout=300, env=env, check=False)


def calls():
    """Words of every call of sbatch that was accepted."""
    out = []
    for path in sorted(glob.glob(slurm + "/argv/*"), key=lambda p: int(os.path.basename(p))):
        with open(path, "rb") as f:
            out.append(f.read().split(b"\n")[:-1])
    return out


def options(words):
    """The words that sbatch takes as its own: those before the script."""
    end = [i for i, w in enumerate(words) if not w.startswith(b"--")]
    return words[: end[0]] if end else words


def shape(words):
    return [w.split(b"=")[0] for w in options(words)]


def script():
    paths = glob.glob(glob.escape(work) + "/place/**/slots/batch.sh", recursive=True)
    return open(paths[0], "rb").read() if paths else None


def run_script(words):
    """As slurmd would: the script with its arguments, in the environment of task 0."""
    for i, w in enumerate(words):
        if not w.startswith(b"--"):
            env = dict(os.environ, SLURM_JOB_ID="1", SLURM_ARRAY_JOB_ID="1", SLURM_ARRAY_TASK_ID="0", SLURMD_NODENAME="n1")
            subprocess.run([b"bash", *words[i:]], cwd=work + "/place", capture_output=True, timeout=300, env=env, check=False)
            return


def text_file(path, text):
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text)


fresh()
text_file(work + "/place/r.yaml", "campaign: calm\n" + base + 'slurm: {account: "x", partition: "x", qos: "x", constraint: "x", gres: "x"}\n')
calm = sluice("submit", "r.yaml")
assert calm.returncode == 0, calm.stderr
calm_calls, calm_script = calls(), script()
assert len(calm_calls) == 3 and calm_script


def look(what, payload, done, option=None, words=(3,)):
    """After one submit: refused cleanly, or handed over as it was."""
    global cases
    cases += 1
    name = "%s = %r" % (what, payload[:60])
    if os.path.exists(canary):
        bad.append(name + ": the canary is there")
        os.remove(canary)
    if b"\x1b" in done.stdout + done.stderr or b"\x01" in done.stdout + done.stderr:
        bad.append(name + ": control characters reach the terminal")
    if done.returncode != 0:
        if done.returncode not in (2, 65, 69, 73, 75, 78):
            bad.append("%s: exit code %d: %r" % (name, done.returncode, done.stderr[-200:]))
        if calls() and "submit" in done.args:
            bad.append(name + ": refused after something was submitted")
        return
    got = calls()
    if script() != calm_script:
        bad.append(name + ": the batch script differs")
    if len(got) not in words:
        bad.append("%s: %d calls, not %s (words with line ends?)" % (name, len(got), " or ".join(map(str, words))))
        return
    # a command of a member is an array more, like that of the statistics
    for i, (mine, his) in enumerate(zip(got, calm_calls[:2] + (len(got) - 3) * calm_calls[1:2] + calm_calls[2:])):
        known = shape(his) + [b"--nodes"] * (len(got) == 4 and i == 2)
        extra = [o for o in shape(mine) if o not in known]
        if extra:
            bad.append("%s: new options %r" % (name, extra))
        want = [b"--" + option + b"=" + payload.encode()] if option and b"--" + option in shape(his) else None
        if want and [w for w in options(mine) if w.startswith(b"--" + option + b"=")] != want:
            bad.append("%s: --%s is not what was written" % (name, option.decode()))
    if cases % 8 == 0:
        run_script(got[0])
        if os.path.exists(canary):
            bad.append(name + ": the canary is there after the batch script ran")
            os.remove(canary)


def arrays(key, empty):
    """How many calls of sbatch may be: arrays, and the last job; an empty command is none. empty: that it is so, None: not known."""
    if key not in ("stages.member", "stages.snapshot") or empty:
        return (3,)
    return (3, 4) if empty is None else (4,)


def by_recipe(key, payload):
    fresh()
    parts = key.split(".")
    value = json.dumps(payload, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\ufeff", "\\uFEFF")
    line = "%s: %s\n" % (parts[0], value) if len(parts) == 1 else "%s: {%s: %s}\n" % (parts[0], parts[1], value)
    text_file(work + "/place/r.yaml", ("" if key == "campaign" else "campaign: h\n") + base + line)
    option = parts[1].encode() if parts[0] == "slurm" and payload else None
    look("recipe " + key, payload, sluice("submit", "r.yaml", "--dir", "there"), option, arrays(key, not payload))


def by_override(key, payload):
    fresh()
    text_file(work + "/place/r.yaml", "campaign: h\n" + base)
    look("override " + key, payload, sluice("submit", "r.yaml", "%s=%s" % (key, payload), "--dir", "there"), words=arrays(key, None))  # what YAML makes of it


def by_site(key, payload):
    fresh("%s: %s\n" % (key, json.dumps(payload, ensure_ascii=False)))
    text_file(work + "/place/r.yaml", "campaign: h\n" + base)
    look("site " + key, payload, sluice("submit", "r.yaml"), key.encode() if key in ("account", "partition", "qos", "constraint") else None)


def by_directory(payload):
    fresh()
    text_file(work + "/place/r.yaml", "campaign: h\n" + base)
    look("--dir", payload, sluice("submit", "r.yaml", "--dir=" + payload))
    for verb in ("status", "plan", "why"):
        done = sluice(verb, payload)
        look(verb, payload, done, words=(len(calls()),))


def by_file(payload):
    fresh()
    try:
        text_file(work + "/place/" + payload.replace("/", "_"), "campaign: h\n" + base)
    except OSError:
        return
    look("file", payload, sluice("submit", "--dir=there", "--", payload.replace("/", "_")))


def by_word(payload):
    fresh()
    text_file(work + "/place/r.yaml", "campaign: h\n" + base)
    sluice("submit", "r.yaml")
    for verb in ("why", "hold", "cancel", "retry", "logs"):
        done = sluice(verb, "h", "--", payload)
        look(verb + " member", payload, done, words=(len(calls()),)) if done.returncode == 0 else None
        if os.path.exists(canary):
            bad.append("%s %r: the canary is there" % (verb, payload))


def by_environment(payload):
    fresh()
    text_file(work + "/place/r.yaml", "campaign: h\n" + base)
    foreign = {n: payload for n in ("SBATCH_ACCOUNT", "SBATCH_WRAP", "SLURM_ARRAY_TASK_ID", "SBATCH_EXPORT", "SQUEUE_FORMAT", "SRUN_EXPORT_ENV")}
    look("environment", payload, sluice("submit", "r.yaml", env=dict(os.environ, **foreign)))


tests = [(f, k, p) for f, names in ((by_recipe, ["campaign"] + texts), (by_override, texts), (by_site, sites)) for k in names for p in payloads]
tests += [(f, None, p) for f in (by_directory, by_file, by_word, by_environment) for p in payloads]
seed = int(os.environ.get("SLUICE_SEED") or random.randrange(1, 1 << 30))
print("SLUICE_SEED=%d" % seed)
random.Random(seed).shuffle(tests)
if not os.environ.get("SLUICE_LONG"):
    tests = tests[: len(tests) // 8]
for run, key, payload in tests:
    if "\0" in payload or (run in (by_directory, by_file, by_word) and not payload):
        continue
    run(payload) if key is None else run(key, payload)
print("%d fields, %d payloads, %d submissions looked at" % (len(texts) * 2 + len(sites) + 5, len(payloads), cases))
for line in bad[:30]:
    print("FAIL:", line)
sys.exit(1 if bad else 0)
