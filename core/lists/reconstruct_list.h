/* reconstruct_list.h - the lists of methods of reconstruction and of their limiters, whose
 * functions are in reconstruct.h.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/cell.c
 */
#ifndef SL_LISTS_RECONSTRUCT_LIST_H
#define SL_LISTS_RECONSTRUCT_LIST_H

/* X(name, ghost cells, device, sentence)
 * device  what it costs there: light, about as much as plm, or heavy, a kernel that needs more
 *         registers than it can have (pipeline/plan/plan.c) */
#define SL_RECONSTRUCT_LIST(X)                                                                     \
    X(constant, 1, light, "first order: the cell average (Godunov 1959)")                          \
    X(plm, 2, light, "piecewise linear, second order (van Leer 1979)")                             \
    X(ppm, 3, heavy, "piecewise parabolic, keeps smooth extrema (Colella & Sekora 2008)")          \
    X(wenoz, 3, heavy, "weighted essentially non-oscillatory, fifth order (Borges et al. 2008)")

/* X(name, sentence): slopes of plm */
#define SL_LIMITER_LIST(X)                                                                         \
    X(minmod, "generalised minmod with parameter fluid.theta in [1, 2]")                           \
    X(vanleer, "harmonic mean (van Leer 1974)")                                                    \
    X(mc, "monotonised central (van Leer 1977)")

enum sl_reconstruct {
#define SL_RECONSTRUCT_ENUM(name, ...) SL_RECONSTRUCT_##name,
    SL_RECONSTRUCT_LIST(SL_RECONSTRUCT_ENUM)
#undef SL_RECONSTRUCT_ENUM
};
enum sl_limiter {
#define SL_LIMITER_ENUM(name, about) SL_LIMITER_##name,
    SL_LIMITER_LIST(SL_LIMITER_ENUM)
#undef SL_LIMITER_ENUM
};

#endif
