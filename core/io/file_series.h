/* file_series.h - the list of a run's snapshots with their times, by which ParaView opens them as
 * one sequence.
 *
 * A text in JSON, beside the snapshots, under two names: CAMPAIGN.vtkhdf.series, and
 * CAMPAIGN.hdf.series for ParaView 5.11, whose reader goes by that one. Where there are particles,
 * their views (particle_view.h) have lists likewise, CAMPAIGN.particles.vtkhdf.series and .hdf.
 *
 * Shapes  none
 * Units   times as the coordinates in the snapshots: code time, or s when units.* are set; in an
 *         expanding universe the scale factor
 * Errors  SL_EIO, SL_EMEM; what is there stays as it was
 * Owns    what sl_file_series_release frees
 * MPI     local; for rank 0
 * Where   host
 * Refs    https://www.paraview.org/Wiki/ParaView_Release_Notes#JSON_based_new_meta_file_format_for_series_added
 * Tests   tests/cli/readers.sh, tests/cli/sim.sh
 */
#ifndef SL_IO_FILE_SERIES_H
#define SL_IO_FILE_SERIES_H

#include <stdint.h>

struct sl_sealed;

/* Times of the snapshots 0 .. n-1 as far as they are known, zero at first. */
struct sl_file_series {
    int64_t n;
    double *time; /* owned; NAN: not read yet */
};

/* Lists the snapshots of dir with numbers below `end` that are there; each is opened once, and gets
 * its views (sl_snapshot_view). sealed, where it is not NULL, is told of the lists. */
int sl_file_series_write(struct sl_file_series *s, const char *dir, const char *campaign,
                         int64_t end, struct sl_sealed *sealed);
void sl_file_series_release(struct sl_file_series *s);

#endif
