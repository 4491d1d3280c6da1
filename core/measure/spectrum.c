/* spectrum.c - see spectrum.h.
 *
 * Planes are transformed in x and y where they lie, or into room that is lent; rows are collected
 * from them one at a time, transformed in z and summed. So a spectrum takes no memory of the size
 * of a field into use, which a system may clear more slowly than it is transformed. All transforms
 * run with the same plan on every rank: FFTW's own MPI transforms choose other plans for other
 * numbers of ranks, and then the last bits differ. They run where FFTW_ESTIMATE knows the alignment
 * and where the memory of their own is, one plane or row of modes: a plan for data of any
 * alignment, or from one array to another, took up to twice as long.
 */
#include "core/measure/spectrum.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/device.h"
#include "core/measure/mode_rows.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* Lines along x in a row whose modes lie in the same shells: those of n[2] and -n[2], or one where
 * they are the same. */
struct lines {
    int n[3], count; /* n: wave numbers of the first, n[0] counts */
    size_t at[2];    /* their places in the row */
};

struct work;
/* What is summed of all modes at each place along x, but for how many one stands for, into
 * w->line[2 ..]. Returns how many columns there are. */
typedef int line_fn(const struct work *w, const struct lines *l);

static line_fn field_line, pair_line, pole_line;

struct work {
    const struct sl_slab *slab;
    int ncomp, nkx;
    line_fn *add;
    /* owned, of a pair, by |n| along each axis: of both fields; sums of images over it, with signs
     * where interlaced */
    double *window[3], *alias[3], *images[3];
    void (*combine)(const struct work *w, int y); /* makes row[0] what goes back to the grid */
    double *back;           /* borrowed, the field that row[0] becomes; NULL: not wanted */
    fftw_complex *shift[3]; /* owned, of interlacing: factor of each place along an axis */
    int sight;              /* of multipoles: the axis along which one looks */
    int keep[2];            /* of a filter: first and last shell */
    double weight, norm;    /* 1 / cells */
    double stretch[3];      /* k_i / n_i */
    int nshell;
    fftw_complex *plane; /* owned, [n1][nkx]: a plane, of cells or of modes */
    double *const *room; /* borrowed, where the planes of each component go; NULL: none is lent */
    struct sl_mode_rows modes; /* of each component */
    fftw_complex *row[3];      /* owned, the row of each that is worked on: [n2][nkx] */
    double *part;              /* sums of each row */
    double *odd;               /* owned, of one row, over odd places along x */
    /* owned, [nkx] each; of places along x: their shells, how many modes each stands for, what is
     * summed */
    int *shell;
    double *count, *line[SL_SPECTRUM_COLUMNS];
    fftw_plan xy, z, z_back, xy_back;
};

int sl_spectrum_shells(const struct sl_slab *s)
{
    double longest = 0, least = 1e300;
    for (int d = 0; d < s->dim; d++)
        longest = fmax(longest, s->length[d]);
    for (int d = 0; d < s->dim; d++)
        least = fmin(least, 0.5 * s->n[d] * longest / s->length[d]);
    return (int)floor(least * (1 + 1e-12));
}

void sl_spectrum_release(struct sl_shells *spectrum)
{
    free(spectrum->value);
    spectrum->value = NULL;
}

static void work_release(struct work *w)
{
    fftw_free(w->plane);
    sl_mode_rows_release(&w->modes);
    for (int d = 0; d < 3; d++) {
        fftw_free(w->row[d]);
        free(w->window[d]);
        free(w->alias[d]);
        free(w->images[d]);
        fftw_free(w->shift[d]);
    }
    free(w->part);
    free(w->odd);
    free(w->shell);
    free(w->count);
    free(w->line[0]);
    fftw_plan plan[] = {w->xy, w->z, w->z_back, w->xy_back};
    for (size_t i = 0; i < sizeof plan / sizeof plan[0]; i++)
        if (plan[i]) fftw_destroy_plan(plan[i]);
}

/* For a row of any component, in place. */
static fftw_plan plan_z(const struct work *w, int sign)
{
    return fftw_plan_many_dft(1, &w->slab->n[2], w->nkx, w->row[0], NULL, w->nkx, 1, w->row[0],
                              NULL, w->nkx, 1, sign, FFTW_ESTIMATE);
}

