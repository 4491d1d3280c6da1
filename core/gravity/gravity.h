/* gravity.h - the gas attracts itself: its place in a step, and what it did.
 *
 * lap phi = 4 pi G (rho - mean) in a periodic box (poisson.h). A step of the fluid stands between two half kicks, with the
 * potential of its begin and of its end (Strang 1968), so that any integrator can be used and the order stays second. A
 * kick changes the momentum of a cell by rho g dt / 2 and its energy by exactly the change of the kinetic energy: the box
 * gets no momentum but by rounding, the gas no heat. The sum of total and potential energy is kept to second order where waves
 * are resolved; of clumps of few cells it is not: of 64^3 cells in 100 Mpc/h (recipes/cosmology.yaml) it is off by 2 % of the
 * potential energy until z = 1, and by 9 % at z = 0.
 * A potential serves the closing kick of a step and the opening one of the next: one solution per step.
 *
 * With time.unit: redshift 4 pi G is 3/2 Omega_m a of the supercomoving variables of core/cosmo/expansion.h.
 *
 * The step is limited as in core/step/kick.h by the largest acceleration, as in Enzo (Bryan et al. 2014) and GAMER,
 * and by time.max_expansion, the largest growth of the scale factor (0.01 as in both).
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    the accelerations of the own cells, 3 sl_real each, and what poisson.h and planes.h tell
 * MPI     collective over sim->mesh->comm unless a function says local
 * Where   host, as its state: the processor alone does it
 * Refs    Strang 1968; Schive, Tsai & Chiueh 2010, section 2
 * Tests   tests/law/self_gravity.c
 */
#ifndef SL_GRAVITY_GRAVITY_H
#define SL_GRAVITY_GRAVITY_H

#include <stdbool.h>

#include "core/sys/config.h"

struct sl_sim;
struct sl_gravity;

/* sim->mesh is there. *out is NULL where the recipe has no self-gravity (sl_config_self_gravity). */
int sl_gravity_new(const struct sl_sim *sim, struct sl_gravity **out);
void sl_gravity_free(struct sl_gravity *gravity);

/* The rest does nothing where sim->gravity is NULL. */

/* Begins at the present state and time. */
int sl_gravity_start(struct sl_sim *sim);
/* local. The state was replaced, by that of a checkpoint. */
void sl_gravity_forget(struct sl_sim *sim);
/* The opening half kick of a step of dt, instead of one that was made in this step for another dt; with dt = 0 it is
 * taken back, but for rounding. */
int sl_gravity_open(struct sl_sim *sim, double dt);
/* After the step: the closing half kick. */
int sl_gravity_close(struct sl_sim *sim, double dt);
/* local. dt, shortened by what a kick adds to the velocities, and by the expansion. */
double sl_gravity_limit(const struct sl_sim *sim, double dt);

/* The potential energy of the present state, half the integral of rho phi over the box. */
int sl_gravity_energy(const struct sl_sim *sim, double *out);

#endif
