/* key_id.h - the number of each key in the table of keys (core/config/keys.h).
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/config.c
 */
#ifndef SL_CONFIG_KEY_ID_H
#define SL_CONFIG_KEY_ID_H

/* SL_KEY_mesh_block ...: index of a key in sl_keys. */
enum sl_key_id {
#define SL_REAL_KEY(member, ...)  SL_KEY_##member,
#define SL_INT_KEY(member, ...)   SL_KEY_##member,
#define SL_BOOL_KEY(member, ...)  SL_KEY_##member,
#define SL_ENUM_KEY(member, ...)  SL_KEY_##member,
#define SL_FLAGS_KEY(member, ...) SL_KEY_##member,
#define SL_TEXT_KEY(member, ...)  SL_KEY_##member,
#define SL_REALS_KEY(member, ...) SL_KEY_##member,
#define SL_INTS_KEY(member, ...)  SL_KEY_##member,
#define SL_ENUMS_KEY(member, ...) SL_KEY_##member,
#define SL_RULES_KEY(member, ...) SL_KEY_##member,
#include "core/config/keys.def"
#include "problem_keys.def" /* generated */
#undef SL_REAL_KEY
#undef SL_INT_KEY
#undef SL_BOOL_KEY
#undef SL_ENUM_KEY
#undef SL_FLAGS_KEY
#undef SL_TEXT_KEY
#undef SL_REALS_KEY
#undef SL_INTS_KEY
#undef SL_ENUMS_KEY
#undef SL_RULES_KEY
    SL_KEY_COUNT
};

#endif
