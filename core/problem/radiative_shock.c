/* radiative_shock.c - a steady radiative shock, which stands in the box: gas of the temperature
 * cooling.floor, below which nothing cools, comes from -x faster than its sound, is heated by the
 * shock at radiative_shock.x0 and cools behind it, back to that temperature where the box is long
 * enough. The profile along x follows from the cooling of the recipe alone.
 *
 * Its Mach number is radiative_shock.velocity / (fluid.gamma cooling.floor)^0.5. Stable with
 * cooling.slope above 0.8 (core/exact/cooling_layer.h); below, strong shocks oscillate.
 *
 * The measures take the first line of cells along x; the shock is where the velocity falls through
 * the mean of the two sides of the jump. So the box has two cells ahead of it, and behind it one
 * that is farther than AWAY cells.
 *
 * Refs  Chevalier & Imamura 1982 */
#include <math.h>
#include <stdlib.h>

#include "core/exact/cooling_layer.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(radiative_shock, 0, "gas cools behind a standing shock; exact solution")
SL_SHOW(radiative_shock, "profiles error", "density temperature", "relative_l1 cooling_length_error")
SL_RULE_WALLS(radiative_shock, WALL(fixed), WALL(fixed), FREE(periodic), FREE(periodic),
              FREE(periodic), FREE(periodic))
