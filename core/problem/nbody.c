/* nbody.c - particles in a static box, with nothing else in it.
 *
 * Use it for any start of one's own: particles.file has places, velocities and masses in code
 * units, gravity.four_pi_g the strength of their gravity, in a box that is periodic, or isolated
 * (gravity.boundary). There is no gas (fluid.eos: none), neither in memory nor in the time that a
 * step takes.
 *
 * nbody.profile makes a start instead, with nothing around it: a sphere of stars in equilibrium in
 * the force of the mesh (core/exact/sphere.h), which ends a few cells before the sides of the box
 * and should stay as it is; or a pair of bodies on a circle. The stars of a sphere are a quiet
 * choice: masses within them, speeds and angles of their motion to their radius fill their ranges
 * evenly (Roberts's sequence, from a place that is the seed's), directions are random. Their centre
 * is at rest. time.unit: crossing is that of Heggie & Mathieu, G M^(5/2) / (2 |E|)^(3/2), 6.3 times
 * (radius^3 / G M)^(1/2) for Plummer's sphere and 14.7 for Hernquist's, without an edge; one turn
 * of a pair.
 *
 * Refs  Heggie & Mathieu 1986; core/exact/sphere.h */
#include "core/state/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/exact/sphere.h"
#include "core/io/particle_file.h"
#include "core/particles/store.h"
#include "core/state/state.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

#define SL_NBODY_PROFILE_LIST(X)                                                                   \
    X(file, "those of particles.file")                                                             \
    X(plummer, "a sphere of Plummer's density in equilibrium")                                     \
    X(hernquist, "a sphere of Hernquist's density in equilibrium")                                 \
    X(pair, "two bodies of equal mass on a circle")

/* clang-format off */
SL_PROBLEM(nbody, 0, "particles of particles.file, of a sphere in equilibrium, or two on a circle, that attract each other, without gas")
SL_SHOW(nbody, "energies error", "density", "radius_50_error radius_10_error radius_90_error radius_error energy_error")
SL_ENUM_KEY(nbody_profile, "nbody.profile", "file", SL_NBODY_PROFILE_LIST, "which particles")
SL_INT_KEY(nbody_particles, "nbody.particles", "20000", 100, 1e9, none, "number of particles of a sphere")
SL_REAL_KEY(nbody_radius, "nbody.radius", "1", 1e-30, 1e30, length, "scale radius of the density of a sphere; distance of a pair")
SL_REAL_KEY(nbody_mass, "nbody.mass", "1", 1e-30, 1e30, none, "mass of all particles of a sphere or a pair")
SL_REALS_KEY(nbody_center, "nbody.center", "[0, 0, 0]", 3, -1e30, 1e30, length, "centre of the sphere or pair")
SL_RULE(nbody, fluid_eos, !sl_config_has_gas(cfg), "problem nbody has no gas; nearest: none")
SL_RULE(nbody, particles_file, cfg->nbody_profile != SL_NBODY_PROFILE_file || cfg->particles_file[0], "problem nbody needs the file of its particles, or nbody.profile: plummer, hernquist or pair")
SL_RULE(nbody, nbody_profile, cfg->nbody_profile == SL_NBODY_PROFILE_file || !cfg->particles_file[0], "makes particles, and particles.file has some; nearest: file")
SL_RULE(nbody, time_unit, !sl_config_expands(cfg), "problem nbody is in a static box; nearest: code")
SL_RULE(nbody, time_unit, cfg->time_unit != SL_TIME_UNIT_crossing || cfg->nbody_profile != SL_NBODY_PROFILE_file, "problem nbody has a crossing time with nbody.profile alone, not of particles.file; nearest: code")
SL_RULE(nbody, gravity_four_pi_g, cfg->nbody_profile == SL_NBODY_PROFILE_file || cfg->gravity_four_pi_g > 0, "nbody.profile needs gravity: above 0; nearest: 4*pi")
SL_RULE(nbody, gravity_boundary, cfg->nbody_profile == SL_NBODY_PROFILE_file || sl_config_isolated(cfg), "nbody.profile has nothing around it; nearest: isolated, with mesh.boundary: outflow")
SL_RULE(nbody, nbody_center, cfg->nbody_profile == SL_NBODY_PROFILE_file || room_around(cfg, cfg->nbody_center, SL_KERNEL_REACH) > 0, "is beyond mesh.box or within three cells of its sides; nearest: the middle, [%g, %g, %g]", 0.5 * (cfg->mesh_box[0] + cfg->mesh_box[1]), 0.5 * (cfg->mesh_box[2] + cfg->mesh_box[3]), 0.5 * (cfg->mesh_box[4] + cfg->mesh_box[5]))
SL_RULE(nbody, nbody_radius, cfg->nbody_profile == SL_NBODY_PROFILE_file || room_around(cfg, cfg->nbody_center, SL_KERNEL_REACH) <= 0 || room_around(cfg, cfg->nbody_center, SL_KERNEL_REACH) >= (cfg->nbody_profile == SL_NBODY_PROFILE_pair ? 0.5 : 4) * cfg->nbody_radius, "%g is too large for mesh.box, or nbody.center too near a side: a sphere needs four such radii to three cells from the sides, a pair half of one; nearest: %g", cfg->nbody_radius, fmax(0, room_around(cfg, cfg->nbody_center, SL_KERNEL_REACH)) / (cfg->nbody_profile == SL_NBODY_PROFILE_pair ? 0.5 : 4))
SL_RULE(nbody, verify, !cfg->verify || cfg->nbody_profile != SL_NBODY_PROFILE_file, "problem nbody has no known answer to compare with but of nbody.profile; nearest: false")
/* clang-format on */

