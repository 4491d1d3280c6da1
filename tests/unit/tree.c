/* tree.c - tests core/clump/tree.h with peaks within peaks whose tree, masses and places are
 * known: over faces of the box and over planes of other ranks, with leaves that are too low or too
 * small; and with random fields, equal densities, boards, layers and boxes of few planes, of which
 * all ranks together make the tree with the bits of one rank alone. ranks: 1 2 3 4 7 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clump/tree.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

enum { N = 12, ROW = 7 };
static struct sl_slab slab;

/* A wall of densities along z at x = 3, y = ROW, on ground of 0.5: element k is plane k. */
static const double ridge[N] = {3, 6, 4, 9, 2, 1, 1.5, 1, 7, 5, 8, 3};

struct gas {
    double *rho, *zero;
};

static struct gas open_gas(const double along[N])
{
    struct gas g;
    size_t cells = sl_slab_cells(&slab);
    g.rho = malloc((cells + 1) * sizeof(double));
    g.zero = calloc(cells + 1, sizeof(double));
    for (size_t i = 0; i < cells; i++)
        g.rho[i] = 0.5;
    for (int z = slab.z0; z < slab.z0 + slab.nz; z++)
        g.rho[((z - slab.z0) * N + ROW) * N + 3] = along[z];
    return g;
}

static void close_gas(struct gas *g, struct sl_tree *tree)
{
    sl_tree_release(tree);
    free(g->rho);
    free(g->zero);
}

static struct sl_tree grow(const struct gas *g, bool around, double floor, double delta, int cells)
{
    struct sl_tree tree;
    const struct sl_region_gas gas = {
        &slab, {around, around, around}, g->rho, {g->zero, g->zero, g->zero}};
    const struct sl_merge_rule rule = {floor, delta, cells};
    assert_int_equal(sl_tree_make(&gas, &rule, &tree), SL_OK);
    return tree;
}

struct node {
    int parent, children, depth;
    double base, top, cells, mass, place;
};

static void check_tree(const struct sl_tree *tree, int n, const struct node *want)
{
    double cell = 1.0 / (N * N * N);
    assert_int_equal(tree->n, n);
    for (int i = 0; i < n; i++) {
        const struct sl_tree_node *t = &tree->node[i];
        assert_int_equal(t->range.parent, want[i].parent);
        assert_int_equal(t->children, want[i].children);
        assert_int_equal(t->depth, want[i].depth);
        assert_true(t->range.base == want[i].base && t->range.top == want[i].top);
        assert_true(fabs(t->region.volume - want[i].cells * cell) < 1e-15);
        assert_true(fabs(t->region.mass - want[i].mass * cell) < 1e-15);
        assert_true(fabs(t->place - want[i].place) < 1e-14);
    }
}

/* Around the face of the box: 8 and 7 join at 5, 6 and 9 at 4, both at 3; 1.5 joins all at 1. */
static void test_around(void **state)
{
    static const struct node want[] = {
        {-1, 2, 0, 0.9, 1, 12, 50.5, 3.75}, {0, 2, 1, 1, 3, 9, 47, 2.5},
        {1, 2, 2, 3, 4, 4, 22, 1.5},        {2, 0, 3, 4, 9, 1, 9, 1},
        {2, 0, 3, 4, 6, 1, 6, 2},           {1, 2, 2, 3, 5, 3, 20, 3.5},
        {5, 0, 3, 5, 8, 1, 8, 3},           {5, 0, 3, 5, 7, 1, 7, 4},
        {0, 0, 1, 1, 1.5, 1, 1.5, 5}};
    (void)state;
    struct gas g = open_gas(ridge);
    struct sl_tree tree = grow(&g, true, 0.9, 0.25, 1);
    assert_int_equal(tree.leaves, 5);
    check_tree(&tree, 9, want);
    double y = tree.node[6].region.centre[1], z = tree.node[6].region.centre[2];
    assert_true(fabs(y - (ROW + 0.5) / N) < 1e-14 && fabs(z - 10.5 / N) < 1e-14);
    close_gas(&g, &tree);
}

/* In an open box the wall has two ends; leaves lower than 2.5 above where they end are none: 7, 6
 * and 1.5. */
