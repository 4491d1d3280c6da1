/* sample.h - text tables of a run's last state, to be plotted beside the exact solution.
 *
 * Each begins with lines of comment as the tables of statistics do (core/measure/table.h): what it
 * is, "# time: t", in an expanding universe "# redshift: z", "# unit COLUMN: unit"; then the names
 * of its columns.
 *
 * sample_line.csv: the cells along x through the middle of the box. sample_radius.csv: means and
 * standard deviations over shells around output.center, as thick as a cell. sample_plane.csv: the
 * cells of the plane through the middle, x fastest. Columns exact_*: the exact solution of the
 * problem at that place and time, nan where it has none; exact_density of the line also a converged
 * density. Of a run with levels they are taken from the grid of the finest one (whole.h).
 *
 * Shapes  rows in the order of the coordinate
 * Units   code units; current_z is the z component of curl B from central differences
 * Errors  SL_EMEM, SL_EMPI, SL_EIO
 * Owns    nothing
 * MPI     collective over state->mesh->comm; rank 0 writes. Every rank holds the whole grid: for
 *         small runs
 * Where   host
 * Refs    none
 * Tests   tests/cli/sample.sh
 */
#ifndef SL_EXACT_SAMPLE_H
#define SL_EXACT_SAMPLE_H

struct sl_state;

/* Writes what output.sample asks for into the working directory. */
int sl_sample_write(const struct sl_state *state);

#endif
