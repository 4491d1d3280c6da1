/* store.c - see store.h. */
#include "core/particles/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/grid/planes.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- making ---------------------------------------------------------------------------------- */

static int64_t blocks_along(const struct sl_mesh *m, int axis)
{
    return m->spec.cells[axis] / m->spec.block[axis];
}

static size_t place_of(const struct sl_mesh *m, const int64_t at[3])
{
    return (size_t)((at[2] * blocks_along(m, 1) + at[1]) * blocks_along(m, 0) + at[0]);
}

static int tables_make(struct sl_particles *p)
{
    const struct sl_mesh *m = p->mesh;
    size_t blocks = (size_t)m->nblock_global, own = (size_t)m->nblock;
    SL_TRY(sl_alloc("owners of blocks", blocks, sizeof *p->owner, &p->owner));
    SL_TRY(sl_alloc("places of blocks", blocks, sizeof *p->local, &p->local));
    SL_TRY(sl_alloc("ranks beside this one", (size_t)m->size, sizeof *p->peer, &p->peer));
    SL_TRY(sl_alloc("first particles of blocks", own + 1, sizeof *p->first, &p->first));
    SL_TRY(sl_alloc("next particles of blocks", own + 1, sizeof *p->next, &p->next));
    for (size_t b = 0; b < blocks; b++)
        p->local[b] = -1;
    for (int b = 0; b < m->nblock; b++) {
        size_t at = place_of(m, m->blocks[b].at);
        p->owner[at] = m->rank;
        p->local[at] = b;
    }
    return SL_OK;
}

static bool is_peer(const struct sl_particles *p, int rank)
{
    for (int i = 0; i < p->npeer; i++)
        if (p->peer[i] == rank) return true;
    return rank == p->mesh->rank;
}

/* The ranks of the blocks around an own one. */
static void peers_around(struct sl_particles *p, const int64_t at[3])
{
    const struct sl_mesh *m = p->mesh;
    for (int q = 0; q < 27; q++) {
        const int by[3] = {q % 3 - 1, q / 3 % 3 - 1, q / 9 - 1};
        int64_t to[3];
        for (int d = 0; d < 3; d++) {
            int64_t n = blocks_along(m, d);
            to[d] = (at[d] + by[d] + n) % n;
        }
        int rank = p->owner[place_of(m, to)];
        if (!is_peer(p, rank)) p->peer[p->npeer++] = rank;
    }
}

int sl_particles_new(const struct sl_mesh *mesh, int kernel, bool open, struct sl_particles **out)
{
    struct sl_particles *p = NULL;
    SL_TRY(sl_agree(mesh->comm, sl_alloc("particles", 1, sizeof *p, &p)));
    p->mesh = mesh;
    p->kernel = kernel;
    p->open = open;
    int code = sl_agree(mesh->comm, tables_make(p));
    if (code == SL_OK) {
        MPI_Allreduce(MPI_IN_PLACE, p->owner, (int)mesh->nblock_global, MPI_INT, MPI_MAX,
                      mesh->comm);
        for (int b = 0; b < mesh->nblock; b++)
            peers_around(p, mesh->blocks[b].at);
        *out = p;
    } else {
        sl_particles_free(p);
    }
    return code;
}

void sl_particles_free(struct sl_particles *p)
{
    if (!p) return;
    sl_planes_free(p->sums);
    sl_planes_free(p->potentials);
    free(p->field);
    free(p->peer);
    free(p->local);
    free(p->owner);
    free(p->next);
    free(p->first);
    free(p->key);
    free(p->at);
    free(p);
}

/* ---- filling --------------------------------------------------------------------------------- */

int sl_particles_reserve(struct sl_particles *p, size_t n)
{
    if (n <= p->room) return SL_OK;
    size_t room = n + n / 8 + 64;
    struct sl_particle *at = realloc(p->at, room * sizeof *at);
    if (at) p->at = at;
    int *key = realloc(p->key, room * sizeof *key);
    if (key) p->key = key;
    SL_CHECK(at && key, SL_EMEM, "no memory for %zu particles (%zu bytes)", room,
             room * (sizeof *at + sizeof *key));
    p->room = room;
    return SL_OK;
}

void sl_particles_add(struct sl_particles *p, const double place[3], const double v[3], uint64_t id,
                      int kind)
{
    const struct sl_mesh_spec *s = &p->mesh->spec;
    struct sl_particle q = {.id = id, .kind = (uint32_t)kind};
    for (int d = 0; d < 3; d++) {
        q.x[d] = sl_particle_fraction(place[d], s->lo[d], s->hi[d]);
        q.v[d] = (sl_real)v[d];
    }
    p->at[p->n++] = q;
}

