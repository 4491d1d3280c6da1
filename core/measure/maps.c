/* maps.c - see maps.h. */
#include "core/measure/maps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/show.h"
#include "core/grid/transpose.h"
#include "core/lists/boundary_list.h"
#include "core/measure/device.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct context {
    const struct sl_config *cfg;
    const struct sl_fields *f;
    double **work;
    struct sl_tables *tables;
    int level; /* of the grid of the fields */
    int from;  /* first plane of that grid, across a slice, that the fields have */
};

static const struct about {
    const char *name, *unit, *about;
} abouts[] = {
#define ROW(name, unit, about) {#name, unit, about},
    SL_MAP_LIST(ROW)
#undef ROW
};

int sl_map_cells(const int n[3])
{
    int most = n[0];
    for (int a = 1; a < 3; a++)
        most = n[a] > most ? n[a] : most;
    return (most + SL_MAP_EDGE - 1) / SL_MAP_EDGE;
}

/* ---- derivatives ---- */

/* A field with its neighbours along z. */
struct stencil {
    const struct sl_slab *s;
    const double *f, *down, *up; /* down, up: the planes below and above; NULL: not asked for */
    bool periodic[3];
};

/* Difference over the two neighbours along an axis, or over the one that there is. */
static double slope(const struct stencil *t, int axis, int z, int y, int x)
{
    const struct sl_slab *s = t->s;
    int n = s->n[axis], i = axis == 0 ? x : axis == 1 ? y : s->z0 + z;
    bool lower = i > 0 || t->periodic[axis], upper = i < n - 1 || t->periodic[axis];
    size_t at = ((size_t)z * (size_t)s->n[1] + (size_t)y) * (size_t)s->n[0] + (size_t)x;
    double h = s->length[axis] / n, below, above;
    if (n < 2) return 0;
    if (axis == 2) {
        below = lower ? t->down[at] : t->f[at];
        above = upper ? t->up[at] : t->f[at];
    } else {
        size_t stride = axis == 0 ? 1 : (size_t)s->n[0], line = at - (size_t)i * stride;
        below = t->f[line + (size_t)(lower ? (i + n - 1) % n : i) * stride];
        above = t->f[line + (size_t)(upper ? (i + 1) % n : i) * stride];
    }
    return (above - below) / (h * (lower + upper));
}

/* Fills the planes below and above of a field; without a third axis there are none. */
static int neighbours(const struct context *c, const double *f, double *down, double *up,
                      struct stencil *t)
{
    const struct sl_slab *s = c->f->slab;
    *t = (struct stencil){.s = s, .f = f, .down = down, .up = up};
    for (int a = 0; a < s->dim; a++)
        t->periodic[a] = c->cfg->mesh_boundary[2 * a] == SL_BOUNDARY_periodic;
    if (s->dim < 3) return SL_OK;
    SL_TRY(sl_slab_shift(s, s->n[2] - 1, f, down));
    return sl_slab_shift(s, 1, f, up);
}

/* Adds sign times the derivative of f along an axis. */
static int slope_add(const struct context *c, const double *f, int axis, double sign, double *out)
{
    const struct sl_slab *s = c->f->slab;
    struct stencil t;
    SL_TRY(neighbours(c, f, c->work[1], c->work[2], &t));
    for (int z = 0; z < s->nz; z++)
        for (int y = 0; y < s->n[1]; y++)
            for (int x = 0; x < s->n[0]; x++)
                *out++ += sign * slope(&t, axis, z, y, x);
    return SL_OK;
}

static int divergence(const struct context *c, const double *const v[3], double *out)
{
    memset(out, 0, sl_slab_cells(c->f->slab) * sizeof *out);
    for (int a = 0; a < c->f->slab->dim; a++)
        SL_TRY(slope_add(c, v[a], a, 1, out));
    return SL_OK;
}

/* Adds one component of the curl, or its square, to out. One at most of the two derivatives is
 * along z: first and second share the planes below and above. */
static void curl_add(const struct stencil *first, int first_axis, const struct stencil *second,
                     int second_axis, bool square, double *out)
{
    const struct sl_slab *s = first->s;
    for (int z = 0; z < s->nz; z++)
        for (int y = 0; y < s->n[1]; y++)
            for (int x = 0; x < s->n[0]; x++) {
                double w = slope(first, first_axis, z, y, x) - slope(second, second_axis, z, y, x);
                *out++ += square ? w * w : w;
            }
}

