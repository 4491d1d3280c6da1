/* level_shares.c - see level_shares.h. */
#include "core/stats/level_shares.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/stats/leaf_cells.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

enum { SUMS = 2 * SL_LEVELS }; /* volume and mass of each level */

static int add_leaf(void *of, int piece, const struct sl_leaf_cells *leaf)
{
    double *sum = (double *)of + SUMS * (ptrdiff_t)piece + 2 * leaf->level;
    for (size_t i = 0; i < sl_leaf_count(leaf); i++) {
        sum[0] += leaf->volume;
        sum[1] += leaf->volume * leaf->value[i];
    }
    return SL_OK;
}

static void fill(struct sl_level_shares_row *row, double time, const double sum[SUMS])
{
    double volume = 0, mass = 0;
    for (int l = 0; l < SL_LEVELS; l++) {
        volume += sum[2 * l];
        mass += sum[2 * l + 1];
    }
    row->time = time;
    for (int l = 0; l < SL_LEVELS; l++) {
        row->volume[l] = sum[2 * l] / volume;
        row->mass[l] = sum[2 * l + 1] / mass;
    }
}

int sl_level_shares_add(MPI_Comm comm, const struct sl_snapshot *snapshot, double time,
                        struct sl_level_shares *s)
{
    static const char *const density[] = {"dens"};
    double sums[SUMS * SL_LEAF_CHUNKS] = {0}, sum[SUMS];
    struct sl_leaf_reader r = {.snapshot = snapshot, .nfield = 1, .field = density};
    MPI_Comm_rank(comm, &r.rank);
    MPI_Comm_size(comm, &r.size);
    struct sl_level_shares_row *more = realloc(s->row, ((size_t)s->n + 1) * sizeof *more);
    if (more) s->row = more;
    int code = more ? sl_leaf_each(&r, sums, add_leaf) : SL_FAIL(SL_EMEM, "out of memory");
    SL_TRY(sl_agree(comm, code));
    SL_TRY(sl_sum_columns(comm, sl_leaf_pieces(&r), SUMS, sums, sum));
    fill(&s->row[s->n++], time, sum);
    return SL_OK;
}

int sl_level_shares_table(const struct sl_level_shares *s, int levels, struct sl_tables *tables)
{
    struct sl_table *t;
    char name[SL_TABLE_NAME];
    if (s->n == 0) return SL_OK;
    SL_TRY(sl_tables_add(tables, "level_shares", s->n, 1 + 2 * (levels + 1), &t,
                         "shares of the volume and of the mass of gas that the leaves of each "
                         "level hold, at each snapshot"));
    sl_table_column(t, 0, "time_unit", "time.unit of the recipe, or scale factor");
    for (int l = 0; l <= levels; l++) {
        snprintf(name, sizeof name, "volume_level_%d", l);
        sl_table_column(t, 1 + l, name, "1");
        snprintf(name, sizeof name, "mass_level_%d", l);
        sl_table_column(t, 2 + levels + l, name, "1");
    }
    for (int r = 0; r < s->n; r++) {
        *sl_table_at(t, r, 0) = s->row[r].time;
        for (int l = 0; l <= levels; l++) {
            *sl_table_at(t, r, 1 + l) = s->row[r].volume[l];
            *sl_table_at(t, r, 2 + levels + l) = s->row[r].mass[l];
        }
    }
    return SL_OK;
}

void sl_level_shares_release(struct sl_level_shares *s)
{
    free(s->row);
    *s = (struct sl_level_shares){0};
}
