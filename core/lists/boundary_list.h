/* boundary_list.h - the list of conditions at the faces of the box.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    none
 * Tests   tests/law/symmetry.c, tests/law/conservation.c
 */
#ifndef SL_LISTS_BOUNDARY_LIST_H
#define SL_LISTS_BOUNDARY_LIST_H

/* X(name, sentence) */
#define SL_BOUNDARY_LIST(X)                                                                        \
    X(periodic, "the box repeats; both faces of an axis must be periodic")                         \
    X(outflow, "copies of the nearest cell")                                                       \
    X(reflecting,                                                                                  \
      "wall of a run without a magnetic field: mirror image, the velocity across it changes sign") \
    X(conducting,                                                                                  \
      "perfectly conducting wall: as reflecting, and the magnetic field across it changes sign "   \
      "(it is 0 at the wall), the field along it and psi do not; reflective of PLUTO")             \
    X(symmetric,                                                                                   \
      "wall that the magnetic field meets at right angles (pseudo-vacuum): as reflecting, and "    \
      "the "                                                                                       \
      "field along it and psi change sign, the field across it does not; eqtsymmetric of PLUTO")   \
    X(fixed, "the state that the problem prescribes at that place and time")

enum sl_boundary {
#define SL_BOUNDARY_ENUM(name, about) SL_BOUNDARY_##name,
    SL_BOUNDARY_LIST(SL_BOUNDARY_ENUM)
#undef SL_BOUNDARY_ENUM
};

/* Whether the gas bounces off: ghost cells are a mirror image. */
static inline int sl_boundary_is_wall(enum sl_boundary boundary)
{
    return boundary == SL_BOUNDARY_reflecting || boundary == SL_BOUNDARY_conducting ||
           boundary == SL_BOUNDARY_symmetric;
}

#endif
