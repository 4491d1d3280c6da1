/* source.h - what a source term knows of the cell that it changes, for bodies that loops of the
 * processor and kernels of devices both call.
 *
 * A body is a function
 *
 *   SL_FN double sl_<file>_<name>(const void *args, const struct sl_source_cell *at, sl_real *u)
 *
 * of core/cell/<file>.h. args is what the source hands to all cells (copied, at most
 * SL_SOURCE_ARGS bytes, no pointers), at->table what it has of more than that. It may change the
 * variables of the cell, at->var apart from u on, and returns a number, of which the run can have
 * the largest or the sum.
 * SL_SOURCE_BODY(file, name) in the file of the source makes its loop and its kernel
 * (core/step/source_body.h).
 *
 * Shapes  one cell
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/law/cooling.c, tests/law/sources.sh
 */
#ifndef SL_CELL_SOURCE_H
#define SL_CELL_SOURCE_H

#include "core/cell/eos.h"

enum { SL_SOURCE_ARGS = 3072 };

struct sl_source_cell {
    struct sl_gas gas;
    struct sl_layout layout;
    size_t var; /* distance of the variables */
    int dim;
    ptrdiff_t step[3];   /* distance of the neighbours along the axes */
    int last;            /* bits of the axes along which it is the last cell of its block */
    double x[3], dx[3];  /* centre and size */
    const double *table; /* of the source, where the cell is; NULL: it has none */
};

/* The centre of cell i of an axis of the box. */
SL_FN double sl_source_centre(double lo, double dx, int i)
{
    return lo + ((double)i + 0.5) * dx;
}

/* Its primitive state, the pressure from where the solver takes it. */
SL_FN struct sl_prim sl_source_prim(const struct sl_source_cell *at, const sl_real *u)
{
    return sl_cell_prim(&at->gas, &at->layout, u, at->var);
}

/* Gives it another pressure, with which it has lost thermal energy; entropy follows. */
SL_FN void sl_source_set_pressure(const struct sl_source_cell *at, sl_real *u, sl_real p,
                                  sl_real lost)
{
    const struct sl_layout *l = &at->layout;
    u[(size_t)l->energy * at->var] -= lost;
    if (l->entropy >= 0)
        u[(size_t)l->entropy * at->var] = sl_pressure_to_entropy(&at->gas, u[0], p);
}

#endif
