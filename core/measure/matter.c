/* matter.c - see matter.h. */
#include "core/measure/matter.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/stats_memory.h"
#include "core/cosmo/halofit.h"
#include "core/cosmo/power.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/measure/bispectrum.h"
#include "core/measure/correlation.h"
#include "core/measure/counts.h"
#include "core/measure/deposit.h"
#include "core/measure/device.h"
#include "core/measure/linear.h"
#include "core/measure/multipoles.h"
#include "core/measure/places.h"
#include "core/measure/spectrum.h"
#include "core/sys/agree.h"
#include "core/sys/laps.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { GAS, PARTICLES, CROSS, TOTAL, SUBJECTS };

/* One of the fields, both, or their sum. */
struct subject {
    const char *name, *about;
    struct sl_windowed a, b;
    double number;     /* of particles; 0: no shot noise */
    const char *input; /* table of the start that holds its input, NULL: none */
    double *power;     /* owned, [rows]: what was found; behind it k and numbers of modes */
    double *k, *modes;
    struct sl_shells shells;    /* owned, of which the power was made */
    struct sl_correlation lags; /* owned, likewise; none: not wanted */
};

struct matter {
    const struct sl_config *cfg;
    const struct sl_fields *f;
    struct sl_tables *tables;
    double *parseval;
    int rows;
    double volume;
    double share;       /* of the gas in the mean density */
    double *gas, *dark; /* borrowed; dark NULL: not wanted */
    double *modes;      /* borrowed, where those of a field go that is wanted once more */
    double *moved;      /* owned, dark by half a cell; NULL: not wanted */
    struct subject subject[SUBJECTS];
};

enum { K, MODES, RAW, POWER, ERROR, DELTA2, COLUMNS };

static bool wants(const struct matter *m, int what)
{
    return m->cfg->statistics_matter >> what & 1;
}

static const char *start_path(const struct matter *m)
{
    return m->cfg->run_input[0] ? m->cfg->run_input : "ic.h5";
}

static bool in_megaparsecs(const struct matter *m)
{
    return m->cfg->problem == SL_PROBLEM_cosmology;
}

/* ---- fields ---- */

static double *new_field(const struct matter *m)
{
    return malloc((sl_slab_cells(m->f->slab) + 1) * sizeof(double));
}

static void set_gas(struct matter *m, double mean)
{
    for (size_t i = 0; i < sl_slab_cells(m->f->slab); i++)
        m->gas[i] = m->f->rho[i] / mean - 1;
}

static int read_places(const struct matter *m, struct sl_places *p)
{
    return m->f->particles ? sl_places_of_particles(m->cfg, m->f->slab, m->f->particles, false, p)
                           : sl_places_of_start(m->cfg, m->f->slab, start_path(m), p);
}

static int deposit(struct matter *m, const struct sl_places *p, double *contrast)
{
    return sl_deposit_make(m->f->slab, 1 + (int)m->cfg->statistics_deposit, p->n,
                           (const double *const *)p->x, contrast, &m->subject[PARTICLES].number);
}

static int move_half_a_cell(const struct sl_slab *s, struct sl_places *p)
{
    for (int d = 0; d < 3; d++)
        SL_TRY(sl_places_move(p, d, 0.5 / s->n[d]));
    return SL_OK;
}

/* ---- tables ---- */

static int add_table(const struct matter *m, const char *kind, const struct subject *s, int rows,
                     int columns, const char *about, struct sl_table **t)
{
    char name[SL_TABLE_NAME];
    snprintf(name, sizeof name, "%s_%s_%04d", kind, s->name, m->f->number);
    SL_TRY(sl_tables_add(m->tables, name, rows, columns, t, about, s->about));
    sl_fields_note(m->f, *t);
    return SL_OK;
}

