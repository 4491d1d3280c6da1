/* design.c - see design.h. */
#include "pipeline/campaign/design.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/sys/random.h"
#include "core/sys/status.h"

static uint64_t bits_of(const struct sl_design *d, int axis, int64_t at, int64_t what)
{
    struct sl_random_name name = {
        d->seed, SL_RANDOM_DESIGN, (uint32_t)axis, {at, what, (int64_t)d->kind}};
    uint64_t bits[4];
    sl_random_bits(&name, 0, bits);
    return bits[0];
}

/* ---- random ---------------------------------------------------------------------------------- */

static int random_points(const struct sl_design *d, double *u)
{
    for (int64_t i = 0; i < d->count; i++)
        for (int a = 0; a < d->axes; a++)
            u[i * d->axes + a] = sl_random_unit(bits_of(d, a, i, 0));
    return SL_OK;
}

/* ---- sobol ----------------------------------------------------------------------------------- */

enum { BITS = 32, DEGREE_MAX = 8 };

struct row {
    int degree;
    unsigned coefficients, m[DEGREE_MAX];
};

static const struct row rows[SL_DESIGN_AXES - 1] = {
#define SL_SOBOL(degree, coefficients, ...) {degree, coefficients, {__VA_ARGS__}},
#include "pipeline/campaign/sobol.def"
#undef SL_SOBOL
};

/* The numbers of an axis whose exclusive or, over the bits of its index, is a point. */
static void directions(int axis, uint32_t v[BITS])
{
    const struct row *r = axis ? &rows[axis - 1] : NULL;
    int s = r ? r->degree : 0;
    for (int i = 0; i < BITS; i++) {
        if (!r || i < s) {
            v[i] = (r ? r->m[i] : 1u) << (BITS - 1 - i);
            continue;
        }
        v[i] = v[i - s] ^ v[i - s] >> s;
        for (int k = 1; k < s; k++)
            if (r->coefficients >> (s - 1 - k) & 1) v[i] ^= v[i - k];
    }
}

/* Each digit of the result: that digit, plus some of those before it. */
static uint32_t scrambled(const uint32_t matrix[BITS], uint32_t x)
{
    uint32_t y = 0;
    for (int i = 0; i < BITS; i++)
        y |= (uint32_t)__builtin_parity(matrix[i] & x) << (BITS - 1 - i);
    return y;
}

static void scramble(const struct sl_design *d, int axis, uint32_t v[BITS])
{
    uint32_t matrix[BITS];
    for (int i = 0; i < BITS; i++) {
        uint32_t digit = 1u << (BITS - 1 - i), before = ~(digit | (digit - 1));
        matrix[i] = digit | ((uint32_t)bits_of(d, axis, i, 1) & before);
    }
    for (int i = 0; i < BITS; i++)
        v[i] = scrambled(matrix, v[i]);
}

static int sobol_points(const struct sl_design *d, double *u)
{
    for (int a = 0; a < d->axes; a++) {
        uint32_t v[BITS], shift = (uint32_t)bits_of(d, a, 0, 2);
        directions(a, v);
        scramble(d, a, v);
        for (int64_t i = 0; i < d->count; i++) {
            uint32_t x = shift;
            for (int b = 0; b < BITS && i >> b; b++)
                if (i >> b & 1) x ^= v[b];
            u[i * d->axes + a] = (x + 0.5) * 0x1p-32;
        }
    }
    return SL_OK;
}

/* ---- latin ----------------------------------------------------------------------------------- */

/* A shuffle of 0 .. count - 1 along each axis: at[point][axis]. */
static void shuffle(const struct sl_design *d, int64_t trial, int32_t *at)
{
    for (int a = 0; a < d->axes; a++) {
        for (int64_t i = 0; i < d->count; i++)
            at[i * d->axes + a] = (int32_t)i;
        for (int64_t i = d->count - 1; i > 0; i--) {
            int64_t j = (int64_t)(bits_of(d, a, i, 1 + trial) % (uint64_t)(i + 1));
            int32_t keep = at[i * d->axes + a];
            at[i * d->axes + a] = at[j * d->axes + a];
            at[j * d->axes + a] = keep;
        }
    }
}

/* Square of the distance of the closest two, in parts of an axis; ends once it is no more than
 * `enough`. */
static int64_t closest(const struct sl_design *d, const int32_t *at, int64_t enough)
{
    int64_t least = INT64_MAX;
    for (int64_t i = 1; i < d->count && least > enough; i++)
        for (int64_t j = 0; j < i; j++) {
            int64_t square = 0;
            for (int a = 0; a < d->axes; a++) {
                int64_t apart = at[i * d->axes + a] - at[j * d->axes + a];
                square += apart * apart;
            }
            if (square < least) least = square;
        }
    return least;
}

/* Some tenths of a second. */
static int64_t trials_of(const struct sl_design *d)
{
    const double work = 1e8;
    const int64_t most = 1000;
    double one = (double)d->count * (double)d->count * d->axes;
    return d->count < 3 || d->axes < 2 || one > work ? 1
           : one * (double)most < work               ? most
                                                     : (int64_t)(work / one);
}

static int latin_points(const struct sl_design *d, double *u)
{
    size_t n = (size_t)d->count * (size_t)d->axes;
    int32_t *at = malloc(2 * n * sizeof *at), *best = at + n;
    SL_CHECK(at, SL_EMEM, "no memory for a design of %lld points", (long long)d->count);
    int64_t trials = trials_of(d), farthest = -1;
    for (int64_t t = 0; t < trials; t++) {
        shuffle(d, t, at);
        int64_t least = trials > 1 ? closest(d, at, farthest) : 0;
        if (least <= farthest) continue;
        farthest = least;
        for (size_t i = 0; i < n; i++)
            best[i] = at[i];
    }
    for (int64_t i = 0; i < d->count; i++)
        for (int a = 0; a < d->axes; a++) {
            size_t k = (size_t)(i * d->axes + a);
            u[k] = (best[k] + sl_random_unit(bits_of(d, a, i, 0))) / (double)d->count;
        }
    free(at);
    return SL_OK;
}

int sl_design_points(const struct sl_design *d, double *u)
{
    static int (*const make[])(const struct sl_design *, double *) = {
#define SL_DESIGN_MAKE(name, about) name##_points,
        SL_DESIGN_LIST(SL_DESIGN_MAKE)
#undef SL_DESIGN_MAKE
    };
    return make[d->kind](d, u);
}
