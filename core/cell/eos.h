/* eos.h - equations of state: the list, and the conversions between conserved and primitive
 * variables.
 *
 * Shapes  one cell
 * Units   code units
 * Errors  none: a bad state (rho or p not positive, not finite) is what sl_bad_state tells
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Toro 2009, section 3.1
 * Tests   tests/unit/cell.c
 */
#ifndef SL_CELL_EOS_H
#define SL_CELL_EOS_H

#include "core/cell/state.h"

/* X(name, sentence) */
#define SL_EOS_LIST(X)                                                                             \
    X(ideal, "ideal gas, p = (gamma - 1) e")                                                       \
    X(isothermal, "p = rho cs^2, no energy equation")

enum sl_eos {
#define SL_EOS_ENUM(name, about) SL_EOS_##name,
    SL_EOS_LIST(SL_EOS_ENUM)
#undef SL_EOS_ENUM
};

SL_FN struct sl_cons sl_prim_to_cons(const struct sl_gas *gas, struct sl_prim w)
{
    struct sl_cons c;
    c.rho = w.rho;
    c.mx = w.rho * w.u;
    c.my = w.rho * w.v;
    c.mz = w.rho * w.w;
    c.en = w.p / (gas->gamma - 1) + (sl_real)0.5 * w.rho * (w.u * w.u + w.v * w.v + w.w * w.w);
    return c;
}

SL_FN struct sl_prim sl_cons_to_prim(const struct sl_gas *gas, struct sl_cons c)
{
    struct sl_prim w;
    sl_real inv = 1 / c.rho;
    w.rho = c.rho;
    w.u = c.mx * inv;
    w.v = c.my * inv;
    w.w = c.mz * inv;
    w.p = gas->eos == SL_EOS_isothermal
              ? c.rho * gas->cs * gas->cs
              : (gas->gamma - 1) * (c.en - (sl_real)0.5 * (c.mx * w.u + c.my * w.v + c.mz * w.w));
    return w;
}

SL_FN sl_real sl_sound_speed(const struct sl_gas *gas, sl_real rho, sl_real p)
{
    return gas->eos == SL_EOS_isothermal ? gas->cs : sqrt(gas->gamma * p / rho);
}

#endif
