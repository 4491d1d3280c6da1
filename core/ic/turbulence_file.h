/* turbulence_file.h - makes the velocity field of problem `turbulence`, checks it and writes it.
 *
 * Shapes  velocity_x, velocity_y, velocity_z: [nz][ny][nx]; group spectrum: one row per shell 0 ..
 *         kmax
 * Units   code units
 * Errors  SL_EINPUT for a recipe that makes no sense; SL_EGUARD when the spectrum measured on the
 *         grid is not that of the modes; SL_EIO, SL_EMEM; no file is left behind
 * Owns    nothing
 * MPI     collective; the values do not depend on the number of ranks
 * Where   host
 * Refs    none
 * Tests   tests/law/ic.sh
 */
#ifndef SL_IC_TURBULENCE_FILE_H
#define SL_IC_TURBULENCE_FILE_H

#include <mpi.h>

struct sl_config;

int sl_turbulence_file_write(MPI_Comm comm, const struct sl_config *cfg, const char *path);

#endif
