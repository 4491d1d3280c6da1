/* power.c - tests core/cosmo/power.h: sigma(R) and P(k) of the tables,
 * amplitudes by A_s and sigma8, ratios of species, scaling with the growth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "core/config/config.h"
#include "core/cosmo/power.h"
#include "core/cosmo/universe.h"
#include "core/cosmo/variance.h"
#include "pipeline/plan/plan.h"
#include "tests/cosmo.h"

static void near(const char *what, double got, double want, double relative)
{
    if (fabs(got - want) <= relative * fabs(want)) return;
    fail_msg("%s is %.10g instead of %.10g (%.1e off)", what, got, want, got / want - 1);
}

static struct sl_power_spec spec_of(double z, double table_z)
{
    struct sl_power_spec s = {.cosmology = test_cosmology(2.7255),
                              .n_s = 0.96,
                              .k_pivot = 0.05,
                              .norm = SL_POWER_a_s,
                              .a_s = 2.1e-9,
                              .sigma8 = 0.8,
                              .z = z,
                              .table_z = table_z};
    return s;
}

/* Reads a table and makes power of it. */
static void open_power(const char *file, struct sl_power_spec s, struct sl_transfer *t,
                       struct sl_power *p)
{
    char path[600];
    assert_int_equal(sl_transfer_read(test_data(file, path), &s.cosmology, s.table_z, t), SL_OK);
    s.table = t;
    if (t->power) s.norm = SL_POWER_as_table;
    assert_int_equal(sl_power_init(&s, p), SL_OK);
}

/* One number for all codes; z = 0 and z = 99. */
static void test_sigma(void **state)
{
    static const char *const files[] = {"camb13_transfer",  "camb7_transfer", "cmbfast5_layout",
                                        "class_tk_sync",    "class_tk_newt",  "class_tk_cambformat",
                                        "camb_matterpower", "class_pk"};
    static const double radius[] = {1, 4, 8, 16, 32};
    static const double want[2][5] = {{2.5618, 1.3161, 0.85183, 0.50241, 0.26431},
                                      {0.033503, 0.017211, 0.011139, 0.006569, 0.003455}};
    (void)state;
    for (int i = 0; i < 16; i++) {
        char name[64];
        struct sl_transfer t;
        struct sl_power p;
        double z = i % 2 ? 99 : 0;
        snprintf(name, sizeof name, "%s_z%g.dat", files[i / 2], z);
        open_power(name, spec_of(z, z), &t, &p);
        for (int r = 0; r < 5; r++)
            near(name, sl_power_sigma(&p, radius[r]), want[i % 2][r], 3e-4);
        near("sigma8 today", p.sigma8, 0.85183, 5e-4);
        sl_power_release(&p);
        sl_transfer_release(&t);
    }
}

/* P of a transfer function is that which the same code wrote as P; the table
 * itself is met at its points, and half of it is enough to find the other half.
 */
static void test_power(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        double z = late ? 0 : 99;
        struct sl_transfer t, table;
        struct sl_power p, q;
        open_power(late ? "camb13_transfer_z0.dat" : "camb13_transfer_z99.dat", spec_of(z, z), &t,
                   &p);
        open_power(late ? "camb_matterpower_z0.dat" : "camb_matterpower_z99.dat", spec_of(z, z),
                   &table, &q);
        for (int i = 0; i < table.n; i++) {
            double a = sl_power_amplitude(&p, SL_POWER_TOTAL, table.k[i]);
            double b = sl_power_amplitude(&q, SL_POWER_TOTAL, table.k[i]);
            near("P by T", a * a, table.power[i], 1.2e-5);
            near("P by P", b * b, table.power[i], 1e-12);
        }
        sl_power_release(&p);
        sl_power_release(&q);
        sl_transfer_release(&t);
        sl_transfer_release(&table);
    }
}

/* Simpson's rule, ten times as dense and over more scales. */
static double sigma_by_simpson(const struct sl_power *p, double radius)
{
    enum { STEPS = 200000 };
    double lo = log(1e-6), h = (log(1e3 / radius) - lo) / STEPS, sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        double k = exp(lo + i * h), x = k * radius;
        double w = x < 0.01 ? 1 - x * x / 10 : 3 * (sin(x) / x - cos(x)) / (x * x);
        double a = sl_power_amplitude(p, SL_POWER_TOTAL, k);
        sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * pow(k, 3) * a * a * w * w;
    }
    return sqrt(sum * h / 3 / (2 * acos(-1) * acos(-1)));
}

