/* h5.h - HDF5 as we use it: quiet, checked, with the few shapes that our files have.
 *
 * Shapes  attributes are scalars or lists
 * Units   none
 * Errors  SL_EIO when writing, SL_EINPUT when a file does not hold what is asked for
 * Owns    identifiers returned are the caller's to close
 * MPI     local, serial HDF5
 * Where   host
 * Refs    none
 * Tests   tests/unit/snapshot.c
 */
#ifndef SL_IO_H5_H
#define SL_IO_H5_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

/* Stops HDF5 from printing on stderr: failures come back as statuses. To be called before a file is
 * opened. */
void sl_h5_quiet(void);
/* `code`, of what was read since then, but SL_EIO in place of SL_EINPUT if the system failed to
 * open or to read the file: what the file holds may be right, and reading it again may succeed. */
int sl_h5_code(int code);
/* File access with metadata checksums and without locks (they fail on many shared file systems). */
hid_t sl_h5_access(void);
/* A new file, a new group, the properties of a new dataset: without times, so that the bytes of a
 * file hang on what is written alone. */
hid_t sl_h5_file(const char *path, hid_t access);
hid_t sl_h5_group(hid_t at, const char *name);
hid_t sl_h5_dataset(void);
/* A fixed-length text type of n bytes. */
hid_t sl_h5_text(size_t n);

/* Writers. */
int sl_h5_put_ints(hid_t at, const char *name, int n, const int64_t *value);
int sl_h5_put_reals(hid_t at, const char *name, int n, const double *value);
int sl_h5_put_text(hid_t at, const char *name, const char *value);
/* A dataset of the given shape; type is that of data in memory and in the file. */
int sl_h5_put_array(hid_t at, const char *name, hid_t type, int rank, const hsize_t *shape,
                    const void *data);

/* Readers: exactly n numbers, text of less than size bytes. */
int sl_h5_get_ints(hid_t at, const char *name, int n, int64_t *value);
int sl_h5_get_reals(hid_t at, const char *name, int n, double *value);
int sl_h5_get_text(hid_t at, const char *name, size_t size, char *value);
int sl_h5_get_length(hid_t at, const char *name, hsize_t *length); /* of a dataset of one axis */
int sl_h5_get_array(hid_t at, const char *name, hid_t type, int rank, const hsize_t *shape,
                    void *data);

#endif