static const double pi = 3.14159265358979323846;

struct start {
    const struct sl_config *cfg; /* borrowed */
    struct sl_sphere *sphere;    /* owned; NULL: there is none */
    double speed;                /* (G M / radius)^(1/2) */
    double cell;                 /* its longest side */
};

static bool of_file(const struct sl_config *cfg)
{
    return cfg->nbody_profile == SL_NBODY_PROFILE_file;
}

static bool is_pair(const struct sl_config *cfg)
{
    return cfg->nbody_profile == SL_NBODY_PROFILE_pair;
}

static void close_start(void *data)
{
    struct start *s = data;
    if (s) free(s->sphere);
    free(s);
}

/* The edge: as far as the sides let it be, between which and it kernels have room. */
static int open_sphere(struct start *s)
{
    const struct sl_config *cfg = s->cfg;
    double edge = HUGE_VAL, widest = 0;
    for (int d = 0; d < 3; d++) {
        const double *side = cfg->mesh_box + (size_t)(2 * d);
        double cell = (side[1] - side[0]) / (double)cfg->mesh_cells[d], at = cfg->nbody_center[d];
        edge = fmin(edge, fmin(at - side[0], side[1] - at) - SL_KERNEL_REACH * cell);
        widest = fmax(widest, cell);
    }
    s->cell = widest;
    return sl_sphere_new(
        cfg->nbody_profile == SL_NBODY_PROFILE_hernquist, edge / cfg->nbody_radius,
        widest / cfg->nbody_radius * sl_sphere_smoothing((int)cfg->particles_kernel), &s->sphere);
}

static int open_start(const struct sl_config *cfg, void **data)
{
    struct start *s;
    SL_TRY(sl_alloc("problem nbody", 1, sizeof *s, &s));
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
    s->speed = sqrt(cfg->gravity_four_pi_g / (4 * pi) * cfg->nbody_mass / cfg->nbody_radius);
    int code = of_file(cfg) || is_pair(cfg) ? SL_OK : open_sphere(s);
    if (code == SL_OK)
        *data = s;
    else
        close_start(s);
    return code;
}

static double crossing(const void *data)
{
    const struct start *s = data;
    double time = s->cfg->nbody_radius / s->speed;
    if (is_pair(s->cfg)) return 2 * pi * time;
    return time * pow(s->cfg->nbody_profile == SL_NBODY_PROFILE_hernquist ? 6 : 32 / (3 * pi), 1.5);
}

/* ---- stars ----------------------------------------------------------------------------------- */

struct star {
    double x[3], v[3];
};

static void direction(uint64_t up, uint64_t round, double out[3])
{
    double z = 2 * sl_random_unit(up) - 1, angle = 2 * pi * sl_random_unit(round);
    out[0] = sqrt(1 - z * z) * cos(angle);
    out[1] = sqrt(1 - z * z) * sin(angle);
    out[2] = z;
}

