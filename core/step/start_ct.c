/* start_ct.c - see start_ct.h. */
#include "core/step/start_ct.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/problem/problem.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* ---- one face ------------------------------------------------------------------------------- */

/* Average of A_axis from one point of an edge to another. Edges of coarse levels are made of those of
 * the finest that there may be: faces are then the means of finer ones, and no level edge has a
 * divergence. */
static double along(const struct sl_sim *sim, int axis, const double from[3], const double to[3],
                    double t, int64_t halvings)
{
    double mid[3] = {from[0], from[1], from[2]};
    if (halvings <= 0 || axis >= sim->mesh->dim)
        return sim->problem->potential(sim->problem_data, axis, from, to, t);
    mid[axis] = 0.5 * (from[axis] + to[axis]);
    return 0.5 * (along(sim, axis, from, mid, t, halvings - 1) +
                  along(sim, axis, mid, to, t, halvings - 1));
}

/* Average of A_axis along the edge that starts at the corner of the cell, `up` along the axis `other`. */
static double edge(const struct sl_sim *sim, int axis, int other, int up, const double lo[3],
                   const double hi[3], double t)
{
    double from[3] = {lo[0], lo[1], lo[2]}, to[3];
    if (up) from[other] = hi[other];
    memcpy(to, from, sizeof to);
    to[axis] = hi[axis];
    return along(sim, axis, from, to, t, sim->cfg->mesh_levels - sim->mesh->level);
}

static double curl(const struct sl_sim *sim, int d, const double lo[3], const double hi[3],
                   double t)
{
    int a = (d + 1) % 3, b = (d + 2) % 3;
    double uniform[3] = {0}, along_a = 0, along_b = 0;
    if (sim->problem->uniform) sim->problem->uniform(sim->problem_data, uniform);
    if (a < sim->mesh->dim)
        along_a = (edge(sim, b, a, 1, lo, hi, t) - edge(sim, b, a, 0, lo, hi, t)) / (hi[a] - lo[a]);
    if (b < sim->mesh->dim)
        along_b = (edge(sim, a, b, 1, lo, hi, t) - edge(sim, a, b, 0, lo, hi, t)) / (hi[b] - lo[b]);
    return uniform[d] + (along_a - along_b);
}

double sl_start_ct_face(const struct sl_sim *sim, int d, const double lo[3], const double hi[3],
                        double t)
{
    if (sim->problem->potential) return curl(sim, d, lo, hi, t);
    double from[3], to[3], half = 0.5 * (hi[d] - lo[d]), prim[SL_PRIM_MAX] = {0};
    memcpy(from, lo, sizeof from);
    memcpy(to, hi, sizeof to);
    from[d] = lo[d] - half;
    to[d] = lo[d] + half;
    sim->problem->state(sim->problem_data, from, to, t, prim);
    return prim[SL_PRIM_B + d];
}

/* The same where a problem has no potential: the mean of the finest faces that there may be within it. */
static double mean(const struct sl_sim *sim, int d, const double lo[3], const double hi[3],
                   int64_t halvings)
{
    int t[2] = {d == 0, d == 2 ? 1 : 2}, parts[2];
    double sum[2] = {0, 0}, from[3] = {lo[0], lo[1], lo[2]}, to[3] = {hi[0], hi[1], hi[2]};
    if (halvings <= 0) return sl_start_ct_face(sim, d, lo, hi, 0);
    to[d] = 0.5 * (lo[d] + hi[d]);
    for (int i = 0; i < 2; i++)
        parts[i] = t[i] < sim->mesh->dim ? 2 : 1;
    for (int b = 0; b < parts[1]; b++)
        for (int a = 0; a < parts[0]; a++) { /* opposite ones first */
            const int at[2] = {a, b};
            for (int i = 0; i < 2 && parts[i] == 2; i++) {
                double mid = 0.5 * (lo[t[i]] + hi[t[i]]);
                from[t[i]] = at[i] ? mid : lo[t[i]];
                to[t[i]] = at[i] ? hi[t[i]] : mid;
            }
            sum[(a + b) % 2] += mean(sim, d, from, to, halvings - 1);
        }
    return (sum[0] + sum[1]) / (parts[0] * parts[1]);
}

/* ---- all faces ------------------------------------------------------------------------------ */

/* Distance in memory of neighbours along an axis. */
static ptrdiff_t stride(const struct sl_mesh *m, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? m->nt[0] : (ptrdiff_t)m->nt[0] * m->nt[1];
}

