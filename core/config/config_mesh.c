/* config_mesh.c - see config_rules.h: the root grid, its blocks, and levels over it. */
#include "core/config/config_rules.h"

#include <math.h>

#include "core/config/rules.h"
#include "core/config/show.h"
#include "core/lists/boundary_list.h"
#include "core/lists/eos_list.h"
#include "core/lists/integrator_list.h"
#include "core/lists/mhd_list.h"
#include "core/lists/reconstruct_list.h"
#include "core/lists/refine_list.h"
#include "core/sys/depth.h"

/* ---- blocks ---- */

int sl_config_face_ghosts(const struct sl_config *cfg)
{
    static const int ghost[] = {
#define GHOST(name, cells, ...) cells,
        SL_RECONSTRUCT_LIST(GHOST)
#undef GHOST
    };
    return ghost[cfg->fluid_reconstruct];
}

static int ghost_cells(const struct sl_config *cfg)
{
    int faces = sl_config_face_ghosts(cfg);
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
        SL_WRONG(in, mesh_box, "%d values for %d axes; write [lower, upper] for each axis",
                 cfg->mesh_box_n, dim);
    for (int d = 0; d < 3; d++) {
        double *lo = &cfg->mesh_box[2 * d], *hi = lo + 1;
        if (d < dim && !(*hi > *lo))
            SL_WRONG(in, mesh_box, "upper end %.15g along %c is not above the lower end %.15g", *hi,
                     sl_config_axis[d], *lo);
        if (d < dim) continue;
        if (2 * d < cfg->mesh_box_n && (*lo != 0 || *hi != 1))
            SL_WRONG(in, mesh_box, "%d axes, but mesh.cells has %d", cfg->mesh_box_n / 2, dim);
        *lo = 0, *hi = 1;
    }
    cfg->mesh_box_n = 2 * dim;
    return SL_OK;
}

