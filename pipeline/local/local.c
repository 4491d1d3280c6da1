/* local.c - see local.h. */
#include "pipeline/local/local.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/crc32c.h"
#include "core/sys/status.h"
#include "pipeline/base/buffer.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/ensemble.h"
#include "pipeline/campaign/links.h"
#include "pipeline/campaign/own.h"
#include "pipeline/campaign/progress.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/state.h"
#include "pipeline/campaign/table.h"
#include "pipeline/campaign/target.h"
#include "pipeline/campaign/whole.h"
#include "pipeline/launch/child.h"
#include "pipeline/launch/cores.h"
#include "pipeline/launch/place.h"
#include "pipeline/local/devices.h"
#include "pipeline/local/notify.h"
#include "pipeline/local/task.h"

enum { JOBS_MAX = 1024, VICTIMS_MAX = 4096, UNBEGUN_MAX = 3, PACK_MAX = 64, PACK_AUTO = 32 };
static const double tick = 0.2, redraw_every = 0.5, busy_wait = 2, backoff_max = 60,
                    pack_seconds = 60;

/* An attempt at a member, or at a stage of the campaign, that a job makes in its turn. */
struct turn {
    int member; /* -1: a stage of the campaign */
    int attempts_before;
};

struct job {
    pid_t pid;
    struct turn turn[PACK_MAX];
    int n, at; /* turns; the one that is under way */
    enum sl_stage stage;
    int ranks;
    char token[SL_TOKEN_MAX];
    double begin, kill_at;  /* kill_at 0: no failure is injected */
    uint64_t draw, devices; /* it holds */
    bool asked_to_stop;
};

/* What the start of a member waits for. */
struct waiting {
    double not_before;
    struct sl_device_request request[SL_MEMBER_STAGES];
    bool known; /* the requests, once they were looked up */
};

struct local {
    struct sl_campaign *campaign;
    const struct sl_order *options;
    struct sl_campaign_state state;
    struct sl_config cfg; /* of the first member: what all have in common */
    struct sl_claim claim;
    struct sl_target_watch target;
    struct sl_look look;
    struct job job[JOBS_MAX];
    int jobs, cores, used, log;
    struct sl_devices devices;
    struct waiting *waiting; /* per member */
    double whole_not_before; /* time before which no stage of the campaign begins */
    double begin, drawn, logged, longest;
    double took[SL_MEMBER_STAGES]; /* longest attempt at a stage that ended it; 0: none yet */
    int lines, tries[SL_STAGE_COUNT];
    int stopping; /* how often it was asked to stop */
    bool by_signal, failed_whole;
    pid_t messenger;    /* calls notify.program; 0: none */
    bool mute;          /* it could not */
    int unbegun;        /* tasks in a row that ended before their attempt began */
    char obstacle[600]; /* why they did, once that is too often; "" before */
};

/* ---- cores and injected failures ------------------------------------------------------------- */

static int inject_part(const char *key, const char *value, struct sl_inject *inject)
{
    char *end;
    double x = strtod(value, &end);
    if (strcmp(end, "s") == 0 && end != value) end++;
    SL_CHECK(end != value && *end == '\0' && isfinite(x) && x >= 0, SL_EUSAGE,
             "--inject %s=%s: not a number", key, value);
    if (strcmp(key, "kill") == 0)
        inject->kill = x;
    else if (strcmp(key, "walltime") == 0)
        inject->walltime = x;
    else if (strcmp(key, "seed") == 0)
        inject->seed = (uint64_t)x;
    else
        return SL_FAIL(SL_EUSAGE, "--inject knows kill, walltime and seed, not %s", key);
    SL_CHECK(inject->kill <= 1, SL_EUSAGE, "--inject kill=%s: a probability is at most 1", value);
    return SL_OK;
}

int sl_inject_parse(const char *text, struct sl_inject *inject)
{
    char copy[256], *save = NULL;
    SL_CHECK(strlen(text) < sizeof copy, SL_EUSAGE, "--inject: too long");
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = strtok_r(copy, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
        char *equal = strchr(part, '=');
        SL_CHECK(equal, SL_EUSAGE, "--inject wants key=value, not %s", part);
        *equal = '\0';
        SL_TRY(inject_part(part, equal + 1, inject));
    }
    return SL_OK;
}

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double uniform(uint64_t *draw)
{
    *draw = mix(*draw);
    return (double)(*draw >> 11) * 0x1p-53;
}

/* Decides at the start of an attempt whether and when it is hit: early and late times are as likely
 * by their logarithm. Drawn from the names of member and stage and the number of the attempt, so
 * that a rehearsal depends neither on what happens to run first nor on which stages there are. */
static void plan_failure(struct local *l, struct job *job)
{
    const struct sl_inject *in = &l->options->inject;
    double span = in->walltime > 0 ? in->walltime : l->longest > 1 ? l->longest : 10;
    const char *name = sl_stage_name(job->stage);
    const struct turn *turn = &job->turn[job->at];
    uint64_t stage = (uint64_t)(turn->member + 1) << 32 | sl_crc32c(0, name, strlen(name));
    job->kill_at = 0;
    job->draw = mix(in->seed) ^ mix(mix(stage) + (uint64_t)turn->attempts_before);
    if (in->kill <= 0 || uniform(&job->draw) >= in->kill) return;
    job->kill_at = job->begin + 0.05 * pow(span / 0.05, uniform(&job->draw));
}

