/* interlace.c - tests sl_spectrum_interlace with particles on a lattice that is not the grid's: the
 * images of its waves on the grid are known one by one, and so is what is left of them. ranks: 1 2
 * 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "core/measure/deposit.h"
#include "core/measure/spectrum.h"
#include "core/sys/status.h"

enum { MOST_CELLS = 10, WAVES = 20000 };
static const int cells[3] = {8, 6, 10}, points[3] = {10, 9, 12};
static const double offset[3] = {0.031, 0.007, 0.052};

/* Along one axis: the density of points on the grid, and that of the same deposited half a cell on
 * and shifted back, made of waves: wave m of a lattice of p points has p m turns and goes t =
 * round(p m / n) times around the grid. At the centres of cells the first has the sign of (-1)^t,
 * the second not, so odd t cancel; it has nothing at the Nyquist frequency. */
static void axis(int order, int d, double *plain, double *back)
{
    double complex first[MOST_CELLS] = {0}, second[MOST_CELLS] = {0};
    int n = cells[d];
    for (long m = -WAVES; m <= WAVES; m++) {
        long turns = points[d] * m, at = ((turns % n) + n) % n;
        double x = acos(-1) * (double)turns / n, window = m == 0 ? 1 : pow(sin(x) / x, order);
        double complex wave = window * cexp(-2 * I * acos(-1) * (double)turns * offset[d]);
        long around = (turns - (2 * at > n ? at - n : at)) / n;
        first[at] += wave * cexp(2 * I * acos(-1) * (double)turns * 0.5 / n);
        second[at] += wave * cexp(2 * I * acos(-1) * (double)(turns - around * n) * 0.5 / n);
    }
    second[n / 2] = 0;
    for (int j = 0; j < n; j++) {
        plain[j] = back[j] = 0;
        for (int k = 0; k < n; k++) {
            plain[j] += creal(first[k] * cexp(2 * I * acos(-1) * k * j / n));
            back[j] += creal(second[k] * cexp(2 * I * acos(-1) * k * j / n));
        }
    }
}

/* The points of this rank, moved by so many cells. */
static size_t place(const struct sl_slab *s, double moved, double *x[3])
{
    size_t n = 0;
    for (int d = 0; d < 3; d++)
        x[d] = malloc((size_t)(points[0] * points[1] * points[2]) * sizeof(double));
    for (int i = s->rank; i < points[0] * points[1] * points[2]; i += s->size, n++) {
        int at[3] = {i % points[0], i / points[0] % points[1], i / (points[0] * points[1])};
        for (int d = 0; d < 3; d++)
            x[d][n] = (double)at[d] / points[d] + offset[d] + moved / cells[d];
    }
    return n;
}

static double *contrast_of(const struct sl_slab *s, int order, double moved)
{
    double *x[3], total, *contrast = malloc((sl_slab_cells(s) + 1) * sizeof *contrast);
    size_t n = place(s, moved, x);
    assert_int_equal(sl_deposit_make(s, order, n, (const double *const *)x, contrast, &total),
                     SL_OK);
    for (int d = 0; d < 3; d++)
        free(x[d]);
    return contrast;
}

static void check_order(const struct sl_slab *s, int order, double tolerance)
{
    double plain[3][MOST_CELLS], back[3][MOST_CELLS], *f = contrast_of(s, order, 0),
                                                      *moved = contrast_of(s, order, 0.5);
    for (int d = 0; d < 3; d++)
        axis(order, d, plain[d], back[d]);
    for (int half = 0; half < 2; half++) { /* as it was deposited, then interlaced */
        if (half) assert_int_equal(sl_spectrum_interlace(s, f, moved), SL_OK);
        for (int i = 0; i < (int)sl_slab_cells(s); i++) {
            int x = i % cells[0], y = i / cells[0] % cells[1],
                z = i / (cells[0] * cells[1]) + s->z0;
            double first = plain[0][x] * plain[1][y] * plain[2][z],
                   second = back[0][x] * back[1][y] * back[2][z];
            double want = half ? 0.5 * (first + second) : first;
            assert_true(fabs(f[i] + 1 - want) < tolerance);
        }
    }
    free(f);
    free(moved);
}

static void test_lattice(void **state)
{
    static const double tolerance[] = {0, 0, 1e-4, 1e-8, 1e-10}; /* waves that are left out */
    const double length[3] = {1, 1, 1};
    struct sl_slab s;
    (void)state;
    sl_slab_init(MPI_COMM_WORLD, 3, cells, length, &s);
    for (int order = 2; order <= 4; order++)
        check_order(&s, order, tolerance[order]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lattice)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
