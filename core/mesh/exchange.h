/* exchange.h - who copies what to whom when ghost cells are filled: tables made once per mesh.
 *
 * Private to core/mesh. The ghost cells of a block are cut into 3^dim - 1 boxes, one per direction;
 * all blocks share their shapes, so a table holds one number per block and direction, and nothing
 * per cell. Only where fields live on faces (spec.staggered) do the boxes of blocks at an upper
 * face of the box reach one cell further along it, for the values there.
 *
 * Shapes  as in direction.h
 * Units   none
 * Errors  SL_EMEM, SL_EMPI
 * Owns    tables and message buffers
 * MPI     collective over mesh->comm
 * Where   host
 * Refs    none
 * Tests   tests/unit/mesh.c
 */
#ifndef SL_MESH_EXCHANGE_H
#define SL_MESH_EXCHANGE_H

#include "core/cell/mirror.h"
#include "core/mesh/direction.h"
#include "core/mesh/forest.h"
#include "core/mesh/mesh.h"

enum { SL_NO_BLOCK = -1 };

/* A box of cells of a block, counted from the first ghost cell. */
struct sl_box {
    int lo[3], n[3];
    size_t offset; /* of its first cell within a variable of a block */
    size_t cells;
};

/* One box that crosses between ranks: sent from, or received by, a block of this rank. */
struct sl_link {
    int64_t key;  /* receiving block and direction: both sides sort by it */
    int peer;     /* the other rank */
    int block;    /* of this rank */
    int dir;      /* as the receiving block sees it */
    size_t start; /* of its cells in the buffer, per variable */
};

/* The links that go to or come from one rank: a range of a sorted list. */
struct sl_message {
    int peer, first, count;
    size_t start, cells; /* place and length in the buffer, per variable */
};

struct sl_side {
    struct sl_link *link;       /* owned */
    struct sl_message *message; /* owned */
    int nlink, nmessage;
    size_t cells;    /* of all messages, per variable */
    sl_real *buffer; /* owned; cells * nvar_max */
};

/* Ghosts of a block; the cells they copy, in the neighbour. */
struct sl_boxes {
    struct sl_box to[SL_NDIR], from[SL_NDIR];
};

struct sl_exchange {
    struct sl_boxes edge[8]; /* by sl_upper_edges */
    int (*near)[SL_NDIR];    /* owned; [block]: neighbour on this rank, or SL_NO_BLOCK */
    int (*link)[SL_NDIR]; /* owned; [block]: place in in.link of what another rank sends, or -1 */
    signed char *visited; /* owned; [block]: completed since the messages went out */
    struct sl_side out, in;
    MPI_Request *request; /* owned; first in, then out */
    int nvar_max;         /* variables that the buffers hold */
};

/* local. Bit per axis at whose upper face of the box a block is, by its at_edge. */
static inline int sl_upper_edges(const signed char at_edge[6])
{
    return at_edge[1] + 2 * at_edge[3] + 4 * at_edge[5];
}

/* local. The boxes of a block; a neighbour in direction dir has the same ones for dir and its
 * opposite. */
static inline const struct sl_boxes *sl_boxes_of(const struct sl_mesh *mesh,
                                                 const struct sl_exchange *exchange, int block)
{
    return &exchange->edge[sl_upper_edges(mesh->blocks[block].at_edge)];
}

/* local. The mesh in blocks of the root grid, as its forest has it. */
void sl_mesh_root(const struct sl_mesh *mesh, int root[3], bool periodic[3]);
/* local. As at_edge of a block there. */
void sl_place_edges(const struct sl_mesh *mesh, int level, const int64_t at[3],
                    signed char at_edge[6]);
/* local. The place next to `at` in direction dir; false: it lies outside the box. */
bool sl_place_beside(const struct sl_mesh *mesh, int level, const int64_t at[3], int dir,
                     int64_t out[3]);

/* leaves: the blocks of this rank as the mesh has them, then those of other ranks that touch them,
 * all of one level; gid: their keys. near: what lies around each block of this rank, in numbers of
 * which index says the place in leaves, or negative ones; NULL: is found by the places of the
 * leaves. */
int sl_exchange_new(const struct sl_mesh *mesh, const struct sl_leaves *leaves,
                    int (*near)[SL_NDIR], const int *index, struct sl_exchange **out);
void sl_exchange_free(struct sl_exchange *exchange);

/* local. The ghost cells lo .. hi - 1 beyond a face of a block that is one of the box; a later axis
 * has those that lie outside along it, too, but where faces: 1 more at its upper face, of which
 * only the values on its faces are inside. */
void sl_boundary_cells(const struct sl_mesh *mesh, int block, int axis, int upper, int faces,
                       int lo[3], int hi[3]);

/* local. Which variables have a sign behind a wall. */
struct sl_mirror sl_boundary_mirror(const struct sl_ghost_arg *arg);

/* local. Fills the ghost cells of a block that lie outside the box, axis by axis; all others are
 * filled already. */
void sl_boundary_fill(const struct sl_mesh *mesh, const struct sl_ghost_arg *arg, sl_real *u,
                      int block);

#endif
