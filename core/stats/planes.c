/* planes.c - see planes.h. */
#include "core/stats/planes.h"
#include "core/lists/boundary_list.h"
#include "core/lists/mhd_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/show.h"
#include "core/measure/maps.h"
#include "core/sys/status.h"

enum { FIELDS_MOST = 10, WORKS = 3 };

static int wanted(const struct sl_config *cfg, const char *name[FIELDS_MOST])
{
    if (!sl_config_has_gas(cfg)) return 0;
    static const char *const all[] = {"dens", "velx", "vely", "velz", "magx", "magy", "magz"};
    int n = cfg->fluid_mhd == SL_MHD_none ? 4 : 7;
    memcpy(name, all, (size_t)n * sizeof *name);
    if (sl_show_pressure(cfg)) name[n++] = "pres";
    if (sl_show_maps(cfg) >> SL_MAP_scalar & 1) name[n++] = "sc01";
    if (sl_show_maps(cfg) >> SL_MAP_potential & 1) name[n++] = "gpot";
    return n;
}

int sl_planes_count(const struct sl_config *cfg)
{
    const char *name[FIELDS_MOST];
    return sl_config_has_gas(cfg) ? wanted(cfg, name) : 1;
}

int sl_planes_read(const struct sl_config *cfg, const struct sl_snapshot *snapshot, int level,
                   const int64_t lo[3], const int64_t hi[3], double *out)
{
    const char *name[FIELDS_MOST];
    int nfield = wanted(cfg, name);
    size_t cells = 1;
    for (int d = 0; d < 3; d++)
        cells *= (size_t)(hi[d] - lo[d]);
    for (int f = 0; f < nfield && cells > 0; f++)
        SL_TRY(sl_snapshot_read_level(snapshot, name[f], level, lo, hi, out + (size_t)f * cells));
    return SL_OK;
}

struct sl_fields sl_planes_fields(const struct sl_config *cfg, const struct sl_slab *slab,
                                  const double *data)
{
    size_t cells = sl_slab_cells(slab);
    bool field = cfg->fluid_mhd != SL_MHD_none;
    size_t other = field ? 7 : 4;
    struct sl_fields f = {.slab = slab, .rho = data};
    if (!sl_config_has_gas(cfg)) return f;
    if (sl_show_pressure(cfg)) f.pressure = data + other++ * cells;
    if (sl_show_maps(cfg) >> SL_MAP_scalar & 1) f.scalar = data + other++ * cells;
    if (sl_show_maps(cfg) >> SL_MAP_potential & 1) f.potential = data + other * cells;
    for (size_t d = 0; d < 3; d++) {
        f.v[d] = data + (1 + d) * cells;
        f.b[d] = field ? data + (4 + d) * cells : NULL;
    }
    return f;
}

/* ---- slices of a finer grid ---- */

/* The plane along an axis with its neighbours, of which slopes are made; all of a plane in two
 * dimensions. */
static void box_of(const struct sl_config *cfg, const struct sl_snapshot_info *info, int level,
                   int axis, struct sl_slab *slab, int64_t lo[3], int64_t hi[3])
{
    int n[3];
    double length[3];
    for (int d = 0; d < 3; d++) {
        int64_t all = d < info->dim ? info->cells[d] << level : 1;
        int64_t plane = sl_show_plane(cfg, d, all);
        bool cut = d == axis && d < info->dim;
        lo[d] = cut && plane > 0 ? plane - 1 : 0;
        hi[d] = cut && plane + 2 < all ? plane + 2 : all;
        n[d] = (int)(hi[d] - lo[d]);
        length[d] = (info->hi[d] - info->lo[d]) * n[d] / (double)all;
    }
    sl_slab_init(MPI_COMM_SELF, info->dim, n, length, slab);
}

static int slices_across(const struct sl_config *cfg, const struct sl_snapshot *snapshot, int axis,
                         const struct sl_fields *like, struct sl_tables *tables)
{
    struct sl_slab slab;
    int64_t lo[3], hi[3];
    int level = sl_show_map_level(cfg);
    size_t nfield = (size_t)sl_planes_count(cfg);
    box_of(cfg, sl_snapshot_about(snapshot), level, axis, &slab, lo, hi);
    size_t cells = sl_slab_cells(&slab);
    double *data = malloc((nfield + WORKS) * cells * sizeof *data), *work[WORKS];
    SL_CHECK(data, SL_EMEM, "out of memory for %zu cells of a slice", cells);
    for (size_t i = 0; i < WORKS; i++)
        work[i] = data + (nfield + i) * cells;
    int code = sl_planes_read(cfg, snapshot, level, lo, hi, data);
    struct sl_fields f = sl_planes_fields(cfg, &slab, data);
    f.number = like->number;
    f.time = like->time;
    f.scale_factor = like->scale_factor;
    if (code == SL_OK) code = sl_map_slices(cfg, &f, level, axis, (int)lo[axis], work, tables);
    free(data);
    return code;
}

/* ---- projections of a finer grid ---- */

