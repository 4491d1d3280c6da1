/* lpt.c - tests core/ic/lpt.h: all products against direct sums over all pairs of modes, which have
 * no grid and no aliasing; one plane wave and a sphere's worth of symmetry; the same bits on any
 * number of ranks is in tests/law/cosmology.sh. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ic/density_modes.h"
#include "core/ic/lpt.h"
#include "core/sys/status.h"

#define TWO_PI 6.28318530717958647693

static const int modes[3] = {8, 10, 6};
static const double length[3] = {1, 1.3, 0.7};

struct box {
    struct sl_band band;
    struct sl_lpt lpt;
    fftw_complex *phi, *s, *r;
};

static void open_box(struct box *b)
{
    assert_int_equal(sl_band_init(MPI_COMM_WORLD, modes, modes, &b->band), SL_OK);
    assert_int_equal(sl_lpt_init(MPI_COMM_WORLD, modes, length, &b->lpt), SL_OK);
    size_t n = sl_band_rows(&b->band);
    b->phi = fftw_alloc_complex(n), b->s = fftw_alloc_complex(n), b->r = fftw_alloc_complex(n);
    memset(b->phi, 0, n * sizeof *b->phi);
}

static void close_box(struct box *b)
{
    fftw_free(b->phi), fftw_free(b->s), fftw_free(b->r);
    sl_lpt_release(&b->lpt);
    sl_band_release(&b->band);
}

static int inside(const int n[3])
{
    return 2 * abs(n[0]) < modes[0] && 2 * abs(n[1]) < modes[1] && 2 * abs(n[2]) < modes[2];
}

static double complex phi_of(const int n[3])
{
    static const struct sl_density_modes m = {.seed = 3};
    double v[2] = {0, 0};
    if (inside(n) && (n[0] || n[1] || n[2])) sl_density_mode(&m, n, v);
    return v[0] + I * v[1];
}

/* Calls with the modes of this rank, n and their place. */
static void each(const struct box *b, void (*visit)(const struct box *, const int n[3], size_t at))
{
    size_t at = 0;
    for (int y = 0; y < b->band.ny; y++)
        for (int z = 0; z < modes[2]; z++)
            for (int x = 0; x < b->band.nkx; x++, at++) {
                int n[3] = {x, sl_band_wave(b->band.y0 + y, modes[1]), sl_band_wave(z, modes[2])};
                visit(b, n, at);
            }
}

static void set_phi(const struct box *b, const int n[3], size_t at)
{
    b->phi[at] = phi_of(n);
}

/* Of all pairs p + q = n: sums of phi_p phi_q times pp qq, (p.q)^2 and p.q, and of the sizes of the
 * first and the last. */
struct pairs {
    double complex full, square;
    double full_size;
};

static void add_pair(struct pairs *sum, const int p[3], const int q[3])
{
    double pp = 0, qq = 0, pq = 0;
    for (int d = 0; d < 3; d++) {
        double unit = TWO_PI / length[d];
        pp += p[d] * unit * p[d] * unit;
        qq += q[d] * unit * q[d] * unit;
        pq += p[d] * unit * q[d] * unit;
    }
    double complex pair = phi_of(p) * phi_of(q);
    sum->full += pp * qq * pair;
    sum->square += pq * pq * pair;
    sum->full_size += pp * qq * cabs(pair);
}

static struct pairs pairs_of(const int n[3])
{
    struct pairs sum = {0};
    for (int x = -3; x <= 3; x++)
        for (int y = -4; y <= 4; y++)
            for (int z = -2; z <= 2; z++) {
                const int p[3] = {x, y, z}, q[3] = {n[0] - x, n[1] - y, n[2] - z};
                add_pair(&sum, p, q);
            }
    return sum;
}

static void check_mode(const struct box *b, const int n[3], size_t at)
{
    struct pairs sum = pairs_of(n);
    double complex s = 0.5 * (sum.full - sum.square);
    if (!inside(n)) s = 0, sum.full_size = 1e3; /* no mode */
    assert_true(cabs(b->s[at] - s) < 1e-14 * sum.full_size);
}

static void test_pairs(void **state)
{
    struct box b;
    (void)state;
    open_box(&b);
    const struct sl_lpt_products out = {b.s, NULL};
    each(&b, set_phi);
    assert_int_equal(sl_lpt_make(&b.lpt, b.phi, &out), SL_OK);
    each(&b, check_mode);
    close_box(&b);
}

/* The density that a displacement carries: to second order delta + delta^2 - S, all of it for one
 * wave, where it is 1 / (1 - delta) - 1. */
static const double small = 1e-9;

static void set_small(const struct box *b, const int n[3], size_t at)
{
    b->phi[at] = small * phi_of(n);
}

static void set_minus(const struct box *b, const int n[3], size_t at)
{
    b->phi[at] = -small * phi_of(n);
}

/* s and r hold R of phi and of -phi. */
static void check_density(const struct box *b, const int n[3], size_t at)
{
    double complex odd = 0.5 * (b->s[at] - b->r[at]) / small,
                   even = 0.5 * (b->s[at] + b->r[at]) / (small * small);
    struct pairs sum = pairs_of(n);
    double complex second = 0.5 * (sum.full + sum.square);
    double k2 = 0;
    for (int d = 0; d < 3; d++)
        k2 += pow(n[d] * TWO_PI / length[d], 2);
    if (!inside(n)) second = k2 = 0;
    assert_true(cabs(odd + k2 * phi_of(n)) < 1e-7 * (k2 + 1));
    assert_true(cabs(even - second) < 1e-7 * (sum.full_size + 1e3));
}

static void test_density(void **state)
{
    struct box b;
    (void)state;
    open_box(&b);
    const struct sl_lpt_products plus = {NULL, b.s}, minus = {NULL, b.r};
    each(&b, set_small);
    assert_int_equal(sl_lpt_make(&b.lpt, b.phi, &plus), SL_OK);
    each(&b, set_minus);
    assert_int_equal(sl_lpt_make(&b.lpt, b.phi, &minus), SL_OK);
    each(&b, check_density);
    close_box(&b);
}

static void set_wave(const struct box *b, const int n[3], size_t at)
{
    b->phi[at] = n[0] == 1 && n[1] == 2 && n[2] == -1 ? 0.5 : 0;
}

/* Of one plane wave: no S, as sheets move independently. */
static void check_wave(const struct box *b, const int n[3], size_t at)
{
    double k2 = 0;
    (void)n;
    for (int d = 0; d < 3; d++)
        k2 += pow(TWO_PI / length[d] * (d == 0 ? 1 : d == 1 ? 2 : -1), 2);
    assert_true(cabs(b->s[at]) < 1e-11 * k2 * k2);
}

static void test_wave(void **state)
{
    struct box b;
    (void)state;
    open_box(&b);
    const struct sl_lpt_products out = {b.s, NULL};
    each(&b, set_wave);
    assert_int_equal(sl_lpt_make(&b.lpt, b.phi, &out), SL_OK);
    each(&b, check_wave);
    close_box(&b);
}

static void test_cells(void **state)
{
    (void)state;
    for (int n = 4; n < 600; n += 2) {
        int m = sl_lpt_cells(n);
        assert_true(m % 2 == 0 && m > 3 * (n / 2 - 1) && m < 2 * n + 8);
    }
    assert_int_equal(sl_lpt_cells(256), 384);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_density),
                                       cmocka_unit_test(test_wave), cmocka_unit_test(test_cells)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
