/* spectrum.c - tests core/measure/spectrum.h: mode counts, plane waves at every orientation,
 * Parseval, white noise, flat boxes. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "core/grid/transpose.h"
#include "core/measure/mode_rows.h"
#include "core/measure/spectrum.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

/* The waves of a test, sampled at cell centres of the own planes. */
struct wave {
    int n[3];
    double amplitude[3], phase;
};

static double *make_field(const struct sl_slab *s)
{
    double *f = calloc(sl_slab_cells(s) + 1, sizeof *f);
    assert_non_null(f);
    return f;
}

static void add_wave(const struct sl_slab *s, const struct wave *w, double *const v[3])
{
    size_t at = 0;
    for (int k = s->z0; k < s->z0 + s->nz; k++)
        for (int j = 0; j < s->n[1]; j++)
            for (int i = 0; i < s->n[0]; i++, at++) {
                double x = 2 * PI *
                               (w->n[0] * (i + 0.5) / s->n[0] + w->n[1] * (j + 0.5) / s->n[1] +
                                w->n[2] * (k + 0.5) / s->n[2]) +
                           w->phase;
                for (int c = 0; c < 3; c++)
                    v[c][at] += w->amplitude[c] * cos(x);
            }
}

static struct sl_slab cube(int n)
{
    struct sl_slab s;
    int cells[3] = {n, n, n};
    double length[3] = {1, 1, 1};
    sl_slab_init(MPI_COMM_WORLD, 3, cells, length, &s);
    return s;
}

static void near(double got, double want, double relative)
{
    if (!(fabs(got / want - 1) < relative)) fail_msg("got %.15g, want %.15g", got, want);
}

static void test_mode_counts(void **state)
{
    static const int count[] = {1, 18, 62, 98, 210, 350, 450, 602, 762};
    static const double mean_k[] = {0, 1.2761, 2.2308, 3.1342, 4.0606};
    struct sl_slab s = cube(18);
    struct sl_shells p;
    double *f = make_field(&s);
    const double *field[1] = {f};
    double sum = 0;
    (void)state;
    assert_int_equal(sl_spectrum_make(&s, 1, field, 1, NULL, &p), SL_OK);
    assert_int_equal(p.nshell, 9);
    for (int i = 0; i <= 8; i++)
        assert_int_equal((int)sl_spectrum_at(&p, i, SL_SPECTRUM_MODES), count[i]);
    for (int i = 0; i <= 4; i++)
        assert_true(fabs(sl_spectrum_at(&p, i, SL_SPECTRUM_K) - mean_k[i]) < 6e-5);
    for (int i = 0; i < p.nshell + 2; i++)
        sum += sl_spectrum_at(&p, i, SL_SPECTRUM_MODES);
    assert_int_equal((int)sum, 18 * 18 * 18);
    sl_spectrum_release(&p);
    free(f);
}

/* Every wave vector with |n_i| <= 3, also those with negative components: all power in its shell,
 * all of it longitudinal or transverse as the amplitude says. */
static void test_plane_waves(void **state)
{
    struct sl_slab s = cube(8);
    double *v[3] = {make_field(&s), make_field(&s), make_field(&s)};
    (void)state;
    for (int code = 0; code < 343; code++) {
        struct wave w = {{code % 7 - 3, code / 7 % 7 - 3, code / 49 - 3}, {1, -2, 3}, 0.3};
        double k2 = w.n[0] * w.n[0] + w.n[1] * w.n[1] + w.n[2] * w.n[2];
        if (k2 == 0) continue;
        int shell = (int)floor(sqrt(k2) + 0.5);
        double dot = w.n[0] - 2 * w.n[1] + 3 * w.n[2], along = dot * dot / k2, all = 14;
        struct sl_shells p;
        for (int c = 0; c < 3; c++)
            memset(v[c], 0, sl_slab_cells(&s) * sizeof(double));
        add_wave(&s, &w, v);
        assert_int_equal(sl_spectrum_make(&s, 3, (const double *const *)v, 0.5, v, &p), SL_OK);
        int at = shell > p.nshell ? p.nshell + 1 : shell;
        assert_true(fabs(sl_spectrum_at(&p, at, SL_SPECTRUM_TOTAL) - 0.25 * all) < 1e-13);
        assert_true(fabs(sl_spectrum_at(&p, at, SL_SPECTRUM_COMPRESSIVE) - 0.25 * along) < 1e-13);
        assert_true(fabs(sl_spectrum_at(&p, at, SL_SPECTRUM_SOLENOIDAL) - 0.25 * (all - along)) <
                    1e-13);
        sl_spectrum_release(&p);
    }
    for (int c = 0; c < 3; c++)
        free(v[c]);
}