/* A direction at this cosine to n, turned about it by an angle from any other direction. */
static void tilt(const double n[3], double cosine, const double any[3], double out[3])
{
    double along = 0, across = 0, side[3];
    for (int d = 0; d < 3; d++)
        along += any[d] * n[d];
    for (int d = 0; d < 3; d++) {
        side[d] = any[d] - along * n[d];
        across += side[d] * side[d];
    }
    for (int d = 0; d < 3; d++)
        out[d] = cosine * n[d] + sqrt((1 - cosine * cosine) / across) * side[d];
}

/* Star i about the centre of the sphere. */
static struct star draw(const struct start *s, int64_t i)
{
    static const double step[] = {0.7548776662466927, 0.5698402909980532}; /* Roberts, in 2 axes */
    const struct sl_config *cfg = s->cfg;
    struct sl_random_name name = {(uint64_t)cfg->seed, SL_RANDOM_STARS, 0, {i, 0, 0}},
                          first = {(uint64_t)cfg->seed, SL_RANDOM_STARS, 1, {0, 0, 0}};
    uint64_t bits[4], begun[4];
    struct star star;
    double part[2], out[3], any[3], way[3];
    sl_random_bits(&name, 0, bits);
    sl_random_bits(&first, 0, begun);
    for (int k = 0; k < 2; k++)
        part[k] = fmod(sl_random_unit(begun[k]) + (double)i * step[k], 1);
    double r = sl_sphere_radius(s->sphere, ((double)i + 0.5) / (double)cfg->nbody_particles),
           speed = sl_sphere_speed(s->sphere, r, part[0]) * s->speed;
    direction(bits[0], bits[1], out);
    direction(bits[2], bits[3], any);
    tilt(out, 2 * part[1] - 1, any, way);
    for (int d = 0; d < 3; d++) {
        star.x[d] = r * cfg->nbody_radius * out[d];
        star.v[d] = speed * way[d];
    }
    return star;
}

/* Half of the pair: 0 or 1. */
static struct star body(const struct start *s, int64_t i)
{
    double side = i ? 0.5 : -0.5;
    return (struct star){{side * s->cfg->nbody_radius, 0, 0}, {0, side * s->speed, 0}};
}

static int64_t number(const struct start *s)
{
    return is_pair(s->cfg) ? 2 : s->cfg->nbody_particles;
}

/* Where the centre of all of them would be, and its velocity: the same on all ranks. */
static struct star centre_of(const struct start *s)
{
    struct star sum = {{0, 0, 0}, {0, 0, 0}};
    int64_t n = number(s);
    if (is_pair(s->cfg)) return sum;
    for (int64_t i = 0; i < n; i++) {
        struct star star = draw(s, i);
        for (int d = 0; d < 3; d++) {
            sum.x[d] += star.x[d] / (double)n;
            sum.v[d] += star.v[d] / (double)n;
        }
    }
    return sum;
}

static int particles(const void *data, struct sl_state *run)
{
    const struct start *s = data;
    struct sl_particles *p = run->particles;
    int64_t n = number(s), rank = run->mesh->rank, ranks = run->mesh->size;
    if (of_file(s->cfg)) return sl_particle_file_read(s->cfg->particles_file, p);
    int64_t first = n * rank / ranks, end = n * (rank + 1) / ranks;
    SL_TRY(sl_agree(run->mesh->comm, sl_particles_reserve(p, (size_t)(end - first))));
    p->mass[0] = s->cfg->nbody_mass / (double)n;
    const struct star centre = centre_of(s);
    for (int64_t i = first; i < end; i++) {
        struct star star = is_pair(s->cfg) ? body(s, i) : draw(s, i);
        for (int d = 0; d < 3; d++) {
            star.x[d] += s->cfg->nbody_center[d] - centre.x[d];
            star.v[d] -= centre.v[d];
        }
        sl_particles_add(p, star.x, star.v, (uint64_t)i, 0);
    }
    return SL_OK;
}

/* ---- measures -------------------------------------------------------------------------------- */

static int add_ranks(const struct sl_state *run, int n, double *sum)
{
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_DOUBLE, MPI_SUM, run->mesh->comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "MPI_Allreduce of sums over particles failed");
    return SL_OK;
}

