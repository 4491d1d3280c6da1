/* config.c - see config.h. Reading is in inputs.c; here are defaults, rules and printing. */
#include "core/sys/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "core/cell/boundary_list.h"
#include "core/cell/eos_list.h"
#include "core/cell/integrator_list.h"
#include "core/cell/mhd_list.h"
#include "core/cell/particle_list.h"
#include "core/cell/potential_list.h"
#include "core/cell/reconstruct_list.h"
#include "core/cell/refine_list.h"
#include "core/cell/riemann_list.h"
#include "core/cell/shock_list.h"
#include "core/sys/batch_options.h"
#include "core/sys/command.h"
#include "core/sys/depth.h"
#include "core/sys/inputs.h"
#include "core/sys/rules.h"

/* ---- defaults ---- */

static struct sl_config defaults;

static void make_defaults(void)
{
    for (int i = 0; i < SL_KEY_COUNT; i++)
        if (sl_keys[i].text[0] != '\0' && sl_inputs_default(i, &defaults) != SL_OK)
            SL_BUG("default of %s: %s", sl_keys[i].path, sl_error_text());
}

void sl_config_default(struct sl_config *cfg)
{
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, make_defaults);
    memcpy(cfg, &defaults, sizeof *cfg);
}

/* ---- rules that tie keys together ---- */

static const char axis_name[] = "xyz";

/* Has this key a line among the faults? */
static bool reported(const struct sl_inputs *in, int key)
{
    return in && in->faults && !in->faults->closed && in->faults->key[key];
}

/* Likewise, and from now on it has. */
static bool known(const struct sl_inputs *in, int key)
{
    bool had = reported(in, key);
    if (in->faults && !in->faults->closed) in->faults->key[key] = true;
    return had;
}

/* Said of a number that nobody wrote. */
static const char *by_default(int key)
{
    bool number = sl_keys[key].max > sl_keys[key].min && *sl_keys[key].text;
    return number ? " (its default: the recipe does not give it)" : "";
}

/* Where a message about a key points: its place when it was given, else only its name. */
static int wrong(const struct sl_inputs *in, int key, const char *text)
{
    if (in && known(in, key)) return SL_FAIL(SL_EINPUT, "%s", "");
    if (in && in->row[key].node)
        return SL_FAIL_AT(in->row[key].node->at, "%s: %s", sl_keys[key].path, text);
    if (in && in->doc_count > 0 && in->docs[0]->root)
        return SL_FAIL(SL_EINPUT, "%s: %s: %s%s", in->docs[0]->root->at.file, sl_keys[key].path,
                       text, by_default(key));
    return SL_FAIL(SL_EINPUT, "%s: %s", sl_keys[key].path, text);
}

