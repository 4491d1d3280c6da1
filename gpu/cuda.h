/* cuda.h - what the files of the CUDA backend's host part share: the device of a level, and
 * messages between ranks.
 *
 * Shapes  as in core/step/sim.h; a buffer of messages holds one message behind the other, of all
 *         their variables
 * Units   code units
 * Errors  SL_EUNAVAIL, SL_EMEM, SL_EMPI
 * Owns    see the members
 * MPI     sl_cuda_messages_* collective over the communicator, all else local
 * Where   host calls; fields in device memory
 * Refs    none
 * Tests   tests/gpu
 */
#ifndef SL_GPU_CUDA_H
#define SL_GPU_CUDA_H

#include <mpi.h>

#include "core/cell/refine_level.h"
#include "core/mesh/hierarchy.h"
#include "core/step/sim.h"
#include "core/sys/status.h"
#include "gpu/device.h"
#include "gpu/nccl.h"

/* What goes to, or comes from, one rank: its place and length, per variable. */
struct sl_cuda_message {
    int peer;
    size_t start, values;
};
struct sl_cuda_side {
    struct sl_cuda_message *message; /* owned */
    int n;
    size_t values; /* of all messages, per variable */
};

/* All messages of one kind. */
enum sl_cuda_tag {
    SL_CUDA_GHOSTS = 7102,
    SL_CUDA_PROLONG,
    SL_CUDA_COVER,
    SL_CUDA_REFLUX,
    SL_CUDA_RIM,
    SL_CUDA_EDGES,
    SL_CUDA_MOVE,
    SL_CUDA_RINGS,
    SL_CUDA_ROOT,
    SL_CUDA_WINDOWS,
    SL_CUDA_PLANES,
    SL_CUDA_TURN,
    SL_CUDA_TURN_BACK
};
struct sl_cuda_messages {
    int tag;
    struct sl_cuda_side out, in;
    MPI_Request *request; /* owned; first in, then out */
};

struct sl_cuda_gravity;   /* of gravity.c */
struct sl_cuda_particles; /* of particles.c */

struct device {
    struct sl_device *on;
    int id;                      /* of the device */
    struct sl_nccl *nccl;        /* borrowed; NULL: messages go through MPI */
    int direct;                  /* through MPI, which reaches into devices */
    struct sl_device_face *face; /* owned; as on the device: given values are made along them */
    int nface;
    int faces;    /* the first variable at faces, -1: none; stages read it in their own block */
    size_t given; /* cells whose values the problem gives */
    int *start;   /* owned; first cells of the blocks, where there is a force */
    struct sl_cuda_messages rim, edges, cover_faces; /* likewise, of fields at faces */
    struct sl_cuda_messages ghosts, prolong, cover,
        reflux;                          /* the last three: with the next coarser level */
    struct sl_cuda_gravity *gravity;     /* owned; NULL: the gas does not attract itself */
    struct sl_cuda_particles *particles; /* owned; NULL: there are none */
    struct sl_corrected *corrected; /* borrowed; counts what was bad when fluxes were corrected */
};

/* A device that fails leaves nothing to go on with: the text says why. */
#define DEVICE(call)                                                                               \
    do {                                                                                           \
        const char *text_ = (call);                                                                \
        SL_CHECK(!text_, SL_EUNAVAIL, "CUDA: %s", text_);                                          \
    } while (0)

struct device *sl_cuda_device(const struct sl_sim *sim);

/* Room for n messages; both sides are made first, then the whole is ready. */
int sl_cuda_side_new(struct sl_cuda_side *s, int n, size_t values);
int sl_cuda_messages_ready(struct sl_cuda_messages *messages);
void sl_cuda_messages_release(struct sl_cuda_messages *messages);

/* Those between two levels, of what has `each` values where the lists have `per`. */
int sl_cuda_messages_between(int tag, const struct sl_nest_side *out, const struct sl_nest_side *in,
                             size_t per, size_t each, struct sl_cuda_messages *messages);
/* What was packed goes, and what comes has arrived. */
int sl_cuda_messages_exchange(const struct sl_sim *sim, const struct sl_cuda_messages *messages,
                              int nvar);

/* Messages of nvar variables: room makes buffers, before anything is packed; begin sends what was
 * packed; at end they have arrived, and what follows on the stream may unpack them. Another rank
 * may be ahead: begin receives nothing before the device has read what came the last time. Messages
 * from device to device are queued like all other work. */
