/* job.c - see slurm/job.h. */
#include "pipeline/slurm/job.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/ensemble.h"
#include "pipeline/campaign/progress.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/target.h"
#include "pipeline/local/notify.h"
#include "pipeline/local/task.h"
#include "pipeline/slurm/call.h"
#include "pipeline/slurm/control.h"
#include "pipeline/slurm/memory.h"
#include "pipeline/slurm/node_list.h"
#include "pipeline/slurm/submit.h"

static const double turn_wait = 120, ask_limit = 60;
enum { ASK_AGAIN = 5 }; /* seconds, when Slurm did not answer */

static sigset_t stop_set(void)
{
    static const int list[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        sigaddset(&set, list[i]);
    return set;
}

struct self {
    char id[48]; /* "12_3", "12" for a job that is no array: what may be requeued */
    int slot, restarts;
    double begin;
    double fullest; /* ranks of the fullest node */
    double memory;  /* MiB of a rank, 0: none were asked for */
};

/* What an attempt leaves to be done. */
enum next { NEXT_NONE, NEXT_AGAIN, NEXT_MORE, NEXT_DROP }; /* MORE: again, with more memory */

struct job {
    const struct sl_campaign *campaign;
    struct self self;
    struct sl_site site;
    struct sl_book book;
    struct sl_campaign_state state;
    struct sl_config cfg;
    struct sl_launch launch;
    enum sl_stage stage;
    int g, member; /* member -1: of the campaign, or of several members */
    enum next next;
    struct sl_server *server; /* borrowed; NULL: each attempt starts its own program */
    bool waited;              /* for Slurm to answer */
};

/* ---- who we are ------------------------------------------------------------------------------ */

static long env_number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return otherwise;
    long value = strtol(text, &end, 10);
    return *end ? otherwise : value;
}

/* Before the variables of Slurm are cleared away. */
static void know_memory(struct self *self)
{
    double ranks = fmax(1, (double)env_number("SLURM_NTASKS", 1));
    double nodes = fmax(1, (double)env_number("SLURM_JOB_NUM_NODES", 1));
    self->fullest = ceil(ranks / nodes);
    double node = (double)env_number("SLURM_MEM_PER_NODE", 0);
    self->memory = (double)env_number("SLURM_MEM_PER_CPU", 0);
    if (node > 0) self->memory = node / self->fullest;
}

/* The claims of this process name the job (claim.h). */
static int know_self(struct self *self)
{
    char text[32];
    long array = env_number("SLURM_ARRAY_JOB_ID", -1), job = env_number("SLURM_JOB_ID", -1);
    const char *node = getenv("SLURM_JOB_NODELIST");
    SL_CHECK(job >= 0, SL_EUSAGE, "`sluice job` runs in jobs that `sluice submit` made");
    self->slot = (int)env_number("SLURM_ARRAY_TASK_ID", 0);
    self->restarts = (int)env_number("SLURM_RESTART_COUNT", 0);
    self->begin = sl_disk_now();
    know_memory(self);
    if (array >= 0)
        snprintf(self->id, sizeof self->id, "%ld_%d", array, self->slot);
    else
        snprintf(self->id, sizeof self->id, "%ld", job);
    snprintf(text, sizeof text, "%d", self->restarts);
    unsetenv("SLUICE_TASK"); /* of the shell that called `sluice submit` */
    SL_CHECK(setenv("SLUICE_JOB", self->id, 1) == 0 && setenv("SLUICE_RESTART", text, 1) == 0 &&
                 setenv("SLUICE_NODE", node ? node : "", 1) == 0,
             SL_EMEM, "no memory");
    return SL_OK;
}

static void banner(const struct job *j)
{
    char when[40];
    time_t now = time(NULL);
    struct tm tm;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    const char *node = getenv("SLUICE_NODE");
    printf("# %s job %s restart %d on %s: %s %s\n", when, j->self.id, j->self.restarts,
           node && *node ? node : "?", sl_stage_name((int)j->stage),
           j->member >= 0 ? j->campaign->member[j->member].id : "");
    fflush(stdout);
}

/* ---- before the attempt ---------------------------------------------------------------------- */

static int take_config(struct job *j, int member)
{
    SL_TRY(sl_campaign_config(j->campaign, member, &j->cfg));
    sl_config_stage(&j->cfg, (int)j->stage, &j->cfg);
    return SL_OK;
}

/* The slot's member, when it holds one alone. */
static int find_member(struct job *j)
{
    j->member = -1;
    SL_CHECK(j->g >= 0 && j->g < j->book.n, SL_EUSAGE, "no generation %d", j->g + 1);
    if ((int)j->stage >= SL_MEMBER_STAGES) return take_config(j, -1);
    const struct sl_generation *gen = &j->book.generation[j->g];
    SL_CHECK(j->self.slot >= 0 && j->self.slot < sl_book_slots(gen), SL_EUSAGE,
             "generation %d has no slot %d", j->g + 1, j->self.slot);
    int first = j->self.slot * gen->pack;
    if (gen->pack == 1) j->member = gen->member[first];
    return take_config(j, gen->member[first]);
}

