/* manifest.h - the text file that makes a directory of data files a checkpoint.
 *
 * One "key value ..." line per fact, then one line per recipe key that may not change, per number
 * of the state of source terms (core/source; "drive", as the first of them was the driving), per
 * level of a run with mesh.levels, per sealed file (sealed.h) and per data file, whose blocks are
 * listed in an index beside it (index.h); then the CRC-32C of all bytes before. Numbers with a
 * fraction are hexadecimal, so that they come back to the bit. Anything but exactly what
 * sl_manifest_print writes is refused. Where blocks have parts beside their fields (part_file.h) it
 * is of format 3, and names them before the levels; without it is of format 2.
 *
 * Shapes  file[nfile], allowed[nlevel]
 * Units   code units, bytes
 * Errors  SL_EINPUT for a damaged text, SL_EGUARD for one of another format, SL_EIO for one that is
 *         too long, SL_EMEM
 * Owns    keys, source, sealed and file, freed by sl_manifest_free
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/checkpoint.c, tests/unit/damage.c
 */
#ifndef SL_IO_MANIFEST_H
#define SL_IO_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include "core/sys/sealed.h"

enum {
    SL_MANIFEST_LEVELS = 32,
    SL_MANIFEST_PARTS = 4,
    SL_MANIFEST_PART = 32,     /* a name with its zero byte */
    SL_MANIFEST_MOST = 1 << 28 /* bytes of a text that is read again */
};

/* A data file: its bytes and blocks, and the first and the last of these along the curve (0 and -1
 * where it has none). */
struct sl_manifest_file {
    int64_t size, nblock, first, last;
    int64_t parts; /* bytes of its file of parts (part_file.h), where there are any */
};
struct sl_manifest {
    char recipe[128], code[128];
    int64_t seq, step, ranks;
    double time, dt, time_unit;
    int64_t repaired, floored, floored_last, since_regrid, next_snapshot, next_history;
    int64_t real_bytes, nvar, energy, entropy, scalar0, nscalar;
    int64_t dim, cells[3], block_cells[3];
    double lo[3], hi[3];
    char *keys; /* owned; "path: value" lines of the keys that may not change at a restart */
    size_t nsource;
    double *source;          /* owned; state of the source terms, one after the other */
    struct sl_sealed sealed; /* owned; history and snapshots as they were */
    int64_t nlevel;          /* 0: mesh.levels is */
    int64_t regrid_due;      /* as state->regrid_due */
    int64_t outputs_due;     /* as state->outputs_due */
    int64_t npart;           /* parts that blocks have beside their fields */
    char part[SL_MANIFEST_PARTS][SL_MANIFEST_PART]; /* their names */
    int64_t nfile, nblock;
    double allowed[SL_MANIFEST_LEVELS]; /* as in struct sl_state; 0: any */
    struct sl_manifest_file *file;      /* owned */
};

/* *text is made with malloc; SL_EIO for more than `most` bytes. */
int sl_manifest_print(const struct sl_manifest *m, size_t most, char **text, size_t *n);
/* text[n] must be 0. On error *m holds nothing to free. */
int sl_manifest_parse(const char *text, size_t n, struct sl_manifest *m);
void sl_manifest_free(struct sl_manifest *m);

#endif
