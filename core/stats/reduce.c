/* reduce.c - see reduce.h. */
#include "core/stats/reduce.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/hdf.h"
#include "core/stats/decay.h"
#include "core/stats/ensemble.h"
#include "core/stats/series.h"
#include "core/stats/table.h"
#include "core/sys/config.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

struct line {
    const struct sl_quantity *quantity;
    struct sl_spread spread;
    int members;
};

/* One group: its members and what came out. */
struct group {
    const struct sl_members *members;
    int *member; /* owned; indices into members */
    int n;
    uint64_t seed;              /* of the bootstrap */
    struct sl_summary *summary; /* owned, [n] */
    struct line *line;          /* owned, [nline]: quantities of the ensemble */
    int nline;
    struct sl_tables tables;
    struct sl_summary jackknife;
    char out[SL_PATH_MAX]; /* directory to write */
};

static void group_release(struct group *g)
{
    free(g->member);
    free(g->summary);
    free(g->line);
    sl_tables_release(&g->tables);
}

static int member_file(const struct group *g, int i, const char *file, char *path)
{
    char stats[SL_PATH_MAX];
    SL_TRY(sl_path_join(stats, g->members->path[g->member[i]], "stats"));
    return sl_path_join(path, stats, file);
}

static uint32_t name_hash(const char *text)
{
    uint32_t hash = 0x811c9dc5u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x01000193u; /* FNV-1a */
    return hash;
}

/* ---- curves ---- */

/* The same table of all members of a group, brought to common rows. */
struct stack {
    int n, nrow, ncol;
    struct sl_table *table; /* owned, [n] */
    double *value;          /* owned, [n][nrow][ncol] */
};

static void stack_release(struct stack *s)
{
    for (int i = 0; i < s->n; i++)
        sl_table_release(&s->table[i]);
    free(s->table);
    free(s->value);
}

static double *stack_at(const struct stack *s, int member, int row, int col)
{
    return &s->value[((size_t)member * (size_t)s->nrow + (size_t)row) * (size_t)s->ncol +
                     (size_t)col];
}

/* Values of a table at x, between its rows. */
static void interpolate(const struct sl_table *t, double x, double *out)
{
    int r = 1;
    while (r < t->nrow - 1 && *sl_table_at(t, r, 0) < x)
        r++;
    double x0 = *sl_table_at(t, r - 1, 0), x1 = *sl_table_at(t, r, 0);
    double part = x1 > x0 ? (x - x0) / (x1 - x0) : 1;
    for (int c = 0; c < t->ncol; c++)
        out[c] = (1 - part) * *sl_table_at(t, r - 1, c) + part * *sl_table_at(t, r, c);
    out[0] = x;
}

static int same_columns(const struct stack *s, const char *name)
{
    for (int i = 1; i < s->n; i++) {
        SL_CHECK(s->table[i].ncol == s->ncol, SL_EINPUT,
                 "%s has %d columns in one member and %d in another", name, s->ncol,
                 s->table[i].ncol);
        for (int c = 0; c < s->ncol; c++)
            SL_CHECK(strcmp(s->table[i].column[c].name, s->table[0].column[c].name) == 0, SL_EINPUT,
                     "%s has column %s in one member and %s in another", name,
                     s->table[0].column[c].name, s->table[i].column[c].name);
    }
    return SL_OK;
}

/* Rows of the first member, as far as all members reach when between rows is allowed. */
static int common_rows(struct stack *s, const char *name, bool between)
{
    s->nrow = s->table[0].nrow;
    for (int i = 1; i < s->n; i++) {
        const struct sl_table *t = &s->table[i];
        SL_CHECK(t->nrow > 1 || !between, SL_EINPUT, "%s has %d rows", name, t->nrow);
        SL_CHECK(between || t->nrow == s->nrow, SL_EINPUT,
                 "%s has %d rows in one member and %d in another", name, s->nrow, t->nrow);
        if (!between) continue;
        double end = *sl_table_at(t, t->nrow - 1, 0);
        while (s->nrow > 1 && *sl_table_at(&s->table[0], s->nrow - 1, 0) > end * (1 + 1e-9))
            s->nrow--;
    }
    return SL_OK;
}

