/* progress.c - see progress.h. */
#include "pipeline/campaign/progress.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/sys/status.h"
#include "core/sys/text.h"

static double number(const json_t *o, const char *key, double otherwise)
{
    const json_t *value = json_object_get(o, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static void text(const json_t *o, const char *key, char *to, size_t size)
{
    const char *value = json_string_value(json_object_get(o, key));
    snprintf(to, size, "%s", value ? value : "");
    sl_text_clean(to); /* it will be shown on terminals */
}

static void fill(const json_t *o, struct sl_progress *p)
{
    p->step = (long long)number(o, "step", -1);
    p->checkpoint_step = (long long)number(o, "checkpoint_step", -1);
    p->repaired = (long long)number(o, "repaired", 0);
    p->floored = (long long)number(o, "floored", 0);
    p->time = number(o, "time", 0);
    p->end = number(o, "end", 0);
    p->unit_value = number(o, "unit_value", 1);
    p->fraction = number(o, "share", p->end > 0 ? p->time / p->end : 0);
    p->redshift = number(o, "redshift", -1);
    p->redshift_end = number(o, "redshift_end", -1);
    p->scale_factor = number(o, "scale_factor", 0);
    p->dt = number(o, "dt", 0);
    p->cells = number(o, "cells", 0);
    p->rate = number(o, "cells_per_s", 0);
    p->particles = number(o, "particles", 0);
    p->particle_steps = number(o, "particle_steps_per_s", 0);
    p->gravity =
        number(o, "steps_s", 0) > 0 ? number(o, "gravity_s", 0) / number(o, "steps_s", 0) : -1;
    p->elapsed = number(o, "elapsed_s", 0);
    p->eta = number(o, "eta_s", -1);
    p->every = number(o, "checkpoint_every_s", 0);
    p->write = number(o, "checkpoint_write_s", 0);
    text(o, "unit", p->unit, sizeof p->unit);
    text(o, "state", p->state, sizeof p->state);
    text(o, "backend", p->backend, sizeof p->backend);
}

/* A run reports whole steps, and no checkpoint of a later one: what it reaches is counted by
 * these. */
static bool is_whole(const json_t *o)
{
    const double most = 0x1p53;
    double step = number(o, "step", -1), saved = number(o, "checkpoint_step", -1);
    return step >= -1 && step < most && saved >= -1 && saved <= step && step == floor(step) &&
           saved == floor(saved);
}

int sl_progress_read(const char *home, struct sl_progress *p)
{
    char path[SL_PATH_MAX], *bytes;
    size_t size;
    struct stat st;
    memset(p, 0, sizeof *p);
    p->step = p->checkpoint_step = -1;
    p->redshift = -1;
    SL_TRY(sl_disk_join(path, "%s/progress.json", home));
    SL_TRY(sl_file_read(path, 1 << 16, &bytes, &size));
    json_t *o = json_loadb(bytes, size, 0, NULL);
    free(bytes);
    bool good = json_is_object(o) && is_whole(o);
    if (good) fill(o, p);
    json_decref(o);
    SL_CHECK(good, SL_EINPUT, "%s is damaged", path);
    if (stat(path, &st) == 0) p->age = sl_disk_now() - (double)st.st_mtime;
    return SL_OK;
}

double sl_progress_fraction(const struct sl_progress *p)
{
    return p->fraction < 0 ? 0 : p->fraction > 1 ? 1 : p->fraction;
}
