/* agree.c - see agree.h. */
#include "core/sys/agree.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "core/sys/status.h"

int sl_agree(MPI_Comm comm, int code)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int first = code == SL_OK ? size : rank;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size) return SL_OK;
    char text[1024] = "";
    if (rank == first) strncpy(text, sl_error_text(), sizeof text - 1);
    MPI_Bcast(&code, 1, MPI_INT, first, comm);
    MPI_Bcast(text, (int)sizeof text, MPI_CHAR, first, comm);
    if (rank != first) sl_error_set(text);
    return code;
}

int sl_agree_most(MPI_Comm comm, int code, int n, double *most)
{
    double all[SL_AGREE_MOST + 1];
    memcpy(all, most, (size_t)n * sizeof *most);
    all[n] = code != SL_OK;
    int mpi = MPI_Allreduce(MPI_IN_PLACE, all, n + 1, MPI_DOUBLE, MPI_MAX, comm);
    SL_CHECK(mpi == MPI_SUCCESS, SL_EMPI, "cannot compare numbers of the ranks");
    memcpy(most, all, (size_t)n * sizeof *most);
    return all[n] > 0 ? sl_agree(comm, code) : SL_OK;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether the others came. */
static int await(MPI_Request *all, double patience)
{
    const struct timespec nap = {0, 1000000};
    double start = now();
    int here = 0;
    while (MPI_Test(all, &here, MPI_STATUS_IGNORE) == MPI_SUCCESS && !here &&
           now() - start < patience)
        nanosleep(&nap, NULL);
    return here;
}

int sl_agree_after(MPI_Comm comm, int code, double patience)
{
    MPI_Request all;
    MPI_Ibarrier(comm, &all);
    if (code == SL_OK || code == SL_EAGAIN)
        MPI_Wait(&all, MPI_STATUS_IGNORE);
    else if (!await(&all, patience)) {
        int rank;
        MPI_Comm_rank(comm, &rank);
        sl_log(SL_LOG_ERROR, "rank %d: %s", rank, sl_error_text());
        MPI_Abort(comm, code);
    }
    return sl_agree(comm, code);
}

int sl_agree_work(MPI_Comm comm, sl_agree_job *work, void *context, double hang)
{
    MPI_Comm after;
    MPI_Comm_dup(comm, &after);
    int code = sl_agree_after(after, work(context), fmin(60, 0.1 * hang));
    MPI_Comm_free(&after);
    return code;
}
