/* poisson.c - the potential of a density: that of the discrete Laplacian, one heavy cell pulls as
 * the lattice says; the same bits for any ranks, also for more than there are planes, which then
 * share out their rows; what such ranks send to each other, and what they hold.
 *
 * ranks: 3 6
 * optimised: 1 2 4 8
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fftw3.h>

#include "core/gravity/poisson.h"
#include "core/sys/status.h"
#include "tests/calls.h"

/* ---- known potentials ---- */

/* A wave of n periods along each axis: its potential and slopes by the discrete formulas. */
static void one_wave(int dim, const int cells[3], const double length[3], const int n[3])
{
    struct sl_poisson *p;
    struct sl_poisson_sums sums;
    double pi = acos(-1), square = 0, worst = 0, pull[64], h[3] = {1, 1, 1}, product = 0;
    assert_int_equal(sl_poisson_new(MPI_COMM_WORLD, dim, SL_AROUND_periodic, cells, length, &p),
                     SL_OK);
    const struct sl_pencil *s = sl_poisson_pencil(p);
    for (int d = 0; d < dim; d++) {
        h[d] = length[d] / cells[d];
        square += pow(2 * sin(pi * n[d] / cells[d]) / h[d], 2);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < s->nz; k++)
            for (int j = 0; j < s->ny; j++)
                for (int i = 0; i < s->n[0]; i++) {
                    int y = s->y0 + j, z = s->z0 + k;
                    double angle = 2 * pi *
                                   ((double)n[0] * i / s->n[0] + (double)n[1] * y / s->n[1] +
                                    (double)n[2] * z / s->n[2]);
                    double *row = sl_poisson_row(p, k, j), phi = -5 / square * 0.3 * cos(angle);
                    if (pass == 0) {
                        row[i] = 7 + 0.3 * cos(angle);
                        product += row[i] * phi;
                        continue;
                    }
                    worst = fmax(worst, fabs(row[i] - phi) * square);
                    for (int d = 0; d < dim; d++) {
                        double slope =
                            -5 / square * 0.3 * sin(2 * pi * n[d] / s->n[d]) / h[d] * sin(angle);
                        sl_poisson_pull(p, d, k, j, i, 1, pull);
                        worst = fmax(worst, fabs(pull[0] - slope) * square * h[d]);
                    }
                }
        if (pass == 0) assert_int_equal(sl_poisson_solve(p, 5, &sums), SL_OK);
        if (pass == 0) assert_int_equal(sl_poisson_edges(p), SL_OK);
    }
    MPI_Allreduce(MPI_IN_PLACE, &product, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (!(worst < 1e-12))
        fail_msg("potential of %d, %d, %d waves off by %g", n[0], n[1], n[2], worst);
    assert_true(fabs(sums.mean - 7) < 1e-14 * 7);
    assert_true(fabs(sums.product / product - 1) < 1e-12);
    sl_poisson_free(p);
}

static void waves(void **unused)
{
    (void)unused;
    const double length[3] = {2, 1, 3};
    const int cube[3] = {16, 8, 12}, odd[3] = {15, 9, 7}, line[3] = {32, 1, 1},
              plane[3] = {8, 20, 1}, thin[3] = {40, 12, 2};
    one_wave(3, cube, length, (const int[3]){1, 0, 0});
    one_wave(3, cube, length, (const int[3]){3, -2, 5});
    one_wave(3, cube, length, (const int[3]){8, 4, 6});
    one_wave(3, odd, length, (const int[3]){2, 3, -3});
    one_wave(2, plane, length, (const int[3]){-1, 7, 0});
    one_wave(3, thin, length, (const int[3]){17, -3, 1});
    one_wave(1, line, length, (const int[3]){5, 0, 0});
}

/* One heavy cell far from its images: pulls next to it over those of a point, from the sum over the
 * lattice (Watson's integrals; axis 1, 2, 4 cells off, diagonals (1, 1, 1) and (3, 3, 3)). In a
 * periodic box the background and the images take (4 pi / 3) r^3 / L^3 of the pull of a point
 * away. */
