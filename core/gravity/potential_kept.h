/* potential_kept.h - the last two potentials of a mesh with levels as they lie in its leaves: what
 * a solution begins with (composite.h), on its way into a checkpoint, from one, and from rank to
 * rank.
 *
 * All that a solution goes on with follows from it: ghost cells, rings and covered cells from the
 * leaves, but for the values beyond the sides of an isolated box, which go with the first leaf in
 * each block of the root grid. Leaves that were refined, or have merged, have none: a guess of
 * theirs would leave as much as nothing does.
 *
 * Its calls with `of` are those of struct sl_block_part (core/state/state.h).
 *
 * Shapes  bytes of a leaf: its level, 8 bytes, then of each potential [n2][n1][n0] and, of the
 *         first leaf in a block of the root grid at a side of an isolated box, [6][n * n]; or
 *         nothing
 * Units   those of the potential
 * Errors  SL_EMEM, SL_EINPUT; what a backend says
 * Owns    copies of both potentials of its leaves; `from` is borrowed
 * MPI     local
 * Where   host; from: where its backend has it
 * Refs    none
 * Tests   tests/law/warm.c, tests/gpu/gravity.c
 */
#ifndef SL_GRAVITY_POTENTIAL_KEPT_H
#define SL_GRAVITY_POTENTIAL_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cell/fn.h"
#include "core/mesh/hierarchy.h"
#include "core/sys/pencils.h"

struct sl_composite; /* composite.h */

enum { SL_POTENTIALS_KEPT = 2 }; /* the last one, the one before */

struct sl_potential_kept_level {
    int nleaf, nblock;
    size_t cells,
        sides;       /* values of a leaf; of what lies beyond the faces of a block, 0: nothing */
    sl_real *leaf;   /* owned; [potential][nleaf][cells] */
    sl_real *beyond; /* owned; [potential][nblock][sides], of the root grid */
    int *root;       /* owned; [nblock]: of which block of the root grid it is the first; -1 */
    unsigned char *there; /* owned; [nleaf] */
};

struct sl_potential_kept {
    enum sl_around isolated;
    struct sl_composite *from; /* the potentials are there; NULL: here, if anywhere */
    int nlevel;
    struct sl_potential_kept_level level[SL_LEVELS];
};

/* Nothing is there any more. */
void sl_potential_kept_clear(struct sl_potential_kept *k);
/* Whether all own leaves have theirs. */
bool sl_potential_kept_whole(const struct sl_potential_kept *k);
/* Both potentials go to the levels of a problem on the same mesh. */
int sl_potential_kept_give(const struct sl_potential_kept *k, struct sl_composite *to);

/* Those of `from`, if there is one, are copied. */
int sl_potential_kept_keep(void *of);
int sl_potential_kept_open(void *of, const struct sl_hierarchy *h);
size_t sl_potential_kept_bytes(const void *of, int level, int block);
void sl_potential_kept_save(const void *of, int level, int block, void *bytes);
int sl_potential_kept_load(void *of, int level, int block, const void *bytes, size_t n);
void sl_potential_kept_lose(void *of);

#endif
