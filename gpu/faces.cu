/* faces.cu - what is done between levels for fields at faces (constrained transport), as in
 * core/transfer/faces.c and faces_reflux.c; see nest.h. */
#include <stdlib.h>

#include "core/cell/centre.h"
#include "core/cell/edge.h"
#include "core/cell/prolong_face.h"
#include "gpu/nest.cuh"

/* A layer of faces: the first cell as the block that takes it has it, and how much further the one
 * that gives it has it. */
struct layer {
    int from, to, axis, lo[3], n[3];
    ptrdiff_t more;
    size_t start;
};

/* Edges that touch: the first values in the registers of both levels, or in a message, and how far
 * lines of them are apart. */
struct edge_row {
    size_t coarse, fine, start; /* start: in a message; coarse: SIZE_MAX, it goes into one */
    int lines, cells, coarse_row, fine_row, came, two;
};

struct nest_faces {
    struct layer *rim, *rim_in; /* device, likewise all that follows */
    struct edge_row *edge, *edge_in;
    int *coarse_block; /* whose electric field is kept */
    sl_real *more;     /* what is added to their edges */
    int nrim, nrim_in, nedge, nedge_in, ncoarse;
    size_t most_rim, most_edge, each; /* each: values of the edges of a block */
};

/* ---- faces at the edge of a level ------------------------------------------------------------ */

struct rim_args {
    struct run_args run;
    const struct layer *layer;
    sl_real *u, *buffer;
};

static __device__ __forceinline__ sl_real *component(const struct run_args &r, sl_real *u,
                                                     int block, int axis)
{
    return u + ((ptrdiff_t)block * r.nvar + r.layout.face + axis) * r.var;
}

/* A row of blocks of threads per layer: from its owner to a block that has it among its ghost
 * cells, or into a message. */
static __global__ void rim(const __grid_constant__ struct rim_args a)
{
    const struct run_args &r = a.run;
    const struct layer w = a.layer[blockIdx.x];
    int cells = w.n[0] * w.n[1] * w.n[2];
    for (int c = place_in_row(); c < cells; c += row_width()) {
        int x = c % w.n[0], y = c / w.n[0] % w.n[1], z = c / (w.n[0] * w.n[1]);
        ptrdiff_t at = cell_of_block(r, w.lo[0] + x, w.lo[1] + y, w.lo[2] + z);
        sl_real value = w.from < 0 ? a.buffer[w.start + (size_t)c]
                                   : component(r, a.u, w.from, w.axis)[at + w.more];
        if (w.to < 0)
            a.buffer[w.start + (size_t)c] = value;
        else
            component(r, a.u, w.to, w.axis)[at] = value;
    }
}

/* ---- covered blocks -------------------------------------------------------------------------- */

struct cover_args {
    struct run_args run;
    const struct sl_cover_job *job;
    const sl_real *u;
    sl_real *to, *buffer;
    size_t values; /* faces of an octant */
};

/* Faces across d of an octant along each axis; they begin and end it. */
static __host__ __device__ __forceinline__ void octant_of(const struct run_args &r, int d, int n[3])
{
    for (int a = 0; a < 3; a++)
        n[a] = part_of(r.dim, a, r.n[a]) + (a == d);
}

/* Number i of the faces of an octant: the axis across it, and where it is. False: in a block the
 * next octant has it. */
static __device__ bool face_of_octant(const struct run_args &r, const int half[3], int i, int *axis,
                                      int x[3])
{
    int n[3], d = 0;
    for (octant_of(r, 0, n); i >= n[0] * n[1] * n[2]; octant_of(r, ++d, n))
        i -= n[0] * n[1] * n[2];
    x[0] = i % n[0], x[1] = i / n[0] % n[1], x[2] = i / (n[0] * n[1]);
    *axis = d;
    return half[d] || x[d] < n[d] - 1;
}

static __device__ __forceinline__ sl_real *face_in_block(const struct run_args &r,
                                                         const struct sl_cover_job &j, int axis,
                                                         const int x[3], sl_real *u)
{
    ptrdiff_t at = first_of(r, j.coarse) + (r.layout.face + axis) * r.var;
    for (int a = 0; a < r.dim; a++)
        at += (j.half[a] * (r.n[a] / 2) + x[a]) * step_of(r, a);
    return u + at;
}

