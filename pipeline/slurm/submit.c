/* submit.c - see slurm/submit.h. */
#include "pipeline/slurm/submit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/batch_options.h"
#include "core/sys/interval.h"
#include "core/sys/status.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/ensemble.h"
#include "pipeline/campaign/own.h"
#include "pipeline/campaign/recipe.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/whole.h"
#include "pipeline/launch/place.h"
#include "pipeline/slurm/call.h"
#include "pipeline/slurm/cover.h"
#include "pipeline/slurm/memory.h"
#include "pipeline/slurm/pack.h"
#include "pipeline/slurm/script.h"

static const double sbatch_limit = 300, short_limit = 60;
static const char exclude[] = "--exclude=", comment[] = "--comment=";

struct submit {
    const struct sl_campaign *campaign;
    const struct sl_slurm_want *want;
    struct sl_tally *tally;
    struct sl_site site;
    struct sl_book book;
    struct sl_queue queue;
    struct sl_campaign_state state;
    struct sl_claim claim;
    struct sl_values values;
    struct sl_filling filling; /* of adaptive meshes */
    bool filled;               /* it was looked up */
    bool imagined;             /* the campaign is not made yet */
    long long tasks_left;      /* tasks that may still be submitted; -1: any number */
    int (*each)(const struct sl_args *args, void *user);
    void *user;    /* each and user: only show what would be called */
    int64_t heard; /* bytes of the journal that were looked through for a cancel */
    bool limited, failed;
    struct sl_cover
        *cover; /* owned: of the members, what the queue has of them; NULL: nothing counts */
    int chunks; /* generations that this submit makes */
    int first;  /* number of the first of them */
};

/* ---- one request ----------------------------------------------------------------------------- */

struct request {
    const struct sl_config *cfg; /* as the stage has it */
    enum sl_stage stage;
    int g, slots;
    int pack;                /* members of a task side by side */
    long long memory, nodes; /* MiB of a rank, 0: none are asked for; 0: Slurm chooses */
    const char *after;       /* "aftercorr:12", "" for none */
};

static long long minutes(const struct sl_config *cfg)
{
    return (long long)ceil(cfg->resources_walltime / 60);
}

/* Seconds before the limit at which Slurm tells the task to stop; it may be a minute early. */
static long long warning(const struct sl_config *cfg)
{
    long long w = 6 * minutes(cfg);
    return w < 10 ? 10 : w > 180 ? 180 : w;
}

static void add_choice(struct sl_args *args, const char *option, const char *recipe,
                       const char *site)
{
    const char *value = *recipe ? recipe : site;
    if (*value) sl_args_add(args, "--%s=%s", option, value);
}

static long long throttle_of(const struct submit *s)
{
    return s->want->throttle   ? s->want->throttle
           : s->state.throttle ? s->state.throttle
                               : s->site.throttle;
}

/* The limit is one for the campaign, Slurm's is one for each array. */
static void add_array(const struct submit *s, const struct request *r, struct sl_args *args)
{
    long long throttle = sl_slurm_share(throttle_of(s), s->chunks, r->g - s->first);
    if (throttle > 0 && throttle < r->slots)
        sl_args_add(args, "--array=0-%d%%%lld", r->slots - 1, throttle);
    else
        sl_args_add(args, "--array=0-%d", r->slots - 1);
}

/* GPUs are asked for by the stages that compute on them. */
static void add_gres(const struct submit *s, const struct request *r, struct sl_args *args)
{
    const char *more = *r->cfg->slurm_gres ? r->cfg->slurm_gres : s->site.gres;
    bool takes = sl_stage_takes_devices((int)r->stage, r->cfg);
    long long gpus = takes ? (long long)r->cfg->resources_gpus * r->pack : 0;
    bool as_gres = strcmp(s->site.gpu_request, "gres") == 0;
    char type[SL_SITE_TEXT + 2] = "", want[SL_SITE_TEXT + 40] = "";
    if (*s->site.gpu_type) snprintf(type, sizeof type, "%s:", s->site.gpu_type);
    if (gpus > 0 && !as_gres) sl_args_add(args, "--gpus-per-node=%s%lld", type, gpus);
    if (gpus > 0 && as_gres) snprintf(want, sizeof want, "gpu:%s%lld", type, gpus);
    if (*want || *more) sl_args_add(args, "--gres=%s%s%s", want, *want && *more ? "," : "", more);
}

/* --mem is that of a node: of the fullest one, which is known where their number is. */
static void add_memory(const struct submit *s, const struct request *r, struct sl_args *args)
{
    long long nodes = r->nodes;
    long long rank = r->memory, ranks = (long long)r->cfg->resources_ranks * r->pack;
    if (rank > 0 && nodes > 0 && strcmp(s->site.memory, "mem") == 0)
        sl_args_add(args, "--mem=%lldM", rank * ((ranks + nodes - 1) / nodes));
    else if (rank > 0)
        sl_args_add(args, "--mem-per-cpu=%lldM", rank);
}

static bool is(const char *word, const char *option)
{
    return strncmp(word, option, strlen(option)) == 0;
}

/* Nodes that failed and those that the recipe leaves out are one list: of two, Slurm takes the
 * last. */
static void add_excluded(const struct submit *s, const struct request *r, struct sl_args *args)
{
    char word[SL_BATCH_WORD], list[1024 + SL_BATCH_WORD] = "";
    if ((int)r->stage < SL_MEMBER_STAGES)
        sl_nodes_exclude(&s->state.bad_nodes, &s->site, sl_disk_now(), list, 1024);
    for (const char *at = r->cfg->slurm_options; sl_batch_option_next(&at, word);) {
        size_t n = strlen(list);
        if (is(word, exclude))
            snprintf(list + n, sizeof list - n, "%s%s", n ? "," : "", word + strlen(exclude));
    }
    if (*list) sl_args_add(args, "%s%s", exclude, list);
}

static void add_options(const struct request *r, struct sl_args *args)
{
    char word[SL_BATCH_WORD];
    for (const char *at = r->cfg->slurm_options; sl_batch_option_next(&at, word);)
        if (!is(word, exclude) && !is(word, comment)) sl_args_add(args, "%s", word);
}

