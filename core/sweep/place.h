/* place.h - where the variables of a row lie, turned so that u and bn are across the faces of an
 * axis.
 *
 * Shapes  one row of struct sl_view
 * Units   code units
 * Errors  none
 * Owns    nothing: pointers are those of the view
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law
 */
#ifndef SL_SWEEP_PLACE_H
#define SL_SWEEP_PLACE_H

#include "core/cell/mhd.h"
#include "core/sweep/rows.h"

struct sl_place {
    sl_real *rho, *u, *v, *w, *p, *bn, *by, *bz,
        *psi; /* p: of an ideal gas; others where there is a field */
};

SL_FN struct sl_place sl_place_of(struct sl_view a, int eos, int axis)
{
    sl_real *field = a.at + (eos == SL_EOS_isothermal ? 4 : 5) * a.var;
    int y = (axis + 1) % 3, z = (axis + 2) % 3;
    struct sl_place p = {a.at,
                         a.at + (1 + axis) * a.var,
                         a.at + (1 + y) * a.var,
                         a.at + (1 + z) * a.var,
                         a.at + 4 * a.var,
                         field + axis * a.var,
                         field + y * a.var,
                         field + z * a.var,
                         field + 3 * a.var};
    return p;
}

SL_FN struct sl_prim sl_place_gas(const struct sl_gas *gas, struct sl_place p, int i)
{
    struct sl_prim w = {p.rho[i], p.u[i], p.v[i], p.w[i], 0};
    w.p = gas->eos == SL_EOS_isothermal ? w.rho * (gas->cs * gas->cs) : p.p[i];
    return w;
}

SL_FN struct sl_mhd_prim sl_place_mhd(const struct sl_gas *gas, struct sl_place p, int i)
{
    struct sl_prim g = sl_place_gas(gas, p, i);
    struct sl_mhd_prim w = {g.rho, g.u, g.v, g.w, g.p, p.by[i], p.bz[i]};
    return w;
}

SL_FN void sl_place_put(struct sl_place to, int i, int warm, struct sl_prim w)
{
    to.rho[i] = w.rho;
    to.u[i] = w.u;
    to.v[i] = w.v;
    to.w[i] = w.w;
    if (warm) to.p[i] = w.p;
}

#endif
