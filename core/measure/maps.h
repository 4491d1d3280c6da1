/* maps.h - pictures of a snapshot: a plane, and what lies along a line of sight.
 *
 * Tables slice_<map>_<axis>_<number> in two and three dimensions, projection_<map>_<axis>_<number>
 * in three, of the maps that statistics.maps asks for (config/show.h) along statistics.map_axes.
 * Slices show sl_show_plane; where that is not the middle one, their note `plane` says where it is.
 * Of the density both are logarithms to base 10: of the density itself and of its integral; other
 * projections are means along the line, weighted by mass. Derivatives are differences over two
 * cells, at an open boundary over one.
 *
 * Shapes  a table has a line per row of pixels; along z lines are y and columns x, along y z and x,
 *         along x z and y. A pixel is one cell, or the mean of `cells`^2 so that no side has more
 *         than SL_MAP_EDGE
 * Units   code units
 * Errors  SL_EMEM, agreed on by all ranks
 * Owns    tables are added to the caller's, on rank 0 alone
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    none
 * Tests   tests/problem/numpy_spectrum.sh, tests/cli/stats.sh
 */
#ifndef SL_MEASURE_MAPS_H
#define SL_MEASURE_MAPS_H

#include "core/measure/fields.h"

struct sl_config;

/* local. Cells along a side of a pixel. */
int sl_map_cells(const int n[3]);

/* local. Slices across an axis alone, of a level: of its planes along the axis those from `from` on
 * lie here, the slice among them. */
int sl_map_slices(const struct sl_config *cfg, const struct sl_fields *fields, int level, int axis,
                  int from, double *work[3], struct sl_tables *tables);

/* collective. Slices and projections, where their grid (sl_show_map_level) is this one, that of
 * statistics.level. Pressure, scalar, potential and field must be there where sl_show_maps asks for
 * them. work: as for sl_measure_fields. */
int sl_maps_make(const struct sl_config *cfg, const struct sl_fields *fields, double *work[3],
                 struct sl_tables *tables);

/* local. Projections of a grid of n cells of which some planes at a time are there: each plane is
 * added once, from the lowest z on, from fields that hold `count` planes from plane `first` on and,
 * for derivatives, their neighbours. Then the tables, once; like: number and times of the snapshot,
 * and a slab of the whole grid. */
struct sl_map_sums;
int sl_map_sums_new(const struct sl_config *cfg, int level, const int n[3],
                    struct sl_map_sums **out);
int sl_map_sums_add(struct sl_map_sums *sums, const struct sl_fields *fields, int first, int count,
                    int z, double *work[3]);
int sl_map_sums_tables(struct sl_map_sums *sums, const struct sl_fields *like,
                       struct sl_tables *tables);
void sl_map_sums_free(struct sl_map_sums *sums);

#endif
