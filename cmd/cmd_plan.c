/* cmd_plan.c - sluice plan: what a recipe or a campaign will cost, before anything runs.
 *
 * Shapes  none
 * Units   bytes, seconds
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EGUARD
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/json.h"
#include "pipeline/kept.h"
#include "pipeline/local.h"
#include "pipeline/options.h"
#include "pipeline/plan.h"
#include "pipeline/select.h"
#include "pipeline/slurm_submit.h"
#include "pipeline/table.h"

struct sheet {
    struct sl_plan plan;
    struct sl_config first;
    double rate; /* per rank; 0: nothing was measured */
    int cores;
    bool yes, json, slurm;
    const char *dir;
    json_t *calls; /* words of each call of sbatch; NULL when they are not wanted */
};

static int add_call(const struct sl_args *args, void *user)
{
    json_t *words = json_array();
    for (int i = 0; i < args->n; i++)
        json_array_append_new(words, json_string(args->list[i]));
    return json_array_append_new(user, words) == 0 ? SL_OK : SL_FAIL(SL_EMEM, "no memory");
}

/* A cluster is meant when it was asked for, or when this user has described one. */
static bool for_slurm(const struct sheet *s)
{
    char path[SL_PATH_MAX];
    return s->slurm || (sl_site_path(path) == SL_OK && sl_disk_exists(path));
}

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

static void print_calls(const struct sheet *s)
{
    size_t n = json_array_size(s->calls), shown = n < 12 ? n : 12;
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

/* Cell updates per second and rank of the runs that this campaign has done. */
static double measured(const struct sl_state *st)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < st->n; i++) {
        const struct sl_stage_state *sim = &st->member[i].stage[SL_STAGE_sim];
        if (sim->rate <= 0) continue;
        sum += sim->rate / st->campaign->member[i].ranks;
        n++;
    }
    return n ? sum / n : 0;
}

static int add_recipe(struct sheet *s, char **words, int n)
{
    struct sl_recipe *recipe;
    struct sl_config cfg;
    SL_TRY(sl_recipe_open(words[0], words + 1, n - 1, &recipe));
    int64_t count = sl_recipe_count(recipe);
    int code = sl_recipe_confirm(recipe, s->yes ? count : SL_MEMBERS_ASK);
    if (code == SL_OK) code = sl_kept_check(recipe);
    for (int64_t i = 0; code == SL_OK && i < count; i++) {
        code = sl_recipe_member(recipe, i, &cfg);
        if (code == SL_OK) sl_plan_add(&s->plan, &cfg, 0, false);
        if (code == SL_OK && i == 0) s->first = cfg;
    }
    const struct sl_slurm_want want = {.only = -1};
    if (code == SL_OK && s->calls)
        code = sl_slurm_lines_of(recipe, s->dir, &want, add_call, s->calls);
    sl_recipe_close(recipe);
    return code;
}

static int add_campaign(struct sheet *s, char **words, int n)
{
    struct sl_selection selection;
    struct sl_config cfg;
    SL_TRY(sl_selection_open(words, n, true, &selection));
    s->rate = measured(&selection.state);
    int code = SL_OK;
    for (int i = 0; code == SL_OK && i < selection.state.n; i++) {
        if (!selection.picked[i]) continue;
        code = sl_campaign_config(&selection.campaign, i, &cfg);
        bool over = sl_state_ends(sl_state_member(&selection.state, i));
        if (code == SL_OK) sl_plan_add(&s->plan, &cfg, s->rate, over);
        if (code == SL_OK && s->plan.members == 1) s->first = cfg;
    }
    const struct sl_slurm_want want = {.only = -1};
    if (code == SL_OK && s->calls)
        code = sl_slurm_lines(&selection.campaign, &want, add_call, s->calls);
    sl_selection_close(&selection);
    return code;
}

static int side_by_side(const struct sheet *s)
{
    int n = s->plan.ranks ? s->cores / s->plan.ranks : 1;
    int64_t left = s->plan.left;
    return n < 1 ? 1 : n > left && left > 0 ? (int)left : n;
}

