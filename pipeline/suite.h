/* suite.h - the verification suite: short runs of sluice-sim on problems with known answers, each held
 * against a limit. The rows are suite.def.
 *
 * Shapes  none
 * Units   code units of the problems
 * Errors  SL_EMEMBER when a row misses its limit, SL_EUSAGE for an unknown name, SL_EIO
 * Owns    a directory below TMPDIR while it runs; it stays, and is named, when a run failed
 * MPI     none: sluice-sim is started as a program of one rank
 * Where   host
 * Refs    suite.def names the sources of the limits
 * Tests   tests/problem/verify.sh
 */
#ifndef SL_PIPELINE_SUITE_H
#define SL_PIPELINE_SUITE_H

#include <stdbool.h>

/* Runs the rows of the named groups (all groups when n is 0): those that take seconds, or with all
 * every one. Prints a table, or with json a JSON document, to stdout. */
int sl_suite_run(int n, char **names, bool all, bool json);

/* Whether name is a group of the suite. */
bool sl_suite_has(const char *name);

/* The names of the groups, separated by spaces. */
const char *sl_suite_groups(void);

#endif
