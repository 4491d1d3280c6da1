/* prolong.c - children of a coarse cell, their mean, and the correction of a cell beside finer
 * ones: the bodies that levels share. Random states come from a printed seed; SL_TEST_SEED sets
 * another.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/cell/prolong.h"
#include "core/cell/prolong_heat.h"
#include "core/cell/reflux.h"
#include "core/lists/shock_list.h"

enum { CASES = 4000, CELLS = 27, MIDDLE = 13, CHILDREN = 8 };

static uint64_t seed = 1, state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double between(double lo, double hi)
{
    return lo + (hi - lo) * uniform();
}

static int setup(void **unused)
{
    (void)unused;
    const char *text = getenv("SL_TEST_SEED");
    if (text) seed = strtoull(text, NULL, 10);
    state = seed;
    printf("seed %llu\n", (unsigned long long)seed);
    return 0;
}

/* ---- a cell and its neighbours --------------------------------------------------------------- */

/* 3^3 cells, in the middle of which lies the one whose children are asked for. */
struct patch {
    struct sl_prolong p;
    double eta, u[SL_MAX_VAR * CELLS];
};

enum { ISOTHERMAL, IDEAL, DUAL, MHD, MHD_DUAL, KINDS };

static struct sl_layout layout_of(int kind)
{
    struct sl_layout l = {4, -1, -1, 0, 1, -1, -1, 0};
    if (kind != ISOTHERMAL) l.energy = l.nvar++;
    if (kind >= MHD) {
        l.magnetic = l.nvar;
        l.nvar += 4;
    }
    if (kind == DUAL || kind == MHD_DUAL) l.entropy = l.nvar++;
    l.scalar0 = l.nvar++;
    l.nflow = l.nvar;
    return l;
}

static struct patch patch_new(int kind, int dim)
{
    struct patch a = {.p = {.layout = layout_of(kind), .dim = dim, .step = {1, 3, 9}}};
    a.p.gas = (struct sl_gas){kind == ISOTHERMAL ? SL_EOS_isothermal : SL_EOS_ideal,
                              between(1.1, 2),
                              between(0.1, 3),
                              1e-12,
                              1e-18,
                              0,
                              0,
                              SL_SHOCK_limit};
    a.p.var = CELLS;
    a.p.share = 1;
    a.p.theta = uniform() < 0.5 ? 1 : 2;
    return a;
}

/* rough: decades of density and pressure, and Mach numbers, from cell to cell. */
static void set_cell(struct patch *a, int cell, double rough)
{
    const struct sl_layout *l = &a->p.layout;
    double *u = a->u + cell, rho = pow(10, between(-rough, rough)), v2 = 0, b2 = 0;
    double p = pow(10, between(-rough, rough)), c = sqrt(p / rho);
    u[0] = rho;
    for (int d = 0; d < 3; d++) {
        double v = c * between(-1, 1) * pow(10, between(-2, rough));
        u[(1 + d) * CELLS] = rho * v;
        v2 += v * v;
    }
    for (int d = 0; d < 4 && l->magnetic >= 0; d++) {
        double b = sqrt(p) * between(-1, 1) * (1 + rough);
        u[(l->magnetic + d) * CELLS] = b;
        if (d < 3) b2 += b * b;
    }
    if (l->energy >= 0) u[l->energy * CELLS] = p / (a->p.gas.gamma - 1) + 0.5 * rho * v2 + 0.5 * b2;
    if (l->entropy >= 0) u[l->entropy * CELLS] = sl_pressure_to_entropy(&a->p.gas, rho, p);
    u[l->scalar0 * CELLS] = rho * uniform();
}

static struct patch patch_random(int kind, int dim, double rough)
{
    struct patch a = patch_new(kind, dim);
    for (int c = 0; c < CELLS; c++)
        set_cell(&a, c, rough);
    return a;
}

/* Children u[var][child]; the factor comes back. */
static double children_of(const struct patch *a, const double *old, double *child)
{
    const double *o = (old ? old : a->u) + MIDDLE, *n = a->u + MIDDLE;
    double factor = sl_prolong_factor(&a->p, o, n);
    int entropy = a->p.layout.entropy, warm = entropy >= 0 && sl_prolong_is_warm(&a->p, o, n);
    for (int v = 0; v < a->p.layout.scalar0; v++) {
        struct sl_linear d = v == entropy ? sl_prolong_heat_slopes(&a->p, o, n, warm)
                                          : sl_prolong_slopes(&a->p, o, n, v);
        for (int c = 0; c < 1 << a->p.dim; c++)
            child[v * CHILDREN + c] = sl_prolong_child(a->p.dim, d, factor, c);
    }
    for (int c = 0; c < 1 << a->p.dim && entropy >= 0; c++) {
        double *s = child + entropy * CHILDREN + c;
        *s = sl_prolong_entropy(&a->p, warm, child[c], *s);
    }
    struct sl_mix mix = sl_prolong_mix(&a->p, o, n, factor);
    for (int i = 0; i < a->p.layout.nscalar; i++) {
        struct sl_linear d = sl_mix_fit(a->p.dim, &mix, sl_prolong_fraction(&a->p, o, n, i).d);
        for (int c = 0; c < 1 << a->p.dim; c++)
            child[(a->p.layout.scalar0 + i) * CHILDREN + c] =
                child[c] * sl_prolong_child(a->p.dim, d, 1, c);
    }
    return factor;
}

