/* sheet.c - see sheet.h. */
#include "pipeline/show/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/memory.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/campaign/advice.h"
#include "pipeline/campaign/input_files.h"
#include "pipeline/campaign/nearest.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/table.h"

enum { CALLS_SHOWN = 12 };

/* ---- filling --------------------------------------------------------------------------------- */

static int add_call(const struct sl_args *args, void *user)
{
    struct sl_sheet *s = user;
    json_t *words = json_array();
    long long last = 0;
    for (int i = 0; i < args->n; i++) {
        if (strncmp(args->list[i], "--array=0-", 10) == 0) {
            last = strtoll(args->list[i] + 10, NULL, 10);
            s->size.arrays++;
        }
        json_array_append_new(words, sl_json_text(args->list[i]));
    }
    s->size.calls++;
    s->size.tasks += last + 1;
    return json_array_append_new(s->calls, words) == 0 ? SL_OK : SL_FAIL(SL_EMEM, "no memory");
}

/* Cores of a node, for node hours: those of the cluster, else those that are here. */
static int node_cores(const struct sl_sheet *s)
{
    long long n = s->cluster.node_cpus > 0 ? s->cluster.node_cpus : s->cores;
    return n < 1 ? 1 : n > 1 << 20 ? 1 << 20 : (int)n;
}

/* The cluster is asked with the first request; the sums need what it says of its nodes. */
static void ask_cluster(struct sl_sheet *s)
{
    const char *own = s->first.slurm_partition, *site = s->site.partition;
    if (s->slurm && !s->offline)
        sl_cluster_ask(&s->cluster, *own ? own : site, json_array_get(s->calls, 0));
}

static void add_note(const char *text, void *user)
{
    struct sl_sheet *s = user;
    json_array_append_new(s->notes, sl_json_text(text));
}

static int add_recipe(struct sl_sheet *s, char **words, int n)
{
    struct sl_recipe *recipe;
    struct sl_config cfg;
    SL_TRY(sl_nearest_recipe(words[0], sl_recipe_open(words[0], words + 1, n - 1, &recipe)));
    int64_t count = sl_recipe_count(recipe);
    const struct sl_slurm_want want = {.throttle = s->throttle};
    int code = sl_recipe_confirm(recipe, s->many ? count : SL_MEMBERS_ASK);
    if (code == SL_OK) code = sl_recipe_check(recipe);
    if (code == SL_OK) code = sl_input_files_check(recipe);
    if (code == SL_OK) code = sl_recipe_member(recipe, 0, &s->first);
    if (code == SL_OK) code = sl_disk_join(s->place, "%s", s->dir ? s->dir : s->first.campaign);
    if (code == SL_OK) code = sl_pace_find(NULL, &s->first, &s->pace);
    if (code == SL_OK) code = sl_filling_expected(recipe, &s->filling);
    if (code == SL_OK && s->slurm) code = sl_slurm_lines_of(recipe, s->dir, &want, add_call, s);
    if (code == SL_OK) ask_cluster(s);
    for (int64_t i = 0; code == SL_OK && i < count; i++) {
        code = sl_recipe_member(recipe, i, &cfg);
        if (code == SL_OK)
            sl_plan_add(&s->plan, &cfg, &s->filling, sl_pace_half(&s->pace), node_cores(s), false);
    }
    if (code == SL_OK) sl_advice_tables(recipe, &s->first, true, add_note, s);
    sl_recipe_close(recipe);
    return code;
}

/* Cell updates per second and rank of the runs that this campaign has done. */
static double measured(const struct sl_campaign_state *st)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < st->n; i++) {
        const struct sl_stage_state *sim = &st->member[i].stage[SL_STAGE_sim];
        if (sim->rate <= 0) continue;
        sum += sim->rate / st->campaign->member[i].ranks[SL_STAGE_sim];
        n++;
    }
    return n ? sum / n : 0;
}

static int add_members(struct sl_sheet *s, const struct sl_selection *selection)
{
    struct sl_values values = {.recipe = NULL};
    struct sl_config cfg;
    int code = SL_OK;
    for (int i = 0; i < selection->state.n && code == SL_OK; i++) {
        if (!selection->picked[i]) continue;
        code = sl_values_of(&selection->campaign, i, &values, &cfg);
        bool over = sl_campaign_state_ends(sl_campaign_state_member(&selection->state, i));
        if (code == SL_OK)
            sl_plan_add(&s->plan, &cfg, &s->filling, sl_pace_half(&s->pace), node_cores(s), over);
    }
    sl_values_release(&values);
    SL_TRY(code);
    SL_CHECK(s->plan.members > 0, SL_EUSAGE, "no members");
    return SL_OK;
}

