/* file.c - see file.h. */
#include "core/sys/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/sys/crc32c.h"
#include "core/sys/status.h"

/* What a temporary name adds: TEMP_MARK and 16 hexadecimal digits. */
#define TEMP_MARK ".tmp-"

int sl_path_join(char *out, const char *dir, const char *name)
{
    int n = snprintf(out, SL_PATH_MAX, "%s%s%s", dir, *dir ? "/" : "", name);
    SL_CHECK(n >= 0 && n < SL_PATH_MAX, SL_EINPUT, "path is too long: %.80s.../%.80s", dir, name);
    return SL_OK;
}

int sl_path_parent(char *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    SL_CHECK(n < SL_PATH_MAX, SL_EINPUT, "path is too long: %.80s...", path);
    if (!slash) return sl_path_join(out, "", ".");
    if (n == 0) n = 1; /* the root itself */
    memcpy(out, path, n);
    out[n] = '\0';
    return SL_OK;
}

static int make_dir(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) == 0) return SL_OK;
    int why = errno;
    if (why == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return SL_OK;
    return SL_FAIL(SL_EIO, "cannot make directory %s: %s", path, strerror(why));
}

int sl_mkdir_all(const char *path)
{
    char part[SL_PATH_MAX];
    SL_TRY(sl_path_join(part, "", path));
    for (char *p = part + 1; *part && *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        SL_TRY(make_dir(part));
        *p = '/';
    }
    return make_dir(part);
}

static int open_retry(const char *path, int flags, mode_t mode)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static int sync_retry(int fd)
{
    int rc;
    do
        rc = fsync(fd);
    while (rc != 0 && errno == EINTR);
    return rc;
}

int sl_sync_dir(const char *path)
{
    int fd = open_retry(path, O_RDONLY | O_DIRECTORY, 0);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open directory %s: %s", path, strerror(errno));
    int rc = sync_retry(fd), why = errno;
    close(fd);
    /* some file systems refuse to flush a directory: there is nothing more to ask of them */
    SL_CHECK(rc == 0 || why == EINVAL, SL_EIO, "cannot flush directory %s: %s", path,
             strerror(why));
    return SL_OK;
}

int sl_sync_parent(const char *path)
{
    char dir[SL_PATH_MAX];
    SL_TRY(sl_path_parent(dir, path));
    return sl_sync_dir(dir);
}

int sl_write_all(int fd, const void *data, size_t n, const char *path)
{
    const char *p = data;
    for (size_t done = 0; done < n;) {
        ssize_t m = write(fd, p + done, n - done);
        if (m < 0 && errno == EINTR) continue;
        SL_CHECK(m > 0, SL_EIO, "cannot write %s: %s, %zu of %zu bytes written", path,
                 m < 0 ? strerror(errno) : "no progress", done, n);
        done += (size_t)m;
    }
    return SL_OK;
}

int sl_pwrite_all(int fd, const void *data, size_t n, off_t at, const char *path)
{
    const char *p = data;
    for (size_t done = 0; done < n;) {
        ssize_t m = pwrite(fd, p + done, n - done, at + (off_t)done);
        if (m < 0 && errno == EINTR) continue;
        SL_CHECK(m > 0, SL_EIO, "cannot write %s: %s, %zu of %zu bytes at %lld written", path,
                 m < 0 ? strerror(errno) : "no progress", done, n, (long long)at);
        done += (size_t)m;
    }
    return SL_OK;
}

int sl_pread_all(int fd, void *data, size_t n, off_t at, const char *path)
{
    char *p = data;
    for (size_t done = 0; done < n;) {
        ssize_t m = pread(fd, p + done, n - done, at + (off_t)done);
        if (m < 0 && errno == EINTR) continue;
        SL_CHECK(m >= 0, SL_EIO, "cannot read %s: %s", path, strerror(errno));
        SL_CHECK(m > 0, SL_EINPUT, "%s is cut short: ends %zu bytes early", path, n - done);
        done += (size_t)m;
    }
    return SL_OK;
}