/* White noise with a mean on grids of every parity: Parseval, the sum of the parts, the mean apart,
 * the expected power per mode. */
static void test_white_noise(void **state)
{
    static const int grid[][3] = {{16, 16, 16}, {15, 9, 12}, {8, 10, 7}, {32, 1, 1}, {12, 20, 1}};
    (void)state;
    for (int g = 0; g < 5; g++) {
        struct sl_slab s;
        int dim = grid[g][2] > 1 ? 3 : grid[g][1] > 1 ? 2 : 1;
        double length[3] = {grid[g][0], grid[g][1], grid[g][2]};
        sl_slab_init(MPI_COMM_WORLD, dim, grid[g], length, &s);
        double *v[3] = {make_field(&s), make_field(&s), make_field(&s)};
        size_t first = (size_t)s.z0 * (size_t)s.n[0] * (size_t)s.n[1], cells = sl_slab_cells(&s);
        double pair[2];
        for (size_t i = 0; i < cells; i++)
            for (int c = 0; c < 3; c++) {
                struct sl_random_name name = {
                    11, SL_RANDOM_VELOCITY, (uint32_t)c, {(int64_t)(first + i), 0, 0}};
                sl_random_gauss(&name, 0, pair);
                v[c][i] = pair[0] + c;
            }
        struct sl_shells p;
        assert_int_equal(sl_spectrum_make(&s, 3, (const double *const *)v, 0.5, v, &p), SL_OK);
        assert_true(p.parseval < 1e-13);
        double total = 0, parts = sl_spectrum_at(&p, 0, SL_SPECTRUM_TOTAL), modes = 0;
        for (int i = 1; i < p.nshell + 2; i++) {
            total += sl_spectrum_at(&p, i, SL_SPECTRUM_TOTAL);
            modes += sl_spectrum_at(&p, i, SL_SPECTRUM_MODES);
            parts += sl_spectrum_at(&p, i, SL_SPECTRUM_SOLENOIDAL) +
                     sl_spectrum_at(&p, i, SL_SPECTRUM_COMPRESSIVE);
        }
        double all = (double)s.n[0] * s.n[1] * s.n[2];
        assert_true(fabs(parts - p.grid) < 1e-12 * p.grid);
        assert_true(fabs(modes - (all - 1)) < 0.5);
        /* 3 unit variances: 1/2 * 3 per cell, within 5 standard errors */
        assert_true(fabs(total - 1.5) < 5 * 1.5 * sqrt(2 / (3 * all)));
        sl_spectrum_release(&p);
        for (int c = 0; c < 3; c++)
            free(v[c]);
    }
}

/* In a box of 2 x 1 a wave with n = (0, 1) has k = 2 in units of the longest side. */
static void test_flat_box(void **state)
{
    struct sl_slab s;
    int n[3] = {16, 8, 1};
    double length[3] = {2, 1, 7};
    (void)state;
    sl_slab_init(MPI_COMM_WORLD, 2, n, length, &s);
    double *v[3] = {make_field(&s), make_field(&s), make_field(&s)};
    struct wave w = {{0, 1, 0}, {0, 1, 0}, 0};
    struct sl_shells p;
    add_wave(&s, &w, v);
    assert_int_equal(sl_spectrum_make(&s, 3, (const double *const *)v, 0.5, v, &p), SL_OK);
    assert_int_equal(p.nshell, 8);
    assert_true(fabs(sl_spectrum_at(&p, 2, SL_SPECTRUM_COMPRESSIVE) - 0.25) < 1e-14);
    sl_spectrum_release(&p);
    for (int c = 0; c < 3; c++)
        free(v[c]);
}

