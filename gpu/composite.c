/* composite.c - the potential of gas on levels on CUDA devices, host part: the calls of
 * core/gravity/backend.h, and what goes between ranks; see composite.h.
 *
 * On one rank nothing but sums leaves the device. Ranks exchange ghost cells, rings, means and
 * slopes by the messages of levels (gpu/messages.c), and the residual of the root grid, for which
 * each device finds the corrections by itself (gpu/gravity.c). */
#include "gpu/composite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/gravity/backend.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "gpu/cuda.h"

/* What a level has, behind its `device`. */
struct potential {
    struct sl_device_potential *on; /* owned */
    struct sl_sim *sim;             /* borrowed; of this level */
    struct sl_cuda_messages rings;  /* owned; the way back of cover */
};

static struct potential *of(const struct sl_potential_level *p)
{
    return p->device;
}

static struct device *device_of(const struct sl_potential_level *p)
{
    return sl_cuda_device(of(p)->sim);
}

/* ---- making ---------------------------------------------------------------------------------- */

static struct sl_sim *sim_of(struct sl_sim *root, int level)
{
    while (root->state.mesh->level != level)
        root = root->finer;
    return root;
}

/* Whether fields have no ghost cells: nobody else has cells beside those of this rank. Transforms
 * want the root grid as the gas has it. */
static bool is_bare(const struct sl_potential_level *p)
{
    return p->nest && p->mesh->size == 1;
}

/* edges, sides: of each block. */
static int device_make(struct sl_potential_level *p, unsigned char *edges, unsigned char *sides)
{
    const struct sl_mesh *m = p->mesh;
    struct sl_device_potential_spec spec = {
        .edges = edges, .sides = sides, .nest = p->nest, .ring_cells = p->ring_cells};
    spec.bare = is_bare(p);
    spec.covered = of(p)->sim->state.cfg->time_levels == SL_TIME_LEVELS_each;
    for (int b = 0; b < m->nblock && p->isolated; b++)
        for (int f = 0; f < 6; f++)
            sides[b] |= (unsigned char)((m->blocks[b].at_edge[f] ? 1u : 0u) << f);
    for (int d = 0; d < 3; d++)
        spec.h[d] = p->h[d], spec.per_h2[d] = p->per_h2[d], spec.ring_n[d] = p->ring_n[d];
    for (int d = 0; d < 3; d++)
        spec.cycle_h[d] = p->cycle_h[d], spec.cycle_per_h2[d] = p->cycle_per_h2[d];
    const char *text = sl_device_potential_new(device_of(p)->on, &spec, &of(p)->on);
    SL_CHECK(!text, SL_EMEM, "a device has no room for the potential of a level (%s)", text);
    return SL_OK;
}

static int fields_make(struct sl_potential_level *p)
{
    unsigned char *edges = NULL, *sides = NULL;
    int code = sl_potential_level_edges(p, &edges);
    if (code == SL_OK) code = sl_alloc("sides of blocks", (size_t)p->mesh->nblock + 1, 1, &sides);
    if (code == SL_OK) code = device_make(p, edges, sides);
    free(edges);
    free(sides);
    return code;
}

/* Of all messages of a level: made while ranks still agree on what fails. */
static int messages_room(const struct sl_potential_level *p)
{
    struct device *d = device_of(p);
    SL_TRY(sl_cuda_messages_room(d, &d->ghosts, 1));
    SL_TRY(sl_cuda_messages_room(d, &d->cover, 1));
    SL_TRY(sl_cuda_messages_room(d, &d->reflux, 1));
    return sl_cuda_messages_room(d, &of(p)->rings, 1);
}

