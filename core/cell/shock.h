/* shock.h - shocks on the mesh: the one sensor of a cell and axis, and what solvers do where a
 * shock may stand at a face. Only fluid.shocks `none` does without; it is the published scheme.
 *
 * Two things go wrong in schemes of second order. A strong shock that hardly moves across the mesh
 * stays at a face of cells until more gas than there should be lies behind it. Where streams
 * collide, the slope of the velocity lets gas enter a cell through both faces faster than waves can
 * leave: no flux carries mass out, and all that arrives stays in this one cell. The cure of both is
 * first order in the few cells concerned.
 *
 * The sensor must not see what the mesh resolves: a sound wave, a vortex, a weak shock, the smooth
 * collapse of cold gas. A collision is told from a resolved convergence by a maximum of the
 * pressure in a single cell; a shock is looked for only where the pressure jumps by 2.5 and the
 * density by 2.4 within two cells. Turbulence is full of oblique shocks, and first order in them
 * costs it velocity: these count only where they are strong and slow.
 *
 * Shapes  one cell and its neighbours along an axis; one face
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Colella & Woodward 1984, appendix (flattening); Quirk 1994, section 4 (a dissipative
 *         solver in the cells of shocks); Davis 1988 (signals of both states)
 * Tests   tests/unit/shock.c, tests/law/colliding.c, rows collision and shocks of the suite
 */
#ifndef SL_CELL_SHOCK_H
#define SL_CELL_SHOCK_H

#include "core/cell/eos.h"
#include "core/lists/shock_list.h"

/* X(name, value, what it is, row of the suite or test that fails with another one) */
#define SL_SHOCK_NUMBER_LIST(X)                                                                    \
    X(collision_speed, 110, "1 / (v / c)^2 from which on gas collides that enters by both faces",  \
      "collision: isothermal, Mach 20, 101 cells, with 10")                                        \
    X(collision_pressure, 1.2, "pressure of the cell over that of both neighbours",                \
      "collision: gamma 1.1, Mach 20, 101 cells, with 1.3; shocks: Mach 1, with 0.9")              \
    X(collision_density, 1.1, "density of the cell over that of its thinnest neighbour",           \
      "unit/shock: a hot spot")                                                                    \
    X(shock_speed, 20, "1 / (du / c)^2 from which on gas is shocked",                              \
      "unit/shock: gas that is compressed slowly")                                                 \
    X(shock_pressure, 2.5, "pressures of the neighbours over each other",                          \
      "collision: isothermal, Mach 1.5, 101 cells, with 4")                                        \
    X(shock_density, 2.4, "density of the cell over that of its thinnest neighbour",               \
      "collision: gamma 5/3, Mach 20, 101 cells, with 4")                                          \
    X(shock_behind, 0.9, "least density at the side of the higher pressure over the cell's",       \
      "unit/shock: a tube that has just been opened")                                              \
    X(oblique, 0.02, "square of the transverse velocity that is lost over du^2",                   \
      "shocks: Mach 3, without")                                                                   \
    X(oblique_speed, 2.5, "(du / c)^2 from which on gas is shocked obliquely",                     \
      "shocks: Mach 3, with 0; collision: Mach 8, oblique, with 4")                                \
    X(oblique_slow, 0.4, "speed of an oblique shock over the velocity lost in it, at most",        \
      "shocks: Mach 3, with 1")

#define SL_SHOCK_NUMBER(name, value, what, row)                                                    \
    SL_FN sl_real sl_shock_##name(void)                                                            \
    {                                                                                              \
        return (sl_real)value;                                                                     \
    }
SL_SHOCK_NUMBER_LIST(SL_SHOCK_NUMBER)
#undef SL_SHOCK_NUMBER

/* ---- a cell ---------------------------------------------------------------------------------- */

/* A cell and its neighbours before and after it along an axis. */
struct sl_between {
    sl_real rho, rho_before, rho_after; /* densities */
    sl_real u, u_before, u_after;       /* velocities along the axis */
    sl_real p, p_before, p_after;       /* pressures, in any unit */
    sl_real across; /* square of the difference of the transverse velocities before and after */
};

/* Density times the square of the fastest speed that waves can have in a cell, whatever the
 * direction of its field. b2: square of the field, 0 without one. */
SL_FN sl_real sl_stiffness(const struct sl_gas *gas, sl_real rho, sl_real p, sl_real b2)
{
    return (gas->eos == SL_EOS_isothermal ? gas->cs * gas->cs * rho : gas->gamma * p) + b2;
}

