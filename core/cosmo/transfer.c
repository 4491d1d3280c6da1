/* transfer.c - reads and recognises tables; see transfer.h. */
#include "core/cosmo/transfer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/columns.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

enum { LEAST_ROWS = 10 };

struct source {
    const struct sl_columns *in;
    const struct sl_cosmology *c;
    struct sl_transfer *out;
};

static const struct {
    const char *name, *code, *about;
} layouts[] = {
#define ROW(name, code, about) {#name, code, about},
    SL_TRANSFER_LIST(ROW)
#undef ROW
};

const char *sl_transfer_code(enum sl_transfer_layout layout)
{
    return layouts[layout].code;
}

const char *sl_transfer_about(enum sl_transfer_layout layout)
{
    return layouts[layout].about;
}

/* ---- which layout ---- */

static int by_name(const struct sl_columns *c, enum sl_transfer_layout *layout)
{
    bool h = sl_columns_find(c, "k/h") == 0, k = sl_columns_find(c, "k (h/Mpc)") == 0;
    if (k && sl_columns_find(c, "d_cdm") > 0 && sl_columns_find(c, "d_b") > 0)
        *layout = sl_columns_find(c, "t_cdm") > 0 ? SL_TRANSFER_class_newtonian
                                                  : SL_TRANSFER_class_synchronous;
    else if (k && sl_columns_find(c, "-T_cdm/k2") > 0 && sl_columns_find(c, "-T_b/k2") > 0)
        *layout = SL_TRANSFER_class_camb;
    else if (k && sl_columns_find(c, "P (Mpc/h)^3") > 0)
        *layout = SL_TRANSFER_class_power;
    else if (h && sl_columns_find(c, "CDM") > 0 && sl_columns_find(c, "baryon") > 0)
        *layout = c->ncol < 13 ? SL_TRANSFER_camb7 : SL_TRANSFER_camb13;
    else if (h && sl_columns_find(c, "P") > 0 && c->ncol == 2)
        *layout = SL_TRANSFER_camb_power;
    else
        return SL_FAIL(
            SL_EINPUT,
            "%s: the names of its columns (%s, %s, ...) are those of no table that is known: "
            "transfer functions of CMBFAST, CAMB or CLASS with dark matter and baryons, or "
            "linear P(k)",
            c->path, c->name[0], c->nname > 1 ? c->name[1] : "");
    return SL_OK;
}

/* log10 k rises from below zero. */
static bool looks_like_log(const struct sl_columns *c)
{
    return sl_columns_at(c, 0, 0) < 0;
}

static int by_count(const struct sl_columns *c, enum sl_transfer_layout *layout)
{
    switch (c->ncol) {
    case 2:
        *layout = looks_like_log(c) ? SL_TRANSFER_ngenic_power : SL_TRANSFER_plain_power;
        return SL_OK;
    case 5:
        *layout = SL_TRANSFER_cmbfast5;
        return SL_OK;
    case 6:
        *layout = SL_TRANSFER_cmbfast6;
        return SL_OK;
    case 7:
        *layout = SL_TRANSFER_camb7;
        return SL_OK;
    case 13:
        *layout = SL_TRANSFER_camb13;
        return SL_OK;
    default:
        return SL_FAIL(
            SL_EINPUT,
            "%s: %d columns without names: CMBFAST writes 5 or 6, CAMB 7 or 13, P(k) has 2; "
            "of CLASS the lines that begin with # are needed; of what other codes write (Enzo, "
            "MUSIC, monofonIC) take k in h/Mpc and P in (Mpc/h)^3",
            c->path, c->ncol);
    }
}

/* "redshift z=99" of CLASS's own header. */
static double header_redshift(const struct sl_columns *c)
{
    const char *at = c->comment ? strstr(c->comment, "redshift z=") : NULL;
    double z;
    if (!at || sscanf(at, "redshift z=%lf", &z) != 1 || !(z >= 0) || !(z < 1e5)) return -1;
    return z;
}

/* ---- columns to arrays ---- */

static int check_k(const struct sl_columns *c, bool logarithm)
{
    for (int i = 0; i < c->nrow; i++) {
        double k = sl_columns_at(c, i, 0);
        SL_CHECK(logarithm || k > 0, SL_EINPUT, "%s:%d: k = %g is not positive", c->path,
                 c->line[i], k);
        SL_CHECK(i == 0 || k > sl_columns_at(c, i - 1, 0), SL_EINPUT,
                 "%s:%d: k = %g does not increase", c->path, c->line[i], k);
    }
    SL_CHECK(c->nrow >= LEAST_ROWS, SL_EINPUT, "%s: %d lines are too few for a table", c->path,
             c->nrow);
    return SL_OK;
}

