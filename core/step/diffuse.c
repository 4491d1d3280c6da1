/* diffuse.c - see diffuse.h. Fluxes at the surface of a block are made by the blocks on both sides,
 * with the same bits. */
#include "core/step/diffuse.h"

#include <stdlib.h>
#include <string.h>

#include "core/step/backend.h"
#include "core/step/work.h"
#include "core/sweep/lanes.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct sl_diffuse_room {
    struct sl_diffuse_list list;
    sl_real *first, *rate; /* owned; [block][list][cell], of the first state */
    sl_real *reads;        /* owned; of a block */
    sl_real *fluxes;       /* owned; struct fluxes */
    sl_real *change;       /* owned; of a row */
};

/* ---- making --------------------------------------------------------------------------------- */

struct sl_diffuse sl_diffuse_of(const struct sl_sim *sim, const struct sl_diffuse_stage *s)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct sl_diffuse p = {.nu = (sl_real)s->nu,
                           .kappa = (sl_real)s->kappa,
                           .eta = (sl_real)s->eta,
                           .dim = m->dim,
                           .energy = sim->state.layout.energy >= 0,
                           .magnetic = sim->state.layout.magnetic >= 0,
                           .faces = sim->state.layout.face >= 0,
                           .resists = s->eta > 0,
                           .var = m->block_cells,
                           .step = {1, m->step[1], m->step[2]}};
    for (int d = 0; d < m->dim && m->nblock > 0; d++)
        p.per_dx[d] = (sl_real)(1 / m->blocks[0].dx[d]);
    return p;
}

void sl_diffuse_free(struct sl_diffuse_room *room)
{
    if (!room) return;
    free(room->first);
    free(room->rate);
    free(room->reads);
    free(room->fluxes);
    free(room->change);
    free(room);
}

static int make_room(struct sl_sim *sim, const struct sl_diffuse_stage *stage)
{
    struct sl_diffuse_room *r = sim->work->diffuse;
    const struct sl_mesh *m = sim->state.mesh;
    if (r) return SL_OK;
    r = sim->work->diffuse = calloc(1, sizeof *r);
    SL_CHECK(r, SL_EMEM, "no memory for diffusion");
    struct sl_diffuse p = sl_diffuse_of(sim, stage);
    r->list = sl_diffuse_list_of(&p, &sim->state.layout);
    r->first = sl_field_new(sl_mesh_size(m, r->list.n) + 1);
    r->rate = sl_field_new(sl_mesh_size(m, r->list.n) + 1);
    r->reads = sl_field_new(SL_DIFFUSE_READS * m->block_cells);
    r->fluxes = sl_field_new((3 + 2 * (size_t)m->n[1]) * SL_DIFFUSE_CHANGES * (size_t)m->nt[0]);
    r->change = sl_field_new((size_t)m->nt[0]);
    SL_CHECK(r->first && r->rate && r->reads && r->fluxes && r->change, SL_EMEM,
             "no memory for the diffusion of %d blocks", m->nblock);
    return SL_OK;
}

