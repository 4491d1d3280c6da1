/* start.c - see start.h. */
#include "core/run/start.h"

#include <stdlib.h>
#include <string.h>

#include "core/cell/relax.h"
#include "core/io/particle_file.h"
#include "core/mesh/hierarchy.h"
#include "core/particles/store.h"
#include "core/run/start_ct.h"
#include "core/run/start_walls.h"
#include "core/state/initial.h"
#include "core/state/problem.h"
#include "core/step/backend.h"
#include "core/step/level_ghosts.h"
#include "core/step/regrid.h"
#include "core/step/room.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- cells ----------------------------------------------------------------------------------- */

typedef int cell_fn(struct sl_state *state, int block, int k, int j, int i);

static int block_cells(struct sl_state *state, int b, cell_fn *f)
{
    const struct sl_mesh *m = state->mesh;
    for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
        for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
            for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++)
                SL_TRY(f(state, b, k, j, i));
    return SL_OK;
}

/* Calls f for every interior cell of the rank until one fails, but in blocks that are ready (NULL:
 * none is). */
static int each_cell(struct sl_state *state, const unsigned char *ready, cell_fn *f)
{
    for (int b = 0; b < state->mesh->nblock; b++)
        if (!ready || !ready[b]) SL_TRY(block_cells(state, b, f));
    return SL_OK;
}

static int set_cell(struct sl_state *state, int b, int k, int j, int i)
{
    double lo[3], hi[3], prim[SL_PRIM_MAX] = {0};
    sl_real value[SL_MAX_VAR];
    sl_mesh_cell(state->mesh, b, k, j, i, lo, hi);
    state->problem->state(state->problem_data, lo, hi, 0, prim);
    sl_state_cell(state, prim, value);
    for (int v = 0; v < state->layout.nvar; v++)
        state->u[sl_mesh_at(state->mesh, state->layout.nvar, b, v, k, j, i)] = value[v];
    return SL_OK;
}

/* A fill that leaves the entropy at zero gets it from the energy. */
static int check_cell(struct sl_state *state, int b, int k, int j, int i)
{
    const struct sl_layout *l = &state->layout;
    sl_real *u = state->u + sl_mesh_at(state->mesh, l->nvar, b, 0, k, j, i);
    size_t var = state->mesh->block_cells;
    struct sl_cons c = sl_gas_of(l, u, var);
    struct sl_prim w = sl_cons_to_prim(&state->gas, c);
    if (l->entropy >= 0) {
        sl_real *s = u + (size_t)l->entropy * var;
        if (!(*s > 0)) *s = sl_pressure_to_entropy(&state->gas, c.rho, w.p);
        if (c.rho > 0 && *s > 0) return SL_OK;
    }
    if (!sl_bad_state(&state->gas, c)) return SL_OK;
    double lo[3], hi[3];
    sl_mesh_cell(state->mesh, b, k, j, i, lo, hi);
    return SL_FAIL(SL_EINPUT,
                   "the initial state has density %g and pressure %g in the cell at (%g, %g, %g); "
                   "both must be positive",
                   (double)w.rho, (double)w.p, 0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]),
                   0.5 * (lo[2] + hi[2]));
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* A level from the problem, but for a field at faces. */
static int fill_level(struct sl_sim *sim, const unsigned char *ready)
{
    sim->work->newest = SL_NEWEST_HOST;
    SL_TRY(sl_sim_host(sim));
    struct sl_state *state = &sim->state;
    const struct sl_problem *p = state->problem;
    return p->fill ? p->fill(state->problem_data, state) : each_cell(state, ready, set_cell);
}

/* What a field at faces and walls need, and whether the state makes sense. */
static int finish_level(struct sl_sim *sim, const unsigned char *ready)
{
    SL_TRY(sl_start_walls(&sim->state, 0));
    if (sim->state.layout.face >= 0) SL_TRY(sl_start_ct(sim));
    if (sim->state.layout.face >= 0) SL_TRY(sl_start_walls(&sim->state, 1));
    return sl_agree(sim->state.mesh->comm, each_cell(&sim->state, ready, check_cell));
}

static int start_level(struct sl_sim *sim, const unsigned char *ready)
{
    const struct sl_problem *p = sim->state.problem;
    if (sim->state.layout.nvar == 0)
        return p->fill ? p->fill(sim->state.problem_data, &sim->state) : SL_OK;
    SL_TRY(sl_agree(sim->state.mesh->comm, fill_level(sim, ready)));
    return finish_level(sim, ready);
}

/* ---- the first mesh -------------------------------------------------------------------------- */

/* A leaf of this rank. */
struct leaf {
    int64_t level, at[3];
};

struct leaves {
    struct leaf *leaf; /* owned */
    size_t n;
};

static struct leaf leaf_of(const struct sl_block *b)
{
    return (struct leaf){b->level, {b->at[0], b->at[1], b->at[2]}};
}

static int compare(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    for (int d = 0; d < 3; d++)
        if (x->at[d] != y->at[d]) return x->at[d] < y->at[d] ? -1 : 1;
    return 0;
}