/* From the centre to a particle; the distance. */
static double offset(const struct start *s, const struct sl_particles *p,
                     const struct sl_particle *q, double off[3])
{
    double r2 = 0;
    for (int d = 0; d < 3; d++) {
        off[d] = sl_particles_place(p, q, d) - s->cfg->nbody_center[d];
        r2 += off[d] * off[d];
    }
    return sqrt(r2);
}

/* The number of particles within r of the centre, and the sum of their ways from it. */
static int within(const struct start *s, const struct sl_state *run, double r, double sum[4])
{
    const struct sl_particles *p = run->particles;
    double off[3];
    memset(sum, 0, 4 * sizeof *sum);
    for (size_t i = 0; i < p->n; i++) {
        if (!(offset(s, p, &p->at[i], off) < r)) continue;
        sum[3] += 1;
        for (int d = 0; d < 3; d++)
            sum[d] += off[d];
    }
    return add_ranks(run, 4, sum);
}

/* The radius that holds this share of the particles of the start; who is gone is beyond. */
static int radius_now(const struct start *s, const struct sl_state *run, double share, double *out)
{
    const struct sl_mesh_spec *m = &run->mesh->spec;
    double low = 0, high = 0, sum[4];
    for (int d = 0; d < 3; d++)
        high += m->hi[d] - m->lo[d];
    for (int i = 0; i < 40; i++) {
        *out = 0.5 * (low + high);
        SL_TRY(within(s, run, *out, sum));
        *(sum[3] < share * (double)s->cfg->nbody_particles ? &low : &high) = *out;
    }
    return SL_OK;
}

static int measure_sphere(const struct start *s, const struct sl_state *run,
                          struct sl_measures *out)
{
    static const struct {
        double share;
        const char *name, *meaning;
    } row[] = {
        {0.1, "radius_10_error", "change of the radius that holds 10 % of the mass, relative"},
        {0.5, "radius_50_error", "change of the radius that holds 50 % of the mass, relative"},
        {0.9, "radius_90_error", "change of the radius that holds 90 % of the mass, relative"}};
    double sum[4], half = sl_sphere_radius(s->sphere, 0.5) * s->cfg->nbody_radius;
    for (int i = 0; i < 3; i++) {
        double now, then = sl_sphere_radius(s->sphere, row[i].share) * s->cfg->nbody_radius;
        SL_TRY(radius_now(s, run, row[i].share, &now));
        sl_measure(out, row[i].name, row[i].meaning, fabs(now / then - 1));
    }
    SL_TRY(within(s, run, half, sum));
    double off = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / fmax(sum[3], 1);
    sl_measure(out, "centre_cells",
               "cells between the centre and that of the mass within half of the mass of the start",
               off / s->cell);
    return SL_OK;
}

/* Distance of the two, and the energy of their motion about each other by Newton's law. */
static int measure_pair(const struct start *s, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_particles *p = run->particles;
    double sum[6] = {0}, r2 = 0, v2 = 0;
    for (size_t i = 0; i < p->n; i++)
        for (int d = 0; d < 3; d++) {
            double side = p->at[i].id ? 1 : -1;
            sum[d] += side * sl_particles_place(p, &p->at[i], d);
            sum[3 + d] += side * (double)p->at[i].v[d];
        }
    SL_TRY(add_ranks(run, 6, sum));
    for (int d = 0; d < 3; d++) {
        r2 += sum[d] * sum[d];
        v2 += sum[3 + d] * sum[3 + d];
    }
    double r = sqrt(r2) / s->cfg->nbody_radius;
    sl_measure(out, "radius_error", "change of the distance of the pair, relative", fabs(r - 1));
    sl_measure(out, "energy_error",
               "change of the energy of the pair's motion by Newton's law, relative",
               fabs(2 / r - v2 / (s->speed * s->speed) - 1));
    return SL_OK;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct start *s = data;
    return is_pair(s->cfg) ? measure_pair(s, run, out) : measure_sphere(s, run, out);
}

const struct sl_problem sl_problem_nbody = {.name = "nbody",
                                            .open = open_start,
                                            .close = close_start,
                                            .crossing = crossing,
                                            .particles = particles,
                                            .measure = measure};
