#!/bin/bash
# hostile.sh - a campaign's directory that somebody else has had his hands on: nothing is written through a symbolic link, no
# control character of a file reaches the terminal, a FIFO or a file of 3 GB of nothing in the place of a file neither hangs
# a verb nor takes the memory. The programs are stand-ins (tests/cli/fake/program).
set -u
fake=$(cd "$(dirname "$0")/fake" && pwd)
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
export SLUICE_PROGRAMS=$fake FAKE_STEPS=2 FAKE_NAP=0 XDG_CONFIG_HOME=$work/home SLUICE_SITE=$work/site.yaml
. "$SLUICE_TOP/tests/check.sh"
printf 'campaign: base\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nsweep: {seed: 1..2}\n' >base.yaml
expect 0 sluice run base.yaml

# ---- links: a stage whose directories or files lead elsewhere is refused, and what lies there stays as it was
sums() { (cd outside && find . | sort && find . -type f -exec cksum {} + | sort); }
# leads PATH COMMAND...: PATH of a fresh copy leads outside; the command must change nothing there. spoil: a file that was changed
# by hand, in a copy with the records of all stages
leads() {
    rm -rf c outside
    cp -r base c
    if [ -n "${spoil:-}" ]; then echo 'time.end: 9' >>"c/$spoil"; else rm -f c/attempts/*.end.json c/members/0000/attempts/*.end.json; fi
    mkdir -p "$(dirname "c/$1")" outside
    if [ -d "c/$1" ]; then mv "c/$1" outside/there; else echo precious >outside/there; fi
    rm -f "c/$1"
    ln -s "$work/outside/there" "c/$1"
    sums >before
    timeout 60 "${@:2}" >out 2>err
    local code=$?
    case $code in 73 | 78 | 1) ;; *) bad "$1 is a link: exit $code of ${*:2}: $(cat err)" ;; esac
    grep -rqF 'symbolic link' out err c/journal.jsonl c/logs || bad "$1 is a link: nothing says so: $(cat out err)"
    sums >after
    cmp -s before after || bad "$1 is a link: ${*:2} wrote through it: $(diff before after | head -n 4)"
}
for d in members members/0000 members/0000/{attempts,logs,checkpoints,snapshots}; do leads $d sluice task c sim 0000; done
leads members/0000/stats sluice task c stats 0000
leads members/0000/logs/sim.2.log sluice task c sim 0000
for d in attempts logs ensemble; do leads $d sluice task c ensemble -; done
for d in report report/figures; do leads $d sluice report c; done
leads slots sluice extend c seed=1..3
leads attempts sluice run c
leads logs sluice run c
leads journal.jsonl sluice cancel c 0
for d in members members/0000 members/0000/attempts members/0000/run.yaml; do
    spoil=members/0000/run.yaml leads $d sluice clean c --damaged
    case $d in */attempts) ;; *) leads $d sluice set c resources.retries=5 ;; esac # which writes nothing there
