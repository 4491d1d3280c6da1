/* reconstruct.h - values at the two faces of a cell from the averages around it: one function
 * for each method and limiter of reconstruct_list.h.
 *
 * Applied to each primitive variable alone. plm: monotone, so positive averages give positive
 * faces; ppm at extrema and wenoz are not, and their caller falls back to the average where density
 * or pressure of a face are not positive. All are odd and mirror-symmetric to the bit.
 *
 * Where density falls to that of nearly empty gas and pressure does not, gas of one cell would be
 * as thin at the face as that of the next one, but keep its pressure: hotter than both by as much
 * as they differ in density. A time step knows nothing of such gas. With dual energy
 * (core/cell/eos.h) pressure is uneven beside a void, as the entropy tells it in one cell and the
 * total energy in the next: gas beside a sphere 1e6 times as dense became ten times as hot with
 * each step. So a face that is SL_FACE_HOTTEST times as hot as both cells takes the average, too.
 *
 * Shapes  five averages along a line, the middle one is the cell's
 * Units   those of the variable
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    van Leer 1979; Kurganov & Tadmor 2000 (generalised minmod); Colella & Woodward 1984,
 *         equation 1.10; Colella & Sekora 2008; Borges et al. 2008, equations 25-28
 * Tests   tests/unit/cell.c
 */
#ifndef SL_CELL_RECONSTRUCT_H
#define SL_CELL_RECONSTRUCT_H

#include "core/cell/eos.h"
#include "core/lists/reconstruct_list.h"

struct sl_faces {
    sl_real minus, plus; /* at the lower and at the upper face of the cell */
};

/* Half the slope in a cell from the differences to both sides. Generalised minmod: the smallest of
 * theta l, (l + r) / 2, theta r when all have one sign, else 0. */
SL_FN sl_real sl_slope_minmod(sl_real theta, sl_real l, sl_real r)
{
    return sl_minmod((sl_real)0.5 * theta, l, r);
}

SL_FN sl_real sl_slope_mc(sl_real theta, sl_real l, sl_real r)
{
    (void)theta;
    return sl_slope_minmod(2, l, r);
}

SL_FN sl_real sl_slope_vanleer(sl_real theta, sl_real l, sl_real r)
{
    (void)theta;
    sl_real both = l * r;
    return both > 0 ? sl_div(both, l + r) : 0;
}

SL_FN sl_real sl_slope(int limiter, sl_real theta, sl_real l, sl_real r)
{
    switch (limiter) {
#define SL_LIMITER_CASE(name, about)                                                               \
    case SL_LIMITER_##name:                                                                        \
        return sl_slope_##name(theta, l, r);
        SL_LIMITER_LIST(SL_LIMITER_CASE)
#undef SL_LIMITER_CASE
    default:
        return 0;
    }
}

SL_FN struct sl_faces sl_faces_constant(int limiter, sl_real theta, const sl_real *q)
{
    (void)limiter, (void)theta;
    struct sl_faces f = {q[2], q[2]};
    return f;
}

SL_FN struct sl_faces sl_faces_plm(int limiter, sl_real theta, const sl_real *q)
{
    sl_real half = sl_slope(limiter, theta, q[2] - q[1], q[3] - q[2]);
    struct sl_faces f = {q[2] - half, q[2] + half};
    return f;
}

/* The smallest of three when all have one sign, else 0. */
SL_FN sl_real sl_smallest(sl_real a, sl_real b, sl_real c)
{
    sl_real low = sl_min(sl_min(a, b), c), high = sl_max(sl_max(a, b), c);
    return sl_max(low, 0) + sl_min(high, 0);
}

/* The value at the face between b and c, fourth order; where that is not between b and c, with the
 * curvature of its neighbourhood (Colella & Sekora 2008, 16-18). */
SL_FN sl_real sl_ppm_face(sl_real a, sl_real b, sl_real c, sl_real d)
{
    const sl_real reach = (sl_real)1.25;
    sl_real middle = (sl_real)0.5 * (b + c), shift = ((b - a) - (d - c)) * ((sl_real)1 / 12);
    sl_real left = (a + c) - 2 * b, right = (b + d) - 2 * c;
    sl_real bent = sl_smallest(-6 * shift, reach * left, reach * right) * ((sl_real)1 / 6);
    int outside = sl_abs(shift) > (sl_real)0.5 * sl_abs(c - b);
    return outside ? middle - bent : middle + shift;
}

/* Colella & Woodward 1984 on equal cells (limiter 1.10), but for smooth extrema, which keep their
 * curvature as far as the neighbours have it too (Colella & Sekora 2008, 19-23).
 *
 * The test for an extremum jumps, as published: where a neighbour is equal to the cell, an ulp says
 * whether the faces are cut by the curvature of the neighbours or by each other. On a parabola both
 * leave them alone, since an extremum at a face has above = 2 below, the most that is monotone.
 * Where the curvature changes from cell to cell they differ: averages D, 0, 0, D, D have faces 0
 * and 0 as an extremum, else -D/6 and D/3. So an ulp beside a mirror plane of a blast may become
 * some percent there. A mean of both for nearly equal neighbours would be continuous, with one more
 * division per variable and cell, and no longer the published scheme in monotone cells. */
