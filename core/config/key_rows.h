/* key_rows.h - rows of keys in the files of problems and sources: the Makefile collects them for
 * the table of keys (keys.def has their form), in the file itself they expand to nothing.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/recipe.sh
 */
#ifndef SL_CONFIG_KEY_ROWS_H
#define SL_CONFIG_KEY_ROWS_H

#define SL_REAL_KEY(...)
#define SL_INT_KEY(...)
#define SL_BOOL_KEY(...)
#define SL_ENUM_KEY(...)
#define SL_TEXT_KEY(...)
#define SL_REALS_KEY(...)
#define SL_INTS_KEY(...)
#define SL_FLAGS_KEY(...)
#define SL_ENUMS_KEY(...)
#define SL_RULES_KEY(...)

#endif
