/* tube.c - see tube.h. */
#include "core/exact/tube.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/eos.h"
#include "core/sys/status.h"

enum { REGION_LEFT, LEFT_FAN, STAR_LEFT, STAR_RIGHT, RIGHT_FAN, REGION_RIGHT };
enum { NAVERAGE = 6, NBREAK = 16 };

static bool isothermal(const struct sl_tube *tube)
{
    return tube->eos == SL_EOS_isothermal;
}

static double sound(const struct sl_tube *tube, const struct sl_tube_state *s)
{
    return isothermal(tube) ? tube->cs : sqrt(tube->gamma * s->p / s->rho);
}

/* Change of velocity across the wave that joins s to the pressure p (Toro 4.6, 4.7). */
static double velocity_jump(const struct sl_tube *tube, const struct sl_tube_state *s, double p)
{
    double g = tube->gamma;
    if (isothermal(tube))
        return p > s->p ? tube->cs * (p - s->p) / sqrt(p * s->p) : tube->cs * log(p / s->p);
    if (p > s->p) {
        double a = 2 / ((g + 1) * s->rho), b = (g - 1) / (g + 1) * s->p;
        return (p - s->p) * sqrt(a / (p + b));
    }
    return 2 * sound(tube, s) / (g - 1) * expm1((g - 1) / (2 * g) * log(p / s->p));
}

/* Density behind that wave (Toro 4.50, 4.53). */
static double density_behind(const struct sl_tube *tube, const struct sl_tube_state *s, double p)
{
    double g = tube->gamma, q = (g - 1) / (g + 1), r = p / s->p;
    if (isothermal(tube)) return s->rho * r;
    return p > s->p ? s->rho * (r + q) / (q * r + 1) : s->rho * pow(r, 1 / g);
}

/* Velocities of head and tail of the wave into s, relative to the gas there, both counted away
 * from the contact: head = mach, tail = u_behind + c_behind. */
static void wave_speeds(const struct sl_tube *tube, const struct sl_tube_state *s, double toward,
                        double rho_behind, double *head, double *tail)
{
    double g = tube->gamma, c = sound(tube, s), r = tube->p / s->p;
    if (tube->p == s->p && tube->u == s->u) {
        *head = *tail = toward * DBL_MAX;
    } else if (tube->p > s->p) {
        double mach = isothermal(tube) ? sqrt(r) : sqrt((g + 1) / (2 * g) * r + (g - 1) / (2 * g));
        *head = *tail = s->u + toward * c * mach;
    } else {
        double behind = isothermal(tube) ? c : sqrt(g * tube->p / rho_behind);
        *head = s->u + toward * c;
        *tail = tube->u + toward * behind;
    }
}

static double mismatch(const struct sl_tube *tube, double p)
{
    return velocity_jump(tube, &tube->left, p) + velocity_jump(tube, &tube->right, p) +
           (tube->right.u - tube->left.u);
}

/* The pressure at which both waves give the same velocity: the mismatch grows with p. Bisection of
 * log p, since a tube may span hundreds of decades. */
static double star_pressure(const struct sl_tube *tube)
{
    double small = fmin(tube->left.p, tube->right.p), large = fmax(tube->left.p, tube->right.p);
    if (mismatch(tube, small) == 0) return small;
    if (mismatch(tube, large) == 0) return large;
    double lo = log(small), hi = log(large);
    for (double step = 1; mismatch(tube, exp(lo)) > 0 && lo > -700; step *= 2)
        lo = fmax(lo - step, -700);
    for (double step = 1; mismatch(tube, exp(hi)) < 0 && hi < 700; step *= 2)
        hi = fmin(hi + step, 700);
    for (int round = 0; round < 200 && lo < hi; round++) {
        double mid = 0.5 * (lo + hi);
        if (mid <= lo || mid >= hi) break;
        *(mismatch(tube, exp(mid)) > 0 ? &hi : &lo) = mid;
    }
    return exp(0.5 * (lo + hi));
}

static void solve_vacuum(struct sl_tube *tube, double cl, double cr)
{
    double reach = 2 / (tube->gamma - 1);
    tube->vacuum = true;
    tube->p = tube->rho_left = tube->rho_right = 0;
    tube->speed[0] = tube->left.u - cl;
    tube->speed[1] = tube->left.u + reach * cl;
    tube->speed[3] = tube->right.u - reach * cr;
    tube->speed[4] = tube->right.u + cr;
    tube->speed[2] = tube->u = 0.5 * (tube->speed[1] + tube->speed[3]);
}