static void test_weak(void **state)
{
    static const struct node want[] = {
        {-1, 2, 0, 0.9, 1, 12, 50.5, 1.5}, {0, 0, 1, 1, 9, 7, 26.5, 1}, {0, 0, 1, 1, 8, 4, 23, 2}};
    (void)state;
    struct gas g = open_gas(ridge);
    struct sl_tree tree = grow(&g, false, 0.9, 2.5, 1);
    check_tree(&tree, 3, want);
    close_gas(&g, &tree);
}

/* Two cells at least: of two peaks of one cell the higher has both, and 1.5 is too small a root
 * above 1. */
static void test_small(void **state)
{
    static const struct node want[] = {
        {-1, 2, 0, 1, 3, 9, 47, 1.5}, {0, 0, 1, 3, 9, 4, 22, 1}, {0, 0, 1, 3, 8, 3, 20, 2}};
    (void)state;
    struct gas g = open_gas(ridge);
    struct sl_tree tree = grow(&g, true, 1, 0, 2);
    check_tree(&tree, 3, want);
    close_gas(&g, &tree);
}

static void test_none(void **state)
{
    (void)state;
    struct gas g = open_gas(ridge);
    struct sl_tree tree = grow(&g, true, 10, 0, 1);
    check_tree(&tree, 0, NULL);
    close_gas(&g, &tree);
}

/* Where three peaks meet in one cell, a branch has three children; equal densities are taken in the
 * order of places. */
static void test_three(void **state)
{
    static const struct node want[] = {{-1, 3, 0, 0.9, 2, 4, 17, 2},
                                       {0, 0, 1, 2, 5, 1, 5, 1},
                                       {0, 0, 1, 2, 5, 1, 5, 2},
                                       {0, 0, 1, 2, 5, 1, 5, 3}};
    static const double along[N] = {0.5, 0.5, 0.5, 0.5, 5, 2, 5, 0.5, 0.5, 0.5, 0.5, 0.5};
    (void)state;
    struct gas g = open_gas(along);
    if (slab.z0 <= 5 && 5 < slab.z0 + slab.nz) g.rho[((5 - slab.z0) * N + ROW) * N + 4] = 5;
    struct sl_tree tree = grow(&g, true, 0.9, 1, 1);
    check_tree(&tree, 4, want);
    double z = tree.node[1].region.centre[2];
    assert_true(fabs(z - 4.5 / N) < 1e-14);
    close_gas(&g, &tree);
}

/* ---- all ranks together, and one alone ---- */

enum kind { NOISE, SMOOTH, STEPS, BOARD, FLAT, LAYER, THREAD, KINDS };

struct box {
    int n[3], kind;
    bool around[3];
    uint64_t seed;
};

static double number(const struct box *b, int x, int y, int z)
{
    const struct sl_random_name name = {.seed = b->seed, .at = {x, y, z}};
    uint64_t bits[4];
    sl_random_bits(&name, 0, bits);
    return sl_random_unit(bits[0]);
}

/* A wave through the box, higher than any noise between its crests. */
static double wave(const struct box *b, int x, int y, int z)
{
    double turn = 2 * acos(-1);
    return 2 + cos(turn * (2.0 * x / b->n[0] + (double)y / b->n[1] + 3.0 * z / b->n[2])) +
           cos(turn * (z - 2.0 * y) / b->n[2]);
}

static double density(const struct box *b, int x, int y, int z)
{
    double noise = 0.05 + number(b, x, y, z);
    switch (b->kind) {
    case NOISE:
        return noise;
    case SMOOTH:
        return wave(b, x, y, z) + 0.3 * noise;
    case STEPS:
        return 1 + floor(3 * noise);
    case BOARD:
        return (x + y + z) % 2 ? 1 : 2;
    case FLAT:
        return 1;
    case LAYER:
        return 2 * z > b->n[2] && 4 * z < 3 * b->n[2] ? noise + 1 : 0.01;
    default:
        return (x % 4 == 0 && y % 4 == 0) || z == (x * 5 + y) % b->n[2] ? noise + 1 : 0.01;
    }
}

