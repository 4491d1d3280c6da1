/* names.h - the problems and source terms that there are, by number: those that the Makefile finds
 * in core/problem and core/source.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/generate.sh, tests/unit/config.c
 */
#ifndef SL_CONFIG_NAMES_H
#define SL_CONFIG_NAMES_H

/* generated: SL_PROBLEM_NAMES(X), X(name, needs ic, sentence); SL_SOURCE_NAMES(X), X(name, keys,
 * whether cfg asks for it); the lists of choices of their keys */
#include "problem_names.h"

enum sl_problem_name {
#define SL_PROBLEM_ENUM(name, ...) SL_PROBLEM_##name,
    SL_PROBLEM_NAMES(SL_PROBLEM_ENUM)
#undef SL_PROBLEM_ENUM
};

enum sl_source_id {
#define SL_SOURCE_ID(name, ...) SL_SOURCE_##name,
    SL_SOURCE_NAMES(SL_SOURCE_ID)
#undef SL_SOURCE_ID
        SL_SOURCE_COUNT
};

#endif
