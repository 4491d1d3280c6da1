/* faces.c - see faces.h: prolongation, restriction, and new blocks. */
#include "core/transfer/faces.h"

#include <stdlib.h>
#include <string.h>

#include "core/cell/centre.h"
#include "core/cell/prolong_face.h"
#include "core/cell/restrict.h"
#include "core/mesh/exchange.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/transfer/any_field.h"

/* ---- from coarser faces ---------------------------------------------------------------------- */

/* One call. */
struct filler {
    const struct sl_prolong *p;
    const struct sl_faces_fill *fill;
    struct sl_prolong_face face;
};

/* A cell of the fill at `at`: q counts from the first. */
static void put_child(const struct filler *w, const struct sl_child_faces *f, const int child[3],
                      const int q[3], sl_real *at)
{
    const struct sl_layout *l = &w->p->layout;
    const struct sl_nest_fill *cells = &w->fill->cells;
    sl_real more = 0;
    for (int d = 0; d < w->p->dim; d++) {
        sl_real *face = at + (size_t)(l->face + d) * cells->var;
        sl_real *cell = at + (size_t)(l->magnetic + d) * cells->var;
        if (q[d] > 0 || w->fill->own != d) face[0] = sl_child_face(f, d, child, 0);
        if (w->fill->more[d] && q[d] == cells->n[d] - 1)
            face[cells->step[d]] = sl_child_face(f, d, child, 1);
        if (w->fill->centre) more += sl_centre_put(cell, sl_child_field(f, d, child));
    }
    if (l->energy >= 0) at[(size_t)l->energy * cells->var] += more;
}

/* Children of coarse cell c that are asked for; old, now: its first component. */
static void put_cell(const struct filler *w, const int c[3], const sl_real *old, const sl_real *now)
{
    const struct sl_nest_fill *cells = &w->fill->cells;
    struct sl_child_faces f;
    sl_prolong_faces(&w->face, old, now, &f);
    for (int i = 0; i < 1 << w->p->dim; i++) {
        const int child[3] = {i & 1, i >> 1 & 1, i >> 2};
        int q[3], inside = 1;
        ptrdiff_t at = 0;
        for (int a = 0; a < 3; a++) {
            q[a] = a < w->p->dim ? 2 * c[a] + child[a] - cells->first[a] : 0;
            inside &= q[a] >= 0 && (a >= w->p->dim || q[a] < cells->n[a]);
            at += q[a] * cells->step[a];
        }
        if (inside) put_child(w, &f, child, q, cells->to + at);
    }
}

void sl_faces_fill(const struct sl_prolong *p, const double dx[3], const sl_real *old,
                   const sl_real *now, const struct sl_faces_fill *fill)
{
    struct filler w = {
        p, fill, {.dim = p->dim, .var = (ptrdiff_t)p->var, .share = p->share, .theta = p->theta}};
    size_t first = (size_t)p->layout.face * p->var;
    int from[3] = {0, 0, 0}, to[3] = {0, 0, 0}, c[3];
    for (int a = 0; a < p->dim; a++) {
        w.face.step[a] = p->step[a];
        from[a] = fill->cells.first[a] >> 1;
        to[a] = (fill->cells.first[a] + fill->cells.n[a] - 1) >> 1;
    }
    for (int a = 0; a < 3; a++)
        w.face.dx[a] = (sl_real)dx[a];
    for (c[2] = from[2]; c[2] <= to[2]; c[2]++)
        for (c[1] = from[1]; c[1] <= to[1]; c[1]++)
            for (c[0] = from[0]; c[0] <= to[0]; c[0]++) {
                ptrdiff_t at = c[0] * p->step[0] + c[1] * p->step[1] + c[2] * p->step[2];
                put_cell(&w, c, old + first + at, now + first + at);
            }
}

/* ---- rim ------------------------------------------------------------------------------------- */

/* The layer of faces of a job: the first cell as the block that takes it has it, and the cells. */
struct layer {
    int lo[3], n[3];
    ptrdiff_t from; /* how much further the block that gives it has it */
};

