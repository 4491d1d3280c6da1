/* calls.h - counts what a program asks of MPI, in the calls themselves (its profiling interface):
 * calls of each kind on this rank, and bytes of others. Calls of libraries, such as p4est, are
 * among them. One file of a program includes it.
 *
 * Shapes  none
 * Units   bytes of the data that a caller hands over or gets, whatever MPI makes of them: a
 *         reduction of n bytes sends and receives n on each rank, a gather to all sends the own
 *         share and receives those of all others. What a rank gives to itself counts as a call of a
 *         collective, but not as bytes, and not as a message. Of a message that is received the
 *         size of its buffer counts
 * Errors  those of MPI
 * Owns    calls_now, the counts of this rank
 * MPI     as the functions of MPI
 * Where   host
 * Refs    MPI standard 4.0, chapter 15 (profiling interface)
 * Tests   tests/law/calls.c
 */
#ifndef SL_TESTS_CALLS_H
#define SL_TESTS_CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

/* X(kind, sentence) */
#define CALLS_LIST(X)                                                                              \
    X(reduce, "MPI_Allreduce, Reduce, Exscan, Scan")                                               \
    X(bcast, "MPI_Bcast")                                                                          \
    X(gather, "MPI_Gather, Gatherv, Allgather, Allgatherv")                                        \
    X(exchange, "MPI_Alltoall, Alltoallv")                                                         \
    X(barrier, "MPI_Barrier, Ibarrier")                                                            \
    X(split, "MPI_Comm_split, Comm_split_type, Comm_dup: new communicators")                       \
    X(message, "MPI_Send, Isend, Sendrecv to other ranks")

enum calls_kind {
#define CALLS_KIND(kind, about) CALLS_##kind,
    CALLS_LIST(CALLS_KIND)
#undef CALLS_KIND
        CALLS_KINDS
};

static const char *const calls_about[] = {
#define CALLS_ABOUT(kind, about) about,
    CALLS_LIST(CALLS_ABOUT)
#undef CALLS_ABOUT
};

struct calls {
    struct calls_of {
        double calls, sent, received; /* bytes */
    } of[CALLS_KINDS];
};

static struct calls calls_now;

static inline void calls_clear(void)
{
    memset(&calls_now, 0, sizeof calls_now);
}

static inline double calls_bytes(int n, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (double)n * size;
}

static inline int calls_size(MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    return size;
}

static inline int calls_rank(MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

static inline void calls_add(enum calls_kind kind, MPI_Comm comm, double sent, double received)
{
    bool alone = calls_size(comm) == 1;
    calls_now.of[kind].calls++;
    calls_now.of[kind].sent += alone ? 0 : sent;
    calls_now.of[kind].received += alone ? 0 : received;
}

/* Of counts that each rank has in an array: those of all ranks but the own one. */
static inline double calls_others(const int *count, MPI_Datatype type, MPI_Comm comm)
{
    double sum = 0;
    for (int r = 0; r < calls_size(comm); r++)
        sum += r == calls_rank(comm) ? 0 : calls_bytes(count[r], type);
    return sum;
}

static inline void calls_send(double bytes, int to, MPI_Comm comm)
{
    if (to == calls_rank(comm) || to == MPI_PROC_NULL) return;
    calls_now.of[CALLS_message].calls++;
    calls_now.of[CALLS_message].sent += bytes;
}

static inline void calls_receive(double bytes, int from, MPI_Comm comm)
{
    bool other = from != calls_rank(comm) && from != MPI_PROC_NULL;
    calls_now.of[CALLS_message].received += other ? bytes : 0;
}

/* ---- reductions ------------------------------------------------------------------------------ */

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    calls_add(CALLS_reduce, comm, calls_bytes(n, type), calls_bytes(n, type));
    return PMPI_Allreduce(in, out, n, type, op, comm);
}

int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    double bytes = calls_bytes(n, type);
    bool here = calls_rank(comm) == root;
    calls_add(CALLS_reduce, comm, here ? 0 : bytes, here ? bytes : 0);
    return PMPI_Reduce(in, out, n, type, op, root, comm);
}

int MPI_Exscan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    calls_add(CALLS_reduce, comm, calls_bytes(n, type), calls_bytes(n, type));
    return PMPI_Exscan(in, out, n, type, op, comm);
}

int MPI_Scan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    calls_add(CALLS_reduce, comm, calls_bytes(n, type), calls_bytes(n, type));
    return PMPI_Scan(in, out, n, type, op, comm);
}

