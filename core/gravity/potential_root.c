/* potential_root.c - see potential_root.h. */
#include "core/gravity/potential_root.h"

#include <stdlib.h>
#include <string.h>

#include "core/gravity/poisson.h"
#include "core/grid/planes.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct sl_potential_root {
    struct sl_poisson *poisson; /* owned */
    struct sl_planes *planes;   /* owned */
    int axis;                   /* of the pulls that are under way */
};

void sl_potential_root_free(struct sl_potential_root *r)
{
    if (!r) return;
    sl_planes_free(r->planes);
    sl_poisson_free(r->poisson);
    free(r);
}

int sl_potential_root_new(struct sl_potential_level *p, struct sl_potential_root **out)
{
    const struct sl_mesh_spec *spec = &p->mesh->spec;
    MPI_Comm comm = p->mesh->comm;
    struct sl_potential_root *r = NULL;
    double length[3] = {1, 1, 1};
    for (int d = 0; d < spec->dim; d++)
        length[d] = spec->hi[d] - spec->lo[d];
    SL_TRY(sl_agree(comm, sl_alloc("the potential of the root grid", 1, sizeof *r, &r)));
    int code = sl_poisson_new(comm, spec->dim, p->isolated, spec->cells, length, &r->poisson);
    if (code == SL_OK) code = sl_planes_new(p->mesh, sl_poisson_pencil(r->poisson), &r->planes);
    if (code == SL_OK)
        *out = r;
    else
        sl_potential_root_free(r);
    return code;
}

static void residual_from_block(void *context, int block, int k, int j, void *row)
{
    const struct sl_potential_level *p = context;
    const sl_cycle_real *from = p->residual + sl_potential_at(p->mesh, block, k, j, 0);
    sl_real *to = row;
    for (int q = 0; q < p->mesh->n[0]; q++)
        to[q] = (sl_real)from[q];
}

static void residual_to_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct sl_potential_level *p = context;
    const sl_real *from = row;
    double *to = sl_poisson_row(p->root->poisson, k, j) + i;
    for (int q = 0; q < n; q++)
        to[q] = (double)from[q];
}

static void correction_from_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct sl_potential_level *p = context;
    sl_real *to = row;
    const double *from = sl_poisson_row(p->root->poisson, k, j) + i;
    for (int q = 0; q < n; q++)
        to[q] = (sl_real)from[q];
}

static void correction_to_block(void *context, int block, int k, int j, void *row)
{
    const struct sl_potential_level *p = context;
    memcpy(sl_potential_wide(p) + sl_potential_at(p->mesh, block, k, j, 0), row,
           (size_t)p->mesh->n[0] * sizeof(sl_real));
}

static void pull_from_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct sl_potential_level *p = context;
    sl_real *to = row;
    for (int q = 0; q < n; q++) {
        double pull;
        sl_poisson_pull(p->root->poisson, p->root->axis, k, j, i + q, 1, &pull);
        to[q] = (sl_real)pull;
    }
}

/* The correction beyond a face of the box follows from the central slope of the cell inside. */
static void beyond_from_pull(void *context, int block, int k, int j, void *row)
{
    const struct sl_potential_level *p = context;
    const sl_real *pull = row;
    const struct sl_mesh *m = p->mesh;
    int axis = p->root->axis, cell[3] = {0, j, k}, t[2];
    sl_mesh_along(axis, t);
    for (cell[0] = 0; cell[0] < m->n[0]; cell[0]++)
        for (int upper = 0; upper < 2; upper++) {
            if (!m->blocks[block].at_edge[2 * axis + upper]) continue;
            if (cell[axis] != (upper ? m->n[axis] - 1 : 0)) continue;
            sl_real twice = 2 * p->h[axis] * pull[cell[0]];
            const sl_real *here =
                sl_potential_wide(p) + sl_potential_at(m, block, cell[2], cell[1], cell[0]);
            sl_potential_wide(p)[sl_potential_beyond(p, block, 2 * axis + upper) +
                                 (size_t)(cell[t[1]] * m->n[t[0]] + cell[t[0]])] =
                upper ? here[-m->step[axis]] - twice : here[m->step[axis]] + twice;
        }
}

int sl_potential_root_solve(struct sl_potential_level *p)
{
    struct sl_potential_root *r = p->root;
    struct sl_poisson_sums sums;
    SL_TRY(sl_planes_gather(r->planes, residual_from_block, residual_to_plane, p));
    SL_TRY(sl_poisson_solve(r->poisson, 1 / p->unit2, &sums));
    memset(sl_potential_wide(p), 0, p->values * sizeof(sl_real));
    SL_TRY(sl_planes_spread(r->planes, correction_from_plane, correction_to_block, p));
    if (p->isolated) SL_TRY(sl_poisson_edges(r->poisson));
    for (r->axis = 0; r->axis < 3 && p->isolated; r->axis++)
        SL_TRY(sl_planes_spread(r->planes, pull_from_plane, beyond_from_pull, p));
    return SL_OK;
}
