/* cosmology_fields.c - see cosmology_fields.h. */
#include "core/ic/cosmology_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ic/lpt.h"
#include "core/ic/noise_file.h"
#include "core/measure/mode.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

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
    struct line l = {.at = sl_band_line_start(b, y, z)};
    l.n[1] = sl_band_wave(b->y0 + y, b->modes[1]);
    l.n[2] = sl_band_wave(z, b->modes[2]);
    l.inside = 2 * abs(l.n[1]) < b->modes[1] && 2 * abs(l.n[2]) < b->modes[2];
    return l;
}

static double volume(const struct sl_cosmology_fields *f)
{
    return f->length[0] * f->length[1] * f->length[2];
}

/* 2 pi / L: k of n = 1. */
static double unit(const struct sl_cosmology_fields *f, int axis)
{
    return 2 * PI / f->length[axis];
}

/* k^2 of each mode of a line. */
static void square_line(const struct sl_cosmology_fields *f, const struct line *l)
{
    double along_x = unit(f, 0), ky = unit(f, 1) * l->n[1], kz = unit(f, 2) * l->n[2];
    for (int x = 0; x < f->band.nkx; x++) {
        double kx = along_x * x;
        f->k2[x] = kx * kx + ky * ky + kz * kz;
    }
}

/* k^2 and amplitude of each mode of a line. */
static void set_line(const struct sl_cosmology_fields *f, enum sl_power_field field,
                     const struct line *l)
{
    const double *table = f->amplitude[field];
    double norm = 1 / sqrt(volume(f));
    int beside = l->n[1] * l->n[1] + l->n[2] * l->n[2];
    square_line(f, l);
    for (int x = 0; x < f->band.nkx; x++) {
        double k2 = f->k2[x];
        double a = table    ? table[x * x + beside]
                   : k2 > 0 ? sl_power_amplitude(f->power, field, sqrt(k2))
                            : 0;
        f->linear[x] = norm * a;
    }
}

static void draw_line(struct sl_cosmology_fields *f, struct line *l)
{
    for (l->n[0] = 0; l->n[0] < f->band.nkx; l->n[0]++) {
        double g[2] = {0, 0};
        if (l->inside && (l->n[0] || l->n[1] || l->n[2])) sl_density_mode(f->modes, l->n, g);
        f->noise[l->at + (size_t)l->n[0]] = g[0] + I * g[1];
    }
}

/* collective where a file has the numbers. */
static int draw(struct sl_cosmology_fields *f)
{
    const struct sl_density_modes *m = f->modes;
    const struct sl_noise_source file = {m->noise, m->noise_set, m->fixed, m->paired};
    if (m->noise && *m->noise) return sl_noise_file_read(&file, &f->band, f->planes, f->noise);
    for (int y = 0; y < f->band.ny; y++)
        for (int z = 0; z < f->band.modes[2]; z++) {
            struct line l = line_at(f, y, z);
            draw_line(f, &l);
        }
    return SL_OK;
}

static double d2_over_d1_square(const struct sl_cosmology_fields *f)
{
    return f->power->now.d2 / (f->power->now.d1 * f->power->now.d1);
}

/* First-order potential of a species, -delta / k^2, and of its displacement to second order: phi -
 * d2 chi. out may be f->s where d2 is 0. */
static void potential_line(const struct sl_cosmology_fields *f, enum sl_power_field species,
                           double d2, const struct line *l, fftw_complex *out)
{
    set_line(f, species, l);
    for (int x = 0; x < f->band.nkx; x++) {
        size_t at = l->at + (size_t)x;
        double k2 = f->k2[x];
        out[at] = 0;
        if (!(k2 > 0)) continue;
        out[at] = -f->linear[x] / k2 * f->noise[at];
        if (d2 != 0) out[at] += d2 * f->s[at] / k2;
    }
}

static void make_potential(struct sl_cosmology_fields *f, enum sl_power_field species, double d2,
                           fftw_complex *out)
{
    for (int y = 0; y < f->band.ny; y++)
        for (int z = 0; z < f->band.modes[2]; z++) {
            struct line l = line_at(f, y, z);
            potential_line(f, species, d2, &l, out);
        }
}

