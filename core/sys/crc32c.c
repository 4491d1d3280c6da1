/* crc32c.c - see crc32c.h. */
#include "core/sys/crc32c.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* The instruction takes 3 cycles but one can start each cycle, so three lanes of LANE bytes run
 * side by side; a lane's value is carried over the LANE bytes that follow it by a table, since
 * feeding zeros is a linear map of the 32 bits. */
enum { LANE = 1024 };
#define POLYNOMIAL 0x82f63b78u /* bits reflected */

static uint32_t step8[8][256]; /* step8[k][b]: byte b followed by k zero bytes */
static uint32_t over[4][256];  /* over[k][b]: byte k of a value, carried over LANE zero bytes */
static bool has_instruction;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t zeros(uint32_t crc, size_t n)
{
    while (n--)
        crc = crc >> 8 ^ step8[0][crc & 255];
    return crc;
}

static void make_tables(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        step8[0][b] = crc;
    }
    for (size_t k = 1; k < 8; k++)
        for (size_t b = 0; b < 256; b++)
            step8[k][b] = zeros(step8[k - 1][b], 1);
    for (size_t k = 0; k < 4; k++)
        for (uint32_t b = 0; b < 256; b++)
            over[k][b] = zeros(b << 8 * k, LANE);
#ifdef __x86_64__
    has_instruction = __builtin_cpu_supports("sse4.2");
#endif
}

static uint32_t by_table(uint32_t crc, const unsigned char *p, size_t n)
{
    for (; n >= 8; p += 8, n -= 8) {
        uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                              (uint32_t)p[3] << 24);
        crc = step8[7][low & 255] ^ step8[6][low >> 8 & 255] ^ step8[5][low >> 16 & 255] ^
              step8[4][low >> 24] ^ step8[3][p[4]] ^ step8[2][p[5]] ^ step8[1][p[6]] ^
              step8[0][p[7]];
    }
    while (n--)
        crc = crc >> 8 ^ step8[0][(crc ^ *p++) & 255];
    return crc;
}

#ifdef __x86_64__
static uint64_t word(const unsigned char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

static uint32_t carry(uint64_t crc)
{
    return over[0][crc & 255] ^ over[1][crc >> 8 & 255] ^ over[2][crc >> 16 & 255] ^
           over[3][crc >> 24 & 255];
}

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc,
                                                                 const unsigned char *p, size_t n)
{
    uint64_t a = crc;
    for (; n >= (size_t)3 * LANE; p += 3 * LANE, n -= (size_t)3 * LANE) {
        uint64_t b = 0, c = 0;
        for (int i = 0; i < LANE; i += 8) {
            a = __builtin_ia32_crc32di(a, word(p + i));
            b = __builtin_ia32_crc32di(b, word(p + LANE + i));
            c = __builtin_ia32_crc32di(c, word(p + 2 * LANE + i));
        }
        a = carry(carry(a) ^ b) ^ c;
    }
    for (; n >= 8; p += 8, n -= 8)
        a = __builtin_ia32_crc32di(a, word(p));
    crc = (uint32_t)a;
    while (n--)
        crc = __builtin_ia32_crc32qi(crc, *p++);
    return crc;
}
#endif

uint32_t sl_crc32c_table(uint32_t crc, const void *data, size_t n)
{
    pthread_once(&once, make_tables);
    return ~by_table(~crc, data, n);
}

uint32_t sl_crc32c(uint32_t crc, const void *data, size_t n)
{
    pthread_once(&once, make_tables);
#ifdef __x86_64__
    if (has_instruction) return ~by_instruction(~crc, data, n);
#endif
    return ~by_table(~crc, data, n);
}

/* a * b modulo the polynomial; bit 31 is the coefficient of x^0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
        if (a & bit) product ^= b;
        b = b >> 1 ^ (b & 1 ? POLYNOMIAL : 0);
    }
    return product;
}

/* x^(8n): what n bytes that follow multiply a checksum by. */
uint32_t sl_crc32c_shift(uint64_t n)
{
    uint32_t power = 1u << 31, square = 1u << 23; /* x^0, x^8 */
    for (; n; n >>= 1) {
        if (n & 1) power = multiply(power, square);
        square = multiply(square, square);
    }
    return power;
}

uint32_t sl_crc32c_join(uint32_t first, uint32_t second, uint32_t shift)
{
    return multiply(shift, first) ^ second;
}
