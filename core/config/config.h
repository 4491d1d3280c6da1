/* config.h - the values of all keys for one run, made from the table of keys (keys.def and the rows
 * of the problems).
 *
 * Shapes  struct sl_config is plain data of fixed size: it may be copied and sent as bytes
 * Units   base of each key's unit: seconds, bytes, code length; bare numbers otherwise
 * Errors  SL_EINPUT with file:line:column, the text, what is wrong and the nearest valid choice
 * Owns    nothing
 * MPI     local: rank 0 reads and sends the struct (sl_config_bcast in core/config/bcast.h)
 * Where   host
 * Refs    none
 * Tests   tests/unit/config.c, tests/cli/recipe.sh
 */
#ifndef SL_CONFIG_CONFIG_H
#define SL_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cell/refine_rule.h"
#include "core/config/choices.h"
#include "core/config/names.h"
#include "core/sys/pencils.h"

struct sl_config {
#define SL_REAL_KEY(member, path, text, min, max, unit, about) double member;
#define SL_INT_KEY(member, path, text, min, max, unit, about)  int64_t member;
#define SL_BOOL_KEY(member, path, text, about)                 bool member;
#define SL_ENUM_KEY(member, path, text, list, about)           int member;
#define SL_FLAGS_KEY(member, path, text, list, about)          unsigned member;
#define SL_TEXT_KEY(member, path, text, kind, about)           char member[SL_TEXT_MAX];
#define SL_REALS_KEY(member, path, text, count, min, max, unit, about)                             \
    double member[count];                                                                          \
    int member##_n;
#define SL_INTS_KEY(member, path, text, count, min, max, unit, about)                              \
    int64_t member[count];                                                                         \
    int member##_n;
#define SL_ENUMS_KEY(member, path, text, count, list, about)                                       \
    int member[count];                                                                             \
    int member##_n;
#define SL_RULES_KEY(member, path, text, count, list, about)                                       \
    struct sl_refine_rule member[count];                                                           \
    int member##_n;
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
};

/* Every key at its default; keys without a default are empty (0, "", count 0). */
void sl_config_default(struct sl_config *cfg);

/* Reads a resolved run.yaml (nested or dotted keys, no sweep) over the defaults, then the n
 * overrides "key=value", checks every value and the rules that tie keys together (sl_config_check).
 */
int sl_config_read(const char *path, char *const *overrides, int n, struct sl_config *cfg);

/* The same from bytes; name stands for the path in messages. */
int sl_config_parse(const char *name, const char *bytes, size_t size, char *const *overrides, int n,
                    struct sl_config *cfg);

/* Rules that tie keys together: dimensions of lists, blocks that divide cells, periodic pairs,
 * ghost cells, what the problem needs. Fills in what is derived: mesh_block for 0, lists shorter
 * than the dimension, all six boundaries. */
int sl_config_check(struct sl_config *cfg);

/* The stages of a member in their order, whose resources a recipe may tell apart. */
enum sl_config_stage {
    SL_CONFIG_ic,
    SL_CONFIG_sim,
    SL_CONFIG_stats,
    SL_CONFIG_own,
    SL_CONFIG_STAGES
};

/* The values as that stage has them: what resources.ic.*, resources.sim.*, resources.stats.* or
 * resources.own.* give stands in place of resources.*. Stages beyond are those of the campaign,
 * which share one job of one rank and what resources.ensemble.* give. own may be cfg. */
void sl_config_stage(const struct sl_config *cfg, int stage, struct sl_config *own);

/* Number of dimensions: the length of mesh.cells. */
int sl_config_dim(const struct sl_config *cfg);

/* Cells along an axis of the fields that sluice-ic makes: of mesh.cells, or of level ic.level. */
int64_t sl_config_start_cells(const struct sl_config *cfg, int axis);

/* Whether the ranks of a run of a universe can make what it begins with, which is then no finer
 * than its root grid; whether they do: no stage ic, no ic.h5. */
bool sl_config_can_make_start(const struct sl_config *cfg);
bool sl_config_makes_start(const struct sl_config *cfg);
/* That, or whether it begins from the file of another code, ic.file. */
bool sl_config_without_ic(const struct sl_config *cfg);

