/* scatter.c - see scatter.h; each panel of the figure is drawn into a square of one plot. */
#include "pipeline/report/scatter.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/report/across.h"
#include "pipeline/report/draw.h"
#include "pipeline/report/html.h"
#include "pipeline/report/sensitivity.h"

enum { POINTS_LEAST = 8, KEYS_MOST = 6, RESULTS_MOST = 4, PANEL = 150 };

/* ---- the points ------------------------------------------------------------------------------ */

struct scatter {
    int keys, results, n;                   /* n: of points, groups with results */
    int more;                               /* keys that are left out */
    const char *key[KEYS_MOST];             /* borrowed */
    char result[RESULTS_MOST][64];          /* names of quantities */
    double *x[KEYS_MOST], *y[RESULTS_MOST]; /* owned: of each point */
};

static void scatter_release(struct scatter *s)
{
    for (int k = 0; k < KEYS_MOST; k++)
        free(s->x[k]);
    for (int k = 0; k < RESULTS_MOST; k++)
        free(s->y[k]);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int distinct(const double *x, int n)
{
    double *sorted = malloc(((size_t)n + 1) * sizeof *sorted);
    int found = n > 0;
    if (!sorted) return 0;
    memcpy(sorted, x, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_number);
    for (int i = 1; i < n; i++)
        found += sorted[i] != sorted[i - 1];
    free(sorted);
    return found;
}

static const struct sl_report_member *of_group(const struct sl_report *r, int group)
{
    int first = r->group[group].first;
    return first < 0 ? NULL : &r->member[first];
}

/* The numbers of a key at all points, in an array made with malloc; NULL where some is none. */
static double *key_values(const struct sl_report *r, const char *key)
{
    double *x = malloc(((size_t)r->groups + 1) * sizeof *x);
    int n = 0;
    for (int g = 0; g < r->groups && x; g++) {
        if (!of_group(r, g)) continue;
        x[n] = sl_report_list_number(sl_report_key(of_group(r, g), key), 0);
        if (!isfinite(x[n++])) {
            free(x);
            return NULL;
        }
    }
    return x;
}

/* Whether the recipe gives the key its values: the others follow from those. */
static bool is_given(const struct sl_report *r, const char *key)
{
    const char *label = sl_report_first(r)->label;
    size_t n = strlen(key);
    for (const char *at = label; (at = strstr(at, key)); at += n)
        if ((at == label || at[-1] == ' ') && at[n] == '=') return true;
    return false;
}

/* Keys that have several values; *own: how many of them have one of their own at most points. */
static void keys_take(const struct sl_report *r, struct scatter *s, int *own)
{
    *own = 0;
    for (int g = 0; g < r->groups; g++)
        s->n += of_group(r, g) != NULL;
    for (int i = 0; i < r->varieds; i++) {
        double *x = sl_report_makes_group(r->varied[i]) && is_given(r, r->varied[i])
                        ? key_values(r, r->varied[i])
                        : NULL;
        int values = x ? distinct(x, s->n) : 0;
        *own += values > s->n / 2;
        if (values > 1 && s->keys < KEYS_MOST) {
            s->key[s->keys] = r->varied[i];
            s->x[s->keys++] = x;
            continue;
        }
        s->more += values > 1;
        free(x);
    }
}

static int results_take(const struct sl_report *r, struct scatter *s)
{
    const char *words = sl_report_show(sl_report_first(r))->numbers;
    while (*words && s->results < RESULTS_MOST) {
        int n = 0, there = 0;
        double error, *y = malloc(((size_t)s->n + 1) * sizeof *y);
        SL_CHECK(y, SL_EMEM, "no memory for a figure");
        s->y[s->results] = y;
        snprintf(s->result[s->results], 64, "%.*s", (int)strcspn(words, " "), words);
        for (int g = 0; g < r->groups; g++) {
            if (!of_group(r, g)) continue;
            sl_across_number(r, g, s->result[s->results], &y[n], &error);
            there += isfinite(y[n++]);
        }
        if (there >= POINTS_LEAST && distinct(y, s->n) > 1)
            s->results++;
        else
            free(y), s->y[s->results] = NULL;
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    return SL_OK;
}

bool sl_scatter_has(const struct sl_report *r)
{
    struct scatter s = {0};
    int own;
    keys_take(r, &s, &own);
    scatter_release(&s);
    return s.n >= POINTS_LEAST && own > 1;
}

static int scatter_make(const struct sl_report *r, struct scatter *s)
{
    int own;
    *s = (struct scatter){0};
    keys_take(r, s, &own);
    return results_take(r, s);
}

/* ---- the figure ------------------------------------------------------------------------------ */

struct scale {
    double lo, hi;
    bool log;
};

/* The value in the middle, in an array made anew; NAN without memory. */
static double median_of(const double *x, int n)
{
    double *sorted = malloc(((size_t)n + 1) * sizeof *sorted), middle;
    int m = 0;
    for (int i = 0; i < n && sorted; i++)
        if (isfinite(x[i])) sorted[m++] = x[i];
    if (m) qsort(sorted, (size_t)m, sizeof *sorted, by_number);
    middle = m ? sorted[m / 2] : NAN;
    free(sorted);
    return middle;
}

/* Logarithmic where that brings the middle value closer to the middle of its panel. */
static struct scale scale_of(const double *x, int n)
{
    const double wide = 4;
    double middle = median_of(x, n);
    struct scale c = {INFINITY, -INFINITY, false};
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) continue;
        c.lo = fmin(c.lo, x[i]);
        c.hi = fmax(c.hi, x[i]);
    }
    c.log = c.lo > 0 && c.hi > wide * c.lo &&
            fabs(log(middle / c.lo) / log(c.hi / c.lo) - 0.5) <
                fabs((middle - c.lo) / (c.hi - c.lo) - 0.5);
    return c;
}

