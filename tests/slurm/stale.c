/* stale.c - preloaded into jobs, makes a directory look as over NFS: an end-record that another
 * process wrote is not seen for STALE seconds, and what a run made for some more; there are no
 * locks. tests/slurm/stale.sh builds it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int wrote;             /* this process sees what it made */
static long stale, stale_run; /* seconds */

/* Before the process changes its environment. */
__attribute__((constructor)) static void begin(void)
{
    const char *seconds = getenv("STALE"), *job = getenv("SLURM_JOB_NAME");
    if (!seconds || !job) return;
    stale = atol(seconds);
    if (strstr(job, "-stats-")) stale_run = stale + 4;
}

static int ends_with(const char *path, const char *tail)
{
    size_t n = strlen(path), t = strlen(tail);
    return n >= t && strcmp(path + n - t, tail) == 0;
}

/* Seconds for which a file of another node is not seen: what a run made is seen after its
 * end-record. */
static long late(const char *path)
{
    if (wrote) return 0;
    return ends_with(path, ".end.json") ? stale : ends_with(path, "history.tsv") ? stale_run : 0;
}

static int hidden(int dir, const char *path)
{
    struct stat st;
    long seconds = late(path);
    if (seconds == 0 || fstatat(dir, path, &st, 0) != 0) return 0;
    if (time(NULL) - st.st_mtime >= seconds) return 0;
    errno = ENOENT;
    return 1;
}

int access(const char *path, int mode)
{
    return hidden(AT_FDCWD, path) ? -1 : faccessat(AT_FDCWD, path, mode, 0);
}

int faccessat(int dir, const char *path, int mode, int flags)
{
    int (*real)(int, const char *, int, int) = dlsym(RTLD_NEXT, "faccessat");
    return hidden(dir, path) ? -1 : real(dir, path, mode, flags);
}

int lstat(const char *path, struct stat *st)
{
    return hidden(AT_FDCWD, path) ? -1 : fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return hidden(AT_FDCWD, path) ? -1 : openat(AT_FDCWD, path, flags, mode);
}

int rename(const char *from, const char *to)
{
    wrote |= ends_with(to, ".end.json");
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int fcntl(int fd, int what, ...)
{
    int (*real)(int, int, ...) = dlsym(RTLD_NEXT, "fcntl");
    va_list more;
    va_start(more, what);
    void *arg = va_arg(more, void *);
    va_end(more);
    if (what != F_SETLK && what != F_SETLKW) return real(fd, what, arg);
    errno = ENOLCK;
    return -1;
}