static void test_quadrature(void **state)
{
    static const char *const files[] = {"camb13_transfer_z0.dat", "class_pk_z0.dat"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct sl_transfer t;
        struct sl_power p;
        open_power(files[i], spec_of(0, 0), &t, &p);
        for (double radius = 1; radius < 40; radius *= 2)
            near(files[i], sl_power_sigma(&p, radius), sigma_by_simpson(&p, radius), 1e-5);
        sl_power_release(&p);
        sl_transfer_release(&t);
    }
}

/* sigma(R) of many radii is that of each, in and beyond the range of what is
 * kept, whatever the order they are asked for in. */
static void test_many(void **state)
{
    static const double radius[] = {8, 0.01, 37.1, 900, 1.234567, 5e-4, 5e3, 1.2346, 0.3, 8.0001};
    static const char *const files[] = {NULL, "camb13_transfer_z0.dat", "class_pk_z0.dat"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct sl_transfer t;
        struct sl_power p;
        struct sl_variance v;
        struct sl_power_spec s = spec_of(0, 0);
        if (files[i])
            open_power(files[i], s, &t, &p);
        else
            assert_int_equal(sl_power_init(&s, &p), SL_OK);
        assert_int_equal(sl_variance_init(&v), SL_OK);
        for (size_t r = 0; r < sizeof radius / sizeof *radius; r++)
            near(files[i] ? files[i] : "fit", sl_variance_sigma(&v, &p, radius[r]),
                 sl_power_sigma(&p, radius[r]), 1e-9);
        sl_variance_release(&v);
        sl_power_release(&p);
        if (files[i]) sl_transfer_release(&t);
    }
}

/* Beyond its ends a table goes on with the shape of Eisenstein & Hu, without a
 * step. */
static void test_beyond(void **state)
{
    (void)state;
    struct sl_transfer t;
    struct sl_power p, fit;
    struct sl_power_spec s = spec_of(0, 0);
    open_power("camb_matterpower_z0.dat", s, &t, &p);
    assert_int_equal(sl_power_init(&s, &fit), SL_OK);
    for (int i = 0; i < 2; i++) {
        double end = i ? p.k_last : p.k_first, out = i ? 10 : 0.1;
        double here = sl_power_amplitude(&p, SL_POWER_TOTAL, end);
        near("no step", sl_power_amplitude(&p, SL_POWER_TOTAL, end * (i ? 1 + 1e-9 : 1 - 1e-9)),
             here, 1e-7);
        near("shape", sl_power_amplitude(&p, SL_POWER_TOTAL, end * out) / here,
             sl_power_amplitude(&fit, SL_POWER_TOTAL, end * out) /
                 sl_power_amplitude(&fit, SL_POWER_TOTAL, end),
             1e-9);
    }
    sl_power_release(&p);
    sl_power_release(&fit);
    sl_transfer_release(&t);
}

/* Baryons that cross zero keep their sign, between points of the table, too. */
static void test_signs(void **state)
{
    (void)state;
    char path[600];
    struct sl_transfer t;
    struct sl_power p;
    struct sl_power_spec s = spec_of(99, 99);
    assert_int_equal(
        sl_transfer_read(test_data("camb13_transfer_z99.dat", path), &s.cosmology, 99, &t), SL_OK);
    for (int i = 0; i < t.n; i++)
        t.baryon[i] *= 1 - t.k[i];
    s.table = &t;
    assert_int_equal(sl_power_init(&s, &p), SL_OK);
    for (double k = 0.11; k < 100; k *= 1.3) {
        double share = sl_power_amplitude(&p, SL_POWER_BARYON, k) /
                       sl_power_amplitude(&p, SL_POWER_CDM, k) / (1 - k);
        assert_true(share > 0.6 && share < 0.8); /* T_b / T_c, in which there is no zero */
    }
    sl_power_release(&p);
    sl_transfer_release(&t);
}

static void thin_out(struct sl_transfer *t)
{
    double *all[] = {t->k, t->cdm, t->baryon, t->total, t->v_cdm, t->v_baryon};
    t->n /= 2;
    for (size_t a = 0; a < 6; a++)
        for (int i = 0; i < t->n; i++)
            all[a][i] = all[a][2 * i];
}

