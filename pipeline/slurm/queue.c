/* queue.c - see slurm/queue.h. */
#include "pipeline/slurm/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/campaign/seal.h"
#include "pipeline/slurm/call.h"

enum { FRESH = 30, CACHE_MAX = 64 << 20, FIELDS = 7, INDEX_MAX = 4000000 };
static const double ask_limit = 60;
static const char kind[] = "# sluice queue 2";

static const char stranded[] = "launch_failed_requeued_held";

static const struct {
    const char *reason, *sentence;
} sentences[] = {
    {stranded, "Slurm failed to start it and holds it: `sluice submit` lets it go on"},
    {"None", "was submitted a moment ago"},
    {"Dependency", "waits for the stage before it"},
    {"DependencyNeverSatisfied",
     "what it waits for failed: the next task of the campaign that ends clears it"},
    {"BeginTime", "starts again in a moment"},
    {"Priority", "others are before it"},
    {"Resources", "waits for free nodes"},
    {"JobHeldUser", "held: `sluice release` lets it go on"},
    {"JobHeldAdmin", "held by an administrator"},
    {"JobArrayTaskLimit", "as many run as may at once: `sluice throttle` changes that"},
    {"ReqNodeNotAvail", "the nodes it wants are down or reserved"},
    {"PartitionTimeLimit", "resources.walltime is longer than the partition allows"},
    {"PartitionNodeLimit", "it wants more nodes than the partition has"},
    {"AssocMaxJobsLimit", "the account's limit of running jobs is reached"},
    {"QOSMaxJobsPerUserLimit", "your limit of running jobs is reached"},
    {"AssocGrpCPUMinutesLimit", "the account's budget is used up"},
};

const char *sl_queue_sentence(const char *reason)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(sentences[i].reason, reason) == 0) return sentences[i].sentence;
    return reason;
}

bool sl_queue_blocked(const struct sl_queue_item *item)
{
    return strcmp(item->reason, "DependencyNeverSatisfied") == 0;
}

bool sl_queue_stranded(const struct sl_queue_item *item)
{
    return strcmp(item->reason, stranded) == 0;
}

