/* remap.c - tests core/ic/remap.h: waves and their derivatives moved by uniform and by varying
 * shifts against the formula, also across the ends of slabs and of the box; points at rest; where
 * points came from. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ic/remap.h"
#include "core/sys/status.h"
#include "tests/unit/modes.h"

#define TWO_PI 6.28318530717958647693

static const int cells[3] = {16, 12, 20}, same[3] = {16, 12, 20}, finer[3] = {24, 20, 30};

static double angle(const int n[3], const double x[3])
{
    return TWO_PI * (n[0] * x[0] / cells[0] + n[1] * x[1] / cells[1] + n[2] * x[2] / cells[2]) +
           0.7;
}

/* Shift along axis d of cell (i, j, k): up to `size` cells. */
static double shift(int d, double size, const int i[3])
{
    return size *
           cos(TWO_PI * ((double)i[0] / cells[0] - (double)i[1] / cells[1] + 2. * i[2] / cells[2]) +
               d);
}

struct box {
    struct sl_slab slab;
    struct sl_band band;
    struct sl_remap remap;
    fftw_complex *rows, *planes;
};

static void open_points(struct box *b, const int points[3], const int grid[3], double reach)
{
    const double length[3] = {1, 1, 1};
    sl_slab_init(MPI_COMM_WORLD, 3, points, length, &b->slab);
    assert_int_equal(sl_band_init(MPI_COMM_WORLD, points, grid, &b->band), SL_OK);
    assert_int_equal(sl_remap_init(&b->slab, &b->band, reach, &b->remap), SL_OK);
    b->rows = fftw_alloc_complex(sl_band_rows(&b->band));
    b->planes = fftw_alloc_complex(sl_band_planes(&b->band));
}

static void open_box(struct box *b, const int grid[3], double reach)
{
    open_points(b, cells, grid, reach);
}

static void close_box(struct box *b)
{
    sl_remap_release(&b->remap);
    sl_band_release(&b->band);
    fftw_free(b->rows);
    fftw_free(b->planes);
}

/* Coefficients of sin(angle). */
static void fill(struct box *b, const int n[3])
{
    double factor = 2;
    for (int d = 0; d < 3; d++)
        factor *= sl_remap_filter(n[d], b->band.cells[d]);
    double complex v = (sin(0.7) - I * cos(0.7)) / factor;
    memset(b->rows, 0, sl_band_rows(&b->band) * sizeof *b->rows);
    modes_put(&b->band, b->rows, n, n[0] || n[1] || n[2] ? v : 2 * creal(v));
    assert_int_equal(modes_to_planes(&b->band, b->rows, b->planes), SL_OK);
}

static void set_shifts(struct box *b, double size)
{
    size_t at = 0;
    int i[3];
    for (i[2] = b->slab.z0; i[2] < b->slab.z0 + b->slab.nz; i[2]++)
        for (i[1] = 0; i[1] < cells[1]; i[1]++)
            for (i[0] = 0; i[0] < cells[0]; i[0]++, at++)
                for (int d = 0; d < 3; d++)
                    b->remap.shift[d][at] = (float)shift(d, size, i);
}

/* Largest error of the wave and of its derivatives along x and y. */
static double worst_of(const struct box *b, const int n[3], double size, double *const v[3])
{
    double worst = 0;
    size_t at = 0;
    int i[3];
    for (i[2] = b->slab.z0; i[2] < b->slab.z0 + b->slab.nz; i[2]++)
        for (i[1] = 0; i[1] < cells[1]; i[1]++)
            for (i[0] = 0; i[0] < cells[0]; i[0]++, at++) {
                double x[3];
                for (int d = 0; d < 3; d++)
                    x[d] = i[d] + 0.5 - (float)shift(d, size, i);
                double a = angle(n, x);
                worst = fmax(worst, fabs(v[0][at] - sin(a)));
                worst = fmax(worst, fabs(v[1][at] / fmax(1, abs(n[0])) - (n[0] ? cos(a) : 0)));
                worst = fmax(worst, fabs(v[2][at] - n[1] * cos(a)) / fmax(1, abs(n[1])));
            }
    return worst;
}

/* Largest error; with shifts of `size` cells. */
static double error_of(const int grid[3], const int n[3], double size)
{
    struct box b;
    open_box(&b, grid, size);
    double *v[3], worst, all;
    for (int d = 0; d < 3; d++)
        v[d] = malloc((sl_slab_cells(&b.slab) + 1) * sizeof *v[d]);
    const struct sl_remap_fields fields = {
        1, 3, {b.planes}, {{0, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}}};
    set_shifts(&b, size);
    fill(&b, n);
    assert_int_equal(sl_remap_apply(&b.remap, &fields, v), SL_OK);
    worst = worst_of(&b, n, size, v);
    MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int d = 0; d < 3; d++)
        free(v[d]);
    close_box(&b);
    return all;
}