static void test_species(void **state)
{
    (void)state;
    struct sl_transfer t, half;
    struct sl_power p, q;
    struct sl_power_spec s = spec_of(99, 99);
    open_power("camb13_transfer_z99.dat", s, &t, &p);
    double all = sl_power_amplitude(&p, SL_POWER_TOTAL, 0.1);
    near("T_b / T_c",
         sl_power_amplitude(&p, SL_POWER_BARYON, 0.1) / sl_power_amplitude(&p, SL_POWER_CDM, 0.1),
         2.18401 / 3.41459, 2e-4);
    near("f_b",
         sl_power_amplitude(&p, SL_POWER_BARYON_VELOCITY, 1) /
             sl_power_amplitude(&p, SL_POWER_BARYON, 1),
         1.269, 1e-3);
    near("f_c",
         sl_power_amplitude(&p, SL_POWER_CDM_VELOCITY, 1) / sl_power_amplitude(&p, SL_POWER_CDM, 1),
         0.945, 1e-3);
    near("total", all,
         0.15 * sl_power_amplitude(&p, SL_POWER_BARYON, 0.1) +
             0.85 * sl_power_amplitude(&p, SL_POWER_CDM, 0.1),
         1e-6);
    char path[600];
    assert_int_equal(
        sl_transfer_read(test_data("camb13_transfer_z99.dat", path), &s.cosmology, 99, &half),
        SL_OK);
    thin_out(&half);
    s.table = &half;
    assert_int_equal(sl_power_init(&s, &q), SL_OK);
    for (int i = 1; i < t.n - 2; i++) /* the rows that were left out: what interpolation costs */
        for (int f = 0; f < SL_POWER_FIELDS; f++)
            near("between two points", sl_power_amplitude(&q, (enum sl_power_field)f, t.k[i]),
                 sl_power_amplitude(&p, (enum sl_power_field)f, t.k[i]),
                 f == SL_POWER_TOTAL || f == SL_POWER_CDM ? 2e-3 : 1e-2);
    sl_power_release(&q);
    s.one_fluid = true, s.table = &t;
    assert_int_equal(sl_power_init(&s, &q), SL_OK);
    near("one fluid", sl_power_amplitude(&q, SL_POWER_BARYON, 0.1), all, 1e-12);
    near("its velocity", sl_power_amplitude(&q, SL_POWER_CDM_VELOCITY, 0.1), all * 0.9813784, 1e-6);
    sl_power_release(&p);
    sl_power_release(&q);
    sl_transfer_release(&t);
    sl_transfer_release(&half);
}

static void test_amplitude(void **state)
{
    (void)state;
    struct sl_power_spec s = spec_of(0, 0);
    struct sl_power p;
    assert_int_equal(sl_power_init(&s, &p), SL_OK);
    near("sigma8 of A_s by Eisenstein & Hu", p.sigma8, 0.8595, 5e-4); /* made without radiation */
    s.norm = SL_POWER_sigma8;
    assert_int_equal(sl_power_init(&s, &p), SL_OK);
    double a = sl_power_amplitude(&p, SL_POWER_TOTAL, 0.1);
    near("P(0.1) of sigma8 = 0.8", a * a, 5424.7, 1e-4);
    s.z = 99; /* a fit needs no table: sigma8 is that of today */
    assert_int_equal(sl_power_init(&s, &p), SL_OK);
    near("growth", sl_power_amplitude(&p, SL_POWER_TOTAL, 0.1), a * 0.013076007, 1e-7);
    near("sigma8 today", p.sigma8, 0.8, 1e-12);
    s.norm = SL_POWER_as_table;
    assert_int_equal(sl_power_init(&s, &p), SL_EINPUT);
}

/* A table of today brought back to z = 99 by the growth of H(a). */
static void test_back_scaled(void **state)
{
    (void)state;
    struct sl_transfer t, early;
    struct sl_power p, q;
    open_power("camb13_transfer_z0.dat", spec_of(99, 0), &t, &p);
    open_power("camb13_transfer_z99.dat", spec_of(99, 99), &early, &q);
    near("k = 1",
         sl_power_amplitude(&q, SL_POWER_TOTAL, 1) / sl_power_amplitude(&p, SL_POWER_TOTAL, 1),
         1.0002, 2e-4);
    near("k = 0.001",
         sl_power_amplitude(&q, SL_POWER_TOTAL, 1e-3) /
             sl_power_amplitude(&p, SL_POWER_TOTAL, 1e-3),
         0.938, 1e-3);
    near("baryons follow", sl_power_amplitude(&p, SL_POWER_BARYON, 1),
         sl_power_amplitude(&p, SL_POWER_CDM, 1), 0);
    sl_power_release(&p);
    sl_power_release(&q);
    sl_transfer_release(&t);
    sl_transfer_release(&early);
}

/* The fit is nowhere below the displacement, nor far above it, in cubes of all
 * sizes; in long and flat boxes at least not below. */
