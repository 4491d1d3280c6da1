/* particles_gpu.cu - particles of dark matter on a device: loops over the bodies of
 * core/cell/particle.h, as core/particles/push.c has them; see device.h.
 *
 * They lie in lists, one for each number, in any order: mass is summed in whole numbers, so that
 * the order of atomic sums does not matter. Every SORT_EVERY drifts they are sorted by short rows
 * of cells, so that the threads of a warp touch few lines of memory, and those rows by tiles, so
 * that the warps of a block touch the same ones. One that is gone keeps its place until then, with
 * a kind that none has.
 */
#include <stdlib.h>
#include <string.h>

#include "core/sys/sum.h"
#include "gpu/inside.cuh"

enum { SORT_EVERY = 16 };
static const size_t CHUNK = (size_t)1 << 18; /* particles between host and device at a time */
static const unsigned MOST_BLOCKS = 4096;
enum { TILE_X = 32, TILE_Y = 4, TILE_Z = 2, TILE_ROWS = TILE_Y * TILE_Z }; /* cells; their rows */
enum { MOVES = 0x40, GONE = 0x80 };     /* bits of a kind: to another rank; out of the box */
enum { PARTS = 4 * SL_PARTICLE_TERMS }; /* of the sums */
enum { PULL, SPEED, NGONE, NMOVED, LISTED, NUMBERS };

/* As kernels get it: lists of `n` places. field: of the whole box, or of `wide` cells from lo on,
 * with layers of cells around it, that a kernel touches and their neighbours. */
struct swarm {
    size_t n;
    uint32_t *x[3];
    sl_real *v[3];
    uint64_t *id;
    unsigned char *kind;
    int cells[3], block[3], tiles[3], lo[3], wide[3];
    double scale[3], rate[3];
    int64_t margin[3];
    const int *local; /* NULL: all blocks are of this rank */
    int layers;
    ptrdiff_t row, plane;
    double *field;
    unsigned long long *number; /* [NUMBERS] */
};

struct particles {
    struct swarm s;
    int kernel;
    size_t room, dead; /* places that there is memory for; of those in use, of who is gone */
    int drifts;        /* since they were sorted */
    int looked;        /* PULL and SPEED are those of now */
    int kicks;         /* a kick `by` waits for who asks for its results, or for a drift */
    struct sl_particle_kick by;
};

static __device__ bool swarm_has(const struct swarm &s, size_t i)
{
    return i < s.n && s.kind[i] < SL_PARTICLE_KINDS;
}

static __device__ void swarm_weigh(const struct swarm &s, int kernel, size_t i,
                                   struct sl_particle_axis axis[3])
{
    for (int d = 0; d < 3; d++)
        axis[d] = sl_particle_weigh(kernel, s.x[d][i], s.cells[d]);
}

/* The first cell that a particle touches. */
static __device__ ptrdiff_t swarm_touched(const struct swarm &s,
                                          const struct sl_particle_axis axis[3])
{
    return ((ptrdiff_t)axis[2].cell - s.lo[2] + s.layers) * s.plane +
           ((ptrdiff_t)axis[1].cell - s.lo[1] + s.layers) * s.row + (ptrdiff_t)axis[0].cell -
           s.lo[0] + s.layers;
}

static __device__ void swarm_pull(const struct swarm &s, int kernel,
                                  const struct sl_particle_axis axis[3], double pull[3])
{
    sl_particle_pull(kernel, axis, s.field + swarm_touched(s, axis), s.row, s.plane, s.scale, pull);
}

static __device__ void swarm_read(const struct swarm &s, size_t i, struct sl_particle &q)
{
    for (int d = 0; d < 3; d++) {
        q.x[d] = s.x[d][i];
        q.v[d] = s.v[d][i];
        q.g[d] = 0;
    }
    q.kind = s.kind[i] & (SL_PARTICLE_KINDS - 1);
    q.id = s.id[i];
}

/* ---- kernels --------------------------------------------------------------------------------- */

static __global__ void particles_unpack(struct swarm s, size_t first, size_t n,
                                        const struct sl_particle *from)
{
    size_t i = this_cell(), to = first + i;
    if (i >= n) return;
    for (int d = 0; d < 3; d++) {
        s.x[d][to] = from[i].x[d];
        s.v[d][to] = from[i].v[d];
    }
    s.kind[to] = (unsigned char)from[i].kind;
    s.id[to] = from[i].id;
}

static __global__ void particles_pack(struct swarm s, size_t first, size_t n,
                                      struct sl_particle *to)
{
    if (this_cell() < n) swarm_read(s, first + this_cell(), to[this_cell()]);
}

