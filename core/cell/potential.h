/* potential.h - gas in an external potential phi(x), of which one cell knows its own surroundings.
 *
 * The acceleration along an axis is -(phi(x + h) - phi(x - h)) / (2 h) with h the size of the cell:
 * summed over the cells, m (phi_(i+1) - phi_(i-1)) / 2 is that of (m_i + m_(i+1)) / 2
 * (phi_(i+1) - phi_i), the work on the mass that crosses the faces, so that a kick and the
 * potential energy, the sum of rho phi, agree but for what the fluxes of mass dissipate. Along a
 * periodic axis the nearest image pulls, so that phi is continuous around the box.
 *
 * point     phi = -k / sqrt(r^2 + s^2), k = G M: a point mass, softened; of a Plummer sphere s is
 *           the scale radius
 * plane     phi = k sqrt(z^2 + s^2): k is the acceleration far from it, 2 pi G Sigma
 * harmonic  phi = k r^2 / 2: the inside of a uniform sphere, k = (4 pi / 3) G rho
 * nfw       phi = -k ln(1 + r / s) / r: rho = rho_s / (x (1 + x)^2), x = r / s, k = 4 pi G rho_s
 *           s^3
 * hernquist phi = -k / (r + s), k = G M: rho = M s / (2 pi r (r + s)^3)
 * logarithmic  phi = k ln(r^2 + s^2) / 2: circles far out have the speed sqrt(k)
 * table     phi = k times a cubic of r in each interval of a table, of which both rows have value
 *           and slope (core/cosmo/potential_table.h); below the first row as inside a uniform
 *           sphere, beyond the last as of a point, so that the slope is continuous everywhere
 *
 * Shapes  one cell; table[n][SL_POTENTIAL_ROW], NULL of others
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    core/lists/potential_list.h
 * Tests   tests/law/potential.c, tests/gpu/same.c
 */
#ifndef SL_CELL_POTENTIAL_H
#define SL_CELL_POTENTIAL_H

#include "core/cell/drive.h"
#include "core/cell/power_near.h"
#include "core/cell/source.h"
#include "core/lists/potential_list.h"

/* Distance from the centre along an axis, of the nearest image. */
SL_FN double sl_potential_away(const struct sl_potential *p, int d, double x)
{
    double away = x - p->center[d];
    if (p->period[d] > 0) away -= p->period[d] * floor(away / p->period[d] + 0.5);
    return away;
}

/* The row at or below r, but the last one. */
SL_FN int sl_potential_row(const struct sl_potential *p, const double *table, double r)
{
    int low = 0, high = p->n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (table[SL_POTENTIAL_ROW * middle + SL_POTENTIAL_R] <= r)
            low = middle;
        else
            high = middle;
    }
    return low;
}

SL_FN double sl_potential_tabled(const struct sl_potential *p, const double *table, double r)
{
    const double *row = table + SL_POTENTIAL_ROW * sl_potential_row(p, table, r),
                 *next = row + SL_POTENTIAL_ROW;
    double x0 = row[SL_POTENTIAL_R], x1 = next[SL_POTENTIAL_R], h = x1 - x0;
    double rise = next[SL_POTENTIAL_PHI_R] - row[SL_POTENTIAL_PHI_R];
    if (r < x0)
        return row[SL_POTENTIAL_PHI_R] + 0.5 * row[SL_POTENTIAL_SLOPE] * (r * r - x0 * x0) / x0;
    if (r > x1) return next[SL_POTENTIAL_PHI_R] + next[SL_POTENTIAL_SLOPE] * x1 * (1 - x1 / r);
    double t = (r - x0) / h, before = h * row[SL_POTENTIAL_SLOPE] - rise,
           after = rise - h * next[SL_POTENTIAL_SLOPE];
    return row[SL_POTENTIAL_PHI_R] + t * (rise + (1 - t) * ((1 - t) * before + t * after));
}

SL_FN double sl_potential_at(const struct sl_potential *p, const double *table, const double x[3])
{
    double r2 = 0, s2 = p->softening * p->softening, z = sl_potential_away(p, p->axis, x[p->axis]);
    for (int d = 0; d < p->dim; d++) {
        double away = sl_potential_away(p, d, x[d]);
        r2 += away * away;
    }
    switch (p->kind) {
    case SL_POTENTIAL_point:
        return -p->strength / sqrt(r2 + s2);
    case SL_POTENTIAL_plane:
        return p->strength * sqrt(z * z + s2);
    case SL_POTENTIAL_harmonic:
        return 0.5 * p->strength * r2;
    case SL_POTENTIAL_nfw:
        return r2 > 0 ? -p->strength * sl_power_log1p(sqrt(r2) / p->softening) / sqrt(r2)
                      : -p->strength / p->softening;
    case SL_POTENTIAL_hernquist:
        return -p->strength / (sqrt(r2) + p->softening);
    case SL_POTENTIAL_logarithmic:
        return 0.5 * p->strength * sl_power_log(r2 + s2);
    case SL_POTENTIAL_table:
        return p->strength * sl_potential_tabled(p, table, sqrt(r2));
    default:
        return 0;
    }
}

/* Acceleration of a cell along an axis. */
SL_FN double sl_potential_fall(const struct sl_potential *p, const struct sl_source_cell *at, int d)
{
    double x[3] = {at->x[0], at->x[1], at->x[2]}, h = at->dx[d];
    x[d] = at->x[d] + h;
    double above = sl_potential_at(p, at->table, x);
    x[d] = at->x[d] - h;
    return (sl_potential_at(p, at->table, x) - above) / (2 * h);
}

/* Largest acceleration over the size of the cell. */
SL_FN double sl_potential_pull(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_potential *p = (const struct sl_potential *)args;
    double most = 0;
    (void)u;
    for (int d = 0; d < p->dim; d++)
        most = fmax(most, fabs(sl_potential_fall(p, at, d)) / at->dx[d]);
    return most;
}

/* Velocities change by g times `time`, the energy by exactly what the kinetic energy does. */
SL_FN double sl_potential_kick(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_potential *p = (const struct sl_potential *)args;
    int energy = at->layout.energy;
    for (int d = 0; d < p->dim; d++) {
        sl_real *m = u + (size_t)(SL_MX + d) * at->var;
        sl_real dv = (sl_real)(sl_potential_fall(p, at, d) * p->time);
        if (energy >= 0) u[(size_t)energy * at->var] += sl_drive_work(u[0], *m, dv);
        *m += u[0] * dv;
    }
    return 0;
}

/* Potential energy per volume, and a bound of it. */
SL_FN double sl_potential_energy(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    return (double)u[0] * sl_potential_at((const struct sl_potential *)args, at->table, at->x);
}
SL_FN double sl_potential_bound(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    return fabs(sl_potential_energy(args, at, u));
}

#endif