/* 0.05 to 0.95 of its panel. */
static double place(const struct scale *c, double x)
{
    double part = c->log ? log(x / c->lo) / log(c->hi / c->lo) : (x - c->lo) / (c->hi - c->lo);
    return 0.05 + 0.9 * part;
}

static const char *last_word(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? dot + 1 : key;
}

/* Lowest and highest value below a column, or beside a row of panels; its name between them. */
static void names_add(struct sl_draw *d, const struct scatter *s)
{
    for (int k = 0; k < s->keys; k++) {
        struct scale c = scale_of(s->x[k], s->n);
        char name[90];
        snprintf(name, sizeof name, "%.60s%s", last_word(s->key[k]), c.log ? ", log" : "");
        sl_buffer_add(&d->script,
                      "set label '%.3g' at %.3f,%.3f left offset 0,-0.7 tc rgb soft\n"
                      "set label '%.3g' at %.3f,%.3f right offset 0,-0.7 tc rgb soft\n"
                      "set label %s at %.3f,%.3f center noenhanced offset 0,-1.9 tc rgb ink\n",
                      c.lo, k + 0.02, -s->results + 0.0, c.hi, k + 0.92, -s->results + 0.0,
                      sl_plot_text(name).s, k + 0.47, -s->results + 0.0);
    }
    for (int q = 0; q < s->results; q++) {
        struct scale c = scale_of(s->y[q], s->n);
        char name[90];
        snprintf(name, sizeof name, "%.60s%s", sl_across_head(s->result[q]), c.log ? ", log" : "");
        sl_buffer_add(&d->script,
                      "set label '%.3g' at 0,%.3f right offset -0.5,0 tc rgb soft\n"
                      "set label '%.3g' at 0,%.3f right offset -0.5,0 tc rgb soft\n"
                      "set label %s at 0,%.3f center rotate by 90 noenhanced offset -6,0 tc rgb "
                      "ink\n",
                      c.lo, -q - 1 + 0.05, c.hi, -q - 0.13, sl_plot_text(name).s, -q - 0.54);
    }
}

static int points_write(struct sl_draw *d, const struct scatter *s)
{
    struct sl_buffer t = {0};
    sl_buffer_add(&t, "across,up,parameter,result,value_of_parameter,value_of_result\n");
    for (int k = 0; k < s->keys; k++)
        for (int q = 0; q < s->results; q++) {
            struct scale cx = scale_of(s->x[k], s->n), cy = scale_of(s->y[q], s->n);
            for (int i = 0; i < s->n; i++)
                if (isfinite(s->y[q][i]))
                    sl_buffer_add(&t, "%.6g,%.6g,%s,%s,%.10g,%.10g\n",
                                  k + 0.94 * place(&cx, s->x[k][i]),
                                  -q - 1 + 0.92 * place(&cy, s->y[q][i]), s->key[k], s->result[q],
                                  s->x[k][i], s->y[q][i]);
        }
    int code = sl_draw_file(d, &t, ".csv");
    sl_buffer_release(&t);
    return code;
}

