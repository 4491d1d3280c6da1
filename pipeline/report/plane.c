/* plane.c - see report/plane.h. */
#include "pipeline/report/plane.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void path_of(char path[PATH_MAX + 200], const struct sl_report *r,
                    const struct sl_plane_name *n)
{
    snprintf(path, PATH_MAX + 200, "%s/members/%s/stats/%s_%s_%c_%04d.csv", r->dir,
             r->member[n->member].id, n->kind, n->field, n->axis, n->snapshot);
}

bool sl_plane_there(const struct sl_report *r, const struct sl_plane_name *name)
{
    char path[PATH_MAX + 200];
    path_of(path, r, name);
    return access(path, R_OK) == 0;
}

static bool along_any(const struct sl_report *r, struct sl_plane_name *n)
{
    for (n->axis = 'z'; n->axis >= 'x'; n->axis--)
        if (sl_plane_there(r, n)) return true;
    return false;
}

bool sl_plane_first(const struct sl_report *r, int member, struct sl_plane_name *n)
{
    int last = sl_report_last(&r->member[member].snapshots);
    *n = (struct sl_plane_name){.kind = "slice", .member = member, .snapshot = last};
    for (const char *word = sl_report_show(&r->member[member])->maps; *word;) {
        size_t length = strcspn(word, " ");
        snprintf(n->field, sizeof n->field, "%.*s", (int)length, word);
        if (along_any(r, n)) return true;
        word += length + strspn(word + length, " ");
    }
    static const char *const all[] = {
#define NAME(name, unit, about) #name,
        SL_MAP_LIST(NAME)
#undef NAME
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(n->field, sizeof n->field, "%s", all[i]);
        if (along_any(r, n)) return true;
    }
    return false;
}

void sl_plane_release(struct sl_plane *p)
{
    free(p->v);
    p->v = NULL;
}

/* Mean over the k x k numbers that make pixel (i, j). */
static double pixel(const struct sl_csv *t, int k, int i, int j, bool logarithms)
{
    double sum = 0, n = 0;
    for (long y = (long)j * k; y < (long)(j + 1) * k && y < t->rows; y++)
        for (int x = i * k; x < (i + 1) * k && x < t->columns; x++) {
            double v = sl_csv_number(t, y, x);
            if (isfinite(v)) sum += logarithms ? pow(10, v) : v, n++;
        }
    return n > 0 ? sum / n : NAN;
}

/* The axes of columns and of lines. */
static void axes_of(char axis, int of[2])
{
    of[0] = axis == 'x' ? 1 : 0;
    of[1] = axis == 'z' ? 1 : 2;
}

/* The level of the grid that a table is of: it says so where it is none of statistics.level. */
static int level_of(const struct sl_csv *t, const struct sl_report_member *m)
{
    double own = sl_csv_note(t, "level"),
           level = sl_report_list_number(sl_report_key(m, "statistics.level"), 0);
    if (own >= 0) level = own;
    return level > 0 ? (int)level : 0;
}

/* A cell of the grid of a level, along an axis. */
static double cell_size(const struct sl_report_member *m, int level, int axis, double *low)
{
    const char *box = sl_report_key(m, "mesh.box");
    double n = sl_report_list_number(sl_report_key(m, "mesh.cells"), axis);
    *low = sl_report_list_number(box, 2 * axis);
    double side = sl_report_list_number(box, 2 * axis + 1) - *low;
    if (!(side > 0) || !(n > 0)) {
        *low = 0;
        return 1;
    }
    return side / ldexp(n, level);
}

static void place(struct sl_plane *p, const struct sl_report_member *m, char axis)
{
    int of[2];
    axes_of(axis, of);
    for (int i = 0; i < 2; i++) {
        double low, h = cell_size(m, p->level, of[i], &low), *edge = i ? p->y : p->x;
        edge[0] = low;
        edge[1] = low + h * p->cells * (i ? p->ny : p->nx);
        p->across[i] = (char)('x' + of[i]);
    }
}