#define WRONG(in, member, ...)                                                                     \
    do {                                                                                           \
        char text_[400];                                                                           \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                                \
        return wrong((in), SL_KEY_##member, text_);                                                \
    } while (0)

/* Ghost cells that values at faces need. */
static int face_ghosts(const struct sl_config *cfg)
{
    static const int ghost[] = {
#define GHOST(name, cells, about) cells,
        SL_RECONSTRUCT_LIST(GHOST)
#undef GHOST
    };
    return ghost[cfg->fluid_reconstruct];
}

static int ghost_cells(const struct sl_config *cfg)
{
    int faces = face_ghosts(cfg);
    return cfg->fluid_integrator == SL_INTEGRATOR_ctu
               ? sl_ctu_ghosts(faces, cfg->fluid_mhd == SL_MHD_ct)
               : faces;
}

/* Blocks that are refined are halved, and half of one holds the ghost cells of a finer one and a
 * cell at each side for their slopes. */
static int64_t smallest_block(const struct sl_config *cfg)
{
    int ghost = ghost_cells(cfg), least = cfg->mesh_levels > 0 ? 2 * ghost + 2 : ghost;
    return least > 4 ? least : 4;
}

static bool fits(const struct sl_config *cfg, int64_t cells, int64_t block)
{
    return block >= smallest_block(cfg) && cells % block == 0 &&
           (cfg->mesh_levels == 0 || block % 2 == 0);
}

/* The sizes next to `size` that blocks of so many cells can have, from below and above; 0 where
 * there is none. */
struct divisors {
    int64_t below, above;
};

static struct divisors nearest_divisors(const struct sl_config *cfg, int64_t cells, int64_t size)
{
    struct divisors near = {0, 0};
    for (int64_t i = 1; i * i <= cells; i++) {
        if (cells % i) continue;
        const int64_t pair[] = {i, cells / i};
        for (int p = 0; p < 2; p++) {
            int64_t d = pair[p];
            if (!fits(cfg, cells, d)) continue;
            if (d <= size && d > near.below) near.below = d;
            if (d >= size && (!near.above || d < near.above)) near.above = d;
        }
    }
    return near;
}

static int check_box(const struct sl_inputs *in, struct sl_config *cfg, int dim)
{
    if (cfg->mesh_box_n < 2 * dim || cfg->mesh_box_n % 2)
        WRONG(in, mesh_box, "%d values for %d axes; write [lower, upper] for each axis",
              cfg->mesh_box_n, dim);
    for (int d = 0; d < 3; d++) {
        double *lo = &cfg->mesh_box[2 * d], *hi = lo + 1;
        if (d < dim && !(*hi > *lo))
            WRONG(in, mesh_box, "upper end %.15g along %c is not above the lower end %.15g", *hi,
                  axis_name[d], *lo);
        if (d < dim) continue;
        if (2 * d < cfg->mesh_box_n && (*lo != 0 || *hi != 1))
            WRONG(in, mesh_box, "%d axes, but mesh.cells has %d", cfg->mesh_box_n / 2, dim);
        *lo = 0, *hi = 1;
    }
    cfg->mesh_box_n = 2 * dim;
    return SL_OK;
}

static int check_block_axis(const struct sl_inputs *in, const struct sl_config *cfg, int d)
{
    int64_t cells = cfg->mesh_cells[d], block = cfg->mesh_block[d], least = smallest_block(cfg);
    if (cells < least)
        WRONG(in, mesh_cells, "%lld cells along %c are fewer than the smallest block, %lld",
              (long long)cells, axis_name[d], (long long)least);
    if (fits(cfg, cells, block)) return SL_OK;
    struct divisors fit = nearest_divisors(cfg, cells, block);
    if (!fit.below && !fit.above)
        WRONG(in, mesh_cells,
              "%lld cells along %c cannot be divided into blocks of an even number of cells, %lld "
              "or more, as mesh.levels needs; nearest: %lld",
              (long long)cells, axis_name[d], (long long)least, (long long)(cells + 1) / 2 * 2);
    char near[64];
    if (fit.below && fit.above)
        snprintf(near, sizeof near, "%lld or %lld", (long long)fit.below, (long long)fit.above);
    else
        snprintf(near, sizeof near, "%lld", (long long)(fit.below ? fit.below : fit.above));
    if (block < least)
        WRONG(in, mesh_block, "%lld along %c is below the smallest block, %lld; nearest: %s",
              (long long)block, axis_name[d], (long long)least, near);
    if (cells % block == 0)
        WRONG(in, mesh_block,
              "%lld along %c is odd, but blocks that are refined (mesh.levels) are halved; "
              "nearest: %s",
              (long long)block, axis_name[d], near);
    WRONG(in, mesh_block, "%lld does not divide the %lld cells along %c; nearest: %s",
          (long long)block, (long long)cells, axis_name[d], near);
}

static int64_t sim_ranks(const struct sl_config *cfg)
{
    return cfg->resources_sim_ranks > 0 ? cfg->resources_sim_ranks : cfg->resources_ranks;
}

/* Cells along an axis that a block should have. Ghost cells and short rows cost a rank alone 8 to
 * 15 % in a plane of blocks of 32 rather than 128, and 40 % in a line of 32 rather than 1024;
 * several ranks share small blocks more evenly. Where they are refined, small ones follow closer
 * what is looked for. */
static int64_t nice_block(const struct sl_config *cfg, int dim)
{
    static const int64_t alone[] = {1024, 128, 32}, refined = 16;
    if (cfg->mesh_levels > 0) return refined;
    return sim_ranks(cfg) > 1 ? alone[2] : alone[dim - 1];
}

static int64_t choose_block(const struct sl_config *cfg, int64_t cells, int64_t nice)
{
    if (cells <= nice) return cells;
    struct divisors fit = nearest_divisors(cfg, cells, nice);
    if (!fit.below && !fit.above) return cells;
    if (!fit.below || !fit.above) return fit.below ? fit.below : fit.above;
    return fit.above - nice < nice - fit.below ? fit.above : fit.below;
}

/* The chosen axis with the most cells per block and the next smaller size it can have; -1 when none
 * can. Of equals the last: rows of cells along x stay long. */
static int axis_to_split(const struct sl_config *cfg, int dim, const bool *chosen, int64_t *size)
{
    int widest = -1;
    for (int d = 0; d < dim; d++) {
        if (!chosen[d] || (widest >= 0 && cfg->mesh_block[d] < cfg->mesh_block[widest])) continue;
        int64_t half = nearest_divisors(cfg, cfg->mesh_cells[d], cfg->mesh_block[d] / 2).below;
        if (half) widest = d, *size = half;
    }
    return widest;
}

/* Makes the chosen axes smaller until every rank has a block, if that can be. */
static void share_blocks(struct sl_config *cfg, int dim, const bool *chosen)
{
    for (;;) {
        int64_t blocks = 1, size = 0;
        for (int d = 0; d < dim; d++)
            blocks *= cfg->mesh_cells[d] / cfg->mesh_block[d];
        if (blocks >= sim_ranks(cfg)) return;
        int d = axis_to_split(cfg, dim, chosen, &size);
        if (d < 0) return;
        cfg->mesh_block[d] = size;
    }
}

static int check_ranks(const struct sl_inputs *in, int key, int64_t ranks, double cells)
{
    char text[160];
    snprintf(text, sizeof text, "%lld ranks cannot share %.0f cells; nearest: %.0f",
             (long long)ranks, cells, cells);
    return (double)ranks > cells ? wrong(in, key, text) : SL_OK;
}

/* What no machine can hold: more ranks than cells, more bytes on a rank than a processor can
 * address. */
static int check_size(const struct sl_inputs *in, const struct sl_config *cfg, int dim)
{
    static const double most_bytes = 0x1p57; /* of one array of the state */
    double cells = 1, ranks = (double)sim_ranks(cfg);
    for (int d = 0; d < dim; d++)
        cells *= (double)cfg->mesh_cells[d];
    SL_TRY(check_ranks(in, SL_KEY_resources_ranks, cfg->resources_ranks, cells));
    SL_TRY(check_ranks(in, SL_KEY_resources_ic_ranks, cfg->resources_ic_ranks, cells));
    SL_TRY(check_ranks(in, SL_KEY_resources_sim_ranks, cfg->resources_sim_ranks, cells));
    SL_TRY(check_ranks(in, SL_KEY_resources_stats_ranks, cfg->resources_stats_ranks, cells));
    double bytes = cells * 5 * sizeof(double) / ranks;
    if (bytes > most_bytes)
        WRONG(in, mesh_cells,
              "%.4g cells are %.3g TB for each of %.0f ranks, more than it can address", cells,
              bytes * 1e-12, ranks);
    return SL_OK;
}

static int check_block(const struct sl_inputs *in, struct sl_config *cfg, int dim)
{
    if (cfg->mesh_block_n == 1)
        for (int d = 1; d < dim; d++)
            cfg->mesh_block[d] = cfg->mesh_block[0];
    else if (cfg->mesh_block_n != dim)
        WRONG(in, mesh_block, "%d values for %d axes", cfg->mesh_block_n, dim);
    bool chosen[3] = {false, false, false};
    for (int d = 0; d < dim; d++) {
        chosen[d] = cfg->mesh_block[d] == 0;
        if (chosen[d])
            cfg->mesh_block[d] = choose_block(cfg, cfg->mesh_cells[d], nice_block(cfg, dim));
        SL_TRY(check_block_axis(in, cfg, d));
    }
    share_blocks(cfg, dim, chosen);
    for (int d = dim; d < 3; d++)
        cfg->mesh_block[d] = 1;
    cfg->mesh_block_n = dim;
    return SL_OK;
}

/* What a problem means a face of the box to be; any: no other is wrong. */
struct wall {
    int boundary;
    bool any;
};

#define WALL(name)                                                                                 \
    {                                                                                              \
        SL_BOUNDARY_##name, false                                                                  \
    }
#define FREE(name)                                                                                 \
    {                                                                                              \
        SL_BOUNDARY_##name, true                                                                   \
    }

/* A wall that mirrors the gas. */
static struct wall solid(const struct sl_config *cfg)
{
    bool field = cfg->fluid_mhd != SL_MHD_none;
    return (struct wall){field ? SL_BOUNDARY_conducting : SL_BOUNDARY_reflecting, false};
}

/* A face at the middle of a flow, of which the box then holds a part; gas leaves the others. */
static struct wall wall_at(const struct sl_config *cfg, int face, double middle)
{
    return cfg->mesh_box[face] == middle ? solid(cfg) : (struct wall){SL_BOUNDARY_outflow, true};
}

/* The same of gas that runs into the origin. */
static struct wall inflow_at(const struct sl_config *cfg, int face)
{
    return cfg->mesh_box[face] == 0 ? solid(cfg) : (struct wall){SL_BOUNDARY_fixed, false};
}

/* Faces of states that change along a normal: at its ends gas as far as the waves have not come,
 * where it is oblique the flow itself; along the others nothing changes. */
static struct wall end_of(const double normal[3], int axis)
{
    int axes = (normal[0] != 0) + (normal[1] != 0) + (normal[2] != 0);
    if (axes > 1) return (struct wall){SL_BOUNDARY_fixed, false};
    return normal[axis] != 0 ? (struct wall){SL_BOUNDARY_outflow, false}
                             : (struct wall){SL_BOUNDARY_periodic, true};
}

#define SL_RULE(...)
#define SL_RULE_IDEAL(...)
#define SL_RULE_FIELD(...)
#define SL_RULE_PLANE(...)
#define SL_RULE_SOURCE(...)
#define SL_RULE_EXACT(...)
#define SL_RULE_EXACT_BUT(...)
#define SL_RULE_EXACT_WITH(...)
#define SL_RULE_EXACT_WITH_OR(...)
#define SL_RULE_UNKNOWN(...)
#define SL_RULE_REFINES(...)
#define SL_RULE_WALLS(name, ...)                                                                   \
    if (cfg->problem == SL_PROBLEM_##name) {                                                       \
        const struct wall own[6] = {__VA_ARGS__};                                                  \
        memcpy(wall, own, sizeof own);                                                             \
        return true;                                                                               \
    }
#define SL_RULE_TUBE(name)                                                                         \
    SL_RULE_WALLS(name, WALL(outflow), WALL(outflow), FREE(periodic), FREE(periodic),              \
                  FREE(periodic), FREE(periodic))

/* False: the problem names none. */
static bool find_walls(const struct sl_config *cfg, struct wall wall[6])
{
#include "problem_rules.def" /* generated */
    return false;
}

#undef SL_RULE
#undef SL_RULE_IDEAL
#undef SL_RULE_FIELD
#undef SL_RULE_PLANE
#undef SL_RULE_SOURCE
#undef SL_RULE_EXACT
#undef SL_RULE_EXACT_BUT
#undef SL_RULE_EXACT_WITH
#undef SL_RULE_EXACT_WITH_OR
#undef SL_RULE_UNKNOWN
#undef SL_RULE_REFINES
#undef SL_RULE_WALLS
#undef SL_RULE_TUBE

/* Does something that acts on the gas repeat with the box? */
static bool needs_periodic(const struct sl_config *cfg)
{
    return cfg->driving_power > 0 || cfg->driving_acceleration > 0 || sl_config_expands(cfg) ||
           sl_config_wants(cfg, SL_SOURCE_self_gravity);
}

/* Where nobody says what the faces are, they are what the problem means. */
static void choose_boundary(const struct sl_inputs *in, struct sl_config *cfg)
{
    struct wall wall[6];
    if (!in || in->row[SL_KEY_mesh_boundary].node || needs_periodic(cfg) || !find_walls(cfg, wall))
        return;
    for (int f = 0; f < 6; f++)
        cfg->mesh_boundary[f] = wall[f].boundary;
    cfg->mesh_boundary_n = 6;
}

/* An exact solution is one of a box with these faces; the solution itself is as good as any. */
static int check_exact_boundary(const struct sl_inputs *in, const struct sl_config *cfg, int dim)
{
    struct wall wall[6];
    if (!cfg->verify || needs_periodic(cfg) || !find_walls(cfg, wall)) return SL_OK;
    for (int f = 0; f < 2 * dim; f++) {
        int b = cfg->mesh_boundary[f];
        bool mirror = sl_boundary_is_wall(b) && sl_boundary_is_wall(wall[f].boundary);
        if (wall[f].any || b == wall[f].boundary || b == SL_BOUNDARY_fixed || mirror) continue;
        WRONG(in, mesh_boundary,
              "the exact solution (verify) holds with the face %c%c %s, not %s; "
              "nearest: %s",
              axis_name[f / 2], "-+"[f % 2], sl_choice_name("mesh.boundary", wall[f].boundary),
              sl_choice_name("mesh.boundary", b),
              sl_choice_name("mesh.boundary", wall[f].boundary));
    }
    return SL_OK;
}

static int check_boundary(const struct sl_inputs *in, struct sl_config *cfg, int dim)
{
    choose_boundary(in, cfg);
    int n = cfg->mesh_boundary_n, *b = cfg->mesh_boundary;
    if (n == 1) {
        for (int f = 1; f < 6; f++)
            b[f] = b[0];
    } else if (n == dim) {
        for (int d = dim - 1; d >= 0; d--)
            b[2 * d] = b[2 * d + 1] = b[d];
    } else if (n != 2 * dim && n != 6) {
        WRONG(in, mesh_boundary, "%d values for %d axes; give one, one per axis, or two per axis",
              n, dim);
    }
    for (int f = 2 * dim; f < 6; f++)
        b[f] = SL_BOUNDARY_periodic;
    cfg->mesh_boundary_n = 6;
    for (int f = 0; f < 2 * dim && cfg->fluid_mhd != SL_MHD_none; f++)
        if (b[f] == SL_BOUNDARY_reflecting)
            WRONG(in, mesh_boundary,
                  "%s does not say what a wall does to the magnetic field (fluid.mhd); nearest: "
                  "conducting (no normal field) or symmetric (no parallel field)",
                  "reflecting");
    for (int d = 0; d < dim; d++)
        if ((b[2 * d] == SL_BOUNDARY_periodic) != (b[2 * d + 1] == SL_BOUNDARY_periodic))
            WRONG(in, mesh_boundary, "only one face along %c is periodic; make both so or none",
                  axis_name[d]);
    return check_exact_boundary(in, cfg, dim);
}

/* Of the three of units, the first that is given, and the names of those that are not. */
static int first_unit(const struct sl_inputs *in, const struct sl_config *cfg, char missing[80])
{
    static const int key[] = {SL_KEY_units_length, SL_KEY_units_density, SL_KEY_units_velocity};
    const double value[] = {cfg->units_length, cfg->units_density, cfg->units_velocity};
    int first = -1;
    *missing = '\0';
    for (int i = 0; i < 3; i++) {
        size_t used = strlen(missing);
        if (value[i] > 0 || reported(in, key[i]))
            first = first < 0 && value[i] > 0 ? key[i] : first;
        else
            snprintf(missing + used, 80 - used, "%s%s", used ? " and " : "", sl_keys[key[i]].path);
    }
    return first;
}

static int check_units(const struct sl_inputs *in, const struct sl_config *cfg)
{
    char missing[80], text[200];
    int first = first_unit(in, cfg, missing);
    if (first < 0 && cfg->units_weight > 0)
        WRONG(in, units_weight,
              "%g gives temperatures in K only with units.%s, density and velocity",
              cfg->units_weight, "length");
    if (first < 0 || !*missing) return SL_OK;
    snprintf(text, sizeof text, "physical units need %s too: give all three, or none", missing);
    return wrong(in, first, text);
}

static int check_batch(const struct sl_inputs *in, const struct sl_config *cfg)
{
    char text[3 * SL_BATCH_WORD];
    if (sl_batch_options_fault(cfg->slurm_options, text)) WRONG(in, slurm_options, "%.300s", text);
    return SL_OK;
}

static void choose_solver(struct sl_config *cfg)
{
    if (cfg->fluid_riemann == SL_RIEMANN_auto && sl_config_has_gas(cfg))
        cfg->fluid_riemann = cfg->fluid_mhd == SL_MHD_none ? SL_RIEMANN_hllc : SL_RIEMANN_hlld;
}

static int check_solver(const struct sl_inputs *in, const struct sl_config *cfg)
{
    static const struct {
        int physics;
        const char *name, *other;
    } rows[] = {
#define ROW(name, physics, other, ...) {SL_PHYSICS_##physics, #name, #other},
        SL_RIEMANN_LIST(ROW)
#undef ROW
    };
    bool field = cfg->fluid_mhd != SL_MHD_none;
    if (!sl_config_has_gas(cfg)) return SL_OK;
    if (rows[cfg->fluid_riemann].physics & (field ? SL_PHYSICS_mhd : SL_PHYSICS_gas)) return SL_OK;
    WRONG(in, fluid_riemann, "%s does not work %s a magnetic field (fluid.mhd); nearest: %s",
          rows[cfg->fluid_riemann].name, field ? "with" : "without",
          rows[cfg->fluid_riemann].other);
}

static int check_gravity(const struct sl_inputs *in, const struct sl_config *cfg, int dim)
{
    const double *g = cfg->gravity_acceleration;
    if (g[0] == 0 && g[1] == 0 && g[2] == 0) return SL_OK;
    for (int d = dim; d < 3; d++)
        if (g[d] != 0)
            WRONG(in, gravity_acceleration, "%g along %c, which the grid does not have", g[d],
                  axis_name[d]);
    return SL_OK;
}

static bool periodic(const struct sl_config *cfg)
{
    for (int f = 0; f < 2 * cfg->mesh_cells_n; f++)
        if (cfg->mesh_boundary[f] != SL_BOUNDARY_periodic) return false;
    return true;
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

static int check_driving(const struct sl_inputs *in, const struct sl_config *cfg, int dim)
{
    if (!(cfg->driving_acceleration > 0) && !(cfg->driving_power > 0)) return SL_OK;
    if (cfg->driving_acceleration > 0 && cfg->driving_power > 0)
        WRONG(in, driving_power,
              "%g and driving.acceleration both say how strong the force is: give one",
              cfg->driving_power);
    if (!periodic(cfg))
        WRONG(in, mesh_boundary, "the force of driving.* is periodic; nearest: %s", "periodic");
    if (cfg->driving_kmin > cfg->driving_kmax)
        WRONG(in, driving_kmax, "%lld is below driving.kmin, %lld: no waves are left",
              (long long)cfg->driving_kmax, (long long)cfg->driving_kmin);
    if (dim == 1 && cfg->driving_solenoidal != 0)
        WRONG(in, driving_solenoidal, "%g: in one dimension every mode is compressive; nearest: 0",
              cfg->driving_solenoidal);
    if (waves_that_fit(cfg) < (double)cfg->driving_kmax)
        WRONG(in, driving_kmax, "%lld waves are more than mesh.cells can resolve; nearest: %g",
              (long long)cfg->driving_kmax, waves_that_fit(cfg));
    if (!sl_config_force_has_mode(cfg))
        WRONG(in, driving_peak,
              "%g: driving.spectrum %s has no power at driving.kmin, %lld, or above",
              cfg->driving_peak, sl_choice_name("driving.spectrum", cfg->driving_spectrum),
              (long long)cfg->driving_kmin);
    return SL_OK;
}

/* Sides of the box that are periodic. */
static int periodic_sides(const struct sl_config *cfg)
{
    int n = 0;
    for (int f = 0; f < 2 * cfg->mesh_cells_n; f++)
        n += cfg->mesh_boundary[f] == SL_BOUNDARY_periodic;
    return n;
}

static int check_isolated(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (sl_config_expands(cfg))
        WRONG(
            in, gravity_boundary,
            "%s: an expanding universe (time.unit: redshift) has no edge; nearest: periodic, with "
            "mesh.boundary: periodic",
            "isolated");
    if (periodic_sides(cfg) > 0)
        WRONG(in, gravity_boundary,
              "%s: the potential of the gas is periodic along all axes or along none, but "
              "mesh.boundary has %d periodic sides of %d; nearest: mesh.boundary: %s",
              "isolated", periodic_sides(cfg), 2 * (int)cfg->mesh_cells_n,
              cfg->gravity_boundary == SL_GRAVITY_BOUNDARY_isolated ? "outflow" : "periodic");
    if (cfg->mesh_cells_n != 3)
        WRONG(in, gravity_boundary,
              "%s: only in three dimensions a potential is 0 far away; nearest: "
              "mesh.boundary: periodic",
              "isolated");
    return SL_OK;
}

static int check_self_gravity(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (!sl_config_wants(cfg, SL_SOURCE_self_gravity)) return SL_OK;
    if (!sl_config_isolated(cfg)) {
        if (!periodic(cfg))
            WRONG(in, gravity_boundary,
                  "%s: the potential needs a box whose sides are all periodic; nearest: "
                  "mesh.boundary: periodic, or isolated",
                  "periodic");
    } else {
        SL_TRY(check_isolated(in, cfg));
    }
    return SL_OK;
}

/* Redshifts of snapshots fall; those below time.end wait for a run that goes further. */
static int check_redshifts(const struct sl_inputs *in, const struct sl_config *cfg)
{
    double before = cfg->ic_redshift;
    for (int i = 0; i < cfg->output_redshift_n; before = cfg->output_redshift[i++])
        if (!(cfg->output_redshift[i] < before))
            WRONG(in, output_redshift,
                  "%g after %g: redshifts must fall, and begin below ic.redshift, %g",
                  cfg->output_redshift[i], before, cfg->ic_redshift);
    return SL_OK;
}

static int check_expansion_gas(const struct sl_inputs *in, const struct sl_config *cfg)
{
    const double *g = cfg->gravity_acceleration;
    if (cfg->fluid_eos == SL_EOS_isothermal)
        WRONG(in, fluid_eos,
              "%s gas cannot expand with the universe (time.unit: redshift); nearest: ideal",
              sl_choice_name("fluid.eos", cfg->fluid_eos));
    if (fabs(cfg->fluid_gamma - 5.0 / 3) > 1e-12)
        WRONG(in, fluid_gamma,
              "%.15g: the equations of an expanding universe (time.unit: redshift) hold for 5/3 "
              "alone; nearest: 5/3",
              cfg->fluid_gamma);
    if (cfg->fluid_mhd != SL_MHD_none)
        WRONG(in, fluid_mhd,
              "%s: an expanding universe (time.unit: redshift) has no magnetic field here; "
              "nearest: none",
              sl_choice_name("fluid.mhd", cfg->fluid_mhd));
    if (cfg->gravity_four_pi_g > 0)
        WRONG(in, gravity_four_pi_g,
              "with time.unit: redshift it follows from cosmology.omega_m; nearest: %d", 0);
    if (g[0] != 0 || g[1] != 0 || g[2] != 0)
        WRONG(in, gravity_acceleration, "does not work with time.unit: redshift; nearest: %s",
              "[0, 0, 0]");
    if (cfg->driving_acceleration > 0)
        WRONG(in, driving_acceleration, "does not work with time.unit: redshift; nearest: %d", 0);
    if (cfg->driving_power > 0)
        WRONG(in, driving_power, "does not work with time.unit: redshift; nearest: %d", 0);
    return SL_OK;
}

static int check_expansion(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (!sl_config_expands(cfg)) {
        if (cfg->output_redshift_n > 0)
            WRONG(in, output_redshift, "needs %s", "time.unit: redshift");
        return SL_OK;
    }
    if (cfg->time_end > cfg->ic_redshift)
        WRONG(in, time_end, "%g is above the redshift of the start, ic.redshift; nearest: %g",
              cfg->time_end, cfg->ic_redshift);
    if (cfg->units_length > 0)
        WRONG(in, units_length,
              "with time.unit: redshift lengths are comoving Mpc/h; nearest: no %s", "units.*");
    if (cfg->statistics_average > 0)
        WRONG(in, statistics_average, "does not work with time.unit: redshift; nearest: %d", 0);
    if (!periodic(cfg))
        WRONG(in, mesh_boundary, "with time.unit: redshift the box is periodic; nearest: %s",
              "periodic");
    if (cfg->resources_precision == SL_PRECISION_single)
        WRONG(
            in, resources_precision,
            "%s: in an expanding universe (time.unit: redshift) rounding errors exceed the thermal "
            "energy of cold gas; nearest: double",
            "single");
    SL_TRY(check_expansion_gas(in, cfg));
    return check_redshifts(in, cfg);
}

static int check_tvd(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->fluid_integrator != SL_INTEGRATOR_tvd) return SL_OK;
    if (cfg->fluid_cfl > 0.8)
        WRONG(in, fluid_cfl, "%g: with fluid.integrator tvd sound waves are unstable above 0.8",
              cfg->fluid_cfl);
    if (cfg->fluid_mhd == SL_MHD_none) return SL_OK;
    WRONG(in, fluid_integrator, "tvd does not work with a magnetic field (fluid.mhd); nearest: %s",
          "rk2");
}

/* It reads two cells at each side of a cell that may itself be the first ghost. */
static int check_shocks(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->fluid_shocks != SL_SHOCK_flatten || face_ghosts(cfg) >= 3) return SL_OK;
    WRONG(in, fluid_shocks,
          "flatten works with fluid.reconstruct ppm or wenoz, not with %s; nearest: limit",
          sl_choice_name("fluid.reconstruct", cfg->fluid_reconstruct));
}