static int make_plans(struct work *w)
{
    const struct sl_slab *s = w->slab;
    double *real = (double *)w->plane;
    w->xy = fftw_plan_dft_r2c_2d(s->n[1], s->n[0], real, w->plane, FFTW_ESTIMATE);
    w->z = plan_z(w, FFTW_FORWARD);
    if (w->back) {
        w->z_back = plan_z(w, FFTW_BACKWARD);
        w->xy_back = fftw_plan_dft_c2r_2d(s->n[1], s->n[0], w->plane, real, FFTW_ESTIMATE);
    }
    SL_CHECK(w->xy && w->z && (!w->back || (w->z_back && w->xy_back)), SL_EMEM,
             "FFTW cannot plan %d x %d x %d", s->n[0], s->n[1], s->n[2]);
    return SL_OK;
}

/* Transform of a top hat of one cell, for a wave of n periods in N cells. */
static double sinc(int n, int cells)
{
    double x = acos(-1) * n / cells;
    return n == 0 ? 1 : sin(x) / x;
}

/* Sum over all images of the square of a window: what the shot noise of points becomes on the
 * grid. */
static double alias_sum(int order, int n, int cells)
{
    double s = sin(acos(-1) * n / cells), s2 = s * s;
    if (order == 2) return 1 - 2 * s2 / 3;
    if (order == 3) return 1 - s2 + 2 * s2 * s2 / 15;
    return order == 4 ? 1 - 4 * s2 / 3 + 2 * s2 * s2 / 5 - 4 * s2 * s2 * s2 / 315 : 1;
}

/* The same with the sign of (-1)^turns: the series of (-1)^m / (x + m)^(2 order), a derivative of
 * pi / sin(pi x). */
static double signed_sum(int order, int n, int cells)
{
    double c = cos(acos(-1) * n / cells), c2 = c * c;
    if (order == 2) return c * (5 + c2) / 6;
    if (order == 3) return c * (61 + c2 * (58 + c2)) / 120;
    return order == 4 ? c * (1385 + c2 * (3111 + c2 * (543 + c2))) / 5040 : c;
}

static int set_windows(struct work *w, const struct sl_windowed *a, const struct sl_windowed *b)
{
    for (int d = 0; d < 3; d++) {
        int cells = w->slab->n[d];
        size_t size = ((size_t)cells / 2 + 1) * sizeof(double);
        w->window[d] = malloc(size);
        w->alias[d] = malloc(size);
        w->images[d] = malloc(size);
        SL_CHECK(w->window[d] && w->alias[d] && w->images[d], SL_EMEM, "out of memory for windows");
        for (int n = 0; n <= cells / 2; n++) {
            w->window[d][n] = pow(sinc(n, cells), -(a->order + b->order));
            w->alias[d][n] = w->window[d][n] * alias_sum(a->order, n, cells);
            w->images[d][n] =
                a->interlaced ? w->window[d][n] * signed_sum(a->order, n, cells) : w->alias[d][n];
        }
    }
    return SL_OK;
}

/* Doubles. */
static size_t row_sums(const struct work *w)
{
    return (size_t)(w->nshell + 2) * SL_SPECTRUM_COLUMNS;
}

static bool set_line(struct work *w)
{
    size_t nkx = (size_t)w->nkx;
    w->shell = malloc(nkx * sizeof *w->shell);
    w->count = malloc(nkx * sizeof *w->count);
    w->line[0] = malloc(SL_SPECTRUM_COLUMNS * nkx * sizeof *w->line[0]);
    if (!w->shell || !w->count || !w->line[0]) return false;
    for (int i = 1; i < SL_SPECTRUM_COLUMNS; i++)
        w->line[i] = w->line[i - 1] + nkx;
    for (int x = 0; x < w->nkx; x++)
        w->count[x] = sl_mode_count(x, w->slab->n[0]);
    return true;
}

