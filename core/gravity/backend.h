/* backend.h - what computes the potential of the levels of a mesh: the calls that the cycle over
 * the levels (composite.h) is made of.
 *
 * The processor's are those of potential_level.h; a device brings its own, from outside of core
 * (core/step/gravity.h). Both have the bodies of core/cell/poisson.h.
 *
 * Shapes  as in potential_level.h
 * Units   those of the caller
 * Errors  SL_EUNAVAIL, SL_EMEM, SL_EMPI; open returns a code of its own on each rank
 * Owns    open makes the fields of a level and what else its backend keeps, close frees them
 * MPI     collective over level->mesh->comm; open, close, get, set, largest and sums are local
 * Where   host calls; fields in the memory of the backend
 * Refs    none
 * Tests   tests/law/composite.c, tests/gpu/gravity.c
 */
#ifndef SL_GRAVITY_BACKEND_H
#define SL_GRAVITY_BACKEND_H

#include <stdbool.h>

#include "core/gravity/potential_level.h"

/* Fields of a level. */
enum sl_potential_field {
    SL_POTENTIAL_PHI,
    SL_POTENTIAL_RHS,
    SL_POTENTIAL_RESIDUAL,
    SL_POTENTIAL_CORRECTION
};

struct sl_potential_calls {
    /* of: what the maker of the composite problem gave. The shapes of the level are set. */
    int (*open)(void *of, struct sl_potential_level *level);
    void (*close)(struct sl_potential_level *level);

    /* ---- one level ---- */
    int (*clear)(struct sl_potential_level *level, sl_real *field);
    /* phi goes on from before, by `ahead` times its change, and leaves its values to it, ghost
     * cells too */
    int (*extrapolate)(struct sl_potential_level *level, double ahead);
    /* x -> factor (x - mean), ghost cells too */
    int (*shift)(struct sl_potential_level *level, enum sl_potential_field f, double factor,
                 double mean);
    /* of phi or the correction */
    int (*fill)(struct sl_potential_level *level, enum sl_potential_edge edge, bool across,
                enum sl_potential_field f);
    /* Sweeps of lap correction = residual: of a correction that is 0 before, with 0 beyond the edge
     * of the level; and of what it is, with the rings beyond, then phi += back correction. The
     * ghost cells of phi and, on the finest level, the correction are not wanted after that. */
    int (*relax)(struct sl_potential_level *level, int sweeps);
    int (*correct)(struct sl_potential_level *level, int sweeps);
    int (*add_rings)(struct sl_potential_level *level); /* to the correction */
    /* Of the root grid: lap correction = residual, with the values beyond an isolated box; then
     * phi += back correction, ghost cells too. */
    int (*root)(struct sl_potential_level *level);

    /* Of a field, from and to the memory of the host: the leaves, [leaf][n2][n1][n0], and what lies
     * beyond the faces of blocks of the root grid of an isolated box, [block][6][face_values];
     * NULL: it is another grid. What set does not set is 0. */
    int (*get)(const struct sl_potential_level *level, const sl_real *field, sl_real *leaf,
               sl_real *beyond);
    int (*set)(struct sl_potential_level *level, const sl_real *leaf, const sl_real *beyond,
               sl_real *field);

    /* ---- two levels ---- */
    /* from phi or the correction of the coarse level */
    int (*rings)(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                 enum sl_potential_field f);
    int (*cover)(struct sl_potential_level *coarse, struct sl_potential_level *fine); /* phi */
    /* as of sl_potential_residual and sl_cycle_reduce */
    int (*residual)(struct sl_potential_level *level, struct sl_potential_level *fine);
    int (*reduce)(struct sl_potential_level *coarse, struct sl_potential_level *fine);
    /* Accelerations of the leaves, as of sl_composite_pull; fine: NULL: there is no finer level. g,
     * bend: a backend that keeps them itself takes NULL. */
    int (*pull)(struct sl_potential_level *level, struct sl_potential_level *fine, sl_real *g,
                sl_real *bend);

    /* ---- all levels, n of them ---- */
    /* Largest absolute value of rhs or residual in the leaves of this rank. */
    int (*largest)(struct sl_potential_level *level, int n, enum sl_potential_field f, double *out);
    /* Of each leaf of this rank: the integral of phi or rhs, and of its product with another. */
    int (*sums)(struct sl_potential_level *level, int n, enum sl_potential_field f,
                enum sl_potential_field with, double (*out)[2]);
};

/* Of the processor alone. Minus the slope of the potential in the covered blocks of a level. */
void sl_potential_pull_covered(const struct sl_potential_level *p, sl_real *g);
extern const struct sl_potential_calls sl_potential_processor;

/* local. The values of phi or rhs. */
static inline sl_real *sl_potential_values(const struct sl_potential_level *p,
                                           enum sl_potential_field f)
{
    return f == SL_POTENTIAL_PHI ? p->phi : p->rhs;
}

#endif
