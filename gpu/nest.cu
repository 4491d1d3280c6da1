/* nest.cu - prolongs, averages and corrects between levels, and moves blocks; see nest.h. */
#include <stdlib.h>

#include "core/cell/prolong.h"
#include "core/cell/reflux.h"
#include "core/cell/restrict.h"
#include "core/step/flux_register.h"
#include "gpu/inside.cuh"
#include "gpu/nest.h"

/* Coarse cells that neighbouring threads work on: ghost boxes have from one to some hundred. */
enum { UNIT = 8, NEST_THREADS = 128 };

struct unit {
    int job, first; /* number of its first coarse cell */
};

/* A box of a fine block, and the coarse cells that reach into it: the first one's place among those of a coarse block's half. */
struct span {
    struct sl_device_box fine;
    int first[3], n[3];
};

/* Boxes that come in messages. */
struct links {
    struct sl_device_link *link; /* device */
    int n;
    size_t most; /* cells of the longest */
};

/* What lies behind the faces of a leaf: -1, or the number of a job. */
struct reflux_leaf {
    int block, job[6][4];
};
struct reflux_face {
    size_t coarse, fine; /* first values in the registers, or in the buffer */
    int came;            /* in a message */
    int half[2];         /* along the earlier and the later axis of the face */
};
struct reflux_out {
    size_t fine, start;
    int axis;
};

struct nest {
    struct sl_prolong_job *prolong; /* device, likewise all that follows */
    struct unit *unit;
    struct span *span;
    struct sl_cover_job *cover;
    struct links prolong_in, cover_in;
    struct reflux_leaf *leaf;
    struct reflux_face *face;
    struct reflux_out *out;
    int units, ncover, nleaf, nout, reflux_set;
};

/* ---- where cells are -------------------------------------------------------------------------------- */

/* A box of values: in a field, or in a buffer of nvar variables. */
struct target {
    sl_real *at; /* of its first cell */
    ptrdiff_t step[3], var;
    int lo[3], n[3];
};

static __device__ __forceinline__ ptrdiff_t cell_of_block(const struct run_args &r, int x, int y,
                                                          int z)
{
    return ((ptrdiff_t)z * r.nt[1] + y) * r.nt[0] + x;
}

static __device__ __forceinline__ struct target target_of(const struct run_args &r,
                                                          const struct sl_device_box &box,
                                                          int block, size_t start, int nvar,
                                                          sl_real *u, sl_real *buffer)
{
    struct target t;
    for (int a = 0; a < 3; a++)
        t.lo[a] = box.lo[a], t.n[a] = box.n[a];
    if (block < 0) {
        t.step[0] = 1, t.step[1] = box.n[0], t.step[2] = (ptrdiff_t)box.n[0] * box.n[1];
        t.var = t.step[2] * box.n[2];
        t.at = buffer + start * (size_t)nvar;
        return t;
    }
    t.step[0] = 1, t.step[1] = r.nt[0], t.step[2] = (ptrdiff_t)r.nt[0] * r.nt[1];
    t.var = r.var;
    t.at =
        u + (ptrdiff_t)block * r.nvar * r.var + cell_of_block(r, box.lo[0], box.lo[1], box.lo[2]);
    return t;
}

/* ---- prolongation ----------------------------------------------------------------------------------- */

/* The coarse level as its cells are read. */
struct source {
    struct sl_prolong p;
    int nvar, nflow, n[3], g[3];
    sl_real dual_eta;
    const sl_real *old, *now;
};

static struct source source_of(const struct sl_device *coarse, sl_real share, const sl_real *old,
                               const sl_real *now)
{
    const struct run_args *r = &coarse->run;
    struct source s;
    s.p.gas = r->gas, s.p.layout = r->layout, s.p.dim = r->dim;
    s.p.step[0] = 1, s.p.step[1] = r->nt[0], s.p.step[2] = (ptrdiff_t)r->nt[0] * r->nt[1];
    s.p.var = (size_t)r->var, s.p.share = share;
    s.nvar = r->nvar, s.nflow = r->nflow, s.dual_eta = r->dual_eta;
    for (int a = 0; a < 3; a++)
        s.n[a] = r->n[a], s.g[a] = r->g[a];
    s.old = old, s.now = now;
    return s;
}

