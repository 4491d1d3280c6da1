/* nest.cu - prolongs, averages and corrects between levels, and moves blocks; see nest.h. */
#include <stdlib.h>

#include "core/cell/centre.h"
#include "core/cell/prolong_face.h"
#include "core/cell/prolong_heat.h"
#include "gpu/nest.cuh"

/* ---- prolongation ---------------------------------------------------------------------------- */

/* The coarse level as its cells are read. */
struct source {
    struct sl_prolong p;
    int nvar, nflow, n[3], g[3];
    sl_real dx[3];
    const sl_real *old, *now, *pull; /* pull, pull_time: as in nest.h */
    size_t pulls;                    /* accelerations along an axis */
    sl_real pull_time;
};

static struct source source_of(const struct sl_device *coarse, const sl_real dx[3], sl_real share,
                               const sl_real *old, const sl_real *now)
{
    const struct run_args *r = &coarse->run;
    struct source s;
    s.p.gas = r->gas, s.p.layout = r->layout, s.p.dim = r->dim;
    s.p.step[0] = 1, s.p.step[1] = r->nt[0], s.p.step[2] = (ptrdiff_t)r->nt[0] * r->nt[1];
    s.p.var = (size_t)r->var, s.p.share = share, s.p.theta = r->prolong_theta;
    s.p.eta = r->dual_eta;
    s.nvar = r->nvar, s.nflow = r->nflow;
    for (int a = 0; a < 3; a++)
        s.n[a] = r->n[a], s.g[a] = r->g[a], s.dx[a] = dx[a];
    s.old = old, s.now = now;
    s.pull = NULL, s.pull_time = 0;
    s.pulls = (size_t)r->nblock * (size_t)cells_of(r->n);
    return s;
}

/* A coarse cell in both states, and where its child 0 lies, counted from the first cell of the
 * target. */
struct parent {
    const sl_real *old, *now;
    size_t cell; /* among the interior ones of its level */
    int child[3];
};

/* Coarse cell number `c` of a span, in half `half` of a block; origin: where child 0 of the first
 * coarse cell of that half would be. */
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
    for (int a = 0; a < 3; a++)
        at[a] += half[a] * (s.n[a] / 2);
    p.cell = (((size_t)block * s.n[2] + at[2]) * s.n[1] + at[1]) * s.n[0] + at[0];
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

/* After all else. */
static __device__ void scalars(const struct source &s, const struct parent &p,
                               const struct target &t, sl_real factor)
{
    struct sl_mix mix = sl_prolong_mix(&s.p, p.old, p.now, factor);
    for (int i = 0; i < s.p.layout.nscalar; i++) {
        struct sl_linear d = sl_prolong_fraction(&s.p, p.old, p.now, i).d;
        d = sl_mix_fit(s.p.dim, &mix, d);
        for (int k = 0; k < 1 << s.p.dim; k++) {
            ptrdiff_t at = place_of(t, p, k);
            if (at < 0) continue;
            t.at[(s.p.layout.scalar0 + i) * t.var + at] =
                t.at[at] * sl_prolong_child(s.p.dim, d, 1, k);
        }
    }
}

/* After the densities. */
static __device__ void entropies(const struct source &s, const struct parent &p,
                                 const struct target &t, sl_real factor)
{
    int warm = sl_prolong_is_warm(&s.p, p.old, p.now);
    struct sl_linear d = sl_prolong_heat_slopes(&s.p, p.old, p.now, warm);
    for (int k = 0; k < 1 << s.p.dim; k++) {
        ptrdiff_t at = place_of(t, p, k);
        if (at < 0) continue;
        sl_real drawn = sl_prolong_child(s.p.dim, d, factor, k);
        t.at[s.p.layout.entropy * t.var + at] = sl_prolong_entropy(&s.p, warm, t.at[at], drawn);
    }
}

static __device__ void children(const struct source &s, const struct parent &p,
                                const struct target &t)
{
    sl_real factor = sl_prolong_factor(&s.p, p.old, p.now);
    for (int v = 0; v < s.p.layout.scalar0; v++) {
        if (v == s.p.layout.entropy) continue;
        struct sl_linear d = sl_prolong_slopes(&s.p, p.old, p.now, v);
        for (int k = 0; k < 1 << s.p.dim; k++) {
            ptrdiff_t at = place_of(t, p, k);
            if (at >= 0) t.at[v * t.var + at] = sl_prolong_child(s.p.dim, d, factor, k);
        }
    }
    if (s.p.layout.entropy >= 0) entropies(s, p, t, factor);
    if (s.p.layout.nscalar > 0) scalars(s, p, t, factor);
}

/* How fields at faces are made besides: the lower faces of the first cells across axis `own` stay
 * (-1: none do), the upper ones of the last cells are made, too, along axes with `more`; centre:
 * the field in the cells follows, and their heat stays. */
struct faces_how {
    int own, centre;
    const int *more;
};

/* face: lower and upper ones of the child along each axis. */
static __device__ void child_faces(const struct source &s, const struct faces_how &how,
                                   const struct target &t, const sl_real face[3][2], const int q[3],
                                   sl_real *at)
{
    const struct sl_layout &l = s.p.layout;
    sl_real more = 0;
    for (int d = 0; d < 3; d++) {
        if (d >= s.p.dim) continue;
        sl_real *to = at + (l.face + d) * t.var, *cell = at + (l.magnetic + d) * t.var;
        if (q[d] > 0 || how.own != d) to[0] = face[d][0];
        if (how.more[d] && q[d] == t.n[d] - 1) to[t.step[d]] = face[d][1];
        if (how.centre) more += sl_centre_put(cell, sl_face_mean(face[d][0], face[d][1]));
    }
    if (l.energy >= 0) at[l.energy * t.var] += more;
}

