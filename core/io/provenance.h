/* provenance.h - what every product carries about where it came from: a list of keys and values.
 *
 * Shapes  at most SL_PROVENANCE_MAX pairs of text
 * Units   none
 * Errors  SL_EIO, SL_EINPUT when an input file cannot be read for its checksum
 * Owns    nothing: plain data
 * MPI     collective over comm; every rank gets rank 0's list
 * Where   host
 * Refs    none
 * Tests   tests/unit/history.c
 */
#ifndef SL_IO_PROVENANCE_H
#define SL_IO_PROVENANCE_H

#include <mpi.h>
#include <stdbool.h>

struct sl_config;

enum { SL_PROVENANCE_MAX = 24, SL_PROVENANCE_TEXT = 256 };

struct sl_provenance {
    int n;
    struct {
        char key[32];
        char value[SL_PROVENANCE_TEXT]; /* one line, no control characters */
        bool repeatable;                /* the same in every attempt on any machine */
    } item[SL_PROVENANCE_MAX];
};

/* Recipe hash, member, seed, code, compiler, flags, libraries, host, ranks, input file and its
 * CRC-32C, time of the start. */
int sl_provenance_make(MPI_Comm comm, const struct sl_config *cfg, struct sl_provenance *out);

/* local. Adds a pair; text that does not fit is cut. */
void sl_provenance_add(struct sl_provenance *p, bool repeatable, const char *key, const char *fmt,
                       ...) __attribute__((format(printf, 4, 5)));
/* local. The value of a key, "" when there is none. */
const char *sl_provenance_get(const struct sl_provenance *p, const char *key);

#endif
