/* faults.c - one call of a program fails: a library that is loaded before it (LD_PRELOAD). Calls on
 * files, and those that start processes, count over all processes of that name together; see
 * tests/law/faults.sh.
 *
 *   FAULTS_PROGRAM   name of the program: others are left alone
 *   FAULTS_BOARD     file of one page where the calls are counted, a number of 8 bytes for each
 *                    kind, and then those that failed
 *   FAULTS_CALL      kind of call to fail, a name of the list below; none: they are only counted
 *   FAULTS_AT        which of them, from 1 on
 *   FAULTS_HOW       error: it fails and does nothing; stale: so it does as on NFS when the server
 *                    knows the file no more; short: half of the bytes are written; late: it waits
 *                    for three seconds
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Functions of the system that the library stands in for, and the kinds of calls, of which one may
 * be chosen. */
#define FUNCTIONS(X)                                                                               \
    X(write)                                                                                       \
    X(pwrite)                                                                                      \
    X(rename)                                                                                      \
    X(fsync)                                                                                       \
    X(link)                                                                                        \
    X(mkdir)                                                                                       \
    X(ftruncate)                                                                                   \
    X(fallocate)                                                                                   \
    X(copy_file_range)                                                                             \
    X(fork)                                                                                        \
    X(open)                                                                                        \
    X(read)                                                                                        \
    X(symlink)                                                                                     \
    X(unlink)                                                                                      \
    X(unlinkat)                                                                                    \
    X(rmdir)                                                                                       \
    X(fdatasync)
#define CALLS(X)   FUNCTIONS(X) X(mpi_open)
#define ENUM(name) CALL_##name,
enum call { CALLS(ENUM) CALL_COUNT };
#define NAME(name) #name,
static const char *const names[] = {CALLS(NAME)};

enum how { HOW_DO, HOW_ERROR, HOW_SHORT };
static uint64_t *board;
static int chosen = -1;
static uint64_t at;

static void open_board(void)
{
    const char *path = getenv("FAULTS_BOARD"), *call = getenv("FAULTS_CALL"),
               *when = getenv("FAULTS_AT");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    board = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (board == MAP_FAILED) board = NULL;
    for (int i = 0; call && i < CALL_COUNT; i++)
        if (strcmp(call, names[i]) == 0) chosen = i;
    at = when ? strtoull(when, NULL, 10) : 0;
}

/* Where they are. They are found once, as the program begins: dlsym takes a lock, and mpirun writes
 * in a signal handler, perhaps while it reads. */
#define NUMBER(name) SYSTEM_##name,
enum system { FUNCTIONS(NUMBER) SYSTEM_pread, SYSTEM_openat, SYSTEM_fopen, SYSTEM_COUNT };
static void *found[SYSTEM_COUNT];

static void *find(enum system i, const char *name)
{
    if (!found[i]) found[i] = dlsym(RTLD_NEXT, name);
    return found[i];
}

#define REAL(name) ((__typeof__(&name))find(SYSTEM_##name, #name))
#define FIND(name) find(SYSTEM_##name, #name);

__attribute__((constructor)) static void begin(void)
{
    FUNCTIONS(FIND)
    FIND(pread) FIND(openat) FIND(fopen) const char *name = getenv("FAULTS_PROGRAM");
    if (name && strcmp(name, program_invocation_short_name) == 0) open_board();
}

/* Counts the call, and tells what becomes of it. */
static enum how next(enum call call)
{
    const char *how = getenv("FAULTS_HOW");
    if (!board || __atomic_add_fetch(&board[call], 1, __ATOMIC_SEQ_CST) != at ||
        (int)call != chosen || !how)
        return HOW_DO;
    __atomic_add_fetch(&board[CALL_COUNT], 1, __ATOMIC_SEQ_CST);
    if (strcmp(how, "late") == 0) sleep(3);
    bool stale = strcmp(how, "stale") == 0;
    errno = stale ? ESTALE : call == CALL_fork ? EAGAIN : EIO;
    return stale || strcmp(how, "error") == 0 ? HOW_ERROR
           : strcmp(how, "short") == 0        ? HOW_SHORT
                                              : HOW_DO;
}

static bool is_file(int fd)
{
    struct stat st;
    int before = errno;
    bool file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    errno = before;
    return file;
}

