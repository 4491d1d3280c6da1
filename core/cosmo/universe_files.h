/* universe_files.h - the files that cosmology.file and ic.table name, on all ranks.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EIO, SL_EINPUT, SL_EMEM: the same on all ranks
 * Owns    the bytes, freed by sl_universe_files_release
 * MPI     collective: rank 0 reads, the others get the bytes
 * Where   host
 * Refs    none
 * Tests   tests/law/cosmology.sh
 */
#ifndef SL_COSMO_UNIVERSE_FILES_H
#define SL_COSMO_UNIVERSE_FILES_H

#include <mpi.h>

#include "core/cosmo/universe.h"

struct sl_universe_files {
    struct sl_named_bytes parameters, table; /* path "" where the recipe names none */
    char *owned[2];
};

/* Also after an error, out is there to be released. */
int sl_universe_files_read(MPI_Comm comm, const struct sl_config *cfg,
                           struct sl_universe_files *out);
void sl_universe_files_release(struct sl_universe_files *files);

/* The universe of a recipe for those who need no table: cosmology.file alone is read. */
int sl_universe_read(MPI_Comm comm, const struct sl_config *cfg, struct sl_universe *out);

#endif
