/* potential_processor.c - the calls of backend.h on processors: the loops of potential_level.h, and
 * those over whole fields. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/gravity/backend.h"
#include "core/gravity/potential_root.h"
#include "core/sweep/lanes.h"
#include "core/sys/status.h"

static int open_level(void *of, struct sl_potential_level *p)
{
    (void)of;
    return sl_potential_level_fields(p);
}

static void close_level(struct sl_potential_level *p)
{
    sl_potential_root_free(p->root);
    sl_potential_level_release(p);
}

static int clear(struct sl_potential_level *p, sl_real *field)
{
    memset(field, 0, p->values * sizeof *field);
    return SL_OK;
}

static void apply(struct sl_potential_level *p)
{
    const sl_real back = p->back;
    SL_SIMD
    for (size_t i = 0; i < p->values; i++)
        p->phi[i] += back * (sl_real)p->correction[i];
}

static int extrapolate(struct sl_potential_level *p, double ahead)
{
    sl_real *restrict phi = p->phi, *restrict before = p->before;
    SL_SIMD
    for (size_t i = 0; i < p->values; i++) {
        sl_real last = phi[i];
        phi[i] = sl_poisson_ahead(before[i], last, (sl_real)ahead);
        before[i] = last;
    }
    return SL_OK;
}

/* Cells of the leaves without gaps, and those of a field: to it, or from it. */
static void leaves_copy(const struct sl_potential_level *p, bool to, sl_real *leaf, sl_real *field)
{
    const struct sl_mesh *m = p->mesh;
    const size_t n = (size_t)m->n[0];
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++, leaf += n) {
                sl_real *row = field + sl_potential_at(m, b, k, j, 0);
                memcpy(to ? row : leaf, to ? leaf : row, n * sizeof *row);
            }
}

static size_t beyond_values(const struct sl_potential_level *p)
{
    return (size_t)p->mesh->nblock * 6 * p->face_values;
}

static int get(const struct sl_potential_level *p, const sl_real *field, sl_real *leaf,
               sl_real *beyond)
{
    leaves_copy(p, false, leaf, (sl_real *)(uintptr_t)field);
    if (beyond) memcpy(beyond, field + sl_mesh_size(p->mesh, 1), beyond_values(p) * sizeof *beyond);
    return SL_OK;
}

static int set(struct sl_potential_level *p, const sl_real *leaf, const sl_real *beyond,
               sl_real *field)
{
    SL_TRY(clear(p, field));
    leaves_copy(p, true, (sl_real *)(uintptr_t)leaf, field);
    if (beyond) memcpy(field + sl_mesh_size(p->mesh, 1), beyond, beyond_values(p) * sizeof *beyond);
    return SL_OK;
}

static int shift(struct sl_potential_level *p, enum sl_potential_field f, double factor,
                 double mean)
{
    sl_real *x = sl_potential_values(p, f);
    for (size_t i = 0; i < p->values; i++)
        x[i] = (sl_real)(factor * ((double)x[i] - mean));
    return SL_OK;
}

static int fill(struct sl_potential_level *p, enum sl_potential_edge edge, bool across,
                enum sl_potential_field f)
{
    return f == SL_POTENTIAL_PHI ? sl_potential_fill(p, edge, across, p->phi)
                                 : sl_cycle_fill(p, edge, across, p->correction);
}

static int rings(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                 enum sl_potential_field f)
{
    return f == SL_POTENTIAL_PHI ? sl_potential_rings(coarse, fine, coarse->phi)
                                 : sl_cycle_rings(coarse, fine, coarse->correction);
}

static int relax(struct sl_potential_level *p, int sweeps)
{
    memset(p->correction, 0, p->values * sizeof *p->correction);
    return sl_cycle_smooth(p, sweeps, SL_POTENTIAL_EDGE_ZERO);
}

static int correct(struct sl_potential_level *p, int sweeps)
{
    SL_TRY(sl_cycle_smooth(p, sweeps, SL_POTENTIAL_EDGE_RING));
    apply(p);
    return SL_OK;
}

static int add_rings(struct sl_potential_level *p)
{
    sl_cycle_add_rings(p);
    return SL_OK;
}

/* The root grid shares out its planes when it is first solved for. */
static int root(struct sl_potential_level *p)
{
    if (!p->root) SL_TRY(sl_potential_root_new(p, &p->root));
    SL_TRY(sl_potential_root_solve(p));
    for (size_t i = 0; i < p->values; i++)
        p->correction[i] = (sl_cycle_real)sl_potential_wide(p)[i];
    apply(p);
    return SL_OK;
}

/* ---- sums over leaves ------------------------------------------------------------------------ */

static int largest(struct sl_potential_level *p, int n, enum sl_potential_field f, double *out)
{
    *out = 0;
    for (int l = 0; l < n; l++) {
        double x = f == SL_POTENTIAL_RHS ? sl_potential_largest(&p[l], p[l].rhs)
                                         : sl_cycle_largest(&p[l], p[l].residual);
        if (!(x <= *out)) *out = x;
    }
    return SL_OK;
}

