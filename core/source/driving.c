/* driving.c - a random force that keeps turbulence going.
 *
 * A kick changes the momentum of a cell by rho (a - mean) lambda, mean the density-weighted mean
 * of a over the box, and its energy by exactly the change of the kinetic energy. Then the box gets
 * no momentum and the gas no heat. lambda is dt / 2 times driving.acceleration, or the one of
 * smaller size that adds the energy driving.power dt / 2. The force adapts its strength to the
 * velocities that it finds: it comes first before a step, and last after it.
 *
 * The force on a row of cells is a sum over the few k_x alone: what k_y and k_z contribute is added
 * up once per row and per plane. Cosines and sines along the axes come from tables over the whole
 * axis, so that blocks have no part in them. The sums over the box are exact (core/sys/sum.h): the
 * same bits for any blocks and ranks.
 *
 * Each backend makes the force again where it is used, by calls of its own: a field of it would be
 * 24 bytes of a cell written once and read twice in a step, by arithmetic 7 % of one on an H200.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  SL_EINPUT for a recipe that makes no sense, SL_EMEM, SL_EMPI
 * Owns    its tables
 * MPI     collective over mesh->comm, as source.h says
 * Where   host calls; the state where the backend has it
 * Refs    Stone, Ostriker & Gammie 1998; Mac Low 1999 (power)
 * Tests   tests/law/drive.c, tests/unit/drive.c
 */
#include "core/step/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/drive.h"
#include "core/drive/modes.h"
#include "core/step/backend.h"
#include "core/step/kick.h"
#include "core/step/work.h"
#include "core/sweep/lanes.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/sys/sum.h"

/* clang-format off */
SL_SOURCE(driving, "driving.*", cfg->driving_acceleration > 0 || cfg->driving_power > 0)
SL_SOURCE_WORDS(driving, "Turbulence is driven at wave numbers from {driving.kmin} to {driving.kmax} (2π/L) by a random force that follows an Ornstein-Uhlenbeck process (Eswaran & Pope 1988; Schmidt et al. 2009; Federrath et al. 2010) with a correlation time of {driving.correlation}, the weight of solenoidal modes is {driving.solenoidal}.")
SL_SOURCE_COST(driving, 1, 0, INFINITY)
SL_SOURCE_WITH(driving, all & ~expansion)
SL_RULE_SOURCE(cfg->driving_acceleration > 0, driving_power, cfg->driving_power == 0, "%g and driving.acceleration both say how strong the force is: give one", cfg->driving_power)
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_driving), mesh_boundary, periodic(cfg), "the force of driving.* is periodic; nearest: periodic")
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_driving), driving_kmax, cfg->driving_kmin <= cfg->driving_kmax, "%lld is below driving.kmin, %lld: no waves are left", (long long)cfg->driving_kmax, (long long)cfg->driving_kmin)
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_driving), driving_solenoidal, cfg->mesh_cells_n > 1 || cfg->driving_solenoidal == 0, "%g: in one dimension every mode is compressive; nearest: 0", cfg->driving_solenoidal)
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_driving), driving_kmax, waves_that_fit(cfg) >= (double)cfg->driving_kmax, "%lld waves are more than mesh.cells can resolve; nearest: %g", (long long)cfg->driving_kmax, waves_that_fit(cfg))
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_driving), driving_peak, sl_config_force_has_mode(cfg), "%g: driving.spectrum %s has no power at driving.kmin, %lld, or above", cfg->driving_peak, sl_choice_name("driving.spectrum", cfg->driving_spectrum), (long long)cfg->driving_kmin)
/* clang-format on */

#define TWO_PI 6.283185307179586476925

/* Columns of complex numbers c_n, n = -reach .. reach, of which the sums over n of c_n exp(i k_n
 * x) are wanted. For n >= 0: even = c_n + c_-n and odd = c_n - c_-n; for n = 0 even = c_0. */
enum { RE, IM };
struct fold {
    int reach, columns;
    double *even[2], *odd[2]; /* owned; [RE, IM][n][column] */
};

/* What a kick of the present state needs to know, for a force of rms 1. */
struct balance {
    double mean[3];      /* of a, weighted by density */
    double work, square; /* sums of m.(a - mean) and rho (a - mean)^2 times the volume of a cell */
};

