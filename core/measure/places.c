/* places.c - see places.h. */
#include "core/measure/places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/io/field_file.h"
#include "core/io/particle_rows.h"
#include "core/measure/device.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum.h"

static int make_room(size_t n, bool velocities, struct sl_places *p)
{
    p->n = n;
    for (int d = 0; d < 3; d++) {
        SL_TRY(sl_alloc("places of particles", n, sizeof(double), &p->x[d]));
        if (velocities) SL_TRY(sl_alloc("velocities of particles", n, sizeof(double), &p->v[d]));
    }
    return SL_OK;
}

void sl_places_release(struct sl_places *p)
{
    for (int d = 0; d < 3; d++) {
        if (p->on) p->on->lent->take_back(p->on, p->x[d]);
        if (p->on) p->on->lent->take_back(p->on, p->v[d]);
        if (!p->on) free(p->x[d]);
        if (!p->on) free(p->v[d]);
    }
    *p = (struct sl_places){0};
}

int sl_places_move(struct sl_places *p, int axis, double by)
{
    if (p->on) return p->on->lent->shift(p->on, p->n, by, NULL, p->x[axis]);
    for (size_t i = 0; i < p->n; i++)
        p->x[axis][i] += by;
    return SL_OK;
}

int sl_places_shift(struct sl_places *p, int axis, double part)
{
    if (p->on) return p->on->lent->shift(p->on, p->n, part, p->v[axis], p->x[axis]);
    for (size_t i = 0; i < p->n; i++)
        p->x[axis][i] += part * p->v[axis][i];
    return SL_OK;
}

/* Places of an axis, which come in units of `unit`, as shares of the box. */
static void to_shares(const struct sl_config *cfg, int axis, double unit, struct sl_places *p)
{
    const double *box = cfg->mesh_box + 2 * axis;
    for (size_t i = 0; i < p->n; i++)
        p->x[axis][i] = (p->x[axis][i] / unit - box[0]) / (box[1] - box[0]);
}

int sl_places_of_start(const struct sl_config *cfg, const struct sl_slab *s, const char *path,
                       struct sl_places *p)
{
    SL_TRY(sl_agree(s->comm, make_room(sl_slab_cells(s), false, p)));
    for (int d = 0; d < 3; d++) {
        char name[32];
        snprintf(name, sizeof name, "particles/position_%c", 'x' + d);
        SL_TRY(sl_field_file_read(s, path, name, p->x[d]));
        to_shares(cfg, d, 1, p);
    }
    return SL_OK;
}

static int read_columns(const struct sl_config *cfg, const struct sl_particle_rows *r,
                        struct sl_places *p)
{
    for (int d = 0; d < 3; d++) {
        SL_TRY(sl_particle_rows_read(r, SL_PARTICLE_PLACE + d, p->x[d]));
        to_shares(cfg, d, r->units.length, p);
        if (!p->v[d]) continue;
        SL_TRY(sl_particle_rows_read(r, SL_PARTICLE_VELOCITY + d, p->v[d]));
        for (size_t i = 0; i < p->n; i++)
            p->v[d][i] /= r->units.velocity;
    }
    return SL_OK;
}

static int read_particles(const struct sl_config *cfg, const struct sl_slab *s,
                          const struct sl_particle_source *from, bool velocities,
                          struct sl_places *p)
{
    struct sl_particle_rows r;
    SL_TRY(sl_particle_rows_open(from, s->rank, s->size, &r));
    int code = make_room(r.n, velocities, p);
    if (code == SL_OK) code = read_columns(cfg, &r, p);
    return sl_particle_rows_close(&r, code);
}

/* ---- where a device has them ----------------------------------------------------------------- */

static int lend(struct sl_stats_device *d, const struct sl_particle_lists *lists, bool velocities,
                struct sl_places *p)
{
    p->on = d;
    p->n = lists->n;
    for (int a = 0; a < 3; a++) {
        SL_TRY(d->lent->lend(d, p->n, &p->x[a]));
        if (velocities) SL_TRY(d->lent->lend(d, p->n, &p->v[a]));
    }
    return SL_OK;
}

struct sl_place_rule sl_places_rule(const struct sl_particle_source *from, int axis,
                                    const double box[6])
{
    return (struct sl_place_rule){sl_particle_rows_end(from, axis, false),
                                  sl_particle_rows_end(from, axis, true), from->units.length,
                                  box[2 * axis], box[2 * axis + 1]};
}