struct whole {
    int64_t of[SL_PARTICLE_KINDS];
};

template <int kernel>
static __global__ void particles_deposit(struct swarm s, const __grid_constant__ struct whole mass)
{
    struct sl_particle_axis axis[3];
    int64_t part[SL_KERNEL_MOST][SL_KERNEL_MOST][SL_KERNEL_MOST];
    constexpr int n = kernel + 1;
    if (!swarm_has(s, this_cell())) return;
    swarm_weigh(s, kernel, this_cell(), axis);
    sl_particle_parts(kernel, mass.of[s.kind[this_cell()]], axis, part);
    unsigned long long *to = (unsigned long long *)s.field + swarm_touched(s, axis);
#pragma unroll
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int j = 0; j < n; j++)
#pragma unroll
            for (int i = 0; i < n; i++)
                atomicAdd(to + k * s.plane + j * s.row + i, (unsigned long long)part[k][j][i]);
}

/* Mass in the layers around the box is that of cells at its other side. */
static __device__ int folded(int layers, int x, int n, int at[3])
{
    int count = 0;
    at[count++] = x + layers;
    if (x < layers - 1) at[count++] = x + n + layers;
    if (x > n - layers) at[count++] = x - n + layers;
    return count;
}

static __global__ void particles_lay(struct swarm s, struct gravity_grid g, double density)
{
    unsigned i = (unsigned)this_cell(), nx = (unsigned)g.n[0], ny = (unsigned)g.n[1];
    int x = (int)(i % nx), y = (int)(i / nx % ny), z = (int)(i / nx / ny);
    int ax[3], ay[3], az[3];
    if (z >= g.n[2]) return;
    int cx = folded(s.layers, x, g.n[0], ax), cy = folded(s.layers, y, g.n[1], ay),
        cz = folded(s.layers, z, g.n[2], az);
    long long mass = 0;
    for (int c = 0; c < cz; c++)
        for (int b = 0; b < cy; b++)
            for (int a = 0; a < cx; a++)
                mass += ((const long long *)s.field)[az[c] * s.plane + ay[b] * s.row + ax[a]];
    g.at[((size_t)z * (size_t)g.N[1] + (size_t)y) * g.row + (size_t)x] += (double)mass * density;
}

static __device__ size_t wrapped(int x, int n)
{
    return (size_t)(x < 0 ? x + n : x < n ? x : x - n);
}

static __global__ void particles_potential(struct swarm s, struct gravity_grid g)
{
    unsigned i = (unsigned)this_cell(), row = (unsigned)s.row,
             rows = (unsigned)(s.cells[1] + 2 * s.layers);
    int x = (int)(i % row) - s.layers, y = (int)(i / row % rows) - s.layers,
        z = (int)(i / row / rows) - s.layers;
    if (z >= g.n[2] + s.layers) return;
    s.field[i] = g.at[(wrapped(z, g.N[2]) * (size_t)g.N[1] + wrapped(y, g.N[1])) * g.row +
                      wrapped(x, g.N[0])];
}

/* Kicks by the pull of the field, or (kicks: 0) only looks; in either case at the largest numbers
 * afterwards. */
template <int kernel, int kicks>
static __global__ void particles_push(struct swarm s, struct sl_particle_kick by)
{
    double most = 0, speed = 0;
    for (size_t i = this_cell(); i < s.n; i += (size_t)gridDim.x * blockDim.x) {
        struct sl_particle_axis axis[3];
        double pull[3];
        if (!swarm_has(s, i)) continue;
        swarm_weigh(s, kernel, i, axis);
        swarm_pull(s, kernel, axis, pull);
        for (int d = 0; d < 3; d++) {
            sl_real v = s.v[d][i];
            if (kicks) s.v[d][i] = v = sl_particle_kicked(by, v, (sl_real)pull[d]);
            most = fmax(most, 2 * s.scale[d] * fabs(pull[d]));
            speed = fmax(speed, fabs((double)v) * s.rate[d]);
        }
    }
    most_raise(s.number + PULL, most);
    most_raise(s.number + SPEED, speed);
}

struct way {
    double of[3];
};

