/* fletcher32.c - see fletcher32.h. */
#include "core/io/fletcher32.h"

#include <string.h>

/* A block of DEPTH times LANES words: no sum of sums in 32 bits overflows. */
enum { LANES = 32, DEPTH = 256, BLOCK = LANES * DEPTH, MODULUS = 65535 };

struct sums {
    uint64_t once, often; /* of words; of that sum after each word */
};

/* Modulo 65535, where what is not 0 stays so. */
static uint64_t reduced(uint64_t sum)
{
    return sum == 0 ? 0 : (sum - 1) % MODULUS + 1;
}

static void add_words(const char *data, size_t n, struct sums *s)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t word;
        memcpy(&word, data + i * sizeof word, sizeof word);
        s->once += word;
        s->often += s->once;
    }
}

/* Rows of LANES words: a word's share in `often` is LANES for each row from its own on, less its
 * place in the row. */
static void add_rows(const char *data, size_t rows, struct sums *s)
{
    uint32_t once[LANES] = {0}, often[LANES] = {0};
    uint16_t word[LANES];
    for (size_t r = 0; r < rows; r++) {
        memcpy(word, data + r * sizeof word, sizeof word);
        for (size_t l = 0; l < LANES; l++) {
            once[l] += word[l];
            often[l] += once[l];
        }
    }
    s->often += rows * LANES * s->once;
    for (size_t l = 0; l < LANES; l++) {
        s->once += once[l];
        s->often += (uint64_t)LANES * often[l] - l * once[l];
    }
}

static void add_block(const char *data, size_t words, struct sums *s)
{
    size_t rows = words / LANES;
    add_rows(data, rows, s);
    add_words(data + rows * LANES * sizeof(uint16_t), words % LANES, s);
    s->once = reduced(s->once);
    s->often = reduced(s->often);
}

/* To words of the other byte order multiplies by 256, modulo 65535. */
static uint64_t highest_first(uint64_t sum)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? reduced(256 * sum) : sum;
}

uint32_t sl_fletcher32(const void *data, size_t n)
{
    struct sums s = {0, 0};
    const char *from = data;
    for (size_t left = n / 2; left > 0;) {
        size_t words = left < BLOCK ? left : BLOCK;
        add_block(from, words, &s);
        from += words * sizeof(uint16_t);
        left -= words;
    }
    return (uint32_t)(highest_first(s.often) << 16 | highest_first(s.once));
}
