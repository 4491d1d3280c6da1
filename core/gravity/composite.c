/* composite.c - the cycle over the levels, which knows no stencil; see
 * composite.h. */
#include "core/gravity/composite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/gravity/poisson.h"
#include "core/gravity/potential_level.h"
#include "core/grid/planes.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

enum { SWEEPS = 2 }; /* on the way down, and on the way up */

struct sl_composite {
    struct sl_hierarchy *h;     /* borrowed */
    struct sl_poisson *poisson; /* owned; of the root grid */
    struct sl_planes *planes;   /* owned */
    bool isolated;
    int axis; /* of the pulls of the root grid that are under way */
    int nlevel;
    struct sl_potential_level level[SL_LEVELS];
};

/* ---- making
 * ---------------------------------------------------------------------------------
 */

void sl_composite_free(struct sl_composite *c)
{
    if (!c) return;
    for (int l = 0; l < c->nlevel; l++)
        sl_potential_level_release(&c->level[l]);
    sl_planes_free(c->planes);
    sl_poisson_free(c->poisson);
    free(c);
}

static int root_new(struct sl_composite *c)
{
    const struct sl_mesh_spec *spec = &c->h->spec;
    double length[3] = {1, 1, 1};
    for (int d = 0; d < spec->dim; d++)
        length[d] = spec->hi[d] - spec->lo[d];
    SL_TRY(sl_poisson_new(c->h->comm, spec->dim, c->isolated, spec->cells, length, &c->poisson));
    return sl_planes_new(c->h->level[0], sl_poisson_pencil(c->poisson), &c->planes);
}

int sl_composite_new(struct sl_hierarchy *h, bool isolated, struct sl_composite **out)
{
    struct sl_composite *c = NULL;
    SL_TRY(sl_agree(h->comm, sl_alloc("the potential on levels", 1, sizeof *c, &c)));
    c->h = h;
    c->isolated = isolated;
    int code = root_new(c);
    for (int l = 0; l < h->nlevel && code == SL_OK; l++) {
        code = sl_potential_level_new(h->level[l], h->nest[l], isolated, &c->level[l]);
        if (code == SL_OK) c->nlevel++;
    }
    if (code == SL_OK)
        *out = c;
    else
        sl_composite_free(c);
    return code;
}

sl_real *sl_composite_density(const struct sl_composite *c, int level, int block, int k, int j)
{
    const struct sl_potential_level *p = &c->level[level];
    return p->rhs + sl_potential_at(p->mesh, block, k, j, 0);
}

const sl_real *sl_composite_potential(const struct sl_composite *c, int level, int block, int k,
                                      int j)
{
    const struct sl_potential_level *p = &c->level[level];
    return p->phi + sl_potential_at(p->mesh, block, k, j, 0);
}

/* ---- sums over leaves ------------------------------------------------------------------------ */

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

enum field { PHI, RHS };

static const sl_real *field_of(const struct sl_potential_level *p, enum field f)
{
    return f == PHI ? p->phi : p->rhs;
}

/* Integrals over the box of a field, and of phi rhs. */
static int sums_of(const struct sl_composite *c, enum field f, double out[2])
{
    int leaves = 0, at = 0;
    double(*line)[2] = NULL;
    for (int l = 0; l < c->nlevel; l++)
        leaves += c->level[l].mesh->nleaf;
    SL_TRY(
        sl_agree(c->h->comm, sl_alloc("sums of blocks", (size_t)leaves + 1, sizeof *line, &line)));
    for (int l = 0; l < c->nlevel; l++)
        for (int b = 0; b < c->level[l].mesh->nleaf; b++)
            sums_of_block(&c->level[l], b, field_of(&c->level[l], f),
                          field_of(&c->level[l], f == PHI ? RHS : PHI), line[at++]);
    int code = sl_sum_columns(c->h->comm, leaves, 2, *line, out);
    free(line);
    return code;
}

static double volume_of(const struct sl_mesh_spec *spec)
{
    double volume = 1;
    for (int d = 0; d < spec->dim; d++)
        volume *= spec->hi[d] - spec->lo[d];
    return volume;
}