static int add_campaign(struct sl_sheet *s, char **words, int n)
{
    struct sl_selection selection;
    SL_TRY(sl_selection_open(words, n, true, &selection));
    const struct sl_slurm_want want = {.throttle = s->throttle};
    s->rate = measured(&selection.state);
    int code = sl_campaign_config(&selection.campaign, -1, &s->first);
    if (code == SL_OK) code = sl_disk_join(s->place, "%s", selection.campaign.dir);
    if (code == SL_OK) code = sl_pace_find(&selection.state, &s->first, &s->pace);
    if (code == SL_OK) code = sl_filling_campaign(&selection.state, &s->filling);
    if (code == SL_OK && s->slurm) code = sl_slurm_lines(&selection.campaign, &want, add_call, s);
    if (code == SL_OK) ask_cluster(s);
    if (code == SL_OK) code = add_members(s, &selection);
    char home[SL_PATH_MAX];
    if (code == SL_OK && sl_campaign_home(home, &selection.campaign, 0) == SL_OK)
        sl_advice_member(home, add_note, s);
    sl_selection_close(&selection);
    return code;
}

int sl_sheet_make(struct sl_sheet *s, char **words, int n)
{
    bool recipe =
        sl_select_is_recipe(words, n) && (sl_disk_exists(words[0]) || !sl_campaign_is("."));
    sl_cluster_unknown(&s->cluster);
    s->notes = json_array();
    if (!s->slurm) sl_devices_find(&s->devices);
    if (s->slurm) {
        SL_TRY(sl_site_read(&s->site, NULL));
        s->calls = json_array();
        s->limits = json_array();
        if (s->throttle > 0) s->site.throttle = s->throttle;
    }
    int code = recipe ? add_recipe(s, words, n) : add_campaign(s, words, n);
    if (code == SL_OK && s->slurm)
        code = sl_cluster_limits(&s->cluster, &s->site, &s->plan, &s->size, s->limits);
    if (code != SL_OK) sl_sheet_release(s);
    return code;
}

void sl_sheet_release(struct sl_sheet *s)
{
    json_decref(s->calls);
    json_decref(s->limits);
    json_decref(s->notes);
    s->calls = s->limits = s->notes = NULL;
}

/* ---- the forecast ---------------------------------------------------------------------------- */

static struct sl_device_request device_request(const struct sl_sheet *s)
{
    return sl_devices_request(&s->devices, &s->first, SL_STAGE_sim);
}

static int side_by_side(const struct sl_sheet *s)
{
    int n = s->plan.ranks ? s->cores / s->plan.ranks : 1;
    int64_t left = s->plan.left;
    struct sl_device_request request = device_request(s);
    if (request.n > 0 && request.alone && s->devices.n / request.n < n)
        n = s->devices.n / request.n;
    return n < 1 ? 1 : n > left && left > 0 ? (int)left : n;
}

static int at_once(const struct sl_sheet *s, bool idle)
{
    if (!s->slurm) return side_by_side(s);
    return sl_cluster_at_once(&s->cluster, &s->plan, s->site.throttle, idle);
}

/* Half of all cases: all CPUs of the partition come in time, the queue keeps its word. */
static double end_half(const struct sl_sheet *s)
{
    struct sl_outlook o = {.at_once = at_once(s, false),
                           .wait = fmax(0, s->cluster.start),
                           .requeue = s->slurm ? s->cluster.requeue : 0};
    return sl_plan_end(&s->plan, &o, 1);
}

/* Nine of ten: slower runs, the longest wait that was seen or twice what the queue says, and of the
 * CPUs only those that are idle now or a quarter. */
static double end_most(const struct sl_sheet *s)
{
    int all = at_once(s, false), idle = at_once(s, true), least = (all + 3) / 4;
    struct sl_outlook o = {.at_once = idle > least ? idle : least,
                           .wait = fmax(2 * fmax(0, s->cluster.start), s->pace.wait),
                           .requeue = s->slurm ? s->cluster.requeue : 0};
    if (!s->slurm) o = (struct sl_outlook){.at_once = all};
    return sl_plan_end(&s->plan, &o, sl_pace_most(&s->pace) / sl_pace_half(&s->pace));
}

