/* deposit.c - see deposit.h. */
#include "core/measure/deposit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { CHUNK = 1 << 16, MOST_TOUCHED = 4 };
#define UNIT 4398046511104.0     /* 2^42 */
#define MOST 0x4000000000000000L /* 2^62: 2^20 particles in a cell */

/* What a particle gives to the cells of one axis. */
struct touch {
    int cell[MOST_TOUCHED];
    double weight[MOST_TOUCHED];
};

struct work {
    const struct sl_slab *slab;
    int order;
    int64_t *sum;           /* of own planes, in units of 2^-42 particles */
    double *send, *receive; /* positions of a round, sorted by rank */
    int *count;  /* [4][size]: numbers sent, their places, numbers received, their places */
    double *own; /* of a round */
    int *to;     /* [CHUNK][MOST_TOUCHED]: ranks that a particle goes to, -1 no more */
};

/* x in cells from the lower corner of the box; centres of cells are at halves. */
static struct touch touch_axis(int order, double x, int cells)
{
    struct touch t = {{0, 0, 0, 0}, {1, 0, 0, 0}};
    double below = floor(order % 2 ? x : x - 0.5), first = below - (order - 1) / 2;
    double d = x - (below + 0.5); /* from the nearest centre, of even orders from the one below */
    if (order == 2) {
        t.weight[0] = 1 - d;
        t.weight[1] = d;
    } else if (order == 3) {
        t.weight[0] = 0.5 * (0.5 - d) * (0.5 - d);
        t.weight[1] = 0.75 - d * d;
        t.weight[2] = 0.5 * (0.5 + d) * (0.5 + d);
    } else if (order == 4) {
        double e = 1 - d;
        t.weight[0] = e * e * e / 6;
        t.weight[1] = (4 - 6 * d * d + 3 * d * d * d) / 6;
        t.weight[2] = (4 - 6 * e * e + 3 * e * e * e) / 6;
        t.weight[3] = d * d * d / 6;
    }
    for (int i = 0; i < order; i++)
        t.cell[i] = (int)(first + i + 2 * cells) % cells;
    return t;
}

/* Place of a position in the box, in cells: 0 <= x < cells. */
static double wrap(double x, int cells)
{
    double inside = (x - floor(x)) * cells;
    return inside < cells ? inside : 0;
}

/* Ranks that hold a plane which a particle touches, each once. */
static void find_ranks(const struct work *w, double z, int *to)
{
    struct touch t = touch_axis(w->order, z, w->slab->n[2]);
    int n = 0;
    for (int i = 0; i < w->order; i++) {
        int rank = sl_slab_owner(w->slab, t.cell[i]), known = 0;
        for (int j = 0; j < n; j++)
            known |= to[j] == rank;
        if (!known) to[n++] = rank;
    }
    if (n < MOST_TOUCHED) to[n] = -1;
}

/* Own particles from .. from + n of a round into w->own, and where they go; *bad when a position is
 * not finite. */
static void look(struct work *w, size_t from, size_t n, const double *const x[3], int *bad)
{
    memset(w->count, 0, 4 * (size_t)w->slab->size * sizeof *w->count);
    for (size_t i = 0; i < n; i++) {
        int *to = w->to + i * MOST_TOUCHED;
        for (int d = 0; d < 3; d++) {
            w->own[3 * i + (size_t)d] = wrap(x[d][from + i], w->slab->n[d]);
            if (!isfinite(x[d][from + i])) *bad = 1;
        }
        to[0] = -1;
        if (*bad) continue;
        find_ranks(w, w->own[3 * i + 2], to);
        for (int j = 0; j < MOST_TOUCHED && to[j] >= 0; j++)
            w->count[to[j]] += 3;
    }
}

static void places(int size, const int *count, int *place)
{
    place[0] = 0;
    for (int r = 1; r < size; r++)
        place[r] = place[r - 1] + count[r - 1];
}

