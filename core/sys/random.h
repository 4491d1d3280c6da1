/* random.h - random numbers that are functions of what they are for, not of the order of drawing.
 *
 * A number is named by (seed, use, component, three signed integers, draw): a Fourier mode is named
 * by its wave vector, a bootstrap sample by its place. No state, so nothing to save or to split
 * between ranks.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Salmon, Moraes, Dror & Shaw 2011 (Philox4x64-10 of Random123); Box & Muller 1958
 * Tests   tests/unit/random.c
 */
#ifndef SL_SYS_RANDOM_H
#define SL_SYS_RANDOM_H

#ifdef __CUDACC__
#define R123_CUDA_DEVICE __host__ __device__ /* as what calls it (SL_FN) */
#endif
#include <Random123/philox.h>
#include <math.h>
#include <stdint.h>

#include "core/cell/fn.h"

/* What numbers are for. The values are part of the meaning of a seed: never renumber. */
enum sl_random_use {
    SL_RANDOM_VELOCITY = 1,
    SL_RANDOM_BOOTSTRAP = 2,
    SL_RANDOM_DRIVING = 3,
    SL_RANDOM_DENSITY = 8,
    SL_RANDOM_MAGNETIC = 9,
    SL_RANDOM_DESIGN = 10,
    SL_RANDOM_STARS = 11
};

/* Version of the naming below; stored in files made from random numbers. */
enum { SL_RANDOM_SCHEME = 1 };

struct sl_random_name {
    uint64_t seed;
    uint32_t use, component;
    int64_t at[3];
};

/* Four words of 64 random bits. */
SL_FN void sl_random_bits(const struct sl_random_name *name, uint64_t draw, uint64_t out[4])
{
    philox4x64_key_t key = {{name->seed, (uint64_t)name->use << 32 | name->component}};
    philox4x64_ctr_t counter = {
        {(uint64_t)name->at[0], (uint64_t)name->at[1], (uint64_t)name->at[2], draw}};
    philox4x64_ctr_t bits = philox4x64(counter, key);
    for (int i = 0; i < 4; i++)
        out[i] = bits.v[i];
}

/* A number in (0, 1), never an end: the 52 upper bits, shifted by half a step; exact. */
SL_FN double sl_random_unit(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* Two independent numbers of mean 0 and variance 1. */
SL_FN void sl_random_gauss(const struct sl_random_name *name, uint64_t draw, double out[2])
{
    uint64_t bits[4];
    sl_random_bits(name, draw, bits);
    double r = sqrt(-2 * log(sl_random_unit(bits[0])));
    double angle = 6.283185307179586476925 * sl_random_unit(bits[1]);
    out[0] = r * cos(angle);
    out[1] = r * sin(angle);
}

#endif