/* ---- from one to all, from all to one, from all to all --------------------------------------- */

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    double bytes = calls_bytes(n, type);
    bool here = calls_rank(comm) == root;
    calls_add(CALLS_bcast, comm, here ? bytes : 0, here ? 0 : bytes);
    return PMPI_Bcast(data, n, type, root, comm);
}

int MPI_Gather(const void *in, int n, MPI_Datatype type, void *out, int out_n,
               MPI_Datatype out_type, int root, MPI_Comm comm)
{
    bool here = calls_rank(comm) == root;
    calls_add(CALLS_gather, comm, here ? 0 : calls_bytes(n, type),
              here ? calls_bytes(out_n, out_type) * (calls_size(comm) - 1) : 0);
    return PMPI_Gather(in, n, type, out, out_n, out_type, root, comm);
}

int MPI_Gatherv(const void *in, int n, MPI_Datatype type, void *out, const int *count,
                const int *first, MPI_Datatype out_type, int root, MPI_Comm comm)
{
    bool here = calls_rank(comm) == root;
    calls_add(CALLS_gather, comm, here ? 0 : calls_bytes(n, type),
              here ? calls_others(count, out_type, comm) : 0);
    return PMPI_Gatherv(in, n, type, out, count, first, out_type, root, comm);
}

int MPI_Allgather(const void *in, int n, MPI_Datatype type, void *out, int out_n,
                  MPI_Datatype out_type, MPI_Comm comm)
{
    double share = calls_bytes(out_n, out_type);
    calls_add(CALLS_gather, comm, share, share * (calls_size(comm) - 1));
    return PMPI_Allgather(in, n, type, out, out_n, out_type, comm);
}

int MPI_Allgatherv(const void *in, int n, MPI_Datatype type, void *out, const int *count,
                   const int *first, MPI_Datatype out_type, MPI_Comm comm)
{
    calls_add(CALLS_gather, comm, calls_bytes(count[calls_rank(comm)], out_type),
              calls_others(count, out_type, comm));
    return PMPI_Allgatherv(in, n, type, out, count, first, out_type, comm);
}

int MPI_Alltoall(const void *in, int n, MPI_Datatype type, void *out, int out_n,
                 MPI_Datatype out_type, MPI_Comm comm)
{
    double others = calls_bytes(out_n, out_type) * (calls_size(comm) - 1);
    calls_add(CALLS_exchange, comm, others, others);
    return PMPI_Alltoall(in, n, type, out, out_n, out_type, comm);
}

int MPI_Alltoallv(const void *in, const int *count, const int *first, MPI_Datatype type, void *out,
                  const int *out_count, const int *out_first, MPI_Datatype out_type, MPI_Comm comm)
{
    calls_add(CALLS_exchange, comm, calls_others(count, type, comm),
              calls_others(out_count, out_type, comm));
    return PMPI_Alltoallv(in, count, first, type, out, out_count, out_first, out_type, comm);
}

/* ---- without data ---------------------------------------------------------------------------- */

int MPI_Barrier(MPI_Comm comm)
{
    calls_add(CALLS_barrier, comm, 0, 0);
    return PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    calls_add(CALLS_barrier, comm, 0, 0);
    return PMPI_Ibarrier(comm, request);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out)
{
    calls_add(CALLS_split, comm, 0, 0);
    return PMPI_Comm_split(comm, color, key, out);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    calls_add(CALLS_split, comm, 0, 0);
    return PMPI_Comm_split_type(comm, type, key, info, out);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    calls_add(CALLS_split, comm, 0, 0);
    return PMPI_Comm_dup(comm, out);
}

/* ---- from rank to rank ----------------------------------------------------------------------- */

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    calls_send(calls_bytes(n, type), to, comm);
    return PMPI_Send(data, n, type, to, tag, comm);
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    calls_send(calls_bytes(n, type), to, comm);
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    calls_receive(calls_bytes(n, type), from, comm);
    return PMPI_Recv(data, n, type, from, tag, comm, status);
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    calls_receive(calls_bytes(n, type), from, comm);
    return PMPI_Irecv(data, n, type, from, tag, comm, request);
}

int MPI_Sendrecv(const void *data, int n, MPI_Datatype type, int to, int tag, void *out, int out_n,
                 MPI_Datatype out_type, int from, int out_tag, MPI_Comm comm, MPI_Status *status)
{
    calls_send(calls_bytes(n, type), to, comm);
    calls_receive(calls_bytes(out_n, out_type), from, comm);
    return PMPI_Sendrecv(data, n, type, to, tag, out, out_n, out_type, from, out_tag, comm, status);
}

#endif
