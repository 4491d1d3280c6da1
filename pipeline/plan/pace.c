/* pace.c - see pace.h. */
#include "pipeline/plan/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "pipeline/launch/site.h"
#include "pipeline/plan/plan.h"

enum { FILE_MAX = 1 << 24, SAMPLES = 200, FIELDS = 9, LINE = 512, LINES = 512 };
/* Spread of the logarithm where little is known: a factor 2, and 1.5 between schemes and
 * problems. */
static const double spread_assumed = 0.69, spread_bench = 0.41, spread_least = 0.05;
static const char levels[] = "-levels"; /* kinds of runs with levels end so */
static const double ninety = 1.2816;    /* quantile 0.9 of a standard normal variable */

double sl_pace_half(const struct sl_pace *p)
{
    return exp(p->log);
}

double sl_pace_most(const struct sl_pace *p)
{
    return exp(p->log + ninety * p->spread);
}

void sl_pace_say(const struct sl_pace *p, char *text, size_t size)
{
    if (p->source == SL_PACE_CAMPAIGN)
        snprintf(text, size, "from %d members of this campaign", p->n);
    else if (p->source == SL_PACE_SITE)
        snprintf(text, size, "from %d members of other campaigns here", p->n);
    else if (p->source == SL_PACE_BENCH)
        snprintf(text, size, "from what `sluice bench` measured here");
    else
        snprintf(text, size, "assumed until one member has run");
}

void sl_pace_kind(const struct sl_config *cfg, char kind[SL_PACE_KIND])
{
    snprintf(kind, SL_PACE_KIND, "%s-%s-%s%s",
             sl_plan_on_device(cfg) ? "gpu"
                                    : sl_choice_name("resources.backend", cfg->resources_backend),
             sl_choice_name("resources.precision", cfg->resources_precision),
             sl_config_has_gas(cfg) ? sl_choice_name("fluid.mhd", cfg->fluid_mhd) : "particles",
             cfg->mesh_levels > 0 ? levels : "");
}

/* ---- sums of logarithms ---------------------------------------------------------------------- */

struct sums {
    int n;
    double one, two, wait;
};

static void take(struct sums *s, double log, double spread, int n)
{
    s->n += n;
    s->one += n * log;
    s->two += n * (log * log + spread * spread);
}

/* The spread of the next one: of the sample, and of its mean. One alone tells little. */
static void conclude(const struct sums *s, enum sl_pace_source source, struct sl_pace *p)
{
    if (s->n == 0 || source < p->source) return;
    double mean = s->one / s->n, sample = fmax(0, s->two / s->n - mean * mean);
    if (s->n > 1) sample *= (double)s->n / (s->n - 1);
    double own = s->n > 1 ? fmax(sqrt(sample), spread_least) : spread_bench;
    *p = (struct sl_pace){.source = source,
                          .n = s->n,
                          .log = mean,
                          .spread = own * sqrt(1 + 1.0 / s->n),
                          .wait = s->wait};
}

/* ---- measured in a campaign ------------------------------------------------------------------ */

/* Without commands of one's own, whose time says nothing of that of another campaign. */
static double stage_seconds(const struct sl_campaign_state *st, int member)
{
    double sum = 0;
    for (int s = 0; s < SL_MEMBER_STAGES; s++)
        if (s != SL_STAGE_own) sum += st->member[member].stage[s].seconds;
    return sum;
}

/* As its history tells; assumed, where there is none. */
static int member_filling(const struct sl_campaign_state *st, int member,
                          const struct sl_config *cfg, struct sl_filling *filling)
{
    char home[SL_PATH_MAX];
    *filling = (struct sl_filling){.levels = 0};
    SL_TRY(sl_campaign_home(home, st->campaign, member));
    sl_filling_add(filling, cfg, home);
    if (filling->members == 0) sl_filling_assume(filling);
    return SL_OK;
}

