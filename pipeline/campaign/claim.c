/* claim.c - see claim.h. */
#include "pipeline/campaign/claim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/launch/mpi_dir.h"

double sl_claim_limit = 120;

enum { RECORD_MAX = 1 << 20 };

static void first_line(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *f = fopen(path, "re");
    if (!f) return;
    if (fgets(text, (int)size, f)) text[strcspn(text, "\n")] = '\0';
    fclose(f);
}

struct process {
    char state;               /* 'D': it waits for a disk */
    unsigned long faults;     /* of memory, of children that have ended and were waited for */
    unsigned long long start; /* in clock ticks since boot */
};

/* False when there is none or it is a zombie. */
static bool process_read(long pid, struct process *p)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    first_line(path, text, sizeof text);
    const char *at = strrchr(text, ')'); /* the name may hold spaces */
    if (!at || sscanf(at + 1,
                      " %c %*d %*d %*d %*d %*d %*u %*u %lu %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
                      "%llu",
                      &p->state, &p->faults, &p->start) != 3)
        return false;
    return p->state != 'Z' && p->state != 'X';
}

/* 0 when there is none or it is a zombie. */
static unsigned long long process_start(long pid)
{
    struct process p;
    return process_read(pid, &p) ? p.start : 0;
}

static void env_text(const char *name, char *text, size_t size)
{
    const char *value = getenv(name);
    snprintf(text, size, "%s", value ? value : "");
}

static void owner_self(struct sl_owner *me)
{
    memset(me, 0, sizeof *me);
    if (gethostname(me->host, sizeof me->host - 1) != 0)
        snprintf(me->host, sizeof me->host, "unknown");
    first_line("/proc/sys/kernel/random/boot_id", me->boot, sizeof me->boot);
    if (readlink("/proc/self/ns/pid", me->space, sizeof me->space - 1) < 0) me->space[0] = '\0';
    me->pid = (long)getpid();
    me->start = process_start(me->pid);
    env_text("SLUICE_JOB", me->job, sizeof me->job);
    env_text("SLUICE_NODE", me->node, sizeof me->node);
    const char *restart = getenv("SLUICE_RESTART");
    me->restart = restart ? (int)strtol(restart, NULL, 10) : 0;
}

/* Slurm has taken the task away from the owner and given it to us. */
static bool superseded(const struct sl_owner *owner, const struct sl_owner *me)
{
    return *me->job && strcmp(owner->job, me->job) == 0 && owner->restart < me->restart;
}

enum sl_owner_state sl_owner_state(const struct sl_owner *owner)
{
    struct sl_owner me;
    owner_self(&me);
    if (superseded(owner, &me)) return SL_OWNER_DEAD;
    if (strcmp(owner->host, me.host) != 0) return SL_OWNER_ELSEWHERE;
    if (strcmp(owner->boot, me.boot) != 0) return SL_OWNER_DEAD; /* the host has started anew */
    if (strcmp(owner->space, me.space) != 0) return SL_OWNER_ELSEWHERE;
    unsigned long long start = process_start(owner->pid);
    return start && start == owner->start ? SL_OWNER_ALIVE : SL_OWNER_DEAD;
}

static void copy_text(const json_t *record, const char *key, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(record, key));
    snprintf(text, size, "%s", value ? value : "");
}

static void owner_parse(const json_t *record, struct sl_claim *claim)
{
    struct sl_owner *o = &claim->owner;
    copy_text(record, "host", o->host, sizeof o->host);
    copy_text(record, "boot", o->boot, sizeof o->boot);
    copy_text(record, "space", o->space, sizeof o->space);
    o->pid = (long)json_integer_value(json_object_get(record, "pid"));
    o->start = (unsigned long long)json_integer_value(json_object_get(record, "start"));
    copy_text(record, "job", o->job, sizeof o->job);
    copy_text(record, "node", o->node, sizeof o->node);
    o->restart = (int)json_integer_value(json_object_get(record, "restart"));
    copy_text(record, "token", claim->token, sizeof claim->token);
    claim->begin = json_number_value(json_object_get(record, "begin"));
}

