/* tree.c - tests core/stats/tree.h with peaks within peaks whose tree, masses and places are known: over faces of the box
 * and over planes of other ranks, with leaves that are too low or too small. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "core/stats/tree.h"
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

/* In an open box the wall has two ends; leaves lower than 2.5 above where they end are none: 7, 6 and 1.5. */
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

/* Two cells at least: of two peaks of one cell the higher has both, and 1.5 is too small a root above 1. */
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

/* Where three peaks meet in one cell, a branch has three children; equal densities are taken in the order of places. */
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_around), cmocka_unit_test(test_weak),
                                       cmocka_unit_test(test_small), cmocka_unit_test(test_none),
                                       cmocka_unit_test(test_three)};
    int n[3] = {N, N, N};
    double length[3] = {1, 1, 1};
    MPI_Init(&argc, &argv);
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &slab);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
