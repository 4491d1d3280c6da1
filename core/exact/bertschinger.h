/* bertschinger.h - gas that falls onto a point-like overdensity in an Einstein-de Sitter universe,
 * the self-similar flow of Bertschinger (1985).
 *
 * lambda = r / r_ta is the radius over that of the shell that turns around now, r_ta ~ t^(8/9); the
 * velocity is r_ta / t V, the density rho_H D, the pressure rho_H (r_ta / t)^2 P, the mass within
 * the radius 4 pi / 3 rho_H r_ta^3 M, with the mean density rho_H = 1 / (6 pi G t^2). Outside of
 * the shock cold shells move as parts of closed universes. Inside, the integrals of mass, M = 9/2
 * lambda^2 D (8/9 lambda - V), and entropy, P = K D^gamma M^(3 gamma - 10/3), leave two equations
 * for V and M; the shock stands where no mass is left in the centre.
 *
 * Below lambda of SL_BERTSCHINGER_LEAST the laws of the centre go on: D ~ lambda^(-9/4), P ~
 * lambda^(-5/2), M ~ lambda^(3/4), V ~ lambda^2.
 *
 * Shapes  none
 * Units   see above
 * Errors  SL_EMEM; SL_EINPUT for a gamma without such a flow
 * Owns    what new makes, freed by free
 * MPI     local
 * Where   host
 * Refs    Bertschinger 1985, sections 2 and 3
 * Tests   tests/unit/bertschinger.c
 */
#ifndef SL_EXACT_BERTSCHINGER_H
#define SL_EXACT_BERTSCHINGER_H

#define SL_BERTSCHINGER_LEAST 4e-3
#define SL_BERTSCHINGER_MOST  1e3 /* from here on nothing has happened yet */

struct sl_bertschinger_point {
    double v, rho, p, m;
};

struct sl_bertschinger;

int sl_bertschinger_new(double gamma, struct sl_bertschinger **out);

/* lambda of the shock. */
double sl_bertschinger_shock(const struct sl_bertschinger *b);

/* At lambda > 0. */
struct sl_bertschinger_point sl_bertschinger_at(const struct sl_bertschinger *b, double lambda);

#endif
