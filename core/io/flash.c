/* flash.c - see flash.h. */
#include "core/io/flash.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/cosmo/expansion.h"
#include "core/cosmo/thermal.h"
#include "core/io/h5.h"
#include "core/io/vtkhdf.h"
#include "core/sys/status.h"

/* (cm/s)^2 per K of a gas of hydrogen atoms. */
static const double kelvin = 1e10 * SL_BOLTZMANN_OVER_HYDROGEN;

/* ---- code units of fields -------------------------------------------------------------------- */

static double scale_density(const struct sl_flash *s)
{
    return s->density;
}

static double scale_velocity(const struct sl_flash *s)
{
    return s->velocity;
}

static double scale_pressure(const struct sl_flash *s)
{
    return s->density * s->velocity * s->velocity;
}

static double scale_energy(const struct sl_flash *s)
{
    return s->velocity * s->velocity;
}

/* Of an expanding universe that of comoving coordinates, the peculiar one over a^2. */
static double scale_potential(const struct sl_flash *s)
{
    return scale_energy(s);
}

static double scale_temperature(const struct sl_flash *s)
{
    return s->weight > 0 ? s->velocity * s->velocity * s->weight / kelvin : 1;
}

/* Of a field whose pressure is B^2 / 2. */
static double scale_magnetic(const struct sl_flash *s)
{
    double heaviside = sqrt(s->density) * s->velocity;
    return s->cgs ? sqrt(4 * acos(-1)) * heaviside : heaviside;
}

double sl_flash_scale(const struct sl_flash *s, int f)
{
    static double (*const list[])(const struct sl_flash *) = {
#define SCALE(name, file, unit, yt, where, about) scale_##unit,
        SL_FIELD_LIST(SCALE)
#undef SCALE
    };
    return f < SL_FIELD_SCALAR ? list[f](s) : 1;
}

static double time_scale(const struct sl_flash *s)
{
    return s->length / s->velocity;
}

