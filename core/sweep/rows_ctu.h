/* rows_ctu.h - the loops of corner transport upwind over rows of cells: the functions of
 * core/cell/predict.h with lanes along x, for a gas and, with constrained transport, for a gas with
 * a magnetic field.
 *
 * Shapes  as in rows.h; rows of the field at faces: n values
 * Units   code units
 * Errors  none
 * Owns    nothing: views and rows are borrowed
 * MPI     local
 * Where   host
 * Refs    see core/cell/predict.h
 * Tests   tests/law/ctu.c
 */
#ifndef SL_SWEEP_ROWS_CTU_H
#define SL_SWEEP_ROWS_CTU_H

#include "core/sweep/rows.h"

/* Moves the values at the lower and upper faces of a row of cells by half a step: `half` is dt / 2
 * dx, `across` the field at the lower faces of the cells, that at the upper ones lies `next`
 * further (NULL without field). */
void sl_rows_ctu_predict(const struct sl_scheme *s, int n, int axis, sl_real half,
                         const sl_real *across, ptrdiff_t next, struct sl_view q,
                         struct sl_view minus, struct sl_view plus);

/* Corrects the values at faces along `axis` of a row of cells by the fluxes at the faces of the
 * cells along the other axis of the plane. half: dt / 2 dx along both, in the order of axes. */
struct sl_ctu_row {
    int axis;
    sl_real half[2];
    struct sl_view q;            /* cells */
    struct sl_view lower, upper; /* fluxes along the other axis */
    /* field at the lower faces along `axis` of the cells; the upper are `next` further */
    const sl_real *across;
    ptrdiff_t next;
    const sl_real *old,
        *half_way; /* field across the faces that are corrected, now and after half a step */
};
void sl_rows_ctu_correct(const struct sl_scheme *s, int n, const struct sl_ctu_row *with,
                         struct sl_view w);

/* Density after half a step, from u and the fluxes of the step. */
void sl_rows_ctu_density(struct sl_shape shape, const struct sl_fluxes *f, struct sl_view u,
                         struct sl_view rho);

/* E_z in a row of cells after half a step: from the conserved variables u, the fluxes, what an
 * acceleration gives to the velocities in that time, and the field at x and y faces after it (in y
 * the upper faces are `row` further). */
struct sl_ctu_cells {
    sl_real half[2], kick[2];
    struct sl_view u, xlow, xhigh, ylow, yhigh;
    const sl_real *bx, *by;
    ptrdiff_t row;
};
void sl_rows_ctu_electric(int n, const struct sl_ctu_cells *from, sl_real *restrict e);

#endif
