/* structure.c - tests core/measure/structure.h: white noise, a single wave against the exact
 * values, a box with different cells, diagonals, scalars. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "core/measure/structure.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

static void make(const struct sl_slab *s, double *v[3],
                 void (*cell)(const double x[3], int64_t index, double out[3]))
{
    size_t cells = sl_slab_cells(s), at = 0;
    for (int c = 0; c < 3; c++)
        assert_non_null(v[c] = malloc((cells + 1) * sizeof(double)));
    for (int k = s->z0; k < s->z0 + s->nz; k++)
        for (int j = 0; j < s->n[1]; j++)
            for (int i = 0; i < s->n[0]; i++, at++) {
                double x[3] = {(i + 0.5) / s->n[0], (j + 0.5) / s->n[1], (k + 0.5) / s->n[2]};
                double out[3];
                cell(x, ((int64_t)k * s->n[1] + j) * s->n[0] + i, out);
                for (int c = 0; c < 3; c++)
                    v[c][at] = out[c];
            }
}

static void release(double *v[3])
{
    for (int c = 0; c < 3; c++)
        free(v[c]);
}

static void noise(const double x[3], int64_t index, double out[3])
{
    double pair[2];
    (void)x;
    for (int c = 0; c < 3; c++) {
        struct sl_random_name name = {3, SL_RANDOM_VELOCITY, (uint32_t)c, {index, 0, 0}};
        sl_random_gauss(&name, 0, pair);
        out[c] = pair[0];
    }
}

/* Independent cells: dv is Gaussian with variance 2 at every lag, so S_2 -> 2 <v_l^2> and the other
 * orders follow from the moments of a Gaussian. */
static void test_white_noise(void **state)
{
    int n[3] = {32, 32, 32};
    double length[3] = {1, 1, 1}, *v[3];
    struct sl_slab s;
    struct sl_structure f;
    (void)state;
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &s);
    make(&s, v, noise);
    assert_int_equal(sl_structure_make(&s, SL_STRUCTURE_AXES, 3, (const double *const *)v, &f),
                     SL_OK);
    assert_true(f.nlag > 8 && f.lag[0] == 1.0 / 32 && f.lag[f.nlag - 1] <= 0.5);
    for (int l = 0; l < f.nlag; l++)
        for (int i = 0; i < SL_STRUCTURE_COLUMNS; i++) {
            int p = i % SL_STRUCTURE_ORDERS + 1;
            double exact = pow(2, p) * tgamma(0.5 * (p + 1)) / sqrt(PI);
            assert_true(fabs(f.value[l * SL_STRUCTURE_COLUMNS + i] / exact - 1) < 0.01 * p);
        }
    sl_structure_release(&f);
    release(v);
}

/* A shear and a compression along each axis, each with its own amplitude. */
static void waves(const double x[3], int64_t index, double out[3])
{
    (void)index;
    out[0] = cos(2 * PI * x[0]) + 2 * cos(2 * PI * x[1]);
    out[1] = 3 * cos(2 * PI * x[1]) + 4 * cos(2 * PI * x[2]);
    out[2] = 5 * cos(2 * PI * x[2]) + 6 * cos(2 * PI * x[0]);
}

/* cos(a + kl) - cos(a) has mean square 2 sin^2(kl / 2). */
static void test_waves(void **state)
{
    int n[3] = {16, 24, 8};
    double length[3] = {2, 3, 1}, *v[3];
    struct sl_slab s;
    struct sl_structure f;
    (void)state;
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &s);
    make(&s, v, waves);
    assert_int_equal(sl_structure_make(&s, SL_STRUCTURE_AXES, 3, (const double *const *)v, &f),
                     SL_OK);
    assert_int_equal(f.nlag, 4);
    for (int l = 0; l < f.nlag; l++) {
        double sx = 2 * pow(sin(PI * f.lag[l] / 2), 2), sy = 2 * pow(sin(PI * f.lag[l] / 3), 2);
        double sz = 2 * pow(sin(PI * f.lag[l]), 2);
        double along = (1 * sx + 9 * sy + 25 * sz) / 3;
        double across = (36 * sx + 4 * sy + 16 * sz) / 6;
        const double *value = f.value + l * SL_STRUCTURE_COLUMNS;
        assert_true(fabs(value[1] - along) < 1e-12 * along);
        assert_true(fabs(value[SL_STRUCTURE_ORDERS + 1] - across) < 1e-12 * across);
    }
    sl_structure_release(&f);
    release(v);
}

