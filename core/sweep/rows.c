/* rows.c - see rows.h. */
#include "core/sweep/rows.h"

#include "core/cell/reconstruct.h"
#include "core/cell/riemann.h"
#include "core/cell/update.h"
#include "core/sweep/lanes.h"
#include "core/sweep/rows_mhd.h"
#include "core/sweep/rows_shock.h"

#define SIMD SL_SIMD

/* ---- faces ---------------------------------------------------------------------------------- */

typedef struct sl_faces faces_of_cell(int limiter, sl_real theta, const sl_real *q);

SL_FN void faces_row(faces_of_cell *method, int reach, int limiter, sl_real theta, int n,
                     const struct sl_near *q, ptrdiff_t from, sl_real *restrict minus,
                     sl_real *restrict plus)
{
    const sl_real *a = q->at[0] + from, *b = q->at[1] + from, *c = q->at[2] + from;
    const sl_real *d = q->at[3] + from, *e = q->at[4] + from;
    SIMD for (int i = 0; i < n; i++)
    {
        sl_real near[5] = {0, 0, c[i], 0, 0};
        if (reach > 0) near[1] = b[i], near[3] = d[i];
        if (reach > 1) near[0] = a[i], near[4] = e[i];
        struct sl_faces f = method(limiter, theta, near);
        minus[i] = f.minus;
        plus[i] = f.plus;
    }
}

SL_FN void faces_rows(faces_of_cell *method, int reach, int limiter, sl_real theta,
                      struct sl_shape s, int nvar, const struct sl_near *q, struct sl_view minus,
                      struct sl_view plus)
{
    for (int v = 0; v < nvar; v++)
        for (int r = 0; r < s.rows; r++)
            faces_row(method, reach, limiter, theta, s.n, q, v * q->var + r * q->row,
                      minus.at + v * minus.var + r * minus.row,
                      plus.at + v * plus.var + r * plus.row);
}

#define FACES_ARGS                                                                                 \
    struct sl_shape s, int nvar, sl_real theta, const struct sl_near *q, struct sl_view minus,     \
        struct sl_view plus
