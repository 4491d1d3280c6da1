/* config_statistics.c - see config_rules.h: what is measured. */
#include "core/config/config_rules.h"

#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"

bool sl_config_measures_particles(const struct sl_config *cfg)
{
    return cfg->statistics_matter & (1u << SL_MATTER_particles | 1u << SL_MATTER_cross |
                                     1u << SL_MATTER_total | 1u << SL_MATTER_multipoles);
}

/* Whether the start has particles of dark matter. */
static bool has_particles(const struct sl_config *cfg)
{
    return cfg->problem == SL_PROBLEM_cosmology && cfg->ic_particles &&
           cfg->ic_species != SL_IC_SPECIES_baryons;
}

/* Maps of what the run does not have are refused where they were asked for by name. */
static int check_maps(const struct sl_inputs *in, const struct sl_config *cfg)
{
    unsigned maps = cfg->statistics_maps, field = 0;
    for (int i = SL_MAP_magnetic; i <= SL_MAP_current; i++)
        field |= 1u << i;
    if (cfg->fluid_mhd == SL_MHD_none && maps & field)
        SL_WRONG(in, statistics_maps, "%s need a magnetic field (fluid.mhd)",
                 "magnetic and current");
    if (cfg->fluid_scalars == 0 && maps >> SL_MAP_scalar & 1)
        SL_WRONG(in, statistics_maps, "%s needs fluid.scalars", "scalar");
    if (!cfg->output_potential && maps >> SL_MAP_potential & 1)
        SL_WRONG(in, statistics_maps, "%s needs output.potential: true", "potential");
    if (cfg->mesh_cells_n < 3 && cfg->statistics_map_axes != 1u << SL_AXIS_z)
        SL_WRONG(in, statistics_map_axes, "in two dimensions the line of sight is %s", "z");
    return SL_OK;
}

/* Profiles of what the run does not have. */
static int check_profiles(const struct sl_inputs *in, const struct sl_config *cfg)
{
    unsigned asked = cfg->statistics_profiles,
             heat = 1u << SL_PROFILE_temperature | 1u << SL_PROFILE_entropy;
    if (cfg->fluid_mhd == SL_MHD_none && asked >> SL_PROFILE_magnetic & 1)
        SL_WRONG(in, statistics_profiles, "%s needs a magnetic field (fluid.mhd)", "magnetic");
    if (cfg->fluid_scalars == 0 && asked >> SL_PROFILE_scalar & 1)
        SL_WRONG(in, statistics_profiles, "%s needs fluid.scalars", "scalar");
    if (!cfg->output_potential && asked >> SL_PROFILE_potential & 1)
        SL_WRONG(in, statistics_profiles, "%s needs output.potential: true", "potential");
    if (cfg->fluid_eos == SL_EOS_isothermal && asked & heat)
        SL_WRONG(in, statistics_profiles, "%s needs an energy equation (fluid.eos)",
                 asked >> SL_PROFILE_temperature & 1 ? "temperature" : "entropy");
    return SL_OK;
}

static int check_haloes(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->statistics_haloes > 0 && !has_particles(cfg))
        SL_WRONG(
            in, statistics_haloes,
            "%g needs dark matter: problem: cosmology, ic.particles: true, ic.species other than "
            "baryons; nearest: 0, no haloes",
            cfg->statistics_haloes);
    if (cfg->statistics_progenitors && !(cfg->statistics_haloes > 0))
        SL_WRONG(in, statistics_progenitors, "%s needs haloes; nearest: statistics.haloes: 0.2",
                 "true");
    if (cfg->statistics_progenitors && !sl_config_wants(cfg, SL_SOURCE_particles))
        SL_WRONG(in, statistics_progenitors,
                 "%s needs dark matter that moves (time.unit: redshift); nearest: false", "true");
    return SL_OK;
}

/* What is measured without snapshots. */
static int check_in_run(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (!cfg->statistics_in_run) return SL_OK;
    if (sl_config_has_gas(cfg))
        SL_WRONG(in, statistics_in_run,
                 "%s is for particles alone (fluid.eos: none), and there is gas; nearest: false",
                 "true");
    if (cfg->statistics_progenitors)
        SL_WRONG(in, statistics_in_run,
                 "%s does not go with statistics.progenitors, which needs the particles of two "
                 "snapshots; nearest: false",
                 "true");
    if (*cfg->stages_snapshot)
        SL_WRONG(in, statistics_in_run,
                 "%s leaves no snapshots, which stages.snapshot reads; nearest: false", "true");
    return SL_OK;
}

/* What is measured of the start alone. */
static int check_start(const struct sl_inputs *in, const struct sl_config *cfg)
{
    bool moves = sl_config_wants(cfg, SL_SOURCE_particles);
    if (cfg->output_start || moves) return SL_OK;
    if (cfg->statistics_haloes > 0 || sl_config_measures_particles(cfg))
        SL_WRONG(in, output_start,
                 "%s, but particles that do not move are measured at the start; nearest: true",
                 "false");
    return SL_OK;
}

