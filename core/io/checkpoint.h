/* checkpoint.h - the state of a run on disk, so that a run that goes on from it has the same bits
 * as one that never stopped.
 *
 * A generation is a directory ckpt.<seq> with one data file per node, an index beside it with
 * every block's place and checksum (index.h), and a MANIFEST of the rest. Blocks are the leaves of
 * all levels. It is written under a temporary name, flushed and renamed: it is there whole or not
 * at all. The newest generation that verifies on every rank wins, whatever the number of ranks; a
 * damaged one is renamed .bad and kept. Its manifest also seals the files that the run had written
 * by then (state->sealed): where one of them is not as it was, the generation does not count
 * either, so that the run goes back to a time from which it writes that file again.
 *
 * Shapes  a block is u[nvar][n2][n1][n0] without ghosts (and the field at its upper faces:
 *         field.h), in the precision of the program
 * Units   code units
 * Errors  SL_EIO (disk full, not readable), SL_EDIVERGED (a state with bad numbers is not written),
 *         SL_EGUARD (a good checkpoint of another grid, box, precision or set of variables, or
 *         format), SL_EMEM; a write that fails leaves the older generations as they were
 * Owns    struct sl_checkpoint_nodes, freed by sl_checkpoint_nodes_free
 * MPI     collective over state->mesh->comm; only POSIX calls, no MPI-IO
 * Where   host
 * Refs    none
 * Tests   tests/unit/checkpoint.c, tests/unit/damage.c, tests/law/restart.sh
 */
#ifndef SL_IO_CHECKPOINT_H
#define SL_IO_CHECKPOINT_H

#include <stdint.h>

#include "core/io/output.h"

struct sl_checkpoint_nodes;
struct sl_hierarchy;
struct sl_state;

/* Writes a generation newer than any in dir (made if need be), reads a sample of it back and
 * removes all but the newest `keep`. *seq gets its number. Where a device computes the fields were
 * brought to the host before (sl_sim_pull). */
int sl_checkpoint_write(const struct sl_state *state, const char *dir, int keep, int64_t *seq);

/* The same in pieces (output.h). state->u, cfg, mesh and the parts of blocks are borrowed until
 * it is over; the rest of state may change. *nodes, which ranks share a node, is NULL before the
 * first of a run, which makes it; it is freed after the last. */
int sl_checkpoint_begin(const struct sl_state *state, const char *dir, int keep, bool beside,
                        struct sl_checkpoint_nodes **nodes, struct sl_output **out);
/* collective. */
void sl_checkpoint_nodes_free(struct sl_checkpoint_nodes *nodes);

/* Who reads a checkpoint into its state. */
struct sl_checkpoint_reader {
    void *run; /* borrowed */
    /* collective. Takes over h, also when it fails: the levels of the state become those of h, with
     * fields to read into. Called where mesh.levels is above 0. */
    int (*levels)(void *run, struct sl_hierarchy *h);
};

/* Sets u (interior of leaves), time, dt, counters, the component and the time unit from the newest
 * generation that verifies; with mesh.levels above 0 its levels, too (else reader may be NULL).
 * *seq gets its number, or -1 when there is none; state->u and the levels may then be any. */
int sl_checkpoint_read(struct sl_state *state, const struct sl_checkpoint_reader *reader,
                       const char *dir, int64_t *seq);

#endif