/* Every value of a field, ghost cells too: x -> factor (x - mean) */
static void shift(const struct sl_composite *c, enum field f, double factor, double mean)
{
    for (int l = 0; l < c->nlevel; l++) {
        sl_real *x = f == PHI ? c->level[l].phi : c->level[l].rhs;
        for (size_t i = 0; i < c->level[l].values; i++)
            x[i] = (sl_real)(factor * ((double)x[i] - mean));
    }
}

/* ---- a cycle
 * --------------------------------------------------------------------------------
 */

static void take_residual(void *context, const struct sl_potential_face *f, sl_real change)
{
    struct sl_potential_level *p = context;
    p->residual[sl_potential_at(p->mesh, f->block, f->at[2], f->at[1], f->at[0])] -=
        change / p->h[f->axis];
}

static int fill_potential(struct sl_composite *c)
{
    struct sl_potential_level *p = c->level;
    for (int l = c->nlevel - 1; l > 0; l--)
        SL_TRY(sl_potential_cover(&p[l - 1], &p[l], p[l].phi, p[l - 1].phi));
    for (int l = 0; l < c->nlevel; l++) {
        if (l > 0) SL_TRY(sl_potential_rings(&p[l - 1], &p[l], p[l - 1].phi));
        SL_TRY(sl_potential_fill(&p[l], SL_POTENTIAL_EDGE_RING, l + 1 < c->nlevel, p[l].phi));
    }
    return SL_OK;
}

/* What is left in all leaves; covered cells have the means of their children.
 */
static int residuals(struct sl_composite *c)
{
    struct sl_potential_level *p = c->level;
    SL_TRY(fill_potential(c));
    for (int l = 0; l < c->nlevel; l++)
        sl_potential_residual(&p[l], p[l].phi, p[l].rhs, p[l].residual);
    for (int l = c->nlevel - 1; l > 0; l--) {
        SL_TRY(
            sl_potential_match(&p[l - 1], &p[l], p[l].phi, p[l - 1].phi, take_residual, &p[l - 1]));
        SL_TRY(sl_potential_cover(&p[l - 1], &p[l], p[l].residual, p[l - 1].residual));
    }
    return SL_OK;
}

static void clear(struct sl_potential_level *p)
{
    memset(p->correction, 0, p->values * sizeof *p->correction);
}

static void apply(struct sl_potential_level *p)
{
    for (size_t i = 0; i < p->values; i++)
        p->phi[i] += p->correction[i];
}

/* Relaxes a level, where the coarser one is corrected by nothing, and hands
 * down what is left. */
static int down(struct sl_potential_level *coarse, struct sl_potential_level *p)
{
    clear(p);
    SL_TRY(sl_potential_smooth(p, SWEEPS, SL_POTENTIAL_EDGE_ZERO, p->residual, p->correction));
    SL_TRY(sl_potential_fill(p, SL_POTENTIAL_EDGE_ZERO, false, p->correction));
    sl_potential_residual(p, p->correction, p->residual, p->left);
    SL_TRY(sl_potential_match(coarse, p, p->correction, NULL, take_residual, coarse));
    return sl_potential_cover(coarse, p, p->left, coarse->residual);
}

/* Takes the corrections of the coarser level and relaxes again. */
static int up(struct sl_potential_level *coarse, struct sl_potential_level *p)
{
    SL_TRY(sl_potential_fill(coarse, SL_POTENTIAL_EDGE_RING, true, coarse->correction));
    SL_TRY(sl_potential_rings(coarse, p, coarse->correction));
    sl_potential_add_rings(p, p->correction);
    SL_TRY(sl_potential_smooth(p, SWEEPS, SL_POTENTIAL_EDGE_RING, p->residual, p->correction));
    apply(p);
    return SL_OK;
}

/* ---- the root grid --------------------------------------------------------------------------- */

