/* reflux.c - coarse cells beside finer ones get the fluxes of these; see nest.h.
 *
 * All corrections of a cell are made at once (core/cell/reflux.h): a table tells for each coarse
 * block which jobs lie at its faces. */
#include "core/cell/reflux.h"

#include <stdlib.h>
#include <string.h>

#include "core/cell/mass_flux.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/transfer/faces.h"
#include "core/transfer/flux_register.h"
#include "core/transfer/level_exchange.h"
#include "core/transfer/nest.h"
#include "core/transfer/register.h"

/* The jobs at the faces of a coarse block: [axis][upper][half along the earlier axis + 2 along the
 * later one], -1: none. */
struct faces {
    int job[3][2][4];
};

/* One call. */
struct reflux {
    struct sl_reflux body;
    const struct sl_mesh *mesh; /* of the coarse level */
    const struct sl_nest *nest;
    const sl_real *fine, *coarse, *got; /* registers; what other ranks sent */
    size_t nflow;
    struct faces *faces; /* of each block */
    sl_real *mass;       /* that went through the faces of the coarse level; NULL: not kept */
};

/* What the correction of a block counts, and what it has still to do. */
struct tally {
    struct sl_corrected count;
    int bad; /* a cell is left without density or pressure, or with no mixture of its scalars */
    int all; /* one may share with a whole row of the block, not with half of it alone */
};

/* ---- means of the finer fluxes, in a message ------------------------------------------------- */

static void side_make(const void *of, const void *of_job, sl_real *to)
{
    const struct reflux *r = of;
    const struct sl_reflux_job *job = of_job;
    const int *n = r->mesh->n;
    int t[2], half[2], dim = r->mesh->dim;
    sl_mesh_along(job->axis, t);
    for (int i = 0; i < 2; i++)
        half[i] = t[i] < dim ? n[t[i]] / 2 : 1;
    ptrdiff_t step[3] = {1, n[t[0]], 0};
    size_t var = sl_flux_register_faces(n, job->axis);
    for (size_t v = 0; v < r->nflow; v++)
        for (int j = 0; j < half[1]; j++)
            for (int i = 0; i < half[0]; i++) {
                const sl_real *from =
                    r->fine + r->nest->fine[job->fine_side].start + 2 * j * step[1] + 2 * i;
                *to++ = r->body.lifts && (int)v == r->body.layout.energy
                            ? sl_reflux_energy(&r->body, job->axis, dim - 1, from, var, step)
                            : sl_restrict(dim - 1, from + v * var, step);
            }
}

/* ---- correction ------------------------------------------------------------------------------ */

static void faces_find(const struct sl_nest *nest, int nblock, struct faces *faces)
{
    int local = nest->nreflux[0], out = local + nest->nreflux[1], in = out + nest->nreflux[2];
    memset(faces, -1, (size_t)nblock * sizeof *faces);
    for (int i = 0; i < in; i++) {
        const struct sl_reflux_job *job = &nest->reflux[i];
        int t[2];
        if (i >= local && i < out) continue;
        sl_mesh_along(job->axis, t);
        faces[job->coarse].job[job->axis][job->upper][job->half[t[0]] + 2 * job->half[t[1]]] = i;
    }
}

/* The job beyond cell c (0 is the first interior one) along an axis, -1: none. */
static int job_at(const struct reflux *r, const struct faces *faces, int axis, const int c[3])
{
    const int *n = r->mesh->n;
    int t[2], half = 0;
    if (c[axis] != 0 && c[axis] != n[axis] - 1) return -1;
    sl_mesh_along(axis, t);
    for (int i = 0; i < 2; i++)
        if (t[i] < r->mesh->dim && c[t[i]] >= n[t[i]] / 2) half += 1 << i;
    return faces->job[axis][c[axis] != 0][half];
}

