/* universe.c - see universe.h. */
#include "core/cosmo/universe.h"

#include <math.h>
#include <string.h>

#include "core/config/config.h"
#include "core/cosmo/boltzmann_ini.h"
#include "core/cosmo/separate.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

int sl_universe_take(const struct sl_cmbfast *c, struct sl_universe *u)
{
    struct sl_cosmology *d = &u->c;
    double rest = 1 - c->omega_b - c->omega_c - c->omega_nu - c->omega_v;
    d->h = c->h0 / 100;
    d->omega_m = c->omega_b + c->omega_c;
    d->omega_b = c->omega_b;
    d->omega_k = fabs(rest) < 1e-6 ? 0 : rest;
    d->w0 = c->w;
    d->wa = c->wa;
    d->t_cmb = c->t_cmb;
    d->n_eff = c->n_nu;
    d->massive = c->massive;
    d->m_nu = c->omega_nu > 0 ? sl_cosmology_neutrino_mass(d, c->omega_nu) : 0;
    u->helium = c->y_he;
    if (c->n_s != 0) u->n_s = c->n_s;
    if (c->a_s > 0) u->a_s = c->a_s, u->k_pivot = c->k_pivot;
    return sl_cosmology_init(d);
}

static struct sl_cosmology cosmology_of(const struct sl_config *cfg)
{
    return (struct sl_cosmology){.h = cfg->cosmology_h,
                                 .omega_m = cfg->cosmology_omega_m,
                                 .omega_b = cfg->cosmology_omega_b,
                                 .omega_k = cfg->cosmology_omega_k,
                                 .w0 = cfg->cosmology_w0,
                                 .wa = cfg->cosmology_wa,
                                 .t_cmb = cfg->cosmology_t_cmb,
                                 .n_eff = cfg->cosmology_n_eff,
                                 .m_nu = cfg->cosmology_m_nu,
                                 .massive = (int)cfg->cosmology_massive_neutrinos};
}

double sl_universe_neutrinos(const struct sl_config *cfg)
{
    struct sl_cosmology c = cosmology_of(cfg);
    return sl_cosmology_neutrinos(&c);
}

/* By the keys, of which omega_m is that of all matter. */
static int take_keys(const struct sl_config *cfg, struct sl_cosmology *c)
{
    double nu = sl_cosmology_neutrinos(c);
    SL_CHECK(nu == 0 || c->omega_m - nu > c->omega_b, SL_EINPUT,
             "cosmology.m_nu: %g eV are Omega_nu = %.4g, and cosmology.omega_m: %g, which has them "
             "in it, leaves no dark matter beside cosmology.omega_b: %g",
             c->m_nu, nu, c->omega_m, c->omega_b);
    c->omega_m = cfg->cosmology_omega_m - nu;
    return sl_cosmology_init(c);
}

int sl_universe_init(const struct sl_config *cfg, const struct sl_named_bytes *parameters,
                     struct sl_universe *out)
{
    static const enum sl_power_norm norms[] = {[SL_NORMALISE_a_s] = SL_POWER_a_s,
                                               [SL_NORMALISE_sigma8] = SL_POWER_sigma8,
                                               [SL_NORMALISE_table] = SL_POWER_as_table};
    struct sl_universe u = {.c = cosmology_of(cfg),
                            .n_s = cfg->cosmology_n_s,
                            .a_s = cfg->cosmology_a_s,
                            .sigma8 = cfg->cosmology_sigma8,
                            .k_pivot = cfg->cosmology_k_pivot,
                            .helium = cfg->cosmology_helium,
                            .mean_overdensity = cfg->ic_mean_overdensity,
                            .norm = norms[cfg->cosmology_normalise]};
    if (parameters->path[0]) {
        struct sl_cmbfast c;
        bool ini = sl_boltzmann_ini_is(parameters->bytes, parameters->size);
        SL_TRY((ini ? sl_boltzmann_ini_parse
                    : sl_cmbfast_parse)(parameters->path, parameters->bytes, parameters->size, &c));
        SL_TRY(sl_universe_take(&c, &u));
    } else {
        SL_TRY(take_keys(cfg, &u.c));
    }
    u.around = u.c;
    SL_TRY(sl_separate_init(&u.around, u.mean_overdensity, &u.c));
    *out = u;
    return SL_OK;
}

double sl_universe_scale_factor(const struct sl_universe *u, double z)
{
    double a = 1 / (1 + z);
    return u->mean_overdensity != 0 ? sl_separate_box(&u->around, &u->c, a) : a;
}