/* A row of blocks of threads per job. */
static __global__ void cover_faces(const __grid_constant__ struct cover_args a)
{
    const struct run_args &r = a.run;
    const struct sl_cover_job j = a.job[blockIdx.x];
    size_t cells = 1;
    for (int d = 0; d < r.dim; d++)
        cells *= (size_t)(r.n[d] / 2);
    sl_real *message = a.buffer + j.start / cells * a.values;
    for (int i = place_in_row(); i < (int)a.values; i += row_width()) {
        int axis, x[3], t = 0;
        bool here = face_of_octant(r, j.half, i, &axis, x);
        if (j.fine < 0) {
            if (here) *face_in_block(r, j, axis, x, a.to) = message[i];
            continue;
        }
        if (j.coarse >= 0 && !here) continue;
        ptrdiff_t within[3] = {0, 0, 0}, at = first_of(r, j.fine) + (r.layout.face + axis) * r.var;
        for (int d = 0; d < r.dim; d++) {
            at += 2 * x[d] * step_of(r, d);
            if (d != axis) within[t++] = step_of(r, d);
        }
        sl_real mean = sl_restrict(r.dim - 1, a.u + at, within);
        if (j.coarse >= 0)
            *face_in_block(r, j, axis, x, a.to) = mean;
        else
            message[i] = mean;
    }
}

/* ---- the field in cells ---------------------------------------------------------------------- */

struct centre_args {
    struct run_args run;
    const int *list; /* of blocks; NULL: from block `first` on */
    int first, surface;
    sl_real *u;
};

/* A row of blocks of threads per block: all cells, or those at its surface. */
static __global__ void centre(const __grid_constant__ struct centre_args a)
{
    const struct run_args &r = a.run;
    int block = a.list ? a.list[blockIdx.x] : a.first + (int)blockIdx.x;
    const ptrdiff_t step[3] = {1, r.nt[0], (ptrdiff_t)r.nt[0] * r.nt[1]};
    int cells = r.n[0] * r.n[1] * r.n[2];
    for (int c = place_in_row(); c < cells; c += row_width()) {
        const int x[3] = {c % r.n[0], c / r.n[0] % r.n[1], c / (r.n[0] * r.n[1])};
        bool outer = false;
        for (int d = 0; d < r.dim; d++)
            outer = outer || x[d] == 0 || x[d] == r.n[d] - 1;
        if (a.surface && !outer) continue;
        sl_centre(&r.layout, r.dim, step, (size_t)r.var,
                  a.u + first_of(r, block) + cell_of_block(r, x[0], x[1], x[2]));
    }
}

