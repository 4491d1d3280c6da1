/* halo_group.c - see halo_group.h. */
#include "core/halo/halo_group.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/halo/deepest.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

enum { CENTRE_LEAST = 10, CENTRE_SHARE = 100, MEMBERS = 1 << 16, GROUPS = 16 };
#define SHRINK 0.9

/* ---- order ---- */

static int by_group(const void *a, const void *b)
{
    const struct sl_member *p = a, *q = b;
    if (p->group != q->group) return p->group < q->group ? -1 : 1;
    return (p->p.id > q->p.id) - (p->p.id < q->p.id);
}

/* A table of the names of groups, open addresses: 2^bits places. */
struct names {
    int bits;
    size_t *place; /* owned; 1 + number of the group, 0: free */
    uint64_t *name;
    size_t *end; /* owned, [groups]: members so far, then where they end */
    size_t n;
    const struct sl_member *from; /* borrowed */
    struct sl_member *to;         /* likewise, */
    uint32_t *number;             /* of the group of each of `from`; owned */
};

static size_t number_of(struct names *t, uint64_t name)
{
    size_t mask = ((size_t)1 << t->bits) - 1;
    size_t at = (size_t)(name * UINT64_C(0x9E3779B97F4A7C15) >> (64 - t->bits));
    while (t->place[at] && t->name[t->place[at] - 1] != name)
        at = (at + 1) & mask;
    if (!t->place[at]) {
        t->name[t->n] = name;
        t->place[at] = ++t->n;
    }
    return t->place[at] - 1;
}

static int move_some(void *of, size_t from, size_t end)
{
    const struct names *t = of;
    for (size_t i = from; i < end; i++)
        t->to[__atomic_fetch_add(&t->end[t->number[i]], 1, __ATOMIC_RELAXED)] = t->from[i];
    return SL_OK;
}

/* Neighbours are often of one group. */
static void number_all(struct names *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool same = i > 0 && t->from[i].group == t->from[i - 1].group;
        t->number[i] = same ? t->number[i - 1] : (uint32_t)number_of(t, t->from[i].group);
        t->end[t->number[i]]++;
    }
}

/* Members, fewer than 2^32, of each group beside each other; one thread keeps their order. */
static int bring_together(struct names *t, size_t n)
{
    size_t sum = 0;
    number_all(t, n);
    for (size_t g = 0; g < t->n; g++) {
        size_t count = t->end[g];
        t->end[g] = sum;
        sum += count;
    }
    return sl_threads_run(n, MEMBERS, move_some, t);
}

/* Of a file most come in the order of their ids, and stay as they are. */
static int sort_some(void *of, size_t first, size_t last)
{
    const struct names *t = of;
    for (size_t g = first; g < last; g++) {
        size_t from = g > 0 ? t->end[g - 1] : 0, end = t->end[g];
        bool sorted = true;
        for (size_t i = from + 1; i < end; i++)
            sorted &= t->to[i].p.id > t->to[i - 1].p.id;
        if (!sorted) qsort(t->to + from, end - from, sizeof *t->to, by_group);
    }
    return SL_OK;
}

int sl_members_sort(struct sl_member **member, size_t n)
{
    struct names t = {.bits = 4, .from = *member};
    while (((size_t)1 << t.bits) < 2 * n)
        t.bits++;
    int code = sl_alloc("names of groups", (size_t)1 << t.bits, sizeof *t.place, &t.place);
    if (code == SL_OK) code = sl_alloc("names of groups", n, sizeof *t.name, &t.name);
    if (code == SL_OK) code = sl_alloc("ends of groups", n, sizeof *t.end, &t.end);
    t.to = sl_alloc_large((n + 1) * sizeof *t.to);
    t.number = sl_alloc_large((n + 1) * sizeof *t.number);
    if (code == SL_OK && (!t.to || !t.number))
        code = SL_FAIL(SL_EMEM, "out of memory for %zu members of groups", n);
    if (code == SL_OK) code = bring_together(&t, n);
    if (code == SL_OK) code = sl_threads_run(t.n, GROUPS, sort_some, &t);
    if (code == SL_OK) {
        free(*member);
        *member = t.to;
        t.to = NULL;
    }
    free(t.to);
    free(t.number);
    free(t.place);
    free(t.name);
    free(t.end);
    return code;
}

/* ---- sums ---- */

/* Place of a member from the first one, in units of `side`. */
struct place {
    double x[3];
};

