/* task.c - see task.h. */
#include "pipeline/local/task.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/crc32c.h"
#include "core/sys/memory.h"
#include "core/sys/status.h"
#include "pipeline/base/csv.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/clean.h"
#include "pipeline/campaign/ensemble.h"
#include "pipeline/campaign/journal.h"
#include "pipeline/campaign/links.h"
#include "pipeline/campaign/own.h"
#include "pipeline/campaign/own_mean.h"
#include "pipeline/campaign/progress.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/state.h"
#include "pipeline/launch/child.h"
#include "pipeline/launch/launch.h"
#include "pipeline/launch/mpi_dir.h"
#include "pipeline/plan/pace.h"
#include "pipeline/plan/plan.h"
#include "pipeline/report/report.h"

enum { BEAT = 10, KILL_WAIT = 30, HANG_FACTOR = 3, LOOK_MAX = 2 };

/* Reasons to end a program before it ends by itself. */
enum ask { ASK_NONE, ASK_PAUSE, ASK_WALL, ASK_HANG, ASK_LEFT };

struct attempt {
    const struct sl_task *task;
    char home[SL_PATH_MAX], log[SL_PATH_MAX];
    struct sl_config cfg;
    struct sl_claim claim;
    struct sl_server *server; /* borrowed; which does the run. NULL: a program of its own */
    pid_t pid;
    int log_fd;
    double begin, asked_at, planned; /* planned: bytes of a rank */
    double walltime;                 /* kept from outside; 0: none */
    double looked, silent;           /* when, and for how long it had then given no sign */
    int64_t sign;
    struct sl_left left; /* mpirun */
    long long kills;     /* of the kernel for want of memory, before it began */
    int64_t mark;        /* of what a stage of the campaign is made of, as it began */
    enum ask ask;
    json_t *before;    /* owned; what lay at the place of its products */
    struct sl_own own; /* of a stage that is made of commands */
    int pressed;       /* how hard it was asked: 1 checkpoint, 2 end, 3 kill */
    char why[512];
};

int sl_task_home(char home[SL_PATH_MAX], const struct sl_campaign *campaign, enum sl_stage stage,
                 int member)
{
    if ((int)stage < SL_MEMBER_STAGES) return sl_campaign_home(home, campaign, member);
    return sl_disk_join(home, "%s", campaign->dir);
}

double sl_task_lived(const char *home, enum sl_stage stage, const struct sl_claim_look *look)
{
    struct sl_progress p;
    const json_t *seconds = json_object_get(look->record, "seconds");
    if (seconds)
        return json_number_value(seconds); /* it ended, and had no time to tell the journal */
    double lived = sl_disk_now() - look->silent - look->claim.begin;
    if (stage == SL_STAGE_sim && sl_progress_read(home, &p) == SL_OK && lived > p.elapsed + BEAT)
        lived = p.elapsed + BEAT;
    return lived > 0 ? lived : 0;
}

/* Temporary files that killed attempts left in a directory of the stage. */
static void sweep(const char *dir)
{
    static const char mark[] = ".tmp-";
    enum { DIGITS = 16 }; /* sl_file_replace */
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *at = strrchr(e->d_name, '.');
        if (at && strncmp(at, mark, sizeof mark - 1) == 0 &&
            strspn(at + sizeof mark - 1, "0123456789abcdef") == DIGITS &&
            strlen(at) == sizeof mark - 1 + DIGITS)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d) closedir(d);
}

static int sweep_stage(const char *home, enum sl_stage stage)
{
    static const char *const places[SL_STAGE_COUNT] = {[SL_STAGE_sim] = "snapshots",
                                                       [SL_STAGE_stats] = "stats",
                                                       [SL_STAGE_ensemble] = "ensemble",
                                                       [SL_STAGE_report] = "report"};
    char path[SL_PATH_MAX];
    if ((int)stage < SL_MEMBER_STAGES) sweep(home);
    if (!places[stage]) return SL_OK;
    SL_TRY(sl_disk_join(path, "%s/%s", home, places[stage]));
    sweep(path);
    return SL_OK;
}

int sl_task_log(char path[SL_PATH_MAX], const char *home, enum sl_stage stage, int n)
{
    return sl_disk_join(path, "%s/logs/%s.%d.log", home, sl_stage_name(stage), n);
}

int sl_task_status(enum sl_result result)
{
    switch (result) {
    case SL_RESULT_done:
        return SL_OK;
    case SL_RESULT_stopped:
    case SL_RESULT_paused:
        return SL_EAGAIN;
    case SL_RESULT_diverged:
        return SL_EDIVERGED;
    case SL_RESULT_memory:
        return SL_EMEM;
    case SL_RESULT_refused:
        return SL_EINPUT;
    case SL_RESULT_blocked:
        return SL_EGUARD;
    default:
        return SL_EMEMBER;
    }
}

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what the program said ------------------------------------------------------------------- */

enum { TELLS = 1, CLEAR = 5, TAIL = 16384 };

