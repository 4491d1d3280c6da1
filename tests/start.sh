# start.sh - what tests of starts of a universe share, sourced beside check.sh: `run` takes run.yaml through the solver in a directory
# of its own, `compare` does so with the start that sluice-ic writes and with the one that the ranks make (ranks_of: on how many).
run() { # DIR RANKS OPTIONS: the hash and the steps
    mkdir -p "$1"
    cp -n run.yaml "$1"
    (cd "$1" && mpirun -n "$2" sluice-sim run.yaml "${@:3}" 2>err) >"$1/out"
    sed -n 's/^hash \([0-9a-f]* [0-9]*\) .*/\1/p' "$1/out"
}
compare() { # NAME OPTIONS
    mkdir "$1"
    cp run.yaml "$1"
    (cd "$1" && mpirun -n 2 sluice-ic run.yaml "${@:2}") >log 2>&1 || bad "sluice-ic, $1: $(cat log)"
    local want got
    want=$(run "$1" 1 ic.write=true "${@:2}")
    [ -n "$want" ] || bad "no run from the file, $1: $(cat "$1/err")"
    for ranks in ${ranks_of:-2}; do
        got=$(run "$1$ranks" "$ranks" "${@:2}")
        [ "$got" = "$want" ] || bad "$1 on $ranks ranks: $got, from the file: $want: $(cat "$1$ranks/err")"
        [ -e "$1$ranks/ic.h5" ] && bad "$1 on $ranks ranks has written ic.h5"
        for spectrum in "$1"/spectrum_*.csv; do
            cmp "$spectrum" "$1$ranks/${spectrum##*/}" || bad "another spectrum, $1 on $ranks ranks"
        done
    done
}
