/* cluster.c - see slurm/cluster.h. */
#include "pipeline/slurm/cluster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/sys/status.h"
#include "pipeline/campaign/table.h"
#include "pipeline/slurm/call.h"

static const double ask_limit = 30;
/* A requeued task begins a second after its credential has expired, two minutes by default. */
static const double requeue_default = 121;

void sl_cluster_unknown(struct sl_cluster *c)
{
    *c = (struct sl_cluster){.cpus = -1,
                             .idle_cpus = -1,
                             .node_cpus = -1,
                             .time_limit = INFINITY,
                             .min_age = -1,
                             .requeue = requeue_default,
                             .max_jobs = -1,
                             .start = -1};
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The number after "Key = " at the beginning of a line; -1 for none. */
static double config_number(const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) != 0 || (line[n] != ' ' && line[n] != '=')) continue;
        const char *value = line + n + strspn(line + n, " =");
        char *end;
        double x = strtod(value, &end);
        return end > value && isfinite(x) && x >= 0 ? x : -1;
    }
    return -1;
}

void sl_cluster_read_config(struct sl_cluster *c, const char *text)
{
    const char *expire = text ? strstr(text, "cred_expire=") : NULL;
    c->min_age = config_number(text, "MinJobAge");
    c->max_jobs = (long long)config_number(text, "MaxJobCount");
    double seconds = expire ? strtod(expire + strlen("cred_expire="), NULL) : 0;
    if (seconds > 0 && seconds < 1e6) c->requeue = seconds + 1;
}

/* "30:00", "2-00:00:00", "infinite" in seconds; -1 for anything else. */
static double parse_limit(const char *text)
{
    double part[4] = {0};
    int n = 0;
    if (strcmp(text, "infinite") == 0 || strcmp(text, "UNLIMITED") == 0) return INFINITY;
    bool days = strchr(text, '-') != NULL;
    for (const char *p = text; n < 4; p++) {
        char *end;
        if (*p < '0' || *p > '9') return -1;
        part[n++] = strtod(p, &end);
        if (!*end) break;
        if (*end != ':' && !(days && n == 1 && *end == '-')) return -1;
        p = end;
    }
    double s = days ? 86400 * part[0] : 0;
    double *hms = part + days;
    n -= days;
    if (n == 3 || days) return s + 3600 * hms[0] + 60 * hms[1] + hms[2];
    return s + 60 * hms[0] + (n == 2 ? hms[1] : 0);
}

/* "partition*|limit|allocated/idle/other/total|cpus of a node"; + after a number: or more. */
static bool take_sinfo(struct sl_cluster *c, const char *want, char *line)
{
    char *field[4], *save = line;
    long long cpus[4];
    for (int i = 0; i < 4; i++)
        if (!(field[i] = strsep(&save, "|"))) return false;
    size_t n = strlen(field[0]);
    bool usual = n > 0 && field[0][n - 1] == '*';
    if (usual) field[0][n - 1] = '\0';
    if (*want ? strcmp(want, field[0]) != 0 : !usual) return false;
    char *p = field[2];
    for (int i = 0; i < 4; i++, p += *p == '/')
        cpus[i] = strtoll(p, &p, 10);
    if (cpus[3] < cpus[2] || cpus[0] < 0 || cpus[1] < 0) return false;
    snprintf(c->partition, sizeof c->partition, "%s", field[0]);
    c->idle_cpus = (c->idle_cpus > 0 ? c->idle_cpus : 0) + cpus[1];
    c->cpus = (c->cpus > 0 ? c->cpus : 0) + cpus[3] - cpus[2];
    long long node = strtoll(field[3], NULL, 10);
    if (node > 0 && (c->node_cpus < 0 || node < c->node_cpus)) c->node_cpus = node;
    double limit = parse_limit(field[1]);
    if (limit >= 0) c->time_limit = limit;
    return true;
}

void sl_cluster_read_sinfo(struct sl_cluster *c, const char *partition, char *text)
{
    char *save = text;
    for (char *line; (line = strsep(&save, "\n"));)
        take_sinfo(c, partition, line);
}

