/* nest.c - see nest.h; finds the jobs between a level and the next coarser one.
 *
 * A leaf of the finer level without a neighbour in some direction lies beside an octant of a
 * coarser leaf. Each rank looks from its fine leaves at the coarse ones, and from the octants of
 * its coarse leaves back at the fine ones. */
#include "core/mesh/nest_make.h"

#include <stdlib.h>

#include "core/mesh/exchange.h"
#include "core/mesh/job.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* A level and the next coarser one. */
struct pair {
    const struct sl_mesh *coarse_mesh, *fine_mesh;
    const struct sl_level *coarse, *fine;
    int *coarse_side, *fine_side; /* owned; [6 leaf + face]: place in the list of sides, -1 */
    struct sl_jobs jobs;          /* owned; of one kind at a time */
};

/* ---- places ---------------------------------------------------------------------------------- */

static void place_of_parent(const int64_t at[3], int64_t parent[3])
{
    for (int a = 0; a < 3; a++)
        parent[a] = at[a] >> 1;
}

static void half_of(const struct pair *p, const int64_t at[3], int half[3])
{
    for (int a = 0; a < 3; a++)
        half[a] = a < p->fine_mesh->dim ? (int)(at[a] & 1) : 0;
}

static void place_of_child(const struct pair *p, const int64_t at[3], int child, int64_t out[3])
{
    for (int a = 0; a < 3; a++)
        out[a] = a < p->fine_mesh->dim ? 2 * at[a] + (child >> a & 1) : at[a];
}

/* Of a place of the fine level. */
static int edges_of(const struct sl_mesh *m, const int64_t at[3])
{
    signed char at_edge[6];
    sl_place_edges(m, m->level, at, at_edge);
    return sl_upper_edges(at_edge);
}

/* Values of half a block along all axes but one. */
static size_t half_values(const struct sl_mesh *m, int but)
{
    size_t values = 1;
    for (int a = 0; a < m->dim; a++)
        if (a != but) values *= (size_t)m->n[a] / 2;
    return values;
}

static int face_dir(int face)
{
    return sl_dir_across(face / 2, face % 2);
}

/* ---- ghost cells ----------------------------------------------------------------------------- */

/* Ghosts of fine block `fine` in direction dir, where coarse leaf `coarse` lies: `at` on the finer
 * level. */
static int prolong_add(struct pair *p, int fine, int dir, int coarse, const int64_t at[3])
{
    struct sl_job job = sl_job_between(p->coarse, coarse, p->fine, fine);
    job.key = (int64_t)fine * SL_NDIR + dir;
    job.what = dir;
    half_of(p, at, job.half);
    job.edges = edges_of(p->fine_mesh, p->fine->block[fine].at);
    job.values = p->fine_mesh->exchange->edge[job.edges].to[dir].cells;
    return sl_jobs_add(&p->jobs, &job);
}

/* What a fine leaf of this rank needs. */
static int prolong_fine(struct pair *p, int block)
{
    const struct sl_block *b = &p->fine_mesh->blocks[block];
    for (int dir = 0; dir < SL_NDIR; dir++) {
        int64_t at[3], parent[3];
        if (p->fine->near[block][dir] != SL_NEAR_COARSER) continue;
        sl_place_beside(p->fine_mesh, b->level, b->at, dir, at);
        place_of_parent(at, parent);
        int coarse = sl_level_find(p->coarse, b->level - 1, parent);
        SL_CHECK(coarse >= 0, SL_EINPUT,
                 "blocks that touch differ by more than a level: level %d, (%lld, %lld, %lld)",
                 b->level, (long long)b->at[0], (long long)b->at[1], (long long)b->at[2]);
        SL_TRY(prolong_add(p, (int)b->key, dir, coarse, at));
    }
    return SL_OK;
}

/* Whether a leaf touches a covered block that has children on other ranks. */
static bool near_others(const struct pair *p, int block)
{
    for (int dir = 0; dir < SL_NDIR; dir++) {
        int key = p->coarse->near[block][dir], first = key >= 0 ? p->coarse->child[key] : -1;
        for (int child = 0; first >= 0 && child < 1 << p->fine_mesh->dim; child++)
            if (p->fine->place[first + child] < 0) return true;
    }
    return false;
}

/* What the fine leaves of other ranks need of a coarse leaf of this rank. */
static int prolong_coarse(struct pair *p, int block)
{
    const struct sl_block *b = &p->coarse_mesh->blocks[block];
    if (!near_others(p, block)) return SL_OK;
    for (int child = 0; child < 1 << p->fine_mesh->dim; child++)
        for (int dir = 0; dir < SL_NDIR; dir++) {
            int64_t at[3], other[3];
            if (!sl_is_neighbour(dir, p->fine_mesh->dim)) continue;
            place_of_child(p, b->at, child, at);
            if (!sl_place_beside(p->fine_mesh, b->level + 1, at, sl_opposite(dir), other)) continue;
            int fine = sl_level_find(p->fine, b->level + 1, other);
            if (fine < 0 || p->fine->place[fine] >= 0) continue;
            SL_TRY(prolong_add(p, fine, dir, (int)b->key, at));
        }
    return SL_OK;
}