/* Of a start that the run has made: its table alone is there. */
static int read_table(const struct matter *m, const struct subject *s, double *input)
{
    char path[SL_TABLE_NAME + 8];
    struct sl_table t;
    snprintf(path, sizeof path, "%s.csv", s->input);
    SL_TRY(sl_table_read_csv(path, &t));
    int column = sl_table_find(&t, "input");
    int code = column >= 0 ? SL_OK : SL_FAIL(SL_EINPUT, "%s has no column input", path);
    for (int i = 0; i < m->rows && code == SL_OK; i++)
        input[i] = i < t.nrow ? *sl_table_at(&t, i, column) : (double)NAN;
    sl_table_release(&t);
    return code;
}

/* Of a start that another code has made: that of the recipe where the modes of a shell are on
 * average. */
static int theory(const struct matter *m, const struct subject *s, double *input)
{
    for (int i = 0; i < m->rows; i++)
        input[i] = pow(sl_power_amplitude(&m->f->linear->power, SL_POWER_TOTAL, s->k[i]), 2);
    return SL_OK;
}

/* The first rows of the power of the input; those that the start's grid is too coarse for are not
 * known. */
static int read_rows(hid_t group, int rows, double *input)
{
    double *all = NULL;
    hsize_t n = 0;
    SL_TRY(sl_h5_get_length(group, "input", &n));
    SL_TRY(sl_alloc("power", (size_t)n, sizeof *all, &all));
    int code = sl_h5_get_array(group, "input", H5T_NATIVE_DOUBLE, 1, &n, all);
    for (int i = 0; i < rows && code == SL_OK; i++)
        input[i] = (hsize_t)i < n ? all[i] : (double)NAN;
    free(all);
    return code;
}

/* The power of the input over the same modes, as the start tells it, of which the grid may be finer
 * than that of the statistics or coarser: a shell that both have holds the same modes. */
static int read_own_input(const struct matter *m, const struct subject *s, double *input)
{
    hid_t file;
    if (m->cfg->ic_file[0]) return theory(m, s, input);
    if (sl_config_makes_start(m->cfg)) return read_table(m, s, input);
    SL_TRY(sl_hdf_open(start_path(m), &file));
    hid_t group = H5Gopen2(file, s->input, H5P_DEFAULT);
    int code = group >= 0 ? read_rows(group, m->rows, input)
                          : SL_FAIL(SL_EINPUT, "%s has no group %s", start_path(m), s->input);
    if (group >= 0) H5Gclose(group);
    return sl_hdf_close(file, code);
}

/* Waves of gas and particles have the same phases, so that amplitudes add. */
static int read_input(const struct matter *m, const struct subject *s, double *input)
{
    double *dark = NULL;
    if (s != &m->subject[TOTAL]) return read_own_input(m, s, input);
    SL_TRY(sl_alloc("power", (size_t)m->rows, sizeof *dark, &dark));
    int code = read_own_input(m, &m->subject[GAS], input);
    if (code == SL_OK) code = read_own_input(m, &m->subject[PARTICLES], dark);
    for (int i = 0; i < m->rows && code == SL_OK; i++)
        input[i] = pow(m->share * sqrt(input[i]) + (1 - m->share) * sqrt(dark[i]), 2);
    free(dark);
    return code;
}

static int add_input(const struct matter *m, const struct subject *s, struct sl_table *t)
{
    const struct sl_linear *l = m->f->linear;
    double *input = malloc((size_t)m->rows * sizeof *input);
    double grown = l ? pow(sl_linear_growth(l, m->f->scale_factor), 2) : 1;
    int column = sl_table_find(t, "input");
    SL_CHECK(input, SL_EMEM, "out of memory");
    int code = read_input(m, s, input);
    for (int i = 0; i < m->rows && code == SL_OK; i++)
        *sl_table_at(t, i, column) = grown * input[i];
    free(input);
    return code;
}

