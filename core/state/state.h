/* state.h - the state of a run at one time: mesh, fields, clocks and counters, and what a
 * checkpoint holds besides them. It knows nothing of what advances it (core/step/sim.h) nor of what
 * computes.
 *
 * The root leads a list of levels, whose finer ones have a mesh and fields of their own; counters
 * of the whole run are those of the root. A uniform mesh (mesh.levels: 0) is its root level alone.
 * Readers walk the list and take the leaves of each:
 *
 *   for (const struct sl_state *s = state; s; s = s->finer)
 *       for (int b = 0; b < s->mesh->nleaf; b++) ...
 *
 * Where a device computes, u is what the last sl_sim_pull brought.
 *
 * A run without gas (fluid.eos: none) has the mesh, but no variables: nvar is 0 and u is NULL.
 *
 * Shapes  u[nblock][nvar][nt2][nt1][nt0], conserved variables in the order of struct sl_layout
 * Units   code units
 * Errors  SL_EMPI
 * Owns    see the members
 * MPI     local unless a function says collective
 * Where   host
 * Refs    none
 * Tests   tests/unit/checkpoint.c, tests/law/levels.c
 */
#ifndef SL_STATE_STATE_H
#define SL_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cell/state.h"
#include "core/mesh/mesh.h"

struct sl_config;
struct sl_expansion;
struct sl_schedule;
struct sl_particles;
struct sl_hierarchy;
struct sl_problem;
struct sl_sealed;

enum { SL_COMPONENT_COLUMNS = 80, SL_COMPONENT_PARTS = 4 };

/* A column of the history. */
struct sl_component_column {
    const char *name, *unit, *about; /* a sentence: what it is */
};

/* What lies in the leaves beside u: any number of bytes in each. All calls are local.
 *
 * Its blocks come and go with the leaves of the mesh (core/state/block_parts.h): what a leaf had is
 * saved and loaded where it stays, split where it is refined, and where leaves merge, all that they
 * had is loaded into the one that they become. open may be NULL, and split then, of what lies on
 * the root level of a mesh that never changes. */
struct sl_block_part {
    const char *name; /* of its files in a checkpoint */
    void *of;         /* borrowed, for the calls */
    /* The part becomes empty, on the leaves of h; its loads follow. */
    int (*open)(void *of, const struct sl_hierarchy *h);
    size_t (*bytes)(const void *of, int level, int block);
    void (*save)(const void *of, int level, int block, void *bytes);
    /* Adds what was saved. Leaves come in the order of their mesh, all of them, one whose children
     * merged as often as it had children, in their order along the axes. */
    int (*load)(void *of, int level, int block, const void *bytes, size_t n);
    /* What a child in this half of a block gets of it, as save writes it; returns the number of
     * bytes, NULL: nothing else. */
    size_t (*split)(const void *of, int level, int block, const int half[3], void *bytes);
    /* In place of split, of a part that is worth nothing where any leaf has split or merged: it
     * becomes empty. */
    void (*lose)(void *of);
    /* Added to that of the state; NULL: it is not hashed. */
    uint64_t (*hash)(const void *of, int level, int block);
    /* What a leaf costs in a step of the root, as a multiple of the mean cost of the cells of a
     * block in one of its steps; NULL: next to nothing. */
    double (*cost)(const void *of, int level, int block);
    double (*memory)(const void *of); /* bytes on all ranks; NULL: next to none */
    /* Before its leaves are read for a checkpoint or other levels: they are to be those of the
     * present state until this is called again, or open; NULL: they always are. */
    int (*keep)(void *of);
};

/* What the source terms of a run add to its state: numbers for a checkpoint, what lies in blocks,
 * and columns of the history. All calls are local. */
struct sl_component {
    void *of; /* borrowed, for the calls; NULL: there is none */
    size_t (*size)(const void *of);
    void (*save)(const void *of, double *number);
    void (*load)(void *of, const double *number);
    int npart;
    struct sl_block_part part[SL_COMPONENT_PARTS];
    int ncolumn;
    struct sl_component_column column[SL_COMPONENT_COLUMNS];
};

/* One level. */
struct sl_state {
    struct sl_state *coarser, *finer; /* borrowed; NULL: none */
    struct sl_hierarchy *hierarchy;   /* owned by the run; of the root; NULL of finer levels */
    const struct sl_config *cfg;      /* borrowed */
    const struct sl_problem *problem; /* borrowed */
    void *problem_data;               /* owned by the run through problem->close */
    struct sl_mesh *mesh;             /* borrowed from the hierarchy */
    struct sl_layout layout;
    struct sl_gas gas;
    sl_real *u; /* owned by the run */
    /* owned by the run; the comoving expansion (core/cosmo/expansion.h), NULL in a static box */
    struct sl_expansion *expansion;
    /* owned by the run; where its steps end (core/cosmo/schedule.h), NULL: they are adaptive */
    struct sl_schedule *schedule;
    /* borrowed; size and checksum of each file written so far (core/sys/sealed.h), NULL: they are
     * not recorded */
    struct sl_sealed *sealed;
    bool looked_at; /* its start is made for a question about it, and writes nothing */
    struct sl_component component; /* of the root */
    /* borrowed from the source term that moves them (core/particles/store.h); NULL: none */
    struct sl_particles *particles;
    /* borrowed from the source term that finds it (core/source/self_gravity.c) while a snapshot is
     * begun that is to hold it, else NULL; [nblock][n2][n1][n0] of this level */
    const sl_real *potential;

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
    /* number of the next snapshot: it is due at next_snapshot * output.snapshot */
    int64_t next_snapshot;
    int64_t next_history; /* likewise */
    int64_t since_regrid; /* of the root: steps of the finest level since the last regrid */
    /* owned by the root; of each leaf of the rank along the curve, at how many regrids in a row no
     * rule held it (core/step/refine.h); NULL: 0 of all */
    unsigned char *unflagged;
    /* of the root: 1: the regrid after the last step was refused, as the mesh that it asked for has
     * no room (core/step/room.h); it is still to be done */
    int64_t regrid_due;
    /* 1: the run was stopped before it wrote what is due at the present time */
    int64_t outputs_due;

    double end;       /* time.end in code units */
    double time_unit; /* code units in one unit of the recipe (time.unit) */
};

/* Variables, gas and grid that the recipe asks for; ghost: layers of cells around a block. */
struct sl_layout sl_state_layout(const struct sl_config *cfg);
struct sl_gas sl_state_gas(const struct sl_config *cfg);
struct sl_mesh_spec sl_state_grid(const struct sl_config *cfg, int ghost);

/* Sets end from time.end and the time unit. */
void sl_state_set_end(struct sl_state *state);
/* The redshift at its time, in a universe that expands: that of keys, of the universe around a box
 * that is one of its own. */
double sl_state_redshift(const struct sl_state *state);

/* The time at which the step that begins now ends, where steps have their places; HUGE_VAL: they
 * have none. */
double sl_state_step_end(const struct sl_state *state);

/* Order-independent hash of the interior of the leaves of all levels, time, step: the same for any
 * number of ranks and any block size. collective */
int sl_state_hash(const struct sl_state *state, uint64_t *hash);
/* The same in two: the share of this rank; and, collective, what all shares make. */
uint64_t sl_state_hash_share(const struct sl_state *state);
int sl_state_hash_join(const struct sl_state *state, uint64_t share, uint64_t *hash);

#endif