/* How well a line of a log explains a failure; 0 not at all, CLEAR and above: it is the cause. */
static int telling(const char *line)
{
    static const char *const words[] = {"error: ", "bug: ", "not built with SLURM's PMI",
                                        "ERROR",   "Error", "error"};
    const int n = sizeof words / sizeof *words;
    /* what Slurm says of the other ranks once one has failed, not of a job at its time limit */
    bool after =
        strncmp(line, "srun: ", 6) == 0 ||
        (strstr(line, "*** STEP ") && strstr(line, " CANCELLED AT ") && !strstr(line, "DUE TO"));
    for (int i = 0; i < n && !after; i++)
        if (strstr(line, words[i])) return n - i + 1;
    return strspn(line, " -\t") < strlen(line) && *line != '#' ? TELLS : 0;
}

/* Reads the last bytes of a log. */
static ssize_t read_tail(const char *log, char *text, size_t size)
{
    struct stat st;
    int fd;
    if (sl_disk_open(log, &fd) != SL_OK) return -1;
    ssize_t n = -1;
    if (fstat(fd, &st) == 0) {
        off_t skip = st.st_size > (off_t)size - 1 ? st.st_size - (off_t)size + 1 : 0;
        n = pread(fd, text, size - 1, skip);
    }
    close(fd);
    if (n >= 0) text[n] = '\0';
    return n;
}

