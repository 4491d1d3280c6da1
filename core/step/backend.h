/* backend.h - where the fields of a run live and what works on them: the processor, or a device.
 *
 * A backend makes the three states of struct sl_step (now, next, third) where it computes. step.c
 * hands them on and never looks inside. A backend whose fields are not the host's has push and
 * pull; then sim->state.u is a copy for input and output, fetched by sl_sim_pull.
 *
 * core knows only the processor. A device backend is linked in from outside and found because its
 * symbol is there.
 *
 * Shapes  as in sim.h
 * Units   code units
 * Errors  SL_EINPUT, SL_EUNAVAIL, SL_EMEM, SL_EMPI
 * Owns    sim->work->device and the states
 * MPI     collective over mesh->comm unless a function says local
 * Where   host calls
 * Refs    none
 * Tests   tests/law (processor), tests/gpu (devices)
 */
#ifndef SL_STEP_BACKEND_H
#define SL_STEP_BACKEND_H

#include "core/cell/drive.h"
#include "core/cell/refine_level.h"
#include "core/mesh/hierarchy.h"
#include "core/step/diffuse.h"
#include "core/step/sim.h"
#include "core/step/source_body.h"
#include "core/sweep/sweep.h"
#include "core/sys/sum.h"
#include "core/transfer/flux_register.h"
#include "core/transfer/transfer_level.h"

/* A random force (core/drive) as sums of waves n = -reach .. reach along the axes of the box, for
 * those who make it where the state is. Along z each column (n_y, component, n_x >= 0) is a sum of
 * coefficients, n >= 0: even = c_n + c_-n, odd = c_n - c_-n; even[real, imaginary][n][column]. */
struct sl_force {
    int reach[3], cells[3]; /* cells of the box */
    const double *even[2], *odd[2];
    const sl_real *cosine[3], *sine[3]; /* [0 .. reach][cells] */
    int version;                        /* changes when even and odd do */
};

/* Largest density and square of a momentum. */
struct sl_force_most {
    double rho, momentum;
};

struct sl_corrected;

/* What a rank computes on: as people call it, and what no other device anywhere has. */
struct sl_backend_device {
    char name[64], id[16];
};

/* Which ghost cells of a state a call fills at least. */
enum sl_ghosts {
    SL_GHOSTS_ALL,
    /* The layer next to each face of a block, all that criteria and the prolongation of new blocks
     * read; all ghost cells where there are fields at faces. */
    SL_GHOSTS_NEXT,
    SL_GHOSTS_PROLONG /* of the blocks from which ghost cells of the finer level are prolonged */
};

