/* masses.c - bodies of gas at rest with nothing around them, whose potential is known: single
 * cells, uniform cubes, uniform spheres. What is tested is the potential and the pull of
 * self-gravity, of one level and across edges of levels, as a run has them.
 *
 * Gas of next to no mass lies around the bodies. In a time so short that nothing moves, its
 * velocity becomes the pull at its place times that time. Choose time.end and fluid.sound_speed so
 * small that no gas of a body gets into the gas around: 1e-15 for bodies and boxes of order one.
 * Potentials are compared where output.potential is true.
 *
 * The pull of a cell on the lattice of the finest level is known there but for rounding where cells
 * are nearly cubes (core/exact/lattice_point.h); all else is compared with bodies in unbounded
 * space, from which cells differ by their size to second order.
 *
 * Refs  Glasser & Boersma 2000 (lattice); MacMillan 1930, section 43 (cube); Schive, Tsai & Chiueh
 *       2010, section 4.4 (pull against distance) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/exact/lattice_point.h"
#include "core/exact/points.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

#define SL_MASSES_SHAPE_LIST(X)                                                                    \
    X(point, "the cell of the finest level that holds the place")                                  \
    X(cube, "a uniform cube")                                                                      \
    X(sphere, "a uniform sphere")

/* clang-format off */
SL_PROBLEM(masses, 0, "bodies of gas at rest, single cells, cubes or spheres, whose potential and pull are known")
SL_SHOW(masses, "profiles", "density", "potential_error pull_error pull_mean far_error")
SL_ENUM_KEY(masses_shape, "masses.shape", "point", SL_MASSES_SHAPE_LIST, "what each body is")
SL_REALS_KEY(masses_at, "masses.at", "[0, 0, 0]", 24, -1e30, 1e30, length, "centres of the bodies, three numbers of each; lists of lists are flattened")
SL_REALS_KEY(masses_mass, "masses.mass", "[1]", 8, 1e-30, 1e30, none, "mass of each body")
SL_REAL_KEY(masses_radius, "masses.radius", "0.25", 1e-30, 1e30, length, "radius of each sphere, half the side of each cube")
SL_REAL_KEY(masses_around, "masses.around", "1e-12", 1e-30, 1e30, none, "density of the gas around: its mass is to be next to nothing, and it must not move: fluid.sound_speed and time.end of 1e-15 see to that")
SL_RULE(masses, fluid_eos, cfg->fluid_eos == SL_EOS_isothermal, "problem masses is one of isothermal gas; nearest: isothermal, with fluid.sound_speed: 1e-15")
SL_RULE(masses, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem masses has no magnetic field; nearest: none")
SL_RULE(masses, gravity_four_pi_g, cfg->gravity_four_pi_g > 0, "problem masses needs gravity of the gas: above 0; nearest: 4*pi")
SL_RULE(masses, gravity_boundary, sl_config_isolated(cfg), "problem masses has nothing around it; nearest: isolated, with mesh.boundary: outflow")
SL_RULE(masses, masses_at, cfg->masses_at_n == 3 * cfg->masses_mass_n, "%d numbers are not three for each of the %d bodies of masses.mass", (int)cfg->masses_at_n, (int)cfg->masses_mass_n)
SL_RULE(masses, masses_at, room_of_masses(cfg) >= 0, "a body reaches %g beyond mesh.box; nearest: places as far inside, or a larger mesh.box", -room_of_masses(cfg))
SL_RULE(masses, masses_radius, cfg->masses_shape != SL_MASSES_SHAPE_sphere || cfg->masses_radius >= (cfg->mesh_box[1] - cfg->mesh_box[0]) / (double)cfg->mesh_cells[0], "%g: a sphere narrower than the cells loses mass; nearest: %g", cfg->masses_radius, (cfg->mesh_box[1] - cfg->mesh_box[0]) / (double)cfg->mesh_cells[0])
SL_RULE(masses, verify, !cfg->verify || !sl_config_asked(cfg, "self_gravity", NULL), "the exact solution of problem masses holds only without %s; nearest: false", sl_config_asked(cfg, "self_gravity", NULL))
/* clang-format on */

static const double pi = 3.14159265358979323846;
enum { POINTS = 8 /* of a cell along an axis */, BODIES = 8 };

/* ---- the start ------------------------------------------------------------------------------- */

/* Share of a cell's width at lo .. hi that lies in a cube, or whether it holds a point. */
static double share_along(const struct sl_config *cfg, double at, double lo, double hi)
{
    double r = cfg->masses_radius;
    if (cfg->masses_shape == SL_MASSES_SHAPE_point) return floor((at - lo) / (hi - lo) + 1e-9) == 0;
    return fmax(0, fmin(hi, at + r) - fmax(lo, at - r)) / (2 * r);
}

static double share_of_sphere(const struct sl_config *cfg, const double at[3], const double lo[3],
                              const double hi[3])
{
    double volume = 1, r = cfg->masses_radius;
    int in = 0;
    for (int q = 0; q < POINTS * POINTS * POINTS; q++) {
        double x[3], r2 = 0;
        sl_cell_point(POINTS, q, lo, hi, x);
        for (int d = 0; d < 3; d++)
            r2 += (x[d] - at[d]) * (x[d] - at[d]);
        in += r2 < r * r;
    }
    for (int d = 0; d < 3; d++)
        volume *= hi[d] - lo[d];
    return in * volume / (POINTS * POINTS * POINTS) / (4 * pi / 3 * r * r * r);
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double rho = cfg->masses_around, volume = 1;
    (void)t;
    for (int d = 0; d < 3; d++)
        volume *= hi[d] - lo[d];
    for (int b = 0; b < cfg->masses_mass_n; b++) {
        const double *at = cfg->masses_at + 3 * b;
        double share = 1;
        if (cfg->masses_shape == SL_MASSES_SHAPE_sphere)
            share = share_of_sphere(cfg, at, lo, hi);
        else
            for (int d = 0; d < 3; d++)
                share *= share_along(cfg, at[d], lo[d], hi[d]);
        rho += cfg->masses_mass[b] * share / volume;
    }
    prim[0] = rho;
    prim[4] = rho * cfg->fluid_sound_speed * cfg->fluid_sound_speed;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

/* ---- what is exact --------------------------------------------------------------------------- */

/* Potential, and pull along each axis. */
struct field {
    double phi, g[3];
};

struct exact {
    const struct sl_config *cfg;
    double h[3], lo[3];         /* cells of the finest level; lower corner of the box */
    struct sl_lattice_point of; /* owned; of points */
};

/* Far from it, or of a sphere outside: G m is 1. */
static struct field of_point(const double x[3])
{
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    struct field f = {-1 / r, {0, 0, 0}};
    for (int d = 0; d < 3; d++)
        f.g[d] = -x[d] / (r * r * r);
    return f;
}

static struct field of_sphere(const double x[3], double radius)
{
    double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], cube = radius * radius * radius;
    struct field f = {-(3 * radius * radius - r2) / (2 * cube), {0, 0, 0}};
    if (r2 > radius * radius) return of_point(x);
    for (int d = 0; d < 3; d++)
        f.g[d] = -x[d] / cube;
    return f;
}

/* log(x + r), r^2 = x^2 + y^2 + z^2. */
static double log_to(double x, double y, double z, double r)
{
    return x > 0 ? log(x + r) : log((y * y + z * z) / (r - x));
}

/* The integral of 1 / r over the box from a place to a corner x, y, z away, and its slope along
 * x. */
static double corner(double x, double y, double z, double *slope)
{
    double r = sqrt(x * x + y * y + z * z), lx = log_to(x, y, z, r), ly = log_to(y, z, x, r);
    double lz = log_to(z, x, y, r), ax = atan(y * z / (x * r));
    double ay = atan(z * x / (y * r)), az = atan(x * y / (z * r));
    *slope = y * lz + z * ly - x * ax;
    return x * y * lz + y * z * lx + z * x * ly - 0.5 * (x * x * ax + y * y * ay + z * z * az);
}

/* A cell's centre may lie in the plane of a side, where terms with that distance vanish. */
static double off_plane(double x, double radius)
{
    return fabs(x) > 1e-12 * radius ? x : 1e-12 * radius;
}

static struct field of_cube(const double x[3], double radius)
{
    struct field f = {0, {0, 0, 0}};
    double per = 1 / (8 * radius * radius * radius);
    for (int q = 0; q < 8; q++) {
        double a[3], slope, sign = (q & 1 ? 1 : -1) * (q & 2 ? 1 : -1) * (q & 4 ? 1 : -1);
        for (int d = 0; d < 3; d++)
            a[d] = off_plane((q >> d & 1 ? radius : -radius) - x[d], radius);
        f.phi -= per * sign * corner(a[0], a[1], a[2], &slope);
        for (int d = 0; d < 3; d++) {
            corner(a[d], a[(d + 1) % 3], a[(d + 2) % 3], &slope);
            f.g[d] -= per * sign * slope;
        }
    }
    return f;
}

/* Whether the table has the offsets of a place and of its neighbours, in whole cells of the finest
 * level. */
static bool on_lattice(const struct exact *e, const double x[3], int off[3])
{
    for (int d = 0; d < 3; d++) {
        double cells = x[d] / e->h[d];
        off[d] = (int)lrint(fmin(fmax(cells, -1e6), 1e6));
        if (fabs(cells - off[d]) > 1e-3 || abs(off[d]) + 1 >= e->of.side) return false;
    }
    return true;
}

static struct field of_cell(const struct exact *e, const int off[3])
{
    double per = 4 * pi / (e->h[0] * e->h[1] * e->h[2]);
    struct field f = {-per * sl_lattice_point_at(&e->of, off[0], off[1], off[2]), {0, 0, 0}};
    for (int d = 0; d < 3; d++) {
        int below[3] = {off[0], off[1], off[2]}, above[3] = {off[0], off[1], off[2]};
        below[d]--, above[d]++;
        f.g[d] = 0.5 * per / e->h[d] *
                 (sl_lattice_point_at(&e->of, above[0], above[1], above[2]) -
                  sl_lattice_point_at(&e->of, below[0], below[1], below[2]));
    }
    return f;
}

/* From the centre of a body; of a point that of the cell that holds it. */
static void from_body(const struct exact *e, int body, const double x[3], double out[3])
{
    for (int d = 0; d < 3; d++) {
        double at = e->cfg->masses_at[3 * body + d];
        if (e->cfg->masses_shape == SL_MASSES_SHAPE_point)
            at = e->lo[d] + (floor((at - e->lo[d]) / e->h[d] + 1e-9) + 0.5) * e->h[d];
        out[d] = x[d] - at;
    }
}

/* Of a body of G m = 1. */
static struct field of_body(const struct exact *e, const double off[3])
{
    int cells[3];
    if (e->cfg->masses_shape == SL_MASSES_SHAPE_cube) return of_cube(off, e->cfg->masses_radius);
    if (e->cfg->masses_shape == SL_MASSES_SHAPE_sphere)
        return of_sphere(off, e->cfg->masses_radius);
    return on_lattice(e, off, cells) ? of_cell(e, cells) : of_point(off);
}

/* Marks the bodies that leaves of the finest level hold. */
static void mark_held(const struct sl_state *fine, int held[BODIES])
{
    const struct sl_config *cfg = fine->cfg;
    const struct sl_mesh *m = fine->mesh;
    for (int block = 0; block < m->nleaf; block++) {
        double lo[3], hi[3], inner[3];
        sl_mesh_cell(m, block, m->g[2], m->g[1], m->g[0], lo, inner);
        sl_mesh_cell(m, block, m->g[2] + m->n[2] - 1, m->g[1] + m->n[1] - 1, m->g[0] + m->n[0] - 1,
                     inner, hi);
        for (int b = 0; b < cfg->masses_mass_n; b++) {
            int in = 1;
            for (int d = 0; d < 3; d++)
                in &= share_along(cfg, cfg->masses_at[3 * b + d], lo[d], hi[d]) > 0;
            held[b] |= in;
        }
    }
}

/* Of a point in a wider cell the exact solution is not known. */
static int check_held(const struct sl_state *run, const struct sl_state *fine)
{
    int held[BODIES] = {0};
    mark_held(fine, held);
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, held, BODIES, MPI_INT, MPI_MAX, run->mesh->comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "cannot compare the bodies of the ranks");
    for (int b = 0; b < run->cfg->masses_mass_n; b++)
        SL_CHECK(
            held[b], SL_EINPUT,
            "masses.at: body %d is in no cell of the finest level there is, of which alone its "
            "pull is known; nearest: a rule of mesh.refine that holds it",
            b + 1);
    return SL_OK;
}

