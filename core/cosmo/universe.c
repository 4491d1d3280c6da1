/* universe.c - see universe.h. */
#include "core/cosmo/universe.h"

#include <math.h>
#include <string.h>

#include "core/sys/status.h"

#define PI 3.14159265358979323846

int sl_universe_take(const struct sl_cmbfast *c, struct sl_universe *u)
{
    struct sl_cosmology *d = &u->c;
    double rest = 1 - c->omega_b - c->omega_c - c->omega_v;
    d->h = c->h0 / 100;
    d->omega_m = c->omega_b + c->omega_c;
    d->omega_b = c->omega_b;
    d->omega_k = fabs(rest) < 1e-6 ? 0 : rest;
    d->w0 = c->w;
    d->wa = 0;
    d->t_cmb = c->t_cmb;
    d->n_eff = c->n_nu;
    u->helium = c->y_he;
    if (c->n_s != 0) u->n_s = c->n_s;
    return sl_cosmology_init(d);
}

int sl_universe_init(const struct sl_config *cfg, const struct sl_named_bytes *parameters,
                     struct sl_universe *out)
{
    static const enum sl_power_norm norms[] = {[SL_NORMALISE_a_s] = SL_POWER_a_s,
                                               [SL_NORMALISE_sigma8] = SL_POWER_sigma8,
                                               [SL_NORMALISE_table] = SL_POWER_as_table};
    struct sl_universe u = {.c = {.h = cfg->cosmology_h,
                                  .omega_m = cfg->cosmology_omega_m,
                                  .omega_b = cfg->cosmology_omega_b,
                                  .omega_k = cfg->cosmology_omega_k,
                                  .w0 = cfg->cosmology_w0,
                                  .wa = cfg->cosmology_wa,
                                  .t_cmb = cfg->cosmology_t_cmb,
                                  .n_eff = cfg->cosmology_n_eff},
                            .n_s = cfg->cosmology_n_s,
                            .a_s = cfg->cosmology_a_s,
                            .sigma8 = cfg->cosmology_sigma8,
                            .k_pivot = cfg->cosmology_k_pivot,
                            .helium = cfg->cosmology_helium,
                            .norm = norms[cfg->cosmology_normalise]};
    if (parameters->path[0]) {
        struct sl_cmbfast c;
        SL_TRY(sl_cmbfast_parse(parameters->path, parameters->bytes, parameters->size, &c));
        SL_TRY(sl_universe_take(&c, &u));
    } else {
        SL_TRY(sl_cosmology_init(&u.c));
    }
    *out = u;
    return SL_OK;
}

double sl_universe_table_redshift(const struct sl_config *cfg)
{
    return cfg->ic_mode == SL_IC_MODE_back_scaled ? cfg->ic_table_redshift : cfg->ic_redshift;
}

void sl_universe_waves(const struct sl_config *cfg, double *lowest, double *highest)
{
    double longest = 0, square = 0;
    for (int d = 0; d < sl_config_dim(cfg); d++) {
        double side = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
        double nyquist = PI * (double)cfg->mesh_cells[d] / side;
        longest = fmax(longest, side);
        square += nyquist * nyquist;
    }
    *lowest = 2 * PI / longest;
    *highest = sqrt(square);
}

/* The first wrong thing of f. */
static int first_wrong(const char *path, const struct sl_findings *f)
{
    for (int i = 0; i < f->n; i++)
        SL_CHECK(f->item[i].kind != SL_FINDING_WRONG, SL_EINPUT, "%s: %s", path, f->item[i].text);
    return SL_OK;
}

static int take_table(const struct sl_config *cfg, const struct sl_universe *u,
                      const struct sl_named_bytes *table, struct sl_findings *f,
                      struct sl_transfer *out)
{
    struct sl_transfer_look look;
    struct sl_transfer_ask ask = {.cosmology = &u->c,
                                  .a_s = u->a_s,
                                  .n_s = u->n_s,
                                  .k_pivot = u->k_pivot,
                                  .z = sl_universe_table_redshift(cfg),
                                  .extrapolate = cfg->ic_extrapolate,
                                  .one_fluid = cfg->ic_species != SL_IC_SPECIES_distinct,
                                  .rescaled = u->norm == SL_POWER_sigma8};
    SL_CHECK(table->path[0], SL_EINPUT, "ic.transfer: table needs ic.table, the file");
    sl_universe_waves(cfg, &ask.k_low, &ask.k_high);
    SL_TRY(sl_transfer_parse(table->path, table->bytes, table->size, &u->c, ask.z, out));
    sl_transfer_examine(out, &ask, &look, f);
    return first_wrong(table->path, f);
}

static enum sl_power_fit fit_of(const struct sl_config *cfg)
{
    return cfg->ic_transfer == SL_IC_TRANSFER_bbks                   ? SL_POWER_bbks
           : cfg->ic_transfer == SL_IC_TRANSFER_eisenstein_hu_smooth ? SL_POWER_eisenstein_hu_smooth
                                                                     : SL_POWER_eisenstein_hu;
}

int sl_universe_power(const struct sl_config *cfg, const struct sl_universe *u,
                      const struct sl_named_bytes *table, struct sl_findings *f,
                      struct sl_power *out)
{
    struct sl_transfer t = {.z = -1};
    bool tabled = cfg->ic_transfer == SL_IC_TRANSFER_table;
    SL_CHECK(tabled || !table->path[0], SL_EINPUT,
             "ic.table is given, but ic.transfer is not: table");
    struct sl_power_spec spec = {.cosmology = u->c,
                                 .n_s = u->n_s,
                                 .k_pivot = u->k_pivot,
                                 .norm = u->norm,
                                 .a_s = u->a_s,
                                 .sigma8 = u->sigma8,
                                 .z = cfg->ic_redshift,
                                 .fit = fit_of(cfg),
                                 .one_fluid = cfg->ic_species != SL_IC_SPECIES_distinct};
    spec.table_z = tabled ? sl_universe_table_redshift(cfg) : spec.z;
    if (tabled) {
        int code = take_table(cfg, u, table, f, &t);
        if (code != SL_OK) {
            sl_transfer_release(&t);
            return code;
        }
        spec.table = &t;
    }
    int code = sl_power_init(&spec, out);
    sl_transfer_release(&t);
    return code;
}
