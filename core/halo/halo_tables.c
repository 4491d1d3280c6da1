/* halo_tables.c - see halo_tables.h. */
#include "core/halo/halo_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config.h"
#include "core/cosmo/mass_function.h"
#include "core/cosmo/nfw.h"
#include "core/halo/halo_bias.h"
#include "core/halo/halo_history.h"
#include "core/measure/linear.h"
#include "core/sys/agree.h"
#include "core/sys/laps.h"
#include "core/sys/status.h"

#define GRAVITY 4.30091727e-9 /* Mpc (km/s)^2 / Msun */

struct context {
    const struct sl_config *cfg;
    const struct sl_fields *f;
    struct sl_tables *tables;
    double volume, particle; /* comoving (Mpc/h)^3; Msun/h */
    double total;            /* particles */
    struct sl_haloes list;   /* owned */
    struct sl_halo_bias bias[SL_BIAS_CLASSES];
};

/* ---- catalogue ---- */

enum { FIXED = 21, COLUMNS = FIXED + 2 * SL_OVERDENSITIES };

static void catalogue_columns(struct sl_table *t)
{
    static const char *const name[COLUMNS][2] = {{"id", "1"},
                                                 {"particles", "1"},
                                                 {"mass", "Msun/h"},
                                                 {"x", "Mpc/h"},
                                                 {"y", "Mpc/h"},
                                                 {"z", "Mpc/h"},
                                                 {"centre_x", "Mpc/h"},
                                                 {"centre_y", "Mpc/h"},
                                                 {"centre_z", "Mpc/h"},
                                                 {"potential_x", "Mpc/h"},
                                                 {"potential_y", "Mpc/h"},
                                                 {"potential_z", "Mpc/h"},
                                                 {"velocity_x", "km/s"},
                                                 {"velocity_y", "km/s"},
                                                 {"velocity_z", "km/s"},
                                                 {"dispersion", "km/s"},
                                                 {"middle_axis", "longest axis"},
                                                 {"short_axis", "longest axis"},
                                                 {"vmax", "km/s"},
                                                 {"concentration", "1"},
                                                 {"spin", "1"},
#define NAMES(name, words) {"mass_" #name, "Msun/h"}, {"radius_" #name, "Mpc/h"},
                                                 SL_OVERDENSITY_LIST(NAMES)
#undef NAMES
    };
    for (int i = 0; i < COLUMNS; i++)
        sl_table_column(t, i, name[i][0], name[i][1]);
}

static void catalogue_fill(const struct context *c, const struct sl_halo *h, double *row)
{
    const double fixed[FIXED] = {(double)h->id,   (double)h->n,     (double)h->n * c->particle,
                                 h->mean[0],      h->mean[1],       h->mean[2],
                                 h->centre[0],    h->centre[1],     h->centre[2],
                                 h->potential[0], h->potential[1],  h->potential[2],
                                 h->velocity[0],  h->velocity[1],   h->velocity[2],
                                 h->dispersion,   h->axes[0],       h->axes[1],
                                 h->speed,        h->concentration, h->spin};
    memcpy(row, fixed, sizeof fixed);
    row += FIXED;
    for (int k = 0; k < SL_OVERDENSITIES; k++) {
        row[2 * k] = h->mass[k] * c->particle;
        row[2 * k + 1] = h->radius[k];
    }
}

static int catalogue(const struct context *c)
{
    struct sl_table *t;
    SL_TRY(sl_fields_table(
        c->f, c->tables, "haloes", c->list.n, COLUMNS, &t,
        "groups of friends of friends, by falling number of particles; not unbound. id: the least "
        "of its particles; x, y, z: centre of mass, centre: densest place, potential: "
        "particle where that of the group is least; comoving, from the lower corner of the box; "
        "axes of the tensor of inertia; "
        "spheres about the centre, of all particles; vmax within that of 200c, the concentration "
        "from it (from 100 particles on), "
        "spin (Bullock) of the virial one; 0: not so dense, or too few"));
    catalogue_columns(t);
    for (int r = 0; r < c->list.n; r++)
        catalogue_fill(c, &c->list.halo[r], sl_table_at(t, r, 0));
    sl_table_note(t, "linking_length", c->cfg->statistics_haloes);
    sl_table_note(t, "least_particles", (double)c->cfg->statistics_halo_particles);
    sl_table_note(t, "particle_mass", c->particle);
    return SL_OK;
}

/* ---- mass function ---- */

#define BIN 0.25 /* of log10 M */

enum { MASS, GROUPS, FOUND, ERROR, SPHERES_200M, FOUND_200M, ERROR_200M, THEORY };
enum { FUNCTION_COLUMNS = THEORY + SL_MASS_FUNCTIONS_ALL };

