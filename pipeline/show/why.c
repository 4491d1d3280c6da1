/* why.c - see why.h. */
#include "pipeline/show/why.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/input_files.h"
#include "pipeline/campaign/links.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/table.h"
#include "pipeline/local/task.h"

enum { TAIL_BYTES = 1 << 16 };

/* ---- the chain ------------------------------------------------------------------------------- */

struct chain {
    const char *member, *stage; /* member "": a stage of the whole campaign */
    struct sl_why *why;
};

static void sentence_of(const struct sl_fact *f, char *text, size_t size)
{
    char took[32];
    sl_table_time(f->seconds, took);
    if (f->what == SL_FACT_end)
        snprintf(text, size, "%s attempt %d: %s after %s%s%s", f->stage, f->n, f->result, took,
                 *f->text ? ": " : "", f->text);
    else if (f->what == SL_FACT_inject)
        snprintf(text, size, "%s: a failure was injected: %s", f->stage, f->text);
    else if (f->what == SL_FACT_retry)
        snprintf(text, size, "retry%s%s: earlier failures were forgotten",
                 *f->stage ? " from " : "", f->stage);
    else if (f->what == SL_FACT_cancel)
        snprintf(text, size, "cancelled by a person");
    else if (f->what == SL_FACT_clean)
        snprintf(text, size, "cleaned: %s", f->text);
    else
        *text = '\0';
}

/* The newest come first: the list is pushed down, its oldest falls out. */
static int add_link(const struct sl_fact *f, void *user)
{
    struct chain *c = user;
    char text[900];
    if (strcmp(f->member, c->member) != 0 || (c->stage && strcmp(f->stage, c->stage) != 0))
        return SL_OK;
    sentence_of(f, text, sizeof text);
    if (!*text) return SL_OK;
    char *copy = strdup(text);
    SL_CHECK(copy, SL_EMEM, "no memory for the history of %s", c->member);
    if (c->why->links == SL_WHY_LINKS) free(c->why->link[--c->why->links]);
    memmove(c->why->link + 1, c->why->link, (size_t)c->why->links * sizeof *c->why->link);
    c->why->link[0] = copy;
    c->why->links++;
    return SL_OK;
}

/* ---- the log --------------------------------------------------------------------------------- */

int sl_why_tail(const char *path, int lines, char **text)
{
    struct stat st;
    int fd;
    SL_TRY(sl_disk_open(path, &fd));
    char *buffer = malloc(TAIL_BYTES + 1);
    ssize_t got = -1;
    if (buffer && fstat(fd, &st) == 0)
        got = pread(fd, buffer, TAIL_BYTES, st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0);
    close(fd);
    SL_CHECK(buffer, SL_EMEM, "no memory for %s", path);
    size_t n = got > 0 ? (size_t)got : 0;
    buffer[n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (!buffer[i]) buffer[i] = '?';
    char *p = buffer + n;
    while (p > buffer && lines > 0)
        if (*--p == '\n' && p + 1 < buffer + n && --lines == 0) p++;
    memmove(buffer, p, (size_t)(buffer + n - p) + 1);
    *text = buffer;
    return SL_OK;
}

static int find_log(const struct sl_campaign_state *st, int member, int stage, struct sl_why *why)
{
    char home[SL_PATH_MAX], path[SL_PATH_MAX];
    int n = st->member[member].stage[stage].attempts;
    if (n == 0) return SL_OK;
    SL_TRY(sl_campaign_home(home, st->campaign, member));
    SL_TRY(sl_task_log(path, home, (enum sl_stage)stage, n));
    if (!sl_disk_exists(path)) return SL_OK;
    SL_TRY(sl_disk_join(why->log, "members/%s/logs/%s.%d.log", st->campaign->member[member].id,
                        sl_stage_name(stage), n));
    return sl_why_tail(path, SL_WHY_TAIL, &why->tail);
}

/* ---- what to do ------------------------------------------------------------------------------ */

/* The first stage whose products are not what it made; -1: none. *what receives what is wrong. */
static int find_damage(const struct sl_campaign_state *st, int member, char *what, size_t size)
{
    char home[SL_PATH_MAX];
    if (sl_campaign_home(home, st->campaign, member) != SL_OK) return -1;
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        if (!sl_record_exists(home, (enum sl_stage)s)) continue;
        if (sl_campaign_state_verify(st, member, (enum sl_stage)s, NULL, NULL) == SL_OK) continue;
        snprintf(what, size, ", but %s: %.200s", sl_stage_name(s), sl_error_text());
        return s;
    }
    return -1;
}

/* A file among the products that is none: it is for a person to move it away. */
static bool find_stray(const struct sl_campaign_state *st, int member, char *what, size_t size)
{
    char home[SL_PATH_MAX];
    if (sl_campaign_home(home, st->campaign, member) != SL_OK) return false;
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        if (!sl_record_exists(home, (enum sl_stage)s)) continue;
        if (sl_record_verify_folders(home, (enum sl_stage)s) == SL_OK) continue;
        snprintf(what, size, ", but %s: %.200s", sl_stage_name(s), sl_error_text());
        return true;
    }
    return false;
}

