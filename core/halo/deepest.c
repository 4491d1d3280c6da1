/* deepest.c - see deepest.h. */
#include "core/halo/deepest.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { SOURCES = 128, SHARE = 8 };

struct depth {
    double sum;
    size_t at;
};

static int by_depth(const void *a, const void *b)
{
    const struct depth *p = a, *q = b;
    if (p->sum != q->sum) return p->sum > q->sum ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

/* Minus the potential at a member, of every step-th one other than itself. */
static double depth_at(const double (*x)[3], size_t n, size_t step, double soft, size_t at)
{
    double sum = at % step == 0 ? -1 / soft : 0;
    for (size_t i = 0; i < n; i += step) {
        double a = x[i][0] - x[at][0], b = x[i][1] - x[at][1], c = x[i][2] - x[at][2];
        sum += 1 / sqrt(a * a + b * b + c * c + soft * soft);
    }
    return sum;
}

/* Puts the deepest of some members first. */
static void sort_deepest(const double (*x)[3], size_t n, size_t step, double soft,
                         struct depth *deep, size_t count)
{
    for (size_t i = 0; i < count; i++)
        deep[i].sum = depth_at(x, n, step, soft * cbrt((double)step), deep[i].at);
    qsort(deep, count, sizeof *deep, by_depth);
}

int sl_deepest(const double (*x)[3], size_t n, double soft, size_t *which)
{
    struct depth *deep = NULL;
    size_t step = 1, count = n;
    SL_TRY(sl_alloc("depths of members", n, sizeof *deep, &deep));
    for (size_t i = 0; i < n; i++)
        deep[i].at = i;
    while (n / step > SOURCES)
        step *= SHARE;
    for (; step > 1; step /= SHARE, count /= SHARE)
        sort_deepest(x, n, step, soft, deep, count);
    sort_deepest(x, n, 1, soft, deep, count);
    *which = deep[0].at;
    free(deep);
    return SL_OK;
}
