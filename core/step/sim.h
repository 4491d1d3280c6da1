/* sim.h - one run: everything that a step changes and a checkpoint holds, and the calls that
 * advance it.
 *
 * Shapes  u[nblock][nvar][nt2][nt1][nt0], conserved variables in the order of struct sl_layout
 * Units   code units
 * Errors  SL_EINPUT, SL_EMEM, SL_EMPI, SL_EDIVERGED
 * Owns    see the members
 * MPI     collective over mesh->comm unless a function says local
 * Where   host; sim->u too: the backend may compute elsewhere (backend.h)
 * Refs    Shu & Osher 1988
 * Tests   tests/law, tests/problem
 */
#ifndef SL_STEP_SIM_H
#define SL_STEP_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cell/state.h"
#include "core/cell/totals.h"
#include "core/mesh/mesh.h"
#include "core/sys/config.h"

struct sl_problem;
struct sl_sources;
struct sl_expansion;
struct sl_sealed;
struct sl_step; /* private to core/step: work arrays */
struct sl_hierarchy;
struct sl_nest;

enum { SL_SIM_WISHES = 4 };

/* Wall time that levels take beside their steps, in seconds; on a device of the calls alone, which do not wait
 * for what they queue, but for regrids. */
struct sl_level_times {
    double regrid; /* all of it */
    /* of that: the forest with its balance and shares, and the tables of the new mesh */
    double mesh;
    double ghosts; /* ghost cells from coarser levels */
    double match;  /* fluxes at the edges of levels, and covered blocks */
};

/* A level of a run. A run without refinement is its root level; with it the root level leads the list
 * of levels, whose finer ones have a mesh, a state and work arrays of their own and share the rest
 * with the root. Readers of the whole state walk the list and take the leaves of each:
 *
 *   for (const struct sl_sim *s = sim; s; s = s->finer)
 *       for (int b = 0; b < s->mesh->nleaf; b++) ...
 */
struct sl_sim {
    struct sl_sim *root;            /* borrowed; itself for the root */
    struct sl_sim *coarser, *finer; /* borrowed; owned; NULL: none */
    struct sl_hierarchy *hierarchy; /* owned by the root; NULL: mesh.levels is 0 */
    const struct sl_nest *nest;     /* borrowed from the hierarchy; of this level in the coarser */
    double began;                   /* time at the begin of the last step of this level */
    const struct sl_config *cfg;    /* borrowed */
    const struct sl_problem *problem; /* borrowed */
    void *problem_data;               /* owned through problem->close */
    struct sl_mesh *mesh;             /* owned; borrowed from the hierarchy where there is one */
    struct sl_layout layout;
    struct sl_gas gas;
    sl_real *u; /* owned; the state on the host, as it was at the last sl_sim_pull */
    struct sl_sources *sources; /* owned; source terms of the recipe (core/source/source.h) */
    /* owned; the comoving expansion (core/cosmo/expansion.h), NULL in a static box */
    struct sl_expansion *expansion;
    struct sl_step *work; /* owned */
    /* borrowed; size and checksum of each file written so far (core/io/sealed.h), NULL: they are not recorded */
    struct sl_sealed *sealed;

    /* the rest is what a checkpoint holds besides u */
    double time;    /* code units */
    double dt;      /* largest step the present state allows; the next step takes it or less */
    double allowed; /* the same of the leaves of this level alone; dt of the root is that of all */
    int64_t step;   /* steps done */
    /* cells whose fluxes were replaced by first-order ones, since the start */
    int64_t cells_repaired;
    int64_t cells_floored; /* cells raised to a floor, since the start */
    /* of these, in the last step: as many are no reason to look for a shorter one */
    int64_t floored_last;
    int64_t next_snapshot;       /* number of the next snapshot: it is due at next_snapshot *
                              output.snapshot */
    int64_t next_history;        /* likewise */
    int64_t since_regrid;        /* of the root: steps of the finest level since the last regrid */
    struct sl_level_times spent; /* of the root: since it was made */
    int64_t updates; /* of the root: updates of leaf cells of all ranks, since it was made */
    /* owned by the root; of each leaf of the rank along the curve, at how many regrids in a row no rule held it
     * (core/step/refine.h); NULL: 0 of all */
    unsigned char *unflagged;
    /* of the root: 1: the regrid after the last step was refused, as the mesh that it asked for has no room
     * (core/step/room.h); it is still to be done */
    int64_t regrid_due;
    double room;       /* of the root: bytes that the states of all ranks may take, 0: no limit */
    double room_asked; /* of the root: bytes that the refused mesh would have taken */

    unsigned wish;   /* SL_SIM_WISHES bits: what this rank wants all to know after the next step */
    unsigned wished; /* by any rank, when the last step began */

    double end;       /* time.end in code units */
    double time_unit; /* code units in one unit of the recipe (time.unit) */
};

/* Makes mesh, layout, gas and fields from the recipe; the state is not yet set. */
int sl_sim_new(MPI_Comm comm, const struct sl_config *cfg, struct sl_sim **out);
void sl_sim_free(struct sl_sim *sim);

/* Sets the state to the problem's at t = 0. Refuses (SL_EINPUT) a state with a negative pressure or
 * density and names the cell. */
int sl_sim_start(struct sl_sim *sim);
/* The same on the root grid alone. */
int sl_sim_start_root(struct sl_sim *sim);

/* Advances by one step of at most sim->dt that does not pass `until`; sets time, dt, step and the
 * counters. SL_EDIVERGED when bad cells could not be repaired; the state is then the one before the
 * step, or the one after it where source terms left them. */
int sl_sim_step(struct sl_sim *sim, double until);

/* local. Sets sim->end from time.end and the time unit. */
void sl_sim_set_end(struct sl_sim *sim);

/* Sets sim->dt from the present state (at the start only: steps do it themselves). */
int sl_sim_dt(struct sl_sim *sim);

/* Fills the ghost cells of sim->u, the state on the host, of a level, for those who need neighbours;
 * coarser levels have theirs. */
int sl_sim_ghosts(const struct sl_sim *sim);
/* Brings sim->u up to date; nothing where it is. Callers that read sim->u after a step begin
 * with it. */
int sl_sim_pull(const struct sl_sim *sim);
/* local. Whether steps leave sim->u alone until the next sl_sim_pull: the state lives on a device. */
bool sl_sim_apart(const struct sl_sim *sim);

/* Sums of the terms of core/cell/totals.h over each leaf of this level on the rank, of cells of unit
 * volume, and their extremes, made where the state is: steps that follow need not wait for a copy.
 * sum[nblock][SL_TOTALS]: those of covered blocks may hold anything. */
int sl_sim_totals(const struct sl_sim *sim, double *sum, double least[SL_LEASTS]);
/* local. What these need of a block. */
struct sl_totals_of sl_sim_totals_of(const struct sl_sim *sim, int block);

/* Order-independent hash of the interior of the leaves of all levels, time, step: the same for any
 * number of ranks and any block size. */
int sl_sim_hash(const struct sl_sim *sim, uint64_t *hash);
/* The same in two: the share of this rank, local and of sim->u as it is; and what all shares make. */
uint64_t sl_sim_hash_share(const struct sl_sim *sim);
int sl_sim_hash_join(const struct sl_sim *sim, uint64_t share, uint64_t *hash);

#endif