typedef void each_fn(int kind, int dim, double rough);

static void each(each_fn *f)
{
    for (int i = 0; i < CASES; i++)
        for (int kind = 0; kind < KINDS; kind++)
            f(kind, 1 + i % 3, i % 2 ? 0.05 : 1.5);
}

/* ---- children -------------------------------------------------------------------------------- */

/* What has slopes in place of a variable: of the entropy of warm gas, as it is here, the
 * pressure. */
static void as_drawn(const struct patch *a, double *u, size_t var, int n)
{
    double *s = u + (size_t)a->p.layout.entropy * var;
    for (int c = 0; c < n && a->p.layout.entropy >= 0; c++)
        s[c] = sl_entropy_to_pressure(&a->p.gas, u[c], s[c]);
}

/* Their mean is the parent, to the rounding of what the slopes of that variable are made of. */
static void mean_case(int kind, int dim, double rough)
{
    struct patch a = patch_random(kind, dim, rough);
    double child[SL_MAX_VAR * CHILDREN];
    const ptrdiff_t step[3] = {1, 2, 4};
    children_of(&a, NULL, child);
    as_drawn(&a, child, CHILDREN, 1 << dim);
    as_drawn(&a, a.u + MIDDLE, CELLS, 1);
    for (int v = 0; v < a.p.layout.nflow; v++) {
        double parent = a.u[v * CELLS + MIDDLE], size = 0;
        double mean = sl_restrict(dim, child + v * CHILDREN, step);
        for (int c = 0; c < 1 << dim; c++)
            size = fmax(size, fabs(child[v * CHILDREN + c]));
        double ulps = v == a.p.layout.entropy ? 16 : 2;
        if (!(fabs(mean - parent) <= ulps * DBL_EPSILON * size))
            fail_msg("variable %d: mean %.17g of %.17g, seed %llu", v, mean, parent,
                     (unsigned long long)seed);
    }
}

static void mean(void **unused)
{
    (void)unused;
    each(mean_case);
}

/* ---- their heat ------------------------------------------------------------------------------ */

static int kept, gained, capped;

/* Energy of motion and field, and heat of the entropy, of a cell. */
static double motion_of(const struct sl_layout *l, const double *u, size_t var)
{
    double v2 = 0, b2 = 0;
    for (size_t d = 0; d < 3; d++) {
        v2 += u[(1 + d) * var] * u[(1 + d) * var];
        if (l->magnetic >= 0) b2 += pow(u[((size_t)l->magnetic + d) * var], 2);
    }
    return 0.5 * (v2 / u[0] + b2);
}

static double warmth_of(const struct patch *a, const double *u, size_t var)
{
    double s = u[(size_t)a->p.layout.entropy * var], g = a->p.gas.gamma;
    return s * pow(u[0], g - 1) / (g - 1);
}

/* Smooth gas keeps its energy; of other gas no child has less than its motion, field and entropy
 * ask for, or more than what is left of that of the parent: where gas expands no more than half of
 * what the motion inside of the parent has. */
static void check_heat(const struct patch *a, double eta, bool shrinks)
{
    const struct sl_layout *l = &a->p.layout;
    const ptrdiff_t step[3] = {1, 2, 4};
    double child[SL_MAX_VAR * CHILDREN], motion[CHILDREN], e[CHILDREN], more = 0;
    const double *u = a->u + MIDDLE;
    double energy = u[l->energy * CELLS], own = motion_of(l, u, CELLS);
    double drawn[CHILDREN], tiny = energy;
    children_of(a, NULL, child);
    for (int c = 0; c < 1 << a->p.dim; c++)
        drawn[c] = warmth_of(a, child + c, CHILDREN);
    sl_prolong_heat(&a->p.gas, l, eta, a->p.dim, u, CELLS, child, step, CHILDREN);
    for (int c = 0; c < 1 << a->p.dim; c++) {
        motion[c] = motion_of(l, child + c, CHILDREN);
        e[c] = child[l->energy * CHILDREN + c];
        tiny = fmax(tiny, e[c]);
    }
    tiny *= 64 * DBL_EPSILON;
    double mean_motion = sl_restrict(a->p.dim, motion, step), left = energy - mean_motion;
    double mean_warm = sl_restrict(a->p.dim, drawn, step);
    bool trusted = energy - own < warmth_of(a, u, CELLS) * (1 + 0x1p-11);
    bool smooth = trusted && left > eta * energy * 1.01 && mean_motion - own < left / 33;
    if (smooth) {
        kept++;
        if (!(fabs(sl_restrict(a->p.dim, e, step) - energy) < tiny)) fail_msg("energy is lost");
    } else if (mean_motion - own > left / 31) {
        for (int c = 0; c < 1 << a->p.dim; c++) {
            double warm = warmth_of(a, child + c, CHILDREN);
            assert_true(fabs(warm / drawn[c] - 1) < 1e-12);
            double most =
                shrinks ? fmax(0, energy - mean_motion - mean_warm) : 0.5 * (mean_motion - own);
            more = e[c] - motion[c] - warm;
            assert_true(more > -tiny && more < most + tiny);
            if (shrinks) assert_true(more > most - tiny);
        }
        if (shrinks) return;
        gained += more < tiny;
        capped += more > 0.5 * (mean_motion - own) - tiny;
    }
}

