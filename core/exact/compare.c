/* compare.c - see compare.h. */
#include "core/exact/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/exact/whole.h"
#include "core/state/leaves.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

enum { PRESSURE = 8, NBASE, NROW = NBASE + 8, NSUM = 2 * NROW };

static const char *const names[] = {
#define COMPARE_NAME(name) #name,
    SL_COMPARE_LIST(COMPARE_NAME)};

/* Conserved variables, pressure and scalar densities of a primitive state. */
static void rows_of(const struct sl_state *state, const double *prim, double *row)
{
    double kinetic = 0, field = 0;
    row[0] = prim[0];
    for (int i = 1; i < 4; i++) {
        row[i] = prim[0] * prim[i];
        kinetic += 0.5 * prim[0] * prim[i] * prim[i];
    }
    for (int i = 0; i < 3; i++) {
        row[5 + i] = state->layout.magnetic < 0 ? 0 : prim[SL_PRIM_B + i];
        field += 0.5 * row[5 + i] * row[5 + i];
    }
    row[4] =
        state->layout.energy < 0 ? 0 : prim[4] / (state->cfg->fluid_gamma - 1) + kinetic + field;
    row[PRESSURE] = prim[4];
    for (int i = 0; i < state->layout.nscalar; i++)
        row[NBASE + i] = prim[0] * prim[SL_PRIM_SCALAR + i];
}

/* What the run holds there. */
static void rows_held(const struct sl_state *state, size_t at, double *row)
{
    size_t stride = state->mesh->block_cells;
    double prim[SL_WHOLE_NVAR];
    sl_whole_prim(state, state->u + at, stride, prim);
    for (int i = 0; i < 3; i++)
        row[5 + i] = prim[SL_WHOLE_B + i];
    for (int i = 0; i < 4; i++)
        row[i] = (double)state->u[at + (size_t)i * stride];
    row[4] =
        state->layout.energy < 0 ? 0 : (double)state->u[at + (size_t)state->layout.energy * stride];
    row[PRESSURE] = prim[4];
    for (int i = 0; i < state->layout.nscalar; i++)
        row[NBASE + i] = (double)state->u[at + (size_t)(state->layout.scalar0 + i) * stride];
}

/* Adds x to a sum, and what rounding takes from it to rest: the errors of a wave and of its mirror
 * image, which come in the opposite order, have the same sum to the bit (Neumaier 1974). */
static void add(double x, double *sum, double *rest)
{
    double whole = *sum + x;
    *rest += fabs(*sum) >= fabs(x) ? (*sum - whole) + x : (x - whole) + *sum;
    *sum = whole;
}

static void compare_block(const struct sl_state *state, int block, double *sum, double *max)
{
    const struct sl_mesh *mesh = state->mesh;
    double lo[3], hi[3], prim[SL_PRIM_MAX] = {0}, held[NROW], exact[NROW], rest[NSUM] = {0};
    for (int k = mesh->g[2]; k < mesh->g[2] + mesh->n[2]; k++)
        for (int j = mesh->g[1]; j < mesh->g[1] + mesh->n[1]; j++)
            for (int i = mesh->g[0]; i < mesh->g[0] + mesh->n[0]; i++) {
                sl_mesh_cell(mesh, block, k, j, i, lo, hi);
                state->problem->state(state->problem_data, lo, hi, state->time, prim);
                rows_of(state, prim, exact);
                rows_held(state, sl_mesh_at(mesh, state->layout.nvar, block, 0, k, j, i), held);
                for (int v = 0; v < NBASE + state->layout.nscalar; v++) {
                    double off = fabs(held[v] - exact[v]);
                    add(off, &sum[v], &rest[v]);
                    add(fabs(exact[v]), &sum[NROW + v], &rest[NROW + v]);
                    max[v] = fmax(max[v], off);
                }
            }
    for (int v = 0; v < NSUM; v++)
        sum[v] += rest[v];
}

/* A line for each leaf of the rank: sums over its cells, in cells of the root grid. */
static void compare_leaves(const struct sl_state *state, double *sums, double *max)
{
    for (const struct sl_state *s = state; s; s = s->finer) {
        double share = ldexp(1, -s->mesh->dim * s->mesh->level);
        for (int b = 0; b < s->mesh->nleaf; b++, sums += NSUM) {
            compare_block(s, b, sums, max);
            for (int v = 0; v < NSUM; v++)
                sums[v] *= share;
        }
    }
}

static int reduce(const struct sl_state *state, int leaves, const double *sums, double *sum,
                  double *max)
{
    SL_TRY(sl_sum_columns(state->mesh->comm, leaves, NSUM, sums, sum));
    int mpi = MPI_Allreduce(MPI_IN_PLACE, max, NROW, MPI_DOUBLE, MPI_MAX, state->mesh->comm);
    SL_CHECK(mpi == MPI_SUCCESS, SL_EMPI, "cannot compare with the exact solution");
    return SL_OK;
}

