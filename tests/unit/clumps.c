/* clumps.c - tests core/clump/clumps.h with shapes whose parts meet only far away, over faces of
 * the box and over planes of other ranks. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "core/clump/clumps.h"
#include "core/sys/status.h"

enum { N = 12 };
static struct sl_slab slab;

struct gas {
    double *rho, *v[3];
};

static struct gas empty_gas(void)
{
    struct gas g;
    size_t cells = sl_slab_cells(&slab);
    g.rho = malloc((cells + 1) * sizeof(double));
    for (int d = 0; d < 3; d++)
        g.v[d] = calloc(cells + 1, sizeof(double));
    for (size_t i = 0; i < cells; i++)
        g.rho[i] = 1;
    return g;
}

static void release(struct gas *g)
{
    free(g->rho);
    for (int d = 0; d < 3; d++)
        free(g->v[d]);
}

/* Puts a density into a cell when it is one of the own planes. */
static void put(struct gas *g, int x, int y, int z, double rho)
{
    if (z >= slab.z0 && z < slab.z0 + slab.nz) g->rho[((z - slab.z0) * N + y) * N + x] = rho;
}

static struct sl_clumps find(const struct gas *g, bool around, int least)
{
    struct sl_clumps list;
    const struct sl_region_gas gas = {
        &slab, {around, around, around}, g->rho, {g->v[0], g->v[1], g->v[2]}};
    assert_int_equal(sl_clumps_find(&gas, 2, least, &list), SL_OK);
    return list;
}

/* Two columns through all planes that meet in the last plane only, and a loose cell. */
static void test_meets_far_away(void **state)
{
    struct gas g = empty_gas();
    (void)state;
    for (int z = 0; z < N - 1; z++) {
        put(&g, 2, 3, z, 3);
        put(&g, 6, 3, z, 3);
    }
    put(&g, 10, 10, 5, 9);
    struct sl_clumps list = find(&g, false, 1);
    assert_int_equal(list.n, 3);
    sl_clumps_release(&list);
    for (int x = 2; x <= 6; x++)
        put(&g, x, 3, N - 1, 4);
    list = find(&g, false, 1);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.clump[0].label, 3 * N + 2);
    double cell = 1.0 / (N * N * N);
    assert_true(fabs(list.clump[0].mass - (22 * 3 + 5 * 4) * cell) < 1e-15);
    assert_true(fabs(list.clump[0].volume - 27 * cell) < 1e-15);
    assert_true(list.clump[0].peak == 4 && list.clump[1].peak == 9);
    assert_true(fabs(list.clump[0].centre[0] - 4.5 / N) < 1e-14);
    sl_clumps_release(&list);
    list = find(&g, false, 2);
    assert_int_equal(list.n, 1);
    sl_clumps_release(&list);
    release(&g);
}

/* The eight corners of the box are one clump in a periodic box, around its corner, and eight
 * else. */
static void test_corners(void **state)
{
    struct gas g = empty_gas();
    (void)state;
    for (int i = 0; i < 8; i++)
        put(&g, i & 1 ? N - 1 : 0, i & 2 ? N - 1 : 0, i & 4 ? N - 1 : 0, 5);
    struct sl_clumps list = find(&g, true, 1);
    assert_int_equal(list.n, 1);
    for (int d = 0; d < 3; d++) {
        double x = list.clump[0].centre[d];
        assert_true(fmin(x, 1 - x) < 1e-14 && x >= 0 && x <= 1);
    }
    sl_clumps_release(&list);
    list = find(&g, false, 1);
    assert_int_equal(list.n, 8);
    sl_clumps_release(&list);
    release(&g);
}

/* Two cells of a column in a periodic box, the first and the last of a rank's planes, are two
 * clumps: what lies between is on that rank. */
static void test_ends_of_a_rank(void **state)
{
    struct gas g = empty_gas();
    int middle = slab.size > 1 ? sl_slab_first(N, 1, slab.size) - 1 : N / 2;
    (void)state;
    put(&g, 3, 3, 0, 5);
    put(&g, 3, 3, middle, 5);
    struct sl_clumps list = find(&g, true, 1);
    assert_int_equal(list.n, 2);
    sl_clumps_release(&list);
    release(&g);
}

/* Mean velocity and its scatter by mass. */
static void test_velocities(void **state)
{
    struct gas g = empty_gas();
    (void)state;
    put(&g, 4, 4, 4, 3);
    put(&g, 4, 4, 5, 6);
    for (int z = 4; z < 6; z++)
        if (z >= slab.z0 && z < slab.z0 + slab.nz)
            g.v[1][((z - slab.z0) * N + 4) * N + 4] = z == 4 ? 2 : -1;
    struct sl_clumps list = find(&g, true, 1);
    assert_int_equal(list.n, 1);
    assert_true(fabs(list.clump[0].velocity[1]) < 1e-15 && list.clump[0].velocity[0] == 0);
    assert_true(fabs(list.clump[0].dispersion - sqrt(2)) < 1e-14);
    sl_clumps_release(&list);
    release(&g);
}

static void test_none(void **state)
{
    struct gas g = empty_gas();
    (void)state;
    struct sl_clumps list = find(&g, true, 1);
    assert_int_equal(list.n, 0);
    sl_clumps_release(&list);
    release(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meets_far_away), cmocka_unit_test(test_corners),
        cmocka_unit_test(test_ends_of_a_rank), cmocka_unit_test(test_velocities),
        cmocka_unit_test(test_none)};
    int n[3] = {N, N, N};
    double length[3] = {1, 1, 1};
    MPI_Init(&argc, &argv);
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &slab);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
