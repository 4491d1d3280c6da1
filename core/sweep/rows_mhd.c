/* rows_mhd.c - see rows_mhd.h. */
#include "core/sweep/rows_mhd.h"

#include "core/sweep/lanes.h"
#include "core/sweep/place.h"

/* First variable of the field. */
SL_FN int magnetic_of(int eos)
{
    return eos == SL_EOS_isothermal ? 4 : 5;
}

/* ---- fluxes --------------------------------------------------------------------------------- */

typedef struct sl_mhd_cons flux_of_face(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                        struct sl_mhd_prim r);

SL_FN struct sl_place place_of(struct sl_view a, int eos, int axis, int row)
{
    return sl_place_of(sl_view_move(a, row * a.row), eos, axis);
}

SL_FN void flux_row(flux_of_face *solver, int staggered, const struct sl_gas *of, struct sl_place a,
                    struct sl_place b, int n, const sl_real *compression, struct sl_place f)
{
    sl_real *restrict rho = f.rho, *restrict mx = f.u, *restrict my = f.v, *restrict mz = f.w;
    sl_real *restrict en = f.p, *restrict bn = f.bn, *restrict by = f.by, *restrict bz = f.bz;
    sl_real *restrict psi = f.psi;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        struct sl_gas face = *of;
        if (compression) face.compression = compression[i];
        const struct sl_gas *gas = &face;
        struct sl_mhd_normal m = {a.bn[i], 0};
        if (!staggered) m = sl_mhd_normal(gas->ch, a.bn[i], b.bn[i], a.psi[i], b.psi[i]);
        struct sl_mhd_cons c = solver(gas, m.bn, sl_place_mhd(gas, a, i), sl_place_mhd(gas, b, i));
        rho[i] = c.rho;
        mx[i] = c.mx;
        my[i] = c.my;
        mz[i] = c.mz;
        if (gas->eos != SL_EOS_isothermal) en[i] = c.en;
        by[i] = c.by;
        bz[i] = c.bz;
        if (staggered) continue;
        bn[i] = m.psi;
        psi[i] = gas->ch * gas->ch * m.bn;
    }
}

SL_FN void flux_rows(flux_of_face *solver, int id, int staggered, int eos, const struct sl_gas *of,
                     struct sl_shape s, int axis, struct sl_view l, struct sl_view r,
                     const sl_real *compression, struct sl_view f)
{
    struct sl_gas gas = *of;
    gas.eos = eos;
    for (int row = 0; row < s.rows; row++)
        flux_row(solver, staggered, &gas, place_of(l, eos, axis, row), place_of(r, eos, axis, row),
                 s.n, sl_riemann_needs_compression(id) ? compression : NULL,
                 place_of(f, eos, axis, row));
}

/* For repairs, with psi. */
SL_FN void safe_rows(int eos, const struct sl_gas *of, struct sl_shape s, int axis,
                     struct sl_view l, struct sl_view r, struct sl_view to)
{
    struct sl_gas gas = *of;
    gas.eos = eos;
    for (int row = 0; row < s.rows; row++) {
        struct sl_place a = place_of(l, eos, axis, row), b = place_of(r, eos, axis, row);
        struct sl_place f = place_of(to, eos, axis, row);
        for (int i = 0; i < s.n; i++) {
            struct sl_mhd_whole w = sl_mhd_safe(&gas, a.bn[i], b.bn[i], a.psi[i], b.psi[i],
                                                sl_place_mhd(&gas, a, i), sl_place_mhd(&gas, b, i));
            f.rho[i] = w.c.rho;
            f.u[i] = w.c.mx;
            f.v[i] = w.c.my;
            f.w[i] = w.c.mz;
            if (eos != SL_EOS_isothermal) f.p[i] = w.c.en;
            f.bn[i] = w.bn;
            f.by[i] = w.c.by;
            f.bz[i] = w.c.bz;
            f.psi[i] = w.psi;
        }
    }
}

