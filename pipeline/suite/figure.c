/* figure.c - see suite/figure.h. One function draw_<name> per row of SL_SUITE_DRAW_LIST. */
#include "pipeline/suite/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/report/plot.h"
#include "pipeline/suite/schemes.h"
#include "pipeline/suite/times.h"

enum { CURVES_MAX = 6, SAMPLE_MAX = 64 << 20 };

const struct sl_suite_figure sl_suite_figures[] = {
#define SL_SUITE_ROW(...)
#define SL_SUITE_ENSEMBLE(...)
#define SL_SUITE_SCHEME_ERROR(...)
#define SL_SUITE_SCHEME_COST(...)
#define SL_SUITE_CURVE(...)
#define SL_SUITE_FIGURE(name, group, paper, draw, column, label, title, about)                     \
    {#name, #group, SL_SUITE_PAPER_##paper, SL_SUITE_DRAW_##draw, column, label, title, about},
#include "pipeline/suite/suite.def"
#undef SL_SUITE_FIGURE
#undef SL_SUITE_CURVE
};
const int sl_suite_figure_count = sizeof sl_suite_figures / sizeof *sl_suite_figures;

/* A run that a figure shows; with --all the longer one. */
static const struct curve {
    const char *figure, *label, *run, *longer;
} curves[] = {
#undef SL_SUITE_FIGURE
#define SL_SUITE_FIGURE(...)
#define SL_SUITE_CURVE(figure, label, run, longer) {#figure, label, run, longer},
#include "pipeline/suite/suite.def"
#undef SL_SUITE_CURVE
#undef SL_SUITE_FIGURE
#undef SL_SUITE_ROW
#undef SL_SUITE_ENSEMBLE
#undef SL_SUITE_SCHEME_ERROR
#undef SL_SUITE_SCHEME_COST
};

/* One figure in the making. */
struct draw {
    const struct sl_suite_figure *figure;
    const struct sl_suite_ask *ask;
    struct sl_suite_runs *runs;
    const char *folder;
    int n; /* curves */
    const struct curve *curve[CURVES_MAX];
    struct sl_buffer body;
    char *missing;
};

static const char *const inks[CURVES_MAX] = {"accent", "warm", "good", "ink", "bad", "soft"};

static const char *keys_of(const struct draw *d, int c)
{
    return d->ask->all ? d->curve[c]->longer : d->curve[c]->run;
}

static int no_figure(struct draw *d, const char *why, const char *label)
{
    snprintf(d->missing, 256, "%s (%s)", why, label);
    return SL_OK;
}

/* <name>.csv, <name>_2.csv ... */
static void csv_name(const struct draw *d, int c, char name[80])
{
    if (c)
        snprintf(name, 80, "%s_%d.csv", d->figure->name, c + 1);
    else
        snprintf(name, 80, "%s.csv", d->figure->name);
}

static int csv_write(const struct draw *d, int c, const struct sl_buffer *t)
{
    char name[80], path[SL_PATH_MAX];
    csv_name(d, c, name);
    SL_TRY(sl_path_join(path, d->folder, name));
    return sl_buffer_write(t, path);
}

/* Gets a run; NULL and a word in d->missing when it failed. */
static int run_of(struct draw *d, int c, const char *keys, struct sl_suite_run **out)
{
    SL_TRY(sl_suite_runs_get(d->runs, keys, out));
    if ((*out)->code == 0) return SL_OK;
    *out = NULL;
    return no_figure(d, "its run failed", d->curve[c]->label);
}

/* ---- tables of the last state ---------------------------------------------------------------- */

/* Copies <sample>.csv of every curve's run beside the page. */
static int samples(struct draw *d, const char *sample)
{
    for (int c = 0; c < d->n && !*d->missing; c++) {
        struct sl_suite_run *r;
        char path[SL_PATH_MAX];
        struct sl_buffer t = {0};
        SL_TRY(run_of(d, c, keys_of(d, c), &r));
        if (!r) return SL_OK;
        SL_TRY(sl_path_join(path, r->dir, sample));
        if (access(path, R_OK) != 0)
            return no_figure(d, "its run left no sample", d->curve[c]->label);
        int code = sl_buffer_read(&t, path, SAMPLE_MAX);
        if (code == SL_OK) code = csv_write(d, c, &t);
        sl_buffer_release(&t);
        SL_TRY(code);
    }
    return SL_OK;
}

static void axes(struct draw *d, const char *x)
{
    sl_buffer_add(&d->body, "set xlabel \"%s\"\nset ylabel \"%s\"\n", x, d->figure->label);
}

/* The key above the drawing, where it hides nothing: two curves in a line. */
static void key_above(struct draw *d, int entries)
{
    sl_buffer_add(&d->body, "set key above left horizontal maxrows %d\nset tmargin %.1f\n",
                  (entries + 1) / 2, 1 + 1.3 * ((entries + 1) / 2));
}

static int draw_line(struct draw *d)
{
    const char *q = d->figure->column;
    SL_TRY(samples(d, "sample_line.csv"));
    axes(d, "x");
    sl_buffer_add(&d->body,
                  "set offsets 0, 0, graph 0.06, graph 0.06\n"
                  "plot '%s.csv' using \"x\":\"exact_%s\" with lines lw 1.4 lc rgb soft title "
                  "\"exact or converged\"",
                  d->figure->name, q);
    for (int c = 0; c < d->n; c++) {
        char name[80];
        csv_name(d, c, name);
        sl_buffer_add(&d->body,
                      ", \\\n  '%s' using \"x\":\"%s\" with points pt %d ps 0.6 lw 1.2 lc rgb %s "
                      "title \"%s\"",
                      name, q, c ? 2 : 6, inks[c], d->curve[c]->label);
    }
    return SL_OK;
}

static int draw_cut(struct draw *d)
{
    SL_TRY(samples(d, "sample_line.csv"));
    axes(d, "x");
    key_above(d, d->n);
    sl_buffer_add(&d->body, "set offsets 0, 0, graph 0.06, graph 0.06\nplot ");
    for (int c = 0; c < d->n; c++) {
        char name[80];
        csv_name(d, c, name);
        sl_buffer_add(
            &d->body,
            "%s'%s' using (column(\"x\")):(%s) with lines lw 1.5 lc rgb %s%s title \"%s\"",
            c ? ", \\\n  " : "", name, d->figure->column, inks[c], c ? " dt 2" : "",
            d->curve[c]->label);
    }
    return SL_OK;
}

static int draw_shells(struct draw *d)
{
    const char *q = d->figure->column;
    SL_TRY(samples(d, "sample_radius.csv"));
    axes(d, "r");
    key_above(d, d->n + 1);
    sl_buffer_add(&d->body,
                  "set xrange [0:0.6]\nset yrange [0:*]\n"
                  "plot '%s.csv' using \"radius\":\"exact_%s\" with lines lw 1.4 lc rgb soft title "
                  "\"exact\"",
                  d->figure->name, q);
    for (int c = 0; c < d->n; c++) {
        char name[80];
        csv_name(d, c, name);
        sl_buffer_add(&d->body,
                      ", \\\n  '%s' using \"radius\":\"%s\":\"%s_deviation\" with yerrorbars pt 7 "
                      "ps 0.3 lw 1 lc rgb %s title \"%s\"",
                      name, q, q, inks[c], d->curve[c]->label);
    }
    return SL_OK;
}

static int draw_map(struct draw *d)
{
    SL_TRY(samples(d, "sample_plane.csv"));
    sl_plot_palette(&d->body, false);
    sl_buffer_add(&d->body,
                  "set size ratio -1\nunset grid\nunset key\nset border 0\nset xlabel \"x\"\n"
                  "set ylabel \"y\"\nset autoscale fix\nset rmargin 9\n"
                  "set colorbox user origin graph 1.03, graph 0 size graph 0.03, graph 1\n"
                  "set cbtics textcolor rgb soft\nset cblabel \"%s\" textcolor rgb soft\n"
                  "plot '%s.csv' using \"x\":\"y\":\"%s\" with image",
                  d->figure->label, d->figure->name, d->figure->column);
    return SL_OK;
}

/* ---- against time ---------------------------------------------------------------------------- */

static int history_write(struct draw *d, int c, const struct sl_csv *history)
{
    struct sl_buffer t = {0};
    int x = sl_csv_column(history, "time_unit"), y = sl_csv_column(history, d->figure->column);
    sl_buffer_add(&t, "time_unit,%s\n", d->figure->column);
    for (long i = 0; i < history->rows; i++)
        sl_buffer_add(&t, "%.10g,%.10g\n", sl_csv_number(history, i, x),
                      sl_csv_number(history, i, y));
    int code = y < 0 ? no_figure(d, "its history lacks the column", d->curve[c]->label)
                     : csv_write(d, c, &t);
    sl_buffer_release(&t);
    return code;
}

static int draw_time(struct draw *d)
{
    axes(d, "time (crossing times)");
    sl_buffer_add(&d->body, "set yrange [0:*]\nplot ");
    for (int c = 0; c < d->n && !*d->missing; c++) {
        struct sl_suite_run *r;
        char name[80];
        SL_TRY(run_of(d, c, keys_of(d, c), &r));
        if (!r) return SL_OK;
        SL_TRY(history_write(d, c, &r->history));
        csv_name(d, c, name);
        sl_buffer_add(&d->body, "%s'%s' using 1:2 with lines lw 1.8 lc rgb %s title \"%s\"",
                      c ? ", \\\n  " : "", name, inks[c], d->curve[c]->label);
    }
    return SL_OK;
}

/* ---- against resolution ---------------------------------------------------------------------- */

/* keys with every @ replaced by the number; made with malloc. */
static char *with_number(const char *keys, int n)
{
    struct sl_buffer t = {0};
    for (; *keys; keys++)
        if (*keys == '@')
            sl_buffer_add(&t, "%d", n);
        else
            sl_buffer_bytes(&t, keys, 1);
    return t.s;
}

static int draw_order(struct draw *d)
{
    int orders = d->ask->all ? 4 : 3;
    struct sl_buffer t = {0};
    double first = NAN;
    sl_buffer_add(&t, "cells");
    for (int c = 0; c < d->n; c++)
        sl_buffer_add(&t, ",%s", d->curve[c]->label);
    for (int i = 0, n = 16; i < orders && !*d->missing; i++, n *= 2) {
        sl_buffer_add(&t, "\n%d", n);
        for (int c = 0; c < d->n && !*d->missing; c++) {
            struct sl_suite_run *r = NULL;
            char *keys = with_number(d->curve[c]->run, n);
            int code = keys ? run_of(d, c, keys, &r) : SL_FAIL(SL_EMEM, "no memory for keys");
            double e = code == SL_OK && r ? sl_suite_run_value(r, d->figure->column) : NAN;
            if (c == 0 && i == 0) first = e;
            sl_buffer_add(&t, ",%.10g", e);
            free(keys);
            SL_TRY(code);
        }
    }
    sl_buffer_add(&t, "\n");
    int code = csv_write(d, 0, &t);
    sl_buffer_release(&t);
    axes(d, "cells across the box");
    sl_buffer_add(
        &d->body,
        "set logscale xy\nset format y \"10^{%%T}\"\nset xrange [13:%d]\n"
        "set xtics (16, 32, 64, 128)\nset key bottom left\nset yrange [%.3g:*]\n"
        "plot %.6g * (x / 16.0)**(-1.9) with lines dt 2 lw 1.2 lc rgb soft title \"N^{-1.9}\"",
        d->ask->all ? 160 : 80, first * (d->ask->all ? 1e-7 : 1e-6), 1.2 * first);
    for (int c = 0; c < d->n; c++)
        sl_buffer_add(&d->body,
                      ", \\\n  '%s.csv' using 1:%d with linespoints pt 7 ps 0.5 lw 1.4 lc rgb %s "
                      "title \"%s\"",
                      d->figure->name, c + 2, inks[c], d->curve[c]->label);
    return code;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* A line of the table for each size that a core was timed with; the sizes become the marks of the
 * axis. */
static void steps_table(const struct sl_suite_times *times, const char *field, struct sl_buffer *t,
                        struct sl_buffer *marks)
{
    sl_buffer_add(t, "cells,core,device,ratio\n");
    for (int i = 0; i < times->n; i++) {
        const struct sl_suite_time *core = &times->row[i];
        int cells = core->cells;
        if (core != sl_suite_times_find(times, "core", field, cells, 1)) continue;
        double device =
            sl_suite_times_seconds(sl_suite_times_find(times, "device", field, cells, 1));
        sl_buffer_add(t, "%d,%.6g,%.6g,%.6g\n", cells, core->seconds, device,
                      core->seconds / device);
        sl_buffer_add(marks, "%s%d", marks->n ? ", " : "", cells);
    }
}

static int draw_steps(struct draw *d)
{
    struct sl_suite_times times;
    struct sl_buffer t = {0}, marks = {0};
    const char *name = d->figure->name;
    SL_TRY(sl_suite_times_read(d->ask->times, &times));
    steps_table(&times, d->figure->column, &t, &marks);
    int code = csv_write(d, 0, &t);
    axes(d, "cells along an axis");
    sl_buffer_add(&d->body,
                  "set logscale xy\nset format y \"10^{%%T}\"\n"
                  "set offsets graph 0.06, graph 0.06, 0, 0\nset xtics (%s)\nset key top left\n"
                  "plot '%s.csv' using 1:2 with linespoints pt 7 ps 0.5 lw 1.4 lc rgb ink title "
                  "\"core\", \\\n  '%s.csv' using 1:3 with linespoints pt 7 ps 0.5 lw 1.4 lc rgb "
                  "warm title \"device\", \\\n  '%s.csv' using 1:4 with linespoints pt 5 ps 0.5 lw "
                  "1.4 lc rgb accent title \"ratio\"",
                  marks.n ? marks.s : "", name, name, name);
    sl_buffer_release(&t);
    sl_buffer_release(&marks);
    return code;
}

/* Of as many cells for any number of devices. */
static int draw_shared(struct draw *d)
{
    enum { CELLS = 128, MOST = 64 };
    struct sl_suite_times times;
    struct sl_buffer t = {0};
    const char *name = d->figure->name;
    SL_TRY(sl_suite_times_read(d->ask->times, &times));
    sl_buffer_add(&t, "devices,gas,field\n");
    for (int ranks = 1; ranks <= MOST; ranks *= 2) {
        double speed[2];
        for (int f = 0; f < 2; f++) {
            const char *field = f ? "glm" : "none";
            const struct sl_suite_time *one, *all;
            all = sl_suite_times_find(&times, "device", field, CELLS, ranks);
            one = sl_suite_times_alone(&times, all);
            speed[f] = sl_suite_times_seconds(one) / sl_suite_times_seconds(all);
        }
        if (speed[0] > 0 || speed[1] > 0)
            sl_buffer_add(&t, "%d,%.6g,%.6g\n", ranks, speed[0], speed[1]);
    }
    int code = csv_write(d, 0, &t);
    sl_buffer_release(&t);
    axes(d, "devices");
    sl_buffer_add(
        &d->body,
        "set xtics (1, 2, 4, 8, 16, 32, 64)\nset xrange [0.8:*]\nset yrange [0:*]\n"
        "set key top left\nplot x with lines dt 2 lw 1.2 lc rgb soft title \"ideal\", \\\n"
        "  '%s.csv' using 1:2 with linespoints pt 7 ps 0.5 lw 1.4 lc rgb accent title "
        "\"gas\", \\\n  '%s.csv' using 1:3 with linespoints pt 7 ps 0.5 lw 1.4 lc rgb warm "
        "title \"with a field\"",
        name, name);
    return code;
}

/* ---- schemes --------------------------------------------------------------------------------- */

static int draw_schemes(struct draw *d)
{
    const char *name = d->figure->name;
    struct sl_schemes all;
    struct sl_buffer t = {0};
    SL_TRY(sl_schemes_measure(sl_schemes_find(d->figure->column), d->runs, &all));
    sl_schemes_csv(&all, &t);
    sl_schemes_release(&all);
    int code = csv_write(d, 0, &t);
    sl_buffer_release(&t);
    axes(d, "cost");
    key_above(d, 6);
    sl_buffer_add(
        &d->body,
        "set logscale xy\nset autoscale fix\n"
        "set offsets graph 0.05, graph 0.05, graph 0.06, graph 0.06\n"
        "set xtics (0.25, 0.5, 1, 2, 4, 8, 16)\nset ytics (0.125, 0.25, 0.5, 1, 2, 4, 8)\n"
        "of(name, word) = strcol(name) eq word ? column(\"error\") : NaN\nplot ");
    static const char *const orders[] = {"constant", "plm", "ppm", "wenoz", "tvd"};
    for (int i = 0; i < 5; i++)
        sl_buffer_add(&d->body,
                      "'%s.csv' using (column(\"cost\")):(of(\"reconstruct\", \"%s\")) with points "
                      "pt 7 ps 0.6 lc "
                      "rgb %s title \"%s\", \\\n  ",
                      name, orders[i], inks[i], orders[i]);
    sl_buffer_add(&d->body,
                  "'%s.csv' using (column(\"cost\")):(of(\"default\", \"yes\")) with points pt 6 "
                  "ps 1.4 lw 1.6 lc rgb ink title "
                  "\"default\"",
                  name);
    return code;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Names the runs of all curves, so that several of them can be made at a time; those of a size (@)
 * are made one by one. */
static int add_runs(struct draw *d)
{
    for (int c = 0; c < d->n; c++) {
        const char *keys = keys_of(d, c);
        if (*keys && !strchr(keys, '@')) SL_TRY(sl_suite_runs_add(d->runs, keys));
    }
    return SL_OK;
}

bool sl_suite_figure_timed(int i)
{
    enum sl_suite_draw draw = sl_suite_figures[i].draw;
    return draw == SL_SUITE_DRAW_steps || draw == SL_SUITE_DRAW_shared;
}

bool sl_suite_figure_asked(int i, const struct sl_suite_ask *ask)
{
    const struct sl_suite_figure *f = &sl_suite_figures[i];
    if (f->draw == SL_SUITE_DRAW_schemes) return ask->schemes >> sl_schemes_find(f->column) & 1;
    return sl_suite_wants(ask, f->group) && (ask->times || !sl_suite_figure_timed(i));
}

int sl_suite_figure_make(int i, const struct sl_suite_ask *ask, struct sl_suite_runs *runs,
                         const char *folder, char missing[256])
{
    static int (*const drawers[])(struct draw *) = {
#define FIGURE_DRAWER(name) draw_##name,
        SL_SUITE_DRAW_LIST(FIGURE_DRAWER)};
    struct draw d = {&sl_suite_figures[i], ask, runs, folder, 0, {NULL}, {0}, missing};
    *missing = '\0';
    for (size_t c = 0; c < sizeof curves / sizeof *curves && d.n < CURVES_MAX; c++)
        if (strcmp(curves[c].figure, d.figure->name) == 0) d.curve[d.n++] = &curves[c];
    SL_TRY(add_runs(&d));
    int code = drawers[d.figure->draw](&d);
    if (code == SL_OK && !*missing) {
        sl_buffer_add(&d.body, "\n");
        if (sl_plot_draw(folder, d.figure->name, &d.body, SL_PLOT_WIDTH, SL_PLOT_HEIGHT) != SL_OK)
            snprintf(missing, 256, "%s", sl_error_text());
    }
    sl_buffer_release(&d.body);
    return code;
}
