/* potential_move.c - what passes between two levels of a potential; see
 * potential_level.h. */
#include <string.h>

#include "core/cell/poisson.h"
#include "core/cell/restrict.h"
#include "core/gravity/potential_level.h"
#include "core/sys/status.h"
#include "core/transfer/level_exchange.h"
#include "core/transfer/nest.h"

/* Jobs of a list: on this rank 0 .. local, out to others up to `out`, in from
 * them up to `in`. */
struct parts {
    int local, out, in;
};

static struct parts parts_of(const int count[3])
{
    return (struct parts){count[0], count[0] + count[1], count[0] + count[1] + count[2]};
}

/* First cell of an octant of a block. */
static size_t octant_at(const struct sl_mesh *m, int block, const int half[3])
{
    int n[3];
    sl_mesh_half(m, n);
    return sl_potential_at(m, block, half[2] * n[2], half[1] * n[1], half[0] * n[0]);
}

/* ---- rings
 * ----------------------------------------------------------------------------------
 */

/* Copies the cells in and around an octant of a coarse block. */
static void ring_make(const struct sl_potential_level *coarse,
                      const struct sl_potential_level *fine, const struct sl_cover_job *job,
                      const sl_real *field, sl_real *ring)
{
    const struct sl_mesh *m = coarse->mesh;
    const sl_real *from = field + octant_at(m, job->coarse, job->half);
    for (int d = 0; d < m->dim; d++)
        from -= m->step[d];
    for (int k = 0; k < fine->ring_n[2]; k++)
        for (int j = 0; j < fine->ring_n[1]; j++, ring += fine->ring_n[0])
            memcpy(ring, from + k * m->step[2] + j * m->step[1],
                   (size_t)fine->ring_n[0] * sizeof *ring);
}

int sl_potential_rings(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                       const sl_real *field)
{
    const struct sl_nest *nest = fine->nest;
    const struct sl_cover_job *job = nest->cover;
    const struct parts n = parts_of(nest->ncover);
    size_t each = fine->ring_cells, unit = sl_mesh_octant_cells(fine->mesh);
    struct sl_level_exchange exchange = {
        fine->mesh->comm, SL_TAG_RING, &nest->cover_in,
        &nest->cover_out, each,        unit,
        &fine->buffers,   NULL,        NULL}; /* the way back of cover */
    SL_TRY(sl_level_exchange_open(&exchange));
    for (int i = n.out; i < n.in; i++)
        ring_make(coarse, fine, &job[i], field, exchange.sent + job[i].start / unit * each);
    SL_TRY(sl_level_exchange_send(&exchange));
    for (int i = 0; i < n.local; i++)
        ring_make(coarse, fine, &job[i], field, fine->ring + (size_t)job[i].fine * each);
    SL_TRY(sl_level_exchange_wait(&exchange));
    for (int i = n.local; i < n.out; i++)
        memcpy(fine->ring + (size_t)job[i].fine * each, exchange.got + job[i].start / unit * each,
               each * sizeof *fine->ring);
    return SL_OK;
}

/* ---- means
 * ----------------------------------------------------------------------------------
 */

static void means_make(const struct sl_mesh *m, const sl_real *from, sl_real *to,
                       const ptrdiff_t to_step[3])
{
    int n[3];
    sl_mesh_half(m, n);
    sl_nest_means(m->dim, n, from, m->step, to, to_step);
}

static void means_take(const struct sl_mesh *m, const sl_real *from, sl_real *to)
{
    int n[3];
    sl_mesh_half(m, n);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++, from += n[0])
            memcpy(to + k * m->step[2] + j * m->step[1], from, (size_t)n[0] * sizeof *to);
}

int sl_potential_cover(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                       const sl_real *from, sl_real *to)
{
    const struct sl_nest *nest = fine->nest;
    const struct sl_mesh *m = fine->mesh;
    const struct sl_cover_job *job = nest->cover;
    const struct parts n = parts_of(nest->ncover);
    struct sl_level_exchange exchange = {
        m->comm, SL_TAG_COVER, &nest->cover_out, &nest->cover_in, 1, 1, &fine->buffers, NULL, NULL};
    int half[3];
    sl_mesh_half(m, half);
    const ptrdiff_t packed[3] = {1, half[0], (ptrdiff_t)half[0] * half[1]};
    SL_TRY(sl_level_exchange_open(&exchange));
    for (int i = n.local; i < n.out; i++)
        means_make(m, from + sl_potential_at(m, job[i].fine, 0, 0, 0), exchange.sent + job[i].start,
                   packed);
    SL_TRY(sl_level_exchange_send(&exchange));
    for (int i = 0; i < n.local; i++)
        means_make(m, from + sl_potential_at(m, job[i].fine, 0, 0, 0),
                   to + octant_at(coarse->mesh, job[i].coarse, job[i].half), coarse->mesh->step);
    SL_TRY(sl_level_exchange_wait(&exchange));
    for (int i = n.out; i < n.in; i++)
        means_take(coarse->mesh, exchange.got + job[i].start,
                   to + octant_at(coarse->mesh, job[i].coarse, job[i].half));
    return SL_OK;
}