static int inject_failure(struct local *l, struct job *job)
{
    long pids[VICTIMS_MAX];
    struct sl_fact fact;
    int n = sl_claim_processes(job->token, pids, VICTIMS_MAX);
    job->kill_at = 0;
    if (n == 0) return SL_OK;
    long victim = pids[(int)(uniform(&job->draw) * (n < VICTIMS_MAX ? n : VICTIMS_MAX))];
    int member = job->turn[job->at].member;
    const char *id = member < 0 ? "" : l->campaign->member[member].id;
    sl_fact_init(&fact, SL_FACT_inject, id, sl_stage_name(job->stage));
    snprintf(fact.text, sizeof fact.text, "SIGKILL to process %ld, one of %d", victim, n);
    SL_TRY(sl_journal_add(l->campaign->dir, &fact));
    kill((pid_t)victim, SIGKILL);
    return SL_OK;
}

/* ---- starting and ending tasks --------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct sl_stage_state *stage_of(struct local *l, int member, int stage)
{
    return member < 0 ? &l->state.whole[stage - SL_MEMBER_STAGES]
                      : &l->state.member[member].stage[stage];
}

static int make_token(const struct local *l, struct job *job)
{
    uint64_t random;
    SL_CHECK(getrandom(&random, sizeof random, 0) == (ssize_t)sizeof random, SL_EIO,
             "cannot get random bytes: %s", strerror(errno));
    snprintf(job->token, sizeof job->token, "%.20s-%016llx", l->claim.token,
             (unsigned long long)random);
    return SL_OK;
}

/* "0000,0001", or "-" for a stage of the campaign. */
static int add_members(const struct local *l, const struct job *job, struct sl_args *args)
{
    struct sl_buffer text = {.s = NULL};
    for (int k = 0; k < job->n; k++)
        sl_buffer_add(&text, "%s%s", k ? "," : "",
                      job->turn[k].member < 0 ? "-" : l->campaign->member[job->turn[k].member].id);
    if (text.s && !text.failed) sl_args_add(args, "%s", text.s);
    bool good = text.s && !text.failed;
    sl_buffer_release(&text);
    SL_CHECK(good, SL_EMEM, "no memory for the members of a job");
    return SL_OK;
}

static int begin_job(struct local *l, struct job *job)
{
    char self[SL_PATH_MAX], visible[SL_DEVICES_TEXT];
    SL_TRY(sl_place_self(self, sizeof self));
    SL_TRY(make_token(l, job));
    sl_devices_text(&l->devices, job->devices, visible);
    struct sl_child child = {
        .token = job->token, .devices = visible, .out = l->log, .err = l->log, .on_death = SIGTERM};
    sl_args_add(&child.args, "%s", self);
    sl_args_add(&child.args, "task");
    sl_args_add(&child.args, "%s", l->campaign->dir);
    sl_args_add(&child.args, "%s", sl_stage_name(job->stage));
    int code = add_members(l, job, &child.args);
    if (job->turn[0].member >= 0 && l->options->inject.walltime > 0)
        sl_args_add(&child.args, "--walltime=%g", l->options->inject.walltime);
    if (job->stage == SL_STAGE_sim)
        sl_args_add(&child.args, "--mtbf=%.0f",
                    sl_campaign_state_mtbf(&l->state, l->cfg.resources_mtbf));
    if (code == SL_OK) code = sl_child_start(&child, &job->pid);
    sl_args_release(&child.args);
    return code;
}

/* Of n members in their turns; member[0] -1: a stage of the campaign. */
static int start_job(struct local *l, const int *member, int n, int stage, uint64_t devices)
{
    struct job *job = &l->job[l->jobs];
    memset(job, 0, sizeof *job);
    job->n = n;
    job->stage = (enum sl_stage)stage;
    job->ranks = member[0] < 0 ? 1 : l->campaign->member[member[0]].ranks[stage];
    job->devices = devices;
    job->begin = now();
    for (int k = 0; k < n; k++)
        job->turn[k] = (struct turn){member[k], stage_of(l, member[k], stage)->attempts};
    SL_TRY(begin_job(l, job));
    plan_failure(l, job);
    l->jobs++;
    l->used += job->ranks;
    return SL_OK;
}

/* The process of an attempt is gone and has not reported how it ended: that is reported for it,
 * from its claim when that was ended. */
static int journal_lost(struct local *l, int member, int stage)
{
    struct sl_stage_state *s = stage_of(l, member, stage);
    char home[SL_PATH_MAX], attempts[SL_PATH_MAX];
    struct sl_claim_look look;
    struct sl_progress p;
    struct sl_fact fact;
    SL_TRY(sl_task_home(home, l->campaign, (enum sl_stage)stage, member));
    SL_TRY(sl_disk_join(attempts, "%s/attempts", home));
    SL_TRY(sl_claim_look(attempts, sl_stage_name(stage), &look));
    const char *result = json_string_value(json_object_get(look.record, "result"));
    const char *why = json_string_value(json_object_get(look.record, "why"));
    bool held = look.held;
    if (look.stale) sl_claim_sweep(look.claim.token); /* what does not go, the next attempt tells */
    sl_fact_init(&fact, SL_FACT_end, member < 0 ? "" : l->campaign->member[member].id,
                 sl_stage_name(stage));
    fact.n = s->attempts;
    fact.code = (int)json_integer_value(json_object_get(look.record, "code"));
    fact.seconds = sl_task_lived(home, (enum sl_stage)stage, &look);
    snprintf(fact.result, sizeof fact.result, "%s", result ? result : "lost");
    snprintf(fact.text, sizeof fact.text, "%s", why ? why : "its process vanished");
    json_decref(look.record);
    if (held) return SL_OK; /* at work after all */
    if (stage == SL_STAGE_sim && sl_progress_read(home, &p) == SL_OK) fact.step = p.checkpoint_step;
    SL_TRY(sl_journal_add(l->campaign->dir, &fact));
    return sl_campaign_state_refresh(&l->state, false);
}

