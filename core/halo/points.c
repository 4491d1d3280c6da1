/* points.c - see points.h. */
#include "core/halo/points.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/hdf.h"
#include "core/io/particle_rows.h"
#include "core/measure/device.h"
#include "core/measure/places.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

enum { MOST_AXES = 8, HEIGHTS = 4096, PIECE = 1 << 12 };

/* ---- from a file ---- */

struct reader {
    const char *path;
    const struct sl_point_names *names;
    const double *box;
    int rank, size;
    hid_t file;
    int axes; /* of the datasets; 0: none was opened yet */
    hsize_t shape[MOST_AXES], at[MOST_AXES], part[MOST_AXES];
    size_t first, n; /* own particles */
    double *value;   /* owned, [n] */
    struct sl_point *point;
};

/* The own share follows from the shape of the first dataset; the others have it, too. */
static int share_of(struct reader *r, const char *name, int axes, const hsize_t *shape)
{
    size_t plane = 1;
    if (r->axes > 0) {
        SL_CHECK(axes == r->axes && !memcmp(shape, r->shape, (size_t)axes * sizeof *shape),
                 SL_EINPUT, "%s: %s has another shape than the positions along x", r->path, name);
        return SL_OK;
    }
    r->axes = axes;
    for (int d = 0; d < axes; d++) {
        r->shape[d] = r->part[d] = shape[d];
        plane *= d ? (size_t)shape[d] : 1;
    }
    r->at[0] = shape[0] * (hsize_t)r->rank / (hsize_t)r->size;
    r->part[0] = shape[0] * (hsize_t)(r->rank + 1) / (hsize_t)r->size - r->at[0];
    r->first = (size_t)r->at[0] * plane;
    r->n = (size_t)r->part[0] * plane;
    SL_TRY(sl_alloc("particles", r->n, sizeof *r->point, &r->point));
    return sl_alloc("particles", r->n, sizeof *r->value, &r->value);
}

static int look(struct reader *r, const char *name, hid_t id, bool *whole)
{
    hsize_t shape[MOST_AXES] = {0};
    hid_t space = H5Dget_space(id), type = H5Dget_type(id);
    int axes = H5Sget_simple_extent_ndims(space);
    H5T_class_t kind = H5Tget_class(type);
    *whole = kind == H5T_INTEGER && H5Tget_size(type) == 4 && H5Tget_sign(type) == H5T_SGN_NONE;
    if (axes > 0 && axes <= MOST_AXES) H5Sget_simple_extent_dims(space, shape, NULL);
    H5Sclose(space);
    H5Tclose(type);
    SL_CHECK(kind == H5T_INTEGER || kind == H5T_FLOAT, SL_EINPUT, "%s: %s does not hold numbers",
             r->path, name);
    SL_CHECK(axes > 0 && axes <= MOST_AXES, SL_EINPUT, "%s: %s has no usable shape", r->path, name);
    return share_of(r, name, axes, shape);
}

/* The own share of an open dataset as 8 bytes a number of a type. */
static int read_part(const struct reader *r, const char *name, hid_t id, hid_t type, void *out)
{
    hid_t space = H5Dget_space(id), memory = H5Screate_simple(r->axes, r->part, NULL);
    int ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, r->at, NULL, r->part, NULL) >= 0 &&
             H5Dread(id, type, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    SL_CHECK(ok, SL_EINPUT, "%s: cannot read %s: the file is damaged or cut short", r->path, name);
    return SL_OK;
}

/* Own numbers of a dataset into r->value; *whole: they are whole ones of 32 bits. */
static int read_values(struct reader *r, const char *name, hid_t type, bool *whole)
{
    SL_CHECK(H5Lexists(r->file, name, H5P_DEFAULT) > 0, SL_EINPUT, "%s: the dataset %s is missing",
             r->path, name);
    hid_t id = H5Dopen2(r->file, name, H5P_DEFAULT);
    SL_CHECK(id >= 0, SL_EINPUT, "%s: %s is not a dataset", r->path, name);
    int code = look(r, name, id, whole);
    if (code == SL_OK && r->n > 0) code = read_part(r, name, id, type, r->value);
    H5Dclose(id);
    return code;
}