static int positive(const struct sl_columns *c, const double *v, const char *what)
{
    for (int i = 0; i < c->nrow; i++)
        SL_CHECK(v[i] > 0 && isfinite(v[i]), SL_EINPUT, "%s:%d: %s is %g, not positive", c->path,
                 c->line[i], what, v[i]);
    return SL_OK;
}

static int make_room(struct source *s)
{
    enum { ARRAYS = 9 };
    struct sl_transfer *t = s->out;
    size_t n = (size_t)s->in->nrow;
    t->block = calloc(ARRAYS * n, sizeof *t->block);
    SL_CHECK(t->block, SL_EMEM, "out of memory for %s", s->in->path);
    t->n = s->in->nrow;
    t->k = t->block;
    return SL_OK;
}

static double *array(struct source *s, int i)
{
    return s->out->block + (size_t)i * (size_t)s->out->n;
}

/* A column times factor / (k in 1/Mpc)^power. */
static void take(const struct source *s, int column, double factor, int power, double *out)
{
    for (int i = 0; i < s->in->nrow; i++)
        out[i] = factor * sl_columns_at(s->in, i, column) / pow(s->out->k[i] * s->c->h, power);
}

static int column_of(const struct sl_columns *c, const char *name, int place)
{
    return c->nname > 0 ? sl_columns_find(c, name) : place;
}

static void take_neutrinos(struct source *s, int column, double factor, int power)
{
    struct sl_transfer *t = s->out;
    if (column <= 0) return;
    take(s, column, factor, power, t->neutrino = array(s, 7));
    t->masses = 1 + (sl_columns_find(s->in, "d_ncdm[1]") > 0);
    for (int i = 0; i < s->in->nrow; i++)
        if (t->cdm[i] != 0) t->heavy = fmax(t->heavy, fabs(t->neutrino[i] / t->cdm[i]));
}

/* CMBFAST and CAMB. */
static int take_camb(struct source *s)
{
    const struct sl_columns *c = s->in;
    struct sl_transfer *t = s->out;
    bool camb = t->layout == SL_TRANSFER_camb7 || t->layout == SL_TRANSFER_camb13;
    take(s, column_of(c, "CDM", 1), 1, 0, t->cdm);
    take(s, column_of(c, "baryon", 2), 1, 0, t->baryon);
    if (camb || t->layout == SL_TRANSFER_cmbfast6)
        take_neutrinos(s, column_of(c, "mass_nu", 5), 1, 0);
    int total = camb ? column_of(c, "total", 6) : -1;
    if (total > 0) take(s, total, 1, 0, t->file_total = array(s, 4));
    int unheavy = column_of(c, "no_nu", 7);
    if (t->layout == SL_TRANSFER_camb13 && unheavy > 0)
        take(s, unheavy, 1, 0, t->unheavy = array(s, 8));
    int v_cdm = column_of(c, "v_CDM", 10), v_b = column_of(c, "v_b", 11);
    if (t->layout != SL_TRANSFER_camb13 || v_cdm < 0 || v_b < 0) return SL_OK;
    take(s, v_cdm, 1, 0, t->v_cdm = array(s, 5));
    take(s, v_b, 1, 0, t->v_baryon = array(s, 6));
    return SL_OK;
}

static int take_class_camb(struct source *s)
{
    const struct sl_columns *c = s->in;
    int total = sl_columns_find(c, "-T_tot/k2");
    take(s, sl_columns_find(c, "-T_cdm/k2"), 1, 0, s->out->cdm);
    take(s, sl_columns_find(c, "-T_b/k2"), 1, 0, s->out->baryon);
    take_neutrinos(s, sl_columns_find(c, "-T_ncdm/k2"), 1, 0);
    if (total > 0) take(s, total, 1, 0, s->out->file_total = array(s, 4));
    return SL_OK;
}

/* a H / c in 1/Mpc. */
static int conformal_rate(const struct source *s, double *rate)
{
    double z = s->out->z;
    SL_CHECK(
        z >= 0, SL_EINPUT,
        "%s: velocities and gauges of CLASS need the redshift, which its header does not have: "
        "keep CLASS's own lines that begin with #, or give ic.table_redshift",
        s->in->path);
    *rate = sl_cosmology_hubble(s->c, 1 / (1 + z)) / (1 + z) / SL_LIGHT_SPEED;
    return SL_OK;
}

/* Synchronous gauge: dark matter rests, the metric moves; in the Newtonian gauge its divergence is
 * (h' + 6 eta') / 2, and that of baryons is more by theirs here. */