static void panels_add(struct sl_draw *d, const struct scatter *s)
{
    const int left = 110, bottom = 60;
    d->width = left + PANEL * s->keys + 10;
    d->height = bottom + PANEL * s->results + 10;
    sl_buffer_add(&d->script,
                  "unset border\nunset tics\nunset grid\nunset key\nset xrange [0:%d]\nset yrange "
                  "[%d:0]\nset lmargin at screen %.4f\nset rmargin at screen %.4f\n"
                  "set bmargin at screen %.4f\nset tmargin at screen %.4f\n",
                  s->keys, -s->results, (double)left / d->width, 1 - 10.0 / d->width,
                  (double)bottom / d->height, 1 - 10.0 / d->height);
    for (int k = 0; k < s->keys; k++)
        for (int q = 0; q < s->results; q++)
            sl_buffer_add(&d->script,
                          "set object rectangle from %d,%d to %.2f,%.2f fs empty border lc rgb "
                          "faint lw 0.6\n",
                          k, -q - 1, k + 0.94, -q - 0.08);
    names_add(d, s);
    sl_buffer_add(&d->script, "plot '%s.csv' using 1:2 with points pt 7 ps %.2f lc rgb accent\n",
                  d->name,
                  s->n > 300  ? 0.2
                  : s->n > 60 ? 0.35
                              : 0.5);
}

SL_FIGURE(scatter, sweep, "Results against parameters", sl_scatter_has(a->r),
          "One point per member, or per mean of a group: every result against every parameter, "
          "each axis from the lowest to the highest value.")
int sl_make_scatter(struct sl_draw *d)
{
    struct scatter s;
    int code = scatter_make(d->r, &s);
    if (code == SL_OK && (s.keys == 0 || s.results == 0)) {
        code = sl_draw_none(d, "no result differs between the members");
    } else if (code == SL_OK) {
        code = points_write(d, &s);
        panels_add(d, &s);
        if (s.more)
            snprintf(d->note, sizeof d->note, "The first %d of %d parameters.", s.keys,
                     s.keys + s.more);
    }
    scatter_release(&s);
    return code;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void row_add(struct sl_buffer *html, const struct scatter *s, int q)
{
    double *x = malloc(2 * (size_t)s->n * sizeof *x), *y = x + s->n;
    sl_buffer_add(html, "<tr><th scope=\"row\">");
    sl_buffer_html(html, sl_across_words(s->result[q]));
    sl_buffer_add(html, "</th>");
    for (int k = 0; k < s->keys; k++) {
        double index = NAN, error = NAN;
        int n = 0;
        for (int i = 0; i < s->n && x; i++)
            if (isfinite(s->y[q][i])) x[n] = s->x[k][i], y[n++] = s->y[q][i];
        if (x) sl_sensitivity(x, y, n, &index, &error);
        sl_page_cell(html, index, error);
    }
    sl_buffer_add(html, "</tr>\n");
    free(x);
}

static void table_add(struct sl_buffer *html, const struct scatter *s)
{
    sl_buffer_add(html,
                  "<h3 class=\"part\">What the results depend on</h3>\n"
                  "<p>The part of the variance of a result that one parameter alone explains "
                  "(first-order index of Sobol’: 1 where nothing else matters, 0 where it does not "
                  "matter by itself), with its standard error. It is found from a polynomial in "
                  "the rank of the parameter, less what that would explain by chance, so that it "
                  "may come out a little below 0. What is left to 1 is owed to other parameters, "
                  "to parameters together, and to chance.</p>\n");
    sl_page_table(html, "Sensitivity");
    sl_buffer_add(html, "<thead><tr><th scope=\"col\">Result</th>");
    for (int k = 0; k < s->keys; k++) {
        sl_buffer_add(html, "<th scope=\"col\" class=\"n\">");
        sl_buffer_html(html, s->key[k]);
        sl_buffer_add(html, "</th>");
    }
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    for (int q = 0; q < s->results; q++)
        row_add(html, s, q);
    sl_page_table_end(html);
}

int sl_scatter_add(struct sl_buffer *html, const struct sl_report *r)
{
    struct scatter s;
    if (!sl_scatter_has(r)) return SL_OK;
    int code = scatter_make(r, &s);
    if (code == SL_OK && s.results > 0 && s.n >= SL_SENSITIVITY_LEAST) table_add(html, &s);
    if (code == SL_OK && s.results > 0 && s.n < SL_SENSITIVITY_LEAST)
        sl_buffer_add(html,
                      "<p class=\"note\">%d points have results; what they depend on is told from "
                      "%d on.</p>\n",
                      s.n, SL_SENSITIVITY_LEAST);
    scatter_release(&s);
    return code;
}
