/* eos.h - equations of state: the conversions between conserved and primitive variables.
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

#include "core/cell/power.h"
#include "core/cell/state.h"
#include "core/lists/eos_list.h"

/* Twice the kinetic energy over density, in a sweep: the two velocities across it stand in one
 * bracket, so that swapping them changes no bit. In a cell, where no axis is before others, it is
 * sl_square3. */
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

/* Dual energy: entropy density s = rho p / rho^gamma is carried beside the total energy, because
 * the thermal energy of fast, cold gas is a small difference of large numbers (Bryan et al.
 * 1995, section 3; Springel 2010, section 3.5).
 *
 * The pressure is always that of the entropy (sl_cell_prim): every reader sees the one that the
 * solver uses. After each stage the entropy takes the heat that the total energy tells, where
 * that can be trusted (sl_dual_agree):
 *
 *   heat(E) > eta E                       (Bryan et al. 2014, for the pressure of a cell), and
 *   heat(E) > N   or     heat(E) - heat(s) > N / 4,
 *
 *   N = sum over axes of rho (change of v across the cell)^2.
 *
 * E holds the kinetic energy of the motion inside a cell as well, N / 24 where the flow is
 * smooth: as heat it would be wrong by that, 4 % of it where it is N, most of all in slow
 * cells between fast ones, where N is no small share of E. Bryan et al. (2014) compare with the
 * largest E of the neighbours for this reason, Springel with the kinetic energy relative to
 * them, RAMSES with rho (div u dx)^2. N needs no neighbours: the fluxes of the cell tell it,
 * those of momentum along the other axes too, since a motion oblique to the mesh is shear for
 * most of them. A strong shock makes about N / 2 of heat. A sweep of tvd sees one axis alone:
 * eta E guards against the others, and E is not lowered. The first-order half step of vl2 makes
 * heat of its own, of which none is trusted.
 *
 * The total energy stays as the fluxes made it, so that heat that is not trusted yet is not lost,
 * but for two cases, which do not keep the sum over all cells. Where it tells less heat than the
 * entropy, which a flow cannot lower, it is raised to that. Where the gas expands, which no shock
 * does, heat(E) - heat(s) from N / 16 to N / 4 is lowered to N / 16: N falls there with time, and
 * errors of E do not, which would be trusted after all once lengths have doubled. */

/* heat(E) > eta E; for states between stages, whose fluxes are not known. */
SL_FN int sl_entropy_rules(const struct sl_gas *gas, sl_real total, sl_real p, sl_real eta)
{
    return !(p > eta * (gas->gamma - 1) * total);
}

/* Pressure over entropy density. */
SL_FN sl_real sl_entropy_factor(const struct sl_gas *gas, sl_real rho)
{
    return (sl_real)sl_power(rho, gas->gamma - 1);
}

SL_FN sl_real sl_entropy_to_pressure(const struct sl_gas *gas, sl_real rho, sl_real s)
{
    return s * sl_entropy_factor(gas, rho);
}

