/* level_exchange.c - see level_exchange.h. */
#include "core/transfer/level_exchange.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

/* One call. */
struct run {
    const struct sl_level_exchange *x;
    MPI_Comm comm;
    const struct sl_nest_side *out, *in;
    struct sl_level_buffers *buffers;
};

static size_t numbers(const struct run *r, size_t values)
{
    size_t each = r->x->each, unit = r->x->unit;
    return values / (unit ? unit : 1) * (each ? each : 1);
}

/* ---- buffers --------------------------------------------------------------------------------- */

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

static int check_sizes(const struct run *r, const struct sl_nest_side *side)
{
    for (int i = 0; i < side->nmessage; i++)
        SL_CHECK(numbers(r, side->message[i].values) <= (size_t)INT_MAX, SL_EMEM,
                 "a message of %zu numbers between levels is more than MPI can count",
                 numbers(r, side->message[i].values));
    return SL_OK;
}

static int buffers_make(struct run *r, struct sl_level_buffers **buffers)
{
    if (!*buffers) SL_TRY(sl_alloc("messages of levels", 1, sizeof **buffers, buffers));
    struct sl_level_buffers *p = r->buffers = *buffers;
    size_t requests = (size_t)(r->in->nmessage + r->out->nmessage);
    SL_TRY(grow("messages to other levels", numbers(r, r->out->values), sizeof *p->out, &p->nout,
                &p->out));
    SL_TRY(grow("messages from other levels", numbers(r, r->in->values), sizeof *p->in, &p->nin,
                &p->in));
    return grow("messages of levels", requests, sizeof *p->request, &p->nrequest, &p->request);
}

void sl_level_buffers_free(struct sl_level_buffers *buffers)
{
    if (!buffers) return;
    free(buffers->out);
    free(buffers->in);
    free(buffers->request);
    free(buffers);
}

/* ---- messages -------------------------------------------------------------------------------- */

static int receive(const struct run *r)
{
    for (int i = 0; i < r->in->nmessage; i++) {
        const struct sl_nest_message *m = &r->in->message[i];
        int code = MPI_Irecv(r->buffers->in + numbers(r, m->start), (int)numbers(r, m->values),
                             MPI_REAL_TYPE, m->peer, r->x->tag, r->comm, &r->buffers->request[i]);
        SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot receive cells of a level from rank %d",
                 m->peer);
    }
    return SL_OK;
}

static int send(const struct run *r)
{
    MPI_Request *request = r->buffers->request + r->in->nmessage;
    for (int i = 0; i < r->out->nmessage; i++) {
        const struct sl_nest_message *m = &r->out->message[i];
        int code = MPI_Isend(r->buffers->out + numbers(r, m->start), (int)numbers(r, m->values),
                             MPI_REAL_TYPE, m->peer, r->x->tag, r->comm, &request[i]);
        SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot send cells of a level to rank %d", m->peer);
    }
    return SL_OK;
}

static int wait(const struct run *r)
{
    double start = MPI_Wtime();
    SL_CHECK(MPI_Waitall(r->in->nmessage + r->out->nmessage, r->buffers->request,
                         MPI_STATUSES_IGNORE) == MPI_SUCCESS,
             SL_EMPI, "cells of a level did not arrive");
    r->buffers->waited += MPI_Wtime() - start;
    return SL_OK;
}

const sl_real *sl_level_exchange_got(const struct sl_level_buffers *buffers)
{
    return buffers->in;
}

double sl_level_exchange_clock(const struct sl_level_buffers *buffers)
{
    return MPI_Wtime() - (buffers ? buffers->waited : 0);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* Jobs of a list. */
struct part {
    int first, count;
};

static struct part part_of(const struct sl_level_jobs *jobs, bool in)
{
    const int *n = jobs->count;
    return in ? (struct part){n[0] + n[1], n[2]} : (struct part){n[0], n[1]};
}

static const void *job_at(const struct run *r, int i)
{
    return (const char *)r->x->jobs.job + (size_t)i * r->x->jobs.size;
}

/* Where the values of a job begin in the buffer of its messages. */
static size_t place_of(const struct run *r, const void *job)
{
    size_t start;
    memcpy(&start, (const char *)job + r->x->jobs.start, sizeof start);
    return numbers(r, start);
}

static void make_out(const struct run *r)
{
    struct part p = part_of(&r->x->jobs, r->x->back);
    for (int i = p.first; i < p.first + p.count; i++)
        r->x->make(r->x->of, job_at(r, i), r->buffers->out + place_of(r, job_at(r, i)));
}

static void do_own(const struct run *r)
{
    for (int i = 0; i < r->x->jobs.count[0]; i++) {
        r->x->make(r->x->of, job_at(r, i), r->x->spare);
        if (r->x->spare) r->x->take(r->x->of, job_at(r, i), r->x->spare);
    }
}

static void take_in(const struct run *r)
{
    struct part p = part_of(&r->x->jobs, !r->x->back);
    for (int i = p.first; i < p.first + p.count; i++)
        r->x->take(r->x->of, job_at(r, i), r->buffers->in + place_of(r, job_at(r, i)));
}

int sl_level_exchange_run(const struct sl_level_exchange *exchange, MPI_Comm comm,
                          struct sl_level_buffers **buffers)
{
    const struct sl_level_jobs *jobs = &exchange->jobs;
    struct run r = {.x = exchange, .comm = comm};
    r.out = exchange->back ? jobs->in : jobs->out;
    r.in = exchange->back ? jobs->out : jobs->in;
    SL_TRY(check_sizes(&r, r.in));
    SL_TRY(check_sizes(&r, r.out));
    SL_TRY(buffers_make(&r, buffers));
    SL_TRY(receive(&r));
    make_out(&r);
    SL_TRY(send(&r));
    if (exchange->take) do_own(&r);
    SL_TRY(wait(&r));
    if (exchange->take) take_in(&r);
    return SL_OK;
}
