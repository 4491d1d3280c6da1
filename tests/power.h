/* power.h - what tests of tables made from a linear power begin with: that of a table in
 * tests/data/cosmo, and a comparison that says what is off. */
#ifndef SL_TESTS_POWER_H
#define SL_TESTS_POWER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/cosmo/power.h"
#include "tests/cosmo.h"

static inline void near(const char *what, double got, double want, double relative)
{
    if (fabs(got - want) <= relative * fabs(want)) return;
    fail_msg("%s is %.10g instead of %.10g (%.1e off)", what, got, want, got / want - 1);
}

/* Of a table of P(k) that is as it is at redshift z. */
static inline void open_power(const char *file, double z, struct sl_power *p)
{
    char path[600];
    struct sl_transfer t;
    struct sl_power_spec s = {.cosmology = test_cosmology(2.7255),
                              .n_s = 0.96,
                              .k_pivot = 0.05,
                              .norm = SL_POWER_as_table,
                              .z = z,
                              .table_z = z,
                              .table = &t};
    assert_int_equal(sl_transfer_read(test_data(file, path), &s.cosmology, z, &t), SL_OK);
    assert_int_equal(sl_power_init(&s, p), SL_OK);
    sl_transfer_release(&t);
}

#endif
