/* wave.c - a linear mode of a uniform gas: sound, entropy or shear, with a magnetic field fast,
 * Alfven, slow or entropy, along any direction in which it fits into the periodic box, with the
 * exact cell averages of the linear solution.
 *
 * The state is U = U0 + amplitude R cos(2 pi (along . (x - lo) / box - t / period)) with R the
 * right eigenvector of the conserved variables whose density (for shear and Alfven: whose momentum
 * across; for fast and slow: see alpha in mhd_mode) is 1. The
 * phase is rounded to 2^-40 of a turn and the cosine folded to a quarter of one, so that mirrored
 * cells get mirrored bits: the errors of waves to the left and to the right can be compared
 * exactly.
 *
 * Refs  Stone et al. 2008, section 8.1 and appendix B (eigenvectors); the average of a plane wave
 *       over a box is its value at the centre times sin(k h) / (k h) per axis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/exact/tube.h"
#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

#define SL_WAVE_MODE_LIST(X)                                                                       \
    X(left_sound, "against the direction of wave.along")                                           \
    X(right_sound, "along wave.along")                                                             \
    X(entropy, "density alone; moves with the gas")                                                \
    X(shear_1, "velocity across, first direction; moves with the gas")                             \
    X(shear_2, "velocity across, second direction; moves with the gas")                            \
    X(left_fast, "fast wave (MHD) against the direction of wave.along")                            \
    X(right_fast, "fast wave along wave.along")                                                    \
    X(left_alfven, "Alfven wave (MHD) against the direction of wave.along")                        \
    X(right_alfven, "Alfven wave along wave.along")                                                \
    X(left_slow, "slow wave (MHD) against the direction of wave.along")                            \
    X(right_slow, "slow wave along wave.along")

SL_PROBLEM(wave, 0, "linear wave of hydrodynamics or MHD in a periodic box; exact solution")
SL_SHOW(wave, "profiles error", "density velocity_x magnetic_y", "relative_l1")
SL_RULE_WALLS(wave, WALL(periodic), WALL(periodic), WALL(periodic), WALL(periodic), WALL(periodic),
              WALL(periodic))
SL_RULE_EXACT(wave)
SL_ENUM_KEY(wave_mode, "wave.mode", "right_sound", SL_WAVE_MODE_LIST, "which wave")
SL_REAL_KEY(wave_amplitude, "wave.amplitude", "1e-6", 0, 1, none,
            "amplitude; the exact solution is that of the linear equations, so errors below "
            "amplitude^2 mean nothing")
SL_INTS_KEY(wave_along, "wave.along", "[1, 0, 0]", 3, -1000, 1000, none,
            "wavelengths in the box along each axis")
SL_REALS_KEY(wave_velocity, "wave.velocity", "[0, 0, 0]", 3, -1e30, 1e30, none,
             "velocity of the gas: along the wave, and across it in two directions")
SL_REAL_KEY(wave_density, "wave.density", "1", 1e-30, 1e30, none, "density of the gas")
SL_REAL_KEY(wave_pressure, "wave.pressure", "3/5", 1e-30, 1e30, none, "pressure of the gas (ideal)")

SL_REALS_KEY(wave_magnetic, "wave.magnetic", "[1, 2^0.5, 1/2]", 3, -1e30, 1e30, none,
             "magnetic field (MHD): along the wave, and across it in the two directions of "
             "wave.velocity")
SL_RULE(wave, wave_along, some(cfg->wave_along, cfg->mesh_cells_n),
        "is zero along every axis of the grid")
SL_RULE(wave, wave_mode,
        cfg->fluid_eos != SL_EOS_isothermal || cfg->wave_mode != SL_WAVE_MODE_entropy,
        "an isothermal gas has no entropy wave")
SL_RULE(wave, wave_mode,
        cfg->wave_mode >= SL_WAVE_MODE_left_fast || cfg->wave_mode == SL_WAVE_MODE_entropy ||
            cfg->fluid_mhd == SL_MHD_none,
        "with a magnetic field (fluid.mhd) take entropy, or left or right of fast, alfven, slow")
SL_RULE(wave, wave_mode, cfg->fluid_mhd != SL_MHD_none || cfg->wave_mode < SL_WAVE_MODE_left_fast,
        "%s needs a magnetic field (fluid.mhd)", sl_choice_name("wave.mode", cfg->wave_mode))
SL_RULE(wave, wave_amplitude, cfg->wave_amplitude < cfg->wave_density,
        "must be below wave.density, %g: the density would turn negative", cfg->wave_density)

static const double pi = 3.14159265358979323846;

enum { NCONS = 8 }; /* density, momentum, energy, magnetic field */