/* Cheap test before the sensor: compressed gas with the density of a shock or the pressure of a
 * collision. Most cells fail it. */
SL_FN int sl_may_shock(sl_real rho, sl_real rho_before, sl_real rho_after, sl_real u_before,
                       sl_real u_after, sl_real p, sl_real p_before, sl_real p_after)
{
    int dense = rho > sl_shock_shock_density() * sl_min(rho_before, rho_after);
    int peak = p >= sl_shock_collision_pressure() * sl_max(p_before, p_after);
    return (u_before > u_after) & (dense | peak);
}

/* Whether streams collide in a cell: gas enters through both faces, at 0.1 c and more, and the
 * pressure has a sharp maximum. */
SL_FN int sl_is_collision(struct sl_between b, sl_real stiff)
{
    sl_real v = sl_min(b.u_before - b.u, b.u - b.u_after), push = b.rho * (v * v);
    int peak = b.p >= sl_shock_collision_pressure() * sl_max(b.p_before, b.p_after);
    int dense = b.rho > sl_shock_collision_density() * sl_min(b.rho_before, b.rho_after);
    int fast = sl_shock_collision_speed() * push > stiff;
    return (v > 0) & fast & peak & dense;
}

/* Whether a cell lies in a strong shock, oblique to the axis or not. */
SL_FN int sl_is_strong_shock(struct sl_between b, sl_real stiff)
{
    sl_real low = sl_min(b.p_before, b.p_after), high = sl_max(b.p_before, b.p_after);
    sl_real thin = sl_min(b.rho_before, b.rho_after), du = b.u_before - b.u_after;
    sl_real behind = b.p_before > b.p_after ? b.rho_before : b.rho_after;
    int fast = sl_shock_shock_speed() * b.rho * (du * du) > stiff;
    int piled = behind >= sl_shock_shock_behind() * b.rho;
    int steep = high > sl_shock_shock_pressure() * low;
    int dense = b.rho > sl_shock_shock_density() * thin;
    return (du > 0) & fast & piled & steep & dense;
}

/* Whether a shock in a cell is aligned with the axis or, being oblique, strong and slow enough to
 * leave ripples behind its stair of cells. Its speed across the mesh is what the flow of mass
 * changes by over what the density does. */
SL_FN int sl_shock_leaves_ripples(struct sl_between b, sl_real stiff)
{
    sl_real du = b.u_before - b.u_after;
    sl_real left = sl_abs(b.rho_before * b.u_before - b.rho_after * b.u_after) * du;
    sl_real most = sl_abs(b.rho_before - b.rho_after) * (du * du + b.across);
    int aligned = b.across <= sl_shock_oblique() * (du * du);
    int fast = b.rho * (du * du) > sl_shock_oblique_speed() * stiff;
    int slow = left < sl_shock_oblique_slow() * most;
    return aligned | (fast & slow);
}

/* The sensor: whether a cell must be first order along the axis. stiff: sl_stiffness of the
 * cell. */
SL_FN int sl_in_shock(struct sl_between b, sl_real stiff)
{
    return sl_is_collision(b, stiff) |
           (sl_is_strong_shock(b, stiff) & sl_shock_leaves_ripples(b, stiff));
}

/* The value w at a face of a cell, moved to the average of the cell by a share, 0 to 1. */
SL_FN sl_real sl_shock_limited(sl_real share, sl_real mean, sl_real w)
{
    return share < 1 ? w + share * (mean - w) : mean;
}

/* 0 to 1: how far fluid.shocks `flatten` draws the faces of a cell to its average because it lies
 * in a strong shock: where the gas is compressed, the pressure rises by more than a third, and most
 * of the rise falls within the next cells (Colella & Woodward 1984, equations A.1 and A.2 with
 * their numbers, each cell by itself). p: five pressures; before, after: velocities of the
 * neighbours along the axis. */
SL_FN sl_real sl_flatness(const sl_real *p, sl_real before, sl_real after)
{
    sl_real near = sl_abs(p[3] - p[1]), far = sl_abs(p[4] - p[0]);
    int shock = (3 * near > sl_min(p[1], p[3])) & (before > after);
    sl_real share = 10 * (sl_div(near, far + sl_tiny()) - (sl_real)0.75);
    return shock ? sl_max(0, sl_min(1, share)) : 0;
}

