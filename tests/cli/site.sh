#!/bin/bash
# site.sh - `make doc` makes one site: every link leads somewhere, nothing is asked of a network, the search finds keys, every key, verb,
# recipe, column and exit code has its place, and pages fit a phone.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
command -v pandoc >/dev/null || { echo "SKIP: pandoc is not installed"; exit 0; }
cd "$SLUICE_TOP" || exit 1
.ci/document "$work/doc" build/sluice >"$work/log" 2>&1 || fail "make doc: $(cat "$work/log")"
python3 - "$work/doc" <<'PY' || bad "links, or something from elsewhere"
import glob, html.parser, json, os, re, sys, urllib.parse
top = sys.argv[1]
class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.names, self.links, self.loads = set(), [], []
        self.feed(open(path, encoding="utf-8").read())
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if "id" in a:
            assert a["id"] not in self.names, f"two places are called {a['id']}"
            self.names.add(a["id"])
        if tag == "a":
            self.links.append(a.get("href", "#"))
        else:
            self.loads += [a[x] for x in ("src", "href", "data", "action") if a.get(x)]
pages = {os.path.basename(p): Page(p) for p in glob.glob(f"{top}/*.html")}
bad = []
for name, page in pages.items():
    bad += [(name, x) for x in page.loads if not os.path.isfile(f"{top}/{x}")]
    for link in page.links:
        to, _, part = urllib.parse.unquote(link).partition("#")
        if re.match(r"https?:", to):
            continue
        if to and not os.path.isfile(f"{top}/{to}") or part and to.endswith((".html", "")) and part not in pages[to or name].names:
            bad.append((name, link))
for f in ("site.css", "site.js"):
    bad += [(f, x) for x in re.findall(r"https?://\S*|@import|url\([^)]*\)|fetch\(|XMLHttp", open(f"{top}/{f}").read())]
entries = json.loads(open(f"{top}/search.js").read().split("=", 1)[1].rstrip("; \n"))
bad += [("search", e[:2]) for e in entries if e[1] and e[1] not in pages[e[0] + ".html"].names]
assert len(pages) > 20 and len(entries) > 400, (len(pages), len(entries))
sys.exit("\n".join(map(str, bad)) or 0)
PY
for k in $(sluice keys | sed -n 's/^\([a-z][a-z_.0-9]*\).*/\1/p'); do grep -q "id=\"$k\"" "$work/doc/keys.html" || bad "no $k among the keys"; done
for v in $(sluice --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do grep -q "<h2 id=\"$v\"" "$work/doc/verbs.html" || bad "no $v among the verbs"; done
for r in recipes/*.yaml; do grep -q "href=\"files/$r\"" "$work/doc/recipes.html" || bad "no $r among the recipes"; done
grep -q '<code>71</code></td><td>out of memory' "$work/doc/codes.html" || bad "exit codes"
grep -q 'Townsend 2009' "$work/doc/methods.html" && grep -q '<math display="block"' "$work/doc/methods.html" || bad "methods"
grep -q 'specific_thermal_energy' "$work/doc/outputs.html" || bad "fields of snapshots"
# columns and datasets of all kinds of files, with units, and units themselves; files have their names
column() { grep -qF "<td><code>$1</code></td><td>$2" "$work/doc/outputs.html" || bad "the outputs lack $1 in $2"; }
for c in energy_kinetic energy_magnetic driving_energy cooling_energy energy_potential density_max; do column $c code; done
column scale_factor 1
column cells_level_N 1
column scalar_N 'density of the passive scalar'
column L1 'code units of the row'
column relative_l1 'root of'
column kinetic_energy_ratio 1
column dissipated_energy 'code energy'
column press_schechter '(h/Mpc)^3'
column particles/position_x '8 × 8 × 8</td><td>Mpc/h</td><td>comoving position'
column level_1 1
column standard_error 'standard error of the mean'
grep -qF '<td><code>kpc</code></td><td>length</td><td>3.0856775814913673e+21 cm</td>' "$work/doc/keys.html" || bad "no units"
grep -q 'spectrum_dark_matter.csv' "$work/doc/outputs.html" && ! grep -qF 'ic-*' "$work/doc/outputs.html" || bad "names of the spectra of a start"
# as a reader meets them
if command -v chromium >/dev/null; then
    seen() { # PAGE
        /usr/bin/python3 tests/cli/browser.py "$work/doc/$1" >"$work/seen" 2>"$work/err" || bad "$1: $(cat "$work/err")"
        python3 -c '
import json, sys
seen = json.load(open(sys.argv[1]))
assert not seen["console"] and not [r for r in seen["requests"] if not r.startswith("file:")], seen
assert seen["wide"] <= seen["screen"], seen' "$work/seen" || bad "$1 on a screen"
    }
    for page in index keys methods; do seen $page.html; done
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --dump-dom "file://$work/doc/index.html?q=fluid.cfl" \
        >"$work/dom" 2>/dev/null
    grep -qF '<li><a href="keys.html#fluid.cfl">' "$work/dom" || bad "the search does not find fluid.cfl"
fi
[ $failed = 0 ] && echo ok
exit $failed
