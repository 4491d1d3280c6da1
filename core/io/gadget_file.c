/* gadget_file.c - see gadget_file.h. */
#include "core/io/gadget_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/hdf.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/units.h"

enum { DARK = 1, TYPES = 6 };
enum { CHUNK = 1 << 16 };
#define MPC_CM     3.085678e24 /* as Gadget rounds it */
#define SUN_G      1.989e33
#define LARGEST_ID 9007199254740992.0 /* 2^53, that of numbers of snapshots */

/* ---- the header ---- */

struct header {
    double here[TYPES], low[TYPES], high[TYPES], mass[TYPES];
    double box[3], a, files, omega_m, h; /* 0: it does not say */
    double length, weight, velocity;     /* units in Mpc/h, Msun/h, km/s; 0: it does not say */
};

struct reader {
    const struct sl_gadget_start *want;
    const struct sl_mesh *mesh; /* borrowed */
    struct sl_particles *p;
    double side;                    /* of the box of the run */
    struct header head;             /* of the first file */
    int64_t *first;                 /* owned, [files + 1]: particles in those before */
    char path[SL_PATH_MAX];         /* of the file at hand */
    hid_t file, group;              /* of its dark matter */
    double *value;                  /* owned, [CHUNK][3] */
    uint64_t *id;                   /* owned, of own particles */
    double lightest, heaviest, sum; /* of Masses */
};

/* Numbers of an attribute, at most so many, those that it has not are 0; false: there is none. */
static bool numbers(hid_t group, const char *name, int most, double *out)
{
    double value[TYPES * 2] = {0};
    if (H5Aexists(group, name) <= 0) return false;
    hid_t at = H5Aopen(group, name, H5P_DEFAULT), space = at >= 0 ? H5Aget_space(at) : -1;
    hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
    bool good = n > 0 && n <= TYPES * 2 && H5Aread(at, H5T_NATIVE_DOUBLE, value) >= 0;
    if (space >= 0) H5Sclose(space);
    if (at >= 0) H5Aclose(at);
    if (good) memcpy(out, value, (size_t)most * sizeof *out);
    return good;
}

/* Units of a group, where it has them. */
static void read_units(hid_t file, const char *name, struct header *h)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return;
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    if (group < 0) return;
    if (numbers(group, "UnitLength_in_cm", 1, &h->length)) h->length /= MPC_CM;
    if (numbers(group, "UnitMass_in_g", 1, &h->weight)) h->weight /= SUN_G;
    if (numbers(group, "UnitVelocity_in_cm_per_s", 1, &h->velocity)) h->velocity /= 1e5;
    H5Gclose(group);
}

