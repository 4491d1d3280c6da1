/* fof.c - see fof.h. */
#include "core/halo/fof.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/device.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

enum { FEW = 24, PIECE = 1 << 12 };

/* A particle as it is looked for: sorted by row, then by cell. */
struct item {
    uint32_t x[3], index; /* index: own particles first, then copies */
    uint32_t cell; /* within its row: four times the place along x, and which of four there */
};

struct finder {
    const struct sl_shares *s;
    struct sl_fringe fringe; /* owned */
    double side[3], length2;
    uint64_t cells, rows[2]; /* of the box: cells along x, rows along y and z */
    int reach;               /* rows that friends are apart at most */
    uint64_t first, depth;   /* layers of rows in z that particles may lie in */
    size_t n;                /* items */
    struct item *item;       /* owned */
    uint32_t *row; /* owned, [depth * rows[0] + 1]: first item, then first cell, of a row */
    size_t ncell;
    uint32_t *begin;  /* owned, [ncell + 1]: first item of a cell */
    uint32_t *at;     /* owned, [ncell]: place of a cell along x */
    uint32_t *parent; /* owned, [ncell] */
    uint32_t *root; /* owned, [n]: cell of the particle of an index, then the root of its cell, or,
                       * of a device, the first particle of its group */
    size_t nroot;   /* what roots are below */
    uint64_t *name; /* owned, [nroot]: of a root, the least id */
};

/* ---- rows of cells ---- */

static uint64_t part_of(uint32_t x, uint64_t parts)
{
    return (uint64_t)x * parts >> 32;
}

static size_t row_of(const struct finder *f, const uint32_t x[3])
{
    uint64_t z = part_of(x[2], f->rows[1]) + f->rows[1] - f->first;
    if (z >= f->rows[1]) z -= f->rows[1];
    return (size_t)(z * f->rows[0] + part_of(x[1], f->rows[0]));
}

/* A row is two cells wide and two deep. */
static uint32_t cell_of(const struct finder *f, const uint32_t x[3])
{
    uint64_t y = part_of(x[1], 2 * f->rows[0]) & 1, z = part_of(x[2], 2 * f->rows[1]) & 1;
    return (uint32_t)(4 * part_of(x[0], f->cells) + 2 * z + y);
}

/* Layers from the one of the lowest copy on to that of the highest, which may lie beyond the walls
 * of the box: all of them where those two would meet. */
static void set_layers(struct finder *f, double length)
{
    const struct sl_shares *s = f->s;
    double reach = ceil(length / f->side[2]) + 1, rows = (double)f->rows[1];
    double lo = (double)s->edge[s->rank] - reach, hi = (double)s->edge[s->rank + 1] + reach;
    double first = floor(lo * rows / SL_POINT_BOX),
           depth = floor(hi * rows / SL_POINT_BOX) - first + 1;
    bool all = s->size == 1 || depth >= rows;
    f->first = all ? 0 : (uint64_t)(first < 0 ? first + rows : first);
    f->depth = all ? f->rows[1] : (uint64_t)depth;
}

/* Cells are at most length / sqrt(3) along each side; rows less than length where there are few. */
static void set_cells(struct finder *f, double length)
{
    f->length2 = length * length;
    f->cells = (uint64_t)(sqrt(3) * f->side[0] * SL_POINT_BOX / length) + 1;
    f->reach = 1;
    for (int d = 0; d < 2; d++) {
        double side = f->side[1 + d] * SL_POINT_BOX;
        f->rows[d] = (uint64_t)(sqrt(3) / 2 * side / length) + 1;
        if (side < (double)f->rows[d] * length) f->reach = 2;
    }
    set_layers(f, length);
}

static const struct sl_point *point_at(const struct finder *f, size_t i)
{
    return i < f->s->own.n ? &f->s->own.point[i] : &f->fringe.near.point[i - f->s->own.n];
}

/* Items by rows; row[r + 1] is where row r ends. */
static void sort_rows(struct finder *f)
{
    size_t rows = (size_t)(f->depth * f->rows[0]), sum = 0;
    for (size_t i = 0; i < f->n; i++)
        f->row[row_of(f, point_at(f, i)->x)]++;
    for (size_t r = 0; r <= rows; r++) {
        size_t count = f->row[r];
        f->row[r] = (uint32_t)sum;
        sum += count;
    }
    for (size_t i = 0; i < f->n; i++) {
        const struct sl_point *p = point_at(f, i);
        f->item[f->row[row_of(f, p->x)]++] =
            (struct item){{p->x[0], p->x[1], p->x[2]}, (uint32_t)i, cell_of(f, p->x)};
    }
    memmove(f->row + 1, f->row, rows * sizeof *f->row);
    f->row[0] = 0;
}