SL_REAL_KEY(radiative_shock_density, "radiative_shock.density", "1", 1e-30, 1e30, none, "density of the gas ahead; its pressure is cooling.floor times that")
SL_REAL_KEY(radiative_shock_velocity, "radiative_shock.velocity", "1", 1e-30, 1e30, velocity, "velocity of the gas ahead, along x, above the speed of sound, (fluid.gamma cooling.floor)^0.5")
SL_REAL_KEY(radiative_shock_x0, "radiative_shock.x0", "0.25", -1e30, 1e30, length, "place of the shock")
SL_RULE_IDEAL(radiative_shock)
SL_RULE(radiative_shock, cooling_table, !cfg->cooling_table[0], "problem radiative_shock cools by the power law of cooling.rate; nearest: no table")
SL_RULE(radiative_shock, cooling_rate, cfg->cooling_rate > 0, "problem radiative_shock needs cooling; for example 0.2")
SL_RULE(radiative_shock, cooling_heating, cfg->cooling_heating == 0, "the exact solution of problem radiative_shock has no heating; nearest: 0")
SL_RULE(radiative_shock, radiative_shock_velocity, cfg->radiative_shock_velocity >= 1.01 * sqrt(cfg->fluid_gamma * cfg->cooling_floor), "%g is below Mach 1.01 at the temperature cooling.floor; for example %g, Mach 10", cfg->radiative_shock_velocity, 10 * sqrt(cfg->fluid_gamma * cfg->cooling_floor))
SL_RULE(radiative_shock, mesh_cells, cfg->mesh_cells[0] >= 7, "problem radiative_shock needs two cells ahead of the shock and five behind it, not %lld along x; nearest: 7", (long long)cfg->mesh_cells[0])
SL_RULE(radiative_shock, radiative_shock_x0, fabs(cfg->radiative_shock_x0 - standing_shock(cfg)) * (double)cfg->mesh_cells[0] <= 1e-3 * (cfg->mesh_box[1] - cfg->mesh_box[0]), "%g: problem radiative_shock needs two cells ahead of the shock and five behind it; nearest: %.10g", cfg->radiative_shock_x0, standing_shock(cfg))
SL_RULE(radiative_shock, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem radiative_shock has no magnetic field; nearest: none")
SL_RULE_EXACT_WITH(radiative_shock, cooling)
SL_RULE(radiative_shock, mesh_boundary, cfg->mesh_boundary[0] == SL_BOUNDARY_fixed && cfg->mesh_boundary[1] == SL_BOUNDARY_fixed, "gas comes in and leaves along x as the exact solution says; nearest: fixed")
/* clang-format on */

enum { AWAY = 4 }; /* cells from the shock, of which one or two hold the jump */

struct shock {
    struct sl_cooling_layer layer;
    double x0;
    int nscalar;
};

static int open_shock(const struct sl_config *cfg, void **data)
{
    struct shock *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "no memory for the radiative shock");
    s->x0 = cfg->radiative_shock_x0;
    s->nscalar = (int)cfg->fluid_scalars;
    s->layer.gamma = cfg->fluid_gamma;
    s->layer.rho = cfg->radiative_shock_density;
    s->layer.u = cfg->radiative_shock_velocity;
    s->layer.temperature = cfg->cooling_floor;
    s->layer.rate = cfg->cooling_rate;
    s->layer.slope = cfg->cooling_slope;
    s->layer.unit = cfg->cooling_temperature;
    int code = sl_cooling_layer_solve(&s->layer);
    if (code != SL_OK) {
        free(s);
        return code;
    }
    *data = s;
    return SL_OK;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct shock *s = data;
    double average[3];
    (void)t;
    sl_cooling_layer_average(&s->layer, lo[0] - s->x0, hi[0] - s->x0, average);
    prim[0] = average[0];
    prim[1] = average[1];
    prim[2] = prim[3] = 0;
    prim[4] = average[2];
    for (int i = 0; i < s->nscalar; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

/* ---- measures -------------------------------------------------------------------------------- */

static double velocity(const struct sl_whole *w, int i)
{
    return sl_whole_at(w, 1, 0, 0, i);
}

static double temperature(const struct sl_whole *w, int i)
{
    return sl_whole_at(w, 4, 0, 0, i) / sl_whole_at(w, 0, 0, 0, i);
}

/* Where a value falls through `to` for the first time from cell `from` on, on a line between
 * centres; NAN: nowhere. */
static double crossing_down(const struct sl_whole *w, double (*value)(const struct sl_whole *, int),
                            int from, double to, int *cell)
{
    for (int i = from; i + 1 < w->n[0]; i++) {
        double a = value(w, i), b = value(w, i + 1);
        if (!(a >= to && b < to)) continue;
        *cell = i;
        return sl_whole_x(w, 0, i) + w->dx[0] * (a - to) / (a - b);
    }
    return NAN;
}

/* Between the temperatures right behind the shock and ahead of it, to which the gas cools. */
static double halfway(const struct sl_cooling_layer *l)
{
    return 0.5 * (l->behind + l->temperature);
}

/* Of rho u, farther than AWAY cells from the shock. */
static double flux_error(const struct shock *s, const struct sl_whole *w, double shock)
{
    double worst = 0;
    for (int i = 0; i < w->n[0]; i++) {
        double flux = sl_whole_at(w, 0, 0, 0, i) * velocity(w, i);
        if (fabs(sl_whole_x(w, 0, i) - shock) > AWAY * w->dx[0])
            worst = fmax(worst, fabs(flux / s->layer.mass - 1));
    }
    return worst;
}

static void report(const struct shock *s, double shock, double cooled, double flux,
                   struct sl_measures *out)
{
    double length = sl_cooling_layer_distance(&s->layer, halfway(&s->layer));
    if (!isfinite(shock)) return;
    sl_measure(out, "shock_error", "distance of the shock from its place, over the cooling length",
               fabs(shock - s->x0) / length);
    sl_measure(out, "mass_flux_error",
               "largest relative error of the flux of mass, 4 cells and more from the shock", flux);
    if (isfinite(cooled))
        sl_measure(out, "cooling_length_error",
                   "relative error of the cooling length, the distance from the shock at which "
                   "the temperature is halfway between those on both sides",
                   fabs((cooled - shock) / length - 1));
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct shock *s = data;
    const struct sl_cooling_layer *l = &s->layer;
    struct sl_whole w;
    int cell = 0;
    SL_TRY(sl_whole_init(run, &w));
    double shock = crossing_down(&w, velocity, 0, 0.5 * (l->u + l->panel[0]), &cell);
    double cooled = crossing_down(&w, temperature, cell + 2, halfway(l), &cell);
    double flux = flux_error(s, &w, shock);
    sl_whole_release(&w);
    report(s, shock, cooled, flux, out);
    return SL_OK;
}

const struct sl_problem sl_problem_radiative_shock = {.name = "radiative_shock",
                                                      .exact = true,
                                                      .force = "cooling",
                                                      .open = open_shock,
                                                      .close = free,
                                                      .state = state,
                                                      .measure = measure};