struct sl_backend {
    const char *name;
    /* local. Number of devices that this rank can use. */
    int (*found)(void);
    /* open: makes device and states and says whether a stage may write over its input.
     *     sim->state.u, mesh and scheme are there. Each rank returns its own code, on which the
     *     caller agrees: no collective call may follow a failure.
     * close: frees them, whatever was made. */
    int (*open)(struct sl_sim *sim);
    void (*close)(struct sl_sim *sim);
    /* local. The device of this rank, once open; NULL: this backend has none. */
    int (*describe)(const struct sl_sim *sim, struct sl_backend_device *out);
    /* local. Between sim->state.u and the state now; NULL: they are the same. */
    int (*push)(struct sl_sim *sim);
    int (*pull)(const struct sl_sim *sim);
    /* One stage of all blocks, ghosts of `in` filled on the way; raises the signals of the rank. */
    int (*advance)(struct sl_sim *sim, const struct sl_stage *stage, sl_real *in, sl_real *out,
                   struct sl_signal *all);
    /* Signals of a state of the rank. */
    int (*signal)(struct sl_sim *sim, sl_real *u, struct sl_signal *all);
    /* local. From the next step on fluxes through these sides, and no others, are kept
     * (flux_register.h): of the fine ones what all steps since register_clear brought, of the
     * coarse ones what the last step did. Writes where the values of each start, within its list.
     * SL_EINPUT: no such side; SL_EUNAVAIL: the integrator has no such fluxes.
     * clear: the fine ones begin anew.
     * accept: the step that was made last counts; of others nothing is in the sums. */
    int (*register_set)(struct sl_sim *sim, struct sl_flux_register_side *fine, int nfine,
                        struct sl_flux_register_side *coarse, int ncoarse);
    /* local. The same with the electric field along the edges on the surface of these blocks, which
     * clear and accept are for, too (edge_register.h). NULL: this backend keeps none. */
    int (*edges_set)(struct sl_sim *sim, const int *fine, int nfine, const int *coarse,
                     int ncoarse);
    int (*register_clear)(struct sl_sim *sim);
    int (*register_accept)(struct sl_sim *sim);
    /* Of levels. fine is the next finer level of coarse, nest its jobs (core/mesh/nest.h). All are
     * collective over the mesh's ranks.
     * prolong: fills those ghost cells of the field u of fine that no block of fine covers, from
     *     the leaves of coarse at the time between its last two states: (1 - share) of the old,
     *     whose ghost cells are filled, and share of the new, likewise (core/cell/prolong.h).
     * cover: makes the covered blocks of coarse the means of their children, both at `now`.
     * reflux: takes the flux that coarse kept for its sides in its last step out of the cells
     *     beside them, and puts that in that fine kept in all its steps since register_clear; adds
     *     to count the cells of this rank that were left without density or pressure. */
    int (*prolong)(struct sl_sim *coarse, struct sl_sim *fine, sl_real share, sl_real *u);
    int (*cover)(struct sl_sim *coarse, struct sl_sim *fine);
    int (*reflux)(struct sl_sim *coarse, struct sl_sim *fine, struct sl_corrected *count);
    /* Fills the ghost cells of the field `now`. */
    int (*ghosts)(struct sl_sim *sim, enum sl_ghosts which);
    /* local. Waits for the steps that are queued, and adds what they count; NULL: none are. */
    int (*settle)(struct sl_sim *sim);
    /* local, once ghost cells are filled. Adds what the rules of cells (core/step/flag.h) ask of
     * each leaf of the level, and of those beside it, to marks[nleaf]. */
    int (*flag)(struct sl_sim *sim, struct sl_refine_marks *marks);
    /* Fills the fields of the levels of `now` (interiors, and faces) from those of `old` by these
     * moves. Ghost cells of old are filled. */
    int (*move)(struct sl_sim *old, struct sl_sim *now, const struct sl_moves *moves);
    /* local. Bytes of the device of this rank that fields of levels have, and that they may have
     * besides; NULL: the states lie in memory of the host. */
    int (*room)(const struct sl_sim *sim, double *taken, double *spare);
    /* As in repair_rounds.h. */
    int (*repair_ready)(struct sl_sim *sim);
    int (*repair)(struct sl_sim *sim, const struct sl_stage *stage, const sl_real *in, sl_real *out,
                  int64_t *repaired, int64_t *floored);
    /* As sl_sim_totals (extremes of leaves alone), but that least begins with what is there; NULL:
     * sim->state.u is the state. */
    int (*totals)(const struct sl_sim *sim, double *sum, double *least);
    /* local. What a random force needs of the state `now` and does to it (core/source/driving.c);
     * NULL: sim->state.u is that state.
     * most: begins with what is there.
     * sums: terms of sl_drive_terms in units (core/sys/sum.h), added to sum[SL_DRIVE_SUMS]. */
    int (*force_most)(struct sl_sim *sim, struct sl_force_most *most);
    int (*force_sums)(struct sl_sim *sim, const struct sl_force *force, const double *magic,
                      struct sl_sum *sum);
    int (*force_kick)(struct sl_sim *sim, const struct sl_force *force, sl_real lambda,
                      const sl_real mean[3]);
    /* local. Runs a body of a source term on the state `now` (core/step/source_body.h); NULL:
     * sim->state.u is that state. Largest value and sum begin with what is there. */
    int (*source)(struct sl_sim *sim, struct sl_source_pass *pass);
    /* local, once ghost cells of `now` are filled. A stage of a super time step of diffusion from
     * now to next (diffuse.h). */
    int (*diffuse)(struct sl_sim *sim, const struct sl_diffuse_stage *stage);
};

struct sl_step;

extern const struct sl_backend sl_backend_cpu;
extern const struct sl_backend sl_backend_cuda __attribute__((weak)); /* gpu/cuda.c, where built */

/* Sets backend, what resources.backend asks for, the same on all ranks, and why. Refuses
 * (SL_EINPUT) one that this program does not have and (SL_EUNAVAIL) one without a device. */
int sl_backend_choose(MPI_Comm comm, const struct sl_config *cfg, struct sl_step *work);

/* Once open. Rank 0 logs what computes, and why resources.backend: auto fell back to the processor,
 * if it did. */
int sl_backend_log(const struct sl_sim *sim);

#endif
