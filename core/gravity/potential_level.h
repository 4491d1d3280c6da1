/* potential_level.h - the potential on the blocks of one level: its fields, the loops over their
 * cells, and what passes between two levels.
 *
 * The potential and what its Laplacian is to be are in full precision, and so is the difference of
 * both, the residual, before it is rounded. A cycle has single precision: the residual, the
 * correction, whose Laplacian that is to be, and the remainder, what the correction leaves of the
 * residual. Its units are powers of two, from the size of the root grid's cells and the largest of
 * what the Laplacian is to be, so that no recipe makes numbers too large or too small for it, and
 * to change units rounds nothing.
 *
 * A fine block keeps the coarse cells in and around it, its ring: from it come the ghost cells at
 * the edge of the level and the corrections of its cells. Transfers follow the jobs of
 * core/mesh/nest.h: the ring goes the way back of `cover`, slopes that of `reflux`.
 *
 * Beyond the sides of an isolated box the root grid goes on without end: the values there are those
 * of the Fourier solution, and finer blocks at a side take it as the edge of their level.
 *
 * Shapes  a field: one value per cell of the blocks of the mesh, ghosts included; behind them, on
 *         the root grid of an isolated box, [block][face][cells of a face]: the values beyond
 * Units   those of the caller
 * Errors  SL_EMEM, SL_EMPI
 * Owns    its fields and buffers; the mesh and the nest are borrowed
 * MPI     collective over mesh->comm unless a function says local
 * Where   host
 * Refs    core/cell/poisson.h
 * Tests   tests/law/composite.c
 */
#ifndef SL_GRAVITY_POTENTIAL_LEVEL_H
#define SL_GRAVITY_POTENTIAL_LEVEL_H

#include <stdbool.h>

#include "core/cell/poisson.h"
#include "core/mesh/mesh.h"
#include "core/mesh/nest.h"
#include "core/sys/pencils.h"

struct sl_level_buffers;
struct sl_potential_root; /* potential_root.h */

struct sl_potential_level {
    struct sl_mesh *mesh;
    const struct sl_nest *nest; /* of this level in the coarser one; NULL: the root grid */
    sl_real *phi, *rhs;         /* owned; the potential and what its Laplacian is to be */
    sl_real *before;            /* owned; the potential of the solution before */
    /* of a cycle, owned as one: a correction; its remainder, residual - lap correction; and the
     * residual, rhs - lap phi */
    sl_cycle_real *correction, *remainder, *residual;
    sl_real *ring;       /* owned; [block][ring_cells], in a cycle of sl_cycle_real */
    sl_cycle_real *line; /* owned; ring_n[0], of a row under way */
    int ring_n[3];       /* n / 2 + 2 coarse cells along each axis that is there */
    size_t ring_cells;
    enum sl_around isolated; /* periodic: it is not */
    size_t values;           /* of a field */
    size_t face_values;      /* of a face of the widest sides */
    unsigned char *edges;    /* owned; [block]: bit f: a coarser leaf beyond face f */
    sl_real h[3], per_h2[3]; /* of a cell; per_h2 is 0 along axes that are not there */
    sl_real cycle_h[3];      /* the same in cycles */
    sl_cycle_real cycle_per_h2[3];
    double unit2;                     /* the square of the unit of lengths in cycles */
    sl_real scale, back;              /* of a residual from full precision; of a correction to it */
    struct sl_level_buffers *buffers; /* owned */
    struct sl_potential_root *root;   /* owned; of the root grid on processors */
    void *device; /* owned by a backend whose fields are in device memory (backend.h) */
};

/* local. Its shapes, without fields. */
struct sl_potential_level sl_potential_level_of(struct sl_mesh *mesh, const struct sl_nest *nest,
                                                enum sl_around isolated);
/* local. The faces of each block with a coarser leaf, or the root grid, beyond them; owned by the
 * caller. */
int sl_potential_level_edges(const struct sl_potential_level *level, unsigned char **out);
/* local. Fields of the host. */
int sl_potential_level_fields(struct sl_potential_level *level);
void sl_potential_level_release(struct sl_potential_level *level);

/* ---- one level ---- */

/* Ghost cells of a field, at the edge of the level from the rings, or with
 * coarse values of 0. across: those beyond edges and corners, too. */
enum sl_potential_edge { SL_POTENTIAL_EDGE_ZERO, SL_POTENTIAL_EDGE_RING };
int sl_potential_fill(struct sl_potential_level *level, enum sl_potential_edge edge, bool across,
                      sl_real *field);

int sl_cycle_fill(struct sl_potential_level *level, enum sl_potential_edge edge, bool across,
                  sl_cycle_real *field);

/* local. Sets the units of cycles; most: the largest that the Laplacian is to be. */
void sl_potential_scale(struct sl_potential_level *level, double most);

/* local. Largest absolute value in the leaves. */
double sl_potential_largest(const struct sl_potential_level *level, const sl_real *field);
double sl_cycle_largest(const struct sl_potential_level *level, const sl_cycle_real *field);

/* Sweeps of red-black relaxation of lap correction = residual. */
int sl_cycle_smooth(struct sl_potential_level *level, int sweeps, enum sl_potential_edge edge);

/* local. Adds what the rings hold, moved to each fine cell, to the correction. */
void sl_cycle_add_rings(const struct sl_potential_level *level);

/* ---- two levels ---- */

/* residual = rhs - lap phi in the leaves, with what leaves them towards the cells of a finer level;
 * fine: NULL: there is none. Ghost cells of phi are filled; a correction is lost. */
int sl_potential_residual(struct sl_potential_level *level, struct sl_potential_level *fine);

/* Rings of the fine level, from a coarse field whose ghost cells are filled,
 * all of them. */
int sl_potential_rings(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                       const sl_real *field);
int sl_cycle_rings(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                   const sl_cycle_real *field);

/* Covered cells of the potential become the means of their children. */
int sl_potential_cover(struct sl_potential_level *coarse, struct sl_potential_level *fine);

/* The residual of the coarse level after a correction of the fine one, whose ghost cells are
 * filled: covered cells have the means of the fine one's remainder, and leaves what the correction
 * brings them through their faces. */
int sl_cycle_reduce(struct sl_potential_level *coarse, struct sl_potential_level *fine);

/* Calls `take` for each face of a coarse leaf with finer cells beyond it. at: the coarse cell;
 * change: the mean of the slopes of the potential in the finer cells less the coarse one's own,
 * both towards the finer cells; ghost cells are filled. */
struct sl_potential_face {
    int block, axis, upper, at[3];
};
typedef void sl_potential_take(void *context, const struct sl_potential_face *face, sl_real change);
int sl_potential_match(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                       sl_potential_take *take, void *context);

/* local. In place of `remainder` and `residual`: the correction of the root grid before it is
 * rounded. */
static inline sl_real *sl_potential_wide(const struct sl_potential_level *p)
{
    return (sl_real *)(void *)p->remainder;
}

/* local. Where the values beyond a face of a block of the root grid of an isolated box begin in a
 * field: one for each cell of the face, that along the earlier axis fastest. */
static inline size_t sl_potential_beyond(const struct sl_potential_level *p, int block, int face)
{
    return sl_mesh_size(p->mesh, 1) + ((size_t)block * 6 + (size_t)face) * p->face_values;
}

/* local. Place of cell (i, j, k) of a block in a field, counted from its first
 * interior cell. */
static inline size_t sl_potential_at(const struct sl_mesh *m, int block, int k, int j, int i)
{
    return sl_mesh_at(m, 1, block, 0, k + m->g[2], j + m->g[1], i + m->g[0]);
}

#endif
