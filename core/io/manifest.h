/* manifest.h - the text file that makes a directory of data files a checkpoint.
 *
 * One "key value ..." line per fact, then one line per recipe key that may not change, per number
 * of the state of source terms (core/source; "drive", as the first of them was the driving), per
 * data file and per block, then the CRC-32C of all bytes before. Numbers with a fraction are
 * hexadecimal, so that they come back to the bit. Anything but exactly what sl_manifest_print
 * writes is refused.
 *
 * Shapes  block[nblock] in curve order, file_size[nfile]
 * Units   code units, bytes
 * Errors  SL_EINPUT for a damaged text, SL_EMEM
 * Owns    keys, source, block and file_size, freed by sl_manifest_free
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/checkpoint.c, tests/unit/damage.c
 */
#ifndef SL_IO_MANIFEST_H
#define SL_IO_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

struct sl_manifest_block {
    int64_t file, offset;
    uint32_t crc; /* of seq, step, gid (64 bit each) and the block */
};

struct sl_manifest {
    char recipe[128], code[128];
    int64_t seq, step, ranks;
    double time, dt, time_unit;
    int64_t repaired, floored, floored_last, next_snapshot, next_history;
    int64_t real_bytes, nvar, energy, entropy, scalar0, nscalar;
    int64_t dim, cells[3], block_cells[3];
    double lo[3], hi[3];
    char *keys; /* owned; "path: value" lines of the keys that may not change at a restart */
    size_t nsource;
    double *source; /* owned; state of the source terms, one after the other */
    int64_t nfile, nblock;
    int64_t *file_size;              /* owned */
    struct sl_manifest_block *block; /* owned */
};

/* *text is made with malloc. */
int sl_manifest_print(const struct sl_manifest *m, char **text, size_t *n);
/* text[n] must be 0. On error *m holds nothing to free. */
int sl_manifest_parse(const char *text, size_t n, struct sl_manifest *m);
void sl_manifest_free(struct sl_manifest *m);

#endif
