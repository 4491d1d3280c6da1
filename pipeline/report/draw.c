/* draw.c - see report/draw.h. */
#include "pipeline/report/draw.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sl_draw_none(struct sl_draw *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->missing, sizeof((struct sl_drawings *)0)->missing[0][0], fmt, args);
    va_end(args);
    return SL_OK;
}

int sl_draw_skip(struct sl_draw *d)
{
    return sl_draw_none(d, "%s", SL_FIGURE_SKIPPED);
}

void sl_draw_remark(struct sl_draw *d, const char *sentence)
{
    size_t used = strlen(d->note);
    if (strstr(d->note, sentence)) return;
    snprintf(d->note + used, sizeof d->note - used, "%s%s", used ? " " : "", sentence);
}

void sl_draw_of_first(struct sl_draw *d)
{
    if (sl_draw_group(d)->members > 1) sl_draw_remark(d, "Of the first member.");
}

/* ---- reading -------------------------------------------------------------------------------- */

const struct sl_report_group *sl_draw_group(const struct sl_draw *d)
{
    return &d->r->group[d->group];
}

const struct sl_report_member *sl_draw_member(const struct sl_draw *d)
{
    int first = sl_draw_group(d)->first;
    return first < 0 ? sl_report_first(d->r) : &d->r->member[first];
}

/* Takes x, q values and, in files of the ensemble, errors out of a table. */
static int series_fill(struct sl_draw_data *s, const struct sl_csv *t, const char *x,
                       const char *const *names, int q, bool ensemble)
{
    *s = (struct sl_draw_data){.rows = t->rows, .q = q};
    s->data = calloc((size_t)t->rows + 1, (1 + 2 * (size_t)q) * sizeof *s->data);
    SL_CHECK(s->data, SL_EMEM, "no memory for a figure");
    for (int c = 0; c <= 2 * q; c++) {
        char name[80];
        bool is_error = c && c % 2 == 0;
        snprintf(name, sizeof name, "%s%s", c ? names[(c - 1) / 2] : x,
                 c && ensemble ? (is_error ? "_error" : "_mean") : "");
        int from = is_error && !ensemble ? -1 : sl_csv_column(t, name);
        for (long i = 0; i < t->rows; i++)
            sl_draw_column(s, c)[i] = is_error && !ensemble ? 0 : sl_csv_number(t, i, from);
    }
    return SL_OK;
}

int sl_draw_read(struct sl_draw *d, const char *base, int snapshot, const char *x,
                 const char *const *names, int q, struct sl_draw_data *s)
{
    char file[80], path[PATH_MAX + 200];
    *s = (struct sl_draw_data){0};
    snprintf(file, sizeof file, snapshot < 0 ? "%s.csv" : "%s_%04d.csv", base, snapshot);
    const struct sl_report_group *g = sl_draw_group(d);
    if (!*g->dir && g->first < 0) return sl_draw_none(d, "no member has statistics yet");
    if (*g->dir)
        snprintf(path, sizeof path, "%s/%s/%s", d->r->dir, g->dir, file);
    else
        snprintf(path, sizeof path, "%s/members/%s/stats/%s", d->r->dir, d->r->member[g->first].id,
                 file);
    struct sl_csv t;
    if (access(path, F_OK)) return sl_draw_none(d, "%s was not measured", base);
    SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
    if (!t.columns) return sl_draw_none(d, "%s is damaged", file);
    int code = series_fill(s, &t, x, names, q, *g->dir != '\0');
    bool empty =
        !code && (!s->rows || isnan(sl_draw_column(s, 0)[0]) || isnan(sl_draw_value(s, 0)[0]));
    if (empty) sl_draw_none(d, "%s holds no %s", file, names[0]);
    if (code || empty) {
        free(s->data);
        *s = (struct sl_draw_data){0};
    }
    sl_csv_release(&t);
    return code;
}

