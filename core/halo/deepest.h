/* deepest.h - the particle of a group where the potential of the group is least.
 *
 * The potential is that of all members, of equal mass, each softened as Plummer's sphere is. Of
 * groups of up to 128 members all is summed. Of larger ones the deepest eighth is kept again and
 * again, found with every 8th, 64th .. member by id in place of all, softened by as much more as
 * these lie further apart; the last hundred or fewer are told apart by all members. A group of n
 * members takes some 128 n distances for each of these rounds, in place of n^2.
 *
 * Shapes  x[n]
 * Units   lengths those of x
 * Errors  SL_EMEM
 * Owns    nothing
 * MPI     local; the same bits for members in the same order
 * Where   host
 * Refs    Plummer 1911 (the softening)
 * Tests   tests/unit/haloes.c, tests/law/haloes.sh
 */
#ifndef SL_HALO_DEEPEST_H
#define SL_HALO_DEEPEST_H

#include <stddef.h>

/* soft: above 0. Of members as deep as each other it is the first. */
int sl_deepest(const double (*x)[3], size_t n, double soft, size_t *which);

#endif