struct wave {
    int eos, nscalar;
    double gamma, cs;
    double lo[3], inverse[3]; /* lower corner of the box; wavelengths per length along each axis */
    double frequency;         /* periods per time */
    double period;            /* time that crossing stands for */
    double base[NCONS], mode[NCONS]; /* conserved, in box axes; mode times the amplitude */
};

/* Fast, slow and Alfven waves of a gas of sound speed cs in primitive variables (Roe & Balsara
 * 1996; Stone et al. A.2): the fast one has the density alpha_f, the slow one alpha_s. */
static double mhd_mode(const struct sl_config *cfg, double cs, double mode[NCONS])
{
    const double *b = cfg->wave_magnetic;
    int which = cfg->wave_mode - SL_WAVE_MODE_left_fast, fast = which < 2,
        alfven = !fast && which < 4;
    double direction = which % 2 ? 1 : -1, root = sqrt(cfg->wave_density);
    double ax = fabs(b[0]) / root, bt = hypot(b[1], b[2]), at = bt / root, a2 = cs * cs;
    double beta[2] = {bt > 0 ? b[1] / bt : sqrt(0.5), bt > 0 ? b[2] / bt : sqrt(0.5)};
    double all = a2 + ax * ax + at * at, d = a2 - ax * ax - at * at;
    double split = sqrt(d * d + 4 * a2 * at * at), cf = sqrt(0.5 * (all + split));
    double slow = cf > 0 ? cs * ax / cf : 0, sign = b[0] < 0 ? -1 : 1;
    double share = split > 0 ? fmin(1, fmax(0, (a2 - slow * slow) / split)) : 1;
    double mine = sqrt(fast ? share : 1 - share), other = sqrt(fast ? 1 - share : share);
    double c = fast ? cf : slow, rest = fast ? -slow : cf, rho = cfg->wave_density;
    memset(mode, 0, NCONS * sizeof *mode);
    for (int i = 0; i < 2; i++) {
        mode[2 + i] = direction * rest * other * beta[i] * sign / rho;
        mode[6 + i] = (fast ? 1 : -1) * other * cs * beta[i] / root;
        if (!alfven) continue;
        mode[2 + i] = (i ? -1 : 1) * beta[1 - i] / rho;
        mode[6 + i] = -direction * sign * root * mode[2 + i];
    }
    if (alfven) return direction * ax;
    mode[0] = mine;
    mode[1] = direction * c * mine / rho;
    mode[4] = a2 * mine;
    return direction * c;
}

/* A small change of primitive variables as one of conserved variables. */
static void conserve(const struct sl_config *cfg, double mode[NCONS])
{
    const double *v = cfg->wave_velocity, *b = cfg->wave_magnetic;
    double energy = mode[4] / (cfg->fluid_gamma - 1);
    for (int i = 0; i < 3; i++) {
        double velocity = mode[1 + i];
        mode[1 + i] = v[i] * mode[0] + cfg->wave_density * velocity;
        energy += 0.5 * v[i] * v[i] * mode[0] + cfg->wave_density * v[i] * velocity;
        energy += b[i] * mode[5 + i];
    }
    mode[4] = energy;
}

