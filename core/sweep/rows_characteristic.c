/* rows_characteristic.c - see rows_characteristic.h. */
#include "core/sweep/rows_characteristic.h"

#include <stdint.h>

#include "core/cell/characteristic.h"
#include "core/cell/reconstruct.h"
#include "core/sweep/lanes.h"
#include "core/sweep/place.h"

typedef struct sl_faces faces_of_cell(int limiter, sl_real theta, const sl_real *q);

/* A method as it is called: all literals. */
struct method {
    faces_of_cell *faces;
    int reach, limiter;
};

/* ---- one row --------------------------------------------------------------------------------- */

/* A cell and its neighbours, and where the values at its faces go. */
struct row {
    struct sl_place q[5], minus, plus;
};

SL_FN struct row row_of(const struct sl_near *q, struct sl_view minus, struct sl_view plus, int eos,
                        int row)
{
    struct row w;
    for (int d = 0; d < 5; d++) {
        struct sl_view at = {(sl_real *)(uintptr_t)q->at[d] + row * q->row, q->var, 0};
        w.q[d] = sl_place_of(at, eos, q->axis);
    }
    w.minus = sl_place_of(sl_view_move(minus, row * minus.row), eos, q->axis);
    w.plus = sl_place_of(sl_view_move(plus, row * plus.row), eos, q->axis);
    return w;
}

SL_FN struct sl_prim gas_add(struct sl_prim a, sl_real times, struct sl_prim b)
{
    struct sl_prim c = {a.rho + times * b.rho, a.u + times * b.u, a.v + times * b.v,
                        a.w + times * b.w, a.p + times * b.p};
    return c;
}

/* a: strengths [wave][neighbour], 0 in the cell itself, to those at the faces. */
SL_FN void each_wave(struct method m, sl_real theta, int waves, sl_real (*a)[5], sl_real *low,
                     sl_real *high)
{
    SL_UNROLL for (int k = 0; k < waves; k++)
    {
        struct sl_faces f = m.faces(m.limiter, theta, a[k]);
        low[k] = f.minus;
        high[k] = f.plus;
    }
}

SL_FN void gas_row(struct method m, int eos, const struct sl_gas *of, sl_real theta, int n,
                   struct row w)
{
    struct sl_gas all = *of;
    all.eos = eos;
    const struct sl_gas *gas = &all;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        struct sl_prim c = sl_place_gas(gas, w.q[2], i);
        sl_real a[SL_GAS_WAVES][5] = {{0}}, to[SL_GAS_WAVES], low[SL_GAS_WAVES], high[SL_GAS_WAVES];
        SL_UNROLL for (int d = 2 - m.reach; d <= 2 + m.reach; d++)
        {
            if (d == 2) continue;
            sl_gas_to_waves(gas, c, gas_add(sl_place_gas(gas, w.q[d], i), -1, c), to);
            SL_UNROLL for (int k = 0; k < SL_GAS_WAVES; k++) a[k][d] = to[k];
        }
        each_wave(m, theta, SL_GAS_WAVES, a, low, high);
        int warm = eos != SL_EOS_isothermal;
        sl_place_put(w.minus, i, warm, gas_add(c, 1, sl_gas_from_waves(gas, c, low)));
        sl_place_put(w.plus, i, warm, gas_add(c, 1, sl_gas_from_waves(gas, c, high)));
    }
}

SL_FN struct sl_prim gas_part(struct sl_mhd_prim w)
{
    struct sl_prim g = {w.rho, w.u, w.v, w.w, w.p};
    return g;
}

SL_FN void mhd_put(struct sl_place to, int i, int warm, struct sl_mhd_prim c, struct sl_mhd_prim d)
{
    sl_place_put(to, i, warm, gas_add(gas_part(c), 1, gas_part(d)));
    to.by[i] = c.by + d.by;
    to.bz[i] = c.bz + d.bz;
}