double sl_universe_own_redshift(const struct sl_universe *u, double z)
{
    return u->mean_overdensity != 0 ? 1 / sl_universe_scale_factor(u, z) - 1 : z;
}

double sl_universe_redshift(const struct sl_universe *u, double a)
{
    return 1 / (u->mean_overdensity != 0 ? sl_separate_around(&u->around, &u->c, a) : a) - 1;
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
        double nyquist = PI * (double)sl_config_start_cells(cfg, d) / side;
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
    struct sl_transfer_ask ask = {.cosmology = &u->around,
                                  .a_s = u->a_s,
                                  .n_s = u->n_s,
                                  .k_pivot = u->k_pivot,
                                  .z = sl_universe_table_redshift(cfg),
                                  .extrapolate = cfg->ic_extrapolate,
                                  .one_fluid = cfg->ic_species != SL_IC_SPECIES_distinct &&
                                               cfg->ic_species != SL_IC_SPECIES_auto,
                                  .rescaled = u->norm == SL_POWER_sigma8};
    SL_CHECK(table->path[0], SL_EINPUT, "ic.transfer: table needs ic.table, the file");
    sl_universe_waves(cfg, &ask.k_low, &ask.k_high);
    SL_TRY(sl_transfer_parse(table->path, table->bytes, table->size, &u->around, ask.z, out));
    sl_transfer_trim(out, 0.5 * ask.k_low);
    sl_transfer_examine(out, &ask, &look, f);
    return first_wrong(table->path, f);
}

static enum sl_power_fit fit_of(const struct sl_config *cfg)
{
    return cfg->ic_transfer == SL_IC_TRANSFER_bbks                   ? SL_POWER_bbks
           : cfg->ic_transfer == SL_IC_TRANSFER_eisenstein_hu_smooth ? SL_POWER_eisenstein_hu_smooth
                                                                     : SL_POWER_eisenstein_hu;
}

/* Baryons stay behind dark matter until z = 10 or so, by how much is in transfer functions of the
 * start alone: what the growth of all matter scales, and what a fit or a spectrum of all matter
 * holds, is one function. table: NULL for a fit. */
static const char *one_function(const struct sl_config *cfg, const struct sl_transfer *table)
{
    double off = log((1 + cfg->ic_redshift) / (1 + sl_universe_table_redshift(cfg)));
    if (!table) return "a fit is of all matter";
    if (table->power) return "a table of P(k) is of all matter";
    if (fabs(off) > 1e-9) return "ic.mode: back_scaled has the growth of all matter";
    return NULL;
}

/* Whether each species follows its own transfer function. */
static int choose_species(const struct sl_config *cfg, const struct sl_transfer *table,
                          struct sl_findings *f, bool *one_fluid)
{
    const char *why = one_function(cfg, table);
    bool asked = cfg->ic_species == SL_IC_SPECIES_distinct,
         free = cfg->ic_species == SL_IC_SPECIES_auto;
    SL_CHECK(!asked || !why, SL_EINPUT,
             "ic.species: distinct needs transfer functions of ic.redshift, %g, with ic.mode: "
             "at_start: %s; nearest: one_fluid",
             cfg->ic_redshift, why);
    bool told = table && table->power && sl_universe_table_redshift(cfg) >= 10; /* by its look */
    if (free && why && !told && cfg->ic_redshift >= 10)
        sl_finding(
            f, SL_FINDING_WARN,
            "gas and dark matter start alike, and at z = %g gas is behind: %s; transfer "
            "functions of the start tell them apart, ic.species: one_fluid says that this is "
            "meant",
            cfg->ic_redshift, why);
    *one_fluid = !((asked || free) && !why);
    return SL_OK;
}

/* The default of cosmology.sigma8, with which a recipe says nothing. */
#define SIGMA8_DEFAULT 0.8

static int check_sigma8(const struct sl_config *cfg, const struct sl_universe *u,
                        const struct sl_power *p, struct sl_findings *f)
{
    bool given = cfg->cosmology_sigma8 != SIGMA8_DEFAULT && u->norm == SL_POWER_as_table;
    SL_CHECK(!given || fabs(p->sigma8 / cfg->cosmology_sigma8 - 1) < 0.03, SL_EINPUT,
             "the table has sigma8 = %.4g today, taken for z = %g, and cosmology.sigma8 says %g: "
             "another redshift, or cosmology.normalise: sigma8",
             p->sigma8, p->spec.table_z, cfg->cosmology_sigma8);
    if (p->sigma8 < 0.6 || p->sigma8 > 1)
        sl_finding(f, SL_FINDING_WARN, "sigma8 is %.3g today: outside 0.6 to 1.0", p->sigma8);
    return SL_OK;
}