static int make_there(const struct sl_config *cfg, struct sl_stats_device *d,
                      const struct sl_particle_source *from, const struct sl_particle_lists *lists,
                      const struct sl_places *p)
{
    struct sl_lent_places to = {.speed = from->units.velocity};
    for (int a = 0; a < 3; a++) {
        to.axis[a] = sl_places_rule(from, a, cfg->mesh_box);
        to.x[a] = p->x[a], to.v[a] = p->v[a];
    }
    return d->lent->places(d, lists, &to);
}

/* *made: they are there; else nothing is. */
static int there(const struct sl_config *cfg, const struct sl_slab *s,
                 const struct sl_particle_source *from, bool velocities, struct sl_places *p,
                 bool *made)
{
    struct sl_stats_device *d = s->device;
    struct sl_particle_lists lists;
    *made = d && d->lent;
    if (*made) SL_TRY(sl_particle_rows_lists(from, s->size, made, &lists));
    if (!*made) return SL_OK;
    int code = lend(d, &lists, velocities, p);
    if (code == SL_OK) code = make_there(cfg, d, from, &lists, p);
    if (code == SL_OK) return SL_OK;
    sl_places_release(p);
    *made = false;
    return sl_stats_device_failed(d, s->rank, code, "places of particles") ? SL_OK : code;
}

int sl_places_of_particles(const struct sl_config *cfg, const struct sl_slab *s,
                           const struct sl_particle_source *from, bool velocities,
                           struct sl_places *p)
{
    bool made;
    SL_TRY(there(cfg, s, from, velocities, p, &made)); /* of a lone rank */
    if (made) return SL_OK;
    return sl_agree(s->comm, read_particles(cfg, s, from, velocities, p));
}

/* ---- mass ---- */

/* Own masses in code units; *value is the caller's to free. */
static int read_masses(const struct sl_slab *s, const struct sl_particle_source *from,
                       double **value, size_t *n)
{
    struct sl_particle_rows r;
    SL_TRY(sl_particle_rows_open(from, s->rank, s->size, &r));
    const double length = r.units.length, unit = r.units.density * length * length * length;
    int code = sl_alloc("masses of particles", r.n, sizeof **value, value);
    if (code == SL_OK) code = sl_particle_rows_read(&r, SL_PARTICLE_MASS, *value);
    for (size_t i = 0; i < r.n && code == SL_OK; i++)
        (*value)[i] /= unit;
    *n = r.n;
    return sl_particle_rows_close(&r, code);
}

static void add_masses(struct sl_sum *sum, struct sl_sum_unit unit, size_t n, const double *value)
{
    for (size_t i = 0; i < n; i += SL_SUM_ROW) {
        int64_t row = 0;
        for (size_t k = i; k < n && k < i + SL_SUM_ROW; k++)
            row += sl_sum_term(unit.magic, value[k]);
        sl_sum_add(sum, row);
    }
}

static int add_up(const struct sl_slab *s, const struct sl_particle_source *from, double *mass)
{
    double *value = NULL, most = 0;
    size_t n = 0;
    struct sl_sum sum = {{0, 0}};
    int code = sl_agree(s->comm, read_masses(s, from, &value, &n));
    for (size_t i = 0; i < n && code == SL_OK; i++)
        most = fmax(most, fabs(value[i]));
    if (code == SL_OK) MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, s->comm);
    if (code == SL_OK && !(most < SL_SUM_BOUND))
        code = SL_FAIL(SL_EINPUT, "a particle has a mass of %g", most);
    if (code == SL_OK) {
        const struct sl_sum_unit unit = sl_sum_unit(most);
        add_masses(&sum, unit, n, value);
        MPI_Allreduce(MPI_IN_PLACE, sum.part, 2, MPI_INT64_T, MPI_SUM, s->comm);
        *mass = sl_sum_value(&sum, unit);
    }
    free(value);
    return code;
}

/* As add_masses, of n of one mass. */
static double mass_of_all(double value, size_t n)
{
    const struct sl_sum_unit unit = sl_sum_unit(fabs(value));
    struct sl_sum sum = {{0, 0}};
    const int64_t term = sl_sum_term(unit.magic, value);
    for (size_t i = 0; i < n; i += SL_SUM_ROW)
        sl_sum_add(&sum, term * (int64_t)(n - i < SL_SUM_ROW ? n - i : SL_SUM_ROW));
    return sl_sum_value(&sum, unit);
}

int sl_places_mass(const struct sl_slab *s, const struct sl_particle_source *from, double *mass)
{
    const double length = from->units.length, per = from->units.density * length * length * length;
    struct sl_particle_lists lists;
    bool there;
    SL_TRY(sl_particle_rows_lists(from, s->size, &there, &lists));
    if (there) *mass = mass_of_all(sl_particle_rows_mass(from) / per, lists.n);
    return there ? SL_OK : add_up(s, from, mass);
}
