/* series.c - tests core/stats/series.h and decay.h: what is read from a history, what is refused,
 * the fit of a power law. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/measure/fit.h"
#include "core/stats/decay.h"
#include "core/stats/series.h"
#include "core/sys/status.h"

#define HEAD "# sluice history 1\n# campaign x\n" /* of older programs: names come last */

static int read_text(const char *text, struct sl_series *out)
{
    char path[] = "/tmp/sluice-series-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    int code = sl_series_read(path, out);
    unlink(path);
    return code;
}

static void test_read(void **state)
{
    struct sl_series s;
    int c;
    (void)state;
    assert_int_equal(
        read_text(HEAD "# time[code] step[1]\tmass[code]\n0\t0\t1\n1e-3\t7\t2.5\n", &s), SL_OK);
    assert_int_equal(s.ncol, 3);
    assert_int_equal(s.nrow, 2);
    assert_int_equal(sl_series_column(&s, "mass", &c), SL_OK);
    assert_true(sl_series_at(&s, 1, c) == 2.5 && sl_series_at(&s, 1, 0) == 1e-3);
    assert_int_equal(sl_series_column(&s, "nothing", &c), SL_EINPUT);
    sl_series_release(&s);
    assert_int_equal(read_text("time[code]\tmass[code]\n# sluice history 1\n0\t1\n1\t2\n", &s),
                     SL_OK);
    assert_int_equal(s.ncol, 2);
    assert_int_equal(s.nrow, 2);
    assert_int_equal(sl_series_column(&s, "mass", &c), SL_OK);
    assert_true(sl_series_at(&s, 0, c) == 1);
    sl_series_release(&s);
}

/* A run that went back to a checkpoint may have written lines twice: the later ones hold. */
static void test_later_lines_win(void **state)
{
    struct sl_series s;
    (void)state;
    assert_int_equal(
        read_text(HEAD "# time[code] step[1]\n0 0\n1 1\n2 2\n3 3\n1.5 20\n2.5 29\n2.5 30\n", &s),
        SL_OK);
    assert_int_equal(s.nrow, 4);
    assert_true(sl_series_at(&s, 2, 0) == 1.5 && sl_series_at(&s, 3, 1) == 30);
    sl_series_release(&s);
}

static void test_refuses(void **state)
{
    static const char *const text[] = {"",
                                       "# other\n0 1\n",
                                       HEAD,
                                       HEAD "# time[code] step[1]\n",
                                       HEAD "0 1\n",
                                       HEAD "# time[code] step[1]\n0 1\n1\n",
                                       HEAD "# time[code] step[1]\n0 x\n",
                                       HEAD "# time[code] step[1]\n0\n1 2\n"};
    struct sl_series s = {.ncol = -3};
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        assert_int_equal(read_text(text[i], &s), SL_EINPUT);
        assert_int_equal(s.ncol, -3);
    }
    assert_int_equal(sl_series_read("/nonexistent/history.tsv", &s), SL_EINPUT);
}

static void test_fit(void **state)
{
    double t[50], e[50];
    struct sl_power_law law;
    (void)state;
    for (int i = 0; i < 50; i++) {
        t[i] = 0.1 * i;
        e[i] = t[i] < 1 ? 7 : 3 * pow(t[i], -1.25);
    }
    assert_int_equal(sl_power_fit(50, t, e, 1, 10, &law), SL_OK);
    assert_true(fabs(law.exponent + 1.25) < 1e-12 && law.error < 1e-7 && law.points == 40);
    for (int i = 0; i < 50; i++)
        e[i] *= i % 2 ? 1.1 : 1 / 1.1;
    assert_int_equal(sl_power_fit(50, t, e, 1, 10, &law), SL_OK);
    assert_true(fabs(law.exponent + 1.25) < 3 * law.error && law.error > 0.01 && law.error < 0.1);
    assert_int_equal(sl_power_fit(50, t, e, 4.85, 10, &law), SL_EINPUT);
}

#define COLUMNS                                                                                    \
    "# time[code] time_unit[1] energy_kinetic[code] energy_thermal[code] energy_total[code] "      \
    "mach_rms[1] mass[code] cells_repaired[1] cells_floored[1]"

