/* pdf.c - tests core/measure/pdf.h with log-normal fields of known width, and with uniform and bad
 * ones. ranks: 1 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "core/measure/hopkins.h"
#include "core/measure/pdf.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

static struct sl_slab slab;

/* ln rho = mean + sigma g. */
static double *lognormal(double mean, double sigma)
{
    size_t cells = sl_slab_cells(&slab);
    size_t first = (size_t)slab.z0 * (size_t)slab.n[0] * (size_t)slab.n[1];
    double *rho = malloc((cells + 1) * sizeof *rho), pair[2];
    assert_non_null(rho);
    for (size_t i = 0; i < cells; i++) {
        struct sl_random_name name = {5, SL_RANDOM_VELOCITY, 0, {(int64_t)(first + i), 0, 0}};
        sl_random_gauss(&name, 0, pair);
        rho[i] = exp(mean + sigma * pair[0]);
    }
    return rho;
}

/* With 64^3 cells: width to 1 %, <s> = -sigma^2 / 2 for a unit mean, mass-weighted mean + sigma^2 /
 * 2, both distributions sum to 1, the fit is close to the counts. */
static void test_lognormal(void **state)
{
    double *rho = lognormal(1.3, 0.8), volume = 0, mass = 0, off = 0;
    struct sl_pdf p;
    (void)state;
    assert_int_equal(sl_pdf_make(&slab, rho, &p), SL_OK);
    assert_true(fabs(p.s_sigma - 0.8) < 0.01);
    assert_true(fabs(p.s_mean + 0.32) < 0.01);
    assert_true(fabs(p.s_mean_mass - 0.32) < 0.02);
    assert_true(fabs(p.s_sigma_mass - 0.8) < 0.02);
    assert_true(fabs(p.mean / exp(1.3 + 0.32) - 1) < 0.01);
    for (int i = 0; i < SL_PDF_BINS; i++) {
        volume += p.volume[i] * SL_PDF_WIDTH;
        mass += p.mass[i] * SL_PDF_WIDTH;
        off = fmax(off, fabs(p.volume[i] - p.lognormal[i]));
        /* rho / mean is e^s, the same within half a bin */
        double weighted = p.volume[i] * exp(SL_PDF_FIRST + (i + 0.5) * SL_PDF_WIDTH);
        assert_true(fabs(p.mass[i] - weighted) <= 0.052 * weighted);
    }
    assert_true(fabs(volume - 1) < 1e-12 && fabs(mass - 1) < 1e-12);
    assert_true(p.outside == 0);
    assert_true(off < 0.02);
    assert_true(p.hopkins_t < 0.02);
    free(rho);
}

/* p(s) as a sum over the number of events: of n events that take u away in all, u is
 * Gamma-distributed. */
static double by_events(double s, double variance, double t)
{
    double l = variance / (2 * t * t), u = l / (1 + t) - s / t, sum = 0;
    for (int n = 1; n < 400 && u > 0; n++)
        sum += exp(n * log(l) - l - lgamma(n + 1) + (n - 1) * log(u) - u - lgamma(n));
    return sum / t;
}

static void test_hopkins(void **state)
{
    (void)state;
    for (double t = 0.05; t < 2; t *= 1.7)
        for (double s = -6; s < 4; s += 0.37) {
            double exact = by_events(s, 0.8, t);
            assert_true(fabs(sl_hopkins_pdf(s, 0.8, t) - exact) <= 1e-6 * exact + 1e-12);
        }
    for (double s = -3; s < 3; s += 0.5)
        assert_true(fabs(sl_hopkins_pdf(s, 0.8, 1e-4) - sl_hopkins_pdf(s, 0.8, 0)) < 1e-3);
}

/* Number of events below a rate, each of unit mean: the time until they are used up. */
static double events(double rate, int64_t cell)
{
    double sum = 0, pair[2], time = 0;
    for (int32_t n = 0;; n++) {
        struct sl_random_name name = {6, SL_RANDOM_VELOCITY, 0, {cell, n, 0}};
        sl_random_gauss(&name, 0, pair);
        time -= log(0.5 * erfc(pair[0] / sqrt(2)));
        if (time > rate) return sum;
        sum -= log(0.5 * erfc(pair[1] / sqrt(2)));
    }
}

/* A field that is made by such events has their distribution, mean and T. */
static void test_intermittent_field(void **state)
{
    double t = 0.3, variance = 1.2, rate = variance / (2 * t * t), off = 0;
    size_t first = (size_t)slab.z0 * (size_t)slab.n[0] * (size_t)slab.n[1];
    double *rho = lognormal(0, 0);
    struct sl_pdf p;
    (void)state;
    for (size_t i = 0; i < sl_slab_cells(&slab); i++)
        rho[i] = exp(t * (rate / (1 + t) - events(rate, (int64_t)(first + i))));
    assert_int_equal(sl_pdf_make(&slab, rho, &p), SL_OK);
    assert_true(fabs(p.mean - 1) < 0.02 && fabs(p.s_sigma * p.s_sigma / variance - 1) < 0.02);
    assert_true(fabs(p.hopkins_t / t - 1) < 0.05);
    assert_true(fabs(cbrt(pow(p.s_sigma / p.s_sigma_mass, 2)) - 1 - t) < 0.05);
    for (int i = 0; i < SL_PDF_BINS; i++)
        off = fmax(off, fabs(p.volume[i] - p.hopkins[i]));
    assert_true(off < 0.01);
    free(rho);
}

static void test_far_tails_are_counted(void **state)
{
    double *rho = lognormal(0, 8), volume = 0;
    struct sl_pdf p;
    (void)state;
    assert_int_equal(sl_pdf_make(&slab, rho, &p), SL_OK);
    for (int i = 0; i < SL_PDF_BINS; i++)
        volume += p.volume[i] * SL_PDF_WIDTH;
    assert_true(p.outside > 0.05);
    assert_true(fabs(volume + p.outside - 1) < 1e-12);
    free(rho);
}

static void test_uniform(void **state)
{
    double *rho = lognormal(0.7, 0);
    struct sl_pdf p;
    (void)state;
    assert_int_equal(sl_pdf_make(&slab, rho, &p), SL_OK);
    assert_true(p.s_sigma < 1e-7 && fabs(p.s_mean) < 1e-12);
    free(rho);
}

static void test_refuses_bad_density(void **state)
{
    static const double bad[] = {0, -1, NAN, INFINITY};
    (void)state;
    for (int i = 0; i < 4; i++) {
        double *rho = lognormal(0, 0.1);
        struct sl_pdf p = {.mean = -7};
        if (slab.rank == slab.size - 1) rho[sl_slab_cells(&slab) - 1] = bad[i];
        assert_int_equal(sl_pdf_make(&slab, rho, &p), SL_EINPUT);
        assert_true(p.mean == -7);
        free(rho);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lognormal),
                                       cmocka_unit_test(test_hopkins),
                                       cmocka_unit_test(test_intermittent_field),
                                       cmocka_unit_test(test_far_tails_are_counted),
                                       cmocka_unit_test(test_uniform),
                                       cmocka_unit_test(test_refuses_bad_density)};
    int n[3] = {64, 64, 64};
    double length[3] = {1, 1, 1};
    MPI_Init(&argc, &argv);
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &slab);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
