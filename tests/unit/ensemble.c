/* ensemble.c - tests core/stats/ensemble.h: known numbers, coverage of the sequential rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/stats/ensemble.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

static void test_spread(void **state)
{
    double x[] = {4, 1, 3, 2, 5};
    struct sl_spread s, again;
    (void)state;
    assert_int_equal(sl_ensemble_spread(5, x, 1, 2, &s), SL_OK);
    assert_true(s.mean == 3 && s.median == 3);
    assert_true(fabs(s.error - sqrt(0.5)) < 1e-15);
    assert_true(fabs(s.p16 - 1.64) < 1e-14 && fabs(s.p84 - 4.36) < 1e-14);
    assert_true(s.bootstrap_lo > 1.5 && s.bootstrap_lo < 2.2);
    assert_true(s.bootstrap_hi > 3.8 && s.bootstrap_hi < 4.5);
    assert_int_equal(sl_ensemble_spread(5, x, 1, 2, &again), SL_OK);
    assert_true(again.bootstrap_lo == s.bootstrap_lo && again.bootstrap_hi == s.bootstrap_hi);
    assert_int_equal(sl_ensemble_spread(1, x, 1, 2, &again), SL_EINPUT);
}

/* Its error is the scatter of the covariances of many ensembles. */
static void test_covariance_error(void **state)
{
    enum { N = 8, P = 2, TIMES = 20000 };
    double x[N * P], cov[P * P], sum[P * P] = {0}, square[P * P] = {0}, error[P * P], one[P * P];
    double truth[P * P] = {1, 0.6, 0.6, 1};
    (void)state;
    for (uint64_t t = 0; t < TIMES; t++) {
        struct sl_random_name name = {t, SL_RANDOM_BOOTSTRAP, 0, {0, 0, 0}};
        for (uint64_t i = 0; i < N; i++) {
            double z[2];
            sl_random_gauss(&name, i, z);
            x[P * i] = z[0];
            x[P * i + 1] = 0.6 * z[0] + 0.8 * z[1];
        }
        sl_ensemble_covariance(N, P, x, cov);
        for (int k = 0; k < P * P; k++)
            sum[k] += cov[k] / TIMES, square[k] += cov[k] * cov[k] / TIMES;
    }
    sl_ensemble_covariance_error(N, P, truth, error);
    for (int k = 0; k < P * P; k++)
        assert_true(fabs(sqrt(square[k] - sum[k] * sum[k]) / error[k] - 1) < 0.03);
    sl_ensemble_correlation(P, (double[]){4, -3, -3, 9}, one);
    assert_true(one[0] == 1 && one[3] == 1 && one[1] == -0.5 && one[2] == -0.5);
    sl_ensemble_correlation(P, (double[]){4, 0, 0, 0}, one);
    assert_true(one[0] == 1 && isnan(one[1]) && isnan(one[3]));
}

static void test_covariance(void **state)
{
    double x[4][2] = {{1, 2}, {2, 4}, {3, 6}, {4, 8}}, cov[2][2];
    (void)state;
    sl_ensemble_covariance(4, 2, &x[0][0], &cov[0][0]);
    assert_true(fabs(cov[0][0] - 5.0 / 3) < 1e-14);
    assert_true(fabs(cov[0][1] - 10.0 / 3) < 1e-14 && cov[0][1] == cov[1][0]);
    assert_true(fabs(cov[1][1] - 20.0 / 3) < 1e-14);
    assert_true(fabs(sl_ensemble_hartlap(100, 20) - 0.787878787878) < 1e-10);
    assert_true(sl_ensemble_hartlap(22, 20) == 0 && sl_ensemble_hartlap(23, 20) > 0);
}

/* Tables of Student's t. */
static void test_student(void **state)
{
    static const double row[][3] = {{0.975, 1, 12.7062047362},   {0.975, 3, 3.18244630528},
                                    {0.95, 2, 2.91998558035},    {0.975, 10, 2.22813885196},
                                    {0.995, 30, 2.74999565357},  {0.9995, 5, 6.86882663},
                                    {0.975, 1000, 1.96233908082}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        double t = sl_student_quantile(row[i][0], row[i][1]);
        assert_true(fabs(t / row[i][2] - 1) < 1e-8);
        assert_true(fabs(sl_student_cdf(t, row[i][1]) - row[i][0]) < 1e-12);
        assert_true(fabs(sl_student_cdf(-t, row[i][1]) + row[i][0] - 1) < 1e-12);
    }
    assert_true(sl_student_cdf(0, 4) == 0.5);
}

static void plain_spread(int n, const double *x, struct sl_spread *out)
{
    double square = 0;
    out->mean = 0;
    for (int i = 0; i < n; i++)
        out->mean += x[i] / n;
    for (int i = 0; i < n; i++)
        square += pow(x[i] - out->mean, 2);
    out->error = sqrt(square / (n - 1) / n);
}