static void read_block(const struct sl_sim *sim, const struct sl_diffuse *p, const sl_real *u,
                       sl_real *q)
{
    const struct sl_gas gas = sim->state.gas;
    const struct sl_layout layout = sim->state.layout;
    int n = (int)p->var;
    SL_SIMD
    for (int i = 0; i < n; i++)
        sl_diffuse_read(p, &gas, &layout, u + i, p->var, q + i);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* What flows through the lower faces across d of n cells; the compiler knows what the gas has. */
ALWAYS_INLINE void fluxes(struct sl_diffuse p, int d, int n, size_t row, const sl_real *q,
                          sl_real *restrict out)
{
    SL_SIMD
    for (int i = 0; i < n; i++) {
        sl_real flux[SL_DIFFUSE_CHANGES];
        sl_diffuse_flux(&p, d, q + i, flux);
        for (int v = 0; v < SL_DIFFUSE_CHANGES; v++)
            out[(size_t)v * row + i] = flux[v];
    }
}

ALWAYS_INLINE void fluxes_along(const struct sl_diffuse *p, int dim, int d, int n, size_t row,
                                const sl_real *q, sl_real *out)
{
    struct sl_diffuse here = *p;
    here.dim = dim;
    if (p->resists) {
        fluxes(here, d, n, row, q, out);
        return;
    }
    here.resists = 0;
    here.energy = 1;
    if (p->energy) fluxes(here, d, n, row, q, out);
    here.energy = 0;
    if (!p->energy) fluxes(here, d, n, row, q, out);
}

static void fluxes_of(const struct sl_diffuse *p, int d, int n, size_t row, const sl_real *q,
                      sl_real *out)
{
    switch (p->dim * 3 + d) {
    case 3:
        fluxes_along(p, 1, 0, n, row, q, out);
        break;
    case 6:
        fluxes_along(p, 2, 0, n, row, q, out);
        break;
    case 7:
        fluxes_along(p, 2, 1, n, row, q, out);
        break;
    case 9:
        fluxes_along(p, 3, 0, n, row, q, out);
        break;
    case 10:
        fluxes_along(p, 3, 1, n, row, q, out);
        break;
    default:
        fluxes_along(p, 3, 2, n, row, q, out);
    }
}

static void curls(const struct sl_diffuse *p, int d, int n, const sl_real *q, sl_real *change)
{
    for (int i = 0; i < n; i++)
        change[i] = sl_diffuse_curl(p, d, q + i);
}

/* What a row of a variable gains by the fluxes through the faces at both sides across each axis. */
ALWAYS_INLINE void gain_along(int dim, int n, const sl_real per_dx[3], const sl_real *const low[3],
                              const sl_real *const high[3], sl_real *restrict out)
{
    const sl_real *x = low[0], *y = low[1], *z = low[2];
    const sl_real *next_x = high[0], *next_y = high[1], *next_z = high[2];
    sl_real by_x = per_dx[0], by_y = per_dx[1], by_z = per_dx[2];
    SL_SIMD
    for (int i = 0; i < n; i++) {
        sl_real part[3] = {(x[i] - next_x[i]) * by_x, 0, 0};
        if (dim > 1) part[1] = (y[i] - next_y[i]) * by_y;
        if (dim > 2) part[2] = (z[i] - next_z[i]) * by_z;
        out[i] = sl_sum_axes(dim, part);
    }
}

static void gain(const struct sl_diffuse *p, int n, const sl_real *const low[3],
                 const sl_real *const high[3], sl_real *out)
{
    if (p->dim == 1)
        gain_along(1, n, p->per_dx, low, high, out);
    else if (p->dim == 2)
        gain_along(2, n, p->per_dx, low, high, out);
    else
        gain_along(3, n, p->per_dx, low, high, out);
}

/* A row of a variable: that of the present state, of the next one, and what is kept of the
 * first. */
static void mix_row(const struct sl_diffuse_stage *s, int n, const sl_real *change,
                    const sl_real *now, sl_real *restrict next, sl_real *restrict first,
                    sl_real *restrict rate)
{
    const struct sl_diffuse_mix mix = s->mix;
    if (s->begin) {
        memcpy(first, now, (size_t)n * sizeof *first);
        memcpy(rate, change, (size_t)n * sizeof *rate);
    }
    SL_SIMD
    for (int i = 0; i < n; i++)
        next[i] = sl_diffuse_next(&mix, now[i], next[i], first[i], change[i], rate[i]);
}

/* ---- blocks --------------------------------------------------------------------------------- */

struct job {
    struct sl_sim *sim;
    const struct sl_diffuse_stage *stage;
    struct sl_diffuse_room *room;
    struct sl_diffuse p;
    int block;
};

static void mix(const struct job *w, int v, int n, size_t at, const sl_real *change)
{
    const struct sl_mesh *m = w->sim->state.mesh;
    const struct sl_step *work = w->sim->work;
    struct sl_diffuse_room *r = w->room;
    size_t kept = ((size_t)w->block * (size_t)r->list.n + (size_t)v) * m->block_cells + at;
    size_t u = sl_mesh_at(m, w->sim->state.layout.nvar, w->block, r->list.state[v], 0, 0, 0) + at;
    mix_row(w->stage, n, change, work->now + u, work->next + u, r->first + kept, r->rate + kept);
}

/* Fluxes of a row: through lower faces across x, one more than cells, and through those at both
 * sides across y and z. The upper ones are the lower ones of the next row, or plane. */
struct fluxes {
    size_t row;
    sl_real *x, *y[2], *z[2];
};

static void make_fluxes(const struct job *w, int k, int j, struct fluxes *f)
{
    const struct sl_mesh *m = w->sim->state.mesh;
    const struct sl_diffuse *p = &w->p;
    int n = m->n[0];
    size_t slab = SL_DIFFUSE_CHANGES * f->row;
    const sl_real *q = w->room->reads + sl_mesh_at(m, 1, 0, 0, k + m->g[2], j + m->g[1], m->g[0]);
    f->x = w->room->fluxes;
    f->y[0] = f->x + (size_t)(1 + j % 2) * slab;
    f->y[1] = f->x + (size_t)(2 - j % 2) * slab;
    f->z[0] = f->x + (size_t)(3 + 2 * j + k % 2) * slab;
    f->z[1] = f->x + (size_t)(3 + 2 * j + 1 - k % 2) * slab;
    fluxes_of(p, 0, n + 1, f->row, q, f->x);
    if (p->dim > 1 && j == 0) fluxes_of(p, 1, n, f->row, q, f->y[0]);
    if (p->dim > 1) fluxes_of(p, 1, n, f->row, q + p->step[1], f->y[1]);
    if (p->dim > 2 && k == 0) fluxes_of(p, 2, n, f->row, q, f->z[0]);
    if (p->dim > 2) fluxes_of(p, 2, n, f->row, q + p->step[2], f->z[1]);
}

static void cells(const struct job *w)
{
    const struct sl_mesh *m = w->sim->state.mesh;
    struct sl_diffuse_room *r = w->room;
    struct fluxes f = {.row = (size_t)m->nt[0]};
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++) {
            size_t at = sl_mesh_at(m, 1, 0, 0, k + m->g[2], j + m->g[1], m->g[0]);
            make_fluxes(w, k, j, &f);
            for (int v = 0; v < r->list.n; v++) {
                size_t of = (size_t)r->list.change[v] * f.row;
                if (r->list.face[v] >= 0) continue;
                gain(&w->p, m->n[0], (const sl_real *const[3]){f.x + of, f.y[0] + of, f.z[0] + of},
                     (const sl_real *const[3]){f.x + of + 1, f.y[1] + of, f.z[1] + of}, r->change);
                mix(w, v, m->n[0], at, r->change);
            }
        }
}