static void test_summary(void **state)
{
    struct sl_series s;
    struct sl_tables tables = {0, 0, NULL};
    struct sl_summary summary = {.n = 0};
    (void)state;
    assert_int_equal(read_text(HEAD COLUMNS "\n0 0 4 10 14 5 1 0 0\n1 10 3 11 14 4 1 0 0\n"
                                            "2 20 1 13 14 3 1 6 2\n",
                               &s),
                     SL_OK);
    assert_int_equal(sl_decay_measure(&s, (const double[2]){0, 0}, &tables, &summary), SL_OK);
    assert_true(sl_summary_find(&summary, "kinetic_energy")->value == 0.25);
    assert_true(sl_summary_find(&summary, "half_life")->value == 15);
    assert_true(sl_summary_find(&summary, "mach_rms_end")->value == 3);
    assert_true(sl_summary_find(&summary, "mass_drift")->value == 0);
    assert_true(sl_summary_find(&summary, "cells_repaired")->value == 6);
    assert_null(sl_summary_find(&summary, "decay_exponent")); /* two points only */
    assert_int_equal(tables.n, 1);
    assert_true(*sl_table_at(&tables.table[0], 1, 2) == 0.75);
    assert_int_equal(tables.table[0].ncol, 5);
    assert_null(sl_summary_find(&summary, "magnetic_energy")); /* no field */
    sl_tables_release(&tables);
    sl_series_release(&s);
}

/* The range of the fit is that of the recipe, or from one to four half-lives as far as the run
 * goes, and is noted. */
static void test_fit_range(void **state)
{
    struct sl_series s;
    char text[4000], *at = text;
    (void)state;
    at += snprintf(at, sizeof text, HEAD COLUMNS "\n");
    for (int i = 0; i <= 12;
         i++) { /* t^-1 up to t = 6, t^-2 beyond; half of the energy is left at t = 1 */
        double t = i, e = i == 0 ? 2 : i <= 6 ? 1 / t : 6 / (t * t);
        at += snprintf(at, 100, "%g %g %.15g 1 1 1 1 0 0\n", t, t, e);
    }
    assert_int_equal(read_text(text, &s), SL_OK);
    const double asked[6][2] = {{1, 6}, {6, 0}, {0, 0}, {0, 5}, {0, 0}, {0, 0}},
                 exponent[6] = {1, 2, 1, 1, 1, 1},
                 range[6][2] = {{1, 6}, {6, 12}, {1, 4}, {1, 5}, {1, 4}, {1, 3}};
    const int rows[6] = {13, 13, 13, 13, 6, 4};
    for (int i = 0; i < 6; i++) {
        s.nrow = rows[i];
        struct sl_tables tables = {0, 0, NULL};
        struct sl_summary summary = {.n = 0};
        assert_int_equal(sl_decay_measure(&s, asked[i], &tables, &summary), SL_OK);
        double found = sl_summary_find(&summary, "decay_exponent")->value;
        assert_true(fabs(found - exponent[i]) < 1e-9);
        assert_string_equal(tables.table[0].note[0].key, "fit_from");
        assert_true(fabs(tables.table[0].note[0].value - range[i][0]) < 1e-12);
        assert_true(fabs(tables.table[0].note[1].value - range[i][1]) < 1e-12);
        sl_tables_release(&tables);
    }
    sl_series_release(&s);
}

/* Motion that comes back after its half-life along a power law, as of sound, has no exponent. */
static void test_growth(void **state)
{
    struct sl_series s;
    char text[8000], *at = text;
    (void)state;
    at += snprintf(at, sizeof text, HEAD COLUMNS "\n");
    for (int i = 0; i <= 40; i++) { /* half of the energy is left at t = 1 */
        double t = 0.1 * i, e = t < 1 ? 2 - t : pow(t, 0.25);
        at += snprintf(at, 150, "%g %g %.15g 1 1 1 1 0 0\n", t, t, e);
    }
    assert_int_equal(read_text(text, &s), SL_OK);
    for (int asked = 0; asked < 2; asked++) {
        struct sl_tables tables = {0, 0, NULL};
        struct sl_summary summary = {.n = 0};
        const double range[2] = {asked ? 1 : 0, 0};
        assert_int_equal(sl_decay_measure(&s, range, &tables, &summary), SL_OK);
        assert_true((sl_summary_find(&summary, "decay_exponent") != NULL) == asked);
        sl_tables_release(&tables);
    }
    sl_series_release(&s);
}

