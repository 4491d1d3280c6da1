/* clumps.h - connected regions that are denser than a threshold, and what they hold.
 *
 * Cells that share a face belong together, through periodic faces too. A clump's centre is the mean
 * on the circle of each periodic axis, weighted by mass, so one that crosses a face of the box is not
 * torn. A threshold finds what stands out at one level: clumps within clumps need several.
 *
 * Shapes  rho, v[3] [nz][n1][n0], the own planes of a slab; clump[n] by falling mass
 * Units   those of the fields; positions from the lower corner of the box
 * Errors  SL_EMEM
 * Owns    the list, freed by sl_clumps_release
 * MPI     collective; every rank gets the list, the same bits for any number of ranks
 * Where   host
 * Refs    Williams, de Geus & Blitz 1994 (what a threshold does and does not find)
 * Tests   tests/unit/clumps.c
 */
#ifndef SL_STATS_CLUMPS_H
#define SL_STATS_CLUMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stats/slab.h"

struct sl_clump {
    int64_t label; /* its first cell, counted x fastest */
    double mass, volume, peak;
    double centre[3], velocity[3];
    double dispersion; /* rms of the velocity about its mean, by mass, all components */
};

struct sl_clumps {
    int n;
    struct sl_clump *clump; /* owned */
};

/* Regions with rho > threshold of at least `least` cells. */
int sl_clumps_find(const struct sl_slab *slab, const bool periodic[3], const double *rho,
                   const double *const v[3], double threshold, int least, struct sl_clumps *out);
void sl_clumps_release(struct sl_clumps *clumps);

#endif
