/* field_cells.c - see field_cells.h. */
#include "core/io/field_cells.h"

#include <math.h>
#include <string.h>

#include "core/state/state.h"

const char *sl_field_cells_name(int field)
{
    static const char *const name[] = {"density",          "velocity_x",      "velocity_y",
                                       "velocity_z",       "pressure",        "magnetic_field_x",
                                       "magnetic_field_y", "magnetic_field_z"};
    return name[field];
}

/* Adds the conserved variables of cell i of the grid, weighted, and its heat. */
static void add_cell(const struct sl_state *s, const struct sl_field_cells *c, const double *value,
                     size_t i, double weight, double *sum, double *heat)
{
    const struct sl_layout *lay = &s->layout;
    double gamma = s->gas.gamma, rho = value[i] * weight, square = 0, field = 0;
    double p = value[SL_CELL_PRESSURE * c->cells + i] * weight;
    sum[SL_RHO] += rho;
    *heat += p / (gamma - 1);
    for (int d = 0; d < 3; d++) {
        double v = value[(size_t)(SL_CELL_VELOCITY + d) * c->cells + i];
        sum[SL_MX + d] += rho * v;
        square += v * v;
    }
    for (int d = 0; d < 3 && lay->magnetic >= 0; d++) {
        double b = value[(size_t)(SL_CELL_MAGNETIC + d) * c->cells + i];
        sum[lay->magnetic + d] += b * weight;
        field += 0.5 * b * b * weight;
    }
    if (lay->energy >= 0) sum[lay->energy] += p / (gamma - 1) + 0.5 * rho * square + field;
    for (int q = 0; q < lay->nscalar; q++)
        sum[lay->scalar0 + q] += rho * value[(size_t)(SL_CELL_SCALAR + q) * c->cells + i];
}

/* Energy of a cell that is no heat: of motion and field. */
static double motion(const struct sl_layout *lay, const double *sum)
{
    double square = sum[SL_MX] * sum[SL_MX] + sum[SL_MY] * sum[SL_MY] + sum[SL_MZ] * sum[SL_MZ];
    double field = 0;
    for (int d = 0; d < 3 && lay->magnetic >= 0; d++)
        field += 0.5 * sum[lay->magnetic + d] * sum[lay->magnetic + d];
    return 0.5 * square / sum[SL_RHO] + field;
}

static void make_cell(const struct sl_state *s, const struct sl_field_cells *c, const double *value,
                      const int cell[3], double *sum)
{
    const struct sl_layout *lay = &s->layout;
    double heat = 0;
    int64_t lo[3];
    for (int d = 0; d < 3; d++)
        lo[d] = (c->first[d] + cell[d]) * c->ratio[d] / c->fill[d] - c->at[d];
    double weight = 1.0 / (double)(c->ratio[0] * c->ratio[1] * c->ratio[2]);
    memset(sum, 0, SL_MAX_VAR * sizeof *sum);
    for (int64_t z = lo[2]; z < lo[2] + c->ratio[2]; z++)
        for (int64_t y = lo[1]; y < lo[1] + c->ratio[1]; y++)
            for (int64_t x = lo[0]; x < lo[0] + c->ratio[0]; x++)
                add_cell(s, c, value, (size_t)((z * c->n[1] + y) * c->n[0] + x), weight, sum,
                         &heat);
    if (c->keep_heat && weight < 1 && lay->energy >= 0) sum[lay->energy] = heat + motion(lay, sum);
    if (lay->entropy < 0) return;
    double gamma = s->gas.gamma, rho = sum[SL_RHO];
    double square = sum[SL_MX] * sum[SL_MX] + sum[SL_MY] * sum[SL_MY] + sum[SL_MZ] * sum[SL_MZ];
    double field = 0;
    for (int d = 0; d < 3 && lay->magnetic >= 0; d++)
        field += 0.5 * sum[lay->magnetic + d] * sum[lay->magnetic + d];
    double p = (gamma - 1) * (sum[lay->energy] - 0.5 * square / rho - field);
    sum[lay->entropy] = rho * p / pow(rho, gamma);
}

static void set_cell(const struct sl_state *s, int b, const int cell[3], const double *sum)
{
    const struct sl_mesh *m = s->mesh;
    int nvar = s->layout.nvar;
    for (int v = 0; v < nvar; v++)
        s->u[sl_mesh_at(m, nvar, b, v, cell[2] + m->g[2], cell[1] + m->g[1], cell[0] + m->g[0])] =
            (sl_real)sum[v];
}

void sl_field_cells_set(const struct sl_field_cells *c, const double *value,
                        const struct sl_state *state, int block)
{
    const int *n = state->mesh->n;
    double sum[SL_MAX_VAR];
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const int cell[3] = {i, j, k};
                make_cell(state, c, value, cell, sum);
                set_cell(state, block, cell, sum);
            }
}
