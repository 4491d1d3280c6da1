/* random.c - tests core/sys/random.h against the known answers of Random123 and against what the
 * numbers are supposed to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/sys/random.h"

/* philox4x64-10 in Random123's kat_vectors; the key is split as the names are. */
static void test_known_answers(void **state)
{
    static const struct {
        uint64_t counter[4], key[2], answer[4];
    } kat[] = {{{0, 0, 0, 0},
                {0, 0},
                {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
               {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
                {UINT64_MAX, UINT64_MAX},
                {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
               {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
                {0x452821e638d01377, 0xbe5466cf34e90c6c},
                {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}}};
    (void)state;
    for (size_t i = 0; i < sizeof kat / sizeof kat[0]; i++) {
        struct sl_random_name name = {
            kat[i].key[0],
            (uint32_t)(kat[i].key[1] >> 32),
            (uint32_t)kat[i].key[1],
            {(int64_t)kat[i].counter[0], (int64_t)kat[i].counter[1], (int64_t)kat[i].counter[2]}};
        uint64_t bits[4];
        sl_random_bits(&name, kat[i].counter[3], bits);
        for (int w = 0; w < 4; w++)
            assert_true(bits[w] == kat[i].answer[w]);
    }
}

static void test_unit_has_no_ends(void **state)
{
    (void)state;
    assert_true(sl_random_unit(0) > 0);
    assert_true(sl_random_unit(UINT64_MAX) < 1);
    assert_true(sl_random_unit((uint64_t)1 << 63) > 0.5);
    assert_true(sl_random_unit(((uint64_t)1 << 63) - 1) < 0.5);
}

/* Every part of the name changes the numbers; signs count. */
static void test_names_differ(void **state)
{
    struct sl_random_name a = {7, SL_RANDOM_VELOCITY, 0, {1, 2, 3}}, b[7];
    uint64_t x[4], y[4];
    (void)state;
    for (int i = 0; i < 7; i++)
        b[i] = a;
    b[0].seed = 8;
    b[1].use = SL_RANDOM_BOOTSTRAP;
    b[2].component = 1;
    b[3].at[0] = -1;
    b[4].at[1] = -2;
    b[5].at[2] = -3;
    b[6].at[0] = 2;
    b[6].at[1] = 1;
    sl_random_bits(&a, 0, x);
    for (int i = 0; i < 7; i++) {
        sl_random_bits(&b[i], 0, y);
        assert_true(x[0] != y[0]);
    }
    sl_random_bits(&a, 1, y);
    assert_true(x[0] != y[0]);
}

/* Moments of 200,000 numbers: 5 standard errors. */
static void test_gauss_moments(void **state)
{
    double sum[5] = {0}, cross = 0, g[2];
    int n = 100000;
    (void)state;
    for (int i = 0; i < n; i++) {
        struct sl_random_name name = {42, SL_RANDOM_VELOCITY, 1, {i, -i, 0}};
        sl_random_gauss(&name, 0, g);
        cross += g[0] * g[1];
        for (int j = 0; j < 2; j++)
            for (int p = 1; p < 5; p++)
                sum[p] += pow(g[j], p);
    }
    assert_true(fabs(sum[1] / (2 * n)) < 5 / sqrt(2.0 * n));
    assert_true(fabs(sum[2] / (2 * n) - 1) < 5 * sqrt(2 / (2.0 * n)));
    assert_true(fabs(sum[3] / (2 * n)) < 5 * sqrt(15 / (2.0 * n)));
    assert_true(fabs(sum[4] / (2 * n) - 3) < 5 * sqrt(96 / (2.0 * n)));
    assert_true(fabs(cross / n) < 5 / sqrt(n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_unit_has_no_ends),
        cmocka_unit_test(test_names_differ), cmocka_unit_test(test_gauss_moments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