static void check_displacement(struct sl_config *cfg, const struct sl_power *p,
                               const double length[3], double above)
{
    for (int d = 0; d < 3; d++)
        cfg->mesh_box[2 * d] = -length[d], cfg->mesh_box[2 * d + 1] = 0;
    double most = sl_plan_displacement(cfg);
    double all = sl_power_displacement(p, SL_POWER_TOTAL, length, 2);
    if (!(all < most && most < above * all))
        fail_msg("omega_m %g, h %g, n_s %g, z %g, box %g x %g x %g: %g Mpc/h, the "
                 "fit says %g",
                 cfg->cosmology_omega_m, cfg->cosmology_h, cfg->cosmology_n_s, cfg->ic_redshift,
                 length[0], length[1], length[2], all, most);
}

static void try_displacement(struct sl_config *cfg, double z)
{
    const struct sl_named_bytes none = {"", NULL, 0};
    struct sl_universe u;
    struct sl_findings found = {0};
    struct sl_power p;
    cfg->ic_redshift = z;
    assert_int_equal(sl_universe_init(cfg, &none, &u), SL_OK);
    assert_int_equal(sl_universe_power(cfg, &u, &none, &found, &p), SL_OK);
    for (double side = 1; side < 2e4; side *= 10) {
        const double cube[3] = {side, side, side}, stick[3] = {side / 2, side / 2, side},
                     sheet[3] = {side, side, side / 3}, needle[3] = {side / 16, side / 16, side};
        check_displacement(cfg, &p, cube, 4.7);
        check_displacement(cfg, &p, stick, 6.3);
        check_displacement(cfg, &p, sheet, 4.7);
        if (side >= 10) check_displacement(cfg, &p, needle, 8);
    }
    sl_power_release(&p);
}

/* Wave by wave up to the 20th of the shortest side, in a long box. */
static void test_long_box(void **state)
{
    (void)state;
    const double length[3] = {100, 100, 250};
    struct sl_power_spec s = spec_of(49, 49);
    struct sl_power p;
    double sum[2] = {0, 0};
    assert_int_equal(sl_power_init(&s, &p), SL_OK);
    for (int x = -20; x <= 20; x++)
        for (int y = -20; y <= 20; y++)
            for (int z = -50; z <= 50; z++) {
                const double unit = 2 * acos(-1),
                             k[3] = {unit * x / 100, unit * y / 100, unit * z / 250};
                double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
                double a = k2 > 0 ? sl_power_amplitude(&p, SL_POWER_TOTAL, sqrt(k2)) / k2 : 0;
                sum[0] += a * a * k[0] * k[0] / (100. * 100 * 250);
                sum[1] += a * a * k[2] * k[2] / (100. * 100 * 250);
            }
    for (int i = 0; i < 2; i++)
        near("displacement", sl_power_displacement(&p, SL_POWER_TOTAL, length, 2 * i), sqrt(sum[i]),
             0.02);
    assert_true(sum[1] > 1.1 * sum[0]);
    sl_power_release(&p);
}

static void test_displacement(void **state)
{
    (void)state;
    static const double omega_m[] = {0.1, 0.2, 0.3, 0.5, 1}, h[] = {0.5, 0.7, 0.9},
                        n_s[] = {0.9, 1.05}, baryons[] = {0.02, 0.15, 0.3};
    struct sl_config cfg = {.ic_transfer = SL_IC_TRANSFER_eisenstein_hu,
                            .cosmology_a_s = 2.5e-9,
                            .cosmology_sigma8 = 0.75,
                            .cosmology_k_pivot = 0.05,
                            .cosmology_w0 = -1,
                            .cosmology_t_cmb = 2.7255,
                            .cosmology_n_eff = 3.046,
                            .cosmology_helium = 0.245};
    for (int i = 0; i < 60; i++) {
        cfg.cosmology_omega_m = omega_m[i % 5];
        cfg.cosmology_omega_b = baryons[(i + i / 5) % 3] * omega_m[i % 5];
        cfg.cosmology_h = h[i / 5 % 3];
        cfg.cosmology_n_s = n_s[i / 15 % 2];
        cfg.cosmology_normalise = i / 30 ? SL_NORMALISE_sigma8 : SL_NORMALISE_a_s;
        try_displacement(&cfg, 24);
        try_displacement(&cfg, 99);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sigma),       cmocka_unit_test(test_power),
        cmocka_unit_test(test_quadrature),  cmocka_unit_test(test_many),
        cmocka_unit_test(test_beyond),      cmocka_unit_test(test_signs),
        cmocka_unit_test(test_species),     cmocka_unit_test(test_amplitude),
        cmocka_unit_test(test_back_scaled), cmocka_unit_test(test_displacement),
        cmocka_unit_test(test_long_box)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
