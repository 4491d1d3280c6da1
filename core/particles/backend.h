/* backend.h - particles on whatever moves them other than the processor: what push.c asks of a
 * device.
 *
 * core knows only the processor. A device is linked in from outside and found because its symbol is
 * there; it lays their mass on the mesh of its gravity, and gathers the pull, by itself
 * (core/step/gravity.h). struct sl_particles is then a copy for input and output: `fresh` says that
 * the device is still to take it, and the run's sl_sim_pull brings it up to date.
 *
 * Shapes  as in store.h
 * Units   code units
 * Errors  SL_EUNAVAIL, SL_EMEM, SL_EMPI, the same on all ranks
 * Owns    nothing; what make makes is the backend's and goes when that closes
 * MPI     collective over mesh->comm
 * Where   host calls; the particles where the backend has them
 * Refs    none
 * Tests   tests/gpu/particles.c
 */
#ifndef SL_PARTICLES_BACKEND_H
#define SL_PARTICLES_BACKEND_H

#include "core/cell/particle_lists.h"
#include "core/particles/push.h"

struct sl_lattice;

struct sl_particles_on {
    /* Makes room for sim->state.particles; the run's gravity is there. */
    int (*make)(struct sl_sim *sim);
    /* Makes particles of kind 0 where the device has them, in place of all that were there, and
     * sums over shells of modes (core/ic/lattice.h). *made: false: there is no room for that, which
     * is told, and no particle. */
    int (*start)(struct sl_particles *p, const struct sl_lattice *what, double *part, bool *made);
    /* v = keep v + gain g. */
    int (*kick)(struct sl_particles *p, double keep, double gain);
    /* As sl_particles_drift, .. of push.h. */
    int (*drift)(struct sl_particles *p, double time);
    int (*look)(struct sl_particles *p);
    /* collective. Where the device of a lone rank has them, all in order; to be done with before
     * they move again. */
    int (*lists)(const struct sl_particles *p, struct sl_particle_lists *out);
    /* collective. The sum of sl_particle_hash over those of this rank. */
    int (*hash)(const struct sl_particles *p, uint64_t *sum);
    /* Brings struct sl_particles up to date. */
    int (*pull)(const struct sl_particles *p);
    int (*sum)(const struct sl_particles *p, struct sl_particle_sums *out);
};

extern const struct sl_particles_on sl_particles_cuda __attribute__((weak)); /* gpu/particles.c */

#endif