/* One node: mpirun must not start its daemons through Slurm; more nodes: it must. Variables by
 * which a person gives srun options never reach it. */
static void choose_launch(struct job *j)
{
    int nodes = (int)env_number("SLURM_JOB_NUM_NODES", 1);
    j->launch = (struct sl_launch){.by = (enum sl_launcher)sl_launcher_find(j->site.launch),
                                   .bind = (enum sl_bind)sl_bind_find(j->site.gpu_bind),
                                   .mpi = j->site.mpi,
                                   .nodes = nodes,
                                   .gpus = (int)j->cfg.resources_gpus};
    if (!sl_stage_takes_devices((int)j->stage, &j->cfg)) j->launch.gpus = 0;
    if (j->launch.by == SL_LAUNCHER_mpirun && nodes <= 1) sl_slurm_scrub();
}

/* Nodes of the list that failed since, as far as Slurm tells. */
static void failed_nodes(const char *list, double since, char *names, size_t size)
{
    struct sl_args args = {.n = 0};
    struct sl_answer a;
    *names = '\0';
    sl_args_add(&args, "scontrol");
    sl_args_add(&args, "--oneliner");
    sl_args_add(&args, "show");
    sl_args_add(&args, "node");
    sl_args_add(&args, "%s", list);
    if (sl_slurm_call(&args, ask_limit, &a) == SL_OK && a.out.s)
        sl_node_list_failed(a.out.s, since, names, size);
    sl_args_release(&args);
    sl_answer_release(&a);
}

/* What is left out now is left out by what waits in the queue as well. */
static void exclude_in_queue(const struct job *j, const char *before)
{
    char now[1024];
    sl_nodes_exclude(&j->state.bad_nodes, &j->site, sl_disk_now(), now, sizeof now);
    if (strcmp(now, before) == 0) return;
    printf("nodes left out from now on: %s\n", now);
    if (sl_slurm_exclude(j->campaign, now) != SL_OK)
        printf("what waits in the queue does not know it: %s\n", sl_error_text());
}

/* Was the job of the attempt before this one ended for want of memory, and all of it with it? */
static bool was_short(const struct job *j, const char *job, double *asked)
{
    struct sl_args args = {.n = 0};
    struct sl_answer a;
    if (!job || !*job || strcmp(job, j->self.id) == 0) return false;
    double had = j->self.memory * 0x1p20;
    sl_args_add(&args, "scontrol");
    sl_args_add(&args, "--oneliner");
    sl_args_add(&args, "show");
    sl_args_add(&args, "job");
    sl_args_add(&args, "%s", job);
    bool is = sl_slurm_call(&args, ask_limit, &a) == SL_OK && a.out.s &&
              sl_slurm_ended_short(a.out.s, j->self.fullest, &had);
    if (is) *asked = had;
    sl_args_release(&args);
    sl_answer_release(&a);
    return is;
}

/* The attempt before this one left no end: its node failed, or Slurm took the job away. */
static int journal_taken(struct job *j)
{
    const struct sl_stage_state *s = &j->state.member[j->member].stage[j->stage];
    char home[SL_PATH_MAX], attempts[SL_PATH_MAX], before[1024];
    struct sl_claim_look look;
    struct sl_progress p;
    struct sl_fact fact;
    if (s->state != SL_WORK_running) return SL_OK;
    SL_TRY(sl_campaign_home(home, j->campaign, j->member));
    SL_TRY(sl_disk_join(attempts, "%s/attempts", home));
    SL_TRY(sl_claim_look(attempts, sl_stage_name((int)j->stage), &look));
    const char *node = json_string_value(json_object_get(look.record, "node"));
    sl_fact_init(&fact, SL_FACT_end, j->campaign->member[j->member].id,
                 sl_stage_name((int)j->stage));
    fact.n = s->attempts;
    fact.seconds = sl_task_lived(home, j->stage, &look);
    if (node && *node) failed_nodes(node, s->begin, fact.node, sizeof fact.node);
    snprintf(fact.result, sizeof fact.result, "%s", sl_result_name(SL_RESULT_taken));
    snprintf(fact.text, sizeof fact.text,
             *fact.node ? "node %.60s failed" : "taken from %.60s by Slurm",
             *fact.node      ? fact.node
             : node && *node ? node
                             : "its node");
    if (!*fact.node && !look.held &&
        was_short(j, json_string_value(json_object_get(look.record, "job")), &fact.asked)) {
        snprintf(fact.result, sizeof fact.result, "%s", sl_result_name(SL_RESULT_memory));
        snprintf(fact.text, sizeof fact.text, "Slurm ended its job because memory was short");
        fact.code = SL_EMEM;
    }
    json_decref(look.record);
    if (look.held) return SL_OK;
    if (j->stage == SL_STAGE_sim && sl_progress_read(home, &p) == SL_OK)
        fact.step = p.checkpoint_step;
    SL_TRY(sl_journal_add(j->campaign->dir, &fact));
    sl_nodes_exclude(&j->state.bad_nodes, &j->site, sl_disk_now(), before, sizeof before);
    SL_TRY(sl_campaign_state_refresh(&j->state, false));
    exclude_in_queue(j, before);
    return SL_OK;
}