/* The word by which the queue's jobs are known, then what the recipe says. */
static void add_comment(const struct request *r, const char *token, struct sl_args *args)
{
    char word[SL_BATCH_WORD], text[SL_BATCH_WORD] = "";
    for (const char *at = r->cfg->slurm_options; sl_batch_option_next(&at, word);)
        if (is(word, comment)) snprintf(text, sizeof text, " %s", word + strlen(comment));
    sl_args_add(args, "%s%s%s", comment, token, text);
}

static void add_resources(const struct submit *s, const struct request *r, struct sl_args *args)
{
    const struct sl_config *cfg = r->cfg;
    bool member = (int)r->stage < SL_MEMBER_STAGES;
    sl_args_add(args, "--ntasks=%lld", (long long)cfg->resources_ranks * r->pack);
    if (member && r->nodes > 0) sl_args_add(args, "--nodes=%lld", r->nodes);
    sl_args_add(args, "--time=%lld", minutes(cfg));
    sl_args_add(args, "--signal=B:USR1@%lld", warning(cfg));
    if (member) add_gres(s, r, args);
    add_memory(s, r, args);
    add_choice(args, "account", cfg->slurm_account, s->site.account);
    add_choice(args, "partition", cfg->slurm_partition, s->site.partition);
    add_choice(args, "qos", cfg->slurm_qos, s->site.qos);
    add_choice(args, "constraint", cfg->slurm_constraint, s->site.constraint);
    add_excluded(s, r, args);
    add_options(r, args);
    sl_args_add(args, s->site.requeue ? "--requeue" : "--no-requeue");
    if (s->site.cancel_blocked) sl_args_add(args, "--kill-on-invalid-dep=yes");
}

/* "program", the modules with their number before them, and what `sluice job` gets. */
static int add_script(const struct submit *s, const struct request *r, struct sl_args *args)
{
    char program[SL_PATH_MAX], modules[SL_SITE_TEXT], *word[64], *save = NULL;
    int n = 0;
    SL_TRY(sl_place_self(program, sizeof program));
    memcpy(modules, s->site.modules, sizeof modules);
    for (char *w = strtok_r(modules, " ", &save); w && n < 40; w = strtok_r(NULL, " ", &save))
        word[n++] = w;
    sl_args_add(args, "%s/%s", s->campaign->dir, sl_slurm_script_path);
    sl_args_add(args, "%s", program);
    sl_args_add(args, "%d", n);
    for (int i = 0; i < n; i++)
        sl_args_add(args, "%s", word[i]);
    sl_args_add(args, "%s", s->campaign->dir);
    sl_args_add(args, "%s", sl_stage_name((int)r->stage));
    sl_args_add(args, "%d", r->g + 1);
    return SL_OK;
}

/* Slurm replaces %x and the like in the whole path: those of the directory are doubled. */
static void add_output(const struct submit *s, const struct request *r, struct sl_args *args)
{
    struct sl_buffer path = {.s = NULL};
    for (const char *c = s->campaign->dir; *c; c++)
        sl_buffer_bytes(&path, *c == '%' ? "%%" : c, *c == '%' ? 2 : 1);
    if (path.failed) args->full = true;
    sl_args_add(args, "--output=%s/logs/slurm/%s", path.s ? path.s : "",
                r->slots > 0 ? "%x.%a.log" : "%x.log");
    sl_buffer_release(&path);
}

static int build(const struct submit *s, const struct request *r, struct sl_args *args)
{
    char name[SL_JOB_NAME_MAX];
    sl_book_name(&s->book, r->g, r->stage, name);
    sl_args_add(args, "sbatch");
    sl_args_add(args, "--parsable");
    sl_args_add(args, "--job-name=%s", name);
    add_comment(r, s->each ? "TOKEN" : s->book.generation[r->g].stage[r->stage].token, args);
    if (r->slots > 0) add_array(s, r, args);
    if (*r->after) sl_args_add(args, "--dependency=%s", r->after);
    add_resources(s, r, args);
    sl_args_add(args, "--chdir=%s", s->campaign->dir);
    add_output(s, r, args);
    sl_args_add(args, "--open-mode=append");
    sl_args_add(args, "--export=ALL");
    return add_script(s, r, args);
}

/* ---- what sbatch answered -------------------------------------------------------------------- */

static bool says_any(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(text, words[i])) return true;
    return false;
}

/* The queue is full for us, or for all: the rest goes in later. */
static bool is_limit(const char *text)
{
    static const char *const words[] = {
        "MaxSubmit", "MaxJobs",   "submit limit",         "temporarily unable",
        "job limit", "GrpSubmit", "Job violates account", "Too many jobs"};
    return says_any(text, words, sizeof words / sizeof *words);
}

/* Only an answer of the controller itself proves that it did not take the job. */
static bool is_refusal(const char *text)
{
    static const char *const words[] = {"submission failed", "nvalid", "nrecognized", "ermission"};
    return !sl_slurm_unsure(text) && says_any(text, words, sizeof words / sizeof *words);
}

/* Did sbatch find no controller to speak to? Then nothing was sent. A request that broke off later
 * is reported in other words (send failure, receive failure, timed out), and one word of that, as
 * of a sbatch that tried several times, leaves the doubt. */
static bool is_unreached(const char *said)
{
    static const char words[] =
        "Batch job submission failed: Unable to contact slurm controller (connect failure)";
    char rest[2048];
    const char *at = said ? strstr(said, words) : NULL;
    if (!at || strlen(said) >= sizeof rest) return false;
    snprintf(rest, sizeof rest, "%.*s%s", (int)(at - said), said, at + sizeof words - 1);
    return !sl_slurm_unsure(rest);
}

static const char once_up[] =
    "once `scontrol ping` finds the controller up, `sluice submit` goes on";

static int fail_unreached(const struct submit *s, const char *text)
{
    if (s->tally->arrays > 0)
        return SL_FAIL(SL_EUNAVAIL,
                       "Slurm took %d job%s, and then its controller could not be reached any more "
                       "(%s): the rest was not submitted; %s",
                       s->tally->arrays, s->tally->arrays == 1 ? "" : "s", text, once_up);
    return SL_FAIL(SL_EUNAVAIL,
                   "nothing was submitted: the controller of Slurm cannot be reached (%s); %s",
                   text, once_up);
}

