/* rows_ct.h - the loops of constrained transport over rows of edges, faces and cells: the functions
 * of core/cell/ct.h with lanes along x.
 *
 * a, b, c are three axes in cyclic order.
 *
 * Shapes  n values along x, one row
 * Units   code units
 * Errors  none
 * Owns    nothing: rows are borrowed
 * MPI     local
 * Where   host
 * Refs    see core/cell/ct.h
 * Tests   tests/law/ct.c
 */
#ifndef SL_SWEEP_ROWS_CT_H
#define SL_SWEEP_ROWS_CT_H

#include "core/sweep/rows.h"

/* E_c of cells from their velocities and fields. */
void sl_rows_ct_cell(int n, const sl_real *va, const sl_real *vb, const sl_real *ba,
                     const sl_real *bb, sl_real *restrict e);

/* What a row of edges along c reads: the fluxes of B_b and of mass at the a faces below and above
 * it along b, those of B_a and of mass at the b faces below and above it along a, E_c and the
 * density of the cells [a][b]. */
struct sl_ct_rows {
    const sl_real *fa[2], *ma[2], *fb[2], *mb[2], *cell[2][2], *rho[2][2];
    sl_real dt_da, dt_db;
};
void sl_rows_ct_edge(int n, const struct sl_ct_rows *from, sl_real *restrict e);

/* The field across faces: B_c changes by E_b at the two edges apart along a, E_a at the two apart
 * along b (NULL: the mesh has no such axis); out = (1 - b) u0 + b (u - change), u0 is not read when
 * b is 1. */
struct sl_ct_face {
    const sl_real *eb[2], *ea[2];
    sl_real dt_da, dt_db;
};
void sl_rows_ct_face(int n, sl_real b, const struct sl_ct_face *from, const sl_real *u0,
                     const sl_real *u, sl_real *out);

/* The field in cells: the average of their two faces. */
void sl_rows_ct_centre(int n, const sl_real *low, const sl_real *high, sl_real *restrict out);

/* Adds `times` the energy of the field to that of the cells whose flag is above 1 (ideal gas):
 * taken off before sl_rows_ct_centre and added after it, what the field at faces has more or less
 * than the one that the fluxes made does not change the heat. */
void sl_rows_ct_heat(const struct sl_layout *l, struct sl_shape shape, sl_real times,
                     struct sl_view flags, struct sl_view u);

#endif
