#!/bin/bash
# generate.sh - lists that are made of files: one that goes, or gets another name, leaves them, a library too; where nothing changed
# nothing is made anew; rows and names that are not as .ci/generate says end it, with the place, and nothing is left out.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

# ---- a tree of a few files, each in one or more lists ----
mkdir -p core/{problem,source,cell} pipeline/{report,toy} cmd recipes gpu .dist tests/{law,gpu}
cp -r "$SLUICE_TOP"/{Makefile,.ci} .
cp -r "$SLUICE_TOP/tests/emulate" tests/
cp "$SLUICE_TOP/gpu/kernels.def" gpu/
echo 1 >.dist/version
touch pipeline/report/report.css tests/{law,gpu}/none.c
problem() { printf 'SL_PROBLEM(%s, 0, "one")\nSL_REAL_KEY(%s_x, "%s.x", "0", 0, 1, none, "x")\n' "$1" "$1" "$1" >"core/problem/$1.c"; }
problem stays
problem goes
for n in stays goes; do
    printf 'SL_SOURCE(%s, "%s.*", false)\nSL_SOURCE_WORDS(%s, "A push.")\nSL_SOURCE_COST(%s, 1, 0, 1)\nSL_SOURCE_WITH(%s, all)\nSL_SOURCE_BODY(%s, push)\n' \
        $n $n $n $n $n $n >core/source/$n.c
    printf 'SL_FIGURE(%s, time, "t", true, "s")\n' $n >pipeline/report/$n.c
    echo "int toy_$n(void);int toy_$n(void) { return 0; }" >pipeline/toy/$n.c
    echo "problem: $n" >recipes/$n.yaml
    touch cmd/cmd_$n.c
done
lists() { make -s CC=cc CUDA=no MPICC=true build/toy.a -f Makefile -f toy.mk >log 2>&1 || bad "make: $(cat log)"; }
# the objects of pipeline/toy alone: those of the report are rows
printf 'PIPELINE := $(wildcard pipeline/toy/*.c)\n$(foreach v,toy,$(eval $(call variant_rules,$(v))))\nbuild/toy.a: build/lib/pipeline-toy.a\n' >toy.mk
made() { stat -c '%n %y' build/gen/*.* build/gen/names/* build/lib/*; }
lists
for f in problem_names.h problem_keys.def problems.c sources.c source_bodies.h verbs.c figures.def recipes.def; do
    grep -q goes build/gen/$f || bad "build/gen/$f does not name what is there: $(cat build/gen/$f)"
done
made >before
lists
made | cmp -s - before || bad "made anew without a change: $(made | diff before -)"

rm */*/goes.c recipes/goes.yaml cmd/cmd_goes.c
lists
grep -l goes build/gen/*.* && bad "these name what is gone"
ar t build/lib/pipeline-toy.a | grep goes && bad "a library has what is gone"

# ---- rows and names ----
for row in '' 'SL_SOURCE(another, "stays.*", false)' '  SL_SOURCE(stays, "stays.*", false)'; do
    echo "$row" >core/source/stays.c
    expect 1 .ci/generate problem-names core/source/stays.c
    says 'core/source/stays.c: error: it has no row SL_SOURCE(stays, '
done
for row in '' 'SL_SOURCE_WORDS(another, "A push.")' 'SL_SOURCE_WORDS(stays, "")'; do
    printf 'SL_SOURCE(stays, "stays.*", false)\n%s\n' "$row" >core/source/stays.c
    expect 1 .ci/generate problem-names core/source/stays.c
    says 'core/source/stays.c: error: it has no row SL_SOURCE_WORDS(stays, '
done
for row in '' 'SL_SOURCE_COST(another, 1, 0, 1)' 'SL_SOURCE_COST(stays, 1, 0)'; do
    printf 'SL_SOURCE(stays, "stays.*", false)\nSL_SOURCE_WORDS(stays, "A push.")\n%s\n' "$row" >core/source/stays.c
    expect 1 .ci/generate problem-names core/source/stays.c
    says 'core/source/stays.c: error: it has no row SL_SOURCE_COST(stays, '
done
for row in '' 'SL_SOURCE_WITH(another, all)' 'SL_SOURCE_WITH(stays, )'; do
    printf 'SL_SOURCE(stays, "stays.*", false)\nSL_SOURCE_WORDS(stays, "A push.")\nSL_SOURCE_COST(stays, 1, 0, 1)\n%s\n' "$row" >core/source/stays.c
    expect 1 .ci/generate problem-names core/source/stays.c
    says 'core/source/stays.c: error: it has no row SL_SOURCE_WITH(stays, '
done
bodies() { # ROW: the second of a file, and not as it should be
    printf 'SL_SOURCE_BODY(stays, push)\n%b\n' "$1" >core/source/stays.c
    expect 1 .ci/generate source-bodies core/source/stays.c
    says "core/source/stays.c:2: error: not SL_SOURCE_BODY(file, name): "
}
bodies 'SL_SOURCE_BODY(drag, slow) /* of cells */'
bodies 'SL_SOURCE_BODY(drag,\n               slow)'
bodies '  SL_SOURCE_BODY(drag, slow)'
bodies 'SL_SOURCE_BODY (drag, slow)'
bodies 'SL_SOURCE_BODY(drag, slow, down)'
printf 'SL_SOURCE_BODY(drag2, slow)\n' >core/source/stays.c
expect 0 .ci/generate source-bodies core/source/stays.c
shows '#include "core/cell/drag2.h"'
shows '    X(drag2, slow) \'

indented() { # WHAT ROW: a row that does not begin where its line begins
    for row in "  $2" "${2/(/ (}"; do
        printf '\n%s\n' "$row" >core/problem/stays.c
        expect 1 .ci/generate "$1" core/problem/stays.c
        says 'core/problem/stays.c:2: error: a row begins where its line begins'
    done
}
indented problem-keys 'SL_REAL_KEY(a, "a", "0", 0, 1, none, "a")'
indented problem-rules 'SL_RULE_FIELD(stays)'
indented problem-shows 'SL_SHOW(stays, "turbulence", "density", "")'
indented figures 'SL_FIGURE(a, time, "t", true, "s")'

misnamed() { # WHAT FILE
    expect 1 .ci/generate "$1" core/problem/stays.c "$2"
    says "$2: error: not "
}
misnamed verbs cmd/cmd_list-ids.c
misnamed verbs cmd/cmd_.c
misnamed problems core/problem/2d.c
misnamed sources core/source/Drag.c
[ $failed = 0 ] && echo ok
exit $failed
