/* particles.h - what the particles of a run cost, and what they resolve.
 *
 * Shapes  none
 * Units   bytes, seconds; lengths of the recipe, masses in Msun/h
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/plan.c
 */
#ifndef SL_PIPELINE_PLAN_PARTICLES_H
#define SL_PIPELINE_PLAN_PARTICLES_H

#include "core/config/config.h"

/* All zero where a run has none. cfg: with the resources of the run (sl_config_stage). */
struct sl_particle_cost {
    double number;
    double rank;                 /* bytes of a rank, with the mesh of their mass and of the pull */
    double seconds;              /* of a step, on one core; without gas those of the forces, too */
    double snapshot, checkpoint; /* bytes of one */
    double each, device_each;    /* bytes of a particle in memory; on a device at most */
    double device; /* bytes of the device of a rank at most: particles, their mesh, the potential
                      and the start, but neither gas nor what cuFFT takes; 0: it has none */
};
struct sl_particle_cost sl_particle_cost(const struct sl_config *cfg);

/* Whether a device makes all of the start: dark matter alone in a cube, of modes that it draws
 * (core/ic/lattice.h). */
bool sl_particles_start_on_device(const struct sl_config *cfg);

/* Of a start of problem cosmology; number 0: it has no particles that move. */
struct sl_particle_limits {
    double number, mass; /* mass: of a particle, Msun/h (particle_grid.h) */
    double apart, cell;  /* the mean distance; a cell of the mesh of forces, which softens them */
    double nyquist;      /* wave number of the particles, h/Mpc */
    double shot;         /* power of as many Poisson points, (Mpc/h)^3 */
    double grown;        /* waves longer than this grow right to 1 % in any direction */
    double moved;        /* rms displacement of the start along an axis, over the distance */
    double redshift;     /* of a start where that is half */
    double side;         /* longest side of the box */
};
struct sl_particle_limits sl_particle_limits(const struct sl_config *cfg);

/* Calls each() with a sentence for a box that is too small for waves that stay linear, and for a
 * start so late that shells of particles may have crossed. */
void sl_particle_advice(const struct sl_config *cfg, void (*each)(const char *text, void *user),
                        void *user);

#endif
