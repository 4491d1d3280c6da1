/* density_modes.h - the random numbers of a density field: one complex number per wave vector.
 *
 * The number of mode n is a function of the seed and of n alone: the same on any grid and for any
 * number of ranks, and every species of a universe has the same. Mean square 1; fixed: modulus 1,
 * random phase. That of -n is the conjugate.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Angulo & Pontzen 2016 (fixed and paired)
 * Tests   tests/unit/density_modes.c, tests/law/cosmology.sh
 */
#ifndef SL_IC_DENSITY_MODES_H
#define SL_IC_DENSITY_MODES_H

#include <stdbool.h>
#include <stdint.h>

struct sl_density_modes {
    uint64_t seed;
    bool fixed, paired;
    int low_modes; /* modes with all |n_i| up to this are those of low_seed */
    uint64_t low_seed;
};

void sl_density_mode(const struct sl_density_modes *m, const int n[3], double out[2]);

/* Of the modes with all |n_i| <= 4. */
uint64_t sl_density_modes_hash(const struct sl_density_modes *m);

#endif
