/* edge_register.c - see edge_register.h. */
#include "core/transfer/edge_register.h"

static size_t values_of(const struct sl_sim *sim)
{
    return sl_edge_values(sim->state.mesh->dim, sim->state.mesh->n);
}

static int check(const struct sl_sim *sim, const int *block, int count)
{
    SL_CHECK(count == 0 || (sim->work->sweep_ct && sim->state.mesh->dim > 1), SL_EINPUT,
             "the electric field along edges is kept with fluid.mhd: ct and more than one axis");
    for (int i = 0; i < count; i++)
        SL_CHECK(block[i] >= 0 && block[i] < sim->state.mesh->nblock, SL_EINPUT,
                 "edges to keep: no block %d", block[i]);
    return SL_OK;
}

static int fill(struct sl_edges *e, const struct sl_sim *sim, const int *const list[2],
                const int count[2])
{
    int nblock = sim->state.mesh->nblock;
    size_t each = values_of(sim);
    SL_TRY(sl_stage_sums_init(&e->sums, (size_t)count[0] * each, (size_t)count[1] * each));
    for (int s = 0; s < 2; s++) {
        SL_TRY(sl_alloc("list of edges", (size_t)nblock, sizeof *e->slot[s], &e->slot[s]));
        for (int b = 0; b < nblock; b++)
            e->slot[s][b] = -1;
        for (int i = 0; i < count[s]; i++)
            e->slot[s][list[s][i]] = i;
    }
    return SL_OK;
}

int sl_edges_set(struct sl_sim *sim, const int *fine, int nfine, const int *coarse, int ncoarse)
{
    const int *const list[] = {fine, coarse};
    const int count[] = {nfine, ncoarse};
    struct sl_edges *e = NULL;
    SL_TRY(check(sim, fine, nfine));
    SL_TRY(check(sim, coarse, ncoarse));
    if (nfine + ncoarse > 0) {
        SL_TRY(sl_alloc("edge register", 1, sizeof *e, &e));
        int code = fill(e, sim, list, count);
        if (code != SL_OK) {
            sl_edges_free(e);
            return code;
        }
    }
    sl_edges_free(sim->work->edges);
    sim->work->edges = e;
    return SL_OK;
}

void sl_edges_free(struct sl_edges *e)
{
    if (!e) return;
    sl_stage_sums_release(&e->sums);
    free(e->slot[0]), free(e->slot[1]);
    free(e);
}

const sl_real *sl_edges_fine(const struct sl_sim *sim, int block)
{
    const struct sl_edges *e = sim->work->edges;
    return e->sums.total + (size_t)e->slot[0][block] * values_of(sim);
}

const sl_real *sl_edges_coarse(const struct sl_sim *sim, int block)
{
    const struct sl_edges *e = sim->work->edges;
    return sl_stage_sums_coarse(&e->sums) + (size_t)e->slot[1][block] * values_of(sim);
}

struct sl_edge_keep sl_edges_keep(const struct sl_sim *sim, const struct sl_stage *stage, int block)
{
    const struct sl_edges *e = sim->work->edges;
    struct sl_edge_keep keep = {0};
    if (!e || !sl_stage_counts(stage)) return keep;
    keep.sums = &e->sums;
    for (int s = 0; s < 2; s++)
        if (e->slot[s][block] >= 0)
            keep.start[keep.count++] =
                (s ? e->sums.fine : 0) + (size_t)e->slot[s][block] * values_of(sim);
    return keep;
}