bool sl_cluster_read_start(struct sl_cluster *c, const char *text, double now)
{
    const char *at = text ? strstr(text, "to start at ") : NULL;
    struct tm tm = {.tm_isdst = -1};
    if (!at || !strptime(at + strlen("to start at "), "%Y-%m-%dT%H:%M:%S", &tm)) return false;
    c->start = fmax(0, (double)mktime(&tm) - now);
    return true;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool ask(struct sl_cluster *c, struct sl_args *args, struct sl_answer *a)
{
    int code = sl_slurm_call(args, ask_limit, a);
    bool good = code == SL_OK && a->code == 0;
    if (!good && !*c->trouble)
        snprintf(c->trouble, sizeof c->trouble, "%.250s",
                 code != SL_OK ? sl_error_text() : sl_answer_line(a));
    sl_args_release(args);
    return good;
}

static void ask_config(struct sl_cluster *c)
{
    struct sl_args args = {.n = 0};
    struct sl_answer a;
    sl_args_add(&args, "scontrol");
    sl_args_add(&args, "show");
    sl_args_add(&args, "config");
    c->answers = ask(c, &args, &a);
    if (c->answers) sl_cluster_read_config(c, a.out.s);
    sl_answer_release(&a);
}

static void ask_sinfo(struct sl_cluster *c, const char *partition)
{
    struct sl_args args = {.n = 0};
    struct sl_answer a;
    sl_args_add(&args, "sinfo");
    sl_args_add(&args, "--noheader");
    sl_args_add(&args, "--format=%%P|%%l|%%C|%%c");
    if (ask(c, &args, &a) && a.out.s) sl_cluster_read_sinfo(c, partition, a.out.s);
    sl_answer_release(&a);
}

static bool starts(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* What the request asks for, without its array, its files and what it waits for. */
static void ask_start(struct sl_cluster *c, const json_t *call)
{
    static const char *const left_out[] = {"--parsable", "--array",  "--dependency", "--comment",
                                           "--chdir",    "--output", "--open-mode"};
    struct sl_args args = {.n = 0};
    struct sl_answer a;
    sl_args_add(&args, "sbatch");
    sl_args_add(&args, "--test-only");
    for (size_t i = 1; i < json_array_size(call); i++) {
        const char *word = json_string_value(json_array_get(call, i));
        bool skip = false;
        if (!word || !starts(word, "--")) break;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            skip |= starts(word, left_out[k]);
        if (!skip) sl_args_add(&args, "%s", word);
    }
    sl_args_add(&args, "--wrap=true");
    bool good = ask(c, &args, &a);
    if (good && !sl_cluster_read_start(c, a.err.s, sl_disk_now()))
        sl_cluster_read_start(c, a.out.s, sl_disk_now());
    sl_answer_release(&a);
}

void sl_cluster_ask(struct sl_cluster *c, const char *partition, const json_t *call)
{
    sl_cluster_unknown(c);
    c->asked = true;
    ask_config(c);
    if (c->answers) ask_sinfo(c, partition);
    if (c->answers && call) ask_start(c, call);
}

/* ---- what follows ---------------------------------------------------------------------------- */

int sl_cluster_at_once(const struct sl_cluster *c, const struct sl_plan *plan, long long throttle,
                       bool idle)
{
    long long cpus = idle ? c->idle_cpus : c->cpus, ranks = plan->ranks > 0 ? plan->ranks : 1;
    long long n = cpus < 0 ? 1 : cpus / ranks;
    if (throttle > 0 && n > throttle) n = throttle;
    if (n > plan->left) n = plan->left;
    return n < 1 ? 1 : n > 1 << 30 ? 1 << 30 : (int)n;
}

static int add(json_t *list, bool exceeded, const char *fmt, ...) SL_PRINTF(3, 4);
static int add(json_t *list, bool exceeded, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    int bad =
        json_array_append_new(list, json_pack("{s:s, s:b}", "limit", text, "exceeded", exceeded));
    return bad ? SL_FAIL(SL_EMEM, "no memory for the limits") : SL_OK;
}

static int limit_of_time(const struct sl_cluster *c, const struct sl_plan *plan, json_t *list)
{
    char limit[32], wants[32];
    if (!*c->partition || !isfinite(c->time_limit)) return SL_OK;
    sl_table_time(c->time_limit, limit);
    sl_table_time(plan->walltime, wants);
    bool bad = plan->walltime > c->time_limit;
    SL_TRY(add(list, bad, "partition %s gives a job %s: resources.walltime is %s%s", c->partition,
               limit, wants, bad ? ", such a job never starts" : ""));
    if (plan->last <= c->time_limit) return SL_OK;
    sl_table_time(plan->last, wants);
    return add(list, true,
               "partition %s gives a job %s: the last job of the campaign requests %s "
               "(resources.ensemble.walltime, else resources.walltime), such a job never starts",
               c->partition, limit, wants);
}

static int limit_of_jobs(const struct sl_cluster *c, const struct sl_site *site,
                         const struct sl_request_size *size, json_t *list)
{
    SL_TRY(add(list, false, "%lld tasks in %lld arrays of at most %lld (MaxArraySize)", size->tasks,
               size->arrays, site->max_array));
    if (c->max_jobs >= 0)
        SL_TRY(
            add(list, size->tasks > c->max_jobs, "the controller holds %lld jobs (MaxJobCount)%s",
                c->max_jobs,
                size->tasks > c->max_jobs ? ": the rest waits for another `sluice submit`" : ""));
    if (site->max_submit > 0)
        SL_TRY(add(list, size->tasks > site->max_submit,
                   "a submit brings in at most %lld tasks (max_submit of the site)%s",
                   site->max_submit,
                   size->tasks > site->max_submit ? ": call it again for the rest" : ""));
    return SL_OK;
}

int sl_cluster_limits(const struct sl_cluster *c, const struct sl_site *site,
                      const struct sl_plan *plan, const struct sl_request_size *size, json_t *list)
{
    SL_TRY(limit_of_jobs(c, site, size, list));
    SL_TRY(limit_of_time(c, plan, list));
    if (site->throttle > 0)
        SL_TRY(add(list, false, "%lld members of an array at once (throttle of the site)",
                   site->throttle));
    if (c->cpus >= 0)
        SL_TRY(add(list, plan->ranks > c->cpus, "partition %s has %lld CPUs, %lld idle%s",
                   c->partition, c->cpus, c->idle_cpus,
                   plan->ranks > c->cpus ? ": fewer than a member wants" : ""));
    if (c->min_age >= 0 && plan->longest * (double)plan->left > c->min_age)
        SL_TRY(add(list, false,
                   "Slurm forgets jobs %.0f s after their end (MinJobAge): tasks that it lets go "
                   "too early see that and leave",
                   c->min_age));
    return add(list, false, "a task that is started again waits %.0f s first", c->requeue);
}
