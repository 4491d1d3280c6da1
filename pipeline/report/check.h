/* check.h - the checks that a report lists as passed or failed.
 *
 * Shapes  none
 * Units   none
 * Errors  none: what cannot be checked is `unknown`
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c
 */
#ifndef SL_PIPELINE_REPORT_CHECK_H
#define SL_PIPELINE_REPORT_CHECK_H

#include "pipeline/report/data.h"

enum sl_verdict { SL_VERDICT_pass, SL_VERDICT_fail, SL_VERDICT_unknown };

struct sl_check {
    const char *name; /* what is checked */
    char found[160];  /* the number, and the limit it is compared with */
    enum sl_verdict verdict;
};

enum { SL_CHECKS_MAX = 8 };

/* Returns how many were written. */
int sl_checks_make(const struct sl_report *r, struct sl_check check[SL_CHECKS_MAX]);

#endif
