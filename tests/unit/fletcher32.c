/* fletcher32.c - tests core/io/fletcher32.h: the checksum is that of the definition, word by word,
 * whatever the length and the values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/io/fletcher32.h"
#include "core/sys/random.h"

enum { MOST = 50000 };

static unsigned char data[MOST];

static uint32_t folded(uint32_t sum)
{
    return sum == 0 ? 0 : (sum - 1) % 65535 + 1;
}

static uint32_t definition(size_t n)
{
    uint32_t once = 0, often = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        once = folded(once + (uint32_t)(data[i] << 8 | data[i + 1]));
        often = folded(often + once);
    }
    return often << 16 | once;
}

static void check_lengths(void)
{
    static const size_t length[] = {0, 2, 62, 64, 66, 130, 1000, 16384, 16386, 16450, 32768, MOST};
    for (size_t i = 0; i < sizeof length / sizeof length[0]; i++)
        assert_int_equal(sl_fletcher32(data, length[i]), definition(length[i]));
}

static void test_equal_bytes(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte += 51) {
        memset(data, byte, sizeof data);
        check_lengths();
    }
}

static void test_random_bytes(void **state)
{
    (void)state;
    for (int64_t i = 0; i < MOST; i++) {
        const struct sl_random_name name = {3, SL_RANDOM_VELOCITY, 0, {i, 0, 0}};
        double pair[2];
        sl_random_gauss(&name, 0, pair);
        data[i] = (unsigned char)(int)(1000 * (pair[0] + 10));
    }
    check_lengths();
}

/* That of the words 0x0001, 0x0002: 3, and 1 + 3. */
static void test_known(void **state)
{
    (void)state;
    assert_int_equal(sl_fletcher32("\0\1\0\2", 4), 4 << 16 | 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal_bytes),
                                       cmocka_unit_test(test_random_bytes),
                                       cmocka_unit_test(test_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
