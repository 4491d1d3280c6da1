/* inspect.h - what an HDF5 file of ours holds, and whether all of it can be read.
 *
 * Shapes  none
 * Units   as the file says
 * Errors  SL_EINPUT for a file that is not HDF5, SL_EMEM, SL_EIO; what is damaged in it
 *         is reported, and is no error
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/inspect.sh
 */
#ifndef SL_IO_INSPECT_H
#define SL_IO_INSPECT_H

/* One object of JSON on standard output: kind, facts (name: value), parts (name, shape, units,
 * about), wrong (texts). */
int sl_inspect_print(const char *path);

#endif
