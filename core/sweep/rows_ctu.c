/* rows_ctu.c - see rows_ctu.h. */
#include "core/sweep/rows_ctu.h"

#include <string.h>

#include "core/cell/ct.h"
#include "core/cell/predict.h"
#include "core/cell/reconstruct.h"
#include "core/cell/update.h"
#include "core/sweep/lanes.h"
#include "core/sweep/place.h"

static int first_extra(const struct sl_layout *l)
{
    return l->scalar0 - (l->entropy >= 0);
}

/* ---- half a step along one axis -------------------------------------------------------------- */

/* What is added to a value at the lower and at the upper face of a cell; curved: with the
 * parabola. */
struct moves {
    sl_real low, high;
};

SL_FN struct moves moves_of(int curved, sl_real half, sl_real slope, sl_real curve, sl_real twice)
{
    sl_real chord = half * slope;
    struct moves m = {chord, chord};
    if (curved) {
        m.low = sl_predict_low(half, slope, curve, twice);
        m.high = sl_predict_high(half, slope, curve, twice);
    }
    return m;
}

SL_FN void add(sl_real *a, sl_real *b, int i, struct moves m)
{
    a[i] = a[i] + m.low;
    b[i] = b[i] + m.high;
}

/* u has its own speed at the faces. */
SL_FN struct moves steepens(sl_real half, sl_real u, sl_real low, sl_real high)
{
    struct moves m = {sl_predict_steepen(half, u, low, high - low),
                      sl_predict_steepen(half, u, high, high - low)};
    return m;
}

/* 1 where both values stay positive. */
SL_FN int stays(sl_real a, sl_real b, struct moves m)
{
    return (a + m.low > 0) & (b + m.high > 0);
}

SL_FN struct sl_prim curve_gas(struct sl_prim q, struct sl_prim l, struct sl_prim r)
{
    struct sl_prim c = {sl_predict_curve(q.rho, l.rho, r.rho), sl_predict_curve(q.u, l.u, r.u),
                        sl_predict_curve(q.v, l.v, r.v), sl_predict_curve(q.w, l.w, r.w),
                        sl_predict_curve(q.p, l.p, r.p)};
    return c;
}

SL_FN void predict_gas(const struct sl_gas *gas, int curved, int n, sl_real half, struct sl_place q,
                       struct sl_place a, struct sl_place b)
{
    int warm = gas->eos != SL_EOS_isothermal;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        struct sl_prim w = sl_place_gas(gas, q, i);
        struct sl_prim l = sl_place_gas(gas, a, i), r = sl_place_gas(gas, b, i);
        struct sl_prim d = {r.rho - l.rho, r.u - l.u, r.v - l.v, r.w - l.w, r.p - l.p};
        struct sl_prim m = sl_predict_gas(gas, w, d), c = m, t = m;
        if (curved) c = sl_predict_gas(gas, w, curve_gas(w, l, r)), t = sl_predict_gas(gas, w, c);
        int good = stays(l.rho, r.rho, moves_of(curved, half, m.rho, c.rho, t.rho));
        if (warm) good &= stays(l.p, r.p, moves_of(curved, half, m.p, c.p, t.p));
        sl_real h = good ? half : 0;
        add(a.rho, b.rho, i, moves_of(curved, h, m.rho, c.rho, t.rho));
        add(a.u, b.u, i, moves_of(curved, h, m.u, c.u, t.u));
        add(a.u, b.u, i, steepens(h, w.u, l.u, r.u));
        add(a.v, b.v, i, moves_of(curved, h, m.v, c.v, t.v));
        add(a.w, b.w, i, moves_of(curved, h, m.w, c.w, t.w));
        if (warm) add(a.p, b.p, i, moves_of(curved, h, m.p, c.p, t.p));
    }
}

/* The field across a face is linear in a cell: it has no curve. */
SL_FN struct sl_mhd_prim curve_mhd(struct sl_mhd_prim q, struct sl_mhd_prim l, struct sl_mhd_prim r)
{
    struct sl_mhd_prim c = {
        sl_predict_curve(q.rho, l.rho, r.rho), sl_predict_curve(q.u, l.u, r.u),
        sl_predict_curve(q.v, l.v, r.v),       sl_predict_curve(q.w, l.w, r.w),
        sl_predict_curve(q.p, l.p, r.p),       sl_predict_curve(q.by, l.by, r.by),
        sl_predict_curve(q.bz, l.bz, r.bz)};
    return c;
}