static int leaves_list(const struct sl_state *root, struct leaves *out)
{
    size_t n = (size_t)sl_hierarchy_curve(root->hierarchy, NULL, NULL);
    out->n = 0;
    SL_TRY(sl_agree(root->mesh->comm, sl_alloc("leaves", n, sizeof *out->leaf, &out->leaf)));
    for (const struct sl_state *s = root; s; s = s->finer)
        for (int b = 0; b < s->mesh->nleaf; b++)
            out->leaf[out->n++] = leaf_of(&s->mesh->blocks[b]);
    qsort(out->leaf, out->n, sizeof *out->leaf, compare);
    return SL_OK;
}

/* Marks the blocks that have the state of the problem: leaves that were leaves of this rank before;
 * and covered ones, which get the means of finer ones. */
static void ready_mark(const struct sl_state *state, const struct leaves *before,
                       unsigned char *ready)
{
    const struct sl_mesh *m = state->mesh;
    memset(ready, 1, (size_t)m->nblock);
    for (int b = 0; b < m->nleaf; b++) {
        struct leaf leaf = leaf_of(&m->blocks[b]);
        ready[b] = bsearch(&leaf, before->leaf, before->n, sizeof leaf, compare) != NULL;
    }
}

/* Whether a level keeps to the bit what the problem gave it while the mesh changes: fields at faces
 * and the entropy are made anew. */
static bool keeps_start(const struct sl_state *state)
{
    return state->layout.magnetic < 0 && state->layout.entropy < 0;
}

static int refill_level(struct sl_sim *sim, const struct leaves *before)
{
    unsigned char *ready = NULL;
    size_t n = (size_t)sim->state.mesh->nblock;
    if (!keeps_start(&sim->state)) return start_level(sim, NULL);
    SL_TRY(sl_agree(sim->state.mesh->comm, sl_alloc("blocks that are ready", n, 1, &ready)));
    ready_mark(&sim->state, before, ready);
    int code = start_level(sim, ready);
    free(ready);
    return code;
}

/* Levels that what fills the root fills, too; finer ones have come of them. */
static int refill_from_fill(struct sl_sim *root)
{
    const struct sl_problem *p = root->state.problem;
    if (root->state.layout.face >= 0) SL_TRY(sl_sim_ghosts(root));
    for (struct sl_sim *s = root->finer; s && p->fills; s = s->finer) {
        bool fills = false;
        int code = p->fills(s->state.problem_data, &s->state, &fills);
        SL_TRY(sl_agree(root->state.mesh->comm, code));
        if (fills) SL_TRY(start_level(s, NULL));
    }
    return SL_OK;
}

/* before: leaves of the mesh that came first. */
static int refill_levels(struct sl_sim *root, const struct leaves *before)
{
    if (root->state.problem->fill && !root->state.problem->fills) return SL_OK;
    SL_TRY(sl_sim_pull(root));
    if (root->state.problem->fill) return refill_from_fill(root);
    for (struct sl_sim *s = root; s; s = s->finer)
        SL_TRY(refill_level(s, before));
    return SL_OK;
}

static int refine_once(struct sl_sim *root, int *changed)
{
    struct leaves before = {NULL, 0};
    SL_TRY(leaves_list(&root->state, &before));
    int code = sl_regrid(root, changed);
    if (code == SL_OK && root->state.regrid_due) code = sl_room_refusal(root);
    if (code == SL_OK && *changed) code = refill_levels(root, &before);
    free(before.leaf);
    SL_TRY(code);
    if (!*changed) return SL_OK;
    SL_TRY(sl_step_push(root));
    return sl_level_ghosts_cover(root);
}

/* The mesh is refined until its levels are those that the start asks for: each pass adds one. A
 * problem that gives the state of any cell gives it on all levels, one that fills a grid on the
 * root and on what levels it has. */
static int start_levels(struct sl_sim *root)
{
    int changed = 1;
    SL_TRY(sl_step_signals(root));
    for (int64_t pass = 0; changed && pass <= root->state.cfg->mesh_levels + 1; pass++)
        SL_TRY(refine_once(root, &changed));
    return SL_OK;
}

static int start_particles(struct sl_state *s)
{
    struct sl_particles *p = s->particles;
    if (!p) return SL_OK;
    p->n = 0;
    if (s->problem->particles)
        SL_TRY(s->problem->particles(s->problem_data, s));
    else
        SL_TRY(sl_particle_file_read(s->cfg->particles_file, p));
    SL_TRY(sl_particles_settle(p));
    SL_CHECK(p->all > 0, SL_EINPUT, "there is no particle to begin with");
    return SL_OK;
}

int sl_sim_start_root(struct sl_sim *sim)
{
    struct sl_state *s = &sim->state;
    s->time = sim->began = 0;
    SL_TRY(start_level(sim, NULL));
    SL_TRY(start_particles(s));
    s->step = s->cells_repaired = s->cells_floored = s->floored_last = 0;
    s->next_snapshot = s->next_history = 0;
    return SL_OK;
}

int sl_sim_start(struct sl_sim *sim)
{
    SL_TRY(sl_sim_start_root(sim));
    if (sim->state.cfg->mesh_levels > 0) SL_TRY(start_levels(sim));
    const struct sl_problem *p = sim->state.problem;
    if (p->filled) p->filled(sim->state.problem_data);
    return sl_sim_dt(sim);
}
