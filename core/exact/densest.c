/* densest.c - see densest.h. */
#include "core/exact/densest.h"

#include "core/sys/status.h"

static void look_at(const struct sl_state *level, int block, const double centre[3],
                    struct sl_densest *out)
{
    const struct sl_mesh *m = level->mesh;
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++)
            for (int i = 0; i < m->n[0]; i++) {
                const sl_real *u = level->u + sl_mesh_at(m, level->layout.nvar, block, SL_RHO,
                                                         k + m->g[2], j + m->g[1], i + m->g[0]);
                double lo[3], hi[3], r2 = 0, in = 0, rho = (double)u[0];
                if (!(rho > out->rho)) continue;
                sl_mesh_cell(m, block, k + m->g[2], j + m->g[1], i + m->g[0], lo, hi);
                for (int d = 0; d < m->dim; d++) {
                    double x = 0.5 * (lo[d] + hi[d]) - centre[d];
                    r2 += x * x;
                    in -= x * (double)u[(size_t)(SL_MX + d) * m->block_cells] / rho;
                }
                *out = (struct sl_densest){rho, r2 > 0 ? in / r2 : 0, hi[0] - lo[0]};
            }
}

static int gather(MPI_Comm comm, struct sl_densest *d)
{
    struct {
        double rho;
        int rank;
    } mine = {d->rho, 0}, best;
    MPI_Comm_rank(comm, &mine.rank);
    SL_CHECK(MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm) == MPI_SUCCESS &&
                 MPI_Bcast(d, 3, MPI_DOUBLE, best.rank, comm) == MPI_SUCCESS,
             SL_EMPI, "MPI_Allreduce of the densest cell failed");
    return SL_OK;
}

int sl_densest_find(const struct sl_state *run, const double centre[3], struct sl_densest *out)
{
    *out = (struct sl_densest){0, 0, 0};
    for (const struct sl_state *level = run; level; level = level->finer)
        for (int b = 0; b < level->mesh->nleaf; b++)
            look_at(level, b, centre, out);
    return gather(run->mesh->comm, out);
}
