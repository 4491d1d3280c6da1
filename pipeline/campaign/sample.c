/* sample.c - see sample.h. */
#include "pipeline/campaign/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/expr.h"
#include "pipeline/campaign/design.h"

enum { POINTS_MAX = 1000000, DIGITS = 8 };

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool is_number(const struct sl_key *key)
{
    return key->type == SL_TYPE_REAL || key->type == SL_TYPE_INT;
}

/* Cuts "log" off the end. */
static bool cut_log(char *text)
{
    size_t n = strlen(text);
    bool log = n > 4 && strcmp(text + n - 4, " log") == 0;
    if (log) text[n - 4] = '\0';
    return log;
}

static int wrong_ends(const struct sl_sweep_row *from, bool log, double lo, double hi)
{
    const struct sl_key *key = &sl_keys[from->key];
    struct sl_quoted shown = sl_quote(from->values->text);
    char a[32], b[32];
    if (lo > hi)
        return SL_FAIL_AT(from->values->at, "'%s' counts down; write %s..%s%s", shown.text,
                          sl_number_text(hi, a), sl_number_text(lo, b), log ? " log" : "");
    if (lo == hi)
        return SL_FAIL_AT(from->values->at, "'%s' holds one value: write %s: %s outside of sample",
                          shown.text, key->path, sl_number_text(lo, a));
    if (log && lo <= 0)
        return SL_FAIL_AT(from->values->at,
                          "'%s': the logarithm of %s is no number; nearest: "
                          "begin above 0",
                          shown.text, sl_number_text(lo, a));
    if (lo >= key->min && hi <= key->max) return SL_OK;
    return SL_FAIL_AT(from->values->at, "%s: %s is outside %s .. %s", key->path, shown.text,
                      sl_number_text(key->min, a), sl_number_text(key->max, b));
}

