/* integrator_list.h - the list of time integrators.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    Shu & Osher 1988 (strong stability preserving Runge-Kutta); Stone & Gardiner 2009 (van
 *         Leer's predictor and corrector); Colella 1990 (corner transport upwind); Strang 1968
 *         (sweeps along one axis after the other)
 * Tests   tests/law/symmetry.c, tests/law/ctu.c, tests/law/tvd.c
 */
#ifndef SL_LISTS_INTEGRATOR_LIST_H
#define SL_LISTS_INTEGRATOR_LIST_H

/* X(name, stages, device, with, sentence)
 * stages  0: a sweep along each axis, and the same in reverse order
 * device  what it costs there: light, about as much as rk2, or heavy, with passes over the state
 *         for each axis (pipeline/plan/plan.c)
 * with    what it works with, in the words of core/config/config_with.c */
#define SL_INTEGRATOR_LIST(X)                                                                      \
    X(rk2, 2, light, all, "second order, two stages (Heun)")                                       \
    X(rk3, 3, light, all, "third order, three stages")                                             \
    X(vl2, 2, light, all,                                                                          \
      "second order: half a step, of first order but with ppm, wenoz and time.unit: redshift, "    \
      "then a whole one (van Leer)")                                                               \
    X(ctu, 1, heavy, all & ~(levels | glm | volume),                                               \
      "second order: corner transport upwind, in 1D and 2D, without or with ct (Colella)")         \
    X(tvd, 0, heavy, all & ~field,                                                                 \
      "relaxing TVD with van Leer's limiter (Trac & Pen 2003): sweeps x y z, then z y x, each of " \
      "fluid.cfl, up to 0.8; fluid.reconstruct and fluid.riemann are not used, no fluid.mhd")

enum sl_integrator {
#define SL_INTEGRATOR_ENUM(name, ...) SL_INTEGRATOR_##name,
    SL_INTEGRATOR_LIST(SL_INTEGRATOR_ENUM)
#undef SL_INTEGRATOR_ENUM
};

/* Ghost cells that ctu needs where the values at faces need `faces`: one more, and three with a
 * field at faces, whose difference over the second ghost cell is part of what moves its values. */
static inline int sl_ctu_ghosts(int faces, int staggered)
{
    return staggered && faces < 2 ? 3 : faces + 1;
}

#endif
