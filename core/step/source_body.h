/* source_body.h - what a source term does to every cell of a run, on whatever computes it: a row
 *
 *   SL_SOURCE_BODY(cooling, radiate)
 *
 * in a file of core/source names the function sl_cooling_radiate of core/cell/cooling.h
 * (core/cell/source.h says what it is). The Makefile collects the rows; source_body.c makes the
 * loop of the processor and gpu/source.cu the kernel of each.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  SL_EMPI, SL_EUNAVAIL
 * Owns    nothing
 * MPI     collective over mesh->comm
 * Where   host calls; the state where the backend has it
 * Refs    none
 * Tests   tests/law/cooling.c, tests/law/sources.sh
 */
#ifndef SL_STEP_SOURCE_BODY_H
#define SL_STEP_SOURCE_BODY_H

#include "core/cell/source.h"
#include "core/sys/depth.h"
#include "core/sys/sum.h"
#include "source_bodies.h" /* generated: SL_SOURCE_BODIES(X), X(file, name) */

struct sl_sim;

enum sl_source_body {
#define SL_SOURCE_BODY_ENUM(file, name) SL_SOURCE_BODY_##file##_##name,
    SL_SOURCE_BODIES(SL_SOURCE_BODY_ENUM)
#undef SL_SOURCE_BODY_ENUM
        SL_SOURCE_NBODY
};

/* What a source hands to its bodies: `of`, copied for them, and a table of numbers that is too long
 * for that. A device copies the table at the first pass with it, so it stays as it is until the
 * source is freed. All borrowed. */
struct sl_source_args {
    const void *of;
    size_t size;         /* of `of`, at most SL_SOURCE_ARGS */
    const double *table; /* NULL: none */
    size_t ntable;
};

/* What a backend is asked: run a body on all cells of the rank. magic: sums are wanted, in units
 * of core/sys/sum.h; 0: the largest value. */
struct sl_source_pass {
    enum sl_source_body body;
    const struct sl_source_args *args;
    double magic;
    double most;
    struct sl_sum sum;
};

/* local. The cell that all others are like, but for its place. */
struct sl_source_cell sl_source_cell_of(const struct sl_sim *sim);

/* Runs a body on all cells of the box. Its values count for nothing: there
 * is no reduction, but that of a status on devices. */
int sl_source_change(struct sl_sim *sim, enum sl_source_body body,
                     const struct sl_source_args *args);

/* Runs a body and gives the largest value, or 0: one reduction. */
int sl_source_most(struct sl_sim *sim, enum sl_source_body body, const struct sl_source_args *args,
                   double *most);

/* What the values of a pass come to on this rank, level by level. */
struct sl_source_sum {
    struct sl_sum_unit unit;
    struct sl_sum level[SL_LEVELS];
};
enum { SL_SOURCE_SUMS = 2 }; /* the most calls of advance in a step (source.h) */

/* Runs a body and keeps the sum of its values here; bound: not less than any of them. */
int sl_source_add(struct sl_sim *sim, enum sl_source_body body, const struct sl_source_args *args,
                  double bound, struct sl_source_sum *here);

/* sum[n], the integrals over the box of n <= SL_SOURCE_SUMS passes, in one reduction; their bits
 * depend neither on blocks nor on ranks. The levels are those of the passes. */
int sl_source_total(const struct sl_sim *sim, int n, const struct sl_source_sum *here, double *sum);

#endif
