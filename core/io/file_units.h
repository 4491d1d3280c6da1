/* file_units.h - what a code unit is in the files of a run: CGS where it has units, comoving in a
 * universe.
 *
 * Shapes  none
 * Units   CGS of one code unit; 1 when the run has none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/snapshot.c
 */
#ifndef SL_IO_FILE_UNITS_H
#define SL_IO_FILE_UNITS_H

struct sl_state;
struct sl_expansion;

struct sl_file_units {
    double length, density, velocity;
    double scale_factor; /* 0: the run is of no universe */
};

/* universe: that of the state, or that of a start which goes nowhere; NULL: there is none. */
struct sl_file_units sl_file_units_of(const struct sl_state *state,
                                      const struct sl_expansion *universe);

#endif
