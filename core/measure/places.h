/* places.h - places and velocities of the particles of a snapshot or of a run, or of the start of a
 * universe, as statistics on a grid take them: a share of them on each rank.
 *
 * Shapes  x[3][n], v[3][n]
 * Units   places in sides of the box from its lower corner; velocities in code units
 * Errors  SL_EINPUT for a file that is missing or damaged, SL_EMEM
 * Owns    the lists
 * MPI     collective over the slab's ranks, but for release
 * Where   host, or on the slab's device where a lone rank's particles are there
 * Refs    none
 * Tests   tests/problem/numpy_matter.sh, tests/problem/numpy_multipoles.sh
 */
#ifndef SL_MEASURE_PLACES_H
#define SL_MEASURE_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/config/config.h"
#include "core/grid/slab.h"
#include "core/measure/place.h"

struct sl_particle_source;

struct sl_places {
    size_t n;
    double *x[3], *v[3];        /* owned; v NULL: not asked for */
    struct sl_stats_device *on; /* borrowed; has lent the lists; NULL: they are on the host */
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

/* local. How a run's places go to shares of the recipe's box along an axis. */
struct sl_place_rule sl_places_rule(const struct sl_particle_source *from, int axis,
                                    const double box[6]);

/* Moves all by so much of the box along an axis, or by a part of their velocities. */
int sl_places_move(struct sl_places *p, int axis, double by);
int sl_places_shift(struct sl_places *p, int axis, double part);

#endif
