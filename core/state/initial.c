/* initial.c - see initial.h. */
#include "core/state/initial.h"

#include <math.h>
#include <string.h>

#include "core/cell/relax.h"
#include "core/state/problem.h"

/* ---- cells ---------------------------------------------------------------------------------- */

/* The same bits for any order of the axes. */
static double square(const double v[3])
{
    double a = v[0] * v[0], b = v[1] * v[1], c = v[2] * v[2];
    double low = fmin(a, b), high = fmax(a, b);
    return (fmin(low, c) + fmax(low, fmin(high, c))) + fmax(high, c);
}

void sl_state_cell(const struct sl_state *state, const double *prim, sl_real *value)
{
    const struct sl_layout *l = &state->layout;
    double rho = prim[0], heat = 1 / ((double)state->gas.gamma - 1), speed2 = square(prim + 1);
    double field2 = l->magnetic < 0 ? 0 : square(prim + SL_PRIM_B);
    value[SL_RHO] = (sl_real)rho;
    for (int d = 0; d < 3; d++) {
        value[SL_MX + d] = (sl_real)(rho * prim[1 + d]);
    }
    for (int d = 0; d < 3 && l->magnetic >= 0; d++) {
        value[l->magnetic + d] = (sl_real)prim[SL_PRIM_B + d];
    }
    if (l->magnetic >= 0 && l->face < 0) value[l->magnetic + 3] = 0;
    if (l->energy >= 0)
        value[l->energy] = (sl_real)((prim[4] * heat + 0.5 * rho * speed2) + 0.5 * field2);
    if (l->entropy >= 0)
        value[l->entropy] = sl_pressure_to_entropy(&state->gas, (sl_real)rho, (sl_real)prim[4]);
    for (int i = 0; i < l->nscalar; i++)
        value[l->scalar0 + i] = (sl_real)(rho * prim[SL_PRIM_SCALAR + i]);
}

/* ---- faces ---------------------------------------------------------------------------------- */

/* Average of A_axis from one point of an edge to another. Edges of coarse levels are made of those
 * of the finest that there may be: faces are then the means of finer ones, and no level edge has a
 * divergence. */
static double along(const struct sl_state *state, int axis, const double from[3],
                    const double to[3], double t, int64_t halvings)
{
    double mid[3] = {from[0], from[1], from[2]};
    if (halvings <= 0 || axis >= state->mesh->dim)
        return state->problem->potential(state->problem_data, axis, from, to, t);
    mid[axis] = 0.5 * (from[axis] + to[axis]);
    return 0.5 * (along(state, axis, from, mid, t, halvings - 1) +
                  along(state, axis, mid, to, t, halvings - 1));
}

/* Average of A_axis along the edge that starts at the corner of the cell, `up` along the axis
 * `other`. */
static double edge(const struct sl_state *state, int axis, int other, int up, const double lo[3],
                   const double hi[3], double t)
{
    double from[3] = {lo[0], lo[1], lo[2]}, to[3];
    if (up) from[other] = hi[other];
    memcpy(to, from, sizeof to);
    to[axis] = hi[axis];
    return along(state, axis, from, to, t, state->cfg->mesh_levels - state->mesh->level);
}

static double curl(const struct sl_state *state, int d, const double lo[3], const double hi[3],
                   double t)
{
    int a = (d + 1) % 3, b = (d + 2) % 3;
    double uniform[3] = {0}, along_a = 0, along_b = 0;
    if (state->problem->uniform) state->problem->uniform(state->problem_data, uniform);
    if (a < state->mesh->dim)
        along_a =
            (edge(state, b, a, 1, lo, hi, t) - edge(state, b, a, 0, lo, hi, t)) / (hi[a] - lo[a]);
    if (b < state->mesh->dim)
        along_b =
            (edge(state, a, b, 1, lo, hi, t) - edge(state, a, b, 0, lo, hi, t)) / (hi[b] - lo[b]);
    return uniform[d] + (along_a - along_b);
}

bool sl_state_curled(const struct sl_state *state)
{
    const struct sl_problem *p = state->problem;
    return p->potential && (!p->curled || p->curled(state->problem_data));
}

double sl_state_face(const struct sl_state *state, int d, const double lo[3], const double hi[3],
                     double t)
{
    if (sl_state_curled(state)) return curl(state, d, lo, hi, t);
    double from[3], to[3], half = 0.5 * (hi[d] - lo[d]), prim[SL_PRIM_MAX] = {0};
    memcpy(from, lo, sizeof from);
    memcpy(to, hi, sizeof to);
    from[d] = lo[d] - half;
    to[d] = lo[d] + half;
    state->problem->state(state->problem_data, from, to, t, prim);
    return prim[SL_PRIM_B + d];
}
