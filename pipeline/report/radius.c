/* radius.c - figures of a report of problems around a point: cells and shells by their radius. */
#include "pipeline/report/draw.h"
#include "pipeline/report/plane.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_EDGE = 512, POINTS_MOST = 2500 };

static const struct sl_report_member *of_figure(const struct sl_draw *d)
{
    int first = sl_draw_group(d)->first;
    return first < 0 ? NULL : &d->r->member[first];
}

/* How far the plane across z lies from output.center; 0 in two dimensions. */
static double height(const struct sl_report_member *m, const struct sl_plane *p)
{
    const char *box = sl_report_key(m, "mesh.box");
    double n = sl_report_list_number(sl_report_key(m, "mesh.cells"), 2),
           low = sl_report_list_number(box, 4), side = sl_report_list_number(box, 5) - low,
           centre = sl_report_list_number(sl_report_key(m, "output.center"), 2);
    if (!isfinite(n)) return 0;
    if (isfinite(p->at)) return p->at - centre;
    n = ldexp(n, p->level);
    return low + (floor(n / 2) + 0.5) * side / n - centre;
}

/* "radius,value" of some cells of the plane, spread evenly over it. */
static void cells_add(const struct sl_report_member *m, const struct sl_plane *p,
                      struct sl_buffer *t)
{
    const char *centre = sl_report_key(m, "output.center");
    double x0 = sl_report_list_number(centre, 0), y0 = sl_report_list_number(centre, 1),
           dx = (p->x[1] - p->x[0]) / p->nx, dy = (p->y[1] - p->y[0]) / p->ny, z = height(m, p);
    int step = 1;
    while ((p->nx / step) * (p->ny / step) > POINTS_MOST)
        step++;
    sl_buffer_add(t, "radius,value\n");
    for (int j = step / 2; j < p->ny; j += step)
        for (int i = step / 2; i < p->nx; i += step) {
            double x = p->x[0] + (i + 0.5) * dx - x0, y = p->y[0] + (j + 0.5) * dy - y0;
            sl_buffer_add(t, "%.6g,%.6g\n", sqrt(x * x + y * y + z * z), p->v[j * p->nx + i]);
        }
}

/* <name>_cells.csv of the last slice; *drawn: there is one. */
static int cells_write(struct sl_draw *d, const char *quantity, bool *drawn)
{
    const struct sl_report_member *m = of_figure(d);
    struct sl_plane_name n = {.kind = "slice", .axis = 'z', .member = sl_draw_group(d)->first};
    struct sl_plane p;
    struct sl_buffer t = {0};
    n.snapshot = sl_report_last(&m->snapshots);
    snprintf(n.field, sizeof n.field, "%s", quantity);
    SL_TRY(sl_plane_read(&p, d->r, &n, CELLS_EDGE));
    *drawn = p.v != NULL;
    if (*drawn) cells_add(m, &p, &t);
    int code = *drawn ? sl_draw_file(d, &t, "_cells.csv") : SL_OK;
    sl_buffer_release(&t);
    sl_plane_release(&p);
    return code;
}

/* What the shells hold: an exact solution, and the range of their means. */
struct shells {
    bool exact;
    double least, most;
};

/* <name>.csv: mean and spread of the shells, and the exact solution. */
static int shells_write(struct sl_draw *d, const char *quantity, struct shells *s)
{
    char path[PATH_MAX + 200], name[64];
    struct sl_csv t;
    struct sl_buffer out = {0};
    snprintf(path, sizeof path, "%s/members/%s/sample_radius.csv", d->r->dir, of_figure(d)->id);
    SL_TRY(sl_csv_read(&t, path, SL_CSV_NAMED));
    int r = sl_csv_column(&t, "radius"), mean = sl_csv_column(&t, quantity);
    snprintf(name, sizeof name, "%s_deviation", quantity);
    int spread = sl_csv_column(&t, name);
    snprintf(name, sizeof name, "exact_%s", quantity);
    int want = sl_csv_column(&t, name);
    *s = (struct shells){false, INFINITY, 0};
    sl_buffer_add(&out, "radius,mean,low,high,exact\n");
    for (long i = 0; i < t.rows; i++) {
        double v = sl_csv_number(&t, i, mean), off = sl_csv_number(&t, i, spread);
        s->exact |= isfinite(sl_csv_number(&t, i, want));
        s->least = fmin(s->least, v);
        s->most = fmax(s->most, v);
        sl_buffer_add(&out, "%s,%.10g,%.10g,%.10g,%s\n", sl_csv_text(&t, i, r), v,
                      fmax(v - off, 0.1 * v), v + off, sl_csv_text(&t, i, want));
    }
    sl_csv_release(&t);
    int code = sl_draw_file(d, &out, ".csv");
    sl_buffer_release(&out);
    return code;
}

/* From zero; without a solution that says where there is nothing, decades of a halo are seen on
 * logarithmic axes. */
static void ranges(struct sl_draw *d, const struct shells *s)
{
    const double decades = 100;
    if (!s->exact && s->least > 0 && s->most > decades * s->least) {
        sl_draw_log_tics(d, s->least / 2, 2 * s->most);
        sl_buffer_add(&d->script, "set logscale x\nset autoscale xfix\n" SL_DRAW_TICS);
    } else {
        sl_buffer_add(&d->script, "set autoscale xfixmax\nset xrange [0:*]\nset yrange [0:*]\nset "
                                  "offsets 0, 0, graph 0.05, 0\n");
    }
}

static int radius_figure(struct sl_draw *d, const char *quantity, const char *label,
                         const char *unit)
{
    struct shells shells;
    bool cells = false;
    if (!of_figure(d)) return sl_draw_none(d, "no member is finished");
    SL_TRY(shells_write(d, quantity, &shells));
    SL_TRY(cells_write(d, quantity, &cells));
    sl_draw_axis(d, 'x', "distance from the centre", "code length", "code units");
    sl_draw_axis(d, 'y', label, unit, "");
    ranges(d, &shells);
    sl_buffer_add(&d->script, "plot ");
    if (cells)
        sl_buffer_add(&d->script,
                      "'%s_cells.csv' using 1:2 with points pt 7 ps 0.3 lc rgb faint title "
                      "\"cells\", \\\n  ",
                      d->name);
    if (shells.exact)
        sl_buffer_add(&d->script,
                      "'%s.csv' using 1:5 with lines lw 1.6 lc rgb warm title \"exact\", \\\n  ",
                      d->name);
    sl_buffer_add(&d->script,
                  "'%s.csv' using 1:3:(0):($4-$3) with vectors nohead lw 0.8 lc rgb accent "
                  "notitle, \\\n  '%s.csv' using 1:2 with points pt 7 ps 0.3 lc rgb accent title "
                  "\"shells\"",
                  d->name, d->name);
    if (shells.exact) sl_draw_remark(d, "The line is the exact solution.");
    sl_draw_of_first(d);
    return SL_OK;
}

SL_FIGURE(radius_density, gas, "Density against the radius", a->radius,
          "Cells of the last slice against their distance from output.center, with mean and "
          "spread in shells one cell thick at the end.")
int sl_make_radius_density(struct sl_draw *d)
{
    return radius_figure(d, "density", "ρ", "code density");
}

SL_FIGURE(radius_pressure, gas, "Pressure against the radius", a->radius && !a->isothermal,
          "The pressure of the same cells and shells.")
int sl_make_radius_pressure(struct sl_draw *d)
{
    return radius_figure(d, "pressure", "p", "code pressure");
}
