/* cycle.c - see cycle.h. */
#include "core/step/cycle.h"

#include <math.h>
#include <stdbool.h>

#include "core/step/backend.h"
#include "core/step/regrid.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "core/sys/status.h"

enum {
    STEP_CELLS = 4096, /* updates that take as long as what a step of a level costs besides them */
    SPLITS = 4         /* halvings of a step in the midst of one of the root */
};

/* Of the step that a level allows before a step of the root, for one that it takes later in it:
 * most states change by less, and then no step is split. */
static const double spare = 0.95;

/* ---- how many steps ------------------------------------------------------------------------- */

/* Bit l - 1 of `twice`: level l takes two steps in one of level l - 1. Returns updates per time. */
static double cost_of(const struct sl_sim *root, unsigned twice, struct sl_cycle *c)
{
    const int64_t *count = root->state.hierarchy->count;
    double updates = 0;
    c->dt = HUGE_VAL;
    for (const struct sl_sim *s = root; s; s = s->finer) {
        int l = s->state.mesh->level;
        double cells =
            (double)count[l] * s->state.mesh->n[0] * s->state.mesh->n[1] * s->state.mesh->n[2];
        c->steps[l] = l == 0 ? 1 : c->steps[l - 1] << (twice >> (l - 1) & 1);
        if (count[l] == 0) continue;
        c->dt = fmin(c->dt, c->steps[l] * (c->steps[l] > 1 ? spare : 1) * s->state.allowed);
        updates += c->steps[l] * (cells + STEP_CELLS);
    }
    return updates / c->dt;
}

/* Steps of the finest level in one of the root. */
static int64_t steps_of(unsigned twice)
{
    int64_t steps = 1;
    for (; twice; twice >>= 1)
        steps <<= twice & 1;
    return steps;
}

/* Cells that are enough for what moves on in so many steps, and for the cell beside it that a rule
 * reads. */
static int64_t reach_of(const struct sl_config *cfg, int64_t steps)
{
    return (int64_t)ceil(cfg->fluid_cfl * (double)steps) + 1;
}

/* Whether what moves in a step of the root may leave a block and its neighbours, which are all that
 * is refined with it. */
static bool is_too_far(const struct sl_sim *root, unsigned twice)
{
    const struct sl_config *cfg = root->state.cfg;
    int64_t steps = steps_of(twice), reach = reach_of(cfg, steps);
    bool outruns = false;
    for (int d = 0; d < root->state.mesh->dim; d++)
        outruns |= reach > root->state.mesh->n[d];
    return steps > cfg->mesh_regrid && cfg->mesh_buffer > 0 && outruns;
}

/* Each level takes two steps in one of the coarser; where that is too far, the coarsest ones take
 * one. */
static unsigned each_level(const struct sl_sim *root, unsigned all)
{
    while (is_too_far(root, all))
        all &= all - 1;
    return all;
}

struct sl_cycle sl_cycle_of(const struct sl_sim *root)
{
    const struct sl_config *cfg = root->state.cfg;
    unsigned all = (1u << (root->state.hierarchy->nlevel - 1)) - 1;
    unsigned first = cfg->time_levels == SL_TIME_LEVELS_each ? each_level(root, all) : 0;
    unsigned last = cfg->time_levels == SL_TIME_LEVELS_auto ? all : first;
    struct sl_cycle best = {.dt = 0};
    double least = HUGE_VAL;
    for (unsigned twice = first; twice <= last; twice++) {
        struct sl_cycle c = {.dt = 0};
        if (twice > first && steps_of(twice) > cfg->mesh_regrid) continue;
        double cost = cost_of(root, twice, &c);
        if (!(cost < least) && best.dt > 0) continue;
        least = cost;
        best = c;
    }
    return best;
}

int sl_cycle_buffer(const struct sl_sim *sim)
{
    const struct sl_config *cfg = sim->state.cfg;
    int64_t buffer = cfg->mesh_buffer;
    if (buffer == 0 || !sim->root->state.hierarchy) return (int)buffer;
    int64_t steps = sl_cycle_of(sim->root).steps[sim->state.mesh->level];
    if (steps <= cfg->mesh_regrid) return (int)buffer;
    return (int)(buffer > reach_of(cfg, steps) ? buffer : reach_of(cfg, steps));
}

/* The largest of the speeds that the levels bear would be too large for another: the least. */
static void set_cleaning(struct sl_sim *root, const struct sl_cycle *c)
{
    double ch = HUGE_VAL;
    for (const struct sl_sim *s = root; s; s = s->finer) {
        int l = s->state.mesh->level;
        if (root->state.hierarchy->count[l] > 0)
            ch = fmin(ch, sl_step_cleaning_speed(s, c->dt / c->steps[l]));
    }
    sl_step_set_cleaning(root, ch);
}

/* ---- a step --------------------------------------------------------------------------------- */

/* Whether a level has leaves, or a coarser one: else finer ones cover all of it, and nothing is
 * made from what it does between their steps. */
static bool is_needed(const struct sl_sim *s)
{
    int64_t leaves = 0;
    for (int l = 0; l <= s->state.mesh->level; l++)
        leaves += s->root->state.hierarchy->count[l];
    return leaves > 0;
}