/* A coarse cell in both states, and where its child 0 lies, counted from the first cell of the target. */
struct parent {
    const sl_real *old, *now;
    int child[3];
};

/* Coarse cell number `c` of a span, in half `half` of a block; origin: where child 0 of the first coarse cell of that half would
 * be. */
static __device__ __forceinline__ struct parent
parent_of(const struct source &s, const struct span &span, int block, const int half[3], int c,
          const int origin[3], const struct target &t)
{
    int at[3] = {c % span.n[0], c / span.n[0] % span.n[1], c / (span.n[0] * span.n[1])};
    ptrdiff_t from = (ptrdiff_t)block * s.nvar * (ptrdiff_t)s.p.var;
    struct parent p;
    for (int a = 0; a < 3; a++) {
        at[a] += span.first[a];
        from += (s.g[a] + half[a] * (s.n[a] / 2) + at[a]) * s.p.step[a];
        p.child[a] = origin[a] + 2 * at[a] - t.lo[a];
    }
    p.old = s.old + from, p.now = s.now + from;
    return p;
}

/* Where child k lies in the target, -1: outside. */
static __device__ __forceinline__ ptrdiff_t place_of(const struct target &t, const struct parent &p,
                                                     int k)
{
    int x = p.child[0] + (k & 1), y = p.child[1] + (k >> 1 & 1), z = p.child[2] + (k >> 2);
    bool inside = x >= 0 && x < t.n[0] && y >= 0 && y < t.n[1] && z >= 0 && z < t.n[2];
    return inside ? z * t.step[2] + y * t.step[1] + x : -1;
}

static __device__ void children(const struct source &s, const struct parent &p,
                                const struct target &t)
{
    sl_real factor = sl_prolong_factor(&s.p, p.old, p.now);
    for (int v = 0; v < s.nflow; v++) {
        struct sl_drawn d = sl_prolong_draw(&s.p, p.old, p.now, v);
        for (int k = 0; k < 1 << s.p.dim; k++) {
            ptrdiff_t at = place_of(t, p, k);
            if (at >= 0) t.at[v * t.var + at] = sl_prolong_child(s.p.dim, d, factor, k);
        }
    }
}

/* With dual energy each child has the heat that its parent trusts. */
static __device__ void children_agree(const struct source &s, const struct parent &p,
                                      const struct target &t)
{
    int agreed = sl_dual_agrees(&s.p.gas, &s.p.layout, p.now, s.p.var);
    for (int k = 0; k < 1 << s.p.dim; k++) {
        ptrdiff_t at = place_of(t, p, k);
        if (at >= 0)
            sl_dual_follow(&s.p.gas, &s.p.layout, s.dual_eta, agreed, t.at + at, (size_t)t.var);
    }
}

struct prolong_args {
    struct run_args run; /* of the fine level */
    struct source from;
    const struct sl_prolong_job *job;
    const struct unit *unit;
    const struct span *span;
    int units;
    sl_real *u, *buffer;
};

static __global__ void __launch_bounds__(NEST_THREADS)
    prolong(const __grid_constant__ struct prolong_args a)
{
    size_t i = this_cell(), number = i / UNIT;
    if (number >= (size_t)a.units) return;
    const struct unit w = a.unit[number];
    const struct sl_prolong_job *j = a.job + w.job;
    const struct span s = a.span[j->edges * SL_DEVICE_NDIR + j->dir];
    int c = w.first + (int)(i % UNIT);
    if (c >= s.n[0] * s.n[1] * s.n[2]) return;
    const int digit[3] = {j->dir % 3, j->dir / 3 % 3, j->dir / 9};
    int origin[3];
    for (int d = 0; d < 3; d++)
        origin[d] = a.run.g[d] + (digit[d] - 1) * a.run.n[d];
    struct target t = target_of(a.run, s.fine, j->fine, j->start, a.run.nflow, a.u, a.buffer);
    children(a.from, parent_of(a.from, s, j->coarse, j->half, c, origin, t), t);
}