SL_FN sl_real sl_pressure_to_entropy(const struct sl_gas *gas, sl_real rho, sl_real p)
{
    return sl_div(p, sl_entropy_factor(gas, rho));
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

/* Its primitive state; with dual energy the pressure is that of the entropy. */
SL_FN struct sl_prim sl_cell_prim(const struct sl_gas *gas, const struct sl_layout *l,
                                  const sl_real *u, size_t stride)
{
    struct sl_prim w = sl_cons_to_prim(gas, sl_gas_of(l, u, stride));
    if (l->entropy >= 0) w.p = sl_entropy_to_pressure(gas, w.rho, u[(size_t)l->entropy * stride]);
    return w;
}

/* Fluxes of a cell across one axis: of mass at the lower and at the upper face; of momentum
 * along the axis and along the two others, at the upper face less that at the lower one. */
struct sl_dual_faces {
    sl_real low, high, push, side[2];
};

/* gamma p rho, the square of density times sound speed, by the total energy of a cell; 0 where that
 * tells no pressure. Without end where the field of the cell follows its faces later, as its energy
 * is not known before: shear is not seen then. */
SL_FN sl_real sl_dual_stiff(const struct sl_gas *gas, const struct sl_layout *l, const sl_real *u,
                            size_t stride)
{
    struct sl_cons c = sl_gas_of(l, u, stride);
    if (l->face >= 0) return (sl_real)HUGE_VAL;
    return sl_max(0, gas->gamma * (c.rho * sl_cons_to_prim(gas, c).p));
}

/* Of one axis: its part of N (above), and density times the change of velocity along it, which is
 * more than zero where the gas expands. */
struct sl_dual_part {
    sl_real spread, grows;
};

/* m: momentum along the axis and along the two others; stiff: sl_dual_stiff.
 *
 * Along the axis the change of rho u is that of the mass flux; where density changes as well,
 * momentum less that of gas with the cell's velocity tells u rho du + dp, which is small where a
 * contact moves by. Gas expands where both say so; of the second, which is divided by u, no more
 * is believed than the first is large. Across the axis, momentum less that of gas with
 * the cell's velocity is what the mass that passes the faces brings: rho u dv. Where none passes,
 * and the waves of sound alone carry momentum, dv is not known; it stays small beside the sound
 * speed, which keeps the quotient from growing. */
SL_FN struct sl_dual_part sl_dual_part(sl_real rho, const sl_real m[3], sl_real stiff,
                                       struct sl_dual_faces f)
{
    sl_real inv = sl_div(1, rho), mass = f.high - f.low, u = m[0] * inv, moved = u * mass;
    sl_real push = f.push - moved, side = f.side[0] - m[1] * inv * mass;
    sl_real other = f.side[1] - m[2] * inv * mass;
    sl_real slope = u != 0 ? sl_div(push, u) : mass;
    sl_real change = push * push < moved * moved ? slope : mass;
    sl_real flow = (sl_real)0.5 * (sl_abs(f.low) + sl_abs(f.high)), shear = 0;
    if (stiff < (sl_real)HUGE_VAL) /* a short division by that is not a number */
        shear = sl_div(side * side + other * other, (flow * flow + stiff) + sl_tiny());
    struct sl_dual_part part = {change * change * inv + rho * shear,
                                mass > 0 ? sl_max(-mass, sl_min(slope, mass)) : mass};
    return part;
}

/* N of the parts of all axes; -N where the gas expands and rho (sum of du over the axes)^2 is more
 * than N / 2. With fields at faces shear is no part of N (sl_dual_stiff). */
SL_FN sl_real sl_dual_spread(int dim, sl_real rho, const struct sl_dual_part part[3])
{
    const sl_real spread[3] = {part[0].spread, part[1].spread, part[2].spread};
    const sl_real grows[3] = {part[0].grows, part[1].grows, part[2].grows};
    sl_real n = sl_sum_axes(dim, spread), g = sl_sum_axes(dim, grows);
    return g > 0 && 2 * g * g > rho * n ? -n : n;
}

/* The least pressure that the total energy tells of gas that has this one by its entropy. In single
 * precision heat below 2^-24 of that energy would be lost beside it, and a cell without heat is bad
 * (sl_bad_state): it tells 2^-20. */
SL_FN sl_real sl_dual_told(const struct sl_gas *gas, sl_real total, sl_real adiabatic)
{
    if (sizeof(sl_real) > sizeof(float)) return adiabatic;
    return sl_max(adiabatic, (sl_real)0x1p-20 * (gas->gamma - 1) * total);
}

/* Makes energy and entropy of a cell agree after its fluxes: see above. spread: N, or -N where the
 * gas expands (sl_dual_spread); factor: sl_entropy_factor of its density. */
SL_FN void sl_dual_agree_by(const struct sl_gas *gas, const struct sl_layout *l, sl_real eta,
                            sl_real spread, sl_real factor, sl_real *u, size_t stride)
{
    sl_real *entropy = u + (size_t)l->entropy * stride, *total = u + (size_t)l->energy * stride;
    struct sl_cons c = sl_gas_of(l, u, stride);
    struct sl_prim w = sl_cons_to_prim(gas, c);
    sl_real adiabatic = *entropy * factor, told = sl_dual_told(gas, *total, adiabatic);
    sl_real least = (gas->gamma - 1) * sl_abs(spread);
    int trusted = !sl_entropy_rules(gas, *total, w.p, eta) &&
                  (w.p > least || w.p - adiabatic > (sl_real)0.25 * least);
    sl_real most = spread < 0 ? adiabatic + (sl_real)0.0625 * least : (sl_real)HUGE_VAL;
    if (trusted || !(adiabatic > 0)) {
        *entropy = sl_div(w.p, factor);
    } else if (w.p < told || w.p > most) {
        sl_real field = sl_magnetic_energy(l, u, stride);
        w.p = sl_max(told, sl_min(w.p, most));
        *total = sl_prim_to_cons(gas, w).en + field;
    }
}

SL_FN void sl_dual_agree(const struct sl_gas *gas, const struct sl_layout *l, sl_real eta,
                         sl_real spread, sl_real *u, size_t stride)
{
    sl_dual_agree_by(gas, l, eta, spread, sl_entropy_factor(gas, u[SL_RHO]), u, stride);
}

/* Whether they tell of the same heat: then that of the total energy was trusted. Otherwise it is
 * more. Heat that it tells because of its precision alone is none. */
SL_FN int sl_dual_agrees_by(const struct sl_gas *gas, const struct sl_layout *l, sl_real factor,
                            const sl_real *u, size_t stride)
{
    struct sl_prim w = sl_cons_to_prim(gas, sl_gas_of(l, u, stride));
    sl_real adiabatic = u[(size_t)l->entropy * stride] * factor;
    sl_real told = sl_dual_told(gas, u[(size_t)l->energy * stride], adiabatic);
    if (told > adiabatic) return w.p <= (sl_real)1.125 * told;
    return w.p - adiabatic <= (sl_real)0x1p-10 * adiabatic;
}

SL_FN int sl_dual_agrees(const struct sl_gas *gas, const struct sl_layout *l, const sl_real *u,
                         size_t stride)
{
    return sl_dual_agrees_by(gas, l, sl_entropy_factor(gas, u[SL_RHO]), u, stride);
}

/* The spread with which they are made to agree after something that tells none: heat of the total
 * energy is trusted as it was before that. */
SL_FN sl_real sl_dual_followed(int agreed)
{
    return agreed ? 0 : (sl_real)HUGE_VAL;
}

SL_FN void sl_dual_follow(const struct sl_gas *gas, const struct sl_layout *l, sl_real eta,
                          int agreed, sl_real *u, size_t stride)
{
    sl_dual_agree(gas, l, eta, sl_dual_followed(agreed), u, stride);
}

#endif
