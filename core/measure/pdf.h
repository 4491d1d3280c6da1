/* pdf.h - distribution of s = ln(rho / mean rho), by volume and by mass.
 *
 * Bins of 0.1 over -12 <= s < 12. The log-normal fit is by moments: mean and variance of s by
 * volume. Use the fit to compare widths; it is a poor description of the tails of compressively
 * driven gas.
 *
 * Shapes  rho [nz][n1][n0], the own planes of a slab
 * Units   densities per unit of s
 * Errors  SL_EINPUT for a density that is not positive; SL_EMEM
 * Owns    nothing
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    Vazquez-Semadeni 1994; Federrath et al. 2008
 * Tests   tests/unit/pdf.c
 */
#ifndef SL_MEASURE_PDF_H
#define SL_MEASURE_PDF_H

#include "core/grid/slab.h"

#define SL_PDF_FIRST (-12.0)
#define SL_PDF_WIDTH 0.1
enum { SL_PDF_BINS = 240 };

struct sl_pdf {
    double mean;            /* of rho */
    double s_mean, s_sigma; /* by volume */
    double s_mean_mass, s_sigma_mass;
    double volume[SL_PDF_BINS]; /* density per unit of s; sums to 1 / width less `outside` */
    double mass[SL_PDF_BINS];
    double lognormal[SL_PDF_BINS]; /* of s_mean and s_sigma, at the middle of the bin */
    double hopkins_t;              /* of the fit by volume with s_sigma, core/measure/hopkins.h */
    double hopkins[SL_PDF_BINS];   /* of it, at the middle of the bin */
    double outside;                /* share of the volume beyond the bins */
};

int sl_pdf_make(const struct sl_slab *slab, const double *rho, struct sl_pdf *out);

#endif
