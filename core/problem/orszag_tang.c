/* orszag_tang.c - the vortex of Orszag & Tang 1979: smooth at first, then shocks that cross.
 *
 * As published by Londrillo & Del Zanna 2000: box [0, 1]^2, periodic, fluid.gamma 5/3. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/half_turn.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(orszag_tang, 0, "vortex of Orszag & Tang (1979), 2D")
SL_SHOW(orszag_tang, "energies spectra", "density pressure vorticity magnetic", "asymmetry")
SL_RULE_FIELD(orszag_tang)
SL_RULE_IDEAL(orszag_tang)
SL_RULE_PLANE(orszag_tang)

enum { NCUT = 64, PRESSURE = 4 };

static const double pi = 3.14159265358979323846;
static const double converged[2 * NCUT] = {
#include "core/exact/orszag_tang.def"
};

/* Average of sin(2 pi n x) from lo to hi. */
static double mean_sine(int n, double lo, double hi)
{
    double k = 2 * pi * n;
    return sin(0.5 * k * (lo + hi)) * sin(0.5 * k * (hi - lo)) / (0.5 * k * (hi - lo));
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double b0 = 1 / sqrt(4 * pi);
    (void)t;
    prim[0] = 25 / (36 * pi);
    prim[1] = -mean_sine(1, lo[1], hi[1]);
    prim[2] = mean_sine(1, lo[0], hi[0]);
    prim[3] = 0;
    prim[4] = 5 / (12 * pi);
    prim[SL_PRIM_B] = -b0 * mean_sine(1, lo[1], hi[1]);
    prim[SL_PRIM_B + 1] = b0 * mean_sine(2, lo[0], hi[0]);
    prim[SL_PRIM_B + 2] = 0;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = 0.5 * (lo[0] + hi[0]) < 0.5;
}

/* A_z alone; averages along z are values. */
static double potential(const void *data, int axis, const double lo[3], const double hi[3],
                        double t)
{
    (void)data, (void)hi, (void)t;
    double b0 = 1 / sqrt(4 * pi);
    return axis < 2 ? 0 : b0 / (4 * pi) * (cos(4 * pi * lo[0]) + 2 * cos(2 * pi * lo[1]));
}

/* Distance of the pressure along y, linear between rows, from the converged cut. */
static double cut_error(const struct sl_whole *w, double y, const double *want)
{
    double row = y * w->n[1] - 0.5, error = 0, norm = 0;
    int j = (int)floor(row), per = w->n[0] / NCUT;
    for (int c = 0; c < NCUT; c++) {
        double mean = 0;
        for (int i = c * per; i < (c + 1) * per; i++)
            mean += (1 - (row - j)) * sl_whole_at(w, PRESSURE, 0, j, i) +
                    (row - j) * sl_whole_at(w, PRESSURE, 0, j + 1, i);
        error += fabs(mean / per - want[c]);
        norm += fabs(want[c]);
    }
    return error / norm;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    (void)data;
    if (run->mesh->dim != 2) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    if (fabs(run->time - 0.5) < 1e-9 && w.n[0] % NCUT == 0 && w.n[1] > 1) {
        sl_measure(out, "cut_1",
                   "relative L1 difference of the pressure along y = 0.3125 from a converged run, "
                   "at t = 0.5",
                   cut_error(&w, 0.3125, converged));
        sl_measure(out, "cut_2",
                   "relative L1 difference of the pressure along y = 0.4277 from a converged run, "
                   "at t = 0.5",
                   cut_error(&w, 0.4277, converged + NCUT));
    }
    sl_half_turn_measure(&w, out);
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_orszag_tang = {.name = "orszag_tang",
                                                  .open = sl_problem_keep,
                                                  .close = free,
                                                  .state = state,
                                                  .potential = potential,
                                                  .measure = measure};
