/* command.c - commands of stages.*: words, quotation marks, places, and what may not be. */
#include "core/config/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/sys/status.h"

static void words(void **state)
{
    struct sl_command c;
    (void)state;
    assert_int_equal(sl_command_split("  python3\ta.py 'two words' \"it's\" x'y z'w '' ", &c),
                     SL_OK);
    const char *want[] = {"python3", "a.py", "two words", "it's", "xy zw", ""};
    assert_int_equal(c.n, 6);
    for (int i = 0; i < c.n; i++)
        assert_string_equal(c.word[i], want[i]);
    assert_int_equal(sl_command_split("", &c), SL_OK);
    assert_int_equal(c.n, 0);
    assert_int_equal(sl_command_split("a 'b c", &c), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "has no end"));
    char many[3 * SL_COMMAND_WORDS] = "";
    for (int i = 0; i < SL_COMMAND_WORDS + 1; i++)
        strncat(many, "x ", sizeof many - strlen(many) - 1);
    assert_int_equal(sl_command_split(many, &c), SL_EINPUT);
}

/* What is joined is cut into the same words. */
static void there_and_back(void **state)
{
    const char *word[] = {"a", "two words", "it's", "\"", "", "{member}"};
    char text[SL_TEXT_MAX];
    struct sl_command c;
    (void)state;
    assert_int_equal(sl_command_join(word, 6, text), SL_OK);
    assert_int_equal(sl_command_split(text, &c), SL_OK);
    assert_int_equal(c.n, 6);
    for (int i = 0; i < c.n; i++)
        assert_string_equal(c.word[i], word[i]);
    const char *both[] = {"'\""};
    assert_int_equal(sl_command_join(both, 1, text), SL_EINPUT);
    char wide[SL_TEXT_MAX];
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    const char *two[] = {wide, "y"};
    assert_int_equal(sl_command_join(two, 1, text), SL_OK);
    assert_int_equal(sl_command_join(two, 2, text), SL_EINPUT);
}

static void fill(void **state)
{
    const char *const path[SL_COMMAND_KINDS] = {
        [SL_COMMAND_member] = "/c/members/0001", [SL_COMMAND_campaign] = "/c"};
    char out[64];
    (void)state;
    assert_int_equal(sl_command_fill("--in={member}/stats:{campaign}{x}", path, out, sizeof out),
                     SL_OK);
    assert_string_equal(out, "--in=/c/members/0001/stats:/c{x}");
    assert_int_equal(sl_command_fill("{member}", path, out, 15), SL_EINPUT);
    assert_int_equal(sl_command_fill("{member}", path, out, 16), SL_OK);
    assert_true(sl_command_has_place("a{campaign}"));
    assert_false(sl_command_has_place("{a}campaign}"));
    sl_command_quote("a 'b'", out, sizeof out);
    assert_string_equal(out, "'a '\\''b'\\'''");
    sl_command_quote("a 'b'", out, 5);
    assert_string_equal(out, "'a '");
}

static void wrong(const char *text, enum sl_command_kind kind, const char *says)
{
    assert_int_equal(sl_command_check(text, kind), SL_EINPUT);
    if (!strstr(sl_error_text(), says)) fail_msg("'%s' does not say '%s'", sl_error_text(), says);
}

static void refusals(void **state)
{
    (void)state;
    assert_int_equal(sl_command_check("", SL_COMMAND_member), SL_OK);
    assert_int_equal(sl_command_check("a {snapshot} {member} {campaign} {A}", SL_COMMAND_snapshot),
                     SL_OK);
    assert_int_equal(sl_command_check("a", SL_COMMAND_campaign), SL_OK);
    wrong("a {snapshot}", SL_COMMAND_member, "knows no {snapshot}");
    wrong("a {member}", SL_COMMAND_campaign, "knows no {member}; nearest: {campaign}");
    wrong("a {membre}", SL_COMMAND_member, "nearest: {member}");
    wrong("a b", SL_COMMAND_snapshot, "nearest: a b {snapshot}");
    wrong("'' a", SL_COMMAND_member, "empty");
    wrong("a \"b", SL_COMMAND_member, "no end");
    wrong("a 'b'\"'\"'\"'", SL_COMMAND_member, "both kinds of quotation marks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(there_and_back),
                                       cmocka_unit_test(fill), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