static int settle_failure(struct submit *s, const struct request *r, struct sl_answer *a)
{
    char text[300], name[SL_JOB_NAME_MAX];
    snprintf(text, sizeof text, "%.290s", a->err.s ? a->err.s : "it printed nothing");
    for (char *p = text; *p; p++)
        if (*p == '\n') *p = p[1] ? ' ' : '\0';
    sl_book_name(&s->book, r->g, r->stage, name);
    if (is_limit(text)) {
        s->limited = true;
        snprintf(s->tally->limit, sizeof s->tally->limit, "%s", text);
        return sl_book_settle(&s->book, r->g, r->stage, -1, text);
    }
    if (is_unreached(a->err.s)) {
        SL_TRY(sl_book_settle(&s->book, r->g, r->stage, -1, text));
        return fail_unreached(s, text);
    }
    if (is_refusal(text)) {
        SL_TRY(sl_book_settle(&s->book, r->g, r->stage, -1, text));
        return SL_FAIL(SL_EINPUT, "Slurm refuses %s: %s", name, text);
    }
    return SL_FAIL(SL_EUNAVAIL,
                   "whether Slurm took %s is not known (%s): `sluice submit` will find out", name,
                   text);
}

/* ---- cancelled meanwhile --------------------------------------------------------------------- */

static int see_stop(const struct sl_fact *f, void *user)
{
    bool *seen = user;
    if (f->what == SL_FACT_stop) *seen = true;
    return SL_OK;
}

/* Cancels what this submission has handed over. */
static int take_back(const struct submit *s)
{
    for (int g = 0; g < s->book.n; g++)
        for (int k = 0; k < SL_STAGE_COUNT; k++) {
            const struct sl_submission *sub = &s->book.generation[g].stage[k];
            char id[32], *ids[] = {id};
            if (sub->how != SL_HANDED_DONE || sub->when < s->claim.begin) continue;
            snprintf(id, sizeof id, "%lld", sub->job);
            SL_TRY(sl_slurm_ids("scancel", NULL, ids, 1));
        }
    return SL_OK;
}

/* A cancel while this is under way holds for all of it: `sluice cancel` writes to the journal
 * before it looks into the queue, this looks into the journal after each request. */
static int heed_cancel(struct submit *s)
{
    bool seen = false;
    SL_TRY(sl_journal_read(s->campaign->dir, &s->heard, see_stop, &seen, NULL));
    if (!seen) return SL_OK;
    SL_TRY(take_back(s));
    return SL_FAIL(SL_EINTR, "`sluice cancel` was called meanwhile: nothing was submitted");
}

/* Intent, sbatch, id: in this order, each on disk before the next. */
static int hand_over(struct submit *s, const struct request *r)
{
    struct sl_args args = {.n = 0};
    struct sl_answer a = {.code = 0};
    int code = SL_OK;
    if (!s->each) code = sl_book_intend(&s->book, r->g, r->stage);
    if (code == SL_OK) code = build(s, r, &args);
    if (code == SL_OK && s->each) {
        code = s->each(&args, s->user);
        s->book.generation[r->g].stage[r->stage].how = SL_HANDED_INTENDED;
        s->book.generation[r->g].stage[r->stage].when = sl_disk_now();
    } else if (code == SL_OK) {
        code = sl_slurm_call(&args, sbatch_limit, &a);
        s->tally->calls++;
        long long job = code == SL_OK && a.code == 0 ? sl_slurm_job_id(a.out.s) : -1;
        if (job >= 0)
            code = sl_book_settle(&s->book, r->g, r->stage, job, "");
        else if (code == SL_OK)
            code = settle_failure(s, r, &a);
        s->tally->arrays += job >= 0;
        if (code == SL_OK) code = heed_cancel(s);
    }
    if (s->tasks_left > 0) s->tasks_left -= r->slots < s->tasks_left ? r->slots : s->tasks_left;
    sl_args_release(&args);
    sl_answer_release(&a);
    return code;
}

/* ---- members --------------------------------------------------------------------------------- */

/* Stages that the member needs and that the queue will not bring: from the first of those on. */
static unsigned stages_of(const struct submit *s, int member)
{
    unsigned needed = sl_cover_needed(&s->state, member);
    int gap = s->cover ? sl_cover_gap(&s->cover[member], needed) : -1;
    return s->cover ? (gap < 0 ? 0 : needed >> gap << gap) : needed;
}

/* The array that does the stage before those, and is in the queue; -1: none. */
static long long behind(const struct submit *s, int member, unsigned stages)
{
    unsigned before =
        s->cover ? s->cover[member].stages & ~stages & sl_cover_needed(&s->state, member) : 0;
    long long job = before ? s->cover[member].job[31 - __builtin_clz(before)] : -1;
    return job > 0 ? job : -1;
}

/* What the levels of adaptive meshes fill, looked up once, where something depends on it. */
static const struct sl_filling *filling_of(struct submit *s, const struct sl_config *cfg)
{
    if (cfg->mesh_levels == 0) return NULL;
    if (s->filled) return &s->filling;
    s->filled = true;
    int code = s->imagined ? sl_filling_expected(s->values.recipe, &s->filling)
                           : sl_filling_campaign(&s->state, &s->filling);
    if (code != SL_OK) sl_filling_assume(&s->filling);
    return &s->filling;
}

/* What a stage of the member asks for; own: of the member, receives the values of the stage. */
static int ask_for(struct submit *s, int member, const struct sl_config *cfg, struct request *r,
                   struct sl_config *own)
{
    sl_config_stage(cfg, (int)r->stage, own);
    bool planned = own->resources_memory == SL_INTERVAL_AUTO && strcmp(s->site.memory, "none") != 0;
    r->cfg = own;
    r->memory = sl_slurm_memory(&s->site, cfg, r->stage, planned ? filling_of(s, cfg) : NULL,
                                &s->state.use[r->stage], &s->state.member[member].stage[r->stage]);
    return sl_slurm_nodes(&s->site, own, sl_stage_name((int)r->stage), r->memory, r->pack,
                          &r->nodes);
}

/* Members in one task: as many as the recipe, the site and the memory of a node allow. */
static int pack_of(struct submit *s, int member, const struct sl_config *cfg)
{
    struct sl_config own;
    long long pack = sl_slurm_pack(cfg, &s->site), limit = sl_slurm_node_limit(&s->site, cfg);
    for (int k = 0; k < SL_MEMBER_STAGES && pack > 1 && limit > 0; k++) {
        struct request r = {.stage = (enum sl_stage)k, .pack = 1};
        if (!sl_member_has(&s->campaign->member[member], k)) continue;
        if (ask_for(s, member, cfg, &r, &own) != SL_OK) return 1;
        long long each = r.memory * (long long)own.resources_ranks;
        if (each > 0 && limit / each < pack) pack = limit / each;
    }
    return pack > 1 ? (int)pack : 1;
}