void sl_rows_mhd_safe(struct sl_shape s, const struct sl_gas *gas, int axis, struct sl_view l,
                      struct sl_view r, const sl_real *compression, struct sl_view f)
{
    (void)compression;
    if (gas->eos == SL_EOS_isothermal)
        safe_rows(SL_EOS_isothermal, gas, s, axis, l, r, f);
    else
        safe_rows(SL_EOS_ideal, gas, s, axis, l, r, f);
}

#define FLUX_OF(name, eos_name, staggered)                                                         \
    static void flux_##name##_##eos_name##_##staggered(                                            \
        struct sl_shape s, const struct sl_gas *gas, int axis, struct sl_view l, struct sl_view r, \
        const sl_real *compression, struct sl_view f)                                              \
    {                                                                                              \
        flux_rows(sl_mhd_##name, SL_RIEMANN_##name, staggered, SL_EOS_##eos_name, gas, s, axis, l, \
                  r, compression, f);                                                              \
    }
#define FLUX_mhd(name)                                                                             \
    FLUX_OF(name, ideal, 0)                                                                        \
    FLUX_OF(name, ideal, 1) FLUX_OF(name, isothermal, 0) FLUX_OF(name, isothermal, 1)
#define FLUX_both(name) FLUX_mhd(name)
#define FLUX_gas(name)
#define FLUX(name, physics, ...) FLUX_##physics(name)
SL_RIEMANN_LIST(FLUX)

