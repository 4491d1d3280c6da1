/* report_image.c - slices and projections of the members as PNG files, all on one colour scale per
 * kind. See report_figure.h. */
#include "pipeline/report_figure.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/report_plot.h"

/* Drawn at least this large, so that the thin rim that gnuplot leaves free is not seen. */
enum { PIXELS_MIN = 256, OUTLINE_MIN = 4 };

const char *const sl_image_kinds[SL_IMAGE_KINDS] = {"slice", "projection"};

struct plane {
    int nx, ny, cells; /* cells: along a side of a pixel */
    double *v;         /* owned, [ny][nx] */
};

/* Mean over the k x k cells that make pixel (i, j). */
static double pixel(const struct sl_csv *t, int k, int i, int j)
{
    double sum = 0, n = 0;
    for (long y = (long)j * k; y < (long)(j + 1) * k && y < t->rows; y++)
        for (int x = i * k; x < (i + 1) * k && x < t->columns; x++) {
            double v = sl_csv_number(t, y, x);
            if (isfinite(v)) sum += v, n++;
        }
    return n > 0 ? sum / n : NAN;
}

static int plane_read(struct plane *p, const struct sl_report *r, int member, int kind,
                      int snapshot, double *time)
{
    char path[PATH_MAX + 200];
    struct sl_csv t;
    *p = (struct plane){0};
    snprintf(path, sizeof path, "%s/members/%s/stats/%s_density_z_%04d.csv", r->dir,
             r->member[member].id, sl_image_kinds[kind], snapshot);
    if (sl_csv_read(&t, path, SL_CSV_MATRIX)) return SL_OK; /* not every member has one */
    long most = t.rows > t.columns ? t.rows : t.columns;
    int k = (int)((most + SL_IMAGE_EDGE - 1) / SL_IMAGE_EDGE), code = SL_OK;
    if (t.rows > 1 && t.columns > 1) {
        int nx = (t.columns + k - 1) / k, ny = (int)((t.rows + k - 1) / k);
        *p = (struct plane){nx, ny, k, malloc((size_t)nx * (size_t)ny * sizeof *p->v)};
        if (!p->v) code = SL_FAIL(SL_EMEM, "no memory for an image");
        for (int j = 0; p->v && j < ny; j++)
            for (int i = 0; i < nx; i++)
                p->v[j * nx + i] = pixel(&t, k, i, j);
    }
    if (isnan(*time))
        *time = sl_report_expands(&r->member[member])
                    ? sl_csv_note(&t, "redshift")
                    : sl_csv_note(&t, "time") / r->member[member].time_unit;
    sl_csv_release(&t);
    return code;
}

/* Pixels drawn for each of the plane. */
static int scale_of(const struct plane *p)
{
    int most = p->nx > p->ny ? p->nx : p->ny;
    return (PIXELS_MIN + most - 1) / most;
}

/* A block in pixels of the plane, which are counted from the middle of the first one; blocks too small
 * to be told apart are left out. */
static void outline_add(const struct plane *p, const struct sl_csv *t, long row,
                        struct sl_buffer *out)
{
    double side[4], cells = p->cells;
    for (int i = 0; i < 4; i++)
        side[i] = sl_csv_number(t, row, i) / cells - 0.5;
    if ((side[1] - side[0]) * scale_of(p) < OUTLINE_MIN) return;
    sl_buffer_add(out, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", 0.5 * (side[0] + side[1]),
                  0.5 * (side[2] + side[3]), side[0], side[1], side[2], side[3]);
}

/* figures/<name>_blocks.csv: the blocks of an adaptive mesh that a slice cuts, where the member has them. */
static int outlines_write(const struct plane *p, const struct sl_report *r, int member,
                          int snapshot, const char *name, bool *drawn)
{
    char path[PATH_MAX + 200];
    struct sl_csv t;
    struct sl_buffer out = {0};
    snprintf(path, sizeof path, "%s/members/%s/stats/blocks_z_%04d.csv", r->dir,
             r->member[member].id, snapshot);
    *drawn = false;
    if (sl_csv_read(&t, path, SL_CSV_NAMED)) return SL_OK;
    for (long i = 0; i < t.rows; i++)
        outline_add(p, &t, i, &out);
    sl_csv_release(&t);
    snprintf(path, sizeof path, "%s/report/figures/%s_blocks.csv", r->dir, name);
    *drawn = out.n > 0;
    int code = *drawn ? sl_buffer_write(&out, path) : SL_OK;
    sl_buffer_release(&out);
    return code;
}

/* figures/<kind>_<member number>_<snapshot>.csv, and the commands that draw it; with outlines of blocks. */
static int plane_write(const struct plane *p, const struct sl_report *r, const char *name, int kind,
                       bool outlines, struct sl_buffer *script)
{
    char path[PATH_MAX + 200];
    struct sl_buffer t = {0};
    for (int j = 0; j < p->ny; j++)
        for (int i = 0; i < p->nx; i++)
            sl_buffer_add(&t, "%.5g%c", p->v[j * p->nx + i], i == p->nx - 1 ? '\n' : ',');
    snprintf(path, sizeof path, "%s/report/figures/%s.csv", r->dir, name);
    int code = sl_buffer_write(&t, path);
    sl_buffer_release(&t);
    int scale = scale_of(p);
    sl_buffer_add(
        script,
        "set terminal pngcairo transparent size %d,%d\nset output '%s.png.new'\nset cbrange "
        "[lo%d:hi%d]\nset xrange [-0.5:%g]\nset yrange [-0.5:%g]\n"
        "plot '%s.csv' matrix with image notitle",
        scale * p->nx, scale * p->ny, name, kind, kind, p->nx - 0.5, p->ny - 0.5, name);
    if (outlines)
        sl_buffer_add(script,
                      ", '%s_blocks.csv' using 1:2:3:4:5:6 with boxxyerror fs empty lw 0.5 lc rgb "
                      "'#90ffffff' notitle",
                      name);
    sl_buffer_add(script, "\nset output\n");
    return code;
}

