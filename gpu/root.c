/* root.c - see root.h. */
#include "gpu/root.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

void sl_cuda_root_release(struct sl_cuda_root *r)
{
    free(r->at);
    sl_cuda_messages_release(&r->messages);
    *r = (struct sl_cuda_root){.blocks = 0};
}

static size_t cells_of(const struct sl_mesh *m, int blocks)
{
    return (size_t)blocks * (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
}

/* Numbers of each rank, and where they begin among those of all. */
struct shares {
    int *count, *first; /* owned; [ranks] and [ranks + 1] */
};

static void shares_release(struct shares *s)
{
    free(s->count);
    free(s->first);
}

/* Three of each block; all: blocks of all ranks. */
static int shares_make(const struct sl_mesh *m, struct shares *s)
{
    int three = 3 * m->nblock,
        code = sl_alloc("blocks of ranks", (size_t)m->size, sizeof(int), &s->count);
    if (code == SL_OK)
        code = sl_alloc("blocks of ranks", (size_t)m->size + 1, sizeof(int), &s->first);
    SL_TRY(sl_agree(m->comm, code));
    code = MPI_Allgather(&three, 1, MPI_INT, s->count, 1, MPI_INT, m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot tell the ranks how many blocks each has");
    s->first[0] = 0;
    for (int r = 0; r < m->size; r++)
        s->first[r + 1] = s->first[r] + s->count[r];
    return SL_OK;
}

/* What a rank has goes to each other one from the same place. */
static int messages_make(const struct sl_mesh *m, const struct shares *s,
                         struct sl_cuda_messages *messages)
{
    int others = m->size - 1, nin = 0, nout = 0;
    size_t own = cells_of(m, m->nblock), start = 0;
    messages->tag = SL_CUDA_ROOT;
    SL_TRY(sl_cuda_side_new(&messages->out, others, own));
    SL_TRY(sl_cuda_side_new(&messages->in, others, 0));
    for (int r = 0; r < m->size; r++) {
        size_t cells = cells_of(m, s->count[r] / 3);
        if (r == m->rank) continue;
        if (own > 0) messages->out.message[nout++] = (struct sl_cuda_message){r, 0, own};
        if (cells > 0) messages->in.message[nin++] = (struct sl_cuda_message){r, start, cells};
        start += cells;
    }
    messages->out.n = nout, messages->in.n = nin, messages->in.values = start;
    return sl_cuda_messages_ready(messages);
}

/* The places of all blocks become those of the others. */
static int places_make(const struct sl_mesh *m, const struct shares *s, const int *own,
                       struct sl_cuda_root *r)
{
    size_t before = (size_t)s->first[m->rank], after = (size_t)s->first[m->rank + 1],
           all = (size_t)s->first[m->size];
    int code = sl_alloc("places of blocks", all + 1, sizeof(int), &r->at);
    SL_TRY(sl_agree(m->comm, code));
    code = MPI_Allgatherv(own, s->count[m->rank], MPI_INT, r->at, s->count, s->first, MPI_INT,
                          m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot tell the ranks the places of blocks");
    memmove(r->at + before, r->at + after, (all - after) * sizeof(int));
    r->blocks = (int)(all / 3) - m->nblock;
    return SL_OK;
}

static int room_make(const struct sl_sim *sim, const struct shares *s, struct sl_cuda_root *r)
{
    const struct sl_mesh *m = sim->state.mesh;
    size_t all = cells_of(m, s->first[m->size] / 3);
    SL_CHECK(all < INT_MAX, SL_EMEM,
             "%zu cells of the root grid are more than the 2^31 that several devices share", all);
    SL_TRY(messages_make(m, s, &r->messages));
    return sl_cuda_messages_room(sl_cuda_device(sim), &r->messages, 1);
}

int sl_cuda_root_make(const struct sl_sim *sim, const int *own, struct sl_cuda_root *r)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct shares s = {NULL, NULL};
    sl_cuda_root_release(r);
    if (m->size == 1) return SL_OK;
    int code = sl_agree(m->comm, shares_make(m, &s));
    if (code == SL_OK) code = sl_agree(m->comm, places_make(m, &s, own, r));
    if (code == SL_OK) code = sl_agree(m->comm, room_make(sim, &s, r));
    shares_release(&s);
    return code;
}

static int pack(const struct sl_sim *sim, const struct sl_cuda_root *r, int nvar, const sl_real *u)
{
    struct device *d = sl_cuda_device(sim);
    SL_TRY(sl_cuda_messages_room(d, &r->messages, 1));
    DEVICE(sl_device_gravity_pack(d->on, nvar, u));
    return SL_OK;
}

static int take(const struct sl_sim *sim, const struct sl_cuda_root *r)
{
    SL_TRY(sl_cuda_messages_exchange(sim, &r->messages, 1));
    DEVICE(sl_device_gravity_lay(sl_cuda_device(sim)->on));
    return SL_OK;
}

int sl_cuda_root_exchange(const struct sl_sim *sim, const struct sl_cuda_root *r, int nvar,
                          const sl_real *u)
{
    MPI_Comm comm = sim->state.mesh->comm;
    if (sim->state.mesh->size == 1) return SL_OK;
    SL_TRY(sl_agree(comm, pack(sim, r, nvar, u)));
    return sl_agree(comm, take(sim, r));
}
