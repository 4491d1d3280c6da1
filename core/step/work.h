/* work.h - what core/step keeps between steps, and the calls that its files share.
 *
 * Shapes  as in sim.h
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI, SL_EDIVERGED
 * Owns    see the members
 * MPI     collective over mesh->comm unless a function says local
 * Where   host
 * Refs    none
 * Tests   tests/law
 */
#ifndef SL_STEP_WORK_H
#define SL_STEP_WORK_H

#include <stdbool.h>

#include "core/cell/mass_flux.h"
#include "core/step/sim.h"
#include "core/sweep/sweep_ct.h"
#include "core/sweep/sweep_ctu.h"
#include "core/transfer/transfer_level.h"

struct sl_backend;
struct sl_diffuse_room;
struct sl_split;

/* Which copy of the state is up to date: sim->state.u on the host, that of the backend (`now`), or
 * both, as on processors, where they are one after the first step. */
enum sl_newest { SL_NEWEST_BOTH, SL_NEWEST_HOST, SL_NEWEST_BACKEND };

struct sl_step {
    struct sl_scheme scheme, plain; /* plain: the same without slopes, for stages of first order */
    const struct sl_backend *backend;
    const char *why; /* why resources.backend: auto fell back to the processor; NULL: it did not */
    void *device;    /* owned by the backend */
    struct sl_sweep *sweep;          /* owned; processor */
    struct sl_sweep_ct *sweep_ct;    /* owned; likewise, instead of it with constrained transport */
    struct sl_sweep_ctu *sweep_ctu;  /* owned; likewise, instead of both with ctu */
    struct sl_split *split;          /* owned; likewise, with sweeps along one axis */
    struct sl_register *fluxes;      /* owned; likewise, NULL: none are kept (register.h) */
    struct sl_edges *edges;          /* owned; likewise (edge_register.h) */
    struct sl_diffuse_room *diffuse; /* owned; likewise (diffuse.h) */
    int in_place;                    /* a stage may write over its input */
    sl_real *now;  /* the state, where the backend computes; sim->state.u on the processor */
    sl_real *next; /* owned; the state that a step makes; then it and `now` change places */
    /* owned; a further copy, on the processor made when a step first needs repairs */
    sl_real *third;
    sl_real *flags; /* owned; one value per cell, made with it: 1 where fluxes are replaced */
    enum sl_newest newest;
    int checked; /* steps to go whose stages keep their input, so that cells can be repaired */
    struct sl_corrected corrected; /* of the root, in this step */
    double ch;                     /* of the root: sl_gas.ch of the step that is under way */
    int part; /* of the root: which of the parts of a step is under way (sl_step_parts) */
    double floored_at[3]; /* centre of the first cell that the last repair raised to a floor, NaN:
                             the backend does not tell */
    struct sl_ghost_arg ghost;        /* for u; time is set before use */
    struct sl_level_buffers *buffers; /* owned; processor: of messages between levels */
    /* What a source does to the ghost cells that the finer level makes of this one: accelerations,
     * borrowed, where the backend computes, of a processor as in core/transfer/transfer_level.h, of
     * a device [axis][block][n2][n1][n0], and how long they act. */
    const sl_real *pull;
    double pull_time;
    /* Where gas with energy attracts itself, where the backend computes: the mass that crosses the
     * faces of the blocks in a step (core/cell/mass_flux.h), and what kicks of gravity gave to the
     * energy of the own cells, [block][n2][n1][n0], since the work on that mass took its place.
     * The second copy of the mass is made with `third`: steps whose stages are repaired turn. */
    bool keeps_mass;
    sl_real *mass[2], *kicked; /* owned */
    int mass_now;              /* the copy that has that of the last stage */
};

/* local. Values of either copy of the mass, and of kicked. */
size_t sl_step_mass_values(const struct sl_sim *sim);
size_t sl_step_kicked_values(const struct sl_sim *sim);

/* Pages of zeros for a field of n values, NULL when there are none. Freed with free. */
sl_real *sl_field_new(size_t n);

/* local. What transfers between levels know of this one: on the processor, or of its shapes. */
struct sl_transfer_level sl_step_transfer_level(const struct sl_sim *sim);

/* local. One stage of a block on the processor; flags as in sweep_ct.h, which only sweep_ct and
 * sweep_ctu know; beyond as in sweep.h, which only sweep knows. */
struct sl_signal sl_step_block(struct sl_sim *sim, const struct sl_stage *stage, int block,
                               const sl_real *flags, const struct sl_beyond *beyond,
                               const sl_real *in, sl_real *out);

/* local. The parts of a step, each of which all levels make before the next begins: the sweeps of
 * tvd on a mesh with levels, else one. What sweeps along one axis leave is no state at any time
 * that a finer level could have its ghost cells from but by the same sweeps; between two of them
 * the levels match, and a sweep moves what the finer and the coarser side of a face both see. */
int sl_step_parts(const struct sl_sim *sim);

/* A step *dt of one level, or the part of it that is under way, to the time `until`, with the ghost
 * cells that the coarser level gives it, which is there already. Cells that are bad are repaired
 * with this step: the other levels take theirs without asking. A uniform mesh (mesh.levels: 0) has
 * no other level: where cells need floors it tries shorter steps, for which sources open anew, and
 * *dt becomes the one that it took. */
int sl_step_level(struct sl_sim *sim, double *dt, double until);

/* After sources that may make signals faster than the stages saw, or leave cells without pressure
 * (SL_EDIVERGED): sets allowed and dt of the level anew. */
int sl_step_reset(struct sl_sim *sim);

/* The step of a level without leaves: its time goes on, and the ranks exchange their requests
 * (sim->request). */
int sl_step_rest(struct sl_sim *sim, double until);

/* Copies the states that were set on the host to where the backend computes, of this level and
 * finer ones. */
int sl_step_push(struct sl_sim *sim);

/* local. `now` is another state: it alone is up to date. */
void sl_step_changed(struct sl_sim *sim);

/* Sets allowed and dt of the level and of finer ones from their present states. */
int sl_step_signals(struct sl_sim *sim);

/* local. dt shortened so that the step does not pass `until`, nor leaves a remainder that is far
 * shorter than a step. */
double sl_step_clip(const struct sl_sim *sim, double dt, double until);

/* local. Speed of divergence cleaning for a level that takes steps dt; sets it for all levels. */
double sl_step_cleaning_speed(const struct sl_sim *sim, double dt);
void sl_step_set_cleaning(struct sl_sim *sim, double ch);

/* Sets the boundary conditions and makes the host's field of a level that has its mesh. Each rank
 * returns its own code. A level that a regrid makes has its state on the device alone; sl_sim_host
 * makes its field on the host when that is needed. */
int sl_sim_fields_new(struct sl_sim *sim);
int sl_sim_host(const struct sl_sim *sim);

#endif
