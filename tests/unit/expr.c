/* expr.c - arithmetic expressions and units as values of keys. */
#include "core/config/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int names(void *data, const char *name, struct sl_mark at, double *value)
{
    (void)data;
    if (strcmp(name, "a") == 0)
        *value = 3;
    else if (strcmp(name, "group.b") == 0)
        *value = 0.5;
    else if (strcmp(name, "units.length") == 0)
        *value = 1e3;
    else if (strcmp(name, "units.velocity") == 0)
        *value = 0;
    else
        return SL_FAIL_AT(at, "unknown %s", name);
    return SL_OK;
}

static const struct sl_mark place = {"f", 2, 11};

static int evaluate(const char *text, enum sl_unit unit, bool whole, double *value)
{
    struct sl_expr how = {"key", unit, whole, names, NULL};
    return sl_expr_value(text, place, &how, value);
}

static void is(const char *text, double expected)
{
    double value = NAN;
    if (evaluate(text, SL_UNIT_none, false, &value) != SL_OK || value != expected)
        fail_msg("%s gives %.17g, not %.17g (%s)", text, value, expected, sl_error_text());
}

static void with_unit(const char *text, enum sl_unit unit, double expected)
{
    double value = NAN;
    if (evaluate(text, unit, false, &value) != SL_OK ||
        fabs(value - expected) > 1e-15 * fabs(expected))
        fail_msg("%s gives %.17g, not %.17g (%s)", text, value, expected, sl_error_text());
}

/* Refused at this column of the text, with these words. */
static void bad_in(const char *text, enum sl_unit unit, bool whole, int column, const char *words)
{
    double value = 42;
    char head[32];
    snprintf(head, sizeof head, "f:2:%d: ", 10 + column);
    assert_int_equal(evaluate(text, unit, whole, &value), SL_EINPUT);
    assert_true(value == 42);
    if (strncmp(sl_error_text(), head, strlen(head)) != 0 || !strstr(sl_error_text(), words))
        fail_msg("'%s': '%s' is not '%s...%s'", text, sl_error_text(), head, words);
}

static void bad(const char *text, int column, const char *words)
{
    bad_in(text, SL_UNIT_none, false, column, words);
}

static void numbers(void **state)
{
    (void)state;
    is("0", 0);
    is("1", 1);
    is("-1", -1);
    is("+1", 1);
    is("1e-3", 1e-3);
    is("1.5E+2", 150);
    is(".5", 0.5);
    is("5.", 5);
    is("0.1", 0.1);
    is("4.9406564584124654e-324", 4.9406564584124654e-324);
    is("1.7976931348623157e308", 1.7976931348623157e308);
    is(" 7 ", 7);
}

static void arithmetic(void **state)
{
    (void)state;
    is("1 + 2 * 3", 7);
    is("(1 + 2) * 3", 9);
    is("2 - 3 - 4", -5);
    is("16 / 4 / 2", 2);
    is("2 ^ 3 ^ 2", 512);
    is("-2 ^ 2", -4);
    is("2 ^ -1", 0.5);
    is("(-2) ^ 2", 4);
    is("2 * -3", -6);
    is("--2", 2);
    is("5/3", 5. / 3.);
    is("2 * pi", 2 * 3.14159265358979323846);
    is("sqrt(16) + abs(-2)", 6);
    is("min(3, 1, 2) + max(1, 2)", 3);
    is("floor(2.5) + ceil(2.5)", 5);
    is("exp(log(1))", 1);
    is("2 / a", 2. / 3.);
    is("a*group.b", 1.5);
}

static void units_convert(void **state)
{
    (void)state;
    with_unit("2h", SL_UNIT_seconds, 7200);
    with_unit("10 min", SL_UNIT_seconds, 600);
    with_unit("1 d", SL_UNIT_seconds, 86400);
    with_unit("90", SL_UNIT_seconds, 90);
    with_unit("2 * 30 min", SL_UNIT_seconds, 3600);
    with_unit("1h + 10 min", SL_UNIT_seconds, 4200);
    with_unit("max(1 h, 2 min)", SL_UNIT_seconds, 3600);
    with_unit("1h / 1min", SL_UNIT_seconds, 60);
    with_unit("1h / 1min * 2 min", SL_UNIT_seconds, 7200);
    with_unit("1 GiB", SL_UNIT_bytes, 1073741824.);
    with_unit("1kB", SL_UNIT_bytes, 1000.);
    with_unit("2 km", SL_UNIT_length, 2e5 / 1e3);
    with_unit("2 kpc", SL_UNIT_length, 2 * 3.0856775814913673e21 / 1e3);
    with_unit("0.25", SL_UNIT_length, 0.25);
    with_unit("1 Mpc", SL_UNIT_cm, 3.0856775814913673e24);
    with_unit("3 km/s", SL_UNIT_cm_per_s, 3e5);
    with_unit("1e3 m", SL_UNIT_cm, 1e5);
}

