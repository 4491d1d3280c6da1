/* riemann_list.h - the list of Riemann solvers, whose functions are in riemann.h and mhd.h.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    those of riemann.h and mhd.h
 * Tests   tests/unit/cell.c, tests/law/solver_list.sh
 */
#ifndef SL_LISTS_RIEMANN_LIST_H
#define SL_LISTS_RIEMANN_LIST_H

/* X(name, physics, other, needs, device, sentence)
 * physics  gas, a fluid without a magnetic field (functions sl_riemann_<name> in riemann.h); mhd, a
 *          fluid with one (sl_mhd_<name> in mhd.h); both
 * other    the solver to take for the physics that this one does not know
 * needs    what the solver takes of a face besides the two states and the speeds of the outer
 *          waves: SL_NEEDS_ below. `states` is right for every solver that leaves gas->compression
 *          alone
 * device   what it costs there: light, about as much as plm with hllc, or heavy, a kernel that
 *          needs more registers than it can have (pipeline/plan/plan.c)
 * Devices compute every solver of this list; gpu/kernels.def has kernels that are faster for
 * some. */
#define SL_RIEMANN_LIST(X)                                                                         \
    X(llf, both, llf, states, light,                                                               \
      "local Lax-Friedrichs (Rusanov 1961): most diffusive, never fails")                          \
    X(hlle, both, hlle, waves, light, "two waves (Einfeldt 1988)")                                 \
    X(hllc, gas, hlld, waves, light, "three waves, keeps contacts (Toro, Spruce & Speares 1994)")  \
    X(roe, both, roe, states, heavy,                                                               \
      "linearised, all waves, HLLE in shocks and where it would fail (Roe 1981)")                  \
    X(hlld, mhd, hllc, states, light,                                                              \
      "five waves of MHD, keeps contacts and rotations (Miyoshi & Kusano 2005)")                   \
    X(lhllc, gas, lhlld, waves_compression, heavy,                                                 \
      "hllc without carbuncles, sharp in slow flows (Minoshima & Miyoshi 2021); "                  \
      "of an isothermal gas the same as hllc")                                                     \
    X(lhlld, mhd, lhllc, compression, heavy,                                                       \
      "hlld without carbuncles, sharp in slow flows (Minoshima & Miyoshi 2021); "                  \
      "of an isothermal gas the same as hlld")

/* Bits of `physics`. */
enum { SL_PHYSICS_gas = 1, SL_PHYSICS_mhd = 2, SL_PHYSICS_both = 3 };

/* Bits of `needs`. waves: the solver uses no averages of the two states but the speeds of the outer
 * waves, so that a loop over faces may compute all speeds first and the fluxes after, which halves
 * the chain of roots and divisions that one face waits for (gas only). compression: the solver
 * looks at gas->compression, for which two more cells at each side of a face are read. */
enum {
    SL_NEEDS_states = 0,
    SL_NEEDS_waves = 1,
    SL_NEEDS_compression = 2,
    SL_NEEDS_waves_compression = 3
};

enum sl_riemann {
#define SL_RIEMANN_ENUM(name, ...) SL_RIEMANN_##name,
    SL_RIEMANN_LIST(SL_RIEMANN_ENUM)
#undef SL_RIEMANN_ENUM
};

/* What fluid.riemann takes: the solvers, and auto, in whose place a resolved recipe has one of
 * them. */
#define SL_RIEMANN_KEY_LIST(X)                                                                     \
    SL_RIEMANN_LIST(X)                                                                             \
    X(auto, both, auto, states, light, "hllc without a magnetic field, hlld with one")
#define SL_RIEMANN_COUNT(name, ...) +1
enum { SL_RIEMANN_auto = 0 SL_RIEMANN_LIST(SL_RIEMANN_COUNT) };
#undef SL_RIEMANN_COUNT

#endif
