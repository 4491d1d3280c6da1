/* variance.c - see variance.h. */
#include "core/cosmo/variance.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

/* Radii from e^-7 to e^7 Mpc/h. */
enum {
    APART = 8, /* waves between two nodes */
    RADII = 7 * SL_SPHERE_PER_FOLD,
    POWER_FIRST = SL_SPHERE_FIRST - RADII, /* ln k of the first wave */
    POWER = SL_SPHERE_WAVES + 2 * RADII,
    NODES = 2 * RADII / APART,
    POINTS = 6
};

static double fold(int i)
{
    return exp((double)i / SL_SPHERE_PER_FOLD);
}

int sl_variance_init(struct sl_variance *out)
{
    struct sl_variance v = {.first = 0};
    int code = sl_alloc("a window", SL_SPHERE_WAVES, sizeof *v.window, &v.window);
    if (code == SL_OK) code = sl_alloc("power", POWER, sizeof *v.power, &v.power);
    if (code == SL_OK) code = sl_alloc("rms in spheres", NODES, sizeof *v.node, &v.node);
    if (code != SL_OK) return sl_variance_release(&v), code;
    for (int i = 0; i < SL_SPHERE_WAVES; i++) {
        double w = sl_power_sphere(fold(SL_SPHERE_FIRST + i));
        v.window[i] = w * w;
    }
    *out = v;
    return SL_OK;
}

void sl_variance_release(struct sl_variance *v)
{
    free(v->window);
    free(v->power);
    free(v->node);
    *v = (struct sl_variance){.first = 0};
}

static void need_power(struct sl_variance *v, const struct sl_power *p, int first, int end)
{
    if (v->first == v->end) v->first = v->end = first;
    while (v->first > first)
        v->first--, v->power[v->first] = sl_power_part(p, fold(POWER_FIRST + v->first));
    for (; v->end < end; v->end++)
        v->power[v->end] = sl_power_part(p, fold(POWER_FIRST + v->end));
}

/* Of the radius fold(n * APART - RADII). Sums side by side become vectors. */
static double node(struct sl_variance *v, const struct sl_power *p, int n)
{
    enum { LANES = 8 };
    double sum[LANES] = {0}, all = 0;
    int first = 2 * RADII - n * APART;
    if (v->node[n] != 0) return v->node[n];
    need_power(v, p, first, first + SL_SPHERE_WAVES);
    for (int i = 0; i < SL_SPHERE_WAVES; i += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += v->power[first + i + l] * v->window[i + l];
    for (int l = 0; l < LANES; l++)
        all += sum[l];
    return v->node[n] = 0.5 * log(all);
}

/* Lagrange's polynomial. */
double sl_variance_sigma(struct sl_variance *v, const struct sl_power *p, double radius)
{
    double x = (log(radius) * SL_SPHERE_PER_FOLD + RADII) / APART, sum = 0;
    int first = (int)floor(x) - POINTS / 2 + 1;
    if (!(x >= POINTS && x <= NODES - POINTS)) return sl_power_sigma(p, radius);
    for (int i = 0; i < POINTS; i++) {
        double weight = 1;
        for (int j = 0; j < POINTS; j++)
            if (j != i) weight *= (x - first - j) / (i - j);
        sum += weight * node(v, p, first + i);
    }
    return exp(sum);
}
