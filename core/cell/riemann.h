/* riemann.h - fluxes at a face from the states on its two sides: the list of solvers, and one
 * function each. */
#ifndef SL_CELL_RIEMANN_H
#define SL_CELL_RIEMANN_H

#include "core/cell/eos.h"

/* X(name, sentence) */
#define SL_RIEMANN_LIST(X)                                                                         \
    X(llf, "local Lax-Friedrichs (Rusanov 1961): most diffusive, never fails")                     \
    X(hlle, "two waves (Einfeldt 1988)")                                                           \
    X(hllc, "three waves, keeps contacts (Toro, Spruce & Speares 1994)")                           \
    X(roe, "linearised, all waves, HLLE where it would fail (Roe 1981)")

enum sl_riemann {
#define SL_RIEMANN_ENUM(name, about) SL_RIEMANN_##name,
    SL_RIEMANN_LIST(SL_RIEMANN_ENUM)
#undef SL_RIEMANN_ENUM
};

#endif