static void heat_case(int kind, int dim, double rough)
{
    if (kind != DUAL && kind != MHD_DUAL) return;
    struct patch a = patch_random(kind, dim, rough);
    check_heat(&a, 1e-6, false);
}

/* Cold gas that expands or is compressed, with velocities that change from cell to cell by a
 * thousand times its sound speed, and with energy of the motion inside the cells or without. */
static void cold_case(int kind, int dim, double rough)
{
    (void)rough;
    if (kind != DUAL && kind != MHD_DUAL) return;
    struct patch a = patch_new(kind, dim);
    const struct sl_layout *l = &a.p.layout;
    double slope = between(0.1, 1), p = 1e-6 * slope * slope;
    bool shrinks = uniform() < 0.5;
    double inside = slope * slope * (uniform() < 0.5 ? 0 : between(0, 0.25));
    for (int i = 0; i < CELLS; i++) {
        const int at[3] = {i % 3, i / 3 % 3, i / 9};
        double *u = a.u + i, v2 = 0;
        for (int n = 0; n < l->nvar; n++)
            u[n * CELLS] = 0;
        u[0] = 1;
        for (int d = 0; d < dim; d++) {
            double v = 10 + (shrinks ? -slope : slope) * at[d];
            u[(1 + d) * CELLS] = v;
            v2 += v * v;
        }
        u[l->energy * CELLS] = p / (a.p.gas.gamma - 1) + 0.5 * v2 + inside;
        u[l->entropy * CELLS] = sl_pressure_to_entropy(&a.p.gas, 1, p);
    }
    check_heat(&a, 1e-9, shrinks);
}

static void heat(void **unused)
{
    (void)unused;
    kept = gained = capped = 0;
    each(heat_case);
    assert_true(kept > CASES / 2);
    each(cold_case);
    assert_true(gained > CASES / 10 && capped > CASES / 10);
}

/* ---- positivity ------------------------------------------------------------------------------ */

static int reduced, flat, kept;

static void positive_case(int kind, int dim, double rough)
{
    struct patch a = patch_random(kind, dim, rough);
    const struct sl_layout *l = &a.p.layout;
    double child[SL_MAX_VAR * CHILDREN], factor = children_of(&a, NULL, child);
    reduced += factor < 1 && factor > 0;
    flat += factor == 0;
    for (int c = 0; c < 1 << dim; c++) {
        struct sl_prim w = sl_cell_prim(&a.p.gas, l, child + c, CHILDREN);
        if (!(w.rho > 0 && w.p > 0))
            fail_msg("kind %d: child %d has density %g and pressure %g, seed %llu", kind, c, w.rho,
                     w.p, (unsigned long long)seed);
    }
    if (kind == ISOTHERMAL)
        assert_true(factor >=
                    (a.p.theta > 1 ? 0.5 : 1)); /* of three axes, half a difference each */
    if (kind == DUAL || kind == MHD_DUAL) kept += factor == 1;
}

/* With dual energy no child moves faster than twice the energy of a unit of mass of the cell and
 * its neighbours, of which one has most, lets it: thin gas between two dense streams has the
 * momentum of neither. */
static void slow_case(int kind, int dim, double rough)
{
    if (kind != DUAL && kind != MHD_DUAL) return;
    struct patch a = patch_random(kind, dim, rough);
    const struct sl_layout *l = &a.p.layout;
    double child[SL_MAX_VAR * CHILDREN], most = 0;
    children_of(&a, NULL, child);
    for (int c = -1; c < 2 * dim; c++) {
        const double *u = a.u + MIDDLE + (c < 0 ? 0 : (c % 2 ? 1 : -1) * a.p.step[c / 2]);
        most = fmax(most, u[l->energy * CELLS] / u[0]);
    }
    for (int c = 0; c < 1 << dim; c++) {
        struct sl_prim w = sl_cell_prim(&a.p.gas, l, child + c, CHILDREN);
        double moves = 0.5 * (w.u * w.u + w.v * w.v + w.w * w.w);
        if (moves > 2 * most * (1 + 1e-12))
            fail_msg("kind %d: child %d has %g in motion, the cells around at most %g, seed %llu",
                     kind, c, moves, most, (unsigned long long)seed);
    }
}

/* The largest factor of 1, 1/2, 1/4 that leaves no bad child is the one that is taken: the short
 * test of smooth cells passes none that the long one refuses. */