/* Kicks, where one waits, and moves. */
template <int kernel, int kicks>
static __global__ void particles_drift(struct swarm s, struct sl_particle_kick by, struct way way)
{
    size_t i = this_cell();
    uint32_t x[3];
    sl_real v[3];
    int stays = 1;
    if (!swarm_has(s, i)) return;
    for (int d = 0; d < 3; d++)
        v[d] = s.v[d][i];
    if (kicks) {
        struct sl_particle_axis axis[3];
        double pull[3];
        swarm_weigh(s, kernel, i, axis);
        swarm_pull(s, kernel, axis, pull);
        for (int d = 0; d < 3; d++)
            s.v[d][i] = v[d] = sl_particle_kicked(by, v[d], (sl_real)pull[d]);
    }
    for (int d = 0; d < 3; d++) {
        x[d] = s.x[d][i];
        stays &= sl_particle_drift(&x[d], (double)v[d] * way.of[d], s.margin[d]);
        s.x[d][i] = x[d];
    }
    if (!stays) {
        s.kind[i] |= GONE;
        atomicAdd(s.number + NGONE, 1ull);
    } else if (s.local && s.local[sl_particle_block(x, s.cells, s.block)] < 0) {
        s.kind[i] |= MOVES;
        atomicAdd(s.number + NMOVED, 1ull);
    }
}

static __global__ void particles_leave(struct swarm s, size_t most, struct sl_particle *to)
{
    size_t i = this_cell();
    if (i >= s.n || s.kind[i] >= GONE || !(s.kind[i] & MOVES)) return;
    unsigned long long at = atomicAdd(s.number + LISTED, 1ull);
    if (at < most) swarm_read(s, i, to[at]);
    s.kind[i] |= GONE;
}