static struct layer layer_of(const struct sl_mesh *m, const struct sl_rim_job *job)
{
    struct layer w = {.from = 0};
    for (int a = 0; a < 3; a++) {
        int shift = sl_shift_of(job->dir, a), below = shift - (a == job->axis);
        w.lo[a] = shift < 0 ? 0 : shift > 0 ? m->g[a] + m->n[a] : m->g[a];
        w.n[a] = a == job->axis ? 1 : shift ? m->g[a] : m->n[a];
        w.from -= below * m->n[a] * m->step[a];
    }
    return w;
}

static sl_real *component(const struct sl_transfer_level *level, sl_real *u, int block, int axis)
{
    return u +
           sl_mesh_at(level->mesh, level->layout.nvar, block, level->layout.face + axis, 0, 0, 0);
}

/* One call. */
struct rim {
    const struct sl_transfer_level *level;
    sl_real *u;
};

static size_t first_in(const struct sl_mesh *m, const struct layer *w)
{
    return (size_t)(w->lo[2] * m->step[2] + w->lo[1] * m->step[1] + w->lo[0]);
}

static void rim_make(const void *of, const void *of_job, sl_real *to)
{
    const struct rim *r = of;
    const struct sl_rim_job *job = of_job;
    const struct sl_mesh *m = r->level->mesh;
    struct layer w = layer_of(m, job);
    const struct sl_cells cells = sl_cells_of(m), packed = sl_cells_packed(w.n);
    const sl_real *from = component(r->level, r->u, job->from, job->axis) + first_in(m, &w);
    sl_cells_copy(w.n, 1, from + w.from, &cells, to, &packed);
}

static void rim_take(const void *of, const void *of_job, const sl_real *from)
{
    const struct rim *r = of;
    const struct sl_rim_job *job = of_job;
    const struct sl_mesh *m = r->level->mesh;
    struct layer w = layer_of(m, job);
    const struct sl_cells cells = sl_cells_of(m), packed = sl_cells_packed(w.n);
    sl_cells_copy(w.n, 1, from, &packed,
                  component(r->level, r->u, job->to, job->axis) + first_in(m, &w), &cells);
}

int sl_faces_rim(const struct sl_transfer_level *fine, sl_real *u)
{
    const struct rim r = {fine, u};
    struct sl_level_exchange x = {SL_TAG_RIM, SL_LEVEL_JOBS(fine->nest, rim), &r, rim_make,
                                  .take = rim_take};
    SL_TRY(
        sl_agree(fine->mesh->comm, sl_alloc("faces at the edge of a level", fine->mesh->block_cells,
                                            sizeof *x.spare, &x.spare)));
    int code = sl_level_exchange_run(&x, fine->mesh->comm, fine->buffers);
    free(x.spare);
    return code;
}

/* ---- means of finer faces -------------------------------------------------------------------- */

/* Faces across d of an octant along each axis; they begin and end it. */
static void octant_of(const struct sl_mesh *m, int d, int n[3])
{
    for (int a = 0; a < 3; a++)
        n[a] = (a < m->dim ? m->n[a] / 2 : 1) + (a == d);
}