static int take_class_synchronous(struct source *s)
{
    const struct sl_columns *c = s->in;
    struct sl_transfer *t = s->out;
    double rate;
    int total = sl_columns_find(c, "d_m"), h = sl_columns_find(c, "h_prime");
    int t_b = sl_columns_find(c, "t_b"), eta = sl_columns_find(c, "eta_prime");
    take(s, sl_columns_find(c, "d_cdm"), -1, 2, t->cdm);
    take(s, sl_columns_find(c, "d_b"), -1, 2, t->baryon);
    take_neutrinos(s, sl_columns_find(c, "d_ncdm[0]"), -1, 2);
    if (total > 0) take(s, total, -1, 2, t->file_total = array(s, 4));
    if (h < 0 || eta < 0 || t_b < 0) return SL_OK;
    SL_TRY(conformal_rate(s, &rate));
    take(s, h, 0.5 / rate, 2, t->v_cdm = array(s, 5));
    take(s, eta, 3 / rate, 2, t->v_baryon = array(s, 6));
    for (int i = 0; i < t->n; i++)
        t->v_cdm[i] += t->v_baryon[i];
    take(s, t_b, 1 / rate, 2, t->v_baryon);
    for (int i = 0; i < t->n; i++)
        t->v_baryon[i] += t->v_cdm[i];
    return SL_OK;
}

/* Leaves out the first rows, of scales beyond the horizon, where the change of gauge is a small
 * difference of large numbers. */
static void skip_rows(struct sl_transfer *t, int rows)
{
    double **all[] = {&t->k,     &t->cdm,      &t->baryon,     &t->total,    &t->v_cdm,
                      &t->power, &t->v_baryon, &t->file_total, &t->neutrino, &t->unheavy};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (*all[i]) *all[i] += rows;
    t->n -= rows;
}

static bool is_positive(const struct sl_transfer *t, int i)
{
    if (t->power) return t->power[i] > 0;
    return t->cdm[i] > 0 && t->total[i] > 0 && isfinite(t->cdm[i]) && isfinite(t->total[i]);
}

void sl_transfer_trim(struct sl_transfer *t, double k)
{
    int lost = 0;
    for (int i = 0; i < t->n && t->k[i] < k; i++)
        if (!is_positive(t, i)) lost = i + 1;
    if (t->n - lost >= LEAST_ROWS) skip_rows(t, lost);
}

/* Normal equations of y = P a + H b, and the error of the coefficients from what is left. */
struct fit {
    double aa, ab, bb, ay, by, yy;
    int n;
};

static void add_point(struct fit *f, double a, double b, double y)
{
    f->aa += a * a, f->ab += a * b, f->bb += b * b;
    f->ay += a * y, f->by += b * y, f->yy += y * y;
    f->n++;
}

/* Beyond the horizon delta + 3 aH theta / k^2, of dark matter, is P k^2 with one P for all waves: a
 * fit of P and aH, each row with the weight of 1 / k, which tables of CLASS give to 0.2 % and 6e-5.
 * What a file with fewer digits does not give to 1 % and to 0.1 % is left open. cdm as in the file,
 * v_cdm for the expansion rate. */
static void fit_largest_scales(const struct source *s, double rate)
{
    enum { LEAST = 5 };
    struct sl_transfer *t = s->out;
    struct fit f = {.n = 0};
    for (int i = 0; i < t->n && t->k[i] <= 3e-4; i++) {
        double k = t->k[i] * s->c->h;
        add_point(&f, k, 3 * rate * t->v_cdm[i] / k, k * t->cdm[i]);
    }
    double det = f.aa * f.bb - f.ab * f.ab;
    if (f.n < LEAST || !(det > 0)) return;
    double p = (f.ay * f.bb - f.by * f.ab) / det, hubble = (f.by * f.aa - f.ay * f.ab) / det;
    double left = fmax(0, f.yy - p * f.ay - hubble * f.by) / (f.n - 2);
    if (sqrt(left * f.bb / det) < 0.005 * p) t->plateau = p;
    if (sqrt(left * f.aa / det) < 5e-4 * hubble) t->rate = hubble;
}

