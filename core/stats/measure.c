/* measure.c - see measure.h. */
#include "core/stats/measure.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/pdf.h"
#include "core/stats/spectrum.h"
#include "core/stats/structure.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

struct context {
    const struct sl_config *cfg;
    const struct sl_fields *f;
    struct sl_tables *tables;
    struct sl_measured *out;
};

static int add_table(const struct context *c, const char *kind, int nrow, int ncol,
                     struct sl_table **t, const char *about)
{
    char name[SL_TABLE_NAME];
    snprintf(name, sizeof name, "%s_%04d", kind, c->f->number);
    SL_TRY(sl_tables_add(c->tables, name, nrow, ncol, t, "%s", about));
    sl_table_note(*t, "time", c->f->time);
    return SL_OK;
}

/* ---- spectra ---- */

static int spectrum_table(const struct context *c, const char *kind, const char *about,
                          const char *unit, int split, const struct sl_shells *s)
{
    static const char *const name[] = {"k",     "modes",      "k_mean",
                                       "total", "solenoidal", "compressive"};
    struct sl_table *t;
    SL_TRY(add_table(c, kind, s->nshell, split ? 6 : 4, &t, about));
    for (int i = 0; i < t->ncol; i++)
        sl_table_column(t, i, name[i], i == 1 ? "1" : i < 3 ? "2 pi / longest side" : unit);
    for (int r = 0; r < s->nshell; r++) {
        *sl_table_at(t, r, 0) = r + 1;
        for (int i = 1; i < t->ncol; i++)
            *sl_table_at(t, r, i) = sl_spectrum_at(s, r + 1, i - 1);
    }
    sl_table_note(t, "mean_mode", sl_spectrum_at(s, 0, SL_SPECTRUM_TOTAL));
    sl_table_note(t, "overflow", sl_spectrum_at(s, s->nshell + 1, SL_SPECTRUM_TOTAL));
    sl_table_note(t, "overflow_modes", sl_spectrum_at(s, s->nshell + 1, SL_SPECTRUM_MODES));
    sl_table_note(t, "grid_sum", s->grid);
    sl_table_note(t, "parseval_error", s->parseval);
    c->out->parseval = fmax(c->out->parseval, s->parseval);
    return SL_OK;
}

static int velocity_spectrum(const struct context *c)
{
    struct sl_shells s;
    SL_TRY(sl_spectrum_make(c->f->slab, 3, c->f->v, 0.5, &s));
    double part[2] = {0, 0};
    for (int i = 1; i < s.nshell + 2; i++) {
        part[0] += sl_spectrum_at(&s, i, SL_SPECTRUM_SOLENOIDAL);
        part[1] += sl_spectrum_at(&s, i, SL_SPECTRUM_COMPRESSIVE);
    }
    if (part[0] + part[1] > 0) c->out->solenoidal_share = part[0] / (part[0] + part[1]);
    int code = spectrum_table(c, "spectrum_velocity",
                              "E(k) of the velocity: sum over the shell k - 1/2 <= |k| < k + 1/2 "
                              "of 1/2 |v_k|^2; solenoidal and compressive parts of each mode",
                              "code velocity^2", 1, &s);
    sl_spectrum_release(&s);
    return code;
}

static int density_spectrum(const struct context *c, double *work[3], double mean)
{
    struct sl_shells s;
    size_t cells = sl_slab_cells(c->f->slab);
    for (size_t i = 0; i < cells; i++)
        work[0][i] = c->f->rho[i] / mean - 1;
    const double *field[1] = {work[0]};
    SL_TRY(sl_spectrum_make(c->f->slab, 1, field, 1, &s));
    int code = spectrum_table(c, "spectrum_density",
                              "power of the density contrast d = rho / mean - 1: sum over the "
                              "shell k - 1/2 <= |k| < k + 1/2 of |d_k|^2",
                              "1", 0, &s);
    sl_spectrum_release(&s);
    return code;
}

static int energy_spectrum(const struct context *c, double *work[3])
{
    struct sl_shells s;
    size_t cells = sl_slab_cells(c->f->slab);
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; i < cells; i++)
            work[d][i] = sqrt(c->f->rho[i]) * c->f->v[d][i];
    SL_TRY(sl_spectrum_make(c->f->slab, 3, (const double *const *)work, 0.5, &s));
    int code = spectrum_table(c, "spectrum_energy",
                              "kinetic energy: sum over the shell k - 1/2 <= |k| < k + 1/2 of 1/2 "
                              "|w_k|^2, w = sqrt(rho) v; solenoidal and compressive parts of w",
                              "code density velocity^2", 1, &s);
    sl_spectrum_release(&s);
    return code;
}

