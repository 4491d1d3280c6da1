/* cooling_layer.c - see cooling_layer.h. */
#include "core/exact/cooling_layer.h"

#include <math.h>

#include "core/sys/status.h"

enum { NODES = 8, LAST = SL_COOLING_LAYER_PANELS, ROUNDS = 8 };

/* -dd / du */
static double stretch(const struct sl_cooling_layer *l, double u)
{
    double g = l->gamma, rho = l->mass / u, t = (l->push - l->mass * u) / rho;
    double flux = (g * l->push - (g + 1) * l->mass * u) / (g - 1); /* of energy, by u */
    return flux / (rho * rho * l->rate * pow(t / l->unit, l->slope));
}

/* Adds the integrals of 1, rho and u along d while the velocity falls from one to another. */
static void integrate(const struct sl_cooling_layer *l, double from, double to, double sum[3])
{
    for (int i = 0; i < l->gauss.n; i++) {
        double u = from + (to - from) * l->gauss.x[i];
        double part = l->gauss.w[i] * (from - to) * stretch(l, u);
        sum[0] += part;
        sum[1] += part * l->mass / u;
        sum[2] += part * u;
    }
}

/* The velocity, below that of isothermal sound, at which the gas has a temperature. */
static double velocity_of(const struct sl_cooling_layer *l, double t)
{
    double root = sqrt(l->push * l->push - 4 * l->mass * l->mass * t);
    return 2 * l->mass * t / (l->push + root);
}

int sl_cooling_layer_solve(struct sl_cooling_layer *l)
{
    double g = l->gamma, mach2 = l->u * l->u / (g * l->temperature);
    SL_CHECK(l->rho > 0 && l->temperature > 0 && l->rate > 0, SL_EINPUT,
             "density %g, temperature %g and cooling %g of a radiative shock must be above 0",
             l->rho, l->temperature, l->rate);
    SL_CHECK(mach2 > 1, SL_EINPUT, "gas ahead of a radiative shock moves with Mach %g, not above 1",
             sqrt(mach2));
    l->mass = l->rho * l->u;
    l->push = l->mass * l->u + l->rho * l->temperature;
    double first = l->u * (g - 1 + 2 / mach2) / (g + 1), last = velocity_of(l, l->temperature);
    l->behind = first * (l->push / l->mass - first);
    sl_gauss_init(&l->gauss, NODES);
    l->panel[0] = first;
    for (int v = 0; v < 3; v++)
        l->sum[0][v] = 0;
    for (int k = 1; k <= LAST; k++) {
        l->panel[k] = k < LAST ? first * pow(last / first, (double)k / LAST) : last;
        for (int v = 0; v < 3; v++)
            l->sum[k][v] = l->sum[k - 1][v];
        integrate(l, l->panel[k - 1], l->panel[k], l->sum[k]);
    }
    SL_CHECK(isfinite(l->sum[LAST][0]) && l->sum[LAST][0] > 0, SL_EINPUT,
             "a radiative shock with cooling %g (T / %g)^%g has a layer of length %g", l->rate,
             l->unit, l->slope, l->sum[LAST][0]);
    return SL_OK;
}

/* Integrals from the shock to d, and the velocity there. */
static double reach(const struct sl_cooling_layer *l, double d, double sum[3])
{
    int low = 0, high = LAST;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(l->sum[middle][0] <= d ? &low : &high) = middle;
    }
    double u = l->panel[low];
    for (int round = 0; round <= ROUNDS; round++) {
        for (int v = 0; v < 3; v++)
            sum[v] = l->sum[low][v];
        integrate(l, l->panel[low], u, sum);
        if (round == ROUNDS) break;
        u -= (d - sum[0]) / stretch(l, u);
        u = fmin(fmax(u, l->panel[high]), l->panel[low]);
    }
    return u;
}

/* The same on both sides of the layer, too. */
static double to_distance(const struct sl_cooling_layer *l, double d, double sum[3])
{
    double all = l->sum[LAST][0], u = d <= 0 ? l->u : l->panel[LAST];
    if (d > 0 && d < all) return reach(l, d, sum);
    double base = d <= 0 ? 0 : all;
    for (int v = 0; v < 3; v++)
        sum[v] = d <= 0 ? 0 : l->sum[LAST][v];
    sum[0] += d - base;
    sum[1] += (d - base) * l->mass / u;
    sum[2] += (d - base) * u;
    return u;
}

double sl_cooling_layer_velocity(const struct sl_cooling_layer *l, double d)
{
    double unused[3];
    return to_distance(l, d, unused);
}

double sl_cooling_layer_distance(const struct sl_cooling_layer *l, double temperature)
{
    double u = velocity_of(l, temperature);
    int k = 0;
    while (k < LAST - 1 && l->panel[k + 1] > u)
        k++;
    double sum[3] = {l->sum[k][0]};
    integrate(l, l->panel[k], u, sum);
    return sum[0];
}

/* Gas on one side of the layer: its pressure is too small a part of P to be found from it. */
static void uniform(const struct sl_cooling_layer *l, double u, double out[3])
{
    out[0] = l->mass / u;
    out[1] = u;
    out[2] = out[0] * l->temperature;
}

/* The energy, P / (gamma - 1) + (1/2 - 1 / (gamma - 1)) m u, is linear in the velocity, ahead of
 * the shock, too. */
void sl_cooling_layer_average(const struct sl_cooling_layer *l, double from, double to,
                              double out[3])
{
    double a[3], b[3], heat = 1 / (l->gamma - 1);
    if (to <= 0 || from >= l->sum[LAST][0]) {
        uniform(l, sl_cooling_layer_velocity(l, from), out);
        return;
    }
    double u = to_distance(l, from, a), v = to_distance(l, to, b);
    double width = b[0] - a[0], equal = u == v;
    double rho = equal ? l->mass / u : (b[1] - a[1]) / width;
    double mean = equal ? u : (b[2] - a[2]) / width;
    double energy = heat * l->push + (0.5 - heat) * l->mass * mean;
    out[0] = rho;
    out[1] = l->mass / rho;
    out[2] = (energy - 0.5 * l->mass * out[1]) / heat;
}
