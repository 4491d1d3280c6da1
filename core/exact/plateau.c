/* plateau.c - see plateau.h. */
#include "core/exact/plateau.h"

#include <math.h>

#include "core/exact/whole.h"
#include "core/sys/status.h"

enum { FAN, STAR, NKIND };

static const struct {
    const char *name, *meaning;
} measured[NKIND][3] = {
#define FAN_OF(q) "largest relative error of the " q " in the middle half of a rarefaction"
#define STAR_OF(q)                                                                                 \
    "largest relative error of the " q                                                             \
    " in the middle half between the contact and the nearest wave"
    {{"fan_density", FAN_OF("density")},
     {"fan_pressure", FAN_OF("pressure")},
     {"fan_energy", FAN_OF("thermal energy per mass")}},
    {{"star_density", STAR_OF("density")},
     {"star_pressure", STAR_OF("pressure")},
     {"star_energy", STAR_OF("thermal energy per mass")}}};

/* Largest relative errors of density, pressure and thermal energy per mass, and in how many
 * cells. */
struct worst {
    int64_t cells;
    double density, pressure, energy;
};

/* In the middle half of what lies between two waves? FAN, STAR or -1. */
static int inside(const struct sl_tube *tube, double xi)
{
    for (int i = 0; i < 4; i++) {
        double from = tube->speed[i], to = tube->speed[i + 1];
        double middle = 0.5 * from + 0.5 * to, quarter = 0.25 * to - 0.25 * from;
        if (fabs(xi - middle) >= quarter) continue;
        if (fabs(from) > 1e300 || fabs(to) > 1e300) return -1;
        return i == 0 || i == 3 ? FAN : STAR;
    }
    return -1;
}

static void worse(const struct sl_tube *tube, double xi, double rho, double p, struct worst *w)
{
    struct sl_tube_state s;
    sl_tube_at(tube, xi, &s);
    w->cells++;
    w->density = fmax(w->density, fabs(rho / s.rho - 1));
    w->pressure = fmax(w->pressure, fabs(p / s.p - 1));
    w->energy = fmax(w->energy, fabs(p / rho * s.rho / s.p - 1));
}

int sl_plateau_measure(const struct sl_tube *tube, const struct sl_state *state,
                       struct sl_measures *out)
{
    struct sl_whole w;
    struct worst worst[NKIND] = {{0}};
    if (tube->vacuum || state->time <= 0) return SL_OK;
    SL_TRY(sl_whole_init(state, &w));
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++) {
                double xi = (sl_whole_x(&w, 0, i) * tube->normal[0] +
                             sl_whole_x(&w, 1, j) * tube->normal[1] +
                             sl_whole_x(&w, 2, k) * tube->normal[2] - tube->x0) /
                            state->time;
                int kind = inside(tube, xi);
                if (kind < 0) continue;
                worse(tube, xi, sl_whole_at(&w, 0, k, j, i), sl_whole_at(&w, 4, k, j, i),
                      &worst[kind]);
            }
    sl_whole_release(&w);
    for (int kind = 0; kind < NKIND; kind++) {
        const double value[] = {worst[kind].density, worst[kind].pressure, worst[kind].energy};
        for (int i = 0; i < 3 && worst[kind].cells > 0; i++)
            sl_measure(out, measured[kind][i].name, measured[kind][i].meaning, value[i]);
    }
    return SL_OK;
}
