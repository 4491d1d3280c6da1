/* expanding_box.c - uniform gas that expands with the universe and does nothing else: with a
 * velocity of its own, a magnetic field, heat, and a wave of a passive scalar that it carries; and
 * a standing Alfven wave in it, whose period grows.
 *
 * Peculiar velocities fall as 1 / a, fields as 1 / a^2, temperatures as a^(3 - 3 gamma). The wave
 * is circularly polarised, so that its magnetic pressure is uniform and its amplitude may have any
 * size: with b = a^2 B across, w = a v across and d tau = dt / a^2, along x
 *
 *   d b / d tau = -k B_x w,   d w / d tau = a k B_x b / rho,
 *
 * b along (cos, sin) of k x and w along (-sin, cos); it begins with w = 0.
 *
 * Needs time.unit: redshift. The first passive scalar is (1 + cos(k x)) / 2 at the start; rules of
 * mesh.refine that look at it come and go with the gas.
 *
 * Shapes  none
 * Units   core/cosmo/expansion.h; velocities in km/s, fields in gauss, temperatures in K
 * Errors  SL_EINPUT for a universe that makes no sense
 * Owns    its copy of the expansion
 * MPI     measure is collective
 * Where   host
 * Refs    none
 * Tests   tests/law/comoving.c
 */
#include "core/state/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/expansion.h"
#include "core/cosmo/thermal.h"
#include "core/exact/whole.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(expanding_box, 0, "uniform gas with a magnetic field in an expanding universe, and a standing Alfven wave; exact solution; lengths in comoving Mpc/h")
SL_SHOW(expanding_box, "profiles error energies", "temperature magnetic_y", "relative_l1")
SL_REAL_KEY(expanding_box_temperature, "expanding_box.temperature", "100", 1e-30, 1e30, none, "temperature in K at the start")
SL_REALS_KEY(expanding_box_velocity, "expanding_box.velocity", "[0, 0, 0]", 3, -1e30, 1e30, none, "peculiar velocity in km/s at the start")
SL_REAL_KEY(expanding_box_wave, "expanding_box.wave", "0", 0, 1e30, none, "field of an Alfven wave along x at the start, over that along x (cosmology.field)")
SL_RULE_IDEAL(expanding_box)
SL_RULE(expanding_box, time_unit, sl_config_expands(cfg), "problem expanding_box needs an expanding universe; nearest: redshift")
SL_RULE(expanding_box, expanding_box_wave, cfg->expanding_box_wave == 0 || cfg->cosmology_field[0] != 0, "%g: there is no field along x (cosmology.field) for a wave; nearest: 0", cfg->expanding_box_wave)
SL_RULE_EXACT_WITH(expanding_box, self_gravity)
/* clang-format on */

/* At one time. */
struct moment {
    double time, a;
    double pressure, field[3];
    double across, speed; /* of the wave: its field and its velocity */
    double gone;          /* along x since the start */
};

struct box {
    struct sl_expansion *e; /* owned */
    const struct sl_config *cfg;
    int nscalar;
    double lo, k, pressure, velocity[3];
    struct moment *last; /* owned; of the time that was asked for last */
};

static void close_box(void *data)
{
    struct box *w = data;
    if (!w) return;
    sl_expansion_free(w->e);
    free(w->last);
    free(w);
}

/* ---- the wave ------------------------------------------------------------------------------- */

/* d (b, w) / d ln a. */
static void turn(const struct box *w, double pull, double ln_a, const double y[2], double out[2])
{
    double a = exp(ln_a), rate = sl_expansion_rate(w->e, a);
    out[0] = -w->k * pull * y[1] / rate;
    out[1] = w->k * pull * a * y[0] / rate;
}

/* By the classical method of Runge and Kutta. pull: b along x; y: b and w across, over that. */
static void follow(const struct box *w, double pull, double end, double y[2])
{
    enum { STEPS = 4000 };
    double at = log(w->e->start), h = (log(end) - at) / STEPS;
    for (int i = 0; i < STEPS; i++, at += h) {
        double s[4][2], to[2];
        for (int stage = 0; stage < 4; stage++) {
            double share = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h;
            for (int q = 0; q < 2; q++)
                to[q] = y[q] + (stage > 0 ? share * s[stage - 1][q] : 0);
            turn(w, pull, at + share, to, s[stage]);
        }
        for (int q = 0; q < 2; q++)
            y[q] += h / 6 * (s[0][q] + 2 * (s[1][q] + s[2][q]) + s[3][q]);
    }
}

static struct moment moment_at(const struct box *w, double tau)
{
    struct moment m = {.time = tau, .a = sl_expansion_a(w->e, tau), .gone = w->velocity[0] * tau};
    double flux[3], y[2] = {w->cfg->expanding_box_wave, 0};
    m.pressure = w->pressure * sl_expansion_heat(w->e, w->cfg->fluid_gamma, m.a);
    sl_expansion_field(w->e, m.a, w->cfg->cosmology_field, m.field);
    sl_expansion_field(w->e, 1, w->cfg->cosmology_field, flux);
    if (y[0] > 0 && m.a > w->e->start) follow(w, flux[0], m.a, y);
    m.across = y[0] * m.field[0];
    m.speed = y[1] * flux[0];
    return m;
}

