/* control.c - see slurm/control.h. */
#include "pipeline/slurm/control.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/interval.h"
#include "core/sys/status.h"
#include "pipeline/campaign/input_files.h"
#include "pipeline/slurm/call.h"
#include "pipeline/slurm/cover.h"
#include "pipeline/slurm/memory.h"
#include "pipeline/slurm/pack.h"
#include "pipeline/slurm/submit.h"

/* ---- ids ------------------------------------------------------------------------------------- */

struct ids {
    char **list; /* owned, as its texts */
    int n, capacity;
    int tasks; /* that the ids mean; of a whole job 1 */
    bool failed;
};

static void ids_release(struct ids *ids)
{
    for (int i = 0; i < ids->n; i++)
        free(ids->list[i]);
    free(ids->list);
}

static void ids_push(struct ids *ids, const char *text)
{
    if (ids->n == ids->capacity) {
        int capacity = ids->capacity ? 2 * ids->capacity : 64;
        char **more = realloc(ids->list, (size_t)capacity * sizeof *more);
        if (!more) {
            ids->failed = true;
            return;
        }
        ids->list = more;
        ids->capacity = capacity;
    }
    char *copy = strdup(text);
    ids->failed |= !copy;
    if (copy) ids->list[ids->n++] = copy;
}

static void ids_job(struct ids *ids, long long job)
{
    char text[48];
    snprintf(text, sizeof text, "%lld", job);
    if (ids->n > 0 && strcmp(ids->list[ids->n - 1], text) == 0) return;
    ids_push(ids, text);
    ids->tasks++;
}

/* "12_3" or "12_[3-9]" */
static void ids_range(struct ids *ids, long long job, int first, int last)
{
    char text[64];
    if (first == last)
        snprintf(text, sizeof text, "%lld_%d", job, first);
    else
        snprintf(text, sizeof text, "%lld_[%d-%d]", job, first, last);
    ids_push(ids, text);
    ids->tasks += last - first + 1;
}

static bool suits(const struct sl_queue_item *item, enum sl_control what)
{
    return what == SL_CONTROL_CANCEL || !sl_queue_running(item);
}

/* The slots of an item whose members are all picked, in ranges. */
static void collect_slots(const struct sl_generation *gen, const struct sl_queue_item *item,
                          const bool *picked, struct ids *ids)
{
    int first = -1, slots = sl_book_slots(gen),
        end = item->last < slots - 1 ? item->last + 1 : slots;
    for (int k = item->first; k <= end; k++) {
        bool in = k < end && sl_book_all(gen, k, picked);
        if (in && first < 0) first = k;
        if (in || first < 0) continue;
        ids_range(ids, item->job, first, k - 1);
        first = -1;
    }
}

static void collect(const struct sl_book *book, const struct sl_queue *q, enum sl_control what,
                    const bool *picked, struct ids *ids)
{
    for (int i = 0; i < q->n; i++) {
        const struct sl_queue_item *item = &q->item[i];
        bool member = (int)item->stage < SL_MEMBER_STAGES;
        if (item->g >= book->n || !suits(item, what)) continue;
        if (!picked) ids_job(ids, item->job);
        if (picked && member) collect_slots(&book->generation[item->g], item, picked, ids);
    }
}

/* ---- the limit of members at once ------------------------------------------------------------ */

struct gone {
    int g;
    enum sl_stage stage;
};

/* The first item of an array in the queue, NULL when it has none. */
static const struct sl_queue_item *array_item(const struct sl_queue *q, int g, int stage)
{
    for (int i = 0; i < q->n; i++)
        if (q->item[i].g == g && (int)q->item[i].stage == stage) return &q->item[i];
    return NULL;
}

/* Has an array of this generation a task that runs, or would if the limit let it? */
static bool at_work(const struct sl_queue *q, int g, const struct gone *gone)
{
    for (int i = 0; i < q->n; i++) {
        const struct sl_queue_item *item = &q->item[i];
        if (item->g != g || (int)item->stage >= SL_MEMBER_STAGES || sl_queue_blocked(item))
            continue;
        if (gone && gone->g == g && gone->stage == item->stage) continue;
        if (strcmp(item->reason, "Dependency") != 0) return true;
    }
    return false;
}

