/* composite.c - the potential on levels: values of the converged composite problem as a direct
 * solution gives them, its order where levels lie within levels, how fast the residual falls, the
 * pull of a cell on itself and of all cells on each other; the same bits for any ranks.
 *
 * ranks: 1 3
 * optimised: 1 2 4
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/gravity/composite.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- meshes ---------------------------------------------------------------------------------- */

/* A unit box of n^dim cells in blocks; a block of level l is refined where its cells lie in lo ..
 * hi - 1 of the root grid and l is below `levels`, the box of each level half as wide as the one
 * before about the same middle. */
struct grid {
    int dim, n, block, lo, hi, levels;
    enum sl_around isolated; /* periodic: it is not */
    bool notched;            /* without the octant of the largest coordinates */
};

static struct sl_mesh_spec spec_of(const struct grid *g)
{
    struct sl_mesh_spec s = {.dim = g->dim, .ghost = 1};
    for (int d = 0; d < 3; d++) {
        s.cells[d] = g->n, s.block[d] = g->block;
        s.lo[d] = 0, s.hi[d] = 1;
        s.boundary[2 * d] = s.boundary[2 * d + 1] =
            g->isolated ? SL_BOUNDARY_outflow : SL_BOUNDARY_periodic;
    }
    return s;
}

static int is_refined(const struct grid *g, const struct sl_mesh *m, int block)
{
    double middle = 0.5 * (g->lo + g->hi) / g->n, half = 0.5 * (g->hi - g->lo) / g->n;
    int above = 0;
    for (int d = 0; d < g->dim; d++) {
        double centre = m->blocks[block].lo[d] + 0.5 * g->block * m->blocks[block].dx[d];
        if (!(fabs(centre - middle) < ldexp(half, -m->level))) return 0;
        above += centre > middle;
    }
    return m->level < g->levels && !(g->notched && above == g->dim);
}

static struct sl_hierarchy *refined(struct sl_hierarchy *h, const struct grid *g)
{
    int n = sl_hierarchy_curve(h, NULL, NULL), changed, *level, *block;
    const double weight[SL_LEVELS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    signed char *want = calloc((size_t)n + 1, 1);
    level = calloc((size_t)n + 1, sizeof *level);
    block = calloc((size_t)n + 1, sizeof *block);
    assert_true(want && level && block);
    sl_hierarchy_curve(h, level, block);
    for (int i = 0; i < n; i++)
        want[i] = (signed char)is_refined(g, h->level[level[i]], block[i]);
    struct sl_hierarchy *next = NULL;
    assert_int_equal(sl_hierarchy_adapt(h, want, g->levels, weight, NULL, &changed, &next), SL_OK);
    free(want);
    free(level);
    free(block);
    if (!changed) return h;
    sl_hierarchy_free(h);
    return next;
}

static struct sl_hierarchy *hierarchy_of(MPI_Comm comm, const struct grid *g)
{
    struct sl_mesh_spec spec = spec_of(g);
    struct sl_hierarchy *h;
    assert_int_equal(sl_hierarchy_new(comm, &spec, &h), SL_OK);
    for (int l = 0; l < g->levels; l++)
        h = refined(h, g);
    assert_int_equal(h->nlevel, g->levels + 1);
    return h;
}

/* ---- densities ------------------------------------------------------------------------------- */

/* A density, or an exact value, of the cell at these numbers on its level. */
typedef double cell_fn(const struct grid *g, int level, const int64_t at[3]);

static void cell_of(const struct sl_mesh *m, int block, int k, int j, int i, int64_t at[3])
{
    const int c[3] = {i, j, k};
    for (int d = 0; d < 3; d++)
        at[d] = d < m->dim ? m->blocks[block].at[d] * m->n[d] + c[d] : 0;
}

static void set(struct sl_composite *c, const struct sl_hierarchy *h, const struct grid *g,
                cell_fn *density)
{
    for (int l = 0; l < h->nlevel; l++) {
        const struct sl_mesh *m = h->level[l];
        for (int b = 0; b < m->nleaf; b++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        int64_t at[3];
                        cell_of(m, b, k, j, i, at);
                        sl_composite_density(c, l, b, k, j)[i] = (sl_real)density(g, l, at);
                    }
    }
}

/* What one solution gives, with what made it. */
struct solved {
    struct sl_hierarchy *h;
    struct sl_composite *c;
    struct sl_composite_result result;
};

static struct solved solve(MPI_Comm comm, const struct grid *g, cell_fn *density, double tolerance)
{
    struct solved s;
    const struct sl_composite_how how = {1, tolerance, 40, false, 0};
    s.h = hierarchy_of(comm, g);
    assert_int_equal(sl_composite_new(s.h, g->isolated, &s.c), SL_OK);
    for (int pass = 0; pass < 2; pass++) { /* what the first leaves behind is forgotten */
        set(s.c, s.h, g, density);
        if (sl_composite_solve(s.c, &how, &s.result) != SL_OK) fail_msg("%s", sl_error_text());
    }
    return s;
}

static void release(struct solved *s)
{
    sl_composite_free(s->c);
    sl_hierarchy_free(s->h);
}

/* The potential of a leaf cell, on all ranks; NaN: there is none. */
static double potential_at(const struct solved *s, int level, const int want[3])
{
    const struct sl_mesh *m = s->h->level[level];
    double found = -HUGE_VAL;
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                for (int i = 0; i < m->n[0]; i++) {
                    int64_t at[3];
                    cell_of(m, b, k, j, i, at);
                    if (at[0] == want[0] && at[1] == want[1] && at[2] == want[2])
                        found = (double)sl_composite_potential(s->c, level, b, k, j)[i];
                }
    MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_DOUBLE, MPI_MAX, m->comm);
    return found;
}

