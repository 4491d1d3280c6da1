/* tube.h - exact solution of the Riemann problem of gas dynamics, along any direction, and its
 * averages over cells.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EINPUT for states that are not positive
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Toro 2009, chapter 4 (ideal gas: 4.6-4.63, vacuum: 4.76-4.82); LeVeque 2002, 13.8
 *         (isothermal)
 * Tests   tests/unit/exact.c
 */
#ifndef SL_EXACT_TUBE_H
#define SL_EXACT_TUBE_H

#include <stdbool.h>

#include "core/exact/gauss.h"

/* u is the velocity along the normal, v and w are those across it. */
struct sl_tube_state {
    double rho, u, v, w, p;
};

struct sl_tube {
    int eos;          /* enum sl_eos */
    double gamma, cs; /* of the ideal, of the isothermal gas */
    struct sl_tube_state left, right;
    double x0;                            /* place of the diaphragm along the normal */
    double normal[3], along[3], cross[3]; /* right-handed unit vectors of u, v, w */

    /* the rest is what sl_tube_solve finds */
    bool vacuum; /* between the two fans there is nothing */
    double p, u; /* of the star region */
    double rho_left, rho_right;
    double speed[5]; /* head and tail of the left wave, contact, tail and head of the right wave; a
                        shock has head = tail, a wave of no strength is infinitely far away */
    struct sl_gauss gauss;
};

/* Sets the unit vectors from any normal that is not zero: along an axis the two others follow in
 * cyclic order. */
int sl_tube_aim(struct sl_tube *tube, const double normal[3]);

/* From eos, gamma, cs, left and right to the waves. p of an isothermal gas is ignored. */
int sl_tube_solve(struct sl_tube *tube);

/* The state at x / t = xi (normal frame), and whether that lies right of the contact. */
bool sl_tube_at(const struct sl_tube *tube, double xi, struct sl_tube_state *state);

/* The primitive state whose conserved variables are the exact averages over the cell lo .. hi at
 * time t; scalars are 0 left and 1 right of the contact. */
void sl_tube_average(const struct sl_tube *tube, const double lo[3], const double hi[3], double t,
                     int nscalar, double *prim);

#endif
