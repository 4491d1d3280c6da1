/* ensemble.c - see ensemble.h. */
#include "pipeline/campaign/ensemble.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/crc32c.h"
#include "core/sys/status.h"
#include "pipeline/campaign/record.h"
#include "pipeline/launch/mpi_dir.h"

static const char list_path[] = "slots/ensemble.list";

/* A member that is done, and what it is but for its seed and its place in a pair. */
struct entry {
    int member;
    char group[SL_GROUP_MAX];
};

static bool makes_group(const char *word)
{
    return strncmp(word, "seed=", 5) != 0 && strncmp(word, "ic.paired=", 10) != 0;
}

void sl_ensemble_group(const char *label, char group[SL_GROUP_MAX])
{
    size_t used = 0;
    for (const char *p = label; *p;) {
        size_t n = strcspn(p, " ");
        if (makes_group(p) && used + n + 2 < SL_GROUP_MAX)
            used += (size_t)snprintf(group + used, SL_GROUP_MAX - used, "%.*s ", (int)n, p);
        p += n + (p[n] == ' ');
    }
    group[used] = '\0';
}

static int by_group(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = strcmp(x->group, y->group);
    return order ? order : x->member - y->member;
}

static int by_member(const void *a, const void *b)
{
    return ((const struct entry *)a)->member - ((const struct entry *)b)->member;
}

static int find_done(const struct sl_campaign *c, struct entry *list)
{
    char home[SL_PATH_MAX];
    int n = 0;
    for (int i = 0; i < c->n; i++)
        if (sl_campaign_home(home, c, i) == SL_OK && sl_record_exists(home, SL_STAGE_stats)) {
            sl_ensemble_group(c->member[i].label, list[n].group);
            list[n++].member = i;
        }
    return n;
}

/* Drops members that nobody accompanies: no error bar without a second seed, or a pair. */
static int keep_groups(struct entry *list, int n)
{
    int kept = 0;
    qsort(list, (size_t)n, sizeof *list, by_group);
    for (int i = 0; i < n; i++) {
        bool before = kept > 0 && strcmp(list[kept - 1].group, list[i].group) == 0;
        bool after = i + 1 < n && strcmp(list[i + 1].group, list[i].group) == 0;
        if (before || after) list[kept++] = list[i];
    }
    qsort(list, (size_t)kept, sizeof *list, by_member);
    return kept;
}

/* The list as text, the caller's to free; NULL without memory. */
static char *list_text(const struct sl_campaign *c, size_t *size)
{
    char *text = NULL;
    struct entry *list = calloc((size_t)c->n + 1, sizeof *list);
    FILE *f = list ? open_memstream(&text, size) : NULL;
    int n = f ? keep_groups(list, find_done(c, list)) : 0;
    for (int i = 0; i < n; i++)
        fprintf(f, "members/%s\n", c->member[list[i].member].id);
    free(list);
    if (f && fclose(f) != 0) return NULL;
    return text;
}

/* Two done members of one group that follow each other: then nobody has to look at the others. */
static bool any_pair(const struct sl_campaign *c)
{
    char home[SL_PATH_MAX], group[2][SL_GROUP_MAX];
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        if (sl_campaign_home(home, c, i) != SL_OK || !sl_record_exists(home, SL_STAGE_stats))
            continue;
        sl_ensemble_group(c->member[i].label, group[n % 2]);
        if (n++ > 0 && strcmp(group[0], group[1]) == 0) return true;
    }
    return false;
}

bool sl_ensemble_possible(const struct sl_campaign *c)
{
    size_t size = 0;
    if (any_pair(c)) return true;
    free(list_text(c, &size));
    return size > 0;
}

int sl_ensemble_members(const struct sl_campaign *c, bool *in)
{
    struct entry *list = calloc((size_t)c->n + 1, sizeof *list);
    SL_CHECK(list, SL_EMEM, "no memory for the list of members");
    memset(in, 0, (size_t)c->n * sizeof *in);
    int n = keep_groups(list, find_done(c, list));
    for (int i = 0; i < n; i++)
        in[list[i].member] = true;
    free(list);
    return SL_OK;
}

int sl_ensemble_list(const struct sl_campaign *c)
{
    char path[SL_PATH_MAX];
    size_t size = 0;
    SL_TRY(sl_disk_join(path, "%s/%s", c->dir, list_path));
    char *text = list_text(c, &size);
    SL_CHECK(text, SL_EMEM, "no memory for the list of members");
    int code = sl_file_replace(path, text, size, SL_DURABLE);
    free(text);
    return code;
}

/* The members, and those whose commands of one's own are done: the ensemble takes the means of
 * their tables, too. */
int64_t sl_ensemble_mark(const struct sl_campaign *c)
{
    char home[SL_PATH_MAX];
    size_t size = 0;
    char *text = list_text(c, &size);
    if (!text) return -1;
    uint32_t mark = sl_crc32c(0, text, size);
    for (int i = 0; i < c->n; i++)
        if (sl_member_has(&c->member[i], SL_STAGE_own) && sl_campaign_home(home, c, i) == SL_OK &&
            sl_record_exists(home, SL_STAGE_own))
            mark = sl_crc32c(mark, c->member[i].id, strlen(c->member[i].id));
    free(text);
    return mark;
}

bool sl_ensemble_current(const struct sl_campaign *c)
{
    return sl_record_mark(c->dir, SL_STAGE_ensemble) == sl_ensemble_mark(c);
}

int sl_ensemble_need(const struct sl_config *cfg, int members)
{
    int64_t min = cfg->ensemble_min < members ? cfg->ensemble_min : members;
    return min < 2 ? 2 : (int)min; /* a single member is no ensemble */
}

