/* measure.c - see measure.h. */
#include "core/stats/measure.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clump/clump_tables.h"
#include "core/config/config.h"
#include "core/grid/transpose.h"
#include "core/halo/halo_tables.h"
#include "core/lists/boundary_list.h"
#include "core/measure/device.h"
#include "core/measure/joint.h"
#include "core/measure/maps.h"
#include "core/measure/matter.h"
#include "core/measure/pdf.h"
#include "core/measure/spectrum.h"
#include "core/measure/structure.h"
#include "core/sys/agree.h"
#include "core/sys/laps.h"
#include "core/sys/status.h"
#include "core/sys/watchdog.h"

struct context {
    const struct sl_config *cfg;
    const struct sl_fields *f;
    struct sl_tables *tables;
    struct sl_measured *out;
    double **work; /* [3], room for a field each */
    double mean;   /* density */
};

static int add_table(const struct context *c, const char *kind, int nrow, int ncol,
                     struct sl_table **t, const char *about)
{
    return sl_fields_table(c->f, c->tables, kind, nrow, ncol, t, about);
}

static int periodic(const struct sl_config *cfg)
{
    for (int f = 0; f < 2 * sl_config_dim(cfg) && f < cfg->mesh_boundary_n; f++)
        if (cfg->mesh_boundary[f] != SL_BOUNDARY_periodic) return 0;
    return 1;
}

/* ---- spectra ---- */

static double largest_side(const struct sl_slab *s)
{
    double longest = 0;
    for (int d = 0; d < s->dim; d++)
        longest = fmax(longest, s->length[d]);
    return longest;
}

/* Modes that a shell around k would have if they lay evenly: 2, 2 pi k or 4 pi k^2 times the
 * density of modes. */
static double even_modes(const struct sl_slab *s, double k)
{
    double pi = acos(-1), surface[] = {2, 2 * pi * k, 4 * pi * k * k}, density = 1;
    for (int d = 0; d < s->dim; d++)
        density *= s->length[d] / largest_side(s);
    return surface[s->dim - 1] * density;
}

/* The power law through shells 3 .. N/8, or as the recipe says; none where there are too few. */
static int fit_slope(const struct context *c, struct sl_table *t, enum sl_spectrum kind)
{
    const int64_t *asked = c->cfg->statistics_fit;
    double from = asked[0] > 0 ? (double)asked[0] : 3,
           to = asked[1] > 0 ? (double)asked[1] : t->nrow / 4;
    double *k = malloc(2 * (size_t)t->nrow * sizeof *k), *e = k + t->nrow;
    int points = 0, total = sl_table_find(t, "total");
    SL_CHECK(k, SL_EMEM, "out of memory");
    for (int r = 0; r < t->nrow; r++) {
        k[r] = *sl_table_at(t, r, 0);
        e[r] = *sl_table_at(t, r, total);
        points += k[r] >= from && k[r] <= to && e[r] > 0;
    }
    struct sl_power_law law = {.points = 0};
    int code = points >= 3 ? sl_power_fit(t->nrow, k, e, from, to, &law) : SL_OK;
    free(k);
    SL_TRY(code);
    c->out->slope[kind] = law;
    if (law.points == 0) return SL_OK;
    sl_table_note(t, "slope", law.exponent);
    sl_table_note(t, "slope_error", law.error);
    sl_table_note(t, "slope_from", from);
    sl_table_note(t, "slope_to", to);
    return SL_OK;
}

/* What the table of a spectrum says of itself. */
struct label {
    enum sl_spectrum kind;
    const char *name, *about, *unit;
    bool split; /* into solenoidal and compressive parts */
};

