/* drive.h - a random force that keeps turbulence going: its place in a step, and what it did.
 *
 * A step of the fluid stands between two half kicks with the force of its begin and of its end
 * (Strang 1968), so that any integrator can be driven and the order stays second. A kick changes the
 * momentum of a cell by rho (a - mean) lambda, mean the density-weighted mean of a over the box, and
 * its energy by exactly the change of the kinetic energy. Then the box gets no momentum and the gas no
 * heat. lambda is dt / 2 times driving.acceleration, or the one of smaller size that adds the
 * energy driving.power dt / 2.
 *
 * The sums over the box are exact (core/sys/sum.h): the same bits for any blocks and ranks.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  SL_EINPUT for a recipe that makes no sense, SL_EMEM, SL_EMPI
 * Owns    its tables
 * MPI     collective over sim->mesh->comm unless a function says local
 * Where   host calls; the state where the backend has it
 * Refs    Strang 1968; Stone, Ostriker & Gammie 1998; Mac Low 1999 (power)
 * Tests   tests/law/drive.c, tests/unit/drive.c
 */
#ifndef SL_DRIVE_DRIVE_H
#define SL_DRIVE_DRIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/sys/config.h"

struct sl_sim;
struct sl_drive;

/* local. sim->mesh is there; the sim's time unit is set. */
int sl_drive_new(const struct sl_sim *sim, struct sl_drive **out);
void sl_drive_free(struct sl_drive *drive);

/* The rest does nothing where sim->drive is NULL. */

/* Begins at the present state and time. */
int sl_drive_start(struct sl_sim *sim);
/* The opening half kick of a step of dt, instead of one that was made in this step for another
 * dt; with dt = 0 it is taken back, but for rounding. */
int sl_drive_open(struct sl_sim *sim, double dt);
/* After the step: the closing half kick. */
int sl_drive_close(struct sl_sim *sim, double dt);
/* local. dt, shortened so that what a kick adds to the velocities is counted too. */
double sl_drive_limit(const struct sl_sim *sim, double dt);

/* What the history tells: work done since the start, its present rate, present rms acceleration. */
struct sl_drive_sums {
    double energy, power, acceleration;
};
void sl_drive_told(const struct sl_sim *sim, struct sl_drive_sums *out); /* local */

/* local. State for a checkpoint: size numbers, 0 where there is no force. */
size_t sl_drive_size(const struct sl_sim *sim);
void sl_drive_save(const struct sl_sim *sim, double *state);
void sl_drive_load(struct sl_sim *sim, const double *state);

#endif
