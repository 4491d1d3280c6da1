/* power.c - see power.h. */
#include "core/cosmo/power.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/status.h"

#define PI 3.14159265358979323846

/* ---- amplitude of all matter, before the factor ---- */

static double fit_shape(const struct sl_power *p, double k)
{
    switch (p->spec.fit) {
    case SL_POWER_eisenstein_hu_smooth:
        return sl_eisenstein_hu_smooth(&p->fit, k);
    case SL_POWER_bbks:
        return sl_bbks(&p->spec.cosmology, k);
    default:
        return sl_eisenstein_hu_full(&p->fit, k);
    }
}

/* sqrt of the primordial power for A_s = 1. */
static double primordial(const struct sl_power *p, double k)
{
    const struct sl_power_spec *s = &p->spec;
    return sqrt(sl_transfer_power(&s->cosmology, 1, s->n_s, s->k_pivot, k, 1));
}

static double transfer(const struct sl_power *p, double k)
{
    double x = log(k);
    if (p->total.n == 0)
        return sl_transfer_expected(&p->spec.cosmology, p->now.d1, fit_shape(p, k));
    if (k >= p->k_first && k <= p->k_last) return exp(sl_spline_at(&p->total, x));
    return exp(p->end[k > p->k_last]) * sl_eisenstein_hu_full(&p->fit, k);
}

static double ratio(const struct sl_power *p, enum sl_power_field field, double k)
{
    double inside = fmin(fmax(k, p->k_first), p->k_last);
    if (p->has_ratio[field])
        return sl_spline_at(&p->ratio[field], log(inside)) *
               (field >= SL_POWER_BARYON_VELOCITY ? p->rate : 1);
    return field >= SL_POWER_BARYON_VELOCITY ? p->now.f1 : 1;
}

double sl_power_amplitude(const struct sl_power *p, enum sl_power_field field, double k)
{
    return p->factor * primordial(p, k) * transfer(p, k) * ratio(p, field, k);
}

/* ---- sigma(R) ---- */

double sl_power_sphere(double x)
{
    if (x < 1e-2) return 1 - x * x / 10;
    return 3 * (sin(x) - x * cos(x)) / (x * x * x);
}

double sl_power_part(const struct sl_power *p, double k)
{
    double a = sl_power_amplitude(p, SL_POWER_TOTAL, k);
    return k * k * k * a * a / (2 * PI * PI * SL_SPHERE_PER_FOLD);
}

double sl_power_sigma(const struct sl_power *p, double radius)
{
    double sum = 0;
    for (int i = 0; i < SL_SPHERE_WAVES; i++) {
        double x = exp((double)(SL_SPHERE_FIRST + i) / SL_SPHERE_PER_FOLD);
        double w = sl_power_sphere(x);
        sum += sl_power_part(p, x / radius) * w * w;
    }
    return sqrt(sum);
}

/* ---- displacement ---- */

/* Longest waves of the shortest side that are added one by one. */
enum { WAVES = 8 };

static double displacement_of_wave(const struct sl_power *p, enum sl_power_field field,
                                   const double k[3], int axis, double most)
{
    double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    if (!(k2 > 0 && k2 < most * most)) return 0;
    double a = sl_power_amplitude(p, field, sqrt(k2)) * k[axis] / k2;
    return a * a;
}

/* Sum of P k_axis^2 / k^4 over the waves of the box with |k| < most. */
static double displacement_of_waves(const struct sl_power *p, enum sl_power_field field,
                                    const double length[3], int axis, double most)
{
    int n[3];
    double k[3], sum = 0;
    for (int d = 0; d < 3; d++)
        n[d] = (int)floor(most * length[d] / (2 * PI));
    for (int x = -n[0]; x <= n[0]; x++)
        for (int y = -n[1]; y <= n[1]; y++)
            for (int z = -n[2]; z <= n[2]; z++) {
                k[0] = 2 * PI / length[0] * x;
                k[1] = 2 * PI / length[1] * y;
                k[2] = 2 * PI / length[2] * z;
                sum += displacement_of_wave(p, field, k, axis, most);
            }
    return sum;
}

/* Integral of P over k from `from` on, midpoints in ln k. */
static double integral_of_power(const struct sl_power *p, enum sl_power_field field, double from)
{
    enum { STEPS = 200 };
    double sum = 0, h = log(1e4) / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double k = from * exp((i + 0.5) * h), a = sl_power_amplitude(p, field, k);
        sum += h * k * a * a;
    }
    return sum;
}

double sl_power_displacement(const struct sl_power *p, enum sl_power_field field,
                             const double length[3], int axis)
{
    double shortest = fmin(length[0], fmin(length[1], length[2])), most = 2 * PI * WAVES / shortest;
    double few = displacement_of_waves(p, field, length, axis, most);
    return sqrt(few / (length[0] * length[1] * length[2]) +
                integral_of_power(p, field, most) / (6 * PI * PI));
}

/* ---- from a table ---- */

struct points {
    int n;
    double *x, *y; /* [n] */
};

