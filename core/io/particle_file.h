/* particle_file.h - particles in HDF5 files: starts that are read.
 *
 * A file has lists position_x, position_y, position_z, velocity_x, velocity_y, velocity_z, of any
 * shape, one number per particle; mass, likewise, of no more different values than there are kinds
 * (SL_PARTICLE_KINDS); and id, without which particles are numbered as they stand. Each rank reads
 * a share of the lists.
 *
 * Shapes  lists of one length
 * Units   code units
 * Errors  SL_EINPUT with the file, the list and what is wrong; SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     collective
 * Where   host
 * Refs    none
 * Tests   tests/law/particles.c
 */
#ifndef SL_IO_PARTICLE_FILE_H
#define SL_IO_PARTICLE_FILE_H

#include "core/particles/store.h"

/* Adds those of a file to p and sets the masses of the kinds. */
int sl_particle_file_read(const char *path, struct sl_particles *p);

/* Those of a group of another file, of one mass; velocities times `scale`. */
struct sl_particle_group {
    const char *path, *group; /* names of lists begin with group, e.g. "particles/" */
    double scale, mass;       /* mass: of all of them together */
    int every; /* lists are a grid [z][y][x], of which each so-manieth along each axis is meant */
};
int sl_particle_file_group(const struct sl_particle_group *from, struct sl_particles *p);

#endif
