/* hdf.c - see hdf.h. */
#include "core/io/hdf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "core/io/h5.h"
#include "core/sys/config.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

int sl_hdf_create(const char *path, struct sl_hdf *out)
{
    sl_h5_quiet();
    int n = snprintf(out->path, sizeof out->path, "%s", path);
    int m = snprintf(out->part, sizeof out->part, "%s.part", path);
    SL_CHECK(n > 0 && m < (int)sizeof out->part, SL_EINPUT, "the path is too long: %s", path);
    hid_t how = sl_h5_access();
    out->file = H5Fcreate(out->part, H5F_ACC_TRUNC, H5P_DEFAULT, how);
    H5Pclose(how);
    SL_CHECK(out->file >= 0, SL_EIO, "cannot create %s: %s", out->part, strerror(errno));
    return SL_OK;
}

static int flush(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    return sl_close_synced(fd, path);
}

int sl_hdf_commit(struct sl_hdf *h)
{
    int flushed = H5Fflush(h->file, H5F_SCOPE_GLOBAL) >= 0;
    int closed = H5Fclose(h->file) >= 0;
    h->file = -1;
    int code = flushed && closed ? flush(h->part)
                                 : SL_FAIL(SL_EIO, "cannot write %s: %s", h->part, strerror(errno));
    if (code == SL_OK && rename(h->part, h->path) != 0)
        code = SL_FAIL(SL_EIO, "cannot rename %s to %s: %s", h->part, h->path, strerror(errno));
    if (code != SL_OK) unlink(h->part);
    return code == SL_OK ? sl_sync_parent(h->path) : code;
}

void sl_hdf_abandon(struct sl_hdf *h)
{
    if (h->file >= 0) H5Fclose(h->file);
    h->file = -1;
    unlink(h->part);
}

int sl_hdf_open(const char *path, hid_t *file)
{
    sl_h5_quiet();
    SL_CHECK(access(path, R_OK) == 0, SL_EINPUT, "cannot read %s: %s", path, strerror(errno));
    hid_t how = sl_h5_access();
    hid_t id = H5Fopen(path, H5F_ACC_RDONLY, how);
    H5Pclose(how);
    SL_CHECK(id >= 0, SL_EINPUT, "%s is not an HDF5 file, or it is damaged", path);
    *file = id;
    return SL_OK;
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

int sl_hdf_dataset(hid_t group, const char *name, int rank, const hsize_t *size,
                   const double *values, const char *units, const char *about)
{
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t id =
        H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int code = SL_OK;
    if (id < 0 ||
        (values && H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
        code = SL_FAIL(SL_EIO, "cannot write the dataset %s: %s", name, strerror(errno));
    if (code == SL_OK) code = sl_h5_put_text(id, "units", units);
    if (code == SL_OK) code = sl_h5_put_text(id, "description", about);
    if (id >= 0 && H5Dclose(id) < 0 && code == SL_OK)
        code = SL_FAIL(SL_EIO, "cannot write the dataset %s: %s", name, strerror(errno));
    H5Sclose(space);
    return code;
}

int sl_hdf_write_box(hid_t group, const char *name, int rank, const hsize_t *at, const hsize_t *n,
                     const double *values)
{
    hid_t id = H5Dopen2(group, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(id), memory = H5Screate_simple(rank, n, NULL);
    int ok = id >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, n, NULL) >= 0 &&
             H5Dwrite(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    int why = errno;
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(id);
    SL_CHECK(ok, SL_EIO, "cannot write the dataset %s: %s", name, strerror(why));
    return SL_OK;
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
    SL_TRY(sl_config_print(cfg, &recipe));
    int code = sl_h5_put_text(object, "recipe", recipe);
    free(recipe);
    SL_TRY(code);
    SL_TRY(sl_hdf_integer(object, "seed", cfg->seed));
    SL_TRY(sl_h5_put_text(object, "recipe_hash", cfg->run_recipe_hash));
    return sl_hdf_build(object);
}
