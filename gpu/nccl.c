/* nccl.c - see nccl.h. */
#include "gpu/nccl.h"

#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/library.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* Of NCCL's interface, which has been stable since version 2.7. */
struct unique {
    char bytes[128];
};
enum { BYTES = 0, WHOLE = 4, SUM = 0 }; /* ncclInt8, ncclInt64, ncclSum */

struct sl_nccl {
    void *comm;
    int (*unique_id)(struct unique *id);
    int (*init)(void **comm, int size, struct unique id, int rank);
    int (*destroy)(void *comm);
    int (*start)(void);
    int (*end)(void);
    int (*send)(const void *from, size_t count, int type, int peer, void *comm, void *stream);
    int (*receive)(void *to, size_t count, int type, int peer, void *comm, void *stream);
    int (*reduce)(const void *from, void *to, size_t count, int type, int what, void *comm,
                  void *stream);
    const char *(*text)(int code);
};

static int look_up(struct sl_nccl *n)
{
    static const char *const names[] = {"libnccl.so.2", NULL};
    void *lib = sl_library_open(names);
    return lib && sl_library_find(lib, "ncclGetUniqueId", &n->unique_id) &&
           sl_library_find(lib, "ncclCommInitRank", &n->init) &&
           sl_library_find(lib, "ncclCommDestroy", &n->destroy) &&
           sl_library_find(lib, "ncclGroupStart", &n->start) &&
           sl_library_find(lib, "ncclGroupEnd", &n->end) &&
           sl_library_find(lib, "ncclSend", &n->send) &&
           sl_library_find(lib, "ncclRecv", &n->receive) &&
           sl_library_find(lib, "ncclAllReduce", &n->reduce) &&
           sl_library_find(lib, "ncclGetErrorString", &n->text);
}

static int check(const struct sl_nccl *n, int code)
{
    SL_CHECK(code == 0, SL_EUNAVAIL, "NCCL: %s", n->text(code));
    return SL_OK;
}

static int connect(MPI_Comm comm, struct sl_nccl *n)
{
    struct unique id = {{0}};
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int code = rank == 0 ? check(n, n->unique_id(&id)) : SL_OK;
    SL_TRY(sl_agree(comm, code));
    SL_CHECK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm) == MPI_SUCCESS, SL_EMPI,
             "cannot hand the ranks the identifier of NCCL");
    return sl_agree(comm, check(n, n->init(&n->comm, size, id, rank)));
}

static void release(struct sl_nccl *n)
{
    if (n->comm) n->destroy(n->comm);
    free(n);
}

/* Called when the communicator of MPI goes. */
static int forget(MPI_Comm comm, int key, void *kept, void *extra)
{
    (void)comm, (void)key, (void)extra;
    release(kept);
    return MPI_SUCCESS;
}

static int keep(MPI_Comm comm, int key, struct sl_nccl *n)
{
    SL_CHECK(MPI_Comm_set_attr(comm, key, n) == MPI_SUCCESS, SL_EMPI,
             "cannot keep how the ranks meet");
    return SL_OK;
}

/* collective. NULL in *out where a rank has no NCCL or `alone` is 0 on one. */
static int make(MPI_Comm comm, int alone, int key, struct sl_nccl **out)
{
    struct sl_nccl *n = NULL;
    SL_TRY(sl_agree(comm, sl_alloc("NCCL", 1, sizeof *n, &n)));
    int have = alone && look_up(n);
    int code = MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS
                   ? SL_OK
                   : SL_FAIL(SL_EMPI, "cannot ask the ranks for NCCL");
    if (code == SL_OK && have) code = connect(comm, n);
    if (code == SL_OK && have) code = sl_agree(comm, keep(comm, key, n));
    if (code == SL_OK && have)
        *out = n;
    else
        release(n);
    return code;
}

int sl_nccl_of(MPI_Comm comm, int alone, struct sl_nccl **out)
{
    static int key = MPI_KEYVAL_INVALID;
    int have;
    void *kept;
    *out = NULL;
    if (key == MPI_KEYVAL_INVALID)
        SL_CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL) == MPI_SUCCESS,
                 SL_EMPI, "cannot keep how the ranks meet");
    SL_CHECK(MPI_Comm_get_attr(comm, key, &kept, &have) == MPI_SUCCESS, SL_EMPI,
             "cannot ask how the ranks meet");
    if (!have) return make(comm, alone, key, out);
    *out = kept;
    return SL_OK;
}

int sl_nccl_begin(const struct sl_nccl *n)
{
    return check(n, n->start());
}

int sl_nccl_send(const struct sl_nccl *n, const void *from, size_t bytes, int peer, void *stream)
{
    return check(n, n->send(from, bytes, BYTES, peer, n->comm, stream));
}

int sl_nccl_receive(const struct sl_nccl *n, void *to, size_t bytes, int peer, void *stream)
{
    return check(n, n->receive(to, bytes, BYTES, peer, n->comm, stream));
}

int sl_nccl_end(const struct sl_nccl *n)
{
    return check(n, n->end());
}

int sl_nccl_sum(const struct sl_nccl *n, int64_t *at, size_t count, void *stream)
{
    return check(n, n->reduce(at, at, count, WHOLE, SUM, n->comm, stream));
}
