/* halo_match.h - haloes of two snapshots of a run matched by the particles that they share.
 *
 * Of each halo the link names the halo of the other snapshot that shares most particles with it; of
 * two that share as many, the one of the smaller id. From a later snapshot to an earlier one it is
 * the progenitor, from an earlier to a later the descendant. A halo whose progenitor has it for
 * descendant goes on the main branch of that; of two halves of one halo the larger one does, and of
 * two haloes that merge the one that gave more.
 *
 * Particles are joined by id on the rank that looks after it, pairs of haloes are counted there and
 * summed by haloes: whole numbers, in any order.
 *
 * Shapes  progenitor[later->n], descendant[earlier->n]
 * Units   particles
 * Errors  SL_EMEM; SL_EINPUT for too many particles on a rank; agreed on by all ranks
 * Owns    nothing
 * MPI     collective; every rank gets all links, the same for any number of ranks
 * Where   host; beside the bonds of both lists at most 96 bytes and what a message takes for each
 *         pair of haloes that share particles
 * Refs    none
 * Tests   tests/unit/halo_match.c
 */
#ifndef SL_HALO_HALO_MATCH_H
#define SL_HALO_HALO_MATCH_H

#include "core/halo/haloes.h"

struct sl_halo_link {
    int64_t other;  /* place in the other list; -1: no halo there has a particle of this */
    int64_t shared; /* particles */
};

/* Both lists were found with `bonds`. */
int sl_haloes_match(MPI_Comm comm, const struct sl_haloes *earlier, const struct sl_haloes *later,
                    struct sl_halo_link *progenitor, struct sl_halo_link *descendant);

/* local. Whether halo i of one list goes on the main branch of its link, `back` being the links of
 * the other list. */
bool sl_halo_is_main(const struct sl_halo_link *link, int i, const struct sl_halo_link *back);

#endif
