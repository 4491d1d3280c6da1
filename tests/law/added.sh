#!/bin/bash
# added - what is added to a list as CONTRIBUTING.md says is complete, or it does not compile: a criterion or a region of refinement, a
# spectrum of the driving, a field of snapshots, or anything that is measured, with its line but without its function is refused, and
# so is a source without its rows; a number of the summary is its line and its value; a source is known to the rules of `verify` by its
# file alone.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$SLUICE_TOP" || exit 1
mkdir -p "$work/core" && cp -r core/cell "$work/core" || fail "no copy"

compiles() { # HEADER: in the copy
    gcc -std=c11 -Wall -Werror=implicit-function-declaration -fsyntax-only -I"$work" -Ibuild/gen -x c "$1" 2>"$work/err"
}
added() { # HEADER LIST ROW HEAD: a copy of the header's list with a row `twist` at its end, and of the header with the function, where there is a head
    LIST=$2 ROW=$3 perl -0777 -pe 's/(#define $ENV{LIST}\(X\)(?:[^\n]*\\\n)+[^\n]*)/$1 \\\n    X(twist, $ENV{ROW}"a twist")/ or die' \
        "${1%.h}_list.h" >"$work/${1%.h}_list.h" || fail "$2 was not found"
    HEAD=${4:-} perl -0777 -pe '
        $ENV{HEAD} eq "" or s/(\n#define \w+\((?:[^\n]*\\\n)?[^\n]*##name\()/\nSL_FN $ENV{HEAD}\n{\n    return 0;\n}\n$1/ or die' \
        "$1" >"$work/$1" || fail "no place for a function in $1"
}
while IFS='|' read -r header list row head; do
    added "$header" "$list" "$row"
    compiles "$work/$header" && fail "a line of $list compiles without a function"
    grep -q "${head%%(*}" "$work/err" || fail "why does a line of $list not compile?"
    added "$header" "$list" "$row" "sl_real $head"
    compiles "$work/$header" || fail "a line of $list with its function does not compile"
done <<'LISTS'
core/cell/refine.h|SL_REFINE_CROSS_LIST|SL_REFINE_BOUNDS, 0.5, 0.25, 1, |sl_refine_number_twist(const struct sl_refine_rule *r, const struct sl_refine_level *a, const struct sl_refine_cross *q)
core/cell/refine.h|SL_REFINE_FLOW_LIST|SL_REFINE_BOUNDS, 0.5, 0.25, 1, |sl_refine_number_twist(const struct sl_refine_rule *r, const struct sl_refine_level *a, const struct sl_refine_rates *v)
core/cell/refine.h|SL_REFINE_CELL_LIST|SL_REFINE_BOUNDS, 0.5, 0.25, 1, |sl_refine_number_twist(const struct sl_refine_rule *r, const struct sl_refine_level *a, const sl_real *u)
core/cell/refine.h|SL_REFINE_SHAPE_LIST|SL_REFINE_TAKES_lo, 0.5, 1, 0, |sl_refine_reaches_twist(const struct sl_refine_rule *r, int dim, const double lo[3], const double hi[3])
core/cell/drive_spectrum.h|SL_DRIVING_SPECTRUM_LIST||sl_drive_amplitude_twist(const struct sl_drive_shape *s, double k)
LISTS
# what is measured, and a number of the summary
read -ra flags <<<"$(mpicc --showme:compile 2>/dev/null || mpicc -show | cut -d' ' -f2-) $(pkg-config --cflags-only-I hdf5-openmpi)"
mkdir -p "$work/core/sys" "$work/core/measure" || fail "no copy"
measures() { # COMMAND of perl: whether what measures compiles with a new line in each list, after it changed measure.c
    perl -0777 -pe 'for my $list (qw(SPECTRUM PDF INCREMENT JOINT)) {
        s/(#define SL_${list}_LIST\(X\)[^\n]*\n)/$1 X(twist, "a twist") \\\n/ or die }' core/sys/config.h >"$work/core/sys/config.h" &&
        perl -0777 -pe 's/(#define SL_NUMBER_LIST\(X\)[^\n]*\n)/$1 X(twist, "1", "Twist", "twist at the end") \\\n/ or die' core/sys/numbers.h >"$work/core/sys/numbers.h" &&
        perl -0777 -pe "$1" core/measure/measure.c >"$work/core/measure/measure.c" || fail "a list was not found"
    cp core/stats/*.[ch] "$work/core/stats" && cp core/measure/*.h "$work/core/measure" || fail "no copy"
    (cd "$work" && for c in core/measure/measure.c core/stats/member.c; do
        gcc -std=c11 -D_GNU_SOURCE -Wall -Werror -fsyntax-only -I. -I"$SLUICE_TOP" -I"$SLUICE_TOP/build/gen" "${flags[@]}" $c || exit 1
    done) 2>"$work/err"
}
mkdir -p "$work/core/stats"
measures '' && fail "lines without what they measure compile"
for name in spectrum pdf structure joint; do
    grep -q "error: .*${name}_twist" "$work/err" || fail "why does a line without ${name}_twist not compile?"
done
measures 's/(\nstatic int measure_all\()/
static int pdf_twist(const struct context *c, const struct sl_pdf *pdf)
{
    c->out->twist = pdf->outside;
    return SL_OK;
}
$1/; s/(\nstatic int measure_\w+\()/
static int spectrum_twist(const struct context *c)
{
    return c->work ? SL_OK : SL_EMEM;
}

static int structure_twist(const struct context *c)
{
    return spectrum_twist(c);
}

static double joint_twist(const struct sl_fields *f, size_t i)
{
    return f->rho[i];
}
$1/' || fail "lines with what they measure do not compile"

# a field of snapshots: its value, its unit, and what a run needs to have it, each by its name
mkdir -p "$work/core/state" "$work/core/io" && cp core/state/*.h "$work/core/state" && cp core/io/flash.[ch] "$work/core/io" || fail "no copy"
field() { # UNIT, WHERE, COMMAND of perl: whether what writes fields compiles with a new one, after the command changed field.c
    ROW="TWST, \"twst\", $1, \"\", $2, " perl -0777 -pe 's/(#define SL_FIELD_LIST\(X\)[^\n]*\n)/$1    X($ENV{ROW}"a twist") \\\n/ or die' \
        core/state/field.h >"$work/core/state/field.h" && perl -0777 -pe "$3" core/state/field.c >"$work/core/state/field.c" || fail "no list of fields"
    (cd "$work" && for c in core/state/field.c core/io/flash.c; do
        gcc -std=c11 -D_GNU_SOURCE -Wall -Werror -fsyntax-only -I. -I"$SLUICE_TOP" -I"$SLUICE_TOP/build/gen" "${flags[@]}" $c || exit 1
    done) 2>"$work/err"
}
twist='s/(\nstatic double value_DENS\()/
static double value_TWST(const struct sl_state *state, const sl_real *u)
{
    return state->time + (double)u[0];
}
$1/'
field energy always '' && fail "a field without its value compiles"
grep -q 'error: .*value_TWST' "$work/err" || fail "why does a field without its value not compile?"
field spin always "$twist" && fail "a field of a unit without a scale compiles"
grep -q 'error: .*scale_spin' "$work/err" || fail "why does a field of a new unit not compile?"
field energy spun "$twist" && fail "a field of which nobody knows who has it compiles"
grep -q 'error: .*written_spun' "$work/err" || fail "why does a field of nobody not compile?"
field energy heat "$twist" || fail "a field with its value does not compile"

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
generate problem-names problem_names.h && fail "a source without words for the methods is taken"
grep -q 'core/source/wind.c: error: it has no row SL_SOURCE_WORDS(wind, ' err || fail "why is a source without words not taken?"
sed -i '1i SL_SOURCE_WORDS(wind, "A wind carries {wind.rate} of the gas away.")' core/source/wind.c
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
grep -q 'verify: the exact solution of problem sod holds only without wind\.\*; nearest: false' err || fail "why is it refused?"
decay=(problem=decay mesh.cells=[16] mesh.boundary=periodic time.end=0.1 verify=true)
./check "${decay[@]}" diffusion.viscosity=1 >out 2>err || fail "no decay"
./check "${decay[@]}" diffusion.viscosity=1 wind.rate=1 >out 2>err && fail "the exact solution of a decay knows of the new source"
echo ok
