/* inside.cuh - what the files of the device part share: the device behind the handle, and the walk
 * over the cells of a rank.
 *
 * Shapes  see device.h
 * Units   code units
 * Errors  a text that says what failed, NULL when nothing did
 * Owns    see device.h
 * MPI     none
 * Where   host calls and device
 * Refs    none
 * Tests   tests/gpu
 */
#ifndef SL_GPU_INSIDE_CUH
#define SL_GPU_INSIDE_CUH

#include <cuda_runtime.h>

#include "gpu/cell.cuh"

enum { THREADS = 256, SINGLE = sizeof(sl_real) == sizeof(float) };

/* What a step tells the host: the signals of the leaves, a count, the signals of covered blocks,
 * and how many cells shared with others and how many took a floor when fluxes were corrected
 * (struct sl_corrected). */
enum { CORRECTED = COVERED + 3, SIGNALS = CORRECTED + 2 };

/* The kernel of a stage and how it is launched. */
struct launch {
    stage_kernel *kernel;
    int tile[2], helpers, chunk, tiles[3], slots;
    size_t shared; /* bytes of a tile */
    int ordered;   /* the kernel takes an order of tiles */
    int interior;  /* tiles that read nothing of another rank, if it does */
    int *order;    /* device; those, then the rest. NULL: there are none */
};

/* How many blocks of threads of a kernel a multiprocessor takes: asked for once, for levels come
 * and go. */
struct known {
    const void *kernel;
    int threads, at_once;
    size_t shared;
};

/* What all who compute on a device in this process share: the levels of a run work one after the
 * other, on the same streams, with memory from the same pool, and through the same buffers
 * (shared.cu). */
enum host_room { HOST_SIGNALS, HOST_SEND, HOST_RECEIVE, HOST_GIVEN, HOST_SUMS, HOST_ROOMS };
enum message_room { SEND, RECEIVE, MESSAGE_ROOMS };
enum { KNOWN = 16 };
struct shared {
    struct shared *next;
    int id, users, pools; /* pools: the device has them */
    cudaStream_t stream, other;
    cudaEvent_t reached;
    struct field_room *fields;      /* owned */
    size_t field_bytes, field_most; /* of these now, and at most */
    void *host[HOST_ROOMS];         /* pinned */
    void *message[MESSAGE_ROOMS];   /* device */
    size_t host_size[HOST_ROOMS], message_size[MESSAGE_ROOMS];
    struct emf_terms emf; /* device; of the stage that is being made, with constrained transport */
    size_t emf_values;    /* room, of one variable */
    struct known known[KNOWN];
};

struct force;   /* of drive.cu */
struct gravity; /* of gravity_gpu.cu */
struct sources; /* of source.cu */
struct spread;  /* of diffuse.cu */
struct flux_register;
struct edge_register;
struct nest;      /* of nest.cu */
struct particles; /* of particles_gpu.cu */
struct lattice;   /* of lattice_gpu.cu */

struct sl_device {
    struct sl_device_spec spec; /* its tables are in device memory */
    struct run_args run;
    struct launch whole, plain;   /* of stages, of those of first order */
    struct shared *shared;        /* held */
    cudaStream_t stream, other;   /* of these the present one, the other */
    int messages;                 /* the present one is that for what messages bring */
    int direct;                   /* messages go from device to device */
    sl_real *flags;               /* NULL: none were asked for yet */
    sl_real *between;             /* with ctu: what its kernels hand on (ctu.cu) */
    struct force *force;          /* owned; drive.cu */
    struct sources *sources;      /* owned; source.cu */
    struct gravity *gravity;      /* owned; gravity_gpu.cu */
    struct particles *particles;  /* owned; particles_gpu.cu */
    struct lattice *lattice;      /* owned, while a start is made; lattice_gpu.cu */
    struct spread *spread;        /* owned; diffuse.cu */
    struct flux_register *fluxes; /* owned; flux_register.cu */
    struct edge_register *edges;  /* owned; edge_register.cu */
    struct nest *nest;            /* owned; nest.cu. NULL: of the root level */
    /* blocks at walls whose ghost cells the boundary continues, nwall of them, and those that the
     * next finer level asks for */
    int *asked, nasked, nwall;
    size_t most_out, most_in;      /* cells of the longest links */
    sl_real *given;                /* device */
    sl_real *pinned;               /* memory of the host that is not ours, or NULL */
    unsigned long long *most;      /* SIGNALS values, as bits; device */
    unsigned long long *host_most; /* pinned; shared: who fills it waits and reads */
    long long corrected[2];        /* of CORRECTED, not yet taken */
};

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t code_ = (call);                                                                \
        if (code_ != cudaSuccess) return cudaGetErrorString(code_);                                \
    } while (0)
