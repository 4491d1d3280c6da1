#!/bin/bash
# readme.sh - the commands of all guides and of the examples do what they say: every block that begins with ```sh run is run, in
# order, every block of YAML is (part of) a recipe, and the table of known answers of the first campaign holds.
# first: minutes
set -eu
. "$SLUICE_TOP/tests/scratch.sh"

commands() { # file: the runnable blocks as one script
    awk '/^```sh run$/ { on = 1; next } /^```$/ { on = 0 } on' "$1"
}

follow() { # file, directory to run in
    mkdir -p "$2"
    ln -sfn "$SLUICE_TOP/build" "$2/build"
    ln -sfn "$SLUICE_TOP/recipes" "$2/recipes"
    commands "$1" >"$2/commands.sh"
    [ -s "$2/commands.sh" ] || fail "$1 has no commands to run"
    (cd "$2" && bash -eu -o pipefail commands.sh) >"$2/out.log" 2>&1 || { tail -n 30 "$2/out.log"; fail "a command of $1 failed"; }
}

follow "$SLUICE_TOP/README.md" "$work/readme"
[ -s "$work/readme/small/report/index.html" ] || fail "no report where the README says"
grep -q '^0002,done' "$work/readme/out.log" || fail "the member that extend adds is not done"

for page in recipes core pipeline gpu; do
    follow "$SLUICE_TOP/$page/README.md" "$work/$page"
done
grep -q 'errors-llf.*density' "$work/recipes/out.log" && grep -q '4 members' "$work/recipes/out.log" || fail "recipes/README.md: what its commands print"
grep -q 'inject: SIGKILL' "$work/pipeline/out.log" && [ -s "$work/pipeline/small-tables/spectrum_velocity.csv" ] || fail "pipeline/README.md: what its commands make"
# blocks of YAML: what they leave out is that of a small recipe; scripts that they name are there
mkdir "$work/yaml"
touch "$work/yaml/density_peaks.py" "$work/yaml/my_spectrum.py"
printf '#!/bin/sh\n' >"$work/yaml/compare.sh" && chmod +x "$work/yaml/compare.sh"
(cd "$SLUICE_TOP" && python3 - "$work/yaml" README.md recipes/README.md core/README.md pipeline/README.md) <<'PY'
import re, sys
base = {"campaign": "a", "problem": "turbulence", "mesh": "{cells: [32, 32, 32]}", "time.end": "1", "fluid.scalars": "1"}
n = 0
for page in sys.argv[2:]:
    for block in re.findall(r"^```yaml\n(.*?)^```$", open(page).read(), re.M | re.S):
        with open(f"{sys.argv[1]}/{n}.yaml", "w") as f:
            f.write(block + "".join(f"{key}: {value}\n" for key, value in base.items() if not re.search(f"^{key}:", block, re.M)))
        n += 1
assert n >= 5, n
PY
grep -q '72 members in all' "$work/yaml/0.yaml" && sluice check "$work/yaml/0.yaml" | grep -q ' 72 members$' || fail "members of the first sweep of recipes/README.md"
for recipe in "$work"/yaml/*.yaml; do
    sluice check "$recipe" >"$work/out" 2>"$work/err" || fail "a block of YAML of the guides is wrong: $(cat "$recipe")"
done

example=$SLUICE_TOP/examples/first-campaign
mkdir "$work/first"
cp "$example/recipe.yaml" "$work/first"
follow "$example/README.md" "$work/first"
grep -q 'inject: SIGKILL' "$work/first/out.log" || fail "nothing was killed in the rehearsal"
# rehearsal has the four members that the table is about
sed -n 's/^| \([a-z_]*\) | \([0-9.]*\) | \([0-9.]*\) | .*/\1 \2 \3/p' "$example/README.md" >"$work/known"
[ "$(wc -l <"$work/known")" = 5 ] || fail "the table of known answers has lost rows"
while read -r quantity mean error; do
    awk -F, -v q="$quantity" -v m="$mean" -v e="$error" '
        function near(a, b, c) { return (a - b) ^ 2 <= c ^ 2 }
        $1 == q { found = near($2, m, 0.01 * m) && near($3, e, 0.1 * e) } END { exit !found }
    ' "$work/first/rehearsal/ensemble/summary.csv" || fail "$quantity is not $mean ± $error: $(grep "^$quantity," "$work/first/rehearsal/ensemble/summary.csv")"
