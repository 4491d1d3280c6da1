/* pancake.c - a plane wave of gas in an expanding universe that falls onto itself until sheets of
 * it meet: the exact solution of Zel'dovich, before that.
 *
 * Gas that would be at q in a uniform universe is at x = q - b sin(k q) / k, with k = 2 pi over the
 * box and x, q from its middle along x; b = D(a) / D(a_c) grows as linear theory says, in any
 * cosmology, and is 1 at pancake.redshift, when the density at the middle, 1 / (1 - b), diverges.
 * The flow is so fast that thermal energy is a small difference of large numbers, which asks for
 * fluid.dual_energy. The gas has one entropy, that of pancake.temperature at the mean density at
 * the start, and no pressure that matters.
 *
 * Needs time.unit: redshift, and ends above pancake.redshift; cosmology.t_cmb: 0 leaves the
 * radiation out, as usual.
 *
 * Shapes  none
 * Units   core/cosmo/expansion.h; temperatures in K
 * Errors  SL_EINPUT for a universe that makes no sense
 * Owns    its copy of the expansion
 * MPI     measure is collective
 * Where   host
 * Refs    Zel'dovich 1970; Bryan et al. 1995 (as a test)
 * Tests   tests/law/expansion.c
 */
#include "core/state/problem.h"

#include <math.h>
#include <stdlib.h>

#include "core/cosmo/expansion.h"
#include "core/cosmo/growth.h"
#include "core/cosmo/thermal.h"
#include "core/exact/gauss.h"
#include "core/exact/whole.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(pancake, 0, "plane wave in an expanding universe that collapses along x (Zel'dovich 1970); exact solution; lengths in comoving Mpc/h")
SL_SHOW(pancake, "profiles error", "density velocity_x", "relative_l1")
SL_REAL_KEY(pancake_redshift, "pancake.redshift", "1", 0, 1000, none, "redshift at which the density at the middle diverges")
SL_REAL_KEY(pancake_temperature, "pancake.temperature", "100", 1e-30, 1e30, none, "temperature in K at the start, of gas of the mean density")
SL_RULE(pancake, time_unit, sl_config_expands(cfg), "problem pancake needs an expanding universe; nearest: redshift")
SL_RULE(pancake, time_end, cfg->time_end > cfg->pancake_redshift, "%g is not above pancake.redshift, %g, up to which there is an exact solution", cfg->time_end, cfg->pancake_redshift)
SL_RULE_EXACT_WITH(pancake, self_gravity)
/* clang-format on */

static const double pi = 3.14159265358979323846;

struct pancake {
    struct sl_expansion *e; /* owned */
    int nscalar;
    double k, middle, growth; /* D at the time of collapse */
    double entropy;           /* p / rho^(5/3) */
    struct sl_gauss gauss;
};

/* At one time. */
struct moment {
    double b, speed; /* u = -speed sin(k q) */
};

static void close_pancake(void *data)
{
    struct pancake *w = data;
    if (w) sl_expansion_free(w->e);
    free(w);
}

static int open_pancake(const struct sl_config *cfg, void **data)
{
    struct pancake *w = calloc(1, sizeof *w);
    SL_CHECK(w, SL_EMEM, "no memory for the pancake");
    int code = sl_expansion_new(MPI_COMM_SELF, cfg, &w->e);
    if (code != SL_OK) {
        close_pancake(w);
        return code;
    }
    const struct sl_universe *u = &w->e->u;
    double a = w->e->start, warm = SL_BOLTZMANN_OVER_HYDROGEN / sl_thermal_weight(u->helium) *
                                   cfg->pancake_temperature;
    w->nscalar = (int)cfg->fluid_scalars;
    w->k = 2 * pi / (cfg->mesh_box[1] - cfg->mesh_box[0]);
    w->middle = 0.5 * (cfg->mesh_box[0] + cfg->mesh_box[1]);
    w->growth = sl_growth_at(&u->c, 1 / (1 + cfg->pancake_redshift)).d1;
    w->entropy = warm * a * a / 1e4;
    sl_gauss_init(&w->gauss, 8);
    *data = w;
    return SL_OK;
}

