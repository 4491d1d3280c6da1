/* snapshot_read.c - reads snapshots; see snapshot.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/flash.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/io/snapshot.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

enum { BLOCKS_MAX = 1 << 28 };

/* A block of the tree. */
struct spot {
    int32_t level, at[3], row; /* row: its place in the file */
};

struct sl_snapshot {
    struct sl_snapshot_info info;
    char path[SL_PATH_MAX];
    int fd;
    size_t value;                /* bytes of a stored value */
    int64_t where[SL_FIELD_MAX]; /* places of the fields' bytes in the file */
    struct spot *spot;           /* owned; all blocks, in the order of compare() */
    uint32_t *crc;               /* [nfield][nblock] */
};

static int64_t blocks_along(const struct sl_snapshot_info *i, int a, int level)
{
    return a < i->dim ? i->cells[a] / i->block[a] << level : 1;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int read_numbers(hid_t group, struct sl_snapshot *s)
{
    struct sl_snapshot_info *i = &s->info;
    int64_t n[SL_FLASH_INTS], periodic[3];
    double x[SL_FLASH_REALS];
    for (int k = 0; k < SL_FLASH_INTS; k++)
        SL_TRY(sl_h5_get_ints(group, sl_flash_int[k], 1, &n[k]));
    for (int k = 0; k < SL_FLASH_REALS; k++)
        SL_TRY(sl_h5_get_reals(group, sl_flash_real[k], 1, &x[k]));
    SL_CHECK((n[0] == SL_FLASH_FORMAT || n[0] == SL_FLASH_FORMAT_LEVELS) && n[1] >= 1 &&
                 n[1] <= 3 && n[3] >= 1 && n[3] <= BLOCKS_MAX && n[4] >= 0 && n[4] <= SL_FIELD_MAX,
             SL_EINPUT, "numbers of the /sluice group make no sense");
    i->levels = n[0] == SL_FLASH_FORMAT_LEVELS;
    i->dim = (int)n[1], i->step = n[2], i->nblock = n[3], i->nfield = (int)n[4], i->eos = (int)n[5];
    i->time = x[0], i->dt = x[1], i->time_unit = x[2], i->gamma = x[3], i->sound_speed = x[4];
    i->cgs_length = x[5], i->cgs_density = x[6], i->cgs_velocity = x[7];
    SL_CHECK(isfinite(i->time) && i->cgs_length > 0 && i->cgs_density > 0 && i->cgs_velocity > 0,
             SL_EINPUT, "numbers of the /sluice group make no sense");
    i->scale_factor = 0;
    if (H5Aexists(group, sl_flash_expansion[0]) > 0)
        SL_TRY(sl_h5_get_reals(group, sl_flash_expansion[0], 1, &i->scale_factor));
    SL_TRY(sl_h5_get_ints(group, "cells", 3, i->cells));
    SL_TRY(sl_h5_get_ints(group, "block", 3, i->block));
    SL_TRY(sl_h5_get_ints(group, "periodic", 3, periodic));
    SL_TRY(sl_h5_get_reals(group, "lo", 3, i->lo));
    SL_TRY(sl_h5_get_reals(group, "hi", 3, i->hi));
    for (int a = 0; a < 3; a++)
        i->periodic[a] = periodic[a] != 0;
    return SL_OK;
}

static int check_grid(const struct sl_snapshot_info *i)
{
    int64_t blocks = 1;
    double cells = 1;
    for (int a = 0; a < 3; a++) {
        bool real = a < i->dim;
        SL_CHECK(i->block[a] >= 1 && i->cells[a] >= i->block[a] && i->cells[a] <= BLOCKS_MAX &&
                     i->cells[a] % i->block[a] == 0 && (real || i->cells[a] == 1) &&
                     i->hi[a] > i->lo[a],
                 SL_EINPUT, "the grid makes no sense");
        blocks *= blocks_along(i, a, 0);
        cells *= (double)i->cells[a];
        SL_CHECK(blocks <= i->nblock && cells < 1e15, SL_EINPUT,
                 "the grid has more blocks than the file");
    }
    return SL_OK;
}

static int read_texts(hid_t group, struct sl_snapshot_info *i)
{
    char hash[20];
    SL_TRY(sl_h5_get_text(group, "state_hash", sizeof hash, hash));
    i->hash = strtoull(hash, NULL, 16);
    SL_TRY(sl_h5_get_text(group, "campaign", sizeof i->campaign, i->campaign));
    SL_TRY(sl_h5_get_text(group, "member", sizeof i->member, i->member));
    return sl_h5_get_text(group, "recipe_hash", sizeof i->recipe_hash, i->recipe_hash);
}

static int read_field_names(hid_t group, struct sl_snapshot_info *i)
{
    char name[SL_FIELD_MAX][5];
    hid_t text = sl_h5_text(5), type = H5Tcreate(H5T_COMPOUND, 5);
    H5Tinsert(type, "name", 0, text);
    const hsize_t shape = (hsize_t)i->nfield;
    int code = sl_h5_get_array(group, "fields", type, 1, &shape, name);
    H5Tclose(type);
    H5Tclose(text);
    SL_TRY(code);
    for (int f = 0; f < i->nfield; f++) {
        name[f][4] = '\0';
        bool good = strlen(name[f]) == 4 && !strchr(name[f], '/');
        for (int c = 0; c < 4; c++)
            good &= name[f][c] >= ' ' && name[f][c] <= '~';
        SL_CHECK(good, SL_EINPUT, "field %d has no name of four letters", f + 1);
        memcpy(i->field[f], name[f], 5);
    }
    return SL_OK;
}

/* The place in the file of a field: plain contiguous bytes of the shape that the grid asks for. */
static int find_field(hid_t file, struct sl_snapshot *s, int f)
{
    const struct sl_snapshot_info *i = &s->info;
    const hsize_t want[4] = {(hsize_t)i->nblock, (hsize_t)i->block[2], (hsize_t)i->block[1],
                             (hsize_t)i->block[0]};
    hsize_t have[4] = {0};
    hid_t set = H5Dopen2(file, i->field[f], H5P_DEFAULT);
    SL_CHECK(set >= 0, SL_EINPUT, "field %s is missing", i->field[f]);
    hid_t space = H5Dget_space(set), type = H5Dget_type(set), dcpl = H5Dget_create_plist(set);
    bool single = H5Tequal(type, H5T_NATIVE_FLOAT) > 0;
    bool good = H5Sget_simple_extent_ndims(space) == 4 &&
                H5Sget_simple_extent_dims(space, have, NULL) == 4 &&
                memcmp(have, want, sizeof want) == 0 && H5Pget_layout(dcpl) == H5D_CONTIGUOUS &&
                H5Pget_external_count(dcpl) == 0 &&
                (single || H5Tequal(type, H5T_NATIVE_DOUBLE) > 0);
    haddr_t at = good ? H5Dget_offset(set) : HADDR_UNDEF;
    H5Pclose(dcpl);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    size_t value = single ? sizeof(float) : sizeof(double);
    SL_CHECK(at != HADDR_UNDEF && (f == 0 || value == s->value), SL_EINPUT,
             "field %s is not what it should be", i->field[f]);
    s->value = value;
    s->where[f] = (int64_t)at;
    return SL_OK;
}

/* Level by level, z slowest. */
static int compare(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    for (int d = 2; d >= 0; d--)
        if (x->at[d] != y->at[d]) return x->at[d] < y->at[d] ? -1 : 1;
    return 0;
}

static const struct spot *find(const struct sl_snapshot *s, const struct spot *want)
{
    return bsearch(want, s->spot, (size_t)s->info.nblock, sizeof *want, compare);
}

/* Where a block's child lies; bit a of child: the upper half along axis a. */
static struct spot child_of(const struct sl_snapshot *s, const struct spot *b, int child)
{
    struct spot c = {b->level + 1, {0, 0, 0}, -1};
    for (int a = 0; a < s->info.dim; a++)
        c.at[a] = 2 * b->at[a] + (child >> a & 1);
    return c;
}

/* Counts the children of all blocks. */
static int count_children(const struct sl_snapshot *s, unsigned char *children)
{
    for (int64_t b = 0; b < s->info.nblock; b++) {
        const struct spot *p = &s->spot[b], *parent;
        struct spot want = {p->level - 1, {0, 0, 0}, -1};
        SL_CHECK(b == 0 || compare(p - 1, p) < 0, SL_EINPUT, "two blocks lie in the same place");
        if (p->level == 0) continue;
        for (int a = 0; a < s->info.dim; a++)
            want.at[a] = p->at[a] / 2;
        parent = find(s, &want);
        SL_CHECK(parent, SL_EINPUT, "a block of level %d has no parent", (int)p->level);
        children[parent - s->spot]++;
    }
    return SL_OK;
}

/* The blocks make a tree: the root grid is full, each other block has a parent, and a block has all
 * of its children or none. */
static int check_tree(struct sl_snapshot *s, unsigned char *children)
{
    struct sl_snapshot_info *i = &s->info;
    int64_t roots = 1, found = 0;
    SL_TRY(count_children(s, children));
    for (int a = 0; a < 3; a++)
        roots *= blocks_along(i, a, 0);
    i->nleaf = 0;
    i->nlevel = s->spot[i->nblock - 1].level + 1; /* the last one is of the finest */
    for (int64_t b = 0; b < i->nblock; b++) {
        SL_CHECK(children[b] == 0 || children[b] == 1 << i->dim, SL_EINPUT,
                 "a block has %d children", (int)children[b]);
        i->nleaf += children[b] == 0;
        found += s->spot[b].level == 0;
    }
    SL_CHECK(found == roots, SL_EINPUT, "the blocks do not fill the grid");
    return SL_OK;
}

static int set_spot(const struct sl_snapshot_info *i, const int64_t at[3], int level, int64_t row,
                    struct spot *out)
{
    bool good = level >= 0 && level < SL_LEVELS;
    *out = (struct spot){.level = level, .row = (int32_t)row};
    for (int a = 0; a < 3 && good; a++) {
        good = at[a] >= 0 && at[a] < blocks_along(i, a, level) && at[a] < INT32_MAX / 2;
        out->at[a] = (int32_t)at[a];
    }
    SL_CHECK(good, SL_EINPUT, "block %" PRId64 " lies outside of the grid", row);
    return SL_OK;
}

/* One read that goes over all blocks: places, and levels where the file tells them. */
static int read_spots(hid_t group, struct sl_snapshot *s, int64_t (*at)[3], int *level)
{
    const struct sl_snapshot_info *i = &s->info;
    const hsize_t shape[2] = {(hsize_t)i->nblock, 3};
    SL_TRY(sl_h5_get_array(group, "at", H5T_NATIVE_INT64, 2, shape, at));
    if (i->levels) SL_TRY(sl_h5_get_array(group, "level", H5T_NATIVE_INT, 1, shape, level));
    for (int64_t b = 0; b < i->nblock; b++)
        SL_TRY(set_spot(i, at[b], level[b], b, &s->spot[b]));
    qsort(s->spot, (size_t)i->nblock, sizeof *s->spot, compare);
    return SL_OK;
}

static int read_tree(hid_t group, struct sl_snapshot *s)
{
    size_t n = (size_t)s->info.nblock;
    int64_t(*at)[3] = malloc(n * sizeof *at);
    int *level = calloc(n, sizeof *level);
    unsigned char *children = calloc(n, 1);
    s->spot = malloc(n * sizeof *s->spot);
    int code = at && level && children && s->spot ? read_spots(group, s, at, level)
                                                  : SL_FAIL(SL_EMEM, "no memory for the tree");
    if (code == SL_OK) code = check_tree(s, children);
    free(at);
    free(level);
    free(children);
    return code;
}

static int read_crc(hid_t group, struct sl_snapshot *s)
{
    const hsize_t shape[2] = {(hsize_t)s->info.nfield, (hsize_t)s->info.nblock};
    s->crc = malloc((size_t)(shape[0] * shape[1]) * sizeof *s->crc);
    SL_CHECK(s->crc, SL_EMEM, "no memory for checksums");
    return sl_h5_get_array(group, "crc32c", H5T_NATIVE_UINT32, 2, shape, s->crc);
}

static int read_all(hid_t file, struct sl_snapshot *s)
{
    hid_t group = H5Gopen2(file, "sluice", H5P_DEFAULT);
    SL_CHECK(group >= 0, SL_EINPUT, "it has no /sluice group");
    int code = read_numbers(group, s);
    if (code == SL_OK) code = check_grid(&s->info);
    if (code == SL_OK) code = read_texts(group, &s->info);
    if (code == SL_OK) code = read_field_names(group, &s->info);
    for (int f = 0; f < s->info.nfield && code == SL_OK; f++)
        code = find_field(file, s, f);
    if (code == SL_OK) code = read_tree(group, s);
    if (code == SL_OK) code = read_crc(group, s);
    H5Gclose(group);
    return code;
}

static int read_tables(struct sl_snapshot *s)
{
    sl_h5_quiet();
    hid_t fapl = sl_h5_access(), file = H5Fopen(s->path, H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    if (file < 0) return sl_h5_code(SL_FAIL(SL_EINPUT, "it is not an HDF5 file that can be read"));
    return sl_hdf_close(file, read_all(file, s));
}

static int open_here(struct sl_snapshot *s, const char *path)
{
    SL_TRY(sl_path_join(s->path, "", path));
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    SL_CHECK(s->fd >= 0, sl_file_status(errno), "cannot open snapshot %s: %s", path,
             strerror(errno));
    int code = read_tables(s);
    if (code != SL_EINPUT && code != SL_EIO) return code;
    char why[256];
    snprintf(why, sizeof why, "%s", sl_error_text());
    return SL_FAIL(code, code == SL_EIO ? "cannot read %s: %s" : "%s is not a good snapshot: %s",
                   path, why);
}

int sl_snapshot_open(const char *path, struct sl_snapshot **out)
{
    struct sl_snapshot *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "no memory for a snapshot");
    s->fd = -1;
    int code = open_here(s, path);
    if (code == SL_OK)
        *out = s;
    else
        sl_snapshot_close(s);
    return code;
}

void sl_snapshot_close(struct sl_snapshot *s)
{
    if (!s) return;
    if (s->fd >= 0) close(s->fd);
    free(s->spot);
    free(s->crc);
    free(s);
}

const struct sl_snapshot_info *sl_snapshot_about(const struct sl_snapshot *s)
{
    return &s->info;
}

bool sl_snapshot_block(const struct sl_snapshot *s, int64_t i, int *level, int64_t at[3])
{
    const struct spot *b = &s->spot[i], child = child_of(s, b, 0);
    *level = b->level;
    for (int a = 0; a < 3; a++)
        at[a] = b->at[a];
    return !find(s, &child);
}

int sl_snapshot_info(const char *path, struct sl_snapshot_info *info)
{
    struct sl_snapshot *s;
    SL_TRY(sl_snapshot_open(path, &s));
    *info = s->info;
    sl_snapshot_close(s);
    return SL_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A request, and the buffer for one block. */
struct box {
    const struct sl_snapshot *s;
    int field, level;
    int64_t lo[3], hi[3]; /* cells of the level */
    double unit;          /* code units in one of the file's */
    char *packed;
    size_t bytes; /* of packed */
    double *out;
};

static double stored(const struct box *box, size_t i)
{
    float single;
    double wide;
    if (box->s->value == sizeof single) {
        memcpy(&single, box->packed + i * sizeof single, sizeof single);
        return (double)single * box->unit;
    }
    memcpy(&wide, box->packed + i * sizeof wide, sizeof wide);
    return wide * box->unit;
}

/* The cells of the box that lie in a block; whether there are any. */
static bool overlap(const struct box *box, const struct spot *b, int64_t from[3], int64_t to[3])
{
    const struct sl_snapshot_info *i = &box->s->info;
    bool any = true;
    for (int a = 0; a < 3; a++) {
        int shift = a < i->dim ? box->level - b->level : 0;
        int64_t first = b->at[a] * i->block[a] << shift, last = first + (i->block[a] << shift);
        from[a] = box->lo[a] > first ? box->lo[a] : first;
        to[a] = box->hi[a] < last ? box->hi[a] : last;
        any = any && from[a] < to[a];
    }
    return any;
}

/* Copies what the box and the block share; the block's level may be coarser. */
static void copy_block(const struct box *box, const struct spot *b)
{
    int64_t from[3], to[3];
    const int64_t *n = box->s->info.block;
    int shift[3];
    for (int a = 0; a < 3; a++)
        shift[a] = a < box->s->info.dim ? box->level - b->level : 0;
    overlap(box, b, from, to);
    for (int64_t k = from[2]; k < to[2]; k++)
        for (int64_t j = from[1]; j < to[1]; j++) {
            int64_t row = (((k >> shift[2]) % n[2]) * n[1] + (j >> shift[1]) % n[1]) * n[0];
            int64_t put = ((k - box->lo[2]) * (box->hi[1] - box->lo[1]) + (j - box->lo[1])) *
                          (box->hi[0] - box->lo[0]);
            for (int64_t i = from[0]; i < to[0]; i++)
                box->out[put + i - box->lo[0]] =
                    stored(box, (size_t)(row + (i >> shift[0]) % n[0]));
        }
}

static int read_block(const struct box *box, const struct spot *b)
{
    const struct sl_snapshot *s = box->s;
    const struct sl_snapshot_info *i = &s->info;
    SL_TRY(sl_pread_all(s->fd, box->packed, box->bytes,
                        s->where[box->field] + b->row * (int64_t)box->bytes, s->path));
    SL_CHECK(sl_crc32c(0, box->packed, box->bytes) ==
                 s->crc[(size_t)box->field * (size_t)i->nblock + (size_t)b->row],
             SL_EINPUT, "%s: the checksum of block %d of %s is wrong", s->path, (int)b->row,
             i->field[box->field]);
    copy_block(box, b);
    return SL_OK;
}

/* A block of the level or a coarser leaf is read, others are asked for their children. */
static int descend(const struct box *box, const struct spot *b)
{
    int64_t from[3], to[3];
    struct spot want = child_of(box->s, b, 0);
    if (!overlap(box, b, from, to)) return SL_OK;
    if (b->level == box->level || !find(box->s, &want)) return read_block(box, b);
    for (int c = 0; c < 1 << box->s->info.dim; c++) {
        want = child_of(box->s, b, c);
        SL_TRY(descend(box, find(box->s, &want)));
    }
    return SL_OK;
}

static int read_blocks(const struct box *box)
{
    int64_t first[3], last[3];
    for (int a = 0; a < 3; a++) {
        int64_t n = box->s->info.block[a] << (a < box->s->info.dim ? box->level : 0);
        first[a] = box->lo[a] / n, last[a] = (box->hi[a] - 1) / n;
    }
    for (int64_t k = first[2]; k <= last[2]; k++)
        for (int64_t j = first[1]; j <= last[1]; j++)
            for (int64_t i = first[0]; i <= last[0]; i++) {
                const struct spot want = {0, {(int32_t)i, (int32_t)j, (int32_t)k}, -1};
                SL_TRY(descend(box, find(box->s, &want)));
            }
    return SL_OK;
}

static double unit_of(const struct sl_snapshot_info *i, const char *field)
{
    struct sl_flash scale = {
        .length = i->cgs_length, .density = i->cgs_density, .velocity = i->cgs_velocity};
    scale.cgs = scale.length != 1 || scale.density != 1 || scale.velocity != 1;
    for (int f = 0; f < SL_FIELD_SCALAR; f++)
        if (strcmp(sl_field_about(f).name, field) == 0) return 1 / sl_flash_scale(&scale, f);
    return 1;
}

int sl_snapshot_read_level(const struct sl_snapshot *s, const char *field, int level,
                           const int64_t lo[3], const int64_t hi[3], double *out)
{
    struct box box = {
        .s = s, .field = -1, .level = level, .unit = unit_of(&s->info, field), .out = out};
    bool empty = false;
    for (int f = 0; f < s->info.nfield; f++)
        if (strcmp(s->info.field[f], field) == 0) box.field = f;
    SL_CHECK(box.field >= 0, SL_EINPUT, "%s has no field %s", s->path, field);
    SL_CHECK(level >= 0 && level < SL_LEVELS, SL_EINPUT, "there is no level %d", level);
    box.bytes = s->value;
    for (int a = 0; a < 3; a++) {
        int64_t cells = s->info.cells[a] << (a < s->info.dim ? level : 0);
        SL_CHECK(lo[a] >= 0 && hi[a] <= cells, SL_EINPUT,
                 "%s has no cells %" PRId64 " to %" PRId64 " along axis %d", s->path, lo[a], hi[a],
                 a);
        empty = empty || lo[a] >= hi[a];
        box.lo[a] = lo[a], box.hi[a] = hi[a];
        box.bytes *= (size_t)s->info.block[a];
    }
    if (empty) return SL_OK;
    box.packed = malloc(box.bytes);
    SL_CHECK(box.packed, SL_EMEM, "no memory for a block of %zu bytes", box.bytes);
    int code = read_blocks(&box);
    free(box.packed);
    return code;
}

int sl_snapshot_read_box(const struct sl_snapshot *s, const char *field, const int64_t lo[3],
                         const int64_t hi[3], double *out)
{
    return sl_snapshot_read_level(s, field, 0, lo, hi, out);
}