done <"$work/known"
example=$SLUICE_TOP/examples/first-universe
mkdir "$work/universe"
cp "$example/recipe.yaml" "$work/universe"
follow "$example/README.md" "$work/universe"
[ -s "$work/universe/swift/0000/ic.hdf5" ] && [ -s "$work/universe/grown/report/index.html" ] || fail "what examples/first-universe makes is not there"
example=$SLUICE_TOP/examples/own-analysis
mkdir -p "$work/own" "$work/bin"
ln -s /usr/bin/python3 "$work/bin/python3" # which has numpy and h5py
cp "$example"/*.yaml "$example"/*.py "$work/own"
PATH=$work/bin:$PATH follow "$example/README.md" "$work/own"
said() { # FILE: the numbers of its row of the table
    grep "^| \`$1\`" "$example/README.md" | cut -d'|' -f4 | tr -d ' '
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !((a - b) ^ 2 < (6e-4 * b) ^ 2) }' || fail "$3: $1, the page says $2"; } # NUMBER NUMBER WHAT
own=$work/own/peaks
for column in 2 3; do
    near "$(sed -n 2p "$own/summary/compare.csv" | cut -d, -f$column)" "$(said 'summary/compare.csv')" "width of seed 1, column $column"
done
near "$(tail -n 1 "$own/ensemble/own/width.csv" | cut -d, -f2)" "$(said 'ensemble/own/width.csv')" "mean width"
near "$(grep '^1,' "$own/ensemble/own/0004/above.csv" | cut -d, -f2)" "$(said 'ensemble/own/0004/above.csv' | cut -d, -f1)" "volume"
near "$(grep '^1,' "$own/ensemble/own/0004/above.csv" | cut -d, -f4)" "$(said 'ensemble/own/0004/above.csv' | cut -d, -f2)" "mass"
example=$SLUICE_TOP/examples/first-haloes
mkdir -p "$work/haloes"
cp "$example"/recipe.yaml "$example"/look.py "$SLUICE_TOP/examples/python/sluice.py" "$work/haloes"
PATH=$work/bin:$PATH follow "$example/README.md" "$work/haloes"
sed -n 's/^| `\([a-z_0-9]*\)` | \([0-9.]*\) |.*/\1 \2/p' "$example/README.md" >"$work/known"
[ "$(wc -l <"$work/known")" = 8 ] || fail "the table of $example has lost rows"
while read -r name value; do
    found=$(sed -n "s/^$name \([0-9.]*\) .*/\1/p" "$work/haloes/out.log")
    awk -v a="$found" -v b="$value" 'BEGIN { exit !((a - b) ^ 2 <= (0.01 * b) ^ 2) }' || fail "first-haloes: $name is $found, the page says $value"
done <"$work/known"
grep -q 'at most 0e+00 Mpc/h from those' "$work/haloes/out.log" || fail "exported particles are elsewhere: $(grep ^exported "$work/haloes/out.log")"
# links lead somewhere, also to a part of a page; recipes and examples are in their lists
(cd "$SLUICE_TOP" && python3 - *.md */*.md .dist/*.md examples/*/README.md tests/perf/*.md) <<'PY' || fail "links that lead nowhere"
import glob, os, re, sys
def parts(page):
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", open(page).read(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in heads}
bad = []
for page in sys.argv[1:]:
    for link in re.findall(r"\]\(([^)h][^)]*)\)", open(page).read()):
        name, _, part = link.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
        if not os.path.exists(to) or part and part not in parts(to):
            bad.append((page, link))
sources = "".join(open(f).read() for f in glob.glob("*/*.[ch]") + glob.glob("*/*/*.[ch]") + glob.glob("gpu/*"))
for page in sys.argv[1:]: # functions and files that the pages name
    if not page.startswith(("CHANGELOG", "tests/perf")):
        text = open(page).read()
        bad += [(page, x) for x in re.findall(r"`(sl_[a-z_]+)`", text) if x not in sources]
        bad += [(page, x) for x in re.findall(r"`((?:core|cmd|gpu|pipeline|tests|recipes)/[a-z_/.-]+\.[a-z]+)`", text) if not os.path.exists(x)]
for listing, files in (("recipes/README.md", glob.glob("recipes/*.yaml")), ("examples/README.md", glob.glob("examples/*/README.md"))):
    text = open(listing).read()
    bad += [(listing, f) for f in files if f"({f.split('/', 1)[1]})" not in text]
sys.exit("\n".join(map(str, bad)) or 0)
PY
for folder in $(cd "$SLUICE_TOP" && sed -n '/^| folder/,/^$/s/^| \(`[^|]*\) |.*/\1/p' README.md core/README.md pipeline/README.md tests/README.md | grep -oE '`[a-z/]+`' | tr -d '`'); do
    [ -d "$SLUICE_TOP/$folder" ] || fail "a map names $folder, which is not there"
done
# keys and choices that the pages name are there
sluice keys --json >"$work/keys.json"
(cd "$SLUICE_TOP" && python3 - "$work/keys.json" README.md CONTRIBUTING.md */*.md examples/*/README.md .dist/*.md) <<'PY' || fail "keys that are none"
import json, re, sys
keys = {k["key"]: [c["name"] for c in k.get("choices") or []] for k in json.load(open(sys.argv[1]))["keys"]}
groups = {key[:dot] for key in keys for dot in range(len(key)) if key[dot] == "."}
named = lambda text: re.findall(r"`([a-z_]+(?:\.[a-z0-9_]+)+)(?:[:=] ?([a-z0-9_]+))?`", text)
bad = [(page, key, value) for page in sys.argv[2:] for key, value in named(open(page).read())
       if key.split(".")[0] in groups and key not in ("run.yaml", "ic.h5")
       and (key not in keys and key not in groups or value and keys.get(key) and value not in keys[key])]
sys.exit("\n".join(map(str, bad)) or 0)
PY
