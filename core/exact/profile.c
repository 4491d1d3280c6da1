/* profile.c - see profile.h. */
#include "core/exact/profile.h"

#include <math.h>

#include "core/exact/whole.h"
#include "core/sys/status.h"

/* Mean of `count` values. */
static double mean(const double *value, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += value[i];
    return sum / count;
}

int sl_profile_measure(const struct sl_state *state, int n, const double *density,
                       struct sl_measures *out)
{
    struct sl_whole w;
    double error = 0, norm = 0;
    SL_TRY(sl_whole_init(state, &w));
    int cells = w.n[0], parts = cells < n ? cells : n;
    bool fits = cells % parts == 0 && n % parts == 0;
    for (int i = 0; fits && i < parts; i++) {
        double want = mean(density + (size_t)i * (size_t)(n / parts), n / parts);
        double got = mean(w.value + (size_t)i * (size_t)(cells / parts), cells / parts);
        error += fabs(got - want);
        norm += fabs(want);
    }
    sl_whole_release(&w);
    if (fits)
        sl_measure(out, "density_error",
                   "relative L1 difference of the density from a converged profile", error / norm);
    return SL_OK;
}
