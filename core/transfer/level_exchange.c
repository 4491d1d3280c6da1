/* level_exchange.c - see level_exchange.h. */
#include "core/transfer/level_exchange.h"

#include <limits.h>
#include <stdlib.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

#define MPI_REAL_TYPE (sizeof(sl_real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT)

struct sl_level_buffers {
    sl_real *out, *in;    /* owned */
    MPI_Request *request; /* owned; first in, then out */
    size_t nout, nin;     /* numbers there is room for */
    size_t nrequest;
    double waited; /* seconds */
};

static size_t numbers(const struct sl_level_exchange *exchange, size_t values)
{
    return values / exchange->unit * exchange->each;
}

static int grow(const char *label, size_t need, size_t size, size_t *have, void *buffer)
{
    void **p = buffer;
    if (need <= *have) return SL_OK;
    void *more;
    SL_TRY(sl_alloc(label, need, size, &more));
    free(*p);
    *p = more;
    *have = need;
    return SL_OK;
}

static int check_sizes(const struct sl_level_exchange *exchange, const struct sl_nest_side *side)
{
    for (int i = 0; i < side->nmessage; i++)
        SL_CHECK(numbers(exchange, side->message[i].values) <= (size_t)INT_MAX, SL_EMEM,
                 "a message of %zu numbers between levels is more than MPI can count",
                 numbers(exchange, side->message[i].values));
    return SL_OK;
}

static int buffers_make(struct sl_level_exchange *exchange)
{
    if (!*exchange->buffers)
        SL_TRY(sl_alloc("messages of levels", 1, sizeof **exchange->buffers, exchange->buffers));
    struct sl_level_buffers *p = *exchange->buffers;
    size_t requests = (size_t)(exchange->in->nmessage + exchange->out->nmessage);
    SL_TRY(grow("messages to other levels", numbers(exchange, exchange->out->values),
                sizeof *p->out, &p->nout, &p->out));
    SL_TRY(grow("messages from other levels", numbers(exchange, exchange->in->values),
                sizeof *p->in, &p->nin, &p->in));
    SL_TRY(grow("messages of levels", requests, sizeof *p->request, &p->nrequest, &p->request));
    exchange->sent = p->out;
    exchange->got = p->in;
    return SL_OK;
}

int sl_level_exchange_open(struct sl_level_exchange *exchange)
{
    SL_TRY(check_sizes(exchange, exchange->in));
    SL_TRY(check_sizes(exchange, exchange->out));
    SL_TRY(buffers_make(exchange));
    for (int i = 0; i < exchange->in->nmessage; i++) {
        const struct sl_nest_message *m = &exchange->in->message[i];
        int code = MPI_Irecv(exchange->got + numbers(exchange, m->start),
                             (int)numbers(exchange, m->values), MPI_REAL_TYPE, m->peer,
                             exchange->tag, exchange->comm, &(*exchange->buffers)->request[i]);
        SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot receive cells of a level from rank %d",
                 m->peer);
    }
    return SL_OK;
}

int sl_level_exchange_send(struct sl_level_exchange *exchange)
{
    for (int i = 0; i < exchange->out->nmessage; i++) {
        const struct sl_nest_message *m = &exchange->out->message[i];
        int code =
            MPI_Isend(exchange->sent + numbers(exchange, m->start),
                      (int)numbers(exchange, m->values), MPI_REAL_TYPE, m->peer, exchange->tag,
                      exchange->comm, &(*exchange->buffers)->request[exchange->in->nmessage + i]);
        SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot send cells of a level to rank %d", m->peer);
    }
    return SL_OK;
}

int sl_level_exchange_wait(struct sl_level_exchange *exchange)
{
    int count = exchange->in->nmessage + exchange->out->nmessage;
    double start = MPI_Wtime();
    SL_CHECK(MPI_Waitall(count, (*exchange->buffers)->request, MPI_STATUSES_IGNORE) == MPI_SUCCESS,
             SL_EMPI, "cells of a level did not arrive");
    (*exchange->buffers)->waited += MPI_Wtime() - start;
    return SL_OK;
}

double sl_level_exchange_clock(const struct sl_level_buffers *buffers)
{
    return MPI_Wtime() - (buffers ? buffers->waited : 0);
}

void sl_level_buffers_free(struct sl_level_buffers *buffers)
{
    if (!buffers) return;
    free(buffers->out);
    free(buffers->in);
    free(buffers->request);
    free(buffers);
}
