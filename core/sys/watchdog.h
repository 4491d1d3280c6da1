/* watchdog.h - ends a process that hangs: a thread that watches how long the present phase takes.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EUNAVAIL when the thread cannot be made
 * Owns    its thread; one per process
 * MPI     local; a phase that is too long names itself on stderr and ends the job through sl_on_bug
 *         (MPI_Abort), and this process in any case
 * Where   host; time in which the whole process is suspended does not count
 * Refs    none
 * Tests   tests/unit/watchdog.c
 */
#ifndef SL_SYS_WATCHDOG_H
#define SL_SYS_WATCHDOG_H

int sl_watchdog_start(double limit);
/* Begins a phase and ends the one before; NULL: nothing is watched. The name must stay valid. */
void sl_watchdog_phase(const char *name);
void sl_watchdog_stop(void);

#endif
