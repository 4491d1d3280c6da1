/* planes.h - reads what statistics take of a snapshot: the wanted fields of a box of cells, and the
 * maps of an adaptive mesh on a finer grid than that of the other statistics.
 *
 * Shapes  a field is [nz][ny][nx] of the box, x fastest; fields stand one after the other
 * Units   code units
 * Errors  SL_EINPUT for a damaged snapshot; SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/levels.sh
 */
#ifndef SL_STATS_PLANES_H
#define SL_STATS_PLANES_H

#include "core/io/snapshot.h"
#include "core/measure/fields.h"

/* How many fields there are: density and velocity, the magnetic field where there is one, pressure
 * and a scalar where asked for; without gas the density alone, which is that of the particles and
 * is not read but made (core/measure/matter.h). */
int sl_planes_count(const struct sl_config *cfg);

/* The cells lo <= index < hi of the grid of a level, of all of these. */
int sl_planes_read(const struct sl_config *cfg, const struct sl_snapshot *snapshot, int level,
                   const int64_t lo[3], const int64_t hi[3], double *out);

/* The fields that were read into data, which is borrowed. */
struct sl_fields sl_planes_fields(const struct sl_config *cfg, const struct sl_slab *slab,
                                  const double *data);

/* Slices and projections on the grid of sl_show_map_level where that is finer than
 * statistics.level; like: number and times of the snapshot. Planes are read some at a time. */
int sl_planes_maps(const struct sl_config *cfg, const struct sl_snapshot *snapshot,
                   const struct sl_fields *like, struct sl_tables *tables);

#endif