static int fill_stack(struct stack *s, const char *name, bool between)
{
    for (int i = 0; i < s->n; i++)
        for (int r = 0; r < s->nrow; r++) {
            const struct sl_table *t = &s->table[i];
            double x = *sl_table_at(&s->table[0], r, 0), *out = stack_at(s, i, r, 0);
            double own = r < t->nrow ? *sl_table_at(t, r, 0) : INFINITY;
            bool same = fabs(own - x) <= 1e-9 * fabs(x) + 1e-300;
            SL_CHECK(same || between, SL_EINPUT,
                     "row %d of %s is at %g in one member, at %g in another", r + 1, name, x, own);
            if (same)
                memcpy(out, sl_table_at(t, r, 0), (size_t)s->ncol * sizeof *out);
            else
                interpolate(t, x, out);
        }
    return SL_OK;
}

static int stack_read(const struct group *g, const char *file, struct stack *s)
{
    char path[SL_PATH_MAX];
    bool between = strcmp(file, "decay.csv") == 0;
    s->table = calloc((size_t)g->n, sizeof *s->table);
    SL_CHECK(s->table, SL_EMEM, "out of memory");
    for (int i = 0; i < g->n; i++) {
        SL_TRY(member_file(g, i, file, path));
        SL_TRY(sl_table_read_csv(path, &s->table[i]));
        s->n = i + 1;
    }
    s->ncol = s->table[0].ncol;
    SL_TRY(same_columns(s, file));
    SL_TRY(common_rows(s, file, between));
    s->value = malloc(((size_t)s->n * (size_t)s->nrow * (size_t)s->ncol + 1) * sizeof *s->value);
    SL_CHECK(s->value, SL_EMEM, "out of memory");
    return fill_stack(s, file, between);
}

static void mean_and_error(const struct stack *s, int row, int col, double *mean, double *error)
{
    double sum = 0, square = 0;
    for (int i = 0; i < s->n; i++)
        sum += *stack_at(s, i, row, col);
    *mean = sum / s->n;
    for (int i = 0; i < s->n; i++)
        square += pow(*stack_at(s, i, row, col) - *mean, 2);
    *error = sqrt(square / (s->n - 1) / s->n);
}

static int mean_table(struct group *g, const struct stack *s)
{
    const struct sl_table *like = &s->table[0];
    struct sl_table *t;
    SL_TRY(sl_tables_add(&g->tables, like->name, s->nrow, 2 * s->ncol - 1, &t,
                         "mean over %d members and its standard error of: %.400s", s->n,
                         like->about));
    sl_table_column(t, 0, like->column[0].name, like->column[0].unit);
    for (int c = 1; c < s->ncol; c++) {
        char name[SL_TABLE_NAME];
        snprintf(name, sizeof name, "%.50s_mean", like->column[c].name);
        sl_table_column(t, 2 * c - 1, name, like->column[c].unit);
        snprintf(name, sizeof name, "%.50s_error", like->column[c].name);
        sl_table_column(t, 2 * c, name, like->column[c].unit);
    }
    for (int r = 0; r < s->nrow; r++) {
        *sl_table_at(t, r, 0) = *stack_at(s, 0, r, 0);
        for (int c = 1; c < s->ncol; c++)
            mean_and_error(s, r, c, sl_table_at(t, r, 2 * c - 1), sl_table_at(t, r, 2 * c));
    }
    sl_table_note(t, "members", s->n);
    return SL_OK;
}

