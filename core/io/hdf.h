/* hdf.h - files of fields and results: HDF5 files that appear complete or not at all, datasets with
 * units and a sentence, and what made them.
 *
 * Shapes  as said
 * Units   as the attribute `units` says
 * Errors  SL_EIO when writing, SL_EINPUT when reading; HDF5's own printing is off
 * Owns    what the caller must close or free is said below
 * MPI     local: one rank makes a file; others may write planes of its fields
 * Where   host
 * Refs    none
 * Tests   tests/unit/field_file.c, tests/cli/array.sh, tests/law/ic.sh
 */
#ifndef SL_IO_HDF_H
#define SL_IO_HDF_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/io/h5_place.h"
#include "core/sys/file.h"

struct sl_config;

/* A new file; sl_hdf_commit gives it its name when all is written and on disk, sl_hdf_abandon drops
 * it. bytes = 0: it is made in memory and written as a whole. Otherwise at most so many bytes of
 * data go to path.part, and room for them is reserved first: HDF5 cannot close a file on a full
 * disk, and crashes at the end of the program when it could not. An open one must not be moved in
 * memory. */
struct sl_hdf {
    hid_t file;
    uint64_t bytes;
    bool single;              /* numbers of fields; false, as _create leaves it: double precision */
    struct sl_h5_place place; /* of pieces of fields; only where bytes > 0 */
    int lock; /* path.part, which no other process may begin meanwhile; -1: not ours */
    char path[SL_PATH_MAX], part[SL_PATH_MAX];
};
int sl_hdf_create(const char *path, uint64_t bytes, struct sl_hdf *out);
int sl_hdf_commit(struct sl_hdf *h);
void sl_hdf_abandon(struct sl_hdf *h);

/* Opens for reading; refuses what is missing, is no HDF5 file or is damaged. SL_EIO: the system
 * failed to read it. */
int sl_hdf_open(const char *path, hid_t *file);
/* Closes what was read with that code; returns it as sl_h5_code does. */
int sl_hdf_close(hid_t file, int code);

/* Attributes of a group or dataset; text: sl_h5_put_text. */
int sl_hdf_real(hid_t object, const char *name, double value);
int sl_hdf_integer(hid_t object, const char *name, int64_t value);
/* *text is the caller's to free. */
int sl_hdf_read_text(hid_t object, const char *name, char **text);

/* A dataset of doubles with its units and one sentence. */
int sl_hdf_dataset(hid_t group, const char *name, int rank, const hsize_t *size,
                   const double *values, const char *units, const char *about);
/* A field of a file with bytes > 0: it is written later, and every piece of it carries a checksum
 * that is compared when it is read; pieces lie within one plane, so whole planes are written
 * without reading. */
int sl_hdf_field(const struct sl_hdf *h, const char *name, const hsize_t size[3], const char *units,
                 const char *about);
/* Bytes that a field takes, index and checksums included. */
uint64_t sl_hdf_field_bytes(const hsize_t size[3], bool single);
/* Pieces of one plane of a field of that size. */
size_t sl_hdf_pieces(const hsize_t size[3]);
/* Gives n[0] whole planes of a field, slowest first, their room from plane `first` on:
 * where[n[0]][pieces] is where the pieces lie in the file. Planes get their rooms one after the
 * other, each once. */
int sl_hdf_place_planes(struct sl_hdf *h, const char *name, hsize_t first, const hsize_t n[3],
                        int64_t *where);
/* Brings to disk what HDF5 keeps in memory of a file with bytes > 0, and sees what other hosts have
 * written. To be called before other processes write planes, and after that before anything else is
 * done with the file: a page that HDF5 writes later, on another host, may bring back what was there
 * before theirs. */
int sl_hdf_flush(const struct sl_hdf *h);
/* Writes n[0] planes where they have their room, into h->part of a file that this process or
 * another has open; on disk on return. To be called before sl_hdf_commit. */
int sl_hdf_write_planes(const char *part, bool single, const hsize_t n[3], const int64_t *where,
                        const double *values);

/* Code version, compiler, flags and host. */
int sl_hdf_build(hid_t object);
/* These and the run: recipe as resolved, its hash, seed. */
int sl_hdf_provenance(hid_t object, const struct sl_config *cfg);

#endif
