/* bertschinger.c - secondary infall: gas or dark matter falls onto a point-like overdensity in an
 * Einstein-de Sitter universe, shell after shell; gas is stopped by a shock that moves out;
 * self-similar (Bertschinger 1985).
 *
 * The usual start, at ic.redshift, is the flow itself with a turnaround radius of
 * bertschinger.radius; what it has more than the mean is taken from the whole box evenly. With
 * bertschinger.overdensity it is a universe that is uniform and expands evenly but for a ball of
 * that radius. With the comoving radius R of the ball and its overdensity d, shells turn around at
 * the comoving radius (4 / (3 pi))^(8/9) (a / a_i)^(1/3) d^(1/3) R; once that is large beside the
 * ball, and the ball's own rebound is over, nothing remembers the start. The gas has the entropy of
 * bertschinger.temperature at the mean density at the start, and no pressure that matters but
 * behind the shock. Images of the box do harm where the turnaround radius is above an eighth of its
 * side.
 *
 * Without gas (fluid.eos: none) all matter is particles, particles.spacing cells apart in a uniform
 * universe. They begin where shells are that have not met others yet; those that have, within 0.3
 * of the turnaround radius, begin at rest about there, which is forgotten once that radius has
 * grown some times. The shells of a box have less overdensity than in an infinite universe, by the
 * share of its volume that they hold, and none beyond it. That takes 0.7, 1.7, 3 and 5 % of the
 * mass within the turnaround radius where this is 0.06, 0.08, 0.10 and 0.12 of the side: the mass
 * is compared with that of such shells, and in the halo with a solution that is scaled so. They
 * pass through the centre and turn around again, the outermost of them at 0.364 of the turnaround
 * radius, where the density is infinite.
 *
 * Beyond the caustic the mass is right to 1 to 4 %. Within it no particles keep to the flow of the
 * solution, for three reasons. Numbers are of runs of 128^3 cells and 64^3 particles from z = 215,
 * whose turnaround radius is 15 cells at the end, of the mass within 0.2 of it from a = 0.4 on.
 *  - The halo breathes, with a period of 0.3 in ln a, more and more (a spherical instability of
 *    streams: Henriksen & Widrow 1997, 1999). Shells that move along the radius alone, without
 *    any mesh, do so as well: the mass within 0.15 of the turnaround radius goes up and down by
 *    2 % at a = 0.2 and by 5 % at the end where the force is smooth within 0.067 of that radius,
 *    the size of a cell, and by 17 % with half of that. Particles about one of them: errors of
 *    -20 to 3 % within a period, -17 % at the end as it happens, and so with steps of a third;
 *    about a corner of cells half way between particles -9 to 3 %.
 *  - Radial orbits are unstable (MacMillan, Widrow & Henriksen 2006; Vogelsberger et al. 2009;
 *    Vogelsberger, Mohayaee & White 2011). About a place of no symmetry the halo becomes a bar:
 *    axes of the matter from 0.1 of the turnaround radius to the caustic are 1 : 0.95 : 0.91 at
 *    a = 0.12, 1 : 0.77 : 0.74 at 0.3, 1 : 0.7 : 0.6 later, and velocities across the radius
 *    0.19, 0.27 and 0.42 of those along it; beyond the caustic 1 : 0.99 : 0.98 and 0.06 at the
 *    end. The mean error is -10 %, about the corner, where all is octahedral and no bar can
 *    form, -4 %. With a kernel of three cells, whose pull depends on its direction by 5 % at a
 *    cell and not by 18 %, the bar comes later and the halo hardly breathes: 1 : 0.80 : 0.77,
 *    0.24 and -7 % at the end.
 *  - The force is smooth in the central cells, through which all orbits lead: shells without a
 *    mesh lack 4 to 5 % of the mass within three to six such lengths in the mean over a period.
 * So the largest error of one moment depends on the phase, and on the steps: about the corner it is
 * 3 % at the end of 299 steps and 7 % of 417. With 128^3 particles on 256^3 cells, about a
 * particle, the halo breathes by 8 % of its potential energy; errors of the end were below 5 % from
 * four cells on.
 *
 * Needs time.unit: redshift, cosmology.omega_m: 1 and cosmology.t_cmb: 0; fluid.dual_energy, as gas
 * falls in with Mach numbers of hundreds.
 *
 * Shapes  none
 * Units   core/cosmo/expansion.h; temperatures in K
 * Errors  SL_EINPUT for a universe that is not that of Einstein and de Sitter
 * Owns    its copy of the expansion and of the flow
 * MPI     measure is collective
 * Where   host
 * Refs    Bertschinger 1985; Schive, Tsai & Chiueh 2010, section 4.6; Henriksen & Widrow 1997,
 *         1999; MacMillan, Widrow & Henriksen 2006; Vogelsberger et al. 2009; Vogelsberger,
 *         Mohayaee & White 2011
 * Tests   tests/unit/bertschinger.c, pipeline/suite/suite.def
 */
