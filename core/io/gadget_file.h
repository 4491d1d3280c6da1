/* gadget_file.h - dark matter of a universe from the HDF5 files that Gadget and its relatives start
 * from, as MUSIC, monofonIC and N-GenIC write them.
 *
 * Particles of type 1 and of one mass are read, from one file or from NAME.0.hdf5, NAME.1.hdf5 and
 * so on; other types are refused. The group Header tells what the file is of: BoxSize, Time (the
 * scale factor), Omega0, HubbleParam and the mass of all particles must be those of the run. Units
 * are those that Header or Parameters name (UnitLength_in_cm and so on), of h; without them kpc/h
 * or Mpc/h, by which BoxSize is the box of the run, 1e10 Msun/h and km/s. Velocities are
 * sqrt(a) dx/dt: proper peculiar ones over sqrt(a).
 *
 * Places are taken as parts of BoxSize. Every particle then has the mass that the universe of the
 * run gives it: Omega0 of a file has fewer digits.
 *
 * Shapes  Coordinates, Velocities [n][3], ParticleIDs [n], Masses [n] where MassTable has none
 * Units   those of the file
 * Errors  SL_EINPUT with the file and what is wrong in it, also ids that come twice and places
 *         outside of the box; SL_EIO, SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective over the mesh; each rank reads a share
 * Where   host; beside the particles 24 bytes of each, for their ids
 * Refs    Springel 2005 and its user guide
 * Tests   tests/law/gadget_start.sh
 */
#ifndef SL_IO_GADGET_FILE_H
#define SL_IO_GADGET_FILE_H

#include "core/particles/store.h"

struct sl_gadget_start {
    const char *path;     /* the only file, or the first */
    double a, h, omega_m; /* of the run */
    int64_t across;       /* particles that are expected along an axis */
    double speed;         /* of proper peculiar 1 km/s, in code units */
};

/* What the headers of the files say, alone. */
int sl_gadget_file_look(const struct sl_gadget_start *start, const struct sl_mesh *mesh);
/* Adds the particles of the files to p, and sets their mass. The box of the mesh is in Mpc/h. */
int sl_gadget_file_read(const struct sl_gadget_start *start, struct sl_particles *p);

#endif