static double rate_of(const struct sl_sheet *s)
{
    return s->rate > 0 ? s->rate : sl_plan_rate(&s->first) / sl_pace_half(&s->pace);
}

/* ---- for people ------------------------------------------------------------------------------ */

/* A word as a shell would want it. */
static void print_word(const char *word)
{
    if (word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                          "-_=/.,:%@+")] == '\0') {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*c >= ' ' || *c < 0 ? *c : '?');
    putchar('\'');
}

static void print_calls(const struct sl_sheet *s)
{
    size_t n = json_array_size(s->calls), shown = n < CALLS_SHOWN ? n : CALLS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        json_t *words = json_array_get(s->calls, i);
        fputs(i ? "         " : "slurm    ", stdout);
        for (size_t k = 0; k < json_array_size(words); k++) {
            putchar(' ');
            print_word(json_string_value(json_array_get(words, k)));
        }
        putchar('\n');
    }
    if (n > shown) printf("          and %zu more\n", n - shown);
}

static void print_disk(const struct sl_plan *p)
{
    const struct sl_need *m = &p->largest;
    char all[32], each[32], snapshots[32], checkpoints[32], ic[32], stats[32];
    sl_table_bytes(p->disk, all);
    sl_table_bytes(sl_plan_disk(m), each);
    sl_table_bytes(m->snapshots, snapshots);
    sl_table_bytes(m->checkpoints, checkpoints);
    sl_table_bytes(m->ic, ic);
    sl_table_bytes(m->stats, stats);
    printf("disk      %s; a member %s: snapshots %s, checkpoints %s, initial fields %s, statistics "
           "%s\n",
           all, each, snapshots, checkpoints, ic, stats);
}

static void print_particles(const struct sl_need *m)
{
    char device[32];
    if (!(m->particles > 0)) return;
    printf("particles %.4g per member, %.3g bytes each in memory\n", m->particles,
           m->particle_bytes);
    if (!(m->device_memory > 0)) return;
    sl_table_bytes(m->device_memory, device);
    printf("GPU       %s on that of each rank, %.3g bytes for each particle there; gas and what "
           "cuFFT takes come on top\n",
           device, m->device_particle_bytes);
}

static void moment(double seconds, char text[32])
{
    time_t at = time(NULL) + (time_t)(seconds + 0.5);
    struct tm tm;
    strftime(text, 32, "%Y-%m-%d %H:%M", localtime_r(&at, &tm));
}

/* Whether the shares of levels are those of whole runs. */
static bool filling_known(const struct sl_filling *f)
{
    return f->source == SL_FILLING_STATED ||
           (f->source == SL_FILLING_MEASURED && f->running < f->members);
}

/* Whether a chance can be told: not where nobody knows how many cells and steps there will be. */
static bool chances_known(const struct sl_sheet *s)
{
    return s->plan.largest.levels == 0 || filling_known(&s->filling);
}

static void print_cluster(const struct sl_sheet *s)
{
    char start[32], half[32], most[32];
    size_t i;
    json_t *limit;
    json_array_foreach(s->limits, i, limit)
        printf("%s%s%s\n", i ? "          " : "limits    ",
               json_is_true(json_object_get(limit, "exceeded")) ? "EXCEEDED: " : "",
               json_string_value(json_object_get(limit, "limit")));
    if (s->cluster.asked && *s->cluster.trouble)
        printf("queue     not known: %s\n", s->cluster.trouble);
    printf("nodes     %.3g node hours; %.3g if every attempt used its wall time up\n",
           s->plan.node_seconds / 3600, s->plan.asked_seconds / 3600);
    moment(s->cluster.start, start);
    moment(end_half(s), half);
    moment(end_most(s), most);
    if (s->cluster.start >= 0)
        printf("start     %s by sbatch --test-only\n", start);
    else
        printf("start     not known: counted as now\n");
    if (chances_known(s))
        printf("end       %s in half of all cases (P50), %s in nine of ten (P90)\n", half, most);
    else
        printf("end       %s if the levels fill what is assumed\n", half);
}

