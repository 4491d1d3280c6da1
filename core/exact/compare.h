/* compare.h - how far a run is from the exact solution of its problem.
 *
 * The mean over the box (the leaves of all levels, by their volume) of |average in the cell - exact
 * average|, for each conserved variable and for pressure; rms_l1 is the root of the sum of the
 * squares over the conserved variables without scalars (the convention of Athena), relative_l1 the
 * same over that of the exact solution; worst_over_mean the largest ratio of the worst cell's error
 * to the mean, of the variables whose mean is a hundredth of rms_l1 or more.
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

struct sl_compare_row {
    char name[24];
    double l1, max;
};

struct sl_compare {
    int n; /* rows used: those of the list (magnetic with a field only), then scalars as densities */
    struct sl_compare_row row[9 + 8];
    double rms_l1, relative_l1, worst_over_mean;
};

/* With the solution at state->time. Energy is left out of an isothermal gas. */
int sl_compare(const struct sl_state *state, struct sl_compare *out);

/* What `verify: true` writes, as text made with malloc: a row "variable L1 Linf" per variable and
 * "rms_l1 value", "relative_l1 value", "worst_over_mean value" where the problem has an exact
 * solution, then "name value" for its measures; what they mean stands before, as comments "# name: meaning". */
int sl_compare_print(const struct sl_state *state, char **text);

#endif
