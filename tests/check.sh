# check.sh - what the shell tests share, sourced: `bad` tells of a failure and goes on, `expect` runs a command and keeps what it
# printed in the files out and err, `shows` and `says` look for text there. A test ends with `exit $failed`.
export PYTHONPATH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) PYTHONDONTWRITEBYTECODE=1 # check.py
failed=0
bad() { echo "FAIL: $*"; failed=1; }
expect() { # CODE COMMAND...
    local code=$1 got
    shift
    "$@" >out 2>err
    got=$?
    [ $got = "$code" ] || { bad "exit $got, not $code: $*"; cat out err; }
}
shows() { grep -qF -- "$1" out || { bad "no '$1' in the output"; cat out; }; }
says() { grep -qF -- "$1" err || { bad "no '$1' in the message"; cat err; }; }
