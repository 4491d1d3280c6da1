/* merge.c - see merge.h. */
#include "core/clump/merge.h"

#include <stdlib.h>

#include "core/clump/merge_stage.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { ROUNDS = 31 };

struct work {
    const struct sl_slab *slab;
    const struct sl_region_gas *gas;
    const struct sl_merge_rule *rule;
    int *rank; /* of those that have planes */
    int nrank, place;
    int nstage;
    struct sl_merge_stage stage[ROUNDS + 1]; /* cells, then pieces joined here */
    int64_t *answer;                         /* regions of vertices that went to another rank */
    struct sl_merge_names names;
};

/* What a piece has, announced before it is sent. */
struct size {
    int z1, nvertex, nguest, high;
};

static struct sl_merge_stage *top(struct work *w)
{
    return &w->stage[w->nstage - 1];
}

/* ---- pieces ---- */

static int find_ranks(struct work *w)
{
    const struct sl_slab *s = w->slab;
    w->rank = malloc((size_t)s->size * sizeof *w->rank);
    SL_CHECK(w->rank, SL_EMEM, "out of memory");
    for (int r = 0; r < s->size; r++) {
        if (sl_slab_first(s->n[2], r, s->size) == sl_slab_first(s->n[2], r + 1, s->size)) continue;
        if (r == s->rank) w->place = w->nrank;
        w->rank[w->nrank++] = r;
    }
    return SL_OK;
}

static int own_cells(struct work *w)
{
    const struct sl_slab *s = w->slab;
    struct sl_merge_cells cells = {.rho = w->gas->rho};
    struct sl_merge_stage *stage = &w->stage[w->nstage++];
    bool around = w->gas->periodic[2] && s->nz < s->n[2];
    for (int d = 0; d < 3; d++) {
        cells.n[d] = s->n[d];
        cells.periodic[d] = w->gas->periodic[d];
    }
    stage->rule = w->rule;
    stage->out = (struct sl_merge_open){.z0 = s->z0, .z1 = s->z0 + s->nz};
    stage->out.low = s->z0 > 0 || around;
    stage->out.high = stage->out.z1 < s->n[2] || around;
    return sl_merge_stage_cells(&cells, stage);
}

/* The own piece goes to a rank below; room is made for what comes back. */
static int offer(struct work *w, int to)
{
    const struct sl_merge_open *o = &top(w)->out;
    const struct size size = {o->z1, o->nvertex, o->nguest, o->high};
    sl_slab_send(w->slab, &size, 1, sizeof size, to);
    w->answer = malloc(((size_t)o->nvertex + 1) * sizeof *w->answer);
    SL_CHECK(w->answer, SL_EMEM, "out of memory for a tree of %d vertices", o->nvertex);
    return SL_OK;
}

static void give(struct work *w, int to)
{
    struct sl_merge_open *o = &top(w)->out;
    sl_slab_send(w->slab, o->vertex, o->nvertex, sizeof *o->vertex, to);
    sl_slab_send(w->slab, o->guest, o->nguest, sizeof *o->guest, to);
    free(o->vertex);
    free(o->guest);
    o->vertex = NULL;
    o->guest = NULL;
}

static int expect(struct work *w, int from, struct sl_merge_open *o)
{
    struct size size;
    sl_slab_receive(w->slab, &size, 1, sizeof size, from);
    *o = (struct sl_merge_open){.z0 = top(w)->out.z1,
                                .z1 = size.z1,
                                .low = true,
                                .high = size.high,
                                .nvertex = size.nvertex,
                                .nguest = size.nguest};
    o->vertex = malloc(((size_t)o->nvertex + 1) * sizeof *o->vertex);
    o->guest = malloc(((size_t)o->nguest + 1) * sizeof *o->guest);
    SL_CHECK(o->vertex && o->guest, SL_EMEM, "out of memory for a tree of %d vertices", o->nvertex);
    return SL_OK;
}

static int take(struct work *w, int from, struct sl_merge_open *high)
{
    struct sl_merge_open *low = &top(w)->out;
    sl_slab_receive(w->slab, high->vertex, high->nvertex, sizeof *high->vertex, from);
    sl_slab_receive(w->slab, high->guest, high->nguest, sizeof *high->guest, from);
    bool whole = low->z0 == 0 && high->z1 == w->slab->n[2];
    struct sl_merge_stage *stage = &w->stage[w->nstage++];
    stage->rule = w->rule;
    return sl_merge_stage_join(low, high, w->slab->n[0] * w->slab->n[1], whole, stage);
}

/* The rank that a rank of those with planes exchanges with in a round of pieces of `step` ranks,
 * -1: none; *gives: its piece goes there. */
