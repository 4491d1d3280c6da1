/* sum.c - tests core/sys/sum.h: sums that know no order, and how far they are from the truth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/sys/random.h"
#include "core/sys/sum.h"

enum { N = 100000 };
static double x[N];

/* Sums x in groups of `row`, from the front or from the back. */
static double sum(struct sl_sum_unit unit, int row, int back)
{
    struct sl_sum s = {{0, 0}};
    for (int first = 0; first < N; first += row) {
        int64_t part = 0;
        for (int i = first; i < N && i < first + row; i++)
            part += sl_sum_term(unit.magic, x[back ? N - 1 - i : i]);
        sl_sum_add(&s, part);
    }
    return sl_sum_value(&s, unit);
}

static void fill(double scale)
{
    struct sl_random_name name = {1, SL_RANDOM_BOOTSTRAP, 0, {0, 0, 0}};
    for (int i = 0; i < N; i++) {
        double g[2];
        sl_random_gauss(&name, (uint64_t)i, g);
        x[i] = scale * g[0];
    }
}

static void no_order(void **unused)
{
    (void)unused;
    static const double scales[] = {1e-200, 1e-3, 1, 3e150};
    for (int k = 0; k < 4; k++) {
        fill(scales[k]);
        struct sl_sum_unit unit = sl_sum_unit(7 * scales[k]);
        double a = sum(unit, 1, 0), plain = 0, size = 0;
        assert_true(a == sum(unit, 4096, 0));
        assert_true(a == sum(unit, 7, 1));
        for (int i = 0; i < N; i++) {
            plain += x[i];
            size += fabs(x[i]);
        }
        assert_true(fabs(a - plain) < 1e-12 * size);
        assert_true(plain != 0);
    }
}

/* What cancels, cancels: the sum of terms and their negatives is 0, not a rounding. */
static void cancels(void **unused)
{
    (void)unused;
    fill(1);
    for (int i = 0; i < N / 2; i++)
        x[N - 1 - i] = -x[i];
    assert_true(sum(sl_sum_unit(8), 4096, 0) == 0);
}

/* Terms at the bound, as many as a row may have, and nothing. */
static void ends(void **unused)
{
    (void)unused;
    struct sl_sum_unit unit = sl_sum_unit(0.75);
    for (int i = 0; i < N; i++)
        x[i] = i < N / 2 ? -0.75 : 0.75;
    assert_true(sum(unit, SL_SUM_ROW, 0) == 0);
    for (int i = 0; i < N; i++)
        x[i] = -0.75;
    assert_true(sum(unit, SL_SUM_ROW, 0) == -0.75 * N);
    for (int i = 0; i < N; i++)
        x[i] = 0;
    assert_true(sum(sl_sum_unit(0), SL_SUM_ROW, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_order),
        cmocka_unit_test(cancels),
        cmocka_unit_test(ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
