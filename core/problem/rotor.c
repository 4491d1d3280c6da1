/* rotor.c - a dense disc that spins in a uniform field, which brakes it (Balsara & Spicer 1999; the
 * first rotor of Toth 2000).
 *
 * As published: box [-0.5, 0.5]^2, outflow, fluid.gamma 1.4, end at t = 0.15. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/half_turn.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(rotor, 0, "dense disc that spins in a magnetic field, 2D (Balsara & Spicer 1999)")
SL_SHOW(rotor, "energies", "density pressure magnetic vorticity", "asymmetry")
SL_RULE_WALLS(rotor, FREE(outflow), FREE(outflow), FREE(outflow), FREE(outflow), FREE(outflow),
              FREE(outflow))
SL_RULE_FIELD(rotor)
SL_RULE_IDEAL(rotor)
SL_RULE_PLANE(rotor)

static const double pi = 3.14159265358979323846;

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const double inner = 0.1, outer = 0.115, spin = 2;
    const struct sl_config *cfg = data;
    double x = 0.5 * (lo[0] + hi[0]), y = 0.5 * (lo[1] + hi[1]), r = hypot(x, y);
    double taper = fmin(1, fmax(0, (outer - r) / (outer - inner)));
    double omega = taper * spin / fmax(r, inner);
    (void)t;
    prim[0] = 1 + 9 * taper;
    prim[1] = -omega * y;
    prim[2] = omega * x;
    prim[3] = 0;
    prim[4] = 1;
    prim[SL_PRIM_B] = 5 / sqrt(4 * pi);
    prim[SL_PRIM_B + 1] = prim[SL_PRIM_B + 2] = 0;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = taper;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    (void)data;
    SL_TRY(sl_whole_init(run, &w));
    sl_half_turn_measure(&w, out);
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_rotor = {
    .name = "rotor", .open = sl_problem_keep, .close = free, .state = state, .measure = measure};
