/* draw.h - what the figures of a report have in common: reading the tables that they show, writing
 * the numbers that they draw, and commands for curves with error bars.
 *
 * A figure is a row SL_FIGURE and a function sl_make_<name> below it (report/figure.h). It writes
 * <name>.csv and appends the commands that draw it to d->script, or says in d->missing why there is
 * none.
 *
 * Shapes  data[column][row], columns x, v0, e0, v1, e1 ...
 * Units   those of the tables
 * Errors  SL_EIO, SL_EMEM; a table that is not there is no error, see sl_draw_none
 * Owns    the numbers of a struct sl_draw_data, freed by the caller
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_DRAW_H
#define SL_PIPELINE_REPORT_DRAW_H

#include <limits.h>

#include "pipeline/report/figure.h"
#include "pipeline/report/plot.h"

/* One figure in the making. */
struct sl_draw {
    const struct sl_report *r;
    char folder[PATH_MAX]; /* report/figures */
    int group;
    char name[64];
    struct sl_buffer script;   /* what comes after the preamble */
    int width, height;         /* of the canvas */
    char *missing;             /* why there is no figure */
    char title[96];            /* in place of that of its row, "" for that */
    char note[SL_FIGURE_NOTE]; /* what is added to its sentence */
};

/* Values and errors of q quantities against x. */
struct sl_draw_data {
    long rows;
    int q;
    double *data; /* owned */
};

static inline double *sl_draw_column(const struct sl_draw_data *s, int c)
{
    return s->data + (size_t)c * (size_t)s->rows;
}

static inline double *sl_draw_value(const struct sl_draw_data *s, int q)
{
    return sl_draw_column(s, 1 + 2 * q);
}

static inline double *sl_draw_error(const struct sl_draw_data *s, int q)
{
    return sl_draw_column(s, 2 + 2 * q);
}

/* Says why there is no figure. */
int sl_draw_none(struct sl_draw *d, const char *fmt, ...) SL_PRINTF(2, 3);

/* The figure does not apply to this group: it is left out, and nothing says so. */
int sl_draw_skip(struct sl_draw *d);
/* Adds a sentence to what stands under the figure, once. */
void sl_draw_remark(struct sl_draw *d, const char *sentence);
/* Says that this is of the first member, where the group has several. */
void sl_draw_of_first(struct sl_draw *d);

const struct sl_report_group *sl_draw_group(const struct sl_draw *d);
/* The member that stands for the group: its first that is finished, without one the first that has
 * begun. */
const struct sl_report_member *sl_draw_member(const struct sl_draw *d);
/* What the first curve of an ensemble, or of one member, is called. */
const char *sl_draw_mean_title(const struct sl_draw *d);
/* Of the box of the first member. */
int sl_draw_dimensions(const struct sl_draw *d);
/* Number of the last snapshot of the group that has statistics. */
int sl_draw_last(const struct sl_draw *d);

/* Reads <base>[_NNNN].csv of the ensemble, or without one of the first finished member; snapshot <
 * 0: without a number. Leaves s->rows 0 and says so in d->missing when there is none. */
int sl_draw_read(struct sl_draw *d, const char *base, int snapshot, const char *x,
                 const char *const *names, int q, struct sl_draw_data *s);
/* *note: a number that the first finished member's table tells of itself, NAN without. */
int sl_draw_note(const struct sl_draw *d, const char *base, int snapshot, const char *key,
                 double *note);
double sl_draw_largest(const struct sl_draw_data *s, int q);

/* Tics of a logarithmic x that spans a decade or two. */
#define SL_DRAW_TICS                                                                               \
    "set xtics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, "  \
    "200, 500, 1000)\n"

/* The label of an axis, with its unit: that of core/config/scale.h in CGS, or else `otherwise`. */
void sl_draw_axis(struct sl_draw *d, char axis, const char *label, const char *unit,
                  const char *otherwise);

/* A logarithmic y from low to high, with tics at 1, 2 and 5 where it spans two decades or less. */
void sl_draw_log_tics(struct sl_draw *d, double low, double high);
/* The same of an axis, 'x' or 'y'. */
void sl_draw_log_axis(struct sl_draw *d, char axis, double low, double high);
/* An x axis as long as the box. */
void sl_draw_box(struct sl_draw *d);

/* As many digits at the tics of a linear y from low to high as tell them apart; a line that differs
 * by rounding alone is level. */
void sl_draw_digits(struct sl_draw *d, double low, double high);

/* The axis of what is never below zero does not go below it, and begins there where the least is
 * small beside the largest. */
void sl_draw_from_zero(struct sl_draw *d, double low, double high);

/* The file <name><suffix> of the figure. */
int sl_draw_file(const struct sl_draw *d, const struct sl_buffer *t, const char *suffix);
/* <name><suffix>: x, then value, value - error, value + error of each quantity. On a logarithmic
 * axis the lower end stays above zero. */
int sl_draw_write(const struct sl_draw *d, const struct sl_draw_data *s, const char *suffix,
                  const char *x, const char *const *names, bool logarithmic);

/* The same curve of the campaign to compare with, <name>_against.csv, as a dashed line at the end
 * of the plot command; nothing when it has none. */
int sl_draw_against(struct sl_draw *d, const char *base, const char *x, const char *quantity);

/* Curve j of <name>.csv with its error bars; last: of the plot command. */
void sl_draw_bars(struct sl_draw *d, int j, const char *ink, const char *title, bool last);

/* A curve in a file of its own, <name><suffix>.csv, of the last snapshot; one that was not measured
 * is left out. */
struct sl_draw_curve {
    const char *table, *quantity, *suffix, *style, *title;
};
int sl_draw_if_there(struct sl_draw *d, const struct sl_draw_curve *c, const char *x,
                     const char *using, int *drawn);

/* A maker for each row; the rows themselves stand in the files (report/figure.h). */
#define SL_FIGURE(name, ...) int sl_make_##name(struct sl_draw *d);
#include "figures.def"
#undef SL_FIGURE
#define SL_FIGURE(...)

#endif
