/* slab.c - tests core/grid/slab.h: sums are exact whatever the ranks and what a rank receives does
 * not grow with the planes of all, also with fewer planes than ranks; what is gathered is in the
 * order of the ranks, on rank 0 or on all. ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpi.h>
#include <stdlib.h>

#include "core/grid/slab.h"
#include "core/sys/status.h"

enum { NZ = 40, NY = 24, COLUMNS = 3, FEW = 2 }; /* FEW: less than ranks */

static int gathered; /* calls that bring what all ranks hold to all */

int MPI_Allgatherv(const void *own, int n, MPI_Datatype type, void *all, const int *counts,
                   const int *at, MPI_Datatype out, MPI_Comm comm)
{
    gathered++;
    return PMPI_Allgatherv(own, n, type, all, counts, at, out, comm);
}

static struct sl_slab make_slab(int nz)
{
    struct sl_slab s;
    const int n[3] = {4, NY, nz};
    const double length[3] = {1, 1, 1};
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &s);
    return s;
}

/* Terms that cancel but for a number of their own: added one after the other they lose it. */
static double term(int line, int column)
{
    double large = column == 0 ? 0x1p60 : column == 1 ? -0x1p40 : 0;
    return (line == 3 ? large : line == 17 ? -large : 0) + (line == 9 ? 1 + column : 0);
}

static void check_sums(int (*sum)(const struct sl_slab *, int, const double *, double *),
                       const struct sl_slab *s, int first, int n)
{
    double *part = malloc(((size_t)n * COLUMNS + 1) * sizeof *part), out[COLUMNS];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < COLUMNS; c++)
            part[i * COLUMNS + c] = term(first + i, c);
    gathered = 0;
    assert_int_equal(sum(s, COLUMNS, part, out), SL_OK);
    for (int c = 0; c < COLUMNS; c++)
        assert_true(out[c] == 1 + c);
    assert_int_equal(gathered, 0);
    free(part);
}

static void sums(void **state)
{
    (void)state;
    struct sl_slab s = make_slab(NZ), few = make_slab(FEW);
    check_sums(sl_slab_sum, &s, s.z0, s.nz);
    check_sums(sl_slab_sum_rows, &s, s.y0, s.ny);
    check_sums(sl_slab_sum_rows, &few, few.y0, few.ny);
}

/* Ranks without planes add nothing, get the sum, and hand on what others hold. */
static void few_planes(void **state)
{
    (void)state;
    struct sl_slab s = make_slab(FEW);
    enum { CELLS = 4 * NY };
    double part[FEW + 1], sum, own[FEW * CELLS + 1], shifted[FEW * CELLS + 1];
    for (int z = 0; z < s.nz; z++)
        part[z] = 1 + s.z0 + z;
    for (int i = 0; i < s.nz * CELLS; i++)
        own[i] = s.z0 * CELLS + i;
    assert_int_equal(sl_slab_sum(&s, 1, part, &sum), SL_OK);
    assert_true(sum == FEW * (FEW + 1) / 2);
    assert_int_equal(sl_slab_shift(&s, 1, own, shifted), SL_OK);
    for (int i = 0; i < s.nz * CELLS; i++)
        assert_true(shifted[i] == ((s.z0 + 1) * CELLS + i) % (FEW * CELLS));
    void *all;
    int total;
    assert_int_equal(sl_slab_gather_all(&s, own, s.nz * CELLS, sizeof *own, &all, &total), SL_OK);
    assert_int_equal(total, FEW * CELLS);
    for (int i = 0; i < total; i++)
        assert_true(((double *)all)[i] == i);
    free(all);
}

/* Rank r has r + 1 items of an odd size. */
struct item {
    char rank, number, rest;
};

static void check_items(const struct item *all, int size)
{
    for (int r = 0, at = 0; r < size; r++)
        for (int i = 0; i <= r; i++, at++) {
            assert_int_equal(all[at].rank, r);
            assert_int_equal(all[at].number, i);
        }
}

static void gathers(void **state)
{
    (void)state;
    struct sl_slab s = make_slab(NZ);
    struct item own[8] = {{0, 0, 0}};
    void *all;
    int total;
    for (int i = 0; i <= s.rank; i++)
        own[i] = (struct item){(char)s.rank, (char)i, 0};
    assert_int_equal(sl_slab_gather(&s, own, s.rank + 1, sizeof *own, &all, &total), SL_OK);
    assert_int_equal(total, s.size * (s.size + 1) / 2);
    assert_int_equal(all != NULL, s.rank == 0);
    if (all) check_items(all, s.size);
    free(all);
    assert_int_equal(sl_slab_gather_all(&s, own, s.rank + 1, sizeof *own, &all, &total), SL_OK);
    assert_int_equal(total, s.size * (s.size + 1) / 2);
    check_items(all, s.size);
    free(all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(few_planes),
                                       cmocka_unit_test(gathers)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
