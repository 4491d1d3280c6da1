# scratch.sh - what shell tests that need a directory share, sourced: $work is one of the test's own, removed when it ends, `fail`
# ends the test with the last lines of the files out, err and *.log there, `small` is for tests of a disk that is full, and `fill` fills it.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; tail -n 20 "$work"/out "$work"/err "$work"/*.log 2>/dev/null; exit 1; }
small() { # SIZE: an empty file system of that size at $work/small, released when the test ends; false where none can be mounted
    mkdir -p "$work/small"
    mount -t tmpfs -o size="$1" none "$work/small" 2>/dev/null || { echo "SKIP: cannot mount a small file system here"; return 1; }
    trap 'cd /; umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
}
fill() { # [PAGES]: leaves room for so many pages of 4 kB there
    cat /dev/zero >"$work/small/fill" 2>/dev/null
    truncate -s -$((${1:-0} * 4096)) "$work/small/fill"
}
