/* sealed.h - the files that a run has written so far, each with its length and CRC-32C: what a
 * checkpoint vouches for besides the state.
 *
 * A run adds the history and every finished snapshot to its list, a checkpoint's manifest holds the
 * list of its moment, and a run that goes on from it compares; at its end a run adds what it writes
 * last (samples, what verify found, lists of snapshots) and leaves the list beside its files, so
 * that others know which are its own. The history grows by lines: of it the
 * first `size` bytes count, of the other files all.
 *
 * Shapes  file[n], a path at most once, in the order of the first writing
 * Units   bytes
 * Errors  SL_EINPUT for a file that is not as it was written, SL_EIO, SL_EMEM
 * Owns    the list, freed by sl_sealed_release
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/{checkpoint,snapshot,record}.c, tests/law/damage.sh
 */
#ifndef SL_SYS_SEALED_H
#define SL_SYS_SEALED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_sealed_file {
    char *path; /* owned; relative to the directory of the run */
    int64_t size;
    uint32_t crc;
    bool grows; /* bytes may have been added behind these */
};

struct sl_sealed {
    size_t n;
    struct sl_sealed_file *file; /* owned */
};

/* Adds a file, or what it is now in the place of what it was. */
int sl_sealed_set(struct sl_sealed *list, const char *path, int64_t size, uint32_t crc, bool grows);
/* The same of a file of any size that is written, as it is now; SL_EIO if it cannot be read. */
int sl_sealed_add(struct sl_sealed *list, const char *path);
/* The file of that path, NULL: none. */
const struct sl_sealed_file *sl_sealed_find(const struct sl_sealed *list, const char *path);
/* to becomes a copy of from. On error to is empty. */
int sl_sealed_copy(struct sl_sealed *to, const struct sl_sealed *from);
void sl_sealed_release(struct sl_sealed *list);

/* The list as a file, which says at the end of a run what it has written: a line per file, of its
 * length, CRC-32C and path. */
int sl_sealed_store(const struct sl_sealed *list, const char *path);
/* *list is made from such a file; SL_EINPUT for one that is damaged, and *list is empty. */
int sl_sealed_load(struct sl_sealed *list, const char *path);

/* Reads the file and compares; refused when it is missing, of another length or with other
 * bytes. */
int sl_sealed_check(const struct sl_sealed_file *file);

#endif
