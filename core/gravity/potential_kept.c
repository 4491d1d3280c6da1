/* potential_kept.c - see potential_kept.h. */
#include "core/gravity/potential_kept.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/gravity/backend.h"
#include "core/gravity/composite.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- making ---------------------------------------------------------------------------------- */

void sl_potential_kept_clear(struct sl_potential_kept *k)
{
    for (int l = 0; l < k->nlevel; l++) {
        free(k->level[l].leaf);
        free(k->level[l].beyond);
        free(k->level[l].root);
        free(k->level[l].there);
        k->level[l] = (struct sl_potential_kept_level){.nleaf = 0};
    }
    k->nlevel = 0;
}

static int level_make(const struct sl_potential_kept *k, const struct sl_mesh *m,
                      struct sl_potential_kept_level *l)
{
    const char *what = "the potential of leaves";
    const struct sl_potential_level shapes =
        sl_potential_level_of((struct sl_mesh *)(uintptr_t)m, NULL, k->isolated);
    l->nleaf = m->nleaf, l->nblock = m->nblock;
    l->cells = (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
    l->sides = k->isolated ? 6 * shapes.face_values : 0;
    size_t leaf = SL_POTENTIALS_KEPT * (size_t)l->nleaf * l->cells;
    SL_TRY(sl_alloc(what, leaf + 1, sizeof *l->leaf, &l->leaf));
    SL_TRY(sl_alloc(what, (size_t)l->nleaf + 1, 1, &l->there));
    SL_TRY(sl_alloc(what, (size_t)l->nblock + 1, sizeof *l->root, &l->root));
    for (int b = 0; b < l->nblock; b++)
        l->root[b] = -1;
    if (m->level > 0 || !k->isolated) return SL_OK;
    size_t beyond = SL_POTENTIALS_KEPT * (size_t)l->nblock * l->sides;
    return sl_alloc(what, beyond + 1, sizeof *l->beyond, &l->beyond);
}

static bool is_at_side(const struct sl_block *b)
{
    bool any = false;
    for (int f = 0; f < 6; f++)
        any |= b->at_edge[f];
    return any;
}

/* A covered block is on the rank of the first leaf in it. */
static void first_find(struct sl_potential_kept *k, const struct sl_hierarchy *h)
{
    for (int b = 0; b < h->level[0]->nblock && k->isolated; b++)
        if (is_at_side(&h->level[0]->blocks[b])) k->level[0].root[b] = b;
    for (int l = 1; l < h->nlevel; l++)
        for (int i = 0; i < h->nest[l]->ncover[0]; i++) {
            const struct sl_cover_job *job = &h->nest[l]->cover[i];
            if (job->half[0] + job->half[1] + job->half[2] > 0) continue;
            k->level[l].root[job->fine] = k->level[l - 1].root[job->coarse];
        }
}

int sl_potential_kept_open(void *of, const struct sl_hierarchy *h)
{
    struct sl_potential_kept *k = of;
    int code = SL_OK;
    k->from = NULL; /* it was of other leaves, whose meshes may go */
    sl_potential_kept_clear(k);
    for (int l = 0; l < h->nlevel && code == SL_OK; l++, k->nlevel++)
        code = level_make(k, h->level[l], &k->level[l]);
    if (code == SL_OK)
        first_find(k, h);
    else
        sl_potential_kept_clear(k);
    return code;
}

bool sl_potential_kept_whole(const struct sl_potential_kept *k)
{
    bool all = k->nlevel > 0;
    for (int l = 0; l < k->nlevel; l++)
        for (int b = 0; b < k->level[l].nleaf; b++)
            all &= k->level[l].there[b];
    return all;
}

/* ---- from and to the fields of levels -------------------------------------------------------- */

static sl_real *leaf_of(const struct sl_potential_kept_level *l, int potential, int block)
{
    return l->leaf + ((size_t)potential * (size_t)l->nleaf + (size_t)block) * l->cells;
}

static sl_real *beyond_of(const struct sl_potential_kept *k, int potential, int root)
{
    const struct sl_potential_kept_level *l = &k->level[0];
    if (!l->beyond) return NULL;
    return l->beyond + ((size_t)potential * (size_t)l->nblock + (size_t)root) * l->sides;
}

static int keep_level(struct sl_potential_kept *k, int level)
{
    struct sl_potential_kept_level *l = &k->level[level];
    struct sl_potential_level *p = sl_composite_level(k->from, level);
    const struct sl_potential_calls *on = sl_composite_calls(k->from);
    const sl_real *field[SL_POTENTIALS_KEPT] = {p->phi, p->before};
    for (int i = 0; i < SL_POTENTIALS_KEPT; i++)
        SL_TRY(on->get(p, field[i], leaf_of(l, i, 0), level == 0 ? beyond_of(k, i, 0) : NULL));
    memset(l->there, 1, (size_t)l->nleaf);
    return SL_OK;
}

int sl_potential_kept_keep(void *of)
{
    struct sl_potential_kept *k = of;
    struct sl_composite *from = k->from;
    if (!from) return SL_OK;
    int code = sl_potential_kept_open(k, sl_composite_hierarchy(from));
    k->from = from;
    for (int l = 0; l < k->nlevel && code == SL_OK; l++)
        code = keep_level(k, l);
    return code;
}

int sl_potential_kept_give(const struct sl_potential_kept *k, struct sl_composite *to)
{
    const struct sl_potential_calls *on = sl_composite_calls(to);
    for (int l = 0; l < k->nlevel; l++) {
        struct sl_potential_level *p = sl_composite_level(to, l);
        sl_real *field[SL_POTENTIALS_KEPT] = {p->phi, p->before};
        for (int i = 0; i < SL_POTENTIALS_KEPT; i++)
            SL_TRY(on->set(p, leaf_of(&k->level[l], i, 0), l == 0 ? beyond_of(k, i, 0) : NULL,
                           field[i]));
    }
    return SL_OK;
}

/* ---- what lies in a leaf --------------------------------------------------------------------- */

/* Values of a potential: of the leaf, and of the sides that go with it. */
static size_t values_of(const struct sl_potential_kept_level *l, int block)
{
    return l->cells + (l->root[block] < 0 ? 0 : l->sides);
}

static size_t whole_bytes(const struct sl_potential_kept_level *l, int block)
{
    return sizeof(int64_t) + SL_POTENTIALS_KEPT * values_of(l, block) * sizeof(sl_real);
}

size_t sl_potential_kept_bytes(const void *of, int level, int block)
{
    const struct sl_potential_kept *k = of;
    if (level >= k->nlevel || !k->level[level].there[block]) return 0;
    return whole_bytes(&k->level[level], block);
}

void sl_potential_kept_save(const void *of, int level, int block, void *bytes)
{
    const struct sl_potential_kept *k = of;
    const int64_t number = level;
    char *to = bytes;
    if (sl_potential_kept_bytes(of, level, block) == 0) return;
    const struct sl_potential_kept_level *l = &k->level[level];
    const size_t leaf = l->cells * sizeof(sl_real), sides = l->sides * sizeof(sl_real);
    memcpy(to, &number, sizeof number);
    to += sizeof number;
    for (int i = 0; i < SL_POTENTIALS_KEPT; i++) {
        memcpy(to, leaf_of(l, i, block), leaf);
        to += leaf;
        if (l->root[block] < 0) continue;
        memcpy(to, beyond_of(k, i, l->root[block]), sides);
        to += sides;
    }
}

int sl_potential_kept_load(void *of, int level, int block, const void *bytes, size_t n)
{
    struct sl_potential_kept *k = of;
    struct sl_potential_kept_level *l = &k->level[level];
    const char *from = bytes;
    int64_t number = -1;
    if (n >= sizeof number) memcpy(&number, from, sizeof number);
    if (number != level) return SL_OK; /* it had none */
    SL_CHECK(n == whole_bytes(l, block), SL_EINPUT, "block %d has %zu bytes of a potential", block,
             n);
    const size_t leaf = l->cells * sizeof(sl_real), sides = l->sides * sizeof(sl_real);
    from += sizeof number;
    for (int i = 0; i < SL_POTENTIALS_KEPT; i++) {
        memcpy(leaf_of(l, i, block), from, leaf);
        from += leaf;
        if (l->root[block] < 0) continue;
        memcpy(beyond_of(k, i, l->root[block]), from, sides);
        from += sides;
    }
    l->there[block] = 1;
    return SL_OK;
}

void sl_potential_kept_lose(void *of)
{
    struct sl_potential_kept *k = of;
    k->from = NULL;
    sl_potential_kept_clear(k);
}
