/* step.c - advances a level by one step; see work.h. */
#include <math.h>
#include <stdio.h>

#include "core/cell/reconstruct.h"
#include "core/lists/integrator_list.h"
#include "core/step/backend.h"
#include "core/step/level_ghosts.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* One row per stage in the form of Shu & Osher 1988: u = (1 - b) u0 + b (u + share dt L(u, t + c
 * dt)); for the corrector of vl2 u = u0 + dt L(u). */
struct row {
    double b, c, share;
    int from_old, first_order;
};
static const struct row rk2[] = {{1, 0, 1, 0, 0}, {0.5, 1, 1, 0, 0}};
static const struct row rk3[] = {{1, 0, 1, 0, 0}, {0.25, 1, 1, 0, 0}, {2.0 / 3, 0.5, 1, 0, 0}};
static const struct row ctu[] = {{1, 0, 1, 0, 0}};
static const struct row vl2[] = {{1, 0, 0.5, 0, 1}, {1, 0.5, 1, 1, 0}};
static const struct row tvd[] = {{1, 0, 0.5, 0, 0}, {1, 0.5, 0.5, 0, 0}}; /* forward, back */

struct method {
    int stages; /* 0: sweeps along each axis, forward and back */
    const struct row *row;
};
static const struct method methods[] = {
#define METHOD(name, stages, ...) {stages, name},
    SL_INTEGRATOR_LIST(METHOD)};

static const struct method *method_of(const struct sl_sim *sim)
{
    return &methods[sim->state.cfg->fluid_integrator];
}

static int stages_of(const struct sl_sim *sim)
{
    int stages = method_of(sim)->stages;
    return stages ? stages : 2 * sim->state.mesh->dim;
}

int sl_step_parts(const struct sl_sim *sim)
{
    return method_of(sim)->stages == 0 && sim->state.cfg->mesh_levels > 0 ? stages_of(sim) : 1;
}

/* The stages of the part of a step that is under way. */
static int first_stage(const struct sl_sim *sim)
{
    return sl_step_parts(sim) > 1 ? sim->root->work->part : 0;
}

static int end_stage(const struct sl_sim *sim)
{
    return sl_step_parts(sim) > 1 ? sim->root->work->part + 1 : stages_of(sim);
}

/* Whether it is the last one. */
static bool is_whole(const struct sl_sim *sim)
{
    return sim->root->work->part == sl_step_parts(sim) - 1;
}

static const struct row *row_of(const struct sl_sim *sim, int i)
{
    const struct method *m = method_of(sim);
    return &m->row[m->stages ? i : i / sim->state.mesh->dim];
}

/* ---- time step ------------------------------------------------------------------------------ */

/* Without gas nothing but sources limits a step: all of the run is one. */
static double longest_step(const struct sl_sim *sim)
{
    return sim->state.end > 0 ? sim->state.end : 1;
}

/* cfl bounds the share of a cell that a signal crosses along the worst axis, as usual. A step of
 * the method of lines also needs the shares of the three axes to sum to no more than one; ctu does
 * not, and one of sweeps goes over each axis twice. */
static void set_dt(struct sl_sim *sim, struct sl_signal s)
{
    if (sim->state.layout.nvar == 0) {
        sim->state.dt = sim->state.allowed = longest_step(sim);
        return;
    }
    double axis = sim->state.cfg->fluid_cfl / (double)s.rate_max;
    switch (sim->state.cfg->fluid_integrator) {
    case SL_INTEGRATOR_ctu:
        sim->state.dt = axis;
        break;
    case SL_INTEGRATOR_tvd:
        sim->state.dt = 2 * axis;
        break;
    default:
        sim->state.dt = fmin(axis, 1 / (double)s.rate_sum);
    }
    sim->state.allowed = sim->state.dt;
}

/* The largest signals of all ranks, and on the way what any rank requests: a plain step needs no
 * other reduction. */