#include "core/state/problem.h"

#include <math.h>
#include <stdlib.h>

#include "core/cosmo/expansion.h"
#include "core/cosmo/thermal.h"
#include "core/exact/ball.h"
#include "core/exact/bertschinger.h"
#include "core/exact/whole.h"
#include "core/particles/store.h"
#include "core/state/leaves.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

/* clang-format off */
SL_PROBLEM(bertschinger, 0, "gas, or dark matter (fluid.eos: none), falls onto a point-like overdensity in an Einstein-de Sitter universe (Bertschinger 1985); exact solution; lengths in comoving Mpc/h")
SL_SHOW(bertschinger, "profiles error", "density pressure", "shock_error density_error pressure_error velocity_error mass_error halo_mass_error caustic_cells")
SL_REAL_KEY(bertschinger_overdensity, "bertschinger.overdensity", "0", 0, 1e12, none, "density of a ball at the start over the mean, less 1; 0: the start is the self-similar flow itself")
SL_REAL_KEY(bertschinger_radius, "bertschinger.radius", "0.05", 1e-30, 1e30, length, "comoving radius at the start: at which shells turn around, or of the ball")
SL_REAL_KEY(bertschinger_temperature, "bertschinger.temperature", "1", 1e-30, 1e30, none, "temperature in K at the start, of gas of the mean density")
SL_REALS_KEY(bertschinger_center, "bertschinger.center", "[0, 0, 0]", 3, -1e30, 1e30, length, "centre of the ball")
SL_RULE(bertschinger, fluid_eos, cfg->fluid_eos == SL_EOS_ideal || !sl_config_has_gas(cfg), "problem bertschinger needs an ideal gas, or none; nearest: ideal")
SL_RULE(bertschinger, bertschinger_overdensity, sl_config_has_gas(cfg) || cfg->bertschinger_overdensity == 0, "%g: particles begin with the flow, without a ball; nearest: 0", cfg->bertschinger_overdensity)
SL_RULE(bertschinger, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem bertschinger has no magnetic field; nearest: none")
SL_RULE(bertschinger, mesh_cells, cfg->mesh_cells_n == 3, "problem bertschinger needs three axes, not %d", cfg->mesh_cells_n)
SL_RULE(bertschinger, time_unit, sl_config_expands(cfg), "problem bertschinger needs an expanding universe; nearest: redshift")
SL_RULE(bertschinger, cosmology_omega_m, fabs(cfg->cosmology_omega_m - 1) < 1e-6, "%g: problem bertschinger is of an Einstein-de Sitter universe; nearest: 1", cfg->cosmology_omega_m)
SL_RULE(bertschinger, cosmology_t_cmb, cfg->cosmology_t_cmb == 0, "%g: problem bertschinger is of a universe without radiation; nearest: 0", cfg->cosmology_t_cmb)
SL_RULE_EXACT_WITH_OR(bertschinger, self_gravity, particles)
/* clang-format on */

static const double pi = 3.14159265358979323846;

struct infall {
    struct sl_expansion *e;       /* owned */
    struct sl_bertschinger *flow; /* owned */
    int nscalar;
    double center[3], side[3];
    double radius, overdensity; /* of the start */
    double added;               /* to the density of the ball, or of the flow, for a mean of 1 */
    double entropy;             /* p / rho^(5/3) of the gas at the start */
    struct moment *last;        /* owned; of the time that was asked for last */
};

/* At one time: the comoving radius where shells turn around, and that over the time in units of
 * velocities. */
struct moment {
    double tau, turn, speed;
};

static void close_infall(void *data)
{
    struct infall *w = data;
    if (w) {
        sl_expansion_free(w->e);
        free(w->flow);
        free(w->last);
    }
    free(w);
}

/* The start; its mean is 1. The flow has 3/20 (6 pi)^(8/3) / 64 of the mass that the turnaround
 * radius holds at the mean density more than a uniform universe: M - lambda^3 where lambda is
 * large. */
static int set_start(const struct sl_config *cfg, struct infall *w)
{
    double volume = 1, more = cfg->bertschinger_overdensity;
    for (int d = 0; d < 3; d++) {
        w->center[d] = cfg->bertschinger_center[d];
        w->side[d] = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
        volume *= w->side[d];
    }
    w->radius = cfg->bertschinger_radius;
    w->overdensity = more;
    if (!(more > 0)) more = 0.15 * pow(6 * pi, 8.0 / 3) / 64;
    w->added = -more * sl_ball_volume(3, w->radius) / volume;
    SL_CHECK(w->added > -0.5, SL_EINPUT,
             "the start of problem bertschinger needs half of the mass of the box, or more: "
             "bertschinger.radius is too large for mesh.box");
    return SL_OK;
}

/* Rules see the keys, which cosmology.file replaces. */
static int check_universe(const struct sl_cosmology *c)
{
    SL_CHECK(fabs(c->omega_m - 1) < 1e-6 && c->omega_r == 0 && c->omega_k == 0, SL_EINPUT,
             "problem bertschinger is of an Einstein-de Sitter universe, and cosmology.file is of "
             "Omega_m %g, Omega_r %g, Omega_k %g; nearest: cosmology.omega_m: 1, t_cmb: 0 and no "
             "file",
             c->omega_m, c->omega_r, c->omega_k);
    return SL_OK;
}

static int prepare(const struct sl_config *cfg, struct infall *w)
{
    SL_TRY(sl_expansion_new(MPI_COMM_SELF, cfg, &w->e));
    SL_TRY(check_universe(&w->e->u.c));
    SL_TRY(sl_bertschinger_new(cfg->fluid_gamma, &w->flow));
    w->nscalar = (int)cfg->fluid_scalars;
    w->last->tau = -1; /* none */
    w->entropy = SL_BOLTZMANN_OVER_HYDROGEN / sl_thermal_weight(w->e->u.helium) *
                 cfg->bertschinger_temperature * w->e->start * w->e->start / 1e4;
    return set_start(cfg, w);
}

static int open_infall(const struct sl_config *cfg, void **data)
{
    struct infall *w = calloc(1, sizeof *w);
    if (w) w->last = calloc(1, sizeof *w->last);
    int code = w && w->last ? SL_OK : SL_FAIL(SL_EMEM, "no memory for problem bertschinger");
    if (code == SL_OK) code = prepare(cfg, w);
    if (code == SL_OK)
        *data = w;
    else
        close_infall(w);
    return code;
}

static struct moment moment_at(const struct infall *w, double tau)
{
    double a = sl_expansion_a(w->e, tau), turn = cbrt(a / w->e->start) * w->radius;
    if (w->overdensity > 0) turn *= pow(4 / (3 * pi), 8.0 / 9) * cbrt(w->overdensity);
    return (struct moment){tau, turn, 1.5 * sl_expansion_rate(w->e, a) * turn};
}

/* All cells are asked for at the same time. */
static const struct moment *moment_of(const struct infall *w, double tau)
{
    if (w->last->tau != tau) *w->last = moment_at(w, tau);
    return w->last;
}

/* From the centre to x, by the shortest way; its length. */
static double offset(const struct infall *w, const double x[3], double off[3])
{
    double r2 = 0;
    for (int d = 0; d < 3; d++) {
        off[d] = remainder(x[d] - w->center[d], w->side[d]);
        r2 += off[d] * off[d];
    }
    return sqrt(r2);
}

/* ---- the state ------------------------------------------------------------------------------- */

/* From the centre to the middle of a cell; its length. */
static double offset_of(const struct infall *w, const double lo[3], const double hi[3],
                        double off[3])
{
    double x[3];
    for (int d = 0; d < 3; d++)
        x[d] = 0.5 * (lo[d] + hi[d]);
    return offset(w, x, off);
}

static void ball(const struct infall *w, const double lo[3], const double hi[3], double *prim)
{
    double from[3], to[3], off[3];
    offset_of(w, lo, hi, off);
    for (int d = 0; d < 3; d++) {
        from[d] = off[d] - 0.5 * (hi[d] - lo[d]);
        to[d] = off[d] + 0.5 * (hi[d] - lo[d]);
    }
    prim[0] = 1 + w->added + w->overdensity * sl_ball_share(3, from, to, w->radius);
    prim[4] = w->entropy * pow(prim[0], 5.0 / 3);
}

/* Adds the density, momentum and pressure at x. */
static void add_point(const struct infall *w, const struct moment *m, const double x[3],
                      double *sum)
{
    double off[3], r = offset(w, x, off), lambda = r / m->turn;
    if (!(r > 0)) return;
    struct sl_bertschinger_point p = sl_bertschinger_at(w->flow, lambda);
    double outward = m->speed * (p.v - 2 * lambda / 3);
    sum[0] += p.rho;
    for (int d = 0; d < 3; d++)
        sum[1 + d] += p.rho * outward * off[d] / r;
    sum[4] += m->speed * m->speed * p.p + w->entropy * pow(p.rho, 5.0 / 3);
}

/* Points along an axis of a cell: the density has a cusp in the centre. */
static int points_of(double r, double side)
{
    return r < 1.5 * side ? 16 : r < 4 * side ? 6 : 2;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct infall *w = data;
    const struct moment m = *moment_of(w, t);
    double x[3], off[3], sum[5] = {0};
    int n = points_of(offset_of(w, lo, hi, off), hi[0] - lo[0]);
    for (int i = 0; i < w->nscalar; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
    if (!(t > 0) && w->overdensity > 0) {
        ball(w, lo, hi, prim);
        return;
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const int at[3] = {i, j, k};
                for (int d = 0; d < 3; d++)
                    x[d] = lo[d] + (at[d] + 0.5) / n * (hi[d] - lo[d]);
                add_point(w, &m, x, sum);
            }
    prim[0] = sum[0] / (n * n * n) + (t > 0 ? 0 : w->added);
    for (int d = 0; d < 3; d++)
        prim[1 + d] = sum[1 + d] / sum[0];
    prim[4] = sum[4] / (n * n * n);
}

/* ---- dark matter ----------------------------------------------------------------------------- */

/* The angle of a cycloid at which angle - sin(angle) is s, by halving. */
static double cycloid(double s)
{
    double low = 0, high = 2 * pi;
    for (int i = 0; i < 60; i++) {
        double angle = 0.5 * (low + high);
        *(angle - sin(angle) < s ? &low : &high) = angle;
    }
    return 0.5 * (low + high);
}

/* Half of the shortest side of the box. */
static double least_side(const struct infall *w)
{
    return 0.5 * fmin(w->side[0], fmin(w->side[1], w->side[2]));
}

/* A shell that was at q, comoving, before anything moved: radius over q, and the radial peculiar
 * velocity over the radius. Its mass is q^3 of that of the turnaround radius at the mean density;
 * what is more in it falls as the share of the box that it holds grows. From `latest` on, an angle
 * less its sine, it rests. */
static double shell_at(const struct infall *w, const struct moment *m, double q, double latest,
                       double *rate)
{
    double left = 1 - pow(q / least_side(w), 3);
    *rate = 0;
    if (!(left > 0)) return 1;
    double mass = pow(fmax(q, 1e-6 * m->turn) / m->turn, 3) / left,
           s = pow(9.0 / 16 * pow(pi, 8.0 / 3) / mass, 1.5), now = fmin(s, latest),
           angle = cycloid(now), up = 1 - cos(angle);
    if (s < latest) *rate = m->speed / m->turn * (sin(angle) * s / (up * up) - 2.0 / 3);
    return 0.5 * up * pow(now / pi, -8.0 / 9) /
           cbrt(9.0 / 16 * pow(pi, 8.0 / 3) * pow(now, -2.0 / 3));
}

static int particles(const void *data, struct sl_state *run)
{
    const struct infall *w = data;
    const struct sl_mesh_spec *spec = &run->mesh->spec;
    const struct moment m = *moment_of(w, 0);
    struct sl_particles *p = run->particles;
    uint64_t count = 1, n[3], rank = (uint64_t)run->mesh->rank, ranks = (uint64_t)run->mesh->size;
    double step[3];
    p->mass[0] = 1;
    for (int d = 0; d < 3; d++) {
        n[d] = (uint64_t)(spec->cells[d] / run->cfg->particles_spacing);
        step[d] = w->side[d] / (double)n[d];
        count *= n[d];
        p->mass[0] *= step[d];
    }
    uint64_t first = count * rank / ranks, end = count * (rank + 1) / ranks;
    SL_TRY(sl_agree(run->mesh->comm, sl_particles_reserve(p, (size_t)(end - first))));
    for (uint64_t id = first; id < end; id++) {
        const uint64_t at[3] = {id % n[0], id / n[0] % n[1], id / n[0] / n[1]};
        double x[3], v[3], off[3], rate;
        for (int d = 0; d < 3; d++)
            x[d] = spec->lo[d] + (double)at[d] * step[d];
        /* at 0.3 of the turnaround radius */
        double ratio = shell_at(w, &m, offset(w, x, off), 1.81 * pi, &rate);
        for (int d = 0; d < 3; d++) {
            x[d] = w->center[d] + ratio * off[d];
            v[d] = rate * ratio * off[d];
        }
        sl_particles_add(p, x, v, id, 0);
    }
    return SL_OK;
}

/* Where the outermost shell turns around that has passed through the centre. */
static const double caustic = 0.364;

/* Mass within a share of the turnaround radius up to the caustic, of the equation of motion of a
 * shell and the mass that all shells have within each other, by turns (Bertschinger 1985, section
 * 4); forces softened within 3e-4. */
static const double within[][2] = {{0.03, 0.7135},  {0.04, 0.8772}, {0.06, 1.1668},  {0.08, 1.4205},
                                   {0.1, 1.6436},   {0.12, 1.8445}, {0.14, 2.0338},  {0.16, 2.2144},
                                   {0.18, 2.4108},  {0.2, 2.5371},  {0.225, 2.7156}, {0.25, 2.9421},
                                   {0.275, 3.0498}, {0.3, 3.1731},  {0.32, 3.2884},  {0.34, 3.4299},
                                   {0.36, 3.6398},  {0.37, 3.835}};
enum { KNOWN = sizeof within / sizeof *within };

/* Mass within a radius that shells fall through for the first time: those of the box, as
 * shell_at has them, which in the end have less mass than in an infinite universe. */
static double mass_falling(const struct infall *w, const struct moment *m, double lambda)
{
    double low = 0, high = least_side(w), rate;
    for (int i = 0; i < 60; i++) {
        double q = 0.5 * (low + high);
        *(q * shell_at(w, m, q, 2 * pi, &rate) < lambda * m->turn ? &low : &high) = q;
    }
    return pow(low / m->turn, 3);
}

/* Within the caustic the box takes from the mass what it takes there. */
static double mass_within(const struct infall *w, const struct moment *m, double lambda)
{
    int i = 1;
    double edge = within[KNOWN - 1][0];
    if (lambda >= edge) return mass_falling(w, m, lambda);
    while (i < KNOWN - 1 && within[i][0] < lambda)
        i++;
    double slope = log(within[i][1] / within[i - 1][1]) / log(within[i][0] / within[i - 1][0]);
    return within[i][1] * pow(lambda / within[i][0], slope) * mass_falling(w, m, edge) /
           sl_bertschinger_at(w->flow, edge).m;
}

/* Cells of the centre that are not compared. */
enum { SKIPPED = 4, BINS = 400 };

/* Particles of all ranks by their distance from the centre, in half cells, and the squares of their
 * velocities along and across the radius within the caustic, in whole parts of that of the
 * turnaround radius: the same in any order. */
struct crowd {
    int64_t number[BINS], along, across;
};

static void add_particle(const struct infall *w, const struct moment *m, double half,
                         const double x[3], const sl_real v[3], struct crowd *sum)
{
    const double parts = 0x1p20 / (m->speed * m->speed);
    double off[3], r = offset(w, x, off), out = 0, all = 0;
    if (r / half < BINS) sum->number[(int)(r / half)]++;
    if (r < 2 * SKIPPED * half || r > caustic * m->turn) return;
    for (int d = 0; d < 3; d++) {
        out += (double)v[d] * off[d] / r;
        all += (double)v[d] * (double)v[d];
    }
    sum->across += llround(parts * fmax(all - out * out, 0));
    out += 2.0 / 3 * m->speed * r / m->turn; /* the expansion */
    sum->along += llround(parts * out * out);
}

static int count_particles(const struct infall *w, const struct sl_state *run,
                           const struct moment *m, double half, struct crowd *sum)
{
    const struct sl_particles *p = run->particles;
    *sum = (struct crowd){0};
    for (size_t i = 0; i < p->n; i++) {
        double x[3];
        for (int d = 0; d < 3; d++)
            x[d] = sl_particles_place(p, &p->at[i], d);
        add_particle(w, m, half, x, p->at[i].v, sum);
    }
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, sum, sizeof *sum / sizeof(int64_t), MPI_INT64_T, MPI_SUM,
                           run->mesh->comm) == MPI_SUCCESS,
             SL_EMPI, "MPI_Allreduce of shells of particles failed");
    return SL_OK;
}