/* Changes an array. Of one with tasks that run or have ended, Slurm changes those that wait and
 * says no about the others. value may be NULL. */
static int change_job(const char *verb, const char *job, const char *key, const char *value)
{
    static const char *const fine[] = {"No error", "already finished", "no longer pending",
                                       "not pending"};
    struct sl_args args = {.n = 0};
    struct sl_answer a;
    sl_args_add(&args, "scontrol");
    sl_args_add(&args, "%s", verb);
    sl_args_add(&args, "%s", job);
    if (value) sl_args_add(&args, "%s=%s", key, value);
    int code = sl_slurm_call(&args, 60, &a);
    bool done = code == SL_OK && a.code == 0;
    const char *line = code == SL_OK ? sl_answer_line(&a) : "";
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        done |= strstr(line, fine[i]) != NULL;
    if (code == SL_OK && !done) code = SL_FAIL(SL_EUNAVAIL, "scontrol: %.300s", line);
    sl_args_release(&args);
    sl_answer_release(&a);
    return code;
}

static int update_job(long long job, const char *key, const char *value)
{
    char text[48];
    snprintf(text, sizeof text, "JobId=%lld", job);
    return change_job("update", text, key, value);
}

/* Every array of a generation gets the share of the generation; those that only wait for others get
 * what the first has. */
static int throttle_all(const struct sl_book *book, const struct sl_queue *q, long long limit,
                        const struct gone *gone, int *n)
{
    int arrays = 0, k = 0;
    char text[32];
    for (int g = 0; g < book->n; g++)
        arrays += at_work(q, g, gone);
    for (int g = 0; g < book->n; g++) {
        bool works = at_work(q, g, gone);
        long long share = sl_slurm_share(limit, arrays ? arrays : 1, works ? k : 0);
        k += works;
        for (int stage = 0; stage < SL_MEMBER_STAGES; stage++) {
            const struct sl_queue_item *item = array_item(q, g, stage);
            if (!item || (gone && gone->g == g && (int)gone->stage == stage)) continue;
            snprintf(text, sizeof text, "%lld", share);
            SL_TRY(update_job(item->job, "ArrayTaskThrottle", text));
            ++*n;
        }
    }
    return SL_OK;
}

int sl_slurm_rebalance(const struct sl_campaign *campaign, long long limit, int g,
                       enum sl_stage stage)
{
    struct sl_book book;
    struct sl_queue q;
    const struct gone gone = {.g = g, .stage = stage};
    int n = 0;
    SL_TRY(sl_book_open(campaign, &book));
    int code = sl_queue_now(&book, &q);
    if (code == SL_OK) code = throttle_all(&book, &q, limit, &gone, &n);
    sl_queue_release(&q);
    sl_book_release(&book);
    return code;
}

static int journal_request(const struct sl_campaign *c, enum sl_fact_kind what, long long count)
{
    struct sl_fact fact;
    sl_fact_init(&fact, what, "", "");
    fact.count = count;
    return sl_journal_add(c->dir, &fact);
}

/* ---- what a person does ---------------------------------------------------------------------- */

/* First the request, then a look at what is to be cancelled. Near the limit of its time a task
 * cannot tell who asks it to stop; and what a submission hands over after this look, it takes back
 * itself. */
static int call_off(struct sl_book *book, struct sl_queue *q)
{
    const struct sl_campaign *campaign = book->campaign;
    sl_queue_release(q);
    SL_TRY(journal_request(campaign, SL_FACT_stop, 0));
    sl_book_release(book);
    SL_TRY(sl_book_open(campaign, book));
    return sl_queue_now(book, q);
}

