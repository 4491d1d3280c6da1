/* map.c - maps of the last snapshot, each a figure with axes and a colour bar, and the film of
 * slices; see report/figure.h. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/base/disk.h"
#include "pipeline/report/draw.h"
#include "pipeline/report/plane.h"
#include "pipeline/report/plot.h"

/* Cells along a side of a map; of a frame of the film; frames. */
enum { MAP_EDGE = 512, FRAME_EDGE = 256, FRAMES_MOST = 80, FRAMES_LEAST = 5 };

/* X(field, symbol in two dimensions, in three) */
#define SYMBOL_LIST(X)                                                                             \
    X(density, "ρ", "ρ")                                                                           \
    X(pressure, "p", "p")                                                                          \
    X(temperature, "p/ρ", "p/ρ")                                                                   \
    X(speed, "|v|", "|v|")                                                                         \
    X(velocity_x, "v_x", "v_x")                                                                    \
    X(velocity_y, "v_y", "v_y")                                                                    \
    X(velocity_z, "v_z", "v_z")                                                                    \
    X(vorticity, "(∇×v)_z", "|∇×v|")                                                               \
    X(divergence, "∇·v", "∇·v")                                                                    \
    X(magnetic, "|B|", "|B|")                                                                      \
    X(magnetic_x, "B_x", "B_x")                                                                    \
    X(magnetic_y, "B_y", "B_y")                                                                    \
    X(magnetic_z, "B_z", "B_z")                                                                    \
    X(current, "(∇×B)_z", "|∇×B|")                                                                 \
    X(scalar, "scalar", "scalar")

