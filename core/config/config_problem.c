/* config_problem.c - see config_rules.h: what sources and problems ask for in the rows of their
 * files. */
#include "core/config/config_rules.h"

#include <math.h>
#include <string.h>

#include "core/lists/boundary_list.h"
#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"
#include "core/lists/particle_list.h"
#include "core/lists/potential_list.h"
#include "core/lists/refine_list.h"

/* ---- sources ---- */

#define SOURCE_ROW(name, keys, wanted) {#name, keys},
static const struct {
    const char *name, *keys;
} sources[] = {SL_SOURCE_NAMES(SOURCE_ROW)};
#undef SOURCE_ROW

static bool directed(const double v[3])
{
    return v[0] != 0 || v[1] != 0 || v[2] != 0;
}

bool sl_config_wants(const struct sl_config *cfg, enum sl_source_id source)
{
#define SOURCE_CASE(name, keys, wanted)                                                            \
    case SL_SOURCE_##name:                                                                         \
        return wanted;
    switch (source) {
        SL_SOURCE_NAMES(SOURCE_CASE)
    case SL_SOURCE_COUNT:
        break;
    }
#undef SOURCE_CASE
    return false;
}

const char *sl_config_source_keys(enum sl_source_id source)
{
    return sources[source].keys;
}

static bool is_source(int i, const char *name)
{
    return name && strcmp(sources[i].name, name) == 0;
}

const char *sl_config_asked(const struct sl_config *cfg, const char *but, const char *also)
{
    for (int i = 0; i < SL_SOURCE_COUNT; i++)
        if (i != SL_SOURCE_comoving && i != SL_SOURCE_balance && !is_source(i, but) &&
            !is_source(i, also) && sl_config_wants(cfg, (enum sl_source_id)i))
            return sources[i].keys;
    return NULL;
}

/* ---- words for the conditions of rows ---- */

static bool periodic(const struct sl_config *cfg)
{
    return sl_config_periodic(cfg);
}

/* The most waves along the longest side of the box that the cells carry in any direction. */
static double waves_that_fit(const struct sl_config *cfg)
{
    double longest = 0, fit = 1e30;
    for (int d = 0; d < cfg->mesh_cells_n; d++)
        longest = fmax(longest, cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d]);
    for (int d = 0; d < cfg->mesh_cells_n; d++) {
        double stretch = longest / (cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d]);
        double along = (double)((cfg->mesh_cells[d] + 1) / 2);
        fit = fmin(fit, ceil(along * stretch) - 1);
    }
    return fit;
}

/* Sides of the box that are periodic. */
static int periodic_sides(const struct sl_config *cfg)
{
    int n = 0;
    for (int f = 0; f < 2 * cfg->mesh_cells_n; f++)
        n += cfg->mesh_boundary[f] == SL_BOUNDARY_periodic;
    return n;
}

static bool some(const int64_t *number, int n)
{
    while (n > 0 && number[n - 1] == 0)
        n--;
    return n > 0;
}

/* Whether rho, u, v, w, p is a state of the gas; the pressure of an isothermal one follows. */
static bool positive(const struct sl_config *cfg, const double state[5])
{
    return state[0] > 0 && (state[4] > 0 || cfg->fluid_eos == SL_EOS_isothermal);
}

/* The first odd number of mesh.cells; 0 where there is none. */
static int64_t odd_cells(const struct sl_config *cfg)
{
    for (int d = 0; d < cfg->mesh_cells_n; d++)
        if (cfg->mesh_cells[d] % 2) return cfg->mesh_cells[d];
    return 0;
}

/* The finest level of the mesh whose cells are no more along an axis than mesh.cells can be. */
static int64_t finest_start(const struct sl_config *cfg)
{
    int64_t level = cfg->mesh_levels;
    for (int d = 0; d < cfg->mesh_cells_n; d++)
        while (level > 0 && (double)(cfg->mesh_cells[d] << level) > sl_keys[SL_KEY_mesh_cells].max)
            level--;
    return level;
}

/* radiative_shock.x0, or the nearest place with two cells ahead of it and five behind it. */
static double standing_shock(const struct sl_config *cfg)
{
    const double *box = cfg->mesh_box, dx = (box[1] - box[0]) / (double)cfg->mesh_cells[0];
    return fmin(fmax(cfg->radiative_shock_x0, box[0] + 2 * dx), box[1] - 5 * dx);
}

/* From a place to the nearest side of a box of three axes, less so many cells. */
static double room_around(const struct sl_config *cfg, const double at[3], int cells)
{
    double room = 1e30;
    for (int d = 0; d < cfg->mesh_cells_n; d++) {
        const double *side = cfg->mesh_box + (ptrdiff_t)(2 * d);
        double cell = (side[1] - side[0]) / (double)cfg->mesh_cells[d];
        room = fmin(room, fmin(at[d] - side[0], side[1] - at[d]) - cells * cell);
    }
    return room;
}

