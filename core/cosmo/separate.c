/* separate.c - see separate.h. */
#include "core/cosmo/separate.h"

#include <math.h>

#include "core/sys/status.h"

/* Share of the scale factor of turnaround up to which ages are good to 1e-12. */
#define TURNS 0.98

/* The first scale factor up to 1 at which a universe no longer expands, HUGE_VAL: it does. */
static double turnaround(const struct sl_cosmology *c)
{
    double step = 1.001, a = 1e-6;
    while (a < 1 && sl_cosmology_rate(c, a) > 0)
        a *= step;
    if (!(a < 1)) return HUGE_VAL;
    for (double lo = a / step; a / lo > 1 + 1e-9;) {
        double mid = sqrt(lo * a);
        if (sl_cosmology_rate(c, mid) > 0)
            lo = mid;
        else
            a = mid;
    }
    return a;
}

int sl_separate_init(const struct sl_cosmology *around, double delta, struct sl_cosmology *box)
{
    struct sl_cosmology c = *around;
    if (delta == 0) {
        *box = c;
        return SL_OK;
    }
    SL_CHECK(c.w0 == -1 && c.wa == 0, SL_EINPUT,
             "ic.mean_overdensity: %g: dark energy with w0 = %g, wa = %g differs in a box that "
             "expands on its own; nearest: 0, or cosmology.w0: -1 and cosmology.wa: 0",
             delta, c.w0, c.wa);
    SL_CHECK(c.m_nu == 0, SL_EINPUT,
             "ic.mean_overdensity: %g: massive neutrinos (cosmology.m_nu: %g) do not follow a box "
             "that is a universe of its own; nearest: 0, or cosmology.m_nu: 0",
             delta, c.m_nu);
    c.omega_k -= delta / sl_cosmology_response(around);
    double last = TURNS * turnaround(&c);
    SL_CHECK(last > 1 || sl_cosmology_age(&c, last) > sl_cosmology_age(around, 1), SL_EINPUT,
             "ic.mean_overdensity: %g: the box stops expanding at a = %.3g of its own, before "
             "today or close to it; nearest: less than %.2g",
             delta, last / TURNS, 0.9);
    *box = c;
    return SL_OK;
}

/* The scale factor of `to` at the age at which `from` has a: Newton's method in its logarithm, by
 * halves where that leaves what is known. lo and hi: around it; 0 and HUGE_VAL. */
static double at_age(double age, const struct sl_cosmology *to, double a, double hi)
{
    enum { ROUNDS = 60 };
    double lo = 0, hubble_time = SL_MPC_KM / (100 * to->h) / SL_GYR_S;
    for (int i = 0; i < ROUNDS; i++) {
        double off = (age - sl_cosmology_age(to, a)) / hubble_time * sl_cosmology_rate(to, a);
        double next = a * exp(fmax(-1, fmin(1, off)));
        *(off > 0 ? &lo : &hi) = a;
        if (fabs(off) < 1e-15) break;
        a = next > lo && next < hi ? next : 0.5 * (lo + fmin(hi, 2 * a));
    }
    return a;
}

double sl_separate_box(const struct sl_cosmology *around, const struct sl_cosmology *box, double a)
{
    double last = TURNS * turnaround(box);
    return at_age(sl_cosmology_age(around, a), box, fmin(a, last), last * (1 + 1e-12));
}

double sl_separate_around(const struct sl_cosmology *around, const struct sl_cosmology *box,
                          double a)
{
    return at_age(sl_cosmology_age(box, a), around, fmin(a, 1), HUGE_VAL);
}