/* What an earlier run left without an end. */
static int reconcile(struct local *l)
{
    for (int i = 0; i < l->state.n; i++)
        for (int s = 0; s < SL_MEMBER_STAGES; s++)
            if (l->state.member[i].stage[s].state == SL_WORK_running) SL_TRY(journal_lost(l, i, s));
    for (int s = SL_MEMBER_STAGES; s < SL_STAGE_COUNT; s++)
        if (stage_of(l, -1, s)->state == SL_WORK_running) SL_TRY(journal_lost(l, -1, s));
    return SL_OK;
}

static void stop_jobs(struct local *l, int signal)
{
    for (int k = 0; k < l->jobs; k++)
        kill(l->job[k].pid, signal);
}

static bool began(const struct sl_stage_state *s, const struct turn *turn)
{
    return s->attempts > turn->attempts_before || s->state == SL_WORK_done;
}

/* Has the turn come to its end? */
static bool over(const struct sl_stage_state *s, const struct turn *turn)
{
    return began(s, turn) && s->state != SL_WORK_running;
}

/* What keeps the stage from beginning: the write that its task would begin with is tried here,
 * since a task cannot leave its message on a full disk; else what the last tasks said. */
static void find_obstacle(struct local *l, const struct job *job, int code)
{
    char home[SL_PATH_MAX], path[SL_PATH_MAX], said[300] = "";
    int member = job->turn[0].member;
    int tried = sl_task_home(home, l->campaign, job->stage, member);
    if (tried == SL_OK) tried = sl_links_check(l->campaign, job->stage, member);
    if (tried == SL_OK) tried = sl_disk_join(path, "%s/attempts", home);
    if (tried == SL_OK) tried = sl_mkdir_all(path);
    if (tried == SL_OK)
        tried = sl_disk_join(path, "%s/attempts/%s.probe", home, sl_stage_name(job->stage));
    if (tried == SL_OK) tried = sl_file_replace(path, "probe\n", 6, SL_DURABLE);
    if (tried == SL_OK) unlink(path);
    snprintf(path, sizeof path, "%.*s/logs/run.%d.log", SL_PATH_MAX - 32, l->campaign->dir,
             l->claim.n);
    if (tried == SL_OK) sl_task_reason(path, said, sizeof said);
    snprintf(l->obstacle, sizeof l->obstacle,
             "stage %s of %.64s cannot begin (exit code %d): %.400s", sl_stage_name(job->stage),
             member < 0 ? l->campaign->name : l->campaign->member[member].id, code,
             tried != SL_OK ? sl_error_text()
             : *said        ? said
                            : "see logs/ of the campaign");
}

/* A stage that another process holds is waited for; one that cannot begin is tried a few times, and
 * then the run ends, since no attempt is counted that would end it. */
static void count_unbegun(struct local *l, const struct job *job, int status)
{
    int code = sl_child_code(status);
    bool on_purpose = l->stopping || job->asked_to_stop || l->options->inject.kill > 0;
    if (code == SL_OK || code == SL_EAGAIN || on_purpose) return;
    if (++l->unbegun < UNBEGUN_MAX) return;
    find_obstacle(l, job, code);
    l->stopping = 1;
    stop_jobs(l, SIGTERM);
}

/* A stage of the campaign that another process holds, e.g. a task that outlived its executor, is
 * waited for and not counted as tried. */
static void wait_for_holder(struct local *l, const struct job *job, int status)
{
    bool began_now = stage_of(l, -1, job->stage)->attempts > job->turn[0].attempts_before;
    if (began_now || sl_child_code(status) != SL_EAGAIN) return;
    l->tries[job->stage]--;
    l->whole_not_before = now() + busy_wait;
}

/* Seconds before a member may be tried again. */
static double backoff(const struct sl_stage_state *s)
{
    double wait = s->failures > 1 ? pow(2, s->failures - 2) : 0;
    return wait < backoff_max ? wait : backoff_max;
}

/* A task had nothing to do, since the end-record is there: a journal that has lost facts gets
 * what it says. */
static int journal_done_again(struct local *l, const struct job *job, const struct turn *turn)
{
    struct sl_fact fact;
    sl_fact_init(&fact, SL_FACT_end, l->campaign->member[turn->member].id,
                 sl_stage_name(job->stage));
    fact.n = turn->attempts_before + 1;
    snprintf(fact.result, sizeof fact.result, "done");
    snprintf(fact.text, sizeof fact.text, "its end-record was there");
    SL_TRY(sl_journal_add(l->campaign->dir, &fact));
    return sl_campaign_state_refresh(&l->state, false);
}

/* Whether a task that did not begin a stage found it done: of several, the exit code tells the
 * first alone. */
static bool was_done(const struct local *l, const struct job *job, const struct turn *turn,
                     int status)
{
    char home[SL_PATH_MAX];
    if (turn->member < 0) return false;
    if (job->n == 1) return sl_child_code(status) == SL_OK;
    return sl_task_home(home, l->campaign, job->stage, turn->member) == SL_OK &&
           sl_record_exists(home, job->stage);
}

