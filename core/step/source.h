/* source.h - what a source term is: one file of core/source that defines `const struct sl_source
 * sl_source_<file>`.
 *
 * The Makefile finds sources by their file names. As with problems (core/state/problem.h), the
 * first lines of the file after its head say what it is, its rows for the table of keys, its lists
 * of choices and what it asks of the recipe:
 *
 *   SL_SOURCE(cooling, "cooling.*", cfg->cooling_rate > 0)
 *   SL_SOURCE_WORDS(cooling, "The gas cools (Townsend 2009).")
 *   SL_SOURCE_COST(cooling, 1, 0, INFINITY)
 *   SL_SOURCE_WITH(cooling, all & ~expansion)
 *   SL_REAL_KEY(cooling_rate, "cooling.rate", "0", 0, 1e30, none, "0: no cooling")
 *   SL_RULE_SOURCE(cfg->cooling_rate > 0, fluid_eos, cfg->fluid_eos == SL_EOS_ideal, "cooling needs
 *   an ideal gas")
 *
 * SL_SOURCE: name of the file, keys that ask for it, as messages name them, and whether cfg does:
 * what a run makes, what `verify` refuses and what a plan reckons with is asked there.
 * SL_SOURCE_WORDS: what the methods paragraph of a report says of a run with it, a sentence or more
 * that names whose it is; the value of a key stands where {its.path} does, and
 * [its.path:words] stand where it is above zero.
 * SL_SOURCE_COST: what a plan reckons with (pipeline/plan/plan.c): time of a step over that of the
 * gas alone; bytes that a rank of `cells` cells holds besides; the longest step in code units. They
 * are expressions of cfg and of root[3], the cells of the root grid, ranks, dt, a step of the gas
 * on the root grid, real, the bytes of a number, device, whether one computes, and passes, over
 * all cells at each step of the finest level, in updates of the run.
 * SL_SOURCE_WITH: what it works with, in the words of core/config/config_with.c, which refuses the
 * rest with the key that asks for the source.
 * SL_RULE_SOURCE: when the rule applies, member of the key to point at, what holds of cfg when all
 * is well, text and its arguments.
 *
 * A step of the fluid stands between the sources at its begin and at its end, each for half the
 * step (Strang 1968), so that any integrator can be used and the order stays second. Sources open
 * in the order of `place` and close in the reverse.
 *
 * A linear source can be taken back: a step that is tried again with another dt calls open again,
 * which replaces the opening of before, and dt = 0 takes it back, but for rounding. One that is
 * not linear has `advance` instead of open. It is called for the first half of a step, and after
 * the step for what is missing up to the new time: a step that turns out shorter than it was tried
 * leaves less to do after it, or nothing, and no state is ever taken back. A step is only tried
 * again with a shorter dt, so advance is called twice between two calls of close at most. Its
 * close, if it has one, comes last, once in each step.
 *
 * On levels that is a step of the root grid. A source may also go with the steps of each level: its
 * open_level is called before each of them, and its meet once a level has reached the time of all
 * finer ones between two steps of its own; at the ends of steps of the root grid, when all levels
 * meet, close stands for it. open with dt = 0 then takes back what open_level did.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  SL_EINPUT for a recipe that makes no sense, SL_EMEM, SL_EMPI
 * Owns    data is made by make, freed by free
 * MPI     collective over mesh->comm unless a function says local
 * Where   host calls; the state is where the backend has it
 * Refs    Strang 1968
 * Tests   tests/law/added.sh, tests/law/drive.c, tests/law/self_gravity.c, tests/law/cooling.c
 */
#ifndef SL_STEP_SOURCE_H
#define SL_STEP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/config/config.h"
#include "core/config/key_rows.h"
#include "core/state/state.h"

/* Rows that the Makefile collects; nothing here. */
#define SL_SOURCE(...)
#define SL_RULE_SOURCE(...)
#define SL_SOURCE_WORDS(...)
#define SL_SOURCE_COST(...)
#define SL_SOURCE_WITH(...)
#define SL_SOURCE_BODY(...)

struct sl_sim;

enum { SL_SOURCE_COLUMNS = 8, SL_SOURCE_REMARK = 700 };
#define SL_SOURCE_REGRID "a regrid"

