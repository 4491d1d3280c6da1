/* mass_rows.h - keeps the mass that crosses the faces of rows of cells in a stage
 * (core/cell/mass_flux.h), if that is wanted.
 *
 * Shapes  rows of a block as in core/sweep/buffers.h
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law/self_gravity.c
 */
#ifndef SL_SWEEP_MASS_ROWS_H
#define SL_SWEEP_MASS_ROWS_H

#include "core/cell/mass_flux.h"
#include "core/sweep/buffers.h"
#include "core/sweep/lanes.h"
#include "core/sweep/sweep.h"

/* Of n faces next to each other from place `at` on. */
static inline void sl_mass_row(const struct sl_stage *stage, size_t at, int n, const sl_real *flux)
{
    sl_real b = stage->b, dt = (sl_real)stage->dt, *to = stage->mass + at;
    const sl_real *before = stage->mass_before ? stage->mass_before + at : NULL;
    SL_SIMD
    for (int i = 0; i < n; i++)
        to[i] = sl_mass_flux_put(b, dt, before ? before[i] : 0, flux[i]);
}

/* Of rows of whole cells along x: `rows` of them from row j of plane k of the block on. */
static inline void sl_mass_rows(const struct sl_extent *e, const struct sl_stage *stage,
                                const struct sl_fluxes *f, int rows, int k, int j)
{
    for (int d = 0; d < f->dim && stage->mass; d++)
        for (int r = 0; r < rows; r++) {
            const sl_real *low = f->lower[d].at + r * f->lower[d].row;
            const sl_real *high = f->upper[d].at + r * f->upper[d].row;
            size_t at = sl_mass_flux_at(e->dim, e->n, 0, d, k, j + r, 0);
            sl_mass_row(stage, at, e->n[0], low);
            if (d == 0) sl_mass_row(stage, at + (size_t)e->n[0], 1, high + e->n[0] - 1);
            if (d == 1 && j + r == e->n[1] - 1)
                sl_mass_row(stage, sl_mass_flux_at(e->dim, e->n, 0, 1, k, e->n[1], 0), e->n[0],
                            high);
            if (d == 2 && k == e->n[2] - 1)
                sl_mass_row(stage, sl_mass_flux_at(e->dim, e->n, 0, 2, e->n[2], j + r, 0), e->n[0],
                            high);
        }
}

#endif