static void test_waves(void **state)
{
    (void)state;
    const int zero[3] = {0, 0, 0}, slow[3] = {1, 0, 1}, along[3] = {4, 0, 0}, half[3] = {4, -3, 5};
    for (double size = 0; size < 60; size = 2.7 * size + 0.3) {
        assert_true(error_of(same, zero, size) < 4e-7); /* round-off of single precision */
        assert_true(error_of(same, slow, size) < 7e-7);
        assert_true(error_of(same, along, size) < 3e-3); /* half the Nyquist frequency */
        assert_true(error_of(same, half, size) < 1e-2);
        assert_true(error_of(finer, slow, size) < 5e-7);
        assert_true(error_of(finer, along, size) < 2e-4);
        assert_true(error_of(finer, half, size) < 6e-4);
    }
}

/* The wave and its derivatives at all points, shifted alike along x. */
static void values_at(struct box *b, float along_x, double *const v[3])
{
    const struct sl_remap_fields fields = {
        1, 3, {b->planes}, {{0, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}}};
    for (size_t i = 0; i < sl_slab_cells(&b->slab); i++)
        for (int d = 0; d < 3; d++)
            b->remap.shift[d][i] = d == 0 ? along_x : 0;
    assert_int_equal(sl_remap_apply(&b->remap, &fields, v), SL_OK);
}

/* Points at rest have the bits of points that were shifted to there, in lines of several chunks,
 * the last not whole. */
static void test_rest(void **state)
{
    (void)state;
    const int points[3] = {80, 6, 8}, grid[3] = {120, 10, 12}, n[3] = {5, -1, 2};
    double *v[2][3];
    struct box b;
    open_points(&b, points, grid, 1);
    size_t size = sl_slab_cells(&b.slab);
    fill(&b, n);
    for (int moved = 0; moved < 2; moved++) {
        for (int d = 0; d < 3; d++)
            v[moved][d] = malloc((size + 1) * sizeof(double));
        values_at(&b, (float)moved, v[moved]);
    }
    for (int d = 0; d < 3; d++) {
        for (size_t i = 0; i < size; i++)
            if (i % 80 > 0) assert_true(v[1][d][i] == v[0][d][i - 1]);
        free(v[0][d]);
        free(v[1][d]);
    }
    close_box(&b);
}

/* psi of a wave along all axes, of `size` cells: |x - q - psi(q)| is of the third order in its
 * slope. */
static double missed(double size)
{
    const int n[3] = {1, -1, 2};
    struct box b;
    open_box(&b, finer, 2 * size);
    fill(&b, n);
    const struct sl_remap_fields psi = {
        1, 3, {b.planes}, {{0, 0, 0, size}, {0, 1, 0, size}, {0, 0, 1, -size}}};
    assert_int_equal(sl_remap_follow(&b.remap, &psi), SL_OK);
    double worst = 0, all;
    size_t at = 0;
    for (int k = b.slab.z0; k < b.slab.z0 + b.slab.nz; k++)
        for (int j = 0; j < cells[1]; j++)
            for (int i = 0; i < cells[0]; i++, at++) {
                float *const *s = b.remap.shift;
                const double q[3] = {i + 0.5 - s[0][at], j + 0.5 - s[1][at], k + 0.5 - s[2][at]};
                double a = angle(n, q);
                const double want[3] = {size * sin(a), size * cos(a), size * cos(a)};
                for (int d = 0; d < 3; d++)
                    worst = fmax(worst, fabs(s[d][at] - want[d]));
            }
    MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    close_box(&b);
    return all;
}

/* A shift beyond the reach is reported on all ranks. */
static void test_reach(void **state)
{
    (void)state;
    const int n[3] = {0, 0, 2};
    struct box b;
    open_box(&b, finer, 0.4);
    fill(&b, n);
    struct sl_remap_fields psi = {1, 3, {b.planes}, {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0.39}}};
    assert_int_equal(sl_remap_follow(&b.remap, &psi), SL_OK);
    psi.part[2].factor = 40;
    assert_int_equal(sl_remap_follow(&b.remap, &psi), SL_EGUARD);
    close_box(&b);
}

static void test_follow(void **state)
{
    (void)state;
    double large = missed(0.4), small = missed(0.2);
    assert_true(large < 0.4 * 0.05 && small > 1e-6);
    assert_true(fabs(large / small - 16) < 3); /* size * slope^3 */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_waves), cmocka_unit_test(test_rest),
                                       cmocka_unit_test(test_follow), cmocka_unit_test(test_reach)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
