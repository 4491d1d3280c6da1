/* block_parts.h - what lies in the leaves of a run beside its fields (struct sl_block_part), as a
 * whole: its way to the leaves of new levels, what it costs, and the memory that it takes.
 *
 * A move has two messages for each pair of ranks and part: how many bytes each leaf sends, and
 * these. The old leaves are packed before the part is opened on the new ones.
 *
 * Shapes  leaves along the curve
 * Units   bytes; costs as of sl_block_part
 * Errors  SL_EMEM, SL_EMPI, SL_EINPUT; SL_EUNAVAIL of a part that does not move; after a failure
 *         the parts may be empty
 * Owns    nothing
 * MPI     local unless a function says collective
 * Where   host
 * Refs    none
 * Tests   tests/law/block_parts.c
 */
#ifndef SL_STATE_BLOCK_PARTS_H
#define SL_STATE_BLOCK_PARTS_H

#include "core/mesh/hierarchy.h"
#include "core/state/state.h"

/* collective. All parts go from the leaves of `old` to those of `now`; of one rank to the other
 * where a leaf does. */
int sl_block_parts_move(const struct sl_component *component, const struct sl_hierarchy *old,
                        const struct sl_hierarchy *now);

/* What the leaves of this rank cost; *out is NULL where no part says, else the caller's. */
int sl_block_parts_cost(const struct sl_component *component, const struct sl_hierarchy *h,
                        double **out);

/* Of all ranks. */
double sl_block_parts_memory(const struct sl_component *component);

#endif