/* The outermost place where shells as thick as a cell have three times the density that falls in:
 * as many streams meet there. */
static double find_caustic(const struct infall *w, const double number[BINS], double half,
                           double turn)
{
    for (int i = BINS - 2; i > 0; i--) {
        double r = (i + 1) * half, out = (r + half) / turn, in = (r - half) / turn;
        double falls = sl_bertschinger_at(w->flow, out).m - sl_bertschinger_at(w->flow, in).m;
        if (out < 0.9 && number[i] + number[i + 1] > 3 * falls) return r;
    }
    return 0;
}

/* Of one moment: bins of half a cell, with their mass over that of the turnaround radius at the
 * mean density. */
struct halo {
    const struct infall *w;
    struct moment m;
    double half, mass[BINS];
};

/* Relative error of the mass within a radius that bins end at. */
static double off_within(const struct halo *h, double r)
{
    double sum = 0;
    int bins = (int)(r / h->half + 0.5);
    for (int i = 0; i < bins && i < BINS; i++)
        sum += h->mass[i];
    return sum / mass_within(h->w, &h->m, bins * h->half / h->m.turn) - 1;
}

/* The largest error between two radii; -1: there is no bin. */
static double worst_between(const struct halo *h, double from, double to)
{
    double worst = -1;
    for (int i = (int)ceil(from / h->half); i <= BINS && i * h->half <= to; i++)
        worst = fmax(worst, fabs(off_within(h, i * h->half)));
    return worst;
}

