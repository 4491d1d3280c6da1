/* mesh.c - makes a mesh: checks what it is made from, asks the forest for its leaves, fills the
 * block table. */
#include "core/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mesh/exchange.h"
#include "core/mesh/forest.h"
#include "core/mesh/level.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

enum { MIN_BLOCK = 4 };

/* ---- checks ---------------------------------------------------------------------------------- */

/* The divisor of cells nearest to block that is not below least; 0 when there is none. */
static int nearest_block(int cells, int block, int least)
{
    int best = 0;
    for (int d = least; d <= cells; d++)
        if (cells % d == 0 && (best == 0 || abs(d - block) < abs(best - block))) best = d;
    return best;
}

static int check_axis(const struct sl_mesh_spec *s, int a)
{
    char axis = "xyz"[a];
    int cells = s->cells[a], block = s->block[a];
    int least = s->ghost > MIN_BLOCK ? s->ghost : MIN_BLOCK;
    bool low = s->boundary[2 * a] == SL_BOUNDARY_periodic;
    bool high = s->boundary[2 * a + 1] == SL_BOUNDARY_periodic;
    SL_CHECK(isfinite(s->lo[a]) && isfinite(s->hi[a]) && s->hi[a] > s->lo[a], SL_EINPUT,
             "mesh.box: along %c the box [%g, %g] is empty or not finite", axis, s->lo[a],
             s->hi[a]);
    SL_CHECK(low == high, SL_EINPUT,
             "mesh.boundary: %c- and %c+ must both be periodic, or neither of them", axis, axis);
    SL_CHECK(cells >= least, SL_EINPUT,
             "mesh.cells: %d along %c is too few: a block needs %d with %d ghost cells", cells,
             axis, least, s->ghost);
    int nearest = nearest_block(cells, block, least);
    SL_CHECK(block >= least, SL_EINPUT,
             "mesh.block: %d along %c is too small: a block needs %d with %d ghost cells; the "
             "nearest size for %d cells is %d",
             block, axis, least, s->ghost, cells, nearest);
    SL_CHECK(cells % block == 0, SL_EINPUT,
             "mesh.block: %d along %c does not divide mesh.cells %d; the nearest size that does is "
             "%d",
             block, axis, cells, nearest);
    return SL_OK;
}