static int end_turn(struct local *l, const struct job *job, const struct turn *turn, int status)
{
    const struct sl_stage_state *s = stage_of(l, turn->member, job->stage);
    if (s->attempts > turn->attempts_before && s->state == SL_WORK_running)
        SL_TRY(journal_lost(l, turn->member, (int)job->stage));
    if (!began(s, turn) && was_done(l, job, turn, status)) SL_TRY(journal_done_again(l, job, turn));
    if (turn->member < 0) return SL_OK;
    if (s->state == SL_WORK_done && s->attempts == 1)
        l->took[job->stage] = fmax(l->took[job->stage], s->seconds);
    /* another process holds the stage, e.g. a task that outlived its executor, or it cannot begin;
     * what had no turn, since its task was killed before, waits for nothing */
    bool had_none = job->n > 1 && WIFSIGNALED(status);
    double wait = began(s, turn) ? backoff(s) : had_none ? 0 : busy_wait;
    l->waiting[turn->member].not_before = now() + wait;
    return SL_OK;
}

static int end_job(struct local *l, int k, int status)
{
    struct job job = l->job[k];
    const struct turn *first = &job.turn[0];
    l->used -= job.ranks;
    sl_devices_give(&l->devices, job.devices);
    l->job[k] = l->job[--l->jobs];
    if (now() - job.begin > l->longest) l->longest = now() - job.begin;
    SL_TRY(sl_campaign_state_refresh(&l->state, false));
    for (int i = 0; i < job.n; i++)
        SL_TRY(end_turn(l, &job, &job.turn[i], status));
    /* a task that finds the stage done ends well; one that cannot begin it does not, also where it
     * was done before */
    const struct sl_stage_state *s = stage_of(l, first->member, job.stage);
    if (s->attempts > first->attempts_before || (began(s, first) && sl_child_code(status) == SL_OK))
        l->unbegun = 0;
    else
        count_unbegun(l, &job, status);
    if (first->member < 0) wait_for_holder(l, &job, status);
    return SL_OK;
}

static int reap(struct local *l)
{
    for (int k = 0; k < l->jobs;) {
        int status = 0;
        pid_t got = waitpid(l->job[k].pid, &status, WNOHANG);
        if (got == 0 || (got < 0 && errno == EINTR))
            k++;
        else
            SL_TRY(end_job(l, k, status));
    }
    return SL_OK;
}

static void on_signal(struct local *l, int signal);

/* set: signals to listen to while it waits for the messenger; NULL: it only looks. */
static void hear_messenger(struct local *l, const sigset_t *set)
{
    const struct timespec wait = {.tv_nsec = (long)(tick * 1e9)};
    int status = 0;
    if (l->messenger <= 0) return;
    while (waitpid(l->messenger, &status, WNOHANG) == 0) {
        if (!set || l->stopping) return;
        on_signal(l, sigtimedwait(set, NULL, &wait));
        sl_claim_beat(&l->claim);
    }
    l->messenger = 0;
    l->mute |= status != 0;
}

/* A person is notified by a process of its own, for which nothing waits but the end (set: as of
 * hear_messenger). */
static void notify_person(struct local *l, enum sl_notify event, const sigset_t *set)
{
    hear_messenger(l, set);
    if (l->messenger > 0 || l->mute || !sl_notify_due(&l->state, &l->cfg, event)) return;
    fflush(NULL);
    l->messenger = fork();
    if (l->messenger == 0) {
        setpgid(0, 0);           /* not for the Ctrl-C of our terminal */
        l->state.on_fact = NULL; /* what it reads of the journal is not shown twice */
        int code = sl_notify(&l->state, &l->cfg, event);
        if (code != SL_OK) sl_log(SL_LOG_WARN, "notify.program: %s", sl_error_text());
        _exit(code == SL_OK ? 0 : 1);
    }
    if (l->messenger < 0)
        sl_log(SL_LOG_WARN, "notify.program: cannot start a process: %s", strerror(errno));
    l->mute |= l->messenger < 0;
    if (set) hear_messenger(l, set);
}

/* ---- what to start --------------------------------------------------------------------------- */

static bool under_way(const struct local *l, int member)
{
    for (int k = 0; k < l->jobs; k++)
        for (int i = 0; i < l->job[k].n; i++)
            if (l->job[k].turn[i].member == member) return true;
    return false;
}

static bool startable(const struct local *l, int member)
{
    enum sl_work_state kind = sl_campaign_state_member(&l->state, member);
    return (kind == SL_WORK_waiting || kind == SL_WORK_stopped || kind == SL_WORK_running) &&
           !under_way(l, member);
}

static bool fits(const struct local *l, int ranks)
{
    if (l->jobs >= JOBS_MAX) return false;
    return l->used + ranks <= l->cores || (l->options->oversubscribe && l->jobs == 0);
}

/* None where they cannot be read: the task will say why. */
static void find_requests(struct local *l, int member)
{
    struct waiting *w = &l->waiting[member];
    struct sl_config cfg;
    if (w->known || l->devices.n == 0) return;
    w->known = true;
    if (sl_campaign_config(l->campaign, member, &cfg) != SL_OK) return;
    for (int s = 0; s < SL_MEMBER_STAGES; s++)
        w->request[s] = sl_devices_request(&l->devices, &cfg, s);
}

/* ---- several members in one job -------------------------------------------------------------- */

/* Jobs of members like this one that may run side by side. */
static int lanes(const struct local *l, int ranks, const struct sl_device_request *request)
{
    int n = l->cores / ranks;
    if (request->n > 0 && l->devices.n / request->n < n) n = l->devices.n / request->n;
    return n > 1 ? n : 1;
}

/* Of `ready` members, those that one job takes: so few that the other lanes get some, too, and, by
 * choice of sluice, so many that losing their process costs little. */