static int prolong_find(struct pair *p)
{
    for (int b = 0; b < p->fine_mesh->nleaf; b++)
        SL_TRY(prolong_fine(p, b));
    for (int b = 0; b < p->coarse_mesh->nleaf && p->coarse_mesh->size > 1; b++)
        SL_TRY(prolong_coarse(p, b));
    return SL_OK;
}

/* ---- covered blocks -------------------------------------------------------------------------- */

static int cover_add(struct pair *p, int coarse, int fine)
{
    struct sl_job job = sl_job_between(p->fine, fine, p->coarse, coarse);
    job.key = fine;
    half_of(p, p->fine->block[fine].at, job.half);
    job.values = half_values(p->fine_mesh, -1);
    return sl_jobs_add(&p->jobs, &job);
}

static int cover_find(struct pair *p)
{
    for (int coarse = 0; coarse < p->coarse->nblock; coarse++) {
        int fine = p->coarse->child[coarse], end = fine + (1 << p->fine_mesh->dim);
        for (; fine >= 0 && fine < end; fine++)
            if (p->fine->place[fine] >= 0 || p->coarse->place[coarse] >= 0)
                SL_TRY(cover_add(p, coarse, fine));
    }
    return SL_OK;
}

/* ---- fluxes ---------------------------------------------------------------------------------- */

static bool is_fine_side(const struct pair *p, int block, int face)
{
    return p->fine->near[block][face_dir(face)] == SL_NEAR_COARSER;
}

static bool is_coarse_side(const struct pair *p, int block, int face)
{
    int key = p->coarse->near[block][face_dir(face)];
    return key >= 0 && p->coarse->child[key] >= 0;
}

/* Lists the sides of the leaves of a mesh, and where each is in the list. */
static int sides_make(const struct pair *p, const struct sl_mesh *m,
                      bool (*is_side)(const struct pair *, int, int), int **number,
                      struct sl_flux_register_side **out, int *count)
{
    int faces = 2 * m->dim, n = 0;
    int *place;
    SL_TRY(sl_alloc("sides of blocks", 6 * (size_t)m->nleaf, sizeof *place, &place));
    *number = place;
    for (int b = 0; b < m->nleaf; b++)
        for (int face = 0; face < faces; face++)
            place[6 * b + face] = is_side(p, b, face) ? n++ : -1;
    SL_TRY(sl_alloc("sides of blocks", (size_t)n, sizeof **out, out));
    *count = n;
    for (int b = 0; b < m->nleaf; b++)
        for (int face = 0; face < faces; face++)
            if (place[6 * b + face] >= 0)
                (*out)[place[6 * b + face]] =
                    (struct sl_flux_register_side){.block = b, .axis = face / 2, .upper = face % 2};
    return SL_OK;
}

/* Face of leaf `coarse`, behind which lies `fine`. */
static int reflux_add(struct pair *p, int coarse, int face, int fine)
{
    struct sl_job job = sl_job_between(p->fine, fine, p->coarse, coarse);
    job.key = (int64_t)fine * 6 + face;
    job.what = face;
    half_of(p, p->fine->block[fine].at, job.half);
    job.half[face / 2] = 0;
    job.values = half_values(p->fine_mesh, face / 2);
    if (job.from >= 0) job.from_side = p->fine_side[6 * job.from + (face ^ 1)];
    if (job.to >= 0) job.to_side = p->coarse_side[6 * job.to + face];
    return sl_jobs_add(&p->jobs, &job);
}

/* The fine blocks behind a side of a coarse leaf of this rank. */
static int reflux_coarse(struct pair *p, int block, int face)
{
    int beside = p->coarse->near[block][face_dir(face)], first = p->coarse->child[beside];
    for (int child = 0; child < 1 << p->fine_mesh->dim; child++) {
        if ((child >> face / 2 & 1) == face % 2) continue; /* its other half touches the leaf */
        SL_TRY(reflux_add(p, (int)p->coarse_mesh->blocks[block].key, face, first + child));
    }
    return SL_OK;
}

/* The coarse leaf at a side of a fine leaf of this rank, if it lies on another rank. */
static int reflux_fine(struct pair *p, const struct sl_block *b, int face)
{
    int64_t at[3], parent[3];
    sl_place_beside(p->fine_mesh, b->level, b->at, face_dir(face), at);
    place_of_parent(at, parent);
    int coarse = sl_level_find(p->coarse, b->level - 1, parent);
    return p->coarse->place[coarse] >= 0 ? SL_OK : reflux_add(p, coarse, face ^ 1, (int)b->key);
}

static int reflux_find(struct pair *p)
{
    const struct sl_mesh *fine = p->fine_mesh, *coarse = p->coarse_mesh;
    for (int i = 0; i < 6 * coarse->nleaf; i++)
        if (i % 6 < 2 * coarse->dim && p->coarse_side[i] >= 0)
            SL_TRY(reflux_coarse(p, i / 6, i % 6));
    for (int i = 0; i < 6 * fine->nleaf && fine->size > 1; i++)
        if (i % 6 < 2 * fine->dim && p->fine_side[i] >= 0)
            SL_TRY(reflux_fine(p, &fine->blocks[i / 6], i % 6));
    return SL_OK;
}

