/* totals.h - what the history tells of a cell: terms of integrals over the box, and extremes.
 *
 * The sums of a block are made along y first, then along x, then along z, each with what rounding
 * takes from it: one order for all who make them.
 *
 * Shapes  one cell; its variables lie stride apart
 * Units   code units, of a cell of unit volume
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Neumaier 1974 (sums)
 * Tests   tests/unit/history.c, tests/gpu/same.c
 */
#ifndef SL_CELL_TOTALS_H
#define SL_CELL_TOTALS_H

#include "core/cell/eos.h"

enum {
    SL_TOTAL_MASS,
    SL_TOTAL_MX,
    SL_TOTAL_MY,
    SL_TOTAL_MZ,
    SL_TOTAL_KINETIC,
    SL_TOTAL_ENERGY,
    SL_TOTAL_MACH2,
    SL_TOTAL_SPEED2,
    SL_TOTAL_SCALARS,      /* of all of them together */
    SL_TOTAL_SCALARS_SIZE, /* of their absolute values */
    SL_TOTAL_GAS,          /* the rest is of a magnetic field */
    SL_TOTAL_MAGNETIC = SL_TOTAL_GAS,
    SL_TOTAL_BX,
    SL_TOTAL_BY,
    SL_TOTAL_BZ,
    SL_TOTAL_DIV,
    SL_TOTALS
};

/* All are minima: maxima have their sign changed. */
enum {
    SL_LEAST_RHO,
    SL_LEAST_MINUS_RHO,
    SL_LEAST_P,
    SL_LEAST_MINUS_P,
    SL_LEAST_MINUS_DIV,
    SL_LEAST_MINUS_PSI,
    SL_LEASTS
};

/* A sum with what rounding took from it: many small values beside few large ones, as around a
 * blast, would else lose the same part of themselves each time. */
struct sl_total {
    double sum, lost;
};

SL_FN void sl_total_add(struct sl_total *s, double x)
{
    double t = s->sum + x;
    s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
    s->sum = t;
}

SL_FN double sl_total_of(struct sl_total s)
{
    return s.sum + s.lost;
}

/* What the terms of a cell need besides its values. step: distance of neighbours along the axes;
 * dx: lengths of a cell. */
struct sl_totals_of {
    struct sl_gas gas;
    struct sl_layout layout;
    int dim;
    ptrdiff_t step[3];
    double dx[3];
};

/* The divergence of the field in a cell: from its faces where the field lives there, else from its
 * neighbours. */
SL_FN double sl_totals_divergence(const struct sl_totals_of *a, const sl_real *u, size_t stride)
{
    int faces = a->layout.face >= 0, first = faces ? a->layout.face : a->layout.magnetic;
    double sum = 0;
    for (int d = 0; d < a->dim; d++) {
        const sl_real *b = u + (size_t)(first + d) * stride;
        if (faces)
            sum += (double)(b[a->step[d]] - b[0]) / a->dx[d];
        else
            sum += (double)(b[a->step[d]] - b[-a->step[d]]) / (2 * a->dx[d]);
    }
    return sum;
}

SL_FN void sl_totals_gas(const struct sl_totals_of *a, const sl_real *u, size_t stride,
                         struct sl_total s[SL_TOTALS], double least[SL_LEASTS])
{
    struct sl_prim w = sl_cell_prim(&a->gas, &a->layout, u, stride);
    double rho = (double)w.rho, p = (double)w.p;
    double x = (double)w.u, y = (double)w.v, z = (double)w.w, v2 = x * x + y * y + z * z;
    double cs = (double)sl_sound_speed(&a->gas, w.rho, w.p), kinetic = 0.5 * rho * v2;
    double energy = a->layout.energy < 0
                        ? kinetic + (double)sl_magnetic_energy(&a->layout, u, stride)
                        : (double)u[(size_t)a->layout.energy * stride];
    sl_total_add(s + SL_TOTAL_MASS, rho);
    sl_total_add(s + SL_TOTAL_MX, (double)u[SL_MX * stride]);
    sl_total_add(s + SL_TOTAL_MY, (double)u[SL_MY * stride]);
    sl_total_add(s + SL_TOTAL_MZ, (double)u[SL_MZ * stride]);
    sl_total_add(s + SL_TOTAL_KINETIC, kinetic);
    sl_total_add(s + SL_TOTAL_ENERGY, energy);
    sl_total_add(s + SL_TOTAL_MACH2, v2 / (cs * cs));
    sl_total_add(s + SL_TOTAL_SPEED2, v2);
    least[SL_LEAST_RHO] = fmin(least[SL_LEAST_RHO], rho);
    least[SL_LEAST_MINUS_RHO] = fmin(least[SL_LEAST_MINUS_RHO], -rho);
    least[SL_LEAST_P] = fmin(least[SL_LEAST_P], p);
    least[SL_LEAST_MINUS_P] = fmin(least[SL_LEAST_MINUS_P], -p);
}

SL_FN void sl_totals_scalars(const struct sl_totals_of *a, const sl_real *u, size_t stride,
                             struct sl_total s[SL_TOTALS])
{
    for (int i = 0; i < a->layout.nscalar; i++) {
        double x = (double)u[(size_t)(a->layout.scalar0 + i) * stride];
        sl_total_add(s + SL_TOTAL_SCALARS, x);
        sl_total_add(s + SL_TOTAL_SCALARS_SIZE, fabs(x));
    }
}

SL_FN void sl_totals_field(const struct sl_totals_of *a, const sl_real *u, size_t stride,
                           struct sl_total s[SL_TOTALS], double least[SL_LEASTS])
{
    const sl_real *field = u + (size_t)a->layout.magnetic * stride;
    double div = fabs(sl_totals_divergence(a, u, stride));
    sl_total_add(s + SL_TOTAL_MAGNETIC, (double)sl_magnetic_energy(&a->layout, u, stride));
    for (int d = 0; d < 3; d++)
        sl_total_add(s + SL_TOTAL_BX + d, (double)field[(size_t)d * stride]);
    sl_total_add(s + SL_TOTAL_DIV, div);
    least[SL_LEAST_MINUS_DIV] = fmin(least[SL_LEAST_MINUS_DIV], -div);
    if (a->layout.face < 0)
        least[SL_LEAST_MINUS_PSI] =
            fmin(least[SL_LEAST_MINUS_PSI], -fabs((double)field[3 * stride]));
}

/* Adds the cell at u; ghost cells around it are there where it has a field. */
SL_FN void sl_totals_cell(const struct sl_totals_of *a, const sl_real *u, size_t stride,
                          struct sl_total s[SL_TOTALS], double least[SL_LEASTS])
{
    sl_totals_gas(a, u, stride, s, least);
    sl_totals_scalars(a, u, stride, s);
    if (a->layout.magnetic >= 0) sl_totals_field(a, u, stride, s, least);
}

#endif
