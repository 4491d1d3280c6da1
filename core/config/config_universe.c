/* config_universe.c - see config_rules.h: an expanding universe (time.unit: redshift). */
#include "core/config/config_rules.h"

#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"

/* Redshifts of snapshots fall; those below time.end wait for a run that goes further. */
static int check_redshifts(const struct sl_inputs *in, const struct sl_config *cfg)
{
    double before = cfg->ic_redshift;
    for (int i = 0; i < cfg->output_redshift_n; before = cfg->output_redshift[i++])
        if (!(cfg->output_redshift[i] < before))
            SL_WRONG(in, output_redshift,
                     "%g after %g: redshifts must fall, and begin below ic.redshift, %g",
                     cfg->output_redshift[i], before, cfg->ic_redshift);
    return SL_OK;
}

/* What its equations ask of the gas. */
static int check_gas(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->fluid_eos == SL_EOS_isothermal)
        SL_WRONG(in, fluid_eos,
                 "isothermal: in an expanding universe (time.unit: redshift) its sound speed would "
                 "grow as the scale factor, and solvers have one for all times; nearest: ideal, "
                 "with fluid.gamma: %g its temperature stays as well",
                 1.001);
    if (cfg->gravity_four_pi_g > 0)
        SL_WRONG(in, gravity_four_pi_g,
                 "with time.unit: redshift it follows from cosmology.omega_m; nearest: %d", 0);
    if (cfg->resources_precision == SL_PRECISION_single)
        SL_WRONG(
            in, resources_precision,
            "%s: in an expanding universe (time.unit: redshift) rounding errors exceed the thermal "
            "energy of cold gas; nearest: double",
            "single");
    return SL_OK;
}

static int check_expansion(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->time_end > cfg->ic_redshift)
        SL_WRONG(in, time_end, "%g is above the redshift of the start, ic.redshift; nearest: %g",
                 cfg->time_end, cfg->ic_redshift);
    if (cfg->units_length > 0)
        SL_WRONG(in, units_length,
                 "with time.unit: redshift lengths are comoving Mpc/h; nearest: no %s", "units.*");
    if (cfg->statistics_average > 0)
        SL_WRONG(in, statistics_average, "does not work with time.unit: redshift; nearest: %d", 0);
    if (!sl_config_periodic(cfg))
        SL_WRONG(in, mesh_boundary, "with time.unit: redshift the box is periodic; nearest: %s",
                 "periodic");
    return check_gas(in, cfg);
}

/* A field at the start is one that the run follows. */
static int check_field(const struct sl_inputs *in, const struct sl_config *cfg)
{
    bool any = false;
    for (int d = 0; d < 3; d++)
        any |= cfg->cosmology_field[d] != 0;
    if (any && !sl_config_expands(cfg))
        SL_WRONG(in, cosmology_field, "needs %s", "time.unit: redshift");
    if (any && cfg->fluid_mhd == SL_MHD_none)
        SL_WRONG(in, cosmology_field, "needs a magnetic field (fluid.mhd); nearest: %s",
                 "[0, 0, 0]");
    return SL_OK;
}

/* Neutrinos with a mass have a temperature. */
static int check_neutrinos(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->cosmology_m_nu > 0 && !(cfg->cosmology_t_cmb > 0 && cfg->cosmology_n_eff > 0))
        SL_WRONG(in, cosmology_m_nu,
                 "%g: massive neutrinos have the temperature that cosmology.t_cmb and n_eff tell, "
                 "%g and %g; nearest: 0, or 2.7255 and 3.046",
                 cfg->cosmology_m_nu, cfg->cosmology_t_cmb, cfg->cosmology_n_eff);
    return SL_OK;
}

/* A box that is a universe of its own. */
static int check_mean(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->ic_mean_overdensity == 0) return SL_OK;
    if (cfg->cosmology_m_nu > 0)
        SL_WRONG(in, ic_mean_overdensity,
                 "%g: massive neutrinos (cosmology.m_nu: %g) do not follow a box that is a "
                 "universe of its own; nearest: 0",
                 cfg->ic_mean_overdensity, cfg->cosmology_m_nu);
    if (cfg->problem != SL_PROBLEM_cosmology)
        SL_WRONG(in, ic_mean_overdensity, "%g is of problem cosmology; nearest: 0",
                 cfg->ic_mean_overdensity);
    if (cfg->ic_file[0])
        SL_WRONG(in, ic_mean_overdensity,
                 "%g is for starts that sluice makes, and ic.file has one of another code; "
                 "nearest: 0, or no ic.file",
                 cfg->ic_mean_overdensity);
    return SL_OK;
}

int sl_config_check_universe(const struct sl_inputs *in, const struct sl_config *cfg)
{
    SL_RULED(in, check_neutrinos(in, cfg));
    SL_RULED(in, check_mean(in, cfg));
    SL_RULED(in, check_field(in, cfg));
    if (!sl_config_expands(cfg)) {
        if (cfg->output_redshift_n > 0)
            SL_WRONG(in, output_redshift, "needs %s", "time.unit: redshift");
        return SL_OK;
    }
    SL_RULED(in, check_expansion(in, cfg));
    SL_RULED(in, check_redshifts(in, cfg));
    return SL_OK;
}
