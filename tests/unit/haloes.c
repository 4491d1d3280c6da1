/* haloes.c - tests core/halo/haloes.h, halo_bias.h and core/cosmo/nfw.h: masses, radii,
 * concentration, shape, motion and spin of samples of haloes whose profile is known, on any ranks
 * and in any order; the bias of haloes that follow a wave. ranks: 1 2 4 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/nfw.h"
#include "core/halo/halo_bias.h"
#include "core/halo/halo_group.h"
#include "core/halo/haloes.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

#define PI 3.14159265358979323846

static void near(const char *what, double got, double want, double relative)
{
    if (fabs(got - want) <= relative * fabs(want)) return;
    fail_msg("%s is %.10g instead of %.10g (%.1e off)", what, got, want, got / want - 1);
}

/* ---- a halo in a box ---- */

/* The flat universe of 0.3 today, for which spheres.py has the virial density.
 */
enum { PARTS = 4 };
static const double matter = 0.3, concentration = 10;
static double contrast[PARTS]; /* over the mean: 200c, 200m, 500c, virial */

static uint64_t words;

static double uniform(void)
{
    uint64_t z = words += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* x at which m(x) is this. */
static double where_mass(double mass)
{
    double lo = 1e-9, hi = 1e4;
    for (int i = 0; i < 100; i++) {
        double x = sqrt(lo * hi);
        if (sl_nfw_mass(x) < mass)
            lo = x;
        else
            hi = x;
    }
    return lo;
}

/* Within which the mean density is so many times that within r_200c, in r_200c.
 */
static double where_contrast(double times)
{
    double lo = 1e-3, hi = 1e2, own = sl_nfw_mass(concentration);
    for (int i = 0; i < 100; i++) {
        double r = sqrt(lo * hi);
        if (sl_nfw_mass(concentration * r) / own / (r * r * r) > times)
            lo = r;
        else
            hi = r;
    }
    return lo;
}

static void set_contrasts(void)
{
    struct sl_cosmology c = {.h = 0.7, .omega_m = matter, .omega_b = 0.04, .w0 = -1};
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    contrast[SL_OVERDENSITY_200c] = 200 / matter;
    contrast[SL_OVERDENSITY_200m] = 200;
    contrast[SL_OVERDENSITY_500c] = 500 / matter;
    contrast[SL_OVERDENSITY_vir] = sl_virial_contrast(&c, 1) / matter;
    near("virial contrast", sl_virial_contrast(&c, 1), 101.143, 1e-5);
}

/* Side of a box of one halo, in r_200c: n particles out to somewhat beyond r_200m. */
struct sample {
    uint64_t n;
    double outer, within; /* radius and share of particles in r_200c */
    double side;
};

static struct sample sample_of(uint64_t n)
{
    struct sample s = {.n = n, .outer = 1.2 * where_contrast(matter)};
    s.within = sl_nfw_mass(concentration) / sl_nfw_mass(concentration * s.outer);
    /* n / side^3 is the mean, and r_200c holds 200 / matter times it */
    s.side = cbrt(4 * PI / 3 * contrast[SL_OVERDENSITY_200c] / s.within);
    return s;
}

/* Particle i of a sample about `centre`: at the radius that holds i + 1/2 of all; turning about
 * z, with random motion. */
static struct sl_point particle(const struct sample *s, uint64_t i, const double centre[3],
                                double turn)
{
    struct sl_point p = {.id = 1000 + i};
    double whole = sl_nfw_mass(concentration * s->outer);
    double r = where_mass(whole * ((double)i + 0.5) / (double)s->n) / concentration;
    double z = 2 * uniform() - 1, angle = 2 * PI * uniform(), rho = sqrt(1 - z * z);
    const double x[3] = {r * rho * cos(angle), r * rho * sin(angle), r * z};
    const double v[3] = {-turn * x[1], turn * x[0], 0};
    for (int d = 0; d < 3; d++) {
        p.x[d] = sl_point_place(x[d] / s->side + centre[d]);
        p.v[d] = (float)(v[d] + 10 * (d + 1));
    }
    return p;
}

static struct sl_haloes find_on(MPI_Comm comm, const struct sample *s, const double centre[3],
                                double turn, int way)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    struct sl_points p = {0, malloc(s->n * sizeof *p.point)};
    struct sl_shares shares;
    struct sl_haloes list;
    struct sl_halo_rule rule = {
        .side = {s->side, s->side, s->side}, .linking = 0.2, .least = 20, .gravity = 1};
    memcpy(rule.contrast, contrast, sizeof contrast);
    words = 5;
    for (uint64_t i = 0; i < s->n; i++) {
        struct sl_point q = particle(s, i, centre, turn);
        if ((i / 3 + (uint64_t)way) % (uint64_t)size == (uint64_t)rank) p.point[p.n++] = q;
    }
    for (size_t i = 0; way && i < p.n / 2; i++) {
        struct sl_point q = p.point[i];
        p.point[i] = p.point[p.n - 1 - i];
        p.point[p.n - 1 - i] = q;
    }
    assert_int_equal(sl_shares_make(comm, &p, &shares), SL_OK);
    assert_int_equal(sl_haloes_find(&shares, &rule, &list), SL_OK);
    sl_shares_release(&shares);
    return list;
}

