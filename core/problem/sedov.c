/* sedov.c - a point explosion in a uniform gas, in 1D, 2D or 3D, with the exact solution of Sedov.
 *
 * The energy is that of the whole blast: put the centre into a corner or on a face of a box with
 * reflecting walls there to compute a part of it. It is deposited as pressure in a ball, and cells
 * that the surface of the ball cuts get their exact share.
 *
 * Refs  Sedov 1959; Kamm & Timmes 2007 */
#include <math.h>
#include <stdlib.h>

#include "core/exact/ball.h"
#include "core/exact/blast.h"
#include "core/exact/gauss.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(sedov, 0, "point explosion in 1D, 2D or 3D; exact solution")
SL_SHOW(sedov, "radial profiles error", "density pressure", "relative_l1")
SL_RULE_WALLS(sedov, wall_at(cfg, 0, cfg->sedov_center[0]), wall_at(cfg, 1, cfg->sedov_center[0]),
              wall_at(cfg, 2, cfg->sedov_center[1]), wall_at(cfg, 3, cfg->sedov_center[1]),
              wall_at(cfg, 4, cfg->sedov_center[2]), wall_at(cfg, 5, cfg->sedov_center[2]))
SL_RULE_EXACT(sedov)
SL_RULE_REFINES(sedov)
SL_REAL_KEY(sedov_energy, "sedov.energy", "1", 1e-30, 1e30, none,
            "energy of the whole blast (per area in 1D, per length in 2D)")
SL_REAL_KEY(sedov_radius, "sedov.radius", "0", 0, 1e30, none,
            "radius of the ball that gets the energy; 0: 3.5 cells")
SL_REALS_KEY(sedov_center, "sedov.center", "[0, 0, 0]", 3, -1e30, 1e30, none,
             "place of the explosion")
SL_REAL_KEY(sedov_density, "sedov.density", "1", 1e-30, 1e30, none, "density of the gas")
SL_REAL_KEY(sedov_pressure, "sedov.pressure", "1e-5", 1e-30, 1e30, none,
            "pressure of the gas around; the exact solution has none")
SL_RULE_IDEAL(sedov)
SL_RULE(sedov, fluid_gamma, fabs(cfg->fluid_gamma - 2) > 1e-4,
        "the exact blast is singular at 2; nearest: %s", "2.001")
SL_RULE(sedov, fluid_gamma,
        (cfg->mesh_cells_n + 2) * (cfg->fluid_gamma + 1) >
            2.001 * (2 + cfg->mesh_cells_n * (cfg->fluid_gamma - 1)),
        "%g: the blast is hollow in %d dimensions, no exact solution here", cfg->fluid_gamma,
        cfg->mesh_cells_n)

struct sedov {
    struct sl_blast blast;
    struct sl_gauss gauss; /* of two points */
    int dim, nscalar;
    double center[3], radius, energy, rho0, p0;
    double deposit; /* pressure within the ball at the start */
};

static int set(const struct sl_config *cfg, struct sedov *s)
{
    double cell = 0;
    s->dim = cfg->mesh_cells_n;
    for (int i = 0; i < s->dim; i++) {
        double edge = cfg->mesh_box[2 * i + 1] - cfg->mesh_box[2 * i];
        cell = fmax(cell, edge / (double)cfg->mesh_cells[i]);
        s->center[i] = cfg->sedov_center[i];
    }
    s->nscalar = (int)cfg->fluid_scalars;
    s->radius = cfg->sedov_radius > 0 ? cfg->sedov_radius : 3.5 * cell;
    s->energy = cfg->sedov_energy;
    s->rho0 = cfg->sedov_density;
    s->p0 = cfg->sedov_pressure;
    sl_gauss_init(&s->gauss, 2);
    s->deposit = (cfg->fluid_gamma - 1) * s->energy / sl_ball_volume(s->dim, s->radius);
    return sl_blast_init(&s->blast, cfg->fluid_gamma, s->dim);
}

static int open(const struct sl_config *cfg, void **data)
{
    struct sedov *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "no memory for the Sedov solution");
    int code = set(cfg, s);
    if (code != SL_OK) {
        free(s);
        return code;
    }
    *data = s;
    return SL_OK;
}

static void start(const struct sedov *s, const double lo[3], const double hi[3], double *prim)
{
    prim[0] = s->rho0;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = s->p0 + s->deposit * sl_ball_share(s->dim, lo, hi, s->radius);
}

