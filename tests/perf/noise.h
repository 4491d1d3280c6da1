/* noise.h - three fields to measure on: values that look random.
 *
 * Shapes f[3][n], own cells. Units none. Errors SL_EMEM. Owns nothing: the caller frees f[], also
 * after an error. MPI local. Where host. Refs none. Tests itself.
 */
#ifndef TESTS_PERF_NOISE_H
#define TESTS_PERF_NOISE_H

#include <stdlib.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

static inline void noise_fill(size_t n, double *const f[3])
{
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < n; i++)
            f[c][i] = (double)((i * 2654435761u + c * 40503u) % 1000) - 500;
}

static inline int noise_make(size_t n, double *f[3])
{
    for (int c = 0; c < 3; c++) {
        f[c] = sl_alloc_large(n * sizeof(double));
        SL_CHECK(f[c], SL_EMEM, "out of memory");
    }
    noise_fill(n, f);
    return SL_OK;
}

#endif
