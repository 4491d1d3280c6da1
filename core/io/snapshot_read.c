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
#include "core/io/snapshot.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

enum { BLOCKS_MAX = 1 << 28 };

struct sl_snapshot {
    struct sl_snapshot_info info;
    char path[SL_PATH_MAX];
    int fd;
    size_t value;                /* bytes of a stored value */
    int64_t where[SL_FIELD_MAX]; /* places of the fields' bytes in the file */
    int64_t *row;                /* of the block at (x, y, z) of the block grid */
    uint32_t *crc;               /* [nfield][nblock] */
};

static int64_t blocks_along(const struct sl_snapshot_info *i, int a)
{
    return i->cells[a] / i->block[a];
}

/* ---- opening ---------------------------------------------------------------------------------- */

static int read_numbers(hid_t group, struct sl_snapshot_info *i)
{
    int64_t n[SL_FLASH_INTS], periodic[3];
    double x[SL_FLASH_REALS];
    for (int k = 0; k < SL_FLASH_INTS; k++)
        SL_TRY(sl_h5_get_ints(group, sl_flash_int[k], 1, &n[k]));
    for (int k = 0; k < SL_FLASH_REALS; k++)
        SL_TRY(sl_h5_get_reals(group, sl_flash_real[k], 1, &x[k]));
    SL_CHECK(n[0] == 1 && n[1] >= 1 && n[1] <= 3 && n[3] >= 1 && n[3] <= BLOCKS_MAX && n[4] >= 1 &&
                 n[4] <= SL_FIELD_MAX,
             SL_EINPUT, "numbers of the /sluice group make no sense");
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
        blocks *= blocks_along(i, a);
        cells *= (double)i->cells[a];
        SL_CHECK(blocks <= i->nblock && cells < 1e15, SL_EINPUT,
                 "the grid has more blocks than the file");
    }
    SL_CHECK(blocks == i->nblock, SL_EINPUT, "the file has more blocks than the grid");
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

static int read_rows(hid_t group, struct sl_snapshot *s)
{
    const struct sl_snapshot_info *i = &s->info;
    int64_t(*at)[3] = malloc((size_t)i->nblock * sizeof *at);
    s->row = malloc((size_t)i->nblock * sizeof *s->row);
    const hsize_t shape[2] = {(hsize_t)i->nblock, 3};
    int code = at && s->row ? sl_h5_get_array(group, "at", H5T_NATIVE_INT64, 2, shape, at)
                            : SL_FAIL(SL_EMEM, "no memory for %" PRId64 " blocks", i->nblock);
    for (int64_t b = 0; b < i->nblock && s->row; b++)
        s->row[b] = -1;
    for (int64_t b = 0; b < i->nblock && code == SL_OK; b++) {
        int64_t place = 0;
        bool good = true;
        for (int a = 2; a >= 0; a--) {
            good = good && at[b][a] >= 0 && at[b][a] < blocks_along(i, a);
            place = good ? place * blocks_along(i, a) + at[b][a] : 0;
        }
        if (!good || s->row[place] >= 0)
            code = SL_FAIL(SL_EINPUT, "block %" PRId64 " has no place of its own", b);
        s->row[place] = b;
    }
    free(at);
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
    int code = read_numbers(group, &s->info);
    if (code == SL_OK) code = check_grid(&s->info);
    if (code == SL_OK) code = read_texts(group, &s->info);
    if (code == SL_OK) code = read_field_names(group, &s->info);
    for (int f = 0; f < s->info.nfield && code == SL_OK; f++)
        code = find_field(file, s, f);
    if (code == SL_OK) code = read_rows(group, s);
    if (code == SL_OK) code = read_crc(group, s);
    H5Gclose(group);
    return code;
}

