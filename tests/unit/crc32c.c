/* crc32c - known answers, the two ways against each other and against a bit-by-bit definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/sys/crc32c.h"

static uint32_t by_definition(const unsigned char *p, size_t n)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

static void known_answers(void **state)
{
    (void)state;
    unsigned char zero[32] = {0}, ones[32], up[32], down[32];
    for (int i = 0; i < 32; i++) {
        ones[i] = 255;
        up[i] = (unsigned char)i;
        down[i] = (unsigned char)(31 - i);
    }
    assert_int_equal(sl_crc32c(0, "", 0), 0);
    assert_int_equal(sl_crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(sl_crc32c(0, zero, 32), 0x8a9136aau);
    assert_int_equal(sl_crc32c(0, ones, 32), 0x62a8ab43u);
    assert_int_equal(sl_crc32c(0, up, 32), 0x46dd794eu);
    assert_int_equal(sl_crc32c(0, down, 32), 0x113fdb5cu);
    assert_int_equal(sl_crc32c_table(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(sl_crc32c_table(0, down, 32), 0x113fdb5cu);
}

/* every length around the lanes' ends, unaligned starts, and pieces that continue each other */
static void any_length_and_piece(void **state)
{
    (void)state;
    enum { N = 20000 };
    static unsigned char data[N];
    srand(1);
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)(rand() >> 7);
    for (int round = 0; round < 400; round++) {
        size_t at = (size_t)rand() % 64;
        size_t n = round < 200 ? 3072 * (1 + (size_t)round % 5) - 40 + (size_t)rand() % 80
                               : (size_t)rand() % (N - 64);
        uint32_t want = by_definition(data + at, n);
        assert_int_equal(sl_crc32c(0, data + at, n), want);
        assert_int_equal(sl_crc32c_table(0, data + at, n), want);
        size_t cut = n ? (size_t)rand() % n : 0;
        uint32_t first = sl_crc32c(0, data + at, cut);
        assert_int_equal(sl_crc32c(first, data + at + cut, n - cut), want);
        uint32_t second = sl_crc32c(0, data + at + cut, n - cut);
        assert_int_equal(sl_crc32c_join(first, second, sl_crc32c_shift(n - cut)), want);
    }
}

static void every_flip_of_a_bit_shows(void **state)
{
    (void)state;
    unsigned char data[4096] = {7};
    uint32_t want = sl_crc32c(0, data, sizeof data);
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(sl_crc32c(0, data, sizeof data), want);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(any_length_and_piece),
        cmocka_unit_test(every_flip_of_a_bit_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