/* ---- moves ------------------------------------------------------------------------------------------ */

struct move_args {
    struct run_args run; /* of the new level; blocks of the old one have the same shape */
    struct source from;
    int parent;
    const struct sl_device_move *move;
    struct span inside;
    sl_real *u, *buffer;
};

static __device__ void copy(const struct move_args &a, int block, int c, const struct target &t)
{
    int x = c % t.n[0], y = c / t.n[0] % t.n[1], z = c / (t.n[0] * t.n[1]);
    const struct run_args &r = a.run;
    const sl_real *from = a.from.now + (ptrdiff_t)block * r.nvar * r.var +
                          cell_of_block(r, x + t.lo[0], y + t.lo[1], z + t.lo[2]);
    sl_real *to = t.at + z * t.step[2] + y * t.step[1] + x;
    for (int v = 0; v < r.nvar; v++)
        to[v * t.var] = from[v * r.var];
}

static __device__ void make(const struct move_args &a, const struct sl_device_move *m, int c,
                            const struct target &t)
{
    struct parent p = parent_of(a.from, a.inside, m->from, m->half, c, a.run.g, t);
    children(a.from, p, t);
    if (a.run.layout.entropy >= 0) children_agree(a.from, p, t);
}

/* A row of blocks of threads per move. */
static __global__ void __launch_bounds__(NEST_THREADS)
    move_blocks(const __grid_constant__ struct move_args a)
{
    const struct sl_device_move *m = a.move + blockIdx.x;
    const struct span &s = a.inside;
    struct target t = target_of(a.run, s.fine, m->to, m->start, a.run.nvar, a.u, a.buffer);
    int cells = a.parent ? s.n[0] * s.n[1] * s.n[2] : t.n[0] * t.n[1] * t.n[2];
    int c = (int)(blockIdx.y * blockDim.x + threadIdx.x);
    for (; c < cells; c += (int)(gridDim.y * blockDim.x))
        if (a.parent)
            make(a, m, c, t);
        else
            copy(a, m->from, c, t);
}

/* ---- covered blocks --------------------------------------------------------------------------------- */

struct cover_args {
    struct run_args run;
    const struct sl_cover_job *job;
    const sl_real *u;
    sl_real *to, *buffer;
};

static __device__ __forceinline__ struct sl_device_box octant_of(const struct run_args &r,
                                                                 const int half[3])
{
    struct sl_device_box box;
    for (int a = 0; a < 3; a++) {
        box.n[a] = a < r.dim ? r.n[a] / 2 : 1;
        box.lo[a] = r.g[a] + half[a] * box.n[a];
    }
    return box;
}

/* A row of blocks of threads per job. */
static __global__ void cover(const __grid_constant__ struct cover_args a)
{
    const struct run_args &r = a.run;
    const struct sl_cover_job *j = a.job + blockIdx.x;
    struct target t =
        target_of(r, octant_of(r, j->half), j->coarse, j->start, r.nflow, a.to, a.buffer);
    const ptrdiff_t step[3] = {1, r.nt[0], (ptrdiff_t)r.nt[0] * r.nt[1]};
    const sl_real *from =
        a.u + (ptrdiff_t)j->fine * r.nvar * r.var + cell_of_block(r, r.g[0], r.g[1], r.g[2]);
    int cells = t.n[0] * t.n[1] * t.n[2];
    int i = (int)(blockIdx.y * blockDim.x + threadIdx.x);
    for (; i < cells * r.nflow; i += (int)(gridDim.y * blockDim.x)) {
        int v = i / cells, c = i - v * cells;
        int x = c % t.n[0], y = c / t.n[0] % t.n[1], z = c / (t.n[0] * t.n[1]);
        const sl_real *u = from + v * r.var + 2 * cell_of_block(r, x, y, z);
        t.at[v * t.var + z * t.step[2] + y * t.step[1] + x] = sl_restrict(r.dim, u, step);
    }
}

/* ---- fluxes at the edges of levels ------------------------------------------------------------------ */

/* The two axes of a face, the earlier one first, and how many faces lie along them. */
struct across {
    int axis[2], n[2];
    size_t faces;
};