int sl_file_sum(int fd, off_t from, off_t to, const char *path, uint32_t *crc)
{
    enum { CHUNK = 1 << 20 };
    char *chunk = malloc(CHUNK);
    SL_CHECK(chunk, SL_EMEM, "no memory for a checksum");
    int code = SL_OK;
    for (off_t at = from; at < to && code == SL_OK; at += CHUNK) {
        size_t n = (size_t)(to - at < CHUNK ? to - at : CHUNK);
        code = sl_pread_all(fd, chunk, n, at, path);
        if (code == SL_OK) *crc = sl_crc32c(*crc, chunk, n);
    }
    free(chunk);
    return code;
}

int sl_close_synced(int fd, const char *path)
{
    int rc = sync_retry(fd), why = errno;
    int closed = close(fd); /* Linux frees the descriptor whatever close returns */
    if (rc == 0 && closed != 0 && errno != EINTR) rc = -1, why = errno;
    SL_CHECK(rc == 0, SL_EIO, "cannot flush %s: %s", path, strerror(why));
    return SL_OK;
}

static int temp_name(char *out, const char *path)
{
    uint64_t random;
    SL_CHECK(getrandom(&random, sizeof random, 0) == sizeof random, SL_EIO,
             "no random number for a temporary name");
    int n = snprintf(out, SL_PATH_MAX, "%s" TEMP_MARK "%016" PRIx64, path, random);
    SL_CHECK(n < SL_PATH_MAX, SL_EINPUT, "path is too long: %.80s...", path);
    return SL_OK;
}

