/* halo_bias.c - see halo_bias.h. */
#include "core/halo/halo_bias.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/bias_grid.h"
#include "core/measure/deposit.h"
#include "core/measure/spectrum.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

struct work {
    const struct sl_slab *slab;
    int order;
    double *x[3];          /* owned, [room] */
    double *matter, *halo; /* owned, contrasts */
    double own;            /* of matter with itself, summed over the modes */
};

static int allocate(struct work *w, size_t particles, size_t haloes)
{
    size_t room = particles > haloes ? particles : haloes, cells = sl_slab_cells(w->slab) + 1;
    for (int d = 0; d < 3; d++)
        w->x[d] = sl_alloc_large((room + 1) * sizeof(double));
    SL_CHECK(w->x[0] && w->x[1] && w->x[2], SL_EMEM, "out of memory for %zu positions", room);
    SL_TRY(sl_alloc("density of particles", cells, sizeof(double), &w->matter));
    return sl_alloc("density of haloes", cells, sizeof(double), &w->halo);
}

static int deposit(const struct work *w, size_t n, double *contrast)
{
    double total;
    return sl_deposit_make(w->slab, w->order, n, (const double *const *)w->x, contrast, &total);
}

/* The last shell that is taken. */
static int last_shell(const struct sl_slab *s)
{
    int shells = sl_bias_shells(s->length), there = sl_spectrum_shells(s);
    return shells < there ? shells : there;
}

/* The product of two contrasts summed over the modes; *modes: their number. */
static int product(const struct work *w, const double *a, const double *b, double *sum,
                   double *modes)
{
    const struct sl_windowed wa = {a, w->order, false}, wb = {b, w->order, false};
    struct sl_shells s;
    SL_TRY(sl_spectrum_pair(w->slab, &wa, &wb, NULL, NULL, &s));
    *sum = *modes = 0;
    for (int i = 1; i <= last_shell(w->slab); i++) {
        *sum += sl_spectrum_at(&s, i, SL_PAIR_CORRECTED);
        *modes += sl_spectrum_at(&s, i, SL_SPECTRUM_MODES);
    }
    sl_spectrum_release(&s);
    return SL_OK;
}

static struct sl_slab coarse_of(const struct sl_slab *s)
{
    struct sl_slab coarse;
    int n[3] = {s->n[0], s->n[1], s->n[2]};
    sl_bias_grid(n, s->length);
    sl_slab_init(s->comm, s->dim, n, s->length, &coarse);
    coarse.device = s->device;
    return coarse;
}

static int class_of(const struct sl_halo *h)
{
    int c = SL_BIAS_CLASSES - 1;
    while (c > 0 && (double)h->n < sl_halo_stack_least(c - 1))
        c--;
    return c;
}

/* This rank's part of the haloes of a class into w->x; how many there are goes to *out. */
static size_t gather(const struct work *w, const struct sl_haloes *list, int class,
                     struct sl_halo_bias *out)
{
    size_t own = 0;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < list->n; i++) {
        const struct sl_halo *h = &list->halo[i];
        if (class_of(h) != class) continue;
        for (int d = 0; out->n % w->slab->size == w->slab->rank && d < 3; d++)
            w->x[d][own] = h->centre[d] / w->slab->length[d];
        own += out->n % w->slab->size == w->slab->rank;
        out->mean += (double)h->n;
        out->n++;
    }
    if (out->n > 0) out->mean /= out->n;
    return own;
}

static int measure(const struct work *w, const struct sl_haloes *list, int class,
                   struct sl_halo_bias *out)
{
    double cross, own, modes;
    size_t n = gather(w, list, class, out);
    if (out->n == 0) return SL_OK;
    SL_TRY(deposit(w, n, w->halo));
    SL_TRY(product(w, w->halo, w->matter, &cross, &modes));
    SL_TRY(product(w, w->halo, w->halo, &own, &modes));
    if (!(w->own > 0)) return SL_OK;
    out->bias = cross / w->own;
    out->error = sqrt(fmax(0, own - out->bias * cross) / (modes * w->own));
    return SL_OK;
}

enum { PIECE = 1 << 12 };
struct placer {
    double *const *x;
    const struct sl_point *point;
};

static int place_some(void *of, size_t from, size_t end)
{
    const struct placer *p = of;
    for (size_t i = from; i < end; i++)
        for (int d = 0; d < 3; d++)
            p->x[d][i] = p->point[i].x[d] / SL_POINT_BOX;
    return SL_OK;
}

static int measure_all(struct work *w, const struct sl_points *p, const struct sl_haloes *list,
                       struct sl_halo_bias *out)
{
    double modes;
    struct placer placer = {w->x, p->point};
    SL_TRY(sl_threads_run(p->n, PIECE, place_some, &placer));
    SL_TRY(deposit(w, p->n, w->matter));
    SL_TRY(product(w, w->matter, w->matter, &w->own, &modes));
    for (int c = 0; c < SL_BIAS_CLASSES; c++)
        SL_TRY(measure(w, list, c, &out[c]));
    return SL_OK;
}

int sl_halo_bias_make(const struct sl_slab *slab, int order, const struct sl_points *points,
                      const struct sl_haloes *haloes, struct sl_halo_bias out[SL_BIAS_CLASSES])
{
    const struct sl_slab coarse = coarse_of(slab);
    struct work w = {.slab = &coarse, .order = order};
    int code = sl_agree(slab->comm, allocate(&w, points->n, (size_t)haloes->n));
    if (code == SL_OK) code = measure_all(&w, points, haloes, out);
    for (int d = 0; d < 3; d++)
        free(w.x[d]);
    free(w.matter);
    free(w.halo);
    return code;
}
