/* field.c - see field.h. */
#include "core/state/field.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/cell/eos.h"
#include "core/config/config.h"

/* ---- which fields a run writes --------------------------------------------------------------- */

static bool written_gas(const struct sl_state *state)
{
    return state->layout.nvar > 0;
}

static bool written_heat(const struct sl_state *state)
{
    return state->layout.energy >= 0 && sl_config_has_units(state->cfg);
}

static bool written_particles(const struct sl_state *state)
{
    return written_heat(state) &&
           (sl_config_of_universe(state->cfg) || state->cfg->units_weight > 0);
}

static bool written_field(const struct sl_state *state)
{
    return state->layout.magnetic >= 0;
}

static bool written_pull(const struct sl_state *state)
{
    return state->potential != NULL;
}

/* Of f, which is no scalar. */
static bool written(const struct sl_state *state, int f)
{
    static bool (*const list[])(const struct sl_state *) = {
#define WRITTEN(name, file, unit, yt, where, about) written_##where,
        SL_FIELD_LIST(WRITTEN)
#undef WRITTEN
    };
    return list[f](state);
}

int sl_field_count(const struct sl_state *state)
{
    int n = state->layout.nscalar;
    for (int f = 0; f < SL_FIELD_SCALAR; f++)
        n += written(state, f);
    return n;
}

int sl_field_at(const struct sl_state *state, int n)
{
    for (int f = 0; f < SL_FIELD_SCALAR; f++)
        if (written(state, f) && n-- == 0) return f;
    return SL_FIELD_SCALAR + n;
}

struct sl_field_about sl_field_about(int f)
{
    static const struct sl_field_about list[] = {
#define ABOUT(name, file, unit, yt, where, about) {file, #unit, yt, about},
        SL_FIELD_LIST(ABOUT)
#undef ABOUT
    };
    if (f < SL_FIELD_SCALAR) return list[f];
    struct sl_field_about s = {"sc00", "1", "", "passive scalar, mass fraction"};
    int number = f - SL_FIELD_SCALAR + 1;
    s.name[2] = (char)('0' + number / 10 % 10);
    s.name[3] = (char)('0' + number % 10);
    return s;
}

/* One row of a block's interior at a time. */
static sl_real *row_of(const struct sl_state *state, int b, int var, int k, int j)
{
    const struct sl_mesh *m = state->mesh;
    return state->u + sl_mesh_at(m, state->layout.nvar, b, var, k + m->g[2], j + m->g[1], m->g[0]);
}

size_t sl_field_values(const struct sl_state *state)
{
    const struct sl_mesh *m = state->mesh;
    size_t cells = sl_field_cells(m), n = cells * (size_t)state->layout.nvar;
    for (int d = 0; d < m->dim && state->layout.face >= 0; d++)
        n += cells / (size_t)m->n[d];
    return n;
}

typedef void move_fn(sl_real *cell, sl_real *packed);

static void take(sl_real *cell, sl_real *packed)
{
    *packed = *cell;
}

static void give(sl_real *cell, sl_real *packed)
{
    *cell = *packed;
}

/* The field at the upper faces of block b, which lie in ghost cells. */
static void upper_faces(const struct sl_state *state, int b, sl_real *packed, move_fn *move)
{
    const struct sl_mesh *m = state->mesh;
    for (int d = 0; d < m->dim && state->layout.face >= 0; d++) {
        int n[3] = {m->n[0], m->n[1], m->n[2]}, at[3] = {m->g[0], m->g[1], m->g[2]};
        at[d] += n[d];
        n[d] = 1;
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++)
                for (int i = 0; i < n[0]; i++)
                    move(state->u + sl_mesh_at(m, state->layout.nvar, b, state->layout.face + d,
                                               at[2] + k, at[1] + j, at[0] + i),
                         packed++);
    }
}

void sl_field_get(const struct sl_state *state, int b, sl_real *packed)
{
    const struct sl_mesh *m = state->mesh;
    size_t n0 = (size_t)m->n[0];
    for (int var = 0; var < state->layout.nvar; var++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++, packed += n0)
                memcpy(packed, row_of(state, b, var, k, j), n0 * sizeof *packed);
    upper_faces(state, b, packed, take);
}