static int open_level(void *root, struct sl_potential_level *p)
{
    struct potential *w;
    SL_TRY(sl_alloc("the potential of a level", 1, sizeof *w, &w));
    p->device = w;
    w->sim = sim_of(root, p->mesh->level);
    SL_TRY(fields_make(p));
    sl_real **field[SL_DEVICE_POTENTIAL_FIELDS] = {&p->phi, &p->rhs, &p->before};
    for (int i = 0; i < SL_DEVICE_POTENTIAL_FIELDS; i++)
        *field[i] = sl_device_potential_values(w->on, i);
    p->correction = sl_device_potential_cycle(w->on, 0);
    p->residual = sl_device_potential_cycle(w->on, 1);
    if (!p->nest) return SL_OK;
    SL_TRY(sl_cuda_messages_between(SL_CUDA_RINGS, &p->nest->cover_in, &p->nest->cover_out,
                                    sl_mesh_octant_cells(p->mesh), p->ring_cells, &w->rings));
    return messages_room(p);
}

static void close_level(struct sl_potential_level *p)
{
    struct potential *w = of(p);
    if (!w) return;
    sl_device_potential_free(w->on);
    sl_cuda_messages_release(&w->rings);
    free(w);
    p->device = NULL;
}

/* ---- one level ------------------------------------------------------------------------------- */

static int clear(struct sl_potential_level *p, sl_real *field)
{
    DEVICE(sl_device_potential_clear(of(p)->on, field));
    return SL_OK;
}

static int extrapolate(struct sl_potential_level *p, double ahead)
{
    DEVICE(sl_device_potential_extrapolate(of(p)->on, (sl_real)ahead));
    return SL_OK;
}

/* The rings hold the potential when it is shifted. */
static int shift(struct sl_potential_level *p, enum sl_potential_field f, double factor,
                 double mean)
{
    DEVICE(sl_device_potential_shift(of(p)->on, f == SL_POTENTIAL_PHI, factor, mean,
                                     sl_potential_values(p, f)));
    return SL_OK;
}

/* Ghost cells that other ranks have; all others are read where they lie. cycle: of a field of
 * cycles. */
static int fill_field(struct sl_potential_level *p, enum sl_potential_edge edge, bool cycle,
                      void *field)
{
    struct device *d = device_of(p);
    sl_device_potential_edge(of(p)->on, edge == SL_POTENTIAL_EDGE_ZERO);
    if (d->ghosts.in.n + d->ghosts.out.n == 0) return SL_OK;
    SL_TRY(sl_cuda_messages_room(d, &d->ghosts, 1));
    DEVICE(cycle ? sl_device_pack_single(d->on, field) : sl_device_pack(d->on, 1, field));
    SL_TRY(sl_cuda_messages_exchange(of(p)->sim, &d->ghosts, 1));
    DEVICE(cycle ? sl_device_unpack_single(d->on, field) : sl_device_unpack(d->on, 1, field));
    return SL_OK;
}

static int fill(struct sl_potential_level *p, enum sl_potential_edge edge, bool across,
                enum sl_potential_field f)
{
    (void)across;
    return f == SL_POTENTIAL_PHI ? fill_field(p, edge, false, p->phi)
                                 : fill_field(p, edge, true, p->correction);
}

/* Half sweep i. */
static int sweep(struct sl_potential_level *p, int i, enum sl_potential_edge edge)
{
    SL_TRY(fill_field(p, edge, true, p->correction));
    DEVICE(sl_device_potential_sweep(of(p)->on, i % 2));
    return SL_OK;
}

/* The first sweep makes the cells of its first half anew beyond the blocks of other ranks. */
static int relax(struct sl_potential_level *p, int sweeps)
{
    SL_TRY(fill_field(p, SL_POTENTIAL_EDGE_ZERO, true, p->residual));
    DEVICE(sl_device_potential_start(of(p)->on));
    for (int i = 2; i < 2 * sweeps; i++)
        SL_TRY(sweep(p, i, SL_POTENTIAL_EDGE_ZERO));
    return SL_OK;
}

