/* sensitivity.h - how much of the variance of a result one parameter of a sample explains.
 *
 * The first-order index of Sobol', Var(E[y | x]) / Var(y), from the points of any design: what a
 * polynomial of up to the sixth degree in the rank of x explains of the variance of y, less what it
 * would explain by chance. Its error holds that of a jackknife over ten parts of the points and the
 * whole of what was taken off for chance, as points of a design have less of it.
 *
 * Shapes  x[n], y[n], one entry for each point
 * Units   none
 * Errors  index and error are NAN below SL_SENSITIVITY_LEAST points, of an x or y that is
 *         everywhere the same, and without memory
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    Sobol' 1993; Sudret 2008 (from polynomials)
 * Tests   tests/unit/sensitivity.c
 */
#ifndef SL_PIPELINE_REPORT_SENSITIVITY_H
#define SL_PIPELINE_REPORT_SENSITIVITY_H

enum { SL_SENSITIVITY_LEAST = 20 };

void sl_sensitivity(const double *x, const double *y, int n, double *index, double *error);

#endif
