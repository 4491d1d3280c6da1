/* nest_faces.c - finds the jobs between levels that fields on faces need; see nest.h.
 *
 * All jobs of a coarse leaf follow from the blocks around it, so that the ranks at both ends find
 * the same ones and number them alike. */
#include <stdlib.h>

#include "core/cell/edge.h"
#include "core/mesh/exchange.h"
#include "core/mesh/job.h"
#include "core/mesh/nest_make.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* A level and the next coarser one. */
struct pair {
    const struct sl_mesh *coarse_mesh, *fine_mesh;
    const struct sl_level *coarse, *fine;
    struct sl_jobs jobs; /* owned; of one kind at a time */
};

/* ---- rim ------------------------------------------------------------------------------------ */

/* Faces of a layer across an axis of the ghost cells in direction dir. */
static size_t layer_faces(const struct sl_mesh *m, int dir, int axis)
{
    size_t faces = 1;
    for (int a = 0; a < 3; a++)
        if (a != axis) faces *= (size_t)(sl_shift_of(dir, a) ? m->g[a] : m->n[a]);
    return faces;
}

static int rim_add(struct pair *p, int from, int to, int dir, int axis)
{
    struct sl_job job = sl_job_between(p->fine, from, p->fine, to);
    job.key = ((int64_t)to * SL_NDIR + dir) * 3 + axis;
    job.what = dir * 3 + axis;
    job.values = layer_faces(p->fine_mesh, dir, axis);
    return sl_jobs_add(&p->jobs, &job);
}

/* Key of the block of the finer level beside one; -1: none, -2: outside the box. */
static int beside(const struct pair *p, const struct sl_block *b, int dir)
{
    return p->fine->near[p->fine->place[b->key]][dir];
}

/* What the ghost cells of a leaf of this rank get from others. */
static int rim_take(struct pair *p, const struct sl_block *b)
{
    for (int dir = 0; dir < SL_NDIR; dir++) {
        if (!sl_is_neighbour(dir, p->fine_mesh->dim) || beside(p, b, dir) != -1) continue;
        for (int a = 0; a < p->fine_mesh->dim; a++) {
            int below = dir - sl_dir_step(a);
            if (sl_shift_of(dir, a) < 0 || below == SL_DIR_HERE) continue;
            int from = beside(p, b, below);
            if (from >= 0) SL_TRY(rim_add(p, from, (int)b->key, dir, a));
        }
    }
    return SL_OK;
}

/* What a leaf of this rank gives to other ranks. */
static int rim_give(struct pair *p, const struct sl_block *b)
{
    for (int a = 0; a < p->fine_mesh->dim; a++) {
        if (beside(p, b, sl_dir_across(a, 1)) != -1) continue;
        for (int dir = 0; dir < SL_NDIR; dir++) { /* as the other block sees this one */
            if (!sl_is_neighbour(dir, p->fine_mesh->dim) || sl_shift_of(dir, a) > 0) continue;
            int to = beside(p, b, sl_opposite(dir));
            if (to < 0 || p->fine->place[to] >= 0) continue;
            SL_TRY(rim_add(p, (int)b->key, to, dir + sl_dir_step(a), a));
        }
    }
    return SL_OK;
}

static int rim_list(struct pair *p, struct sl_nest *nest)
{
    const struct sl_mesh *m = p->fine_mesh;
    p->jobs.n = 0;
    for (int b = 0; b < m->nleaf; b++) {
        SL_TRY(rim_take(p, &m->blocks[b]));
        if (m->size > 1) SL_TRY(rim_give(p, &m->blocks[b]));
    }
    SL_TRY(sl_jobs_sort(&p->jobs, 0, &nest->rim_out, &nest->rim_in));
    SL_TRY(
        sl_alloc("jobs at the edge of a level", (size_t)p->jobs.n, sizeof *nest->rim, &nest->rim));
    for (int i = 0; i < 3; i++)
        nest->nrim[i] = p->jobs.count[i];
    for (int i = 0; i < p->jobs.n; i++) {
        const struct sl_job *j = &p->jobs.job[i];
        nest->rim[i] = (struct sl_rim_job){j->from, j->to, j->what / 3, j->what % 3, j->start};
    }
    return SL_OK;
}

/* ---- edges of a coarse leaf ------------------------------------------------------------------ */

/* The jobs of one leaf; `number` counts all of them, also those of other ranks. */
struct corner {
    struct pair *p;
    int coarse; /* its key */
    int number;
};

enum {
    LEAF_JOBS = 128
}; /* more than a leaf has: six sides of four blocks and two axes, twelve edges of two halves */