/* Errors by radius, with their signs. */
#define OFF_LIST(X) X(10) X(15) X(20) X(25) X(30) X(40) X(60) X(80) X(100)

static void report_masses(const struct halo *h, struct sl_measures *out)
{
    double skipped = 2 * SKIPPED * h->half, edge = caustic * h->m.turn,
           falling = worst_between(h, fmax(skipped, edge + 4 * h->half), h->m.turn),
           halo = worst_between(h, skipped, edge);
    if (falling >= 0)
        sl_measure(out, "mass_error",
                   "largest relative error of the mass within radii from two cells beyond the "
                   "outermost caustic, and four from the centre, to the turnaround radius",
                   falling);
    if (halo >= 0)
        sl_measure(out, "halo_mass_error",
                   "largest relative error of the mass within radii from four cells to the "
                   "outermost caustic",
                   halo);
#define OFF(percent)                                                                               \
    if (percent / 100.0 * h->m.turn >= 4 * h->half &&                                              \
        percent / 100.0 * h->m.turn <= BINS * h->half)                                             \
        sl_measure(out, "mass_off_" #percent,                                                      \
                   "relative error of the mass within " #percent                                   \
                   " per cent of the turnaround radius, in bins of half a cell",                   \
                   off_within(h, percent / 100.0 * h->m.turn));
    OFF_LIST(OFF)
#undef OFF
}

