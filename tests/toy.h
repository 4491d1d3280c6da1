/* toy.h - a small run without a solver: a mesh and fields that depend on the place alone, to write
 * and read.
 *
 * Shapes as in struct sl_state. Units none. Errors end the test. Owns what toy_free frees. MPI
 * collective over the world. Where host. Refs none. Tests itself.
 */
#ifndef SL_TESTS_TOY_H
#define SL_TESTS_TOY_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/eos.h"
#include "core/config/config.h"
#include "core/lists/shock_list.h"
#include "core/mesh/hierarchy.h"
#include "core/state/state.h"
#include "core/sys/status.h"

struct toy {
    struct sl_config cfg;
    struct sl_state run;
};

static inline void toy_layout(struct sl_state *run, int nscalar)
{
    run->layout = (struct sl_layout){5 + nscalar, 4, -1, 5, nscalar, -1, -1, 5 + nscalar};
    run->gas = (struct sl_gas){SL_EOS_ideal, (sl_real)1.4, 0, 0, 0, 0, 0, SL_SHOCK_limit};
}

/* The primitive state at a place: every cell and variable differs. */
static inline void toy_state(const double lo[3], const double hi[3], double salt, double w[8])
{
    double x = lo[0] + hi[0], y = lo[1] + hi[1], z = lo[2] + hi[2];
    w[0] = 2.5 + 0.5 * sin(3 * x + salt) * cos(2 * y) + 0.25 * z;
    w[1] = sin(x + 2 * y + 3 * z + salt);
    w[2] = 0.5 - x * y + z;
    w[3] = cos(z - x) + salt;
    w[4] = 0.6 + 0.1 * cos(x + y - z) + 0.01 * salt * salt;
    w[5] = 0.5 + 0.25 * sin(x);
    w[6] = 0.25 * x * x;
    w[7] = 0.125;
}

static inline void toy_set_cell(struct sl_state *run, sl_real *u, const double w[8])
{
    size_t s = run->mesh->block_cells;
    u[0] = (sl_real)w[0];
    for (int a = 0; a < 3; a++)
        u[(size_t)(1 + a) * s] = (sl_real)(w[0] * w[1 + a]);
    double v2 = w[1] * w[1] + w[2] * w[2] + w[3] * w[3];
    u[4 * s] = (sl_real)(w[4] / 0.4 + 0.5 * w[0] * v2);
    for (int q = 0; q < run->layout.nscalar; q++)
        u[(size_t)(5 + q) * s] = (sl_real)(w[0] * w[5 + q]);
}

/* Sets the interior; ghosts become a number that must never be seen. */
static inline void toy_fill(struct sl_state *run, double salt)
{
    struct sl_mesh *m = run->mesh;
    for (size_t i = 0; i < sl_mesh_size(m, run->layout.nvar); i++)
        run->u[i] = (sl_real)-12345;
    for (int b = 0; b < m->nblock; b++)
        for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
            for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                    double lo[3], hi[3], w[8];
                    sl_mesh_cell(m, b, k, j, i, lo, hi);
                    toy_state(lo, hi, salt, w);
                    toy_set_cell(run, run->u + sl_mesh_at(m, run->layout.nvar, b, 0, k, j, i), w);
                }
    run->time = 0.1 + salt;
    run->dt = 1e-3 / 3 + salt;
    run->step = 42 + (int64_t)(1000 * salt);
    run->cells_repaired = 7, run->cells_floored = 3, run->floored_last = 2;
    run->next_snapshot = 2, run->next_history = 11;
    run->time_unit = 1.0 / 3;
}

static inline struct toy *toy_new(int dim, int cells, int block, int nscalar)
{
    struct toy *t = calloc(1, sizeof *t);
    struct sl_mesh_spec spec = {.dim = dim, .ghost = 2};
    if (!t) abort();
    for (int a = 0; a < dim; a++) {
        spec.cells[a] = a == 1 ? cells / 2 : cells;
        spec.block[a] = block;
        spec.lo[a] = -0.5 - a, spec.hi[a] = 0.5 + a;
    }
    t->run.cfg = &t->cfg;
    t->cfg.time_end = 3;
    snprintf(t->cfg.campaign, sizeof t->cfg.campaign, "toy");
    toy_layout(&t->run, nscalar);
    if (sl_hierarchy_uniform(MPI_COMM_WORLD, &spec, &t->run.hierarchy) != SL_OK) {
        printf("%s\n", sl_error_text());
        abort();
    }
    t->run.mesh = t->run.hierarchy->level[0];
    t->run.u = calloc(sl_mesh_size(t->run.mesh, 5 + nscalar) + 1, sizeof *t->run.u);
    if (!t->run.u) abort();
    toy_fill(&t->run, 0);
    return t;
}

static inline void toy_free(struct toy *t)
{
    sl_hierarchy_free(t->run.hierarchy);
    free(t->run.u);
    free(t);
}

/* Whether the interiors and everything that a checkpoint holds are the same bits. */
static inline int toy_same(const struct sl_state *a, const struct sl_state *b)
{
    const struct sl_mesh *m = a->mesh;
    int same = a->time == b->time && a->dt == b->dt && a->step == b->step &&
               a->cells_repaired == b->cells_repaired && a->cells_floored == b->cells_floored &&
               a->floored_last == b->floored_last && a->next_snapshot == b->next_snapshot &&
               a->next_history == b->next_history && a->time_unit == b->time_unit;
    for (int n = 0; n < m->nblock * a->layout.nvar; n++)
        for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
            for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++) {
                size_t at = sl_mesh_at(m, 1, n, 0, k, j, m->g[0]);
                same &= memcmp(a->u + at, b->u + at, (size_t)m->n[0] * sizeof *a->u) == 0;
            }
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return same;
}

#endif
