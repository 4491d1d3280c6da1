/* decay.c - plane waves that viscosity, conduction of heat and resistivity damp, along any
 * direction in which they fit into the periodic box, with the exact cell averages of the linear
 * solutions.
 *
 * shear  a velocity across the wave vector at the start, and a uniform field decay.magnetic along
 *        it: a standing Alfven wave of frequency k v_A; without a field it is only damped, by nu
 *        k^2
 * field  a sheared field across the wave vector, no other: eta k^2
 * heat   the entropy mode: temperature and density against each other, at almost constant pressure,
 *        with the slow motion that this takes; its rate s solves (s (s + 4/3 nu k^2) + k^2 T) (s +
 *        q) + (gamma - 1) k^2 T s = 0, q = (gamma - 1) kappa k^2
 *
 * Refs  Chandrasekhar 1961, section 39 (Alfven waves that decay); Landau & Lifshitz 1987, section
 *       79 */
#include <math.h>
#include <stdlib.h>

#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

#define SL_DECAY_MODE_LIST(X)                                                                      \
    X(shear, "a velocity across the wave vector, and a uniform field along it")                    \
    X(field, "a magnetic field across the wave vector")                                            \
    X(heat, "temperature and density, at almost constant pressure")

/* clang-format off */
SL_PROBLEM(decay, 0, "plane waves damped by viscosity, conduction of heat and resistivity; exact solution")
SL_SHOW(decay, "profiles error energies", "density velocity_y temperature", "relative_l1")
SL_ENUM_KEY(decay_mode, "decay.mode", "shear", SL_DECAY_MODE_LIST, "which wave")
SL_REAL_KEY(decay_amplitude, "decay.amplitude", "1e-4", 1e-12, 0.5, none, "velocity over (pressure / density)^0.5, field over that whose pressure is that of the gas, or relative change of density; errors below its square mean nothing")
SL_INTS_KEY(decay_along, "decay.along", "[1, 0, 0]", 3, -1000, 1000, none, "wavelengths in the box along each axis")
SL_REAL_KEY(decay_magnetic, "decay.magnetic", "0", 0, 1e30, none, "field along the wave vector (decay.mode: shear)")
SL_RULE(decay, decay_along, some(cfg->decay_along, cfg->mesh_cells_n), "is zero along every axis of the grid; nearest: [1, 0, 0]")
SL_RULE(decay, decay_along, cfg->fluid_mhd != SL_MHD_ct || (cfg->decay_along[0] != 0) + (cfg->decay_along[1] != 0) + (cfg->decay_along[2] != 0) == 1, "with fluid.mhd: ct along one axis; nearest: [1, 0, 0]")
SL_RULE(decay, decay_mode, cfg->decay_mode != SL_DECAY_MODE_heat || cfg->fluid_eos == SL_EOS_ideal, "heat is that of an ideal gas; nearest: shear")
SL_RULE(decay, decay_mode, cfg->decay_mode != SL_DECAY_MODE_field || cfg->fluid_mhd != SL_MHD_none, "field needs a magnetic field (fluid.mhd); nearest: shear")
SL_RULE(decay, decay_magnetic, cfg->decay_magnetic == 0 || (cfg->fluid_mhd != SL_MHD_none && cfg->decay_mode == SL_DECAY_MODE_shear), "%g needs fluid.mhd and decay.mode: shear; nearest: 0", cfg->decay_magnetic)
SL_RULE_EXACT_WITH(decay, diffusion)
SL_RULE(decay, mesh_boundary, periodic(cfg), "the waves are those of a periodic box; nearest: periodic")
/* clang-format on */

static const double pi = 3.14159265358979323846;

struct decay {
    int mode, nscalar;
    double amplitude, cs; /* cs: sound speed of an isothermal gas, 1 of an ideal one */
    double k[3], norm, lo[3];
    double along[3], across[3]; /* unit vectors */
    double damp, offset, wave;  /* of shear: mean damping, half the difference, frequency */
    double rate;                /* of field and heat */
    double magnetic, lag;       /* lag: velocity of heat over its density and rate */
    double warm;                /* temperature over density, of heat */
};

/* A unit vector across the wave, along the axes of the grid where it has two. */
static void set_directions(struct decay *w, int dim)
{
    int least = 0;
    double size = 0;
    for (int d = 0; d < 3; d++) {
        w->along[d] = w->k[d] / w->norm;
        if (d < (dim > 1 ? dim : 2) && fabs(w->along[d]) <= fabs(w->along[least])) least = d;
    }
    for (int d = 0; d < 3; d++) {
        w->across[d] = (d == least) - w->along[least] * w->along[d];
        size += w->across[d] * w->across[d];
    }
    for (int d = 0; d < 3; d++)
        w->across[d] /= sqrt(size);
}

