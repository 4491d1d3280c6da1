/* characteristic.h - differences between primitive states as strengths of the waves along an axis,
 * and back.
 *
 * What a method does to each primitive variable alone mixes the waves of the linearised equations:
 * each of them jumps in all variables. Taken apart first, they are limited one by one, and less is
 * left to ring behind strong waves. It costs about as much as another Riemann solver.
 *
 * With a magnetic field the seven waves have the normalisation of Roe & Balsara 1996, in which all
 * strengths stay finite where speeds coincide; they are those of the Roe solver (sl_mhd_mean,
 * sl_mhd_jump). B_n is no part of them, and psi neither: their wave runs apart from the others and
 * jumps in nothing else.
 *
 * Left to right: strengths stand in pairs of the same wave to the left and to the right, so that
 * mirroring a problem exchanges two numbers and changes no bit.
 *
 * Shapes  one cell
 * Units   strengths in units of density, but for the shear waves of a gas (velocity)
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Stone et al. 2008, section 4.2.2 and appendix A; Roe & Balsara 1996; Brio & Wu 1988
 * Tests   tests/unit/characteristic.c
 */
#ifndef SL_CELL_CHARACTERISTIC_H
#define SL_CELL_CHARACTERISTIC_H

#include "core/cell/mhd.h"

enum { SL_GAS_WAVES = 5, SL_MHD_WAVES = 7 };

/* ---- a gas ----------------------------------------------------------------------------------- */

/* Sound to the left and to the right, entropy, two shear waves; speeds u - a, u + a, u, u, u. An
 * isothermal gas has no entropy wave. */
SL_FN void sl_gas_to_waves(const struct sl_gas *gas, struct sl_prim w, struct sl_prim d,
                           sl_real *to)
{
    const sl_real half = (sl_real)0.5;
    sl_real a = sl_sound_speed(gas, w.rho, w.p), odd = half * sl_div(w.rho * d.u, a);
    sl_real sound = gas->eos == SL_EOS_isothermal ? d.rho : sl_div(d.p, a * a);
    to[0] = half * sound - odd;
    to[1] = half * sound + odd;
    to[2] = gas->eos == SL_EOS_isothermal ? 0 : d.rho - sound;
    to[3] = d.v;
    to[4] = d.w;
}

SL_FN struct sl_prim sl_gas_from_waves(const struct sl_gas *gas, struct sl_prim w,
                                       const sl_real *from)
{
    struct sl_prim d;
    sl_real a = sl_sound_speed(gas, w.rho, w.p), sound = from[1] + from[0];
    d.rho = sound + from[2];
    d.u = (from[1] - from[0]) * sl_div(a, w.rho);
    d.v = from[3];
    d.w = from[4];
    d.p = sound * (a * a);
    return d;
}

/* ---- with a field ---------------------------------------------------------------------------- */

SL_FN struct sl_mhd_mean sl_mhd_mean_here(const struct sl_gas *gas, sl_real bn,
                                          struct sl_mhd_prim w)
{
    struct sl_mhd_mean m;
    m.rho = w.rho;
    m.root = sl_sqrt(w.rho);
    m.u = w.u;
    m.v = w.v;
    m.w = w.w;
    m.h = 0;
    m.x = 0;
    m.a2 = gas->eos == SL_EOS_isothermal ? gas->cs * gas->cs : sl_div(gas->gamma * w.p, w.rho);
    return sl_mhd_mean_waves(m, bn, w.by, w.bz, 0, 0, 0);
}

/* Fast, rotation and slow to the left and to the right, then entropy; speeds u -+ cf, u -+ |bn| /
 * root, u -+ cs, u. */
SL_FN void sl_mhd_to_waves(const struct sl_gas *gas, struct sl_mhd_mean m, struct sl_mhd_prim d,
                           sl_real *to)
{
    struct sl_mhd_prim none = {0, 0, 0, 0, 0, 0, 0};
    struct sl_mhd_jump j = sl_mhd_jump_of(gas, m, none, d);
    to[0] = j.fast - j.fast_odd;
    to[1] = j.fast + j.fast_odd;
    to[2] = j.alfven - j.alfven_odd;
    to[3] = j.alfven + j.alfven_odd;
    to[4] = j.slow - j.slow_odd;
    to[5] = j.slow + j.slow_odd;
    to[6] = j.entropy;
}

SL_FN struct sl_mhd_prim sl_mhd_from_waves(struct sl_mhd_mean m, const sl_real *from)
{
    struct sl_mhd_prim d;
    sl_real fast = from[1] + from[0], fast_odd = from[1] - from[0];
    sl_real alfven = from[3] + from[2], alfven_odd = from[3] - from[2];
    sl_real slow = from[5] + from[4], slow_odd = from[5] - from[4], inv = sl_div(1, m.rho);
    sl_real sound = m.pf * fast + m.ps * slow;
    sl_real push = (m.pf * m.cf * slow_odd - m.ps * m.cs * fast_odd) * m.sign;
    sl_real field = (m.ps * fast - m.pf * slow) * m.a, twist = alfven_odd * m.sign;
    d.rho = sound + from[6];
    d.u = (m.pf * m.cf * fast_odd + m.ps * m.cs * slow_odd) * inv;
    d.v = (m.fy * push + m.fz * alfven) * inv;
    d.w = (m.fz * push - m.fy * alfven) * inv;
    d.p = sound * m.a2;
    d.by = sl_div(m.fy * field - m.fz * twist, m.root);
    d.bz = sl_div(m.fz * field + m.fy * twist, m.root);
    return d;
}

#endif
