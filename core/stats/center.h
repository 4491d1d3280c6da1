/* center.h - the point that radial profiles are about: the densest one, the centre of mass, or
 * output.center.
 *
 * The densest point is the middle of the densest cell; of cells beside it that are as dense, to
 * 1e-6, it is the middle of all of them, so that a symmetric peak has its own centre. The centre of
 * mass along a periodic axis is the phase of the first Fourier mode of the mass, which does not
 * depend on where the box begins.
 *
 * Shapes  x[3]; 0 along axes that are not there
 * Units   code units
 * Errors  SL_EINPUT for a damaged snapshot; SL_EIO, SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective; the same bits on any number of ranks
 * Where   host
 * Refs    Bai & Breen 2008 (the centre of mass of a periodic box)
 * Tests   tests/problem/numpy_profiles.sh
 */
#ifndef SL_STATS_CENTER_H
#define SL_STATS_CENTER_H

#include <mpi.h>

#include "core/io/snapshot.h"

struct sl_config;

/* Of all gas, as statistics.profile_center says. */
int sl_center_find(MPI_Comm comm, const struct sl_config *cfg, const struct sl_snapshot *snapshot,
                   double x[3]);

#endif