/* Covariance of the column `total` between the rows of a spectrum. */
static int covariance_table(struct group *g, const struct stack *s)
{
    char name[SL_TABLE_NAME];
    int column = sl_table_find(&s->table[0], "total"), p = s->nrow;
    struct sl_table *t;
    if (column < 0) return SL_OK;
    double hartlap = sl_ensemble_hartlap(s->n, p);
    snprintf(name, sizeof name, "covariance_%s", s->table[0].name + strlen("spectrum_"));
    SL_TRY(sl_tables_add(&g->tables, name, p, p, &t,
                         "covariance, with 1 / (n - 1), of the shells k = 1 .. %d of %s; %s", p,
                         s->table[0].name,
                         hartlap > 0 ? "multiply its inverse by hartlap_factor"
                                     : "singular or nearly so (n <= p + 2): do not invert it"));
    t->matrix = true;
    snprintf(name, sizeof name, "(%.44s)^2", s->table[0].column[column].unit);
    sl_table_column(t, 0, "map", name);
    double *x = malloc((size_t)s->n * (size_t)p * sizeof *x);
    SL_CHECK(x, SL_EMEM, "out of memory");
    for (int i = 0; i < s->n; i++)
        for (int r = 0; r < p; r++)
            x[i * p + r] = *stack_at(s, i, r, column);
    sl_ensemble_covariance(s->n, p, x, t->value);
    free(x);
    sl_table_note(t, "members", s->n);
    sl_table_note(t, "hartlap_factor", hartlap);
    return SL_OK;
}

/* Exponent of the mean of all members but one (skip < 0: of all). */
static int mean_exponent(const struct stack *s, int column, int skip, double *work, double *out)
{
    double *t = work, *e = work + s->nrow, error;
    for (int r = 0; r < s->nrow; r++) {
        t[r] = *stack_at(s, 0, r, 0);
        e[r] = 0;
        for (int i = 0; i < s->n; i++)
            if (i != skip) e[r] += *stack_at(s, i, r, column);
    }
    return sl_decay_fit(s->nrow, t, e, SL_DECAY_FROM * t[s->nrow - 1], out, &error);
}

/* The exponent of the mean curve is not a mean over members: its error is a jackknife. */
static int jackknife_exponent(struct group *g, const struct stack *s)
{
    int column = sl_table_find(&s->table[0], "kinetic_energy_ratio");
    double all, sum = 0, square = 0, last = *stack_at(s, 0, s->nrow - 1, 0), used = 0;
    for (int r = 0; r < s->nrow && column >= 0; r++)
        used += *stack_at(s, 0, r, 0) >= SL_DECAY_FROM * last && *stack_at(s, 0, r, column) > 0;
    if (column < 0 || used < 3 || s->n < 3) return SL_OK;
    double *work = malloc((2 * (size_t)s->nrow + (size_t)s->n) * sizeof *work);
    SL_CHECK(work, SL_EMEM, "out of memory");
    double *without = work + 2 * s->nrow;
    int code = mean_exponent(s, column, -1, work, &all);
    for (int i = 0; i < s->n && code == SL_OK; i++) {
        code = mean_exponent(s, column, i, work, &without[i]);
        sum += without[i] / s->n;
    }
    for (int i = 0; i < s->n; i++)
        square += (without[i] - sum) * (without[i] - sum);
    if (code == SL_OK)
        sl_summary_add(&g->jackknife, "decay_exponent_of_mean", all,
                       sqrt(square * (s->n - 1) / s->n), "1");
    free(work);
    return code;
}

static int reduce_table(struct group *g, const char *file)
{
    struct stack s = {.n = 0};
    int code = stack_read(g, file, &s);
    if (code == SL_OK) code = mean_table(g, &s);
    if (code == SL_OK && strncmp(file, "spectrum_", 9) == 0) code = covariance_table(g, &s);
    if (code == SL_OK && strcmp(file, "decay.csv") == 0) code = jackknife_exponent(g, &s);
    stack_release(&s);
    return code;
}

/* ---- which tables there are ---- */

