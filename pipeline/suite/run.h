/* run.h - the runs of the verification suite: sluice-sim with a list of keys, each list run once,
 * as many at a time as there are cores.
 *
 * Shapes  none
 * Units   code units of the problems
 * Errors  SL_EIO, SL_EMEM, SL_EUNAVAIL; a run that fails is no error here, its code is not 0
 * Owns    a directory below TMPDIR while it is open; it stays when a run failed
 * MPI     none: the programs are started as programs of one rank
 * Where   host
 * Refs    none
 * Tests   tests/cli/verify.sh
 */
#ifndef SL_PIPELINE_SUITE_RUN_H
#define SL_PIPELINE_SUITE_RUN_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/sys/file.h"
#include "pipeline/base/csv.h"
#include "pipeline/launch/child.h"

struct sl_suite_run {
    char *keys; /* owned: "key=value key=value ..." over the defaults of all runs */
    /* that are to end before the run is done: sluice-ic where it needs one, and sluice-sim */
    int programs;
    pid_t pid; /* of the one that runs; 0: none */
    FILE *log; /* owned; what they print; NULL before and after */
    int code;  /* exit code */
    char dir[SL_PATH_MAX];
    char *verify;          /* owned: text of verify.tsv, NULL when there is none */
    double seconds;        /* of a processor that its programs used */
    struct sl_csv history; /* no rows when there is none */
};

struct sl_suite_runs {
    char dir[SL_PATH_MAX];
    struct sl_suite_run **run; /* owned array of owned runs */
    int n, started, busy;      /* all; the first ones, which were started; those of them that run */
    bool keep;                 /* a run failed: the directory stays */
};

/* The recipe that every run starts from; its keys come after it. */
extern const char *const sl_suite_common;
/* Each of the keys as an argument of its own. */
void sl_suite_add_keys(struct sl_args *args, const char *keys);

int sl_suite_runs_open(struct sl_suite_runs *runs);
void sl_suite_runs_close(struct sl_suite_runs *runs);

/* Names a run that somebody will get: it starts once those that were named before have, and a core
 * is free. */
int sl_suite_runs_add(struct sl_suite_runs *runs, const char *keys);

/* The run with these keys, done: waits for it, and makes it when nobody named it before. */
int sl_suite_runs_get(struct sl_suite_runs *runs, const char *keys, struct sl_suite_run **out);

/* A number that a run left, NAN when there is none: "name" and "name.max", first and second of a
 * line of verify.tsv; "history.column", the last line of the history; "drift.column", the relative
 * change from its first line; "history.column@n" and "drift.column@n", line n (from 0) in the place
 * of those; "layzer_irvine", what the history of gas in an expanding universe lacks in the balance
 * of energies, over the largest potential energy; "momentum", the largest change of a momentum
 * from the first line to the last, over (2 mass energy_kinetic)^1/2. */
double sl_suite_run_value(const struct sl_suite_run *run, const char *key);

#endif