ssize_t write(int fd, const void *data, size_t size)
{
    enum how how = is_file(fd) ? next(CALL_write) : HOW_DO;
    return how == HOW_ERROR ? -1 : REAL(write)(fd, data, how == HOW_SHORT ? size / 2 : size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    enum how how = is_file(fd) ? next(CALL_pwrite) : HOW_DO;
    return how == HOW_ERROR ? -1
                            : REAL(pwrite)(fd, data, how == HOW_SHORT ? size / 2 : size, offset);
}

ssize_t copy_file_range(int in, off_t *from, int out, off_t *to, size_t size, unsigned flags)
{
    enum how how = next(CALL_copy_file_range);
    return how == HOW_ERROR
               ? -1
               : REAL(copy_file_range)(in, from, out, to, how == HOW_SHORT ? 7 : size, flags);
}

int rename(const char *from, const char *to)
{
    return next(CALL_rename) == HOW_ERROR ? -1 : REAL(rename)(from, to);
}

int link(const char *from, const char *to)
{
    return next(CALL_link) == HOW_ERROR ? -1 : REAL(link)(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    return next(CALL_mkdir) == HOW_ERROR ? -1 : REAL(mkdir)(path, mode);
}

int fsync(int fd)
{
    return next(CALL_fsync) == HOW_ERROR ? -1 : REAL(fsync)(fd);
}

int ftruncate(int fd, off_t size)
{
    return next(CALL_ftruncate) == HOW_ERROR ? -1 : REAL(ftruncate)(fd, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size)
{
    return next(CALL_fallocate) == HOW_ERROR ? -1 : REAL(fallocate)(fd, mode, offset, size);
}

int fdatasync(int fd)
{
    return next(CALL_fdatasync) == HOW_ERROR ? -1 : REAL(fdatasync)(fd);
}

int symlink(const char *to, const char *path)
{
    return next(CALL_symlink) == HOW_ERROR ? -1 : REAL(symlink)(to, path);
}

int unlink(const char *path)
{
    return next(CALL_unlink) == HOW_ERROR ? -1 : REAL(unlink)(path);
}

int unlinkat(int dir, const char *path, int flags)
{
    return next(CALL_unlinkat) == HOW_ERROR ? -1 : REAL(unlinkat)(dir, path, flags);
}

int rmdir(const char *path)
{
    return next(CALL_rmdir) == HOW_ERROR ? -1 : REAL(rmdir)(path);
}

/* Files of a campaign, not those of the system: under the working directory, or where TMPDIR is. */
static bool is_ours(const char *path)
{
    return *path != '/' || strncmp(path, "/tmp/", 5) == 0 || strncmp(path, "/var/tmp/", 9) == 0;
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (board && is_ours(path) && next(CALL_open) == HOW_ERROR) return -1;
    return REAL(open)(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (board && is_ours(path) && next(CALL_open) == HOW_ERROR) return -1;
    return REAL(openat)(dir, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    if (board && is_ours(path) && next(CALL_open) == HOW_ERROR) return NULL;
    return REAL(fopen)(path, mode);
}

static bool reads_file(int fd)
{
    return board && is_file(fd);
}

ssize_t read(int fd, void *data, size_t size)
{
    return reads_file(fd) && next(CALL_read) == HOW_ERROR ? -1 : REAL(read)(fd, data, size);
}

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
    return reads_file(fd) && next(CALL_read) == HOW_ERROR ? -1
                                                          : REAL(pread)(fd, data, size, offset);
}

/* by these names libraries call them that were built for files of any length on any machine, as
 * SQLite */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
ssize_t pwrite64(int fd, const void *data, size_t n, off_t at) __attribute__((alias("pwrite")));
ssize_t pread64(int fd, void *data, size_t n, off_t at) __attribute__((alias("pread")));
int ftruncate64(int fd, off_t size) __attribute__((alias("ftruncate")));

pid_t fork(void)
{
    return next(CALL_fork) == HOW_ERROR ? -1 : REAL(fork)();
}

/* No program opens files by MPI: should one begin to, this is where its faults are to be added. */
int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file)
{
    __typeof__(&MPI_File_open) real = (__typeof__(&MPI_File_open))dlsym(RTLD_NEXT, "MPI_File_open");
    return next(CALL_mpi_open) == HOW_ERROR ? MPI_ERR_IO : real(comm, path, mode, info, file);
}
