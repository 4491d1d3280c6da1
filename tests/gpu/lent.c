/* lent.c - fields that stay on a device (core/measure/lent.h): a density that particles made there
 * is fetched, summed along axes and over planes, and squared to the processor's bits.
 *
 * ranks: 1
 * emulated: 1
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpi.h>
#include <stdlib.h>

#include "core/measure/deposit.h"
#include "core/measure/device.h"
#include "core/measure/spectrum.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

enum { N0 = 13, N1 = 8, N2 = 6, CELLS = N0 * N1 * N2, PARTICLES = 4000 };
static struct sl_stats_device *device;
static struct sl_slab slab;
static double contrast[CELLS], out[CELLS];
static struct sl_lent_density rho;

static double at(int x, int y, int z)
{
    return (contrast[(z * N1 + y) * N0 + x] + 1) * rho.mean;
}

static int set_up(void **state)
{
    static double place[3][PARTICLES];
    const double *const x[3] = {place[0], place[1], place[2]}, length[3] = {1, 2, 3};
    const int n[3] = {N0, N1, N2};
    double *lent;
    (void)state;
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &slab);
    for (int i = 0; i < 3 * PARTICLES; i++) {
        double pair[2];
        struct sl_random_name name = {5, SL_RANDOM_VELOCITY, 0, {i, 0, 0}};
        sl_random_gauss(&name, 0, pair);
        place[i % 3][i / 3] = pair[0];
    }
    assert_int_equal(sl_deposit_make(&slab, 3, PARTICLES, x, contrast, &rho.number), SL_OK);
    slab.device = device;
    assert_int_equal(device->lent->lend(device, CELLS, &lent), SL_OK);
    assert_true(device->lent->has(device, lent));
    assert_false(device->lent->has(device, contrast));
    assert_int_equal(sl_deposit_make(&slab, 3, PARTICLES, x, lent, &rho.number), SL_OK);
    rho.contrast = lent;
    rho.mean = 0.3;
    return 0;
}

static int put_back(void **state)
{
    (void)state;
    device->lent->take_back(device, (double *)(uintptr_t)rho.contrast);
    assert_false(device->lent->has(device, rho.contrast));
    return 0;
}

static void test_fetch(void **state)
{
    (void)state;
    assert_int_equal(device->lent->fetch(device, rho.contrast, CELLS, out), SL_OK);
    assert_memory_equal(out, contrast, sizeof contrast);
}

static void test_planes(void **state)
{
    (void)state;
    assert_int_equal(device->lent->planes(device, &slab, &rho, out), SL_OK);
    for (int z = 0; z < N2; z++) {
        double sum = 0;
        for (int i = 0; i < N0 * N1; i++)
            sum += at(i % N0, i / N0, z);
        assert_memory_equal(&out[z], &sum, sizeof sum);
    }
}

/* A pixel of the maps along x, y and z. */
static void check(int axis, int line, int column, int from, int end)
{
    int width = axis == 0 ? N1 : N0;
    double sum = 0;
    for (int i = from; i < end; i++)
        sum += axis == 0   ? at(i, column, line)
               : axis == 1 ? at(column, i, line)
                           : at(column, line, i);
    assert_memory_equal(&out[line * width + column], &sum, sizeof sum);
}

static void test_maps(void **state)
{
    static const int n[3] = {N0, N1, N2};
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        for (int cell = -1; cell < n[axis]; cell++) {
            int code = cell < 0 ? device->lent->along(device, &slab, &rho, axis, out)
                                : device->lent->slice(device, &slab, &rho, axis, cell, out);
            assert_int_equal(code, SL_OK);
            for (int line = 0; line < (axis == 2 ? N1 : N2); line++)
                for (int column = 0; column < (axis == 0 ? N1 : N0); column++)
                    check(axis, line, column, cell < 0 ? 0 : cell, cell < 0 ? n[axis] : cell + 1);
        }
}

/* Sums of a spectrum have the bits of the same field on the host but for its transforms. */
static void test_spectrum(void **state)
{
    struct sl_shells host, there;
    const double *f[1] = {contrast};
    (void)state;
    assert_int_equal(sl_spectrum_make(&slab, 1, f, 1, NULL, &host), SL_OK);
    f[0] = rho.contrast;
    assert_int_equal(sl_spectrum_make(&slab, 1, f, 1, NULL, &there), SL_OK);
    assert_memory_equal(&host.grid, &there.grid, sizeof host.grid);
    assert_memory_equal(host.value, there.value,
                        (size_t)(host.nshell + 2) * SL_SPECTRUM_COLUMNS * sizeof *host.value);
    sl_spectrum_release(&host);
    sl_spectrum_release(&there);
}

static void test_over(void **state)
{
    double *over;
    (void)state;
    assert_int_equal(device->lent->lend(device, CELLS, &over), SL_OK);
    assert_int_equal(device->lent->over(device, &slab, &rho, 0.7, over), SL_OK);
    assert_int_equal(device->lent->fetch(device, over, CELLS, out), SL_OK);
    for (int i = 0; i < CELLS; i++) {
        double want = (contrast[i] + 1) * rho.mean / 0.7 - 1;
        assert_memory_equal(&out[i], &want, sizeof want);
    }
    device->lent->take_back(device, over);
}

static void test_room(void **state)
{
    double *lent = NULL;
    (void)state;
    assert_int_equal(device->lent->lend(device, (size_t)1 << 50, &lent), SL_EMEM);
    assert_null(lent);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fetch), cmocka_unit_test(test_planes),
        cmocka_unit_test(test_maps),  cmocka_unit_test(test_spectrum),
        cmocka_unit_test(test_over),  cmocka_unit_test(test_room)};
    if (sl_stats_cuda_open(MPI_COMM_WORLD, &device) != SL_OK || !device || !device->lent) return 1;
    int failed = cmocka_run_group_tests(tests, set_up, put_back);
    device->close(device);
    MPI_Finalize();
    return failed;
}
