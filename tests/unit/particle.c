/* particle.c - tests core/cell/particle.h, one particle by itself: its cloud
 * has its centre where it is, one of tsc or pcs the same width everywhere, its
 * parts make up its whole mass, and a potential that is linear pulls it alike
 * everywhere. Runs see little of the first:
 * without gas they are the same with all clouds half a cell aside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "core/cell/particle.h"
#include "core/sys/random.h"

enum { CELLS = 12, PLACES = 1000 };

static uint32_t at[PLACES][3]; /* at random, but for the ends of cells */
static int64_t mass[PLACES];

static int up(void **unused)
{
    static const uint32_t ends[][3] = {{0, 1, 0xffffffff}, {0x7fffffff, 0x80000000, 0x15555555}};
    (void)unused;
    for (int i = 0; i < PLACES; i++) {
        uint64_t draw[4];
        sl_random_bits(&(struct sl_random_name){1, SL_RANDOM_BOOTSTRAP, 0, {0, 0, 0}}, (uint64_t)i,
                       draw);
        for (int d = 0; d < 3; d++)
            at[i][d] = i < 2 ? ends[i][d] : (uint32_t)draw[d];
        mass[i] = 1 + (int64_t)(draw[3] >> (11 + i % 50));
    }
    return 0;
}

static void centre(void **unused)
{
    (void)unused;
    for (int kernel = SL_KERNEL_cic; kernel < SL_KERNELS; kernel++)
        for (int i = 0; i < PLACES; i++) {
            struct sl_particle_axis a = sl_particle_weigh(kernel, at[i][0], CELLS);
            double sum = 0, middle = 0, width = 0;
            for (int k = 0; k < sl_kernel_cells(kernel); k++) {
                double x = (double)(a.cell + k) + 0.5 - at[i][0] * 0x1p-32 * CELLS;
                sum += a.w[k];
                middle += a.w[k] * ((double)(a.cell + k) + 0.5);
                width += a.w[k] * x * x;
                assert_true(a.w[k] >= 0 && x <= 0.5 * kernel + 0.5 && x >= -0.5 * kernel - 0.5);
            }
            assert_true(kernel == SL_KERNEL_cic ||
                        fabs(width - sl_kernel_cells(kernel) / 12.0) < 1e-14);
            assert_true(fabs(sum - 1) < 1e-15);
            assert_true(fabs(middle - at[i][0] * 0x1p-32 * CELLS) < 1e-14);
        }
    assert_int_equal(sl_particle_weigh(SL_KERNEL_ngp, 0x7fffffff, CELLS).cell, 5);
    assert_int_equal(sl_particle_weigh(SL_KERNEL_ngp, 0x80000000, CELLS).cell, 6);
}

static void weigh(int kernel, int i, struct sl_particle_axis axis[3])
{
    for (int d = 0; d < 3; d++)
        axis[d] = sl_particle_weigh(kernel, at[i][d], CELLS);
}

static void whole(void **unused)
{
    (void)unused;
    for (int kernel = 0; kernel < SL_KERNELS; kernel++)
        for (int i = 0; i < PLACES; i++) {
            struct sl_particle_axis axis[3];
            int64_t part[SL_KERNEL_MOST][SL_KERNEL_MOST][SL_KERNEL_MOST], sum = 0;
            weigh(kernel, i, axis);
            sl_particle_parts(kernel, mass[i], axis, part);
            int n = sl_kernel_cells(kernel);
            for (int k = 0; k < n * n * n; k++)
                sum += part[k / (n * n)][k / n % n][k % n];
            assert_true(sum == mass[i]);
        }
}

static void pull(void **unused)
{
    enum { SIDE = SL_KERNEL_MOST + 2 };
    static const double slope[3] = {2, -3, 5}, scale[3] = {0.5, 0.5, 0.5};
    double phi[SIDE][SIDE][SIDE];
    (void)unused;
    for (int k = 0; k < SIDE * SIDE * SIDE; k++)
        phi[k / (SIDE * SIDE)][k / SIDE % SIDE][k % SIDE] =
            slope[2] * (k / (SIDE * SIDE)) + slope[1] * (k / SIDE % SIDE) + slope[0] * (k % SIDE);
    for (int kernel = 0; kernel < SL_KERNELS; kernel++)
        for (int i = 0; i < PLACES; i++) {
            struct sl_particle_axis axis[3];
            double g[3];
            weigh(kernel, i, axis);
            sl_particle_pull(kernel, axis, &phi[1][1][1], SIDE, SIDE * SIDE, scale, g);
            for (int d = 0; d < 3; d++)
                assert_true(fabs(g[d] + slope[d]) < 1e-14);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centre),
        cmocka_unit_test(whole),
        cmocka_unit_test(pull),
    };
    return cmocka_run_group_tests(tests, up, NULL);
}
