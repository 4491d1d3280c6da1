/* kick.c - see kick.h. */
#include "core/step/kick.h"

#include <math.h>

#include "core/cell/drive.h"
#include "core/sweep/lanes.h"

static void push_momenta(const struct sl_kick *p, const sl_real *rho, const sl_real *a, int n,
                         sl_real *restrict x, sl_real *restrict y, sl_real *restrict z)
{
    SL_SIMD
    for (int i = 0; i < n; i++) {
        x[i] += rho[i] * (p->lambda * (a[i] - p->mean[0]));
        y[i] += rho[i] * (p->lambda * (a[n + i] - p->mean[1]));
        z[i] += rho[i] * (p->lambda * (a[2 * n + i] - p->mean[2]));
    }
}

/* What the kick gives to energies, and to what counts that. */
static void push_energy(const struct sl_kick *p, const sl_real *rho, const sl_real *a, int n,
                        const sl_real *x, const sl_real *y, const sl_real *z, sl_real *restrict e,
                        sl_real *restrict given)
{
    SL_SIMD
    for (int i = 0; i < n; i++) {
        sl_real more = (sl_drive_work(rho[i], x[i], p->lambda * (a[i] - p->mean[0])) +
                        sl_drive_work(rho[i], y[i], p->lambda * (a[n + i] - p->mean[1]))) +
                       sl_drive_work(rho[i], z[i], p->lambda * (a[2 * n + i] - p->mean[2]));
        e[i] += more;
        if (given) given[i] += more;
    }
}

void sl_kick_row(const struct sl_kick *kick, const struct sl_layout *layout, size_t var, int n,
                 const sl_real *a, sl_real *u, sl_real *given)
{
    sl_real *x = u + SL_MX * var, *y = u + SL_MY * var, *z = u + SL_MZ * var;
    if (layout->energy >= 0)
        push_energy(kick, u, a, n, x, y, z, u + (size_t)layout->energy * var, given);
    push_momenta(kick, u, a, n, x, y, z);
}

double sl_kick_limit(double dt, double square)
{
    return 2 / (1 / dt + sqrt(1 / (dt * dt) + 4 * square));
}