size_t sl_faces_cover_values(const struct sl_mesh *mesh)
{
    size_t values = 0;
    for (int d = 0; d < mesh->dim; d++) {
        int n[3];
        octant_of(mesh, d, n);
        values += (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    }
    return values;
}

/* Means across d of the faces of a fine block; `from` is that of its first cell. */
static void cover_axis(const struct sl_mesh *m, int d, const int n[3], const sl_real *from,
                       const ptrdiff_t step[3], sl_real *to)
{
    ptrdiff_t fine[3], within[3];
    int t = 0;
    for (int a = 0; a < 3; a++) {
        fine[a] = a < m->dim ? 2 * m->step[a] : 0;
        if (a != d && a < m->dim) within[t++] = m->step[a];
    }
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                to[k * step[2] + j * step[1] + i * step[0]] =
                    sl_restrict(m->dim - 1, from + k * fine[2] + j * fine[1] + i * fine[0], within);
}

/* Only the last octant along an axis writes its last faces across it: for the others those are the
 * first of the next. */
static void octant_within(int d, const int half[3], int n[3])
{
    if (!half[d]) n[d]--;
}

void sl_faces_cover(const struct sl_transfer_level *fine, int block, const int half[3],
                    int to_block, sl_real *to)
{
    const struct sl_mesh *m = fine->mesh;
    for (int d = 0; d < m->dim; d++) {
        size_t face = (size_t)(fine->layout.face + d) * m->block_cells;
        const sl_real *from = fine->now + sl_nest_octant(fine, block, NULL) + face;
        int n[3];
        octant_of(m, d, n);
        const struct sl_cells cells = to_block ? sl_cells_of(m) : sl_cells_packed(n);
        if (to_block) octant_within(d, half, n);
        cover_axis(m, d, n, from, cells.step, to_block ? to + face : to);
        if (!to_block) to += cells.var;
    }
}

void sl_faces_cover_unpack(const struct sl_transfer_level *coarse, const int half[3],
                           const sl_real *message, sl_real *to)
{
    const struct sl_mesh *m = coarse->mesh;
    const struct sl_cells cells = sl_cells_of(m);
    for (int d = 0; d < m->dim; d++) {
        int n[3];
        octant_of(m, d, n);
        const struct sl_cells packed = sl_cells_packed(n);
        octant_within(d, half, n);
        sl_cells_copy(n, 1, message, &packed,
                      to + (size_t)(coarse->layout.face + d) * m->block_cells, &cells);
        message += packed.var;
    }
}

void sl_faces_centre(const struct sl_transfer_level *level, int first, int end)
{
    const struct sl_mesh *m = level->mesh;
    const ptrdiff_t *step = m->step;
    for (int b = first; b < end; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                for (int i = 0; i < m->n[0]; i++)
                    sl_centre(&level->layout, m->dim, step, m->block_cells,
                              level->now + sl_nest_octant(level, b, NULL) + k * step[2] +
                                  j * step[1] + i);
}

/* ---- new blocks ------------------------------------------------------------------------------ */

/* What blocks give their neighbours across one axis, a value for each cell. */
enum {
    LOWER,
    UPPER,
    OLD,
    SIDE_VALUES
}; /* its lower and upper faces, in the cells beside them; it is not new */

struct join {
    const struct sl_transfer_level *level;
    const signed char *made;
    sl_real *sides;
    int axis;
};

typedef void face_fn(const struct join *w, int b, int upper, ptrdiff_t cell);

/* Calls f for the cells beside the sides of block b across the axis. */
static void each_beside(const struct join *w, int b, face_fn *f)
{
    const struct sl_mesh *m = w->level->mesh;
    int x[3], n[3] = {m->n[0], m->n[1], m->n[2]};
    n[w->axis] = 1;
    for (int upper = 0; upper < 2; upper++)
        for (x[2] = 0; x[2] < n[2]; x[2]++)
            for (x[1] = 0; x[1] < n[1]; x[1]++)
                for (x[0] = 0; x[0] < n[0]; x[0]++) {
                    ptrdiff_t at = upper ? (m->n[w->axis] - 1) * m->step[w->axis] : 0;
                    for (int a = 0; a < 3; a++)
                        at += (m->g[a] + x[a]) * m->step[a];
                    f(w, b, upper, at);
                }
}

static sl_real *sides_of(const struct join *w, int b, int what)
{
    return w->sides + sl_mesh_at(w->level->mesh, SIDE_VALUES, b, what, 0, 0, 0);
}

static void give(const struct join *w, int b, int upper, ptrdiff_t cell)
{
    const sl_real *face = component(w->level, w->level->now, b, w->axis);
    ptrdiff_t step = w->level->mesh->step[w->axis];
    sides_of(w, b, upper ? UPPER : LOWER)[cell] = face[cell + (upper ? step : 0)];
    sides_of(w, b, OLD)[cell] = !w->made[b];
}

static void take(const struct join *w, int b, int upper, ptrdiff_t cell)
{
    sl_real *face = component(w->level, w->level->now, b, w->axis);
    ptrdiff_t step = w->level->mesh->step[w->axis], beside = cell + (upper ? step : -step);
    if (sides_of(w, b, OLD)[beside] > 0)
        face[upper ? beside : cell] = sides_of(w, b, upper ? LOWER : UPPER)[beside];
}

static void no_value(const void *data, const double lo[3], const double hi[3], double time,
                     sl_real *value)
{
    (void)data, (void)lo, (void)hi, (void)time;
    value[OLD] = 0;
}

static int join_axis(struct join *w)
{
    struct sl_mesh *m = w->level->mesh;
    struct sl_ghost_arg arg = {
        .nvar = SIDE_VALUES, .vector = -1, .fixed = no_value, .faces_only = 1};
    memset(w->sides, 0, sl_mesh_size(m, SIDE_VALUES) * sizeof *w->sides);
    for (int b = 0; b < m->nblock; b++)
        each_beside(w, b, give);
    SL_TRY(sl_ghost_fill(m, &arg, w->sides));
    for (int b = 0; b < m->nblock; b++)
        if (w->made[b]) each_beside(w, b, take);
    return SL_OK;
}

/* The faces across d of the two cells along each axis from u on, but for those between them; or
 * those. */
static void group_copy(int dim, const ptrdiff_t step[3], int d, int inside, sl_real *u,
                       struct sl_child_faces *f)
{
    int a = d == 0, b = d == 2 ? 1 : 2;
    for (int plane = inside; plane < 3; plane += 2)
        for (int c = 0; c < 4; c++) {
            ptrdiff_t at =
                plane * step[d] + (a < dim ? c % 2 * step[a] : 0) + (b < dim ? c / 2 * step[b] : 0);
            if (inside)
                u[at] = f->at[d][plane][c / 2][c % 2];
            else
                f->at[d][plane][c / 2][c % 2] = u[at];
        }
}

/* Faces within each group of new cells that have one parent. */
static void group_make(const struct sl_transfer_level *level, int b, const int x[3])
{
    const struct sl_mesh *m = level->mesh;
    struct sl_child_faces f;
    const ptrdiff_t *step = m->step;
    ptrdiff_t at = 0;
    sl_real dx[3];
    memset(&f, 0, sizeof f);
    for (int a = 0; a < 3; a++) {
        dx[a] = (sl_real)m->blocks[b].dx[a];
        at += x[a] * step[a];
    }
    sl_real *u = level->now + sl_nest_octant(level, b, NULL) + at;
    for (int d = 0; d < m->dim; d++)
        group_copy(m->dim, step, d, 0, u + (size_t)(level->layout.face + d) * m->block_cells, &f);
    sl_child_faces_inside(m->dim, dx, &f);
    for (int d = 0; d < m->dim; d++)
        group_copy(m->dim, step, d, 1, u + (size_t)(level->layout.face + d) * m->block_cells, &f);
}

static void groups_make(const struct sl_transfer_level *level, int b)
{
    const struct sl_mesh *m = level->mesh;
    int x[3];
    for (x[2] = 0; x[2] < m->n[2]; x[2] += 2)
        for (x[1] = 0; x[1] < m->n[1]; x[1] += 2)
            for (x[0] = 0; x[0] < m->n[0]; x[0] += 2)
                group_make(level, b, x);
    sl_faces_centre(level, b, b + 1);
}

int sl_faces_join(const struct sl_transfer_level *level, const signed char *made)
{
    struct join w = {.level = level, .made = made};
    SL_TRY(sl_agree(level->mesh->comm,
                    sl_alloc("faces of neighbours", sl_mesh_size(level->mesh, SIDE_VALUES),
                             sizeof *w.sides, &w.sides)));
    int code = SL_OK;
    for (w.axis = 0; w.axis < level->mesh->dim && code == SL_OK; w.axis++)
        code = join_axis(&w);
    free(w.sides);
    SL_TRY(code);
    for (int b = 0; b < level->mesh->nblock; b++)
        if (made[b]) groups_make(level, b);
    return SL_OK;
}
