/* cosmology_fields.c - see cosmology_fields.h. */
#include "core/ic/cosmology_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ic/lpt.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
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

static double d2_over_d1_square(const struct sl_cosmology_fields *f)
{
    return f->power->now.d2 / (f->power->now.d1 * f->power->now.d1);
}

/* First-order potential of a species, -delta / k^2, and of its displacement to second order: phi - d2 chi. */
static void potential_line(const struct sl_cosmology_fields *f, enum sl_power_field species,
                           double d2, struct line *l)
{
    double k[3], norm = 1 / sqrt(volume(f));
    for (l->n[0] = 0; l->n[0] < f->band.nkx; l->n[0]++) {
        size_t at = l->at + (size_t)l->n[0];
        double k2 = wave_square(f, l->n, k);
        f->rows[at] = 0;
        if (!(k2 > 0)) continue;
        f->rows[at] = -norm * amplitude(f, species, l->n, k2) / k2 * f->noise[at];
        if (d2 != 0) f->rows[at] += d2 * f->s[at] / k2;
    }
}

static int products(struct sl_cosmology_fields *f, struct sl_lpt *lpt, enum sl_power_field species,
                    double d2, const struct sl_lpt_products *out)
{
    for (int y = 0; y < f->band.ny; y++)
        for (int z = 0; z < f->band.modes[2]; z++) {
            struct line l = line_at(f, y, z);
            potential_line(f, species, d2, &l);
        }
    return sl_lpt_make(lpt, f->rows, out);
}

static int all_products(struct sl_cosmology_fields *f, struct sl_lpt *lpt)
{
    const struct sl_lpt_products matter = {f->s, NULL, NULL}, where = {NULL, f->gas_e, NULL},
                                 what = {NULL, NULL, f->gas_r};
    SL_TRY(products(f, lpt, SL_POWER_TOTAL, 0, &matter));
    SL_TRY(products(f, lpt, f->gas, 0, &where));
    return products(f, lpt, f->gas, d2_over_d1_square(f), &what);
}

static int second_order(struct sl_cosmology_fields *f)
{
    struct sl_lpt lpt;
    SL_TRY(sl_lpt_init(f->band.turn.comm, f->band.modes, f->length, &lpt));
    int code = all_products(f, &lpt);
    sl_lpt_release(&lpt);
    return code;
}

/* One component of where the gas came from, in cells. */
static int shift_along(struct sl_cosmology_fields *f, int axis, double e, bool carried,
                       double *shift)
{
    struct sl_field_recipe r = {f->gas, axis, 1, -d2_over_d1_square(f), e, 0, carried};
    double to_cells = f->slab.n[axis] / f->length[axis];
    SL_TRY(sl_cosmology_fields_make(f, &r, 0, NULL));
    for (size_t i = 0; i < sl_slab_cells(&f->slab); i++)
        shift[i] = to_cells * f->value[i];
    return SL_OK;
}

static fftw_complex *room(size_t modes)
{
    return sl_alloc_large(modes * sizeof(fftw_complex));
}

static int open_fine(struct sl_cosmology_fields *f)
{
    int cells[3];
    MPI_Comm comm = f->slab.comm;
    for (int d = 0; d < 3; d++)
        cells[d] = sl_lpt_cells(f->band.modes[d]);
    SL_TRY(sl_agree(comm, sl_band_init(comm, f->band.modes, cells, &f->fine)));
    f->fine_rows = room(sl_band_rows(&f->fine));
    f->fine_planes = room(sl_band_planes(&f->fine));
    sl_slab_init(comm, 3, cells, f->length, &f->fine_slab);
    return sl_agree(comm, f->fine_rows && f->fine_planes
                              ? SL_OK
                              : SL_FAIL(SL_EMEM, "out of memory for finer fields"));
}

/* Where the gas came from: x - q = psi(q). First psi - (psi . grad) psi at x, then psi at that q, which leaves an
 * error of psi times the third power of its gradient. */
