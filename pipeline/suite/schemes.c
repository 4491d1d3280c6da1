/* schemes.c - see suite/schemes.h. */
#include "pipeline/suite/schemes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/lists/integrator_list.h"
#include "core/lists/reconstruct_list.h"
#include "core/lists/riemann_list.h"
#include "core/sys/status.h"

enum { KEYS_MAX = 1024 };

/* What makes a run one that only begins. */
#define NO_STEPS   " time.end=1e-12"
#define LEAST_COST 1e-3 /* seconds */

/* What a problem asks of a scheme: an error, or the seconds of its steps. */
static const struct problem {
    int kind;
    const char *name, *run, *key; /* key: see suite.def; NULL: the cost */
} problems[] = {
#define SL_SUITE_ROW(...)
#define SL_SUITE_ENSEMBLE(...)
#define SL_SUITE_FIGURE(...)
#define SL_SUITE_CURVE(...)
#define SL_SUITE_SCHEME_ERROR(kind, name, run, key) {SL_SCHEMES_##kind, #name, run, key},
#define SL_SUITE_SCHEME_COST(kind, run)             {SL_SCHEMES_##kind, "cost", run, NULL},
#include "pipeline/suite/suite.def"
#undef SL_SUITE_SCHEME_COST
#undef SL_SUITE_SCHEME_ERROR
#undef SL_SUITE_CURVE
#undef SL_SUITE_FIGURE
#undef SL_SUITE_ENSEMBLE
#undef SL_SUITE_ROW
};
enum { NPROBLEM = sizeof problems / sizeof *problems };

static const char *const kinds[] = {
#define SCHEMES_NAME(name, title) #name,
    SL_SCHEMES_LIST(SCHEMES_NAME)};

const char *sl_schemes_name(int kind)
{
    return kinds[kind];
}

int sl_schemes_find(const char *name)
{
    int kind = SL_SCHEMES_KINDS - 1;
    while (kind >= 0 && strcmp(kinds[kind], name) != 0)
        kind--;
    return kind;
}

/* ---- which schemes there are ----------------------------------------------------------------- */

#define SCHEME_NAME(name, ...) #name,
static const char *const integrators[] = {SL_INTEGRATOR_LIST(SCHEME_NAME)};
static const char *const reconstructs[] = {SL_RECONSTRUCT_LIST(SCHEME_NAME)};
static const char *const limiters[] = {SL_LIMITER_LIST(SCHEME_NAME)};
static const char *const solvers[] = {SL_RIEMANN_LIST(SCHEME_NAME)};
enum {
    INTEGRATORS = sizeof integrators / sizeof *integrators,
    RECONSTRUCTS = sizeof reconstructs / sizeof *reconstructs,
    LIMITERS = sizeof limiters / sizeof *limiters,
    SOLVERS = sizeof solvers / sizeof *solvers,
    SCHEMES_MAX = INTEGRATORS * RECONSTRUCTS * LIMITERS * SOLVERS
};

static int parse(const char *keys, struct sl_config *cfg)
{
    struct sl_args args = {0};
    sl_suite_add_keys(&args, keys);
    int code = sl_config_parse("run.yaml", sl_suite_common, strlen(sl_suite_common), args.list,
                               args.n, cfg);
    sl_args_release(&args);
    return code;
}

static const char *cost_run(int kind)
{
    for (int i = 0; i < NPROBLEM; i++)
        if (problems[i].kind == kind && !problems[i].key) return problems[i].run;
    return "";
}

/* Whether the recipe takes the scheme, and its choices all matter: a key that is not used stays at
 * its default. */
static bool is_scheme(const struct sl_config *standard, const struct sl_config *cfg)
{
    bool plain = cfg->fluid_limiter == standard->fluid_limiter;
    if (cfg->fluid_integrator == SL_INTEGRATOR_tvd)
        return plain && cfg->fluid_reconstruct == standard->fluid_reconstruct &&
               cfg->fluid_riemann == standard->fluid_riemann;
    return plain || cfg->fluid_reconstruct == SL_RECONSTRUCT_plm;
}

static bool is_same(const struct sl_config *a, const struct sl_config *b)
{
    return a->fluid_integrator == b->fluid_integrator &&
           a->fluid_reconstruct == b->fluid_reconstruct && a->fluid_limiter == b->fluid_limiter &&
           a->fluid_riemann == b->fluid_riemann;
}

