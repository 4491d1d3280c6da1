/* inspect.c - see inspect.h. */
#include "core/io/inspect.h"

#include <hdf5.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/hdf.h"
#include "core/io/snapshot.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { BYTES = 64 << 20 }; /* that are read at a time */

struct look {
    hid_t file;
    json_t *parts, *wrong, *facts;
};

static void add_fault(struct look *l, const char *name, const char *what)
{
    char text[512];
    snprintf(text, sizeof text, "%s%s%s", name, *name ? ": " : "", what);
    json_array_append_new(l->wrong, json_string(text));
}

/* ---- attributes ---- */

static json_t *text_of(hid_t at, const char *name)
{
    char *text = NULL;
    if (H5Aexists(at, name) <= 0 || sl_hdf_read_text(at, name, &text) != SL_OK) return NULL;
    json_t *value = json_string(text);
    free(text);
    return value;
}

static json_t *number_of(double value, bool whole)
{
    return whole ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *numbers_of(hid_t attr, int n, bool whole)
{
    double value[16];
    if (n > 16 || H5Aread(attr, H5T_NATIVE_DOUBLE, value) < 0) return NULL;
    if (n == 1) return number_of(value[0], whole);
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, number_of(value[i], whole));
    return list;
}

/* Short ones are facts; the recipe and lists of remarks are not. */
static herr_t take_attribute(hid_t at, const char *name, const H5A_info_t *info, void *user)
{
    struct look *l = user;
    json_t *value = NULL;
    (void)info;
    hid_t attr = H5Aopen(at, name, H5P_DEFAULT);
    if (attr < 0) return 0;
    hid_t type = H5Aget_type(attr), space = H5Aget_space(attr);
    if (H5Tget_class(type) == H5T_STRING)
        value = text_of(at, name);
    else
        value = numbers_of(attr, (int)H5Sget_simple_extent_npoints(space),
                           H5Tget_class(type) == H5T_INTEGER);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attr);
    const char *text = value ? json_string_value(value) : NULL;
    if (value && (!text || (*text && !strchr(text, '\n') && strlen(text) < 200)))
        json_object_set(l->facts, name, value);
    json_decref(value);
    return 0;
}

/* ---- datasets ---- */

/* In pieces along the first axis; HDF5 compares the checksums that pieces of fields carry. */
static bool can_read(hid_t id, hid_t space, int rank, const hsize_t *shape, size_t size)
{
    hsize_t at[8] = {0}, n[8];
    size_t row = size;
    for (int d = 0; d < rank; d++)
        n[d] = shape[d];
    for (int d = 1; d < rank; d++)
        row *= (size_t)shape[d];
    hsize_t step = row > 0 && row < BYTES ? BYTES / row : 1;
    void *data = NULL;
    if (rank == 0 || shape[0] == 0 || row == 0) return true;
    if (sl_alloc("a part of a dataset", (size_t)(step < shape[0] ? step : shape[0]), row, &data) !=
        SL_OK)
        return false;
    hid_t type = H5Dget_type(id);
    bool ok = true;
    for (; at[0] < shape[0] && ok; at[0] += n[0]) {
        n[0] = shape[0] - at[0] < step ? shape[0] - at[0] : step;
        hid_t memory = H5Screate_simple(rank, n, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, n, NULL);
        ok = H5Dread(id, type, memory, space, H5P_DEFAULT, data) >= 0;
        H5Sclose(memory);
    }
    H5Tclose(type);
    free(data);
    return ok;
}

static void take_dataset(struct look *l, const char *name, hid_t id)
{
    hsize_t shape[8] = {0};
    hid_t space = H5Dget_space(id), type = H5Dget_type(id);
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 0 || rank > 8 || H5Sget_simple_extent_dims(space, shape, NULL) != rank)
        add_fault(l, name, "has no shape that can be read");
    else if (!can_read(id, space, rank, shape, H5Tget_size(type)))
        add_fault(l, name, "cannot be read, or its checksum does not hold");
    json_t *part = json_pack("{s:s, s:[]}", "name", name, "shape");
    for (int d = 0; d < rank && d < 8; d++)
        json_array_append_new(json_object_get(part, "shape"), json_integer((json_int_t)shape[d]));
    json_t *units = text_of(id, "units"), *about = text_of(id, "description");
    if (units) json_object_set_new(part, "units", units);
    if (about) json_object_set_new(part, "about", about);
    json_array_append_new(l->parts, part);
    H5Tclose(type);
    H5Sclose(space);
}

static bool is_too_deep(const char *name)
{
    enum { DEEP = 64 };
    int depth = 0;
    for (; *name && depth < DEEP; name++)
        depth += *name == '/';
    return depth == DEEP;
}