static __host__ __device__ __forceinline__ struct across across_of(const int n[3], int axis)
{
    struct across o;
    o.axis[0] = axis == 0, o.axis[1] = axis == 2 ? 1 : 2;
    o.n[0] = n[o.axis[0]], o.n[1] = n[o.axis[1]];
    o.faces = (size_t)o.n[0] * (size_t)o.n[1];
    return o;
}

/* Coarse faces along an axis of a face that a fine block covers. */
static __host__ __device__ __forceinline__ int part_of(int dim, int axis, int n)
{
    return axis < dim ? n / 2 : 1;
}

struct reflux_args {
    struct run_args run;
    struct sl_reflux how;
    const struct reflux_leaf *leaf;
    const struct reflux_face *face;
    const struct reflux_out *out;
    const sl_real *coarse, *fine, *came;
    sl_real per_dx[3], *u, *buffer;
    unsigned long long *floored;
};

/* A row of blocks of threads per face that another rank corrects. */
static __global__ void reflux_pack(const __grid_constant__ struct reflux_args a)
{
    const struct run_args &r = a.run;
    const struct reflux_out o = a.out[blockIdx.x];
    struct across s = across_of(r.n, o.axis);
    int wide = part_of(r.dim, s.axis[0], s.n[0]), high = part_of(r.dim, s.axis[1], s.n[1]);
    const ptrdiff_t step[3] = {1, s.n[0], 0};
    int cells = wide * high, i = (int)(blockIdx.y * blockDim.x + threadIdx.x);
    for (; i < cells * r.nflow; i += (int)(gridDim.y * blockDim.x)) {
        int v = i / cells, c = i - v * cells, x = c % wide, y = c / wide;
        const sl_real *from = a.fine + o.fine + (size_t)v * s.faces + 2 * (y * s.n[0] + x);
        a.buffer[o.start * (size_t)r.nflow + (size_t)i] = sl_restrict(r.dim - 1, from, step);
    }
}

/* The job behind side `side` of the cell at[], -1: none. */
static __device__ __forceinline__ int job_of(const struct run_args &r, const struct reflux_leaf &l,
                                             int side, const int at[3])
{
    int axis = side / 2;
    if (axis >= r.dim || at[axis] != (side % 2 ? r.n[axis] - 1 : 0)) return -1;
    struct across s = across_of(r.n, axis);
    int x = at[s.axis[0]] >= part_of(r.dim, s.axis[0], s.n[0]);
    int y = at[s.axis[1]] >= part_of(r.dim, s.axis[1], s.n[1]);
    return l.job[side][x + 2 * y];
}

static __device__ __forceinline__ struct sl_reflux_face face_of(const struct reflux_args &a,
                                                                int side, int job, const int at[3])
{
    const struct run_args &r = a.run;
    const struct reflux_face *j = a.face + job;
    struct across s = across_of(r.n, side / 2);
    int wide = part_of(r.dim, s.axis[0], s.n[0]), high = part_of(r.dim, s.axis[1], s.n[1]);
    int x = at[s.axis[0]], y = at[s.axis[1]];
    struct sl_reflux_face f;
    f.per_dx = side % 2 ? a.per_dx[side / 2] : -a.per_dx[side / 2];
    f.coarse = a.coarse + j->coarse + (size_t)(y * s.n[0] + x);
    f.coarse_var = s.faces;
    x -= j->half[0] * wide, y -= j->half[1] * high;
    f.fine_step[0] = 1, f.fine_step[1] = s.n[0], f.fine_step[2] = 0;
    f.fine_dim = j->came ? 0 : r.dim - 1;
    f.fine_var = j->came ? (size_t)(wide * high) : s.faces;
    f.fine = j->came ? a.came + j->fine + (size_t)(y * wide + x)
                     : a.fine + j->fine + (size_t)(2 * (y * s.n[0] + x));
    return f;
}