/* Members with the same text go into the same arrays. */
static int shape_of(struct submit *s, int member, const struct sl_config *cfg, char *text,
                    size_t size)
{
    struct sl_config own;
    unsigned stages = stages_of(s, member);
    int n = snprintf(text, size, "%u %lld %d %d", stages, behind(s, member, stages),
                     pack_of(s, member, cfg), sl_slurm_turns(cfg));
    for (int k = 0; k < SL_MEMBER_STAGES; k++) {
        struct request r = {.stage = (enum sl_stage)k, .pack = 1};
        if (!(stages & 1u << k)) continue;
        SL_TRY(ask_for(s, member, cfg, &r, &own));
        n += snprintf(text + n, size - (size_t)n, " %lld %lld %lld %lld %lld",
                      (long long)own.resources_ranks, r.nodes, (long long)own.resources_gpus,
                      minutes(&own), r.memory);
    }
    snprintf(text + n, size - (size_t)n, "|%s|%s|%s|%s|%s|%s", cfg->slurm_account,
             cfg->slurm_partition, cfg->slurm_qos, cfg->slurm_constraint, cfg->slurm_gres,
             cfg->slurm_options);
    return SL_OK;
}

static bool wanted(const struct submit *s, int member)
{
    enum sl_work_state kind = sl_campaign_state_member(&s->state, member);
    return kind == SL_WORK_waiting || kind == SL_WORK_stopped || kind == SL_WORK_running;
}

/* ---- generations ----------------------------------------------------------------------------- */

static bool in_queue(const struct submit *s, int g, enum sl_stage stage)
{
    for (int i = 0; i < s->queue.n; i++)
        if (s->queue.item[i].g == g && s->queue.item[i].stage == stage) return true;
    return false;
}

/* Of more arrays than may run members at once, each waits for the one that has its place now. */
static void follow_lane(const struct submit *s, int g, enum sl_stage stage, char *after,
                        size_t size)
{
    long long limit = throttle_of(s);
    int before = limit > 0 ? g - (int)limit : -1;
    if (limit <= 0 || before < s->first || s->chunks <= limit) return;
    const struct sl_submission *sub = &s->book.generation[before].stage[stage];
    if (s->each)
        snprintf(after, size, "afterany:<%s-g%d>", sl_stage_name((int)stage), before + 1);
    else if (sub->how == SL_HANDED_DONE)
        snprintf(after, size, "afterany:%lld", sub->job);
}

/* After the stage before, which another generation does. */
static void follow_stage(const struct submit *s, const struct sl_generation *gen, char *after,
                         size_t size)
{
    long long job = behind(s, gen->member[0], gen->stages);
    size_t n = strlen(after);
    if (job >= 0) snprintf(after + n, size - n, "%s%lld", n ? ":" : "afterany:", job);
}

/* Arrays of one generation that are not submitted yet, in their order. `fresh`: it was made now, so
 * that what it depends on cannot have left the queue. */
static int submit_stages(struct submit *s, int g, const struct sl_config *cfg, bool fresh)
{
    struct sl_generation *gen = &s->book.generation[g];
    struct sl_config own;
    int before = -1;
    for (int k = 0; k < SL_MEMBER_STAGES && !s->limited; k++) {
        if (!(gen->stages & (1u << k))) continue;
        char after[64] = "";
        bool waits = before >= 0 && (fresh || in_queue(s, g, (enum sl_stage)before));
        if (waits && s->each)
            snprintf(after, sizeof after, "aftercorr:<%s-g%d>", sl_stage_name(before), g + 1);
        else if (waits)
            snprintf(after, sizeof after, "aftercorr:%lld", gen->stage[before].job);
        if (before < 0) follow_lane(s, g, (enum sl_stage)k, after, sizeof after);
        if (before < 0) follow_stage(s, gen, after, sizeof after);
        struct request r = {.stage = (enum sl_stage)k,
                            .g = g,
                            .slots = sl_book_slots(gen),
                            .pack = sl_book_lanes(gen),
                            .after = after};
        if (gen->stage[k].how == SL_HANDED_NOT) {
            SL_TRY(ask_for(s, gen->member[0], cfg, &r, &own));
            SL_TRY(hand_over(s, &r));
            fresh = !s->limited;
        }
        before = k;
    }
    return SL_OK;
}

/* A submit that was cut short left generations with arrays missing. */
static int complete(struct submit *s)
{
    struct sl_config cfg;
    for (int g = 0; g < s->book.n && !s->limited; g++) {
        struct sl_generation *gen = &s->book.generation[g];
        bool begun = false, missing = false, needed = false;
        for (int k = 0; k < SL_MEMBER_STAGES; k++) {
            if (!(gen->stages & (1u << k))) continue;
            begun |= gen->stage[k].how == SL_HANDED_DONE && in_queue(s, g, (enum sl_stage)k);
            missing |= gen->stage[k].how == SL_HANDED_NOT;
        }
        for (int i = 0; i < gen->n; i++)
            needed |= wanted(s, gen->member[i]);
        /* when nothing of it is in the queue, its members go into a new one */
        if (!begun || !missing || !needed) continue;
        SL_TRY(sl_values_of(s->campaign, gen->member[0], &s->values, &cfg));
        SL_TRY(submit_stages(s, g, &cfg, false));
    }
    return SL_OK;
}

