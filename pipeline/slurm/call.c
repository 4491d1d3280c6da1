/* call.c - see slurm/call.h. */
#include "pipeline/slurm/call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/status.h"

extern char **environ;

enum { ANSWER_MAX = 64 << 20 };

/* ---- the environment ------------------------------------------------------------------------- */

bool sl_slurm_foreign(const char *entry)
{
    static const char *const families[] = {"SLURM_", "SBATCH_", "SRUN_",     "SALLOC_", "SQUEUE_",
                                           "SACCT_", "SINFO_",  "SCONTROL_", "SCANCEL_"};
    if (strncmp(entry, "SLURM_CONF=", 11) == 0 || strcmp(entry, "SLURM_CONF") == 0) return false;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(entry, families[i], strlen(families[i])) == 0) return true;
    return false;
}

void sl_slurm_scrub(void)
{
    char name[256];
    for (char **e = environ; *e;) {
        size_t n = strcspn(*e, "=");
        if (!sl_slurm_foreign(*e) || n >= sizeof name) {
            e++;
            continue;
        }
        memcpy(name, *e, n);
        name[n] = '\0';
        unsetenv(name);
        e = environ; /* the list has changed */
    }
}

/* The environment of a command; the list is the caller's, its texts are not. */
static char **clean_environment(void)
{
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **list = calloc(n + 3, sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        if (!sl_slurm_foreign(environ[i]) && strncmp(environ[i], "SLUICE_TASK=", 12) != 0 &&
            strncmp(environ[i], "LC_ALL=", 7) != 0)
            list[kept++] = environ[i];
    if (list) list[kept++] = "LC_ALL=C";
    if (list) list[kept++] = "SLURM_BITSTR_LEN=0"; /* squeue: indices in full */
    return list;
}

/* ---- the call -------------------------------------------------------------------------------- */

struct pipes {
    int out[2], err[2];
};

static void become(const struct sl_args *args, const struct pipes *p, char **env, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* whoever looks for the job after we died must not be overtaken by a late sbatch */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    signal(SIGPIPE, SIG_DFL);
    int input = open("/dev/null", O_RDONLY);
    if (input >= 0 && dup2(input, 0) == 0 && dup2(p->out[1], 1) == 1 && dup2(p->err[1], 2) == 2)
        execvpe(args->list[0], args->list, env);
    _exit(127);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads what is there; false at the end. */
static bool take(int fd, struct sl_buffer *to)
{
    char bytes[16384];
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false;
    if (to->n < ANSWER_MAX) sl_buffer_bytes(to, bytes, (size_t)n);
    return true;
}

/* Collects the output until both ends are closed; false when time was up. */
static bool collect(const struct pipes *p, double limit, struct sl_answer *a)
{
    struct pollfd fds[2] = {{.fd = p->out[0], .events = POLLIN},
                            {.fd = p->err[0], .events = POLLIN}};
    double end = now() + limit;
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        double left = end - now();
        if (left <= 0) return false;
        if (poll(fds, 2, (int)(left * 1000) + 1) < 0 && errno != EINTR) return false;
        if (fds[0].revents && !take(p->out[0], &a->out)) fds[0].fd = -1;
        if (fds[1].revents && !take(p->err[0], &a->err)) fds[1].fd = -1;
    }
    return true;
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 127;
    return sl_child_code(status);
}

static int open_pipes(struct pipes *p)
{
    SL_CHECK(pipe2(p->out, O_CLOEXEC) == 0, SL_EIO, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(p->err, O_CLOEXEC) == 0) return SL_OK;
    close(p->out[0]);
    close(p->out[1]);
    return SL_FAIL(SL_EIO, "cannot make a pipe: %s", strerror(errno));
}

int sl_slurm_call(const struct sl_args *args, double limit, struct sl_answer *a)
{
    struct pipes p;
    memset(a, 0, sizeof *a);
    SL_CHECK(!args->full, SL_EMEM, "no memory for the arguments of %s", args->list[0]);
    char **env = clean_environment();
    SL_CHECK(env, SL_EMEM, "no memory for an environment");
    int code = open_pipes(&p);
    if (code != SL_OK) {
        free(env);
        return code;
    }
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) become(args, &p, env, parent);
    close(p.out[1]);
    close(p.err[1]);
    bool whole = pid > 0 && collect(&p, limit, a);
    if (pid > 0 && !whole) kill(pid, SIGKILL);
    if (pid > 0) a->code = wait_for(pid);
    close(p.out[0]);
    close(p.err[0]);
    free(env);
    SL_CHECK(pid > 0, SL_EIO, "cannot start %s", args->list[0]);
    SL_CHECK(whole, SL_EUNAVAIL, "%s gave no answer in %.0f s", args->list[0], limit);
    SL_CHECK(a->code != 127, SL_EUNAVAIL, "cannot start %s: is Slurm installed here?",
             args->list[0]);
    return SL_OK;
}

void sl_answer_release(struct sl_answer *a)
{
    sl_buffer_release(&a->out);
    sl_buffer_release(&a->err);
}

const char *sl_answer_line(struct sl_answer *a)
{
    struct sl_buffer *b = a->err.n ? &a->err : &a->out;
    if (!b->s) return "";
    b->s[strcspn(b->s, "\n")] = '\0';
    return b->s;
}

bool sl_slurm_unsure(const char *message)
{
    static const char *const words[] = {"ocket",  "ontact",        "onnect",   "timed out",
                                        "imeout", "ero Bytes",     "rotocol",  "ommunication",
                                        "unge",   "uthentication", "no answer"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(message, words[i])) return true;
    return false;
}

/* The number at the begin of text, where one of `ends`, or nothing, follows; -1: there is none. */
static long long number(const char *text, const char *ends)
{
    size_t digits = strspn(text, "0123456789");
    bool is = digits > 0 && digits < 19 && (!text[digits] || strchr(ends, text[digits]));
    return is ? strtoll(text, NULL, 10) : -1;
}

long long sl_slurm_job_id(const char *text)
{
    static const char words[] = "Submitted batch job ";
    long long bare = -1, said = -1;
    for (const char *line = text; line && *line;) {
        bool says = strncmp(line, words, sizeof words - 1) == 0;
        long long id = says ? number(line + sizeof words - 1, " \n") : number(line, ";\n");
        if (id >= 0) *(says ? &said : &bare) = id;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return said >= 0 ? said : bare;
}
