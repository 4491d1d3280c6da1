/* pancake.c - a plane wave of gas in an expanding universe that falls onto itself until sheets of
 * it meet: the exact solution of Zel'dovich, before that.
 *
 * Gas that would be at q in a uniform universe is at x = q - b sin(k q) / k, with k = 2 pi over the
 * box and x, q from its middle along x; b = D(a) / D(a_c) grows as linear theory says, in any
 * cosmology, and is 1 at pancake.redshift, when the density at the middle, 1 / (1 - b), diverges.
 * The flow is so fast that thermal energy is a small difference of large numbers, which asks for
 * fluid.dual_energy. The gas has one entropy, that of pancake.temperature at the mean density at
 * the start, and no pressure that matters. A magnetic field (cosmology.field) that is too weak to
 * matter stays as it is along x, and follows the density across it.
 *
 * A share of all matter may be particles (pancake.dark_matter, in a box of three axes): they begin
 * on a lattice in q, move as the gas does, and have their place in the exact solution by their id.
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
#include <string.h>

#include "core/cosmo/expansion.h"
#include "core/cosmo/growth.h"
#include "core/cosmo/thermal.h"
#include "core/exact/gauss.h"
#include "core/exact/whole.h"
#include "core/particles/store.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(pancake, 0, "plane wave in an expanding universe that collapses along x (Zel'dovich 1970); exact solution; lengths in comoving Mpc/h")
SL_SHOW(pancake, "profiles error", "density velocity_x", "relative_l1")
SL_REAL_KEY(pancake_redshift, "pancake.redshift", "1", 0, 1000, none, "redshift at which the density at the middle diverges")
SL_REAL_KEY(pancake_temperature, "pancake.temperature", "100", 1e-30, 1e30, none, "temperature in K at the start, of gas of the mean density")
SL_REAL_KEY(pancake_dark_matter, "pancake.dark_matter", "0", 0, 1, none, "share of all matter that is particles, in a box of three axes; they are particles.spacing cells apart; 1 with fluid.eos: none")
SL_RULE(pancake, time_unit, sl_config_expands(cfg), "problem pancake needs an expanding universe; nearest: redshift")
SL_RULE(pancake, time_end, cfg->time_end > cfg->pancake_redshift, "%g is not above pancake.redshift, %g, up to which there is an exact solution", cfg->time_end, cfg->pancake_redshift)
SL_RULE(pancake, pancake_dark_matter, cfg->pancake_dark_matter < 1 || !sl_config_has_gas(cfg), "%g leaves no gas: fluid.eos: none says that this is meant; nearest: 0.99", cfg->pancake_dark_matter)
SL_RULE(pancake, pancake_dark_matter, cfg->pancake_dark_matter == 1 || sl_config_has_gas(cfg), "%g leaves gas, but fluid.eos: none is a run without; nearest: 1", cfg->pancake_dark_matter)
SL_RULE_EXACT_WITH_OR(pancake, self_gravity, particles)
/* clang-format on */

static const double pi = 3.14159265358979323846;

struct pancake {
    struct sl_expansion *e; /* owned */
    int nscalar;
    double k, middle, growth; /* D at the time of collapse */
    double gamma, power;      /* power = gamma - 1 */
    double entropy;           /* p / rho^gamma at the start, of all matter if it were gas */
    double field[3];          /* a^2 B of the mean density, in gauss */
    double gas;               /* its share of all matter */
    struct sl_gauss gauss;
    struct moment *last; /* owned; of the time that was asked for last */
};

/* At one time. */
struct moment {
    double tau;
    double b, speed; /* u = -speed sin(k q) */
    double entropy, field[3];
};

static void close_pancake(void *data)
{
    struct pancake *w = data;
    if (!w) return;
    sl_expansion_free(w->e);
    free(w->last);
    free(w);
}

