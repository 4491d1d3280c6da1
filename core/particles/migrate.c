/* migrate.c - particles go home: to the ranks of their blocks, then in the order of these.
 *
 * Most particles stay in their block for many steps, and where they lie within it means nothing:
 * they are sorted in place, by exchanges, and those at home stay where they are. Movers go to ranks
 * whose blocks touch own ones, first their number, then themselves; where any of them goes further,
 * as at a start, all ranks take part.
 */
#include <stdlib.h>
#include <string.h>

#include "core/particles/store.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { TAG_COUNT = 71, TAG_MOVERS };

/* Where a place is among the blocks of the box. */
static size_t block_at(const struct sl_mesh *m, const uint32_t x[3])
{
    return sl_particle_block(x, m->spec.cells, m->spec.block);
}

int sl_particles_key(const struct sl_particles *p, const uint32_t x[3])
{
    int local = p->local[block_at(p->mesh, x)];
    return local >= 0 ? local : p->mesh->nblock;
}

/* ---- sorting --------------------------------------------------------------------------------- */

static void swap(struct sl_particles *p, size_t i, size_t j)
{
    struct sl_particle q = p->at[i];
    int key = p->key[i];
    p->at[i] = p->at[j], p->key[i] = p->key[j];
    p->at[j] = q, p->key[j] = key;
}

static void count_keys(struct sl_particles *p)
{
    int blocks = p->mesh->nblock;
    memset(p->first, 0, ((size_t)blocks + 1) * sizeof *p->first);
    for (size_t i = 0; i < p->n; i++)
        p->first[p->key[i] + 1]++;
    for (int b = 0; b < blocks; b++)
        p->first[b + 1] += p->first[b];
    memcpy(p->next, p->first, ((size_t)blocks + 1) * sizeof *p->next);
}

/* American flag sort (McIlroy, Bostic & McIlroy 1993). */
static void sort(struct sl_particles *p)
{
    count_keys(p);
    for (int b = 0; b < p->mesh->nblock; b++)
        while (p->next[b] < p->first[b + 1]) {
            size_t i = p->next[b];
            int key = p->key[i];
            if (key != b) {
                while (p->key[p->next[key]] == key)
                    p->next[key]++;
                swap(p, i, p->next[key]);
            }
            p->next[key]++;
        }
}

/* ---- exchange -------------------------------------------------------------------------------- */

/* Those that leave, by the ranks that they go to, and how many go and come. */
struct movers {
    size_t n, gone;
    struct sl_particle *at; /* owned */
    int *count, *coming;    /* owned; [size] */
    size_t *first;          /* owned; [size + 1], of at */
    bool far;               /* one goes to a rank that is no peer */
};

static void movers_release(struct movers *m)
{
    free(m->at);
    free(m->count);
    free(m->coming);
    free(m->first);
}

static int movers_make(const struct sl_particles *p, struct movers *m)
{
    size_t size = (size_t)p->mesh->size;
    for (size_t i = 0; i < p->n; i++)
        m->n += p->key[i] >= p->mesh->nblock;
    SL_TRY(sl_alloc("counts of movers", size, sizeof *m->count, &m->count));
    SL_TRY(sl_alloc("counts of movers", size, sizeof *m->coming, &m->coming));
    SL_TRY(sl_alloc("counts of movers", size + 1, sizeof *m->first, &m->first));
    return sl_alloc("particles that move", m->n, sizeof *m->at, &m->at);
}

static int owner_of(const struct sl_particles *p, const struct sl_particle *q)
{
    return p->owner[block_at(p->mesh, q->x)];
}

/* Those that stay move up. */
static void take_out(struct sl_particles *p, struct movers *m)
{
    size_t kept = 0, at = 0;
    int away = p->mesh->nblock, size = p->mesh->size;
    for (size_t i = 0; i < p->n; i++)
        if (p->key[i] == away) m->count[owner_of(p, &p->at[i])]++;
    for (int r = 0; r < size; r++) {
        m->first[r] = at;
        at += (size_t)m->count[r];
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->key[i] == away) {
            m->at[m->first[owner_of(p, &p->at[i])]++] = p->at[i];
        } else if (p->key[i] < away) {
            p->key[kept] = p->key[i];
            p->at[kept++] = p->at[i];
        }
    }
    m->gone = m->n - at;
    p->n = kept;
    for (int r = size; r > 0; r--)
        m->first[r] = m->first[r - 1];
    m->first[0] = 0;
}

