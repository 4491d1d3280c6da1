/* agree.h - makes the ranks of a communicator agree on a status before they part.
 *
 * Shapes  none
 * Units   none
 * Errors  returns the status agreed on
 * Owns    nothing
 * MPI     collective over comm
 * Where   host code
 * Refs    none
 * Tests   tests/unit/agree.c
 */
#ifndef SL_SYS_AGREE_H
#define SL_SYS_AGREE_H

#include <mpi.h>

/* Every rank returns the code of the lowest rank whose code is not SL_OK (SL_OK when there is none)
 * and holds that rank's error text. Between two collective calls no rank returns early: it carries
 * its code to the next sl_agree. */
int sl_agree(MPI_Comm comm, int code);

#endif
