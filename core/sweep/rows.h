/* rows.h - the loops over cells and faces from which a sweep is made: the functions of core/cell
 * applied to rows, with the scheme's choices as literals so that each loop is one straight line.
 *
 * Every kernel works on `rows` rows of n neighbouring values; a view says where they lie. Values
 * are rho, u, v, w, p (ideal gas only), the magnetic field and psi (MHD only), then the extra
 * variables as fractions of the mass (entropy, passive scalars), in the order of struct sl_layout.
 *
 * Shapes  value of variable v in row r and column i: view.at[v * view.var + r * view.row + i]
 * Units   code units
 * Errors  none
 * Owns    nothing: views are borrowed
 * MPI     local
 * Where   host
 * Refs    see core/cell
 * Tests   tests/law
 */
#ifndef SL_SWEEP_ROWS_H
#define SL_SWEEP_ROWS_H

#include <stddef.h>

#include "core/cell/state.h"

struct sl_shape {
    int rows, n;
};

struct sl_view {
    sl_real *at;
    ptrdiff_t var, row;
};

/* The cells of a row (at[2]) and their neighbours along an axis, two at each side. */
struct sl_near {
    const sl_real *at[5];
    ptrdiff_t var, row;
    int axis;
};

SL_FN struct sl_view sl_view_move(struct sl_view v, ptrdiff_t by)
{
    v.at += by;
    return v;
}

/* Neighbours along an axis, `step` values apart. */
SL_FN struct sl_near sl_near_of(struct sl_view v, ptrdiff_t step, int axis)
{
    struct sl_near q = {
        {v.at - 2 * step, v.at - step, v.at, v.at + step, v.at + 2 * step}, v.var, v.row, axis};
    return q;
}

/* compression: sl_gas.compression of each face of the one row, for solvers that look at it; NULL:
 * 0. */
typedef void sl_flux_rows(struct sl_shape s, const struct sl_gas *gas, int axis, struct sl_view l,
                          struct sl_view r, const sl_real *compression, struct sl_view f);

struct sl_scheme;
/* Values at the faces of cells from the waves along an axis. */
typedef void sl_wave_rows(const struct sl_scheme *s, struct sl_shape shape, const struct sl_near *q,
                          struct sl_view minus, struct sl_view plus);

/* Changes values at the faces of cells that lie in shocks. */
typedef void sl_shock_rows(const struct sl_scheme *s, struct sl_shape shape,
                           const struct sl_near *q, struct sl_view minus, struct sl_view plus);

/* The scheme of a run with its choices looked up. */
struct sl_scheme {
    struct sl_gas gas;
    struct sl_layout layout;
    sl_real theta;    /* of the generalised minmod limiter */
    sl_real dual_eta; /* share of thermal energy below which it is not trusted; 1: it never is */
    int ghosts;
    sl_real gravity[3]; /* constant acceleration */
    int has_gravity;    /* it is not 0 */
    int method, solver;
    int needs_compression; /* the solver looks at gas->compression */
    int cools;             /* faces may be too hot (reconstruct.h) */
    sl_wave_rows *waves;   /* instead of faces (rows_characteristic.h), or NULL */
    sl_shock_rows *shocks; /* limits faces in shocks (rows_shock.h), or NULL */
    /* Values at the lower and upper faces of cells. */
    void (*faces)(struct sl_shape s, int nvar, sl_real theta, const struct sl_near *q,
                  struct sl_view minus, struct sl_view plus);
    /* Fluxes from the values on both sides; `axis` is the velocity across the faces. */
    sl_flux_rows *flux, *flux_safe;
};

void sl_scheme_find(struct sl_scheme *s, int method, int limiter, int solver);

/* Conserved to primitive. */
void sl_rows_prim(const struct sl_scheme *s, struct sl_shape shape, struct sl_view u,
                  struct sl_view q);

/* scheme->waves or scheme->faces, limited in shocks by scheme->shocks, with positive density and
 * pressure, and not too hot where scheme->cools; scheme->flux with the extra variables;
 * compression: as in sl_flux_rows. */
void sl_rows_faces(const struct sl_scheme *s, struct sl_shape shape, const struct sl_near *q,
                   struct sl_view minus, struct sl_view plus);
void sl_rows_flux(const struct sl_scheme *s, struct sl_shape shape, int axis, struct sl_view l,
                  struct sl_view r, const sl_real *compression, struct sl_view f);
/* sl_rows_flux with the solver that never fails, for repairs. */
void sl_rows_flux_safe(const struct sl_scheme *s, struct sl_shape shape, int axis, struct sl_view l,
                       struct sl_view r, struct sl_view f);

/* Raises compression (sl_gas) to the decreases of one velocity between cells and their neighbours
 * along its axis; the views point to that velocity. */
void sl_rows_compression(struct sl_shape shape, struct sl_view below, struct sl_view here,
                         struct sl_view above, sl_real *compression, ptrdiff_t row);

/* What a step must know of the cells that it made. */
struct sl_signal {
    sl_real bad;      /* 1 when a cell is bad (sl_bad_state) */
    sl_real rate_max; /* largest (|velocity| + sound speed) / dx over cells and axes */
    sl_real rate_sum; /* largest sum of that over the axes */
};

struct sl_signal sl_signal_join(struct sl_signal a, struct sl_signal b);

/* Fluxes at the lower and upper faces of cells along the axes that there are, and dt/dx. */
struct sl_fluxes {
    int dim, axis; /* how many axes the fluxes are along, and the first of them */
    int sweep;     /* one of tvd: the other axes are not known */
    struct sl_view lower[3], upper[3];
    sl_real dt_dx[3];
    sl_real damp;           /* what is left of psi after the step (MHD), 1 before its end */
    sl_real dt;             /* for the acceleration */
    struct sl_view density; /* likewise: the density of the cells that the fluxes come from */
};

/* out = (1 - b) u0 + b (u - change by the fluxes + change by the acceleration), written so that a
 * state at rest keeps its bits; out may be u, u0 is not read when b is 1. The acceleration does its
 * work on the mass that crosses the faces, so that total and potential energy keep their sum
 * (Springel 2010, section 5.2). */
void sl_rows_update(const struct sl_scheme *s, struct sl_shape shape, sl_real b,
                    const struct sl_fluxes *f, struct sl_view u0, struct sl_view u,
                    struct sl_view out);

/* With dual energy, makes energy and entropy of cells agree that the fluxes f have changed
 * (sl_dual_agree); else does nothing. */
void sl_rows_dual(const struct sl_scheme *s, struct sl_shape shape, const struct sl_fluxes *f,
                  struct sl_view u);

/* Raises the signals (variables bad, rate_max, rate_sum; one row) to those of the cells; per_dx: 1
 * / dx, 0 along axes that the mesh does not have, NULL: only bad is wanted. sl_signal_of: the
 * largest of a row. */
void sl_rows_signal(const struct sl_scheme *s, struct sl_shape shape, const sl_real per_dx[3],
                    struct sl_view u, struct sl_view signal);
struct sl_signal sl_signal_of(int n, struct sl_view signal);

#endif
