#!/bin/bash
# added - what is added to a list as CONTRIBUTING.md says is complete, or it does not compile: a criterion or a region of refinement, a
# spectrum of the driving, a field of snapshots, or anything that is measured, with its line but without its function is refused, and
# so is a source without its rows; a number of the summary is its line and its value. A source is known by its file alone to check,
# to the rules of `verify`, to plans and to the methods of a report, and so are a solver, a criterion, a statistic and a key by a line.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$SLUICE_TOP" || exit 1
mkdir -p "$work/core" && cp -r core/cell core/lists "$work/core" || fail "no copy"

compiles() { # HEADER: in the copy
    gcc -std=c11 -Wall -Werror=implicit-function-declaration -fsyntax-only -I"$work" -Ibuild/gen -x c "$1" 2>"$work/err"
}
added() { # HEADER LIST ROW HEAD: a copy of the header's list with a row `twist` at its end, and of the header with the function, where there is a head
    local list=${1##*/}
    list=core/lists/${list%.h}_list.h
    LIST=$2 ROW=$3 perl -0777 -pe 's/(#define $ENV{LIST}\(X\)(?:[^\n]*\\\n)+[^\n]*)/$1 \\\n    X(twist, $ENV{ROW}"a twist")/ or die' \
        "$list" >"$work/$list" || fail "$2 was not found"
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
mkdir -p "$work/core/config" "$work/core/measure" "$work/core/stats" || fail "no copy"
cp core/stats/*.[ch] "$work/core/stats" && cp core/measure/*.h "$work/core/measure" || fail "no copy"
measures() { # COMMAND of perl: whether what measures compiles with a new line in each list, after it changed measure.c
    perl -0777 -pe 'for my $list (qw(SPECTRUM PDF INCREMENT JOINT)) {
        s/(#define SL_${list}_LIST\(X\)[^\n]*\n)/$1 X(twist, "a twist") \\\n/ or die }' core/config/choices.h >"$work/core/config/choices.h" &&
        perl -0777 -pe 's/(#define SL_NUMBER_LIST\(X\)[^\n]*\n)/$1 X(twist, "1", "Twist", "twist at the end") \\\n/ or die' core/config/numbers.h >"$work/core/config/numbers.h" &&
        perl -0777 -pe "$1" core/stats/measure.c >"$work/core/stats/measure.c" || fail "a list was not found"
    (cd "$work" && for c in core/stats/measure.c core/stats/member.c; do
        gcc -std=c11 -D_GNU_SOURCE -Wall -Werror -fsyntax-only -I. -I"$SLUICE_TOP" -I"$SLUICE_TOP/build/gen" "${flags[@]}" $c || exit 1
    done) 2>"$work/err"
}
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
field energy gas '' && fail "a field without its value compiles"
grep -q 'error: .*value_TWST' "$work/err" || fail "why does a field without its value not compile?"
field spin gas "$twist" && fail "a field of a unit without a scale compiles"
grep -q 'error: .*scale_spin' "$work/err" || fail "why does a field of a new unit not compile?"
field energy spun "$twist" && fail "a field of which nobody knows who has it compiles"
grep -q 'error: .*written_spun' "$work/err" || fail "why does a field of nobody not compile?"
field energy heat "$twist" || fail "a field with its value does not compile"

# A copy of what depends on the table of keys, with one more source, solver, criterion, spectrum and key, and a program that asks what
# sluice makes of them: check, keys, plan, methods.
mkdir -p "$work/core/problem" "$work/core/source" "$work/gen" && cp core/problem/*.c "$work/core/problem" &&
    cp core/source/*.c "$work/core/source" && cp -r core/config core/cell core/lists "$work/core" || fail "no copy"
cp -r .ci "$work" && cd "$work" || exit 1
line() { # LIST, ROW, FILE
    LIST=$1 ROW=$2 perl -0777 -i -pe 's/(#define $ENV{LIST}\(X\)(?:[^\n]*\\\n)+[^\n]*)/$1 \\\n    X($ENV{ROW})/ or die' "$3" || fail "$1 was not found"
}
line SL_RIEMANN_LIST 'spiral, both, spiral, states, heavy, "spiral waves (Nobody 2026)"' core/lists/riemann_list.h
line SL_REFINE_CELL_LIST 'spiral, SL_REFINE_BOUNDS, 0.5, 0.25, 1, "a spiral"' core/lists/refine_list.h
line SL_SPECTRUM_LIST 'spiral, "of a spiral"' core/config/choices.h
echo 'SL_REAL_KEY(fluid_spiral, "fluid.spiral", "0.25", 0, 1, none, "how tight a spiral is")' >>core/config/keys.def
cat >core/source/wind.c <<'C'
SL_REAL_KEY(wind_rate, "wind.rate", "0", 0, 1e30, none, "how fast the wind carries gas away; 0: no wind")
const struct sl_source sl_source_wind = {.place = 0};
C
generate() { .ci/generate "$1" "${@:3}" >"gen/$2" 2>err; }
refused() { # ROW: what is missing, and is put there
    generate problem-names problem_names.h core/problem/*.c core/source/*.c && fail "a source without ${1%%(*} is taken"
    grep -qF "core/source/wind.c: error: it has no row ${1%%,*}, " err || fail "why is a source without ${1%%(*} not taken?"
    sed -i "1i $1" core/source/wind.c
}
refused 'SL_SOURCE(wind, "wind.*", cfg->wind_rate > 0)'
refused 'SL_SOURCE_WORDS(wind, "A wind carries {wind.rate} of the gas away.")'
refused 'SL_SOURCE_COST(wind, 3, 7 * cells, 0.01)'
refused 'SL_SOURCE_WITH(wind, all \& ~levels)'
generate problem-names problem_names.h core/problem/*.c core/source/*.c && generate problem-keys problem_keys.def core/problem/*.c core/source/*.c &&
    generate problem-rules problem_rules.def core/problem/*.c && generate problem-shows problem_shows.def core/problem/*.c &&
    generate source-rules source_rules.def core/source/*.c && generate source-words source_words.def core/source/*.c &&
    generate source-costs source_costs.def core/source/*.c && generate source-withs source_withs.def core/source/*.c || fail "no tables with a new source"
cat >ask.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "pipeline/plan/plan.h"
#include "pipeline/report/text.h"

/* Keys and values of a member, as its run.yaml has them. */
static const char **keys_of(char *text, int *n)
{
    const char **list = calloc(1024, sizeof *list);
    *n = 0;
    for (char *s = strtok(text, "\n"); s && *n < 512; s = strtok(NULL, "\n"), ++*n) {
        char *value = strstr(s, ": ");
        *value = '\0', value += 2;
        if (*value == '"') ++value, value[strlen(value) - 1] = '\0';
        list[2 * *n] = s, list[2 * *n + 1] = value;
    }
    return list;
}

static void methods(const struct sl_config *cfg)
{
    struct sl_report_member m = {.id = "0000"};
    struct sl_report r = {.members = 1, .member = &m};
    struct sl_buffer html = {0};
    char *text;
    if (sl_config_print(cfg, &text) != SL_OK) exit(1);
    m.keys.key_value = keys_of(text, &m.keys.n);
    sl_methods_add(&html, &r);
    puts(html.s);
}

static void plan(const struct sl_config *cfg)
{
    const struct sl_filling whole = {.fraction = {1}, .most = {1}};
    struct sl_need need;
    sl_plan_member(cfg, &whole, &need);
    printf("%.9g %.9g %.9g\n", need.stage_seconds[SL_STAGE_sim] - 1, need.rank_memory, need.steps);
}

int main(int argc, char **argv)
{
    static const char recipe[] = "campaign: wind\n";
    static struct sl_config cfg;
    char *keys = NULL;
    if (sl_config_parse("recipe", recipe, sizeof recipe - 1, argv + 2, argc - 2, &cfg) != SL_OK) {
        fprintf(stderr, "%s\n", sl_error_text());
        return 1;
    }
    if (!strcmp(argv[1], "keys") && sl_config_print(&cfg, &keys) == SL_OK) puts(keys);
    if (!strcmp(argv[1], "plan")) plan(&cfg);
    if (!strcmp(argv[1], "methods")) methods(&cfg);
    return 0;
}
C
keyed=$(for c in core/config/*.c; do [ "$c" = core/config/bcast.c ] || ! grep -q 'problem_names.h\|keys.def' "$SLUICE_TOP/build/obj/f64/${c%.c}.d" || echo "$c"; done)
# shellcheck disable=SC2086
printf '%s\n' ask.c $keyed "$SLUICE_TOP"/pipeline/{plan/plan,report/text}.c |
    xargs -P2 -n6 gcc -std=c11 -D_GNU_SOURCE -w -c -I. -Igen -I"$SLUICE_TOP" -I"$SLUICE_TOP/build/gen" >make.log 2>&1 &&
    gcc ./*.o "$SLUICE_TOP"/build/lib/{pipeline,core}-f64.a "$SLUICE_TOP/build/lib/core-f64.a" -lyaml -ljansson -lmd -lsqlite3 -lm -ldl -o ask >make.log 2>&1 ||
    fail "it does not build"
why() { # TEXT, KEYS...: they are refused
    local text=$1
    shift
    ./ask check "$@" >out 2>err && fail "taken: $*"
    grep -qF "$text" err || fail "why is it refused?"
}
tube=(problem=sod mesh.cells=[16] mesh.boundary=outflow fluid.gamma=1.4 time.end=0.1)
./ask check "${tube[@]}" verify=true >out 2>err || fail "no tube"
./ask check "${tube[@]}" wind.rate=1 >out 2>err || fail "no tube with wind"
why 'verify: the exact solution of problem sod holds only without wind.*; nearest: false' "${tube[@]}" wind.rate=1 verify=true
decay=(problem=decay mesh.cells=[16] mesh.boundary=periodic time.end=0.1 verify=true)
./ask check "${decay[@]}" diffusion.viscosity=1 >out 2>err || fail "no decay"
why 'holds only without wind.*' "${decay[@]}" diffusion.viscosity=1 wind.rate=1
# what works with what
levels=(mesh.levels=1 'mesh.refine=[{by: spiral}]')
./ask check "${tube[@]}" "${levels[@]}" >out 2>err || fail "no tube with a new criterion"
why 'wind.rate: does not work with levels (mesh.levels); nearest: 0, or mesh.levels: 0' "${tube[@]}" "${levels[@]}" wind.rate=1
# the table of keys
new=("${tube[@]}" fluid.riemann=spiral fluid.spiral=0.5 statistics.spectra=[spiral] wind.rate=1)
./ask keys "${new[@]}" "${levels[@]}" wind.rate=0 >out 2>err || fail "new keys and choices are not taken"
for row in 'fluid.riemann: spiral' 'fluid.spiral: 0.5' 'statistics.spectra: [spiral]' 'wind.rate: 0' 'mesh.refine: [{by: spiral, above: 0.5, below: 0.125}]'; do
    grep -qxF "$row" out || fail "the table of keys has no $row"
done
why 'none of' "${tube[@]}" fluid.riemann=spire
# a plan: time, bytes and steps of the source; of the solver on a device
plans() { ./ask plan "$@" 2>err || fail "no plan of $*"; }
{ plans "${tube[@]}"; plans "${tube[@]}" wind.rate=1; } >out
awk '{ s[NR] = $1 / $3; m[NR] = $2; n[NR] = $3 }
    END { exit !(s[2] > 2.999 * s[1] && s[2] < 3.001 * s[1] && m[2] - m[1] == 7 * 16 && n[2] == (n[1] > 10 ? n[1] : 10)) }' out || fail "a plan does not know what the source costs"
device=("${tube[@]}" mesh.cells=[65536] resources.backend=cuda)
{ plans "${device[@]}"; plans "${device[@]}" fluid.riemann=spiral; } >out
awk '{ s[NR] = $1 } END { exit !(s[2] > 1.5 * s[1]) }' out || fail "a plan does not know what the solver costs"
# the methods of a report
./ask methods "${new[@]}" >out 2>err || fail "no methods"
for words in 'spiral (spiral waves (Nobody 2026))' 'A wind carries 1 of the gas away.'; do
    grep -qF "$words" out || fail "the methods of a report do not say: $words"
done
echo ok