static int by_cell(const void *a, const void *b)
{
    const struct item *p = a, *q = b;
    return (p->cell > q->cell) - (p->cell < q->cell);
}

static void sort_row(struct item *item, size_t n)
{
    if (n > FEW) qsort(item, n, sizeof *item, by_cell);
    for (size_t i = 1; n <= FEW && i < n; i++) {
        struct item moved = item[i];
        size_t j = i;
        for (; j > 0 && item[j - 1].cell > moved.cell; j--)
            item[j] = item[j - 1];
        item[j] = moved;
    }
}

/* Cells of a row, whose items are sorted then. */
static void cut_row(struct finder *f, size_t from, size_t to)
{
    sort_row(f->item + from, to - from);
    for (size_t i = from; i < to; i++) {
        if (i == from || f->item[i].cell != f->item[i - 1].cell) {
            f->begin[f->ncell] = (uint32_t)i;
            f->parent[f->ncell] = (uint32_t)f->ncell;
            f->at[f->ncell++] = f->item[i].cell / 4;
        }
        f->root[f->item[i].index] = (uint32_t)f->ncell - 1;
    }
}

static void cut_cells(struct finder *f)
{
    size_t rows = (size_t)(f->depth * f->rows[0]), from = 0;
    for (size_t r = 0; r < rows; r++) {
        size_t to = f->row[r + 1];
        f->row[r] = (uint32_t)f->ncell;
        cut_row(f, from, to);
        from = to;
    }
    f->row[rows] = (uint32_t)f->ncell;
    f->begin[f->ncell] = (uint32_t)f->n;
}

/* ---- friends ---- */

static uint32_t root_of(struct finder *f, uint32_t cell)
{
    while (f->parent[cell] != cell)
        cell = f->parent[cell] = f->parent[f->parent[cell]];
    return cell;
}

static bool are_friends(const struct finder *f, const struct item *a, const struct item *b)
{
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        double x = (double)(int32_t)(a->x[d] - b->x[d]) * f->side[d];
        sum += x * x;
    }
    return sum <= f->length2;
}

static bool touch(const struct finder *f, uint32_t a, uint32_t b)
{
    for (uint32_t i = f->begin[a]; i < f->begin[a + 1]; i++)
        for (uint32_t j = f->begin[b]; j < f->begin[b + 1]; j++)
            if (are_friends(f, &f->item[i], &f->item[j])) return true;
    return false;
}

static bool is_single(const struct finder *f, uint32_t cell)
{
    return f->begin[cell + 1] - f->begin[cell] == 1;
}

/* A comparison of two particles takes less than to look whether they are in one group. */
static void join(struct finder *f, uint32_t a, uint32_t b)
{
    bool few = is_single(f, a) && is_single(f, b);
    if (few && !are_friends(f, &f->item[f->begin[a]], &f->item[f->begin[b]])) return;
    uint32_t ra = root_of(f, a), rb = root_of(f, b);
    if (ra == rb || (!few && !touch(f, a, b))) return;
    f->parent[ra < rb ? rb : ra] = ra < rb ? ra : rb;
}

/* Cells [a, a_end) with those of [b, b_end) at most two along x from them, which lie `shift`
 * further than their places say. */
static void join_rows(struct finder *f, size_t a, size_t a_end, size_t b, size_t b_end,
                      int64_t shift)
{
    for (; a < a_end && b < b_end; a++) {
        int64_t at = (int64_t)f->at[a] - shift;
        while (b < b_end && f->at[b] < at - 2)
            b++;
        for (size_t c = b; c < b_end && f->at[c] <= at + 2; c++)
            join(f, (uint32_t)a, (uint32_t)c);
    }
}

/* The same through the walls of the box in x, for which the ends of the rows are enough. */
static void join_around(struct finder *f, size_t a, size_t a_end, size_t b, size_t b_end)
{
    int64_t cells = (int64_t)f->cells;
    if (f->at[a] + cells <= f->at[b_end - 1] + 2) join_rows(f, a, a_end, b, b_end, -cells);
    size_t last = a_end;
    while (last > a && f->at[last - 1] + 2 >= f->at[b] + cells)
        last--;
    if (last < a_end) join_rows(f, last, a_end, b, b_end, cells);
}

