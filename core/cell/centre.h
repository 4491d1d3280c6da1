/* centre.h - the field in a cell from that at its faces, where something else than a step of
 * constrained transport has changed these: refinement, averages over finer cells, corrections at
 * their edge, the start.
 *
 * Shapes  a cell whose variables lie var apart; the upper face of a cell is the lower one of the
 *         next
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/prolong_face.c, tests/law/levels_ct.c, tests/law/ct.c
 */
#ifndef SL_CELL_CENTRE_H
#define SL_CELL_CENTRE_H

#include <stddef.h>

#include "core/cell/eos.h"

/* Average of the two faces across axis d. */
SL_FN sl_real sl_centre_of(const struct sl_layout *l, size_t var, ptrdiff_t step, int d,
                           const sl_real *u)
{
    const sl_real *face = u + (size_t)(l->face + d) * var;
    return (sl_real)0.5 * (face[0] + face[step]);
}

/* Gives a component of the field in a cell another value; the change of its energy comes back. */
SL_FN sl_real sl_centre_put(sl_real *cell, sl_real b)
{
    sl_real old = *cell;
    *cell = b;
    return (sl_real)0.5 * ((b - old) * (b + old));
}

/* Energy that is neither kinetic nor that of the field. */
SL_FN sl_real sl_centre_heat(const struct sl_layout *l, size_t var, const sl_real *u)
{
    struct sl_cons c = sl_gas_of(l, u, var);
    return c.en - sl_div((sl_real)0.5 * sl_square3(c.mx, c.my, c.mz), c.rho);
}

/* Sets the field in the cell. Its energy stays; but where less than half of the heat would be left,
 * the heat does. */
SL_FN void sl_centre(const struct sl_layout *l, int dim, const ptrdiff_t step[3], size_t var,
                     sl_real *u)
{
    sl_real more = 0, heat = l->energy < 0 ? 0 : sl_centre_heat(l, var, u);
    for (int d = 0; d < dim; d++) {
        sl_real *cell = u + (size_t)(l->magnetic + d) * var;
        more += sl_centre_put(cell, sl_centre_of(l, var, step[d], d, u));
    }
    if (l->energy >= 0 && !(heat - more >= (sl_real)0.5 * heat)) u[(size_t)l->energy * var] += more;
}

#endif
