/* new.c - the verb new leaves no memory behind: with a recipe that ships, with none, with a file
 * that is there, with a problem that is unknown. ranks: 1 */
#include "cmd/cmd_new.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int call(const char *problem, const char *file)
{
    char verb[] = "new", first[64], second[64];
    char *words[] = {verb, first, second, NULL};
    snprintf(first, sizeof first, "%s", problem);
    snprintf(second, sizeof second, "%s", file);
    return sl_verb_new.run(3, words);
}

static void leaves_nothing(void **state)
{
    (void)state;
    assert_int_equal(call("sod", "/dev/null"), SL_EGUARD);
    assert_int_equal(call("array", "/dev/null"), SL_EGUARD);
    assert_int_equal(call("sod", "/nowhere/sod.yaml"), SL_EIO);
    assert_int_equal(call("sodd", "/dev/null"), SL_EUSAGE);
    assert_int_equal(call("noh", "-"), SL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
