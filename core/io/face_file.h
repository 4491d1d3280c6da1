/* face_file.h - the magnetic field at the faces of cells from an HDF5 file, for constrained
 * transport: datasets magnetic_face_x, magnetic_face_y, magnetic_face_z beside those of
 * field_file.h, or its vector potential, vector_potential_x, vector_potential_y,
 * vector_potential_z.
 *
 * Averages over the faces of a uniform grid, each dataset with one value more along its own axis:
 * face i of it lies at the lower side of cell i. The grid is that of the run, or finer by whole
 * factors: then a face takes the mean of those within it, which leaves a field without divergence
 * one. So do levels.
 *
 * The potential is averaged along the edges of cells, each dataset with one value more along the
 * two other axes; the field is what goes around a face, over its area, and has no divergence
 * whatever the potential. A uniform part is part of it: it need not be periodic, as long as the
 * field is. In two dimensions the third component alone is read, and no component in one.
 *
 * Shapes  magnetic_face_x [nz][ny][nx + 1], vector_potential_x [nz + 1][ny + 1][nx], likewise y and
 *         z; leading axes of length 1 may be left out
 * Units   code units; any integer or floating-point type in the file
 * Errors  SL_EINPUT with the file, the dataset and what is wrong
 * Owns    nothing
 * MPI     local: every rank reads the faces of its own blocks
 * Where   host
 * Refs    none
 * Tests   tests/cli/array.sh
 */
#ifndef SL_IO_FACE_FILE_H
#define SL_IO_FACE_FILE_H

#include <stdbool.h>

struct sl_state;

/* *is: whether the file has such datasets; false if it is no HDF5 file. SL_EIO if the system fails
 * to read it. Local. */
int sl_face_file_is(const char *path, bool *is);

/* *reaches: whether all of them are at least as fine as the cells of a level. */
int sl_face_file_reaches(const char *path, const struct sl_state *level, bool *reaches);

/* Sets the field at all faces of the interior cells of the level, upper ones included. */
int sl_face_file_fill(const char *path, struct sl_state *state);

#endif