/* Fits have no massive neutrinos. */
static int check_fit(const struct sl_config *cfg, const struct sl_universe *u)
{
    SL_CHECK(u->around.m_nu == 0 || cfg->ic_transfer == SL_IC_TRANSFER_table, SL_EINPUT,
             "ic.transfer: %s knows no massive neutrinos (cosmology.m_nu: %g); nearest: table, "
             "transfer functions of CAMB or CLASS with them, or cosmology.m_nu: 0",
             sl_choice_name("ic.transfer", cfg->ic_transfer), u->around.m_nu);
    return SL_OK;
}

/* Growth of what clusters from one scale factor to another over that if neutrinos were cold and
 * clustered with it, as on the longest waves; massless ones in their place make it a tenth less. */
static double share_of_growth(const struct sl_cosmology *c, double from, double to)
{
    struct sl_cosmology all = *c;
    all.omega_m = sl_cosmology_all(c);
    all.m_nu = 0;
    if (sl_cosmology_init(&all) != SL_OK) return 1;
    return sl_growth_at(c, to).d1 / sl_growth_at(c, from).d1 /
           (sl_growth_at(&all, to).d1 / sl_growth_at(&all, from).d1);
}

/* k in h/Mpc above which neutrinos stream freely today (Lesgourgues & Pastor 2006, eq. 93). */
static double free_streaming(const struct sl_cosmology *c)
{
    return 0.82 * c->m_nu / c->massive;
}

/* What is left out. */
static void tell_neutrinos(const struct sl_config *cfg, const struct sl_universe *u,
                           struct sl_findings *f)
{
    const struct sl_cosmology *c = &u->around;
    bool scaled = cfg->ic_mode == SL_IC_MODE_back_scaled;
    double to = scaled ? 1 / (1 + cfg->ic_table_redshift) : 1, from = 1 / (1 + cfg->ic_redshift);
    if (c->m_nu == 0) return;
    sl_finding(f, SL_FINDING_WARN,
               "neutrinos of %.3g eV in all are in H(a) and do not cluster: dark matter and "
               "baryons, Omega %.5g, are the matter of the box; waves longer than free streaming, "
               "k = %.2g h/Mpc today, are up to %.2g %% %s",
               c->m_nu, c->omega_m, free_streaming(c), 100 * (1 - share_of_growth(c, from, to)),
               scaled ? "too high at the start, and right at the redshift of the table"
                      : "too low today, by growth from the start");
}

static void take_to_box(const struct sl_config *cfg, const struct sl_universe *u,
                        struct sl_power *p)
{
    double now = sl_universe_scale_factor(u, cfg->ic_redshift);
    sl_power_to_box(p, &u->c, now, sl_universe_scale_factor(u, 0));
}

int sl_universe_power(const struct sl_config *cfg, const struct sl_universe *u,
                      const struct sl_named_bytes *table, struct sl_findings *f,
                      struct sl_power *out)
{
    struct sl_transfer t = {.z = -1};
    bool tabled = cfg->ic_transfer == SL_IC_TRANSFER_table;
    SL_CHECK(tabled || !table->path[0], SL_EINPUT,
             "ic.table is given, but ic.transfer is not: table");
    SL_TRY(check_fit(cfg, u));
    struct sl_power_spec spec = {.cosmology = u->around,
                                 .n_s = u->n_s,
                                 .k_pivot = u->k_pivot,
                                 .norm = u->norm,
                                 .a_s = u->a_s,
                                 .sigma8 = u->sigma8,
                                 .z = cfg->ic_redshift,
                                 .fit = fit_of(cfg)};
    spec.table_z = tabled ? sl_universe_table_redshift(cfg) : spec.z;
    int code = tabled ? take_table(cfg, u, table, f, &t) : SL_OK;
    if (code == SL_OK) tell_neutrinos(cfg, u, f);
    if (code == SL_OK) code = choose_species(cfg, tabled ? &t : NULL, f, &spec.one_fluid);
    spec.table = tabled ? &t : NULL;
    if (code == SL_OK) code = sl_power_init(&spec, out);
    sl_transfer_release(&t);
    if (code != SL_OK) return code;
    code = check_sigma8(cfg, u, out, f);
    if (code != SL_OK) sl_power_release(out);
    if (code == SL_OK && u->mean_overdensity != 0) take_to_box(cfg, u, out);
    return code;
}