static json_t *owner_print(const struct sl_claim *claim)
{
    const struct sl_owner *o = &claim->owner;
    json_t *record =
        json_pack("{s:i, s:i, s:s, s:s, s:s, s:I, s:I, s:s, s:f}", "v", 1, "n", claim->n, "host",
                  o->host, "boot", o->boot, "space", o->space, "pid", (json_int_t)o->pid, "start",
                  (json_int_t)o->start, "token", claim->token, "begin", claim->begin);
    if (record && *o->job)
        json_object_update_new(record, json_pack("{s:s, s:s, s:i}", "job", o->job, "node", o->node,
                                                 "restart", o->restart));
    return record;
}

/* Highest n of NAME.n.json in dir, 0 for none or no directory. */
static int highest(const char *dir, const char *name, int *best)
{
    DIR *d = opendir(dir);
    *best = 0;
    SL_CHECK(d || errno == ENOENT, SL_EIO, "cannot read the claims of %s in %s: %s", name, dir,
             strerror(errno));
    if (!d) return SL_OK;
    size_t len = strlen(name);
    struct dirent *e;
    int code;
    while ((code = sl_dir_next(d, dir, &e)) == SL_OK && e) {
        if (strncmp(e->d_name, name, len) != 0 || e->d_name[len] != '.') continue;
        char *end;
        long n = strtol(e->d_name + len + 1, &end, 10);
        if (n > *best && n < 1000000000 && strcmp(end, ".json") == 0) *best = (int)n;
    }
    closedir(d);
    return code;
}

