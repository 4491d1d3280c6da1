/* reconstruct.h - values at the two faces of a cell from the averages around it: the lists of
 * methods and limiters, and one function each.
 *
 * Applied to each primitive variable alone. plm: monotone, so positive averages give positive
 * faces; ppm at extrema and wenoz are not, and their caller falls back to the average where density
 * or pressure of a face are not positive. All are odd and mirror-symmetric to the bit.
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

/* X(name, ghost cells, sentence) */
#define SL_RECONSTRUCT_LIST(X)                                                                     \
    X(constant, 1, "first order: the cell average (Godunov 1959)")                                 \
    X(plm, 2, "piecewise linear, second order (van Leer 1979)")                                    \
    X(ppm, 3, "piecewise parabolic, keeps smooth extrema (Colella & Sekora 2008)")                 \
    X(wenoz, 3, "weighted essentially non-oscillatory, fifth order (Borges et al. 2008)")

/* X(name, sentence): slopes of plm */
#define SL_LIMITER_LIST(X)                                                                         \
    X(minmod, "generalised minmod with parameter fluid.theta in [1, 2]")                           \
    X(vanleer, "harmonic mean (van Leer 1974)")                                                    \
    X(mc, "monotonised central (van Leer 1977)")

enum sl_reconstruct {
#define SL_RECONSTRUCT_ENUM(name, ghost, about) SL_RECONSTRUCT_##name,
    SL_RECONSTRUCT_LIST(SL_RECONSTRUCT_ENUM)
#undef SL_RECONSTRUCT_ENUM
};
enum sl_limiter {
#define SL_LIMITER_ENUM(name, about) SL_LIMITER_##name,
    SL_LIMITER_LIST(SL_LIMITER_ENUM)
#undef SL_LIMITER_ENUM
};

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