/* ---- a direct solution ----------------------------------------------------------------------- */

static double whole_numbers(const struct grid *g, int level, const int64_t at[3])
{
    (void)g;
    return (double)((7 * at[0] + 13 * at[1] + 29 * at[2] + 3 * level) % 31);
}

/* Solved by an LU decomposition of the composite matrix, of the rule with second differences; the
 * integral of rho phi, and values at cells {level, i, j, k}. */
static const struct direct {
    struct grid grid;
    double product;
    struct {
        int level, at[3];
        double phi;
    } cell[5];
} direct[] = {
    {{2, 16, 4, 4, 12, 1, SL_AROUND_periodic, false},
     -0.0629280156,
     {{0, {12, 12, 0}, -0.0164957640},
      {0, {3, 4, 0}, -0.0144337176},
      {1, {8, 8, 0}, -0.0120357875},
      {1, {9, 23, 0}, -0.0011399871},
      {1, {16, 16, 0}, -0.0012965537}}},
    {{2, 16, 4, 4, 8, 1, SL_AROUND_periodic, false},
     -0.0743224649,
     {{0, {8, 8, 0}, -0.0102640180},
      {0, {3, 4, 0}, -0.0151886620},
      {1, {8, 8, 0}, -0.0144343228},
      {1, {9, 15, 0}, -0.0047883004},
      {1, {12, 12, 0}, -0.0202992572}}},
    {{3, 8, 4, 0, 4, 1, SL_AROUND_periodic, false},
     -0.2175773203,
     {{0, {4, 4, 4}, 0.0108928319},
      {0, {7, 0, 0}, 0.0044060641},
      {1, {0, 0, 0}, 0.0059079499},
      {1, {1, 7, 2}, -0.0058617458},
      {1, {4, 4, 4}, 0.0072872789}}},
};