static void residual_from_block(void *context, int block, int k, int j, void *row)
{
    const struct sl_composite *c = context;
    const struct sl_potential_level *p = c->level;
    memcpy(row, p->residual + sl_potential_at(p->mesh, block, k, j, 0),
           (size_t)p->mesh->n[0] * sizeof(sl_real));
}

static void residual_to_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct sl_composite *c = context;
    const sl_real *from = row;
    double *to = sl_poisson_row(c->poisson, k, j) + i;
    for (int q = 0; q < n; q++)
        to[q] = (double)from[q];
}

static void correction_from_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct sl_composite *c = context;
    sl_real *to = row;
    const double *from = sl_poisson_row(c->poisson, k, j) + i;
    for (int q = 0; q < n; q++)
        to[q] = (sl_real)from[q];
}

static void correction_to_block(void *context, int block, int k, int j, void *row)
{
    const struct sl_composite *c = context;
    const struct sl_potential_level *p = c->level;
    memcpy(p->correction + sl_potential_at(p->mesh, block, k, j, 0), row,
           (size_t)p->mesh->n[0] * sizeof(sl_real));
}

static void pull_from_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct sl_composite *c = context;
    sl_real *to = row;
    for (int q = 0; q < n; q++) {
        double pull;
        sl_poisson_pull(c->poisson, c->axis, k, j, i + q, 1, &pull);
        to[q] = (sl_real)pull;
    }
}

/* The correction beyond a face of the box follows from the central slope of the cell inside. */
static void beyond_from_pull(void *context, int block, int k, int j, void *row)
{
    const struct sl_composite *c = context;
    const sl_real *pull = row;
    const struct sl_potential_level *p = c->level;
    const struct sl_mesh *m = p->mesh;
    int cell[3] = {0, j, k}, t[2];
    sl_mesh_along(c->axis, t);
    for (cell[0] = 0; cell[0] < m->n[0]; cell[0]++)
        for (int upper = 0; upper < 2; upper++) {
            if (!m->blocks[block].at_edge[2 * c->axis + upper]) continue;
            if (cell[c->axis] != (upper ? m->n[c->axis] - 1 : 0)) continue;
            sl_real twice = 2 * p->h[c->axis] * pull[cell[0]];
            const sl_real *here =
                p->correction + sl_potential_at(m, block, cell[2], cell[1], cell[0]);
            sl_potential_beyond(p, block, 2 * c->axis + upper,
                                p->correction)[cell[t[1]] * m->n[t[0]] + cell[t[0]]] =
                upper ? here[-m->step[c->axis]] - twice : here[m->step[c->axis]] + twice;
        }
}

static int solve_root(struct sl_composite *c)
{
    struct sl_poisson_sums sums;
    SL_TRY(sl_planes_gather(c->planes, residual_from_block, residual_to_plane, c));
    SL_TRY(sl_poisson_solve(c->poisson, 1, &sums));
    SL_TRY(sl_planes_spread(c->planes, correction_from_plane, correction_to_block, c));
    for (c->axis = 0; c->axis < 3 && c->isolated; c->axis++)
        SL_TRY(sl_planes_spread(c->planes, pull_from_plane, beyond_from_pull, c));
    apply(&c->level[0]);
    return SL_OK;
}

static int cycle(struct sl_composite *c)
{
    for (int l = c->nlevel - 1; l > 0; l--)
        SL_TRY(down(&c->level[l - 1], &c->level[l]));
    SL_TRY(solve_root(c));
    for (int l = 1; l < c->nlevel; l++)
        SL_TRY(up(&c->level[l - 1], &c->level[l]));
    return SL_OK;
}

/* ---- a solution
 * -----------------------------------------------------------------------------
 */

enum measured { OF_RESIDUAL, OF_RHS };

static int largest(const struct sl_composite *c, enum measured what, double *out)
{
    double most = 0;
    for (int l = 0; l < c->nlevel; l++) {
        const struct sl_potential_level *p = &c->level[l];
        double x = sl_potential_largest(p, what == OF_RHS ? p->rhs : p->residual);
        if (!(x <= most)) most = x;
    }
    int code = MPI_Allreduce(&most, out, 1, MPI_DOUBLE, MPI_MAX, c->h->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "MPI_Allreduce of the residual of gravity failed");
    return SL_OK;
}