static void factor_case(int kind, int dim, double rough)
{
    if (kind != IDEAL && kind != MHD) return;
    struct patch a = patch_random(kind, dim, rough);
    const double *u = a.u + MIDDLE;
    double factor = sl_prolong_factor(&a.p, u, u), want = 0;
    struct sl_linear_gas g = sl_prolong_gas(&a.p, u, u);
    for (double f = 0.25; f <= 1; f *= 2)
        if (!sl_prolong_has_bad(&a.p, &g, f)) want = f;
    assert_true(factor == want);
}

static void positive(void **unused)
{
    (void)unused;
    each(positive_case);
    each(factor_case);
    each(slow_case);
    assert_true(kept > CASES / 2); /* where cells differ little all slopes stay */
    assert_true(reduced > CASES / 50);
    assert_true(flat > CASES / 50);
}

/* Of linear data each child has the value at its place, exactly: all numbers are short. */
static void linear_case(int kind, int dim, double rough)
{
    struct patch a = patch_new(kind, dim);
    double slope[SL_MAX_VAR][3] = {{0}}, child[SL_MAX_VAR * CHILDREN];
    (void)rough;
    for (int v = 0; v < a.p.layout.nflow; v++)
        for (int c = 0; c < CELLS; c++) {
            int at[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
            int heavy = v == 0 || v == a.p.layout.energy || v == a.p.layout.entropy;
            double value = heavy ? 1000 : 3;
            for (int d = 0; d < dim; d++) {
                if (c == 0) slope[v][d] = floor(between(-20, 20));
                value += slope[v][d] * at[d];
            }
            a.u[v * CELLS + c] = value;
        }
    assert_true(children_of(&a, NULL, child) == 1);
    for (int v = 0; v < a.p.layout.scalar0; v++)
        for (int c = 0; c < 1 << dim; c++) {
            double want = a.u[v * CELLS + MIDDLE];
            for (int d = 0; d < dim; d++)
                want += (c >> d & 1 ? 0.25 : -0.25) * slope[v][d];
            assert_true(child[v * CHILDREN + c] == want);
        }
}

/* Of smooth data with curvature the children have the central slope where the method is ppm or
 * wenoz, and that of the smaller difference where it is not. */
static void curved_case(int kind, int dim, double rough)
{
    struct patch a = patch_new(kind, dim);
    double child[SL_MAX_VAR * CHILDREN];
    (void)rough;
    int curved = uniform() < 0.5;
    a.p.theta = sl_prolong_theta(curved ? SL_RECONSTRUCT_wenoz : SL_RECONSTRUCT_plm);
    for (int v = 0; v < a.p.layout.nflow; v++)
        for (int c = 0; c < CELLS; c++) {
            int heavy = v == 0 || v == a.p.layout.energy || v == a.p.layout.entropy;
            a.u[v * CELLS + c] = heavy ? 4096 : 3;
            for (int d = 0, x = c; d < dim; d++, x /= 3)
                a.u[v * CELLS + c] += (x % 3) * (x % 3 + 2); /* 0, 3, 8: differences 3 and 5 */
        }
    assert_true(children_of(&a, NULL, child) == 1);
    for (int v = 0; v < a.p.layout.scalar0; v++)
        for (int c = 0; c < 1 << dim; c++) {
            double want = a.u[v * CELLS + MIDDLE];
            for (int d = 0; d < dim; d++)
                want += (c >> d & 1 ? 0.25 : -0.25) * (curved ? 4 : 3);
            assert_true(child[v * CHILDREN + c] == want);
        }
}

static void linear(void **unused)
{
    (void)unused;
    each(linear_case);
    each(curved_case);
}

/* ---- fractions ------------------------------------------------------------------------------- */

static int bounded, mixed;

/* n species that share the gas of each cell. */
static void share_out(struct patch *a, int n)
{
    struct sl_layout *l = &a->p.layout;
    l->nscalar = n;
    l->nvar = l->nflow = l->scalar0 + n;
    for (int c = 0; c < CELLS; c++) {
        double part[SL_MAX_SCALAR], sum = 0;
        for (int i = 0; i < n; i++)
            sum += part[i] = uniform() < 0.2 ? 0 : pow(uniform(), 4);
        for (int i = 0; i < n; i++)
            a->u[(l->scalar0 + i) * CELLS + c] = a->u[c] * (sum > 0 ? part[i] / sum : 1.0 / n);
    }
}

/* Of a scalar, over the cell and its neighbours along the axes. */
static void range_of(const struct patch *a, int v, double out[2])
{
    out[0] = HUGE_VAL, out[1] = -HUGE_VAL;
    for (int side = -a->p.dim; side <= a->p.dim; side++) {
        ptrdiff_t at = MIDDLE;
        if (side != 0) at += side < 0 ? -a->p.step[-side - 1] : a->p.step[side - 1];
        out[0] = fmin(out[0], a->u[v * CELLS + at] / a->u[at]);
        out[1] = fmax(out[1], a->u[v * CELLS + at] / a->u[at]);
    }
}

/* Whatever the density does the children keep the sum of all fractions, and each fraction within
 * those of the cell and its neighbours; their mean is that of the cell. */
static void fractions_case(int kind, int dim, double rough)
{
    struct patch a = patch_random(kind, dim, rough);
    double child[SL_MAX_VAR * CHILDREN], range[2], sum[CHILDREN] = {0};
    const ptrdiff_t step[3] = {1, 2, 4};
    int first = a.p.layout.scalar0, n = 1 + (int)(SL_MAX_SCALAR * uniform());
    share_out(&a, n);
    children_of(&a, NULL, child);
    for (int v = first; v < first + n; v++) {
        double mean = a.u[v * CELLS + MIDDLE], rho = a.u[MIDDLE];
        range_of(&a, v, range);
        assert_true(fabs(sl_restrict(dim, child + v * CHILDREN, step) - mean) < 1e-14 * rho);
        for (int c = 0; c < 1 << dim; c++) {
            double f = child[v * CHILDREN + c] / child[c];
            sum[c] += f;
            bounded += fmin(f - range[0], range[1] - f) < 1e-14;
            if (!(f > range[0] - 1e-14 && f < range[1] + 1e-14))
                fail_msg("fraction %g is not from %g to %g", f, range[0], range[1]);
        }
    }
    for (int c = 0; c < 1 << dim; c++)
        if (!(fabs(sum[c] - 1) < 1e-14)) fail_msg("%d fractions add up to %.17g", n, sum[c]);
}

/* Fractions of two scalars that change evenly in even gas do so among the children, exactly. */
static void even_case(int kind, int dim, double rough)
{
    struct patch a = patch_new(kind, dim);
    double child[SL_MAX_VAR * CHILDREN], slope[2][3];
    int first = a.p.layout.scalar0;
    (void)rough;
    for (int c = 0; c < CELLS; c++)
        set_cell(&a, c, 0);
    share_out(&a, 2);
    for (int c = 0; c < CELLS; c++)
        for (int i = 0; i < 2; i++) {
            a.u[c] = 1;
            a.u[(first + i) * CELLS + c] = 1000;
            for (int d = 0, x = c; d < dim; d++, x /= 3) {
                if (c == 0) slope[i][d] = floor(between(-20, 20));
                a.u[(first + i) * CELLS + c] += slope[i][d] * (x % 3);
            }
        }
    children_of(&a, NULL, child);
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 1 << dim; c++) {
            double want = 1000;
            for (int d = 0; d < dim; d++)
                want += slope[i][d] * (c >> d & 1 ? 1.25 : 0.75);
            assert_true(child[(first + i) * CHILDREN + c] == want);
        }
}

