/* deposit.c - the density of particles on devices (core/measure/device.h): the processor's bits for
 * all clouds and any share of the particles, more of them than go up at once, and what is refused
 * there.
 *
 * ranks: 1 2 3
 * emulated: 1 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/deposit.h"
#include "core/measure/device.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

enum { MANY = (1 << 22) + 12345, FULL = 1 << 20 };
static struct sl_stats_device *device;

static struct sl_slab box(int nx, int ny, int nz)
{
    struct sl_slab s;
    const int cells[3] = {nx, ny, nz};
    const double length[3] = {1, 2, 3};
    sl_slab_init(MPI_COMM_WORLD, 3, cells, length, &s);
    return s;
}

/* Own particles: those i of n with i % size == rank, a few boxes about the middle. */
struct swarm {
    size_t n;
    double *x[3]; /* owned */
};

static struct swarm swarm_new(const struct sl_slab *s, int n)
{
    struct swarm w = {0, {NULL, NULL, NULL}};
    for (int d = 0; d < 3; d++)
        assert_non_null(w.x[d] = malloc(((size_t)n / (size_t)s->size + 1) * sizeof(double)));
    for (int i = s->rank; i < n; i += s->size, w.n++)
        for (int d = 0; d < 3; d++) {
            double pair[2];
            struct sl_random_name name = {5, SL_RANDOM_VELOCITY, (uint32_t)d, {i, 0, 0}};
            sl_random_gauss(&name, 0, pair);
            w.x[d][w.n] = pair[0];
        }
    return w;
}

static void swarm_free(struct swarm *w)
{
    for (int d = 0; d < 3; d++)
        free(w->x[d]);
}

static double *density(struct sl_slab *s, struct sl_stats_device *on, int order,
                       const struct swarm *w)
{
    double *contrast = malloc((sl_slab_cells(s) + 1) * sizeof *contrast), total;
    assert_non_null(contrast);
    s->device = on;
    if (sl_deposit_make(s, order, w->n, (const double *const *)w->x, contrast, &total) != SL_OK)
        fail_msg("%s", sl_error_text());
    return contrast;
}

static void check_same(struct sl_slab *s, int order, const struct swarm *w)
{
    double *want = density(s, NULL, order, w), *found = density(s, device, order, w);
    assert_memory_equal(found, want, sl_slab_cells(s) * sizeof *want);
    assert_int_equal(device->warned, 0);
    free(want);
    free(found);
}

/* Of a device that all ranks may share, when each of them holds still. */
static size_t unused_memory(void)
{
    size_t unused = 0, all;
    MPI_Barrier(MPI_COMM_WORLD);
    int code = (int)cudaMemGetInfo(&unused, &all);
    MPI_Barrier(MPI_COMM_WORLD);
    assert_int_equal(code, 0);
    return unused;
}

/* Between what it is asked for, memory of the device is for others, and comes back. */
static void test_rest(void **state)
{
    (void)state;
    struct sl_slab s = box(128, 128, 64);
    struct swarm w = swarm_new(&s, 1000);
    device->rest(device);
    for (int times = 0; times < 2; times++) {
        size_t before = unused_memory();
        check_same(&s, 2, &w);
        assert_true(unused_memory() < before);
        device->rest(device);
        assert_true(unused_memory() >= before);
    }
    swarm_free(&w);
}

static void test_clouds(void **state)
{
    (void)state;
    struct sl_slab s = box(9, 5, 7);
    struct swarm w = swarm_new(&s, 70001);
    for (int order = 1; order <= 4; order++)
        check_same(&s, order, &w);
    swarm_free(&w);
}

/* More ranks have no planes than have some. */
static void test_few_planes(void **state)
{
    (void)state;
    struct sl_slab s = box(4, 6, 1);
    struct swarm w = swarm_new(&s, 1000);
    check_same(&s, 1, &w);
    swarm_free(&w);
}

static void test_many(void **state)
{
    (void)state;
    struct sl_slab s = box(33, 16, 20);
    struct swarm w = swarm_new(&s, MANY);
    check_same(&s, 1, &w);
    swarm_free(&w);
}

static void test_refused(void **state)
{
    (void)state;
    struct sl_slab s = box(4, 4, 4);
    double *contrast = calloc(64, sizeof *contrast), total;
    struct swarm w = swarm_new(&s, FULL * s.size);
    const double *const *x = (const double *const *)w.x;
    s.device = device;
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; i < w.n; i++)
            w.x[d][i] = 0.3;
    assert_int_equal(sl_deposit_make(&s, 1, s.rank ? 0 : w.n - 1, x, contrast, &total), SL_OK);
    assert_int_equal(sl_deposit_make(&s, 1, s.rank ? 0 : w.n, x, contrast, &total), SL_EGUARD);
    w.x[1][0] = NAN;
    assert_int_equal(sl_deposit_make(&s, 2, s.rank == 0, x, contrast, &total), SL_EINPUT);
    swarm_free(&w);
    free(contrast);
}

static void test_room(void **state)
{
    (void)state;
    double x = 0;
    unsigned found;
    struct sl_slab s = box(1 << 20, 1 << 20, 1 << 10);
    const struct sl_touch_list list = {1, 1, {&x, &x, &x}};
    assert_int_equal(device->deposit(device, &s, 1, &list, 1, &x, &found), SL_EMEM);
    assert_non_null(strstr(sl_error_text(), "no room"));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clouds), cmocka_unit_test(test_few_planes),
        cmocka_unit_test(test_many),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rest),   cmocka_unit_test(test_room)};
    if (sl_stats_cuda_open(MPI_COMM_WORLD, &device) != SL_OK || !device) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device->close(device);
    MPI_Finalize();
    return failed;
}
