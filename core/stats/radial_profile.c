/* radial_profile.c - see radial_profile.h. One function value_<name> per row of SL_PROFILE_LIST. */
#include "core/stats/radial_profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/config/config.h"
#include "core/lists/mhd_list.h"
#include "core/state/problem.h"
#include "core/stats/center.h"
#include "core/stats/leaf_cells.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

/* ---- quantities ------------------------------------------------------------------------------ */

/* Gas of a cell, and the direction away from the centre. */
struct gas {
    double rho, v[3], p, b[3], scalar, away[3], gamma, phi;
};

static double size_of(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static double value_density(const struct gas *g)
{
    return g->rho;
}

static double value_pressure(const struct gas *g)
{
    return g->p;
}

static double value_temperature(const struct gas *g)
{
    return g->p / g->rho;
}

static double value_entropy(const struct gas *g)
{
    return g->p / pow(g->rho, g->gamma);
}

static double value_speed(const struct gas *g)
{
    return size_of(g->v);
}

static double value_radial_velocity(const struct gas *g)
{
    return g->v[0] * g->away[0] + g->v[1] * g->away[1] + g->v[2] * g->away[2];
}

static double value_magnetic(const struct gas *g)
{
    return size_of(g->b);
}

static double value_scalar(const struct gas *g)
{
    return g->scalar;
}

static double value_potential(const struct gas *g)
{
    return g->phi;
}

enum weight { volume, mass, WEIGHTS };

static const struct quantity {
    const char *name, *unit;
    enum weight by;
    double (*value)(const struct gas *g);
} quantities[] = {
#define ROW(name, unit, by, about) {#name, unit, by, value_##name},
    SL_PROFILE_LIST(ROW)
#undef ROW
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/* ---- shells ---------------------------------------------------------------------------------- */

/* Sums of a shell: cells, volume and mass, the same of the exact solution, and for each quantity
 * the sums of weight x, weight x^2, and of the exact one weight x. */
enum { CELLS, WEIGHT, EXACT = WEIGHT + WEIGHTS, SUM = EXACT + WEIGHTS, EACH = 3 };
enum { PARTS = 32, FIELDS = 10 }; /* most parts of a cell along an axis; fields of a snapshot */

struct profile {
    const struct sl_config *cfg;
    const struct sl_snapshot_info *info;
    double center[3];
    int per, first,
        shells;   /* per factor of 10; the upper edge of shell i is 10^((first + i) / per) */
    double width; /* of a shell over its radius */
    int nasked, asked[QUANTITIES], columns;
    int pressure, field, scalar, potential; /* places among the fields; -1: not read */
    const struct sl_problem *exact;
    void *data;
    double time;
    double *sums; /* [piece][shell][columns] */
};

/* Corners of the box that are farthest from any place in it: half as far where it is periodic. */
static double farthest(const struct sl_snapshot_info *info)
{
    double sum = 0;
    for (int d = 0; d < info->dim; d++) {
        double side = info->hi[d] - info->lo[d];
        sum += pow(info->periodic[d] ? side / 2 : side, 2);
    }
    return sqrt(sum);
}

/* Side of the smallest cell that the run may have. */
static double finest(const struct sl_config *cfg, const struct sl_snapshot_info *info)
{
    double least = HUGE_VAL;
    for (int d = 0; d < info->dim; d++)
        least = fmin(least, (info->hi[d] - info->lo[d]) / (double)info->cells[d]);
    return ldexp(least, -(int)cfg->mesh_levels);
}

static void set_shells(struct profile *p)
{
    const double rounding = 1e-9;
    p->per = (int)p->cfg->statistics_profile_bins;
    p->first = (int)ceil(log10(finest(p->cfg, p->info)) * p->per - rounding);
    p->shells = (int)ceil(log10(farthest(p->info)) * p->per - rounding) - p->first + 1;
    p->width = pow(10, 1.0 / p->per) - 1;
}

static double edge(const struct profile *p, double i)
{
    return pow(10, (p->first + i) / p->per);
}

/* The shell of a radius, -1 beyond the last. */
static int shell_at(const struct profile *p, double r)
{
    double at = r > 0 ? ceil(log10(r) * p->per - p->first) : 0;
    return at < 0 ? 0 : at < p->shells ? (int)at : -1;
}

/* From the centre to x; its length. */
static double offset(const struct profile *p, const double x[3], double off[3])
{
    for (int d = 0; d < 3; d++) {
        off[d] = d < p->info->dim ? x[d] - p->center[d] : 0;
        if (d < p->info->dim && p->info->periodic[d])
            off[d] = remainder(off[d], p->info->hi[d] - p->info->lo[d]);
    }
    return size_of(off);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* A cell: where it lies, and what each weight and each quantity adds to a shell that has all of
 * it. */
struct cell {
    double x[3], lo[3], hi[3], off[3], r;
    double add[SUM + EACH * QUANTITIES];
};

static void place_cell(const struct profile *p, const struct sl_leaf_cells *leaf, size_t i,
                       struct cell *c)
{
    for (int d = 0; d < 3; d++) {
        size_t n = (size_t)leaf->n[d];
        c->lo[d] = leaf->lo[d] + (double)(i % n) * leaf->dx[d];
        c->hi[d] = c->lo[d] + leaf->dx[d];
        c->x[d] = d < leaf->dim ? c->lo[d] + 0.5 * leaf->dx[d] : 0;
        i /= n;
    }
    c->r = offset(p, c->x, c->off);
}

static struct gas gas_of(const struct profile *p, const struct cell *c)
{
    struct gas g = {.gamma = p->info->gamma};
    for (int d = 0; d < 3; d++)
        g.away[d] = c->r > 0 ? c->off[d] / c->r : 0;
    return g;
}

static struct gas held(const struct profile *p, const struct sl_leaf_cells *leaf, size_t i,
                       const struct cell *c)
{
    size_t n = sl_leaf_count(leaf);
    struct gas g = gas_of(p, c);
    g.rho = leaf->value[i];
    for (size_t d = 0; d < 3; d++) {
        g.v[d] = leaf->value[(1 + d) * n + i];
        if (p->field > 0) g.b[d] = leaf->value[((size_t)p->field + d) * n + i];
    }
    if (p->pressure > 0) g.p = leaf->value[(size_t)p->pressure * n + i];
    if (p->potential > 0) g.phi = leaf->value[(size_t)p->potential * n + i];
    if (p->scalar > 0) g.scalar = leaf->value[(size_t)p->scalar * n + i];
    return g;
}

static struct gas exact(const struct profile *p, const struct cell *c)
{
    double prim[SL_PRIM_MAX] = {0};
    struct gas g = gas_of(p, c);
    p->exact->state(p->data, c->lo, c->hi, p->time, prim);
    g.rho = prim[0];
    for (int d = 0; d < 3; d++) {
        g.v[d] = prim[1 + d];
        g.b[d] = prim[SL_PRIM_B + d];
    }
    g.p = prim[4];
    g.scalar = prim[SL_PRIM_SCALAR];
    g.phi = NAN; /* solutions tell nothing of it */
    return g;
}

static void fill_cell(const struct profile *p, const struct sl_leaf_cells *leaf, size_t i,
                      struct cell *c)
{
    struct gas g = held(p, leaf, i, c), e = {.rho = 0};
    if (p->exact) e = exact(p, c);
    const double weight[WEIGHTS] = {leaf->volume, leaf->volume * g.rho},
                 weight_exact[WEIGHTS] = {leaf->volume, leaf->volume * e.rho};
    c->add[CELLS] = 1;
    for (int w = 0; w < WEIGHTS; w++) {
        c->add[WEIGHT + w] = weight[w];
        c->add[EXACT + w] = weight_exact[w];
    }
    for (int q = 0; q < p->nasked; q++) {
        const struct quantity *of = &quantities[p->asked[q]];
        double x = of->value(&g), *add = &c->add[SUM + EACH * q];
        add[0] = weight[of->by] * x;
        add[1] = weight[of->by] * x * x;
        add[2] = p->exact ? weight_exact[of->by] * of->value(&e) : 0;
    }
}

static void add_share(const struct profile *p, const struct cell *c, double r, double share,
                      double *sums)
{
    int shell = shell_at(p, r);
    if (shell < 0) return;
    double *sum = sums + (ptrdiff_t)shell * p->columns;
    for (int i = 0; i < p->columns; i++)
        sum[i] += share * c->add[i];
}

/* Parts of the cell along an axis: two at least for each width of a shell at its nearest place. */
static int parts_of(const struct profile *p, const struct sl_leaf_cells *leaf, double r)
{
    double side = 0, half = 0;
    for (int d = 0; d < leaf->dim; d++) {
        side = fmax(side, leaf->dx[d]);
        half += 0.25 * leaf->dx[d] * leaf->dx[d];
    }
    double nearest = fmax(r - sqrt(half), edge(p, 0)), wanted = 2 * side / (nearest * p->width);
    return wanted <= 1 ? 1 : wanted < PARTS ? (int)ceil(wanted) : PARTS;
}

static void add_parts(const struct profile *p, const struct cell *c, int dim, int n, double *sums)
{
    int count[3] = {n, dim > 1 ? n : 1, dim > 2 ? n : 1};
    double share = 1.0 / ((double)count[0] * count[1] * count[2]), x[3], off[3];
    for (int k = 0; k < count[2]; k++)
        for (int j = 0; j < count[1]; j++)
            for (int i = 0; i < count[0]; i++) {
                const int at[3] = {i, j, k};
                for (int d = 0; d < 3; d++)
                    x[d] = c->lo[d] + (at[d] + 0.5) / count[d] * (c->hi[d] - c->lo[d]);
                add_share(p, c, offset(p, x, off), share, sums);
            }
}

static int add_leaf(void *of, int piece, const struct sl_leaf_cells *leaf)
{
    struct profile *p = of;
    double *sums = p->sums + (ptrdiff_t)piece * p->shells * p->columns;
    for (size_t i = 0; i < sl_leaf_count(leaf); i++) {
        struct cell c;
        place_cell(p, leaf, i, &c);
        fill_cell(p, leaf, i, &c);
        int parts = parts_of(p, leaf, c.r);
        if (parts == 1)
            add_share(p, &c, c.r, 1, sums);
        else
            add_parts(p, &c, leaf->dim, parts, sums);
    }
    return SL_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void name_columns(const struct profile *p, struct sl_table *t)
{
    static const struct {
        const char *name, *unit;
    } first[] = {{"radius", "code length"},
                 {"cells", "1"},
                 {"volume", "code volume"},
                 {"mass", "code mass"},
                 {"mass_within", "code mass"}};
    int column = 0;
    for (; column < 5; column++)
        sl_table_column(t, column, first[column].name, first[column].unit);
    for (int q = 0; q < p->nasked; q++) {
        const struct quantity *of = &quantities[p->asked[q]];
        char name[SL_TABLE_NAME];
        sl_table_column(t, column++, of->name, of->unit);
        snprintf(name, sizeof name, "%s_deviation", of->name);
        sl_table_column(t, column++, name, of->unit);
        snprintf(name, sizeof name, "exact_%s", of->name);
        if (p->exact) sl_table_column(t, column++, name, of->unit);
    }
}

static void fill_row(const struct profile *p, const double *sum, int shell, double within,
                     double *row)
{
    row[0] = edge(p, shell - 0.5);
    row[1] = sum[CELLS];
    row[2] = sum[WEIGHT + volume];
    row[3] = sum[WEIGHT + mass];
    row[4] = within;
    int column = 5;
    for (int q = 0; q < p->nasked; q++) {
        int by = quantities[p->asked[q]].by;
        const double *s = sum + SUM + EACH * q;
        double mean = s[0] / sum[WEIGHT + by];
        row[column++] = mean;
        row[column++] = sqrt(fmax(0, s[1] / sum[WEIGHT + by] - mean * mean));
        if (sum[CELLS] == 0) row[column - 1] = row[column - 2] = NAN;
        if (p->exact) row[column++] = sum[CELLS] > 0 ? s[2] / sum[EXACT + by] : NAN;
    }
}

static int make_table(const struct profile *p, const struct sl_fields *like, const double *sums,
                      struct sl_tables *tables)
{
    static const char *const about[] = {"the densest point", "the centre of mass", "output.center"};
    struct sl_table *t;
    char text[400];
    double within = 0;
    snprintf(text, sizeof text,
             "means in shells about %s over the cells of all leaves: density, pressure, magnetic "
             "field and potential by volume, velocities, temperature, entropy and scalar by mass; "
             "deviation: rms "
             "within the shell%s; radius: the middle of a shell in the logarithm",
             about[p->cfg->statistics_profile_center],
             p->exact ? "; exact: the exact solution over the same cells" : "");
    SL_TRY(sl_fields_table(like, tables, "profile", p->shells, 5 + (p->exact ? 3 : 2) * p->nasked,
                           &t, text));
    name_columns(p, t);
    for (int d = 0; d < p->info->dim; d++) {
        const char key[] = {'c', 'e', 'n', 't', 'e', 'r', '_', (char)('x' + d), '\0'};
        sl_table_note(t, key, p->center[d]);
    }
    for (int i = 0; i < p->shells; i++) {
        within += sums[(ptrdiff_t)i * p->columns + WEIGHT + mass];
        fill_row(p, sums + (ptrdiff_t)i * p->columns, i, within, sl_table_at(t, i, 0));
    }
    return SL_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* What is asked for, and the fields that it needs; their number. */
static int choose(struct profile *p, const char *field[FIELDS])
{
    static const char *const always[] = {"dens", "velx", "vely", "velz"};
    static const char *const magnetic[] = {"magx", "magy", "magz"};
    unsigned bits = p->cfg->statistics_profiles;
    int n = 0;
    for (int q = 0; q < QUANTITIES; q++)
        if (bits >> q & 1) p->asked[p->nasked++] = q;
    for (; n < 4; n++)
        field[n] = always[n];
    if (bits >> SL_PROFILE_magnetic & 1) {
        p->field = n;
        for (int d = 0; d < 3; d++)
            field[n++] = magnetic[d];
    }
    if (bits &
        (1u << SL_PROFILE_pressure | 1u << SL_PROFILE_temperature | 1u << SL_PROFILE_entropy))
        field[p->pressure = n++] = "pres";
    if (bits >> SL_PROFILE_scalar & 1) field[p->scalar = n++] = "sc01";
    if (bits >> SL_PROFILE_potential & 1) field[p->potential = n++] = "gpot";
    p->columns = SUM + EACH * p->nasked;
    return n;
}

static int measure(MPI_Comm comm, struct profile *p, const struct sl_snapshot *snapshot,
                   const struct sl_fields *like, struct sl_tables *tables)
{
    const char *field[FIELDS];
    struct sl_leaf_reader r = {.snapshot = snapshot, .nfield = choose(p, field), .field = field};
    MPI_Comm_rank(comm, &r.rank);
    MPI_Comm_size(comm, &r.size);
    int pieces = sl_leaf_pieces(&r), values = p->shells * p->columns;
    p->sums = calloc(((size_t)pieces + 1) * (size_t)values, sizeof *p->sums);
    int code = p->sums ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for profiles");
    if (code == SL_OK) code = sl_leaf_each(&r, p, add_leaf);
    code = sl_agree(comm, code);
    double *all = p->sums ? p->sums + (size_t)pieces * (size_t)values : NULL;
    if (code == SL_OK) code = sl_sum_columns(comm, pieces, values, p->sums, all);
    if (code == SL_OK) code = sl_agree(comm, make_table(p, like, all, tables));
    free(p->sums);
    return code;
}

int sl_radial_profile_measure(MPI_Comm comm, const struct sl_config *cfg,
                              const struct sl_snapshot *snapshot, const struct sl_fields *like,
                              struct sl_tables *tables)
{
    struct profile p = {
        .cfg = cfg, .info = sl_snapshot_about(snapshot), .time = like->time, .field = -1};
    p.pressure = p.scalar = p.potential = -1;
    if (!cfg->statistics_profiles) return SL_OK;
    const struct sl_problem *problem = sl_problem_find(sl_choice_name("problem", cfg->problem));
    if (cfg->verify && problem && problem->exact) p.exact = problem;
    set_shells(&p);
    SL_TRY(sl_center_find(comm, cfg, snapshot, p.center));
    int code = SL_OK;
    if (p.exact && p.exact->open) code = p.exact->open(cfg, &p.data);
    SL_TRY(sl_agree(comm, code));
    code = measure(comm, &p, snapshot, like, tables);
    if (p.exact && p.exact->close) p.exact->close(p.data);
    return code;
}
