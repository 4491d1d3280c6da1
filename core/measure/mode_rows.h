/* mode_rows.h - modes of fields in the memory of the fields: planes go in, rows come out.
 *
 * A plane that was transformed along x and y has one mode more in each line along x than fits where
 * the line of the field was: that mode lies apart. So a field can be transformed where it lies.
 * Rows are collected from the planes of all ranks one at a time when they are wanted, and there is
 * no second copy of the modes at any time.
 *
 * Shapes  planes[c][nz][n1][n0] doubles, a plane or a row of modes [n1 or n2][nkx], nkx = n0 / 2 +
 *         1, all of a slab
 * Units   those of the modes
 * Errors  SL_EMEM
 * Owns    the modes that lie apart, a message; planes are borrowed, or owned where none are lent
 * MPI     planes local, rows collective
 * Where   host
 * Refs    none
 * Tests   tests/unit/spectrum.c
 */
#ifndef SL_MEASURE_MODE_ROWS_H
#define SL_MEASURE_MODE_ROWS_H

#include <stdbool.h>

#include "core/grid/slab.h"

enum { SL_MODE_FIELDS = 3 };

struct sl_mode_rows {
    const struct sl_slab *slab; /* borrowed */
    size_t width;               /* doubles of a line of modes along x */
    bool own;                   /* planes are */
    double *planes[SL_MODE_FIELDS];
    double *last[SL_MODE_FIELDS]; /* owned, [nz][n1][2]: the last mode of each line */
    double *message;              /* owned; NULL on one rank */
    int *count; /* owned, [4][ranks]: doubles to and from each, and where they begin */
};

/* local. n <= SL_MODE_FIELDS fields; room[c]: as large as the own planes of a field; NULL: to be
 * owned. */
int sl_mode_rows_init(const struct sl_slab *slab, int n, double *const room[],
                      struct sl_mode_rows *out);
void sl_mode_rows_release(struct sl_mode_rows *m);

/* local. Own plane k of field c. */
void sl_mode_rows_put_plane(struct sl_mode_rows *m, int c, int k, const double *plane);
void sl_mode_rows_get_plane(const struct sl_mode_rows *m, int c, int k, double *plane);

/* Row y, 0 .. sl_mode_rows_rounds - 1, of the own rows of every rank; a rank that has no such row
 * takes part, its row is left as it is. */
void sl_mode_rows_get(const struct sl_mode_rows *m, int c, int y, double *row);
void sl_mode_rows_put(struct sl_mode_rows *m, int c, int y, const double *row);
static inline int sl_mode_rows_rounds(const struct sl_mode_rows *m)
{
    return (m->slab->n[1] + m->slab->size - 1) / m->slab->size;
}

#endif