static int check_characteristic(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (!cfg->fluid_characteristic) return SL_OK;
    if (cfg->fluid_integrator == SL_INTEGRATOR_tvd)
        WRONG(in, fluid_characteristic, "fluid.integrator %s reconstructs no faces; nearest: rk2",
              "tvd");
    if (cfg->fluid_reconstruct == SL_RECONSTRUCT_constant)
        WRONG(in, fluid_characteristic, "fluid.reconstruct %s has no slopes; nearest: plm",
              "constant");
    return SL_OK;
}

static int check_integrator(const struct sl_inputs *in, const struct sl_config *cfg, int dim)
{
    if (cfg->fluid_integrator != SL_INTEGRATOR_ctu) return SL_OK;
    if (dim == 3)
        WRONG(in, fluid_integrator, "%s is for one and two dimensions; nearest: vl2", "ctu");
    if (cfg->fluid_mhd == SL_MHD_glm)
        WRONG(in, fluid_integrator,
              "%s does not work with fluid.mhd: glm; nearest: rk2, or "
              "fluid.mhd: ct",
              "ctu");
    return SL_OK;
}

/* ---- levels ---- */

/* Said of rule i of mesh.refine: at its place where it was given. */
static int wrong_rule(const struct sl_inputs *in, int i, const char *text)
{
    const struct sl_node *node = in ? in->row[SL_KEY_mesh_refine].node : NULL;
    if (in && known(in, SL_KEY_mesh_refine)) return SL_FAIL(SL_EINPUT, "%s", "");
    if (!node) return SL_FAIL(SL_EINPUT, "mesh.refine: %s", text);
    if (node->kind == SL_NODE_LIST)
        for (node = node->first; i > 0; i--)
            node = node->next;
    return SL_FAIL_AT(node->at, "mesh.refine: %s", text);
}

