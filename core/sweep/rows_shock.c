/* rows_shock.c - see rows_shock.h. */
#include "core/sweep/rows_shock.h"

#include "core/cell/shock.h"
#include "core/sweep/lanes.h"

#define SIMD SL_SIMD

enum { CELLS = 64 }; /* asked at once: most groups hold no shock */

/* Where the values of neighbouring cells and of those before and after them along an axis lie. */
struct line {
    const sl_real *rho, *rho_before, *rho_after, *u, *u_before, *u_after;
    const sl_real *p, *p_before, *p_after, *bx, *by, *bz;
    const sl_real *v_before, *v_after, *w_before, *w_after;
};

static struct line line_of(const struct sl_layout *l, const struct sl_near *q, ptrdiff_t at)
{
    ptrdiff_t speed = (SL_MX + q->axis) * q->var, p = l->energy < 0 ? 0 : l->energy * q->var;
    ptrdiff_t v = (SL_MX + (q->axis + 1) % 3) * q->var, w = (SL_MX + (q->axis + 2) % 3) * q->var;
    const sl_real *rho = q->at[2] + at, *before = q->at[1] + at, *after = q->at[3] + at;
    const sl_real *b = l->magnetic < 0 ? rho : rho + l->magnetic * q->var;
    struct line f = {rho,           before,         after,      rho + speed, before + speed,
                     after + speed, rho + p,        before + p, after + p,   b,
                     b + q->var,    b + 2 * q->var, before + v, after + v,   before + w,
                     after + w};
    return f;
}

static int any_may_shock(struct line w, int n)
{
    int any = 0;
    SIMD for (int i = 0; i < n; i++) any |=
        sl_may_shock(w.rho[i], w.rho_before[i], w.rho_after[i], w.u_before[i], w.u_after[i], w.p[i],
                     w.p_before[i], w.p_after[i]);
    return any;
}

/* sl_in_shock of n cells, as shares of 0 and 1; whether one is in a shock. */
SL_FN int shares(int eos, int field, const struct sl_gas *of, struct line w, int n,
                 sl_real *restrict share)
{
    struct sl_gas gas = *of;
    int any = 0;
    gas.eos = eos;
    SIMD for (int i = 0; i < n; i++)
    {
        sl_real dv = w.v_before[i] - w.v_after[i], dw = w.w_before[i] - w.w_after[i];
        sl_real b2 = field ? sl_square3(w.bx[i], w.by[i], w.bz[i]) : 0;
        struct sl_between b = {w.rho[i],      w.rho_before[i],  w.rho_after[i], w.u[i],
                               w.u_before[i], w.u_after[i],     w.p[i],         w.p_before[i],
                               w.p_after[i],  dv * dv + dw * dw};
        int in = sl_in_shock(b, sl_stiffness(&gas, w.rho[i], w.p[i], b2));
        share[i] = in ? 1 : 0;
        any |= in;
    }
    return any;
}

/* Moves both faces of a cell to its average by a share, in all variables that flow. */
static void limit_cell(const struct sl_scheme *s, const struct sl_near *q, ptrdiff_t at,
                       sl_real share, struct sl_view minus, struct sl_view plus)
{
    for (int v = 0; v < s->layout.nflow; v++) {
        const sl_real mean = q->at[2][at + v * q->var];
        sl_real *low = minus.at + v * minus.var, *high = plus.at + v * plus.var;
        *low = sl_shock_limited(share, mean, *low);
        *high = sl_shock_limited(share, mean, *high);
    }
}

static void limit_cells(const struct sl_scheme *s, const struct sl_near *q, ptrdiff_t at, int n,
                        const sl_real *share, struct sl_view minus, struct sl_view plus)
{
    for (int i = 0; i < n; i++)
        if (share[i] > 0)
            limit_cell(s, q, at + i, share[i], sl_view_move(minus, i), sl_view_move(plus, i));
}

SL_FN void limit_rows(int eos, int field, const struct sl_scheme *s, struct sl_shape shape,
                      const struct sl_near *q, struct sl_view minus, struct sl_view plus)
{
    sl_real share[CELLS];
    for (int r = 0; r < shape.rows; r++)
        for (int i = 0; i < shape.n; i += CELLS) {
            int n = shape.n - i < CELLS ? shape.n - i : CELLS;
            ptrdiff_t at = r * q->row + i;
            struct line w = line_of(&s->layout, q, at);
            if (any_may_shock(w, n) && shares(eos, field, &s->gas, w, n, share))
                limit_cells(s, q, at, n, share, sl_view_move(minus, r * minus.row + i),
                            sl_view_move(plus, r * plus.row + i));
        }
}

static void limit_ideal(const struct sl_scheme *s, struct sl_shape shape, const struct sl_near *q,
                        struct sl_view minus, struct sl_view plus)
{
    limit_rows(SL_EOS_ideal, 0, s, shape, q, minus, plus);
}

static void limit_isothermal(const struct sl_scheme *s, struct sl_shape shape,
                             const struct sl_near *q, struct sl_view minus, struct sl_view plus)
{
    limit_rows(SL_EOS_isothermal, 0, s, shape, q, minus, plus);
}

static void limit_with_field(const struct sl_scheme *s, struct sl_shape shape,
                             const struct sl_near *q, struct sl_view minus, struct sl_view plus)
{
    limit_rows(s->gas.eos, 1, s, shape, q, minus, plus);
}

/* sl_flatness, and 1 where the sensor finds a shock. */
static sl_real flattening(const struct sl_scheme *s, const struct sl_near *q, ptrdiff_t at)
{
    const struct sl_layout *l = &s->layout;
    ptrdiff_t pressure = (l->energy < 0 ? 0 : l->energy) * q->var;
    ptrdiff_t speed = (SL_MX + q->axis) * q->var;
    sl_real p[5], share;
    for (int d = 0; d < 5; d++)
        p[d] = q->at[d][at + pressure];
    shares(s->gas.eos, l->magnetic >= 0, &s->gas, line_of(l, q, at), 1, &share);
    return sl_max(share, sl_flatness(p, q->at[1][at + speed], q->at[3][at + speed]));
}

static void flatten(const struct sl_scheme *s, struct sl_shape shape, const struct sl_near *q,
                    struct sl_view minus, struct sl_view plus)
{
    for (int r = 0; r < shape.rows; r++)
        for (int i = 0; i < shape.n; i++) {
            ptrdiff_t at = r * q->row + i;
            sl_real share = flattening(s, q, at);
            limit_cells(s, q, at, 1, &share, sl_view_move(minus, r * minus.row + i),
                        sl_view_move(plus, r * plus.row + i));
        }
}

sl_shock_rows *sl_rows_shock(const struct sl_gas *gas, const struct sl_layout *l)
{
    if (gas->shocks == SL_SHOCK_none) return NULL;
    if (gas->shocks == SL_SHOCK_flatten) return flatten;
    if (l->magnetic >= 0) return limit_with_field;
    return gas->eos == SL_EOS_isothermal ? limit_isothermal : limit_ideal;
}