/* Of one block: of a field, and of its products with another. */
static void sums_of_block(const struct sl_potential_level *p, int block, const sl_real *field,
                          const sl_real *with, double out[2])
{
    const struct sl_mesh *m = p->mesh;
    double volume = (double)p->h[0] * (double)p->h[1] * (double)p->h[2];
    out[0] = out[1] = 0;
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++) {
            size_t at = sl_potential_at(m, block, k, j, 0);
            double row[2] = {0, 0};
            for (int i = 0; i < m->n[0]; i++) {
                row[0] += (double)field[at + i];
                row[1] += (double)field[at + i] * (double)with[at + i];
            }
            out[0] += volume * row[0], out[1] += volume * row[1];
        }
}

static int sums(struct sl_potential_level *p, int n, enum sl_potential_field f,
                enum sl_potential_field with, double (*out)[2])
{
    for (int l = 0; l < n; l++)
        for (int b = 0; b < p[l].mesh->nleaf; b++)
            sums_of_block(&p[l], b, sl_potential_values(&p[l], f), sl_potential_values(&p[l], with),
                          *out++);
    return SL_OK;
}

/* ---- accelerations --------------------------------------------------------------------------- */

struct pull {
    const struct sl_mesh *mesh;
    sl_real *g, *bend; /* NULL: that is not wanted */
};

/* Of either of both. */
static sl_real *pull_row(const struct pull *p, sl_real *all, int block, int k, int j, int axis)
{
    const int *n = p->mesh->n;
    return all + ((((size_t)block * (size_t)n[2] + (size_t)k) * (size_t)n[1] + (size_t)j) * 3 +
                  (size_t)axis) *
                     (size_t)n[0];
}

static void take_pull(void *context, const struct sl_potential_face *f, sl_real change)
{
    const struct pull *p = context;
    pull_row(p, p->g, f->block, f->at[2], f->at[1], f->axis)[f->at[0]] +=
        (sl_real)(f->upper ? -0.5 : 0.5) * change;
    if (p->bend) pull_row(p, p->bend, f->block, f->at[2], f->at[1], f->axis)[f->at[0]] -= change;
}

/* Of blocks from first on, up to last. */
static void pull_axis(const struct sl_potential_level *p, const struct pull *to, int axis,
                      int first, int last)
{
    const struct sl_mesh *m = p->mesh;
    const ptrdiff_t step = m->step[axis];
    const sl_real half = (sl_real)0.5 / p->h[axis];
    for (int b = first; b < last; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                const sl_real *phi = p->phi + sl_potential_at(m, b, k, j, 0);
                sl_real *g = pull_row(to, to->g, b, k, j, axis);
                for (int i = 0; i < m->n[0]; i++)
                    g[i] = half * (phi[i - step] - phi[i + step]);
            }
}

/* Of the leaves: how much more the accelerations at upper faces are than those at lower ones. */
static void bend_axis(const struct sl_potential_level *p, const struct pull *to, int axis)
{
    const struct sl_mesh *m = p->mesh;
    const ptrdiff_t step = m->step[axis];
    const sl_real per_h = 1 / p->h[axis];
    for (int b = 0; b < m->nleaf && to->bend; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                const sl_real *phi = p->phi + sl_potential_at(m, b, k, j, 0);
                sl_real *bend = pull_row(to, to->bend, b, k, j, axis);
                for (int i = 0; i < m->n[0]; i++)
                    bend[i] = per_h * (2 * phi[i] - (phi[i - step] + phi[i + step]));
            }
}

static int pull(struct sl_potential_level *p, struct sl_potential_level *fine, sl_real *g,
                sl_real *bend)
{
    struct pull to = {p->mesh, g, bend};
    for (int axis = 0; axis < p->mesh->dim; axis++) {
        pull_axis(p, &to, axis, 0, p->mesh->nleaf);
        bend_axis(p, &to, axis);
    }
    return fine ? sl_potential_match(p, fine, take_pull, &to) : SL_OK;
}

void sl_potential_pull_covered(const struct sl_potential_level *p, sl_real *g)
{
    const struct pull to = {p->mesh, g, NULL};
    for (int axis = 0; axis < p->mesh->dim; axis++)
        pull_axis(p, &to, axis, p->mesh->nleaf, p->mesh->nblock);
}

const struct sl_potential_calls sl_potential_processor = {.open = open_level,
                                                          .close = close_level,
                                                          .clear = clear,
                                                          .extrapolate = extrapolate,
                                                          .shift = shift,
                                                          .get = get,
                                                          .set = set,
                                                          .fill = fill,
                                                          .residual = sl_potential_residual,
                                                          .relax = relax,
                                                          .correct = correct,
                                                          .add_rings = add_rings,
                                                          .root = root,
                                                          .rings = rings,
                                                          .cover = sl_potential_cover,
                                                          .reduce = sl_cycle_reduce,
                                                          .pull = pull,
                                                          .largest = largest,
                                                          .sums = sums};
