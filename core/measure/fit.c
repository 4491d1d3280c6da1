/* fit.c - see fit.h. */
#include "core/measure/fit.h"

#include <math.h>

#include "core/sys/status.h"

struct window {
    int n;
    const double *x, *y;
    double from, to;
};

bool sl_power_within(double x, double from, double to)
{
    const double alike = 1e-9;
    return x >= from - alike * fabs(from) && (x <= to || x <= to + alike * fabs(to));
}

static bool used(const struct window *w, int i)
{
    return sl_power_within(w->x[i], w->from, w->to) && w->x[i] > 0 && w->y[i] > 0;
}

static int means(const struct window *w, double *mx, double *my)
{
    int count = 0;
    *mx = *my = 0;
    for (int i = 0; i < w->n; i++) {
        if (!used(w, i)) continue;
        *mx += log(w->x[i]);
        *my += log(w->y[i]);
        count++;
    }
    if (count > 0) {
        *mx /= count;
        *my /= count;
    }
    return count;
}

int sl_power_fit(int n, const double *x, const double *y, double from, double to,
                 struct sl_power_law *out)
{
    const struct window w = {n, x, y, from, to};
    double mx, my, xx = 0, xy = 0, yy = 0;
    int count = means(&w, &mx, &my);
    SL_CHECK(count >= 3, SL_EINPUT, "too few points to fit a power law: %d", count);
    for (int i = 0; i < n; i++) {
        if (!used(&w, i)) continue;
        double dx = log(x[i]) - mx, dy = log(y[i]) - my;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    out->exponent = xy / xx;
    double about = fmax(yy - xy * xy / xx, 0);
    out->error = sqrt(about / (count - 2) / xx);
    out->scatter = sqrt(about / count);
    out->points = count;
    return SL_OK;
}