SL_FN void mhd_row(struct method m, int eos, const struct sl_gas *of, sl_real theta, int n,
                   struct row w)
{
    struct sl_gas all = *of;
    all.eos = eos;
    const struct sl_gas *gas = &all;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        struct sl_mhd_prim c = sl_place_mhd(gas, w.q[2], i);
        struct sl_mhd_mean mean = sl_mhd_mean_here(gas, w.q[2].bn[i], c);
        sl_real a[SL_MHD_WAVES][5] = {{0}}, to[SL_MHD_WAVES], low[SL_MHD_WAVES], high[SL_MHD_WAVES];
        SL_UNROLL for (int d = 2 - m.reach; d <= 2 + m.reach; d++)
        {
            if (d == 2) continue;
            struct sl_mhd_prim r = sl_place_mhd(gas, w.q[d], i);
            struct sl_mhd_prim jump = {r.rho - c.rho, r.u - c.u,   r.v - c.v,  r.w - c.w,
                                       r.p - c.p,     r.by - c.by, r.bz - c.bz};
            sl_mhd_to_waves(gas, mean, jump, to);
            SL_UNROLL for (int k = 0; k < SL_MHD_WAVES; k++) a[k][d] = to[k];
        }
        each_wave(m, theta, SL_MHD_WAVES, a, low, high);
        mhd_put(w.minus, i, eos != SL_EOS_isothermal, c, sl_mhd_from_waves(mean, low));
        mhd_put(w.plus, i, eos != SL_EOS_isothermal, c, sl_mhd_from_waves(mean, high));
    }
}

/* ---- all variables --------------------------------------------------------------------------- */

/* Variables first .. last - 1, each alone. */
static void alone(const struct sl_scheme *s, struct sl_shape shape, int first, int last,
                  const struct sl_near *q, struct sl_view minus, struct sl_view plus)
{
    struct sl_near from = *q;
    for (int d = 0; d < 5; d++)
        from.at[d] += first * q->var;
    if (last > first)
        s->faces(shape, last - first, s->theta, &from, sl_view_move(minus, first * minus.var),
                 sl_view_move(plus, first * plus.var));
}

static void others(const struct sl_scheme *s, struct sl_shape shape, const struct sl_near *q,
                   struct sl_view minus, struct sl_view plus)
{
    const struct sl_layout *l = &s->layout;
    int extra = l->scalar0 - (l->entropy >= 0), across = l->magnetic + q->axis;
    alone(s, shape, extra, l->nflow, q, minus, plus);
    if (l->magnetic < 0) return;
    alone(s, shape, across, across + 1, q, minus, plus);
    alone(s, shape, l->magnetic + 3, extra, q, minus, plus); /* psi */
}

SL_FN void waves_rows(struct method m, int field, int eos, const struct sl_scheme *s,
                      struct sl_shape shape, const struct sl_near *q, struct sl_view minus,
                      struct sl_view plus)
{
    for (int r = 0; r < shape.rows; r++) {
        struct row w = row_of(q, minus, plus, eos, r);
        if (field)
            mhd_row(m, eos, &s->gas, s->theta, shape.n, w);
        else
            gas_row(m, eos, &s->gas, s->theta, shape.n, w);
    }
    others(s, shape, q, minus, plus);
}

#define WAVES_ARGS                                                                                 \
    const struct sl_scheme *s, struct sl_shape shape, const struct sl_near *q,                     \
        struct sl_view minus, struct sl_view plus
#define WAVES_OF(name, cell, reach, limiter, field)                                                \
    static void waves_##name##_##field(WAVES_ARGS)                                                 \
    {                                                                                              \
        struct method m = {cell, reach, limiter};                                                  \
        if (s->gas.eos == SL_EOS_isothermal)                                                       \
            waves_rows(m, field, SL_EOS_isothermal, s, shape, q, minus, plus);                     \
        else                                                                                       \
            waves_rows(m, field, SL_EOS_ideal, s, shape, q, minus, plus);                          \
    }
/* One loop per method; plm once more per limiter. */
#define WAVES(name, ghost, ...)                                                                    \
    WAVES_OF(name, sl_faces_##name, ghost - 1, 0, 0)                                               \
    WAVES_OF(name, sl_faces_##name, ghost - 1, 0, 1)
#define WAVES_PLM(name, about)                                                                     \
    WAVES_OF(plm_##name, sl_faces_plm, 1, SL_LIMITER_##name, 0)                                    \
    WAVES_OF(plm_##name, sl_faces_plm, 1, SL_LIMITER_##name, 1)
SL_RECONSTRUCT_LIST(WAVES)
SL_LIMITER_LIST(WAVES_PLM)

sl_wave_rows *sl_rows_characteristic(int method, int limiter, int field)
{
#define ROW(name, ghost, ...) {waves_##name##_0, waves_##name##_1},
#define ROW_PLM(name, about)  {waves_plm_##name##_0, waves_plm_##name##_1},
    static sl_wave_rows *const all[][2] = {SL_RECONSTRUCT_LIST(ROW)};
    static sl_wave_rows *const plm[][2] = {SL_LIMITER_LIST(ROW_PLM)};
    return method == SL_RECONSTRUCT_plm ? plm[limiter][field] : all[method][field];
}
