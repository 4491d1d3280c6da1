/* diffuse.cu - viscosity, conduction of heat and resistivity on the device: what
 * core/step/diffuse.c does row by row; see device.h. A thread makes all fluxes of its cell, with
 * the bits that the threads of its neighbours make.
 */
#include <stdlib.h>

#include "core/cell/diffuse.h"
#include "gpu/inside.cuh"

/* Memory of the device, made at first: what the operators read, [nblock][SL_DIFFUSE_READS][cell],
 * and the first state of a super step and its rate, [nblock][list][cell]. */
struct spread {
    sl_real *reads, *first, *rate;
};

struct spread_args {
    struct run_args r;
    struct sl_device_diffuse s;
    struct sl_diffuse_list list;
    struct spread of;
};

/* A cell, or a face, by its offset in the variables of its block. */
struct spot {
    size_t block;
    ptrdiff_t at;
};

static __device__ const sl_real *spread_reads(const struct spread_args &a, struct spot c)
{
    return a.of.reads + (ptrdiff_t)c.block * SL_DIFFUSE_READS * a.r.var + c.at;
}

/* The cells of all blocks, ghosts included. */
static __global__ void spread_read(struct spread_args a)
{
    size_t i = this_cell(), var = (size_t)a.r.var;
    struct spot c = {i / var, (ptrdiff_t)(i % var)};
    if (c.block >= (size_t)a.r.nblock) return;
    sl_diffuse_read(&a.s.p, &a.r.gas, &a.r.layout,
                    a.s.now + (ptrdiff_t)c.block * a.r.nvar * a.r.var + c.at, var,
                    a.of.reads + (ptrdiff_t)c.block * SL_DIFFUSE_READS * a.r.var + c.at);
}

static __device__ void spread_mix(const struct spread_args &a, int v, struct spot c, sl_real change)
{
    ptrdiff_t u = ((ptrdiff_t)c.block * a.r.nvar + a.list.state[v]) * a.r.var + c.at;
    ptrdiff_t saved = ((ptrdiff_t)c.block * a.list.n + v) * a.r.var + c.at;
    if (a.s.begin) {
        a.of.first[saved] = a.s.now[u];
        a.of.rate[saved] = change;
    }
    a.s.next[u] = sl_diffuse_next(&a.s.mix, a.s.now[u], a.s.next[u], a.of.first[saved], change,
                                  a.of.rate[saved]);
}

/* What flows into a cell; DIM axes. */
template <int DIM> static __global__ void spread_cells(struct spread_args a)
{
    ptrdiff_t i = cell_at(a.r, this_cell(), 1);
    if (i < 0) return;
    struct spot c = {(size_t)(i / a.r.var), i % a.r.var};
    sl_real low[SL_DIFFUSE_CHANGES], high[SL_DIFFUSE_CHANGES], part[SL_DIFFUSE_CHANGES][3];
    const sl_real *q = spread_reads(a, c);
    a.s.p.dim = DIM;
    for (int d = 0; d < DIM; d++) {
        sl_diffuse_flux(&a.s.p, d, q, low);
        sl_diffuse_flux(&a.s.p, d, q + a.s.p.step[d], high);
        for (int v = 0; v < SL_DIFFUSE_CHANGES; v++)
            part[v][d] = (low[v] - high[v]) * a.s.p.per_dx[d];
    }
    for (int v = 0; v < a.list.n; v++)
        if (a.list.face[v] < 0) spread_mix(a, v, c, sl_sum_axes(DIM, part[a.list.change[v]]));
}

/* Variable v at the faces across an axis, the upper ones of the last cells, too. */
static __global__ void spread_faces(struct spread_args a, int v)
{
    size_t i = this_cell();
    int d = a.list.face[v], x[3];
    for (int t = 0; t < 3; t++) {
        size_t n = (size_t)(a.r.n[t] + (t == d));
        x[t] = (int)(i % n) + a.r.g[t];
        i /= n;
    }
    if (i >= (size_t)a.r.nblock) return;
    struct spot c = {i, ((ptrdiff_t)x[2] * a.r.nt[1] + x[1]) * a.r.nt[0] + x[0]};
    spread_mix(a, v, c, sl_diffuse_curl(&a.s.p, d, spread_reads(a, c)));
}

/* The field in a cell of the next state follows that at its faces. */
static __global__ void spread_centre(struct spread_args a, int d)
{
    ptrdiff_t i = cell_at(a.r, this_cell(), a.r.nvar);
    if (i < 0) return;
    const sl_real *face = a.s.next + i + (a.r.layout.face + d) * a.r.var;
    a.s.next[i + (a.r.layout.magnetic + d) * a.r.var] =
        (sl_real)0.5 * (face[0] + face[a.s.p.step[d]]);
}

/* ---- the device ----------------------------------------------------------------------------- */

void spread_free(struct spread *s)
{
    if (!s) return;
    room_free(s->reads), room_free(s->first), room_free(s->rate);
    free(s);
}

static const char *spread_ready(struct sl_device *d, int changes)
{
    size_t values = (size_t)d->run.nblock * (size_t)d->run.var * sizeof(sl_real);
    if (d->spread) return NULL;
    struct spread *s = d->spread = (struct spread *)calloc(1, sizeof *s);
    if (!s) return "no memory on the host";
    PASS(room_new(values * SL_DIFFUSE_READS, (void **)&s->reads));
    PASS(room_new(values * (size_t)changes, (void **)&s->first));
    return room_new(values * (size_t)changes, (void **)&s->rate);
}

static unsigned threads_for(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static void cells_go(struct sl_device *d, const struct spread_args &a)
{
    unsigned grid = all_cells(d);
    if (a.s.p.dim == 1)
        spread_cells<1><<<grid, THREADS, 0, d->stream>>>(a);
    else if (a.s.p.dim == 2)
        spread_cells<2><<<grid, THREADS, 0, d->stream>>>(a);
    else
        spread_cells<3><<<grid, THREADS, 0, d->stream>>>(a);
}

static void faces_go(struct sl_device *d, const struct spread_args &a, int v)
{
    size_t n = (size_t)a.r.nblock;
    for (int t = 0; t < 3; t++)
        n *= (size_t)(a.r.n[t] + (t == a.list.face[v]));
    spread_faces<<<threads_for(n), THREADS, 0, d->stream>>>(a, v);
    spread_centre<<<all_cells(d), THREADS, 0, d->stream>>>(a, a.list.face[v]);
}

extern "C" const char *sl_device_diffuse(struct sl_device *d, const struct sl_device_diffuse *s)
{
    struct spread_args a;
    size_t cells = (size_t)d->run.nblock * (size_t)d->run.var;
    if (d->run.nblock == 0) return NULL;
    a.r = d->run;
    a.s = *s;
    a.list = sl_diffuse_list_of(&s->p, &d->run.layout);
    PASS(spread_ready(d, a.list.n));
    a.of = *d->spread;
    if (s->begin)
        PASS(move(d, s->next, s->now, cells * (size_t)d->run.nvar * sizeof *s->next,
                  cudaMemcpyDeviceToDevice));
    spread_read<<<threads_for(cells), THREADS, 0, d->stream>>>(a);
    cells_go(d, a);
    for (int v = 0; v < a.list.n; v++)
        if (a.list.face[v] >= 0) faces_go(d, a, v);
    TRY(cudaGetLastError());
    return NULL;
}
