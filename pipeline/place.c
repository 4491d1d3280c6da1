/* place.c - see place.h. */
#include "pipeline/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/status.h"

int sl_place_program(const char *name, char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    SL_CHECK(n > 0, SL_EUNAVAIL, "cannot tell where sluice lies: %s", strerror(errno));
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    int used = snprintf(path, size, "%s/%s", self, name);
    SL_CHECK(used > 0 && (size_t)used < size, SL_EUNAVAIL, "the path of %s is too long", name);
    SL_CHECK(access(path, X_OK) == 0, SL_EUNAVAIL, "%s cannot be started: %s", path,
             strerror(errno));
    return SL_OK;
}