/* A run that keeps more than half of its energy has no exponent, unless it is told where to fit. */
static void test_before_half_life(void **state)
{
    struct sl_series s;
    (void)state;
    assert_int_equal(read_text(HEAD COLUMNS "\n0 0 4 1 5 5 1 0 0\n1 1 3.9 1 5 5 1 0 0\n"
                                            "2 2 3.8 1 5 5 1 0 0\n3 3 3.7 1 5 5 1 0 0\n",
                               &s),
                     SL_OK);
    for (int from = 0; from < 2; from++) {
        struct sl_tables tables = {0, 0, NULL};
        struct sl_summary summary = {.n = 0};
        assert_int_equal(sl_decay_measure(&s, (const double[2]){from, 0}, &tables, &summary),
                         SL_OK);
        assert_true((sl_summary_find(&summary, "decay_exponent") != NULL) == (from > 0));
        sl_tables_release(&tables);
    }
    sl_series_release(&s);
}

/* Neither a run that ends before two half-lives nor one that gets its motion back has an exponent,
 * unless it is told where to fit. */
static void test_no_law(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct sl_series s;
        char text[8000], *at = text;
        at += snprintf(at, sizeof text, HEAD COLUMNS "\n");
        for (int i = 0; i <= 40; i++) { /* half of the energy is left at t = 1 */
            double t = 0.1 * i, e = i == 0 ? 2 : fmin(1 / t, 2);
            if (kind == 1 && t > 1.9) break;
            if (kind == 2 && t > 2) e *= t * t / 4;
            at += snprintf(at, 150, "%g %g %.15g 1 1 1 1 0 0\n", t, t, e);
        }
        assert_int_equal(read_text(text, &s), SL_OK);
        for (int asked = 0; asked < 2; asked++) {
            struct sl_tables tables = {0, 0, NULL};
            struct sl_summary summary = {.n = 0};
            const double range[2] = {asked ? 1 : 0, 0};
            assert_int_equal(sl_decay_measure(&s, range, &tables, &summary), SL_OK);
            assert_true((sl_summary_find(&summary, "decay_exponent") != NULL) ==
                        (asked || kind == 0));
            sl_tables_release(&tables);
        }
        sl_series_release(&s);
    }
}

/* Units stand in brackets, also of two words. */
static void test_units_in_heads(void **state)
{
    struct sl_series s;
    (void)state;
    assert_int_equal(
        read_text("time[3e13 s]\tmass[2e33 g]\tmomentum_x[2e38 g cm/s]\n1\t2\t3\n", &s), SL_OK);
    assert_int_equal(s.ncol, 3);
    assert_int_equal(sl_series_find(&s, "momentum_x"), 2);
    sl_series_release(&s);
}

/* What was printed with ten digits and read again is where it was: neither a row nor an end drops
 * out. */
static void test_range_read_again(void **state)
{
    const double t[] = {0.5, 0.6, 0.7}, e[] = {4, 3, 1};
    struct sl_power_law law;
    (void)state;
    assert_int_equal(sl_power_fit(3, t, e, 0.5000000000000002, 0.6999999999999998, &law), SL_OK);
    assert_int_equal(law.points, 3);
    assert_true(sl_power_within(1.0000000000000002, 0, 1));
    assert_true(sl_power_within(1, 0, INFINITY));
    assert_false(sl_power_within(1.0001, 0, 1));
    assert_false(sl_power_within(0.9999, 1, INFINITY));
}

