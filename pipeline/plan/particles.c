/* particles.c - see particles.h. */
#include "pipeline/plan/particles.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "pipeline/plan/plan.h"

/* Measured on one core with 8, 2.6e5 and 1e6 particles on 64^3 cells and with 2.6e5 on 128^3: 86 to
 * 90 ns and, while they are counted for the history, 121 to 148 bytes of a particle; 13 to 24 ns
 * and 80 bytes of a cell of the forces, 20 of them of the potential. */
static const double particle_seconds = 1e-7, particle_bytes = 130, mesh_seconds = 2e-8,
                    mesh_bytes = 60;
/* On an H200, 512^3 and 256^3 particles on 512^3 cells (tests/perf/gpu.md). */
static const double device_particle_seconds = 1.2e-10, device_mesh_seconds = 1.5e-10;
/* In snapshots nine numbers; in checkpoints place, kind, id and velocity. */
static const double snapshot_row = 72, checkpoint_row = 24;
/* Of a file of their own: three places, three velocities, a mass. */
static const double file_row = 56;
/* Critical density today, Msun/h of (Mpc/h)^3. */
static const double critical = 2.77536627e11;

static double cells_of(const struct sl_config *cfg)
{
    double cells = 1;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        cells *= (double)cfg->mesh_cells[d];
    return cells;
}

static double file_bytes(const char *path)
{
    struct stat st;
    return *path && stat(path, &st) == 0 ? (double)st.st_size : 0;
}

static double number_of(const struct sl_config *cfg)
{
    if (!sl_config_wants(cfg, SL_SOURCE_particles)) return 0;
    if (cfg->problem != SL_PROBLEM_cosmology && !(cfg->pancake_dark_matter > 0))
        return ceil(file_bytes(cfg->particles_file) / file_row);
    return cells_of(cfg) / pow((double)cfg->particles_spacing, 3);
}

struct sl_particle_cost sl_particle_cost(const struct sl_config *cfg)
{
    struct sl_particle_cost c = {.number = number_of(cfg)};
    double ranks = (double)cfg->resources_ranks, cells = cells_of(cfg),
           real = cfg->resources_precision == SL_PRECISION_single ? 4 : 8;
    if (!sl_config_wants(cfg, SL_SOURCE_particles)) return c;
    c.rank = (c.number * particle_bytes + cells * mesh_bytes) / ranks;
    bool device = sl_plan_on_device(cfg);
    c.seconds = c.number * (device ? device_particle_seconds : particle_seconds);
    if (!sl_config_has_gas(cfg)) c.seconds += cells * (device ? device_mesh_seconds : mesh_seconds);
    c.snapshot = c.number * snapshot_row;
    c.checkpoint = c.number * (checkpoint_row + 3 * real);
    return c;
}

/* The force on waves of 16 particle distances along the diagonal of the mesh, where it is least,
 * less the true one, by the cells between particles; it falls with the square of the wave
 * number. */
static double force_lacks(const struct sl_config *cfg)
{
    return cfg->particles_spacing > 1 ? 0.038 : 0.110;
}

/* Growth is a^p with p = (sqrt(1 + 24 F) - 1) / 4 for a force of F: dp / dF is 3 / 5. */
static double grown_right(const struct sl_config *cfg, double apart)
{
    double folds = log((1 + cfg->ic_redshift) / (1 + cfg->time_end));
    return 16 * apart * sqrt(force_lacks(cfg) * 0.6 * folds / 0.01);
}

static double matter_share(const struct sl_config *cfg)
{
    return sl_config_has_gas(cfg) ? 1 - cfg->cosmology_omega_b / cfg->cosmology_omega_m : 1;
}

struct sl_particle_limits sl_particle_limits(const struct sl_config *cfg)
{
    struct sl_particle_limits l = {.number = number_of(cfg)};
    double volume = 1, cells = cells_of(cfg);
    if (cfg->problem != SL_PROBLEM_cosmology || !sl_config_expands(cfg) || !(l.number > 0))
        return (struct sl_particle_limits){0};
    for (int d = 0; d < 3; d++) {
        double side = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
        volume *= side;
        l.side = fmax(l.side, side);
    }
    l.mass = critical * cfg->cosmology_omega_m * matter_share(cfg) * volume / l.number;
    l.apart = cbrt(volume / l.number);
    l.cell = cbrt(volume / cells);
    l.nyquist = acos(-1) / l.apart;
    l.shot = volume / l.number;
    l.grown = grown_right(cfg, l.apart);
    l.moved = sl_plan_displacement(cfg) / l.apart;
    l.redshift = 2 * l.moved * (1 + cfg->ic_redshift) - 1;
    return l;
}

/* Of waves longer than this growth stays linear, and acoustic oscillations are held. */
static const double linear_side = 500;
/* Largest rms displacement of a start along an axis over the distance of particles. */
static const double most_moved = 0.5;

void sl_particle_advice(const struct sl_config *cfg, void (*each)(const char *text, void *user),
                        void *user)
{
    const struct sl_particle_limits l = sl_particle_limits(cfg);
    char text[300];
    if (!(l.number > 0)) return;
    if (l.side < linear_side) {
        snprintf(text, sizeof text,
                 "mesh.box: waves of %.4g Mpc/h at most are no longer linear today, and P(k) of a "
                 "small box scatters; linear waves and acoustic oscillations need %g Mpc/h or more",
                 l.side, linear_side);
        each(text, user);
    }
    if (l.moved > most_moved) {
        snprintf(text, sizeof text,
                 "ic.redshift: %g: particles start moved by up to %.2g of their distance (rms), so "
                 "that shells may have crossed, which perturbation theory does not know; nearest: "
                 "%.0f",
                 cfg->ic_redshift, l.moved, ceil(l.redshift));
        each(text, user);
    }
}
