/* line.cuh - the flux at one face from a line of cells across it, made apart from the others: for
 * any method and solver, and of first order where a cell beside it is to be repaired.
 *
 * Shapes  q[SL_MAX_VAR][LINE]: primitive values of the cells along the line
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   device
 * Refs    see core/cell
 * Tests   tests/gpu/same.c, tests/gpu/flux_register.c
 */
#ifndef SL_GPU_LINE_CUH
#define SL_GPU_LINE_CUH

#include "gpu/cell.cuh"

/* A line of seven cells' primitive values, all that the two faces of the middle one depend on. */
enum { LINE = 7, MIDDLE = 3 };

/* Values at the upper or lower face of the cell at q. */
template <int N>
static __device__ struct limited any_face(const struct run_args &r, int method, const sl_real *q,
                                          struct order<N> v, bool upper, sl_real (&w)[N])
{
    switch (method) {
#define FACE_CASE(name, ghost, ...)                                                                \
    case SL_RECONSTRUCT_##name:                                                                    \
        return face_at<SL_RECONSTRUCT_##name, CHOSEN>(r, q, LINE, v, near_of(1), upper, w);
        SL_RECONSTRUCT_LIST(FACE_CASE)
#undef FACE_CASE
    default:
        return face_at<SL_RECONSTRUCT_constant, CHOSEN>(r, q, LINE, v, near_of(1), upper, w);
    }
}

/* The same for an extra variable. */
static __device__ sl_real any_extra(const struct run_args &r, int method, const sl_real *q,
                                    bool upper, struct limited d)
{
    switch (method) {
#define EXTRA_CASE(name, ghost, ...)                                                               \
    case SL_RECONSTRUCT_##name:                                                                    \
        return extra_side<SL_RECONSTRUCT_##name, CHOSEN>(r, q, near_of(1), upper, d);
        SL_RECONSTRUCT_LIST(EXTRA_CASE)
#undef EXTRA_CASE
    default:
        return q[0];
    }
}

/* The flux that never fails. */
template <int N>
static __device__ void safe_flux(const struct sl_gas *gas, const sl_real (&l)[N],
                                 const sl_real (&r)[N], sl_real (&f)[N])
{
    flux_of(SL_RIEMANN_llf, gas, l, r, f);
}

static __device__ void safe_flux(const struct sl_gas *gas, const sl_real (&l)[9],
                                 const sl_real (&r)[9], sl_real (&f)[9])
{
    struct sl_mhd_whole w = sl_mhd_safe(gas, l[5], r[5], l[8], r[8], plasma_of(l), plasma_of(r));
    f[0] = w.c.rho, f[1] = w.c.mx, f[2] = w.c.my, f[3] = w.c.mz, f[4] = w.c.en;
    f[5] = w.bn, f[6] = w.c.by, f[7] = w.c.bz, f[8] = w.psi;
}

/* Of the face above or below the middle cell: whether a cell beside it is flagged, the field across
 * it, where it lives there, and sl_gas.compression. */
struct place {
    bool upper, safe;
    sl_real bn, compression;
};

/* Flux at a face of the middle cell of the line at q: first order where it is to be safe. */
template <int N>
static __device__ void one_face(const struct run_args &r, int method, int axis, struct place at,
                                const sl_real *q, sl_real *f)
{
    struct order<N> v = order_of<N>(r, axis);
    const sl_real *below = q + (at.upper ? 0 : -1), *above = below + 1;
    struct limited low = {false, 0}, high = {false, 0};
    struct sl_gas gas = r.gas;
    sl_real l[N], h[N], flux[N];
    gas.compression = at.compression;
    if (at.safe) {
        values_at(r, below, LINE, v, l);
        values_at(r, above, LINE, v, h);
    } else {
        low = any_face(r, method, below, v, true, l);
        high = any_face(r, method, above, v, false, h);
    }
    if (N == 8) l[5] = at.bn;
    if (at.safe)
        safe_flux(&r.gas, l, h, flux);
    else
        flux_of(r.solver, &gas, l, h, flux);
    for (int i = 0; i < N; i++)
        if (is_value(r, i)) f[v.at[i]] = flux[i];
    for (int e = r.extra; e < r.nflow; e++)
        f[e] = flux[0] * (flux[0] > 0 ? any_extra(r, method, below + e * LINE, true, low)
                                      : any_extra(r, method, above + e * LINE, false, high));
}

/* sl_gas.compression at a face of the cell at u. */
static __device__ sl_real compression_at_face(const struct run_args &r, int axis, bool upper,
                                              const sl_real *u)
{
    const ptrdiff_t step[3] = {1, r.nt[0], (ptrdiff_t)r.nt[0] * r.nt[1]};
    sl_real compression = 0;
    for (int side = 0; side < 2; side++)
        for (int t = 0; t < r.dim; t++) {
            const sl_real *c = u + (side - !upper) * step[axis];
            sl_real v[3];
            if (t == axis) continue;
            for (int i = 0; i < 3; i++)
                v[i] = c[(i - 1) * step[t] + (SL_MX + t) * r.var] * (1 / c[(i - 1) * step[t]]);
            compression = sl_max(compression, sl_max(v[0] - v[1], v[1] - v[2]));
        }
    return compression;
}

#endif
