/* halo_group.h - what a group of friends of friends is: mass, centres, motion, shape.
 *
 * Places are taken from the first member through the nearest walls, so a group is shorter than half
 * of the box. Sums are made in the order of ids.
 *
 * Shapes  member[n], sorted
 * Units   lengths those of `side`, speeds those of the particles
 * Errors  SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Power et al. 2003 (the densest place)
 * Tests   tests/unit/haloes.c
 */
#ifndef SL_HALO_HALO_GROUP_H
#define SL_HALO_HALO_GROUP_H

#include "core/halo/haloes.h"

struct sl_member {
    struct sl_point p;
    uint64_t group;
};

/* Members by their group, then by id; *member may come to lie elsewhere. */
int sl_members_sort(struct sl_member **member, size_t n);

/* The first members of a halo, up to its axes, of the n members of one group; soft: of the
 * potential (deepest.h). */
int sl_group_describe(const struct sl_member *member, size_t n, const double side[3], double soft,
                      struct sl_halo *out);

#endif
