/* shock_list.h - the list of what fluid.shocks may be; the functions are in shock.h.
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
#ifndef SL_LISTS_SHOCK_LIST_H
#define SL_LISTS_SHOCK_LIST_H

/* X(name, sentence) */
#define SL_SHOCK_LIST(X)                                                                           \
    X(none, "the scheme as it was published, also in shocks")                                      \
    X(limit,                                                                                       \
      "no slopes in cells of strong shocks that hardly move across the mesh and where streams "    \
      "collide; solvers exchange transverse momentum in shocks")                                   \
    X(flatten,                                                                                     \
      "limit, and ppm and wenoz are flattened in every strong shock (Colella & Woodward 1984)")

enum sl_shock {
#define SL_SHOCK_ENUM(name, about) SL_SHOCK_##name,
    SL_SHOCK_LIST(SL_SHOCK_ENUM)
#undef SL_SHOCK_ENUM
};

#endif