static void function_columns(struct sl_table *t)
{
    static const char *const name[FUNCTION_COLUMNS] = {"mass",
                                                       "haloes",
                                                       "dn_dlnm",
                                                       "poisson",
                                                       "haloes_200m",
                                                       "dn_dlnm_200m",
                                                       "poisson_200m",
#define NAME(name, title) #name,
                                                       SL_MASS_FUNCTION_LIST(NAME)
                                                           SL_MASS_FUNCTION_GROUPS_LIST(NAME)
#undef NAME
    };
    for (int i = 0; i < FUNCTION_COLUMNS; i++)
        sl_table_column(t, i, name[i],
                        i == MASS                          ? "Msun/h"
                        : i == GROUPS || i == SPHERES_200M ? "1"
                                                           : "(h/Mpc)^3");
}

static void count_mass(struct sl_table *t, int column, double first, double mass)
{
    double bin = mass > 0 ? floor((log10(mass) - first) / BIN) : -1;
    if (bin >= 0 && bin < t->nrow) *sl_table_at(t, (int)bin, column) += 1;
}

static void fill_theory(const struct context *c, double growth, double *row)
{
    struct sl_linear *l = c->f->linear;
    double z = 1 / c->f->scale_factor - 1;
    struct sl_mass_variance v = sl_linear_variance(l, row[MASS]);
    for (int k = 0; k < SL_MASS_FUNCTIONS_ALL; k++)
        row[THEORY + k] = sl_mass_function((enum sl_mass_function)k, &l->u.c, &v, growth, z);
}

static void fill_function(const struct context *c, struct sl_table *t)
{
    double per = 1 / (c->volume * BIN * log(10));
    double growth = sl_linear_growth(c->f->linear, c->f->scale_factor);
    for (int r = 0; r < t->nrow; r++) {
        double *row = sl_table_at(t, r, 0);
        row[FOUND] = row[GROUPS] * per;
        row[ERROR] = sqrt(row[GROUPS]) * per;
        row[FOUND_200M] = row[SPHERES_200M] * per;
        row[ERROR_200M] = sqrt(row[SPHERES_200M]) * per;
        fill_theory(c, growth, row);
    }
}

/* Bins from the one of the lightest group on to that of all the mass of the box. */
static int mass_function(const struct context *c)
{
    struct sl_table *t;
    double least = log10(c->particle * (double)c->cfg->statistics_halo_particles);
    double first = floor(least / BIN) * BIN, last = log10(c->particle * c->total);
    SL_TRY(sl_fields_table(
        c->f, c->tables, "halo_mass_function", (int)fmax(1, ceil((last - first) / BIN)),
        FUNCTION_COLUMNS, &t,
        "haloes over mass (middle of bins of 0.25 in log10; the first: from "
        "statistics.halo_particles on alone): groups of friends of friends, and spheres of 200 "
        "times the mean density about them; dn/dlnM with the error of Poisson; of Press and "
        "Schechter (1974), Sheth and Tormen (1999), Tinker et al. (2008; 200 times the mean), "
        "Crocce et al. (2010) and Watson et al. (2013; both: friends of friends)"));
    function_columns(t);
    for (int r = 0; r < t->nrow; r++)
        *sl_table_at(t, r, MASS) = pow(10, first + (r + 0.5) * BIN);
    for (int i = 0; i < c->list.n; i++) {
        const struct sl_halo *h = &c->list.halo[i];
        count_mass(t, GROUPS, first, (double)h->n * c->particle);
        count_mass(t, SPHERES_200M, first, h->mass[SL_OVERDENSITY_200m] * c->particle);
    }
    fill_function(c, t);
    sl_table_note(t, "particle_mass", c->particle);
    return SL_OK;
}

/* ---- profiles ---- */

enum { OF_STACK = 3, PROFILE_COLUMNS = 1 + OF_STACK * SL_HALO_STACKS };

/* Volume of the shells of all haloes of a stack over that of a shell of radius 1 of each; *n of
 * them. */
static double stack_volume(const struct context *c, int stack, int *n)
{
    double sum = 0;
    *n = 0;
    for (int i = 0; i < c->list.n; i++) {
        const struct sl_halo *h = &c->list.halo[i];
        if (sl_halo_stack(h) != stack) continue;
        sum += pow(h->radius[SL_OVERDENSITY_200c], 3);
        ++*n;
    }
    return sum;
}

/* Middle of a shell, by ln r. */
static double middle(int k)
{
    return sqrt(sl_halo_shell(k - 1) * sl_halo_shell(k));
}

