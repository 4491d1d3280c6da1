/* drive.c - tests core/drive/modes.h: spectrum, mixture, norm, memory, and that time alone
 * decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/drive/modes.h"
#include "core/ic/turbulence_field.h"
#include "core/lists/drive_spectrum_list.h"
#include "core/sys/status.h"

static const struct sl_drive_spec plain = {.seed = 5,
                                           .dim = 3,
                                           .length = {1, 1, 1},
                                           .kmin = 1,
                                           .kmax = 3,
                                           .spectrum = SL_DRIVING_SPECTRUM_power,
                                           .peak = 2,
                                           .solenoidal = 1,
                                           .correlation = 0.5,
                                           .steady = true};

struct force {
    struct sl_drive_modes m;
    double (*a)[3][2];
    double bound;
};

static void force_new(const struct sl_drive_spec *spec, struct force *f)
{
    assert_int_equal(sl_drive_modes_init(spec, &f->m), SL_OK);
    f->a = calloc((size_t)f->m.count, sizeof *f->a);
}

static void force_free(struct force *f)
{
    sl_drive_modes_release(&f->m);
    free(f->a);
}

static void force_at(struct force *f, double t)
{
    sl_drive_modes_at(&f->m, t, f->a, &f->bound);
}

/* Shares of |a|^2 in modes of n2 = |n|^2, summed over n and -n. */
static double share(const struct force *f, int n2)
{
    double sum = 0;
    for (int i = 0; i < f->m.count; i++) {
        const int *n = f->m.mode[i].n;
        if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] == n2) sum += 2 * sl_turbulence_square(f->a[i]);
    }
    return sum;
}

static void band(void **unused)
{
    (void)unused;
    struct force f;
    force_new(&plain, &f);
    assert_int_equal(f.m.count, 61); /* half of the 122 vectors with 1 <= |n| <= 3 */
    for (double t = 0; t < 2; t += 0.37) {
        double all = 0, peak = 0;
        force_at(&f, t);
        for (int i = 0; i < f.m.count; i++)
            all += 2 * sl_turbulence_square(f.a[i]);
        assert_true(fabs(all - 1) < 1e-14);
        for (int i = 0; i < f.m.count; i++)
            peak += 2 * sqrt(sl_turbulence_square(f.a[i]));
        assert_true(f.bound >= peak && f.bound > 1);
    }
    force_free(&f);
}

/* Means over many seeds against the spectrum: E(k) of a shell is the modes times their variance. */
static void mean_share(struct sl_drive_spec spec, int n, const int *n2, double *mean)
{
    enum { SEEDS = 400 };
    double all = 0;
    for (int q = 0; q < n; q++)
        mean[q] = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        struct force f;
        spec.seed = (uint64_t)seed;
        force_new(&spec, &f);
        force_at(&f, 0);
        for (int q = 0; q < n; q++)
            mean[q] += share(&f, n2[q]);
        force_free(&f);
    }
    for (int q = 0; q < n; q++)
        all += mean[q];
    for (int q = 0; q < n; q++)
        mean[q] /= all;
}

static void spectra(void **unused)
{
    (void)unused;
    static const int n2[] = {1, 2, 3, 4, 5, 6, 8, 9};
    static const double modes[] = {6, 12, 8, 6, 24, 24, 12, 30};
    struct sl_drive_spec spec = plain;
    for (int shape = 0; shape < 3; shape++) {
        static const int spectrum[] = {SL_DRIVING_SPECTRUM_power, SL_DRIVING_SPECTRUM_parabola,
                                       SL_DRIVING_SPECTRUM_quartic};
        double mean[8], want[8], all = 0;
        spec.spectrum = spectrum[shape];
        spec.slope = -5.0 / 3;
        mean_share(spec, 8, n2, mean);
        for (int q = 0; q < 8; q++) {
            double x = shape == 1 ? n2[q] / 4.0 : sqrt(n2[q] / 4.0), hill = fmax(0, x * (2 - x));
            want[q] = modes[q] * (shape ? pow(hill, 2 * shape) : pow(n2[q], 0.5 * (-5.0 / 3 - 2)));
            all += want[q];
        }
        for (int q = 0; q < 8; q++) /* scatter of the mean: 1 / sqrt(400 x modes) at most */
            assert_true(fabs(mean[q] - want[q] / all) <= 0.1 * want[q] / all);
    }
}

/* A force that is not steady has a mean square of 1 over seeds and times, and the scatter of its
 * modes: each has six normal numbers of one variance, 61 modes of equal size. */