int sl_mesh_check(const struct sl_mesh_spec *s)
{
    SL_CHECK(s->dim >= 1 && s->dim <= 3, SL_EINPUT,
             "mesh.cells: %d dimensions; a mesh has 1, 2 or 3", s->dim);
    SL_CHECK(s->ghost >= 1, SL_EINPUT, "a mesh needs at least 1 ghost cell, not %d", s->ghost);
    double blocks = 1;
    for (int a = 0; a < s->dim; a++) {
        SL_TRY(check_axis(s, a));
        blocks *= s->cells[a] / s->block[a];
    }
    SL_CHECK(blocks <= INT32_MAX, SL_EINPUT,
             "mesh.block: %.3g blocks are more than a forest numbers (2147483647); take larger "
             "blocks",
             blocks);
    return SL_OK;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* Lower face of cell i of a level, counted over the whole box: the only place where coordinates are
 * made, so that their bits depend on nothing else. In this form a box about 0 is its own mirror
 * image to the bit. */
static double face_at(const struct sl_mesh *m, int axis, int level, int64_t i)
{
    const struct sl_mesh_spec *s = &m->spec;
    double lo = s->lo[axis], n = ldexp(s->cells[axis], level), at = (double)i;
    return axis < m->dim ? ((n - at) * lo + at * s->hi[axis]) / n : lo + at;
}

double sl_mesh_cell_size(const struct sl_mesh *m, int axis, int level)
{
    if (axis >= m->dim) return 1;
    return ldexp((m->spec.hi[axis] - m->spec.lo[axis]) / m->spec.cells[axis], -level);
}

void sl_mesh_cell(const struct sl_mesh *mesh, int block, int k, int j, int i, double lo[3],
                  double hi[3])
{
    const struct sl_block *b = &mesh->blocks[block];
    const int at[3] = {i, j, k};
    for (int a = 0; a < 3; a++) {
        int64_t cell = b->at[a] * mesh->n[a] + at[a] - mesh->g[a];
        lo[a] = face_at(mesh, a, b->level, cell);
        hi[a] = face_at(mesh, a, b->level, cell + 1);
    }
}

void sl_place_edges(const struct sl_mesh *mesh, int level, const int64_t at[3],
                    signed char at_edge[6])
{
    for (int a = 0; a < 3; a++) {
        int64_t last = (((int64_t)mesh->spec.cells[a] / mesh->n[a]) << level) - 1;
        bool wall = a < mesh->dim && mesh->spec.boundary[2 * a] != SL_BOUNDARY_periodic;
        at_edge[2 * a] = wall && at[a] == 0;
        at_edge[2 * a + 1] = wall && at[a] == last;
    }
}

static struct sl_block block_of(const struct sl_mesh *m, const struct sl_leaf *leaf)
{
    struct sl_block b = {.gid = leaf->gid, .key = leaf->gid, .level = leaf->level};
    for (int a = 0; a < 3; a++) {
        b.at[a] = leaf->at[a];
        b.dx[a] = sl_mesh_cell_size(m, a, leaf->level);
        b.lo[a] = face_at(m, a, b.level, b.at[a] * m->n[a]);
    }
    sl_place_edges(m, leaf->level, leaf->at, b.at_edge);
    return b;
}

/* ---- making it ------------------------------------------------------------------------------- */

/* Copies the spec with the axes that the mesh does not have as one cell of unit length. */
static void shape_set(struct sl_mesh *m, const struct sl_mesh_spec *spec)
{
    m->spec = *spec;
    m->dim = spec->dim;
    m->block_cells = 1;
    for (int a = 0; a < 3; a++) {
        if (a >= m->dim) {
            m->spec.cells[a] = m->spec.block[a] = 1;
            m->spec.lo[a] = 0, m->spec.hi[a] = 1;
            m->spec.boundary[2 * a] = m->spec.boundary[2 * a + 1] = SL_BOUNDARY_outflow;
        }
        m->n[a] = m->spec.block[a];
        m->g[a] = a < m->dim ? spec->ghost : 0;
        m->nt[a] = m->n[a] + 2 * m->g[a];
        m->step[a] = (ptrdiff_t)m->block_cells;
        m->block_cells *= (size_t)m->nt[a];
    }
}

void sl_mesh_root(const struct sl_mesh *m, int root[3], bool periodic[3])
{
    for (int a = 0; a < 3; a++) {
        root[a] = m->spec.cells[a] / m->n[a];
        periodic[a] = m->spec.boundary[2 * a] == SL_BOUNDARY_periodic;
    }
}

static int forest_make(struct sl_mesh *m)
{
    int root[3];
    bool periodic[3];
    sl_mesh_root(m, root, periodic);
    return sl_forest_new(m->comm, m->dim, root, periodic, &m->forest);
}

static int blocks_make(struct sl_mesh *m, const struct sl_leaves *leaves)
{
    m->nblock_global = leaves->nglobal;
    m->nblock = m->nleaf = leaves->nlocal;
    SL_TRY(sl_alloc("block table", (size_t)m->nblock, sizeof *m->blocks, &m->blocks));
    for (int b = 0; b < m->nblock; b++)
        m->blocks[b] = block_of(m, &leaves->leaf[b]);
    return SL_OK;
}

static int tables_make(struct sl_mesh *m)
{
    struct sl_leaves leaves = {0};
    SL_TRY(forest_make(m));
    int code = sl_forest_leaves(m->forest, &leaves);
    if (code == SL_OK) code = blocks_make(m, &leaves);
    code = sl_agree(m->comm, code);
    if (code == SL_OK) {
        int64_t before = 0, mine = m->nblock;
        MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, m->comm);
        m->first_gid = m->rank > 0 ? before : 0;
        code = sl_exchange_new(m, &leaves, NULL, NULL, &m->exchange);
    }
    free(leaves.leaf);
    return code;
}

/* A mesh without blocks. */
static int mesh_begin(MPI_Comm comm, const struct sl_mesh_spec *spec, struct sl_mesh **out)
{
    struct sl_mesh *m;
    SL_TRY(sl_alloc("mesh", 1, sizeof *m, &m));
    m->comm = comm;
    MPI_Comm_rank(comm, &m->rank);
    MPI_Comm_size(comm, &m->size);
    shape_set(m, spec);
    *out = m;
    return SL_OK;
}

int sl_mesh_new(MPI_Comm comm, const struct sl_mesh_spec *spec, struct sl_mesh **out)
{
    SL_TRY(sl_mesh_check(spec));
    struct sl_mesh *m = NULL;
    int code = sl_agree(comm, mesh_begin(comm, spec, &m));
    if (code == SL_OK) code = tables_make(m);
    if (code != SL_OK) {
        sl_mesh_free(m);
        return sl_trace(__FILE__, __LINE__, code);
    }
    *out = m;
    return SL_OK;
}

