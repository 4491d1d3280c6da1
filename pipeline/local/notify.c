/* notify.c - see notify.h. */
#include "pipeline/local/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/whole.h"
#include "pipeline/launch/child.h"

static bool failed(enum sl_work_state kind)
{
    return kind == SL_WORK_failed || kind == SL_WORK_stalled || kind == SL_WORK_diverged;
}

static int count_failed(const struct sl_campaign_state *st)
{
    return st->count[SL_WORK_failed] + st->count[SL_WORK_stalled] + st->count[SL_WORK_diverged];
}

/* The first member that failed since the last retry; -1: none. */
static int find_failed(const struct sl_campaign_state *st)
{
    if (count_failed(st) == 0) return -1;
    for (int i = 0; i < st->n; i++) {
        int stage = sl_campaign_state_next(st, i);
        if (stage >= 0 && failed(sl_campaign_state_member(st, i)) &&
            st->member[i].stage[stage].end > st->retried)
            return i;
    }
    return -1;
}

bool sl_notify_due(const struct sl_campaign_state *st, const struct sl_config *cfg,
                   enum sl_notify event)
{
    struct sl_whole whole;
    enum sl_stage stage;
    if (!*cfg->notify_program || !(cfg->notify_events >> event & 1) || st->notified[event])
        return false;
    return event == SL_NOTIFY_end || find_failed(st) >= 0 || sl_whole_failed(st, &whole, &stage);
}

/* ---- what it is given --------------------------------------------------- */

static int put_number(const char *name, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    return setenv(name, text, 1);
}

/* The member that failed, or the stage of the whole campaign, and why. */
static int put_failure(const struct sl_campaign_state *st)
{
    struct sl_whole whole;
    enum sl_stage stage;
    int i = find_failed(st);
    bool all = i < 0 && sl_whole_failed(st, &whole, &stage);
    const char *why = i >= 0 ? st->member[i].why : all ? whole.why : NULL;
    int bad = setenv("SLUICE_MEMBER", i >= 0 ? st->campaign->member[i].id : "", 1);
    return bad | setenv("SLUICE_WHY", why ? why : "", 1);
}

static int put_all(const struct sl_campaign_state *st, enum sl_notify event)
{
    int bad = setenv("SLUICE_EVENT", sl_choice_name("notify.events", (int)event), 1);
    bad |= setenv("SLUICE_CAMPAIGN", st->campaign->name, 1);
    bad |= setenv("SLUICE_DIR", st->campaign->dir, 1);
    bad |= put_number("SLUICE_MEMBERS", st->n);
    bad |= put_number("SLUICE_DONE", st->count[SL_WORK_done]);
    bad |= put_number("SLUICE_FAILED", count_failed(st));
    bad |= put_number("SLUICE_OPEN", sl_campaign_state_open_members(st));
    return bad | (event == SL_NOTIFY_failed ? put_failure(st) : 0);
}

/* ---- the program ---------------------------------------------------------- */

static int open_log(const struct sl_campaign_state *st)
{
    char path[SL_PATH_MAX];
    int fd;
    if (sl_disk_join(path, "%s/logs", st->campaign->dir) != SL_OK || sl_mkdir_all(path) != SL_OK ||
        sl_disk_join(path, "%s/logs/notify.log", st->campaign->dir) != SL_OK ||
        sl_disk_log(path, &fd) != SL_OK)
        return -1;
    return fd;
}

/* In the child. */
static void become(const struct sl_campaign_state *st, const struct sl_config *cfg,
                   enum sl_notify event)
{
    sigset_t none;
    char program[SL_TEXT_MAX], *words[] = {program, NULL};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC), log = open_log(st);
    snprintf(program, sizeof program, "%s", cfg->notify_program);
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    unsetenv("SLUICE_TASK"); /* it is no part of an attempt */
    if (put_all(st, event) != 0 || nothing < 0 || chdir(st->campaign->dir) != 0) _exit(127);
    dup2(nothing, 0);
    dup2(log < 0 ? nothing : log, 1);
    dup2(log < 0 ? nothing : log, 2);
    execvp(program, words);
    dprintf(2, "cannot start %s: %s\n", program, strerror(errno));
    _exit(127);
}

/* Its exit code; 128 and its number for a signal. */
static int attend(pid_t pid)
{
    const struct timespec nap = {.tv_nsec = 50 * 1000 * 1000};
    int status = 0, left = SL_NOTIFY_LIMIT * 20;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (left-- == 0) kill(-pid, SIGKILL);
        nanosleep(&nap, NULL);
    }
    return sl_child_code(status);
}

static int run_program(const struct sl_campaign_state *st, const struct sl_config *cfg,
                       enum sl_notify event)
{
    struct sl_fact fact;
    fflush(NULL);
    pid_t pid = fork();
    SL_CHECK(pid >= 0, SL_EIO, "cannot start %s: %s", cfg->notify_program, strerror(errno));
    if (pid == 0) become(st, cfg, event);
    sl_fact_init(&fact, SL_FACT_notified, "", "");
    snprintf(fact.text, sizeof fact.text, "%s", sl_choice_name("notify.events", (int)event));
    fact.code = attend(pid);
    if (fact.code != 0)
        sl_log(SL_LOG_WARN,
               "notify.program %s ended with %d (137: after %d s it is ended): see logs/notify.log",
               cfg->notify_program, fact.code, SL_NOTIFY_LIMIT);
    return sl_journal_add(st->campaign->dir, &fact);
}

/* One at a time; who comes later finds that it was done. */
int sl_notify(struct sl_campaign_state *st, const struct sl_config *cfg, enum sl_notify event)
{
    const struct timespec nap = {.tv_nsec = 200 * 1000 * 1000};
    struct sl_claim claim;
    char slots[SL_PATH_MAX];
    int code;
    if (!sl_notify_due(st, cfg, event)) return SL_OK;
    SL_TRY(sl_disk_join(slots, "%s/slots", st->campaign->dir));
    double end = sl_disk_now() + sl_claim_limit + SL_NOTIFY_LIMIT; /* its owner may have died */
    while ((code = sl_claim_take(slots, "notify", NULL, NULL, &claim)) == SL_EAGAIN &&
           sl_disk_now() < end)
        nanosleep(&nap, NULL);
    SL_TRY(code);
    code = sl_campaign_state_refresh(st, false);
    if (code == SL_OK && sl_notify_due(st, cfg, event)) code = run_program(st, cfg, event);
    int ended = sl_claim_end(&claim, NULL);
    return code == SL_OK ? ended : code;
}
