/* clumps.h - connected regions that are denser than a threshold, and what they hold.
 *
 * Cells that share a face belong together, through periodic faces too. A threshold finds what
 * stands out at one level: clumps within clumps are for tree.h.
 *
 * Shapes  clump[n] by falling mass; label: its first cell, counted x fastest
 * Units   those of the fields
 * Errors  SL_EMEM
 * Owns    the list, freed by sl_clumps_release
 * MPI     collective; every rank gets the list, the same bits for any number of ranks
 * Where   host
 * Refs    Williams, de Geus & Blitz 1994 (what a threshold does and does not find)
 * Tests   tests/unit/clumps.c
 */
#ifndef SL_CLUMP_CLUMPS_H
#define SL_CLUMP_CLUMPS_H

#include "core/clump/regions.h"

struct sl_clumps {
    int n;
    struct sl_region *clump; /* owned */
};

/* Regions with rho > threshold of at least `least` cells. */
int sl_clumps_find(const struct sl_region_gas *gas, double threshold, int least,
                   struct sl_clumps *out);
void sl_clumps_release(struct sl_clumps *clumps);

#endif