/* Corrects a cell that lies beside a finer block across side `first`, and across no earlier one, which would do it. */
static __device__ void reflux_cell(const struct reflux_args &a, const struct reflux_leaf &l,
                                   int first, const int at[3])
{
    const struct run_args &r = a.run;
    struct sl_reflux_face face[3];
    for (int axis = 0; axis < 3; axis++)
        face[axis].per_dx = 0;
#pragma unroll
    for (int side = 0; side < 6; side++) {
        int job = job_of(r, l, side, at);
        if (side == first ? job < 0 : side < first && job >= 0) return;
        if (job >= 0) face[side / 2] = face_of(a, side, job, at);
    }
    sl_real *u = a.u + (ptrdiff_t)l.block * r.nvar * r.var +
                 cell_of_block(r, r.g[0] + at[0], r.g[1] + at[1], r.g[2] + at[2]);
    if (sl_reflux_cell(&a.how, face, u)) atomicAdd(a.floored, 1);
}

/* Six rows of blocks of threads per leaf, one for each side. */
static __global__ void reflux(const __grid_constant__ struct reflux_args a)
{
    const struct run_args &r = a.run;
    const struct reflux_leaf &l = a.leaf[blockIdx.x / 6];
    int side = (int)(blockIdx.x % 6), axis = side / 2;
    struct across s = across_of(r.n, axis);
    if (axis >= r.dim) return;
    size_t i = (size_t)blockIdx.y * blockDim.x + threadIdx.x;
    for (; i < s.faces; i += gridDim.y * blockDim.x) {
        int at[3];
        at[axis] = side % 2 ? r.n[axis] - 1 : 0;
        at[s.axis[0]] = (int)i % s.n[0], at[s.axis[1]] = (int)i / s.n[0];
        reflux_cell(a, l, side, at);
    }
}

/* ---- lists -------------------------------------------------------------------------------------------- */

static int floor_half(int q)
{
    return (q - (q < 0)) / 2;
}

/* Coarse cells that reach into box `fine` of a block, in the direction of `digit` along each axis. */
static struct span span_of(const struct run_args *r, struct sl_device_box fine, const int digit[3])
{
    struct span s;
    s.fine = fine;
    for (int a = 0; a < 3; a++) {
        int first = fine.lo[a] - r->g[a] - (digit[a] - 1) * r->n[a];
        s.first[a] = floor_half(first);
        s.n[a] = a < r->dim ? floor_half(first + fine.n[a] - 1) - s.first[a] + 1 : 1;
    }
    return s;
}

static int cells_of(const int n[3])
{
    return n[0] * n[1] * n[2];
}

static int spans_set(const struct run_args *r, const struct sl_device_box box[8][SL_DEVICE_NDIR],
                     struct span *span)
{
    for (int i = 0; i < 8 * SL_DEVICE_NDIR; i++) {
        int dir = i % SL_DEVICE_NDIR;
        const int digit[3] = {dir % 3, dir / 3 % 3, dir / 9};
        span[i] = span_of(r, box[i / SL_DEVICE_NDIR][dir], digit);
    }
    return 8 * SL_DEVICE_NDIR;
}

/* Units of n jobs; list may be NULL. Returns their number. */
static int units_set(const struct sl_prolong_job *job, int n, const struct span *span,
                     struct unit *list)
{
    int units = 0;
    for (int j = 0; j < n; j++) {
        int cells = cells_of(span[job[j].edges * SL_DEVICE_NDIR + job[j].dir].n);
        for (int first = 0; first < cells; first += UNIT, units++)
            if (list) list[units].job = j, list[units].first = first;
    }
    return units;
}

static const char *links_set(struct links *l, struct sl_device_link *list, int n)
{
    l->n = n;
    l->most = 1;
    for (int i = 0; i < n; i++)
        l->most = list[i].cells > l->most ? list[i].cells : l->most;
    return table(list, (size_t)n * sizeof *list, (const void **)&l->link);
}

static void link_set(struct sl_device_link *l, int block, const struct sl_device_box &box,
                     size_t start)
{
    l->block = block;
    for (int a = 0; a < 3; a++)
        l->lo[a] = box.lo[a], l->n[a] = box.n[a];
    l->start = start;
    l->cells = (size_t)cells_of(box.n);
}