static void fractions(void **unused)
{
    (void)unused;
    each(fractions_case);
    each(even_case);
    assert_true(bounded > CASES);
}

/* Only one state is read at either end; between them children are those of the cells in between. */
static void share_case(int kind, int dim, double rough)
{
    struct patch a = patch_random(kind, dim, rough), b = patch_random(kind, dim, rough), c = a;
    size_t size = (size_t)a.p.layout.nflow * CHILDREN * sizeof(double);
    double want[SL_MAX_VAR * CHILDREN] = {0}, got[SL_MAX_VAR * CHILDREN] = {0};
    double none[SL_MAX_VAR * CELLS];
    for (int i = 0; i < SL_MAX_VAR * CELLS; i++)
        none[i] = NAN;
    b.p.gas = a.p.gas;
    b.p.theta = a.p.theta;
    children_of(&a, NULL, want);
    children_of(&a, none, got);
    assert_memory_equal(want, got, size);
    memcpy(c.u, none, sizeof none);
    c.p.share = 0;
    children_of(&c, a.u, got);
    assert_memory_equal(want, got, size);
    double share = uniform();
    if (a.p.layout.entropy >= 0) return; /* below */
    for (int i = 0; i < SL_MAX_VAR * CELLS; i++)
        c.u[i] = (1 - share) * a.u[i] + share * b.u[i];
    c.p.share = 1;
    children_of(&c, NULL, want);
    b.p.share = share;
    children_of(&b, a.u, got);
    assert_memory_equal(want, got, size);
}

static void shares(void **unused)
{
    (void)unused;
    each(share_case);
}

/* Warm gas of one pressure and one velocity. */
static void set_even(struct patch *a, const double v[3], double p)
{
    const struct sl_layout *l = &a->p.layout;
    for (int c = 0; c < CELLS; c++) {
        double *u = a->u + c, rho = between(1, 10), v2 = 0;
        for (int n = 0; n < l->nvar; n++)
            u[n * CELLS] = 0;
        u[0] = rho;
        for (int d = 0; d < 3; d++) {
            u[(1 + d) * CELLS] = rho * v[d];
            v2 += v[d] * v[d];
        }
        u[l->energy * CELLS] = p / (a->p.gas.gamma - 1) + 0.5 * rho * v2;
        u[l->entropy * CELLS] = sl_pressure_to_entropy(&a->p.gas, rho, p);
    }
}