/* Positions to the ranks whose planes they touch; returns how many came. */
static int exchange(struct work *w, size_t n)
{
    int size = w->slab->size, *count = w->count, *place = count + size, *come = count + 2 * size,
        *at = count + 3 * size;
    places(size, count, place);
    for (size_t i = 0; i < n; i++)
        for (int j = 0; j < MOST_TOUCHED && w->to[i * MOST_TOUCHED + (size_t)j] >= 0; j++) {
            int rank = w->to[i * MOST_TOUCHED + (size_t)j];
            memcpy(w->send + place[rank], w->own + 3 * i, 3 * sizeof(double));
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
static int add(struct work *w, const double x[3])
{
    const struct sl_slab *s = w->slab;
    struct touch t[3];
    int64_t most = 0;
    for (int d = 0; d < 3; d++)
        t[d] = touch_axis(w->order, x[d], s->n[d]);
    for (int k = 0; k < w->order; k++) {
        int z = t[2].cell[k] - s->z0;
        if (z < 0 || z >= s->nz) continue;
        for (int j = 0; j < w->order; j++)
            for (int i = 0; i < w->order; i++) {
                size_t at = ((size_t)z * (size_t)s->n[1] + (size_t)t[1].cell[j]) * (size_t)s->n[0] +
                            (size_t)t[0].cell[i];
                double weight = t[2].weight[k] * t[1].weight[j] * t[0].weight[i];
                w->sum[at] += (int64_t)llrint(weight * UNIT);
                most = w->sum[at] > most ? w->sum[at] : most;
            }
    }
    SL_CHECK(most < MOST, SL_EGUARD, "more than a million particles in one cell");
    return SL_OK;
}

static int one_round(struct work *w, size_t from, size_t n, const double *const x[3])
{
    int bad = 0, size = w->slab->size;
    look(w, from, n, x, &bad);
    SL_TRY(sl_agree(w->slab->comm,
                    bad ? SL_FAIL(SL_EINPUT, "a particle has no finite position") : SL_OK));
    int came = exchange(w, n), code = SL_OK;
    SL_TRY(sl_agree(w->slab->comm, make_room(w, came)));
    MPI_Alltoallv(w->send, w->count, w->count + size, MPI_DOUBLE, w->receive, w->count + 2 * size,
                  w->count + 3 * size, MPI_DOUBLE, w->slab->comm);
    for (int i = 0; i < came && code == SL_OK; i++)
        code = add(w, w->receive + 3 * (size_t)i);
    return sl_agree(w->slab->comm, code);
}

static int all_rounds(struct work *w, size_t n, const double *const x[3], double *total)
{
    uint64_t number[2] = {n, n};
    MPI_Allreduce(MPI_IN_PLACE, &number[0], 1, MPI_UINT64_T, MPI_SUM, w->slab->comm);
    MPI_Allreduce(MPI_IN_PLACE, &number[1], 1, MPI_UINT64_T, MPI_MAX, w->slab->comm);
    SL_CHECK(number[0] > 0, SL_EINPUT, "there are no particles");
    for (size_t from = 0; from < number[1]; from += CHUNK) {
        size_t left = n > from ? n - from : 0;
        SL_TRY(one_round(w, from, left < CHUNK ? left : CHUNK, x));
    }
    *total = (double)number[0];
    return SL_OK;
}

static int allocate(struct work *w)
{
    w->sum = calloc(sl_slab_cells(w->slab) + 1, sizeof *w->sum);
    w->own = malloc((size_t)CHUNK * 3 * sizeof *w->own);
    w->send = malloc((size_t)CHUNK * 3 * MOST_TOUCHED * sizeof *w->send);
    w->to = malloc((size_t)CHUNK * MOST_TOUCHED * sizeof *w->to);
    w->count = malloc(4 * (size_t)w->slab->size * sizeof *w->count);
    SL_CHECK(w->sum && w->own && w->send && w->to && w->count, SL_EMEM,
             "out of memory for the density of particles");
    return SL_OK;
}

int sl_deposit_make(const struct sl_slab *s, int order, size_t n, const double *const x[3],
                    double *contrast, double *total)
{
    struct work w = {.slab = s, .order = order};
    int code = sl_agree(s->comm, allocate(&w));
    if (code == SL_OK) code = all_rounds(&w, n, x, total);
    double mean = code == SL_OK ? *total / ((double)s->n[0] * s->n[1] * s->n[2]) : 1;
    for (size_t i = 0; code == SL_OK && i < sl_slab_cells(s); i++)
        contrast[i] = (double)w.sum[i] / UNIT / mean - 1;
    free(w.sum);
    free(w.own);
    free(w.send);
    free(w.receive);
    free(w.to);
    free(w.count);
    return code;
}
