/* index.h - which blocks are in a data file of a checkpoint: a file of entries of 32 bytes, one per
 * block, in the order of the blocks in the data file, which is that of the curve.
 *
 * Each entry carries its own CRC-32C, which also covers the number and the step of the checkpoint.
 *
 * Shapes  an entry per block
 * Units   none
 * Errors  SL_EINPUT for a damaged index, SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/checkpoint.c, tests/unit/damage.c
 */
#ifndef SL_IO_INDEX_H
#define SL_IO_INDEX_H

#include <stdint.h>

#include "core/io/manifest.h"

/* The checksums come first: what a lost write leaves, zeros, is not what they are. */
struct sl_index_entry {
    uint32_t own;  /* of seq, step and what stands behind */
    uint32_t data; /* checksum of seq, step, gid (64 bit each) and the block's values */
    int64_t gid;   /* place along the curve among all blocks */
    int32_t at[3]; /* block coordinates within its level */
    int8_t level;
    uint8_t unflagged; /* as state->unflagged */
    int16_t zero;
};

/* Name of the n-th index of a set, into out[SL_PATH_MAX]; and of the n-th data file. */
int sl_index_name(char *out, const char *set, int64_t n);
int sl_index_data_name(char *out, const char *set, int64_t n);

/* Opens a file of a set. One that is not there, or is no file, is damage (SL_EINPUT); what may pass
 * (no memory, no permission) is SL_EIO. */
int sl_index_open(const char *path, int *fd);

void sl_index_seal(struct sl_index_entry *entry, int64_t seq, int64_t step);

/* A block, and where it lies: the place-th of a data file. */
struct sl_index_block {
    struct sl_index_entry entry;
    int64_t file, place;
};

/* Blocks first .. first + n - 1 along the curve. */
int sl_index_read(const char *set, const struct sl_manifest *m, int64_t first, int64_t n,
                  struct sl_index_block *out);

#endif
