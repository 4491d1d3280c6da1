/* reflux.h - the correction of a coarse cell beside finer ones: what left it through their common
 * face is what the finer cells got.
 *
 * A cell may have a finer neighbour along each axis: all of its corrections are made at once, so
 * that their order does not matter. A field at its faces has got its correction before; that in
 * the cell follows. Mass, momentum and energy are kept: a cell that would be left without density
 * or pressure shares with cells behind it in its block, along the axis of the face; only where not
 * even a whole row will do does it get the floors. One whose correction is no number stays as it
 * is. A cell that is left with a fraction of a passive scalar below 0 or above 1 shares its scalars
 * likewise. With dual energy heat of the total energy is trusted as it was before the correction.
 * With a constant acceleration the energy gets the work on what the mass flux is corrected by
 * (lift.h).
 *
 * Shapes  a cell whose variables lie stride apart
 * Units   code units; fluxes as in core/transfer/flux_register.h
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Berger & Colella 1989, section 3; Zhang & Shu 2010, section 2.2 (states of a gas are a
 *         convex set: means are)
 * Tests   tests/unit/prolong.c, tests/law/levels.c
 */
#ifndef SL_CELL_REFLUX_H
#define SL_CELL_REFLUX_H

#include <stddef.h>

#include "core/cell/centre.h"
#include "core/cell/eos.h"
#include "core/cell/lift.h"
#include "core/cell/repair.h"

/* The face of a coarse cell across one axis, behind which lie finer cells. */
struct sl_reflux_face {
    sl_real per_dx;        /* 1 / dx at the upper face of the cell, -1 / dx at its lower one;
                                   0: no finer cells along this axis */
    const sl_real *coarse; /* what the coarse level had, [v * coarse_var] */
    /* what the finer one had in the first of the 2^fine_dim faces, [v * fine_var] */
    const sl_real *fine;
    size_t coarse_var, fine_var;
    int fine_dim;           /* 0: a mean already */
    ptrdiff_t fine_step[3]; /* along the axes of the face */
};

struct sl_reflux {
    struct sl_gas gas;
    struct sl_layout layout;
    int dim;
    sl_real dual_eta;
    size_t stride;
    ptrdiff_t step[3]; /* to the next cell along each axis, where there is a field at faces */
    int lifts;         /* work is not 0 */
    sl_real work[3];   /* of lift.h, of a coarse cell */
};

/* What the finer level had of the energy of a face across an axis, from the first of its fluxes:
 * their mean less the lift. */
SL_FN sl_real sl_reflux_energy(const struct sl_reflux *r, int axis, int dim, const sl_real *fine,
                               size_t var, const ptrdiff_t step[3])
{
    const sl_real along[3] = {axis == 0 ? r->work[1] : r->work[0],
                              axis == 2 ? r->work[1] : r->work[2], 0};
    sl_real mean = sl_restrict(dim, fine + (size_t)r->layout.energy * var, step);
    return mean - sl_lift(dim, fine, step, along);
}

/* What the energy loses by the correction: the work is that on the mass flux from the middle of the
 * cell to the face. */
SL_FN sl_real sl_reflux_energy_loss(const struct sl_reflux *r, const struct sl_reflux_face face[3])
{
    sl_real loss[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++) {
        const struct sl_reflux_face *f = &face[a];
        if (a >= r->dim || f->per_dx == 0) continue;
        sl_real mass = sl_restrict(f->fine_dim, f->fine, f->fine_step) - f->coarse[0];
        sl_real fine = sl_reflux_energy(r, a, f->fine_dim, f->fine, f->fine_var, f->fine_step);
        sl_real coarse = f->coarse[f->coarse_var * (size_t)r->layout.energy];
        loss[a] = f->per_dx * (fine - coarse) - 2 * sl_abs(f->per_dx) * (r->work[a] * mass);
    }
    return sl_sum_axes(r->dim, loss);
}

/* What a variable loses by the correction. */
SL_FN sl_real sl_reflux_loss(const struct sl_reflux *r, const struct sl_reflux_face face[3], int v)
{
    sl_real loss[3] = {0, 0, 0};
    if (r->lifts && v == r->layout.energy) return sl_reflux_energy_loss(r, face);
    for (int a = 0; a < 3; a++) { /* all three: see prolong.h */
        const struct sl_reflux_face *f = &face[a];
        if (a >= r->dim || f->per_dx == 0) continue;
        sl_real fine = sl_restrict(f->fine_dim, f->fine + f->fine_var * (size_t)v, f->fine_step);
        loss[a] = f->per_dx * (fine - f->coarse[f->coarse_var * (size_t)v]);
    }
    return sl_sum_axes(r->dim, loss);
}

/* Whether a variable follows from fluxes: with constrained transport the field along the axes of
 * the mesh does not. */
SL_FN int sl_reflux_flows(const struct sl_reflux *r, int v)
{
    int n = v - r->layout.magnetic;
    return r->layout.face < 0 || n < 0 || n >= r->dim;
}