SL_FN struct sl_faces sl_faces_ppm(int limiter, sl_real theta, const sl_real *q)
{
    (void)limiter, (void)theta;
    const sl_real reach = (sl_real)1.25;
    sl_real below = q[2] - sl_ppm_face(q[0], q[1], q[2], q[3]);
    sl_real above = sl_ppm_face(q[1], q[2], q[3], q[4]) - q[2];
    sl_real down = (q[0] + q[2]) - 2 * q[1], here = (q[1] + q[3]) - 2 * q[2];
    sl_real up = (q[2] + q[4]) - 2 * q[3], curve = 6 * (above - below);
    sl_real kept = sl_smallest(sl_smallest(curve, reach * down, reach * up), reach * here, curve);
    sl_real share = sl_abs(curve) > sl_tiny() ? sl_div(kept, curve) : 0;
    int extremum = !(below * above > 0) || !((q[2] - q[1]) * (q[3] - q[2]) > 0);
    int steep_a = sl_abs(below) > 2 * sl_abs(above), steep_b = sl_abs(above) > 2 * sl_abs(below);
    sl_real down_part = extremum ? below * share : steep_a ? 2 * above : below;
    sl_real up_part = extremum ? above * share : steep_b ? 2 * below : above;
    struct sl_faces f = {q[2] - down_part, q[2] + up_part};
    return f;
}

/* The value at the upper face of the cell whose average is c, from the averages a to e along the
 * axis. Written as a change of c, so that a constant stays one to the bit. */
SL_FN sl_real sl_wenoz_face(sl_real a, sl_real b, sl_real c, sl_real d, sl_real e)
{
    const sl_real curve = (sl_real)13 / 12, quarter = (sl_real)0.25;
    const sl_real share = (sl_real)(sizeof(sl_real) == sizeof(float) ? 0x1p-60 : 0x1p-120);
    sl_real c0 = (a + c) - 2 * b, c1 = (b + d) - 2 * c, c2 = (c + e) - 2 * d;
    sl_real s0 = (a + 3 * c) - 4 * b, s1 = b - d, s2 = (e + 3 * c) - 4 * d;
    sl_real b0 = curve * (c0 * c0) + quarter * (s0 * s0);
    sl_real b1 = curve * (c1 * c1) + quarter * (s1 * s1);
    sl_real b2 = curve * (c2 * c2) + quarter * (s2 * s2);
    sl_real tau = sl_abs(b0 - b2);
    sl_real tiny = share * tau + sl_tiny();
    sl_real w0 = (sl_real)0.1 * (1 + sl_div(tau, b0 + tiny));
    sl_real w1 = (sl_real)0.6 * (1 + sl_div(tau, b1 + tiny));
    sl_real w2 = (sl_real)0.3 * (1 + sl_div(tau, b2 + tiny));
    sl_real p0 = 2 * (a - b) + 5 * (c - b), p1 = 2 * (d - c) + (c - b);
    sl_real p2 = 5 * (d - c) - (e - c);
    return c + sl_div((w0 * p0 + w1 * p1) + w2 * p2, 6 * ((w0 + w1) + w2));
}

SL_FN struct sl_faces sl_faces_wenoz(int limiter, sl_real theta, const sl_real *q)
{
    (void)limiter, (void)theta;
    struct sl_faces f;
    f.minus = sl_wenoz_face(q[4], q[3], q[2], q[1], q[0]);
    f.plus = sl_wenoz_face(q[0], q[1], q[2], q[3], q[4]);
    return f;
}

/* Temperature at a face over the higher of those of the cells at its sides: what minmod with its
 * default theta of 1.5, which leaves a quarter of the density, never exceeds. */
enum { SL_FACE_HOTTEST = 4 };

/* Density and pressure of a cell or at a face. */
struct sl_warmth {
    sl_real rho, p;
};

/* Whether gas at a face is hotter than that. */
SL_FN int sl_face_is_hot(struct sl_warmth face, struct sl_warmth cell, struct sl_warmth next)
{
    sl_real rho = SL_FACE_HOTTEST * face.rho;
    return face.p * cell.rho > cell.p * rho && face.p * next.rho > next.p * rho;
}

/* Whether a method makes such faces: plm does where its slopes may be twice a difference. Those of
 * vanleer, ppm, wenoz and of waves, beside such a sphere on 32^3 cells, warm gas by 20 %; steeper
 * falls of density were not tried. */
SL_FN int sl_reconstruct_heats(int method, int limiter, sl_real theta)
{
    int steep = limiter == SL_LIMITER_mc || (limiter == SL_LIMITER_minmod && theta > (sl_real)1.5);
    return method == SL_RECONSTRUCT_plm && steep;
}

/* Whether a method knows more of a cell than its slope. */
SL_FN int sl_reconstruct_curved(int method)
{
    return method == SL_RECONSTRUCT_ppm || method == SL_RECONSTRUCT_wenoz;
}

/* Neighbours at each side that a method reads: one less than the ghost cells that it needs. */
SL_FN int sl_reconstruct_ghosts(int method)
{
    switch (method) {
#define SL_RECONSTRUCT_CASE(name, ghost, ...)                                                      \
    case SL_RECONSTRUCT_##name:                                                                    \
        return ghost;
        SL_RECONSTRUCT_LIST(SL_RECONSTRUCT_CASE)
#undef SL_RECONSTRUCT_CASE
    default:
        return 0;
    }
}

#endif