static int take_total(struct sl_power *p, const struct sl_transfer *t, struct points *at)
{
    for (int i = 0; i < t->n; i++) {
        at->x[i] = log(t->k[i]);
        at->y[i] = t->power ? log(sqrt(t->power[i]) / primordial(p, t->k[i])) : log(t->total[i]);
    }
    p->k_first = t->k[0];
    p->k_last = t->k[t->n - 1];
    for (int i = 0; i < 2; i++) {
        int row = i ? t->n - 1 : 0;
        p->end[i] = at->y[row] - log(sl_eisenstein_hu_full(&p->fit, t->k[row]));
    }
    return sl_spline_init(t->n, at->x, at->y, &p->total);
}

static int take_ratio(struct sl_power *p, const struct sl_transfer *t, enum sl_power_field field,
                      const double *value, struct points *at)
{
    if (!value) return SL_OK;
    for (int i = 0; i < t->n; i++)
        at->y[i] = value[i] / t->total[i];
    SL_TRY(sl_spline_init(t->n, at->x, at->y, &p->ratio[field]));
    p->has_ratio[field] = true;
    return SL_OK;
}

static bool scaled(const struct sl_power_spec *s)
{
    return fabs(log((1 + s->z) / (1 + s->table_z))) > 1e-9;
}

static int take_all(struct sl_power *p, struct points *at)
{
    const struct sl_transfer *t = p->spec.table;
    SL_TRY(take_total(p, t, at));
    if (p->spec.one_fluid || scaled(&p->spec) || t->power) return SL_OK;
    SL_TRY(take_ratio(p, t, SL_POWER_BARYON, t->baryon, at));
    SL_TRY(take_ratio(p, t, SL_POWER_CDM, t->cdm, at));
    SL_TRY(take_ratio(p, t, SL_POWER_BARYON_VELOCITY, t->v_baryon, at));
    return take_ratio(p, t, SL_POWER_CDM_VELOCITY, t->v_cdm, at);
}

static int take_table(struct sl_power *p)
{
    size_t n = (size_t)p->spec.table->n;
    struct points at = {
        .n = (int)n, .x = malloc(n * sizeof(double)), .y = malloc(n * sizeof(double))};
    int code = at.x && at.y ? take_all(p, &at) : SL_FAIL(SL_EMEM, "out of memory for a table");
    free(at.x);
    free(at.y);
    return code;
}

/* ---- amplitude ---- */

static int normalise(struct sl_power *p)
{
    const struct sl_power_spec *s = &p->spec;
    bool power = s->table && s->table->power;
    double grown = s->table ? p->now.d1 / p->table.d1 : 1;
    p->factor = 1;
    if (s->norm == SL_POWER_as_table) {
        SL_CHECK(
            power, SL_EINPUT,
            "cosmology.normalise: table is for a table of P(k); transfer functions need a_s or "
            "sigma8");
        p->factor = grown;
    } else if (s->norm == SL_POWER_a_s) {
        SL_CHECK(
            !power, SL_EINPUT,
            "a table of P(k) has its own amplitude: cosmology.normalise must be table or sigma8, "
            "not a_s");
        p->factor = sqrt(s->a_s) * grown;
    }
    double sigma = sl_power_sigma(p, 8), today = p->today.d1 / p->now.d1;
    if (s->norm == SL_POWER_sigma8) p->factor = s->sigma8 / today / sigma;
    p->sigma8 = s->norm == SL_POWER_sigma8 ? s->sigma8 : sigma * today;
    SL_CHECK(isfinite(p->factor) && isfinite(p->sigma8) && p->sigma8 > 0, SL_EINPUT,
             "the power spectrum has no finite sigma8");
    return SL_OK;
}

static int prepare(struct sl_power *p)
{
    const struct sl_power_spec *s = &p->spec;
    p->now = sl_growth_at(&s->cosmology, 1 / (1 + s->z));
    p->table = sl_growth_at(&s->cosmology, 1 / (1 + s->table_z));
    p->today = sl_growth_at(&s->cosmology, 1);
    sl_eisenstein_hu_init(&s->cosmology, &p->fit);
    p->k_first = 0;
    p->k_last = INFINITY;
    p->layout = s->table ? s->table->layout : SL_TRANSFER_LAYOUTS;
    if (s->table) SL_TRY(take_table(p));
    SL_TRY(normalise(p));
    p->spec.table = NULL;
    return SL_OK;
}

int sl_power_init(const struct sl_power_spec *spec, struct sl_power *out)
{
    struct sl_power p = {.spec = *spec, .rate = 1};
    int code = prepare(&p);
    if (code != SL_OK) {
        sl_power_release(&p);
        return code;
    }
    *out = p;
    return SL_OK;
}

void sl_power_to_box(struct sl_power *p, const struct sl_cosmology *box, double now, double today)
{
    const struct sl_growth before = p->now;
    p->now = sl_growth_at(box, now);
    p->today = sl_growth_at(box, today);
    p->rate = p->now.f1 / before.f1;
    if (p->total.n > 0) p->factor *= p->now.d1 / before.d1; /* a fit takes the growth itself */
}

void sl_power_release(struct sl_power *p)
{
    sl_spline_release(&p->total);
    for (int i = 0; i < SL_POWER_FIELDS; i++)
        sl_spline_release(&p->ratio[i]);
}