/* The worst cell over the mean, of the conserved variables whose errors are no small part of
 * all. */
static double worst_over_mean(const struct sl_compare *c)
{
    double worst = 0;
    for (int v = 0; v < c->n && strcmp(c->row[v].name, "pressure") != 0; v++)
        if (c->row[v].l1 > 0.01 * c->rms_l1) worst = fmax(worst, c->row[v].max / c->row[v].l1);
    return worst;
}

int sl_compare(const struct sl_state *state, struct sl_compare *out)
{
    const struct sl_mesh *mesh = state->mesh;
    double sum[NSUM], max[NROW] = {0}, error2 = 0, norm2 = 0, cells = 1;
    int leaves = sl_leaves_count(state);
    double *sums = calloc((size_t)leaves * NSUM + 1, sizeof *sums);
    int code = sums ? SL_OK : SL_FAIL(SL_EMEM, "no memory to compare with the exact solution");
    code = sl_agree(mesh->comm, code);
    if (code == SL_OK) {
        compare_leaves(state, sums, max);
        code = reduce(state, leaves, sums, sum, max);
    }
    free(sums);
    if (code != SL_OK) return code;
    for (int d = 0; d < mesh->dim; d++)
        cells *= mesh->spec.cells[d];
    memset(out, 0, sizeof *out);
    for (int v = 0; v < NBASE + state->layout.nscalar; v++) {
        if (v >= 5 && v < PRESSURE && state->layout.magnetic < 0) continue;
        struct sl_compare_row *row = &out->row[out->n++];
        if (v < NBASE)
            snprintf(row->name, sizeof row->name, "%s", names[v]);
        else
            snprintf(row->name, sizeof row->name, "scalar_%d", v - NBASE + 1);
        row->l1 = sum[v] / cells;
        row->max = max[v];
        if (v >= PRESSURE) continue;
        error2 += row->l1 * row->l1;
        norm2 += sum[NROW + v] / cells * (sum[NROW + v] / cells);
    }
    out->rms_l1 = sqrt(error2);
    out->relative_l1 = sqrt(error2 / norm2);
    out->worst_over_mean = worst_over_mean(out);
    return SL_OK;
}

static void print_rows(FILE *f, const struct sl_compare *c)
{
    for (int v = 0; v < c->n; v++)
        fprintf(f, "%s\t%.17g\t%.17g\n", c->row[v].name, c->row[v].l1, c->row[v].max);
#define SUM(name, about) fprintf(f, #name "\t%.17g\tnan\n", c->name);
    SL_COMPARE_SUM_LIST(SUM)
#undef SUM
}

/* What the rows mean, but for the variables, as comments "name: meaning". */
static void print_meanings(FILE *f, bool exact, const struct sl_measures *m)
{
#define MEANING(name, about) fputs("# " #name ": " about "\n", f);
    if (exact) {
        SL_COMPARE_SUM_LIST(MEANING)
    }
#undef MEANING
    for (int i = 0; i < m->n; i++)
        fprintf(f, "# %s: %s\n", m->row[i].name, m->row[i].meaning);
}

static void print_columns(FILE *f, double time)
{
#define NAME(name, unit, about) "\t" #name
#define UNIT(name, unit, about) "# unit " #name ": " unit "\n"
    fputs("variable" SL_COMPARE_COLUMN_LIST(NAME) "\n", f);
    fprintf(f, "# time: %.17g\n", time);
    fputs(SL_COMPARE_COLUMN_LIST(UNIT) "# a row that has one number holds it as L1\n", f);
#undef NAME
#undef UNIT
}

int sl_compare_print(const struct sl_state *state, char **text)
{
    struct sl_compare compare;
    struct sl_measures measures = {.n = 0};
    size_t size;
    bool exact = state->problem->exact && state->layout.nvar > 0;
    if (exact) SL_TRY(sl_compare(state, &compare));
    if (state->problem->measure)
        SL_TRY(state->problem->measure(state->problem_data, state, &measures));
    FILE *f = open_memstream(text, &size);
    int code = f ? SL_OK : SL_FAIL(SL_EMEM, "no memory for the comparison");
    SL_TRY(sl_agree(state->mesh->comm, code));
    print_columns(f, state->time);
    print_meanings(f, exact, &measures);
    if (exact) print_rows(f, &compare);
    for (int i = 0; i < measures.n; i++)
        fprintf(f, "%s\t%.17g\tnan\n", measures.row[i].name, measures.row[i].value);
    fclose(f);
    return SL_OK;
}