static int measure_particles(const struct infall *w, const struct sl_state *run,
                             struct sl_measures *out)
{
    double cell = sl_mesh_cell_size(run->mesh, 0, 0), found;
    struct halo h = {.w = w, .m = *moment_of(w, run->time), .half = 0.5 * cell};
    struct crowd sum;
    SL_TRY(count_particles(w, run, &h.m, h.half, &sum));
    for (int i = 0; i < BINS; i++)
        h.mass[i] = (double)sum.number[i] * run->particles->mass[0] / sl_ball_volume(3, h.m.turn);
    sl_measure(out, "turnaround", "comoving radius at which shells turn around", h.m.turn);
    report_masses(&h, out);
    found = find_caustic(w, h.mass, h.half, h.m.turn);
    if (found > 0)
        sl_measure(out, "caustic_cells", "cells from the outermost caustic to where it should be",
                   fabs(found - caustic * h.m.turn) / cell);
    if (sum.along > 0)
        sl_measure(out, "across",
                   "velocity across the radius over that along it, root mean squares of particles "
                   "from four cells to the outermost caustic; 0 in the exact flow",
                   sqrt((double)sum.across / (double)sum.along));
    return SL_OK;
}

/* ---- measures -------------------------------------------------------------------------------- */

/* Sums over the cells of a shell as thick as a cell of the finest level: volume, radius, size and,
 * of the run and of the exact flow, mass, momentum outward and pressure, by volume. */