static int read_positions(struct reader *r, int axis)
{
    bool whole;
    double lo = r->box[2 * axis], side = r->box[2 * axis + 1] - lo;
    SL_TRY(read_values(r, r->names->position[axis], H5T_NATIVE_DOUBLE, &whole));
    for (size_t i = 0; i < r->n; i++) {
        double x = r->value[i];
        SL_CHECK(isfinite(x), SL_EINPUT, "%s: particle %zu has no finite %s", r->path, r->first + i,
                 r->names->position[axis]);
        r->point[i].x[axis] = whole ? (uint32_t)x : sl_point_place((x - lo) / side);
    }
    return SL_OK;
}

static int read_velocities(struct reader *r, int axis)
{
    bool whole;
    if (!r->names->velocity[0]) return SL_OK;
    SL_TRY(read_values(r, r->names->velocity[axis], H5T_NATIVE_DOUBLE, &whole));
    for (size_t i = 0; i < r->n; i++)
        r->point[i].v[axis] = (float)r->value[i];
    return SL_OK;
}

static int read_ids(struct reader *r)
{
    bool whole;
    for (size_t i = 0; i < r->n; i++)
        r->point[i].id = r->first + i;
    if (!r->names->id) return SL_OK;
    SL_TRY(read_values(r, r->names->id, H5T_NATIVE_UINT64, &whole));
    for (size_t i = 0; i < r->n; i++)
        memcpy(&r->point[i].id, &r->value[i], sizeof r->point[i].id);
    return SL_OK;
}

static int read_all(struct reader *r)
{
    SL_TRY(sl_hdf_open(r->path, &r->file));
    int code = SL_OK;
    for (int axis = 0; axis < 3 && code == SL_OK; axis++)
        code = read_positions(r, axis);
    for (int axis = 0; axis < 3 && code == SL_OK; axis++)
        code = read_velocities(r, axis);
    if (code == SL_OK) code = read_ids(r);
    return sl_hdf_close(r->file, code);
}

int sl_points_read(MPI_Comm comm, const char *path, const struct sl_point_names *names,
                   const double box[6], struct sl_points *out)
{
    struct reader r = {.path = path, .names = names, .box = box};
    MPI_Comm_rank(comm, &r.rank);
    MPI_Comm_size(comm, &r.size);
    int code = sl_agree(comm, read_all(&r));
    free(r.value);
    *out = (struct sl_points){r.n, r.point};
    if (code != SL_OK) sl_points_release(out);
    return code;
}

/* ---- those that move ---- */

struct taker {
    const struct sl_particle_rows *r;
    double speed;
    const double *box;
    struct sl_point *point; /* of all */
};

/* Some particles, of which numbers go through `value`. */
struct some {
    size_t from, n;
    double *value;
};

static int take_places(const struct taker *t, int axis, const struct some *s)
{
    const struct sl_particle_rows *r = t->r;
    double lo = t->box[2 * axis], side = t->box[2 * axis + 1] - lo;
    SL_TRY(sl_particle_rows_part(r, SL_PARTICLE_PLACE + axis, s->from, s->n, s->value));
    for (size_t i = 0; i < s->n; i++) {
        double x = s->value[i] / r->units.length;
        SL_CHECK(isfinite(x), SL_EINPUT, "%s: particle %zu has no finite place",
                 r->from->path ? r->from->path : "the run", (size_t)r->first + s->from + i);
        t->point[s->from + i].x[axis] = sl_point_place((x - lo) / side);
    }
    return SL_OK;
}

static int take_velocities(const struct taker *t, int axis, const struct some *s)
{
    double unit = t->r->units.velocity * t->speed;
    SL_TRY(sl_particle_rows_part(t->r, SL_PARTICLE_VELOCITY + axis, s->from, s->n, s->value));
    for (size_t i = 0; i < s->n; i++)
        t->point[s->from + i].v[axis] = (float)(s->value[i] / unit);
    return SL_OK;
}