static struct sl_haloes find(const struct sample *s, const double centre[3], double turn)
{
    return find_on(MPI_COMM_WORLD, s, centre, turn, 0);
}

/* Masses and radii of the first halo of a list. */
static void check_spheres(const struct sample *s, const struct sl_halo *h, double relative)
{
    for (int k = 0; k < PARTS; k++) {
        double r = where_contrast(contrast[k] / contrast[SL_OVERDENSITY_200c]);
        double mass = sl_nfw_mass(concentration * r) / sl_nfw_mass(concentration) * s->within;
        near("mass", h->mass[k], mass * (double)s->n, relative);
        near("radius", h->radius[k], r, relative);
    }
}

/* Around a corner of the box; on all ranks and, in another order, on one the same bits. */
static void test_thousand(void **state)
{
    static const double corner[3] = {0.01, 0.99, 0.02};
    (void)state;
    struct sample s = sample_of(1000);
    struct sl_haloes a = find(&s, corner, 0), b = find_on(MPI_COMM_SELF, &s, corner, 0, 1);
    check_spheres(&s, &a.halo[0], 0.01);
    near("concentration", a.halo[0].concentration, concentration, 0.1);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.halo, b.halo, (size_t)a.n * sizeof *a.halo);
    assert_memory_equal(a.shell, b.shell, sizeof a.shell);
    assert_int_equal(sl_halo_stack(&a.halo[0]), 1);
    sl_haloes_release(&a);
    sl_haloes_release(&b);
}

static void test_many(void **state)
{
    static const double middle[3] = {0.3, 0.6, 0.5};
    int size;
    (void)state;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct sample s = sample_of(size == 1 ? 1000000 : 100000);
    struct sl_haloes a = find(&s, middle, 0);
    const struct sl_halo *h = &a.halo[0];
    check_spheres(&s, h, size == 1 ? 0.001 : 0.002);
    near("concentration", h->concentration, concentration, 0.005);
    near("shortest axis", h->axes[1], 1, 0.02);
    near("middle axis", h->axes[0], 1, 0.02);
    for (int d = 0; d < 3; d++) {
        near("centre", h->centre[d] / s.side, middle[d], 1e-3);
        near("centre of mass", h->mean[d] / s.side, middle[d], 2e-3);
        near("velocity", h->velocity[d], 10 * (d + 1), 1e-6);
    }
    double density[SL_HALO_SHELLS], r[SL_HALO_SHELLS], weight[SL_HALO_SHELLS];
    for (int k = 0; k < SL_HALO_SHELLS; k++) {
        double in = sl_halo_shell(k - 1), out = sl_halo_shell(k);
        weight[k] = (double)a.shell[3][k];
        density[k] = weight[k] / (pow(out, 3) - pow(in, 3));
        r[k] = sqrt(in * out);
    }
    near("fit", sl_nfw_fit(SL_HALO_SHELLS, r, density, weight).concentration, concentration, 0.02);
    sl_haloes_release(&a);
}

/* By all pairs. */
static size_t least_potential(const struct sl_member *member, size_t n, double soft)
{
    size_t best = 0;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) {
            double r2 = soft * soft;
            for (int d = 0; d < 3; d++)
                r2 += pow((int32_t)(member[i].p.x[d] - member[j].p.x[d]) / (double)SL_POINT_BOX, 2);
            if (j != i) sum += 1 / sqrt(r2);
        }
        if (sum > most) most = sum, best = i;
    }
    return best;
}

/* The densest place is in the dense part of a group, not at its centre of mass; of few members, and
 * of many, the one of least potential is found. */
static void test_centre(void **state)
{
    enum { DENSE = 1000, WIDE = 800 };
    static const double side[3] = {1, 1, 1}, soft = 0.002;
    static struct sl_member member[DENSE + WIDE];
    struct sl_halo h;
    (void)state;
    words = 9;
    for (int i = 0; i < DENSE + WIDE; i++) {
        member[i] = (struct sl_member){.p = {.id = (uint64_t)i}};
        for (int d = 0; d < 3; d++) {
            double x = uniform() + uniform() - 1;
            member[i].p.x[d] = sl_point_place(i < DENSE ? 0.01 * x : 0.2 + 0.1 * x);
        }
    }
    static const size_t number[] = {1, 2, 100, 200, 1100, DENSE + WIDE};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        size_t n = number[k];
        assert_int_equal(sl_group_describe(member, n, side, soft, &h), SL_OK);
        size_t least = least_potential(member, n, soft);
        for (int d = 0; d < 3; d++)
            assert_true(fabs(h.potential[d] - member[least].p.x[d] / SL_POINT_BOX) < 1e-12);
    }
    for (int d = 0; d < 3; d++) {
        assert_true(fabs(h.centre[d] - round(h.centre[d])) < 0.003);
        near("centre of mass", h.mean[d], 0.2 * WIDE / (DENSE + WIDE), 0.05);
    }
}