double sl_particles_place(const struct sl_particles *p, const struct sl_particle *q, int axis)
{
    const struct sl_mesh_spec *s = &p->mesh->spec;
    return sl_particle_place(q->x[axis], s->lo[axis], s->hi[axis]);
}

double sl_particles_mass(const struct sl_particles *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++)
        sum += p->mass[p->at[i].kind];
    return sum;
}

double sl_particles_bytes(const struct sl_particles *p)
{
    double cells = p->on && p->mesh->size == 1 ? 0 : (double)p->mesh->nblock_global;
    for (int d = 0; d < 3; d++)
        cells *= p->mesh->n[d] + 2 * (sl_kernel_reach(p->kernel) + 1);
    return 1.125 * (double)p->all * (sizeof *p->at + sizeof *p->key) + cells * sizeof *p->field;
}

/* collective. A power of two: all mass together is below 2^61 of it, that of a particle below
 * 2^52. */
static int choose_unit(struct sl_particles *p)
{
    double total = 0, largest = 0;
    int64_t count[SL_PARTICLE_KINDS] = {0};
    if (p->made) count[0] = (int64_t)p->placed;
    for (size_t i = 0; i < p->n; i++)
        count[p->at[i].kind]++;
    int code =
        MPI_Allreduce(MPI_IN_PLACE, count, SL_PARTICLE_KINDS, MPI_INT64_T, MPI_SUM, p->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot count the particles of the ranks");
    p->all = 0;
    for (int k = 0; k < SL_PARTICLE_KINDS; k++) {
        p->all += count[k];
        total += (double)count[k] * p->mass[k];
        if (count[k]) largest = fmax(largest, p->mass[k]);
    }
    p->unit = total > 0 ? fmax(ldexp(1, ilogb(total) - 60), ldexp(1, ilogb(largest) - 51)) : 1;
    return SL_OK;
}

int sl_particles_settle(struct sl_particles *p)
{
    p->fresh = !p->made;
    for (size_t i = 0; i < p->n; i++)
        p->key[i] = sl_particles_key(p, p->at[i].x);
    SL_TRY(sl_particles_migrate(p));
    p->gone = 0;
    return choose_unit(p);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* A particle in a file: place, kind, id, velocity. */
enum { STATE_BYTES = offsetof(struct sl_particle, g) };

static size_t count_of(const struct sl_particles *p, int block)
{
    return p->first[block + 1] - p->first[block];
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const struct sl_particle *)a)->id, y = ((const struct sl_particle *)b)->id;
    return x < y ? -1 : x > y;
}

size_t sl_particles_block_bytes(const void *of, int level, int block)
{
    (void)level;
    return count_of(of, block) * STATE_BYTES;
}

void sl_particles_order(const struct sl_particles *p, int block)
{
    qsort(p->at + p->first[block], count_of(p, block), sizeof *p->at, by_id);
}

void sl_particles_block_save(const void *of, int level, int block, void *bytes)
{
    const struct sl_particles *p = of;
    char *to = bytes;
    (void)level;
    sl_particles_order(p, block);
    for (size_t i = p->first[block]; i < p->first[block + 1]; i++, to += STATE_BYTES)
        memcpy(to, &p->at[i], STATE_BYTES);
}

int sl_particles_block_load(void *of, int level, int block, const void *bytes, size_t n)
{
    struct sl_particles *p = of;
    const char *from = bytes;
    (void)level;
    SL_CHECK(n % STATE_BYTES == 0, SL_EINPUT, "block %d has %zu bytes of particles", block, n);
    if (block == 0) p->n = 0;
    p->fresh = true;
    SL_TRY(sl_particles_reserve(p, p->n + n / STATE_BYTES));
    for (size_t i = 0; i < n / STATE_BYTES; i++, from += STATE_BYTES) {
        struct sl_particle q = {.id = 0};
        memcpy(&q, from, STATE_BYTES);
        SL_CHECK(q.kind < SL_PARTICLE_KINDS && sl_particles_key(p, q.x) == block, SL_EINPUT,
                 "particle %llu is not in block %d", (unsigned long long)q.id, block);
        p->at[p->n++] = q;
    }
    p->first[block + 1] = p->n;
    return SL_OK;
}

uint64_t sl_particles_block_hash(const void *of, int level, int block)
{
    const struct sl_particles *p = of;
    uint64_t sum = 0;
    (void)level;
    if (p->hash) return block == 0 ? *p->hash : 0;
    for (size_t i = p->first[block]; i < p->first[block + 1]; i++)
        sum += sl_particle_hash(p->at[i].x, p->at[i].kind, p->at[i].id, p->at[i].v);
    return sum;
}
