/* expansion_tables.c - tests core/stats/expansion.h: the balance of Layzer and Irvine of energies
 * that hold it, and of some that do not; growth of shells against D(a). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/decay.h"
#include "core/stats/expansion.h"
#include "tests/cosmo.h"

enum { ROWS = 9, WIDTH = 16 };

static const char *const names[WIDTH] = {"time",           "time_unit",      "energy_kinetic",
                                         "energy_thermal", "energy_total",   "energy_potential",
                                         "mass",           "scale_factor",   "redshift",
                                         "mach_rms",       "cells_repaired", "cells_floored"};
enum { TIME, UNIT, KINETIC, THERMAL, TOTAL, POTENTIAL, MASS, SCALE, MACH = 9 };

/* W = -a^p from a = 1/100 to 1, and T so that the equation holds: T + W = W / p. */
static struct sl_series history(double p)
{
    struct sl_series s = {.ncol = 12, .nrow = ROWS};
    s.value = calloc((size_t)(ROWS * s.ncol), sizeof *s.value);
    assert_non_null(s.value);
    for (int c = 0; c < s.ncol; c++)
        snprintf(s.name[c], sizeof s.name[c], "%s", names[c]);
    for (int r = 0; r < ROWS; r++) {
        double a = 0.01 * pow(100, r / (ROWS - 1.0)), *row = &s.value[r * s.ncol];
        row[TIME] = row[UNIT] = r;
        row[SCALE] = a;
        row[POTENTIAL] = -pow(a, p);
        row[TOTAL] = pow(a, p) * (1 - 1 / p);
        row[THERMAL] = 0.25 * row[TOTAL];
        row[KINETIC] = 0.75 * row[TOTAL];
        row[MASS] = 2 + 0.5 * (r == ROWS - 1);
        row[MACH] = 1;
    }
    return s;
}

static double column_of(const struct sl_table *t, int row, const char *name)
{
    int c = sl_table_find(t, name);
    assert_true(c >= 0);
    return *sl_table_at(t, row, c);
}

static double found(const struct sl_summary *s, const char *name)
{
    const struct sl_quantity *q = sl_summary_find(s, name);
    return q ? q->value : NAN;
}

/* wrong, want: shares of the integral; the largest potential energy is 1. */
static void balance(double p, double wrong, double want)
{
    struct sl_series s = history(p);
    struct sl_tables tables = {0, 0, NULL};
    struct sl_summary summary = {.n = 0};
    double integral = (1 - pow(0.01, p)) / p; /* of W d ln a, without its sign */
    s.value[4 * s.ncol + TOTAL] += wrong * integral;
    assert_true(sl_expansion_is_recorded(&s));
    assert_int_equal(sl_expansion_energies(&s, 5.0 / 3, &tables, &summary), SL_OK);
    assert_int_equal(tables.n, 1);
    struct sl_table *t = &tables.table[0];
    assert_true(fabs(found(&summary, "layzer_irvine") - want * integral) < 1e-12);
    assert_true(fabs(column_of(t, ROWS - 1, "integral_of_potential") + integral) <
                1e-12 * integral);
    assert_true(fabs(column_of(t, ROWS - 1, "gained") + integral) < 1e-12 * integral);
    assert_true(column_of(t, 0, "gained") == 0 && column_of(t, 0, "integral_of_potential") == 0);
    assert_true(fabs(column_of(t, 0, "redshift") - 99) < 1e-11);
    assert_true(column_of(t, ROWS - 1, "mass_drift") == 0.25);
    sl_tables_release(&tables);
    sl_series_release(&s);
}

static void test_balance(void **state)
{
    (void)state;
    balance(3, 0, 0);
    balance(1, 0, 0);
    balance(2, 0.01, 0.01);
    balance(2, -0.3, 0.3);
}

/* M = a / 2 and U = a^(4/5), gamma = 1.4, as in uniform gas, beside the history above: what they
 * gain is all that the expansion gives them. */