/* The input by as much as the power of all matter is expected to be above the linear one. */
static void add_nonlinear(const struct matter *m, const struct subject *s, struct sl_table *t)
{
    const struct sl_linear *l = m->f->linear;
    double growth = sl_linear_growth(l, m->f->scale_factor);
    int from = sl_table_find(t, "input"), to = sl_table_find(t, "nonlinear");
    struct sl_halofit h;
    sl_halofit_init(&l->power, growth, m->f->scale_factor, &h);
    for (int i = 0; i < m->rows; i++) {
        double linear = growth * sl_power_amplitude(&l->power, SL_POWER_TOTAL, s->k[i]);
        *sl_table_at(t, i, to) =
            *sl_table_at(t, i, from) * sl_halofit_ratio(&h, s->k[i], linear * linear);
    }
}

/* A Gaussian field's scatter of the power of a product: that of each field is in it. */
static double scatter(const struct matter *m, const struct subject *s, int row, double modes)
{
    double p = s->power[row];
    const double *a = m->subject[GAS].power, *b = m->subject[PARTICLES].power;
    return sqrt((p * p + (s == &m->subject[CROSS] ? a[row] * b[row] : p * p)) / modes);
}

static void fill_power(const struct matter *m, const struct subject *s, struct sl_table *t)
{
    const struct sl_shells *p = &s->shells;
    double unit = 2 * acos(-1) /
                  fmax(m->f->slab->length[0], fmax(m->f->slab->length[1], m->f->slab->length[2]));
    for (int i = 0; i < m->rows; i++) {
        double n = sl_spectrum_at(p, i + 1, SL_SPECTRUM_MODES), per_mode = m->volume / n;
        double k = unit * sl_spectrum_at(p, i + 1, SL_SPECTRUM_K);
        s->power[i] = per_mode * sl_spectrum_at(p, i + 1, SL_PAIR_CORRECTED);
        s->k[i] = k;
        s->modes[i] = n;
        *sl_table_at(t, i, K) = k;
        *sl_table_at(t, i, MODES) = n;
        *sl_table_at(t, i, RAW) = per_mode * sl_spectrum_at(p, i + 1, SL_PAIR_RAW);
        *sl_table_at(t, i, POWER) = s->power[i];
        *sl_table_at(t, i, ERROR) = scatter(m, s, i, n);
        *sl_table_at(t, i, DELTA2) = k * k * k * s->power[i] / (2 * pow(acos(-1), 2));
        if (s->number > 0)
            *sl_table_at(t, i, COLUMNS) =
                per_mode / s->number * sl_spectrum_at(p, i + 1, SL_PAIR_SHOT);
        if (s == &m->subject[CROSS])
            *sl_table_at(t, i, COLUMNS) =
                s->power[i] / sqrt(m->subject[GAS].power[i] * m->subject[PARTICLES].power[i]);
    }
}

static int power_table(struct matter *m, const struct subject *s)
{
    static const char *const name[COLUMNS] = {"k", "modes", "raw", "power", "error", "delta2"};
    const char *volume = in_megaparsecs(m) ? "(Mpc/h)^3" : "code length^3";
    bool input =
             in_megaparsecs(m) && (m->f->number == 0 || m->f->linear) && s != &m->subject[CROSS],
         cross = s == &m->subject[CROSS], nonlinear = input && m->f->linear;
    const char *unit[COLUMNS] = {
        in_megaparsecs(m) ? "h/Mpc" : "1 / code length", "1", volume, volume, volume, "1"};
    bool more = cross || s->number > 0;
    struct sl_table *t;
    SL_TRY(add_table(m, "matter", s, m->rows, COLUMNS + more + input + nonlinear,
                     "P(k) of %s over shells of width 2 pi / longest side, k: mean of their modes; "
                     "raw: on the grid, power: over the window of the deposit, error: power "
                     "sqrt(2 / modes), delta2 = k^3 P / 2 pi^2; shot: what Poisson points would "
                     "add, not taken away; input: the mean over the same modes, times the linear "
                     "growth since then; nonlinear: that by revised HALOFIT (Takahashi et al. "
                     "2012)",
                     &t));
    for (int c = 0; c < COLUMNS; c++)
        sl_table_column(t, c, name[c], unit[c]);
    if (more) sl_table_column(t, COLUMNS, cross ? "coefficient" : "shot", cross ? "1" : volume);
    if (input) sl_table_column(t, COLUMNS + more, "input", volume);
    if (nonlinear) sl_table_column(t, t->ncol - 1, "nonlinear", volume);
    fill_power(m, s, t);
    sl_table_note(t, "parseval_error", s->shells.parseval);
    if (s->a.interlaced || s->b.interlaced) sl_table_note(t, "interlaced", 1);
    if (s == &m->subject[TOTAL]) sl_table_note(t, "gas_share", m->share);
    *m->parseval = fmax(*m->parseval, s->shells.parseval);
    if (input) SL_TRY(add_input(m, s, t));
    if (nonlinear) add_nonlinear(m, s, t);
    return SL_OK;
}