static const struct symbol {
    const char *field, *plane, *space;
} symbols[] = {
#define ROW(field, plane, space) {#field, plane, space},
    SYMBOL_LIST(ROW)
#undef ROW
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

static bool in_space(const struct sl_report *r)
{
    return isfinite(sl_report_list_number(sl_report_key(sl_report_first(r), "mesh.cells"), 2));
}

static bool derived(const char *field)
{
    return !strcmp(field, "vorticity") || !strcmp(field, "divergence") || !strcmp(field, "current");
}

/* ---- colours --------------------------------------------------------------------------------- */

struct colours {
    enum sl_plane_scale scale;
    double lo, hi, middle;
    int power;      /* of ten, that numbers of the picture and of its scale are over */
    bool two_sided; /* zero is in the middle */
    bool cut;       /* a few pixels lie beyond lo or hi */
    bool own;       /* of one map, that on the scale of all groups would be one colour */
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The size that 99.5 % of the pixels do not exceed: derivatives at shocks would hide all else. */
static double most_of(const struct sl_plane *p)
{
    size_t n = 0, all = (size_t)p->nx * (size_t)p->ny;
    double *v = malloc(all * sizeof *v), most = INFINITY;
    for (size_t i = 0; v && i < all; i++)
        if (isfinite(p->v[i])) v[n++] = fabs(p->v[i]);
    if (v && n) {
        qsort(v, n, sizeof *v, compare);
        most = v[(size_t)(0.995 * (double)(n - 1))];
    }
    free(v);
    return most;
}

/* An end that is nothing beside the other is zero: gnuplot gives all tics the digits of both. */
static void colours_snap(struct colours *c)
{
    const double nothing = 1e-3;
    if (c->scale != SL_SCALE_plain) return;
    if (fabs(c->lo) < nothing * fabs(c->hi)) c->lo = 0;
    if (fabs(c->hi) < nothing * fabs(c->lo)) c->hi = 0;
}

/* lo, hi: of the numbers as they are. */
static void colours_choose(struct colours *c, const char *field, double lo, double hi)
{
    const double other_side = 0.05;
    *c = (struct colours){.scale = sl_plane_scale(field, lo, hi), .lo = lo, .hi = hi};
    if (c->scale == SL_SCALE_log) {
        c->lo = log10(lo);
        c->hi = log10(hi);
    }
    if (c->scale == SL_SCALE_difference) {
        c->middle = 0.5 * (lo + hi);
        c->lo -= c->middle;
        c->hi -= c->middle;
    }
    c->two_sided = c->lo < 0 && c->hi > 0 && c->scale != SL_SCALE_log &&
                   fmin(-c->lo, c->hi) > other_side * fmax(-c->lo, c->hi);
    if (c->two_sided) {
        c->hi = fmax(c->hi, -c->lo);
        c->lo = -c->hi;
    }
    colours_snap(c);
    if (sl_plane_uniform(lo, hi)) { /* a single colour */
        double margin = lo == 0 && hi == 0 ? 1 : 1e-3 * fmax(fabs(lo), fabs(hi));
        c->lo -= margin;
        c->hi += margin;
    }
}

/* Whether all of a map with numbers from lo to hi would be one colour. */
static bool colours_lose(const struct colours *c, double lo, double hi)
{
    const double seen = 0.05;
    double own = c->scale == SL_SCALE_log ? log10(hi / lo) : hi - lo;
    return own < seen * (c->hi - c->lo);
}

/* Of numbers as they are: logarithms show the largest ones beside the rest. */
static void colours_cut(struct colours *c, double most)
{
    c->cut = c->scale == SL_SCALE_plain && most > 0 && most < fmax(-c->lo, c->hi);
    if (!c->cut) return;
    c->hi = fmin(c->hi, most);
    c->lo = fmax(c->lo, -most);
}

/* Numbers with an exponent each would leave no room for what they are of: the scale has one. */
static void colours_power(struct colours *c)
{
    double largest = fmax(fabs(c->lo), fabs(c->hi));
    if (c->scale == SL_SCALE_log || !(largest > 0) || (largest >= 1e-2 && largest < 1e5)) return;
    c->power = (int)floor(log10(largest));
    c->lo /= pow(10, c->power);
    c->hi /= pow(10, c->power);
}

/* Numbers as they are become those of the picture. */
static void rescale(struct sl_plane *p, const struct colours *c)
{
    sl_plane_rescale(p, c->scale, c->middle);
    for (int i = 0; i < p->nx * p->ny && c->power; i++)
        p->v[i] /= pow(10, c->power);
}

static void colours_add(struct sl_buffer *t, const struct colours *c)
{
    sl_plot_palette(t, c->two_sided);
    sl_buffer_add(t, "set cbrange [%.6g:%.6g]\n", c->lo, c->hi);
}

/* ---- frame ----------------------------------------------------------------------------------- */

/* Room around a picture, in the units of the canvas, and its largest sides. */
enum { LEFT = 86, RIGHT = 124, ABOVE = 12, BELOW = 58, WIDE = 330, HIGH = 400, FILM_ABOVE = 30 };

struct frame {
    int width, height; /* of the canvas */
    double left, right, bottom, top;
};

/* Equal scales along both axes. */
static struct frame frame_of(const struct sl_plane *p, int above)
{
    double aspect = (p->y[1] - p->y[0]) / (p->x[1] - p->x[0]), w = WIDE, h = w * aspect;
    if (h > HIGH) {
        h = HIGH;
        w = h / aspect;
    }
    if (h < 40) h = 40; /* a strip: its scales differ */
    struct frame f = {.width = LEFT + WIDE + RIGHT, .height = (int)ceil(above + h + BELOW)};
    double x = LEFT + (WIDE - w) / 2;
    f.left = x / f.width;
    f.right = (x + w) / f.width;
    f.bottom = (double)BELOW / f.height;
    f.top = (BELOW + h) / f.height;
    return f;
}

/* " (Mpc/h)", behind the name of an axis. */
static void length_unit(const struct sl_report *r, char text[96])
{
    const struct sl_report_member *m = sl_report_first(r);
    bool universe = sl_report_expands(m) || !strcmp(sl_report_key(m, "problem"), "cosmology");
    sl_report_unit(m, "code length", universe ? "Mpc/h" : "code units", text);
}

static void frame_add(struct sl_buffer *t, const struct sl_report *r, const struct sl_plane *p,
                      const struct frame *f)
{
    char unit[96];
    length_unit(r, unit);
    sl_buffer_add(t,
                  "set border 15 lc rgb soft lw 0.8\nunset grid\nunset key\n"
                  "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
                  "set bmargin at screen %.5f\nset tmargin at screen %.5f\n"
                  "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\n"
                  "set tics out scale 0.5\nset xlabel \"%c%s\" offset 0,0.4\n"
                  "set ylabel \"%c%s\" offset 1,0\n",
                  f->left, f->right, f->bottom, f->top, p->x[0], p->x[1], p->y[0], p->y[1],
                  p->across[0], unit, p->across[1], unit);
    sl_buffer_add(t,
                  "set colorbox user origin screen %.5f, screen %.5f size screen %.5f, screen "
                  "%.5f\nset cbtics out scale 0.5 textcolor rgb soft\n"
                  "set cblabel textcolor rgb soft offset 0.5,0\n",
                  f->right + 12.0 / f->width, f->bottom, 13.0 / f->width, f->top - f->bottom);
}

/* The same axes and colours for narrow pictures: fewer tics. */
static void tics_add(struct sl_buffer *t, const struct sl_plane *p, const struct colours *c)
{
    double w = p->x[1] - p->x[0], h = p->y[1] - p->y[0];
    if (h > 8 * w)
        sl_buffer_add(t, "set xtics (\"%.3g\" %.10g)\n", p->x[1], p->x[1]);
    else if (h > 1.8 * w)
        sl_buffer_add(t, "set xtics autofreq %.10g, %.10g\n", p->x[0], w);
    if (w > 2.5 * h)
        sl_buffer_add(t,
                      "set ytics (\"%.3g\" %.10g, \"%.3g\" %.10g)\n"
                      "set cbtics (\"%.3g\" %.6g, \"%.3g\" %.6g)\nset ylabel \"%c\"\n",
                      p->y[0], p->y[0], p->y[1], p->y[1], c->lo, c->lo, c->hi, c->hi, p->across[1]);
}

/* What the numbers of a map are in, behind its name. */
static void unit_of(char text[96], const struct sl_report *r, const struct sl_plane_name *n)
{
    static const char *const names[] = {
#define NAME(name, unit, about) #name,
        SL_MAP_LIST(NAME)
#undef NAME
    };
    static const char *const units[] = {
#define UNIT(name, unit, about) unit,
        SL_MAP_LIST(UNIT)
#undef UNIT
    };
    const struct sl_report_member *m = sl_report_first(r);
    bool column = !strcmp(n->kind, "projection") && !strcmp(n->field, "density");
    const char *unit = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], n->field)) unit = units[i];
    if (column) unit = "code density code length";
    sl_report_unit(m, unit, sl_plane_unit(m, n), text);
    if (!strcmp(text, " (1)")) *text = '\0';
}