bool sl_queue_running(const struct sl_queue_item *item)
{
    return strcmp(item->state, "PENDING") != 0 && strcmp(item->state, "REQUEUED") != 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int add_item(struct sl_queue *q, const struct sl_queue_item *item)
{
    if (q->n == q->capacity) {
        int capacity = q->capacity ? 2 * q->capacity : 64;
        struct sl_queue_item *more = realloc(q->item, (size_t)capacity * sizeof *more);
        SL_CHECK(more, SL_EMEM, "no memory for the queue");
        q->item = more;
        q->capacity = capacity;
    }
    q->item[q->n++] = *item;
    return SL_OK;
}

/* "3", "0-9%2", "1,4-7": one item per range; "N/A": a job that is no array. */
static int add_ranges(struct sl_queue *q, struct sl_queue_item *item, char *list)
{
    if (*list < '0' || *list > '9') {
        item->first = item->last = 0;
        return add_item(q, item);
    }
    list[strcspn(list, "%")] = '\0';
    for (char *p = list; *p;) {
        char *end;
        long first = strtol(p, &end, 10), last = first;
        if (end == p) break;
        if (*end == '-') last = strtol(end + 1, &end, 10);
        if (first < 0 || last < first || last > INDEX_MAX) break; /* no list of an array */
        item->first = (int)first;
        item->last = (int)last;
        SL_TRY(add_item(q, item));
        p = end + (*end == ',');
    }
    return SL_OK;
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

/* job|indices|state|reason|nodes|name|comment */
static int parse_line(const struct sl_book *book, char *line, struct sl_queue *q)
{
    char *field[FIELDS], *save = line;
    struct sl_queue_item item = {.job = 0};
    for (int i = 0; i < FIELDS; i++)
        if (!(field[i] = strsep(&save, "|"))) return SL_OK;
    if (!sl_book_parse_name(book, field[5], &item.g, &item.stage)) return SL_OK;
    item.job = strtoll(field[0], NULL, 10);
    copy(item.state, sizeof item.state, field[2]);
    copy(item.reason, sizeof item.reason, field[3]);
    for (char *c = item.reason; (c = strchr(c, ' '));) /* some versions print it with blanks */
        *c = '_';
    copy(item.node, sizeof item.node, field[4]);
    field[6][strcspn(field[6], " ")] = '\0'; /* behind it is what the recipe says */
    copy(item.token, sizeof item.token, field[6]);
    return add_ranges(q, &item, field[1]);
}

int sl_queue_parse(const struct sl_book *book, char *text, struct sl_queue *q)
{
    char *save = text;
    for (char *line; (line = strsep(&save, "\n"));)
        SL_TRY(parse_line(book, line, q));
    return SL_OK;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static int names(const struct sl_book *book, struct sl_buffer *list)
{
    char name[SL_JOB_NAME_MAX];
    for (int g = 0; g < book->n; g++)
        for (int s = 0; s < SL_STAGE_COUNT; s++) {
            if (book->generation[g].stage[s].how == SL_HANDED_NOT) continue;
            sl_book_name(book, g, (enum sl_stage)s, name);
            sl_buffer_add(list, "%s%s", list->n ? "," : "--name=", name);
        }
    SL_CHECK(!list->failed, SL_EMEM, "no memory for the names of jobs");
    return SL_OK;
}

static int keep(const char *path, const struct sl_buffer *text)
{
    return sl_seal_write(path, kind, text->s ? text->s : "");
}

static int ask(const struct sl_book *book, const char *path, struct sl_queue *q)
{
    struct sl_buffer list = {.s = NULL};
    struct sl_answer a = {.code = 0};
    struct sl_args args = {.n = 0};
    SL_TRY(names(book, &list));
    q->known = true;
    if (list.n == 0) return SL_OK; /* nothing was ever submitted */
    sl_args_add(&args, "squeue");
    sl_args_add(&args, "--noheader");
    sl_args_add(&args, "--user=%u", (unsigned)geteuid());
    sl_args_add(&args, "--format=%%F|%%K|%%T|%%r|%%N|%%j|%%k");
    sl_args_add(&args, "%s", list.s);
    int code = sl_slurm_call(&args, ask_limit, &a);
    if (code != SL_OK || a.code != 0) {
        q->known = false;
        snprintf(q->trouble, sizeof q->trouble, "%.250s",
                 code != SL_OK ? sl_error_text() : sl_answer_line(&a));
        code = SL_OK;
    } else {
        if (keep(path, &a.out) != SL_OK) sl_log(SL_LOG_INFO, "the queue cannot be cached");
        if (a.out.s) code = sl_queue_parse(book, a.out.s, q);
    }
    sl_args_release(&args);
    sl_answer_release(&a);
    sl_buffer_release(&list);
    return code;
}

static int recall(const struct sl_book *book, const char *path, struct sl_queue *q)
{
    char *text;
    SL_TRY(sl_seal_read(path, CACHE_MAX, kind, '|', &text));
    int code = sl_queue_parse(book, text, q);
    free(text);
    q->known = code == SL_OK;
    return code;
}

int sl_queue_open(const struct sl_book *book, enum sl_queue_ask how, struct sl_queue *q)
{
    char path[SL_PATH_MAX];
    struct stat st;
    memset(q, 0, sizeof *q);
    SL_TRY(sl_disk_join(path, "%s/slots/queue.txt", book->campaign->dir));
    bool kept = stat(path, &st) == 0;
    q->age = kept ? sl_disk_now() - (double)st.st_mtime : 0;
    if (how != SL_QUEUE_NOW && kept && (how == SL_QUEUE_OFFLINE || q->age < FRESH)) {
        int code = recall(book, path, q);
        if (code != SL_EINPUT || how == SL_QUEUE_OFFLINE) return code;
        sl_queue_release(q); /* damaged: Slurm is asked again */
    }
    q->age = 0;
    if (how != SL_QUEUE_OFFLINE) return ask(book, path, q);
    snprintf(q->trouble, sizeof q->trouble, "it was not asked yet");
    return SL_OK;
}

int sl_queue_now(const struct sl_book *book, struct sl_queue *q)
{
    SL_TRY(sl_queue_open(book, SL_QUEUE_NOW, q));
    SL_CHECK(q->known, SL_EUNAVAIL, "Slurm does not answer: %s", q->trouble);
    return SL_OK;
}

void sl_queue_release(struct sl_queue *q)
{
    free(q->item);
    memset(q, 0, sizeof *q);
}

const struct sl_queue_item *sl_queue_find(const struct sl_queue *q, int g, enum sl_stage stage,
                                          int slot)
{
    for (int i = 0; i < q->n; i++) {
        const struct sl_queue_item *item = &q->item[i];
        if (item->g == g && item->stage == stage && slot >= item->first && slot <= item->last)
            return item;
    }
    return NULL;
}
