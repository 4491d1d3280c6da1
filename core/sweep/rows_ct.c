/* rows_ct.c - see rows_ct.h. */
#include "core/sweep/rows_ct.h"

#include "core/cell/ct.h"
#include "core/cell/eos.h"
#include "core/cell/update.h"
#include "core/sweep/lanes.h"

void sl_rows_ct_cell(int n, const sl_real *va, const sl_real *vb, const sl_real *ba,
                     const sl_real *bb, sl_real *restrict e)
{
    SL_SIMD for (int i = 0; i < n; i++) e[i] = sl_ct_cell(va[i], vb[i], ba[i], bb[i]);
}

void sl_rows_ct_edge(int n, const struct sl_ct_rows *from, sl_real *restrict e)
{
    const struct sl_ct_rows r = *from;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        struct sl_ct_edge s = {
            {-r.fa[0][i], -r.fa[1][i]},
            {r.fb[0][i], r.fb[1][i]},
            {{r.cell[0][0][i], r.cell[0][1][i]}, {r.cell[1][0][i], r.cell[1][1][i]}},
            {sl_ct_upwind_side(r.ma[0][i], r.dt_da, r.rho[0][0][i], r.rho[1][0][i]),
             sl_ct_upwind_side(r.ma[1][i], r.dt_da, r.rho[0][1][i], r.rho[1][1][i])},
            {sl_ct_upwind_side(r.mb[0][i], r.dt_db, r.rho[0][0][i], r.rho[0][1][i]),
             sl_ct_upwind_side(r.mb[1][i], r.dt_db, r.rho[1][0][i], r.rho[1][1][i])}};
        e[i] = sl_ct_edge(s);
    }
}

/* Both and whole are literals where it is called. */
SL_FN void face_row(int have_b, int have_a, int whole, int n, sl_real b,
                    const struct sl_ct_face *from, const sl_real *u0, const sl_real *u,
                    sl_real *out)
{
    const sl_real *b0 = from->eb[0], *b1 = from->eb[1], *a0 = from->ea[0], *a1 = from->ea[1];
    const sl_real ca = from->dt_da, cb = from->dt_db;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        sl_real d = 0;
        if (have_b) d = (b1[i] - b0[i]) * ca;
        if (have_a) d = d - (a1[i] - a0[i]) * cb;
        out[i] = sl_update(whole ? 1 : b, u0[i], u[i], d);
    }
}

SL_FN void face_rows(int whole, int n, sl_real b, const struct sl_ct_face *from, const sl_real *u0,
                     const sl_real *u, sl_real *out)
{
    if (from->eb[0] && from->ea[0])
        face_row(1, 1, whole, n, b, from, u0, u, out);
    else if (from->eb[0])
        face_row(1, 0, whole, n, b, from, u0, u, out);
    else if (from->ea[0])
        face_row(0, 1, whole, n, b, from, u0, u, out);
    else
        face_row(0, 0, whole, n, b, from, u0, u, out);
}

void sl_rows_ct_face(int n, sl_real b, const struct sl_ct_face *from, const sl_real *u0,
                     const sl_real *u, sl_real *out)
{
    if (b == 1)
        face_rows(1, n, b, from, u0, u, out);
    else
        face_rows(0, n, b, from, u0, u, out);
}

void sl_rows_ct_centre(int n, const sl_real *low, const sl_real *high, sl_real *restrict out)
{
    SL_SIMD for (int i = 0; i < n; i++) out[i] = (sl_real)0.5 * (low[i] + high[i]);
}

void sl_rows_ct_heat(const struct sl_layout *l, struct sl_shape shape, sl_real times,
                     struct sl_view flags, struct sl_view u)
{
    if (l->energy < 0) return;
    for (int r = 0; r < shape.rows; r++)
        for (int i = 0; i < shape.n; i++) {
            sl_real *at = u.at + r * u.row + i;
            if (flags.at[r * flags.row + i] > 1)
                at[l->energy * u.var] += times * sl_magnetic_energy(l, at, (size_t)u.var);
        }
}
