/* haloes.h - haloes: groups of friends of friends, what they are, and spheres about their centres
 * that are so many times denser than the mean.
 *
 * Of the group: number, centre of mass, velocity, dispersion, axes of the tensor of inertia. Its
 * centre is its densest place: the centre of mass of what is left when a sphere about the centre of
 * mass shrinks by a tenth again and again, until a hundredth of the particles are in it, ten at
 * least. The centre of its potential is the place of the particle where that of all members is
 * least, softened by a quarter of the linking length (deepest.h); the two differ where a halo has
 * several cores. A sphere about the densest place holds all particles, not those of the group
 * alone; its radius is where the mean density within it, from the centre outwards, first falls
 * below the contrast: particle i of those within has half of its own mass within its radius, in
 * between ln rho over ln r is a straight line. Unbinding is not done: what passes by counts as
 * well, most in groups of a few tens.
 *
 * The largest circular speed is that within the sphere of 200c, of radii that hold ten particles or
 * more. The spin is that of Bullock, of all within the sphere of SL_OVERDENSITY_vir.
 *
 * Shapes  halo[n] by falling number of particles, then rising id
 * Units   lengths and speeds those of the rule; masses in particles
 * Errors  SL_EINPUT, SL_EMEM; agreed on by all ranks
 * Owns    the list, freed by sl_haloes_release
 * MPI     collective; every rank gets the list, the same bits for any number of ranks and any order
 *         of particles
 * Where   host
 * Refs    Davis et al. 1985; Power et al. 2003 (the centre); Lacey & Cole 1994 (spheres); Bullock
 *         et al. 2001, eq. 5 (the spin)
 * Tests   tests/unit/haloes.c, tests/law/haloes.sh
 */
#ifndef SL_HALO_HALOES_H
#define SL_HALO_HALOES_H

#include <stdbool.h>

#include "core/halo/points.h"

/* X(name, words) */
#define SL_OVERDENSITY_LIST(X)                                                                     \
    X(200c, "200 times the critical density")                                                      \
    X(200m, "200 times the mean density")                                                          \
    X(500c, "500 times the critical density")                                                      \
    X(vir, "the density of Bryan and Norman (1998)")

#define SL_OVERDENSITY_ENUM(name, words) SL_OVERDENSITY_##name,
enum sl_overdensity { SL_OVERDENSITY_LIST(SL_OVERDENSITY_ENUM) SL_OVERDENSITIES };

struct sl_halo_rule {
    double side[3]; /* of the box */
    double linking; /* linking length over the mean separation of all particles */
    uint64_t least; /* particles of a group */
    double contrast[SL_OVERDENSITIES]; /* over the mean density */
    double gravity; /* square of the circular speed at radius 1 about one particle */
    bool bonds;     /* keep which particles are in which group */
};

struct sl_halo {
    uint64_t id, n; /* the least id of its particles; their number */
    double mean[3]; /* centre of mass, from the lower corner of the box */
    double centre[3], potential[3], velocity[3];
    double dispersion; /* rms of the velocity about its mean, all components */
    double axes[2];    /* middle and shortest over the longest */
    double mass[SL_OVERDENSITIES], radius[SL_OVERDENSITIES]; /* 0: it is nowhere so dense */
    double speed;         /* largest circular one; 0: fewer than ten particles */
    double concentration; /* of the speed; 0: fewer than 100 particles within 200c */
    double spin;          /* 0: no sphere */
};

/* A particle of a group, both by their ids. */
struct sl_halo_bond {
    uint64_t particle, halo;
};

enum { SL_HALO_SHELLS = 20, SL_HALO_STACKS = 4 };
#define SL_HALO_INNER 0.02 /* the first shell, of the last one's radius */

struct sl_haloes {
    int n;
    struct sl_halo *halo; /* owned */
    /* particles in shells of haloes with so many particles in the sphere of 200c, as
     * sl_halo_stack says; radii grow by the same factor up to that of the sphere */
    int64_t shell[SL_HALO_STACKS][SL_HALO_SHELLS];
    /* owned, where the rule asks for them; of the particles that this rank looks after
     * (sl_points_rank), by rising particle */
    struct sl_halo_bond *bond;
    size_t bonds;
};

int sl_haloes_find(const struct sl_shares *shares, const struct sl_halo_rule *rule,
                   struct sl_haloes *out);
void sl_haloes_release(struct sl_haloes *haloes);

/* local. The least number of particles in a stack; the outer radius of a shell over that of the
 * sphere, of shell -1 the inner one; the stack of a halo, -1: none. */
double sl_halo_stack_least(int stack);
double sl_halo_shell(int shell);
int sl_halo_stack(const struct sl_halo *halo);

#endif