enum { VOLUME, RADIUS, SIZE, MASS, MOMENTUM, PRESSURE, EXACT, SUMS = EXACT + 3 };
enum { SHELLS = 400 }; /* most */

struct shells {
    const struct infall *w;
    const struct sl_state *run;
    struct moment m;
    double width;
    int n;
};

static void add_cell(const struct shells *s, const struct sl_state *level, size_t at,
                     const double lo[3], const double hi[3], double *sums)
{
    double x[3], off[3], exact[SL_PRIM_MAX] = {0}, held[SL_WHOLE_NVAR], out[2] = {0, 0};
    double volume = (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]);
    for (int d = 0; d < 3; d++)
        x[d] = 0.5 * (lo[d] + hi[d]);
    double r = offset(s->w, x, off);
    int shell = (int)(r / s->width);
    if (shell >= s->n || !(r > 0)) return;
    sl_whole_prim(level, level->u + at, level->mesh->block_cells, held);
    state(s->w, lo, hi, s->run->time, exact);
    for (int d = 0; d < 3; d++) {
        out[0] += held[1 + d] * off[d] / r;
        out[1] += exact[1 + d] * off[d] / r;
    }
    const double add[SUMS] = {1,       r,        hi[0] - lo[0],     held[0], held[0] * out[0],
                              held[4], exact[0], exact[0] * out[1], exact[4]};
    for (int i = 0; i < SUMS; i++)
        sums[shell * SUMS + i] += volume * add[i];
}

