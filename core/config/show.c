/* show.c - see show.h. */
#include "core/config/show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/keys.h"
#include "core/lists/boundary_list.h"
#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"

static const struct sl_show shows[] = {
#define SL_SHOW(name, what, maps, numbers) [SL_PROBLEM_##name] = {what, maps, numbers},
#include "problem_shows.def" /* generated */
#undef SL_SHOW
};
enum { SHOWS = sizeof shows / sizeof *shows };

const struct sl_show *sl_show_of(int problem)
{
    static const struct sl_show plain = {"energies", "density", ""};
    return problem >= 0 && problem < SHOWS && shows[problem].what ? &shows[problem] : &plain;
}

bool sl_show_has(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *s = words; (s = strstr(s, word)); s += n)
        if ((s == words || s[-1] == ' ') && (s[n] == ' ' || s[n] == '\0')) return true;
    return false;
}

/* Those of the problem that the run can have. */
static unsigned shown(const struct sl_config *cfg)
{
    static const char *const name[] = {
#define NAME(name, unit, about) #name,
        SL_MAP_LIST(NAME)
#undef NAME
    };
    const char *words = sl_show_of(cfg->problem)->maps;
    unsigned bits = 0, field = 1u << SL_MAP_magnetic | 1u << SL_MAP_magnetic_x |
                               1u << SL_MAP_magnetic_y | 1u << SL_MAP_magnetic_z |
                               1u << SL_MAP_current;
    for (int i = 0; i < SL_MAPS; i++)
        if (sl_show_has(words, name[i])) bits |= 1u << i;
    if (cfg->fluid_mhd == SL_MHD_none) bits &= ~field;
    if (cfg->fluid_scalars == 0) bits &= ~(1u << SL_MAP_scalar);
    if (cfg->output_potential) bits |= 1u << SL_MAP_potential;
    if (!sl_config_has_gas(cfg)) bits &= 1u << SL_MAP_density;
    if (cfg->fluid_eos == SL_EOS_isothermal)
        bits &= ~(1u << SL_MAP_pressure | 1u << SL_MAP_temperature);
    return bits;
}

unsigned sl_show_maps(const struct sl_config *cfg)
{
    unsigned bits = cfg->mesh_cells_n > 1 ? cfg->statistics_maps : 0;
    if (bits >> SL_MAP_auto & 1) bits |= shown(cfg);
    return bits & ~(1u << SL_MAP_auto);
}

bool sl_show_pressure(const struct sl_config *cfg)
{
    return cfg->statistics_joint >> SL_JOINT_temperature & 1 ||
           sl_show_maps(cfg) & (1u << SL_MAP_pressure | 1u << SL_MAP_temperature);
}

int sl_show_map_level(const struct sl_config *cfg)
{
    int level = (int)cfg->statistics_level;
    int64_t most = 0;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        most = cfg->mesh_cells[d] > most ? cfg->mesh_cells[d] : most;
    while (level < cfg->mesh_levels && most << (level + 1) <= SL_MAP_EDGE)
        level++;
    return level;
}

double sl_show_center(const struct sl_config *cfg, int axis)
{
#define NAME(name, ic, about) #name,
    static const char *const name[] = {SL_PROBLEM_NAMES(NAME)};
#undef NAME
    char path[80];
    if (cfg->problem < 0 || cfg->problem >= (int)(sizeof name / sizeof *name)) return NAN;
    snprintf(path, sizeof path, "%s.center", name[cfg->problem]);
    int key = sl_key_find(path);
    if (key < 0 || sl_keys[key].type != SL_TYPE_REALS || axis >= sl_keys[key].count) return NAN;
    return ((const double *)(const void *)((const char *)cfg + sl_keys[key].at))[axis];
}

int64_t sl_show_plane(const struct sl_config *cfg, int axis, int64_t cells)
{
    const double least = 1e-9; /* of a cell: centres on a face are in the upper one */
    double low = cfg->mesh_box[2 * axis], side = cfg->mesh_box[2 * axis + 1] - low,
           at = (sl_show_center(cfg, axis) - low) / side;
    int64_t margin = cfg->mesh_boundary[2 * axis] == SL_BOUNDARY_periodic ? 1 : 0, plane;
    bool below = sl_boundary_is_wall((enum sl_boundary)cfg->mesh_boundary[2 * axis]),
         above = sl_boundary_is_wall((enum sl_boundary)cfg->mesh_boundary[2 * axis + 1]);
    if (axis >= cfg->mesh_cells_n) return 0;
    if (at >= -least && at <= 1 + least)
        plane = (int64_t)floor(at * (double)cells + least);
    else
        plane = below == above ? cells / 2 : below ? 0 : cells - 1;
    if (cells <= 2 * margin) return cells / 2;
    if (plane > cells - 1 - margin) plane = cells - 1 - margin;
    return plane < margin ? margin : plane;
}