static int set_shifts(struct sl_cosmology_fields *f)
{
    struct sl_remap better;
    SL_TRY(open_fine(f));
    SL_TRY(sl_remap_init(&f->slab, &f->fine_slab, &f->remap));
    for (int axis = 0; axis < 3; axis++)
        SL_TRY(shift_along(f, axis, -1, false, f->remap.shift[axis]));
    SL_TRY(sl_remap_ready(&f->remap));
    SL_TRY(sl_remap_init(&f->slab, &f->fine_slab, &better));
    int code = SL_OK;
    for (int axis = 0; axis < 3 && code == SL_OK; axis++)
        code = shift_along(f, axis, 0, true, better.shift[axis]);
    struct sl_remap first = f->remap;
    f->remap = better;
    sl_remap_release(&first);
    return code == SL_OK ? sl_remap_ready(&f->remap) : code;
}

/* ---- set up ---- */

/* From the corner to the centre of a cell; from values to coefficients on the finer grid. */
static int make_factors(struct sl_cosmology_fields *f)
{
    f->k2 = malloc(2 * (size_t)f->band.nkx * sizeof *f->k2);
    SL_CHECK(f->k2, SL_EMEM, "out of memory for a line");
    f->linear = f->k2 + f->band.nkx;
    for (int d = 0; d < 3; d++) {
        int n = f->band.cells[d];
        f->phase[d] = fftw_alloc_complex((size_t)n);
        f->spread[d] = fftw_alloc_complex((size_t)n);
        SL_CHECK(f->phase[d] && f->spread[d], SL_EMEM, "out of memory for phases");
        for (int i = 0; i < n; i++) {
            double angle = PI * sl_band_wave(i, n) / n;
            f->phase[d][i] = cos(angle) + I * sin(angle);
            f->spread[d][i] = 1 / sl_remap_filter(sl_band_wave(i, n), sl_lpt_cells(n));
        }
    }
    return SL_OK;
}

static int allocate(struct sl_cosmology_fields *f)
{
    size_t rows = sl_band_rows(&f->band);
    f->noise = room(rows);
    f->rows = room(rows);
    f->planes = room(sl_band_planes(&f->band));
    f->value = sl_alloc_large(sl_slab_cells(&f->slab) * sizeof *f->value);
    if (f->order > 1) {
        f->s = room(rows);
        f->gas_e = room(rows);
        f->gas_r = room(rows);
    }
    SL_CHECK(f->noise && f->rows && f->planes && f->value &&
                 (f->order < 2 || (f->s && f->gas_e && f->gas_r)),
             SL_EMEM, "out of memory for fields of %d x %d x %d cells", f->slab.n[0], f->slab.n[1],
             f->slab.n[2]);
    SL_TRY(make_factors(f));
    return tabulate(f);
}

