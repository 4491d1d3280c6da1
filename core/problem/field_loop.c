/* field_loop.c - a weak loop of field is carried across the box: how fast does it fade, and does it
 * keep its shape (Gardiner & Stone 2005, section 4.4).
 *
 * As published: box [-1, 1] x [-0.5, 0.5], periodic, fluid.gamma 5/3, velocity (2, 1), end at t = 1
 * or 2. The field is made of differences of a vector potential, so that it has no divergence:
 * central ones in cells, those of neighbours on faces (constrained transport). What is left of its
 * energy: history column energy_magnetic. */
#include <math.h>
#include <stdlib.h>

#include "core/state/problem.h"
#include "core/state/state.h"
#include "core/sys/status.h"

SL_PROBLEM(field_loop, 0, "weak loop of magnetic field, advected, 2D (Gardiner & Stone 2005)")
SL_SHOW(field_loop, "energies", "magnetic current", "magnetic_energy_left")
SL_REAL_KEY(field_loop_amplitude, "field_loop.amplitude", "1e-3", 0, 1e30, none,
            "strength of the field")
SL_REAL_KEY(field_loop_radius, "field_loop.radius", "0.3", 1e-30, 1e30, none, "radius of the loop")
SL_REALS_KEY(field_loop_velocity, "field_loop.velocity", "[2, 1, 0]", 3, -1e30, 1e30, none,
             "velocity of the gas")
SL_RULE_FIELD(field_loop)
SL_RULE_IDEAL(field_loop)
SL_RULE_PLANE(field_loop)

static double height(const struct sl_config *cfg, double x, double y)
{
    return cfg->field_loop_amplitude * fmax(0, cfg->field_loop_radius - hypot(x, y));
}

/* A_z alone; averages along z are values. */
static double potential(const void *data, int axis, const double lo[3], const double hi[3],
                        double t)
{
    (void)hi, (void)t;
    return axis < 2 ? 0 : height(data, lo[0], lo[1]);
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double dx = hi[0] - lo[0], dy = hi[1] - lo[1], x = lo[0] + 0.5 * dx, y = lo[1] + 0.5 * dy;
    (void)t;
    prim[0] = prim[4] = 1;
    for (int i = 0; i < 3; i++)
        prim[1 + i] = cfg->field_loop_velocity[i];
    prim[SL_PRIM_B] = 0.5 * (height(cfg, x, y + dy) - height(cfg, x, y - dy)) / dy;
    prim[SL_PRIM_B + 1] = -0.5 * (height(cfg, x + dx, y) - height(cfg, x - dx, y)) / dx;
    prim[SL_PRIM_B + 2] = 0;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = height(cfg, x, y) > 0;
}

/* The largest |B_z| of a level. */
static double upright_of(const struct sl_state *run)
{
    const struct sl_mesh *m = run->mesh;
    double most = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
            for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++)
                    most = fmax(
                        most, fabs((double)run->u[sl_mesh_at(m, run->layout.nvar, b,
                                                             run->layout.magnetic + 2, k, j, i)]));
    return most;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    double most = 0;
    for (const struct sl_state *s = run; s; s = s->finer)
        most = fmax(most, upright_of(s));
    int code = MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, run->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the fields of the ranks");
    sl_measure(out, "upright", "largest |B_z|, exactly 0, over the strength of the loop's field",
               most / cfg->field_loop_amplitude);
    return SL_OK;
}

const struct sl_problem sl_problem_field_loop = {.name = "field_loop",
                                                 .open = sl_problem_keep,
                                                 .close = free,
                                                 .state = state,
                                                 .measure = measure,
                                                 .potential = potential};