/* The gas of a cell has what the cells share. The energy is without that of the field. */
SL_FN int sl_reflux_is_shared(const struct sl_reflux *r, int v)
{
    int n = v - r->layout.magnetic;
    return r->layout.magnetic < 0 || n < 0 || n > 3;
}

/* Means over a cell at u and those behind it, n in all; back: from one to the next. The energy of
 * what falls is in them. */
SL_FN sl_real sl_reflux_mean(const struct sl_reflux *r, const sl_real *u, ptrdiff_t back, int n,
                             int v)
{
    sl_real sum = 0;
    for (int i = 0; i < n; i++) {
        const sl_real *cell = u + i * back;
        sum += cell[(size_t)v * r->stride];
        if (v == r->layout.energy) sum -= sl_magnetic_energy(&r->layout, cell, r->stride);
    }
    return sum / (sl_real)n;
}

/* Energy per volume of each of them from the fall of what is shared: axis is that of back. */
SL_FN sl_real sl_reflux_fall(const struct sl_reflux *r, const sl_real *u, ptrdiff_t back, int n,
                             int axis)
{
    sl_real rho = sl_reflux_mean(r, u, back, n, SL_RHO), sum = 0;
    for (int i = 0; i < n; i++)
        sum += (sl_real)i * (rho - u[i * back]);
    return (back < 0 ? -4 : 4) * r->work[axis] * (sum / (sl_real)n);
}

/* What they share. */
SL_FN struct sl_cons sl_reflux_share(const struct sl_reflux *r, const sl_real *u, ptrdiff_t back,
                                     int n, int axis)
{
    struct sl_cons c = {sl_reflux_mean(r, u, back, n, SL_RHO), sl_reflux_mean(r, u, back, n, SL_MX),
                        sl_reflux_mean(r, u, back, n, SL_MY), sl_reflux_mean(r, u, back, n, SL_MZ),
                        0};
    if (r->layout.energy >= 0) c.en = sl_reflux_mean(r, u, back, n, r->layout.energy);
    if (r->lifts) c.en += sl_reflux_fall(r, u, back, n, axis);
    return c;
}

/* Whether each of them is a gas with that: beside a strong field rounding may take the heat. */
SL_FN int sl_reflux_will_do(const struct sl_reflux *r, struct sl_cons c, const sl_real *u,
                            ptrdiff_t back, int n)
{
    int good = 1;
    for (int i = 0; i < n; i++) {
        struct sl_cons one = c;
        sl_real field = sl_magnetic_energy(&r->layout, u + i * back, r->stride);
        if (r->layout.energy >= 0) one.en = (c.en + field) - field;
        good &= !sl_bad_state(&r->gas, one);
    }
    return good;
}

/* Gives a cell the gas c; of other variables it has its part already. */
SL_FN void sl_reflux_put(const struct sl_reflux *r, struct sl_cons c, sl_real *u)
{
    const struct sl_layout *l = &r->layout;
    u[SL_RHO] = c.rho;
    u[SL_MX * r->stride] = c.mx, u[SL_MY * r->stride] = c.my, u[SL_MZ * r->stride] = c.mz;
    if (l->energy >= 0)
        u[(size_t)l->energy * r->stride] = c.en + sl_magnetic_energy(l, u, r->stride);
    if (l->entropy >= 0) sl_dual_follow(&r->gas, l, r->dual_eta, 1, u, r->stride);
}

SL_FN int sl_reflux_is_bad(const struct sl_reflux *r, const sl_real *u)
{
    return sl_bad_state(&r->gas, sl_gas_of(&r->layout, u, r->stride));
}

/* Whether n cells have fractions from 0 to 1 when they share their scalars. */
SL_FN int sl_reflux_will_stir(const struct sl_reflux *r, const sl_real *u, ptrdiff_t back, int n)
{
    const struct sl_layout *l = &r->layout;
    sl_real rho = sl_reflux_mean(r, u, back, n, SL_RHO);
    int good = rho > 0;
    for (int v = l->scalar0; v < l->scalar0 + l->nscalar; v++) {
        sl_real mean = sl_reflux_mean(r, u, back, n, v);
        good &= (int)(mean >= 0) & (int)(mean <= rho);
    }
    return good;
}

/* Gives n cells from u on what they share: the gas c, of all else the mean. */
SL_FN void sl_reflux_even(const struct sl_reflux *r, struct sl_cons c, ptrdiff_t back, int n,
                          sl_real *u)
{
    for (int v = SL_MZ + 1; v < r->layout.nflow; v++) {
        if (v == r->layout.energy || !sl_reflux_is_shared(r, v)) continue;
        sl_real mean = sl_reflux_mean(r, u, back, n, v);
        for (int i = 0; i < n; i++)
            u[(ptrdiff_t)((size_t)v * r->stride) + i * back] = mean;
    }
    for (int i = 0; i < n; i++)
        sl_reflux_put(r, c, u + i * back);
}

/* A cell without density or pressure shares with as few as will do of those behind it along an
 * axis, up to `most` with itself; if that is possible, so that they have fractions from 0 to 1. How
 * many share; 0: not even all will do, and nothing is changed. */
