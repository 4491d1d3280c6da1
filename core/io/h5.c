/* h5.c - see h5.h. */
#include "core/io/h5.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/file.h"
#include "core/sys/status.h"

/* errno of a call of the system that failed within HDF5, 0: none did. Threads write files of their
 * own. */
static _Thread_local int refused;

/* The drivers of files say why a call of the system failed; of a file with wrong contents no such
 * number is reported. */
static herr_t look_for_errno(unsigned depth, const H5E_error2_t *error, void *unused)
{
    (void)depth, (void)unused;
    const char *at = error->desc ? strstr(error->desc, "errno = ") : NULL;
    if (at) refused = (int)strtol(at + strlen("errno = "), NULL, 10);
    return 0;
}

static herr_t note_failure(hid_t stack, void *unused)
{
    return H5Ewalk2(stack, H5E_WALK_UPWARD, look_for_errno, unused);
}

void sl_h5_quiet(void)
{
    refused = 0;
    H5Eset_auto2(H5E_DEFAULT, note_failure, NULL);
}

int sl_h5_code(int code)
{
    char why[1024];
    if (code != SL_EINPUT || refused == 0 || refused == EINVAL || sl_file_status(refused) != SL_EIO)
        return code; /* a wrong address in the file is an invalid argument */
    snprintf(why, sizeof why, "%s", sl_error_text());
    return SL_FAIL(SL_EIO, "%s: %s", why, strerror(refused));
}

hid_t sl_h5_access(void)
{
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_file_locking(fapl, 0, 1);
    return fapl;
}

/* HDF5 would write the time of making into every object. */
static hid_t timeless(hid_t plist)
{
    H5Pset_obj_track_times(plist, 0);
    return plist;
}

hid_t sl_h5_file(const char *path, hid_t access)
{
    hid_t how = timeless(H5Pcreate(H5P_FILE_CREATE));
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, how, access);
    H5Pclose(how);
    return file;
}

hid_t sl_h5_group(hid_t at, const char *name)
{
    hid_t how = timeless(H5Pcreate(H5P_GROUP_CREATE));
    hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    return group;
}

hid_t sl_h5_dataset(void)
{
    return timeless(H5Pcreate(H5P_DATASET_CREATE));
}

hid_t sl_h5_text(size_t n)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, n);
    return type;
}

/* Text of an attribute: just its characters, since ParaView counts a closing zero as one. */
static hid_t bare_text(size_t n)
{
    hid_t type = sl_h5_text(n ? n : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

static int put(hid_t at, const char *name, hid_t type, int n, const void *value)
{
    hsize_t shape = (hsize_t)n;
    hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &shape, NULL);
    hid_t attr = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t rc = H5Awrite(attr, type, value);
    if (H5Aclose(attr) < 0) rc = -1;
    H5Sclose(space);
    SL_CHECK(rc >= 0, SL_EIO, "cannot write attribute %s", name);
    return SL_OK;
}

int sl_h5_put_ints(hid_t at, const char *name, int n, const int64_t *value)
{
    return put(at, name, H5T_NATIVE_INT64, n, value);
}

int sl_h5_put_reals(hid_t at, const char *name, int n, const double *value)
{
    return put(at, name, H5T_NATIVE_DOUBLE, n, value);
}

int sl_h5_put_text(hid_t at, const char *name, const char *value)
{
    hid_t type = bare_text(strlen(value));
    int code = put(at, name, type, 1, value);
    H5Tclose(type);
    return code;
}

int sl_h5_put_array(hid_t at, const char *name, hid_t type, int rank, const hsize_t *shape,
                    const void *data)
{
    hid_t space = H5Screate_simple(rank, shape, NULL);
    hid_t how = sl_h5_dataset();
    hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    herr_t rc = set < 0 ? -1 : H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    if (set >= 0 && H5Dclose(set) < 0) rc = -1;
    H5Sclose(space);
    SL_CHECK(rc >= 0, SL_EIO, "cannot write dataset %s", name);
    return SL_OK;
}

/* Whether the attribute holds n values of that class; text in place of numbers makes HDF5 fail, but
 * a wrong count would write past the end. */
static int get(hid_t at, const char *name, H5T_class_t class, hid_t type, int n, void *value)
{
    hid_t attr = H5Aopen(at, name, H5P_DEFAULT);
    SL_CHECK(attr >= 0, SL_EINPUT, "attribute %s is missing", name);
    hid_t space = H5Aget_space(attr), stored = H5Aget_type(attr);
    herr_t rc =
        H5Sget_simple_extent_npoints(space) == n && H5Tget_class(stored) == class ? H5Aread(attr,
                                                                                            type,
                                                                                            value)
                                                                                  : -1;
    H5Tclose(stored);
    H5Sclose(space);
    H5Aclose(attr);
    SL_CHECK(rc >= 0, SL_EINPUT, "attribute %s is not what it should be", name);
    return SL_OK;
}

int sl_h5_get_ints(hid_t at, const char *name, int n, int64_t *value)
{
    return get(at, name, H5T_INTEGER, H5T_NATIVE_INT64, n, value);
}

int sl_h5_get_reals(hid_t at, const char *name, int n, double *value)
{
    return get(at, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, n, value);
}

static size_t text_size(hid_t at, const char *name)
{
    hid_t attr = H5Aopen(at, name, H5P_DEFAULT);
    if (attr < 0) return 0;
    hid_t type = H5Aget_type(attr);
    size_t n =
        H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) ? H5Tget_size(type) : 0;
    H5Tclose(type);
    H5Aclose(attr);
    return n;
}

int sl_h5_get_text(hid_t at, const char *name, size_t size, char *value)
{
    size_t n = text_size(at, name);
    SL_CHECK(n > 0 && n < size, SL_EINPUT, "attribute %s is missing or too long", name);
    hid_t type = bare_text(n);
    int code = get(at, name, H5T_STRING, type, 1, value);
    value[n] = '\0';
    H5Tclose(type);
    return code;
}

int sl_h5_get_length(hid_t at, const char *name, hsize_t *length)
{
    hid_t set = H5Dopen2(at, name, H5P_DEFAULT);
    SL_CHECK(set >= 0, SL_EINPUT, "dataset %s is missing", name);
    hid_t space = H5Dget_space(set);
    int good = H5Sget_simple_extent_ndims(space) == 1 &&
               H5Sget_simple_extent_dims(space, length, NULL) == 1;
    H5Sclose(space);
    H5Dclose(set);
    SL_CHECK(good, SL_EINPUT, "dataset %s is not what it should be", name);
    return SL_OK;
}

int sl_h5_get_array(hid_t at, const char *name, hid_t type, int rank, const hsize_t *shape,
                    void *data)
{
    hsize_t have[8] = {0};
    hid_t set = H5Dopen2(at, name, H5P_DEFAULT);
    SL_CHECK(set >= 0, SL_EINPUT, "dataset %s is missing", name);
    hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
    int good = H5Sget_simple_extent_ndims(space) == rank && rank <= 8 &&
               H5Sget_simple_extent_dims(space, have, NULL) == rank &&
               H5Tget_class(stored) == H5Tget_class(type);
    for (int d = 0; good && d < rank; d++)
        good = have[d] == shape[d];
    herr_t rc = good ? H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) : -1;
    H5Tclose(stored);
    H5Sclose(space);
    H5Dclose(set);
    SL_CHECK(rc >= 0, SL_EINPUT, "dataset %s is not what it should be", name);
    return SL_OK;
}