/* Age of a file by the clock of the file server: against a file written now beside it. */
static double age(const char *stem, const char *path)
{
    char probe[SL_PATH_MAX];
    struct stat st, now;
    if (stat(path, &st) != 0) return 0;
    if (sl_disk_join(probe, "%s.probe.%ld", stem, (long)getpid()) != SL_OK) return 0;
    int fd = open(probe, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int bad = fd < 0 || fstat(fd, &now) != 0;
    if (fd >= 0) close(fd);
    unlink(probe);
    if (bad) return (double)(time(NULL) - st.st_mtime); /* read-only campaign */
    return (double)(now.st_mtim.tv_sec - st.st_mtim.tv_sec) +
           1e-9 * (double)(now.st_mtim.tv_nsec - st.st_mtim.tv_nsec);
}

static void judge(struct sl_claim_look *look)
{
    if (json_object_get(look->record, "end")) return;
    enum sl_owner_state state = sl_owner_state(&look->claim.owner);
    look->silent = age(look->claim.stem, look->claim.path);
    if (state == SL_OWNER_ELSEWHERE)
        state = look->silent > sl_claim_limit ? SL_OWNER_DEAD : SL_OWNER_ALIVE;
    look->held = state == SL_OWNER_ALIVE;
    look->stale = !look->held;
}

int sl_claim_look(const char *dir, const char *name, struct sl_claim_look *look)
{
    memset(look, 0, sizeof *look);
    SL_TRY(sl_disk_join(look->claim.stem, "%s/%s", dir, name));
    SL_TRY(highest(dir, name, &look->n));
    look->claim.n = look->n;
    if (look->n == 0) return SL_OK;
    SL_TRY(sl_disk_join(look->claim.path, "%s.%d.json", look->claim.stem, look->n));
    char *text;
    size_t size;
    SL_TRY(sl_file_read(look->claim.path, RECORD_MAX, &text, &size));
    look->record = json_loadb(text, size, 0, NULL);
    free(text);
    if (look->record) { /* linked complete: a damaged one has no owner that could mind */
        owner_parse(look->record, &look->claim);
        judge(look);
    } else {
        look->stale = true;
    }
    return SL_OK;
}

static int token_make(char token[SL_TOKEN_MAX])
{
    uint64_t random[2];
    SL_CHECK(getrandom(random, sizeof random, 0) == (ssize_t)sizeof random, SL_EIO,
             "cannot get random bytes: %s", strerror(errno));
    snprintf(token, SL_TOKEN_MAX, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    return SL_OK;
}

/* Links the record as the claim's file. SL_EAGAIN: another was faster. */
static int link_record(struct sl_claim *claim, json_t *record)
{
    char temporary[SL_PATH_MAX];
    SL_TRY(sl_disk_join(claim->path, "%s.%d.json", claim->stem, claim->n));
    SL_TRY(sl_disk_join(temporary, "%s.claim.%.32s", claim->stem, claim->token));
    char *text = json_dumps(record, JSON_COMPACT);
    SL_CHECK(text, SL_EMEM, "no memory for a claim");
    int code = sl_file_replace(temporary, text, strlen(text), SL_DURABLE);
    free(text);
    SL_TRY(code);
    struct stat st;
    int linked = link(temporary, claim->path) == 0, why = errno;
    /* over NFS the answer to a link that was made may get lost: the count of links is the truth */
    if (!linked && stat(temporary, &st) == 0 && st.st_nlink == 2) linked = 1;
    unlink(temporary);
    if (linked) return SL_OK;
    SL_CHECK(why == EEXIST, SL_EIO, "cannot claim %s: %s", claim->path, strerror(why));
    return SL_FAIL(SL_EAGAIN, "another process took %s at the same moment", claim->path);
}

static int refuse_held(const struct sl_claim_look *look)
{
    const struct sl_owner *o = &look->claim.owner;
    return SL_FAIL(SL_EAGAIN, "held by process %ld on %s (last sign %.0f s ago)", o->pid, o->host,
                   look->silent);
}

static int take_next(const struct sl_claim_look *look, const char *token, json_t *extra,
                     struct sl_claim *claim)
{
    if (look->stale) SL_TRY(sl_claim_sweep(look->claim.token));
    *claim = look->claim;
    claim->n = look->n + 1;
    claim->begin = sl_disk_now();
    owner_self(&claim->owner);
    if (token)
        snprintf(claim->token, sizeof claim->token, "%s", token);
    else
        SL_TRY(token_make(claim->token));
    json_t *record = owner_print(claim);
    SL_CHECK(record, SL_EMEM, "no memory for a claim");
    if (extra) json_object_update(record, extra);
    int code = link_record(claim, record);
    json_decref(record);
    return code;
}

/* Files of takers that were killed before they had, or had not, the claim; those of the last minute
 * may be of one that is at it now. */
static void sweep_takers(const char *dir, const char *name, const struct sl_claim *claim)
{
    static const char *const kinds[] = {".claim.", ".probe."};
    const time_t young = 60;
    size_t n = strlen(name);
    struct stat now, st;
    DIR *d = stat(claim->path, &now) == 0 ? opendir(dir) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strncmp(e->d_name, name, n) == 0 &&
                strncmp(e->d_name + n, kinds[k], strlen(kinds[k])) == 0 &&
                fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                st.st_mtime + young < now.st_mtime)
                unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
}

/* SL_EAGAIN, with the name of the process that was faster when it still holds the claim. */
static int refuse_faster(const char *dir, const char *name)
{
    struct sl_claim_look look;
    SL_TRY(sl_claim_look(dir, name, &look));
    if (look.held) refuse_held(&look);
    json_decref(look.record);
    return SL_EAGAIN;
}

int sl_claim_take(const char *dir, const char *name, const char *token, json_t *extra,
                  struct sl_claim *claim)
{
    struct sl_claim_look look;
    SL_TRY(sl_mkdir_all(dir));
    SL_TRY(sl_claim_look(dir, name, &look));
    int code = look.held ? refuse_held(&look) : take_next(&look, token, extra, claim);
    json_decref(look.record);
    if (code == SL_OK) sweep_takers(dir, name, claim);
    return code == SL_EAGAIN && !look.held ? refuse_faster(dir, name) : code;
}

bool sl_claim_lost(const struct sl_claim *claim)
{
    char next[SL_PATH_MAX];
    return sl_disk_join(next, "%s.%d.json", claim->stem, claim->n + 1) == SL_OK &&
           sl_disk_exists(next);
}

bool sl_claim_held(const struct sl_claim *claim)
{
    return sl_disk_exists(claim->path) && !sl_claim_lost(claim);
}

void sl_claim_beat(const struct sl_claim *claim)
{
    utimensat(AT_FDCWD, claim->path, NULL, 0); /* a missed beat is made good by the next */
}

int sl_claim_end(const struct sl_claim *claim, json_t *extra)
{
    SL_CHECK(sl_claim_held(claim), SL_EGUARD, "the claim %s was taken over", claim->path);
    char *text;
    size_t size;
    SL_TRY(sl_file_read(claim->path, RECORD_MAX, &text, &size));
    json_t *record = json_loadb(text, size, 0, NULL);
    free(text);
    SL_CHECK(record, SL_EIO, "the claim %s is damaged", claim->path);
    if (extra) json_object_update(record, extra);
    json_object_set_new(record, "end", json_real(sl_disk_now()));
    text = json_dumps(record, JSON_COMPACT);
    json_decref(record);
    SL_CHECK(text, SL_EMEM, "no memory for a claim");
    int code = sl_file_replace(claim->path, text, strlen(text), SL_DURABLE);
    free(text);
    return code;
}

/* The process carries SLUICE_TASK=token in the environment it was started with. */
static bool carries(const char *pid, const char *token)
{
    char path[64], want[SL_TOKEN_MAX + 16], *text = NULL;
    size_t capacity = 0;
    ssize_t n;
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    snprintf(want, sizeof want, "SLUICE_TASK=%s", token);
    FILE *f = fopen(path, "re");
    if (!f) return false;
    bool found = false;
    while (!found && (n = getdelim(&text, &capacity, '\0', f)) > 0)
        found = strcmp(text, want) == 0;
    free(text);
    fclose(f);
    return found;
}

int sl_claim_processes(const char *token, long *pids, int max)
{
    DIR *d = *token ? opendir("/proc") : NULL;
    int found = 0;
    if (!d) return 0;
    for (struct dirent *e; (e = readdir(d));) {
        char *end;
        long pid = strtol(e->d_name, &end, 10);
        if (*end || pid <= 1 || pid == (long)getpid()) continue;
        if (!carries(e->d_name, token) || process_start(pid) == 0) continue;
        if (found < max) pids[found] = pid;
        found++;
    }
    closedir(d);
    return found;
}

void sl_claim_signal(const char *token, int signal)
{
    enum { MANY = 4096 };
    long pids[MANY];
    int n = sl_claim_processes(token, pids, MANY);
    for (int i = 0; i < n && i < MANY; i++)
        kill((pid_t)pids[i], signal);
}

struct children {
    int listed, alive; /* those that wait to be waited for are listed, too */
};

static void count_children(const char *list, struct children *c)
{
    long pid;
    FILE *f = fopen(list, "re");
    while (f && fscanf(f, "%ld", &pid) == 1) {
        c->listed++;
        c->alive += process_start(pid) != 0;
    }
    if (f) fclose(f);
}

/* Each thread has those that it started. */
static struct children children_of(long pid)
{
    char path[64], list[128];
    struct children c = {0, 0};
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(list, sizeof list, "%s/%.20s/children", path, e->d_name);
        count_children(list, &c);
    }
    if (d) closedir(d);
    return c;
}

