/* fof.h - friends of friends: groups of particles in a periodic box that chains of neighbours
 * within a linking length hold together.
 *
 * Cells of at most length / sqrt(3) hold friends alone, so that cells are joined and not particles:
 * particles are sorted by rows along x, two cells wide and deep, and each cell is compared with
 * those near it in its own row and in four beside it, until one pair of friends is found. The work
 * grows as the number of particles, however dense they lie. A group across ranks gets one name by
 * passing names to copies until none changes: as many rounds as ranks that the longest chain goes
 * through. What a rank has may be joined by a device (core/measure/device.h), to the same groups.
 *
 * Shapes  group[own.n], in the order of the own particles
 * Units   length in 2^-32 of the unit of `side`
 * Errors  SL_EMEM; SL_EINPUT for a length that is not below half of each side, or more than 2^31
 *         particles on a rank; agreed on by all ranks
 * Owns    nothing
 * MPI     collective; the same groups for any number of ranks and any order of particles
 * Where   host; 128^3 particles at b = 0.2, one core (EPYC), particles/s: at random 6.9e6, a
 *         lattice displaced by waves that have crossed 8.5e6, half of all in dense clumps 6.4e6
 * Refs    Davis, Efstathiou, Frenk & White 1985 (the groups); Creasey 2018 (cells of friends)
 * Tests   tests/unit/fof.c, tests/gpu/friends.c
 */
#ifndef SL_HALO_FOF_H
#define SL_HALO_FOF_H

#include "core/halo/points.h"

#define SL_FOF_NONE UINT64_MAX

/* group: the least id in the group of each own particle, SL_FOF_NONE in those of fewer than
 * `least`. Friends are at most `length` apart, exactly so in a box of equal sides of 1:
 * differences and squares are whole numbers in doubles below 2^53. */
int sl_fof_find(const struct sl_shares *shares, double length, const double side[3], uint64_t least,
                uint64_t *group);

#endif