struct sl_source {
    const char *no_device; /* why no device can run it; NULL: one can */
    int place;             /* sources with a smaller one open earlier and close later */
    bool fetches;     /* measure brings the state to the host: no output may read it meanwhile */
    bool resets_step; /* it may make signals faster than the step saw: dt is set anew after close */
    /* sim->state.mesh and the time unit are there. Every member from here on may be NULL. */
    /* local; why no device here can run it, NULL: one can */
    const char *(*lacks)(const struct sl_config *cfg);
    int (*make)(struct sl_sim *sim, void **data);
    void (*free)(void *data); /* local; of NULL, too */
    /* Begins at the present state and time. */
    int (*start)(struct sl_sim *sim, void *data);
    /* Of the state at the start, a sentence that a user should know; "" there: none. */
    int (*remark)(struct sl_sim *sim, void *data, char text[SL_SOURCE_REMARK]);
    /* local. The state was replaced by that of a checkpoint; after load. */
    void (*forget)(void *data);
    int (*open)(struct sl_sim *sim, void *data, double dt);
    int (*close)(struct sl_sim *sim, void *data, double dt);
    int (*advance)(struct sl_sim *sim, void *data, double dt);
    /* sim: a level. Covered blocks of it and of finer ones are then those that cover makes. */
    int (*open_level)(struct sl_sim *sim, void *data, double dt);
    int (*meet)(struct sl_sim *sim, void *data);
    /* The levels have changed since the last close: what was summed over leaves is of others. */
    int (*remesh)(struct sl_sim *sim, void *data);
    /* The energy of the gas is what it was when this was called last, and what `to` gave to it: a
     * source by its name, or SL_SOURCE_REGRID. to is NULL where such a thing is about to act. */
    int (*account)(struct sl_sim *sim, void *data, const char *to);
    /* local. dt, shortened where the source needs it. */
    double (*limit)(const struct sl_sim *sim, const void *data, double dt);
    /* Columns of the history; the list ends with a name of NULL. measure: their values for the
     * present state. */
    struct sl_component_column column[SL_SOURCE_COLUMNS + 1];
    int (*measure)(const struct sl_sim *sim, void *data, double *out);
    /* What fields of snapshots show of it (core/state/field.h): sets members of the states of all
     * levels to what it keeps of the present ones until the next call. */
    int (*show)(struct sl_sim *sim, void *data);
    /* local. State for a checkpoint: size numbers. */
    size_t (*size)(const void *data);
    void (*save)(const void *data, double *state);
    void (*load)(struct sl_sim *sim, void *data, const double *state);
    /* local. What it has in blocks; a part without a name is none. */
    void (*part)(void *data, struct sl_block_part *out);
};

/* All sources, in the order of enum sl_source_id (names.h); the table ends with NULL. */
extern const struct sl_source *const sl_sources[];

/* ---- those of a run ---- */

struct sl_source_use {
    const char *name;
    const struct sl_source *row;
    void *data;   /* owned through row->free */
    double ahead; /* how far advance is ahead of sim->state.time */
    double spent; /* wall time in steps and regrids of this rank since it was made, in seconds: of
                     all calls but for start, limit, measure and show. On a device calls return
                     before their kernels end: what a source starts last counts for whoever waits
                     next */
};
struct sl_sources {
    int n;
    struct sl_source_use use[SL_SOURCE_COUNT]; /* in the order in which they open */
};

/* Makes those that the recipe asks for, and the component that they are of the state. */
int sl_sources_new(struct sl_sim *sim, struct sl_sources **out);
void sl_sources_free(struct sl_sources *s);

int sl_sources_start(struct sl_sim *sim);
/* Calls each() on rank 0 with what sources remark on the state at the start. */
int sl_sources_remark(struct sl_sim *sim, void (*each)(const char *text, void *user), void *user);
/* Before each trial of a step of dt; 0: the step is given up. */
int sl_sources_open(struct sl_sim *sim, double dt);
/* After a step of dt that was accepted; sim->state.time is the new one. */
int sl_sources_close(struct sl_sim *sim, double dt);
/* sim: a level. Before each of its steps; between two of them, when all finer levels have its time
 * and no coarser one has. */
int sl_sources_open_level(struct sl_sim *sim, double dt);
int sl_sources_meet(struct sl_sim *sim);
/* After a regrid that changed the levels, between close and open. */
int sl_sources_remesh(struct sl_sim *sim);
/* Before and after what is no source but may give energy: struct sl_source's account. */
int sl_sources_account(struct sl_sim *sim, const char *to);
double sl_sources_limit(const struct sl_sim *sim, double dt); /* local */

/* Values of all columns of the history (struct sl_component), in their order. */
int sl_sources_measure(const struct sl_sim *sim, double *out);

/* Before a snapshot. */
int sl_sources_show(struct sl_sim *sim);

/* local. The source of this name in the run or NULL. */
const struct sl_source_use *sl_sources_find(const struct sl_sim *sim, const char *name);

/* local. Whether a source of the run has fetches, or resets_step, set. */
bool sl_sources_fetch(const struct sl_sim *sim);
bool sl_sources_reset_step(const struct sl_sim *sim);

/* local. Why no device can run a recipe's sources; NULL: one can. */
const char *sl_sources_no_device(const struct sl_config *cfg);

#endif
