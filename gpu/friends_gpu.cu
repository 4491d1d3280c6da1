/* friends_gpu.cu - friends of friends on a device; see friends_gpu.h. */
#include <math.h>
#include <string.h>

#include "gpu/friends_gpu.h"
#include "gpu/inside.cuh"

static const unsigned long long EMPTY = ~0ull;
static const uint32_t NONE = ~0u;
enum { AXES = 3 };

/* As kernels get it. Of the table: the cell in each place, and its first particle. */
struct friends {
    size_t n, places; /* a power of two */
    uint64_t cells[AXES];
    int reach[AXES]; /* cells that friends are apart at most */
    double side[AXES], length2;
    const uint32_t *x;
    unsigned long long *cell;
    uint32_t *first, *next, *parent;
};

/* ---- trees ----------------------------------------------------------------------------------- */

/* A parent is smaller than its child and of the same tree, at any time; a late write may put an
 * older one back. Whichever of them a thread sees will do. */
static __device__ uint32_t root_of(volatile uint32_t *parent, uint32_t i)
{
    for (uint32_t up = parent[i]; up != i; up = parent[i]) {
        uint32_t above = parent[up];
        if (above != up) parent[i] = above;
        i = up;
    }
    return i;
}

static __device__ void unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    for (;;) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (a == b) return;
        uint32_t low = a < b ? a : b, high = a < b ? b : a;
        if (atomicCAS(parent + high, high, low) == high) return;
    }
}

/* ---- cells ----------------------------------------------------------------------------------- */

static __device__ unsigned long long cell_at(const struct friends &f, const uint64_t at[AXES])
{
    return (at[2] * f.cells[1] + at[1]) * f.cells[0] + at[0];
}

/* Four cells next to each other along x lie so in the table. */
static __device__ size_t place_of(const struct friends &f, unsigned long long cell)
{
    unsigned long long h = (cell >> 2) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
    return (size_t)((h << 2 | (cell & 3)) & (f.places - 1));
}

/* The place of a cell in the table, of one without particles `places`. */
static __device__ size_t cell_find(const struct friends &f, unsigned long long cell)
{
    size_t p = place_of(f, cell);
    while (f.cell[p] != cell && f.cell[p] != EMPTY)
        p = (p + 1) & (f.places - 1);
    return f.cell[p] == cell ? p : f.places;
}

static __global__ void friends_place(struct friends f)
{
    size_t i = this_cell();
    uint64_t at[AXES];
    if (i >= f.n) return;
    for (int d = 0; d < AXES; d++)
        at[d] = f.x[AXES * i + d] * f.cells[d] >> 32;
    unsigned long long cell = cell_at(f, at), there = EMPTY;
    size_t p = place_of(f, cell);
    while ((there = atomicCAS(f.cell + p, EMPTY, cell)) != EMPTY && there != cell)
        p = (p + 1) & (f.places - 1);
    f.parent[i] = (uint32_t)i;
    f.next[i] = atomicExch(f.first + p, (uint32_t)i);
}

/* ---- friends --------------------------------------------------------------------------------- */

static __global__ void friends_of_cell(struct friends f)
{
    size_t i = this_cell();
    if (i < f.n && f.next[i] != NONE) unite(f.parent, (uint32_t)i, f.next[i]);
}

/* The sum of core/halo/fof.c, in its order. */
static __device__ bool are_friends(const struct friends &f, uint32_t a, uint32_t b)
{
    double sum = 0;
    for (int d = 0; d < AXES; d++) {
        uint32_t apart = f.x[AXES * (size_t)a + d] - f.x[AXES * (size_t)b + d];
        double x = (double)(int32_t)apart * f.side[d];
        sum += x * x;
    }
    return sum <= f.length2;
}

static __device__ bool touch(const struct friends &f, uint32_t a, uint32_t first)
{
    for (; a != NONE; a = f.next[a])
        for (uint32_t b = first; b != NONE; b = f.next[b])
            if (are_friends(f, a, b)) return true;
    return false;
}

static __device__ void join(const struct friends &f, uint32_t a, uint32_t b)
{
    if (root_of(f.parent, a) != root_of(f.parent, b) && touch(f, a, b)) unite(f.parent, a, b);
}

static __device__ uint64_t wrapped(int64_t x, int64_t n)
{
    x %= n;
    return (uint64_t)(x < 0 ? x + n : x);
}