static void range_widen(const struct plane *p, double *lo, double *hi)
{
    for (int i = 0; i < p->nx * p->ny; i++) {
        if (!isfinite(p->v[i])) continue;
        *lo = fmin(*lo, p->v[i]);
        *hi = fmax(*hi, p->v[i]);
    }
}

static void image_name(char name[64], int kind, int member, int snapshot)
{
    snprintf(name, 64, "%s_%03d_%04d", sl_image_kinds[kind], member + 1, snapshot);
}

/* Gives the drawn files their names. */
static int images_commit(const struct sl_report *r, struct sl_images *out)
{
    for (int m = 0; m < r->members && m < SL_IMAGE_MEMBERS; m++)
        for (int i = 0; i < SL_IMAGE_KINDS * out->times; i++) {
            char name[64], from[PATH_MAX + 200], to[PATH_MAX + 200];
            image_name(name, i % SL_IMAGE_KINDS, m, out->snapshot[i / SL_IMAGE_KINDS]);
            snprintf(from, sizeof from, "%s/report/figures/%s.png.new", r->dir, name);
            snprintf(to, sizeof to, "%s/report/figures/%s.png", r->dir, name);
            if (!rename(from, to))
                out->made++;
            else if (errno != ENOENT)
                return SL_FAIL(SL_EIO, "cannot write %s: %s", to, strerror(errno));
        }
    return SL_OK;
}

static int planes_make(const struct sl_report *r, struct sl_images *out, struct sl_buffer *script)
{
    for (int m = 0; m < r->members && m < SL_IMAGE_MEMBERS; m++)
        for (int i = 0; i < SL_IMAGE_KINDS * out->times; i++) {
            int kind = i % SL_IMAGE_KINDS, snapshot = out->snapshot[i / SL_IMAGE_KINDS];
            struct plane p;
            char name[64];
            SL_TRY(plane_read(&p, r, m, kind, snapshot, &out->time[i / SL_IMAGE_KINDS]));
            if (!p.v) continue;
            image_name(name, kind, m, snapshot);
            range_widen(&p, &out->lo[kind], &out->hi[kind]);
            bool outlines = false;
            int code = kind == 0 ? outlines_write(&p, r, m, snapshot, name, &outlines) : SL_OK;
            if (!code) code = plane_write(&p, r, name, kind, outlines, script);
            free(p.v);
            SL_TRY(code);
        }
    return SL_OK;
}

/* First, middle and last of the snapshots. */
static void times_choose(const struct sl_report *r, struct sl_images *out)
{
    int n = r->snapshots < SL_IMAGE_TIMES ? r->snapshots : SL_IMAGE_TIMES;
    for (int i = 0; i < n; i++) {
        out->time[i] = NAN;
        out->snapshot[i] = r->snapshot[n > 1 ? i * (r->snapshots - 1) / (n - 1) : 0];
    }
    out->times = n;
}

static int images_draw(const struct sl_report *r, const struct sl_images *out,
                       const struct sl_buffer *plots)
{
    struct sl_buffer t = {0};
    char path[PATH_MAX + 200];
    sl_buffer_add(&t, "set datafile separator \",\"\nset datafile missing \"nan\"\n"
                      "unset border\nunset tics\nunset key\nunset colorbox\n"
                      "set lmargin at screen 0\nset rmargin at screen 1\n"
                      "set bmargin at screen 0\nset tmargin at screen 1\n");
    sl_plot_palette(&t);
    for (int k = 0; k < SL_IMAGE_KINDS; k++)
        sl_buffer_add(&t, "lo%d = %.6g\nhi%d = %.6g\n", k, out->lo[k], k, out->hi[k]);
    sl_buffer_bytes(&t, plots->s, plots->n);
    t.failed |= plots->failed;
    snprintf(path, sizeof path, "%s/report/figures/images.gp", r->dir);
    int code = sl_buffer_write(&t, path);
    sl_buffer_release(&t);
    snprintf(path, sizeof path, "%s/report/figures", r->dir);
    return code ? code : sl_plot_run(path, "images.gp");
}

int sl_images_make(const struct sl_report *r, struct sl_images *out)
{
    struct sl_buffer plots = {0};
    *out = (struct sl_images){.lo = {INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY}};
    times_choose(r, out);
    int code = planes_make(r, out, &plots);
    for (int k = 0; k < SL_IMAGE_KINDS; k++) {
        if (!(out->lo[k] <= out->hi[k])) out->lo[k] = out->hi[k] = 0;
        if (!(out->hi[k] > out->lo[k] + 1e-3)) out->hi[k] = out->lo[k] + 1e-3;
    }
    if (!code && plots.n) code = images_draw(r, out, &plots);
    if (!code && plots.n) code = images_commit(r, out);
    sl_buffer_release(&plots);
    return code;
}
