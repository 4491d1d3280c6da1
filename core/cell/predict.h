/* predict.h - what corner transport upwind (CTU) needs in a cell: the change of a primitive state
 * in time that a slope along one axis makes, and the correction of a state at a face by fluxes
 * across that face's own axis.
 *
 * The field across a face does not change along its axis in one dimension, but in a plane it does:
 * dB_n is its difference over the cell. Its term in the equation of the other field of the plane is
 * part of the change; all others come with the correction, where they cancel the ones that the
 * fluxes along the other axis bring in, as div B = 0, before a Riemann solver has seen them: a loop
 * of field that moves upright, too, gets no upright field.
 *
 * u and bn are across the face, v, w, by and bz along it, as in mhd.h.
 *
 * Shapes  one cell or one face
 * Units   code units
 * Errors  none: a state without density or pressure is kept as it was before the correction
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Colella & Woodward 1984; Colella 1990; Gardiner & Stone 2005, sections 3 and 4; Stone et
 *         al. 2008, section 4.2
 * Tests   tests/unit/characteristic.c, tests/law/ctu.c
 */
#ifndef SL_CELL_PREDICT_H
#define SL_CELL_PREDICT_H

#include "core/cell/mhd.h"

/* What a face gets in half a step dt / 2, where `half` is dt / 2 dx, from the change -A d that the
 * slope d makes (slope), from the same of the curve q6 of the parabola through both faces and the
 * average of the cell (curve), and from A A q6 (twice): the mean over what passes the face is that
 * of the parabola, not of its chord (Colella & Woodward 1984, equation 1.12, for each wave). With
 * the slope alone rarefactions steepen: the error of the 1-2-0-3 tube is more than twice as
 * large. */
SL_FN sl_real sl_predict_low(sl_real half, sl_real slope, sl_real curve, sl_real twice)
{
    return half * (slope + curve) - (sl_real)4 / 3 * (half * half) * twice;
}

SL_FN sl_real sl_predict_high(sl_real half, sl_real slope, sl_real curve, sl_real twice)
{
    return half * (slope - curve) - (sl_real)4 / 3 * (half * half) * twice;
}

/* q6, from the average of a cell and the values at its faces. */
SL_FN sl_real sl_predict_curve(sl_real mean, sl_real low, sl_real high)
{
    return 6 * (mean - (sl_real)0.5 * (low + high));
}

/* dt / dx times this is added in a time dt: -A(w) d, with the slope d over a cell. by is in the
 * plane, or bz. */
SL_FN struct sl_mhd_prim sl_predict(const struct sl_gas *gas, int by_in_plane, sl_real bn,
                                    sl_real dbn, struct sl_mhd_prim w, struct sl_mhd_prim d)
{
    struct sl_mhd_prim r;
    int isothermal = gas->eos == SL_EOS_isothermal;
    sl_real inv = sl_div(1, w.rho), dp = isothermal ? gas->cs * gas->cs * d.rho : d.p;
    r.rho = -(w.u * d.rho + w.rho * d.u);
    r.u = -(w.u * d.u + (dp + (w.by * d.by + w.bz * d.bz)) * inv);
    r.v = bn * d.by * inv - w.u * d.v;
    r.w = bn * d.bz * inv - w.u * d.w;
    r.p = isothermal ? 0 : -(w.u * d.p + gas->gamma * w.p * d.u);
    r.by = (bn * d.v + (by_in_plane ? w.v * dbn : 0)) - (w.u * d.by + w.by * d.u);
    r.bz = (bn * d.w + (by_in_plane ? 0 : w.w * dbn)) - (w.u * d.bz + w.bz * d.u);
    return r;
}

/* The same without field. */
SL_FN struct sl_prim sl_predict_gas(const struct sl_gas *gas, struct sl_prim w, struct sl_prim d)
{
    struct sl_prim r;
    int isothermal = gas->eos == SL_EOS_isothermal;
    sl_real inv = sl_div(1, w.rho), dp = isothermal ? gas->cs * gas->cs * d.rho : d.p;
    r.rho = -(w.u * d.rho + w.rho * d.u);
    r.u = -(w.u * d.u + dp * inv);
    r.v = -w.u * d.v;
    r.w = -w.u * d.w;
    r.p = isothermal ? 0 : -(w.u * d.p + gas->gamma * w.p * d.u);
    return r;
}

