/* sphere.c - the spheres of core/exact/sphere.h: masses and dispersions of velocities of Plummer's
 * and Hernquist's spheres in closed form, where the edge is far and nothing is smoothed; the virial
 * theorem with an edge and a smoothed force; what a mesh smooths. ranks: 1 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/exact/sphere.h"
#include "core/lists/particle_list.h"
#include "core/sys/status.h"

static void near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%.9g, wanted %.9g: off by %.2g", got, want, fabs(got / want - 1));
}

static double square_of_speed(const struct sl_sphere *s, double r)
{
    double sum = 0;
    for (int i = 0; i < 2000; i++)
        sum += pow(sl_sphere_speed(s, r, (i + 0.5) / 2000), 2) / 2000;
    return sum;
}

/* Along an axis, squared: Jeans's equation in closed form (Hernquist 1990, equation 10). */
static double hernquist_dispersion(double r)
{
    return (12 * r * pow(1 + r, 3) * log1p(1 / r) -
            r / (1 + r) * (25 + 52 * r + 42 * r * r + 12 * r * r * r)) /
           12;
}

static void far_edges(void **state)
{
    struct sl_sphere *s;
    (void)state;
    assert_int_equal(sl_sphere_new(false, 300, 0, &s), SL_OK);
    near(sl_sphere_radius(s, 0.5), 1.304766, 1e-4);
    near(sl_sphere_radius(s, 0.1), 0.524032, 1e-4);
    for (double r = 0.1; r < 4; r *= 2)
        near(square_of_speed(s, r), 0.5 / sqrt(1 + r * r), 3e-3);
    free(s);
    assert_int_equal(sl_sphere_new(true, 3000, 0, &s), SL_OK);
    near(sl_sphere_radius(s, 0.5), 2.414214, 3e-3);
    for (double r = 0.3; r < 4; r *= 2)
        near(square_of_speed(s, r), 3 * hernquist_dispersion(r), 3e-3);
    free(s);
}

/* The mean of v^2 is that of r times the force: also with a force that is not the sphere's own. */
static void virial(bool sort, double edge, double smooth)
{
    enum { PARTS = 400 };
    struct sl_sphere *s;
    double motion = 0, pull = 0;
    assert_int_equal(sl_sphere_new(sort, edge, smooth, &s), SL_OK);
    for (int i = 0; i < PARTS; i++) {
        double r = sl_sphere_radius(s, (i + 0.5) / PARTS), h = 1e-3 * r;
        motion += square_of_speed(s, r) / PARTS;
        pull +=
            r * (sl_sphere_potential(s, r + h) - sl_sphere_potential(s, r - h)) / (2 * h) / PARTS;
    }
    near(motion, pull, 2e-3);
    near(sl_sphere_mass(s, sl_sphere_radius(s, 0.3)), 0.3, 1e-9);
    assert_true(fabs(sl_sphere_potential(s, edge)) < 1e-12);
    assert_true(sl_sphere_density(s, 1.01 * edge) == 0);
    free(s);
}

static void edges(void **state)
{
    (void)state;
    virial(false, 8, 0);
    virial(false, 8, 0.4);
    virial(true, 8, 0);
    virial(true, 8, 0.4);
}

/* Pull along k of a wave over Newton's, k in units of the cell: the square of a kernel of n cells,
 * differences over two cells and the Laplacian of seven points. */
static double pull_of(int n, const double k[3])
{
    double kernel = 1, laplace = 0, along = 0;
    for (int d = 0; d < 3; d++) {
        double half = 0.5 * k[d], sinc = half > 0 ? sin(half) / half : 1;
        kernel *= pow(sinc, 2 * n);
        laplace += 4 * sin(half) * sin(half);
        along += k[d] * sin(k[d]);
    }
    return kernel * along / laplace;
}

/* The mean over directions is that of the Gaussian, to the second order of short k. */
static void smoothing(void **state)
{
    static const int kernel[] = {SL_KERNEL_ngp, SL_KERNEL_cic, SL_KERNEL_tsc, SL_KERNEL_pcs};
    enum { PARTS = 40 };
    const double k = 0.1, pi = acos(-1);
    (void)state;
    for (int n = 1; n <= SL_KERNELS; n++) {
        double mean = 0;
        for (int i = 0; i < PARTS * PARTS; i++) {
            double z = (i / PARTS + 0.5) / PARTS, angle = 0.5 * pi * (i % PARTS + 0.5) / PARTS,
                   flat = sqrt(1 - z * z);
            const double at[] = {k * flat * cos(angle), k * flat * sin(angle), k * z};
            mean += pull_of(n, at) / (PARTS * PARTS);
        }
        near(-2 * log(mean), pow(k * sl_sphere_smoothing(kernel[n - 1]), 2), 3e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_edges), cmocka_unit_test(edges),
                                       cmocka_unit_test(smoothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