static int magnetic_spectrum(const struct context *c)
{
    struct sl_shells s;
    SL_TRY(sl_spectrum_make(c->f->slab, 3, c->f->b, 0.5, &s));
    int code = spectrum_table(c, "spectrum_magnetic",
                              "magnetic energy: sum over the shell k - 1/2 <= |k| < k + 1/2 of 1/2 "
                              "|B_k|^2; the compressive part is what has a divergence",
                              "code density velocity^2", 1, &s);
    sl_spectrum_release(&s);
    return code;
}

/* ---- distributions and structure ---- */

static int pdf_table(const struct context *c, const struct sl_pdf *pdf)
{
    struct sl_table *t;
    SL_TRY(add_table(c, "pdf_density", SL_PDF_BINS, 4, &t,
                     "distribution of s = ln(rho / mean rho) by volume and by mass, in bins of 0.1 "
                     "(s is the middle); lognormal has the mean and width of s by volume"));
    sl_table_column(t, 0, "s", "1");
    sl_table_column(t, 1, "volume", "1 per unit of s");
    sl_table_column(t, 2, "mass", "1 per unit of s");
    sl_table_column(t, 3, "lognormal", "1 per unit of s");
    for (int r = 0; r < SL_PDF_BINS; r++) {
        *sl_table_at(t, r, 0) = SL_PDF_FIRST + (r + 0.5) * SL_PDF_WIDTH;
        *sl_table_at(t, r, 1) = pdf->volume[r];
        *sl_table_at(t, r, 2) = pdf->mass[r];
        *sl_table_at(t, r, 3) = pdf->lognormal[r];
    }
    sl_table_note(t, "mean_density", pdf->mean);
    sl_table_note(t, "s_mean", pdf->s_mean);
    sl_table_note(t, "s_sigma", pdf->s_sigma);
    sl_table_note(t, "s_mean_mass", pdf->s_mean_mass);
    sl_table_note(t, "s_sigma_mass", pdf->s_sigma_mass);
    sl_table_note(t, "outside", pdf->outside);
    return SL_OK;
}

static int structure_table(const struct context *c)
{
    struct sl_structure s;
    struct sl_table *t;
    int orders = SL_STRUCTURE_ORDERS, kinds = c->f->slab->dim > 1 ? 2 : 1;
    SL_TRY(sl_structure_make(c->f->slab, c->f->v, &s));
    int code = add_table(c, "structure_velocity", s.nlag, 1 + kinds * orders, &t,
                         "structure functions <|dv|^p> of the velocity over lags along the axes, "
                         "longitudinal and transverse, p = 1 .. 6");
    if (code == SL_OK) {
        sl_table_column(t, 0, "lag", "code length");
        for (int i = 0; i < kinds * orders; i++) {
            char name[32], unit[32];
            snprintf(name, sizeof name, "%s_%d", i < orders ? "long" : "trans", i % orders + 1);
            snprintf(unit, sizeof unit, "code velocity^%d", i % orders + 1);
            sl_table_column(t, 1 + i, name, unit);
        }
        for (int r = 0; r < s.nlag; r++) {
            *sl_table_at(t, r, 0) = s.lag[r];
            for (int i = 0; i < kinds * orders; i++)
                *sl_table_at(t, r, 1 + i) = s.value[r * SL_STRUCTURE_COLUMNS + i];
        }
    }
    sl_structure_release(&s);
    return code;
}

/* ---- maps ---- */

/* Rows of all ranks, each summed over z in order; every rank gets the map[n1][n0]. */
static int project(const struct sl_slab *s, const double *rows, double *map)
{
    size_t row = (size_t)s->n[0];
    double *own = calloc((size_t)s->ny * row + 1, sizeof *own);
    int *count = malloc(2 * (size_t)s->size * sizeof *count);
    int code = own && count && row * (size_t)s->n[1] <= INT_MAX ? SL_OK
                                                                : SL_FAIL(SL_EMEM, "out of memory");
    code = sl_agree(s->comm, code);
    if (code == SL_OK) {
        for (size_t y = 0; y < (size_t)s->ny; y++)
            for (size_t z = 0; z < (size_t)s->n[2]; z++)
                for (size_t x = 0; x < row; x++)
                    own[y * row + x] += rows[(y * (size_t)s->n[2] + z) * row + x];
        int range[2] = {s->ny * s->n[0], s->y0 * s->n[0]};
        MPI_Allgather(&range[0], 1, MPI_INT, count, 1, MPI_INT, s->comm);
        MPI_Allgather(&range[1], 1, MPI_INT, count + s->size, 1, MPI_INT, s->comm);
        MPI_Allgatherv(own, range[0], MPI_DOUBLE, map, count, count + s->size, MPI_DOUBLE, s->comm);
    }
    free(own);
    free(count);
    return code;
}

