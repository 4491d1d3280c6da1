/* stats.c - statistics on devices (core/measure/device.h): spectra, multipoles and structure
 * functions are the processor's but for rounding, and the same bits on any number of ranks; what
 * has no room is reported and done by the processor.
 *
 * ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/device.h"
#include "core/measure/spectrum.h"
#include "core/measure/structure.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

/* Even and odd, powers of two and not, flat boxes with sides of their own; the last has planes for
 * a few ranks only. */
static const struct {
    int dim, n[3];
    double length[3];
} grids[] = {
    {3, {32, 32, 32}, {1, 1, 1}}, {3, {48, 40, 36}, {48, 40, 36}}, {3, {45, 27, 25}, {1, 1, 1}},
    {2, {64, 48, 1}, {2, 1, 1}},  {1, {128, 1, 1}, {1, 1, 1}},     {3, {600, 4, 2}, {300, 2, 1}},
};
enum { GRIDS = sizeof grids / sizeof grids[0] };

/* A slab of grid g, and noise with a mean on it, the same on any number of ranks. */
struct field {
    struct sl_slab slab;
    double *owned[3];
    const double *v[3];
};

static struct field field_new(MPI_Comm comm, int g)
{
    struct field f;
    sl_slab_init(comm, grids[g].dim, grids[g].n, grids[g].length, &f.slab);
    size_t cells = sl_slab_cells(&f.slab);
    int64_t first = (int64_t)f.slab.z0 * f.slab.n[0] * f.slab.n[1];
    for (int c = 0; c < 3; c++) {
        f.v[c] = f.owned[c] = malloc((cells + 1) * sizeof(double));
        assert_non_null(f.v[c]);
        for (size_t i = 0; i < cells; i++) {
            struct sl_random_name name = {
                7, SL_RANDOM_VELOCITY, (uint32_t)c, {first + (int64_t)i, 0, 0}};
            double pair[2];
            sl_random_gauss(&name, 0, pair);
            f.owned[c][i] = pair[0] + 0.1 * (c + 1);
        }
    }
    return f;
}

static void field_free(struct field *f)
{
    for (int c = 0; c < 3; c++)
        free(f->owned[c]);
}

static struct sl_stats_device *device_of(MPI_Comm comm)
{
    struct sl_stats_device *d;
    assert_int_equal(sl_stats_cuda_open(comm, &d), SL_OK);
    assert_non_null(d);
    assert_non_null(d->modes); /* cuFFT is there */
    return d;
}

/* What is measured of a grid: one after the other in out[], as many as *n says. lines of columns:
 * numbers of a column have one unit. */
struct numbers {
    int lines, columns;
    double *value; /* owned */
};

static struct numbers spectrum(const struct field *f, int ncomp)
{
    struct sl_shells s;
    if (sl_spectrum_make(&f->slab, ncomp, f->v, 0.5, NULL, &s) != SL_OK)
        fail_msg("%s", sl_error_text());
    assert_true(s.parseval <= 1e-13);
    return (struct numbers){s.nshell + 2, SL_SPECTRUM_COLUMNS, s.value};
}

static struct numbers structure(const struct field *f, int family, int ncomp)
{
    struct sl_structure s;
    assert_int_equal(sl_structure_make(&f->slab, (enum sl_structure_family)family, ncomp, f->v, &s),
                     SL_OK);
    free(s.lag);
    return (struct numbers){s.nlag, SL_STRUCTURE_COLUMNS, s.value};
}

/* Of two fields, or of one that is seen along an axis. */
static struct numbers product(const struct field *f, int axis)
{
    const struct sl_windowed a = {f->v[0], 2, axis < 0}, b = {f->v[1], 3, false};
    struct sl_shells s;
    int code = axis < 0 ? sl_spectrum_pair(&f->slab, &a, &b, NULL, NULL, &s)
                        : sl_spectrum_multipoles(&f->slab, &a, axis, NULL, &s);
    if (code != SL_OK) fail_msg("%s", sl_error_text());
    return (struct numbers){s.nshell + 2, SL_SPECTRUM_COLUMNS, s.value};
}

