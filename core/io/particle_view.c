/* particle_view.c - see particle_view.h. */
#include "core/io/particle_view.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/io/flash.h"
#include "core/io/h5.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

#define TABLE "tracer particles"

static int name_of(char *out, const char *snapshot, const char *ending)
{
    int n = snprintf(out, SL_PATH_MAX, "%s.particles.vtkhdf%s", snapshot, ending);
    SL_CHECK(n < SL_PATH_MAX, SL_EINPUT, "path is too long: %.80s...", snapshot);
    return SL_OK;
}

int sl_particle_view_name(char *out, const char *snapshot)
{
    return name_of(out, snapshot, "");
}

/* Rows of the table of a snapshot, 0: it has none. */
static int count_rows(const char *snapshot, hsize_t *rows)
{
    hsize_t shape[2] = {0, SL_FLASH_PARTICLE};
    *rows = 0;
    sl_h5_quiet();
    hid_t access = sl_h5_access(), file = H5Fopen(snapshot, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    SL_CHECK(file >= 0, SL_EIO, "cannot open %s", snapshot);
    hid_t set = H5Lexists(file, TABLE, H5P_DEFAULT) > 0 ? H5Dopen2(file, TABLE, H5P_DEFAULT) : -1;
    if (set >= 0) {
        hid_t space = H5Dget_space(set);
        if (H5Sget_simple_extent_ndims(space) == 2) H5Sget_simple_extent_dims(space, shape, NULL);
        H5Sclose(space);
        H5Dclose(set);
    }
    H5Fclose(file);
    SL_CHECK(shape[1] == SL_FLASH_PARTICLE, SL_EINPUT, "%s: \"" TABLE "\" has %d columns", snapshot,
             (int)shape[1]);
    *rows = shape[0];
    return SL_OK;
}

/* What a name stands for: n columns of the table from the first. */
static int put_columns(hid_t at, const char *name, const char *source, hsize_t rows, int first,
                       int n)
{
    const hsize_t table[2] = {rows, SL_FLASH_PARTICLE}, shape[2] = {rows, (hsize_t)n};
    const hsize_t start[2] = {0, (hsize_t)first};
    const double lost = NAN; /* a source that is gone must show */
    hid_t from = H5Screate_simple(2, table, NULL),
          to = H5Screate_simple(n > 1 ? 2 : 1, shape, NULL);
    hid_t dcpl = sl_h5_dataset();
    H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, shape, NULL);
    H5Pset_fill_value(dcpl, H5T_NATIVE_DOUBLE, &lost);
    H5Pset_virtual(dcpl, to, source, TABLE, from);
    hid_t set = H5Dcreate2(at, name, H5T_NATIVE_DOUBLE, to, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    herr_t rc = set < 0 ? -1 : H5Dclose(set);
    H5Pclose(dcpl);
    H5Sclose(from);
    H5Sclose(to);
    SL_CHECK(rc >= 0, SL_EIO, "cannot make the VTKHDF view of %s of particles", name);
    return SL_OK;
}

static int put_no_cells(hid_t group, hsize_t rows)
{
    const hsize_t none = 0, one = 1;
    const int64_t count = (int64_t)rows, zero = 0;
    SL_TRY(sl_h5_put_array(group, "NumberOfPoints", H5T_NATIVE_INT64, 1, &one, &count));
    SL_TRY(sl_h5_put_array(group, "NumberOfCells", H5T_NATIVE_INT64, 1, &one, &zero));
    SL_TRY(sl_h5_put_array(group, "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, &one, &zero));
    SL_TRY(sl_h5_put_array(group, "Offsets", H5T_NATIVE_INT64, 1, &one, &zero));
    SL_TRY(sl_h5_put_array(group, "Connectivity", H5T_NATIVE_INT64, 1, &none, &zero));
    return sl_h5_put_array(group, "Types", H5T_NATIVE_UINT8, 1, &none, &zero);
}

static int put_group(hid_t group, const char *source, hsize_t rows)
{
    const int64_t version[2] = {1, 0};
    SL_TRY(sl_h5_put_ints(group, "Version", 2, version));
    SL_TRY(sl_h5_put_text(group, "Type", "UnstructuredGrid"));
    SL_TRY(put_no_cells(group, rows));
    SL_TRY(put_columns(group, "Points", source, rows, 0, 3));
    hid_t data = sl_h5_group(group, "PointData");
    int code = put_columns(data, "velocity", source, rows, 3, 3);
    if (code == SL_OK) code = put_columns(data, "mass", source, rows, 6, 1);
    if (code == SL_OK) code = put_columns(data, "id", source, rows, 7, 1);
    H5Gclose(data);
    return code;
}

static int write_view(const char *path, const char *source, hsize_t rows)
{
    hid_t access = sl_h5_access(), file = sl_h5_file(path, access);
    H5Pclose(access);
    SL_CHECK(file >= 0, SL_EIO, "cannot create %s", path);
    hid_t group = sl_h5_group(file, "VTKHDF");
    int code = put_group(group, source, rows);
    H5Gclose(group);
    /* a close that fails to write may return success: the flush before it tells */
    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0 && code == SL_OK)
        code = SL_FAIL(SL_EIO, "cannot write %s", path);
    if (H5Fclose(file) < 0 && code == SL_OK) code = SL_FAIL(SL_EIO, "cannot write %s", path);
    return code;
}

int sl_particle_view_make(const char *snapshot)
{
    char path[SL_PATH_MAX], temp[SL_PATH_MAX];
    const char *slash = strrchr(snapshot, '/');
    hsize_t rows;
    SL_TRY(name_of(path, snapshot, ""));
    SL_TRY(name_of(temp, snapshot, ".tmp"));
    SL_TRY(count_rows(snapshot, &rows));
    if (rows == 0) {
        unlink(path); /* of an older snapshot of this name */
        return SL_OK;
    }
    int code = write_view(temp, slash ? slash + 1 : snapshot, rows);
    if (code == SL_OK && rename(temp, path) != 0)
        code = SL_FAIL(SL_EIO, "cannot rename %s: %s", temp, strerror(errno));
    if (code != SL_OK) unlink(temp);
    return code;
}
