/* plateau.c - see plateau.h. */
#include "core/exact/plateau.h"

#include <math.h>

#include "core/exact/whole.h"
#include "core/sys/status.h"

/* In the middle half of what lies between two waves? */
static bool inside(const struct sl_tube *tube, double xi)
{
    for (int i = 0; i < 4; i++) {
        double from = tube->speed[i], to = tube->speed[i + 1];
        double middle = 0.5 * from + 0.5 * to, quarter = 0.25 * to - 0.25 * from;
        if (fabs(xi - middle) < quarter) return fabs(from) < 1e300 && fabs(to) < 1e300;
    }
    return false;
}

/* Raises the largest relative errors of density, pressure and thermal energy per mass. */
static void worse(const struct sl_tube *tube, double xi, double rho, double p, double *worst)
{
    struct sl_tube_state s;
    sl_tube_at(tube, xi, &s);
    worst[0] = fmax(worst[0], fabs(rho / s.rho - 1));
    worst[1] = fmax(worst[1], fabs(p / s.p - 1));
    worst[2] = fmax(worst[2], fabs(p / rho * s.rho / s.p - 1));
}

int sl_plateau_measure(const struct sl_tube *tube, const struct sl_sim *sim,
                       struct sl_measures *out)
{
    struct sl_whole w;
    double worst[3] = {0};
    int64_t found = 0;
    if (tube->vacuum || sim->time <= 0) return SL_OK;
    SL_TRY(sl_whole_init(sim, &w));
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++) {
                double xi = (sl_whole_x(&w, 0, i) * tube->normal[0] +
                             sl_whole_x(&w, 1, j) * tube->normal[1] +
                             sl_whole_x(&w, 2, k) * tube->normal[2] - tube->x0) /
                            sim->time;
                if (!inside(tube, xi)) continue;
                found++;
                worse(tube, xi, sl_whole_at(&w, 0, k, j, i), sl_whole_at(&w, 4, k, j, i), worst);
            }
    sl_whole_release(&w);
    if (found == 0) return SL_OK;
    sl_measure(out, "inside_density", worst[0]);
    sl_measure(out, "inside_pressure", worst[1]);
    sl_measure(out, "inside_energy", worst[2]);
    return SL_OK;
}