#define WRONG_RULE(in, i, ...)                                                                     \
    do {                                                                                           \
        char text_[400];                                                                           \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                                \
        return wrong_rule((in), (i), text_);                                                       \
    } while (0)

/* A rule of something that the gas does not have. */
static int check_rule_gas(const struct sl_inputs *in, const struct sl_config *cfg, int i)
{
    const struct sl_refine_rule *r = &cfg->mesh_refine[i];
    const char *of = sl_rules_parameter(SL_REFINE_BIT_of)->choices[r->of].name;
    bool field = cfg->fluid_mhd != SL_MHD_none;
    int scalar = r->of - SL_REFINE_OF_scalar1 + 1;
    if (!field && r->by == SL_REFINE_current)
        WRONG_RULE(in, i, "%s needs a magnetic field (fluid.mhd); nearest: vorticity", "current");
    if (!field && r->of >= SL_REFINE_OF_magnetic && r->of <= SL_REFINE_OF_alfven_mach)
        WRONG_RULE(in, i, "%s needs a magnetic field (fluid.mhd); nearest: %s", of,
                   r->of == SL_REFINE_OF_alfven_mach ? "mach" : "pressure");
    if (scalar > cfg->fluid_scalars)
        WRONG_RULE(in, i,
                   "scalar%d: there are only %lld passive scalars; nearest: fluid.scalars: %d",
                   scalar, (long long)cfg->fluid_scalars, scalar);
    if ((r->of == SL_REFINE_OF_entropy || r->of == SL_REFINE_OF_heat) &&
        cfg->fluid_eos != SL_EOS_ideal)
        WRONG_RULE(in, i, "%s needs an ideal gas (fluid.eos); nearest: density", of);
    if (r->by == SL_REFINE_jeans && !sl_config_wants(cfg, SL_SOURCE_self_gravity))
        WRONG_RULE(in, i, "%s needs self-gravity (gravity.four_pi_g, or time.unit: redshift)",
                   "jeans");
    return SL_OK;
}

