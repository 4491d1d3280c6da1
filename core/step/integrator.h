/* integrator.h - the list of time integrators: strong stability preserving Runge-Kutta (Shu & Osher
 * 1988), van Leer's predictor and corrector (Stone & Gardiner 2009). */
#ifndef SL_STEP_INTEGRATOR_H
#define SL_STEP_INTEGRATOR_H

/* X(name, stages, sentence) */
#define SL_INTEGRATOR_LIST(X)                                                                      \
    X(rk2, 2, "second order, two stages (Heun)")                                                   \
    X(rk3, 3, "third order, three stages")                                                         \
    X(vl2, 2, "second order: half a step of first order, then a whole one (van Leer)")

enum sl_integrator {
#define SL_INTEGRATOR_ENUM(name, stages, about) SL_INTEGRATOR_##name,
    SL_INTEGRATOR_LIST(SL_INTEGRATOR_ENUM)
#undef SL_INTEGRATOR_ENUM
};

#endif
