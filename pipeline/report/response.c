/* response.c - figures of a report across what was swept, over the same seeds: how P(k) answers to
 * the numbers of the recipe, and its ratio between groups. */
#include "pipeline/report/draw.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/report/across.h"

enum { CURVES_MOST = 8 };

/* Reads ensemble/<name>_<table>_<snapshot>.csv of the power that there is: no
 * rows without one. */
static int compared_read(const struct sl_draw *d, const char *name, struct sl_csv *out)
{
    static const char *const of[] = {"matter_total", "matter_particles", "matter_gas"};
    for (int i = 0; i < 3; i++) {
        char path[PATH_MAX + 300];
        snprintf(path, sizeof path, "%s/ensemble/%s_%s_%04d.csv", d->r->dir, name, of[i],
                 sl_draw_last(d));
        SL_TRY(sl_csv_try(out, path, SL_CSV_NAMED));
        if (out->rows > 0) break;
        sl_csv_release(out);
    }
    return SL_OK;
}

/* The number of a column by its name. */
static double at(const struct sl_csv *t, long row, const char *column)
{
    return sl_csv_number(t, row, sl_csv_column(t, column));
}

/* d ln P / d ln of the key, where that is not 0; else not a number. */
static double response_at(const struct sl_csv *t, long row, const char *column)
{
    double scale = at(t, row, "value") / at(t, row, "power_mean");
    return scale != 0 && isfinite(scale) ? scale * at(t, row, column) : NAN;
}

static double ratio_at(const struct sl_csv *t, long row, const char *column)
{
    return at(t, row, column);
}

struct kind {
    const char *column, *y;
    double (*at)(const struct sl_csv *t, long row, const char *column);
};

/* The rows of one group in <name><suffix>: y and its range; *any: there is a number. */
static int curve_write(const struct sl_draw *d, const struct sl_csv *t, const struct kind *k,
                       long from, long to, const char *suffix, bool *any)
{
    struct sl_buffer out = {0};
    *any = false;
    sl_buffer_add(&out, "k,%s,%s_lo,%s_hi\n", k->y, k->y, k->y);
    for (long i = from; i < to; i++) {
        double y = k->at(t, i, k->column), e = fabs(k->at(t, i, "power_error"));
        sl_buffer_add(&out, "%.10g,%.10g,%.10g,%.10g\n", at(t, i, "k"), y, y - e, y + e);
        *any |= isfinite(y);
    }
    int code = *any ? sl_draw_file(d, &out, suffix) : SL_OK;
    sl_buffer_release(&out);
    return code;
}

/* A curve with bars for each group of the table. */
static int curves_add(struct sl_draw *d, const struct sl_csv *t, const struct kind *k,
                      const char *key, int *drawn)
{
    for (long from = 0, to; from < t->rows && *drawn < CURVES_MOST; from = to) {
        int group = (int)at(t, from, "group");
        char suffix[24], label[SL_ACROSS_LABEL], title[2 * SL_ACROSS_LABEL];
        bool any;
        for (to = from; to < t->rows && (int)at(t, to, "group") == group; to++)
            ;
        if (group < 1 || group > d->r->groups) continue;
        snprintf(suffix, sizeof suffix, *drawn ? "_%d.csv" : ".csv", *drawn + 1);
        SL_TRY(curve_write(d, t, k, from, to, suffix, &any));
        if (!any) continue;
        sl_across_label(d->r, group - 1, label);
        snprintf(title, sizeof title, "%s%s%s", key, *key ? ": " : "", label);
        sl_buffer_add(&d->script,
                      "%s'%s%s' using 1:3:(0):($4-$3) with vectors nohead lw 1.1 lc rgb %s "
                      "notitle, \\\n  '%s%s' using 1:2 with lines lw 1.8 dt %d lc rgb %s "
                      "title %s",
                      *drawn ? ", \\\n  " : "plot ", d->name, suffix, sl_plot_ink(*drawn), d->name,
                      suffix, sl_plot_dash(*drawn), sl_plot_ink(*drawn), sl_plot_text(title).s);
        ++*drawn;
    }
    return SL_OK;
}

static int compared_add(struct sl_draw *d, const char *name, const struct kind *k, const char *key,
                        int *drawn)
{
    struct sl_csv t;
    SL_TRY(compared_read(d, name, &t));
    int code = t.rows > 0 ? curves_add(d, &t, k, key, drawn) : SL_OK;
    if (t.rows > 0) sl_csv_release(&t);
    return code;
}

static void axes(struct sl_draw *d, const char *y)
{
    sl_buffer_add(&d->script,
                  "set logscale x\nset autoscale xfix\n" SL_DRAW_TICS
                  "set key noenhanced\nset xlabel \"k (h/Mpc)\"\nset ylabel \"%s\"\n",
                  y);
}

SL_FIGURE(response, sweep, "Response of P(k)", a->swept && a->universe && sl_figure_power(a),
          "\u03b8/\u27e8P\u27e9 d\u27e8P\u27e9/d\u03b8 of each number \u03b8 that is swept, in the "
          "last snapshot: from the groups on either side (of two, from one to the other), of runs "
          "of the same seeds. Bars: standard error over the seeds.")
int sl_make_response(struct sl_draw *d)
{
    static const struct kind kind = {"power_response", "response", response_at};
    int drawn = 0;
    axes(d, "d ln P / d ln parameter");
    for (int i = 0; i < d->r->varieds; i++) {
        char name[128];
        snprintf(name, sizeof name, "response_%.100s", d->r->varied[i]);
        SL_TRY(compared_add(d, name, &kind, d->r->varied[i], &drawn));
    }
    return drawn ? SL_OK : sl_draw_skip(d);
}

SL_FIGURE(ratio, sweep, "Ratio of P(k) to the first group",
          a->swept && a->universe && sl_figure_power(a),
          "In the last snapshot, of runs of the same seeds, whose chance "
          "cancels. Bars: standard "
          "error over the seeds.")
int sl_make_ratio(struct sl_draw *d)
{
    static const struct kind kind = {"power_ratio", "ratio", ratio_at};
    char label[SL_ACROSS_LABEL], note[SL_ACROSS_LABEL + 40];
    struct sl_csv t;
    int drawn = 0;
    axes(d, "P / P(first group)");
    SL_TRY(compared_read(d, "ratio", &t));
    if (t.rows == 0) return sl_draw_skip(d);
    int first = (int)at(&t, 0, "over"), code = curves_add(d, &t, &kind, "", &drawn);
    sl_csv_release(&t);
    SL_TRY(code);
    if (!drawn || first < 1 || first > d->r->groups) return sl_draw_skip(d);
    sl_across_label(d->r, first - 1, label);
    snprintf(note, sizeof note, "First group: %s.", label);
    sl_draw_remark(d, note);
    return SL_OK;
}
