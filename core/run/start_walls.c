/* start_walls.c - see start_walls.h. */
#include "core/run/start_walls.h"

#include <float.h>
#include <math.h>

#include "core/state/problem.h"
#include "core/sys/status.h"

/* Largest field across conducting walls, along symmetric walls, and of all. */
struct extremes {
    double across, along, field;
};

/* At the wall, the cubic through the averages of the four cells before it, a distance `to`
 * apart. An odd field has 0 there but for the fifth power of the cell size. A field that only
 * begins further inside has none either. */
static double extrapolated(const sl_real *b, ptrdiff_t to)
{
    double near = fabs((double)b[0]);
    double wall =
        (25 * (double)b[0] - 23 * (double)b[to] + 13 * (double)b[2 * to] - 3 * (double)b[3 * to]) /
        12;
    return fmin(near, fabs(wall));
}

/* The largest of a component of the field in a wall; on_faces: it lives in the wall itself. */
static double most_in_wall(const struct sl_state *state, int block, int face, int var, int on_faces)
{
    const struct sl_mesh *m = state->mesh;
    int axis = face / 2, upper = face % 2, n[3] = {m->n[0], m->n[1], m->n[2]};
    ptrdiff_t along = m->step[axis], inward = upper ? -along : along;
    ptrdiff_t first = upper ? (m->n[axis] - !on_faces) * along : 0;
    double most = 0;
    n[axis] = 1;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const sl_real *b = state->u + first +
                                   sl_mesh_at(m, state->layout.nvar, block, var, k + m->g[2],
                                              j + m->g[1], i + m->g[0]);
                most = fmax(most, on_faces ? fabs((double)*b) : extrapolated(b, inward));
            }
    return most;
}

static void look_at_wall(const struct sl_state *state, int block, int face, int on_faces,
                         struct extremes *out)
{
    const struct sl_layout *l = &state->layout;
    int kind = state->mesh->spec.boundary[face], axis = face / 2;
    if (kind == SL_BOUNDARY_conducting)
        out->across =
            fmax(out->across, most_in_wall(state, block, face,
                                           (on_faces ? l->face : l->magnetic) + axis, on_faces));
    bool last = on_faces == (l->face >= 0); /* the field in the cells is that of the run */
    for (int d = 0; d < 3 && kind == SL_BOUNDARY_symmetric && last; d++)
        if (d != axis)
            out->along = fmax(out->along, most_in_wall(state, block, face, l->magnetic + d, 0));
}

/* Of the field in the cells of a block. */
static double strongest(const struct sl_state *state, int block)
{
    const struct sl_mesh *m = state->mesh;
    double most = 0;
    for (int v = state->layout.magnetic; v < state->layout.magnetic + 3; v++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                for (int i = 0; i < m->n[0]; i++)
                    most = fmax(
                        most,
                        fabs((double)state->u[sl_mesh_at(m, state->layout.nvar, block, v,
                                                         k + m->g[2], j + m->g[1], i + m->g[0])]));
    return most;
}

int sl_start_walls(const struct sl_state *state, int on_faces)
{
    const struct sl_mesh *m = state->mesh;
    const double tiny = sizeof(sl_real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
    double all[3];
    struct extremes most = {0, 0, 0};
    if (state->layout.magnetic < 0) return SL_OK;
    for (int b = 0; b < m->nblock; b++) {
        most.field = fmax(most.field, strongest(state, b));
        for (int f = 0; f < 2 * m->dim; f++)
            if (m->blocks[b].at_edge[f]) look_at_wall(state, b, f, on_faces, &most);
    }
    all[0] = most.across, all[1] = most.along, all[2] = most.field;
    int code = MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_DOUBLE, MPI_MAX, m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the field at the walls of the ranks");
    SL_CHECK(all[0] <= (on_faces ? 1e6 * tiny : 0.01) * all[2], SL_EINPUT,
             "the magnetic field of problem %s crosses a conducting wall (mesh.boundary: "
             "conducting) with %.3g of its largest value, and no field crosses a perfect "
             "conductor; nearest: symmetric, a wall that the field crosses at right angles",
             state->problem->name, all[0] / all[2]);
    SL_CHECK(all[1] <= 0.01 * all[2], SL_EINPUT,
             "the magnetic field of problem %s lies along a symmetric wall (mesh.boundary: "
             "symmetric) with %.3g of its largest value, and turns round in the wall, which "
             "accelerates gas at rest; nearest: conducting, a wall that the field lies along, or "
             "outflow where it crosses the wall at an angle",
             state->problem->name, all[1] / all[2]);
    return SL_OK;
}