#define PASS(call)                                                                                 \
    do {                                                                                           \
        const char *text_ = (call);                                                                \
        if (text_) return text_;                                                                   \
    } while (0)

static inline const char *move(struct sl_device *d, void *to, const void *from, size_t n,
                               enum cudaMemcpyKind kind)
{
    TRY(cudaMemcpyAsync(to, from, n, kind, d->stream));
    return NULL;
}

static inline const char *wait(struct sl_device *d)
{
    TRY(cudaStreamSynchronize(d->stream));
    return NULL;
}

/* Offset of the variables of interior cell `i` of the rank, which has less than 2^32; -1 beyond the
 * last. */
static inline __device__ ptrdiff_t cell_at(const struct run_args &r, size_t i, int nvar)
{
    unsigned row = (unsigned)i / (unsigned)r.n[0], plane = row / (unsigned)r.n[1];
    unsigned block = plane / (unsigned)r.n[2];
    if (i >> 32 || block >= (unsigned)r.nblock) return -1;
    int x = (int)((unsigned)i - row * (unsigned)r.n[0]) + r.g[0];
    int y = (int)(row - plane * (unsigned)r.n[1]) + r.g[1];
    int z = (int)(plane - block * (unsigned)r.n[2]) + r.g[2];
    return (ptrdiff_t)block * nvar * r.var + ((ptrdiff_t)z * r.nt[1] + y) * r.nt[0] + x;
}

/* Interior cell i of the rank in its block, counted from the first; its block. */
static inline __device__ size_t cell_in_block(const struct run_args &r, size_t i, int c[3])
{
    unsigned row = (unsigned)i / (unsigned)r.n[0], plane = row / (unsigned)r.n[1];
    unsigned block = plane / (unsigned)r.n[2];
    c[0] = (int)((unsigned)i - row * (unsigned)r.n[0]);
    c[1] = (int)(row - plane * (unsigned)r.n[1]);
    c[2] = (int)(plane - block * (unsigned)r.n[2]);
    return block;
}

/* The mass through the lower face (up: 0) or the upper one of a cell across an axis, whose flux is
 * safe. A face belongs to the cell above it, the last one of a block to the one below. */
static inline __device__ void mass_put_safe(const struct run_args &r,
                                            const struct sl_device_stage &s, size_t i, int axis,
                                            int up, sl_real flux)
{
    int c[3];
    size_t block = cell_in_block(r, i, c);
    if (!s.mass || (up && c[axis] < r.n[axis] - 1)) return;
    c[axis] += up;
    mass_put(s, sl_mass_flux_at(r.dim, r.n, block, axis, c[2], c[1], c[0]), flux);
}

/* What a potential does to interior cell i, at u, as in core/step/mass_work.c. */
static inline __device__ void work_on_cell(const struct run_args &r,
                                           const struct sl_device_work &what, size_t i,
                                           const sl_real g[3], const sl_real bend[3], sl_real *u)
{
    int c[3];
    size_t block = cell_in_block(r, i, c), row = sl_mass_flux_end(r.dim, r.n, 0);
    const ptrdiff_t step[3] = {1, (ptrdiff_t)row,
                               (ptrdiff_t)(row * sl_mass_flux_end(r.dim, r.n, 1))};
    struct sl_mass_through m =
        sl_mass_through(r.dim, what.mass + sl_mass_flux_at(r.dim, r.n, block, 0, c[2], c[1], c[0]),
                        sl_mass_flux_faces(r.dim, r.n), step);
    sl_mass_work_put(&what.how, &m, g, bend, what.kicked[i], u, (size_t)r.var);
    what.kicked[i] = 0;
}

