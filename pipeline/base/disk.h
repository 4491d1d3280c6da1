/* disk.h - files of a campaign, known by size and checksum; beside core/sys/file.h, which writes
 * them.
 *
 * Shapes  paths are NUL-ended, at most SL_PATH_MAX - 1 bytes
 * Units   bytes
 * Errors  SL_EIO with the path and the system's reason, SL_EMEM; SL_EGUARD as said below
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/record.c
 */
#ifndef SL_PIPELINE_BASE_DISK_H
#define SL_PIPELINE_BASE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys/file.h"

/* path = dir "/" name ..., e.g. sl_disk_join(path, "%s/members/%s", dir, id); SL_EIO when too long.
 */
int sl_disk_join(char path[SL_PATH_MAX], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Asks the server anew where another host may have made the file just now (NFS remembers for up to
 * a minute what was not there). */
bool sl_disk_exists(const char *path);
/* It is not there, for sure: a file that its server does not give now is not missing. */
bool sl_disk_missing(const char *path);

/* Refuses (SL_EGUARD) when a component of path, which is relative to top, is a symbolic link: what
 * would be written below it would land elsewhere. Components that are missing are fine. */
int sl_disk_own(const char *top, const char *path);
/* Opens a file for reading, whatever may lie in its place: SL_EIO unless it is a plain file.
 * *fd is the caller's to close. */
int sl_disk_open(const char *path, int *fd);
/* Opens a log to be written on at its end, and makes it when it is not there; SL_EGUARD when a link
 * or something else that is no plain file is in its place. *fd is the caller's to close. */
int sl_disk_log(const char *path, int *fd);

/* Size and CRC-32C of a regular file; links and special files are SL_EIO. */
int sl_disk_sum(const char *path, uint64_t *size, uint32_t *crc);

/* Calls each(path relative to top, user) for every regular file below dir (relative to top, "" for
 * top itself), in order of names; links are not followed and not listed. A missing dir is no files.
 */
int sl_disk_walk(const char *top, const char *dir, int (*each)(const char *path, void *user),
                 void *user);
/* The same of all that is no directory: links and special files, too. */
int sl_disk_walk_all(const char *top, const char *dir, int (*each)(const char *path, void *user),
                     void *user);

/* Removes a file, or a directory with all below it; links are removed, not followed. What cannot be
 * removed stays. */
void sl_disk_remove(const char *path);

/* Seconds since 1970, with fraction. */
double sl_disk_now(void);

#endif