static int guard(const struct job *j)
{
    int before = (int)j->stage - 1;
    char home[SL_PATH_MAX];
    if (before < 0 || (int)j->stage >= SL_MEMBER_STAGES) return SL_OK;
    if (!sl_member_has(&j->campaign->member[j->member], before)) return SL_OK;
    SL_TRY(sl_campaign_home(home, j->campaign, j->member));
    SL_CHECK(sl_record_exists(home, (enum sl_stage)before), SL_EGUARD,
             "%s of member %s is not done: nothing to work on", sl_stage_name(before),
             j->campaign->member[j->member].id);
    return SL_OK;
}

/* ---- after it -------------------------------------------------------------------------------- */

/* The moment of its wall-time limit. */
static double end_of(const struct job *j)
{
    return j->self.begin + j->cfg.resources_walltime;
}

static bool at_limit(const struct job *j)
{
    return sl_task_near(end_of(j), j->cfg.resources_walltime);
}

/* Did the last request fail because Slurm is not there? Then this waits a while, and the request is
 * to be repeated: when this task ends unheard, nothing ever goes on with what comes after it. A
 * person who takes the job away ends the waiting; at the wall-time limit Slurm, which is back then,
 * leaves some seconds for the request. */
static bool unheard(struct job *j, int code)
{
    const struct timespec nap = {.tv_sec = ASK_AGAIN};
    const sigset_t set = stop_set();
    if (code == SL_OK || !sl_slurm_unsure(sl_error_text())) return false;
    if (!j->waited) printf("waiting for Slurm: %s\n", sl_error_text());
    fflush(stdout);
    j->waited = true;
    int signal = sigtimedwait(&set, NULL, &nap);
    return signal <= 0 || signal == SIGUSR1 || at_limit(j);
}

/* Stages that wait for this one would wait for ever. */
static void drop_followers(struct job *j)
{
    int code;
    do
        code = sl_slurm_drop(&j->book, j->g, j->self.slot, j->stage + 1);
    while (unheard(j, code));
    if (code != SL_OK) printf("what waits for this task stays in the queue: %s\n", sl_error_text());
}

static int succeed(const struct job *j, const bool *members)
{
    const struct sl_slurm_slot self = {.g = j->g, .slot = j->self.slot, .stage = j->stage};
    struct sl_slurm_want want = {.these = members, .leaves = &self, .patience = 600};
    struct sl_tally tally;
    SL_TRY(sl_slurm_submit(j->campaign, &want, &tally));
    printf("a successor was submitted\n");
    return SL_OK;
}

static int requeue(struct job *j)
{
    char *ids[] = {j->self.id};
    return sl_slurm_ids("scontrol", "requeue", ids, 1);
}

/* Has a person stopped the campaign? Then nothing comes after this task. */
static bool halted(struct job *j)
{
    if (sl_campaign_state_refresh(&j->state, false) != SL_OK || !j->state.halted) return false;
    puts("not again: `sluice cancel` was called");
    return true;
}

/* Has Slurm been asked to start this job again? *code tells how that went. Slurm ends the job at
 * once when it grants this. False: the site has it otherwise, or Slurm refused. */
static bool requeued(struct job *j, int *code)
{
    fflush(stdout);
    if (!j->site.requeue) return false;
    do
        *code = halted(j) ? SL_OK : requeue(j);
    while (unheard(j, *code));
    if (*code == SL_OK || sl_slurm_unsure(sl_error_text())) return true;
    printf("not requeued: %s\n", sl_error_text());
    return false;
}

/* The last act of a job of members. more: what the job has does not suffice, so that it cannot
 * start again as it is. */
static int go_on(struct job *j, const bool *members, bool more)
{
    int code = SL_OK;
    if (!more && requeued(j, &code)) return code;
    do
        code = halted(j) ? SL_OK : succeed(j, members);
    while (unheard(j, code));
    return code;
}

/* Takes out of the queue what waits for members that are not needed any more. */
static int drop_surplus(struct job *j)
{
    int n = 0, dropped = 0;
    bool *picked = calloc((size_t)j->state.n + 1, sizeof *picked);
    SL_CHECK(picked, SL_EMEM, "no memory for %d members", j->state.n);
    for (int i = 0; i < j->state.n; i++) {
        picked[i] = sl_campaign_state_member(&j->state, i) == SL_WORK_surplus;
        n += picked[i];
    }
    int code = SL_OK;
    if (n) code = sl_slurm_control(j->campaign, SL_CONTROL_CANCEL, picked, 0, &dropped);
    printf("ensemble.target is reached: %d members are not needed, %d tasks left the queue\n", n,
           dropped);
    free(picked);
    return code;
}