static int check_block_axis(const struct sl_inputs *in, const struct sl_config *cfg, int d)
{
    int64_t cells = cfg->mesh_cells[d], block = cfg->mesh_block[d], least = smallest_block(cfg);
    if (cells < least)
        SL_WRONG(in, mesh_cells, "%lld cells along %c are fewer than the smallest block, %lld",
                 (long long)cells, sl_config_axis[d], (long long)least);
    if (fits(cfg, cells, block)) return SL_OK;
    struct divisors fit = nearest_divisors(cfg, cells, block);
    if (!fit.below && !fit.above)
        SL_WRONG(
            in, mesh_cells,
            "%lld cells along %c cannot be divided into blocks of an even number of cells, %lld "
            "or more, as mesh.levels needs; nearest: %lld",
            (long long)cells, sl_config_axis[d], (long long)least, (long long)(cells + 1) / 2 * 2);
    char near[64];
    if (fit.below && fit.above)
        snprintf(near, sizeof near, "%lld or %lld", (long long)fit.below, (long long)fit.above);
    else
        snprintf(near, sizeof near, "%lld", (long long)(fit.below ? fit.below : fit.above));
    if (block < least)
        SL_WRONG(in, mesh_block, "%lld along %c is below the smallest block, %lld; nearest: %s",
                 (long long)block, sl_config_axis[d], (long long)least, near);
    if (cells % block == 0)
        SL_WRONG(in, mesh_block,
                 "%lld along %c is odd, but blocks that are refined (mesh.levels) are halved; "
                 "nearest: %s",
                 (long long)block, sl_config_axis[d], near);
    SL_WRONG(in, mesh_block, "%lld does not divide the %lld cells along %c; nearest: %s",
             (long long)block, (long long)cells, sl_config_axis[d], near);
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
    return (double)ranks > cells ? sl_config_wrong(in, key, text) : SL_OK;
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
        SL_WRONG(in, mesh_cells,
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
        SL_WRONG(in, mesh_block, "%d values for %d axes", cfg->mesh_block_n, dim);
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

enum { LINE_CELLS = 65536, RADIUS_CELLS = 1 << 21 };

/* A run along one axis of a size that is looked at as curves: its report begins with them. */
static bool draws_line(const struct sl_config *cfg, int dim)
{
    return dim == 1 && ldexp((double)cfg->mesh_cells[0], (int)cfg->mesh_levels) <= LINE_CELLS;
}

/* A run around a point whose ranks hold the whole grid anyway, to compare it. */
static bool draws_radius(const struct sl_config *cfg, int dim)
{
    double cells = ldexp(1, dim * (int)cfg->mesh_levels);
    bool centred = true;
    for (int d = 0; d < dim; d++) {
        double center = sl_show_center(cfg, d);
        cells *= (double)cfg->mesh_cells[d];
        centred &= cfg->output_center[d] == (isnan(center) ? 0 : center);
    }
    return dim > 1 && cfg->verify && centred && cells <= RADIUS_CELLS &&
           sl_show_has(sl_show_of(cfg->problem)->what, "radial");
}

int sl_config_check_mesh(const struct sl_inputs *in, struct sl_config *cfg)
{
    int dim = cfg->mesh_cells_n;
    for (int d = dim; d < 3; d++)
        cfg->mesh_cells[d] = 1;
    SL_RULED(in, check_box(in, cfg, dim));
    SL_RULED(in, check_size(in, cfg, dim));
    SL_RULED(in, check_block(in, cfg, dim));
    if (in && draws_line(cfg, dim) && !in->row[SL_KEY_output_sample].node)
        cfg->output_sample = 1u << SL_SAMPLE_line;
    if (in && draws_radius(cfg, dim) && !in->row[SL_KEY_output_sample].node)
        cfg->output_sample = 1u << SL_SAMPLE_radius;
    return SL_OK;
}

/* ---- levels ---- */

/* A rule of something that the gas does not have. */
static int check_rule_gas(const struct sl_inputs *in, const struct sl_config *cfg, int i)
{
    const struct sl_refine_rule *r = &cfg->mesh_refine[i];
    const char *of = sl_rules_parameter(SL_REFINE_BIT_of)->choices[r->of].name;
    bool field = cfg->fluid_mhd != SL_MHD_none;
    int scalar = r->of - SL_REFINE_OF_scalar1 + 1;
    if (!field && r->by == SL_REFINE_current)
        SL_WRONG_RULE(in, i, "%s needs a magnetic field (fluid.mhd); nearest: vorticity",
                      "current");
    if (!field && r->of >= SL_REFINE_OF_magnetic && r->of <= SL_REFINE_OF_alfven_mach)
        SL_WRONG_RULE(in, i, "%s needs a magnetic field (fluid.mhd); nearest: %s", of,
                      r->of == SL_REFINE_OF_alfven_mach ? "mach" : "pressure");
    if (scalar > cfg->fluid_scalars)
        SL_WRONG_RULE(in, i,
                      "scalar%d: there are only %lld passive scalars; nearest: fluid.scalars: %d",
                      scalar, (long long)cfg->fluid_scalars, scalar);
    if ((r->of == SL_REFINE_OF_entropy || r->of == SL_REFINE_OF_heat) &&
        cfg->fluid_eos != SL_EOS_ideal)
        SL_WRONG_RULE(in, i, "%s needs an ideal gas (fluid.eos); nearest: density", of);
    if (r->by == SL_REFINE_jeans && !sl_config_wants(cfg, SL_SOURCE_self_gravity))
        SL_WRONG_RULE(in, i, "%s needs self-gravity (gravity.four_pi_g, or time.unit: redshift)",
                      "jeans");
    return SL_OK;
}

/* A rule of what is never there. */
static int check_rule_place(const struct sl_inputs *in, const struct sl_config *cfg, int i)
{
    const struct sl_refine_rule *r = &cfg->mesh_refine[i];
    int dim = cfg->mesh_cells_n;
    if (r->by == SL_REFINE_loehner && r->above >= 1)
        SL_WRONG_RULE(in, i, "loehner: its number is at most 1, so `above: %g` never refines",
                      r->above);
    if (!(SL_REFINE_SHAPES >> r->by & 1)) return SL_OK;
    if (r->axes != dim) SL_WRONG_RULE(in, i, "%d numbers for %d axes", r->axes, dim);
    for (int d = 0; d < dim; d++)
        if (r->by == SL_REFINE_box && !(r->hi[d] > r->lo[d]))
            SL_WRONG_RULE(in, i, "box: hi along %c is not above lo", sl_config_axis[d]);
    if (sl_config_region_in_box(cfg, i)) return SL_OK;
    SL_WRONG_RULE(in, i, "a %s outside mesh.box never refines",
                  sl_choice_name("mesh.refine", r->by));
}

/* With tvd, whose sweeps go over all levels together, auto is one, and with self-gravity: each step
 * of the finest level takes a potential, and a fall allows a coarser level only 1.4 times the step
 * of the next, for which finer ones take shorter steps: of a processor's time `each` takes 1.06
 * (evrard, 32^3 + 2, six cells in a Jeans length: 80 steps of the finest level in place of 58),
 * 0.90 (48^3 + 2 in a small ball: 44 in place of 25) and 1.41 (recipes/cosmology-adaptive.yaml to z
 * = 3). */
static void choose_levels(struct sl_config *cfg)
{
    if (cfg->time_levels == SL_TIME_LEVELS_auto && (sl_config_wants(cfg, SL_SOURCE_self_gravity) ||
                                                    cfg->fluid_integrator == SL_INTEGRATOR_tvd))
        cfg->time_levels = SL_TIME_LEVELS_one;
}

static int most_levels(const struct sl_config *cfg, int dim)
{
    int root[3] = {1, 1, 1};
    for (int d = 0; d < dim; d++)
        root[d] = (int)(cfg->mesh_cells[d] / cfg->mesh_block[d]);
    return sl_depth_most(dim, root);
}

static int check_rules(const struct sl_inputs *in, const struct sl_config *cfg)
{
    for (int i = 0; i < cfg->mesh_refine_n; i++) {
        SL_TRY(check_rule_gas(in, cfg, i));
        SL_TRY(check_rule_place(in, cfg, i));
    }
    return SL_OK;
}

static int check_depth(const struct sl_inputs *in, const struct sl_config *cfg, int dim)
{
    if (cfg->mesh_levels == 0) {
        if (in && cfg->mesh_refine_n > 0 && !in->row[SL_KEY_mesh_levels].node)
            SL_WRONG(in, mesh_refine, "needs mesh.levels, the levels that it may make; nearest: %s",
                     "mesh.levels: 1");
        return SL_OK;
    }
    if (cfg->mesh_refine_n == 0 && sl_config_reported(in, SL_KEY_mesh_refine)) return SL_OK;
    if (cfg->mesh_refine_n == 0)
        SL_WRONG(in, mesh_levels,
                 "%lld, but mesh.refine has no rule, so nothing is refined; nearest: 0, or "
                 "mesh.refine: [{by: loehner, of: density}]",
                 (long long)cfg->mesh_levels);
    for (int d = 0; d < dim; d++)
        if (cfg->mesh_block[d] < 1)
            return SL_OK; /* no block divides mesh.cells: reported already */
    int most = most_levels(cfg, dim);
    if (cfg->mesh_levels > most)
        SL_WRONG(
            in, mesh_levels,
            "%lld, but over a root grid of so many blocks (mesh.cells, mesh.block) a mesh holds at "
            "most %d; nearest: %d",
            (long long)cfg->mesh_levels, most, most);
    for (int d = 0; d < dim; d++)
        if (cfg->mesh_buffer > cfg->mesh_block[d])
            SL_WRONG(in, mesh_buffer,
                     "%lld cells are more than a block has along %c; nearest: %lld",
                     (long long)cfg->mesh_buffer, sl_config_axis[d], (long long)cfg->mesh_block[d]);
    return SL_OK;
}

/* Finer cells lie within coarser ones. */
static int check_filling(const struct sl_inputs *in, const struct sl_config *cfg)
{
    const double *part = cfg->resources_filling;
    for (int l = 1; l < cfg->resources_filling_n; l++)
        if (part[l] > part[l - 1])
            SL_WRONG(
                in, resources_filling,
                "%g of the box after %g: finer cells lie within coarser ones, so numbers cannot "
                "grow; nearest: %g",
                part[l], part[l - 1], part[l - 1]);
    return SL_OK;
}

int sl_config_check_levels(const struct sl_inputs *in, struct sl_config *cfg)
{
    choose_levels(cfg);
    SL_RULED(in, check_rules(in, cfg));
    SL_RULED(in, check_depth(in, cfg, cfg->mesh_cells_n));
    SL_RULED(in, check_filling(in, cfg));
    return SL_OK;
}
