/* file.h - files that appear complete or not at all, and the system calls behind them with every
 * return checked.
 *
 * Shapes  none
 * Units   bytes
 * Errors  SL_EIO with the path and the system's reason; SL_EINPUT for a name that does not fit or a
 *         file that is too large or cut short; SL_EMEM
 * Owns    what the caller must free is said below
 * MPI     local
 * Where   host; calls that a signal or a short write interrupts are continued
 * Refs    none
 * Tests   tests/unit/file.c
 */
#ifndef SL_SYS_FILE_H
#define SL_SYS_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SL_PATH_MAX = 4096 };

/* dir/name into out[SL_PATH_MAX]; dir may be "". out must be neither of them. */
int sl_path_join(char *out, const char *dir, const char *name);
/* The directory of path ("." when it names none) into out[SL_PATH_MAX]. */
int sl_path_parent(char *out, const char *path);

/* Makes path and the directories above it; fine when they are there. */
int sl_mkdir_all(const char *path);
/* Makes the entries of a directory, or of the one that holds path, survive a power cut. */
int sl_sync_dir(const char *path);
int sl_sync_parent(const char *path);

/* Replaces path by n bytes: written to a name of its own beside it, renamed. flushed: first, so
 * that a power cut leaves the old or the new bytes; durable: and the directory after it, so that it
 * leaves the new ones. On error path is as it was. Several writers do not disturb each other: the
 * last one wins. */
enum sl_durable { SL_VOLATILE, SL_FLUSHED, SL_DURABLE };
int sl_file_replace(const char *path, const void *data, size_t n, enum sl_durable durable);
/* A file that a person named: as sl_file_replace (durable) where nothing or a plain file is; what
 * else is there, a pipe, a device or a link, stays what it is and is written into, as a shell's >
 * does. */
int sl_file_put(const char *path, const void *data, size_t n);
/* SL_EINPUT when something other than a plain file is there, which a rename would replace. */
int sl_file_replaceable(const char *path);
/* Removes what killed writers of path left beside it; only while nobody else writes path. */
int sl_file_sweep(const char *path);

/* Reads a whole file of at most cap bytes. *text is the caller's to free, a zero byte follows it.
 */
int sl_file_read(const char *path, size_t cap, char **text, size_t *n);

/* Whether an open that failed with `error` (of errno) says that there is no such file: nothing has
 * the name, or what has it is of another kind (a link, a socket, a file where a directory is asked
 * for). */
bool sl_file_missing(int error);

/* Status of an open or read that failed with `error` (of errno): SL_EINPUT if the name leads to no
 * file that may be read, SL_EIO if the system failed, so that another try may succeed. */
int sl_file_status(int error);

/* Reads the next entry of the open directory `path`: NULL at its end, SL_EIO if the system fails to
 * read it. */
int sl_dir_next(DIR *dir, const char *path, struct dirent **entry);

/* All n bytes or an error; `path` is for the message. Reading past the end is SL_EINPUT. */
int sl_write_all(int fd, const void *data, size_t n, const char *path);
int sl_pwrite_all(int fd, const void *data, size_t n, off_t at, const char *path);
int sl_pread_all(int fd, void *data, size_t n, off_t at, const char *path);
/* Adds the bytes from .. to - 1 of a file to *crc, the checksum (crc32c.h) of those before; 0 at
 * the start. */
int sl_file_sum(int fd, off_t from, off_t to, const char *path, uint32_t *crc);
/* Flushes and closes; the descriptor is gone even on error. */
int sl_close_synced(int fd, const char *path);

/* Refuses when the file system of dir has no room for `need` more bytes. */
int sl_check_room(const char *dir, uint64_t need);
/* Reserves bytes 0 .. n of an open file where the file system can. */
int sl_reserve(int fd, uint64_t n, const char *path);

/* Removes a directory and the plain files in it; fine when it is not there. */
int sl_remove_dir(const char *path);

#endif