/* So it is in the children, and in a cell of them. */
static void even_gas_case(int kind, int dim, double rough)
{
    if (kind != DUAL && kind != MHD_DUAL) return;
    const ptrdiff_t step[3] = {1, 2, 4};
    const double v[3] = {between(-1, 1), between(-1, 1), between(-1, 1)}, first = between(0.5, 2);
    const double last = between(0.5, 2);
    struct patch a = patch_new(kind, dim), b = a;
    double child[SL_MAX_VAR * CHILDREN], cell[SL_MAX_VAR];
    (void)rough;
    set_even(&a, v, first);
    set_even(&b, v, last);
    b.p.share = uniform();
    const double p = (1 - b.p.share) * first + b.p.share * last;
    children_of(&b, a.u, child);
    for (int c = 0; c < 1 << dim; c++) {
        struct sl_prim w = sl_cell_prim(&a.p.gas, &a.p.layout, child + c, CHILDREN);
        assert_true(fabs(w.p - p) < 64 * DBL_EPSILON);
        assert_true(fabs(w.u - v[0]) + fabs(w.v - v[1]) + fabs(w.w - v[2]) < 64 * DBL_EPSILON);
    }
    for (int n = 0; n < a.p.layout.scalar0; n++)
        cell[n] = sl_restrict(dim, child + n * CHILDREN, step);
    cell[a.p.layout.entropy] =
        sl_cover_entropy(&a.p.gas, &a.p.layout, 1e-3, dim, child, step, CHILDREN);
    struct sl_prim w = sl_cell_prim(&a.p.gas, &a.p.layout, cell, 1);
    assert_true(fabs(w.p - p) < 64 * DBL_EPSILON);
}

/* Children of cold gas are those of its entropy, and so is their mean. */
static void cold_gas_case(int kind, int dim, double rough)
{
    if (kind != DUAL && kind != MHD_DUAL) return;
    const ptrdiff_t step[3] = {1, 2, 4};
    const double v[3] = {1e4, 0, 0};
    struct patch a = patch_new(kind, dim);
    double child[SL_MAX_VAR * CHILDREN];
    (void)rough;
    set_even(&a, v, 1);
    a.p.eta = 1e-3;
    children_of(&a, NULL, child);
    const double *s = child + a.p.layout.entropy * CHILDREN;
    double parent = a.u[a.p.layout.entropy * CELLS + MIDDLE];
    double cell = sl_cover_entropy(&a.p.gas, &a.p.layout, 1e-3, dim, child, step, CHILDREN);
    assert_true(fabs(sl_restrict(dim, s, step) - parent) < 8 * DBL_EPSILON * parent);
    assert_true(cell == sl_restrict(dim, s, step));
}

static void even_gas(void **unused)
{
    (void)unused;
    each(even_gas_case);
    each(cold_gas_case);
}

/* ---- turned and mirrored --------------------------------------------------------------------- */

/* Axis d of the turned world is axis[d] of the first, mirrored where flip[d]. */
struct pose {
    int axis[3], flip[3];
};

static struct pose pose_random(int dim)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int norder[4] = {0, 1, 2, 6};
    struct pose p = {{0, 1, 2}, {0, 0, 0}};
    memcpy(p.axis, order[(int)(uniform() * norder[dim])], sizeof p.axis);
    for (int d = 0; d < dim; d++)
        p.flip[d] = uniform() < 0.5;
    return p;
}

/* The variable and the sign that v has in the first world. */
static int variable_of(const struct sl_layout *l, const struct pose *p, int v, double *sign)
{
    int first = v >= SL_MX && v <= SL_MZ                                      ? SL_MX
                : l->magnetic >= 0 && v >= l->magnetic && v < l->magnetic + 3 ? l->magnetic
                                                                              : -1;
    *sign = first >= 0 && p->flip[v - first] ? -1 : 1;
    return first < 0 ? v : first + p->axis[v - first];
}

/* Place of a cell of the turned world in the first one; `width` cells along an axis. */
static int place_of(const struct pose *p, int width, int dim, int cell)
{
    int at[3] = {0, 0, 0}, power[3] = {1, width, width * width}, out = 0;
    for (int d = 0; d < 3; d++) {
        int x = cell / power[d] % width;
        at[p->axis[d]] = d < dim && p->flip[d] ? width - 1 - x : x;
    }
    for (int d = 0; d < 3; d++)
        out += at[d] * power[d];
    return out;
}

static void turn_case(int kind, int dim, double rough)
{
    struct patch a = patch_random(kind, dim, rough), b = a;
    const struct sl_layout *l = &a.p.layout;
    struct pose p = pose_random(dim);
    const ptrdiff_t step[3] = {1, 2, 4};
    double first[SL_MAX_VAR * CHILDREN], child[SL_MAX_VAR * CHILDREN], sign;
    for (int v = 0; v < l->nflow; v++)
        for (int c = 0; c < CELLS; c++) {
            int of = variable_of(l, &p, v, &sign);
            b.u[v * CELLS + c] = sign * a.u[of * CELLS + place_of(&p, 3, dim, c)];
        }
    assert_true(children_of(&a, NULL, first) == children_of(&b, NULL, child));
    for (int v = 0; v < l->nflow; v++) {
        int of = variable_of(l, &p, v, &sign);
        for (int c = 0; c < 1 << dim; c++)
            assert_true(child[v * CHILDREN + c] ==
                        sign * first[of * CHILDREN + place_of(&p, 2, dim, c)]);
        for (int c = 0; c < 1 << dim; c++) /* anything else than children of one parent */
            first[of * CHILDREN + place_of(&p, 2, dim, c)] =
                sign * (child[v * CHILDREN + c] = between(-1, 1) * pow(10, between(-2, 2)));
        assert_true(sl_restrict(dim, child + v * CHILDREN, step) ==
                    sign * sl_restrict(dim, first + of * CHILDREN, step));
    }
}

