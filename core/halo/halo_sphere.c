/* halo_sphere.c - see halo_sphere.h. */
#include "core/halo/halo_sphere.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/nfw.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

enum {
    PER_CELL = 4,
    MOST_CELLS = 1024,
    SPEED_LEAST = 10,
    CONCENTRATION_LEAST = 100,
    PIECE = 1 << 12
};

/* ---- particles by cells ---- */

static size_t all_points(const struct sl_sphere_grid *g)
{
    return g->s->own.n + g->fringe.near.n;
}

static const struct sl_point *point_at(const struct sl_sphere_grid *g, size_t i)
{
    return i < g->s->own.n ? &g->s->own.point[i] : &g->fringe.near.point[i - g->s->own.n];
}

static size_t cell_of(const struct sl_sphere_grid *g, const uint32_t x[3])
{
    size_t at[3], n = (size_t)g->cells;
    for (int d = 0; d < 3; d++)
        at[d] = (size_t)((uint64_t)x[d] * n >> 32);
    return (at[2] * n + at[1]) * n + at[0];
}

static int count_points(void *of, size_t from, size_t end)
{
    const struct sl_sphere_grid *g = of;
    for (size_t i = from; i < end; i++)
        __atomic_fetch_add(&g->begin[cell_of(g, point_at(g, i)->x)], 1, __ATOMIC_RELAXED);
    return SL_OK;
}

static int place_points(void *of, size_t from, size_t end)
{
    const struct sl_sphere_grid *g = of;
    for (size_t i = from; i < end; i++) {
        size_t *next = &g->begin[cell_of(g, point_at(g, i)->x)];
        g->point[__atomic_fetch_add(next, 1, __ATOMIC_RELAXED)] = point_at(g, i);
    }
    return SL_OK;
}

/* In a cell they lie in any order. */
static void sort_points(struct sl_sphere_grid *g)
{
    size_t cells = (size_t)g->cells * (size_t)g->cells * (size_t)g->cells, sum = 0;
    sl_threads_run(all_points(g), PIECE, count_points, g);
    for (size_t c = 0; c <= cells; c++) {
        size_t count = g->begin[c];
        g->begin[c] = sum;
        sum += count;
    }
    sl_threads_run(all_points(g), PIECE, place_points, g);
    memmove(g->begin + 1, g->begin, cells * sizeof *g->begin);
    g->begin[0] = 0;
}

static int allocate(struct sl_sphere_grid *g)
{
    double n = cbrt((double)all_points(g) / PER_CELL);
    g->cells = (int)fmax(1, fmin(n, MOST_CELLS));
    size_t cells = (size_t)g->cells * (size_t)g->cells * (size_t)g->cells;
    SL_TRY(sl_alloc("cells of particles", cells + 1, sizeof *g->begin, &g->begin));
    g->point = sl_alloc_large((all_points(g) + 1) * sizeof *g->point);
    SL_CHECK(g->point, SL_EMEM, "out of memory for %zu particles in cells", all_points(g));
    return SL_OK;
}

int sl_sphere_grid_make(const struct sl_shares *s, const struct sl_sphere_rule *rule,
                        struct sl_sphere_grid *out)
{
    *out = (struct sl_sphere_grid){.s = s, .rule = *rule};
    double reach = rule->reach / rule->halo->side[2] * SL_POINT_BOX + 2;
    SL_TRY(sl_fringe_make(s, reach, &out->fringe));
    int code = sl_agree(s->comm, allocate(out));
    if (code == SL_OK)
        sort_points(out);
    else
        sl_sphere_grid_release(out);
    return code;
}

void sl_sphere_grid_release(struct sl_sphere_grid *g)
{
    sl_fringe_release(&g->fringe);
    free(g->begin);
    free(g->point);
    memset(g, 0, sizeof *g);
}

/* ---- particles of a sphere ---- */

static int by_radius(const void *a, const void *b)
{
    const struct sl_sphere_item *p = a, *q = b;
    if (p->r2 != q->r2) return p->r2 < q->r2 ? -1 : 1;
    return (p->id > q->id) - (p->id < q->id);
}

/* Where a particle lies from a place, through the nearest walls. */
static void from_place(const double side[3], const uint32_t at[3], const struct sl_point *p,
                       double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = (int32_t)(p->x[d] - at[d]) * side[d] / SL_POINT_BOX;
}

static int add_cell(struct sl_sphere_looks *l, size_t cell, const uint32_t at[3], double radius)
{
    const struct sl_sphere_grid *g = l->grid;
    for (size_t i = g->begin[cell]; i < g->begin[cell + 1]; i++) {
        double x[3];
        from_place(g->rule.halo->side, at, g->point[i], x);
        double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        if (r2 > radius * radius) continue;
        if (l->n == l->room) {
            size_t room = 2 * l->room + 1024;
            struct sl_sphere_item *more = realloc(l->item, room * sizeof *more);
            SL_CHECK(more, SL_EMEM, "out of memory for %zu particles of a halo", room);
            l->item = more;
            l->room = room;
        }
        l->item[l->n++] = (struct sl_sphere_item){r2, g->point[i]->id, g->point[i]};
    }
    return SL_OK;
}

/* Cells along an axis that a sphere reaches: *n from *first on, around the box.
 */
static void cells_along(const struct sl_sphere_grid *g, int axis, uint32_t at, double radius,
                        long *first, long *n)
{
    double middle = at / SL_POINT_BOX * g->cells,
           half = radius / g->rule.halo->side[axis] * g->cells;
    *first = (long)floor(middle - half);
    *n = (long)floor(middle + half) - *first + 1;
    if (*n > g->cells) *n = g->cells;
}

