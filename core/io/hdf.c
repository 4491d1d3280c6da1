/* hdf.c - see hdf.h. */
#include "core/io/hdf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_info.h"
#include "core/config/config.h"
#include "core/io/fletcher32.h"
#include "core/io/h5.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

enum { TABLES = 1 << 20 }; /* more than the tables of a file need beside its data */

/* Two processes that wrote one file would empty it under each other. The lock goes with the open
 * file, also of a process that is killed; file systems without locks do without. */
static int lock_part(struct sl_hdf *h)
{
    struct stat opened, there;
    int fd = open(h->part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    SL_CHECK(fd >= 0, SL_EIO, "cannot create %s: %s", h->part, strerror(errno));
    bool free = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (free && fstat(fd, &opened) == 0 && stat(h->part, &there) == 0 &&
        opened.st_ino == there.st_ino) {
        h->lock = fd;
        return SL_OK;
    }
    close(fd);
    return SL_FAIL(SL_EIO, "another process writes %s", h->part);
}

static void unlock_part(struct sl_hdf *h)
{
    if (h->lock >= 0) close(h->lock);
    h->lock = -1;
}

/* Opens path.part and reserves room in it. */
static int reserve(const struct sl_hdf *h)
{
    char dir[SL_PATH_MAX];
    SL_TRY(sl_path_parent(dir, h->part));
    SL_TRY(sl_check_room(dir, h->bytes + TABLES));
    int fd = open(h->part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    SL_CHECK(fd >= 0, SL_EIO, "cannot create %s: %s", h->part, strerror(errno));
    int code = sl_reserve(fd, h->bytes + TABLES, h->part);
    close(fd);
    return code;
}

/* Creating the file gives back what was reserved: it is taken again at once. */
static int create_on_disk(struct sl_hdf *h)
{
    SL_TRY(lock_part(h));
    SL_TRY(reserve(h));
    hid_t how = sl_h5_access();
    h->file = sl_h5_place_access(how, &h->place) < 0 ? -1 : sl_h5_file(h->part, how);
    H5Pclose(how);
    SL_CHECK(h->file >= 0, SL_EIO, "cannot create %s: %s", h->part, strerror(errno));
    return reserve(h);
}

/* In the oldest format: taking the image of a newer one spoils the checksum of its first block. */
static int create_in_memory(struct sl_hdf *h)
{
    hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(how, 1 << 20, 0);
    h->file = sl_h5_file(h->part, how);
    H5Pclose(how);
    SL_CHECK(h->file >= 0, SL_EMEM, "out of memory for %s", h->path);
    return SL_OK;
}

int sl_hdf_create(const char *path, uint64_t bytes, struct sl_hdf *h)
{
    sl_h5_quiet();
    h->file = -1;
    h->bytes = bytes;
    h->lock = -1;
    h->single = false;
    h->place = (struct sl_h5_place){.wanted = false};
    int n = snprintf(h->path, sizeof h->path, "%s", path);
    int m = snprintf(h->part, sizeof h->part, "%s.part", path);
    SL_CHECK(n > 0 && m < (int)sizeof h->part, SL_EINPUT, "the path is too long: %s", path);
    int code = bytes > 0 ? create_on_disk(h) : create_in_memory(h);
    if (code != SL_OK) sl_hdf_abandon(h);
    return code;
}

static int commit_memory(struct sl_hdf *h)
{
    ssize_t size =
        H5Fflush(h->file, H5F_SCOPE_GLOBAL) >= 0 ? H5Fget_file_image(h->file, NULL, 0) : -1;
    void *image = size > 0 ? malloc((size_t)size) : NULL;
    int ok = image && H5Fget_file_image(h->file, image, (size_t)size) == size;
    H5Fclose(h->file);
    h->file = -1;
    int code = ok ? sl_file_replace(h->path, image, (size_t)size, SL_DURABLE)
                  : SL_FAIL(SL_EMEM, "out of memory for %s", h->path);
    free(image);
    return code;
}

/* Cuts off what was reserved and not used, flushes. */
static int settle(const struct sl_hdf *h, hsize_t size)
{
    int fd = open(h->part, O_WRONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", h->part, strerror(errno));
    int cut = ftruncate(fd, (off_t)size);
    SL_TRY(sl_close_synced(fd, h->part));
    SL_CHECK(cut == 0, SL_EIO, "cannot cut %s to %llu bytes", h->part, (unsigned long long)size);
    SL_CHECK(rename(h->part, h->path) == 0, SL_EIO, "cannot rename %s to %s: %s", h->part, h->path,
             strerror(errno));
    return sl_sync_parent(h->path);
}

/* The file is opened first: that is when a network file system sees what other hosts have written,
 * so that the pages which HDF5 changes are not old ones. */
int sl_hdf_flush(const struct sl_hdf *h)
{
    int fd = open(h->part, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", h->part, strerror(errno));
    int code = H5Fflush(h->file, H5F_SCOPE_GLOBAL) >= 0
                   ? SL_OK
                   : SL_FAIL(SL_EIO, "cannot write %s: %s", h->part, strerror(errno));
    int closed = sl_close_synced(fd, h->part);
    return code != SL_OK ? code : closed;
}

int sl_hdf_commit(struct sl_hdf *h)
{
    hsize_t size = 0;
    if (h->bytes == 0) return commit_memory(h);
    int code = sl_hdf_flush(h);
    if (code == SL_OK && H5Fget_filesize(h->file, &size) < 0)
        code = SL_FAIL(SL_EIO, "cannot find the size of %s", h->part);
    if (H5Fclose(h->file) < 0 && code == SL_OK)
        code = SL_FAIL(SL_EIO, "cannot write %s: %s", h->part, strerror(errno));
    h->file = -1;
    if (code == SL_OK) code = settle(h, size);
    if (code != SL_OK) unlink(h->part);
    unlock_part(h);
    return code;
}

void sl_hdf_abandon(struct sl_hdf *h)
{
    if (h->file >= 0) H5Fclose(h->file);
    h->file = -1;
    if (h->lock >= 0) unlink(h->part);
    unlock_part(h);
}

int sl_hdf_open(const char *path, hid_t *file)
{
    sl_h5_quiet();
    struct stat st;
    SL_CHECK(access(path, R_OK) == 0 && stat(path, &st) == 0, sl_file_status(errno),
             "cannot read %s: %s", path, strerror(errno));
    SL_CHECK(S_ISREG(st.st_mode), SL_EINPUT, "%s is not a plain file", path);
    hid_t how = sl_h5_access();
    hid_t id = H5Fopen(path, H5F_ACC_RDONLY, how);
    H5Pclose(how);
    if (id < 0)
        return sl_h5_code(SL_FAIL(SL_EINPUT, "%s is not an HDF5 file, or it is damaged", path));
    *file = id;
    return SL_OK;
}

int sl_hdf_close(hid_t file, int code)
{
    code = sl_h5_code(code);
    H5Fclose(file);
    return code;
}

int sl_hdf_real(hid_t object, const char *name, double value)
{
    return sl_h5_put_reals(object, name, 1, &value);
}

int sl_hdf_integer(hid_t object, const char *name, int64_t value)
{
    return sl_h5_put_ints(object, name, 1, &value);
}

static int read_text(hid_t id, hid_t type, const char *name, char **text)
{
    enum { CAP = 1 << 20 };
    SL_CHECK(H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) <= 0, SL_EINPUT,
             "the attribute %s is not a text of fixed length", name);
    size_t size = H5Tget_size(type);
    SL_CHECK(size > 0 && size < CAP, SL_EINPUT, "the attribute %s is damaged", name);
    char *value = calloc(size + 1, 1);
    SL_CHECK(value, SL_EMEM, "out of memory");
    if (H5Aread(id, type, value) < 0) {
        free(value);
        return SL_FAIL(SL_EINPUT, "cannot read the attribute %s", name);
    }
    *text = value;
    return SL_OK;
}

int sl_hdf_read_text(hid_t object, const char *name, char **text)
{
    hid_t id = H5Aopen(object, name, H5P_DEFAULT);
    SL_CHECK(id >= 0, SL_EINPUT, "the attribute %s is missing", name);
    hid_t type = H5Aget_type(id);
    int code = read_text(id, type, name, text);
    H5Tclose(type);
    H5Aclose(id);
    return code;
}

enum { PIECE_Y = 32, PIECE_X = 64 };

/* Small enough that a block reads little more than its own cells. */
static void piece(const hsize_t size[3], hsize_t out[3])
{
    static const hsize_t most[3] = {1, PIECE_Y, PIECE_X};
    for (int d = 0; d < 3; d++)
        out[d] = size[d] < most[d] ? size[d] : most[d];
}

size_t sl_hdf_pieces(const hsize_t size[3])
{
    hsize_t chunk[3];
    piece(size, chunk);
    return (size_t)((size[1] + chunk[1] - 1) / chunk[1] * ((size[2] + chunk[2] - 1) / chunk[2]));
}

uint64_t sl_hdf_field_bytes(const hsize_t size[3], bool single)
{
    hsize_t chunk[3];
    uint64_t pieces = 1, bytes = single ? sizeof(float) : sizeof(double);
    piece(size, chunk);
    for (int d = 0; d < 3; d++) {
        pieces *= (size[d] + chunk[d] - 1) / chunk[d];
        bytes *= chunk[d];
    }
    return pieces * (bytes + 64);
}

/* Its values, if there are any, what it says about itself, and its end. */
static int finish(hid_t id, const char *name, const double *values, const char *units,
                  const char *about)
{
    int code = SL_OK;
    if (id < 0 ||
        (values && H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
        code = SL_FAIL(SL_EIO, "cannot write the dataset %s: %s", name, strerror(errno));
    if (code == SL_OK) code = sl_h5_put_text(id, "units", units);
    if (code == SL_OK) code = sl_h5_put_text(id, "description", about);
    if (id >= 0 && H5Dclose(id) < 0 && code == SL_OK)
        code = SL_FAIL(SL_EIO, "cannot write the dataset %s: %s", name, strerror(errno));
    return code;
}

int sl_hdf_dataset(hid_t group, const char *name, int rank, const hsize_t *size,
                   const double *values, const char *units, const char *about)
{
    hid_t space = H5Screate_simple(rank, size, NULL), how = sl_h5_dataset();
    hid_t id = H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return finish(id, name, values, units, about);
}

/* Numbers are those of the machine, as pieces are written without HDF5 having a look at them. */
int sl_hdf_field(const struct sl_hdf *h, const char *name, const hsize_t size[3], const char *units,
                 const char *about)
{
    hsize_t chunk[3];
    hid_t space = H5Screate_simple(3, size, NULL), how = sl_h5_dataset();
    piece(size, chunk);
    H5Pset_chunk(how, 3, chunk);
    H5Pset_fletcher32(how);
    hid_t id = H5Dcreate2(h->file, name, h->single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, space,
                          H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return finish(id, name, NULL, units, about);
}

/* A piece as it lies in the file: numbers, those beyond the edges of the field 0, and the
 * checksum. */
struct packed {
    hsize_t chunk[3];
    bool single;
    char bytes[PIECE_Y * PIECE_X * sizeof(double) + sizeof(uint32_t)];
};

static void round_line(size_t n, const double *line, char *out)
{
    for (size_t x = 0; x < n; x++) {
        float rounded = (float)line[x];
        memcpy(out + x * sizeof rounded, &rounded, sizeof rounded);
    }
}

static void pack_line(struct packed *p, size_t to, size_t n, const double *line)
{
    size_t number = p->single ? sizeof(float) : sizeof(double);
    char *out = p->bytes + to * number;
    if (p->single)
        round_line(n, line, out);
    else
        memcpy(out, line, n * number);
    memset(out + n * number, 0, ((size_t)p->chunk[2] - n) * number);
}

static size_t packed_numbers(const struct packed *p)
{
    return (size_t)p->chunk[1] * (size_t)p->chunk[2] * (p->single ? sizeof(float) : sizeof(double));
}

/* With the checksum. */
static size_t packed_bytes(const struct packed *p)
{
    return packed_numbers(p) + sizeof(uint32_t);
}

/* Of the plane that is n[1] x n[2] numbers at (y, x). */
static void pack(struct packed *p, const hsize_t n[3], const double *plane, hsize_t y, hsize_t x)
{
    size_t lines = (size_t)(n[1] - y < p->chunk[1] ? n[1] - y : p->chunk[1]),
           count = (size_t)(n[2] - x < p->chunk[2] ? n[2] - x : p->chunk[2]),
           width = (size_t)p->chunk[2], bytes = packed_numbers(p);
    memset(p->bytes, 0, lines < p->chunk[1] ? bytes : 0);
    for (size_t j = 0; j < lines; j++)
        pack_line(p, j * width, count, plane + (y + j) * n[2] + x);
    uint32_t sum = sl_fletcher32(p->bytes, bytes);
    for (size_t i = 0; i < sizeof sum; i++)
        p->bytes[bytes + i] = (char)(sum >> 8 * i);
}

/* Room for a piece: HDF5 gets to know that it was written, and says where it belongs. */
static bool place_piece(struct sl_hdf *h, hid_t id, const hsize_t at[3], const struct packed *p,
                        int64_t *where)
{
    size_t bytes = packed_bytes(p);
    h->place = (struct sl_h5_place){.wanted = true};
    bool ok = H5Dwrite_chunk(id, H5P_DEFAULT, 0, at, bytes, p->bytes) >= 0;
    h->place.wanted = false;
    *where = (int64_t)h->place.at;
    return ok && h->place.size == bytes;
}

static bool place_plane(struct sl_hdf *h, hid_t id, const struct packed *p, hsize_t k,
                        const hsize_t n[3], int64_t *where)
{
    bool ok = true;
    for (hsize_t y = 0; y < n[1] && ok; y += p->chunk[1])
        for (hsize_t x = 0; x < n[2] && ok; x += p->chunk[2])
            ok = place_piece(h, id, (const hsize_t[3]){k, y, x}, p, where++);
    return ok;
}

int sl_hdf_place_planes(struct sl_hdf *h, const char *name, hsize_t first, const hsize_t n[3],
                        int64_t *where)
{
    struct packed p = {.single = h->single};
    hid_t id = H5Dopen2(h->file, name, H5P_DEFAULT);
    bool ok = id >= 0;
    piece(n, p.chunk);
    for (hsize_t k = 0; k < n[0] && ok; k++)
        ok = place_plane(h, id, &p, first + k, n, where + k * sl_hdf_pieces(n));
    int why = errno;
    if (id >= 0) H5Dclose(id);
    SL_CHECK(ok, SL_EIO, "cannot write the dataset %s: %s", name, strerror(why));
    return SL_OK;
}

/* HDF5 takes longer to make pieces, to sum them up, and many times longer to round numbers. */
static int write_plane(int fd, const char *part, struct packed *p, const hsize_t n[3],
                       const int64_t *where, const double *plane)
{
    for (hsize_t y = 0; y < n[1]; y += p->chunk[1])
        for (hsize_t x = 0; x < n[2]; x += p->chunk[2]) {
            pack(p, n, plane, y, x);
            SL_TRY(sl_pwrite_all(fd, p->bytes, packed_bytes(p), *where++, part));
        }
    return SL_OK;
}

int sl_hdf_write_planes(const char *part, bool single, const hsize_t n[3], const int64_t *where,
                        const double *values)
{
    struct packed p = {.single = single};
    int fd = open(part, O_WRONLY | O_CLOEXEC | O_NOFOLLOW), code = SL_OK;
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", part, strerror(errno));
    piece(n, p.chunk);
    for (hsize_t k = 0; k < n[0] && code == SL_OK; k++)
        code = write_plane(fd, part, &p, n, where + k * sl_hdf_pieces(n), values + k * n[1] * n[2]);
    int closed = sl_close_synced(fd, part);
    return code != SL_OK ? code : closed;
}

int sl_hdf_build(hid_t object)
{
    char host[256] = "unknown";
    gethostname(host, sizeof host - 1);
    SL_TRY(sl_h5_put_text(object, "code_version", SL_BUILD_COMMIT));
    SL_TRY(sl_h5_put_text(object, "compiler", SL_BUILD_COMPILER));
    SL_TRY(sl_h5_put_text(object, "compiler_flags", SL_BUILD_FLAGS));
    return sl_h5_put_text(object, "host", host);
}

int sl_hdf_provenance(hid_t object, const struct sl_config *cfg)
{
    char *recipe = NULL;
    SL_TRY(sl_config_print_results(cfg, &recipe));
    int code = sl_h5_put_text(object, "recipe", recipe);
    free(recipe);
    SL_TRY(code);
    SL_TRY(sl_hdf_integer(object, "seed", cfg->seed));
    SL_TRY(sl_h5_put_text(object, "recipe_hash", cfg->run_recipe_hash));
    return sl_hdf_build(object);
}
