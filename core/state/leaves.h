/* leaves.h - the leaves of a run, of all its levels, for those who read or write the whole state.
 *
 * Shapes  a list has one entry per leaf of this rank, in the order of the space-filling curve: leaf
 *         i of it is number first + i of all leaves, first the sum over the ranks before
 * Units   none
 * Errors  SL_EMEM
 * Owns    lists and copies are the caller's to free
 * MPI     local unless a function says collective
 * Where   host
 * Refs    none
 * Tests   tests/unit/checkpoint.c, tests/unit/snapshot.c, tests/unit/history.c
 */
#ifndef SL_STATE_LEAVES_H
#define SL_STATE_LEAVES_H

#include "core/state/state.h"

struct sl_state_leaf {
    const struct sl_state *level; /* borrowed */
    int block;
};

/* Leaves of this rank, and of all. */
int sl_leaves_count(const struct sl_state *state);
int64_t sl_leaves_global(const struct sl_state *state);
int sl_leaves_list(const struct sl_state *state, struct sl_state_leaf **out);

/* Levels of the run. */
int sl_levels_count(const struct sl_state *state);

/* The levels as they are, to be read while the run goes on: *out is a list of copies whose u, mesh
 * and hierarchy are borrowed, made as one piece. */
int sl_state_copy(const struct sl_state *state, struct sl_state **out);

#endif
