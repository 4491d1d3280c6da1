/* fof.c - tests core/halo/fof.h and points.h: groups of a set of points that was made with
 * whole numbers and grouped by brute force, in any order; boxes of unequal sides; refused
 * lengths. ranks: 1 2 3 4 */
#include "core/sys/threads.h"
#include "tests/friends.h"

static void test_exact(void **state)
{
    (void)state;
    check_set(NULL);
}

/* ---- by brute force ---- */

static uint64_t find_root(uint64_t *parent, uint64_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void group_by_force(double length, const double side[3], uint64_t *parent)
{
    for (uint64_t i = 0; i < count; i++)
        parent[i] = i;
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < i; j++) {
            double sum = 0;
            for (int d = 0; d < 3; d++)
                sum += pow((int32_t)(set[i][d] - set[j][d]) * side[d], 2);
            uint64_t a = find_root(parent, i), b = find_root(parent, j);
            if (sum <= length * length) parent[a > b ? a : b] = a < b ? a : b;
        }
    for (uint64_t i = 0; i < count; i++)
        parent[i] = find_root(parent, i);
}

static void test_force(void **state)
{
    static uint64_t want[MOST], name[MOST];
    (void)state;
    for (int k = 0; k < RANDOM_SETS; k++) {
        make_random(k);
        group_by_force(random_length(k), random_side[k / 4], want);
        group_on(NULL, k, random_length(k), random_side[k / 4], 1, name);
        assert_memory_equal(name, want, count * sizeof *name);
    }
}

/* A chain through all of the box along z, whose least id is at its lower end, and friends with a
 * row between them where rows are less than a length wide. */
static void test_far(void **state)
{
    static const double cube[3] = {1, 1, 1};
    static uint64_t name[MOST];
    (void)state;
    count = 0;
    for (int i = 0; i < 91; i++)
        add(INT64_C(1) << 30, INT64_C(1) << 30, (INT64_C(1) << 32) / 100 * (i + 5));
    group_on(NULL, 0, (double)((INT64_C(1) << 32) / 100), cube, 1, name);
    for (int i = 0; i < 91; i++)
        assert_int_equal(name[i], 0);
    count = 0;
    add(7, (int64_t)(0.1999 * SL_POINT_BOX), 7);
    add(7, (int64_t)(0.4001 * SL_POINT_BOX), 7);
    group_on(NULL, 0, 0.2128 * SL_POINT_BOX, cube, 1, name);
    assert_true(name[0] == 0 && name[1] == 0);
}

static void test_refused(void **state)
{
    static const double flat[3] = {1, 1, 0.25};
    struct sl_points none = {0, NULL};
    struct sl_shares s;
    (void)state;
    assert_int_equal(sl_shares_make(MPI_COMM_WORLD, &none, &s), SL_OK);
    assert_int_equal(sl_fof_find(&s, 0.2 * SL_POINT_BOX, flat, 1, NULL), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "below 0.5"));
    assert_int_equal(sl_fof_find(&s, 0.1 * SL_POINT_BOX, flat, 1, NULL), SL_OK);
    sl_shares_release(&s);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sl_threads_allow(4, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_force),
                                       cmocka_unit_test(test_far), cmocka_unit_test(test_refused)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