/* The share of campaigns that stop with the truth within the asked error. plain: stop as soon as s
 * / sqrt(n) is small enough, which is what must not be done. */
static double coverage(int plain)
{
    int campaigns = 1000, first = plain ? 2 : 4, most = 400, inside = 0;
    double target = 0.05, truth = 1, sigma = 0.2;
    for (int c = 0; c < campaigns; c++) {
        double x[400], pair[2], mean = 0;
        int n = 0;
        while (n < most) {
            struct sl_random_name name = {99, SL_RANDOM_BOOTSTRAP, 0, {c, n, 0}};
            struct sl_spread s = {.mean = 0};
            sl_random_gauss(&name, 0, pair);
            x[n++] = truth + sigma * pair[0];
            if (n < first) continue;
            if (plain) plain_spread(n, x, &s);
            double error = plain ? s.error / s.mean : sl_ensemble_target_error(n, x, first);
            if (error <= target) break;
        }
        for (int i = 0; i < n; i++)
            mean += x[i] / n;
        inside += fabs(mean - truth) <= target * mean;
    }
    return (double)inside / campaigns;
}

/* One sigma is 0.683; 3 standard errors of 1000 campaigns are 0.044. */
static void test_stopping_keeps_coverage(void **state)
{
    (void)state;
    assert_true(coverage(0) > 0.683 - 0.044);
    assert_true(coverage(1) < 0.683 - 0.044);
}

/* The share of campaigns whose intervals hold the truth at every look, from 2 members to 300. */
static double coverage_at_all_times(int sequence)
{
    int campaigns = 2000, most = 300, inside = 0;
    for (int c = 0; c < campaigns; c++) {
        double x[300], pair[2], sum = 0;
        int n = 0, held = 1;
        while (n < most && held) {
            struct sl_random_name name = {98, SL_RANDOM_BOOTSTRAP, 0, {c, n, 0}};
            struct sl_spread s = {.mean = 0};
            sl_random_gauss(&name, 0, pair);
            x[n++] = 10 + 3 * pair[0];
            sum += x[n - 1];
            if (n < 2) continue;
            if (!sequence) plain_spread(n, x, &s);
            double error = sequence ? sl_ensemble_sequence_error(n, x) * fabs(sum / n)
                                    : sl_student_quantile(0.84134474606854, n - 1) * s.error;
            held = fabs(sum / n - 10) <= error;
        }
        inside += held;
    }
    return (double)inside / campaigns;
}

/* 3 standard errors of 2000 campaigns are 0.031. */
static void test_sequence(void **state)
{
    (void)state;
    double x[20];
    for (int i = 0; i < 20; i++)
        x[i] = 5 + (i % 2 ? 1 : -1);
    /* the ratio is 1 / a at the end of the interval */
    double half = 5 * sl_ensemble_sequence_error(20, x), t = half / sqrt(20. / 19 / 20), a = 5;
    double ratio = pow((1 + t * t / 19) / (1 + t * t / 19 / a), 10) / sqrt(a);
    assert_true(fabs(ratio * SL_ENSEMBLE_TAILS - 1) < 1e-12);
    assert_true(isinf(sl_ensemble_sequence_error(3, x)));
    assert_true(t > 2 && t < 2.5); /* about five times as many members as for t = 1 */
    double held = coverage_at_all_times(1);
    if (!(held > 0.683 - 0.031 && held < 0.95)) fail_msg("the sequence holds in %g", held);
    assert_true(coverage_at_all_times(0) < 0.3);
}

static void test_target_error_limits(void **state)
{
    double same[] = {2, 2, 2, 2}, around_zero[] = {-1, 1};
    (void)state;
    assert_true(isinf(sl_ensemble_target_error(1, same, 4)));
    assert_true(isinf(sl_ensemble_target_error(2, around_zero, 2)));
    assert_true(sl_ensemble_target_error(4, same, 4) == 0);
    /* the first two agree by luck: the present scatter counts; the last ones: that of the first */
    double luck[] = {1, 1, 2, 3}, late[] = {1, 3, 2, 2};
    assert_true(sl_ensemble_target_error(4, luck, 2) > 0.2);
    assert_true(fabs(sl_ensemble_target_error(4, late, 2) -
                     sl_student_quantile(0.84134474606854, 1) * sqrt(2) / 2 / 2) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spread),
                                       cmocka_unit_test(test_covariance),
                                       cmocka_unit_test(test_covariance_error),
                                       cmocka_unit_test(test_student),
                                       cmocka_unit_test(test_stopping_keeps_coverage),
                                       cmocka_unit_test(test_sequence),
                                       cmocka_unit_test(test_target_error_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
