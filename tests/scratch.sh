# scratch.sh - what shell tests that need a directory share, sourced: $work is one of the test's own, removed when it ends, and `fail`
# ends the test with the last lines of the files out, err and *.log there.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; tail -n 20 "$work"/out "$work"/err "$work"/*.log 2>/dev/null; exit 1; }
