#!/bin/bash
# solver_list - a Riemann solver that is added at the beginning, in the middle or at the end of SL_RIEMANN_LIST computes the same
# on a device as on the processor, and so do those that stood there before: a copy of the sources with three more solvers of gas and
# one of MHD, and with the few kernels that the runs need, built without optimisation.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$SLUICE_TOP" || exit 1
cp -r --parents Makefile .ci/* cmd core gpu pipeline/report/report.css tests/emulate "$work" || fail "no copy"
cd "$work" || exit 1

# each is a mean of two others of its own
row() { grep -m 1 'X(hllc,' core/lists/riemann_list.h | sed "s/hllc/$1/; s/ *\\\\$//"; }
FIRST=$(row first) FIELD='    X(field, mhd, hllc, states, light, "of a field")' MIDDLE=$(row middle) LAST=$(row last) perl -0777 -i -pe '
    s/(#define SL_RIEMANN_LIST\(X\)(?:[^\n]*\\\n)+[^\n]*)/$1 \\\n$ENV{LAST}/;
    s/(#define SL_RIEMANN_LIST\(X\)[^\n]*\n)/$1$ENV{FIRST} \\\n$ENV{FIELD} \\\n/;
    s/(\n +X\(hllc,)/\n$ENV{MIDDLE} \\$1/;
    s/(\nSL_FN struct sl_cons sl_riemann\(int solver)/\nMEAN(first, 0.25)\nMEAN(middle, 0.5)\nMEAN(last, 0.75)\n$1/;
    s/(\nSL_FN struct sl_cons sl_riemann_llf)/
#define MEAN(name, share)                                                                     \\
    SL_FN struct sl_cons sl_riemann_##name(const struct sl_gas *gas, struct sl_prim l,        \\
                                           struct sl_prim r, struct sl_waves m)               \\
    {                                                                                         \\
        struct sl_cons a = sl_riemann_llf(gas, l, r, m), b = sl_riemann_hlle(gas, l, r, m);   \\
        const sl_real s = (sl_real)(share);                                                   \\
        a.rho += s * (b.rho - a.rho), a.mx += s * (b.mx - a.mx), a.my += s * (b.my - a.my);   \\
        a.mz += s * (b.mz - a.mz), a.en += s * (b.en - a.en);                                 \\
        return a;                                                                             \\
    }
$1/;
    s/(\nSL_FN struct sl_mhd_cons sl_mhd_hlld\()/
SL_FN struct sl_mhd_cons sl_mhd_field(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                      struct sl_mhd_prim r)
{
    struct sl_mhd_cons a = sl_mhd_llf(gas, bn, l, r), b = sl_mhd_hlle(gas, bn, l, r);
    const sl_real s = (sl_real)0.5;
    a.rho += s * (b.rho - a.rho), a.mx += s * (b.mx - a.mx), a.my += s * (b.my - a.my);
    a.mz += s * (b.mz - a.mz), a.en += s * (b.en - a.en);
    a.by += s * (b.by - a.by), a.bz += s * (b.bz - a.bz);
    return a;
}
$1/' core/lists/riemann_list.h core/cell/riemann.h core/cell/mhd.h
[ "$(grep -c 'X(\(first\|field\|middle\|last\),' core/lists/riemann_list.h)" = 4 ] || fail "the list was not found"
# of kernels those of the runs: plm, and constant for repairs; open ones take solvers without a row
[ ! -e gpu/kernels.def ] || sed -i '/^SL_KERNEL(/{/STAGGERED/d;/(\(plm, minmod\|plm, CHOSEN\|constant, CHOSEN\)/!d;s/, ANY .*)/, ANY)/}' gpu/kernels.def
how="-s -j2 CUDA=no CUDA_QUICK=yes OPT=-O0 EMULATE_OPT=-O0"
translated=$({ ls gpu/*.cu* core/cell/short.h && .ci/generate kernel-units few | sed 's,.*,gpu/stage_&.cu,'; } | sed 's,^,build/emulate/,')
# What does not see the list is taken as it is, and so is what does not use it: all functions that do are named after the solvers, and
# an object names its functions, those inlined too, in its lines of debugging.
# shellcheck disable=SC2086
make $how generated build/obj/flags $translated >make.log 2>&1 || fail "nothing can be built"
uses() { # OBJECT SOURCE, without what their names end with
    grep -q 'core/\(cell/riemann\|lists/riemann_list\)\.h' "$1.d" && { grep -qi riemann "$2".c* || LC_ALL=C grep -qai riemann "$1.o"; }
}
for o in $(cd "$SLUICE_TOP" && ls build/{obj/f64/core/*,obj/f64/gpu,emulate/gpu}/*.d); do
    o=${o%.d} source=${o#build/} source=${source#obj/f64/} source=${source#emulate/}
    [ -e "$source.c" ] || [ -e "$source.cu" ] || continue
    (cd "$SLUICE_TOP" && uses "$o" "$source") && continue
    mkdir -p "${o%/*}" && cp "$SLUICE_TOP/$o.d" "$SLUICE_TOP/$o.o" "${o%/*}" || fail "no copy of $o"
done
# shellcheck disable=SC2086
make $how build/emulate/sluice-sim >make.log 2>&1 || fail "it does not build"

cat >run.yaml <<'YAML'
campaign: list
problem: sedov
mesh: {cells: [16, 16, 16], block: [16, 16, 16]}
time: {end: 1, max_steps: 3}
YAML
declare -A seen
same() { # KEYS, SOLVERS...
    local keys=$1 solver hash
    shift
    for solver in "$@"; do
        for backend in cpu cuda; do
            rm -rf snapshots checkpoints history.tsv progress.json
            # shellcheck disable=SC2086
            build/emulate/sluice-sim run.yaml resources.backend=$backend fluid.riemann="$solver" $keys >$backend.log 2>&1 ||
                fail "$solver on $backend $keys"
        done
        hash=$(tail -n 1 cpu.log)
        [[ $hash = hash* ]] || fail "$solver: no hash: $hash"
        [ "$(tail -n 1 cuda.log)" = "$hash" ] || fail "$solver on a device: $(tail -n 1 cuda.log), on the processor: $hash $keys"
        [ -z "${seen[$hash]:-}" ] || fail "$solver gives the numbers of ${seen[$hash]} $keys"
        seen[$hash]=$solver
    done
}
same '' first middle last llf hlle hllc roe lhllc
same 'problem=mhd_blast fluid.mhd=glm' field llf hlle roe hlld lhlld
