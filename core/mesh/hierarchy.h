/* hierarchy.h - the levels of an adaptive mesh: one forest, and a mesh of blocks for each level.
 *
 * The mesh of a level holds the leaves of that level and the blocks that finer ones cover, the
 * ancestors of finer leaves. So a block finds a block of its own level in every direction, but for
 * leaves at the edge of a level: what lies beyond is a coarser leaf (2:1 balance over corners), and
 * the nest of the level (nest.h) says which.
 *
 * Every rank knows the blocks of all ranks: 48 bytes each; and what lies around its own, 108
 * bytes each, while tables are made. A uniform mesh, which is never refined, is a hierarchy of one
 * level without these lists.
 *
 * Shapes  level[0 .. nlevel - 1]; the blocks of a mesh are its leaves, then its covered blocks,
 *         each along the space-filling curve. A rank may have no block of a level
 * Units   none
 * Errors  SL_EINPUT, SL_EMEM, SL_EMPI; on error nothing has changed
 * Owns    the forest, the meshes and the nests
 * MPI     collective over comm unless a function says local
 * Where   host
 * Refs    Burstedde, Wilcox & Ghattas 2011 (p4est); Berger & Colella 1989 (levels)
 * Tests   tests/unit/hierarchy.c
 */
#ifndef SL_MESH_HIERARCHY_H
#define SL_MESH_HIERARCHY_H

#include "core/mesh/mesh.h"
#include "core/mesh/nest.h"
#include "core/sys/depth.h"

struct sl_level; /* private to core/mesh */

struct sl_hierarchy {
    MPI_Comm comm; /* borrowed */
    struct sl_mesh_spec spec;
    struct sl_forest *forest;         /* owned */
    int64_t nleaf_global;             /* leaves of all levels and ranks */
    int64_t count[SL_LEVELS];         /* leaves of each level, of all ranks */
    int nlevel;                       /* levels with leaves or covered blocks on any rank */
    struct sl_mesh *level[SL_LEVELS]; /* owned */
    struct sl_nest *nest[SL_LEVELS];  /* owned; [l]: of level l within level l - 1; [0]: NULL */
    struct sl_level *all; /* owned; [level]: blocks of all ranks; NULL: a uniform mesh */
};

/* Makes a hierarchy of one level: the same blocks on the same ranks as sl_mesh_new makes. Besides
 * what that refuses, refuses (SL_EINPUT) blocks that are not even or have less than 2 ghosts + 2
 * cells along an axis. */
int sl_hierarchy_new(MPI_Comm comm, const struct sl_mesh_spec *spec, struct sl_hierarchy **out);

/* Makes a hierarchy of one level that stays as it is: the mesh of sl_mesh_new, for all that this
 * takes. No rank knows the blocks of others than its own and those that touch them, so memory does
 * not grow with the number of ranks; adapt refuses it. */
int sl_hierarchy_uniform(MPI_Comm comm, const struct sl_mesh_spec *spec, struct sl_hierarchy **out);

/* Makes the hierarchy that follows from `from`, which stays as it is.
 *
 * want[i] is for the i-th leaf of this rank along the curve: 1 refine it, 0 leave it, -1 merge it
 * with its siblings if all of them are leaves that want it and no neighbour is too fine. A leaf
 * changes by one level at most, also where the 2:1 balance asks for it; balance comes before
 * merging. No leaf is refined beyond level `most`. weight[l] is what a leaf of level l costs, and
 * more[i] what is more of it for the i-th leaf, or NULL on all ranks: ranks get shares of the curve
 * of about the same cost. Children have equal parts of what is more of their parent, which has what
 * they had. With `more`, blocks are shared anew also where no leaf changes, if the dearest share is
 * a tenth cheaper then. *changed: whether the leaves of any rank did; if not, *out is NULL. */
int sl_hierarchy_adapt(struct sl_hierarchy *from, const signed char *want, int most,
                       const double weight[SL_LEVELS], const double *more, int *changed,
                       struct sl_hierarchy **out);

/* Makes the hierarchy of these leaves, all in curve order, of all ranks (as from a checkpoint): at
 * and level of nleaf blocks. Refuses (SL_EINPUT) a list that does not tile the box or is not
 * balanced. weight as of adapt. */
struct sl_hierarchy_leaf {
    int64_t at[3];
    int level;
};
int sl_hierarchy_of(MPI_Comm comm, const struct sl_mesh_spec *spec, int64_t nleaf,
                    const struct sl_hierarchy_leaf *leaf, const double weight[SL_LEVELS],
                    struct sl_hierarchy **out);
void sl_hierarchy_free(struct sl_hierarchy *h);

/* local. The finest level that leaves can have: SL_LEVELS - 1, less over a root grid of many
 * blocks. Adapt refines no further, whatever `most` is. */
int sl_hierarchy_most(const struct sl_hierarchy *h);

/* local. The leaves of this rank along the curve: writes level and block (index in the mesh of the
 * level) of each; returns their number. Either may be NULL. */
int sl_hierarchy_curve(const struct sl_hierarchy *h, int *level, int *block);

/* How the blocks of one hierarchy come from those of another (sl_hierarchy_adapt): each new block
 * of level l is a copy of a block of level l of the old one, or, where there is none, made from its
 * parent, a leaf of level l - 1 of the old one (prolongation). The moves of a level are those on
 * this rank, by the new block's key, then out, then in, by peer and key; messages as in nest.h,
 * whole interiors of new blocks. */
struct sl_move {
    int level; /* of the new block */
    int to;    /* new block on this rank, -1: goes to another rank */
    int from;  /* old block on this rank, of level `level`, or of level - 1 with prolong; -1: comes
                   from another rank */
    int half[3]; /* prolong: which half of its parent along each axis */
    signed char prolong;
    int peer;     /* the other rank where to or from is -1 */
    size_t start; /* place in the message buffers of its level, per variable, in interior cells */
};
struct sl_moves {
    struct sl_move *move; /* owned */
    int nmove;
    int first[SL_LEVELS + 1]; /* moves of level l: first[l] .. first[l + 1] - 1 */
    int count[SL_LEVELS][3];  /* of these on this rank, out, in */
    struct sl_nest_side out[SL_LEVELS], in[SL_LEVELS]; /* owned; messages per level */
};
/* local. Refuses (SL_EINPUT) hierarchies that differ by more than a level somewhere. */
int sl_moves_make(const struct sl_hierarchy *old, const struct sl_hierarchy *now,
                  struct sl_moves *out);
void sl_moves_release(struct sl_moves *moves);

#endif