static void set_places(const struct sl_member *member, size_t n, const double side[3],
                       struct place *place)
{
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            place[i].x[d] = (int32_t)(member[i].p.x[d] - member[0].p.x[d]) * side[d] / SL_POINT_BOX;
}

static void mean_place(const struct place *place, size_t n, double mean[3])
{
    for (int d = 0; d < 3; d++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += place[i].x[d];
        mean[d] = sum / (double)n;
    }
}

static double apart2(const double a[3], const double b[3])
{
    double sum = 0;
    for (int d = 0; d < 3; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

/* Leaves the places within a distance of a centre, in their order. */
static size_t keep_near(struct place *place, size_t n, const double centre[3], double r)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (apart2(place[i].x, centre) <= r * r) place[kept++] = place[i];
    return kept;
}

/* The densest place; those of members are lost. */
static void shrink(struct place *place, size_t n, double centre[3])
{
    size_t least = n / CENTRE_SHARE > CENTRE_LEAST ? n / CENTRE_SHARE : CENTRE_LEAST;
    double far2 = 0;
    for (size_t i = 0; i < n; i++)
        far2 = fmax(far2, apart2(place[i].x, centre));
    for (double r = SHRINK * sqrt(far2); n > least && r > 0; r *= SHRINK) {
        size_t kept = keep_near(place, n, centre, r);
        if (kept < CENTRE_LEAST) return;
        n = kept;
        mean_place(place, n, centre);
    }
}

/* Eigenvalues of a symmetric matrix xx, yy, zz, xy, xz, yz, falling. */
static void eigenvalues(const double m[6], double out[3])
{
    double q = (m[0] + m[1] + m[2]) / 3, a = m[0] - q, b = m[1] - q, c = m[2] - q;
    double off = m[3] * m[3] + m[4] * m[4] + m[5] * m[5];
    double p = sqrt((a * a + b * b + c * c + 2 * off) / 6);
    double det = a * (b * c - m[5] * m[5]) - m[3] * (m[3] * c - m[5] * m[4]) +
                 m[4] * (m[3] * m[5] - b * m[4]);
    double angle = p > 0 ? acos(fmax(-1, fmin(1, det / (2 * p * p * p)))) / 3 : 0;
    out[0] = q + 2 * p * cos(angle);
    out[2] = q + 2 * p * cos(angle + 2 * acos(-1) / 3);
    out[1] = 3 * q - out[0] - out[2];
}

static void set_axes(const struct place *place, size_t n, const double mean[3], double axes[2])
{
    static const int of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double sum[6] = {0}, value[3];
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 6; k++)
            sum[k] +=
                (place[i].x[of[k][0]] - mean[of[k][0]]) * (place[i].x[of[k][1]] - mean[of[k][1]]);
    eigenvalues(sum, value);
    for (int k = 0; k < 2; k++)
        axes[k] = value[0] > 0 ? sqrt(fmax(0, value[1 + k]) / value[0]) : 0;
}

static void set_motion(const struct sl_member *member, size_t n, struct sl_halo *h)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += member[i].p.v[d];
        h->velocity[d] = sum / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            square += (member[i].p.v[d] - h->velocity[d]) * (member[i].p.v[d] - h->velocity[d]);
    h->dispersion = sqrt(square / (double)n);
}

/* A place from the first member as one in the box. */
static void place_in_box(const struct sl_point *first, const double x[3], const double side[3],
                         double out[3])
{
    for (int d = 0; d < 3; d++) {
        double part = first->x[d] / SL_POINT_BOX + x[d] / side[d];
        out[d] = fmin(part - floor(part), 1 - 0x1p-53) * side[d];
    }
}

int sl_group_describe(const struct sl_member *member, size_t n, const double side[3], double soft,
                      struct sl_halo *out)
{
    struct place *place = NULL;
    double x[3];
    size_t deepest = 0;
    SL_TRY(sl_alloc("places of members", n, sizeof *place, &place));
    memset(out, 0, sizeof *out);
    out->id = member[0].group;
    out->n = n;
    set_places(member, n, side, place);
    mean_place(place, n, x);
    place_in_box(&member[0].p, x, side, out->mean);
    set_axes(place, n, x, out->axes);
    set_motion(member, n, out);
    int code = sl_deepest((const double(*)[3])place, n, soft, &deepest);
    place_in_box(&member[0].p, place[deepest].x, side, out->potential);
    shrink(place, n, x);
    place_in_box(&member[0].p, x, side, out->centre);
    free(place);
    return code;
}
