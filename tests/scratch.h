/* scratch.h - a fresh directory for a test, and a small file system that can be full where the test
 * may mount one.
 *
 * Shapes none. Units none. Errors ends the test. Owns the directory, removed by the test. MPI
 * local. Where host. Refs none. Tests itself.
 */
#ifndef SL_TESTS_SCRATCH_H
#define SL_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Into path[256]; in TMPDIR if that is set. */
static inline void scratch_make(char *path, const char *name)
{
    const char *top = getenv("TMPDIR");
    if (!top) top = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"; /* memory: no waiting */
    snprintf(path, 256, "%s/sluice-%s-XXXXXX", top, name);
    if (!mkdtemp(path)) {
        perror(path);
        abort();
    }
}

static inline void scratch_remove(const char *path)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf -- '%s'", path);
    if (system(command) != 0) perror(path);
}

/* Mounts a file system of that many bytes at path; false, with a line that says so, where that is
 * not allowed. */
static inline bool scratch_mount(const char *path, size_t bytes)
{
    char option[64];
    snprintf(option, sizeof option, "size=%zu", bytes);
    if (mount("sluice", path, "tmpfs", 0, option) == 0) return true;
    perror("SKIP: cannot mount a small file system here");
    return false;
}

static inline void scratch_unmount(const char *path)
{
    if (umount2(path, MNT_DETACH) != 0) perror(path);
}

#endif
