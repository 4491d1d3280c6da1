/* scale.h - what a unit such as "code energy" is in CGS for a run that sets units.*.
 *
 * Shapes  none
 * Units   factors: CGS over code units; fields in G, of which the code's is B / sqrt(4 pi)
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/scale.c
 */
#ifndef SL_SYS_SCALE_H
#define SL_SYS_SCALE_H

#include <stddef.h>

struct sl_config;

/* One code unit in CGS; length 0: the run has no physical units. */
struct sl_scale {
    double length, density, velocity;
    int dim; /* of the box: its mass is one per cm^(3 - dim) */
};

struct sl_scale sl_scale_of(const struct sl_config *cfg);

/* The unit with "code density" and its like replaced by "1.7e-24 g/cm^3", in brackets where it is a
 * part of more; as it is without physical units. */
void sl_scale_say(const struct sl_scale *scale, const char *unit, char *out, size_t room);

#endif
