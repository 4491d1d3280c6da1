/* cloud.c - a dense cloud beside a point explosion, whose blast runs over it and takes it apart
 * (Wang, Abel & Kaehler 2010, section 6.3), in 2D or 3D.
 *
 * The gas around has density 1. The explosion is at the origin: its energy is pressure in a ball
 * at the start. The cloud lies on the x axis, at the pressure of the gas around. As published:
 * box [-0.5, 0.5]^3, fluid.gamma 1.4, 64^3 cells and six levels; the paper names neither where
 * the mesh was refined nor the end. The shock comes to the near side of the cloud at t = 0.0068,
 * and crushes it in 0.0042.
 *
 * What is measured of the gas of the cloud needs fluid.scalars 1, which marks it; asymmetry needs a
 * box that has its middle at the x axis. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/ball.h"
#include "core/exact/tracer.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(cloud, 0,
           "a point explosion takes a dense cloud apart, 2D or 3D (Wang, Abel & Kaehler 2010)")
SL_SHOW(cloud, "energies spectra", "density", "clumps clump_mass_share")
SL_REAL_KEY(cloud_energy, "cloud.energy", "1", 1e-30, 1e30, none,
            "energy of the explosion (per length in 2D)")
SL_REAL_KEY(cloud_ball, "cloud.ball", "0.1", 1e-30, 1e30, none,
            "radius of the ball that gets the energy")
SL_REAL_KEY(cloud_pressure, "cloud.pressure", "1e-5", 1e-30, 1e30, none,
            "pressure of the cloud and of the gas around")
SL_REAL_KEY(cloud_place, "cloud.place", "0.15", -1e30, 1e30, none,
            "place of the middle of the cloud along x")
SL_REAL_KEY(cloud_radius, "cloud.radius", "0.01", 1e-30, 1e30, none, "radius of the cloud")
SL_REAL_KEY(cloud_contrast, "cloud.contrast", "10", 1e-6, 1e6, none,
            "density of the cloud over that around it")
SL_RULE_IDEAL(cloud)
SL_RULE_PLANE(cloud)

/* Share of the cell that the cloud fills. */
static double share(const struct sl_config *cfg, const double lo[3], const double hi[3])
{
    double a[3] = {0}, b[3] = {0};
    for (int d = 0; d < cfg->mesh_cells_n; d++) {
        a[d] = lo[d] - (d == 0 ? cfg->cloud_place : 0);
        b[d] = hi[d] - (d == 0 ? cfg->cloud_place : 0);
    }
    return sl_ball_share(cfg->mesh_cells_n, a, b, cfg->cloud_radius);
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    int dim = cfg->mesh_cells_n;
    double cloud = share(cfg, lo, hi), a[3] = {0}, b[3] = {0};
    (void)t;
    for (int d = 0; d < dim; d++)
        a[d] = lo[d], b[d] = hi[d];
    double hot = (cfg->fluid_gamma - 1) * cfg->cloud_energy / sl_ball_volume(dim, cfg->cloud_ball);
    prim[0] = 1 + (cfg->cloud_contrast - 1) * cloud;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = cfg->cloud_pressure + hot * sl_ball_share(dim, a, b, cfg->cloud_ball);
    if (cfg->fluid_scalars > 0) prim[SL_PRIM_SCALAR] = cfg->cloud_contrast * cloud / prim[0];
}

/* Mass of the cloud at the start, of the part of it within the box. */
static double mass_of(const struct sl_config *cfg)
{
    double lo[3] = {0}, hi[3] = {0}, volume = cfg->cloud_contrast;
    for (int d = 0; d < cfg->mesh_cells_n; d++) {
        lo[d] = cfg->mesh_box[2 * d], hi[d] = cfg->mesh_box[2 * d + 1];
        volume *= hi[d] - lo[d];
    }
    return volume * share(cfg, lo, hi);
}

static int measure_symmetry(const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_mesh_spec *spec = &run->mesh->spec;
    struct sl_whole w;
    double off = 0, most = 0;
    for (int d = 1; d < spec->dim; d++)
        if (spec->lo[d] != -spec->hi[d]) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++) {
                double rho = sl_whole_at(&w, 0, k, j, i);
                off = fmax(off, fabs(rho - sl_whole_at(&w, 0, k, w.n[1] - 1 - j, i)));
                off = fmax(off, fabs(rho - sl_whole_at(&w, 0, w.n[2] - 1 - k, j, i)));
                most = fmax(most, rho);
            }
    sl_whole_release(&w);
    sl_measure(out, "asymmetry",
               "largest difference of the density from its mirror image at the x axis, over the "
               "largest density",
               off / most);
    return SL_OK;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    struct sl_tracer cloud;
    SL_TRY(sl_tracer_measure(run, 0.5 * cfg->cloud_contrast, &cloud));
    if (cloud.mass > 0) {
        sl_measure(out, "cloud_mass_error",
                   "relative error of the mass of the cloud's gas, wherever it is now",
                   fabs(cloud.mass / mass_of(cfg) - 1));
        sl_measure(out, "cloud_velocity", "mean velocity of the cloud's gas along x",
                   cloud.velocity);
        sl_tracer_report(&cloud, out);
        sl_measure(
            out, "dense",
            "fraction of the cloud's gas in cells of more than half the density that the cloud "
            "had at the start",
            cloud.dense);
    }
    return measure_symmetry(run, out);
}

const struct sl_problem sl_problem_cloud = {
    .name = "cloud", .open = sl_problem_keep, .close = free, .state = state, .measure = measure};