static int open_exact(const struct sl_state *run, struct exact *e)
{
    enum { SIDE = 66 };
    const struct sl_state *fine = run;
    int side = 2;
    while (fine->finer)
        fine = fine->finer;
    *e = (struct exact){.cfg = run->cfg};
    for (int d = 0; d < 3; d++) {
        int cells = run->mesh->spec.cells[d] << fine->mesh->level;
        e->lo[d] = run->mesh->spec.lo[d];
        e->h[d] = sl_mesh_cell_size(fine->mesh, d, fine->mesh->level);
        side = cells + 1 > side ? cells + 1 : side;
    }
    if (e->cfg->masses_shape != SL_MASSES_SHAPE_point) return SL_OK;
    SL_TRY(check_held(run, fine));
    return sl_agree(run->mesh->comm, sl_lattice_point_new(side < SIDE ? side : SIDE, e->h, &e->of));
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Bin number i has distances of 2^i .. 2^(i + 1) cells of the finest level from a single body. */
enum { BINS = 10, FAR = 6 /* cells of the finest level from all bodies */ };
enum { OFF, ALL, FAR_OFF, FAR_ALL, BIN, SUMS = BIN + 3 * BINS };
enum { PHI_OFF, PHI_MOST, PULL_OFF, PULL_MOST, SELF, MOSTS };

struct seen {
    struct exact e;
    double four_pi_g, time;
    double most[MOSTS], sum[SUMS];
};

/* A cell: what is there, what should be, and the distance from the nearest body in cells of the
 * finest level. */
struct look {
    double x[3], volume, phi, g[3];
    bool finest, has_phi;
    struct field want, others;     /* of all bodies; without the nearest one */
    double near, off[3], strength; /* of the nearest: offset, G m */
};

static void add_bodies(const struct seen *s, struct look *l)
{
    const struct sl_config *cfg = s->e.cfg;
    struct field mine = {0, {0, 0, 0}};
    l->near = HUGE_VAL;
    for (int b = 0; b < cfg->masses_mass_n; b++) {
        double off[3], r2 = 0, gm = s->four_pi_g / (4 * pi) * cfg->masses_mass[b];
        from_body(&s->e, b, l->x, off);
        struct field f = of_body(&s->e, off);
        for (int d = 0; d < 3; d++)
            r2 += pow(off[d] / s->e.h[d], 2), f.g[d] *= gm, l->want.g[d] += f.g[d];
        f.phi *= gm, l->want.phi += f.phi;
        if (!(sqrt(r2) < l->near)) continue;
        l->near = sqrt(r2), l->strength = gm, mine = f;
        memcpy(l->off, off, sizeof off);
    }
    for (int d = 0; d < 3; d++)
        l->others.g[d] = l->want.g[d] - mine.g[d];
}

static double norm(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* The pull towards the one body over what it should be. */
static void add_to_bin(const struct look *l, double *sum)
{
    double got = 0, want = 0;
    int bin = (int)floor(log2(l->near));
    if (bin < 0 || bin >= BINS) return;
    for (int d = 0; d < 3; d++)
        got += l->g[d] * l->off[d], want += l->want.g[d] * l->off[d];
    double *to = sum + BIN + 3 * bin;
    to[0] += l->volume;
    to[1] += l->volume * (got / want - 1);
    to[2] += l->volume * (got / want - 1) * (got / want - 1);
}

static void compare(struct seen *s, struct look *l, double *sum)
{
    static const double none[3] = {0, 0, 0};
    bool point = s->e.cfg->masses_shape == SL_MASSES_SHAPE_point;
    add_bodies(s, l);
    double off = norm(l->g, l->want.g), all = norm(l->want.g, none);
    double cell = s->e.h[0] * s->e.h[0] / l->strength;
    if (l->has_phi) {
        s->most[PHI_OFF] = fmax(s->most[PHI_OFF], fabs(l->phi - l->want.phi));
        s->most[PHI_MOST] = fmax(s->most[PHI_MOST], fabs(l->want.phi));
    }
    s->most[PULL_OFF] = fmax(s->most[PULL_OFF], off);
    s->most[PULL_MOST] = fmax(s->most[PULL_MOST], all);
    sum[OFF] += l->volume * off, sum[ALL] += l->volume * all;
    if (point && l->near < 0.5) s->most[SELF] = fmax(s->most[SELF], cell * norm(l->g, l->others.g));
    if (l->finest && l->near >= FAR && all > 0)
        sum[FAR_OFF] += l->volume * pow(off / all, 2), sum[FAR_ALL] += l->volume;
    if (s->e.cfg->masses_mass_n == 1 && l->near >= 0.5) add_to_bin(l, sum);
}

static void look_at(struct seen *s, const struct sl_state *level, int block, int k, int j, int i,
                    double *sum)
{
    const struct sl_mesh *m = level->mesh;
    struct look l = {.volume = 1, .finest = !level->finer, .has_phi = level->potential};
    double lo[3], hi[3], prim[SL_WHOLE_NVAR];
    size_t row = ((size_t)block * (size_t)m->n[2] + (size_t)k) * (size_t)m->n[1] + (size_t)j;
    sl_mesh_cell(m, block, k + m->g[2], j + m->g[1], i + m->g[0], lo, hi);
    sl_whole_prim(level,
                  level->u + sl_mesh_at(m, level->layout.nvar, block, 0, k + m->g[2], j + m->g[1],
                                        i + m->g[0]),
                  m->block_cells, prim);
    for (int d = 0; d < 3; d++) {
        l.x[d] = 0.5 * (lo[d] + hi[d]);
        l.volume *= hi[d] - lo[d];
        l.g[d] = prim[1 + d] / s->time;
    }
    if (l.has_phi) l.phi = (double)level->potential[row * (size_t)m->n[0] + (size_t)i];
    compare(s, &l, sum);
}

static void look_at_block(struct seen *s, const struct sl_state *level, int block, double *sum)
{
    const struct sl_mesh *m = level->mesh;
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++)
            for (int i = 0; i < m->n[0]; i++)
                look_at(s, level, block, k, j, i, sum);
}

/* Sums of all leaves do not depend on ranks. */
static int look(const struct sl_state *run, struct seen *s)
{
    int lines = 0, line = 0;
    double *sums = NULL;
    for (const struct sl_state *l = run; l; l = l->finer)
        lines += l->mesh->nleaf;
    int code = sl_alloc("sums of problem masses", (size_t)lines * SUMS, sizeof *sums, &sums);
    SL_TRY(sl_agree(run->mesh->comm, code));
    for (const struct sl_state *l = run; l; l = l->finer)
        for (int b = 0; b < l->mesh->nleaf; b++)
            look_at_block(s, l, b, sums + (size_t)SUMS * (size_t)line++);
    code = sl_sum_columns(run->mesh->comm, lines, SUMS, sums, s->sum);
    free(sums);
    SL_TRY(code);
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, s->most, MOSTS, MPI_DOUBLE, MPI_MAX, run->mesh->comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "cannot compare the pulls of the ranks");
    return SL_OK;
}