static void test_sources(void **state)
{
    (void)state;
    struct sl_series s = history(3);
    struct sl_tables tables = {0, 0, NULL};
    struct sl_summary summary = {.n = 0};
    snprintf(s.name[MACH + 1], sizeof s.name[MACH + 1], "energy_magnetic");
    for (int r = 0; r < ROWS; r++) {
        double *row = &s.value[r * s.ncol], field = 0.5 * row[SCALE], heat = pow(row[SCALE], 0.8);
        row[KINETIC] += row[THERMAL];
        row[THERMAL] = heat, row[MACH + 1] = field;
        row[TOTAL] += field + heat;
    }
    assert_int_equal(sl_expansion_energies(&s, 1.4, &tables, &summary), SL_OK);
    const struct sl_table *t = &tables.table[0];
    double given = 0.5 * 0.99 + 1 - pow(0.01, 0.8);
    assert_true(fabs(column_of(t, ROWS - 1, "magnetic") - 0.5) < 1e-14);
    assert_true(fabs(column_of(t, ROWS - 1, "given") / given - 1) < 1e-2);
    assert_true(found(&summary, "layzer_irvine") < 1e-2);
    sl_tables_release(&tables);
    tables = (struct sl_tables){0, 0, NULL}, summary.n = 0;
    assert_int_equal(sl_expansion_energies(&s, 5.0 / 3, &tables, &summary), SL_OK);
    assert_true(found(&summary, "layzer_irvine") > 0.5);
    sl_tables_release(&tables);
    sl_series_release(&s);
}

/* A potential that does not change, or changes its sign: trapezoids. */
static void test_flat(void **state)
{
    (void)state;
    struct sl_series s = history(2);
    struct sl_tables tables = {0, 0, NULL};
    struct sl_summary summary = {.n = 0};
    for (int r = 0; r < ROWS; r++)
        s.value[r * s.ncol + POTENTIAL] = r < 4 ? 1 : -1;
    assert_int_equal(sl_expansion_energies(&s, 5.0 / 3, &tables, &summary), SL_OK);
    double step = log(100) / (ROWS - 1);
    assert_true(fabs(column_of(&tables.table[0], 3, "integral_of_potential") - 3 * step) < 1e-12);
    assert_true(fabs(column_of(&tables.table[0], 8, "integral_of_potential") + step) < 1e-12);
    sl_tables_release(&tables);
    sl_series_release(&s);
}

/* Start and end alone do not tell the integral between them. */
static void test_coarse(void **state)
{
    (void)state;
    struct sl_series s = history(2);
    struct sl_tables tables = {0, 0, NULL};
    struct sl_summary summary = {.n = 0};
    memcpy(&s.value[s.ncol], &s.value[(ROWS - 1) * s.ncol], (size_t)s.ncol * sizeof *s.value);
    s.nrow = 2;
    assert_int_equal(sl_expansion_energies(&s, 5.0 / 3, &tables, &summary), SL_OK);
    assert_int_equal(tables.n, 1);
    assert_true(isnan(found(&summary, "layzer_irvine")));
    sl_tables_release(&tables);
    sl_series_release(&s);
}

/* Without a universe nothing; in one the curves against time have the scale factor, and no decay is
 * reported. */
static void test_decay(void **state)
{
    (void)state;
    struct sl_series s = history(2);
    struct sl_tables tables = {0, 0, NULL};
    struct sl_summary summary = {.n = 0};
    assert_int_equal(sl_decay_measure(&s, (const double[2]){0, 0}, &tables, &summary), SL_OK);
    assert_true(fabs(column_of(&tables.table[0], ROWS - 1, "time_unit") - 1) < 1e-12);
    assert_true(isnan(found(&summary, "kinetic_energy")) && isnan(found(&summary, "energy_drift")));
    assert_true(isnan(found(&summary, "decay_exponent")) && found(&summary, "mass_drift") == 0.25);
    snprintf(s.name[SCALE], sizeof s.name[SCALE], "other");
    assert_false(sl_expansion_is_recorded(&s));
    assert_int_equal(sl_expansion_energies(&s, 5.0 / 3, &tables, &summary), SL_OK);
    assert_int_equal(tables.n, 1);
    sl_tables_release(&tables);
    sl_series_release(&s);
}

