/* part_file.h - what a checkpoint holds of its blocks beside their fields: bytes of any number per
 * block, as the parts of the state's component say (core/state/state.h).
 *
 * Beside a data file and its index (index.h) lie a file of parts and its index, an entry of 32
 * bytes per block in the same order: where in the file the bytes of the block are, how many, and
 * their checksum, which also covers the number and the step of the checkpoint. The bytes of a block
 * are those of its parts one after the other, each behind its length, 8 bytes.
 *
 * Shapes  an entry per block
 * Units   bytes
 * Errors  SL_EIO when writing; SL_EINPUT for damage; SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law/particles.c
 */
#ifndef SL_IO_PART_FILE_H
#define SL_IO_PART_FILE_H

#include <stdint.h>

#include "core/state/leaves.h"

/* Names of the n-th file of parts of a set, and of its index, into out[SL_PATH_MAX]. */
int sl_part_name(char *out, const char *set, int64_t n);
int sl_part_index_name(char *out, const char *set, int64_t n);

/* Bytes of an entry, and of what the leaves of this rank have. */
int64_t sl_part_entry_bytes(void);
int64_t sl_part_bytes(const struct sl_state *state);

/* A set, and its n-th file of parts. */
struct sl_part_file {
    const char *set; /* borrowed */
    int64_t n, seq, step;
};

/* The leaves of this rank: the first is the place-th of the file, its bytes begin at `offset`. */
int sl_part_write(const struct sl_part_file *file, const struct sl_state *state, int nleaf,
                  const struct sl_state_leaf *leaf, int64_t place, int64_t offset);

/* Compares the place-th block of a file with its checksum; into: and gives its parts to that
 * block of a level, NULL: only that. gid: what it must be of. */
int sl_part_read(const struct sl_part_file *file, int64_t place, int64_t gid,
                 const struct sl_component *into, int level, int block);

#endif