/* What lies at the face of cell c across the axis of a job. */
static struct sl_reflux_face face_of(const struct reflux *r, int index, const int c[3], double dx)
{
    const struct sl_reflux_job *job = &r->nest->reflux[index];
    const int *n = r->mesh->n;
    int t[2], dim = r->mesh->dim, here = job->fine >= 0;
    sl_mesh_along(job->axis, t);
    size_t half = t[0] < dim ? (size_t)n[t[0]] / 2 : 1, whole = (size_t)n[t[0]];
    size_t i = (size_t)c[t[0]], j = (size_t)c[t[1]];
    size_t a = i - (size_t)job->half[t[0]] * half;
    size_t b = t[1] < dim ? j - (size_t)job->half[t[1]] * ((size_t)n[t[1]] / 2) : 0;
    struct sl_reflux_face f = {.per_dx = (sl_real)(job->upper ? 1 / dx : -1 / dx)};
    f.coarse = r->coarse + r->nest->coarse[job->coarse_side].start + j * whole + i;
    f.coarse_var = sl_flux_register_faces(n, job->axis);
    if (here) {
        f.fine = r->fine + r->nest->fine[job->fine_side].start + 2 * b * whole + 2 * a;
        f.fine_var = f.coarse_var;
        f.fine_dim = dim - 1;
        f.fine_step[0] = 1;
        f.fine_step[1] = (ptrdiff_t)whole;
    } else {
        f.fine = r->got + job->start * r->nflow + b * half + a;
        f.fine_var = half * (t[1] < dim ? (size_t)n[t[1]] / 2 : 1);
    }
    return f;
}

/* The mass that went through the face of c across an axis becomes that of the finer faces in it. */
static void match_mass(const struct reflux *r, int block, int axis, const int c[3],
                       const struct sl_reflux_face *f)
{
    int at[3] = {c[0], c[1], c[2]};
    if (!r->mass) return;
    at[axis] += f->per_dx > 0;
    r->mass[sl_mass_flux_at(r->mesh->dim, r->mesh->n, (size_t)block, axis, at[2], at[1], at[0])] +=
        sl_restrict(f->fine_dim, f->fine, f->fine_step) - f->coarse[0];
}

static sl_real *cell_at(const struct reflux *r, int block, const int c[3], sl_real *u)
{
    const int *g = r->mesh->g;
    return u + sl_mesh_at(r->mesh, r->body.layout.nvar, block, 0, c[2] + g[2], c[1] + g[1],
                          c[0] + g[0]);
}

/* Does one thing to a cell that lies beside finer ones across `axis`. */
typedef void visit_fn(const struct reflux *r, int block, int axis, const int c[3], sl_real *u,
                      struct tally *tally);

/* Corrects a cell, unless it was done for an earlier axis. */
static void correct_cell(const struct reflux *r, int block, int axis, const int c[3], sl_real *u,
                         struct tally *tally)
{
    struct sl_reflux_face face[3];
    for (int a = 0; a < r->mesh->dim; a++) {
        int job = job_at(r, &r->faces[block], a, c);
        if (job >= 0 && a < axis) return;
        if (job < 0)
            face[a] = (struct sl_reflux_face){.per_dx = 0};
        else
            face[a] = face_of(r, job, c, r->mesh->blocks[block].dx[a]);
        if (job >= 0) match_mass(r, block, a, c, &face[a]);
    }
    enum sl_reflux_result got = sl_reflux_cell(&r->body, face, cell_at(r, block, c, u));
    tally->bad |= got == SL_REFLUX_BAD;
    tally->count.floored += got == SL_REFLUX_LEFT;
}

/* From a cell beside finer ones to the next behind it. */
static ptrdiff_t back_of(const struct reflux *r, int axis, const int c[3])
{
    return c[axis] == 0 ? r->body.step[axis] : -r->body.step[axis];
}

static void mend_cell(const struct reflux *r, int block, int axis, const int c[3], sl_real *u,
                      struct tally *tally)
{
    sl_real *cell = cell_at(r, block, c, u);
    ptrdiff_t back = back_of(r, axis, c);
    int most = tally->all ? r->mesh->n[axis] : r->mesh->n[axis] / 2;
    if (sl_reflux_is_bad(&r->body, cell))
        tally->count.repaired += sl_reflux_mend(&r->body, axis, back, most, cell) > 0;
    sl_reflux_mix(&r->body, back, most, cell);
}