static int read_tables(struct sl_snapshot *s)
{
    sl_h5_quiet();
    hid_t fapl = sl_h5_access(), file = H5Fopen(s->path, H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    SL_CHECK(file >= 0, SL_EINPUT, "it is not an HDF5 file that can be read");
    int code = read_all(file, s);
    H5Fclose(file);
    return code;
}

static int open_here(struct sl_snapshot *s, const char *path)
{
    SL_TRY(sl_path_join(s->path, "", path));
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    SL_CHECK(s->fd >= 0, errno == ENOENT ? SL_EINPUT : SL_EIO, "cannot open snapshot %s: %s", path,
             strerror(errno));
    int code = read_tables(s);
    if (code != SL_EINPUT) return code;
    char why[256];
    snprintf(why, sizeof why, "%s", sl_error_text());
    return SL_FAIL(code, "%s is not a good snapshot: %s", path, why);
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
    free(s->row);
    free(s->crc);
    free(s);
}

const struct sl_snapshot_info *sl_snapshot_about(const struct sl_snapshot *s)
{
    return &s->info;
}

int sl_snapshot_info(const char *path, struct sl_snapshot_info *info)
{
    struct sl_snapshot *s;
    SL_TRY(sl_snapshot_open(path, &s));
    *info = s->info;
    sl_snapshot_close(s);
    return SL_OK;
}

/* ---- values ----------------------------------------------------------------------------------- */

/* A request, and the buffer for one block. */
struct box {
    const struct sl_snapshot *s;
    int field;
    int64_t lo[3], hi[3];
    double unit; /* code units in one of the file's */
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

/* Copies what the box and the block at block coordinates `at` share. */
static void copy_block(const struct box *box, const int64_t at[3])
{
    int64_t from[3], to[3];
    const int64_t *n = box->s->info.block;
    for (int a = 0; a < 3; a++) {
        int64_t first = at[a] * n[a];
        from[a] = box->lo[a] > first ? box->lo[a] : first;
        to[a] = box->hi[a] < first + n[a] ? box->hi[a] : first + n[a];
    }
    for (int64_t k = from[2]; k < to[2]; k++)
        for (int64_t j = from[1]; j < to[1]; j++) {
            int64_t row = ((k % n[2]) * n[1] + j % n[1]) * n[0];
            int64_t put = ((k - box->lo[2]) * (box->hi[1] - box->lo[1]) + (j - box->lo[1])) *
                          (box->hi[0] - box->lo[0]);
            for (int64_t i = from[0]; i < to[0]; i++)
                box->out[put + i - box->lo[0]] = stored(box, (size_t)(row + i % n[0]));
        }
}

static int read_block(const struct box *box, const int64_t at[3])
{
    const struct sl_snapshot *s = box->s;
    const struct sl_snapshot_info *i = &s->info;
    int64_t place = (at[2] * blocks_along(i, 1) + at[1]) * blocks_along(i, 0) + at[0];
    int64_t row = s->row[place];
    SL_TRY(sl_pread_all(s->fd, box->packed, box->bytes,
                        s->where[box->field] + row * (int64_t)box->bytes, s->path));
    SL_CHECK(sl_crc32c(0, box->packed, box->bytes) ==
                 s->crc[(size_t)box->field * (size_t)i->nblock + (size_t)row],
             SL_EINPUT, "%s: the checksum of block %" PRId64 " of %s is wrong", s->path, row,
             i->field[box->field]);
    copy_block(box, at);
    return SL_OK;
}

static int read_blocks(const struct box *box)
{
    const int64_t *n = box->s->info.block, *lo = box->lo, *hi = box->hi;
    int64_t at[3];
    for (at[2] = lo[2] / n[2]; at[2] <= (hi[2] - 1) / n[2]; at[2]++)
        for (at[1] = lo[1] / n[1]; at[1] <= (hi[1] - 1) / n[1]; at[1]++)
            for (at[0] = lo[0] / n[0]; at[0] <= (hi[0] - 1) / n[0]; at[0]++)
                SL_TRY(read_block(box, at));
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

int sl_snapshot_read_box(const struct sl_snapshot *s, const char *field, const int64_t lo[3],
                         const int64_t hi[3], double *out)
{
    struct box box = {.s = s, .field = -1, .unit = unit_of(&s->info, field), .out = out};
    bool empty = false;
    for (int f = 0; f < s->info.nfield; f++)
        if (strcmp(s->info.field[f], field) == 0) box.field = f;
    SL_CHECK(box.field >= 0, SL_EINPUT, "%s has no field %s", s->path, field);
    box.bytes = s->value;
    for (int a = 0; a < 3; a++) {
        SL_CHECK(lo[a] >= 0 && hi[a] <= s->info.cells[a], SL_EINPUT,
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
