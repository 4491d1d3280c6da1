#!/bin/bash
# equal.sh - equal campaigns give equal bytes: initial fields, history, statistics, ensemble. What may differ is named here:
# the date in snapshots, and the files about how it went (journal, attempts, logs, claims, progress, report).
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "FAIL: $*"; exit 1; }
cat >r.yaml <<'END'
campaign: equal
problem: turbulence
sweep: {seed: 1..2}
turbulence: {mach: 2, kmax: 3}
mesh: {cells: [16, 16, 16]}
time: {end: 0.05, unit: crossing}
END
sluice run r.yaml --dir one >log 2>&1 || { cat log; fail "the first campaign"; }
mkdir deep
sleep 1 # another second on the clock
sluice run r.yaml --dir deep/two >log 2>&1 || { cat log; fail "the second campaign"; }
files() { (cd "$1" && find . -type f -not -path './attempts/*' -not -path '*/attempts/*' -not -path '*/logs/*' \
    -not -path './slots/*.json' -not -path './report/*' -not -name journal.jsonl -not -name progress.json | sort); }
[ "$(files one)" = "$(files deep/two)" ] || fail "other files: $(diff <(files one) <(files deep/two))"
dump() { (cd "$1" && h5dump "$2" | sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/DATE/'); }
same=0
for f in $(files one); do
    case $f in
        */snapshots/*[0-9])
            [ "$(cmp -l "one/$f" "deep/two/$f" | wc -l)" -lt 20 ] && # digits, and the checksum of what holds them
                cmp -s <(dump one "$f") <(dump deep/two "$f") ;;
        *) cmp -s "one/$f" "deep/two/$f" ;;
    esac || fail "$f differs in $(cmp -l "one/$f" "deep/two/$f" | wc -l) bytes"
    same=$((same + 1))
done
[ $same -gt 30 ] || fail "only $same files"
for f in ensemble/ensemble.h5 members/0000/stats.h5 members/0000/ic.h5; do [ -s "one/$f" ] || fail "no $f"; done
echo "$same files are the same"
