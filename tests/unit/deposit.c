/* deposit.c - tests core/measure/deposit.h: clouds by hand, mass, the same bits however particles
 * are shared out, bad positions. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/deposit.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

static struct sl_slab box(MPI_Comm comm, int nx, int ny, int nz)
{
    struct sl_slab s;
    int cells[3] = {nx, ny, nz};
    double length[3] = {1, 2, 3};
    sl_slab_init(comm, 3, cells, length, &s);
    return s;
}

/* Density over its mean of a cell, on all ranks. */
static double cell_of(const struct sl_slab *s, const double *contrast, int x, int y, int z)
{
    double v = 0;
    if (z >= s->z0 && z < s->z0 + s->nz)
        v = 1 + contrast[((z - s->z0) * s->n[1] + y) * s->n[0] + x];
    MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return v;
}

static double *one_particle(const struct sl_slab *s, int order, double x, double y, double z)
{
    const double *const at[3] = {&x, &y, &z};
    double *contrast = malloc((sl_slab_cells(s) + 1) * sizeof *contrast), total;
    assert_non_null(contrast);
    assert_int_equal(sl_deposit_make(s, order, s->rank == s->size - 1, at, contrast, &total),
                     SL_OK);
    assert_true(total == 1);
    return contrast;
}

/* A particle a quarter of a cell right of the centre of cell 7 along x, in the middle of a face
 * along y, at the centre of cell 0 along z, one box away. */
static void test_shapes(void **state)
{
    (void)state;
    struct sl_slab s = box(MPI_COMM_WORLD, 8, 4, 4);
    double cells = 8 * 4 * 4, x = 7.75 / 8, y = 0.5, z = 1.125;
    double *c = one_particle(&s, 1, x, y, z);
    assert_true(fabs(cell_of(&s, c, 7, 2, 0) - cells) < 1e-10);
    free(c);
    c = one_particle(&s, 2, x, y, z);
    assert_true(fabs(cell_of(&s, c, 7, 1, 0) - 0.375 * cells) < 1e-10);
    assert_true(fabs(cell_of(&s, c, 7, 2, 0) - 0.375 * cells) < 1e-10);
    assert_true(fabs(cell_of(&s, c, 0, 2, 0) - 0.125 * cells) < 1e-10);
    assert_true(fabs(cell_of(&s, c, 7, 2, 1)) < 1e-10);
    free(c);
    c = one_particle(&s, 3, x, y, z);
    double right = 0.5 * 0.75 * 0.75, middle = 0.75 - 0.0625, left = 0.5 * 0.25 * 0.25;
    assert_true(fabs(cell_of(&s, c, 0, 2, 0) - right * 0.5 * 0.75 * cells) < 1e-10);
    assert_true(fabs(cell_of(&s, c, 7, 1, 1) - middle * 0.5 * 0.125 * cells) < 1e-10);
    assert_true(fabs(cell_of(&s, c, 6, 1, 3) - left * 0.5 * 0.125 * cells) < 1e-10);
    free(c);
    c = one_particle(&s, 4, x, y,
                     z); /* 1/48, 23/48 in the middle of a face; 2/3, 1/6 at a centre */
    double far = 0.75 * 0.75 * 0.75 / 6, last = 0.25 * 0.25 * 0.25 / 6,
           nearest = (4 - 6 / 16.0 + 3 / 64.0) / 6;
    assert_true(fabs(cell_of(&s, c, 6, 0, 1) - far / 48 / 6 * cells) < 1e-10);
    assert_true(fabs(cell_of(&s, c, 7, 1, 0) - nearest * 23 / 48 * 2 / 3 * cells) < 1e-10);
    assert_true(fabs(cell_of(&s, c, 0, 2, 3) - (1 - far - last - nearest) * 23 / 48 / 6 * cells) <
                1e-10);
    assert_true(fabs(cell_of(&s, c, 1, 3, 0) - last / 48 * 2 / 3 * cells) < 1e-10);
    assert_true(fabs(cell_of(&s, c, 5, 1, 0)) < 1e-10 && fabs(cell_of(&s, c, 7, 1, 2)) < 1e-10);
    free(c);
}

enum { PARTICLES = 70001, NX = 9, NY = 5, NZ = 7 }; /* more than go in one round */

static double number(int i, int d)
{
    double pair[2];
    struct sl_random_name name = {5, SL_RANDOM_VELOCITY, (uint32_t)d, {i, 0, 0}};
    sl_random_gauss(&name, 0, pair);
    return pair[0];
}

/* The own planes when rank r holds the particles i with i % size == (r + turn) % size, in falling
 * order of i when turn is odd. */
static double *deposit(const struct sl_slab *s, int order, int turn)
{
    double *x[3], *contrast = malloc((sl_slab_cells(s) + 1) * sizeof *contrast), total;
    size_t n = 0;
    for (int d = 0; d < 3; d++)
        assert_non_null(x[d] = malloc(PARTICLES * sizeof(double)));
    assert_non_null(contrast);
    for (int j = 0; j < PARTICLES; j++) {
        int i = turn % 2 ? PARTICLES - 1 - j : j;
        if (i % s->size != (s->rank + turn) % s->size) continue;
        for (int d = 0; d < 3; d++)
            x[d][n] = number(i, d);
        n++;
    }
    assert_int_equal(sl_deposit_make(s, order, n, (const double *const *)x, contrast, &total),
                     SL_OK);
    assert_true(total == PARTICLES);
    for (int d = 0; d < 3; d++)
        free(x[d]);
    return contrast;
}

static void test_any_order(void **state)
{
    (void)state;
    struct sl_slab s = box(MPI_COMM_WORLD, NX, NY, NZ), alone = box(MPI_COMM_SELF, NX, NY, NZ);
    for (int order = 1; order <= 4; order++) {
        double sum = 0, *want = deposit(&alone, order, 0);
        for (int i = 0; i < NX * NY * NZ; i++)
            sum += 1 + want[i];
        assert_true(fabs(sum / (NX * NY * NZ) - 1) < 1e-11);
        for (int turn = 0; turn < 2; turn++) {
            double *found = deposit(&s, order, turn);
            assert_memory_equal(found, want + s.z0 * NX * NY, sl_slab_cells(&s) * sizeof *found);
            free(found);
        }
        free(want);
    }
}

static void test_refused(void **state)
{
    (void)state;
    struct sl_slab s = box(MPI_COMM_WORLD, 4, 4, 4);
    double contrast[64], total, x = 0.5, bad = NAN;
    const double *const none[3] = {&x, &x, &x}, *const wrong[3] = {&x, &bad, &x};
    assert_int_equal(sl_deposit_make(&s, 2, 0, none, contrast, &total), SL_EINPUT);
    assert_int_equal(sl_deposit_make(&s, 2, s.rank == 0, wrong, contrast, &total), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), s.rank == 0 ? "finite position" : ""));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_any_order),
                                       cmocka_unit_test(test_refused)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