/* Adds the field to the frame; waves of the gas alone are refused. */
static int add_field(const struct sl_config *cfg, double cs, double base[NCONS], double mode[NCONS],
                     double *speed)
{
    for (int i = 0; i < 3; i++) {
        base[5 + i] = cfg->wave_magnetic[i];
        base[4] += 0.5 * base[5 + i] * base[5 + i];
    }
    if (cfg->wave_mode == SL_WAVE_MODE_entropy) return SL_OK;
    *speed = cfg->wave_velocity[0] + mhd_mode(cfg, cs, mode);
    conserve(cfg, mode);
    return SL_OK;
}

/* The gas at rest or moving, and the mode, in the frame of the wave (Stone et al. B.1). */
static int frame_modes(const struct sl_config *cfg, double base[NCONS], double mode[NCONS],
                       double *speed)
{
    const double *v = cfg->wave_velocity;
    double rho = cfg->wave_density, v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double p = cfg->wave_pressure, g = cfg->fluid_gamma;
    bool isothermal = cfg->fluid_eos == SL_EOS_isothermal;
    double cs = isothermal ? cfg->fluid_sound_speed : sqrt(g * p / rho);
    double enthalpy = cs * cs / (g - 1) + 0.5 * v2;
    double energy = p / (g - 1) + 0.5 * rho * v2;
    const double state[5] = {rho, rho * v[0], rho * v[1], rho * v[2], energy};
    const double sound[2][5] = {{1, v[0] - cs, v[1], v[2], enthalpy - v[0] * cs},
                                {1, v[0] + cs, v[1], v[2], enthalpy + v[0] * cs}};
    const double other[3][5] = {
        {1, v[0], v[1], v[2], 0.5 * v2}, {0, 0, 1, 0, v[1]}, {0, 0, 0, 1, v[2]}};
    memcpy(base, state, sizeof state);
    *speed = v[0];
    if (cfg->wave_mode >= SL_WAVE_MODE_left_fast) {
        *speed = 0; /* set with the field */
    } else if (cfg->wave_mode <= SL_WAVE_MODE_right_sound) {
        memcpy(mode, sound[cfg->wave_mode], sizeof state);
        *speed += cfg->wave_mode == SL_WAVE_MODE_left_sound ? -cs : cs;
    } else {
        memcpy(mode, other[cfg->wave_mode - SL_WAVE_MODE_entropy], sizeof state);
    }
    return cfg->fluid_mhd == SL_MHD_none ? SL_OK : add_field(cfg, cs, base, mode, speed);
}

/* Momentum and field from the frame of the wave to the axes of the box. */
static void rotate(const struct sl_tube *frame, const double in[NCONS], double scale,
                   double out[NCONS])
{
    out[0] = scale * in[0];
    out[4] = scale * in[4];
    for (int v = 1; v <= 5; v += 4)
        for (int i = 0; i < 3; i++)
            out[v + i] = scale * (in[v] * frame->normal[i] + in[v + 1] * frame->along[i] +
                                  in[v + 2] * frame->cross[i]);
}

static int set(const struct sl_config *cfg, struct wave *w)
{
    struct sl_tube frame;
    double base[NCONS] = {0}, mode[NCONS] = {0}, speed = 0, waves2 = 0;
    int dim = cfg->mesh_cells_n;
    for (int i = 0; i < 3; i++) {
        w->lo[i] = cfg->mesh_box[2 * i];
        w->inverse[i] =
            i < dim ? (double)cfg->wave_along[i] / (cfg->mesh_box[2 * i + 1] - cfg->mesh_box[2 * i])
                    : 0;
        waves2 += w->inverse[i] * w->inverse[i];
    }
    w->eos = cfg->fluid_eos;
    w->nscalar = (int)cfg->fluid_scalars;
    w->gamma = cfg->fluid_gamma;
    w->cs = cfg->fluid_sound_speed;
    SL_TRY(sl_tube_aim(&frame, w->inverse));
    SL_TRY(frame_modes(cfg, base, mode, &speed));
    rotate(&frame, base, 1, w->base);
    rotate(&frame, mode, cfg->wave_amplitude, w->mode);
    w->frequency = speed * sqrt(waves2);
    w->period = 1 / (speed != 0 ? fabs(w->frequency) : sqrt(waves2));
    return SL_OK;
}

