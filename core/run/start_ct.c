/* start_ct.c - see start_ct.h. */
#include "core/run/start_ct.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/cell/centre.h"
#include "core/state/initial.h"
#include "core/state/problem.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* ---- faces ----------------------------------------------------------------------------------- */

/* The field across a face where a problem has no potential: the mean of the finest faces that there
 * may be within it. */
static double mean(const struct sl_state *state, int d, const double lo[3], const double hi[3],
                   int64_t halvings)
{
    int t[2] = {d == 0, d == 2 ? 1 : 2}, parts[2];
    double sum[2] = {0, 0}, from[3] = {lo[0], lo[1], lo[2]}, to[3] = {hi[0], hi[1], hi[2]};
    if (halvings <= 0) return sl_state_face(state, d, lo, hi, 0);
    to[d] = 0.5 * (lo[d] + hi[d]);
    for (int i = 0; i < 2; i++)
        parts[i] = t[i] < state->mesh->dim ? 2 : 1;
    for (int b = 0; b < parts[1]; b++)
        for (int a = 0; a < parts[0]; a++) { /* opposite ones first */
            const int at[2] = {a, b};
            for (int i = 0; i < 2 && parts[i] == 2; i++) {
                double mid = 0.5 * (lo[t[i]] + hi[t[i]]);
                from[t[i]] = at[i] ? mid : lo[t[i]];
                to[t[i]] = at[i] ? hi[t[i]] : mid;
            }
            sum[(a + b) % 2] += mean(state, d, from, to, halvings - 1);
        }
    return (sum[0] + sum[1]) / (parts[0] * parts[1]);
}

/* ---- all faces ------------------------------------------------------------------------------ */

typedef void visit_fn(struct sl_state *state, int b, int d, int k, int j, int i);

/* Calls visit for the cells of the rank and, `more`, for those beyond their upper faces along d. */
static void each_face(struct sl_state *state, int more, visit_fn *visit)
{
    const struct sl_mesh *m = state->mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int d = 0; d < m->dim; d++)
            for (int k = 0; k < m->n[2] + (more && d == 2); k++)
                for (int j = 0; j < m->n[1] + (more && d == 1); j++)
                    for (int i = 0; i < m->n[0] + (more && d == 0); i++)
                        visit(state, b, d, k + m->g[2], j + m->g[1], i + m->g[0]);
}

static void from_problem(struct sl_state *state, int b, int d, int k, int j, int i)
{
    double lo[3], hi[3];
    int64_t halvings = sl_state_curled(state) ? 0 : state->cfg->mesh_levels - state->mesh->level;
    sl_mesh_cell(state->mesh, b, k, j, i, lo, hi);
    state->u[sl_mesh_at(state->mesh, state->layout.nvar, b, state->layout.face + d, k, j, i)] =
        (sl_real)mean(state, d, lo, hi, halvings);
}

/* Between two cells; the ghost cells hold the field in cells already. */
static void from_cells(struct sl_state *state, int b, int d, int k, int j, int i)
{
    const struct sl_layout *l = &state->layout;
    const sl_real *cell = state->u + sl_mesh_at(state->mesh, l->nvar, b, l->magnetic + d, k, j, i);
    state->u[sl_mesh_at(state->mesh, l->nvar, b, l->face + d, k, j, i)] =
        (sl_real)0.5 * (cell[-state->mesh->step[d]] + cell[0]);
}

/* The field in a cell becomes the average of its faces; the pressure stays. */
static void centre(struct sl_state *state, int b, int d, int k, int j, int i)
{
    const struct sl_layout *l = &state->layout;
    sl_real *u = state->u + sl_mesh_at(state->mesh, l->nvar, b, 0, k, j, i);
    size_t var = state->mesh->block_cells;
    sl_real more = sl_centre_put(u + (size_t)(l->magnetic + d) * var,
                                 sl_centre_of(l, var, state->mesh->step[d], d, u));
    if (l->energy >= 0) u[(size_t)l->energy * var] += more;
}

/* ---- divergence ----------------------------------------------------------------------------- */

/* Largest |div B| times the cell size of the rank, and the largest field. */
static void measure(const struct sl_state *state, double out[2])
{
    const struct sl_mesh *m = state->mesh;
    const struct sl_layout *l = &state->layout;
    out[0] = out[1] = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
            for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                    double div = 0, widest = 0;
                    for (int d = 0; d < m->dim; d++) {
                        const sl_real *f =
                            state->u + sl_mesh_at(m, l->nvar, b, l->face + d, k, j, i);
                        div += (double)(f[m->step[d]] - f[0]) / m->blocks[b].dx[d];
                        widest = fmax(widest, m->blocks[b].dx[d]);
                        out[1] = fmax(out[1], fabs((double)f[0]));
                    }
                    out[0] = fmax(out[0], fabs(div) * widest);
                }
}

static int check(const struct sl_state *state)
{
    const double tiny = sizeof(sl_real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
    double all[2];
    measure(state, all);
    int code = MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MAX, state->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the divergence of the ranks");
    SL_CHECK(
        all[0] <= 1e6 * tiny * all[1], SL_EINPUT,
        "the magnetic field of problem %s has a divergence (%.3g of its size in a cell), which "
        "fluid.mhd: ct would keep for ever; nearest: glm, which cleans it away",
        state->problem->name, all[0] / all[1]);
    return SL_OK;
}

int sl_start_ct(struct sl_sim *sim)
{
    struct sl_state *state = &sim->state;
    const struct sl_problem *p = state->problem;
    int fields = p->state || p->potential;
    if (!fields) SL_TRY(sl_sim_ghosts(sim));
    each_face(state, 1, fields ? from_problem : from_cells);
    if (p->faces) SL_TRY(sl_agree(state->mesh->comm, p->faces(state->problem_data, state)));
    SL_TRY(sl_sim_ghosts(sim));
    each_face(state, 0, centre);
    return check(state);
}
