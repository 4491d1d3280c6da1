#!/bin/bash
# stages.sh - commands of one's own (stages.* of a recipe): what they get and where they work; their products with checksums, means
# over the members and a part of the report; a script that fails, is mended and goes on; a kill in the middle of one; damage that is
# found later; commands that come to a campaign that is done; what is refused before anything is made. Whoever has none has no
# trace of them.
set -u
. "$SLUICE_TOP/tests/check.sh"
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
export PYTHONPATH= OMP_NUM_THREADS=
unset OMP_NUM_THREADS
recipe() { # NAME LINES...
    { printf 'campaign: %s\nproblem: turbulence\nsweep: {seed: 1..2}\nturbulence: {mach: 2, kmax: 4}\nmesh: {cells: [16, 16, 16]}\n' "$1"
      printf 'time: {end: 0.02, unit: crossing}\noutput: {snapshot: 0.01}\nstatistics: {spectra: [], pdf: [], structure: []}\n'
      printf '%s\n' "${@:2}"; } >"recipes/$1.yaml"
}
attempts() { ls "$1"/attempts/"$2".[0-9]*.json | wc -l; } # HOME STAGE
mkdir recipes
cat >recipes/above.py <<'END'
import os, sys
import numpy as np
import sluice
rho = np.asarray(sluice.Snapshot(sys.argv[1])["dens"])
assert os.listdir(".") == [] and os.environ["OMP_NUM_THREADS"] == "2"
level = np.array([0.5, 1, 2])
np.savetxt("above.csv", np.c_[level, [(rho > x).mean() for x in level]], delimiter=",", header="level,volume", fmt="%.17g")
END
cat >recipes/mean.py <<'END'
import glob, os, sys
import numpy as np
assert os.path.isfile(os.path.join(sys.argv[1], "stats.h5")) and sys.argv[2:] == ["two words"], sys.argv
found = sorted(glob.glob("*/above.csv"))
assert found == ["0000/above.csv", "0001/above.csv", "0002/above.csv"], found
seed = int(sys.argv[1][-1]) + 1
with open("curve.csv", "w") as f:
    f.write("x,square,name\n" + "".join(f"{x},{seed * x * x},text\n" for x in range(1, 5)))