static int pack_size(const struct local *l, int stage, int ready, int side)
{
    long long asked = (long long)l->cfg.resources_members_per_process;
    double took = l->took[stage];
    if (l->cfg.ensemble_target != SL_TARGET_none || sl_own_is((enum sl_stage)stage)) return 1;
    int most = (ready + side - 1) / side, n;
    if (asked > 0) {
        n = asked < PACK_MAX ? (int)asked : PACK_MAX;
    } else {
        n = took <= 0                         ? 1
            : took * PACK_AUTO < pack_seconds ? PACK_AUTO
                                              : (int)(pack_seconds / took);
        most = (ready + 2 * side - 1) / (2 * side); /* the rest evens out what takes longer */
    }
    return n < 1 ? 1 : n < most ? n : most;
}

/* Was the stage of the member never tried? What failed or stopped is tried alone. */
static bool is_fresh(struct local *l, int member, int stage)
{
    return sl_campaign_state_next(&l->state, member) == stage &&
           stage_of(l, member, stage)->attempts == 0 && now() >= l->waiting[member].not_before;
}

/* Members after the first one, of its kind, that may be in one job with it; member receives those
 * of the job. */
static int gather(struct local *l, int first, int stage, int member[PACK_MAX])
{
    const struct sl_device_request request = l->waiting[first].request[stage];
    int ranks = l->campaign->member[first].ranks[stage], ready = 1, n = 1;
    member[0] = first;
    if (!is_fresh(l, first, stage)) return 1;
    for (int i = first + 1; i < l->state.n; i++) {
        if (l->state.member[i].started != l->state.member[first].started || !startable(l, i) ||
            !is_fresh(l, i, stage) || l->campaign->member[i].ranks[stage] != ranks)
            continue;
        find_requests(l, i);
        const struct sl_device_request *own = &l->waiting[i].request[stage];
        if (own->n != request.n || own->alone != request.alone) continue;
        if (n < PACK_MAX) member[n++] = i;
        ready++;
    }
    int most = pack_size(l, stage, ready, lanes(l, ranks, &request));
    return n < most ? n : most;
}

/* Starts the next stage unless the devices that it wants are in use, or an earlier member waits for
 * some: *wait. */
static int start_member(struct local *l, int member, bool *wait)
{
    int stage = sl_campaign_state_next(&l->state, member), pack[PACK_MAX];
    find_requests(l, member);
    struct sl_device_request request = l->waiting[member].request[stage];
    uint64_t devices = *wait ? 0 : sl_devices_take(&l->devices, request);
    if (request.n > 0 && !devices) *wait = true;
    if (request.n > 0 && !devices) return SL_OK;
    int n = gather(l, member, stage, pack);
    return start_job(l, pack, n, stage, devices);
}

/* Members already begun go first, so that whole members get finished, and no other begins while one
 * of them waits for a device or it is asked whether there are enough; *pending counts what is not
 * finished and not at work. */
static int start_members(struct local *l, int *pending)
{
    bool wait = false;
    *pending = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < l->state.n; i++) {
            if (l->state.member[i].started != (pass == 0) || !startable(l, i)) continue;
            ++*pending;
            if (l->stopping || now() < l->waiting[i].not_before ||
                (pass == 1 && (wait || sl_target_asks(&l->target))))
                continue;
            if (!fits(l, l->campaign->member[i].ranks[sl_campaign_state_next(&l->state, i)])) {
                wait |= pass == 0; /* for the cores that it needs */
                continue;
            }
            SL_TRY(start_member(l, i, &wait));
        }
    return SL_OK;
}

/* May a stage of the campaign be tried (again)? */
static bool may_try(struct local *l, int stage)
{
    const struct sl_stage_state *s = stage_of(l, -1, stage);
    bool refused = l->tries[stage] > 0 && s->state == SL_WORK_failed;
    return !refused && l->tries[stage] <= l->cfg.resources_retries &&
           !(stage == SL_STAGE_report && l->tries[stage] > 0 && s->state == SL_WORK_done);
}

static bool ensemble_wanted(const struct local *l)
{
    return sl_campaign_state_measured(&l->state) >= sl_ensemble_need(&l->cfg, l->state.n) &&
           sl_ensemble_possible(l->campaign) && !sl_ensemble_current(l->campaign);
}

static bool summary_wanted(const struct local *l)
{
    return sl_campaign_has(l->campaign, SL_STAGE_summary) && !sl_own_current(l->campaign);
}

/* Stages of the campaign, once no member is left; no summary without the ensemble that it may read.
 * *pending: one began, or waits. */
static int start_whole(struct local *l, bool *pending)
{
    *pending = !l->stopping && now() < l->whole_not_before;
    if (*pending || l->stopping || sl_campaign_state_measured(&l->state) == 0) return SL_OK;
    bool ensemble = ensemble_wanted(l), summary = summary_wanted(l);
    int stage = ensemble ? SL_STAGE_ensemble : summary ? SL_STAGE_summary : SL_STAGE_report;
    if (!may_try(l, stage)) stage = SL_STAGE_report;
    l->failed_whole = (ensemble || summary) && stage == SL_STAGE_report;
    if (!may_try(l, stage)) {
        if (stage_of(l, -1, stage)->state != SL_WORK_done) l->failed_whole = true;
        return SL_OK;
    }
    l->tries[stage]++;
    *pending = true;
    return start_job(l, &(const int){-1}, 1, stage, 0);
}

/* ---- stopping -------------------------------------------------------------------------------- */