static int take_density(struct sl_composite *c, double factor, double *mean)
{
    double sums[2];
    SL_TRY(sums_of(c, RHS, sums));
    *mean = sums[0] / volume_of(&c->h->spec);
    shift(c, RHS, factor, c->isolated ? 0 : *mean);
    for (int l = 0; l < c->nlevel; l++)
        memset(c->level[l].phi, 0, c->level[l].values * sizeof(sl_real));
    return SL_OK;
}

static int finish(struct sl_composite *c, double factor, double *product)
{
    double sums[2];
    SL_TRY(sums_of(c, PHI, sums));
    if (!c->isolated) shift(c, PHI, 1, sums[0] / volume_of(&c->h->spec));
    *product = sums[1] / factor; /* of a periodic box both have a mean of 0 */
    return SL_OK;
}

static int iterate(struct sl_composite *c, const struct sl_composite_how *how,
                   struct sl_composite_result *out)
{
    double most, left;
    SL_TRY(largest(c, OF_RHS, &most));
    for (out->cycles = 0;; out->cycles++) {
        SL_TRY(residuals(c));
        SL_TRY(largest(c, OF_RESIDUAL, &left));
        out->residual = most > 0 ? left / most : 0;
        if (out->residual <= how->tolerance) return SL_OK;
        if (out->cycles == how->cycles || !isfinite(out->residual)) break;
        SL_TRY(cycle(c));
    }
    return SL_FAIL(SL_EDIVERGED,
                   "the potential of the gas has a residual of %.2g after %d cycles; "
                   "gravity.tolerance is %g",
                   out->residual, out->cycles, how->tolerance);
}

int sl_composite_solve(struct sl_composite *c, const struct sl_composite_how *how,
                       struct sl_composite_result *out)
{
    *out = (struct sl_composite_result){.cycles = 0};
    SL_TRY(take_density(c, how->factor, &out->mean));
    SL_TRY(iterate(c, how, out));
    return finish(c, how->factor, &out->product);
}

/* ---- accelerations --------------------------------------------------------------------------- */

struct pull {
    const struct sl_mesh *mesh;
    sl_real *g;
};

static sl_real *pull_row(const struct pull *p, int block, int k, int j, int axis)
{
    const int *n = p->mesh->n;
    return p->g + ((((size_t)block * (size_t)n[2] + (size_t)k) * (size_t)n[1] + (size_t)j) * 3 +
                   (size_t)axis) *
                      (size_t)n[0];
}

static void take_pull(void *context, const struct sl_potential_face *f, sl_real change)
{
    const struct pull *p = context;
    pull_row(p, f->block, f->at[2], f->at[1], f->axis)[f->at[0]] +=
        (sl_real)(f->upper ? -0.5 : 0.5) * change;
}

static void pull_axis(const struct sl_potential_level *p, const struct pull *to, int axis)
{
    const struct sl_mesh *m = p->mesh;
    const ptrdiff_t step = m->step[axis];
    const sl_real half = (sl_real)0.5 / p->h[axis];
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                const sl_real *phi = p->phi + sl_potential_at(m, b, k, j, 0);
                sl_real *g = pull_row(to, b, k, j, axis);
                for (int i = 0; i < m->n[0]; i++)
                    g[i] = half * (phi[i - step] - phi[i + step]);
            }
}

int sl_composite_pull(struct sl_composite *c, int level, sl_real *g)
{
    struct sl_potential_level *p = &c->level[level];
    struct pull to = {p->mesh, g};
    for (int axis = 0; axis < p->mesh->dim; axis++)
        pull_axis(p, &to, axis);
    if (level + 1 == c->nlevel) return SL_OK;
    return sl_potential_match(p, &p[1], p[1].phi, p->phi, take_pull, &to);
}