/* Of a universe: densities are over the mean of the gas, without it of the particles (plane.c),
 * pressures over the mean density of all matter, as that of code units is. */
static const char *of_universe(const char *field, const char *otherwise)
{
    return !strcmp(field, "density")       ? "(1 + δ)"
           : !strcmp(field, "pressure")    ? "p/⟨ρ_m⟩"
           : !strcmp(field, "temperature") ? "T"
                                           : otherwise;
}

/* "0.25", or "3.97e-08" as a product with a power of ten. */
static void number_of(char text[48], double value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%.6g", value);
    char *power = strchr(digits, 'e');
    if (power) *power = '\0';
    if (power)
        snprintf(text, 48, "%s×10^{%ld}", digits, strtol(power + 1, NULL, 10));
    else
        snprintf(text, 48, "%s", digits);
}

/* What the colours mean. */
static void label_of(char label[160], const struct sl_report *r, const struct sl_plane_name *n,
                     const struct colours *c)
{
    const char *symbol = n->field;
    char of[80], unit[96], middle[48];
    number_of(middle, c->middle);
    for (int i = 0; i < SYMBOLS; i++)
        if (!strcmp(symbols[i].field, n->field))
            symbol = in_space(r) ? symbols[i].space : symbols[i].plane;
    if (sl_report_clock(sl_report_first(r)) == 'z') symbol = of_universe(n->field, symbol);
    if (strcmp(n->kind, "projection"))
        snprintf(of, sizeof of, "%s", symbol);
    else
        snprintf(of, sizeof of, strcmp(n->field, "density") ? "⟨%s⟩" : "∫ %s d%c", symbol, n->axis);
    if (c->scale == SL_SCALE_log)
        snprintf(label, 160, "log_{10} %s", of);
    else if (c->scale == SL_SCALE_difference)
        snprintf(label, 160, c->power ? "(%s − %s)" : "%s − %s", of, middle);
    else
        snprintf(label, 160, "%s", of);
    if (c->power) snprintf(label + strlen(label), 160 - strlen(label), " / 10^{%d}", c->power);
    unit_of(unit, r, n);
    snprintf(label + strlen(label), 160 - strlen(label), "%s", unit);
}