/* ---- a level of a hierarchy ------------------------------------------------------------------ */

/* Blocks of this rank, and the gid of the first where all blocks of the level are leaves of one
 * level. */
static int level_blocks(struct sl_mesh *m, const struct sl_level *level)
{
    int covered = 0, before = 0;
    m->nblock_global = level->nblock;
    m->nblock = level->nown;
    m->nleaf = level->nleaf;
    SL_TRY(sl_alloc("block table", (size_t)m->nblock, sizeof *m->blocks, &m->blocks));
    for (int key = 0; key < level->nblock; key++) {
        const struct sl_leaf *leaf = &level->block[key];
        covered += leaf->gid < 0;
        before += leaf->owner < m->rank;
        if (level->place[key] < 0) continue;
        m->blocks[level->place[key]] = block_of(m, leaf);
        m->blocks[level->place[key]].key = key;
    }
    m->first_gid = m->level == 0 && covered == 0 ? before : -1;
    return SL_OK;
}

/* Places of blocks in the list of the exchange: of this rank as in its mesh, behind them those of
 * other ranks that touch them, in the order of their keys. */
static int index_make(const struct sl_mesh *m, const struct sl_level *level, int **out, int *nhalo)
{
    enum { HALO = -2 };
    int *index, n = m->nblock;
    SL_TRY(sl_alloc("blocks that touch", (size_t)level->nblock, sizeof *index, &index));
    memcpy(index, level->place, (size_t)level->nblock * sizeof *index);
    for (int b = 0; b < m->nblock && m->size > 1; b++)
        for (int dir = 0; dir < SL_NDIR; dir++)
            if (level->near[b][dir] >= 0 && index[level->near[b][dir]] < 0)
                index[level->near[b][dir]] = HALO;
    for (int key = 0; key < level->nblock && m->size > 1; key++)
        if (index[key] == HALO) index[key] = n++;
    *nhalo = n - m->nblock;
    *out = index;
    return SL_OK;
}

/* The blocks of this rank, then those that touch them, as the exchange takes them. */
static int level_leaves(const struct sl_mesh *m, const struct sl_level *level, int **index,
                        struct sl_leaves *out)
{
    struct sl_leaves l = {.nglobal = level->nblock, .nlocal = m->nblock};
    SL_TRY(index_make(m, level, index, &l.nhalo));
    SL_TRY(sl_alloc("blocks that touch", (size_t)(m->nblock + l.nhalo), sizeof *l.leaf, &l.leaf));
    for (int key = 0; key < level->nblock; key++) {
        int i = (*index)[key];
        if (i < 0) continue;
        l.leaf[i] = level->block[key];
        l.leaf[i].gid = key;
    }
    *out = l;
    return SL_OK;
}

int sl_mesh_of_level(MPI_Comm comm, const struct sl_mesh_spec *spec, int l,
                     const struct sl_level *level, struct sl_mesh **out)
{
    struct sl_mesh *m = NULL;
    struct sl_leaves leaves = {0};
    int *index = NULL, code = mesh_begin(comm, spec, &m);
    if (code == SL_OK) {
        m->level = l;
        code = level_blocks(m, level);
    }
    if (code == SL_OK) code = level_leaves(m, level, &index, &leaves);
    code = sl_agree(comm, code);
    if (code == SL_OK) code = sl_exchange_new(m, &leaves, level->near, index, &m->exchange);
    free(leaves.leaf);
    free(index);
    if (code != SL_OK) {
        sl_mesh_free(m);
        return sl_trace(__FILE__, __LINE__, code);
    }
    *out = m;
    return SL_OK;
}

void sl_mesh_free(struct sl_mesh *mesh)
{
    if (!mesh) return;
    sl_exchange_free(mesh->exchange);
    sl_forest_free(mesh->forest);
    free(mesh->blocks);
    free(mesh);
}

unsigned sl_mesh_walls(const struct sl_mesh *mesh, int block)
{
    unsigned walls = 0;
    for (int f = 0; f < 2 * mesh->dim; f++)
        if (mesh->blocks[block].at_edge[f] && sl_boundary_is_wall(mesh->spec.boundary[f]))
            walls |= 1u << f;
    return walls;
}

/* ---- sums ------------------------------------------------------------------------------------ */

int sl_mesh_sum(const struct sl_mesh *mesh, int nvalue, const double *per_block, double *out)
{
    return sl_sum_columns(mesh->comm, mesh->nblock, nvalue, per_block, out);
}
