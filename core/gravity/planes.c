/* planes.c - see planes.h. */
#include "core/gravity/planes.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

/* One side of the exchange: planes of blocks for, or from, each rank, in the buffer one rank after the other. */
struct side {
    int *count, *first; /* owned; [rank] */
    int *next;          /* owned; the one at hand */
    sl_real *buffer;    /* owned */
};

struct sl_planes {
    const struct sl_mesh *mesh; /* borrowed */
    const struct sl_slab *slab; /* borrowed */
    int *at;                    /* owned; [block of all ranks][axis] */
    int *blocks;                /* owned; [rank]: how many it has */
    size_t size;                /* cells of a plane of a block */
    MPI_Datatype plane;
    struct side block_side, plane_side;
};

/* ---- who has what ------------------------------------------------------------------------------- */

static int gather_places(struct sl_planes *p)
{
    const struct sl_mesh *m = p->mesh;
    int *mine = malloc(((size_t)m->nblock + 1) * 3 * sizeof *mine);
    void *all = NULL;
    int total = 0;
    int code = sl_agree(m->comm, mine ? SL_OK : SL_FAIL(SL_EMEM, "no memory for places of blocks"));
    for (int b = 0; b < m->nblock && code == SL_OK; b++)
        for (int d = 0; d < 3; d++)
            mine[3 * b + d] = (int)m->blocks[b].at[d];
    if (code == SL_OK)
        code = sl_slab_gather(p->slab, mine, m->nblock, 3 * sizeof *mine, &all, &total);
    p->at = all;
    free(mine);
    SL_TRY(code);
    MPI_Allgather(&m->nblock, 1, MPI_INT, p->blocks, 1, MPI_INT, m->comm);
    return SL_OK;
}

/* Called for each plane of each block that ranks r and s share; block and k count on the side of the block. */
typedef void visit_fn(struct sl_planes *p, int rank, int block, int k, void *arg);

/* The planes of the own blocks, with the ranks of their planes. */
static void each_own_block(struct sl_planes *p, visit_fn *f, void *arg)
{
    const struct sl_mesh *m = p->mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < m->n[2]; k++)
            f(p, sl_slab_owner(p->slab, (int)m->blocks[b].at[2] * m->n[2] + k), b, k, arg);
}

/* The planes of all blocks that lie in own planes, with the ranks of the blocks; block counts along the curve. */
static void each_own_plane(struct sl_planes *p, visit_fn *f, void *arg)
{
    int block = 0;
    for (int r = 0; r < p->slab->size; r++)
        for (int b = 0; b < p->blocks[r]; b++, block++)
            for (int k = 0; k < p->mesh->n[2]; k++) {
                int z = p->at[3 * block + 2] * p->mesh->n[2] + k;
                if (z >= p->slab->z0 && z < p->slab->z0 + p->slab->nz) f(p, r, block, k, arg);
            }
}

static void count_one(struct sl_planes *p, int rank, int block, int k, void *arg)
{
    struct side *s = arg;
    (void)p, (void)block, (void)k;
    s->count[rank]++;
}

static int finish_side(const struct sl_planes *p, struct side *s)
{
    int64_t sum = 0;
    for (int r = 0; r < p->slab->size; r++) {
        s->first[r] = (int)sum;
        sum += s->count[r];
    }
    s->buffer = malloc(((size_t)sum * p->size + 1) * sizeof *s->buffer);
    SL_CHECK(s->buffer && sum < INT_MAX, SL_EMEM, "no memory for %lld cells",
             (long long)sum * (long long)p->size);
    return SL_OK;
}

static int side_new(const struct sl_planes *p, struct side *s)
{
    s->count = calloc(3 * (size_t)p->slab->size, sizeof *s->count);
    SL_CHECK(s->count, SL_EMEM, "no memory for %d ranks", p->slab->size);
    s->first = s->count + p->slab->size;
    s->next = s->first + p->slab->size;
    return SL_OK;
}

static int sides_new(struct sl_planes *p)
{
    SL_TRY(side_new(p, &p->block_side));
    SL_TRY(side_new(p, &p->plane_side));
    each_own_block(p, count_one, &p->block_side);
    each_own_plane(p, count_one, &p->plane_side);
    SL_TRY(finish_side(p, &p->block_side));
    return finish_side(p, &p->plane_side);
}