static void name_scheme(const struct sl_config *cfg, const int at[4], struct sl_scheme *s)
{
    const char *integrator = integrators[at[0]], *reconstruct = reconstructs[at[1]];
    bool limited = cfg->fluid_reconstruct == SL_RECONSTRUCT_plm;
    s->order = cfg->fluid_integrator == SL_INTEGRATOR_tvd ? integrator : reconstruct;
    if (s->order == integrator)
        snprintf(s->name, sizeof s->name, "%s", integrator);
    else
        snprintf(s->name, sizeof s->name, "%s %s%s%s %s", integrator, reconstruct,
                 limited ? " " : "", limited ? limiters[at[2]] : "", solvers[at[3]]);
}

/* Adds the scheme of these four choices when it is one. */
static int add_scheme(struct sl_schemes *all, const struct sl_config *standard, int number)
{
    const int at[4] = {number / (SOLVERS * LIMITERS * RECONSTRUCTS),
                       number / (SOLVERS * LIMITERS) % RECONSTRUCTS, number / SOLVERS % LIMITERS,
                       number % SOLVERS};
    struct sl_scheme *s = &all->list[all->n];
    struct sl_config cfg;
    char keys[KEYS_MAX];
    *s = (struct sl_scheme){.error = NAN, .cost = NAN};
    snprintf(s->keys, sizeof s->keys,
             " fluid.integrator=%s fluid.reconstruct=%s fluid.limiter=%s fluid.riemann=%s",
             integrators[at[0]], reconstructs[at[1]], limiters[at[2]], solvers[at[3]]);
    snprintf(keys, sizeof keys, "%s%s", cost_run(all->kind), s->keys);
    if (parse(keys, &cfg) != SL_OK || !is_scheme(standard, &cfg)) return SL_OK;
    s->is_default = is_same(standard, &cfg);
    name_scheme(&cfg, at, s);
    all->n++;
    return SL_OK;
}

static int find_schemes(int kind, struct sl_schemes *out)
{
    struct sl_config standard;
    *out = (struct sl_schemes){.kind = kind};
    for (int i = 0; i < NPROBLEM; i++)
        if (problems[i].kind == kind && problems[i].key) {
            if (out->problems == SL_SCHEME_PROBLEMS_MAX)
                SL_BUG("suite.def has more than %d problems for schemes of %s",
                       SL_SCHEME_PROBLEMS_MAX, kinds[kind]);
            out->problem[out->problems++] = problems[i].name;
        }
    SL_TRY(parse(cost_run(kind), &standard));
    out->list = calloc(SCHEMES_MAX, sizeof *out->list);
    SL_CHECK(out->list, SL_EMEM, "no memory for the schemes");
    for (int i = 0; i < SCHEMES_MAX; i++)
        SL_TRY(add_scheme(out, &standard, i));
    return SL_OK;
}

/* ---- what they do ---------------------------------------------------------------------------- */

static void keys_of(const struct problem *p, const struct sl_scheme *s, char keys[KEYS_MAX])
{
    snprintf(keys, KEYS_MAX, "%s%s", p->run, s->keys);
}

static int add_runs(const struct sl_schemes *all, struct sl_suite_runs *runs)
{
    char keys[KEYS_MAX];
    for (int i = 0; i < NPROBLEM; i++)
        for (int k = 0; k < all->n && problems[i].kind == all->kind; k++) {
            keys_of(&problems[i], &all->list[k], keys);
            SL_TRY(sl_suite_runs_add(runs, keys));
        }
    return SL_OK;
}

/* Seconds of a run without those of its beginning, which are the same for all schemes; at least
 * LEAST_COST, as one that is lost in the noise would make the costs of all others infinite. */
static int cost_of(const struct sl_suite_run *run, const char *start_keys,
                   struct sl_suite_runs *runs, double *cost)
{
    char keys[KEYS_MAX];
    struct sl_suite_run *start;
    snprintf(keys, sizeof keys, "%s%s", start_keys, NO_STEPS);
    SL_TRY(sl_suite_runs_get(runs, keys, &start));
    double seconds = fmax(run->seconds - start->seconds, LEAST_COST);
    *cost = run->code == 0 && start->code == 0 ? seconds : NAN;
    return SL_OK;
}

