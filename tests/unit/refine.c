/* refine.c - criteria of refinement of one cell: values of simple profiles, the same bits of
 * mirrored and turned states, what rules ask on each level, sides of blocks and regions. Random
 * states come from a printed seed; SLUICE_TEST_SEED sets another.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/cell/refine.h"

enum { VARS = 12, CELLS = 27, RHO_ENTROPY = 9, SCALAR = 10 };

/* A cell with its neighbours, of a gas with a field, entropy and two scalars. */
struct cube {
    sl_real u[VARS][CELLS];
};
static const sl_real *middle(const struct cube *c)
{
    return &c->u[0][13];
}

static struct sl_refine_level level_of(int dim)
{
    struct sl_refine_level a;
    memset(&a, 0, sizeof a);
    a.gas.gamma = 1.5;
    a.layout = (struct sl_layout){VARS, 4, RHO_ENTROPY, SCALAR, 2, 5, -1, VARS};
    a.dim = dim;
    a.step[0] = 1, a.step[1] = 3, a.step[2] = 9;
    a.var = CELLS;
    for (int d = 0; d < 3; d++)
        a.n[d] = d < dim ? 8 : 1, a.dx[d] = 0.125;
    return a;
}

/* rho, velocity, pressure, field, scalars of a cell at an offset in cells. */
typedef void profile(const double x[3], double *prim);

static struct cube cube_of(const struct sl_refine_level *a, profile *f)
{
    struct cube c;
    for (int i = 0; i < CELLS; i++) {
        const double x[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        double w[10] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.25};
        f(x, w);
        double energy = w[4] / (a->gas.gamma - 1);
        for (int d = 0; d < 3; d++) {
            c.u[1 + d][i] = (sl_real)(w[0] * w[1 + d]);
            c.u[5 + d][i] = (sl_real)w[5 + d];
            energy += 0.5 * w[0] * w[1 + d] * w[1 + d] + 0.5 * w[5 + d] * w[5 + d];
        }
        c.u[0][i] = (sl_real)w[0];
        c.u[4][i] = (sl_real)energy;
        c.u[8][i] = 0;
        c.u[RHO_ENTROPY][i] = sl_pressure_to_entropy(&a->gas, (sl_real)w[0], (sl_real)w[4]);
        c.u[SCALAR][i] = (sl_real)(w[0] * w[8]);
        c.u[SCALAR + 1][i] = (sl_real)(w[0] * w[9]);
    }
    return c;
}

static double number(struct sl_refine_level *a, int by, int of, profile *f)
{
    struct sl_refine_rule r;
    memset(&r, 0, sizeof r);
    r.by = by, r.of = of, r.filter = 0.01, r.mean = 2, r.cells = 4;
    struct cube c = cube_of(a, f);
    return (double)sl_refine_indicator(&r, a, middle(&c));
}

static void is(double have, double want)
{
    if (!(fabs(have - want) <= 1e-13 * fabs(want))) fail_msg("%.17g, not %.17g", have, want);
}

/* ---- profiles ---- */

static void uniform(const double x[3], double *w)
{
    (void)x;
    w[0] = 2, w[1] = 3, w[2] = 4, w[3] = 12, w[4] = 3;
}
static void magnetised(const double x[3], double *w)
{
    uniform(x, w);
    w[5] = 1, w[6] = -2, w[7] = 2;
}
static void slope(const double x[3], double *w)
{
    w[0] = 4 + 0.5 * x[0] + 0.25 * x[1] - 1 * x[2];
}
static void spike(const double x[3], double *w)
{
    w[0] = x[0] == 0 && x[1] == 0 && x[2] == 0 ? 2 : 1;
}
static void rotation(const double x[3], double *w)
{
    w[1] = 5 - 0.75 * x[1], w[2] = 7 + 0.75 * x[0];
    w[5] = -0.25 * x[1], w[6] = 0.25 * x[0], w[7] = 2;
}
static void plane_shear(const double x[3], double *w)
{
    w[2] = 1 + 0.5 * x[0];
}
static void inflow(const double x[3], double *w)
{
    for (int d = 0; d < 3; d++)
        w[1 + d] = 1 - 0.5 * x[d];
}
static void zero_scalar(const double x[3], double *w)
{
    (void)x;
    w[8] = 0;
}

