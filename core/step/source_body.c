/* source_body.c - see core/step/source_body.h. */
#include "core/step/source_body.h"

#include <math.h>

#include "core/step/backend.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

typedef double body_fn(const void *args, const struct sl_source_cell *at, sl_real *u);

struct sl_source_cell sl_source_cell_of(const struct sl_sim *sim)
{
    const struct sl_mesh_spec *m = &sim->state.mesh->spec;
    struct sl_source_cell at = {.gas = sim->state.gas,
                                .layout = sim->state.layout,
                                .var = sim->state.mesh->block_cells,
                                .dim = m->dim,
                                .dx = {1, 1, 1}};
    for (int d = 0; d < m->dim; d++) {
        at.dx[d] = ldexp((m->hi[d] - m->lo[d]) / m->cells[d], -sim->state.mesh->level);
        at.step[d] = sim->state.mesh->step[d];
    }
    return at;
}

/* ---- the processor -------------------------------------------------------------------------- */

/* A row of a block whose first cell is `first` along x. */
SL_FN void row(body_fn *body, struct sl_source_pass *p, struct sl_source_cell at, double lo,
               int first, int n, sl_real *u)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++) {
        at.x[0] = sl_source_centre(lo, at.dx[0], first + i);
        at.last |= i == n - 1;
        double value = body(p->args->of, &at, u + i);
        if (p->magic > 0)
            sum += sl_sum_term(p->magic, value);
        else
            p->most = fmax(p->most, value);
        if (i % SL_SUM_ROW < SL_SUM_ROW - 1) continue;
        sl_sum_add(&p->sum, sum);
        sum = 0;
    }
    sl_sum_add(&p->sum, sum);
}

SL_FN void cells(body_fn *body, struct sl_sim *sim, struct sl_source_pass *p)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct sl_source_cell at = sl_source_cell_of(sim);
    at.table = p->args->table;
    for (int b = 0; b < m->nleaf; b++) {
        int from[3];
        for (int d = 0; d < 3; d++)
            from[d] = (int)m->blocks[b].at[d] * m->n[d];
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                at.x[2] = sl_source_centre(m->spec.lo[2], at.dx[2], from[2] + k);
                at.x[1] = sl_source_centre(m->spec.lo[1], at.dx[1], from[1] + j);
                at.last = (j == m->n[1] - 1) << 1 | (k == m->n[2] - 1) << 2;
                row(body, p, at, m->spec.lo[0], from[0], m->n[0],
                    sim->state.u + sl_mesh_at(m, sim->state.layout.nvar, b, 0, k + m->g[2],
                                              j + m->g[1], m->g[0]));
            }
    }
}

#define CELLS(file, name)                                                                          \
    static void cells_##file##_##name(struct sl_sim *sim, struct sl_source_pass *p)                \
    {                                                                                              \
        cells(sl_##file##_##name, sim, p);                                                         \
    }
SL_SOURCE_BODIES(CELLS)

static void on_host(struct sl_sim *sim, struct sl_source_pass *p)
{
#define ENTRY(file, name) cells_##file##_##name,
    static void (*const loop[])(struct sl_sim *,
                                struct sl_source_pass *) = {SL_SOURCE_BODIES(ENTRY)};
    loop[p->body](sim, p);
}

/* ---- all ranks ------------------------------------------------------------------------------ */

/* local. On all cells of the rank on a level. */
static int run(struct sl_sim *sim, struct sl_source_pass *p)
{
    const struct sl_backend *on = sim->work->backend;
    if (on->source) return on->source(sim, p);
    on_host(sim, p);
    return SL_OK;
}

/* A processor cannot fail. */
static int agree(const struct sl_sim *sim, int code)
{
    return sim->work->backend->source ? sl_agree(sim->state.mesh->comm, code) : code;
}

int sl_source_change(struct sl_sim *sim, enum sl_source_body body,
                     const struct sl_source_args *args)
{
    struct sl_source_pass p = {.body = body, .args = args};
    int code = SL_OK;
    for (struct sl_sim *s = sim; s && code == SL_OK; s = s->finer)
        code = run(s, &p);
    return agree(sim, code);
}

int sl_source_most(struct sl_sim *sim, enum sl_source_body body, const struct sl_source_args *args,
                   double *most)
{
    struct sl_source_pass p = {.body = body, .args = args};
    int code = SL_OK;
    for (struct sl_sim *s = sim; s && code == SL_OK; s = s->finer)
        code = run(s, &p);
    *most = p.most;
    return sl_agree_most(sim->state.mesh->comm, code, 1, most);
}

/* Volume of a cell of a level. */
static double volume_of(const struct sl_sim *sim)
{
    struct sl_source_cell at = sl_source_cell_of(sim);
    return at.dx[0] * at.dx[1] * at.dx[2];
}

int sl_source_add(struct sl_sim *sim, enum sl_source_body body, const struct sl_source_args *args,
                  double bound, struct sl_source_sum *here)
{
    int n = 0, code = SL_OK;
    *here = (struct sl_source_sum){.unit = sl_sum_unit(bound)};
    for (struct sl_sim *s = sim; s && code == SL_OK; s = s->finer, n++) {
        struct sl_source_pass p = {.body = body, .args = args, .magic = here->unit.magic};
        code = run(s, &p);
        here->level[n] = p.sum;
    }
    return agree(sim, code);
}

int sl_source_total(const struct sl_sim *sim, int n, const struct sl_source_sum *here, double *sum)
{
    struct sl_sum all[SL_SOURCE_SUMS * SL_LEVELS];
    int count = 0;
    if (n == 0) return SL_OK;
    for (int i = 0; i < n; i++) {
        int l = 0;
        for (const struct sl_sim *s = sim; s; s = s->finer)
            all[count++] = here[i].level[l++];
    }
    int code =
        MPI_Allreduce(MPI_IN_PLACE, all, 2 * count, MPI_INT64_T, MPI_SUM, sim->state.mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot sum over the ranks");
    count = 0;
    for (int i = 0; i < n; i++) {
        sum[i] = 0;
        for (const struct sl_sim *s = sim; s; s = s->finer)
            sum[i] += sl_sum_value(&all[count++], here[i].unit) * volume_of(s);
    }
    return SL_OK;
}
