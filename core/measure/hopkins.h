/* hopkins.h - the density distribution of intermittent turbulence: that of a multiplicative cascade
 * with rare, strong events.
 *
 * p(s) = sqrt(l / u) I_1(2 sqrt(l u)) exp(-(l + u)) / T for u >= 0, with u = l / (1 + T) - s / T, l
 * = S / (2 T^2), s = ln(rho / mean): a log-normal of variance S as T -> 0, skewed to low densities
 * otherwise, with <rho> = mean for any T. Cells that no event has met, exp(-l) of the volume, stand
 * at u = 0; they are not in p. Use it where the width by mass is less than that by volume, S_mass =
 * S / (1 + T)^3; of strongly magnetised or self-gravitating gas it says little.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Hopkins 2013, MNRAS 430, 1880; Abramowitz & Stegun 9.8.3, 9.8.4 (I_1)
 * Tests   tests/unit/pdf.c
 */
#ifndef SL_MEASURE_HOPKINS_H
#define SL_MEASURE_HOPKINS_H

/* p(s) of variance S > 0; t 0: the log-normal with <rho> = mean. */
double sl_hopkins_pdf(double s, double variance, double t);

/* The T, 0 to 10, that makes the shares of n bins with middles s most likely, the variance being
 * given; 0 where a log-normal is as good. */
double sl_hopkins_fit(int n, const double *s, const double *share, double variance);

#endif