/* To the frame in which dark matter rests: delta + 3 aH theta_cdm / k^2. */
static int take_class_newtonian(struct source *s)
{
    const struct sl_columns *c = s->in;
    struct sl_transfer *t = s->out;
    double rate;
    SL_TRY(conformal_rate(s, &rate));
    int t_b = sl_columns_find(c, "t_b");
    SL_CHECK(t_b > 0, SL_EINPUT, "%s: t_cdm is there, t_b is not", c->path);
    take(s, sl_columns_find(c, "d_cdm"), -1, 2, t->cdm);
    take(s, sl_columns_find(c, "d_b"), -1, 2, t->baryon);
    take_neutrinos(s, sl_columns_find(c, "d_ncdm[0]"), -1, 2);
    take(s, sl_columns_find(c, "t_cdm"), 1 / rate, 2, t->v_cdm = array(s, 5));
    take(s, t_b, 1 / rate, 2, t->v_baryon = array(s, 6));
    int total = sl_columns_find(c, "d_m"); /* at rest with matter, whatever the gauge */
    if (total > 0) take(s, total, -1, 2, t->file_total = array(s, 4));
    fit_largest_scales(s, rate);
    int lost = 0;
    for (int i = 0; i < t->n; i++) {
        double k = t->k[i] * s->c->h, shift = -3 * rate * rate * t->v_cdm[i] / (k * k);
        t->cdm[i] += shift;
        t->baryon[i] += shift;
        if (fabs(t->cdm[i]) < fabs(shift) / 30) lost = i + 1;
    }
    SL_CHECK(t->n - lost >= LEAST_ROWS, SL_EINPUT,
             "%s: no scales within the horizon: its densities vanish in the synchronous gauge",
             c->path);
    skip_rows(t, lost);
    return SL_OK;
}

static int take_power(struct source *s)
{
    struct sl_transfer *t = s->out;
    bool log10_both = t->layout == SL_TRANSFER_ngenic_power;
    t->power = array(s, 1);
    for (int i = 0; i < t->n; i++) {
        double k = sl_columns_at(s->in, i, 0), p = sl_columns_at(s->in, i, 1);
        t->k[i] = log10_both ? pow(10, k) : k;
        t->power[i] = log10_both ? pow(10, p) * 19.739208802178716 / pow(t->k[i], 3) : p;
        SL_CHECK(i == 0 || t->k[i] > t->k[i - 1], SL_EINPUT, "%s:%d: k = %g does not increase",
                 s->in->path, s->in->line[i], t->k[i]);
    }
    return positive(s->in, t->power, "P(k)");
}

static int take_transfer(struct source *s)
{
    struct sl_transfer *t = s->out;
    t->cdm = array(s, 1);
    t->baryon = array(s, 2);
    t->total = array(s, 3);
    int code = t->layout == SL_TRANSFER_class_synchronous ? take_class_synchronous(s)
               : t->layout == SL_TRANSFER_class_newtonian ? take_class_newtonian(s)
               : t->layout == SL_TRANSFER_class_camb      ? take_class_camb(s)
                                                          : take_camb(s);
    SL_TRY(code);
    double fb = s->c->omega_b / s->c->omega_m;
    for (int i = 0; i < t->n; i++)
        t->total[i] = fb * t->baryon[i] + (1 - fb) * t->cdm[i];
    return SL_OK;
}

static int make(struct source *s, double z)
{
    struct sl_transfer *t = s->out;
    const struct sl_columns *c = s->in;
    t->named = c->nname > 0;
    SL_TRY(t->named ? by_name(c, &t->layout) : by_count(c, &t->layout));
    SL_TRY(check_k(c, t->layout == SL_TRANSFER_ngenic_power));
    SL_TRY(make_room(s));
    t->z = header_redshift(c);
    double header = t->z;
    if (t->z < 0) t->z = z;
    take(s, 0, 1, 0, t->k);
    int code = t->layout >= SL_TRANSFER_camb_power ? take_power(s) : take_transfer(s);
    t->z = header;
    return code;
}

int sl_transfer_parse(const char *path, const char *bytes, size_t size,
                      const struct sl_cosmology *c, double z, struct sl_transfer *out)
{
    struct sl_columns in;
    struct sl_transfer t = {.z = -1};
    struct source s = {&in, c, &t};
    SL_TRY(sl_columns_parse(path, bytes, size, &in));
    int code = make(&s, z);
    sl_columns_release(&in);
    if (code != SL_OK) {
        sl_transfer_release(&t);
        return code;
    }
    *out = t;
    return SL_OK;
}

int sl_transfer_read(const char *path, const struct sl_cosmology *c, double z,
                     struct sl_transfer *out)
{
    char *bytes;
    size_t size;
    SL_TRY(sl_file_read(path, SL_COLUMNS_BYTES, &bytes, &size));
    int code = sl_transfer_parse(path, bytes, size, c, z, out);
    free(bytes);
    return code;
}

void sl_transfer_release(struct sl_transfer *t)
{
    free(t->block);
    *t = (struct sl_transfer){.z = -1};
}