SL_FN void predict_mhd(const struct sl_gas *gas, int curved, int along_y, int n, sl_real half,
                       const sl_real *across, const sl_real *beyond, struct sl_place q,
                       struct sl_place a, struct sl_place b)
{
    int warm = gas->eos != SL_EOS_isothermal;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        struct sl_mhd_prim w = sl_place_mhd(gas, q, i);
        struct sl_mhd_prim l = sl_place_mhd(gas, a, i), r = sl_place_mhd(gas, b, i);
        struct sl_mhd_prim d = {r.rho - l.rho, r.u - l.u,   r.v - l.v,  r.w - l.w,
                                r.p - l.p,     r.by - l.by, r.bz - l.bz};
        struct sl_mhd_prim m = sl_predict(gas, along_y, q.bn[i], beyond[i] - across[i], w, d);
        struct sl_mhd_prim c = m, t = m;
        if (curved) {
            c = sl_predict(gas, along_y, q.bn[i], 0, w, curve_mhd(w, l, r));
            t = sl_predict(gas, along_y, q.bn[i], 0, w, c);
        }
        int good = stays(l.rho, r.rho, moves_of(curved, half, m.rho, c.rho, t.rho));
        if (warm) good &= stays(l.p, r.p, moves_of(curved, half, m.p, c.p, t.p));
        sl_real h = good ? half : 0;
        add(a.rho, b.rho, i, moves_of(curved, h, m.rho, c.rho, t.rho));
        add(a.u, b.u, i, moves_of(curved, h, m.u, c.u, t.u));
        add(a.u, b.u, i, steepens(h, w.u, l.u, r.u));
        add(a.v, b.v, i, moves_of(curved, h, m.v, c.v, t.v));
        add(a.w, b.w, i, moves_of(curved, h, m.w, c.w, t.w));
        if (warm) add(a.p, b.p, i, moves_of(curved, h, m.p, c.p, t.p));
        add(a.by, b.by, i, moves_of(curved, h, m.by, c.by, t.by));
        add(a.bz, b.bz, i, moves_of(curved, h, m.bz, c.bz, t.bz));
    }
}

/* Carried with the gas: q_t = -u q_x. */
SL_FN void predict_extra(int curved, int n, sl_real half, const sl_real *u, const sl_real *q,
                         sl_real *a, sl_real *b)
{
    SL_SIMD for (int i = 0; i < n; i++)
    {
        sl_real by = -half * u[i] * (b[i] - a[i]), c = -u[i] * sl_predict_curve(q[i], a[i], b[i]);
        struct moves m = {by, by};
        if (curved) m = moves_of(1, half, -u[i] * (b[i] - a[i]), c, -u[i] * c);
        add(a, b, i, m);
    }
}

static void extras(const struct sl_scheme *s, int n, int axis, sl_real half, struct sl_view q,
                   struct sl_view minus, struct sl_view plus)
{
    const sl_real *u = q.at + (1 + axis) * q.var;
    for (int v = first_extra(&s->layout); v < s->layout.nflow; v++) {
        sl_real *a = minus.at + v * minus.var, *b = plus.at + v * plus.var;
        if (sl_reconstruct_curved(s->method))
            predict_extra(1, n, half, u, q.at + v * q.var, a, b);
        else
            predict_extra(0, n, half, u, q.at + v * q.var, a, b);
    }
}

SL_FN void predict(const struct sl_scheme *s, int eos, int field, int curved, int n, int axis,
                   sl_real half, const sl_real *across, ptrdiff_t next, struct sl_view q,
                   struct sl_view minus, struct sl_view plus)
{
    struct sl_gas gas = s->gas;
    gas.eos = eos;
    struct sl_place c = sl_place_of(q, eos, axis), a = sl_place_of(minus, eos, axis);
    struct sl_place b = sl_place_of(plus, eos, axis);
    if (field && axis == 0)
        predict_mhd(&gas, curved, 1, n, half, across, across + next, c, a, b);
    else if (field)
        predict_mhd(&gas, curved, 0, n, half, across, across + next, c, a, b);
    else
        predict_gas(&gas, curved, n, half, c, a, b);
}

#define PREDICT_ARGS                                                                               \
    const struct sl_scheme *s, int n, int axis, sl_real half, const sl_real *across,               \
        ptrdiff_t next, struct sl_view q, struct sl_view minus, struct sl_view plus
