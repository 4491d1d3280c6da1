/* cosmology_fields.c - see cosmology_fields.h. */
#include "core/ic/cosmology_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ic/lpt.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

enum { SHELL_COLUMNS = 4 };

/* ---- amplitudes ---- */

static bool is_cube(const struct sl_cosmology_fields *f)
{
    const int *n = f->band.modes;
    return n[0] == n[1] && n[0] == n[2] && f->length[0] == f->length[1] &&
           f->length[0] == f->length[2];
}

static int tabulate(struct sl_cosmology_fields *f)
{
    int half = f->band.modes[0] / 2, most = 3 * half * half;
    for (int field = 0; is_cube(f) && field < SL_POWER_FIELDS; field++) {
        double *a = malloc(((size_t)most + 1) * sizeof *a);
        SL_CHECK(a, SL_EMEM, "out of memory for amplitudes");
        f->amplitude[field] = a;
        a[0] = 0;
        for (int i = 1; i <= most; i++)
            a[i] = sl_power_amplitude(f->power, (enum sl_power_field)field,
                                      2 * PI / f->length[0] * sqrt(i));
    }
    return SL_OK;
}

/* Of wave vector k = 2 pi n / L. */
static double amplitude(const struct sl_cosmology_fields *f, enum sl_power_field field,
                        const int n[3], double k2)
{
    if (f->amplitude[field]) return f->amplitude[field][n[0] * n[0] + n[1] * n[1] + n[2] * n[2]];
    return k2 > 0 ? sl_power_amplitude(f->power, field, sqrt(k2)) : 0;
}

/* ---- going over the modes ---- */

/* A line along x of modes of this rank. */
struct line {
    int n[3]; /* n[0] counts */
    size_t at;
    bool inside;
};

static struct line line_at(const struct sl_cosmology_fields *f, int y, int z)
{
    const struct sl_band *b = &f->band;
    struct line l = {.at = ((size_t)y * (size_t)b->modes[2] + (size_t)z) * (size_t)b->nkx};
    l.n[1] = sl_band_wave(b->y0 + y, b->modes[1]);
    l.n[2] = sl_band_wave(z, b->modes[2]);
    l.inside = 2 * abs(l.n[1]) < b->modes[1] && 2 * abs(l.n[2]) < b->modes[2];
    return l;
}

static double wave_square(const struct sl_cosmology_fields *f, const int n[3], double k[3])
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        k[d] = 2 * PI / f->length[d] * n[d];
        square += k[d] * k[d];
    }
    return square;
}

static void draw_line(struct sl_cosmology_fields *f, struct line *l)
{
    for (l->n[0] = 0; l->n[0] < f->band.nkx; l->n[0]++) {
        double g[2] = {0, 0};
        if (l->inside && (l->n[0] || l->n[1] || l->n[2])) sl_density_mode(f->modes, l->n, g);
        f->noise[l->at + (size_t)l->n[0]] = g[0] + I * g[1];
    }
}

static void draw(struct sl_cosmology_fields *f)
{
    for (int y = 0; y < f->band.ny; y++)
        for (int z = 0; z < f->band.modes[2]; z++) {
            struct line l = line_at(f, y, z);
            draw_line(f, &l);
        }
}

static double volume(const struct sl_cosmology_fields *f)
{
    return f->length[0] * f->length[1] * f->length[2];
}

/* Potential of all matter: -delta / k^2. */
static void potential_line(const struct sl_cosmology_fields *f, struct line *l, double norm,
                           fftw_complex *out)
{
    double k[3];
    for (l->n[0] = 0; l->n[0] < f->band.nkx; l->n[0]++) {
        size_t at = l->at + (size_t)l->n[0];
        double k2 = wave_square(f, l->n, k);
        out[at] = k2 > 0 ? -norm * amplitude(f, SL_POWER_TOTAL, l->n, k2) / k2 * f->noise[at] : 0;
    }
}

static int second_order(struct sl_cosmology_fields *f)
{
    double norm = 1 / sqrt(volume(f));
    for (int y = 0; y < f->band.ny; y++)
        for (int z = 0; z < f->band.modes[2]; z++) {
            struct line l = line_at(f, y, z);
            potential_line(f, &l, norm, f->rows);
        }
    return sl_lpt_sources(f->band.turn.comm, f->band.modes, f->length, f->rows, f->s, f->e);
}

/* ---- set up ---- */