static int write_new(const char *path, const void *data, size_t n, enum sl_durable durable)
{
    int fd = open_retry(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    SL_CHECK(fd >= 0, SL_EIO, "cannot create %s: %s", path, strerror(errno));
    int code = sl_write_all(fd, data, n, path);
    if (code == SL_OK && durable != SL_VOLATILE) return sl_close_synced(fd, path);
    if (close(fd) != 0 && code == SL_OK)
        code = SL_FAIL(SL_EIO, "cannot write %s: %s", path, strerror(errno));
    return code;
}

int sl_file_replace(const char *path, const void *data, size_t n, enum sl_durable durable)
{
    char temp[SL_PATH_MAX];
    SL_TRY(temp_name(temp, path));
    int code = write_new(temp, data, n, durable);
    if (code == SL_OK && rename(temp, path) != 0)
        code = SL_FAIL(SL_EIO, "cannot rename %s to %s: %s", temp, path, strerror(errno));
    if (code != SL_OK) {
        unlink(temp);
        return code;
    }
    return durable == SL_DURABLE ? sl_sync_parent(path) : SL_OK;
}

static bool is_replaceable(const char *path)
{
    struct stat st;
    return lstat(path, &st) != 0 || S_ISREG(st.st_mode);
}

int sl_file_replaceable(const char *path)
{
    SL_CHECK(is_replaceable(path), SL_EINPUT, "%s is there already and no plain file", path);
    return SL_OK;
}

int sl_file_put(const char *path, const void *data, size_t n)
{
    if (is_replaceable(path)) return sl_file_replace(path, data, n, SL_DURABLE);
    int fd = open_retry(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0666);
    SL_CHECK(fd >= 0, SL_EIO, "cannot write %s: %s", path, strerror(errno));
    int code = sl_write_all(fd, data, n, path);
    if (close(fd) != 0 && code == SL_OK)
        code = SL_FAIL(SL_EIO, "cannot write %s: %s", path, strerror(errno));
    return code;
}

static int is_leftover(const char *entry, const char *base)
{
    size_t n = strlen(base), mark = strlen(TEMP_MARK);
    return strncmp(entry, base, n) == 0 && strncmp(entry + n, TEMP_MARK, mark) == 0 &&
           strlen(entry + n + mark) == 16;
}

int sl_file_sweep(const char *path)
{
    char dir[SL_PATH_MAX];
    SL_TRY(sl_path_parent(dir, path));
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    DIR *d = opendir(dir);
    SL_CHECK(d, SL_EIO, "cannot read directory %s: %s", dir, strerror(errno));
    for (struct dirent *e; (e = readdir(d));)
        if (is_leftover(e->d_name, base)) unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    return SL_OK;
}

static int read_open_file(int fd, const char *path, size_t cap, char **text, size_t *n)
{
    struct stat st;
    SL_CHECK(fstat(fd, &st) == 0, SL_EIO, "cannot read %s: %s", path, strerror(errno));
    SL_CHECK(S_ISREG(st.st_mode), SL_EINPUT, "%s is not a plain file", path);
    SL_CHECK((uintmax_t)st.st_size <= cap, SL_EINPUT, "%s has %jd bytes, more than %zu", path,
             (intmax_t)st.st_size, cap);
    size_t size = (size_t)st.st_size;
    char *p = malloc(size + 1);
    SL_CHECK(p, SL_EMEM, "no memory for the %zu bytes of %s", size, path);
    int code = sl_pread_all(fd, p, size, 0, path);
    if (code != SL_OK) {
        free(p);
        return code;
    }
    p[size] = '\0';
    *text = p;
    *n = size;
    return SL_OK;
}

bool sl_file_missing(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENXIO;
}

int sl_file_status(int error)
{
    static const int named[] = {EISDIR, EACCES, EPERM, ENAMETOOLONG};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (error == named[i]) return SL_EINPUT;
    return sl_file_missing(error) ? SL_EINPUT : SL_EIO;
}

int sl_dir_next(DIR *dir, const char *path, struct dirent **entry)
{
    errno = 0;
    *entry = readdir(dir);
    SL_CHECK(*entry || errno == 0, SL_EIO, "cannot read the directory %s: %s", path,
             strerror(errno));
    return SL_OK;
}

int sl_file_read(const char *path, size_t cap, char **text, size_t *n)
{
    /* not blocking: a fifo in the place of a file must not hang us */
    int fd = open_retry(path, O_RDONLY | O_NONBLOCK, 0);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    int code = read_open_file(fd, path, cap, text, n);
    close(fd);
    return code;
}

int sl_check_room(const char *dir, uint64_t need)
{
    struct statvfs fs;
    SL_CHECK(statvfs(dir, &fs) == 0, SL_EIO, "cannot ask %s for its free space: %s", dir,
             strerror(errno));
    uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
    SL_CHECK(room >= need, SL_EIO, "no room in %s: %" PRIu64 " bytes needed, %" PRIu64 " free", dir,
             need, room);
    SL_CHECK(fs.f_files == 0 || fs.f_favail > 0, SL_EIO, "no room in %s: no more files allowed",
             dir);
    return SL_OK;
}

int sl_reserve(int fd, uint64_t n, const char *path)
{
    if (n == 0) return SL_OK;
    int rc;
    do
        rc = fallocate(fd, 0, 0, (off_t)n);
    while (rc != 0 && errno == EINTR);
    /* file systems that cannot reserve leave it to the write to fail */
    SL_CHECK(rc == 0 || errno == EOPNOTSUPP || errno == ENOSYS, SL_EIO,
             "no room for %s: %" PRIu64 " bytes needed: %s", path, n, strerror(errno));
    return SL_OK;
}

int sl_remove_dir(const char *path)
{
    DIR *d = opendir(path);
    if (!d && errno == ENOENT) return SL_OK;
    SL_CHECK(d, SL_EIO, "cannot read directory %s: %s", path, strerror(errno));
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    SL_CHECK(rmdir(path) == 0, SL_EIO, "cannot remove directory %s: %s", path, strerror(errno));
    return SL_OK;
}