/* Cosines and sines at the cell centres of a level, [0 .. reach][cells of the axis]. */
struct waves {
    int cells[3];
    sl_real *cosine[3], *sine[3]; /* owned */
};

struct drive {
    struct sl_drive_modes modes;
    double acceleration, power; /* of the recipe: one of them is 0 */
    double volume;              /* of a cell of the root level */
    int reach[3];               /* largest |n_i| */
    int nlevel;
    struct waves waves[SL_LEVELS]; /* of the levels that there may be */
    const struct waves *at;        /* those of the level that is worked on */
    double (*value)[3][2];         /* owned; of the modes, at the present time */
    int version;                   /* changes when they do */
    struct fold box, plane; /* along z of [n_y][component][n_x], along y of [component][n_x] */
    double *sum[2];         /* owned; one column of a fold: real and imaginary parts */
    sl_real *row;           /* owned; [component][cells of a block's row] */
    double bound;           /* not less than |a| */
    struct balance now;
    double opened;           /* lambda of the opening kick of the step that is under way */
    double energy, strength; /* work done; lambda of the last kick over its time */
};

/* ---- making --------------------------------------------------------------------------------- */

static void spec_of(const struct sl_sim *sim, struct sl_drive_spec *spec)
{
    const struct sl_config *cfg = sim->state.cfg;
    *spec = (struct sl_drive_spec){.seed = (uint64_t)cfg->seed,
                                   .dim = sim->state.mesh->dim,
                                   .kmin = (int)cfg->driving_kmin,
                                   .kmax = (int)cfg->driving_kmax,
                                   .spectrum = cfg->driving_spectrum,
                                   .slope = cfg->driving_slope,
                                   .peak = cfg->driving_peak,
                                   .solenoidal = cfg->driving_solenoidal,
                                   .steady = cfg->driving_steady,
                                   .correlation = cfg->driving_correlation * sim->state.time_unit};
    for (int d = 0; d < spec->dim; d++)
        spec->length[d] = sim->state.mesh->spec.hi[d] - sim->state.mesh->spec.lo[d];
}

static int table(struct drive *w, struct waves *out, int axis)
{
    int cells = out->cells[axis];
    size_t size = (size_t)(w->reach[axis] + 1) * (size_t)cells;
    sl_real *c = out->cosine[axis] = malloc(size * sizeof *c);
    sl_real *s = out->sine[axis] = malloc(size * sizeof *s);
    SL_CHECK(c && s, SL_EMEM, "no memory for the waves of the force");
    for (int n = 0; n <= w->reach[axis]; n++)
        for (int i = 0; i < cells; i++) {
            double angle = TWO_PI * fmod((i + 0.5) * n / cells, 1);
            *c++ = (sl_real)cos(angle);
            *s++ = (sl_real)sin(angle);
        }
    return SL_OK;
}

static int fold_new(struct fold *f, int reach, int columns)
{
    size_t size = (size_t)(reach + 1) * (size_t)columns;
    *f = (struct fold){.reach = reach, .columns = columns};
    for (int part = 0; part < 2; part++) {
        f->even[part] = calloc(size, sizeof(double));
        f->odd[part] = calloc(size, sizeof(double));
        SL_CHECK(f->even[part] && f->odd[part], SL_EMEM, "no memory for the waves of the force");
    }
    return SL_OK;
}

static void fold_free(struct fold *f)
{
    for (int part = 0; part < 2; part++) {
        free(f->even[part]);
        free(f->odd[part]);
    }
}

/* The force for a backend, on the cells of a level. */
static struct sl_force force_of(const struct drive *w, const struct sl_sim *sim)
{
    const struct waves *at = &w->waves[sim->state.mesh->level];
    struct sl_force f = {.version = w->version};
    for (int d = 0; d < 3; d++) {
        f.reach[d] = w->reach[d];
        f.cells[d] = at->cells[d];
        f.cosine[d] = at->cosine[d];
        f.sine[d] = at->sine[d];
    }
    for (int part = 0; part < 2; part++) {
        f.even[part] = w->box.even[part];
        f.odd[part] = w->box.odd[part];
    }
    return f;
}

static int waves_make(const struct sl_mesh *m, int level, struct drive *w)
{
    struct waves *out = &w->waves[level];
    for (int d = 0; d < 3; d++) {
        out->cells[d] = d < m->dim ? m->spec.cells[d] << level : 1;
        SL_TRY(table(w, out, d));
    }
    return SL_OK;
}

