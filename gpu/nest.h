/* nest.h - the part of the CUDA backend that works between a level and the next finer one, and
 * moves the state to a new set of levels.
 *
 * Each call is one or two kernels over all jobs of a rank (core/mesh/nest.h). What another rank
 * makes or needs goes through the buffers for messages, whose calls the host part makes between
 * (gpu/cuda.h).
 *
 * Shapes  see core/mesh/nest.h and gpu/device.h
 * Units   code units
 * Errors  a text that says what failed, NULL when nothing did
 * Owns    copies of the lists, on the device of the finer level
 * MPI     none
 * Where   host calls; fields in device memory
 * Refs    see core/cell/prolong.h, restrict.h, reflux.h
 * Tests   tests/gpu/levels.c
 */
#ifndef SL_GPU_NEST_H
#define SL_GPU_NEST_H

#include "core/cell/refine_level.h"
#include "core/mesh/nest.h"
#include "gpu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cells of a block, counted from its first ghost cell. */
struct sl_device_box {
    int lo[3], n[3];
};

/* The jobs between `fine` and the next coarser level. box: ghost cells of a block,
 * [edges][direction] as in core/mesh/exchange.h. */
const char *sl_device_nest_set(struct sl_device *fine, const struct sl_nest *nest,
                               const struct sl_device_box box[8][SL_NDIR]);

/* The states of a coarser level before and after its step, and the accelerations of its cells,
 * [axis][block][n2][n1][n0], that act on what is made of it for a time, 0: they do not. */
struct sl_device_coarse {
    sl_real dx[3];
    const sl_real *old, *now, *pull;
    sl_real pull_time;
};

/* Ghost cells of u from the coarser level, and those of other ranks into the send buffer; then what
 * came from other ranks. faces_only: those across edges and corners are left out. */
const char *sl_device_prolong(struct sl_device *fine, struct sl_device *coarse, int faces_only,
                              const struct sl_device_coarse *from, sl_real share, sl_real *u);
const char *sl_device_prolong_unpack(struct sl_device *fine, sl_real *u);

/* Then faces at the edge of the level, from their owners into the ghost cells of others,
 * likewise. */
const char *sl_device_rim(struct sl_device *fine, sl_real *u);
const char *sl_device_rim_unpack(struct sl_device *fine, sl_real *u);

/* Means of the blocks of u into the covered blocks of `to`, a field of the coarser level,
 * likewise. */
const char *sl_device_cover(struct sl_device *fine, const sl_real *u, sl_real *to);
const char *sl_device_cover_unpack(struct sl_device *fine, sl_real *to);

/* And of their faces, of which an octant has so many; in the end the field in the cells of covered
 * blocks. */
size_t sl_device_cover_faces_values(const struct sl_device *fine);
const char *sl_device_cover_faces(struct sl_device *fine, const sl_real *u, sl_real *to);
const char *sl_device_cover_faces_unpack(struct sl_device *fine, struct sl_device *coarse,
                                         sl_real *to);

/* Electric fields along edges for other ranks into the send buffer, and what those of this rank are
 * more than the coarse ones; then what came, and the correction of u. per_dx: of the coarser
 * level. */
const char *sl_device_edges(struct sl_device *fine, struct sl_device *coarse);
const char *sl_device_edges_apply(struct sl_device *fine, struct sl_device *coarse,
                                  const sl_real per_dx[3], sl_real *u);

/* Sums of fluxes for other ranks into the send buffer; then the correction of u, a field of the
 * coarser level, with those of this rank and those that came: cells that took a floor count among
 * the signals of the coarser level. set: once the lists of sides know where their values start.
 * per_dx: of the coarser level; finer: the field of the finer one, whose faces the coarse ones are
 * the means of; mass: through the faces of the coarser level, corrected likewise, or NULL. */
const char *sl_device_reflux_set(struct sl_device *fine, const struct sl_nest *nest);
int sl_device_reflux_is_set(const struct sl_device *fine);
int sl_device_reflux_carried(
    const struct sl_device *fine); /* numbers of a face that go to other ranks */
const char *sl_device_reflux_pack(struct sl_device *fine, const sl_real *finer);
const char *sl_device_reflux(struct sl_device *fine, struct sl_device *coarse,
                             const sl_real per_dx[3], const sl_real *finer, sl_real *u,
                             sl_real *mass);
/* With fields at faces: then the field in the cells at the surface of corrected blocks. */
const char *sl_device_reflux_centre(struct sl_device *fine, struct sl_device *coarse, sl_real *u);

/* What the rules of cells ask of the leaves, added to marks[nleaf]; ghost cells of u across faces
 * are filled. */
const char *sl_device_refine(struct sl_device *d, const struct sl_refine_level *level,
                             const sl_real *u, struct sl_refine_marks *marks);

/* A block that moves: a copy of block `from` of the level that was, or made of its part `half`, of
 * the level below that; to -1: it goes into the send buffer from value `start` on, per variable. */
struct sl_device_move {
    int to, from, half[3];
    size_t start;
};
/* Blocks of the field u of level `now` from a field of level `old`, of its own level (parent 0) or
 * the next coarser one; then those that other ranks sent. */
const char *sl_device_move(struct sl_device *now, struct sl_device *old, int parent,
                           const sl_real dx[3], const struct sl_device_move *move, int n,
                           const sl_real *from, sl_real *u);
const char *sl_device_move_unpack(struct sl_device *now, const struct sl_device_link *link, int n,
                                  sl_real *u);

/* Then faces of new blocks, made[nblock], become those of their older neighbours: across each axis
 * all blocks give theirs (a field of three variables, whose ghost cells are filled where another
 * block has them), and new ones take them. groups: faces within new blocks follow, and the field in
 * their cells. dx: of the level. */
struct sl_device_join {
    sl_real *sides;
    signed char *made;
};
const char *sl_device_join_new(struct sl_device *now, const signed char *made,
                               struct sl_device_join *join);
void sl_device_join_free(struct sl_device_join *join);
const char *sl_device_join_give(struct sl_device *now, const struct sl_device_join *join, int axis,
                                sl_real *u);
const char *sl_device_join_take(struct sl_device *now, const struct sl_device_join *join, int axis,
                                sl_real *u);
const char *sl_device_join_groups(struct sl_device *now, const int *block, int n,
                                  const sl_real dx[3], sl_real *u);

#ifdef __cplusplus
}
#endif
#endif
