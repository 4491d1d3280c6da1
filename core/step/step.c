/* step.c - advances a run by one step; see sim.h. */
#include <math.h>
#include <stdlib.h>

#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* One row per stage in the form of Shu & Osher 1988: u = (1 - b) u0 + b (u + dt L(u, t + c dt)). */
struct row {
    double b, c;
};
static const struct row rk2[] = {{1, 0}, {0.5, 1}};
static const struct row rk3[] = {{1, 0}, {0.25, 1}, {2.0 / 3, 0.5}};

struct method {
    int stages;
    const struct row *row;
};
static const struct method methods[] = {
#define METHOD(name, stages, about) {stages, name},
    SL_INTEGRATOR_LIST(METHOD)};

/* ---- time step ------------------------------------------------------------------------------ */

/* cfl bounds the share of a cell that a signal crosses along the worst axis, as usual. A step of
 * the method of lines also needs the shares of the three axes to sum to no more than one. */
static void set_dt(struct sl_sim *sim, struct sl_signal s)
{
    sim->dt = fmin(sim->cfg->fluid_cfl / (double)s.fastest, 1 / (double)s.sum);
}

static int reduce(const struct sl_sim *sim, struct sl_signal *s)
{
    double v[3] = {(double)s->bad, (double)s->fastest, (double)s->sum};
    int code = MPI_Allreduce(MPI_IN_PLACE, v, 3, MPI_DOUBLE, MPI_MAX, sim->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the signals of the ranks");
    *s = (struct sl_signal){(sl_real)v[0], (sl_real)v[1], (sl_real)v[2]};
    return SL_OK;
}

static size_t block_at(const struct sl_sim *sim, int block)
{
    return sl_mesh_at(sim->mesh, sim->layout.nvar, block, 0, 0, 0, 0);
}

int sl_sim_dt(struct sl_sim *sim)
{
    struct sl_signal all = {0, 0, 0};
    for (int b = 0; b < sim->mesh->nblock; b++)
        all = sl_signal_join(all, sl_sweep_signal(sim->work->sweep, sim->mesh->blocks[b].dx,
                                                  sim->u + block_at(sim, b)));
    SL_TRY(reduce(sim, &all));
    set_dt(sim, all);
    return SL_OK;
}

/* The step to take: no further than `until`, and not so far that a sliver is left. */
static double clip(const struct sl_sim *sim, double until)
{
    double left = until - sim->time, dt = sim->dt;
    if (dt >= left * (1 - 1e-12)) return left;
    return dt > 0.5 * left ? 0.5 * left : dt;
}

/* ---- stages --------------------------------------------------------------------------------- */

/* out = (1 - b) sim->u + b (in + dt L(in)) on all blocks. in may be out. */
static int stage(struct sl_sim *sim, const struct row *row, double dt, int last, sl_real *in,
                 sl_real *out, struct sl_signal *all)
{
    struct sl_stage st = {(sl_real)row->b, dt, last};
    sim->work->ghost.time = sim->time + row->c * dt;
    SL_TRY(sl_ghost_fill(sim->mesh, &sim->work->ghost, in));
    for (int b = 0; b < sim->mesh->nblock; b++) {
        size_t at = block_at(sim, b);
        struct sl_signal s = sl_sweep_block(sim->work->sweep, &st, sim->mesh->blocks[b].dx,
                                            sim->u + at, in + at, out + at);
        *all = sl_signal_join(*all, s);
    }
    return SL_OK;
}

/* The stages after the first work in place on the next state: the present one stays as it is. */
static int quick(struct sl_sim *sim, double dt, struct sl_signal *all)
{
    const struct method *m = &methods[sim->cfg->fluid_integrator];
    sl_real *in = sim->u;
    *all = (struct sl_signal){0, 0, 0};
    for (int i = 0; i < m->stages; i++) {
        SL_TRY(stage(sim, &m->row[i], dt, i == m->stages - 1, in, sim->work->next, all));
        in = sim->work->next;
    }
    return reduce(sim, all);
}

static void accept(struct sl_sim *sim, double dt, double until, struct sl_signal s)
{
    sl_real *u = sim->u;
    sim->u = sim->work->next;
    sim->work->next = u;
    sim->time = dt == until - sim->time ? until : sim->time + dt;
    sim->step++;
    set_dt(sim, s);
}

int sl_sim_step(struct sl_sim *sim, double until)
{
    double dt = clip(sim, until);
    struct sl_signal all;
    SL_TRY(quick(sim, dt, &all));
    SL_CHECK(all.bad == 0, SL_EDIVERGED, "bad cells in step %lld", (long long)sim->step);
    accept(sim, dt, until, all);
    return SL_OK;
}