static int tables(const struct sl_mesh *m, int nlevel, struct drive *w)
{
    for (int d = 0; d < 3; d++) {
        w->reach[d] = w->modes.reach[d];
        SL_CHECK(d >= m->dim || 2 * w->reach[d] < m->spec.cells[d], SL_EINPUT,
                 "driving.kmax %d needs at least %d cells along axis %d, mesh.cells gives %d",
                 w->modes.spec.kmax, 2 * w->reach[d] + 1, d, m->spec.cells[d]);
    }
    w->nlevel = nlevel;
    for (int l = 0; l < nlevel; l++)
        SL_TRY(waves_make(m, l, w));
    int columns = 3 * (w->reach[0] + 1);
    SL_TRY(fold_new(&w->box, w->reach[2], columns * (2 * w->reach[1] + 1)));
    SL_TRY(fold_new(&w->plane, w->reach[1], columns));
    w->value = calloc((size_t)w->modes.count, sizeof *w->value);
    w->row = calloc(3 * (size_t)m->n[0], sizeof *w->row);
    for (int part = 0; part < 2; part++) {
        w->sum[part] = calloc((size_t)w->box.columns, sizeof *w->sum[part]);
        SL_CHECK(w->sum[part], SL_EMEM, "no memory for %d modes", w->modes.count);
    }
    SL_CHECK(w->value && w->row, SL_EMEM, "no memory for %d modes", w->modes.count);
    return SL_OK;
}

static void release(void *data)
{
    struct drive *w = data;
    if (!w) return;
    sl_drive_modes_release(&w->modes);
    for (int l = 0; l < w->nlevel; l++)
        for (int d = 0; d < 3; d++) {
            free(w->waves[l].cosine[d]);
            free(w->waves[l].sine[d]);
        }
    fold_free(&w->box);
    fold_free(&w->plane);
    free(w->sum[RE]);
    free(w->sum[IM]);
    free(w->value);
    free(w->row);
    free(w);
}

static int make_here(const struct sl_sim *sim, void **data)
{
    const struct sl_config *cfg = sim->state.cfg;
    const struct sl_mesh_spec *spec = &sim->state.mesh->spec;
    struct sl_drive_spec modes;
    spec_of(sim, &modes);
    struct drive *w = calloc(1, sizeof *w);
    SL_CHECK(w, SL_EMEM, "no memory for the force");
    w->acceleration = cfg->driving_acceleration;
    w->power = cfg->driving_power;
    w->volume = 1;
    for (int d = 0; d < sim->state.mesh->dim; d++)
        w->volume *= (spec->hi[d] - spec->lo[d]) / spec->cells[d];
    int code = sl_drive_modes_init(&modes, &w->modes);
    if (code == SL_OK) code = tables(sim->state.mesh, 1 + (int)cfg->mesh_levels, w);
    if (code == SL_OK)
        *data = w;
    else
        release(w);
    return code;
}

static int make(struct sl_sim *sim, void **data)
{
    return sl_agree(sim->state.mesh->comm, make_here(sim, data));
}

/* ---- the force on a row of cells ------------------------------------------------------------ */

/* Adds c_n of a column. */
static void fold_put(struct fold *f, int n, int column, const double c[2])
{
    int at = abs(n) * f->columns + column;
    for (int part = 0; part < 2; part++) {
        f->even[part][at] += c[part];
        f->odd[part][at] += n < 0 ? -c[part] : c[part];
    }
}

static void fold_clear(struct fold *f)
{
    size_t size = (size_t)(f->reach + 1) * (size_t)f->columns * sizeof(double);
    for (int part = 0; part < 2; part++) {
        memset(f->even[part], 0, size);
        memset(f->odd[part], 0, size);
    }
}