static void spectrum_fill(const struct context *c, const struct label *label,
                          const struct sl_shells *s, struct sl_table *t)
{
    static const char *const name[] = {"k",     "modes",      "k_mean",
                                       "total", "solenoidal", "compressive"};
    int last = t->ncol - 1;
    for (int i = 0; i < last; i++)
        sl_table_column(t, i, name[i], i == 1 ? "1" : i < 3 ? "2 pi / longest side" : label->unit);
    sl_table_column(t, last, "even", label->unit);
    for (int r = 0; r < s->nshell; r++) {
        *sl_table_at(t, r, 0) = r + 1;
        for (int i = 1; i < last; i++)
            *sl_table_at(t, r, i) = sl_spectrum_at(s, r + 1, i - 1);
        double modes = sl_spectrum_at(s, r + 1, SL_SPECTRUM_MODES);
        *sl_table_at(t, r, last) =
            sl_spectrum_at(s, r + 1, SL_SPECTRUM_TOTAL) * even_modes(c->f->slab, r + 1) / modes;
    }
}

static int spectrum_table(const struct context *c, const struct label *label,
                          const struct sl_shells *s)
{
    struct sl_table *t;
    char kind[SL_TABLE_NAME], about[512];
    snprintf(kind, sizeof kind, "spectrum_%s", label->name);
    snprintf(about, sizeof about,
             "%s; even: the total times the modes that evenly spread modes would give the shell "
             "over those it has",
             label->about);
    SL_TRY(add_table(c, kind, s->nshell, label->split ? 7 : 5, &t, about));
    spectrum_fill(c, label, s, t);
    sl_table_note(t, "mean_mode", sl_spectrum_at(s, 0, SL_SPECTRUM_TOTAL));
    sl_table_note(t, "overflow", sl_spectrum_at(s, s->nshell + 1, SL_SPECTRUM_TOTAL));
    sl_table_note(t, "overflow_modes", sl_spectrum_at(s, s->nshell + 1, SL_SPECTRUM_MODES));
    sl_table_note(t, "grid_sum", s->grid);
    sl_table_note(t, "parseval_error", s->parseval);
    c->out->parseval = fmax(c->out->parseval, s->parseval);
    return fit_slope(c, t, label->kind);
}

static void add_parts(const struct sl_shells *s, struct sl_parts *part)
{
    *part = (struct sl_parts){.measured = true, .whole = s->grid};
    for (int i = 1; i < s->nshell + 2; i++) {
        part->solenoidal += sl_spectrum_at(s, i, SL_SPECTRUM_SOLENOIDAL);
        part->compressive += sl_spectrum_at(s, i, SL_SPECTRUM_COMPRESSIVE);
    }
}

/* Measures ncomp fields, whose modes go to c->work, and makes the table; what the parts add up to
 * is in `part` where asked for. */
static int spectrum(const struct context *c, const struct label *label, int ncomp,
                    const double *const f[], double weight, struct sl_parts *part)
{
    struct sl_shells s;
    SL_TRY(sl_spectrum_make(c->f->slab, ncomp, f, weight, c->work, &s));
    if (part) add_parts(&s, part);
    int code = sl_agree(c->f->slab->comm, spectrum_table(c, label, &s));
    sl_spectrum_release(&s);
    return code;
}

static int spectrum_velocity(const struct context *c)
{
    static const struct label label = {
        SL_SPECTRUM_velocity, "velocity",
        "E(k) of the velocity: sum over the shell k - 1/2 <= |k| < k + "
        "1/2 of 1/2 |v_k|^2; solenoidal and compressive parts of each "
        "mode",
        "code velocity^2", true};
    struct sl_parts *part = &c->out->part[SL_PARTED_velocity];
    SL_TRY(spectrum(c, &label, 3, c->f->v, 0.5, part));
    if (part->solenoidal > 0)
        c->out->solenoidal_share = part->solenoidal / (part->solenoidal + part->compressive);
    return SL_OK;
}