/* Key of the child of the covered block in direction dir; -1: no such block. child: bit per axis.
 * */
static int finer_in(const struct corner *c, int dir, int child)
{
    const struct pair *p = c->p;
    const struct sl_leaf *leaf = &p->coarse->block[c->coarse];
    int64_t at[3];
    if (!sl_place_beside(p->coarse_mesh, leaf->level, leaf->at, dir, at)) return -1;
    int key = sl_level_find(p->coarse, leaf->level, at);
    return key < 0 || p->coarse->child[key] < 0 ? -1 : p->coarse->child[key] + child;
}

/* As a job travels through the list. */
static int edge_add(struct corner *c, int fine, const struct sl_edge_job *e)
{
    struct pair *p = c->p;
    struct sl_job job = sl_job_between(p->fine, fine, p->coarse, c->coarse);
    int cells = e->along < p->fine_mesh->dim ? p->fine_mesh->n[e->along] / 2 : 1;
    job.key = (int64_t)c->coarse * LEAF_JOBS + c->number++;
    if (job.from < 0 && job.to < 0) return SL_OK;
    job.what = e->axis + 3 * (e->along + 3 * (e->coarse_upper + 2 * (e->fine_upper + 2 * e->half)));
    job.from_side = e->fine_line;
    job.to_side = e->coarse_line;
    job.edges = e->lines;
    job.values = (size_t)e->lines * (size_t)cells;
    return sl_jobs_add(&p->jobs, &job);
}

static struct sl_edge_job edge_of(const struct sl_job *j)
{
    struct sl_edge_job e = {.coarse = j->to, .fine = j->from, .start = j->start};
    e.axis = j->what % 3;
    e.along = j->what / 3 % 3;
    e.coarse_upper = j->what / 9 % 2;
    e.fine_upper = j->what / 18 % 2;
    e.half = j->what / 36;
    e.coarse_line = j->to_side;
    e.fine_line = j->from_side;
    e.lines = j->edges;
    return e;
}

/* Lines within a side of the leaf, but for its first and last one, that lie on a finer block behind
 * it; that in the middle belongs to the lower half. */
static int side_add(struct corner *c, int axis, int upper, int along, int child)
{
    const struct sl_mesh *m = c->p->fine_mesh;
    int line = 3 - axis - along, half = child >> line & 1, n = m->n[line];
    int fine = finer_in(c, sl_dir_across(axis, upper), child);
    struct sl_edge_job e = {.axis = axis,
                            .along = along,
                            .coarse_upper = upper,
                            .fine_upper = !upper,
                            .coarse_line = half ? n / 2 + 1 : 1,
                            .fine_line = 2,
                            .lines = half ? n / 2 - 1 : n / 2,
                            .half = child >> along & 1};
    return fine < 0 ? SL_OK : edge_add(c, fine, &e);
}

static int sides_add(struct corner *c)
{
    int dim = c->p->fine_mesh->dim;
    for (int side = 0; side < 2 * dim; side++)
        for (int child = 0; child < 1 << dim; child++) {
            if ((child >> side / 2 & 1) == side % 2) continue; /* its other half touches the leaf */
            for (int along = 0; along < 3; along++)
                if (sl_edge_is(dim, side / 2, along))
                    SL_TRY(side_add(c, side / 2, side % 2, along, child));
        }
    return SL_OK;
}

/* Half an edge of the leaf, across axes a and b at the sides up[0] and up[1], if a finer block in
 * the direction that leads across a (by & 1) and b (by & 2) touches it. *found: it does. */
static int corner_add(struct corner *c, const int axis[2], const int up[2], int along, int half,
                      int by, int *found)
{
    const struct sl_mesh *m = c->p->fine_mesh;
    int dir = SL_DIR_HERE, child = half << along, at[2];
    for (int i = 0; i < 2; i++) {
        int across = by >> i & 1;
        at[i] = across ? !up[i] : up[i]; /* the side of the finer block */
        if (across) dir += up[i] ? sl_dir_step(axis[i]) : -sl_dir_step(axis[i]);
        child |= at[i] << axis[i];
    }
    int fine = finer_in(c, dir, child), n = m->n[axis[1]];
    struct sl_edge_job e = {.axis = axis[0],
                            .along = along,
                            .coarse_upper = up[0],
                            .fine_upper = at[0],
                            .coarse_line = up[1] ? n : 0,
                            .fine_line = at[1] ? n : 0,
                            .lines = 1,
                            .half = half};
    *found = fine >= 0;
    return *found ? edge_add(c, fine, &e) : SL_OK;
}