static void fill_stack(const struct context *c, int stack, struct sl_table *t)
{
    double r[SL_HALO_SHELLS], density[SL_HALO_SHELLS], weight[SL_HALO_SHELLS];
    int n, first = 1 + OF_STACK * stack;
    char key[SL_TABLE_NAME];
    double volume = stack_volume(c, stack, &n) * 4 * acos(-1) / 3, mean = c->total / c->volume;
    for (int k = 0; k < SL_HALO_SHELLS; k++) {
        double shell = pow(sl_halo_shell(k), 3) - pow(sl_halo_shell(k - 1), 3);
        weight[k] = (double)c->list.shell[stack][k];
        r[k] = middle(k);
        density[k] = n ? weight[k] / (volume * shell * mean) : NAN;
        *sl_table_at(t, k, first) = weight[k];
        *sl_table_at(t, k, first + 1) = density[k];
    }
    struct sl_nfw fit = sl_nfw_fit(SL_HALO_SHELLS, r, density, weight);
    for (int k = 0; k < SL_HALO_SHELLS; k++)
        *sl_table_at(t, k, first + 2) = fit.concentration > 0 ? sl_nfw_density(&fit, r[k]) : NAN;
    snprintf(key, sizeof key, "haloes_%g", sl_halo_stack_least(stack));
    sl_table_note(t, key, n);
    snprintf(key, sizeof key, "concentration_%g", sl_halo_stack_least(stack));
    sl_table_note(t, key, fit.concentration);
}

static int profiles(const struct context *c)
{
    static const char *const of[OF_STACK][2] = {
        {"particles", "1"}, {"density", "mean density"}, {"nfw", "mean density"}};
    struct sl_table *t;
    SL_TRY(sl_fields_table(
        c->f, c->tables, "halo_profiles", SL_HALO_SHELLS, PROFILE_COLUMNS, &t,
        "haloes laid on one another: particles and mean density in shells about their centres, "
        "over r / r_200c (middle of a shell by ln r); columns by the least number of particles "
        "within r_200c: from 100 on, 300, 1000, 3000; nfw: the profile of Navarro, Frenk and White "
        "that is nearest, weighted by particles; nan: no such haloes"));
    sl_table_column(t, 0, "r", "r_200c");
    for (int k = 0; k < SL_HALO_SHELLS; k++)
        *sl_table_at(t, k, 0) = middle(k);
    for (int s = 0; s < SL_HALO_STACKS; s++) {
        for (int i = 0; i < OF_STACK; i++) {
            char name[SL_TABLE_NAME];
            snprintf(name, sizeof name, "%s_%g", of[i][0], sl_halo_stack_least(s));
            sl_table_column(t, 1 + OF_STACK * s + i, name, of[i][1]);
        }
        fill_stack(c, s, t);
    }
    return SL_OK;
}

/* ---- bias ---- */

enum { LEAST, NUMBER, MEAN, BIAS, BIAS_ERROR, BIAS_THEORY };
enum { BIAS_COLUMNS = BIAS_THEORY + SL_MASS_FUNCTIONS };

static void bias_columns(struct sl_table *t)
{
    static const char *const name[BIAS_COLUMNS] = {"particles",
                                                   "haloes",
                                                   "mass",
                                                   "bias",
                                                   "error",
#define NAME(name, title) #name,
                                                   SL_MASS_FUNCTION_LIST(NAME)
#undef NAME
    };
    for (int i = 0; i < BIAS_COLUMNS; i++)
        sl_table_column(t, i, name[i], i == MEAN ? "Msun/h" : "1");
}

static void bias_fill(const struct context *c, int class, double *row)
{
    struct sl_linear *l = c->f->linear;
    const struct sl_halo_bias *b = &c->bias[class];
    row[LEAST] = class > 0 ? sl_halo_stack_least(class - 1) : 0;
    row[NUMBER] = b->n;
    row[MEAN] = b->mean * c->particle;
    for (int k = BIAS; k < BIAS_COLUMNS; k++)
        row[k] = NAN;
    if (b->n == 0) return;
    row[BIAS] = b->bias;
    row[BIAS_ERROR] = b->error;
    struct sl_mass_variance v = sl_linear_variance(l, row[MEAN]);
    double growth = sl_linear_growth(l, c->f->scale_factor);
    for (int k = 0; k < SL_MASS_FUNCTIONS; k++)
        row[BIAS_THEORY + k] = sl_mass_bias((enum sl_mass_function)k, &v, growth);
}

