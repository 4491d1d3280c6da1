/* lumps.h - gas that tests of gravity and of forces begin with: states of struct fluid (fluid.h) in
 * a box of unit sides.
 *
 * Shapes  as in fluid.h
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   the tests that use it
 */
#ifndef SL_TESTS_LUMPS_H
#define SL_TESTS_LUMPS_H

#include <math.h>

#include "tests/fluid.h"

/* In motion, of mean density 1, as both halves along z are; the field has no divergence. */
static inline void lumps(const void *data, const double lo[3], const double hi[3], double t,
                         double *prim)
{
    double twopi = 2 * acos(-1), x = twopi * 0.5 * (lo[0] + hi[0]),
           y = twopi * 0.5 * (lo[1] + hi[1]), z = twopi * 0.5 * (lo[2] + hi[2]);
    (void)data, (void)t;
    prim[0] = 1 + 0.5 * sin(x) * cos(2 * y) + 0.3 * cos(x - z);
    prim[1] = 0.3 * cos(y);
    prim[2] = 1 + 0.2 * sin(x);
    prim[4] = 1;
    prim[SL_PRIM_SCALAR] = 0.5;
    prim[SL_PRIM_B] = 0.5;
    prim[SL_PRIM_B + 1] = 0.1 * cos(x);
}

/* The same along z; between them lies a tenth of the mean. */
static inline void lumps_in_plane(const void *data, const double lo[3], const double hi[3],
                                  double t, double *prim)
{
    double twopi = 2 * acos(-1), x = twopi * 0.5 * (lo[0] + hi[0]),
           y = twopi * 0.5 * (lo[1] + hi[1]);
    (void)data, (void)t;
    prim[0] = 1 + 0.9 * sin(x) * cos(y);
    prim[1] = 0.3 * cos(y);
    prim[2] = 1 + 0.2 * sin(x);
    prim[4] = 1;
    prim[SL_PRIM_B] = 0.5;
    prim[SL_PRIM_B + 1] = 0.1 * cos(x);
}

/* A wave of cold gas at rest, along x. */
static inline void lumps_at_rest(const void *data, const double lo[3], const double hi[3], double t,
                                 double *prim)
{
    (void)data, (void)t;
    prim[0] = 1 + 0.5 * cos(acos(-1) * (lo[0] + hi[0]));
    prim[4] = 1e-12;
}

#endif