done
for d in attempts ensemble; do spoil=ensemble/summary.csv leads $d sluice clean c --damaged; done
spoil=members/0000/stats/summary.csv leads members/0000/attempts sluice clean c --damaged
# run, status and why name the link, also where the stage was done before
for record in gone there; do
    rm -rf c outside
    cp -r base c
    [ $record = there ] || rm c/attempts/*.end.json
    mv c/ensemble/summary.csv outside.csv
    ln -s "$PWD/outside.csv" c/ensemble/summary.csv
    cp outside.csv before.csv
    expect $([ $record = gone ] && echo 73 || echo 1) sluice run c; says 'c/ensemble/summary.csv is a symbolic link'
    expect 1 sluice status c --exit-code; says 'c/ensemble/summary.csv is a symbolic link'
    expect 0 sluice why c; shows 'c/ensemble/summary.csv is a symbolic link'; shows 'remove the link, then sluice run c'
    cmp -s outside.csv before.csv || bad "the file behind the link was written"
    rm c/ensemble/summary.csv
    [ $record = gone ] || expect 0 sluice clean c --damaged
    expect 0 sluice run c
    [ -f c/ensemble/summary.csv ] || bad "no table once the link is gone"
done
rm -rf c outside outside.csv

# ---- the end of a stage that is in no journal: it did end where its record is of the members that are done now
for record in gone there; do
    rm -rf c
    cp -r base c
    [ $record = there ] || rm c/attempts/ensemble.end.json
    sed -i '/"what":"end","stage":"ensemble"/d' c/journal.jsonl
    expect $([ $record = there ] && echo 0 || echo 75) sluice status c --exit-code
    expect 0 sluice run c
    expect 0 sluice status c --exit-code
done
rm -rf c

# ---- control characters: in every text of every file that is read, none in what is shown
cp -r base c
/usr/bin/python3 - c <<'END2'
import glob
import json
import sys

BAD = "\x1b[31m\u009b2J\u202e\x07"
top = sys.argv[1]


def spoil(value):
    if isinstance(value, dict):
        return {k: spoil(v) for k, v in value.items()}
    if isinstance(value, list):
        return [spoil(v) for v in value]
    return value


lines = open(top + "/journal.jsonl").read().splitlines()
extra = []
for line in lines:
    fact = json.loads(line)
    if fact["what"] == "end" and fact.get("member") == "0001" and fact.get("stage") == "stats":
        fact.update(result="failed", code=73, text="why" + BAD, node="node" + BAD)
    extra.append(json.dumps(fact, separators=(",", ":")))
extra.append(json.dumps({"v": 1, "t": 1, "what": "clean", "member": "0001", "text": BAD}, separators=(",", ":")))
extra.append(json.dumps({"v": 1, "t": 2, "what": "end", "member": "0000", "stage": "stats", "n": 9, "result": "unfit", "node": "n" + BAD, "text": BAD}, separators=(",", ":")))
open(top + "/journal.jsonl", "w").write("\n".join(extra) + "\n")
for path in glob.glob(top + "/slots/*.tsv"):
    text = open(path).read().replace("seed=", "seed" + BAD + "=").replace("\tbase", "\tbase" + BAD)
    open(path, "w").write(text)
for path in glob.glob(top + "/members/*/progress.json"):
    o = json.load(open(path))
    o.update(unit="u" + BAD, state="s" + BAD, backend="b" + BAD)
    json.dump(o, open(path, "w"))
for path in glob.glob(top + "/members/0000/attempts/*.end.json"):
    o = json.load(open(path))
    o["products"][0]["path"] = "p" + BAD
    json.dump(o, open(path, "w"))
for path in glob.glob(top + "/members/*/logs/*.log"):
    open(path, "a").write("error: " + BAD + "\n")
END2
rm c/members/0001/attempts/stats.end.json
printf 'campaign: text\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nslurm: {account: "a\\e[31m"}\nsweep: {slurm.account: ["x\\e[2J", "y\\u009b1m"]}\n' >text.yaml
printf 'campaign: text\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nslurm: {account: "a\\e[31m\\u009b2J"}\n' >text2.yaml
# clean WORDS: what that verb printed
clean() {
    LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' out err && bad "control characters of sluice $1: $(cat -v out err | grep -m 3 -E '\^|M-')"
}
for v in "status c" "status c -m" "status c failed" "why c" "why c 0" "why c 1" "logs c 0" "logs c 1" "verify c" "plan c" "export c --csv -" \
    "check text.yaml" "check text2.yaml" "plan text.yaml" "clean c" "cancel c 1" "retry c 1" "retry c 0" "report c" "extend c seed=1..3" \
    "run c" "status c"; do
    # shellcheck disable=SC2086
    timeout 60 sluice $v >out 2>err
    code=$?
    [ $code -lt 124 ] || bad "sluice $v ends with $code"
    clean "$v"
done
rm -rf c