/* rms in spheres of this radius, of the waves that the table of power has; column: POWER or the
 * input. */
static double sigma_in(const struct matter *m, struct sl_table *power, int column, double radius)
{
    double sum = 0;
    for (int i = 0; i < m->rows; i++) {
        double w = sl_power_sphere(*sl_table_at(power, i, K) * radius);
        sum += *sl_table_at(power, i, MODES) * *sl_table_at(power, i, column) * w * w;
    }
    return sqrt(sum / m->volume);
}

/* From two cells to a quarter of the longest side; from the table of power, which is the last. */
static int sigma_table(const struct matter *m, const struct subject *s)
{
    enum { RADII = 32 };
    const struct sl_slab *b = m->f->slab;
    double first = 0, longest = fmax(b->length[0], fmax(b->length[1], b->length[2]));
    for (int d = 0; d < 3; d++)
        first = fmax(first, 2 * b->length[d] / b->n[d]);
    int from = m->tables->n - 1, column = sl_table_find(&m->tables->table[from], "input");
    bool input = column >= 0;
    struct sl_table *t, *power;
    if (s == &m->subject[CROSS] || first >= longest / 4) return SL_OK;
    SL_TRY(add_table(m, "sigma", s, RADII, 2 + input,
                     "rms of rho / mean of %s in spheres of radius r, of the waves whose power was "
                     "measured; input: of the same waves",
                     &t));
    power = &m->tables->table[from];
    sl_table_column(t, 0, "r", in_megaparsecs(m) ? "Mpc/h" : "code length");
    sl_table_column(t, 1, "sigma", "1");
    if (input) sl_table_column(t, 2, "input", "1");
    for (int i = 0; i < RADII; i++) {
        double r = first * pow(longest / 4 / first, i / (RADII - 1.0));
        *sl_table_at(t, i, 0) = r;
        *sl_table_at(t, i, 1) = sigma_in(m, power, POWER, r);
        if (input) *sl_table_at(t, i, 2) = sigma_in(m, power, column, r);
    }
    if (in_megaparsecs(m)) sl_table_note(t, "sigma8", sigma_in(m, power, POWER, 8));
    return SL_OK;
}

static int power_tables(struct matter *m, const struct subject *s)
{
    int code = power_table(m, s);
    return sl_agree(m->f->slab->comm, code == SL_OK ? sigma_table(m, s) : code);
}

static int correlation_table(const struct matter *m, const struct subject *s)
{
    const struct sl_correlation *c = &s->lags;
    struct sl_table *t;
    SL_TRY(
        add_table(m, "correlation", s, c->nbin, 3,
                  "xi(r) = <d(x) d(x + r)> of %s on the grid, in bins of the width of a cell; r: "
                  "mean over their lags",
                  &t));
    sl_table_column(t, 0, "r", in_megaparsecs(m) ? "Mpc/h" : "code length");
    sl_table_column(t, 1, "lags", "1");
    sl_table_column(t, 2, "xi", "1");
    for (int i = 0; i < c->nbin; i++) {
        *sl_table_at(t, i, 0) = c->r[i];
        *sl_table_at(t, i, 1) = c->lags[i];
        *sl_table_at(t, i, 2) = c->xi[i];
    }
    return SL_OK;
}

