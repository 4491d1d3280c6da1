/* shock.c - the sensor of shocks finds strong shocks and streams that collide, and no flow that the
 * mesh resolves. Random pressures come from a printed seed; SL_TEST_SEED sets another.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/cell/riemann.h"
#include "core/cell/shock.h"

static uint64_t seed = 1, state;

static double between(double lo, double hi)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(state >> 11) * 0x1p-53;
}

/* Only a strong shock is flat: not smooth flow, not a rarefaction, not a jump over many cells. */
static void flatness(void **unused)
{
    (void)unused;
    const sl_real jump[5] = {1, 1, 2, 10, 10}, back[5] = {10, 10, 2, 1, 1};
    const sl_real wide[5] = {1, 3, 5, 7, 9},
                  weak[5] = {1, 1, (sl_real)1.1, (sl_real)1.2, (sl_real)1.2};
    const sl_real partly[5] = {1, 2, 5, 10, 11}, even[5] = {3, 3, 3, 3, 3};
    assert_true(sl_flatness(jump, 1, 0) == 1 && sl_flatness(back, 1, 0) == 1);
    assert_true(sl_flatness(jump, 0, 1) == 0 && sl_flatness(weak, 1, 0) == 0);
    assert_true(sl_flatness(wide, 1, 0) == 0 && sl_flatness(even, 1, 0) == 0);
    assert_true(fabs((double)sl_flatness(partly, 1, 0) - 0.5) < 1e-6);
    for (int i = 0; i < 1000; i++) {
        sl_real p[5], mirrored[5], a = (sl_real)between(-1, 1), b = (sl_real)between(-1, 1);
        for (int d = 0; d < 5; d++)
            p[d] = mirrored[4 - d] = (sl_real)between(0.1, 10);
        sl_real f = sl_flatness(p, a, b);
        assert_true(f >= 0 && f <= 1 && f == sl_flatness(mirrored, -b, -a));
    }
}

static struct sl_between mirror_of(struct sl_between b)
{
    struct sl_between m = {b.rho,       b.rho_after, b.rho_before, -b.u,       -b.u_after,
                           -b.u_before, b.p,         b.p_after,    b.p_before, b.across};
    return m;
}

/* Whether the sensor finds a shock, whichever way the axis points. */
static int found(struct sl_between b, sl_real stiff)
{
    int in = sl_in_shock(b, stiff);
    assert_int_equal(in, sl_in_shock(mirror_of(b), stiff));
    if (in)
        assert_true(sl_may_shock(b.rho, b.rho_before, b.rho_after, b.u_before, b.u_after, b.p,
                                 b.p_before, b.p_after));
    return in;
}

/* A strong shock along the axis: not a weak or a slow one, a rarefaction, or a cell denser than the
 * gas behind it, as it is where a tube has just been opened. */
static void strong_shock(void **unused)
{
    (void)unused;
    const struct sl_between b = {3, 4, 1, 0, 2, 0, 5, 8, 1, 0};
    struct sl_between other = b;
    assert_true(found(b, 10));
    other.rho_after = (sl_real)1.3; /* not yet between two states far apart */
    assert_false(found(other, 10));
    other = b, other.p_before = 2;
    assert_false(found(other, 10));
    other = b, other.u_before = -2;
    assert_false(found(other, 10));
    other = b, other.rho_before = 2;
    assert_false(found(other, 10));
    assert_true(found(b, 239) && !found(b, 241)); /* 20 rho du^2 is 240 */
}

/* Streams that collide in a cell, whatever the motion of all of it: not where the pressure has no
 * sharp maximum, the cell is hot and not dense, or gas enters through one face alone. */
static void collision(void **unused)
{
    (void)unused;
    const struct sl_between b = {2, 1, (sl_real)1.7, 3, 5, 2, 5, 1, 4, 0};
    struct sl_between other = b;
    assert_true(found(b, 4));
    other.u = (sl_real)2.1, other.u_before = (sl_real)2.2;
    assert_false(found(other, 4));
    other = b, other.p_after = (sl_real)4.2; /* 1.19 of it */
    assert_false(found(other, 4));
    other = b, other.rho_before = other.rho_after = (sl_real)1.9;
    assert_false(found(other, 4));
    other = b, other.u_after = 4;
    assert_false(found(other, 4));
}

/* A shock oblique to the axis: only a fast and slowly moving one, measured by all velocity that the
 * gas loses in it. */