static int fill(struct sl_plane *p, const struct sl_csv *t, int edge, bool logarithms)
{
    long most = t->rows > t->columns ? t->rows : t->columns;
    int k = (int)((most + edge - 1) / edge);
    double cells = sl_csv_note(t, "cells");
    if (t->rows < 2 || t->columns < 2) return SL_OK;
    p->nx = (t->columns + k - 1) / k;
    p->ny = (int)((t->rows + k - 1) / k);
    p->cells = k * (cells >= 1 ? (int)cells : 1);
    p->v = malloc((size_t)p->nx * (size_t)p->ny * sizeof *p->v);
    SL_CHECK(p->v, SL_EMEM, "no memory for a map");
    for (int j = 0; j < p->ny; j++)
        for (int i = 0; i < p->nx; i++)
            p->v[j * p->nx + i] = pixel(t, k, i, j, logarithms);
    return SL_OK;
}

void sl_plane_words(const char *field, char words[48])
{
    snprintf(words, 48, "%s", !strcmp(field, "magnetic") ? "magnetic field" : field);
    for (char *s = words; *s; s++)
        if (*s == '_') *s = ' ';
}

/* Fields of a universe by what their code unit is, and what it is shown in. */
enum of_universe { DENSITY, SPEED, SQUARE, KELVIN, GAUSS };
static const struct {
    const char *field, *unit;
    enum of_universe is;
} of_universe[] = {{"density", "", DENSITY},
                   {"speed", "km/s", SPEED},
                   {"velocity_x", "km/s", SPEED},
                   {"velocity_y", "km/s", SPEED},
                   {"velocity_z", "km/s", SPEED},
                   {"vorticity", "h km/s/Mpc", SPEED},
                   {"divergence", "h km/s/Mpc", SPEED},
                   {"pressure", "(km/s)^2", SQUARE},
                   {"potential", "(km/s)^2", SQUARE},
                   {"temperature", "K", KELVIN},
                   {"magnetic", "G", GAUSS},
                   {"magnetic_x", "G", GAUSS},
                   {"magnetic_y", "G", GAUSS},
                   {"magnetic_z", "G", GAUSS},
                   {"current", "h G/Mpc", GAUSS}};
enum { OF_UNIVERSE = sizeof of_universe / sizeof *of_universe };

const char *sl_plane_unit(const struct sl_report_member *m, const struct sl_plane_name *n)
{
    if (sl_report_clock(m) != 'z') return "";
    if (!strcmp(n->field, "density") && !strcmp(n->kind, "projection")) return "Mpc/h";
    for (int i = 0; i < OF_UNIVERSE; i++)
        if (!strcmp(of_universe[i].field, n->field)) return of_universe[i].unit;
    return "";
}

/* What a code unit is in that unit at a scale factor; densities are over the mean of the gas. */
static double factor_of(const struct sl_report_member *m, enum of_universe is, double a)
{
    switch (is) {
    case DENSITY:
        return isfinite(m->density) ? 1 / m->density : 1;
    case SPEED:
        return sl_report_speed(m, a);
    case SQUARE:
        return sl_report_speed(m, a) * sl_report_speed(m, a);
    case KELVIN:
        return sl_report_kelvin(m, a);
    case GAUSS:
        return sl_report_gauss(m, a);
    }
    return 1;
}

static double in_universe(const struct sl_report_member *m, const struct sl_plane_name *n,
                          double redshift)
{
    double a = 1 / (1 + redshift);
    if (sl_report_clock(m) != 'z' || !isfinite(a)) return 1;
    for (int i = 0; i < OF_UNIVERSE; i++)
        if (!strcmp(of_universe[i].field, n->field)) return factor_of(m, of_universe[i].is, a);
    return 1;
}

static void multiply(struct sl_plane *p, double factor)
{
    for (int i = 0; p->v && factor != 1 && i < p->nx * p->ny; i++)
        p->v[i] *= factor;
}

int sl_plane_read(struct sl_plane *p, const struct sl_report *r, const struct sl_plane_name *name,
                  int edge)
{
    char path[PATH_MAX + 200];
    struct sl_csv t;
    const struct sl_report_member *m = &r->member[name->member];
    *p = (struct sl_plane){.time = NAN, .at = NAN};
    path_of(path, r, name);
    SL_TRY(sl_csv_try(&t, path, SL_CSV_MATRIX));
    if (t.rows == 0) { /* not every member has one */
        sl_csv_release(&t);
        return SL_OK;
    }
    int code = fill(p, &t, edge, !strcmp(name->field, "density"));
    p->level = level_of(&t, m);
    p->at = sl_csv_note(&t, "plane");
    p->time = sl_report_clock(m) == 'z' ? sl_csv_note(&t, "redshift")
                                        : sl_csv_note(&t, "time") / m->time_unit;
    sl_csv_release(&t);
    multiply(p, in_universe(m, name, p->time));
    place(p, m, name->axis);
    return code;
}