/* A million equal values: their squares must not lose the same bits one after the other. */
static void try_uniform(int dim, const int n[3])
{
    struct sl_slab s;
    double length[3] = {1, 1, 1};
    sl_slab_init(MPI_COMM_WORLD, dim, n, length, &s);
    double *f = make_field(&s);
    for (size_t i = 0; i < sl_slab_cells(&s); i++)
        f[i] = 0.99950051867;
    struct sl_shells p;
    assert_int_equal(sl_spectrum_make(&s, 1, (const double *const[]){f}, 0.5, NULL, &p), SL_OK);
    assert_true(p.parseval < 1e-13);
    sl_spectrum_release(&p);
    free(f);
}

static void test_uniform(void **state)
{
    (void)state;
    try_uniform(3, (const int[]){512, 512, 4});
    try_uniform(1, (const int[]){1 << 20, 1, 1});
}

/* A transpose puts every value where it belongs. */
static void test_transpose(void **state)
{
    struct sl_slab s;
    int n[3] = {3, 5, 7};
    double length[3] = {1, 1, 1};
    (void)state;
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &s);
    double *planes = make_field(&s);
    double *rows = calloc((size_t)(s.ny * 21) + 1, sizeof *rows);
    assert_non_null(rows);
    for (int k = 0; k < s.nz; k++)
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < 3; i++)
                planes[(k * 5 + j) * 3 + i] = 100 * (s.z0 + k) + 10 * j + i;
    assert_int_equal(sl_transpose_once(&s, 3, planes, rows), SL_OK);
    for (int j = 0; j < s.ny; j++)
        for (int k = 0; k < 7; k++)
            for (int i = 0; i < 3; i++)
                assert_true(rows[(j * 7 + k) * 3 + i] == 100 * k + 10 * (s.y0 + j) + i);
    free(planes);
    free(rows);
}

/* Number of a mode's part i in a line of plane z and row y, which tells where it belongs. */
static double number_at(int z, int y, int i)
{
    return 10000 * z + 100 * y + i;
}

/* Own planes go in, every row that comes out holds what belongs there; one that was changed comes
 * back to its planes. */
static void try_mode_rows(const int n[3], double *const room[])
{
    struct sl_slab s;
    struct sl_mode_rows m;
    const double length[3] = {1, 1, 1};
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &s);
    assert_int_equal(sl_mode_rows_init(&s, 2, room, &m), SL_OK);
    int width = 2 * (n[0] / 2 + 1), lines = n[1] > n[2] ? n[1] : n[2];
    double *all = calloc((size_t)(lines * width), sizeof *all);
    assert_non_null(all);
    for (int k = 0; k < s.nz; k++) {
        for (int at = 0; at < n[1] * width; at++)
            all[at] = number_at(s.z0 + k, at / width, at % width);
        sl_mode_rows_put_plane(&m, 1, k, all);
    }
    for (int y = 0; y < sl_mode_rows_rounds(&m); y++) {
        sl_mode_rows_get(&m, 1, y, all);
        for (int at = 0; at < n[2] * width && y < s.ny; at++) {
            assert_true(all[at] == number_at(at / width, s.y0 + y, at % width));
            all[at] *= -1;
        }
        sl_mode_rows_put(&m, 1, y, all);
    }
    for (int k = 0; k < s.nz; k++) {
        sl_mode_rows_get_plane(&m, 1, k, all);
        for (int at = 0; at < n[1] * width; at++)
            assert_true(all[at] == -number_at(s.z0 + k, at / width, at % width));
    }
    free(all);
    sl_mode_rows_release(&m);
}