static int partner(const struct work *w, int step, bool *gives)
{
    bool has = w->slab->nz > 0 && w->place % step == 0;
    *gives = has && w->place % (2 * step) == step;
    if (*gives) return w->rank[w->place - step];
    return has && w->place + step < w->nrank ? w->rank[w->place + step] : -1;
}

static int join_pieces(struct work *w, int step)
{
    bool gives;
    int other = partner(w, step, &gives), code = SL_OK;
    struct sl_merge_open high = {.nvertex = 0};
    if (other >= 0) code = gives ? offer(w, other) : expect(w, other, &high);
    code = sl_agree(w->slab->comm, code);
    if (code == SL_OK && other >= 0 && gives) give(w, other);
    if (code == SL_OK && other >= 0 && !gives) code = take(w, other, &high);
    free(high.vertex);
    free(high.guest);
    return sl_agree(w->slab->comm, code);
}

/* ---- regions ---- */

/* Those of all ranks. */
static int gather_links(struct work *w)
{
    struct sl_merge_link *own = NULL;
    void *all = NULL;
    int n = 0;
    for (int i = 0; i < w->nstage; i++)
        n += w->stage[i].nlink;
    own = malloc(((size_t)n + 1) * sizeof *own);
    SL_TRY(sl_agree(w->slab->comm, own ? SL_OK : SL_FAIL(SL_EMEM, "out of memory")));
    n = 0;
    for (int i = 0; i < w->nstage; i++)
        for (int k = 0; k < w->stage[i].nlink; k++)
            own[n++] = w->stage[i].link[k];
    int code = sl_slab_gather_all(w->slab, own, n, sizeof *own, &all, &w->names.n);
    free(own);
    w->names.link = all;
    SL_TRY(code);
    qsort(w->names.link, (size_t)w->names.n, sizeof *w->names.link, sl_merge_by_name);
    return SL_OK;
}

static int make_nodes(struct work *w, struct sl_merge *out)
{
    struct sl_merge_names *all = &w->names;
    size_t n = (size_t)all->n;
    all->parent = malloc((n + 1) * sizeof *all->parent);
    out->node = malloc((n + 1) * sizeof *out->node);
    SL_CHECK(all->parent && out->node, SL_EMEM, "out of memory for a tree of %zu regions", n);
    for (out->n = 0; out->n < all->n; out->n++) {
        const struct sl_merge_link *l = &all->link[out->n];
        all->parent[out->n] = sl_merge_number(all, l->parent);
        out->node[out->n] =
            (struct sl_merge_node){all->parent[out->n], l->parent.rho, l->child.rho};
    }
    return SL_OK;
}

/* Regions of all vertices, from the last pieces that were joined back to the own cells. step: of
 * the last round. */
static void settle(struct work *w, int step)
{
    if (w->slab->nz == 0) return;
    struct sl_merge_stage *stage = top(w);
    const int64_t *of = w->answer;
    for (; step > 0; step /= 2) {
        bool gives;
        int other = partner(w, step, &gives);
        if (other >= 0 && gives)
            sl_slab_receive(w->slab, w->answer, stage->out.nvertex, sizeof *of, other);
        if (other < 0 || gives) continue;
        sl_merge_part_settle(stage, &w->names, of);
        of = stage->label;
        int low = stage[-1].out.nvertex;
        sl_slab_send(w->slab, of + low, stage->n - low, sizeof *of, other);
        stage--;
    }
    sl_merge_part_settle(stage, &w->names, of);
}

static int make(struct work *w, struct sl_merge *out)
{
    int step = 1;
    SL_TRY(sl_agree(w->slab->comm, find_ranks(w)));
    SL_TRY(sl_agree(w->slab->comm, w->slab->nz > 0 ? own_cells(w) : SL_OK));
    for (; step < w->nrank; step *= 2)
        SL_TRY(join_pieces(w, step));
    SL_TRY(gather_links(w));
    SL_TRY(sl_agree(w->slab->comm, make_nodes(w, out)));
    settle(w, step / 2);
    out->label = w->stage[0].label;
    w->stage[0].label = NULL;
    return SL_OK;
}

int sl_merge_make(const struct sl_region_gas *gas, const struct sl_merge_rule *rule,
                  struct sl_merge *out)
{
    struct work w = {.slab = gas->slab, .gas = gas, .rule = rule};
    struct sl_merge result = {0, NULL, NULL};
    int code = make(&w, &result);
    for (int i = 0; i < w.nstage; i++)
        sl_merge_stage_release(&w.stage[i]);
    free(w.rank);
    free(w.answer);
    free(w.names.link);
    free(w.names.parent);
    if (code == SL_OK)
        *out = result;
    else
        sl_merge_release(&result);
    return code;
}

void sl_merge_release(struct sl_merge *merge)
{
    free(merge->node);
    free(merge->label);
    *merge = (struct sl_merge){0, NULL, NULL};
}
