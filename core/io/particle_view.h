/* particle_view.h - the view of a snapshot's particles for ParaView: a small file beside the
 * snapshot, since its own group VTKHDF is that of the cells (vtkhdf.h).
 *
 * NAME.particles.vtkhdf is of type UnstructuredGrid: points without cells, which the reader of
 * VTK 9.2 opens (PolyData is of 9.3) and "Point Gaussian" and glyphs show. Points and the arrays
 * velocity, mass and id are virtual datasets over columns of the snapshot's table: nothing is
 * copied, and without the snapshot beside it values are NaN. It is no product, as the second name
 * of the snapshot.
 *
 * Shapes  [particles][3], [particles]
 * Units   as in the snapshot
 * Errors  SL_EINPUT, SL_EIO; what is there stays as it was
 * Owns    nothing
 * MPI     local: rank 0 alone, serial HDF5
 * Where   host
 * Refs    VTKHDF file format
 * Tests   tests/cli/readers.sh
 */
#ifndef SL_IO_PARTICLE_VIEW_H
#define SL_IO_PARTICLE_VIEW_H

/* Its name into out[SL_PATH_MAX]. */
int sl_particle_view_name(char *out, const char *snapshot);
/* Makes it, replacing an older one; of a snapshot without particles there is none. */
int sl_particle_view_make(const char *snapshot);

#endif
