/* output.c - see output.h. */
#include "core/io/output.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct sl_output {
    MPI_Comm comm;
    const struct sl_output_kind *kind;
    void *job;               /* owned */
    int (*piece)(void *job); /* the one that is, or was, at work */
    bool beside, running;    /* running: thread is to be joined */
    pthread_t thread;
    atomic_bool done;
    int code;        /* of the piece */
    char text[1024]; /* of its failure: texts are the thread's own */
};

static void *work(void *data)
{
    struct sl_output *o = data;
    o->code = o->piece(o->job);
    snprintf(o->text, sizeof o->text, "%s", o->code == SL_OK ? "" : sl_error_text());
    atomic_store(&o->done, true);
    return NULL;
}

/* Signals belong to the main thread. */
static void start(struct sl_output *o, int (*piece)(void *job))
{
    sigset_t all, old;
    o->piece = piece;
    atomic_store(&o->done, false);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    o->running = o->beside && pthread_create(&o->thread, NULL, work, o) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!o->running) work(o);
}

/* collective. What became of the piece. */
static int join(struct sl_output *o)
{
    if (o->running) pthread_join(o->thread, NULL);
    o->running = false;
    if (o->code != SL_OK) sl_error_set(o->text);
    return sl_agree(o->comm, o->code);
}

int sl_output_begin(MPI_Comm comm, const struct sl_output_kind *kind, void *job, bool beside,
                    struct sl_output **out)
{
    struct sl_output *o = NULL;
    int code = sl_agree(comm, sl_alloc("an output", 1, sizeof *o, &o));
    if (code != SL_OK) {
        free(o);
        return kind->close(job, code);
    }
    o->comm = comm, o->kind = kind, o->job = job, o->beside = beside;
    *out = o;
    start(o, kind->look);
    return SL_OK;
}

bool sl_output_busy(const struct sl_output *o)
{
    return o && !atomic_load(&o->done);
}

int sl_output_next(struct sl_output **out)
{
    struct sl_output *o = *out;
    int code = join(o);
    if (o->piece == o->kind->look) {
        if (code == SL_OK) code = o->kind->open(o->job);
        if (code == SL_OK) {
            start(o, o->kind->put);
            return SL_OK;
        }
    }
    code = o->kind->close(o->job, code);
    free(o);
    *out = NULL;
    return code;
}

int sl_output_end(struct sl_output **out)
{
    int code = SL_OK;
    while (*out)
        code = sl_output_next(out);
    return code;
}