static void find_reason(const char *log, int least, char *text, size_t size)
{
    char tail[TAIL], *save = NULL;
    int best = least - 1;
    *text = '\0';
    if (read_tail(log, tail, sizeof tail) <= 0) return;
    for (char *line = strtok_r(tail, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        int value = telling(line);
        /* the first clear message is the cause, the last unclear one the nearest to the end */
        if (value < best || value < least || (value == best && value > TELLS)) continue;
        best = value;
        snprintf(text, size, "%s", line + strspn(line, " \t"));
    }
}

/* The last line, which is where programs of others commonly say what ended them. */
static void find_last(const char *log, char *text, size_t size)
{
    char tail[TAIL], *save = NULL;
    *text = '\0';
    if (read_tail(log, tail, sizeof tail) <= 0) return;
    for (char *line = strtok_r(tail, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (telling(line)) snprintf(text, size, "%s", line + strspn(line, " \t"));
}

void sl_task_reason(const char *log, char *text, size_t size)
{
    find_reason(log, TELLS, text, size);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* *words: of the arguments, those that start the program. */
static int build_args(struct attempt *a, struct sl_args *args, int *words)
{
    const struct sl_campaign *c = a->task->campaign;
    enum sl_stage stage = a->task->stage;
    if (stage == SL_STAGE_ensemble) {
        SL_TRY(sl_launch_words(args, a->task->launch, 1, "sluice-stats"));
        *words = args->n;
        sl_ensemble_args(args);
        return SL_OK;
    }
    int single = a->cfg.resources_precision == SL_PRECISION_single;
    const char *program = stage == SL_STAGE_ic      ? "sluice-ic"
                          : stage == SL_STAGE_stats ? "sluice-stats"
                          : single                  ? "sluice-sim-f32"
                                                    : "sluice-sim";
    SL_TRY(sl_launch_words(args, a->task->launch, (int)a->cfg.resources_ranks, program));
    *words = args->n;
    sl_args_add(args, "members/%s/run.yaml", c->member[a->task->member].id);
    if (stage == SL_STAGE_sim && a->task->mtbf > 0)
        sl_args_add(args, "run.mtbf=%.0f", a->task->mtbf);
    return SL_OK;
}

static void log_words(const struct attempt *a, const struct sl_args *args)
{
    for (int i = 0; i < args->n; i++)
        dprintf(a->log_fd, "%s%s", i ? " " : "# ", args->list[i]);
    dprintf(a->log_fd, "\n");
}

/* Starts what the arguments of the child say, in its directory; or tells a program that is there,
 * as far as `words` of them say, to do the rest. */
static int start(struct attempt *a, struct sl_child *child, int words)
{
    char mpi_dir[SL_PATH_MAX];
    SL_TRY(sl_mpi_dir_make(mpi_dir, a->task->launch, a->claim.token));
    log_words(a, &child->args);
    child->token = a->claim.token;
    child->mpi_dir = mpi_dir;
    child->out = child->err = a->log_fd;
    child->on_death = SIGTERM;
    a->pressed = 0;
    int code = a->server ? sl_server_order(a->server, child, words, a->log)
                         : sl_child_start(child, &a->pid);
    if (a->server) a->pid = a->server->pid;
    if (code != SL_OK) sl_mpi_dir_remove(a->claim.token);
    return code;
}

/* Makes the program end: first kindly, so that it can write a checkpoint; mpirun hands USR1 on to
 * all ranks and ends them a second after TERM. Where its ranks are gone it is about to end, which
 * takes it seconds after an exit code other than 0; a TERM at that moment makes Open MPI 4.1.4
 * crash and the exit code is lost. */
static void press(struct attempt *a, int how)
{
    bool leaving =
        how == 2 && !sl_own_is(a->task->stage) && sl_claim_left(a->claim.token, (long)a->pid);
    if (how <= a->pressed || leaving) return;
    a->pressed = how;
    a->asked_at = clock_now();
    if (how == 1 && a->task->stage == SL_STAGE_sim)
        kill(a->pid, SIGUSR1);
    else if (how <= 2)
        kill(a->pid, SIGTERM);
    else
        sl_claim_signal(a->claim.token, SIGKILL);
}

static void ask(struct attempt *a, enum ask why, int how)
{
    /* what writes no checkpoint may use its time to the end */
    if (why == ASK_WALL && how == 1 && a->task->stage != SL_STAGE_sim) return;
    if (a->ask == ASK_NONE) a->ask = why;
    press(a, how);
}

/* Time before the limit at which the program is told to write its checkpoint. */
static double margin(double walltime)
{
    double m = 0.1 * walltime, least = walltime < 10 ? 0.5 * walltime : 5;
    return m < least ? least : m > 120 ? 120 : m;
}

static void keep_walltime(struct attempt *a, double now)
{
    double limit = a->walltime, used = now - a->begin;
    if (limit <= 0) return;
    if (used > limit - margin(limit)) ask(a, ASK_WALL, 1);
    if (used > limit && a->ask != ASK_PAUSE) ask(a, ASK_WALL, 2);
    if (used > limit + KILL_WAIT && a->ask == ASK_WALL) press(a, 3);
}

static int64_t changed(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec : 0;
}

/* A program that gives no sign for longer than its own watchdog allows is ended. Its silence is the
 * sum of times between looks, of at most LOOK_MAX seconds each: a suspension of the whole job
 * counts as one look, and a clock that is set does not count. */
static void keep_alive(struct attempt *a, double now)
{
    char progress[SL_PATH_MAX];
    if (a->task->stage != SL_STAGE_sim ||
        sl_disk_join(progress, "%s/progress.json", a->home) != SL_OK)
        return;
    int64_t sign = changed(progress) + changed(a->log);
    a->silent = sign == a->sign ? a->silent + fmin(now - a->looked, LOOK_MAX) : 0;
    a->sign = sign;
    a->looked = now;
    if (a->silent > HANG_FACTOR * a->cfg.resources_hang) ask(a, ASK_HANG, 3);
}

/* Open MPI 4.1 can lock up when its ranks are gone. Where ranks are on other hosts, or no children
 * of the launcher (srun), nothing of this can be seen; how commands end is their own affair. */
static void keep_launcher(struct attempt *a)
{
    bool ours = !sl_own_is(a->task->stage) && sl_launch_here(a->task->launch);
    if (ours && sl_claim_left_long(&a->left, a->claim.token, (long)a->pid)) ask(a, ASK_LEFT, 3);
}

static void block(sigset_t *set)
{
    static const int list[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    sl_child_block(list, sizeof list / sizeof *list, set, NULL);
}

bool sl_task_near(double end, double walltime)
{
    static const double most = 45;
    double last = fmin(most, walltime / 2); /* a short job has a first half, too */
    return end > 0 && sl_disk_now() > end - last;
}

/* A run has stopped with a checkpoint before Slurm ends its job. */
static bool at_limit(const struct attempt *a)
{
    return a->task->stage != SL_STAGE_sim && sl_task_near(a->task->end, a->task->walltime);
}

static bool told_to_end; /* this process, whatever became of the attempt */

static void handle(struct attempt *a, int signal)
{
    bool end = signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
    told_to_end |= end;
    if (signal == SIGUSR1)
        ask(a, ASK_WALL, 1); /* what Slurm sends before the limit */
    else if (end && a->pressed == 0 && at_limit(a))
        ask(a, ASK_WALL, 2);
    else if (end)
        /* what another has taken over, perhaps on another host, is not written to any more */
        ask(a, ASK_PAUSE, a->pressed == 0 && !sl_claim_lost(&a->claim) ? 1 : 3);
}

/* The next signal, an answer, or a second that has passed. */
static int hear(const struct attempt *a, const sigset_t *set)
{
    const struct timespec second = {.tv_sec = 1}, none = {.tv_sec = 0};
    if (!a->server) return sigtimedwait(set, NULL, &second);
    int fd = signalfd(-1, set, SFD_CLOEXEC);
    struct pollfd list[] = {{.fd = fd, .events = POLLIN},
                            {.fd = sl_server_fd(a->server), .events = POLLIN}};
    poll(list, 2, 1000);
    if (fd >= 0) close(fd);
    return sigtimedwait(set, NULL, &none);
}

/* Has the program ended, or the run that it was told to do? *status: of wait(). */
static bool ended(struct attempt *a, int *status)
{
    int code;
    if (a->server && sl_server_answered(a->server, &code)) {
        *status = (code & 0xff) << 8; /* W_EXITCODE of Linux */
        return true;
    }
    if (waitpid(a->pid, status, WNOHANG) != a->pid) return false;
    if (a->server) sl_server_say(a->server, a->log_fd);
    if (a->server) sl_server_gone(a->server);
    return true;
}

/* What an attempt leaves behind: nothing, or a program that can do the next run, as this one went
 * well and nothing was asked of it. */
static void clear_up(struct attempt *a, int status)
{
    if (a->server && a->server->pid > 0) {
        if (status != 0 || a->pressed > 0) sl_server_end(a->server);
        sl_server_say(a->server, a->log_fd);
    }
    bool stays = a->server && a->server->pid > 0;
    if (!stays) sl_claim_sweep(a->claim.token); /* ranks that outlived mpirun, its directory */
}

/* Waits for the program; returns its status of wait(). */
static int attend(struct attempt *a)
{
    sigset_t set;
    int status;
    double beat = a->begin;
    block(&set); /* again: for the set */
    while (!ended(a, &status)) {
        handle(a, hear(a, &set));
        double now = clock_now();
        keep_walltime(a, now);
        keep_alive(a, now);
        keep_launcher(a);
        if (now - beat < BEAT) continue;
        beat = now;
        sl_claim_beat(&a->claim);
        if (sl_claim_lost(&a->claim)) ask(a, ASK_PAUSE, 3); /* another has taken over */
    }
    clear_up(a, status);
    return status;
}

/* ---- the result ------------------------------------------------------------------------------ */

static enum sl_result judge_code(const struct attempt *a, int code)
{
    switch (code) {
    case SL_OK:
        return SL_RESULT_done;
    case SL_EAGAIN:
        return a->ask == ASK_PAUSE ? SL_RESULT_paused : SL_RESULT_stopped;
    case SL_EDIVERGED:
        return SL_RESULT_diverged;
    case SL_EUNAVAIL:
    case 128 + SIGILL:
        /* on a cluster another node may have it, but hardly the program of a command */
        return *a->claim.owner.node && !sl_own_is(a->task->stage) ? SL_RESULT_unfit
                                                                  : SL_RESULT_refused;
    case SL_EUSAGE:
    case SL_EINPUT:
    case SL_EMEM: /* it would ask for as much again */
        return SL_RESULT_refused;
    case SL_EGUARD:
        return SL_RESULT_blocked;
    case 128 + SIGXFSZ:
        return SL_RESULT_refused;
    default:
        return a->ask == ASK_PAUSE                                    ? SL_RESULT_paused
               : a->ask == ASK_WALL && a->task->stage != SL_STAGE_sim ? SL_RESULT_stopped
                                                                      : SL_RESULT_failed;
    }
}

/* The run says that it stopped with a checkpoint, whatever became of mpirun after that. */
static bool says_checkpointed(const struct attempt *a)
{
    struct sl_progress p;
    return a->ask != ASK_NONE && a->task->stage == SL_STAGE_sim &&
           sl_progress_read(a->home, &p) == SL_OK && strcmp(p.state, "checkpointed") == 0 &&
           p.age < clock_now() - a->begin;
}

/* Killed by the kernel because memory was short, here or, as Slurm says in the log, on another
 * node. */
static bool out_of_memory(const struct attempt *a, int code)
{
    char tail[TAIL];
    if (code != 128 + SIGKILL || (a->ask != ASK_NONE && a->ask != ASK_LEFT)) return false;
    if (sl_memory_kills("") > a->kills) return true;
    return read_tail(a->log, tail, sizeof tail) > 0 &&
           (strstr(tail, "oom_kill") || strstr(tail, "oom-kill"));
}

/* What asks a run for its checkpoint ends one that does not listen yet, or that is just ending. */
static bool ended_by_asking(const struct attempt *a, int code)
{
    return a->ask != ASK_NONE && a->task->stage == SL_STAGE_sim && code == 128 + SIGUSR1;
}

/* What a signal means that would come again. */
static const char *cause_of(int code)
{
    return code == 128 + SIGILL    ? ": it was built for another processor"
           : code == 128 + SIGXFSZ ? ": a file would be larger than is allowed (ulimit -f)"
                                   : "";
}

/* Of a command: which, and its own exit code. */
static void describe_ending(const struct attempt *a, int status, char *text, size_t size)
{
    char ending[100];
    bool own = sl_own_is(a->task->stage);
    sl_child_ending(status, ending, sizeof ending);
    if (own && WIFEXITED(status))
        snprintf(ending, sizeof ending, "exit code %d", WEXITSTATUS(status));
    snprintf(text, size, "%.50s%s%s%s", own ? a->own.what : "", own ? ": " : "", ending,
             cause_of(sl_child_code(status)));
}

/* *exit_code: of the program; SL_EMEM where the kernel ended the program for want of memory. */
static enum sl_result judge(struct attempt *a, int status, int *exit_code)
{
    char ending[240], reason[270]; /* both fit into a->why */
    int code = *exit_code = sl_child_code(status);
    bool own = sl_own_is(a->task->stage);
    if (own && code > 1 && code < 128) code = *exit_code = 1; /* it has no meaning here */
    if (code != SL_OK && (says_checkpointed(a) || ended_by_asking(a, code))) code = SL_EAGAIN;
    if (out_of_memory(a, code)) {
        bool again = a->task->memory > 0 && !a->task->more;
        int n = snprintf(a->why, sizeof a->why, "the kernel ended it because memory was short");
        if (a->task->memory > 0)
            snprintf(a->why + n, sizeof a->why - (size_t)n,
                     " (%.0f MiB were requested for each rank%s)", a->task->memory / 0x1p20,
                     again ? ": the next attempt requests more" : "");
        *exit_code = SL_EMEM;
        return a->task->memory > 0 ? SL_RESULT_memory : SL_RESULT_refused;
    }
    enum sl_result result = judge_code(a, code);
    if (result == SL_RESULT_done) return result;
    describe_ending(a, status, ending, sizeof ending);
    /* of a signal most launchers tell no more than the signal; where files cannot be written, the
     * log may have ended long before */
    if (own)
        find_last(a->log, reason, sizeof reason);
    else
        find_reason(a->log, code < 128 && code != SL_EIO ? TELLS : CLEAR, reason, sizeof reason);
    if (a->ask == ASK_HANG)
        snprintf(a->why, sizeof a->why, "no sign of life for %.0f s, killed",
                 HANG_FACTOR * a->cfg.resources_hang);
    else if (a->ask == ASK_LEFT && result == SL_RESULT_failed)
        snprintf(a->why, sizeof a->why,
                 "its ranks were gone and mpirun did not end in %d s, killed%s%s", SL_LEFT_WAIT,
                 *reason ? ": " : "", reason);
    else if (result == SL_RESULT_stopped || result == SL_RESULT_paused)
        snprintf(a->why, sizeof a->why, "%s",
                 result == SL_RESULT_paused ? "asked to stop" : "wall-time limit");
    else
        snprintf(a->why, sizeof a->why, "%s%s%s", ending, *reason ? ": " : "", reason);
    return result;
}

/* Same list of members, same ensemble: the checksum tells whether it must be made again. */
static json_t *about_products(const struct attempt *a)
{
    const struct sl_campaign *c = a->task->campaign;
    json_t *about = json_pack("{s:s, s:i, s:f}", "campaign", c->name, "attempt", a->claim.n,
                              "seconds", clock_now() - a->begin);
    if ((int)a->task->stage < SL_MEMBER_STAGES)
        json_object_set_new(about, "member", json_string(c->member[a->task->member].id));
    else
        json_object_set_new(about, "members", json_integer(a->mark));
    if (sl_own_is(a->task->stage))
        json_object_set_new(about, "commands", sl_own_commands(&a->cfg, a->task->stage));
    return about;
}

static int still_held(const struct attempt *a)
{
    SL_CHECK(sl_claim_held(&a->claim), SL_EGUARD, "another process took over the stage");
    return SL_OK;
}

static void finish_products(struct attempt *a, enum sl_result *result)
{
    if (*result != SL_RESULT_done) return;
    json_t *about = about_products(a);
    int code = still_held(a);
    if (code == SL_OK) code = sl_record_write(a->home, a->task->stage, about, a->before);
    json_decref(about);
    if (code == SL_OK) return;
    *result = SL_RESULT_failed;
    snprintf(a->why, sizeof a->why, "%.480s", sl_error_text());
}

static const char *member_id(const struct sl_task *task)
{
    return (int)task->stage < SL_MEMBER_STAGES ? task->campaign->member[task->member].id : "";
}

/* What it took of what it had. */
static void note_use(const struct attempt *a, struct sl_fact *fact)
{
    char tail[TAIL];
    if ((int)a->task->stage >= SL_MEMBER_STAGES) return;
    fact->walltime = a->cfg.resources_walltime;
    fact->planned = a->planned;
    fact->asked = a->task->memory;
    if (read_tail(a->log, tail, sizeof tail) > 0) fact->memory = sl_memory_reported(tail);
}

/* How many haloes its statistics found; -1: none were looked for. */
static long long haloes_of(const struct attempt *a)
{
    char path[SL_PATH_MAX];
    struct sl_csv t;
    long long n = -1;
    if (!(a->cfg.statistics_haloes > 0) ||
        sl_disk_join(path, "%s/stats/summary.csv", a->home) != SL_OK ||
        sl_csv_try(&t, path, SL_CSV_NAMED) != SL_OK)
        return -1;
    double value = sl_csv_number(&t, sl_csv_row(&t, "haloes"), sl_csv_column(&t, "value"));
    if (value >= 0 && value < 0x1p53) n = (long long)value;
    sl_csv_release(&t);
    return n;
}

static int note(const struct attempt *a, enum sl_fact_kind what, enum sl_result result, int code)
{
    struct sl_fact fact;
    struct sl_progress p;
    sl_fact_init(&fact, what, member_id(a->task), sl_stage_name(a->task->stage));
    fact.n = a->claim.n;
    if (what == SL_FACT_start || result == SL_RESULT_unfit)
        snprintf(fact.node, sizeof fact.node, "%s", a->claim.owner.node);
    if (what == SL_FACT_end) {
        snprintf(fact.result, sizeof fact.result, "%s", sl_result_name(result));
        snprintf(fact.text, sizeof fact.text, "%s", a->why);
        fact.code = code;
        fact.seconds = clock_now() - a->begin;
        note_use(a, &fact);
        if (a->task->stage == SL_STAGE_sim && sl_progress_read(a->home, &p) == SL_OK) {
            fact.step = result == SL_RESULT_done ? p.step : p.checkpoint_step;
            fact.value = p.rate;
        }
        if (a->task->stage == SL_STAGE_stats && result == SL_RESULT_done)
            fact.haloes = haloes_of(a);
    }
    return sl_journal_add(a->task->campaign->dir, &fact);
}

static int end_claim(const struct attempt *a, enum sl_result result, int code)
{
    json_t *extra = json_pack("{s:s, s:i, s:s, s:f}", "result", sl_result_name(result), "code",
                              code, "why", a->why, "seconds", clock_now() - a->begin);
    int status = sl_claim_end(&a->claim, extra);
    json_decref(extra);
    return status;
}

/* ---- the attempt ----------------------------------------------------------------------------- */

int sl_task_guard(const struct sl_campaign *c, int member, enum sl_stage stage,
                  enum sl_record_check how)
{
    char home[SL_PATH_MAX], why[400];
    SL_TRY(sl_task_home(home, c, stage, member));
    int code = sl_record_verify(home, stage, how, NULL, NULL);
    if (code == SL_OK) return SL_OK;
    snprintf(why, sizeof why, "%s", sl_error_text());
    return SL_FAIL(code, "%s %s: %s", member < 0 ? c->name : c->member[member].id,
                   sl_stage_name(stage), why);
}

/* The ensemble reads the statistics of its members, and the tables of their commands. */
static int guard_ensemble(const struct sl_campaign *c)
{
    char home[SL_PATH_MAX], run[SL_PATH_MAX];
    for (int i = 0; i < c->n; i++) {
        SL_TRY(sl_campaign_home(home, c, i));
        if (!sl_record_exists(home, SL_STAGE_stats)) continue;
        SL_TRY(sl_disk_join(run, "%s/run.yaml", home));
        if (!sl_disk_exists(run))
            SL_TRY(sl_campaign_prepare(c, i)); /* it follows from the recipe */
        SL_TRY(sl_task_guard(c, i, SL_STAGE_stats, SL_CHECK_READ));
        if (sl_record_exists(home, SL_STAGE_own))
            SL_TRY(sl_task_guard(c, i, SL_STAGE_own, SL_CHECK_READ));
    }
    return SL_OK;
}

/* The report reads all that is there but fields, and so may the command of the campaign. */
static int guard_whole(const struct sl_campaign *c, enum sl_stage stage)
{
    char home[SL_PATH_MAX];
    for (int i = 0; i < c->n; i++) {
        SL_TRY(sl_campaign_home(home, c, i));
        for (int s = SL_STAGE_sim; s < SL_MEMBER_STAGES; s++)
            if (sl_record_exists(home, (enum sl_stage)s))
                SL_TRY(sl_task_guard(c, i, (enum sl_stage)s, SL_CHECK_TABLES));
    }
    for (int s = SL_MEMBER_STAGES; s < (int)stage; s++)
        if (sl_record_exists(c->dir, (enum sl_stage)s))
            SL_TRY(sl_task_guard(c, -1, (enum sl_stage)s, SL_CHECK_TABLES));
    return SL_OK;
}

/* On a cluster another node wrote what this one may not see yet. */
static int guard_wait(const struct attempt *a, enum sl_stage before, enum sl_record_check how)
{
    const struct timespec second = {.tv_sec = 1};
    double end = clock_now() + (*a->claim.owner.node ? SL_SETTLE_WAIT : 0);
    int code;
    while ((code = sl_record_verify(a->home, before, how, NULL, NULL)) != SL_OK &&
           clock_now() < end)
        nanosleep(&second, NULL);
    return code;
}

/* Commands may read all that the member has; snapshots that were deleted on purpose only those must
 * have that are run for each of them. */
static int guard_own(const struct attempt *a)
{
    bool all = *a->cfg.stages_snapshot;
    SL_TRY(guard_wait(a, SL_STAGE_sim, all ? SL_CHECK_READ : SL_CHECK_SUM));
    SL_TRY(sl_record_verify_folders(a->home, SL_STAGE_sim));
    return guard_wait(a, SL_STAGE_stats, SL_CHECK_READ);
}

/* What runs said of themselves stops no stage. */
static int mend_accounts(const struct sl_campaign *c, int member)
{
    char home[SL_PATH_MAX];
    int count = 0;
    SL_TRY(sl_links_check(c, SL_STAGE_sim, member));
    SL_TRY(sl_campaign_home(home, c, member));
    return sl_record_mend(home, SL_STAGE_sim, &count);
}

static int guard(struct attempt *a)
{
    const struct sl_task *t = a->task;
    bool reads_all = (int)t->stage >= SL_MEMBER_STAGES && t->stage != SL_STAGE_ensemble;
    for (int i = 0; reads_all && i < t->campaign->n; i++)
        SL_TRY(mend_accounts(t->campaign, i));
    if (t->stage == SL_STAGE_stats || t->stage == SL_STAGE_own)
        SL_TRY(mend_accounts(t->campaign, t->member));
    if (t->stage == SL_STAGE_ensemble) return guard_ensemble(t->campaign);
    if ((int)t->stage >= SL_MEMBER_STAGES) return guard_whole(t->campaign, t->stage);
    if (t->stage == SL_STAGE_own) return guard_own(a);
    if (t->stage == SL_STAGE_ic) return SL_OK;
    enum sl_stage before = t->stage - 1;
    if (!sl_member_has(&t->campaign->member[t->member], (int)before)) return SL_OK;
    return guard_wait(a, before, SL_CHECK_READ);
}

/* What the task was told, else what the recipe says of a stage that does not keep it by itself, as
 * a run does: whatever hangs, hangs for no longer. */
static int find_walltime(struct attempt *a)
{
    struct sl_config cfg;
    a->walltime = a->task->walltime;
    if (a->walltime > 0 || a->task->stage == SL_STAGE_sim || a->task->stage == SL_STAGE_report)
        return SL_OK; /* a report is no program */
    int member = (int)a->task->stage < SL_MEMBER_STAGES ? a->task->member : -1;
    SL_TRY(sl_campaign_config(a->task->campaign, member, &cfg));
    sl_config_stage(&cfg, (int)a->task->stage, &cfg);
    a->walltime = cfg.resources_walltime;
    return SL_OK;
}

static int make_ready(struct attempt *a)
{
    char logs[SL_PATH_MAX];
    if ((int)a->task->stage < SL_MEMBER_STAGES) {
        SL_TRY(sl_campaign_prepare(a->task->campaign, a->task->member));
        SL_TRY(sl_campaign_config(a->task->campaign, a->task->member, &a->cfg));
        a->planned = sl_plan_memory(&a->cfg, a->task->stage);
        sl_config_stage(&a->cfg, (int)a->task->stage, &a->cfg);
    } else if (a->task->stage == SL_STAGE_ensemble) {
        a->mark = sl_ensemble_mark(a->task->campaign);
        SL_TRY(sl_ensemble_list(a->task->campaign));
    } else if (a->task->stage == SL_STAGE_summary) {
        a->mark = sl_own_mark(a->task->campaign);
        SL_TRY(sl_campaign_config(a->task->campaign, -1, &a->cfg));
    }
    SL_TRY(find_walltime(a));
    SL_TRY(sweep_stage(a->home, a->task->stage));
    SL_TRY(sl_disk_join(logs, "%s/logs", a->home));
    SL_TRY(sl_mkdir_all(logs));
    SL_TRY(sl_task_log(a->log, a->home, a->task->stage, a->claim.n));
    return sl_disk_log(a->log, &a->log_fd);
}

/* One program; *status: as of wait(). */
static int run_one(struct attempt *a, int *status)
{
    struct sl_child child = {.dir = a->task->campaign->dir};
    const struct sl_launch *launch = a->task->launch;
    int words = 0, code = build_args(a, &child.args, &words);
    bool here = !launch || launch->nodes <= 1; /* one host hears */
    if ((int)a->task->stage < SL_MEMBER_STAGES && here) a->server = a->task->server;
    if (code == SL_OK) code = start(a, &child, words);
    if (code == SL_OK) *status = attend(a);
    sl_args_release(&child.args);
    return code;
}

/* The commands of a stage, until one fails. */
static int run_commands(struct attempt *a, int *status)
{
    const struct sl_task *t = a->task;
    char dir[SL_PATH_MAX];
    bool more = true;
    int code = sl_own_begin(&a->own, t->campaign, &a->cfg, t->stage, a->home);
    for (*status = 0; code == SL_OK && more && *status == 0 && a->ask == ASK_NONE;) {
        struct sl_child child = {.dir = dir};
        code = still_held(a);
        if (code == SL_OK) code = sl_own_next(&a->own, &child.args, dir);
        more = child.args.n > 0;
        if (code == SL_OK && more) code = start(a, &child, 0);
        if (code == SL_OK && more) *status = attend(a);
        sl_args_release(&child.args);
    }
    if (code == SL_OK && !more) code = still_held(a);
    if (code == SL_OK && !more) code = sl_own_end(&a->own);
    if (code == SL_OK && more && *status == 0)
        *status = SIGTERM; /* it was asked to end between two */
    sl_own_release(&a->own);
    return code;
}

/* What is made of the products of a program before they are recorded. */
static int complete(const struct attempt *a)
{
    if (a->task->stage != SL_STAGE_ensemble) return SL_OK;
    return sl_own_mean(a->task->campaign, a->log_fd);
}

/* Runs the program of the stage; *code receives its exit code. */
static enum sl_result run_program(struct attempt *a, int *code)
{
    int status = 0;
    *code = make_ready(a);
    if (*code == SL_OK) *code = guard(a);
    if (*code == SL_OK && a->task->stage == SL_STAGE_report) {
        *code = sl_report_write(a->task->campaign->dir, a->task->against);
        if (*code == SL_OK && sl_pace_write(a->task->campaign) != SL_OK)
            sl_log(SL_LOG_NOTE, "later plans will not know of this campaign: %s", sl_error_text());
        if (*code == SL_OK) return SL_RESULT_done;
    }
    if (*code == SL_OK) {
        a->before = sl_record_before(a->home, a->task->stage);
        *code = (sl_own_is(a->task->stage) ? run_commands : run_one)(a, &status);
    }
    if (*code == SL_OK && status == 0) *code = complete(a);
    enum sl_result result;
    if (*code == SL_OK) {
        result = judge(a, status, code);
    } else {
        snprintf(a->why, sizeof a->why, "%.480s", sl_error_text());
        result = judge_code(a, *code);
    }
    if (a->log_fd >= 0) close(a->log_fd);
    return result;
}

static bool is_done(const struct attempt *a)
{
    if (!sl_record_exists(a->home, a->task->stage)) return false;
    if (a->task->stage == SL_STAGE_ensemble) return sl_ensemble_current(a->task->campaign);
    if (a->task->stage == SL_STAGE_summary) return sl_own_current(a->task->campaign);
    if (a->task->stage == SL_STAGE_report) return false; /* cheap, and shows the journal */
    return true;
}

static bool is_last(const struct attempt *a)
{
    const struct sl_task *t = a->task;
    if ((int)t->stage >= SL_MEMBER_STAGES) return false;
    for (int later = (int)t->stage + 1; later < SL_MEMBER_STAGES; later++)
        if (sl_member_has(&t->campaign->member[t->member], later)) return false;
    return true;
}

/* What output.delete names. What cannot be deleted stays, and the member is done all the same. */
static void delete_unneeded(const struct attempt *a)
{
    int files = 0;
    double bytes = 0;
    for (int what = 0; what < SL_CLEAN_COUNT; what++)
        if (a->cfg.output_delete >> what & 1 &&
            sl_clean(a->task->campaign, a->task->member, (enum sl_clean)what, false, &files,
                     &bytes) != SL_OK)
            sl_log(SL_LOG_WARN, "output.delete: %s", sl_error_text());
}

/* With the claim in hand: run, record, tell. */
static int work_on(struct attempt *a, enum sl_result *result)
{
    sigset_t set;
    int program = 0;
    block(&set);
    SL_TRY(note(a, SL_FACT_start, SL_RESULT_done, 0));
    *result = run_program(a, &program);
    finish_products(a, result);
    SL_TRY(end_claim(a, *result, program));
    SL_TRY(note(a, SL_FACT_end, *result, program));
    if (*result == SL_RESULT_done && is_last(a)) delete_unneeded(a);
    return SL_OK;
}

int sl_task_run(const struct sl_task *task, enum sl_result *result)
{
    struct attempt *a = calloc(1, sizeof *a);
    SL_CHECK(a, SL_EMEM, "no memory for an attempt");
    a->task = task;
    a->log_fd = -1;
    a->begin = clock_now();
    a->kills = sl_memory_kills("");
    *result = SL_RESULT_done;
    int code = sl_task_home(a->home, task->campaign, task->stage, task->member);
    char attempts[SL_PATH_MAX];
    if (code == SL_OK) code = sl_disk_join(attempts, "%s/attempts", a->home);
    bool work = code == SL_OK && !is_done(a);
    if (work) code = sl_links_check(task->campaign, task->stage, task->member);
    if (work && code == SL_OK)
        code = sl_claim_take(attempts, sl_stage_name(task->stage), getenv("SLUICE_TASK"), NULL,
                             &a->claim);
    if (work && code == SL_OK) code = work_on(a, result);
    json_decref(a->before);
    free(a);
    return code;
}

bool sl_task_asked(void)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
    sigset_t set;
    sigpending(&set);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        told_to_end |= sigismember(&set, ends[i]) == 1;
    return told_to_end;
}

void sl_task_end(struct sl_server *server)
{
    char token[SL_TOKEN_MAX];
    if (server->pid <= 0) return;
    snprintf(token, sizeof token, "%.63s", server->token);
    sl_server_end(server);
    if (*token) sl_claim_sweep(token);
}
