/* backend_list.h - the list of backends (core/step/backend.h).
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/law/device.sh
 */
#ifndef SL_SYS_BACKEND_LIST_H
#define SL_SYS_BACKEND_LIST_H

/* X(name, sentence) */
#define SL_BACKEND_LIST(X)                                                                         \
    X(auto, "cuda where the program has it and finds a device on every rank, else cpu")            \
    X(cpu, "the processor")                                                                        \
    X(cuda, "an NVIDIA device per rank; ranks of a node share its devices")

enum sl_backend_choice {
#define SL_BACKEND_ENUM(name, about) SL_BACKEND_##name,
    SL_BACKEND_LIST(SL_BACKEND_ENUM)
#undef SL_BACKEND_ENUM
};

#endif