static int open(const struct sl_config *cfg, void **data)
{
    struct wave *w = calloc(1, sizeof *w);
    SL_CHECK(w, SL_EMEM, "no memory for the wave");
    int code = set(cfg, w);
    if (code != SL_OK) {
        free(w);
        return code;
    }
    *data = w;
    return SL_OK;
}

/* To 2^-40: cells that mirror each other are as many whole parts of a turn apart, however long the
 * box is. */
static double round_turns(double turns)
{
    return nearbyint(turns * 0x1p40) * 0x1p-40;
}

/* cos(2 pi turns), the same bits (but for the sign) in all four quarters. */
static double fold_cos(double turns)
{
    double s = fabs(turns - nearbyint(turns));
    return s > 0.25 ? -cos(2 * pi * (0.5 - s)) : cos(2 * pi * s);
}

/* As above, of the sine. */
static double fold_sin(double turns)
{
    return fold_cos(turns - 0.25);
}

static double plane_wave(const struct wave *w, const double lo[3], const double hi[3], double t)
{
    double turns = -w->frequency * t, damp = 1;
    for (int i = 0; i < 3; i++) {
        double half = pi * round_turns(w->inverse[i] * (hi[i] - lo[i]));
        turns += w->inverse[i] * (0.5 * (lo[i] + hi[i]) - w->lo[i]);
        if (half != 0) damp *= sin(half) / half;
    }
    return damp * fold_cos(round_turns(turns));
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct wave *w = data;
    double u[NCONS], field = 0, value = plane_wave(w, lo, hi, t);
    for (int i = 0; i < NCONS; i++)
        u[i] = w->base[i] + value * w->mode[i];
    for (int i = 0; i < 3; i++) {
        prim[SL_PRIM_B + i] = u[5 + i];
        field += 0.5 * u[5 + i] * u[5 + i];
    }
    prim[0] = u[0];
    for (int i = 1; i < 4; i++)
        prim[i] = u[i] / u[0];
    prim[4] = w->eos == SL_EOS_isothermal
                  ? u[0] * w->cs * w->cs
                  : (w->gamma - 1) *
                        (u[4] - field - 0.5 * (u[1] * prim[1] + u[2] * prim[2] + u[3] * prim[3]));
    for (int i = 0; i < w->nscalar; i++)
        prim[5 + i] = 1;
}

/* curl A = mode cos for A = -(k x mode) sin / (2 pi k^2), averaged along the edge. */
static double potential(const void *data, int axis, const double lo[3], const double hi[3],
                        double t)
{
    const struct wave *w = data;
    const double *k = w->inverse, *b = w->mode + 5;
    int y = (axis + 1) % 3, z = (axis + 2) % 3;
    double turns = -w->frequency * t, k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double half = pi * round_turns(k[axis] * (hi[axis] - lo[axis]));
    double damp = half != 0 ? sin(half) / half : 1;
    for (int i = 0; i < 3; i++)
        turns += k[i] * (0.5 * (lo[i] + hi[i]) - w->lo[i]);
    return -(k[y] * b[z] - k[z] * b[y]) / (2 * pi * k2) * damp * fold_sin(round_turns(turns));
}

static void uniform(const void *data, double b[3])
{
    memcpy(b, ((const struct wave *)data)->base + 5, 3 * sizeof *b);
}

static double crossing(const void *data)
{
    return ((const struct wave *)data)->period;
}

const struct sl_problem sl_problem_wave = {.name = "wave",
                                           .exact = true,
                                           .open = open,
                                           .close = free,
                                           .state = state,
                                           .potential = potential,
                                           .uniform = uniform,
                                           .crossing = crossing};
