/* mesh.h - the forest of blocks over the box, how a rank holds its share of it, and how ghost cells
 * are filled.
 *
 * A forest of octrees (p8est in 3D, p4est in 2D, a list in 1D) whose leaves are blocks of the same
 * number of cells. The blocks of a rank are contiguous along the space-filling curve. A uniform
 * grid is a forest that is never refined.
 *
 * Shapes  fields are u[nblock][nvar][nt[2]][nt[1]][nt[0]], x fastest, ghosts included; nt = n + 2
 *         g, and g = 0, n = 1 along axes that the mesh does not have
 * Units   code units; a cell face is the mean of both ends of the box, weighted by the cells to the
 *         other end: the same bits for every block size, and mirrored ones in a box about 0
 * Errors  SL_EINPUT, SL_EMEM, SL_EMPI; on error the outputs are unchanged
 * Owns    the mesh owns its block table, forest and message buffers; fields are borrowed from the
 *         caller
 * MPI     collective over mesh->comm unless a function says local; ranks without blocks allowed
 * Where   host
 * Refs    Burstedde, Wilcox & Ghattas 2011 (p4est)
 * Tests   tests/unit/mesh.c, tests/law/ranks.c, tests/perf/ghost.c
 */
#ifndef SL_MESH_MESH_H
#define SL_MESH_MESH_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cell/fn.h"
#include "core/lists/boundary_list.h"

/* What a mesh is made from. Entries beyond dim are ignored. */
struct sl_mesh_spec {
    int dim;                      /* 1, 2 or 3 */
    int cells[3];                 /* root grid */
    int block[3];                 /* cells of a block; divides cells */
    double lo[3], hi[3];          /* box */
    int ghost;                    /* ghost cells at each face, 1 .. block */
    enum sl_boundary boundary[6]; /* x-, x+, y-, y+, z-, z+ */
    int staggered;                /* some fields live on faces: see struct sl_ghost_arg */
};

struct sl_block {
    int64_t gid;            /* of a leaf: its place along the space-filling curve; -1: covered */
    int64_t key;            /* place among the blocks of its level, of all ranks, along the curve */
    int level;              /* 0: root grid */
    int64_t at[3];          /* block coordinates within its level */
    double lo[3], dx[3];    /* lower corner and cell size */
    signed char at_edge[6]; /* 1 where a face lies on a non-periodic face of the box */
    signed char remote;     /* 1 where some ghost cells come from another rank */
};

struct sl_forest;   /* private to core/mesh */
struct sl_exchange; /* private to core/mesh */

struct sl_mesh {
    MPI_Comm comm; /* borrowed */
    int rank, size;
    int level; /* of all its blocks */
    struct sl_mesh_spec spec;
    int dim;
    int n[3], g[3], nt[3];        /* interior, ghosts at one side, total */
    ptrdiff_t step[3];            /* from a cell to the next one along an axis: 1, nt[0] .. */
    size_t block_cells;           /* nt[0] nt[1] nt[2] */
    int64_t nblock_global;        /* blocks of all ranks */
    int64_t first_gid;            /* gid of blocks[0]; -1: of a hierarchy of several levels */
    int nblock;                   /* blocks of this rank */
    int nleaf;                    /* of these, the first; the others are covered by finer ones */
    struct sl_block *blocks;      /* owned */
    struct sl_forest *forest;     /* owned; NULL: a hierarchy (hierarchy.h) has it */
    struct sl_exchange *exchange; /* owned */
};

/* Refuses (SL_EINPUT) blocks that do not divide the grid, that are smaller than 4 cells or than the
 * ghosts, empty boxes and half-periodic axes, with a message that names the nearest block size that
 * works. */
int sl_mesh_new(MPI_Comm comm, const struct sl_mesh_spec *spec, struct sl_mesh **out);
void sl_mesh_free(struct sl_mesh *mesh);

/* local. Which faces of a block are walls: bit f for face f. Ghost cells beyond one are a mirror
 * image, in which an acceleration along the axis pulls the other way. */
unsigned sl_mesh_walls(const struct sl_mesh *mesh, int block);

/* local. Number of values of a field with nvar variables on this rank. */
static inline size_t sl_mesh_size(const struct sl_mesh *mesh, int nvar)
{
    return (size_t)mesh->nblock * (size_t)nvar * mesh->block_cells;
}