/* Faces across d, the upper ones of the last cells, too. */
static void faces(const struct job *w, int v)
{
    const struct sl_mesh *m = w->sim->state.mesh;
    int d = w->room->list.face[v], n[3] = {m->n[0], m->n[1], m->n[2]};
    n[d]++;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++) {
            size_t at = sl_mesh_at(m, 1, 0, 0, k + m->g[2], j + m->g[1], m->g[0]);
            curls(&w->p, d, n[0], w->room->reads + at, w->room->change);
            mix(w, v, n[0], at, w->room->change);
        }
}

/* The field in the cells of the next state follows that at its faces. */
static void centres(const struct job *w, int d)
{
    const struct sl_mesh *m = w->sim->state.mesh;
    const struct sl_layout *l = &w->sim->state.layout;
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++) {
            sl_real *at = w->sim->work->next +
                          sl_mesh_at(m, l->nvar, w->block, 0, k + m->g[2], j + m->g[1], m->g[0]);
            const sl_real *face = at + (size_t)(l->face + d) * w->p.var;
            sl_real *cell = at + (size_t)(l->magnetic + d) * w->p.var;
            for (int i = 0; i < m->n[0]; i++)
                cell[i] = (sl_real)0.5 * (face[i] + face[i + w->p.step[d]]);
        }
}

