/* leaves.c - see leaves.h. */
#include "core/state/leaves.h"

#include <stdlib.h>

#include "core/mesh/hierarchy.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

int sl_leaves_count(const struct sl_state *state)
{
    int n = 0;
    for (const struct sl_state *s = state; s; s = s->finer)
        n += s->mesh->nleaf;
    return n;
}

int64_t sl_leaves_global(const struct sl_state *state)
{
    return state->hierarchy->nleaf_global;
}

/* Place along the curve of the first leaf of this rank. */
static int64_t first_gid(const struct sl_state *state)
{
    int64_t first = INT64_MAX;
    for (const struct sl_state *s = state; s; s = s->finer)
        if (s->mesh->nleaf > 0 && s->mesh->blocks[0].gid < first) first = s->mesh->blocks[0].gid;
    return first;
}

int sl_leaves_list(const struct sl_state *state, struct sl_state_leaf **out)
{
    int64_t first = first_gid(state);
    SL_TRY(sl_alloc("list of leaves", (size_t)sl_leaves_count(state), sizeof **out, out));
    for (const struct sl_state *s = state; s; s = s->finer)
        for (int b = 0; b < s->mesh->nleaf; b++)
            (*out)[s->mesh->blocks[b].gid - first] = (struct sl_state_leaf){s, b};
    return SL_OK;
}

int sl_levels_count(const struct sl_state *state)
{
    int n = 0;
    for (const struct sl_state *s = state; s; s = s->finer)
        n++;
    return n;
}

int sl_state_copy(const struct sl_state *state, struct sl_state **out)
{
    struct sl_state *copy = NULL;
    int n = sl_levels_count(state), i = 0;
    SL_TRY(sl_alloc("a copy of the state", (size_t)n, sizeof *copy, &copy));
    for (const struct sl_state *s = state; s; s = s->finer, i++) {
        copy[i] = *s;
        copy[i].coarser = i > 0 ? &copy[i - 1] : NULL;
        copy[i].finer = i + 1 < n ? &copy[i + 1] : NULL;
    }
    *out = copy;
    return SL_OK;
}
