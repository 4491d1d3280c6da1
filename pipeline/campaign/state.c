/* state.c - see state.h. */
#include "pipeline/campaign/state.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/interval.h"
#include "core/sys/status.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/record.h"

static const struct {
    const char *name;
    char letter;
    bool ends;
} kinds[] = {
#define KIND_ROW(name, letter, ends, about) {#name, letter, ends},
    SL_WORK_LIST(KIND_ROW)
#undef KIND_ROW
};

const char *sl_campaign_state_name(enum sl_work_state kind)
{
    return kinds[kind].name;
}

char sl_campaign_state_letter(enum sl_work_state kind)
{
    return kinds[kind].letter;
}

bool sl_campaign_state_ends(enum sl_work_state kind)
{
    return kinds[kind].ends;
}

/* ---- folding --------------------------------------------------------------------------------- */

static void fold_start(struct sl_stage_state *s, const struct sl_fact *f)
{
    if (f->n < s->attempts) return; /* a late line of an attempt that was taken over */
    s->attempts = f->n;
    s->begin = f->t;
    s->journal_done = false;
    s->state = SL_WORK_running;
}

static enum sl_work_state after_failure(struct sl_stage_state *s, int retries)
{
    s->failures++;
    return s->failures > retries ? SL_WORK_failed : SL_WORK_stopped;
}

static enum sl_work_state after(struct sl_stage_state *s, const struct sl_fact *f, int retries)
{
    bool newer = f->step > s->step;
    if (newer) {
        s->step = f->step;
        s->failures = s->stuck = s->taken = 0;
    }
    switch (sl_result_find(f->result)) {
    case SL_RESULT_done:
        s->stuck = 0; /* an ensemble is made again when members are added */
        return SL_WORK_done;
    case SL_RESULT_stopped:
        s->stuck += newer ? 0 : 1;
        return s->stuck >= SL_STUCK_MAX ? SL_WORK_stalled : SL_WORK_stopped;
    case SL_RESULT_paused:
        return SL_WORK_stopped;
    case SL_RESULT_taken:
        return ++s->taken > SL_TAKEN_MAX ? SL_WORK_failed : SL_WORK_stopped;
    case SL_RESULT_memory:
        s->asked = f->asked;
        return ++s->shortages > 1 ? SL_WORK_failed : SL_WORK_stopped;
    case SL_RESULT_diverged:
        return SL_WORK_diverged;
    case SL_RESULT_refused:
    case SL_RESULT_blocked:
        s->failures++;
        return SL_WORK_failed;
    default:
        return after_failure(s, retries);
    }
}

static void fold_end(struct sl_stage_state *s, const struct sl_fact *f, int retries)
{
    if (f->n <= s->last_end || f->n < s->attempts) return; /* reported twice, or taken over */
    s->attempts = s->last_end = f->n;
    s->seconds += f->seconds;
    s->end = f->t;
    s->code = f->code;
    if (f->value > 0) s->rate = f->value;
    s->state = after(s, f, retries);
    s->journal_done = s->state == SL_WORK_done;
}

/* Of the same size: what was planned is the same number. */
static void fold_size(struct sl_use *u, const struct sl_fact *f)
{
    int i = 0;
    while (i < u->sizes && fabs(u->size[i].planned / f->planned - 1) > 1e-6)
        i++;
    if (i == SL_USE_SIZES) return;
    if (i == u->sizes) u->size[u->sizes++].planned = f->planned;
    u->size[i].most = fmax(u->size[i].most, f->memory);
    u->size[i].n++;
}

static void fold_use(struct sl_use *u, const struct sl_fact *f)
{
    if (f->walltime > 0) {
        u->attempts++;
        u->seconds += f->seconds;
        u->walltime += f->walltime;
    }
    u->most = fmax(u->most, f->memory);
    if (f->memory > 0 && f->asked > 0) {
        u->measured++;
        u->memory += f->memory;
        u->asked += f->asked;
    }
    if (f->memory > 0 && f->planned > 0 && sl_result_find(f->result) == SL_RESULT_done)
        fold_size(u, f);
}

