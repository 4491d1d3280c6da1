/* gravity.h - gas that attracts itself, on whatever computes it other than the processor: what
 * core/source/self_gravity.c asks of a device.
 *
 * core knows only the processor. A device is linked in from outside and found because its symbol is
 * there. Devices share the transforms of a periodic box of three axes, or of the root grid of
 * levels; else each rank's has all of the potential, and finds it by itself from the densities of
 * all ranks. Its bits do not depend on ranks.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  SL_EUNAVAIL, SL_EMEM, SL_EMPI, the same on all ranks but for calls of a level; SL_EMEM
 *         also beyond 2^31 cells of several ranks that do not share them
 * Owns    nothing; what make makes is the backend's and goes when that closes
 * MPI     collective over mesh->comm unless a function says local
 * Where   host calls; the state where the backend has it
 * Refs    core/gravity/poisson.h
 * Tests   tests/gpu/gravity.c
 */
#ifndef SL_STEP_GRAVITY_H
#define SL_STEP_GRAVITY_H

#include <stdbool.h>

#include "core/step/sim.h"
#include "core/sys/pencils.h"

struct sl_potential_calls; /* core/gravity/backend.h */
struct sl_potential_level; /* core/gravity/potential_level.h */
struct sl_screen_tables;   /* core/gravity/screen.h */

/* The box. Where nothing is around it green[axis][place][0 .. cells] are the factors of
 * core/gravity/lattice_green.h, or with screening charges `screen` what core/gravity/screen.h has:
 * borrowed until make returns. */
struct sl_gravity_grid {
    int dim, cells[3];
    double h[3];             /* of a cell */
    enum sl_around isolated; /* periodic: it is not */
    int places;
    const double *green[3];
    const struct sl_screen_tables *screen;
};

/* As struct sl_poisson_sums; the largest |g| / h along an axis, and the largest |g|^2. */
struct sl_gravity_sums {
    double mean, product, square, pull;
};

struct sl_gravity_on {
    /* local. Why it cannot; NULL: it can. */
    const char *(*lacks)(void);
    /* local. Whether make was called; what it made outlives regrids. */
    bool (*has)(const struct sl_sim *sim);
    /* The box of the root grid; again when the levels have changed: a box that is there stays,
     * whatever `green` is. */
    int (*make)(struct sl_sim *sim, const struct sl_gravity_grid *grid);
    /* The potential of the present density; factor as in core/gravity/poisson.h. */
    int (*solve)(struct sl_sim *sim, double factor, struct sl_gravity_sums *out);
    /* A kick by it over a time, as core/step/kick.h. */
    int (*kick)(struct sl_sim *sim, double time);
    /* local. Such a kick of gas with energy, then its work as below. */
    int (*close)(struct sl_sim *sim, double time, double share);

    /* The potential of the last solution in the own blocks, [nblock][n2][n1][n0], in memory of the
     * host; level: NULL: of a mesh of one level. */
    int (*potential)(struct sl_sim *s, struct sl_potential_level *level, sl_real *out);

    /* ---- of a mesh with levels; s: a level ---- */
    /* What computes the composite problem; it is given the root's struct sl_sim. */
    const struct sl_potential_calls *levels;
    /* The density of the leaves, to be solved for. */
    int (*level_density)(struct sl_sim *s, struct sl_potential_level *level);
    /* That between those before and after the last step of the level, share of the way. */
    int (*level_density_between)(struct sl_sim *s, struct sl_potential_level *level, double share);
    /* local. The accelerations as struct sl_step has them; those of covered blocks are there where
     * levels take steps of their own (time.levels: each). */
    const sl_real *(*level_pulled)(const struct sl_potential_level *level);
    /* Raises most to the largest |g| / h along an axis, and |g|^2, in own leaves. */
    int (*level_most)(const struct sl_sim *s, const struct sl_potential_level *level,
                      double most[2]);
    /* local. As core/step/net_force.h has them: forces on own leaves, and a change of the velocity
     * of leaves, after which covered blocks are to be filled. */
    int (*level_force)(const struct sl_sim *s, const struct sl_potential_level *level,
                       double (*line)[3]);
    int (*level_push)(struct sl_sim *s, const struct sl_potential_level *level,
                      const double push[3]);
    /* Of the leaves, or of covered blocks, too. */
    int (*level_kick)(struct sl_sim *s, const struct sl_potential_level *level, bool covered,
                      double time);

    /* local. The work of the potential that is there on the leaves, as in core/step/mass_work.h;
     * level: NULL: of a mesh of one level. */
    int (*work)(struct sl_sim *s, const struct sl_potential_level *level, double share);
};

extern const struct sl_gravity_on sl_gravity_cuda __attribute__((weak)); /* gpu/gravity.c */

#endif
