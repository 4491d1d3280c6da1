/* child.c - see child.h. */
#include "pipeline/launch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/launch/mpi_dir.h"

void sl_args_add(struct sl_args *args, const char *fmt, ...)
{
    va_list list;
    char *text = NULL;
    va_start(list, fmt);
    int n = args->n < SL_ARGS_MAX ? vasprintf(&text, fmt, list) : -1;
    va_end(list);
    if (n < 0)
        args->full = true;
    else
        args->list[args->n++] = text;
}

void sl_args_release(struct sl_args *args)
{
    for (int i = 0; i < args->n; i++)
        free(args->list[i]);
    memset(args, 0, sizeof *args);
}

/* Between fork and exec only calls that are safe after fork. */
static void become(const struct sl_child *c, pid_t parent, int report)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, c->on_death);
    if (getppid() != parent) _exit(127); /* the parent died before the line above */
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int input = open("/dev/null", O_RDONLY);
    if ((!c->dir || chdir(c->dir) == 0) && input >= 0 && dup2(input, 0) == 0 &&
        (c->out < 0 || dup2(c->out, 1) == 1) && (c->err < 0 || dup2(c->err, 2) == 2))
        execvp(c->args.list[0], c->args.list);
    int why = errno;
    if (write(report, &why, sizeof why) < 0) _exit(126);
    _exit(127);
}

/* A variable that only the child shall have so. */
struct mark {
    const char *name, *value; /* value NULL or "": as ours */
    char *before;
};

static bool set_mark(struct mark *m)
{
    const char *own = getenv(m->name);
    m->before = own ? strdup(own) : NULL;
    return (!own || m->before) && (!m->value || !*m->value || setenv(m->name, m->value, 1) == 0);
}

static void unset_mark(struct mark *m)
{
    /* better none than another's */
    if (!m->before || setenv(m->name, m->before, 1) != 0) unsetenv(m->name);
    free(m->before);
}

/* Forks with SLUICE_TASK=token, which only the child keeps: a later child without a token must not
 * be taken for one of this attempt, and be killed when that ends. Returns errno, 0: done. */
static int fork_marked(const struct sl_child *c, int report, pid_t *pid)
{
    struct mark task = {.name = "SLUICE_TASK", .value = c->token};
    struct mark dir = {.name = SL_MPI_DIR_NAME, .value = c->mpi_dir};
    struct mark devices = {.name = "CUDA_VISIBLE_DEVICES", .value = c->devices};
    pid_t parent = getpid();
    bool marked = set_mark(&task);
    marked = set_mark(&dir) && marked;
    marked = set_mark(&devices) && marked;
    int why = marked ? 0 : ENOMEM;
    if (why == 0) {
        *pid = fork();
        if (*pid == 0) become(c, parent, report);
        if (*pid < 0) why = errno;
    }
    unset_mark(&devices);
    unset_mark(&dir);
    unset_mark(&task);
    return why;
}

int sl_child_start(const struct sl_child *c, pid_t *pid)
{
    int report[2], why = 0;
    SL_CHECK(!c->args.full, SL_EMEM, "no memory for the arguments of a program");
    SL_CHECK(pipe2(report, O_CLOEXEC) == 0, SL_EIO, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    int failed = fork_marked(c, report[1], pid);
    close(report[1]);
    ssize_t n = failed ? 0 : read(report[0], &why, sizeof why); /* 0: exec closed it */
    close(report[0]);
    SL_CHECK(!failed, SL_EIO, "cannot start a process: %s", strerror(failed));
    if (n == (ssize_t)sizeof why) {
        waitpid(*pid, NULL, 0);
        return SL_FAIL(SL_EUNAVAIL, "cannot start %s: %s", c->args.list[0], strerror(why));
    }
    return SL_OK;
}

int sl_child_capture(const struct sl_child *from, char *text, size_t size, int *code)
{
    int ends[2], status = 0;
    pid_t pid;
    SL_CHECK(pipe2(ends, O_CLOEXEC) == 0, SL_EIO, "cannot make a pipe: %s", strerror(errno));
    struct sl_child child = *from;
    child.out = ends[1];
    int started = sl_child_start(&child, &pid);
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got = 1; started == SL_OK && got > 0; n += got > 0 ? (size_t)got : 0)
        got = n + 1 < size ? read(ends[0], text + n, size - 1 - n) : 0;
    text[n] = '\0';
    close(ends[0]);
    if (started != SL_OK) return started;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    *code = sl_child_code(status);
    return SL_OK;
}

/* What is ignored comes all the same once it is blocked. */
static bool hangup_ignored(void)
{
    struct sigaction now;
    return sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void sl_child_block(const int *list, int n, sigset_t *set, sigset_t *old)
{
    sigemptyset(set);
    for (int i = 0; i < n; i++)
        if (list[i] != SIGHUP || !hangup_ignored()) sigaddset(set, list[i]);
    sigprocmask(SIG_BLOCK, set, old);
}

int sl_child_find(const char *program)
{
    const char *list = getenv("PATH");
    char path[SL_PATH_MAX];
    for (const char *p = list ? list : ""; *p;) {
        size_t n = strcspn(p, ":");
        SL_TRY(sl_disk_join(path, "%.*s%s%s", (int)n, p, n ? "/" : "", program));
        if (access(path, X_OK) == 0) return SL_OK;
        p += n + (p[n] == ':');
    }
    return SL_FAIL(SL_EUNAVAIL, "%s is not in PATH: is MPI installed and its module loaded?",
                   program);
}

int sl_child_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void sl_child_ending(int status, char *text, size_t size)
{
    int code = sl_child_code(status); /* mpirun tells the signal of a rank as 128 + signal */
    if (code > 128 && code < 128 + 65 && code != SL_EINTR)
        snprintf(text, size, "killed by signal %d (%s)", code - 128, strsignal(code - 128));
    else
        snprintf(text, size, "exit code %d (%s)", code, sl_status_text(code));
}
