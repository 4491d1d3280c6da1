#!/bin/bash
# export.sh - sluice export: the table, the JSON and the database agree with the campaign and with each other; what differs from
# its end-record is not exported; a pipe in the place of a file is written into, and stays a pipe.
set -eu
. "$SLUICE_TOP/tests/scratch.sh"
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/c" --members 12 --fail
sluice export "$work/c" --csv "$work/members.csv"
sluice export "$work/c" --csv - | cmp - "$work/members.csv"
sluice export "$work/c" --json "$work/all.json"
sluice export "$work/c" --sqlite "$work/all.db"
sluice export "$work/c" --sqlite "$work/all.db" # replaces it
/usr/bin/python3 - "$work" <<'PY'
import csv, json, sqlite3, sys
d = sys.argv[1]
rows = list(csv.DictReader(open(d + "/members.csv")))
every = json.load(open(d + "/all.json"))
db = sqlite3.connect(d + "/all.db")
assert [r["member"] for r in rows] == [f"{i:04d}" for i in range(12)], rows
assert [m["id"] for m in every["members"]] == [r["member"] for r in rows]
assert [x for x, in db.execute("select id from member order by rowid")] == [r["member"] for r in rows]
for r, m in zip(rows, every["members"]):
    assert r["state"] == m["state"] == db.execute("select state from member where id=?", (m["id"],)).fetchone()[0]
    assert r["seed"] == m["parameters"]["seed"]
    got = db.execute("select value from result where member=? and quantity='mach_rms_end'", (m["id"],)).fetchone()
    want = m["results"].get("mach_rms_end", {}).get("value")
    assert (got and got[0]) == want and (float(r["mach_rms_end"]) if r["mach_rms_end"] else None) == want
assert rows[-1]["state"] != "done" and rows[0]["state"] == "done"
assert db.execute("select count(*) from attempt where member='0001' and stage='sim'").fetchone()[0] == 2
assert db.execute("select cause from attempt where result='diverged'").fetchone()[0].endswith("<at step 412>")
lines = open(d + "/c/journal.jsonl").read().splitlines()
assert [f for f, in db.execute("select fact from journal order by line")] == lines
mean = db.execute("select mean, members from ensemble where quantity='kinetic_energy'").fetchone()
values = [float(r["kinetic_energy"]) for r in rows if r["state"] == "done"]
assert mean[1] == 11 and abs(mean[0] - sum(values) / 11) < 1e-8
PY
# a table per statistic: the rows of the members' files, with their time
sluice export "$work/c" --tables "$work/tables"
sluice export "$work/c" --tables "$work/tables" # again
/usr/bin/python3 - "$work" <<'PY'
import csv, glob, os, sys
d = sys.argv[1]
def read(path):
    lines = open(path).read().splitlines()
    return [x for x in lines if x.startswith("#")], list(csv.DictReader(x for x in lines if not x.startswith("#")))
notes, rows = read(d + "/tables/spectrum_velocity.csv")
want = []
for path in sorted(glob.glob(d + "/c/members/*/stats/spectrum_velocity_*.csv")):
    head, own = read(path)
    member = path.split("/")[-3]
    if not os.path.exists(d + f"/c/members/{member}/stats/summary.csv"):
        continue
    time = next(x.split(": ")[1] for x in head if x.startswith("# time: "))
    want += [{"member": member, "snapshot": path[-8:-4], "time": time, **r} for r in own]
    assert [x for x in head if x.startswith("# unit")] == notes[1:], (head, notes)
got = [{k: v for k, v in r.items() if k != "seed"} for r in rows]
assert want and got == want, (got[:1], want[:1])
assert {r["seed"] for r in rows} and not os.path.exists(d + "/tables/slice_density_z.csv") and not glob.glob(d + "/tables/*.part")
PY
fails() { # exit code, words...
    local want=$1 got=0
    shift
    "$@" >/dev/null 2>"$work/err" || got=$?
    [ "$got" = "$want" ] && [ -s "$work/err" ] || { echo "$* ended with $got, not $want"; cat "$work/err"; exit 1; }
}
fails 2 sluice export "$work/c"
fails 2 sluice export "$work/c" --xml -
fails 2 sluice export "$work/c" --ic gadget --ic swift
grep -qF -- '--ic is given twice: gadget, then swift' "$work/err"
fails 2 sluice export "$work/none" --csv -
fails 73 sluice export "$work/c" --tables /dev/null/x
fails 73 sluice export "$work/c" --csv "$work/none/x.csv"
fails 73 sluice export "$work/c" --sqlite "$work/none/x.db"
[ -z "$(find "$work" -maxdepth 1 -name '*.new')" ]

