/* share.h - how planes of cells and rows of modes are shared out among devices: in order, as evenly
 * as it goes.
 *
 * Shapes  n things among `size` ranks
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/gpu/gravity.c
 */
#ifndef SL_GPU_SHARE_H
#define SL_GPU_SHARE_H

#include <stdint.h>

#include "core/cell/fn.h"

/* The first of a rank; of rank `size`: n. */
SL_FN int sl_share_first(int n, int rank, int size)
{
    return (int)((int64_t)n * rank / size);
}

/* How many of them a rank has. */
SL_FN int sl_share_count(int n, int rank, int size)
{
    return sl_share_first(n, rank + 1, size) - sl_share_first(n, rank, size);
}

/* Whose thing i is. */
SL_FN int sl_share_of(int i, int n, int size)
{
    return (int)((((int64_t)i + 1) * size - 1) / n);
}

#endif