static void join_own(struct finder *f, size_t a, size_t end)
{
    for (size_t i = a; i + 1 < end; i++)
        for (size_t j = i + 1; j < end && f->at[j] <= f->at[i] + 2; j++)
            join(f, (uint32_t)i, (uint32_t)j);
    join_around(f, a, end, a, end);
}

/* A row with another, which is `y` and `z` further; none beyond the layers that there are. */
static void join_beside(struct finder *f, uint64_t y, uint64_t z, size_t a, size_t end)
{
    if (f->depth == f->rows[1]) z %= f->rows[1];
    if (z >= f->depth) return;
    size_t other = (size_t)(z * f->rows[0] + y % f->rows[0]);
    size_t b = f->row[other], b_end = f->row[other + 1];
    if (b == b_end) return;
    join_rows(f, a, end, b, b_end, 0);
    if (f->at[a] < 2 || f->at[end - 1] + 2 >= f->cells) join_around(f, a, end, b, b_end);
}

/* Row (y, z) with those after it: of each pair of rows one is. */
static void join_row(struct finder *f, uint64_t y, uint64_t z)
{
    size_t own = (size_t)(z * f->rows[0] + y), a = f->row[own], end = f->row[own + 1];
    if (a == end) return;
    join_own(f, a, end);
    for (int dz = 0; dz <= f->reach; dz++)
        for (int dy = dz ? -f->reach : 1; dy <= f->reach; dy++)
            join_beside(f, y + 2 * f->rows[0] + (uint64_t)(int64_t)dy, z + (uint64_t)dz, a, end);
}

static void join_all(struct finder *f)
{
    for (uint64_t z = 0; z < f->depth; z++)
        for (uint64_t y = 0; y < f->rows[0]; y++)
            join_row(f, y, z);
}

/* Roots of particles. A parent comes before its cells. */
static void find_roots(struct finder *f)
{
    f->nroot = f->ncell;
    for (size_t c = 0; c < f->ncell; c++)
        f->parent[c] = f->parent[f->parent[c]];
    for (size_t i = 0; i < f->n; i++)
        f->root[i] = f->parent[f->root[i]];
}

static int allocate_cells(struct finder *f)
{
    size_t rows = (size_t)(f->depth * f->rows[0]);
    SL_TRY(sl_alloc("particles in rows", f->n, sizeof *f->item, &f->item));
    SL_TRY(sl_alloc("rows of cells", rows + 1, sizeof *f->row, &f->row));
    SL_TRY(sl_alloc("cells of friends", f->n + 1, sizeof *f->begin, &f->begin));
    SL_TRY(sl_alloc("cells of friends", f->n, sizeof *f->at, &f->at));
    return sl_alloc("cells of friends", f->n, sizeof *f->parent, &f->parent);
}

static void release_cells(struct finder *f)
{
    free(f->item);
    free(f->row);
    free(f->begin);
    free(f->at);
    free(f->parent);
}

static int join_here(struct finder *f)
{
    int code = sl_agree(f->s->comm, allocate_cells(f));
    if (code == SL_OK) {
        sort_rows(f);
        cut_cells(f);
        join_all(f);
        find_roots(f);
    }
    release_cells(f);
    return code;
}

struct packer {
    const struct finder *f;
    uint32_t *x; /* owned */
};

static int pack_some(void *of, size_t from, size_t end)
{
    const struct packer *p = of;
    for (size_t i = from; i < end; i++)
        memcpy(p->x + 3 * i, point_at(p->f, i)->x, 3 * sizeof *p->x);
    return SL_OK;
}

static int join_on_device(struct finder *f, double length)
{
    struct sl_stats_device *d = f->s->device;
    uint32_t *x = sl_alloc_large((3 * f->n + 1) * sizeof *x);
    struct packer p = {f, x};
    int code = x ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for the places of %zu particles", f->n);
    f->nroot = f->n;
    if (code == SL_OK) code = sl_threads_run(f->n, PIECE, pack_some, &p);
    code = sl_agree(f->s->comm, code);
    if (code == SL_OK)
        code = sl_agree(f->s->comm, d->friends(d, f->n, x, length, f->side, f->root));
    free(x);
    return code;
}