/* The sums of all columns at cell i of an axis. */
static void fold_at(const struct fold *f, const struct drive *w, int axis, int i)
{
    const sl_real *cosine = w->at->cosine[axis], *sine = w->at->sine[axis];
    double *re = w->sum[RE], *im = w->sum[IM];
    int cells = w->at->cells[axis];
    memcpy(re, f->even[RE], (size_t)f->columns * sizeof *re);
    memcpy(im, f->even[IM], (size_t)f->columns * sizeof *im);
    for (int n = 1; n <= f->reach; n++) {
        double c = (double)cosine[n * cells + i], s = (double)sine[n * cells + i];
        const double *even_re = f->even[RE] + n * f->columns,
                     *even_im = f->even[IM] + n * f->columns;
        const double *odd_re = f->odd[RE] + n * f->columns, *odd_im = f->odd[IM] + n * f->columns;
        SL_SIMD
        for (int q = 0; q < f->columns; q++) {
            re[q] += even_re[q] * c - odd_im[q] * s;
            im[q] += even_im[q] * c + odd_re[q] * s;
        }
    }
}

/* The modes at time t, doubled: n and -n together are twice the real part of one. */
static void set_time(struct drive *w, double t)
{
    int waves = w->reach[0] + 1;
    sl_drive_modes_at(&w->modes, t, w->value, &w->bound);
    w->version++;
    fold_clear(&w->box);
    for (int i = 0; i < w->modes.count; i++) {
        const int *n = w->modes.mode[i].n;
        for (int c = 0; c < 3; c++) {
            const double twice[2] = {2 * w->value[i][c][0], 2 * w->value[i][c][1]};
            fold_put(&w->box, n[2], ((n[1] + w->reach[1]) * 3 + c) * waves + n[0], twice);
        }
    }
}

/* Goes to plane k of the box. */
static void set_plane(struct drive *w, int k)
{
    int columns = w->plane.columns;
    fold_at(&w->box, w, 2, k);
    fold_clear(&w->plane);
    for (int n = -w->reach[1]; n <= w->reach[1]; n++)
        for (int q = 0; q < columns; q++) {
            int at = (n + w->reach[1]) * columns + q;
            fold_put(&w->plane, n, q, (const double[2]){w->sum[RE][at], w->sum[IM][at]});
        }
}

enum { LANES = 8 };

/* Adds all waves in LANES cells. */
static void add_waves(const struct drive *w, int c, int cells, int i, sl_real *out)
{
    int waves = w->reach[0] + 1;
    sl_real sum[LANES] = {0};
    for (int x = 0; x < waves; x++) {
        sl_real re = (sl_real)w->sum[RE][c * waves + x], im = (sl_real)w->sum[IM][c * waves + x];
        const sl_real *cosine = w->at->cosine[0] + x * cells + i;
        const sl_real *sine = w->at->sine[0] + x * cells + i;
        for (int q = 0; q < LANES; q++)
            sum[q] = sl_drive_add(sum[q], re, im, cosine[q], sine[q]);
    }
    memcpy(out, sum, sizeof sum);
}

/* Fills w->row with the force on the n cells from (i, j) of the plane. The last lanes may reach
 * back into cells that were done. */
static void set_row(struct drive *w, int j, int i, int n)
{
    int waves = w->reach[0] + 1, cells = w->at->cells[0];
    fold_at(&w->plane, w, 1, j);
    for (int c = 0; c < 3; c++) {
        for (int q = 0; q + LANES <= n; q += LANES)
            add_waves(w, c, cells, i + q, w->row + c * n + q);
        if (n % LANES && n > LANES)
            add_waves(w, c, cells, i + n - LANES, w->row + (c + 1) * n - LANES);
        for (int q = 0; q < n && n < LANES; q++) {
            sl_real sum = 0;
            for (int x = 0; x < waves; x++)
                sum = sl_drive_add(
                    sum, (sl_real)w->sum[RE][c * waves + x], (sl_real)w->sum[IM][c * waves + x],
                    w->at->cosine[0][x * cells + i + q], w->at->sine[0][x * cells + i + q]);
            w->row[c * n + q] = sum;
        }
    }
}

/* Calls f with each row of the rank's leaves of a level; `with` asks for the force on it. */
typedef void row_fn(struct drive *w, const struct sl_sim *sim, sl_real *u, void *arg);

static void each_row(struct drive *w, const struct sl_sim *sim, bool with, row_fn *f, void *arg)
{
    const struct sl_mesh *m = sim->state.mesh;
    w->at = &w->waves[m->level];
    for (int b = 0; b < m->nleaf; b++) {
        const int64_t *at = m->blocks[b].at;
        for (int k = 0; k < m->n[2]; k++) {
            if (with) set_plane(w, (int)at[2] * m->n[2] + k);
            for (int j = 0; j < m->n[1]; j++) {
                size_t first =
                    sl_mesh_at(m, sim->state.layout.nvar, b, 0, k + m->g[2], j + m->g[1], m->g[0]);
                if (with) set_row(w, (int)at[1] * m->n[1] + j, (int)at[0] * m->n[0], m->n[0]);
                f(w, sim, sim->state.u + first, arg);
            }
        }
    }
}

