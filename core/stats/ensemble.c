/* ensemble.c - see ensemble.h. */
#include "core/stats/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/random.h"
#include "core/sys/status.h"

static void moments(int n, const double *x, double *mean, double *deviation)
{
    double sum = 0, square = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / n;
    for (int i = 0; i < n; i++)
        square += (x[i] - *mean) * (x[i] - *mean);
    *deviation = n > 1 ? sqrt(square / (n - 1)) : 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the order statistics of a sorted x. */
static double point(int n, const double *x, double share)
{
    double place = share * (n - 1);
    int i = (int)floor(place);
    return i >= n - 1 ? x[n - 1] : x[i] + (place - i) * (x[i + 1] - x[i]);
}

static double resampled_mean(int n, const double *x, struct sl_random_name *name)
{
    uint64_t bits[4] = {0};
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (i % 4 == 0) sl_random_bits(name, (uint64_t)i / 4, bits);
        sum += x[(int)(sl_random_unit(bits[i % 4]) * n)];
    }
    return sum / n;
}

int sl_ensemble_spread(int n, const double *x, uint64_t seed, uint32_t quantity,
                       struct sl_spread *out)
{
    SL_CHECK(n >= 2, SL_EINPUT, "statistics of an ensemble need two members at least, %d given", n);
    double *sorted = malloc(((size_t)n + SL_BOOTSTRAP) * sizeof *sorted), deviation;
    SL_CHECK(sorted, SL_EMEM, "out of memory");
    double *resampled = sorted + n;
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (int r = 0; r < SL_BOOTSTRAP; r++) {
        struct sl_random_name name = {seed, SL_RANDOM_BOOTSTRAP, quantity, {r, 0, 0}};
        resampled[r] = resampled_mean(n, x, &name);
    }
    qsort(resampled, SL_BOOTSTRAP, sizeof *resampled, compare);
    moments(n, x, &out->mean, &deviation);
    out->error = deviation / sqrt(n);
    out->median = point(n, sorted, 0.5);
    out->p16 = point(n, sorted, 0.16);
    out->p84 = point(n, sorted, 0.84);
    out->bootstrap_lo = point(SL_BOOTSTRAP, resampled, 0.025);
    out->bootstrap_hi = point(SL_BOOTSTRAP, resampled, 0.975);
    free(sorted);
    return SL_OK;
}

void sl_ensemble_covariance(int n, int p, const double *x, double *cov)
{
    for (int a = 0; a < p; a++)
        for (int b = 0; b <= a; b++) {
            double ma = 0, mb = 0, sum = 0;
            for (int i = 0; i < n; i++) {
                ma += x[i * p + a] / n;
                mb += x[i * p + b] / n;
            }
            for (int i = 0; i < n; i++)
                sum += (x[i * p + a] - ma) * (x[i * p + b] - mb);
            cov[a * p + b] = cov[b * p + a] = sum / (n - 1);
        }
}

void sl_ensemble_covariance_error(int n, int p, const double *cov, double *error)
{
    for (int a = 0; a < p; a++)
        for (int b = 0; b < p; b++) {
            double c = cov[a * p + b];
            error[a * p + b] = sqrt((c * c + cov[a * p + a] * cov[b * p + b]) / (n - 1));
        }
}

void sl_ensemble_correlation(int p, const double *cov, double *correlation)
{
    for (int a = 0; a < p; a++)
        for (int b = 0; b < p; b++) {
            double size = sqrt(cov[a * p + a] * cov[b * p + b]);
            correlation[a * p + b] = size > 0 ? cov[a * p + b] / size : NAN;
        }
}

double sl_ensemble_hartlap(int n, int p)
{
    return n > p + 2 ? (double)(n - p - 2) / (n - 1) : 0;
}

/* Regularised incomplete beta function by its continued fraction (Lentz), for x below the mean. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1), f;
    d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
    f = d;
    for (int m = 1; m < 1000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        f *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        f *= c * d;
        if (fabs(c * d - 1) < 1e-15) break;
    }
    double front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
    return exp(front) * f / a;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    return x < (a + 1) / (a + b + 2) ? beta_fraction(a, b, x) : 1 - beta_fraction(b, a, 1 - x);
}

double sl_student_cdf(double t, double v)
{
    double tail = 0.5 * incomplete_beta(0.5 * v, 0.5, v / (v + t * t));
    return t > 0 ? 1 - tail : tail;
}

double sl_student_quantile(double probability, double v)
{
    double lo = 0, hi = 1;
    if (probability < 0.5) return -sl_student_quantile(1 - probability, v);
    while (sl_student_cdf(hi, v) < probability && hi < 1e15)
        hi *= 2;
    for (int i = 0; i < 200 && hi - lo > 1e-14 * hi; i++) {
        double mid = 0.5 * (lo + hi);
        if (sl_student_cdf(mid, v) < probability)
            lo = mid;
        else
            hi = mid;
    }
    return 0.5 * (lo + hi);
}

double sl_ensemble_target_error(int n, const double *x, int n0)
{
    double mean, deviation, unused, first;
    if (n < 2) return INFINITY;
    n0 = n0 < 2 ? 2 : n0 > n ? n : n0;
    moments(n, x, &mean, &deviation);
    moments(n0, x, &unused, &first);
    double share = 1 - 0.5 * SL_ENSEMBLE_TAILS;
    double half = fmax(sl_student_quantile(share, n0 - 1) * first,
                       sl_student_quantile(share, n - 1) * deviation) /
                  sqrt(n);
    return mean != 0 ? half / fabs(mean) : INFINITY;
}

double sl_ensemble_sequence_error(int n, const double *x)
{
    double mean, deviation, a = 1 + n * SL_ENSEMBLE_MIXTURE;
    if (n < 2) return INFINITY;
    moments(n, x, &mean, &deviation);
    double most = pow(a / (SL_ENSEMBLE_TAILS * SL_ENSEMBLE_TAILS), 1.0 / n);
    if (most >= a || mean == 0) return INFINITY;
    double t = sqrt((n - 1) * (most - 1) / (1 - most / a));
    return t * deviation / sqrt(n) / fabs(mean);
}