static int fill_header(const char *path, hid_t group, struct header *h)
{
    const struct {
        const char *name;
        int n;
        double *value;
    } needed[] = {{"NumPart_ThisFile", TYPES, h->here},
                  {"NumPart_Total", TYPES, h->low},
                  {"MassTable", TYPES, h->mass},
                  {"Time", 1, &h->a},
                  {"BoxSize", 3, h->box}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        SL_CHECK(numbers(group, needed[i].name, needed[i].n, needed[i].value), SL_EINPUT,
                 "%s: its Header has no usable %s", path, needed[i].name);
    h->files = 1;
    numbers(group, "NumPart_Total_HighWord", TYPES, h->high);
    numbers(group, "NumFilesPerSnapshot", 1, &h->files);
    numbers(group, "Omega0", 1, &h->omega_m);
    numbers(group, "HubbleParam", 1, &h->h);
    for (int d = 1; d < 3; d++)
        SL_CHECK(h->box[d] == 0 || h->box[d] == h->box[0], SL_EINPUT,
                 "%s: its box is no cube, BoxSize is %g x %g x %g", path, h->box[0], h->box[1],
                 h->box[2]);
    SL_CHECK(h->files >= 1 && h->files <= 1e6 && h->box[0] > 0 && h->a > 0 && h->here[DARK] >= 0,
             SL_EINPUT, "%s: its Header has a BoxSize of %g, a Time of %g and %g files", path,
             h->box[0], h->a, h->files);
    return SL_OK;
}

static int read_header(const char *path, hid_t file, struct header *h)
{
    *h = (struct header){.a = 0};
    SL_CHECK(H5Lexists(file, "Units", H5P_DEFAULT) <= 0, SL_EINPUT,
             "%s is of SWIFT, whose lengths and velocities are others; nearest: a file of Gadget",
             path);
    SL_CHECK(H5Lexists(file, "Header", H5P_DEFAULT) > 0, SL_EINPUT,
             "%s has no group Header: it is no start of Gadget", path);
    hid_t group = H5Gopen2(file, "Header", H5P_DEFAULT);
    SL_CHECK(group >= 0, SL_EINPUT, "%s: cannot read its Header: the file is damaged", path);
    int code = fill_header(path, group, h);
    H5Gclose(group);
    read_units(file, "Parameters", h);
    read_units(file, "Header", h);
    return code;
}

/* ---- what it must be ---- */

static bool is_near(double x, double y, double part)
{
    return fabs(x - y) <= part * fabs(y);
}

static int check_types(const struct reader *r, const struct header *h)
{
    static const char *const name[TYPES] = {"gas",
                                            "",
                                            "dark matter of type 2",
                                            "dark matter of type 3",
                                            "stars",
                                            "dark matter of type 5"};
    for (int t = 0; t < TYPES; t++)
        SL_CHECK(t == DARK || h->low[t] + h->high[t] + h->here[t] <= 0, SL_EINPUT,
                 "%s has %.0f particles of %s: a start is read of dark matter alone, type 1, of "
                 "one mass",
                 r->path, fmax(h->low[t], h->here[t]), name[t]);
    return SL_OK;
}

static double total_of(const struct header *h)
{
    return h->low[DARK] + 4294967296.0 * h->high[DARK];
}

/* The lengths of the file in Mpc/h; 0: no unit makes its box that of the run. */
static double length_unit(const struct reader *r, const struct header *h)
{
    const double try[] = {1e-3, 1};
    for (int i = 0; i < 2 && h->length <= 0; i++)
        if (is_near(h->box[0] * try[i], r->side, 1e-5)) return try[i];
    return is_near(h->box[0] * h->length, r->side, 1e-5) ? h->length : 0;
}

static int check_units(const struct reader *r, struct header *h)
{
    double length = length_unit(r, h);
    if (length <= 0 && h->length > 0)
        return SL_FAIL(SL_EINPUT,
                       "%s has a box of %.10g Mpc/h (BoxSize %.10g, UnitLength_in_cm), mesh.box "
                       "one of %.10g",
                       r->path, h->box[0] * h->length, h->box[0], r->side);
    SL_CHECK(length > 0, SL_EINPUT,
             "%s has a BoxSize of %.10g, which is the box of the run, %.10g Mpc/h, neither in "
             "kpc/h nor in Mpc/h, and names no unit (UnitLength_in_cm)",
             r->path, h->box[0], r->side);
    h->length = length;
    if (h->weight <= 0) h->weight = 1e10;
    if (h->velocity <= 0) h->velocity = 1;
    return SL_OK;
}

static int check_universe(const struct reader *r, const struct header *h)
{
    const struct sl_gadget_start *w = r->want;
    SL_CHECK(is_near(h->a, w->a, 1e-5), SL_EINPUT,
             "%s is of redshift %.8g (Time %.10g), the run begins at %.8g; nearest: ic.redshift: "
             "%.8g",
             r->path, 1 / h->a - 1, h->a, 1 / w->a - 1, 1 / h->a - 1);
    SL_CHECK(h->omega_m <= 0 || is_near(h->omega_m, w->omega_m, 1e-4), SL_EINPUT,
             "%s is of Omega0 = %.8g, the run has cosmology.omega_m: %.8g", r->path, h->omega_m,
             w->omega_m);
    SL_CHECK(h->h <= 0 || is_near(h->h, w->h, 1e-4), SL_EINPUT,
             "%s is of HubbleParam = %.8g, the run has cosmology.h: %.8g", r->path, h->h, w->h);
    return SL_OK;
}

static int check_number(const struct reader *r, const struct header *h)
{
    double n = total_of(h), want = pow((double)r->want->across, 3);
    SL_CHECK(n == want, SL_EINPUT,
             "%s has %.0f particles of dark matter, mesh.cells and particles.spacing are for %.0f, "
             "%" PRId64 " along each axis",
             r->path, n, want, r->want->across);
    return SL_OK;
}

/* Of all particles together, of `mass` each in the unit of the file on average. */
static int check_mass(const struct reader *r, double mass)
{
    double volume = r->side * r->side * r->side, n = total_of(&r->head),
           omega = mass * n * r->head.weight / (SL_CRITICAL_DENSITY * volume);
    SL_CHECK(is_near(omega, r->want->omega_m, 1e-3), SL_EINPUT,
             "%s: the masses of its particles add up to Omega_m = %.6g, the run has "
             "cosmology.omega_m: %.6g",
             r->path, omega, r->want->omega_m);
    return SL_OK;
}

/* ---- its files ---- */

static int name_file(struct reader *r, int k)
{
    const char *path = r->want->path, *end = strrchr(path, '.');
    size_t stem = end ? (size_t)(end - path) : 0;
    bool many = stem > 2 && !strncmp(end - 2, ".0", 2);
    SL_CHECK(many || k == 0, SL_EINPUT,
             "%s is one of %.0f files, the first of which is to be named: NAME.0.hdf5", path,
             r->head.files);
    int n = k == 0 ? snprintf(r->path, sizeof r->path, "%s", path)
                   : snprintf(r->path, sizeof r->path, "%.*s.%d%s", (int)stem - 2, path, k, end);
    SL_CHECK(n < (int)sizeof r->path, SL_EINPUT, "%s: the name is too long", path);
    return SL_OK;
}

/* A further file is of the same start. */
static int check_same(const struct reader *r, const struct header *h)
{
    const struct header *f = &r->head;
    SL_CHECK(h->box[0] == f->box[0] && h->a == f->a && h->files == f->files &&
                 h->mass[DARK] == f->mass[DARK] && total_of(h) == total_of(f),
             SL_EINPUT,
             "%s is of another start than %s: its Header tells another BoxSize, Time, "
             "MassTable or number of particles or files",
             r->path, r->want->path);
    return SL_OK;
}

static int look_at(struct reader *r, int k, struct header *h)
{
    hid_t file;
    SL_TRY(name_file(r, k));
    SL_TRY(sl_hdf_open(r->path, &file));
    int code = read_header(r->path, file, h);
    if (code == SL_OK) code = check_types(r, h);
    if (code == SL_OK && k > 0) code = check_same(r, h);
    return sl_hdf_close(file, code);
}

/* The first file, and how many particles each has. */
static int look_at_all(struct reader *r)
{
    SL_TRY(look_at(r, 0, &r->head));
    SL_TRY(check_units(r, &r->head));
    SL_TRY(check_universe(r, &r->head));
    SL_TRY(check_number(r, &r->head));
    if (r->head.mass[DARK] > 0) SL_TRY(check_mass(r, r->head.mass[DARK]));
    int files = (int)r->head.files;
    SL_TRY(sl_alloc("files of a start", (size_t)files + 1, sizeof *r->first, &r->first));
    for (int k = 0; k < files; k++) {
        struct header h = r->head;
        if (k > 0) SL_TRY(look_at(r, k, &h));
        r->first[k + 1] = r->first[k] + (int64_t)h.here[DARK];
    }
    SL_CHECK((double)r->first[files] == total_of(&r->head), SL_EINPUT,
             "%s: its %d files have %" PRId64 " particles of dark matter, NumPart_Total tells of "
             "%.0f",
             r->want->path, files, r->first[files], total_of(&r->head));
    return SL_OK;
}

/* Rank 0 looks, for all. */
static int share_look(struct reader *r)
{
    MPI_Comm comm = r->mesh->comm;
    int code = sl_agree(comm, r->mesh->rank == 0 ? look_at_all(r) : SL_OK);
    SL_TRY(code);
    MPI_Bcast(&r->head, sizeof r->head, MPI_BYTE, 0, comm);
    int files = (int)r->head.files;
    if (r->mesh->rank > 0)
        code = sl_alloc("files of a start", (size_t)files + 1, sizeof *r->first, &r->first);
    SL_TRY(sl_agree(comm, code));
    MPI_Bcast(r->first, files + 1, MPI_INT64_T, 0, comm);
    return SL_OK;
}

/* ---- its particles ---- */

/* A dataset of the dark matter of n particles, with that class of numbers. */
static int open_list(const struct reader *r, const char *name, hsize_t n, hsize_t columns,
                     H5T_class_t class, hid_t *out)
{
    hsize_t size[2] = {0, 1};
    bool there = H5Lexists(r->group, name, H5P_DEFAULT) > 0;
    SL_CHECK(there, SL_EINPUT, "%s: PartType1/%s is missing", r->path, name);
    *out = H5Dopen2(r->group, name, H5P_DEFAULT);
    hid_t space = *out >= 0 ? H5Dget_space(*out) : -1, type = *out >= 0 ? H5Dget_type(*out) : -1;
    int axes = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    bool good = (axes == 1 || axes == 2) && type >= 0 && H5Tget_class(type) == class;
    if (good) H5Sget_simple_extent_dims(space, size, NULL);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    int code = good && size[0] == n && size[1] == columns
                   ? SL_OK
                   : SL_FAIL(SL_EINPUT,
                             "%s: PartType1/%s is no list of %s, %" PRIu64 " for each of %" PRIu64
                             " particles (NumPart_ThisFile)",
                             r->path, name, class == H5T_INTEGER ? "whole numbers" : "numbers",
                             (uint64_t)columns, (uint64_t)n);
    if (code != SL_OK && *out >= 0) H5Dclose(*out);
    return code;
}

/* Rows from .. from + n - 1. */
static int read_rows(const struct reader *r, const char *name, hid_t list, hsize_t columns,
                     hsize_t from, hsize_t n, hid_t type, void *out)
{
    const hsize_t at[2] = {from, 0}, count[2] = {n, columns}, all = n * columns;
    hid_t space = H5Dget_space(list), memory = H5Screate_simple(1, &all, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL) >= 0 &&
                H5Dread(list, type, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    SL_CHECK(good, SL_EINPUT, "%s: cannot read PartType1/%s: the file is damaged or cut short",
             r->path, name);
    return SL_OK;
}

enum { PLACES, SPEEDS, IDS, MASSES, LISTS };

struct lists {
    hid_t id[LISTS]; /* < 0: not open */
};

/* number: of a particle in its file. */
static int take_place(const struct reader *r, int64_t number, const double x[3], double place[3])
{
    for (int d = 0; d < 3; d++) {
        SL_CHECK(x[d] >= 0 && x[d] <= r->head.box[0], SL_EINPUT,
                 "%s: particle %" PRId64 " is at %.9g along %c, the box goes from 0 to %.9g",
                 r->path, number, x[d], "xyz"[d], r -> head.box[0]);
        place[d] = r->mesh->spec.lo[d] + r->side * (x[d] / r->head.box[0]);
    }
    return SL_OK;
}

static int take_speed(const struct reader *r, int64_t number, const double u[3], double v[3])
{
    double scale = r->want->speed * r->head.velocity * sqrt(r->want->a);
    for (int d = 0; d < 3; d++) {
        SL_CHECK(isfinite(u[d]), SL_EINPUT,
                 "%s: particle %" PRId64 " has a velocity of %g along %c", r->path, number, u[d],
                 "xyz"[d]);
        v[d] = scale * u[d];
    }
    return SL_OK;
}

/* Rows of a file as particles; number: of the first of them in that file. */
static int add_rows(struct reader *r, const double *x, const double *u, const uint64_t *id,
                    int64_t number, hsize_t n)
{
    for (hsize_t i = 0; i < n; i++) {
        double place[3], v[3];
        SL_TRY(take_place(r, number + (int64_t)i, x + 3 * i, place));
        SL_TRY(take_speed(r, number + (int64_t)i, u + 3 * i, v));
        SL_CHECK((double)id[i] <= LARGEST_ID, SL_EINPUT,
                 "%s: particle %" PRId64 " has the id %" PRIu64 ": snapshots hold ids up to 2^53",
                 r->path, number + (int64_t)i, id[i]);
        sl_particles_add(r->p, place, v, id[i], 0);
    }
    return SL_OK;
}

static void add_masses(struct reader *r, const double *mass, hsize_t n)
{
    for (hsize_t i = 0; i < n; i++) {
        r->lightest = fmin(r->lightest, mass[i]);
        r->heaviest = fmax(r->heaviest, mass[i]);
        r->sum += isfinite(mass[i]) ? mass[i] : NAN;
    }
}

static int read_chunk(struct reader *r, const struct lists *l, hsize_t from, hsize_t n)
{
    double *x = r->value, *u = x + 3 * CHUNK, *mass = u + 3 * CHUNK;
    uint64_t *id = r->id + r->p->n;
    SL_TRY(read_rows(r, "Coordinates", l->id[PLACES], 3, from, n, H5T_NATIVE_DOUBLE, x));
    SL_TRY(read_rows(r, "Velocities", l->id[SPEEDS], 3, from, n, H5T_NATIVE_DOUBLE, u));
    SL_TRY(read_rows(r, "ParticleIDs", l->id[IDS], 1, from, n, H5T_NATIVE_UINT64, id));
    if (l->id[MASSES] >= 0) {
        SL_TRY(read_rows(r, "Masses", l->id[MASSES], 1, from, n, H5T_NATIVE_DOUBLE, mass));
        add_masses(r, mass, n);
    }
    return add_rows(r, x, u, id, (int64_t)from, n);
}

static int read_lists(struct reader *r, hsize_t all, hsize_t from, hsize_t end)
{
    struct lists l = {{-1, -1, -1, -1}};
    int code = open_list(r, "Coordinates", all, 3, H5T_FLOAT, &l.id[PLACES]);
    if (code == SL_OK) code = open_list(r, "Velocities", all, 3, H5T_FLOAT, &l.id[SPEEDS]);
    if (code == SL_OK) code = open_list(r, "ParticleIDs", all, 1, H5T_INTEGER, &l.id[IDS]);
    if (code == SL_OK && !(r->head.mass[DARK] > 0))
        code = open_list(r, "Masses", all, 1, H5T_FLOAT, &l.id[MASSES]);
    for (; from < end && code == SL_OK; from += CHUNK)
        code = read_chunk(r, &l, from, end - from < CHUNK ? end - from : CHUNK);
    for (int i = 0; i < LISTS; i++)
        if (l.id[i] >= 0) H5Dclose(l.id[i]);
    return code;
}

/* Particles from .. end - 1 of file k. */
static int read_file(struct reader *r, int k, int64_t from, int64_t end)
{
    SL_TRY(name_file(r, k));
    SL_TRY(sl_hdf_open(r->path, &r->file));
    r->group = H5Lexists(r->file, "PartType1", H5P_DEFAULT) > 0
                   ? H5Gopen2(r->file, "PartType1", H5P_DEFAULT)
                   : -1;
    int code =
        r->group >= 0 ? SL_OK : SL_FAIL(SL_EINPUT, "%s: the group PartType1 is missing", r->path);
    if (code == SL_OK)
        code = read_lists(r, (hsize_t)(r->first[k + 1] - r->first[k]),
                          (hsize_t)(from - r->first[k]), (hsize_t)(end - r->first[k]));
    if (r->group >= 0) H5Gclose(r->group);
    return sl_hdf_close(r->file, code);
}

/* The own share of all. */
static int read_share(struct reader *r)
{
    int files = (int)r->head.files;
    int64_t all = r->first[files], rank = r->mesh->rank, size = r->mesh->size,
            from = all / size * rank + (rank < all % size ? rank : all % size),
            end = from + all / size + (rank < all % size);
    size_t n = (size_t)(end - from);
    SL_TRY(sl_particles_reserve(r->p, n));
    SL_TRY(sl_alloc("ids of particles", n, sizeof *r->id, &r->id));
    SL_TRY(sl_alloc("numbers of particles", (size_t)7 * CHUNK, sizeof *r->value, &r->value));
    for (int k = 0; k < files; k++) {
        int64_t low = r->first[k] > from ? r->first[k] : from,
                high = r->first[k + 1] < end ? r->first[k + 1] : end;
        if (low < high) SL_TRY(read_file(r, k, low, high));
    }
    return SL_OK;
}

/* ---- what all of them must be ---- */

/* Where each particle has a mass of its own: of all ranks. */
static int check_masses(struct reader *r)
{
    MPI_Comm comm = r->mesh->comm;
    if (r->head.mass[DARK] > 0) return SL_OK;
    MPI_Allreduce(MPI_IN_PLACE, &r->lightest, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, &r->heaviest, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, &r->sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    snprintf(r->path, sizeof r->path, "%s", r->want->path);
    SL_CHECK(is_near(r->lightest, r->heaviest, 1e-6), SL_EINPUT,
             "%s has particles of %.9g to %.9g mass: a start is read of one mass", r->path,
             r->lightest, r->heaviest);
    return check_mass(r, r->sum / total_of(&r->head));
}

static int ascending(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

static int look_twice(const struct reader *r, uint64_t *id, size_t n)
{
    qsort(id, n, sizeof *id, ascending);
    for (size_t i = 1; i < n; i++)
        SL_CHECK(id[i] != id[i - 1], SL_EINPUT, "%s: the id %" PRIu64 " comes twice", r->want->path,
                 id[i]);
    return SL_OK;
}

static void add_up(int size, const int *count, int *place)
{
    place[0] = 0;
    for (int k = 1; k < size; k++)
        place[k] = place[k - 1] + count[k - 1];
}

/* Own ids in the order of the ranks that look at them; count: [4][size], numbers to them and their
 * places, numbers from them and their places. */
static int sort_ids(const struct reader *r, int *count, uint64_t **out)
{
    int size = r->mesh->size;
    SL_CHECK(r->p->n < INT32_MAX, SL_EINPUT, "%s: more ranks are needed for so many particles",
             r->want->path);
    SL_TRY(sl_alloc("ids of particles", r->p->n, sizeof **out, out));
    for (size_t i = 0; i < r->p->n; i++)
        count[r->id[i] % (uint64_t)size]++;
    add_up(size, count, count + size);
    for (size_t i = 0; i < r->p->n; i++)
        (*out)[count[size + (int)(r->id[i] % (uint64_t)size)]++] = r->id[i];
    add_up(size, count, count + size);
    return SL_OK;
}

static int send_ids(struct reader *r, int *count, const uint64_t *sorted)
{
    MPI_Comm comm = r->mesh->comm;
    int size = r->mesh->size, *come = count + 2 * size;
    uint64_t *all = NULL;
    MPI_Alltoall(count, 1, MPI_INT, come, 1, MPI_INT, comm);
    add_up(size, come, come + size);
    size_t n = (size_t)come[2 * size - 1] + (size_t)come[size - 1];
    int code = sl_agree(comm, sl_alloc("ids of particles", n, sizeof *all, &all));
    if (code == SL_OK) {
        MPI_Alltoallv(sorted, count, count + size, MPI_UINT64_T, all, come, come + size,
                      MPI_UINT64_T, comm);
        code = sl_agree(comm, look_twice(r, all, n));
    }
    free(all);
    return code;
}

/* Ids go to the ranks that they leave as remainders. */
static int check_ids(struct reader *r)
{
    int *count = NULL;
    uint64_t *sorted = NULL;
    int code = sl_alloc("numbers of ids", 4 * (size_t)r->mesh->size, sizeof *count, &count);
    if (code == SL_OK) code = sort_ids(r, count, &sorted);
    code = sl_agree(r->mesh->comm, code);
    free(r->id);
    r->id = NULL;
    if (code == SL_OK) code = send_ids(r, count, sorted);
    free(sorted);
    free(count);
    return code;
}

/* The headers of all files, of a run whose box is a cube. */
static int look_at_headers(struct reader *r)
{
    const struct sl_mesh_spec *s = &r->mesh->spec;
    r->side = s->hi[0] - s->lo[0];
    for (int d = 1; d < 3; d++)
        SL_CHECK(is_near(s->hi[d] - s->lo[d], r->side, 1e-12), SL_EINPUT,
                 "%s: a start of Gadget is a cube, mesh.box is %g x %g x %g Mpc/h", r->want->path,
                 r->side, s->hi[1] - s->lo[1], s->hi[2] - s->lo[2]);
    return share_look(r);
}

static int read_all(struct reader *r)
{
    SL_TRY(look_at_headers(r));
    SL_TRY(sl_agree(r->mesh->comm, read_share(r)));
    SL_TRY(check_masses(r));
    SL_TRY(check_ids(r));
    memset(r->p->mass, 0, sizeof r->p->mass);
    r->p->mass[0] = r->side * r->side * r->side / total_of(&r->head);
    return SL_OK;
}

int sl_gadget_file_look(const struct sl_gadget_start *start, const struct sl_mesh *mesh)
{
    struct reader r = {.want = start, .mesh = mesh};
    int code = look_at_headers(&r);
    free(r.first);
    return code;
}

int sl_gadget_file_read(const struct sl_gadget_start *start, struct sl_particles *p)
{
    struct reader r = {.want = start, .mesh = p->mesh, .p = p, .lightest = HUGE_VAL};
    int code = read_all(&r);
    free(r.first);
    free(r.id);
    free(r.value);
    return code;
}