/* Points as dense as 1 + amplitude cos 2 pi x, evenly so. */
static void wave(double i, double n, double amplitude, double x[3])
{
    double u = (i + 0.5) / n;
    x[0] = u;
    for (int k = 0; k < 30; k++)
        x[0] -= (x[0] + amplitude * sin(2 * PI * x[0]) / (2 * PI) - u) /
                (1 + amplitude * cos(2 * PI * x[0]));
    x[1] = fmod(i * 0.7548776662466927, 1);
    x[2] = fmod(i * 0.5698402909980532, 1);
}

static void test_bias(void **state)
{
    enum { MATTER = 30000, HALOES = 9000 };
    struct sl_slab slab, fine;
    struct sl_halo_bias out[SL_BIAS_CLASSES], half[SL_BIAS_CLASSES];
    struct sl_points p = {0, calloc(MATTER, sizeof *p.point)};
    struct sl_haloes list = {.n = HALOES, .halo = calloc(HALOES, sizeof *list.halo)};
    double x[3];
    (void)state;
    sl_slab_init(MPI_COMM_WORLD, 3, (int[3]){16, 16, 16}, (double[3]){50, 60, 70}, &slab);
    for (int i = slab.rank; i < MATTER; i += slab.size) {
        wave(i, MATTER, 0.2, x);
        for (int d = 0; d < 3; d++)
            p.point[p.n].x[d] = sl_point_place(x[d]);
        p.n++;
    }
    for (int i = 0; i < HALOES; i++) {
        bool light = i < HALOES / 2;
        wave(i % (HALOES / 2), HALOES / 2, light ? 0.3 : 0.6, x);
        list.halo[i].n = light ? 99 : 1200 + (uint64_t)(i % 2) * 2;
        for (int d = 0; d < 3; d++)
            list.halo[i].centre[d] = x[d] * slab.length[d];
    }
    for (int k = 0; k < 2; k++) { /* a grid that is finer than its longest waves need is halved */
        const int cells = k ? 96 : 48;
        sl_slab_init(MPI_COMM_WORLD, 3, (int[3]){cells, cells, cells}, slab.length, &fine);
        assert_int_equal(sl_halo_bias_make(&fine, 3, &p, &list, k ? out : half), SL_OK);
    }
    assert_memory_equal(out, half, sizeof out);
    near("bias on a finer grid", out[3].bias, 3, 0.02);
    assert_int_equal(sl_halo_bias_make(&slab, 3, &p, &list, out), SL_OK);
    near("bias of light haloes", out[0].bias, 1.5, 0.02);
    near("bias of heavy haloes", out[3].bias, 3, 0.02);
    near("mean", out[3].mean, 1201, 1e-3);
    assert_true(out[0].n == HALOES / 2 && out[3].n == HALOES / 2);
    assert_true(out[1].n == 0 && out[1].bias == 0);
    assert_true(out[0].error > 0 && out[0].error < 0.1);
    free(p.point);
    free(list.halo);
}

/* A turning halo: |j| = turn <x^2 + y^2> within the virial sphere, for which the sample is
 * summed here; speeds of a turn are what the dispersion is of. */
static void test_spin(void **state)
{
    static const double middle[3] = {0.5, 0.5, 0.5};
    (void)state;
    struct sample s = sample_of(20000);
    struct sl_haloes a = find(&s, middle, 7);
    const struct sl_halo *h = &a.halo[0];
    double r = h->radius[SL_OVERDENSITY_vir], sum = 0, whole = sl_nfw_mass(concentration * s.outer);
    uint64_t n = 0;
    for (; n < s.n; n++) {
        double x = where_mass(whole * ((double)n + 0.5) / (double)s.n) / concentration;
        if (x > r) break;
        sum += 2 * x * x / 3;
    }
    double speed = sqrt(h->mass[SL_OVERDENSITY_vir] / r);
    near("spin", h->spin, 7 * sum / (double)n / (sqrt(2) * speed * r), 0.02);
    sl_haloes_release(&a);
}

static void test_nfw(void **state)
{
    double r[12], density[12], weight[12];
    const struct sl_nfw p = {6.5, 3e4};
    (void)state;
    for (int i = 0; i < 12; i++) {
        r[i] = 0.03 * pow(1.35, i);
        density[i] = i == 4 ? 0 : sl_nfw_density(&p, r[i]);
        weight[i] = i == 4 ? 0 : 1 + i;
    }
    struct sl_nfw fit = sl_nfw_fit(12, r, density, weight);
    near("concentration of a fit", fit.concentration, 6.5, 1e-6);
    near("density of a fit", fit.density, 3e4, 1e-6);
    near("concentration of speeds", sl_nfw_concentration(0.21621658 * 8 / sl_nfw_mass(8)), 8, 1e-6);
    assert_true(sl_nfw_fit(12, r, density, (double[12]){1, 1}).concentration == 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sl_threads_allow(4, 1);
    set_contrasts();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nfw),  cmocka_unit_test(test_thousand),
                                       cmocka_unit_test(test_many), cmocka_unit_test(test_spin),
                                       cmocka_unit_test(test_bias), cmocka_unit_test(test_centre)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