static int correlate(const struct matter *m, struct subject *s)
{
    if (!wants(m, SL_MATTER_correlation)) return SL_OK;
    SL_TRY(sl_correlation_make(m->f->slab, m->modes, &s->lags));
    return sl_agree(m->f->slab->comm, correlation_table(m, s));
}

static int bispectrum_table(const struct matter *m, const struct subject *s,
                            const struct sl_bispectrum *b)
{
    static const char *const name[] = {
        "k",        "triangles",       "equilateral", "reduced", "squeezed_triangles",
        "squeezed", "squeezed_reduced"};
    struct sl_table *t;
    double v2 = m->volume * m->volume;
    SL_TRY(add_table(m, "bispectrum", s, b->nshell, 7,
                     "B(k1, k2, k3) of %s over shells of width 2 pi / longest side, each mode over "
                     "the window: equilateral triangles of one shell, squeezed ones with a side of "
                     "shells 1 to 3; reduced: over P1 P2 + P2 P3 + P3 P1; k: as in the table of P",
                     &t));
    for (int c = 0; c < 7; c++)
        sl_table_column(t, c, name[c],
                        c == 0             ? (in_megaparsecs(m) ? "h/Mpc" : "1 / code length")
                        : c == 2 || c == 5 ? (in_megaparsecs(m) ? "(Mpc/h)^6" : "code length^6")
                                           : "1");
    for (int i = 0; i < b->nshell; i++) {
        const struct sl_triangles *e = &b->equilateral[i], *q = &b->squeezed[i];
        const double row[] = {s->k[i],   e->number,    v2 * e->mean, e->reduced,
                              q->number, v2 * q->mean, q->reduced};
        memcpy(sl_table_at(t, i, 0), row, sizeof row);
    }
    return SL_OK;
}

static int bispectrum(const struct matter *m, const struct subject *s)
{
    struct sl_bispectrum b;
    double *power = NULL;
    if (!wants(m, SL_MATTER_bispectrum) || s == &m->subject[CROSS] || m->rows < SL_BISPECTRUM_LONG)
        return SL_OK;
    SL_TRY(sl_agree(m->f->slab->comm, sl_alloc("power", (size_t)m->rows, sizeof *power, &power)));
    for (int i = 0; i < m->rows; i++)
        power[i] = s->power[i] / m->volume;
    int code = sl_bispectrum_make(m->f->slab, &s->a, power, s->modes, &b);
    free(power);
    SL_TRY(code);
    code = sl_agree(m->f->slab->comm, bispectrum_table(m, s, &b));
    sl_bispectrum_release(&b);
    return code;
}

static void fill_counts(const struct matter *m, const struct sl_counts *c, int rows,
                        struct sl_table *t)
{
    const struct sl_slab *s = m->f->slab;
    double cell = cbrt(m->volume / ((double)s->n[0] * s->n[1] * s->n[2]));
    for (int i = 0; i < rows; i++) {
        const double row[] = {c[i].side * cell, c[i].cells, c[i].mean,     c[i].raw,     c[i].c2,
                              c[i].c3,          c[i].c4,    c[i].skewness, c[i].kurtosis};
        memcpy(sl_table_at(t, i, 0), row, sizeof row);
    }
}

