/* spline.h - a natural cubic spline through points, for tables of functions of the wave number.
 *
 * Shapes  n >= 2 points, x increasing
 * Units   the caller's
 * Errors  SL_EMEM
 * Owns    its copies of the points
 * MPI     local
 * Where   host
 * Refs    de Boor 1978, chapter IV
 * Tests   tests/unit/transfer.c
 */
#ifndef SL_COSMO_SPLINE_H
#define SL_COSMO_SPLINE_H

struct sl_spline {
    int n;
    double *x, *y, *bend; /* owned; bend: second derivatives */
};

int sl_spline_init(int n, const double *x, const double *y, struct sl_spline *out);
void sl_spline_release(struct sl_spline *s);
/* Beyond the ends: straight on with the slope of the end. */
double sl_spline_at(const struct sl_spline *s, double x);

#endif