static int take_these(const struct taker *t, const struct some *s)
{
    for (int axis = 0; axis < 3; axis++)
        SL_TRY(take_places(t, axis, s));
    for (int axis = 0; axis < 3; axis++)
        SL_TRY(take_velocities(t, axis, s));
    SL_TRY(sl_particle_rows_part(t->r, SL_PARTICLE_ID, s->from, s->n, s->value));
    for (size_t i = 0; i < s->n; i++)
        t->point[s->from + i].id = (uint64_t)s->value[i];
    return SL_OK;
}

static int take_some(void *of, size_t from, size_t end)
{
    struct some s = {from, end - from, malloc((end - from) * sizeof(double))};
    SL_CHECK(s.value, SL_EMEM, "out of memory for %zu particles", s.n);
    int code = take_these(of, &s);
    free(s.value);
    return code;
}

static int take(MPI_Comm comm, const struct sl_particle_source *from, double speed,
                const double box[6], struct sl_points *out)
{
    struct sl_particle_rows r;
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    SL_TRY(sl_particle_rows_open(from, rank, size, &r));
    out->n = r.n;
    out->point = sl_alloc_large((r.n + 1) * sizeof *out->point);
    int code = out->point ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for %zu particles", r.n);
    struct taker t = {&r, speed, box, out->point};
    size_t piece = from->particles ? PIECE : r.n; /* a file is read whole columns at a time */
    if (code == SL_OK) code = sl_threads_run(r.n, piece, take_some, &t);
    return sl_particle_rows_close(&r, code);
}

/* From lists of a device; *made: it is done. */
static int take_there(MPI_Comm comm, struct sl_stats_device *d,
                      const struct sl_particle_source *from, double speed, const double box[6],
                      struct sl_points *out, bool *made)
{
    struct sl_particle_lists lists;
    struct sl_lent_places of = {.speed = from->units.velocity};
    int size;
    MPI_Comm_size(comm, &size);
    *made = d && d->lent;
    if (*made) SL_TRY(sl_particle_rows_lists(from, size, made, &lists));
    if (!*made) return SL_OK;
    for (int a = 0; a < 3; a++)
        of.axis[a] = sl_places_rule(from, a, box);
    out->n = lists.n;
    out->point = sl_alloc_large((lists.n + 1) * sizeof *out->point);
    SL_CHECK(out->point, SL_EMEM, "out of memory for %zu particles", lists.n);
    int code = d->lent->points(d, &lists, &of, from->units.velocity * speed, out->point);
    if (code == SL_OK) return SL_OK;
    sl_points_release(out);
    *made = false;
    return sl_stats_device_failed(d, 0, code, "particles of haloes") ? SL_OK : code;
}

int sl_points_take(MPI_Comm comm, struct sl_stats_device *device,
                   const struct sl_particle_source *from, double speed, const double box[6],
                   struct sl_points *out)
{
    bool made;
    *out = (struct sl_points){0, NULL};
    SL_TRY(take_there(comm, device, from, speed, box, out, &made)); /* of a lone rank */
    if (made) return SL_OK;
    int code = sl_agree(comm, take(comm, from, speed, box, out));
    if (code != SL_OK) sl_points_release(out);
    return code;
}

void sl_points_release(struct sl_points *p)
{
    free(p->point);
    *p = (struct sl_points){0, NULL};
}

uint32_t sl_point_place(double x)
{
    return sl_point_fraction(x);
}

/* ---- to other ranks ---- */

int sl_points_rank(uint64_t number, int size)
{
    return (int)((number * UINT64_C(0x9E3779B97F4A7C15) >> 32) % (uint64_t)size);
}

static void places(int size, const int *count, int *place)
{
    place[0] = 0;
    for (int r = 1; r < size; r++)
        place[r] = place[r - 1] + count[r - 1];
}

/* Numbers sent in count[0], then places, numbers received and their places follow. */
static size_t announce(MPI_Comm comm, int size, int *count)
{
    int *come = count + 2 * size;
    places(size, count, count + size);
    MPI_Alltoall(count, 1, MPI_INT, come, 1, MPI_INT, comm);
    places(size, come, come + size);
    return (size_t)come[2 * size - 1] + (size_t)come[size - 1];
}

static void carry(MPI_Comm comm, int size, int *count, size_t bytes, const void *send, void *take)
{
    MPI_Datatype item;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &item);
    MPI_Type_commit(&item);
    MPI_Alltoallv(send, count, count + size, item, take, count + 2 * size, count + 3 * size, item,
                  comm);
    MPI_Type_free(&item);
}