static void turned(void **unused)
{
    (void)unused;
    each(turn_case);
}

/* ---- correction ------------------------------------------------------------------------------ */

/* A cell with finer neighbours along some axes; fluxes are those of a small flow, so that all stays
 * positive. */
struct corner {
    struct sl_reflux r;
    struct sl_reflux_face face[3];
    double u[SL_MAX_VAR], coarse[3][SL_MAX_VAR], fine[3][SL_MAX_VAR * 4];
};

static void corner_random(struct corner *c, int kind, int dim, double size)
{
    struct patch a = patch_random(kind, dim, 0.2);
    c->r = (struct sl_reflux){a.p.gas, a.p.layout, dim, 1e-3, 1, {0}, 0, {0}};
    for (int v = 0; v < a.p.layout.nflow; v++)
        c->u[v] = a.u[v * CELLS];
    c->u[a.p.layout.scalar0] = c->u[0] * between(0.1, 0.9);
    for (int d = 0; d < 3; d++) {
        c->face[d] = (struct sl_reflux_face){.per_dx = uniform() < 0.5 ? -2 : 2,
                                             .coarse = c->coarse[d],
                                             .fine = c->fine[d],
                                             .coarse_var = 1,
                                             .fine_var = 4,
                                             .fine_dim = dim - 1,
                                             .fine_step = {1, 2, 0}};
        if (d >= dim || uniform() < 0.3) c->face[d].per_dx = 0;
        for (int v = 0; v < a.p.layout.nflow; v++) {
            c->coarse[d][v] = size * between(-1, 1) * fabs(c->u[v]);
            for (int i = 0; i < 4; i++)
                c->fine[d][4 * v + i] = size * between(-1, 1) * fabs(c->u[v]);
        }
    }
}

static double fine_mean(const double *f, int dim)
{
    double sum = 0;
    for (int i = 0; i < 1 << (dim - 1); i++)
        sum += f[i];
    return sum / (1 << (dim - 1));
}

/* What left through each face is that of the finer side; with dual energy heat follows its own
 * rules. */
static void reflux_case(int kind, int dim, double rough)
{
    struct corner c;
    (void)rough;
    corner_random(&c, kind, dim, 1e-3);
    const struct sl_layout *l = &c.r.layout;
    double before[SL_MAX_VAR];
    memcpy(before, c.u, sizeof before);
    assert_int_equal(sl_reflux_cell(&c.r, c.face, c.u), 0);
    for (int v = 0; v < l->nflow; v++) {
        double want = before[v];
        for (int d = 0; d < dim; d++)
            want -= c.face[d].per_dx * (fine_mean(c.fine[d] + 4 * v, dim) - c.coarse[d][v]);
        if (v == l->entropy)
            want = sl_pressure_to_entropy(&c.r.gas, c.u[0],
                                          sl_cons_to_prim(&c.r.gas, sl_gas_of(l, c.u, 1)).p);
        if (!(fabs(c.u[v] - want) <= 1e-14 * fabs(want)))
            fail_msg("kind %d: variable %d is %.17g, not %.17g, seed %llu", kind, v, c.u[v], want,
                     (unsigned long long)seed);
    }
}

enum { ROW = 6 };

/* Sums over a row of cells of all that they can share, and of sizes. */
static void row_sums(const struct sl_layout *l, const double *u, double out[2][SL_MAX_VAR])
{
    memset(out, 0, 2 * sizeof *out);
    for (int i = 0; i < ROW; i++)
        for (int v = 0; v < l->nflow; v++) {
            out[0][v] += u[v * ROW + i];
            out[1][v] += fabs(u[v * ROW + i]);
        }
}

/* Whatever the fluxes, what remains is a gas, and what a cell lacks those behind it give: sums are
 * kept unless all together have too little. */
