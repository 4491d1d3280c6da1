/* transpose.c - see transpose.h. */
#include "core/grid/transpose.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { MESSAGE_MOST = 1 << 27 }; /* doubles: a gigabyte, which all transports of MPI can take */

/* Ranks other than the own one that have rows, or planes: of many ranks most have none. Those after
 * the own one come first, so that not all send to the same one at once. */
struct peers {
    int n, *rank; /* owned */
};

struct sl_transpose {
    struct sl_slab slab;
    struct peers to, from;
    size_t row, pitch[2];
    MPI_Datatype spaced;   /* a row, as far from the next as in a plane */
    MPI_Datatype sent[2];  /* rows of a plane for a rank that has as few rows as any, or one more */
    MPI_Datatype received; /* a plane's rows, where they lie in `out` */
    MPI_Request *request;  /* owned; the receives, then the sends */
    int count;             /* requests of the exchange under way */
};

/* ---- shares ---------------------------------------------------------------------------------- */

static int rows_of(const struct sl_transpose *t, int rank)
{
    return sl_slab_first(t->slab.n[1], rank + 1, t->slab.size) -
           sl_slab_first(t->slab.n[1], rank, t->slab.size);
}

static int planes_of(const struct sl_transpose *t, int rank)
{
    return sl_slab_first(t->slab.n[2], rank + 1, t->slab.size) -
           sl_slab_first(t->slab.n[2], rank, t->slab.size);
}

/* Planes that go in one message to a rank that has so many rows. */
static int planes_per_message(const struct sl_transpose *t, int rows)
{
    size_t most = MESSAGE_MOST / (t->row * (size_t)rows);
    return most < 1 ? 1 : most > INT_MAX ? INT_MAX : (int)most;
}

static int messages_of(const struct sl_transpose *t, int planes, int rows)
{
    if (planes == 0 || rows == 0) return 0;
    int per = planes_per_message(t, rows);
    return (planes - 1) / per + 1;
}

/* Adds those of ranks first .. end - 1 that hold any of n items. */
static void peers_add(const struct sl_slab *s, int n, int first, int end, struct peers *p)
{
    for (int r = first; r < end; r++)
        if (sl_slab_first(n, r + 1, s->size) > sl_slab_first(n, r, s->size)) p->rank[p->n++] = r;
}

static int peers_make(const struct sl_slab *s, int n, struct peers *p)
{
    int most = s->size < n ? s->size : n;
    p->rank = malloc(((size_t)most + 1) * sizeof *p->rank);
    SL_CHECK(p->rank, SL_EMEM, "no memory to transpose a grid");
    peers_add(s, n, s->rank + 1, s->size, p);
    peers_add(s, n, 0, s->rank, p);
    return SL_OK;
}

static int sends_count(const struct sl_transpose *t)
{
    int sum = 0;
    for (int i = 0; i < t->to.n; i++)
        sum += messages_of(t, t->slab.nz, rows_of(t, t->to.rank[i]));
    return sum;
}

