/* filling.h - how much of the box the levels of an adaptive mesh fill: measured in members that
 * have run, or made by the rules at the start of one, which the solver is asked for (sluice-sim
 * --first-mesh), or stated in the recipe (resources.filling), or assumed where none of these can be
 * had.
 *
 * Shapes  share[level]
 * Units   parts of the box
 * Errors  SL_EMEM, SL_EIO; that a start cannot be made is none: it is assumed, and said
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/plan.c, tests/cli/levels.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_FILLING_H
#define SL_PIPELINE_CAMPAIGN_FILLING_H

#include "core/cell/refine_rule.h"
#include "pipeline/campaign/recipe.h"
#include "pipeline/campaign/state.h"

enum { SL_FILLING_LEVELS = 13 }; /* mesh.levels is less */

enum sl_filling_source {
    SL_FILLING_ASSUMED,  /* each level fills a fixed part of the coarser one */
    SL_FILLING_COARSE,   /* the start on root grids that are coarser */
    SL_FILLING_START,    /* the start as it is */
    SL_FILLING_MEASURED, /* means over the histories of members */
    SL_FILLING_STATED,   /* resources.filling */
};

struct sl_filling {
    enum sl_filling_source source;
    int levels; /* finest level of which the shares tell */
    double fraction
        [SL_FILLING_LEVELS]; /* part of the box that is refined to this level or a finer one; of
                                        level 0: 1 */
    double most
        [SL_FILLING_LEVELS]; /* likewise, the most at a time, or with a coarse start the most that
                                        can be */
    int members;             /* measured: of so many */
    int running;             /* of which so many are not at their end */
    char member[SL_MEMBER_ID_MAX]; /* of the start: its member */
    int64_t cells[3];              /* of a coarse start: the finer of its two root grids */
    int rules;                     /* of the start: rules of mesh.refine */
    bool asked[SL_REFINE_RULES];   /* whether a rule finds any cell that it is about */
    int filled;                    /* of the start: finest level that its file fills, less than 0:
                                      none, SL_FILLING_LEVELS: it has no file */
    char trouble[240];             /* assumed: why the start is not known */
};

/* What is assumed. */
void sl_filling_assume(struct sl_filling *filling);
/* The start of cfg; paths in it are absolute, or relative to home ("": there are none). */
int sl_filling_start(const struct sl_config *cfg, const char *home, struct sl_filling *filling);
/* SL_EINPUT, with what the run would say, where it refused to start from the fields of its file;
 * what cannot be known is no refusal. Paths as they are seen from here. */
int sl_filling_refusal(const struct sl_config *cfg);
/* Calls each() with what the solver remarks on the start of cfg (sluice-sim --first-remarks);
 * nothing where fields are made by the stage ic, or no start can be made. Paths as they are seen
 * from here. */
void sl_filling_remarks(const struct sl_config *cfg, void (*each)(const char *text, void *user),
                        void *user);
/* How the gas of the start of cfg falls together (sluice-sim --first-collapse), in code units but
 * for the last two; false: it has no gravity of its own in a static box, or no start can be made.
 * Paths as they are seen from here. */
struct sl_collapse {
    double density; /* of the densest cell */
    double jeans;   /* least Jeans length */
    double time;    /* free-fall time of the densest cell, in time.unit */
    double times;   /* so many of them are in the run */
};
bool sl_filling_collapse(const struct sl_config *cfg, struct sl_collapse *out);
/* The start of that member of a recipe which has most levels, the first of them; cfg, if not NULL:
 * its values, with mesh.levels: 0 where none has any, and then nothing is known. */
int sl_filling_recipe(struct sl_recipe *recipe, struct sl_config *cfg, struct sl_filling *filling);
/* What a plan of a recipe reckons with: resources.filling of that member if it has any, else the
 * start of it. */
int sl_filling_expected(struct sl_recipe *recipe, struct sl_filling *filling);
/* Adds the history of a member, in home, to sums: filling begins as zeros. */
void sl_filling_add(struct sl_filling *filling, const struct sl_config *cfg, const char *home);
/* Of a campaign: measured if a member with levels has a history, else what resources.filling of the
 * one with most levels states, else the start of it. */
int sl_filling_campaign(const struct sl_campaign_state *state, struct sl_filling *filling);

/* Part of the box that is refined to level l or finer ones in a run with so many levels; most: at
 * most. */
double sl_filling_fraction(const struct sl_filling *filling, int levels, int l, bool most);

/* What the answer of sluice-sim --first-mesh says; for tests. */
int sl_filling_parse(const char *text, const struct sl_config *cfg, struct sl_filling *filling);

/* "assumed", "coarse_start", "start", "measured" or "stated". */
const char *sl_filling_name(const struct sl_filling *filling);

/* Where it is from, and how sure it is. */
void sl_filling_say(const struct sl_filling *filling, char *text, size_t size);

#endif
