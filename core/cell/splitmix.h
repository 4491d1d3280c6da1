/* splitmix.h - mixes all bits of a number: what hashes of states and particles are made of.
 *
 * Shapes  one number
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Steele, Lea & Flood 2014 (splitmix64)
 * Tests   tests/law/particles.c, tests/gpu/particles.c
 */
#ifndef SL_CELL_SPLITMIX_H
#define SL_CELL_SPLITMIX_H

#include <stdint.h>

#include "core/cell/fn.h"

SL_FN uint64_t sl_splitmix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
