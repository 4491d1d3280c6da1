/* levels.c - see levels.h. */
#include "core/stats/levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Whether the i-th block is a leaf that the middle plane of the grid of a level cuts. */
static bool is_cut(const struct sl_snapshot *s, int64_t i, int level, int *own, int64_t at[3])
{
    const struct sl_snapshot_info *info = sl_snapshot_about(s);
    if (!sl_snapshot_block(s, i, own, at)) return false;
    if (info->dim < 3) return true;
    double middle = floor(ldexp((double)info->cells[2], level) / 2); /* as a cell of the map */
    double cell = floor(ldexp(middle, *own - level)), n = (double)info->block[2];
    return cell >= (double)at[2] * n && cell < (double)(at[2] + 1) * n;
}

static void block_row(const struct sl_snapshot_info *info, int level, int own, const int64_t at[3],
                      double *row)
{
    for (int a = 0; a < 2; a++) {
        double size = ldexp((double)info->block[a], level - own);
        row[2 * a] = (double)at[a] * size;
        row[2 * a + 1] = (double)(at[a] + 1) * size;
    }
    row[4] = own;
}

int sl_levels_blocks(const struct sl_snapshot *snapshot, int level, int number,
                     struct sl_tables *tables)
{
    static const char *const name[SIDES] = {"x_low", "x_high", "y_low", "y_high", "level"};
    const struct sl_snapshot_info *info = sl_snapshot_about(snapshot);
    char kind[SL_TABLE_NAME];
    int n = 0, own;
    int64_t at[3];
    struct sl_table *t;
    if (!info->levels || info->dim < 2) return SL_OK;
    for (int64_t i = 0; i < info->nblock && n <= MOST; i++)
        n += is_cut(snapshot, i, level, &own, at);
    if (n > MOST) return SL_OK;
    snprintf(kind, sizeof kind, "blocks_z_%04d", number);
    SL_TRY(sl_tables_add(tables, kind, n, SIDES, &t,
                         "blocks in the plane of slice_density_z_%04d, in cells of that map",
                         number));
    for (int c = 0; c < SIDES; c++)
        sl_table_column(t, c, name[c], "1");
    for (int64_t i = 0, r = 0; i < info->nblock; i++)
        if (is_cut(snapshot, i, level, &own, at))
            block_row(info, level, own, at, sl_table_at(t, (int)r++, 0));
    return SL_OK;
}
