/* jeans.c - a plane wave of gas that attracts itself, on a uniform background, along any direction
 * in which it fits into the periodic box, with the exact cell averages of the linear solution.
 *
 * omega^2 = k^2 cs^2 - 4 pi G rho (Jeans 1902; the background does not attract). Below the Jeans
 * length a sound wave that moves along jeans.along, slower than without gravity; above it the
 * growing mode: delta = A cos(k x - omega t), v = A omega / k cos(k x - omega t), or delta = A
 * exp(s t) cos(k x), v = -A s / k exp(s t) sin(k x), s^2 = -omega^2.
 *
 * time.unit: crossing is a period, or an e-fold of the growing mode.
 *
 * Refs  Jeans 1902; Binney & Tremaine 2008, section 5.2.2; wave.c (averages of plane waves) */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/exact/whole.h"
#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(jeans, 0, "plane wave of gas that attracts itself, stable or growing, in a periodic box; exact solution")
SL_SHOW(jeans, "profiles error energies", "density", "relative_l1")
SL_REAL_KEY(jeans_amplitude, "jeans.amplitude", "1e-6", 0, 0.5, none, "amplitude of density / mean; the exact solution is that of the linear equations, so errors below amplitude^2 mean nothing")
SL_INTS_KEY(jeans_along, "jeans.along", "[1, 0, 0]", 3, -1000, 1000, none, "wavelengths in the box along each axis")
SL_REAL_KEY(jeans_density, "jeans.density", "1", 1e-30, 1e30, none, "mean density")
SL_REAL_KEY(jeans_pressure, "jeans.pressure", "3/5", 1e-30, 1e30, none, "mean pressure (ideal gas)")
SL_RULE(jeans, jeans_along, some(cfg->jeans_along, cfg->mesh_cells_n), "is zero along every axis of the grid")
SL_RULE(jeans, gravity_four_pi_g, cfg->gravity_four_pi_g > 0, "problem jeans needs gravity of the gas: above 0; without it: problem: wave")
SL_RULE(jeans, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem jeans has no magnetic field; nearest: none")
SL_RULE_EXACT_WITH(jeans, self_gravity)
/* clang-format on */

static const double pi = 3.14159265358979323846;

struct jeans {
    int nscalar;
    double amplitude, rho, p, cs;
    double k[3], norm; /* wave vector and its length */
    double rate;       /* omega, or s */
    bool grows;
    double lo[3];
};

static int open_jeans(const struct sl_config *cfg, void **data)
{
    struct jeans *w = calloc(1, sizeof *w);
    SL_CHECK(w, SL_EMEM, "no memory for the wave");
    w->amplitude = cfg->jeans_amplitude;
    w->rho = cfg->jeans_density;
    w->nscalar = (int)cfg->fluid_scalars;
    bool isothermal = cfg->fluid_eos == SL_EOS_isothermal;
    w->cs =
        isothermal ? cfg->fluid_sound_speed : sqrt(cfg->fluid_gamma * cfg->jeans_pressure / w->rho);
    w->p = isothermal ? w->rho * w->cs * w->cs : cfg->jeans_pressure;
    for (int d = 0; d < cfg->mesh_cells_n; d++) {
        w->lo[d] = cfg->mesh_box[2 * d];
        w->k[d] = 2 * pi * (double)cfg->jeans_along[d] / (cfg->mesh_box[2 * d + 1] - w->lo[d]);
    }
    w->norm = sqrt(w->k[0] * w->k[0] + w->k[1] * w->k[1] + w->k[2] * w->k[2]);
    double square = pow(w->norm * w->cs, 2) - cfg->gravity_four_pi_g * w->rho;
    w->grows = square < 0;
    w->rate = sqrt(fabs(square));
    *data = w;
    return SL_OK;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct jeans *w = data;
    double phase = w->grows ? 0 : -w->rate * t, size = w->amplitude;
    if (w->grows) size *= exp(w->rate * t);
    for (int d = 0; d < 3; d++) {
        double half = 0.5 * w->k[d] * (hi[d] - lo[d]);
        phase += w->k[d] * (0.5 * (lo[d] + hi[d]) - w->lo[d]);
        if (half != 0) size *= sin(half) / half;
    }
    double delta = size * cos(phase), along = w->rate / w->norm;
    double v = w->grows ? -along * size * sin(phase) : along * delta;
    prim[0] = w->rho * (1 + delta);
    for (int d = 0; d < 3; d++)
        prim[1 + d] = v * w->k[d] / w->norm / (1 + delta);
    prim[4] = w->p + w->cs * w->cs * w->rho * delta;
    for (int i = 0; i < w->nscalar; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

/* The wave of the density as size cos(k x - phase): its two parts, and the cells that it was taken
 * from. */
static int project(const struct jeans *w, const struct sl_state *run, double part[2], double dx[3])
{
    struct sl_whole whole;
    SL_TRY(sl_whole_init(run, &whole));
    part[0] = part[1] = 0;
    for (int z = 0; z < whole.n[2]; z++)
        for (int y = 0; y < whole.n[1]; y++)
            for (int x = 0; x < whole.n[0]; x++) {
                double delta = sl_whole_at(&whole, 0, z, y, x) / w->rho - 1, phase = 0;
                const int at[3] = {x, y, z};
                for (int d = 0; d < run->mesh->dim; d++)
                    phase += w->k[d] * (sl_whole_x(&whole, d, at[d]) - w->lo[d]);
                part[0] += delta * cos(phase);
                part[1] += delta * sin(phase);
            }
    for (int i = 0; i < 2; i++)
        part[i] *= 2 / ((double)whole.n[0] * whole.n[1] * whole.n[2]);
    memcpy(dx, whole.dx, sizeof whole.dx);
    sl_whole_release(&whole);
    return SL_OK;
}

/* Size of the wave at the start: cell averages are smaller than the wave. */
static double first_size(const struct jeans *w, int dim, const double dx[3])
{
    double size = w->amplitude;
    for (int d = 0; d < dim; d++) {
        double half = 0.5 * w->k[d] * dx[d];
        if (half != 0) size *= sin(half) / half;
    }
    return size;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct jeans *w = data;
    double part[2], dx[3];
    if (!(run->time > 0) || !(w->rate > 0) || !(w->amplitude > 0)) return SL_OK;
    SL_TRY(project(w, run, part, dx));
    double want = w->rate * run->time, size = first_size(w, run->mesh->dim, dx);
    double got = log(hypot(part[0], part[1]) / size);
    if (!w->grows) {
        got = atan2(part[1], part[0]);
        got += 2 * pi * nearbyint((want - got) / (2 * pi));
    }
    sl_measure(
        out, "rate_error",
        "relative error of the frequency of the wave, or of its growth rate above the Jeans length",
        fabs(got / want - 1));
    return SL_OK;
}

static double crossing(const void *data)
{
    const struct jeans *w = data;
    if (!(w->rate > 0)) return 1;
    return w->grows ? 1 / w->rate : 2 * pi / w->rate;
}

const struct sl_problem sl_problem_jeans = {.name = "jeans",
                                            .exact = true,
                                            .force = "self_gravity",
                                            .open = open_jeans,
                                            .close = free,
                                            .state = state,
                                            .crossing = crossing,
                                            .measure = measure};
