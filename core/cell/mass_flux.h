/* mass_flux.h - the mass that crosses the faces of cells in a step, and the work of gravity on it.
 *
 * Gas that attracts itself keeps the sum of its total energy and of its potential energy, half the
 * sum of rho phi over the cells, if gravity does its work on the mass that crosses the faces: half
 * of the work at a face goes to the cell at each side. As phi follows from rho by a symmetric
 * operator, the potential energy changes by the sum of (phi_old + phi_new) / 2 (rho_new - rho_old),
 * which is that work, with half of the mass in the old potential and half in the new one.
 *
 * Kicks change momenta, and the energy by what the kinetic energy changes (core/step/kick.h). After
 * the step that is corrected: the work on half of the mass that crossed the faces takes the place
 * of what a kick gave. Its difference is of second order in the size of a cell, and is heat. In
 * cells that one clump of gas hardly fills it is as large as the energy of the clump: without it a
 * ball of few cells falls together, and comes out with more than it had.
 *
 * No cell loses more than half of its heat so. With dual energy gas that is colder than its flow
 * differs over a cell keeps the heat of its entropy: N, the sum over the axes of rho (change of
 * velocity over the cell)^2, is energy of motion that cells do not resolve, and the difference is
 * of its size. It is believed where heat is more than N and a tenth of all energy, and hardly below
 * that: as the 16th power of what heat is of the larger of them. Where a void just passes N it
 * changes its temperature by some 1e-3. What is not believed of a loss is paid by the heat that the
 * total energy tells beyond that of the entropy, at most by half of it: no pressure knows of that
 * yet, and a shock would make heat of what kicks gave too much. Gains that are not believed are
 * left out; kept in the total energy up to N / 16 they warmed voids, as heat(E) is trusted once N
 * has fallen.
 *
 * Shapes  values at lower faces: [block][axis][n2 + 1][n1 + 1][n0 + 1], no more than n along axes
 *         that are not there; the upper face of the last cell is one more lower one
 * Units   code units: density times length; the work per volume
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Springel 2010, section 5; Mullen, Hanawa & Gammie 2021
 * Tests   tests/unit/cell.c, tests/law/self_gravity.c, tests/gpu/gravity.c
 */
#ifndef SL_CELL_MASS_FLUX_H
#define SL_CELL_MASS_FLUX_H

#include <stddef.h>

#include "core/cell/eos.h"

/* ---- the mass that crosses faces ------------------------------------------------------------- */

SL_FN size_t sl_mass_flux_end(int dim, const int n[3], int axis)
{
    return (size_t)n[axis] + (axis < dim);
}

/* Values of an axis of a block; of a block 3 times as many. */
SL_FN size_t sl_mass_flux_faces(int dim, const int n[3])
{
    return sl_mass_flux_end(dim, n, 0) * sl_mass_flux_end(dim, n, 1) * sl_mass_flux_end(dim, n, 2);
}

/* The place of the lower face across an axis of cell (i, j, k), counted from the first interior
 * one. */
SL_FN size_t sl_mass_flux_at(int dim, const int n[3], size_t block, int axis, int k, int j, int i)
{
    size_t row = sl_mass_flux_end(dim, n, 0), plane = row * sl_mass_flux_end(dim, n, 1);
    return (3 * block + (size_t)axis) * sl_mass_flux_faces(dim, n) + (size_t)k * plane +
           (size_t)j * row + (size_t)i;
}

/* What a stage makes of it, as of the state: b and dt are those of the stage, before is what the
 * stages before it have brought, 0 where the state begins anew. */
SL_FN sl_real sl_mass_flux_put(sl_real b, sl_real dt, sl_real before, sl_real flux)
{
    return b * (before + dt * flux);
}

/* ---- the work on it -------------------------------------------------------------------------- */

struct sl_mass_work {
    struct sl_gas gas;
    struct sl_layout layout;
    int dim;
    sl_real dual_eta;
    sl_real share;  /* of the mass that the potential works on: that of the kick in the step */
    sl_real per_dt; /* 1 over the step */
};

/* Mass through the lower and the upper face of a cell across each axis. */
struct sl_mass_through {
    sl_real low[3], high[3];
};

