/* points.h - points of a cell over which problems take the mean of what has no mean in closed form.
 *
 * Shapes  a cell is lo .. hi along three axes
 * Units   any
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/problem, pipeline/suite/suite.def (collapse, polytrope)
 */
#ifndef SL_EXACT_POINTS_H
#define SL_EXACT_POINTS_H

/* Point number q of the n^3 that lie evenly in a cell. */
static inline void sl_cell_point(int n, int q, const double lo[3], const double hi[3], double x[3])
{
    const int at[3] = {q % n, q / n % n, q / (n * n)};
    for (int d = 0; d < 3; d++)
        x[d] = lo[d] + (at[d] + 0.5) / n * (hi[d] - lo[d]);
}

#endif