# what is looked at by its name, and what is exported of members whose stages have no records
cp -r base c
rm c/attempts/*.end.json c/members/*/attempts/*.end.json
mkdir look
/usr/bin/python3 - c look <<'END2'
import json
import sys

BAD = "\x1b[31m\u009b2J\u202e\x07"
top, look = sys.argv[1:]


def put(name, text):
    open(name, "w").write(text)


put(look + "/names.csv", f"quantity{BAD},value\n1,2\n")
put(look + "/notes.csv", f"# about{BAD}\n# unit k: 1/L{BAD}\nk,power\n1,2\n")
put(look + "/wrong.csv", f"k,power\n1{BAD},2,3\n")
put(look + "/history.tsv", f"time[{BAD}]\tmass{BAD}\n# sluice history{BAD}\n0{BAD}\t1\n")
put(look + "/recipe.yaml", f"campaign: c{BAD}\nproblem: sod{BAD}\n")
put(look + "/MANIFEST", f"sluice\nrecipe {BAD}\ncode {BAD}\n")
put(look + "/record.json", json.dumps({"stage": "s" + BAD, "member": BAD, "products": [{"path": "p" + BAD + "\n  verdict   good"}]}))
put(look + "/answers", f"1\n7 5\n1 0\nt{BAD}.dat\n1\n-1\n0.045 0.255 0.7 0\n70 2.726 0.24 3.04 0 10.75\n0\n0\n1\n")
put(look + "/table", f"# {BAD}\n{BAD}\n")
open(look + "/latin.csv", "wb").write(b"k\xe9,power\x9b\n1,2\n")
for i in (0, 1):
    put(f"{top}/members/000{i}/stats/summary.csv", f"quantity,value,error,unit\nmass{BAD},1,0,g{BAD}\n")
    run = open(f"{top}/members/000{i}/run.yaml").read()
    put(f"{top}/members/000{i}/run.yaml", run.replace('campaign: "base"', f'campaign: "base{i}{BAD}"'))
END2
for v in "inspect look/names.csv" "inspect look/notes.csv" "inspect look/wrong.csv" "inspect look/history.tsv" "inspect look/recipe.yaml" \
    "inspect look/MANIFEST" "inspect look/record.json" "inspect look/answers" "inspect look/table" "inspect look/latin.csv" \
    "inspect c/members/0001/stats/summary.csv" "inspect c/members/0001/run.yaml"; do
    for how in "$v" "$v --json"; do
        # shellcheck disable=SC2086
        timeout 60 sluice $how >out 2>err
        code=$?
        [ -s out ] && [ $code -lt 124 ] || bad "sluice $how ends with $code: $(cat out err)"
        clean "$how"
    done
    /usr/bin/python3 -c 'import json; json.load(open("out"))' || bad "$v --json is no JSON: $(cat out)"
done
sluice inspect look/record.json >out
grep -q '^  verdict   good' out && bad "a name makes lines of its own: $(cat out)"
expect 0 sluice export c --csv -
shows 'base0\x1b[31m'
shows 'mass\x1b[31m'
clean "export c --csv -"
expect 0 sluice export c --json -
clean "export c --json -"
/usr/bin/python3 - <<'END2' || bad "JSON does not give back what the file says"
import json

BAD = "\x1b[31m\u009b2J\u202e\x07"
assert json.load(open("out"))["members"][1]["results"]["mass" + BAD]["unit"] == "g" + BAD
END2
expect 0 sluice export c --csv kept.csv
grep -q $'mass\e\\[31m' kept.csv || bad "a file has other bytes than its source: $(cat -v kept.csv)"
rm -rf c look

# ---- FIFOs and 3 GB of nothing in the place of every file that is read
instead() { rm -rf "${2:?}"; mkdir -p "$(dirname "$2")"; if [ "$1" = fifo ]; then mkfifo "$2"; else truncate -s 3G "$2"; fi; }
for what in fifo sparse; do
    for f in journal.jsonl slots/0001.tsv slots/0001.yaml recipe.yaml members/0001/run.yaml members/0001/progress.json \
        members/0001/logs/stats.1.log members/0001/attempts/stats.1.json members/0001/attempts/stats.end.json \
        members/0001/history.tsv members/0001/stats.h5 ensemble/summary.csv attempts/ensemble.end.json slots/submitted.tsv \
        slots/queue.txt; do
        rm -rf c
        cp -r base c
        instead $what c/$f
        case $f in */stats.1.log) sed -i '/0001.*stats.*"done"/d' c/journal.jsonl; rm c/members/0001/attempts/stats.end.json ;; esac
        for v in "status c" "why c 1" "logs c 1" "verify c" "plan c" "export c --csv -" "clean c" "retry c 1" "report c"; do
            case $what:$f:$v in sparse:members/0001/logs/*:logs*) continue ;; esac # shown as it is
            # shellcheck disable=SC2086
            (ulimit -v 1500000; timeout 20 sluice $v >out 2>err)
            code=$?
            [ $code -lt 124 ] || bad "$what as $f: sluice $v ends with $code: $(tail -c 300 err)"
            grep -q 'no memory' err && bad "$what as $f: sluice $v wants all the memory: $(cat err)"
        done
    done
done
rm -rf c
for what in fifo sparse; do
    instead $what site.yaml
    chmod 600 site.yaml
    expect 0 timeout 20 sluice status base
    (ulimit -v 1500000; timeout 20 sluice plan base >out 2>err); [ $? -lt 124 ] || bad "a $what as site file: plan hangs"
done

# ---- an attempt that vanished a day ago costs what it worked, not the day; what it left half-written goes with the next
cp -r base c
rm c/members/0000/attempts/{sim,stats}.end.json c/attempts/*.end.json
touch c/members/0000/{ic.h5,snapshots/x,stats/y}.tmp-0123456789abcdef c/ensemble/z.tmp-0123456789abcdef c/members/0000/a.tmp-mine
touch -d '1 hour ago' c/members/0000/attempts/{sim.claim.0123,sim.probe.77,stats.claim.45.tmp-0123456789abcdef}
touch c/members/0000/attempts/sim.claim.young
/usr/bin/python3 - c <<'END2'
import json
import os
import sys
import time

top, begin = sys.argv[1], time.time() - 86400
lines = [json.loads(line) for line in open(top + "/journal.jsonl")]
kept = [f for f in lines if not (f.get("member") == "0000" and f.get("stage") in ("sim", "stats") and f["what"] == "end")]
for f in kept:
    if f.get("member") == "0000" and f["what"] == "start":
        f["t"] = begin
open(top + "/journal.jsonl", "w").write("".join(json.dumps(f, separators=(",", ":")) + "\n" for f in kept))
for stage, seconds in (("sim", 40000), ("stats", 20)):
    path = top + "/members/0000/attempts/%s.1.json" % stage
    o = {k: v for k, v in json.load(open(path)).items() if k not in ("end", "result", "code", "why", "seconds")}
    o.update(begin=begin, pid=1, start=1)
    json.dump(o, open(path, "w"))
    os.utime(path, (begin + seconds, begin + seconds))
END2
expect 0 sluice run c
/usr/bin/python3 - c <<'END2' || failed=1
import json
import sys

lost = {f["stage"]: f.get("seconds", 0) for f in map(json.loads, open(sys.argv[1] + "/journal.jsonl")) if f.get("result") == "lost"}
good = 0 < lost.get("sim", 0) <= 30 and 10 <= lost.get("stats", 0) <= 40  # its own clock says 1 s; its last sign came after 20 s
print("" if good else "FAIL: attempts that vanished cost %r" % lost)
sys.exit(not good)
END2
(cd c && find . -name '*.tmp-*') >left
(cd c && find . -name '*.claim.*' -o -name '*.probe.*') >takers
[ "$(cat takers)" = ./members/0000/attempts/sim.claim.young ] || bad "files of those who took claims are left, or others are gone: $(cat takers)"
[ "$(cat left)" = ./members/0000/a.tmp-mine ] || bad "temporary files are left, or others are gone: $(cat left)"

exit $failed
