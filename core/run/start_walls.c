/* start_walls.c - see start_walls.h. */
#include "core/run/start_walls.h"

#include <float.h>
#include <math.h>

#include "core/state/problem.h"
#include "core/sys/status.h"

/* Largest field across conducting walls, largest field of all. */
struct extremes {
    double across, field;
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

static void look_at_wall(const struct sl_state *state, int block, int face, int on_faces,
                         struct extremes *out)
{
    const struct sl_mesh *m = state->mesh;
    const struct sl_layout *l = &state->layout;
    int axis = face / 2, upper = face % 2, n[3] = {m->n[0], m->n[1], m->n[2]};
    ptrdiff_t along = m->step[axis], inward = upper ? -along : along;
    int var = (on_faces ? l->face : l->magnetic) + axis;
    ptrdiff_t first = upper ? (m->n[axis] - !on_faces) * along : 0;
    n[axis] = 1;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const sl_real *b =
                    state->u + first +
                    sl_mesh_at(m, l->nvar, block, var, k + m->g[2], j + m->g[1], i + m->g[0]);
                double value = on_faces ? fabs((double)*b) : extrapolated(b, inward);
                out->across = fmax(out->across, value);
            }
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
    double all[2];
    struct extremes most = {0, 0};
    if (state->layout.magnetic < 0) return SL_OK;
    for (int b = 0; b < m->nblock; b++) {
        most.field = fmax(most.field, strongest(state, b));
        for (int f = 0; f < 2 * m->dim; f++)
            if (m->blocks[b].at_edge[f] && m->spec.boundary[f] == SL_BOUNDARY_conducting)
                look_at_wall(state, b, f, on_faces, &most);
    }
    all[0] = most.across, all[1] = most.field;
    int code = MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MAX, m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the field at the walls of the ranks");
    SL_CHECK(all[0] <= (on_faces ? 1e6 * tiny : 0.01) * all[1], SL_EINPUT,
             "the magnetic field of problem %s crosses a conducting wall (mesh.boundary: "
             "conducting) with %.3g of its largest value, and no field crosses a perfect "
             "conductor; nearest: symmetric, a wall that the field crosses at right angles",
             state->problem->name, all[0] / all[1]);
    return SL_OK;
}