static void on_signal(struct local *l, int signal)
{
    if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) return;
    l->by_signal = true;
    if (l->stopping++ == 0)
        sl_log(SL_LOG_NOTE, "stopping: %d attempts write their checkpoints (again to kill them)",
               l->jobs);
    /* the task hands the first on as a request for a checkpoint and kills at the second */
    stop_jobs(l, l->stopping > 2 ? SIGKILL : SIGTERM);
}

/* Is a member cancelled whose turn is under way, or to come? The others of the job go on in
 * another. */
static bool has_cancelled(struct local *l, const struct job *job)
{
    for (int i = 0; i < job->n; i++) {
        int member = job->turn[i].member;
        if (member >= 0 && l->state.member[member].cancelled &&
            !over(stage_of(l, member, (int)job->stage), &job->turn[i]))
            return true;
    }
    return false;
}

static void obey_journal(struct local *l)
{
    if (!l->stopping && l->state.stop == l->claim.n) {
        l->stopping = 1;
        sl_log(SL_LOG_NOTE, "stopping: `sluice cancel` was called");
        stop_jobs(l, SIGTERM);
    }
    for (int k = 0; k < l->jobs; k++) {
        struct job *job = &l->job[k];
        if (job->asked_to_stop || !has_cancelled(l, job)) continue;
        job->asked_to_stop = true;
        kill(job->pid, SIGTERM);
    }
}

/* ---- what a person sees ---------------------------------------------------------------------- */

static void fact_sentence(const struct sl_fact *f, char *text, size_t size)
{
    char took[32];
    sl_table_time(f->seconds, took);
    if (f->what == SL_FACT_start)
        snprintf(text, size, "attempt %d begins", f->n);
    else if (f->what == SL_FACT_end)
        snprintf(text, size, "%s after %s%s%s", f->result, took, *f->text ? ": " : "", f->text);
    else if (f->what == SL_FACT_target) /* a warning says its text, once */
        snprintf(text, size, "%s", sl_fact_name(f->what));
    else
        snprintf(text, size, "%s%s%s", sl_fact_name(f->what), *f->text ? ": " : "", f->text);
}

/* In a pipe: one line per change. */
static void print_fact(const struct sl_fact *f, void *user)
{
    struct local *l = user;
    char text[700], when[32];
    if (l->look.live) return;
    sl_table_time(fmax(0, f->t - l->begin), when); /* the clock may have been set */
    fact_sentence(f, text, sizeof text);
    printf("%s %s%s%s %s\n", when, *f->member ? f->member : l->campaign->name, *f->stage ? " " : "",
           f->stage, text);
    fflush(stdout);
}