static int work_init(struct work *w)
{
    const struct sl_slab *s = w->slab;
    size_t n1 = (size_t)s->n[1], n2 = (size_t)s->n[2], nkx = (size_t)w->nkx;
    int ok = 1;
    w->plane = fftw_alloc_complex(n1 * nkx);
    for (int c = 0; c < w->ncomp; c++) {
        w->row[c] = fftw_alloc_complex(n2 * nkx);
        ok = ok && w->row[c];
    }
    w->odd = malloc(row_sums(w) * sizeof *w->odd);
    SL_CHECK(ok && w->plane && w->odd && set_line(w), SL_EMEM,
             "out of memory for spectra of %d x %d x %d cells", s->n[0], s->n[1], s->n[2]);
    SL_TRY(sl_mode_rows_init(s, w->ncomp, w->room, &w->modes));
    return make_plans(w);
}

enum { LANES = SL_LENT_LANES, PIECE = SL_LENT_PIECE };

/* f g, or |f g|, of n <= LANES cells, each added to its lane. */
static inline void add_products(int n, const double *f, const double *g, bool size, double *lane)
{
    for (int i = 0; i < n; i++)
        lane[i] += size ? fabs(f[i] * g[i]) : f[i] * g[i];
}

/* Sum of f g, or of |f g|, over a piece of a line, in lanes. */
static double piece_product(int n, const double *f, const double *g, bool size)
{
    double lane[LANES] = {0}, sum = 0;
    int whole = n - n % LANES;
    for (int i = 0; i < whole; i += LANES)
        add_products(LANES, f + i, g + i, size, lane);
    add_products(n - whole, f + whole, g + whole, size, lane);
    for (int i = 0; i < LANES; i++)
        sum += lane[i];
    return sum;
}

/* The same over a plane, piece by piece: 10^5 equal values added to one sum lose the same bits
 * again and again, 10^-12 of it in all. */
static double plane_product(const struct sl_slab *s, const double *f, const double *g, bool size)
{
    double sum = 0;
    for (int j = 0; j < s->n[1]; j++, f += s->n[0], g += s->n[0])
        for (int i = 0; i < s->n[0]; i += PIECE) {
            int n = s->n[0] - i < PIECE ? s->n[0] - i : PIECE;
            sum += piece_product(n, f + i, g + i, size);
        }
    return sum;
}

/* Adds what the spectrum should sum up to, and the size of what is summed, of field c in own plane
 * k to product[nz][2]. */
static void add_cells(const struct work *w, const double *const f[], int c, int k, double *product)
{
    const struct sl_slab *s = w->slab;
    size_t at = (size_t)k * (size_t)s->n[1] * (size_t)s->n[0];
    bool pair = w->add == pair_line && w->ncomp == 2;
    if (pair && c == 1) return;
    const double *a = f[c] + at, *b = f[pair ? 1 : c] + at;
    double sum = plane_product(s, a, b, false);
    product[2 * k] += sum;
    product[2 * k + 1] += pair ? plane_product(s, a, b, true) : sum;
}

/* Lines of as many doubles, which begin from_pitch and to_pitch doubles apart. */
static void copy_lines(size_t lines, size_t doubles, const double *from, size_t from_pitch,
                       double *to, size_t to_pitch)
{
    for (size_t y = 0; y < lines; y++)
        memcpy(to + y * to_pitch, from + y * from_pitch, doubles * sizeof *to);
}

/* Own planes of all components; f may be where they go. product, may be NULL: of their cells, which
 * are at hand here. */
static void transform_xy(struct work *w, const double *const f[], double *product)
{
    const struct sl_slab *s = w->slab;
    size_t n0 = (size_t)s->n[0], n1 = (size_t)s->n[1];
    double *plane = (double *)w->plane;
    for (int c = 0; c < w->ncomp; c++)
        for (int k = 0; k < s->nz; k++) {
            if (product) add_cells(w, f, c, k, product);
            copy_lines(n1, n0, f[c] + (size_t)k * n0 * n1, n0, plane, w->modes.width);
            fftw_execute(w->xy);
            sl_mode_rows_put_plane(&w->modes, c, k, plane);
        }
}

