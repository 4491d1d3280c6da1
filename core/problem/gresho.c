/* gresho.c - a vortex that pressure holds together: it turns for ever, and what it loses is the
 * error of the scheme (Gresho & Chan 1990; Liska & Wendroff 2003, section 4.3).
 *
 * As published: box [-0.5, 0.5]^2, periodic, density 1, gresho.pressure 5, end at t = 3;
 * fluid.gamma 1.4 makes the Mach number of the fastest gas, at r = 0.2, 0.36.
 *
 * The gas turns as 5 r up to 0.2, as 2 - 5 r up to 0.4, and rests outside; dp/dr = u_phi^2 / r. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/gauss.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(gresho, 0,
           "vortex in balance at low Mach number, 2D; exact solution (Liska & Wendroff 2003)")
SL_SHOW(gresho, "energies error", "speed vorticity pressure", "relative_l1")
SL_RULE_EXACT(gresho)
SL_REAL_KEY(gresho_pressure, "gresho.pressure", "5", 1e-30, 1e30, none,
            "pressure at the centre; the fastest gas has the Mach number 1 / (fluid.gamma "
            "(pressure + 0.5))^0.5")
SL_RULE_IDEAL(gresho)
SL_RULE_PLANE(gresho)
SL_RULE(
    gresho, mesh_box,
    fmax(cfg->mesh_box[0], cfg->mesh_box[2]) <= -0.4 &&
        fmin(cfg->mesh_box[1], cfg->mesh_box[3]) >= 0.4,
    "the vortex of radius 0.4 at (0, 0) is not within the box; nearest: [[-0.5, 0.5], [-0.5, 0.5]]")

static double swirl(double r)
{
    return fmax(0, fmin(5 * r, 2 - 5 * r));
}

/* Above that at the centre. */
static double pressure(double r)
{
    if (r <= 0.2) return 12.5 * r * r;
    if (r >= 0.4) return 4 * log(2) - 2;
    return 12.5 * r * r + 4 * (1 - 5 * r + log(5 * r));
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double u = 0, v = 0, p = 0, kinetic = 0;
    struct sl_gauss gauss;
    (void)t;
    sl_gauss_init(&gauss, 4);
    for (int j = 0; j < gauss.n; j++)
        for (int i = 0; i < gauss.n; i++) {
            double x = lo[0] + gauss.x[i] * (hi[0] - lo[0]), w = gauss.w[i] * gauss.w[j];
            double y = lo[1] + gauss.x[j] * (hi[1] - lo[1]), r = hypot(x, y);
            double omega = r > 0 ? swirl(r) / r : 0;
            u -= w * omega * y;
            v += w * omega * x;
            p += w * pressure(r);
            kinetic += w * 0.5 * swirl(r) * swirl(r);
        }
    prim[0] = 1;
    prim[1] = u;
    prim[2] = v;
    prim[3] = 0;
    prim[4] = cfg->gresho_pressure + p + (cfg->fluid_gamma - 1) * (kinetic - 0.5 * (u * u + v * v));
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = hypot(lo[0] + hi[0], lo[1] + hi[1]) < 0.4;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    double off = 0, energy = 0, exact = 0;
    SL_TRY(sl_whole_init(run, &w));
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++) {
                const double x = sl_whole_x(&w, 0, i), y = sl_whole_x(&w, 1, j), r = hypot(x, y);
                const double lo[3] = {x - 0.5 * w.dx[0], y - 0.5 * w.dx[1], 0};
                const double hi[3] = {x + 0.5 * w.dx[0], y + 0.5 * w.dx[1], 0};
                double u = sl_whole_at(&w, 1, k, j, i), v = sl_whole_at(&w, 2, k, j, i);
                double prim[SL_PRIM_MAX];
                state(data, lo, hi, 0, prim);
                off += r > 0 ? fabs((x * (v - prim[2]) - y * (u - prim[1])) / r) : 0;
                energy += sl_whole_at(&w, 0, k, j, i) * (u * u + v * v);
                exact += prim[1] * prim[1] + prim[2] * prim[2];
            }
    sl_measure(out, "swirl_error", "mean absolute error of the velocity around the centre",
               off / w.n[0] / w.n[1] / w.n[2]);
    sl_measure(
        out, "spin",
        "kinetic energy over that of the exact solution: what the scheme has left of the vortex",
        energy / exact);
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_gresho = {.name = "gresho",
                                             .exact = true,
                                             .open = sl_problem_keep,
                                             .close = free,
                                             .state = state,
                                             .measure = measure};
