/* bispectrum.c - see bispectrum.h. */
#include "core/measure/bispectrum.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { SHORT, LONG, UNIT_LONG, ROOM, FIELDS };
enum { EQUILATERAL, SQUEEZED, KINDS };

struct bispectrum {
    const struct sl_slab *slab;
    const struct sl_windowed *a;
    double *field[FIELDS]; /* owned */
    double *part;          /* owned, [nz][KINDS] */
    double sum[KINDS];     /* over all cells */
};

int sl_bispectrum_shells(const struct sl_slab *slab)
{
    int shells = sl_spectrum_shells(slab);
    return (4 * shells - 3) / 6 > 0 ? (4 * shells - 3) / 6 : 0;
}

void sl_bispectrum_release(struct sl_bispectrum *b)
{
    free(b->equilateral);
    free(b->squeezed);
}

static int make_room(struct bispectrum *w, struct sl_bispectrum *out)
{
    size_t cells = sl_slab_cells(w->slab) + 1, n = (size_t)out->nshell + 1;
    for (int i = 0; i < FIELDS; i++)
        SL_TRY(sl_alloc("a field of waves", cells, sizeof(double), &w->field[i]));
    SL_TRY(sl_alloc("sums of planes", KINDS * (size_t)w->slab->nz + 1, sizeof *w->part, &w->part));
    SL_TRY(sl_alloc("triangles", n, sizeof *out->equilateral, &out->equilateral));
    return sl_alloc("triangles", n, sizeof *out->squeezed, &out->squeezed);
}

/* All waves with an amplitude of 1: the first cell alone. */
static void set_unit(const struct bispectrum *w)
{
    const struct sl_slab *s = w->slab;
    memset(w->field[ROOM], 0, sl_slab_cells(s) * sizeof(double));
    if (s->z0 == 0 && s->nz > 0) w->field[ROOM][0] = (double)s->n[0] * s->n[1] * s->n[2];
}

/* The waves of shells first .. last of the field, or of all with an amplitude of 1. */
static int filter(const struct bispectrum *w, bool unit, int first, int last, double *out)
{
    const struct sl_windowed ones = {w->field[ROOM], 0, false};
    double *const room[1] = {w->field[ROOM]};
    if (unit) set_unit(w);
    return sl_spectrum_filter(w->slab, unit ? &ones : w->a, first, last, room, out);
}

/* Means over the cells of the products of three fields. */
static int multiply(struct bispectrum *w, const double *longer)
{
    const struct sl_slab *s = w->slab;
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    const double *a = w->field[SHORT];
    for (int k = 0; k < s->nz; k++, a += plane, longer += plane) {
        double sum[KINDS] = {0};
        for (size_t i = 0; i < plane; i++) {
            sum[EQUILATERAL] += a[i] * a[i] * a[i];
            sum[SQUEEZED] += a[i] * a[i] * longer[i];
        }
        for (int t = 0; t < KINDS; t++)
            w->part[k * KINDS + t] = sum[t] / ((double)plane * s->n[2]);
    }
    return sl_slab_sum(s, KINDS, w->part, w->sum);
}

/* The long side's power: the mean over the modes of its shells. */
static double long_power(const double *power, const double *modes)
{
    double sum = 0, n = 0;
    for (int i = 0; i < SL_BISPECTRUM_LONG; i++) {
        sum += modes[i] * power[i];
        n += modes[i];
    }
    return sum / n;
}

static int take_shell(struct bispectrum *w, int shell, double p, double longer,
                      const struct sl_bispectrum *out)
{
    struct sl_triangles *e = &out->equilateral[shell - 1], *q = &out->squeezed[shell - 1];
    SL_TRY(filter(w, false, shell, shell, w->field[SHORT]));
    SL_TRY(multiply(w, w->field[LONG]));
    e->mean = w->sum[EQUILATERAL];
    q->mean = w->sum[SQUEEZED];
    SL_TRY(filter(w, true, shell, shell, w->field[SHORT]));
    SL_TRY(multiply(w, w->field[UNIT_LONG]));
    /* whole numbers, but for the rounding of transforms */
    e->number = (double)(int64_t)(w->sum[EQUILATERAL] + 0.5);
    q->number = (double)(int64_t)(w->sum[SQUEEZED] + 0.5);
    e->mean = e->number > 0 ? e->mean / e->number : 0;
    q->mean = q->number > 0 ? q->mean / q->number : 0;
    e->reduced = e->mean / (3 * p * p);
    q->reduced = q->mean / (p * p + 2 * p * longer);
    return SL_OK;
}

static int take_all(struct bispectrum *w, const double *power, const double *modes,
                    const struct sl_bispectrum *out)
{
    SL_TRY(filter(w, false, 1, SL_BISPECTRUM_LONG, w->field[LONG]));
    SL_TRY(filter(w, true, 1, SL_BISPECTRUM_LONG, w->field[UNIT_LONG]));
    for (int i = 1; i <= out->nshell; i++)
        SL_TRY(take_shell(w, i, power[i - 1], long_power(power, modes), out));
    return SL_OK;
}

int sl_bispectrum_make(const struct sl_slab *slab, const struct sl_windowed *a, const double *power,
                       const double *modes, struct sl_bispectrum *out)
{
    struct bispectrum w = {.slab = slab, .a = a};
    *out = (struct sl_bispectrum){.nshell = sl_bispectrum_shells(slab)};
    int code = sl_agree(slab->comm, make_room(&w, out));
    if (code == SL_OK) code = take_all(&w, power, modes, out);
    for (int i = 0; i < FIELDS; i++)
        free(w.field[i]);
    free(w.part);
    if (code != SL_OK) sl_bispectrum_release(out);
    return code;
}
