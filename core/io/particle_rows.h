/* particle_rows.h - the particles that a snapshot has, column by column, whether they lie in its
 * file or still in the memory of the run: the same numbers, to the last bit.
 *
 * Each rank has a share: of a file as many rows as others, of a run its own particles.
 *
 * Shapes  a column is [n]
 * Units   those of the file; units.length and so on say what a code unit is there
 * Errors  SL_EINPUT for a file that is missing or damaged or has no particles; SL_EIO
 * Owns    what open makes, freed by close; particles are borrowed
 * MPI     local
 * Where   host; where a device moves particles, open brings them to the host
 * Refs    none
 * Tests   tests/law/in_run.sh
 */
#ifndef SL_IO_PARTICLE_ROWS_H
#define SL_IO_PARTICLE_ROWS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/cell/particle_lists.h"
#include "core/io/file_units.h"

struct sl_particle;
struct sl_particles;

/* Where particles are: of a run those of the state, else in a file. */
struct sl_particle_source {
    const char *path;                     /* borrowed; of a snapshot; NULL: */
    const struct sl_particles *particles; /* borrowed; of a run */
    struct sl_file_units units;           /* of its files; those of a file are read */
};

/* Columns; the first of three along the axes. */
enum {
    SL_PARTICLE_PLACE = 0,
    SL_PARTICLE_VELOCITY = 3,
    SL_PARTICLE_MASS = 6,
    SL_PARTICLE_ID = 7,
    SL_PARTICLE_ROW = 8
};

struct sl_particle_rows {
    const struct sl_particle_source *from; /* borrowed */
    struct sl_file_units units;
    size_t n;                     /* of this rank */
    hsize_t first;                /* of these in the file */
    hid_t file, set, space, rows; /* -1 of a run */
};

/* Whether a device has all particles of a run on so many ranks, of one mass, and those of the host
 * are not needed. */
bool sl_particle_rows_there(const struct sl_particles *p, int size);
/* Then their lists in *out; an error where it has but fails. */
int sl_particle_rows_lists(const struct sl_particle_source *from, int size, bool *has,
                           struct sl_particle_lists *out);
/* The mesh's end of the box along an axis: lo, hi; and the mass of those, as files tell it. */
double sl_particle_rows_end(const struct sl_particle_source *from, int axis, bool hi);
double sl_particle_rows_mass(const struct sl_particle_source *from);

/* Nothing is open where it fails. */
int sl_particle_rows_open(const struct sl_particle_source *from, int rank, int size,
                          struct sl_particle_rows *out);
int sl_particle_rows_read(const struct sl_particle_rows *r, int column, double *to);
/* n of them from one on: to[n]. Of a run several threads may ask at a time. */
int sl_particle_rows_part(const struct sl_particle_rows *r, int column, size_t from, size_t n,
                          double *to);
/* code: of what was read since; returns it as sl_hdf_close does. */
int sl_particle_rows_close(const struct sl_particle_rows *r, int code);

/* A particle as it stands in files, row[SL_PARTICLE_ROW]. */
void sl_particle_row(const struct sl_particles *p, const struct sl_particle *q,
                     const struct sl_file_units *units, double *row);

#endif
