/* scale.c - what code units are in CGS: alone, as a part of more, in boxes of fewer dimensions, and
 * not at all. */
#include "core/config/scale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void says(const struct sl_scale *scale, const char *unit, const char *wanted)
{
    char text[128];
    sl_scale_say(scale, unit, text, sizeof text);
    assert_string_equal(text, wanted);
}

static void units_are_said(void **state)
{
    (void)state;
    const struct sl_scale none = {0}, cube = {2, 3, 10, 3, 0, 0}, plane = {2, 3, 10, 2, 0, 0};
    says(&none, "code energy / code volume", "code energy / code volume");
    says(&cube, "1", "1");
    says(&cube, "code time", "0.2 s");
    says(&cube, "code density", "3 g/cm^3");
    says(&cube, "code pressure", "300 erg/cm^3");
    says(&cube, "code mass", "24 g");
    says(&cube, "code energy", "2400 erg");
    says(&cube, "code field", "61.4 G"); /* sqrt(4 pi rho) v */
    says(&cube, "code velocity^2", "(10 cm/s)^2");
    says(&cube, "code energy / code volume", "(2400 erg) / (8 cm^3)");
    says(&cube, "code units of the row", "code units of the row");
    says(&plane, "code mass", "12 g/cm");
    says(&plane, "code volume", "4 cm^2");
    says(&plane, "code density", "3 g/cm^3");
}

static void units_of_a_universe(void **state)
{
    (void)state;
    const struct sl_scale half = {.dim = 3, .scale_factor = 0.5, .kelvin = 100},
                          times = {.dim = 3, .scale_factor = -1},
                          line = {.dim = 1, .scale_factor = -1};
    char text[64];
    says(&half, "code length", "Mpc/h");
    says(&half, "code velocity", "200 km/s");
    says(&half, "code velocity^2", "(200 km/s)^2");
    says(&half, "log10 of code density code length", "log10 of rho_m Mpc/h");
    says(&half, "code mass", "rho_m (Mpc/h)^3");
    says(&half, "code energy / code volume", "rho_m (Mpc/h)^3 (200 km/s)^2 / (Mpc/h)^3");
    says(&half, "1 / code time", "1 / (dt / a^2 in 1/H0)");
    says(&half, "code field", "(4 pi rho_m / a^3)^(1/2) 200 km/s");
    says(&half, "code field / code length", "(4 pi rho_m / a^3)^(1/2) 200 km/s / (Mpc/h)");
    says(&times, "code energy", "rho_m (Mpc/h)^3 (100 km/s / a)^2");
    says(&line, "code energy", "rho_m Mpc/h (100 km/s / a)^2");
    sl_scale_say_temperature(&half, "code velocity^2", text, sizeof text);
    assert_string_equal(text, "4e+06 K");
    sl_scale_say_temperature(&times, "code velocity^2", text, sizeof text);
    assert_string_equal(text, "(100 km/s / a)^2");
}

static void a_short_buffer_holds_what_fits(void **state)
{
    (void)state;
    const struct sl_scale cube = {2, 3, 10, 3, 0, 0};
    char text[8];
    sl_scale_say(&cube, "code energy / code volume", text, sizeof text);
    assert_string_equal(text, "(2400 e");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_are_said),
                                       cmocka_unit_test(units_of_a_universe),
                                       cmocka_unit_test(a_short_buffer_holds_what_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