int sl_tube_solve(struct sl_tube *tube)
{
    struct sl_tube_state *l = &tube->left, *r = &tube->right;
    if (isothermal(tube)) {
        l->p = l->rho * tube->cs * tube->cs;
        r->p = r->rho * tube->cs * tube->cs;
    }
    SL_CHECK(l->rho > 0 && l->p > 0, SL_EINPUT,
             "left state: density %g and pressure %g must be positive", l->rho, l->p);
    SL_CHECK(r->rho > 0 && r->p > 0, SL_EINPUT,
             "right state: density %g and pressure %g must be positive", r->rho, r->p);
    sl_gauss_init(&tube->gauss, 16);
    double cl = sound(tube, l), cr = sound(tube, r);
    if (!isothermal(tube) && 2 * (cl + cr) / (tube->gamma - 1) <= r->u - l->u) {
        solve_vacuum(tube, cl, cr);
        return SL_OK;
    }
    tube->vacuum = false;
    tube->p = star_pressure(tube);
    tube->u = l->u == r->u && l->p == r->p
                  ? l->u
                  : 0.5 * (l->u + r->u) +
                        0.5 * (velocity_jump(tube, r, tube->p) - velocity_jump(tube, l, tube->p));
    tube->rho_left = density_behind(tube, l, tube->p);
    tube->rho_right = density_behind(tube, r, tube->p);
    wave_speeds(tube, l, -1, tube->rho_left, &tube->speed[0], &tube->speed[1]);
    tube->speed[2] = tube->u;
    wave_speeds(tube, r, 1, tube->rho_right, &tube->speed[4], &tube->speed[3]);
    return SL_OK;
}

int sl_tube_aim(struct sl_tube *tube, const double normal[3])
{
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    SL_CHECK(length > 0, SL_EINPUT, "the normal of the diaphragm must not be zero");
    int big = 0;
    for (int i = 0; i < 3; i++) {
        tube->normal[i] = normal[i] / length;
        if (fabs(normal[i]) > fabs(normal[big])) big = i;
    }
    /* v: the next axis made orthogonal to the normal; w completes the frame */
    const double *n = tube->normal;
    double seed[3] = {0, 0, 0}, share = n[(big + 1) % 3], size = sqrt(1 - share * share);
    seed[(big + 1) % 3] = 1;
    for (int i = 0; i < 3; i++)
        tube->along[i] = (seed[i] - share * n[i]) / size;
    const double *a = tube->along;
    for (int i = 0; i < 3; i++)
        tube->cross[i] = n[(i + 1) % 3] * a[(i + 2) % 3] - n[(i + 2) % 3] * a[(i + 1) % 3];
    return SL_OK;
}

/* Inside the fan that runs into s (Toro 4.56, 4.63; LeVeque 13.8.5). */
static void in_fan(const struct sl_tube *tube, const struct sl_tube_state *s, double toward,
                   double xi, struct sl_tube_state *out)
{
    double g = tube->gamma, c = sound(tube, s);
    *out = *s;
    if (isothermal(tube)) {
        out->u = xi - toward * c;
        out->rho = s->rho * exp(toward * (out->u - s->u) / c);
        out->p = out->rho * c * c;
        return;
    }
    out->u = 2 / (g + 1) * (-toward * c + 0.5 * (g - 1) * s->u + xi);
    double c_here = fmax(2 / (g + 1) * (c + toward * 0.5 * (g - 1) * (xi - s->u)), 0);
    out->rho = s->rho * pow(c_here / c, 2 / (g - 1));
    out->p = s->p * pow(c_here / c, 2 * g / (g - 1));
}

/* Where the place s lies at time t. */
static int region(const struct sl_tube *tube, double s, double t)
{
    int count = 0;
    while (count < 5 && s > tube->speed[count] * t)
        count++;
    return count;
}

static void state_in(const struct sl_tube *tube, int where, double xi, struct sl_tube_state *out)
{
    bool on_left = where <= STAR_LEFT;
    const struct sl_tube_state *side = on_left ? &tube->left : &tube->right;
    *out = *side;
    if (where == LEFT_FAN || where == RIGHT_FAN) {
        in_fan(tube, side, on_left ? -1 : 1, xi, out);
    } else if (where == STAR_LEFT || where == STAR_RIGHT) {
        out->rho = on_left ? tube->rho_left : tube->rho_right;
        out->u = tube->u;
        out->p = tube->p;
    }
}

bool sl_tube_at(const struct sl_tube *tube, double xi, struct sl_tube_state *state)
{
    int where = region(tube, xi, 1);
    state_in(tube, where, xi, state);
    return where >= STAR_RIGHT;
}

