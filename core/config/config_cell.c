/* config_cell.c - see config.h: the questions about a recipe that functions of core/cell answer.
 * They stand apart, so that all else of core/config knows core/lists alone. */
#include "core/config/config.h"

#include "core/cell/drive_spectrum.h"
#include "core/cell/refine.h"

/* The wave of driving.kmin along the longest side is always among the modes that are looked at. */
bool sl_config_force_has_mode(const struct sl_config *cfg)
{
    const struct sl_drive_shape shape = {cfg->driving_spectrum, cfg->mesh_cells_n,
                                         cfg->driving_slope, cfg->driving_peak};
    return sl_drive_amplitude(&shape, (double)cfg->driving_kmin) > 0;
}

bool sl_config_region_in_box(const struct sl_config *cfg, int i)
{
    double lo[3] = {0, 0, 0}, hi[3] = {0, 0, 0};
    for (int d = 0; d < cfg->mesh_cells_n; d++)
        lo[d] = cfg->mesh_box[2 * d], hi[d] = cfg->mesh_box[2 * d + 1];
    return sl_refine_reaches(&cfg->mesh_refine[i], cfg->mesh_cells_n, lo, hi);
}
