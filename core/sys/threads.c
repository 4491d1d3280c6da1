/* threads.c - see threads.h. */
#include "core/sys/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/sys/status.h"

enum { MOST = 64 };

static int allowed = 1;

struct loop {
    size_t n, piece;
    sl_piece_fn *work;
    void *of;
    atomic_size_t next;
    atomic_int code; /* of the first that failed */
    char text[1024]; /* what it says */
};

static int cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int sl_threads_allow(int most, int sharing)
{
    int n = most > 0 ? most : cores() / (sharing > 0 ? sharing : 1);
    allowed = n < 1 ? 1 : n > MOST ? MOST : n;
    return allowed;
}

/* Cores of all ranks of a node over their number, but no more than this one's own: ranks may be
 * bound to cores of their own, or to the same. */
static int fair(MPI_Comm node)
{
    cpu_set_t all;
    int sharing, own = cores();
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof all, &all);
    MPI_Comm_size(node, &sharing);
    MPI_Allreduce(MPI_IN_PLACE, &all, sizeof all, MPI_BYTE, MPI_BOR, node);
    int share = CPU_COUNT(&all) / sharing;
    return share < 1 ? 1 : share < own ? share : own;
}

int sl_threads_share(MPI_Comm comm)
{
    MPI_Comm node;
    SL_CHECK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) ==
                 MPI_SUCCESS,
             SL_EMPI, "cannot find the ranks of this node");
    sl_threads_allow(fair(node), 1);
    MPI_Comm_free(&node);
    return SL_OK;
}

static void fail(struct loop *l, int code)
{
    int none = SL_OK;
    if (atomic_compare_exchange_strong(&l->code, &none, code))
        snprintf(l->text, sizeof l->text, "%s", sl_error_text());
}

static void *take_pieces(void *of)
{
    struct loop *l = of;
    while (atomic_load(&l->code) == SL_OK) {
        size_t from = atomic_fetch_add(&l->next, l->piece);
        if (from >= l->n) break;
        int code = l->work(l->of, from, l->n - from < l->piece ? l->n : from + l->piece);
        if (code != SL_OK) fail(l, code);
    }
    return NULL;
}

/* Threads beside the calling one; fewer where the system has no more. Signals belong to the main
 * thread. */
static int start(struct loop *l, int n, pthread_t *thread)
{
    int started = 0;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (started < n && pthread_create(&thread[started], NULL, take_pieces, l) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

int sl_threads_run(size_t n, size_t piece, sl_piece_fn *work, void *of)
{
    pthread_t thread[MOST];
    struct loop l = {.n = n, .piece = piece > 0 ? piece : 1, .work = work, .of = of};
    size_t pieces = (n + l.piece - 1) / l.piece;
    int wanted = pieces < (size_t)allowed ? (int)pieces : allowed;
    int beside = start(&l, wanted - 1, thread);
    take_pieces(&l);
    for (int i = 0; i < beside; i++)
        pthread_join(thread[i], NULL);
    int code = atomic_load(&l.code);
    return code == SL_OK ? SL_OK : SL_FAIL(code, "%s", l.text);
}