/* S of all matter, in place of its potential: the last field has no memory yet. */
static int second_order(struct sl_cosmology_fields *f)
{
    const struct sl_lpt_products matter = {f->s, NULL};
    make_potential(f, SL_POWER_TOTAL, 0, f->s);
    return sl_lpt_make(&f->lpt, f->s, &matter);
}

/* R of the gas, in place of its potential. */
static int compress(struct sl_cosmology_fields *f)
{
    const struct sl_lpt_products gas = {NULL, f->held};
    make_potential(f, f->gas, d2_over_d1_square(f), f->held);
    return sl_lpt_make(&f->lpt, f->held, &gas);
}

static fftw_complex *room(size_t modes)
{
    return sl_alloc_large(modes * sizeof(fftw_complex));
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
        f->corner[d] = fftw_alloc_complex((size_t)n);
        f->spread[d] = fftw_alloc_complex((size_t)n);
        SL_CHECK(f->phase[d] && f->corner[d] && f->spread[d], SL_EMEM, "out of memory for phases");
        for (int i = 0; i < n; i++) {
            double angle = PI * sl_band_wave(i, n) / n;
            f->phase[d][i] = cos(angle) + I * sin(angle);
            f->corner[d][i] = 1;
            f->spread[d][i] = 1 / sl_remap_filter(sl_band_wave(i, n), sl_lpt_cells(n));
        }
    }
    return SL_OK;
}

/* What is held in place of the last field. */
static int allocate_value(struct sl_cosmology_fields *f)
{
    size_t cells = sl_slab_cells(&f->slab), rows = 2 * sl_band_rows(&f->band);
    f->value = sl_alloc_large((cells > rows ? cells : rows) * sizeof *f->value);
    f->held = (fftw_complex *)f->value;
    return f->value ? SL_OK : SL_EMEM;
}