/* With the cells of a row that is so many further along y and z; of a pair of cells in a row the
 * one that is first along x looks. */
static __device__ void join_row(const struct friends &f, uint32_t a, const uint64_t at[AXES], int y,
                                int z)
{
    uint64_t there[AXES] = {0, wrapped((int64_t)at[1] + y, (int64_t)f.cells[1]),
                            wrapped((int64_t)at[2] + z, (int64_t)f.cells[2])};
    for (int x = y == 0 && z == 0 ? 1 : -f.reach[0]; x <= f.reach[0]; x++) {
        there[0] = wrapped((int64_t)at[0] + x, (int64_t)f.cells[0]);
        size_t p = cell_find(f, cell_at(f, there));
        if (p < f.places && f.first[p] != a) join(f, a, f.first[p]);
    }
}

static __global__ void friends_join(struct friends f)
{
    size_t p = this_cell();
    if (p >= f.places || f.cell[p] == EMPTY) return;
    unsigned long long cell = f.cell[p], row = cell / f.cells[0];
    const uint64_t at[AXES] = {cell % f.cells[0], row % f.cells[1], row / f.cells[1]};
    for (int z = 0; z <= f.reach[2]; z++)
        for (int y = z ? -f.reach[1] : 0; y <= f.reach[1]; y++)
            join_row(f, f.first[p], at, y, z);
}

/* Each thread writes what is its own alone: one that shortened the ways of others as it went would
 * put there what is no root. */
static __global__ void friends_root(struct friends f)
{
    size_t i = this_cell();
    const volatile uint32_t *parent = f.parent;
    if (i >= f.n) return;
    uint32_t root = (uint32_t)i;
    for (uint32_t up = parent[root]; up != root; up = parent[root])
        root = up;
    f.parent[i] = root;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* A cell is narrower than length / sqrt(3), and those that are k apart are k - 1 widths apart. */
static struct friends friends_of(size_t n, double length, const double side[AXES])
{
    struct friends f = {};
    f.n = n;
    f.length2 = length * length;
    for (f.places = 64; f.places < 2 * n;)
        f.places *= 2;
    for (int d = 0; d < AXES; d++) {
        double whole = side[d] * 4294967296.0;
        f.side[d] = side[d];
        f.cells[d] = (uint64_t)(sqrt(3.0) * whole / length) + 1;
        f.reach[d] = 1 + (int)(length * (double)f.cells[d] / whole);
    }
    return f;
}

static void friends_room(struct friends *f, char *at)
{
    f->cell = (unsigned long long *)(void *)at;
    f->first = (uint32_t *)(f->cell + f->places);
    f->next = f->first + f->places;
    f->parent = f->next + f->n;
    f->x = f->parent + f->n;
}

static const char *friends_find(const struct friends *f, cudaStream_t stream)
{
    TRY(cudaMemsetAsync(f->cell, 0xff, f->places * (sizeof *f->cell + sizeof *f->first), stream));
    friends_place<<<blocks_of(f->n), THREADS, 0, stream>>>(*f);
    friends_of_cell<<<blocks_of(f->n), THREADS, 0, stream>>>(*f);
    friends_join<<<blocks_of(f->places), THREADS, 0, stream>>>(*f);
    friends_root<<<blocks_of(f->n), THREADS, 0, stream>>>(*f);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_friends_gpu(struct sl_stats_gpu *c, size_t n, const uint32_t *x,
                                      double length, const double side[3], uint32_t *root,
                                      int *full)
{
    struct friends f = friends_of(n, length, side);
    size_t bytes = f.places * (sizeof *f.cell + sizeof *f.first) + n * (2 + AXES) * sizeof *f.x;
    char *at;
    *full = (double)f.cells[0] * (double)f.cells[1] * (double)f.cells[2] >= 0x1p63;
    if (*full) return "more cells than there are numbers of 64 bits";
    PASS(sl_stats_gpu_take(c));
    const char *text = sl_stats_gpu_room(c, bytes, &at);
    *full = text != NULL;
    PASS(text);
    if (n == 0) return NULL;
    friends_room(&f, at);
    PASS(sl_stats_gpu_put(c, (void *)(uintptr_t)f.x, x, n * AXES * sizeof *x));
    PASS(friends_find(&f, (cudaStream_t)sl_stats_gpu_stream(c)));
    return sl_stats_gpu_get(c, root, f.parent, n * sizeof *root);
}
