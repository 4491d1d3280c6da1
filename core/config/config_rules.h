/* config_rules.h - the rules that tie keys together, by their subject: one file each, for
 * config_rules.c alone, which calls them in their order.
 *
 * A check fills in what the recipe leaves to it and says what is wrong. All rules are looked at, so
 * that all that is wrong is reported at once; a key has one line at most.
 *
 * Shapes  in: NULL, or the places of keys; cfg: resolved, what stands in the way of that set aside
 * Units   those of struct sl_config
 * Errors  SL_EINPUT with the place of the key, what is wrong and the nearest valid choice
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/config.c, tests/cli/recipe.sh, tests/law/added.sh
 */
#ifndef SL_CONFIG_CONFIG_RULES_H
#define SL_CONFIG_CONFIG_RULES_H

#include <stdbool.h>
#include <stdio.h>

#include "core/config/config.h"
#include "core/config/inputs.h"

/* ---- faults ---- */

/* Has this key a line among the faults? */
bool sl_config_reported(const struct sl_inputs *in, int key);

/* Where a message about a key points: its place when it was given, else only its name. */
int sl_config_wrong(const struct sl_inputs *in, int key, const char *text);
/* The same, but a key that was not given stands for the problem that asks for it. */
int sl_config_refused(const struct sl_inputs *in, int key, const char *text);
/* Said of rule i of mesh.refine: at its place where it was given. */
int sl_config_wrong_rule(const struct sl_inputs *in, int i, const char *text);

#define SL_WRONG(in, member, ...)                                                                  \
    do {                                                                                           \
        char text_[400];                                                                           \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                                \
        return sl_config_wrong((in), SL_KEY_##member, text_);                                      \
    } while (0)

#define SL_WRONG_RULE(in, i, ...)                                                                  \
    do {                                                                                           \
        char text_[400];                                                                           \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                                \
        return sl_config_wrong_rule((in), (i), text_);                                             \
    } while (0)

/* The rest is looked at, too. */
#define SL_RULED(in, call) SL_TRY(sl_fault_keep((in), call))

/* ---- words of rules ---- */

static const char sl_config_axis[] = "xyz";

/* Whether all faces of the box are periodic. */
bool sl_config_periodic(const struct sl_config *cfg);
/* Ghost cells that values at faces need. */
int sl_config_face_ghosts(const struct sl_config *cfg);

/* ---- the rules ---- */

int sl_config_check_mesh(const struct sl_inputs *in, struct sl_config *cfg);
int sl_config_check_boundary(const struct sl_inputs *in, struct sl_config *cfg);
int sl_config_check_levels(const struct sl_inputs *in, struct sl_config *cfg);
/* What does not go without gas, and what follows from there being none. */
int sl_config_check_alone(const struct sl_inputs *in, struct sl_config *cfg);
int sl_config_check_gas(const struct sl_inputs *in, struct sl_config *cfg);
/* What works with what: sources and schemes with levels, an expanding universe and so on. */
int sl_config_check_with(const struct sl_inputs *in, const struct sl_config *cfg);
int sl_config_check_universe(const struct sl_inputs *in, const struct sl_config *cfg);
int sl_config_check_means(const struct sl_inputs *in, const struct sl_config *cfg);
/* A number of steps (time.steps). */
int sl_config_check_steps(const struct sl_inputs *in, const struct sl_config *cfg);
int sl_config_check_statistics(const struct sl_inputs *in, struct sl_config *cfg);
/* What sources and problems ask for in the rows of their files. */
int sl_config_check_sources(const struct sl_inputs *in, const struct sl_config *cfg);
int sl_config_check_problem(const struct sl_inputs *in, const struct sl_config *cfg);

#endif
