/* places.h - places and velocities of the particles of a snapshot or of a run, or of the start of a
 * universe, as statistics on a grid take them: a share of them on each rank.
 *
 * Shapes  x[3][n], v[3][n]
 * Units   places in sides of the box from its lower corner; velocities in code units
 * Errors  SL_EINPUT for a file that is missing or damaged, SL_EMEM
 * Owns    the lists
 * MPI     collective over the slab's ranks, but for release
 * Where   host
 * Refs    none
 * Tests   tests/problem/numpy_matter.sh, tests/problem/numpy_multipoles.sh
 */
#ifndef SL_MEASURE_PLACES_H
#define SL_MEASURE_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/config/config.h"
#include "core/grid/slab.h"

struct sl_particle_source;

struct sl_places {
    size_t n;
    double *x[3], *v[3]; /* owned; v NULL: not asked for */
};

/* Those of ic.h5 at path, one per cell, without velocities. */
int sl_places_of_start(const struct sl_config *cfg, const struct sl_slab *slab, const char *path,
                       struct sl_places *out);
int sl_places_of_particles(const struct sl_config *cfg, const struct sl_slab *slab,
                           const struct sl_particle_source *from, bool velocities,
                           struct sl_places *out);
/* Of all particles of all ranks, code units: the same bits on any number of ranks. */
int sl_places_mass(const struct sl_slab *slab, const struct sl_particle_source *from, double *mass);
void sl_places_release(struct sl_places *p); /* local */

#endif