/* Along z in two dimensions, with its sign; the size of the vector in three. */
static int curl(const struct context *c, const double *const v[3], double *out)
{
    const struct sl_slab *s = c->f->slab;
    bool three = s->dim > 2;
    memset(out, 0, sl_slab_cells(s) * sizeof *out);
    for (int i = three ? 0 : 2; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        struct stencil first, second;
        SL_TRY(neighbours(c, k == 2 ? v[j] : v[k], c->work[1], c->work[2], &first));
        second = first;
        first.f = v[k];
        second.f = v[j];
        curl_add(&first, j, &second, k, three, out);
    }
    for (size_t i = 0; three && i < sl_slab_cells(s); i++)
        out[i] = sqrt(out[i]);
    return SL_OK;
}

/* ---- the field of a map ---- */

static void size_of(const struct context *c, const double *const v[3], double *out)
{
    for (size_t i = 0; i < sl_slab_cells(c->f->slab); i++)
        out[i] = sqrt(v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i]);
}

/* Into out, which is work[0]; *field is that, or what was read. */
static int quantity(const struct context *c, int map, double *out, const double **field)
{
    const struct sl_fields *f = c->f;
    *field = out;
    switch (map) {
    case SL_MAP_density:
        *field = f->rho;
        return SL_OK;
    case SL_MAP_pressure:
        *field = f->pressure;
        return SL_OK;
    case SL_MAP_temperature:
        for (size_t i = 0; i < sl_slab_cells(f->slab); i++)
            out[i] = f->pressure[i] / f->rho[i];
        return SL_OK;
    case SL_MAP_speed:
        size_of(c, f->v, out);
        return SL_OK;
    case SL_MAP_vorticity:
        return curl(c, f->v, out);
    case SL_MAP_divergence:
        return divergence(c, f->v, out);
    case SL_MAP_magnetic:
        size_of(c, f->b, out);
        return SL_OK;
    case SL_MAP_current:
        return curl(c, f->b, out);
    case SL_MAP_scalar:
        *field = f->scalar;
        return SL_OK;
    case SL_MAP_potential:
        *field = f->potential;
        return SL_OK;
    case SL_MAP_velocity_x:
    case SL_MAP_velocity_y:
    case SL_MAP_velocity_z:
        *field = f->v[map - SL_MAP_velocity_x];
        return SL_OK;
    default:
        *field = f->b[map - SL_MAP_magnetic_x];
        return SL_OK;
    }
}

/* ---- planes ---- */

/* The axes of a map: columns, lines. */
static void axes_of(int axis, int *column, int *line)
{
    *column = axis == 0 ? 1 : 0;
    *line = axis == 2 ? 1 : 2;
}

/* The plane of a slice, on the whole grid. */
static int64_t plane_of(const struct context *c, int axis)
{
    return sl_show_plane(c->cfg, axis, c->cfg->mesh_cells[axis] << c->level);
}

/* Own cells of plane `at`, in the order of the map; returns how many. */
static int slice_own(const struct sl_slab *s, const double *f, int axis, int at, double *own)
{
    size_t row = (size_t)s->n[0], plane = row * (size_t)s->n[1];
    int n = 0;
    if (axis == 2) {
        if (at < s->z0 || at >= s->z0 + s->nz) return 0;
        memcpy(own, f + (size_t)(at - s->z0) * plane, plane * sizeof *own);
        return (int)plane;
    }
    for (size_t z = 0; z < (size_t)s->nz; z++) {
        const double *from = f + z * plane + (axis == 1 ? (size_t)at * row : (size_t)at);
        for (int i = 0; i < s->n[1 - axis]; i++)
            own[n++] = from[(size_t)i * (axis == 1 ? 1 : row)];
    }
    return n;
}

/* Own sums along the line of sight; along z of rows, which hold all planes. */
static int sum_own(const struct sl_slab *s, const double *f, int axis, double *own)
{
    int outer = axis == 2 ? s->ny : s->nz, middle = axis == 2 ? s->n[2] : s->n[1], inner = s->n[0];
    size_t line = (size_t)middle * (size_t)inner, n = 0;
    if (axis != 0) {
        memset(own, 0, (size_t)outer * (size_t)inner * sizeof *own);
        for (size_t o = 0; o < (size_t)outer; o++)
            for (size_t m = 0; m < (size_t)middle; m++)
                for (size_t i = 0; i < (size_t)inner; i++)
                    own[o * (size_t)inner + i] += f[o * line + m * (size_t)inner + i];
        return outer * inner;
    }
    for (size_t o = 0; o < (size_t)outer * (size_t)middle; o++, n++) {
        own[n] = 0;
        for (size_t i = 0; i < (size_t)inner; i++)
            own[n] += f[o * (size_t)inner + i];
    }
    return (int)n;
}