/* ---- a map ----------------------------------------------------------------------------------- */

/* Blocks too small to be told apart are left out. */
struct outlines {
    struct sl_buffer t; /* owned */
    const struct sl_plane *p;
    double scale; /* canvas over length */
};

static void outline_add(void *user, const double side[4])
{
    struct outlines *o = user;
    const double least = 4;
    if ((side[1] - side[0]) * o->scale < least) return;
    sl_buffer_add(&o->t, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", 0.5 * (side[0] + side[1]),
                  0.5 * (side[2] + side[3]), side[0], side[1], side[2], side[3]);
}

/* <name>_blocks.csv; *drawn: there are some. */
static int outlines_write(const struct sl_report *r, const struct sl_plane *p,
                          const struct sl_plane_name *n, const char *folder, const char *name,
                          bool *drawn)
{
    struct outlines o = {.p = p, .scale = WIDE / (p->x[1] - p->x[0])};
    char path[SL_PATH_MAX];
    int code = sl_plane_blocks(p, r, n, outline_add, &o);
    *drawn = o.t.n > 0;
    if (code == SL_OK) code = sl_disk_join(path, "%s/%s_blocks.csv", folder, name);
    if (code == SL_OK && *drawn) code = sl_buffer_write(&o.t, path);
    sl_buffer_release(&o.t);
    return code;
}

/* The numbers of one picture. */
static int plane_file(const struct sl_plane *p, const char *folder, const char *name)
{
    char path[SL_PATH_MAX];
    struct sl_buffer t = {0};
    sl_plane_write(p, &t);
    int code = sl_disk_join(path, "%s/%s.csv", folder, name);
    if (code == SL_OK) code = sl_buffer_write(&t, path);
    sl_buffer_release(&t);
    return code;
}

/* see_through: what is drawn on can show what lies under a line. */
static void plot_add(struct sl_buffer *t, const struct sl_plane *p, const char *name, bool blocks,
                     bool two_sided, bool see_through)
{
    const char *ink =
        see_through ? (two_sided ? "#a0202020" : "#a0fefefe") : (two_sided ? "#a3a7aa" : "#7d9bb0");
    double dx = (p->x[1] - p->x[0]) / p->nx, dy = (p->y[1] - p->y[0]) / p->ny;
    sl_buffer_add(t,
                  "unset datafile columnheaders\n" /* a matrix has none */
                  "plot '%s.csv' matrix using (%.10g + $1 * %.10g):(%.10g + $2 * %.10g):3 with "
                  "image notitle",
                  name, p->x[0] + dx / 2, dx, p->y[0] + dy / 2, dy);
    if (blocks)
        sl_buffer_add(t,
                      ", '%s_blocks.csv' using 1:2:3:4:5:6 with boxxyerror fs empty lw 0.5 lc rgb "
                      "'%s' notitle",
                      name, ink);
}