static void raise_cell(const struct reflux *r, int block, int axis, const int c[3], sl_real *u,
                       struct tally *tally)
{
    sl_real *cell = cell_at(r, block, c, u);
    if (!sl_reflux_is_bad(&r->body, cell)) return;
    sl_reflux_raise(&r->body, back_of(r, axis, c), cell);
    tally->count.floored++;
}

static int has_job(const int job[4])
{
    return job[0] >= 0 || job[1] >= 0 || job[2] >= 0 || job[3] >= 0;
}

static void each_cell(const struct reflux *r, int block, visit_fn *visit, sl_real *u,
                      struct tally *tally)
{
    for (int axis = 0; axis < r->mesh->dim; axis++)
        for (int upper = 0; upper < 2; upper++) {
            int t[2], c[3];
            if (!has_job(r->faces[block].job[axis][upper])) continue;
            sl_mesh_along(axis, t);
            c[axis] = upper ? r->mesh->n[axis] - 1 : 0;
            for (c[t[1]] = 0; c[t[1]] < r->mesh->n[t[1]]; c[t[1]]++)
                for (c[t[0]] = 0; c[t[0]] < r->mesh->n[t[0]]; c[t[0]]++)
                    if (job_at(r, &r->faces[block], axis, c) >= 0)
                        visit(r, block, axis, c, u, tally);
        }
}

static struct sl_corrected correct_block(const struct reflux *r, int block, sl_real *u)
{
    struct tally tally = {0};
    each_cell(r, block, correct_cell, u, &tally);
    if (tally.bad) {
        each_cell(r, block, mend_cell, u, &tally);
        tally.all = 1;
        each_cell(r, block, mend_cell, u, &tally);
        each_cell(r, block, raise_cell, u, &tally);
    }
    return tally.count;
}

static int correct(struct reflux *r, sl_real *u, struct sl_corrected *count)
{
    if (r->nest->nreflux[0] + r->nest->nreflux[2] == 0) return SL_OK;
    SL_TRY(sl_alloc("faces of finer blocks", (size_t)r->mesh->nblock, sizeof *r->faces, &r->faces));
    faces_find(r->nest, r->mesh->nblock, r->faces);
    for (int b = 0; b < r->mesh->nblock; b++) {
        struct sl_corrected one = correct_block(r, b, u);
        count->repaired += one.repaired;
        count->floored += one.floored;
    }
    free(r->faces);
    return SL_OK;
}

/* ---- the call -------------------------------------------------------------------------------- */

static struct reflux reflux_of(const struct sl_transfer_level *coarse,
                               const struct sl_transfer_level *fine)
{
    const struct sl_nest *nest = fine->nest;
    struct reflux r = {.mesh = coarse->mesh, .nest = nest, .nflow = (size_t)fine->layout.nflow};
    r.body = (struct sl_reflux){.gas = coarse->gas,
                                .layout = coarse->layout,
                                .dim = coarse->mesh->dim,
                                .dual_eta = coarse->scheme->dual_eta,
                                .stride = coarse->mesh->block_cells,
                                .step = {1, coarse->mesh->step[1], coarse->mesh->step[2]}};
    r.body.lifts = sl_nest_work(coarse, r.body.work);
    r.mass = coarse->mass;
    if (nest->nfine > 0) r.fine = sl_register_fine(fine->fluxes);
    if (nest->ncoarse > 0) r.coarse = sl_register_coarse(coarse->fluxes);
    return r;
}

int sl_nest_reflux(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine,
                   struct sl_corrected *count)
{
    const struct sl_nest *nest = fine->nest;
    struct reflux r = reflux_of(coarse, fine);
    const struct sl_level_exchange x = {SL_TAG_REFLUX, SL_LEVEL_JOBS(nest, reflux), &r, side_make,
                                        .each = r.nflow};
    if (fine->layout.face >= 0) SL_TRY(sl_faces_reflux(coarse, fine));
    SL_TRY(sl_level_exchange_run(&x, fine->mesh->comm, fine->buffers));
    r.got = sl_level_exchange_got(*fine->buffers);
    SL_TRY(correct(&r, coarse->now, count));
    if (fine->layout.face >= 0) sl_faces_reflux_centre(coarse, fine);
    return SL_OK;
}