/* For what is summed over the rank: blocks that finer ones cover have no part in it. */
static inline struct run_args leaves_of(const struct sl_device *d)
{
    struct run_args r = d->run;
    r.nblock = r.nleaf;
    return r;
}

static inline unsigned all_cells(const struct sl_device *d)
{
    const struct run_args *r = &d->run;
    size_t n = (size_t)r->n[0] * (size_t)r->n[1] * (size_t)r->n[2] * (size_t)r->nblock;
    return (unsigned)((n + THREADS - 1) / THREADS);
}

/* Holds what is shared on the device of that number, until it is released, and makes that the
 * device in use. */
const char *shared_hold(int id, struct shared **out);
void shared_release(struct shared *s);

/* Memory of the device in use, from the pool, for work that is queued on its streams; as it is, or
 * zeros. free: when what is queued has used it. */
const char *room_new(size_t size, void **out);
/* Up to an eighth more: what belongs to levels, which come and go, finds the room of others when
 * sizes are few, and new memory takes milliseconds. */
size_t room_rounded(size_t size);
const char *room_zero(size_t size, void **out);
void room_free(const void *p);
/* Waits, and gives what was freed back, to those who do not take from the pool. */
const char *room_return(struct sl_device *d);

/* Memory for a field of a level: a piece that another gave back, if it holds so much and no more
 * than half as much again, else a new one. What is given back is free to others at once: all that
 * use it are on the stream, or joined it. drop: all that are free. */
const char *field_room_take(struct shared *s, size_t size, void **out);
void field_room_give(struct shared *s, const void *field);
void field_rooms_drop(struct shared *s);

/* A copy in device memory. */
const char *table(const void *from, size_t size, const void **out);

/* At least so many bytes of pinned memory, or of a buffer for messages, whose contents may be
 * lost. */
const char *host_room(struct shared *s, enum host_room which, size_t size);
const char *message_room(struct shared *s, enum message_room which, size_t size);

/* Makes a kernel ready for the shared memory of its launches, and says how many of these blocks of
 * threads a multiprocessor takes. */
const char *kernel_room(struct shared *s, const struct launch *l, int threads, int *at_once);

void force_free(struct force *f);
void sources_free(struct sources *s);
void gravity_free(struct gravity *g);
void particles_free(struct particles *p);
void lattice_free(struct lattice *l);
void spread_free(struct spread *s);
void nest_free(struct nest *k);

/* Lists of n particles, which take the place of those before, to be filled by who asks; end: ids
 * become their places in the lists, kinds 0, and those in blocks of other ranks are dropped. */
struct particle_lists {
    uint32_t *x[3];
    sl_real *v[3];
};
const char *particles_begin(struct sl_device *d, size_t n, struct particle_lists *out);
const char *particles_end(struct sl_device *d);

/* Values of the first nvar variables from the receive buffer into boxes of a field; most: cells of
 * the largest. */
const char *links_unpack(struct sl_device *d, const struct sl_device_link *link, int n, size_t most,
                         int nvar, sl_real *u);

/* Keeps the fluxes of a stage where that was asked for, or after a repair those beside flags;
 * before the next stage. */
const char *register_advance(struct sl_device *d, const struct sl_device_stage *s,
                             const sl_real *flags);
bool register_reads_across(const struct run_args &r); /* as a stage may */
void register_free(struct flux_register *k);

/* The values of the fine and of the coarse sides (core/transfer/register.h), in device memory. */
const sl_real *register_fine(const struct flux_register *k);
const sl_real *register_coarse(const struct flux_register *k);

/* Keeps the electric field along edges after a stage, or again after a repair; and clear and
 * accept, as of fluxes. */
const char *edges_keep(struct sl_device *d, const struct sl_device_stage *s, const sl_real *flags);
const char *edges_clear(struct sl_device *d);
const char *edges_accept(struct sl_device *d);
void edges_free(struct edge_register *k);
const sl_real *edges_fine(const struct edge_register *k);
const sl_real *edges_coarse(const struct edge_register *k);

