/* totals.c - the sums of the history over the leaves of a rank; see sim.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/step/backend.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* Sums that cells, columns and planes are added to. */
struct sums {
    struct sl_total *column; /* owned; [x][SL_TOTALS] */
    struct sl_total plane[SL_TOTALS], block[SL_TOTALS];
};

static void fold(struct sl_total *into, const struct sl_total *from)
{
    for (int q = 0; q < SL_TOTALS; q++)
        sl_total_add(into + q, sl_total_of(from[q]));
}

static void add_plane(const struct sl_mesh *m, const struct sl_totals_of *a, const sl_real *plane,
                      struct sums *s, double least[SL_LEASTS])
{
    for (int j = 0; j < m->n[1]; j++)
        for (int i = 0; i < m->n[0]; i++)
            sl_totals_cell(a, plane + j * a->step[1] + i, m->block_cells,
                           s->column + (size_t)i * SL_TOTALS, least);
    for (int i = 0; i < m->n[0]; i++)
        fold(s->plane, s->column + (size_t)i * SL_TOTALS);
}

static void add_block(const struct sl_sim *sim, int b, struct sums *s, double *sum,
                      double least[SL_LEASTS])
{
    const struct sl_mesh *m = sim->state.mesh;
    const struct sl_totals_of a = sl_sim_totals_of(sim, b);
    memset(s->block, 0, sizeof s->block);
    for (int k = 0; k < m->n[2]; k++) {
        size_t at = sl_mesh_at(m, sim->state.layout.nvar, b, 0, k + m->g[2], m->g[1], m->g[0]);
        memset(s->column, 0, (size_t)m->n[0] * SL_TOTALS * sizeof *s->column);
        memset(s->plane, 0, sizeof s->plane);
        add_plane(m, &a, sim->state.u + at, s, least);
        fold(s->block, s->plane);
    }
    for (int q = 0; q < SL_TOTALS; q++)
        sum[q] = sl_total_of(s->block[q]);
}

struct sl_totals_of sl_sim_totals_of(const struct sl_sim *sim, int block)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct sl_totals_of a = {.gas = sim->state.gas,
                             .layout = sim->state.layout,
                             .dim = m->dim,
                             .step = {1, m->step[1], m->step[2]}};
    for (int d = 0; d < m->dim && block < m->nblock; d++)
        a.dx[d] = m->blocks[block].dx[d];
    return a;
}

/* Where the state is sim->state.u. */
static int host_totals(const struct sl_sim *sim, double *sum, double least[SL_LEASTS])
{
    struct sums s;
    SL_TRY(sl_agree(sim->state.mesh->comm,
                    sl_alloc("sums of columns", (size_t)sim->state.mesh->n[0] * SL_TOTALS,
                             sizeof *s.column, &s.column)));
    int code = sim->state.layout.magnetic >= 0 ? sl_sim_ghosts(sim) : SL_OK;
    for (int b = 0; b < sim->state.mesh->nleaf && code == SL_OK; b++)
        add_block(sim, b, &s, sum + (size_t)b * SL_TOTALS, least);
    free(s.column);
    return code;
}

int sl_sim_totals(const struct sl_sim *sim, double *sum, double least[SL_LEASTS])
{
    const struct sl_step *w = sim->work;
    for (int e = 0; e < SL_LEASTS; e++)
        least[e] = HUGE_VAL;
    bool there = w && w->backend->totals && w->newest != SL_NEWEST_HOST;
    return there ? w->backend->totals(sim, sum, least) : host_totals(sim, sum, least);
}