static int count_bits(unsigned bits)
{
    int n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* In a plan nothing is written: the generation is in memory alone. */
static int make_generation(struct submit *s, const int *member, int n, unsigned stages, int pack,
                           int turns)
{
    if (!s->each) return sl_book_add(&s->book, member, n, stages, pack, turns);
    struct sl_generation *more =
        realloc(s->book.generation, (size_t)(s->book.n + 1) * sizeof *more);
    SL_CHECK(more, SL_EMEM, "no memory for a table of slots");
    s->book.generation = more;
    struct sl_generation *gen = &more[s->book.n];
    memset(gen, 0, sizeof *gen);
    gen->member = calloc((size_t)n, sizeof *member);
    SL_CHECK(gen->member, SL_EMEM, "no memory for a table of slots");
    memcpy(gen->member, member, (size_t)n * sizeof *member);
    gen->n = n;
    gen->pack = pack;
    gen->turns = turns;
    gen->stages = stages;
    s->book.n++;
    return SL_OK;
}

/* Members of one shape, in chunks. */
static int submit_shape(struct submit *s, const int *member, int n)
{
    struct sl_config cfg;
    SL_TRY(sl_values_of(s->campaign, member[0], &s->values, &cfg));
    int lanes = pack_of(s, member[0], &cfg), turns = sl_slurm_turns(&cfg);
    if (lanes > n) lanes = n;
    if (turns > (n + lanes - 1) / lanes) turns = (n + lanes - 1) / lanes;
    int pack = lanes * turns;
    for (int done = 0; done < n;) {
        unsigned stages = stages_of(s, member[done]);
        long long most = s->site.max_array * pack, chunk = n - done < most ? n - done : most;
        if (s->tasks_left >= 0 && s->tasks_left / count_bits(stages) * pack < chunk)
            chunk = s->tasks_left / count_bits(stages) * pack;
        if (chunk < 1 || s->limited) {
            if (!s->limited)
                snprintf(s->tally->limit, sizeof s->tally->limit, "max_submit of the site: %lld",
                         s->site.max_submit);
            s->limited = true;
            s->tally->left += n - done;
            return SL_OK;
        }
        SL_TRY(make_generation(s, member + done, (int)chunk, stages, pack, turns));
        SL_TRY(submit_stages(s, s->book.n - 1, &cfg, true));
        bool any =
            s->book.generation[s->book.n - 1].stage[__builtin_ctz(stages)].how != SL_HANDED_NOT;
        *(any ? &s->tally->members : &s->tally->left) += (int)chunk;
        done += (int)chunk;
    }
    return SL_OK;
}

struct ticket {
    int member, shape;
};

static int by_shape(const void *a, const void *b)
{
    const struct ticket *x = a, *y = b;
    return x->shape != y->shape ? x->shape - y->shape : x->member - y->member;
}

enum { SHAPES_MAX = 256, SHAPE_TEXT = 3400 };

static int find_shape(char (*shape)[SHAPE_TEXT], int *n, const char *text, int *which)
{
    for (*which = 0; *which < *n; ++*which)
        if (strcmp(shape[*which], text) == 0) return SL_OK;
    SL_CHECK(*n < SHAPES_MAX, SL_EINPUT,
             "members ask for more than %d different sets of ranks, nodes, times and partitions",
             SHAPES_MAX);
    snprintf(shape[(*n)++], SHAPE_TEXT, "%s", text);
    return SL_OK;
}

static int look_at_cover(struct submit *s)
{
    free(s->cover);
    s->cover = NULL;
    if (s->want->these) return SL_OK;
    s->cover = calloc((size_t)s->state.n + 1, sizeof *s->cover);
    SL_CHECK(s->cover, SL_EMEM, "no memory for the members");
    sl_cover(&s->book, &s->queue, s->claim.begin, s->cover);
    return SL_OK;
}

static int drop_item(const struct sl_queue_item *item, int slot)
{
    char id[48], *ids[] = {id};
    snprintf(id, sizeof id, "%lld_%d", item->job, slot);
    return sl_slurm_ids("scancel", NULL, ids, 1);
}

/* Tasks of stages that come after one which nothing will do: of slots with one member alone, as
 * others may still need theirs. */
static int drop_stranded(struct submit *s)
{
    for (int i = 0; i < s->queue.n && !s->each; i++) {
        const struct sl_queue_item *item = &s->queue.item[i];
        if ((int)item->stage >= SL_MEMBER_STAGES || item->g >= s->book.n || sl_queue_blocked(item))
            continue;
        const struct sl_generation *gen = &s->book.generation[item->g];
        for (int k = item->first; gen->pack == 1 && k < gen->n && k <= item->last; k++)
            if (stages_of(s, gen->member[k]) & 1u << item->stage) SL_TRY(drop_item(item, k));
    }
    return SL_OK;
}

/* Members that need an array, sorted by what they ask for. */
static int collect(struct submit *s, struct ticket *list, int *n)
{
    char(*shape)[SHAPE_TEXT] = malloc(SHAPES_MAX * sizeof *shape), text[SHAPE_TEXT];
    struct sl_config cfg;
    int shapes = 0, code = shape ? SL_OK : SL_FAIL(SL_EMEM, "no memory for the members");
    if (code == SL_OK) code = look_at_cover(s);
    if (code == SL_OK && s->cover) code = drop_stranded(s);
    *n = 0;
    for (int i = 0; i < s->state.n && code == SL_OK; i++) {
        bool take = s->want->these ? s->want->these[i] : stages_of(s, i) != 0;
        s->tally->waiting += s->cover && s->cover[i].stages && !take;
        if (!take || !wanted(s, i)) continue;
        code = sl_values_of(s->campaign, i, &s->values, &cfg);
        if (code == SL_OK) code = shape_of(s, i, &cfg, text, sizeof text);
        list[*n].member = i;
        if (code == SL_OK) code = find_shape(shape, &shapes, text, &list[*n].shape);
        ++*n;
    }
    free(shape);
    if (code == SL_OK) qsort(list, (size_t)*n, sizeof *list, by_shape);
    return code;
}

/* Members of one shape, from list[i] on. */
static int count_shape(const struct ticket *list, int n, int i)
{
    int k = 0;
    while (i + k < n && list[i + k].shape == list[i].shape)
        k++;
    return k;
}

/* Number of generations that the members will make, when no limit stops it. */
static int count_chunks(struct submit *s, const struct ticket *list, int n)
{
    int chunks = 0;
    struct sl_config cfg;
    for (int i = 0, k; i < n; i += k) {
        k = count_shape(list, n, i);
        if (sl_values_of(s->campaign, list[i].member, &s->values, &cfg) != SL_OK) return chunks + 1;
        long long most =
            s->site.max_array * pack_of(s, list[i].member, &cfg) * sl_slurm_turns(&cfg);
        chunks += (int)((k + most - 1) / most);
    }
    return chunks;
}

static int submit_new(struct submit *s)
{
    int n = 0;
    struct ticket *list = calloc((size_t)s->state.n + 1, sizeof *list);
    int *member = calloc((size_t)s->state.n + 1, sizeof *member);
    int code = list && member ? collect(s, list, &n) : SL_FAIL(SL_EMEM, "no memory for members");
    if (code == SL_OK) s->chunks = count_chunks(s, list, n);
    s->first = s->book.n;
    for (int i = 0, k; i < n && code == SL_OK; i += k) {
        k = count_shape(list, n, i);
        for (int m = 0; m < k; m++)
            member[m] = list[i + m].member;
        code = submit_shape(s, member, k);
    }
    free(list);
    free(member);
    return code;
}

/* ---- the job of the campaign ----------------------------------------------------------------- */

/* The first array of a generation that is, or was just, put in; -1: none. What waits for it may
 * come to wait for ever, as for a task that was killed: the job of the campaign, which takes
 * that out of the queue, must not wait for it too. */
static int first_array(const struct submit *s, int g)
{
    for (int k = 0; k < SL_MEMBER_STAGES; k++) {
        const struct sl_submission *sub = &s->book.generation[g].stage[k];
        if (sub->how == SL_HANDED_NOT) continue;
        if (in_queue(s, g, (enum sl_stage)k) || sub->when >= s->claim.begin) return k;
    }
    return -1;
}

/* "afterany:1:2:..." over those of all generations; once they are over, another one follows
 * those after them. */
static void follow_all(const struct submit *s, struct sl_buffer *after)
{
    for (int g = 0; g < s->book.n; g++) {
        int k = first_array(s, g);
        if (k < 0) continue;
        const struct sl_submission *sub = &s->book.generation[g].stage[k];
        if (s->each)
            sl_buffer_add(after, "%s<%s-g%d>", after->n ? ":" : "afterany:", sl_stage_name(k),
                          g + 1);
        else if (sub->how == SL_HANDED_DONE)
            sl_buffer_add(after, "%s%lld", after->n ? ":" : "afterany:", sub->job);
    }
}

static bool whole_in_queue(const struct submit *s)
{
    for (int i = 0; i < s->queue.n; i++)
        if ((int)s->queue.item[i].stage >= SL_MEMBER_STAGES && !sl_queue_blocked(&s->queue.item[i]))
            return true;
    return false;
}

/* All members have ended, and what is made of them all is not there yet. */
static bool whole_due(const struct submit *s)
{
    struct sl_whole whole;
    enum sl_stage stage;
    if (s->each || sl_campaign_state_measured(&s->state) == 0) return false;
    return sl_whole_failed(&s->state, &whole, &stage) ||
           !sl_record_exists(s->campaign->dir, SL_STAGE_report) ||
           (sl_ensemble_possible(s->campaign) && !sl_ensemble_current(s->campaign)) ||
           (sl_campaign_has(s->campaign, SL_STAGE_summary) && !sl_own_current(s->campaign));
}

static int submit_whole(struct submit *s)
{
    struct sl_config cfg, own;
    struct sl_buffer after = {.s = NULL};
    follow_all(s, &after);
    if (s->book.n == 0 || (after.n == 0 && !whole_due(s))) {
        sl_buffer_release(&after);
        return SL_OK;
    }
    int code = sl_values_of(s->campaign, 0, &s->values, &cfg);
    if (code == SL_OK) sl_config_stage(&cfg, SL_STAGE_ensemble, &own);
    struct request r = {.cfg = &own,
                        .stage = SL_STAGE_ensemble,
                        .g = s->book.n - 1,
                        .slots = 0,
                        .pack = 1,
                        .nodes = 1,
                        .after = after.s ? after.s : ""};
    if (code == SL_OK) code = sl_slurm_last_memory(&s->site, &cfg, &r.memory);
    if (code == SL_OK && after.failed) code = SL_FAIL(SL_EMEM, "no memory for a dependency");
    if (code == SL_OK) code = hand_over(s, &r);
    sl_buffer_release(&after);
    return code;
}

/* ---- doubt ----------------------------------------------------------------------------------- */

static bool find_token(struct submit *s, int g, int stage, const struct sl_queue *q)
{
    struct sl_submission *sub = &s->book.generation[g].stage[stage];
    for (int i = 0; i < q->n; i++)
        if (q->item[i].g == g && (int)q->item[i].stage == stage &&
            strcmp(q->item[i].token, sub->token) == 0) {
            sub->job = q->item[i].job;
            return true;
        }
    return false;
}

/* Every intent without an answer: is its job there? *open receives the moment from which absence
 * may be believed, 0 when nothing is in doubt. */
static int look_up(struct submit *s, const struct sl_queue *q, double *open)
{
    *open = 0;
    for (int g = 0; g < s->book.n; g++)
        for (int k = 0; k < SL_STAGE_COUNT; k++) {
            struct sl_submission *sub = &s->book.generation[g].stage[k];
            if (sub->how != SL_HANDED_INTENDED) continue;
            double ripe = sub->when + (double)s->site.doubt;
            if (find_token(s, g, k, q))
                SL_TRY(sl_book_settle(&s->book, g, (enum sl_stage)k, sub->job, ""));
            else if (ripe > *open)
                *open = ripe;
        }
    return SL_OK;
}

static int forget_absent(struct submit *s)
{
    for (int g = 0; g < s->book.n; g++)
        for (int k = 0; k < SL_STAGE_COUNT; k++)
            if (s->book.generation[g].stage[k].how == SL_HANDED_INTENDED)
                SL_TRY(
                    sl_book_settle(&s->book, g, (enum sl_stage)k, -1, "no such job, asked twice"));
    return SL_OK;
}

static bool any_open(const struct submit *s)
{
    for (int g = 0; g < s->book.n; g++)
        for (int k = 0; k < SL_STAGE_COUNT; k++)
            if (s->book.generation[g].stage[k].how == SL_HANDED_INTENDED) return true;
    return false;
}

/* Before anything is handed over. */
static int ask_queue(struct submit *s)
{
    char text[512];
    sl_queue_release(&s->queue);
    int code = sl_queue_now(&s->book, &s->queue);
    if (code != SL_EUNAVAIL) return code;
    snprintf(text, sizeof text, "%s", sl_error_text());
    return SL_FAIL(
        code, "nothing was submitted now%s: %s; %s",
        any_open(s) ? ", and whether Slurm took what was handed to it before is not known" : "",
        text, once_up);
}

static int resolve(struct submit *s)
{
    double open;
    SL_TRY(ask_queue(s));
    SL_TRY(look_up(s, &s->queue, &open));
    if (open <= 0) return SL_OK;
    double wait = open - sl_disk_now();
    sl_log(SL_LOG_NOTE, "an earlier submission got no answer: looking for its job for %.0f s more",
           wait > 0 ? wait + 1 : 1);
    const struct timespec nap = {.tv_sec = wait > 0 ? (time_t)wait + 1 : 1};
    nanosleep(&nap, NULL);
    SL_TRY(ask_queue(s));
    SL_TRY(look_up(s, &s->queue, &open));
    return forget_absent(s);
}

/* ---- clearing -------------------------------------------------------------------------------- */

int sl_slurm_ids(const char *program, const char *verb, char *const *ids, int n)
{
    enum { AT_ONCE = 80 };
    for (int i = 0; i < n; i += AT_ONCE) {
        struct sl_args args = {.n = 0};
        struct sl_answer a;
        sl_args_add(&args, "%s", program);
        if (verb) sl_args_add(&args, "%s", verb);
        for (int k = i; k < n && k < i + AT_ONCE; k++)
            sl_args_add(&args, "%s", ids[k]);
        int code = sl_slurm_call(&args, short_limit, &a);
        /* scontrol fails with "No error" when an array was split while it was at work on it */
        const char *line = sl_answer_line(&a);
        if (code == SL_OK && a.code != 0 && !strstr(line, ": No error")) /* "": it was killed */
            code = SL_FAIL(SL_EUNAVAIL, "%s: %.300s", program, *line ? line : "no answer");
        sl_args_release(&args);
        sl_answer_release(&a);
        SL_TRY(code);
    }
    return SL_OK;
}

int sl_slurm_drop(const struct sl_book *book, int g, int slot, enum sl_stage first)
{
    struct sl_queue q;
    int code = sl_queue_now(book, &q);
    for (int k = (int)first; k < SL_MEMBER_STAGES && code == SL_OK; k++) {
        const struct sl_queue_item *item = sl_queue_find(&q, g, (enum sl_stage)k, slot);
        if (item) code = drop_item(item, slot);
    }
    sl_queue_release(&q);
    return code;
}

/* Tasks that get the same command, some at a time. */
struct batch {
    const char *program, *verb;
    char text[80][48];
    int n;
};

static int batch_end(struct batch *b)
{
    char *ids[80];
    int n = b->n;
    for (int i = 0; i < n; i++)
        ids[i] = b->text[i];
    b->n = 0;
    return sl_slurm_ids(b->program, b->verb, ids, n);
}

static int batch_add(struct batch *b, const struct sl_queue_item *item)
{
    char *text = b->text[b->n++];
    if ((int)item->stage >= SL_MEMBER_STAGES)
        snprintf(text, sizeof *b->text, "%lld", item->job);
    else if (item->first == item->last)
        snprintf(text, sizeof *b->text, "%lld_%d", item->job, item->first);
    else
        snprintf(text, sizeof *b->text, "%lld_[%d-%d]", item->job, item->first, item->last);
    return b->n == (int)(sizeof b->text / sizeof *b->text) ? batch_end(b) : SL_OK;
}

/* Tasks that wait for something that failed, or that Slurm could not start, never start by
 * themselves: those are cancelled, these released. */
static int clear_blocked(const struct sl_queue *q)
{
    struct batch drop = {.program = "scancel"}, let = {.program = "scontrol", .verb = "release"};
    for (int i = 0; i < q->n; i++) {
        const struct sl_queue_item *item = &q->item[i];
        if (sl_queue_blocked(item)) SL_TRY(batch_add(&drop, item));
        if (sl_queue_stranded(item)) SL_TRY(batch_add(&let, item));
    }
    SL_TRY(batch_end(&drop));
    return batch_end(&let);
}

int sl_slurm_clear(const struct sl_book *book)
{
    struct sl_queue q;
    int code = sl_queue_open(book, SL_QUEUE_CACHED, &q);
    if (code == SL_OK) code = clear_blocked(&q);
    sl_queue_release(&q);
    return code;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int write_script(const struct sl_campaign *c)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_disk_own(c->dir, "logs/slurm"));
    SL_TRY(sl_disk_join(path, "%s/logs/slurm", c->dir));
    SL_TRY(sl_mkdir_all(path));
    SL_TRY(sl_disk_join(path, "%s/%s", c->dir, sl_slurm_script_path));
    return sl_file_replace(path, sl_slurm_script, strlen(sl_slurm_script), SL_DURABLE);
}

