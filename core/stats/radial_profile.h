/* radial_profile.h - radial profiles of a snapshot: means in shells about a point, in fixed bins
 * of the logarithm of the radius, each leaf counted with its volume at the resolution that it has.
 *
 * Edges of shells are 10^(i / statistics.profile_bins) code lengths, so that members, times and
 * meshes share them; the first shell begins at the centre and ends near the size of a cell of the
 * finest level, the last holds half the diagonal of a periodic box, or all of one that is not. A
 * cell that is large beside the width of a shell is counted in equal parts, which have its values,
 * each in the shell of its place; so no shell is empty near the centre, and shells hold what they
 * cut out of the cells. Distances are to the nearest image in a periodic box.
 *
 * Table profile_0007 of snapshot 7: radius (10^((i + 1/2) / bins)), cells, volume, mass,
 * mass_within (of this shell and those inside), then for each quantity of statistics.profiles its
 * mean, NAME, and the rms deviation from it within the shell, NAME_deviation. Density, pressure and
 * |B| are averaged by volume, velocities, temperature, entropy and the scalar by mass. With
 * `verify: true` the exact solution is averaged over the same cells in the same way: exact_NAME.
 * Values of a shell without cells are nan. Velocities are those of the box.
 *
 * Shapes  none
 * Units   code units, see the table
 * Errors  SL_EINPUT for a damaged snapshot; SL_EIO, SL_EMEM, SL_EMPI
 * Owns    the table is the caller's
 * MPI     collective; every rank gets the table, the same bits on any number of ranks
 * Where   host
 * Refs    none
 * Tests   tests/problem/numpy_profiles.sh
 */
#ifndef SL_STATS_RADIAL_PROFILE_H
#define SL_STATS_RADIAL_PROFILE_H

#include <mpi.h>

#include "core/io/snapshot.h"
#include "core/measure/fields.h"

struct sl_config;

/* Of what statistics.profiles asks for; nothing without. like: number and times of the snapshot. */
int sl_radial_profile_measure(MPI_Comm comm, const struct sl_config *cfg,
                              const struct sl_snapshot *snapshot, const struct sl_fields *like,
                              struct sl_tables *tables);

#endif