static struct moment moment_at(const struct pancake *w, double tau)
{
    double a = sl_expansion_a(w->e, tau);
    struct sl_growth g = sl_growth_at(&w->e->u.c, a);
    double b = g.d1 / w->growth;
    return (struct moment){b, sl_expansion_rate(w->e, a) * g.f1 * b / w->k};
}

/* q of a place, by bisection until Newton's method is safe. */
static double origin(const struct pancake *w, double b, double x)
{
    double low = x - 1 / w->k, high = x + 1 / w->k, q = x;
    for (int i = 0; i < 100; i++) {
        double off = q - b * sin(w->k * q) / w->k - x;
        if (off > 0)
            high = q;
        else
            low = q;
        double next = q - off / (1 - b * cos(w->k * q));
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - q) <= 1e-15 / w->k) return next;
        q = next;
    }
    return q;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct pancake *w = data;
    struct moment m = moment_at(w, t);
    double from = origin(w, m.b, lo[0] - w->middle), to = origin(w, m.b, hi[0] - w->middle),
           dx = hi[0] - lo[0], warm = 0;
    double momentum = m.speed / w->k * (cos(w->k * to) - cos(w->k * from)) / dx;
    for (int i = 0; i < w->gauss.n; i++) {
        double q = from + w->gauss.x[i] * (to - from);
        warm += w->gauss.w[i] * pow(1 / (1 - m.b * cos(w->k * q)), 2.0 / 3);
    }
    prim[0] = (to - from) / dx;
    prim[1] = momentum / prim[0];
    prim[4] = w->entropy * warm * prim[0];
    for (int i = 0; i < w->nscalar; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct pancake *w = data;
    struct sl_whole whole;
    double off[2] = {0, 0}, size[2] = {0, 0}, peak = 0, least = HUGE_VAL, entropy = 0;
    double in_void = 0, in_middle = 0;
    SL_TRY(sl_whole_init(run, &whole));
    for (int i = 0; i < whole.n[0]; i++) {
        double x = sl_whole_x(&whole, 0, i), prim[SL_PRIM_MAX] = {0};
        double lo[3] = {x - 0.5 * whole.dx[0]}, hi[3] = {x + 0.5 * whole.dx[0]};
        double rho = sl_whole_at(&whole, 0, 0, 0, i), u = sl_whole_at(&whole, 1, 0, 0, i);
        state(w, lo, hi, run->time, prim);
        off[0] += fabs(rho - prim[0]);
        off[1] += fabs(rho * u - prim[0] * prim[1]);
        size[0] += prim[0];
        size[1] += fabs(prim[0] * prim[1]);
        peak = fmax(peak, rho);
        least = fmin(least, rho);
        double now = sl_whole_at(&whole, 4, 0, 0, i) / pow(rho, 5.0 / 3);
        entropy = fmax(entropy, fabs(now / w->entropy - 1));
        double hot = sl_whole_at(&whole, 4, 0, 0, i) * prim[0] / (rho * prim[4]) - 1;
        if (i == 0) in_void = hot;
        if (i == whole.n[0] / 2) in_middle = hot;
    }
    sl_measure(out, "void_heating",
               "temperature over the exact one, less 1, in the first cell of the box", in_void);
    sl_measure(out, "middle_heating",
               "temperature over the exact one, less 1, in the cell at the middle of the box",
               in_middle);
    sl_measure(out, "density_error", "relative L1 error of the density", off[0] / size[0]);
    sl_measure(out, "velocity_error", "relative L1 error of the momentum", off[1] / size[1]);
    sl_measure(out, "density_peak", "largest density", peak);
    sl_measure(out, "density_least", "least density", least);
    sl_measure(out, "entropy_error",
               "largest relative change of the entropy p / rho^(5/3) since the start", entropy);
    sl_whole_release(&whole);
    return SL_OK;
}

const struct sl_problem sl_problem_pancake = {.name = "pancake",
                                              .exact = true,
                                              .force = "self_gravity",
                                              .open = open_pancake,
                                              .close = close_pancake,
                                              .state = state,
                                              .measure = measure};