SL_FN int sl_reflux_mend(const struct sl_reflux *r, int axis, ptrdiff_t back, int most, sl_real *u)
{
    for (int strict = r->layout.nscalar > 0; strict >= 0; strict--)
        for (int n = 2; n <= most; n++) {
            struct sl_cons c = sl_reflux_share(r, u, back, n, axis);
            if (!sl_reflux_will_do(r, c, u, back, n)) continue;
            if (strict && !sl_reflux_will_stir(r, u, back, n)) continue;
            sl_reflux_even(r, c, back, n, u);
            return n;
        }
    return 0;
}

/* Whether all fractions are from 0 to 1, but for rounding. */
SL_FN int sl_reflux_is_mixture(const struct sl_reflux *r, const sl_real *u)
{
    const struct sl_layout *l = &r->layout;
    sl_real more = (sl_real)(sizeof(sl_real) == sizeof(float) ? 0x1p-16 : 0x1p-40) * u[SL_RHO];
    int good = 1;
    for (int v = l->scalar0; v < l->scalar0 + l->nscalar; v++) {
        sl_real s = u[(size_t)v * r->stride];
        good &= (int)(s >= -more) & (int)(s <= u[SL_RHO] + more);
    }
    return good;
}

/* Gives n cells from u on the fractions that they have together. */
SL_FN void sl_reflux_stir(const struct sl_reflux *r, ptrdiff_t back, int n, sl_real *u)
{
    const struct sl_layout *l = &r->layout;
    sl_real rho = sl_reflux_mean(r, u, back, n, SL_RHO);
    for (int v = l->scalar0; v < l->scalar0 + l->nscalar; v++) {
        sl_real f = sl_div(sl_reflux_mean(r, u, back, n, v), rho);
        for (int i = 0; i < n; i++)
            u[(ptrdiff_t)((size_t)v * r->stride) + i * back] = f * u[i * back];
    }
}

/* A cell whose fractions are not from 0 to 1 shares its scalars with as few as will do of those
 * behind it, whose fractions are; none: nothing is changed. */
SL_FN void sl_reflux_mix(const struct sl_reflux *r, ptrdiff_t back, int most, sl_real *u)
{
    if (sl_reflux_is_bad(r, u) || sl_reflux_is_mixture(r, u)) return;
    for (int n = 2; n <= most; n++) {
        if (!sl_reflux_is_mixture(r, u + (n - 1) * back)) return;
        if (!sl_reflux_will_stir(r, u, back, n)) continue;
        sl_reflux_stir(r, back, n, u);
        return;
    }
}

/* A cell without density or pressure gets those of the floors, and the thermal energy not lost
 * beside the others; one without density is at rest and has the fractions of that behind it. */
SL_FN void sl_reflux_raise(const struct sl_reflux *r, ptrdiff_t back, sl_real *u)
{
    const struct sl_layout *l = &r->layout;
    if (!(u[SL_RHO] > 0)) {
        sl_real rho = sl_max(r->gas.rho_floor, sl_tiny());
        sl_real share = u[back] > 0 ? sl_div(rho, u[back]) : 0;
        for (int v = 1; v < l->nflow; v++) {
            sl_real *at = u + (size_t)v * r->stride;
            if (v >= l->scalar0 && v < l->scalar0 + l->nscalar)
                *at = share * at[back];
            else if (v != l->energy && sl_reflux_is_shared(r, v))
                *at = 0;
        }
        u[SL_RHO] = rho;
    }
    sl_repair_heat(&r->gas, l, 0, u, r->stride);
}

enum sl_reflux_result {
    SL_REFLUX_GOOD,
    SL_REFLUX_BAD, /* without density or pressure, or no mixture: to be mended */
    SL_REFLUX_LEFT /* as it was: the correction is no number */
};

/* Corrects a cell. */
SL_FN enum sl_reflux_result sl_reflux_cell(const struct sl_reflux *r,
                                           const struct sl_reflux_face face[3], sl_real *u)
{
    sl_real rho = u[SL_RHO] - sl_reflux_loss(r, face, SL_RHO);
    if (!(sl_abs(rho) < (sl_real)HUGE_VAL)) return SL_REFLUX_LEFT;
    int agreed = r->layout.entropy >= 0 && sl_dual_agrees(&r->gas, &r->layout, u, r->stride);
    u[SL_RHO] = rho;
    for (int v = 1; v < r->layout.nflow; v++)
        if (sl_reflux_flows(r, v)) u[(size_t)v * r->stride] -= sl_reflux_loss(r, face, v);
    for (int d = 0; d < r->dim && r->layout.face >= 0; d++)
        u[(size_t)(r->layout.magnetic + d) * r->stride] =
            sl_centre_of(&r->layout, r->stride, r->step[d], d, u);
    if (r->layout.entropy >= 0 && rho > 0)
        sl_dual_follow(&r->gas, &r->layout, r->dual_eta, agreed, u, r->stride);
    return sl_reflux_is_bad(r, u) || !sl_reflux_is_mixture(r, u) ? SL_REFLUX_BAD : SL_REFLUX_GOOD;
}

#endif