static int make_phases(struct sl_cosmology_fields *f)
{
    for (int d = 0; d < 3; d++) {
        int n = f->band.cells[d];
        f->phase[d] = fftw_alloc_complex((size_t)n);
        SL_CHECK(f->phase[d], SL_EMEM, "out of memory for phases");
        for (int i = 0; i < n; i++) {
            double angle = PI * sl_band_wave(i, n) / n;
            f->phase[d][i] = cos(angle) + I * sin(angle);
        }
    }
    return SL_OK;
}

static int allocate(struct sl_cosmology_fields *f)
{
    size_t rows = sl_band_rows(&f->band);
    f->noise = fftw_alloc_complex(rows);
    f->rows = fftw_alloc_complex(rows);
    f->planes = fftw_alloc_complex(sl_band_planes(&f->band));
    f->value = malloc((sl_slab_cells(&f->slab) + 1) * sizeof *f->value);
    if (f->order > 1) {
        f->s = fftw_alloc_complex(rows);
        f->e = fftw_alloc_complex(rows);
    }
    SL_CHECK(f->noise && f->rows && f->planes && f->value && (f->order < 2 || (f->s && f->e)),
             SL_EMEM, "out of memory for fields of %d x %d x %d cells", f->slab.n[0], f->slab.n[1],
             f->slab.n[2]);
    SL_TRY(make_phases(f));
    return tabulate(f);
}

int sl_cosmology_fields_init(MPI_Comm comm, const struct sl_power *power,
                             const struct sl_density_modes *modes, int order, const int cells[3],
                             const double length[3], struct sl_cosmology_fields *out)
{
    struct sl_cosmology_fields f = {.power = power, .modes = modes, .order = order};
    memcpy(f.length, length, sizeof f.length);
    int code = sl_agree(comm, sl_band_init(comm, cells, cells, &f.band));
    if (code != SL_OK) return code;
    sl_slab_init(comm, 3, cells, length, &f.slab);
    code = sl_agree(comm, allocate(&f));
    if (code == SL_OK) {
        draw(&f);
        if (order > 1) code = second_order(&f);
    }
    if (code != SL_OK) {
        sl_cosmology_fields_release(&f);
        return code;
    }
    *out = f;
    return SL_OK;
}

void sl_cosmology_fields_release(struct sl_cosmology_fields *f)
{
    fftw_complex *all[] = {f->noise,  f->s,        f->e,        f->rows,
                           f->planes, f->phase[0], f->phase[1], f->phase[2]};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        fftw_free(all[i]);
    free(f->value);
    for (int i = 0; i < SL_POWER_FIELDS; i++)
        free(f->amplitude[i]);
    sl_band_release(&f->band);
    memset(f, 0, sizeof *f);
}

/* ---- recipes ---- */

static double d2_over_d1_square(const struct sl_cosmology_fields *f)
{
    return f->power->now.d2 / (f->power->now.d1 * f->power->now.d1);
}

struct sl_field_recipe sl_field_density(const struct sl_cosmology_fields *f,
                                        enum sl_power_field species)
{
    struct sl_field_recipe r = {species, -1, 1 - d2_over_d1_square(f), -1};
    return r;
}

/* u = -f grad phi - f grad E + f2 d2 grad chi: minus its divergence is f delta + f laplace E - f2 d2 S. */
struct sl_field_recipe sl_field_velocity(const struct sl_cosmology_fields *f,
                                         enum sl_power_field species, int axis)
{
    struct sl_field_recipe r = {species, axis, -f->power->now.f2 * d2_over_d1_square(f),
                                -f->power->now.f1};
    return r;
}

struct sl_field_recipe sl_field_displacement(const struct sl_cosmology_fields *f,
                                             enum sl_power_field species, int axis)
{
    struct sl_field_recipe r = {species, axis, -d2_over_d1_square(f), 0};
    return r;
}

struct sl_field_recipe sl_field_particle_velocity(const struct sl_cosmology_fields *f,
                                                  enum sl_power_field species, int axis)
{
    struct sl_field_recipe r = {species, axis, -f->power->now.f2 * d2_over_d1_square(f), 0};
    return r;
}

/* ---- making a field ---- */

struct filler {
    struct sl_cosmology_fields *f;
    const struct sl_field_recipe *r;
    double norm; /* 1 / sqrt(volume) */
    double unit; /* 2 pi over the longest side: |k| of shell 1 */
    int nshell;
    double *part; /* [ny][nshell + 1][SHELL_COLUMNS], NULL when not wanted */
};