static int take_turn(struct submit *s)
{
    const struct timespec nap = {.tv_nsec = 200 * 1000 * 1000};
    char slots[SL_PATH_MAX];
    SL_TRY(sl_disk_join(slots, "%s/slots", s->campaign->dir));
    double end = sl_disk_now() + s->want->patience;
    for (;;) {
        int code = sl_claim_take(slots, "submit", NULL, NULL, &s->claim);
        if (code != SL_EAGAIN || sl_disk_now() > end) return code;
        nanosleep(&nap, NULL);
    }
}

static void forget_cache(const struct sl_campaign *c)
{
    char path[SL_PATH_MAX];
    if (sl_disk_join(path, "%s/slots/queue.txt", c->dir) == SL_OK) unlink(path);
}

static long long tasks_in_queue(const struct sl_queue *q)
{
    long long n = 0;
    for (int i = 0; i < q->n; i++)
        n += q->item[i].last - q->item[i].first + 1;
    return n;
}

static int journal_throttle(const struct submit *s)
{
    struct sl_fact fact;
    sl_fact_init(&fact, SL_FACT_throttle, "", "");
    fact.count = s->want->throttle;
    return sl_journal_add(s->campaign->dir, &fact);
}

static int with_turn(struct submit *s)
{
    SL_TRY(sl_book_open(s->campaign, &s->book));
    SL_TRY(resolve(s));
    SL_TRY(sl_campaign_state_open(s->campaign,
                                  &s->state)); /* after the queue: what left it has reported */
    s->heard = s->state.offset;
    SL_TRY(clear_blocked(&s->queue));
    const struct sl_slurm_slot *leaves = s->want->leaves;
    if (leaves) SL_TRY(sl_slurm_drop(&s->book, leaves->g, leaves->slot, leaves->stage + 1));
    SL_TRY(write_script(s->campaign));
    s->tasks_left = s->site.max_submit ? s->site.max_submit - tasks_in_queue(&s->queue) : -1;
    if (s->site.max_submit && s->tasks_left < 0) s->tasks_left = 0;
    if (!s->want->these) SL_TRY(complete(s));
    SL_TRY(submit_new(s));
    if (!whole_in_queue(s) && !s->limited) SL_TRY(submit_whole(s));
    return s->want->throttle ? journal_throttle(s) : SL_OK;
}