int sl_cuda_messages_room(struct device *d, const struct sl_cuda_messages *messages, int nvar);
int sl_cuda_messages_begin(MPI_Comm comm, struct device *d, const struct sl_cuda_messages *messages,
                           int nvar);
int sl_cuda_messages_end(struct device *d, const struct sl_cuda_messages *messages, int nvar);

/* The jobs of a level in the next coarser one, once its device is there. */
int sl_cuda_nest_make(struct sl_sim *sim);

/* Lists the blocks whose ghost cells are read by others than the fluxes of a stage: for the next
 * finer level (NULL: none) boxes are reconstructed from them or their fluxes added up; and at
 * walls, where edges and corners count. */
int sl_cuda_asked_make(const struct sl_sim *sim, const struct sl_nest *finer);

/* Where the blocks begin, into device->start. */
int sl_cuda_starts(struct sl_sim *sim);

/* Of gpu/gravity.c, before the device. */
void sl_cuda_gravity_free(struct sl_cuda_gravity *g);
/* Gives the box, if there is one, to the device of the new root level. */
void sl_cuda_gravity_hand(struct device *from, struct device *to);
/* A field of one variable on the root level becomes that whose Laplacian is factor times it;
 * isolated: also in the first ghost cells beyond the sides of the box. */
int sl_cuda_gravity_root(struct sl_sim *root, bool isolated, double factor, sl_real *field);

/* local. How devices share the box (gpu/slabs.h); NULL: each has all of it. */
struct sl_cuda_slabs;
const struct sl_cuda_slabs *sl_cuda_gravity_slabs(const struct sl_sim *sim);

/* Of gpu/composite.c: what core/step/gravity.h asks for levels. */
struct sl_potential_calls;
struct sl_potential_level;
extern const struct sl_potential_calls sl_potential_cuda;
int sl_cuda_potential_density(struct sl_sim *s, struct sl_potential_level *level);
int sl_cuda_potential_density_between(struct sl_sim *s, struct sl_potential_level *level,
                                      double share);
const sl_real *sl_cuda_potential_pulled(const struct sl_potential_level *level);
int sl_cuda_potential_most(const struct sl_sim *s, const struct sl_potential_level *level,
                           double most[2]);
int sl_cuda_potential_force(const struct sl_sim *s, const struct sl_potential_level *level,
                            double (*line)[3]);
int sl_cuda_potential_push(struct sl_sim *s, const struct sl_potential_level *level,
                           const double push[3]);
int sl_cuda_potential_fetch(const struct sl_potential_level *level, sl_real *out);
int sl_cuda_potential_kick(struct sl_sim *s, const struct sl_potential_level *level, bool covered,
                           double time);
int sl_cuda_potential_work(struct sl_sim *s, const struct sl_potential_level *level,
                           const struct sl_device_work *what);

/* Of gpu/particles.c. free: before the device. pull: local; particles to the host. density: adds
 * that of particles to the grid of the potential, or to its planes. potential: from the grid to
 * where particles are; planes bring theirs (gpu/slabs.h). */
void sl_cuda_particles_free(struct sl_cuda_particles *p);
int sl_cuda_particles_pull(const struct sl_sim *sim);
int sl_cuda_particles_density(struct sl_sim *sim);
int sl_cuda_particles_potential(struct sl_sim *sim);

/* Of gpu/lattice.c. local. A start of dark matter, into the particles of the device; part: sums
 * over shells (gpu/device.h). SL_EMEM: there is no room, and no particle. */
int sl_cuda_lattice(const struct sl_sim *sim, const struct sl_lattice *what, double *part);

/* Ghost cells of a field that other blocks have, and no others. */
int sl_cuda_exchange(const struct sl_sim *sim, int nvar, sl_real *u);

/* Counts the cells that took a floor when fluxes were corrected, as far as their number was copied
 * to the host. */
void sl_cuda_matched(const struct sl_sim *sim);

/* Of struct sl_backend (core/step/backend.h), in gpu/levels.c. */
int sl_cuda_prolong(struct sl_sim *coarse, struct sl_sim *fine, sl_real share, sl_real *u);
int sl_cuda_cover(struct sl_sim *coarse, struct sl_sim *fine);
int sl_cuda_reflux(struct sl_sim *coarse, struct sl_sim *fine, struct sl_corrected *count);
int sl_cuda_settle(struct sl_sim *sim);
int sl_cuda_flag(struct sl_sim *sim, struct sl_refine_marks *marks);
int sl_cuda_move(struct sl_sim *old, struct sl_sim *now, const struct sl_moves *moves);

#endif
