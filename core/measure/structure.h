/* structure.h - structure functions of a periodic velocity field or scalar, along the axes of the
 * grid and along its diagonals.
 *
 * S_p(l) = <|f(x + l e) - f(x)|^p>, p = 1 .. 6, over all cells and all directions e of a family:
 * (1,0,0), (1,1,0) or (1,1,1) with all signs. Of a velocity longitudinal, for the component along
 * e, and transverse, for components across it: the other axes; the axis that e leaves out and the
 * other diagonal of the face; of (1,1,1) those along (1,-1,0) and (1,1,-2), with the signs of e.
 * Steps along each axis of e are 1, 2, 3, 4 and then about four per factor of two, up to half the
 * shortest side, in units of the smallest cell; a direction takes part in the steps that are whole
 * numbers of cells along all its axes. A field that is isotropic has the same function of l in all
 * families.
 *
 * Shapes  fields [nz][n1][n0], the own planes of a slab
 * Units   f^p; lags in code length
 * Errors  SL_EMEM
 * Owns    the arrays of a struct sl_structure
 * MPI     collective; the same bits for any number of ranks
 * Where   host; sums on the slab's device where there is one (device.h)
 * Refs    Kolmogorov 1941; Kritsuk et al. 2007, section 3.3
 * Tests   tests/unit/structure.c, tests/gpu/stats.c, tests/problem/numpy_structure.sh
 */
#ifndef SL_MEASURE_STRUCTURE_H
#define SL_MEASURE_STRUCTURE_H

#include "core/grid/slab.h"
#include "core/measure/separation.h"

enum sl_structure_family { SL_STRUCTURE_AXES, SL_STRUCTURE_FACES, SL_STRUCTURE_CORNERS };

struct sl_structure {
    int nlag;    /* 0 where the box has no such direction */
    double *lag; /* owned, [nlag]: length of the separation */
    /* owned, [nlag][longitudinal 1 .. 6, transverse 1 .. 6]; of a scalar and in 1D the second half
     * is 0 */
    double *value;
};

/* ncomp = 3: a vector, of which the components along the axes of the box count. ncomp = 1: a
 * scalar. */
int sl_structure_make(const struct sl_slab *slab, enum sl_structure_family family, int ncomp,
                      const double *const f[], struct sl_structure *out);
void sl_structure_release(struct sl_structure *structure);

#endif