/* Adds a mode and its conjugate to the sums of their shell. */
static void count(const struct filler *fill, int y, const int n[3], double k2, double linear,
                  double complex v)
{
    int shell = (int)floor(sqrt(k2) / fill->unit + 0.5);
    double times = n[0] > 0 ? 2 : 1;
    if (shell > fill->nshell) return;
    double *sum =
        fill->part + ((size_t)y * (size_t)(fill->nshell + 1) + (size_t)shell) * SHELL_COLUMNS;
    sum[0] += times;
    sum[1] += times * sqrt(k2);
    sum[2] += times * (creal(v) * creal(v) + cimag(v) * cimag(v));
    sum[3] += times * linear * linear;
}

static void fill_line(const struct filler *fill, int y, struct line *l)
{
    struct sl_cosmology_fields *f = fill->f;
    const struct sl_field_recipe *r = fill->r;
    const struct sl_band *b = &f->band;
    double complex corner =
        f->phase[1][b->y0 + y] * f->phase[2][l->n[2] < 0 ? l->n[2] + b->cells[2] : l->n[2]];
    double k[3];
    for (l->n[0] = 0; l->n[0] < b->nkx; l->n[0]++) {
        size_t at = l->at + (size_t)l->n[0];
        double k2 = wave_square(f, l->n, k);
        f->rows[at] = 0;
        if (!l->inside || !(k2 > 0)) continue;
        double linear = fill->norm * amplitude(f, r->first, l->n, k2);
        double complex v = linear * f->noise[at];
        if (f->s) v += r->s * f->s[at] + r->e * k2 * f->e[at];
        if (r->axis >= 0) v *= I * k[r->axis] / k2;
        if (fill->part) count(fill, y, l->n, k2, linear, v);
        f->rows[at] = v * corner * f->phase[0][l->n[0]];
    }
}

static void fill_rows(const struct filler *fill)
{
    const struct sl_band *b = &fill->f->band;
    for (int y = 0; y < b->ny; y++)
        for (int z = 0; z < b->modes[2]; z++) {
            struct line l = line_at(fill->f, y, z);
            fill_line(fill, y, &l);
        }
}

static int sum_shells(const struct filler *fill, struct sl_field_shell *shells)
{
    int columns = (fill->nshell + 1) * SHELL_COLUMNS;
    double *total = malloc((size_t)columns * sizeof *total);
    const struct sl_slab *slab = &fill->f->slab;
    int code = sl_agree(slab->comm, total ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for shells"));
    if (code == SL_OK) code = sl_slab_sum_rows(slab, columns, fill->part, total);
    for (int i = 0; i <= fill->nshell && code == SL_OK; i++) {
        const double *t = total + (size_t)i * SHELL_COLUMNS;
        shells[i] = (struct sl_field_shell){t[0], t[1], t[2], t[3]};
    }
    free(total);
    return code;
}

static int to_grid(struct sl_cosmology_fields *f)
{
    size_t n = (size_t)f->slab.n[0] * (size_t)f->slab.n[1];
    SL_TRY(sl_band_to_planes(&f->band, f->rows, f->planes));
    for (int k = 0; k < f->slab.nz; k++)
        memcpy(f->value + (size_t)k * n, sl_band_plane(&f->band, f->planes, k),
               n * sizeof *f->value);
    return SL_OK;
}

int sl_cosmology_fields_make(struct sl_cosmology_fields *f, const struct sl_field_recipe *recipe,
                             int nshell, struct sl_field_shell *shells)
{
    double longest = fmax(f->length[0], fmax(f->length[1], f->length[2]));
    struct filler fill = {.f = f,
                          .r = recipe,
                          .norm = 1 / sqrt(volume(f)),
                          .unit = 2 * PI / longest,
                          .nshell = nshell};
    if (shells) {
        fill.part =
            calloc((size_t)f->band.ny * (size_t)(nshell + 1) * SHELL_COLUMNS + 1, sizeof(double));
        SL_TRY(sl_agree(f->slab.comm,
                        fill.part ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for shells")));
    }
    fill_rows(&fill);
    int code = shells ? sum_shells(&fill, shells) : SL_OK;
    free(fill.part);
    return code == SL_OK ? to_grid(f) : code;
}
