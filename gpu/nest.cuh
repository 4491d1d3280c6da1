/* nest.cuh - what the files of the device part that work between levels share (nest.cu, faces.cu);
 * see nest.h.
 *
 * Shapes  see core/mesh/nest.h
 * Units   code units
 * Errors  a text that says what failed, NULL when nothing did
 * Owns    the device of the finer level owns its lists
 * MPI     none
 * Where   host calls and device
 * Refs    none
 * Tests   tests/gpu/levels.c
 */
#ifndef SL_GPU_NEST_CUH
#define SL_GPU_NEST_CUH

#include "core/cell/lift.h"
#include "core/cell/prolong.h"
#include "core/cell/reflux.h"
#include "core/cell/restrict.h"
#include "core/transfer/flux_register.h"
#include "gpu/inside.cuh"
#include "gpu/nest.h"

/* Coarse cells that neighbouring threads work on: ghost boxes have from one to some hundred; and
 * those of a block of threads, whose rows share the work on them. */
enum { UNIT = 8, ROW = 32, ROWS = 8, NEST_THREADS = 128 };

struct unit {
    int job, first; /* number of its first coarse cell */
};

/* A box of a fine block and its cells, with fields at faces fewer than the box has where it has
 * faces of its own behind the last, more; and the coarse cells that reach into it: the first one's
 * place among those of a coarse block's half. */
struct span {
    struct sl_device_box fine;
    int cells[3], more[3];
    int first[3], n[3];
};

/* What lies behind the faces of a leaf: -1, or the number of a job. */
struct reflux_leaf {
    int block, job[6][4];
    int bad; /* a cell of it is no gas, for now */
};
struct reflux_face {
    size_t coarse, fine; /* first values in the registers, or in the buffer */
    int came;            /* in a message */
    int half[2];         /* along the earlier and the later axis of the face */
    int block;           /* the finer one, -1: on another rank */
};
struct reflux_out {
    size_t fine, start;
    int axis, block, upper; /* of the fine block; upper: of the coarse one */
};

struct nest {
    struct sl_prolong_job *prolong; /* device, likewise all that follows */
    struct unit *unit;
    struct span *span;
    struct sl_cover_job *cover;
    struct sl_prolong_job *come;     /* boxes that other ranks make */
    struct sl_cover_job *cover_come; /* of other ranks */
    struct reflux_leaf *leaf;
    struct reflux_face *face;
    struct reflux_out *out;
    int units, units_faces; /* those across faces come first */
    int ncome, ncover, ncover_come, nleaf, nout, reflux_set;
    struct nest_faces *faces; /* owned; faces.cu. NULL: no fields at faces */
};

/* ---- where cells are ------------------------------------------------------------------------- */

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

/* block -1: in the buffer. */
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

/* ---- lists ----------------------------------------------------------------------------------- */

static inline int cells_of(const int n[3])
{
    return n[0] * n[1] * n[2];
}

static inline sl_real *send_of(const struct sl_device *d)
{
    return (sl_real *)d->shared->message[SEND];
}

static inline const sl_real *received_of(const struct sl_device *d)
{
    return (const sl_real *)d->shared->message[RECEIVE];
}

/* A row of blocks of threads for each of n, `each` values long. */
static inline dim3 rows_of(int n, size_t each)
{
    size_t rows = (each + NEST_THREADS - 1) / NEST_THREADS;
    return dim3((unsigned)n, (unsigned)(rows < 1 ? 1 : rows < 64 ? rows : 64));
}

/* Number of a thread within its row, and how many a row has. */
static __device__ __forceinline__ int place_in_row(void)
{
    return (int)(blockIdx.y * blockDim.x + threadIdx.x);
}
static __device__ __forceinline__ int row_width(void)
{
    return (int)(gridDim.y * blockDim.x);
}

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

static __device__ __forceinline__ ptrdiff_t step_of(const struct run_args &r, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? r.nt[0] : (ptrdiff_t)r.nt[0] * r.nt[1];
}

/* The first interior cell of a block. */
static __device__ __forceinline__ ptrdiff_t first_of(const struct run_args &r, int block)
{
    return (ptrdiff_t)block * r.nvar * r.var + cell_of_block(r, r.g[0], r.g[1], r.g[2]);
}

/* Mean of the finer faces in a coarse one: those of block `fine` from the one on at `x`, `y` along
 * the axes of its side. */
static __device__ __forceinline__ sl_real face_mean(const struct run_args &r, int axis, int upper,
                                                    const sl_real *u, int fine, int x, int y)
{
    struct across s = across_of(r.n, axis);
    const ptrdiff_t step[3] = {step_of(r, s.axis[0]), step_of(r, s.axis[1]), 0};
    const sl_real *from = u + first_of(r, fine) + (r.layout.face + axis) * r.var;
    from += (upper ? r.n[axis] : 0) * step_of(r, axis);
    return sl_restrict(r.dim - 1, from + x * step[0] + y * step[1], step);
}

/* Fields at faces (faces.cu). */
const char *nest_faces_set(struct sl_device *fine, const struct sl_nest *nest);
void nest_faces_free(struct nest_faces *f);

#endif
