/* diffuse.h - viscosity, conduction of heat and resistivity: what flows through a face between two
 * cells, and the electric field of a current along an edge.
 *
 * The stress is rho nu (d_i v_j + d_j v_i - 2/3 delta_ij div v), the flux of heat -rho kappa grad T
 * with T = p / rho, the electric field eta curl B. Derivatives across a face are those of the two
 * cells, along it the means of central differences in both; all of second order. Stress and
 * Poynting flux do their work in the flux of the total energy, so that what the flow and the field
 * lose is heat, and sums over the box stay to rounding.
 *
 * The density at a face is the harmonic mean of both sides: no more than twice that of either,
 * whatever their ratio, so that of the part of the operator across faces (of velocities, weighted
 * by density) no eigenvalue is beyond that of a uniform gas, 4 sum_d 1 / h_d^2 times the largest of
 * 4/3 nu, (gamma - 1) kappa and eta.
 *
 * Cells keep their variables in an array of struct-of-arrays form, `var` apart, neighbours
 * step[axis] apart. Where the field lives on faces (constrained transport), SL_DIFFUSE_FACE + d is
 * that at the lower face across d, for the axes of the mesh; it changes by the circulation of the
 * electric field along edges, other components as the rest.
 *
 * Shapes  one face, one edge, one cell
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Landau & Lifshitz 1987, section 15; Meyer, Balsara & Aslam 2014
 * Tests   tests/law/diffusion.c, tests/gpu/diffusion.c
 */
#ifndef SL_CELL_DIFFUSE_H
#define SL_CELL_DIFFUSE_H

#include <stddef.h>

#include "core/cell/eos.h"

/* What the operators read of a cell. */
enum {
    SL_DIFFUSE_RHO,
    SL_DIFFUSE_V,
    SL_DIFFUSE_T = SL_DIFFUSE_V + 3,
    SL_DIFFUSE_B,
    SL_DIFFUSE_FACE = SL_DIFFUSE_B + 3,
    SL_DIFFUSE_READS = SL_DIFFUSE_FACE + 3
};
/* What they change: momenta, energy, and the field, in a cell or at its lower faces. */
enum {
    SL_DIFFUSE_M,
    SL_DIFFUSE_EN = SL_DIFFUSE_M + 3,
    SL_DIFFUSE_FIELD,
    SL_DIFFUSE_CHANGES = SL_DIFFUSE_FIELD + 3
};

struct sl_diffuse {
    sl_real nu, kappa, eta;
    int dim;
    int energy, magnetic, faces; /* 1 where the gas has them; faces: the field lives there */
    int resists;                 /* eta is not 0 */
    size_t var;
    ptrdiff_t step[3];
    sl_real per_dx[3]; /* 1 / dx; 0 along axes that are not there */
};

/* The variables that change: place among SL_DIFFUSE_CHANGES and in the state; the axis across whose
 * faces it lives, -1: in cells. */
struct sl_diffuse_list {
    int n, change[SL_DIFFUSE_CHANGES], state[SL_DIFFUSE_CHANGES], face[SL_DIFFUSE_CHANGES];
};

SL_FN void sl_diffuse_add(struct sl_diffuse_list *list, int change, int state, int face)
{
    list->change[list->n] = change;
    list->state[list->n] = state;
    list->face[list->n++] = face;
}

/* Whether component t of the field lives at faces. */
SL_FN int sl_diffuse_at_faces(const struct sl_diffuse *p, int t)
{
    return p->faces && t < p->dim;
}

