/* compare.h - how far a run is from the exact solution of its problem.
 *
 * The mean over the box (the leaves of all levels, by their volume) of |average in the cell - exact
 * average|, for each conserved variable and for pressure. Sums over the conserved variables leave
 * out scalars (the convention of Athena).
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective over state->mesh->comm; the same bits on any number of ranks
 * Where   host
 * Refs    Stone et al. 2008, section 8.1
 * Tests   tests/problem
 */
#ifndef SL_EXACT_COMPARE_H
#define SL_EXACT_COMPARE_H

#include "core/cell/state.h"
#include "core/state/problem.h"

/* X(name): rows of a comparison before the scalars */
#define SL_COMPARE_LIST(X)                                                                         \
    X(density)                                                                                     \
    X(momentum_x)                                                                                  \
    X(momentum_y)                                                                                  \
    X(momentum_z)                                                                                  \
    X(energy)                                                                                      \
    X(magnetic_x)                                                                                  \
    X(magnetic_y)                                                                                  \
    X(magnetic_z)                                                                                  \
    X(pressure)

/* X(name, sentence): rows after those of the variables, pure numbers but for the first */
#define SL_COMPARE_SUM_LIST(X)                                                                     \
    X(rms_l1, "root of the summed squares of the L1 errors of the conserved variables")            \
    X(relative_l1,                                                                                 \
      "root of the summed squares of the L1 errors of the conserved variables, over that of the "  \
      "L1 norms of the exact solution")                                                            \
    X(worst_over_mean,                                                                             \
      "largest Linf error of a conserved variable over its L1 error, of those with an L1 error "   \
      "above a hundredth of rms_l1")

/* X(name, unit, sentence): the columns of verify.tsv with numbers */
#define SL_COMPARE_COLUMN_LIST(X)                                                                  \
    X(L1, "code units of the row",                                                                 \
      "mean over the volume of |average in the cell - exact average|; the one number of a row "    \
      "that has one")                                                                              \
    X(Linf, "code units of the row", "the same of the worst cell")

struct sl_compare_row {
    char name[24];
    double l1, max;
};

struct sl_compare {
    /* rows used: those of the list (magnetic with a field only), then scalars as densities */
    int n;
    struct sl_compare_row row[9 + 8];
#define SL_COMPARE_MEMBER(name, about) double name;
    SL_COMPARE_SUM_LIST(SL_COMPARE_MEMBER)
#undef SL_COMPARE_MEMBER
};

/* With the solution at state->time. Energy is left out of an isothermal gas. */
int sl_compare(const struct sl_state *state, struct sl_compare *out);

/* What `verify: true` writes, as text made with malloc: a row "variable L1 Linf" per variable and
 * those of SL_COMPARE_SUM_LIST where the problem has an exact solution, then "name value" for its
 * measures; units of the columns and what rows mean stand before, as comments "# unit column: unit"
 * and "# name: meaning". */
int sl_compare_print(const struct sl_state *state, char **text);

#endif