/* Those of a start in their order; others than own ones are gone. */
static __global__ void particles_name(struct swarm s)
{
    size_t i = this_cell();
    if (i >= s.n) return;
    const uint32_t x[3] = {s.x[0][i], s.x[1][i], s.x[2][i]};
    bool own = !s.local || s.local[sl_particle_block(x, s.cells, s.block)] >= 0;
    s.id[i] = i;
    s.kind[i] = own ? 0 : GONE;
    if (!own) atomicAdd(s.number + NGONE, 1ull);
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* The row of a tile that a particle lies in. */
static __device__ size_t row_of(const struct swarm &s, size_t i)
{
    unsigned x[3];
    for (int d = 0; d < 3; d++)
        x[d] = (unsigned)((uint64_t)s.x[d][i] * (uint64_t)s.cells[d] >> 32);
    size_t tile =
        (x[2] / TILE_Z * (size_t)s.tiles[1] + x[1] / TILE_Y) * (size_t)s.tiles[0] + x[0] / TILE_X;
    return tile * TILE_ROWS + x[2] % TILE_Z * TILE_Y + x[1] % TILE_Y;
}

enum { NOWHERE = -1 };

/* The place of each particle among those of its row. */
static __global__ void sort_count(struct swarm s, unsigned *count, unsigned *place)
{
    size_t i = this_cell();
    if (i >= s.n) return;
    place[i] = swarm_has(s, i) ? atomicAdd(count + row_of(s, i), 1u) : (unsigned)NOWHERE;
}

/* The first place of each row. Those of a block of threads lie beside each other; which comes first
 * means nothing. */
static __global__ void sort_first(size_t rows, unsigned *count, unsigned *all)
{
    __shared__ unsigned mine, before;
    unsigned own = this_cell() < rows ? count[this_cell()] : 0;
    if (threadIdx.x == 0) mine = 0;
    __syncthreads();
    unsigned first = atomicAdd(&mine, own);
    __syncthreads();
    if (threadIdx.x == 0) before = atomicAdd(all, mine);
    __syncthreads();
    if (this_cell() < rows) count[this_cell()] = before + first;
}

static __global__ void sort_place(struct swarm s, const unsigned *first, unsigned *place)
{
    if (this_cell() < s.n && place[this_cell()] != (unsigned)NOWHERE)
        place[this_cell()] += first[row_of(s, this_cell())];
}

template <class T>
static __global__ void sort_move(size_t n, const unsigned *place, const T *from, T *to)
{
    if (this_cell() < n && place[this_cell()] != (unsigned)NOWHERE)
        to[place[this_cell()]] = from[this_cell()];
}

/* ---- sums ------------------------------------------------------------------------------------ */

static __global__ void particles_bounds(struct swarm s, struct sl_device_terms a,
                                        unsigned long long *bound)
{
    double most[SL_PARTICLE_TERMS] = {0, 0, 0, 0, 0};
    for (size_t i = this_cell(); i < s.n; i += (size_t)gridDim.x * blockDim.x) {
        double term[SL_PARTICLE_TERMS];
        if (!swarm_has(s, i)) continue;
        const sl_real v[3] = {s.v[0][i], s.v[1][i], s.v[2][i]};
        sl_particle_terms(a.mass[s.kind[i]], v, term);
        for (int c = 0; c < SL_PARTICLE_TERMS; c++)
            most[c] = fabs(term[c]) < SL_SUM_BOUND ? fmax(most[c], fabs(term[c])) : HUGE_VAL;
    }
    for (int c = 0; c < SL_PARTICLE_TERMS; c++)
        most_raise(bound + c, most[c]);
}

/* As sl_sum_term and sl_sum_add (core/sys/sum.h), term by term. */
static __device__ long long count_term(double magic, double x, long long part[2])
{
    long long term = __double_as_longlong(magic + x) - __double_as_longlong(magic);
    long long low = term & 0xffffffffLL;
    part[0] += (term - low) / (1LL << 32);
    part[1] += low;
    return term;
}

static __global__ void particles_sums(struct swarm s, struct sl_device_terms a,
                                      unsigned long long *sum)
{
    long long part[PARTS];
    for (int q = 0; q < PARTS; q++)
        part[q] = 0;
    for (size_t i = this_cell(); i < s.n; i += (size_t)gridDim.x * blockDim.x) {
        double term[SL_PARTICLE_TERMS];
        if (!swarm_has(s, i)) continue;
        const sl_real v[3] = {s.v[0][i], s.v[1][i], s.v[2][i]};
        sl_particle_terms(a.mass[s.kind[i]], v, term);
        for (int c = 0; c < SL_PARTICLE_TERMS; c++) {
            long long count = count_term(a.magic[c], term[c], part + 4 * c);
            count_term(a.fine[c], term[c] - (double)count * a.unit[c], part + 4 * c + 2);
        }
    }
    for (int q = 0; q < PARTS; q++) {
        for (int by = 16; by > 0; by /= 2)
            part[q] += __shfl_xor_sync(0xffffffff, part[q], by);
        if (threadIdx.x % 32 == 0) atomicAdd(sum + q, (unsigned long long)part[q]);
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

template <class T> static const char *list_new(size_t n, T **out)
{
    return room_new(n * sizeof **out, (void **)out);
}

static const char *lists_new(size_t n, struct swarm *s)
{
    for (int d = 0; d < 3; d++) {
        PASS(list_new(n, &s->x[d]));
        PASS(list_new(n, &s->v[d]));
    }
    PASS(list_new(n, &s->id));
    return list_new(n, &s->kind);
}

static void lists_free(struct swarm *s)
{
    for (int d = 0; d < 3; d++) {
        room_free(s->x[d]), room_free(s->v[d]);
        s->x[d] = NULL, s->v[d] = NULL;
    }
    room_free(s->id), room_free(s->kind);
    s->id = NULL, s->kind = NULL;
}

/* Into a list of the same room, which takes the place of the old one. */
template <class T>
static const char *list_sort(struct sl_device *d, const unsigned *place, T **list)
{
    struct particles *p = d->particles;
    T *to = NULL;
    PASS(list_new(p->room, &to));
    sort_move<T><<<blocks_of(p->s.n), THREADS, 0, d->stream>>>(p->s.n, place, *list, to);
    room_free(*list);
    *list = to;
    TRY(cudaGetLastError());
    return NULL;
}

static const char *lists_sort(struct sl_device *d, const unsigned *place)
{
    struct swarm *s = &d->particles->s;
    for (int a = 0; a < 3; a++) {
        PASS(list_sort(d, place, &s->x[a]));
        PASS(list_sort(d, place, &s->v[a]));
    }
    PASS(list_sort(d, place, &s->id));
    return list_sort(d, place, &s->kind);
}

static size_t rows_of(const struct swarm *s)
{
    return TILE_ROWS * (size_t)s->tiles[0] * (size_t)s->tiles[1] * (size_t)s->tiles[2];
}

static const char *places_make(struct sl_device *d, unsigned *count, unsigned *place)
{
    struct swarm *s = &d->particles->s;
    size_t rows = rows_of(s);
    TRY(cudaMemsetAsync(count, 0, (rows + 1) * sizeof *count, d->stream));
    sort_count<<<blocks_of(s->n), THREADS, 0, d->stream>>>(*s, count, place);
    sort_first<<<blocks_of(rows), THREADS, 0, d->stream>>>(rows, count, count + rows);
    sort_place<<<blocks_of(s->n), THREADS, 0, d->stream>>>(*s, count, place);
    TRY(cudaGetLastError());
    return NULL;
}

/* By rows of tiles; those that are gone leave their places. */
static const char *sort(struct sl_device *d)
{
    struct particles *p = d->particles;
    struct swarm *s = &p->s;
    unsigned *count = NULL, *place = NULL;
    p->drifts = 0;
    if (s->n == 0) return NULL;
    PASS(list_new(rows_of(s) + 1, &count));
    const char *text = list_new(s->n, &place);
    if (!text) text = places_make(d, count, place);
    if (!text) text = lists_sort(d, place);
    room_free(count), room_free(place);
    s->n -= p->dead;
    p->dead = 0;
    return text;
}

/* Places for n more. */
static const char *lists_grow(struct sl_device *d, size_t n)
{
    struct particles *p = d->particles;
    struct swarm *s = &p->s, old = *s;
    if (s->n + n <= p->room) return NULL;
    size_t room = s->n + n + (s->n + n) / 8;
    if (room >= 0xffffffffu) return "more than 2^32 particles of a rank";
    for (int a = 0; a < 3; a++)
        s->x[a] = NULL, s->v[a] = NULL;
    s->id = NULL, s->kind = NULL;
    PASS(lists_new(room, s));
    for (int a = 0; a < 3; a++) {
        PASS(move(d, s->x[a], old.x[a], s->n * sizeof *s->x[a], cudaMemcpyDeviceToDevice));
        PASS(move(d, s->v[a], old.v[a], s->n * sizeof *s->v[a], cudaMemcpyDeviceToDevice));
    }
    PASS(move(d, s->id, old.id, s->n * sizeof *s->id, cudaMemcpyDeviceToDevice));
    PASS(move(d, s->kind, old.kind, s->n * sizeof *s->kind, cudaMemcpyDeviceToDevice));
    lists_free(&old);
    p->room = room;
    return NULL;
}

/* ---- kicks ----------------------------------------------------------------------------------- */

typedef void push_kernel(struct swarm, struct sl_particle_kick);
static push_kernel *const pushes[] = {
    particles_push<SL_KERNEL_ngp, 1>, particles_push<SL_KERNEL_cic, 1>,
    particles_push<SL_KERNEL_tsc, 1>, particles_push<SL_KERNEL_pcs, 1>,
    particles_push<SL_KERNEL_ngp, 0>, particles_push<SL_KERNEL_cic, 0>,
    particles_push<SL_KERNEL_tsc, 0>, particles_push<SL_KERNEL_pcs, 0>};

/* Not more blocks of threads than keep a device busy: each raises the largest numbers. */
static unsigned few_blocks(size_t n)
{
    unsigned all = blocks_of(n);
    return all < MOST_BLOCKS ? all : MOST_BLOCKS;
}

static const char *push(struct sl_device *d)
{
    struct particles *p = d->particles;
    int kicks = p->kicks;
    TRY(cudaMemsetAsync(p->s.number, 0, 2 * sizeof *p->s.number, d->stream));
    p->looked = 1, p->kicks = 0;
    if (p->s.n == 0) return NULL;
    push_kernel *kernel = pushes[p->kernel + (kicks ? 0 : SL_KERNELS)];
    kernel<<<few_blocks(p->s.n), THREADS, 0, d->stream>>>(p->s, p->by);
    TRY(cudaGetLastError());
    return NULL;
}

/* What waits is done: it is asked for, or the field changes. */
static const char *settle(struct sl_device *d)
{
    return d->particles->kicks ? push(d) : NULL;
}

/* ---- the device ------------------------------------------------------------------------------ */

void particles_free(struct particles *p)
{
    if (!p) return;
    lists_free(&p->s);
    room_free(p->s.field), room_free(p->s.number), room_free(p->s.local);
    free(p);
}

static size_t field_values(const struct swarm *s)
{
    return (size_t)s->plane * (size_t)(s->wide[2] + 2 * s->layers);
}

static void swarm_set(struct swarm *s, const struct sl_device_particles *what)
{
    const int side[3] = {TILE_X, TILE_Y, TILE_Z};
    for (int a = 0; a < 3; a++) {
        s->cells[a] = what->n[a], s->block[a] = what->block[a];
        s->lo[a] = what->lo[a], s->wide[a] = what->wide[a];
        s->tiles[a] = (what->n[a] + side[a] - 1) / side[a];
        s->scale[a] = what->scale[a], s->rate[a] = what->rate[a];
        s->margin[a] = what->margin[a];
    }
    s->layers = sl_kernel_reach(what->kernel) + 1;
    s->row = what->wide[0] + 2 * s->layers;
    s->plane = s->row * (what->wide[1] + 2 * s->layers);
}

static const char *local_make(struct sl_device *d, const struct sl_device_particles *what)
{
    size_t blocks = 1;
    for (int a = 0; a < 3; a++)
        blocks *= (size_t)(what->n[a] / what->block[a]);
    if (!what->local) return NULL;
    PASS(table(what->local, blocks * sizeof(int), (const void **)&d->particles->s.local));
    return wait(d); /* the host's numbers may go */
}

extern "C" const char *sl_device_particles_new(struct sl_device *d,
                                               const struct sl_device_particles *what)
{
    struct particles *p = d->particles = (struct particles *)calloc(1, sizeof *p);
    if (!p) return "no memory on the host";
    p->kernel = what->kernel;
    swarm_set(&p->s, what);
    if (field_values(&p->s) >= 0xffffff00u) return "more than 2^32 cells";
    PASS(room_zero(field_values(&p->s) * sizeof *p->s.field, (void **)&p->s.field));
    PASS(list_new(NUMBERS + PARTS, &p->s.number));
    PASS(host_room(d->shared, HOST_SUMS, (NUMBERS + PARTS) * sizeof *p->s.number));
    return local_make(d, what);
}

extern "C" const char *sl_device_particles_add(struct sl_device *d, const struct sl_particle *at,
                                               size_t n)
{
    struct particles *p = d->particles;
    struct sl_particle *part = NULL;
    if (n == 0) return NULL;
    PASS(lists_grow(d, n));
    PASS(list_new(n < CHUNK ? n : CHUNK, &part));
    const char *text = NULL;
    for (size_t i = 0; i < n && !text; i += CHUNK) {
        size_t count = n - i < CHUNK ? n - i : CHUNK;
        text = move(d, part, at + i, count * sizeof *part, cudaMemcpyHostToDevice);
        particles_unpack<<<blocks_of(count), THREADS, 0, d->stream>>>(p->s, p->s.n, count, part);
        p->s.n += count;
    }
    room_free(part);
    p->looked = 0;
    PASS(text);
    TRY(cudaGetLastError());
    return wait(d); /* the host's numbers may go */
}

extern "C" const char *sl_device_particles_set(struct sl_device *d, const struct sl_particle *at,
                                               size_t n)
{
    struct particles *p = d->particles;
    p->s.n = p->dead = 0;
    p->looked = p->kicks = 0;
    PASS(sl_device_particles_add(d, at, n));
    return sort(d);
}

extern "C" size_t sl_device_particles_count(const struct sl_device *d)
{
    return d->particles->s.n - d->particles->dead;
}

extern "C" const char *sl_device_particles_get(struct sl_device *d, struct sl_particle *at)
{
    struct particles *p = d->particles;
    struct sl_particle *part = NULL;
    PASS(settle(d));
    if (p->dead > 0) PASS(sort(d));
    size_t n = p->s.n;
    if (n == 0) return NULL;
    PASS(list_new(n < CHUNK ? n : CHUNK, &part));
    const char *text = NULL;
    for (size_t i = 0; i < n && !text; i += CHUNK) {
        size_t count = n - i < CHUNK ? n - i : CHUNK;
        particles_pack<<<blocks_of(count), THREADS, 0, d->stream>>>(p->s, i, count, part);
        text = move(d, at + i, part, count * sizeof *part, cudaMemcpyDeviceToHost);
    }
    room_free(part);
    PASS(text);
    TRY(cudaGetLastError());
    return wait(d);
}

extern "C" const char *sl_device_particles_lists(struct sl_device *d, struct sl_particle_lists *out)
{
    struct particles *p = d->particles;
    PASS(settle(d));
    if (p->dead > 0) PASS(sort(d));
    out->n = p->s.n;
    out->id = p->s.id;
    for (int a = 0; a < 3; a++)
        out->x[a] = p->s.x[a], out->v[a] = p->s.v[a];
    return wait(d);
}

typedef void deposit_kernel(struct swarm, struct whole);
static deposit_kernel *const deposits[] = {
    particles_deposit<SL_KERNEL_ngp>, particles_deposit<SL_KERNEL_cic>,
    particles_deposit<SL_KERNEL_tsc>, particles_deposit<SL_KERNEL_pcs>};

extern "C" const char *sl_device_particles_deposit(struct sl_device *d, const int64_t *whole)
{
    struct particles *p = d->particles;
    struct whole mass;
    PASS(settle(d));
    memcpy(mass.of, whole, sizeof mass.of);
    TRY(cudaMemsetAsync(p->s.field, 0, field_values(&p->s) * sizeof *p->s.field, d->stream));
    if (p->s.n > 0) deposits[p->kernel]<<<blocks_of(p->s.n), THREADS, 0, d->stream>>>(p->s, mass);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_particles_lay(struct sl_device *d, double density)
{
    const struct gravity_grid g = gravity_grid_of(d);
    size_t cells = (size_t)g.n[0] * (size_t)g.n[1] * (size_t)g.n[2];
    particles_lay<<<blocks_of(cells), THREADS, 0, d->stream>>>(d->particles->s, g, density);
    TRY(cudaGetLastError());
    return NULL;
}

double *particles_field(const struct sl_device *d)
{
    return d->particles->s.field;
}

const char *particles_field_new(struct sl_device *d, double **out)
{
    PASS(settle(d));
    d->particles->looked = 0;
    *out = d->particles->s.field;
    return NULL;
}

extern "C" const char *sl_device_particles_potential(struct sl_device *d)
{
    const struct gravity_grid g = gravity_grid_of(d);
    double *field;
    PASS(particles_field_new(d, &field));
    const struct swarm *s = &d->particles->s;
    particles_potential<<<blocks_of(field_values(s)), THREADS, 0, d->stream>>>(*s, g);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" int64_t *sl_device_particles_mass(struct sl_device *d)
{
    return (int64_t *)d->particles->s.field;
}

extern "C" size_t sl_device_particles_field_size(const struct sl_device *d)
{
    return field_values(&d->particles->s);
}

extern "C" const char *sl_device_particles_field(struct sl_device *d, void *host, int put)
{
    struct particles *p = d->particles;
    size_t size = field_values(&p->s) * sizeof *p->s.field;
    if (put) PASS(settle(d));
    if (put) p->looked = 0;
    PASS(put ? move(d, p->s.field, host, size, cudaMemcpyHostToDevice)
             : move(d, host, p->s.field, size, cudaMemcpyDeviceToHost));
    return wait(d);
}

extern "C" const char *sl_device_particles_kick(struct sl_device *d, struct sl_particle_kick by)
{
    struct particles *p = d->particles;
    PASS(settle(d));
    p->kicks = 1, p->by = by;
    p->looked = 0;
    return NULL;
}

/* Numbers from `first` on, which lie in pinned memory until the next call of anything. */
static const char *numbers(struct sl_device *d, int first, int n, const unsigned long long **out)
{
    unsigned long long *host = (unsigned long long *)d->shared->host[HOST_SUMS];
    PASS(move(d, host, d->particles->s.number + first, (size_t)n * sizeof *host,
              cudaMemcpyDeviceToHost));
    *out = host;
    return wait(d);
}

extern "C" const char *sl_device_particles_look(struct sl_device *d, double *pull, double *speed)
{
    const unsigned long long *number = NULL;
    if (!d->particles->looked) PASS(push(d));
    PASS(numbers(d, PULL, 2, &number));
    memcpy(pull, &number[0], sizeof *pull);
    memcpy(speed, &number[1], sizeof *speed);
    return NULL;
}

/* Nothing is known of a box that repeats, on one rank: nobody goes. */
static const char *drift_counts(struct sl_device *d, int64_t *gone, int64_t *moved)
{
    struct particles *p = d->particles;
    const unsigned long long *number = NULL;
    *gone = *moved = 0;
    if (!p->s.local && p->s.margin[0] < 0) return NULL;
    PASS(numbers(d, NGONE, 2, &number));
    *gone = (int64_t)number[0], *moved = (int64_t)number[1];
    p->dead += (size_t)(*gone + *moved);
    return NULL;
}

typedef void drift_kernel(struct swarm, struct sl_particle_kick, struct way);
static drift_kernel *const drifts[] = {
    particles_drift<SL_KERNEL_ngp, 1>, particles_drift<SL_KERNEL_cic, 1>,
    particles_drift<SL_KERNEL_tsc, 1>, particles_drift<SL_KERNEL_pcs, 1>,
    particles_drift<SL_KERNEL_ngp, 0>, particles_drift<SL_KERNEL_cic, 0>,
    particles_drift<SL_KERNEL_tsc, 0>, particles_drift<SL_KERNEL_pcs, 0>};

extern "C" const char *sl_device_particles_drift(struct sl_device *d, const double way[3],
                                                 int64_t *gone, int64_t *moved)
{
    struct particles *p = d->particles;
    struct way along = {{way[0], way[1], way[2]}};
    if (p->drifts++ >= SORT_EVERY) PASS(sort(d));
    p->looked = 0;
    TRY(cudaMemsetAsync(p->s.number + NGONE, 0, 3 * sizeof *p->s.number, d->stream));
    drift_kernel *kernel = drifts[p->kernel + (p->kicks ? 0 : SL_KERNELS)];
    if (p->s.n > 0) kernel<<<blocks_of(p->s.n), THREADS, 0, d->stream>>>(p->s, p->by, along);
    p->kicks = 0;
    TRY(cudaGetLastError());
    return drift_counts(d, gone, moved);
}

extern "C" const char *sl_device_particles_leave(struct sl_device *d, struct sl_particle *at,
                                                 size_t n)
{
    struct particles *p = d->particles;
    struct sl_particle *list = NULL;
    if (n == 0) return NULL;
    PASS(list_new(n, &list));
    particles_leave<<<blocks_of(p->s.n), THREADS, 0, d->stream>>>(p->s, n, list);
    const char *text = move(d, at, list, n * sizeof *list, cudaMemcpyDeviceToHost);
    room_free(list);
    PASS(text);
    TRY(cudaGetLastError());
    return wait(d);
}

static __global__ void particles_hash(struct swarm s, unsigned long long *to)
{
    uint64_t sum = 0;
    for (size_t i = this_cell(); i < s.n; i += (size_t)gridDim.x * blockDim.x) {
        const uint32_t x[3] = {s.x[0][i], s.x[1][i], s.x[2][i]};
        const sl_real v[3] = {s.v[0][i], s.v[1][i], s.v[2][i]};
        if (swarm_has(s, i)) sum += sl_particle_hash(x, s.kind[i], s.id[i], v);
    }
    atomicAdd(to, (unsigned long long)sum);
}

extern "C" const char *sl_device_particles_hash(struct sl_device *d, uint64_t *sum)
{
    struct particles *p = d->particles;
    unsigned long long *to = p->s.number + NUMBERS;
    const unsigned long long *number = NULL;
    unsigned blocks = blocks_of(p->s.n);
    PASS(settle(d));
    TRY(cudaMemsetAsync(to, 0, sizeof *to, d->stream));
    if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
    if (blocks > 0) particles_hash<<<blocks, THREADS, 0, d->stream>>>(p->s, to);
    TRY(cudaGetLastError());
    PASS(numbers(d, NUMBERS, 1, &number));
    *sum = number[0];
    return NULL;
}

extern "C" const char *
sl_device_particles_bounds(struct sl_device *d, const struct sl_device_terms *terms, double *bound)
{
    struct particles *p = d->particles;
    unsigned long long *to = p->s.number + NUMBERS;
    const unsigned long long *number = NULL;
    PASS(settle(d));
    TRY(cudaMemsetAsync(to, 0, SL_PARTICLE_TERMS * sizeof *to, d->stream));
    if (p->s.n > 0)
        particles_bounds<<<few_blocks(p->s.n), THREADS, 0, d->stream>>>(p->s, *terms, to);
    TRY(cudaGetLastError());
    PASS(numbers(d, NUMBERS, SL_PARTICLE_TERMS, &number));
    memcpy(bound, number, SL_PARTICLE_TERMS * sizeof *bound);
    return NULL;
}

extern "C" const char *sl_device_particles_sums(struct sl_device *d,
                                                const struct sl_device_terms *terms, int64_t *sum)
{
    struct particles *p = d->particles;
    unsigned long long *to = p->s.number + NUMBERS;
    const unsigned long long *number = NULL;
    PASS(settle(d));
    TRY(cudaMemsetAsync(to, 0, PARTS * sizeof *to, d->stream));
    if (p->s.n > 0) particles_sums<<<few_blocks(p->s.n), THREADS, 0, d->stream>>>(p->s, *terms, to);
    TRY(cudaGetLastError());
    PASS(numbers(d, NUMBERS, PARTS, &number));
    for (int q = 0; q < PARTS; q++)
        sum[q] += (int64_t)number[q];
    return NULL;
}

const char *particles_begin(struct sl_device *d, size_t n, struct particle_lists *out)
{
    struct particles *p = d->particles;
    p->s.n = p->dead = 0;
    p->looked = p->kicks = 0;
    const char *text = lists_grow(d, n);
    for (int a = 0; a < 3; a++)
        out->x[a] = p->s.x[a], out->v[a] = p->s.v[a];
    if (text)
        lists_free(&p->s), p->room = 0;
    else
        p->s.n = n;
    return text;
}

/* Lists are then as long as those of the rank need. */
const char *particles_end(struct sl_device *d)
{
    struct particles *p = d->particles;
    const unsigned long long *number = NULL;
    TRY(cudaMemsetAsync(p->s.number + NGONE, 0, sizeof *p->s.number, d->stream));
    particles_name<<<blocks_of(p->s.n), THREADS, 0, d->stream>>>(p->s);
    TRY(cudaGetLastError());
    PASS(numbers(d, NGONE, 1, &number));
    p->dead = (size_t)number[0];
    if (p->s.local) p->room = (p->s.n - p->dead) + (p->s.n - p->dead) / 8;
    return sort(d);
}