static int counts_table(const struct matter *m, const struct subject *s, const struct sl_counts *c,
                        int rows)
{
    static const char *const name[] = {"side",  "cells",  "mean", "raw", "variance",
                                       "third", "fourth", "s3",   "s4"};
    enum { COUNTS = sizeof name / sizeof name[0] };
    struct sl_table *t;
    SL_TRY(
        add_table(m, "counts", s, rows, COUNTS,
                  "%s in cells of 1, 2, 4 .. grid cells a side: mean number, of gas the mass in "
                  "mean grid cells; d: its contrast; raw: <d^2>; variance, third, fourth: "
                  "connected moments of d, of particles less those of Poisson points; s3 = third "
                  "/ variance^2, s4 = fourth / variance^3",
                  &t));
    for (int i = 0; i < COUNTS; i++)
        sl_table_column(t, i, name[i], i > 0 ? "1" : in_megaparsecs(m) ? "Mpc/h" : "code length");
    fill_counts(m, c, rows, t);
    return SL_OK;
}

/* number: as sl_counts_make has it. */
static int count(const struct matter *m, const struct subject *s, const double *contrast,
                 double number)
{
    struct sl_counts c[32];
    if (!wants(m, SL_MATTER_counts)) return SL_OK;
    SL_TRY(sl_counts_make(m->f->slab, contrast, number, c));
    return sl_agree(m->f->slab->comm, counts_table(m, s, c, sl_counts_sides(m->f->slab)));
}

/* Each particle in its nearest cell, whatever the deposit is. */
static int count_particles(const struct matter *m, const struct sl_places *p)
{
    const struct sl_slab *s = m->f->slab;
    double total, cells = (double)s->n[0] * s->n[1] * s->n[2];
    if (!wants(m, SL_MATTER_counts)) return SL_OK;
    SL_TRY(sl_deposit_make(s, 1, p->n, (const double *const *)p->x, m->modes, &total));
    return count(m, &m->subject[PARTICLES], m->modes, total / cells);
}

/* A field by itself is kept; of both together the second is lost, which nothing comes after. */
static int measure(struct matter *m, struct subject *s)
{
    double *const room[2] = {m->modes, m->dark},
                  *lags = wants(m, SL_MATTER_correlation) ? m->modes : NULL;
    SL_TRY(sl_spectrum_pair(m->f->slab, &s->a, &s->b, lags, room, &s->shells));
    SL_TRY(power_tables(m, s));
    SL_TRY(correlate(m, s));
    return bispectrum(m, s);
}

/* ---- gas and particles as one ---- */

/* How much the power of a subject counts in that of their sum. */
static double weight(const struct matter *m, int subject)
{
    double gas = m->share, dark = 1 - m->share;
    return subject == GAS ? gas * gas : subject == PARTICLES ? dark * dark : 2 * gas * dark;
}

/* The shot noise is that of the particles. */
static double weighted(const struct matter *m, int entry, int column)
{
    double sum = 0;
    if (column == SL_PAIR_SHOT)
        return weight(m, PARTICLES) *
               sl_spectrum_at(&m->subject[PARTICLES].shells, entry, SL_PAIR_SHOT);
    for (int i = 0; i < TOTAL; i++)
        sum += weight(m, i) * sl_spectrum_at(&m->subject[i].shells, entry, column);
    return sum;
}

static int sum_shells(struct matter *m)
{
    static const int column[] = {SL_PAIR_RAW, SL_PAIR_CORRECTED, SL_PAIR_SHOT};
    struct sl_shells *to = &m->subject[TOTAL].shells;
    const struct sl_shells *gas = &m->subject[GAS].shells;
    size_t n = (size_t)(gas->nshell + 2) * SL_SPECTRUM_COLUMNS;
    *to = (struct sl_shells){.nshell = gas->nshell};
    SL_TRY(sl_alloc("the power of all matter", n, sizeof *to->value, &to->value));
    memcpy(to->value, gas->value, n * sizeof *to->value);
    for (int i = 0; i < gas->nshell + 2; i++)
        for (int c = 0; c < 3; c++)
            to->value[i * SL_SPECTRUM_COLUMNS + column[c]] = weighted(m, i, column[c]);
    for (int i = 0; i < TOTAL; i++)
        to->parseval = fmax(to->parseval, m->subject[i].shells.parseval);
    m->subject[TOTAL].number = m->subject[PARTICLES].number;
    return SL_OK;
}