static int map_draw(const struct sl_report *r, struct sl_plane *p, const struct sl_plane_name *n,
                    const struct colours *c, const char *name, bool *blocks)
{
    struct sl_buffer t = {0};
    char folder[SL_PATH_MAX], label[160];
    struct frame f = frame_of(p, ABOVE);
    SL_TRY(sl_disk_join(folder, "%s/report/figures", r->dir));
    rescale(p, c);
    SL_TRY(plane_file(p, folder, name));
    *blocks = false;
    if (!strcmp(n->kind, "slice")) SL_TRY(outlines_write(r, p, n, folder, name, blocks));
    label_of(label, r, n, c);
    frame_add(&t, r, p, &f);
    tics_add(&t, p, c);
    colours_add(&t, c);
    sl_buffer_add(&t, "set cblabel %s\n", sl_plot_text(label).s);
    plot_add(&t, p, name, *blocks, c->two_sided, true);
    int code = sl_plot_draw(folder, name, &t, f.width, f.height);
    sl_buffer_release(&t);
    return code;
}

static void title_of(struct sl_map_figure *m, const struct sl_plane_name *n, bool space)
{
    bool projection = !strcmp(n->kind, "projection"), density = !strcmp(n->field, "density");
    char words[80], field[48];
    sl_plane_words(n->field, field);
    snprintf(words, sizeof words, "%s%s", field, projection && !density ? ", mean by mass" : "");
    if (projection && density)
        snprintf(m->title, sizeof m->title, "Column density along %c", n->axis);
    else if (!space)
        snprintf(m->title, sizeof m->title, "%c%s", words[0] - 'a' + 'A', words + 1);
    else
        snprintf(m->title, sizeof m->title, "%c%s%s%c", words[0] - 'a' + 'A', words + 1,
                 projection ? " along " : ", slice across ", n->axis);
}

/* Where, when, of what and how fine. */
static void about_of(struct sl_map_figure *m, const struct sl_report *r,
                     const struct sl_plane_name *n, const struct sl_plane *p,
                     const struct colours *c, bool blocks)
{
    const struct sl_report_member *member = &r->member[n->member];
    char level[96], plane[64];
    int used = 0;
    if (strcmp(n->kind, "slice"))
        used = snprintf(m->about, sizeof m->about, "Along the whole box");
    else if (in_space(r)) {
        sl_plane_place(p, n->axis, plane);
        used = snprintf(m->about, sizeof m->about, "%s", plane);
    } else
        used = snprintf(m->about, sizeof m->about, "All of the box");
    if (isfinite(p->time))
        used += snprintf(m->about + used, sizeof m->about - (size_t)used, " at %c = %.4g",
                         sl_report_clock(member), p->time);
    sl_plane_level(member, p->level, level);
    used += snprintf(m->about + used, sizeof m->about - (size_t)used, ", member %s%s%s.",
                     member->id, *level ? ", " : "", level);
    if (p->cells > 1)
        used += snprintf(m->about + used, sizeof m->about - (size_t)used,
                         " Pixels are means of %d cells along a side.", p->cells);
    if (c->cut)
        used += snprintf(m->about + used, sizeof m->about - (size_t)used,
                         " The colours end where 99.5 %% of the area lies.");
    if (c->own)
        used += snprintf(m->about + used, sizeof m->about - (size_t)used,
                         " The colours are its own: those of all groups do not show it.");
    if (blocks)
        snprintf(m->about + used, sizeof m->about - (size_t)used,
                 " Lines are the edges of the blocks of the mesh.");
}

/* Why no map is drawn of numbers between lo and hi; empty: one is. */
static void lacking_of(char missing[256], double lo, double hi)
{
    if (lo > hi)
        snprintf(missing, 256, "its table holds no numbers");
    else if (lo == 0 && hi == 0)
        snprintf(missing, 256, "zero everywhere");
    else if (sl_plane_uniform(lo, hi))
        snprintf(missing, 256, "%.6g everywhere, but for rounding", 0.5 * (lo + hi));
}