static void values(void **state)
{
    (void)state;
    struct sl_refine_level a = level_of(3);
    double cs = sqrt(1.5);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_density, uniform), 2);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_pressure, uniform), 3);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_temperature, uniform), 1.5);
    is(number(&a, SL_REFINE_low, SL_REFINE_OF_entropy, uniform), 3 / pow(2, 1.5));
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_speed, uniform), 13);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_mach, uniform), 13 / sqrt(1.5 * 1.5));
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_velocity_y, uniform), 4);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_velocity_z, uniform), 12);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_scalar2, uniform), 0.25);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_magnetic, rotation), 2);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_magnetic_x, magnetised), 1);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_magnetic_y, magnetised), -2);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_magnetic_z, magnetised), 2);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_beta, magnetised), 3 / 4.5);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_alfven_mach, magnetised), 13 * sqrt(2) / 3);
    is(number(&a, SL_REFINE_value, SL_REFINE_OF_heat, magnetised), 3);
    is(number(&a, SL_REFINE_gradient, SL_REFINE_OF_density, slope), sqrt(1.3125) / 4);
    is(number(&a, SL_REFINE_jump, SL_REFINE_OF_density, slope), sqrt(1.3125));
    is(number(&a, SL_REFINE_loehner, SL_REFINE_OF_density, spike), 2 / 2.06);
    is(number(&a, SL_REFINE_vorticity, 0, rotation), 1.5 / cs);
    is(number(&a, SL_REFINE_vorticity, 0, plane_shear), 0.5 / cs);
    is(number(&a, SL_REFINE_shear, 0, plane_shear), 0.5 / cs);
    is(number(&a, SL_REFINE_compression, 0, inflow), 1.5 / cs);
    is(number(&a, SL_REFINE_current, 0, rotation), 0.5 / sqrt(2 + 4));
    assert_true(number(&a, SL_REFINE_loehner, SL_REFINE_OF_density, slope) == 0);
    assert_true(number(&a, SL_REFINE_loehner, SL_REFINE_OF_pressure, uniform) == 0);
    assert_true(number(&a, SL_REFINE_gradient, SL_REFINE_OF_speed, uniform) == 0);
    assert_true(number(&a, SL_REFINE_shear, 0, rotation) == 0);
    assert_true(number(&a, SL_REFINE_shear, 0, inflow) == 0);
    assert_true(number(&a, SL_REFINE_vorticity, 0, inflow) == 0);
    assert_true(number(&a, SL_REFINE_compression, 0, plane_shear) == 0);
    a.dim = 1;
    is(number(&a, SL_REFINE_gradient, SL_REFINE_OF_density, slope), 0.125);
    is(number(&a, SL_REFINE_vorticity, 0, plane_shear), 0.5 / cs);
    is(number(&a, SL_REFINE_compression, 0, inflow), 0.5 / cs);
}

static void of_levels_and_sizes(void **state)
{
    (void)state;
    struct sl_refine_level a = level_of(3);
    a.level = 2, a.four_pi_g = 9;
    is(number(&a, SL_REFINE_mass, 0, uniform), 1. / 64);
    is(number(&a, SL_REFINE_jeans, 0, uniform), 0.5 * sqrt(9 * 2) / (2 * acos(-1) * 1.5));
    a.dx[1] = 0.25; /* half the rate along y, and longer cells */
    is(number(&a, SL_REFINE_vorticity, 0, rotation), 0.75 * 1.5 / sqrt(1.5));
    is(number(&a, SL_REFINE_jeans, 0, uniform), sqrt(9 * 2) / (2 * acos(-1) * 1.5));
    a.dim = 2, a.dx[1] = 0.125;
    is(number(&a, SL_REFINE_mass, 0, uniform), 1. / 16);
}

/* ---- symmetry ---- */

static uint64_t state_of_random = 1;

static double random_between(double lo, double hi)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(state_of_random >> 11) * 0x1p-53;
}

static void any_state(const double x[3], double *w)
{
    (void)x;
    for (int v = 0; v < 10; v++)
        w[v] = v == 0 || v == 4 || v > 7 ? pow(10, random_between(-2, 2)) : random_between(-3, 3);
}

