/* merge_part.h - parts of the tree of merge.h as they grow: events go into them by falling density,
 * and of them only what lies at a border stays open.
 *
 * An event is a cell, or what one was kept as by an earlier stage. A part that holds a cell at a
 * border is open: it may meet others beyond it, so what it is stays unknown in this stage. All
 * others are closed and known for good, as no cell beside them is missing. An event of an open part
 * is kept as a vertex for the next stage where that may ask for it: at a border, where open parts
 * or a closed region in its own right meet, and while cells or peak may still decide whether the
 * part is weak. A part that is not weak never gets weak again, so no later cell of it need be kept:
 * such cells belong to the region that their vertex is in by then. Closed weak parts that meet an
 * open one add their cells and their peak to the event.
 *
 * Vertices are at most: cells at borders, as many again where they meet, one for each region of the
 * tree, and as many for each part at a border as a leaf must have cells.
 *
 * Shapes  order[n], label[n]; vertices by falling density
 * Units   those of rho
 * Errors  SL_EMEM
 * Owns    the arrays of a struct sl_merge_stage, freed by sl_merge_stage_release
 * MPI     local
 * Where   host; 40 bytes per part: a local maximum, a branch, or a vertex, which has 40 more
 * Refs    Carr, Snoeyink & Axen 2003 (a join tree by union and find); Morozov & Weber 2013 (of the
 *         tree of a piece of the grid, keep what the others may ask for); Rosolowsky et al. 2008
 * Tests   tests/unit/tree.c, tests/problem/scipy_tree.sh
 */
#ifndef SL_CLUMP_MERGE_PART_H
#define SL_CLUMP_MERGE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_MERGE_NONE = -1, SL_MERGE_SIDES = 6 };

struct sl_merge_rule {
    double floor; /* cells are denser; >= 0 */
    double delta; /* least height of a leaf above where it ends */
    int cells;    /* that a leaf has at least there */
};

/* A cell, counted x fastest in the box; also the name of the region that begins there. */
struct sl_merge_key {
    double rho;
    int64_t cell;
};

/* local. The order in which cells are taken. */
static inline bool sl_merge_before(struct sl_merge_key a, struct sl_merge_key b)
{
    return a.rho != b.rho ? a.rho > b.rho : a.cell < b.cell;
}

struct sl_merge_event {
    struct sl_merge_key at, best; /* best: the highest of what comes with it; itself */
    int32_t cells;                /* that come with it, counted up to those of the rule */
    bool border;
};

/* What is kept of an open part. */
struct sl_merge_vertex {
    struct sl_merge_key at, best;
    int32_t cells, parent; /* parent: the next vertex of its part, -1: none */
};

/* A closed region that meets an open part. */
struct sl_merge_guest {
    struct sl_merge_key region;
    int64_t vertex;
};

/* Where a region ends: in its parent, or at the floor: parent.cell is -1. */
struct sl_merge_link {
    struct sl_merge_key child, parent;
};

/* Planes z0 .. z1 - 1 as the next stage sees them. */
struct sl_merge_open {
    int z0, z1;
    bool low, high; /* others lie beyond */
    int nvertex, nguest;
    struct sl_merge_vertex *vertex; /* owned */
    struct sl_merge_guest *guest;   /* owned; by rising vertex */
};

/* All regions, in the order of their names. */
struct sl_merge_names {
    int n;
    struct sl_merge_link *link; /* owned by whom it is made */
    int *parent;                /* the same; -1: none */
};

struct sl_merge_part;

struct sl_merge_stage {
    const struct sl_merge_rule *rule; /* borrowed */
    int32_t n;                        /* events */
    int32_t *order;                   /* owned; those that are dense, by falling density */
    int32_t ndense;
    int64_t *label;    /* owned; part of each event, at last its region; -1: none */
    const double *rho; /* borrowed; events are cells from `first` on; NULL: vertices */
    int64_t first;
    struct sl_merge_vertex *in; /* owned; events that are no cells */
    struct sl_merge_part *part; /* owned */
    struct sl_merge_link *link; /* owned; regions that ended in this stage */
    int npart, part_room, nlink, link_room, vertex_room, guest_room;
    struct sl_merge_open out;
};

/* The place of an event. */
static inline struct sl_merge_key sl_merge_at(const struct sl_merge_stage *s, int32_t e)
{
    return s->rho ? (struct sl_merge_key){s->rho[e], s->first + e} : s->in[e].at;
}

/* The part that part i is in by now. */
int32_t sl_merge_part_outer(struct sl_merge_stage *stage, int32_t i);

/* Takes event e, which lies between n different outer parts, at most SL_MERGE_SIDES; sets its
 * label. */
int sl_merge_part_take(struct sl_merge_stage *stage, int32_t e, const struct sl_merge_event *event,
                       int32_t *met, int n);

/* A closed region of an earlier stage as a part. */
int sl_merge_part_guest(struct sl_merge_stage *stage, struct sl_merge_key region, int32_t *out);

/* When all events are taken: closed parts end at the floor. */
int sl_merge_part_end(struct sl_merge_stage *stage);

/* local. For qsort: the order of names; the place of one, -1: it is none. */
int sl_merge_by_name(const void *link, const void *other);
int32_t sl_merge_number(const struct sl_merge_names *names, struct sl_merge_key name);

/* Label of each event from now on: its region, a place in names; of_vertex: that of each vertex of
 * stage->out. Takes the parts apart. */
void sl_merge_part_settle(struct sl_merge_stage *stage, const struct sl_merge_names *names,
                          const int64_t *of_vertex);

void sl_merge_stage_release(struct sl_merge_stage *stage);

#endif