int sl_slurm_control(const struct sl_campaign *campaign, enum sl_control what, const bool *picked,
                     long long throttle, int *n)
{
    struct sl_book book;
    struct sl_queue q;
    struct ids ids = {.list = NULL};
    char cache[SL_PATH_MAX];
    *n = 0;
    SL_TRY(sl_book_open(campaign, &book));
    int code = sl_queue_now(&book, &q);
    if (code == SL_OK && what == SL_CONTROL_CANCEL && !picked) code = call_off(&book, &q);
    if (code == SL_OK && what != SL_CONTROL_THROTTLE) collect(&book, &q, what, picked, &ids);
    if (code == SL_OK && ids.failed) code = SL_FAIL(SL_EMEM, "no memory for the ids of jobs");
    if (code == SL_OK && what == SL_CONTROL_THROTTLE)
        code = journal_request(campaign, SL_FACT_throttle, throttle);
    if (code == SL_OK && what == SL_CONTROL_THROTTLE)
        code = throttle_all(&book, &q, throttle, NULL, &ids.tasks);
    if (code == SL_OK && what == SL_CONTROL_CANCEL)
        code = sl_slurm_ids("scancel", NULL, ids.list, ids.n);
    for (int i = 0; i < ids.n && code == SL_OK; i++) /* scontrol stops at the first it cannot */
        if (what == SL_CONTROL_HOLD || what == SL_CONTROL_RELEASE)
            code =
                change_job(what == SL_CONTROL_HOLD ? "uhold" : "release", ids.list[i], NULL, NULL);
    if (code == SL_OK) *n = ids.tasks;
    if (sl_disk_join(cache, "%s/slots/queue.txt", campaign->dir) == SL_OK) unlink(cache);
    ids_release(&ids);
    sl_queue_release(&q);
    sl_book_release(&book);
    return code;
}

