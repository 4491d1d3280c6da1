/* across.h - what a campaign swept, in words and numbers: for figures, headlines and tables of a
 * report.
 *
 * Shapes  none
 * Units   as the quantities say
 * Errors  none: a number that is not there is NAN
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_ACROSS_H
#define SL_PIPELINE_REPORT_ACROSS_H

#include "pipeline/report/data.h"

enum { SL_ACROSS_LABEL = 160 };

/* What tells a group from the others, e.g. "mach 4, solenoidal 0.5": letters that mean nothing to
 * gnuplot. */
void sl_across_label(const struct sl_report *r, int group, char label[SL_ACROSS_LABEL]);
/* Mean and standard error over a group of a quantity of summary.csv, or mean of one of verify.tsv,
 * without an error. */
void sl_across_number(const struct sl_report *r, int group, const char *quantity, double *mean,
                      double *error);
/* Whether two groups have the i-th headline number of the problem. */
bool sl_across_has(const struct sl_report *r, int number);
/* A quantity in words, e.g. "rms Mach number at the end"; and in one or two, for the head of a
 * column. Names that are not known are those of the file. */
const char *sl_across_words(const char *quantity);
const char *sl_across_head(const char *quantity);
/* Whether the solution in sample_line.csv is exact: a converged one has the density alone. */
bool sl_across_is_exact(const struct sl_csv *line);

#endif
