/* mhd_list.h - the list of what may be done about a magnetic field.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Dedner et al. 2002; Gardiner & Stone 2005
 * Tests   tests/unit/mhd.c, tests/law/ct.c
 */
#ifndef SL_CELL_MHD_LIST_H
#define SL_CELL_MHD_LIST_H

/* X(name, sentence) */
#define SL_MHD_LIST(X)                                                                             \
    X(none, "no magnetic field")                                                                   \
    X(glm, "ideal MHD; div B is carried away and damped (Dedner et al. 2002)")                     \
    X(ct, "ideal MHD; div B stays zero: the field lives on cell faces (Gardiner & Stone 2005)")

enum sl_mhd {
#define SL_MHD_ENUM(name, about) SL_MHD_##name,
    SL_MHD_LIST(SL_MHD_ENUM)
#undef SL_MHD_ENUM
};

#endif
