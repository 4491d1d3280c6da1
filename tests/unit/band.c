/* band.c - tests core/ic/band.h: single waves on plain and finer grids against the formula, there
 * and back, what is beyond the band dropped. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ic/band.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "tests/unit/modes.h"

#define TWO_PI 6.28318530717958647693

static const int modes[3] = {12, 8, 6}, plain[3] = {12, 8, 6}, fine[3] = {18, 12, 10};

static double wave(const struct sl_band *b, const int n[3], double complex v, int x, int y, int z)
{
    double angle = TWO_PI * ((double)n[0] * x / b->cells[0] + (double)n[1] * y / b->cells[1] +
                             (double)n[2] * z / b->cells[2]);
    return 2 * creal(v * (cos(angle) + I * sin(angle)));
}

/* Derivatives of a wave are the wave with another factor; halved: the factor that they are wanted
 * with. */
static void try_derivatives(const struct sl_band *b, const fftw_complex *planes, const int n[3],
                            double complex v)
{
    double *d = fftw_alloc_real((size_t)b->cells[0] * (size_t)b->cells[1]);
    for (int nx = 0; nx < 3; nx++)
        for (int ny = 0; ny < 3; ny++)
            for (int k = 0; k < b->nz; k++) {
                double complex factor = 0.5 * cpow(I, nx + ny) * pow(n[0], nx) * pow(n[1], ny);
                sl_band_derive(b, planes, k, nx, ny, 0.5, d);
                for (int y = 0; y < b->cells[1]; y++)
                    for (int x = 0; x < b->cells[0]; x++)
                        assert_true(fabs(d[y * b->cells[0] + x] -
                                         wave(b, n, factor * v, x, y, b->z0 + k)) < 1e-11);
            }
    fftw_free(d);
}

/* A wave from plane k to the grid and back, line by line. */
static void there_and_back(const struct sl_band *b, const int n[3], double complex v,
                           fftw_complex *planes, int k)
{
    fftw_complex *scratch = sl_alloc_large(sl_band_scratch(b) * sizeof *scratch);
    sl_band_derive_y(b, planes, k, 0, 0, 1, scratch);
    for (int y = 0; y < b->cells[1]; y++) {
        sl_band_line_back(b, scratch, y, b->real);
        for (int x = 0; x < b->cells[0]; x++)
            assert_true(fabs(b->real[x] - wave(b, n, v, x, y, b->z0 + k)) < 1e-13);
        sl_band_take_line(b, y, b->real);
    }
    sl_band_take_plane(b, planes, k);
    free(scratch);
}

static void try_wave(const struct sl_band *b, const int n[3])
{
    double complex v = 0.3 - 0.7 * I;
    fftw_complex *rows = fftw_alloc_complex(sl_band_rows(b));
    fftw_complex *work = fftw_alloc_complex(sl_band_work(b));
    fftw_complex *planes = fftw_alloc_complex(sl_band_planes(b));
    memset(rows, 0, sl_band_rows(b) * sizeof *rows);
    modes_put(b, rows, n, v);
    assert_int_equal(modes_to_planes(b, rows, planes), SL_OK);
    try_derivatives(b, planes, n, v);
    for (int k = 0; k < b->nz; k++)
        there_and_back(b, n, v, planes, k);
    assert_int_equal(sl_band_to_rows(b, planes, work, rows), SL_OK);
    fftw_complex *at = modes_slot(b, rows, n);
    if (at) assert_true(cabs(*at - v) < 1e-15);
    double all = 0, every = 0;
    for (size_t i = 0; i + 1 < sl_band_rows(b); i++)
        all += cabs(rows[i]);
    MPI_Allreduce(&all, &every, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    assert_true(fabs(every - (n[0] == 0 ? 2 : 1) * cabs(v)) < 1e-12); /* nothing else */
    fftw_free(rows);
    fftw_free(work);
    fftw_free(planes);
}

static void test_waves(void **state)
{
    static const int waves[][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                   {3, -2, 1}, {5, 3, -2}, {0, -3, 2}};
    (void)state;
    for (int finer = 0; finer < 2; finer++) {
        struct sl_band b;
        assert_int_equal(sl_band_init(MPI_COMM_WORLD, modes, finer ? fine : plain, &b), SL_OK);
        for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++)
            try_wave(&b, waves[i]);
        sl_band_release(&b);
    }
}

/* A wave between the Nyquist frequencies of modes and grid is no mode. */
static void test_beyond(void **state)
{
    (void)state;
    static const int waves[][3] = {{7, 0, 0}, {0, 5, 0}, {0, 0, 4},
                                   {0, 4, 0}, {0, 0, 3}, {6, 0, 0}};
    struct sl_band b;
    assert_int_equal(sl_band_init(MPI_COMM_WORLD, modes, fine, &b), SL_OK);
    fftw_complex *rows = fftw_alloc_complex(sl_band_rows(&b));
    fftw_complex *work = fftw_alloc_complex(sl_band_work(&b));
    fftw_complex *planes = fftw_alloc_complex(sl_band_planes(&b));
    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++) {
        for (int k = 0; k < b.nz; k++) {
            for (int y = 0; y < b.cells[1]; y++) {
                for (int x = 0; x < b.cells[0]; x++)
                    b.real[x] = wave(&b, waves[i], 1, x, y, b.z0 + k);
                sl_band_take_line(&b, y, b.real);
            }
            sl_band_take_plane(&b, planes, k);
        }
        assert_int_equal(sl_band_to_rows(&b, planes, work, rows), SL_OK);
        for (size_t j = 0; j + 1 < sl_band_rows(&b); j++)
            assert_true(cabs(rows[j]) < 1e-14);
    }
    fftw_free(rows);
    fftw_free(work);
    fftw_free(planes);
    sl_band_release(&b);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_waves), cmocka_unit_test(test_beyond)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