static void put(const struct sl_tube *tube, const struct sl_tube_state *s, double scalar,
                int nscalar, double *prim)
{
    prim[0] = s->rho;
    for (int i = 0; i < 3; i++)
        prim[1 + i] = s->u * tube->normal[i] + s->v * tube->along[i] + s->w * tube->cross[i];
    prim[4] = s->p;
    for (int i = 0; i < nscalar; i++)
        prim[5 + i] = scalar;
}

/* Adds weight times the conserved variables, in the frame of the tube. */
static void add(const struct sl_tube *tube, double weight, double s, double t, double *sum)
{
    struct sl_tube_state here;
    int where = region(tube, s, t);
    state_in(tube, where, t > 0 ? s / t : 0, &here);
    double mass = weight * here.rho;
    sum[0] += mass;
    sum[1] += mass * here.u;
    sum[2] += mass * here.v;
    sum[3] += mass * here.w;
    sum[4] += weight * here.p / (tube->gamma - 1) +
              0.5 * mass * (here.u * here.u + here.v * here.v + here.w * here.w);
    sum[5] += where >= STAR_RIGHT ? mass : 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Places within (c - reach, c + reach) where the integrand or its derivatives jump: the waves and
 * the shadows of the corners of the cell. */
static int breaks(const struct sl_tube *tube, const double h[3], double c, double t, double *at)
{
    double reach = h[0] + h[1] + h[2];
    int n = 0;
    at[n++] = c - reach;
    at[n++] = c + reach;
    for (int i = 0; i < 5; i++)
        at[n++] = tube->speed[i] * t;
    for (int corner = 1; corner < 7; corner++)
        at[n++] = c + (corner & 1 ? h[0] : -h[0]) + (corner & 2 ? h[1] : -h[1]) +
                  (corner & 4 ? h[2] : -h[2]);
    for (int i = 2; i < n; i++)
        at[i] = fmin(fmax(at[i], at[0]), at[1]);
    qsort(at, (size_t)n, sizeof *at, by_value);
    return n;
}

/* Half edges of the cell along the normal, largest first; returns the place of its centre. */
static double project(const struct sl_tube *tube, const double lo[3], const double hi[3],
                      double h[3])
{
    double c = -tube->x0;
    for (int i = 0; i < 3; i++) {
        c += tube->normal[i] * 0.5 * (lo[i] + hi[i]);
        h[i] = -0.5 * fabs(tube->normal[i]) * (hi[i] - lo[i]);
    }
    qsort(h, 3, sizeof *h, by_value);
    for (int i = 0; i < 3; i++)
        h[i] = -h[i];
    return c;
}

static void integrate(const struct sl_tube *tube, const double h[3], double c, double t,
                      double sum[NAVERAGE])
{
    double at[NBREAK];
    int n = breaks(tube, h, c, t, at);
    memset(sum, 0, NAVERAGE * sizeof *sum);
    for (int i = 0; i + 1 < n; i++) {
        double width = at[i + 1] - at[i];
        if (width <= 0) continue;
        for (int k = 0; k < tube->gauss.n; k++) {
            double s = at[i] + width * tube->gauss.x[k];
            add(tube, width * tube->gauss.w[k] * sl_gauss_shadow(h, s - c), s, t, sum);
        }
    }
}

void sl_tube_average(const struct sl_tube *tube, const double lo[3], const double hi[3], double t,
                     int nscalar, double *prim)
{
    double h[3], sum[NAVERAGE];
    double c = project(tube, lo, hi, h), reach = (h[0] + h[1] + h[2]) * (1 - 1e-9);
    int first = region(tube, c - reach, t), last = region(tube, c + reach, t);
    struct sl_tube_state mean;
    if (first == last && first != LEFT_FAN && first != RIGHT_FAN) {
        state_in(tube, first, 0, &mean); /* to the bit, not through a quadrature */
        put(tube, &mean, first >= STAR_RIGHT, nscalar, prim);
        return;
    }
    integrate(tube, h, c, t, sum);
    double mass = sum[0] > 0 ? sum[0] : DBL_MIN;
    mean.rho = sum[0];
    mean.u = sum[1] / mass;
    mean.v = sum[2] / mass;
    mean.w = sum[3] / mass;
    mean.p = isothermal(tube)
                 ? sum[0] * tube->cs * tube->cs
                 : (tube->gamma - 1) *
                       (sum[4] - 0.5 * (sum[1] * mean.u + sum[2] * mean.v + sum[3] * mean.w));
    put(tube, &mean, sum[5] / mass, nscalar, prim);
}
