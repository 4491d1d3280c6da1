/* place.c - see place.h. */
#include "pipeline/launch/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/status.h"

/* So the kernel names a program whose file was replaced, as make does: the one that took its place
 * is meant. */
static void find_successor(char *path, size_t n)
{
    static const char gone[] = " (deleted)";
    const size_t end = sizeof gone - 1;
    if (n > end && strcmp(path + n - end, gone) == 0 && access(path, F_OK) != 0)
        path[n - end] = '\0';
}

int sl_place_self(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    SL_CHECK(n > 0, SL_EUNAVAIL, "cannot find out where sluice is installed: %s", strerror(errno));
    path[n] = '\0';
    find_successor(path, (size_t)n);
    return SL_OK;
}

/* Directory of the programs. */
static int programs(char *dir, size_t size)
{
    const char *chosen = getenv("SLUICE_PROGRAMS");
    if (chosen && *chosen) {
        char real[PATH_MAX];
        SL_CHECK(realpath(chosen, real) && strlen(real) < size, SL_EUNAVAIL,
                 "SLUICE_PROGRAMS=%s: %s", chosen, strerror(errno));
        memcpy(dir, real, strlen(real) + 1);
        return SL_OK;
    }
    SL_TRY(sl_place_self(dir, size));
    char *slash = strrchr(dir, '/');
    if (slash) *slash = '\0';
    return SL_OK;
}

int sl_place_program(const char *name, char *path, size_t size)
{
    char dir[PATH_MAX];
    SL_TRY(programs(dir, sizeof dir));
    int used = snprintf(path, size, "%s/%s", dir, name);
    SL_CHECK(used > 0 && (size_t)used < size, SL_EUNAVAIL, "the path of %s is too long", name);
    SL_CHECK(access(path, X_OK) == 0, SL_EUNAVAIL, "%s cannot be started: %s", path,
             strerror(errno));
    return SL_OK;
}