/* Correction of u at a face after half a step: the term u u_x takes the speed `at` of the face, not
 * that of the cell. With the latter, as published, the flow out of a cell in which u changes its
 * sign is wrong by the step times u_x, on any mesh, and a void loses too much gas in its middle.
 * Density and pressure still move with the speed of the cell: with that of the face rarefactions
 * are too steep, and the error of the 1-2-0-3 tube grows by a fifth with ppm and by a third with
 * plm. half: half the step over dx; slope: u at the upper face minus u at the lower one. */
SL_FN sl_real sl_predict_steepen(sl_real half, sl_real u, sl_real at, sl_real slope)
{
    return half * ((u - at) * slope);
}

/* What changes a state at a face in half a step: fluxes along the other axis (difference times
 * dt / 2 dx), dB_n times dt / 2 dx with the upright velocity and the field of the cell, the
 * field across before and after. */
struct sl_correction {
    struct sl_mhd_cons flux; /* by, bz: 0 for the component in the plane */
    sl_real dbn, up, bx, by, bz;
    sl_real bn_old, bn_new;
};

SL_FN struct sl_mhd_prim sl_correct(const struct sl_gas *gas, int by_in_plane,
                                    struct sl_correction s, struct sl_mhd_prim w)
{
    const sl_real half = (sl_real)0.5;
    struct sl_mhd_cons c = sl_mhd_cons(sl_mhd_state(gas, s.bn_old, w));
    struct sl_mhd_prim r;
    int isothermal = gas->eos == SL_EOS_isothermal;
    c.rho = c.rho - s.flux.rho;
    c.mx = (c.mx - s.flux.mx) + s.dbn * s.bx;
    c.my = (c.my - s.flux.my) + s.dbn * s.by;
    c.mz = (c.mz - s.flux.mz) + s.dbn * s.bz;
    c.en = (c.en - s.flux.en) + s.dbn * (s.up * (by_in_plane ? s.bz : s.by));
    sl_real inv = sl_div(1, c.rho);
    r.rho = c.rho;
    r.u = c.mx * inv;
    r.v = c.my * inv;
    r.w = c.mz * inv;
    r.by = by_in_plane ? c.by : (c.by - s.flux.by) + s.dbn * s.up;
    r.bz = by_in_plane ? (c.bz - s.flux.bz) + s.dbn * s.up : c.bz;
    sl_real moves = half * c.rho * sl_speed_squared(r.u, r.v, r.w);
    sl_real field = half * sl_speed_squared(s.bn_new, r.by, r.bz);
    r.p = isothermal ? 0 : (gas->gamma - 1) * ((c.en - moves) - field);
    int good = (r.rho > 0) & (isothermal ? 1 : r.p > 0);
    r.rho = good ? r.rho : w.rho;
    r.u = good ? r.u : w.u;
    r.v = good ? r.v : w.v;
    r.w = good ? r.w : w.w;
    r.p = good ? r.p : w.p;
    return r;
}

SL_FN struct sl_prim sl_correct_gas(const struct sl_gas *gas, struct sl_cons flux, struct sl_prim w)
{
    struct sl_cons c = sl_prim_to_cons(gas, w);
    c.rho = c.rho - flux.rho;
    c.mx = c.mx - flux.mx;
    c.my = c.my - flux.my;
    c.mz = c.mz - flux.mz;
    c.en = c.en - flux.en;
    struct sl_prim r;
    int isothermal = gas->eos == SL_EOS_isothermal;
    sl_real inv = sl_div(1, c.rho);
    r.rho = c.rho;
    r.u = c.mx * inv;
    r.v = c.my * inv;
    r.w = c.mz * inv;
    sl_real moves = (sl_real)0.5 * c.rho * sl_speed_squared(r.u, r.v, r.w);
    r.p = isothermal ? 0 : (gas->gamma - 1) * (c.en - moves);
    int good = (r.rho > 0) & (isothermal ? 1 : r.p > 0);
    r.rho = good ? r.rho : w.rho;
    r.u = good ? r.u : w.u;
    r.v = good ? r.v : w.v;
    r.w = good ? r.w : w.w;
    r.p = good ? r.p : w.p;
    return r;
}

#endif
