/* halo_bias.h - how much more haloes cluster than matter on large scales.
 *
 * The bias of a class of haloes is the sum of Re(h_k m_k*) over that of |m_k|^2, h their density
 * contrast by number and m that of the particles, over the modes that are long enough. The
 * error is that of the line h = b m through these modes, by what of h does not follow m: shot noise
 * above all. Such long waves need no fine grid (core/config/bias_grid.h).
 *
 * Shapes  out[SL_BIAS_CLASSES]
 * Units   the slab's lengths in Mpc/h
 * Errors  SL_EMEM, those of deposit.h and spectrum.h; agreed on by all ranks
 * Owns    nothing
 * MPI     collective; every rank gets the same bits, for any number of ranks
 * Where   host
 * Refs    Mo & White 1996
 * Tests   tests/unit/haloes.c
 */
#ifndef SL_HALO_HALO_BIAS_H
#define SL_HALO_HALO_BIAS_H

#include "core/grid/slab.h"
#include "core/halo/haloes.h"

/* Haloes by the number of particles of their groups: below that of the first stack, then by
 * those of sl_halo_stack_least. */
enum { SL_BIAS_CLASSES = 1 + SL_HALO_STACKS };

struct sl_halo_bias {
    int n;
    double mean;        /* particles of a halo */
    double bias, error; /* 0: no haloes */
};

/* order: of the deposit, as in deposit.h. */
int sl_halo_bias_make(const struct sl_slab *slab, int order, const struct sl_points *points,
                      const struct sl_haloes *haloes, struct sl_halo_bias out[SL_BIAS_CLASSES]);

#endif
