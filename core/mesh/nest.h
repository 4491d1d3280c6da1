/* nest.h - what the blocks of a level and those of the next coarser one have to do with each other.
 *
 *   prolong  ghost cells of a block that no block of its level covers are made from a coarser leaf
 *   cover    a covered block is the mean of its children
 *   reflux   the flux that left a coarse leaf through a face with a finer block is that of the
 *            finer
 *
 * and where fields lie on faces (spec.staggered):
 *
 *   rim      faces at the edge of a level belong to the finer block that they are the upper faces
 *            of: other blocks of its level have them in their ghost cells
 *   edge     what changed the field around an edge of a coarse leaf that touches a finer block,
 *            also where only their edges touch, is that of the finer
 *
 * Each of these has a list of jobs, one per box, with plain numbers that a backend uploads as
 * they are. The rank that holds the source does the work (prolongs, averages); where the target
 * lies on another rank the result goes there in a message.
 *
 * Shapes  a direction as in exchange.h; half[a] is 0 where the finer block (the box of ghosts: the
 *         block that would be there) lies in the lower half of the coarse one along axis a, 1: in
 *         the upper one, 0 along axes that the mesh has not. Jobs of one part are in the order of
 *         peer and fine block's key
 * Units   none
 * Errors  SL_EMEM
 * Owns    its lists
 * MPI     local once made
 * Where   host
 * Refs    Berger & Colella 1989
 * Tests   tests/unit/hierarchy.c
 */
#ifndef SL_MESH_NEST_H
#define SL_MESH_NEST_H

#include <stddef.h>
#include <stdint.h>

/* A side of a block of this rank, and where its values begin in a register of fluxes
 * (core/transfer/flux_register.h). */
struct sl_flux_register_side {
    int block, axis, upper;
    size_t start;
};

/* A box of a fine block that another rank makes, or that this rank makes for another: jobs are in
 * the order of the fine block's key within a message, the same on both sides. */
struct sl_nest_message {
    int peer, first, count; /* jobs: a range of the list */
    size_t start, values;   /* place and length in the buffer, per variable */
};
struct sl_nest_side {
    struct sl_nest_message *message; /* owned */
    int nmessage;
    size_t values; /* of all messages, per variable */
};

/* Ghost cells of block `fine` in direction dir (sl_exchange's box `to`; with faces also its cells
 * at the box's upper faces). The coarse cell that holds fine cell i of the box along an axis is
 *   g + half n / 2 + q / 2,  q = i - g - shift n,  shift the digit of dir less 1,
 * counted from the first ghost cell of `coarse`, and q % 2 is its child's place. */
struct sl_prolong_job {
    int coarse; /* block of the coarser mesh, -1: comes in a message */
    int fine;   /* block of the finer mesh, -1: goes into a message */
    int dir, half[3];
    int edges;    /* as of sl_boxes_of for the fine block */
    size_t start; /* of its box in the buffer, per variable: [var][cells of the box] behind it */
};

/* The octant `half` of coarse block `coarse` is the mean of the interior of `fine`. */
struct sl_cover_job {
    int coarse, fine, half[3]; /* -1: as above */
    size_t start;              /* (n/2)^dim values per variable */
};

/* A face of leaf `coarse` across an axis, its upper one or its lower one, behind which lies `fine`,
 * in the part `half` of it across the other axes (half[axis] is 0). Of `fine` it is the other side.
 * fine_side, coarse_side: places in the lists of sides below. */
struct sl_reflux_job {
    int coarse, fine, axis, upper, half[3];
    int coarse_side, fine_side; /* -1: as above */
    size_t start;               /* (n/2)^(dim - 1) values per variable */
};

/* The upper faces of block `from` along an axis, beyond which no block of the level lies, are the
 * first ones along the axis of the ghost cells of block `to` in direction dir. Both are blocks of
 * the finer mesh, -1: as above. A value for each cell of that layer of the box (sl_boxes_of without
 * edges). */
struct sl_rim_job {
    int from, to, dir, axis;
    size_t start;
};

/* Edges along an axis on a side of leaf `coarse` and on one of `fine`, which touch
 * (core/cell/edge.h): `lines` of them, at distances of one line of the coarse one, in its half
 * `half` along the edges (0 along an axis that the mesh has not). An edge of two sides counts to
 * that across the earlier axis. */
struct sl_edge_job {
    int coarse, fine; /* -1: as above */
    int axis, along;  /* the sides are across axis */
    int coarse_upper, fine_upper, coarse_line, fine_line, lines, half;
    size_t start; /* lines * (n/2 cells along them) values */
};

struct sl_nest {
    struct sl_prolong_job *prolong; /* owned; on this rank first, then out, then in */
    struct sl_cover_job *cover;
    struct sl_reflux_job *reflux;
    struct sl_rim_job *rim; /* owned; likewise. Only where fields lie on faces, as those of edges */
    struct sl_edge_job *edge;
    /* local, out, in: one after the other in each list */
    int nprolong[3], ncover[3], nreflux[3], nrim[3], nedge[3];
    struct sl_nest_side prolong_out, prolong_in, cover_out, cover_in, reflux_out, reflux_in;
    struct sl_nest_side rim_out, rim_in, edge_out, edge_in;

    /* Sides whose fluxes are to be kept (core/transfer/flux_register.h): of the finer mesh, at
     * whose other side lies a coarser leaf, and of the coarser mesh, at whose other side lie finer
     * ones. */
    struct sl_flux_register_side *fine, *coarse; /* owned */
    int nfine, ncoarse;

    /* Blocks whose edges are to be kept (core/transfer/edge_register.h). */
    int *fine_edges, *coarse_edges; /* owned */
    int nfine_edges, ncoarse_edges;
};

void sl_nest_free(struct sl_nest *nest);

#endif