/* The whole map on rank 0, NULL on others, the caller's to free; summed along the line, or its
 * plane_of. */
static int whole_map(const struct context *c, const double *f, int axis, bool summed, double **map)
{
    const struct sl_slab *s = c->f->slab;
    int column, line, n = 0, total;
    axes_of(axis, &column, &line);
    double *own = malloc(((size_t)s->n[column] * (size_t)s->n[line] + 1) * sizeof *own);
    void *all = NULL;
    int code = sl_agree(s->comm, own ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for a map"));
    if (code == SL_OK && summed && axis == 2) {
        code = sl_transpose_once(s, (size_t)s->n[0], f, c->work[2]);
        f = c->work[2];
    }
    if (code == SL_OK) {
        n = summed ? sum_own(s, f, axis, own)
                   : slice_own(s, f, axis, (int)plane_of(c, axis) - c->from, own);
        code = sl_slab_gather(s, own, n, sizeof *own, &all, &total);
    }
    free(own);
    *map = all;
    return code;
}

/* Of a density that lies on a device, of a lone rank. */
static int lent_map(const struct context *c, int axis, bool summed, double **map)
{
    const struct sl_slab *s = c->f->slab;
    struct sl_stats_device *d = s->device;
    int column, line;
    axes_of(axis, &column, &line);
    SL_TRY(sl_alloc("a map", (size_t)s->n[column] * (size_t)s->n[line], sizeof **map, map));
    int code = summed ? d->lent->along(d, s, &c->f->lent, axis, *map)
                      : d->lent->slice(d, s, &c->f->lent, axis, (int)plane_of(c, axis), *map);
    if (code == SL_OK) return SL_OK;
    free(*map);
    *map = NULL;
    return code;
}

/* ---- tables ---- */

/* Means over the cells of each pixel. */
static void pixels(const struct sl_slab *s, int axis, const double *map, int k, struct sl_table *t)
{
    int column, line;
    axes_of(axis, &column, &line);
    for (int y = 0; y < t->nrow; y++)
        for (int x = 0; x < t->ncol; x++) {
            double sum = 0;
            int n = 0;
            for (int j = y * k; j < (y + 1) * k && j < s->n[line]; j++)
                for (int i = x * k; i < (x + 1) * k && i < s->n[column]; i++, n++)
                    sum += map[(size_t)j * (size_t)s->n[column] + (size_t)i];
            *sl_table_at(t, y, x) = sum / n;
        }
}

/* Particles leave cells empty: they are shown as if they held a thousandth of the mean. */
static void fill_empty(struct sl_table *t)
{
    size_t n = (size_t)t->nrow * (size_t)t->ncol;
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += t->value[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        if (!(t->value[i] > 0)) t->value[i] = 1e-3 * mean;
}

/* Where the middle of a slice's plane lies along its axis; *middle: it is that of the box. */
static double place_of(const struct context *c, int axis, bool *middle)
{
    int64_t n = c->cfg->mesh_cells[axis] << c->level, plane = plane_of(c, axis);
    double low = c->cfg->mesh_box[2 * axis], side = c->cfg->mesh_box[2 * axis + 1] - low;
    *middle = axis >= c->cfg->mesh_cells_n || plane == n / 2;
    if (n == 0) return 0;
    return low + ((double)plane + 0.5) * side / (double)n;
}

/* What a slice or projection says of its line of sight. */
static void where_of(const struct context *c, int of, int axis, bool summed, char where[64])
{
    bool middle, density = of == SL_MAP_density;
    double at = place_of(c, axis, &middle);
    if (summed)
        snprintf(where, 64, "%s along %c", density ? "" : ", mean by mass", 'x' + axis);
    else if (middle)
        snprintf(where, 64, " in the middle plane along %c", 'x' + axis);
    else
        snprintf(where, 64, " in the plane at %c = %.6g", 'x' + axis, at);
}

/* On rank 0. */
static int table(const struct context *c, int of, int axis, bool summed, const double *map)
{
    const struct sl_slab *s = c->f->slab;
    const char *kind = summed ? "projection" : "slice", sight = (char)('x' + axis);
    bool density = of == SL_MAP_density, middle;
    double at = place_of(c, axis, &middle);
    char name[SL_TABLE_NAME], about[400], unit[SL_TABLE_UNIT], where[64];
    int column, line, k = sl_map_cells(s->n);
    struct sl_table *t;
    axes_of(axis, &column, &line);
    snprintf(name, sizeof name, "%s_%s_%c", kind, abouts[of].name, sight);
    where_of(c, of, axis, summed, where);
    snprintf(about, sizeof about, "%s%s%s%s; lines are %c, columns %c", density ? "log10 of " : "",
             density && summed ? "the integral of " : "", abouts[of].about, where, 'x' + line,
             'x' + column);
    snprintf(unit, sizeof unit, "%s%s%s", density ? "log10 of " : "", abouts[of].unit,
             density && summed ? " code length" : "");
    SL_TRY(sl_fields_table(c->f, c->tables, name, (s->n[line] + k - 1) / k,
                           (s->n[column] + k - 1) / k, &t, about));
    t->matrix = true;
    sl_table_column(t, 0, "map", unit);
    sl_table_note(t, "cells", k);
    if (c->cfg->mesh_levels > 0) sl_table_note(t, "level", c->level);
    if (!summed && !middle) sl_table_note(t, "plane", at);
    pixels(s, axis, map, k, t);
    if (density && !sl_config_has_gas(c->cfg)) fill_empty(t);
    for (size_t i = 0; density && i < (size_t)t->nrow * (size_t)t->ncol; i++)
        t->value[i] = log10(t->value[i] * (summed ? s->length[axis] / s->n[axis] : 1));
    return SL_OK;
}

static int map_add(const struct context *c, int of, int axis, bool summed, const double *map)
{
    return sl_agree(c->f->slab->comm,
                    c->f->slab->rank == 0 ? table(c, of, axis, summed, map) : SL_OK);
}

static int slice(const struct context *c, const double *f, int of, int axis)
{
    double *map;
    SL_TRY(c->f->lent.contrast ? lent_map(c, axis, false, &map)
                               : whole_map(c, f, axis, false, &map));
    int code = map_add(c, of, axis, false, map);
    free(map);
    return code;
}

/* Sums of rho times the field over those of rho; of the density its sums. */
static int projection(const struct context *c, const double *f, int of, int axis)
{
    const struct sl_slab *s = c->f->slab;
    double *map = NULL, *mass = NULL;
    int column, line, code = SL_OK;
    axes_of(axis, &column, &line);
    if (of != SL_MAP_density) {
        for (size_t i = 0; i < sl_slab_cells(s); i++)
            c->work[1][i] = f[i] * c->f->rho[i];
        code = whole_map(c, c->work[1], axis, true, &map);
    }
    if (code == SL_OK)
        code = c->f->lent.contrast ? lent_map(c, axis, true, &mass)
                                   : whole_map(c, c->f->rho, axis, true, &mass);
    for (size_t i = 0; code == SL_OK && map && i < (size_t)s->n[column] * (size_t)s->n[line]; i++)
        map[i] /= mass[i];
    if (code == SL_OK) code = map_add(c, of, axis, true, map ? map : mass);
    free(map);
    free(mass);
    return code;
}

int sl_map_slices(const struct sl_config *cfg, const struct sl_fields *f, int level, int axis,
                  int from, double *work[3], struct sl_tables *tables)
{
    struct context c = {cfg, f, work, tables, level, from};
    unsigned maps = sl_show_maps(cfg);
    for (int of = 0; of < SL_MAPS; of++) {
        const double *field;
        if (!(maps >> of & 1)) continue;
        SL_TRY(quantity(&c, of, work[0], &field));
        SL_TRY(slice(&c, field, of, axis));
    }
    return SL_OK;
}

int sl_maps_make(const struct sl_config *cfg, const struct sl_fields *f, double *work[3],
                 struct sl_tables *tables)
{
    struct context c = {cfg, f, work, tables, (int)cfg->statistics_level, 0};
    unsigned maps = sl_show_maps(cfg);
    bool projections = f->slab->dim > 2;
    if (sl_show_map_level(cfg) != c.level) return SL_OK; /* on a finer grid, by sl_map_sums */
    for (int of = 0; of < SL_MAPS; of++) {
        const double *field;
        if (!(maps >> of & 1)) continue;
        SL_TRY(quantity(&c, of, work[0], &field));
        for (int axis = 0; axis < 3; axis++) {
            if (!(cfg->statistics_map_axes >> axis & 1)) continue;
            SL_TRY(slice(&c, field, of, axis));
            if (projections) SL_TRY(projection(&c, field, of, axis));
        }
    }
    return SL_OK;
}

/* ---- sums along lines of sight, some planes at a time ---- */

struct sl_map_sums {
    const struct sl_config *cfg; /* borrowed */
    int level, n[3];
    unsigned maps;
    double *mass[3], *sum[SL_MAPS][3]; /* owned; NULL where nobody asks */
};

void sl_map_sums_free(struct sl_map_sums *s)
{
    for (int axis = 0; s && axis < 3; axis++) {
        free(s->mass[axis]);
        for (int of = 0; of < SL_MAPS; of++)
            free(s->sum[of][axis]);
    }
    free(s);
}

static int sums_room(struct sl_map_sums *s, double **to, int axis)
{
    int column, line;
    axes_of(axis, &column, &line);
    *to = calloc((size_t)s->n[column] * (size_t)s->n[line], sizeof **to);
    SL_CHECK(*to, SL_EMEM, "out of memory for a map");
    return SL_OK;
}

static int sums_rooms(struct sl_map_sums *s)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!(s->cfg->statistics_map_axes >> axis & 1)) continue;
        SL_TRY(sums_room(s, &s->mass[axis], axis));
        for (int of = 0; of < SL_MAPS; of++)
            if (s->maps >> of & 1 && of != SL_MAP_density)
                SL_TRY(sums_room(s, &s->sum[of][axis], axis));
    }
    return SL_OK;
}

