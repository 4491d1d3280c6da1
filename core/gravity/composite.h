/* composite.h - the potential of a density on the leaves of a mesh with levels.
 *
 * One problem over all leaves: lap phi = factor (rho - mean), of an isolated density factor rho,
 * with the operator of core/cell/poisson.h, in which what leaves a cell through a face enters the
 * next, also at the edges of levels. It is solved by cycles of multigrid in which the levels of the
 * mesh are the grids: from the finest level down, a sweep of red-black relaxation and the mean of
 * what is left to the coarser; the root grid exactly, by Fourier transforms (poisson.h); and up
 * again, three sweeps. A cycle leaves about a twentieth.
 *
 * The potential and what is left of its equation are in full precision, cycles in single (units in
 * potential_level.h): each leaves the same part of what is left as in full precision, down to the
 * rounding of the potential (blobs, waves and noise on 32^3 and two to eight levels, nine cycles to
 * 1e-12), and takes two thirds of the time.
 *
 * A solution starts from nothing, so that it follows from the density alone, or, warm, from the
 * last one and what it changed since the one before: these two are then part of the state of a run,
 * and for the same bits after a restart go with its checkpoints (potential_kept.h). Cycles of a
 * solution to 1e-6 from nothing, from the last one, and from the last one and its change: collapse
 * of Evrard, 32^3 + 2, 4.1, 3.2, 2.4; of a Bonnor-Ebert sphere through eight levels 4.5, 3.4, 2.4;
 * a blast, 32^3 + 2, 4.9, 4.0, 3.2; with steps of each level's own,
 * and gravity.between, the first two 2.5, 2.2, 1.3 and 3.5, 2.3, 1.1. After a polytrope has been at
 * rest for six crossing times, 700 steps, the sum of energies is 5e-8 of the potential one away
 * from that of solutions from nothing, the density at its centre 4e-7.
 *
 * On one core of an EPYC a cycle over 128^3 cells in blocks of 16^3, with the coarser levels and
 * what is left, took 92 ms in double precision: a third in relaxation, a quarter in ghost cells,
 * a tenth each in what is left and in means. In single precision cycles take two thirds of that
 * (two levels of 2e6 cells, 0.20 s for 0.29 on a Xeon that others kept busy). It waits for
 * memory, through which each of the eight half sweeps passes a field and its right-hand side:
 * rows relaxed side by side, both colours found and one kept, and blocks relaxed as soon as
 * their ghost cells are there took as long. Both colours in one visit would halve that, but need
 * two layers of ghost cells.
 *
 * Sums over ranks are exact, and the end is decided by a largest value: the bits do not depend on
 * the number of ranks.
 *
 * Shapes  as in potential_level.h; accelerations [block][n2][n1][axis][n0] of the interior
 * Units   those of the density times factor times lengths squared
 * Errors  SL_EMEM, SL_EMPI; SL_EDIVERGED where the residual does not fall below the tolerance
 * Owns    its fields; the hierarchy is borrowed and must outlive a solution
 * MPI     collective over h->comm unless a function says local; ranks without blocks allowed
 * Where   host calls; fields where the backend has them
 * Refs    Trottenberg, Oosterlee & Schueller 2001; Almgren et al. 1998 (composite residuals);
 *         Ricker 2008
 * Tests   tests/law/composite.c, tests/law/warm.c
 */
#ifndef SL_GRAVITY_COMPOSITE_H
#define SL_GRAVITY_COMPOSITE_H

#include <stdbool.h>

#include "core/cell/fn.h"
#include "core/mesh/hierarchy.h"
#include "core/sys/pencils.h"

struct sl_composite;
struct sl_potential_calls; /* backend.h */
struct sl_potential_kept;  /* potential_kept.h */
struct sl_potential_level; /* potential_level.h */

/* A periodic box, or with isolated one of three axes with nothing around it. */
int sl_composite_new(struct sl_hierarchy *h, enum sl_around isolated, struct sl_composite **out);
/* The same on what `on` computes on, which is given `of` (backend.h). */
int sl_composite_new_on(struct sl_hierarchy *h, enum sl_around isolated,
                        const struct sl_potential_calls *on, void *of, struct sl_composite **out);
void sl_composite_free(struct sl_composite *c); /* local */

/* local. A level of it, what computes it, and its mesh, borrowed. */
struct sl_potential_level *sl_composite_level(struct sl_composite *c, int level);
const struct sl_potential_calls *sl_composite_calls(const struct sl_composite *c);
const struct sl_hierarchy *sl_composite_hierarchy(const struct sl_composite *c);

/* local; on processors. Row (k, j) of the interior of a block: of the density, to be written
 * before a solution, which takes it; and of the potential, whose mean is 0 in a periodic box. */
sl_real *sl_composite_density(const struct sl_composite *c, int level, int block, int k, int j);
const sl_real *sl_composite_potential(const struct sl_composite *c, int level, int block, int k,
                                      int j);

/* warm: the solution begins with the potential of the last one on these levels and `ahead` times
 * its change since the one before, and its bits follow from those, too. ahead: how far the time is
 * from that of the last over what lay between these two; 0: there is no one before.
 * tolerance: of the largest residual over the largest of factor (rho - mean), but no less than the
 * rounding of densities leaves;
 * cycles: the most. */
struct sl_composite_how {
    double factor, tolerance;
    int cycles;
    bool warm;
    double ahead;
};
struct sl_composite_result {
    double mean;     /* of the density */
    double product;  /* the integral of rho phi over the box */
    double residual; /* over the largest of what lap phi is to be */
    int cycles;
};
int sl_composite_solve(struct sl_composite *c, const struct sl_composite_how *how,
                       struct sl_composite_result *out);

/* The last two potentials are those of another run, or of other ranks: all is as after the solution
 * that found them. */
int sl_composite_take(struct sl_composite *c, const struct sl_potential_kept *kept);

/* Minus the slope of the potential, the mean of those through both faces of a
 * cell, in the leaves of a level: g holds three values per interior cell of the
 * blocks of the level. bend: likewise that through the upper face less that
 * through the lower one; NULL: it is not wanted. */
int sl_composite_pull(struct sl_composite *c, int level, sl_real *g, sl_real *bend);
/* local. The same in its covered blocks. */
void sl_composite_pull_covered(const struct sl_composite *c, int level, sl_real *g);

#endif