static void count_end(struct sl_campaign_state *st, const struct sl_fact *f, int ranks, int stage)
{
    int result = sl_result_find(f->result);
    fold_use(&st->use[stage], f);
    st->rank_seconds += f->seconds * ranks;
    if (stage == SL_STAGE_sim) st->run_seconds += f->seconds;
    if (stage == SL_STAGE_sim && (result == SL_RESULT_lost || result == SL_RESULT_taken))
        st->lost++;
    if (result == SL_RESULT_stopped) st->stops++;
    if (result == SL_RESULT_failed || result == SL_RESULT_lost) st->failures++;
}

static void set_why(struct sl_member_state *m, const struct sl_fact *f)
{
    int result = sl_result_find(f->result);
    free(m->why);
    m->why = NULL;
    if (result != SL_RESULT_done && *f->text) m->why = strdup(f->text);
}

/* Of a stage of the whole campaign: an attempt that was ended from outside did not fail. */
static void set_whole_why(char **why, const struct sl_fact *f)
{
    int result = sl_result_find(f->result);
    bool failed = result != SL_RESULT_done && result != SL_RESULT_stopped &&
                  result != SL_RESULT_paused && result != SL_RESULT_taken;
    free(*why);
    *why = failed ? strdup(*f->text ? f->text : f->result) : NULL;
}

/* A stage of the whole campaign. */
static void fold_whole(struct sl_campaign_state *st, const struct sl_fact *f, int k)
{
    struct sl_stage_state *s = &st->whole[k];
    if (f->what == SL_FACT_end) set_whole_why(&st->whole_why[k], f);
    if (f->what != SL_FACT_retry) return;
    free(st->whole_why[k]);
    st->whole_why[k] = NULL;
    s->failures = s->stuck = 0;
    if (s->state == SL_WORK_failed || s->state == SL_WORK_stalled) s->state = SL_WORK_stopped;
}

/* from: the first stage that begins from nothing again; -1: each goes on where it is. */
static void forget_failures(struct sl_member_state *m, int from)
{
    m->cancelled = m->surplus = false;
    for (int i = 0; i < SL_MEMBER_STAGES; i++) {
        struct sl_stage_state *s = &m->stage[i];
        s->failures = s->stuck = s->taken = s->shortages = 0;
        s->journal_done = false; /* its end-record may have been revoked */
        if (from >= 0 && i >= from) s->step = -1;
        if (s->state != SL_WORK_done && s->state != SL_WORK_running)
            s->state = s->attempts ? SL_WORK_stopped : SL_WORK_waiting;
    }
}

/* Members that are added later are wanted by a person, and run however small the error bar is. */
static void fold_target(struct sl_campaign_state *st, const struct sl_fact *f)
{
    st->target_seen = true;
    st->target_error = f->value;
    st->target_members = (int)f->count;
    st->target_reached = f->code == 1;
    snprintf(st->target_lacks, sizeof st->target_lacks, "%.*s", (int)sizeof st->target_lacks - 1,
             f->text);
    int there = st->listed > 0 && st->listed < st->n ? st->listed : st->n;
    for (int i = 0; st->target_reached && i < there; i++)
        if (!st->member[i].started) st->member[i].surplus = true;
}

/* From a submission to the first start after it. */
static void fold_wait(struct sl_campaign_state *st, const struct sl_fact *f)
{
    if (st->submitted <= 0) return;
    if (f->t - st->submitted > st->waited) st->waited = f->t - st->submitted;
    st->submitted = 0;
}