static void mend_stray(const struct sl_campaign_state *st, int i, struct sl_why *why)
{
    char where[SL_PATH_MAX] = "", retry[SL_PATH_MAX + 64] = "";
    sl_select_say(st->campaign, where);
    if (sl_campaign_state_member(st, i) == SL_WORK_failed)
        snprintf(retry, sizeof retry, "sluice retry%s %s && ", where, st->campaign->member[i].id);
    snprintf(why->mend, sizeof why->mend, "move that file away, then %ssluice %s%s", retry,
             sl_executor_of(st->campaign)->verb, where);
}

static void mend_from(const struct sl_campaign_state *st, int i, int stage, struct sl_why *why)
{
    char where[SL_PATH_MAX] = "";
    sl_select_say(st->campaign, where);
    snprintf(why->mend, sizeof why->mend, "sluice retry%s %s --from %s && sluice %s%s", where,
             st->campaign->member[i].id, sl_stage_name(stage), sl_executor_of(st->campaign)->verb,
             where);
}

/* The campaign has a copy of the script. */
static void mend_command(const struct sl_campaign_state *st, int i, struct sl_why *why)
{
    const struct sl_campaign *c = st->campaign;
    const char *reason = st->member[i].why;
    char where[SL_PATH_MAX] = "", way[SL_PATH_MAX];
    struct sl_config cfg;
    struct sl_values recipe = {.recipe = NULL};
    int code = sl_values_of(c, i, &recipe, &cfg);
    sl_values_release(&recipe);
    if (code != SL_OK) return;
    bool each = !*cfg.stages_member || (reason && strncmp(reason, "stages.snapshot", 15) == 0);
    sl_input_files_say_set(c->dir, each ? "stages.snapshot" : "stages.member",
                           each ? cfg.stages_snapshot : cfg.stages_member, way, sizeof way);
    sl_select_say(c, where);
    snprintf(why->mend, sizeof why->mend,
             "mend the script, let the campaign take it as it is now (%s in the directory of the "
             "recipe), then sluice retry%s %s && sluice %s%s",
             way, where, c->member[i].id, sl_executor_of(c)->verb, where);
}

static void mend(const struct sl_campaign_state *st, int i, int stage, struct sl_why *why)
{
    const char *id = st->campaign->member[i].id;
    char where[SL_PATH_MAX] = "", *text = why->mend;
    const size_t size = sizeof why->mend;
    sl_select_say(st->campaign, where);
    int code = stage >= 0 ? st->member[i].stage[stage].code : 0;
    const char *verb = sl_executor_of(st->campaign)->verb;
    switch (sl_campaign_state_member(st, i)) {
    case SL_WORK_waiting:
    case SL_WORK_stopped:
        snprintf(text, size, "sluice %s%s", verb, where);
        break;
    case SL_WORK_failed:
        if (stage == SL_STAGE_own) {
            mend_command(st, i, why);
            break;
        }
        snprintf(text, size, "%ssluice retry%s %s && sluice %s%s",
                 code == SL_EINPUT     ? "the input is wrong: mend what the message names, then "
                 : code == SL_EUNAVAIL ? "install what is missing, then "
                 : code == 128 + SIGILL
                     ? "build sluice for the processors that it runs on (make ARCH=..), then "
                 : code == 128 + SIGXFSZ ? "raise the limit of the size of files, then "
                 : code == SL_EMEM
                     ? "more memory is needed: run fewer members at once, ask for more "
                       "(sluice set resources.memory=..), take more nodes, a larger machine or, in "
                       "a new campaign, fewer cells; then "
                     : "",
                 where, id, verb, where);
        break;
    case SL_WORK_stalled:
        snprintf(text, size,
                 stage == SL_STAGE_own
                     ? "commands must end within their wall-time limit (resources.own.walltime, "
                       "resources.walltime): give them longer, then sluice retry%s %s"
                     : "an attempt must reach its next checkpoint within the wall-time limit "
                       "(resources.walltime): give it longer, then sluice retry%s %s",
                 where, id);
        break;
    case SL_WORK_diverged:
        snprintf(text, size,
                 "the same again would end the same: lower fluid.cfl, or take a more "
                 "robust fluid.riemann or fluid.reconstruct, in a new campaign; where a total or a "
                 "divergence changed that must not, the machine or the program is at fault: from "
                 "the last checkpoint on another one, sluice retry%s %s",
                 where, id);
        break;
    case SL_WORK_cancelled:
        snprintf(text, size, "sluice retry%s %s", where, id);
        break;
    default:
        *text = '\0';
    }
}

/* Whatever lets it go on, its recipe comes before that. */
static void mend_recipe(const struct sl_campaign *c, int generation, struct sl_why *why)
{
    struct sl_recipe_lost lost;
    char then[sizeof why->mend];
    const int keep = (int)(sizeof then - sizeof lost.way - sizeof ", then ");
    if (!*why->mend || !sl_campaign_recipe_lost(c, generation, &lost)) return;
    memcpy(then, why->mend, sizeof then);
    snprintf(why->mend, sizeof why->mend, "%s, then %.*s", lost.way, keep, then);
}