/* The member whose maps stand for a group, with its last snapshot; false: none is finished. */
static bool of_group(const struct sl_report *r, int group, struct sl_plane_name *n)
{
    n->member = r->group[group].first;
    if (n->member < 0) return false;
    n->snapshot = sl_report_last(&r->member[n->member].snapshots);
    return sl_plane_there(r, n);
}

/* The range of a quantity in the maps of all groups, and the largest size that most pixels of one
 * do not exceed. */
struct range {
    double lo, hi, most;
    int groups;
    bool rounding; /* nothing beside what a slice has of the quantity */
};

static int range_find(const struct sl_report *r, struct sl_plane_name n, struct range *range)
{
    *range = (struct range){.lo = INFINITY, .hi = -INFINITY};
    for (int g = 0; g < r->groups && g < SL_GROUPS_DRAWN; g++) {
        struct sl_plane p;
        if (!of_group(r, g, &n)) continue;
        SL_TRY(sl_plane_read(&p, r, &n, MAP_EDGE));
        range->groups++;
        if (p.v) {
            sl_plane_range(&p, &range->lo, &range->hi);
            range->most = fmax(range->most, most_of(&p));
        }
        sl_plane_release(&p);
    }
    return SL_OK;
}

/* The colours of all groups, or its own of a map that these do not show: numbers from lo to hi. */
static struct colours colours_of(const struct sl_plane_name *n, const struct sl_plane *p,
                                 const struct range *range, double lo, double hi)
{
    struct colours c;
    colours_choose(&c, n->field, range->lo, range->hi);
    bool own = range->groups > 1 && colours_lose(&c, lo, hi);
    if (own) colours_choose(&c, n->field, lo, hi);
    c.own = own;
    if (derived(n->field)) colours_cut(&c, own ? most_of(p) : range->most);
    colours_power(&c);
    return c;
}

static int map_make(const struct sl_report *r, const struct sl_plane_name *n, int group,
                    const struct range *range, struct sl_drawings *out)
{
    struct sl_map_figure *m = &out->map[group][out->maps[group]++];
    struct sl_plane p;
    double lo = INFINITY, hi = -INFINITY;
    bool blocks = false;
    *m = (struct sl_map_figure){.name = ""};
    snprintf(m->name, sizeof m->name, "map_%s_%s_%c", n->kind, n->field, n->axis);
    if (group) snprintf(m->name + strlen(m->name), 8, "_%d", group + 1);
    title_of(m, n, in_space(r));
    SL_TRY(sl_plane_read(&p, r, n, MAP_EDGE));
    if (p.v) sl_plane_range(&p, &lo, &hi);
    lacking_of(m->missing, lo, hi);
    if (range->rounding && lo <= hi)
        snprintf(m->missing, sizeof m->missing, "zero everywhere, but for rounding");
    if (*m->missing) {
        sl_plane_release(&p);
        return SL_OK;
    }
    struct colours c = colours_of(n, &p, range, lo, hi);
    int code = map_draw(r, &p, n, &c, m->name, &blocks);
    about_of(m, r, n, &p, &c, blocks);
    sl_plane_release(&p);
    if (code == SL_EUNAVAIL) return code;
    if (code) snprintf(m->missing, sizeof m->missing, "%s", sl_error_text());
    return SL_OK;
}

/* The maps of one quantity of all groups, on one colour scale where it shows them. */
static int quantity_maps(const struct sl_report *r, struct sl_plane_name n, struct sl_drawings *out)
{
    const double single =
        1e-6; /* of numbers in single precision that cancel along a line of sight */
    struct range range, slice;
    struct sl_plane_name beside = n;
    beside.kind = "slice";
    SL_TRY(range_find(r, n, &range));
    SL_TRY(range_find(r, beside, &slice));
    if (strcmp(n.kind, "slice") && slice.lo <= slice.hi)
        range.rounding =
            fmax(fabs(range.lo), fabs(range.hi)) < single * fmax(fabs(slice.lo), fabs(slice.hi));
    for (int g = 0; range.groups && g < r->groups && g < SL_GROUPS_DRAWN; g++) {
        if (!of_group(r, g, &n)) continue;
        if (out->maps[g] == SL_MAPS_DRAWN)
            out->maps_left[g]++;
        else
            SL_TRY(map_make(r, &n, g, &range, out));
    }
    return SL_OK;
}

