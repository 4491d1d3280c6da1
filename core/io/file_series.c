/* file_series.c - see file_series.h. */
#include "core/io/file_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/particle_view.h"
#include "core/io/snapshot.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"

static int grow(struct sl_file_series *s, int64_t end)
{
    if (end <= s->n) return SL_OK;
    double *more = realloc(s->time, (size_t)end * sizeof *more);
    SL_CHECK(more, SL_EMEM, "no memory for a list of snapshots");
    for (int64_t i = s->n; i < end; i++)
        more[i] = NAN;
    s->time = more;
    s->n = end;
    return SL_OK;
}

/* A snapshot that is met for the first time may be of an earlier attempt, and somebody has deleted
 * its views. */
static int read_time(const char *path, double *time)
{
    struct sl_snapshot_info about;
    SL_TRY(sl_snapshot_info(path, &about));
    sl_snapshot_view(path, false);
    *time = about.scale_factor > 0 ? about.scale_factor
                                   : about.time * (about.cgs_length / about.cgs_velocity);
    return SL_OK;
}

/* A line per snapshot that is there; particles: per view of its particles. */
static int print(struct sl_file_series *s, const char *dir, const char *campaign, int64_t end,
                 bool particles, FILE *out, int64_t *lines)
{
    char path[SL_PATH_MAX], view[SL_PATH_MAX];
    *lines = 0;
    fputs("{\n \"file-series-version\": \"1.0\",\n \"files\": [", out);
    for (int64_t i = 0; i < end; i++) {
        SL_TRY(sl_snapshot_name(path, dir, campaign, i));
        SL_TRY(sl_particle_view_name(view, path));
        if (access(path, F_OK) != 0) continue;
        if (isnan(s->time[i])) SL_TRY(read_time(path, &s->time[i]));
        if (particles && access(view, F_OK) != 0) continue;
        const char *shown = particles ? view : path, *slash = strrchr(shown, '/');
        fprintf(out, "%s\n  {\"name\": \"%s\", \"time\": %.17g}", (*lines)++ ? "," : "",
                slash ? slash + 1 : shown, s->time[i]);
    }
    fputs("\n ]\n}\n", out);
    return SL_OK;
}

static int put(const char *dir, const char *campaign, const char *ending, const char *text,
               size_t size, struct sl_sealed *sealed)
{
    char name[SL_PATH_MAX], path[SL_PATH_MAX];
    int n = snprintf(name, sizeof name, "%s%s", campaign, ending);
    SL_CHECK(n < SL_PATH_MAX, SL_EINPUT, "path is too long: %.80s...", name);
    SL_TRY(sl_path_join(path, dir, name));
    SL_TRY(sl_file_replace(path, text, size, SL_VOLATILE));
    return sealed ? sl_sealed_set(sealed, path, (int64_t)size, sl_crc32c(0, text, size), false)
                  : SL_OK;
}

/* Of particles there may be none. */
static int list(struct sl_file_series *s, const char *dir, const char *campaign, int64_t end,
                bool particles, struct sl_sealed *sealed)
{
    const char *const ending[2] = {particles ? ".particles.vtkhdf.series" : ".vtkhdf.series",
                                   particles ? ".particles.hdf.series" : ".hdf.series"};
    char *text = NULL;
    size_t size = 0;
    int64_t lines;
    FILE *out = open_memstream(&text, &size);
    SL_CHECK(out, SL_EMEM, "no memory for a list of snapshots");
    int code = print(s, dir, campaign, end, particles, out, &lines);
    if (fclose(out) != 0 && code == SL_OK)
        code = SL_FAIL(SL_EMEM, "no memory for a list of snapshots");
    for (int i = 0; i < 2 && code == SL_OK && (lines > 0 || !particles); i++)
        code = put(dir, campaign, ending[i], text, size, sealed);
    free(text);
    return code;
}

int sl_file_series_write(struct sl_file_series *s, const char *dir, const char *campaign,
                         int64_t end, struct sl_sealed *sealed)
{
    SL_TRY(grow(s, end));
    SL_TRY(list(s, dir, campaign, end, false, sealed));
    return list(s, dir, campaign, end, true, sealed);
}

void sl_file_series_release(struct sl_file_series *s)
{
    free(s->time);
    s->time = NULL;
    s->n = 0;
}
