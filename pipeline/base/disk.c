/* disk.c - see disk.h. */
#include "pipeline/base/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/crc32c.h"
#include "core/sys/status.h"

int sl_disk_join(char path[SL_PATH_MAX], const char *fmt, ...)
{
    char text[SL_PATH_MAX]; /* the arguments may point into path */
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    SL_CHECK(n >= 0 && n < SL_PATH_MAX, SL_EIO, "path too long: %.80s...", text);
    memcpy(path, text, (size_t)n + 1);
    return SL_OK;
}

bool sl_disk_exists(const char *path)
{
    char parent[SL_PATH_MAX];
    if (access(path, F_OK) == 0) return true;
    if (errno != ENOENT || sl_path_parent(parent, path) != SL_OK) return false;
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* NFS: forgets what changed since */
    if (fd >= 0) close(fd);
    return fd >= 0 && access(path, F_OK) == 0;
}

bool sl_disk_missing(const char *path)
{
    return !sl_disk_exists(path) && errno == ENOENT;
}

int sl_disk_own(const char *top, const char *path)
{
    char part[SL_PATH_MAX];
    struct stat st;
    SL_TRY(sl_disk_join(part, "%s/%s", top, path));
    for (char *p = part + strlen(top) + 1, *slash = p; slash; p = slash + 1) {
        if ((slash = strchr(p, '/'))) *slash = '\0';
        SL_CHECK(lstat(part, &st) != 0 || !S_ISLNK(st.st_mode), SL_EGUARD,
                 "%s is a symbolic link: nothing is written through one", part);
        if (slash) *slash = '/';
    }
    return SL_OK;
}

int sl_disk_open(const char *path, int *fd)
{
    struct stat st;
    /* not blocking: a FIFO in the place of a file must not hang us */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    SL_CHECK(*fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode)) return SL_OK;
    close(*fd);
    return SL_FAIL(SL_EIO, "%s is not a plain file", path);
}

int sl_disk_log(const char *path, int *fd)
{
    struct stat st;
    const int how = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    *fd = open(path, how, 0666);
    SL_CHECK(*fd >= 0 || errno != ELOOP, SL_EGUARD,
             "%s is a symbolic link: nothing is written through one", path);
    SL_CHECK(*fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode)) return SL_OK;
    close(*fd);
    *fd = -1;
    return SL_FAIL(SL_EGUARD, "%s is not a plain file", path);
}

int sl_disk_sum(const char *path, uint64_t *size, uint32_t *crc)
{
    enum { CHUNK = 1 << 20 };
    struct stat st;
    SL_CHECK(lstat(path, &st) == 0, SL_EIO, "cannot read %s: %s", path, strerror(errno));
    SL_CHECK(S_ISREG(st.st_mode), SL_EIO, "%s is not a regular file", path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    char *chunk = malloc(CHUNK);
    ssize_t n = 0;
    uint32_t sum = 0;
    uint64_t total = 0;
    while (chunk && (n = read(fd, chunk, CHUNK)) > 0) {
        sum = sl_crc32c(sum, chunk, (size_t)n);
        total += (uint64_t)n;
    }
    int why = errno;
    close(fd);
    free(chunk);
    SL_CHECK(chunk, SL_EMEM, "no memory to read %s", path);
    SL_CHECK(n == 0, SL_EIO, "cannot read %s: %s", path, strerror(why));
    *size = total;
    *crc = sum;
    return SL_OK;
}

struct walk {
    const char *top;
    int (*each)(const char *path, void *user);
    void *user;
    bool all; /* not files alone */
};

static int walk(const struct walk *w, const char *dir);

/* One entry of a directory: a file is handed on, a directory walked. */
static int walk_entry(const struct walk *w, const char *dir, const char *name)
{
    char path[SL_PATH_MAX], full[SL_PATH_MAX];
    struct stat st;
    SL_TRY(sl_disk_join(path, "%s%s%s", dir, *dir ? "/" : "", name));
    SL_TRY(sl_disk_join(full, "%s/%s", w->top, path));
    if (lstat(full, &st) != 0) return SL_OK; /* gone since it was listed */
    if (S_ISDIR(st.st_mode)) return walk(w, path);
    return w->all || S_ISREG(st.st_mode) ? w->each(path, w->user) : SL_OK;
}

static int not_dots(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int walk(const struct walk *w, const char *dir)
{
    char full[SL_PATH_MAX];
    SL_TRY(sl_disk_join(full, "%s%s%s", w->top, *dir ? "/" : "", dir));
    struct dirent **list;
    int n = scandir(full, &list, not_dots, alphasort);
    if (n < 0 && errno == ENOENT) return SL_OK;
    SL_CHECK(n >= 0, SL_EIO, "cannot list %s: %s", full, strerror(errno));
    int code = SL_OK;
    for (int i = 0; i < n; i++) {
        if (code == SL_OK) code = walk_entry(w, dir, list[i]->d_name);
        free(list[i]);
    }
    free(list);
    return code;
}

int sl_disk_walk(const char *top, const char *dir, int (*each)(const char *path, void *user),
                 void *user)
{
    return walk(&(struct walk){top, each, user, false}, dir);
}

int sl_disk_walk_all(const char *top, const char *dir, int (*each)(const char *path, void *user),
                     void *user)
{
    return walk(&(struct walk){top, each, user, true}, dir);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    remove(path);
    return 0;
}

void sl_disk_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

double sl_disk_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