/* Copies items to where those of their rank are sent from. */
static void gather(const char *items, size_t n, size_t bytes, const int *to, int *place, char *send)
{
    for (size_t i = 0; i < n; i++)
        memcpy(send + (size_t)place[to[i]]++ * bytes, items + i * bytes, bytes);
}

int sl_points_send(MPI_Comm comm, const void *items, size_t n, size_t bytes, const int *to,
                   void *all, size_t *total)
{
    int size, *count = NULL;
    char *send = NULL, *take = NULL;
    MPI_Comm_size(comm, &size);
    int code = n < INT_MAX
                   ? sl_alloc("numbers of particles", 4 * (size_t)size, sizeof *count, &count)
                   : SL_FAIL(SL_EINPUT, "%zu particles are too many for a rank", n);
    if (code == SL_OK) code = sl_alloc("particles to send", n, bytes, &send);
    code = sl_agree(comm, code);
    if (code == SL_OK) {
        for (size_t i = 0; i < n; i++)
            count[to[i]]++;
        *total = announce(comm, size, count);
        gather(items, n, bytes, to, count + size, send);
        places(size, count, count + size);
        code = sl_agree(comm, sl_alloc("particles that come", *total, bytes, &take));
    }
    if (code == SL_OK) carry(comm, size, count, bytes, send, take);
    free(count);
    free(send);
    memcpy(all, &take, sizeof take);
    return code;
}

/* ---- shares ---- */

/* Heights between slabs with about as many particles each. */
static void find_edges(struct sl_shares *s, const uint64_t *below)
{
    uint64_t all = below[HEIGHTS];
    for (int r = 1, h = 0; r < s->size; r++) {
        while (h < HEIGHTS && below[h] < all / (uint64_t)s->size * (uint64_t)r)
            h++;
        s->edge[r] = (uint64_t)h * ((UINT64_C(1) << 32) / HEIGHTS);
    }
    s->edge[s->size] = UINT64_C(1) << 32;
}

/* One rank has all of them. */
static void count_heights(struct sl_shares *s, const struct sl_points *p)
{
    s->edge[1] = UINT64_C(1) << 32;
    if (s->size == 1) return;
    uint64_t below[HEIGHTS + 1] = {0};
    for (size_t i = 0; i < p->n; i++)
        below[1 + (p->point[i].x[2] >> 20)]++;
    MPI_Allreduce(MPI_IN_PLACE, below, HEIGHTS + 1, MPI_UINT64_T, MPI_SUM, s->comm);
    for (int h = 0; h < HEIGHTS; h++)
        below[h + 1] += below[h];
    find_edges(s, below);
}

static int owner(const struct sl_shares *s, uint32_t z)
{
    int rank = 0;
    while (z >= s->edge[rank + 1])
        rank++;
    return rank;
}

static int share_out(struct sl_shares *s, const struct sl_points *p)
{
    int *to = NULL;
    SL_TRY(sl_agree(s->comm, sl_alloc("ranks of particles", p->n, sizeof *to, &to)));
    for (size_t i = 0; i < p->n; i++)
        to[i] = owner(s, p->point[i].x[2]);
    int code =
        sl_points_send(s->comm, p->point, p->n, sizeof *p->point, to, &s->own.point, &s->own.n);
    free(to);
    return code;
}

int sl_shares_make(MPI_Comm comm, struct sl_points *points, struct sl_shares *out)
{
    *out = (struct sl_shares){.comm = comm};
    MPI_Comm_rank(comm, &out->rank);
    MPI_Comm_size(comm, &out->size);
    int code = sl_agree(
        comm, sl_alloc("edges of slabs", (size_t)out->size + 1, sizeof *out->edge, &out->edge));
    if (code == SL_OK) count_heights(out, points);
    if (code == SL_OK && out->size == 1) {
        out->own = *points;
        points->point = NULL;
    } else if (code == SL_OK) {
        code = share_out(out, points);
    }
    sl_points_release(points);
    if (code != SL_OK) sl_shares_release(out);
    return code;
}

