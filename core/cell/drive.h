/* drive.h - what a random force does to one cell: the force as a short sum of waves, and the push
 * that it gives. The tables of waves and their coefficients are made by core/drive.
 *
 * A force is a sum over few wave vectors, a(x) = sum of re cos(k x) - im sin(k x) along x, with
 * coefficients that a row of cells has in common. Cells add the waves in the order of the table, so
 * that a loop over rows and a kernel with a thread per cell give the same bits.
 *
 * Shapes  cosine and sine: [wave][cells of the whole axis]
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/law/drive.c
 */
#ifndef SL_CELL_DRIVE_H
#define SL_CELL_DRIVE_H

#include "core/cell/fn.h"

/* What is summed over the cells of the box, in double precision: rho, rho a, m, m.a, rho a^2. */
enum {
    SL_DRIVE_MASS,
    SL_DRIVE_FORCE,
    SL_DRIVE_MOMENTUM = SL_DRIVE_FORCE + 3,
    SL_DRIVE_WORK = SL_DRIVE_MOMENTUM + 3,
    SL_DRIVE_SQUARE,
    SL_DRIVE_SUMS
};

SL_FN void sl_drive_terms(double rho, const double m[3], const double a[3],
                          double term[SL_DRIVE_SUMS])
{
    double work = 0, square = 0;
    term[SL_DRIVE_MASS] = rho;
    for (int d = 0; d < 3; d++) {
        term[SL_DRIVE_FORCE + d] = rho * a[d];
        term[SL_DRIVE_MOMENTUM + d] = m[d];
        work += m[d] * a[d];
        square += a[d] * a[d];
    }
    term[SL_DRIVE_WORK] = work;
    term[SL_DRIVE_SQUARE] = rho * square;
}

/* One wave more. */
SL_FN sl_real sl_drive_add(sl_real sum, sl_real re, sl_real im, sl_real cosine, sl_real sine)
{
    return sum + (re * cosine - im * sine);
}

/* Energy that a change of velocity dv brings to one component of the momentum m; exact, so that the
 * heat of the gas stays. */
SL_FN sl_real sl_drive_work(sl_real rho, sl_real m, sl_real dv)
{
    return dv * (m + (sl_real)0.5 * rho * dv);
}

#endif