static double wall(const struct sheet *s)
{
    int used = side_by_side(s) * (s->plan.ranks ? s->plan.ranks : 1);
    return fmax(s->plan.core_seconds / used, s->plan.longest);
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

static void print_text(const struct sheet *s)
{
    const struct sl_plan *p = &s->plan;
    const struct sl_need *m = &p->largest;
    char rank[32], once[32], each[32], all[32];
    int n = side_by_side(s);
    sl_table_bytes(m->rank_memory, rank);
    sl_table_bytes(m->rank_memory * p->ranks * n, once);
    sl_table_time(m->seconds, each);
    sl_table_time(wall(s), all);
    printf("campaign  %s, problem %s\n", s->first.campaign,
           sl_choice_name("problem", s->first.problem));
    printf("members   %lld, %lld not done; %.3g cells each\n", (long long)p->members,
           (long long)p->left, m->cells);
    printf("stages    %ssim, stats per member; then ensemble, report\n", m->ic > 0 ? "ic, " : "");
    printf("ranks     %d per member; %d cores here: %d side by side\n", p->ranks, s->cores, n);
    printf("memory    %s per rank, %s at once\n", rank, once);
    print_disk(p);
    printf("steps     about %.3g per member\n", m->steps);
    printf("time      about %s per member, %s in all, %.3g core hours\n", each, all,
           p->core_seconds / 3600);
    printf("          from %.3g cell updates/s per rank, %s\n",
           s->rate > 0 ? s->rate : sl_plan_rate(&s->first),
           s->rate > 0 ? "measured in this campaign" : "assumed until one member has run");
    if (p->ranks > s->cores)
        printf("note      a member wants more ranks than there are cores: --oversubscribe\n");
    if (s->calls) print_calls(s);
}

static int print_json(const struct sheet *s)
{
    const struct sl_plan *p = &s->plan;
    const struct sl_need *m = &p->largest;
    json_t *member =
        json_pack("{s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "cells", m->cells, "steps",
                  m->steps, "ranks", p->ranks, "seconds", m->seconds, "rank_memory_bytes",
                  m->rank_memory, "snapshot_bytes", m->snapshots, "checkpoint_bytes",
                  m->checkpoints, "ic_bytes", m->ic, "stats_bytes", m->stats);
    json_t *o = json_pack("{s:i, s:s, s:I, s:I, s:i, s:i, s:f, s:f, s:f, s:f, s:b, s:o}", "v", 1,
                          "campaign", s->first.campaign, "members", (json_int_t)p->members, "left",
                          (json_int_t)p->left, "cores", s->cores, "side_by_side", side_by_side(s),
                          "disk_bytes", p->disk, "core_hours", p->core_seconds / 3600, "wall_s",
                          wall(s), "rate_per_rank", s->rate > 0 ? s->rate : sl_plan_rate(&s->first),
                          "rate_measured", s->rate > 0, "largest_member", member);
    SL_CHECK(o, SL_EMEM, "no memory for the plan");
    if (s->calls) json_object_set(o, "sbatch", s->calls);
    return sl_json_print(o);
}

static int run(int argc, char **argv)
{
    struct sheet s = {.cores = sl_local_cores()};
    int64_t cores = 0;
    const struct sl_option options[] = {
        {"json", 0, SL_OPTION_FLAG, &s.json},   {"yes", 'y', SL_OPTION_FLAG, &s.yes},
        {"slurm", 0, SL_OPTION_FLAG, &s.slurm}, {"dir", 'd', SL_OPTION_TEXT, &s.dir},
        {"cores", 'j', SL_OPTION_INT, &cores},  {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "plan [RECIPE [key=value...] | CAMPAIGN]",
                            &words));
    if (cores > 0 && cores < 1 << 20) s.cores = (int)cores;
    bool recipe =
        words > 0 && !sl_campaign_is(argv[1]) && (sl_disk_exists(argv[1]) || !sl_campaign_is("."));
    if (for_slurm(&s)) s.calls = json_array();
    int code = recipe ? add_recipe(&s, argv + 1, words) : add_campaign(&s, argv + 1, words);
    if (code == SL_OK && s.plan.members == 0) code = SL_FAIL(SL_EUSAGE, "no members");
    if (code == SL_OK && s.json)
        code = print_json(&s);
    else if (code == SL_OK)
        print_text(&s);
    json_decref(s.calls);
    return code;
}

const struct sl_verb sl_verb_plan = {
    .name = "plan",
    .usage = "[RECIPE [key=value...] | CAMPAIGN] [options]",
    .about = "members, stages, memory, disk and time of a recipe or of what is left of a campaign",
    .help = "  --cores, -j N   as if there were N cores\n"
            "  --slurm         the calls of sbatch too; shown by themselves once `sluice site` was "
            "run\n"
            "  --dir, -d DIR   as if the campaign were made there\n"
            "  --yes, -y       more than 10,000 members are meant\n"
            "  --json          {v, campaign, members, left, cores, side_by_side, disk_bytes, "
            "core_hours,\n"
            "                  wall_s, rate_per_rank, rate_measured, largest_member: {cells, ...}, "
            "sbatch:\n"
            "                  [[WORD]] with --slurm}",
    .run = run};
