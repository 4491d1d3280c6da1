/* laps.c - see laps.h. */
#include "core/sys/laps.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/sys/status.h"

enum { MOST = 32 };

static struct {
    const char *name;
    double time;
} part[MOST];
static int parts, present = -1; /* present: -1 none */
static double start, since;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void finish(double at)
{
    if (present >= 0) part[present].time += at - since;
    since = at;
}

void sl_laps_begin(void)
{
    parts = 0, present = -1;
    start = since = now();
}

/* The place of a name; of one too many the last. */
static int place_of(const char *name)
{
    int i = 0;
    while (i < parts && strcmp(part[i].name, name) != 0)
        i++;
    if (i == MOST) return MOST - 1;
    if (i == parts) part[parts++].name = name, part[i].time = 0;
    return i;
}

void sl_lap(const char *name)
{
    finish(now());
    present = place_of(name);
}

void sl_laps_tell(const char *what)
{
    char text[1024] = "";
    size_t n = 0;
    double end = now(), all = end - start;
    finish(end);
    present = -1;
    for (int i = 0; i < parts && n < sizeof text; i++)
        if (part[i].time >= 0.01 * all)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %.3g", n > 0 ? ", " : ": ",
                                  part[i].name, part[i].time);
    sl_log(SL_LOG_NOTE, "%s in %.3g s%s", what, all, text);
}