static void fold_stage(struct sl_campaign_state *st, const struct sl_fact *f, int member, int stage)
{
    bool own = stage < SL_MEMBER_STAGES;
    struct sl_member_state *m = own ? &st->member[member] : NULL;
    struct sl_stage_state *s = own ? &m->stage[stage] : &st->whole[stage - SL_MEMBER_STAGES];
    const struct sl_member *row = own ? &st->campaign->member[member] : NULL;
    if (f->what == SL_FACT_start) {
        fold_wait(st, f);
        fold_start(s, f);
        if (m) m->started = true;
    } else if (f->what == SL_FACT_end) {
        sl_nodes_count_end(&st->bad_nodes, f, s->begin);
        fold_end(s, f, row ? row->retries : INT_MAX);
        count_end(st, f, row ? row->ranks[stage] : 1, stage);
        if (m) set_why(m, f);
        if (m && f->haloes >= 0) m->haloes = f->haloes;
    }
}

static void fold_member(struct sl_campaign_state *st, const struct sl_fact *f)
{
    int member = sl_campaign_find(st->campaign, f->member), stage = sl_stage_find(f->stage);
    if (member < 0 || member >= st->n) {
        st->grown++;
        return;
    }
    struct sl_member_state *m = &st->member[member];
    if (f->what == SL_FACT_retry) forget_failures(m, stage);
    if (f->what == SL_FACT_cancel) m->cancelled = true;
    if (stage >= 0 && stage < SL_MEMBER_STAGES) fold_stage(st, f, member, stage);
}

static void fold_notified(struct sl_campaign_state *st, const struct sl_fact *f)
{
    for (int i = 0; i < SL_NOTIFY_EVENTS; i++)
        if (strcmp(f->text, sl_choice_name("notify.events", i)) == 0) st->notified[i] = true;
}

static int fold(const struct sl_fact *f, void *user)
{
    struct sl_campaign_state *st = user;
    int stage = sl_stage_find(f->stage);
    if (st->first == 0) st->first = f->t;
    if (st->on_fact) st->on_fact(f, st->on_fact_user);
    st->last = f->t;
    if (f->what == SL_FACT_forgive) sl_nodes_readmit(&st->bad_nodes, f->node);
    if (f->what == SL_FACT_created || f->what == SL_FACT_extended) st->listed = (int)f->count;
    if (f->what == SL_FACT_extended && f->count > st->n) st->grown++;
    if (f->what == SL_FACT_stop) {
        st->stop = f->n;
        st->halted = true;
    }
    if (f->what == SL_FACT_run || f->what == SL_FACT_submitted) st->halted = false;
    if (f->what == SL_FACT_submitted) st->submitted = f->t;
    if (f->what == SL_FACT_inject) st->injected++;
    if (f->what == SL_FACT_retry) {
        st->notified[SL_NOTIFY_failed] = false;
        st->retried = f->t;
    }
    if (f->what == SL_FACT_start && *f->member) st->notified[SL_NOTIFY_end] = false;
    if (f->what == SL_FACT_notified) fold_notified(st, f);
    if (f->what == SL_FACT_throttle) st->throttle = f->count;
    if (f->what == SL_FACT_target) fold_target(st, f);
    if (*f->member) {
        fold_member(st, f);
    } else if (stage >= SL_MEMBER_STAGES) {
        fold_stage(st, f, -1, stage);
        fold_whole(st, f, stage - SL_MEMBER_STAGES);
    }
    return SL_OK;
}

/* ---- end-records ----------------------------------------------------------------------------- */

/* Whether a stage that was begun has its end-record. Where the journal tells of one that is not
 * seen, another host may have written it just now: the server is asked. */
static bool has_record(const struct sl_campaign_state *st, int members_fd, int member, int stage)
{
    const struct sl_stage_state *s = &st->member[member].stage[stage];
    char path[256], home[SL_PATH_MAX];
    if (s->attempts == 0 && s->state != SL_WORK_done) return false;
    snprintf(path, sizeof path, "%s/attempts/%s.end.json", st->campaign->member[member].id,
             sl_stage_name(stage));
    if (members_fd >= 0 && faccessat(members_fd, path, F_OK, 0) == 0) return true;
    return s->journal_done && sl_campaign_home(home, st->campaign, member) == SL_OK &&
           sl_record_exists(home, (enum sl_stage)stage);
}