static int join_friends(struct finder *f, double length)
{
    struct sl_stats_device *d = f->s->device;
    int code = d ? join_on_device(f, length) : SL_OK;
    bool here = !d || sl_stats_device_failed(d, f->s->rank, code, "friends of friends");
    return here ? join_here(f) : code;
}

static int clear_names(void *of, size_t from, size_t end)
{
    const struct finder *f = of;
    for (size_t c = from; c < end; c++)
        f->name[c] = SL_FOF_NONE;
    return SL_OK;
}

/* Of the name of a root only smaller ones come in its place, whoever is first. */
static int name_some(void *of, size_t from, size_t end)
{
    const struct finder *f = of;
    for (size_t i = from; i < end; i++) {
        uint64_t id = point_at(f, i)->id, *name = &f->name[f->root[i]],
                 was = __atomic_load_n(name, __ATOMIC_RELAXED);
        while (id < was && !__atomic_compare_exchange_n(name, &was, id, true, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED))
            continue;
    }
    return SL_OK;
}

/* Names of the groups that roots stand for. */
static int name_groups(struct finder *f)
{
    f->name = sl_alloc_large((f->nroot + 1) * sizeof *f->name);
    SL_TRY(sl_agree(f->s->comm, f->name ? SL_OK
                                        : SL_FAIL(SL_EMEM,
                                                  "out of memory for the names of "
                                                  "%zu groups",
                                                  f->nroot)));
    SL_TRY(sl_threads_run(f->nroot, PIECE, clear_names, f));
    return sl_threads_run(f->n, PIECE, name_some, f);
}

/* ---- across ranks ---- */

struct sayer {
    const struct finder *f;
    uint64_t *own, least; /* of leaving out: particles of a root; so many are enough */
    uint64_t *group;
};

static int say_some(void *of, size_t from, size_t end)
{
    const struct sayer *s = of;
    for (size_t i = from; i < end; i++)
        s->group[i] = s->f->name[s->f->root[i]];
    return SL_OK;
}

static void say_names(struct finder *f, uint64_t *group)
{
    struct sayer s = {.f = f, .group = group};
    sl_threads_run(f->s->own.n, PIECE, say_some, &s);
}

/* Takes the names that copies have where they belong; returns whether one changed. */
static int take_names(struct finder *f, const uint64_t *near)
{
    int changed = 0;
    for (size_t i = 0; i < f->fringe.near.n; i++) {
        uint64_t *name = &f->name[f->root[f->s->own.n + i]];
        if (near[i] >= *name) continue;
        *name = near[i];
        changed = 1;
    }
    return changed;
}

static int join_ranks(struct finder *f, uint64_t *group)
{
    uint64_t *near = NULL;
    int changed = 1, code = sl_agree(f->s->comm, sl_alloc("names of groups", f->fringe.near.n,
                                                          sizeof *near, &near));
    say_names(f, group);
    while (code == SL_OK && f->s->size > 1 && changed) {
        code = sl_fringe_pass(f->s, &f->fringe, group, near);
        changed = code == SL_OK && take_names(f, near);
        MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, f->s->comm);
        say_names(f, group);
    }
    free(near);
    return code;
}

/* ---- groups that are too small ---- */

/* Particles that a rank has of a group. */
struct part {
    uint64_t name, n;
    int from, root; /* where the answer goes: rank and root there */
};

static int by_name(const void *a, const void *b)
{
    const struct part *p = a, *q = b;
    return (p->name > q->name) - (p->name < q->name);
}

/* Parts of groups that other ranks may have parts of, too: those with copies.
 */
static int open_parts(struct finder *f, const uint64_t *own, struct part **out, size_t *n)
{
    unsigned char *open = NULL;
    *n = 0;
    SL_TRY(sl_alloc("marks of groups", f->nroot, 1, &open));
    for (size_t i = f->s->own.n; i < f->n; i++) {
        uint32_t root = f->root[i];
        *n += !open[root];
        open[root] = 1;
    }
    int code = sl_alloc("parts of groups", *n, sizeof **out, out);
    for (size_t c = 0, at = 0; c < f->nroot && code == SL_OK; c++)
        if (open[c]) (*out)[at++] = (struct part){f->name[c], own[c], f->s->rank, (int)c};
    free(open);
    return code;
}

