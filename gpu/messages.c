/* messages.c - messages between ranks from and to devices; see cuda.h. */
#include <limits.h>
#include <stdlib.h>

#include "core/sys/mem.h"
#include "gpu/cuda.h"

#define MPI_REAL_TYPE (sizeof(sl_real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT)

int sl_cuda_side_new(struct sl_cuda_side *s, int n, size_t values)
{
    s->n = n;
    s->values = values;
    return sl_alloc("messages", (size_t)n, sizeof *s->message, &s->message);
}

int sl_cuda_messages_ready(struct sl_cuda_messages *messages)
{
    return sl_alloc("requests of messages", (size_t)(messages->in.n + messages->out.n),
                    sizeof *messages->request, &messages->request);
}

void sl_cuda_messages_release(struct sl_cuda_messages *messages)
{
    free(messages->out.message);
    free(messages->in.message);
    free(messages->request);
    *messages = (struct sl_cuda_messages){.tag = 0};
}

int sl_cuda_messages_room(struct device *d, const struct sl_cuda_messages *messages, int nvar)
{
    const char *text = sl_device_messages(d->on, messages->out.values * (size_t)nvar,
                                          messages->in.values * (size_t)nvar);
    return text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK;
}

/* ---- through MPI ----------------------------------------------------------------------------- */

static int receive(MPI_Comm comm, struct device *d, const struct sl_cuda_messages *messages,
                   int nvar)
{
    for (int i = 0; i < messages->in.n; i++) {
        const struct sl_cuda_message *in = &messages->in.message[i];
        sl_real *to = sl_device_receive_buffer(d->on) + in->start * (size_t)nvar;
        SL_CHECK(in->values <= (size_t)(INT_MAX / nvar), SL_EMEM, "a message is too long");
        SL_CHECK(MPI_Irecv(to, (int)in->values * nvar, MPI_REAL_TYPE, in->peer, messages->tag, comm,
                           &messages->request[i]) == MPI_SUCCESS,
                 SL_EMPI, "cannot receive cells from rank %d", in->peer);
    }
    return SL_OK;
}

static int send(MPI_Comm comm, struct device *d, const struct sl_cuda_messages *messages, int nvar)
{
    for (int i = 0; i < messages->out.n; i++) {
        const struct sl_cuda_message *out = &messages->out.message[i];
        const sl_real *from = sl_device_send_buffer(d->on) + out->start * (size_t)nvar;
        SL_CHECK(out->values <= (size_t)(INT_MAX / nvar), SL_EMEM, "a message is too long");
        SL_CHECK(MPI_Isend(from, (int)out->values * nvar, MPI_REAL_TYPE, out->peer, messages->tag,
                           comm, &messages->request[messages->in.n + i]) == MPI_SUCCESS,
                 SL_EMPI, "cannot send cells to rank %d", out->peer);
    }
    return SL_OK;
}

/* What was packed must have arrived in the buffer, and what came the last time must have been
 * read. */
static int settle(struct device *d, const struct sl_cuda_messages *messages, int nvar)
{
    DEVICE(sl_device_packed(d->on, messages->out.values * (size_t)nvar));
    if (d->direct || messages->out.values == 0) DEVICE(sl_device_wait(d->on));
    return SL_OK;
}

/* ---- through NCCL ---------------------------------------------------------------------------- */

static int queue(struct device *d, const struct sl_cuda_messages *messages, int nvar)
{
    void *stream = sl_device_stream(d->on);
    size_t cell = (size_t)nvar * sizeof(sl_real);
    SL_TRY(sl_nccl_begin(d->nccl));
    for (int i = 0; i < messages->out.n; i++) {
        const struct sl_cuda_message *out = &messages->out.message[i];
        SL_TRY(sl_nccl_send(d->nccl, sl_device_send_buffer(d->on) + out->start * (size_t)nvar,
                            out->values * cell, out->peer, stream));
    }
    for (int i = 0; i < messages->in.n; i++) {
        const struct sl_cuda_message *in = &messages->in.message[i];
        SL_TRY(sl_nccl_receive(d->nccl, sl_device_receive_buffer(d->on) + in->start * (size_t)nvar,
                               in->values * cell, in->peer, stream));
    }
    return sl_nccl_end(d->nccl);
}

/* ---- either ---------------------------------------------------------------------------------- */

int sl_cuda_messages_begin(MPI_Comm comm, struct device *d, const struct sl_cuda_messages *messages,
                           int nvar)
{
    if (messages->in.n + messages->out.n == 0) return SL_OK;
    if (d->nccl) return queue(d, messages, nvar);
    SL_TRY(settle(d, messages, nvar));
    SL_TRY(receive(comm, d, messages, nvar));
    return send(comm, d, messages, nvar);
}

int sl_cuda_messages_end(struct device *d, const struct sl_cuda_messages *messages, int nvar)
{
    int n = messages->in.n + messages->out.n;
    if (n == 0) return SL_OK;
    if (!d->nccl)
        SL_CHECK(MPI_Waitall(n, messages->request, MPI_STATUSES_IGNORE) == MPI_SUCCESS, SL_EMPI,
                 "cells of other ranks did not arrive");
    DEVICE(sl_device_received(d->on, messages->in.values * (size_t)nvar));
    return SL_OK;
}