int sl_planes_new(const struct sl_mesh *mesh, const struct sl_slab *slab, struct sl_planes **out)
{
    struct sl_planes *p = calloc(1, sizeof *p);
    int *blocks = malloc((size_t)slab->size * sizeof *blocks);
    int code = p && blocks ? SL_OK : SL_FAIL(SL_EMEM, "no memory for %d ranks", slab->size);
    code = sl_agree(mesh->comm, code);
    if (code == SL_OK) {
        p->mesh = mesh, p->slab = slab, p->blocks = blocks;
        p->size = (size_t)mesh->n[0] * (size_t)mesh->n[1];
        MPI_Type_contiguous((int)(p->size * sizeof(sl_real)), MPI_BYTE, &p->plane);
        MPI_Type_commit(&p->plane);
        code = gather_places(p);
        if (code == SL_OK) code = sl_agree(mesh->comm, sides_new(p));
        if (code == SL_OK) *out = p;
        if (code != SL_OK) sl_planes_free(p);
        return code;
    }
    free(blocks);
    free(p);
    return code;
}

void sl_planes_free(struct sl_planes *p)
{
    if (!p) return;
    MPI_Type_free(&p->plane);
    free(p->block_side.count);
    free(p->block_side.buffer);
    free(p->plane_side.count);
    free(p->plane_side.buffer);
    free(p->blocks);
    free(p->at);
    free(p);
}

/* ---- the exchange ------------------------------------------------------------------------------- */

struct rows {
    sl_planes_block_row *of_block;
    sl_planes_plane_row *of_plane;
    void *context;
};

static sl_real *next_plane(const struct sl_planes *p, struct side *s, int rank)
{
    return s->buffer + (size_t)s->next[rank]++ * p->size;
}

static void rewind_side(const struct sl_planes *p, struct side *s)
{
    for (int r = 0; r < p->slab->size; r++)
        s->next[r] = s->first[r];
}

static void block_plane(struct sl_planes *p, int rank, int block, int k, void *arg)
{
    const struct rows *rows = arg;
    sl_real *at = next_plane(p, &p->block_side, rank);
    for (int j = 0; j < p->mesh->n[1]; j++, at += p->mesh->n[0])
        rows->of_block(rows->context, block, k, j, at);
}

static void slab_plane(struct sl_planes *p, int rank, int block, int k, void *arg)
{
    const struct rows *rows = arg;
    const int *place = p->at + 3 * block, *n = p->mesh->n;
    sl_real *at = next_plane(p, &p->plane_side, rank);
    for (int j = 0; j < n[1]; j++, at += n[0])
        rows->of_plane(rows->context, place[2] * n[2] + k - p->slab->z0, place[1] * n[1] + j,
                       place[0] * n[0], n[0], at);
}

static void work_through(struct sl_planes *p, bool blocks, struct rows *rows)
{
    rewind_side(p, blocks ? &p->block_side : &p->plane_side);
    if (blocks)
        each_own_block(p, block_plane, rows);
    else
        each_own_plane(p, slab_plane, rows);
}

static int move(struct sl_planes *p, bool gather, struct rows *rows)
{
    struct side *from = gather ? &p->block_side : &p->plane_side,
                *to = gather ? &p->plane_side : &p->block_side;
    work_through(p, gather, rows);
    int code = MPI_Alltoallv(from->buffer, from->count, from->first, p->plane, to->buffer,
                             to->count, to->first, p->plane, p->slab->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot move cells between blocks and planes");
    work_through(p, !gather, rows);
    return SL_OK;
}

int sl_planes_gather(struct sl_planes *p, sl_planes_block_row *from, sl_planes_plane_row *to,
                     void *context)
{
    struct rows rows = {from, to, context};
    return move(p, true, &rows);
}

int sl_planes_spread(struct sl_planes *p, sl_planes_plane_row *from, sl_planes_block_row *to,
                     void *context)
{
    struct rows rows = {to, from, context};
    return move(p, false, &rows);
}
