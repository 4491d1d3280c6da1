/* mail.c - messages between ranks from and to devices; see cuda.h. */
#include <limits.h>
#include <stdlib.h>

#include "core/sys/mem.h"
#include "gpu/cuda.h"

#define MPI_REAL_TYPE (sizeof(sl_real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT)

int sl_cuda_side_new(struct sl_cuda_side *s, int letters, size_t values)
{
    s->n = letters;
    s->values = values;
    return sl_alloc("messages", (size_t)letters, sizeof *s->letter, &s->letter);
}

int sl_cuda_mail_ready(struct sl_cuda_mail *mail)
{
    return sl_alloc("requests of messages", (size_t)(mail->in.n + mail->out.n),
                    sizeof *mail->request, &mail->request);
}

void sl_cuda_mail_release(struct sl_cuda_mail *mail)
{
    free(mail->out.letter);
    free(mail->in.letter);
    free(mail->request);
    *mail = (struct sl_cuda_mail){.tag = 0};
}

int sl_cuda_mail_room(struct device *d, const struct sl_cuda_mail *mail, int nvar)
{
    const char *text =
        sl_device_messages(d->on, mail->out.values * (size_t)nvar, mail->in.values * (size_t)nvar);
    return text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK;
}

/* ---- through MPI ----------------------------------------------------------------------------- */

static int receive(MPI_Comm comm, struct device *d, const struct sl_cuda_mail *mail, int nvar)
{
    for (int i = 0; i < mail->in.n; i++) {
        const struct sl_cuda_letter *in = &mail->in.letter[i];
        sl_real *to = sl_device_receive_buffer(d->on) + in->start * (size_t)nvar;
        SL_CHECK(in->values <= (size_t)(INT_MAX / nvar), SL_EMEM, "a message is too long");
        SL_CHECK(MPI_Irecv(to, (int)in->values * nvar, MPI_REAL_TYPE, in->peer, mail->tag, comm,
                           &mail->request[i]) == MPI_SUCCESS,
                 SL_EMPI, "cannot receive cells from rank %d", in->peer);
    }
    return SL_OK;
}

static int send(MPI_Comm comm, struct device *d, const struct sl_cuda_mail *mail, int nvar)
{
    for (int i = 0; i < mail->out.n; i++) {
        const struct sl_cuda_letter *out = &mail->out.letter[i];
        const sl_real *from = sl_device_send_buffer(d->on) + out->start * (size_t)nvar;
        SL_CHECK(out->values <= (size_t)(INT_MAX / nvar), SL_EMEM, "a message is too long");
        SL_CHECK(MPI_Isend(from, (int)out->values * nvar, MPI_REAL_TYPE, out->peer, mail->tag, comm,
                           &mail->request[mail->in.n + i]) == MPI_SUCCESS,
                 SL_EMPI, "cannot send cells to rank %d", out->peer);
    }
    return SL_OK;
}

/* What was packed must have arrived in the buffer, and what came the last time must have been
 * read. */
static int settle(struct device *d, const struct sl_cuda_mail *mail, int nvar)
{
    DEVICE(sl_device_packed(d->on, mail->out.values * (size_t)nvar));
    if (d->direct || mail->out.values == 0) DEVICE(sl_device_wait(d->on));
    return SL_OK;
}

/* ---- through NCCL ---------------------------------------------------------------------------- */

static int queue(struct device *d, const struct sl_cuda_mail *mail, int nvar)
{
    void *stream = sl_device_stream(d->on);
    size_t cell = (size_t)nvar * sizeof(sl_real);
    SL_TRY(sl_nccl_begin(d->nccl));
    for (int i = 0; i < mail->out.n; i++) {
        const struct sl_cuda_letter *out = &mail->out.letter[i];
        SL_TRY(sl_nccl_send(d->nccl, sl_device_send_buffer(d->on) + out->start * (size_t)nvar,
                            out->values * cell, out->peer, stream));
    }
    for (int i = 0; i < mail->in.n; i++) {
        const struct sl_cuda_letter *in = &mail->in.letter[i];
        SL_TRY(sl_nccl_receive(d->nccl, sl_device_receive_buffer(d->on) + in->start * (size_t)nvar,
                               in->values * cell, in->peer, stream));
    }
    return sl_nccl_end(d->nccl);
}

/* ---- either ---------------------------------------------------------------------------------- */

int sl_cuda_mail_go(MPI_Comm comm, struct device *d, const struct sl_cuda_mail *mail, int nvar)
{
    if (mail->in.n + mail->out.n == 0) return SL_OK;
    if (d->nccl) return queue(d, mail, nvar);
    SL_TRY(settle(d, mail, nvar));
    SL_TRY(receive(comm, d, mail, nvar));
    return send(comm, d, mail, nvar);
}

int sl_cuda_mail_come(struct device *d, const struct sl_cuda_mail *mail, int nvar)
{
    int n = mail->in.n + mail->out.n;
    if (n == 0) return SL_OK;
    if (!d->nccl)
        SL_CHECK(MPI_Waitall(n, mail->request, MPI_STATUSES_IGNORE) == MPI_SUCCESS, SL_EMPI,
                 "cells of other ranks did not arrive");
    DEVICE(sl_device_received(d->on, mail->in.values * (size_t)nvar));
    return SL_OK;
}
