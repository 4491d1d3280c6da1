/* boundary.h - the list of conditions at the faces of the box.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/law/symmetry.c, tests/law/conservation.c
 */
#ifndef SL_MESH_BOUNDARY_H
#define SL_MESH_BOUNDARY_H

/* X(name, sentence) */
#define SL_BOUNDARY_LIST(X)                                                                        \
    X(periodic, "the box repeats; both faces of an axis must be periodic")                         \
    X(outflow, "copies of the nearest cell")                                                       \
    X(reflecting, "mirror image, the velocity across the face changes sign")                       \
    X(fixed, "the state that the problem prescribes at that place and time")

enum sl_boundary {
#define SL_BOUNDARY_ENUM(name, about) SL_BOUNDARY_##name,
    SL_BOUNDARY_LIST(SL_BOUNDARY_ENUM)
#undef SL_BOUNDARY_ENUM
};

#endif