static int ghosts(struct sl_sim *sim, enum sl_ghosts which)
{
    sim->work->ghost.time = sim->state.time;
    if (sim->coarser) SL_TRY(sl_step_ghosts_from_coarser(sim, sim->work->now));
    return sim->work->backend->ghosts(sim, which);
}

int sl_cycle_ghosts(struct sl_sim *sim)
{
    return ghosts(sim, SL_GHOSTS_NEXT);
}

int sl_cycle_cover(struct sl_sim *root)
{
    if (!root->finer) return SL_OK;
    SL_TRY(sl_cycle_cover(root->finer));
    return root->work->backend->cover(root, root->finer);
}

static int advance(struct sl_sim *s, const struct sl_cycle *c, double dt, double end);

/* Finer levels go to `end`, which is dt away, in one step of s, or in two where its state no longer
 * allows that. */
static int advance_or_split(struct sl_sim *s, const struct sl_cycle *c, double dt, double end,
                            int splits)
{
    double half = 0.5 * dt, mid = s->state.time + half;
    if (splits == 0 || dt <= s->state.allowed * (1 + 1e-9)) return advance(s, c, dt, end);
    SL_TRY(advance_or_split(s, c, half, mid, splits - 1));
    return advance_or_split(s, c, half, end, splits - 1);
}

/* The finer level catches up in n steps with one of s, which took dt. */
static int follow(struct sl_sim *s, const struct sl_cycle *c, double dt)
{
    struct sl_sim *f = s->finer;
    int l = s->state.mesh->level, n = c->steps[l + 1] / c->steps[l];
    double from = f->state.time;
    if (is_needed(s)) SL_TRY(ghosts(s, SL_GHOSTS_PROLONG));
    SL_TRY(f->work->backend->register_clear(f));
    for (int i = 1; i <= n; i++)
        SL_TRY(advance_or_split(f, c, dt / n, i == n ? s->state.time : from + dt * i / n, SPLITS));
    double start = MPI_Wtime();
    if (is_needed(s)) SL_TRY(s->work->backend->reflux(s, f, &s->root->work->corrected));
    SL_TRY(s->work->backend->cover(s, f));
    s->root->spent.match += MPI_Wtime() - start;
    return SL_OK;
}

static int advance(struct sl_sim *s, const struct sl_cycle *c, double dt, double end)
{
    if (is_needed(s))
        SL_TRY(sl_step_level(s, dt, end));
    else
        SL_TRY(sl_step_rest(s, end));
    return s->finer ? follow(s, c, dt) : SL_OK;
}

/* Cells that were no gas when fluxes were corrected, of all ranks. */
static int count_corrected(struct sl_sim *root)
{
    struct sl_corrected *m = &root->work->corrected;
    int64_t n[2] = {m->repaired, m->floored};
    if (!root->finer) return SL_OK;
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPI_INT64_T, MPI_SUM, root->state.mesh->comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "cannot count the bad cells of the ranks");
    root->state.cells_repaired += n[0];
    root->state.cells_floored += n[1];
    *m = (struct sl_corrected){0};
    return SL_OK;
}

/* Source terms work on leaves. */
static int sources_open(struct sl_sim *root, double dt)
{
    SL_TRY(sl_sources_open(root, dt));
    return root->sources->n > 0 ? sl_cycle_cover(root) : SL_OK;
}

static int sources_close(struct sl_sim *root, double dt)
{
    SL_TRY(sl_sources_close(root, dt));
    return root->sources->n > 0 ? sl_cycle_cover(root) : SL_OK;
}

static int64_t finest_steps(const struct sl_sim *root, const struct sl_cycle *c)
{
    return c->steps[root->state.hierarchy->nlevel - 1];
}

static bool is_regrid_due(const struct sl_sim *root, const struct sl_cycle *c)
{
    return root->state.since_regrid + 2 * finest_steps(root, c) > root->state.cfg->mesh_regrid;
}

bool sl_cycle_regrids(const struct sl_sim *root)
{
    struct sl_cycle c = sl_cycle_of(root);
    return is_regrid_due(root, &c);
}

int sl_cycle_end(struct sl_sim *root, bool regrid)
{
    int changed = 0;
    if (regrid) SL_TRY(sl_regrid(root, &changed));
    if (changed) SL_TRY(sl_sources_remesh(root));
    root->state.dt = sl_sources_limit(root, sl_cycle_of(root).dt);
    return SL_OK;
}

int sl_cycle_step(struct sl_sim *root, double until)
{
    struct sl_cycle c = sl_cycle_of(root);
    double dt = sl_step_clip(root, root->state.dt, until);
    double end = dt == until - root->state.time ? until : root->state.time + dt;
    set_cleaning(root, &c);
    SL_TRY(sl_step_push(root));
    SL_TRY(sources_open(root, dt));
    SL_TRY(advance(root, &c, dt, end));
    SL_TRY(count_corrected(root));
    SL_TRY(sources_close(root, dt));
    bool due = is_regrid_due(root, &c);
    root->state.since_regrid = due ? 0 : root->state.since_regrid + finest_steps(root, &c);
    return sl_cycle_end(root, due);
}
