/* spline.c - see spline.h. */
#include "core/cosmo/spline.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"

/* The tridiagonal system of the second derivatives, which are 0 at the ends. */
static void bend(struct sl_spline *s, double *work)
{
    const double *x = s->x, *y = s->y;
    s->bend[0] = work[0] = 0;
    for (int i = 1; i < s->n - 1; i++) {
        double sig = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1]), p = sig * s->bend[i - 1] + 2;
        double change =
            (y[i + 1] - y[i]) / (x[i + 1] - x[i]) - (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
        s->bend[i] = (sig - 1) / p;
        work[i] = (6 * change / (x[i + 1] - x[i - 1]) - sig * work[i - 1]) / p;
    }
    s->bend[s->n - 1] = 0;
    for (int i = s->n - 2; i > 0; i--)
        s->bend[i] = s->bend[i] * s->bend[i + 1] + work[i];
}

int sl_spline_init(int n, const double *x, const double *y, struct sl_spline *out)
{
    struct sl_spline s = {.n = n};
    size_t size = (size_t)n * sizeof(double);
    double *work = malloc(size);
    s.x = malloc(3 * size);
    if (!work || !s.x) {
        free(work);
        free(s.x);
        return SL_FAIL(SL_EMEM, "out of memory for %d points", n);
    }
    s.y = s.x + n;
    s.bend = s.y + n;
    memcpy(s.x, x, size);
    memcpy(s.y, y, size);
    bend(&s, work);
    free(work);
    *out = s;
    return SL_OK;
}

void sl_spline_release(struct sl_spline *s)
{
    free(s->x);
    *s = (struct sl_spline){0, NULL, NULL, NULL};
}

static int interval(const struct sl_spline *s, double x)
{
    int lo = 0, hi = s->n - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (s->x[mid] > x)
            hi = mid;
        else
            lo = mid;
    }
    return lo;
}

double sl_spline_at(const struct sl_spline *s, double x)
{
    int last = s->n - 1, i = interval(s, x);
    double h = s->x[i + 1] - s->x[i], step = (s->y[i + 1] - s->y[i]) / h;
    if (x < s->x[0]) return s->y[0] + (x - s->x[0]) * (step - h / 6 * s->bend[1]);
    if (x > s->x[last]) return s->y[last] + (x - s->x[last]) * (step + h / 6 * s->bend[last - 1]);
    double a = (s->x[i + 1] - x) / h, b = 1 - a;
    return a * s->y[i] + b * s->y[i + 1] +
           ((a * a * a - a) * s->bend[i] + (b * b * b - b) * s->bend[i + 1]) * h * h / 6;
}
