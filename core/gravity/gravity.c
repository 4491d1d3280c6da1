/* gravity.c - see gravity.h. */
#include "core/gravity/gravity.h"

#include <math.h>
#include <stdlib.h>

#include "core/cosmo/expansion.h"
#include "core/grid/planes.h"
#include "core/gravity/poisson.h"
#include "core/step/kick.h"
#include "core/step/sim.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

struct sl_gravity {
    struct sl_poisson *poisson; /* owned */
    struct sl_planes *planes;   /* owned */
    sl_real *g;    /* owned; [block][n2][n1][component][n0], 0 along axes that are not there */
    double *row;   /* owned; of a block */
    double volume; /* of a cell */
    double opened; /* time of the opening kick of the step that is under way */
    bool solved;   /* g is that of the present density */
    double square; /* largest |g| / h along an axis */
    double energy, mean; /* potential energy; density */
};

/* ---- making ------------------------------------------------------------------------------------- */

static size_t row_at(const struct sl_mesh *m, int block, int k, int j)
{
    return (((size_t)block * (size_t)m->n[2] + (size_t)k) * (size_t)m->n[1] + (size_t)j) * 3 *
           (size_t)m->n[0];
}

static int make_room(const struct sl_mesh *m, struct sl_gravity *w)
{
    w->g = sl_field_new(row_at(m, m->nblock, 0, 0) + 1);
    w->row = malloc((size_t)m->n[0] * sizeof *w->row);
    SL_CHECK(w->g && w->row, SL_EMEM, "no memory for the accelerations of %d blocks", m->nblock);
    return SL_OK;
}