/* Some planes of the grid at a time, with a neighbour on either side. */
struct chunk {
    const struct sl_config *cfg;
    const struct sl_snapshot *snapshot;
    int level, n[3];
    double length[3]; /* of the box */
    bool around;      /* the box is periodic along z */
    double *part, *data, *work[WORKS];
};

static int chunk_room(struct chunk *c)
{
    size_t plane = (size_t)c->n[0] * (size_t)c->n[1], most = SL_MAP_PLANES + 2;
    size_t nfield = (size_t)sl_planes_count(c->cfg);
    c->data = malloc((nfield * (most + 1) + WORKS * most) * plane * sizeof *c->data);
    SL_CHECK(c->data, SL_EMEM, "out of memory for %zu cells of a map", most * plane);
    for (size_t i = 0; i < WORKS; i++)
        c->work[i] = c->data + (nfield + i) * most * plane;
    c->part = c->data + (nfield + WORKS) * most * plane;
    return SL_OK;
}

/* Planes lo <= z < hi of all fields; of a periodic box those beyond its ends are there, too. */
static int chunk_read(const struct chunk *c, int lo, int hi)
{
    size_t plane = (size_t)c->n[0] * (size_t)c->n[1], planes = (size_t)(hi - lo);
    if (lo >= 0 && hi <= c->n[2])
        return sl_planes_read(c->cfg, c->snapshot, c->level, (const int64_t[3]){0, 0, lo},
                              (const int64_t[3]){c->n[0], c->n[1], hi}, c->data);
    for (int z = lo; z < hi; z++) {
        int from = (z + c->n[2]) % c->n[2];
        SL_TRY(sl_planes_read(c->cfg, c->snapshot, c->level, (const int64_t[3]){0, 0, from},
                              (const int64_t[3]){c->n[0], c->n[1], from + 1}, c->part));
        for (size_t f = 0; f < (size_t)sl_planes_count(c->cfg); f++)
            memcpy(c->data + (f * planes + (size_t)(z - lo)) * plane, c->part + f * plane,
                   plane * sizeof *c->data);
    }
    return SL_OK;
}

/* Adds the planes z0 <= z < z1. */
static int chunk_add(struct chunk *c, int z0, int z1, struct sl_map_sums *sums)
{
    int lo = c->around || z0 > 0 ? z0 - 1 : 0, hi = c->around || z1 < c->n[2] ? z1 + 1 : z1;
    int n[3] = {c->n[0], c->n[1], hi - lo};
    double length[3] = {c->length[0], c->length[1], c->length[2] / c->n[2] * n[2]};
    struct sl_slab slab;
    SL_TRY(chunk_read(c, lo, hi));
    sl_slab_init(MPI_COMM_SELF, 3, n, length, &slab);
    struct sl_fields f = sl_planes_fields(c->cfg, &slab, c->data);
    return sl_map_sums_add(sums, &f, z0 - lo, z1 - z0, z0, c->work);
}

static int chunks_add(struct chunk *c, const struct sl_fields *like, struct sl_tables *tables)
{
    struct sl_map_sums *sums;
    struct sl_slab whole;
    struct sl_fields about = *like;
    SL_TRY(sl_map_sums_new(c->cfg, c->level, c->n, &sums));
    int code = chunk_room(c);
    for (int z = 0; z < c->n[2] && code == SL_OK; z += SL_MAP_PLANES)
        code = chunk_add(c, z, z + SL_MAP_PLANES < c->n[2] ? z + SL_MAP_PLANES : c->n[2], sums);
    sl_slab_init(MPI_COMM_SELF, 3, c->n, c->length, &whole);
    about.slab = &whole;
    if (code == SL_OK) code = sl_map_sums_tables(sums, &about, tables);
    free(c->data);
    sl_map_sums_free(sums);
    return code;
}

static int projections(const struct sl_config *cfg, const struct sl_snapshot *snapshot,
                       const struct sl_fields *like, struct sl_tables *tables)
{
    const struct sl_snapshot_info *info = sl_snapshot_about(snapshot);
    struct chunk c = {.cfg = cfg, .snapshot = snapshot, .level = sl_show_map_level(cfg)};
    c.around = cfg->mesh_boundary[4] == SL_BOUNDARY_periodic;
    for (int d = 0; d < 3; d++) {
        c.n[d] = (int)(info->cells[d] << c.level);
        c.length[d] = info->hi[d] - info->lo[d];
    }
    return chunks_add(&c, like, tables);
}

int sl_planes_maps(const struct sl_config *cfg, const struct sl_snapshot *snapshot,
                   const struct sl_fields *like, struct sl_tables *tables)
{
    if (sl_show_map_level(cfg) == cfg->statistics_level || !sl_show_maps(cfg)) return SL_OK;
    for (int axis = 0; axis < 3; axis++)
        if (cfg->statistics_map_axes >> axis & 1)
            SL_TRY(slices_across(cfg, snapshot, axis, like, tables));
    if (sl_config_dim(cfg) < 3) return SL_OK;
    return projections(cfg, snapshot, like, tables);
}
