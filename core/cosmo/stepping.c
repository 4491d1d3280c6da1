/* stepping.c - see stepping.h. */
#include "core/cosmo/stepping.h"

#include "core/config/config.h"
#include "core/cosmo/growth.h"

/* What a step needs to know of one of its ends. */
struct end {
    double d, e, slope, momentum; /* D, E, E', F */
};

static struct end end_of(const struct sl_cosmology *c, double a)
{
    if (!(a > 0)) return (struct end){0, 0, 0, 0};
    struct sl_growth g = sl_growth_at(c, a);
    return (struct end){g.d1, g.d2, g.d2 * g.f2 / (g.d1 * g.f1),
                        g.d1 * g.f1 * a * a * sl_cosmology_rate(c, a)};
}

/* ---- alpha of each stepping ------------------------------------------------------------------ */

typedef double alpha_fn(const struct end *from, double middle, const struct end *to);

static double fastpm(const struct end *from, double middle, const struct end *to)
{
    (void)middle;
    return from->momentum / to->momentum;
}

static double bullfrog(const struct end *from, double middle, const struct end *to)
{
    double b = (from->e + from->slope * (middle - from->d)) / middle - middle;
    return (to->slope - b) / (from->slope - b);
}

static alpha_fn *const alpha[] = {
    [SL_STEPPING_kdk] = NULL, [SL_STEPPING_fastpm] = fastpm, [SL_STEPPING_bullfrog] = bullfrog};

/* ---- steps ----------------------------------------------------------------------------------- */

bool sl_stepping_grows(int stepping)
{
    return alpha[stepping];
}

static struct sl_leap leap_of(int stepping, const struct end *from, const struct end *to)
{
    struct sl_leap s = {from->d, 0.5 * (from->d + to->d), to->d, 0, 0};
    s.alpha = alpha[stepping](from, s.middle, to);
    s.beta = (1 - s.alpha) / s.middle;
    return s;
}

struct sl_leap sl_stepping_leap(int stepping, const struct sl_cosmology *c, double from, double to)
{
    struct end first = end_of(c, from), last = end_of(c, to);
    return leap_of(stepping, &first, &last);
}

struct sl_push sl_stepping_push(int stepping, const struct sl_cosmology *c, double from, double to,
                                bool zero, double four_pi_g)
{
    struct end here = end_of(c, from), first = zero ? end_of(c, 0) : here, last = end_of(c, to);
    struct sl_leap s = leap_of(stepping, &first, &last);
    return (struct sl_push){(s.middle - here.d) / here.momentum,
                            s.alpha * last.momentum / here.momentum,
                            s.beta * last.momentum / four_pi_g, (s.to - s.middle) / last.momentum,
                            sl_growth_scale_factor(c, s.middle)};
}
