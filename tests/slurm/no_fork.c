/* no_fork.c - preloaded into jobs, lets the task of a member start one process and refuses the
 * second, once, as a node without room does: the file that NO_FORK names tells that it was.
 * tests/slurm/pack.sh builds it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *refused; /* NULL: nothing is refused here */
static pid_t task;
static int forks;

__attribute__((constructor)) static void begin(void)
{
    const char *job = getenv("SLURM_JOB_NAME");
    task = getpid();
    if (job && strstr(job, "-sim-") && strcmp(program_invocation_short_name, "sluice") == 0)
        refused = getenv("NO_FORK");
}

pid_t fork(void)
{
    pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    if (!refused || getpid() != task || ++forks != 2) return real();
    if (open(refused, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644) < 0) return real();
    errno = EAGAIN;
    return -1;
}
