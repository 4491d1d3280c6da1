/* place.c - programs are found beside the running one, wherever it was started from. */
#include "pipeline/launch/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sys/status.h"

static void beside_this_program(void **state)
{
    (void)state;
    char path[4096];
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(sl_place_program("place", path, sizeof path), SL_OK); /* this one */
    assert_int_equal(path[0], '/');
    assert_non_null(strstr(path, "/unit/place"));
    assert_int_equal(access(path, X_OK), 0);
}

static void what_is_not_there(void **state)
{
    (void)state;
    char path[4096], little[4];
    assert_int_equal(sl_place_program("sluice-none", path, sizeof path), SL_EUNAVAIL);
    assert_non_null(strstr(sl_error_text(), "sluice-none cannot be started: No such file"));
    assert_int_equal(sl_place_program("place", little, sizeof little), SL_EUNAVAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_this_program),
        cmocka_unit_test(what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
