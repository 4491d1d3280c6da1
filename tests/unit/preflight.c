/* preflight.c - ranks: 1 3
 * What programs check before they begin: the number of ranks, GPUs, a place that can be written. */
#include "core/sys/preflight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sys/status.h"

static int size;

static void expect(const char *ranks, const char *gpus, const char *seen)
{
    assert_int_equal(setenv("SLUICE_RANKS", ranks, 1), 0);
    assert_int_equal(setenv("SLUICE_GPUS", gpus, 1), 0);
    if (seen)
        assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", seen, 1), 0);
    else
        unsetenv("CUDA_VISIBLE_DEVICES");
}

static void world(void **state)
{
    (void)state;
    char right[16];
    snprintf(right, sizeof right, "%d", size);
    unsetenv("SLUICE_RANKS");
    assert_int_equal(sl_preflight(MPI_COMM_WORLD, true), SL_OK); /* nobody said what to find */
    expect(right, "0", NULL);
    assert_int_equal(sl_preflight(MPI_COMM_WORLD, true), SL_OK);
    expect("7", "0", NULL);
    assert_int_equal(sl_preflight(MPI_COMM_WORLD, true), SL_EUNAVAIL);
    assert_non_null(strstr(sl_error_text(), "7 ranks were started, but MPI joined"));
}

static void gpus(void **state)
{
    (void)state;
    char right[16];
    snprintf(right, sizeof right, "%d", size);
    expect(right, "2", "0,1");
    assert_int_equal(sl_preflight(MPI_COMM_WORLD, true), SL_OK);
    expect(right, "2", NULL);
    assert_int_equal(sl_preflight(MPI_COMM_WORLD, true), SL_OK);
    expect(right, "2", "");
    assert_int_equal(sl_preflight(MPI_COMM_WORLD, true), SL_EUNAVAIL);
    assert_non_null(strstr(sl_error_text(), "rank 0 on"));
    assert_int_equal(sl_preflight(MPI_COMM_WORLD, false), SL_OK); /* who can do without */
    expect(right, "0", "");
    assert_int_equal(sl_preflight(MPI_COMM_WORLD, true), SL_OK);
}

static void no_place(void **state)
{
    (void)state;
    char right[16];
    snprintf(right, sizeof right, "%d", size);
    expect(right, "0", NULL);
    assert_int_equal(chdir("/proc"), 0); /* where nobody can write, not even root */
    assert_int_equal(sl_preflight(MPI_COMM_WORLD, true), SL_EIO);
    assert_non_null(strstr(sl_error_text(), "cannot write in /proc"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world),
        cmocka_unit_test(gpus),
        cmocka_unit_test(no_place),
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int code = chdir("/tmp") == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    MPI_Finalize();
    return code;
}
