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
#ifndef SL_LISTS_MHD_LIST_H
#define SL_LISTS_MHD_LIST_H

/* X(name, with, sentence); with: what it works with, in the words of core/config/config_with.c */
#define SL_MHD_LIST(X)                                                                             \
    X(none, all, "no magnetic field")                                                              \
    X(glm, all, "ideal MHD; div B is carried away and damped (Dedner et al. 2002)")                \
    X(ct, all, "ideal MHD; div B stays zero: the field lives on cell faces (Gardiner & Stone 2005)")

enum sl_mhd {
#define SL_MHD_ENUM(name, ...) SL_MHD_##name,
    SL_MHD_LIST(SL_MHD_ENUM)
#undef SL_MHD_ENUM
};

#endif
