#!/bin/bash
# equal.sh - equal campaigns give equal bytes: initial fields, history, statistics, ensemble. What may differ is named here:
# the date in snapshots, and the files about how it went (journal, attempts, logs, claims, progress, report). So it is when one of
# them met failures, or when resources were changed before its last member: all three are one group, and nothing tells of it.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
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
    -not -path './slots/*.json' -not -name settings -not -path './slots/0002.tsv' -not -path './report/*' -not -name journal.jsonl -not -name progress.json | sort); }
dump() { # CAMPAIGN FILE: all that is in it but when it was written
    /usr/bin/python3 - "$1/$2" <<'PY'
import sys, zlib, h5py
def show(name, item):
    for key, value in sorted(item.attrs.items()):
        if key != "started":
            print(name, key, value)
    if isinstance(item, h5py.Dataset) and name != "sim info":
        print(name, zlib.crc32(item[()].tobytes()))
with h5py.File(sys.argv[1]) as f:
    f.visititems(show)
    assert "sluice/run.yaml" in f
PY
}
same=0
compare() { # CAMPAIGN
    local f
    [ "$(files one)" = "$(files "$1")" ] || fail "other files: $(diff <(files one) <(files "$1"))"
    for f in $(files one); do
        case $f in
            */snapshots/*[0-9])
                [ "$(cmp -l "one/$f" "$1/$f" | wc -l)" -lt 20 ] && # digits, and the checksum of what holds them
                    cmp -s <(dump one "$f") <(dump "$1" "$f") ;;
            */written.tsv) cmp -s <(cut -f 1,3 "one/$f") <(cut -f 1,3 "$1/$f") ;; # checksums of snapshots with their hours
            */run.yaml) cmp -s <(grep -v '^resources.' "one/$f") <(grep -v '^resources.' "$1/$f") ;;
            *) cmp -s "one/$f" "$1/$f" ;;
        esac || fail "$f differs in $(cmp -l "one/$f" "$1/$f" | wc -l) bytes"
        same=$((same + 1))
    done
}
compare deep/two
[ $same -gt 30 ] || fail "only $same files"
for f in ensemble/ensemble.h5 members/0000/stats.h5 members/0000/ic.h5; do [ -s "one/$f" ] || fail "no $f"; done
sluice set deep/two resources.walltime=2h resources.mtbf=9h resources.retries=50 resources.hang=5min >log 2>&1 || { cat log; fail "set"; }
for c in one deep/two; do
    sluice extend $c seed=1..3 >log 2>&1 || { cat log; fail "extend $c"; }
    inject=
    [ $c = one ] || inject='--inject kill=0.5'
    # shellcheck disable=SC2086
    sluice run $c $inject >log 2>&1 || { cat log; fail "the third member of $c"; }
done
grep -q '^resources.retries: 50$' deep/two/members/0002/run.yaml || fail "the last member does not have other resources"
[ ! -e one/ensemble/groups.csv ] || fail "more than one group"
grep -c '"inject"' deep/two/journal.jsonl | sed 's/$/ failures/'
compare deep/two
echo "$same files are the same"