int sl_gravity_new(const struct sl_sim *sim, struct sl_gravity **out)
{
    const struct sl_mesh *m = sim->mesh;
    double length[3] = {1, 1, 1};
    *out = NULL;
    if (!sl_config_self_gravity(sim->cfg)) return SL_OK;
    struct sl_gravity *w = calloc(1, sizeof *w);
    SL_TRY(sl_agree(m->comm, w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for gravity")));
    w->volume = 1;
    for (int d = 0; d < m->dim; d++) {
        length[d] = m->spec.hi[d] - m->spec.lo[d];
        w->volume *= length[d] / m->spec.cells[d];
    }
    int code = sl_agree(m->comm, make_room(m, w));
    if (code == SL_OK) code = sl_poisson_new(m->comm, m->dim, m->spec.cells, length, &w->poisson);
    if (code == SL_OK) code = sl_planes_new(m, sl_poisson_slab(w->poisson), &w->planes);
    if (code == SL_OK)
        *out = w;
    else
        sl_gravity_free(w);
    return code;
}

void sl_gravity_free(struct sl_gravity *w)
{
    if (!w) return;
    sl_planes_free(w->planes);
    sl_poisson_free(w->poisson);
    free(w->g);
    free(w->row);
    free(w);
}

/* ---- the potential ------------------------------------------------------------------------------ */

struct move {
    const struct sl_sim *sim;
    struct sl_gravity *w;
    int axis;
};

static sl_real *state_row(const struct sl_sim *sim, int block, int k, int j)
{
    const struct sl_mesh *m = sim->mesh;
    return sim->u +
           sl_mesh_at(m, sim->layout.nvar, block, SL_RHO, k + m->g[2], j + m->g[1], m->g[0]);
}

static void density_from_block(void *context, int block, int k, int j, sl_real *row)
{
    const struct move *a = context;
    const sl_real *rho = state_row(a->sim, block, k, j);
    for (int i = 0; i < a->sim->mesh->n[0]; i++)
        row[i] = rho[i];
}

static void density_to_plane(void *context, int k, int j, int i, int n, sl_real *row)
{
    const struct move *a = context;
    double *to = sl_poisson_row(a->w->poisson, k, j) + i;
    for (int q = 0; q < n; q++)
        to[q] = (double)row[q];
}

static void pull_from_plane(void *context, int k, int j, int i, int n, sl_real *row)
{
    const struct move *a = context;
    sl_poisson_pull(a->w->poisson, a->axis, k, j, i, n, a->w->row);
    for (int q = 0; q < n; q++)
        row[q] = (sl_real)a->w->row[q];
}

static void pull_to_block(void *context, int block, int k, int j, sl_real *row)
{
    const struct move *a = context;
    const struct sl_mesh *m = a->sim->mesh;
    sl_real *to = a->w->g + row_at(m, block, k, j) + a->axis * m->n[0];
    double h = m->blocks[block].dx[a->axis];
    for (int i = 0; i < m->n[0]; i++) {
        to[i] = row[i];
        a->w->square = fmax(a->w->square, fabs((double)row[i]) / h);
    }
}

/* 4 pi G, in an expanding universe that of supercomoving variables. */
static double strength(const struct sl_sim *sim)
{
    const struct sl_expansion *e = sim->expansion;
    return e ? 1.5 * e->u.c.omega_m * sl_expansion_a(e, sim->time) : sim->cfg->gravity_four_pi_g;
}

static int solve(const struct sl_sim *sim)
{
    struct sl_gravity *w = sim->gravity;
    struct move move = {.sim = sim, .w = w};
    struct sl_poisson_sums sums;
    SL_TRY(sl_planes_gather(w->planes, density_from_block, density_to_plane, &move));
    SL_TRY(sl_poisson_solve(w->poisson, strength(sim), &sums));
    w->square = 0;
    for (move.axis = 0; move.axis < sim->mesh->dim; move.axis++)
        SL_TRY(sl_planes_spread(w->planes, pull_from_plane, pull_to_block, &move));
    int code = MPI_Allreduce(MPI_IN_PLACE, &w->square, 1, MPI_DOUBLE, MPI_MAX, sim->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the accelerations of the ranks");
    w->energy = 0.5 * sums.product * w->volume;
    w->mean = sums.mean;
    w->solved = true;
    return SL_OK;
}

/* After a restart it is solved again when it is first asked for. */
static int ready(const struct sl_sim *sim)
{
    return sim->gravity->solved ? SL_OK : solve(sim);
}

/* ---- kicks -------------------------------------------------------------------------------------- */

static void kick(struct sl_sim *sim, double time)
{
    const struct sl_mesh *m = sim->mesh;
    const struct sl_kick by = {.lambda = (sl_real)time};
    if (time == 0) return;
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                sl_kick_row(&by, &sim->layout, m->block_cells, m->n[0],
                            sim->gravity->g + row_at(m, b, k, j), state_row(sim, b, k, j));
}

int sl_gravity_start(struct sl_sim *sim)
{
    if (!sim->gravity) return SL_OK;
    sim->gravity->opened = 0;
    SL_TRY(solve(sim));
    SL_CHECK(!sim->expansion || fabs(sim->gravity->mean - 1) < 1e-3, SL_EINPUT,
             "the mean density is %g: with time.unit: redshift all matter is gas, and densities "
             "are over its mean",
             sim->gravity->mean);
    return SL_OK;
}

void sl_gravity_forget(struct sl_sim *sim)
{
    if (!sim->gravity) return;
    sim->gravity->solved = false;
    sim->gravity->opened = 0;
}

int sl_gravity_open(struct sl_sim *sim, double dt)
{
    struct sl_gravity *w = sim->gravity;
    if (!w) return SL_OK;
    SL_TRY(ready(sim));
    kick(sim, 0.5 * dt - w->opened);
    w->opened = 0.5 * dt;
    return SL_OK;
}

int sl_gravity_close(struct sl_sim *sim, double dt)
{
    if (!sim->gravity) return SL_OK;
    sim->gravity->opened = 0;
    SL_TRY(solve(sim));
    kick(sim, 0.5 * dt);
    return SL_OK;
}

double sl_gravity_limit(const struct sl_sim *sim, double dt)
{
    const struct sl_expansion *e = sim->expansion;
    if (!sim->gravity) return dt;
    dt = sl_kick_limit(dt, sim->gravity->square / sim->cfg->fluid_cfl);
    if (!e) return dt;
    double rate = sl_expansion_rate(e, sl_expansion_a(e, sim->time));
    return fmin(dt, sim->cfg->time_max_expansion / rate);
}

int sl_gravity_energy(const struct sl_sim *sim, double *out)
{
    *out = 0;
    if (!sim->gravity) return SL_OK;
    SL_TRY(ready(sim));
    *out = sim->gravity->energy;
    return SL_OK;
}
