/* hash.c - the hash of a state; see state.h. */
#include <stdatomic.h>
#include <string.h>

#include "core/cell/splitmix.h"
#include "core/state/state.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t hash_row(const struct sl_state *state, const sl_real *u, uint64_t first,
                         uint64_t var)
{
    uint64_t sum = 0;
    for (int i = 0; i < state->mesh->n[0]; i++)
        sum += sl_splitmix(sl_splitmix((first + (uint64_t)i) * SL_MAX_VAR + var) ^
                           bits_of((double)u[i]));
    return sum;
}

/* Number of the first cell of a row. On the root level it fits in 60 bits; above it level and
 * coordinates are mixed one after the other, whatever their size. */
static uint64_t row_number(const struct sl_block *b, uint64_t x, uint64_t y, uint64_t z)
{
    if (b->level == 0) return (z << 20 | y) << 20 | x;
    return sl_splitmix(sl_splitmix(sl_splitmix((uint64_t)b->level) ^ z) ^ y) + x;
}

static uint64_t hash_block(const struct sl_state *state, int b)
{
    const struct sl_mesh *m = state->mesh;
    const struct sl_block *at = &m->blocks[b];
    uint64_t sum = 0;
    for (int v = 0; v < state->layout.nvar; v++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                uint64_t z = (uint64_t)(at->at[2] * m->n[2] + k);
                uint64_t y = (uint64_t)(at->at[1] * m->n[1] + j);
                uint64_t x = (uint64_t)(at->at[0] * m->n[0]);
                uint64_t first = row_number(at, x, y, z);
                size_t from =
                    sl_mesh_at(m, state->layout.nvar, b, v, k + m->g[2], j + m->g[1], m->g[0]);
                sum += hash_row(state, state->u + from, first, (uint64_t)v);
            }
    return sum;
}

/* Of the leaves of a level, in any order: the gas, or with part what belongs to a block. */
struct leaves {
    const struct sl_state *level;
    const struct sl_block_part *part;
    _Atomic uint64_t sum;
};

static int hash_some(void *of, size_t from, size_t end)
{
    struct leaves *l = of;
    uint64_t sum = 0;
    for (int b = (int)from; b < (int)end; b++)
        sum += l->part ? l->part->hash(l->part->of, l->level->mesh->level, b)
                       : hash_block(l->level, b);
    atomic_fetch_add(&l->sum, sum);
    return SL_OK;
}

static uint64_t hash_leaves(const struct sl_state *root, const struct sl_block_part *part)
{
    struct leaves l = {.part = part};
    for (l.level = root; l.level; l.level = l.level->finer)
        sl_threads_run((size_t)l.level->mesh->nleaf, 1, hash_some, &l);
    return l.sum;
}

uint64_t sl_state_hash_share(const struct sl_state *state)
{
    uint64_t sum = hash_leaves(state, NULL);
    for (int i = 0; i < state->component.npart; i++)
        if (state->component.part[i].hash) sum += hash_leaves(state, &state->component.part[i]);
    return sum;
}

int sl_state_hash_join(const struct sl_state *state, uint64_t sum, uint64_t *hash)
{
    int code = MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, state->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot sum the hashes of the ranks");
    *hash =
        sl_splitmix(sum ^ sl_splitmix(bits_of(state->time))) ^ sl_splitmix((uint64_t)state->step);
    return SL_OK;
}

int sl_state_hash(const struct sl_state *state, uint64_t *hash)
{
    return sl_state_hash_join(state, sl_state_hash_share(state), hash);
}