static void tell_bins(const struct seen *s, struct sl_measures *out)
{
    double least = HUGE_VAL, most = 0, scatter = 0;
    for (int i = 0; i < BINS; i++) {
        const double *bin = s->sum + BIN + 3 * i;
        if (!(bin[0] > 0)) continue;
        double mean = bin[1] / bin[0];
        least = fmin(least, 1 + mean), most = fmax(most, 1 + mean);
        scatter = fmax(scatter, sqrt(fmax(0, bin[2] / bin[0] - mean * mean)));
    }
    sl_measure(out, "pull_least",
               "least mean of the pull towards the body over the exact one, of all distances from "
               "2^i to 2^(i + 1) cells of the finest level",
               least);
    sl_measure(out, "pull_most", "largest such mean", most);
    sl_measure(out, "pull_scatter", "largest scatter about such a mean", scatter);
}

static void tell(const struct seen *s, struct sl_measures *out)
{
    bool point = s->e.cfg->masses_shape == SL_MASSES_SHAPE_point;
    if (s->most[PHI_MOST] > 0)
        sl_measure(out, "potential_error",
                   "largest error of the potential over the largest potential",
                   s->most[PHI_OFF] / s->most[PHI_MOST]);
    sl_measure(out, "pull_error", "largest error of the pull over the largest pull",
               s->most[PULL_OFF] / s->most[PULL_MOST]);
    sl_measure(out, "pull_mean", "mean error of the pull over the mean pull",
               s->sum[OFF] / s->sum[ALL]);
    if (!point) return;
    sl_measure(out, "self_pull",
               "largest pull of a body at its own cell, in G m over the square of a cell of the "
               "finest level",
               s->most[SELF]);
    if (s->sum[FAR_ALL] > 0)
        sl_measure(out, "far_error",
                   "rms of the relative error of the pull in cells of the finest level that lie "
                   "six and more of them from all bodies",
                   sqrt(s->sum[FAR_OFF] / s->sum[FAR_ALL]));
    if (s->e.cfg->masses_mass_n == 1) tell_bins(s, out);
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct seen s = {.time = run->time, .four_pi_g = run->cfg->gravity_four_pi_g};
    (void)data;
    if (!(run->time > 0)) return SL_OK;
    SL_TRY(open_exact(run, &s.e));
    int code = look(run, &s);
    sl_lattice_point_release(&s.e.of);
    if (code == SL_OK) tell(&s, out);
    return code;
}

const struct sl_problem sl_problem_masses = {
    .name = "masses", .open = sl_problem_keep, .close = free, .state = state, .measure = measure};
