/* prolong.c - ghost cells of a level, made from the coarser one; see nest.h. */
#include <string.h>

#include "core/cell/drive.h"
#include "core/mesh/exchange.h"
#include "core/sweep/rows.h"
#include "core/sys/status.h"
#include "core/transfer/any_field.h"
#include "core/transfer/faces.h"
#include "core/transfer/nest.h"

/* ---- boxes of ghost cells -------------------------------------------------------------------- */

struct sl_prolong sl_nest_prolong_of(const struct sl_transfer_level *coarse, sl_real share)
{
    const struct sl_mesh *m = coarse->mesh;
    struct sl_prolong p = {.gas = coarse->gas,
                           .layout = coarse->layout,
                           .dim = m->dim,
                           .step = {1, m->step[1], m->step[2]},
                           .var = m->block_cells,
                           .share = share,
                           .theta = sl_prolong_theta(coarse->scheme->method),
                           .eta = coarse->scheme->dual_eta};
    return p;
}

int sl_nest_work(const struct sl_transfer_level *level, sl_real work[3])
{
    const struct sl_scheme *s = level->scheme;
    const struct sl_mesh *m = level->mesh;
    const struct sl_layout *l = &level->layout;
    int lifts = s->has_gravity && l->energy >= 0 && l->entropy < 0;
    for (int a = 0; a < 3; a++)
        work[a] = lifts ? s->gravity[a] * (sl_real)(0.25 * sl_mesh_cell_size(m, a, m->level)) : 0;
    return lifts;
}

size_t sl_nest_octant(const struct sl_transfer_level *level, int block, const int half[3])
{
    return sl_any_octant(level->mesh, level->layout.nvar, block, half);
}

static const struct sl_box *box_of(const struct sl_transfer_level *fine,
                                   const struct sl_prolong_job *job)
{
    return &fine->mesh->exchange->edge[job->edges].to[job->dir];
}

/* The cells of a box that a finer block in its place would have. */
static struct sl_nest_fill fill_of(const struct sl_transfer_level *fine,
                                   const struct sl_prolong_job *job)
{
    const struct sl_mesh *m = fine->mesh;
    const struct sl_box *box = box_of(fine, job);
    struct sl_nest_fill f = {.var = 0};
    for (int a = 0; a < 3; a++) {
        f.first[a] = box->lo[a] - m->g[a] - sl_shift_of(job->dir, a) * m->n[a];
        f.n[a] = box->n[a] < m->n[a] - f.first[a] ? box->n[a] : m->n[a] - f.first[a];
    }
    return f;
}

static sl_real *ghosts_of(const struct sl_transfer_level *fine, const struct sl_prolong_job *job,
                          sl_real *u)
{
    return u + sl_mesh_at(fine->mesh, fine->layout.nvar, job->fine, 0, 0, 0, 0) +
           box_of(fine, job)->offset;
}

/* The axis across which a block has faces of its own as the first ones of a box, -1: none. */
static int own_axis(const struct sl_transfer_level *fine, const struct sl_prolong_job *job)
{
    int a = sl_axis_of(job->dir);
    return fine->layout.face >= 0 && sl_is_face(job->dir) && sl_shift_of(job->dir, a) > 0 ? a : -1;
}

/* One call. */
struct levels {
    struct sl_prolong p;
    const struct sl_transfer_level *coarse, *fine;
    sl_real *u; /* of the fine level */
};

static void faces_do(const struct levels *l, const struct sl_prolong_job *job, size_t at,
                     const struct sl_nest_fill *cells)
{
    const struct sl_transfer_level *fine = l->fine;
    const struct sl_box *box = box_of(fine, job);
    struct sl_faces_fill f = {.cells = *cells, .own = -1, .centre = 1};
    if (job->fine >= 0) f.own = own_axis(fine, job);
    for (int a = 0; a < 3; a++)
        f.more[a] = box->n[a] > cells->n[a];
    sl_faces_fill(&l->p, l->coarse->mesh->blocks[job->coarse].dx, l->coarse->old + at,
                  l->coarse->now + at, &f);
}

/* Gives a cell the velocity that `pull` brings in `time`, and the energy of its motion. */
static void kick_cell(const struct sl_layout *layout, size_t var, const sl_real *pull,
                      ptrdiff_t axis, sl_real time, sl_real *u)
{
    for (int a = 0; a < 3; a++) {
        sl_real *m = u + (size_t)(SL_MX + a) * var, dv = time * pull[a * axis];
        if (layout->energy >= 0) u[(size_t)layout->energy * var] += sl_drive_work(u[0], *m, dv);
        *m += u[0] * dv;
    }
}