int sl_sample_range(const struct sl_sweep_row *from, struct sl_sweep_key *row)
{
    const struct sl_key *key = &sl_keys[from->key];
    const struct sl_node *node = from->values;
    struct sl_expr how = {key->path, key->unit, key->type == SL_TYPE_INT, NULL, NULL};
    char text[256];
    snprintf(text, sizeof text, "%s", node->text);
    bool log = cut_log(text);
    char *dots = strstr(text, "..");
    if (!is_number(key) || node->quoted || !dots)
        return SL_FAIL_AT(node->at, "sample.keys: '%s' takes %s", key->path,
                          is_number(key) ? "a range, 1..10 or 1..10 log, or a list of values; what "
                                           "follows from other keys stands outside of sample"
                                         : "a list of its values");
    if (strstr(dots, "step"))
        return SL_FAIL_AT(node->at,
                          "sample.keys: '%s': a range has no step here; [%s] draws from "
                          "its values",
                          key->path, text);
    *dots = '\0';
    double lo, hi;
    SL_TRY(sl_expr_value(text, node->at, &how, &lo));
    SL_TRY(sl_expr_value(dots + 2, node->at, &how, &hi));
    SL_TRY(wrong_ends(from, log, lo, hi));
    row->parts = calloc(1, sizeof *row->parts);
    SL_CHECK(row->parts, SL_EMEM, "no memory for the sweep");
    row->parts[0] =
        (struct sl_sweep_part){.node = node, .range = true, .start = lo, .step = hi - lo};
    row->part_count = 1;
    row->logarithmic = log;
    return SL_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* x with DIGITS digits behind the first of `size`: a number that a person can write. */
static double rounded(double x, double size)
{
    char text[400];
    int decimals = DIGITS - 1 - (int)floor(log10(size));
    snprintf(text, sizeof text, "%.*f", decimals < 0 ? 0 : decimals > 40 ? 40 : decimals, x);
    return decimals > 40 ? x : strtod(text, NULL);
}

/* Of a whole number each value has an equal part of the range. */
static double value_of(const struct sl_sweep_key *row, double u)
{
    bool whole = sl_keys[row->key].type == SL_TYPE_INT;
    if (row->count > 0) return fmin(floor(u * (double)row->count), (double)(row->count - 1));
    double lo = row->parts[0].start, hi = lo + row->parts[0].step, end = whole ? hi + 1 : hi;
    double x = row->logarithmic ? lo * exp(u * log(end / lo)) : lo + u * (end - lo);
    x = whole ? floor(x) : rounded(x, row->logarithmic ? x : hi - lo);
    return fmin(fmax(x, lo), hi);
}

static int draw(const struct sl_design *d, struct sl_sweep_axis *axis)
{
    double *u = malloc((size_t)d->count * (size_t)d->axes * sizeof *u);
    int code = u ? sl_design_points(d, u) : SL_FAIL(SL_EMEM, "no memory for the points");
    for (int k = 0; k < axis->key_count && code == SL_OK; k++) {
        struct sl_sweep_key *row = &axis->keys[k];
        row->sampled = malloc((size_t)d->count * sizeof *row->sampled);
        if (!row->sampled) code = SL_FAIL(SL_EMEM, "no memory for the points");
        for (int64_t i = 0; i < d->count && code == SL_OK; i++)
            row->sampled[i] = value_of(row, u[i * d->axes + k]);
    }
    free(u);
    return code;
}

/* ---- points that come twice ------------------------------------------------------------------ */

struct seen {
    const struct sl_sweep_axis *axis;
    int64_t point;
};

static int by_values(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    for (int k = 0; k < x->axis->key_count; k++) {
        const double *v = x->axis->keys[k].sampled;
        if (v[x->point] != v[y->point]) return v[x->point] < v[y->point] ? -1 : 1;
    }
    return 0;
}

static int refuse_twice(const struct sl_sweep_axis *axis, struct sl_mark at)
{
    struct seen *seen = malloc((size_t)axis->count * sizeof *seen);
    SL_CHECK(seen, SL_EMEM, "no memory for the points");
    for (int64_t i = 0; i < axis->count; i++)
        seen[i] = (struct seen){axis, i};
    qsort(seen, (size_t)axis->count, sizeof *seen, by_values);
    int code = SL_OK;
    for (int64_t i = 1; i < axis->count && code == SL_OK; i++)
        if (by_values(&seen[i - 1], &seen[i]) == 0)
            code = SL_FAIL_AT(at,
                              "sample.points: points %lld and %lld are the same, as there are few "
                              "values to draw from; ask for fewer points, or sweep these keys",
                              (long long)seen[i - 1].point, (long long)seen[i].point);
    free(seen);
    return code;
}

/* ---- the section ----------------------------------------------------------------------------- */

static int kind_of(const struct sl_node *node, enum sl_design_kind *kind)
{
    static const char *const names[] = {
#define DESIGN_NAME(name, about) #name,
        SL_DESIGN_LIST(DESIGN_NAME)
#undef DESIGN_NAME
    };
    const char *text = node->kind == SL_NODE_SCALAR ? node->text : "";
    struct sl_nearest near = {.word = text};
    for (int i = 0; i < SL_DESIGNS; i++) {
        sl_nearest_try(&near, names[i]);
        *kind = (enum sl_design_kind)i;
        if (strcmp(text, names[i]) == 0) return SL_OK;
    }
    return SL_FAIL_AT(node->at, "sample.design: '%s' is none of latin, sobol, random%s%s%s",
                      sl_quote(text).text, near.best ? "; did you mean '" : "",
                      near.best ? near.best : "", near.best ? "'?" : "");
}

static int whole_of(const char *what, const struct sl_node *node, double least, double most,
                    double *out)
{
    struct sl_expr how = {what, SL_UNIT_none, true, NULL, NULL};
    char lo[32], hi[32];
    if (node->kind != SL_NODE_SCALAR || node->quoted)
        return SL_FAIL_AT(node->at, "%s takes a whole number", what);
    SL_TRY(sl_expr_value(node->text, node->at, &how, out));
    if (*out >= least && *out <= most) return SL_OK;
    return SL_FAIL_AT(node->at, "%s: %s is outside %s .. %s", what, sl_quote(node->text).text,
                      sl_number_text(least, lo), sl_number_text(most, hi));
}

static int design_of(const struct sl_inputs *in, const struct sl_sweep_axis *axis,
                     struct sl_mark at, struct sl_design *d)
{
    double points, seed = 1;
    const double seed_max = 9e15; /* a double holds it */
    *d = (struct sl_design){.axes = axis->key_count};
    if (!in->sample.points)
        return SL_FAIL_AT(at, "sample.points is not given: how many members, as points: 64");
    if (!in->sample.design)
        return SL_FAIL_AT(at, "sample.design is not given: latin, sobol or random");
    if (axis->key_count > SL_DESIGN_AXES)
        return SL_FAIL_AT(at, "sample.keys: more than %d keys", SL_DESIGN_AXES);
    SL_TRY(kind_of(in->sample.design, &d->kind));
    SL_TRY(whole_of("sample.points", in->sample.points, 2, POINTS_MAX, &points));
    if (in->sample.seed) SL_TRY(whole_of("sample.seed", in->sample.seed, 0, seed_max, &seed));
    d->count = (int64_t)points;
    d->seed = (uint64_t)seed;
    return SL_OK;
}

/* Where the section begins, or what the command line gave of it. */
static struct sl_mark place_of(const struct sl_inputs *in)
{
    struct sl_mark at = {"", 0, 0};
#define PLACE(name)                                                                                \
    if (in->sample.name) at = in->sample.name->at;
    SL_SAMPLED_LIST(PLACE)
#undef PLACE
    return at;
}

int sl_sample_fill(const struct sl_inputs *in, struct sl_sweep_axis *axis, bool *fixed)
{
    const struct sl_sample_inputs *s = &in->sample;
    struct sl_design d;
    if (s->file && (s->design || s->points || s->seed || axis))
        return SL_FAIL_AT(s->file->at, "sample: a file of points and a design, of which one is "
                                       "enough");
    if (!axis && !s->file && !s->ended && (s->design || s->points || s->seed))
        return SL_FAIL_AT(place_of(in), "sample.keys is not given: sample: {keys: {key: 0..1}}");
    if (!axis) return SL_OK;
    struct sl_mark at = in->sweep[0].at;
    for (int i = in->sweep_count - 1; i >= 0; i--)
        if (in->sweep[i].way == SL_SWEEP_SAMPLE) at = in->sweep[i].at;
    SL_TRY(design_of(in, axis, at, &d));
    SL_TRY(draw(&d, axis));
    axis->count = d.count;
    *fixed = d.kind == SL_DESIGN_latin;
    return refuse_twice(axis, s->points->at);
}