/* Lags and their lengths are those of the gas. */
static int sum_lags(struct matter *m)
{
    struct sl_correlation *to = &m->subject[TOTAL].lags;
    const struct sl_correlation *gas = &m->subject[GAS].lags;
    size_t n = (size_t)gas->nbin;
    SL_TRY(sl_alloc("the correlation of all matter", 3 * n, sizeof *to->lags, &to->lags));
    memcpy(to->lags, gas->lags, 3 * n * sizeof *to->lags);
    to->nbin = gas->nbin;
    to->r = to->lags + n;
    to->xi = to->r + n;
    for (size_t i = 0; i < n; i++) {
        to->xi[i] = 0;
        for (int j = 0; j < TOTAL; j++)
            to->xi[i] += weight(m, j) * m->subject[j].lags.xi[i];
    }
    return SL_OK;
}

/* Of what was measured of the parts; without a transform. */
static int sum_up(struct matter *m)
{
    struct subject *s = &m->subject[TOTAL];
    SL_TRY(sl_agree(m->f->slab->comm, sum_shells(m)));
    SL_TRY(power_tables(m, s));
    if (!wants(m, SL_MATTER_correlation)) return SL_OK;
    int code = sum_lags(m);
    return sl_agree(m->f->slab->comm, code == SL_OK ? correlation_table(m, s) : code);
}

/* ---- all of it ---- */

static int set_dark(struct matter *m)
{
    const struct sl_slab *s = m->f->slab;
    struct sl_places p = {0};
    m->subject[PARTICLES].number = m->f->lent.number;
    if (m->f->lent.contrast) return SL_OK; /* by the same deposit */
    int code = read_places(m, &p);
    if (code == SL_OK) code = count_particles(m, &p);
    if (code == SL_OK) code = deposit(m, &p, m->dark);
    if (code == SL_OK && m->moved) {
        code = move_half_a_cell(s, &p);
        if (code == SL_OK) code = deposit(m, &p, m->moved);
    }
    sl_places_release(&p);
    return code == SL_OK && m->moved ? sl_spectrum_interlace(s, m->dark, m->moved) : code;
}

static bool set_columns(const struct matter *m, struct subject *s)
{
    s->power = malloc(3 * (size_t)m->rows * sizeof(double) + 1);
    if (!s->power) return false;
    s->k = s->power + m->rows;
    s->modes = s->k + m->rows;
    return true;
}

static void subject_release(struct subject *s)
{
    free(s->power);
    sl_spectrum_release(&s->shells);
    sl_correlation_release(&s->lags);
}

static int set_up(struct matter *m, bool dark, double *const work[3])
{
    const struct sl_slab *s = m->f->slab;
    int order = dark ? 1 + (int)m->cfg->statistics_deposit : 0;
    bool interlaced = dark && m->cfg->statistics_interlace;
    m->volume = s->length[0] * s->length[1] * s->length[2];
    m->rows = sl_spectrum_shells(s) - 1;
    m->gas = work[0], m->dark = dark ? work[1] : NULL, m->modes = work[2];
    if (dark && m->f->lent.contrast) m->dark = (double *)(uintptr_t)m->f->lent.contrast;
    if (interlaced) m->moved = new_field(m);
    const struct sl_windowed gas = {m->gas, 0, false}, particles = {m->dark, order, interlaced};
    m->subject[GAS] =
        (struct subject){.name = "gas", .about = "the gas", gas, gas, .input = "spectrum_gas"};
    m->subject[PARTICLES] = (struct subject){.name = "particles",
                                             .about = "the particles",
                                             particles,
                                             particles,
                                             .input = "spectrum_dark_matter"};
    m->subject[CROSS] =
        (struct subject){.name = "cross", .about = "gas and particles", gas, particles};
    m->subject[TOTAL] = (struct subject){
        .name = "total", .about = "all matter, gas and particles by their masses", gas, particles};
    bool room = m->moved || !interlaced;
    for (int i = 0; i < SUBJECTS; i++)
        room &= set_columns(m, &m->subject[i]);
    SL_CHECK(room, SL_EMEM, "out of memory for the power of matter");
    return SL_OK;
}