/* Those of the last snapshots: slices first, then projections, as the statistics have them. */
static int all_maps(const struct sl_report *r, struct sl_drawings *out)
{
    struct sl_plane_name n;
    for (int k = 0; k < SL_IMAGE_KINDS; k++)
        for (int i = 0; i < SYMBOLS; i++)
            for (n.axis = 'x'; n.axis <= 'z'; n.axis++) {
                n.kind = sl_image_kinds[k];
                snprintf(n.field, sizeof n.field, "%s", symbols[i].field);
                SL_TRY(quantity_maps(r, n, out));
            }
    return SL_OK;
}

/* ---- film ------------------------------------------------------------------------------------ */

/* For pages that are light and for those that are dark: a GIF keeps its colours. */
static const char *const film_name[] = {"film", "film_dark"};

static int film_snapshot(const struct sl_report *r, int member, int i, int frames)
{
    const struct sl_report_snapshots *all = &r->member[member].snapshots;
    return all->number[frames > 1 ? (int)((long)i * (all->n - 1) / (frames - 1)) : 0];
}

/* The range of all frames. */
static int film_range(const struct sl_report *r, struct sl_plane_name n, int frames, double *lo,
                      double *hi)
{
    for (int i = 0; i < frames; i++) {
        struct sl_plane p;
        n.snapshot = film_snapshot(r, n.member, i, frames);
        SL_TRY(sl_plane_read(&p, r, &n, FRAME_EDGE));
        if (p.v) sl_plane_range(&p, lo, hi);
        sl_plane_release(&p);
    }
    return SL_OK;
}

static int film_frame(const struct sl_report *r, const struct sl_plane_name *n,
                      const struct colours *c, const char *folder, struct sl_buffer *t)
{
    struct sl_plane p;
    char name[64];
    bool blocks;
    SL_TRY(sl_plane_read(&p, r, n, FRAME_EDGE));
    if (!p.v) return SL_OK;
    snprintf(name, sizeof name, "film_%04d", n->snapshot);
    rescale(&p, c);
    int code = plane_file(&p, folder, name);
    if (code == SL_OK) code = outlines_write(r, &p, n, folder, name, &blocks);
    if (code == SL_OK) {
        sl_buffer_add(t, "set label 1 \"%c = %.4g\" at graph 0, graph 1 offset 0,0.8 left\n",
                      sl_report_clock(&r->member[n->member]), p.time);
        plot_add(t, &p, name, blocks, c->two_sided, false);
        sl_buffer_add(t, "\n");
    }
    sl_plane_release(&p);
    return code;
}

static int film_script(const struct sl_report *r, struct sl_plane_name n, int frames,
                       const struct colours *c, const char *folder, bool dark)
{
    struct sl_buffer t = {0};
    struct sl_plane p;
    char label[160], path[SL_PATH_MAX];
    SL_TRY(sl_plane_read(&p, r, &n, FRAME_EDGE));
    struct frame f = frame_of(&p, FILM_ABOVE);
    int delay = 600 / frames; /* of six seconds, in hundredths */
    sl_plot_preamble(&t, dark);
    sl_buffer_add(&t,
                  "set terminal gif animate delay %d loop 0 optimize size %d,%d font \"sans,10\" "
                  "background rgb paper\nset output '%s.gif.new'\n",
                  delay < 6    ? 6
                  : delay > 40 ? 40
                               : delay,
                  f.width, f.height, film_name[dark]);
    frame_add(&t, r, &p, &f);
    tics_add(&t, &p, c);
    sl_plane_release(&p);
    colours_add(&t, c);
    label_of(label, r, &n, c);
    sl_buffer_add(&t, "set cblabel %s\n", sl_plot_text(label).s);
    int code = SL_OK;
    for (int i = 0; i < frames && code == SL_OK; i++) {
        n.snapshot = film_snapshot(r, n.member, i, frames);
        code = film_frame(r, &n, c, folder, &t);
    }
    sl_buffer_add(&t, "set output\n");
    if (code == SL_OK) code = sl_disk_join(path, "%s/%s.gp", folder, film_name[dark]);
    if (code == SL_OK) code = sl_buffer_write(&t, path);
    sl_buffer_release(&t);
    return code;
}

