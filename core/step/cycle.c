/* cycle.c - see cycle.h. */
#include "core/step/cycle.h"

#include <math.h>
#include <stdbool.h>

#include "core/step/backend.h"
#include "core/step/level_ghosts.h"
#include "core/step/ratio.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "core/sys/status.h"

enum { SPLITS = 4 }; /* halvings of a step in the midst of one of the root */

/* The largest of the speeds that the levels bear would be too large for another: the least. The
 * checkpoint of a uniform mesh has the step that its sources leave, and no other. */
static void set_cleaning(struct sl_sim *root, const struct sl_ratio *c)
{
    double ch = HUGE_VAL, dt = root->state.cfg->mesh_levels > 0 ? c->dt : root->state.dt;
    for (const struct sl_sim *s = root; s; s = s->finer) {
        int l = s->state.mesh->level;
        if (root->state.hierarchy->count[l] > 0)
            ch = fmin(ch, sl_step_cleaning_speed(s, dt / c->steps[l]));
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

static int advance(struct sl_sim *s, const struct sl_ratio *c, double *dt, double end);

/* Finer levels go to `end`, which is dt away, in one step of s, or in two where its state no longer
 * allows that. */
static int advance_or_split(struct sl_sim *s, const struct sl_ratio *c, double dt, double end,
                            int splits)
{
    double half = 0.5 * dt, mid = s->state.time + half;
    if (splits == 0 || dt <= s->state.allowed * (1 + 1e-9)) return advance(s, c, &dt, end);
    SL_TRY(advance_or_split(s, c, half, mid, splits - 1));
    SL_TRY(sl_sources_meet(s));
    return advance_or_split(s, c, half, end, splits - 1);
}

/* The finer level catches up in n steps with one of s, which took dt. */
static int follow(struct sl_sim *s, const struct sl_ratio *c, double dt)
{
    struct sl_sim *f = s->finer;
    int l = s->state.mesh->level, n = c->steps[l + 1] / c->steps[l];
    double from = f->state.time;
    if (is_needed(s)) SL_TRY(sl_level_ghosts_fill(s, SL_GHOSTS_PROLONG));
    SL_TRY(f->work->backend->register_clear(f));
    for (int i = 1; i <= n; i++) {
        SL_TRY(advance_or_split(f, c, dt / n, i == n ? s->state.time : from + dt * i / n, SPLITS));
        if (i < n) SL_TRY(sl_sources_meet(f));
    }
    double start = MPI_Wtime();
    if (is_needed(s)) SL_TRY(s->work->backend->reflux(s, f, &s->root->work->corrected));
    SL_TRY(s->work->backend->cover(s, f));
    s->root->spent.match += MPI_Wtime() - start;
    return SL_OK;
}

/* *dt: a uniform mesh may take a shorter step. */
static int advance(struct sl_sim *s, const struct sl_ratio *c, double *dt, double end)
{
    if (is_needed(s)) {
        if (s->root->work->part == 0) SL_TRY(sl_sources_open_level(s, *dt));
        SL_TRY(sl_step_level(s, dt, end));
    } else {
        SL_TRY(sl_step_rest(s, end));
    }
    return s->finer ? follow(s, c, *dt) : SL_OK;
}

/* The parts of a step, each on all levels. */
static int advance_all(struct sl_sim *root, const struct sl_ratio *c, double *dt, double end)
{
    int n = sl_step_parts(root);
    double from = root->state.time;
    for (int i = 0; i < n; i++) {
        root->work->part = i;
        SL_TRY(advance(root, c, dt, i == n - 1 ? end : from + *dt * (i + 1) / n));
    }
    root->work->part = 0;
    for (struct sl_sim *s = root; s && n > 1; s = s->finer)
        s->began = from;
    return SL_OK;
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
    return root->sources->n > 0 ? sl_level_ghosts_cover(root) : SL_OK;
}

static int sources_close(struct sl_sim *root, double dt)
{
    SL_TRY(sl_sources_close(root, dt));
    if (sl_sources_reset_step(root)) SL_TRY(sl_step_reset(root));
    return root->sources->n > 0 ? sl_level_ghosts_cover(root) : SL_OK;
}

int sl_cycle_step(struct sl_sim *root, double until, bool *due)
{
    struct sl_ratio c = sl_ratio_of(root);
    double dt = sl_step_clip(root, root->state.dt, until);
    double end = dt == until - root->state.time ? until : root->state.time + dt;
    set_cleaning(root, &c);
    SL_TRY(sl_step_push(root));
    SL_TRY(sources_open(root, dt));
    SL_TRY(advance_all(root, &c, &dt, end));
    SL_TRY(count_corrected(root));
    SL_TRY(sources_close(root, dt));
    *due = sl_ratio_regrid_due(root, &c);
    sl_ratio_count(root, &c, *due);
    return SL_OK;
}
