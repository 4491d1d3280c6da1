/* output.h - a file, or a set of files, of a state that holds still: in four pieces of work, of
 * which the two that take time may run beside the steps.
 *
 * look and put are of this rank alone, call no MPI and read nothing that a step changes, so a
 * thread may do them; open and close are of all ranks together. So no rank needs an MPI that
 * threads may call, and what is seen of an output is seen when all of it is there.
 *
 * Shapes  none
 * Units   none
 * Errors  those of the pieces, the same on all ranks; a piece that fails leads to close
 * Owns    the job, until close frees it
 * MPI     collective over the communicator given to begin unless a function says local
 * Where   host
 * Refs    none
 * Tests   tests/unit/output.c, tests/law/behind.c
 */
#ifndef SL_IO_OUTPUT_H
#define SL_IO_OUTPUT_H

#include <mpi.h>
#include <stdbool.h>

/* look, local: what must be known of the state before the file is made. open, collective: room and
 * names. put, local: the values. close, collective: makes it count, or, where code tells of a
 * failure, undoes it and returns that; frees the job. */
struct sl_output_kind {
    int (*look)(void *job);
    int (*open)(void *job);
    int (*put)(void *job);
    int (*close)(void *job, int code);
};

struct sl_output;

/* beside: look and put run on a thread of their own, where one can be had; the state must hold
 * still until the output is over. The job is then the output's also when this fails. */
int sl_output_begin(MPI_Comm comm, const struct sl_output_kind *kind, void *job, bool beside,
                    struct sl_output **out);
/* local. Whether a thread is at work; NULL: no. */
bool sl_output_busy(const struct sl_output *out);
/* Goes on, after waiting where it is busy. *out becomes NULL when it is over; until then SL_OK. */
int sl_output_next(struct sl_output **out);
/* Goes on to the end; nothing where *out is NULL. */
int sl_output_end(struct sl_output **out);

#endif
