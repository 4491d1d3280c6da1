/* point.h - a particle as haloes are looked for in them.
 *
 * Shapes  one particle
 * Units   x in 2^-32 of the sides of the box; v as who makes it says
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/fof.c, tests/law/in_run.sh
 */
#ifndef SL_MEASURE_POINT_H
#define SL_MEASURE_POINT_H

#include <math.h>
#include <stdint.h>

#include "core/cell/fn.h"

#define SL_POINT_BOX 4294967296.0 /* a side of the box in units of positions */

struct sl_point {
    uint32_t x[3];
    float v[3];
    uint64_t id;
};

/* A position in sides of the box from its lower corner, any number of boxes away. */
SL_FN uint32_t sl_point_fraction(double x)
{
    return (uint32_t)(uint64_t)((x - floor(x)) * SL_POINT_BOX + 0.5);
}

#endif
