/* structure.h - structure functions of a periodic velocity field along the axes of the grid.
 *
 * S_p(l) = <|v(x + l e) - v(x)|^p>, p = 1 .. 6, over all cells and all axes e: longitudinal for the
 * component along e, transverse for the other components along axes of the grid. Lags are 1, 2, 3,
 * 4 and then about four per factor of two, up to half the shortest side, in units of the smallest
 * cell; an axis takes part in the lags that are whole numbers of its cells.
 *
 * Shapes  fields [nz][n1][n0], the own planes of a slab
 * Units   velocity^p; lags in code length
 * Errors  SL_EMEM
 * Owns    the arrays of a struct sl_structure
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    Kolmogorov 1941; Kritsuk et al. 2007, section 3.3
 * Tests   tests/unit/structure.c
 */
#ifndef SL_STATS_STRUCTURE_H
#define SL_STATS_STRUCTURE_H

#include "core/stats/slab.h"

enum { SL_STRUCTURE_ORDERS = 6, SL_STRUCTURE_COLUMNS = 2 * SL_STRUCTURE_ORDERS };

struct sl_structure {
    int nlag;
    double *lag;   /* owned, [nlag] */
    double *value; /* owned, [nlag][longitudinal 1 .. 6, transverse 1 .. 6]; transverse 0 in 1D */
};

int sl_structure_make(const struct sl_slab *slab, const double *const v[3],
                      struct sl_structure *out);
void sl_structure_release(struct sl_structure *structure);

#endif