static void test_mode_rows(void **state)
{
    static double a[8 * 5 * 7], b[8 * 5 * 7];
    (void)state;
    try_mode_rows((const int[]){8, 5, 7}, (double *const[]){a, b});
    try_mode_rows((const int[]){7, 2, 5}, (double *const[]){a, b}); /* a rank without rows */
    try_mode_rows((const int[]){6, 7, 2}, NULL);
    try_mode_rows((const int[]){9, 1, 1}, NULL);
}

/* Modes that go where the fields were, and modes that go elsewhere: the same sums, and then the
 * fields are as they were. */
static void test_room(void **state)
{
    struct sl_slab s = cube(12);
    double *v[3] = {make_field(&s), make_field(&s), make_field(&s)}, *kept = make_field(&s);
    const struct wave w = {{1, -2, 3}, {1, 2, -1}, 0.7};
    size_t bytes = sl_slab_cells(&s) * sizeof(double);
    struct sl_shells p, q;
    (void)state;
    add_wave(&s, &w, v);
    memcpy(kept, v[2], bytes);
    assert_int_equal(sl_spectrum_make(&s, 3, (const double *const *)v, 0.5, NULL, &p), SL_OK);
    assert_memory_equal(v[2], kept, bytes);
    assert_int_equal(sl_spectrum_make(&s, 3, (const double *const *)v, 0.5, v, &q), SL_OK);
    assert_memory_equal(p.value, q.value,
                        (size_t)(p.nshell + 2) * SL_SPECTRUM_COLUMNS * sizeof(double));
    assert_true(p.grid == q.grid);
    sl_spectrum_release(&p);
    sl_spectrum_release(&q);
    free(kept);
    for (int c = 0; c < 3; c++)
        free(v[c]);
}

/* Sums over the images of a wave of n periods in 12 cells: of its window to the power 2 order, over
 * that of the wave. */
static double images(int order, int n)
{
    double sum = 0, x = n / 12.0;
    for (int m = -3000; m <= 3000; m++)
        sum += n == 0 ? m == 0 : pow(x / (x + m), 2 * order);
    return sum;
}

/* Particles: a wave is brought back to what it was before the windows of both fields, and the shot
 * noise of each mode is that of all its images. */
static void test_windows(void **state)
{
    static const int n[3] = {1, 2, -2};
    struct sl_slab s = cube(12);
    double *v[3] = {make_field(&s), make_field(&s), make_field(&s)};
    const struct wave w = {{n[0], n[1], n[2]}, {1, 0, 0}, 0.7};
    struct sl_shells p;
    (void)state;
    add_wave(&s, &w, v);
    for (int order = 2; order <= 4; order++) {
        struct sl_windowed a = {v[0], order, false};
        double window = 1, shot = 0, want = 0;
        for (int d = 0; d < 3; d++)
            window *= pow(sin(PI * n[d] / 12) / (PI * n[d] / 12), -2 * order);
        assert_int_equal(sl_spectrum_pair(&s, &a, &a, NULL, NULL, &p), SL_OK);
        double raw = sl_spectrum_at(&p, 3, SL_PAIR_RAW);
        near(sl_spectrum_at(&p, 3, SL_PAIR_CORRECTED) / raw, window, 1e-10);
        shot = sl_spectrum_at(&p, 1, SL_PAIR_SHOT);
        for (int i = -1; i <= 1; i++)
            for (int j = -1; j <= 1; j++)
                for (int k = -1; k <= 1; k++)
                    if (i * i + j * j + k * k > 0 && i * i + j * j + k * k <= 2)
                        want += images(order, i) * images(order, j) * images(order, k);
        near(shot, want, 1e-8);
        sl_spectrum_release(&p);
    }
    for (int c = 0; c < 3; c++)
        free(v[c]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mode_counts), cmocka_unit_test(test_plane_waves),
        cmocka_unit_test(test_white_noise), cmocka_unit_test(test_flat_box),
        cmocka_unit_test(test_uniform),     cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_mode_rows),   cmocka_unit_test(test_room),
        cmocka_unit_test(test_windows)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