static void add_block(const struct shells *s, const struct sl_state *level, int block, double *sums)
{
    const struct sl_mesh *mesh = level->mesh;
    double lo[3], hi[3];
    for (int k = mesh->g[2]; k < mesh->g[2] + mesh->n[2]; k++)
        for (int j = mesh->g[1]; j < mesh->g[1] + mesh->n[1]; j++)
            for (int i = mesh->g[0]; i < mesh->g[0] + mesh->n[0]; i++) {
                sl_mesh_cell(mesh, block, k, j, i, lo, hi);
                add_cell(s, level, sl_mesh_at(mesh, level->layout.nvar, block, 0, k, j, i), lo, hi,
                         sums);
            }
}

/* Whether a block reaches into the shells. */
static bool reaches(const struct shells *s, const struct sl_mesh *mesh, int block)
{
    double lo[3], hi[3], last[3], x[3], off[3], half = 0;
    sl_mesh_cell(mesh, block, mesh->g[2], mesh->g[1], mesh->g[0], lo, last);
    sl_mesh_cell(mesh, block, mesh->g[2] + mesh->n[2] - 1, mesh->g[1] + mesh->n[1] - 1,
                 mesh->g[0] + mesh->n[0] - 1, last, hi);
    for (int d = 0; d < 3; d++) {
        x[d] = 0.5 * (lo[d] + hi[d]);
        half += 0.25 * (hi[d] - lo[d]) * (hi[d] - lo[d]);
    }
    return offset(s->w, x, off) - sqrt(half) < s->n * s->width;
}

/* A line of sums for each own leaf that has cells in the shells; total[shell][SUMS]. */
static int sum_shells(const struct shells *s, double *total)
{
    int lines = 0, columns = s->n * SUMS;
    double *sums;
    for (const struct sl_state *l = s->run; l; l = l->finer)
        for (int b = 0; b < l->mesh->nleaf; b++)
            lines += reaches(s, l->mesh, b);
    int code = sl_alloc("shells of problem bertschinger", (size_t)lines * (size_t)columns,
                        sizeof *sums, &sums);
    SL_TRY(sl_agree(s->run->mesh->comm, code));
    double *line = sums;
    for (const struct sl_state *l = s->run; l; l = l->finer)
        for (int b = 0; b < l->mesh->nleaf; b++)
            if (reaches(s, l->mesh, b)) {
                add_block(s, l, b, line);
                line += columns;
            }
    code = sl_sum_columns(s->run->mesh->comm, lines, columns, sums, total);
    free(sums);
    return code;
}