static void release(struct submit *s)
{
    free(s->cover);
    sl_values_release(&s->values);
    sl_campaign_state_release(&s->state);
    sl_queue_release(&s->queue);
    sl_book_release(&s->book);
}

int sl_slurm_submit(const struct sl_campaign *campaign, const struct sl_slurm_want *want,
                    struct sl_tally *tally)
{
    struct submit s = {.campaign = campaign, .want = want, .tally = tally};
    memset(tally, 0, sizeof *tally);
    SL_TRY(sl_site_read(&s.site, NULL));
    SL_TRY(take_turn(&s));
    int code = with_turn(&s);
    char text[1024];
    snprintf(text, sizeof text, "%s", sl_error_text());
    forget_cache(campaign);
    int ended = sl_claim_end(&s.claim, NULL);
    if (code != SL_OK) sl_error_set(text);
    release(&s);
    SL_TRY(code == SL_OK ? ended : code);
    SL_CHECK(!s.limited, SL_EAGAIN,
             "%d members wait to be submitted: `sluice submit` goes on later (%s)", tally->left,
             tally->limit);
    return SL_OK;
}

static int show_lines(struct submit *s)
{
    int code = sl_site_read(&s->site, NULL);
    if (code == SL_OK)
        code = s->imagined ? sl_book_imagine(s->campaign, &s->book)
                           : sl_book_open(s->campaign, &s->book);
    if (code == SL_OK && !s->imagined) code = sl_queue_open(&s->book, SL_QUEUE_OFFLINE, &s->queue);
    if (code == SL_OK)
        code = s->imagined ? sl_campaign_state_imagine(s->campaign, &s->state)
                           : sl_campaign_state_open(s->campaign, &s->state);
    s->claim.begin = sl_disk_now();
    if (code == SL_OK) code = submit_new(s);
    if (code == SL_OK && !whole_in_queue(s)) code = submit_whole(s);
    return code;
}