static void ups_and_downs(void **unused)
{
    (void)unused;
    struct sl_drive_spec spec = plain;
    double mean = 0, scatter = 0;
    enum { SEEDS = 600 };
    spec.steady = false;
    spec.slope = 2;
    spec.solenoidal = 0.5;
    for (int seed = 0; seed < SEEDS; seed++) {
        struct force f;
        double all = 0;
        spec.seed = (uint64_t)seed;
        force_new(&spec, &f);
        force_at(&f, seed % 2 ? 0 : 0.5 * SL_DRIVE_STEP * spec.correlation);
        for (int i = 0; i < f.m.count; i++)
            all += 2 * sl_turbulence_square(f.a[i]);
        assert_true(fabs(f.m.rms * f.m.rms - all) < 1e-12);
        mean += all / SEEDS;
        scatter += (all - 1) * (all - 1) / SEEDS;
        force_free(&f);
    }
    assert_true(fabs(mean - 1) < 4 * sqrt(2.0 / (6 * 61) / SEEDS));
    assert_true(fabs(scatter / (2.0 / (6 * 61)) - 1) < 4 * sqrt(2.0 / SEEDS));
}

static void mixture(void **unused)
{
    (void)unused;
    static const double zetas[] = {0, 0.3, 0.5, 1}, want[] = {1, 0.7313, 1.0 / 3, 0};
    for (int z = 0; z < 4; z++) {
        struct sl_drive_spec spec = plain;
        double compressive = 0;
        spec.solenoidal = zetas[z];
        spec.kmax = 6;
        struct force f;
        force_new(&spec, &f);
        force_at(&f, 1);
        for (int i = 0; i < f.m.count; i++)
            for (int part = 0; part < 2; part++) {
                const int *n = f.m.mode[i].n;
                double dot = 0, n2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
                for (int d = 0; d < 3; d++)
                    dot += n[d] * f.a[i][d][part];
                compressive += 2 * dot * dot / n2;
            }
        assert_true(fabs(compressive - want[z]) < (z == 0 || z == 3 ? 1e-13 : 0.05));
        force_free(&f);
    }
}

static double product(const double *a, const double *b, size_t bytes)
{
    double sum = 0;
    for (size_t i = 0; i < bytes / sizeof *a; i++)
        sum += a[i] * b[i];
    return sum;
}

/* exp(-dt / T) between two times, over many modes and times. */
static void memory(void **unused)
{
    (void)unused;
    struct sl_drive_spec spec = plain;
    struct force f;
    double same = 0, one = 0, four = 0;
    spec.kmax = 8;
    force_new(&spec, &f);
    size_t size = (size_t)f.m.count * sizeof *f.a;
    double *before = malloc(size);
    for (int k = 0; k < 40; k++) {
        force_at(&f, 10.0 * k);
        memcpy(before, f.m.z, size);
        force_at(&f, 10.0 * k + 0.5 * spec.correlation);
        one += product((const double *)f.m.z, before, size);
        force_at(&f, 10.0 * k + 2 * spec.correlation);
        four += product((const double *)f.m.z, before, size);
        same += product((const double *)f.m.z, (const double *)f.m.z, size);
    }
    assert_true(fabs(same / (40.0 * (double)size / 8) - 1) < 0.02);
    assert_true(fabs(one / same - exp(-0.5)) < 0.02);
    assert_true(fabs(four / same - exp(-2)) < 0.02);
    free(before);
    force_free(&f);
}

/* The same bits at a time, whatever came before: many steps, one step, a step back, a load. */
static void time_alone(void **unused)
{
    (void)unused;
    struct force a, b, c;
    force_new(&plain, &a);
    force_new(&plain, &b);
    force_new(&plain, &c);
    size_t size = (size_t)a.m.count * sizeof *a.a;
    for (int i = 0; i <= 317; i++)
        force_at(&a, 0.01 * i);
    force_at(&b, 0.01 * 317);
    assert_memory_equal(a.a, b.a, size);
    double *state = malloc(sl_drive_modes_size(&a.m) * sizeof *state);
    sl_drive_modes_save(&a.m, state);
    sl_drive_modes_load(&c.m, state);
    force_at(&a, 4.5);
    force_at(&c, 4.5);
    assert_memory_equal(a.a, c.a, size);
    assert_memory_not_equal(a.a, b.a, size);
    force_at(&a, 0.01 * 317);
    assert_memory_equal(a.a, b.a, size);
    free(state);
    force_free(&a);
    force_free(&b);
    force_free(&c);
}

static void refused(struct sl_drive_spec spec, const char *what)
{
    struct sl_drive_modes m;
    assert_int_equal(sl_drive_modes_init(&spec, &m), SL_EINPUT);
    if (!strstr(sl_error_text(), what)) fail_msg("%s: %s", what, sl_error_text());
}

static void nonsense(void **unused)
{
    (void)unused;
    struct sl_drive_spec spec = plain;
    spec.kmin = 4;
    refused(spec, "driving.kmin 4");
    spec = plain;
    spec.dim = 1;
    refused(spec, "driving.solenoidal");
    spec = plain;
    spec.spectrum = SL_DRIVING_SPECTRUM_parabola;
    spec.peak = 0.5;
    refused(spec, "no mode");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(band),          cmocka_unit_test(spectra), cmocka_unit_test(mixture),
        cmocka_unit_test(ups_and_downs), cmocka_unit_test(memory),  cmocka_unit_test(time_alone),
        cmocka_unit_test(nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
