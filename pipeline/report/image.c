/* image.c - slices and projections of the members as PNG files, all on one colour scale per
 * kind. See report/figure.h. */
#include "pipeline/report/figure.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/report/plane.h"
#include "pipeline/report/plot.h"

/* Drawn at least this large, so that the thin rim that gnuplot leaves free is not seen. */
enum { PIXELS_MIN = 256, OUTLINE_MIN = 4 };

const char *const sl_image_kinds[SL_IMAGE_KINDS] = {"slice", "projection"};

/* Pixels drawn for each of the plane. */
static int scale_of(const struct sl_plane *p)
{
    int most = p->nx > p->ny ? p->nx : p->ny;
    return (PIXELS_MIN + most - 1) / most;
}

/* A block in pixels of the plane, which are counted from the middle of the first one; blocks too
 * small to be told apart are left out. */
struct outlines {
    struct sl_buffer t; /* owned */
    const struct sl_plane *p;
};

static double pixel_of(const double edge[2], int n, double at)
{
    return (at - edge[0]) / (edge[1] - edge[0]) * n - 0.5;
}

static void outline_add(void *user, const double side[4])
{
    struct outlines *o = user;
    const struct sl_plane *p = o->p;
    double x0 = pixel_of(p->x, p->nx, side[0]), x1 = pixel_of(p->x, p->nx, side[1]),
           y0 = pixel_of(p->y, p->ny, side[2]), y1 = pixel_of(p->y, p->ny, side[3]);
    if ((x1 - x0) * scale_of(p) < OUTLINE_MIN) return;
    sl_buffer_add(&o->t, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", 0.5 * (x0 + x1), 0.5 * (y0 + y1), x0,
                  x1, y0, y1);
}

/* figures/<name>_blocks.csv: the blocks of an adaptive mesh that a slice cuts, where the member has
 * them. */
static int outlines_write(const struct sl_plane *p, const struct sl_report *r,
                          const struct sl_plane_name *n, const char *name, bool *drawn)
{
    char path[PATH_MAX + 200];
    struct outlines o = {.p = p};
    int code = sl_plane_blocks(p, r, n, outline_add, &o);
    snprintf(path, sizeof path, "%s/report/figures/%s_blocks.csv", r->dir, name);
    *drawn = o.t.n > 0;
    if (code == SL_OK && *drawn) code = sl_buffer_write(&o.t, path);
    sl_buffer_release(&o.t);
    return code;
}

/* figures/<kind>_<member number>_<snapshot>.csv, and the commands that draw it; with outlines of
 * blocks. */
