/* cpaw.c - a circularly polarised Alfven wave: an exact nonlinear solution of MHD, along any
 * direction in which it fits into the periodic box, moving or standing.
 *
 * Density 1, field 1 along the wave. With u the velocity of the gas along it, the phase moves with
 * u + 1; cpaw.velocity -1 makes it stand.
 *
 * Refs  Toth 2000, section 6.3.1; Gardiner & Stone 2005, section 4.3 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/exact/tube.h"
#include "core/lists/eos_list.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(cpaw, 0, "circularly polarised Alfven wave in a periodic box; exact solution")
SL_SHOW(cpaw, "profiles error", "magnetic_y magnetic_z", "relative_l1")
SL_RULE_WALLS(cpaw, WALL(periodic), WALL(periodic), WALL(periodic), WALL(periodic), WALL(periodic),
              WALL(periodic))
SL_RULE_EXACT(cpaw)
SL_REAL_KEY(cpaw_amplitude, "cpaw.amplitude", "0.1", 0, 1e3, none,
            "velocity and field across the wave")
SL_REAL_KEY(cpaw_pressure, "cpaw.pressure", "0.1", 1e-30, 1e30, none,
            "pressure of the gas (ideal; of an isothermal one fluid.sound_speed^2)")
SL_REAL_KEY(cpaw_velocity, "cpaw.velocity", "0", -1e30, 1e30, none,
            "velocity of the gas along the wave; -1: the wave stands")
SL_BOOL_KEY(cpaw_right_handed, "cpaw.right_handed", "true", "sense of the rotation")
SL_INTS_KEY(cpaw_along, "cpaw.along", "[1, 0, 0]", 3, -1000, 1000, none,
            "wavelengths in the box along each axis")
SL_RULE_FIELD(cpaw)
SL_RULE(cpaw, cpaw_along, some(cfg->cpaw_along, cfg->mesh_cells_n),
        "is zero along every axis of the grid")

static const double pi = 3.14159265358979323846;

struct cpaw {
    double amplitude, pressure, velocity, hand, gamma;
    double lo[3], inverse[3]; /* lower corner of the box; wavelengths per length along each axis */
    double number;            /* wavelengths per length along the wave */
    struct sl_tube frame;     /* only its unit vectors */
    int nscalar;
};

static int open(const struct sl_config *cfg, void **data)
{
    double waves2 = 0;
    struct cpaw *w = calloc(1, sizeof *w);
    SL_CHECK(w, SL_EMEM, "no memory for the wave");
    for (int i = 0; i < cfg->mesh_cells_n; i++) {
        w->lo[i] = cfg->mesh_box[2 * i];
        w->inverse[i] = (double)cfg->cpaw_along[i] / (cfg->mesh_box[2 * i + 1] - w->lo[i]);
        waves2 += w->inverse[i] * w->inverse[i];
    }
    w->amplitude = cfg->cpaw_amplitude;
    w->velocity = cfg->cpaw_velocity;
    w->hand = cfg->cpaw_right_handed ? 1 : -1;
    bool isothermal =
        cfg->fluid_eos == SL_EOS_isothermal; /* the pressure follows the density, which is 1 */
    w->pressure = isothermal ? cfg->fluid_sound_speed * cfg->fluid_sound_speed : cfg->cpaw_pressure;
    w->gamma = isothermal ? 1 : cfg->fluid_gamma;
    w->number = sqrt(waves2);
    w->nscalar = (int)cfg->fluid_scalars;
    int code = sl_tube_aim(&w->frame, w->inverse);
    if (code == SL_OK)
        *data = w;
    else
        free(w);
    return code;
}

/* Turns at the middle of a cell, and what averaging over the cell leaves of the wave. */
static double phase(const struct cpaw *w, const double lo[3], const double hi[3], double t,
                    double *left)
{
    double turns = -(w->velocity + 1) * w->number * t;
    *left = 1;
    for (int i = 0; i < 3; i++) {
        double half = pi * w->inverse[i] * (hi[i] - lo[i]);
        turns += w->inverse[i] * (0.5 * (lo[i] + hi[i]) - w->lo[i]);
        if (half != 0) *left *= sin(half) / half;
    }
    return turns;
}

/* The averages of energy and pressure differ: the field and the velocity lose some by averaging. */
static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct cpaw *w = data;
    double left, angle = 2 * pi * phase(w, lo, hi, t, &left), a = w->amplitude;
    double y = left * a * sin(angle), z = w->hand * left * a * cos(angle);
    prim[0] = 1;
    for (int i = 0; i < 3; i++) {
        double across = y * w->frame.along[i] + z * w->frame.cross[i];
        prim[1 + i] = w->velocity * w->frame.normal[i] - across;
        prim[SL_PRIM_B + i] = w->frame.normal[i] + across;
    }
    prim[4] = w->pressure + (w->gamma - 1) * a * a * (1 - left * left);
    for (int i = 0; i < w->nscalar; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

/* B = curl A with A = B across / (2 pi number), turned by the sense of the wave: such a field is
 * its own curl. */
static double potential(const void *data, int axis, const double lo[3], const double hi[3],
                        double t)
{
    const struct cpaw *w = data;
    double left, angle = 2 * pi * phase(w, lo, hi, t, &left), a = left * w->amplitude;
    double y = a * sin(angle), z = w->hand * a * cos(angle);
    return w->hand * (y * w->frame.along[axis] + z * w->frame.cross[axis]) / (2 * pi * w->number);
}

static void uniform(const void *data, double b[3])
{
    memcpy(b, ((const struct cpaw *)data)->frame.normal, 3 * sizeof *b);
}

static double crossing(const void *data)
{
    const struct cpaw *w = data;
    double speed = fabs(w->velocity + 1);
    return 1 / (w->number * (speed > 0 ? speed : 1));
}

const struct sl_problem sl_problem_cpaw = {.name = "cpaw",
                                           .exact = true,
                                           .open = open,
                                           .close = free,
                                           .state = state,
                                           .potential = potential,
                                           .uniform = uniform,
                                           .crossing = crossing};
