/* comoving.h - what the expansion of the universe does to a cell in the variables of
 * core/cosmo/expansion.h: to its magnetic field, and to the heat of a gas with another gamma than
 * 5/3.
 *
 * While the scale factor grows by a factor g, the field grows by g^(1/2), the field of divergence
 * cleaning with it, and pressure by g^(5 - 3 gamma) (core/source/comoving.c derives both). The
 * total energy changes by what its heat, which is what is left of it beside motion and field, and
 * its field do; with dual energy the entropy grows as the pressure does. Density, momenta and
 * scalars stay.
 *
 * A field at faces grows with that in the cells. The upper face of the last cell of a block lies in
 * a ghost cell, and at the edge of a level nothing else makes it: it belongs to that cell.
 *
 * Shapes  one cell
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Martel & Shapiro 1998; Li, Li & Cen 2008
 * Tests   tests/law/comoving.c, tests/gpu/same.c
 */
#ifndef SL_CELL_COMOVING_H
#define SL_CELL_COMOVING_H

#include "core/cell/eos.h"
#include "core/cell/source.h"

/* Growth of field, of energy of the field, and of heat: factors less 1. */
struct sl_comoving {
    double field, field2, heat;
};

SL_FN void sl_comoving_faces(const struct sl_source_cell *at, sl_real growth, sl_real *u)
{
    for (int d = 0; d < at->dim; d++) {
        sl_real *face = u + (size_t)(at->layout.face + d) * at->var;
        face[0] += growth * face[0];
        if (at->last >> d & 1) face[at->step[d]] += growth * face[at->step[d]];
    }
}

SL_FN double sl_comoving_stretch(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_comoving *p = (const struct sl_comoving *)args;
    const struct sl_layout *l = &at->layout;
    const sl_real growth = (sl_real)p->field, heat = (sl_real)p->heat;
    if (l->energy >= 0) {
        struct sl_cons c = sl_gas_of(l, u, at->var);
        sl_real motion = sl_div((sl_real)0.5 * sl_square3(c.mx, c.my, c.mz), c.rho);
        u[(size_t)l->energy * at->var] +=
            heat * (c.en - motion) + (sl_real)p->field2 * sl_magnetic_energy(l, u, at->var);
    }
    if (l->entropy >= 0) u[(size_t)l->entropy * at->var] *= 1 + heat;
    for (int i = 0; l->magnetic >= 0 && i < (l->face < 0 ? 4 : 3); i++)
        u[(size_t)(l->magnetic + i) * at->var] += growth * u[(size_t)(l->magnetic + i) * at->var];
    if (l->face >= 0) sl_comoving_faces(at, growth, u);
    return 0;
}

#endif