/* The cube seen with axis d turned round, and with axes d and e exchanged. */
static struct cube mirrored(const struct cube *c, int d)
{
    static const int width[3] = {1, 3, 9};
    struct cube to = *c;
    for (int i = 0; i < CELLS; i++) {
        int digit = i / width[d] % 3, from = i + (2 - 2 * digit) * width[d];
        for (int v = 0; v < VARS; v++)
            to.u[v][i] = v == 1 + d || v == 5 + d ? -c->u[v][from] : c->u[v][from];
    }
    return to;
}
static struct cube exchanged(const struct cube *c, int d, int e)
{
    static const int width[3] = {1, 3, 9};
    struct cube to = *c;
    for (int i = 0; i < CELLS; i++) {
        int a = i / width[d] % 3, b = i / width[e] % 3;
        int from = i + (b - a) * width[d] + (a - b) * width[e];
        for (int v = 0; v < VARS; v++) {
            int w = v == 1 + d ? 1 + e : v == 1 + e ? 1 + d : v;
            w = v == 5 + d ? 5 + e : v == 5 + e ? 5 + d : w;
            to.u[v][i] = c->u[w][from];
        }
    }
    return to;
}

static void same_bits(const struct sl_refine_level *a, const struct cube *x,
                      const struct sl_refine_level *b, const struct cube *y)
{
    struct sl_refine_rule r;
    memset(&r, 0, sizeof r);
    r.filter = 0.01, r.mean = 1, r.cells = 8;
    for (r.by = 0; r.by < SL_REFINE_box; r.by++)
        for (r.of = 0; r.of <= SL_REFINE_OF_scalar2; r.of++) {
            if (r.of >= SL_REFINE_OF_velocity_x && r.of <= SL_REFINE_OF_velocity_z) continue;
            if (r.of >= SL_REFINE_OF_magnetic_x && r.of <= SL_REFINE_OF_magnetic_z) continue;
            sl_real p = sl_refine_indicator(&r, a, middle(x));
            sl_real q = sl_refine_indicator(&r, b, middle(y));
            if (!(p == q))
                fail_msg("criterion %d of %d: %.17g, not %.17g", r.by, r.of, (double)q, (double)p);
        }
}

static void mirrored_and_turned(void **state)
{
    (void)state;
    const char *given = getenv("SLUICE_TEST_SEED");
    state_of_random = given ? strtoull(given, NULL, 10) : 5;
    print_message("seed %llu\n", (unsigned long long)state_of_random);
    for (int n = 0; n < 2000; n++) {
        struct sl_refine_level a = level_of(1 + n % 3);
        a.four_pi_g = 1;
        for (int d = 0; d < a.dim; d++)
            a.dx[d] = n % 2 ? 0.1 * (d + 1) : 0.1;
        struct cube c = cube_of(&a, any_state);
        for (int d = 0; d < a.dim; d++) {
            struct cube to = mirrored(&c, d);
            same_bits(&a, &c, &a, &to);
            for (int e = 0; e < d; e++) {
                struct sl_refine_level b = a;
                to = exchanged(&c, d, e);
                b.dx[d] = a.dx[e], b.dx[e] = a.dx[d];
                same_bits(&a, &c, &b, &to);
            }
        }
    }
}

/* ---- rules ---- */

static void asked_on_each_level(void **state)
{
    (void)state;
    enum { F = SL_REFINE_CELL_FINER, H = SL_REFINE_CELL_HERE, K = SL_REFINE_CELL_KEEP };
    struct sl_refine_rule r;
    memset(&r, 0, sizeof r);
    r.by = SL_REFINE_value, r.level = 2, r.above = 4, r.below = 1;
    assert_int_equal(sl_refine_asks(&r, 1, 5), F | H | K);
    assert_int_equal(sl_refine_asks(&r, 2, 5), H | K);
    assert_int_equal(sl_refine_asks(&r, 3, 5), 0);
    assert_int_equal(sl_refine_asks(&r, 0, 4), K);
    assert_int_equal(sl_refine_asks(&r, 2, 2), K);
    assert_int_equal(sl_refine_asks(&r, 2, 1), 0);
    assert_int_equal(sl_refine_asks(&r, 0, (double)NAN), 0);
    r.by = SL_REFINE_low;
    assert_int_equal(sl_refine_asks(&r, 1, 0.5), F | H | K);
    assert_int_equal(sl_refine_asks(&r, 1, 3), K);
    assert_int_equal(sl_refine_asks(&r, 1, 4), 0);
}