int sl_slurm_lines(const struct sl_campaign *campaign, const struct sl_slurm_want *want,
                   int (*each)(const struct sl_args *args, void *user), void *user)
{
    struct sl_tally tally = {.members = 0};
    struct submit s = {.campaign = campaign,
                       .want = want,
                       .tally = &tally,
                       .each = each,
                       .user = user,
                       .tasks_left = -1};
    int code = show_lines(&s);
    release(&s);
    return code;
}

/* A campaign in memory alone. */
static int imagine(struct sl_recipe *recipe, const char *dir, struct sl_campaign *c)
{
    struct sl_config cfg;
    char here[SL_PATH_MAX];
    int64_t n = sl_recipe_count(recipe);
    c->member = calloc((size_t)n, sizeof *c->member);
    SL_CHECK(c->member, SL_EMEM, "no memory for %lld members", (long long)n);
    for (; c->n < n; c->n++) {
        SL_TRY(sl_recipe_member(recipe, c->n, &cfg));
        c->member[c->n] = (struct sl_member){.id = "",
                                             .label = "",
                                             .generation = 1,
                                             .index = c->n,
                                             .ic = sl_config_needs_ic(&cfg),
                                             .commands = sl_member_commands(&cfg)};
    }
    SL_CHECK(getcwd(here, sizeof here), SL_EIO, "cannot find the working directory");
    const char *name = dir ? dir : cfg.campaign;
    SL_TRY(sl_disk_join(c->dir, "%s%s%s", *name == '/' ? "" : here, *name == '/' ? "" : "/", name));
    snprintf(c->name, sizeof c->name, "%.71s", cfg.campaign);
    return SL_OK;
}

int sl_slurm_lines_of(struct sl_recipe *recipe, const char *dir, const struct sl_slurm_want *want,
                      int (*each)(const struct sl_args *args, void *user), void *user)
{
    struct sl_campaign c = {.n = 0};
    struct sl_tally tally = {.members = 0};
    struct submit s = {.campaign = &c,
                       .want = want,
                       .tally = &tally,
                       .each = each,
                       .user = user,
                       .values = {.recipe = recipe, .generation = 1},
                       .imagined = true,
                       .tasks_left = -1};
    int code = imagine(recipe, dir, &c);
    if (code == SL_OK) code = show_lines(&s);
    s.values.recipe = NULL; /* the caller has it */
    release(&s);
    sl_campaign_release(&c);
    return code;
}

static int put_whole(const struct sl_campaign *campaign, bool now, bool *waits)
{
    static const struct sl_slurm_want want = {.patience = 600};
    struct sl_tally tally = {.members = 0};
    struct submit s = {.campaign = campaign, .want = &want, .tally = &tally, .tasks_left = -1};
    bool before = false;
    *waits = false;
    SL_TRY(sl_site_read(&s.site, NULL));
    SL_TRY(take_turn(&s));
    int code = sl_journal_read(campaign->dir, &s.heard, see_stop, &before, NULL);
    if (code == SL_OK) code = sl_book_open(campaign, &s.book);
    if (code == SL_OK) code = resolve(&s);
    if (code == SL_OK) code = clear_blocked(&s.queue);
    for (int i = 0; i < s.queue.n; i++)
        *waits |=
            (int)s.queue.item[i].stage < SL_MEMBER_STAGES && !sl_queue_blocked(&s.queue.item[i]);
    if (code == SL_OK && now) code = sl_campaign_state_open(campaign, &s.state);
    if (code == SL_OK && (now || *waits)) code = submit_whole(&s);
    int ended = sl_claim_end(&s.claim, NULL);
    release(&s);
    return code == SL_OK ? ended : code;
}

int sl_slurm_defer(const struct sl_campaign *campaign, bool *waits)
{
    return put_whole(campaign, false, waits);
}

int sl_slurm_follow(const struct sl_campaign *campaign)
{
    bool waits;
    return put_whole(campaign, true, &waits);
}