/* Line m of them. */
static void add_compressive(const struct work *w, const struct lines *l, int m,
                            double *restrict out)
{
    size_t at = l->at[m];
    const double *a = (const double *)(w->row[0] + at), *b = (const double *)(w->row[1] + at),
                 *c = (const double *)(w->row[2] + at);
    const int *cells = w->slab->n, edge[2] = {sl_mode_at_nyquist(l->n[1], cells[1]),
                                              sl_mode_at_nyquist(l->n[2], cells[2])};
    double ky = l->n[1] * w->stretch[1], kz = (m == 0 ? l->n[2] : -l->n[2]) * w->stretch[2],
           scale = w->norm * w->norm * w->weight;
    for (int x = 0; x < w->nkx; x++) {
        const double k[3] = {x * w->stretch[0], ky, kz}, re[3] = {a[2 * x], b[2 * x], c[2 * x]},
                     im[3] = {a[2 * x + 1], b[2 * x + 1], c[2 * x + 1]};
        const int alone[3] = {2 * x == cells[0], edge[0], edge[1]};
        out[x] += scale * sl_mode_compressive(k, alone, re, im);
    }
}

/* |v|^2 of one component. */
static void add_total(const struct work *w, const fftw_complex *mode, double *restrict out)
{
    const double *v = (const double *)mode;
    double scale = w->norm * w->norm * w->weight;
    for (int x = 0; x < w->nkx; x++)
        out[x] += scale * (v[2 * x] * v[2 * x] + v[2 * x + 1] * v[2 * x + 1]);
}

static int field_line(const struct work *w, const struct lines *l)
{
    double *total = w->line[SL_SPECTRUM_TOTAL], *solenoidal = w->line[SL_SPECTRUM_SOLENOIDAL],
           *compressive = w->line[SL_SPECTRUM_COMPRESSIVE];
    for (int c = 0; c < w->ncomp; c++)
        for (int m = 0; m < l->count; m++)
            add_total(w, w->row[c] + l->at[m], total);
    if (w->ncomp < 3) return SL_SPECTRUM_TOTAL + 1;
    for (int m = 0; m < l->count; m++)
        add_compressive(w, l, m, compressive);
    for (int x = 0; x < w->nkx; x++)
        solenoidal[x] = total[x] - compressive[x];
    if (l->n[1] == 0 && l->n[2] == 0) solenoidal[0] = compressive[0] = 0; /* the mean is neither */
    return SL_SPECTRUM_COMPRESSIVE + 1;
}

/* ---- products ---- */

/* Re(a b*). */
static void add_product(const struct work *w, size_t at, double *restrict out)
{
    const double *a = (const double *)(w->row[0] + at),
                 *b = (const double *)(w->row[w->ncomp - 1] + at);
    double norm2 = w->norm * w->norm;
    for (int x = 0; x < w->nkx; x++)
        out[x] += norm2 * (a[2 * x] * b[2 * x] + a[2 * x + 1] * b[2 * x + 1]);
}

static int pair_line(const struct work *w, const struct lines *l)
{
    double *raw = w->line[SL_PAIR_RAW], *corrected = w->line[SL_PAIR_CORRECTED],
           *shot = w->line[SL_PAIR_SHOT];
    int y = abs(l->n[1]), z = abs(l->n[2]);
    double window = w->window[1][y] * w->window[2][z], half = 0.5 * l->count,
           all = half * w->alias[1][y] * w->alias[2][z],
           even = half * w->images[1][y] * w->images[2][z];
    for (int m = 0; m < l->count; m++)
        add_product(w, l->at[m], raw);
    for (int x = 0; x < w->nkx; x++) {
        corrected[x] = raw[x] * w->window[0][x] * window;
        shot[x] = w->alias[0][x] * all + w->images[0][x] * even;
    }
    return SL_PAIR_SHOT + 1;
}

static int pole_line(const struct work *w, const struct lines *l)
{
    double *raw = w->line[SL_POLE_RAW], *second = w->line[SL_POLE_2], *fourth = w->line[SL_POLE_4];
    double window = w->window[1][abs(l->n[1])] * w->window[2][abs(l->n[2])];
    for (int m = 0; m < l->count; m++)
        add_product(w, l->at[m], raw);
    for (int x = 0; x < w->nkx; x++) {
        const double k[3] = {x * w->stretch[0], l->n[1] * w->stretch[1], l->n[2] * w->stretch[2]};
        double mu2 = sl_mode_sight(k, w->sight);
        double power = raw[x] * w->window[0][x] * window;
        second[x] = power * sl_mode_quadrupole(mu2);
        fourth[x] = power * sl_mode_hexadecapole(mu2);
    }
    return SL_POLE_4 + 1;
}

/* ---- one row ---- */

