/* deposit.c - see deposit.h. */
#include "core/measure/deposit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/device.h"
#include "core/measure/touch.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { CHUNK = 1 << 16 };

struct work {
    const struct sl_slab *slab;
    int order;
    int64_t *sum; /* of own planes, in units of 2^-42 particles; NULL: a device has them */
    double *send, *receive; /* positions of a round, sorted by rank */
    int *count;         /* [4][size]: numbers sent, their places, numbers received, their places */
    int *to;            /* [CHUNK][SL_TOUCH_CELLS]: ranks that a particle goes to, -1 no more */
    double *kept;       /* for a device: all that came, x, y and z of one after the other */
    size_t nkept, room; /* particles */
};

/* Ranks that hold a plane which a particle touches, each once. */
static void find_ranks(const struct work *w, double z, int *to)
{
    int n = 0, cells = w->slab->n[2];
    struct sl_touch t = sl_touch_axis(w->order, sl_touch_place(z, cells), cells);
    for (int i = 0; i < w->order; i++) {
        int rank = sl_slab_owner(w->slab, t.cell[i]), known = 0;
        for (int j = 0; j < n; j++)
            known |= to[j] == rank;
        if (!known) to[n++] = rank;
    }
    if (n < SL_TOUCH_CELLS) to[n] = -1;
}

/* Where own particles from .. from + n of a round go; says SL_TOUCH_NOWHERE when a position is not
 * finite. */
static unsigned look(struct work *w, size_t from, size_t n, const double *const x[3])
{
    unsigned found = 0;
    memset(w->count, 0, 4 * (size_t)w->slab->size * sizeof *w->count);
    for (size_t i = 0; i < n; i++) {
        int *to = w->to + i * SL_TOUCH_CELLS;
        for (int d = 0; d < 3; d++)
            if (!isfinite(x[d][from + i])) found = SL_TOUCH_NOWHERE;
        to[0] = -1;
        if (found) continue;
        find_ranks(w, x[2][from + i], to);
        for (int j = 0; j < SL_TOUCH_CELLS && to[j] >= 0; j++)
            w->count[to[j]] += 3;
    }
    return found;
}

static int tell(unsigned found)
{
    SL_CHECK(!(found & SL_TOUCH_NOWHERE), SL_EINPUT, "a particle has no finite position");
    SL_CHECK(!(found & SL_TOUCH_FULL), SL_EGUARD, "more than a million particles in one cell");
    return SL_OK;
}

static void places(int size, const int *count, int *place)
{
    place[0] = 0;
    for (int r = 1; r < size; r++)
        place[r] = place[r - 1] + count[r - 1];
}

/* Positions of n particles to the ranks whose planes they touch; returns how many came. */
static int exchange(struct work *w, size_t from, size_t n, const double *const x[3])
{
    int size = w->slab->size, *count = w->count, *place = count + size, *come = count + 2 * size,
        *at = count + 3 * size;
    places(size, count, place);
    for (size_t i = 0; i < n; i++)
        for (int j = 0; j < SL_TOUCH_CELLS && w->to[i * SL_TOUCH_CELLS + (size_t)j] >= 0; j++) {
            int rank = w->to[i * SL_TOUCH_CELLS + (size_t)j];
            for (int d = 0; d < 3; d++)
                w->send[place[rank] + d] = x[d][from + i];
            place[rank] += 3;
        }
    places(size, count, place);
    MPI_Alltoall(count, 1, MPI_INT, come, 1, MPI_INT, w->slab->comm);
    places(size, come, at);
    return (at[size - 1] + come[size - 1]) / 3;
}

static int make_room(struct work *w, int came)
{
    free(w->receive);
    w->receive = malloc((3 * (size_t)came + 1) * sizeof(double));
    SL_CHECK(w->receive, SL_EMEM, "out of memory for %d particles", came);
    return SL_OK;
}

/* Adds a particle to the own planes that it touches. */
static void add(struct work *w, const double x[3], unsigned *found)
{
    const struct sl_slab *s = w->slab;
    struct sl_touch t[3];
    int64_t most = 0;
    for (int d = 0; d < 3; d++)
        t[d] = sl_touch_axis(w->order, sl_touch_place(x[d], s->n[d]), s->n[d]);
    for (int k = 0; k < w->order; k++) {
        int z = t[2].cell[k] - s->z0;
        if (z < 0 || z >= s->nz) continue;
        for (int j = 0; j < w->order; j++)
            for (int i = 0; i < w->order; i++) {
                size_t at = ((size_t)z * (size_t)s->n[1] + (size_t)t[1].cell[j]) * (size_t)s->n[0] +
                            (size_t)t[0].cell[i];
                w->sum[at] += sl_touch_whole(t[2].weight[k] * t[1].weight[j] * t[0].weight[i]);
                most = w->sum[at] > most ? w->sum[at] : most;
            }
    }
    if (most >= SL_TOUCH_MOST) *found |= SL_TOUCH_FULL;
}