static const char *prolong_set(struct sl_device *d, const struct sl_nest *nest,
                               const struct span *span)
{
    struct nest *k = d->nest;
    int here = nest->nprolong[0] + nest->nprolong[1], in = nest->nprolong[2];
    k->units = units_set(nest->prolong, here, span, NULL);
    struct unit *unit = (struct unit *)malloc(((size_t)k->units + 1) * sizeof *unit);
    struct sl_device_link *link = (struct sl_device_link *)malloc(((size_t)in + 1) * sizeof *link);
    const char *text = unit && link ? NULL : "no memory on the host";
    if (!text) {
        units_set(nest->prolong, here, span, unit);
        for (int i = 0; i < in; i++) {
            const struct sl_prolong_job *j = nest->prolong + here + i;
            link_set(&link[i], j->fine, span[j->edges * SL_DEVICE_NDIR + j->dir].fine, j->start);
        }
        text = table(unit, (size_t)k->units * sizeof *unit, (const void **)&k->unit);
    }
    if (!text) text = links_set(&k->prolong_in, link, in);
    free(unit), free(link);
    PASS(text);
    return table(nest->prolong, (size_t)here * sizeof *nest->prolong, (const void **)&k->prolong);
}

static const char *cover_set(struct sl_device *d, const struct sl_nest *nest)
{
    struct nest *k = d->nest;
    int in = nest->ncover[2];
    k->ncover = nest->ncover[0] + nest->ncover[1];
    struct sl_device_link *link = (struct sl_device_link *)malloc(((size_t)in + 1) * sizeof *link);
    if (!link) return "no memory on the host";
    for (int i = 0; i < in; i++) {
        const struct sl_cover_job *j = nest->cover + k->ncover + i;
        struct sl_device_box box;
        for (int a = 0; a < 3; a++) {
            box.n[a] = a < d->run.dim ? d->run.n[a] / 2 : 1;
            box.lo[a] = d->run.g[a] + j->half[a] * box.n[a];
        }
        link_set(&link[i], j->coarse, box, j->start);
    }
    const char *text = links_set(&k->cover_in, link, in);
    free(link);
    PASS(text);
    return table(nest->cover, (size_t)k->ncover * sizeof *nest->cover, (const void **)&k->cover);
}

extern "C" const char *sl_device_nest_set(struct sl_device *d, const struct sl_nest *nest,
                                          const struct sl_device_box box[8][SL_DEVICE_NDIR])
{
    struct span span[8 * SL_DEVICE_NDIR];
    d->nest = (struct nest *)calloc(1, sizeof *d->nest);
    if (!d->nest) return "no memory on the host";
    int n = spans_set(&d->run, box, span);
    PASS(table(span, (size_t)n * sizeof *span, (const void **)&d->nest->span));
    PASS(prolong_set(d, nest, span));
    return cover_set(d, nest);
}

static void reflux_free(struct nest *k)
{
    room_free(k->leaf), room_free(k->face), room_free(k->out);
    k->leaf = NULL, k->face = NULL, k->out = NULL;
}

void nest_free(struct nest *k)
{
    if (!k) return;
    room_free(k->prolong), room_free(k->unit), room_free(k->span), room_free(k->cover);
    room_free(k->prolong_in.link), room_free(k->cover_in.link);
    reflux_free(k);
    free(k);
}

/* ---- the list of corrections ------------------------------------------------------------------------ */

struct reflux_lists {
    struct reflux_leaf *leaf;
    struct reflux_face *face;
    struct reflux_out *out;
    int *at; /* [block]: its leaf, -1: none */
    int nleaf, nface, nout;
};

static int reflux_leaf_of(struct reflux_lists *l, int block)
{
    if (l->at[block] >= 0) return l->at[block];
    struct reflux_leaf *leaf = &l->leaf[l->nleaf];
    leaf->block = block;
    for (int i = 0; i < 24; i++)
        leaf->job[i / 4][i % 4] = -1;
    return l->at[block] = l->nleaf++;
}