/* The end-record is the truth: done without one is not done, one without the fact is done. */
static void correct(struct sl_campaign_state *st, int members_fd, int member)
{
    for (int i = 0; i < SL_MEMBER_STAGES; i++) {
        struct sl_stage_state *s = &st->member[member].stage[i];
        if (!sl_member_has(&st->campaign->member[member], i)) continue;
        if (has_record(st, members_fd, member, i))
            s->state = SL_WORK_done;
        else if (s->state == SL_WORK_done)
            s->state = SL_WORK_stopped;
    }
}

static bool settled(const struct sl_campaign_state *st, int member)
{
    const struct sl_stage_state *s = st->member[member].stage;
    for (int i = SL_STAGE_sim; i < SL_MEMBER_STAGES; i++)
        if (sl_member_has(&st->campaign->member[member], i) && s[i].state != SL_WORK_done)
            return false;
    return true;
}

static int correct_all(struct sl_campaign_state *st, bool all)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_disk_join(path, "%s/members", st->campaign->dir));
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < st->n; i++)
        if ((!st->watch || st->watch[i]) && (all || !settled(st, i))) correct(st, fd, i);
    if (fd >= 0) close(fd);
    memset(st->count, 0, sizeof st->count);
    for (int i = 0; i < st->n; i++)
        st->count[sl_campaign_state_member(st, i)]++;
    return SL_OK;
}

/* ---- the public face ------------------------------------------------------------------------- */

int sl_campaign_state_imagine(const struct sl_campaign *campaign, struct sl_campaign_state *state)
{
    memset(state, 0, sizeof *state);
    state->campaign = campaign;
    state->n = campaign->n;
    state->member = calloc((size_t)campaign->n + 1, sizeof *state->member);
    SL_CHECK(state->member, SL_EMEM, "no memory for %d members", campaign->n);
    for (int i = 0; i < campaign->n; i++) {
        state->member[i].haloes = -1;
        for (int s = 0; s < SL_MEMBER_STAGES; s++)
            state->member[i].stage[s].step = -1;
    }
    state->waited = -1;
    state->count[SL_WORK_waiting] = state->n;
    return SL_OK;
}

int sl_campaign_state_open_for(const struct sl_campaign *campaign, const bool *watch,
                               struct sl_campaign_state *state)
{
    SL_TRY(sl_campaign_state_imagine(campaign, state));
    state->watch = watch;
    return sl_campaign_state_refresh(state, true);
}

int sl_campaign_state_open(const struct sl_campaign *campaign, struct sl_campaign_state *state)
{
    return sl_campaign_state_open_for(campaign, NULL, state);
}

void sl_campaign_state_release(struct sl_campaign_state *state)
{
    for (int i = 0; state->member && i < state->n; i++)
        free(state->member[i].why);
    free(state->member);
    for (int k = 0; k < SL_STAGE_COUNT - SL_MEMBER_STAGES; k++)
        free(state->whole_why[k]);
    memset(state, 0, sizeof *state);
}

int sl_campaign_state_refresh(struct sl_campaign_state *state, bool all)
{
    SL_TRY(sl_journal_read(state->campaign->dir, &state->offset, fold, state, &state->damaged));
    return correct_all(state, all);
}

static int unseen(const struct sl_campaign_state *st)
{
    int n = 0;
    for (int i = 0; i < st->n; i++)
        for (int s = 0; s < SL_MEMBER_STAGES; s++)
            n +=
                st->member[i].stage[s].journal_done && st->member[i].stage[s].state != SL_WORK_done;
    return n;
}

int sl_campaign_state_settle(struct sl_campaign_state *state)
{
    const struct timespec second = {.tv_sec = 1};
    double end = sl_disk_now() + SL_SETTLE_WAIT;
    while (unseen(state) > 0 && sl_disk_now() < end) {
        nanosleep(&second, NULL);
        SL_TRY(sl_campaign_state_refresh(state, true));
    }
    return SL_OK;
}