/* A rule of what is never there. */
static int check_rule_place(const struct sl_inputs *in, const struct sl_config *cfg, int i)
{
    const struct sl_refine_rule *r = &cfg->mesh_refine[i];
    int dim = cfg->mesh_cells_n;
    if (r->by == SL_REFINE_loehner && r->above >= 1)
        WRONG_RULE(in, i, "loehner: its number is at most 1, so `above: %g` never refines",
                   r->above);
    if (!(SL_REFINE_SHAPES >> r->by & 1)) return SL_OK;
    if (r->axes != dim) WRONG_RULE(in, i, "%d numbers for %d axes", r->axes, dim);
    for (int d = 0; d < dim; d++)
        if (r->by == SL_REFINE_box && !(r->hi[d] > r->lo[d]))
            WRONG_RULE(in, i, "box: hi along %c is not above lo", axis_name[d]);
    if (sl_config_region_in_box(cfg, i)) return SL_OK;
    WRONG_RULE(in, i, "a %s outside mesh.box never refines", sl_choice_name("mesh.refine", r->by));
}

/* The potential of levels is one of all leaves at the same time. */
static void choose_levels(struct sl_config *cfg)
{
    if (cfg->time_levels == SL_TIME_LEVELS_auto && sl_config_wants(cfg, SL_SOURCE_self_gravity))
        cfg->time_levels = SL_TIME_LEVELS_one;
}

static int check_levels_gravity(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->time_levels == SL_TIME_LEVELS_each)
        WRONG(in, time_levels,
              "%s: with self-gravity (gravity.four_pi_g) all levels take the same time step; "
              "nearest: one",
              "each");
    if (cfg->resources_precision == SL_PRECISION_single)
        WRONG(in, resources_precision,
              "%s: self-gravity (gravity.four_pi_g) on levels (mesh.levels) needs more digits; "
              "nearest: double",
              "single");
    return SL_OK;
}

/* What does not go with levels. */
static int check_levels_gas(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (sl_config_wants(cfg, SL_SOURCE_self_gravity)) SL_TRY(check_levels_gravity(in, cfg));
    if (cfg->fluid_integrator == SL_INTEGRATOR_ctu || cfg->fluid_integrator == SL_INTEGRATOR_tvd)
        WRONG(in, fluid_integrator, "%s does not work with levels (mesh.levels); nearest: rk2",
              sl_choice_name("fluid.integrator", cfg->fluid_integrator));
    return SL_OK;
}

static int most_levels(const struct sl_config *cfg, int dim)
{
    int root[3] = {1, 1, 1};
    for (int d = 0; d < dim; d++)
        root[d] = (int)(cfg->mesh_cells[d] / cfg->mesh_block[d]);
    return sl_depth_most(dim, root);
}

static int check_levels(const struct sl_inputs *in, const struct sl_config *cfg, int dim)
{
    for (int i = 0; i < cfg->mesh_refine_n; i++) {
        SL_TRY(check_rule_gas(in, cfg, i));
        SL_TRY(check_rule_place(in, cfg, i));
    }
    if (cfg->mesh_levels == 0) {
        if (in && cfg->mesh_refine_n > 0 && !in->row[SL_KEY_mesh_levels].node)
            WRONG(in, mesh_refine, "needs mesh.levels, the levels that it may make; nearest: %s",
                  "mesh.levels: 1");
        return SL_OK;
    }
    if (cfg->mesh_refine_n == 0 && reported(in, SL_KEY_mesh_refine)) return SL_OK;
    if (cfg->mesh_refine_n == 0)
        WRONG(in, mesh_levels,
              "%lld, but mesh.refine has no rule, so nothing is refined; nearest: 0, or "
              "mesh.refine: [{by: loehner, of: density}]",
              (long long)cfg->mesh_levels);
    for (int d = 0; d < dim; d++)
        if (cfg->mesh_block[d] < 1)
            return SL_OK; /* no block divides mesh.cells: reported already */
    int most = most_levels(cfg, dim);
    if (cfg->mesh_levels > most)
        WRONG(
            in, mesh_levels,
            "%lld, but over a root grid of so many blocks (mesh.cells, mesh.block) a mesh holds at "
            "most %d; nearest: %d",
            (long long)cfg->mesh_levels, most, most);
    for (int d = 0; d < dim; d++)
        if (cfg->mesh_buffer > cfg->mesh_block[d])
            WRONG(in, mesh_buffer, "%lld cells are more than a block has along %c; nearest: %lld",
                  (long long)cfg->mesh_buffer, axis_name[d], (long long)cfg->mesh_block[d]);
    return check_levels_gas(in, cfg);
}

/* Finer cells lie within coarser ones. */
static int check_filling(const struct sl_inputs *in, const struct sl_config *cfg)
{
    const double *part = cfg->resources_filling;
    for (int l = 1; l < cfg->resources_filling_n; l++)
        if (part[l] > part[l - 1])
            WRONG(in, resources_filling,
                  "%g of the box after %g: finer cells lie within coarser ones, so numbers cannot "
                  "grow; nearest: %g",
                  part[l], part[l - 1], part[l - 1]);
    return SL_OK;
}

static bool wants_particles(const struct sl_config *cfg)
{
    return cfg->statistics_matter &
           (1u << SL_MATTER_particles | 1u << SL_MATTER_cross | 1u << SL_MATTER_multipoles);
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
        WRONG(in, statistics_maps, "%s need a magnetic field (fluid.mhd)", "magnetic and current");
    if (cfg->fluid_scalars == 0 && maps >> SL_MAP_scalar & 1)
        WRONG(in, statistics_maps, "%s needs fluid.scalars", "scalar");
    if (cfg->mesh_cells_n < 3 && cfg->statistics_map_axes != 1u << SL_AXIS_z)
        WRONG(in, statistics_map_axes, "in two dimensions the line of sight is %s", "z");
    return SL_OK;
}