/* Of problem masses: from its bodies to the nearest side of the box; below 0: one is cut. */
static double room_of_masses(const struct sl_config *cfg)
{
    double room = 1e30;
    double radius = cfg->masses_shape == SL_MASSES_SHAPE_point ? 0 : cfg->masses_radius;
    for (int b = 0; 3 * b + 2 < cfg->masses_at_n; b++)
        room = fmin(room, room_around(cfg, cfg->masses_at + (ptrdiff_t)(3 * b), 0) - radius);
    return room;
}

/* Whether gas and dark matter are apart, by shares that the recipe names. */
static bool two_kinds(const struct sl_config *cfg)
{
    return !cfg->cosmology_file[0] && cfg->ic_species != SL_IC_SPECIES_baryons &&
           cfg->ic_species != SL_IC_SPECIES_dark_matter;
}

/* ---- rules ---- */

int sl_config_check_sources(const struct sl_inputs *in, const struct sl_config *cfg)
{
    char text[400];
#define SL_RULE_SOURCE(when, member, holds, ...)                                                   \
    if ((when) && !(holds)) {                                                                      \
        snprintf(text, sizeof text, __VA_ARGS__);                                                  \
        SL_RULED(in, sl_config_refused(in, SL_KEY_##member, text));                                \
    }
#include "source_rules.def" /* generated */
#undef SL_RULE_SOURCE
    return SL_OK;
}

#define SL_RULE(name, member, holds, ...)                                                          \
    if (cfg->problem == SL_PROBLEM_##name && !(holds)) {                                           \
        snprintf(text, sizeof text, __VA_ARGS__);                                                  \
        return sl_config_refused(in, SL_KEY_##member, text);                                       \
    }

#define SL_RULE_IDEAL(name)                                                                        \
    SL_RULE(name, fluid_eos, cfg->fluid_eos == SL_EOS_ideal,                                       \
            "problem %s needs an ideal gas; nearest: ideal", #name)
#define SL_RULE_FIELD(name)                                                                        \
    SL_RULE(name, fluid_mhd, cfg->fluid_mhd != SL_MHD_none,                                        \
            "problem %s needs a magnetic field; nearest: glm or ct", #name)
#define SL_RULE_PLANE(name)                                                                        \
    SL_RULE(name, mesh_cells, cfg->mesh_cells_n >= 2,                                              \
            "problem %s needs two axes or three, not one", #name)

/* An exact solution is one without sources, or with one that it knows. */
#define SL_RULE_EXACT_BUT(name, known, other)                                                      \
    SL_RULE(name, verify, !cfg->verify || !sl_config_asked(cfg, known, other),                     \
            "the exact solution of problem %s holds only without %s; nearest: false", #name,       \
            sl_config_asked(cfg, known, other))
#define SL_RULE_EXACT(name) SL_RULE_EXACT_BUT(name, NULL, NULL)
#define SL_RULE_EXACT_WITH(name, source)                                                           \
    SL_RULE(name, verify, !cfg->verify || sl_config_wants(cfg, SL_SOURCE_##source),                \
            "the exact solution of problem %s holds only with %s; nearest: false", #name,          \
            sources[SL_SOURCE_##source].keys)                                                      \
    SL_RULE_EXACT_BUT(name, #source, NULL)
#define SL_RULE_EXACT_WITH_OR(name, source, other)                                                 \
    SL_RULE(name, verify, !cfg->verify || sl_config_wants(cfg, SL_SOURCE_##source),                \
            "the exact solution of problem %s holds only with %s; nearest: false", #name,          \
            sources[SL_SOURCE_##source].keys)                                                      \
    SL_RULE_EXACT_BUT(name, #source, #other)
#define SL_RULE_UNKNOWN(name)                                                                      \
    SL_RULE(name, verify, !cfg->verify,                                                            \
            "problem %s has no known answer to compare with; nearest: false", #name)

#define SL_RULE_WALLS(name, ...) /* see config_boundary.c */
#define SL_RULE_TUBE(name)

#define SL_RULE_REFINES(name) refines |= cfg->problem == SL_PROBLEM_##name;

int sl_config_check_problem(const struct sl_inputs *in, const struct sl_config *cfg)
{
    char text[400];
    bool refines = false;
#include "problem_rules.def" /* generated */
    for (int i = 0; i < cfg->mesh_refine_n && !refines; i++)
        if (cfg->mesh_refine[i].by == SL_REFINE_problem)
            SL_WRONG_RULE(in, i, "problem %s does not say where; nearest: loehner",
                          sl_choice_name("problem", cfg->problem));
    return SL_OK;
}