/* All particles within a radius of a place, by their distance. */
static int look(struct sl_sphere_looks *l, const uint32_t at[3], double radius)
{
    long first[3], n[3], cells = l->grid->cells;
    l->n = 0;
    for (int d = 0; d < 3; d++)
        cells_along(l->grid, d, at[d], radius, &first[d], &n[d]);
    for (long z = first[2]; z < first[2] + n[2]; z++)
        for (long y = first[1]; y < first[1] + n[1]; y++)
            for (long x = first[0]; x < first[0] + n[0]; x++) {
                long cz = (z + cells) % cells, cy = (y + cells) % cells, cx = (x + cells) % cells;
                SL_TRY(add_cell(l, (size_t)((cz * cells + cy) * cells + cx), at, radius));
            }
    qsort(l->item, l->n, sizeof *l->item, by_radius);
    return SL_OK;
}

/* ---- what they tell ---- */

/* Particles within the radius of the i-th, half of its own mass among them. */
static double within(size_t i)
{
    return (double)i + 0.5;
}

static double contrast_at(const struct sl_sphere_looks *l, size_t i)
{
    double r2 = l->item[i].r2, volume = 4 * acos(-1) / 3 * r2 * sqrt(r2);
    return volume > 0 ? within(i) / volume / l->grid->rule.density : INFINITY;
}

/* Radius and mass where the mean density first falls below a contrast; *closed: it does, or no
 * place is so dense. */
static void cross(const struct sl_sphere_looks *l, double contrast, double *radius, double *mass,
                  bool *closed)
{
    size_t i = 0;
    *radius = *mass = 0;
    *closed = false;
    while (i < l->n && contrast_at(l, i) < contrast)
        i++;
    bool dense = i < l->n;
    while (i < l->n && contrast_at(l, i) >= contrast)
        i++;
    *closed = dense == (i < l->n);
    if (!dense || i == l->n || i == 0) return;
    double lo = log(contrast_at(l, i - 1)), hi = log(contrast_at(l, i));
    double from = log(l->item[i - 1].r2) / 2, to = log(l->item[i].r2) / 2;
    double share = isfinite(from) && isfinite(lo) ? (lo - log(contrast)) / (lo - hi) : 1;
    *radius = share < 1 ? exp(from + share * (to - from)) : exp(to);
    *mass = contrast * l->grid->rule.density * 4 * acos(-1) / 3 * pow(*radius, 3);
}

static void set_speed(const struct sl_sphere_looks *l, struct sl_halo *h)
{
    double square = 0, most = h->radius[SL_OVERDENSITY_200c], mass = h->mass[SL_OVERDENSITY_200c];
    for (size_t i = SPEED_LEAST - 1; i < l->n && l->item[i].r2 <= most * most; i++)
        square = fmax(square, within(i) / sqrt(l->item[i].r2));
    h->speed = sqrt(l->grid->rule.halo->gravity * square);
    h->concentration = mass >= CONCENTRATION_LEAST ? sl_nfw_concentration(square * most / mass) : 0;
}

static void mean_velocity(const struct sl_sphere_looks *l, size_t n, double v[3])
{
    for (int d = 0; d < 3; d++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += l->item[i].p->v[d];
        v[d] = sum / (double)n;
    }
}

static void set_spin(const struct sl_sphere_looks *l, const uint32_t at[3], struct sl_halo *h)
{
    double most = h->radius[SL_OVERDENSITY_vir], mass = h->mass[SL_OVERDENSITY_vir];
    double v[3], turn[3] = {0};
    size_t n = 0;
    h->spin = 0;
    while (n < l->n && l->item[n].r2 <= most * most)
        n++;
    if (n == 0 || !(l->grid->rule.halo->gravity > 0)) return;
    mean_velocity(l, n, v);
    for (size_t i = 0; i < n; i++) {
        double x[3], u[3];
        from_place(l->grid->rule.halo->side, at, l->item[i].p, x);
        for (int d = 0; d < 3; d++)
            u[d] = l->item[i].p->v[d] - v[d];
        for (int d = 0; d < 3; d++)
            turn[d] += x[(d + 1) % 3] * u[(d + 2) % 3] - x[(d + 2) % 3] * u[(d + 1) % 3];
    }
    double all = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]) / (double)n;
    h->spin = all / (most * sqrt(2 * l->grid->rule.halo->gravity * mass / most));
}

int sl_sphere_measure(struct sl_sphere_looks *l, double first, struct sl_halo *h, bool *closed)
{
    const struct sl_halo_rule *rule = l->grid->rule.halo;
    uint32_t at[3];
    for (int d = 0; d < 3; d++)
        at[d] = sl_point_place(h->centre[d] / rule->side[d]);
    *closed = false;
    for (double r = first; !*closed; r *= 1.5) {
        r = fmin(r, l->grid->rule.reach);
        SL_TRY(look(l, at, r));
        *closed = true;
        for (int k = 0; k < SL_OVERDENSITIES; k++) {
            bool one;
            cross(l, rule->contrast[k], &h->radius[k], &h->mass[k], &one);
            *closed &= one;
        }
        if (r >= l->grid->rule.reach) break;
    }
    set_speed(l, h);
    set_spin(l, at, h);
    return SL_OK;
}

void sl_sphere_count(const struct sl_sphere_looks *l, const struct sl_halo *h,
                     int64_t shell[SL_HALO_STACKS][SL_HALO_SHELLS])
{
    int stack = sl_halo_stack(h), k = 0;
    double most = h->radius[SL_OVERDENSITY_200c];
    for (size_t i = 0; stack >= 0 && i < l->n; i++) {
        double r = sqrt(l->item[i].r2) / most;
        while (k < SL_HALO_SHELLS && r > sl_halo_shell(k))
            k++;
        if (k == SL_HALO_SHELLS) return;
        if (r > SL_HALO_INNER) shell[stack][k]++;
    }
}