static struct sl_tree tree_of(const struct box *b, MPI_Comm comm, const struct sl_merge_rule *rule)
{
    static const double length[3] = {1, 2, 1};
    struct sl_slab s;
    struct sl_tree tree;
    sl_slab_init(comm, 3, b->n, length, &s);
    size_t cells = sl_slab_cells(&s), i = 0;
    double *rho = malloc((cells + 1) * sizeof *rho);
    for (int z = s.z0; z < s.z0 + s.nz; z++)
        for (int y = 0; y < b->n[1]; y++)
            for (int x = 0; x < b->n[0]; x++)
                rho[i++] = density(b, x, y, z);
    const struct sl_region_gas gas = {
        &s, {b->around[0], b->around[1], b->around[2]}, rho, {rho, rho, rho}};
    assert_int_equal(sl_tree_make(&gas, rule, &tree), SL_OK);
    free(rho);
    return tree;
}

static bool same_bits(const struct sl_tree *a, const struct sl_tree *b)
{
    if (a->n != b->n || a->leaves != b->leaves) return false;
    for (int i = 0; i < a->n; i++) {
        const struct sl_tree_node *x = &a->node[i], *y = &b->node[i];
        if (memcmp(&x->region, &y->region, sizeof x->region) ||
            x->range.parent != y->range.parent || x->range.base != y->range.base ||
            x->range.top != y->range.top || x->children != y->children || x->depth != y->depth ||
            x->place != y->place)
            return false;
    }
    return true;
}

/* How many regions. */
static int compare(const struct box *b, const struct sl_merge_rule *rule)
{
    struct sl_tree all = tree_of(b, MPI_COMM_WORLD, rule), one = tree_of(b, MPI_COMM_SELF, rule);
    bool same = same_bits(&all, &one);
    int n = one.n;
    if (!same)
        fprintf(stderr, "kind %d of %dx%dx%d, around %d%d%d, seed %llu, rule %g %g %d: %d of %d\n",
                b->kind, b->n[0], b->n[1], b->n[2], b->around[0], b->around[1], b->around[2],
                (unsigned long long)b->seed, rule->floor, rule->delta, rule->cells, all.n, one.n);
    sl_tree_release(&all);
    sl_tree_release(&one);
    assert_true(same);
    return n;
}

static void test_ranks(void **state)
{
    static const struct sl_merge_rule rules[] = {{0, 0, 1},     {0.5, 0.3, 1}, {0.02, 0, 5},
                                                 {0.5, 0.1, 3}, {0.1, 0.6, 9}, {0, 0.2, 40}};
    int most[KINDS] = {0};
    (void)state;
    for (uint64_t trial = 0; trial < 12; trial++)
        for (int kind = 0; kind < KINDS; kind++) {
            struct box b = {.n = {8, 7, 13}, .kind = kind, .seed = 100 * trial + (uint64_t)kind};
            for (int d = 0; d < 3; d++)
                b.around[d] = trial >> d & 1;
            if (trial % 3 == 2) b.n[2] = 5; /* ranks without planes, and ranks with one */
            int n = compare(&b, &rules[trial % 6]);
            most[kind] = n > most[kind] ? n : most[kind];
        }
    for (int kind = 0; kind < KINDS; kind++)
        assert_true(most[kind] >= (kind == FLAT ? 1 : 20));
}

/* Few planes, where both sides of a plane are the same one, or itself; and planes of one row. */
static void test_thin(void **state)
{
    const struct sl_merge_rule rule = {0.3, 0.1, 2};
    int regions = 0;
    (void)state;
    for (int trial = 0; trial < 36; trial++) {
        struct box b = {.n = {9, trial % 2 ? 6 : 1, 1 + trial / 2 % 3}, .kind = NOISE};
        b.seed = 7000 + (uint64_t)trial;
        b.around[0] = trial % 5 > 0;
        b.around[1] = b.around[2] = trial % 4 < 2;
        regions += compare(&b, &rule);
    }
    assert_true(regions > 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_around), cmocka_unit_test(test_weak),
                                       cmocka_unit_test(test_small),  cmocka_unit_test(test_none),
                                       cmocka_unit_test(test_three),  cmocka_unit_test(test_ranks),
                                       cmocka_unit_test(test_thin)};
    int n[3] = {N, N, N};
    double length[3] = {1, 1, 1};
    MPI_Init(&argc, &argv);
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &slab);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