/* Times of statistics that no run has. */
static int check_times(const struct sl_inputs *in, const struct sl_config *cfg)
{
    const double *decay = cfg->statistics_decay, end = cfg->time_end;
    if (cfg->statistics_decay_n != 2)
        SL_WRONG(in, statistics_decay, "%d value for two: from when to when; nearest: [%g, 0]",
                 cfg->statistics_decay_n, cfg->statistics_decay_n ? decay[0] : 0);
    if (decay[1] > 0 && decay[1] <= decay[0])
        SL_WRONG(in, statistics_decay, "ends at %g, but begins at %g; nearest: [%g, %g]", decay[1],
                 decay[0], decay[1] < decay[0] ? decay[1] : 0, decay[0]);
    if (sl_config_reported(in, SL_KEY_time_end) || sl_config_expands(cfg)) return SL_OK;
    if (decay[0] > 0 && decay[0] >= end)
        SL_WRONG(
            in, statistics_decay,
            "begins at %g, but the run ends at time.end, %g; nearest: [0, 0], from the half-life",
            decay[0], end);
    if (cfg->statistics_average > 0 && cfg->statistics_average >= end)
        SL_WRONG(in, statistics_average,
                 "begins at %g, but the run ends at time.end, %g; nearest: 0, no averages",
                 cfg->statistics_average, end);
    return SL_OK;
}

static int check_lists(const struct sl_inputs *in, const struct sl_config *cfg)
{
    bool field = cfg->fluid_mhd != SL_MHD_none;
    if (cfg->statistics_level > cfg->mesh_levels)
        SL_WRONG(in, statistics_level, "the run has no level beyond mesh.levels; nearest: %lld",
                 (long long)cfg->mesh_levels);
    if (!field && cfg->statistics_spectra >> SL_SPECTRUM_magnetic & 1)
        SL_WRONG(in, statistics_spectra, "%s needs a magnetic field (fluid.mhd)", "magnetic");
    if (!field && cfg->statistics_joint >> SL_JOINT_magnetic & 1)
        SL_WRONG(in, statistics_joint, "%s needs a magnetic field (fluid.mhd)", "magnetic");
    if (cfg->fluid_eos == SL_EOS_isothermal && cfg->statistics_joint >> SL_JOINT_temperature & 1)
        SL_WRONG(in, statistics_joint, "%s needs an energy equation (fluid.eos)", "temperature");
    SL_TRY(check_maps(in, cfg));
    SL_TRY(check_profiles(in, cfg));
    if (cfg->statistics_structure == 1u << SL_STRUCTURE_diagonals)
        SL_WRONG(in, statistics_structure,
                 "%s needs velocity or density in the list; nearest: [velocity, diagonals]",
                 "diagonals");
    unsigned of_density =
        1u << SL_MATTER_correlation | 1u << SL_MATTER_bispectrum | 1u << SL_MATTER_counts;
    if (cfg->statistics_matter && !(cfg->statistics_matter & ~of_density))
        SL_WRONG(in, statistics_matter, "%s needs a density; nearest: [gas, %s]", "it",
                 cfg->statistics_matter >> SL_MATTER_correlation & 1  ? "correlation"
                 : cfg->statistics_matter >> SL_MATTER_bispectrum & 1 ? "bispectrum"
                                                                      : "counts");
    if (sl_config_measures_particles(cfg) && !has_particles(cfg))
        SL_WRONG(
            in, statistics_matter,
            "%s needs dark matter: problem: cosmology, ic.particles: true, ic.species other than "
            "baryons; nearest: %s",
            "particles", sl_config_has_gas(cfg) ? "[gas]" : "[]");
    if (cfg->statistics_matter >> SL_MATTER_multipoles & 1 &&
        !(sl_config_expands(cfg) && sl_config_wants(cfg, SL_SOURCE_particles)))
        SL_WRONG(in, statistics_matter,
                 "%s needs dark matter that moves (time.unit: redshift); nearest: [particles]",
                 "multipoles");
    if (cfg->statistics_fit_n == 2 && cfg->statistics_fit[1] > 0 &&
        cfg->statistics_fit[1] < cfg->statistics_fit[0] + 2)
        SL_WRONG(in, statistics_fit,
                 "a power law needs at least three shells; nearest: [%lld, %lld]",
                 (long long)cfg->statistics_fit[0], (long long)cfg->statistics_fit[0] + 2);
    return SL_OK;
}

/* Whether gas and particles go on together, so that all matter is both. */
static bool evolves_both(const struct sl_config *cfg)
{
    return sl_config_has_gas(cfg) && sl_config_expands(cfg) && has_particles(cfg) &&
           sl_config_wants(cfg, SL_SOURCE_particles);
}

int sl_config_check_statistics(const struct sl_inputs *in, struct sl_config *cfg)
{
    if (in && evolves_both(cfg) && !in->row[SL_KEY_statistics_matter].node)
        cfg->statistics_matter = 1u << SL_MATTER_total;
    SL_RULED(in, check_lists(in, cfg));
    SL_RULED(in, check_haloes(in, cfg));
    SL_RULED(in, check_in_run(in, cfg));
    SL_RULED(in, check_start(in, cfg));
    SL_RULED(in, check_times(in, cfg));
    return SL_OK;
}