typedef void visit_fn(struct sl_sim *sim, int b, int d, int k, int j, int i);

/* Calls visit for the cells of the rank and, `more`, for those beyond their upper faces along d. */
static void each_face(struct sl_sim *sim, int more, visit_fn *visit)
{
    const struct sl_mesh *m = sim->mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int d = 0; d < m->dim; d++)
            for (int k = 0; k < m->n[2] + (more && d == 2); k++)
                for (int j = 0; j < m->n[1] + (more && d == 1); j++)
                    for (int i = 0; i < m->n[0] + (more && d == 0); i++)
                        visit(sim, b, d, k + m->g[2], j + m->g[1], i + m->g[0]);
}

static void from_problem(struct sl_sim *sim, int b, int d, int k, int j, int i)
{
    double lo[3], hi[3];
    int64_t halvings = sim->problem->potential ? 0 : sim->cfg->mesh_levels - sim->mesh->level;
    sl_mesh_cell(sim->mesh, b, k, j, i, lo, hi);
    sim->u[sl_mesh_at(sim->mesh, sim->layout.nvar, b, sim->layout.face + d, k, j, i)] =
        (sl_real)mean(sim, d, lo, hi, halvings);
}

/* Between two cells; the ghost cells hold the field in cells already. */
static void from_cells(struct sl_sim *sim, int b, int d, int k, int j, int i)
{
    const struct sl_layout *l = &sim->layout;
    const sl_real *cell = sim->u + sl_mesh_at(sim->mesh, l->nvar, b, l->magnetic + d, k, j, i);
    sim->u[sl_mesh_at(sim->mesh, l->nvar, b, l->face + d, k, j, i)] =
        (sl_real)0.5 * (cell[-stride(sim->mesh, d)] + cell[0]);
}

/* The field in a cell becomes the average of its faces; the pressure stays. */
static void centre(struct sl_sim *sim, int b, int d, int k, int j, int i)
{
    const struct sl_layout *l = &sim->layout;
    sl_real *u = sim->u + sl_mesh_at(sim->mesh, l->nvar, b, 0, k, j, i);
    size_t var = sim->mesh->block_cells;
    const sl_real *face = u + (size_t)(l->face + d) * var;
    sl_real *cell = u + (size_t)(l->magnetic + d) * var, old = *cell;
    *cell = (sl_real)0.5 * (face[0] + face[stride(sim->mesh, d)]);
    if (l->energy >= 0) u[(size_t)l->energy * var] += (sl_real)0.5 * (*cell - old) * (*cell + old);
}

/* ---- divergence ----------------------------------------------------------------------------- */

/* Largest |div B| times the cell size of the rank, and the largest field. */
static void measure(const struct sl_sim *sim, double out[2])
{
    const struct sl_mesh *m = sim->mesh;
    const struct sl_layout *l = &sim->layout;
    out[0] = out[1] = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
            for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                    double div = 0, widest = 0;
                    for (int d = 0; d < m->dim; d++) {
                        const sl_real *f = sim->u + sl_mesh_at(m, l->nvar, b, l->face + d, k, j, i);
                        div += (double)(f[stride(m, d)] - f[0]) / m->blocks[b].dx[d];
                        widest = fmax(widest, m->blocks[b].dx[d]);
                        out[1] = fmax(out[1], fabs((double)f[0]));
                    }
                    out[0] = fmax(out[0], fabs(div) * widest);
                }
}

static int check(const struct sl_sim *sim)
{
    const double tiny = sizeof(sl_real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
    double all[2];
    measure(sim, all);
    int code = MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MAX, sim->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the divergence of the ranks");
    SL_CHECK(
        all[0] <= 1e6 * tiny * all[1], SL_EINPUT,
        "the magnetic field of problem %s has a divergence (%.3g of its size in a cell), which "
        "fluid.mhd: ct would keep for ever; nearest: glm, which cleans it away",
        sim->problem->name, all[0] / all[1]);
    return SL_OK;
}

int sl_start_ct(struct sl_sim *sim)
{
    int fields = sim->problem->state || sim->problem->potential;
    if (!fields) SL_TRY(sl_sim_ghosts(sim));
    each_face(sim, 1, fields ? from_problem : from_cells);
    if (sim->problem->faces)
        SL_TRY(sl_agree(sim->mesh->comm, sim->problem->faces(sim->problem_data, sim)));
    SL_TRY(sl_sim_ghosts(sim));
    each_face(sim, 0, centre);
    return check(sim);
}
