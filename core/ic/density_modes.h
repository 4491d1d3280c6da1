/* density_modes.h - the random numbers of a density field: one complex number per wave vector.
 *
 * The number of mode n is a function of the seed and of n alone: the same on any grid and for any
 * number of ranks, and every species of a universe has the same. Mean square 1; fixed: modulus 1,
 * random phase. That of -n is the conjugate.
 *
 * Those of a start may come from a file instead (noise): cosmology_fields.h takes them from there.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device; the hash host
 * Refs    Angulo & Pontzen 2016 (fixed and paired)
 * Tests   tests/unit/density_modes.c, tests/law/cosmology.sh
 */
#ifndef SL_IC_DENSITY_MODES_H
#define SL_IC_DENSITY_MODES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sys/random.h"

struct sl_density_modes {
    uint64_t seed;
    bool fixed, paired;
    int low_modes; /* modes with all |n_i| up to this are those of low_seed */
    uint64_t low_seed;
    const char *noise, *noise_set; /* borrowed; white noise of a file in their place
                                      (noise_file.h), "" or NULL: none */
};

/* One of n and -n is drawn, the other is its conjugate. */
SL_FN int sl_density_mode_drawn(const int n[3])
{
    if (n[0] != 0) return n[0] > 0;
    if (n[1] != 0) return n[1] > 0;
    return n[2] > 0;
}

SL_FN int sl_density_mode_low(const struct sl_density_modes *m, const int n[3])
{
    int low = m->low_modes > 0;
    for (int d = 0; d < 3; d++)
        low = low && n[d] <= m->low_modes && -n[d] <= m->low_modes;
    return low;
}

SL_FN void sl_density_mode(const struct sl_density_modes *m, const int n[3], double out[2])
{
    int sign = sl_density_mode_drawn(n) ? 1 : -1;
    struct sl_random_name name = {sl_density_mode_low(m, n) ? m->low_seed : m->seed,
                                  SL_RANDOM_DENSITY,
                                  0,
                                  {sign * n[0], sign * n[1], sign * n[2]}};
    sl_random_gauss(&name, 0, out);
    double size = m->fixed ? 1 / sqrt(out[0] * out[0] + out[1] * out[1]) : sqrt(0.5);
    if (m->paired) size = -size;
    out[0] *= size;
    out[1] *= sign * size;
}

/* Of the modes with all |n_i| <= 4. */
uint64_t sl_density_modes_hash(const struct sl_density_modes *m);

#endif