sl_flux_rows *sl_rows_mhd_flux(int solver, int isothermal, int staggered)
{
#define ROW_mhd(name)                                                                              \
    {{flux_##name##_ideal_0, flux_##name##_ideal_1},                                               \
     {flux_##name##_isothermal_0, flux_##name##_isothermal_1}},
#define ROW_both(name)            ROW_mhd(name)
#define ROW_gas(name)             {{NULL, NULL}, {NULL, NULL}},
#define ENTRY(name, physics, ...) ROW_##physics(name)
    static sl_flux_rows *const flux[][2][2] = {SL_RIEMANN_LIST(ENTRY)};
    return flux[solver][isothermal][staggered];
}

/* ---- cells ---------------------------------------------------------------------------------- */

SL_FN struct sl_cons cons_at(const sl_real *u, ptrdiff_t var, int eos, int i)
{
    struct sl_cons c = {u[i], u[var + i], u[2 * var + i], u[3 * var + i], 0};
    if (eos != SL_EOS_isothermal) c.en = u[4 * var + i];
    return c;
}

SL_FN void prim_row(const struct sl_gas *gas, int cleaning, int n, const sl_real *u, ptrdiff_t uvar,
                    sl_real *q, ptrdiff_t qvar)
{
    int m = magnetic_of(gas->eos);
    const sl_real *bx = u + m * uvar, *by = bx + uvar, *bz = by + uvar, *psi = bz + uvar;
    sl_real *restrict rho = q, *restrict vx = rho + qvar, *restrict vy = vx + qvar;
    sl_real *restrict vz = vy + qvar, *restrict p = vz + qvar, *restrict fx = q + m * qvar;
    sl_real *restrict fy = fx + qvar, *restrict fz = fy + qvar, *restrict out = fz + qvar;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        sl_real b2 = sl_square3(bx[i], by[i], bz[i]);
        struct sl_prim w = sl_mhd_prim(gas, cons_at(u, uvar, gas->eos, i), b2);
        rho[i] = w.rho;
        vx[i] = w.u;
        vy[i] = w.v;
        vz[i] = w.w;
        if (gas->eos != SL_EOS_isothermal) p[i] = w.p;
        fx[i] = bx[i];
        fy[i] = by[i];
        fz[i] = bz[i];
        if (cleaning) out[i] = psi[i];
    }
}

SL_FN void prim_rows(int eos, int cleaning, const struct sl_gas *of, struct sl_shape s,
                     struct sl_view u, struct sl_view q)
{
    struct sl_gas gas = *of;
    gas.eos = eos;
    for (int r = 0; r < s.rows; r++)
        prim_row(&gas, cleaning, s.n, u.at + r * u.row, u.var, q.at + r * q.row, q.var);
}

void sl_rows_mhd_prim(const struct sl_gas *gas, int cleaning, struct sl_shape s, struct sl_view u,
                      struct sl_view q)
{
    if (gas->eos == SL_EOS_isothermal && cleaning)
        prim_rows(SL_EOS_isothermal, 1, gas, s, u, q);
    else if (gas->eos == SL_EOS_isothermal)
        prim_rows(SL_EOS_isothermal, 0, gas, s, u, q);
    else if (cleaning)
        prim_rows(SL_EOS_ideal, 1, gas, s, u, q);
    else
        prim_rows(SL_EOS_ideal, 0, gas, s, u, q);
}

SL_FN void signal_row(int eos, int speeds, const struct sl_gas *of, int n, const sl_real per_dx[3],
                      const sl_real *u, ptrdiff_t var, struct sl_view signal)
{
    struct sl_gas gas = *of;
    gas.eos = eos;
    const sl_real *bx = u + magnetic_of(eos) * var, *by = bx + var, *bz = by + var;
    const sl_real px = per_dx[0], py = per_dx[1], pz = per_dx[2];
    sl_real *restrict bad = signal.at, *restrict rate_max = bad + signal.var;
    sl_real *restrict rate_sum = rate_max + signal.var;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        sl_real x2 = bx[i] * bx[i], y2 = by[i] * by[i], z2 = bz[i] * bz[i];
        sl_real b2 = sl_sum3(x2, y2, z2);
        struct sl_cons c = cons_at(u, var, eos, i), g = c;
        if (eos != SL_EOS_isothermal) g.en = c.en - (sl_real)0.5 * b2;
        int lost = sl_bad_state(&gas, g) | !(b2 < (sl_real)HUGE_VAL);
        bad[i] = lost ? 1 : bad[i];
        if (speeds) {
            struct sl_prim w = sl_mhd_prim(&gas, c, b2);
            sl_real x = (sl_abs(w.u) + sl_fast_speed(&gas, w.rho, w.p, x2, y2 + z2)) * px;
            sl_real y = (sl_abs(w.v) + sl_fast_speed(&gas, w.rho, w.p, y2, z2 + x2)) * py;
            sl_real z = (sl_abs(w.w) + sl_fast_speed(&gas, w.rho, w.p, z2, x2 + y2)) * pz;
            rate_max[i] = sl_max(sl_max(x, sl_max(y, z)), rate_max[i]);
            rate_sum[i] = sl_max(sl_sum3(x, y, z), rate_sum[i]);
        }
    }
}

void sl_rows_mhd_signal(const struct sl_gas *gas, struct sl_shape s, const sl_real per_dx[3],
                        struct sl_view u, struct sl_view signal)
{
    static const sl_real none[3] = {0, 0, 0};
    for (int r = 0; r < s.rows; r++) {
        const sl_real *at = u.at + r * u.row;
        if (gas->eos == SL_EOS_isothermal && per_dx)
            signal_row(SL_EOS_isothermal, 1, gas, s.n, per_dx, at, u.var, signal);
        else if (gas->eos == SL_EOS_isothermal)
            signal_row(SL_EOS_isothermal, 0, gas, s.n, none, at, u.var, signal);
        else if (per_dx)
            signal_row(SL_EOS_ideal, 1, gas, s.n, per_dx, at, u.var, signal);
        else
            signal_row(SL_EOS_ideal, 0, gas, s.n, none, at, u.var, signal);
    }
}

void sl_rows_mhd_damp(struct sl_shape s, int var, sl_real damp, struct sl_view u)
{
    for (int r = 0; r < s.rows; r++) {
        sl_real *restrict psi = u.at + var * u.var + r * u.row;
        SL_SIMD for (int i = 0; i < s.n; i++) psi[i] = damp * psi[i];
    }
}
