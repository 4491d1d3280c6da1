/* interval.c - see interval.h. */
#include "core/sys/interval.h"

#include <math.h>

static const double longest = 3600, first = 60;
/* Failures that the expectation before is worth (the shape of its gamma distribution). */
static const double weight = 0.01;

double sl_interval_daly(double write, double mtbf)
{
    if (write >= 2 * mtbf) return mtbf;
    double ratio = write / (2 * mtbf);
    return sqrt(2 * write * mtbf) * (1 + sqrt(ratio) / 3 + ratio / 9) - write;
}

double sl_interval_auto(double write, double mtbf, double walltime)
{
    double most = fmin(longest, walltime / 4);
    if (write < 0) return fmin(first, most);
    return fmin(sl_interval_daly(write, mtbf), most);
}

double sl_interval_mtbf(double prior, int failures, double seconds)
{
    return (weight * prior + seconds) / (weight + failures);
}