static int open_pancake(const struct sl_config *cfg, void **data)
{
    struct pancake *w = calloc(1, sizeof *w);
    if (w) w->last = calloc(1, sizeof *w->last);
    int code = w && w->last ? SL_OK : SL_FAIL(SL_EMEM, "no memory for the pancake");
    if (code == SL_OK) code = sl_expansion_new(MPI_COMM_SELF, cfg, &w->e);
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
    w->gamma = cfg->fluid_gamma;
    w->power = (3 * cfg->fluid_gamma - 3) / 3; /* the nearest to 2/3, of 5/3 */
    memcpy(w->field, cfg->cosmology_field, sizeof w->field);
    w->gas = 1 - cfg->pancake_dark_matter;
    sl_gauss_init(&w->gauss, 8);
    w->last->tau = -1; /* none */
    *data = w;
    return SL_OK;
}

static struct moment moment_at(const struct pancake *w, double tau)
{
    double a = sl_expansion_a(w->e, tau);
    struct sl_growth g = sl_growth_at(&w->e->u.c, a);
    double b = g.d1 / w->growth;
    struct moment m = {tau,
                       b,
                       sl_expansion_rate(w->e, a) * g.f1 * b / w->k,
                       w->entropy * sl_expansion_heat(w->e, w->gamma, a),
                       {0}};
    sl_expansion_field(w->e, a, w->field, m.field);
    return m;
}