/* Of a density that lies on a device. */
static int spectrum_lent(const struct context *c, const struct label *label)
{
    const struct sl_slab *s = c->f->slab;
    struct sl_stats_device *d = s->device;
    double *over;
    SL_TRY(d->lent->lend(d, sl_slab_cells(s), &over));
    const double *const f[1] = {over};
    int code = d->lent->over(d, s, &c->f->lent, c->mean, over);
    if (code == SL_OK) code = spectrum(c, label, 1, f, 1, NULL);
    d->lent->take_back(d, over);
    return code;
}

static int spectrum_density(const struct context *c)
{
    static const struct label label = {SL_SPECTRUM_density, "density",
                                       "power of the density contrast d = rho / mean - 1: sum over "
                                       "the shell k - 1/2 <= |k| < k + 1/2 of |d_k|^2",
                                       "1", false};
    if (c->f->lent.contrast) return spectrum_lent(c, &label);
    for (size_t i = 0; i < sl_slab_cells(c->f->slab); i++)
        c->work[0][i] = c->f->rho[i] / c->mean - 1;
    return spectrum(c, &label, 1, (const double *const *)c->work, 1, NULL);
}

static int spectrum_log_density(const struct context *c)
{
    static const struct label label = {SL_SPECTRUM_log_density, "log_density",
                                       "power of s = ln(rho / mean): sum over the shell k - 1/2 <= "
                                       "|k| < k + 1/2 of |s_k|^2",
                                       "1", false};
    for (size_t i = 0; i < sl_slab_cells(c->f->slab); i++)
        c->work[0][i] = log(c->f->rho[i] / c->mean);
    return spectrum(c, &label, 1, (const double *const *)c->work, 1, NULL);
}

/* Of rho^power v. */
static int spectrum_weighted(const struct context *c, double power, const struct label *label,
                             struct sl_parts *part)
{
    size_t cells = sl_slab_cells(c->f->slab);
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; i < cells; i++)
            c->work[d][i] =
                (power == 0.5 ? sqrt(c->f->rho[i]) : cbrt(c->f->rho[i])) * c->f->v[d][i];
    return spectrum(c, label, 3, (const double *const *)c->work, 0.5, part);
}

static int spectrum_energy(const struct context *c)
{
    static const struct label label = {
        SL_SPECTRUM_energy, "energy",
        "kinetic energy: sum over the shell k - 1/2 <= |k| < k + 1/2 "
        "of 1/2 |w_k|^2, w = sqrt(rho) v; solenoidal and compressive "
        "parts of w",
        "code density code velocity^2", true};
    return spectrum_weighted(c, 0.5, &label, &c->out->part[SL_PARTED_kinetic]);
}

static int spectrum_cascade(const struct context *c)
{
    static const struct label label = {
        SL_SPECTRUM_cascade, "cascade",
        "sum over the shell k - 1/2 <= |k| < k + 1/2 of 1/2 |w_k|^2, "
        "w = rho^(1/3) v; solenoidal and compressive parts of w",
        "code density^(2/3) code velocity^2", true};
    return spectrum_weighted(c, 1.0 / 3, &label, NULL);
}

static int spectrum_magnetic(const struct context *c)
{
    static const struct label label = {SL_SPECTRUM_magnetic, "magnetic",
                                       "magnetic energy: sum over the shell k - 1/2 <= |k| < k + "
                                       "1/2 of 1/2 |B_k|^2; the compressive part is what has a "
                                       "divergence",
                                       "code density code velocity^2", true};
    if (!c->f->b[0]) return SL_OK;
    return spectrum(c, &label, 3, c->f->b, 0.5, &c->out->part[SL_PARTED_magnetic]);
}