/* Bytes free where a directory is, or will be made: in the nearest there is above it. */
static double free_disk(const char *dir)
{
    char path[SL_PATH_MAX];
    struct statvfs fs;
    snprintf(path, sizeof path, "%s", dir);
    while (statvfs(path, &fs) != 0) {
        if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0) return INFINITY;
        char *slash = strrchr(path, '/');
        if (slash)
            slash[slash == path] = '\0';
        else
            memcpy(path, ".", 2);
    }
    return (double)fs.f_bavail * (double)fs.f_frsize;
}

/* What this machine cannot give. */
static void print_notes(const struct sl_sheet *s, double memory)
{
    const struct sl_plan *p = &s->plan;
    double have = sl_memory_limit("");
    double left = p->disk * (double)p->left / fmax(1, (double)p->members);
    char text[32];
    if (p->ranks > s->cores)
        printf("note      a member wants more ranks than there are cores: --oversubscribe\n");
    if (device_request(s).n > 0 && device_request(s).n < s->first.resources_gpus)
        printf("note      a member requests more GPUs than there are: several ranks use the same "
               "GPU\n");
    sl_table_bytes(have, text);
    if (memory > have) printf("note      there is no more than %s of memory here\n", text);
    have = free_disk(s->place);
    sl_table_bytes(have, text);
    if (left > have) printf("note      there is no more than %s of free disk there\n", text);
}

static void print_list(int n, const double *value)
{
    for (int i = 0; i < n; i++)
        printf("%s%.3g", i ? ", " : " ", value[i]);
}

/* The most that levels filled in runs to their end, in the words of a recipe. */
static void print_most(const struct sl_filling *f, int levels)
{
    if (f->source != SL_FILLING_MEASURED || f->running > 0) return;
    printf("          resources.filling: [");
    for (int l = 1; l <= levels; l++)
        printf("%s%.2g", l > 1 ? ", " : "", sl_filling_fraction(f, levels, l, true));
    printf("] for plans of like runs: the most of the box that each of them and finer ones "
           "filled\n");
}

/* Of the largest member. */
static void print_levels(const struct sl_sheet *s)
{
    const struct sl_need *m = &s->plan.largest;
    char from[400];
    if (m->levels == 0) return;
    sl_filling_say(&s->filling, from, sizeof from);
    printf("levels   ");
    print_list(m->levels + 1, m->level_cells);
    printf(" cells; in a step of the root grid");
    print_list(m->levels + 1, m->level_steps);
    printf(" steps, %.3g updates\n          %s%s\n", m->updates, from,
           filling_known(&s->filling)
               ? ""
               : ": cells, memory, disk and time may come to several times as much");
    print_most(&s->filling, m->levels);
}

void sl_sheet_print(const struct sl_sheet *s)
{
    const struct sl_plan *p = &s->plan;
    const struct sl_need *m = &p->largest;
    char rank[32], once[32], each[32], all[32], most[32], from[96], gpus[32] = "";
    int n = at_once(s, false);
    double memory = m->memory * n;
    sl_table_bytes(m->rank_memory, rank);
    sl_table_bytes(memory, once);
    sl_table_time(m->seconds, each);
    sl_table_time(end_half(s), all);
    sl_table_time(end_most(s), most);
    sl_pace_say(&s->pace, from, sizeof from);
    if (device_request(s).n > 0)
        snprintf(gpus, sizeof gpus, " and %d GPU%s", s->devices.n, s->devices.n == 1 ? "" : "s");
    printf("campaign  %s, problem %s\n", s->first.campaign,
           sl_choice_name("problem", s->first.problem));
    printf("members   %lld, %lld not done; %.3g cells each\n", (long long)p->members,
           (long long)p->left, m->cells);
    print_levels(s);
    bool own = sl_stage_is_of(SL_STAGE_own, &s->first);
    printf("stages    %ssim, %sper member; then ensemble, %sreport\n", m->ic > 0 ? "ic, " : "",
           own ? "stats, own " : "stats ", *s->first.stages_campaign ? "summary, " : "");
    if (s->slurm)
        printf("ranks     %d per member; up to %d members side by side\n", p->ranks, n);
    else
        printf("ranks     %d per member; %d cores%s here: %d side by side\n", p->ranks, s->cores,
               gpus, n);
    printf("memory    %s per rank, %s at once\n", rank, once);
    print_disk(p);
    print_particles(m);
    printf("steps     about %.3g per member\n", m->steps);
    printf("time      about %s per member, %s in all", each, all);
    if (chances_known(s)) printf(" (%s in nine cases of ten)", most);
    printf(", %.3g core hours%s\n", p->core_seconds / 3600,
           chances_known(s) ? "" : ", if the levels fill what is assumed");
    printf("          from %.3g cell updates/s per rank, %s\n", rate_of(s), from);
    if (!s->slurm) print_notes(s, memory);
    for (size_t i = 0; i < json_array_size(s->notes); i++)
        printf("note      %s\n", json_string_value(json_array_get(s->notes, i)));
    if (s->slurm) {
        print_cluster(s);
        print_calls(s);
    }
}

