/* config_alone.c - see config_rules.h: particles alone, without gas (fluid.eos: none). */
#include "core/config/config_rules.h"

#include <string.h>

/* Keys of the gas may be written where they are the defaults: a run.yaml has all keys. */
static int check_fluid_keys(const struct sl_inputs *in, const struct sl_config *cfg)
{
    struct sl_config usual;
    sl_config_default(&usual);
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        char value[64], common[64], text[200];
        if (strncmp(sl_keys[i].path, "fluid.", 6) != 0 || i == SL_KEY_fluid_eos) continue;
        sl_key_print(&sl_keys[i], cfg, value, sizeof value);
        sl_key_print(&sl_keys[i], &usual, common, sizeof common);
        if (strcmp(value, common) == 0) continue;
        snprintf(text, sizeof text, "%s: there is no gas (fluid.eos: none); nearest: %s", value,
                 common);
        return sl_config_wrong(in, i, text);
    }
    return SL_OK;
}

/* Sources that do not act on particles. */
static int check_gas_sources(const struct sl_inputs *in, const struct sl_config *cfg)
{
    for (int i = 0; i < SL_SOURCE_COUNT; i++)
        if (i != SL_SOURCE_self_gravity && i != SL_SOURCE_particles &&
            sl_config_wants(cfg, (enum sl_source_id)i))
            SL_WRONG(in, fluid_eos, "none, but %s acts on gas alone; nearest: ideal",
                     sl_config_source_keys((enum sl_source_id)i));
    if (!sl_config_wants(cfg, SL_SOURCE_particles))
        SL_WRONG(in, fluid_eos,
                 "none leaves nothing to move: there are no particles (particles.file, "
                 "nbody.profile, ic.species or pancake.dark_matter); nearest: %s",
                 "ideal");
    return SL_OK;
}

/* Statistics that a density is enough for. */
static const unsigned density_spectra = 1u << SL_SPECTRUM_density,
                      density_structure = 1u << SL_STRUCTURE_density | 1u << SL_STRUCTURE_diagonals,
                      density_maps = 1u << SL_MAP_auto | 1u << SL_MAP_density;

static bool asked_besides(const struct sl_inputs *in, int key, unsigned flags, unsigned known)
{
    return in && in->row[key].node && flags & ~known;
}

/* Without gas the density is that of the particles, and it is zero in places. */
static int check_matter_statistics(const struct sl_inputs *in, const struct sl_config *cfg)
{
    const struct {
        int key;
        unsigned flags, known;
        const char *nearest;
    } row[] = {
        {SL_KEY_statistics_spectra, cfg->statistics_spectra, density_spectra, "[density]"},
        {SL_KEY_statistics_structure, cfg->statistics_structure, density_structure, "[density]"},
        {SL_KEY_statistics_pdf, cfg->statistics_pdf, 0, "[]"},
        {SL_KEY_statistics_joint, cfg->statistics_joint, 0, "[]"},
        {SL_KEY_statistics_profiles, cfg->statistics_profiles, 0, "[]"},
        {SL_KEY_output_sample, cfg->output_sample, 0, "[]"},
        {SL_KEY_statistics_maps, cfg->statistics_maps, density_maps, "[density]"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[160];
        if (!asked_besides(in, row[i].key, row[i].flags, row[i].known)) continue;
        snprintf(text, sizeof text,
                 "is of gas, and there is none (fluid.eos: none), but for the density of the "
                 "particles; nearest: %s",
                 row[i].nearest);
        return sl_config_wrong(in, row[i].key, text);
    }
    if (cfg->statistics_matter &
        (1u << SL_MATTER_gas | 1u << SL_MATTER_cross | 1u << SL_MATTER_total))
        SL_WRONG(in, statistics_matter, "%s needs gas (fluid.eos); nearest: [particles]",
                 cfg->statistics_matter >> SL_MATTER_gas & 1     ? "gas"
                 : cfg->statistics_matter >> SL_MATTER_cross & 1 ? "cross"
                                                                 : "total");
    if (cfg->statistics_average > 0)
        SL_WRONG(in, statistics_average, "%g: averages are of gas, and there is none; nearest: 0",
                 cfg->statistics_average);
    return SL_OK;
}

static int check_alone(const struct sl_inputs *in, const struct sl_config *cfg)
{
    SL_TRY(check_fluid_keys(in, cfg));
    SL_TRY(check_gas_sources(in, cfg));
    return check_matter_statistics(in, cfg);
}

/* What follows from there being no gas where the recipe does not say it. */
static void choose_alone(struct sl_config *cfg)
{
    if (cfg->ic_species == SL_IC_SPECIES_auto) cfg->ic_species = SL_IC_SPECIES_dark_matter;
    cfg->statistics_spectra &= density_spectra;
    cfg->statistics_structure &= density_structure;
    cfg->statistics_pdf = cfg->statistics_joint = cfg->output_sample = 0;
    cfg->statistics_profiles = 0;
    cfg->statistics_maps &= density_maps;
    if (cfg->statistics_structure == 1u << SL_STRUCTURE_diagonals) cfg->statistics_structure = 0;
}

int sl_config_check_alone(const struct sl_inputs *in, struct sl_config *cfg)
{
    if (sl_config_has_gas(cfg)) return SL_OK;
    SL_RULED(in, check_alone(in, cfg));
    choose_alone(cfg);
    return SL_OK;
}
