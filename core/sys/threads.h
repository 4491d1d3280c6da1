/* threads.h - a loop over independent items, shared out to the cores that a process has for itself.
 *
 * One thread does everything until the process is said to have more cores: one that leaves its work
 * to a device has them idle; without a device other members may have them. Nothing may depend on
 * which thread takes which piece, so that bits do not depend on their number.
 *
 * Shapes  none
 * Units   none
 * Errors  the code and text of a piece that failed; others may have been done or not
 * Owns    threads that end with the call
 * MPI     local but for _share; pieces make no call of MPI
 * Where   host
 * Refs    none
 * Tests   tests/unit/threads.c
 */
#ifndef SL_SYS_THREADS_H
#define SL_SYS_THREADS_H

#include <mpi.h>
#include <stddef.h>

/* How many there may be, the calling one among them; 0: cores that the process may run on over
 * `sharing` processes. Returns how many. */
int sl_threads_allow(int most, int sharing);

/* collective. As many as this process may run on, or, of cores that ranks of comm share, a part. */
int sl_threads_share(MPI_Comm comm);

/* Items from .. end - 1 of `of`. */
typedef int sl_piece_fn(void *of, size_t from, size_t end);
/* All of n items, in pieces of `piece`, the first ones first. */
int sl_threads_run(size_t n, size_t piece, sl_piece_fn *work, void *of);

#endif