int sl_map_sums_new(const struct sl_config *cfg, int level, const int n[3],
                    struct sl_map_sums **out)
{
    struct sl_map_sums *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "out of memory for a map");
    s->cfg = cfg;
    s->level = level;
    s->maps = sl_show_maps(cfg);
    for (int a = 0; a < 3; a++)
        s->n[a] = n[a];
    int code = sums_rooms(s);
    if (code == SL_OK)
        *out = s;
    else
        sl_map_sums_free(s);
    return code;
}

/* One plane, z of the grid. */
static void plane_add(const struct sl_map_sums *s, const double *f, const double *weight, int z,
                      double *const to[3])
{
    size_t nx = (size_t)s->n[0], ny = (size_t)s->n[1], at = (size_t)z;
    for (size_t y = 0; y < ny; y++)
        for (size_t x = 0; x < nx; x++) {
            double v = f[y * nx + x] * (weight ? weight[y * nx + x] : 1);
            if (to[0]) to[0][at * ny + y] += v;
            if (to[1]) to[1][at * nx + x] += v;
            if (to[2]) to[2][y * nx + x] += v;
        }
}

int sl_map_sums_add(struct sl_map_sums *s, const struct sl_fields *f, int first, int count, int z,
                    double *work[3])
{
    struct context c = {s->cfg, f, work, NULL, s->level, 0};
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    for (int p = first; p < first + count; p++)
        plane_add(s, f->rho + (size_t)p * plane, NULL, z + p - first, s->mass);
    for (int of = 0; of < SL_MAPS; of++) {
        const double *field;
        if (!(s->maps >> of & 1) || of == SL_MAP_density) continue;
        SL_TRY(quantity(&c, of, work[0], &field));
        for (int p = first; p < first + count; p++)
            plane_add(s, field + (size_t)p * plane, f->rho + (size_t)p * plane, z + p - first,
                      s->sum[of]);
    }
    return SL_OK;
}

int sl_map_sums_tables(struct sl_map_sums *s, const struct sl_fields *like,
                       struct sl_tables *tables)
{
    struct context c = {s->cfg, like, NULL, tables, s->level, 0};
    for (int of = 0; of < SL_MAPS; of++)
        for (int axis = 0; axis < 3; axis++) {
            double *map = of == SL_MAP_density ? s->mass[axis] : s->sum[of][axis];
            int column, line;
            axes_of(axis, &column, &line);
            size_t n = (size_t)s->n[column] * (size_t)s->n[line];
            if (!(s->maps >> of & 1) || !map) continue;
            for (size_t i = 0; of != SL_MAP_density && i < n; i++)
                map[i] /= s->mass[axis][i];
            SL_TRY(table(&c, of, axis, true, map));
        }
    return SL_OK;
}
