/* edge_register.c - see edge_register.h. */
#include "core/transfer/edge_register.h"

static int check(const struct sl_mesh *m, bool has_edges, const int *block, int count)
{
    SL_CHECK(count == 0 || (has_edges && m->dim > 1), SL_EINPUT,
             "the electric field along edges is kept with fluid.mhd: ct and more than one axis");
    for (int i = 0; i < count; i++)
        SL_CHECK(block[i] >= 0 && block[i] < m->nblock, SL_EINPUT, "edges to keep: no block %d",
                 block[i]);
    return SL_OK;
}

static int fill(struct sl_edges *e, const struct sl_mesh *m, const int *const list[2],
                const int count[2])
{
    e->each = sl_edge_values(m->dim, m->n);
    SL_TRY(sl_stage_sums_init(&e->sums, (size_t)count[0] * e->each, (size_t)count[1] * e->each));
    for (int s = 0; s < 2; s++) {
        SL_TRY(sl_alloc("list of edges", (size_t)m->nblock, sizeof *e->slot[s], &e->slot[s]));
        for (int b = 0; b < m->nblock; b++)
            e->slot[s][b] = -1;
        for (int i = 0; i < count[s]; i++)
            e->slot[s][list[s][i]] = i;
    }
    return SL_OK;
}

int sl_edges_new(const struct sl_mesh *mesh, bool has_edges, const int *fine, int nfine,
                 const int *coarse, int ncoarse, struct sl_edges **out)
{
    const int *const list[] = {fine, coarse};
    const int count[] = {nfine, ncoarse};
    struct sl_edges *e = NULL;
    SL_TRY(check(mesh, has_edges, fine, nfine));
    SL_TRY(check(mesh, has_edges, coarse, ncoarse));
    if (nfine + ncoarse > 0) {
        SL_TRY(sl_alloc("edge register", 1, sizeof *e, &e));
        int code = fill(e, mesh, list, count);
        if (code != SL_OK) {
            sl_edges_free(e);
            return code;
        }
    }
    *out = e;
    return SL_OK;
}

void sl_edges_free(struct sl_edges *e)
{
    if (!e) return;
    sl_stage_sums_release(&e->sums);
    free(e->slot[0]), free(e->slot[1]);
    free(e);
}

const sl_real *sl_edges_fine(const struct sl_edges *e, int block)
{
    return e->sums.total + (size_t)e->slot[0][block] * e->each;
}

const sl_real *sl_edges_coarse(const struct sl_edges *e, int block)
{
    return sl_stage_sums_coarse(&e->sums) + (size_t)e->slot[1][block] * e->each;
}

struct sl_edge_keep sl_edges_keep(const struct sl_edges *e, const struct sl_stage *stage, int block)
{
    struct sl_edge_keep keep = {0};
    if (!e || !sl_stage_counts(stage)) return keep;
    keep.sums = &e->sums;
    for (int s = 0; s < 2; s++)
        if (e->slot[s][block] >= 0)
            keep.start[keep.count++] = (s ? e->sums.fine : 0) + (size_t)e->slot[s][block] * e->each;
    return keep;
}
