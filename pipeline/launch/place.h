/* place.h - where the programs of sluice lie: beside the running one, wherever it was put.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUNAVAIL when the program is not there
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    proc(5)
 * Tests   tests/unit/place.c, tests/law/silent.sh
 */
#ifndef SL_PIPELINE_LAUNCH_PLACE_H
#define SL_PIPELINE_LAUNCH_PLACE_H

#include <stddef.h>

/* Absolute path of a program, e.g. "sluice-sim", in the directory of /proc/self/exe, or in
 * SLUICE_PROGRAMS when that is set. */
int sl_place_program(const char *name, char *path, size_t size);

/* Absolute path of the running program, or of the one that has taken its place since. */
int sl_place_self(char *path, size_t size);

#endif