static int receives_count(const struct sl_transpose *t)
{
    int sum = 0;
    for (int i = 0; i < t->from.n; i++)
        sum += messages_of(t, planes_of(t, t->from.rank[i]), t->slab.ny);
    return sum;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void type_resized(MPI_Datatype type, size_t extent, MPI_Datatype *out)
{
    MPI_Type_create_resized(type, 0, (MPI_Aint)(extent * sizeof(double)), out);
    MPI_Type_commit(out);
    MPI_Type_free(&type);
}

static void types_make(struct sl_transpose *t)
{
    const struct sl_slab *s = &t->slab;
    MPI_Datatype row, type;
    MPI_Type_contiguous((int)t->row, MPI_DOUBLE, &row);
    MPI_Type_dup(row, &type);
    type_resized(type, t->pitch[0], &t->spaced);
    for (int more = 0; more < 2; more++) {
        MPI_Type_contiguous(s->n[1] / s->size + more, t->spaced, &type);
        type_resized(type, (size_t)s->n[1] * t->pitch[0], &t->sent[more]);
    }
    MPI_Type_create_hvector(s->ny, 1, (MPI_Aint)((size_t)s->n[2] * t->pitch[1] * sizeof(double)),
                            row, &type);
    type_resized(type, t->pitch[1], &t->received);
    MPI_Type_free(&row);
}

static int lists_make(struct sl_transpose *t)
{
    SL_TRY(peers_make(&t->slab, t->slab.n[1], &t->to));
    SL_TRY(peers_make(&t->slab, t->slab.n[2], &t->from));
    size_t requests = (size_t)receives_count(t) + (size_t)sends_count(t);
    t->request = malloc((requests + 1) * sizeof *t->request);
    SL_CHECK(t->request, SL_EMEM, "no memory to transpose a grid");
    return SL_OK;
}

static void lists_release(struct sl_transpose *t)
{
    free(t->to.rank);
    free(t->from.rank);
    free(t->request);
    free(t);
}

int sl_transpose_new(const struct sl_slab *slab, size_t row, const size_t pitch[2],
                     struct sl_transpose **out)
{
    struct sl_transpose *t = calloc(1, sizeof *t);
    int code = t && row <= INT_MAX ? SL_OK : SL_FAIL(SL_EMEM, "no memory to transpose a grid");
    *out = NULL;
    if (code == SL_OK) {
        t->slab = *slab, t->row = row, t->pitch[0] = pitch[0], t->pitch[1] = pitch[1];
        code = lists_make(t);
    }
    code = sl_agree(slab->comm, code);
    if (code == SL_OK) {
        types_make(t);
        *out = t;
        return SL_OK;
    }
    if (t) lists_release(t);
    return code;
}

void sl_transpose_free(struct sl_transpose *t)
{
    if (!t) return;
    MPI_Type_free(&t->spaced);
    MPI_Type_free(&t->sent[0]);
    MPI_Type_free(&t->sent[1]);
    MPI_Type_free(&t->received);
    lists_release(t);
}

/* ---- moving ---------------------------------------------------------------------------------- */

static MPI_Datatype sent_type(const struct sl_transpose *t, int rows)
{
    return t->sent[rows - t->slab.n[1] / t->slab.size];
}

static void receive(struct sl_transpose *t, int rank, int z, int planes, double *out)
{
    MPI_Irecv(out + (size_t)z * t->pitch[1], planes, t->received, rank, 0, t->slab.comm,
              &t->request[t->count++]);
}

static void send(struct sl_transpose *t, int rank, int rows, const double *plane, int planes)
{
    int y0 = sl_slab_first(t->slab.n[1], rank, t->slab.size);
    MPI_Isend(plane + (size_t)y0 * t->pitch[0], planes, sent_type(t, rows), rank, 0, t->slab.comm,
              &t->request[t->count++]);
}

/* The own rows of an own plane. */
static void copy_own(const struct sl_transpose *t, const double *plane, int z, double *out)
{
    const struct sl_slab *s = &t->slab;
    for (int y = 0; y < s->ny; y++)
        memcpy(out + ((size_t)y * (size_t)s->n[2] + (size_t)z) * t->pitch[1],
               plane + (size_t)(s->y0 + y) * t->pitch[0], t->row * sizeof(double));
}

static int finish(struct sl_transpose *t)
{
    int code = MPI_Waitall(t->count, t->request, MPI_STATUSES_IGNORE);
    t->count = 0;
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot transpose a grid");
    return SL_OK;
}

static void receive_all(struct sl_transpose *t, double *out)
{
    const struct sl_slab *s = &t->slab;
    int per = s->ny > 0 ? planes_per_message(t, s->ny) : 1;
    for (int i = 0; i < t->from.n && s->ny > 0; i++) {
        int r = t->from.rank[i];
        int first = sl_slab_first(s->n[2], r, s->size), planes = planes_of(t, r);
        for (int k = 0; k < planes; k += per)
            receive(t, r, first + k, planes - k < per ? planes - k : per, out);
    }
}

static void send_all(struct sl_transpose *t, const double *in)
{
    const struct sl_slab *s = &t->slab;
    size_t plane = (size_t)s->n[1] * t->pitch[0];
    for (int i = 0; i < t->to.n; i++) {
        int r = t->to.rank[i], rows = rows_of(t, r), per = planes_per_message(t, rows);
        for (int k = 0; k < s->nz; k += per)
            send(t, r, rows, in + (size_t)k * plane, s->nz - k < per ? s->nz - k : per);
    }
}

int sl_transpose_run(struct sl_transpose *t, const double *in, double *out)
{
    const struct sl_slab *s = &t->slab;
    receive_all(t, out);
    send_all(t, in);
    for (int k = 0; k < s->nz; k++)
        copy_own(t, in + (size_t)k * (size_t)s->n[1] * t->pitch[0], s->z0 + k, out);
    return finish(t);
}

int sl_transpose_once(const struct sl_slab *slab, size_t row, const double *in, double *out)
{
    struct sl_transpose *t;
    SL_TRY(sl_transpose_new(slab, row, (const size_t[2]){row, row}, &t));
    int code = sl_transpose_run(t, in, out);
    sl_transpose_free(t);
    return code;
}

int sl_transpose_rounds(const struct sl_transpose *t)
{
    return (t->slab.n[2] - 1) / t->slab.size + 1;
}

int sl_transpose_plane(struct sl_transpose *t, int k, const double *plane, double *out)
{
    const struct sl_slab *s = &t->slab;
    for (int i = 0; i < t->from.n && s->ny > 0; i++) {
        int r = t->from.rank[i];
        if (k < planes_of(t, r)) receive(t, r, sl_slab_first(s->n[2], r, s->size) + k, 1, out);
    }
    for (int i = 0; i < t->to.n && plane; i++)
        send(t, t->to.rank[i], rows_of(t, t->to.rank[i]), plane, 1);
    if (plane) copy_own(t, plane, s->z0 + k, out);
    return finish(t);
}