/* One loop per method; plm once more per limiter. */
#define FACES(name, ghost, ...)                                                                    \
    static void faces_##name(FACES_ARGS)                                                           \
    {                                                                                              \
        faces_rows(sl_faces_##name, ghost - 1, 0, theta, s, nvar, q, minus, plus);                 \
    }
#define FACES_PLM(name, about)                                                                     \
    static void faces_plm_##name(FACES_ARGS)                                                       \
    {                                                                                              \
        faces_rows(sl_faces_plm, 1, SL_LIMITER_##name, theta, s, nvar, q, minus, plus);            \
    }
SL_RECONSTRUCT_LIST(FACES)
SL_LIMITER_LIST(FACES_PLM)

/* A face takes the average of the cell, as a whole. */
static void take_mean(int nvar, const struct sl_near *q, ptrdiff_t cell, struct sl_view f,
                      ptrdiff_t face)
{
    for (int v = 0; v < nvar; v++)
        f.at[face + v * f.var] = q->at[2][cell + v * q->var];
}

/* One without density or pressure does. */
static void faces_positive(const struct sl_scheme *s, struct sl_shape shape,
                           const struct sl_near *q, struct sl_view f)
{
    int nvar = s->layout.nflow, pressure = s->layout.energy < 0 ? 0 : s->layout.energy;
    for (int r = 0; r < shape.rows; r++)
        for (int i = 0; i < shape.n; i++) {
            const sl_real *at = f.at + r * f.row + i;
            if (!(at[0] > 0 && at[pressure * f.var] > 0))
                take_mean(nvar, q, r * q->row + i, f, r * f.row + i);
        }
}

/* One that is too hot does (reconstruct.h); next: the neighbour behind it. */
static void faces_cooled(const struct sl_scheme *s, struct sl_shape shape, const struct sl_near *q,
                         int next, struct sl_view f)
{
    int p = s->layout.energy;
    for (int r = 0; r < shape.rows; r++)
        for (int i = 0; i < shape.n; i++) {
            ptrdiff_t cell = r * q->row + i, face = r * f.row + i;
            const sl_real *a = f.at + face, *b = q->at[2] + cell, *c = q->at[next] + cell;
            struct sl_warmth at = {a[0], a[p * f.var]}, here = {b[0], b[p * q->var]};
            struct sl_warmth behind = {c[0], c[p * q->var]};
            if (sl_face_is_hot(at, here, behind)) take_mean(s->layout.nflow, q, cell, f, face);
        }
}

void sl_rows_faces(const struct sl_scheme *s, struct sl_shape shape, const struct sl_near *q,
                   struct sl_view minus, struct sl_view plus)
{
    if (s->waves)
        s->waves(s, shape, q, minus, plus);
    else
        s->faces(shape, s->layout.nflow, s->theta, q, minus, plus);
    if (s->shocks) s->shocks(s, shape, q, minus, plus);
    if (s->waves || sl_reconstruct_curved(s->method)) {
        faces_positive(s, shape, q, minus);
        faces_positive(s, shape, q, plus);
    }
    if (s->cools) {
        faces_cooled(s, shape, q, 1, minus);
        faces_cooled(s, shape, q, 3, plus);
    }
}

/* ---- fluxes --------------------------------------------------------------------------------- */

typedef struct sl_cons flux_of_face(const struct sl_gas *gas, struct sl_prim l, struct sl_prim r,
                                    struct sl_waves m);

enum { WAVES = 256 }; /* faces whose waves are made at once */
struct waves_of_row {
    sl_real slow[WAVES], fast[WAVES];
};

/* Where rho, the velocities across and along the face, and p lie in a view. */
struct place {
    const sl_real *rho, *u, *v, *w, *p;
};

SL_FN struct place place_of(struct sl_view a, int axis, int row)
{
    const sl_real *at = a.at + row * a.row;
    struct place p = {at, at + (1 + axis) * a.var, at + (1 + (axis + 1) % 3) * a.var,
                      at + (1 + (axis + 2) % 3) * a.var, at + 4 * a.var};
    return p;
}

SL_FN struct sl_prim prim_at(const struct sl_gas *gas, struct place p, int i)
{
    struct sl_prim w = {p.rho[i], p.u[i], p.v[i], p.w[i], 0};
    w.p = gas->eos == SL_EOS_isothermal ? w.rho * (gas->cs * gas->cs) : p.p[i];
    return w;
}

/* Where the flux goes. */
struct target {
    sl_real *rho, *mx, *my, *mz, *en;
};

SL_FN struct target target_of(struct sl_view f, int axis, int row)
{
    sl_real *at = f.at + row * f.row;
    struct target t = {at, at + (1 + axis) * f.var, at + (1 + (axis + 1) % 3) * f.var,
                       at + (1 + (axis + 2) % 3) * f.var, at + 4 * f.var};
    return t;
}

SL_FN void waves_row(const struct sl_gas *gas, struct place a, struct place b, int from, int n,
                     struct waves_of_row *m)
{
    sl_real *restrict slow = m->slow, *restrict fast = m->fast;
    SIMD for (int i = 0; i < n; i++)
    {
        struct sl_waves w = sl_waves_of(gas, prim_at(gas, a, from + i), prim_at(gas, b, from + i));
        slow[i] = w.slow;
        fast[i] = w.fast;
    }
}

SL_FN void flux_row(flux_of_face *solver, const struct sl_gas *of, struct place a, struct place b,
                    int from, int n, const struct waves_of_row *m, const sl_real *compression,
                    struct target f)
{
    sl_real *restrict rho = f.rho, *restrict mx = f.mx, *restrict my = f.my, *restrict mz = f.mz;
    sl_real *restrict en = f.en;
    SIMD for (int i = from; i < from + n; i++)
    {
        struct sl_gas face = *of;
        if (compression) face.compression = compression[i];
        const struct sl_gas *gas = &face;
        struct sl_prim l = prim_at(gas, a, i), r = prim_at(gas, b, i);
        struct sl_waves w = {0, 0};
        if (m) w.slow = m->slow[i - from], w.fast = m->fast[i - from];
        if (!m) w = sl_waves_of(gas, l, r);
        struct sl_cons c = solver(gas, l, r, w);
        rho[i] = c.rho;
        mx[i] = c.mx;
        my[i] = c.my;
        mz[i] = c.mz;
        if (gas->eos != SL_EOS_isothermal) en[i] = c.en;
    }
}

SL_FN void flux_rows(flux_of_face *solver, int id, int eos, const struct sl_gas *of,
                     struct sl_shape s, int axis, struct sl_view l, struct sl_view r,
                     const sl_real *compression, struct sl_view f)
{
    struct sl_gas gas = *of;
    struct waves_of_row waves;
    int in_two = sl_riemann_in_two(id);
    gas.eos = eos;
    if (!sl_riemann_needs_compression(id)) compression = NULL;
    for (int row = 0; row < s.rows; row++) {
        struct place a = place_of(l, axis, row), b = place_of(r, axis, row);
        struct target to = target_of(f, axis, row);
        for (int from = 0; in_two && from < s.n; from += WAVES) {
            int n = s.n - from < WAVES ? s.n - from : WAVES;
            waves_row(&gas, a, b, from, n, &waves);
            flux_row(solver, &gas, a, b, from, n, &waves, compression, to);
        }
        if (!in_two) flux_row(solver, &gas, a, b, 0, s.n, NULL, compression, to);
    }
}

#define FLUX_ARGS                                                                                  \
    struct sl_shape s, const struct sl_gas *gas, int axis, struct sl_view l, struct sl_view r,     \
        const sl_real *compression, struct sl_view f
#define FLUX_OF(name, eos_name)                                                                    \
    static void flux_##name##_##eos_name(FLUX_ARGS)                                                \
    {                                                                                              \
        flux_rows(sl_riemann_##name, SL_RIEMANN_##name, SL_EOS_##eos_name, gas, s, axis, l, r,     \
                  compression, f);                                                                 \
    }
#define FLUX_gas(name)  FLUX_OF(name, ideal) FLUX_OF(name, isothermal)
#define FLUX_both(name) FLUX_gas(name)
#define FLUX_mhd(name)
#define FLUX(name, physics, ...) FLUX_##physics(name)
SL_RIEMANN_LIST(FLUX)

/* Carried with the mass, from the side that the mass comes from. */
static void flux_extra(struct sl_shape s, struct sl_view l, struct sl_view r, struct sl_view f,
                       int v)
{
    for (int row = 0; row < s.rows; row++) {
        const sl_real *mass = f.at + row * f.row, *a = l.at + v * l.var + row * l.row;
        const sl_real *b = r.at + v * r.var + row * r.row;
        sl_real *restrict out = f.at + v * f.var + row * f.row;
        SIMD for (int i = 0; i < s.n; i++) out[i] = mass[i] * (mass[i] > 0 ? a[i] : b[i]);
    }
}

static int first_extra(const struct sl_layout *layout)
{
    return layout->scalar0 - (layout->entropy >= 0);
}

static void flux_extras(const struct sl_scheme *s, struct sl_shape shape, struct sl_view l,
                        struct sl_view r, struct sl_view f)
{
    for (int v = first_extra(&s->layout); v < s->layout.nflow; v++)
        flux_extra(shape, l, r, f, v);
}

void sl_rows_flux(const struct sl_scheme *s, struct sl_shape shape, int axis, struct sl_view l,
                  struct sl_view r, const sl_real *compression, struct sl_view f)
{
    s->flux(shape, &s->gas, axis, l, r, compression, f);
    flux_extras(s, shape, l, r, f);
}

void sl_rows_flux_safe(const struct sl_scheme *s, struct sl_shape shape, int axis, struct sl_view l,
                       struct sl_view r, struct sl_view f)
{
    s->flux_safe(shape, &s->gas, axis, l, r, NULL, f);
    flux_extras(s, shape, l, r, f);
}

void sl_rows_compression(struct sl_shape s, struct sl_view below, struct sl_view here,
                         struct sl_view above, sl_real *compression, ptrdiff_t row)
{
    for (int r = 0; r < s.rows; r++) {
        const sl_real *a = below.at + r * below.row, *b = here.at + r * here.row;
        const sl_real *c = above.at + r * above.row;
        sl_real *restrict out = compression + r * row;
        SIMD for (int i = 0; i < s.n; i++)
        {
            sl_real most = sl_max(a[i] - b[i], b[i] - c[i]);
            out[i] = sl_max(out[i], most);
        }
    }
}

/* ---- choices -------------------------------------------------------------------------------- */

void sl_scheme_find(struct sl_scheme *s, int method, int limiter, int solver)
{
#define FACES_ENTRY(name, ghost, ...)  faces_##name,
#define PLM_ENTRY(name, about)         faces_plm_##name,
#define ROW_gas(name)                  {flux_##name##_ideal, flux_##name##_isothermal},
#define ROW_both(name)                 ROW_gas(name)
#define ROW_mhd(name)                  {NULL, NULL},
#define FLUX_ENTRY(name, physics, ...) ROW_##physics(name)
    static void (*const faces[])(FACES_ARGS) = {SL_RECONSTRUCT_LIST(FACES_ENTRY)};
    static void (*const plm[])(FACES_ARGS) = {SL_LIMITER_LIST(PLM_ENTRY)};
    static sl_flux_rows *const flux[][2] = {SL_RIEMANN_LIST(FLUX_ENTRY)};
    int isothermal = s->gas.eos == SL_EOS_isothermal;
    solver = sl_riemann_of(solver, s->gas.eos);
    s->method = method;
    s->solver = solver;
    s->needs_compression = sl_riemann_needs_compression(solver);
    s->ghosts = sl_reconstruct_ghosts(method);
    if (s->needs_compression && s->ghosts < 2) s->ghosts = 2;
    s->faces = method == SL_RECONSTRUCT_plm ? plm[limiter] : faces[method];
    s->shocks = method == SL_RECONSTRUCT_constant ? NULL : sl_rows_shock(&s->gas, &s->layout);
    if (s->layout.magnetic >= 0) {
        int staggered = s->layout.face >= 0;
        s->flux = sl_rows_mhd_flux(solver, isothermal, staggered);
        s->flux_safe =
            staggered ? sl_rows_mhd_flux(SL_RIEMANN_llf, isothermal, 1) : sl_rows_mhd_safe;
    } else {
        s->flux = flux[solver][isothermal];
        s->flux_safe = flux[SL_RIEMANN_llf][isothermal];
    }
}

/* ---- cells ---------------------------------------------------------------------------------- */

SL_FN struct sl_cons cons_at(const sl_real *u, ptrdiff_t var, int eos, int i)
{
    struct sl_cons c = {u[i], u[var + i], u[2 * var + i], u[3 * var + i], 0};
    if (eos != SL_EOS_isothermal) c.en = u[4 * var + i];
    return c;
}

SL_FN void prim_rows(int eos, const struct sl_gas *of, struct sl_shape s, struct sl_view u,
                     struct sl_view q)
{
    struct sl_gas gas = *of;
    gas.eos = eos;
    for (int r = 0; r < s.rows; r++) {
        const sl_real *in = u.at + r * u.row;
        sl_real *restrict rho = q.at + r * q.row, *restrict vx = rho + q.var;
        sl_real *restrict vy = vx + q.var, *restrict vz = vy + q.var, *restrict p = vz + q.var;
        SIMD for (int i = 0; i < s.n; i++)
        {
            struct sl_prim w = sl_cons_to_prim(&gas, cons_at(in, u.var, eos, i));
            rho[i] = w.rho;
            vx[i] = w.u;
            vy[i] = w.v;
            vz[i] = w.w;
            if (eos != SL_EOS_isothermal) p[i] = w.p;
        }
    }
}

static void prim_extra(struct sl_shape s, struct sl_view u, struct sl_view q, int v)
{
    for (int r = 0; r < s.rows; r++) {
        const sl_real *rho = u.at + r * u.row, *in = rho + v * u.var;
        sl_real *restrict out = q.at + v * q.var + r * q.row;
        SIMD for (int i = 0; i < s.n; i++) out[i] = in[i] / rho[i];
    }
}

/* With dual energy the pressure is that of the entropy. */
static void prim_dual(const struct sl_scheme *s, struct sl_shape shape, struct sl_view u,
                      struct sl_view q)
{
    for (int r = 0; r < shape.rows; r++) {
        const sl_real *rho = u.at + r * u.row, *entropy = rho + s->layout.entropy * u.var;
        sl_real *restrict p = q.at + 4 * q.var + r * q.row;
        SIMD for (int i = 0; i < shape.n; i++) p[i] =
            sl_entropy_to_pressure(&s->gas, rho[i], entropy[i]);
    }
}

void sl_rows_prim(const struct sl_scheme *s, struct sl_shape shape, struct sl_view u,
                  struct sl_view q)
{
    if (s->layout.magnetic >= 0)
        sl_rows_mhd_prim(&s->gas, s->layout.face < 0, shape, u, q);
    else if (s->gas.eos == SL_EOS_isothermal)
        prim_rows(SL_EOS_isothermal, &s->gas, shape, u, q);
    else
        prim_rows(SL_EOS_ideal, &s->gas, shape, u, q);
    for (int v = first_extra(&s->layout); v < s->layout.nflow; v++)
        prim_extra(shape, u, q, v);
    if (s->layout.entropy >= 0) prim_dual(s, shape, u, q);
}

/* The rows of one variable: lower and upper faces along each axis, old state, state, result. */
struct update {
    const sl_real *face[6], *u0, *u;
    sl_real *out;
};

SL_FN struct update update_of(int dim, int v, const struct sl_fluxes *f, struct sl_view u0,
                              struct sl_view u, struct sl_view out)
{
    struct update w = {{0}, u0.at + v * u0.var, u.at + v * u.var, out.at + v * out.var};
    for (int d = 0; d < dim; d++) {
        w.face[2 * d] = f->lower[d].at + v * f->lower[d].var;
        w.face[2 * d + 1] = f->upper[d].at + v * f->upper[d].var;
    }
    return w;
}

SL_FN void update_row(int dim, int whole, sl_real b, int n, const sl_real *dt_dx, struct update w)
{
    sl_real cx = dt_dx[0], cy = dt_dx[1], cz = dt_dx[2];
    SIMD for (int i = 0; i < n; i++)
    {
        sl_real by[3] = {(w.face[1][i] - w.face[0][i]) * cx, 0, 0};
        if (dim > 1) by[1] = (w.face[3][i] - w.face[2][i]) * cy;
        if (dim > 2) by[2] = (w.face[5][i] - w.face[4][i]) * cz;
        w.out[i] = sl_update(whole ? 1 : b, w.u0[i], w.u[i], sl_sum_axes(dim, by));
    }
}

/* Variables first .. last - 1. */
struct range {
    int first, last;
};

SL_FN void update_rows(int dim, int whole, struct sl_shape s, struct range vars, sl_real b,
                       const struct sl_fluxes *f, struct sl_view u0, struct sl_view u,
                       struct sl_view out)
{
    for (int v = vars.first; v < vars.last; v++) {
        struct update w = update_of(dim, v, f, u0, u, out);
        for (int r = 0; r < s.rows; r++) {
            update_row(dim, whole, b, s.n, f->dt_dx, w);
            for (int d = 0; d < dim; d++) {
                w.face[2 * d] += f->lower[d].row;
                w.face[2 * d + 1] += f->upper[d].row;
            }
            w.u0 += u0.row;
            w.u += u.row;
            w.out += out.row;
        }
    }
}

SL_FN void update_dim(int dim, struct sl_shape s, struct range vars, sl_real b,
                      const struct sl_fluxes *f, struct sl_view u0, struct sl_view u,
                      struct sl_view out)
{
    if (b == 1)
        update_rows(dim, 1, s, vars, b, f, u0, u, out);
    else
        update_rows(dim, 0, s, vars, b, f, u0, u, out);
}

static void update_vars(struct sl_shape shape, struct range vars, sl_real b,
                        const struct sl_fluxes *f, struct sl_view u0, struct sl_view u,
                        struct sl_view out)
{
    switch (f->dim) {
    case 1:
        update_dim(1, shape, vars, b, f, u0, u, out);
        break;
    case 2:
        update_dim(2, shape, vars, b, f, u0, u, out);
        break;
    default:
        update_dim(3, shape, vars, b, f, u0, u, out);
        break;
    }
}

/* Adds to the momentum along the axis of fluxes d and to the energy what the acceleration gives in
 * a time b dt. */
static void add_gravity(const struct sl_scheme *s, struct sl_shape shape, int d, sl_real b,
                        const struct sl_fluxes *f, struct sl_view out)
{
    int axis = f->axis + d;
    sl_real kick = sl_update_kick(b, f->dt, s->gravity[axis]);
    for (int r = 0; r < shape.rows; r++) {
        const sl_real *rho = f->density.at + r * f->density.row,
                      *low = f->lower[d].at + r * f->lower[d].row;
        const sl_real *high = f->upper[d].at + r * f->upper[d].row;
        sl_real *restrict m = out.at + (SL_MX + axis) * out.var + r * out.row;
        SIMD for (int i = 0; i < shape.n; i++) m[i] += sl_update_impulse(kick, rho[i]);
        if (s->layout.energy < 0) continue;
        sl_real *restrict en = out.at + s->layout.energy * out.var + r * out.row;
        SIMD for (int i = 0; i < shape.n; i++) en[i] += sl_update_work(kick, low[i], high[i]);
    }
}

void sl_rows_update(const struct sl_scheme *s, struct sl_shape shape, sl_real b,
                    const struct sl_fluxes *f, struct sl_view u0, struct sl_view u,
                    struct sl_view out)
{
    struct range mass = {0, 1}, rest = {1, s->layout.nflow};
    update_vars(shape, rest, b, f, u0, u,
                out); /* out may be f->density: its density is needed to the last */
    for (int d = 0; d < f->dim && s->has_gravity; d++)
        if (s->gravity[f->axis + d] != 0) add_gravity(s, shape, d, b, f, out);
    update_vars(shape, mass, b, f, u0, u, out);
    if (s->layout.magnetic >= 0 && s->layout.face < 0 && f->damp != 1)
        sl_rows_mhd_damp(shape, s->layout.magnetic + 3, f->damp, out);
}

SL_FN void signal_row(int eos, int speeds, const struct sl_gas *of, int n, const sl_real per_dx[3],
                      const sl_real *u, ptrdiff_t var, struct sl_view signal)
{
    struct sl_gas gas = *of;
    gas.eos = eos;
    const sl_real px = per_dx[0], py = per_dx[1], pz = per_dx[2];
    sl_real *restrict bad = signal.at, *restrict rate_max = bad + signal.var;
    sl_real *restrict rate_sum = rate_max + signal.var;
    SIMD for (int i = 0; i < n; i++)
    {
        struct sl_cons c = cons_at(u, var, eos, i);
        bad[i] = sl_bad_state(&gas, c) ? 1 : bad[i];
        if (speeds) {
            struct sl_prim w = sl_cons_to_prim(&gas, c);
            sl_real cs = sl_sound_speed(&gas, w.rho, w.p);
            sl_real x = (sl_abs(w.u) + cs) * px, y = (sl_abs(w.v) + cs) * py;
            sl_real z = (sl_abs(w.w) + cs) * pz, most = sl_max(x, sl_max(y, z));
            rate_max[i] = sl_max(most, rate_max[i]);
            rate_sum[i] = sl_max(sl_sum3(x, y, z), rate_sum[i]);
        }
    }
}

void sl_rows_signal(const struct sl_scheme *s, struct sl_shape shape, const sl_real per_dx[3],
                    struct sl_view u, struct sl_view signal)
{
    static const sl_real none[3] = {0, 0, 0};
    if (s->layout.magnetic >= 0) {
        sl_rows_mhd_signal(&s->gas, shape, per_dx, u, signal);
        return;
    }
    for (int r = 0; r < shape.rows; r++) {
        const sl_real *at = u.at + r * u.row;
        if (s->gas.eos == SL_EOS_isothermal && per_dx)
            signal_row(SL_EOS_isothermal, 1, &s->gas, shape.n, per_dx, at, u.var, signal);
        else if (s->gas.eos == SL_EOS_isothermal)
            signal_row(SL_EOS_isothermal, 0, &s->gas, shape.n, none, at, u.var, signal);
        else if (per_dx)
            signal_row(SL_EOS_ideal, 1, &s->gas, shape.n, per_dx, at, u.var, signal);
        else
            signal_row(SL_EOS_ideal, 0, &s->gas, shape.n, none, at, u.var, signal);
    }
}

struct sl_signal sl_signal_of(int n, struct sl_view signal)
{
    struct sl_signal s = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        s.bad = sl_max(signal.at[i], s.bad);
        s.rate_max = sl_max(signal.at[signal.var + i], s.rate_max);
        s.rate_sum = sl_max(signal.at[2 * signal.var + i], s.rate_sum);
    }
    return s;
}

struct sl_signal sl_signal_join(struct sl_signal a, struct sl_signal b)
{
    struct sl_signal s = {sl_max(a.bad, b.bad), sl_max(a.rate_max, b.rate_max),
                          sl_max(a.rate_sum, b.rate_sum)};
    return s;
}