# what is no plain file stays what it is
cd "$work"
mkfifo pipe
for form in csv json; do
    sluice export c --$form plain
    timeout 20 cat pipe >piped &
    timeout 20 sluice export c --$form pipe
    wait $!
    [ -p pipe ] && cmp plain piped || { echo "--$form into a pipe"; exit 1; }
done
sluice export c --csv plain
ln -s linked link
ln -s "$PWD/pipe" far
timeout 20 cat pipe >piped &
timeout 20 sluice export c --csv far
wait $!
[ -L far ]
[ -p pipe ]
cmp plain piped
sluice export c --csv link
[ -L link ]
cmp plain linked
sluice export c --csv /dev/stdout | cmp - plain
fails 65 timeout 20 sluice export c --sqlite pipe
[ -p pipe ]
grep -q 'no plain file' err
mv tables/spectrum_velocity.csv kept.csv
mkfifo tables/spectrum_velocity.csv
fails 65 timeout 20 sluice export c --tables tables
[ -p tables/spectrum_velocity.csv ]
grep -q 'no plain file' err
[ -z "$(find . -name '*.new' -o -name '*.part' -o -name '*.tmp-*')" ]

# what differs from its end-record
cat >own.yaml <<'YAML'
campaign: own
problem: turbulence
sweep: {seed: 1..2}
turbulence: {mach: 2, kmin: 1, kmax: 3}
mesh: {cells: [8, 8, 8]}
time: {end: 0.2, unit: crossing}
YAML
sluice run own.yaml >log 2>&1 || { cat log; exit 1; }
all() { # command that is given --csv x.csv and so on in turn
    "$@" --csv x.csv && "$@" --json x.json && "$@" --sqlite x.db && "$@" --tables x.tables
}
sums() { find x.* -type f -exec cksum {} + | sort; }
all sluice export own
sums >before
damaged() { # FILE WHOSE; the file was changed
    for form in '--csv x.csv' '--csv -' '--json x.json' '--json -' '--sqlite x.db' '--tables x.tables'; do
        # shellcheck disable=SC2086
        fails 78 sluice export own $form
        grep -q "$2: $1 .*, its record says " err && grep -qF 'sluice clean own --damaged && sluice run own' err ||
            { echo "$1 is damaged, $form says $(cat err)"; exit 1; }
    done
    sums | cmp - before
}
change() { # FILE SED-COMMAND WHOSE; and back
    cp "own/$1" good
    sed -i "$2" "own/$1"
    cmp -s "own/$1" good && { echo "$1 is not changed"; exit 1; }
    damaged "${1#members/000?/}" "$3"
    cp good "own/$1"
}
change members/0001/stats/summary.csv 's/^mach_rms_end,[0-9]/mach_rms_end,7/' '0001 stats'
change members/0000/stats/spectrum_velocity_0001.csv '$d' '0000 stats'
change members/0001/history.tsv '$s/1/2/g' '0001 sim'
change ensemble/summary.csv '$s/1/2/g' 'own ensemble'
all sluice export own
# results hold without their recipe, and it is told that it is another now
sed -i 's/0.2/0.3/' own/slots/0001.yaml
sluice export own --csv - >y.csv 2>err
cmp x.csv y.csv
grep -q 'warning: .*slots/0001.yaml is not the recipe that the campaign was made from' err
cp own/recipe.yaml own/slots/0001.yaml
sluice export own --csv - 2>err >y.csv
[ ! -s err ]
# a member that is not done is as it was: without its record its numbers are those of nobody's word
rm own/members/0001/attempts/stats.end.json
sed -i 's/^mach_rms_end,[0-9]/mach_rms_end,7/' own/members/0001/stats/summary.csv
sluice export own --csv x.csv
