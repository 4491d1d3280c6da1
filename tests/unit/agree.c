/* agree.c - ranks part only after they agree: on the code and the text of the lowest failing rank.
 * ranks: 1 2 3
 */
#include "core/sys/agree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <unistd.h>

#include "core/sys/status.h"

static int rank, size;

static void all_well(void **state)
{
    (void)state;
    assert_int_equal(sl_agree(MPI_COMM_WORLD, SL_OK), SL_OK);
    assert_int_equal(sl_agree_after(MPI_COMM_WORLD, SL_OK, 60), SL_OK);
}

/* Rank 0 has something left to do when all have decided to stop: that is no failure of one
 * alone. */
static void a_stop_waits(void **state)
{
    (void)state;
    if (rank == 0) usleep(300000);
    int code = sl_agree_after(MPI_COMM_WORLD, SL_FAIL(SL_EAGAIN, "stopped"), 0.05);
    assert_int_equal(code, SL_EAGAIN);
    assert_string_equal(sl_error_text(), "stopped");
}

static int agree_after(MPI_Comm comm, int code)
{
    return sl_agree_after(comm, code, 60);
}

static int fail_on(void *context)
{
    return rank == *(int *)context ? SL_FAIL(SL_EIO, "of rank %d", rank) : SL_OK;
}

/* Work that the last rank fails in, and that none fails in. */
static void work_of_one_failed(void **state)
{
    (void)state;
    int last = size - 1, none = size;
    char text[32];
    snprintf(text, sizeof text, "of rank %d", last);
    assert_int_equal(sl_agree_work(MPI_COMM_WORLD, fail_on, &last, 600), SL_EIO);
    assert_string_equal(sl_error_text(), text);
    assert_int_equal(sl_agree_work(MPI_COMM_WORLD, fail_on, &none, 600), SL_OK);
}

/* Every set of failing ranks. */
static void lowest_failing_rank_speaks(void **state)
{
    (void)state;
    for (unsigned i = 2; i < 2u << size; i++) {
        int (*agree)(MPI_Comm, int) = i % 2 ? agree_after : sl_agree;
        unsigned set = i / 2;
        int lowest = __builtin_ctz(set), code = SL_OK;
        sl_error_set("old");
        if (set >> rank & 1) code = SL_FAIL(rank == 0 ? SL_EMEM : SL_EIO, "of rank %d", rank);
        char text[32];
        snprintf(text, sizeof text, "of rank %d", lowest);
        assert_int_equal(agree(MPI_COMM_WORLD, code), lowest == 0 ? SL_EMEM : SL_EIO);
        assert_string_equal(sl_error_text(), text);
    }
}

/* All ranks get the largest numbers; one that failed is heard. */
static void largest_numbers(void **state)
{
    (void)state;
    double most[2] = {rank, -rank};
    assert_int_equal(sl_agree_most(MPI_COMM_WORLD, SL_OK, 2, most), SL_OK);
    assert_true(most[0] == size - 1 && most[1] == 0);
    for (int bad = 0; bad < size; bad++) {
        char text[32];
        snprintf(text, sizeof text, "of rank %d", bad);
        int code = fail_on(&bad);
        assert_int_equal(sl_agree_most(MPI_COMM_WORLD, code, 2, most), SL_EIO);
        assert_string_equal(sl_error_text(), text);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_well),
        cmocka_unit_test(a_stop_waits),
        cmocka_unit_test(work_of_one_failed),
        cmocka_unit_test(largest_numbers),
        cmocka_unit_test(lowest_failing_rank_speaks),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
