/* expr.h - the value of an arithmetic expression such as "2 / turbulence.mach" or "10 min".
 *
 *   + - * / ^ ( )   sqrt abs floor ceil exp log  min max (two or more)   pi   names of keys
 *
 * ^ binds to the right and closer than a sign before it: -2^2 is -4. A number may carry a unit:
 * "10 min", "2h", "500 Mpc". Numbers are decimal; nan, inf, hexadecimal, leading zeros and
 * underscores are refused, since readers of YAML differ on them.
 *
 * Shapes  none
 * Units   of the key that takes the value
 * Errors  SL_EINPUT with file:line:column of the part that is wrong
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/expr.c, tests/fuzz/recipe.c
 */
#ifndef SL_CONFIG_EXPR_H
#define SL_CONFIG_EXPR_H

#include "core/sys/text.h"
#include "core/sys/units.h"

struct sl_expr {
    const char *what;  /* the key, for messages */
    enum sl_unit unit; /* of the key */
    bool whole;        /* the value must be a whole number */
    /* Value of the name at that place; NULL: names are not allowed here. */
    int (*name)(void *data, const char *name, struct sl_mark at, double *value);
    void *data;
};

int sl_expr_value(const char *text, struct sl_mark at, const struct sl_expr *how, double *value);

#endif
