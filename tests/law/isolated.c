/* isolated.c - the potential of masses with nothing around them: that of the unbounded lattice, in
 * boxes and cells of any shape, in all cells and up to the sides; the same bits for any ranks; what
 * ranks hold; gas gets no momentum; what is refused.
 *
 * ranks: 3 5
 * optimised: 1 2 4
 */
#include <fftw3.h>

#include "core/exact/lattice_point.h"
#include "core/gravity/poisson.h"
#include "core/step/source.h"
#include "tests/law.h"

/* ---- the lattice, by another way ---- */

enum { SIDE = 22 };

/* Watson's integral, and others by it (Glasser & Boersma 2000). */
static void known(void **unused)
{
    (void)unused;
    struct sl_lattice_point g;
    const double h[3] = {1, 1, 1}, g0 = 0.505462019717326, pi = acos(-1);
    const struct {
        int at[3];
        double g;
    } rows[] = {{{0, 0, 0}, g0},
                {{1, 0, 0}, g0 - 1.0 / 3},
                {{1, 1, 0}, 5 * g0 / 12 - 1 / (2 * pi * pi * g0)},
                {{1, 1, 1}, -g0 / 8 + 3 / (4 * pi * pi * g0)},
                {{0, 2, 0}, 10 * g0 / 3 - 2 + 2 / (pi * pi * g0)}};
    assert_int_equal(sl_lattice_point_new(SIDE, h, &g), SL_OK);
    for (size_t q = 0; q < sizeof rows / sizeof *rows; q++) {
        const int *at = rows[q].at;
        double got = sl_lattice_point_at(&g, at[0], at[1], at[2]), off = got - 0.5 * rows[q].g;
        if (!(fabs(off) < 1e-11))
            fail_msg("(%d, %d, %d): %.12f, off by %g", at[0], at[1], at[2], got, off);
    }
    sl_lattice_point_release(&g);
}

/* ---- masses in a box ---- */

enum { MASSES = 12 };

struct box {
    int n[3], at[MASSES][3];
    double h[3], mass[MASSES];
};

/* Masses anywhere, the first ones in two corners. */
static struct box box_of(const int n[3], const double h[3])
{
    struct box b;
    for (int q = 0; q < MASSES; q++) {
        b.mass[q] = 0.3 + 2 * fabs(sin(3.0 * q + 1));
        for (int d = 0; d < 3; d++) {
            b.n[d] = n[d], b.h[d] = h[d];
            b.at[q][d] = q == 0 ? 0 : q == 1 ? n[d] - 1 : (7 * q * (d + 1) + q * q * d) % n[d];
        }
    }
    return b;
}

/* The potential at a cell of the box or beside it, with 4 pi G = 5. */
static double wanted(const struct sl_lattice_point *g, const struct box *b, const int x[3])
{
    double phi = 0;
    for (int q = 0; q < MASSES; q++)
        phi -= 5 * b->mass[q] *
               sl_lattice_point_at(g, x[0] - b->at[q][0], x[1] - b->at[q][1], x[2] - b->at[q][2]);
    return phi;
}

static struct sl_poisson *potential_of(MPI_Comm comm, enum sl_around around, const struct box *b,
                                       struct sl_poisson_sums *sums)
{
    double length[3];
    struct sl_poisson *p;
    for (int d = 0; d < 3; d++)
        length[d] = b->h[d] * b->n[d];
    assert_int_equal(sl_poisson_new(comm, 3, around, b->n, length, &p), SL_OK);
    const struct sl_pencil *s = sl_poisson_pencil(p);
    for (int pass = 0; pass < 2; pass++) { /* what the first leaves behind is no mass */
        for (int k = 0; k < s->nz; k++)
            for (int j = 0; j < s->ny; j++)
                for (int i = 0; i < b->n[0]; i++)
                    sl_poisson_row(p, k, j)[i] = pass == 0 ? 1 : 0;
        for (int q = 0; q < MASSES && pass == 1; q++) {
            int k = b->at[q][2] - s->z0, j = b->at[q][1] - s->y0;
            if (k >= 0 && k < s->nz && j >= 0 && j < s->ny)
                sl_poisson_row(p, k, j)[b->at[q][0]] += b->mass[q];
        }
        assert_int_equal(sl_poisson_solve(p, 5, sums), SL_OK);
        assert_int_equal(sl_poisson_edges(p), SL_OK);
    }
    return p;
}