static bool any_far(const struct sl_particles *p, const struct movers *m)
{
    int64_t near = 0, all = 0;
    for (int i = 0; i < p->npeer; i++)
        near += m->count[p->peer[i]];
    for (int r = 0; r < p->mesh->size; r++)
        all += m->count[r];
    return near < all;
}

static int exchange_near(const struct sl_particles *p, struct movers *m)
{
    MPI_Request *request = NULL;
    size_t n = (size_t)p->npeer * 2;
    SL_TRY(sl_alloc("requests", n, sizeof *request, &request));
    for (int i = 0; i < p->npeer; i++) {
        int r = p->peer[i];
        MPI_Irecv(&m->coming[r], 1, MPI_INT, r, TAG_COUNT, p->mesh->comm, &request[2 * i]);
        MPI_Isend(&m->count[r], 1, MPI_INT, r, TAG_COUNT, p->mesh->comm, &request[2 * i + 1]);
    }
    int code = MPI_Waitall((int)n, request, MPI_STATUSES_IGNORE);
    free(request);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot count the particles that move");
    return SL_OK;
}

/* Numbers of those that come, and room for them. */
static int announce(struct sl_particles *p, struct movers *m)
{
    size_t more = 0;
    if (m->far)
        MPI_Alltoall(m->count, 1, MPI_INT, m->coming, 1, MPI_INT, p->mesh->comm);
    else
        SL_TRY(exchange_near(p, m));
    for (int r = 0; r < p->mesh->size; r++)
        more += (size_t)m->coming[r];
    return sl_particles_reserve(p, p->n + more);
}

static int transfer(struct sl_particles *p, const struct movers *m)
{
    int size = p->mesh->size, n = 0;
    MPI_Request *request = NULL;
    MPI_Datatype type;
    int code = sl_alloc("requests", 2 * (size_t)size, sizeof *request, &request);
    SL_TRY(sl_agree(p->mesh->comm, code));
    MPI_Type_contiguous(sizeof *p->at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (int r = 0; r < size; r++) {
        if (m->coming[r])
            MPI_Irecv(p->at + p->n, m->coming[r], type, r, TAG_MOVERS, p->mesh->comm,
                      &request[n++]);
        p->n += (size_t)m->coming[r];
    }
    for (int r = 0; r < size; r++)
        if (m->count[r])
            MPI_Isend(m->at + m->first[r], m->count[r], type, r, TAG_MOVERS, p->mesh->comm,
                      &request[n++]);
    code = MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    MPI_Type_free(&type);
    free(request);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot exchange particles");
    return SL_OK;
}

/* collective. What all ranks must know: how many are gone, whether any goes far. */
static int share_facts(struct sl_particles *p, struct movers *m)
{
    int64_t facts[2] = {(int64_t)m->gone, any_far(p, m)};
    int code = MPI_Allreduce(MPI_IN_PLACE, facts, 2, MPI_INT64_T, MPI_SUM, p->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot count the particles that are gone");
    p->gone += facts[0];
    p->all -= facts[0];
    m->far = facts[1] > 0;
    return SL_OK;
}

static int move(struct sl_particles *p, struct movers *m)
{
    SL_TRY(sl_agree(p->mesh->comm, movers_make(p, m)));
    take_out(p, m);
    SL_TRY(share_facts(p, m));
    size_t stay = p->n;
    if (p->mesh->size > 1) {
        SL_TRY(sl_agree(p->mesh->comm, announce(p, m)));
        SL_TRY(transfer(p, m));
    }
    for (size_t i = stay; i < p->n; i++)
        p->key[i] = sl_particles_key(p, p->at[i].x);
    return SL_OK;
}

void sl_particles_sort(struct sl_particles *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->key[i] = sl_particles_key(p, p->at[i].x);
    sort(p);
}

int sl_particles_migrate(struct sl_particles *p)
{
    struct movers m = {0};
    int code = move(p, &m);
    movers_release(&m);
    if (code == SL_OK) sort(p);
    return code;
}
