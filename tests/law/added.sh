#!/bin/bash
# added - what is added to a list as README.md says is complete, or it does not compile: a criterion of refinement with its line but
# without its number is refused, and so is one in any of the lists of cells.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$SLUICE_TOP" || exit 1
mkdir -p "$work/core" && cp -r core/cell "$work/core" || fail "no copy"

compiles() { # HEADER: in the copy
    gcc -std=c11 -Wall -Werror=implicit-function-declaration -fsyntax-only -I"$work" -Ibuild/gen -x c "$1" 2>"$work/err"
}
criterion() { # LIST ARGUMENT: a copy with the criterion `twist` at the end of a list, and with its number where it takes an argument
    LIST=$1 ARGUMENT=${2:-} perl -0777 -pe '
        s/(#define $ENV{LIST}\(X\)(?:[^\n]*\\\n)+[^\n]*)/$1 \\\n    X(twist, SL_REFINE_BOUNDS, 0.5, 0.25, "a twist")/ or die;
        $ENV{ARGUMENT} eq "" or s/(\n#define SL_REFINE_NUMBER\()/
SL_FN sl_real sl_refine_number_twist(const struct sl_refine_rule *r,
                                     const struct sl_refine_level *a, const $ENV{ARGUMENT} *from)
{
    (void)a, (void)from;
    return (sl_real)r->above;
}
$1/ or die' core/cell/refine.h >"$work/core/cell/refine.h" || fail "$1 was not found"
}
while read -r list argument; do
    criterion "$list"
    compiles "$work/core/cell/refine.h" && fail "a line of $list compiles without a number"
    grep -q "sl_refine_number_twist" "$work/err" || fail "why does a line of $list not compile?"
    criterion "$list" "$argument"
    compiles "$work/core/cell/refine.h" || fail "a line of $list with its number does not compile"
done <<'LISTS'
SL_REFINE_CROSS_LIST struct sl_refine_cross
SL_REFINE_FLOW_LIST struct sl_refine_rates
SL_REFINE_CELL_LIST sl_real
LISTS
echo ok
