/* remap.c - tests core/ic/remap.h: waves moved by uniform and by varying shifts against the formula, also across the
 * ends of slabs and of the box. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "core/ic/remap.h"
#include "core/sys/status.h"

#define TWO_PI 6.28318530717958647693

static const int cells[3] = {16, 12, 20}, same[3] = {16, 12, 20}, finer[3] = {24, 20, 30};

static double wave(const int n[3], double x, double y, double z)
{
    return sin(TWO_PI * (n[0] * x / cells[0] + n[1] * y / cells[1] + n[2] * z / cells[2]) + 0.7);
}

/* Shift along axis d of cell (i, j, k): up to `size` cells. */
static double shift(int d, double size, int i, int j, int k)
{
    return size *
           cos(TWO_PI * ((double)i / cells[0] - (double)j / cells[1] + 2. * k / cells[2]) + d);
}

/* Coefficients of the wave on the own planes of the grid. */
static void fill(const struct sl_remap *r, const int n[3])
{
    const struct sl_slab *g = &r->grid;
    double factor = 1, *plane = malloc((size_t)g->n[0] * (size_t)g->n[1] * sizeof *plane);
    for (int d = 0; d < 3; d++)
        factor *= sl_remap_filter(n[d], g->n[d]);
    for (int k = 0; k < g->nz; k++) {
        for (int j = 0; j < g->n[1]; j++)
            for (int i = 0; i < g->n[0]; i++)
                plane[j * g->n[0] + i] =
                    wave(n, (double)i * cells[0] / g->n[0], (double)j * cells[1] / g->n[1],
                         (double)(g->z0 + k) * cells[2] / g->n[2]) /
                    factor;
        sl_remap_put(r, k, plane);
    }
    free(plane);
}

/* Largest error; with shifts of `size` cells. */
static double error_of(const int grid[3], const int n[3], double size)
{
    const double length[3] = {1, 1, 1};
    struct sl_slab slab, fine;
    struct sl_remap r;
    sl_slab_init(MPI_COMM_WORLD, 3, cells, length, &slab);
    sl_slab_init(MPI_COMM_WORLD, 3, grid, length, &fine);
    assert_int_equal(sl_remap_init(&slab, &fine, &r), SL_OK);
    double *v = malloc((sl_slab_cells(&slab) + 1) * sizeof *v), worst = 0, all;
    size_t at = 0;
    for (int k = slab.z0; k < slab.z0 + slab.nz; k++)
        for (int j = 0; j < cells[1]; j++)
            for (int i = 0; i < cells[0]; i++, at++)
                for (int d = 0; d < 3; d++)
                    r.shift[d][at] = shift(d, size, i, j, k);
    assert_int_equal(sl_remap_ready(&r), SL_OK);
    fill(&r, n);
    assert_int_equal(sl_remap_apply(&r, v), SL_OK);
    at = 0;
    for (int k = slab.z0; k < slab.z0 + slab.nz; k++)
        for (int j = 0; j < cells[1]; j++)
            for (int i = 0; i < cells[0]; i++, at++)
                worst = fmax(worst, fabs(v[at] - wave(n, i + 0.5 - shift(0, size, i, j, k),
                                                      j + 0.5 - shift(1, size, i, j, k),
                                                      k + 0.5 - shift(2, size, i, j, k))));
    MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    sl_remap_release(&r);
    free(v);
    return all;
}

static void test_waves(void **state)
{
    (void)state;
    const int zero[3] = {0, 0, 0}, slow[3] = {1, 0, 1}, along[3] = {4, 0, 0}, half[3] = {4, -3, 5};
    for (double size = 0; size < 60; size = 2.7 * size + 0.3) {
        assert_true(error_of(same, zero, size) < 1e-14);
        assert_true(error_of(same, slow, size) < 4e-7);
        assert_true(error_of(same, along, size) < 3e-3); /* half the Nyquist frequency */
        assert_true(error_of(same, half, size) < 1e-2);
        assert_true(error_of(finer, slow, size) < 4e-8);
        assert_true(error_of(finer, along, size) < 2e-4);
        assert_true(error_of(finer, half, size) < 6e-4);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_waves)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
