/* turbulence_field.c - see turbulence_field.h.
 *
 * The transform along z is done for each (n_x, n_y) of the band, and only the planes that are asked
 * for are kept; then each plane has its own transform in x and y. No data is exchanged between
 * ranks, each one-dimensional and plane transform runs on the same buffers with the same plan, and
 * so the bits of a plane do not depend on who makes it.
 */
#include "core/ic/turbulence_field.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/random.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

/* ---- tabulated spectrum ---- */

static double table_value(const struct sl_table_spectrum *t, double k)
{
    int i = 1;
    while (i < t->n - 1 && t->k[i] < k)
        i++;
    double part = log(k / t->k[i - 1]) / log(t->k[i] / t->k[i - 1]);
    return exp((1 - part) * log(t->e[i - 1]) + part * log(t->e[i]));
}

/* ---- modes ---- */

/* kappa of mode n; the wave vector in units of 2 pi / longest side goes to w. */
static double wave(const struct sl_turbulence_field *f, const int n[3], double w[3])
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        w[d] = n[d] * f->stretch[d];
        square += w[d] * w[d];
    }
    return sqrt(square);
}

static int in_band(const struct sl_turbulence_field *f, double kappa)
{
    return kappa >= f->spec.kmin && kappa <= f->spec.kmax && kappa > 0;
}

/* Variance of one component of an isotropic mode, but for the normalisation. */
static double variance(const struct sl_turbulence_field *f, double kappa)
{
    const struct sl_turbulence_spec *s = &f->spec;
    double energy = s->table ? table_value(s->table, kappa) : pow(kappa, s->slope);
    return energy / pow(kappa, s->dim - 1);
}

/* One of n and -n is drawn, the other is its conjugate. */
static int drawn_half(const int n[3])
{
    if (n[0] != 0) return n[0] > 0;
    if (n[1] != 0) return n[1] > 0;
    return n[2] > 0;
}

void sl_turbulence_mix(double zeta, const double along[3], int dim, double a[3][2])
{
    for (int part = 0; part < 2; part++) {
        double length = 0;
        for (int d = 0; d < dim; d++)
            length += along[d] * a[d][part];
        for (int d = 0; d < dim; d++) {
            double compressive = along[d] * length;
            a[d][part] = zeta * (a[d][part] - compressive) + (1 - zeta) * compressive;
        }
    }
}

void sl_turbulence_field_mode(const struct sl_turbulence_field *f, const int n[3], double v[3][2])
{
    double w[3], kappa = wave(f, n, w);
    memset(v, 0, 3 * sizeof v[0]);
    if (!in_band(f, kappa)) return;
    int sign = drawn_half(n) ? 1 : -1;
    double scale = f->amplitude * sqrt(variance(f, kappa));
    for (int d = 0; d < f->spec.dim; d++) {
        struct sl_random_name name = {
            f->spec.seed, SL_RANDOM_VELOCITY, (uint32_t)d, {sign * n[0], sign * n[1], sign * n[2]}};
        sl_random_gauss(&name, 0, v[d]);
        v[d][0] *= scale;
        v[d][1] *= sign * scale;
    }
    for (int d = 0; d < f->spec.dim; d++)
        w[d] /= kappa;
    sl_turbulence_mix(f->spec.solenoidal, w, f->spec.dim, v);
}

