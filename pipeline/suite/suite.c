/* suite.c - see suite.h. */
#include "pipeline/suite/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/json.h"
#include "pipeline/campaign/nearest.h"
#include "pipeline/suite/page.h"
#include "pipeline/suite/run.h"
#include "pipeline/suite/schemes.h"

enum { SEEDS_MAX = 64, KEYS_MAX = 2048 };

#define SL_SUITE_FIGURE(...)
#define SL_SUITE_CURVE(...)
#define SL_SUITE_SCHEME_ERROR(...)
#define SL_SUITE_SCHEME_COST(...)
#define SL_SUITE_ROW(...)
#define SL_SUITE_ENSEMBLE(group, cost, what, scheme, run, seeds, ...)                              \
    _Static_assert((seeds) > 1 && (seeds) <= SEEDS_MAX && sizeof(run) + 16 < KEYS_MAX, what);
#include "pipeline/suite/suite.def"
#undef SL_SUITE_ENSEMBLE
#undef SL_SUITE_ROW
#undef SL_SUITE_SCHEME_COST
#undef SL_SUITE_SCHEME_ERROR
#undef SL_SUITE_CURVE
#undef SL_SUITE_FIGURE

#define quick_cost false
#define long_cost  true
static const struct sl_suite_row rows[] = {
#define SL_SUITE_FIGURE(...)
#define SL_SUITE_CURVE(...)
#define SL_SUITE_SCHEME_ERROR(...)
#define SL_SUITE_SCHEME_COST(...)
#define SL_SUITE_ROW(group, cost, what, scheme, run, other, kind, key, limit, peers)               \
    {#group, cost##_cost, what, scheme, run, other, SL_SUITE_##kind, key, limit, peers, 0},
#define SL_SUITE_ENSEMBLE(group, cost, what, scheme, run, seeds, kind, key, limit, peers)          \
    {#group, cost##_cost, what, scheme, run, "", SL_SUITE_##kind, key, limit, peers, seeds},
#include "pipeline/suite/suite.def"
#undef SL_SUITE_ENSEMBLE
#undef SL_SUITE_ROW
#undef SL_SUITE_SCHEME_COST
#undef SL_SUITE_SCHEME_ERROR
#undef SL_SUITE_CURVE
#undef SL_SUITE_FIGURE
};
enum { NROW = sizeof rows / sizeof *rows };

/* ---- judging --------------------------------------------------------------------------------- */

static void keys_of(const struct sl_suite_row *row, int seed, char *keys, size_t size)
{
    snprintf(keys, size, "%s seed=%d", row->run, seed);
}

/* Mean and standard error over the seeds. */
static int average(struct sl_suite_runs *runs, const struct sl_suite_row *row,
                   struct sl_suite_result *r)
{
    double value[SEEDS_MAX], mean = 0, scatter = 0;
    int n = row->seeds;
    for (int i = 0; i < n; i++) {
        char keys[KEYS_MAX];
        struct sl_suite_run *run;
        keys_of(row, i + 1, keys, sizeof keys);
        SL_TRY(sl_suite_runs_get(runs, keys, &run));
        value[i] = sl_suite_run_value(run, row->key);
        mean += value[i] / n;
    }
    for (int i = 0; i < n; i++)
        scatter += (value[i] - mean) * (value[i] - mean) / (n - 1);
    r->value = mean;
    r->error = sqrt(scatter / n);
    return SL_OK;
}

static int measure(struct sl_suite_runs *runs, const struct sl_suite_row *row,
                   struct sl_suite_result *r)
{
    struct sl_suite_run *run, *other;
    r->error = NAN;
    if (row->seeds > 0) return average(runs, row, r);
    SL_TRY(sl_suite_runs_get(runs, row->run, &run));
    double a = r->value = sl_suite_run_value(run, row->key);
    if (row->kind != SL_SUITE_ratio && row->kind != SL_SUITE_same) return SL_OK;
    SL_TRY(sl_suite_runs_get(runs, row->other, &other));
    double b = sl_suite_run_value(other, row->key);
    r->value = row->kind == SL_SUITE_ratio ? a / b : a == b ? 0 : fabs(a - b) / fabs(b);
    return SL_OK;
}

/* One number more of the kind that was averaged lies within two standard deviations of the mean;
 * its own and that of the mean add up. */
static bool is_among(const struct sl_suite_result *r)
{
    return fabs(r->row->limit - r->value) <= 2 * r->error * sqrt(r->row->seeds + 1);
}

static bool holds(const struct sl_suite_result *r)
{
    if (r->row->kind == SL_SUITE_among) return is_among(r);
    return r->row->kind == SL_SUITE_above ? r->value >= r->row->limit : r->value <= r->row->limit;
}

const char *sl_suite_sense(const struct sl_suite_row *row, const char *below, const char *above,
                           const char *among)
{
    return row->kind == SL_SUITE_above ? above : row->kind == SL_SUITE_among ? among : below;
}

bool sl_suite_wants(const struct sl_suite_ask *ask, const char *group)
{
    for (int i = 0; i < ask->n; i++)
        if (strcmp(ask->names[i], group) == 0) return true;
    return ask->n == 0 && (!ask->schemes || ask->all);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_row(const struct sl_suite_result *r)
{
    const struct sl_suite_row *row = r->row;
    char error[32] = "";
    if (row->seeds > 0) snprintf(error, sizeof error, " +- %.2g", r->error);
    printf("%-4s %-18s %-46s %-16s %11.4g%s %s %-9.4g %s\n", r->holds ? "ok" : "FAIL", row->group,
           row->what, row->scheme, r->value, error, sl_suite_sense(row, "<=", ">=", "~"),
           row->limit, row->peers);
    fflush(stdout);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_row(const struct sl_suite_result *r)
{
    const struct sl_suite_row *row = r->row;
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:i, s:s, s:f, s:s, s:b}", "problem",
                     row->group, "what", row->what, "scheme", row->scheme, "key", row->key,
                     "measured", number(r->value), "error", number(r->error), "seeds", row->seeds,
                     "sense", sl_suite_sense(row, "at most", "at least", "among"), "limit",
                     row->limit, "peers", row->peers, "passed", r->holds);
}

static json_t *json_scheme(const struct sl_schemes *all, const struct sl_scheme *s)
{
    json_t *errors = json_object();
    for (int i = 0; i < all->problems; i++)
        json_object_set_new(errors, all->problem[i], number(s->value[i]));
    return json_pack("{s:s, s:s, s:b, s:b, s:o, s:o, s:o}", "kind", sl_schemes_name(all->kind),
                     "scheme", s->name, "default", s->is_default, "best", s->best, "cost",
                     number(s->cost), "error", number(s->error), "errors", errors);
}

/* Compares the schemes that are asked for; adds them to list, or prints them where it is NULL. */
static int report_schemes(const struct sl_suite_ask *ask, struct sl_suite_runs *runs, json_t *list)
{
    for (int kind = 0; kind < SL_SCHEMES_KINDS; kind++) {
        struct sl_schemes all;
        if (!(ask->schemes >> kind & 1)) continue;
        SL_TRY(sl_schemes_measure(kind, runs, &all));
        for (int i = 0; list && i < all.n; i++)
            json_array_append_new(list, json_scheme(&all, &all.list[i]));
        if (!list) sl_schemes_print(&all);
        sl_schemes_release(&all);
    }
    return SL_OK;
}

static int print_json(const struct sl_suite_ask *ask, struct sl_suite_runs *runs, int n,
                      const struct sl_suite_result *result)
{
    json_t *list = json_array(), *schemes = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_row(&result[i]));
    int code = report_schemes(ask, runs, schemes);
    json_t *all = json_pack("{s:i, s:o, s:o}", "v", 1, "rows", list, "schemes", schemes);
    if (code == SL_OK) return sl_json_print(all);
    json_decref(all);
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool asked(const struct sl_suite_ask *ask, const struct sl_suite_row *row)
{
    return sl_suite_wants(ask, row->group) && (ask->all || !row->long_);
}

static int add_row(struct sl_suite_runs *runs, const struct sl_suite_row *row)
{
    char keys[KEYS_MAX];
    if (row->seeds == 0) return sl_suite_runs_add(runs, row->run);
    for (int i = 0; i < row->seeds; i++) {
        keys_of(row, i + 1, keys, sizeof keys);
        SL_TRY(sl_suite_runs_add(runs, keys));
    }
    return SL_OK;
}

/* Names all runs, so that several of them can be made at a time. */
static int add_runs(const struct sl_suite_ask *ask, struct sl_suite_runs *runs)
{
    for (int i = 0; i < NROW; i++) {
        if (!asked(ask, &rows[i])) continue;
        SL_TRY(add_row(runs, &rows[i]));
        if (*rows[i].other) SL_TRY(sl_suite_runs_add(runs, rows[i].other));
    }
    return SL_OK;
}

static int go(const struct sl_suite_ask *ask, struct sl_suite_runs *runs)
{
    struct sl_suite_result result[NROW];
    int n = 0, failed = 0;
    SL_TRY(add_runs(ask, runs));
    for (int i = 0; i < NROW; i++) {
        if (!asked(ask, &rows[i])) continue;
        struct sl_suite_result *r = &result[n++];
        r->row = &rows[i];
        SL_TRY(measure(runs, r->row, r));
        r->holds = holds(r);
        failed += !r->holds;
        if (!ask->json) print_row(r);
    }
    if (!ask->json && n > 0) printf("%d of %d hold\n", n - failed, n);
    SL_TRY(ask->json ? print_json(ask, runs, n, result) : report_schemes(ask, runs, NULL));
    if (ask->report) SL_TRY(sl_suite_page_write(ask, n, result, runs));
    SL_CHECK(failed == 0, SL_EMEMBER, "%d of %d rows of the suite miss their limit%s%s", failed, n,
             runs->keep ? "; logs of the runs: " : "", runs->keep ? runs->dir : "");
    return SL_OK;
}

/* Whether name is a group of the suite. */
static bool has(const char *name)
{
    for (int i = 0; i < NROW; i++)
        if (strcmp(rows[i].group, name) == 0) return true;
    return false;
}

const char *sl_suite_groups(void)
{
    static char text[1024];
    text[0] = '\0';
    for (int i = 0; i < NROW; i++) {
        size_t used = strlen(text);
        int first = 0;
        while (strcmp(rows[first].group, rows[i].group) != 0)
            first++;
        if (first == i)
            snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", rows[i].group);
    }
    return text;
}

/* "; did you mean sod?": a group of the suite, or else a campaign. */
static void nearest(const char *name, char text[SL_NEAREST_MAX])
{
    struct sl_nearest near = {.word = name};
    for (int i = 0; i < NROW; i++)
        sl_nearest_try(&near, rows[i].group);
    if (near.best)
        snprintf(text, SL_NEAREST_MAX, "; did you mean %s?", near.best);
    else
        sl_nearest_campaign(name, text);
}

int sl_suite_run(const struct sl_suite_ask *ask)
{
    struct sl_suite_runs runs;
    for (int i = 0; i < ask->n; i++) {
        char near[SL_NEAREST_MAX] = "";
        bool is = has(ask->names[i]);
        if (!is) nearest(ask->names[i], near);
        SL_CHECK(is, SL_EUSAGE, "%s is neither a campaign nor in the suite, which holds %s%s",
                 ask->names[i], sl_suite_groups(), near);
    }
    int code = sl_suite_runs_open(&runs);
    if (code == SL_OK) code = go(ask, &runs);
    sl_suite_runs_close(&runs);
    return code;
}