/* local. Index of cell (i, j, k) of variable var, counted from the first ghost cell. */
static inline size_t sl_mesh_at(const struct sl_mesh *mesh, int nvar, int block, int var, int k,
                                int j, int i)
{
    return (((size_t)block * (size_t)nvar + (size_t)var) * (size_t)mesh->nt[2] + (size_t)k) *
               (size_t)mesh->nt[1] * (size_t)mesh->nt[0] +
           (size_t)j * (size_t)mesh->nt[0] + (size_t)i;
}

/* local. Size of the cells of a level along an axis, 1 along those that the mesh does not have. */
double sl_mesh_cell_size(const struct sl_mesh *m, int axis, int level);

/* local. Lower and upper corner of cell (i, j, k) of a block, counted from the first ghost cell;
 * unit length and 0 .. 1 along axes that the mesh does not have. */
void sl_mesh_cell(const struct sl_mesh *mesh, int block, int k, int j, int i, double lo[3],
                  double hi[3]);

/* What the boundary conditions need to know of a field. */
struct sl_ghost_arg {
    int nvar;
    int vector; /* variables vector .. vector+2 are a vector that reflection mirrors; -1: none */
    int field;  /* a second vector, the magnetic field; 0: none */
    int psi;    /* psi of divergence cleaning; 0: none */
    /* variables face, face + 1 ... are values at the lower faces of the cells along x, y ...,
     * the components of a vector across them. Those at the upper faces of the box count to the
     * interior, although they lie in ghost cells. 0: none; else spec.staggered is set */
    int face;
    /* what lies across edges and corners is not asked for, and need not be filled */
    int faces_only;
    /* cells across y and z are read where they lie (struct sl_beyond); only with faces_only */
    int direct;
    /* the stage writes to another array: the interior of each block stays valid until the stage
     * ends */
    int out_of_place;
    /* values are floats in any precision, and cells beyond the box are left as they are */
    int single;
    double time;
    /* Writes the nvar values that a fixed boundary has in the cell lo .. hi at that time; on entry
     * they are the mirror image, which stays where nothing is written: a wall. */
    void (*fixed)(const void *data, const double lo[3], const double hi[3], double time,
                  sl_real *value);
    const void *data; /* borrowed */
};

/* local. Half of a block along each axis: the cells of its parent that it covers. */
static inline void sl_mesh_half(const struct sl_mesh *mesh, int n[3])
{
    for (int a = 0; a < 3; a++)
        n[a] = a < mesh->dim ? mesh->n[a] / 2 : 1;
}

/* local. Cells of an octant of a block. */
static inline size_t sl_mesh_octant_cells(const struct sl_mesh *mesh)
{
    int n[3];
    sl_mesh_half(mesh, n);
    return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

/* local. The axes along the faces across an axis. */
static inline void sl_mesh_along(int axis, int out[2])
{
    out[0] = axis == 0;
    out[1] = axis == 2 ? 1 : 2;
}

/* Fills all ghost cells (faces, edges, corners): other blocks of the rank, other ranks (one message
 * per neighbour rank), boundaries of the box. */
int sl_ghost_fill(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, void *u);

/* Cells across a face of a block along y or z, where they lie: the interior of a neighbour, a
 * message, or ghost cells of the block. `at` is the first of the layer that is as thick as the
 * ghosts; its rows are as long as those of the interior. */
struct sl_layer {
    const sl_real *at;
    ptrdiff_t var, plane, row; /* distances */
};
struct sl_beyond {
    /* [axis][lower, upper]; none for x and for axes that the mesh does not have */
    struct sl_layer face[3][2];
};

/* The same in parts, so that a block can be worked on while it lies in the cache and messages
 * travel: begin sends, end waits and unpacks; block completes one block (local), those that are not
 * remote any time after begin, the others after end, every block once. The interior of a block may
 * be overwritten as soon as block returned: what its neighbours need of it was given to them. With
 * arg->direct, block names what lies across y and z in `beyond` (else not used) in place of copying
 * it; it stays until the next call of block, and with arg->out_of_place until the next begin. */
int sl_ghost_begin(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, const void *u);
int sl_ghost_end(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, void *u);
void sl_ghost_block(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, void *u, int block,
                    struct sl_beyond *beyond);

/* Sum over all blocks of the values that each rank holds per block (nvalue each), made by
 * sl_sum_columns, so that the bits depend neither on the number of ranks nor on the order of the
 * blocks. Every rank gets out[nvalue], NaN where a value is not finite. */
int sl_mesh_sum(const struct sl_mesh *mesh, int nvalue, const double *per_block, double *out);

#endif