static void test_one_dimension(void **state)
{
    int n[3] = {16, 1, 1};
    double length[3] = {1, 1, 1}, *v[3];
    struct sl_slab s;
    struct sl_structure f;
    (void)state;
    sl_slab_init(MPI_COMM_WORLD, 1, n, length, &s);
    make(&s, v, waves);
    assert_int_equal(sl_structure_make(&s, SL_STRUCTURE_AXES, 3, (const double *const *)v, &f),
                     SL_OK);
    for (int l = 0; l < f.nlag; l++) {
        assert_true(fabs(f.value[l * SL_STRUCTURE_COLUMNS + 1] - 2 * pow(sin(PI * f.lag[l]), 2)) <
                    1e-12);
        assert_true(f.value[l * SL_STRUCTURE_COLUMNS + SL_STRUCTURE_ORDERS] == 0);
    }
    sl_structure_release(&f);
    release(v);
}

/* White noise along diagonals, and of a scalar: the lags, and the moments of a Gaussian. */
static void test_families(void **state)
{
    int n[3] = {32, 32, 32};
    double length[3] = {2, 2, 2}, *v[3];
    struct sl_slab s;
    (void)state;
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &s);
    make(&s, v, noise);
    for (int family = 0; family < 3; family++)
        for (int ncomp = 1; ncomp <= 3; ncomp += 2) {
            struct sl_structure f;
            assert_int_equal(sl_structure_make(&s, (enum sl_structure_family)family, ncomp,
                                               (const double *const *)v, &f),
                             SL_OK);
            assert_true(fabs(f.lag[1] - 2 * sqrt(family + 1) / 16) < 1e-12);
            assert_true(fabs(f.lag[f.nlag - 1] / sqrt(family + 1) - 1) < 0.2);
            for (int l = 0; l < f.nlag; l++)
                for (int i = 0; i < SL_STRUCTURE_COLUMNS; i++) {
                    int p = i % SL_STRUCTURE_ORDERS + 1;
                    double exact = ncomp == 1 && i >= SL_STRUCTURE_ORDERS
                                       ? 0
                                       : pow(2, p) * tgamma(0.5 * (p + 1)) / sqrt(PI);
                    double found = f.value[l * SL_STRUCTURE_COLUMNS + i];
                    assert_true(fabs(found - exact) <= (ncomp == 1 ? 0.03 : 0.02) * p * exact);
                }
            sl_structure_release(&f);
        }
    release(v);
}

/* A plane has no diagonals of a cube, a line no diagonals at all. */
static void test_few_dimensions(void **state)
{
    int n[3] = {8, 8, 1};
    double length[3] = {1, 1, 1}, *v[3];
    struct sl_slab s;
    struct sl_structure f;
    (void)state;
    for (int dim = 1; dim <= 2; dim++) {
        sl_slab_init(MPI_COMM_WORLD, dim, n, length, &s);
        make(&s, v, noise);
        for (int family = 0; family < 3; family++) {
            assert_int_equal(sl_structure_make(&s, (enum sl_structure_family)family, 3,
                                               (const double *const *)v, &f),
                             SL_OK);
            assert_int_equal(f.nlag, family < dim ? 4 : 0);
            sl_structure_release(&f);
        }
        release(v);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_white_noise), cmocka_unit_test(test_waves),
        cmocka_unit_test(test_one_dimension), cmocka_unit_test(test_families),
        cmocka_unit_test(test_few_dimensions)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