/* One job at a time asks, and asks again while others end; what ends meanwhile waits its turn. */
static int look_at_target(struct job *j)
{
    const struct timespec nap = {.tv_nsec = 500 * 1000 * 1000};
    struct sl_claim claim;
    char slots[SL_PATH_MAX];
    struct sl_target_watch target = {.token = claim.token};
    int code;
    if (j->cfg.ensemble_target == SL_TARGET_none || j->state.target_reached) return SL_OK;
    SL_TRY(sl_disk_join(slots, "%s/slots", j->campaign->dir));
    double end = sl_disk_now() + turn_wait;
    while ((code = sl_claim_take(slots, "target", NULL, NULL, &claim)) == SL_EAGAIN &&
           sl_disk_now() < end)
        nanosleep(&nap, NULL);
    SL_TRY(code);
    code = sl_campaign_state_refresh(&j->state, false);
    bool before = j->state.target_reached;
    if (j->state.target_seen) target.seen = j->state.target_members;
    if (code == SL_OK) code = sl_target_look(&j->cfg, &j->launch, true, &j->state, &target);
    int ended = sl_claim_end(&claim, NULL);
    if (code == SL_OK && j->state.target_reached && !before) code = drop_surplus(j);
    return code == SL_OK ? ended : code;
}

static void notify_person(struct job *j, enum sl_notify event)
{
    if (sl_notify(&j->state, &j->cfg, event) != SL_OK)
        printf("notify.program: %s\n", sl_error_text());
}

/* Whether the member may have another attempt: its failures are counted by the state. */
static int decide(struct job *j, enum sl_result result)
{
    SL_TRY(sl_campaign_state_refresh(&j->state, false));
    enum sl_work_state kind = sl_campaign_state_member(&j->state, j->member);
    /* asked to stop by Slurm: it requeues what it preempts, and what a person cancelled stays
     * out */
    if (result == SL_RESULT_paused && (!at_limit(j) || j->state.halted)) return SL_OK;
    if (kind == SL_WORK_stopped) {
        j->next = result == SL_RESULT_memory ? NEXT_MORE : NEXT_AGAIN;
        return SL_OK;
    }
    printf("member %s is %s\n", j->campaign->member[j->member].id, sl_campaign_state_name(kind));
    notify_person(j, SL_NOTIFY_failed);
    if (result != SL_RESULT_done) j->next = NEXT_DROP;
    bool measured = j->stage == SL_STAGE_stats && result == SL_RESULT_done;
    if (measured && look_at_target(j) != SL_OK) printf("ensemble.target: %s\n", sl_error_text());
    return SL_OK;
}

/* Bytes of a rank that the job was given; 0: none were asked for, or they are all that a node of
 * the site has. */
static double given_memory(const struct job *j)
{
    struct sl_config own;
    sl_config_stage(&j->cfg, (int)j->stage, &own);
    double most = (double)sl_slurm_rank_limit(&j->site, &own);
    return most > 0 && j->self.memory >= most ? 0 : j->self.memory * 0x1p20;
}

/* Another attempt at the same stage may be at work: Slurm started again what it first refused to,
 * and a successor was submitted. Waits for its end, since what follows this job in the queue waits
 * for this job. A signal ends the waiting. */
static int take_turn(struct job *j, const struct sl_task *task, enum sl_result *result)
{
    const struct timespec nap = {.tv_sec = 2};
    const sigset_t set = stop_set();
    int code;
    while ((code = sl_task_run(task, result)) == SL_EAGAIN)
        if (sl_disk_now() > end_of(j) - nap.tv_sec || sigtimedwait(&set, NULL, &nap) > 0) break;
    if (code == SL_EAGAIN) j->next = NEXT_AGAIN;
    return code;
}

static int attempt(struct job *j, enum sl_stage stage)
{
    double nodes = j->launch.nodes > 1 ? j->launch.nodes : 1;
    const struct sl_task task = {
        .campaign = j->campaign,
        .stage = stage,
        .member = j->member,
        .mtbf =
            j->member < 0 ? 0 : sl_campaign_state_mtbf(&j->state, j->cfg.resources_mtbf / nodes),
        .walltime = j->cfg.resources_walltime,
        .end = end_of(j),
        .memory = j->member < 0 ? 0 : given_memory(j),
        .more = j->member >= 0 && j->state.member[j->member].stage[stage].shortages > 0,
        .launch = &j->launch,
        .server = j->server};
    enum sl_result result;
    SL_TRY(take_turn(j, &task, &result));
    printf("%s\n", sl_result_name((int)result));
    if (j->member >= 0) SL_TRY(decide(j, result));
    int code = sl_task_status(result);
    return code == SL_OK ? SL_OK : SL_FAIL(code, "%s", sl_result_name((int)result));
}

