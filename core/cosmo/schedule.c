/* schedule.c - see schedule.h. */
#include "core/cosmo/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "core/cosmo/growth.h"
#include "core/cosmo/separate.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static double scale_factor(double redshift)
{
    return 1 / (1 + redshift);
}

/* In the universe around the box, whose redshifts are those of keys. */
static double snapshot_around(const struct sl_config *cfg, int64_t n)
{
    double last = scale_factor(cfg->time_end), a = HUGE_VAL;
    if (cfg->output_redshift_n > 0)
        a = n <= cfg->output_redshift_n ? scale_factor(cfg->output_redshift[n - 1]) : HUGE_VAL;
    else if (cfg->output_snapshot > 0)
        a = scale_factor(cfg->ic_redshift) * exp((double)n * cfg->output_snapshot);
    if (fabs(a / last - 1) < 1e-9) return last;
    return a > last ? HUGE_VAL : a;
}

double sl_schedule_snapshot(const struct sl_config *cfg, const struct sl_universe *u, int64_t n)
{
    double a = snapshot_around(cfg, n);
    bool own = u->mean_overdensity != 0 && a < HUGE_VAL;
    return own ? sl_separate_box(&u->around, &u->c, a) : a;
}

/* ---- the parts of a run ---------------------------------------------------------------------- */

/* From one snapshot to the next. */
struct part {
    double from, to; /* D or ln a */
    double stop;     /* scale factor of its end */
    int64_t steps;
};

struct measure {
    const struct sl_universe *u;
    bool growth; /* D, else ln a */
};

static double length_at(const struct measure *m, double a)
{
    return m->growth ? sl_growth_at(&m->u->c, a).d1 : log(a);
}

static double scale_factor_at(const struct measure *m, double length)
{
    return m->growth ? sl_growth_scale_factor(&m->u->c, length) : exp(length);
}

static void make_parts(const struct measure *m, const struct sl_config *cfg, int64_t n,
                       struct part *part)
{
    double start = sl_universe_scale_factor(m->u, cfg->ic_redshift),
           last = sl_universe_scale_factor(m->u, cfg->time_end);
    double from = cfg->time_begin == SL_BEGIN_zero ? 0 : length_at(m, start);
    for (int64_t i = 0, snapshot = 1; i < n; i++) {
        double a = last;
        do
            a = fmin(sl_schedule_snapshot(cfg, m->u, snapshot++), last);
        while (!(a > start) && a < last);
        part[i] = (struct part){from, length_at(m, a), a, 1};
        from = part[i].to;
    }
}

static double step_of(const struct part *p)
{
    return (p->to - p->from) / (double)p->steps;
}

/* Shares out the steps that are left. */
static void share(struct part *part, int64_t n, int64_t left)
{
    for (; left > 0; left--) {
        struct part *longest = part;
        for (int64_t i = 1; i < n; i++)
            if (step_of(&part[i]) > step_of(longest) * (1 + 1e-9)) longest = &part[i];
        longest->steps++;
    }
}

static void place(const struct measure *m, const struct part *part, int64_t n,
                  struct sl_schedule *s)
{
    double *stop = s->stop;
    for (int64_t i = 0; i < n; i++) {
        const struct part *p = &part[i];
        for (int64_t k = 1; k < p->steps; k++)
            *stop++ = scale_factor_at(m, p->from + (double)k * step_of(p));
        *stop++ = p->stop;
    }
}

static int check_first(const struct sl_config *cfg, const struct sl_universe *u,
                       const struct sl_schedule *s)
{
    double z = sl_universe_redshift(u, s->stop[0]); /* as keys are */
    SL_CHECK(s->stop[0] > sl_universe_scale_factor(u, cfg->ic_redshift), SL_EINPUT,
             "time.begin: zero: the first of %lld steps ends at redshift %.4g, before the start, "
             "ic.redshift: %g; nearest: ic.redshift: %g",
             (long long)s->n, z, cfg->ic_redshift, ceil(2 * z + 1));
    return SL_OK;
}

static int check_last(const struct sl_config *cfg, const struct sl_universe *u)
{
    SL_CHECK(sl_universe_scale_factor(u, cfg->time_end) >
                 sl_universe_scale_factor(u, cfg->ic_redshift),
             SL_EINPUT,
             "time.end: %g is not later than the start, ic.redshift: %g, and there are time.steps: "
             "%lld between; nearest: time.end: %g",
             cfg->time_end, cfg->ic_redshift, (long long)cfg->time_steps, cfg->ic_redshift / 2);
    return SL_OK;
}

static int fill(const struct sl_config *cfg, const struct sl_universe *u, struct sl_schedule *s)
{
    const struct measure m = {u, sl_config_steps_grow(cfg)};
    SL_TRY(check_last(cfg, u));
    int64_t n = sl_config_parts(cfg);
    struct part *part = NULL;
    s->n = cfg->time_steps;
    SL_TRY(sl_alloc("parts of a run", (size_t)n, sizeof *part, &part));
    int code = sl_alloc("steps of a run", (size_t)s->n, sizeof *s->stop, &s->stop);
    if (code == SL_OK) {
        make_parts(&m, cfg, n, part);
        share(part, n, s->n - n);
        place(&m, part, n, s);
        code = check_first(cfg, u, s);
    }
    free(part);
    return code;
}

/* ---- the schedule ---------------------------------------------------------------------------- */

int sl_schedule_new(const struct sl_config *cfg, const struct sl_universe *u,
                    struct sl_schedule **out)
{
    struct sl_schedule *s = NULL;
    *out = NULL;
    if (sl_config_adaptive(cfg)) return SL_OK;
    SL_TRY(sl_alloc("steps of a run", 1, sizeof *s, &s));
    int code = fill(cfg, u, s);
    if (code == SL_OK)
        *out = s;
    else
        sl_schedule_free(s);
    return code;
}

void sl_schedule_free(struct sl_schedule *s)
{
    if (!s) return;
    free(s->stop);
    free(s);
}

double sl_schedule_next(const struct sl_schedule *s, double a)
{
    int64_t low = 0, high = s->n - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (s->stop[middle] > a * (1 + 1e-12))
            high = middle;
        else
            low = middle + 1;
    }
    return s->stop[low];
}
