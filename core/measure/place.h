/* place.h - places of a run's particles as statistics take them: through the units of its files, so
 * that they have the bits of those that a snapshot would tell.
 *
 * Shapes  one particle
 * Units   x in 2^-32 of a side; the result in sides of the box from its lower corner
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/law/in_run.sh, tests/gpu/lent.c
 */
#ifndef SL_MEASURE_PLACE_H
#define SL_MEASURE_PLACE_H

#include <stdint.h>

#include "core/cell/particle.h"

/* Of an axis. */
struct sl_place_rule {
    double lo, hi;   /* of the mesh */
    double unit;     /* of files, in code lengths */
    double from, to; /* of the box of the recipe */
};

SL_FN double sl_place_share(const struct sl_place_rule *r, uint32_t x)
{
    double place = sl_particle_place(x, r->lo, r->hi) * r->unit;
    return (place / r->unit - r->from) / (r->to - r->from);
}

/* A velocity in code units, which was in units of files. */
SL_FN double sl_place_speed(double v, double unit)
{
    return v * unit / unit;
}

#endif
