/* friends.c - friends of friends on devices (core/measure/device.h): the groups of a set that an
 * independent program found, and those of the processor for lengths from a few cells in the box to
 * many, sides that differ, and clumps of thousands; what has no room is told.
 *
 * ranks: 1 2 3
 * emulated: 1 3
 */
#include "tests/friends.h"
#include "core/measure/device.h"

static struct sl_stats_device *device;

static void test_set(void **state)
{
    (void)state;
    check_set(device);
}

static void check_same(int turn, double length, const double side[3])
{
    static uint64_t want[MOST], name[MOST];
    for (uint64_t least = 1; least < 40; least += 19) {
        group_on(NULL, turn, length, side, least, want);
        group_on(device, turn, length, side, least, name);
        assert_memory_equal(name, want, count * sizeof *name);
    }
}

static void test_random(void **state)
{
    (void)state;
    for (int k = 0; k < RANDOM_SETS; k++) {
        make_random(k);
        check_same(k, random_length(k), random_side[k / 4]);
    }
}

/* All in one cell, and in a few. */
static void test_dense(void **state)
{
    (void)state;
    for (int shift = 20; shift < 30; shift += 3) {
        count = 0;
        for (int i = 0; i < 3000; i++) {
            int64_t x = below(INT64_C(1) << shift), y = below(INT64_C(1) << shift);
            add(x - (1 << 19), y, below(INT64_C(1) << shift));
        }
        check_same(0, LINKING / 2, random_side[0]);
    }
}

static void test_room(void **state)
{
    static const double cube[3] = {1, 1, 1};
    uint32_t x[3] = {0}, root = 7;
    (void)state;
    assert_int_equal(device->friends(device, (size_t)1 << 45, x, LINKING, cube, &root), SL_EMEM);
    assert_non_null(strstr(sl_error_text(), "no room"));
    assert_int_equal(device->friends(device, 1, x, LINKING, cube, &root), SL_OK);
    assert_int_equal(root, 0);
    assert_int_equal(device->friends(device, 0, NULL, LINKING, cube, NULL), SL_OK);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_set), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_dense), cmocka_unit_test(test_room)};
    if (sl_stats_cuda_open(MPI_COMM_WORLD, &device) != SL_OK || !device) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device->close(device);
    MPI_Finalize();
    return failed;
}
