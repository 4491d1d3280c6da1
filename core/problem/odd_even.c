/* odd_even.c - a Mach 6 shock along a grid whose even rows were disturbed in one cell (Quirk 1994):
 * a Riemann solver that resolves shear too sharply lets the disturbance grow (carbuncle).
 *
 * Box [0, 1] x [0, 1/8], fluid.gamma 5/3, boundary [outflow, outflow, periodic, periodic], end at
 * t = 0.4. States and disturbance as in Minoshima, Kitamura & Miyoshi 2021. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(odd_even, 0, "Mach 6 shock along disturbed rows, 2D (Quirk 1994)")
SL_SHOW(odd_even, "energies", "density pressure velocity_x", "entropy_jump")
SL_RULE_WALLS(odd_even, FREE(outflow), FREE(outflow), FREE(periodic), FREE(periodic),
              FREE(periodic), FREE(periodic))
SL_REAL_KEY(odd_even_x0, "odd_even.x0", "0.4", -1e30, 1e30, none, "place of the shock at the start")
SL_REALS_KEY(odd_even_magnetic, "odd_even.magnetic", "[0, 0, 0]", 3, -1e30, 1e30, none,
             "uniform magnetic field (MHD); along x the shock stays the exact one")
SL_RULE_IDEAL(odd_even)
SL_RULE_PLANE(odd_even)

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    static const double states[3][3] = {
        {3.692, -0.625, 26.85}, {1, -5, 0.6}, {3.557, -0.406, 25.54}};
    const struct sl_config *cfg = data;
    double dx = hi[0] - lo[0], dy = hi[1] - lo[1], x = 0.5 * (lo[0] + hi[0]);
    bool behind = x < cfg->odd_even_x0, last = behind && x + dx >= cfg->odd_even_x0;
    long row = lround((lo[1] - cfg->mesh_box[2]) / dy);
    const double *s = states[!behind ? 1 : last && row % 2 == 0 ? 2 : 0];
    (void)t;
    prim[0] = s[0];
    prim[1] = s[1];
    prim[2] = prim[3] = 0;
    prim[4] = s[2];
    for (int i = 0; i < 3; i++)
        prim[SL_PRIM_B + i] = cfg->odd_even_magnetic[i];
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = !behind;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    struct sl_whole w;
    double entropy[2];
    if (run->mesh->dim != 2 || run->mesh->spec.cells[1] < 2) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    int i = (int)ceil((cfg->odd_even_x0 - w.lo[0]) / w.dx[0] - 0.5) - 1;
    i = i < 0 ? 0 : i >= w.n[0] ? w.n[0] - 1 : i;
    for (int j = 0; j < 2; j++)
        entropy[j] =
            sl_whole_at(&w, 4, 0, j, i) / pow(sl_whole_at(&w, 0, 0, j, i), cfg->fluid_gamma);
    sl_measure(out, "entropy_jump",
               "difference of the entropy p / rho^gamma between the first two rows where the shock "
               "stood at the start; 0: the rows stayed alike",
               fabs(entropy[1] - entropy[0]));
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_odd_even = {
    .name = "odd_even", .open = sl_problem_keep, .close = free, .state = state, .measure = measure};
