/* potential_move.c - what passes between two levels of a potential; see potential_level.h. */
#include <string.h>

#include "core/cell/poisson.h"
#include "core/cell/restrict.h"
#include "core/gravity/potential_level.h"
#include "core/sys/status.h"
#include "core/transfer/any_field.h"

/* ---- rings ----------------------------------------------------------------------------------- */

struct rings {
    const struct sl_potential_level *coarse, *fine;
    const sl_real *field; /* of the coarse level */
};

static sl_real *ring_of(const struct sl_potential_level *fine, const struct sl_cover_job *job)
{
    return fine->ring + (size_t)job->fine * fine->ring_cells;
}

/* Copies the cells in and around an octant of a coarse block. */
static void ring_make(const void *of, const void *of_job, sl_real *ring)
{
    const struct rings *r = of;
    const struct sl_cover_job *job = of_job;
    const struct sl_mesh *m = r->coarse->mesh;
    const struct sl_cells cells = sl_cells_of(m), packed = sl_cells_packed(r->fine->ring_n);
    const sl_real *from = r->field + sl_any_octant(m, 1, job->coarse, job->half);
    for (int d = 0; d < m->dim; d++)
        from -= m->step[d];
    sl_cells_copy(r->fine->ring_n, 1, from, &cells, ring ? ring : ring_of(r->fine, job), &packed);
}

static void ring_take(const void *of, const void *of_job, const sl_real *from)
{
    const struct rings *r = of;
    memcpy(ring_of(r->fine, of_job), from, r->fine->ring_cells * sizeof *from);
}

int sl_potential_rings(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                       const sl_real *field)
{
    const struct rings r = {coarse, fine, field};
    const struct sl_level_exchange x = {SL_TAG_RING,
                                        SL_LEVEL_JOBS(fine->nest, cover),
                                        &r,
                                        ring_make,
                                        ring_take,
                                        .each = fine->ring_cells,
                                        .unit = sl_mesh_octant_cells(fine->mesh),
                                        .back = true};
    return sl_level_exchange_run(&x, fine->mesh->comm, &fine->buffers);
}

/* ---- means ----------------------------------------------------------------------------------- */

int sl_potential_cover(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                       const sl_real *from, sl_real *to)
{
    const struct sl_any_cover cover = {coarse->mesh, fine->mesh, 1, 1, from, to};
    return sl_any_cover(&cover, fine->nest, &fine->buffers);
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

/* The mean slope towards the finer cells, through the fine faces of coarse face (a, b). */
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

/* What a coarse cell has itself: its slope towards the covered cell beyond the face. */
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

static void slopes_make(const void *of, const void *of_job, sl_real *to)
{
    const struct match *w = of;
    const struct sl_reflux_job *job = of_job;
    const struct side s = side_of(w->fine->mesh, job->axis);
    for (int b = 0; b < s.n[1]; b++)
        for (int a = 0; a < s.n[0]; a++)
            *to++ = slope_of(w->fine, job, &s, w->from, a, b);
}

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
    int own = nest->nreflux[0], end = own + nest->nreflux[1] + nest->nreflux[2];
    const struct match w = {coarse, fine, from, to, take, context};
    const struct sl_level_exchange x = {SL_TAG_REFLUX, SL_LEVEL_JOBS(nest, reflux), &w,
                                        .make = slopes_make};
    SL_TRY(sl_level_exchange_run(&x, fine->mesh->comm, &fine->buffers));
    const sl_real *got = sl_level_exchange_got(fine->buffers);
    for (int axis = 0; axis < fine->mesh->dim; axis++)
        for (int i = 0; i < end; i++) {
            if (job[i].axis != axis || job[i].coarse < 0) continue;
            slopes_take(&w, &job[i], i < own ? NULL : got + job[i].start);
        }
    return SL_OK;
}