static void rules_of_a_cell(void **state)
{
    (void)state;
    struct sl_refine_level a = level_of(3);
    struct cube c = cube_of(&a, zero_scalar);
    a.nrule = 2;
    a.rule[0].by = a.rule[1].by = SL_REFINE_value;
    a.rule[0].level = 1, a.rule[0].above = 0.5, a.rule[0].below = 0.5;
    a.rule[1].level = 3, a.rule[1].above = 2, a.rule[1].below = 0.1;
    assert_int_equal(sl_refine_cell(&a, middle(&c)), 7);
    a.level = 1;
    assert_int_equal(sl_refine_cell(&a, middle(&c)), SL_REFINE_CELL_HERE | SL_REFINE_CELL_KEEP);
    a.level = 2;
    assert_int_equal(sl_refine_cell(&a, middle(&c)), SL_REFINE_CELL_KEEP);
    a.nrule = 1, a.level = 0; /* 0 / 0 asks for nothing */
    a.rule[0].by = SL_REFINE_gradient, a.rule[0].of = SL_REFINE_OF_scalar1;
    assert_int_equal(sl_refine_cell(&a, middle(&c)), 0);
}

static void sides_of_blocks(void **state)
{
    (void)state;
    struct sl_refine_level a = level_of(3);
    for (a.buffer = 0; a.buffer <= 8; a.buffer++)
        for (a.dim = 1; a.dim <= 3; a.dim++)
            for (int k = 0; k < (a.dim > 2 ? 8 : 1); k++)
                for (int j = 0; j < (a.dim > 1 ? 8 : 1); j++)
                    for (int i = 0; i < 8; i++) {
                        const int at[3] = {i, j, k};
                        unsigned sides = sl_refine_sides(&a, k, j, i), want = 0;
                        for (int dir = 0; dir < SL_REFINE_SIDES; dir++) {
                            const int step[3] = {dir % 3 - 1, dir / 3 % 3 - 1, dir / 9 - 1};
                            int near = 1;
                            for (int d = 0; d < 3; d++)
                                near &= step[d] == 0 ||
                                        (d < a.dim &&
                                         (step[d] < 0 ? at[d] + 1 : 8 - at[d]) <= a.buffer);
                            want |= (unsigned)near << dir;
                        }
                        assert_int_equal(sides, want);
                    }
}

static void regions(void **state)
{
    (void)state;
    struct sl_refine_rule r;
    memset(&r, 0, sizeof r);
    const double lo[3] = {1, 1, 1}, hi[3] = {2, 2, 2};
    r.by = SL_REFINE_box;
    r.lo[0] = 2, r.lo[1] = 0, r.hi[0] = 3, r.hi[1] = 1.5;
    assert_false(sl_refine_reaches(&r, 2, lo, hi)); /* it only touches */
    r.lo[0] = 1.9;
    assert_true(sl_refine_reaches(&r, 2, lo, hi));
    assert_true(sl_refine_reaches(&r, 1, lo, hi));
    r.by = SL_REFINE_sphere;
    r.lo[0] = 5, r.lo[1] = 6, r.radius = 5; /* the corner at (2, 2) is 5 away */
    assert_false(sl_refine_reaches(&r, 2, lo, hi));
    r.radius = 5.01;
    assert_true(sl_refine_reaches(&r, 2, lo, hi));
    r.lo[0] = r.lo[1] = 1.5, r.radius = 1e-3; /* within the block */
    assert_true(sl_refine_reaches(&r, 2, lo, hi));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(of_levels_and_sizes),
        cmocka_unit_test(mirrored_and_turned),
        cmocka_unit_test(asked_on_each_level),
        cmocka_unit_test(rules_of_a_cell),
        cmocka_unit_test(sides_of_blocks),
        cmocka_unit_test(regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