static void reflux_put(const struct run_args *r, const struct sl_nest *nest,
                       const struct sl_reflux_job *j, struct reflux_lists *l)
{
    struct across s = across_of(r->n, j->axis);
    int came = j->fine_side < 0;
    if (j->coarse_side < 0) {
        struct reflux_out *o = &l->out[l->nout++];
        o->axis = j->axis, o->fine = nest->fine[j->fine_side].start, o->start = j->start;
        return;
    }
    struct reflux_leaf *leaf = &l->leaf[reflux_leaf_of(l, j->coarse)];
    struct reflux_face *f = &l->face[l->nface];
    f->half[0] = j->half[s.axis[0]], f->half[1] = j->half[s.axis[1]];
    leaf->job[2 * j->axis + j->upper][f->half[0] + 2 * f->half[1]] = l->nface++;
    f->coarse = nest->coarse[j->coarse_side].start;
    f->came = came;
    f->fine = came ? j->start * (size_t)r->nflow : nest->fine[j->fine_side].start;
}

static const char *reflux_lists_take(struct nest *k, const struct reflux_lists *l)
{
    k->nleaf = l->nleaf, k->nout = l->nout;
    PASS(table(l->leaf, (size_t)l->nleaf * sizeof *l->leaf, (const void **)&k->leaf));
    PASS(table(l->face, (size_t)l->nface * sizeof *l->face, (const void **)&k->face));
    return table(l->out, (size_t)l->nout * sizeof *l->out, (const void **)&k->out);
}

extern "C" int sl_device_reflux_is_set(const struct sl_device *d)
{
    return d->nest->reflux_set;
}

extern "C" const char *sl_device_reflux_set(struct sl_device *d, const struct sl_nest *nest)
{
    size_t n = (size_t)(nest->nreflux[0] + nest->nreflux[1] + nest->nreflux[2]), blocks = 1;
    struct reflux_lists l = {};
    for (size_t i = 0; i < n; i++)
        if (nest->reflux[i].coarse >= (int)blocks) blocks = (size_t)nest->reflux[i].coarse + 1;
    l.leaf = (struct reflux_leaf *)malloc((n + 1) * sizeof *l.leaf);
    l.face = (struct reflux_face *)malloc((n + 1) * sizeof *l.face);
    l.out = (struct reflux_out *)malloc((n + 1) * sizeof *l.out);
    l.at = (int *)malloc(blocks * sizeof *l.at);
    const char *text = l.leaf && l.face && l.out && l.at ? NULL : "no memory on the host";
    for (size_t b = 0; b < blocks && !text; b++)
        l.at[b] = -1;
    for (size_t i = 0; i < n && !text; i++)
        reflux_put(&d->run, nest, &nest->reflux[i], &l);
    reflux_free(d->nest);
    if (!text) text = reflux_lists_take(d->nest, &l);
    d->nest->reflux_set = !text;
    free(l.leaf), free(l.face), free(l.out), free(l.at);
    return text;
}

/* ---- calls -------------------------------------------------------------------------------------------- */

static sl_real *send_of(const struct sl_device *d)
{
    return (sl_real *)d->shared->message[SEND];
}

static unsigned grid_of(size_t n)
{
    return (unsigned)((n + NEST_THREADS - 1) / NEST_THREADS);
}

/* A row of blocks of threads for each of n, `each` values long. */
static dim3 rows_of(int n, size_t each)
{
    size_t rows = (each + NEST_THREADS - 1) / NEST_THREADS;
    return dim3((unsigned)n, (unsigned)(rows < 64 ? rows : 64));
}