/* Shells along x, how many modes there are and their |k|; returns how many places lie before the
 * overflow. */
static int start_lines(const struct work *w, const struct lines *l)
{
    double ky = l->n[1] * w->stretch[1], kz = l->n[2] * w->stretch[2];
    double *modes = w->line[SL_SPECTRUM_MODES], *k = w->line[SL_SPECTRUM_K];
    int inside = w->nkx;
    memset(w->line[0], 0, SL_SPECTRUM_COLUMNS * (size_t)w->nkx * sizeof(double));
    for (int x = 0; x < w->nkx; x++) {
        double length = sl_mode_length(x * w->stretch[0], ky, kz);
        w->shell[x] = sl_mode_shell(length, w->nshell);
        modes[x] = l->count;
        k[x] = l->count * length;
    }
    while (inside > 0 && w->shell[inside - 1] > w->nshell)
        inside--;
    return inside;
}

/* Of n places. Neighbours are often in the same shell: in sums of their own they need not wait for
 * each other. */
static inline void add_shells(const struct work *w, int columns, int n, double *even, double *odd)
{
    for (int x = 0; x < n; x++) {
        double *sum = (x % 2 ? odd : even) + w->shell[x] * SL_SPECTRUM_COLUMNS;
        for (int i = 0; i < columns; i++)
            sum[i] += w->count[x] * w->line[i][x];
    }
}

static void add_lines(const struct work *w, const struct lines *l, double *part)
{
    int inside = start_lines(w, l), columns = w->add(w, l);
    double *beyond = part + (w->nshell + 1) * SL_SPECTRUM_COLUMNS;
    if (columns == SL_SPECTRUM_COLUMNS)
        add_shells(w, SL_SPECTRUM_COLUMNS, inside, part, w->odd);
    else
        add_shells(w, SL_SPECTRUM_TOTAL + 1, inside, part, w->odd);
    for (int i = 0; i < columns; i++)
        beyond[i] += piece_product(w->nkx - inside, w->count + inside, w->line[i] + inside, false);
}

/* The modes of a* b in place of those of a; in real numbers, as C asks whether each complex product
 * is NaN. */
static void correlate_row(const struct work *w, int y)
{
    size_t size = 2 * (size_t)w->slab->n[2] * (size_t)w->nkx;
    double scale = w->norm * w->norm, *a = (double *)w->row[0], *b = (double *)w->row[w->ncomp - 1];
    (void)y;
    for (size_t i = 0; i < size; i += 2) {
        double re = a[i] * b[i] + a[i + 1] * b[i + 1], im = a[i] * b[i + 1] - a[i + 1] * b[i];
        a[i] = re * scale;
        a[i + 1] = im * scale;
    }
}

/* The mean of both, the second shifted by half a cell, in place of the first; likewise. */
static void interlace_row(const struct work *w, int y)
{
    size_t nkx = (size_t)w->nkx;
    const double *f = (const double *)w->shift[0], half = 0.5 * w->norm;
    for (size_t z = 0; z < (size_t)w->slab->n[2]; z++) {
        double complex factor = w->shift[1][w->slab->y0 + y] * w->shift[2][z];
        double re = creal(factor), im = cimag(factor);
        double *a = (double *)(w->row[0] + z * nkx), *b = (double *)(w->row[1] + z * nkx);
        for (size_t x = 0; x < 2 * nkx; x += 2) {
            double fre = f[x] * re - f[x + 1] * im, fim = f[x] * im + f[x + 1] * re;
            a[x] = half * (a[x] + (b[x] * fre - b[x + 1] * fim));
            a[x + 1] = half * (a[x + 1] + (b[x] * fim + b[x + 1] * fre));
        }
    }
}

/* Collective; false where there is no such row. */
static bool transform_row(const struct work *w, int y)
{
    bool have = y < w->slab->ny;
    for (int c = 0; c < w->ncomp; c++) {
        sl_mode_rows_get(&w->modes, c, y, (double *)w->row[c]);
        if (have) fftw_execute_dft(w->z, w->row[c], w->row[c]);
    }
    return have;
}

/* Collective; have: there is such a row. */
static void go_back(struct work *w, int y, bool have)
{
    if (have) {
        w->combine(w, y);
        fftw_execute_dft(w->z_back, w->row[0], w->row[0]);
    }
    sl_mode_rows_put(&w->modes, 0, y, (const double *)w->row[0]);
}