double sl_turbulence_square(double v[3][2])
{
    double sum = 0;
    for (int d = 0; d < 3; d++)
        sum += v[d][0] * v[d][0] + v[d][1] * v[d][1];
    return sum;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

/* Calls visit for the drawn half of the modes in a fixed order. */
static void each_mode(const struct sl_turbulence_field *f,
                      void (*visit)(const struct sl_turbulence_field *, const int n[3], double,
                                    void *),
                      void *arg)
{
    double w[3];
    for (int x = 0; x <= f->reach[0]; x++)
        for (int y = -f->reach[1]; y <= f->reach[1]; y++)
            for (int z = -f->reach[2]; z <= f->reach[2]; z++) {
                int n[3] = {x, y, z};
                double kappa = wave(f, n, w);
                if (drawn_half(n) && in_band(f, kappa)) visit(f, n, kappa, arg);
            }
}

struct totals {
    double power;
    int64_t modes;
};

static void add_total(const struct sl_turbulence_field *f, const int n[3], double kappa, void *arg)
{
    struct totals *t = arg;
    double v[3][2];
    (void)kappa;
    sl_turbulence_field_mode(f, n, v);
    t->power += 2 * sl_turbulence_square(v);
    t->modes += 2;
}

static void add_hash(const struct sl_turbulence_field *f, const int n[3], double kappa, void *arg)
{
    uint64_t *hash = arg;
    double v[3][2];
    (void)kappa;
    if (n[0] > 4 || abs(n[1]) > 4 || abs(n[2]) > 4) return;
    sl_turbulence_field_mode(f, n, v);
    *hash = mix(*hash, n, 3 * sizeof n[0]);
    *hash = mix(*hash, v, sizeof v);
}

static int check_spec(const struct sl_turbulence_spec *s)
{
    SL_CHECK(s->kmin <= s->kmax, SL_EINPUT,
             "turbulence.kmin %d is above turbulence.kmax %d: no modes", s->kmin, s->kmax);
    SL_CHECK(s->dim > 1 || s->solenoidal == 0, SL_EINPUT,
             "in one dimension every mode is compressive: set turbulence.solenoidal to 0");
    if (s->table) SL_TRY(sl_table_spectrum_covers(s->table, s->kmin, s->kmax));
    return SL_OK;
}

int sl_turbulence_field_init(const struct sl_turbulence_spec *spec, struct sl_turbulence_field *out)
{
    SL_TRY(check_spec(spec));
    struct sl_turbulence_field f = {.spec = *spec, .amplitude = 1};
    double longest = 0;
    for (int d = 0; d < spec->dim; d++)
        longest = fmax(longest, spec->length[d]);
    for (int d = 0; d < spec->dim; d++) {
        f.stretch[d] = longest / spec->length[d];
        f.reach[d] = (int)floor(spec->kmax / f.stretch[d]);
    }
    struct totals t = {0, 0};
    each_mode(&f, add_total, &t);
    SL_CHECK(t.modes > 0 && t.power > 0, SL_EINPUT, "no mode lies in k = %d .. %d of this box",
             spec->kmin, spec->kmax);
    f.amplitude = spec->v_rms / sqrt(t.power);
    f.modes = t.modes;
    f.hash = 0xcbf29ce484222325u;
    each_mode(&f, add_hash, &f.hash);
    *out = f;
    return SL_OK;
}

/* Share of the variance of an isotropic vector that the mixing operator leaves. */
static double mixture(const struct sl_turbulence_spec *s)
{
    double z = s->solenoidal;
    return (s->dim - 1) * z * z + (1 - z) * (1 - z);
}

static void add_shell(const struct sl_turbulence_field *f, const int n[3], double kappa, void *arg)
{
    struct sl_turbulence_shell *shell = (struct sl_turbulence_shell *)arg + (int)floor(kappa + 0.5);
    double v[3][2];
    sl_turbulence_field_mode(f, n, v);
    shell->modes += 2;
    shell->realised += sl_turbulence_square(v);
    shell->expected += 2 * f->amplitude * f->amplitude * variance(f, kappa) * mixture(&f->spec);
}

void sl_turbulence_field_shells(const struct sl_turbulence_field *f,
                                struct sl_turbulence_shell *shell)
{
    memset(shell, 0, ((size_t)f->spec.kmax + 1) * sizeof *shell);
    each_mode(f, add_shell, shell);
}

/* ---- sampling ---- */

struct sampler {
    const struct sl_turbulence_field *f;
    const int *n;
    int z0, nz;
    int wx, wy;              /* width of the band: n_x = 0 .. wx - 1, n_y = -reach .. reach */
    fftw_complex *column[3]; /* [n2] */
    fftw_complex *band[3];   /* [nz][wy][wx], owned */
    fftw_complex *plane;     /* [n1][n0/2+1] */
    double *real;            /* [n1][n0] */
    fftw_plan along_z, plane_plan;
};

static void sampler_release(struct sampler *s)
{
    for (int c = 0; c < 3; c++) {
        fftw_free(s->column[c]);
        fftw_free(s->band[c]);
    }
    fftw_free(s->plane);
    fftw_free(s->real);
    if (s->along_z) fftw_destroy_plan(s->along_z);
    if (s->plane_plan) fftw_destroy_plan(s->plane_plan);
}

static int sampler_init(struct sampler *s)
{
    const int *n = s->n;
    size_t band = (size_t)s->nz * (size_t)s->wy * (size_t)s->wx;
    int ok = 1;
    for (int c = 0; c < s->f->spec.dim; c++) {
        s->column[c] = fftw_alloc_complex((size_t)n[2]);
        s->band[c] = fftw_alloc_complex(band);
        ok = ok && s->column[c] && s->band[c];
    }
    s->plane = fftw_alloc_complex((size_t)n[1] * ((size_t)n[0] / 2 + 1));
    s->real = fftw_alloc_real((size_t)n[1] * (size_t)n[0]);
    SL_CHECK(ok && s->plane && s->real, SL_EMEM, "out of memory for %d planes of %d x %d cells",
             s->nz, n[0], n[1]);
    s->along_z = fftw_plan_dft_1d(n[2], s->column[0], s->column[0], FFTW_BACKWARD, FFTW_ESTIMATE);
    s->plane_plan = fftw_plan_dft_c2r_2d(n[1], n[0], s->plane, s->real, FFTW_ESTIMATE);
    SL_CHECK(s->along_z && s->plane_plan, SL_EMEM, "FFTW cannot plan %d x %d x %d", n[0], n[1],
             n[2]);
    return SL_OK;
}

/* Modes of one (n_x, n_y), moved to cell centres, transformed along z; own planes kept. */
static void sample_column(struct sampler *s, int x, int y)
{
    const struct sl_turbulence_field *f = s->f;
    int dim = f->spec.dim, size = s->n[2];
    for (int c = 0; c < dim; c++)
        memset(s->column[c], 0, (size_t)size * sizeof(fftw_complex));
    for (int z = -f->reach[2]; z <= f->reach[2]; z++) {
        int n[3] = {x, y, z};
        double v[3][2];
        double shift = PI * ((double)x / s->n[0] + (double)y / s->n[1] + (double)z / size);
        double complex phase = cos(shift) + I * sin(shift);
        sl_turbulence_field_mode(f, n, v);
        for (int c = 0; c < dim; c++)
            s->column[c][(z + size) % size] = (v[c][0] + I * v[c][1]) * phase;
    }
    for (int c = 0; c < dim; c++) {
        if (c > 0) memcpy(s->column[0], s->column[c], (size_t)size * sizeof(fftw_complex));
        fftw_execute(s->along_z);
        for (int k = 0; k < s->nz; k++)
            s->band[c][((size_t)k * (size_t)s->wy + (size_t)(y + f->reach[1])) * (size_t)s->wx +
                       (size_t)x] = s->column[0][s->z0 + k];
    }
}

static void sample_plane(struct sampler *s, int c, int k, double *out)
{
    size_t row = (size_t)s->n[0] / 2 + 1, rows = (size_t)s->n[1];
    memset(s->plane, 0, rows * row * sizeof(fftw_complex));
    for (int y = 0; y < s->wy; y++) {
        int line = (y - s->f->reach[1] + s->n[1]) % s->n[1];
        memcpy(s->plane + (size_t)line * row,
               s->band[c] + ((size_t)k * (size_t)s->wy + (size_t)y) * (size_t)s->wx,
               (size_t)s->wx * sizeof(fftw_complex));
    }
    fftw_execute(s->plane_plan);
    memcpy(out, s->real, rows * (size_t)s->n[0] * sizeof(double));
}

int sl_turbulence_field_planes(const struct sl_turbulence_field *f, const int n[3], int z0, int nz,
                               double *const v[3])
{
    for (int d = 0; d < f->spec.dim; d++)
        SL_CHECK(2 * f->reach[d] < n[d], SL_EINPUT,
                 "turbulence.kmax %d needs at least %d cells along axis %d, mesh.cells gives %d",
                 f->spec.kmax, 2 * f->reach[d] + 1, d, n[d]);
    struct sampler s = {.f = f, .n = n, .z0 = z0, .nz = nz};
    s.wx = f->reach[0] + 1;
    s.wy = 2 * f->reach[1] + 1;
    size_t plane = (size_t)n[0] * (size_t)n[1];
    int code = sampler_init(&s);
    if (code == SL_OK) {
        for (int x = 0; x < s.wx; x++)
            for (int y = -f->reach[1]; y <= f->reach[1]; y++)
                sample_column(&s, x, y);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < nz; k++)
                if (c < f->spec.dim)
                    sample_plane(&s, c, k, v[c] + (size_t)k * plane);
                else
                    memset(v[c] + (size_t)k * plane, 0, plane * sizeof(double));
    }
    sampler_release(&s);
    return code;
}