/* One loop per equation of state, field, and form of a cell. */
#define PREDICT(eos, field, curved)                                                                \
    static void predict_##eos##field##curved(PREDICT_ARGS)                                         \
    {                                                                                              \
        predict(s, SL_EOS_##eos, field, curved, n, axis, half, across, next, q, minus, plus);      \
    }
PREDICT(ideal, 0, 0)
PREDICT(ideal, 0, 1)
PREDICT(ideal, 1, 0)
PREDICT(ideal, 1, 1)
PREDICT(isothermal, 0, 0)
PREDICT(isothermal, 0, 1)
PREDICT(isothermal, 1, 0)
PREDICT(isothermal, 1, 1)

void sl_rows_ctu_predict(PREDICT_ARGS)
{
    static void (*const loops[2][2][2])(PREDICT_ARGS) = {
        {{predict_ideal00, predict_ideal01}, {predict_ideal10, predict_ideal11}},
        {{predict_isothermal00, predict_isothermal01},
         {predict_isothermal10, predict_isothermal11}}};
    int isothermal = s->gas.eos == SL_EOS_isothermal, curved = sl_reconstruct_curved(s->method);
    extras(s, n, axis, half, q, minus, plus);
    loops[isothermal][across != NULL][curved](s, n, axis, half, across, next, q, minus, plus);
}

/* ---- corrections ----------------------------------------------------------------------------- */

SL_FN void correct_gas(const struct sl_gas *gas, int n, sl_real half, struct sl_place f,
                       struct sl_place g, struct sl_place w)
{
    int warm = gas->eos != SL_EOS_isothermal;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        struct sl_cons c = {half * (g.rho[i] - f.rho[i]), half * (g.u[i] - f.u[i]),
                            half * (g.v[i] - f.v[i]), half * (g.w[i] - f.w[i]), 0};
        if (warm) c.en = half * (g.p[i] - f.p[i]);
        sl_place_put(w, i, warm, sl_correct_gas(gas, c, sl_place_gas(gas, w, i)));
    }
}

/* along_y: the other axis is the one of by, else that of bz; its component has no flux along
 * itself. */
SL_FN void correct_mhd(const struct sl_gas *gas, int along_y, int n, sl_real mine, sl_real half,
                       const struct sl_ctu_row *with, struct sl_place q, struct sl_place f,
                       struct sl_place g, struct sl_place w)
{
    int warm = gas->eos != SL_EOS_isothermal;
    const sl_real *across = with->across, *beyond = across + with->next, *old = with->old;
    const sl_real *half_way = with->half_way;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        struct sl_correction s;
        s.flux.rho = half * (g.rho[i] - f.rho[i]);
        s.flux.mx = half * (g.u[i] - f.u[i]);
        s.flux.my = half * (g.v[i] - f.v[i]);
        s.flux.mz = half * (g.w[i] - f.w[i]);
        s.flux.en = warm ? half * (g.p[i] - f.p[i]) : 0;
        s.flux.by = along_y ? 0 : half * (g.by[i] - f.by[i]);
        s.flux.bz = along_y ? half * (g.bz[i] - f.bz[i]) : 0;
        s.dbn = mine * (beyond[i] - across[i]);
        s.up = along_y ? q.w[i] : q.v[i];
        s.bx = q.bn[i];
        s.by = q.by[i];
        s.bz = q.bz[i];
        s.bn_old = old[i];
        s.bn_new = half_way[i];
        struct sl_mhd_prim r = sl_correct(gas, along_y, s, sl_place_mhd(gas, w, i));
        struct sl_prim gas_part = {r.rho, r.u, r.v, r.w, r.p};
        sl_place_put(w, i, warm, gas_part);
        w.bn[i] = s.bn_new;
        w.by[i] = r.by;
        w.bz[i] = r.bz;
    }
}

/* As densities: the flux along the other axis carries them; before the density is corrected. */
static void correct_extra(int n, sl_real half, int v, struct sl_view f, struct sl_view g,
                          struct sl_view w)
{
    const sl_real *rho = w.at, *f0 = f.at, *g0 = g.at, *fv = f.at + v * f.var;
    const sl_real *gv = g.at + v * g.var;
    sl_real *restrict q = w.at + v * w.var;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        sl_real now = rho[i] - half * (g0[i] - f0[i]);
        sl_real carried = rho[i] * q[i] - half * (gv[i] - fv[i]);
        q[i] = now > 0 ? carried / now : q[i];
    }
}

