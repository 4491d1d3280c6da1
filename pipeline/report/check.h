/* check.h - the checks that a report lists as passed or failed, and report/checks.txt, in which
 * others find what the last report found.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EIO, SL_EMEM; what cannot be checked is `unknown`
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c
 */
#ifndef SL_PIPELINE_REPORT_CHECK_H
#define SL_PIPELINE_REPORT_CHECK_H

#include "pipeline/report/data.h"

/* X(name, word) */
#define SL_VERDICT_LIST(X)                                                                         \
    X(pass, "PASS")                                                                                \
    X(fail, "FAIL")                                                                                \
    X(unknown, "not known")

#define SL_VERDICT_ROW(name, word) SL_VERDICT_##name,
enum sl_verdict { SL_VERDICT_LIST(SL_VERDICT_ROW) };
#undef SL_VERDICT_ROW
const char *sl_verdict_word(enum sl_verdict verdict);

struct sl_check {
    const char *name; /* what is checked */
    char found[160];  /* the number, and the limit it is compared with */
    enum sl_verdict verdict;
};

enum { SL_CHECKS_MAX = 10 };

/* Returns how many were written; the first is about the members' ends. */
int sl_checks_make(const struct sl_report *r, struct sl_check check[SL_CHECKS_MAX]);
/* Writes report/checks.txt. */
int sl_checks_write(const struct sl_report *r);
/* How many checks had failed in the last report of a campaign, and in `text` which; 0 without one.
 * ends: that about the members' ends counts. */
int sl_checks_failed(const char *campaign_dir, bool ends, char *text, size_t room);

#endif
