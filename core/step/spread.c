/* spread.c - see spread.h. */
#include "core/step/spread.h"

#include <stdlib.h>
#include <string.h>

#include "core/mesh/leaf_map.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

int sl_spread_gather(MPI_Comm comm, const struct sl_spread_row *own, int n,
                     struct sl_spread_row **all, int *nall)
{
    int size, code, bytes = n * (int)sizeof *own, total = 0, *count = NULL;
    MPI_Comm_size(comm, &size);
    code = sl_agree(comm,
                    sl_alloc("counts of marked blocks", 2 * (size_t)size, sizeof *count, &count));
    if (code != SL_OK) return code;
    int *first = count + size;
    MPI_Allgather(&bytes, 1, MPI_INT, count, 1, MPI_INT, comm);
    for (int r = 0; r < size; r++)
        first[r] = total, total += count[r];
    *nall = total / (int)sizeof *own;
    code = sl_agree(comm, sl_alloc("marked blocks", (size_t)*nall, sizeof **all, all));
    if (code == SL_OK) MPI_Allgatherv(own, bytes, MPI_BYTE, *all, count, first, MPI_BYTE, comm);
    free(count);
    return code;
}

/* ---- spreading ---- */

struct spread {
    int dim;
    const int64_t *root;
    const bool *periodic;
    struct sl_leaf_map map; /* owned; of the leaves of this rank */
    signed char *verdict;
};

/* Of the leaf at that place, where there is one; returns whether there is. */
static int raise_at(const struct spread *s, int level, const int64_t at[3], signed char value)
{
    int leaf = sl_leaf_map_find(&s->map, level, at);
    if (leaf >= 0 && s->verdict[leaf] < value) s->verdict[leaf] = value;
    return leaf >= 0;
}

/* The place beside one in a direction, 0 where the box ends. */
static int beside(const struct spread *s, const struct sl_spread_row *t, const int step[3],
                  int64_t at[3])
{
    for (int d = 0; d < 3; d++) {
        at[d] = t->at[d] + step[d];
        if (d >= s->dim && step[d] == 0) continue;
        if (d >= s->dim) return 0;
        int64_t end = s->root[d] << t->level;
        if ((at[d] < 0 || at[d] >= end) && !s->periodic[d]) return 0;
        at[d] = at[d] < 0 ? end - 1 : at[d] >= end ? 0 : at[d];
    }
    return 1;
}

/* Those of the children of a block that touch the one that it is beside of. */
static void raise_children(const struct spread *s, const struct sl_spread_row *t, const int step[3],
                           const int64_t at[3], signed char value)
{
    for (int c = 0; c < 1 << s->dim; c++) {
        int64_t child[3] = {0, 0, 0};
        int touches = 1;
        for (int d = 0; d < s->dim; d++) {
            int half = c >> d & 1;
            child[d] = 2 * at[d] + half;
            touches &= step[d] == 0 || half == (step[d] < 0);
        }
        if (touches) raise_at(s, t->level + 1, child, value);
    }
}

static void spread_to(const struct spread *s, const struct sl_spread_row *t, int dir)
{
    const int step[3] = {dir % 3 - 1, dir / 3 % 3 - 1, dir / 9 - 1};
    bool finer = t->marks.finer >> dir & 1, here = t->marks.here >> dir & 1;
    int64_t at[3];
    if (!(t->marks.keep >> dir & 1) || !beside(s, t, step, at)) return;
    if (raise_at(s, t->level, at, finer ? 1 : 0)) return;
    const int64_t parent[3] = {at[0] / 2, at[1] / 2, at[2] / 2};
    if (here && t->level > 0) raise_at(s, t->level - 1, parent, 1);
    if (finer) raise_children(s, t, step, at, 0);
}

struct sl_spread_row sl_spread_row_of(const struct sl_leaf *leaf)
{
    struct sl_spread_row t;
    memset(&t, 0, sizeof t);
    memcpy(t.at, leaf->at, sizeof t.at);
    t.level = leaf->level;
    return t;
}

/* What each leaf comes to by its own cells, and the rows of those whose marks reach others. */
static int own_rows(int n, const struct sl_leaf *leaf, const struct sl_refine_marks *marks,
                    signed char *verdict, struct sl_spread_row *row)
{
    int rows = 0;
    for (int i = 0; i < n; i++) {
        verdict[i] = marks[i].finer >> SL_REFINE_SELF & 1  ? 1
                     : marks[i].keep >> SL_REFINE_SELF & 1 ? 0
                                                           : -1;
        if (!(marks[i].keep & ~(1u << SL_REFINE_SELF))) continue;
        row[rows] = sl_spread_row_of(&leaf[i]);
        row[rows++].marks = marks[i];
    }
    return rows;
}

int sl_spread_marks(MPI_Comm comm, int dim, const int64_t root[3], const bool periodic[3], int n,
                    const struct sl_leaf *leaf, const struct sl_refine_marks *marks,
                    signed char *verdict)
{
    struct spread s = {.dim = dim, .root = root, .periodic = periodic, .verdict = verdict};
    struct sl_spread_row *own = NULL, *all = NULL;
    int nown = 0, nall = 0, code = sl_alloc("marked blocks", (size_t)n, sizeof *own, &own);
    if (code == SL_OK) code = sl_leaf_map_make(leaf, n, &s.map);
    code = sl_agree(comm, code);
    if (code == SL_OK) nown = own_rows(n, leaf, marks, verdict, own);
    if (code == SL_OK) code = sl_spread_gather(comm, own, nown, &all, &nall);
    for (int i = 0; i < nall && code == SL_OK; i++)
        for (int dir = 0; dir < SL_REFINE_SIDES; dir++)
            if (dir != SL_REFINE_SELF) spread_to(&s, &all[i], dir);
    free(all);
    sl_leaf_map_release(&s.map);
    free(own);
    return code;
}