SL_FN void correct(const struct sl_scheme *s, int eos, int field, int n,
                   const struct sl_ctu_row *with, struct sl_view w)
{
    struct sl_gas gas = s->gas;
    gas.eos = eos;
    sl_real mine = with->half[with->axis], half = with->half[1 - with->axis];
    struct sl_place q = sl_place_of(with->q, eos, with->axis), a = sl_place_of(w, eos, with->axis);
    struct sl_place f = sl_place_of(with->lower, eos, with->axis);
    struct sl_place g = sl_place_of(with->upper, eos, with->axis);
    if (!field)
        correct_gas(&gas, n, half, f, g, a);
    else if (with->axis == 0)
        correct_mhd(&gas, 1, n, mine, half, with, q, f, g, a);
    else
        correct_mhd(&gas, 0, n, mine, half, with, q, f, g, a);
}

/* Where the thermal energy is a small difference the pressure comes from the entropy. */
static void correct_dual(const struct sl_scheme *s, int n, const sl_real *bn, struct sl_view w)
{
    for (int i = 0; i < n; i++) {
        sl_real *at = w.at + i, rho = at[0], field = 0;
        sl_real v2 = sl_speed_squared(at[w.var], at[2 * w.var], at[3 * w.var]);
        const sl_real *b = at + s->layout.magnetic * w.var;
        if (bn) field = (sl_real)0.5 * sl_speed_squared(b[0], b[w.var], b[2 * w.var]);
        sl_real p = at[4 * w.var], heat = p / (s->gas.gamma - 1);
        sl_real total = (heat + (sl_real)0.5 * rho * v2) + field;
        if (sl_entropy_rules(&s->gas, total, p, s->dual_eta))
            at[4 * w.var] =
                sl_entropy_to_pressure(&s->gas, rho, rho * at[s->layout.entropy * w.var]);
    }
}

void sl_rows_ctu_correct(const struct sl_scheme *s, int n, const struct sl_ctu_row *with,
                         struct sl_view w)
{
    int isothermal = s->gas.eos == SL_EOS_isothermal;
    for (int v = first_extra(&s->layout); v < s->layout.nflow; v++)
        correct_extra(n, with->half[1 - with->axis], v, with->lower, with->upper, w);
    if (with->across && isothermal)
        correct(s, SL_EOS_isothermal, 1, n, with, w);
    else if (with->across)
        correct(s, SL_EOS_ideal, 1, n, with, w);
    else if (isothermal)
        correct(s, SL_EOS_isothermal, 0, n, with, w);
    else
        correct(s, SL_EOS_ideal, 0, n, with, w);
    if (s->layout.entropy >= 0) correct_dual(s, n, with->across, w);
}

/* ---- after half a step ----------------------------------------------------------------------- */

void sl_rows_ctu_density(struct sl_shape shape, const struct sl_fluxes *f, struct sl_view u,
                         struct sl_view rho)
{
    for (int r = 0; r < shape.rows; r++) {
        const sl_real *now = u.at + r * u.row;
        sl_real *restrict out = rho.at + r * rho.row;
        memcpy(out, now, (size_t)shape.n * sizeof *out);
        for (int d = 0; d < f->dim; d++) {
            const sl_real *low = f->lower[d].at + r * f->lower[d].row;
            const sl_real *high = f->upper[d].at + r * f->upper[d].row;
            const sl_real dt_dx = f->dt_dx[d];
            SL_SIMD for (int i = 0; i < shape.n; i++) out[i] =
                sl_update_half_density(out[i], dt_dx, low[i], high[i]);
        }
    }
}

/* ---- electric field -------------------------------------------------------------------------- */

void sl_rows_ctu_electric(int n, const struct sl_ctu_cells *from, sl_real *restrict e)
{
    const struct sl_ctu_cells s = *from;
    const sl_real *u = s.u.at, *xl = s.xlow.at, *xh = s.xhigh.at, *yl = s.ylow.at, *yh = s.yhigh.at;
    const ptrdiff_t var = s.u.var, fx = s.xlow.var, fy = s.ylow.var;
    const sl_real *bx = s.bx, *by = s.by, *up = s.by + s.row;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        sl_real c[3];
        for (int v = 0; v < 3; v++)
            c[v] = u[v * var + i] - (s.half[0] * (xh[v * fx + i] - xl[v * fx + i]) +
                                     s.half[1] * (yh[v * fy + i] - yl[v * fy + i]));
        sl_real inv = 1 / c[0], mx = (sl_real)0.5 * (bx[i] + bx[i + 1]);
        sl_real my = (sl_real)0.5 * (by[i] + up[i]);
        e[i] = sl_ct_cell(c[1] * inv + s.kick[0], c[2] * inv + s.kick[1], mx, my);
    }
}
