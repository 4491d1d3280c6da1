/* start_list.h - the codes for which a cosmological start can be written, by name.
 *
 * Adding one is adding a line here and a file core/ic/start_<name>.c with sl_start_<name>_write
 * (start.h).
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/law/starts.sh
 */
#ifndef SL_LISTS_START_LIST_H
#define SL_LISTS_START_LIST_H

/* X(name, "sentence") */
#define SL_START_LIST(X)                                                                           \
    X(gadget, "HDF5 of Gadget-2, -3, -4, Arepo, GIZMO: kpc/h, 1e10 Msun/h, sqrt(a) km/s")          \
    X(swift, "HDF5 of SWIFT: Mpc, 1e10 Msun, km/s, a group Units, no h")                           \
    X(grafic, "grafic2 of RAMSES: a file per field, Mpc and proper peculiar km/s")                 \
    X(enzo, "HDF5 of Enzo: GridDensity, GridVelocities, ParticlePositions, ParticleVelocities")

#endif
