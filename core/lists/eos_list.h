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
#ifndef SL_LISTS_EOS_LIST_H
#define SL_LISTS_EOS_LIST_H

/* X(name, with, sentence); with: what it works with, in the words of core/config/config_with.c */
#define SL_EOS_LIST(X)                                                                             \
    X(ideal, all, "ideal gas, p = (gamma - 1) e")                                                  \
    X(isothermal, all & ~expansion, "p = rho cs^2, no energy equation")                            \
    X(none, all, "no gas: particles of dark matter alone")

enum sl_eos {
#define SL_EOS_ENUM(name, ...) SL_EOS_##name,
    SL_EOS_LIST(SL_EOS_ENUM)
#undef SL_EOS_ENUM
};

#endif
