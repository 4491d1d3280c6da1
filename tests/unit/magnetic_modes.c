/* magnetic_modes.c - tests core/ic/magnetic_modes.h: no divergence and the asked-for size on any
 * grid, the same field on all of them, helical waves, the same bits in any blocks and at both ends
 * of the box.
 *
 * ranks: 1
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/ic/magnetic_modes.h"
#include "core/sys/status.h"

static const struct sl_magnetic_spec whole = {.seed = 7,
                                              .dim = 3,
                                              .length = {1, 1.5, 0.75},
                                              .rms = 0.3,
                                              .kmin = 2,
                                              .kmax = 6,
                                              .slope = -1,
                                              .helicity = 0.5};
static const struct sl_magnetic_part cells = {.face = -1, .cells = {16, 20, 12}, .n = {16, 20, 12}};

static struct sl_magnetic_modes made(struct sl_magnetic_spec s)
{
    struct sl_magnetic_modes m;
    assert_int_equal(sl_magnetic_modes_init(&s, &m), SL_OK);
    return m;
}

/* To be freed. */
static double *average(const struct sl_magnetic_modes *m, struct sl_magnetic_part p)
{
    double *out = malloc((size_t)p.n[0] * (size_t)p.n[1] * (size_t)p.n[2] * sizeof *out);
    assert_non_null(out);
    assert_int_equal(sl_magnetic_modes_average(m, &p, out), SL_OK);
    return out;
}

static struct sl_magnetic_part faces(int d)
{
    struct sl_magnetic_part p = cells;
    p.component = p.face = d;
    p.n[d]++;
    return p;
}

/* Value (k, j, i) of a part. */
static double value(const struct sl_magnetic_part *p, const double *b, int k, int j, int i)
{
    return b[(k * p->n[1] + j) * p->n[0] + i];
}

static void divergence(void **unused)
{
    (void)unused;
    struct sl_magnetic_modes m = made(whole);
    struct sl_magnetic_part p[3] = {faces(0), faces(1), faces(2)};
    double *b[3], most = 0;
    for (int d = 0; d < 3; d++)
        b[d] = average(&m, p[d]);
    for (int k = 0; k < cells.n[2]; k++)
        for (int j = 0; j < cells.n[1]; j++)
            for (int i = 0; i < cells.n[0]; i++) {
                double div = 0;
                for (int d = 0; d < 3; d++)
                    div += (value(&p[d], b[d], k + (d == 2), j + (d == 1), i + (d == 0)) -
                            value(&p[d], b[d], k, j, i)) /
                           (whole.length[d] / cells.n[d]);
                most = fmax(most, fabs(div));
            }
    if (!(most < 1e-12)) fail_msg("div B is %g", most);
    for (int k = 0; k < cells.n[2]; k++) /* the box closes to the bit */
        for (int j = 0; j < cells.n[1]; j++)
            assert_true(value(&p[0], b[0], k, j, 0) == value(&p[0], b[0], k, j, cells.n[0]));
    for (int d = 0; d < 3; d++)
        free(b[d]);
    sl_magnetic_modes_release(&m);
}

/* Mean square of a component over cells so small that averages are points. */
static double mean_square(const struct sl_magnetic_modes *m, int component,
                          struct sl_magnetic_part p)
{
    double sum = 0;
    int count = p.n[0] * p.n[1] * p.n[2];
    p.component = component;
    double *b = average(m, p);
    for (int i = 0; i < count; i++)
        sum += b[i] * b[i];
    free(b);
    return sum / count;
}

static void sizes(void **unused)
{
    (void)unused;
    for (int dim = 1; dim <= 3; dim++) {
        struct sl_magnetic_spec s = whole;
        struct sl_magnetic_part p = {.face = -1, .cells = {1, 1, 1}, .n = {1, 1, 1}};
        double sum = 0;
        s.dim = dim;
        s.kmax = 3;
        for (int d = 0; d < dim; d++)
            p.cells[d] = p.n[d] = dim == 3 ? 64 : 256;
        struct sl_magnetic_modes m = made(s);
        for (int c = 0; c < 3; c++)
            sum += mean_square(&m, c, p);
        assert_true(fabs(sqrt(sum) / s.rms - 1) < 0.01);
        if (dim == 1) assert_true(mean_square(&m, 0, p) == 0);
        if (dim == 2) assert_true(mean_square(&m, 2, p) > 0.05 * sum);
        sl_magnetic_modes_release(&m);
    }
}

/* curl B = k B, wave by wave: i n x B = n B. */
static void helical(void **unused)
{
    (void)unused;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct sl_magnetic_spec s = whole;
        s.helicity = sign;
        struct sl_magnetic_modes m = made(s);
        int wide[3] = {m.most[0] + 1, 2 * m.most[1] + 1, 2 * m.most[2] + 1}, waves = 0;
        size_t all = (size_t)wide[0] * (size_t)wide[1] * (size_t)wide[2];
        for (size_t at = 0; at < all; at++) {
            int z = (int)(at % (size_t)wide[2]), y = (int)(at / (size_t)wide[2]) % wide[1];
            double k[3] = {(double)(at / (size_t)(wide[2] * wide[1])) / s.length[0],
                           (y - m.most[1]) / s.length[1], (z - m.most[2]) / s.length[2]};
            double complex b[3] = {m.b[at], m.b[all + at], m.b[2 * all + at]};
            double size = sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
            waves += cabs(b[0]) > 0;
            for (int d = 0; d < 3; d++) {
                int p = (d + 1) % 3, q = (d + 2) % 3;
                double off = cabs(I * (k[p] * b[q] - k[q] * b[p]) - sign * size * b[d]);
                if (!(off <= 1e-14 * size * s.rms))
                    fail_msg("curl B is off by %g of %g", off, size);
            }
        }
        assert_true(waves > 100);
        sl_magnetic_modes_release(&m);
    }
}

/* A part of the cells has the bits of the whole; cells twice as fine have its averages. */
static void grids(void **unused)
{
    (void)unused;
    struct sl_magnetic_modes m = made(whole);
    struct sl_magnetic_part part = cells, fine = cells;
    part.from[0] = 4, part.from[1] = 10, part.from[2] = 8;
    part.n[0] = 8, part.n[1] = 5, part.n[2] = 4;
    for (int d = 0; d < 3; d++)
        fine.cells[d] = fine.n[d] = 2 * cells.n[d];
    double *all = average(&m, cells), *some = average(&m, part), *small = average(&m, fine);
    for (int k = 0; k < part.n[2]; k++)
        for (int j = 0; j < part.n[1]; j++)
            for (int i = 0; i < part.n[0]; i++) {
                double mean = 0, here = value(&cells, all, k + 8, j + 10, i + 4);
                assert_true(value(&part, some, k, j, i) == here);
                for (int n = 0; n < 8; n++)
                    mean += value(&fine, small, 2 * (k + 8) + n / 4, 2 * (j + 10) + n / 2 % 2,
                                  2 * (i + 4) + n % 2) /
                            8;
                assert_true(fabs(mean - here) < 1e-15);
            }
    free(all);
    free(some);
    free(small);
    sl_magnetic_modes_release(&m);
}

static void refused(void **unused)
{
    (void)unused;
    struct sl_magnetic_spec s = whole;
    struct sl_magnetic_modes m;
    s.dim = 1;
    s.length[0] = 1;
    s.kmin = 3, s.kmax = 2;
    assert_int_equal(sl_magnetic_modes_init(&s, &m), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "3 to 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergence), cmocka_unit_test(sizes),   cmocka_unit_test(helical),
        cmocka_unit_test(grids),      cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