/* Times of statistics that no run has. */
static int check_times(const struct sl_inputs *in, const struct sl_config *cfg)
{
    const double *decay = cfg->statistics_decay, end = cfg->time_end;
    if (cfg->statistics_decay_n != 2)
        WRONG(in, statistics_decay, "%d value for two: from when to when; nearest: [%g, 0]",
              cfg->statistics_decay_n, cfg->statistics_decay_n ? decay[0] : 0);
    if (decay[1] > 0 && decay[1] <= decay[0])
        WRONG(in, statistics_decay, "ends at %g, but begins at %g; nearest: [%g, %g]", decay[1],
              decay[0], decay[1] < decay[0] ? decay[1] : 0, decay[0]);
    if (reported(in, SL_KEY_time_end) || sl_config_expands(cfg)) return SL_OK;
    if (decay[0] > 0 && decay[0] >= end)
        WRONG(in, statistics_decay,
              "begins at %g, but the run ends at time.end, %g; nearest: [0, 0], from the half-life",
              decay[0], end);
    if (cfg->statistics_average > 0 && cfg->statistics_average >= end)
        WRONG(in, statistics_average,
              "begins at %g, but the run ends at time.end, %g; nearest: 0, no averages",
              cfg->statistics_average, end);
    return SL_OK;
}

static int check_statistics(const struct sl_inputs *in, const struct sl_config *cfg)
{
    bool field = cfg->fluid_mhd != SL_MHD_none;
    if (cfg->statistics_level > cfg->mesh_levels)
        WRONG(in, statistics_level, "the run has no level beyond mesh.levels; nearest: %lld",
              (long long)cfg->mesh_levels);
    if (!field && cfg->statistics_spectra >> SL_SPECTRUM_magnetic & 1)
        WRONG(in, statistics_spectra, "%s needs a magnetic field (fluid.mhd)", "magnetic");
    if (!field && cfg->statistics_joint >> SL_JOINT_magnetic & 1)
        WRONG(in, statistics_joint, "%s needs a magnetic field (fluid.mhd)", "magnetic");
    if (cfg->fluid_eos == SL_EOS_isothermal && cfg->statistics_joint >> SL_JOINT_temperature & 1)
        WRONG(in, statistics_joint, "%s needs an energy equation (fluid.eos)", "temperature");
    SL_TRY(check_maps(in, cfg));
    if (cfg->statistics_structure == 1u << SL_STRUCTURE_diagonals)
        WRONG(in, statistics_structure,
              "%s needs velocity or density in the list; nearest: [velocity, diagonals]",
              "diagonals");
    unsigned of_density = 1u << SL_MATTER_correlation | 1u << SL_MATTER_bispectrum;
    if (cfg->statistics_matter && !(cfg->statistics_matter & ~of_density))
        WRONG(in, statistics_matter, "%s needs a density; nearest: [gas, %s]", "it",
              cfg->statistics_matter >> SL_MATTER_correlation & 1 ? "correlation" : "bispectrum");
    if (wants_particles(cfg) && !has_particles(cfg))
        WRONG(in, statistics_matter,
              "%s needs dark matter: problem: cosmology, ic.particles: true, ic.species other than "
              "baryons; nearest: [gas]",
              "particles");
    if (cfg->statistics_matter >> SL_MATTER_multipoles & 1 &&
        !(sl_config_expands(cfg) && sl_config_wants(cfg, SL_SOURCE_particles)))
        WRONG(in, statistics_matter,
              "%s needs dark matter that moves (time.unit: redshift); nearest: [particles]",
              "multipoles");
    if (cfg->statistics_haloes > 0 && !has_particles(cfg))
        WRONG(in, statistics_haloes,
              "%g needs dark matter: problem: cosmology, ic.particles: true, ic.species other than "
              "baryons; nearest: 0, no haloes",
              cfg->statistics_haloes);
    if (cfg->statistics_fit_n == 2 && cfg->statistics_fit[1] > 0 &&
        cfg->statistics_fit[1] < cfg->statistics_fit[0] + 2)
        WRONG(in, statistics_fit, "a power law needs at least three shells; nearest: [%lld, %lld]",
              (long long)cfg->statistics_fit[0], (long long)cfg->statistics_fit[0] + 2);
    return SL_OK;
}

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

static bool is_source(int i, const char *name)
{
    return name && strcmp(sources[i].name, name) == 0;
}

const char *sl_config_asked(const struct sl_config *cfg, const char *but, const char *also)
{
    for (int i = 0; i < SL_SOURCE_COUNT; i++)
        if (!is_source(i, but) && !is_source(i, also) && sl_config_wants(cfg, (enum sl_source_id)i))
            return sources[i].keys;
    return NULL;
}

/* ---- particles alone ---- */

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
        return wrong(in, i, text);
    }
    return SL_OK;
}

