/* turbulence_field.c - tests core/ic/turbulence_field.h: what a mode is, that samples hold exactly
 * the modes on any grid, mixtures, isotropy, tables, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ic/turbulence_field.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

static const struct sl_turbulence_spec plain = {.seed = 17,
                                                .dim = 3,
                                                .length = {1, 1, 1},
                                                .v_rms = 10,
                                                .solenoidal = 1,
                                                .kmin = 1,
                                                .kmax = 5,
                                                .slope = -2};

/* Calls f with every n in a cube of half side reach. */
#define EACH_MODE(n, reach)                                                                        \
    for (int n[3] = {-(reach), -(reach), -(reach)}; n[2] <= (reach); n[0]++,                       \
             n[0] > (reach) ? (n[0] = -(reach), n[1]++) : 0,                                       \
             n[1] > (reach) ? (n[1] = -(reach), n[2]++) : 0)

static double square(double v[3][2])
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += v[c][0] * v[c][0] + v[c][1] * v[c][1];
    return sum;
}

/* rms as asked, n and -n conjugate, nothing outside the range, no mean, no divergence. */
static void test_modes(void **state)
{
    struct sl_turbulence_field f;
    double sum = 0, count = 0;
    (void)state;
    assert_int_equal(sl_turbulence_field_init(&plain, &f), SL_OK);
    EACH_MODE(n, 6)
    {
        double v[3][2], w[3][2];
        int minus[3] = {-n[0], -n[1], -n[2]}, n2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        sl_turbulence_field_mode(&f, n, v);
        sl_turbulence_field_mode(&f, minus, w);
        sum += square(v);
        count += square(v) > 0;
        assert_true((square(v) > 0) == (n2 >= 1 && n2 <= 25));
        for (int c = 0; c < 3; c++)
            assert_true(v[c][0] == w[c][0] && v[c][1] == -w[c][1]);
        for (int part = 0; part < 2; part++)
            assert_true(fabs(n[0] * v[0][part] + n[1] * v[1][part] + n[2] * v[2][part]) <=
                        1e-14 * sqrt(square(v)) * 6);
    }
    assert_true(fabs(sqrt(sum) - 10) < 1e-12);
    assert_int_equal((int)count, (int)f.modes);
}

/* Coefficient of exp(2 pi i n x) from samples at cell centres. */
static void coefficient(const int grid[3], const double *v, const int n[3], double out[2])
{
    size_t at = 0;
    double all = (double)grid[0] * grid[1] * grid[2];
    out[0] = out[1] = 0;
    for (int k = 0; k < grid[2]; k++)
        for (int j = 0; j < grid[1]; j++)
            for (int i = 0; i < grid[0]; i++, at++) {
                double x = 2 * PI *
                           (n[0] * (i + 0.5) / grid[0] + n[1] * (j + 0.5) / grid[1] +
                            n[2] * (k + 0.5) / grid[2]);
                out[0] += v[at] * cos(x) / all;
                out[1] -= v[at] * sin(x) / all;
            }
}

/* The samples on different grids are those of one continuous field: their coefficients are the
 * modes. */
static void test_grids_share_the_field(void **state)
{
    static const int grid[][3] = {{11, 11, 11}, {16, 12, 20}};
    static const int mode[][3] = {{1, 0, 0}, {0, -1, 2}, {3, -2, 1}, {-5, 0, 0}, {0, 0, 5}};
    struct sl_turbulence_field f;
    (void)state;
    assert_int_equal(sl_turbulence_field_init(&plain, &f), SL_OK);
    for (int g = 0; g < 2; g++) {
        size_t cells = (size_t)(grid[g][0] * grid[g][1] * grid[g][2]);
        double *v[3];
        for (int c = 0; c < 3; c++)
            assert_non_null(v[c] = malloc(cells * sizeof(double)));
        assert_int_equal(sl_turbulence_field_planes(&f, grid[g], 0, grid[g][2], v), SL_OK);
        for (size_t m = 0; m < sizeof mode / sizeof mode[0]; m++) {
            double exact[3][2], found[2];
            sl_turbulence_field_mode(&f, mode[m], exact);
            assert_true(square(exact) > 0);
            for (int c = 0; c < 3; c++) {
                coefficient(grid[g], v[c], mode[m], found);
                assert_true(fabs(found[0] - exact[c][0]) < 1e-12);
                assert_true(fabs(found[1] - exact[c][1]) < 1e-12);
            }
        }
        for (int c = 0; c < 3; c++)
            free(v[c]);
    }
}

