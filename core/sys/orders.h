/* orders.h - a program that does run after run, as it is told through a socket: MPI, and a device,
 * are started once for all of them.
 *
 * Rank 0 connects to a socket (AF_UNIX, SOCK_SEQPACKET) and takes orders (order.h), of its own user
 * alone. For each, all ranks go to the directory in which the program began, write to the log of
 * the order, and do the run; rank 0 answers. The end of the connection ends the program.
 *
 * A run leaves nothing behind that changes the next one: what it made is freed, and FFTW plans
 * anew.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EUNAVAIL when nobody listens, or another user, which is logged; what runs meet is
 *         answered, not returned
 * Owns    nothing
 * MPI     collective over comm
 * Where   host, Linux
 * Refs    unix(7)
 * Tests   tests/law/orders.c, tests/law/pack.sh, tests/cli/sim.sh
 */
#ifndef SL_SYS_ORDERS_H
#define SL_SYS_ORDERS_H

#include <mpi.h>

/* A run: argv[0] is that of the program; ranks agree on the status. */
typedef int sl_orders_run(int argc, char **argv);

int sl_orders_serve(MPI_Comm comm, char *program, const char *name, sl_orders_run *run);

/* What a program does: `program --orders NAME` serves all ranks with ordered, else whole is all. */
int sl_orders_or(int argc, char **argv, sl_orders_run *ordered, sl_orders_run *whole);

#endif