open("own.csv", "w").write("x,y\n" + "".join(f"{x},1\n" for x in range(seed)))  # not the same rows
open("dot.png", "wb").write(bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082"))
END
cat >recipes/all.py <<'END'
#!/usr/bin/python3
import sys
import sluice
campaign = sluice.open(sys.argv[1])
assert [m.state for m in campaign] == ["done", "done"] and "curve.csv" in campaign[0].products
open("seeds.csv", "w").write("seed,mach\n" + "".join(f'{m.parameters["seed"]},{m.results["mach_rms_end"].value}\n' for m in campaign))
END
recipe full 'stages:' '  snapshot: /usr/bin/python3 above.py {snapshot}' "  member: /usr/bin/python3 mean.py {member} 'two words'" \
    '  campaign: ./all.py {campaign}' 'resources: {own: {ranks: 2}}'

# ---- refused with its place, before anything is made
expect 65 sluice run recipes/full.yaml; says 'full.yaml:12:13: stages.campaign: recipes/./all.py may not be started'
[ ! -e full ] || bad "a campaign was made although its script cannot be started"
chmod +x recipes/all.py
expect 0 sluice check recipes/full.yaml; shows 'stages.member            "/usr/bin/python3 mean.py {member} '"'two words'"'"'
refuse() { expect 65 sluice check recipes/full.yaml "$1"; says "$2"; } # KEY=VALUE MESSAGE
refuse 'stages.member=python3 meen.py' 'stages.member: cannot read meen.py: No such file'
refuse 'stages.member=./none' 'stages.member: cannot read ./none: No such file'
refuse 'stages.member=no_such_program {member}' "stages.member: there is no program 'no_such_program'"
refuse 'stages.member=ls {snapshot}' 'stages.member: a command for each member knows no {snapshot}'
refuse 'stages.campaign=ls {membre}' 'stages.campaign: a command for each campaign knows no {membre}'
refuse 'stages.snapshot=ls' 'stages.snapshot: it is run for each snapshot, and names none; nearest: ls {snapshot}'
refuse "stages.member=ls 'a" "stages.member: a ' has no end"
refuse "stages.member=/usr/bin/python3 $(printf 'recipes/above.py %.0s' {1..20})" 'stages.member: with the paths of its files it has more than 511 bytes'
refuse 'sweep.stages.campaign=[ls, pwd]' "'stages.campaign' cannot be swept"
expect 0 sluice plan recipes/full.yaml; shows 'stages    ic, sim, stats, own per member; then ensemble, summary, report'
expect 69 sluice run recipes/full.yaml resources.own.ranks=1000; says 'own of member 0000 wants 1000 ranks'

# ---- a campaign: stages, products, checksums, means, report
expect 0 sluice run recipes/full.yaml --cores 4
home=full/members/0001
for f in own/0000/above.csv own/0002/above.csv own/curve.csv own/dot.png; do [ -s $home/$f ] || bad "no $f"; done
[ ! -e $home/own.part ] || bad "own.part is left"
expect 0 sluice status full --json
/usr/bin/python3 - <<'END' || bad "status --json"
import json
s = json.load(open("out"))
assert s["counts"]["done"] == 2 and all(list(m["stages"]) == ["ic", "sim", "stats", "own"] for m in s["list"]), s
assert list(s["whole"]) == ["ensemble", "summary", "report"] and all(w["state"] == "done" for w in s["whole"].values()), s["whole"]
END
/usr/bin/python3 - <<'END' || bad "the end-record"
import json, re
r = json.load(open("full/members/0000/attempts/own.end.json"))
assert re.fullmatch(r"/usr/bin/python3 \.\./\.\./inputs/[0-9a-f]{8}-above\.py \{snapshot\}", r["commands"]["snapshot"]), r["commands"]
assert {p["path"] for p in r["products"]} == {"own/0000/above.csv", "own/0001/above.csv", "own/0002/above.csv", "own/curve.csv",
                                              "own/own.csv", "own/dot.png"}, r["products"]
END
/usr/bin/python3 - <<'END' || bad "means over the members"
import numpy as np
t = np.genfromtxt("full/ensemble/own/curve.csv", delimiter=",", names=True, skip_header=1)
assert t.dtype.names == ("x", "square_mean", "square_std"), t.dtype
assert np.allclose(t["square_mean"], 1.5 * t["x"] ** 2) and np.allclose(t["square_std"], t["x"] ** 2 / 2 ** 0.5)
members = [np.loadtxt(f"full/members/000{m}/own/0002/above.csv", delimiter=",") for m in (0, 1)]
t = np.genfromtxt("full/ensemble/own/0002/above.csv", delimiter=",", names=True, skip_header=1)
assert np.allclose(t["volume_mean"], np.mean(members, axis=0)[:, 1]) and np.allclose(t["volume_std"], np.std(members, axis=0, ddof=1)[:, 1])
END
[ ! -e full/ensemble/own/own.csv ] && grep -q 'own/own.csv is not averaged: that of member 0001' full/logs/ensemble.1.log || bad "tables that differ"
page=full/report/index.html
for t in 'square against x: own/curve.csv of 2 members; bars are' 'volume against level: own/0002/above.csv' 'mach against seed: summary/seeds.csv' \
    'alt="dot.png" src="data:image/png;base64,iVBOR'; do grep -qF "$t" $page || bad "the report has no '$t'"; done
! grep -q '0001/above.csv' $page || bad "the report shows a snapshot that is not the last"
expect 0 sluice verify full
expect 0 sluice logs full 1; shows "# /usr/bin/python3 $work/full/inputs/"
before=$(attempts $home own)
expect 0 sluice run recipes/full.yaml; [ "$(attempts $home own)" = "$before" ] || bad "what is done was run again"
expect 0 /usr/bin/python3 "$SLUICE_TOP/examples/python/sluice.py" full; shows '2 members, 2 done'

# ---- damage: found, reported, mended
cp -r $home/own kept
sed -i 's/^3,/3.5,/' $home/own/curve.csv
expect 1 sluice verify full; shows '0001 own: own/curve.csv'
expect 0 sluice why full 1; shows 'but own: own/curve.csv'; shows 'sluice retry full 0001 --from own'
expect 0 sluice clean full --damaged; shows '0001 own: own/curve.csv'
expect 0 sluice run full; expect 0 sluice verify full
diff -r kept $home/own || bad "the same command made something else"
# a table that no command made is not averaged
for m in 0 1; do printf 'x,y\n1,2\n' >full/members/000$m/own/other.csv; done
rm full/attempts/ensemble.end.json
expect 1 sluice run full; says 'the ensemble failed: 0000 own: own/other.csv is in no record: move it away'
[ ! -e full/ensemble/own/other.csv ] || bad "the mean of a table that no command made"
rm full/members/000?/own/other.csv
expect 0 sluice run full; expect 0 sluice verify full
rm full/summary/seeds.csv
expect 0 sluice why full; shows 'summary of full is failed: summary/seeds.csv is missing'
expect 0 sluice clean full --damaged; expect 0 sluice run full; [ -s full/summary/seeds.csv ] || bad "no new summary"
mv full/attempts/ensemble.end.json kept; expect 0 sluice status full --json
/usr/bin/python3 -c 'import json; exit(json.load(open("out"))["whole"]["summary"]["state"] == "done")' || bad "a summary from before the ensemble counts"
mv kept/ensemble.end.json full/attempts
expect 0 sluice set full 'stages.campaign=recipes/all.py {campaign}' resources.retries=7
! grep -q 'retries: 7' full/members/0000/run.yaml || bad "resources of a member that is done"
expect 0 sluice clean full --snapshots; expect 0 sluice run full; expect 0 sluice verify full

# ---- a script that fails is tried again as often as resources.retries says; mended, it is taken by `sluice set`
cat >recipes/fails.py <<'END'
import sys
print("begins")
open("half.csv", "w").write("x,y\n1,")
sys.exit("this cannot be") if sys.argv[1].endswith("0") else None
END
recipe fails 'stages: {member: "/usr/bin/python3 fails.py {member}"}' 'resources: {retries: 1}'
expect 1 sluice run recipes/fails.yaml
[ "$(attempts fails/members/0000 own)" = 2 ] || bad "not two attempts"
[ ! -e fails/members/0000/own ] && [ -s fails/members/0001/own/half.csv ] || bad "products of what failed"
expect 0 sluice why fails 0; shows '0000 (seed=1) is failed at stage own: stages.member: exit code 1: this cannot be'
shows "(sluice set $work/fails 'stages.member=/usr/bin/python3 fails.py {member}' in the directory of the recipe)"
[ -s fails/ensemble/summary.csv ] && grep -q 'members/0001/own' fails/report/index.html || bad "no ensemble of statistics that are there"
sed -i '/exit/d' recipes/fails.py
expect 0 sluice retry fails
expect 1 sluice run recipes/fails.yaml; says 'fails.py has changed since the campaign was given it'
says "sluice set $work/fails 'stages.member=/usr/bin/python3 fails.py {member}'"
expect 0 sluice retry fails
(cd recipes && expect 0 sluice set ../fails 'stages.member=/usr/bin/python3 fails.py {member}') || failed=1
expect 0 sluice run fails; [ -s fails/members/0000/own/half.csv ] || bad "the mended script made nothing"
[ "$(attempts fails/members/0001 own)" = 1 ] || bad "a member that was done was run again"
expect 0 sluice retry fails all --from own; expect 0 sluice run fails; [ "$(attempts fails/members/0001 own)" = 2 ] || bad "--from own"
recipe silent 'stages: {member: "true"}' 'sweep: {seed: 1..1}'
sed -i '3d' recipes/silent.yaml
expect 1 sluice run recipes/silent.yaml; expect 0 sluice why silent 0
shows 'own: the commands ended well, but wrote nothing into their working directory'
again() { expect 0 sluice set silent "stages.member=$1"; expect 0 sluice retry silent; expect "$2" sluice run silent; } # COMMAND CODE
again 'ln -s /dev/null link' 1; expect 0 sluice why silent 0; shows 'link: a symbolic link is no product'
again 'cp /dev/null a.tmp-b' 1; expect 0 sluice why silent 0; shows 'a.tmp-b: a product with .tmp- in its name'
again 'cp /dev/null mach3..10' 0; expect 0 sluice verify silent
# what the report cannot show of it is named there
printf '#!/bin/sh\n: >empty.csv; printf "x\\0y" >garbled.csv; printf "x,y\\n1,no\\n" >words.csv; : >empty.png; echo no >no.png\nprintf "\\211PNG\\r\\n\\032\\nIHDR" >cut.png; printf "x,y\\n1,2\\n" >good.csv\n' >recipes/bad.sh
(cd recipes && sluice set ../silent 'stages.member=sh bad.sh') || bad "set"
expect 0 sluice retry silent all --from own; expect 0 sluice run silent
for t in 'empty.csv is not shown: it has not two columns' 'garbled.csv is not shown: not a text' 'words.csv is not shown: no column but the first' \
    'empty.png is not shown: it is empty' 'no.png is not shown: it is no PNG' 'cut.png is not shown: it is cut short' 'y against x: own/good.csv'; do
    grep -qF "$t" silent/report/index.html || bad "the report has no '$t'"
done
[ "$(grep -c 'is not shown' silent/report/index.html)" = 6 ] || bad "$(grep 'is not shown' silent/report/index.html)"
printf '#!/bin/sh\ncp /dev/null made\n' >recipes/later.sh; (cd recipes && sluice set ../silent 'stages.member=sh later.sh') || bad "set"
chmod +x recipes/later.sh; (cd recipes && sluice set ../silent 'stages.member=./later.sh') || bad "set"
expect 0 sluice retry silent all --from own; expect 0 sluice run silent; [ -e silent/members/0000/own/made ] || bad "chmod +x was not seen"

# ---- what is set once all members are done rules the stages of the campaign, whose values are not those in the run.yaml of a member
expect 0 sluice set fails stages.campaign=false resources.retries=2
expect 1 sluice run fails
[ "$(attempts fails summary)" = 3 ] || bad "$(attempts fails summary) attempts at the summary, not three"
grep -q '^resources.retries: 1$' fails/members/0001/run.yaml || bad "the run.yaml of a member that is done was changed"

# ---- means are over the members of the ensemble: not over one whose partner has no statistics, nor by groups of an earlier ensemble
printf '#!/bin/sh\necho x,y >t.csv; echo 1,2 >>t.csv\n' >recipes/table.sh
recipe groups 'stages: {member: "sh table.sh"}' 'ensemble: {min: 2}'
sed -i 's/sweep: .*/sweep: {seed: 1..2, turbulence.mach: [2, 3]}/; s/mach: 2, //' recipes/groups.yaml
expect 0 sluice run recipes/groups.yaml
[ "$(head -qn 1 groups/ensemble/group-?/own/t.csv)" = "$(printf '# members: 2\n# members: 2')" ] || bad "two groups of two"
rm groups/members/0003/attempts/stats.end.json
expect 0 sluice cancel groups 3; sluice run groups >out 2>err
[ "$(head -n 1 groups/ensemble/own/t.csv)" = '# members: 2' ] || bad "a mean over members of two groups: $(head -n 1 groups/ensemble/own/t.csv)"
[ ! -e groups/ensemble/groups.csv ] || bad "groups of an earlier ensemble"

# ---- kill -9 of all in the middle of a command
cat >recipes/slow.sh <<'END'
#!/bin/bash
echo half >part.csv
[ ! -e "$1/../../slow" ] || sleep 1000
rm part.csv
echo x,y >whole.csv
END
chmod +x recipes/slow.sh
recipe slow 'stages: {member: "slow.sh {member}"}'
expect 0 sluice run recipes/slow.yaml 'stages.member=""' --dir slow
: >slow/slow
(cd recipes && expect 0 sluice set ../slow 'stages.member=slow.sh {member}') || failed=1
setsid sluice run slow >run.log 2>&1 &
for ((i = 0; i < 300; i++)); do [ -s slow/members/0000/own.part/part.csv ] && [ -s slow/members/0001/own.part/part.csv ] && break; sleep 0.1; done
[ -s slow/members/0000/own.part/part.csv ] || bad "the command does not run"
kill -9 $! $(pgrep -f "sluice task $work/slow own")
wait $! 2>/dev/null
[ ! -e slow/members/0000/own ] || bad "half a product in its place"
rm slow/slow
expect 0 sluice run slow
[ "$(grep -c '"stage": *"own".*"result": *"lost"' slow/journal.jsonl)" = 2 ] || { bad "attempts that were killed are not reported as lost"; grep own slow/journal.jsonl; }
! pgrep -f "$work/slow/inputs/[0-9a-f]*-slow.sh" >/dev/null || bad "a command outlived its attempt"
[ "$(ls slow/members/0000/own)" = whole.csv ] || bad "not the products of the attempt that ended: $(ls slow/members/0000/own)"

# ---- kill -9 of the executor, whose task takes its time to end: the next run waits for it and does not count that as a failure
recipe held 'stages: {campaign: "./wait.sh {campaign}"}' 'resources: {retries: 0}'
printf '#!/bin/bash\n[ ! -e "$1/slow" ] || { touch "$1/began"; sleep 1000; }\necho x,y >whole.csv\n' >recipes/wait.sh
chmod +x recipes/wait.sh
expect 0 sluice run recipes/held.yaml 'stages.campaign=""' --dir held
: >held/slow
(cd recipes && expect 0 sluice set ../held 'stages.campaign=./wait.sh {campaign}') || failed=1
setsid sluice run held >run.log 2>&1 &
for ((i = 0; i < 300; i++)); do [ -e held/began ] && break; sleep 0.1; done
task=$(pgrep -f "sluice task $work/held summary") || bad "the command does not run"
kill -STOP $task; kill -9 $!; wait $! 2>/dev/null
rm held/slow
(sleep 4; kill -CONT $task 2>/dev/null) &
expect 0 sluice run held
[ -e held/summary/whole.csv ] || bad "no products of the command: $(cat run.log err)"
wait

# ---- commands come to a campaign that is done, and go again; one without has no trace of them
recipe plain
expect 0 sluice run recipes/plain.yaml
! grep -q 'stages\|resources.own' plain/members/0000/run.yaml || bad "run.yaml speaks of commands"
expect 0 sluice status plain --json; ! grep -q '"own"\|"summary"' out || bad "status --json speaks of commands"
! grep -q 'id="own"' plain/report/index.html || bad "the report speaks of commands"
expect 2 sluice retry plain 0 --from own; says 'member 0000 has no stage own'
recipe plain 'stages: {member: "cp /dev/null made", campaign: "touch made {campaign}/there"}'
expect 0 sluice run recipes/plain.yaml; shows '0000 own done'; shows 'plain summary done'
[ -e plain/members/0001/own/made ] && [ -e plain/summary/made ] || bad "commands that came later made nothing"
expect 0 sluice set plain 'stages.member=""' 'stages.campaign=""'; expect 0 sluice status plain; shows '2/2 done'
! grep -q 'own' out || bad "a stage that was taken away: $(cat out)"
# members that were done before stay as they were made, with commands and without
expect 0 sluice verify plain
expect 0 sluice set plain output.keep=3 'stages.campaign="touch made"'; expect 0 sluice verify plain
expect 0 sluice set plain 'stages.member="false"'; expect 0 sluice set plain 'stages.member=""'; expect 0 sluice verify plain
exit $failed