int sl_draw_note(const struct sl_draw *d, const char *base, int snapshot, const char *key,
                 double *note)
{
    char path[PATH_MAX + 200];
    struct sl_csv t;
    int first = sl_draw_group(d)->first;
    *note = NAN;
    if (first < 0) return SL_OK;
    snprintf(path, sizeof path, "%s/members/%s/stats/%s_%04d.csv", d->r->dir,
             d->r->member[first].id, base, snapshot);
    SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
    *note = sl_csv_note(&t, key);
    sl_csv_release(&t);
    return SL_OK;
}

int sl_draw_dimensions(const struct sl_draw *d)
{
    const char *cells = sl_report_key(sl_draw_member(d), "mesh.cells");
    int n = 0;
    while (isfinite(sl_report_list_number(cells, n)))
        n++;
    return n;
}

int sl_draw_last(const struct sl_draw *d)
{
    return sl_report_last(&sl_draw_group(d)->snapshots);
}

/* ---- writing -------------------------------------------------------------------------------- */

void sl_draw_axis(struct sl_draw *d, char axis, const char *label, const char *unit,
                  const char *otherwise)
{
    char text[96], whole[512];
    sl_report_unit(sl_draw_member(d), unit, otherwise, text);
    snprintf(whole, sizeof whole, "%s%s", label, text);
    sl_buffer_add(&d->script, "set %clabel %s\n", axis, sl_plot_text(whole).s);
}

void sl_draw_digits(struct sl_draw *d, double low, double high)
{
    const double usual = 1e-4,
                 rounding = 1e-11; /* of the size: tics with six digits differ; all is rounding */
    double size = fmax(fabs(low), fabs(high)), spread = high - low;
    if (!isfinite(spread) || !(size > 0) || !(spread < usual * size)) return;
    if (spread < rounding * size) {
        sl_buffer_add(&d->script, "set yrange [*<%.12g:%.12g<*]\n", low - usual * size,
                      high + usual * size);
        spread = usual * size;
    }
    sl_buffer_add(&d->script, "set format y \"%%.%dg\"\n", 2 + (int)ceil(log10(size / spread)));
}

void sl_draw_from_zero(struct sl_draw *d, double low, double high)
{
    const double small = 0.5;
    if (low >= 0 && low < small * high) sl_buffer_add(&d->script, "set yrange [0:*]\n");
}

void sl_draw_box(struct sl_draw *d)
{
    const char *box = sl_report_key(sl_report_first(d->r), "mesh.box");
    double lo = sl_report_list_number(box, 0), hi = sl_report_list_number(box, 1);
    if (lo < hi) sl_buffer_add(&d->script, "set xrange [%.10g:%.10g]\n", lo, hi);
}

void sl_draw_log_axis(struct sl_draw *d, char axis, double low, double high)
{
    int drawn = 0;
    sl_buffer_add(&d->script,
                  "set logscale %c\nset format %c \"10^{%%T}\"\nset %crange [%.4g:%.4g]\n", axis,
                  axis, axis, low, high);
    if (high > 100 * low) return;
    sl_buffer_add(&d->script, "set %ctics (", axis);
    for (int p = (int)floor(log10(low)); p <= (int)ceil(log10(high)); p++)
        for (int i = 0; i < 3; i++) {
            static const int step[] = {1, 2, 5};
            double at = step[i] * pow(10, p);
            if (at < low || at > high) continue;
            sl_buffer_add(&d->script, "%s\"", drawn++ ? ", " : "");
            if (p < -3 || p > 3)
                sl_buffer_add(&d->script, "%d×10^{%d}\" %.4g", step[i], p, at);
            else
                sl_buffer_add(&d->script, "%.4g\" %.4g", at, at);
        }
    sl_buffer_add(&d->script, ")\n");
}

void sl_draw_log_tics(struct sl_draw *d, double low, double high)
{
    sl_draw_log_axis(d, 'y', low, high);
}