static int correct(struct sl_potential_level *p, int sweeps)
{
    for (int i = 0; i < 2 * sweeps - 1; i++)
        SL_TRY(sweep(p, i, SL_POTENTIAL_EDGE_RING));
    SL_TRY(fill_field(p, SL_POTENTIAL_EDGE_RING, true, p->correction));
    DEVICE(sl_device_potential_end(of(p)->on, of(p)->sim->finer != NULL, p->back));
    return SL_OK;
}

static int add_rings(struct sl_potential_level *p)
{
    sl_device_potential_edge(of(p)->on, 0);
    DEVICE(sl_device_potential_add_rings(of(p)->on));
    return SL_OK;
}

static int root(struct sl_potential_level *p)
{
    sl_real *wide;
    DEVICE(sl_device_potential_widen(of(p)->on, &wide));
    SL_TRY(sl_cuda_gravity_root(of(p)->sim, p->isolated, 1 / p->unit2, wide));
    DEVICE(sl_device_potential_apply(of(p)->on, p->back));
    return SL_OK;
}

/* ---- two levels ------------------------------------------------------------------------------ */

static int rings(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                 enum sl_potential_field f)
{
    struct potential *w = of(fine);
    const bool cycle = f == SL_POTENTIAL_CORRECTION;
    SL_TRY(sl_cuda_messages_room(device_of(fine), &w->rings, 1));
    DEVICE(sl_device_potential_rings(of(coarse)->on, w->on, cycle));
    SL_TRY(sl_cuda_messages_exchange(w->sim, &w->rings, 1));
    DEVICE(sl_device_potential_rings_take(w->on, cycle));
    return SL_OK;
}

/* Of phi, or of the remainder of a correction. */
static int means(struct sl_potential_level *coarse, struct sl_potential_level *fine, bool cycle)
{
    struct potential *w = of(fine);
    struct device *d = device_of(fine);
    SL_TRY(sl_cuda_messages_room(d, &d->cover, 1));
    DEVICE(cycle ? sl_device_potential_reduce(of(coarse)->on, w->on)
                 : sl_device_potential_cover(of(coarse)->on, w->on));
    SL_TRY(sl_cuda_messages_exchange(w->sim, &d->cover, 1));
    DEVICE(sl_device_potential_cover_take(of(coarse)->on, w->on, cycle));
    return SL_OK;
}

static int cover(struct sl_potential_level *coarse, struct sl_potential_level *fine)
{
    return means(coarse, fine, false);
}

static int match(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                 enum sl_device_match what)
{
    struct potential *w = of(fine);
    struct device *d = device_of(fine);
    SL_TRY(sl_cuda_messages_room(d, &d->reflux, 1));
    DEVICE(sl_device_potential_slopes(w->on, what == SL_DEVICE_MATCH_CORRECTION));
    SL_TRY(sl_cuda_messages_exchange(w->sim, &d->reflux, 1));
    DEVICE(sl_device_potential_match(of(coarse)->on, w->on, what, coarse->scale));
    return SL_OK;
}

static int residual(struct sl_potential_level *p, struct sl_potential_level *fine)
{
    DEVICE(sl_device_potential_residual(of(p)->on, p->scale));
    return fine ? match(p, fine, SL_DEVICE_MATCH_RESIDUAL) : SL_OK;
}

static int reduce(struct sl_potential_level *coarse, struct sl_potential_level *fine)
{
    SL_TRY(match(coarse, fine, SL_DEVICE_MATCH_CORRECTION));
    return means(coarse, fine, true);
}

static int pull(struct sl_potential_level *p, struct sl_potential_level *fine, sl_real *g,
                sl_real *bend)
{
    (void)g, (void)bend;
    const char *text = sl_device_potential_pull(of(p)->on);
    SL_TRY(sl_agree(p->mesh->comm, text ? SL_FAIL(SL_EUNAVAIL, "CUDA: %s", text) : SL_OK));
    return fine ? match(p, fine, SL_DEVICE_MATCH_PULL) : SL_OK;
}

/* ---- all levels ------------------------------------------------------------------------------ */