/* A job that was submitted before its node was found to fail goes elsewhere, as a successor. */
static bool leaves_bad_node(const struct job *j, const bool *members)
{
    char out[1024];
    const char *here = getenv("SLUICE_NODE");
    if (sl_nodes_exclude(&j->state.bad_nodes, &j->site, sl_disk_now(), out, sizeof out) == 0 ||
        !here || !sl_node_list_meet(here, out))
        return false;
    printf("among its nodes (%s) is one that is left out (%s)\n", here, out);
    if (succeed(j, members) == SL_OK) return true;
    printf("no successor, so it runs here: %s\n", sl_error_text());
    return false;
}

/* Is there something to do for the member? Tells why not. */
static bool has_work(const struct job *j)
{
    enum sl_work_state kind = sl_campaign_state_member(&j->state, j->member);
    if (j->state.member[j->member].stage[j->stage].state == SL_WORK_done) return false;
    if (kind != SL_WORK_cancelled && kind != SL_WORK_surplus) return true;
    printf("member %s is %s\n", j->campaign->member[j->member].id, sl_campaign_state_name(kind));
    return false;
}

/* The attempt of one member; what is to be done about the job after it is in j->next. */
static int run_member(struct job *j)
{
    if (!has_work(j)) return SL_OK;
    SL_TRY(guard(j));
    return attempt(j, j->stage);
}

/* ---- several members in one task ------------------------------------------------------------- */

/* How the process of a member tells its end. */
enum { END_DONE = 0, END_BAD = 1, END_MORE = 2, END_AGAIN = SL_EAGAIN, END_PAUSED = SL_EMPI };

/* Its share of the GPUs that the task has; srun gives it out itself. */
static int take_devices(const struct job *j, int part, int parts)
{
    char own[1024];
    const char *all = getenv("CUDA_VISIBLE_DEVICES");
    if (j->launch.gpus == 0 || j->launch.by == SL_LAUNCHER_srun || !all || !*all) return SL_OK;
    sl_launch_devices(all, part, parts, own, sizeof own);
    SL_CHECK(setenv("CUDA_VISIBLE_DEVICES", own, 1) == 0, SL_EMEM, "no memory");
    return SL_OK;
}

/* What the processes of a task tell one another: in memory that they share. */
struct word {
    int end;      /* how a member ended; -1: it had no turn */
    bool at_work; /* the member */
};

struct pack {
    pid_t *pid;        /* owned; of each lane, 0: has ended */
    struct word *word; /* owned, shared: of each member of the slot */
    int *stop;         /* likewise: the signal after which no member begins; 0: none yet */
    size_t shared;     /* bytes of both */
    bool *again;       /* owned: per member of the campaign */
    bool more;         /* one of them asks for more memory */
    int first, n, lanes, left, end[3]; /* how many ended as done, bad, paused */
};

/* Has the member failed for good? Its task may start again for the sake of others. */
static bool has_failed(const struct job *j, int member)
{
    enum sl_work_state kind = sl_campaign_state_member(&j->state, member);
    if (kind != SL_WORK_failed && kind != SL_WORK_stalled && kind != SL_WORK_diverged) return false;
    printf("member %s is %s\n", j->campaign->member[member].id, sl_campaign_state_name(kind));
    return true;
}

static int be_member(struct job *j, int member)
{
    j->member = member;
    j->next = NEXT_NONE;
    if (has_failed(j, member)) return END_BAD;
    int code = take_config(j, member);
    if (code == SL_OK) code = run_member(j);
    if (code != SL_OK) printf("member %s: %s\n", j->campaign->member[member].id, sl_error_text());
    fflush(stdout);
    /* a stop that a person asked for is an end, one by Slurm is none */
    bool cancelled = j->state.member[member].cancelled;
    return j->next == NEXT_AGAIN             ? END_AGAIN
           : j->next == NEXT_MORE            ? END_MORE
           : code == SL_OK                   ? END_DONE
           : code == SL_EAGAIN && !cancelled ? END_PAUSED
                                             : END_BAD;
}

/* May another member begin? Not where it would hardly get as far as one before it did. A signal
 * that came for the member before this one, which a person took out, has no meaning for it. */
static bool may_begin(struct job *j, const struct pack *p, double longest)
{
    const struct timespec none = {.tv_sec = 0};
    if (*p->stop || at_limit(j) || sl_disk_now() + 2 * longest > end_of(j)) return false;
    const sigset_t set = stop_set();
    while (sigtimedwait(&set, NULL, &none) > 0)
        continue;
    return !*p->stop && sl_campaign_state_refresh(&j->state, false) == SL_OK;
}

