/* store.h - the particles of a run on one mesh: where they are, how fast, whose block.
 *
 * A rank holds those in its blocks, block after block; within a block they lie in any order, as
 * nothing depends on it: mass is summed in whole numbers, and the force on one is a function of its
 * place and the potential. Velocities are sl_real, as momenta of the gas are: a run in double
 * precision keeps momentum and time symmetry to its rounding, which single precision would not,
 * and the pull is stored beside them, so that the two kicks that a potential serves gather it once.
 *
 * Shapes  at[n], those of block b at[first[b]] .. at[first[b + 1] - 1]
 * Units   code units; places in 2^-32 of the sides of the box
 * Errors  SL_EMEM, SL_EMPI, SL_EINPUT
 * Owns    all its arrays; the mesh is borrowed
 * MPI     collective over mesh->comm unless a function says local
 * Where   host; where a device moves them (core/particles/backend.h) these are a copy for input and
 *         output
 * Refs    none
 * Tests   tests/law/particles.c
 */
#ifndef SL_PARTICLES_STORE_H
#define SL_PARTICLES_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cell/particle.h"
#include "core/mesh/mesh.h"

struct sl_planes;
struct sl_particles_on;
struct sl_sim;

/* The step that is under way, of a stepping that finds the force in its midst. */
struct sl_particle_leap {
    bool on;
    double keep, gain; /* v = keep v + gain g */
    double after;      /* x += after v */
    double work;       /* what the potential energy found there adds to its integral over ln a */
};

struct sl_particles {
    const struct sl_mesh *mesh; /* borrowed */
    int kernel;                 /* enum sl_kernel */
    bool open;                  /* the box does not repeat: who leaves it is gone */
    double mass[SL_PARTICLE_KINDS];
    double unit;           /* of mass in whole numbers; 0: to be chosen */
    int64_t gone, all;     /* of all ranks: left the box since the start; there are */
    double potential;      /* half the sum of m phi of all matter, when it was last solved */
    double integral, most; /* of that, since the balance of energies began: over ln a; largest */
    struct sl_particle_leap leap;
    double pull;            /* of all ranks: largest |g| / h along an axis */
    double speed;           /* likewise: largest |v| / h along an axis */
    size_t n, room;         /* particles here, and for how many there is memory */
    struct sl_particle *at; /* owned; [room] */
    int *key;               /* owned; [room]; block of each while they move */
    size_t *first;          /* owned; [nblock + 1] */
    size_t *next;           /* owned; [nblock + 1], while they are sorted */
    int *owner, *local;     /* owned; of blocks of the box [z][y][x]: rank; place there or -1 */
    int *peer, npeer;       /* owned; ranks whose blocks touch own ones */
    double *field;          /* owned; blocks with layers around them: mass, then potential */
    const struct sl_particles_on *on; /* a device that moves them; NULL: the processor does */
    struct sl_sim *run;               /* borrowed, for it */
    bool fresh;                       /* `at` was set here, and a device has not got it yet */
    const uint64_t *hash; /* borrowed, while one is made: that of all here; NULL: it is made here */
    bool made;            /* the device has made those of the start, */
    size_t placed;        /* so many of kind 0 on this rank, and `at` has none */
    struct sl_planes *sums, *potentials; /* owned */
};

/* kernel: enum sl_kernel. */
int sl_particles_new(const struct sl_mesh *mesh, int kernel, bool open, struct sl_particles **out);
void sl_particles_free(struct sl_particles *p); /* local */

/* local. Room for n particles in all. */
int sl_particles_reserve(struct sl_particles *p, size_t n);
/* local. One more at a place of the box, anywhere; sl_particles_settle then brings all home. There
 * must be room. */
void sl_particles_add(struct sl_particles *p, const double place[3], const double v[3], uint64_t id,
                      int kind);
/* Brings all particles to the ranks of their blocks, however far that is, and sorts them; those
 * that a device has made are there. */
int sl_particles_settle(struct sl_particles *p);
/* local. Puts those of own blocks in the order of the blocks. */
void sl_particles_sort(struct sl_particles *p);
/* local. The place of a particle in code units. */
double sl_particles_place(const struct sl_particles *p, const struct sl_particle *q, int axis);
/* local. Mass of all particles of the rank's share. */
double sl_particles_mass(const struct sl_particles *p);

/* local. What those of all ranks take of the host, with the mesh of their mass and of the pull;
 * that of a lone rank is on its device. */
double sl_particles_bytes(const struct sl_particles *p);

/* local. Puts the particles of a block in the order of their ids, in which they go to files. */
void sl_particles_order(const struct sl_particles *p, int block);

/* ---- what lies in a block (struct sl_block_part of core/state/state.h); level is 0 ---- */
size_t sl_particles_block_bytes(const void *of, int level, int block);
void sl_particles_block_save(const void *of, int level, int block, void *bytes);
/* Blocks come in their order. */
int sl_particles_block_load(void *of, int level, int block, const void *bytes, size_t n);
uint64_t sl_particles_block_hash(const void *of, int level, int block);

/* ---- migrate.c ---- */
/* local. key of a place: its block on this rank, nblock: on another one; nblock + 1 is no place. */
int sl_particles_key(const struct sl_particles *p, const uint32_t x[3]);
/* Those with a key of nblock go to their ranks, those with nblock + 1 are gone; the rest is sorted
 * by key. */
int sl_particles_migrate(struct sl_particles *p);

#endif