/* Adds the exact conserved state at x. */
static void add(const struct sedov *s, double shock, double t, const double x[3], double *sum)
{
    double g = s->blast.gamma, speed = 2 * shock / ((s->dim + 2) * t), r = 0, out[3];
    for (int i = 0; i < s->dim; i++)
        r += x[i] * x[i];
    r = sqrt(r);
    if (r >= shock) {
        sum[0] += s->rho0;
        sum[4] += s->p0 / (g - 1);
        return;
    }
    sl_blast_lookup(&s->blast, r / shock, out);
    double rho = out[0] * s->rho0 * (g + 1) / (g - 1), v = out[1] * 2 * speed / (g + 1);
    sum[0] += rho;
    for (int i = 0; i < s->dim; i++)
        sum[1 + i] += r > 0 ? rho * v * x[i] / r : 0;
    sum[4] += out[2] * 2 * s->rho0 * speed * speed / (g * g - 1) + 0.5 * rho * v * v;
}

/* Where point i of n lies along an edge of the cell, from 0 to 1: two are Gauss's, more in the
 * middle of n parts. */
static double node(const struct sedov *s, int n, int i)
{
    return n == 2 ? s->gauss.x[i] : (i + 0.5) / n;
}

/* Mean over n^dim points of the cell. */
static void sample(const struct sedov *s, const double lo[3], const double hi[3], double shock,
                   double t, int n, double *mean)
{
    int nj = s->dim > 1 ? n : 1, nk = s->dim > 2 ? n : 1;
    for (int k = 0; k < nk; k++)
        for (int j = 0; j < nj; j++)
            for (int i = 0; i < n; i++) {
                double x[3] = {lo[0] + node(s, n, i) * (hi[0] - lo[0]),
                               lo[1] + node(s, nj, j) * (hi[1] - lo[1]),
                               lo[2] + node(s, nk, k) * (hi[2] - lo[2])};
                add(s, shock, t, x, mean);
            }
    for (int i = 0; i < 5; i++)
        mean[i] /= (double)n * nj * nk;
}

static void blast_average(const struct sedov *s, const double lo[3], const double hi[3], double t,
                          double *prim)
{
    double near2 = 0, far2 = 0, mean[5] = {0};
    double shock = sl_blast_radius(&s->blast, s->energy, s->rho0, t);
    for (int i = 0; i < s->dim; i++) {
        double close = fmax(fmax(lo[i], -hi[i]), 0), away = fmax(fabs(lo[i]), fabs(hi[i]));
        near2 += close * close;
        far2 += away * away;
    }
    bool out = near2 > shock * shock, cut = !out && far2 > shock * shock;
    sample(s, lo, hi, shock, t, out ? 1 : cut ? 10 : 2, mean);
    prim[0] = mean[0];
    for (int i = 1; i < 4; i++)
        prim[i] = mean[i] / mean[0];
    prim[4] = (s->blast.gamma - 1) *
              (mean[4] - 0.5 * (mean[1] * prim[1] + mean[2] * prim[2] + mean[3] * prim[3]));
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sedov *s = data;
    double a[3] = {0}, b[3] = {0};
    for (int i = 0; i < s->dim; i++) {
        a[i] = lo[i] - s->center[i];
        b[i] = hi[i] - s->center[i];
    }
    if (t > 0)
        blast_average(s, a, b, t, prim);
    else
        start(s, a, b, prim);
    for (int i = 0; i < s->nscalar; i++)
        prim[5 + i] = 1;
}

/* The ball of the start, then the shell behind the shock, where most of the mass is. */
static int refine(const void *data, const double lo[3], const double hi[3], int level, double t)
{
    (void)level;
    const struct sedov *s = data;
    double near2 = 0, far2 = 0, shock = sl_blast_radius(&s->blast, s->energy, s->rho0, t);
    double within = 0.85 * shock, outer = fmax(shock, s->radius);
    for (int i = 0; i < s->dim; i++) {
        double below = lo[i] - s->center[i], above = hi[i] - s->center[i];
        near2 += pow(fmax(fmax(below, -above), 0), 2);
        far2 += pow(fmax(fabs(below), fabs(above)), 2);
    }
    return near2 < outer * outer && far2 > within * within ? 1 : -1;
}

/* What a run shows of the blast, relative to the exact solution. */
struct seen {
    double kinetic, thermal;     /* energy within the box, per cell */
    double center, center_cells; /* pressure within 0.3 R */
    double shell, shell_cells;   /* |error of the pressure| within 0.8725 R .. 0.999 R */
    double nearest, farthest;    /* places of the shock over R, over all directions */
};

