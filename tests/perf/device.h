/* device.h - what figures were measured on: the device, its driver, CUDA and the commit of the
 * build.
 *
 * Shapes none. Units none. Errors none. Owns nothing. MPI local. Where host; nothing of CUDA is
 * needed to build. Refs none. Tests tests/cli/bench.sh
 */
#ifndef TESTS_PERF_DEVICE_H
#define TESTS_PERF_DEVICE_H

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "build_info.h" /* generated: SL_BUILD_COMMIT, SL_BUILD_CUDA */
#include "core/sys/cuda_driver.h"

extern int sl_device_count(void) __attribute__((weak));
extern void sl_device_name(char *out, size_t size, char uuid[16]) __attribute__((weak));

static inline int device_count(void)
{
    return sl_device_count ? sl_device_count() : 0;
}

struct device_about {
    char name[128], driver[96], cuda[32];
};

static inline void device_about(struct device_about *a)
{
    snprintf(a->name, sizeof a->name, "none");
    snprintf(a->driver, sizeof a->driver, "none");
    snprintf(a->cuda, sizeof a->cuda, "%.*s", (int)strcspn(SL_BUILD_CUDA, " :"), SL_BUILD_CUDA);
    if (device_count() == 0) return;
    sl_device_name(a->name, sizeof a->name, NULL);
    sl_device_driver(a->driver, sizeof a->driver);
}

/* As name=value pairs, without the end of the line. */
static inline void device_print_pairs(void)
{
    struct device_about a;
    device_about(&a);
    for (char *c = a.name; *c; c++)
        if (*c == ' ') *c = '_';
    printf("device=%s driver=%s cuda=%s commit=%s", a.name, a.driver, a.cuda, SL_BUILD_COMMIT);
}

/* As a remark before cases, with the day. */
static inline void device_print_remark(void)
{
    struct device_about a;
    char day[16] = "";
    time_t t = time(NULL);
    struct tm tm;
    device_about(&a);
    if (gmtime_r(&t, &tm)) strftime(day, sizeof day, "%Y-%m-%d", &tm);
    if (device_count() == 0)
        printf("# %s, no CUDA device, commit %s\n", day, SL_BUILD_COMMIT);
    else
        printf("# %s, %d x %s, driver %s, CUDA %s, commit %s\n", day, device_count(), a.name,
               a.driver, a.cuda, SL_BUILD_COMMIT);
}

#endif