int sl_slurm_exclude(const struct sl_campaign *campaign, const char *nodes)
{
    struct sl_book book;
    struct sl_queue q;
    SL_TRY(sl_book_open(campaign, &book));
    int code = sl_queue_now(&book, &q);
    for (int g = 0; g < book.n; g++)
        for (int stage = 0; stage < SL_MEMBER_STAGES && code == SL_OK; stage++) {
            const struct sl_queue_item *item = array_item(&q, g, stage);
            if (item) code = update_job(item->job, "ExcNodeList", nodes);
        }
    sl_queue_release(&q);
    sl_book_release(&book);
    return code;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Tasks of one kind: running, or waiting for one reason. */
struct kind {
    const char *text;
    long long tasks;
};
enum { KINDS_MAX = 24 };

static int count_kinds(const struct sl_queue *q, struct kind *kind)
{
    int n = 0;
    for (int i = 0; i < q->n; i++) {
        const struct sl_queue_item *item = &q->item[i];
        const char *text = sl_queue_running(item) ? "running" : sl_queue_sentence(item->reason);
        int k = 0;
        while (k < n && strcmp(kind[k].text, text) != 0)
            k++;
        if (k == KINDS_MAX) k = KINDS_MAX - 1;
        if (k == n) kind[n++] = (struct kind){.text = text};
        kind[k].tasks += item->last - item->first + 1;
    }
    return n;
}

static void show(FILE *out, const struct sl_queue *q)
{
    struct kind kind[KINDS_MAX];
    int n = count_kinds(q, kind);
    if (!q->known)
        fprintf(out, "  queue: not known: %s\n", q->trouble);
    else if (n == 0)
        fprintf(out, "  queue: empty\n");
    for (int i = 0; i < n; i++)
        fprintf(out, "%s %lld %s%s", i ? "," : "  queue:", kind[i].tasks, kind[i].text,
                i + 1 == n ? "\n" : "");
}

static int show_queue(FILE *out, const struct sl_campaign *campaign, enum sl_queue_ask how)
{
    struct sl_book book;
    struct sl_queue q;
    SL_TRY(sl_book_open(campaign, &book));
    int code = sl_queue_open(&book, how, &q);
    if (code == SL_OK) show(out, &q);
    sl_queue_release(&q);
    sl_book_release(&book);
    return code;
}

static json_t *item_json(const struct sl_book *book, const struct sl_queue_item *item)
{
    char name[SL_JOB_NAME_MAX];
    sl_book_name(book, item->g, item->stage, name);
    return json_pack("{s:s, s:I, s:i, s:i, s:s, s:s, s:s, s:s}", "name", name, "job",
                     (json_int_t)item->job, "first", item->first, "last", item->last, "stage",
                     sl_stage_name((int)item->stage), "state", item->state, "reason", item->reason,
                     "nodes", item->node);
}

static json_t *queue_json(const struct sl_book *book, const struct sl_queue *q)
{
    long long running = 0, pending = 0, blocked = 0;
    json_t *list = json_array();
    for (int i = 0; i < q->n; i++) {
        const struct sl_queue_item *item = &q->item[i];
        long long tasks = item->last - item->first + 1;
        *(sl_queue_running(item)   ? &running
          : sl_queue_blocked(item) ? &blocked
                                   : &pending) += tasks;
        json_array_append_new(list, item_json(book, item));
    }
    return json_pack("{s:b, s:s, s:f, s:I, s:I, s:I, s:o}", "known", q->known, "trouble",
                     q->trouble, "age_s", q->age, "running", (json_int_t)running, "pending",
                     (json_int_t)pending, "blocked", (json_int_t)blocked, "tasks", list);
}

static json_t *campaign_json(const struct sl_campaign *campaign, enum sl_queue_ask how)
{
    struct sl_book book;
    struct sl_queue q;
    json_t *o = NULL;
    if (sl_book_open(campaign, &book) != SL_OK) return NULL;
    if (sl_queue_open(&book, how, &q) == SL_OK) o = queue_json(&book, &q);
    sl_queue_release(&q);
    sl_book_release(&book);
    return o;
}

static void say_item(const struct sl_queue_item *item, int slot, char *text, size_t size)
{
    if (sl_queue_running(item))
        snprintf(text, size, "%s is job %lld_%d on %s", sl_stage_name((int)item->stage), item->job,
                 slot, item->node);
    else
        snprintf(text, size, "%s is in the queue as %lld_%d: %s", sl_stage_name((int)item->stage),
                 item->job, slot, sl_queue_sentence(item->reason));
}

static int say_member(const struct sl_campaign *campaign, enum sl_queue_ask how, int member,
                      char *text, size_t size)
{
    struct sl_book book;
    struct sl_queue q;
    *text = '\0';
    SL_TRY(sl_book_open(campaign, &book));
    int code = sl_queue_open(&book, how, &q);
    if (code == SL_OK && !q.known) snprintf(text, size, "the queue is not known: %s", q.trouble);
    for (int g = 0; g < book.n && code == SL_OK; g++)
        for (int k = 0; k < book.generation[g].n; k++)
            for (int s = SL_MEMBER_STAGES - 1; book.generation[g].member[k] == member && s >= 0;
                 s--) {
                int slot = k / book.generation[g].pack;
                const struct sl_queue_item *item = sl_queue_find(&q, g, (enum sl_stage)s, slot);
                if (item)
                    say_item(item, slot, text, size); /* the first stage counts: the last set */
            }
    sl_queue_release(&q);
    sl_book_release(&book);
    return code;
}

/* A last answer that is old tells nothing of what was handed over since. */
static int adrift(const struct sl_campaign_state *st, enum sl_queue_ask how, int *n)
{
    struct sl_book book;
    struct sl_queue q;
    *n = 0;
    if (how == SL_QUEUE_OFFLINE) return SL_OK;
    SL_TRY(sl_book_open(st->campaign, &book));
    int code = sl_queue_open(&book, how, &q);
    if (code == SL_OK && q.known) code = sl_cover_adrift(st, &book, &q, n);
    sl_queue_release(&q);
    sl_book_release(&book);
    return code;
}

/* ---- the row --------------------------------------------------------------------------------- */

static int submit(struct sl_campaign *campaign, const struct sl_order *order,
                  struct sl_tally *tally)
{
    const struct sl_slurm_want want = {.throttle = order->throttle, .patience = 600};
    SL_TRY(sl_campaign_check_recipes(campaign));
    return sl_slurm_submit(campaign, &want, tally);
}

/* Is there a node with the memory of its ranks? */
static int stage_fits(const struct sl_site *site, const struct sl_config *cfg, enum sl_stage stage,
                      const struct sl_filling *filling)
{
    struct sl_config own;
    long long nodes;
    sl_config_stage(cfg, (int)stage, &own);
    long long rank = sl_slurm_memory(site, cfg, stage, filling, NULL, NULL);
    return sl_slurm_nodes(site, &own, sl_stage_name((int)stage), rank, 1, &nodes);
}

/* Is there a Slurm to speak to? That its controller is down is no reason not to make a campaign. */
static int check_slurm(void)
{
    struct sl_args args = {.n = 0};
    struct sl_answer a;
    char said[300] = "";
    sl_args_add(&args, "scontrol");
    sl_args_add(&args, "ping");
    int code = sl_slurm_call(&args, 60, &a);
    bool missing = code == SL_EUNAVAIL && !sl_slurm_unsure(sl_error_text());
    bool unset = code == SL_OK && a.code != 0 && a.err.s && strstr(a.err.s, "fatal:") &&
                 strstr(a.err.s, "onfigur");
    if (unset) snprintf(said, sizeof said, "%.290s", strstr(a.err.s, "fatal:"));
    said[strcspn(said, "\n")] = '\0';
    sl_args_release(&args);
    sl_answer_release(&a);
    SL_CHECK(!missing, SL_EUNAVAIL, "Slurm is not installed here: `sluice run` needs none");
    SL_CHECK(!unset, SL_EUNAVAIL,
             "Slurm is not configured here (scontrol: %s): ask your site, or `sluice run`, which "
             "needs none",
             said);
    return SL_OK;
}

/* The rest of what a site allows is known to `sluice plan` and to Slurm, which says so at once;
 * `sluice set` mends it. */
static int fits(struct sl_recipe *recipe, const struct sl_order *order)
{
    struct sl_config cfg;
    struct sl_site site;
    struct sl_filling filling;
    long long last;
    if (order) { /* else nobody means to submit it now */
        SL_TRY(sl_input_files_check(recipe));
        SL_TRY(check_slurm());
    }
    SL_TRY(sl_site_read(&site, NULL));
    if (site.node_memory > 0) SL_TRY(sl_filling_expected(recipe, &filling));
    for (int64_t i = 0; site.node_memory > 0 && i < sl_recipe_count(recipe);
         i += sl_recipe_step(recipe)) {
        SL_TRY(sl_recipe_member(recipe, i, &cfg));
        for (int k = 0; k < SL_MEMBER_STAGES; k++)
            if (sl_stage_is_of(k, &cfg))
                SL_TRY(stage_fits(&site, &cfg, (enum sl_stage)k, &filling));
        SL_TRY(sl_slurm_last_memory(&site, &cfg, &last));
    }
    return SL_OK;
}

static int queued(const struct sl_campaign *campaign, int *n)
{
    struct sl_book book;
    struct sl_queue q;
    SL_TRY(sl_book_open(campaign, &book));
    int code = sl_queue_now(&book, &q);
    *n = 0;
    for (int i = 0; code == SL_OK && i < q.n; i++)
        *n += q.item[i].last - q.item[i].first + 1;
    sl_queue_release(&q);
    sl_book_release(&book);
    return code;
}

/* Nothing has to stay alive. */
static int no_process(const struct sl_campaign *campaign, struct sl_claim_look *look)
{
    (void)campaign;
    memset(look, 0, sizeof *look);
    return SL_OK;
}

const struct sl_executor sl_executor_slurm = {.name = "slurm",
                                              .verb = "submit",
                                              .has = sl_book_used,
                                              .fits = fits,
                                              .queued = queued,
                                              .go = submit,
                                              .look = no_process,
                                              .control = sl_slurm_control,
                                              .show = show_queue,
                                              .json = campaign_json,
                                              .say = say_member,
                                              .adrift = adrift};