/* What kernels of a stage are given: in one of first order there is no flattening and no choice of
 * waves, and with dual energy no heat of the total energy is trusted (eos.h). */
static inline struct run_args run_of_stage(const struct sl_device *d,
                                           const struct sl_device_stage *s)
{
    struct run_args r = d->run;
    r.gas.ch = s->ch;
    if (s->first_order) r.waves = 0, r.dual_eta = 1;
    return r;
}

/* The cells of a stage, but for a field at faces. */
const char *cells_advance(struct sl_device *d, const struct sl_device_stage *s,
                          enum sl_device_part part);

/* Steps of other kinds: a sweep along stage->axis, and the same for the cells beside flags
 * (tvd.cu); corner transport upwind (ctu.cu), which makes its buffers at first. flags: of a repair,
 * NULL: none. */
const char *tvd_advance(struct sl_device *d, const struct sl_device_stage *s);
const char *tvd_remake(struct sl_device *d, const struct sl_device_stage *s);
/* The fluxes of a sweep through the faces of so many sides (kept.cuh). */
struct keep_args;
const char *tvd_keep(struct sl_device *d, const struct sl_device_stage *s, const sl_real *flags,
                     int sides, const struct keep_args &g);
const char *ctu_new(struct sl_device *d);
const char *ctu_advance(struct sl_device *d, const struct sl_device_stage *s, const sl_real *flags);

/* The edges and the field after a stage with constrained transport (ct.cu). flags: of a repair,
 * NULL: none, and then the signals of the cells are raised. */
const char *field_advance(struct sl_device *d, const struct sl_device_stage *s,
                          const sl_real *flags);

static inline __device__ size_t this_cell(void)
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static inline unsigned blocks_of(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

/* Raises a number that is not negative, by its bits: any order gives the same. All threads of a
 * warp come. */
static inline __device__ void most_raise(unsigned long long *to, double x)
{
    for (int by = 16; by > 0; by /= 2)
        x = fmax(x, __shfl_xor_sync(0xffffffff, x, by));
    unsigned long long bits = (unsigned long long)__double_as_longlong(x);
    if (threadIdx.x % 32 == 0 && bits > *(volatile unsigned long long *)to) atomicMax(to, bits);
}

/* The grid on which the potential of the box is found, of n cells, of N that are transformed
 * (gravity_gpu.cu): [N2][N1][row]. */
struct gravity_grid {
    double *at;
    int n[3], N[3];
    size_t row;
};
struct gravity_grid gravity_grid_of(const struct sl_device *d);

/* What is added up to the sum of rho phi, and the mean of rho behind it; n numbers. */
struct gravity_parts {
    double *at;
    size_t n;
};
struct gravity_parts gravity_parts_of(const struct sl_device *d);

/* Of boxes with screening charges (screen_gpu.cu). */
struct screen;
const char *screen_new(struct sl_device *d, const struct sl_device_screen *what,
                       struct screen **out);
struct screen *screen_of(const struct sl_device *d);
void screen_free(struct screen *s);

/* Of a box that several devices share (slabs_gpu.cu): cells lo, lo + 1 .. of n, in a list of their
 * own; those of a window have layers around own blocks. Rows of modes have n[0] numbers, real and
 * imaginary parts. */
struct slabs_part {
    double *at;
    int lo[3], n[3], layers;
};
struct slabs;
const char *slabs_new(const struct sl_device_slabs *what, struct slabs **out);
const char *slabs_window(struct slabs *s, const struct sl_device_slabs *what, int gas);
void slabs_free(struct slabs *s);
struct slabs *slabs_of(const struct sl_device *d); /* NULL: the device has the whole box */
const char *slabs_clear(struct sl_device *d);      /* the window of the gas */
struct slabs_part slabs_window_of(const struct slabs *s);
struct slabs_part slabs_modes_of(const struct slabs *s);

/* The field of particles, which has the shape of that window: their mass, and where a potential
 * comes in, which waiting kicks do not need any more. */
double *particles_field(const struct sl_device *d);
const char *particles_field_new(struct sl_device *d, double **out);

#endif