static int reduce(struct sl_sim *sim, struct sl_signal *s)
{
    double v[3 + SL_SIM_REQUESTS] = {(double)s->bad, (double)s->rate_max, (double)s->rate_sum};
    for (int i = 0; i < SL_SIM_REQUESTS; i++)
        v[3 + i] = sim->request >> i & 1;
    int code = MPI_Allreduce(MPI_IN_PLACE, v, 3 + SL_SIM_REQUESTS, MPI_DOUBLE, MPI_MAX,
                             sim->state.mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the signals of the ranks");
    *s = (struct sl_signal){(sl_real)v[0], (sl_real)v[1], (sl_real)v[2]};
    sim->requested = 0;
    for (int i = 0; i < SL_SIM_REQUESTS; i++)
        sim->requested |= (unsigned)(v[3 + i] > 0) << i;
    return SL_OK;
}

static int signal_of(struct sl_sim *sim, sl_real *u, struct sl_signal *all)
{
    *all = (struct sl_signal){0, 0, 0};
    if (sim->state.layout.nvar > 0) SL_TRY(sim->work->backend->signal(sim, u, all));
    return reduce(sim, all);
}

/* ---- the host's copy ------------------------------------------------------------------------- */

int sl_step_push(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    if (w->newest == SL_NEWEST_HOST) {
        if (w->backend->push) SL_TRY(sl_agree(sim->state.mesh->comm, w->backend->push(sim)));
        w->newest = SL_NEWEST_BOTH;
    }
    return sim->finer ? sl_step_push(sim->finer) : SL_OK;
}

void sl_step_changed(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    w->newest = w->backend->pull ? SL_NEWEST_BACKEND : SL_NEWEST_BOTH;
    if (!w->backend->pull) sim->state.u = w->now;
}

int sl_sim_pull(const struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    if (w->newest == SL_NEWEST_BACKEND) {
        int code = sl_sim_host(sim);
        if (code == SL_OK) code = w->backend->pull(sim);
        SL_TRY(sl_agree(sim->state.mesh->comm, code));
        w->newest = SL_NEWEST_BOTH;
    }
    return sim->finer ? sl_sim_pull(sim->finer) : SL_OK;
}

bool sl_sim_on_device(const struct sl_sim *sim)
{
    return sim->work->backend->pull;
}

int sl_step_signals(struct sl_sim *sim)
{
    struct sl_signal all;
    SL_TRY(sl_step_push(sim));
    for (struct sl_sim *s = sim; s; s = s->finer) {
        SL_TRY(signal_of(s, s->work->now, &all));
        sl_step_changed(s); /* energy and entropy were made to agree */
        set_dt(s, all);
    }
    return SL_OK;
}

/* The step to take: no further than `until`, and not so far that a sliver is left. */
double sl_step_clip(const struct sl_sim *sim, double dt, double until)
{
    double left = until - sim->state.time;
    if (dt >= left * (1 - 1e-12)) return left;
    return dt > 0.5 * left ? 0.5 * left : dt;
}

/* ---- stages --------------------------------------------------------------------------------- */

enum {
    CHECKED_STEPS = 32, /* after a repair the next steps expect another */
    HALVINGS = 3        /* of a step that needs floors, to see whether a shorter one does without */
};

/* Smallest cell size of a level. */
static double least_dx(const struct sl_sim *sim)
{
    const struct sl_mesh_spec *m = &sim->state.mesh->spec;
    double dx = HUGE_VAL;
    for (int d = 0; d < m->dim; d++)
        dx = fmin(dx, ldexp((m->hi[d] - m->lo[d]) / m->cells[d], -sim->state.mesh->level));
    return dx;
}

/* Speed at which errors of div B leave (MHD) in a step dt: that of the fastest signal, less where
 * their sum over the axes would limit the step (Dedner et al. 2002). dt is the step that the state
 * allows, so that a restart finds the same. */
double sl_step_cleaning_speed(const struct sl_sim *sim, double dt)
{
    const struct sl_mesh_spec *m = &sim->state.mesh->spec;
    double sum = 0;
    for (int d = 0; d < m->dim; d++)
        sum += 1 / ldexp((m->hi[d] - m->lo[d]) / m->cells[d], -sim->state.mesh->level);
    return fmin(sim->state.cfg->fluid_cfl * least_dx(sim), 1 / sum) / dt;
}

void sl_step_set_cleaning(struct sl_sim *sim, double ch)
{
    sim->root->work->ch = ch;
    for (struct sl_sim *s = sim->root; s; s = s->finer)
        s->work->scheme.gas.ch = s->work->plain.gas.ch = (sl_real)ch;
}

/* A stage of first order is enough before one with slopes. What ppm and wenoz make of its result
 * steepens rarefactions: the error of the 1-2-0-3 tube is more than twice as large as with their
 * own faces in both stages. In an expanding universe gas is cold and steps are bounded by the
 * expansion: of the two cells between which u changes its sign such a stage takes half the gas
 * where it parts, and gives them half as much again where it meets, on any mesh. */
static int is_first_order(const struct sl_sim *sim, const struct row *r)
{
    return r->first_order && !sim->state.expansion &&
           !sl_reconstruct_curved(sim->work->scheme.method);
}

static struct sl_stage stage_of(const struct sl_sim *sim, int i, double dt)
{
    const struct row *r = row_of(sim, i);
    int back = stages_of(sim) - 1 - i;
    struct sl_stage s = {(sl_real)r->b,          r->share * dt,       1, back == 0, r->from_old,
                         is_first_order(sim, r), i < back ? i : back, 0, NULL,      NULL};
    double ch = sim->root->work->ch;
    if (s.last) s.damp = (sl_real)exp(-sim->state.cfg->fluid_glm_alpha * (ch * dt / least_dx(sim)));
    return s;
}

/* Whether nothing of the stages before is in what a stage brings; of sweeps along each axis the
 * first is such a one. */
static bool is_fresh(const struct sl_sim *sim, int i)
{
    return i < (method_of(sim)->stages ? 1 : sim->state.mesh->dim) || row_of(sim, i)->from_old;
}

/* Whether a stage leaves the mass that it began from: one that may be repaired, and those of a step
 * in parts, of which others may be. */
static bool keeps_before(const struct sl_sim *sim)
{
    return sim->work->checked > 0 || sl_step_parts(sim) > 1;
}

/* Then it writes to the other copy; of sweeps those back do. */
static void turn_mass(struct sl_sim *sim, int i)
{
    struct sl_step *w = sim->work;
    if (!keeps_before(sim))
        w->mass_now = 0;
    else if (method_of(sim)->stages)
        w->mass_now = 1 - w->mass_now;
    else
        w->mass_now = i >= sim->state.mesh->dim;
}

/* Stage i with the place where it keeps the mass that crosses faces. */
static struct sl_stage stage_with_mass(const struct sl_sim *sim, int i, double dt)
{
    const struct sl_step *w = sim->work;
    struct sl_stage s = stage_of(sim, i, dt);
    if (!w->keeps_mass || s.first_order) return s;
    s.mass = w->mass[w->mass_now];
    if (!is_fresh(sim, i))
        s.mass_before = w->mass[keeps_before(sim) ? 1 - w->mass_now : w->mass_now];
    return s;
}

size_t sl_step_mass_values(const struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    return 3 * (size_t)m->nblock * sl_mass_flux_faces(m->dim, m->n);
}

size_t sl_step_kicked_values(const struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    return (size_t)m->nblock * (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
}

/* Stage i from `in` to `out` on all blocks of the level. */
static int advance(struct sl_sim *sim, int i, double dt, sl_real *in, sl_real *out,
                   struct sl_signal *all)
{
    turn_mass(sim, i);
    struct sl_stage stage = stage_with_mass(sim, i, dt);
    sim->work->ghost.time = sim->state.time + (sl_step_parts(sim) > 1 ? 0 : row_of(sim, i)->c * dt);
    if (sim->coarser) SL_TRY(sl_level_ghosts_prolong(sim, in));
    return sim->work->backend->advance(sim, &stage, in, out, all);
}

/* Where a stage puts its result when it must keep its input. */
static sl_real *beside(const struct sl_step *w, const sl_real *in)
{
    return in == w->next ? w->third : w->next;
}

/* The result of the last stage becomes `next`. */
static void settle(struct sl_step *w, sl_real *result)
{
    if (result != w->third) return;
    w->third = w->next;
    w->next = result;
}

/* The stages after the first work in place on the next state where the backend can: two copies are
 * enough, and the present one stays as it is. One comparison of all ranks at the end tells whether
 * a cell was bad. */
static int unchecked(struct sl_sim *sim, double dt, struct sl_signal *all)
{
    struct sl_step *w = sim->work;
    sl_real *in = w->now;
    *all = (struct sl_signal){0, 0, 0};
    if (!w->in_place && !w->third) SL_TRY(w->backend->repair_ready(sim));
    for (int i = first_stage(sim); i < end_stage(sim); i++) {
        sl_real *out = w->in_place ? w->next : beside(w, in);
        SL_TRY(advance(sim, i, dt, in, out, all));
        in = out;
    }
    settle(w, in);
    return reduce(sim, all);
}

/* A step that was made but not yet accepted. */
struct trial {
    double dt;
    int64_t repaired, floored; /* in all stages */
    int64_t most_floored;      /* in one of them */
    struct sl_signal all;
};

static int repair(struct sl_sim *sim, int i, const sl_real *in, sl_real *out, struct trial *t)
{
    struct sl_stage stage = stage_with_mass(sim, i, t->dt);
    int64_t floored = 0;
    SL_TRY(sim->work->backend->repair(sim, &stage, in, out, &t->repaired, &floored));
    t->floored += floored;
    if (floored > t->most_floored) t->most_floored = floored;
    return signal_of(sim, out, &t->all);
}

/* The same bits when nothing is bad; but every stage keeps its input until its result is good. */
static int checked(struct sl_sim *sim, struct trial *t)
{
    struct sl_step *w = sim->work;
    sl_real *in = w->now;
    SL_TRY(w->backend->repair_ready(sim));
    for (int i = first_stage(sim); i < end_stage(sim); i++) {
        sl_real *out = beside(w, in);
        t->all = (struct sl_signal){0, 0, 0};
        SL_TRY(advance(sim, i, t->dt, in, out, &t->all));
        SL_TRY(reduce(sim, &t->all));
        if (t->all.bad > 0) SL_TRY(repair(sim, i, in, out, t));
        in = out;
    }
    settle(w, in);
    return SL_OK;
}

/* Leaves of the level, of all ranks. */
static int64_t leaves_of(const struct sl_sim *sim)
{
    return sim->root->state.hierarchy->count[sim->state.mesh->level];
}

/* A step of a level is done, after which its state has these signals. */
static void count_step(struct sl_sim *sim, struct sl_signal s)
{
    const struct sl_mesh *m = sim->state.mesh;
    sim->state.step++;
    sim->root->updates += leaves_of(sim) * m->n[0] * m->n[1] * m->n[2];
    sim->root->costs.done.blocks[m->level] += m->nblock;
    set_dt(sim, s);
}

/* The next state of a level becomes the present one. */
static int take_over(struct sl_sim *sim, double until, struct sl_signal s)
{
    struct sl_step *w = sim->work;
    sl_real *u = w->now;
    w->now = w->next;
    w->next = u;
    sl_step_changed(sim);
    sim->began = sim->state.time;
    sim->state.time = until;
    if (is_whole(sim)) count_step(sim, s);
    sim->state.floored_last = 0;
    return w->backend->register_accept ? w->backend->register_accept(sim) : SL_OK;
}

int sl_step_reset(struct sl_sim *sim)
{
    struct sl_signal s;
    SL_TRY(signal_of(sim, sim->work->now, &s));
    SL_CHECK(s.bad == 0, SL_EDIVERGED,
             "diffusion.* left %.0f cells without density or pressure at step %lld; a smaller "
             "fluid.cfl makes its steps shorter",
             (double)s.bad, (long long)sim->state.step);
    set_dt(sim, s);
    return SL_OK;
}

/* Again, with another length. */
static int try_step(struct sl_sim *sim, double dt, struct trial *t)
{
    *t = (struct trial){.dt = dt};
    SL_TRY(sl_sources_open(sim, dt));
    return checked(sim, t);
}

static bool is_allowed(const struct sl_sim *sim, const struct trial *t)
{
    double cells = (double)leaves_of(sim);
    for (int d = 0; d < sim->state.mesh->dim; d++)
        cells *= sim->state.mesh->n[d];
    return (double)t->most_floored <= cells * sim->state.cfg->fluid_max_floored;
}

/* Whether a shorter step is worth it: less than half the floors, or so few that the run goes on. */
static bool is_better(const struct sl_sim *sim, const struct trial *shorter, const struct trial *t)
{
    bool before = is_allowed(sim, t), after = is_allowed(sim, shorter);
    return before == after ? 2 * shorter->floored < t->floored : after;
}

/* Cells that need a floor mean that the step was too long: half of it may do without, or with far
 * fewer. Cells that need one whatever the step do not hold up the run: as many as in the step
 * before are taken as they are. */
static int best_step(struct sl_sim *sim, struct trial *best)
{
    struct trial last;
    SL_TRY(checked(sim, best));
    if (best->floored <= sim->state.floored_last && is_allowed(sim, best)) return SL_OK;
    last = *best;
    for (int i = 0; i < HALVINGS && last.floored > 0; i++) {
        SL_TRY(try_step(sim, 0.5 * last.dt, &last));
        if (is_better(sim, &last, best)) *best = last;
    }
    return last.dt < best->dt ? try_step(sim, best->dt, best) : SL_OK;
}

/* ", the first at (x, y)", where the backend tells. */
static const char *floored_where(const struct sl_sim *sim, char *text, size_t size)
{
    const double *x = sim->work->floored_at;
    int used = snprintf(text, size, "%s", isfinite(x[0]) ? ", the first at (" : "");
    if (!used) return text;
    for (int d = 0; d < sim->state.mesh->dim; d++)
        used += snprintf(text + used, size - (size_t)used, "%s%g", d ? ", " : "", x[d]);
    snprintf(text + used, size - (size_t)used, ")");
    return text;
}

static int give_up(struct sl_sim *sim, const struct trial *t)
{
    char where[128];
    bool hint = sim->state.layout.energy >= 0 && sim->state.layout.entropy < 0;
    SL_TRY(sl_sources_open(sim->root, 0));
    return SL_FAIL(SL_EDIVERGED,
                   "step %lld at t = %g: cells without density or pressure, also after first-order "
                   "fluxes and with a step of %g: %lld%s, more than fluid.max_floored = %g "
                   "allows%s",
                   (long long)sim->state.step, sim->state.time, t->dt, (long long)t->most_floored,
                   floored_where(sim, where, sizeof where), sim->state.cfg->fluid_max_floored,
                   hint ? "; fluid.dual_energy: true keeps heat that is a small part of the energy"
                        : "");
}

static void count_repairs(struct sl_sim *sim, const struct trial *t)
{
    sim->root->state.cells_repaired += t->repaired;
    sim->root->state.cells_floored += t->floored;
    sim->state.floored_last = t->floored;
    sim->work->checked = t->repaired + t->floored > 0 ? CHECKED_STEPS : sim->work->checked - 1;
}

/* A level of several takes the step that the others take, too. */
static int step_checked(struct sl_sim *sim, double *dt, double until)
{
    struct trial t = {.dt = *dt};
    SL_TRY(sim->state.cfg->mesh_levels > 0 ? checked(sim, &t) : best_step(sim, &t));
    if (!is_allowed(sim, &t)) return give_up(sim, &t);
    SL_TRY(take_over(sim, t.dt < *dt ? sim->state.time + t.dt : until, t.all));
    count_repairs(sim, &t);
    *dt = t.dt;
    return SL_OK;
}

/* Without gas a step is what the sources do. */
static int step_particles(struct sl_sim *sim, double until)
{
    SL_TRY(sl_step_rest(sim, until));
    set_dt(sim, (struct sl_signal){0, 0, 0});
    return SL_OK;
}

int sl_step_level(struct sl_sim *sim, double *dt, double until)
{
    struct sl_signal all;
    if (sim->state.layout.nvar == 0) return step_particles(sim, until);
    if (sim->work->checked == 0) {
        SL_TRY(unchecked(sim, *dt, &all));
        if (all.bad == 0) return take_over(sim, until, all);
        sim->work->checked = CHECKED_STEPS;
    }
    return step_checked(sim, dt, until);
}

int sl_step_rest(struct sl_sim *sim, double until)
{
    struct sl_signal none = {0, 0, 0};
    sim->began = sim->state.time;
    sim->state.time = until;
    sim->state.step += is_whole(sim);
    return reduce(sim, &none);
}
