/* clump_tables.c - see clump_tables.h. */
#include "core/clump/clump_tables.h"

#include <math.h>
#include <string.h>

#include "core/clump/clumps.h"
#include "core/clump/tree.h"
#include "core/config/config.h"
#include "core/lists/boundary_list.h"
#include "core/measure/mass_table.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

struct context {
    const struct sl_config *cfg;
    const struct sl_fields *f;
    struct sl_tables *tables;
    struct sl_measured *out;
    double mean, total; /* density; mass of the box */
    struct sl_region_gas gas;
};

/* ---- what a region holds ---- */

enum { REGION_COLUMNS = 10 };

static void region_columns(struct sl_table *t, int first)
{
    static const char *const name[REGION_COLUMNS][2] = {{"mass", "code mass"},
                                                        {"volume", "code volume"},
                                                        {"peak", "code density"},
                                                        {"x", "code length"},
                                                        {"y", "code length"},
                                                        {"z", "code length"},
                                                        {"velocity_x", "code velocity"},
                                                        {"velocity_y", "code velocity"},
                                                        {"velocity_z", "code velocity"},
                                                        {"dispersion", "code velocity"}};
    for (int i = 0; i < REGION_COLUMNS; i++)
        sl_table_column(t, first + i, name[i][0], name[i][1]);
}

static void region_fill(const struct sl_region *k, double *to)
{
    const double row[REGION_COLUMNS] = {
        k->mass,      k->volume,      k->peak,        k->centre[0],   k->centre[1],
        k->centre[2], k->velocity[0], k->velocity[1], k->velocity[2], k->dispersion};
    memcpy(to, row, sizeof row);
}

/* ---- mass functions ---- */

enum { MASS_BINS = 32 };
#define MASS_FIRST (-8.0)
#define MASS_WIDTH 0.25

/* Numbers of things over log10 of their share of the mass; columns after the first: those in a bin,
 * those of this bin and above. */
static int masses_table(const struct context *c, const char *kind, const char *what,
                        const char *about, struct sl_table **t)
{
    SL_TRY(sl_fields_table(c->f, c->tables, kind, MASS_BINS, 3, t, about));
    sl_table_column(*t, 0, "log_share", "log10 of the mass of the box");
    sl_table_column(*t, 1, what, "1");
    sl_table_column(*t, 2, "above", "1");
    for (int r = 0; r < MASS_BINS; r++)
        *sl_table_at(*t, r, 0) = MASS_FIRST + (r + 0.5) * MASS_WIDTH;
    return SL_OK;
}

static void count_mass(const struct context *c, const struct sl_region *region, struct sl_table *t)
{
    double at = floor((log10(region->mass / c->total) - MASS_FIRST) / MASS_WIDTH);
    int last = (int)fmin(fmax(at, 0), MASS_BINS - 1);
    *sl_table_at(t, last, 1) += 1;
    for (int r = 0; r <= last; r++)
        *sl_table_at(t, r, 2) += 1;
}

/* ---- clumps ---- */

static int clumps_table(const struct context *c, const struct sl_clumps *list)
{
    struct sl_table *t;
    SL_TRY(sl_fields_table(c->f, c->tables, "clumps", list->n, 1 + REGION_COLUMNS, &t,
                           "connected cells above statistics.clumps times the mean density, by "
                           "falling mass; positions from the lower corner of the box"));
    sl_table_column(t, 0, "clump", "1");
    region_columns(t, 1);
    for (int r = 0; r < list->n; r++) {
        *sl_table_at(t, r, 0) = r + 1;
        region_fill(&list->clump[r], sl_table_at(t, r, 1));
    }
    sl_table_note(t, "threshold", c->cfg->statistics_clumps);
    return SL_OK;
}

static int clump_masses(const struct context *c, const struct sl_clumps *list)
{
    struct sl_table *t;
    SL_TRY(
        masses_table(c, "clump_masses", "clumps",
                     "clumps over the logarithm of their fraction of the mass of the box (middle "
                     "of bins of 0.25): those in the bin, those of this bin and above",
                     &t));
    c->out->clumps = list->n;
    c->out->clump_mass_share = 0;
    for (int i = 0; i < list->n; i++) {
        count_mass(c, &list->clump[i], t);
        c->out->clump_mass_share += list->clump[i].mass / c->total;
    }
    if (!c->f->linear) return SL_OK;
    double count[MASS_BINS];
    for (int r = 0; r < MASS_BINS; r++)
        count[r] = *sl_table_at(t, r, 1);
    const struct sl_mass_counts masses = {MASS_BINS, MASS_FIRST, MASS_WIDTH, count};
    return sl_mass_table(c->f, &masses, c->tables);
}

