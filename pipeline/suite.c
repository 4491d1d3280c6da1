/* suite.c - see suite.h. */
#include "pipeline/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"
#include "pipeline/json.h"
#include "pipeline/suite_page.h"
#include "pipeline/suite_run.h"

#define quick_cost false
#define long_cost  true
static const struct sl_suite_row rows[] = {
#define SL_SUITE_FIGURE(...)
#define SL_SUITE_CURVE(...)
#define SL_SUITE_ROW(group, cost, what, scheme, run, other, kind, key, limit, peers)               \
    {#group, cost##_cost, what, scheme, run, other, SL_SUITE_##kind, key, limit, peers},
#include "pipeline/suite.def"
#undef SL_SUITE_ROW
#undef SL_SUITE_CURVE
#undef SL_SUITE_FIGURE
};
enum { NROW = sizeof rows / sizeof *rows };

/* ---- judging ---------------------------------------------------------------------------------- */

static int measure(struct sl_suite_runs *runs, const struct sl_suite_row *row, double *value)
{
    struct sl_suite_run *run, *other;
    SL_TRY(sl_suite_runs_get(runs, row->run, &run));
    *value = sl_suite_run_value(run, row->key);
    if (row->kind != SL_SUITE_ratio && row->kind != SL_SUITE_same) return SL_OK;
    SL_TRY(sl_suite_runs_get(runs, row->other, &other));
    double b = sl_suite_run_value(other, row->key);
    *value = row->kind == SL_SUITE_ratio ? *value / b
             : *value == b               ? 0
                                         : fabs(*value - b) / fabs(b);
    return SL_OK;
}

static bool holds(const struct sl_suite_row *row, double value)
{
    return row->kind == SL_SUITE_above ? value >= row->limit : value <= row->limit;
}

bool sl_suite_wants(const struct sl_suite_ask *ask, const char *group)
{
    for (int i = 0; i < ask->n; i++)
        if (strcmp(ask->names[i], group) == 0) return true;
    return ask->n == 0;
}

/* ---- telling ---------------------------------------------------------------------------------- */

static void print_row(const struct sl_suite_result *r)
{
    const struct sl_suite_row *row = r->row;
    printf("%-4s %-18s %-46s %-16s %11.4g %s %-9.4g %s\n", r->holds ? "ok" : "FAIL", row->group,
           row->what, row->scheme, r->value, row->kind == SL_SUITE_above ? ">=" : "<=", row->limit,
           row->peers);
    fflush(stdout);
}

static json_t *json_row(const struct sl_suite_result *r)
{
    const struct sl_suite_row *row = r->row;
    json_t *number = isfinite(r->value) ? json_real(r->value) : json_null();
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:f, s:s, s:b}", "problem", row->group, "what",
                     row->what, "scheme", row->scheme, "key", row->key, "measured", number, "sense",
                     row->kind == SL_SUITE_above ? "at least" : "at most", "limit", row->limit,
                     "peers", row->peers, "passed", r->holds);
}

static int print_json(int n, const struct sl_suite_result *result)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_row(&result[i]));
    return sl_json_print(json_pack("{s:i, s:o}", "v", 1, "rows", list));
}

/* ---- all -------------------------------------------------------------------------------------- */

static bool asked(const struct sl_suite_ask *ask, const struct sl_suite_row *row)
{
    return sl_suite_wants(ask, row->group) && (ask->all || !row->long_);
}

/* Names all runs, so that several of them can be made at a time. */
static int add_runs(const struct sl_suite_ask *ask, struct sl_suite_runs *runs)
{
    for (int i = 0; i < NROW; i++) {
        if (!asked(ask, &rows[i])) continue;
        SL_TRY(sl_suite_runs_add(runs, rows[i].run));
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
        SL_TRY(measure(runs, r->row, &r->value));
        r->holds = holds(r->row, r->value);
        failed += !r->holds;
        if (!ask->json) print_row(r);
    }
    if (!ask->json) printf("%d of %d hold\n", n - failed, n);
    if (ask->json) SL_TRY(print_json(n, result));
    if (ask->report) SL_TRY(sl_suite_page_write(ask, n, result, runs));
    SL_CHECK(failed == 0, SL_EMEMBER, "%d of %d rows of the suite miss their limit%s%s", failed, n,
             runs->keep ? "; logs of the runs: " : "", runs->keep ? runs->dir : "");
    return SL_OK;
}

bool sl_suite_has(const char *name)
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
        if (i == 0 || strcmp(rows[i].group, rows[i - 1].group) != 0)
            snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", rows[i].group);
    }
    return text;
}

int sl_suite_run(const struct sl_suite_ask *ask)
{
    struct sl_suite_runs runs;
    for (int i = 0; i < ask->n; i++)
        SL_CHECK(sl_suite_has(ask->names[i]), SL_EUSAGE,
                 "%s is neither a campaign nor in the suite, which holds %s", ask->names[i],
                 sl_suite_groups());
    int code = sl_suite_runs_open(&runs);
    if (code == SL_OK) code = go(ask, &runs);
    sl_suite_runs_close(&runs);
    return code;
}
