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

/* Single precision beside double, 32^3 cells of 3 Mpc/h, or 32^3 particles on 64^3 cells, z = 99 or
 * 49 to 0, largest difference in all lines of the history. Dark matter alone: 1e-8 of energies. Gas
 * alone: 4e-6 of kinetic and potential energy, 5e-5 of heat, 5e-4 of the pressure of the emptiest
 * cell; mass to 7e-9. With tvd, to z = 1: 1e-6, 7e-5, 1.2e-3; with a field and glm 5e-5, 1.3e-3,
 * 2e-4. Gas with dark matter: 6e-4, 3e-3, 5e-5, as much as double precision differs from itself
 * where the start is rounded to single. No cell is repaired. In a shock front heat may be trusted
 * some steps earlier or later: then single cells differ by any factor, all pressures together by 1
 * to 3 %, kinetic energy by 2e-4 and heat by 2e-3 (3 of 11 runs of gas alone, to z = 1).
 *
 * Without what total energy keeps beside cold motion (sl_dual_told, core/cell/eos.h) 3e5 cells
 * were, and energies were off by 4e-3; without dual energy gas has no other heat. With ct shear is
 * no part of what tells heat from motion: single cells were hot by half too much at z = 16. */
static int check_single(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->resources_precision != SL_PRECISION_single || !sl_config_has_gas(cfg)) return SL_OK;
    if (!cfg->fluid_dual_energy)
        SL_WRONG(in, resources_precision,
                 "single: in an expanding universe (time.unit: redshift) rounding errors exceed "
                 "the thermal energy of cold gas, unless its entropy is followed; nearest: %s",
                 "double, or fluid.dual_energy: true");
    if (cfg->fluid_mhd == SL_MHD_ct)
        SL_WRONG(in, resources_precision,
                 "single: in an expanding universe (time.unit: redshift) rounding errors heat cold "
                 "gas with fluid.mhd: ct; nearest: %s",
                 "double, or fluid.mhd: glm");
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
    return check_single(in, cfg);
}

/* A number of steps needs a time for them; without one a run may end where it starts. */
static int check_end(const struct sl_inputs *in, const struct sl_config *cfg)
{
    const double start = cfg->ic_redshift, end = cfg->time_end;
    const bool steps = !sl_config_adaptive(cfg);
    if (end > start)
        SL_WRONG(in, time_end, "%g is above the redshift of the start, ic.redshift; nearest: %g",
                 end, steps ? start / 2 : start);
    if (steps && !(1 / (1 + end) > 1 / (1 + start)))
        SL_WRONG(in, time_end,
                 "%g is the redshift of the start, ic.redshift, and time.steps asks for %lld steps "
                 "between; nearest: %g, or time.steps: adaptive",
                 end, (long long)cfg->time_steps, start / 2);
    return SL_OK;
}

static int check_expansion(const struct sl_inputs *in, const struct sl_config *cfg)
{
    SL_TRY(check_end(in, cfg));
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
