/* peak.h - what ranks tell of the memory that they took: a line of the log, which the attempt that
 * started them reads.
 *
 * Shapes  none
 * Units   bytes
 * Errors  none: an MPI that fails here ends the program by itself
 * Owns    nothing
 * MPI     collective, but for sl_peak_begin
 * Where   host; memory of devices does not count
 * Refs    getrusage(2), proc(5)
 * Tests   tests/unit/memory.c, tests/slurm/memory.sh
 */
#ifndef SL_SYS_PEAK_H
#define SL_SYS_PEAK_H

#include <mpi.h>

/* Rank 0 logs the most that the fullest rank had in memory at a time, and the sum over the
 * ranks. */
void sl_peak_tell(MPI_Comm comm);

/* What comes from now on counts, as far as the kernel forgets the rest (proc(5), clear_refs). */
void sl_peak_begin(void);
#endif