static void show(struct local *l, bool last)
{
    char *text = NULL;
    size_t size;
    if (!l->look.live && !last) sl_table_log(stdout, &l->state, l->options->progress, &l->logged);
    if (!l->look.live || (!last && now() - l->drawn < redraw_every)) return;
    l->drawn = now();
    FILE *f = open_memstream(&text, &size);
    if (!f) return;
    sl_table_print(f, &l->look, &l->state, l->cores, NULL, l->look.height - 10);
    if (fclose(f) == 0) sl_table_redraw(stdout, &l->look, text, &l->lines);
    free(text);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static int grow(struct local *l)
{
    char dir[SL_PATH_MAX];
    int before = l->campaign->n;
    snprintf(dir, sizeof dir, "%s", l->campaign->dir);
    struct sl_campaign again;
    SL_TRY(sl_campaign_open(dir, &again));
    sl_campaign_state_release(&l->state);
    sl_campaign_release(l->campaign);
    *l->campaign = again;
    struct waiting *more = realloc(l->waiting, ((size_t)again.n + 1) * sizeof *more);
    SL_CHECK(more, SL_EMEM, "no memory for %d members", again.n);
    l->waiting = more;
    for (int i = before; i <= again.n; i++)
        more[i] = (struct waiting){0};
    return sl_campaign_state_open(l->campaign, &l->state);
}

/* The turns before the one that is under way are over. */
static void next_turn(struct local *l, struct job *job)
{
    while (job->at + 1 < job->n &&
           over(stage_of(l, job->turn[job->at].member, (int)job->stage), &job->turn[job->at])) {
        job->at++;
        job->begin = now();
        plan_failure(l, job);
    }
}

/* What has not begun is let begin: hit before, it would come back with the same moment, and be hit
 * again on a machine that is slow enough, without an end. */
static int inject(struct local *l)
{
    for (int k = 0; k < l->jobs; k++) {
        struct job *job = &l->job[k];
        next_turn(l, job);
        const struct turn *turn = &job->turn[job->at];
        if (job->kill_at > 0 && now() > job->kill_at &&
            began(stage_of(l, turn->member, (int)job->stage), turn))
            SL_TRY(inject_failure(l, job));
    }
    return SL_OK;
}

static int iterate(struct local *l, bool *over)
{
    int pending = 0;
    bool whole = false;
    SL_TRY(reap(l));
    SL_TRY(sl_campaign_state_refresh(&l->state, false));
    if (l->state.grown) SL_TRY(grow(l));
    l->state.on_fact = print_fact;
    l->state.on_fact_user = l;
    obey_journal(l);
    SL_TRY(sl_target_look(&l->cfg, NULL, false, &l->state, &l->target));
    SL_TRY(start_members(l, &pending));
    notify_person(l, SL_NOTIFY_failed, NULL);
    SL_TRY(inject(l));
    bool asking = sl_target_asks(&l->target) && !l->stopping;
    if (l->jobs == 0 && pending == 0 && !asking) SL_TRY(start_whole(l, &whole));
    *over = l->jobs == 0 && !whole && !asking && (pending == 0 || l->stopping);
    show(l, *over);
    return SL_OK;
}

/* Gives a sign every ten seconds. Who gave none for long, on a host that was cut off, may have lost
 * the campaign to another. */
static int keep_claim(const struct local *l, double *beat)
{
    if (now() - *beat <= 10) return SL_OK;
    SL_CHECK(!sl_claim_lost(&l->claim), SL_EAGAIN,
             "another `sluice run` has taken over %s, since this one gave no sign for too long",
             l->campaign->name);
    sl_claim_beat(&l->claim);
    *beat = now();
    return SL_OK;
}

static int loop(struct local *l)
{
    static const int list[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
    const struct timespec wait = {.tv_nsec = (long)(tick * 1e9)};
    double beat = now();
    bool over = false;
    sigset_t set, old;
    sl_child_block(list, sizeof list / sizeof *list, &set, &old);
    int code = iterate(l, &over);
    while (code == SL_OK && !over) {
        on_signal(l, sigtimedwait(&set, NULL, &wait));
        code = keep_claim(l, &beat);
        if (code == SL_OK) code = iterate(l, &over);
    }
    if (code != SL_OK) stop_jobs(l, SIGTERM);
    sl_ensemble_drop(&l->target.question);
    if (code == SL_OK && !l->stopping) notify_person(l, SL_NOTIFY_failed, &set);
    if (code == SL_OK && !l->stopping) notify_person(l, SL_NOTIFY_end, &set);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return code;
}

/* ---- begin and end --------------------------------------------------------------------------- */

static int cores_of(const struct sl_order *order)
{
    return order->cores > 0 ? order->cores : sl_cores();
}

static int check_ranks(const char *member, int stage, long long ranks, const struct sl_order *order)
{
    int cores = cores_of(order);
    SL_CHECK(ranks <= cores || order->oversubscribe, SL_EUNAVAIL,
             "%s of member %s wants %lld ranks but there are %d cores: lower resources.ranks "
             "(resources.%s.ranks where it has its own), or --oversubscribe",
             sl_stage_name(stage), member, ranks, cores, sl_stage_name(stage));
    return SL_OK;
}

static int check_cores(struct local *l)
{
    l->cores = cores_of(l->options);
    for (int i = 0; i < l->campaign->n; i++) {
        const struct sl_member *m = &l->campaign->member[i];
        for (int s = 0; s < SL_MEMBER_STAGES; s++)
            if (sl_member_has(m, s)) SL_TRY(check_ranks(m->id, s, m->ranks[s], l->options));
    }
    return SL_OK;
}

/* Better one message now than one failure per member. */
static int check_programs(void)
{
    static const char *const programs[] = {"sluice-ic", "sluice-sim", "sluice-stats"};
    char path[SL_PATH_MAX];
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        SL_TRY(sl_place_program(programs[i], path, sizeof path));
    return sl_child_find("mpirun");
}

static int recipe_fits(struct sl_recipe *recipe, const struct sl_order *order)
{
    SL_TRY(check_programs());
    for (int64_t i = 0; i < sl_recipe_count(recipe); i++) {
        struct sl_config cfg;
        SL_TRY(sl_recipe_member(recipe, i, &cfg));
        for (int s = 0; s < SL_MEMBER_STAGES; s++) {
            struct sl_config own;
            if (!sl_stage_is_of(s, &cfg)) continue;
            sl_config_stage(&cfg, s, &own);
            SL_TRY(check_ranks(cfg.run_member, s, own.resources_ranks, order));
        }
    }
    return SL_OK;
}

static int take_claim(struct local *l)
{
    char slots[SL_PATH_MAX];
    SL_TRY(sl_disk_join(slots, "%s/slots", l->campaign->dir));
    int code = sl_claim_take(slots, "run", NULL, NULL, &l->claim);
    if (code != SL_EAGAIN) return code;
    char text[512];
    snprintf(text, sizeof text, "%s", sl_error_text());
    return SL_FAIL(SL_EAGAIN, "another `sluice run` works on %s: %.300s", l->campaign->name, text);
}

static int open_log(struct local *l)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_disk_own(l->campaign->dir, "logs"));
    SL_TRY(sl_disk_join(path, "%s/logs", l->campaign->dir));
    SL_TRY(sl_mkdir_all(path));
    SL_TRY(sl_disk_join(path, "%s/logs/run.%d.log", l->campaign->dir, l->claim.n));
    return sl_disk_log(path, &l->log);
}

static int journal_begin(const struct local *l)
{
    const struct sl_inject *in = &l->options->inject;
    struct sl_fact fact;
    sl_fact_init(&fact, SL_FACT_run, "", "");
    char gpus[32] = "";
    if (l->devices.n > 0)
        snprintf(gpus, sizeof gpus, ", %d GPU%s", l->devices.n, l->devices.n == 1 ? "" : "s");
    snprintf(fact.text, sizeof fact.text, "local, %d cores%s%s", l->cores, gpus,
             l->options->oversubscribe ? ", oversubscribed" : "");
    if (in->kill > 0 || in->walltime > 0)
        snprintf(fact.text, sizeof fact.text,
                 "local, %d cores, inject kill=%g,walltime=%g,seed=%llu", l->cores, in->kill,
                 in->walltime, (unsigned long long)in->seed);
    return sl_journal_add(l->campaign->dir, &fact);
}