/* A stage that is said to run, in home: of a member, or of the campaign. */
static int probe_stage(const char *home, int stage, struct sl_stage_state *s, int *held)
{
    char attempts[SL_PATH_MAX];
    struct sl_claim_look look;
    if (s->state != SL_WORK_running) return SL_OK;
    SL_TRY(sl_disk_join(attempts, "%s/attempts", home));
    SL_TRY(sl_claim_look(attempts, sl_stage_name(stage), &look));
    json_decref(look.record);
    if (look.held)
        ++*held;
    else
        s->state = SL_WORK_stopped;
    return SL_OK;
}

int sl_campaign_state_probe(struct sl_campaign_state *state, int *held)
{
    char home[SL_PATH_MAX];
    *held = 0;
    for (int i = 0; i < state->n; i++) {
        SL_TRY(sl_campaign_home(home, state->campaign, i));
        for (int s = 0; s < SL_MEMBER_STAGES; s++)
            SL_TRY(probe_stage(home, s, &state->member[i].stage[s], held));
    }
    for (int s = SL_MEMBER_STAGES; s < SL_STAGE_COUNT; s++)
        SL_TRY(probe_stage(state->campaign->dir, s, &state->whole[s - SL_MEMBER_STAGES], held));
    return correct_all(state, false);
}

double sl_campaign_state_mtbf(const struct sl_campaign_state *state, double expected)
{
    return sl_interval_mtbf(expected, state->lost, state->run_seconds);
}

int sl_campaign_state_next(const struct sl_campaign_state *state, int member)
{
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        if (!sl_member_has(&state->campaign->member[member], s)) continue;
        if (state->member[member].stage[s].state != SL_WORK_done) return s;
    }
    return -1;
}

/* What the recipe and `sluice set` say now is no damage, even where no record holds it: commands
 * that came and were taken back leave a member done again with settings from between. */
static int verify_settings(const struct sl_campaign *c, int member, const char *home)
{
    char why[400];
    int code = sl_record_verify_settings(home);
    if (code == SL_OK || code == SL_EUNAVAIL) return SL_OK;
    snprintf(why, sizeof why, "%s", sl_error_text());
    return sl_campaign_run_is_current(c, member) ? SL_OK : SL_FAIL(code, "%s", why);
}

int sl_campaign_state_verify(const struct sl_campaign_state *state, int member, enum sl_stage stage,
                             int *files, double *bytes)
{
    char home[SL_PATH_MAX];
    bool last = sl_campaign_state_next(state, member) < 0;
    SL_TRY(sl_campaign_home(home, state->campaign, member));
    SL_TRY(sl_record_verify(home, stage, SL_CHECK_SUM, files, bytes));
    for (int s = (int)stage + 1; s < SL_MEMBER_STAGES; s++)
        last = last && !sl_record_exists(home, (enum sl_stage)s);
    return last ? verify_settings(state->campaign, member, home) : SL_OK;
}

bool sl_campaign_state_is_measured(const struct sl_campaign_state *state, int member)
{
    int next = sl_campaign_state_next(state, member);
    return next < 0 || next > SL_STAGE_stats;
}

int sl_campaign_state_measured(const struct sl_campaign_state *state)
{
    int n = 0;
    for (int i = 0; i < state->n; i++)
        n += sl_campaign_state_is_measured(state, i);
    return n;
}

int sl_campaign_state_open_members(const struct sl_campaign_state *st)
{
    int n = 0;
    for (int k = 0; k < SL_WORK_COUNT; k++)
        if (!sl_campaign_state_ends((enum sl_work_state)k)) n += st->count[k];
    return n;
}

enum sl_work_state sl_campaign_state_member(const struct sl_campaign_state *state, int member)
{
    const struct sl_member_state *m = &state->member[member];
    int next = sl_campaign_state_next(state, member);
    if (next < 0) return SL_WORK_done;
    if (m->stage[next].state == SL_WORK_running) return SL_WORK_running;
    if (m->cancelled) return SL_WORK_cancelled;
    if (m->surplus) return SL_WORK_surplus;
    return m->stage[next].state;
}
