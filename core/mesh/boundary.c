/* boundary.c - ghost cells outside the box, axis by axis: x first, over all rows that x needs, then
 * y over what x filled, then z, so that a cell beyond an edge or a corner of the box has one value
 * for any block size and number of ranks.
 *
 * A field on faces that lies in the face of the box is part of the state and is left alone: it is
 * the lower face of the first cell inside, or that of the first cell outside. */
#include "core/cell/mirror.h"
#include "core/cell/state.h"
#include "core/mesh/exchange.h"
#include "core/sys/status.h"

/* The ghost cells at one face of a block. */
struct face {
    const struct sl_mesh *m;
    const struct sl_ghost_arg *arg;
    sl_real *u; /* of the block */
    int block, axis, upper;
    int lo[3], hi[3];         /* cells to fill */
    struct sl_mirror mirrors; /* of the variables */
    bool symmetric;           /* the wall is */
};

void sl_boundary_cells(const struct sl_mesh *mesh, int block, int axis, int upper, int faces,
                       int lo[3], int hi[3])
{
    const signed char *edge = mesh->blocks[block].at_edge;
    for (int a = 0; a < 3; a++) {
        lo[a] = a > axis && edge[2 * a] ? mesh->g[a] : 0;
        hi[a] = a > axis && edge[2 * a + 1] ? mesh->g[a] + mesh->n[a] + faces : mesh->nt[a];
    }
    lo[axis] = upper ? mesh->g[axis] + mesh->n[axis] : 0;
    hi[axis] = lo[axis] + mesh->g[axis];
}

struct sl_mirror sl_boundary_mirror(const struct sl_ghost_arg *arg)
{
    return (struct sl_mirror){arg->vector, arg->field > 0 ? arg->field : -1,
                              arg->psi > 0 ? arg->psi : -1, arg->face > 0 ? arg->face : -1};
}

static struct face face_of(const struct sl_mesh *m, const struct sl_ghost_arg *arg, sl_real *u,
                           int block, int axis, int upper)
{
    struct face f = {.m = m, .arg = arg, .block = block, .axis = axis, .upper = upper};
    f.u = u + (size_t)block * (size_t)arg->nvar * m->block_cells;
    f.mirrors = sl_boundary_mirror(arg);
    f.symmetric = m->spec.boundary[2 * axis + upper] == SL_BOUNDARY_symmetric;
    sl_boundary_cells(m, block, axis, upper, arg->face > 0, f.lo, f.hi);
    return f;
}

/* The cell that ghost i along the axis copies. */
static int source_of(const struct face *f, int i, bool mirror, bool parallel)
{
    int first = f->m->g[f->axis], end = first + f->m->n[f->axis];
    return sl_mirror_source(first, end, f->upper, mirror, parallel, i);
}

/* Whether variable v of cell at[] lies beyond a face of the box along an axis. */
static bool is_beyond(const struct face *f, int v, int axis, const int at[3])
{
    int first = f->m->g[axis], end = first + f->m->n[axis];
    int side = sl_mirror_side(f->mirrors, v, axis, first, end, at[axis]);
    return side >= 0 && f->m->blocks[f->block].at_edge[2 * axis + side];
}

/* Whether this face is the last that variable v of cell at[] lies beyond. */
static bool fills(const struct face *f, int v, const int at[3])
{
    if (f->arg->face == 0) return true;
    bool last = is_beyond(f, v, f->axis, at);
    for (int a = f->axis + 1; a < f->m->dim; a++)
        last = last && !is_beyond(f, v, a, at);
    return last;
}

static void copy_row(const struct face *f, int v, int k, int j, bool mirror)
{
    bool parallel = sl_mirror_is_across(f->mirrors, v, f->axis);
    bool flip = mirror && sl_mirror_turns(f->mirrors, f->symmetric, v, f->axis);
    int at[3] = {0, j, k};
    if (f->axis > 0) at[f->axis] = source_of(f, at[f->axis], mirror, parallel);
    sl_real *to = f->u + sl_mesh_at(f->m, f->arg->nvar, 0, v, k, j, 0);
    const sl_real *from = f->u + sl_mesh_at(f->m, f->arg->nvar, 0, v, at[2], at[1], 0);
    for (int i = f->lo[0]; i < f->hi[0]; i++) {
        if (!fills(f, v, (const int[3]){i, j, k})) continue;
        sl_real value = from[f->axis == 0 ? source_of(f, i, mirror, parallel) : i];
        to[i] = flip ? -value : value;
    }
}

static void fill_copy(const struct face *f, bool mirror)
{
    for (int v = 0; v < f->arg->nvar; v++)
        for (int k = f->lo[2]; k < f->hi[2]; k++)
            for (int j = f->lo[1]; j < f->hi[1]; j++)
                copy_row(f, v, k, j, mirror);
}

/* The mirror image comes first: a problem leaves it where the face is a wall. */
static void fill_fixed(const struct face *f)
{
    sl_real value[SL_MAX_VAR];
    double lo[3], hi[3];
    fill_copy(f, true);
    if (!f->arg->fixed || f->arg->nvar > SL_MAX_VAR)
        SL_BUG("a fixed boundary of %d variables without a state", f->arg->nvar);
    for (int k = f->lo[2]; k < f->hi[2]; k++)
        for (int j = f->lo[1]; j < f->hi[1]; j++)
            for (int i = f->lo[0]; i < f->hi[0]; i++) {
                sl_mesh_cell(f->m, f->block, k, j, i, lo, hi);
                for (int v = 0; v < f->arg->nvar; v++)
                    value[v] = f->u[sl_mesh_at(f->m, f->arg->nvar, 0, v, k, j, i)];
                f->arg->fixed(f->arg->data, lo, hi, f->arg->time, value);
                for (int v = 0; v < f->arg->nvar; v++)
                    if (fills(f, v, (const int[3]){i, j, k}))
                        f->u[sl_mesh_at(f->m, f->arg->nvar, 0, v, k, j, i)] = value[v];
            }
}

static void fill_face(const struct face *f)
{
    switch (f->m->spec.boundary[2 * f->axis + f->upper]) {
    case SL_BOUNDARY_periodic:
        SL_BUG("a periodic face has no boundary");
    case SL_BOUNDARY_outflow:
        fill_copy(f, false);
        break;
    case SL_BOUNDARY_reflecting:
    case SL_BOUNDARY_conducting:
    case SL_BOUNDARY_symmetric:
        fill_copy(f, true);
        break;
    case SL_BOUNDARY_fixed:
        fill_fixed(f);
        break;
    }
}

void sl_boundary_fill(const struct sl_mesh *mesh, const struct sl_ghost_arg *arg, sl_real *u,
                      int block)
{
    for (int face = 0; face < 2 * mesh->dim; face++) {
        if (!mesh->blocks[block].at_edge[face]) continue;
        struct face f = face_of(mesh, arg, u, block, face / 2, face % 2);
        fill_face(&f);
    }
}