/* Handles and fields of n levels. */
struct lists {
    struct sl_device_potential *on[SL_LEVELS];
    const sl_real *field[SL_LEVELS];
};

static struct lists lists_of(struct sl_potential_level *p, int n, enum sl_potential_field f)
{
    struct lists a = {.on = {NULL}};
    for (int l = 0; l < n; l++)
        a.on[l] = of(&p[l])->on, a.field[l] = sl_potential_values(&p[l], f);
    return a;
}

static int largest(struct sl_potential_level *p, int n, enum sl_potential_field f, double *out)
{
    const struct lists a = lists_of(p, n, f);
    DEVICE(sl_device_potential_largest(a.on, n, f == SL_POTENTIAL_RESIDUAL, out));
    return SL_OK;
}

static int sums(struct sl_potential_level *p, int n, enum sl_potential_field f,
                enum sl_potential_field with, double (*out)[2])
{
    const struct lists a = lists_of(p, n, f), b = lists_of(p, n, with);
    DEVICE(sl_device_potential_sums(a.on, n, a.field, b.field, out));
    return SL_OK;
}

/* ---- the state ------------------------------------------------------------------------------- */

int sl_cuda_potential_density(struct sl_sim *s, struct sl_potential_level *p)
{
    DEVICE(sl_device_potential_density(of(p)->on, s->work->now, p->rhs));
    return SL_OK;
}

int sl_cuda_potential_density_between(struct sl_sim *s, struct sl_potential_level *p, double share)
{
    DEVICE(sl_device_potential_density_between(of(p)->on, (sl_real)share, s->work->next,
                                               s->work->now, p->rhs));
    return SL_OK;
}

const sl_real *sl_cuda_potential_pulled(const struct sl_potential_level *p)
{
    return sl_device_potential_pulled(of(p)->on);
}

int sl_cuda_potential_most(const struct sl_sim *s, const struct sl_potential_level *p,
                           double most[2])
{
    double per_h[3];
    for (int d = 0; d < 3; d++)
        per_h[d] = 1 / sl_mesh_cell_size(s->state.mesh, d, s->state.mesh->level);
    DEVICE(sl_device_potential_most(of(p)->on, per_h, most));
    return SL_OK;
}

int sl_cuda_potential_force(const struct sl_sim *s, const struct sl_potential_level *p,
                            double (*line)[3])
{
    DEVICE(sl_device_potential_force(of(p)->on, s->work->now, line));
    return SL_OK;
}

int sl_cuda_potential_push(struct sl_sim *s, const struct sl_potential_level *p,
                           const double push[3])
{
    DEVICE(sl_device_potential_push(of(p)->on, push, s->work->now));
    sl_step_changed(s);
    return SL_OK;
}

/* Of a field here. */
static size_t values_of(const struct sl_potential_level *p)
{
    const struct sl_mesh *m = p->mesh;
    if (!is_bare(p)) return sl_mesh_size(m, 1);
    return (size_t)m->nblock * (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
}

int sl_cuda_potential_fetch(const struct sl_potential_level *p, sl_real *out)
{
    const struct sl_mesh *m = p->mesh;
    sl_real *all = NULL;
    if (is_bare(p)) {
        DEVICE(sl_device_potential_fetch(of(p)->on, p->phi, values_of(p), out));
        return SL_OK;
    }
    SL_TRY(sl_alloc("the potential", values_of(p), sizeof *all, &all));
    const char *text = sl_device_potential_fetch(of(p)->on, p->phi, values_of(p), all);
    for (int b = 0; b < m->nblock && !text; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++, out += m->n[0])
                memcpy(out, all + sl_potential_at(m, b, k, j, 0), (size_t)m->n[0] * sizeof *out);
    free(all);
    DEVICE(text);
    return SL_OK;
}

/* ---- what is kept of a field ----------------------------------------------------------------- */

/* Between a field in memory of the host and the cells of the leaves without gaps. */
static void leaves_copy(const struct sl_potential_level *p, bool to, sl_real *leaf, sl_real *all)
{
    const struct sl_mesh *m = p->mesh;
    const size_t n = (size_t)m->n[0];
    sl_real *bare = all;
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++, leaf += n, bare += n) {
                sl_real *row = is_bare(p) ? bare : all + sl_potential_at(m, b, k, j, 0);
                memcpy(to ? row : leaf, to ? leaf : row, n * sizeof *row);
            }
}