static void violent_case(int kind, int dim, double rough)
{
    struct corner c;
    double u[SL_MAX_VAR * ROW], before[2][SL_MAX_VAR], after[2][SL_MAX_VAR];
    corner_random(&c, kind, dim, 0.6);
    const struct sl_layout *l = &c.r.layout;
    int bad = sl_reflux_cell(&c.r, c.face, c.u) == SL_REFLUX_BAD;
    for (int i = 0; i < ROW; i++) {
        struct patch other = patch_random(kind, dim, rough);
        for (int v = 0; v < l->nflow; v++)
            u[v * ROW + i] = i == 0 ? c.u[v] : other.u[v * CELLS];
    }
    c.r.stride = ROW;
    assert_true(bad == (sl_reflux_is_bad(&c.r, u) || !sl_reflux_is_mixture(&c.r, u)));
    row_sums(l, u, before);
    if (!bad) return;
    int n = 1, stirs = sl_reflux_will_stir(&c.r, u, 1, ROW);
    if (sl_reflux_is_bad(&c.r, u)) n = sl_reflux_mend(&c.r, 0, 1, ROW, u);
    reduced += n > 0;
    if (n == 0) sl_reflux_raise(&c.r, 1, u);
    mixed += n == 1;
    sl_reflux_mix(&c.r, 1, ROW, u);
    row_sums(l, u, after);
    for (int i = 0; i < ROW; i++) {
        assert_true(!sl_reflux_is_bad(&c.r, u + i));
        assert_true(n == 0 || !stirs || sl_reflux_is_mixture(&c.r, u + i));
        if (l->entropy >= 0) assert_true(u[l->entropy * ROW + i] > 0);
    }
    for (int v = 0; v < l->nflow && n > 0; v++)
        if (l->entropy < 0 || (v != l->entropy && v != l->energy))
            if (!(fabs(after[0][v] - before[0][v]) <= 1e-14 * (before[1][v] + after[1][v])))
                fail_msg("kind %d: %d cells share %.17g of variable %d, not %.17g, seed %llu", kind,
                         n, after[0][v], v, before[0][v], (unsigned long long)seed);
}

/* What falls when cells share heats them: the sum of total and potential energy is kept. */
static void fall(void **unused)
{
    double u[SL_MAX_VAR * ROW] = {-1, 3, 4, 6}, energy[2] = {0};
    const double dx = 0.5, g = -3;
    (void)unused;
    struct sl_reflux r = {.layout = layout_of(IDEAL), .dim = 1, .stride = ROW, .lifts = 1};
    r.gas = (struct sl_gas){SL_EOS_ideal, 1.4, 0, 1e-12, 1e-18, 0, 0, SL_SHOCK_limit};
    r.work[0] = g * dx / 4;
    for (int i = 0; i < 4; i++)
        u[r.layout.energy * ROW + i] = 50 + i;
    for (int after = 0; after < 2; after++) {
        for (int i = 0; i < 4; i++)
            energy[after] += u[r.layout.energy * ROW + i] - u[i] * g * i * dx;
        if (!after) assert_int_equal(sl_reflux_mend(&r, 0, 1, 4, u), 2);
    }
    assert_true(u[0] == 1 && u[1] == 1 && u[2] == 4);
    assert_true(fabs(energy[1] - energy[0]) < 1e-13 * energy[0]);
}

/* Where energy was not trusted the entropy stays that of its fluxes. */
static void untrusted(void)
{
    struct corner c;
    corner_random(&c, DUAL, 3, 1e-3);
    const struct sl_layout *l = &c.r.layout;
    c.u[l->energy] *= 1.5;
    double want = c.u[l->entropy] - sl_reflux_loss(&c.r, c.face, l->entropy);
    assert_int_equal(sl_reflux_cell(&c.r, c.face, c.u), 0);
    assert_true(c.u[l->entropy] == want);
}

/* With constrained transport the field follows from faces. */
static void staggered(void)
{
    struct corner c;
    double field[3];
    corner_random(&c, MHD, 2, 1e-3);
    c.r.layout.face = c.r.layout.nflow;
    memcpy(field, c.u + c.r.layout.magnetic, sizeof field);
    memcpy(c.u + c.r.layout.face, field, sizeof field); /* both faces of an axis: a step of 0 */
    c.face[0].per_dx = 1;
    sl_reflux_cell(&c.r, c.face, c.u);
    assert_memory_equal(field, c.u + c.r.layout.magnetic, 2 * sizeof *field);
    assert_true(field[2] != c.u[c.r.layout.magnetic + 2]);
}

static void corrected(void **unused)
{
    (void)unused;
    each(reflux_case);
    reduced = 0;
    each(violent_case);
    assert_true(reduced > CASES / 50 && mixed > CASES / 50);
    for (int i = 0; i < CASES; i++) {
        untrusted();
        staggered();
    }
}

/* With constrained transport the field along the axes of the mesh follows from no flux; the rest
 * does. */
static void flows(void **unused)
{
    struct sl_reflux r = {.dim = 2};
    (void)unused;
    r.layout.magnetic = 5, r.layout.face = 8;
    for (int v = 0; v < 5; v++)
        assert_true(sl_reflux_flows(&r, v));
    assert_true(!sl_reflux_flows(&r, 5) && !sl_reflux_flows(&r, 6) && sl_reflux_flows(&r, 7));
    r.layout.face = -1;
    assert_true(sl_reflux_flows(&r, 5) && sl_reflux_flows(&r, 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows),
        cmocka_unit_test(fall),
        cmocka_unit_test_setup(mean, setup),
        cmocka_unit_test_setup(heat, setup),
        cmocka_unit_test_setup(positive, setup),
        cmocka_unit_test_setup(linear, setup),
        cmocka_unit_test_setup(fractions, setup),
        cmocka_unit_test_setup(shares, setup),
        cmocka_unit_test_setup(even_gas, setup),
        cmocka_unit_test_setup(turned, setup),
        cmocka_unit_test_setup(corrected, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