/* A plane has the same bits whoever makes it. */
static void test_planes_by_parts(void **state)
{
    enum { N = 12 };
    static double whole[3][N][N * N], part[3][N][N * N];
    const int n[3] = {N, N, N};
    struct sl_turbulence_field f;
    (void)state;
    assert_int_equal(sl_turbulence_field_init(&plain, &f), SL_OK);
    double *all[3] = {whole[0][0], whole[1][0], whole[2][0]};
    assert_int_equal(sl_turbulence_field_planes(&f, n, 0, N, all), SL_OK);
    for (int z = 0; z < N; z += 5) {
        double *some[3] = {part[0][z], part[1][z], part[2][z]};
        assert_int_equal(sl_turbulence_field_planes(&f, n, z, z + 5 > N ? N - z : 5, some), SL_OK);
    }
    assert_memory_equal(whole, part, sizeof whole);
}

/* Compressive share of the power against the formula, 2D and 3D: mean over many modes. */
static void test_mixture(void **state)
{
    static const double zeta[] = {0, 0.3, 0.5, 0.7, 1};
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int i = 0; i < 5; i++) {
            struct sl_turbulence_spec spec = plain;
            struct sl_turbulence_field f;
            double along = 0, total = 0, z = zeta[i];
            spec.dim = dim;
            spec.solenoidal = z;
            spec.kmax = dim == 2 ? 40 : 10;
            spec.slope = 2;
            assert_int_equal(sl_turbulence_field_init(&spec, &f), SL_OK);
            EACH_MODE(n, spec.kmax)
            {
                double v[3][2], n2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
                if (n2 == 0 || (dim == 2 && n[2] != 0)) continue;
                sl_turbulence_field_mode(&f, n, v);
                total += square(v);
                for (int part = 0; part < 2; part++)
                    along += pow(n[0] * v[0][part] + n[1] * v[1][part] + n[2] * v[2][part], 2) / n2;
            }
            double share = (1 - z) * (1 - z) / ((dim - 1) * z * z + (1 - z) * (1 - z));
            assert_true(fabs(along / total - share) < 0.03);
        }
}

/* No axis and no diagonal is preferred: the tensor <v_i v_j> and the power-weighted <k_i k_j>. */
static void test_isotropy(void **state)
{
    struct sl_turbulence_spec spec = plain;
    struct sl_turbulence_field f;
    double vv[3][3] = {{0}}, kk[3][3] = {{0}};
    (void)state;
    spec.kmin = 4;
    spec.kmax = 14;
    spec.slope = 2;
    assert_int_equal(sl_turbulence_field_init(&spec, &f), SL_OK);
    EACH_MODE(n, 14)
    {
        double v[3][2];
        sl_turbulence_field_mode(&f, n, v);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                vv[i][j] += v[i][0] * v[j][0] + v[i][1] * v[j][1];
                kk[i][j] += n[i] * n[j] * square(v);
            }
    }
    double v2 = (vv[0][0] + vv[1][1] + vv[2][2]) / 3, k2 = (kk[0][0] + kk[1][1] + kk[2][2]) / 3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            assert_true(fabs(vv[i][j] / v2 - (i == j)) < 0.05);
            assert_true(fabs(kk[i][j] / k2 - (i == j)) < 0.05);
        }
}

/* Energy per shell follows E(k) ~ k^slope, within the scatter of Gaussian modes. */
static void test_slope(void **state)
{
    static const double slope[] = {-3, -5.0 / 3, 0, 1};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct sl_turbulence_spec spec = plain;
        struct sl_turbulence_field f;
        struct sl_turbulence_shell shell[13];
        double xx = 0, xy = 0;
        spec.slope = slope[i];
        spec.kmax = 12;
        assert_int_equal(sl_turbulence_field_init(&spec, &f), SL_OK);
        sl_turbulence_field_shells(&f, shell);
        for (int s = 3; s < 12; s++) { /* complete shells; E per mode times 4 pi k^2 */
            double x = log(s / 6.0);
            double y = log(shell[s].realised / shell[s].modes * s * s);
            double y0 = log(shell[6].expected / shell[6].modes * 36);
            double sigma = sqrt(shell[s].modes);
            assert_true(fabs(shell[s].realised / shell[s].expected - 1) < 5 / sigma);
            xx += shell[s].modes * x * x;
            xy += shell[s].modes * x * (y - y0);
        }
        assert_true(fabs(xy / xx - slope[i]) < 0.15);
    }
}