static void add_power(struct sl_tables *tables, const char *of, int number, double a,
                      const double power[5])
{
    char name[32];
    struct sl_table *t;
    snprintf(name, sizeof name, "matter_%s_%04d", of, number);
    assert_int_equal(sl_tables_add(tables, name, 5, 2, &t, "power"), SL_OK);
    sl_table_column(t, 0, "k", "h/Mpc");
    sl_table_column(t, 1, "power", "1");
    for (int i = 0; i < 5; i++)
        *sl_table_at(t, i, 1) = power[i];
    if (a > 0) sl_table_note(t, "scale_factor", a);
}

static void test_growth(void **state)
{
    (void)state;
    const struct sl_power_spec spec = {.cosmology = test_cosmology(2.7255),
                                       .n_s = 0.96,
                                       .k_pivot = 0.05,
                                       .norm = SL_POWER_sigma8,
                                       .sigma8 = 0.8,
                                       .z = 99};
    struct sl_linear l = {.u = {.c = spec.cosmology}};
    struct sl_tables tables = {0, 0, NULL};
    struct sl_table *other;
    assert_int_equal(sl_power_init(&spec, &l.power), SL_OK);
    /* D(99) / D(0) = 0.01307601 with radiation */
    assert_true(fabs(sl_linear_growth(&l, 1) * 0.01307601 - 1) < 1e-6);
    add_power(&tables, "gas", 0, 0.02, (double[]){4, 1, 9, 7, 7});
    assert_int_equal(sl_expansion_growth(&l, &tables), SL_OK);
    assert_int_equal(tables.n, 1); /* one snapshot has not grown */
    assert_int_equal(sl_tables_add(&tables, "decay", 1, 1, &other, "something else"), SL_OK);
    add_power(&tables, "gas", 1, 0.1, (double[]){16, 9, 9, 8, 8});
    add_power(&tables, "gas", 2, 0, (double[]){1, 1, 1, 1, 1}); /* of no universe */
    add_power(&tables, "gas", 3, 1, (double[]){1, 4, 81, 8, 8});
    assert_int_equal(sl_expansion_growth(&l, &tables), SL_OK);
    struct sl_table *t = &tables.table[tables.n - 1];
    assert_int_equal(t->nrow, 3);
    const double want[3][3] = {{1, 1, 1}, {2, 3, 1}, {0.5, 2, 3}};
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 3; i++)
            assert_true(fabs(*sl_table_at(t, r, 3 + i) - want[r][i]) < 1e-14);
    assert_true(column_of(t, 0, "linear") == 1 && column_of(t, 1, "redshift") == 9);
    double grown = sl_linear_growth(&l, 1) / sl_linear_growth(&l, 0.02);
    assert_true(fabs(column_of(t, 2, "linear") / grown - 1) < 1e-14 && grown > 30);
    add_power(&tables, "total", 0, 0.02, (double[]){1, 1, 1, 1, 1}); /* of all matter before gas */
    add_power(&tables, "total", 3, 1, (double[]){25, 1, 1, 1, 1});
    assert_int_equal(sl_expansion_growth(&l, &tables), SL_OK);
    t = &tables.table[tables.n - 1];
    assert_true(t->nrow == 2 && fabs(*sl_table_at(t, 1, 3) - 5) < 1e-14);
    sl_linear_release(&l);
    sl_tables_release(&tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance), cmocka_unit_test(test_sources),
        cmocka_unit_test(test_flat),    cmocka_unit_test(test_coarse),
        cmocka_unit_test(test_decay),   cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
