/* modes.c - see modes.h. */
#include "core/drive/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/drive_spectrum.h"
#include "core/config/config.h"
#include "core/ic/turbulence_field.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

/* ---- which modes ----------------------------------------------------------------------------- */

/* Whether n is a mode that is kept; fills it in. */
static int take(const struct sl_drive_spec *s, double longest, const int n[3],
                struct sl_drive_mode *mode)
{
    const struct sl_drive_shape shape = {s->spectrum, s->dim, s->slope, s->peak};
    double kappa2 = 0, kappa;
    if (n[0] < 0 || (n[0] == 0 && (n[1] < 0 || (n[1] == 0 && n[2] <= 0)))) return 0;
    *mode = (struct sl_drive_mode){.n = {n[0], n[1], n[2]}};
    for (int d = 0; d < s->dim; d++) {
        mode->along[d] = n[d] * longest / s->length[d];
        kappa2 += mode->along[d] * mode->along[d];
    }
    kappa = sqrt(kappa2);
    if (kappa < s->kmin || kappa > s->kmax) return 0;
    for (int d = 0; d < s->dim; d++)
        mode->along[d] /= kappa;
    mode->size = sl_drive_amplitude(&shape, kappa);
    return mode->size > 0;
}

/* Counts the modes, and writes them down when there is a place for them. */
static int collect(struct sl_drive_modes *m, double longest, struct sl_drive_mode *out)
{
    struct sl_drive_mode mode;
    const int *r = m->reach;
    int count = 0;
    for (int x = 0; x <= r[0]; x++)
        for (int y = -r[1]; y <= r[1]; y++)
            for (int z = -r[2]; z <= r[2]; z++)
                if (take(&m->spec, longest, (const int[3]){x, y, z}, &mode)) {
                    if (out) out[count] = mode;
                    count++;
                }
    return count;
}

static int check(const struct sl_drive_spec *s)
{
    SL_CHECK(s->kmin <= s->kmax, SL_EINPUT, "driving.kmin %d is above driving.kmax %d: no modes",
             s->kmin, s->kmax);
    SL_CHECK(s->dim > 1 || s->solenoidal == 0, SL_EINPUT,
             "in one dimension every mode is compressive: set driving.solenoidal to 0");
    return SL_OK;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Normal numbers of step j: new[mode] = keep old[mode] + add x_j. */
static void draw(const struct sl_drive_modes *m, int64_t j, double keep, double add,
                 double (*old)[3][2], double (*new)[3][2])
{
    for (int i = 0; i < m->count; i++)
        for (int d = 0; d < m->spec.dim; d++) {
            const int *n = m->mode[i].n;
            struct sl_random_name name = {
                m->spec.seed, SL_RANDOM_DRIVING, (uint32_t)d, {n[0], n[1], n[2]}};
            double x[2];
            sl_random_gauss(&name, (uint64_t)j, x);
            for (int part = 0; part < 2; part++)
                new[i][d][part] = keep *old[i][d][part] + add *x[part];
        }
}

static void draw_next(struct sl_drive_modes *m)
{
    double f = exp(-SL_DRIVE_STEP);
    draw(m, m->step + 1, f, sqrt(1 - f * f), m->z, m->next);
}

static void restart(struct sl_drive_modes *m)
{
    m->step = 0;
    draw(m, 0, 0, 1, m->z, m->z);
    draw_next(m);
}

static void go_to(struct sl_drive_modes *m, int64_t step)
{
    if (step < m->step) restart(m);
    while (m->step < step) {
        double(*z)[3][2] = m->z;
        m->z = m->next;
        m->next = z;
        m->step++;
        draw_next(m);
    }
}

int sl_drive_modes_init(const struct sl_drive_spec *spec, struct sl_drive_modes *out)
{
    struct sl_drive_modes m = {.spec = *spec};
    double longest = 0;
    SL_TRY(check(spec));
    for (int d = 0; d < spec->dim; d++)
        longest = fmax(longest, spec->length[d]);
    for (int d = 0; d < spec->dim; d++)
        m.reach[d] = (int)floor(spec->kmax * spec->length[d] / longest);
    m.count = collect(&m, longest, NULL);
    SL_CHECK(m.count > 0, SL_EINPUT,
             "no mode of driving.spectrum lies in driving.kmin .. driving.kmax, %d .. %d",
             spec->kmin, spec->kmax);
    m.mode = calloc((size_t)m.count, sizeof *m.mode);
    m.z = calloc((size_t)m.count, sizeof *m.z);
    m.next = calloc((size_t)m.count, sizeof *m.next);
    if (!m.mode || !m.z || !m.next) {
        sl_drive_modes_release(&m);
        return SL_FAIL(SL_EMEM, "no memory for %d modes", m.count);
    }
    collect(&m, longest, m.mode);
    restart(&m);
    *out = m;
    return SL_OK;
}

void sl_drive_modes_release(struct sl_drive_modes *m)
{
    free(m->mode);
    free(m->z);
    free(m->next);
    *m = (struct sl_drive_modes){0};
}

/* Variance of z between two steps. */
static double between(double share)
{
    double rest = 1 - share;
    return rest * rest + share * share + 2 * rest * share * exp(-SL_DRIVE_STEP);
}

/* Sum over the components of what the mixture leaves of a variance of 1 in each. */
static double mixed(const struct sl_drive_spec *s)
{
    double zeta = s->solenoidal;
    return (s->dim - 1) * zeta * zeta + (1 - zeta) * (1 - zeta);
}

void sl_drive_modes_at(struct sl_drive_modes *m, double t, double (*a)[3][2], double *bound)
{
    double at = t / (SL_DRIVE_STEP * m->spec.correlation), share, power = 0, usual = 0;
    go_to(m, (int64_t)floor(at));
    share = at - floor(at);
    memset(a, 0, (size_t)m->count * sizeof *a);
    for (int i = 0; i < m->count; i++) {
        for (int d = 0; d < m->spec.dim; d++)
            for (int part = 0; part < 2; part++)
                a[i][d][part] = m->mode[i].size *
                                ((1 - share) * m->z[i][d][part] + share * m->next[i][d][part]);
        sl_turbulence_mix(m->spec.solenoidal, m->mode[i].along, m->spec.dim, a[i]);
        power += 2 * sl_turbulence_square(a[i]);
        usual += 4 * m->mode[i].size * m->mode[i].size;
    }
    usual *= mixed(&m->spec) * between(share);
    double norm = power > 0 ? 1 / sqrt(m->spec.steady ? power : usual) : 0;
    m->rms = m->spec.steady ? 1 : norm * sqrt(power);
    *bound = 0;
    for (int i = 0; i < m->count; i++) {
        for (int d = 0; d < 3; d++)
            for (int part = 0; part < 2; part++)
                a[i][d][part] *= norm;
        *bound += 2 * sqrt(sl_turbulence_square(a[i]));
    }
}

/* ---- keeping --------------------------------------------------------------------------------- */

enum { PER_MODE = 6 };

size_t sl_drive_modes_size(const struct sl_drive_modes *m)
{
    return 1 + PER_MODE * (size_t)m->count;
}

void sl_drive_modes_save(const struct sl_drive_modes *m, double *state)
{
    state[0] = (double)m->step;
    memcpy(state + 1, m->z, PER_MODE * (size_t)m->count * sizeof *state);
}

void sl_drive_modes_load(struct sl_drive_modes *m, const double *state)
{
    m->step = (int64_t)state[0];
    memcpy(m->z, state + 1, PER_MODE * (size_t)m->count * sizeof *state);
    draw_next(m);
}