/* Between the ghost cells beyond a side of an isolated box and what lies there, which processors
 * have behind a field. */
static void face_copy(const struct sl_mesh *m, int block, int face, bool to, sl_real *beyond,
                      sl_real *all)
{
    int axis = face / 2, t[2], c[3];
    sl_mesh_along(axis, t);
    c[axis] = face % 2 ? m->n[axis] : -1;
    for (c[t[1]] = 0; c[t[1]] < m->n[t[1]]; c[t[1]]++)
        for (c[t[0]] = 0; c[t[0]] < m->n[t[0]]; c[t[0]]++, beyond++) {
            sl_real *ghost = all + sl_potential_at(m, block, c[2], c[1], c[0]);
            if (to)
                *ghost = *beyond;
            else
                *beyond = *ghost;
        }
}

static void faces_copy(const struct sl_potential_level *p, bool to, sl_real *beyond, sl_real *all)
{
    for (int b = 0; b < p->mesh->nblock && beyond; b++)
        for (int f = 0; f < 6; f++, beyond += p->face_values)
            if (p->mesh->blocks[b].at_edge[f]) face_copy(p->mesh, b, f, to, beyond, all);
}

static int get(const struct sl_potential_level *p, const sl_real *field, sl_real *leaf,
               sl_real *beyond)
{
    sl_real *all = NULL;
    SL_TRY(sl_alloc("the potential", values_of(p) + 1, sizeof *all, &all));
    const char *text = sl_device_potential_fetch(of(p)->on, field, values_of(p), all);
    if (!text) leaves_copy(p, false, leaf, all);
    if (!text) faces_copy(p, false, beyond, all);
    free(all);
    DEVICE(text);
    return SL_OK;
}

static int set(struct sl_potential_level *p, const sl_real *leaf, const sl_real *beyond,
               sl_real *field)
{
    sl_real *all = NULL;
    SL_TRY(sl_alloc("the potential", values_of(p) + 1, sizeof *all, &all));
    leaves_copy(p, true, (sl_real *)(uintptr_t)leaf, all);
    faces_copy(p, true, (sl_real *)(uintptr_t)beyond, all);
    const char *text = sl_device_potential_put(of(p)->on, all, values_of(p), field);
    free(all);
    DEVICE(text);
    return SL_OK;
}

int sl_cuda_potential_kick(struct sl_sim *s, const struct sl_potential_level *p, bool covered,
                           double time)
{
    DEVICE(
        sl_device_potential_kick(of(p)->on, covered, (sl_real)time, s->work->now, s->work->kicked));
    sl_step_changed(s);
    return SL_OK;
}

int sl_cuda_potential_work(struct sl_sim *s, const struct sl_potential_level *p,
                           const struct sl_device_work *what)
{
    DEVICE(sl_device_potential_work(of(p)->on, what, s->work->now));
    return SL_OK;
}

const struct sl_potential_calls sl_potential_cuda = {.open = open_level,
                                                     .close = close_level,
                                                     .clear = clear,
                                                     .extrapolate = extrapolate,
                                                     .shift = shift,
                                                     .get = get,
                                                     .set = set,
                                                     .fill = fill,
                                                     .residual = residual,
                                                     .relax = relax,
                                                     .correct = correct,
                                                     .add_rings = add_rings,
                                                     .root = root,
                                                     .rings = rings,
                                                     .cover = cover,
                                                     .reduce = reduce,
                                                     .pull = pull,
                                                     .largest = largest,
                                                     .sums = sums};