static void values(void **unused)
{
    (void)unused;
    for (size_t q = 0; q < sizeof direct / sizeof *direct; q++) {
        const struct direct *d = &direct[q];
        struct solved s = solve(MPI_COMM_WORLD, &d->grid, whole_numbers, 1e-11);
        double off = fabs(s.result.product - d->product);
        if (!(off < 2e-10)) fail_msg("case %zu: integral %.12f", q, s.result.product);
        for (size_t i = 0; i < sizeof d->cell / sizeof *d->cell; i++) {
            double phi = potential_at(&s, d->cell[i].level, d->cell[i].at);
            if (!(fabs(phi - d->cell[i].phi) < 2e-10))
                fail_msg("case %zu, cell %zu: %.12f, not %.10f", q, i, phi, d->cell[i].phi);
        }
        release(&s);
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

static const double twopi = 6.283185307179586;

static double phase(const struct grid *g, int level, int64_t at)
{
    return twopi * (((double)at + 0.5) / ldexp(g->n, level) - 0.43);
}

/* exp of a sum of cosines, and its Laplacian. */
static double smooth(const struct grid *g, int level, const int64_t at[3])
{
    double sum = 0;
    for (int d = 0; d < g->dim; d++)
        sum += cos(phase(g, level, at[d]));
    return exp(sum);
}

static double smooth_lap(const struct grid *g, int level, const int64_t at[3])
{
    double sum = 0;
    for (int d = 0; d < g->dim; d++) {
        double y = phase(g, level, at[d]);
        sum += sin(y) * sin(y) - cos(y);
    }
    return twopi * twopi * sum * smooth(g, level, at);
}

/* A ball of gas off the middle whose density falls as exp(-r^2 / 2 s^2), which leaves some at the
 * sides of the box, and its potential with nothing around. */
static double radius_of(const struct grid *g, int level, const int64_t at[3])
{
    double r2 = 0;
    for (int d = 0; d < 3; d++)
        r2 += pow(((double)at[d] + 0.5) / ldexp(g->n, level) - 0.55, 2);
    return sqrt(r2);
}

static const double wide = 0.09;

static double ball(const struct grid *g, int level, const int64_t at[3])
{
    double r = radius_of(g, level, at);
    return exp(-0.5 * r * r / (wide * wide)) / (wide * wide * wide * pow(twopi, 1.5));
}

static double ball_potential(const struct grid *g, int level, const int64_t at[3])
{
    double r = radius_of(g, level, at);
    return -erf(r / (wide * sqrt(2))) / (2 * twopi * r);
}

/* Root mean square of phi - exact over the leaves, of a periodic box its mean taken away. */
static double error_of(const struct grid *g)
{
    cell_fn *exact = g->isolated ? ball_potential : smooth;
    struct solved s = solve(MPI_COMM_WORLD, g, g->isolated ? ball : smooth_lap, 1e-9);
    double sum[2] = {0, 0};
    for (int l = 0; l < s.h->nlevel; l++) {
        const struct sl_mesh *m = s.h->level[l];
        double volume = pow(ldexp(g->n, l), -g->dim);
        for (int b = 0; b < m->nleaf; b++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        int64_t at[3];
                        cell_of(m, b, k, j, i, at);
                        double e =
                            (double)sl_composite_potential(s.c, l, b, k, j)[i] - exact(g, l, at);
                        sum[0] += volume * e, sum[1] += volume * e * e;
                    }
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    release(&s);
    return sqrt(sum[1] - (g->isolated ? 0 : sum[0] * sum[0]));
}

static void order(void **unused)
{
    (void)unused;
    static const struct grid coarse[] = {{1, 16, 4, 4, 12, 2, SL_AROUND_periodic, false},
                                         {2, 16, 4, 4, 12, 2, SL_AROUND_periodic, false},
                                         {3, 16, 4, 4, 12, 1, SL_AROUND_periodic, false},
                                         {3, 16, 4, 4, 12, 1, SL_AROUND_padded, false},
                                         {3, 16, 4, 0, 8, 1, SL_AROUND_padded, false},
                                         {3, 16, 4, 0, 8, 1, SL_AROUND_screened, false}};
    for (size_t q = 0; q < sizeof coarse / sizeof *coarse; q++) {
        struct grid fine = coarse[q];
        fine.n *= 2, fine.block *= 2, fine.lo *= 2, fine.hi *= 2;
        double order = log2(error_of(&coarse[q]) / error_of(&fine));
        if (!(order > 1.9))
            fail_msg("%dD%s: order %.3f", coarse[q].dim, fine.isolated ? " isolated" : "", order);
    }
}

/* ---- convergence ----------------------------------------------------------------------------- */

/* A mass in one cell of the finest level; none where that is not there. */
static double one_cell(const struct grid *g, int level, const int64_t at[3])
{
    int64_t middle = (int64_t)((g->lo + g->hi) / 2) << level;
    for (int d = 0; d < g->dim; d++)
        if (at[d] != middle) return 0;
    return level == g->levels;
}

static void cycles(void **unused)
{
    (void)unused;
    static const struct grid grids[] = {{2, 32, 8, 8, 24, 3, SL_AROUND_periodic, false},
                                        {3, 16, 4, 4, 12, 3, SL_AROUND_periodic, false},
                                        {3, 16, 4, 0, 8, 2, SL_AROUND_padded, false},
                                        {3, 16, 4, 0, 8, 2, SL_AROUND_screened, false}};
    for (size_t q = 0; q < sizeof grids / sizeof *grids; q++)
        for (int point = 0; point < 2; point++) {
            struct solved s =
                solve(MPI_COMM_WORLD, &grids[q], point ? one_cell : whole_numbers, 1e-8);
            if (s.result.cycles > 9) fail_msg("%dD: %d cycles", grids[q].dim, s.result.cycles);
            release(&s);
        }
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* A mass in a cell of the patch that is 4.5 cells from its lower side along x. */
static double near_edge(const struct grid *g, int level, const int64_t at[3])
{
    int64_t middle = g->lo + g->hi;
    return level == 1 && at[0] == 2 * g->lo + 4 && at[1] == middle && at[2] == middle;
}

/* Sum of rho g dV, and of its size, over the leaves. */
static void force_of(const struct grid *g, cell_fn *density, double sum[3], double *size)
{
    struct solved s = solve(MPI_COMM_WORLD, g, density, 1e-10);
    double all[4] = {0};
    for (int l = 0; l < s.h->nlevel; l++) {
        const struct sl_mesh *m = s.h->level[l];
        double volume = pow(ldexp(g->n, l), -g->dim);
        size_t n = (size_t)m->nblock * (size_t)m->n[2] * (size_t)m->n[1] * (size_t)m->n[0];
        sl_real *pull = calloc(3 * n + 1, sizeof *pull);
        assert_non_null(pull);
        assert_int_equal(sl_composite_pull(s.c, l, pull, NULL), SL_OK);
        for (int b = 0; b < m->nleaf; b++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        int64_t at[3];
                        cell_of(m, b, k, j, i, at);
                        for (int d = 0; d < g->dim; d++) {
                            size_t row =
                                (((size_t)b * (size_t)m->n[2] + (size_t)k) * (size_t)m->n[1] +
                                 (size_t)j) *
                                    3 +
                                (size_t)d;
                            double f = volume * density(g, l, at) *
                                       (double)pull[row * (size_t)m->n[0] + (size_t)i];
                            all[d] += f, all[3] += fabs(f);
                        }
                    }
        free(pull);
    }
    MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    memcpy(sum, all, 3 * sizeof *sum);
    *size = all[3];
    release(&s);
}

/* A mass pulls at itself by little where the edge of its level is 4.5 cells away, and the cells of
 * a smooth density pull at each other by next to nothing in sum. */
static void forces(void **unused)
{
    (void)unused;
    static const struct grid near = {3, 16, 8, 8, 16, 1, SL_AROUND_periodic, false},
                             waves = {2, 32, 8, 8, 24, 2, SL_AROUND_periodic, false};
    double sum[3], size, h = 1.0 / 32, mass = h * h * h;
    force_of(&near, near_edge, sum, &size);
    for (int d = 0; d < 3; d++) /* G m^2 / h^2 with 4 pi G = 1 */
        if (!(fabs(sum[d]) < 3e-4 * mass * mass / (h * h) / (2 * twopi)))
            fail_msg("axis %d: %g of G m^2 / h^2", d, sum[d] * 2 * twopi * h * h / (mass * mass));
    force_of(&waves, smooth_lap, sum, &size);
    for (int d = 0; d < 2; d++)
        if (!(fabs(sum[d]) < 1e-3 * size)) fail_msg("%g of %g along axis %d", sum[d], size, d);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    return x ^ (x >> 27);
}

/* Sum over the leaf cells of all ranks. */
static uint64_t hash_of(const struct solved *s)
{
    uint64_t sum = 0;
    for (int l = 0; l < s->h->nlevel; l++) {
        const struct sl_mesh *m = s->h->level[l];
        for (int b = 0; b < m->nleaf; b++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        int64_t at[3];
                        uint64_t bits = 0;
                        sl_real phi = sl_composite_potential(s->c, l, b, k, j)[i];
                        cell_of(m, b, k, j, i, at);
                        memcpy(&bits, &phi, sizeof phi);
                        for (int d = 0; d < 3; d++)
                            bits = mixed(bits + (uint64_t)at[d] + 1);
                        sum += bits;
                    }
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, s->h->comm);
    return sum;
}

static void same(void **unused)
{
    (void)unused;
    static const struct grid grids[] = {{1, 32, 4, 8, 24, 2, SL_AROUND_periodic, true},
                                        {2, 32, 4, 8, 24, 2, SL_AROUND_periodic, true},
                                        {3, 16, 4, 4, 12, 2, SL_AROUND_periodic, true},
                                        {3, 16, 4, 0, 8, 2, SL_AROUND_padded, true},
                                        {3, 16, 4, 0, 8, 2, SL_AROUND_screened, true}};
    for (size_t q = 0; q < sizeof grids / sizeof *grids; q++) {
        struct solved one = solve(MPI_COMM_SELF, &grids[q], whole_numbers, 1e-8);
        struct solved all = solve(MPI_COMM_WORLD, &grids[q], whole_numbers, 1e-8);
        assert_int_equal(hash_of(&one), hash_of(&all));
        assert_true(one.result.product == all.result.product);
        assert_int_equal(one.result.cycles, all.result.cycles);
        release(&one);
        release(&all);
    }
}

static void too_few(void **unused)
{
    (void)unused;
    static const struct grid g = {2, 16, 4, 4, 12, 1, SL_AROUND_periodic, false};
    struct sl_hierarchy *h = hierarchy_of(MPI_COMM_WORLD, &g);
    struct sl_composite *c;
    struct sl_composite_result result;
    const struct sl_composite_how how = {1, 1e-9, 2, false, 0};
    assert_int_equal(sl_composite_new(h, SL_AROUND_periodic, &c), SL_OK);
    set(c, h, &g, whole_numbers);
    assert_int_equal(sl_composite_solve(c, &how, &result), SL_EDIVERGED);
    assert_non_null(strstr(sl_error_text(), "after 2 cycles"));
    sl_composite_free(c);
    sl_hierarchy_free(h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(order),
                                       cmocka_unit_test(cycles), cmocka_unit_test(forces),
                                       cmocka_unit_test(same),   cmocka_unit_test(too_few)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
