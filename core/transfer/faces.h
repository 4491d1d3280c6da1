/* faces.h - what the processor does between levels with a field on faces (constrained transport).
 *
 * No call makes a divergence: the faces of children come from those of their parent and, where the
 * children beside them were there before, from these (core/cell/prolong_face.h); a coarse face is
 * the mean of the finer ones in it; and around each edge of a coarse leaf that touches a finer
 * block the electric field is that of the finer one.
 *
 * A face between two blocks of a level is there twice, with the same bits; the upper one of a
 * block at the edge of its level lies in a ghost cell and belongs to it: nothing fills that in.
 *
 * Shapes  as in transfer_level.h
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective over the mesh's ranks unless a function says local
 * Where   host
 * Refs    Toth & Roe 2002; Balsara 2001
 * Tests   tests/law/levels_ct.c
 */
#ifndef SL_TRANSFER_FACES_H
#define SL_TRANSFER_FACES_H

#include "core/transfer/nest.h"

/* Faces of cells to be made from one octant of a coarser block (sl_nest_fill). */
struct sl_faces_fill {
    struct sl_nest_fill cells;
    int more[3]; /* 1: the upper faces of the last cells along the axis, too */
    int own;     /* the lower faces of the first cells across this axis stay, -1: none do */
    int centre;  /* the field in the cells follows, and their heat stays */
};

/* local. old, now: as of sl_nest_fill; dx: of cells, in any unit. */
void sl_faces_fill(const struct sl_prolong *p, const double dx[3], const sl_real *old,
                   const sl_real *now, const struct sl_faces_fill *fill);

/* Faces at the edge of the level, from their owners into the ghost cells of others. */
int sl_faces_rim(const struct sl_transfer_level *fine, sl_real *u);

/* local. Numbers of the faces of an octant of a covered block, and their means from a block of the
 * finer level, to `to` as to_block says: those of the octant within a block, or packed. unpack:
 * from such a message. */
size_t sl_faces_cover_values(const struct sl_mesh *mesh);
void sl_faces_cover(const struct sl_transfer_level *fine, int block, const int half[3],
                    int to_block, sl_real *to);
void sl_faces_cover_unpack(const struct sl_transfer_level *coarse, const int half[3],
                           const sl_real *message, sl_real *to);
/* local. The field in the cells of these blocks. */
void sl_faces_centre(const struct sl_transfer_level *level, int first, int end);

/* Makes the faces of coarse leaves beside finer blocks agree with these; the field in cells is left
 * as it was. */
int sl_faces_reflux(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine);
/* local. The field in the cells at the surface of the blocks whose faces sl_faces_reflux
 * changed. */
void sl_faces_reflux_centre(const struct sl_transfer_level *coarse,
                            const struct sl_transfer_level *fine);

/* made[block]: it comes from its parent. Its faces are those of its older neighbours where it has
 * such. */
int sl_faces_join(const struct sl_transfer_level *level, const signed char *made);

#endif