bool sl_claim_left(const char *token, long pid)
{
    long pids[2];
    struct process p;
    struct children c = children_of(pid);
    if (c.alive > 0 || !process_read(pid, &p) || p.state == 'D') return false;
    if (c.listed == 0 && p.faults == 0) return false; /* children that ended count there */
    return sl_claim_processes(token, pids, 2) == 1 && pids[0] == pid;
}

bool sl_claim_left_long(struct sl_left *left, const char *token, long pid)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((double)now.tv_sec < left->look_at) return false;
    left->look_at = (double)now.tv_sec + SL_LEFT_EVERY;
    left->looks = sl_claim_left(token, pid) ? left->looks + 1 : 0;
    return left->looks > SL_LEFT_WAIT / SL_LEFT_EVERY;
}

int sl_claim_sweep(const char *token)
{
    const struct timespec nap = {.tv_nsec = 20 * 1000 * 1000};
    for (int i = 0; i < 500; i++) {
        if (sl_claim_processes(token, NULL, 0) == 0) {
            sl_mpi_dir_remove(token);
            return SL_OK;
        }
        sl_claim_signal(token, SIGKILL);
        nanosleep(&nap, NULL);
    }
    return SL_FAIL(SL_EAGAIN, "processes of an earlier attempt do not end (SLUICE_TASK=%s)", token);
}
