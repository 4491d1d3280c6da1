/* snapshot.h - the fields of a run at one time, in a file that yt, ParaView and VisIt open and that
 * the statistics read.
 *
 * One HDF5 file in the tree layout of FLASH 4 (format version 9), a /VTKHDF group whose arrays are
 * virtual datasets over the same bytes, a /sluice group with the recipe, the provenance, the list
 * of fields and a CRC-32C of every block of every field. NAME.vtkhdf is a second name for ParaView,
 * which chooses its reader by it.
 *
 * Rank 0 makes the file and its tables, closes it, and all ranks write their blocks by POSIX calls
 * to the places that HDF5 gave the datasets: a full disk is an error on every rank, where parallel
 * HDF5 hangs. The file appears under its name when it is whole and flushed.
 *
 * Of a run with levels the file also has the blocks that finer ones cover: readers of the tree take
 * their children's mean from there, and neighbours across levels.
 *
 * Shapes  one dataset [block][nz][ny][nx] per field, blocks level by level: leaves in curve order,
 *         then covered ones
 * Units   in the file: code units, or CGS when units.* are set; readers give code units
 * Errors  SL_EIO, SL_EMEM; readers: SL_EINPUT for a file that is damaged or not ours
 * Owns    what open makes, freed by close
 * MPI     write is collective over state->mesh->comm, readers are local
 * Where   host
 * Refs    FLASH user's guide, VTKHDF file format
 * Tests   tests/unit/snapshot.c, tests/cli/readers.sh
 */
#ifndef SL_IO_SNAPSHOT_H
#define SL_IO_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/choices.h"
#include "core/io/output.h"
#include "core/io/provenance.h"
#include "core/state/field.h"

/* Writes <campaign>_hdf5_plt_cnt_NNNN into dir (made if need be), replacing an older one. Where a
 * device computes the fields were brought to the host before (sl_sim_pull). */
int sl_snapshot_write(const struct sl_state *state, const char *dir, int64_t number,
                      const struct sl_provenance *p);
/* The same in pieces (output.h). state->u, cfg, mesh, problem and p are borrowed until it is over;
 * the rest of state may change. */
int sl_snapshot_begin(const struct sl_state *state, const char *dir, int64_t number,
                      const struct sl_provenance *p, bool beside, struct sl_output **out);
/* The file's name in dir, into out[SL_PATH_MAX]. */
int sl_snapshot_name(char *out, const char *dir, const char *campaign, int64_t number);
/* Makes NAME.vtkhdf, a symbolic link to a snapshot, and the view of its particles
 * (particle_view.h), unless they are there; again: the view anew. That it cannot, as on a file
 * system without links, is logged once. local. */
void sl_snapshot_view(const char *name, bool again);

struct sl_snapshot_info {
    int dim;
    int64_t cells[3], block[3]; /* 1 along axes that are not there */
    double lo[3], hi[3];        /* 0 .. 1 there */
    int periodic[3];
    double time, dt, time_unit;
    double scale_factor;  /* of an expanding universe, else 0 */
    int64_t step, nblock; /* nblock: with those that finer ones cover */
    int64_t nleaf;
    int nlevel;
    bool levels; /* of a run with mesh.levels */
    int eos;     /* enum sl_eos */
    double gamma, sound_speed;
    double cgs_length, cgs_density, cgs_velocity; /* of one code unit; 1 when the run has none */
    uint64_t hash;                                /* sl_state_hash of it */
    char campaign[SL_TEXT_MAX], member[SL_TEXT_MAX], recipe_hash[SL_TEXT_MAX];
    int nfield;
    char field[SL_FIELD_MAX][5];
};

struct sl_snapshot;

int sl_snapshot_open(const char *path, struct sl_snapshot **out);
void sl_snapshot_close(struct sl_snapshot *s);
const struct sl_snapshot_info *sl_snapshot_about(const struct sl_snapshot *s);
/* Level and place of the i-th of nblock blocks; whether it is a leaf. */
bool sl_snapshot_block(const struct sl_snapshot *s, int64_t i, int *level, int64_t at[3]);
/* Open, copy, close. */
int sl_snapshot_info(const char *path, struct sl_snapshot_info *info);

/* The cells lo <= index < hi of the grid of a level (0: the root grid, each further one twice as
 * fine) of one field ("dens"), out[z][y][x], x fastest. Where leaves are finer a cell has what the
 * mean of their conserved variables gives, as in the file; where they are coarser it has the value
 * of the cell that holds it. Blocks are checked against their CRC-32C. On error out may hold some
 * of the values. */
int sl_snapshot_read_level(const struct sl_snapshot *s, const char *field, int level,
                           const int64_t lo[3], const int64_t hi[3], double *out);
/* The same of the root grid. */
int sl_snapshot_read_box(const struct sl_snapshot *s, const char *field, const int64_t lo[3],
                         const int64_t hi[3], double *out);

#endif