static void add_row(const struct work *w, int y)
{
    const struct sl_slab *s = w->slab;
    int n2 = s->n[2];
    double *part = w->part + (size_t)y * row_sums(w);
    memset(w->odd, 0, row_sums(w) * sizeof *w->odd);
    for (int z = 0; 2 * z <= n2; z++) {
        size_t nkx = (size_t)w->nkx;
        struct lines l = {{0, sl_mode_wrapped(s->y0 + y, s->n[1]), sl_mode_wrapped(z, n2)},
                          z == 0 || 2 * z == n2 ? 1 : 2,
                          {(size_t)z * nkx, (size_t)(n2 - z) * nkx}};
        add_lines(w, &l, part);
    }
    for (size_t i = 0; i < row_sums(w); i++)
        part[i] += w->odd[i];
}

/* Planes of what goes back; they may lie where it goes. */
static void to_grid(struct work *w)
{
    const struct sl_slab *s = w->slab;
    size_t n0 = (size_t)s->n[0], n1 = (size_t)s->n[1];
    double *plane = (double *)w->plane;
    for (int k = 0; k < s->nz; k++) {
        sl_mode_rows_get_plane(&w->modes, 0, k, plane);
        fftw_execute(w->xy_back);
        copy_lines(n1, n0, plane, w->modes.width, w->back + (size_t)k * n0 * n1, n0);
    }
}

static int finish(const struct work *w, const double *product, struct sl_shells *out)
{
    const struct sl_slab *s = w->slab;
    double grid[2], weight = w->weight * w->norm;
    SL_TRY(sl_slab_sum_rows(s, (w->nshell + 2) * SL_SPECTRUM_COLUMNS, w->part, out->value));
    SL_TRY(sl_slab_sum(s, 2, product, grid));
    out->grid = weight * grid[0];
    out->nshell = w->nshell;
    out->modes = 0;
    for (int i = 0; i < w->nshell + 2; i++) {
        double *sum = out->value + i * SL_SPECTRUM_COLUMNS;
        out->modes += sum[SL_SPECTRUM_TOTAL];
        if (sum[SL_SPECTRUM_MODES] > 0) sum[SL_SPECTRUM_K] /= sum[SL_SPECTRUM_MODES];
    }
    out->parseval = fabs(out->modes - out->grid) / (grid[1] > 0 ? weight * grid[1] : 1);
    SL_CHECK(out->parseval <= 1e-12, SL_EGUARD,
             "a spectrum sums up to %.17g over its modes and %.17g over its cells", out->modes,
             out->grid);
    return SL_OK;
}

/* Sums of own rows, in doubles. */
static size_t part_size(const struct work *w)
{
    return (size_t)w->slab->ny * row_sums(w);
}

static int add_modes(struct work *w, const double *const f[], double *product)
{
    SL_TRY(sl_agree(w->slab->comm, work_init(w)));
    memset(w->part, 0, part_size(w) * sizeof *w->part); /* a device may have failed on the way */
    transform_xy(w, f, product);
    for (int y = 0; y < sl_mode_rows_rounds(&w->modes); y++) {
        bool have = transform_row(w, y);
        if (have) add_row(w, y);
        if (w->back) go_back(w, y, have);
    }
    return SL_OK;
}

/* Whether a field is in the memory of the slab's device. */
static bool is_lent(const struct sl_slab *s, const double *f)
{
    return s->device && s->device->lent && s->device->lent->has(s->device, f);
}

/* As add_cells, of one field there. */
static int add_squares(const struct work *w, const double *f, double *product)
{
    const struct sl_slab *s = w->slab;
    size_t row = (size_t)((s->n[0] + PIECE - 1) / PIECE) * (size_t)s->n[1];
    double *sum = NULL;
    SL_TRY(sl_alloc("sums of squares", row * (size_t)s->nz, sizeof *sum, &sum));
    int code = s->device->lent->squares(s->device, s, f, sum);
    for (size_t k = 0; k < (size_t)s->nz && code == SL_OK; k++) {
        double plane = 0;
        for (size_t i = 0; i < row; i++)
            plane += sum[k * row + i];
        product[2 * k] += plane;
        product[2 * k + 1] += plane;
    }
    free(sum);
    return code;
}

