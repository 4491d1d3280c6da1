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
#ifndef SL_LISTS_BACKEND_LIST_H
#define SL_LISTS_BACKEND_LIST_H

/* X(name, sentence) */
#define SL_BACKEND_LIST(X)                                                                         \
    X(auto, "cuda if sluice was built with it and every rank finds a GPU, else cpu")               \
    X(cpu, "the processor")                                                                        \
    X(cuda, "an NVIDIA GPU for each rank; ranks of a node divide its GPUs among them")

enum sl_backend_choice {
#define SL_BACKEND_ENUM(name, about) SL_BACKEND_##name,
    SL_BACKEND_LIST(SL_BACKEND_ENUM)
#undef SL_BACKEND_ENUM
};

#endif
