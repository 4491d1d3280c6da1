/* threads - pieces cover all items once with any number of threads, which work at the same time;
 * one that fails is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "core/sys/status.h"
#include "core/sys/threads.h"

enum { ITEMS = 1003 };

static atomic_int taken[ITEMS];
static size_t bad = ITEMS;

static int take(void *of, size_t from, size_t end)
{
    (void)of;
    for (size_t i = from; i < end; i++) {
        SL_CHECK(i != bad, SL_EINPUT, "item %zu is bad", i);
        taken[i]++;
    }
    return SL_OK;
}

static void covers(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 9; threads += 4)
        for (size_t piece = 1; piece <= 2 * ITEMS; piece *= 7) {
            memset(taken, 0, sizeof taken);
            assert_int_equal(sl_threads_allow(threads, 1), threads);
            assert_int_equal(sl_threads_run(ITEMS, piece, take, NULL), SL_OK);
            for (size_t i = 0; i < ITEMS; i++)
                assert_int_equal(taken[i], 1);
        }
    assert_int_equal(sl_threads_run(0, 8, take, NULL), SL_OK);
}

static atomic_int inside;

/* Waits until another thread has come in, some seconds at most. */
static int meet(void *of, size_t from, size_t end)
{
    const struct timespec nap = {0, 1000000};
    (void)of, (void)from, (void)end;
    inside++;
    for (int i = 0; i < 5000 && inside < 2; i++)
        nanosleep(&nap, NULL);
    return inside < 2 ? SL_FAIL(SL_EINPUT, "alone") : SL_OK;
}

static void together(void **state)
{
    (void)state;
    sl_threads_allow(2, 1);
    assert_int_equal(sl_threads_run(2, 1, meet, NULL), SL_OK);
}

static void tells(void **state)
{
    (void)state;
    bad = 700;
    for (int threads = 1; threads <= 4; threads++) {
        sl_threads_allow(threads, 1);
        assert_int_equal(sl_threads_run(ITEMS, 10, take, NULL), SL_EINPUT);
        assert_string_equal(sl_error_text(), "item 700 is bad");
    }
    bad = ITEMS;
}

/* Cores are shared out, and one thread is left to each. */
static void shares(void **state)
{
    (void)state;
    int all = sl_threads_allow(0, 1);
    assert_true(all >= 1);
    assert_int_equal(sl_threads_allow(0, 2), all / 2 > 1 ? all / 2 : 1);
    assert_int_equal(sl_threads_allow(0, 100000), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(covers), cmocka_unit_test(together),
                                       cmocka_unit_test(tells), cmocka_unit_test(shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