/* Of a cell whose faces across axis d lie at mass[d], the upper ones step[d] behind. */
SL_FN struct sl_mass_through sl_mass_through(int dim, const sl_real *mass, size_t faces,
                                             const ptrdiff_t step[3])
{
    struct sl_mass_through m = {{0, 0, 0}, {0, 0, 0}};
    for (int d = 0; d < 3; d++) {
        if (d >= dim) continue;
        m.low[d] = mass[(size_t)d * faces];
        m.high[d] = mass[(ptrdiff_t)((size_t)d * faces) + step[d]];
    }
    return m;
}

/* The work on a share of the mass. g: acceleration of the cell, the mean of those at its faces;
 * bend: that at the upper face less that at the lower one. */
SL_FN sl_real sl_mass_work_of(const struct sl_mass_work *w, const struct sl_mass_through *m,
                              const sl_real g[3], const sl_real bend[3])
{
    sl_real part[3] = {0, 0, 0};
    for (int d = 0; d < 3; d++)
        if (d < w->dim)
            part[d] =
                (m->low[d] + m->high[d]) * g[d] + (sl_real)0.5 * (m->high[d] - m->low[d]) * bend[d];
    return w->share * (sl_real)0.5 * ((part[0] + part[1]) + part[2]);
}

/* With dual energy: what of the difference is believed in a cell with so much heat, of energy en in
 * all. */
SL_FN sl_real sl_mass_work_trust(const struct sl_mass_work *w, const struct sl_mass_through *m,
                                 struct sl_cons c, sl_real heat)
{
    sl_real spread[3] = {0, 0, 0};
    for (int d = 0; d < 3; d++) {
        sl_real change = w->per_dt * (m->high[d] - m->low[d]);
        if (d < w->dim) spread[d] = change * change;
    }
    sl_real n = sl_div((spread[0] + spread[1]) + spread[2], c.rho);
    sl_real cold = sl_max(n, (sl_real)0.1 * c.en);
    if (!(heat < cold)) return 1;
    sl_real part = sl_div(heat, cold);
    for (int i = 0; i < 4; i++)
        part *= part;
    return part;
}

/* With dual energy: what is not believed of a loss is paid by the heat that the total energy tells
 * beyond that of the entropy. factor: sl_entropy_factor of the density. */
SL_FN void sl_mass_work_pay(const struct sl_mass_work *w, sl_real loss, sl_real factor, sl_real *u,
                            size_t var)
{
    const struct sl_layout *l = &w->layout;
    struct sl_prim told = sl_cons_to_prim(&w->gas, sl_gas_of(l, u, var));
    sl_real spare = sl_div(told.p - u[(size_t)l->entropy * var] * factor, w->gas.gamma - 1);
    if (spare > 0) u[(size_t)l->energy * var] += sl_max(loss, (sl_real)-0.5 * spare);
}

/* Gives a cell with so much heat what of the difference is believed; where energy and entropy agree
 * there is no other heat that could pay. */
SL_FN void sl_mass_work_dual(const struct sl_mass_work *w, sl_real more, sl_real trust,
                             sl_real heat, sl_real *u, size_t var)
{
    const struct sl_layout *l = &w->layout;
    sl_real factor = sl_entropy_factor(&w->gas, u[SL_RHO]), believed = trust * more;
    int agreed = sl_dual_agrees_by(&w->gas, l, factor, u, var);
    u[(size_t)l->energy * var] += sl_max(believed, (sl_real)-0.5 * heat);
    sl_dual_agree_by(&w->gas, l, w->dual_eta, sl_dual_followed(agreed), factor, u, var);
    if (more < believed && !agreed) sl_mass_work_pay(w, more - believed, factor, u, var);
}

/* The correction of the cell at u: kicked is what the kick gave to its energy. */
SL_FN void sl_mass_work_put(const struct sl_mass_work *w, const struct sl_mass_through *m,
                            const sl_real g[3], const sl_real bend[3], sl_real kicked, sl_real *u,
                            size_t var)
{
    const struct sl_layout *l = &w->layout;
    struct sl_cons c = sl_gas_of(l, u, var);
    sl_real heat = c.en - (sl_real)0.5 * sl_div(sl_square3(c.mx, c.my, c.mz), c.rho);
    sl_real more = sl_mass_work_of(w, m, g, bend) - kicked;
    if (!(heat > 0)) return;
    if (l->entropy >= 0)
        sl_mass_work_dual(w, more, sl_mass_work_trust(w, m, c, heat), heat, u, var);
    else
        u[(size_t)l->energy * var] += sl_max(more, (sl_real)-0.5 * heat);
}

#endif
