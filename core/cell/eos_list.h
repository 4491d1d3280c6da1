/* eos_list.h - the list of equations of state.
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
#ifndef SL_CELL_EOS_LIST_H
#define SL_CELL_EOS_LIST_H

/* X(name, sentence) */
#define SL_EOS_LIST(X)                                                                             \
    X(ideal, "ideal gas, p = (gamma - 1) e")                                                       \
    X(isothermal, "p = rho cs^2, no energy equation")                                              \
    X(none, "no gas: particles of dark matter alone")

enum sl_eos {
#define SL_EOS_ENUM(name, about) SL_EOS_##name,
    SL_EOS_LIST(SL_EOS_ENUM)
#undef SL_EOS_ENUM
};

#endif