void sl_shares_release(struct sl_shares *s)
{
    free(s->edge);
    sl_points_release(&s->own);
    s->edge = NULL;
}

/* ---- copies of what lies near ---- */

/* Whether a height is within reach of the slab of a rank, around the box too.
 */
static bool is_near(const struct sl_shares *s, int rank, uint32_t z, uint32_t reach)
{
    uint64_t lo = s->edge[rank], hi = s->edge[rank + 1];
    if (lo == hi) return false;
    return (z >= lo && z < hi) || (uint32_t)lo - z <= reach || z - (uint32_t)(hi - 1) <= reach;
}

/* Whether another slab may be within reach: those begin where the own one ends.
 */
static bool is_outer(const struct sl_shares *s, uint32_t z, uint32_t reach)
{
    return z - (uint32_t)s->edge[s->rank] <= reach ||
           (uint32_t)(s->edge[s->rank + 1] - 1) - z <= reach;
}

/* Own particles that rank r wants; sent NULL: their number alone. */
static size_t wanted(const struct sl_shares *s, int r, uint32_t reach, uint32_t *sent)
{
    size_t n = 0;
    if (r == s->rank) return 0;
    for (size_t i = 0; i < s->own.n; i++) {
        uint32_t z = s->own.point[i].x[2];
        if (!is_outer(s, z, reach) || !is_near(s, r, z, reach)) continue;
        if (sent) sent[n] = (uint32_t)i;
        n++;
    }
    return n;
}

static int find_sent(const struct sl_shares *s, uint32_t reach, struct sl_fringe *f)
{
    SL_CHECK(s->own.n < UINT32_MAX, SL_EINPUT, "%zu particles are too many for a rank", s->own.n);
    SL_TRY(sl_alloc("numbers of particles", 4 * (size_t)s->size, sizeof *f->count, &f->count));
    for (int r = 0; r < s->size; r++) {
        size_t n = s->size > 1 ? wanted(s, r, reach, NULL) : 0;
        f->nsent += n;
        SL_CHECK(f->nsent < INT_MAX, SL_EINPUT,
                 "particles of too many are near: more ranks needed");
        f->count[r] = (int)n;
    }
    SL_TRY(sl_alloc("particles to send", f->nsent, sizeof *f->sent, &f->sent));
    for (int r = 0, at = 0; r < s->size; at += f->count[r++])
        if (f->count[r] > 0) wanted(s, r, reach, f->sent + at);
    return SL_OK;
}

static int fetch(const struct sl_shares *s, struct sl_fringe *f)
{
    struct sl_point *send = NULL;
    f->near.n = announce(s->comm, s->size, f->count);
    int code = sl_alloc("particles near", f->near.n, sizeof *send, &f->near.point);
    if (code == SL_OK) code = sl_alloc("particles to send", f->nsent, sizeof *send, &send);
    code = sl_agree(s->comm, code);
    for (size_t i = 0; code == SL_OK && i < f->nsent; i++)
        send[i] = s->own.point[f->sent[i]];
    if (code == SL_OK) carry(s->comm, s->size, f->count, sizeof *send, send, f->near.point);
    free(send);
    return code;
}

int sl_fringe_make(const struct sl_shares *s, double reach, struct sl_fringe *out)
{
    memset(out, 0, sizeof *out);
    int code = sl_agree(s->comm, find_sent(s, (uint32_t)fmin(ceil(reach), UINT32_MAX), out));
    if (code == SL_OK) code = fetch(s, out);
    if (code != SL_OK) sl_fringe_release(out);
    return code;
}

int sl_fringe_pass(const struct sl_shares *s, const struct sl_fringe *f, const uint64_t *own,
                   uint64_t *near)
{
    uint64_t *send = NULL;
    SL_TRY(sl_agree(s->comm, sl_alloc("values to send", f->nsent, sizeof *send, &send)));
    for (size_t i = 0; i < f->nsent; i++)
        send[i] = own[f->sent[i]];
    carry(s->comm, s->size, f->count, sizeof *send, send, near);
    free(send);
    return SL_OK;
}

void sl_fringe_release(struct sl_fringe *f)
{
    free(f->count);
    free(f->sent);
    sl_points_release(&f->near);
    memset(f, 0, sizeof *f);
}