static int begin(struct local *l)
{
    l->logged = sl_disk_now();
    l->begin = l->claim.begin;
    SL_TRY(open_log(l));
    l->waiting = calloc((size_t)l->campaign->n + 1, sizeof *l->waiting);
    SL_CHECK(l->waiting, SL_EMEM, "no memory for %d members", l->campaign->n);
    if (l->campaign->n > 0) SL_TRY(sl_campaign_config(l->campaign, -1, &l->cfg));
    sl_devices_find(&l->devices);
    SL_TRY(journal_begin(l));
    SL_TRY(sl_campaign_state_open(l->campaign, &l->state));
    SL_TRY(reconcile(l));
    l->target.token = l->claim.token;
    l->target.seen = sl_campaign_state_measured(&l->state);
    l->state.on_fact = print_fact;
    l->state.on_fact_user = l;
    return SL_OK;
}

static int verdict(const struct local *l)
{
    const int *count = l->state.count;
    char text[300];
    sl_table_summary(&l->state, text, sizeof text);
    if (l->by_signal) return SL_FAIL(SL_EINTR, "interrupted; `sluice run` goes on: %s", text);
    if (*l->obstacle) return SL_FAIL(SL_EIO, "%s", l->obstacle);
    if (l->stopping) return SL_FAIL(SL_EAGAIN, "stopped; `sluice run` goes on: %s", text);
    int bad = count[SL_WORK_failed] + count[SL_WORK_stalled] + count[SL_WORK_diverged];
    SL_CHECK(bad == 0, SL_EMEMBER, "%s; `sluice why` says why", text);
    struct sl_whole whole;
    enum sl_stage stage;
    SL_CHECK(!sl_whole_failed(&l->state, &whole, &stage), SL_EMEMBER,
             "the %s %s: %s; `sluice why` says more", sl_stage_name((int)stage),
             sl_campaign_state_name(whole.state), whole.why);
    SL_CHECK(!l->failed_whole, SL_EMEMBER,
             "a stage of the whole campaign failed: see logs/ of the campaign");
    return SL_OK;
}

static void finish(struct local *l, int code)
{
    struct sl_fact fact;
    sl_fact_init(&fact, SL_FACT_idle, "", "");
    fact.code = code;
    char text[1024];
    snprintf(text, sizeof text, "%s", sl_error_text()); /* what follows may record its own */
    if (!sl_claim_lost(&l->claim)) sl_journal_add(l->campaign->dir, &fact);
    sl_claim_end(&l->claim, NULL);
    sl_error_set(text);
    if (l->log >= 0) close(l->log);
    sl_campaign_state_release(&l->state);
    free(l->waiting);
}

/* Runs what is left of the campaign; reads its members again when it is extended meanwhile. */
static int run(struct sl_campaign *campaign, const struct sl_order *order, struct sl_tally *tally)
{
    (void)tally;
    struct local *l = calloc(1, sizeof *l);
    SL_CHECK(l, SL_EMEM, "no memory for the executor");
    l->campaign = campaign;
    l->options = order;
    l->log = -1;
    sl_look_of(stdout, &l->look);
    int code = check_cores(l);
    if (code == SL_OK) code = check_programs();
    if (code == SL_OK) code = take_claim(l);
    if (code == SL_OK) {
        code = begin(l);
        if (code == SL_OK) code = loop(l);
        if (code == SL_OK) code = verdict(l);
        finish(l, code);
    }
    free(l);
    return code;
}

/* ---- the row: nothing waits in a queue ------------------------------------------------------- */

static bool has(const struct sl_campaign *campaign)
{
    (void)campaign;
    return true;
}

static int queued(const struct sl_campaign *campaign, int *n)
{
    (void)campaign;
    *n = 0;
    return SL_OK;
}

static int look_at_run(const struct sl_campaign *campaign, struct sl_claim_look *look)
{
    char slots[SL_PATH_MAX];
    SL_TRY(sl_disk_join(slots, "%s/slots", campaign->dir));
    SL_TRY(sl_claim_look(slots, "run", look));
    json_decref(look->record);
    look->record = NULL;
    return SL_OK;
}

/* The request goes into the journal, which the run reads, wherever it is at work. */
static int control(const struct sl_campaign *campaign, enum sl_control what, const bool *picked,
                   long long throttle, int *n)
{
    struct sl_claim_look look;
    struct sl_fact fact;
    (void)throttle;
    *n = 0;
    if (what != SL_CONTROL_CANCEL || picked) return SL_OK;
    SL_TRY(look_at_run(campaign, &look));
    if (!look.held) return SL_OK;
    sl_fact_init(&fact, SL_FACT_stop, "", "");
    fact.n = look.n;
    return sl_journal_add(campaign->dir, &fact);
}

static int show_nothing(FILE *out, const struct sl_campaign *campaign, enum sl_queue_ask how)
{
    (void)out, (void)campaign, (void)how;
    return SL_OK;
}

static json_t *no_json(const struct sl_campaign *campaign, enum sl_queue_ask how)
{
    (void)campaign, (void)how;
    return NULL;
}

static int say_nothing(const struct sl_campaign *campaign, enum sl_queue_ask how, int member,
                       char *text, size_t size)
{
    (void)campaign, (void)how, (void)member;
    if (size) *text = '\0';
    return SL_OK;
}

static int none_adrift(const struct sl_campaign_state *st, enum sl_queue_ask how, int *n)
{
    (void)st, (void)how;
    *n = 0;
    return SL_OK;
}

const struct sl_executor sl_executor_local = {.name = "local",
                                              .verb = "run",
                                              .has = has,
                                              .fits = recipe_fits,
                                              .queued = queued,
                                              .go = run,
                                              .look = look_at_run,
                                              .control = control,
                                              .show = show_nothing,
                                              .json = no_json,
                                              .say = say_nothing,
                                              .adrift = none_adrift};