/* Keeps what came for a device. */
static int keep(struct work *w, size_t came)
{
    if (w->nkept + came > w->room) {
        size_t room = w->nkept + came + w->nkept / 8;
        double *more = realloc(w->kept, 3 * room * sizeof *more);
        SL_CHECK(more, SL_EMEM, "out of memory for %zu particles", room);
        w->kept = more, w->room = room;
    }
    memcpy(w->kept + 3 * w->nkept, w->receive, 3 * came * sizeof *w->kept);
    w->nkept += came;
    return SL_OK;
}

static int take(struct work *w, size_t came)
{
    unsigned found = 0;
    if (!w->sum) return keep(w, came);
    for (size_t i = 0; i < came && !found; i++)
        add(w, w->receive + 3 * i, &found);
    return tell(found);
}

static int one_round(struct work *w, size_t from, size_t n, const double *const x[3])
{
    int size = w->slab->size;
    SL_TRY(sl_agree(w->slab->comm, tell(look(w, from, n, x))));
    int came = exchange(w, from, n, x);
    SL_TRY(sl_agree(w->slab->comm, make_room(w, came)));
    MPI_Alltoallv(w->send, w->count, w->count + size, MPI_DOUBLE, w->receive, w->count + 2 * size,
                  w->count + 3 * size, MPI_DOUBLE, w->slab->comm);
    return sl_agree(w->slab->comm, take(w, (size_t)came));
}

static int allocate(struct work *w)
{
    w->send = malloc((size_t)CHUNK * 3 * SL_TOUCH_CELLS * sizeof *w->send);
    w->to = malloc((size_t)CHUNK * SL_TOUCH_CELLS * sizeof *w->to);
    w->count = malloc(4 * (size_t)w->slab->size * sizeof *w->count);
    SL_CHECK(w->send && w->to && w->count, SL_EMEM, "out of memory for the density of particles");
    return SL_OK;
}

/* most: particles of a rank. */
static int all_rounds(struct work *w, uint64_t most, size_t n, const double *const x[3])
{
    SL_TRY(sl_agree(w->slab->comm, allocate(w)));
    for (size_t from = 0; from < most; from += CHUNK) {
        size_t left = n > from ? n - from : 0;
        SL_TRY(one_round(w, from, left < CHUNK ? left : CHUNK, x));
    }
    return SL_OK;
}

static void release(struct work *w)
{
    free(w->sum);
    free(w->send);
    free(w->receive);
    free(w->to);
    free(w->count);
    free(w->kept);
}

/* What all ranks have to add up. */
struct whole {
    uint64_t most;      /* particles of a rank */
    double total, mean; /* particles, and in a cell */
};

static int on_processor(const struct sl_slab *s, int order, const struct whole *whole, size_t n,
                        const double *const x[3], double *contrast)
{
    struct work w = {.slab = s, .order = order};
    size_t cells = sl_slab_cells(s);
    int code =
        sl_agree(s->comm, sl_alloc("the density of particles", cells + 1, sizeof *w.sum, &w.sum));
    if (code == SL_OK) code = all_rounds(&w, whole->most, n, x);
    for (size_t i = 0; code == SL_OK && i < cells; i++)
        contrast[i] = sl_touch_contrast(w.sum[i], whole->mean);
    release(&w);
    return code;
}

/* Of one rank as they lie, else of those that touch the own planes. */
static int on_device(const struct sl_slab *s, int order, const struct whole *whole, size_t n,
                     const double *const x[3], double *contrast)
{
    struct work w = {.slab = s, .order = order};
    struct sl_touch_list list = {n, 1, {x[0], x[1], x[2]}};
    unsigned found = 0;
    int code = s->size > 1 ? all_rounds(&w, whole->most, n, x) : SL_OK;
    if (s->size > 1) list = (struct sl_touch_list){w.nkept, 3, {w.kept, w.kept + 1, w.kept + 2}};
    if (code == SL_OK)
        code = s->device->deposit(s->device, s, order, &list, whole->mean, contrast, &found);
    if (code == SL_OK) code = tell(found);
    release(&w);
    return sl_agree(s->comm, code);
}

static int count(const struct sl_slab *s, size_t n, struct whole *whole)
{
    uint64_t number[2] = {n, n};
    MPI_Allreduce(MPI_IN_PLACE, &number[0], 1, MPI_UINT64_T, MPI_SUM, s->comm);
    MPI_Allreduce(MPI_IN_PLACE, &number[1], 1, MPI_UINT64_T, MPI_MAX, s->comm);
    SL_CHECK(number[0] > 0, SL_EINPUT, "there are no particles");
    whole->most = number[1];
    whole->total = (double)number[0];
    whole->mean = whole->total / ((double)s->n[0] * s->n[1] * s->n[2]);
    return SL_OK;
}

int sl_deposit_make(const struct sl_slab *s, int order, size_t n, const double *const x[3],
                    double *contrast, double *total)
{
    struct whole whole;
    SL_TRY(count(s, n, &whole));
    *total = whole.total;
    bool there = s->device && s->device->deposit;
    int code = there ? on_device(s, order, &whole, n, x, contrast) : SL_OK;
    bool lent =
        there && s->device->lent &&
        (s->device->lent->has(s->device, contrast) || s->device->lent->has(s->device, x[0]));
    if (lent) return code;
    if (!there || sl_stats_device_failed(s->device, s->rank, code, "the density of particles"))
        code = on_processor(s, order, &whole, n, x, contrast);
    return code;
}
