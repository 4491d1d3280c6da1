/* kept.cuh - the faces of the sides of blocks whose fluxes are kept, as kernels go over them: a
 * thread has a face.
 *
 * Shapes  see core/transfer/flux_register.h
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   device
 * Refs    none
 * Tests   tests/gpu/flux_register.c
 */
#ifndef SL_GPU_KEPT_CUH
#define SL_GPU_KEPT_CUH

#include "gpu/flux_register.h"
#include "gpu/inside.cuh"

enum { FACES = 128 }; /* of a block of threads */

struct keep_args {
    const struct sl_flux_register_side *side;
    int parts;
    const int *near;       /* as of a stage: blocks around each, NULL: ghost cells are filled */
    const sl_real *before; /* NULL: nothing comes from the stages before */
    sl_real *after;
};

/* A face: the cell above it and its flag within their fields, its first value in the register and
 * how far they are apart. */
struct kept_face {
    int axis, upper;
    ptrdiff_t cell, flag, step;
    ptrdiff_t beyond; /* as of beyond_side */
    size_t at, apart;
};

/* Distance from a ghost cell beyond a side to the cell of the neighbouring block that it would be a
 * copy of; 0 where there is no neighbour of this level on this rank, and ghost cells are filled. */
static __device__ ptrdiff_t beyond_side(const struct run_args &r, const struct keep_args &g,
                                        const struct sl_flux_register_side *s, ptrdiff_t step)
{
    int dir = sl_dir_across(s->axis, s->upper);
    int other = g.near ? g.near[s->block * SL_NDIR + dir] : -1;
    ptrdiff_t n = r.n[s->axis] * step;
    return other < 0 ? 0 : (ptrdiff_t)(other - s->block) * r.nvar * r.var + (s->upper ? -n : n);
}

static __device__ bool face_find(const struct run_args &r, const struct keep_args &g,
                                 struct kept_face *f)
{
    const struct sl_flux_register_side *s = g.side + blockIdx.x / (unsigned)g.parts;
    size_t i = (blockIdx.x % (unsigned)g.parts) * FACES + threadIdx.x;
    ptrdiff_t row = r.nt[0], plane = row * r.nt[1], x = s->axis == 0 ? row : 1;
    ptrdiff_t y = s->axis == 2 ? row : plane, wide = r.n[s->axis == 0];
    f->axis = s->axis, f->upper = s->upper;
    f->apart = sl_flux_register_faces(r.n, s->axis);
    if (i >= f->apart) return false;
    f->step = s->axis == 0 ? 1 : s->axis == 1 ? row : plane;
    f->flag = s->block * r.var + r.g[0] + r.g[1] * row + r.g[2] * plane;
    f->flag +=
        (ptrdiff_t)i / wide * y + (ptrdiff_t)i % wide * x + (s->upper ? r.n[s->axis] * f->step : 0);
    f->cell = f->flag + (ptrdiff_t)s->block * (r.nvar - 1) * r.var;
    f->at = s->start + i;
    f->beyond = beyond_side(r, g, s, f->step);
    return true;
}

/* Whether variable v changes by fluxes: a field at faces follows from its edges. */
static __device__ bool is_kept(const struct run_args &r, int v)
{
    return r.layout.face < 0 || v < r.layout.magnetic || v >= r.layout.magnetic + r.dim;
}

static __device__ void put(const struct keep_args &g, const struct sl_device_stage &s,
                           const struct kept_face &f, int v, sl_real flux)
{
    size_t i = f.at + (size_t)v * f.apart;
    g.after[i] = s.b * ((g.before ? g.before[i] : 0) + s.dt * flux);
}

#endif
