/* net_force.h - the momentum that gravity on levels gives to all of its gas, and its return.
 *
 * On one level the gas pulls itself by nothing: rho times the mean of the slopes through the faces
 * of a cell is the divergence of a tensor. Coarse and fine cells at an edge of levels do not agree
 * on that through the faces between them, the potential of multigrid is not exact, and levels that
 * take steps of their own pull each other at other times. What all kicks of a step of the root grid
 * gave is therefore taken from all gas in the end, in proportion to its mass: all velocities
 * change by the same, which no two parts of the gas see in each other. The energy of the box
 * changes by its momentum times that, as it does by what is taken back. The error of the force at
 * an edge stays where it is; only the box as a whole no longer follows it. Forces are to be
 * measured without it (gravity.keep_momentum: false).
 *
 * Momentum then is kept to rounding: 1e-14 of the sum of m |v| after ten steps of two balls of gas
 * that pass each other across edges, where kicks alone gave 1e-6, and in the collapse of Evrard
 * beside the middle of the box as on one level, what flows in at its sides, where they gave 1.6e-4.
 * Energies of the collapse change by 2e-6 of them at most.
 *
 * Sums are taken in the order of cells of a block and are exact over blocks: bits do not depend on
 * ranks. They take one reduction for all levels, and the largest terms of all ranks, which the
 * caller compares together with other numbers: sl_net_force_lines, sl_net_force_bound of each
 * level, the reduction, sl_net_force_take.
 *
 * Shapes  g as of core/gravity/composite.h; line[nleaf][3]: forces on leaves over the volume of a
 *         cell
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    what _make makes, freed by _drop
 * MPI     local unless a function says collective
 * Where   host
 * Refs    none
 * Tests   tests/law/gravity_steps.c, tests/gpu/gravity.c
 */
#ifndef SL_STEP_NET_FORCE_H
#define SL_STEP_NET_FORCE_H

#include "core/step/sim.h"

struct sl_net_force {
    double (*line[SL_LEVELS])[3]; /* owned; of the own leaves of each level, as they are now */
    double on[SL_LEVELS][3]; /* the leaves of each level, by the accelerations that are there */
    double given[3];         /* momentum, by kicks since it was returned */
};

/* Room for the forces on all leaves of a mesh; after an error f is to be dropped, too. */
int sl_net_force_make(const struct sl_sim *root, struct sl_net_force *f);
/* What the kicks gave stays. */
void sl_net_force_drop(struct sl_net_force *f);
/* What the kicks gave, and the forces on levels. */
void sl_net_force_forget(struct sl_net_force *f);

/* Forces on the own leaves of a level, on the processor. */
void sl_net_force_lines(const struct sl_sim *s, const sl_real *g, double (*line)[3]);
/* The largest |f->line| of own leaves of a level along each axis, as sum_columns.h has it. */
void sl_net_force_bound(const struct sl_sim *s, const struct sl_net_force *f, double bound[3]);
/* Collective over mesh->comm: those on all leaves of a level and on those of each finer one.
 * bound[level from it on]: the largest of all ranks. */
int sl_net_force_take(const struct sl_sim *coarsest, double (*bound)[3], struct sl_net_force *f);

/* The leaves of a level are kicked over a time. */
void sl_net_force_kicked(struct sl_net_force *f, int level, double time);

/* The change of all velocities that returns what was given to a box of this mass; it counts anew
 * from then on. */
void sl_net_force_return(struct sl_net_force *f, double mass, double push[3]);

/* Of the leaves of a level, on the processor: the energy changes by what the kinetic energy does.
 */
void sl_net_force_push(struct sl_sim *s, const double push[3]);

#endif
