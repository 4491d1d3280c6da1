/* whole.h - the whole grid on every rank, for the measures that problems take of small runs. Of a
 * run with levels it is that of the finest one of which a GiB has room: a coarser leaf's cell fills
 * several, and finer leaves are their mean.
 *
 * Shapes  value[8][n2][n1][n0]: density, velocity, pressure, magnetic field (0 where there is none)
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI, on all ranks alike
 * Owns    value: made by sl_whole_init, freed by sl_whole_release
 * MPI     sl_whole_init is collective over state->mesh->comm
 * Where   host
 * Refs    none
 * Tests   tests/problem
 */
#ifndef SL_EXACT_WHOLE_H
#define SL_EXACT_WHOLE_H

#include <stddef.h>

#include "core/state/state.h"

enum { SL_WHOLE_B = 5, SL_WHOLE_NVAR = 8 };

struct sl_whole {
    int level;
    int n[3];
    double lo[3], dx[3]; /* lower corner and cell size; 0 and 1 along axes that are not there */
    double *value;       /* owned */
};

int sl_whole_init(const struct sl_state *state, struct sl_whole *whole);
void sl_whole_release(struct sl_whole *whole);

static inline double sl_whole_at(const struct sl_whole *w, int var, int k, int j, int i)
{
    return w->value[(((size_t)var * (size_t)w->n[2] + (size_t)k) * (size_t)w->n[1] + (size_t)j) *
                        (size_t)w->n[0] +
                    (size_t)i];
}

/* Coordinate of the centre of cell i along an axis. */
static inline double sl_whole_x(const struct sl_whole *w, int axis, int i)
{
    return w->lo[axis] + (i + 0.5) * w->dx[axis];
}

/* The primitive variables of one cell whose first conserved variable is u[0] and whose others lie
 * stride apart. */
void sl_whole_prim(const struct sl_state *state, const sl_real *u, size_t stride,
                   double prim[SL_WHOLE_NVAR]);

#endif