/* Trees of the forest that holds the blocks (core/sys/depth.h); root gets the blocks of level 0
 * along each axis. 0: the config is wrong about them. */
double sl_config_trees(const struct sl_config *cfg, int root[3]);

/* Whether there is gas: fluid.eos is not none. */
bool sl_config_has_gas(const struct sl_config *cfg);
/* Whether statistics.matter asks for the places of dark matter. */
bool sl_config_measures_particles(const struct sl_config *cfg);
/* Whether the universe expands: time.unit is redshift. */
bool sl_config_expands(const struct sl_config *cfg);
/* Whether nothing is around the gas that attracts itself: what gravity.boundary comes to. */
bool sl_config_isolated(const struct sl_config *cfg);
/* What is around the grid of the potential, and how that is solved for: what gravity.isolated comes
 * to where nothing is. */
enum sl_around sl_config_around(const struct sl_config *cfg);
/* Whether steps are as long as they may be, or so many as time.steps says; these are equal in the
 * growth, or in ln a; parts of the run that its snapshots make. */
bool sl_config_adaptive(const struct sl_config *cfg);
bool sl_config_steps_grow(const struct sl_config *cfg);
int64_t sl_config_parts(const struct sl_config *cfg);
/* Whether its gas is that of a universe: one that expands, or the start of one. */
bool sl_config_of_universe(const struct sl_config *cfg);
/* Whether a code unit is known in CGS. */
bool sl_config_has_units(const struct sl_config *cfg);

/* Whether a recipe asks for a source, as the row SL_SOURCE of its file says. */
bool sl_config_wants(const struct sl_config *cfg, enum sl_source_id source);
/* The keys that ask for it, as the row names them. */
const char *sl_config_source_keys(enum sl_source_id source);
/* Keys of the first source of a recipe other than `but` and `also` (names or NULL); NULL: there is
 * none. Comoving is part of the variables, and balance changes nothing: neither counts. */
const char *sl_config_asked(const struct sl_config *cfg, const char *but, const char *also);

/* Whether the magnetic field of a Riemann problem changes the flow: all do but one along the normal
 * alone, with velocities across that do not jump. */
bool sl_config_riemann_magnetic(const struct sl_config *cfg);

/* Whether the force of driving.* has a mode of an amplitude other than 0. */
bool sl_config_force_has_mode(const struct sl_config *cfg);
/* Whether the region of rule i of mesh.refine, of a shape of SL_REFINE_SHAPE_LIST, reaches into
 * mesh.box. */
bool sl_config_region_in_box(const struct sl_config *cfg, int i);

/* The external potential (core/lists/potential_list.h), none where potential.kind is none. */
struct sl_potential sl_config_potential(const struct sl_config *cfg);

/* Whether a run takes a device where it finds one: resources.backend is cuda, or auto. */
bool sl_config_sim_on_device(const struct sl_config *cfg);

/* Whether statistics take a device where they find one: spectra, structure functions, the power of
 * matter or haloes are asked for, and resources.backend is cuda, or auto and the grid has 2^20
 * cells or more: to start a device takes as long as to measure so many on a core. */
bool sl_config_stats_on_device(const struct sl_config *cfg);

/* Writes all keys as "path: value" lines (exact: numbers with 17 digits) into a buffer made with
 * malloc. */
int sl_config_print(const struct sl_config *cfg, char **text);

/* The same for the keys that may not change at a restart (sl_key_may_change of keys.h), with
 * statistics.in_run: true those of statistics, too: a run without has the lines of a version that
 * measures none. */
int sl_config_print_fixed(const struct sl_config *cfg, char **text);

/* The same for the keys that results depend on (sl_key_is_means): what files of results tell of
 * their recipe, so that their bytes do not depend on failures and on what was changed for the sake
 * of a queue. */
int sl_config_print_results(const struct sl_config *cfg, char **text);

/* Name of value `value` in the list of an enum key, e.g. sl_choice_name("fluid.riemann",
 * cfg->fluid_riemann). */
const char *sl_choice_name(const char *path, int value);

#endif