static int scheme_measure(int kind, struct sl_suite_runs *runs, struct sl_scheme *s)
{
    int n = 0;
    for (int i = 0; i < NPROBLEM; i++) {
        const struct problem *p = &problems[i];
        char keys[KEYS_MAX];
        struct sl_suite_run *run;
        if (p->kind != kind) continue;
        keys_of(p, s, keys);
        SL_TRY(sl_suite_runs_get(runs, keys, &run));
        if (p->key)
            s->value[n++] = sl_suite_run_value(run, p->key);
        else
            SL_TRY(cost_of(run, p->run, runs, &s->cost));
    }
    return SL_OK;
}

/* Errors and costs over those of the default scheme. */
static void compare(struct sl_schemes *all)
{
    struct sl_scheme standard = {.cost = NAN};
    for (int k = 0; k < all->n; k++)
        if (all->list[k].is_default) standard = all->list[k];
    for (int k = 0; k < all->n; k++) {
        struct sl_scheme *s = &all->list[k];
        double sum = 0;
        for (int i = 0; i < all->problems; i++)
            sum += log(s->value[i] / standard.value[i]);
        s->error = exp(sum / all->problems);
        s->cost /= standard.cost;
    }
}

static void find_best(struct sl_schemes *all)
{
    for (int k = 0; k < all->n; k++) {
        struct sl_scheme *s = &all->list[k];
        s->best = isfinite(s->error) && isfinite(s->cost);
        for (int i = 0; i < all->n; i++)
            if (all->list[i].error < s->error && all->list[i].cost < s->cost) s->best = false;
    }
}

static int by_error(const void *a, const void *b)
{
    double x = ((const struct sl_scheme *)a)->error, y = ((const struct sl_scheme *)b)->error;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

static int measure_all(struct sl_schemes *all, struct sl_suite_runs *runs)
{
    SL_TRY(add_runs(all, runs));
    for (int k = 0; k < all->n; k++)
        SL_TRY(scheme_measure(all->kind, runs, &all->list[k]));
    compare(all);
    find_best(all);
    qsort(all->list, (size_t)all->n, sizeof *all->list, by_error);
    return SL_OK;
}

int sl_schemes_measure(int kind, struct sl_suite_runs *runs, struct sl_schemes *out)
{
    int code = find_schemes(kind, out);
    if (code == SL_OK) code = measure_all(out, runs);
    if (code != SL_OK) sl_schemes_release(out);
    return code;
}

void sl_schemes_release(struct sl_schemes *schemes)
{
    free(schemes->list);
    *schemes = (struct sl_schemes){.n = 0};
}

/* ---- output ---------------------------------------------------------------------------------- */

void sl_schemes_csv(const struct sl_schemes *schemes, struct sl_buffer *csv)
{
    sl_buffer_add(csv, "scheme,reconstruct,default,best,cost,error");
    for (int i = 0; i < schemes->problems; i++)
        sl_buffer_add(csv, ",%s", schemes->problem[i]);
    for (int k = 0; k < schemes->n; k++) {
        const struct sl_scheme *s = &schemes->list[k];
        sl_buffer_add(csv, "\n%s,%s,%s,%s,%.3g,%.4g", s->name, s->order,
                      s->is_default ? "yes" : "no", s->best ? "yes" : "no", s->cost, s->error);
        for (int i = 0; i < schemes->problems; i++)
            sl_buffer_add(csv, ",%.4g", s->value[i]);
    }
    sl_buffer_add(csv, "\n");
}

void sl_schemes_print(const struct sl_schemes *schemes)
{
    static const char *const titles[] = {
#define SCHEMES_TITLE(name, title) title,
        SL_SCHEMES_LIST(SCHEMES_TITLE)};
    printf("%s: %d schemes; error and cost over the default's\n%-26s %7s %7s",
           titles[schemes->kind], schemes->n, "", "error", "cost");
    for (int i = 0; i < schemes->problems; i++)
        printf(" %11s", schemes->problem[i]);
    for (int k = 0; k < schemes->n; k++) {
        const struct sl_scheme *s = &schemes->list[k];
        if (!s->best && !s->is_default) continue;
        printf("\n%-26s %7.3g %7.3g", s->name, s->error, s->cost);
        for (int i = 0; i < schemes->problems; i++)
            printf(" %11.3g", s->value[i]);
        if (s->is_default) printf(" default");
    }
    printf("\n");
    fflush(stdout);
}