SL_FN struct sl_diffuse_list sl_diffuse_list_of(const struct sl_diffuse *p,
                                                const struct sl_layout *l)
{
    struct sl_diffuse_list list;
    list.n = 0;
    for (int c = 0; c < 3 && p->nu > 0; c++)
        sl_diffuse_add(&list, SL_DIFFUSE_M + c, SL_MX + c, -1);
    if (p->energy) sl_diffuse_add(&list, SL_DIFFUSE_EN, l->energy, -1);
    for (int c = 0; c < 3 && p->resists; c++) {
        int face = sl_diffuse_at_faces(p, c);
        sl_diffuse_add(&list, SL_DIFFUSE_FIELD + c, (face ? l->face : l->magnetic) + c,
                       face ? c : -1);
    }
    return list;
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* Of a variable at the face across d between the cell below q and that of q: across, and along axis
 * t. */
SL_FN sl_real sl_diffuse_across(const struct sl_diffuse *p, int d, const sl_real *q)
{
    return (q[0] - q[-p->step[d]]) * p->per_dx[d];
}

SL_FN sl_real sl_diffuse_along(const struct sl_diffuse *p, int d, int t, const sl_real *q)
{
    if (t >= p->dim) return 0;
    const sl_real *low = q - p->step[d];
    return (sl_real)0.25 * p->per_dx[t] *
           ((q[p->step[t]] - q[-p->step[t]]) + (low[p->step[t]] - low[-p->step[t]]));
}

SL_FN sl_real sl_diffuse_slope(const struct sl_diffuse *p, int d, int t, const sl_real *q)
{
    return t == d ? sl_diffuse_across(p, d, q) : sl_diffuse_along(p, d, t, q);
}

SL_FN sl_real sl_diffuse_mean(const struct sl_diffuse *p, int d, const sl_real *q)
{
    return (sl_real)0.5 * (q[0] + q[-p->step[d]]);
}

/* ---- what flows through the face across d below the cell of q -------------------------------- */

SL_FN sl_real sl_diffuse_density(const struct sl_diffuse *p, int d, const sl_real *q)
{
    sl_real a = q[0], b = q[-p->step[d]];
    return 2 * a * b / (a + b);
}

/* The force per area that the gas above exerts on that below: component c of the stress. */
SL_FN void sl_diffuse_stress(const struct sl_diffuse *p, int d, const sl_real *q, sl_real stress[3])
{
    const sl_real *v = q + SL_DIFFUSE_V * p->var;
    sl_real rho = sl_diffuse_density(p, d, q), own[3];
    for (int t = 0; t < 3; t++)
        own[t] = t < p->dim ? sl_diffuse_slope(p, d, t, v + (size_t)t * p->var) : 0;
    sl_real div = sl_sum3(own[0], own[1], own[2]);
    for (int c = 0; c < 3; c++) {
        sl_real shear = sl_diffuse_across(p, d, v + (size_t)c * p->var) +
                        sl_diffuse_slope(p, d, c, v + (size_t)d * p->var);
        if (c == d) shear -= (sl_real)(2.0 / 3) * div;
        stress[c] = p->nu * rho * shear;
    }
}

/* ---- the field ------------------------------------------------------------------------------ */

/* The flux of component t of the field, t != d, where it lives in cells: eta (d_t B_d - d_d
 * B_t). */
SL_FN sl_real sl_diffuse_field(const struct sl_diffuse *p, int d, int t, const sl_real *q)
{
    const sl_real *b = q + SL_DIFFUSE_B * p->var;
    return p->eta * (sl_diffuse_along(p, d, t, b + (size_t)d * p->var) -
                     sl_diffuse_across(p, d, b + (size_t)t * p->var));
}

/* E along c at the edge at the lower corner of the cell of q; both other axes are of the mesh. */
SL_FN sl_real sl_diffuse_edge(const struct sl_diffuse *p, int c, const sl_real *q)
{
    int a = (c + 1) % 3, b = (c + 2) % 3;
    const sl_real *at_a = q + (size_t)(SL_DIFFUSE_FACE + a) * p->var;
    const sl_real *at_b = q + (size_t)(SL_DIFFUSE_FACE + b) * p->var;
    return p->eta * ((at_b[0] - at_b[-p->step[a]]) * p->per_dx[a] -
                     (at_a[0] - at_a[-p->step[b]]) * p->per_dx[b]);
}

/* How fast the field at the lower face across d changes: minus curl E. */
SL_FN sl_real sl_diffuse_curl(const struct sl_diffuse *p, int d, const sl_real *q)
{
    int a = (d + 1) % 3, b = (d + 2) % 3;
    sl_real along_a = 0, along_b = 0;
    if (a < p->dim)
        along_a = (sl_diffuse_edge(p, b, q + p->step[a]) - sl_diffuse_edge(p, b, q)) * p->per_dx[a];
    if (b < p->dim)
        along_b = (sl_diffuse_edge(p, a, q + p->step[b]) - sl_diffuse_edge(p, a, q)) * p->per_dx[b];
    return along_b - along_a;
}

/* E times the field across t, at an edge of the face across d. */
SL_FN sl_real sl_diffuse_edge_power(const struct sl_diffuse *p, int d, int t, const sl_real *q)
{
    const sl_real *face = q + (size_t)(SL_DIFFUSE_FACE + t) * p->var;
    return sl_diffuse_edge(p, 3 - d - t, q) * sl_diffuse_mean(p, d, face);
}

/* The share of component t of the field in the Poynting flux E x B through the face across d. */
SL_FN sl_real sl_diffuse_poynting(const struct sl_diffuse *p, int d, int t, const sl_real *q)
{
    if (!sl_diffuse_at_faces(p, t))
        return sl_diffuse_field(p, d, t, q) *
               sl_diffuse_mean(p, d, q + (size_t)(SL_DIFFUSE_B + t) * p->var);
    sl_real both =
        sl_diffuse_edge_power(p, d, t, q) + sl_diffuse_edge_power(p, d, t, q + p->step[t]);
    return (sl_real)(t == (d + 2) % 3 ? 0.5 : -0.5) * both;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* The flux of energy: work of the stress, heat, Poynting's. */
SL_FN sl_real sl_diffuse_energy(const struct sl_diffuse *p, int d, const sl_real *q,
                                const sl_real stress[3])
{
    sl_real work[3], field = 0;
    for (int c = 0; c < 3; c++)
        work[c] = stress[c] * sl_diffuse_mean(p, d, q + (size_t)(SL_DIFFUSE_V + c) * p->var);
    sl_real heat =
        p->kappa * sl_diffuse_density(p, d, q) * sl_diffuse_across(p, d, q + SL_DIFFUSE_T * p->var);
    if (p->resists)
        field =
            sl_diffuse_poynting(p, d, (d + 1) % 3, q) + sl_diffuse_poynting(p, d, (d + 2) % 3, q);
    return field - (sl_sum3(work[0], work[1], work[2]) + heat);
}

/* What flows through the face across d below the cell of q, into it; 0 of components of the field
 * that live at faces. */
SL_FN void sl_diffuse_flux(const struct sl_diffuse *p, int d, const sl_real *q,
                           sl_real flux[SL_DIFFUSE_CHANGES])
{
    sl_real stress[3];
    sl_diffuse_stress(p, d, q, stress);
    for (int c = 0; c < 3; c++) {
        int there = p->resists && c != d && !sl_diffuse_at_faces(p, c);
        flux[SL_DIFFUSE_M + c] = -stress[c];
        flux[SL_DIFFUSE_FIELD + c] = there ? sl_diffuse_field(p, d, c, q) : 0;
    }
    flux[SL_DIFFUSE_EN] = p->energy ? sl_diffuse_energy(p, d, q, stress) : 0;
}

/* ---- what becomes heat ----------------------------------------------------------------------- */

/* Per volume and time, at the face across d: of the flow, and of the components of the field that
 * live in cells. Summed over the faces of a periodic box it is what kinetic and magnetic energy
 * lose. */
SL_FN void sl_diffuse_face_loss(const struct sl_diffuse *p, int d, const sl_real *q, double loss[2])
{
    sl_real stress[3];
    sl_diffuse_stress(p, d, q, stress);
    for (int c = 0; c < 3; c++) {
        loss[0] +=
            (double)(stress[c] * sl_diffuse_across(p, d, q + (size_t)(SL_DIFFUSE_V + c) * p->var));
        if (p->resists && c != d && !sl_diffuse_at_faces(p, c))
            loss[1] -= (double)(sl_diffuse_field(p, d, c, q) *
                                sl_diffuse_across(p, d, q + (size_t)(SL_DIFFUSE_B + c) * p->var));
    }
}

/* eta J^2 along c, the mean of the four edges of a cell. */
SL_FN double sl_diffuse_edge_loss(const struct sl_diffuse *p, int c, const sl_real *q)
{
    int a = (c + 1) % 3, b = (c + 2) % 3;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double e = (double)sl_diffuse_edge(p, c, q + (i & 1) * p->step[a] + (i >> 1) * p->step[b]);
        sum += e * e;
    }
    return 0.25 * sum / (double)p->eta;
}

/* Of a cell. */
SL_FN void sl_diffuse_loss(const struct sl_diffuse *p, const sl_real *q, double loss[2])
{
    double twice[2] = {0, 0};
    for (int d = 0; d < p->dim; d++) {
        sl_diffuse_face_loss(p, d, q, twice);
        sl_diffuse_face_loss(p, d, q + p->step[d], twice);
    }
    loss[0] = 0.5 * twice[0];
    loss[1] = 0.5 * twice[1];
    for (int c = 0; c < 3 && p->faces && p->resists; c++)
        if ((c + 1) % 3 < p->dim && (c + 2) % 3 < p->dim) loss[1] += sl_diffuse_edge_loss(p, c, q);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* What the operators read of the cell at u, whose variables lie u_var apart. */
SL_FN void sl_diffuse_read(const struct sl_diffuse *p, const struct sl_gas *gas,
                           const struct sl_layout *l, const sl_real *u, size_t u_var, sl_real *q)
{
    struct sl_prim w = sl_cell_prim(gas, l, u, u_var);
    q[0] = w.rho;
    q[SL_DIFFUSE_V * p->var] = w.u;
    q[(SL_DIFFUSE_V + 1) * p->var] = w.v;
    q[(SL_DIFFUSE_V + 2) * p->var] = w.w;
    if (p->energy) q[SL_DIFFUSE_T * p->var] = sl_div(w.p, w.rho);
    for (int c = 0; c < 3 && p->magnetic; c++)
        q[(size_t)(SL_DIFFUSE_B + c) * p->var] = u[(size_t)(l->magnetic + c) * u_var];
    for (int c = 0; c < p->dim && p->faces; c++)
        q[(size_t)(SL_DIFFUSE_FACE + c) * p->var] = u[(size_t)(l->face + c) * u_var];
}

/* The stages of a super time step: the next state is the first one, and last * (the present one -
 * the first) + before * (the one before - the first) + now * (present rate) + begun * (rate of the
 * first). Differences leave a uniform state as it is to the bit: weights that are rounded one by
 * one do not add up to 1, and what they lack would grow with the square of the number of stages.
 */
struct sl_diffuse_mix {
    sl_real last, before, now, begun;
};

SL_FN sl_real sl_diffuse_next(const struct sl_diffuse_mix *m, sl_real last, sl_real before,
                              sl_real first, sl_real rate, sl_real rate_of_first)
{
    return first + ((m->last * (last - first) + m->before * (before - first)) +
                    (m->now * rate + m->begun * rate_of_first));
}

#endif