static int is_curve(const struct dirent *entry)
{
    static const char *const kind[] = {"spectrum_", "pdf_", "structure_", "decay.csv"};
    size_t n = strlen(entry->d_name);
    if (n < 5 || n >= SL_TABLE_NAME || strcmp(entry->d_name + n - 4, ".csv") != 0) return 0;
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++)
        if (strncmp(entry->d_name, kind[i], strlen(kind[i])) == 0) return 1;
    return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int reduce_tables(struct group *g)
{
    char dir[SL_PATH_MAX];
    struct dirent **entry = NULL;
    SL_TRY(sl_path_join(dir, g->members->path[g->member[0]], "stats"));
    int n = scandir(dir, &entry, is_curve, by_name), code = SL_OK;
    SL_CHECK(n >= 0, SL_EINPUT, "cannot read %s: %s", dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        if (code == SL_OK) code = reduce_table(g, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return code;
}

/* ---- quantities ---- */

static int read_summaries(struct group *g)
{
    char path[SL_PATH_MAX];
    g->summary = calloc((size_t)g->n, sizeof *g->summary);
    SL_CHECK(g->summary, SL_EMEM, "out of memory");
    for (int i = 0; i < g->n; i++) {
        SL_TRY(member_file(g, i, "summary.csv", path));
        SL_TRY(sl_summary_read_csv(path, &g->summary[i]));
    }
    return SL_OK;
}

/* Values of a quantity in the members that have it; x has room for all. */
static int collect(const struct group *g, const char *name, double *x)
{
    int n = 0;
    for (int i = 0; i < g->n; i++) {
        const struct sl_quantity *q = sl_summary_find(&g->summary[i], name);
        if (q && isfinite(q->value)) x[n++] = q->value;
    }
    return n;
}

/* One line per quantity of the first member that two members have at least. */
static int spreads(struct group *g)
{
    double *x = malloc((size_t)g->n * sizeof *x);
    g->line = calloc(SL_QUANTITIES, sizeof *g->line);
    int code = x && g->line ? SL_OK : SL_FAIL(SL_EMEM, "out of memory");
    for (int i = 0; code == SL_OK && i < g->summary[0].n; i++) {
        struct line *l = &g->line[g->nline];
        l->quantity = &g->summary[0].row[i];
        l->members = collect(g, l->quantity->name, x);
        if (l->members < 2) continue;
        code = sl_ensemble_spread(l->members, x, g->seed, name_hash(l->quantity->name), &l->spread);
        g->nline += code == SL_OK;
    }
    free(x);
    return code;
}

static void print_summary(const struct group *g, FILE *out)
{
    fprintf(out,
            "# mean over members, standard error, percentiles of the members, 95 %% bootstrap "
            "interval of the mean\n# bootstrap resamples: %d, seed: %llu\n"
            "quantity,mean,standard_error,median,p16,p84,bootstrap_lo,bootstrap_hi,members,unit\n",
            SL_BOOTSTRAP, (unsigned long long)g->seed);
    for (int i = 0; i < g->nline; i++) {
        const struct line *l = &g->line[i];
        const struct sl_spread *s = &l->spread;
        fprintf(out, "%s,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%d,%s\n", l->quantity->name,
                s->mean, s->error, s->median, s->p16, s->p84, s->bootstrap_lo, s->bootstrap_hi,
                l->members, l->quantity->unit);
    }
}

static void print_members(const struct group *g, FILE *out)
{
    fprintf(out, "# one line per member, one column per quantity\nmember");
    for (int q = 0; q < g->summary[0].n; q++)
        fprintf(out, ",%s", g->summary[0].row[q].name);
    fputc('\n', out);
    for (int i = 0; i < g->n; i++) {
        const char *path = g->members->path[g->member[i]], *slash = strrchr(path, '/');
        fputs(slash ? slash + 1 : path, out);
        for (int q = 0; q < g->summary[0].n; q++) {
            const struct sl_quantity *found =
                sl_summary_find(&g->summary[i], g->summary[0].row[q].name);
            fprintf(out, ",%.10g", found ? found->value : NAN);
        }
        fputc('\n', out);
    }
}

/* ---- files ---- */

static int write_printed(const struct group *g, const char *name,
                         void (*print)(const struct group *, FILE *))
{
    char *text = NULL, path[SL_PATH_MAX];
    size_t size = 0;
    SL_TRY(sl_path_join(path, g->out, name));
    FILE *out = open_memstream(&text, &size);
    SL_CHECK(out, SL_EMEM, "out of memory");
    print(g, out);
    int code = fclose(out) == 0 ? sl_file_replace(path, text, size, SL_DURABLE)
                                : SL_FAIL(SL_EMEM, "out of memory");
    free(text);
    return code;
}

static int hdf_summary(const struct group *g, hid_t file)
{
    hid_t group = H5Gcreate2(file, "summary", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    SL_CHECK(group >= 0, SL_EIO, "cannot write the group summary");
    hsize_t size = sizeof g->line->spread / sizeof(double);
    int code = SL_OK;
    for (int i = 0; i < g->nline && code == SL_OK; i++)
        code = sl_hdf_dataset(group, g->line[i].quantity->name, 1, &size, &g->line[i].spread.mean,
                              g->line[i].quantity->unit,
                              "mean, standard error, median, 16 %, 84 %, ends of the 95 % "
                              "bootstrap interval of the mean");
    H5Gclose(group);
    return code;
}

static int fill_hdf(const struct group *g, hid_t file)
{
    const char *key = g->members->key[g->member[0]];
    SL_TRY(sl_hdf_text(file, "description", "ensemble of runs that differ in their seed only"));
    SL_TRY(sl_hdf_text(file, "recipe", key));
    SL_TRY(sl_hdf_build(file));
    SL_TRY(sl_hdf_integer(file, "members", g->n));
    SL_TRY(sl_hdf_integer(file, "bootstrap_seed", (long long)g->seed));
    SL_TRY(sl_hdf_integer(file, "bootstrap_resamples", SL_BOOTSTRAP));
    SL_TRY(hdf_summary(g, file));
    for (int i = 0; i < g->tables.n; i++)
        SL_TRY(sl_table_write_hdf(&g->tables.table[i], file));
    return SL_OK;
}

static int write_hdf(const struct group *g)
{
    char path[SL_PATH_MAX];
    struct sl_hdf h;
    SL_TRY(sl_path_join(path, g->out, "ensemble.h5"));
    SL_TRY(sl_hdf_create(path, &h));
    int code = fill_hdf(g, h.file);
    if (code == SL_OK) return sl_hdf_commit(&h);
    sl_hdf_abandon(&h);
    return code;
}

static int write_group(const struct group *g)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_mkdir_all(g->out));
    SL_TRY(write_hdf(g));
    for (int i = 0; i < g->tables.n; i++)
        SL_TRY(sl_table_write_csv(&g->tables.table[i], g->out));
    SL_TRY(sl_path_join(path, g->out, "jackknife.csv"));
    if (g->jackknife.n > 0) SL_TRY(sl_summary_write_csv(&g->jackknife, path));
    SL_TRY(write_printed(g, "members.csv", print_members));
    return write_printed(g, "summary.csv", print_summary);
}

/* ---- groups ---- */

static int group_init(const struct sl_members *m, int number, struct group *g)
{
    memset(g, 0, sizeof *g);
    g->members = m;
    g->seed = 1;
    g->member = malloc((size_t)m->n * sizeof *g->member);
    SL_CHECK(g->member, SL_EMEM, "out of memory");
    for (int i = 0; i < m->n; i++)
        if (m->group[i] == number) g->member[g->n++] = i;
    SL_CHECK(g->n >= 2, SL_EINPUT,
             "statistics of an ensemble need two members at least that differ in their seed only; "
             "%s is alone",
             m->path[g->member[0]]);
    return SL_OK;
}

static int group_compute(const struct sl_members *m, const char *campaign, int number,
                         struct group *g)
{
    char name[64] = "ensemble";
    SL_TRY(group_init(m, number, g));
    if (m->ngroup > 1) snprintf(name, sizeof name, "ensemble/group-%d", number + 1);
    SL_TRY(sl_path_join(g->out, campaign, name));
    SL_TRY(read_summaries(g));
    SL_TRY(reduce_tables(g));
    return spreads(g);
}

/* The lines of a group's key that another group has otherwise. */
static void differing(const char *key, const char *first, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = key; *at;) {
        size_t n = strcspn(at, "\n");
        char line[1024];
        snprintf(line, sizeof line, "%.*s\n", (int)n, at);
        if (n > 0 && !strstr(first, line) && used < room)
            used +=
                (size_t)snprintf(out + used, room - used, "%s%.*s", used ? "; " : "", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static void print_groups(const struct group *g, FILE *out)
{
    const struct sl_members *m = g->members;
    fprintf(out, "# groups of members that differ in their seed only; what: the keys in which a "
                 "group differs from another\ngroup,member,what\n");
    const char *of[2] = {m->key[0], m->key[0]};
    for (int i = 0; i < m->n; i++)
        if (m->group[i] == 1) of[1] = m->key[i];
    for (int i = 0; i < m->n; i++) {
        char what[2048];
        const char *slash = strrchr(m->path[i], '/');
        differing(m->key[i], of[m->group[i] == 0], what, sizeof what);
        for (char *c = what; *c; c++)
            if (*c == ',') *c = ' ';
        fprintf(out, "%d,%s,%s\n", m->group[i] + 1, slash ? slash + 1 : m->path[i], what);
    }
}

static int write_all(const char *campaign, const struct sl_members *m, const struct group *g)
{
    for (int i = 0; i < m->ngroup; i++)
        SL_TRY(write_group(&g[i]));
    if (m->ngroup == 1) return SL_OK;
    struct group all = {.members = m};
    SL_TRY(sl_path_join(all.out, campaign, "ensemble"));
    return write_printed(&all, "groups.csv", print_groups);
}

int sl_reduce(const char *campaign, const struct sl_members *m)
{
    SL_CHECK(m->n >= 2, SL_EINPUT,
             "statistics of an ensemble need two members at least with finished statistics, %d "
             "found in %s",
             m->n, campaign);
    struct group *g = calloc((size_t)m->ngroup, sizeof *g);
    SL_CHECK(g, SL_EMEM, "out of memory for %d groups", m->ngroup);
    int code = SL_OK;
    for (int i = 0; i < m->ngroup && code == SL_OK; i++)
        code = group_compute(m, campaign, i, &g[i]);
    if (code == SL_OK) code = write_all(campaign, m, g);
    for (int i = 0; i < m->ngroup; i++)
        group_release(&g[i]);
    free(g);
    return code;
}

/* ---- target ---- */

static const char *target_quantity(int target)
{
    return target == SL_TARGET_mach_rms ? "mach_rms_end"
                                        : sl_choice_name("ensemble.target", target);
}

static int group_error(const struct sl_members *m, int number, const struct sl_config *cfg,
                       double *error)
{
    struct group *g = calloc(1, sizeof *g);
    SL_CHECK(g, SL_EMEM, "out of memory");
    double *x = malloc((size_t)m->n * sizeof *x);
    int code = x ? group_init(m, number, g) : SL_FAIL(SL_EMEM, "out of memory");
    int alone = g->n == 1;
    if (code == SL_OK) code = read_summaries(g);
    if (code == SL_OK) {
        int n = collect(g, target_quantity(cfg->ensemble_target), x);
        *error = sl_ensemble_target_error(n, x, (int)cfg->ensemble_min);
        if (n < cfg->ensemble_min) *error = INFINITY;
    } else if (alone) {
        *error = INFINITY;
        code = SL_OK;
    }
    free(x);
    group_release(g);
    free(g);
    return code;
}

int sl_reduce_check_target(const struct sl_members *m, struct sl_target_state *out)
{
    struct sl_target_state state = {false, INFINITY, m->n};
    struct sl_config cfg;
    char path[SL_PATH_MAX];
    *out = state;
    if (m->n < 1) return SL_OK;
    SL_TRY(sl_path_join(path, m->path[0], "run.yaml"));
    SL_TRY(sl_config_read(path, NULL, 0, &cfg));
    if (cfg.ensemble_target == SL_TARGET_none) return SL_OK;
    state.error = 0;
    for (int i = 0; i < m->ngroup; i++) {
        double error = INFINITY;
        SL_TRY(group_error(m, i, &cfg, &error));
        state.error = fmax(state.error, error);
    }
    state.reached = state.error <= cfg.ensemble_relative_error;
    *out = state;
    return SL_OK;
}