static void look(const struct sedov *s, const struct sl_whole *w, double shock, double t, int k,
                 int j, int i, struct seen *seen)
{
    const double x[3] = {sl_whole_x(w, 0, i) - s->center[0], sl_whole_x(w, 1, j) - s->center[1],
                         sl_whole_x(w, 2, k) - s->center[2]};
    double g = s->blast.gamma, p = sl_whole_at(w, 4, k, j, i), speed2 = 0, r = 0, out[3];
    double d = 2 * shock / ((s->dim + 2) * t), p2 = 2 * s->rho0 * d * d / (g + 1);
    for (int a = 0; a < 3; a++) {
        speed2 += pow(sl_whole_at(w, 1 + a, k, j, i), 2);
        r += a < s->dim ? x[a] * x[a] : 0;
    }
    r = sqrt(r) / shock;
    seen->kinetic += 0.5 * sl_whole_at(w, 0, k, j, i) * speed2;
    seen->thermal += (p - s->p0) / (g - 1);
    if (r < 0.3) seen->center += p / p2, seen->center_cells++;
    if (r > 0.8725 && r < 0.999) {
        sl_blast_lookup(&s->blast, r, out);
        seen->shell += fabs(p - p2 * out[2]), seen->shell_cells++;
    }
    /* the shock is where the pressure passes half its peak */
    if (p > 0.5 * p2) seen->farthest = fmax(seen->farthest, r);
    if (p < 0.2 * p2) seen->nearest = fmin(seen->nearest, r);
}

/* Sums over the shells of a cell's thickness, which are counted from the centre. */
struct shell {
    double cells, density, speed, speed2;
};

/* Where the mean density of a shell is largest: that over the density ahead, and how much the speed
 * away from the centre varies there, over its mean. */
static int measure_shells(const struct sedov *s, const struct sl_whole *w, double shock,
                          struct sl_measures *out)
{
    int n = (int)(1.2 * shock / w->dx[0]) + 1, most = 0;
    struct shell *shell = calloc((size_t)n, sizeof *shell);
    SL_CHECK(shell, SL_EMEM, "no memory for the shells of the blast");
    for (int k = 0; k < w->n[2]; k++)
        for (int j = 0; j < w->n[1]; j++)
            for (int i = 0; i < w->n[0]; i++) {
                const double x[3] = {sl_whole_x(w, 0, i) - s->center[0],
                                     sl_whole_x(w, 1, j) - s->center[1],
                                     sl_whole_x(w, 2, k) - s->center[2]};
                double r = 0, v = 0;
                for (int a = 0; a < s->dim; a++) {
                    r += x[a] * x[a];
                    v += x[a] * sl_whole_at(w, 1 + a, k, j, i);
                }
                r = sqrt(r);
                int at = (int)(r / w->dx[0]);
                if (at >= n || r == 0) continue;
                shell[at].cells++;
                shell[at].density += sl_whole_at(w, 0, k, j, i);
                shell[at].speed += v / r;
                shell[at].speed2 += v / r * (v / r);
            }
    for (int i = 0; i < n; i++)
        if (shell[i].density * shell[most].cells > shell[most].density * shell[i].cells) most = i;
    double cells = shell[most].cells, mean = shell[most].speed / cells;
    double spread = sqrt(fmax(0, shell[most].speed2 / cells - mean * mean));
    sl_measure(
        out, "compression",
        "density over that ahead, in the spherical shell, a cell thick, where its mean is largest",
        shell[most].density / cells / s->rho0);
    sl_measure(out, "asphericity",
               "scatter of the radial velocity, over its mean, in the shell where the mean density "
               "is largest",
               spread / mean);
    free(shell);
    return SL_OK;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sedov *s = data;
    struct sl_whole w;
    struct seen seen = {.nearest = 1e30};
    if (run->time <= 0) return SL_OK;
    double shock = sl_blast_radius(&s->blast, s->energy, s->rho0, run->time);
    SL_TRY(sl_whole_init(run, &w));
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++)
                look(s, &w, shock, run->time, k, j, i, &seen);
    int code = measure_shells(s, &w, shock, out);
    sl_whole_release(&w);
    SL_TRY(code);
    double share = seen.kinetic / (seen.kinetic + seen.thermal);
    sl_measure(out, "kinetic_share_error",
               "error of the kinetic fraction of the energy of the blast",
               fabs(share - s->blast.kinetic));
    sl_measure(out, "shock_farthest",
               "largest radius of the shock in any direction, over the exact radius",
               seen.farthest);
    sl_measure(out, "shock_nearest",
               "smallest radius of the shock in any direction, over the exact radius",
               seen.nearest);
    if (seen.center_cells > 0)
        sl_measure(out, "central_pressure_error",
                   "relative error of the mean pressure within 0.3 radii of the shock",
                   fabs(seen.center / seen.center_cells / s->blast.central_pressure - 1));
    if (seen.shell_cells > 0)
        sl_measure(out, "shell_pressure_error",
                   "mean absolute error of the pressure behind the shock (0.87 to 1 radii), over "
                   "the pressure at the shock",
                   seen.shell / seen.shell_cells);
    return SL_OK;
}

const struct sl_problem sl_problem_sedov = {.name = "sedov",
                                            .exact = true,
                                            .open = open,
                                            .close = free,
                                            .state = state,
                                            .refine = refine,
                                            .measure = measure};