/* Number i of what is measured: spectra of a scalar and a vector, structure functions of both in
 * all families, the power of a product, multipoles along two axes. */
enum { STRUCTURES = 2, PRODUCTS = 8, KINDS = 11 };
static struct numbers measure(struct field *f, struct sl_stats_device *d, int i)
{
    f->slab.device = d;
    if (i >= PRODUCTS) return product(f, i - PRODUCTS - 1);
    if (i < STRUCTURES) return spectrum(f, i ? 3 : 1);
    return structure(f, (i - STRUCTURES) % 3, i < 5 ? 1 : 3);
}

static double largest(const struct numbers *a, int column)
{
    double most = 0;
    for (int l = 0; l < a->lines; l++)
        most = fmax(most, fabs(a->value[l * a->columns + column]));
    return most;
}

/* Ends the test where they are further apart than `part` of the largest of the column. */
static void compare(const struct numbers *a, const struct numbers *b, double part, int g, int kind)
{
    assert_int_equal(a->lines, b->lines);
    for (int i = 0; i < a->lines * a->columns; i++)
        if (!(fabs(a->value[i] - b->value[i]) <= part * largest(a, i % a->columns)))
            fail_msg("grid %d, kind %d, line %d, column %d: %.17g in place of %.17g", g, kind,
                     i / a->columns, i % a->columns, b->value[i], a->value[i]);
}

static void near(void **unused)
{
    (void)unused;
    struct sl_stats_device *d = device_of(MPI_COMM_WORLD);
    for (int i = 0; i < GRIDS * KINDS; i++) {
        int g = i / KINDS, kind = i % KINDS;
        struct field f = field_new(MPI_COMM_WORLD, g);
        struct numbers host = measure(&f, NULL, kind), there = measure(&f, d, kind);
        compare(&host, &there, 1e-12, g, kind);
        for (int l = 0; l < host.lines && kind < 2; l++)
            assert_true(host.value[l * SL_SPECTRUM_COLUMNS] ==
                        there.value[l * SL_SPECTRUM_COLUMNS]);
        free(host.value);
        free(there.value);
        field_free(&f);
    }
    d->close(d);
}

/* Of all ranks, and of each alone. */
static void ranks(void **unused)
{
    (void)unused;
    struct sl_stats_device *many = device_of(MPI_COMM_WORLD), *one = device_of(MPI_COMM_SELF);
    for (int i = 0; i < GRIDS * KINDS; i++) {
        int g = i / KINDS, kind = i % KINDS;
        struct field all = field_new(MPI_COMM_SELF, g), part = field_new(MPI_COMM_WORLD, g);
        struct numbers alone = measure(&all, one, kind), shared = measure(&part, many, kind);
        compare(&alone, &shared, 0, g, kind);
        free(alone.value);
        free(shared.value);
        field_free(&all);
        field_free(&part);
    }
    many->close(many);
    one->close(one);
}

/* A grid that no device holds leaves it as it was. */
static void room(void **unused)
{
    (void)unused;
    struct sl_stats_device *d = device_of(MPI_COMM_WORLD);
    const int n[3] = {1024, 1024, 1 << 20};
    const double length[3] = {1, 1, 1}, *const none[3] = {NULL};
    struct sl_modes m = {.ncomp = 3, .n = {n[0], n[1], n[2]}, .nkx = n[0] / 2 + 1, .nshell = 512};
    struct sl_slab huge;
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &huge);
    assert_int_equal(d->modes(d, &huge, &m, none, NULL), SL_EMEM);
    huge.device = d;
    assert_true(sl_stats_device_failed(d, huge.rank, SL_EMEM, "a spectrum"));
    assert_int_equal(d->hold(d, &huge, 3, none), SL_EMEM);
    struct field f = field_new(MPI_COMM_WORLD, 0);
    struct numbers host = measure(&f, NULL, 1), there = measure(&f, d, 1);
    compare(&host, &there, 1e-12, 0, 1);
    free(host.value);
    free(there.value);
    field_free(&f);
    d->close(d);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near), cmocka_unit_test(ranks),
                                       cmocka_unit_test(room)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