/* ---- slopes at the edges of levels ----------------------------------------------------------- */

/* A face between levels in half cells of the coarse one: n[0] n[1] of them. */
struct side {
    int t[2], n[2];
};

static struct side side_of(const struct sl_mesh *m, int axis)
{
    struct side s;
    sl_mesh_along(axis, s.t);
    for (int i = 0; i < 2; i++)
        s.n[i] = s.t[i] < m->dim ? m->n[s.t[i]] / 2 : 1;
    return s;
}

/* The mean slope towards the finer cells, through the fine faces of coarse face
 * (a, b). */
static sl_real slope_of(const struct sl_potential_level *fine, const struct sl_reflux_job *job,
                        const struct side *s, const sl_real *field, int a, int b)
{
    const struct sl_mesh *m = fine->mesh;
    static const ptrdiff_t step[3] = {1, 2, 4};
    ptrdiff_t out = job->upper ? -m->step[job->axis] : m->step[job->axis];
    sl_real slope[8]; /* four at most */
    int c[3];
    c[job->axis] = job->upper ? 0 : m->n[job->axis] - 1; /* the other side of the fine block */
    for (int q = 0; q < 1 << (m->dim - 1); q++) {
        c[s->t[0]] = s->t[0] < m->dim ? 2 * a + q % 2 : 0;
        c[s->t[1]] = s->t[1] < m->dim ? 2 * b + q / 2 : 0;
        const sl_real *first = field + sl_potential_at(m, job->fine, c[2], c[1], c[0]);
        slope[q] = (first[0] - first[out]) / fine->h[job->axis];
    }
    return sl_restrict(m->dim - 1, slope, step);
}

static void slopes_make(const struct sl_potential_level *fine, const struct sl_reflux_job *job,
                        const sl_real *field, sl_real *message)
{
    const struct side s = side_of(fine->mesh, job->axis);
    for (int b = 0; b < s.n[1]; b++)
        for (int a = 0; a < s.n[0]; a++)
            *message++ = slope_of(fine, job, &s, field, a, b);
}

/* What a coarse cell has itself: its slope towards the covered cell beyond the
 * face. */
static sl_real own_slope(const struct sl_potential_level *coarse, const struct sl_potential_face *f,
                         const sl_real *field)
{
    const struct sl_mesh *m = coarse->mesh;
    if (!field) return 0;
    const sl_real *here = field + sl_potential_at(m, f->block, f->at[2], f->at[1], f->at[0]);
    return (here[f->upper ? m->step[f->axis] : -m->step[f->axis]] - here[0]) / coarse->h[f->axis];
}

struct match {
    const struct sl_potential_level *coarse, *fine;
    const sl_real *from, *to;
    sl_potential_take *take;
    void *context;
};

/* got: slopes from another rank; NULL: the fine block is here. */
static void slopes_take(const struct match *w, const struct sl_reflux_job *job, const sl_real *got)
{
    const struct side s = side_of(w->fine->mesh, job->axis);
    struct sl_potential_face f = {.block = job->coarse, .axis = job->axis, .upper = job->upper};
    f.at[job->axis] = job->upper ? w->coarse->mesh->n[job->axis] - 1 : 0;
    for (int b = 0; b < s.n[1]; b++)
        for (int a = 0; a < s.n[0]; a++) {
            f.at[s.t[0]] = a + job->half[s.t[0]] * s.n[0];
            f.at[s.t[1]] = b + job->half[s.t[1]] * s.n[1];
            sl_real slope = got ? *got++ : slope_of(w->fine, job, &s, w->from, a, b);
            w->take(w->context, &f, slope - own_slope(w->coarse, &f, w->to));
        }
}

/* A coarse cell with finer ones along several axes takes their slopes axis by axis: the order does
 * not depend on the ranks. */
int sl_potential_match(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                       const sl_real *from, const sl_real *to, sl_potential_take *take,
                       void *context)
{
    const struct sl_nest *nest = fine->nest;
    const struct sl_reflux_job *job = nest->reflux;
    const struct parts n = parts_of(nest->nreflux);
    const struct match w = {coarse, fine, from, to, take, context};
    struct sl_level_exchange exchange = {fine->mesh->comm,
                                         SL_TAG_REFLUX,
                                         &nest->reflux_out,
                                         &nest->reflux_in,
                                         1,
                                         1,
                                         &fine->buffers,
                                         NULL,
                                         NULL};
    SL_TRY(sl_level_exchange_open(&exchange));
    for (int i = n.local; i < n.out; i++)
        slopes_make(fine, &job[i], from, exchange.sent + job[i].start);
    SL_TRY(sl_level_exchange_send(&exchange));
    SL_TRY(sl_level_exchange_wait(&exchange));
    for (int axis = 0; axis < fine->mesh->dim; axis++)
        for (int i = 0; i < n.in; i++) {
            if (job[i].axis != axis || job[i].coarse < 0) continue;
            slopes_take(&w, &job[i], i < n.local ? NULL : exchange.got + job[i].start);
        }
    return SL_OK;
}