/* n parts to the ranks that add them up, or back. */
static int send_parts(const struct finder *f, struct part **part, size_t *n, bool back)
{
    int *to = NULL;
    struct part *come = NULL;
    int code = sl_agree(f->s->comm, sl_alloc("ranks of groups", *n, sizeof *to, &to));
    for (size_t i = 0; i < *n && code == SL_OK; i++)
        to[i] = back ? (*part)[i].from : (int)((*part)[i].name % (uint64_t)f->s->size);
    if (code == SL_OK) code = sl_points_send(f->s->comm, *part, *n, sizeof **part, to, &come, n);
    free(to);
    free(*part);
    *part = come;
    return code;
}

static void add_parts(struct part *part, size_t n)
{
    qsort(part, n, sizeof *part, by_name);
    for (size_t i = 0, end; i < n; i = end) {
        uint64_t sum = 0;
        for (end = i; end < n && part[end].name == part[i].name; end++)
            sum += part[end].n;
        for (size_t j = i; j < end; j++)
            part[j].n = sum;
    }
}

/* own[root]: particles that this rank has of a group; then those of all ranks.
 */
static int count_ranks(struct finder *f, uint64_t *own)
{
    struct part *part = NULL;
    size_t n;
    int code = sl_agree(f->s->comm, open_parts(f, own, &part, &n));
    if (code == SL_OK) code = send_parts(f, &part, &n, false);
    if (code == SL_OK) add_parts(part, n);
    if (code == SL_OK) code = send_parts(f, &part, &n, true);
    for (size_t i = 0; i < n && code == SL_OK; i++)
        own[part[i].root] = part[i].n;
    free(part);
    return code;
}

/* Neighbours are often of one group. */
static int count_some(void *of, size_t from, size_t end)
{
    const struct sayer *s = of;
    const uint32_t *root = s->f->root;
    for (size_t i = from, next; i < end; i = next) {
        for (next = i + 1; next < end && root[next] == root[i];)
            next++;
        __atomic_fetch_add(&s->own[root[i]], next - i, __ATOMIC_RELAXED);
    }
    return SL_OK;
}

static int leave_out_some(void *of, size_t from, size_t end)
{
    const struct sayer *s = of;
    for (size_t i = from; i < end; i++)
        if (s->own[s->f->root[i]] < s->least) s->group[i] = SL_FOF_NONE;
    return SL_OK;
}

static int leave_out(struct finder *f, uint64_t least, uint64_t *group)
{
    struct sayer s = {.f = f, .least = least, .group = group};
    int code = sl_agree(f->s->comm, sl_alloc("sizes of groups", f->nroot, sizeof *s.own, &s.own));
    if (code == SL_OK) code = sl_threads_run(f->s->own.n, PIECE, count_some, &s);
    if (code == SL_OK && f->s->size > 1) code = count_ranks(f, s.own);
    if (code == SL_OK) code = sl_threads_run(f->s->own.n, PIECE, leave_out_some, &s);
    free(s.own);
    return code;
}

/* ---- all of it ---- */

static int find(struct finder *f, double length, uint64_t least, uint64_t *group)
{
    f->n = f->s->own.n + f->fringe.near.n;
    int code = f->n < INT32_MAX ? sl_alloc("groups of particles", f->n, sizeof *f->root, &f->root)
                                : SL_FAIL(SL_EINPUT, "%zu particles are too many for a rank", f->n);
    SL_TRY(sl_agree(f->s->comm, code));
    SL_TRY(join_friends(f, length));
    SL_TRY(name_groups(f));
    SL_TRY(join_ranks(f, group));
    return least > 1 ? leave_out(f, least, group) : SL_OK;
}

int sl_fof_find(const struct sl_shares *s, double length, const double side[3], uint64_t least,
                uint64_t *group)
{
    struct finder f = {.s = s, .side = {side[0], side[1], side[2]}};
    double shortest = fmin(side[0], fmin(side[1], side[2])) * SL_POINT_BOX;
    SL_CHECK(length > 0 && length < shortest / 2, SL_EINPUT,
             "a linking length of %g of the shortest side of the box; nearest: below 0.5",
             length / shortest);
    set_cells(&f, length);
    int code = sl_fringe_make(s, length / side[2], &f.fringe);
    if (code == SL_OK) code = find(&f, length, least, group);
    sl_fringe_release(&f.fringe);
    free(f.root);
    free(f.name);
    return code;
}