/* All cells are asked for at the same time. */
static const struct moment *moment_of(const struct pancake *w, double tau)
{
    if (w->last->tau != tau) *w->last = moment_at(w, tau);
    return w->last;
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
    struct moment m = *moment_of(w, t);
    double from = origin(w, m.b, lo[0] - w->middle), to = origin(w, m.b, hi[0] - w->middle),
           dx = hi[0] - lo[0], warm = 0;
    double momentum = m.speed / w->k * (cos(w->k * to) - cos(w->k * from)) / dx;
    for (int i = 0; i < w->gauss.n; i++) {
        double q = from + w->gauss.x[i] * (to - from);
        warm += w->gauss.w[i] * pow(1 / (1 - m.b * cos(w->k * q)), w->power);
    }
    double rho = (to - from) / dx;
    prim[0] = w->gas * rho;
    prim[1] = momentum / rho;
    prim[4] = m.entropy * warm * prim[0];
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = d == 0 ? m.field[d] : m.field[d] * rho;
    for (int i = 0; i < w->nscalar; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

/* ---- dark matter ----------------------------------------------------------------------------- */

/* The lattice of particles; id: x fastest. */
struct lattice {
    int n[3];
    double step[3];
    uint64_t count;
};

static struct lattice lattice_of(const struct sl_state *run)
{
    const struct sl_mesh_spec *s = &run->mesh->spec;
    struct lattice l = {.count = 1};
    for (int d = 0; d < 3; d++) {
        l.n[d] = s->cells[d] / (int)run->cfg->particles_spacing;
        l.step[d] = (s->hi[d] - s->lo[d]) / l.n[d];
        l.count *= (uint64_t)l.n[d];
    }
    return l;
}

/* Where the particle was before anything moved, from the middle of the box along x. */
static void begun_at(const struct pancake *w, const struct sl_state *run, const struct lattice *l,
                     uint64_t id, double q[3])
{
    const double *lo = run->mesh->spec.lo;
    for (int d = 0; d < 3; d++) {
        q[d] = lo[d] + (double)(id % (uint64_t)l->n[d]) * l->step[d];
        id /= (uint64_t)l->n[d];
    }
    q[0] -= w->middle;
}

static int particles(const void *data, struct sl_state *run)
{
    const struct pancake *w = data;
    const struct lattice l = lattice_of(run);
    const struct moment m = *moment_of(w, 0);
    struct sl_particles *p = run->particles;
    uint64_t rank = (uint64_t)run->mesh->rank, ranks = (uint64_t)run->mesh->size,
             first = l.count * rank / ranks, end = l.count * (rank + 1) / ranks;
    SL_TRY(sl_agree(run->mesh->comm, sl_particles_reserve(p, (size_t)(end - first))));
    p->mass[0] = (1 - w->gas) * l.step[0] * l.step[1] * l.step[2];
    for (uint64_t id = first; id < end; id++) {
        double q[3], v[3] = {0, 0, 0};
        begun_at(w, run, &l, id, q);
        v[0] = -m.speed * sin(w->k * q[0]);
        q[0] += w->middle - m.b * sin(w->k * q[0]) / w->k;
        sl_particles_add(p, q, v, id, 0);
    }
    return SL_OK;
}

/* Root mean squares of how far particles are from where they belong, and of how far they have come
 * at all; likewise of their speeds along x. */
static int measure_particles(const struct pancake *w, const struct sl_state *run,
                             struct sl_measures *out)
{
    const struct sl_particles *p = run->particles;
    const struct lattice l = lattice_of(run);
    const struct moment m = *moment_of(w, run->time);
    const double side = run->mesh->spec.hi[0] - run->mesh->spec.lo[0];
    double sum[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < p->n; i++) {
        double q[3], x = sl_particles_place(p, &p->at[i], 0) - w->middle;
        begun_at(w, run, &l, p->at[i].id, q);
        double wave = sin(w->k * q[0]), moved = m.b * wave / w->k, v = -m.speed * wave;
        sum[0] += pow(remainder(x - q[0] + moved, side), 2), sum[1] += moved * moved;
        sum[2] += pow((double)p->at[i].v[0] - v, 2), sum[3] += v * v;
    }
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, run->mesh->comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "MPI_Allreduce of the errors of particles failed");
    sl_measure(out, "place_error", "rms error of the displacement of particles over its rms",
               sqrt(sum[0] / sum[1]));
    sl_measure(out, "speed_error", "rms error of the velocity of particles over its rms",
               sqrt(sum[2] / sum[3]));
    return SL_OK;
}

/* ---- measures -------------------------------------------------------------------------------- */

/* Largest difference of a component of the field from that which follows the density, over the size
 * of the latter. */
static double field_off(const struct sl_whole *whole, const struct moment *m, int i, double rho)
{
    double off = 0, size = 0;
    for (int d = 0; d < 3; d++) {
        double want = d == 0 ? m->field[d] : m->field[d] * rho;
        off = fmax(off, fabs(sl_whole_at(whole, SL_WHOLE_B + d, 0, 0, i) - want));
        size = fmax(size, fabs(want));
    }
    return size > 0 ? off / size : 0;
}

static int measure_gas(const struct pancake *w, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole whole;
    double off[2] = {0, 0}, size[2] = {0, 0}, peak = 0, least = HUGE_VAL, entropy = 0;
    double in_void = 0, in_middle = 0, frozen = 0;
    const struct moment m = *moment_of(w, run->time);
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
        double now = sl_whole_at(&whole, 4, 0, 0, i) / w->gas / pow(rho / w->gas, w->gamma);
        entropy = fmax(entropy, fabs(now / m.entropy - 1));
        frozen = fmax(frozen, field_off(&whole, &m, i, rho / w->gas));
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
               "largest relative change of the entropy p / rho^gamma since the start", entropy);
    if (run->layout.magnetic >= 0)
        sl_measure(out, "frozen_error",
                   "largest difference of the magnetic field from one that follows the density, "
                   "relative",
                   frozen);
    sl_whole_release(&whole);
    return SL_OK;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    if (run->layout.nvar > 0) SL_TRY(measure_gas(data, run, out));
    return run->particles ? measure_particles(data, run, out) : SL_OK;
}

const struct sl_problem sl_problem_pancake = {.name = "pancake",
                                              .exact = true,
                                              .force = "self_gravity",
                                              .matter = "particles",
                                              .open = open_pancake,
                                              .close = close_pancake,
                                              .state = state,
                                              .particles = particles,
                                              .measure = measure};