int sl_cosmology_fields_init(MPI_Comm comm, const struct sl_power *power,
                             const struct sl_density_modes *modes, int order,
                             enum sl_power_field gas, const int cells[3], const double length[3],
                             struct sl_cosmology_fields *out)
{
    struct sl_cosmology_fields f = {.power = power, .modes = modes, .order = order, .gas = gas};
    memcpy(f.length, length, sizeof f.length);
    int code = sl_agree(comm, sl_band_init(comm, cells, cells, &f.band));
    if (code != SL_OK) return code;
    sl_slab_init(comm, 3, cells, length, &f.slab);
    code = sl_agree(comm, allocate(&f));
    if (code == SL_OK) {
        draw(&f);
        if (order > 1) code = second_order(&f);
        if (order > 1 && code == SL_OK) code = set_shifts(&f);
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
    fftw_complex *all[] = {f->noise, f->s,      f->gas_e,     f->gas_r,
                           f->rows,  f->planes, f->fine_rows, f->fine_planes};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
    for (int d = 0; d < 3; d++) {
        fftw_free(f->phase[d]);
        fftw_free(f->spread[d]);
    }
    free(f->value);
    free(f->k2);
    for (int i = 0; i < SL_POWER_FIELDS; i++)
        free(f->amplitude[i]);
    sl_band_release(&f->band);
    sl_band_release(&f->fine);
    sl_remap_release(&f->remap);
    memset(f, 0, sizeof *f);
}

/* ---- recipes ---- */

struct sl_field_recipe sl_field_linear(enum sl_power_field species)
{
    struct sl_field_recipe r = {species, -1, 1, 0, 0, 0, false};
    return r;
}

struct sl_field_recipe sl_field_gas_density(const struct sl_cosmology_fields *f)
{
    struct sl_field_recipe r = {f->gas, -1, 0, 0, 0, 1, true};
    return f->order > 1 ? r : sl_field_linear(f->gas);
}

/* Velocities are those of the displacement: f psi_1 + f2 psi_2. */
static struct sl_field_recipe moving(const struct sl_cosmology_fields *f, enum sl_power_field first,
                                     double rate2, int axis, bool carried)
{
    struct sl_field_recipe r = {
        first, axis, 1, -rate2 * d2_over_d1_square(f), 0, 0, carried && f->order > 1};
    return r;
}

struct sl_field_recipe sl_field_gas_velocity(const struct sl_cosmology_fields *f, int axis)
{
    return moving(f, SL_POWER_BARYON_VELOCITY, f->power->now.f2, axis, true);
}

struct sl_field_recipe sl_field_displacement(const struct sl_cosmology_fields *f, int axis)
{
    return moving(f, SL_POWER_CDM, 1, axis, false);
}

struct sl_field_recipe sl_field_particle_velocity(const struct sl_cosmology_fields *f, int axis)
{
    return moving(f, SL_POWER_CDM_VELOCITY, f->power->now.f2, axis, false);
}

/* ---- making a field ---- */

struct filler {
    struct sl_cosmology_fields *f;
    const struct sl_field_recipe *r;
    double norm; /* 1 / sqrt(volume) */
    double unit; /* 2 pi over the longest side: |k| of shell 1 */
    int nshell;
    double *part; /* [ny][nshell + 1][SHELL_COLUMNS], NULL when not wanted */
    /* where the modes go, and by what they are multiplied for each axis */
    const struct sl_band *band;
    fftw_complex *rows, *const *factor;
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

/* out[n] of complex numbers += weight times in[n], and times k2[n] unless that is NULL. */
static void add_weighted(int n, double weight, const double *restrict k2, const fftw_complex *from,
                         fftw_complex *to)
{
    const double *in = (const double *)from;
    double *restrict out = (double *)to;
    for (int x = 0; x < n && weight != 0; x++) {
        double w = k2 ? weight * k2[x] : weight;
        out[2 * x] += w * in[2 * x];
        out[2 * x + 1] += w * in[2 * x + 1];
    }
}

/* The vector whose divergence is -1 times that: times i k / k^2. */
static void make_component(const struct filler *fill, const struct line *l, fftw_complex *out)
{
    int axis = fill->r->axis;
    double unit = 2 * PI / fill->f->length[axis], *v = (double *)out;
    for (int x = 0; x < fill->f->band.nkx; x++) {
        double k = unit * (axis == 0 ? x : l->n[axis]);
        double factor = fill->f->k2[x] > 0 ? k / fill->f->k2[x] : 0, re = v[2 * x];
        v[2 * x] = -factor * v[2 * x + 1];
        v[2 * x + 1] = factor * re;
    }
}

/* Times factor and that of each place along x. */
static void turn_phases(int n, double complex factor, const fftw_complex *along, fftw_complex *line)
{
    const double *f = (const double *)along, re = creal(factor), im = cimag(factor);
    double *v = (double *)line;
    for (int x = 0; x < n; x++) {
        double a = v[2 * x] * re - v[2 * x + 1] * im, b = v[2 * x] * im + v[2 * x + 1] * re;
        v[2 * x] = a * f[2 * x] - b * f[2 * x + 1];
        v[2 * x + 1] = a * f[2 * x + 1] + b * f[2 * x];
    }
}

/* Amplitude of each mode of a line, and k^2. */
static void set_line(const struct filler *fill, struct line *l)
{
    double k[3];
    for (l->n[0] = 0; l->n[0] < fill->f->band.nkx; l->n[0]++) {
        fill->f->k2[l->n[0]] = wave_square(fill->f, l->n, k);
        fill->f->linear[l->n[0]] =
            fill->norm * amplitude(fill->f, fill->r->first, l->n, fill->f->k2[l->n[0]]);
    }
}

static void sum_orders(const struct filler *fill, const struct line *l, fftw_complex *out)
{
    const struct sl_cosmology_fields *f = fill->f;
    const struct sl_field_recipe *r = fill->r;
    int n = f->band.nkx;
    for (int x = 0; x < n; x++)
        out[x] = r->linear * fill->f->linear[x] * f->noise[l->at + (size_t)x];
    if (!f->s) return;
    add_weighted(n, r->s, NULL, f->s + l->at, out);
    add_weighted(n, r->e, fill->f->k2, f->gas_e + l->at, out);
    add_weighted(n, r->r, NULL, f->gas_r + l->at, out);
}

static void fill_line(const struct filler *fill, int y, struct line *l)
{
    struct sl_cosmology_fields *f = fill->f;
    int modes = f->band.modes[2], nkx = f->band.nkx, z = l->n[2] < 0 ? l->n[2] + modes : l->n[2];
    int place = l->n[2] < 0 ? l->n[2] + fill->band->cells[2] : l->n[2];
    fftw_complex *out = fill->rows + ((size_t)y * (size_t)fill->band->cells[2] + (size_t)place) *
                                         (size_t)fill->band->nkx;
    memset(out, 0, (size_t)nkx * sizeof *out);
    if (!l->inside) return;
    set_line(fill, l);
    sum_orders(fill, l, out);
    if (fill->r->axis >= 0) make_component(fill, l, out);
    if (fill->f->k2[0] == 0) { /* the mean of R is not 0 where matter started */
        double complex mean = f->s ? fill->r->r * f->gas_r[l->at] : 0;
        out[0] = fill->r->axis < 0 ? mean : 0;
    }
    for (l->n[0] = 0; l->n[0] < nkx && fill->part; l->n[0]++)
        if (fill->f->k2[l->n[0]] > 0)
            count(fill, y, l->n, fill->f->k2[l->n[0]], fill->f->linear[l->n[0]], out[l->n[0]]);
    turn_phases(nkx, fill->factor[1][f->band.y0 + y] * fill->factor[2][z], fill->factor[0], out);
}

static void fill_rows(const struct filler *fill)
{
    const struct sl_band *b = &fill->f->band;
    if (fill->band != b) memset(fill->rows, 0, sl_band_rows(fill->band) * sizeof *fill->rows);
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

/* Coefficients on the finer grid, then the field where the gas is. */
static int carry(struct sl_cosmology_fields *f)
{
    const struct sl_band *b = &f->fine;
    SL_TRY(sl_band_to_planes(b, f->fine_rows, f->fine_planes));
    for (int k = 0; k < b->nz; k++)
        sl_remap_put(&f->remap, k, sl_band_plane(b, f->fine_planes, k));
    return sl_remap_apply(&f->remap, f->value);
}

int sl_cosmology_fields_make(struct sl_cosmology_fields *f, const struct sl_field_recipe *recipe,
                             int nshell, struct sl_field_shell *shells)
{
    double longest = fmax(f->length[0], fmax(f->length[1], f->length[2]));
    bool carried = recipe->carried;
    struct filler fill = {.f = f,
                          .r = recipe,
                          .norm = 1 / sqrt(volume(f)),
                          .unit = 2 * PI / longest,
                          .nshell = nshell,
                          .band = carried ? &f->fine : &f->band,
                          .rows = carried ? f->fine_rows : f->rows,
                          .factor = carried ? f->spread : f->phase};
    if (shells) {
        fill.part =
            calloc((size_t)f->band.ny * (size_t)(nshell + 1) * SHELL_COLUMNS + 1, sizeof(double));
        SL_TRY(sl_agree(f->slab.comm,
                        fill.part ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for shells")));
    }
    fill_rows(&fill);
    int code = shells ? sum_shells(&fill, shells) : SL_OK;
    free(fill.part);
    if (code != SL_OK) return code;
    return carried ? carry(f) : to_grid(f);
}