/* The cells of a box have the velocities of the coarser level in the midst of its step: each is
 * kicked by the acceleration of its parent to that of its own level (core/source/self_gravity.c).
 */
static void kick_box(const struct sl_transfer_level *coarse, const struct sl_prolong_job *job,
                     const struct sl_nest_fill *f)
{
    const struct sl_mesh *m = coarse->mesh;
    const sl_real time = (sl_real)coarse->pull_time;
    int at[3], c[3];
    for (at[2] = 0; at[2] < f->n[2]; at[2]++)
        for (at[1] = 0; at[1] < f->n[1]; at[1]++)
            for (at[0] = 0; at[0] < f->n[0]; at[0]++) {
                for (int a = 0; a < 3; a++)
                    c[a] = job->half[a] * (m->n[a] / 2) + (f->first[a] + at[a]) / 2;
                size_t row =
                    ((size_t)job->coarse * (size_t)m->n[2] + (size_t)c[2]) * (size_t)m->n[1] +
                    (size_t)c[1];
                const sl_real *pull = coarse->pull + row * 3 * (size_t)m->n[0] + c[0];
                sl_real *u = f->to + at[2] * f->step[2] + at[1] * f->step[1] + at[0];
                kick_cell(&coarse->layout, f->var, pull, m->n[0], time, u);
            }
}

/* Ghost cells beyond edges and corners are left alone where nobody reads them. */
static int is_asked(const struct sl_transfer_level *fine, const struct sl_prolong_job *job)
{
    return !fine->ghost->faces_only || sl_is_face(job->dir);
}

/* Makes a box, in the block or, where that is on another rank, in the message. */
static void box_make(const void *of, const void *of_job, sl_real *message)
{
    const struct levels *l = of;
    const struct sl_prolong_job *job = of_job;
    const struct sl_transfer_level *fine = l->fine;
    if (!is_asked(fine, job)) return;
    struct sl_nest_fill f = fill_of(fine, job);
    struct sl_cells cells =
        message ? sl_cells_packed(box_of(fine, job)->n) : sl_cells_of(fine->mesh);
    size_t at = sl_nest_octant(l->coarse, job->coarse, job->half);
    f.to = message ? message : ghosts_of(fine, job, l->u);
    f.var = cells.var;
    memcpy(f.step, cells.step, sizeof f.step);
    sl_nest_fill(&l->p, l->coarse->old + at, l->coarse->now + at, &f);
    if (l->coarse->pull_time != 0) kick_box(l->coarse, job, &f);
    if (fine->layout.face >= 0) faces_do(l, job, at, &f);
}

/* A block keeps the first faces of a box where they are its own. */
static void box_take(const void *of, const void *of_job, const sl_real *from)
{
    const struct levels *l = of;
    const struct sl_prolong_job *job = of_job;
    const struct sl_transfer_level *fine = l->fine;
    if (!is_asked(fine, job)) return;
    int n[3], axis = own_axis(fine, job), nvar = fine->layout.nvar;
    memcpy(n, box_of(fine, job)->n, sizeof n);
    const struct sl_cells packed = sl_cells_packed(n), cells = sl_cells_of(fine->mesh);
    sl_real *to = ghosts_of(fine, job, l->u);
    for (int v = 0; v < nvar; v++, from += packed.var, to += cells.var) {
        int own = axis >= 0 && v == fine->layout.face + axis;
        const sl_real *first = from + (own ? packed.step[axis] : 0);
        if (own) n[axis]--;
        sl_cells_copy(n, 1, first, &packed, to + (own ? cells.step[axis] : 0), &cells);
        if (own) n[axis]++;
    }
}

int sl_nest_prolong(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine,
                    sl_real share, sl_real *u)
{
    const struct levels l = {sl_nest_prolong_of(coarse, share), coarse, fine, u};
    const struct sl_level_exchange x = {
        SL_TAG_PROLONG, SL_LEVEL_JOBS(fine->nest, prolong), &l, box_make,
        box_take,       .each = (size_t)fine->layout.nvar};
    SL_TRY(sl_level_exchange_run(&x, fine->mesh->comm, fine->buffers));
    return fine->layout.face >= 0 ? sl_faces_rim(fine, u) : SL_OK;
}