static void work_on(const struct job *w)
{
    const struct sl_mesh *m = w->sim->state.mesh;
    read_block(w->sim, &w->p,
               w->sim->work->now + sl_mesh_at(m, w->sim->state.layout.nvar, w->block, 0, 0, 0, 0),
               w->room->reads);
    cells(w);
    for (int v = 0; v < w->room->list.n; v++) {
        if (w->room->list.face[v] < 0) continue;
        faces(w, v);
        centres(w, w->room->list.face[v]);
    }
}

int sl_diffuse_blocks(struct sl_sim *sim, const struct sl_diffuse_stage *stage)
{
    SL_TRY(make_room(sim, stage));
    struct job w = {
        .sim = sim, .stage = stage, .room = sim->work->diffuse, .p = sl_diffuse_of(sim, stage)};
    if (stage->begin)
        memcpy(sim->work->next, sim->work->now,
               sl_mesh_size(sim->state.mesh, sim->state.layout.nvar) * sizeof *sim->work->next);
    for (w.block = 0; w.block < sim->state.mesh->nblock; w.block++)
        work_on(&w);
    return SL_OK;
}

int sl_diffuse_step(struct sl_sim *sim, const struct sl_diffuse_stage *stage)
{
    struct sl_step *w = sim->work;
    sl_real *u = w->now;
    w->ghost.time = sim->state.time;
    bool may_fail = !w->diffuse; /* a processor that has its room cannot */
    SL_TRY(w->backend->ghosts(sim, SL_GHOSTS_ALL));
    int code = w->backend->diffuse(sim, stage);
    SL_TRY(may_fail ? sl_agree(sim->state.mesh->comm, code) : code);
    w->now = w->next;
    w->next = u;
    sl_step_changed(sim);
    return SL_OK;
}

/* ---- losses --------------------------------------------------------------------------------- */

static void block_losses(const struct sl_sim *sim, const struct sl_diffuse *p, int block,
                         sl_real *q, double sum[2])
{
    const struct sl_mesh *m = sim->state.mesh;
    read_block(sim, p, sim->state.u + sl_mesh_at(m, sim->state.layout.nvar, block, 0, 0, 0, 0), q);
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++)
            for (int i = 0; i < m->n[0]; i++) {
                size_t at = sl_mesh_at(m, 1, 0, 0, k + m->g[2], j + m->g[1], i + m->g[0]);
                double loss[2], volume = 1;
                sl_diffuse_loss(p, q + at, loss);
                for (int d = 0; d < m->dim; d++)
                    volume *= m->blocks[block].dx[d];
                sum[0] += volume * loss[0];
                sum[1] += volume * loss[1];
            }
}

int sl_diffuse_losses(const struct sl_sim *sim, const struct sl_diffuse_stage *of, double out[2])
{
    const struct sl_mesh *m = sim->state.mesh;
    double *sum = NULL;
    struct sl_ghost_arg ghost = sim->work->ghost;
    ghost.faces_only = 0;
    ghost.time = sim->state.time;
    SL_TRY(sl_sim_pull(sim));
    SL_TRY(sl_ghost_fill(sim->state.mesh, &ghost, sim->state.u));
    sl_real *q = sl_field_new(SL_DIFFUSE_READS * m->block_cells);
    int code = q ? sl_alloc("losses", 2 * (size_t)m->nblock + 1, sizeof *sum, &sum)
                 : SL_FAIL(SL_EMEM, "no memory for a block");
    code = sl_agree(m->comm, code);
    struct sl_diffuse p = sl_diffuse_of(sim, of);
    for (int b = 0; b < m->nblock && code == SL_OK; b++)
        block_losses(sim, &p, b, q, sum + 2 * (size_t)b);
    if (code == SL_OK) code = sl_mesh_sum(m, 2, sum, out);
    free(sum);
    free(q);
    return code;
}