int sl_draw_file(const struct sl_draw *d, const struct sl_buffer *t, const char *suffix)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_disk_join(path, "%s/%s%s", d->folder, d->name, suffix));
    return sl_buffer_write(t, path);
}

int sl_draw_write(const struct sl_draw *d, const struct sl_draw_data *s, const char *suffix,
                  const char *x, const char *const *names, bool logarithmic)
{
    struct sl_buffer t = {0};
    sl_buffer_add(&t, "%s", x);
    for (int q = 0; q < s->q; q++)
        sl_buffer_add(&t, ",%s,%s_lo,%s_hi", names[q], names[q], names[q]);
    for (long i = 0; i < s->rows; i++) {
        sl_buffer_add(&t, "\n%.10g", sl_draw_column(s, 0)[i]);
        for (int q = 0; q < s->q; q++) {
            double v = sl_draw_value(s, q)[i], e = sl_draw_error(s, q)[i], lo = v - e;
            if (logarithmic) lo = fmax(lo, 1e-3 * v);
            sl_buffer_add(&t, ",%.10g,%.10g,%.10g", v, lo, v + e);
        }
    }
    sl_buffer_add(&t, "\n");
    int code = sl_draw_file(d, &t, suffix);
    sl_buffer_release(&t);
    return code;
}

int sl_draw_against(struct sl_draw *d, const char *base, const char *x, const char *quantity)
{
    char missing[256] = "";
    struct sl_draw other = {.r = d->r->against, .missing = missing};
    struct sl_draw_data s;
    other.group = sl_report_counterpart(d->r, d->group);
    if (other.group < 0) return SL_OK;
    int snapshot = strcmp(base, "decay") ? sl_draw_last(&other) : -1;
    SL_TRY(sl_draw_read(&other, base, snapshot, x, &quantity, 1, &s));
    if (!s.rows) return SL_OK;
    int code = sl_draw_write(d, &s, "_against.csv", x, &quantity, false);
    sl_buffer_add(&d->script,
                  ", \\\n  '%s_against.csv' using 1:2 with lines dt 2 lw 1.8 lc rgb warm title "
                  "\"the other campaign\"",
                  d->name);
    free(s.data);
    return code;
}

const char *sl_draw_mean_title(const struct sl_draw *d)
{
    return *sl_draw_group(d)->dir ? "mean" : d->r->against ? "member" : "";
}

double sl_draw_largest(const struct sl_draw_data *s, int q)
{
    double most = 0;
    for (long i = 0; i < s->rows; i++)
        if (sl_draw_value(s, q)[i] > most) most = sl_draw_value(s, q)[i];
    return most;
}

void sl_draw_bars(struct sl_draw *d, int j, const char *ink, const char *title, bool last)
{
    int c = 2 + 3 * j;
    sl_buffer_add(
        &d->script,
        "  '%s.csv' using 1:%d:(0):($%d-$%d) with vectors nohead lw 1.1 lc rgb %s notitle, "
        "\\\n  '%s.csv' using 1:%d with lines lw 1.8 lc rgb %s title %s%s",
        d->name, c + 1, c + 2, c + 1, ink, d->name, c, ink, sl_plot_text(title).s,
        last ? "" : ", \\\n");
}

int sl_draw_if_there(struct sl_draw *d, const struct sl_draw_curve *c, const char *x,
                     const char *using, int *drawn)
{
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, c->table, sl_draw_last(d), x, &c->quantity, 1, &s));
    *d->missing = '\0';
    if (!s.rows) return SL_OK;
    char suffix[64];
    snprintf(suffix, sizeof suffix, "%s.csv", c->suffix);
    int code = sl_draw_write(d, &s, suffix, x, &c->quantity, false);
    sl_buffer_add(&d->script, "%s'%s%s' using %s with %s title %s",
                  (*drawn)++ ? ", \\\n  " : "plot ", d->name, suffix, using, c->style,
                  sl_plot_text(c->title).s);
    free(s.data);
    return code;
}