/* The density of all is kept where it lies on the device. */
static int multipoles(const struct matter *m)
{
    struct sl_stats_device *d = m->f->slab->device;
    double *work[2] = {m->dark, m->modes}, *lent = NULL;
    if (m->f->lent.contrast) SL_TRY(d->lent->lend(d, sl_slab_cells(m->f->slab), &lent));
    if (lent) work[0] = lent;
    int code = sl_multipoles_measure(m->cfg, m->f, work, m->tables, m->parseval);
    if (lent) d->lent->take_back(d, lent);
    return code;
}

static int measure_all(struct matter *m, double mean)
{
    bool total = wants(m, SL_MATTER_total) && m->dark,
         cross = total || (wants(m, SL_MATTER_cross) && m->dark);
    if (cross || wants(m, SL_MATTER_gas)) set_gas(m, mean);
    if (m->dark) SL_TRY(set_dark(m));
    if (total || wants(m, SL_MATTER_gas)) SL_TRY(count(m, &m->subject[GAS], m->gas, 0));
    if (cross || wants(m, SL_MATTER_gas)) SL_TRY(measure(m, &m->subject[GAS]));
    if (m->dark) SL_TRY(measure(m, &m->subject[PARTICLES]));
    if (cross) SL_TRY(measure(m, &m->subject[CROSS]));
    if (total) SL_TRY(sum_up(m));
    if (!wants(m, SL_MATTER_multipoles) || !m->f->particles || !m->f->linear) return SL_OK;
    sl_lap("multipoles");
    return multipoles(m);
}

int sl_matter_measure(const struct sl_config *cfg, const struct sl_fields *f, double mean,
                      double *const work[3], struct sl_tables *tables, double *parseval)
{
    struct matter m = {.cfg = cfg, .f = f, .tables = tables, .parseval = parseval, .share = mean};
    bool dark = (f->number == 0 || f->particles) && sl_config_measures_particles(cfg);
    if (f->slab->dim < 3 || !cfg->statistics_matter) return SL_OK;
    int code = sl_agree(f->slab->comm, set_up(&m, dark, work));
    if (code == SL_OK) code = measure_all(&m, mean);
    for (int i = 0; i < SUBJECTS; i++)
        subject_release(&m.subject[i]);
    free(m.moved);
    return code;
}

/* Contrast in rho, or on the device. */
static int set_contrast(struct matter *m, double *rho, struct sl_lent_density *lent)
{
    struct sl_stats_device *d = m->f->slab->device;
    struct sl_places p = {0};
    double *to = NULL;
    int code = read_places(m, &p);
    if (code == SL_OK && p.on && sl_stats_stays(m->cfg))
        code = d->lent->lend(d, sl_slab_cells(m->f->slab), &to);
    if (code == SL_OK) code = deposit(m, &p, to ? to : rho);
    sl_places_release(&p);
    if (code != SL_OK && to) d->lent->take_back(d, to);
    if (code == SL_OK) *lent = (struct sl_lent_density){to, 0, m->subject[PARTICLES].number};
    return code;
}

int sl_matter_density(const struct sl_config *cfg, const struct sl_fields *f, double *rho,
                      struct sl_lent_density *lent)
{
    struct matter m = {.cfg = cfg, .f = f};
    double mass;
    SL_TRY(set_contrast(&m, rho, lent));
    SL_TRY(sl_places_mass(f->slab, f->particles, &mass));
    double mean = mass / (f->slab->length[0] * f->slab->length[1] * f->slab->length[2]);
    lent->mean = mean;
    for (size_t i = 0; !lent->contrast && i < sl_slab_cells(f->slab); i++)
        rho[i] = (rho[i] + 1) * mean;
    return SL_OK;
}