extern "C" const char *sl_device_prolong(struct sl_device *d, struct sl_device *coarse,
                                         sl_real share, const sl_real *old, const sl_real *now,
                                         sl_real *u)
{
    const struct nest *k = d->nest;
    struct prolong_args a;
    if (k->units == 0) return NULL;
    a.run = d->run, a.from = source_of(coarse, share, old, now);
    a.job = k->prolong, a.unit = k->unit, a.span = k->span, a.units = k->units;
    a.u = u, a.buffer = send_of(d);
    prolong<<<grid_of((size_t)k->units * UNIT), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_prolong_unpack(struct sl_device *d, sl_real *u)
{
    const struct links *l = &d->nest->prolong_in;
    return links_unpack(d, l->link, l->n, l->most, d->run.nflow, u);
}

extern "C" const char *sl_device_cover(struct sl_device *d, struct sl_device *, const sl_real *u,
                                       sl_real *to)
{
    const struct nest *k = d->nest;
    struct cover_args a;
    if (k->ncover == 0) return NULL;
    a.run = d->run, a.job = k->cover, a.u = u, a.to = to, a.buffer = send_of(d);
    size_t each = (size_t)cells_of(d->run.n) * (size_t)d->run.nflow >> d->run.dim;
    cover<<<rows_of(k->ncover, each / 4 + 1), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_cover_unpack(struct sl_device *d, struct sl_device *coarse,
                                              sl_real *to)
{
    const struct links *l = &d->nest->cover_in;
    return links_unpack(coarse, l->link, l->n, l->most, d->run.nflow, to);
}

static struct reflux_args reflux_args_of(const struct sl_device *d, const struct sl_device *coarse)
{
    const struct run_args *r = &d->run;
    const struct nest *k = d->nest;
    struct reflux_args a = {};
    a.run = *r;
    a.how.gas = r->gas, a.how.layout = r->layout, a.how.dim = r->dim;
    a.how.dual_eta = r->dual_eta, a.how.stride = (size_t)r->var;
    a.leaf = k->leaf, a.face = k->face, a.out = k->out;
    if (coarse && coarse->fluxes) a.coarse = register_coarse(coarse->fluxes);
    if (d->fluxes) a.fine = register_fine(d->fluxes);
    a.came = (const sl_real *)d->shared->message[RECEIVE];
    a.buffer = send_of(d);
    return a;
}

static size_t most_faces(const struct run_args *r)
{
    size_t most = 1;
    for (int axis = 0; axis < r->dim; axis++)
        most = max(most, sl_flux_register_faces(r->n, axis));
    return most;
}

extern "C" const char *sl_device_reflux_pack(struct sl_device *d)
{
    const struct run_args *r = &d->run;
    struct reflux_args a = reflux_args_of(d, NULL);
    if (d->nest->nout == 0) return NULL;
    size_t each = most_faces(r) * (size_t)r->nflow >> (r->dim - 1);
    reflux_pack<<<rows_of(d->nest->nout, each), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_reflux(struct sl_device *d, struct sl_device *coarse,
                                        const sl_real per_dx[3], sl_real *u)
{
    struct reflux_args a = reflux_args_of(d, coarse);
    if (d->nest->nleaf == 0) return NULL;
    for (int axis = 0; axis < 3; axis++)
        a.per_dx[axis] = per_dx[axis];
    a.u = u, a.floored = coarse->most + FLOORED;
    reflux<<<rows_of(6 * d->nest->nleaf, most_faces(&d->run)), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_move(struct sl_device *d, struct sl_device *old, int parent,
                                      const struct sl_device_move *move, int n, const sl_real *from,
                                      sl_real *u)
{
    const struct run_args *r = &d->run;
    const int middle[3] = {1, 1, 1};
    struct sl_device_box inside;
    struct move_args a;
    if (n == 0) return NULL;
    for (int axis = 0; axis < 3; axis++)
        inside.lo[axis] = r->g[axis], inside.n[axis] = r->n[axis];
    a.run = *r, a.from = source_of(old, 1, from, from), a.parent = parent;
    a.inside = span_of(r, inside, middle);
    a.u = u, a.buffer = send_of(d);
    PASS(table(move, (size_t)n * sizeof *move, (const void **)&a.move));
    size_t each = (size_t)cells_of(r->n) >> (parent ? r->dim : 0);
    move_blocks<<<rows_of(n, each / 4 + 1), NEST_THREADS, 0, d->stream>>>(a);
    room_free(a.move);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_move_unpack(struct sl_device *d, const struct sl_device_link *link,
                                             int n, sl_real *u)
{
    const void *list = NULL;
    if (n == 0) return NULL;
    PASS(table(link, (size_t)n * sizeof *link, &list));
    const char *text = links_unpack(d, (const struct sl_device_link *)list, n,
                                    (size_t)cells_of(d->run.n), d->run.nvar, u);
    room_free(list);
    return text;
}