static int corners_add(struct corner *c, int along)
{
    int dim = c->p->fine_mesh->dim;
    const int axis[2] = {along == 0, along == 2 ? 1 : 2};
    for (int i = 0; i < 4 * (along < dim ? 2 : 1); i++) {
        const int up[2] = {i & 1, i >> 1 & 1};
        int found = 0;
        for (int by = 1; by < 4 && !found; by++)
            SL_TRY(corner_add(c, axis, up, along, i >> 2, by, &found));
    }
    return SL_OK;
}

static int leaf_add(struct pair *p, int coarse)
{
    struct corner c = {p, coarse, 0};
    SL_TRY(sides_add(&c));
    for (int along = 0; along < 3; along++)
        if (sl_edge_is(p->fine_mesh->dim, along == 0, along)) SL_TRY(corners_add(&c, along));
    return SL_OK;
}

/* ---- which leaves ---------------------------------------------------------------------------- */

/* The coarse leaves of other ranks that a fine leaf of this rank touches, and that were not met. */
static int edges_beside(struct pair *p, const struct sl_block *b, signed char *met)
{
    for (int dir = 0; dir < SL_NDIR; dir++) {
        int64_t at[3];
        if (beside(p, b, dir) != SL_NEAR_COARSER) continue;
        sl_place_beside(p->fine_mesh, b->level, b->at, dir, at);
        for (int a = 0; a < 3; a++)
            at[a] >>= 1;
        int coarse = sl_level_find(p->coarse, b->level - 1, at);
        if (coarse < 0 || met[coarse] || p->coarse->place[coarse] >= 0) continue;
        met[coarse] = 1;
        SL_TRY(leaf_add(p, coarse));
    }
    return SL_OK;
}

static int edges_find(struct pair *p)
{
    signed char *met;
    int code = SL_OK;
    SL_TRY(sl_alloc("blocks met", (size_t)p->coarse->nblock, sizeof *met, &met));
    for (int b = 0; b < p->coarse_mesh->nleaf && code == SL_OK; b++)
        code = leaf_add(p, (int)p->coarse_mesh->blocks[b].key);
    for (int b = 0; b < p->fine_mesh->nleaf && code == SL_OK && p->fine_mesh->size > 1; b++)
        code = edges_beside(p, &p->fine_mesh->blocks[b], met);
    free(met);
    return code;
}

/* Lists the blocks of a mesh that have a job. */
static int kept_list(const struct pair *p, const struct sl_mesh *m, int fine, int **list,
                     int *count)
{
    signed char *met;
    *count = 0;
    SL_TRY(sl_alloc("blocks met", (size_t)m->nblock, sizeof *met, &met));
    int code = sl_alloc("blocks whose edges are kept", (size_t)m->nblock, sizeof **list, list);
    for (int i = 0; i < p->jobs.n && code == SL_OK; i++) {
        int block = fine ? p->jobs.job[i].from : p->jobs.job[i].to;
        if (block >= 0) met[block] = 1;
    }
    for (int b = 0; b < m->nblock && code == SL_OK; b++)
        if (met[b]) (*list)[(*count)++] = b;
    free(met);
    return code;
}

static int edge_list(struct pair *p, struct sl_nest *nest)
{
    p->jobs.n = 0;
    SL_TRY(edges_find(p));
    SL_TRY(sl_jobs_sort(&p->jobs, 0, &nest->edge_out, &nest->edge_in));
    SL_TRY(sl_alloc("jobs at edges", (size_t)p->jobs.n, sizeof *nest->edge, &nest->edge));
    for (int i = 0; i < 3; i++)
        nest->nedge[i] = p->jobs.count[i];
    for (int i = 0; i < p->jobs.n; i++)
        nest->edge[i] = edge_of(&p->jobs.job[i]);
    SL_TRY(kept_list(p, p->fine_mesh, 1, &nest->fine_edges, &nest->nfine_edges));
    return kept_list(p, p->coarse_mesh, 0, &nest->coarse_edges, &nest->ncoarse_edges);
}

int sl_nest_make_faces(const struct sl_mesh *coarse_mesh, const struct sl_level *coarse,
                       const struct sl_mesh *fine_mesh, const struct sl_level *fine,
                       struct sl_nest *nest)
{
    struct pair p = {coarse_mesh, fine_mesh, coarse, fine, {0}};
    int code = rim_list(&p, nest);
    if (code == SL_OK && fine_mesh->dim > 1) code = edge_list(&p, nest);
    free(p.jobs.job);
    return code;
}
