/* whole.c - see whole.h. */
#include "core/exact/whole.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/eos.h"
#include "core/config/config.h"
#include "core/state/leaves.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { MOST = 1 << 27 }; /* values on the grid of a refined run, 1 GiB: a coarser level has fewer */

void sl_whole_prim(const struct sl_state *state, const sl_real *u, size_t stride,
                   double prim[SL_WHOLE_NVAR])
{
    struct sl_prim w = sl_cell_prim(&state->gas, &state->layout, u, stride);
    const double flow[] = {(double)w.rho, (double)w.u, (double)w.v, (double)w.w, (double)w.p};
    for (int i = 0; i < SL_WHOLE_B; i++)
        prim[i] = flow[i];
    for (int d = 0; d < 3; d++)
        prim[SL_WHOLE_B + d] = state->layout.magnetic < 0
                                   ? 0
                                   : (double)u[(size_t)(state->layout.magnetic + d) * stride];
}

/* Puts a cell of a block into the grid, where it fills size cells along each axis, from `to` on. */
static void put_cell(struct sl_whole *w, const int64_t to[3], const int size[3], const double *prim)
{
    size_t plane = (size_t)w->n[0] * (size_t)w->n[1] * (size_t)w->n[2];
    for (int64_t z = to[2]; z < to[2] + size[2]; z++)
        for (int64_t y = to[1]; y < to[1] + size[1]; y++)
            for (int64_t x = to[0]; x < to[0] + size[0]; x++)
                for (size_t v = 0; v < SL_WHOLE_NVAR; v++)
                    w->value[v * plane + (size_t)((z * w->n[1] + y) * w->n[0] + x)] = prim[v];
}

/* Puts the cells of one block into the grid of its level or of a finer one. */
static void put_block(const struct sl_state *state, int block, struct sl_whole *w)
{
    const struct sl_mesh *mesh = state->mesh;
    const int64_t *at = mesh->blocks[block].at;
    int size[3];
    for (int d = 0; d < 3; d++)
        size[d] = d < mesh->dim ? 1 << (w->level - mesh->level) : 1;
    for (int k = 0; k < mesh->n[2]; k++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int i = 0; i < mesh->n[0]; i++) {
                size_t from = sl_mesh_at(mesh, state->layout.nvar, block, 0, k + mesh->g[2],
                                         j + mesh->g[1], i + mesh->g[0]);
                const int64_t to[3] = {(at[0] * mesh->n[0] + i) * size[0],
                                       (at[1] * mesh->n[1] + j) * size[1],
                                       (at[2] * mesh->n[2] + k) * size[2]};
                double prim[SL_WHOLE_NVAR];
                sl_whole_prim(state, state->u + from, mesh->block_cells, prim);
                put_cell(w, to, size, prim);
            }
}

/* Leaves, and covered blocks of the level itself: they are the mean of finer ones. */
static void put_levels(const struct sl_state *state, struct sl_whole *w)
{
    for (const struct sl_state *s = state; s && s->mesh->level <= w->level; s = s->finer)
        for (int b = 0; b < (s->mesh->level < w->level ? s->mesh->nleaf : s->mesh->nblock); b++)
            put_block(s, b, w);
}

/* Values on the grid of a level. */
static double values_of(const struct sl_mesh *mesh, int level)
{
    double values = SL_WHOLE_NVAR;
    for (int d = 0; d < mesh->dim; d++)
        values *= ldexp(mesh->spec.cells[d], level);
    return values;
}

static int level_of(const struct sl_state *state)
{
    int level = sl_levels_count(state) - 1;
    while (level > 0 && values_of(state->mesh, level) > MOST)
        level--;
    return level;
}

int sl_whole_init(const struct sl_state *state, struct sl_whole *w)
{
    const struct sl_mesh *mesh = state->mesh;
    int code = SL_OK;
    size_t size = SL_WHOLE_NVAR;
    w->level = level_of(state);
    for (int d = 0; d < 3; d++) {
        bool there = d < mesh->dim;
        w->n[d] = there ? mesh->spec.cells[d] << w->level : 1;
        w->lo[d] = there ? mesh->spec.lo[d] : 0;
        w->dx[d] = there ? (mesh->spec.hi[d] - mesh->spec.lo[d]) / w->n[d] : 1;
        size *= (size_t)w->n[d];
    }
    w->value = size <= INT_MAX ? calloc(size, sizeof *w->value) : NULL;
    if (!w->value) code = SL_FAIL(SL_EMEM, "the whole grid of %zu values does not fit", size);
    code = sl_agree(mesh->comm, code);
    if (code != SL_OK) {
        sl_whole_release(w);
        return code;
    }
    put_levels(state, w);
    /* every cell is zero on all ranks but one: the sum is exact */
    int mpi = MPI_Allreduce(MPI_IN_PLACE, w->value, (int)size, MPI_DOUBLE, MPI_SUM, mesh->comm);
    if (mpi == MPI_SUCCESS) return SL_OK;
    sl_whole_release(w);
    return SL_FAIL(SL_EMPI, "cannot gather the grid");
}

void sl_whole_release(struct sl_whole *w)
{
    free(w->value);
    w->value = NULL;
}
