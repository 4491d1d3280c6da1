/* leaf_move.h - where what lies in the leaves of one hierarchy goes in the next: a leaf that stays
 * is copied, one that is refined is split among its children, leaves that merge go into one.
 *
 * Fields move otherwise (sl_moves_make): covered blocks have them, too, and no leaf need be put
 * together.
 *
 * Shapes  moves on this rank first, then out, then in; those of a message by the new leaf's place
 *         along the curve, and of one leaf by that of the old ones. start and values of a message
 *         count its moves
 * Units   none
 * Errors  SL_EINPUT, SL_EMEM
 * Owns    its lists
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law/block_parts.c
 */
#ifndef SL_MESH_LEAF_MOVE_H
#define SL_MESH_LEAF_MOVE_H

#include "core/mesh/hierarchy.h"

enum sl_leaf_kind { SL_LEAF_COPY, SL_LEAF_SPLIT, SL_LEAF_MERGE };

struct sl_leaf_move {
    enum sl_leaf_kind kind;
    int from_level, from; /* old leaf on this rank, -1: of another one */
    int to_level, to;     /* new one, likewise */
    int half[3];          /* which half of the larger one the smaller is, along each axis */
};

struct sl_leaf_moves {
    struct sl_leaf_move *move; /* owned */
    int count[3];              /* on this rank, out, in */
    struct sl_nest_side out, in;
};

/* Refuses (SL_EINPUT) hierarchies that differ by more than a level somewhere. */
int sl_leaf_moves_make(const struct sl_hierarchy *old, const struct sl_hierarchy *now,
                       struct sl_leaf_moves *out);
void sl_leaf_moves_release(struct sl_leaf_moves *moves);

#endif
