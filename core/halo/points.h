/* points.h - particles as haloes are looked for in them: read from a file or taken from a run,
 * shared out by their place, with copies of those of other ranks that lie near.
 *
 * A rank's share is a slab between two heights in z, which are chosen so that all have about as
 * many particles. What is made of shares does not depend on them.
 *
 * Shapes  datasets of any shape, all of the same: their first axis is shared out
 * Units   positions in 2^-32 of the sides of the box, velocities as they are in the file
 * Errors  SL_EINPUT for a dataset that is missing, damaged or of another shape, and for a position
 *         that is not finite; SL_EMEM; agreed on by all ranks
 * Owns    the arrays of the structs, freed by their _release
 * MPI     collective unless a function says local; ranks without particles allowed
 * Where   host; 32 bytes a particle
 * Refs    none
 * Tests   tests/unit/fof.c, tests/law/haloes.sh
 */
#ifndef SL_HALO_POINTS_H
#define SL_HALO_POINTS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "core/measure/point.h"

struct sl_points {
    size_t n;
    struct sl_point *point; /* owned */
};

/* Datasets of particles in a file. Positions are numbers of the box's unit, or whole ones of 32
 * bits without a sign: fractions of it. velocity[0] NULL: at rest; id NULL: the place in the
 * file. */
struct sl_point_names {
    const char *position[3], *velocity[3], *id;
};

struct sl_particle_source;
struct sl_stats_device;

/* box: from and to along each axis. Each rank gets a share in the order of the file. */
int sl_points_read(MPI_Comm comm, const char *path, const struct sl_point_names *names,
                   const double box[6], struct sl_points *out);
/* Those of a snapshot or of a run (core/io/particle_rows.h); velocities in units of `speed` code
 * units. device: that may have them; NULL: none. */
int sl_points_take(MPI_Comm comm, struct sl_stats_device *device,
                   const struct sl_particle_source *from, double speed, const double box[6],
                   struct sl_points *out);
/* local */
void sl_points_release(struct sl_points *points);

/* local. A position in sides of the box from its lower corner, any number of boxes away. */
uint32_t sl_point_place(double x);

struct sl_shares {
    MPI_Comm comm;                  /* borrowed */
    struct sl_stats_device *device; /* borrowed; looks for friends; NULL: the processor does */
    int rank, size;
    uint64_t *edge; /* owned, [size + 1]: rank r has edge[r] <= z < edge[r + 1] */
    struct sl_points own;
};

/* Takes the particles over, which are then none, also on an error. */
int sl_shares_make(MPI_Comm comm, struct sl_points *points, struct sl_shares *out);
/* local */
void sl_shares_release(struct sl_shares *shares);

/* Copies of particles of other ranks within a distance in z of the own slab, each once. */
struct sl_fringe {
    struct sl_points near;
    int *count;   /* owned, [4][size]: sent, their places, received, their places */
    size_t nsent; /* own particles that others have copies of */
    uint32_t *sent;
};

/* reach: in units of positions. */
int sl_fringe_make(const struct sl_shares *shares, double reach, struct sl_fringe *out);
/* One 64-bit value of each own particle to its copies: own[shares->own.n], near[fringe->near.n]. */
int sl_fringe_pass(const struct sl_shares *shares, const struct sl_fringe *fringe,
                   const uint64_t *own, uint64_t *near);
/* local */
void sl_fringe_release(struct sl_fringe *fringe);

/* local. The rank that looks after a number, of a group or of a particle. */
int sl_points_rank(uint64_t number, int size);

/* n items of `size` bytes, each to rank to[i]; what comes, by the rank that it is from, in *all,
 * which the caller frees. */
int sl_points_send(MPI_Comm comm, const void *items, size_t n, size_t size, const int *to,
                   void *all, size_t *total);

#endif