static const struct moment *moment_of(const struct box *w, double tau)
{
    if (w->last->time != tau) *w->last = moment_at(w, tau);
    return w->last;
}

/* ---- the problem ---------------------------------------------------------------------------- */

static int open_box(const struct sl_config *cfg, void **data)
{
    struct box *w = calloc(1, sizeof *w);
    if (w) w->last = calloc(1, sizeof *w->last);
    int code = w && w->last ? SL_OK : SL_FAIL(SL_EMEM, "no memory for an expanding box");
    if (code == SL_OK) code = sl_expansion_new(MPI_COMM_SELF, cfg, &w->e);
    if (code != SL_OK) {
        close_box(w);
        return code;
    }
    double a = w->e->start, warm = SL_BOLTZMANN_OVER_HYDROGEN / sl_thermal_weight(w->e->u.helium) *
                                   cfg->expanding_box_temperature;
    w->cfg = cfg;
    w->nscalar = (int)cfg->fluid_scalars;
    w->lo = cfg->mesh_box[0];
    w->k = 2 * acos(-1) / (cfg->mesh_box[1] - w->lo);
    w->pressure = warm * a * a / 1e4;
    for (int d = 0; d < 3; d++)
        w->velocity[d] = a * cfg->expanding_box_velocity[d] / 100;
    w->last->time = -1;
    *data = w;
    return SL_OK;
}

/* Averages of the wave over the cell: energy and pressure differ, as it loses some. */
static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct box *w = data;
    const struct moment *m = moment_of(w, t);
    double half = 0.5 * w->k * (hi[0] - lo[0]), left = sin(half) / half;
    double angle = w->k * (0.5 * (lo[0] + hi[0]) - w->lo - m->gone);
    double c = left * cos(angle), s = left * sin(angle);
    double moving = m->across * m->across + m->speed * m->speed;
    prim[0] = 1;
    for (int d = 0; d < 3; d++) {
        prim[1 + d] = w->velocity[d];
        prim[SL_PRIM_B + d] = m->field[d];
    }
    prim[2] -= m->speed * s;
    prim[3] += m->speed * c;
    prim[SL_PRIM_B + 1] += m->across * c;
    prim[SL_PRIM_B + 2] += m->across * s;
    prim[4] = m->pressure + 0.5 * (w->cfg->fluid_gamma - 1) * moving * (1 - left * left);
    for (int i = 0; i < w->nscalar; i++)
        prim[SL_PRIM_SCALAR + i] = i == 0 ? 0.5 * (1 + c) : 1;
}

/* ---- measures ------------------------------------------------------------------------------- */

/* Largest differences of a cell from the exact values, over these. */
struct off {
    double density, heat, field, velocity;
};

static double apart(const double *got, const double *want)
{
    double off = 0, size = 0;
    for (int d = 0; d < 3; d++) {
        off = fmax(off, fabs(got[d] - want[d]));
        size = fmax(size, fabs(want[d]));
    }
    return size > 0 ? off / size : off;
}

static void compare(const struct box *w, const struct sl_whole *whole, double t, int k, int j,
                    int i, struct off *off)
{
    double lo[3], hi[3], want[SL_PRIM_MAX] = {0}, got[SL_WHOLE_NVAR];
    const int at[3] = {i, j, k};
    for (int d = 0; d < 3; d++) {
        lo[d] = whole->lo[d] + at[d] * whole->dx[d];
        hi[d] = lo[d] + whole->dx[d];
    }
    for (int v = 0; v < SL_WHOLE_NVAR; v++)
        got[v] = sl_whole_at(whole, v, k, j, i);
    state(w, lo, hi, t, want);
    off->density = fmax(off->density, fabs(got[0] - 1));
    off->heat = fmax(off->heat, fabs(got[4] / got[0] / want[4] - 1));
    off->velocity = fmax(off->velocity, apart(got + 1, want + 1));
    off->field = fmax(off->field, apart(got + SL_WHOLE_B, want + SL_PRIM_B));
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole whole;
    struct off off = {0, 0, 0, 0};
    SL_TRY(sl_whole_init(run, &whole));
    for (int k = 0; k < whole.n[2]; k++)
        for (int j = 0; j < whole.n[1]; j++)
            for (int i = 0; i < whole.n[0]; i++)
                compare(data, &whole, run->time, k, j, i, &off);
    sl_whole_release(&whole);
    sl_measure(out, "density_error", "largest difference of the density from its mean",
               off.density);
    sl_measure(out, "heating",
               "largest difference of the temperature of a cell from that of gas that expands, "
               "over that; exact: 0",
               off.heat);
    sl_measure(out, "field_error",
               "largest difference of the magnetic field from the exact one, over that; exact: 0",
               off.field);
    sl_measure(out, "velocity_error",
               "largest difference of the velocity from the exact one, over that; exact: 0",
               off.velocity);
    return SL_OK;
}

const struct sl_problem sl_problem_expanding_box = {.name = "expanding_box",
                                                    .exact = true,
                                                    .force = "self_gravity",
                                                    .open = open_box,
                                                    .close = close_box,
                                                    .state = state,
                                                    .measure = measure};