static void oblique_shock(void **unused)
{
    (void)unused;
    struct sl_between b = {3, 4, 1, 1, 3, 0, 5, 8, 1, 0}, other = b; /* moves by 12 / 3 */
    assert_true(found(b, 8));
    other.across = (sl_real)0.19; /* 0.021 du^2 */
    assert_false(found(other, 8));
    other.u_before = (sl_real)1.2, other.u_after = (sl_real)-1.8; /* by 2.2 */
    assert_false(found(other, 8));
    other.across = 40; /* 2.2 < 0.4 (9 + 40) / 3 */
    assert_true(found(other, 8));
    assert_true(found(other, (sl_real)10.7) && !found(other, (sl_real)10.9)); /* rho du^2 / 2.5 */
}

/* Smooth waves that a few cells resolve, of any length and direction of motion, are no shocks. */
static void smooth_waves(void **unused)
{
    (void)unused;
    for (int cells = 6; cells < 64; cells++)
        for (int i = 0; i < cells; i++) {
            double a = 0.3, d = 2 * acos(-1) / cells, s[3], drift = between(-3, 3);
            for (int k = 0; k < 3; k++)
                s[k] = a * cos(d * (i + k - 1));
            struct sl_between b = {(sl_real)(1 + s[1]),     (sl_real)(1 + s[0]),
                                   (sl_real)(1 + s[2]),     (sl_real)(drift + s[1]),
                                   (sl_real)(drift + s[0]), (sl_real)(drift + s[2]),
                                   (sl_real)(1 + s[1]),     (sl_real)(1 + s[0]),
                                   (sl_real)(1 + s[2]),     0};
            if (found(b, b.rho))
                fail_msg("wave of %d cells, cell %d, seed %llu", cells, i,
                         (unsigned long long)seed);
        }
}

/* Isothermal streams that run together at a face faster than two speeds of sound have the signals
 * of both states, more of them the faster they are; what slides along the face, and what runs
 * apart, has none of that. */
static void colliding_signals(void **unused)
{
    (void)unused;
    const struct sl_gas gas = {.eos = SL_EOS_isothermal, .cs = 2, .shocks = SL_SHOCK_limit};
    struct sl_prim l = {1, 20, 3, 0, 4}, r = {9, -20, 3, 0, 36};
    struct sl_waves hit = sl_waves_of(&gas, l, r);
    assert_true(hit.slow == -22 && hit.fast == 22);
    l.u = -20, r.u = 20;
    struct sl_waves apart = sl_waves_of(&gas, l, r);
    assert_true(apart.slow == -22 && apart.fast == 22);
    l.u = 2, r.u = -2; /* Roe's average is -1 */
    struct sl_waves weak = sl_waves_of(&gas, l, r);
    assert_float_equal(weak.slow, -3, 1e-5);
    assert_float_equal(weak.fast, 1, 1e-5);
    assert_float_equal(sl_collides_at(&gas, 2, 12, 0), 0.5, 1e-5);
    assert_float_equal(sl_collides_at(&gas, 4, 12, 0), 0.25, 1e-5);
    assert_true(sl_collides_at(&gas, 2, 4, 0) == 0 && sl_collides_at(&gas, 2, 20, 0) == 1);
    assert_true(sl_collides_at(&gas, 2, 12, (sl_real)0.4) == 0);
    assert_true(sl_collides_at(&gas, 2, 12, (sl_real)0.3) > 0);
    assert_true(sl_collides_at(&gas, 2, -12, 0) == 0);
}

/* fluid.shocks `none` leaves the published solvers alone. */
static void none(void **unused)
{
    (void)unused;
    const struct sl_gas cold = {.eos = SL_EOS_isothermal, .cs = 2};
    assert_true(sl_collides_at(&cold, 2, 20, 0) == 0);
    assert_false(sl_is_shock(&cold, 1, 5, 4, -5));
    struct sl_gas gas = {.eos = SL_EOS_ideal, .gamma = (sl_real)1.4};
    const struct sl_prim l = {1, 3, 1, 0, 1}, r = {1, -3, -1, 0, 1};
    assert_true(sl_riemann(SL_RIEMANN_hllc, &gas, l, r).my == 0); /* a contact at rest */
    gas.shocks = SL_SHOCK_limit;
    assert_true(sl_riemann(SL_RIEMANN_hllc, &gas, l, r).my > 0);
}

static int setup(void **unused)
{
    (void)unused;
    state = seed;
    return 0;
}

int main(void)
{
    const char *text = getenv("SL_TEST_SEED");
    if (text) seed = strtoull(text, NULL, 10);
    print_message("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(flatness, setup),
                                       cmocka_unit_test(strong_shock),
                                       cmocka_unit_test(collision),
                                       cmocka_unit_test(oblique_shock),
                                       cmocka_unit_test_setup(smooth_waves, setup),
                                       cmocka_unit_test(colliding_signals),
                                       cmocka_unit_test(none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
