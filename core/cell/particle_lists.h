/* particle_lists.h - particles as a device has them: a list for each number.
 *
 * Shapes  [n]
 * Units   places in 2^-32 of the sides of the box, velocities in code units
 * Errors  none
 * Owns    nothing; lists are the device's, good until particles move or go to others
 * MPI     local
 * Where   memory of the device
 * Refs    none
 * Tests   tests/law/in_run.sh
 */
#ifndef SL_CELL_PARTICLE_LISTS_H
#define SL_CELL_PARTICLE_LISTS_H

#include <stddef.h>
#include <stdint.h>

#include "core/cell/fn.h"

struct sl_particle_lists {
    size_t n;
    const uint32_t *x[3];
    const sl_real *v[3];
    const uint64_t *id;
};

#endif