static void test_field(void **state)
{
    struct sl_series s;
    struct sl_tables tables = {0, 0, NULL};
    struct sl_summary summary = {.n = 0};
    (void)state;
    assert_int_equal(read_text(HEAD COLUMNS " energy_magnetic[code] divergence_max[code]\n"
                                            "0 0 4 10 14 5 1 0 0 0.5 0\n"
                                            "1 10 4.5 11 14 4 1 0 0 2 3e-9\n",
                               &s),
                     SL_OK);
    assert_int_equal(sl_decay_measure(&s, (const double[2]){0, 0}, &tables, &summary), SL_OK);
    assert_true(sl_summary_find(&summary, "magnetic_energy")->value == 2);
    assert_non_null(sl_summary_find(&summary, "magnetic_energy_left"));
    assert_true(sl_summary_find(&summary, "magnetic_energy_left")->value == 4);
    assert_true(sl_summary_find(&summary, "alfven_mach")->value == 1.5);
    assert_true(sl_summary_find(&summary, "divergence_max")->value == 3e-9);
    assert_int_equal(tables.table[0].ncol, 8);
    assert_true(*sl_table_at(&tables.table[0], 1, 5) == 2);
    assert_true(*sl_table_at(&tables.table[0], 1, 6) == 0.5);
    assert_true(*sl_table_at(&tables.table[0], 1, 7) == 1.5); /* Alfven Mach number */
    sl_tables_release(&tables);
    sl_series_release(&s);
}

/* What a force does ends up in motion, field and heat. */
static void test_force(void **state)
{
    struct sl_series s;
    struct sl_tables tables = {0, 0, NULL};
    struct sl_summary summary = {.n = 0};
    (void)state;
    assert_int_equal(read_text(HEAD COLUMNS " energy_magnetic[code] driving_energy[code]\n"
                                            "0 0 0 10 10 0 1 0 0 0.5 0\n"
                                            "1 10 3 11 14.25 4 1 0 0 0.75 5\n",
                               &s),
                     SL_OK);
    assert_int_equal(sl_decay_measure(&s, (const double[2]){0, 0}, &tables, &summary), SL_OK);
    struct sl_table *t = &tables.table[0];
    assert_int_equal(t->ncol, 11);
    assert_true(*sl_table_at(t, 1, 8) == 3);     /* kinetic */
    assert_true(*sl_table_at(t, 1, 9) == 5);     /* work */
    assert_true(*sl_table_at(t, 1, 10) == 1.75); /* 5 - 3 - 0.25 */
    sl_tables_release(&tables);
    sl_series_release(&s);
}

/* What the gas has in its own gravity and in an external potential, and all energies together. */
static void test_potential(void **state)
{
    struct sl_series s;
    struct sl_tables tables = {0, 0, NULL};
    struct sl_summary summary = {.n = 0};
    (void)state;
    assert_int_equal(read_text(HEAD COLUMNS " energy_potential[code] energy_external[code]\n"
                                            "0 0 0 10 10 0 1 0 0 -6 2\n"
                                            "1 10 3 11 14 4 1 0 0 -9 1.5\n",
                               &s),
                     SL_OK);
    assert_int_equal(sl_decay_measure(&s, (const double[2]){0, 0}, &tables, &summary), SL_OK);
    struct sl_table *t = &tables.table[0];
    assert_int_equal(t->ncol, 8);
    assert_true(*sl_table_at(t, 1, 5) == 3);    /* kinetic */
    assert_true(*sl_table_at(t, 1, 6) == -7.5); /* potential */
    assert_true(*sl_table_at(t, 1, 7) == 6.5);  /* total 14, with it */
    sl_tables_release(&tables);
    sl_series_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read),
                                       cmocka_unit_test(test_later_lines_win),
                                       cmocka_unit_test(test_refuses),
                                       cmocka_unit_test(test_fit),
                                       cmocka_unit_test(test_summary),
                                       cmocka_unit_test(test_fit_range),
                                       cmocka_unit_test(test_growth),
                                       cmocka_unit_test(test_before_half_life),
                                       cmocka_unit_test(test_no_law),
                                       cmocka_unit_test(test_units_in_heads),
                                       cmocka_unit_test(test_range_read_again),
                                       cmocka_unit_test(test_field),
                                       cmocka_unit_test(test_force),
                                       cmocka_unit_test(test_potential)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
