/* tracer.c - see tracer.h. */
#include "core/exact/tracer.h"

#include <math.h>
#include <stdlib.h>

#include "core/state/leaves.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

enum { MASS, MOMENTUM, MOMENT, MIXED, DENSE, NSUM };

/* Sums of a block, in cells of the root grid. */
static void block_sums(const struct sl_state *state, int b, double dense, double *sum)
{
    const struct sl_mesh *m = state->mesh;
    size_t var = m->block_cells;
    for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
        for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
            for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                const sl_real *u = state->u + sl_mesh_at(m, state->layout.nvar, b, 0, k, j, i);
                double mass = (double)u[(size_t)state->layout.scalar0 * var], lo[3], hi[3];
                double part = mass / (double)u[0];
                sl_mesh_cell(m, b, k, j, i, lo, hi);
                sum[MASS] += mass;
                sum[MOMENTUM] += part * (double)u[var];
                sum[MOMENT] += mass * 0.5 * (lo[0] + hi[0]);
                sum[MIXED] += part > 0.1 && part < 0.9 ? mass : 0;
                sum[DENSE] += (double)u[0] > dense ? mass : 0;
            }
    for (int q = 0; q < NSUM; q++)
        sum[q] = ldexp(sum[q], -m->dim * m->level);
}

static int sum_leaves(const struct sl_state *state, double dense, double sum[NSUM])
{
    int n = sl_leaves_count(state);
    double *per = calloc(NSUM * (size_t)n + 1, sizeof *per), *line = per;
    int code = per ? SL_OK : SL_FAIL(SL_EMEM, "no memory for the sums over the marked gas");
    code = sl_agree(state->mesh->comm, code);
    for (const struct sl_state *s = state; s && code == SL_OK; s = s->finer)
        for (int b = 0; b < s->mesh->nleaf; b++, line += NSUM)
            block_sums(s, b, dense, line);
    if (code == SL_OK) code = sl_sum_columns(state->mesh->comm, n, NSUM, per, sum);
    free(per);
    return code;
}

void sl_tracer_report(const struct sl_tracer *tracer, struct sl_measures *out)
{
    sl_measure(out, "cloud_place", "mean x of the cloud's gas", tracer->place);
    sl_measure(out, "mixing",
               "fraction of the cloud's gas in mixed cells, where it is 10 to 90 % of the mass",
               tracer->mixed);
}

int sl_tracer_measure(const struct sl_state *state, double dense, struct sl_tracer *out)
{
    const struct sl_mesh_spec *spec = &state->mesh->spec;
    double sum[NSUM] = {0}, cell = 1;
    *out = (struct sl_tracer){0};
    if (state->layout.nscalar == 0) return SL_OK;
    SL_TRY(sum_leaves(state, dense, sum));
    if (!(sum[MASS] > 0)) return SL_OK;
    for (int d = 0; d < state->mesh->dim; d++)
        cell *= (spec->hi[d] - spec->lo[d]) / spec->cells[d];
    out->mass = sum[MASS] * cell;
    out->velocity = sum[MOMENTUM] / sum[MASS];
    out->place = sum[MOMENT] / sum[MASS];
    out->mixed = sum[MIXED] / sum[MASS];
    out->dense = sum[DENSE] / sum[MASS];
    return SL_OK;
}
