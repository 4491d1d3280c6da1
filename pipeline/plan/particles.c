/* particles.c - see particles.h. */
#include "pipeline/plan/particles.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/config/particle_grid.h"
#include "core/cosmo/universe.h"
#include "core/lists/particle_list.h"
#include "pipeline/plan/plan.h"

/* Measured on one core with 8, 2.6e5 and 1e6 particles on 64^3 cells and with 2.6e5 on 128^3: 86 to
 * 90 ns and, while they are counted for the history, 121 to 148 bytes of a particle; 13 to 24 ns
 * and 80 bytes of a cell of the forces, 20 of them of the potential. With nothing around them a
 * cell takes so many times as long (`sluice bench --particles mesh.boundary=outflow`, 32^3 on 64^3
 * cells, padded and screened: a step 4.2 and 4.4 times as long as in a periodic box). */
static const double particle_seconds = 1e-7, particle_bytes = 130, mesh_seconds = 2e-8,
                    mesh_isolated = 6.4, mesh_bytes = 60;
/* On an H200, 512^3 and 256^3 particles on 512^3 cells (tests/perf/gpu.md). */
static const double device_particle_seconds = 1.2e-10, device_mesh_seconds = 1.5e-10;
/* In snapshots nine numbers; in checkpoints place, kind, id and velocity. */
static const double snapshot_row = 72, checkpoint_row = 24;
/* Where a device moves them, the copy for input and output (core/particles/store.h): place, kind,
 * id, velocity, pull and block, with an eighth of room. On the device all but the pull, and 12
 * more while they are sorted (gpu/device.h). The mesh of a lone rank's forces is there alone. */
static const double copy_row = 28, device_row = 21, device_sorting = 12, spare = 1.125;
/* Of a file of their own: three places, three velocities, a mass. */
static const double file_row = 56;

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
    if (cfg->problem == SL_PROBLEM_nbody && !cfg->particles_file[0])
        return cfg->nbody_profile == SL_NBODY_PROFILE_pair ? 2 : (double)cfg->nbody_particles;
    if (cfg->particles_file[0] && cfg->problem != SL_PROBLEM_cosmology &&
        !(cfg->pancake_dark_matter > 0))
        return ceil(file_bytes(cfg->particles_file) / file_row);
    return cells_of(cfg) / pow((double)cfg->particles_spacing, 3);
}

bool sl_particles_start_on_device(const struct sl_config *cfg)
{
    const double *box = cfg->mesh_box;
    bool cube = true;
    for (int d = 1; d < 3; d++)
        cube = cube && cfg->mesh_cells[d] == cfg->mesh_cells[0] &&
               box[2 * d + 1] - box[2 * d] == box[1] - box[0];
    return cube && sl_plan_on_device(cfg) && !sl_config_has_gas(cfg) && !cfg->ic_noise[0];
}

/* Bytes of each cell of the box that a device holds of the mass of particles and the potential
 * (gpu/README.md): where several share it, planes, rows, windows and messages. */
static double device_mesh_bytes(const struct sl_config *cfg)
{
    enum sl_around around = sl_config_around(cfg);
    double ranks = (double)cfg->resources_ranks, summed = ranks > 1 ? 10 : 0;
    if (ranks > 1 && around == SL_AROUND_periodic) return 56 / ranks;
    return 8 + (around == SL_AROUND_padded ? 72 : around == SL_AROUND_screened ? 24 : 8) + summed;
}

/* Bytes of a device that makes a start of the whole box: before there are particles, or with them
 * all (gpu/device.h). Of the finer grid of the second order about as many cells. */
static double device_start_bytes(const struct sl_config *cfg, double number, double row)
{
    double cells = cells_of(cfg), fine = cfg->particles_spacing > 1 ? 1.25 : 1.5,
           side = fine * (double)cfg->mesh_cells[0];
    if (!sl_config_makes_start(cfg) || !sl_particles_start_on_device(cfg)) return 0;
    double before = cfg->ic_order > 1 ? 24 * fine * cells + 230 * side * side + 8 * number : 0;
    return fmax(before, number * (spare * row + 24));
}

static void count_memory(const struct sl_config *cfg, struct sl_particle_cost *c)
{
    double ranks = (double)cfg->resources_ranks, cells = cells_of(cfg), host = cells * mesh_bytes,
           real = cfg->resources_precision == SL_PRECISION_single ? 4 : 8;
    c->each = particle_bytes;
    if (sl_plan_on_device(cfg)) {
        double row = device_row + 3 * real, own = c->number / ranks;
        if (ranks == 1 && !sl_config_has_gas(cfg)) host = 0;
        c->each = spare * (copy_row + 6 * real);
        c->device_each = spare * row + device_sorting;
        c->device = cells * device_mesh_bytes(cfg) +
                    fmax(own * c->device_each, device_start_bytes(cfg, c->number, row));
    }
    c->rank = (c->number * c->each + host) / ranks;
}

struct sl_particle_cost sl_particle_cost(const struct sl_config *cfg)
{
    struct sl_particle_cost c = {.number = number_of(cfg)};
    double cells = cells_of(cfg), real = cfg->resources_precision == SL_PRECISION_single ? 4 : 8;
    if (!sl_config_wants(cfg, SL_SOURCE_particles)) return c;
    count_memory(cfg, &c);
    bool device = sl_plan_on_device(cfg);
    c.seconds = c.number * (device ? device_particle_seconds : particle_seconds);
    if (!sl_config_has_gas(cfg))
        c.seconds += cells * (device                    ? device_mesh_seconds
                              : sl_config_isolated(cfg) ? mesh_isolated * mesh_seconds
                                                        : mesh_seconds);
    c.snapshot = c.number * snapshot_row;
    c.checkpoint = c.number * (checkpoint_row + 3 * real);
    return c;
}

/* The force on waves of 16 particle distances along the diagonal of the mesh, where it is least,
 * less the true one, by the cells between particles; it falls with the square of the wave number.
 * On a lattice tsc has that of cic. */
static double force_lacks(const struct sl_config *cfg)
{
    bool wide = cfg->particles_kernel == SL_KERNEL_pcs;
    return cfg->particles_spacing > 1 ? (wide ? 0.045 : 0.038) : wide ? 0.154 : 0.110;
}

/* Growth is a^p with p = (sqrt(1 + 24 F) - 1) / 4 for a force of F: dp / dF is 3 / 5. */
static double grown_right(const struct sl_config *cfg, double apart)
{
    double folds = log((1 + cfg->ic_redshift) / (1 + cfg->time_end));
    return 16 * apart * sqrt(force_lacks(cfg) * 0.6 * folds / 0.01);
}

struct sl_particle_limits sl_particle_limits(const struct sl_config *cfg)
{
    const struct sl_particle_grid g = sl_particle_grid(cfg, sl_universe_neutrinos(cfg));
    struct sl_particle_limits l = {.number = g.number,
                                   .mass = g.mass,
                                   .apart = g.apart,
                                   .cell = g.cell,
                                   .nyquist = g.nyquist,
                                   .shot = g.shot,
                                   .side = g.side};
    if (!(l.number > 0)) return l;
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
