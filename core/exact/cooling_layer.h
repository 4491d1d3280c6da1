/* cooling_layer.h - the steady flow through a radiative shock: gas runs into the shock, is heated
 * by its jump, and cools behind it by rho^2 Lambda of energy per volume and time, Lambda a power
 * law of T = p / rho, back to the temperature that it had ahead, below which nothing cools.
 * Distances d are those from the shock, downstream. Behind a weak shock, where gamma times the
 * square of the Mach number of the gas there is above 1, the temperature rises at first, as in
 * every flow that loses energy near its sound.
 *
 * Mass and momentum flow alike everywhere, m = rho u and P = m u + p, so that the state follows
 * from the velocity, and
 *
 *   d/dx (gamma / (gamma - 1) u (P - m u) + m u^2 / 2) = -rho^2 Lambda(T),  T = u (P - m u) / m
 *
 * is an integral d(u), which is taken by quadrature.
 *
 * The flow is stable for slopes of Lambda above some 0.8; below, overtones of the oscillation grow,
 * below 0.4 the fundamental mode, too (Chevalier & Imamura 1982, for strong shocks in one dimension
 * before a wall of cold gas; weaker ones are more stable, Pittard et al. 2005).
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EINPUT where gas ahead is no gas or slower than sound, or cools in no time or never
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Chevalier & Imamura 1982; Pittard et al. 2005; Landau & Lifshitz 1987, sections 89 and 97
 * Tests   tests/unit/exact.c
 */
#ifndef SL_EXACT_COOLING_LAYER_H
#define SL_EXACT_COOLING_LAYER_H

#include "core/exact/gauss.h"

enum { SL_COOLING_LAYER_PANELS = 128 };

struct sl_cooling_layer {
    double gamma;
    double rho, u, temperature; /* of the gas ahead */
    double rate, slope, unit;   /* Lambda = rate (T / unit)^slope */

    /* the rest is what sl_cooling_layer_solve finds */
    double mass, push; /* m and P */
    double behind;     /* temperature right behind the shock */
    /* velocities, from that behind the shock to the last */
    double panel[SL_COOLING_LAYER_PANELS + 1];
    /* integrals from the shock to there: of 1, rho and u along d */
    double sum[SL_COOLING_LAYER_PANELS + 1][3];
    struct sl_gauss gauss;
};

int sl_cooling_layer_solve(struct sl_cooling_layer *layer);

/* Velocity at a distance; at 0 and below that of the gas ahead. */
double sl_cooling_layer_velocity(const struct sl_cooling_layer *layer, double d);

/* Where gas has cooled to a temperature from that ahead of the shock to that behind it. */
double sl_cooling_layer_distance(const struct sl_cooling_layer *layer, double temperature);

/* Density, velocity and pressure whose conserved variables are the exact averages over from < d <
 * to. */
void sl_cooling_layer_average(const struct sl_cooling_layer *layer, double from, double to,
                              double out[3]);

#endif