/* Of members that are done; of many, every so-manieth. */
static int measure(const struct sl_campaign_state *st, struct sums *s)
{
    struct sl_config cfg;
    struct sl_need need;
    struct sl_filling filling;
    int step = st->count[SL_WORK_done] / SAMPLES + 1, seen = 0;
    memset(s, 0, sizeof *s);
    s->wait = st->waited;
    for (int i = 0; i < st->n; i++) {
        double seconds = stage_seconds(st, i);
        if (sl_campaign_state_member(st, i) != SL_WORK_done || seconds <= 0 || seen++ % step)
            continue;
        SL_TRY(sl_campaign_config(st->campaign, i, &cfg));
        SL_TRY(member_filling(st, i, &cfg, &filling));
        sl_plan_member(&cfg, &filling, &need);
        take(s, log(seconds / (need.seconds - need.stage_seconds[SL_STAGE_own])), 0, 1);
    }
    return SL_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int file_path(char path[SL_PATH_MAX], bool *site)
{
    char parent[SL_PATH_MAX];
    SL_TRY(sl_site_path(path));
    *site = sl_disk_exists(path);
    SL_TRY(sl_path_parent(parent, path));
    return sl_disk_join(path, "%s/pace.tsv", parent);
}

struct line {
    char *field[FIELDS];
    int n;
};

static struct line split(char *text)
{
    struct line l = {.n = 0};
    char *save = text;
    while (l.n < FIELDS && (l.field[l.n] = strsep(&save, "\t")))
        l.n++;
    return l;
}

/* Has a later line the same key? That one counts more members. */
static bool superseded(const struct line *list, int n, int i)
{
    for (int k = i + 1; k < n; k++)
        if (list[k].n == FIELDS && strcmp(list[k].field[1], list[i].field[1]) == 0) return true;
    return false;
}

static void take_line(const struct line *l, const char *problem, const char *kind,
                      struct sums *near, struct sums *far)
{
    double log = strtod(l->field[6], NULL), spread = strtod(l->field[7], NULL);
    long n = strtol(l->field[5], NULL, 10);
    bool sound = n >= 1 && n <= SAMPLES && fabs(log) < 20 && spread >= 0 && spread < 20;
    if (!sound || strcmp(l->field[4], kind) != 0) return;
    struct sums *s = strcmp(l->field[3], problem) == 0 ? near : far;
    take(s, log, spread, (int)n);
    s->wait = fmax(s->wait, strtod(l->field[8], NULL));
}

/* A measurement of one level tells of several, too. */
static bool is_kind(const char *bench, const char *kind)
{
    size_t n = strlen(bench);
    return strncmp(bench, kind, n) == 0 && (!kind[n] || strcmp(kind + n, levels) == 0);
}

static void take_bench(const struct line *l, const char *kind, double assumed, struct sl_pace *p)
{
    double rate = strtod(l->field[3], NULL);
    if (p->source > SL_PACE_BENCH || !is_kind(l->field[2], kind) || !(rate > 0)) return;
    *p = (struct sl_pace){
        .source = SL_PACE_BENCH, .log = log(assumed / rate), .spread = spread_bench, .wait = -1};
}

/* Where the last lines begin. */
static char *last_lines(char *text)
{
    char *p = text + strlen(text);
    for (int n = 0; p > text && (p[-1] != '\n' || ++n <= LINES);)
        p--;
    return p;
}

void sl_pace_parse(char *text, const char *problem, const char *kind, double assumed,
                   struct sl_pace *p)
{
    struct line *list = calloc(LINES, sizeof *list);
    struct sums near = {.wait = -1}, far = {.wait = -1};
    char *save = last_lines(text);
    int n = 0;
    for (char *s; list && n < LINES && (s = strsep(&save, "\n"));)
        if (*s) list[n++] = split(s);
    for (int i = 0; i < n; i++) {
        const struct line *l = &list[i];
        if (l->n == FIELDS && strcmp(l->field[0], "campaign") == 0 && !superseded(list, n, i))
            take_line(l, problem, kind, &near, &far);
        if (l->n == 4 && strcmp(l->field[0], "bench") == 0) take_bench(l, kind, assumed, p);
    }
    free(list);
    conclude(near.n ? &near : &far, SL_PACE_SITE, p);
    if (p->source == SL_PACE_SITE && !near.n) p->spread = fmax(p->spread, spread_bench);
}

static int append(const char *path, const char *line)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    ssize_t n = write(fd, line, strlen(line)); /* one write: lines of two jobs do not mix */
    int why = errno;
    close(fd);
    SL_CHECK(n == (ssize_t)strlen(line), SL_EIO, "cannot write %s: %s", path, strerror(why));
    return SL_OK;
}

/* ---- the public face ------------------------------------------------------------------------- */

int sl_pace_find(const struct sl_campaign_state *state, const struct sl_config *cfg,
                 struct sl_pace *p)
{
    char path[SL_PATH_MAX], kind[SL_PACE_KIND], *text = NULL;
    struct sums own = {.n = 0};
    size_t size;
    bool site;
    *p = (struct sl_pace){.spread = spread_assumed, .wait = -1};
    sl_pace_kind(cfg, kind);
    if (file_path(path, &site) == SL_OK && sl_disk_exists(path)) {
        SL_TRY(sl_file_read(path, FILE_MAX, &text, &size));
        sl_pace_parse(text, sl_choice_name("problem", cfg->problem), kind, sl_plan_usual(cfg), p);
        free(text);
    }
    if (!state) return SL_OK;
    double wait = p->wait;
    SL_TRY(measure(state, &own));
    conclude(&own, SL_PACE_CAMPAIGN, p);
    p->wait = fmax(p->wait, wait);
    return SL_OK;
}

int sl_pace_write(const struct sl_campaign *campaign)
{
    char path[SL_PATH_MAX], kind[SL_PACE_KIND], line[LINE];
    struct sl_campaign_state st;
    struct sl_config cfg;
    struct sums s = {.n = 0};
    struct sl_pace p = {.wait = -1};
    bool site;
    SL_TRY(file_path(path, &site));
    if (!site) return SL_OK;
    int code = sl_campaign_state_open(campaign, &st);
    if (code == SL_OK) code = measure(&st, &s);
    if (code == SL_OK) code = sl_campaign_config(campaign, -1, &cfg);
    double first = st.first;
    sl_campaign_state_release(&st);
    SL_TRY(code);
    if (s.n == 0) return SL_OK;
    conclude(&s, SL_PACE_CAMPAIGN, &p);
    sl_pace_kind(&cfg, kind);
    snprintf(line, sizeof line, "campaign\t%.80s-%.3f\t%.0f\t%s\t%s\t%d\t%.6g\t%.6g\t%.6g\n",
             campaign->name, first, sl_disk_now(), sl_choice_name("problem", cfg.problem), kind,
             s.n, p.log, p.spread / sqrt(1 + 1.0 / s.n), p.wait);
    return append(path, line);
}

int sl_pace_bench(const char *backend, const char *precision, const char *field, double rate)
{
    char path[SL_PATH_MAX], line[LINE];
    bool site;
    SL_TRY(file_path(path, &site));
    if (!site) return SL_OK;
    snprintf(line, sizeof line, "bench\t%.0f\t%s-%.20s-%s\t%.6g\n", sl_disk_now(), backend,
             precision, field, rate);
    return append(path, line);
}