void sl_field_put(struct sl_state *state, int b, const sl_real *packed)
{
    const struct sl_mesh *m = state->mesh;
    size_t n0 = (size_t)m->n[0];
    for (int var = 0; var < state->layout.nvar; var++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++, packed += n0)
                memcpy(row_of(state, b, var, k, j), packed, n0 * sizeof *packed);
    upper_faces(state, b, (sl_real *)(uintptr_t)packed, give);
}

/* ---- values of a cell at u, whose variables lie apart ---------------------------------------- */

static struct sl_prim prim_of(const struct sl_state *state, const sl_real *u)
{
    return sl_cell_prim(&state->gas, &state->layout, u, state->mesh->block_cells);
}

static double value_DENS(const struct sl_state *state, const sl_real *u)
{
    return (double)u[SL_RHO * state->mesh->block_cells];
}

static double value_VELX(const struct sl_state *state, const sl_real *u)
{
    return (double)prim_of(state, u).u;
}

static double value_VELY(const struct sl_state *state, const sl_real *u)
{
    return (double)prim_of(state, u).v;
}

static double value_VELZ(const struct sl_state *state, const sl_real *u)
{
    return (double)prim_of(state, u).w;
}

static double value_PRES(const struct sl_state *state, const sl_real *u)
{
    return (double)prim_of(state, u).p;
}

static double value_EINT(const struct sl_state *state, const sl_real *u)
{
    return value_PRES(state, u) / (value_DENS(state, u) * ((double)state->gas.gamma - 1));
}

static double value_TEMP(const struct sl_state *state, const sl_real *u)
{
    return value_PRES(state, u) / value_DENS(state, u);
}

static double magnetic(const struct sl_state *state, const sl_real *u, int d)
{
    return (double)u[(size_t)(state->layout.magnetic + d) * state->mesh->block_cells];
}

static double value_MAGX(const struct sl_state *state, const sl_real *u)
{
    return magnetic(state, u, 0);
}

static double value_MAGY(const struct sl_state *state, const sl_real *u)
{
    return magnetic(state, u, 1);
}

static double value_MAGZ(const struct sl_state *state, const sl_real *u)
{
    return magnetic(state, u, 2);
}

/* It has no ghost cells. */
static double value_GPOT(const struct sl_state *state, const sl_real *u)
{
    const struct sl_mesh *m = state->mesh;
    size_t at = (size_t)(u - state->u), size = (size_t)state->layout.nvar * m->block_cells;
    size_t cell = at % size, row = cell / (size_t)m->nt[0];
    size_t i = cell % (size_t)m->nt[0] - (size_t)m->g[0],
           j = row % (size_t)m->nt[1] - (size_t)m->g[1],
           k = row / (size_t)m->nt[1] - (size_t)m->g[2];
    size_t line = (at / size * (size_t)m->n[2] + k) * (size_t)m->n[1] + j;
    return (double)state->potential[line * (size_t)m->n[0] + i];
}

static double scalar(const struct sl_state *state, const sl_real *u, int i)
{
    size_t at = (size_t)(state->layout.scalar0 + i) * state->mesh->block_cells;
    return (double)u[at] / value_DENS(state, u);
}

static double value_of(const struct sl_state *state, const sl_real *u, int f)
{
    static double (*const list[])(const struct sl_state *, const sl_real *) = {
#define VALUE(name, ...) value_##name,
        SL_FIELD_LIST(VALUE)
#undef VALUE
    };
    return f < SL_FIELD_SCALAR ? list[f](state, u) : scalar(state, u, f - SL_FIELD_SCALAR);
}

void sl_field_make(const struct sl_state *state, int b, int f, double *packed)
{
    const struct sl_mesh *m = state->mesh;
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++) {
            const sl_real *row = row_of(state, b, 0, k, j);
            for (int i = 0; i < m->n[0]; i++)
                *packed++ = value_of(state, row + i, f);
        }
}