/* The members of a lane, one after another; what had no turn goes on in the next job. */
static void be_lane(struct job *j, struct pack *p, int lane)
{
    const struct sl_generation *gen = &j->book.generation[j->g];
    struct sl_server server;
    double longest = 0;
    char token[SL_TOKEN_MAX];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    j->launch.shared = p->lanes > 1;
    sl_server_init(&server);
    snprintf(token, sizeof token, "%.30s-%d-%ld", j->self.id, j->self.restarts, (long)getpid());
    if (gen->turns > 1 && setenv("SLUICE_TASK", token, 1) == 0) j->server = &server;
    int code = take_devices(j, lane, sl_book_lanes(gen));
    for (int i = lane; i < p->n && code == SL_OK; i += p->lanes) {
        double begin = sl_disk_now();
        if (i > lane && !may_begin(j, p, longest)) break;
        p->word[i].at_work = true;
        p->word[i].end = be_member(j, gen->member[p->first + i]);
        p->word[i].at_work = false;
        longest = fmax(longest, sl_disk_now() - begin);
    }
    sl_task_end(&server);
    _exit(code == SL_OK ? 0 : 1);
}

/* Members of a lane without an end: one was lost with its process, the others had no turn and go
 * on, as those that Slurm asked to end do by Slurm's will. Where none began, none would again. */
static int end_without_word(const struct pack *p, int i, bool died)
{
    bool begun = false;
    for (int k = i % p->lanes; k < p->n; k += p->lanes)
        begun |= p->word[k].at_work || p->word[k].end >= 0;
    if (p->word[i].at_work || (died && !begun)) return END_BAD;
    return *p->stop && *p->stop != SIGUSR1 ? END_PAUSED : END_AGAIN;
}

static void count_ends(struct job *j, struct pack *p, int lane, bool died)
{
    const struct sl_generation *gen = &j->book.generation[j->g];
    for (int i = lane; i < p->n; i += p->lanes) {
        int end = p->word[i].end;
        if (end < 0) end = end_without_word(p, i, died);
        bool again = end == END_AGAIN || end == END_MORE;
        p->more |= end == END_MORE;
        p->again[gen->member[p->first + i]] = again;
        p->end[end == END_DONE ? 0 : end == END_PAUSED ? 2 : 1] += !again;
    }
}

static void reap(struct job *j, struct pack *p)
{
    for (int lane = 0; lane < p->lanes; lane++) {
        int status;
        if (p->pid[lane] <= 0 || waitpid(p->pid[lane], &status, WNOHANG) != p->pid[lane]) continue;
        p->pid[lane] = 0;
        p->left--;
        count_ends(j, p, lane, status != 0);
    }
}

/* Members that a person took out stop alone: their task in the queue is that of others too. */
static void stop_cancelled(struct job *j, const struct pack *p)
{
    const struct sl_generation *gen = &j->book.generation[j->g];
    if (sl_campaign_state_refresh(&j->state, false) != SL_OK) return;
    for (int i = 0; i < p->n; i++)
        if (p->pid[i % p->lanes] > 0 && p->word[i].at_work &&
            j->state.member[gen->member[p->first + i]].cancelled)
            kill(p->pid[i % p->lanes], SIGTERM);
}

/* Hands signals on until all members have ended. */
static void attend(struct job *j, struct pack *p)
{
    const struct timespec tick = {.tv_sec = 1};
    sigset_t set = stop_set();
    double looked = sl_disk_now();
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (reap(j, p); p->left > 0; reap(j, p)) {
        int signal = sigtimedwait(&set, NULL, &tick);
        if (signal > 0 && signal != SIGCHLD) *p->stop = signal;
        for (int i = 0; i < p->lanes && signal > 0 && signal != SIGCHLD; i++)
            if (p->pid[i] > 0) kill(p->pid[i], signal);
        if (sl_disk_now() < looked + 10) continue;
        looked = sl_disk_now();
        stop_cancelled(j, p);
    }
}

/* A node may have no room for another process after the first ones: the members of that lane go on
 * in the next job. */
static int start_all(struct job *j, struct pack *p)
{
    for (int i = 0; i < p->lanes; i++) {
        fflush(stdout);
        p->pid[i] = fork();
        if (p->pid[i] == 0) be_lane(j, p, i);
        p->left += p->pid[i] > 0;
        SL_CHECK(p->left > 0, SL_EIO, "cannot start a process: %s", strerror(errno));
        if (p->pid[i] > 0) continue;
        printf("cannot start another process, so its members wait for the next job: %s\n",
               strerror(errno));
        count_ends(j, p, i, false);
    }
    return SL_OK;
}

/* What follows in the queue is let go on when at least one member is done: the others are stopped
 * by the guard. */
static int end_pack(struct job *j, const struct pack *p)
{
    bool again = false;
    for (int i = 0; i < j->campaign->n; i++)
        again |= p->again[i];
    printf("%d members done, %d not, %d asked to stop%s\n", p->end[0], p->end[1], p->end[2],
           again ? "; others go on" : "");
    if (again) SL_TRY(go_on(j, p->again, p->more));
    if (again || p->end[2] > 0)
        return SL_FAIL(SL_EAGAIN, "members of this task are not at their end");
    if (p->end[0] == 0) drop_followers(j);
    return p->end[0] > 0 ? SL_OK : SL_FAIL(SL_EMEMBER, "no member of this task got through");
}

