/* rows_dual.c - energy and entropy of rows of cells agree after their fluxes (core/cell/eos.h):
 * all but the decisions is reckoned on vectors, some cells of a row at a time.
 *
 * Shapes  as in core/sweep/rows.h
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Bryan et al. 1995, section 3; Springel 2010, section 3.5
 * Tests   tests/law/dual.c, tests/gpu/same.c
 */
#include <string.h>

#include "core/cell/eos.h"
#include "core/sweep/lanes.h"
#include "core/sweep/rows.h"

#define SIMD SL_SIMD

enum { PART = 64 };

/* n cells, at most PART, from cell `first` of row r on; u: the first of them. */
struct part {
    const struct sl_scheme *s;
    const struct sl_fluxes *f;
    int r, first, n;
    sl_real *u;
    ptrdiff_t var;
};

static void stiff_of(const struct part *p, sl_real *restrict stiff)
{
    const struct sl_scheme *s = p->s;
    const sl_real *u = p->u;
    SIMD for (int i = 0; i < p->n; i++) stiff[i] =
        sl_dual_stiff(&s->gas, &s->layout, u + i, (size_t)p->var);
}

/* sl_dual_part of the axis of faces d. */
static void along(const struct part *p, int d, const sl_real *stiff, sl_real *restrict spread,
                  sl_real *restrict grows)
{
    const struct sl_view *lower = &p->f->lower[d], *upper = &p->f->upper[d];
    const sl_real *low = lower->at + p->r * lower->row + p->first;
    const sl_real *high = upper->at + p->r * upper->row + p->first, *rho = p->u, *m[3], *in[3],
                  *out[3];
    for (int t = 0; t < 3; t++) {
        int v = SL_MX + (p->f->axis + d + t) % 3;
        m[t] = rho + v * p->var, in[t] = low + v * lower->var, out[t] = high + v * upper->var;
    }
    SIMD for (int i = 0; i < p->n; i++)
    {
        const sl_real momentum[3] = {m[0][i], m[1][i], m[2][i]};
        struct sl_dual_faces faces = {
            low[i], high[i], out[0][i] - in[0][i], {out[1][i] - in[1][i], out[2][i] - in[2][i]}};
        struct sl_dual_part q = sl_dual_part(rho[i], momentum, stiff[i], faces);
        spread[i] = q.spread;
        grows[i] = q.grows;
    }
}

/* sl_dual_spread of the parts of dim axes. */
SL_FN void add_axes(int dim, int n, const sl_real *rho, sl_real spread[3][PART],
                    sl_real grows[3][PART], sl_real *restrict out)
{
    SIMD for (int i = 0; i < n; i++)
    {
        struct sl_dual_part part[3] = {{spread[0][i], grows[0][i]}, {0, 0}, {0, 0}};
        if (dim > 1) part[1] = (struct sl_dual_part){spread[1][i], grows[1][i]};
        if (dim > 2) part[2] = (struct sl_dual_part){spread[2][i], grows[2][i]};
        out[i] = sl_dual_spread(dim, rho[i], part);
    }
}

/* sl_dual_spread; of a sweep its part. */
static void spread_of(const struct part *p, sl_real *restrict out)
{
    sl_real stiff[PART], spread[3][PART], grows[3][PART];
    int dim = p->f->dim;
    stiff_of(p, stiff);
    for (int d = 0; d < dim; d++)
        along(p, d, stiff, spread[d], grows[d]);
    if (p->f->sweep)
        memcpy(out, spread[0], (size_t)p->n * sizeof *out);
    else if (dim == 3)
        add_axes(3, p->n, p->u, spread, grows, out);
    else if (dim == 2)
        add_axes(2, p->n, p->u, spread, grows, out);
    else
        add_axes(1, p->n, p->u, spread, grows, out);
}

static void factor_of(const struct part *p, sl_real *restrict factor)
{
    const sl_real *rho = p->u;
    SIMD for (int i = 0; i < p->n; i++) factor[i] = sl_entropy_factor(&p->s->gas, rho[i]);
}

static void agree(const struct part *p)
{
    sl_real spread[PART], factor[PART];
    spread_of(p, spread);
    factor_of(p, factor);
    for (int i = 0; i < p->n; i++)
        sl_dual_agree_by(&p->s->gas, &p->s->layout, p->s->dual_eta, spread[i], factor[i], p->u + i,
                         (size_t)p->var);
}

void sl_rows_dual(const struct sl_scheme *s, struct sl_shape shape, const struct sl_fluxes *f,
                  struct sl_view u)
{
    if (s->layout.entropy < 0) return;
    for (int r = 0; r < shape.rows; r++)
        for (int i = 0; i < shape.n; i += PART) {
            struct part p = {s, f, r, i, shape.n - i, u.at + r * u.row + i, u.var};
            if (p.n > PART) p.n = PART;
            agree(&p);
        }
}