/* On the slab's device, if there is one that can do it; the codes are those of device.h. */
static int add_modes_on_device(const struct work *w, const double *const f[], double *product)
{
    const struct sl_slab *s = w->slab;
    struct sl_modes m = {.ncomp = w->ncomp, .nkx = w->nkx, .nshell = w->nshell, .sight = w->sight};
    m.kind = w->add == pair_line   ? SL_MODES_PAIR
             : w->add == pole_line ? SL_MODES_POLES
                                   : SL_MODES_FIELDS;
    m.weight = w->weight, m.norm = w->norm;
    for (int d = 0; d < 3; d++) {
        m.n[d] = s->n[d], m.stretch[d] = w->stretch[d];
        m.window[d] = w->window[d], m.alias[d] = w->alias[d], m.images[d] = w->images[d];
    }
    SL_TRY(s->device->modes(s->device, s, &m, f, w->part));
    if (is_lent(s, f[0])) return add_squares(w, f[0], product);
    for (int c = 0; c < w->ncomp; c++)
        for (int k = 0; k < s->nz; k++)
            add_cells(w, f, c, k, product);
    return SL_OK;
}

/* The modes of a field that the device has but cannot transform. */
static int add_brought(struct work *w, const double *lent, double *product)
{
    struct sl_stats_device *d = w->slab->device;
    size_t cells = sl_slab_cells(w->slab);
    double *f = sl_alloc_large((cells + 1) * sizeof *f);
    const double *const fields[1] = {f};
    SL_CHECK(f, SL_EMEM, "out of memory for a spectrum of %zu cells", cells);
    int code = d->lent->fetch(d, lent, cells, f);
    w->room = NULL;
    memset(product, 0, 2 * (size_t)w->slab->nz * sizeof *product);
    if (code == SL_OK) code = add_modes(w, fields, product);
    free(f);
    return code;
}

static int make(struct work *w, const double *const f[], double *product, struct sl_shells *out)
{
    bool there = !w->back && w->slab->device && w->slab->device->modes;
    int code = there ? add_modes_on_device(w, f, product) : SL_OK;
    if (!there || sl_stats_device_failed(w->slab->device, w->slab->rank, code, "a spectrum"))
        code = is_lent(w->slab, f[0]) ? add_brought(w, f[0], product) : add_modes(w, f, product);
    SL_TRY(code);
    SL_TRY(finish(w, product, out));
    if (w->back) to_grid(w);
    return SL_OK;
}

static void set_sizes(struct work *w)
{
    const int *n = w->slab->n;
    double longest = 0;
    w->nkx = n[0] / 2 + 1;
    w->norm = 1.0 / ((double)n[0] * n[1] * n[2]);
    w->nshell = sl_spectrum_shells(w->slab);
    for (int d = 0; d < w->slab->dim; d++)
        longest = fmax(longest, w->slab->length[d]);
    for (int d = 0; d < w->slab->dim; d++)
        w->stretch[d] = longest / w->slab->length[d];
}

static int run(struct work *w, const double *const f[], struct sl_shells *out)
{
    const struct sl_slab *s = w->slab;
    struct sl_shells result = {.nshell = 0};
    set_sizes(w);
    double *product = calloc(2 * (size_t)s->nz + 1, sizeof *product);
    result.value = calloc((size_t)(w->nshell + 2) * SL_SPECTRUM_COLUMNS, sizeof(double));
    w->part = malloc((part_size(w) + 1) * sizeof *w->part);
    int code = product && result.value && w->part ? SL_OK : SL_FAIL(SL_EMEM, "out of memory");
    code = sl_agree(s->comm, code);
    if (code == SL_OK) code = make(w, f, product, &result);
    work_release(w);
    free(product);
    if (code == SL_OK)
        *out = result;
    else
        sl_spectrum_release(&result);
    return code;
}

int sl_spectrum_make(const struct sl_slab *s, int ncomp, const double *const f[], double weight,
                     double *const room[], struct sl_shells *out)
{
    struct work w = {.slab = s, .ncomp = ncomp, .weight = weight, .add = field_line, .room = room};
    return run(&w, f, out);
}

