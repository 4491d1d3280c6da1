/* halo_history.h - the haloes of a run from snapshot to snapshot, as tables: progenitors,
 * descendants, and how their mass grew.
 *
 * Snapshot 7 adds halo_progenitors_0007, a line for each of its haloes in the order of haloes_0007,
 * and halo_descendants_0006, likewise of those of the snapshot before: links as halo_match.h says.
 * halo_accretion is made of all of them: haloes of the last snapshot in classes by their particles
 * are followed back along main branches, and M(z) over M at the end of a class is told by its
 * median and its 16 % and 84 %. A halo whose branch has ended stays in its class, as lighter than
 * all others; nan: such a one is where the number would be.
 *
 * Shapes  fields as in measure.h
 * Units   particles; ratios
 * Errors  those of halo_match.h
 * Owns    tables are added to the caller's; what a history holds is freed by its _release
 * MPI     collective where a function says so; every rank gets all tables
 * Where   host; 12 bytes for each halo of each snapshot, and of the last one its particles
 * Refs    none
 * Tests   tests/unit/halo_match.c, tests/law/progenitors.sh
 */
#ifndef SL_HALO_HALO_HISTORY_H
#define SL_HALO_HALO_HISTORY_H

#include "core/halo/haloes.h"
#include "core/measure/fields.h"

struct sl_halo_step {
    double scale_factor;
    int n;
    int32_t *before;     /* owned; main progenitor's place in the step before, -1: none */
    uint64_t *particles; /* owned */
};

struct sl_halo_history {
    int steps;
    struct sl_halo_step *step; /* owned */
    struct sl_haloes last;     /* owned; of the last snapshot so far */
    int number;                /* of that */
    double time;
};

/* Collective. Takes the haloes of the next snapshot over, which are then none; found with
 * `bonds`. */
int sl_halo_history_add(struct sl_halo_history *history, const struct sl_fields *fields,
                        struct sl_haloes *haloes, struct sl_tables *tables);
/* local. halo_accretion, of two snapshots or more. */
int sl_halo_history_table(const struct sl_halo_history *history, struct sl_tables *tables);
void sl_halo_history_release(struct sl_halo_history *history);

#endif
