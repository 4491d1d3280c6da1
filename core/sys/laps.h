/* laps.h - where the wall time of a long piece of work goes, part by part.
 *
 * Shapes  none
 * Units   seconds of wall time
 * Errors  none
 * Owns    one list in a process; names are borrowed and stay valid
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law/in_run.sh
 */
#ifndef SL_SYS_LAPS_H
#define SL_SYS_LAPS_H

/* Forgets what there was; what follows has no name yet and is not told. */
void sl_laps_begin(void);
/* What follows is of this name, which may come again. */
void sl_lap(const char *name);
/* Logs "WHAT in 12.3 s: NAME 1.2, NAME 3.4", without parts below a hundredth of it. */
void sl_laps_tell(const char *what);

#endif