static int clumps(const struct context *c)
{
    struct sl_clumps list;
    SL_TRY(sl_clumps_find(&c->gas, c->cfg->statistics_clumps * c->mean,
                          (int)c->cfg->statistics_clump_cells, &list));
    int code = clumps_table(c, &list);
    if (code == SL_OK) code = clump_masses(c, &list);
    sl_clumps_release(&list);
    return sl_agree(c->f->slab->comm, code);
}

/* ---- the tree ---- */

enum { NODE, PARENT, CHILDREN, DEPTH, BASE, TOP, PLACE, NODE_COLUMNS };

static int tree_table(const struct context *c, const struct sl_tree *tree)
{
    static const char *const name[NODE_COLUMNS] = {"node", "parent", "children", "depth",
                                                   "base", "top",    "place"};
    struct sl_table *t;
    SL_TRY(sl_fields_table(
        c->f, c->tables, "tree", tree->n, NODE_COLUMNS + REGION_COLUMNS, &t,
        "regions above statistics.tree times the mean density that merge as a threshold falls, "
        "each "
        "with all that lies within it: parents before their children, by falling mass; base: "
        "density where it joins others, or the floor; top: where its children join, of a leaf its "
        "peak; place: along a line on which the tree has no crossings"));
    for (int i = 0; i < NODE_COLUMNS; i++)
        sl_table_column(t, i, name[i], i == BASE || i == TOP ? "code density" : "1");
    region_columns(t, NODE_COLUMNS);
    for (int r = 0; r < tree->n; r++) {
        const struct sl_tree_node *k = &tree->node[r];
        const double row[NODE_COLUMNS] = {r + 1,         k->range.parent + 1, k->children, k->depth,
                                          k->range.base, k->range.top,        k->place};
        memcpy(sl_table_at(t, r, 0), row, sizeof row);
        region_fill(&k->region, sl_table_at(t, r, NODE_COLUMNS));
    }
    sl_table_note(t, "floor", c->cfg->statistics_tree);
    sl_table_note(t, "delta", c->cfg->statistics_tree_delta);
    sl_table_note(t, "leaves", tree->leaves);
    return SL_OK;
}

static int tree_masses(const struct context *c, const struct sl_tree *tree)
{
    struct sl_table *t;
    SL_TRY(
        masses_table(c, "tree_masses", "leaves",
                     "leaves of the tree over the logarithm of their fraction of the mass of the "
                     "box (middle of bins of 0.25): those in the bin, those of this bin and "
                     "above",
                     &t));
    c->out->leaves = tree->leaves;
    c->out->leaf_mass_share = 0;
    for (int i = 0; i < tree->n; i++) {
        if (tree->node[i].children > 0) continue;
        count_mass(c, &tree->node[i].region, t);
        c->out->leaf_mass_share += tree->node[i].region.mass / c->total;
    }
    return SL_OK;
}

static int tree(const struct context *c)
{
    const struct sl_merge_rule rule = {c->cfg->statistics_tree * c->mean,
                                       c->cfg->statistics_tree_delta * c->mean,
                                       (int)c->cfg->statistics_clump_cells};
    struct sl_tree list;
    SL_TRY(sl_tree_make(&c->gas, &rule, &list));
    int code = tree_table(c, &list);
    if (code == SL_OK) code = tree_masses(c, &list);
    sl_tree_release(&list);
    return sl_agree(c->f->slab->comm, code);
}

int sl_clump_tables(const struct sl_config *cfg, const struct sl_fields *f, double mean,
                    struct sl_tables *tables, struct sl_measured *out)
{
    const struct sl_slab *s = f->slab;
    struct context c = {cfg, f, tables, out, mean, mean, {.slab = s, .rho = f->rho}};
    for (int d = 0; d < 3; d++) {
        c.gas.v[d] = f->v[d];
        c.gas.periodic[d] = d < s->dim && cfg->mesh_boundary[2 * d] == SL_BOUNDARY_periodic;
        c.total *= s->length[d];
    }
    if (cfg->statistics_clumps > 0) SL_TRY(clumps(&c));
    return cfg->statistics_tree > 0 ? tree(&c) : SL_OK;
}
