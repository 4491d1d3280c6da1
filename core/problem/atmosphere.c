/* atmosphere.c - gas of one temperature at rest in an external potential, whose pressure holds it:
 * the density is atmosphere.density exp((phi(center) - phi) / T), T = pressure / density.
 *
 * With atmosphere.velocity the whole of it swings through a harmonic potential as one body,
 * whatever its pressure (Dobson 1994): place and velocity of its centre are those of a mass on a
 * spring. time.unit: crossing is a period there. Along periodic axes choose the box so large that
 * there is hardly any gas at its faces.
 *
 * Refs  Landau & Lifshitz 1987, section 3; Dobson 1994 */
#include <math.h>
#include <stdlib.h>

#include "core/cell/potential.h"
#include "core/exact/gauss.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(atmosphere, 0, "gas at rest in an external potential, or swinging in a harmonic one; exact solution")
SL_SHOW(atmosphere, "profiles error energies", "density", "relative_l1")
SL_REAL_KEY(atmosphere_density, "atmosphere.density", "1", 1e-30, 1e30, none, "density at potential.center")
SL_REAL_KEY(atmosphere_temperature, "atmosphere.temperature", "1", 1e-30, 1e30, none, "pressure / density (ideal gas)")
SL_REALS_KEY(atmosphere_velocity, "atmosphere.velocity", "[0, 0, 0]", 3, -1e30, 1e30, velocity, "velocity of all of it at the start, with potential.kind: harmonic")
SL_RULE(atmosphere, potential_kind, cfg->potential_kind != SL_POTENTIAL_none, "problem atmosphere needs a potential; nearest: point, plane or harmonic")
SL_RULE(atmosphere, potential_kind, cfg->potential_kind != SL_POTENTIAL_table, "table: problem atmosphere knows the potentials of a formula; nearest: hernquist")
SL_RULE(atmosphere, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem atmosphere has no magnetic field; nearest: none")
SL_RULE(atmosphere, atmosphere_velocity, !directed(cfg->atmosphere_velocity) || (cfg->potential_kind == SL_POTENTIAL_harmonic && cfg->potential_strength > 0), "gas that moves needs potential.kind: harmonic and potential.strength above 0; nearest: [0, 0, 0]")
SL_RULE_EXACT_WITH(atmosphere, potential)
/* clang-format on */

enum { POINTS = 4 }; /* of the averages over a cell along an axis */

struct atmosphere {
    struct sl_potential potential;
    struct sl_gauss gauss;
    int dim, nscalar;
    double density, temperature, velocity[3], frequency, top; /* phi at the centre */
};

static int open_atmosphere(const struct sl_config *cfg, void **data)
{
    struct atmosphere *w = calloc(1, sizeof *w);
    SL_CHECK(w, SL_EMEM, "no memory for the atmosphere");
    w->potential = sl_config_potential(cfg);
    sl_gauss_init(&w->gauss, POINTS);
    w->dim = cfg->mesh_cells_n;
    w->nscalar = (int)cfg->fluid_scalars;
    w->density = cfg->atmosphere_density;
    w->temperature = cfg->fluid_eos == SL_EOS_isothermal ? pow(cfg->fluid_sound_speed, 2)
                                                         : cfg->atmosphere_temperature;
    for (int d = 0; d < w->dim; d++)
        w->velocity[d] = cfg->atmosphere_velocity[d];
    if (w->potential.kind == SL_POTENTIAL_harmonic && w->potential.strength > 0)
        w->frequency = sqrt(w->potential.strength);
    w->top = sl_potential_at(&w->potential, NULL, w->potential.center);
    *data = w;
    return SL_OK;
}

/* How far all of it has moved. */
static double moved(const struct atmosphere *w, int d, double t)
{
    return w->frequency > 0 ? w->velocity[d] / w->frequency * sin(w->frequency * t) : 0;
}

static double density_at(const struct atmosphere *w, const double x[3], double t)
{
    double at[3];
    for (int d = 0; d < 3; d++)
        at[d] = x[d] - moved(w, d, t);
    return w->density * exp((w->top - sl_potential_at(&w->potential, NULL, at)) / w->temperature);
}

static double average(const struct atmosphere *w, const double lo[3], const double hi[3], double t)
{
    const struct sl_gauss *g = &w->gauss;
    int n[3] = {1, 1, 1}, i[3];
    double sum = 0, x[3];
    for (int d = 0; d < w->dim; d++)
        n[d] = g->n;
    for (i[2] = 0; i[2] < n[2]; i[2]++)
        for (i[1] = 0; i[1] < n[1]; i[1]++)
            for (i[0] = 0; i[0] < n[0]; i[0]++) {
                double weight = 1;
                for (int d = 0; d < 3; d++) {
                    x[d] = lo[d] + (hi[d] - lo[d]) * g->x[i[d]];
                    if (d < w->dim) weight *= g->w[i[d]];
                }
                sum += weight * density_at(w, x, t);
            }
    return sum;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct atmosphere *w = data;
    prim[0] = average(w, lo, hi, t);
    for (int d = 0; d < 3; d++)
        prim[1 + d] = w->velocity[d] * cos(w->frequency * t);
    prim[4] = w->temperature * prim[0];
    for (int i = 0; i < w->nscalar; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

static double crossing(const void *data)
{
    const struct atmosphere *w = data;
    return w->frequency > 0 ? 2 * acos(-1) / w->frequency : 1;
}

const struct sl_problem sl_problem_atmosphere = {.name = "atmosphere",
                                                 .exact = true,
                                                 .force = "potential",
                                                 .open = open_atmosphere,
                                                 .close = free,
                                                 .state = state,
                                                 .crossing = crossing};