int sl_why(const struct sl_campaign_state *st, int member, struct sl_why *why)
{
    const struct sl_member *m = &st->campaign->member[member];
    struct chain chain = {.member = m->id, .why = why};
    enum sl_work_state kind = sl_campaign_state_member(st, member);
    int64_t offset = 0;
    memset(why, 0, sizeof *why);
    int stage = sl_campaign_state_next(st, member);
    bool has_stage = kind != SL_WORK_waiting && kind != SL_WORK_surplus && stage >= 0;
    snprintf(why->sentence, sizeof why->sentence, "%s%s%.200s%s is %s%s%s%s%.300s", m->id,
             *m->label ? " (" : "", m->label, *m->label ? ")" : "", sl_campaign_state_name(kind),
             has_stage ? " at stage " : "", has_stage ? sl_stage_name(stage) : "",
             has_stage && st->member[member].why ? ": " : "",
             has_stage && st->member[member].why ? st->member[member].why : "");
    int code = sl_journal_read(st->campaign->dir, &offset, add_link, &chain, NULL);
    if (code == SL_OK) code = find_log(st, member, stage < 0 ? SL_STAGE_stats : stage, why);
    if (code == SL_OK && stage >= 0)
        code = sl_executor_of(st->campaign)
                   ->say(st->campaign, SL_QUEUE_CACHED, member, why->queue, sizeof why->queue);
    if (code == SL_OK) mend(st, member, stage, why);
    size_t said = strlen(why->sentence);
    char *more = why->sentence + said;
    bool ended = code == SL_OK && (kind == SL_WORK_done || kind == SL_WORK_failed);
    int broken = ended ? find_damage(st, member, more, sizeof why->sentence - said) : -1;
    if (broken >= 0)
        mend_from(st, member, broken, why);
    else if (ended && find_stray(st, member, more, sizeof why->sentence - said))
        mend_stray(st, member, why);
    mend_recipe(st->campaign, m->generation, why);
    if (code != SL_OK) sl_why_release(why);
    return code;
}

static int find_whole_log(const struct sl_campaign_state *st, enum sl_stage stage,
                          struct sl_why *why)
{
    char path[SL_PATH_MAX];
    int n = st->whole[stage - SL_MEMBER_STAGES].attempts;
    SL_TRY(sl_task_log(path, st->campaign->dir, stage, n));
    if (n == 0 || !sl_disk_exists(path)) return SL_OK;
    SL_TRY(sl_disk_join(why->log, "logs/%s.%d.log", sl_stage_name((int)stage), n));
    return sl_why_tail(path, SL_WHY_TAIL, &why->tail);
}

/* What was found damaged runs again once its end-record is set aside. */
static void mend_whole(const struct sl_campaign_state *st, enum sl_stage stage,
                       enum sl_work_state state, struct sl_why *why)
{
    char where[SL_PATH_MAX] = "";
    const char *verb = sl_executor_of(st->campaign)->verb;
    sl_select_say(st->campaign, where);
    if (state == SL_WORK_stopped)
        snprintf(why->mend, sizeof why->mend, "sluice %s%s", verb, where);
    else if (state == SL_WORK_stalled)
        snprintf(
            why->mend, sizeof why->mend,
            "give it longer (sluice set%s resources.ensemble.walltime=..), then sluice retry%s "
            "&& sluice %s%s",
            where, where, verb, where);
    else if (sl_links_check(st->campaign, stage, -1) != SL_OK)
        snprintf(why->mend, sizeof why->mend, "remove the link, then sluice %s%s", verb, where);
    else
        snprintf(why->mend, sizeof why->mend, "sluice clean%s --damaged && sluice %s%s", where,
                 verb, where);
}

int sl_why_whole(const struct sl_campaign_state *st, enum sl_stage stage,
                 const struct sl_whole *whole, struct sl_why *why)
{
    const char *name = sl_stage_name((int)stage);
    struct chain chain = {.member = "", .stage = name, .why = why};
    int64_t offset = 0;
    memset(why, 0, sizeof *why);
    snprintf(why->sentence, sizeof why->sentence, "%s of %s is %s: %.400s", name,
             st->campaign->name, sl_campaign_state_name(whole->state), whole->why);
    int code = sl_journal_read(st->campaign->dir, &offset, add_link, &chain, NULL);
    if (code == SL_OK) code = find_whole_log(st, stage, why);
    if (code == SL_OK) mend_whole(st, stage, whole->state, why);
    if (code != SL_OK) sl_why_release(why);
    return code;
}

void sl_why_release(struct sl_why *why)
{
    for (int i = 0; i < why->links; i++)
        free(why->link[i]);
    free(why->tail);
    why->links = 0;
    why->tail = NULL;
}
