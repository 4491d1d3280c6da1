/* leaf_cells.c - see leaf_cells.h. */
#include "core/stats/leaf_cells.h"

#include <math.h>
#include <stdlib.h>

#include "core/grid/slab.h"
#include "core/sys/status.h"

static int first_piece(const struct sl_leaf_reader *r)
{
    return sl_slab_first(SL_LEAF_CHUNKS, r->rank, r->size);
}

int sl_leaf_pieces(const struct sl_leaf_reader *r)
{
    return sl_slab_first(SL_LEAF_CHUNKS, r->rank + 1, r->size) - first_piece(r);
}

/* The leaf's place, in code units. */
static struct sl_leaf_cells place(const struct sl_snapshot_info *info, int level,
                                  const int64_t at[3])
{
    struct sl_leaf_cells leaf = {.level = level, .dim = info->dim, .volume = 1};
    for (int d = 0; d < 3; d++) {
        bool there = d < info->dim;
        double side = info->hi[d] - info->lo[d];
        leaf.n[d] = (int)info->block[d];
        leaf.dx[d] = there ? ldexp(side / (double)info->cells[d], -level) : 1;
        leaf.lo[d] = there ? info->lo[d] + (double)(at[d] * info->block[d]) * leaf.dx[d] : 0;
        leaf.volume *= leaf.dx[d];
    }
    return leaf;
}

static int read_leaf(const struct sl_leaf_reader *r, int level, const int64_t at[3], double *value)
{
    const struct sl_snapshot_info *info = sl_snapshot_about(r->snapshot);
    int64_t lo[3], hi[3];
    size_t cells = 1;
    for (int d = 0; d < 3; d++) {
        lo[d] = at[d] * info->block[d];
        hi[d] = lo[d] + info->block[d];
        cells *= (size_t)info->block[d];
    }
    for (int f = 0; f < r->nfield; f++)
        SL_TRY(sl_snapshot_read_level(r->snapshot, r->field[f], level, lo, hi,
                                      value + (size_t)f * cells));
    return SL_OK;
}

/* Leaves among the blocks of a piece. */
static int visit_piece(const struct sl_leaf_reader *r, int piece, double *value, void *of,
                       int (*visit)(void *of, int piece, const struct sl_leaf_cells *leaf))
{
    const struct sl_snapshot_info *info = sl_snapshot_about(r->snapshot);
    int64_t chunk = first_piece(r) + piece, first = info->nblock * chunk / SL_LEAF_CHUNKS,
            end = info->nblock * (chunk + 1) / SL_LEAF_CHUNKS, at[3];
    int level;
    for (int64_t i = first; i < end; i++) {
        if (!sl_snapshot_block(r->snapshot, i, &level, at)) continue;
        struct sl_leaf_cells leaf = place(info, level, at);
        leaf.value = value;
        SL_TRY(read_leaf(r, level, at, value));
        SL_TRY(visit(of, piece, &leaf));
    }
    return SL_OK;
}

int sl_leaf_each(const struct sl_leaf_reader *r, void *of,
                 int (*visit)(void *of, int piece, const struct sl_leaf_cells *leaf))
{
    const struct sl_snapshot_info *info = sl_snapshot_about(r->snapshot);
    size_t cells = (size_t)(info->block[0] * info->block[1] * info->block[2]);
    double *value = malloc(((size_t)r->nfield * cells + 1) * sizeof *value);
    SL_CHECK(value, SL_EMEM, "out of memory for the %zu cells of a block", cells);
    int code = SL_OK;
    for (int p = 0; p < sl_leaf_pieces(r) && code == SL_OK; p++)
        code = visit_piece(r, p, value, of, visit);
    free(value);
    return code;
}
