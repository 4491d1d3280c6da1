/* push.h - how particles move: kicks by a pull, drifts, and the pull of a potential.
 *
 * Shapes  as in store.h
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective over mesh->comm unless a function says local
 * Where   host; where a device has the particles (backend.h), kicks, drifts and what is measured of
 *         them are its own, and their mass and pull those of its gravity
 * Refs    Hockney & Eastwood 1981, section 5-6
 * Tests   tests/law/particles.c
 */
#ifndef SL_PARTICLES_PUSH_H
#define SL_PARTICLES_PUSH_H

#include "core/grid/pencil.h"
#include "core/particles/store.h"

/* Own rows of a potential on the planes of a pencil (core/gravity/poisson.h). */
struct sl_particle_planes {
    const struct sl_pencil *pencil; /* borrowed */
    double *(*row)(const void *of, int k, int j);
    const void *of; /* borrowed */
};

/* Adds the density of the particles to the rows; whole numbers to the last moment. */
int sl_particles_deposit(struct sl_particles *p, const struct sl_particle_planes *to);
/* Sets g of all particles, and pull, by the potential of the rows. */
int sl_particles_gather(struct sl_particles *p, const struct sl_particle_planes *from);

int sl_particles_kick(struct sl_particles *p, double time); /* v += time g */
/* x += time v; who comes to another block or rank goes there, who leaves an open box is gone. */
int sl_particles_drift(struct sl_particles *p, double time);
/* The rest of a leap, once the pull is found. */
int sl_particles_leap(struct sl_particles *p);
/* Sets speed; on a device also pull. */
int sl_particles_look(struct sl_particles *p);
/* local. Distance from the sides of an open box within which a kernel reaches beyond them, in 2^-32
 * of it; below 0: it repeats. */
void sl_particles_margins(const struct sl_particles *p, int64_t margin[3]);
/* local. Whole numbers of mass of the kinds. */
void sl_particles_whole(const struct sl_particles *p, int64_t mass[SL_PARTICLE_KINDS]);

/* Momentum along each axis and kinetic energy of all, in sums whose bits depend on no order. */
struct sl_particle_sums {
    double momentum[3], kinetic, mass;
};
int sl_particles_sum(const struct sl_particles *p, struct sl_particle_sums *out);

#endif
