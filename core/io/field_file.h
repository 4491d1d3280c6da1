/* field_file.h - fields on a uniform grid in an HDF5 file, as a start for a run: ic.h5 and the file
 * of the problem `array`.
 *
 * Datasets lie in the root group and are named density, pressure, velocity_x, velocity_y,
 * velocity_z, magnetic_field_x, magnetic_field_y, magnetic_field_z, scalar_0 ... (scalars as
 * fractions of the density). The grid of the file need not be that of the run: along each axis one
 * must divide the other. A finer file is averaged over the cells of the run (mass, momentum and
 * energy, so that they are conserved, or heat in place of energy); a coarser file is injected, each
 * of its cells filling several of the run.
 *
 * Shapes  [nz][ny][nx], x fastest; leading axes of length 1 may be left out or added
 * Units   code units; any integer or floating-point type in the file
 * Errors  SL_EINPUT with the file, the dataset and what is wrong; SL_EIO; the field is then not to
 * be used
 * Owns    nothing
 * MPI     as each function says
 * Where   host
 * Refs    none
 * Tests   tests/unit/field_file.c, tests/cli/array.sh, tests/law/ic.sh
 */
#ifndef SL_IO_FIELD_FILE_H
#define SL_IO_FIELD_FILE_H

#include <stdbool.h>

#include "core/grid/slab.h"

struct sl_state;

struct sl_field_source {
    const char *path;
    /* Text that the attribute `random_field` must equal, line by line; NULL: any file will do. */
    const char *expect;
    /* Uniform values where the file has no such dataset; 0: it must have one. */
    double density, pressure;
    double magnetic[3]; /* likewise, but 0 is a value where `expect` is given */
    /* The caller sets the scalars that the file has not; else it must have them. */
    int scalars_optional;
    int magnetic_optional; /* likewise for the magnetic field, which is then `magnetic` */
    int level;      /* of the mesh: a file that is coarser than this is refused; 0: none is */
    bool keep_heat; /* a mean has the heat of its cells, not the motion that it cannot hold */
};

/* collective. Sets the interior of state->u; every rank reads its own blocks. Without gas it only
 * compares what the file was made for. */
int sl_field_file_fill(const struct sl_field_source *source, struct sl_state *state);

/* local. *reaches: whether the density of the file is at least as fine as the cells of a level,
 * along each axis. */
int sl_field_file_reaches(const char *path, const struct sl_state *level, bool *reaches);

/* collective. Own planes [nz][n1][n0] of one dataset of the slab's shape, of any group. */
int sl_field_file_read(const struct sl_slab *slab, const char *path, const char *name, double *out);

struct sl_field_out {
    const char *name, *units, *about;
    const double *value; /* borrowed, own planes of the slab */
};

struct sl_hdf;
/* collective. h is open on rank 0, which lays the fields out and tells all ranks where their planes
 * belong; every rank then opens the file and writes its own, on disk on return: all must see the
 * path, on whatever host. h is used on rank 0 only. */
int sl_field_file_write(const struct sl_slab *slab, struct sl_hdf *h, int nfield,
                        const struct sl_field_out *field);

#endif
