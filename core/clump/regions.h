/* regions.h - what regions of a grid hold, each the cells that carry its label.
 *
 * A region's centre is the mean on the circle of each periodic axis, weighted by mass, so one that
 * crosses a face of the box is not torn. Sums are made per region and plane and added in the order
 * of the planes, so they do not depend on how planes are shared out: the regions go from rank to
 * rank, and each adds its planes.
 *
 * Shapes  rho, v[3], label [nz][n1][n0], the own planes of a slab; sums[n] by rising label
 * Units   those of the fields; positions from the lower corner of the box
 * Errors  SL_EMEM, agreed on by all ranks
 * Owns    the array of a struct sl_regions, freed by sl_regions_release
 * MPI     collective unless a function says local; every rank gets all regions, the same bits for
 *         any number of ranks
 * Where   host; 120 bytes per region, and on each rank per region and plane of its own
 * Refs    none
 * Tests   tests/unit/clumps.c, tests/unit/tree.c
 */
#ifndef SL_CLUMP_REGIONS_H
#define SL_CLUMP_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/grid/slab.h"

enum {
    SL_REGION_CELLS,
    SL_REGION_MASS,
    SL_REGION_MOMENTUM,
    SL_REGION_SQUARE = SL_REGION_MOMENTUM + 3,
    SL_REGION_CIRCLE,
    SL_REGION_SUMS = SL_REGION_CIRCLE + 6
};

/* Gas on a grid. */
struct sl_region_gas {
    const struct sl_slab *slab; /* borrowed */
    bool periodic[3];           /* axes */
    const double *rho, *v[3];   /* borrowed */
};

/* Sums over cells: those of two regions add up. */
struct sl_region_sums {
    int64_t label, plane; /* plane: the first */
    double sum[SL_REGION_SUMS], peak;
};

struct sl_regions {
    int n;
    struct sl_region_sums *sums; /* owned */
};

struct sl_region {
    int64_t label;
    double mass, volume, peak;
    double centre[3], velocity[3];
    double dispersion; /* rms of the velocity about its mean, by mass, all components */
};

/* label < 0: the cell belongs to no region. */
int sl_regions_make(const struct sl_region_gas *gas, const int64_t *label, struct sl_regions *out);
void sl_regions_release(struct sl_regions *regions);

/* local. Adds `more` to `sums`, whose label stays. */
void sl_region_add(struct sl_region_sums *sums, const struct sl_region_sums *more);
/* local */
struct sl_region sl_region_of(const struct sl_region_gas *gas, const struct sl_region_sums *sums);

#endif
