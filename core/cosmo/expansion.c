/* expansion.c - see expansion.h. */
#include "core/cosmo/expansion.h"

#include <math.h>
#include <stdlib.h>

#include "core/config/config.h"
#include "core/cosmo/universe_files.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { PANELS = 512 };

double sl_expansion_rate(const struct sl_expansion *e, double a)
{
    return a * a * sl_cosmology_rate(&e->u.c, a);
}

double sl_expansion_four_pi_g(const struct sl_expansion *e, double tau)
{
    return 1.5 * e->u.c.omega_m * sl_expansion_a(e, tau);
}

static double length_of(const struct sl_expansion *e)
{
    return (log(e->last) - log(e->start)) / e->n;
}

static double edge(const struct sl_expansion *e, int i)
{
    return i == e->n ? e->last : e->start * exp(i * length_of(e));
}

static int tabulate(struct sl_expansion *e)
{
    e->n = PANELS;
    e->tau = malloc((PANELS + 1) * sizeof *e->tau);
    SL_CHECK(e->tau, SL_EMEM, "no memory for the expansion");
    e->tau[0] = 0;
    for (int i = 0; i < PANELS; i++)
        e->tau[i + 1] = e->tau[i] + sl_cosmology_tau(&e->u.c, edge(e, i), edge(e, i + 1), 1);
    return SL_OK;
}

int sl_expansion_new(MPI_Comm comm, const struct sl_config *cfg, struct sl_expansion **out)
{
    *out = NULL;
    return sl_config_expands(cfg) ? sl_expansion_of(comm, cfg, out) : SL_OK;
}

int sl_expansion_of(MPI_Comm comm, const struct sl_config *cfg, struct sl_expansion **out)
{
    *out = NULL;
    if (!sl_config_of_universe(cfg)) return SL_OK;
    struct sl_expansion *e = calloc(1, sizeof *e);
    SL_TRY(sl_agree(comm, e ? SL_OK : SL_FAIL(SL_EMEM, "no memory for the expansion")));
    int code = sl_universe_read(comm, cfg, &e->u);
    if (code == SL_OK) {
        e->start = sl_universe_scale_factor(&e->u, cfg->ic_redshift);
        e->last = sl_universe_scale_factor(&e->u, 0);
        e->end = sl_universe_scale_factor(&e->u, cfg->time_end);
        code = sl_agree(comm, tabulate(e));
    }
    if (code == SL_OK)
        *out = e;
    else
        sl_expansion_free(e);
    return code;
}

void sl_expansion_free(struct sl_expansion *e)
{
    if (!e) return;
    free(e->tau);
    free(e);
}

double sl_expansion_tau(const struct sl_expansion *e, double a)
{
    if (!(a > e->start)) return 0;
    int i = (int)(log(a / e->start) / length_of(e));
    if (i >= e->n) return e->tau[e->n];
    return e->tau[i] + sl_cosmology_tau(&e->u.c, edge(e, i), a, 1);
}

/* The panel that holds tau. */
static int find(const struct sl_expansion *e, double tau)
{
    int low = 0, high = e->n;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (e->tau[middle] <= tau)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double sl_expansion_a(const struct sl_expansion *e, double tau)
{
    enum { ROUNDS = 8 };
    int i = find(e, tau);
    double from = edge(e, i), a = from, left = tau - e->tau[i];
    for (int round = 0; round < ROUNDS; round++) {
        double step = (left - sl_cosmology_tau(&e->u.c, from, a, 1)) * sl_expansion_rate(e, a);
        a *= 1 + step;
        if (fabs(step) < 1e-15) break;
    }
    return fmin(a, e->last);
}

double sl_expansion_kick(const struct sl_expansion *e, double from, double to)
{
    return sl_cosmology_kick(&e->u.c, sl_expansion_a(e, from), sl_expansion_a(e, to), 1);
}

void sl_expansion_units(const struct sl_expansion *e, double a, double *length, double *density,
                        double *velocity)
{
    const struct sl_cosmology *c = &e->u.c;
    *length = SL_MPC_KM * 1e5 / c->h;
    *density = c->omega_m * sl_cosmology_critical(c);
    *velocity = 1e7 / (a * a);
}

void sl_expansion_field(const struct sl_expansion *e, double a, const double gauss[3],
                        double out[3])
{
    double length, density, velocity;
    sl_expansion_units(e, 1, &length, &density, &velocity);
    for (int d = 0; d < 3; d++)
        out[d] = sqrt(a / (4 * acos(-1) * density)) / velocity * gauss[d];
}

double sl_expansion_heat(const struct sl_expansion *e, double gamma, double a)
{
    double power = 5 - 3 * gamma;
    return fabs(power) > 3e-12 ? pow(a / e->start, power) : 1;
}
