/* universe.h - what the keys cosmology.* and ic.* say about the universe and its power, with the
 * parameter file and the table that they name.
 *
 * Shapes  none
 * Units   box in comoving Mpc/h
 * Errors  SL_EINPUT with the key or the file; SL_EMEM
 * Owns    nothing, but for the power
 * MPI     local: files come as bytes, which rank 0 has read and shared
 * Where   host
 * Refs    none
 * Tests   tests/unit/cmbfast.c
 */
#ifndef SL_COSMO_UNIVERSE_H
#define SL_COSMO_UNIVERSE_H

#include "core/cosmo/cmbfast.h"
#include "core/cosmo/power.h"

struct sl_config;

/* A file that a key names, as bytes; path "" when it names none. */
struct sl_named_bytes {
    const char *path, *bytes;
    size_t size;
};

struct sl_universe {
    struct sl_cosmology c;      /* of the box: that in which a run and its waves go on */
    struct sl_cosmology around; /* the same, but for ic.mean_overdensity (separate.h) */
    double mean_overdensity;    /* ic.mean_overdensity */
    double n_s, a_s, sigma8, k_pivot, helium;
    enum sl_power_norm norm;
};

/* parameters: of cosmology.file. */
int sl_universe_init(const struct sl_config *cfg, const struct sl_named_bytes *parameters,
                     struct sl_universe *out);
/* Omega_nu of massive neutrinos by the keys, which is part of cosmology.omega_m. */
double sl_universe_neutrinos(const struct sl_config *cfg);
/* Scale factor and redshift of the box when the universe around it is at the redshift z, which is
 * that of keys: 1 / (1 + z) and z without ic.mean_overdensity; and the other way. */
double sl_universe_scale_factor(const struct sl_universe *u, double z);
double sl_universe_own_redshift(const struct sl_universe *u, double z);
double sl_universe_redshift(const struct sl_universe *u, double a);
/* The parameters of a CMBFAST file over those of the box. */
int sl_universe_take(const struct sl_cmbfast *c, struct sl_universe *u);

/* Redshift that ic.table is taken for. */
double sl_universe_table_redshift(const struct sl_config *cfg);

/* k of the longest wave of mesh.box and of the corner of the waves of the start's grid, in
 * h/Mpc. */
void sl_universe_waves(const struct sl_config *cfg, double *lowest, double *highest);

/* Power in the box at ic.redshift. Of a table that does not fit the first thing that is wrong is
 * the error; the rest of what was found is added to f. */
int sl_universe_power(const struct sl_config *cfg, const struct sl_universe *u,
                      const struct sl_named_bytes *table, struct sl_findings *f,
                      struct sl_power *out);

#endif