/* Radius of the shock: where the pressure falls below half of that behind it, from outside. */
static double shock_at(const struct shells *s, const double *total)
{
    double edge = sl_bertschinger_shock(s->w->flow),
           half =
               0.5 * s->m.speed * s->m.speed * sl_bertschinger_at(s->w->flow, edge * (1 - 1e-12)).p,
           r0 = 0, p0 = 0;
    for (int i = s->n - 1; i >= 0; i--) {
        const double *sum = total + i * SUMS;
        if (!(sum[VOLUME] > 0)) continue;
        double r = sum[RADIUS] / sum[VOLUME], p = sum[PRESSURE] / sum[VOLUME];
        if (p > half && r0 > 0) return r + (p - half) / (p - p0) * (r0 - r);
        if (p > half) break;
        r0 = r;
        p0 = p;
    }
    return 0;
}

/* Adds what a shell is off to the sums of the three variables; those of cells that the shock is in
 * or beside are left out. */
static void compare_shell(const struct shells *s, const double *sum, double off[3], double count[3])
{
    double shock = sl_bertschinger_shock(s->w->flow) * s->m.turn, r = sum[RADIUS] / sum[VOLUME],
           size = sum[SIZE] / sum[VOLUME],
           fall = -s->m.speed * (sl_bertschinger_at(s->w->flow, shock / s->m.turn * (1 + 1e-12)).v -
                                 2 * shock / s->m.turn / 3);
    if (r < SKIPPED * s->width || fabs(r - shock) < 2 * size || r > 0.9 * s->m.turn) return;
    double now = sum[MOMENTUM] / sum[MASS], want = sum[EXACT + 1] / sum[EXACT];
    off[0] += fabs(sum[MASS] / sum[EXACT] - 1);
    off[1] += fabs(now - want) / fall;
    count[0] += 1;
    count[1] += 1;
    if (r > shock) return;
    off[2] += fabs(sum[PRESSURE] / sum[EXACT + 2] - 1);
    count[2] += 1;
}

static void report(const struct shells *s, const double *total, struct sl_measures *out)
{
    double off[3] = {0}, count[3] = {0},
           shock = shock_at(s, total) / (sl_bertschinger_shock(s->w->flow) * s->m.turn);
    for (int i = 0; i < s->n; i++)
        if (total[i * SUMS + VOLUME] > 0) compare_shell(s, total + i * SUMS, off, count);
    sl_measure(out, "turnaround", "comoving radius at which shells turn around", s->m.turn);
    sl_measure(out, "shock_cells", "cells of the finest level from the centre to the exact shock",
               sl_bertschinger_shock(s->w->flow) * s->m.turn / s->width);
    sl_measure(out, "shock_error", "relative error of the radius of the shock", fabs(shock - 1));
    if (count[0] > 0)
        sl_measure(out, "density_error",
                   "mean relative error of the density in shells from the fourth to 0.9 of the "
                   "turnaround radius, without those within two cells of the shock",
                   off[0] / count[0]);
    if (count[1] > 0)
        sl_measure(out, "velocity_error",
                   "the same of the radial velocity, over that of the gas that falls into the "
                   "shock",
                   off[1] / count[1]);
    if (count[2] > 0)
        sl_measure(out, "pressure_error", "the same of the pressure, within the shock",
                   off[2] / count[2]);
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct infall *w = data;
    if (!(run->time > 0)) return SL_OK;
    if (run->particles) return measure_particles(w, run, out);
    struct shells s = {.w = w, .run = run, .m = *moment_of(w, run->time)};
    s.width = sl_mesh_cell_size(run->mesh, 0, (int)run->cfg->mesh_levels);
    double shells = ceil(1.1 * s.m.turn / s.width), *total;
    s.n = shells < SHELLS ? (int)shells : SHELLS;
    SL_TRY(sl_alloc("shells of problem bertschinger", (size_t)s.n * SUMS, sizeof *total, &total));
    int code = sum_shells(&s, total);
    if (code == SL_OK) report(&s, total, out);
    free(total);
    return code;
}

const struct sl_problem sl_problem_bertschinger = {.name = "bertschinger",
                                                   .exact = true,
                                                   .force = "self_gravity",
                                                   .matter = "particles",
                                                   .open = open_infall,
                                                   .close = close_infall,
                                                   .state = state,
                                                   .particles = particles,
                                                   .measure = measure};