/* Virtual datasets show what is there already: those of /VTKHDF are left out. */
static herr_t take_object(hid_t at, const char *name, const H5O_info_t *info, void *user)
{
    struct look *l = user;
    if (is_too_deep(name)) {
        add_fault(l, "", "its groups lie in each other deeper than any of ours: not looked at");
        return 1; /* ends the visit: HDF5 goes to each from the root */
    }
    if (info->type != H5O_TYPE_DATASET || strncmp(name, "VTKHDF", 6) == 0) return 0;
    hid_t id = H5Dopen2(at, name, H5P_DEFAULT);
    if (id < 0) {
        add_fault(l, name, "cannot be opened");
        return 0;
    }
    take_dataset(l, name, id);
    H5Dclose(id);
    return 0;
}

/* ---- kinds ---- */

static bool has(hid_t at, const char *name)
{
    return H5Lexists(at, name, H5P_DEFAULT) > 0;
}

static const char *kind_of(const struct look *l)
{
    static const char *const enzo[] = {"GridDensity", "GridVelocities", "ParticlePositions",
                                       "ParticleVelocities"};
    if (has(l->file, "sluice") && has(l->file, "bounding box")) return "snapshot";
    if (has(l->file, "particles") || H5Aexists(l->file, "random_field") > 0)
        return "initial fields";
    if (has(l->file, "Header") && (has(l->file, "PartType0") || has(l->file, "PartType1")))
        return has(l->file, "Units") ? "particles as SWIFT has them"
                                     : "particles as Gadget has them";
    for (size_t i = 0; i < sizeof enzo / sizeof *enzo; i++)
        if (has(l->file, enzo[i])) return "field of a start as Enzo has it";
    char *text = NULL;
    const char *kind = "HDF5 file";
    if (H5Aexists(l->file, "description") > 0 &&
        sl_hdf_read_text(l->file, "description", &text) == SL_OK)
        kind = strstr(text, "one run")      ? "statistics of a run"
               : strstr(text, "one moment") ? "statistics of one moment of a run"
                                            : "statistics";
    free(text);
    return kind;
}

/* Every block against its checksum: the root grid in slabs as thick as its blocks. */
static int read_field(const struct sl_snapshot *s, const char *field, double *out)
{
    const struct sl_snapshot_info *i = sl_snapshot_about(s);
    for (int64_t z = 0; z < i->cells[2]; z += i->block[2]) {
        const int64_t lo[3] = {0, 0, z}, hi[3] = {i->cells[0], i->cells[1], z + i->block[2]};
        SL_TRY(sl_snapshot_read_box(s, field, lo, hi, out));
    }
    return SL_OK;
}

static void look_at_snapshot(struct look *l, const char *path)
{
    struct sl_snapshot *s = NULL;
    double *out = NULL;
    int code = sl_snapshot_open(path, &s);
    if (code == SL_OK) {
        const struct sl_snapshot_info *i = sl_snapshot_about(s);
        size_t cells = (size_t)i->cells[0] * (size_t)i->cells[1] * (size_t)i->block[2];
        code = sl_alloc("a slab of a snapshot", cells, sizeof *out, &out);
        for (int f = 0; f < i->nfield && code == SL_OK; f++)
            code = read_field(s, i->field[f], out);
        json_object_set_new(l->facts, "levels", json_integer(i->nlevel));
        json_object_set_new(l->facts, "campaign", json_string(i->campaign));
        json_object_set_new(l->facts, "member", json_string(i->member));
        json_object_set_new(l->facts, "recipe_hash", json_string(i->recipe_hash));
    }
    if (code != SL_OK) add_fault(l, "", sl_error_text());
    free(out);
    sl_snapshot_close(s);
}

static void look_at(struct look *l, const char *path)
{
    hsize_t at = 0;
    bool snapshot = strcmp(kind_of(l), "snapshot") == 0;
    hid_t facts = snapshot ? H5Gopen2(l->file, "sluice", H5P_DEFAULT) : l->file;
    H5Aiterate2(facts, H5_INDEX_NAME, H5_ITER_INC, &at, take_attribute, l);
    if (snapshot) H5Gclose(facts);
    if (H5Ovisit(l->file, H5_INDEX_NAME, H5_ITER_INC, take_object, l) < 0)
        add_fault(l, "", "its groups cannot be read to the end");
    if (snapshot) look_at_snapshot(l, path);
}

int sl_inspect_print(const char *path)
{
    struct look l = {.parts = json_array(), .wrong = json_array(), .facts = json_object()};
    int code = sl_hdf_open(path, &l.file);
    if (code == SL_OK) {
        look_at(&l, path);
        json_t *all = json_pack("{s:s, s:O, s:O, s:O}", "kind", kind_of(&l), "facts", l.facts,
                                "parts", l.parts, "wrong", l.wrong);
        bool ok = all && json_dumpf(all, stdout, JSON_PRESERVE_ORDER) == 0 && puts("") >= 0;
        json_decref(all);
        bool unread = sl_hdf_close(l.file, SL_EINPUT) == SL_EIO; /* the file itself may be good */
        if (unread) code = SL_FAIL(SL_EIO, "%s: the system failed to read it to the end", path);
        if (!ok) code = SL_FAIL(SL_EIO, "cannot write to standard output");
    }
    json_decref(l.parts);
    json_decref(l.wrong);
    json_decref(l.facts);
    return code;
}