static int plane_write(const struct sl_plane *p, const struct sl_report *r, const char *name,
                       int kind, bool outlines, struct sl_buffer *script)
{
    char path[PATH_MAX + 200];
    struct sl_buffer t = {0};
    sl_plane_write(p, &t);
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

static void image_name(char name[64], int kind, int member, int snapshot)
{
    snprintf(name, 64, "%s_%03d_%04d", sl_image_kinds[kind], member + 1, snapshot);
}

/* Gives the drawn files their names. */
static int images_commit(const struct sl_report *r, struct sl_images *out)
{
    for (int m = 0; m < r->members && m < SL_IMAGE_MEMBERS; m++)
        for (int i = 0; i < SL_IMAGE_KINDS * out->times[m].n; i++) {
            char name[64], from[PATH_MAX + 200], to[PATH_MAX + 200];
            image_name(name, i % SL_IMAGE_KINDS, m, out->times[m].snapshot[i / SL_IMAGE_KINDS]);
            snprintf(from, sizeof from, "%s/report/figures/%s.png.new", r->dir, name);
            snprintf(to, sizeof to, "%s/report/figures/%s.png", r->dir, name);
            if (!rename(from, to))
                out->made++;
            else if (errno != ENOENT)
                return SL_FAIL(SL_EIO, "cannot write %s: %s", to, strerror(errno));
        }
    return SL_OK;
}

static struct sl_plane_name name_of(const struct sl_images *out, int kind, int member, int snapshot)
{
    struct sl_plane_name n = {sl_image_kinds[kind], "", out->axis, member, snapshot};
    snprintf(n.field, sizeof n.field, "%s", out->field);
    return n;
}

/* What is drawn of the numbers lo .. hi, and its range. */
static void scale_choose(struct sl_images *out, int k)
{
    out->drawn[k] = out->lo[k] < out->hi[k] && !sl_plane_uniform(out->lo[k], out->hi[k]);
    if (!out->drawn[k]) return;
    out->scale[k] = (int)sl_plane_scale(out->field, out->lo[k], out->hi[k]);
    if (out->scale[k] == SL_SCALE_log) {
        out->lo[k] = log10(out->lo[k]);
        out->hi[k] = log10(out->hi[k]);
    } else if (out->scale[k] == SL_SCALE_difference) {
        out->middle[k] = 0.5 * (out->lo[k] + out->hi[k]);
        out->lo[k] -= out->middle[k];
        out->hi[k] -= out->middle[k];
    }
}

/* The range of all members and times, of each kind, and whether logarithms tell more. */
static int ranges_find(const struct sl_report *r, struct sl_images *out)
{
    for (int m = 0; m < r->members && m < SL_IMAGE_MEMBERS; m++)
        for (int i = 0; i < SL_IMAGE_KINDS * out->times[m].n; i++) {
            int kind = i % SL_IMAGE_KINDS;
            struct sl_plane_name n =
                name_of(out, kind, m, out->times[m].snapshot[i / SL_IMAGE_KINDS]);
            struct sl_plane p;
            if (!sl_plane_there(r, &n)) continue;
            SL_TRY(sl_plane_read(&p, r, &n, SL_IMAGE_EDGE));
            if (p.v) sl_plane_range(&p, &out->lo[kind], &out->hi[kind]);
            sl_plane_release(&p);
        }
    for (int k = 0; k < SL_IMAGE_KINDS; k++)
        scale_choose(out, k);
    return SL_OK;
}

static int planes_make(const struct sl_report *r, struct sl_images *out, struct sl_buffer *script)
{
    for (int m = 0; m < r->members && m < SL_IMAGE_MEMBERS; m++)
        for (int i = 0; i < SL_IMAGE_KINDS * out->times[m].n; i++) {
            int kind = i % SL_IMAGE_KINDS, snapshot = out->times[m].snapshot[i / SL_IMAGE_KINDS];
            struct sl_plane_name n = name_of(out, kind, m, snapshot);
            struct sl_plane p;
            char name[64];
            bool outlines = false;
            if (!out->drawn[kind] || !sl_plane_there(r, &n)) continue;
            SL_TRY(sl_plane_read(&p, r, &n, SL_IMAGE_EDGE));
            if (!p.v) continue;
            out->times[m].at[i / SL_IMAGE_KINDS] = p.time;
            image_name(name, kind, m, snapshot);
            sl_plane_rescale(&p, (enum sl_plane_scale)out->scale[kind], out->middle[kind]);
            int code = kind == 0 ? outlines_write(&p, r, &n, name, &outlines) : SL_OK;
            if (!code) code = plane_write(&p, r, name, kind, outlines, script);
            sl_plane_release(&p);
            SL_TRY(code);
        }
    return SL_OK;
}

/* First, middle and last of the snapshots of each member. */
static void times_choose(const struct sl_report *r, struct sl_images *out)
{
    for (int m = 0; m < r->members && m < SL_IMAGE_MEMBERS; m++) {
        const struct sl_report_snapshots *all = &r->member[m].snapshots;
        int n = all->n < SL_IMAGE_TIMES ? all->n : SL_IMAGE_TIMES;
        for (int i = 0; i < n; i++) {
            out->times[m].at[i] = NAN;
            out->times[m].snapshot[i] = all->number[n > 1 ? i * (all->n - 1) / (n - 1) : 0];
        }
        out->times[m].n = n;
        if (n > out->most) out->most = n;
    }
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
    sl_plot_palette(&t, false);
    for (int k = 0; k < SL_IMAGE_KINDS; k++)
        if (out->drawn[k])
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
    int first = sl_report_finished(r);
    struct sl_plane_name n;
    if (!sl_plane_first(r, first < 0 ? 0 : first, &n)) return SL_OK;
    snprintf(out->field, sizeof out->field, "%s", n.field);
    out->axis = n.axis;
    times_choose(r, out);
    SL_TRY(ranges_find(r, out));
    int code = planes_make(r, out, &plots);
    if (!code && plots.n) code = images_draw(r, out, &plots);
    if (!code && plots.n) code = images_commit(r, out);
    sl_buffer_release(&plots);
    return code;
}