static __device__ __forceinline__ struct sl_prolong_face face_source(const struct source &s)
{
    struct sl_prolong_face w;
    w.dim = s.p.dim, w.var = (ptrdiff_t)s.p.var, w.share = s.p.share, w.theta = s.p.theta;
    for (int a = 0; a < 3; a++)
        w.step[a] = a < s.p.dim ? s.p.step[a] : 0, w.dx[a] = s.dx[a];
    return w;
}

static __device__ void faces_of_child(const struct source &s, const struct parent &p,
                                      const struct target &t, const struct faces_how &how,
                                      const sl_real face[3][2], int k)
{
    const int q[3] = {p.child[0] + (k & 1), p.child[1] + (k >> 1 & 1), p.child[2] + (k >> 2)};
    ptrdiff_t at = place_of(t, p, k);
    if (at >= 0) child_faces(s, how, t, face, q, t.at + at);
}

static __device__ void children_faces(const struct source &s, const struct parent &p,
                                      const struct target &t, const struct faces_how &how)
{
    ptrdiff_t first = (ptrdiff_t)s.p.layout.face * (ptrdiff_t)s.p.var;
    struct sl_prolong_face w = face_source(s);
    struct sl_child_faces f;
    sl_prolong_faces(&w, p.old + first, p.now + first, &f);
    for (int k = 0; k < 1 << s.p.dim; k++) {
        const int child[3] = {k & 1, k >> 1 & 1, k >> 2};
        sl_real face[3][2] = {};
        for (int d = 0; d < 3; d++)
            for (int up = 0; up < 2 && d < s.p.dim; up++)
                face[d][up] = sl_child_face(&f, d, child, up);
        faces_of_child(s, p, t, how, face, k);
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

/* Whether a direction leads across a face, not an edge or a corner. */
static __host__ __device__ __forceinline__ bool is_face(int dir)
{
    return (dir % 3 != 1) + (dir / 3 % 3 != 1) + (dir / 9 != 1) == 1;
}

/* The axis across which a block has faces of its own as the first ones of a box, -1: none. */
static __device__ __forceinline__ int own_axis(const struct run_args &r, int dir)
{
    if (!is_face(dir) || r.layout.face < 0) return -1;
    return dir % 3 == 2 ? 0 : dir / 3 % 3 == 2 ? 1 : dir / 9 == 2 ? 2 : -1;
}

/* What the rows of a block of threads share of its coarse cells, in shared memory: variables with
 * slopes, the factor of their slopes, and the faces of children. */
static __device__ __forceinline__ sl_real *shared_linear(sl_real *shared, int v)
{
    return shared + 4 * v * ROW + threadIdx.x;
}
static __device__ __forceinline__ sl_real *shared_factor(sl_real *shared, int nflow)
{
    return shared_linear(shared, nflow);
}
static __device__ __forceinline__ sl_real *shared_face(sl_real *shared, int nflow, int d, int plane,
                                                       int b, int a)
{
    return shared + (4 * nflow + 1 + 4 * (3 * d + plane) + 2 * b + a) * ROW + threadIdx.x;
}

static __device__ __forceinline__ struct sl_linear linear_of(sl_real *shared, int v)
{
    const sl_real *at = shared_linear(shared, v);
    struct sl_linear d = {at[0], {at[ROW], at[2 * ROW], at[3 * ROW]}};
    return d;
}

static __device__ __forceinline__ void linear_put(sl_real *shared, int v, struct sl_linear d)
{
    sl_real *at = shared_linear(shared, v);
    at[0] = d.mean;
    for (int a = 0; a < 3; a++)
        at[(1 + a) * ROW] = d.quarter[a];
}

static __device__ int is_warm(const struct source &s, const struct parent &p)
{
    return s.p.layout.entropy >= 0 && sl_prolong_is_warm(&s.p, p.old, p.now);
}

static __device__ void draw(const struct source &s, const struct parent &p, sl_real *shared)
{
    for (int v = (int)threadIdx.y; v < s.p.layout.scalar0; v += ROWS)
        linear_put(shared, v,
                   v == s.p.layout.entropy
                       ? sl_prolong_heat_slopes(&s.p, p.old, p.now, is_warm(s, p))
                       : sl_prolong_slopes(&s.p, p.old, p.now, v));
}

/* Fractions, once the factor is known. */
static __device__ void draw_scalars(const struct source &s, const struct parent &p, sl_real *shared)
{
    struct sl_mix mix = sl_prolong_mix(&s.p, p.old, p.now, *shared_factor(shared, s.nflow));
    for (int i = 0; i < s.p.layout.nscalar; i++) {
        struct sl_linear d = sl_prolong_fraction(&s.p, p.old, p.now, i).d;
        linear_put(shared, s.p.layout.scalar0 + i, sl_mix_fit(s.p.dim, &mix, d));
    }
}

/* As sl_prolong_factor. */
static __device__ sl_real factor_of(const struct source &s, const struct parent &p, sl_real *shared)
{
    const struct sl_layout &l = s.p.layout;
    const struct sl_linear none = {0, {0, 0, 0}}, rho = linear_of(shared, SL_RHO);
    struct sl_linear_gas g = {rho, {none, none, none}, none, {none, none, none}};
    if (l.energy < 0) return sl_prolong_factor_plain(&s.p, rho);
    for (int d = 0; d < 3; d++)
        g.m[d] = linear_of(shared, SL_MX + d);
    if (l.entropy >= 0) {
        struct sl_linear_dual dual = {rho, {g.m[0], g.m[1], g.m[2]}, linear_of(shared, l.entropy)};
        return sl_prolong_factor_dual(&s.p, &dual, p.old, p.now);
    }
    g.en = linear_of(shared, l.energy);
    for (int d = 0; d < 3 && l.magnetic >= 0; d++)
        g.b[d] = linear_of(shared, l.magnetic + d);
    return sl_prolong_factor_gas(&s.p, &g);
}

/* As kick_cell of core/transfer/prolong.c. */
static __device__ void kick_child(const struct source &s, const struct parent &p, size_t var,
                                  sl_real *u)
{
    for (int a = 0; a < s.p.dim; a++) {
        sl_real *m = u + (SL_MX + a) * var, dv = s.pull_time * s.pull[a * s.pulls + p.cell];
        if (s.p.layout.energy >= 0) u[s.p.layout.energy * var] += sl_drive_work(u[0], *m, dv);
        *m += u[0] * dv;
    }
}

/* A row for each child. */
static __device__ void children_write(const struct source &s, const struct parent &p,
                                      const struct target &t, sl_real *shared)
{
    sl_real factor = *shared_factor(shared, s.nflow);
    int warm = is_warm(s, p);
    for (int k = (int)threadIdx.y; k < 1 << s.p.dim; k += ROWS) {
        ptrdiff_t at = place_of(t, p, k);
        if (at < 0) continue;
        for (int v = 0; v < s.p.layout.scalar0; v++)
            t.at[v * t.var + at] = sl_prolong_child(s.p.dim, linear_of(shared, v), factor, k);
        sl_real rho = t.at[at];
        if (warm) {
            sl_real *entropy = t.at + s.p.layout.entropy * t.var + at;
            *entropy = sl_prolong_entropy(&s.p, warm, rho, *entropy);
        }
        for (int v = s.p.layout.scalar0; v < s.nflow; v++)
            t.at[v * t.var + at] = rho * sl_prolong_child(s.p.dim, linear_of(shared, v), 1, k);
        if (s.pull_time != 0) kick_child(s, p, t.var, t.at + at);
    }
}

static __device__ void faces_draw(const struct source &s, const struct parent &p, sl_real *shared)
{
    ptrdiff_t first = (ptrdiff_t)s.p.layout.face * (ptrdiff_t)s.p.var;
    struct sl_prolong_face w = face_source(s);
#pragma unroll
    for (int side = 0; side < 6; side++) {
        struct sl_child_faces f = {};
        int d = side / 2, plane = side % 2 * 2;
        if (side != (int)threadIdx.y) continue;
        if (d < s.p.dim) sl_prolong_face_draw(&w, p.old + first, p.now + first, d, plane, &f);
        for (int c = 0; c < 4; c++)
            *shared_face(shared, s.nflow, d, plane, c / 2, c % 2) = f.at[d][plane][c / 2][c % 2];
    }
}

/* The faces between the children, a row for each axis across them. */
static __device__ void faces_inside(const struct source &s, sl_real *shared)
{
    struct sl_child_faces f;
    struct sl_face_twist twist;
    if ((int)threadIdx.y >= s.p.dim) return;
#pragma unroll
    for (int i = 0; i < 24; i++)
        f.at[i / 8][i / 4 % 2 * 2][i / 2 % 2][i % 2] =
            *shared_face(shared, s.nflow, i / 8, i / 4 % 2 * 2, i / 2 % 2, i % 2);
#pragma unroll
    for (int d = 0; d < 3; d++)
        sl_face_twist_add(&f, d, &twist);
#pragma unroll
    for (int d = 0; d < 3; d++) {
        if (d != (int)threadIdx.y) continue;
        sl_face_middle(s.dx, &twist, d, &f);
#pragma unroll
        for (int c = 0; c < 4; c++)
            *shared_face(shared, s.nflow, d, 1, c / 2, c % 2) = f.at[d][1][c / 2][c % 2];
    }
}

static __device__ void faces_write(const struct source &s, const struct parent &p,
                                   const struct target &t, const struct faces_how &how,
                                   sl_real *shared)
{
    for (int k = (int)threadIdx.y; k < 1 << s.p.dim; k += ROWS) {
        const int child[3] = {k & 1, k >> 1 & 1, k >> 2};
        sl_real face[3][2];
        for (int d = 0; d < 3; d++)
            for (int up = 0; up < 2; up++)
                face[d][up] = *shared_face(shared, s.nflow, d, child[d] + up, child[d == 2 ? 1 : 2],
                                           child[d == 0]);
        faces_of_child(s, p, t, how, face, k);
    }
}

/* The job and the coarse cell of a thread; false: it has none. */
static __device__ bool parent_here(const struct prolong_args &a, const struct sl_prolong_job **job,
                                   struct parent *p, struct target *t)
{
    size_t i = (size_t)blockIdx.x * ROW + threadIdx.x, number = i / UNIT;
    if (number >= (size_t)a.units) return false;
    const struct unit w = a.unit[number];
    const struct sl_prolong_job *j = a.job + w.job;
    const struct span &s = a.span[j->edges * SL_NDIR + j->dir];
    int c = w.first + (int)(i % UNIT), origin[3];
    if (c >= s.n[0] * s.n[1] * s.n[2]) return false;
    for (int d = 0; d < 3; d++)
        origin[d] = a.run.g[d] + sl_shift_of(j->dir, d) * a.run.n[d];
    *t = target_of(a.run, s.fine, j->fine, j->start, a.run.nvar, a.u, a.buffer);
    for (int d = 0; d < 3; d++)
        t->n[d] = s.cells[d];
    *p = parent_of(a.from, s, j->coarse, j->half, c, origin, *t);
    *job = j;
    return true;
}

/* A block of threads has ROW coarse cells; its rows share the variables, then the children, among
 * them. */
template <bool FACES>
static __global__ void __launch_bounds__(ROW *ROWS, 2)
    prolong(const __grid_constant__ struct prolong_args a)
{
    extern __shared__ double memory[];
    sl_real *shared = (sl_real *)memory;
    const struct sl_prolong_job *j = NULL;
    struct parent p;
    struct target t;
    bool here = parent_here(a, &j, &p, &t);
    if (here) draw(a.from, p, shared);
    if (FACES && here) faces_draw(a.from, p, shared);
    __syncthreads();
    if (here && threadIdx.y == 0) {
        *shared_factor(shared, a.from.nflow) = factor_of(a.from, p, shared);
        if (a.from.p.layout.nscalar > 0) draw_scalars(a.from, p, shared);
    }
    __syncthreads();
    if (here) children_write(a.from, p, t, shared);
    if (!FACES) return;
    if (here) faces_inside(a.from, shared);
    __syncthreads();
    if (!here) return;
    const int *more = a.span[j->edges * SL_NDIR + j->dir].more;
    struct faces_how how = {j->fine >= 0 ? own_axis(a.run, j->dir) : -1, 1, more};
    faces_write(a.from, p, t, how, shared);
}

/* Boxes that came from other ranks, a row of blocks of threads for each. */
static __global__ void prolong_unpack(const __grid_constant__ struct prolong_args a)
{
    const struct run_args &r = a.run;
    const struct sl_prolong_job *j = a.job + blockIdx.x;
    const struct sl_device_box &box = a.span[j->edges * SL_NDIR + j->dir].fine;
    struct target t = target_of(r, box, j->fine, 0, r.nvar, a.u, NULL);
    const sl_real *from = a.buffer + j->start * (size_t)r.nvar;
    int own = own_axis(r, j->dir), cells = box.n[0] * box.n[1] * box.n[2];
    for (int i = place_in_row(); i < cells * r.nvar; i += row_width()) {
        int v = i / cells, c = i - v * cells;
        const int q[3] = {c % box.n[0], c / box.n[0] % box.n[1], c / (box.n[0] * box.n[1])};
        if (own >= 0 && v == r.layout.face + own && q[own] == 0) continue;
        t.at[v * t.var + q[2] * t.step[2] + q[1] * t.step[1] + q[0]] = from[i];
    }
}

/* ---- moves ----------------------------------------------------------------------------------- */

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
    const int *n = a.inside.fine.n;
    int x = c % n[0], y = c / n[0] % n[1], z = c / (n[0] * n[1]);
    const struct run_args &r = a.run;
    const sl_real *from = a.from.now + (ptrdiff_t)block * r.nvar * r.var +
                          cell_of_block(r, x + t.lo[0], y + t.lo[1], z + t.lo[2]);
    sl_real *to = t.at + z * t.step[2] + y * t.step[1] + x;
    for (int v = 0; v < r.nvar; v++)
        to[v * t.var] = from[v * r.var];
}

/* As lift_prolong of core/transfer/move.c. */
static __device__ void lift(const struct move_args &a, const struct parent &p,
                            const struct target &t)
{
    sl_real work[3];
    for (int d = 0; d < 3; d++)
        work[d] = 2 * a.run.work[d];
    sl_lift_children(&a.run.layout, a.run.dim, t.at + place_of(t, p, 0), (size_t)t.var, t.step,
                     work);
}

static __device__ void make(const struct move_args &a, const struct sl_device_move *m, int c,
                            const struct target &t)
{
    struct parent p = parent_of(a.from, a.inside, m->from, m->half, c, a.run.g, t);
    children(a.from, p, t);
    if (a.run.layout.face >= 0) {
        struct faces_how how = {-1, 0, a.inside.more};
        children_faces(a.from, p, t, how);
    }
    if (a.run.layout.entropy >= 0)
        sl_prolong_heat(&a.run.gas, &a.run.layout, a.run.dual_eta, a.run.dim, p.now, a.from.p.var,
                        t.at + place_of(t, p, 0), t.step, (size_t)t.var);
    if (a.run.lifts) lift(a, p, t);
}

/* A row of blocks of threads per move. */
static __global__ void __launch_bounds__(NEST_THREADS)
    move_blocks(const __grid_constant__ struct move_args a)
{
    const struct sl_device_move *m = a.move + blockIdx.x;
    const struct span &s = a.inside;
    struct target t = target_of(a.run, s.fine, m->to, m->start, a.run.nvar, a.u, a.buffer);
    int cells = a.parent ? s.n[0] * s.n[1] * s.n[2] : t.n[0] * t.n[1] * t.n[2];
    for (int d = 0; d < 3; d++)
        t.n[d] = s.cells[d];
    for (int c = place_in_row(); c < cells; c += row_width())
        if (a.parent)
            make(a, m, c, t);
        else
            copy(a, m->from, c, t);
}

/* ---- covered blocks -------------------------------------------------------------------------- */

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

/* Energy of a cell from its children, at u, where these lie elsewhere. */
static __device__ sl_real energy_of(const struct run_args &r, const sl_real *u,
                                    const ptrdiff_t step[3])
{
    const sl_real work[3] = {2 * r.work[0], 2 * r.work[1], 2 * r.work[2]};
    return sl_lift_mean(&r.layout, r.dim, u, (size_t)r.var, step, work);
}

static __device__ sl_real entropy_of(const struct run_args &r, const sl_real *u,
                                     const ptrdiff_t step[3])
{
    return sl_cover_entropy(&r.gas, &r.layout, r.dual_eta, r.dim, u, step, (size_t)r.var);
}

/* A row of blocks of threads per job: the mean of a block, or what came of it. */
static __global__ void cover(const __grid_constant__ struct cover_args a)
{
    const struct run_args &r = a.run;
    const struct sl_cover_job *j = a.job + blockIdx.x;
    struct target t =
        target_of(r, octant_of(r, j->half), j->coarse, j->start, r.nflow, a.to, a.buffer);
    const ptrdiff_t step[3] = {1, r.nt[0], (ptrdiff_t)r.nt[0] * r.nt[1]};
    const sl_real *from = a.u + first_of(r, j->fine), *came = a.buffer + j->start * (size_t)r.nflow;
    int cells = t.n[0] * t.n[1] * t.n[2];
    for (int i = place_in_row(); i < cells * r.nflow; i += row_width()) {
        int v = i / cells, c = i - v * cells;
        int x = c % t.n[0], y = c / t.n[0] % t.n[1], z = c / (t.n[0] * t.n[1]);
        const sl_real *u = from + 2 * cell_of_block(r, x, y, z);
        t.at[v * t.var + z * t.step[2] + y * t.step[1] + x] =
            j->fine < 0                       ? came[i]
            : r.lifts && v == r.layout.energy ? energy_of(r, u, step)
            : v == r.layout.entropy           ? entropy_of(r, u, step)
                                              : sl_restrict(r.dim, u + v * r.var, step);
    }
}

/* ---- fluxes at the edges of levels ----------------------------------------------------------- */

struct reflux_args {
    struct run_args run;
    struct sl_reflux how;
    struct reflux_leaf *leaf;
    const struct reflux_face *face;
    const struct reflux_out *out;
    const sl_real *coarse, *fine, *came;
    /* the field of the finer level, where there are fields at faces that change */
    const sl_real *finer;
    int carried; /* numbers of a face in a message */
    sl_real per_dx[3], *u, *buffer;
    sl_real *mass; /* through faces of the coarse level (core/cell/mass_flux.h), or NULL */
    unsigned long long *corrected;
};

/* A row of blocks of threads per face that another rank corrects. */
static __global__ void reflux_pack(const __grid_constant__ struct reflux_args a)
{
    const struct run_args &r = a.run;
    const struct reflux_out o = a.out[blockIdx.x];
    struct across s = across_of(r.n, o.axis);
    int wide = part_of(r.dim, s.axis[0], s.n[0]), high = part_of(r.dim, s.axis[1], s.n[1]);
    const ptrdiff_t step[3] = {1, s.n[0], 0};
    int cells = wide * high;
    for (int i = place_in_row(); i < cells * a.carried; i += row_width()) {
        int v = i / cells, c = i - v * cells, x = c % wide, y = c / wide;
        const sl_real *from = a.fine + o.fine + 2 * (y * s.n[0] + x);
        sl_real *to = a.buffer + o.start * (size_t)a.carried + (size_t)i;
        if (v >= r.nflow)
            *to = face_mean(r, o.axis, !o.upper, a.finer, o.block, 2 * x, 2 * y);
        else if (r.lifts && v == r.layout.energy)
            *to = sl_reflux_energy(&a.how, o.axis, r.dim - 1, from, s.faces, step);
        else
            *to = sl_restrict(r.dim - 1, from + (size_t)v * s.faces, step);
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

/* The field across side `side` of the cell at u becomes that of the finer faces. */
static __device__ void face_put(const struct reflux_args &a, int side, int job, const int at[3],
                                const struct sl_reflux_face &f, sl_real *u)
{
    const struct run_args &r = a.run;
    const struct reflux_face *j = a.face + job;
    int axis = side / 2, upper = side % 2;
    struct across s = across_of(r.n, axis);
    int x = at[s.axis[0]] - j->half[0] * part_of(r.dim, s.axis[0], s.n[0]);
    int y = at[s.axis[1]] - j->half[1] * part_of(r.dim, s.axis[1], s.n[1]);
    u[(r.layout.face + axis) * r.var + (upper ? step_of(r, axis) : 0)] =
        j->came ? f.fine[f.fine_var * (size_t)r.nflow]
                : face_mean(r, axis, !upper, a.finer, j->block, 2 * x, 2 * y);
}

/* The mass that went through side `side` of a cell becomes that of the finer faces. */
static __device__ void match_mass(const struct reflux_args &a, int block, int side, const int at[3],
                                  const struct sl_reflux_face &f)
{
    const struct run_args &r = a.run;
    int c[3] = {at[0], at[1], at[2]};
    if (!a.mass) return;
    c[side / 2] += side % 2;
    a.mass[sl_mass_flux_at(r.dim, r.n, (size_t)block, side / 2, c[2], c[1], c[0])] +=
        sl_restrict(f.fine_dim, f.fine, f.fine_step) - f.coarse[0];
}

/* Corrects a cell that lies beside a finer block across side `first`, and across no earlier one,
 * which would do it. */
static __device__ void reflux_cell(const struct reflux_args &a, struct reflux_leaf &l, int first,
                                   const int at[3])
{
    const struct run_args &r = a.run;
    struct sl_reflux_face face[3];
    sl_real *u = a.u + first_of(r, l.block) + cell_of_block(r, at[0], at[1], at[2]);
    for (int axis = 0; axis < 3; axis++)
        face[axis].per_dx = 0;
#pragma unroll
    for (int side = 0; side < 6; side++) {
        int job = job_of(r, l, side, at);
        if (side == first ? job < 0 : side < first && job >= 0) return;
        if (job < 0) continue;
        face[side / 2] = face_of(a, side, job, at);
        match_mass(a, l.block, side, at, face[side / 2]);
        if (a.finer) face_put(a, side, job, at, face[side / 2], u);
    }
    enum sl_reflux_result got = sl_reflux_cell(&a.how, face, u);
    if (got == SL_REFLUX_BAD) l.bad = 1;
    if (got == SL_REFLUX_LEFT) atomicAdd(a.corrected + 1, 1);
}

/* Six rows of blocks of threads per leaf, one for each side. */
static __global__ void reflux(const __grid_constant__ struct reflux_args a)
{
    const struct run_args &r = a.run;
    struct reflux_leaf &l = a.leaf[blockIdx.x / 6];
    int side = (int)(blockIdx.x % 6), axis = side / 2;
    struct across s = across_of(r.n, axis);
    if (axis >= r.dim) return;
    size_t i = (size_t)place_in_row();
    for (; i < s.faces; i += (size_t)row_width()) {
        int at[3];
        at[axis] = side % 2 ? r.n[axis] - 1 : 0;
        at[s.axis[0]] = (int)i % s.n[0], at[s.axis[1]] = (int)i / s.n[0];
        reflux_cell(a, l, side, at);
    }
}

/* A cell that is no gas, or no mixture, beside a finer block across a side shares with up to
 * `most`, 0: takes a floor. */
static __device__ void mend_cell(const struct reflux_args &a, const struct reflux_leaf &l, int side,
                                 const int at[3], int most)
{
    const struct run_args &r = a.run;
    int axis = side / 2;
    sl_real *u = a.u + first_of(r, l.block) + cell_of_block(r, at[0], at[1], at[2]);
    if (job_of(r, l, side, at) < 0) return;
    ptrdiff_t back = side % 2 ? -a.how.step[axis] : a.how.step[axis];
    bool bad = sl_reflux_is_bad(&a.how, u);
    if (bad && most == 0) sl_reflux_raise(&a.how, back, u);
    if (bad && (most == 0 || sl_reflux_mend(&a.how, axis, back, most, u)))
        atomicAdd(a.corrected + (most == 0), 1);
    sl_reflux_mix(&a.how, back, most, u);
}

/* The cells of a side, shared out among the threads of a block, which all come here; rows of cells
 * behind a side do not meet. */
static __device__ void mend_side(const struct reflux_args &a, const struct reflux_leaf &l, int side,
                                 int most)
{
    const struct run_args &r = a.run;
    int axis = side / 2;
    struct across s = across_of(r.n, axis);
    for (int i = (int)threadIdx.x; i < (int)s.faces; i += (int)blockDim.x) {
        int at[3];
        at[axis] = side % 2 ? r.n[axis] - 1 : 0;
        at[s.axis[0]] = i % s.n[0], at[s.axis[1]] = i / s.n[0];
        mend_cell(a, l, side, at, most);
    }
    __syncthreads();
}

/* A block of threads per leaf. Order as on the processor: half the cells behind one may share, then
 * all, then it is raised. */
static __global__ void mend(const __grid_constant__ struct reflux_args a)
{
    const struct run_args &r = a.run;
    struct reflux_leaf &l = a.leaf[blockIdx.x];
    if (!l.bad) return;
    for (int i = 0; i < 6 * r.dim; i++) {
        int side = i % (2 * r.dim), n = r.n[side / 2], pass = i / (2 * r.dim);
        mend_side(a, l, side, pass == 0 ? n / 2 : pass == 1 ? n : 0);
    }
    if (threadIdx.x == 0) l.bad = 0;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static int floor_half(int q)
{
    return (q - (q < 0)) / 2;
}

/* Coarse cells that reach into box `fine` of a block, which lies in direction dir. */
static struct span span_of(const struct run_args *r, struct sl_device_box fine, int dir)
{
    struct span s;
    s.fine = fine;
    for (int a = 0; a < 3; a++) {
        int first = fine.lo[a] - r->g[a] - sl_shift_of(dir, a) * r->n[a];
        s.cells[a] = fine.n[a] < r->n[a] - first ? fine.n[a] : r->n[a] - first;
        s.more[a] = fine.n[a] > s.cells[a];
        s.first[a] = floor_half(first);
        s.n[a] = a < r->dim ? floor_half(first + s.cells[a] - 1) - s.first[a] + 1 : 1;
    }
    return s;
}

static int spans_set(const struct run_args *r, const struct sl_device_box box[8][SL_NDIR],
                     struct span *span)
{
    for (int i = 0; i < 8 * SL_NDIR; i++) {
        int dir = i % SL_NDIR;
        span[i] = span_of(r, box[i / SL_NDIR][dir], dir);
    }
    return 8 * SL_NDIR;
}

/* Units of those of n jobs that lie across faces, or of the others; list may be NULL. Returns their
 * number. */
static int units_set(const struct sl_prolong_job *job, int n, bool faces, const struct span *span,
                     struct unit *list)
{
    int units = 0;
    for (int j = 0; j < n; j++) {
        if (is_face(job[j].dir) != faces) continue;
        int cells = cells_of(span[job[j].edges * SL_NDIR + job[j].dir].n);
        for (int first = 0; first < cells; first += UNIT, units++)
            if (list) list[units].job = j, list[units].first = first;
    }
    return units;
}

static const char *prolong_set(struct sl_device *d, const struct sl_nest *nest,
                               const struct span *span)
{
    struct nest *k = d->nest;
    int here = nest->nprolong[0] + nest->nprolong[1];
    size_t each = sizeof *nest->prolong;
    k->ncome = nest->nprolong[2];
    k->units_faces = units_set(nest->prolong, here, true, span, NULL);
    k->units = k->units_faces + units_set(nest->prolong, here, false, span, NULL);
    struct unit *unit = (struct unit *)malloc(((size_t)k->units + 1) * sizeof *unit);
    if (!unit) return "no memory on the host";
    units_set(nest->prolong, here, true, span, unit);
    units_set(nest->prolong, here, false, span, unit + k->units_faces);
    const char *text = table(unit, (size_t)k->units * sizeof *unit, (const void **)&k->unit);
    free(unit);
    PASS(text);
    PASS(table(nest->prolong + here, (size_t)k->ncome * each, (const void **)&k->come));
    return table(nest->prolong, (size_t)here * each, (const void **)&k->prolong);
}

static const char *cover_set(struct sl_device *d, const struct sl_nest *nest)
{
    struct nest *k = d->nest;
    size_t each = sizeof *nest->cover;
    k->ncover = nest->ncover[0] + nest->ncover[1], k->ncover_come = nest->ncover[2];
    PASS(table(nest->cover, (size_t)k->ncover * each, (const void **)&k->cover));
    return table(nest->cover + k->ncover, (size_t)k->ncover_come * each,
                 (const void **)&k->cover_come);
}

extern "C" const char *sl_device_nest_set(struct sl_device *d, const struct sl_nest *nest,
                                          const struct sl_device_box box[8][SL_NDIR])
{
    struct span span[8 * SL_NDIR];
    d->nest = (struct nest *)calloc(1, sizeof *d->nest);
    if (!d->nest) return "no memory on the host";
    int n = spans_set(&d->run, box, span);
    PASS(table(span, (size_t)n * sizeof *span, (const void **)&d->nest->span));
    PASS(prolong_set(d, nest, span));
    PASS(cover_set(d, nest));
    return d->run.layout.face >= 0 ? nest_faces_set(d, nest) : NULL;
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
    room_free(k->come), room_free(k->cover_come);
    reflux_free(k);
    nest_faces_free(k->faces);
    free(k);
}

/* ---- the list of corrections ----------------------------------------------------------------- */

struct reflux_lists {
    struct reflux_leaf *leaf;
    struct reflux_face *face;
    struct reflux_out *out;
    int *at; /* [block]: its leaf, -1: none */
    int nleaf, nface, nout;
};

/* Numbers of a face in a message: fluxes, and the field across it where that changes. */
static int reflux_carried(const struct run_args *r)
{
    return r->nflow + (r->layout.face >= 0 && r->dim > 1);
}

static int reflux_leaf_of(struct reflux_lists *l, int block)
{
    if (l->at[block] >= 0) return l->at[block];
    struct reflux_leaf *leaf = &l->leaf[l->nleaf];
    leaf->block = block, leaf->bad = 0;
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
        o->block = j->fine, o->upper = j->upper;
        return;
    }
    struct reflux_leaf *leaf = &l->leaf[reflux_leaf_of(l, j->coarse)];
    struct reflux_face *f = &l->face[l->nface];
    f->half[0] = j->half[s.axis[0]], f->half[1] = j->half[s.axis[1]];
    leaf->job[2 * j->axis + j->upper][f->half[0] + 2 * f->half[1]] = l->nface++;
    f->coarse = nest->coarse[j->coarse_side].start;
    f->came = came, f->block = j->fine;
    f->fine = came ? j->start * (size_t)reflux_carried(r) : nest->fine[j->fine_side].start;
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

/* ---- calls ----------------------------------------------------------------------------------- */

typedef void prolong_kernel(struct prolong_args);

extern "C" const char *sl_device_prolong(struct sl_device *d, struct sl_device *coarse,
                                         int faces_only, const struct sl_device_coarse *from,
                                         sl_real share, sl_real *u)
{
    static prolong_kernel *const kernels[] = {prolong<false>, prolong<true>};
    const struct nest *k = d->nest;
    const struct run_args *r = &d->run;
    int faces = r->layout.face >= 0;
    size_t bytes = (size_t)(4 * r->nflow + 1 + (faces ? 36 : 0)) * ROW * sizeof(sl_real);
    struct prolong_args a;
    a.run = *r, a.from = source_of(coarse, from->dx, share, from->old, from->now);
    a.from.pull = from->pull, a.from.pull_time = from->pull_time;
    a.job = k->prolong, a.unit = k->unit, a.span = k->span;
    a.units = faces_only ? k->units_faces : k->units;
    a.u = u, a.buffer = send_of(d);
    if (a.units == 0) return NULL;
    unsigned blocks = ((unsigned)a.units * UNIT + ROW - 1) / ROW;
    kernels[faces]<<<blocks, dim3(ROW, ROWS), bytes, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

/* Values of the longest box of ghost cells. */
static size_t most_ghosts(const struct run_args *r)
{
    size_t most = 1;
    for (int a = 0; a < r->dim; a++)
        most = max(most, (size_t)(cells_of(r->n) / r->n[a] * r->g[a]));
    return most * (size_t)r->nvar;
}

extern "C" const char *sl_device_prolong_unpack(struct sl_device *d, sl_real *u)
{
    const struct nest *k = d->nest;
    struct prolong_args a = {};
    if (k->ncome == 0) return NULL;
    a.run = d->run, a.job = k->come, a.span = k->span;
    a.u = u, a.buffer = (sl_real *)d->shared->message[RECEIVE];
    prolong_unpack<<<rows_of(k->ncome, most_ghosts(&d->run)), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

static const char *cover_do(struct sl_device *d, const struct sl_cover_job *job, int n,
                            const sl_real *u, sl_real *to, sl_real *buffer)
{
    struct cover_args a;
    if (n == 0) return NULL;
    a.run = d->run, a.job = job, a.u = u, a.to = to, a.buffer = buffer;
    size_t each = (size_t)cells_of(d->run.n) * (size_t)d->run.nflow >> d->run.dim;
    cover<<<rows_of(n, each / 4 + 1), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_cover(struct sl_device *d, const sl_real *u, sl_real *to)
{
    return cover_do(d, d->nest->cover, d->nest->ncover, u, to, send_of(d));
}

extern "C" const char *sl_device_cover_unpack(struct sl_device *d, sl_real *to)
{
    return cover_do(d, d->nest->cover_come, d->nest->ncover_come, NULL, to,
                    (sl_real *)received_of(d));
}

static struct reflux_args reflux_args_of(const struct sl_device *d, const struct sl_device *coarse,
                                         const sl_real *finer)
{
    const struct run_args *r = &d->run;
    const struct nest *k = d->nest;
    struct reflux_args a = {};
    a.run = *r;
    a.how.gas = r->gas, a.how.layout = r->layout, a.how.dim = r->dim;
    a.how.dual_eta = r->dual_eta, a.how.stride = (size_t)r->var;
    a.how.step[0] = 1, a.how.step[1] = r->nt[0], a.how.step[2] = (ptrdiff_t)r->nt[0] * r->nt[1];
    a.how.lifts = r->lifts;
    for (int axis = 0; axis < 3; axis++)
        a.how.work[axis] = 2 * r->work[axis];
    a.carried = reflux_carried(r);
    if (a.carried > r->nflow) a.finer = finer;
    a.leaf = k->leaf, a.face = k->face, a.out = k->out;
    if (coarse && coarse->fluxes) a.coarse = register_coarse(coarse->fluxes);
    if (d->fluxes) a.fine = register_fine(d->fluxes);
    a.came = received_of(d);
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

extern "C" int sl_device_reflux_carried(const struct sl_device *d)
{
    return reflux_carried(&d->run);
}

extern "C" const char *sl_device_reflux_pack(struct sl_device *d, const sl_real *finer)
{
    const struct run_args *r = &d->run;
    struct reflux_args a = reflux_args_of(d, NULL, finer);
    if (d->nest->nout == 0) return NULL;
    size_t each = most_faces(r) * (size_t)a.carried >> (r->dim - 1);
    reflux_pack<<<rows_of(d->nest->nout, each), NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_reflux(struct sl_device *d, struct sl_device *coarse,
                                        const sl_real per_dx[3], const sl_real *finer, sl_real *u,
                                        sl_real *mass)
{
    struct reflux_args a = reflux_args_of(d, coarse, finer);
    if (d->nest->nleaf == 0) return NULL;
    for (int axis = 0; axis < 3; axis++)
        a.per_dx[axis] = per_dx[axis];
    a.u = u, a.mass = mass, a.corrected = coarse->most + CORRECTED;
    reflux<<<rows_of(6 * d->nest->nleaf, most_faces(&d->run)), NEST_THREADS, 0, d->stream>>>(a);
    mend<<<d->nest->nleaf, NEST_THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

/* Cells of a block along an axis as they travel: the interior, and with fields at faces the next
 * ones, which hold those of its upper faces. */
static int packed_of(const struct run_args *r, int axis)
{
    return r->n[axis] + (r->layout.face >= 0 && axis < r->dim);
}

extern "C" const char *sl_device_move(struct sl_device *d, struct sl_device *old, int parent,
                                      const sl_real dx[3], const struct sl_device_move *move, int n,
                                      const sl_real *from, sl_real *u)
{
    const struct run_args *r = &d->run;
    struct sl_device_box inside;
    struct move_args a;
    if (n == 0) return NULL;
    for (int axis = 0; axis < 3; axis++)
        inside.lo[axis] = r->g[axis], inside.n[axis] = packed_of(r, axis);
    a.run = *r, a.from = source_of(old, dx, 1, from, from), a.parent = parent;
    a.inside = span_of(r, inside, SL_DIR_HERE);
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
    const char *text =
        links_unpack(d, (const struct sl_device_link *)list, n, link[0].cells, d->run.nvar, u);
    room_free(list);
    return text;
}