void sl_plane_place(const struct sl_plane *p, char axis, char words[64])
{
    if (isfinite(p->at))
        snprintf(words, 64, "The plane %c = %.4g", axis, p->at);
    else
        snprintf(words, 64, "The middle plane of the box, across %c", axis);
}

void sl_plane_level(const struct sl_report_member *m, int level, char words[96])
{
    double levels = sl_report_list_number(sl_report_key(m, "mesh.levels"), 0);
    words[0] = '\0';
    if (!(levels > 0)) return;
    if (level == 0)
        snprintf(words, 96, "on the root grid; the run has %.0f finer level%s", levels,
                 levels > 1 ? "s" : "");
    else if (level >= levels)
        snprintf(words, 96, "on the grid of level %d, the finest of this run", level);
    else
        snprintf(words, 96, "on the grid of level %d of %.0f", level, levels);
}

void sl_plane_range(const struct sl_plane *p, double *lo, double *hi)
{
    for (int i = 0; i < p->nx * p->ny; i++) {
        if (!isfinite(p->v[i])) continue;
        *lo = fmin(*lo, p->v[i]);
        *hi = fmax(*hi, p->v[i]);
    }
}

bool sl_plane_uniform(double lo, double hi)
{
    return hi - lo <= 4 * (double)FLT_EPSILON * fmax(fabs(lo), fabs(hi));
}

/* Sizes of vectors, which are zero where there is nothing of them. */
static bool is_size(const char *field)
{
    static const char *const sizes[] = {"speed", "magnetic", "vorticity", "current"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!strcmp(field, sizes[i])) return true;
    return false;
}

enum sl_plane_scale sl_plane_scale(const char *field, double lo, double hi)
{
    const double decades = 15, nearly_even = 0.02, nothing = 1e-6; /* of the most: diffusion */
    bool share = !strcmp(field, "scalar"); /* tiny ones are diffusion of the scheme */
    if (sl_plane_uniform(lo, hi)) return SL_SCALE_plain;
    if (is_size(field) && lo < nothing * hi) return SL_SCALE_plain;
    if (!share && lo > 0 && hi > decades * lo) return SL_SCALE_log;
    if (lo * hi > 0 && hi > lo && hi - lo < nearly_even * fabs(lo)) return SL_SCALE_difference;
    return SL_SCALE_plain;
}

void sl_plane_rescale(struct sl_plane *p, enum sl_plane_scale scale, double middle)
{
    for (int i = 0; i < p->nx * p->ny; i++) {
        if (scale == SL_SCALE_log) p->v[i] = p->v[i] > 0 ? log10(p->v[i]) : NAN;
        if (scale == SL_SCALE_difference) p->v[i] -= middle;
    }
}

void sl_plane_write(const struct sl_plane *p, struct sl_buffer *out)
{
    for (int j = 0; j < p->ny; j++)
        for (int i = 0; i < p->nx; i++)
            sl_buffer_add(out, "%.5g%c", p->v[j * p->nx + i], i == p->nx - 1 ? '\n' : ',');
}

int sl_plane_blocks(const struct sl_plane *p, const struct sl_report *r,
                    const struct sl_plane_name *name, void (*add)(void *user, const double side[4]),
                    void *user)
{
    const struct sl_report_member *m = &r->member[name->member];
    char path[PATH_MAX + 200];
    struct sl_csv t;
    int of[2];
    double low[2], h[2];
    snprintf(path, sizeof path, "%s/members/%s/stats/blocks_%c_%04d.csv", r->dir,
             r->member[name->member].id, name->axis, name->snapshot);
    if (!p->v) return SL_OK;
    SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
    axes_of(name->axis, of);
    for (int i = 0; i < 2; i++)
        h[i] = cell_size(m, level_of(&t, m), of[i], &low[i]);
    for (long row = 0; row < t.rows; row++) {
        double side[4];
        for (int i = 0; i < 4; i++)
            side[i] = low[i / 2] + h[i / 2] * sl_csv_number(&t, row, i);
        add(user, side);
    }
    sl_csv_release(&t);
    return SL_OK;
}
