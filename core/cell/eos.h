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

#include <stddef.h>

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

/* Twice the kinetic energy over density, in a sweep: the two velocities across it stand in one bracket, so that swapping
 * them changes no bit. In a cell, where no axis is before others, it is sl_square3. */
SL_FN sl_real sl_speed_squared(sl_real u, sl_real v, sl_real w)
{
    return u * u + (v * v + w * w);
}

SL_FN struct sl_cons sl_prim_to_cons(const struct sl_gas *gas, struct sl_prim w)
{
    struct sl_cons c;
    sl_real heat = 1 / (gas->gamma - 1);
    c.rho = w.rho;
    c.mx = w.rho * w.u;
    c.my = w.rho * w.v;
    c.mz = w.rho * w.w;
    c.en = w.p * heat + (sl_real)0.5 * w.rho * sl_square3(w.u, w.v, w.w);
    return c;
}

SL_FN struct sl_prim sl_cons_to_prim(const struct sl_gas *gas, struct sl_cons c)
{
    struct sl_prim w;
    sl_real inv = sl_div(1, c.rho);
    w.rho = c.rho;
    w.u = c.mx * inv;
    w.v = c.my * inv;
    w.w = c.mz * inv;
    w.p = gas->eos == SL_EOS_isothermal
              ? c.rho * (gas->cs * gas->cs)
              : (gas->gamma - 1) *
                    (c.en - (sl_real)0.5 * sl_sum3(c.mx * w.u, c.my * w.v, c.mz * w.w));
    return w;
}

SL_FN sl_real sl_sound_speed(const struct sl_gas *gas, sl_real rho, sl_real p)
{
    return gas->eos == SL_EOS_isothermal ? gas->cs : sl_sqrt(sl_div(gas->gamma * p, rho));
}

/* 1 for a state that no gas can have: density or thermal energy not positive, or not finite. */
SL_FN int sl_bad_state(const struct sl_gas *gas, struct sl_cons c)
{
    sl_real twice = sl_square3(c.mx, c.my, c.mz);
    sl_real inv = sl_div(1, c.rho);
    sl_real heat = gas->eos == SL_EOS_isothermal ? 1 : c.en - (sl_real)0.5 * (twice * inv);
    sl_real size = gas->eos == SL_EOS_isothermal ? twice : c.en;
    return !((c.rho > 0) & (heat > 0) & (c.rho < (sl_real)HUGE_VAL) & (size < (sl_real)HUGE_VAL));
}

/* Dual energy (Bryan et al. 1995, section 3; Springel 2010, section 3.5 for the entropy form):
 * where the thermal energy is less than the share eta of the total it is a difference of nearly
 * equal numbers, and the pressure comes from the entropy density s = rho p / rho^gamma. */
SL_FN int sl_entropy_rules(const struct sl_gas *gas, sl_real total, sl_real p, sl_real eta)
{
    return !(p > eta * (gas->gamma - 1) * total);
}

SL_FN sl_real sl_entropy_to_pressure(const struct sl_gas *gas, sl_real rho, sl_real s)
{
    return s * sl_pow(rho, gas->gamma - 1);
}

SL_FN sl_real sl_pressure_to_entropy(const struct sl_gas *gas, sl_real rho, sl_real p)
{
    return p / sl_pow(rho, gas->gamma - 1);
}

/* Energy of the magnetic field of a cell whose variables lie stride apart; 0 without a field. */
SL_FN sl_real sl_magnetic_energy(const struct sl_layout *l, const sl_real *u, size_t stride)
{
    if (l->magnetic < 0) return 0;
    const sl_real *b = u + (size_t)l->magnetic * stride;
    return (sl_real)0.5 * sl_square3(b[0], b[stride], b[2 * stride]);
}

/* The gas of a cell whose variables lie stride apart: en is without the energy of the field. */
SL_FN struct sl_cons sl_gas_of(const struct sl_layout *l, const sl_real *u, size_t stride)
{
    struct sl_cons c = {u[SL_RHO], u[SL_MX * stride], u[SL_MY * stride], u[SL_MZ * stride], 0};
    if (l->energy >= 0) c.en = u[(size_t)l->energy * stride] - sl_magnetic_energy(l, u, stride);
    return c;
}

/* Its primitive state; the pressure comes from the entropy where the solver takes it from there. */
SL_FN struct sl_prim sl_cell_prim(const struct sl_gas *gas, const struct sl_layout *l,
                                  sl_real dual_eta, const sl_real *u, size_t stride)
{
    struct sl_cons c = sl_gas_of(l, u, stride);
    struct sl_prim w = sl_cons_to_prim(gas, c);
    if (l->entropy >= 0 && sl_entropy_rules(gas, u[(size_t)l->energy * stride], w.p, dual_eta))
        w.p = sl_entropy_to_pressure(gas, c.rho, u[(size_t)l->entropy * stride]);
    return w;
}

#endif
