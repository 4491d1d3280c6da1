/* agree.h - makes the ranks of a communicator agree on a status before they part, and when they
 * meet again.
 *
 * Shapes  none
 * Units   none
 * Errors  returns the status agreed on
 * Owns    nothing
 * MPI     collective over comm
 * Where   host code
 * Refs    none
 * Tests   tests/unit/agree.c, tests/law/alone.sh
 */
#ifndef SL_SYS_AGREE_H
#define SL_SYS_AGREE_H

#include <mpi.h>

/* Every rank returns the code of the lowest rank whose code is not SL_OK (SL_OK when there is none)
 * and holds that rank's error text. Between two collective calls no rank returns early: it carries
 * its code to the next sl_agree. */
int sl_agree(MPI_Comm comm, int code);

/* The same, and every rank gets the largest of all ranks of each of n <= SL_AGREE_MOST numbers: one
 * reduction where all is well. SL_EMPI, too. */
enum { SL_AGREE_MOST = 7 };
int sl_agree_most(MPI_Comm comm, int code, int n, double *most);

/* The same as sl_agree for ranks that come from a piece of work with collective calls of its own,
 * where one may have failed without the others: they wait for it in a call of that work, which will
 * not come. A rank with a failure to which not all others have come after `patience` seconds tells
 * it and ends the job with its code; SL_EAGAIN, a stop that all ranks decided, waits as success
 * does. comm: used for nothing else. */
int sl_agree_after(MPI_Comm comm, int code, double patience);
/* Does such a piece of work and agrees after it on a communicator of its own. hang: seconds after
 * which a run counts as hung (resources.hang); a tenth of it, a minute at most, is the patience:
 * all ranks learn of most failures at once, but one may have files to remove before it comes. */
typedef int sl_agree_job(void *context);
int sl_agree_work(MPI_Comm comm, sl_agree_job *work, void *context, double hang);

#endif
