/* cosmo.h - the universe of the tables in tests/data/cosmo, for tests. */
#ifndef SL_TESTS_COSMO_H
#define SL_TESTS_COSMO_H

#include <stdio.h>
#include <stdlib.h>

#include "core/cosmo/background.h"
#include "core/sys/status.h"

/* t_cmb = 0: without radiation. */
static inline struct sl_cosmology test_cosmology(double t_cmb)
{
    struct sl_cosmology c = {
        .h = 0.7, .omega_m = 0.3, .omega_b = 0.045, .w0 = -1, .t_cmb = t_cmb, .n_eff = 3.046};
    if (sl_cosmology_init(&c) != SL_OK) abort();
    return c;
}

/* Path of a file of tests/data/cosmo. */
static inline const char *test_data(const char *name, char path[600])
{
    const char *top = getenv("SLUICE_TOP");
    snprintf(path, 600, "%s/tests/data/cosmo/%s", top ? top : ".", name);
    return path;
}

#endif