/* ---- for programs ---------------------------------------------------------------------------- */

static json_t *known(double value)
{
    return value >= 0 && isfinite(value) ? json_real(value) : json_null();
}

static json_t *cluster_json(const struct sl_sheet *s)
{
    const struct sl_cluster *c = &s->cluster;
    return json_pack("{s:b, s:s, s:s, s:o, s:o, s:o, s:O, s:I}", "known", c->answers, "trouble",
                     c->trouble, "partition", c->partition, "cpus", known((double)c->cpus),
                     "idle_cpus", known((double)c->idle_cpus), "start_s", known(c->start), "limits",
                     s->limits, "tasks", (json_int_t)s->size.tasks);
}

static json_t *numbers(int n, const double *value)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_real(value[i]));
    return list;
}

/* Of levels 1, 2 ... */
static json_t *filling_json(const struct sl_filling *f, int levels)
{
    json_t *list = json_array();
    for (int l = 1; l <= levels; l++)
        json_array_append_new(list, json_real(sl_filling_fraction(f, levels, l, true)));
    return list;
}

static json_t *levels_json(const struct sl_sheet *s)
{
    const struct sl_need *m = &s->plan.largest;
    char from[400];
    if (m->levels == 0) return json_null();
    sl_filling_say(&s->filling, from, sizeof from);
    return json_pack(
        "{s:o, s:o, s:o, s:f, s:s, s:s}", "cells", numbers(m->levels + 1, m->level_cells), "steps",
        numbers(m->levels + 1, m->level_steps), "filling", filling_json(&s->filling, m->levels),
        "updates", m->updates, "from", sl_filling_name(&s->filling), "from_text", from);
}

static json_t *member_json(const struct sl_sheet *s)
{
    const struct sl_plan *p = &s->plan;
    const struct sl_need *m = &p->largest;
    return json_pack("{s:f, s:o, s:f, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
                     "cells", m->cells, "levels", levels_json(s), "steps", m->steps, "ranks",
                     p->ranks, "seconds", m->seconds, "rank_memory_bytes", m->rank_memory,
                     "snapshot_bytes", m->snapshots, "checkpoint_bytes", m->checkpoints, "ic_bytes",
                     m->ic, "stats_bytes", m->stats, "particles", m->particles, "particle_bytes",
                     m->particle_bytes, "device_particle_bytes", m->device_particle_bytes,
                     "device_bytes", m->device_memory);
}

int sl_sheet_json(const struct sl_sheet *s)
{
    const struct sl_plan *p = &s->plan;
    char from[96];
    sl_pace_say(&s->pace, from, sizeof from);
    json_t *o = json_pack(
        "{s:i, s:s, s:I, s:I, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:s, s:o}",
        "v", 1, "campaign", s->first.campaign, "members", (json_int_t)p->members, "left",
        (json_int_t)p->left, "cores", s->cores, "gpus", s->devices.n, "side_by_side",
        at_once(s, false), "disk_bytes", p->disk, "core_hours", p->core_seconds / 3600,
        "node_hours", p->node_seconds / 3600, "node_hours_most", p->asked_seconds / 3600, "wall_s",
        end_half(s), "wall_90_s", end_most(s), "rate_per_rank", rate_of(s), "rate_measured",
        s->rate > 0, "rate_from", from, "largest_member", member_json(s));
    if (o) json_object_set(o, "notes", s->notes);
    if (o && s->slurm) json_object_set_new(o, "slurm", cluster_json(s));
    if (o && s->slurm) json_object_set(o, "sbatch", s->calls);
    return sl_json_print(o);
}
