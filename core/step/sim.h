/* sim.h - what advances the state of a run, and the calls for it.
 *
 * Shapes  as in core/state/state.h
 * Units   code units
 * Errors  SL_EINPUT, SL_EMEM, SL_EMPI, SL_EDIVERGED
 * Owns    see the members
 * MPI     collective over mesh->comm unless a function says local
 * Where   host; the fields too: the backend may compute elsewhere (backend.h)
 * Refs    Shu & Osher 1988
 * Tests   tests/law, tests/problem
 */
#ifndef SL_STEP_SIM_H
#define SL_STEP_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cell/totals.h"
#include "core/state/state.h"
#include "core/step/costs.h"

struct sl_nest;
struct sl_sources;

struct sl_step; /* private to core/step: work arrays */

enum { SL_SIM_REQUESTS = 4 };

/* Wall time that levels take beside their steps, in seconds; on a device of the calls alone, which
 * do not wait for what they queue, but for regrids. */
struct sl_level_times {
    double regrid; /* all of it */
    /* of that: the forest with its balance and shares, and the tables of the new mesh */
    double mesh;
    double ghosts; /* ghost cells from coarser levels */
    double match;  /* fluxes at the edges of levels, and covered blocks */
};

/* A level of a run: its state and what advances it. The root leads the list of levels, as its state
 * does that of states (core/state/state.h); finer levels have work arrays of their own and share
 * the rest with the root. */
struct sl_sim {
    struct sl_state state;
    struct sl_sim *root;            /* borrowed; itself for the root */
    struct sl_sim *coarser, *finer; /* borrowed; owned; NULL: none. Set by sl_sim_link */
    const struct sl_nest *nest;     /* borrowed from the hierarchy; of this level in the coarser */
    double began;                   /* time at the beginning of the last step of this level */
    struct sl_sources *sources;     /* owned; source terms of the recipe (core/step/source.h) */
    struct sl_step *work;           /* owned */
    struct sl_level_times spent;    /* of the root: since it was made */
    struct sl_costs costs;          /* of the root: what blocks of its levels cost */
    int64_t updates;    /* of the root: updates of leaf cells of all ranks, since it was made */
    int64_t potentials; /* of the root: potentials of self-gravity found since it was made */
    int64_t cycles;     /* of the root: cycles of multigrid in them */
    double room;        /* of the root: bytes that the states of all ranks may take, 0: no limit */
    double room_asked;  /* of the root: bytes that the refused mesh would have taken */
    double room_device; /* of the root: bytes that the devices had for it, 0: the host refused it */
    unsigned request;   /* SL_SIM_REQUESTS bits that this rank wants all to know after a step */
    unsigned requested; /* by any rank, when the last step began */
};

/* local. Makes fine, or NULL, the next finer level of coarse, or NULL, and so of the states. */
void sl_sim_link(struct sl_sim *coarse, struct sl_sim *fine);

/* Makes mesh, layout, gas and fields from the recipe; the state is not yet set. */
int sl_sim_new(MPI_Comm comm, const struct sl_config *cfg, struct sl_sim **out);
void sl_sim_free(struct sl_sim *sim);

/* Advances by one step of at most sim->state.dt that does not pass `until`; sets time, dt, step and
 * the counters. SL_EDIVERGED when bad cells could not be repaired; the state is then the one before
 * the step, or the one after it where source terms left them. */
int sl_sim_step(struct sl_sim *sim, double until);

/* The end of a step: the regrid, where it is to be made, and the length of the next step. */
int sl_sim_regrid(struct sl_sim *root, bool regrid);

/* Sets sim->state.dt from the present state (at the start only: steps do it themselves). */
int sl_sim_dt(struct sl_sim *sim);

/* Fills the ghost cells of sim->state.u, the state on the host, of a level, for those who need
 * neighbours; coarser levels have theirs. */
int sl_sim_ghosts(const struct sl_sim *sim);
/* Brings sim->state.u up to date; nothing where it is. Callers that read sim->state.u after a step
 * begin with it. */
int sl_sim_pull(const struct sl_sim *sim);
/* local. Whether steps leave sim->state.u alone until the next sl_sim_pull: the state lives on a
 * device. */
bool sl_sim_on_device(const struct sl_sim *sim);

/* Sums of the terms of core/cell/totals.h over each leaf of this level on the rank, of cells of
 * unit volume, and their extremes, made where the state is: steps that follow need not wait for a
 * copy. sum[nblock][SL_TOTALS]: those of covered blocks may hold anything. */
int sl_sim_totals(const struct sl_sim *sim, double *sum, double least[SL_LEASTS]);
/* local. What these need of a block. */
struct sl_totals_of sl_sim_totals_of(const struct sl_sim *sim, int block);

/* sl_state_hash of the present state. */
int sl_sim_hash(const struct sl_sim *sim, uint64_t *hash);

#endif
