/* regions.c - see regions.h. */
#include "core/clump/regions.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

static void add_cell(const struct sl_region_gas *g, int64_t i, struct sl_region_sums *p)
{
    const struct sl_slab *s = g->slab;
    int64_t n0 = s->n[0], n1 = s->n[1], at[3] = {i % n0, i / n0 % n1, i / (n0 * n1) + s->z0};
    double rho = g->rho[i];
    p->sum[SL_REGION_CELLS] += 1;
    p->sum[SL_REGION_MASS] += rho;
    p->peak = fmax(p->peak, rho);
    for (int d = 0; d < 3; d++) {
        double v = g->v[d][i], share = (at[d] + 0.5) / s->n[d], angle = 2 * acos(-1) * share;
        p->sum[SL_REGION_MOMENTUM + d] += rho * v;
        p->sum[SL_REGION_SQUARE] += rho * v * v;
        p->sum[SL_REGION_CIRCLE + 2 * d] += rho * (g->periodic[d] ? cos(angle) : share);
        p->sum[SL_REGION_CIRCLE + 2 * d + 1] += g->periodic[d] ? rho * sin(angle) : 0;
    }
}

void sl_region_add(struct sl_region_sums *sums, const struct sl_region_sums *more)
{
    for (int q = 0; q < SL_REGION_SUMS; q++)
        sums->sum[q] += more->sum[q];
    sums->peak = fmax(sums->peak, more->peak);
}

/* ---- pieces: what one plane adds to one region ---- */

struct place {
    int64_t label, cell;
};

static int by_label(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->label != y->label ? (x->label > y->label) - (x->label < y->label)
                                : (x->cell > y->cell) - (x->cell < y->cell);
}

/* The pieces of plane k; list has room for a plane, piece for all of them. */
static int plane_pieces(const struct sl_region_gas *g, const int64_t *label, int k,
                        struct place *list, struct sl_region_sums *piece)
{
    int64_t plane = (int64_t)g->slab->n[0] * g->slab->n[1];
    int n = 0, count = 0;
    for (int64_t i = k * plane; i < (k + 1) * plane; i++)
        if (label[i] >= 0) list[n++] = (struct place){label[i], i};
    qsort(list, (size_t)n, sizeof *list, by_label);
    for (int i = 0; i < n; i++) {
        if (i == 0 || list[i].label != list[i - 1].label)
            piece[count++] =
                (struct sl_region_sums){.label = list[i].label, .plane = g->slab->z0 + k};
        add_cell(g, list[i].cell, &piece[count - 1]);
    }
    return count;
}

static int own_pieces(const struct sl_region_gas *g, const int64_t *label,
                      struct sl_region_sums **own, int *n)
{
    size_t plane = (size_t)g->slab->n[0] * (size_t)g->slab->n[1], room = plane;
    struct place *list = malloc((plane + 1) * sizeof *list);
    *own = malloc((room + 1) * sizeof **own);
    int code = list && *own ? SL_OK : SL_FAIL(SL_EMEM, "out of memory");
    for (int k = 0; k < g->slab->nz && code == SL_OK; k++) {
        if ((size_t)*n + plane > room) {
            struct sl_region_sums *more = realloc(*own, (room = 2 * room + plane) * sizeof **own);
            if (!more) code = SL_FAIL(SL_EMEM, "out of memory for regions");
            if (more) *own = more;
        }
        if (code == SL_OK) *n += plane_pieces(g, label, k, list, *own + *n);
    }
    free(list);
    return code;
}

/* ---- regions ---- */

static int by_plane(const void *a, const void *b)
{
    const struct sl_region_sums *x = a, *y = b;
    return x->label != y->label ? (x->label > y->label) - (x->label < y->label)
                                : (x->plane > y->plane) - (x->plane < y->plane);
}

/* Adds sums of regions to those of planes before, both by rising label; all of a label in the order
 * of its planes. */
static void add_pieces(const struct sl_regions *before, const struct sl_region_sums *piece, int n,
                       struct sl_regions *out)
{
    struct sl_region_sums *to = out->sums;
    for (int i = 0, k = 0; i < before->n || k < n;) {
        if (i < before->n && (k == n || before->sums[i].label <= piece[k].label))
            to[out->n++] = before->sums[i++];
        else
            to[out->n++] = piece[k++];
        for (; k < n && piece[k].label == to[out->n - 1].label; k++)
            sl_region_add(&to[out->n - 1], &piece[k]);
    }
}