static int share(struct pack *p)
{
    p->shared = (size_t)p->n * sizeof *p->word + sizeof *p->stop;
    void *room = mmap(NULL, p->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    SL_CHECK(room != MAP_FAILED, SL_EMEM, "no memory for %d members", p->n);
    p->word = room;
    p->stop = (int *)(p->word + p->n);
    for (int i = 0; i < p->n; i++)
        p->word[i].end = -1;
    return SL_OK;
}

static int run_pack(struct job *j)
{
    const struct sl_generation *gen = &j->book.generation[j->g];
    struct pack p = {.first = j->self.slot * gen->pack};
    p.n = sl_book_end(gen, j->self.slot) - p.first;
    p.lanes = sl_book_lanes(gen) < p.n ? sl_book_lanes(gen) : p.n;
    SL_TRY(share(&p));
    p.pid = calloc((size_t)p.lanes, sizeof *p.pid);
    p.again = calloc((size_t)j->campaign->n, sizeof *p.again);
    int code = p.pid && p.again ? SL_OK : SL_FAIL(SL_EMEM, "no memory for %d members", p.n);
    if (code == SL_OK) code = start_all(j, &p);
    if (p.pid) attend(j, &p);
    if (code == SL_OK) code = end_pack(j, &p);
    free(p.pid);
    free(p.again);
    munmap(p.word, p.shared);
    return code;
}

/* ---- one member, or several ------------------------------------------------------------------ */

/* An attempt ended for want of the memory that this job has, too: a successor asks for more. */
static bool wants_more(struct job *j, const bool *members)
{
    const struct sl_generation *gen = &j->book.generation[j->g];
    bool more = false;
    for (int i = j->self.slot * gen->pack; i < sl_book_end(gen, j->self.slot); i++) {
        const struct sl_stage_state *s = &j->state.member[gen->member[i]].stage[j->stage];
        more |= members[gen->member[i]] && s->shortages == 1 && s->asked >= j->self.memory * 0x1p20;
    }
    if (!more || given_memory(j) <= 0) return false;
    puts("an attempt ran out of memory: the next job requests more");
    if (succeed(j, members) == SL_OK) return true;
    printf("no successor, so it runs here: %s\n", sl_error_text());
    return false;
}

/* What is true of each member before any of them begins. */
static int look_around(struct job *j, bool *members, bool *gone)
{
    const struct sl_generation *gen = &j->book.generation[j->g];
    int own = j->member;
    for (int i = j->self.slot * gen->pack; i < sl_book_end(gen, j->self.slot); i++) {
        j->member = gen->member[i];
        if (j->state.member[j->member].stage[j->stage].state == SL_WORK_done) continue;
        members[j->member] = true;
        SL_TRY(journal_taken(j));
    }
    j->member = own;
    *gone = sl_book_any(gen, j->self.slot, members) &&
            (leaves_bad_node(j, members) || wants_more(j, members));
    return SL_OK;
}

/* Are all members of the array at the end of the stage? Then others may have its share. */
static bool array_over(const struct job *j)
{
    const struct sl_generation *gen = &j->book.generation[j->g];
    for (int i = 0; i < gen->n; i++) {
        const struct sl_stage_state *s = &j->state.member[gen->member[i]].stage[j->stage];
        if (!sl_campaign_state_ends(s->state)) return false;
    }
    return true;
}

static void pass_share_on(const struct job *j)
{
    if (j->state.throttle <= 0 || j->book.n < 2 || !array_over(j)) return;
    if (sl_slurm_rebalance(j->campaign, j->state.throttle, j->g, j->stage) != SL_OK)
        printf("its share of the limit is not passed on: %s\n", sl_error_text());
}

static int run_slot(struct job *j)
{
    const struct sl_generation *gen = &j->book.generation[j->g];
    bool gone = false, *members = calloc(2 * ((size_t)j->campaign->n + 1), sizeof *members);
    SL_CHECK(members, SL_EMEM, "no memory for %d members", j->campaign->n);
    bool *watch = members + j->campaign->n + 1;
    for (int i = j->self.slot * gen->pack; i < sl_book_end(gen, j->self.slot); i++)
        watch[gen->member[i]] = true;
    int code = sl_campaign_state_open_for(j->campaign, watch, &j->state);
    if (code == SL_OK)
        code = sl_campaign_state_settle(&j->state); /* another node wrote them just now */
    if (code == SL_OK) code = look_around(j, members, &gone);
    if (code == SL_OK && gone)
        code = SL_FAIL(SL_EAGAIN, "it goes on elsewhere");
    else if (code == SL_OK && j->member < 0)
        code = run_pack(j);
    else if (code == SL_OK)
        code = run_member(j);
    if (j->next == NEXT_DROP) drop_followers(j);
    if (sl_slurm_clear(&j->book) != SL_OK)
        printf("what waits for others stays in the queue: %s\n", sl_error_text());
    bool again = j->next == NEXT_AGAIN || j->next == NEXT_MORE;
    if (!again) pass_share_on(j);
    if (again) {
        int went = go_on(j, members, j->next == NEXT_MORE);
        if (went != SL_OK) code = went;
    }
    sl_campaign_state_release(&j->state); /* it borrows what is freed here */
    free(members);
    return code;
}

/* Of failures that no task could tell, too: it was ended itself. */
static void notify_end(struct job *j)
{
    if (sl_campaign_state_refresh(&j->state, false) == SL_OK) notify_person(j, SL_NOTIFY_failed);
    notify_person(j, SL_NOTIFY_end);
}

/* Did the wall-time limit end the stage of the campaign, and may it try again? */
static bool whole_stopped(struct job *j, enum sl_stage stage)
{
    return at_limit(j) && sl_campaign_state_refresh(&j->state, false) == SL_OK &&
           j->state.whole[stage - SL_MEMBER_STAGES].state == SL_WORK_stopped;
}

/* Does the job of the campaign go on after an attempt at a stage that ended so? *went: how it was
 * seen to. Failures are counted by the restarts of the job, which a successor does not know. */
static bool whole_goes_on(struct job *j, enum sl_stage stage, int ended, int *went)
{
    bool again = ended == SL_EMEMBER && j->self.restarts < (int)j->cfg.resources_retries;
    bool stopped = ended == SL_EAGAIN && whole_stopped(j, stage);
    if (!again && !stopped) return false;
    if (requeued(j, went)) return true;
    if (!stopped) return false;
    do
        *went = halted(j) ? SL_OK : sl_slurm_follow(j->campaign);
    while (unheard(j, *went));
    if (*went != SL_OK) printf("no successor: %s\n", sl_error_text());
    return *went == SL_OK;
}

/* Ensemble and summary, as far as they are wanted. *stage: the last that was tried. */
static int attempt_whole(struct job *j, bool ensemble, enum sl_stage *stage)
{
    int code = SL_OK;
    *stage = SL_STAGE_ensemble;
    if (ensemble) code = attempt(j, *stage);
    if (code != SL_OK || !sl_campaign_has(j->campaign, SL_STAGE_summary)) return code;
    *stage = SL_STAGE_summary;
    return attempt(j, *stage);
}

/* Slurm lost their tasks, or a person took them away: nothing goes on with them by itself. */
static void say_open(const struct job *j)
{
    int n = sl_campaign_state_open_members(&j->state);
    if (n > 0 && !j->state.halted)
        printf("members that are not at their end, without a task in the queue: %d; `sluice "
               "submit` goes on with them\n",
               n);
}

/* The stages of the campaign: once no member is under way, with what there is. */
static int run_whole(struct job *j)
{
    bool waits;
    int code, went;
    enum sl_stage stage;
    SL_TRY(sl_campaign_state_open(j->campaign, &j->state));
    SL_CHECK(!j->state.halted, SL_EAGAIN, "`sluice cancel` was called");
    do
        code = sl_slurm_defer(j->campaign, &waits);
    while (unheard(j, code));
    SL_TRY(code);
    if (waits) {
        puts("members are still under way: another job will follow them");
        return SL_OK;
    }
    SL_TRY(sl_campaign_state_refresh(&j->state, true));
    SL_TRY(sl_campaign_state_settle(&j->state));
    say_open(j);
    int measured = sl_campaign_state_measured(&j->state);
    int need = sl_ensemble_need(&j->cfg, j->state.n);
    if (measured == 0) {
        notify_end(j);
        return SL_FAIL(SL_EMEMBER, "no member has statistics");
    }
    bool wanted = measured >= need && sl_ensemble_possible(j->campaign);
    code = attempt_whole(j, wanted, &stage);
    if (whole_goes_on(j, stage, code, &went)) return went;
    if (measured < need && need > 2)
        printf("%d members have statistics, ensemble.min is %d: no ensemble\n", measured, need);
    int shown = attempt(j, SL_STAGE_report);
    notify_end(j);
    return shown == SL_OK ? code : shown;
}

static void block_signals(void)
{
    const sigset_t set = stop_set();
    sigprocmask(SIG_BLOCK, &set, NULL); /* the attempt listens; before it they wait */
}

int sl_slurm_job(const struct sl_campaign *campaign, enum sl_stage stage, int generation)
{
    struct job *j = calloc(1, sizeof *j);
    SL_CHECK(j, SL_EMEM, "no memory for a job");
    j->campaign = campaign;
    j->stage = stage;
    j->g = generation - 1;
    block_signals();
    int code = know_self(&j->self);
    if (code == SL_OK) code = sl_site_read(&j->site, NULL);
    if (code == SL_OK) code = sl_book_open(campaign, &j->book);
    if (code == SL_OK) code = find_member(j);
    if (code == SL_OK) {
        banner(j);
        choose_launch(j);
        code = (int)j->stage < SL_MEMBER_STAGES ? run_slot(j) : run_whole(j);
    }
    fflush(stdout);
    sl_campaign_state_release(&j->state);
    sl_book_release(&j->book);
    free(j);
    return code;
}