static int bias(const struct context *c)
{
    struct sl_table *t;
    SL_TRY(sl_fields_table(
        c->f, c->tables, "halo_bias", SL_BIAS_CLASSES, BIAS_COLUMNS, &t,
        "bias of haloes by number, of groups from so many particles on and below the next line, "
        "over the waves up to k = 0.1 h/Mpc, three shells at least; mass: mean of them; by theory "
        "at that mass: Mo and White (1996), Sheth and Tormen (1999), Tinker et al. (2010; 200 "
        "times the mean); nan: there are none"));
    bias_columns(t);
    for (int r = 0; r < SL_BIAS_CLASSES; r++)
        bias_fill(c, r, sl_table_at(t, r, 0));
    return SL_OK;
}

/* ---- all of it ---- */

static struct sl_halo_rule rule_of(const struct context *c)
{
    const struct sl_cosmology *u = &c->f->linear->u.c;
    double a = c->f->scale_factor, matter = sl_cosmology_matter(u, a);
    struct sl_halo_rule r = {.linking = c->cfg->statistics_haloes,
                             .least = (uint64_t)c->cfg->statistics_halo_particles,
                             .gravity = GRAVITY * c->particle / a,
                             .bonds = c->f->history != NULL};
    for (int d = 0; d < 3; d++)
        r.side[d] = c->f->slab->length[d];
    r.contrast[SL_OVERDENSITY_200c] = 200 / matter;
    r.contrast[SL_OVERDENSITY_200m] = 200;
    r.contrast[SL_OVERDENSITY_500c] = 500 / matter;
    r.contrast[SL_OVERDENSITY_vir] = sl_virial_contrast(u, a) / matter;
    return r;
}

/* Takes the particles over. */
static int find(struct context *c, struct sl_points *points)
{
    struct sl_shares s;
    uint64_t n = points->n;
    SL_TRY(sl_shares_make(c->f->slab->comm, points, &s));
    s.device = c->f->slab->device;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_UINT64_T, MPI_SUM, s.comm);
    c->total = (double)n;
    c->particle = sl_mass_of_volume(&c->f->linear->u.c, c->volume) / c->total;
    const struct sl_halo_rule rule = rule_of(c);
    int code = sl_haloes_find(&s, &rule, &c->list);
    sl_lap("bias");
    if (code == SL_OK)
        code = sl_halo_bias_make(c->f->slab, 1 + (int)c->cfg->statistics_deposit, &s.own, &c->list,
                                 c->bias);
    sl_shares_release(&s);
    return code;
}

static int make_tables(const struct context *c, struct sl_measured *out)
{
    double members = 0, above = 0, least = c->cfg->statistics_halo_mass;
    for (int i = 0; i < c->list.n; i++) {
        members += (double)c->list.halo[i].n;
        above += (double)c->list.halo[i].n * c->particle >= least;
    }
    out->haloes = c->list.n;
    if (least > 0) out->haloes_above = above;
    out->halo_mass_share = members / c->total;
    SL_TRY(catalogue(c));
    SL_TRY(mass_function(c));
    SL_TRY(profiles(c));
    return bias(c);
}

/* Those of the start, or those that move. */
static int read_points(struct context *c, struct sl_points *points)
{
    const struct sl_config *cfg = c->cfg;
    const struct sl_point_names start = {
        .position = {"particles/position_x", "particles/position_y", "particles/position_z"},
        .velocity = {"particles/velocity_x", "particles/velocity_y", "particles/velocity_z"}};
    const double speed = c->f->scale_factor / 100; /* a code unit is 100 km/s / a, peculiar */
    if (c->f->particles)
        return sl_points_take(c->f->slab->comm, c->f->slab->device, c->f->particles, speed,
                              cfg->mesh_box, points);
    return sl_points_read(c->f->slab->comm, cfg->run_input[0] ? cfg->run_input : "ic.h5", &start,
                          cfg->mesh_box, points);
}

int sl_halo_tables(const struct sl_config *cfg, const struct sl_fields *f, struct sl_tables *tables,
                   struct sl_measured *out)
{
    struct context c = {.cfg = cfg, .f = f, .tables = tables, .volume = 1};
    struct sl_points points;
    if (!(cfg->statistics_haloes > 0) || (f->number > 0 && !f->particles)) return SL_OK;
    for (int d = 0; d < 3; d++)
        c.volume *= f->slab->length[d];
    SL_TRY(read_points(&c, &points));
    int code = find(&c, &points);
    sl_lap("tables of haloes");
    if (code == SL_OK) code = sl_agree(f->slab->comm, make_tables(&c, out));
    if (code == SL_OK && f->history) code = sl_halo_history_add(f->history, f, &c.list, tables);
    sl_haloes_release(&c.list);
    return code;
}
