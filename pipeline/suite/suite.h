/* suite.h - the verification suite: short runs of sluice-sim on problems with known answers, each
 * compared with a limit. The rows are suite.def.
 *
 * Shapes  none
 * Units   code units of the problems
 * Errors  SL_EMEMBER when a row misses its limit, SL_EUSAGE for an unknown name, SL_EIO
 * Owns    a directory below TMPDIR while it runs; it stays, and is named, when a run failed
 * MPI     none: sluice-sim is started as a program of one rank
 * Where   host
 * Refs    suite.def names the sources of the limits
 * Tests   tests/unit/suite.c, tests/problem/verify.sh, tests/cli/verify.sh
 */
#ifndef SL_PIPELINE_SUITE_SUITE_H
#define SL_PIPELINE_SUITE_SUITE_H

#include <stdbool.h>

enum sl_suite_kind {
    SL_SUITE_below,
    SL_SUITE_above,
    SL_SUITE_ratio,
    SL_SUITE_same,
    SL_SUITE_among
};

/* A row of suite.def. */
struct sl_suite_row {
    const char *group;
    bool long_; /* takes minutes */
    const char *what, *scheme, *run, *other;
    enum sl_suite_kind kind;
    const char *key;
    double limit;
    const char *peers;
    int seeds; /* 0: one run; else the row is about the mean over runs with the seeds 1 .. seeds */
};

/* What came out of a row. */
struct sl_suite_result {
    const struct sl_suite_row *row;
    double value; /* NAN: the run failed or printed nothing */
    double error; /* of a mean, the standard one; else NAN */
    bool holds;
};

struct sl_suite_ask {
    int n;
    char **names;       /* groups; all when n is 0 */
    bool all, json;     /* also the rows that take minutes; JSON instead of a table */
    const char *report; /* folder of the page, made when it is not there; NULL: no page */
    const char *times;  /* file of suite/times.h for figures that show times; NULL: without them */
    unsigned schemes; /* bits: kinds of suite/schemes.h; with any, rows only where named, or all */
};

/* Runs the rows that are asked for, prints a table or a JSON document to stdout, and writes the
 * page. */
int sl_suite_run(const struct sl_suite_ask *ask);

/* The sign between what was measured and the limit. */
const char *sl_suite_sense(const struct sl_suite_row *row, const char *below, const char *above,
                           const char *among);

/* The names of the groups, separated by spaces. */
const char *sl_suite_groups(void);

/* Whether a group is among those asked for. */
bool sl_suite_wants(const struct sl_suite_ask *ask, const char *group);

#endif