static int allocate(int64_t n, struct sl_regions *out)
{
    bool fits = n >= 0 && n < INT32_MAX;
    out->sums = fits ? malloc(((size_t)n + 1) * sizeof *out->sums) : NULL;
    return out->sums ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for %lld regions", (long long)n);
}

/* The regions of the planes of the ranks before, once there is room; a negative number says that
 * one of them failed. */
static int receive_before(const struct sl_slab *s, struct sl_regions *before)
{
    int n = 0;
    if (s->rank == 0) return allocate(0, before);
    sl_slab_receive(s, &n, 1, sizeof n, s->rank - 1);
    int code = allocate(n, before), ready = code == SL_OK;
    if (n >= 0) sl_slab_send(s, &ready, 1, sizeof ready, s->rank - 1);
    if (!ready) return code;
    before->n = n;
    sl_slab_receive(s, before->sums, n, sizeof *before->sums, s->rank - 1);
    return SL_OK;
}

static void send_on(const struct sl_slab *s, const struct sl_regions *regions, int code)
{
    int n = code == SL_OK ? regions->n : -1, ready = 0;
    if (s->rank == s->size - 1) return;
    sl_slab_send(s, &n, 1, sizeof n, s->rank + 1);
    if (n >= 0) sl_slab_receive(s, &ready, 1, sizeof ready, s->rank + 1);
    if (ready) sl_slab_send(s, regions->sums, n, sizeof *regions->sums, s->rank + 1);
}

/* From rank to rank each adds its planes; the last has all of them. Takes the own pieces. */
static int pass_on(const struct sl_slab *s, struct sl_region_sums *own, int n,
                   struct sl_regions *out)
{
    struct sl_regions before = {0, NULL};
    int code = receive_before(s, &before);
    if (code == SL_OK) code = allocate((int64_t)before.n + n, out);
    if (code == SL_OK) add_pieces(&before, own, n, out);
    send_on(s, out, code);
    free(own);
    sl_regions_release(&before);
    return sl_agree(s->comm, code);
}

/* All regions from the last rank to every other. */
static int share(const struct sl_slab *s, struct sl_regions *regions)
{
    int last = s->size - 1;
    if (s->rank < last) sl_regions_release(regions);
    sl_slab_share(s, &regions->n, 1, sizeof regions->n, last);
    SL_TRY(sl_agree(s->comm, s->rank < last ? allocate(regions->n, regions) : SL_OK));
    sl_slab_share(s, regions->sums, regions->n, sizeof *regions->sums, last);
    return SL_OK;
}

int sl_regions_make(const struct sl_region_gas *g, const int64_t *label, struct sl_regions *out)
{
    struct sl_region_sums *own = NULL;
    struct sl_regions result = {0, NULL};
    int n = 0, code = sl_agree(g->slab->comm, own_pieces(g, label, &own, &n));
    if (code == SL_OK) {
        if (n > 0) qsort(own, (size_t)n, sizeof *own, by_plane);
        code = pass_on(g->slab, own, n, &result);
    } else
        free(own);
    if (code == SL_OK) code = share(g->slab, &result);
    if (code == SL_OK)
        *out = result;
    else
        sl_regions_release(&result);
    return code;
}

void sl_regions_release(struct sl_regions *regions)
{
    free(regions->sums);
    *regions = (struct sl_regions){0, NULL};
}

struct sl_region sl_region_of(const struct sl_region_gas *g, const struct sl_region_sums *p)
{
    const struct sl_slab *s = g->slab;
    double cell = 1, mass = p->sum[SL_REGION_MASS], square = 0;
    struct sl_region r = {.label = p->label, .peak = p->peak};
    for (int d = 0; d < s->dim; d++)
        cell *= s->length[d] / s->n[d];
    for (int d = 0; d < 3; d++) {
        double a = p->sum[SL_REGION_CIRCLE + 2 * d], b = p->sum[SL_REGION_CIRCLE + 2 * d + 1],
               pi = acos(-1);
        double share = g->periodic[d] ? atan2(-b, -a) / (2 * pi) + 0.5 : a / mass;
        r.centre[d] = share * s->length[d];
        r.velocity[d] = p->sum[SL_REGION_MOMENTUM + d] / mass;
        square += r.velocity[d] * r.velocity[d];
    }
    r.mass = mass * cell;
    r.volume = p->sum[SL_REGION_CELLS] * cell;
    r.dispersion = sqrt(fmax(p->sum[SL_REGION_SQUARE] / mass - square, 0));
    return r;
}