static int measure_spectra(const struct context *c)
{
    unsigned asked = periodic(c->cfg) ? c->cfg->statistics_spectra : 0;
#define SPECTRUM(name, about)                                                                      \
    if (asked >> SL_SPECTRUM_##name & 1) SL_TRY(spectrum_##name(c));
    SL_SPECTRUM_LIST(SPECTRUM)
#undef SPECTRUM
    return SL_OK;
}

/* ---- distributions and structure ---- */

static int pdf_density(const struct context *c, const struct sl_pdf *pdf)
{
    struct sl_table *t;
    SL_TRY(add_table(c, "pdf_density", SL_PDF_BINS, 5, &t,
                     "distribution of s = ln(rho / mean rho) by volume and by mass, in bins of 0.1 "
                     "(s is the middle); lognormal has the mean and width of s by volume; hopkins: "
                     "intermittent, of the same width and hopkins_t (Hopkins 2013)"));
    sl_table_column(t, 0, "s", "1");
    sl_table_column(t, 1, "volume", "1 per unit of s");
    sl_table_column(t, 2, "mass", "1 per unit of s");
    sl_table_column(t, 3, "lognormal", "1 per unit of s");
    sl_table_column(t, 4, "hopkins", "1 per unit of s");
    for (int r = 0; r < SL_PDF_BINS; r++) {
        *sl_table_at(t, r, 0) = SL_PDF_FIRST + (r + 0.5) * SL_PDF_WIDTH;
        *sl_table_at(t, r, 1) = pdf->volume[r];
        *sl_table_at(t, r, 2) = pdf->mass[r];
        *sl_table_at(t, r, 3) = pdf->lognormal[r];
        *sl_table_at(t, r, 4) = pdf->hopkins[r];
    }
    sl_table_note(t, "mean_density", pdf->mean);
    sl_table_note(t, "s_mean", pdf->s_mean);
    sl_table_note(t, "s_sigma", pdf->s_sigma);
    sl_table_note(t, "s_mean_mass", pdf->s_mean_mass);
    sl_table_note(t, "s_sigma_mass", pdf->s_sigma_mass);
    sl_table_note(t, "hopkins_t", pdf->hopkins_t);
    sl_table_note(t, "outside", pdf->outside);
    return SL_OK;
}

/* Of a vector (ncomp 3) or a scalar; unit: of the field. */
struct increments {
    const char *name, *unit, *about;
    int ncomp;
};

static void structure_fill(const struct increments *of, const struct sl_structure *s,
                           struct sl_table *t)
{
    static const char *const kind[] = {"long", "trans"};
    sl_table_column(t, 0, "lag", "code length");
    for (int i = 0; i < t->ncol - 1; i++) {
        int order = i % SL_STRUCTURE_ORDERS + 1;
        char name[32], unit[64];
        snprintf(name, sizeof name, "%s_%d",
                 of->ncomp == 1 ? "order" : kind[i / SL_STRUCTURE_ORDERS], order);
        snprintf(unit, sizeof unit, of->ncomp == 1 ? "%s" : "%s^%d", of->unit, order);
        sl_table_column(t, 1 + i, name, unit);
    }
    for (int r = 0; r < s->nlag; r++) {
        *sl_table_at(t, r, 0) = s->lag[r];
        for (int i = 0; i < t->ncol - 1; i++)
            *sl_table_at(t, r, 1 + i) = s->value[r * SL_STRUCTURE_COLUMNS + i];
    }
}

static int structure_table(const struct context *c, const struct increments *of,
                           enum sl_structure_family family, const struct sl_structure *s)
{
    static const char *const end[] = {"", "_110", "_111"}, *const way[] = {
                                                               "the axes",
                                                               "the diagonals of faces (1,1,0)",
                                                               "the diagonals of the grid (1,1,1)"};
    struct sl_table *t;
    char kind[SL_TABLE_NAME], about[512];
    int kinds = of->ncomp > 1 && c->f->slab->dim > 1 ? 2 : 1;
    snprintf(kind, sizeof kind, "structure_%s%s", of->name, end[family]);
    snprintf(about, sizeof about,
             "structure functions <|d|^p>, p = 1 .. 6, of %s over lags along %s", of->about,
             way[family]);
    SL_TRY(add_table(c, kind, s->nlag, 1 + kinds * SL_STRUCTURE_ORDERS, &t, about));
    structure_fill(of, s, t);
    return SL_OK;
}

static int structures(const struct context *c, const struct increments *of, const double *const f[])
{
    bool diagonals = c->cfg->statistics_structure >> SL_STRUCTURE_diagonals & 1;
    int families = diagonals ? c->f->slab->dim : 1;
    for (int family = 0; family < families; family++) {
        struct sl_structure s;
        SL_TRY(sl_structure_make(c->f->slab, (enum sl_structure_family)family, of->ncomp, f, &s));
        int code = sl_agree(c->f->slab->comm,
                            structure_table(c, of, (enum sl_structure_family)family, &s));
        sl_structure_release(&s);
        SL_TRY(code);
    }
    return SL_OK;
}

static int structure_velocity(const struct context *c)
{
    static const struct increments of = {"velocity", "code velocity",
                                         "the velocity, longitudinal and transverse", 3};
    return structures(c, &of, c->f->v);
}

static int structure_density(const struct context *c)
{
    static const struct increments of = {"density", "1", "rho / mean", 1};
    for (size_t i = 0; i < sl_slab_cells(c->f->slab); i++)
        c->work[0][i] = c->f->rho[i] / c->mean;
    return structures(c, &of, (const double *const *)c->work);
}

static int measure_structure(const struct context *c)
{
    unsigned asked = periodic(c->cfg) ? c->cfg->statistics_structure : 0;
#define STRUCTURE(name, about)                                                                     \
    if (asked >> SL_STRUCTURE_##name & 1) SL_TRY(structure_##name(c));
    SL_INCREMENT_LIST(STRUCTURE)
#undef STRUCTURE
    return SL_OK;
}

static double size_of(const double *const a[3], size_t i)
{
    return sqrt(a[0][i] * a[0][i] + a[1][i] * a[1][i] + a[2][i] * a[2][i]);
}

/* What is taken against the density, in cell i. */
static double joint_speed(const struct sl_fields *f, size_t i)
{
    return size_of(f->v, i);
}

static double joint_magnetic(const struct sl_fields *f, size_t i)
{
    return size_of(f->b, i);
}

static double joint_temperature(const struct sl_fields *f, size_t i)
{
    return f->pressure[i] / f->rho[i];
}

static int joint_table(const struct context *c, const char *of, const struct sl_joint *j)
{
    char kind[SL_TABLE_NAME], about[512];
    struct sl_table *t;
    snprintf(kind, sizeof kind, "joint_density_%s", of);
    snprintf(about, sizeof about,
             "share of the volume; columns: log10(rho / mean) from -4 in steps of 0.1, lines: "
             "log10 of %s over its rms, from -4 in steps of 0.1",
             of);
    SL_TRY(add_table(c, kind, SL_JOINT_BINS, SL_JOINT_BINS, &t, about));
    t->matrix = true;
    sl_table_column(t, 0, "map", "1");
    memcpy(t->value, j->share, sizeof j->share);
    sl_table_note(t, "mean_density", j->mean_x);
    sl_table_note(t, "rms", j->rms_y);
    sl_table_note(t, "outside", j->outside);
    return SL_OK;
}

static int joint(const struct context *c, const char *of,
                 double at(const struct sl_fields *f, size_t i))
{
    struct sl_joint *j = malloc(sizeof *j);
    int code = sl_agree(c->f->slab->comm, j ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    for (size_t i = 0; i < sl_slab_cells(c->f->slab); i++)
        c->work[0][i] = at(c->f, i);
    if (code == SL_OK) code = sl_joint_make(c->f->slab, c->f->rho, c->work[0], j);
    if (code == SL_OK) code = sl_agree(c->f->slab->comm, joint_table(c, of, j));
    free(j);
    return code;
}

static int measure_joints(const struct context *c)
{
#define JOINT(name, about)                                                                         \
    if (c->cfg->statistics_joint >> SL_JOINT_##name & 1) SL_TRY(joint(c, #name, joint_##name));
    SL_JOINT_LIST(JOINT)
#undef JOINT
    return SL_OK;
}

/* ---- all of it ---- */

/* P(k) and what is made of it; sigma8 is that of all matter, or else of particles, or of the gas:
 * of the last table. */
static int measure_matter(const struct context *c)
{
    int from = c->tables->n;
    SL_TRY(sl_matter_measure(c->cfg, c->f, c->mean, c->work, c->tables, &c->out->parseval));
    for (int i = from; i < c->tables->n; i++) {
        const struct sl_table *t = &c->tables->table[i];
        double sigma8 = strncmp(t->name, "sigma_", 6) == 0 ? sl_table_noted(t, "sigma8") : 0;
        if (sigma8 > 0) c->out->sigma8 = sigma8;
    }
    return SL_OK;
}

/* Plane by plane: the same bits for any number of ranks. */
static int mean_density(struct context *c)
{
    const struct sl_slab *s = c->f->slab;
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    bool lent = c->f->lent.contrast;
    if (lent) SL_TRY(s->device->lent->planes(s->device, s, &c->f->lent, c->work[0]));
    for (size_t k = 0; !lent && k < (size_t)s->nz; k++) {
        c->work[0][k] = 0;
        for (size_t i = 0; i < plane; i++)
            c->work[0][k] += c->f->rho[k * plane + i];
    }
    SL_TRY(sl_slab_sum(s, 1, c->work[0], &c->mean));
    c->mean /= (double)plane * s->n[2];
    return SL_OK;
}

/* The mean density, and the distribution of that of gas: particles leave cells empty. */
static int measure_density(struct context *c, struct sl_pdf *pdf)
{
    if (!sl_config_has_gas(c->cfg)) return mean_density(c);
    SL_TRY(sl_pdf_make(c->f->slab, c->f->rho, pdf));
    c->mean = pdf->mean;
    c->out->density_sigma = pdf->s_sigma;
    c->out->density_intermittency = pdf->hopkins_t;
    return SL_OK;
}

static void part(const char *phase, const char *name)
{
    sl_watchdog_phase(phase);
    sl_lap(name);
}

/* In a run each part has the time of a phase (resources.hang). */
static int measure_all(struct context *c)
{
    struct sl_pdf pdf;
    SL_TRY(measure_density(c, &pdf));
    part("measuring spectra", "spectra");
    SL_TRY(measure_spectra(c));
    part("measuring the power of matter", "P(k)");
    if (periodic(c->cfg)) SL_TRY(measure_matter(c));
#define TABLE(name, about)                                                                         \
    if (c->cfg->statistics_pdf >> SL_PDF_##name & 1)                                               \
        SL_TRY(sl_agree(c->f->slab->comm, pdf_##name(c, &pdf)));
    SL_PDF_LIST(TABLE)
#undef TABLE
    part("measuring structure functions", "structure functions");
    SL_TRY(measure_structure(c));
    SL_TRY(measure_joints(c));
    part("finding clumps", "clumps");
    SL_TRY(sl_clump_tables(c->cfg, c->f, c->mean, c->tables, c->out));
    part("finding haloes", "particles of haloes");
    SL_TRY(sl_halo_tables(c->cfg, c->f, c->tables, c->out));
    part("making maps", "maps");
    return sl_maps_make(c->cfg, c->f, c->work, c->tables);
}

int sl_measure_fields(const struct sl_config *cfg, const struct sl_fields *f, double *work[3],
                      struct sl_tables *tables, struct sl_measured *out)
{
    struct context c = {cfg, f, tables, out, work, NAN};
    memset(out, 0, sizeof *out);
#define NOT_MEASURED(name, ...) out->name = NAN;
    SL_NUMBER_LIST(NOT_MEASURED)
#undef NOT_MEASURED
    return measure_all(&c);
}
