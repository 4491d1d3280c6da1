/* magnetic_modes.h - a random magnetic field without divergence: a sum of helical waves with a
 * power law.
 *
 * What comes out are averages, over faces or over cells, of one and the same field: those over the
 * faces of a cell sum to nothing, as they do for the curl of a potential along its edges, but
 * without differences of that potential, so that div B is a rounding error of B over dx on any
 * grid. A face that two blocks share, or that closes the box, gets the same bits.
 *
 * The numbers of a wave are functions of the seed and its wave vector alone: a finer grid has the
 * same waves. helicity: of the power, (1 + helicity) / 2 is in waves whose curl is k B, the rest in
 * those whose curl is -k B.
 *
 * Shapes  see struct sl_magnetic_part
 * Units   those of rms and length
 * Errors  SL_EMEM, SL_EINPUT where no wave lies in kmin .. kmax
 * Owns    sl_magnetic_modes_release frees what _init made
 * MPI     local
 * Where   host
 * Refs    Waleffe 1992 (helical waves)
 * Tests   tests/unit/magnetic_modes.c, tests/law/ic.sh
 */
#ifndef SL_IC_MAGNETIC_MODES_H
#define SL_IC_MAGNETIC_MODES_H

#include <complex.h>
#include <stdint.h>

struct sl_magnetic_spec {
    uint64_t seed;
    int dim;
    double length[3];
    double rms;      /* of the field over the box */
    int kmin, kmax;  /* of |k|, inclusive, in 2 pi / longest side */
    double slope;    /* E(k) ~ k^slope, summed over directions */
    double helicity; /* -1 .. 1 */
};

/* Waves with n_x > 0, or 0 and n_y > 0, or both 0 and n_z > 0; the others are their conjugates. */
struct sl_magnetic_modes {
    int most[3];       /* largest |n| along each axis */
    double complex *b; /* owned; [component][n_x][n_y + most][n_z + most] */
};

int sl_magnetic_modes_init(const struct sl_magnetic_spec *spec, struct sl_magnetic_modes *out);
void sl_magnetic_modes_release(struct sl_magnetic_modes *m);

/* Which averages: of a component, over the lower faces along an axis, or over cells (face: -1), of
 * the cells from .. from + n of a grid of so many cells over the box (1 along axes that it does not
 * have). */
struct sl_magnetic_part {
    int component, face;
    int cells[3], n[3];
    int64_t from[3];
};

/* Into out[n2][n1][n0]. */
int sl_magnetic_modes_average(const struct sl_magnetic_modes *m, const struct sl_magnetic_part *p,
                              double *out);

#endif