/* Sources that do not act on particles. */
static int check_gas_sources(const struct sl_inputs *in, const struct sl_config *cfg)
{
    for (int i = 0; i < SL_SOURCE_COUNT; i++)
        if (i != SL_SOURCE_self_gravity && i != SL_SOURCE_particles &&
            sl_config_wants(cfg, (enum sl_source_id)i))
            WRONG(in, fluid_eos, "none, but %s acts on gas alone; nearest: ideal", sources[i].keys);
    if (!sl_config_wants(cfg, SL_SOURCE_particles))
        WRONG(in, fluid_eos,
              "none leaves nothing to move: there are no particles (particles.file, ic.species "
              "or pancake.dark_matter); nearest: %s",
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
        {SL_KEY_output_sample, cfg->output_sample, 0, "[]"},
        {SL_KEY_statistics_maps, cfg->statistics_maps, density_maps, "[density]"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[160];
        if (!asked_besides(in, row[i].key, row[i].flags, row[i].known)) continue;
        snprintf(text, sizeof text,
                 "is of gas, and there is none (fluid.eos: none), but for the density of the "
                 "particles; nearest: %s",
                 row[i].nearest);
        return wrong(in, row[i].key, text);
    }
    if (cfg->statistics_matter & (1u << SL_MATTER_gas | 1u << SL_MATTER_cross))
        WRONG(in, statistics_matter, "%s needs gas (fluid.eos); nearest: [particles]",
              cfg->statistics_matter >> SL_MATTER_gas & 1 ? "gas" : "cross");
    if (cfg->statistics_average > 0)
        WRONG(in, statistics_average, "%g: averages are of gas, and there is none; nearest: 0",
              cfg->statistics_average);
    return SL_OK;
}

static int check_without_gas(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (sl_config_has_gas(cfg)) return SL_OK;
    SL_TRY(check_fluid_keys(in, cfg));
    SL_TRY(check_gas_sources(in, cfg));
    return check_matter_statistics(in, cfg);
}

/* What follows from there being no gas where the recipe does not say it. */
static void choose_without_gas(struct sl_config *cfg)
{
    if (sl_config_has_gas(cfg)) return;
    if (cfg->ic_species == SL_IC_SPECIES_auto) cfg->ic_species = SL_IC_SPECIES_dark_matter;
    cfg->statistics_spectra &= density_spectra;
    cfg->statistics_structure &= density_structure;
    cfg->statistics_pdf = cfg->statistics_joint = cfg->output_sample = 0;
    cfg->statistics_maps &= density_maps;
    if (cfg->statistics_structure == 1u << SL_STRUCTURE_diagonals) cfg->statistics_structure = 0;
}

/* ---- rules of the problems ---- */

/* Words for the conditions of SL_RULE rows. */

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

/* radiative_shock.x0, or the nearest place with two cells ahead of it and five behind it. */
static double standing_shock(const struct sl_config *cfg)
{
    const double *box = cfg->mesh_box, dx = (box[1] - box[0]) / (double)cfg->mesh_cells[0];
    return fmin(fmax(cfg->radiative_shock_x0, box[0] + 2 * dx), box[1] - 5 * dx);
}

/* Whether gas and dark matter are apart, by shares that the recipe names. */
static bool two_kinds(const struct sl_config *cfg)
{
    return !cfg->cosmology_file[0] && cfg->ic_species != SL_IC_SPECIES_baryons &&
           cfg->ic_species != SL_IC_SPECIES_dark_matter;
}

/* A key that was not given stands for the problem that asks for it. */
static int refused(const struct sl_inputs *in, int key, const char *text)
{
    if (!in || in->row[key].node || !in->row[SL_KEY_problem].node) return wrong(in, key, text);
    if (known(in, key)) return SL_FAIL(SL_EINPUT, "%s", "");
    return SL_FAIL_AT(in->row[SL_KEY_problem].node->at, "%s: %s%s", sl_keys[key].path, text,
                      by_default(key));
}

#define SL_RULE(name, member, holds, ...)                                                          \
    if (cfg->problem == SL_PROBLEM_##name && !(holds)) {                                           \
        snprintf(text, sizeof text, __VA_ARGS__);                                                  \
        return refused(in, SL_KEY_##member, text);                                                 \
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

/* What sources ask for, where `when` holds. */
#define SL_RULE_SOURCE(when, member, holds, ...)                                                   \
    if ((when) && !(holds)) {                                                                      \
        snprintf(text, sizeof text, __VA_ARGS__);                                                  \
        return refused(in, SL_KEY_##member, text);                                                 \
    }

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

#define SL_RULE_WALLS(name, ...) /* see find_walls */
#define SL_RULE_TUBE(name)

#define SL_RULE_REFINES(name) refines |= cfg->problem == SL_PROBLEM_##name;

static int check_problem(const struct sl_inputs *in, const struct sl_config *cfg)
{
    char text[400];
    bool refines = false;
#include "problem_rules.def" /* generated */
    for (int i = 0; i < cfg->mesh_refine_n && !refines; i++)
        if (cfg->mesh_refine[i].by == SL_REFINE_problem)
            WRONG_RULE(in, i, "problem %s does not say where; nearest: loehner",
                       sl_choice_name("problem", cfg->problem));
    return SL_OK;
}

static int check_notify(const struct sl_inputs *in, const struct sl_config *cfg)
{
    const char *program = cfg->notify_program;
    if (strchr(program, '/') && *program != '/')
        WRONG(in, notify_program, "%.200s is neither an absolute path nor a name that PATH finds",
              sl_quote(program).text);
    if (*program != '/' && program[strcspn(program, " \t")])
        WRONG(in, notify_program,
              "%.200s: a program without arguments; nearest: a script that calls it",
              sl_quote(program).text);
    return SL_OK;
}

static int check_stages(const struct sl_inputs *in, const struct sl_config *cfg)
{
#define STAGE_ROW(name, about) {SL_KEY_stages_##name, cfg->stages_##name},
    const struct {
        int key;
        const char *command;
    } row[] = {SL_COMMAND_LIST(STAGE_ROW)};
#undef STAGE_ROW
    char text[400];
    for (int k = 0; k < SL_COMMAND_KINDS; k++) {
        if (sl_command_check(row[k].command, (enum sl_command_kind)k) == SL_OK) continue;
        snprintf(text, sizeof text, "%.380s", sl_error_text());
        return wrong(in, row[k].key, text);
    }
    return SL_OK;
}

/* All rules are looked at, so that all that is wrong is reported at once. */
#define RULE(call) SL_TRY(sl_fault_keep(in, call))

enum { LINE_CELLS = 65536 };

/* A run along one axis of a size that is looked at as curves: its report begins with them. */
static bool draws_line(const struct sl_config *cfg, int dim)
{
    return dim == 1 && ldexp((double)cfg->mesh_cells[0], (int)cfg->mesh_levels) <= LINE_CELLS;
}

static int check_all(const struct sl_inputs *in, struct sl_config *cfg)
{
    if (cfg->campaign[0] == '\0') WRONG(in, campaign, "must be given: %s", "a name");
    int dim = cfg->mesh_cells_n;
    if (dim < 1 || dim > 3)
        WRONG(in, mesh_cells, "must be given: one number for each of 1 to 3 axes");
    for (int d = dim; d < 3; d++)
        cfg->mesh_cells[d] = 1;
    RULE(check_box(in, cfg, dim));
    RULE(check_size(in, cfg, dim));
    RULE(check_block(in, cfg, dim));
    if (in && draws_line(cfg, dim) && !in->row[SL_KEY_output_sample].node)
        cfg->output_sample = 1u << SL_SAMPLE_line;
    RULE(check_boundary(in, cfg, dim));
    RULE(check_units(in, cfg));
    RULE(check_batch(in, cfg));
    RULE(check_notify(in, cfg));
    RULE(check_stages(in, cfg));
    RULE(check_without_gas(in, cfg));
    choose_without_gas(cfg);
    choose_solver(cfg);
    choose_levels(cfg);
    RULE(check_solver(in, cfg));
    RULE(check_tvd(in, cfg));
    RULE(check_gravity(in, cfg, dim));
    RULE(check_expansion(in, cfg));
    RULE(check_self_gravity(in, cfg));
    RULE(check_driving(in, cfg, dim));
    RULE(check_shocks(in, cfg));
    RULE(check_characteristic(in, cfg));
    RULE(check_integrator(in, cfg, dim));
    RULE(check_levels(in, cfg, dim));
    RULE(check_filling(in, cfg));
    RULE(check_statistics(in, cfg));
    RULE(check_times(in, cfg));
    RULE(check_problem(in, cfg));
    return SL_OK;
}

int sl_config_check(struct sl_config *cfg)
{
    struct sl_config work = *cfg;
    SL_TRY(check_all(NULL, &work));
    *cfg = work;
    return SL_OK;
}

/* Do the rules speak of what the recipe means, or would they of the defaults of keys that are
 * wrong? */
static bool follows(const struct sl_inputs *in)
{
    static const enum sl_key_id base[] = {
        SL_KEY_campaign,  SL_KEY_problem,          SL_KEY_mesh_cells,
        SL_KEY_mesh_box,  SL_KEY_time_unit,        SL_KEY_fluid_eos,
        SL_KEY_fluid_mhd, SL_KEY_fluid_integrator, SL_KEY_fluid_reconstruct};
    if (!in->faults || in->faults->closed) return true;
    for (size_t i = 0; i < sizeof base / sizeof base[0]; i++)
        if (in->faults->key[base[i]]) return false;
    return true;
}

int sl_inputs_check(const struct sl_inputs *in, struct sl_config *cfg)
{
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        if (in->row[i].node || !sl_key_is_required(&sl_keys[i])) continue;
        char text[300];
        snprintf(text, sizeof text, "must be given: %s", sl_keys[i].about);
        if (in->faults && in->faults->unknown) return SL_OK; /* one of those may be meant for it */
        RULE(wrong(in, i, text));
    }
    return follows(in) ? check_all(in, cfg) : SL_OK;
}

/* ---- the rest of the face ---- */

#define OWN_RESOURCES(stage)                                                                       \
    {                                                                                              \
        &cfg->resources_##stage##_ranks, &cfg->resources_##stage##_nodes,                          \
            &cfg->resources_##stage##_gpus, &cfg->resources_##stage##_walltime,                    \
            &cfg->resources_##stage##_memory                                                       \
    }

/* Of the stages of the campaign: what runs of members were given says nothing about them. */
static void whole_resources(const struct sl_config *cfg, struct sl_config *own)
{
    double memory = cfg->resources_ensemble_memory;
    if (cfg->resources_ensemble_walltime > 0)
        own->resources_walltime = cfg->resources_ensemble_walltime;
    own->resources_memory = memory > 0 ? memory : 0;
    own->resources_ranks = own->resources_nodes = 1;
    own->resources_gpus = 0;
}

void sl_config_stage(const struct sl_config *cfg, int stage, struct sl_config *own)
{
    const struct {
        const int64_t *ranks, *nodes, *gpus;
        const double *walltime, *memory;
    } row[SL_CONFIG_STAGES] = {OWN_RESOURCES(ic), OWN_RESOURCES(sim), OWN_RESOURCES(stats),
                               OWN_RESOURCES(own)};
    if (own != cfg) *own = *cfg;
    if (stage >= SL_CONFIG_STAGES) whole_resources(cfg, own);
    if (stage < 0 || stage >= SL_CONFIG_STAGES) return;
    if (*row[stage].ranks > 0) own->resources_ranks = *row[stage].ranks;
    if (*row[stage].nodes >= 0) own->resources_nodes = *row[stage].nodes;
    if (*row[stage].gpus >= 0) own->resources_gpus = *row[stage].gpus;
    if (*row[stage].walltime > 0) own->resources_walltime = *row[stage].walltime;
    /* a command needs what it needs, whatever a run was given */
    if (*row[stage].memory >= 0 || stage == SL_CONFIG_own)
        own->resources_memory = *row[stage].memory;
}

int sl_config_dim(const struct sl_config *cfg)
{
    return cfg->mesh_cells_n;
}

double sl_config_trees(const struct sl_config *cfg, int root[3])
{
    double trees = 1;
    int dim = sl_config_dim(cfg);
    for (int d = 0; d < 3; d++) {
        if (d < dim && cfg->mesh_block[d] < 1) return 0;
        root[d] = d < dim ? (int)(cfg->mesh_cells[d] / cfg->mesh_block[d]) : 1;
    }
    for (int d = 0; d < dim; d++)
        trees *= root[d] >> sl_depth_tree(dim, root);
    return trees;
}

bool sl_config_has_gas(const struct sl_config *cfg)
{
    return cfg->fluid_eos != SL_EOS_none;
}

bool sl_config_expands(const struct sl_config *cfg)
{
    return cfg->time_unit == SL_TIME_UNIT_redshift;
}

bool sl_config_isolated(const struct sl_config *cfg)
{
    return cfg->gravity_boundary == SL_GRAVITY_BOUNDARY_isolated ||
           (cfg->gravity_boundary == SL_GRAVITY_BOUNDARY_auto && !periodic(cfg));
}

bool sl_config_of_universe(const struct sl_config *cfg)
{
    return sl_config_expands(cfg) || cfg->problem == SL_PROBLEM_cosmology;
}

bool sl_config_has_units(const struct sl_config *cfg)
{
    return sl_config_of_universe(cfg) ||
           (cfg->units_length > 0 && cfg->units_density > 0 && cfg->units_velocity > 0);
}

bool sl_config_riemann_magnetic(const struct sl_config *cfg)
{
    const double *l = cfg->riemann_left, *r = cfg->riemann_right;
    const double *bl = cfg->riemann_magnetic_left, *br = cfg->riemann_magnetic_right;
    bool across = bl[1] != 0 || bl[2] != 0 || br[1] != 0 || br[2] != 0;
    return across || (bl[0] != 0 && (l[2] != r[2] || l[3] != r[3]));
}

struct sl_potential sl_config_potential(const struct sl_config *cfg)
{
    struct sl_potential p = {.kind = cfg->potential_kind,
                             .dim = cfg->mesh_cells_n,
                             .axis = cfg->potential_axis,
                             .strength = cfg->potential_strength,
                             .softening = cfg->potential_softening};
    for (int d = 0; d < p.dim; d++) {
        p.center[d] = cfg->potential_center[d];
        if (cfg->mesh_boundary[2 * d] == SL_BOUNDARY_periodic)
            p.period[d] = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
    }
    return p;
}

bool sl_config_sim_on_device(const struct sl_config *cfg)
{
    return cfg->resources_backend == SL_BACKEND_cuda || cfg->resources_backend == SL_BACKEND_auto;
}

bool sl_config_stats_on_device(const struct sl_config *cfg)
{
    double cells = 1;
    for (int d = 0; d < cfg->mesh_cells_n; d++)
        cells *= (double)cfg->mesh_cells[d];
    if (!cfg->statistics_spectra && !cfg->statistics_structure) return false;
    return cfg->resources_backend == SL_BACKEND_cuda ||
           (cfg->resources_backend == SL_BACKEND_auto && cells >= 1 << 20);
}

static int resolve(const struct sl_inputs *in, struct sl_config *cfg)
{
    if (in->sweep_count > 0)
        return SL_FAIL_AT(in->sweep[0].at, "a sweep makes many runs: only `sluice` takes it; one "
                                           "program runs one member's run.yaml");
    struct sl_config work;
    sl_config_default(&work);
    struct sl_resolver r;
    sl_resolver_init(&r, in, &work);
    SL_TRY(sl_resolve_all(&r));
    SL_TRY(sl_inputs_check(in, &work));
    SL_TRY(sl_fault_end(in));
    *cfg = work;
    return SL_OK;
}

int sl_config_read(const char *path, char *const *overrides, int n, struct sl_config *cfg)
{
    struct sl_inputs *in;
    SL_TRY(sl_inputs_read(path, overrides, n, &in));
    int code = resolve(in, cfg);
    if (code != SL_OK && in->faults->foreign) /* sluice writes no key that it does not know */
        code = SL_FAIL(code,
                       "%s\n%s: if nobody edited this file, it is from a sluice of another build "
                       "than this program: `make` builds all of them",
                       sl_error_text(), path);
    sl_inputs_free(in);
    return code;
}

int sl_config_parse(const char *name, const char *bytes, size_t size, char *const *overrides, int n,
                    struct sl_config *cfg)
{
    struct sl_inputs *in;
    SL_TRY(sl_inputs_parse(name, bytes, size, overrides, n, &in));
    int code = resolve(in, cfg);
    sl_inputs_free(in);
    return code;
}

/* A key that nobody gave, and that means nothing where the recipe has no command. */
static bool is_idle(const struct sl_key *key, const char *value)
{
    if (sl_key_is_command(key)) return true;
    return strncmp(key->path, "resources.own.", 14) == 0 && strcmp(value, key->text) == 0;
}

/* "path: value" lines of the keys that are not left out; NULL: of all. */
static int print_keys(const struct sl_config *cfg, bool (*left_out)(const struct sl_key *),
                      char **text)
{
    bool commands = *cfg->stages_snapshot || *cfg->stages_member || *cfg->stages_campaign;
    size_t size = 4096, used = 0;
    char *out = malloc(size);
    SL_CHECK(out, SL_EMEM, "no memory to print the keys");
    *out = '\0';
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        char value[2 * SL_TEXT_MAX + 1100];
        if (left_out && left_out(&sl_keys[i])) continue;
        sl_key_print(&sl_keys[i], cfg, value, sizeof value);
        if (!commands && is_idle(&sl_keys[i], value)) continue;
        size_t need = strlen(sl_keys[i].path) + strlen(value) + 4;
        if (used + need > size) {
            size = 2 * (size + need);
            char *more = realloc(out, size);
            if (!more) free(out);
            SL_CHECK(more, SL_EMEM, "no memory to print the keys");
            out = more;
        }
        used += (size_t)snprintf(out + used, size - used, "%s: %s\n", sl_keys[i].path, value);
    }
    *text = out;
    return SL_OK;
}

int sl_config_print(const struct sl_config *cfg, char **text)
{
    return print_keys(cfg, NULL, text);
}

int sl_config_print_fixed(const struct sl_config *cfg, char **text)
{
    return print_keys(cfg, sl_key_may_change, text);
}

/* Failures are seen by a run in its mtbf alone. */
static bool no_result(const struct sl_key *key)
{
    return sl_key_is_means(key) || strcmp(key->path, "run.mtbf") == 0;
}

int sl_config_print_results(const struct sl_config *cfg, char **text)
{
    return print_keys(cfg, no_result, text);
}

const char *sl_choice_name(const char *path, int value)
{
    int key = sl_key_find(path);
    if (key < 0 || value < 0 || value >= sl_keys[key].choice_count) return "";
    return sl_keys[key].choices[value].name;
}