static int allocate(struct sl_cosmology_fields *f)
{
    size_t rows = sl_band_rows(&f->band);
    bool second = f->order > 1;
    f->noise = room(rows);
    if (second) f->s = room(rows);
    f->planes = second ? f->lpt.planes[0] : room(sl_band_planes(&f->band));
    SL_CHECK(allocate_value(f) == SL_OK && f->noise && f->planes && (!second || f->s), SL_EMEM,
             "out of memory for fields of %d x %d x %d cells", f->slab.n[0], f->slab.n[1],
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
    if (order > 1) code = sl_lpt_init(comm, cells, length, &f.lpt);
    if (code == SL_OK) code = sl_agree(comm, allocate(&f));
    if (code == SL_OK) code = draw(&f);
    if (code == SL_OK && order > 1) code = second_order(&f);
    if (code != SL_OK) {
        sl_cosmology_fields_release(&f);
        return code;
    }
    *out = f;
    return SL_OK;
}

void sl_cosmology_fields_release(struct sl_cosmology_fields *f)
{
    free(f->noise);
    free(f->s);
    if (f->planes != f->lpt.planes[0]) free(f->planes);
    for (int d = 0; d < 3; d++) {
        fftw_free(f->phase[d]);
        fftw_free(f->corner[d]);
        fftw_free(f->spread[d]);
    }
    free(f->value);
    free(f->k2);
    for (int i = 0; i < SL_POWER_FIELDS; i++)
        free(f->amplitude[i]);
    sl_band_release(&f->band);
    sl_lpt_release(&f->lpt);
    sl_remap_release(&f->remap);
    memset(f, 0, sizeof *f);
}

/* ---- recipes ---- */

struct sl_field_recipe sl_field_linear(enum sl_power_field species)
{
    struct sl_field_recipe r = {species, SL_RECIPE_SCALAR, 1, 0, 0, 0};
    return r;
}

/* The displacement psi_1 + psi_2, or as a velocity f psi_1 + f2 psi_2. */
static struct sl_field_recipe moving(const struct sl_cosmology_fields *f, enum sl_power_field first,
                                     double rate2, int axis)
{
    struct sl_field_recipe r = {first, axis, 1, -rate2 * d2_over_d1_square(f), 0, 0};
    return r;
}

struct sl_field_recipe sl_field_displacement(const struct sl_cosmology_fields *f, int axis)
{
    struct sl_field_recipe r = moving(f, SL_POWER_CDM, 1, axis);
    r.corner = f->corners;
    return r;
}

static struct sl_field_recipe velocity(const struct sl_cosmology_fields *f,
                                       enum sl_power_field first, int axis)
{
    return moving(f, first, f->power->now.f2, axis);
}

/* ---- making a field ---- */

struct filler {
    struct sl_cosmology_fields *f;
    const struct sl_field_recipe *r;
    double stretch[3]; /* k_i / n_i in 2 pi over the longest side, |k| of shell 1 */
    int nshell;
    double *part; /* [ny][nshell + 1][SL_SHELL_COLUMNS], NULL when not wanted */
    /* to which grid the modes go, and by what they are multiplied for each axis */
    const struct sl_band *band;
    fftw_complex *const *factor;
};

/* Adds a mode and its conjugate to the sums of their shell, which is that of a measured spectrum,
 * in boxes of any sides. */
static void count(const struct filler *fill, int y, const int n[3], double k2, double linear,
                  double complex v)
{
    const double *to_k = fill->stretch;
    double length = sl_mode_length(n[0] * to_k[0], n[1] * to_k[1], n[2] * to_k[2]);
    int shell = sl_mode_shell(length, fill->nshell);
    double times = n[0] > 0 ? 2 : 1;
    if (shell > fill->nshell) return;
    double *sum =
        fill->part + ((size_t)y * (size_t)(fill->nshell + 1) + (size_t)shell) * SL_SHELL_COLUMNS;
    sum[SL_SHELL_MODES] += times;
    sum[SL_SHELL_K] += times * sqrt(k2);
    sum[SL_SHELL_REALISED] += times * (creal(v) * creal(v) + cimag(v) * cimag(v));
    sum[SL_SHELL_LINEAR] += times * linear * linear;
}

/* out[n] of complex numbers += weight times in[n]. */
static void add_weighted(int n, double weight, const fftw_complex *from, fftw_complex *to)
{
    const double *in = (const double *)from;
    double *restrict out = (double *)to;
    for (int x = 0; x < 2 * n && weight != 0; x++)
        out[x] += weight * in[x];
}

/* The vector whose divergence is -1 times that: times i k / k^2; what it is the gradient of:
 * without the i k. */
static void make_component(const struct filler *fill, const struct line *l, fftw_complex *out)
{
    int axis = fill->r->axis;
    const double *k2 = fill->f->k2;
    double *v = (double *)out;
    for (int x = 0; x < fill->f->band.nkx; x++) {
        double below = k2[x] > 0 ? 1 / k2[x] : 0, re = below * v[2 * x], im = below * v[2 * x + 1];
        double k = axis < 3 ? unit(fill->f, axis) * (axis == 0 ? x : l->n[axis]) : 0;
        v[2 * x] = axis < 3 ? -k * im : re;
        v[2 * x + 1] = axis < 3 ? k * re : im;
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

static void sum_orders(const struct filler *fill, const struct line *l, fftw_complex *out)
{
    const struct sl_cosmology_fields *f = fill->f;
    const struct sl_field_recipe *r = fill->r;
    int n = f->band.nkx;
    for (int x = 0; x < n; x++)
        out[x] = r->linear * fill->f->linear[x] * f->noise[l->at + (size_t)x];
    if (!f->s) return;
    add_weighted(n, r->s, f->s + l->at, out);
    add_weighted(n, r->r, f->held + l->at, out);
}

/* Whether the lattice of the particles has a wave. */
static bool kept(const struct filler *fill, int axis, int n)
{
    return !fill->r->corner || 2 * fill->r->corner * abs(n) < fill->f->band.cells[axis];
}

/* A line of modes; fits sl_band_line. */
static void fill_line(void *context, int y, int z, fftw_complex *out)
{
    const struct filler *fill = context;
    struct sl_cosmology_fields *f = fill->f;
    struct line l = line_at(f, y, z);
    int nkx = f->band.nkx;
    memset(out, 0, (size_t)nkx * sizeof *out);
    if (!l.inside || !kept(fill, 1, l.n[1]) || !kept(fill, 2, l.n[2])) return;
    set_line(f, fill->r->first, &l);
    sum_orders(fill, &l, out);
    if (fill->r->axis >= 0) make_component(fill, &l, out);
    if (f->k2[0] == 0) /* the mean of R is not 0 where matter started */
        out[0] = fill->r->axis < 0 && fill->r->r != 0 ? fill->r->r * f->held[l.at] : 0;
    for (l.n[0] = 0; l.n[0] < nkx && fill->part; l.n[0]++)
        if (f->k2[l.n[0]] > 0) count(fill, y, l.n, f->k2[l.n[0]], f->linear[l.n[0]], out[l.n[0]]);
    for (int x = 0; x < nkx && fill->r->corner; x++)
        if (!kept(fill, 0, x)) out[x] = 0;
    turn_phases(nkx, fill->factor[1][f->band.y0 + y] * fill->factor[2][z], fill->factor[0], out);
}

int sl_field_shells_sum(const struct sl_slab *slab, int nshell, const double *part,
                        struct sl_field_shell *shells)
{
    int columns = (nshell + 1) * SL_SHELL_COLUMNS;
    double *total = malloc((size_t)columns * sizeof *total);
    int code = sl_agree(slab->comm, total ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for shells"));
    if (code == SL_OK) code = sl_slab_sum_rows(slab, columns, part, total);
    for (int i = 0; i <= nshell && code == SL_OK; i++) {
        const double *t = total + (size_t)i * SL_SHELL_COLUMNS;
        shells[i] = (struct sl_field_shell){t[SL_SHELL_MODES], t[SL_SHELL_K], t[SL_SHELL_REALISED],
                                            t[SL_SHELL_LINEAR]};
    }
    free(total);
    return code;
}

/* A field as planes of modes; shells, may be NULL. */
static int make_planes(struct filler *fill, struct sl_field_shell *shells, fftw_complex *planes)
{
    const struct sl_cosmology_fields *f = fill->f;
    double longest = fmax(f->length[0], fmax(f->length[1], f->length[2]));
    size_t size = (size_t)f->band.ny * (size_t)(fill->nshell + 1) * SL_SHELL_COLUMNS + 1;
    for (int d = 0; d < 3; d++)
        fill->stretch[d] = longest / f->length[d];
    if (shells) {
        fill->part = calloc(size, sizeof(double));
        SL_TRY(sl_agree(f->slab.comm,
                        fill->part ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for shells")));
    }
    int code = sl_band_make_planes(fill->band, fill_line, fill, planes);
    if (code == SL_OK && shells)
        code = sl_field_shells_sum(&f->slab, fill->nshell, fill->part, shells);
    free(fill->part);
    return code;
}

/* The planes, differentiated along an axis (0, 1), into value. */
static void to_grid(struct sl_cosmology_fields *f, int axis)
{
    size_t n = (size_t)f->slab.n[0] * (size_t)f->slab.n[1];
    double factor = axis == 0 || axis == 1 ? 2 * PI / f->length[axis] : 1;
    for (int k = 0; k < f->slab.nz; k++)
        sl_band_derive(&f->band, f->planes, k, axis == 0, axis == 1, factor,
                       f->value + (size_t)k * n);
}

/* What the vector of a component is the gradient of stays in the planes for the next component. */
static bool in_planes(const struct sl_cosmology_fields *f, const struct sl_field_recipe *r)
{
    const struct sl_field_recipe *p = &f->made;
    return p->axis == r->axis && p->first == r->first && p->linear == r->linear && p->s == r->s &&
           p->r == r->r && p->corner == r->corner;
}

int sl_cosmology_fields_make(struct sl_cosmology_fields *f, const struct sl_field_recipe *recipe,
                             int nshell, struct sl_field_shell *shells)
{
    struct sl_field_recipe made = *recipe;
    struct filler fill = {.f = f, .r = &made, .nshell = nshell, .band = &f->band};
    fill.factor = recipe->corner ? f->corner : f->phase;
    if (recipe->axis == 0 || recipe->axis == 1) made.axis = SL_RECIPE_POTENTIAL;
    if (shells || made.axis != SL_RECIPE_POTENTIAL || !in_planes(f, &made))
        SL_TRY(make_planes(&fill, shells, f->planes));
    f->made = made;
    to_grid(f, recipe->axis);
    return SL_OK;
}

double *sl_cosmology_fields_scratch(struct sl_cosmology_fields *f)
{
    f->made = (struct sl_field_recipe){.axis = SL_RECIPE_SCALAR};
    return (double *)f->planes;
}

/* ---- the gas, carried ---- */

/* Coefficients of a field on the finer grid, as planes of modes. */
static int spread(struct sl_cosmology_fields *f, const struct sl_field_recipe *recipe, int nshell,
                  struct sl_field_shell *shells, fftw_complex *planes)
{
    struct filler fill = {
        .f = f, .r = recipe, .nshell = nshell, .band = &f->lpt.band, .factor = f->spread};
    return make_planes(&fill, shells, planes);
}

/* A vector, of which r->axis is set here, times factor, as the first three of `out`. */
static int spread_vector(struct sl_cosmology_fields *f, struct sl_field_recipe r,
                         const double factor[3], struct sl_remap_fields *out)
{
    r.axis = SL_RECIPE_POTENTIAL;
    SL_TRY(spread(f, &r, 0, NULL, f->lpt.planes[0]));
    r.axis = 2;
    SL_TRY(spread(f, &r, 0, NULL, f->lpt.planes[1]));
    *out = (struct sl_remap_fields){.nmodes = 2,
                                    .n = 3,
                                    .modes = {f->lpt.planes[0], f->lpt.planes[1]},
                                    .part = {{0, 1, 0, factor[0] * f->lpt.unit[0]},
                                             {0, 0, 1, factor[1] * f->lpt.unit[1]},
                                             {1, 0, 0, factor[2]}}};
    return SL_OK;
}

/* The density, which spread has left in the last planes, and the velocity. */
static int carry(struct sl_cosmology_fields *f)
{
    static const double one[3] = {1, 1, 1};
    struct sl_remap_fields all;
    double to_cells[3], *const out[] = {NULL, NULL, NULL, f->value};
    for (int d = 0; d < 3; d++)
        to_cells[d] = f->slab.n[d] / f->length[d];
    SL_TRY(spread_vector(f, moving(f, f->gas, 1, 0), to_cells, &all));
    SL_TRY(sl_remap_follow(&f->remap, &all));
    SL_TRY(spread_vector(f, velocity(f, SL_POWER_BARYON_VELOCITY, 0), one, &all));
    all.modes[all.nmodes++] = f->lpt.planes[2];
    all.part[all.n++] = (struct sl_remap_part){2, 0, 0, 1};
    return sl_remap_apply(&f->remap, &all, out);
}

/* In cells. */
static double reach(const struct sl_cosmology_fields *f)
{
    double rms = sl_power_displacement(f->power, f->gas, f->length, 2);
    return SL_POWER_REACH * rms * f->slab.n[2] / f->length[2];
}

int sl_cosmology_fields_gas(struct sl_cosmology_fields *f, int nshell,
                            struct sl_field_shell *shells)
{
    const struct sl_field_recipe linear = sl_field_linear(f->gas),
                                 density = {f->gas, SL_RECIPE_SCALAR, 0, 0, 1, 0};
    if (f->order < 2) return sl_cosmology_fields_make(f, &linear, nshell, shells);
    SL_TRY(compress(f));
    SL_TRY(sl_remap_init(&f->slab, &f->lpt.band, reach(f), &f->remap));
    SL_TRY(spread(f, &density, nshell, shells, f->lpt.planes[2]));
    SL_TRY(carry(f));
    sl_lpt_trim(&f->lpt);
    return SL_OK;
}

int sl_cosmology_fields_gas_velocity(struct sl_cosmology_fields *f, int axis)
{
    struct sl_field_recipe r = velocity(f, SL_POWER_BARYON_VELOCITY, axis);
    if (f->order < 2) return sl_cosmology_fields_make(f, &r, 0, NULL);
    for (size_t i = 0; i < sl_slab_cells(&f->slab); i++)
        f->value[i] = (double)f->remap.shift[axis][i];
    return SL_OK;
}

int sl_cosmology_fields_particle_velocity(struct sl_cosmology_fields *f, int axis)
{
    struct sl_field_recipe r = velocity(f, SL_POWER_CDM_VELOCITY, axis);
    r.corner = f->corners;
    return sl_cosmology_fields_make(f, &r, 0, NULL);
}
