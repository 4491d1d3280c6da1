/* parcels.c - see parcels.h. */
#include "core/step/parcels.h"

#include <limits.h>
#include <stdlib.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

#define MPI_REAL_TYPE (sizeof(sl_real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT)

struct sl_parcels {
    sl_real *out, *in;    /* owned */
    MPI_Request *request; /* owned; first in, then out */
    size_t nout, nin;     /* room */
    size_t nrequest;
    double waited; /* seconds */
};

static size_t numbers(const struct sl_post *post, size_t values)
{
    return values / post->unit * post->each;
}

static int grow(const char *label, size_t need, size_t size, size_t *have, void *room)
{
    void **p = room;
    if (need <= *have) return SL_OK;
    void *more;
    SL_TRY(sl_alloc(label, need, size, &more));
    free(*p);
    *p = more;
    *have = need;
    return SL_OK;
}

static int check_sizes(const struct sl_post *post, const struct sl_nest_side *side)
{
    for (int i = 0; i < side->nmessage; i++)
        SL_CHECK(numbers(post, side->message[i].values) <= (size_t)INT_MAX, SL_EMEM,
                 "a message of %zu numbers between levels is more than MPI can count",
                 numbers(post, side->message[i].values));
    return SL_OK;
}

static int room_make(struct sl_post *post)
{
    if (!*post->room) SL_TRY(sl_alloc("messages of levels", 1, sizeof **post->room, post->room));
    struct sl_parcels *p = *post->room;
    size_t requests = (size_t)(post->in->nmessage + post->out->nmessage);
    SL_TRY(grow("messages to other levels", numbers(post, post->out->values), sizeof *p->out,
                &p->nout, &p->out));
    SL_TRY(grow("messages from other levels", numbers(post, post->in->values), sizeof *p->in,
                &p->nin, &p->in));
    SL_TRY(grow("messages of levels", requests, sizeof *p->request, &p->nrequest, &p->request));
    post->sent = p->out;
    post->got = p->in;
    return SL_OK;
}

int sl_post_open(struct sl_post *post)
{
    SL_TRY(check_sizes(post, post->in));
    SL_TRY(check_sizes(post, post->out));
    SL_TRY(room_make(post));
    for (int i = 0; i < post->in->nmessage; i++) {
        const struct sl_nest_message *m = &post->in->message[i];
        int code =
            MPI_Irecv(post->got + numbers(post, m->start), (int)numbers(post, m->values),
                      MPI_REAL_TYPE, m->peer, post->tag, post->comm, &(*post->room)->request[i]);
        SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot receive cells of a level from rank %d",
                 m->peer);
    }
    return SL_OK;
}

int sl_post_send(struct sl_post *post)
{
    for (int i = 0; i < post->out->nmessage; i++) {
        const struct sl_nest_message *m = &post->out->message[i];
        int code = MPI_Isend(post->sent + numbers(post, m->start), (int)numbers(post, m->values),
                             MPI_REAL_TYPE, m->peer, post->tag, post->comm,
                             &(*post->room)->request[post->in->nmessage + i]);
        SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot send cells of a level to rank %d", m->peer);
    }
    return SL_OK;
}

int sl_post_wait(struct sl_post *post)
{
    int count = post->in->nmessage + post->out->nmessage;
    double start = MPI_Wtime();
    SL_CHECK(MPI_Waitall(count, (*post->room)->request, MPI_STATUSES_IGNORE) == MPI_SUCCESS,
             SL_EMPI, "cells of a level did not arrive");
    (*post->room)->waited += MPI_Wtime() - start;
    return SL_OK;
}

double sl_parcels_clock(const struct sl_parcels *parcels)
{
    return MPI_Wtime() - (parcels ? parcels->waited : 0);
}

void sl_parcels_free(struct sl_parcels *parcels)
{
    if (!parcels) return;
    free(parcels->out);
    free(parcels->in);
    free(parcels->request);
    free(parcels);
}