static void bad_units(void **state)
{
    (void)state;
    bad("10 min", 4, "this key has no unit");
    bad_in("3 parsec", SL_UNIT_length, false, 3, "'parsec' is not a unit");
    bad_in("3 km", SL_UNIT_seconds, false, 3, "use one of: ms, s, min, h, d");
    bad_in("3 mins", SL_UNIT_seconds, false, 3, "'mins' is not a unit");
    bad_in("1 min * 2 min", SL_UNIT_seconds, false, 7, "units of this product");
    bad_in("1 / 2 min", SL_UNIT_seconds, false, 3, "units of this quotient");
    bad_in("(2 s)^2", SL_UNIT_seconds, false, 6, "power");
    bad_in("1 km/s", SL_UNIT_velocity, false, 3, "needs units.velocity");
}

static void bad_numbers(void **state)
{
    (void)state;
    bad("010", 1, "leading zeros");
    bad("1 + 007", 5, "leading zeros");
    bad("0x10", 1, "decimal");
    bad("0b1", 1, "decimal");
    bad("0o17", 1, "decimal");
    bad("1_000", 1, "underscores");
    bad("1:30", 1, "colons");
    bad("nan", 1, "finite");
    bad(".nan", 1, "finite");
    bad("-.inf", 2, "finite");
    bad("Infinity", 1, "finite");
    bad("1e999", 1, "64-bit");
    bad("1e-999", 1, "64-bit");
    bad("1e300 * 1e300", 1, "finite");
    bad("no", 1, "unknown no");
    bad("1,5", 2, "does not belong");
    bad("1 2", 3, "does not belong");
    bad("\xc3\xa4", 1, "is not a number");
    bad("1 + \xc3\xa4", 5, "is not a number");
}

static void bad_expressions(void **state)
{
    (void)state;
    bad("", 1, "ends where a number");
    bad("1 +", 4, "ends where a number");
    bad("(1", 1, "no )");
    bad("1)", 2, "does not belong");
    bad("1 / 0", 3, "division by zero");
    bad("1 / (a - 3)", 3, "division by zero");
    bad("sqrt(-1)", 1, "not a number");
    bad("log(0)", 1, "not a number");
    bad("(-1)^0.5", 1, "finite");
    bad("sqt(4)", 1, "did you mean sqrt");
    bad("sqrt(1, 2)", 1, "one value");
    bad("min(1)", 1, "two values");
    bad("min(1, 2", 9, ") is missing");
    bad("2 * unknown.key", 5, "unknown unknown.key");
    bad("a b", 3, "does not belong");
    bad("$(rm)", 1, "is not a number");
}

static void whole_numbers(void **state)
{
    (void)state;
    double value;
    assert_int_equal(evaluate("9007199254740992", SL_UNIT_none, true, &value), SL_OK);
    assert_true(value == 9007199254740992.);
    assert_int_equal(evaluate("2 ^ 10", SL_UNIT_none, true, &value), SL_OK);
    assert_int_equal(evaluate("1e3", SL_UNIT_none, true, &value), SL_OK);
    bad_in("1.5", SL_UNIT_none, true, 1, "whole number");
    bad_in("a / 2", SL_UNIT_none, true, 1, "whole number");
    bad_in("9007199254740993", SL_UNIT_none, true, 1, "too large");
    bad_in("9223372036854775808", SL_UNIT_none, true, 1, "too large");
    bad_in("99999999999999999999999", SL_UNIT_none, true, 1, "too large");
    bad_in("2^54", SL_UNIT_none, true, 1, "whole number");
}

static void depth_and_length_are_capped(void **state)
{
    (void)state;
    char text[2001];
    memset(text, '(', 200), text[200] = '\0';
    bad(text, 65, "nested more than 64");
    memset(text, '-', 200), text[200] = '\0';
    bad(text, 201, "ends where a number");
    for (int i = 0; i < 200; i++)
        memcpy(text + 2 * i, "2^", 3);
    bad(text, 129, "nested more than 64");
    for (int i = 0; i < 200; i++)
        memcpy(text + 2 * i, "+1", 3); /* long is not deep */
    is(text, 200);
    memset(text, '1', 2000), text[2000] = '\0';
    bad(text, 1, "more than 1000 bytes");
}

static void names_only_where_allowed(void **state)
{
    (void)state;
    struct sl_expr how = {"key", SL_UNIT_none, false, NULL, NULL};
    double value;
    assert_int_equal(sl_expr_value("a", place, &how, &value), SL_EINPUT);
    assert_int_equal(sl_expr_value("pi", place, &how, &value), SL_OK);
}

/* Random expressions against the compiler's arithmetic on the same operands. */
static void random_sums(void **state)
{
    (void)state;
    unsigned seed = 20240607;
    print_message("seed %u\n", seed);
    srand(seed);
    for (int n = 0; n < 2000; n++) {
        double a = rand() / 1e3 - 1e6, b = 1 + rand() % 1000, c = rand() * 1e-7;
        char text[200];
        snprintf(text, sizeof text, "%.17g + (%.17g - %.17g) / %.17g * 2", a, c, a, b);
        is(text, a + (c - a) / b * 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(units_convert),
        cmocka_unit_test(bad_units),
        cmocka_unit_test(bad_numbers),
        cmocka_unit_test(bad_expressions),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(depth_and_length_are_capped),
        cmocka_unit_test(names_only_where_allowed),
        cmocka_unit_test(random_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
