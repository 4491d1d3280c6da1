#!/bin/bash
# added - what is added to a list as README.md says is complete, or it does not compile: a criterion of refinement with its line but
# without its number is refused, and so are a distribution without its table and a source without its row; a number of the summary is its
# line and its value; a source is known to the rules of `verify` by its file alone.
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
# a distribution, a number of the summary
read -ra flags <<<"$(mpicc --showme:compile 2>/dev/null || mpicc -show | cut -d' ' -f2-) $(pkg-config --cflags-only-I hdf5-openmpi)"
mkdir -p "$work/core/sys" "$work/core/measure" || fail "no copy"
measures() { # COMMAND of perl: whether what measures compiles with a distribution and a number that are new, after it changed measure.c
    perl -0777 -pe 's/(#define SL_PDF_LIST\(X\)[^\n]*\n)/$1 X(twist, "a twist") \\\n/ or die' core/sys/config.h >"$work/core/sys/config.h" &&
        perl -0777 -pe 's/(#define SL_NUMBER_LIST\(X\)[^\n]*\n)/$1 X(twist, "1", "Twist", "twist at the end") \\\n/ or die' core/sys/numbers.h >"$work/core/sys/numbers.h" &&
        perl -0777 -pe "$1" core/measure/measure.c >"$work/core/measure/measure.c" || fail "a list was not found"
    cp core/stats/*.[ch] "$work/core/stats" && cp core/measure/*.h "$work/core/measure" || fail "no copy"
    (cd "$work" && for c in core/measure/measure.c core/stats/member.c; do
        gcc -std=c11 -D_GNU_SOURCE -Wall -Werror -fsyntax-only -I. -I"$SLUICE_TOP" -I"$SLUICE_TOP/build/gen" "${flags[@]}" $c || exit 1
    done) 2>"$work/err"
}
mkdir -p "$work/core/stats"
measures '' && fail "a distribution without a table compiles"
grep -q pdf_twist "$work/err" || fail "why does a distribution without a table not compile?"
measures 's/(\nstatic int pdf_density\()/\nstatic int pdf_twist(const struct context *c, const struct sl_pdf *pdf)
{
    c->out->twist = pdf->outside;
    return SL_OK;
}
$1/' || fail "a distribution and a number do not compile"

# a copy of what depends on the table of keys, with one more source
mkdir -p "$work/core/problem" "$work/core/source" "$work/gen" && cp core/problem/*.c "$work/core/problem" &&
    cp core/source/*.c "$work/core/source" && cp -r core/sys "$work/core" || fail "no copy"
cp -r .ci "$work" && cd "$work" || exit 1
cat >core/source/wind.c <<'C'
SL_REAL_KEY(wind_rate, "wind.rate", "0", 0, 1e30, none, "how fast the wind carries gas away; 0: no wind")
const struct sl_source sl_source_wind = {.place = 0};
C
generate() { .ci/generate "$1" core/problem/*.c core/source/*.c >"gen/$2" 2>err; }
generate problem-names problem_names.h && fail "a source without its row is taken"
grep -q 'core/source/wind.c: error: it has no row SL_SOURCE(wind, "keys"' err || fail "why is a source without its row not taken?"
sed -i '1i SL_SOURCE(wind, "wind.*", cfg->wind_rate > 0)' core/source/wind.c
generate problem-names problem_names.h && generate problem-keys problem_keys.def && generate problem-rules problem_rules.def &&
    generate problem-shows problem_shows.def || fail "no tables with a new source"
cat >main.c <<'C'
#include <stdio.h>

#include "core/sys/config.h"
#include "core/sys/status.h"
int main(int argc, char **argv)
{
    static const char recipe[] = "campaign: wind\n";
    static struct sl_config cfg;
    if (sl_config_parse("recipe", recipe, sizeof recipe - 1, argv + 1, argc - 1, &cfg) == SL_OK) return 0;
    fprintf(stderr, "%s\n", sl_error_text());
    return 1;
}
C
keyed=$(for c in core/sys/*.c; do [ "$c" = core/sys/bcast.c ] || ! grep -q problem_names.h "$SLUICE_TOP/build/obj/f64/${c%.c}.d" || echo "$c"; done)
# shellcheck disable=SC2086
gcc -std=c11 -D_GNU_SOURCE -w -I. -Igen -I"$SLUICE_TOP" main.c $keyed "$SLUICE_TOP/build/lib/core-f64.a" -lyaml -lm -o check >make.log 2>&1 ||
    fail "it does not build"
tube=(problem=sod mesh.cells=[16] mesh.boundary=outflow fluid.gamma=1.4 time.end=0.1)
./check "${tube[@]}" verify=true >out 2>err || fail "no tube"
./check "${tube[@]}" wind.rate=1 >out 2>err || fail "no tube with wind"
./check "${tube[@]}" wind.rate=1 verify=true >out 2>err && fail "the exact solution of a tube knows of the new source"
grep -q 'verify: the exact solution of problem sod is one without wind\.\*; nearest: false' err || fail "why is it refused?"
decay=(problem=decay mesh.cells=[16] mesh.boundary=periodic time.end=0.1 verify=true)
./check "${decay[@]}" diffusion.viscosity=1 >out 2>err || fail "no decay"
./check "${decay[@]}" diffusion.viscosity=1 wind.rate=1 >out 2>err && fail "the exact solution of a decay knows of the new source"
echo ok
