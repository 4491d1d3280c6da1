/* rules.h - keys that are lists of rules, each a mapping {by: NAME, PARAMETER: value ...}, as
 * mesh.refine. Which parameters a criterion takes, and what they are, stands in the lists of
 * core/lists/refine_list.h.
 *
 * Shapes  none
 * Units   numbers are in the base of the parameter's unit
 * Errors  SL_EINPUT with file:line:column, what is wrong and the nearest valid name
 * Owns    static tables
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/config.c, tests/cli/recipe.sh
 */
#ifndef SL_CONFIG_RULES_H
#define SL_CONFIG_RULES_H

#include "core/cell/refine_rule.h"
#include "core/config/inputs.h"

/* A parameter as a key of its own: its path is its name alone, count how many numbers it has (1
 * where it is a choice). i counts from 0; NULL after the last. */
const struct sl_key *sl_rules_parameter(int i);

/* Whether rules of criterion `by` take parameter i. */
bool sl_rules_takes(int by, int i);

/* "of, above (0.8), below (0.2), filter (0.01), level": what a criterion takes, with defaults. */
const char *sl_rules_text(int by, char *out, size_t size);

/* The rules of a node, a list or one rule, into rule[key->count]. */
int sl_rules_read(struct sl_resolver *r, const struct sl_key *key, const struct sl_node *node,
                  struct sl_refine_rule *rule, int *n);

/* Prints rules as sl_key_print does. */
size_t sl_rules_print(const struct sl_refine_rule *rule, int n, char *out, size_t size);

#endif