/* Potential and slopes of own cells off by how much. */
static void compare(const struct sl_poisson *p, const struct sl_lattice_point *g,
                    const struct box *b, double most[2], double off[2])
{
    const struct sl_pencil *s = sl_poisson_pencil(p);
    most[0] = most[1] = off[0] = off[1] = 0;
    for (int k = 0; k < s->nz && s->z0 + k < b->n[2]; k++)
        for (int j = 0; j < s->ny && s->y0 + j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                const int x[3] = {i, s->y0 + j, s->z0 + k};
                double phi = wanted(g, b, x), got;
                most[0] = fmax(most[0], fabs(phi));
                off[0] = fmax(off[0], fabs(sl_poisson_row(p, k, j)[i] - phi));
                for (int d = 0; d < 3; d++) {
                    int before[3] = {x[0], x[1], x[2]}, after[3] = {x[0], x[1], x[2]};
                    before[d]--, after[d]++;
                    double pull = 0.5 / b->h[d] * (wanted(g, b, before) - wanted(g, b, after));
                    sl_poisson_pull(p, d, k, j, i, 1, &got);
                    most[1] = fmax(most[1], fabs(pull));
                    off[1] = fmax(off[1], fabs(got - pull));
                }
            }
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, off, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void masses(enum sl_around around, const int n[3], const double h[3])
{
    struct sl_lattice_point g;
    const struct box b = box_of(n, h);
    struct sl_poisson_sums sums;
    double most[2], off[2], product = 0, mass = 0, cells = (double)n[0] * n[1] * n[2];
    assert_int_equal(sl_lattice_point_new(SIDE, h, &g), SL_OK);
    struct sl_poisson *p = potential_of(MPI_COMM_WORLD, around, &b, &sums);
    compare(p, &g, &b, most, off);
    for (int i = 0; i < 2; i++)
        if (!(off[i] < 1e-9 * most[i]))
            fail_msg("%s of %d x %d x %d cells off by %g of %g", i ? "slopes" : "potential", n[0],
                     n[1], n[2], off[i], most[i]);
    for (int q = 0; q < MASSES; q++) {
        product += b.mass[q] * wanted(&g, &b, b.at[q]);
        mass += b.mass[q];
    }
    assert_true(fabs(sums.product / product - 1) < 1e-9);
    assert_true(fabs(sums.mean / (mass / cells) - 1) < 1e-13);
    sl_poisson_free(p);
    sl_lattice_point_release(&g);
}

/* What nothing is around, both ways. */
static const enum sl_around ways[] = {SL_AROUND_padded, SL_AROUND_screened};

static void potentials(void **unused)
{
    (void)unused;
    const double even[3] = {1, 1, 1}, flat[3] = {0.5, 1, 0.7};
    for (int w = 0; w < 2; w++) {
        masses(ways[w], (const int[3]){8, 8, 8}, even);
        masses(ways[w], (const int[3]){12, 7, 20}, even);
        masses(ways[w], (const int[3]){20, 5, 3}, even);
        masses(ways[w], (const int[3]){6, 16, 9}, flat);
        masses(ways[w], (const int[3]){2, 1, 1}, flat);
    }
}

/* All cells together do not pull themselves anywhere. */
static void force_of(enum sl_around around)
{
    const struct box b = box_of((const int[3]){16, 10, 12}, (const double[3]){1, 1, 0.5});
    struct sl_poisson_sums sums;
    struct sl_poisson *p = potential_of(MPI_COMM_WORLD, around, &b, &sums);
    const struct sl_pencil *s = sl_poisson_pencil(p);
    double force[4] = {0}, pull;
    for (int q = 0; q < MASSES; q++)
        for (int d = 0; d < 3; d++) {
            int k = b.at[q][2] - s->z0, j = b.at[q][1] - s->y0;
            if (k < 0 || k >= s->nz || j < 0 || j >= s->ny) continue;
            sl_poisson_pull(p, d, k, j, b.at[q][0], 1, &pull);
            force[d] += b.mass[q] * pull;
            force[3] += b.mass[q] * fabs(pull);
        }
    MPI_Allreduce(MPI_IN_PLACE, force, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int d = 0; d < 3; d++)
        if (!(fabs(force[d]) < 1e-13 * force[3])) fail_msg("force %g of %g", force[d], force[3]);
    sl_poisson_free(p);
}

static void no_force(void **unused)
{
    (void)unused;
    for (int w = 0; w < 2; w++)
        force_of(ways[w]);
}

/* ---- ranks ---- */

static void same_of(enum sl_around around)
{
    static const int grids[][3] = {{16, 8, 4}, {9, 12, 3}, {32, 4, 1}};
    for (int g = 0; g < 3; g++) {
        const struct box b = box_of(grids[g], (const double[3]){1, 2, 1});
        struct sl_poisson_sums sums, wanted_sums;
        struct sl_poisson *alone = potential_of(MPI_COMM_SELF, around, &b, &wanted_sums),
                          *p = potential_of(MPI_COMM_WORLD, around, &b, &sums);
        const struct sl_pencil *s = sl_poisson_pencil(p);
        double got, want;
        assert_true(sums.mean == wanted_sums.mean && sums.product == wanted_sums.product);
        for (int k = 0; k < s->nz && s->z0 + k < b.n[2]; k++)
            for (int j = 0; j < s->ny && s->y0 + j < b.n[1]; j++)
                for (int i = 0; i < b.n[0]; i++)
                    for (int d = 0; d < 3; d++) {
                        assert_true(sl_poisson_row(p, k, j)[i] ==
                                    sl_poisson_row(alone, s->z0 + k, s->y0 + j)[i]);
                        sl_poisson_pull(p, d, k, j, i, 1, &got);
                        sl_poisson_pull(alone, d, s->z0 + k, s->y0 + j, i, 1, &want);
                        assert_true(got == want);
                    }
        sl_poisson_free(p);
        sl_poisson_free(alone);
    }
}

static void same(void **unused)
{
    (void)unused;
    for (int w = 0; w < 2; w++)
        same_of(ways[w]);
}

static double held;

double *fftw_alloc_real(size_t n)
{
    held += (double)n;
    return fftw_malloc(n * sizeof(double));
}

/* The plan of a campaign knows what the rank with most of it holds, but for a batch of lines. */
static void memory(void **unused)
{
    (void)unused;
    static const int grids[][3] = {{16, 8, 4}, {64, 48, 32}, {9, 12, 3}};
    for (int g = 0; g < 6; g++) {
        const int *n = grids[g / 2];
        const double side[3] = {1, 1, 1};
        struct sl_poisson *p;
        held = 0;
        assert_int_equal(sl_poisson_new(MPI_COMM_WORLD, 3, ways[g % 2], n, side, &p), SL_OK);
        double said = sl_potential_most(n, ways[g % 2], sl_poisson_pencil(p)->size);
        MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (held != said)
            fail_msg("%.0f doubles of %d x %d x %d cells, not %.0f", held, n[0], n[1], n[2], said);
        sl_poisson_free(p);
    }
}

/* ---- gas ---- */

#define HEAVY "gravity.four_pi_g: 30\nmesh.boundary: outflow\n"

/* Two lumps that differ, at rest, in thin gas. */
static void lumps(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double at[2] = {0, 0};
    (void)data, (void)t;
    for (int d = 0; d < 3; d++) {
        double x = 0.5 * (lo[d] + hi[d]);
        at[0] += pow((x - 0.3 - 0.05 * d) / 0.1, 2);
        at[1] += pow((x - 0.65) / 0.13, 2);
    }
    prim[0] = 1e-3 + 2 * exp(-at[0]) + exp(-at[1]);
    prim[4] = 0.01;
}

static struct fluid *lumpy(MPI_Comm comm, const char *recipe)
{
    struct fluid *f;
    if (fluid_new(comm, recipe, lumps, &f) != SL_OK) fail_msg("%s", sl_error_text());
    return f;
}

/* A kick gives the gas no momentum but by rounding, and moves it. */
static void momentum(void **unused)
{
    (void)unused;
    struct fluid *f = lumpy(MPI_COMM_WORLD, "mesh.cells: [16, 24, 20]\nmesh.block: [8, 12, 10]\n"
                                            "mesh.box: [[0, 1], [0, 1.1], [0, 0.9]]\n" HEAVY);
    double before[SL_MAX_VAR], after[SL_MAX_VAR];
    law_sums(f->sim, before);
    assert_int_equal(sl_sources_open(f->sim, 0.1), SL_OK);
    law_sums(f->sim, after);
    for (int v = SL_MX; v <= SL_MZ; v++)
        if (!(fabs(after[v] - before[v]) < 50 * law_rounding() * before[0]))
            fail_msg("momentum %d changed by %g", v, (after[v] - before[v]) / before[0]);
    assert_true(after[4] - before[4] > 1e-3 * before[4]);
    fluid_free(f);
}

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    struct fluid *f = lumpy(comm, text);
    law_advance(f, 4);
    return f;
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const shapes[] = {"[16, 8, 12]", "[8]", "[8, 8, 4]", "[4, 8, 8]", NULL};
    law_same(run, "mesh.cells: [16, 8, 24]\n" HEAVY, "[16, 8, 24]", shapes);
    law_same(run, "mesh.cells: [16, 8, 24]\ngravity.isolated: screened\n" HEAVY, "[16, 8, 24]",
             shapes);
}

static void refused(const char *recipe, const char *what)
{
    struct fluid *f;
    char text[512];
    snprintf(text, sizeof text, "gravity.four_pi_g: 1\n%s", recipe);
    assert_int_equal(fluid_new(MPI_COMM_SELF, text, lumps, &f), SL_EINPUT);
    if (!strstr(sl_error_text(), what)) fail_msg("%s: %s", what, sl_error_text());
}

#define CUBE "mesh.cells: [8, 8, 8]\n"

static void nonsense(void **unused)
{
    (void)unused;
    refused(CUBE "gravity.boundary: isolated\n", "nearest: mesh.boundary: outflow");
    refused(CUBE "gravity.boundary: periodic\nmesh.boundary: outflow\n", "or isolated");
    refused(CUBE "mesh.boundary: [outflow, periodic, periodic]\n", "4 periodic sides of 6");
    refused("mesh.cells: [8, 8]\nmesh.boundary: outflow\n", "three dimensions");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known), cmocka_unit_test(potentials), cmocka_unit_test(no_force),
        cmocka_unit_test(same),  cmocka_unit_test(memory),     cmocka_unit_test(momentum),
        cmocka_unit_test(bits),  cmocka_unit_test(nonsense),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
