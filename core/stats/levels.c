/* levels.c - see levels.h. */
#include "core/stats/levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/config/show.h"
#include "core/sys/status.h"

enum { MOST = 65536, SIDES = 5 }; /* leaves of a plane; columns of a block */

/* ---- cells against time --------------------------------------------------------------------- */

/* Column of the cells of a level, -1: the history has none. */
static int column_of(const struct sl_series *h, int level)
{
    char name[SL_SERIES_NAME];
    snprintf(name, sizeof name, "cells_level_%d", level);
    return sl_series_find(h, name);
}

int sl_levels_measure(const struct sl_series *series, struct sl_tables *tables)
{
    struct sl_table *t;
    int levels = 0, x = sl_series_find(series, "scale_factor");
    while (column_of(series, levels) >= 0)
        levels++;
    if (levels == 0) return SL_OK;
    if (x < 0) SL_TRY(sl_series_column(series, "time_unit", &x));
    SL_TRY(sl_tables_add(tables, "levels", series->nrow, 1 + levels, &t,
                         "leaf cells of each level of the mesh against time"));
    sl_table_column(t, 0, "time_unit", "time.unit of the recipe, or scale factor");
    for (int l = 0; l < levels; l++) {
        char name[32];
        snprintf(name, sizeof name, "level_%d", l);
        sl_table_column(t, 1 + l, name, "1");
    }
    for (int r = 0; r < series->nrow; r++) {
        *sl_table_at(t, r, 0) = sl_series_at(series, r, x);
        for (int l = 0; l < levels; l++)
            *sl_table_at(t, r, 1 + l) = sl_series_at(series, r, column_of(series, l));
    }
    return SL_OK;
}

/* ---- blocks of a map ------------------------------------------------------------------------ */

/* Whether the i-th block is a leaf that the plane of a slice along an axis cuts, on the grid of a
 * level. */
static bool is_cut(const struct sl_snapshot *s, int64_t i, int level, int axis, int64_t plane,
                   int *own, int64_t at[3])
{
    const struct sl_snapshot_info *info = sl_snapshot_about(s);
    if (!sl_snapshot_block(s, i, own, at)) return false;
    if (axis >= info->dim) return true;
    double cell = floor(ldexp((double)plane, *own - level)), n = (double)info->block[axis];
    return cell >= (double)at[axis] * n && cell < (double)(at[axis] + 1) * n;
}

static void block_row(const struct sl_snapshot_info *info, int level, int axis, int own,
                      const int64_t at[3], double *row)
{
    int of[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
    for (int i = 0; i < 2; i++) {
        double size = ldexp((double)info->block[of[i]], level - own);
        row[2 * i] = (double)at[of[i]] * size;
        row[2 * i + 1] = (double)(at[of[i]] + 1) * size;
    }
    row[4] = own;
}

int sl_levels_blocks(const struct sl_config *cfg, const struct sl_snapshot *snapshot, int level,
                     int axis, int number, struct sl_tables *tables)
{
    const struct sl_snapshot_info *info = sl_snapshot_about(snapshot);
    char kind[SL_TABLE_NAME], name[SL_TABLE_NAME], sight = (char)('x' + axis);
    int n = 0, own;
    int64_t at[3], plane = sl_show_plane(cfg, axis, info->cells[axis] << level);
    struct sl_table *t;
    if (!info->levels || info->dim < 2) return SL_OK;
    for (int64_t i = 0; i < info->nblock && n <= MOST; i++)
        n += is_cut(snapshot, i, level, axis, plane, &own, at);
    if (n > MOST) return SL_OK;
    snprintf(kind, sizeof kind, "blocks_%c_%04d", sight, number);
    SL_TRY(sl_tables_add(tables, kind, n, SIDES, &t,
                         "blocks in the plane of slice_density_%c_%04d, in cells", sight, number));
    for (int c = 0; c < 4; c++) {
        snprintf(name, sizeof name, "%c_%s",
                 c < 2 ? (axis == 0 ? 'y' : 'x') : (axis == 2 ? 'y' : 'z'), c % 2 ? "high" : "low");
        sl_table_column(t, c, name, "1");
    }
    sl_table_column(t, 4, "level", "1");
    sl_table_note(t, "level", level);
    for (int64_t i = 0, r = 0; i < info->nblock; i++)
        if (is_cut(snapshot, i, level, axis, plane, &own, at))
            block_row(info, level, axis, own, at, sl_table_at(t, (int)r++, 0));
    return SL_OK;
}
