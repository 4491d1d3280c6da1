/* times.c - see suite/times.h. */
#include "pipeline/suite/times.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/sys/status.h"

static int read_line(const char *line, struct sl_suite_time *t)
{
    return sscanf(line,
                  "program=sedov scheme=%15[a-z]+%15[a-z] precision=%15[a-z] cells=%d,%*d,%*d "
                  "block=%*s ranks=%d updates_per_s=%*s seconds_per_step=%lf",
                  t->place, t->field, t->precision, &t->cells, &t->ranks, &t->seconds) == 6 &&
           t->seconds > 0;
}

/* Remarks of files that were put together follow each other. */
static void read_remark(const char *line, struct sl_suite_times *out)
{
    size_t n = strlen(out->about), skip = 1 + strspn(line + 1, " ");
    snprintf(out->about + n, sizeof out->about - n, "%s%.*s", n ? "; " : "",
             (int)strcspn(line + skip, "\n"), line + skip);
}

int sl_suite_times_read(const char *path, struct sl_suite_times *out)
{
    char line[1024];
    FILE *f = fopen(path, "r");
    SL_CHECK(f, SL_EIO, "cannot read %s: %s", path, strerror(errno));
    struct sl_suite_time row = {.part = 0};
    int found = 0;
    out->about[0] = '\0';
    while (fgets(line, sizeof line, f))
        if (*line == '#')
            read_remark(line, out), row.part++;
        else if (read_line(line, &row) && found++ < SL_SUITE_TIMES_MAX)
            out->row[found - 1] = row;
    fclose(f);
    out->n = found;
    SL_CHECK(found <= SL_SUITE_TIMES_MAX, SL_EINPUT,
             "%s holds %d times, more than %d: leave some out", path, found, SL_SUITE_TIMES_MAX);
    SL_CHECK(out->n > 0, SL_EINPUT, "%s holds no line of `sluice bench sedov --lines`", path);
    return SL_OK;
}

const struct sl_suite_time *sl_suite_times_find(const struct sl_suite_times *t, const char *place,
                                                const char *field, int cells, int ranks)
{
    for (int i = 0; i < t->n; i++) {
        const struct sl_suite_time *r = &t->row[i];
        if (strcmp(r->place, place) == 0 && strcmp(r->field, field) == 0 && r->cells == cells &&
            r->ranks == ranks && strcmp(r->precision, "double") == 0)
            return r;
    }
    return NULL;
}

const struct sl_suite_time *sl_suite_times_alone(const struct sl_suite_times *t,
                                                 const struct sl_suite_time *row)
{
    for (int i = 0; row && i < t->n; i++) {
        const struct sl_suite_time *r = &t->row[i];
        if (r->part == row->part && r->cells == row->cells && r->ranks == 1 &&
            strcmp(r->place, row->place) == 0 && strcmp(r->field, row->field) == 0 &&
            strcmp(r->precision, row->precision) == 0)
            return r;
    }
    return NULL;
}

double sl_suite_times_seconds(const struct sl_suite_time *row)
{
    return row ? row->seconds : NAN;
}