int sl_spectrum_pair(const struct sl_slab *s, const struct sl_windowed *a,
                     const struct sl_windowed *b, double *correlation, double *const room[],
                     struct sl_shells *out)
{
    const double *const f[] = {a->f, b->f};
    struct work w = {.slab = s,
                     .ncomp = a->f == b->f ? 1 : 2,
                     .weight = 1,
                     .add = pair_line,
                     .combine = correlate_row,
                     .back = correlation,
                     .room = room};
    int code = sl_agree(s->comm, set_windows(&w, a, b));
    if (code == SL_OK) return run(&w, f, out);
    work_release(&w);
    return code;
}

int sl_spectrum_multipoles(const struct sl_slab *s, const struct sl_windowed *a, int axis,
                           double *const room[], struct sl_shells *out)
{
    const double *const f[] = {a->f};
    struct work w = {
        .slab = s, .ncomp = 1, .weight = 1, .add = pole_line, .sight = axis, .room = room};
    int code = sl_agree(s->comm, set_windows(&w, a, a));
    if (code == SL_OK) return run(&w, f, out);
    work_release(&w);
    return code;
}

/* ---- interlacing ---- */

/* exp(i k dx / 2) along each axis; at the Nyquist frequency the mean over both signs. */
static int set_shift(struct work *w)
{
    for (int d = 0; d < 3; d++) {
        int n = w->slab->n[d];
        w->shift[d] = fftw_alloc_complex((size_t)n);
        SL_CHECK(w->shift[d], SL_EMEM, "out of memory for interlacing");
        for (int i = 0; i < n; i++) {
            double angle = acos(-1) * sl_mode_wrapped(i, n) / n;
            w->shift[d][i] = 2 * i == n ? 0 : cos(angle) + I * sin(angle);
        }
    }
    return SL_OK;
}

/* To the modes, through combine, and back; code: of what was made ready before. */
static int there_and_back(struct work *w, const double *const f[], int code)
{
    SL_TRY(sl_agree(w->slab->comm, code == SL_OK ? work_init(w) : code));
    transform_xy(w, f, NULL);
    for (int y = 0; y < sl_mode_rows_rounds(&w->modes); y++)
        go_back(w, y, transform_row(w, y));
    to_grid(w);
    return SL_OK;
}

int sl_spectrum_interlace(const struct sl_slab *s, double *f, double *moved)
{
    double *const both[] = {f, moved};
    struct work w = {.slab = s, .ncomp = 2, .combine = interlace_row, .back = f, .room = both};
    set_sizes(&w);
    int code = there_and_back(&w, (const double *const *)both, set_shift(&w));
    work_release(&w);
    return code;
}

/* ---- filters ---- */

/* A line along x of the own row y of modes, at place z. */
static void filter_line(const struct work *w, int y, int z, double *mode)
{
    const int *n = w->slab->n;
    int ny = sl_mode_wrapped(w->slab->y0 + y, n[1]), nz = sl_mode_wrapped(z, n[2]);
    double window = w->norm * w->window[1][abs(ny)] * w->window[2][abs(nz)];
    for (int x = 0; x < w->nkx; x++) {
        int shell = sl_mode_shell(
            sl_mode_length(x * w->stretch[0], ny * w->stretch[1], nz * w->stretch[2]), w->nshell);
        bool kept = shell >= w->keep[0] && shell <= w->keep[1];
        mode[2 * x] *= kept ? window * w->window[0][x] : 0;
        mode[2 * x + 1] *= kept ? window * w->window[0][x] : 0;
    }
}

static void filter_row(const struct work *w, int y)
{
    for (int z = 0; z < w->slab->n[2]; z++)
        filter_line(w, y, z, (double *)(w->row[0] + (size_t)z * (size_t)w->nkx));
}

int sl_spectrum_filter(const struct sl_slab *s, const struct sl_windowed *a, int first, int last,
                       double *const room[], double *out)
{
    const double *const f[] = {a->f};
    /* the window of one field, not of two */
    const struct sl_windowed one = {NULL, 0, false};
    struct work w = {.slab = s,
                     .ncomp = 1,
                     .keep = {first, last},
                     .combine = filter_row,
                     .back = out,
                     .room = room};
    set_sizes(&w);
    int code = there_and_back(&w, f, set_windows(&w, a, &one));
    work_release(&w);
    return code;
}
