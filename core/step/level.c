/* level.c - see level.h. */
#include "core/step/level.h"

#include <stdlib.h>

#include "core/step/backend.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* ---- one level ------------------------------------------------------------------------------ */

/* What a level shares with its root, and work arrays of its own. */
static int level_new(struct sl_sim *root, struct sl_hierarchy *h, int number, struct sl_sim **out)
{
    struct sl_sim *s = calloc(1, sizeof *s);
    struct sl_step *w = calloc(1, sizeof *w);
    int code = s && w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a level");
    code = sl_agree(h->comm, code);
    if (code != SL_OK) {
        free(s);
        free(w);
        return code;
    }
    *s = *root;
    s->coarser = s->finer = NULL;
    s->state.coarser = s->state.finer = NULL;
    s->state.hierarchy = NULL;
    s->state.component = (struct sl_component){.of = NULL};
    s->sources = NULL;
    s->state.u = NULL;
    s->request = s->requested = 0;
    s->state.mesh = h->level[number];
    s->nest = h->nest[number];
    s->began = s->state.time;
    s->work = w;
    w->scheme = root->work->scheme;
    w->plain = root->work->plain;
    w->backend = root->work->backend;
    w->why = root->work->why;
    w->keeps_mass = root->work->keeps_mass;
    *out = s;
    return SL_OK;
}

static void level_free(struct sl_sim *s)
{
    if (s->work && s->work->backend) s->work->backend->close(s);
    free(s->state.u);
    free(s->work);
    free(s);
}

/* Fluxes at the edges of levels are kept. */
static int registers_set(struct sl_sim *s, const struct sl_hierarchy *h)
{
    const struct sl_nest *up = s->nest, *down = NULL;
    int l = s->state.mesh->level;
    if (l + 1 < h->nlevel) down = h->nest[l + 1];
    return sl_agree(h->comm, s->work->backend->register_set(
                                 s, up ? up->fine : NULL, up ? up->nfine : 0,
                                 down ? down->coarse : NULL, down ? down->ncoarse : 0));
}

/* With constrained transport what goes around the edges there, too. */
static int edges_set(struct sl_sim *s, const struct sl_hierarchy *h)
{
    const struct sl_nest *up = s->nest, *down = NULL;
    int l = s->state.mesh->level;
    if (l + 1 < h->nlevel) down = h->nest[l + 1];
    SL_CHECK(
        s->work->backend->edges_set, SL_EUNAVAIL,
        "fluid.mhd: ct with levels (mesh.levels) runs on the processor, not on %s; nearest: glm",
        s->work->backend->name);
    return sl_agree(h->comm, s->work->backend->edges_set(
                                 s, up ? up->fine_edges : NULL, up ? up->nfine_edges : 0,
                                 down ? down->coarse_edges : NULL, down ? down->ncoarse_edges : 0));
}

static int level_open(struct sl_sim *s, const struct sl_hierarchy *h)
{
    SL_TRY(sl_agree(h->comm, sl_sim_fields_new(s)));
    SL_TRY(sl_agree(h->comm, s->work->backend->open(s)));
    if (h->nlevel == 1) return SL_OK;
    SL_TRY(registers_set(s, h));
    return s->state.layout.face >= 0 ? edges_set(s, h) : SL_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

void sl_levels_free(struct sl_sim *first)
{
    for (struct sl_sim *next; first; first = next) {
        next = first->finer;
        level_free(first);
    }
}

int sl_levels_new(struct sl_sim *root, struct sl_hierarchy *h, struct sl_sim **out)
{
    struct sl_sim *first = NULL, *last = NULL, *next = NULL;
    int code = SL_OK;
    for (int l = 0; l < h->nlevel && code == SL_OK; l++) {
        code = level_new(root, h, l, &next);
        if (code != SL_OK) break;
        sl_sim_link(last, next);
        if (!first) first = next;
        last = next;
        code = level_open(last, h);
    }
    if (code != SL_OK) {
        sl_levels_free(first);
        return sl_trace(__FILE__, __LINE__, code);
    }
    *out = first;
    return SL_OK;
}

#define EXCHANGE(type, a, b)                                                                       \
    do {                                                                                           \
        type kept_ = (a);                                                                          \
        (a) = (b);                                                                                 \
        (b) = kept_;                                                                               \
    } while (0)

void sl_levels_take(struct sl_sim *root, struct sl_sim *first, struct sl_hierarchy *h)
{
    struct sl_hierarchy *old = root->state.hierarchy;
    first->work->ch = root->work->ch;
    EXCHANGE(struct sl_mesh *, root->state.mesh, first->state.mesh);
    EXCHANGE(sl_real *, root->state.u, first->state.u);
    EXCHANGE(struct sl_step *, root->work, first->work);
    struct sl_sim *finer = first->finer;
    sl_sim_link(first, root->finer);
    sl_sim_link(root, finer);
    root->work->ghost.data = &root->state;
    first->work->ghost.data = &first->state;
    root->state.hierarchy = h;
    root->began = root->state.time;
    root->state.allowed = first->state.allowed;
    sl_levels_free(first);
    sl_hierarchy_free(old);
}

int sl_sim_levels(struct sl_sim *root, struct sl_hierarchy *h)
{
    struct sl_sim *first;
    int code = sl_levels_new(root, h, &first);
    if (code != SL_OK) {
        sl_hierarchy_free(h);
        return code;
    }
    sl_levels_take(root, first, h);
    for (struct sl_sim *s = root; s && code == SL_OK; s = s->finer)
        code = sl_sim_host(s);
    return sl_agree(h->comm, code);
}