void sl_ensemble_args(struct sl_args *args)
{
    sl_args_add(args, "--ensemble");
    sl_args_add(args, ".");
    sl_args_add(args, "--members");
    sl_args_add(args, "%s", list_path);
}

static void say_lacks(const json_t *lacks, struct sl_ensemble_answer *a)
{
    const json_t *have = json_object_get(lacks, "have"), *name;
    const char *quantity = json_string_value(json_object_get(lacks, "quantity"));
    size_t i, used;
    *a->lacks = '\0';
    if (!quantity) return;
    used = (size_t)snprintf(a->lacks, sizeof a->lacks,
                            "ensemble.target: %d of %d members have no %.60s in their statistics",
                            (int)json_integer_value(json_object_get(lacks, "members")), a->members,
                            quantity);
    json_array_foreach(have, i, name) if (used + 80 < sizeof a->lacks && json_is_string(name))
        used += (size_t)snprintf(a->lacks + used, sizeof a->lacks - used, "%s%.60s",
                                 i ? ", " : "; all have ", json_string_value(name));
}

/* The last line that is an object. */
static int parse_answer(char *text, struct sl_ensemble_answer *answer)
{
    char *save = NULL, *last = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (*line == '{') last = line;
    json_t *o = last ? json_loads(last, 0, NULL) : NULL;
    SL_CHECK(o, SL_EUNAVAIL, "sluice-stats --check-target gave no answer");
    answer->reached = json_is_true(json_object_get(o, "reached"));
    answer->relative_error = json_number_value(json_object_get(o, "relative_error"));
    answer->members = (int)json_integer_value(json_object_get(o, "members"));
    say_lacks(json_object_get(o, "lacks"), answer);
    json_decref(o);
    return SL_OK;
}

static int start(struct sl_child *child, struct sl_ensemble_question *q)
{
    int ends[2];
    SL_CHECK(pipe2(ends, O_CLOEXEC) == 0, SL_EIO, "cannot make a pipe: %s", strerror(errno));
    child->out = ends[1];
    int code = sl_child_start(child, &q->pid);
    close(ends[1]);
    q->from = ends[0];
    if (code == SL_OK) return SL_OK;
    close(ends[0]);
    q->pid = 0;
    return code;
}

int sl_ensemble_ask(const struct sl_campaign *c, const struct sl_launch *launch, const char *token,
                    struct sl_ensemble_question *q)
{
    char mpi_dir[SL_PATH_MAX];
    struct sl_child child = {.dir = c->dir,
                             .token = token,
                             .mpi_dir = mpi_dir,
                             .out = -1,
                             .err = -1,
                             .on_death = SIGKILL};
    SL_TRY(sl_ensemble_list(c));
    q->used = 0;
    q->closed = false;
    q->here = sl_launch_here(launch);
    q->left = (struct sl_left){0};
    snprintf(q->token, sizeof q->token, "%s", token);
    int code = sl_launch_words(&child.args, launch, 1, "sluice-stats");
    sl_ensemble_args(&child.args);
    sl_args_add(&child.args, "--check-target");
    if (code == SL_OK) code = sl_mpi_dir_make(mpi_dir, launch, token);
    if (code == SL_OK && (code = start(&child, q)) != SL_OK) sl_mpi_dir_remove(token);
    sl_args_release(&child.args);
    return code;
}

/* Reads until there is no more for now; what does not fit is read and left out. */
static void take_text(struct sl_ensemble_question *q, bool wait)
{
    char rest[256];
    struct pollfd ready = {.fd = q->from, .events = POLLIN};
    while (!q->closed) {
        if (q->here && sl_claim_left_long(&q->left, q->token, (long)q->pid)) kill(q->pid, SIGKILL);
        int n_ready = poll(&ready, 1, wait ? 1000 * SL_LEFT_EVERY : 0);
        if (wait && (n_ready == 0 || (n_ready < 0 && errno == EINTR))) continue;
        if (n_ready <= 0) return;
        bool fits = q->used < sizeof q->text - 1;
        ssize_t n = read(q->from, fits ? q->text + q->used : rest,
                         fits ? sizeof q->text - 1 - q->used : sizeof rest);
        if (n > 0 && fits) q->used += (size_t)n;
        q->closed = n == 0 || (n < 0 && errno != EINTR);
    }
}

static void forget(struct sl_ensemble_question *q)
{
    close(q->from);
    q->pid = 0;
    sl_claim_sweep(q->token); /* a rank that outlived a killed mpirun, and their directory */
}

int sl_ensemble_listen(struct sl_ensemble_question *q, bool wait, bool *there,
                       struct sl_ensemble_answer *answer)
{
    int status = 0;
    pid_t got = 0;
    *there = false;
    take_text(q, wait);
    if (q->closed)
        while ((got = waitpid(q->pid, &status, wait ? 0 : WNOHANG)) < 0 && errno == EINTR)
            continue;
    if (got == 0) return SL_OK;
    *there = true;
    q->text[q->used] = '\0';
    forget(q);
    SL_CHECK(got > 0 && sl_child_code(status) == 0, SL_EUNAVAIL,
             "sluice-stats --check-target ended with code %d", sl_child_code(status));
    return parse_answer(q->text, answer);
}

void sl_ensemble_drop(struct sl_ensemble_question *q)
{
    if (q->pid == 0) return;
    kill(q->pid, SIGKILL); /* it has nothing to save, and may hang */
    while (waitpid(q->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    forget(q);
}
