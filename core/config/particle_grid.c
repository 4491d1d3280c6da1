/* particle_grid.c - see particle_grid.h. */
#include "core/config/particle_grid.h"

#include <math.h>

#include "core/config/config.h"
#include "core/sys/units.h"

static double matter_share(const struct sl_config *cfg, double omega)
{
    return sl_config_has_gas(cfg) ? 1 - cfg->cosmology_omega_b / omega : 1;
}

struct sl_particle_grid sl_particle_grid(const struct sl_config *cfg, double omega_nu)
{
    struct sl_particle_grid g = {.number = 0};
    double volume = 1, cells = 1, omega;
    if (cfg->problem != SL_PROBLEM_cosmology || !sl_config_expands(cfg) ||
        !sl_config_wants(cfg, SL_SOURCE_particles))
        return g;
    for (int d = 0; d < 3; d++) {
        double side = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
        volume *= side;
        cells *= (double)cfg->mesh_cells[d];
        g.side = fmax(g.side, side);
    }
    g.number = cells / pow((double)cfg->particles_spacing, 3);
    omega = cfg->cosmology_omega_m - omega_nu;
    g.mass = cfg->cosmology_file[0]
                 ? (double)NAN
                 : SL_CRITICAL_DENSITY * omega * matter_share(cfg, omega) * volume / g.number;
    g.apart = cbrt(volume / g.number);
    g.cell = cbrt(volume / cells);
    g.nyquist = acos(-1) / g.apart;
    g.shot = volume / g.number;
    return g;
}
