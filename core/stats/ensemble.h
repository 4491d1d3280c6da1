/* ensemble.h - statistics over the members of a campaign: means, errors, covariances.
 *
 * For n members and a quantity x: mean; standard error s / sqrt(n) with the unbiased s; median, 16
 * % and 84 % points (linear between order statistics); bootstrap interval: the 2.5 % and 97.5 %
 * points of the mean over SL_BOOTSTRAP resamples, drawn with counter-based numbers named by (seed,
 * quantity, resample, draw). Covariance with 1 / (n - 1). Jackknife for what is not a mean over
 * members: error^2 = (n - 1) / n sum of (x_i - x)^2, x_i without member i.
 *
 * Sequential-safe target (Stein's two stages): looking at s / sqrt(n) after every member and
 * stopping when it is small stops too often where s is small by luck. Here the scatter s0 of the
 * first n0 members alone decides how many are needed: then (mean - truth) sqrt(n) / s0 follows
 * Student's t with n0 - 1 degrees of freedom whatever n came out, and the half width h = t(1 - a /
 * 2, n0 - 1) s0 / sqrt(n), a = 0.3173 (both tails beyond one standard deviation), keeps its
 * coverage for Gaussian members. The present t(1 - a / 2, n - 1) s / sqrt(n) must be small enough
 * as well; that can only make the ensemble larger.
 *
 * Confidence sequence: whatever the truth, it lies in all intervals of n = 2, 3, .. at once with a
 * chance of 1 - a. They hold the means m for which the likelihood ratio of x with mean m and one
 * whose distance from m over the scatter is Gaussian of variance SL_ENSEMBLE_MIXTURE, over all
 * scatters, is below 1 / a: that ratio is a martingale. With t the distance in standard errors, v =
 * n - 1, A = 1 + n SL_ENSEMBLE_MIXTURE: ((1 + t^2 / v) / (1 + t^2 / (v A)))^(n/2) / sqrt(A) < 1 /
 * a.
 *
 * Shapes  x[member], x[member][p]
 * Units   those of x
 * Errors  SL_EINPUT for fewer than two members; SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Efron 1979; Hartlap, Simon & Schneider 2007; Taylor, Joachimi & Kitching 2013
 *         (the error of a covariance); Student 1908; Stein 1945; Lai 1976; Rouder et al. 2009
 *         (the ratio); Wang & Ramdas 2023, arXiv 2310.03722 (the sequence)
 * Tests   tests/unit/ensemble.c
 */
#ifndef SL_STATS_ENSEMBLE_H
#define SL_STATS_ENSEMBLE_H

#include <stdint.h>

enum { SL_BOOTSTRAP = 2000 };
#define SL_ENSEMBLE_TAILS   0.3173105078629141 /* a: both tails beyond one standard deviation */
#define SL_ENSEMBLE_MIXTURE 0.2                /* narrowest for some 20 members */

/* X(name, column of summary.csv, sentence) */
#define SL_SPREAD_LIST(X)                                                                          \
    X(mean, "mean", "mean over the members")                                                       \
    X(error, "standard_error", "standard error of the mean")                                       \
    X(median, "median", "median of the members")                                                   \
    X(p16, "p16", "16 % point of the members")                                                     \
    X(p84, "p84", "84 % point of the members")                                                     \
    X(bootstrap_lo, "bootstrap_lo", "lower end of the 95 % bootstrap interval of the mean")        \
    X(bootstrap_hi, "bootstrap_hi", "upper end of the 95 % bootstrap interval of the mean")

struct sl_spread {
#define SL_SPREAD_MEMBER(name, column, about) double name;
    SL_SPREAD_LIST(SL_SPREAD_MEMBER)
#undef SL_SPREAD_MEMBER
};
/* n >= 2 values; `quantity` names the random numbers of the bootstrap. */
int sl_ensemble_spread(int n, const double *x, uint64_t seed, uint32_t quantity,
                       struct sl_spread *out);

/* cov[p][p] of x[n][p], with 1 / (n - 1). */
void sl_ensemble_covariance(int n, int p, const double *x, double *cov);
/* Standard error of each element of a covariance of n Gaussian members, whose scatter follows
 * Wishart: sqrt((C_ij^2 + C_ii C_jj) / (n - 1)); error[p][p]. */
void sl_ensemble_covariance_error(int n, int p, const double *cov, double *error);
/* C_ij / sqrt(C_ii C_jj), nan where a variance is 0; correlation[p][p]. */
void sl_ensemble_correlation(int p, const double *cov, double *correlation);
/* (n - p - 2) / (n - 1), by which the inverse of a covariance of n members is multiplied; 0 when n
 * <= p + 2: that covariance has no usable inverse. */
double sl_ensemble_hartlap(int n, int p);

/* Probability that Student's t with v degrees of freedom is below t, and the t of a probability. */
double sl_student_cdf(double t, double v);
double sl_student_quantile(double probability, double v);

/* Half width of the sequential-safe interval over |mean|, for n members of which the first n0 are
 * the first stage; infinite for n < 2 or a mean of 0. */
double sl_ensemble_target_error(int n, const double *x, int n0);
/* The same of the confidence sequence. */
double sl_ensemble_sequence_error(int n, const double *x);

#endif
