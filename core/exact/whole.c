/* whole.c - see whole.h. */
#include "core/exact/whole.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/eos.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

void sl_whole_prim(const struct sl_sim *sim, const sl_real *u, size_t stride,
                   double prim[SL_WHOLE_NVAR])
{
    struct sl_prim w = sl_cell_prim(&sim->gas, &sim->layout, u, stride);
    const double flow[] = {(double)w.rho, (double)w.u, (double)w.v, (double)w.w, (double)w.p};
    for (int i = 0; i < SL_WHOLE_B; i++)
        prim[i] = flow[i];
    for (int d = 0; d < 3; d++)
        prim[SL_WHOLE_B + d] =
            sim->layout.magnetic < 0 ? 0 : (double)u[(size_t)(sim->layout.magnetic + d) * stride];
}

/* Puts the cells of one block into the grid. */
static void put_block(const struct sl_sim *sim, int block, struct sl_whole *w)
{
    const struct sl_mesh *mesh = sim->mesh;
    const int64_t *at = mesh->blocks[block].at;
    size_t plane = (size_t)w->n[0] * (size_t)w->n[1] * (size_t)w->n[2];
    for (int k = 0; k < mesh->n[2]; k++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int i = 0; i < mesh->n[0]; i++) {
                size_t from = sl_mesh_at(mesh, sim->layout.nvar, block, 0, k + mesh->g[2],
                                         j + mesh->g[1], i + mesh->g[0]);
                size_t x = (size_t)(at[0] * mesh->n[0] + i), y = (size_t)(at[1] * mesh->n[1] + j);
                size_t z = (size_t)(at[2] * mesh->n[2] + k);
                double prim[SL_WHOLE_NVAR];
                sl_whole_prim(sim, sim->u + from, mesh->block_cells, prim);
                for (size_t v = 0; v < SL_WHOLE_NVAR; v++)
                    w->value[v * plane + (z * (size_t)w->n[1] + y) * (size_t)w->n[0] + x] = prim[v];
            }
}

int sl_whole_init(const struct sl_sim *sim, struct sl_whole *w)
{
    const struct sl_mesh *mesh = sim->mesh;
    int code = SL_OK;
    size_t size = SL_WHOLE_NVAR;
    for (int d = 0; d < 3; d++) {
        bool there = d < mesh->dim;
        w->n[d] = there ? mesh->spec.cells[d] : 1;
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
    for (int b = 0; b < mesh->nblock; b++)
        put_block(sim, b, w);
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
