/* units.h - the units that values of keys may carry.
 *
 * Shapes  none
 * Units   factors to seconds, bytes, cm, cm/s
 * Errors  none
 * Owns    static tables
 * MPI     local
 * Where   host
 * Refs    IAU 2015 resolution B2 (parsec)
 * Tests   tests/unit/expr.c
 */
#ifndef SL_SYS_UNITS_H
#define SL_SYS_UNITS_H

#include <stddef.h>

/* 3 H0^2 / (8 pi G), in h^2 Msun / Mpc^3. */
#define SL_CRITICAL_DENSITY 2.77536627e11

/* What the unit column of the table of keys may say. length and velocity are divided by
 * units.length and units.velocity; cm and cm_per_s are not. time is that of time.unit, whose
 * numbers carry no unit. */
enum sl_unit {
    SL_UNIT_none,
    SL_UNIT_seconds,
    SL_UNIT_bytes,
    SL_UNIT_length,
    SL_UNIT_velocity,
    SL_UNIT_cm,
    SL_UNIT_cm_per_s,
    SL_UNIT_time
};

/* The unit that stands at the start of text: its length in bytes (0: none is there), whether keys
 * of kind `unit` may carry it, and its factor to the base. The longest name wins: km/s before km.
 */
struct sl_unit_match {
    size_t length;
    int fits;
    double factor;
};
struct sl_unit_match sl_unit_match(const char *text, enum sl_unit unit);

/* "s, min, h, d", or "" for none. */
const char *sl_unit_names(enum sl_unit unit);

/* Name of the base: what a bare number means, for the manual. */
const char *sl_unit_base(enum sl_unit unit);

#endif