static void write_table(char *path, const char *text)
{
    strcpy(path, "/tmp/sluice-table-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void test_table(void **state)
{
    char path[64];
    struct sl_table_spectrum table;
    struct sl_turbulence_spec spec = plain;
    struct sl_turbulence_field f, g;
    (void)state;
    write_table(path, "# k E\n0.5 4\n1 1\n\n 10 0.01\n");
    assert_int_equal(sl_table_spectrum_read(path, &table), SL_OK);
    unlink(path);
    spec.table = &table;
    spec.slope = 7;
    assert_int_equal(sl_turbulence_field_init(&spec, &f), SL_OK);
    assert_int_equal(sl_turbulence_field_init(&plain, &g), SL_OK);
    EACH_MODE(n, 5)
    {
        double v[3][2], w[3][2];
        sl_turbulence_field_mode(&f, n, v);
        sl_turbulence_field_mode(&g, n, w);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(v[c][0] - w[c][0]) < 1e-12 && fabs(v[c][1] - w[c][1]) < 1e-12);
    }
    spec.kmax = 11;
    assert_int_equal(sl_turbulence_field_init(&spec, &f), SL_EINPUT);
    sl_table_spectrum_release(&table);
}

static void test_refuses_bad_tables(void **state)
{
    static const char *const text[] = {"",        "1 1\n",         "1 1\n1 2\n", "1 1\n2 -1\n",
                                       "1 1 1\n", "one\n2 2\n3 3", "1 nan\n2 1", "\177ELF\n"};
    struct sl_table_spectrum table;
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        char path[64];
        write_table(path, text[i]);
        assert_int_equal(sl_table_spectrum_read(path, &table), SL_EINPUT);
        unlink(path);
    }
    assert_int_equal(sl_table_spectrum_read("/nonexistent/table", &table), SL_EINPUT);
}

static void test_refuses_bad_fields(void **state)
{
    struct sl_turbulence_field f;
    struct sl_turbulence_spec spec = plain;
    const int small[3] = {10, 16, 16};
    double *v[3] = {NULL, NULL, NULL};
    (void)state;
    spec.kmin = 6;
    assert_int_equal(sl_turbulence_field_init(&spec, &f), SL_EINPUT);
    spec = plain;
    spec.dim = 1;
    assert_int_equal(sl_turbulence_field_init(&spec, &f), SL_EINPUT);
    assert_int_equal(sl_turbulence_field_init(&plain, &f), SL_OK);
    assert_int_equal(sl_turbulence_field_planes(&f, small, 0, 1, v), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "at least 11 cells along axis 0"));
}

/* A box of 2 x 1 x 1: the modes are those with |(n_x, 2 n_y, 2 n_z)| in the range. */
static void test_flat_box(void **state)
{
    struct sl_turbulence_spec spec = plain;
    struct sl_turbulence_field f;
    (void)state;
    spec.length[0] = 2;
    assert_int_equal(sl_turbulence_field_init(&spec, &f), SL_OK);
    EACH_MODE(n, 6)
    {
        double v[3][2];
        int k2 = n[0] * n[0] + 4 * n[1] * n[1] + 4 * n[2] * n[2];
        sl_turbulence_field_mode(&f, n, v);
        assert_true((square(v) > 0) == (k2 >= 1 && k2 <= 25));
        for (int part = 0; part < 2; part++)
            assert_true(fabs(n[0] * v[0][part] + 2 * n[1] * v[1][part] + 2 * n[2] * v[2][part]) <
                        1e-13 * (sqrt(square(v)) + 1e-300) * 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_modes),
                                       cmocka_unit_test(test_grids_share_the_field),
                                       cmocka_unit_test(test_planes_by_parts),
                                       cmocka_unit_test(test_mixture),
                                       cmocka_unit_test(test_isotropy),
                                       cmocka_unit_test(test_slope),
                                       cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_refuses_bad_tables),
                                       cmocka_unit_test(test_refuses_bad_fields),
                                       cmocka_unit_test(test_flat_box)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