/* One film of the two; *made: false where gnuplot cannot make it. */
static int film_draw(const struct sl_report *r, const struct sl_plane_name *n, int frames,
                     const struct colours *c, bool dark, bool *made)
{
    char folder[SL_PATH_MAX], script[40], from[SL_PATH_MAX], to[SL_PATH_MAX];
    SL_TRY(sl_disk_join(folder, "%s/report/figures", r->dir));
    SL_TRY(film_script(r, *n, frames, c, folder, dark));
    snprintf(script, sizeof script, "%s.gp", film_name[dark]);
    int code = sl_plot_run(folder, script);
    if (code == SL_EIO) sl_log(SL_LOG_WARN, "report without a film: %s", sl_error_text());
    *made = code == SL_OK;
    if (code) return code == SL_EIO ? SL_OK : code;
    SL_TRY(sl_disk_join(from, "%s/%s.gif.new", folder, film_name[dark]));
    SL_TRY(sl_disk_join(to, "%s/%s.gif", folder, film_name[dark]));
    SL_CHECK(!rename(from, to), SL_EIO, "cannot write %s: %s", to, strerror(errno));
    return SL_OK;
}

/* " in the plane z = 0.0125" of the slices of a film; "" in two dimensions. */
static int film_place(const struct sl_report *r, const struct sl_plane_name *n, char where[80])
{
    struct sl_plane p;
    char words[64];
    where[0] = '\0';
    if (!in_space(r)) return SL_OK;
    SL_TRY(sl_plane_read(&p, r, n, FRAME_EDGE));
    sl_plane_place(&p, n->axis, words);
    snprintf(where, 80, " in t%s", words + 1);
    sl_plane_release(&p);
    return SL_OK;
}

/* figures/film.gif and film_dark.gif of the first finished member, where there are enough snapshots
 * for one. */
static int film_make(const struct sl_report *r, struct sl_drawings *out)
{
    struct sl_plane_name n;
    struct colours c;
    bool made = true;
    int first = sl_report_finished(r), all = first < 0 ? 0 : r->member[first].snapshots.n,
        frames = all < FRAMES_MOST ? all : FRAMES_MOST;
    double lo = INFINITY, hi = -INFINITY;
    if (frames < FRAMES_LEAST || !sl_plane_first(r, first, &n)) return SL_OK;
    SL_TRY(film_range(r, n, frames, &lo, &hi));
    if (lo > hi || sl_plane_uniform(lo, hi)) return SL_OK;
    colours_choose(&c, n.field, lo, hi);
    colours_power(&c);
    for (int dark = 0; dark < 2 && made; dark++)
        SL_TRY(film_draw(r, &n, frames, &c, dark, &made));
    if (!made) return SL_OK;
    char words[48], where[80];
    sl_plane_words(n.field, words);
    SL_TRY(film_place(r, &n, where));
    snprintf(out->film, sizeof out->film,
             "%d snapshots of member %s: %s%s, one colour scale for all.", frames,
             r->member[first].id, words, where);
    return SL_OK;
}

int sl_map_figures_make(const struct sl_report *r, struct sl_drawings *out)
{
    SL_TRY(all_maps(r, out));
    return film_make(r, out);
}