/* The real root of the entropy mode, between -q and 0. */
static double entropy_rate(double k2, double gamma, double viscous, double q)
{
    double low = -q, high = 0;
    for (int i = 0; i < 200; i++) {
        double s = 0.5 * (low + high);
        double f = (s * (s + viscous) + k2) * (s + q) + (gamma - 1) * k2 * s;
        if (f < 0)
            low = s;
        else
            high = s;
    }
    return 0.5 * (low + high);
}

static void set_rates(const struct sl_config *cfg, struct decay *w)
{
    double k2 = w->norm * w->norm, viscous = 4.0 / 3 * cfg->diffusion_viscosity * k2;
    double nu = cfg->diffusion_viscosity * k2, eta = cfg->diffusion_resistivity * k2;
    w->damp = 0.5 * (nu + eta);
    w->offset = 0.5 * (eta - nu);
    w->wave = w->norm * w->magnetic;
    w->rate = w->mode == SL_DECAY_MODE_field
                  ? -eta
                  : entropy_rate(k2, cfg->fluid_gamma, viscous,
                                 (cfg->fluid_gamma - 1) * cfg->diffusion_heat * k2);
    w->lag = -w->rate / w->norm;
    w->warm = -(1 + w->rate * (w->rate + viscous) / k2);
}

static int open_decay(const struct sl_config *cfg, void **data)
{
    struct decay *w = calloc(1, sizeof *w);
    double square = 0;
    SL_CHECK(w, SL_EMEM, "no memory for the wave");
    w->mode = cfg->decay_mode;
    w->nscalar = (int)cfg->fluid_scalars;
    w->amplitude = cfg->decay_amplitude;
    w->magnetic = cfg->decay_magnetic;
    w->cs = cfg->fluid_eos == SL_EOS_isothermal ? cfg->fluid_sound_speed : 1;
    for (int d = 0; d < cfg->mesh_cells_n; d++) {
        w->lo[d] = cfg->mesh_box[2 * d];
        w->k[d] = 2 * pi * (double)cfg->decay_along[d] / (cfg->mesh_box[2 * d + 1] - w->lo[d]);
        square += w->k[d] * w->k[d];
    }
    w->norm = sqrt(square);
    set_directions(w, cfg->mesh_cells_n);
    set_rates(cfg, w);
    *data = w;
    return SL_OK;
}

/* Velocity and field of a shear at a time: cos(k x) times the first, -sin(k x) times the second. */
static void swing(const struct decay *w, double t, double out[2])
{
    double square = w->wave * w->wave - w->offset * w->offset, omega = sqrt(fabs(square));
    double c = square > 0 ? cos(omega * t) : cosh(omega * t);
    double s = !(omega > 0) ? t : (square > 0 ? sin(omega * t) : sinh(omega * t)) / omega;
    double shrunk = exp(-w->damp * t);
    out[0] = shrunk * (c + w->offset * s);
    out[1] = shrunk * w->wave * s;
}

static void set_shear(const struct decay *w, double size, double phase, double t, double *prim)
{
    double part[2];
    swing(w, t, part);
    for (int d = 0; d < 3; d++) {
        prim[1 + d] = w->cs * size * part[0] * cos(phase) * w->across[d];
        prim[SL_PRIM_B + d] =
            w->magnetic * w->along[d] - w->cs * size * part[1] * sin(phase) * w->across[d];
    }
}

static void set_field(const struct decay *w, double size, double phase, double t, double *prim)
{
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = sqrt(2) * w->cs * size * exp(w->rate * t) * cos(phase) * w->across[d];
}

static void set_heat(const struct decay *w, double size, double phase, double t, double *prim)
{
    double now = size * exp(w->rate * t);
    prim[0] += now * cos(phase);
    for (int d = 0; d < 3; d++)
        prim[1 + d] = w->lag * now * sin(phase) * w->along[d];
    prim[4] += (1 + w->warm) * now * cos(phase);
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct decay *w = data;
    double phase = 0, size = w->amplitude;
    for (int d = 0; d < 3; d++) {
        double half = 0.5 * w->k[d] * (hi[d] - lo[d]);
        phase += w->k[d] * (0.5 * (lo[d] + hi[d]) - w->lo[d]);
        if (half != 0) size *= sin(half) / half;
    }
    prim[0] = 1;
    prim[4] = w->cs * w->cs;
    if (w->mode == SL_DECAY_MODE_shear)
        set_shear(w, size, phase, t, prim);
    else if (w->mode == SL_DECAY_MODE_field)
        set_field(w, size, phase, t, prim);
    else
        set_heat(w, size, phase, t, prim);
    for (int i = 0; i < w->nscalar; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

const struct sl_problem sl_problem_decay = {.name = "decay",
                                            .exact = true,
                                            .force = "diffusion",
                                            .open = open_decay,
                                            .close = free,
                                            .state = state};
