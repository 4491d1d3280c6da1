/* stats_memory.c - see stats_memory.h. */
#include "core/config/stats_memory.h"

#include <math.h>

#include "core/config/bias_grid.h"
#include "core/config/config.h"
#include "core/config/show.h"
#include "core/lists/mhd_list.h"

double sl_stats_cells(const struct sl_config *cfg)
{
    double cells = 1;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        cells *= (double)cfg->mesh_cells[d];
    return ldexp(cells, sl_config_dim(cfg) * (int)cfg->statistics_level);
}

/* Doubles per cell for the tree of clumps: labels, and what goes with the dense cells, of which one
 * rank may have more than another: at most one in statistics.tree of all is so dense. */
static double tree_doubles(const struct sl_config *cfg, double ranks)
{
    return 1 + 6 * fmin(1, ranks / fmax(1, cfg->statistics_tree));
}

/* Bytes for trees of two pieces that meet, four planes, and of those that a rank joined before
 * (merge.h). */
static double tree_planes(const struct sl_config *cfg, double ranks)
{
    if (!(cfg->statistics_tree > 0) || ranks < 2 || sl_config_dim(cfg) < 3) return 0;
    double plane = ldexp((double)cfg->mesh_cells[0] * (double)cfg->mesh_cells[1],
                         2 * (int)cfg->statistics_level);
    double before = ceil(log2(ranks)) - 1;
    return 4 * plane * (180 + 92 * before);
}

/* Bytes of a particle of haloes, sorted, at most, and with progenitors those of the snapshot
 * before. */
static double halo_bytes(const struct sl_config *cfg)
{
    return cfg->statistics_progenitors ? 146 : 130;
}

/* Doubles per cell of the grid: particles that do not move are one in each. */
static double halo_doubles(const struct sl_config *cfg, double moving)
{
    return halo_bytes(cfg) / sizeof(double) * (moving > 0 ? moving / sl_stats_cells(cfg) : 1);
}

/* Doubles per cell that those who measure hold at most: fields, room for derived ones and their
 * modes, and what the largest measurement needs: labels of cells; planes of other ranks;
 * particles, their sum and that half a cell further on; those of haloes. */
static double stats_doubles(const struct sl_config *cfg, double moving, double ranks)
{
    double read = !sl_config_has_gas(cfg)         ? 1
                  : cfg->fluid_mhd == SL_MHD_none ? 4
                                                  : 7,
           derived = 3, measure = 1;
    read += sl_show_pressure(cfg) + (sl_show_maps(cfg) >> SL_MAP_scalar & 1) +
            (sl_show_maps(cfg) >> SL_MAP_potential & 1);
    if (cfg->statistics_structure && ranks > 1) measure = 3;
    if (cfg->statistics_matter)
        measure = cfg->statistics_matter >> SL_MATTER_bispectrum & 1 ? 10 : 6;
    if (cfg->statistics_tree > 0) measure = fmax(measure, tree_doubles(cfg, ranks));
    if (cfg->statistics_haloes > 0) measure = fmax(measure, halo_doubles(cfg, moving));
    return read + derived + measure;
}

/* Bytes of the planes that a finer grid of maps is read by: fields and room for derived ones. */
static double map_planes(const struct sl_config *cfg)
{
    int level = sl_show_map_level(cfg);
    double fields = (cfg->fluid_mhd == SL_MHD_none ? 4 : 7) + 2 + 3;
    if (level == cfg->statistics_level || sl_config_dim(cfg) < 3 || !sl_show_maps(cfg)) return 0;
    return ldexp((double)cfg->mesh_cells[0] * (double)cfg->mesh_cells[1], 2 * level) *
           (SL_MAP_PLANES + 2) * fields * 8;
}

/* ---- where a device has them ----------------------------------------------------------------- */

/* Bytes for the bias of haloes: particles and their places, and densities of both. */
static double bias_memory(const struct sl_config *cfg, double moving)
{
    double length[3];
    int n[3];
    for (int d = 0; d < 3; d++) {
        n[d] = (int)cfg->mesh_cells[d] << cfg->statistics_level;
        length[d] = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
    }
    sl_bias_grid(n, length);
    return (32 + 24) * moving + 2 * sizeof(double) * n[0] * n[1] * n[2];
}

/* Bytes that remain on the host: of haloes, and of a plane maps and sums over modes of each row. */
static double memory_beside(const struct sl_config *cfg, double moving)
{
    double side = 0, haloes = 0;
    for (int d = 0; d < 3; d++)
        side = fmax(side, ldexp((double)cfg->mesh_cells[d], (int)cfg->statistics_level));
    if (cfg->statistics_haloes > 0)
        haloes = fmax(halo_bytes(cfg) * moving, bias_memory(cfg, moving));
    return haloes + 8 * sizeof(double) * side * side;
}

bool sl_stats_stays(const struct sl_config *cfg)
{
    const unsigned matter = 1u << SL_MATTER_particles | 1u << SL_MATTER_multipoles;
    return sl_config_stats_on_device(cfg) && !sl_config_has_gas(cfg) &&
           !(cfg->statistics_spectra & ~(1u << SL_SPECTRUM_density)) &&
           !(cfg->statistics_matter & ~matter) && !cfg->statistics_structure &&
           !cfg->statistics_interlace && !(cfg->statistics_clumps > 0) &&
           !(cfg->statistics_tree > 0);
}

/* ---- all of it ------------------------------------------------------------------------------- */

double sl_stats_memory(const struct sl_config *cfg, double moving, double ranks, bool there)
{
    double share = sl_stats_cells(cfg) / ranks;
    if (there && sl_stats_stays(cfg)) return memory_beside(cfg, moving);
    return stats_doubles(cfg, moving, ranks) * sizeof(double) * share + tree_planes(cfg, ranks) +
           map_planes(cfg);
}