/* ---- sums over the box ---------------------------------------------------------------------- */

static void row_largest(struct drive *w, const struct sl_sim *sim, sl_real *u, void *arg)
{
    struct sl_force_most *most = arg;
    size_t var = sim->state.mesh->block_cells;
    const sl_real *x = u + SL_MX * var, *y = u + SL_MY * var, *z = u + SL_MZ * var;
    sl_real rho[LANES] = {0}, square[LANES] = {0};
    const int n = sim->state.mesh->n[0];
    (void)w;
    for (int first = 0; first < n; first += LANES)
        for (int q = 0; q < LANES; q++) {
            int i = first + q < n ? first + q : n - 1;
            rho[q] = sl_max(rho[q], u[i]);
            square[q] = sl_max(square[q], x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
        }
    for (int q = 0; q < LANES; q++) {
        most->rho = fmax(most->rho, (double)rho[q]);
        most->momentum = fmax(most->momentum, (double)square[q]);
    }
}

struct summing {
    struct sl_sum_unit unit[SL_DRIVE_SUMS];
    struct sl_sum sum[SL_DRIVE_SUMS];
};

static void row_sums(struct drive *w, const struct sl_sim *sim, sl_real *u, void *arg)
{
    struct summing *s = arg;
    size_t var = sim->state.mesh->block_cells;
    const int n = sim->state.mesh->n[0];
    double magic[SL_DRIVE_SUMS];
    for (int q = 0; q < SL_DRIVE_SUMS; q++)
        magic[q] = s->unit[q].magic;
    for (int first = 0; first < n; first += SL_SUM_ROW) {
        int64_t t[SL_DRIVE_SUMS] = {0};
        int end = first + SL_SUM_ROW < n ? first + SL_SUM_ROW : n;
        for (int i = first; i < end; i++) {
            double m[3], a[3], term[SL_DRIVE_SUMS];
            for (int d = 0; d < 3; d++) {
                a[d] = (double)w->row[d * n + i];
                m[d] = (double)u[(size_t)(SL_MX + d) * var + (size_t)i];
            }
            sl_drive_terms((double)u[i], m, a, term);
            for (int q = 0; q < SL_DRIVE_SUMS; q++)
                t[q] += sl_sum_term(magic[q], term[q]);
        }
        for (int q = 0; q < SL_DRIVE_SUMS; q++)
            sl_sum_add(&s->sum[q], t[q]);
    }
}

static void units(struct summing *s, struct sl_force_most most, double a)
{
    most.momentum = sqrt(most.momentum) * (1 + 1e-6);
    a *= 1 + 1e-6; /* rounding of the waves */
    for (int d = 0; d < 3; d++) {
        s->unit[SL_DRIVE_FORCE + d] = sl_sum_unit(most.rho * a);
        s->unit[SL_DRIVE_MOMENTUM + d] = sl_sum_unit(most.momentum);
    }
    s->unit[SL_DRIVE_MASS] = sl_sum_unit(most.rho);
    s->unit[SL_DRIVE_WORK] = sl_sum_unit(most.momentum * a);
    s->unit[SL_DRIVE_SQUARE] = sl_sum_unit(most.rho * a * a);
}

/* Where the backend keeps the state, it does what the host does row by row. */

/* local. */
static int largest(struct drive *w, struct sl_sim *sim, struct sl_force_most *most)
{
    const struct sl_backend *on = sim->work->backend;
    if (on->force_most) return on->force_most(sim, most);
    each_row(w, sim, false, row_largest, most);
    return SL_OK;
}

/* collective. Of all levels. */
static int largest_of_all(struct drive *w, struct sl_sim *sim, struct sl_force_most *most)
{
    struct sl_force_most here = {0, 0};
    int code = SL_OK;
    for (struct sl_sim *l = sim; l && code == SL_OK; l = l->finer)
        code = largest(w, l, &here);
    double all[2] = {here.rho, here.momentum};
    SL_TRY(sl_agree_most(sim->state.mesh->comm, code, 2, all));
    *most = (struct sl_force_most){.rho = all[0], .momentum = all[1]};
    return SL_OK;
}

static int add_up(struct drive *w, struct sl_sim *sim, struct summing *s)
{
    const struct sl_backend *on = sim->work->backend;
    const struct sl_force force = force_of(w, sim);
    double magic[SL_DRIVE_SUMS];
    for (int q = 0; q < SL_DRIVE_SUMS; q++)
        magic[q] = s->unit[q].magic;
    if (on->force_sums)
        return sl_agree(sim->state.mesh->comm, on->force_sums(sim, &force, magic, s->sum));
    each_row(w, sim, true, row_sums, s);
    return SL_OK;
}

/* collective. The sums over the leaves of all levels, in cells of the root level. */
static int sums(struct drive *w, struct sl_sim *sim, struct summing s[SL_LEVELS],
                double total[SL_DRIVE_SUMS])
{
    struct sl_sum all[SL_LEVELS][SL_DRIVE_SUMS];
    int n = 0;
    for (struct sl_sim *l = sim; l; l = l->finer, n++) {
        SL_TRY(add_up(w, l, &s[n]));
        memcpy(all[n], s[n].sum, sizeof all[n]);
    }
    int code = MPI_Allreduce(MPI_IN_PLACE, all, 2 * n * SL_DRIVE_SUMS, MPI_INT64_T, MPI_SUM,
                             sim->state.mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot sum the force over the ranks");
    for (int l = 0; l < n; l++)
        for (int q = 0; q < SL_DRIVE_SUMS; q++)
            total[q] += ldexp(sl_sum_value(&all[l][q], s[l].unit[q]), -l * sim->state.mesh->dim);
    return SL_OK;
}

/* collective. Sums density-weighted acceleration, work and power of the present force over the
 * box. */
static int measure_force(struct drive *w, struct sl_sim *sim)
{
    struct sl_force_most most;
    struct summing s[SL_LEVELS] = {{.sum = {{{0, 0}}}}};
    double total[SL_DRIVE_SUMS] = {0}, mean2 = 0, along = 0;
    SL_TRY(largest_of_all(w, sim, &most));
    for (int l = 0; l < SL_LEVELS; l++)
        units(&s[l], most, w->bound);
    SL_TRY(sums(w, sim, s, total));
    for (int d = 0; d < 3; d++) {
        w->now.mean[d] = total[SL_DRIVE_FORCE + d] / total[SL_DRIVE_MASS];
        mean2 += w->now.mean[d] * w->now.mean[d];
        along += w->now.mean[d] * total[SL_DRIVE_MOMENTUM + d];
    }
    w->now.work = (total[SL_DRIVE_WORK] - along) * w->volume;
    w->now.square = fmax(0, total[SL_DRIVE_SQUARE] - mean2 * total[SL_DRIVE_MASS]) * w->volume;
    return SL_OK;
}

/* ---- kicks ---------------------------------------------------------------------------------- */

static void row_kick(struct drive *w, const struct sl_sim *sim, sl_real *u, void *arg)
{
    sl_kick_row(arg, &sim->state.layout, sim->state.mesh->block_cells, sim->state.mesh->n[0],
                w->row, u, NULL);
}

static int kick_level(struct drive *w, struct sl_sim *sim, struct sl_kick *p)
{
    const struct sl_backend *on = sim->work->backend;
    const struct sl_force force = force_of(w, sim);
    if (on->force_kick)
        return sl_agree(sim->state.mesh->comm, on->force_kick(sim, &force, p->lambda, p->mean));
    each_row(w, sim, true, row_kick, p);
    return SL_OK;
}

static int kick(struct drive *w, struct sl_sim *sim, double lambda)
{
    struct sl_kick p = {.lambda = (sl_real)lambda};
    for (int d = 0; d < 3; d++)
        p.mean[d] = (sl_real)w->now.mean[d];
    for (struct sl_sim *l = sim; l && lambda != 0; l = l->finer)
        SL_TRY(kick_level(w, l, &p));
    return SL_OK;
}

/* lambda of a kick that stands for a time h. */
static double lambda_of(const struct drive *w, double h)
{
    double e = w->power * h, s = w->now.work;
    if (!(w->power > 0)) return w->acceleration * h;
    double root = sqrt(s * s + 2 * w->now.square * e), low = s < 0 ? s - root : s + root;
    return low != 0 ? 2 * e / low : 0;
}

/* Counts the work of a kick that was made for a time h. */
static void count(struct drive *w, double lambda, double h)
{
    w->energy += lambda * w->now.work + 0.5 * lambda * lambda * w->now.square;
    w->now.work += lambda * w->now.square;
    w->strength = lambda / h;
}

static int start(struct sl_sim *sim, void *data)
{
    struct drive *w = data;
    set_time(w, sim->state.time);
    w->energy = w->opened = 0;
    w->strength = w->acceleration;
    return measure_force(w, sim);
}

static int open_step(struct sl_sim *sim, void *data, double dt)
{
    struct drive *w = data;
    double lambda = lambda_of(w, 0.5 * dt);
    SL_TRY(kick(w, sim, lambda - w->opened));
    w->opened = lambda;
    return SL_OK;
}

static int close_step(struct sl_sim *sim, void *data, double dt)
{
    struct drive *w = data;
    count(w, w->opened, 0.5 * dt);
    w->opened = 0;
    set_time(w, sim->state.time);
    SL_TRY(measure_force(w, sim));
    double lambda = lambda_of(w, 0.5 * dt);
    SL_TRY(kick(w, sim, lambda));
    count(w, lambda, 0.5 * dt);
    return SL_OK;
}

/* The force at the centres of other cells has another mean. */
static int remesh(struct sl_sim *sim, void *data)
{
    return measure_force(data, sim);
}

/* With a given power a dt is at most c sqrt(dt). */
static double limit(const struct sl_sim *sim, const void *data, double dt)
{
    const struct drive *w = data;
    const struct sl_mesh_spec *spec = &sim->state.mesh->spec;
    double dx = HUGE_VAL, a;
    for (int d = 0; d < sim->state.mesh->dim; d++)
        dx = fmin(dx, (spec->hi[d] - spec->lo[d]) / spec->cells[d]);
    for (const struct sl_sim *s = sim->finer; s; s = s->finer)
        dx *= 0.5;
    double room = sim->state.cfg->fluid_cfl * dx;
    a = w->acceleration * w->bound;
    if (w->power > 0 && w->now.square > 0) {
        double c = w->bound * sqrt(2 * w->power / w->now.square);
        a = c / sqrt(fmin(dt, pow(room / c, 2.0 / 3)));
    }
    return sl_kick_limit(dt, a / room);
}

/* ---- history and checkpoints ---------------------------------------------------------------- */

/* Work done since the start, its present rate, present rms acceleration. */
static int measure(const struct sl_sim *sim, void *data, double *out)
{
    const struct drive *w = data;
    (void)sim;
    out[0] = w->energy;
    out[1] = w->power > 0 ? w->power : w->acceleration * w->now.work;
    out[2] = fabs(w->strength) * w->modes.rms;
    return SL_OK;
}

static size_t size(const void *data)
{
    const struct drive *w = data;
    return 7 + sl_drive_modes_size(&w->modes);
}

static void save(const void *data, double *state)
{
    const struct drive *w = data;
    memcpy(state, w->now.mean, sizeof w->now.mean);
    state[3] = w->now.work;
    state[4] = w->now.square;
    state[5] = w->energy;
    state[6] = w->strength;
    sl_drive_modes_save(&w->modes, state + 7);
}

static void load(struct sl_sim *sim, void *data, const double *state)
{
    struct drive *w = data;
    memcpy(w->now.mean, state, sizeof w->now.mean);
    w->now.work = state[3];
    w->now.square = state[4];
    w->energy = state[5];
    w->strength = state[6];
    sl_drive_modes_load(&w->modes, state + 7);
    set_time(w, sim->state.time);
}

const struct sl_source sl_source_driving = {
    .place = -1,
    .make = make,
    .free = release,
    .start = start,
    .open = open_step,
    .close = close_step,
    .remesh = remesh,
    .limit = limit,
    .column = {{"driving_energy", "code energy", "work of the force since the start"},
               {"driving_power", "code power", "energy that the force gives per time"},
               {"driving_acceleration", "code acceleration", "rms acceleration by the force"}},
    .measure = measure,
    .size = size,
    .save = save,
    .load = load};