/* ---- a face ---------------------------------------------------------------------------------- */

/* Speeds of the leftmost and rightmost signal of a face. */
struct sl_waves {
    sl_real slow, fast;
};

/* 0 to 1: how far isothermal streams that collide at a face should have the signals of both states
 * (Davis 1988) rather than those of their average (Einfeldt 1988), which know the speed of a shock
 * at the face and so hardly mix anything there. A shock that crosses the mesh slowly then stands
 * still at each face until more gas than there should be lies behind it: 22 % at Mach 30 with
 * constant states, 30 % at Mach 50 with plm, where it is 6 % so. Only shocks along the grid, to
 * within 3 degrees: the layer behind oblique ones bends more with wider signals, and is 60 % too
 * dense at Mach 10 and 18 degrees, not 12 %. c: of the fastest wave; across: square of the
 * velocity along the face that is lost. */
SL_FN sl_real sl_collides_at(const struct sl_gas *gas, sl_real c, sl_real du, sl_real across)
{
    sl_real per_speed = 1 / (8 * gas->cs); /* the same for all faces: no quotient of each */
    sl_real share = sl_min(1, sl_max(0, du - 2 * c) * per_speed);
    int along = du * du > 400 * across;
    return gas->shocks != SL_SHOCK_none && along ? share : 0;
}

/* Whether a shock of an ideal gas may stand at a face: its two states run together by more than an
 * eighth of the difference of its fastest signals, which the flow of a smooth wave does nowhere
 * once the mesh resolves it. */
SL_FN int sl_runs_together(sl_real ul, sl_real ur, struct sl_waves m)
{
    return 8 * (ul - ur) > m.fast - m.slow;
}

/* Whether one of the states at a face has twice the pressure of the other, as it has in no smooth
 * wave that the mesh resolves and at no contact, along which gas may slide. On the steps of a shock
 * that is oblique to the grid gas slides along faces across which it is not compressed; unmixed,
 * streams of gamma 1.1 that collide at Mach 50 and 11 degrees leave 11 % too much, not 4. What
 * slides at the edge of an atmosphere that the mesh does not resolve is mixed, too. */
SL_FN int sl_pressures_differ(sl_real pl, sl_real pr)
{
    return sl_max(pl, pr) > 2 * sl_min(pl, pr);
}

/* Whether a sound wave at a face of isothermal gas may be a shock: its two states run together at a
 * quarter of the speed of sound, or one is denser by a fifth. Both vanish with the size of the
 * cells where the flow is smooth, and where it slides. By half, streams that collide at Mach 12 and
 * 11 degrees would leave 19 % too much, not 9. */
SL_FN int sl_is_shock(const struct sl_gas *gas, sl_real rho_l, sl_real u_l, sl_real rho_r,
                      sl_real u_r)
{
    int strong = 5 * sl_max(rho_l, rho_r) > 6 * sl_min(rho_l, rho_r);
    return (gas->shocks != SL_SHOCK_none) & ((4 * (u_l - u_r) > gas->cs) | strong);
}

/* Mass that each side of a shock gives to the other, besides their difference, which hllc and hlld
 * move: as much as both have, at most what hlle exchanges, and none where the shock has left the
 * face. al, ar: masses that the outer waves sweep up. */
SL_FN sl_real sl_exchanged(sl_real al, sl_real ar, sl_real rho_l, sl_real rho_r, struct sl_waves m)
{
    sl_real least = sl_min(sl_min(al, ar), sl_min(rho_l * m.fast, -rho_r * m.slow));
    return (sl_real)0.5 * sl_max(least, 0);
}

/* Transverse momentum and energy carried by the mass that both sides of a shock exchange, as in
 * hlle: where streams of gamma 1.1 collide obliquely, ripples of 6 to 16 % (plm) and 8 to 38 %
 * (ppm) of the density became such of 2 to 8 % and 4 to 19 %. */
struct sl_transverse {
    sl_real my, mz, en;
};

SL_FN struct sl_transverse sl_transverse_exchange(sl_real mass, sl_real lv, sl_real lw, sl_real rv,
                                                  sl_real rw)
{
    struct sl_transverse x = {mass * (lv - rv), mass * (lw - rw), 0};
    x.en = (sl_real)0.5 * (x.my * (lv + rv) + x.mz * (lw + rw));
    return x;
}

#endif