/* What methods that are curved have in the place of their faces where gas piles up. */
SL_FN struct sl_faces sl_faces_straight(const sl_real *q)
{
    sl_real half = sl_slope_minmod((sl_real)1.3, q[2] - q[1], q[3] - q[2]);
    struct sl_faces f = {q[2] - half, q[2] + half};
    return f;
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
 * curvature as far as the neighbours have it too (Colella & Sekora 2008, 19-23). */
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

/* 0 to 1: how far the faces of a cell should be moved to its average because it lies in a strong
 * shock: where the gas runs together, the pressure rises by more than a third, and most of the rise
 * falls within the next cells (Colella & Woodward 1984, equations A.1 and A.2 with their numbers,
 * each cell by itself). p: five pressures; before, after: velocities of the neighbours along the
 * axis. */
SL_FN sl_real sl_flatness(const sl_real *p, sl_real before, sl_real after)
{
    sl_real near = sl_abs(p[3] - p[1]), far = sl_abs(p[4] - p[0]);
    int shock = (3 * near > sl_min(p[1], p[3])) & (before > after);
    sl_real share = 10 * (sl_div(near, far + sl_tiny()) - (sl_real)0.75);
    return shock ? sl_max(0, sl_min(1, share)) : 0;
}

/* A cell and what lies before and after it along an axis. */
struct sl_between {
    sl_real rho, rho_before, rho_after; /* densities */
    sl_real u, u_before, u_after;       /* velocities along the axis */
    sl_real p, p_before, p_after;       /* pressures, in any unit */
    sl_real across; /* square of the velocity across the axis of what lies before against after */
};

/* Whether gas runs together in a cell that has 1.1 times the density of one of its neighbours. Few
 * have: the rest is asked of these alone. */
SL_FN int sl_gathers(sl_real rho, sl_real rho_before, sl_real rho_after, sl_real u_before,
                     sl_real u_after)
{
    return (u_before > u_after) & (rho > (sl_real)1.1 * sl_min(rho_before, rho_after));
}

/* Whether a cell lies in a strong shock: the gas runs together faster than 0.22 c, where c =
 * sqrt(stiff / rho) is the speed of the waves in the cell, the pressures to both sides differ by
 * more than a factor of 2.5, the cell is more than 2.4 times as dense as a neighbour, and the gas
 * at the side of the higher pressure is no less dense than 0.9 of the cell, as it would be where a
 * tube has just been opened. */
SL_FN int sl_in_shock(struct sl_between b, sl_real stiff)
{
    sl_real low = sl_min(b.p_before, b.p_after), high = sl_max(b.p_before, b.p_after);
    sl_real thin = sl_min(b.rho_before, b.rho_after), du = b.u_before - b.u_after;
    sl_real behind = b.p_before > b.p_after ? b.rho_before : b.rho_after;
    return (du > 0) & (20 * b.rho * (du * du) > stiff) & (behind >= (sl_real)0.9 * b.rho) &
           (high > (sl_real)2.5 * low) & (b.rho > (sl_real)2.4 * thin);
}

/* Whether the gas that runs together in a cell does so obliquely to the grid. */
SL_FN int sl_is_oblique(struct sl_between b)
{
    sl_real du = b.u_before - b.u_after;
    return b.across > (sl_real)0.02 * (du * du);
}

/* 1 / the square of the least velocity, in units of c, at which gas collides that runs into a cell
 * from both sides: 0.1, and 0.06 where it does so obliquely to the grid. There a layer would swing
 * to 10 % and more above its density when it is a few cells thick. */
SL_FN sl_real sl_collides_from(struct sl_between b)
{
    return sl_is_oblique(b) ? 300 : 110;
}

/* Whether gas collides in a cell: it runs into it from both sides, and no neighbour has much more
 * pressure. Faster than c, as where cold gas collapses smoothly in a pancake, it collides only
 * where the cell is twice as dense as a neighbour. */
SL_FN int sl_in_collision(struct sl_between b, sl_real stiff)
{
    sl_real v = sl_min(b.u_before - b.u, b.u - b.u_after), push = b.rho * (v * v);
    int highest = b.p >= (sl_real)0.9 * sl_max(b.p_before, b.p_after);
    int piled = (b.rho > 2 * sl_min(b.rho_before, b.rho_after)) | (push < stiff);
    return (v > 0) & (sl_collides_from(b) * push > stiff) & highest & piled;
}

/* Whether a cell lies in a strong shock or gas collides in it. */
SL_FN int sl_converges(struct sl_between b, sl_real stiff)
{
    return sl_gathers(b.rho, b.rho_before, b.rho_after, b.u_before, b.u_after) &
           (sl_in_shock(b, stiff) | sl_in_collision(b, stiff));
}

/* 0 to 1: how far the faces of a cell should be moved to its average because of either. In a shock
 * it is 1 from a factor of 4 between the pressures and of 2.8 between the densities on, in a
 * collision from twice its least velocity on.
 *
 * A shock that is sharper than its scheme can bear stays at a face of cells until more gas than
 * there should be lies behind it, and leaves ripples where it is oblique to the grid, a stair of
 * cells. Where gas collides, the slope of the velocity lets it enter through both faces faster than
 * waves can leave: no flux carries mass out, and all that arrives stays in this one cell. Streams
 * of Mach 1.5 to 50 of isothermal gas and of gamma 1.1, 1.4 and 5/3 that collide along the grid
 * have at most 10 % more than their density from the tenth step on with the default (isothermal
 * ones thanks to sl_collides_at), 12 % with others of plm, 9 % with ppm and wenoz
 * (sl_flattening_curved), 10 % with lhllc and 13 % with a field; obliquely, far from the edges of
 * the box, 9 % with all but lhllc (13 %), tvd (12 %) and mc (11 %; sl_flattening_linear,
 * sl_pressures_differ).
 * With a lower factor of the density, of 2, the interacting blasts and the tube of Shu & Osher
 * would be 2 to 5 % less accurate. */
SL_FN sl_real sl_convergence(struct sl_between b, sl_real stiff)
{
    if (!sl_converges(b, stiff)) return 0; /* most cells: quotients are dear on a device */
    sl_real low = sl_min(b.p_before, b.p_after), high = sl_max(b.p_before, b.p_after);
    sl_real jump = sl_div(high, (sl_real)1.5 * low) - (sl_real)5 / 3;
    sl_real thin = sl_min(b.rho_before, b.rho_after), rise = (sl_real)2.5 * sl_div(b.rho, thin) - 6;
    sl_real v = sl_min(b.u_before - b.u, b.u - b.u_after);
    sl_real push = (sl_div(sl_collides_from(b) * b.rho * (v * v), stiff) - 1) * ((sl_real)1 / 3);
    sl_real shock = sl_in_shock(b, stiff) ? sl_min(1, jump) * sl_min(1, rise) : 0;
    return sl_max(shock, sl_in_collision(b, stiff) ? sl_min(1, push) : 0);
}

/* Whether a shock in a cell crosses the mesh slower than a share of the velocity that the gas loses
 * in it: its speed is what the flow of mass changes by over what the density does, and the gas
 * loses velocity across the shock alone. */
SL_FN int sl_shock_slower(struct sl_between b, sl_real share)
{
    sl_real du = b.u_before - b.u_after;
    sl_real left = sl_abs(b.rho_before * b.u_before - b.rho_after * b.u_after) * du;
    sl_real most = sl_abs(b.rho_before - b.rho_after) * (du * du + b.across);
    return left < share * most;
}

/* Whether a cell lies in a shock that is slow, as where gas runs into a wall or streams collide.
 * The shock of a blast in gas at rest, which carries the gas with it, is always faster. */
SL_FN int sl_in_slow_shock(struct sl_between b, sl_real stiff)
{
    sl_real low = sl_min(b.p_before, b.p_after), high = sl_max(b.p_before, b.p_after);
    sl_real thin = sl_min(b.rho_before, b.rho_after), du = b.u_before - b.u_after;
    return (du > 0) & (20 * b.rho * (du * du) > stiff) & (high > (sl_real)2.5 * low) &
           (b.rho > (sl_real)1.5 * thin) & sl_shock_slower(b, (sl_real)0.7);
}

/* Whether a cell is the densest in a shock. */
SL_FN int sl_densest_in_shock(struct sl_between b, sl_real stiff)
{
    sl_real low = sl_min(b.p_before, b.p_after), high = sl_max(b.p_before, b.p_after);
    sl_real du = b.u_before - b.u_after;
    int densest = b.rho >= (sl_real)0.9 * sl_max(b.rho_before, b.rho_after);
    int denser = b.rho > (sl_real)1.1 * sl_min(b.rho_before, b.rho_after);
    return (du > 0) & densest & denser & (60 * b.rho * (du * du) > stiff) &
           (high > (sl_real)1.2 * low);
}

/* Whether a shock in a cell is oblique to the grid and slower than 1.2 of the velocity that the gas
 * loses in it. The shock of a blast in gas at rest is faster from gamma 1.4 on. */
SL_FN int sl_shock_slow_and_oblique(struct sl_between b)
{
    return sl_is_oblique(b) & sl_shock_slower(b, (sl_real)1.2);
}

/* Whether a cell lies in a slow shock, or gas collides in it and it is as dense as its neighbours,
 * as it is not where a tube has just been opened: then curved methods flatten its neighbours
 * along the axis, too. */
SL_FN int sl_flattens_curved(struct sl_between b, sl_real stiff)
{
    int densest = b.rho >= (sl_real)0.9 * sl_max(b.rho_before, b.rho_after);
    return sl_gathers(b.rho, b.rho_before, b.rho_after, b.u_before, b.u_after) &
           (sl_in_slow_shock(b, stiff) | (sl_in_collision(b, stiff) & densest));
}

/* What becomes of the faces of a cell: they are made straight, then they are moved to the average
 * by a share. */
struct sl_flattening {
    int straight;
    sl_real share;
};

/* Of plm, whose faces know one cell at each side: whether anything becomes of them, and what. A
 * slow shock that is oblique to the grid is a stair of cells, on whose steps more gas gathers than
 * there should be; its densest cells become flat. With those on its slope, too, the vortex of
 * Orszag & Tang would have errors 5 to 10 % larger. stiff: as in sl_convergence. */
SL_FN int sl_flattens_linear(struct sl_between b, sl_real stiff)
{
    return sl_converges(b, stiff) | (sl_densest_in_shock(b, stiff) & sl_shock_slow_and_oblique(b));
}

SL_FN struct sl_flattening sl_flattening_linear(struct sl_between b, sl_real stiff)
{
    int flat = sl_densest_in_shock(b, stiff) & sl_shock_slow_and_oblique(b);
    struct sl_flattening f = {0, flat ? 1 : sl_convergence(b, stiff)};
    return f;
}

/* Of a method that is curved, whose faces know two cells at each side: what holds in a cell holds
 * in its neighbours along the axis, too (likewise Colella & Woodward 1984, A.2), but for shocks
 * that are not slow. These leave no ripples that need it, and the interacting blasts and the tube
 * of Shu & Osher would have errors 10 to 70 % larger. stiff: as in sl_convergence, of the three
 * cells. */
SL_FN struct sl_flattening sl_flattening_curved(const struct sl_between *three,
                                                const sl_real *stiff)
{
    int low = sl_flattens_curved(three[0], stiff[0]), high = sl_flattens_curved(three[2], stiff[2]);
    sl_real share = sl_convergence(three[1], stiff[1]);
    if (low) share = sl_max(share, sl_convergence(three[0], stiff[0]));
    if (high) share = sl_max(share, sl_convergence(three[2], stiff[2]));
    struct sl_flattening b = {low | sl_flattens_curved(three[1], stiff[1]) | high, share};
    return b;
}

/* Density times the square of the fastest speed that waves can have in a cell, whatever the
 * direction of its field. b2: square of the field, 0 without one. */
SL_FN sl_real sl_stiffness(const struct sl_gas *gas, sl_real rho, sl_real p, sl_real b2)
{
    return (gas->eos == SL_EOS_isothermal ? gas->cs * gas->cs * rho : gas->gamma * p) + b2;
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
#define SL_RECONSTRUCT_CASE(name, ghost, about)                                                    \
    case SL_RECONSTRUCT_##name:                                                                    \
        return ghost;
        SL_RECONSTRUCT_LIST(SL_RECONSTRUCT_CASE)
#undef SL_RECONSTRUCT_CASE
    default:
        return 0;
    }
}

#endif