/* ---- the lists ------------------------------------------------------------------------------- */

static int prolong_list(struct pair *p, struct sl_nest *nest)
{
    p->jobs.n = 0;
    SL_TRY(prolong_find(p));
    SL_TRY(sl_jobs_sort(&p->jobs, 0, &nest->prolong_out, &nest->prolong_in));
    SL_TRY(sl_alloc("prolongation jobs", (size_t)p->jobs.n, sizeof *nest->prolong, &nest->prolong));
    for (int i = 0; i < 3; i++)
        nest->nprolong[i] = p->jobs.count[i];
    for (int i = 0; i < p->jobs.n; i++) {
        const struct sl_job *j = &p->jobs.job[i];
        nest->prolong[i] = (struct sl_prolong_job){.coarse = j->from,
                                                   .fine = j->to,
                                                   .dir = j->what,
                                                   .half = {j->half[0], j->half[1], j->half[2]},
                                                   .edges = j->edges,
                                                   .start = j->start};
    }
    return SL_OK;
}

static int cover_list(struct pair *p, struct sl_nest *nest)
{
    p->jobs.n = 0;
    SL_TRY(cover_find(p));
    SL_TRY(sl_jobs_sort(&p->jobs, 0, &nest->cover_out, &nest->cover_in));
    SL_TRY(sl_alloc("restriction jobs", (size_t)p->jobs.n, sizeof *nest->cover, &nest->cover));
    for (int i = 0; i < 3; i++)
        nest->ncover[i] = p->jobs.count[i];
    for (int i = 0; i < p->jobs.n; i++) {
        const struct sl_job *j = &p->jobs.job[i];
        nest->cover[i] = (struct sl_cover_job){.coarse = j->to,
                                               .fine = j->from,
                                               .half = {j->half[0], j->half[1], j->half[2]},
                                               .start = j->start};
    }
    return SL_OK;
}

static int reflux_list(struct pair *p, struct sl_nest *nest)
{
    p->jobs.n = 0;
    SL_TRY(sides_make(p, p->fine_mesh, is_fine_side, &p->fine_side, &nest->fine, &nest->nfine));
    SL_TRY(sides_make(p, p->coarse_mesh, is_coarse_side, &p->coarse_side, &nest->coarse,
                      &nest->ncoarse));
    SL_TRY(reflux_find(p));
    SL_TRY(sl_jobs_sort(&p->jobs, 0, &nest->reflux_out, &nest->reflux_in));
    SL_TRY(sl_alloc("reflux jobs", (size_t)p->jobs.n, sizeof *nest->reflux, &nest->reflux));
    for (int i = 0; i < 3; i++)
        nest->nreflux[i] = p->jobs.count[i];
    for (int i = 0; i < p->jobs.n; i++) {
        const struct sl_job *j = &p->jobs.job[i];
        nest->reflux[i] = (struct sl_reflux_job){.coarse = j->to,
                                                 .fine = j->from,
                                                 .axis = j->what / 2,
                                                 .upper = j->what % 2,
                                                 .half = {j->half[0], j->half[1], j->half[2]},
                                                 .coarse_side = j->to_side,
                                                 .fine_side = j->from_side,
                                                 .start = j->start};
    }
    return SL_OK;
}

int sl_nest_make(const struct sl_mesh *coarse_mesh, const struct sl_level *coarse,
                 const struct sl_mesh *fine_mesh, const struct sl_level *fine, struct sl_nest **out)
{
    struct pair p = {coarse_mesh, fine_mesh, coarse, fine, NULL, NULL, {0}};
    struct sl_nest *nest;
    SL_TRY(sl_alloc("nest of a level", 1, sizeof *nest, &nest));
    int code = prolong_list(&p, nest);
    if (code == SL_OK) code = cover_list(&p, nest);
    if (code == SL_OK) code = reflux_list(&p, nest);
    if (code == SL_OK && fine_mesh->spec.staggered)
        code = sl_nest_make_faces(coarse_mesh, coarse, fine_mesh, fine, nest);
    free(p.jobs.job);
    free(p.coarse_side);
    free(p.fine_side);
    if (code != SL_OK) {
        sl_nest_free(nest);
        return code;
    }
    *out = nest;
    return SL_OK;
}

void sl_nest_free(struct sl_nest *nest)
{
    if (!nest) return;
    free(nest->prolong);
    free(nest->cover);
    free(nest->reflux);
    free(nest->prolong_out.message);
    free(nest->prolong_in.message);
    free(nest->cover_out.message);
    free(nest->cover_in.message);
    free(nest->reflux_out.message);
    free(nest->reflux_in.message);
    free(nest->fine);
    free(nest->coarse);
    free(nest->rim);
    free(nest->edge);
    free(nest->rim_out.message);
    free(nest->rim_in.message);
    free(nest->edge_out.message);
    free(nest->edge_in.message);
    free(nest->fine_edges);
    free(nest->coarse_edges);
    free(nest);
}