/* The age of an expanding universe, else since the start. */
static double time_of(const struct sl_flash *s)
{
    const struct sl_expansion *e = s->universe;
    return e ? SL_GYR_S * sl_cosmology_age(&e->u.c, s->scale_factor)
             : s->state->time * time_scale(s);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static int put_boxes(hid_t file, const struct sl_flash *s)
{
    size_t n = (size_t)s->nblock;
    double *box = malloc(n * 12 * sizeof *box), *centre = box + n * 6, *size = box + n * 9;
    SL_CHECK(box, SL_EMEM, "no memory for the boxes of %zu blocks", n);
    for (size_t b = 0; b < n; b++)
        for (size_t a = 0; a < 3; a++) {
            double lo = s->block[b].lo[a], hi = s->block[b].hi[a];
            bool real = (int)a < s->state->mesh->dim;
            double unit = real ? s->length : 1;
            box[b * 6 + a * 2] = lo * unit;
            box[b * 6 + a * 2 + 1] = hi * unit;
            centre[b * 3 + a] = 0.5 * (lo + hi) * unit;
            size[b * 3 + a] = (hi - lo) * unit;
        }
    const hsize_t shape[3] = {n, 3, 2};
    int code = sl_h5_put_array(file, "bounding box", H5T_NATIVE_DOUBLE, 3, shape, box);
    if (code == SL_OK)
        code = sl_h5_put_array(file, "coordinates", H5T_NATIVE_DOUBLE, 2, shape, centre);
    if (code == SL_OK)
        code = sl_h5_put_array(file, "block size", H5T_NATIVE_DOUBLE, 2, shape, size);
    free(box);
    return code;
}

static int put_zeros(hid_t file, const struct sl_flash *s, const char *name)
{
    int *list = calloc((size_t)s->nblock, sizeof *list);
    SL_CHECK(list, SL_EMEM, "no memory for %s", name);
    const hsize_t shape = (hsize_t)s->nblock;
    int code = sl_h5_put_array(file, name, H5T_NATIVE_INT, 1, &shape, list);
    free(list);
    return code;
}

struct key {
    int64_t level, at[3], row;
};

static int compare(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    for (int d = 2; d >= 0; d--)
        if (x->at[d] != y->at[d]) return x->at[d] < y->at[d] ? -1 : 1;
    return 0;
}

static struct key key_of(const struct sl_flash *s, int64_t row)
{
    const struct sl_flash_block *b = &s->block[row];
    return (struct key){b->level, {b->at[0], b->at[1], b->at[2]}, row};
}

static struct key parent_of(const struct key *k, int dim)
{
    struct key p = {k->level - 1, {0, 0, 0}, -1};
    for (int a = 0; a < dim; a++)
        p.at[a] = k->at[a] >> 1;
    return p;
}

/* The columns of a block: neighbours, which are left out (-1), its parent, its children, x fastest.
 * Blocks are counted from 1. */
static int relate(const struct sl_flash *s, const struct key *sorted, int width, int *gid)
{
    int dim = s->state->mesh->dim;
    for (size_t i = 0; i < (size_t)s->nblock * (size_t)width; i++)
        gid[i] = -1;
    for (int64_t i = 0; i < s->nblock; i++) {
        const struct key *k = &sorted[i], want = parent_of(k, dim), *parent;
        int child = 0;
        if (k->level == 0) continue;
        parent = bsearch(&want, sorted, (size_t)s->nblock, sizeof want, compare);
        SL_CHECK(parent, SL_EINPUT, "block %" PRId64 " has no parent", k->row);
        for (int a = 0; a < dim; a++)
            child |= (int)(k->at[a] & 1) << a;
        gid[k->row * width + 2 * dim] = (int)parent->row + 1;
        gid[parent->row * width + 2 * dim + 1 + child] = (int)k->row + 1;
    }
    return SL_OK;
}

/* 1: a leaf, 2: a parent of leaves, 3: a parent of parents alone. */
static void types(const struct sl_flash *s, const int *gid, int width, int *type)
{
    int dim = s->state->mesh->dim;
    for (int64_t b = 0; b < s->nblock; b++)
        type[b] = s->block[b].leaf ? 1 : 3;
    for (int64_t b = 0; b < s->nblock; b++) {
        int parent = gid[b * width + 2 * dim];
        if (parent > 0 && s->block[b].leaf) type[parent - 1] = 2;
    }
}

static int put_relatives(hid_t file, const struct sl_flash *s)
{
    int dim = s->state->mesh->dim, width = 2 * dim + 1 + (1 << dim);
    size_t n = (size_t)s->nblock;
    const hsize_t shape[2] = {n, (hsize_t)width};
    struct key *sorted = malloc(n * sizeof *sorted);
    int *gid = malloc(n * (size_t)(width + 1) * sizeof *gid), *type = gid + n * (size_t)width;
    int code = sorted && gid ? SL_OK : SL_FAIL(SL_EMEM, "no memory for the tree");
    for (size_t b = 0; b < n && code == SL_OK; b++)
        sorted[b] = key_of(s, (int64_t)b);
    if (code == SL_OK) {
        qsort(sorted, n, sizeof *sorted, compare);
        code = relate(s, sorted, width, gid);
    }
    if (code == SL_OK) types(s, gid, width, type);
    if (code == SL_OK) code = sl_h5_put_array(file, "gid", H5T_NATIVE_INT, 2, shape, gid);
    if (code == SL_OK) code = sl_h5_put_array(file, "node type", H5T_NATIVE_INT, 1, shape, type);
    free(gid);
    free(sorted);
    return code;
}

static int put_levels(hid_t group, const struct sl_flash *s, const char *name, int first)
{
    int *list = malloc((size_t)s->nblock * sizeof *list);
    SL_CHECK(list, SL_EMEM, "no memory for %s", name);
    for (int64_t b = 0; b < s->nblock; b++)
        list[b] = s->block[b].level + first;
    const hsize_t shape = (hsize_t)s->nblock;
    int code = sl_h5_put_array(group, name, H5T_NATIVE_INT, 1, &shape, list);
    free(list);
    return code;
}

static int put_tree(hid_t file, const struct sl_flash *s)
{
    SL_TRY(put_boxes(file, s));
    SL_TRY(put_relatives(file, s));
    SL_TRY(put_levels(file, s, "refine level", 1));
    return put_zeros(file, s, "processor number");
}

static int put_names(hid_t file, const struct sl_flash *s)
{
    char list[SL_FIELD_MAX][4];
    for (int f = 0; f < s->nfield; f++)
        memcpy(list[f], sl_field_about(sl_field_at(s->state, f)).name, 4);
    const hsize_t shape[2] = {(hsize_t)s->nfield, 1};
    hid_t type = sl_h5_text(4);
    int code = sl_h5_put_array(file, "unknown names", type, 2, shape, list);
    H5Tclose(type);
    return code;
}

/* ---- the parameter tables -------------------------------------------------------------------- */

enum { NAME = 80, ROWS = 24 };
struct table {
    const char *title;
    hid_t type;   /* of a value */
    size_t value; /* its bytes */
    int n;
    char row[ROWS][NAME + 80];
};

static void add(struct table *t, const char *name, const void *value)
{
    char padded[NAME + 1];
    if (t->n == ROWS) SL_BUG("table %s is full", t->title);
    char *row = t->row[t->n++];
    snprintf(padded, sizeof padded, "%-80s", name);
    memcpy(row, padded, NAME);
    memcpy(row + NAME, value, t->value);
}

static void add_int(struct table *t, const char *name, int64_t value)
{
    int v = (int)value;
    add(t, name, &v);
}

static void add_real(struct table *t, const char *name, double value)
{
    add(t, name, &value);
}

static void add_text(struct table *t, const char *name, const char *value)
{
    char padded[80 + 1];
    snprintf(padded, sizeof padded, "%-80s", value);
    add(t, name, padded);
}

static int put_table(hid_t file, struct table *t)
{
    hid_t name = sl_h5_text(NAME), type = H5Tcreate(H5T_COMPOUND, NAME + t->value);
    char *packed = malloc((size_t)t->n * (NAME + t->value));
    SL_CHECK(packed, SL_EMEM, "no memory for %s", t->title);
    for (int i = 0; i < t->n; i++)
        memcpy(packed + (size_t)i * (NAME + t->value), t->row[i], NAME + t->value);
    H5Tinsert(type, "name", 0, name);
    H5Tinsert(type, "value", NAME, t->type);
    const hsize_t shape = (hsize_t)t->n;
    int code = sl_h5_put_array(file, t->title, type, 1, &shape, packed);
    H5Tclose(type);
    H5Tclose(name);
    free(packed);
    return code;
}

static int put_ints(hid_t file, const struct sl_flash *s)
{
    const struct sl_mesh *m = s->state->mesh;
    static const char *const nb[] = {"nxb", "nyb", "nzb"};
    static const char *const root[] = {"nblockx", "nblocky", "nblockz"};
    struct table scalar = {
        .title = "integer scalars", .type = H5T_NATIVE_INT, .value = sizeof(int)};
    struct table param = scalar;
    param.title = "integer runtime parameters";
    for (int a = 0; a < 3; a++) {
        add_int(&scalar, nb[a], m->n[a]);
        add_int(&param, root[a], a < m->dim ? m->spec.cells[a] / m->spec.block[a] : 1);
    }
    add_int(&scalar, "dimensionality", m->dim);
    add_int(&scalar, "globalnumblocks", s->nblock);
    add_int(&scalar, "nstep", s->state->step);
    add_int(&param, "lrefine_min", 1);
    add_int(&param, "lrefine_max", s->nlevel);
    SL_TRY(put_table(file, &scalar));
    return put_table(file, &param);
}

/* What FLASH tells of an expanding universe; its rate is in 1/s. */
static void add_universe(const struct sl_flash *s, struct table *scalar, struct table *param)
{
    const struct sl_cosmology *c = &s->universe->u.c;
    add_real(scalar, "scalefactor", s->scale_factor);
    add_real(scalar, "redshift", 1 / s->scale_factor - 1);
    add_real(param, "hubbleconstant", 100 * c->h / SL_MPC_KM);
    add_real(param, "omegamatter", sl_cosmology_all(c));
    add_real(param, "omegabaryon", c->omega_b);
    add_real(param, "cosmologicalconstant", c->omega_de);
}

static int put_reals(hid_t file, const struct sl_flash *s)
{
    const struct sl_mesh_spec *spec = &s->state->mesh->spec;
    static const char *const lo[] = {"xmin", "ymin", "zmin"}, *const hi[] = {"xmax", "ymax",
                                                                             "zmax"};
    struct table scalar = {
        .title = "real scalars", .type = H5T_NATIVE_DOUBLE, .value = sizeof(double)};
    struct table param = scalar;
    param.title = "real runtime parameters";
    add_real(&scalar, "time", time_of(s));
    add_real(&scalar, "dt", s->state->dt * time_scale(s));
    if (s->universe) add_universe(s, &scalar, &param);
    for (int a = 0; a < 3; a++) {
        add_real(&param, lo[a], a < spec->dim ? spec->lo[a] * s->length : 0);
        add_real(&param, hi[a], a < spec->dim ? spec->hi[a] * s->length : 1);
    }
    add_real(&param, "gamma", s->state->layout.energy < 0 ? 1 : (double)s->state->gas.gamma);
    SL_TRY(put_table(file, &scalar));
    return put_table(file, &param);
}

static const char *boundary_name(enum sl_boundary b)
{
    static const char *const name[] = {
        [SL_BOUNDARY_periodic] = "periodic",     [SL_BOUNDARY_outflow] = "outflow",
        [SL_BOUNDARY_reflecting] = "reflecting", [SL_BOUNDARY_conducting] = "reflecting",
        [SL_BOUNDARY_symmetric] = "reflecting",  [SL_BOUNDARY_fixed] = "user"};
    return name[b];
}

static int put_texts(hid_t file, const struct sl_flash *s)
{
    static const char *const side[] = {"xl", "xr", "yl", "yr", "zl", "zr"};
    struct table param = {
        .title = "string runtime parameters", .type = sl_h5_text(80), .value = 80};
    struct table scalar = param;
    scalar.title = "string scalars";
    for (int f = 0; f < 6; f++) {
        char name[32];
        bool real = f / 2 < s->state->mesh->dim;
        snprintf(name, sizeof name, "%s_boundary_type", side[f]);
        add_text(&param, name, real ? boundary_name(s->state->mesh->spec.boundary[f]) : "periodic");
    }
    add_text(&param, "geometry", "cartesian");
    add_text(&param, "unitsystem", s->cgs ? "cgs" : "none");
    add_text(&scalar, "geometry", "cartesian");
    int code = put_table(file, &param);
    if (code == SL_OK) code = put_table(file, &scalar);
    struct table logical = {
        .title = "logical runtime parameters", .type = H5T_NATIVE_INT, .value = sizeof(int)};
    add_int(&logical, "useparticles", s->nparticle > 0);
    if (s->universe) add_int(&logical, "usecosmology", 1);
    if (code == SL_OK) code = put_table(file, &logical);
    H5Tclose(param.type);
    return code;
}

/* One record of texts about the program; readers ask it for the format version. */
static int put_info(hid_t file, const struct sl_flash *s)
{
    const struct {
        const char *name, *value;
        size_t size;
    } part[] = {{"setup call", s->state->cfg->campaign, 400},
                {"file creation time", sl_provenance_get(s->p, "started"), 80},
                {"flash version", sl_provenance_get(s->p, "code"), 80},
                {"build date", "", 80},
                {"build dir", "", 80},
                {"build machine", sl_provenance_get(s->p, "host"), 80},
                {"cflags", sl_provenance_get(s->p, "flags"), 400},
                {"fflags", "", 400},
                {"setup time stamp", "", 80},
                {"build time stamp", "", 80}};
    enum { PARTS = sizeof part / sizeof *part, SIZE = sizeof(int) + 7 * 80 + 3 * 400 };
    char record[SIZE] = {0};
    const int version = 9;
    hid_t type = H5Tcreate(H5T_COMPOUND, SIZE);
    size_t at = sizeof version;
    memcpy(record, &version, sizeof version);
    H5Tinsert(type, "file format version", 0, H5T_NATIVE_INT);
    for (size_t i = 0; i < PARTS; at += part[i++].size) {
        hid_t text = sl_h5_text(part[i].size);
        H5Tinsert(type, part[i].name, at, text);
        H5Tclose(text);
        snprintf(record + at, part[i].size, "%s", part[i].value);
    }
    const hsize_t shape = 1;
    int code = sl_h5_put_array(file, "sim info", type, 1, &shape, record);
    H5Tclose(type);
    return code;
}

/* ---- fields ---------------------------------------------------------------------------------- */

hid_t sl_flash_type(const struct sl_flash *s)
{
    return s->single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

/* Makes room for a dataset whose bytes are written later, not through HDF5. */
static int make_room(hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape,
                     int64_t *where)
{
    hid_t dcpl = sl_h5_dataset(), space = H5Screate_simple(rank, shape, NULL);
    H5Pset_layout(dcpl, H5D_CONTIGUOUS);
    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    hssize_t values = H5Sget_simple_extent_npoints(space);
    haddr_t at = set < 0 ? HADDR_UNDEF : values == 0 ? 0 : H5Dget_offset(set);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Pclose(dcpl);
    SL_CHECK(at != HADDR_UNDEF, SL_EIO, "cannot make room for dataset %s", name);
    *where = (int64_t)at;
    return SL_OK;
}

static int put_fields(hid_t file, const struct sl_flash *s, int64_t *where)
{
    const int *n = s->state->mesh->n;
    const hsize_t shape[4] = {(hsize_t)s->nblock, (hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0]};
    for (int f = 0; f < s->nfield; f++)
        SL_TRY(make_room(file, sl_field_about(sl_field_at(s->state, f)).name, sl_flash_type(s), 4,
                         shape, &where[f]));
    return SL_OK;
}

/* ---- particles ------------------------------------------------------------------------------- */

/* As FLASH names the properties of particles, which lie in the order of the blocks. */
static int put_particles(hid_t file, const struct sl_flash *s, int64_t *where)
{
    static const char *const name[SL_FLASH_PARTICLE] = {"posx", "posy", "posz", "velx", "vely",
                                                        "velz", "mass", "tag",  "blk"};
    char list[SL_FLASH_PARTICLE][24] = {""};
    const hsize_t names[2] = {SL_FLASH_PARTICLE, 1},
                  shape[2] = {(hsize_t)s->nparticle, SL_FLASH_PARTICLE},
                  blocks[1] = {(hsize_t)s->nblock};
    if (s->nparticle == 0) return SL_OK;
    for (int i = 0; i < SL_FLASH_PARTICLE; i++)
        snprintf(list[i], sizeof list[i], "%s", name[i]);
    hid_t type = sl_h5_text(sizeof list[0]);
    int code = sl_h5_put_array(file, "particle names", type, 2, names, list);
    H5Tclose(type);
    SL_TRY(code);
    SL_TRY(sl_h5_put_array(file, "localnp", H5T_NATIVE_INT, 1, blocks, s->in_block));
    SL_TRY(make_room(file, "tracer particles", H5T_NATIVE_DOUBLE, 2, shape, where));
    hid_t set = H5Dopen2(file, "tracer particles", H5P_DEFAULT);
    code = sl_h5_put_text(set, "description",
                          "a row per particle, block by block: place, velocity, mass, id, block; "
                          "units as those of fields");
    H5Dclose(set);
    return code;
}

/* ---- our own group --------------------------------------------------------------------------- */

const char *const sl_flash_int[SL_FLASH_INTS] = {"format", "dim",    "step",
                                                 "nblock", "nfield", "eos"};
const char *const sl_flash_real[SL_FLASH_REALS] = {
    "time", "dt", "time_unit", "gamma", "sound_speed", "cgs_length", "cgs_density", "cgs_velocity"};
const char *const sl_flash_expansion[2] = {"scale_factor", "redshift"};

static int put_neutrinos(hid_t at, const struct sl_cosmology *c)
{
    double sum = c->m_nu;
    if (sum == 0) return SL_OK;
    SL_TRY(sl_h5_put_reals(at, "m_nu_ev", 1, &sum));
    return sl_h5_put_reals(at, "omega_nu", 1, &c->omega_nu);
}

int sl_flash_put_universe(hid_t at, const struct sl_universe *u, double a)
{
    SL_TRY(put_neutrinos(at, &u->c));
    if (u->mean_overdensity == 0) return SL_OK;
    double z = sl_universe_redshift(u, a), around = 1 / (1 + z);
    SL_TRY(sl_h5_put_reals(at, "mean_overdensity", 1, &u->mean_overdensity));
    SL_TRY(sl_h5_put_reals(at, "scale_factor_around", 1, &around));
    return sl_h5_put_reals(at, "redshift_around", 1, &z);
}

static int put_numbers(hid_t group, const struct sl_flash *s)
{
    const struct sl_state *state = s->state;
    const struct sl_mesh_spec *spec = &state->mesh->spec;
    int64_t cells[3] = {1, 1, 1}, block[3] = {1, 1, 1}, periodic[3] = {1, 1, 1};
    double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    for (int a = 0; a < spec->dim; a++) {
        cells[a] = spec->cells[a], block[a] = spec->block[a];
        lo[a] = spec->lo[a], hi[a] = spec->hi[a];
        periodic[a] = spec->boundary[2 * a] == SL_BOUNDARY_periodic;
    }
    const int64_t format = state->cfg->mesh_levels > 0 ? SL_FLASH_FORMAT_LEVELS : SL_FLASH_FORMAT;
    const int64_t head[SL_FLASH_INTS] = {format,    spec->dim, state->step,
                                         s->nblock, s->nfield, state->gas.eos};
    const double real[SL_FLASH_REALS] = {
        state->time,           state->dt, state->time_unit, (double)state->gas.gamma,
        (double)state->gas.cs, s->length, s->density,       s->velocity};
    for (size_t i = 0; i < SL_FLASH_INTS; i++)
        SL_TRY(sl_h5_put_ints(group, sl_flash_int[i], 1, &head[i]));
    for (size_t i = 0; i < SL_FLASH_REALS; i++)
        SL_TRY(sl_h5_put_reals(group, sl_flash_real[i], 1, &real[i]));
    const double expansion[2] = {s->scale_factor, 1 / s->scale_factor - 1};
    for (size_t i = 0; i < 2 && s->universe; i++)
        SL_TRY(sl_h5_put_reals(group, sl_flash_expansion[i], 1, &expansion[i]));
    if (s->universe) SL_TRY(sl_flash_put_universe(group, &s->universe->u, s->scale_factor));
    if (s->weight > 0) SL_TRY(sl_h5_put_reals(group, "weight", 1, &s->weight));
    SL_TRY(sl_h5_put_ints(group, "cells", 3, cells));
    SL_TRY(sl_h5_put_ints(group, "block", 3, block));
    SL_TRY(sl_h5_put_ints(group, "periodic", 3, periodic));
    SL_TRY(sl_h5_put_reals(group, "lo", 3, lo));
    return sl_h5_put_reals(group, "hi", 3, hi);
}

static int put_list(hid_t group, const struct sl_flash *s)
{
    struct {
        char name[8], unit[16], yt[32], about[64];
    } row[SL_FIELD_MAX] = {{"", "", "", ""}};
    static const char *const member[] = {"name", "unit", "yt", "description"};
    static const size_t size[] = {8, 16, 32, 64};
    for (int f = 0; f < s->nfield; f++) {
        struct sl_field_about a = sl_field_about(sl_field_at(s->state, f));
        snprintf(row[f].name, sizeof row[f].name, "%s", a.name);
        snprintf(row[f].unit, sizeof row[f].unit, "%s", a.unit);
        snprintf(row[f].yt, sizeof row[f].yt, "%s", a.yt);
        snprintf(row[f].about, sizeof row[f].about, "%s", a.about);
    }
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof *row);
    size_t at = 0;
    for (int i = 0; i < 4; at += size[i++]) {
        hid_t text = sl_h5_text(size[i]);
        H5Tinsert(type, member[i], at, text);
        H5Tclose(text);
    }
    const hsize_t shape = (hsize_t)s->nfield;
    int code = sl_h5_put_array(group, "fields", type, 1, &shape, row);
    H5Tclose(type);
    return code;
}

static int put_provenance(hid_t group, const struct sl_flash *s)
{
    char hash[20], *recipe;
    snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
    SL_TRY(sl_h5_put_text(group, "state_hash", hash));
    for (int i = 0; i < s->p->n; i++)
        SL_TRY(sl_h5_put_text(group, s->p->item[i].key, s->p->item[i].value));
    SL_TRY(sl_config_print_results(s->state->cfg, &recipe));
    hid_t type = sl_h5_text(strlen(recipe) + 1);
    const hsize_t shape = 1;
    int code = sl_h5_put_array(group, "run.yaml", type, 1, &shape, recipe);
    H5Tclose(type);
    free(recipe);
    return code;
}

static int put_places(hid_t group, const struct sl_flash *s)
{
    int64_t(*at)[3] = malloc((size_t)s->nblock * sizeof *at);
    SL_CHECK(at, SL_EMEM, "no memory for the places of %" PRId64 " blocks", s->nblock);
    for (int64_t b = 0; b < s->nblock; b++)
        memcpy(at[b], s->block[b].at, sizeof *at);
    const hsize_t shape[2] = {(hsize_t)s->nblock, 3};
    int code = sl_h5_put_array(group, "at", H5T_NATIVE_INT64, 2, shape, at);
    free(at);
    if (code != SL_OK || s->state->cfg->mesh_levels == 0) return code;
    return put_levels(group, s, "level", 0);
}

static int put_own(hid_t file, const struct sl_flash *s, int64_t *crc)
{
    const hsize_t shape[2] = {(hsize_t)s->nfield, (hsize_t)s->nblock};
    hid_t group = sl_h5_group(file, "sluice");
    int code = put_numbers(group, s);
    if (code == SL_OK) code = put_list(group, s);
    if (code == SL_OK) code = put_provenance(group, s);
    if (code == SL_OK) code = put_places(group, s);
    if (code == SL_OK) code = make_room(group, "crc32c", H5T_NATIVE_UINT32, 2, shape, crc);
    H5Gclose(group);
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int put_all(hid_t file, const struct sl_flash *s, int64_t *where, int64_t *crc,
                   int64_t *particles)
{
    SL_TRY(put_tree(file, s));
    SL_TRY(put_names(file, s));
    SL_TRY(put_ints(file, s));
    SL_TRY(put_reals(file, s));
    SL_TRY(put_texts(file, s));
    SL_TRY(put_info(file, s));
    SL_TRY(put_fields(file, s, where));
    SL_TRY(put_particles(file, s, particles));
    SL_TRY(sl_vtkhdf_make(file, s));
    return put_own(file, s, crc);
}

int sl_flash_make(const struct sl_flash *s, const char *path, int64_t *where, int64_t *crc,
                  int64_t *particles)
{
    sl_h5_quiet();
    hid_t fapl = sl_h5_access();
    hid_t file = sl_h5_file(path, fapl);
    H5Pclose(fapl);
    SL_CHECK(file >= 0, SL_EIO, "cannot create %s", path);
    int code = put_all(file, s, where, crc, particles);
    /* a close that fails to write may return success: the flush before it tells */
    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0 && code == SL_OK)
        code = SL_FAIL(SL_EIO, "cannot write %s", path);
    if (H5Fclose(file) < 0 && code == SL_OK) code = SL_FAIL(SL_EIO, "cannot write %s", path);
    return code;
}