static const char *centre_do(struct sl_device *d, const int *list, int first, int n, int surface,
                             sl_real *u)
{
    struct centre_args a;
    if (n == 0) return NULL;
    a.run = d->run, a.list = list, a.first = first, a.surface = surface, a.u = u;
    centre<<<rows_of(n, (size_t)cells_of(d->run.n)), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

/* ---- edges ----------------------------------------------------------------------------------- */

struct edge_args {
    struct run_args run;
    const struct edge_row *row;
    const sl_real *coarse, *fine;
    sl_real *buffer, *more;
};

/* A row of blocks of threads per job: the finer edges as coarse ones, into a message, or what they
 * are more than these. */
static __global__ void edges_put(const __grid_constant__ struct edge_args a)
{
    const struct edge_row w = a.row[blockIdx.x];
    const ptrdiff_t next[3] = {1, 0, 0};
    for (int i = place_in_row(); i < w.lines * w.cells; i += row_width()) {
        int line = i / w.cells, c = i - line * w.cells;
        const sl_real *from = a.fine + w.fine + 2 * line * w.fine_row + (1 + w.two) * c;
        sl_real mean = w.came ? a.buffer[w.start + (size_t)i] : sl_restrict(w.two, from, next);
        size_t to = w.coarse + (size_t)(line * w.coarse_row + c);
        if (w.coarse == (size_t)-1)
            a.buffer[w.start + (size_t)i] = mean;
        else
            a.more[to] = mean - a.coarse[to];
    }
}

struct apply_args {
    struct run_args run;
    const int *list;
    const sl_real *more;
    size_t each;
    sl_real per_dx[3], *u;
};

/* What a face of a block at x, across d, loses by the edges around it. */
static __device__ void edges_apply_face(const struct apply_args &a, int block, const sl_real *more,
                                        int d, const int x[3])
{
    const struct run_args &r = a.run;
    bool outer = false;
    for (int axis = 0; axis < r.dim; axis++)
        outer = outer || x[axis] == 0 || x[axis] == r.n[axis] - (axis != d);
    if (!outer) return;
    sl_real *face = a.u + first_of(r, block) + (r.layout.face + d) * r.var;
    face[cell_of_block(r, x[0], x[1], x[2])] -= sl_edge_loss(r.dim, r.n, more, a.per_dx, d, x);
}

/* A row of blocks of threads per block. */
static __global__ void edges_apply(const __grid_constant__ struct apply_args a)
{
    const struct run_args &r = a.run;
    const sl_real *more = a.more + blockIdx.x * a.each;
    for (int d = 0; d < r.dim; d++) {
        const int n[3] = {r.n[0] + (d == 0), r.n[1] + (d == 1), r.n[2] + (d == 2)};
        for (int i = place_in_row(); i < n[0] * n[1] * n[2]; i += row_width()) {
            const int x[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
            edges_apply_face(a, a.list[blockIdx.x], more, d, x);
        }
    }
}

/* ---- new blocks ------------------------------------------------------------------------------ */

/* What blocks give their neighbours across one axis, a value for each cell: their lower and upper
 * faces, in the cells beside them, and whether they are not new. */
enum { LOWER, UPPER, OLD, SIDE_VALUES };

struct join_args {
    struct run_args run;
    const signed char *made; /* by block */
    int axis;
    sl_real *sides, *u;
};

/* A row of blocks of threads per block: number i of the cells beside its sides across the axis,
 * their place in a variable. */
static __device__ __forceinline__ bool beside(const struct join_args &a, int i, bool *upper,
                                              ptrdiff_t *cell)
{
    const struct run_args &r = a.run;
    struct across s = across_of(r.n, a.axis);
    int faces = (int)s.faces, at[3];
    *upper = i >= faces;
    if (*upper) i -= faces;
    if (i >= faces) return false;
    at[a.axis] = *upper ? r.n[a.axis] - 1 : 0;
    at[s.axis[0]] = i % s.n[0], at[s.axis[1]] = i / s.n[0];
    *cell = cell_of_block(r, r.g[0] + at[0], r.g[1] + at[1], r.g[2] + at[2]);
    return true;
}

static __global__ void join_give(const __grid_constant__ struct join_args a)
{
    const struct run_args &r = a.run;
    int block = (int)blockIdx.x;
    const sl_real *face = component(r, a.u, block, a.axis);
    sl_real *sides = a.sides + (ptrdiff_t)block * SIDE_VALUES * r.var;
    bool upper;
    ptrdiff_t cell, step = step_of(r, a.axis);
    for (int i = place_in_row(); beside(a, i, &upper, &cell); i += row_width()) {
        sides[(upper ? UPPER : LOWER) * r.var + cell] = face[cell + (upper ? step : 0)];
        sides[OLD * r.var + cell] = !a.made[block];
    }
}

static __global__ void join_take(const __grid_constant__ struct join_args a)
{
    const struct run_args &r = a.run;
    int block = (int)blockIdx.x;
    sl_real *face = component(r, a.u, block, a.axis);
    const sl_real *sides = a.sides + (ptrdiff_t)block * SIDE_VALUES * r.var;
    bool upper;
    ptrdiff_t cell, step = step_of(r, a.axis);
    if (!a.made[block]) return;
    for (int i = place_in_row(); beside(a, i, &upper, &cell); i += row_width()) {
        ptrdiff_t other = cell + (upper ? step : -step);
        if (sides[OLD * r.var + other] > 0)
            face[upper ? other : cell] = sides[(upper ? LOWER : UPPER) * r.var + other];
    }
}

struct group_args {
    struct run_args run;
    const int *list;
    sl_real dx[3], *u;
};

/* The faces across d of the two cells along each axis from u on, but for those between them; or
 * those. */
static __device__ __forceinline__ void group_copy(const struct run_args &r, int d, bool inside,
                                                  sl_real *u, struct sl_child_faces *f)
{
    int a = d == 0, b = d == 2 ? 1 : 2;
    for (int plane = inside; plane < 3; plane += 2)
        for (int c = 0; c < 4; c++) {
            ptrdiff_t at = plane * step_of(r, d) + (a < r.dim ? c % 2 * step_of(r, a) : 0) +
                           (b < r.dim ? c / 2 * step_of(r, b) : 0);
            if (inside)
                u[at] = f->at[d][plane][c / 2][c % 2];
            else
                f->at[d][plane][c / 2][c % 2] = u[at];
        }
}

/* Faces within each group of new cells that have one parent; a row of blocks of threads per
 * block. */
static __global__ void groups(const __grid_constant__ struct group_args a)
{
    const struct run_args &r = a.run;
    int n[3];
    for (int d = 0; d < 3; d++)
        n[d] = part_of(r.dim, d, r.n[d]);
    for (int i = place_in_row(); i < n[0] * n[1] * n[2]; i += row_width()) {
        struct sl_child_faces f = {};
        sl_real *u = a.u + first_of(r, a.list[blockIdx.x]) +
                     2 * cell_of_block(r, i % n[0], i / n[0] % n[1], i / (n[0] * n[1]));
        for (int d = 0; d < r.dim; d++)
            group_copy(r, d, false, u + (r.layout.face + d) * r.var, &f);
        sl_child_faces_inside(r.dim, a.dx, &f);
        for (int d = 0; d < r.dim; d++)
            group_copy(r, d, true, u + (r.layout.face + d) * r.var, &f);
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

static ptrdiff_t distance(const struct run_args *r, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? r->nt[0] : (ptrdiff_t)r->nt[0] * r->nt[1];
}

static void layer_set(const struct run_args *r, const struct sl_rim_job *j, struct layer *w)
{
    const int digit[3] = {j->dir % 3, j->dir / 3 % 3, j->dir / 9};
    w->from = j->from, w->to = j->to, w->axis = j->axis, w->start = j->start;
    w->more = 0;
    for (int a = 0; a < 3; a++) {
        int shift = digit[a] - 1, below = shift - (a == j->axis);
        w->lo[a] = shift < 0 ? 0 : shift > 0 ? r->g[a] + r->n[a] : r->g[a];
        w->n[a] = a == j->axis ? 1 : shift ? r->g[a] : r->n[a];
        w->more -= below * r->n[a] * distance(r, a);
    }
}

static const char *rim_set(struct sl_device *d, const struct sl_nest *nest, struct nest_faces *f)
{
    int here = nest->nrim[0] + nest->nrim[1], all = here + nest->nrim[2];
    struct layer *list = (struct layer *)malloc(((size_t)all + 1) * sizeof *list);
    if (!list) return "no memory on the host";
    for (int i = 0; i < all; i++) {
        layer_set(&d->run, &nest->rim[i], &list[i]);
        f->most_rim = max(f->most_rim, (size_t)cells_of(list[i].n));
    }
    f->nrim = here, f->nrim_in = nest->nrim[2];
    const char *text = table(list, (size_t)here * sizeof *list, (const void **)&f->rim);
    if (!text)
        text = table(list + here, (size_t)f->nrim_in * sizeof *list, (const void **)&f->rim_in);
    free(list);
    return text;
}

/* Place of a block in a list of those whose electric field is kept. */
static size_t slot_of(const int *list, int n, int block)
{
    int low = 0, high = n;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (list[mid] <= block)
            low = mid;
        else
            high = mid;
    }
    return (size_t)low;
}

static void row_set(const struct run_args *r, const struct sl_nest *nest, size_t each,
                    const struct sl_edge_job *j, struct edge_row *w)
{
    w->two = j->along < r->dim;
    w->cells = w->two ? r->n[j->along] / 2 : 1;
    w->lines = j->lines, w->start = j->start;
    w->coarse_row = w->fine_row = r->n[j->along];
    w->came = j->fine < 0;
    w->coarse = (size_t)-1, w->fine = 0;
    if (j->coarse >= 0)
        w->coarse = slot_of(nest->coarse_edges, nest->ncoarse_edges, j->coarse) * each +
                    sl_edge_start(r->dim, r->n, j->axis, j->coarse_upper, j->along) +
                    (size_t)(j->coarse_line * w->coarse_row + j->half * w->cells);
    if (j->fine >= 0)
        w->fine = slot_of(nest->fine_edges, nest->nfine_edges, j->fine) * each +
                  sl_edge_start(r->dim, r->n, j->axis, j->fine_upper, j->along) +
                  (size_t)(j->fine_line * w->fine_row);
}

static const char *edges_set(struct sl_device *d, const struct sl_nest *nest, struct nest_faces *f)
{
    int here = nest->nedge[0] + nest->nedge[1], all = here + nest->nedge[2];
    struct edge_row *list = (struct edge_row *)malloc(((size_t)all + 1) * sizeof *list);
    if (!list) return "no memory on the host";
    for (int i = 0; i < all; i++) {
        row_set(&d->run, nest, f->each, &nest->edge[i], &list[i]);
        f->most_edge = max(f->most_edge, (size_t)(list[i].lines * list[i].cells));
    }
    f->nedge = here, f->nedge_in = nest->nedge[2];
    const char *text = table(list, (size_t)here * sizeof *list, (const void **)&f->edge);
    if (!text)
        text = table(list + here, (size_t)f->nedge_in * sizeof *list, (const void **)&f->edge_in);
    free(list);
    PASS(text);
    f->ncoarse = nest->ncoarse_edges;
    PASS(room_new((size_t)f->ncoarse * f->each * sizeof(sl_real), (void **)&f->more));
    return table(nest->coarse_edges, (size_t)f->ncoarse * sizeof(int),
                 (const void **)&f->coarse_block);
}

const char *nest_faces_set(struct sl_device *d, const struct sl_nest *nest)
{
    struct nest_faces *f = (struct nest_faces *)calloc(1, sizeof *f);
    if (!f) return "no memory on the host";
    d->nest->faces = f;
    f->each = sl_edge_values(d->run.dim, d->run.n);
    PASS(rim_set(d, nest, f));
    return edges_set(d, nest, f);
}

void nest_faces_free(struct nest_faces *f)
{
    if (!f) return;
    room_free(f->rim), room_free(f->rim_in), room_free(f->edge), room_free(f->edge_in);
    room_free(f->coarse_block), room_free(f->more);
    free(f);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static const char *rim_do(struct sl_device *d, const struct layer *layer, int n, sl_real *buffer,
                          sl_real *u)
{
    struct rim_args a;
    if (n == 0) return NULL;
    a.run = d->run, a.layer = layer, a.u = u, a.buffer = buffer;
    rim<<<rows_of(n, d->nest->faces->most_rim), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_rim(struct sl_device *d, sl_real *u)
{
    const struct nest_faces *f = d->nest->faces;
    return rim_do(d, f->rim, f->nrim, send_of(d), u);
}

extern "C" const char *sl_device_rim_unpack(struct sl_device *d, sl_real *u)
{
    const struct nest_faces *f = d->nest->faces;
    return rim_do(d, f->rim_in, f->nrim_in, (sl_real *)received_of(d), u);
}

extern "C" size_t sl_device_cover_faces_values(const struct sl_device *d)
{
    size_t values = 0;
    for (int axis = 0; axis < d->run.dim; axis++) {
        int n[3];
        octant_of(d->run, axis, n);
        values += (size_t)cells_of(n);
    }
    return values;
}

static const char *cover_do(struct sl_device *d, const struct sl_cover_job *job, int n,
                            const sl_real *u, sl_real *to, sl_real *buffer)
{
    struct cover_args a;
    if (n == 0) return NULL;
    a.run = d->run, a.job = job, a.u = u, a.to = to, a.buffer = buffer;
    a.values = sl_device_cover_faces_values(d);
    cover_faces<<<rows_of(n, a.values), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_cover_faces(struct sl_device *d, const sl_real *u, sl_real *to)
{
    const struct nest *k = d->nest;
    return cover_do(d, k->cover, k->ncover, u, to, send_of(d));
}

extern "C" const char *sl_device_cover_faces_unpack(struct sl_device *d, struct sl_device *coarse,
                                                    sl_real *to)
{
    const struct nest *k = d->nest;
    PASS(cover_do(d, k->cover_come, k->ncover_come, NULL, to, (sl_real *)received_of(d)));
    return centre_do(coarse, NULL, coarse->run.nleaf, coarse->run.nblock - coarse->run.nleaf, 0,
                     to);
}

static const char *edges_do(struct sl_device *d, struct sl_device *coarse,
                            const struct edge_row *row, int n, sl_real *buffer)
{
    const struct nest_faces *f = d->nest->faces;
    struct edge_args a = {};
    if (n == 0) return NULL;
    a.run = d->run, a.row = row, a.buffer = buffer, a.more = f->more;
    if (d->edges) a.fine = edges_fine(d->edges);
    if (coarse->edges) a.coarse = edges_coarse(coarse->edges);
    edges_put<<<rows_of(n, f->most_edge), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_edges(struct sl_device *d, struct sl_device *coarse)
{
    const struct nest_faces *f = d->nest->faces;
    size_t size = (size_t)f->ncoarse * f->each * sizeof(sl_real);
    if (size > 0) TRY(cudaMemsetAsync(f->more, 0, size, d->stream));
    return edges_do(d, coarse, f->edge, f->nedge, send_of(d));
}

extern "C" const char *sl_device_edges_apply(struct sl_device *d, struct sl_device *coarse,
                                             const sl_real per_dx[3], sl_real *u)
{
    const struct nest_faces *f = d->nest->faces;
    struct apply_args a;
    PASS(edges_do(d, coarse, f->edge_in, f->nedge_in, (sl_real *)received_of(d)));
    if (f->ncoarse == 0) return NULL;
    a.run = coarse->run, a.list = f->coarse_block, a.more = f->more, a.each = f->each, a.u = u;
    for (int axis = 0; axis < 3; axis++)
        a.per_dx[axis] = per_dx[axis];
    edges_apply<<<rows_of(f->ncoarse, (size_t)cells_of(a.run.n)), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_reflux_centre(struct sl_device *d, struct sl_device *coarse,
                                               sl_real *u)
{
    const struct nest_faces *f = d->nest->faces;
    return centre_do(coarse, f->coarse_block, 0, f->ncoarse, 1, u);
}

/* ---- new blocks: calls ----------------------------------------------------------------------- */

extern "C" const char *sl_device_join_new(struct sl_device *d, const signed char *made,
                                          struct sl_device_join *j)
{
    const struct run_args *r = &d->run;
    size_t size = (size_t)r->nblock * SIDE_VALUES * (size_t)r->var * sizeof(sl_real);
    j->sides = NULL, j->made = NULL;
    PASS(room_new(size, (void **)&j->sides));
    return table(made, (size_t)r->nblock, (const void **)&j->made);
}

extern "C" void sl_device_join_free(struct sl_device_join *j)
{
    room_free(j->sides);
    room_free(j->made);
}

static struct join_args join_args_of(const struct sl_device *d, const struct sl_device_join *j,
                                     int axis, sl_real *u)
{
    struct join_args a;
    a.run = d->run, a.made = j->made, a.axis = axis, a.sides = j->sides, a.u = u;
    return a;
}

extern "C" const char *sl_device_join_give(struct sl_device *d, const struct sl_device_join *j,
                                           int axis, sl_real *u)
{
    const struct run_args *r = &d->run;
    size_t size = (size_t)r->nblock * SIDE_VALUES * (size_t)r->var * sizeof(sl_real);
    if (r->nblock == 0) return NULL;
    TRY(cudaMemsetAsync(j->sides, 0, size, d->stream));
    join_give<<<rows_of(r->nblock, 2 * across_of(r->n, axis).faces), NEST_THREADS, 0, d->stream>>>(
        join_args_of(d, j, axis, u));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_join_take(struct sl_device *d, const struct sl_device_join *j,
                                           int axis, sl_real *u)
{
    const struct run_args *r = &d->run;
    if (r->nblock == 0) return NULL;
    join_take<<<rows_of(r->nblock, 2 * across_of(r->n, axis).faces), NEST_THREADS, 0, d->stream>>>(
        join_args_of(d, j, axis, u));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_join_groups(struct sl_device *d, const int *block, int n,
                                             const sl_real dx[3], sl_real *u)
{
    struct group_args a;
    if (n == 0) return NULL;
    a.run = d->run, a.u = u;
    for (int axis = 0; axis < 3; axis++)
        a.dx[axis] = dx[axis];
    PASS(table(block, (size_t)n * sizeof *block, (const void **)&a.list));
    groups<<<rows_of(n, (size_t)cells_of(d->run.n) >> d->run.dim), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    PASS(centre_do(d, a.list, 0, n, 0, u));
    room_free(a.list);
    return NULL;
}