/* The map of one plane: its owner sends it to all. */
static void slice(const struct sl_slab *s, const double *rho, int z, double *map)
{
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    int own = z >= s->z0 && z < s->z0 + s->nz ? s->rank : -1, root;
    MPI_Allreduce(&own, &root, 1, MPI_INT, MPI_MAX, s->comm);
    if (own >= 0) memcpy(map, rho + (size_t)(z - s->z0) * plane, plane * sizeof *map);
    MPI_Bcast(map, (int)plane, MPI_DOUBLE, root, s->comm);
}

static void logarithms(struct sl_table *t)
{
    for (size_t i = 0; i < (size_t)t->nrow * (size_t)t->ncol; i++)
        t->value[i] = log10(t->value[i]);
}

static int maps(const struct context *c, double *rows)
{
    const struct sl_slab *s = c->f->slab;
    struct sl_table *t;
    int code =
        add_table(c, "slice_density_z", s->n[1], s->n[0], &t,
                  "log10 of the density in the middle plane along z; lines are y, columns x");
    SL_TRY(sl_agree(s->comm, code));
    t->matrix = true;
    sl_table_column(t, 0, "map", "log10 of code density");
    slice(s, c->f->rho, s->n[2] / 2, t->value);
    logarithms(t);
    code = add_table(c, "projection_density_z", s->n[1], s->n[0], &t,
                     "log10 of the integral of the density along z; lines are y, columns x");
    SL_TRY(sl_agree(s->comm, code));
    t->matrix = true;
    sl_table_column(t, 0, "map", "log10 of code density length");
    SL_TRY(sl_slab_turn(s, (size_t)s->n[0], c->f->rho, rows));
    SL_TRY(project(s, rows, t->value));
    for (size_t i = 0; i < (size_t)t->nrow * (size_t)t->ncol; i++)
        t->value[i] *= s->length[2] / s->n[2];
    logarithms(t);
    return SL_OK;
}

/* ---- all of it ---- */

static int periodic(const struct sl_config *cfg)
{
    for (int f = 0; f < 2 * sl_config_dim(cfg) && f < cfg->mesh_boundary_n; f++)
        if (cfg->mesh_boundary[f] != SL_BOUNDARY_periodic) return 0;
    return 1;
}

static int measure_all(const struct context *c, double *work[3])
{
    unsigned spectra = periodic(c->cfg) ? c->cfg->statistics_spectra : 0;
    unsigned structure = periodic(c->cfg) ? c->cfg->statistics_structure : 0;
    struct sl_pdf pdf;
    SL_TRY(sl_pdf_make(c->f->slab, c->f->rho, &pdf));
    c->out->density_sigma = pdf.s_sigma;
    if (spectra >> SL_SPECTRUM_velocity & 1) SL_TRY(velocity_spectrum(c));
    if (spectra >> SL_SPECTRUM_density & 1) SL_TRY(density_spectrum(c, work, pdf.mean));
    if (spectra >> SL_SPECTRUM_energy & 1) SL_TRY(energy_spectrum(c, work));
    if (spectra >> SL_SPECTRUM_magnetic & 1 && c->f->b[0]) SL_TRY(magnetic_spectrum(c));
    if (c->cfg->statistics_pdf) SL_TRY(sl_agree(c->f->slab->comm, pdf_table(c, &pdf)));
    if (structure) SL_TRY(structure_table(c));
    if (c->f->slab->dim > 1) SL_TRY(maps(c, work[0]));
    return SL_OK;
}

int sl_measure_fields(const struct sl_config *cfg, const struct sl_fields *f,
                      struct sl_tables *tables, struct sl_measured *out)
{
    const struct sl_slab *s = f->slab;
    struct context c = {cfg, f, tables, out};
    double *work[3];
    size_t rows = (size_t)s->ny * (size_t)s->n[2] * (size_t)s->n[0], cells = sl_slab_cells(s);
    memset(out, 0, sizeof *out);
    for (int d = 0; d < 3; d++)
        work[d] = malloc(((rows > cells ? rows : cells) + 1) * sizeof(double));
    int code = sl_agree(s->comm, work[0] && work[1] && work[2]
                                     ? SL_OK
                                     : SL_FAIL(SL_EMEM, "out of memory for the fields"));
    if (code == SL_OK) code = measure_all(&c, work);
    for (int d = 0; d < 3; d++)
        free(work[d]);
    return code;
}