static void lattice(void **unused)
{
    (void)unused;
    enum { N = 96 };
    static const struct {
        int at[3];
        double ratio;
    } rows[] = {{{1, 0, 0}, 1.3185}, {{2, 0, 0}, 1.4707}, {{4, 0, 0}, 1.1505},
                {{0, 3, 0}, 1.2780}, {{1, 1, 1}, 0.7583}, {{3, 3, 3}, 0.9596}};
    const int cells[3] = {N, N, N};
    const double length[3] = {N, N, N}, pi = acos(-1);
    struct sl_poisson *p;
    struct sl_poisson_sums sums;
    assert_int_equal(sl_poisson_new(MPI_COMM_WORLD, 3, SL_AROUND_periodic, cells, length, &p),
                     SL_OK);
    const struct sl_pencil *s = sl_poisson_pencil(p);
    for (int k = 0; k < s->nz; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                sl_poisson_row(p, k, j)[i] = s->z0 + k == 48 && j == 48 && i == 48;
    assert_int_equal(sl_poisson_solve(p, 4 * pi, &sums), SL_OK);
    assert_int_equal(sl_poisson_edges(p), SL_OK);
    for (size_t q = 0; q < sizeof rows / sizeof *rows; q++) {
        const int *at = rows[q].at;
        double r2 = at[0] * at[0] + at[1] * at[1] + at[2] * at[2], along = 0, pull;
        int k = 48 + at[2] - s->z0;
        if (k < 0 || k >= s->nz) continue;
        for (int d = 0; d < 3; d++) {
            sl_poisson_pull(p, d, k, 48 + at[1], 48 + at[0], 1, &pull);
            along -= pull * at[d] / sqrt(r2);
        }
        double images = 4 * pi / 3 * pow(r2, 1.5) / ((double)N * N * N);
        double ratio = along * r2 + images;
        if (!(fabs(ratio - rows[q].ratio) < 2e-4))
            fail_msg("(%d, %d, %d): %.5f of the pull of a point, not %.4f", at[0], at[1], at[2],
                     ratio, rows[q].ratio);
    }
    sl_poisson_free(p);
}

/* ---- ranks ---- */

enum { RANKS = 8, GRIDS = 6 };

/* most: rows of the rank that has most, on 1 .. 8 ranks; rows are shared out by fours. */
static const struct {
    int n[3], most[RANKS];
} grids[GRIDS] = {
    {{16, 8, 4}, {32, 16, 16, 8, 8, 8, 8, 4}},  {{40, 8, 3}, {24, 16, 8, 8, 8, 4, 4, 4}},
    {{40, 16, 2}, {32, 16, 16, 8, 8, 8, 8, 4}}, {{64, 64, 1}, {64, 32, 24, 16, 16, 12, 12, 8}},
    {{15, 9, 2}, {18, 9, 9, 5, 5, 5, 5, 5}},    {{32, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}}};

static const double side[3] = {1, 2, 3};

static int dim_of(const int n[3])
{
    return n[2] > 1 ? 3 : n[1] > 1 ? 2 : 1;
}

/* The potential of noise that depends on the place alone. */
static struct sl_poisson *noise(MPI_Comm comm, const int n[3], struct sl_poisson_sums *sums)
{
    struct sl_poisson *p;
    assert_int_equal(sl_poisson_new(comm, dim_of(n), SL_AROUND_periodic, n, side, &p), SL_OK);
    const struct sl_pencil *s = sl_poisson_pencil(p);
    for (int k = 0; k < s->nz; k++)
        for (int j = 0; j < s->ny; j++)
            for (int i = 0; i < n[0]; i++) {
                double place = ((double)(s->z0 + k) * n[1] + s->y0 + j) * n[0] + i;
                sl_poisson_row(p, k, j)[i] = 1 + sin(place * place);
            }
    calls_clear();
    assert_int_equal(sl_poisson_solve(p, 4, sums), SL_OK);
    assert_int_equal(sl_poisson_edges(p), SL_OK);
    return p;
}

static void check_same(const struct sl_poisson *p, const struct sl_poisson *alone)
{
    const struct sl_pencil *s = sl_poisson_pencil(p);
    double got, want;
    for (int k = 0; k < s->nz; k++)
        for (int j = 0; j < s->ny; j++)
            for (int i = 0; i < s->n[0]; i++) {
                assert_true(sl_poisson_row(p, k, j)[i] ==
                            sl_poisson_row(alone, s->z0 + k, s->y0 + j)[i]);
                for (int axis = 0; axis < s->dim; axis++) {
                    sl_poisson_pull(p, axis, k, j, i, 1, &got);
                    sl_poisson_pull(alone, axis, s->z0 + k, s->y0 + j, i, 1, &want);
                    assert_true(got == want);
                }
            }
}

static void same(void **unused)
{
    (void)unused;
    for (int g = 0; g < GRIDS; g++) {
        struct sl_poisson_sums sums, wanted;
        struct sl_poisson *alone = noise(MPI_COMM_SELF, grids[g].n, &wanted),
                          *p = noise(MPI_COMM_WORLD, grids[g].n, &sums);
        check_same(p, alone);
        assert_true(sums.mean == wanted.mean && sums.product == wanted.product);
        sl_poisson_free(p);
        sl_poisson_free(alone);
    }
}

/* Each row has one rank, which others find; planes are whole where there is one for each rank. */
static void shares(void **unused)
{
    (void)unused;
    for (int g = 0; g < GRIDS; g++) {
        struct sl_pencil s;
        sl_pencil_init(MPI_COMM_WORLD, dim_of(grids[g].n), grids[g].n, side, &s);
        int rows = s.ny * s.nz, most = rows;
        for (int k = 0; k < s.nz; k++)
            for (int j = 0; j < s.ny; j++)
                assert_int_equal(sl_pencil_owner(&s, s.y0 + j, s.z0 + k), s.rank);
        PMPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        assert_int_equal(rows, s.n[1] * s.n[2]);
        assert_true(s.size <= RANKS);
        assert_int_equal(most, grids[g].most[s.size - 1]);
        if (s.size <= s.n[2]) assert_int_equal(s.ny, s.n[1]);
    }
}

/* ---- memory ---- */

static double held;

double *fftw_alloc_real(size_t n)
{
    held += (double)n;
    return fftw_malloc(n * sizeof(double));
}

/* The plan of a campaign knows what the rank with most of it holds. */
static void memory(void **unused)
{
    (void)unused;
    for (int g = 0; g < GRIDS; g++) {
        struct sl_poisson *p;
        const int *n = grids[g].n;
        held = 0;
        assert_int_equal(sl_poisson_new(MPI_COMM_WORLD, dim_of(n), SL_AROUND_periodic, n, side, &p),
                         SL_OK);
        const struct sl_pencil *s = sl_poisson_pencil(p);
        double said = sl_potential_most(s->n, SL_AROUND_periodic, s->size);
        PMPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (held != said)
            fail_msg("%.0f doubles of %d x %d x %d cells, not %.0f", held, n[0], n[1], n[2], said);
        sl_poisson_free(p);
    }
}

/* ---- messages ---- */

/* What all ranks send, of a grid whose planes come in equal parts: lines to ranges of lines, planes
 * to rows, and both back; the planes and rows beside the own ones. */
static double bytes_of(const struct sl_pencil *s)
{
    double width = s->n[0] / 2 + 1, part = s->n[1] / s->py, modes = 0;
    for (int iz = 0; iz < s->pz; iz++) {
        double planes = sl_slab_first(s->n[2], iz + 1, s->pz) - sl_slab_first(s->n[2], iz, s->pz),
               rows = sl_slab_first(s->n[1], iz + 1, s->pz) - sl_slab_first(s->n[1], iz, s->pz);
        modes += 2 * planes * (s->n[1] - part) * width;
        modes += (planes * (s->n[1] - rows) + rows * (s->n[2] - planes)) * width;
        modes += s->pz > 1 && planes > 0 ? 2 * s->n[1] * width : 0;
        modes += s->py > 1 ? 2 * planes * s->py * width : 0;
    }
    return modes * 2 * sizeof(double);
}

static void messages(void **unused)
{
    (void)unused;
    const int n[3] = {40, 16, 2};
    struct sl_poisson_sums sums;
    struct sl_poisson *p = noise(MPI_COMM_WORLD, n, &sums);
    const struct sl_pencil *s = sl_poisson_pencil(p);
    double sent = calls_now.of[CALLS_message].sent, want = bytes_of(s);
    int most = 2 * (s->py - 1) + 2 * (s->pz - 1) + 2 * (s->pz > 1) + 2 * (s->py > 1);
    assert_true(calls_now.of[CALLS_message].calls <= most);
    assert_int_equal((int)calls_now.of[CALLS_reduce].calls, 2);
    assert_int_equal((int)calls_now.of[CALLS_exchange].calls, 0);
    PMPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sent != want) fail_msg("%.0f bytes, not %.0f", sent, want);
    sl_poisson_free(p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves),  cmocka_unit_test(lattice), cmocka_unit_test(same),
        cmocka_unit_test(shares), cmocka_unit_test(memory),  cmocka_unit_test(messages),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
